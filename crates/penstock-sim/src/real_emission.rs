//! The traffic of a scenario without its network, for real senders: start times, datagrams, and the connections of sessions,
//! all drawn from the same random streams as in a simulated run of the same seed.

use crate::offered::Offered;
use crate::scenario::{Scenario, TrafficSpec};
use crate::traffic::behaviour::Behaviour;
use crate::traffic::datagram::Datagram;
use crate::traffic::opening::{Opening, Size};
use penstock_core::{Ecn, Rng, Span, Time};
use penstock_link::ScenarioError;

/// A flow of a scenario, or a session, as offered to the network.
pub struct Emission {
    /// Number of its group in the scenario.
    pub group: usize,
    /// Its number in the group.
    pub copy: u32,
    /// Time at which it starts.
    pub start: Time,
    /// Time from which it offers no new data: its own, or the end of the run.
    pub stop: Time,
    /// The data that it offers.
    pub source: EmissionSource,
}

/// The data that a flow offers.
pub enum EmissionSource {
    /// One TCP connection, endless or of the size in the scenario.
    Connection,
    /// Its datagrams, in the order of sending.
    Datagrams(Vec<EmittedDatagram>),
    /// Connections that come and go.
    Session(Box<ConnectionSource>),
}

/// A datagram to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmittedDatagram {
    /// When to send it.
    pub at: Time,
    /// Its size on the wire in bytes.
    pub size: u32,
    /// Its ECN field.
    pub ecn: Ecn,
    /// Its codepoint.
    pub dscp: u8,
}

/// A session without its connections: it decides when to open one and its size, and must be notified of the end of each.
pub struct ConnectionSource {
    behaviour: Behaviour,
    rng: Rng,
    stop: Time,
    /// Whether this is a web session, in which routes with odd numbers carry requests.
    web: bool,
    /// Bytes of data in a packet, and in a request.
    packet: u64,
    request: u64,
    openings: Vec<Opening>,
}

/// A connection to open now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Number of the sender among the sources of the group; for a request, the number of the server that receives it.
    pub sender: u32,
    /// Whether it is a request from the destination of the group to the server.
    pub request: bool,
    /// User data.
    pub bytes: u64,
    /// Identifier for [`ConnectionSource::on_end`].
    pub tag: u32,
}

/// The flows of a scenario, in the order of its groups.
///
/// # Errors
///
/// All errors of the scenario.
pub fn emissions(scenario: &Scenario, seed: u64) -> Result<Vec<Emission>, Vec<ScenarioError>> {
    let mut errors = scenario.errors();
    if !errors.is_empty() {
        return Err(errors);
    }
    let offered = Offered::new(scenario, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut all = Vec::new();
    for (number, group) in scenario.traffic.iter().enumerate() {
        for copy in 0..group.count {
            let name = format!("{}.{copy}", group.name);
            let start = group.start.draw(copy, || Rng::stream(seed, format_args!("{name}.start")));
            let stop = Time::from_nanos(group.stop_ns.unwrap_or(u64::MAX).min(scenario.duration_ns));
            let rng = Rng::stream(seed, &name);
            let source = match &offered.tcps[number] {
                None => EmissionSource::Datagrams(datagrams(&offered, number, group, start, stop, rng)),
                Some(tcp) if group.opens() => EmissionSource::Session(Box::new(session(group, start, stop, tcp, rng))),
                Some(_) => EmissionSource::Connection,
            };
            all.push(Emission { group: number, copy, start, stop, source });
        }
    }
    Ok(all)
}

fn datagrams(
    offered: &Offered,
    number: usize,
    group: &TrafficSpec,
    start: Time,
    stop: Time,
    rng: Rng,
) -> Vec<EmittedDatagram> {
    let mut emitter = offered.emitter(number, group, rng);
    let mut at = start + emitter.first_gap();
    let mut all = Vec::new();
    while at < stop {
        let Datagram { size, ecn, dscp, gap, .. } = emitter.next();
        all.push(EmittedDatagram { at, size, ecn, dscp });
        at += gap;
    }
    all
}

fn session(
    group: &TrafficSpec,
    start: Time,
    stop: Time,
    tcp: &penstock_tcp::TcpParams,
    mut rng: Rng,
) -> ConnectionSource {
    let behaviour = Behaviour::of(group, start, tcp, &mut rng);
    ConnectionSource {
        behaviour,
        rng,
        stop,
        web: group.web.is_some(),
        packet: tcp.packet.0,
        request: group.web.as_ref().map_or(0, |web| u64::from(web.request)),
        openings: Vec::new(),
    }
}

impl ConnectionSource {
    /// The time of its next action; `None` while it waits for the end of a connection, and after its stop.
    pub fn next(&self) -> Option<Time> {
        Some(self.behaviour.next()).filter(|next| *next < self.stop)
    }

    /// Act at the time given by [`next`](Self::next); returns the connections to open.
    pub fn on_time(&mut self, now: Time) -> Vec<Connection> {
        self.behaviour.on_time(now, &mut self.rng, &mut self.openings);
        self.connections()
    }

    /// The connection with this tag has delivered all its data; returns the connections to open, and the duration of the
    /// round of transfers that this ends.
    pub fn on_end(&mut self, now: Time, tag: u32) -> (Vec<Connection>, Option<Span>) {
        let round = self.behaviour.on_end(now, tag, &mut self.rng, &mut self.openings);
        (self.connections(), round)
    }

    fn connections(&mut self) -> Vec<Connection> {
        let openings = std::mem::take(&mut self.openings);
        openings.into_iter().map(|opening| self.connection(opening)).collect()
    }

    fn connection(&self, opening: Opening) -> Connection {
        let request = self.web && opening.route % 2 == 1;
        let bytes = match opening.size {
            _ if request => self.request,
            Size::Packets(count) => u64::from(count) * self.packet,
            Size::Bytes(bytes) => bytes,
        };
        let sender = if self.web { opening.route / 2 } else { opening.route };
        Connection { sender, request, bytes, tag: opening.tag }
    }
}

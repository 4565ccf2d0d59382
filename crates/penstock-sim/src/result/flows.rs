//! Metrics of each flow and of each session, one at a time.

use crate::engine::Engine;
use crate::host::{FlowState, Host, Source};
use crate::probe::blocks::BlockSums;
use crate::probe::flow::{Shares, Window, write_times};
use crate::scenario::Scenario;
use crate::session::{ClosedConnections, Session};
use penstock_core::Time;
use penstock_tcp::{Sender, SenderCounts};
use std::ops::Range;

/// Metrics of flows, computed one at a time: for 100 000 flows they would take a quarter of the memory of a run.
pub(super) struct Flows<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) engine: &'a Engine,
    /// By link: number of flows whose first watched link it is.
    crossing: Vec<u32>,
    pub(super) seconds: f64,
}

pub(super) struct Row {
    pub(super) goodput: f64,
    pub(super) throughput: f64,
    pub(super) fair_share: Option<f64>,
    pub(super) sent: u64,
    pub(super) lost: u64,
    pub(super) tcp: Option<TcpRow>,
    /// The blocks of a flow with forward error correction.
    pub(super) blocks: Option<BlockSums>,
}

pub(super) struct TcpRow {
    pub(super) counts: SenderCounts,
    pub(super) rtt: Option<f64>,
    pub(super) srtt: Option<f64>,
    pub(super) cwnd: Option<f64>,
    pub(super) completion: Option<f64>,
    /// Seconds that each write of an application took.
    pub(super) writes: Vec<f64>,
}

impl<'a> Flows<'a> {
    pub(super) fn of(scenario: &'a Scenario, engine: &'a Engine) -> Self {
        let crossing = vec![0; engine.network.links.len()];
        let mut flows = Self { scenario, engine, crossing, seconds: engine.network.tally.window.seconds() };
        for flow in 0..engine.users {
            if let Some(link) = flows.first_watched(flow) {
                flows.crossing[link as usize] += 1;
            }
        }
        flows
    }

    /// By link: the goodputs of the flows whose data crosses it.
    pub(super) fn shares(&self) -> Vec<Shares> {
        let mut shares = vec![Shares::default(); self.crossing.len()];
        // A path that is named may cross a link several times.
        let mut counted = vec![usize::MAX; self.crossing.len()];
        for flow in 0..self.engine.users {
            let goodput = self.goodput(flow);
            for link in data_links(self.engine, self.first_hop(flow)) {
                let link = link as usize;
                if std::mem::replace(&mut counted[link], flow) != flow {
                    shares[link].add(goodput);
                }
            }
        }
        shares
    }

    /// The first hop of its data.
    fn first_hop(&self, flow: usize) -> u32 {
        self.session(flow).map_or(self.engine.hosts[flow].origin.first_hop, |session| session.routes[0].data_hop)
    }

    fn first_watched(&self, flow: usize) -> Option<u32> {
        data_links(self.engine, self.first_hop(flow)).find(|&link| self.scenario.links[link as usize].watch)
    }

    /// Bytes delivered for a flow; for a session, by all its connections, without requests.
    pub(super) fn goodput(&self, flow: usize) -> f64 {
        let delivered = match self.session(flow) {
            Some(session) => {
                session.closed.delivered_bytes + self.open(session).map(|flow| self.delivered(flow)).sum::<u64>()
            }
            None => self.delivered(flow),
        };
        delivered as f64 * 8.0 / self.seconds
    }

    fn fair_share(&self, flow: usize, goodput: f64) -> Option<f64> {
        let link = self.first_watched(flow)? as usize;
        let rate = self.engine.network.links[link].transmitter.rate().bits_per_second() as f64;
        Some(goodput / (rate / f64::from(self.crossing[link])))
    }

    fn delivered(&self, flow: usize) -> u64 {
        let flow = &self.engine.network.tally.flows[flow];
        match &flow.receiver {
            None => flow.stats.payload_bytes,
            Some(receiver) => receiver.delivered_bytes() - flow.stats.payload_bytes,
        }
    }

    fn session(&self, flow: usize) -> Option<&'a Session> {
        self.engine.sessions.get(self.engine.hosts[flow].session as usize)
    }

    /// The flows of a session that carry data now.
    fn open(&self, session: &'a Session) -> impl Iterator<Item = usize> {
        let hosts = &self.engine.hosts;
        let open = |&flow: &usize| {
            hosts[flow].state != FlowState::Waiting && !session.routes[hosts[flow].route as usize].request
        };
        session.flows.iter().map(|&flow| flow as usize).filter(open)
    }

    pub(super) fn row(&self, flow: usize) -> Row {
        match self.session(flow) {
            Some(session) => self.session_row(flow, session),
            None => self.flow_row(flow),
        }
    }

    /// All connections of a session as one.
    fn session_row(&self, flow: usize, session: &'a Session) -> Row {
        let Self { engine, seconds, .. } = self;
        let window = engine.network.tally.window;
        let closed = &session.closed;
        let mut all = ClosedConnections {
            active_s: closed.active_s,
            counts: closed.counts,
            writes: closed.writes.clone(),
            ..Default::default()
        };
        let (mut lost, mut crossed) = (0, 0);
        for &flow in &session.flows {
            let (host, stats) = (&engine.hosts[flow as usize], &engine.network.tally.flows[flow as usize].stats);
            lost += u64::from(stats.lost);
            crossed += stats.crossed_bits;
            if let (Source::Tcp(sender), FlowState::Running) = (&host.source, host.state) {
                let before = engine.before.get(flow as usize).copied().unwrap_or_default();
                if !session.routes[host.route as usize].request {
                    all.writes.extend(write_times(sender, window));
                }
                all.add(host.start, window.end, &sender.counts(window.end), &before, window.start);
            }
        }
        let times = &session.closed.completions;
        let sum: f64 = times.iter().map(|transfer| transfer.seconds).sum();
        let completion = (!times.is_empty()).then(|| sum / times.len() as f64);
        let goodput = self.goodput(flow);
        Row {
            goodput,
            throughput: crossed as f64 / seconds,
            fair_share: self.fair_share(flow, goodput),
            sent: all.counts.sent,
            lost,
            tcp: Some(TcpRow::new(all.counts, all.active_s, completion, all.writes)),
            blocks: None,
        }
    }

    fn flow_row(&self, flow: usize) -> Row {
        let Self { engine, seconds, .. } = self;
        let (host, stats) = (&engine.hosts[flow], &engine.network.tally.flows[flow].stats);
        let goodput = self.goodput(flow);
        let (sent, tcp) = match &host.source {
            Source::Udp(source, _, before) => (u64::from(source.sent() - before), None),
            Source::Tcp(sender) => {
                let before = engine.before.get(flow).copied().unwrap_or_default();
                let row = tcp_row(host, sender, &before, engine.network.tally.window);
                (row.counts.sent, Some(row))
            }
        };
        Row {
            goodput,
            throughput: stats.crossed_bits as f64 / seconds,
            fair_share: self.fair_share(flow, goodput),
            sent,
            lost: u64::from(stats.lost),
            tcp,
            blocks: engine.network.tally.blocks.get(flow).and_then(|blocks| blocks.as_ref().map(|blocks| blocks.sums)),
        }
    }

    /// The numbers of the flows of this group.
    pub(super) fn of_group(&self, group: usize) -> Range<usize> {
        of_group(&self.engine.network.tally.flows[..self.engine.users], group, |flow| flow.group)
    }

    /// The metrics of the flows of this group.
    pub(super) fn rows(&self, group: usize) -> impl Iterator<Item = Row> {
        self.of_group(group).map(|flow| self.row(flow))
    }
}

/// The range of this group in a list ordered by group.
pub(super) fn of_group<T>(all: &[T], group: usize, of: impl Fn(&T) -> u32) -> Range<usize> {
    let below = |end: usize| all.partition_point(|one| (of(one) as usize) < end);
    below(group)..below(group + 1)
}

/// The links of the route that starts at this hop.
fn data_links(engine: &Engine, hop: u32) -> impl Iterator<Item = u32> {
    let hops = &engine.network.hops[hop as usize..];
    let length = hops.iter().position(|hop| hop.last).map_or(0, |last| last + 1);
    hops[..length].iter().map(|hop| hop.link)
}

fn tcp_row(host: &Host, sender: &Sender, before: &SenderCounts, window: Window) -> TcpRow {
    let finished = sender.finished();
    let until = finished.map_or(window.end, |at| at.min(window.end));
    let counts = sender.counts(until.max(window.start)) - *before;
    let active = until.since(host.start.max(window.start)).as_secs();
    let writes = write_times(sender, window).collect();
    TcpRow::new(counts, active, finished.map(|at: Time| at.since(host.start).as_secs()), writes)
}

impl TcpRow {
    /// Metrics of one or several senders that were active for `active` seconds.
    fn new(counts: SenderCounts, active: f64, completion: Option<f64>, writes: Vec<f64>) -> Self {
        let mean = |sum: f64| (counts.rtt_samples > 0).then(|| sum / counts.rtt_samples as f64);
        Self {
            rtt: mean(counts.rtt_sum_s),
            srtt: mean(counts.srtt_sum_s),
            cwnd: (active > 0.0).then(|| counts.cwnd_integral / active),
            completion,
            writes,
            counts,
        }
    }
}

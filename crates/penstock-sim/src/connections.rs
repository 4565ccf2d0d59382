//! Connections that come and go: sessions open them on flows of their own, which are used again.

use crate::engine::{Engine, Gate, Host, Job, Source, Stage};
use crate::probe::flow::FlowStats;
use crate::tally::{Flow, PROMPT};
use crate::traffic::session::{Behaviour, Opening, Size};
use penstock_core::{Bytes, Rng, Span, Time};
use penstock_tcp::{Receiver, Sender, SenderCounts, TcpParams};
use std::sync::Arc;

/// No session: the flow stays as long as the run.
pub(crate) const NO_SESSION: u32 = u32::MAX;

/// A way that connections may take.
#[derive(Clone, Copy)]
pub(crate) struct Path {
    /// First hops of data and of acknowledgements.
    pub(crate) data_hop: u32,
    pub(crate) ack_hop: u32,
    /// Numbers of the nodes that it comes from and goes to.
    pub(crate) ends: (u32, u32),
    /// Requests are not what users wait for: they count in no goodput and no completion time.
    pub(crate) request: bool,
}

/// What opens connections.
pub(crate) struct Session {
    pub(crate) behaviour: Behaviour,
    pub(crate) rng: Rng,
    /// Rank of its timer in the agenda.
    pub(crate) rank: u32,
    pub(crate) group: u32,
    pub(crate) dscp: u8,
    /// Keys of connections with data, and of those with requests.
    pub(crate) data: Arc<TcpParams>,
    pub(crate) request: Arc<TcpParams>,
    pub(crate) paths: Vec<Path>,
    /// No new connections from here on.
    pub(crate) stop: Time,
    /// The flows it has had, and those of them that are free.
    pub(crate) flows: Vec<u32>,
    pub(crate) free: Vec<u32>,
    pub(crate) past: Past,
}

/// What the connections that have ended did since the warm-up.
#[derive(Default)]
pub(crate) struct Past {
    pub(crate) counts: SenderCounts,
    pub(crate) delivered_bytes: u64,
    /// Seconds during which they were open, together.
    pub(crate) active: f64,
    pub(crate) completions: Vec<Completion>,
    /// Seconds that each round of transfers took.
    pub(crate) rounds: Vec<f64>,
}

/// A transfer that has ended.
#[derive(Clone, Copy)]
pub(crate) struct Completion {
    /// From the first packet to the last acknowledgement.
    pub(crate) seconds: f64,
    /// User data delivered.
    pub(crate) bytes: u64,
}

impl Session {
    /// When it next acts by itself, if that is before it stops.
    pub(crate) fn next(&self) -> Time {
        Some(self.behaviour.next()).filter(|next| *next < self.stop).unwrap_or(Time::NEVER)
    }
}

impl Engine {
    /// A session's time has come.
    pub(crate) fn on_session(&mut self, now: Time, number: u32) {
        let session = &mut self.sessions[number as usize];
        let mut openings = std::mem::take(&mut self.openings);
        session.behaviour.on_time(now, &mut session.rng, &mut openings);
        self.open_all(now, number, openings);
    }

    /// The connection of this flow has ended: all its data is acknowledged.
    pub(crate) fn on_end(&mut self, now: Time, flow: u32) {
        let host = &mut self.hosts[flow as usize];
        let number = host.session;
        let session = &mut self.sessions[number as usize];
        let path = session.paths[host.path as usize];
        let before = self.before.get(flow as usize).copied().unwrap_or_default();
        let state = &mut self.network.tally.flows[flow as usize];
        let bytes = state.receiver.as_ref().map_or(0, Receiver::delivered_bytes);
        let delivered = bytes - state.stats.payload_bytes;
        state.stats.payload_bytes = 0;
        state.receiver = None;
        // What is still under way belongs to no connection.
        state.epoch = state.epoch.wrapping_add(1);
        host.epoch = state.epoch;
        if state.receiver_rank != PROMPT {
            self.network.agenda.clear(state.receiver_rank);
        }
        if let Source::Tcp(sender) = &host.source {
            session.past.add(host.start, now, &sender.counts(now), &before, self.network.tally.window.start);
        }
        let counts = self.network.tally.window.contains(now);
        if !path.request && counts {
            session.past.delivered_bytes += delivered;
            session.past.completions.push(Completion { seconds: now.since(host.start).as_secs(), bytes });
        }
        host.stage = Stage::Waiting;
        host.armed = Time::NEVER;
        self.network.agenda.clear(host.rank);
        session.free.push(flow);
        let mut openings = std::mem::take(&mut self.openings);
        let round = session.behaviour.on_end(now, host.tag, &mut session.rng, &mut openings);
        session.past.rounds.extend(round.filter(|_| counts).map(Span::as_secs));
        self.open_all(now, number, openings);
    }

    fn open_all(&mut self, now: Time, number: u32, mut openings: Vec<Opening>) {
        for opening in openings.drain(..) {
            self.open(now, number, opening);
        }
        self.openings = openings;
        let session = &self.sessions[number as usize];
        self.network.agenda.set(session.rank, session.next());
    }

    fn open(&mut self, now: Time, number: u32, opening: Opening) {
        let Some(flow) = self.sessions[number as usize].free.pop().or_else(|| self.add_flow(number)) else { return };
        let session = &self.sessions[number as usize];
        let path = session.paths[opening.way as usize];
        let keys = if path.request { &session.request } else { &session.data };
        let params = &match opening.size {
            Size::Packets(_) => Arc::clone(keys),
            Size::Bytes(bytes) => Arc::new(TcpParams { packets: None, bytes: Some(Bytes(bytes)), ..(**keys).clone() }),
        };
        let state = &mut self.network.tally.flows[flow as usize];
        state.receiver = Some(Receiver::new(params));
        state.ack_hop = path.ack_hop;
        if let Some(ends) = self.network.facts.hosts.get_mut(flow as usize) {
            *ends = path.ends;
            self.network.facts.rtts[flow as usize] = None;
        }
        if let Some(capture) = &mut self.network.tally.capture {
            capture.open(flow, self.hosts[flow as usize].epoch, path.ends, Some(params));
        }
        let host = &mut self.hosts[flow as usize];
        host.source = Source::Tcp(Sender::new(Arc::clone(params)));
        (host.hop, host.tag, host.path) = (path.data_hop, opening.tag, opening.way);
        (host.start, host.stage) = (now, Stage::Running);
        if let Some(before) = self.before.get_mut(flow as usize) {
            *before = SenderCounts::default();
        }
        let Host { hop, dscp, epoch, .. } = *host;
        let Source::Tcp(sender) = &mut host.source else { return };
        let network = &mut self.network;
        let gate = &mut Gate { network, now, flow, hop, dscp, epoch };
        match opening.size {
            Size::Packets(packets) => sender.start_transfer(now, packets, gate),
            Size::Bytes(_) => sender.start(now, gate),
        }
        host.armed = sender.timer().unwrap_or(Time::NEVER);
        self.network.agenda.set(host.rank, host.armed);
    }

    /// A new flow for this session; `None`, and the run ends, if the agenda cannot hold its timers.
    pub(crate) fn add_flow(&mut self, number: u32) -> Option<u32> {
        let session = &mut self.sessions[number as usize];
        let flow = self.hosts.len() as u32;
        if self.jobs.len() + 2 > self.most_jobs {
            self.overflowed = true;
            return None;
        }
        let rank = self.jobs.len() as u32;
        self.jobs.push(Job::Flow(flow));
        let prompt = Receiver::new(&session.data).is_prompt();
        if !prompt {
            self.jobs.push(Job::ReceiverTimer(flow));
        }
        self.network.agenda.grow(self.jobs.len());
        session.flows.push(flow);
        let path = session.paths[0];
        self.hosts.push(Host::idle(rank, session.dscp, Arc::clone(&session.data), number));
        self.network.tally.flows.push(Flow {
            stats: FlowStats::default(),
            ack_hop: path.ack_hop,
            group: session.group,
            receiver_rank: if prompt { PROMPT } else { rank + 1 },
            dscp: session.dscp,
            epoch: 0,
            receiver: None,
        });
        if !self.before.is_empty() {
            self.before.push(SenderCounts::default());
        }
        if !self.network.facts.hosts.is_empty() {
            self.network.facts.hosts.push(path.ends);
            self.network.facts.rtts.push(None);
        }
        Some(flow)
    }
}

impl Past {
    /// A connection has ended, or the run has, at `now`; it began at `start` and had counted `before` at the warm-up's end.
    pub(crate) fn add(&mut self, start: Time, now: Time, counts: &SenderCounts, before: &SenderCounts, warm: Time) {
        if now < warm {
            return;
        }
        self.active += now.since(start.max(warm)).as_secs();
        self.counts += *counts - *before;
    }
}

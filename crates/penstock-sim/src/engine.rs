//! The engine: takes the earliest event, lets its part act, until the end of the run.

use crate::ahead::Ahead;
use crate::change::Change;
use crate::connections::{NO_SESSION, Past, Session};
use crate::network::Network;
use crate::overtaken::Overtaken;
use crate::packet::{ECE, Kind, Labels, NO_SACK, RETRANSMISSION, SimPacket};
use crate::trace::{Trace, WindowRow};
use crate::traffic::emitter::{Datagram, Emitter};
use crate::traffic::session::Opening;
use penstock_core::{Ecn, Time};
use penstock_tcp::{Ack, SackBlock, Segment, Sender, SenderCounts, TcpParams};
use std::sync::Arc;

/// What an entry of the agenda stands for.
///
/// The order of the variants is the order of events at one instant: the end of the warm-up first, so that everything at
/// that instant counts; then changes of links, which hold for what starts at that instant; then ends of transmission, so
/// that a packet that arrives as another leaves finds its place; then arrivals; then timers, so that an acknowledgement
/// that arrives as its timer expires is in time. Flows that sessions add during the run come last, in their own order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Job {
    /// The warm-up is over.
    Warm,
    /// Something changes about a link.
    Change(u32),
    /// The port of this number has sent a packet.
    Transmission(u32),
    /// A packet has arrived at the end of the delay line of this number.
    Arrival(u32),
    /// A packet that others overtook has arrived, on the link whose changes have this number.
    Overtaken(u32),
    /// The timer of the discipline at this port.
    QueueTimer(u32),
    /// The timer of a receiver that delays acknowledgements.
    ReceiverTimer(u32),
    /// A sender's start, stop, timer or next datagram.
    Flow(u32),
    /// A session's next connection.
    Session(u32),
}

/// The sending end of a flow. In the order of use, from the beginning of a cache line.
#[repr(C, align(64))]
pub(crate) struct Host {
    /// Rank in the agenda, and the time of the entry there. Timers mostly move back, so entries are left where they are
    /// and looked at again when they come.
    pub(crate) rank: u32,
    /// First hop of its data.
    pub(crate) hop: u32,
    pub(crate) armed: Time,
    pub(crate) dscp: u8,
    pub(crate) stage: Stage,
    pub(crate) source: Source,
    /// Up to when its acknowledgements may be answered as soon as their arrival is known, as nothing looks at it earlier.
    pub(crate) unseen: Time,
    pub(crate) start: Time,
    pub(crate) stop: Time,
    /// The session that it serves, or [`NO_SESSION`]; what that calls the connection, and which of its ways this takes.
    pub(crate) session: u32,
    pub(crate) tag: u32,
    pub(crate) path: u32,
    /// Which of the flow's connections is open.
    pub(crate) epoch: u16,
}

impl Host {
    /// A host that waits for its session to open a connection.
    pub(crate) fn idle(rank: u32, dscp: u8, params: Arc<TcpParams>, session: u32) -> Self {
        Self {
            rank,
            hop: 0,
            armed: Time::NEVER,
            dscp,
            stage: Stage::Waiting,
            source: Source::Tcp(Sender::new(params)),
            unseen: Time::ZERO,
            start: Time::NEVER,
            stop: Time::NEVER,
            session,
            tag: 0,
            path: 0,
            epoch: 0,
        }
    }
}

/// What sends.
#[expect(clippy::large_enum_variant, reason = "measured: a sender is a dependent load nearer without its box")]
pub(crate) enum Source {
    /// A TCP sender.
    Tcp(Sender),
    /// Datagrams, the time of the next, and how many were sent before the warm-up ended.
    Udp(Box<Emitter>, Time, u32),
}

/// Where a flow is in its life.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Not started.
    Waiting,
    /// It offers data.
    Running,
    /// It offers no new data.
    Stopped,
}

/// A run.
pub(crate) struct Engine {
    pub(crate) network: Network,
    pub(crate) hosts: Vec<Host>,
    /// What each TCP sender had counted when the warm-up ended; empty without a warm-up.
    pub(crate) before: Vec<SenderCounts>,
    /// What each rank of the agenda stands for.
    pub(crate) jobs: Vec<Job>,
    pub(crate) events: u64,
    /// How many of the first flows are those of the scenario; the others serve sessions beside their first one.
    pub(crate) users: usize,
    pub(crate) sessions: Vec<Session>,
    /// Room for what a session wants to open.
    pub(crate) openings: Vec<Opening>,
    /// More jobs than this leave no room for the times of the run in the agenda's keys.
    pub(crate) most_jobs: usize,
    /// A session needed more.
    pub(crate) overflowed: bool,
}

/// A sender's way into the network.
pub(crate) struct Gate<'a> {
    pub(crate) network: &'a mut Network,
    pub(crate) now: Time,
    pub(crate) flow: u32,
    pub(crate) hop: u32,
    pub(crate) dscp: u8,
    pub(crate) epoch: u16,
}

impl penstock_tcp::Network for Gate<'_> {
    #[inline]
    fn transmit(&mut self, segment: Segment) {
        let (flow, hop, dscp, epoch) = (self.flow, self.hop, self.dscp, self.epoch);
        let packet = SimPacket { flow, hop, dscp, epoch, ..SimPacket::of(&segment) };
        self.network.send(self.now, packet);
    }
}

impl Engine {
    /// Let everything happen up to and including `end`.
    #[expect(clippy::inline_always, reason = "measured: 15 instructions a packet of 1600")]
    #[inline(always)]
    pub(crate) fn run(&mut self, end: Time) {
        while let Some((now, rank)) = self.network.agenda.first() {
            if now > end || self.overflowed {
                break;
            }
            self.events += 1;
            // Most events, told by their rank without a look at the list.
            let line = rank.wrapping_sub(self.network.first_line);
            if line < self.network.lines.count() {
                self.on_arrival(now, line);
            } else {
                self.on_other(now, rank);
            }
            while self.network.home_at != Time::NEVER {
                self.on_early_ack();
            }
        }
        self.close(end);
    }

    #[inline]
    fn on_other(&mut self, now: Time, rank: u32) {
        match self.jobs[rank as usize] {
            Job::Arrival(line) => self.on_arrival(now, line),
            Job::Overtaken(change) => self.on_overtaken(now, change),
            Job::Transmission(port) => self.network.serve(port as usize, now),
            Job::Flow(flow) => self.on_flow(now, flow),
            Job::QueueTimer(port) => self.network.on_queue_timer(port as usize, now),
            Job::ReceiverTimer(flow) => self.network.on_receiver_timer(now, flow),
            Job::Session(session) => self.on_session(now, session),
            Job::Change(change) => self.network.on_change(now, change),
            Job::Warm => self.on_warm(now, rank),
        }
    }

    /// An acknowledgement will reach its sender later. If nothing can happen to the sender before, and nobody else
    /// uses its link, its answer is known now; else the acknowledgement waits on its delay line. So does one that ends the
    /// transfer: its connection closes when it arrives, and until then the receiver answers.
    #[inline]
    fn on_early_ack(&mut self) {
        let time = std::mem::replace(&mut self.network.home_at, Time::NEVER);
        let packet = self.network.homing;
        let host = &self.hosts[packet.flow as usize];
        let Source::Tcp(sender) = &host.source else { return };
        let timer = sender.timer().unwrap_or(Time::NEVER);
        let ends = packet.seq >= sender.end();
        if time <= host.unseen && time <= timer && !ends && self.network.is_first(&packet) {
            self.on_ack(time, &packet);
        } else {
            self.network.park(time, &packet);
        }
    }

    #[expect(clippy::inline_always, reason = "measured: 30 instructions a packet of 1600")]
    #[inline(always)]
    fn on_arrival(&mut self, now: Time, line: u32) {
        let mut packet = self.network.land(line);
        if packet.labels.is_ack() && self.network.is_home(&packet) {
            return self.on_ack(now, &packet);
        }
        let kept_others = self.network.tally.hops[packet.hop as usize].ahead == Ahead::Lacking;
        self.network.arrive(now, &mut packet);
        if kept_others {
            self.release(line);
        }
    }

    /// Hand on what waited on this delay line only for the packet that has arrived: else, on a link that is never idle,
    /// all that follow would wait for ever.
    #[cold]
    fn release(&mut self, line: u32) {
        loop {
            while self.network.home_at != Time::NEVER {
                self.on_early_ack();
            }
            let Some((arrival, mut packet)) = self.network.release(line) else { return };
            self.network.arrive(arrival, &mut packet);
        }
    }

    #[cold]
    fn on_overtaken(&mut self, now: Time, change: u32) {
        let Some(mut packet) = self.network.land_overtaken(change) else { return };
        if packet.labels.is_ack() && self.network.is_home(&packet) {
            self.on_ack(now, &packet);
        } else {
            self.network.arrive(now, &mut packet);
        }
    }

    #[inline]
    fn on_ack(&mut self, now: Time, packet: &SimPacket) {
        self.network.tally.receive(now, packet);
        let blocks;
        let sack: &[SackBlock] = if packet.extra == NO_SACK {
            &[]
        } else {
            blocks = self.network.tally.sacks.take(packet.extra);
            &blocks
        };
        let host = &mut self.hosts[packet.flow as usize];
        let Source::Tcp(sender) = &mut host.source else { return };
        if packet.epoch != host.epoch {
            return;
        }
        let ack = Ack {
            ack: packet.seq,
            stamp: packet.stamp,
            ece: packet.labels.has(ECE),
            ace: packet.labels.ace(),
            retransmission: packet.labels.has(RETRANSMISSION),
            sack,
        };
        let network = &mut self.network;
        let Host { hop, dscp, epoch, .. } = *host;
        sender.on_ack(now, &ack, &mut Gate { network, now, flow: packet.flow, hop, dscp, epoch });
        if let Some(timer) = sender.timer().filter(|timer| *timer < host.armed) {
            host.armed = timer;
            network.agenda.set(host.rank, timer);
        }
        if let Some(rtt) = network.facts.rtts.get_mut(packet.flow as usize) {
            *rtt = sender.srtt();
        }
        if let Some(trace) = &mut network.tally.trace {
            note_window(trace, now, packet.flow, sender);
        }
        if host.session != NO_SESSION && sender.finished().is_some() {
            self.on_end(now, packet.flow);
        }
    }

    fn on_flow(&mut self, now: Time, flow: u32) {
        let host = &mut self.hosts[flow as usize];
        let network = &mut self.network;
        let (hop, dscp, epoch) = (host.hop, host.dscp, host.epoch);
        let starts = host.stage == Stage::Waiting && host.session == NO_SESSION;
        let stops = host.stage == Stage::Running && now >= host.stop;
        if starts {
            host.stage = Stage::Running;
        } else if stops {
            host.stage = Stage::Stopped;
        }
        let next = match &mut host.source {
            Source::Tcp(sender) => {
                if starts {
                    sender.start(now, &mut Gate { network, now, flow, hop, dscp, epoch });
                } else if stops {
                    sender.stop(now);
                }
                if sender.timer().is_some_and(|timer| timer <= now) {
                    sender.on_timer(now, &mut Gate { network, now, flow, hop, dscp, epoch });
                }
                if let Some(trace) = &mut network.tally.trace {
                    note_window(trace, now, flow, sender);
                }
                sender.timer().unwrap_or(Time::NEVER)
            }
            Source::Udp(source, at, _) => {
                if starts {
                    *at = now + source.first_gap();
                }
                while host.stage == Stage::Running && *at <= now {
                    let datagram = source.next();
                    *at += datagram.gap;
                    if let Some(frame) = &datagram.frame {
                        network.begin_frame(now, flow, datagram.seq, frame);
                    }
                    network.send(now, udp_packet(&datagram, now, flow, hop, (dscp, source.ecn)));
                }
                if host.stage == Stage::Running { *at } else { Time::NEVER }
            }
        };
        host.armed = if host.stage == Stage::Running { next.min(host.stop) } else { next };
        network.agenda.set(host.rank, host.armed);
    }

    /// The warm-up is over: statistics start again.
    fn on_warm(&mut self, now: Time, rank: u32) {
        self.network.agenda.clear(rank);
        let Network { ports, tally, .. } = &mut self.network;
        for (port, stats) in ports.iter().zip(&mut tally.queues) {
            port.settle(now, stats);
            stats.restart(now);
        }
        self.network.changes.iter_mut().for_each(|change| change.restart(now));
        let counted = |host: &mut Host| match &mut host.source {
            Source::Tcp(sender) => sender.counts(now),
            Source::Udp(source, _, before) => {
                *before = source.sent();
                SenderCounts::default()
            }
        };
        for (host, blocks) in self.hosts.iter().zip(&mut self.network.tally.blocks) {
            if let (Source::Udp(source, ..), Some(blocks)) = (&host.source, blocks) {
                blocks.restart(source.sent());
            }
        }
        let end = self.network.tally.window.end;
        let still = self.hosts.iter_mut().filter(|host| host.unseen > Time::ZERO);
        still.for_each(|host| host.unseen = end.min(host.stop));
        self.before = self.hosts.iter_mut().map(counted).collect();
        self.sessions.iter_mut().for_each(|session| session.past = Past::default());
    }

    fn close(&mut self, end: Time) {
        let Network { ports, tally, .. } = &mut self.network;
        ports.iter().zip(&mut tally.queues).for_each(|(port, stats)| port.settle(end, stats));
        self.network.changes.iter_mut().for_each(|change| change.settle(end));
        if let Some(trace) = &mut self.network.tally.trace {
            let owner = |host: &Host| self.sessions[host.session as usize].flows[0];
            let owners: Vec<u32> = self.hosts[self.users..].iter().map(owner).collect();
            trace.finish(end, self.users, &owners);
        }
    }

    /// What does not add up: packets and bytes that entered the network are delivered, lost, waiting or under way, and
    /// each queue's arrivals are its departures, its drops and its change of backlog.
    pub(crate) fn imbalance(&self) -> Option<String> {
        let (mut packets, mut bytes) = (0, 0);
        let overtaken = self.network.changes.iter().filter_map(Change::overtaken).flat_map(Overtaken::iter);
        for packet in self.network.lines.iter().chain(overtaken) {
            packets += 1;
            bytes += u64::from(packet.size);
        }
        for (port, stats) in self.network.ports.iter().zip(&self.network.tally.queues) {
            let backlog = port.queue.backlog();
            packets += u64::from(backlog.packets);
            bytes += backlog.bytes;
            if !stats.is_conserved() {
                return Some(format!("arrivals, departures and drops of link {} do not add up", port.link));
            }
        }
        let tally = &self.network.tally;
        let out = |f: fn(&crate::tally::Amount) -> u64| f(&tally.delivered) + f(&tally.lost);
        if tally.entered.packets != out(|a| a.packets) + packets || tally.entered.bytes != out(|a| a.bytes) + bytes {
            return Some(format!(
                "{:?} entered the network, {:?} were delivered, {:?} lost, {packets} packets of {bytes} bytes remain",
                tally.entered, tally.delivered, tally.lost
            ));
        }
        None
    }
}

fn udp_packet(datagram: &Datagram, now: Time, flow: u32, hop: u32, (dscp, ecn): (u8, Ecn)) -> SimPacket {
    SimPacket {
        stamp: now,
        flow,
        seq: datagram.seq,
        hop,
        extra: datagram.payload,
        size: datagram.size,
        labels: Labels::new(Kind::Udp, ecn, 0),
        dscp,
        epoch: 0,
    }
}

fn note_window(trace: &mut Trace, time: Time, flow: u32, sender: &Sender) {
    let (cwnd, ssthresh) = (sender.cwnd(), sender.ssthresh());
    trace.note_window(WindowRow { time, flow, cwnd, ssthresh });
}

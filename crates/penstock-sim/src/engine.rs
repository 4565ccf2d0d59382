//! The engine: takes the earliest event and lets its source act, until the end of the run.

mod phases;
mod sessions;

use crate::event::EventSource;
use crate::host::{FlowState, Host, Origin, Source};
use crate::network::{ARRIVED, Network, NextAck, SenderNetwork};
use crate::packet::{ECE, Kind, Labels, NO_SACK, RETRANSMISSION, SimPacket};
use crate::probe::sender::SenderSeries;
use crate::routes::{Hop, Lookahead};
use crate::session::{NO_SESSION, Session};
use crate::trace::{Trace, WindowRow};
use crate::traffic::datagram::Datagram;
use crate::traffic::opening::Opening;
use penstock_core::Time;
use penstock_prefetch::prefetch;
use penstock_tcp::{Ack, SackBlock, Sender, SenderCounts};
use sessions::note_handshake;
use std::sync::atomic::{AtomicBool, Ordering};

/// Events between two checks of the flag that stops a run: a millisecond or two.
const EVENTS_BETWEEN_CHECKS: u32 = 8192;

/// A run.
pub(crate) struct Engine {
    pub(crate) network: Network,
    pub(crate) hosts: Vec<Host>,
    /// Counts of each TCP sender at the end of the warm-up; empty without a warm-up.
    pub(crate) before: Vec<SenderCounts>,
    /// For each flow of the scenario, the series of its sender if the sender is watched; empty if no sender is.
    pub(crate) sender_series: Vec<Option<Box<SenderSeries>>>,
    /// Whether the state of senders is recorded after each ACK: for a trace, a series, or a scheme that asks for
    /// round-trip times.
    pub(crate) observes_senders: bool,
    /// The sources of events, by rank in the event queue.
    pub(crate) sources: Vec<EventSource>,
    /// Rank in the event queue of the first flow; the other flows of the scenario follow.
    pub(crate) first_flow: u32,
    /// Number of events so far.
    pub(crate) events: u64,
    /// Time of the last event in builds with debug assertions, which check that time never decreases.
    pub(crate) clock: Time,
    /// Number of flows of the scenario; later ones are further flows of sessions.
    pub(crate) users: usize,
    pub(crate) sessions: Vec<Session>,
    /// Buffer for the connections that a session opens in one action.
    pub(crate) openings: Vec<Opening>,
    /// With more sources than this, the event queue could not represent the times of the run.
    pub(crate) max_sources: usize,
    /// Whether a session needed more sources than `max_sources`.
    pub(crate) overflowed: bool,
}

impl Engine {
    /// Process all events up to and including `end`, unless `stop` becomes true; returns whether `stop` ended the run.
    #[inline]
    pub(crate) fn run(&mut self, end: Time, stop: Option<&AtomicBool>) -> bool {
        let mut until = Time::from_nanos(end.as_nanos().saturating_sub(1));
        loop {
            let processed = self.process(until, EVENTS_BETWEEN_CHECKS);
            self.events += u64::from(processed);
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return true;
            }
            if processed == EVENTS_BETWEEN_CHECKS && !self.overflowed {
                continue;
            }
            if until < end {
                self.cut_transmissions(end);
                until = end;
            } else {
                self.close(end);
                return false;
            }
        }
    }

    /// Like [`Engine::process`], for a run that proceeds in pieces.
    #[inline(never)]
    pub(crate) fn advance(&mut self, until: Time, limit: u32) -> u32 {
        let processed = self.process(until, limit);
        self.events += u64::from(processed);
        if processed < limit {
            self.catch_up(until);
        }
        processed
    }

    /// Execute all deferred work up to and including `until`.
    pub(crate) fn catch_up(&mut self, until: Time) {
        self.network.catch_up(until);
        loop {
            while self.network.ack.at != Time::NEVER {
                self.on_ack();
            }
            if !self.network.offer_next_ack() {
                break;
            }
        }
    }

    /// Time of the next event up to and including `end`.
    pub(crate) fn next_event(&mut self, end: Time) -> Option<Time> {
        self.network.events.set_end(end);
        self.network.events.next().map(|(time, _)| time)
    }

    /// Process at most `limit` events up to and including `end`; returns their number.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    fn process(&mut self, end: Time, limit: u32) -> u32 {
        self.network.events.set_end(end);
        let mut left = limit;
        while left > 0 {
            let Some((now, rank)) = self.network.events.next() else { break };
            if cfg!(debug_assertions) {
                assert!(
                    self.clock <= now,
                    "an event was scheduled in the past: {rank} at {now:?} after {:?}",
                    self.clock
                );
                self.clock = now;
            }
            left -= 1;
            // Most events are arrivals and ends of transmission: recognise them by their rank, without a lookup.
            let line = rank.wrapping_sub(self.network.first_line);
            let lookahead = if line < self.network.lines.count() {
                self.on_arrival(now, line)
            } else {
                let port = rank.wrapping_sub(self.network.first_port) as usize;
                if port < self.network.ports.len() {
                    self.network.on_port_event(port, now);
                } else {
                    self.on_other(now, rank);
                }
                Lookahead::Never
            };
            // The departures of a lazy port may hand over several ACKs; an ACK may unblock the line that it came from.
            loop {
                while self.network.ack.at != Time::NEVER {
                    self.on_ack();
                }
                let unblocks = lookahead == Lookahead::IfLacking;
                if !(self.network.offer_next_ack() || unblocks && self.network.pass_on_unblocked(line)) {
                    break;
                }
            }
        }
        limit - left
    }

    #[inline]
    fn on_other(&mut self, now: Time, rank: u32) {
        // For flows the number follows from the rank, without a lookup in a long table.
        let flow = rank.wrapping_sub(self.first_flow);
        if (flow as usize) < self.users {
            return self.on_sender(now, flow);
        }
        match self.sources[rank as usize] {
            EventSource::ReorderedArrival(changes) => self.on_reordered_arrival(now, changes),
            EventSource::Sender(flow) => self.on_sender(now, flow),
            EventSource::QueueTimer(port) => self.network.on_queue_timer(port as usize, now),
            EventSource::ReceiverTimer(flow) => self.network.on_receiver_timer(now, flow),
            EventSource::Session(session) => self.on_session(now, session),
            EventSource::LinkChange(changes) => self.network.on_link_change(now, changes),
            EventSource::WarmupEnd => self.on_warmup_end(now, rank),
            EventSource::Arrival(_) | EventSource::Transmission(_) => unreachable!("recognised by their rank"),
        }
    }

    /// A packet arrives; returns the lookahead of its hop: [`Lookahead::IfLacking`] means that the next packet may be
    /// unblocked.
    #[inline]
    fn on_arrival(&mut self, now: Time, line: u32) -> Lookahead {
        let mut packet = self.network.take_arrival(line);
        if self.network.fetches {
            self.fetch_next(line);
        }
        let Hop { last, lookahead, delays_acks, .. } = self.network.hops[packet.hop as usize];
        if packet.labels.is_ack() && last {
            self.network.ack = NextAck { at: now, line: ARRIVED, packet };
            return Lookahead::Never;
        }
        if delays_acks {
            self.network.deliver_any(now, &packet);
        } else {
            self.network.arrive(now, line, last, &mut packet);
        }
        lookahead
    }

    /// Fetch what the next arrival on this line will need.
    #[inline(never)]
    fn fetch_next(&self, line: u32) {
        let Network { lines, tally, .. } = &self.network;
        lines.fetch_second(line);
        let Some(next) = lines.first(line) else { return };
        if !next.labels.is_ack() {
            return tally.fetch_flow(next);
        }
        tally.sacks.fetch(next.extra);
        if let Some(host) = self.hosts.get(next.flow as usize) {
            prefetch(host);
        }
    }

    #[cold]
    fn on_reordered_arrival(&mut self, now: Time, changes: u32) {
        let Some(mut packet) = self.network.take_reordered(changes) else { return };
        let Hop { link, last, .. } = self.network.hops[packet.hop as usize];
        if packet.labels.is_ack() && last {
            self.network.ack = NextAck { at: now, line: ARRIVED, packet };
            return;
        }
        let line = self.network.links[link as usize].line;
        self.network.arrive(now, line, last, &mut packet);
    }

    /// Hand the next ACK to its sender. An ACK that will arrive later is handed over now if nothing can happen to the
    /// sender before that time and nothing else waits on the link; otherwise it waits on its delay line. An ACK that ends
    /// the transfer always waits: the connection closes at its arrival, and until then the receiver acknowledges packets.
    #[inline]
    fn on_ack(&mut self) {
        let now = std::mem::replace(&mut self.network.ack.at, Time::NEVER);
        let NextAck { line, ref packet, .. } = self.network.ack;
        let host = &mut self.hosts[packet.flow as usize];
        let Source::Tcp(sender) = &mut host.source else { return };
        if line != ARRIVED {
            let timer = sender.timer().unwrap_or(Time::NEVER);
            let undisturbed = now <= host.lookahead_until && now <= timer && packet.seq < sender.end();
            if !undisturbed || !self.network.lines.is_empty(line) {
                let packet = *packet;
                return self.network.wait_on_line(line, now, &packet);
            }
        }
        let flow = packet.flow;
        self.network.tally.receive(now, packet);
        let blocks;
        let sack: &[SackBlock] = if packet.extra == NO_SACK {
            &[]
        } else {
            blocks = self.network.tally.sacks.take(packet.extra);
            &blocks
        };
        if packet.epoch != host.origin.epoch {
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
        sender.on_ack(now, &ack, &mut SenderNetwork { network, now, origin: &host.origin });
        let timer = sender.timer().unwrap_or(Time::NEVER);
        if timer < host.armed {
            host.armed = timer;
            network.events.bring_forward(host.rank, timer);
        }
        if self.observes_senders {
            if let Some(rtts) = &mut network.facts.rtts {
                rtts[flow as usize] = sender.srtt();
            }
            observe(now, flow, sender, &mut network.tally.trace, &mut self.sender_series);
            note_handshake(&mut self.sessions, host.session, now, flow, ack.ack);
        }
        if host.session != NO_SESSION && sender.finished().is_some() {
            self.on_connection_end(now, flow);
        }
    }

    fn on_sender(&mut self, now: Time, flow: u32) {
        let host = &mut self.hosts[flow as usize];
        let network = &mut self.network;
        let starts = host.state == FlowState::Waiting && host.session == NO_SESSION;
        let stops = host.state == FlowState::Running && now >= host.stop;
        if starts {
            host.state = FlowState::Running;
        } else if stops {
            host.state = FlowState::Stopped;
        }
        let next = match &mut host.source {
            Source::Tcp(sender) => {
                if starts {
                    sender.start(now, &mut SenderNetwork { network, now, origin: &host.origin });
                } else if stops {
                    sender.stop(now);
                }
                if sender.timer().is_some_and(|timer| timer <= now) {
                    sender.on_timer(now, &mut SenderNetwork { network, now, origin: &host.origin });
                }
                if self.observes_senders {
                    observe(now, flow, sender, &mut network.tally.trace, &mut self.sender_series);
                }
                sender.timer().unwrap_or(Time::NEVER)
            }
            Source::Udp(source, at, _) => {
                if starts {
                    *at = now + source.first_gap();
                }
                while host.state == FlowState::Running && *at <= now {
                    let datagram = source.next();
                    *at += datagram.gap;
                    if let Some(frame) = &datagram.frame {
                        network.begin_frame(now, flow, datagram.seq, frame);
                    }
                    network.send(now, udp_packet(&datagram, now, &host.origin));
                }
                if host.state == FlowState::Running { *at } else { Time::NEVER }
            }
        };
        host.armed = if host.state == FlowState::Running { next.min(host.stop) } else { next };
        let rank = host.rank;
        network.events.set(rank, host.armed);
        if network.fetches {
            self.fetch_beside(rank);
        }
    }

    /// Prefetch the flow with the earliest timer among the neighbours of this flow in the event queue: it expires soon.
    #[inline(never)]
    fn fetch_beside(&self, rank: u32) {
        let next = self.network.events.earliest_beside(rank);
        self.network.events.fetch(next);
        if let Some(host) = self.hosts.get(next.wrapping_sub(self.first_flow) as usize) {
            prefetch(host);
        }
    }
}

fn udp_packet(datagram: &Datagram, now: Time, origin: &Origin) -> SimPacket {
    let Origin { flow, first_hop: hop, epoch, .. } = *origin;
    SimPacket {
        stamp: now,
        flow,
        seq: datagram.seq,
        hop,
        extra: datagram.payload,
        size: datagram.size,
        labels: Labels::new(Kind::Udp, datagram.ecn, 0),
        dscp: datagram.dscp,
        epoch,
    }
}

/// Record the state of a sender in the trace and in its series, if they exist.
fn observe(
    time: Time,
    flow: u32,
    sender: &Sender,
    trace: &mut Option<Box<Trace>>,
    series: &mut [Option<Box<SenderSeries>>],
) {
    if let Some(trace) = trace {
        trace.record_window(WindowRow { time, flow, cwnd: sender.cwnd(), ssthresh: sender.ssthresh() });
    }
    if let Some(Some(series)) = series.get_mut(flow as usize) {
        series.record(time, sender);
    }
}

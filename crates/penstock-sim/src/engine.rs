//! The engine: takes the earliest event and lets its source act, until the end of the run.

mod connections;
mod phases;

use crate::event::EventSource;
use crate::hop::Lookahead;
use crate::host::{FlowState, Gate, Host, Source};
use crate::network::Network;
use crate::packet::{ECE, Kind, Labels, NO_SACK, RETRANSMISSION, SimPacket};
use crate::probe::sender::SenderSeries;
use crate::session::{NO_SESSION, Session};
use crate::trace::{Trace, WindowRow};
use crate::traffic::datagram::Datagram;
use crate::traffic::opening::Opening;
use penstock_core::{Ecn, Time};
use penstock_tcp::{Ack, SackBlock, Sender, SenderCounts};
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
    /// The sources of events, by rank in the event queue.
    pub(crate) sources: Vec<EventSource>,
    /// Number of events so far.
    pub(crate) events: u64,
    /// Number of flows of the scenario; later ones are further flows of sessions.
    pub(crate) users: usize,
    pub(crate) sessions: Vec<Session>,
    /// Buffer for the connections that a session opens in one action.
    pub(crate) openings: Vec<Opening>,
    /// With more sources than this the event queue could not hold the times of the run.
    pub(crate) max_sources: usize,
    /// Whether a session needed more sources than `max_sources`.
    pub(crate) overflowed: bool,
}

impl Engine {
    /// Process all events up to and including `end`, unless `stop` becomes true; returns whether `stop` ended the run.
    #[expect(clippy::inline_always, reason = "measured: 15 instructions a packet of 1600")]
    #[inline(always)]
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

    /// Process at most `limit` events up to and including `end`; returns their number.
    #[inline]
    fn process(&mut self, end: Time, limit: u32) -> u32 {
        for processed in 0..limit {
            let Some((now, rank)) = self.network.events.first().filter(|(now, _)| *now <= end) else {
                return processed;
            };
            // Most events are arrivals: recognise them by their rank, without a lookup.
            let line = rank.wrapping_sub(self.network.first_line);
            if line < self.network.lines.count() {
                self.on_arrival(now, line);
            } else {
                self.on_other(now, rank);
            }
            while self.network.early_ack_at != Time::NEVER {
                self.on_early_ack();
            }
        }
        limit
    }

    #[inline]
    fn on_other(&mut self, now: Time, rank: u32) {
        match self.sources[rank as usize] {
            EventSource::Arrival(line) => self.on_arrival(now, line),
            EventSource::ReorderedArrival(changes) => self.on_reordered_arrival(now, changes),
            EventSource::Transmission(port) => self.network.serve(port as usize, now),
            EventSource::Flow(flow) => self.on_flow(now, flow),
            EventSource::QueueTimer(port) => self.network.on_queue_timer(port as usize, now),
            EventSource::ReceiverTimer(flow) => self.network.on_receiver_timer(now, flow),
            EventSource::Session(session) => self.on_session(now, session),
            EventSource::LinkChange(changes) => self.network.on_link_change(now, changes),
            EventSource::WarmupEnd => self.on_warmup_end(now, rank),
        }
    }

    /// An ACK will reach its sender at a later time. The ACK is processed now if nothing can happen to the sender
    /// before that time and nothing else waits on the link; otherwise it waits on its delay line. An ACK that ends the
    /// transfer always waits: the connection closes at its arrival, and until then the receiver acknowledges packets.
    #[inline]
    fn on_early_ack(&mut self) {
        let time = std::mem::replace(&mut self.network.early_ack_at, Time::NEVER);
        let packet = self.network.early_ack;
        let host = &self.hosts[packet.flow as usize];
        let Source::Tcp(sender) = &host.source else { return };
        let timer = sender.timer().unwrap_or(Time::NEVER);
        let ends = packet.seq >= sender.end();
        if time <= host.lookahead_until && time <= timer && !ends && self.network.is_first(&packet) {
            self.on_ack(time, &packet);
        } else {
            self.network.schedule_on_its_line(time, &packet);
        }
    }

    #[expect(clippy::inline_always, reason = "measured: 30 instructions a packet of 1600")]
    #[inline(always)]
    fn on_arrival(&mut self, now: Time, line: u32) {
        let mut packet = self.network.take_arrival(line);
        if packet.labels.is_ack() && self.network.is_on_last_hop(&packet) {
            return self.on_ack(now, &packet);
        }
        let blocked_others = self.network.tally.hops[packet.hop as usize].lookahead == Lookahead::IfLacking;
        self.network.arrive(now, &mut packet);
        if blocked_others {
            self.release(line);
        }
    }

    /// Pass on the packets that waited on this delay line only for the packet that has just arrived. Otherwise, on a
    /// link that is never idle, all later packets would have to wait for events.
    #[cold]
    fn release(&mut self, line: u32) {
        loop {
            while self.network.early_ack_at != Time::NEVER {
                self.on_early_ack();
            }
            let Some((arrival, mut packet)) = self.network.take_unblocked(line) else { return };
            self.network.arrive(arrival, &mut packet);
        }
    }

    #[cold]
    fn on_reordered_arrival(&mut self, now: Time, changes: u32) {
        let Some(mut packet) = self.network.take_reordered(changes) else { return };
        if packet.labels.is_ack() && self.network.is_on_last_hop(&packet) {
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
            network.events.set(host.rank, timer);
        }
        if let Some(rtt) = network.facts.rtts.get_mut(packet.flow as usize) {
            *rtt = sender.srtt();
        }
        if let Some(trace) = &mut network.tally.trace {
            record_window(trace, now, packet.flow, sender);
        }
        if let Some(Some(series)) = self.sender_series.get_mut(packet.flow as usize) {
            series.record(now, sender);
        }
        if host.session != NO_SESSION && sender.finished().is_some() {
            self.on_connection_end(now, packet.flow);
        }
    }

    fn on_flow(&mut self, now: Time, flow: u32) {
        let host = &mut self.hosts[flow as usize];
        let network = &mut self.network;
        let (hop, dscp, epoch) = (host.hop, host.dscp, host.epoch);
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
                    sender.start(now, &mut Gate { network, now, flow, hop, dscp, epoch });
                } else if stops {
                    sender.stop(now);
                }
                if sender.timer().is_some_and(|timer| timer <= now) {
                    sender.on_timer(now, &mut Gate { network, now, flow, hop, dscp, epoch });
                }
                if let Some(trace) = &mut network.tally.trace {
                    record_window(trace, now, flow, sender);
                }
                if let Some(Some(series)) = self.sender_series.get_mut(flow as usize) {
                    series.record(now, sender);
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
                    network.send(now, udp_packet(&datagram, now, flow, hop, (dscp, source.ecn)));
                }
                if host.state == FlowState::Running { *at } else { Time::NEVER }
            }
        };
        host.armed = if host.state == FlowState::Running { next.min(host.stop) } else { next };
        network.events.set(host.rank, host.armed);
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

fn record_window(trace: &mut Trace, time: Time, flow: u32, sender: &Sender) {
    let (cwnd, ssthresh) = (sender.cwnd(), sender.ssthresh());
    trace.record_window(WindowRow { time, flow, cwnd, ssthresh });
}

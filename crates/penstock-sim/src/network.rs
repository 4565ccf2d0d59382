//! The network between the senders: links, queues, delay lines, and the receivers.

mod acks;
mod adjust;
mod changes;
mod device;
mod foreseen;
mod late;

pub(crate) use acks::{ARRIVED, NextAck};
pub(crate) use late::Late;

use crate::changing_link::ChangingLink;
use crate::delay_lines::DelayLines;
use crate::event_queue::EventQueue;
use crate::flow::FlowFacts;
use crate::hop::{COMPUTED, Hop, Lookahead, UNFORESEEN};
use crate::link::Link;
use crate::packet::SimPacket;
use crate::port::{Outlet, Port, STEADY, State, Trail};
use crate::tally::Tally;
use crate::traffic::datagram::NewFrame;
use penstock_core::Time;
use std::collections::VecDeque;

/// The network between the senders.
pub(crate) struct Network {
    pub(crate) events: EventQueue,
    pub(crate) links: Vec<Link>,
    pub(crate) ports: Vec<Port>,
    /// The links that change during the run.
    pub(crate) changes: Vec<ChangingLink>,
    pub(crate) lines: DelayLines,
    /// Rank of the head of the first delay line in the event queue; those of the others follow.
    pub(crate) first_line: u32,
    /// Rank of the transmissions of the first port; those of the others follow.
    pub(crate) first_port: u32,
    pub(crate) tally: Tally,
    pub(crate) facts: FlowFacts,
    /// Whether the state of flows is fetched ahead of its use: there are so many that it does not fit into the caches.
    pub(crate) fetches: bool,
    /// The ACK that the engine hands to its sender after the event at hand.
    pub(crate) ack: NextAck,
    /// ACKs that the engine hands over after that one: those of several late departures.
    pub(crate) more_acks: VecDeque<NextAck>,
}

impl Network {
    /// A host sends a packet into the network at its first hop.
    #[expect(clippy::inline_always, reason = "measured: the fields of a new packet stay in registers")]
    #[inline(always)]
    pub(crate) fn send(&mut self, now: Time, packet: SimPacket) {
        self.enter(now, &packet);
        let Hop { link, port, lookahead, .. } = self.tally.hops[packet.hop as usize];
        if port == COMPUTED && matches!(lookahead, Lookahead::Never | Lookahead::NeverBeforeLate) {
            // Most often. The packet goes to its line in pieces, from registers: the processor would wait until it can copy
            // together what was just written in pieces.
            let (arrival, line) = self.links[link as usize].cross(now, packet.size);
            return self.schedule_arrival(line, arrival, &packet);
        }
        self.forward(now, &mut { packet });
    }

    /// The next datagram of this flow, number `seq`, is the first of a frame.
    #[cold]
    pub(crate) fn begin_frame(&mut self, now: Time, flow: u32, seq: u32, frame: &NewFrame) {
        if let Some(frames) = self.tally.frames.get_mut(flow as usize) {
            frames.begin(seq, frame, self.tally.window.contains(now));
        }
        if let Some(units) = self.facts.units.get_mut(flow as usize) {
            units.push((seq, frame.unit, frame.kind.priority()));
        }
    }

    #[inline]
    fn enter(&mut self, now: Time, packet: &SimPacket) {
        self.tally.under_way.add(packet);
        if let Some(trace) = &mut self.tally.trace {
            trace.send(now, &{ *packet });
        }
    }

    /// The packet reaches the link of its hop at `now`.
    #[expect(clippy::inline_always, reason = "measured: a packet reaches its queue with one call less")]
    #[inline(always)]
    fn forward(&mut self, now: Time, packet: &mut SimPacket) {
        match self.tally.hops[packet.hop as usize].port {
            COMPUTED => self.cross(now, packet),
            port => self.enqueue(port, now, packet),
        }
    }

    /// The packet reaches a computed link at `now`. Follow it over computed links up to its receiver, a queue or an event.
    #[inline(never)]
    fn cross(&mut self, mut now: Time, packet: &mut SimPacket) {
        // Only these fields: the compiler takes a copy of the whole hop apart at every use.
        let Hop { mut link, mut last, mut lookahead, .. } = self.tally.hops[packet.hop as usize];
        loop {
            let line;
            (now, line) = self.links[link as usize].cross(now, packet.size);
            if !self.passes_on(line, lookahead, packet) {
                return self.schedule_arrival(line, now, packet);
            }
            if last {
                return self.finish(now, line, packet);
            }
            packet.hop += 1;
            let port;
            Hop { link, port, last, lookahead, .. } = self.tally.hops[packet.hop as usize];
            if port != COMPUTED {
                return self.enqueue(port, now, packet);
            }
        }
    }

    /// Whether this packet is passed on as soon as its arrival at the far end of the link of this delay line is known.
    #[inline]
    fn passes_on(&self, line: u32, lookahead: Lookahead, packet: &SimPacket) -> bool {
        lookahead == Lookahead::Always
            || (lookahead == Lookahead::IfLacking && self.is_first_and_lacking(line, &{ *packet }))
    }

    /// Whether no packet waits ahead of this one on its delay line `line`, and the receiver at the end of the link, if there
    /// is one, lacks the packet.
    #[inline(never)]
    fn is_first_and_lacking(&self, line: u32, packet: &SimPacket) -> bool {
        self.lines.is_empty(line) && self.tally.is_lacking(packet)
    }

    /// A packet that had to wait on this delay line has arrived at its receiver. If the next packet waited only for this
    /// arrival, pass it on; returns whether it did. Otherwise, on a link that is never idle, all later packets would have to
    /// wait for events.
    #[cold]
    pub(crate) fn pass_on_unblocked(&mut self, line: u32) -> bool {
        let Some(arrival) = self.events.time_of(self.first_line + line) else { return false };
        let Some(packet) = self.lines.first(line) else { return false };
        let Hop { last, lookahead, .. } = self.tally.hops[packet.hop as usize];
        let unblocked = lookahead == Lookahead::IfLacking && self.tally.is_lacking(packet);
        if unblocked {
            let mut packet = self.take_arrival(line);
            self.arrive(arrival, line, last, &mut packet);
        }
        unblocked
    }

    /// The packet is at the end of its route, behind the link of this delay line: hand it over to its receiver or, an ACK, to its
    /// sender.
    #[expect(clippy::inline_always, reason = "measured: 30 instructions a packet of 1700")]
    #[inline(always)]
    fn finish(&mut self, now: Time, line: u32, packet: &SimPacket) {
        if packet.labels.is_ack() {
            self.hand_over_ack(now, line, packet);
        } else {
            self.deliver(now, packet);
        }
    }

    /// As [`Network::finish`], out of line.
    #[inline(never)]
    fn finish_apart(&mut self, now: Time, line: u32, packet: &SimPacket) {
        self.finish(now, line, packet);
    }

    /// As [`Network::schedule_arrival`], out of line.
    #[cold]
    #[inline(never)]
    pub(crate) fn wait_on_line(&mut self, line: u32, arrival: Time, packet: &SimPacket) {
        self.schedule_arrival(line, arrival, packet);
    }

    /// Schedule the arrival of the packet at the end of this delay line.
    #[expect(clippy::inline_always, reason = "measured: 40 instructions a packet of 1800")]
    #[inline(always)]
    fn schedule_arrival(&mut self, line: u32, arrival: Time, packet: &SimPacket) {
        if self.lines.push(line, arrival, packet) {
            self.events.insert(self.first_line + line, arrival);
        }
    }

    /// Remove the packet that has arrived from the head of this delay line. The caller passes it on.
    #[expect(clippy::inline_always, reason = "measured: 30 instructions a packet of 1600")]
    #[inline(always)]
    pub(crate) fn take_arrival(&mut self, line: u32) -> SimPacket {
        let (packet, next) = self.lines.pop(line);
        self.events.set(self.first_line + line, next);
        packet
    }

    /// The packet is at the far end of the link of this delay line: pass it on to the next hop or to its receiver. (The
    /// engine handles ACKs that reach their sender.)
    #[expect(clippy::inline_always, reason = "measured: 20 instructions a packet of 1700")]
    #[inline(always)]
    pub(crate) fn arrive(&mut self, now: Time, line: u32, last: bool, packet: &mut SimPacket) {
        if last {
            return self.finish_apart(now, line, packet);
        }
        packet.hop += 1;
        self.forward(now, packet);
    }

    /// The packet reaches a queue, that of the port of a hop, at `now`.
    #[expect(clippy::inline_always, reason = "measured: 20 instructions a packet of 1600")]
    #[inline(always)]
    fn enqueue(&mut self, port: u32, now: Time, packet: &mut SimPacket) {
        if port & UNFORESEEN == 0 {
            self.enqueue_foreseen(port as usize, now, packet);
        } else {
            self.enqueue_unforeseen((port & !UNFORESEEN) as usize, now, packet);
        }
    }

    /// As [`Network::enqueue`], at a port whose departures are foreseen.
    #[inline(never)]
    fn enqueue_foreseen(&mut self, number: usize, now: Time, packet: &mut SimPacket) {
        let Self { ports, tally, facts, .. } = self;
        let port = &mut ports[number];
        if port.loss.is_some() && tally.is_lost(number, now, port, packet) {
            return;
        }
        if port.foresee(number, now, tally, facts, packet).is_some_and(|queued| queued) {
            self.cross(now, packet);
        }
    }

    /// As [`Network::enqueue`], at a port whose departures are not foreseen.
    #[inline(never)]
    fn enqueue_unforeseen(&mut self, number: usize, now: Time, packet: &mut SimPacket) {
        let Self { ports, tally, facts, events, .. } = self;
        let port = &mut ports[number];
        if port.late.is_some() {
            return self.enqueue_late(number, now, packet);
        }
        if port.loss.is_some() && tally.is_lost(number, now, port, packet) {
            return;
        }
        if let Some(trace) = &mut tally.trace {
            trace.arrive(now, port.outlet.link, packet);
        }
        port.operate(number, now, tally, facts, |queue, env| queue.enqueue(env, *packet));
        port.update_timer(events);
        if port.state != State::Busy {
            self.serve(number, now);
        } else if port.device.is_some() {
            self.fill_device(number, now);
        }
    }

    /// The transmitter is free: start the next transmission, if the queue has a packet.
    pub(crate) fn serve(&mut self, number: usize, now: Time) {
        let Self { ports, tally, facts, events, .. } = self;
        let port = &mut ports[number];
        if port.late.is_some() {
            return self.on_late(number, now);
        }
        if port.device.is_some() {
            return self.serve_device(number, now);
        }
        #[expect(clippy::redundant_closure_for_method_calls, reason = "measured: the method itself is not inlined")]
        let next = port.operate(number, now, tally, facts, |queue, env| queue.dequeue(env));
        port.update_timer(events);
        let Some(mut packet) = port.take(next, events) else { return };
        let outlet = port.outlet;
        self.transmit(outlet, now, &mut packet);
    }

    /// Send the packet from this outlet.
    #[expect(clippy::inline_always, reason = "measured: 20 instructions a packet of 1700")]
    #[inline(always)]
    fn transmit(&mut self, outlet: Outlet, now: Time, packet: &mut SimPacket) {
        if outlet.changes != STEADY {
            let end = self.transmit_on_changing_link(now, outlet.changes, packet);
            return self.events.set(outlet.rank, end);
        }
        let link = &mut self.links[outlet.link as usize];
        let end = now + link.transmitter.transmission(packet.size);
        let (arrival, line) = (end + link.delay, link.line);
        self.events.set(outlet.rank, end);
        self.propagate(arrival, line, packet);
    }

    /// The packet will be at the far end of its link at `arrival`: pass it on, or let it wait on this delay line.
    #[expect(clippy::inline_always, reason = "measured: 15 instructions a packet of 1700")]
    #[inline(always)]
    fn propagate(&mut self, arrival: Time, line: u32, packet: &mut SimPacket) {
        let Hop { last, lookahead, .. } = self.tally.hops[packet.hop as usize];
        if self.passes_on(line, lookahead, packet) {
            self.arrive(arrival, line, last, packet);
        } else {
            self.schedule_arrival(line, arrival, packet);
        }
    }

    /// The part of the packet in transmission behind this port that is unsent at `now`, in 1e-9 bits.
    pub(crate) fn unsent(&self, number: usize, now: Time) -> u128 {
        let port = &self.ports[number];
        if let Some(Trail { transmitter, free_at, .. }) = &port.trail {
            return if *free_at == Time::NEVER { 0 } else { transmitter.unsent(free_at.since(now)) };
        }
        match self.changes.get(port.outlet.changes as usize) {
            Some(changing) => changing.changes.unsent(now),
            None if port.state == State::Busy => {
                let event = || self.events.time_of(port.outlet.rank).unwrap_or(now);
                let end = port.late.map_or_else(event, |late| late.free_at);
                self.links[port.outlet.link as usize].transmitter.unsent(end.since(now))
            }
            None => 0,
        }
    }

    /// The timer of this port's discipline expires.
    pub(crate) fn on_queue_timer(&mut self, number: usize, now: Time) {
        self.depart_until(number, now);
        let port = &mut self.ports[number];
        port.operate(number, now, &mut self.tally, &self.facts, |queue, mut env| queue.on_timeout(&mut env));
        self.events.set(port.timer_rank, port.queue.next_timeout().unwrap_or(Time::NEVER));
    }
}

//! The network between the senders: links, queues, delay lines, and the receivers.
//!
//! `send` takes a packet from a host and `forward` brings it to the link of its hop: over computed links at once (`cross`,
//! `follow`), elsewhere into the queue of a port (`enqueue`). A port returns how a departing packet crosses its link; `pass_on`
//! then lets it wait on the delay line (`schedule_arrival`) or, where nothing else can happen before, treats it as arrived
//! (`arrive`). At the end of its route, `finish` hands it to its receiver or, an ACK, to the engine.

mod acks;
mod changes;
mod sender_network;

pub(crate) use acks::{ARRIVED, NextAck};
pub(crate) use sender_network::SenderNetwork;

use crate::changing_link::ChangingLink;
use crate::delay_lines::DelayLines;
use crate::event_queue::EventQueue;
use crate::flow::FlowFacts;
use crate::hop::{COMPUTED, Hop, Lookahead, NOT_PRECOMPUTED};
use crate::link::Link;
use crate::packet::SimPacket;
use crate::port::{Crossing, Mode, Port, Surroundings};
use crate::tally::Tally;
use crate::traffic::datagram::NewFrame;
use penstock_aqm::Next;
use penstock_core::Time;
use std::collections::VecDeque;

/// The network between the senders.
pub(crate) struct Network {
    pub(crate) events: EventQueue,
    /// The hops of all routes.
    pub(crate) hops: Vec<Hop>,
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
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    pub(crate) fn send(&mut self, now: Time, packet: SimPacket) {
        self.enter(now, &packet);
        let Hop { link, port, lookahead, .. } = self.hops[packet.hop as usize];
        if port == COMPUTED && lookahead == Lookahead::Never {
            // The most frequent case. The packet is stored on its line field by field, from registers: copying it as a
            // whole, right after its fields were written, would cause a store-forwarding stall.
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
    #[inline]
    fn forward(&mut self, now: Time, packet: &mut SimPacket) {
        match self.hops[packet.hop as usize].port {
            COMPUTED => self.cross(now, packet),
            port => self.enqueue(port, now, packet),
        }
    }

    /// The packet reaches a computed link at `now`.
    #[inline(never)]
    fn cross(&mut self, now: Time, packet: &mut SimPacket) {
        let link = self.hops[packet.hop as usize].link;
        let (arrival, line) = self.links[link as usize].cross(now, packet.size);
        self.follow(arrival, line, packet);
    }

    /// At `arrival` the packet will be at the far end of its hop's link, whose delay line is `line`. Follow it over
    /// computed links up to its receiver or an event.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    fn follow(&mut self, mut arrival: Time, mut line: u32, packet: &mut SimPacket) {
        // Copying the whole hop defeats scalar replacement.
        let Hop { mut last, mut lookahead, .. } = self.hops[packet.hop as usize];
        loop {
            if !self.passes_on(line, lookahead, packet) {
                return self.schedule_arrival(line, arrival, packet);
            }
            if last {
                return self.finish(arrival, line, packet);
            }
            packet.hop += 1;
            let (link, port);
            Hop { link, port, last, lookahead, .. } = self.hops[packet.hop as usize];
            // A queue sees its packets at the time of their arrival, never ahead of it.
            debug_assert!(port == COMPUTED, "a packet was passed on to a queue ahead of time");
            (arrival, line) = self.links[link as usize].cross(arrival, packet.size);
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
        self.lines.is_empty(line) && self.is_lacking(packet)
    }

    /// Whether the receiver at the end of this link lacks the packet. Also true if there is no receiver or the connection is
    /// closed: nothing is acknowledged then.
    #[inline]
    fn is_lacking(&self, packet: &SimPacket) -> bool {
        let flow = &self.tally.flows[packet.flow as usize];
        let acknowledged = self.hops[packet.hop as usize].last && packet.epoch == flow.epoch;
        !acknowledged || flow.receiver.as_ref().is_some_and(|receiver| receiver.lacks(packet.seq))
    }

    /// A packet that had to wait on this delay line has arrived at its receiver. If the next packet waited only for this
    /// arrival, pass it on; returns whether it did. Otherwise, on a link that is never idle, all later packets would have to
    /// wait for events.
    #[cold]
    pub(crate) fn pass_on_unblocked(&mut self, line: u32) -> bool {
        let Some(arrival) = self.events.time_of(self.first_line + line) else { return false };
        let Some(packet) = self.lines.first(line) else { return false };
        let Hop { last, lookahead, .. } = self.hops[packet.hop as usize];
        let unblocked = lookahead == Lookahead::IfLacking && self.is_lacking(packet);
        if unblocked {
            let mut packet = self.take_arrival(line);
            self.arrive(arrival, line, last, &mut packet);
        }
        unblocked
    }

    /// The packet is at the end of its route, behind the link of this delay line: hand it over to its receiver or, an ACK, to its
    /// sender.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
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
    #[inline]
    fn schedule_arrival(&mut self, line: u32, arrival: Time, packet: &SimPacket) {
        if self.lines.push(line, arrival, packet) {
            self.events.bring_forward(self.first_line + line, arrival);
        }
    }

    /// Remove the packet that has arrived from the head of this delay line. The caller passes it on.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    pub(crate) fn take_arrival(&mut self, line: u32) -> SimPacket {
        let (packet, next) = self.lines.pop(line);
        self.events.set(self.first_line + line, next);
        packet
    }

    /// The packet is at the far end of the link of this delay line: pass it on to the next hop or to its receiver. (The
    /// engine handles ACKs that reach their sender.)
    #[inline]
    pub(crate) fn arrive(&mut self, now: Time, line: u32, last: bool, packet: &mut SimPacket) {
        if last {
            return self.finish_apart(now, line, packet);
        }
        packet.hop += 1;
        self.forward(now, packet);
    }

    /// The packet reaches the queue of its hop's port at `now`.
    #[inline]
    fn enqueue(&mut self, port: u32, now: Time, packet: &mut SimPacket) {
        if port & NOT_PRECOMPUTED == 0 {
            self.enqueue_precomputed(port as usize, now, packet);
        } else {
            self.enqueue_at((port & !NOT_PRECOMPUTED) as usize, now, packet);
        }
    }

    /// As [`Network::enqueue`], at a precomputed port.
    #[inline(never)]
    fn enqueue_precomputed(&mut self, number: usize, now: Time, packet: &mut SimPacket) {
        let (Port { queue, mode }, mut around) = self.at_port(number);
        if queue.is_lost(now, around.tally, packet) {
            return;
        }
        let Mode::Precomputed(precomputed) = mode else { return };
        if let Some(Crossing { arrival, line }) = precomputed.arrive(queue, now, packet, &mut around) {
            self.follow(arrival, line, packet);
        }
    }

    /// As [`Network::enqueue`], at a lazy or event-driven port.
    #[inline(never)]
    fn enqueue_at(&mut self, number: usize, now: Time, packet: &mut SimPacket) {
        self.depart_until(number, now);
        let (Port { queue, mode }, mut around) = self.at_port(number);
        if queue.is_lost(now, around.tally, packet) {
            return;
        }
        match mode {
            Mode::Lazy(lazy) => {
                if lazy.arrive(queue, now, packet, &mut around) {
                    self.depart_out_of_line(number, now);
                    self.set_deadline(number);
                }
            }
            Mode::Evented(evented) => {
                if evented.arrive(queue, now, packet, &mut around) {
                    self.serve(number, now);
                }
            }
            Mode::Precomputed(_) => unreachable!("`enqueue_precomputed` serves precomputed ports"),
        }
    }

    /// Execute all deferred departures from port `number` up to and including `until`.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 10 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    fn depart_until(&mut self, number: usize, until: Time) {
        let mut now = self.ports[number].deferred();
        while now <= until {
            now = self.depart(number, now);
        }
    }

    /// As [`Network::depart`], out of line.
    #[inline(never)]
    fn depart_out_of_line(&mut self, number: usize, now: Time) {
        self.depart(number, now);
    }

    /// The transmitter of the lazy port `number` asks for the next packet at `now`; returns when it will ask again.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 10 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    fn depart(&mut self, number: usize, now: Time) -> Time {
        let (Port { queue, mode }, mut around) = self.at_port(number);
        let Mode::Lazy(lazy) = mode else { return Time::NEVER };
        let (discipline, env) = queue.begin(now, &mut around);
        let mut next = discipline.dequeue(env);
        let crossing = lazy.answer(queue, now, &next, &mut around);
        let free_at = lazy.free_at();
        if let (Some(crossing), Next::Send(packet)) = (crossing, &mut next) {
            self.pass_on(crossing, packet);
        }
        free_at
    }

    /// Execute all deferred departures, up to and including `until`.
    pub(crate) fn catch_up(&mut self, until: Time) {
        for number in 0..self.ports.len() {
            let (Port { queue, mode }, mut around) = self.at_port(number);
            match mode {
                Mode::Precomputed(precomputed) => precomputed.catch_up(queue, until, &mut around),
                Mode::Lazy(_) => self.depart_until(number, until),
                Mode::Evented(_) => {}
            }
        }
    }

    /// The event of port `number`: its transmitter is free, its device queue can be filled, or a deferred departure has reached
    /// its deadline.
    #[inline(never)]
    pub(crate) fn serve(&mut self, number: usize, now: Time) {
        let (Port { queue, mode }, mut around) = self.at_port(number);
        let Mode::Evented(evented) = mode else { return self.on_deadline(number, now) };
        if evented.refill(queue, now, &mut around) {
            return;
        }
        let mut next = evented.dequeue(queue, now, &mut around);
        let crossing = evented.answer(queue, now, &next, &mut around);
        if let (Some(crossing), Next::Send(packet)) = (crossing, &mut next) {
            self.pass_on(crossing, packet);
        }
    }

    /// A departure from the lazy port `number` has been deferred as long as it may.
    #[inline(never)]
    fn on_deadline(&mut self, number: usize, now: Time) {
        self.depart_until(number, now);
        let Self { ports, links, events, .. } = self;
        let Port { queue, mode } = &mut ports[number];
        if let Mode::Lazy(lazy) = mode {
            lazy.renew_deadline(queue, links, events);
        }
    }

    /// Schedule the deadline of the next departure from the lazy port `number`.
    #[inline(never)]
    fn set_deadline(&mut self, number: usize) {
        let Self { ports, links, events, .. } = self;
        let Port { queue, mode } = &mut ports[number];
        if let Mode::Lazy(lazy) = mode {
            lazy.set_deadline(queue, links, events);
        }
    }

    /// A packet leaves a port: pass it on, or put it on its delay line.
    #[inline]
    fn pass_on(&mut self, Crossing { arrival, line }: Crossing, packet: &mut SimPacket) {
        let Hop { last, lookahead, .. } = self.hops[packet.hop as usize];
        if self.passes_on(line, lookahead, packet) {
            self.arrive(arrival, line, last, packet);
        } else {
            self.schedule_arrival(line, arrival, packet);
        }
    }

    /// The port of this number, and the parts of the network that its operations read and change.
    #[inline]
    fn at_port(&mut self, number: usize) -> (&mut Port, Surroundings<'_>) {
        let Self { ports, links, changes, events, tally, facts, .. } = self;
        (&mut ports[number], Surroundings { links, changes, events, tally, facts })
    }

    /// The part of the packet in transmission behind this port that is unsent at `now`, in 1e-9 bits.
    pub(crate) fn unsent(&self, number: usize, now: Time) -> u128 {
        self.ports[number].unsent(now, &self.links, &self.changes)
    }

    /// The timer of this port's discipline expires.
    pub(crate) fn on_queue_timer(&mut self, number: usize, now: Time) {
        self.depart_until(number, now);
        let (Port { queue, .. }, mut around) = self.at_port(number);
        let (discipline, mut env) = queue.begin(now, &mut around);
        discipline.on_timeout(&mut env);
        queue.set_timer(around.events);
    }
}

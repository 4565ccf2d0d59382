//! The network between the senders: links, queues, delay lines, and the receivers.

mod changes;
mod device;

use crate::delay_lines::DelayLines;
use crate::event_queue::EventQueue;
use crate::flow::{FlowFacts, NO_TIMER};
use crate::hop::{Hop, Lookahead};
use crate::link::Link;
use crate::link_changes::LinkChanges;
use crate::loss::Loss;
use crate::packet::SimPacket;
use crate::port::{Port, STEADY, State};
use crate::tally::Tally;
use crate::traffic::datagram::NewFrame;
use penstock_aqm::Next;
use penstock_core::Time;

/// The network between the senders.
pub(crate) struct Network {
    pub(crate) events: EventQueue,
    pub(crate) links: Vec<Link>,
    pub(crate) ports: Vec<Port>,
    /// The changes of the links that change during the run.
    pub(crate) changes: Vec<LinkChanges>,
    pub(crate) lines: DelayLines,
    /// Rank of the head of the first delay line in the event queue; those of the others follow.
    pub(crate) first_line: u32,
    pub(crate) tally: Tally,
    pub(crate) facts: FlowFacts,
    /// An ACK whose arrival at its sender is known ahead of time; the engine takes it from here.
    pub(crate) early_ack: SimPacket,
    /// Arrival of the early ACK; [`Time::NEVER`] if there is none.
    pub(crate) early_ack_at: Time,
}

impl Network {
    /// A host sends a packet into the network at its first hop.
    #[inline]
    pub(crate) fn send(&mut self, now: Time, mut packet: SimPacket) {
        self.enter(now, &packet);
        self.forward(now, &mut packet);
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
        self.tally.entered.add(packet);
        if let Some(trace) = &mut self.tally.trace {
            trace.send(now, packet);
        }
    }

    /// The packet reaches the link of its hop at `now`. Follow the packet, and then its ACK, over computed links up to
    /// a queue or an event.
    fn forward(&mut self, mut now: Time, packet: &mut SimPacket) {
        loop {
            let hop = self.tally.hops[packet.hop as usize];
            let link = &mut self.links[hop.link as usize];
            if let Some(port) = link.port() {
                return self.enqueue(port, now, packet);
            }
            let end = now.max(link.free_at) + link.transmitter.transmission(packet.size);
            link.free_at = end;
            now = end + link.delay;
            let line = link.line;
            if !self.passes_on(hop, packet) {
                return self.schedule_arrival(line, now, packet);
            }
            if !self.next_leg(now, hop, packet) {
                return;
            }
        }
    }

    /// Whether this packet is passed on as soon as its arrival at the far end of its link is known.
    #[inline]
    fn passes_on(&self, hop: Hop, packet: &SimPacket) -> bool {
        match hop.lookahead {
            Lookahead::Never => false,
            Lookahead::IfLacking => self.is_first_and_lacking(packet),
            Lookahead::Always => true,
        }
    }

    /// Whether no packet waits ahead of this one on its link, and the receiver at the end of the link, if there is one,
    /// lacks the packet.
    #[inline(never)]
    fn is_first_and_lacking(&self, packet: &SimPacket) -> bool {
        self.is_first(packet) && self.tally.is_lacking(packet)
    }

    /// A packet that had to wait on this delay line has arrived at its receiver. If the next packet waited only for
    /// this arrival, remove it from the line and return it with its arrival time; the caller passes it on.
    pub(crate) fn take_unblocked(&mut self, line: u32) -> Option<(Time, SimPacket)> {
        let (arrival, packet) = (self.events.time_of(self.first_line + line)?, self.lines.first(line)?);
        let hop = self.tally.hops[packet.hop as usize];
        let unblocked = hop.lookahead == Lookahead::IfLacking && self.tally.is_lacking(packet);
        unblocked.then(|| (arrival, self.take_arrival(line)))
    }

    /// The packet is at the far end of its link: move it to its next hop or, at the receiver, turn it into its ACK at
    /// the first hop of the ACK's route. Returns false if the packet ends here.
    #[expect(clippy::inline_always, reason = "measured: 30 instructions a packet of 1700")]
    #[inline(always)]
    fn next_leg(&mut self, now: Time, hop: Hop, packet: &mut SimPacket) -> bool {
        if hop.last {
            if !packet.labels.is_ack() {
                return self.deliver(now, packet);
            }
            self.hand_over_ack(now, packet);
            return false;
        }
        packet.hop += 1;
        true
    }

    /// Offer an acknowledgement that will reach its sender at `arrival` to the engine.
    #[inline]
    fn hand_over_ack(&mut self, arrival: Time, packet: &SimPacket) {
        if self.early_ack_at != Time::NEVER {
            return self.schedule_on_its_line(arrival, packet);
        }
        (self.early_ack_at, self.early_ack) = (arrival, *packet);
    }

    /// Schedule the arrival of the packet at the far end of its link.
    pub(crate) fn schedule_on_its_line(&mut self, arrival: Time, packet: &SimPacket) {
        let line = self.line_of(packet);
        self.schedule_arrival(line, arrival, packet);
    }

    /// Whether the delay line of this packet's link is empty.
    #[inline]
    pub(crate) fn is_first(&self, packet: &SimPacket) -> bool {
        self.lines.is_empty(self.line_of(packet))
    }

    #[inline]
    fn line_of(&self, packet: &SimPacket) -> u32 {
        self.links[self.tally.hops[packet.hop as usize].link as usize].line
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

    /// The packet is at the far end of its link: pass it on to the next hop or to its receiver. (The engine handles
    /// ACKs that reach their sender.)
    #[inline]
    pub(crate) fn arrive(&mut self, now: Time, packet: &mut SimPacket) {
        let hop = self.tally.hops[packet.hop as usize];
        if self.next_leg(now, hop, packet) {
            self.forward(now, packet);
        }
    }

    /// Whether the route of this packet ends at the far end of its link.
    #[inline]
    pub(crate) fn is_on_last_hop(&self, packet: &SimPacket) -> bool {
        self.tally.hops[packet.hop as usize].last
    }

    /// A data packet or datagram has reached its receiver; returns whether `packet` is now the ACK of it.
    #[inline(never)]
    fn deliver(&mut self, now: Time, packet: &mut SimPacket) -> bool {
        let tally = &mut self.tally;
        tally.receive(now, packet);
        let counts = tally.window.contains(now);
        let flow = &mut tally.flows[packet.flow as usize];
        if packet.epoch != flow.epoch {
            return false;
        }
        let Some(receiver) = &mut flow.receiver else {
            tally.deliver_datagram(now, packet);
            return false;
        };
        let before = if counts { 0 } else { receiver.delivered_bytes() };
        let ack = receiver.on_segment(now, &packet.segment());
        if !counts {
            flow.stats.payload_bytes += receiver.delivered_bytes() - before;
        }
        if flow.receiver_rank != NO_TIMER {
            self.events.set(flow.receiver_rank, receiver.timer().unwrap_or(Time::NEVER));
        }
        let Some(ack) = ack else { return false };
        *packet = tally.acknowledgement(packet.flow, &ack);
        self.enter(now, packet);
        true
    }

    /// The timer of a receiver that delays acknowledgements expires.
    pub(crate) fn on_receiver_timer(&mut self, now: Time, number: u32) {
        let flow = &mut self.tally.flows[number as usize];
        let Some(receiver) = &mut flow.receiver else { return };
        let ack = receiver.on_timer(now);
        self.events.set(flow.receiver_rank, receiver.timer().unwrap_or(Time::NEVER));
        if let Some(ack) = ack {
            let mut packet = self.tally.acknowledgement(number, &ack);
            self.enter(now, &packet);
            self.forward(now, &mut packet);
        }
    }

    fn enqueue(&mut self, number: usize, now: Time, packet: &SimPacket) {
        let Self { ports, tally, facts, events, .. } = self;
        let port = &mut ports[number];
        if let Some(trace) = &mut tally.trace {
            trace.arrive(now, port.link, packet);
        }
        if port.loss.as_mut().is_some_and(Loss::loses) {
            tally.queues[number].link_losses += 1;
            if let Some(trace) = &mut tally.trace {
                trace.lose(now, port.link, packet);
            }
            return tally.lose(now, packet);
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
        if self.ports[number].device.is_some() {
            return self.serve_device(number, now);
        }
        let next = self.dequeue(number, now);
        self.start_transmission(number, now, next);
    }

    /// Carry out the answer of a port's queue: send its packet, or wait.
    #[expect(clippy::inline_always, reason = "measured: the packet is not copied")]
    #[inline(always)]
    fn start_transmission(&mut self, number: usize, now: Time, next: Next<SimPacket>) {
        let port = &mut self.ports[number];
        match next {
            Next::Send(mut packet) => {
                port.state = State::Busy;
                let rank = port.transmission_rank;
                if port.changes != STEADY {
                    let changes = port.changes;
                    let end = self.transmit_on_changing_link(now, changes, &mut packet);
                    return self.events.set(rank, end);
                }
                let link = &mut self.links[port.link as usize];
                let end = now + link.transmitter.transmission(packet.size);
                let arrival = end + link.delay;
                self.events.set(rank, end);
                let line = link.line;
                if self.passes_on(self.tally.hops[packet.hop as usize], &packet) {
                    self.arrive(arrival, &mut packet);
                } else {
                    self.schedule_arrival(line, arrival, &packet);
                }
            }
            Next::Empty => {
                port.state = State::Idle;
                self.events.clear(port.transmission_rank);
                self.events.set(port.timer_rank, port.queue.next_timeout().unwrap_or(Time::NEVER));
            }
            Next::NotBefore(time) => {
                port.state = State::Held;
                self.events.set(port.transmission_rank, time);
            }
        }
    }

    #[expect(clippy::inline_always, reason = "measured: the packet is not copied")]
    #[inline(always)]
    fn dequeue(&mut self, number: usize, now: Time) -> Next<SimPacket> {
        let port = &mut self.ports[number];
        let next = port.operate(number, now, &mut self.tally, &self.facts, |queue, env| queue.dequeue(env));
        port.update_timer(&mut self.events);
        next
    }

    /// The part of the packet in transmission behind this port that is unsent at `now`, in 1e-9 bits.
    pub(crate) fn unsent(&self, number: usize, now: Time) -> u128 {
        let port = &self.ports[number];
        match self.changes.get(port.changes as usize) {
            Some(changes) => changes.unsent(now),
            None if port.state == State::Busy => {
                let end = self.events.time_of(port.transmission_rank).unwrap_or(now);
                self.links[port.link as usize].transmitter.unsent(end.since(now))
            }
            None => 0,
        }
    }

    /// The timer of this port's discipline expires.
    pub(crate) fn on_queue_timer(&mut self, number: usize, now: Time) {
        let port = &mut self.ports[number];
        port.operate(number, now, &mut self.tally, &self.facts, |queue, env| queue.on_timeout(env));
        self.events.set(port.timer_rank, port.queue.next_timeout().unwrap_or(Time::NEVER));
    }
}

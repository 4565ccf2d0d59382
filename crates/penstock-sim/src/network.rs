//! What happens between the hosts: links, queues, delay lines, and the far ends that answer.

use crate::event::Agenda;
use crate::link::{Entry, Link, Loss, Port, State};
use crate::packet::{CWR, ECE, Kind, RETRANSMISSION, SimPacket};
use crate::tally::{FlowFacts, Hop, Tally, Watch};
use penstock_aqm::{Discipline, Env, Next};
use penstock_core::{Ecn, Time};
use penstock_tcp::{Receiver, ReceiverAck};

/// Everything between the senders.
pub(crate) struct Network {
    pub(crate) agenda: Agenda,
    pub(crate) links: Vec<Link>,
    pub(crate) receivers: Vec<Receiver>,
    pub(crate) tally: Tally,
    pub(crate) facts: FlowFacts,
}

impl Network {
    /// A host sends a packet into the network at its first hop.
    #[inline]
    pub(crate) fn send(&mut self, now: Time, packet: SimPacket) {
        self.enter(now, &packet);
        self.travel(now, packet);
    }

    #[inline]
    fn enter(&mut self, now: Time, packet: &SimPacket) {
        self.tally.entered.add(packet);
        if let Some(trace) = &mut self.tally.trace {
            trace.send(now, packet);
        }
    }

    /// The packet reaches the link of its hop at `now`: follow it as far as computed links tell its way, and the answer
    /// to it likewise, up to a queue or an event.
    fn travel(&mut self, mut now: Time, mut packet: SimPacket) {
        loop {
            let hop = self.tally.hops[packet.hop as usize];
            let link = &mut self.links[hop.link as usize];
            let Entry::Computed { free_at } = &mut link.entry else {
                return self.enqueue(hop.link as usize, now, packet);
            };
            let end = now.max(*free_at) + link.wire.transmission(packet.size);
            *free_at = end;
            now = end + link.delay;
            if !hop.ahead {
                return self.launch(hop.link as usize, now, packet);
            }
            if !self.next_leg(now, hop, &mut packet) {
                return;
            }
        }
    }

    /// The packet has reached the far end of its link: it goes on to its next hop, or becomes the answer to itself at its
    /// first; false if there is none.
    #[inline]
    fn next_leg(&mut self, now: Time, hop: Hop, packet: &mut SimPacket) -> bool {
        if hop.last {
            return self.deliver(now, packet);
        }
        packet.hop += 1;
        true
    }

    /// The packet will arrive at the far end of this link at `arrival`, as an event.
    #[inline]
    fn launch(&mut self, link: usize, arrival: Time, packet: SimPacket) {
        let link = &mut self.links[link];
        if link.line.is_empty() {
            self.agenda.set(link.line_rank, arrival);
        }
        link.line.push_back((arrival, packet));
    }

    /// Take the packet that has arrived off the head of this delay line. The caller hands it on.
    #[inline]
    pub(crate) fn land(&mut self, link: usize) -> Option<SimPacket> {
        let link = &mut self.links[link];
        let (_, packet) = link.line.pop_front()?;
        match link.line.front() {
            Some(&(next, _)) => self.agenda.set(link.line_rank, next),
            None => self.agenda.clear(link.line_rank),
        }
        Some(packet)
    }

    /// The packet has reached the far end of its link: on to the next, or to its receiver. (ACKs at home are the
    /// engine's: they belong to a sender.)
    #[inline]
    pub(crate) fn arrive(&mut self, now: Time, mut packet: SimPacket) {
        let hop = self.tally.hops[packet.hop as usize];
        if self.next_leg(now, hop, &mut packet) {
            self.travel(now, packet);
        }
    }

    /// Whether the route of this packet ends where it is.
    #[inline]
    pub(crate) fn is_home(&self, packet: &SimPacket) -> bool {
        self.tally.hops[packet.hop as usize].last
    }

    /// A data packet or datagram has reached its receiver; whether `packet` is now its answer.
    fn deliver(&mut self, now: Time, packet: &mut SimPacket) -> bool {
        let tally = &mut self.tally;
        tally.receive(now, packet);
        let counts = tally.window.contains(now);
        if packet.kind == Kind::Udp {
            tally.flow_stats[packet.flow as usize].payload_bytes += u64::from(counts) * u64::from(packet.extra);
            return false;
        }
        let path = &tally.flows[packet.flow as usize];
        let receiver = &mut self.receivers[path.receiver as usize];
        let before = if counts { 0 } else { receiver.delivered_bytes() };
        let (reduced, repeated) = (packet.flags & CWR != 0, packet.flags & RETRANSMISSION != 0);
        let ack = receiver.on_segment(now, packet.seq, packet.stamp, packet.ecn, reduced, packet.extra, repeated);
        if !counts {
            tally.flow_stats[packet.flow as usize].payload_bytes += receiver.delivered_bytes() - before;
        }
        if let Some(rank) = path.receiver_rank {
            self.agenda.set(rank, receiver.timer().unwrap_or(Time::NEVER));
        }
        let Some(ack) = ack else { return false };
        *packet = self.answer(now, packet.flow, &ack);
        true
    }

    /// The timer of a receiver that delays acknowledgements has come.
    pub(crate) fn on_receiver_timer(&mut self, now: Time, flow: u32) {
        let path = &self.tally.flows[flow as usize];
        let receiver = &mut self.receivers[path.receiver as usize];
        let ack = receiver.on_timer(now);
        if let Some(rank) = path.receiver_rank {
            self.agenda.set(rank, receiver.timer().unwrap_or(Time::NEVER));
        }
        if let Some(ack) = ack {
            let packet = self.answer(now, flow, &ack);
            self.travel(now, packet);
        }
    }

    /// An acknowledgement enters the network.
    #[expect(clippy::inline_always, reason = "measured: 20 instructions a packet of 1800")]
    #[inline(always)]
    fn answer(&mut self, now: Time, flow: u32, ack: &ReceiverAck) -> SimPacket {
        let path = &self.tally.flows[flow as usize];
        let echo = if ack.ece { ECE } else { 0 };
        let repeated = if ack.retransmission { RETRANSMISSION } else { 0 };
        let packet = SimPacket {
            stamp: ack.stamp,
            flow,
            seq: ack.ack,
            hop: path.ack_hop,
            size: ack.size,
            kind: Kind::Ack,
            ecn: Ecn::Not,
            dscp: path.dscp,
            flags: echo | repeated,
            extra: self.tally.sacks.keep(self.receivers[path.receiver as usize].sack_blocks()),
        };
        self.enter(now, &packet);
        packet
    }

    fn enqueue(&mut self, number: usize, now: Time, packet: SimPacket) {
        let Entry::Queued(port) = &mut self.links[number].entry else { return };
        if let Some(trace) = &mut self.tally.trace {
            trace.arrive(now, port.link, &packet);
        }
        if port.loss.as_mut().is_some_and(Loss::loses) {
            port.stats.link_losses += 1;
            return self.tally.lose(now, &packet);
        }
        port.operate(now, &mut self.tally, &self.facts, |queue, env| queue.enqueue(env, packet));
        if port.state != State::Busy {
            self.serve(number, now);
        }
    }

    /// The transmitter is free: offer service to the queue.
    pub(crate) fn serve(&mut self, number: usize, now: Time) {
        let link = &mut self.links[number];
        let Entry::Queued(port) = &mut link.entry else { return };
        match port.operate(now, &mut self.tally, &self.facts, |queue, env| queue.dequeue(env)) {
            Next::Send(packet) => {
                port.state = State::Busy;
                let end = now + link.wire.transmission(packet.size);
                self.agenda.set(port.transmission_rank, end);
                let arrival = end + link.delay;
                if self.tally.hops[packet.hop as usize].ahead {
                    self.arrive(arrival, packet);
                } else {
                    self.launch(number, arrival, packet);
                }
            }
            Next::Empty => {
                port.state = State::Idle;
                self.agenda.clear(port.transmission_rank);
                self.agenda.set(port.timer_rank, port.queue.next_timeout().unwrap_or(Time::NEVER));
            }
            Next::NotBefore(time) => {
                port.state = State::Held;
                self.agenda.set(port.transmission_rank, time);
            }
        }
    }

    /// The timer of this link's discipline has come.
    pub(crate) fn on_queue_timer(&mut self, number: usize, now: Time) {
        let Entry::Queued(port) = &mut self.links[number].entry else { return };
        port.operate(now, &mut self.tally, &self.facts, |queue, env| queue.on_timeout(env));
        self.agenda.set(port.timer_rank, port.queue.next_timeout().unwrap_or(Time::NEVER));
    }

    /// Ports by link number, for those that have one.
    pub(crate) fn ports(&mut self) -> impl Iterator<Item = &mut Port> {
        self.links.iter_mut().filter_map(|link| match &mut link.entry {
            Entry::Queued(port) => Some(&mut **port),
            Entry::Computed { .. } => None,
        })
    }
}

impl Port {
    /// Bring the statistics up to `now`.
    pub(crate) fn settle(&mut self, now: Time) {
        if self.stats.is_due(now) {
            self.stats.sample(now, |show| self.queue.gauges(show));
        }
        self.stats.advance(now);
    }

    /// One operation on the queue, watched; samples that are due are taken before it changes anything.
    #[inline]
    pub(crate) fn operate<T>(
        &mut self,
        now: Time,
        tally: &mut Tally,
        facts: &FlowFacts,
        operation: impl FnOnce(&mut dyn Discipline<SimPacket>, &mut Env<'_, SimPacket>) -> T,
    ) -> T {
        let Self { queue, rng, stats, link, .. } = self;
        if stats.is_due(now) {
            stats.sample(now, |show| queue.gauges(show));
        }
        let mut watch = Watch { stats, tally, link: *link };
        operation(queue.as_mut(), &mut Env { now, rng, probe: &mut watch, facts })
    }
}

//! What happens between the hosts: links, queues, delay lines, and the far ends that answer.

use crate::ahead::Ahead;
use crate::change::Change;
use crate::event::Agenda;
use crate::line::Lines;
use crate::link::{Link, Port, STEADY, State};
use crate::loss::Loss;
use crate::packet::SimPacket;
use crate::probe::queue::QueueStats;
use crate::tally::{FlowFacts, Hop, PROMPT, Tally};
use crate::traffic::video::NewFrame;
use penstock_aqm::{Discipline, Env, Next};
use penstock_core::Time;

/// Everything between the senders.
pub(crate) struct Network {
    pub(crate) agenda: Agenda,
    pub(crate) links: Vec<Link>,
    pub(crate) ports: Vec<Port>,
    /// What changes about links, for those that do not stay as they are.
    pub(crate) changes: Vec<Change>,
    pub(crate) lines: Lines,
    /// Rank of the head of the first delay line in the agenda; those of the others follow.
    pub(crate) first_line: u32,
    pub(crate) tally: Tally,
    pub(crate) facts: FlowFacts,
    /// An acknowledgement whose arrival at its sender is known ahead: the engine takes it from here.
    pub(crate) homing: SimPacket,
    /// When it arrives; [`Time::NEVER`] if there is none.
    pub(crate) home_at: Time,
}

impl Network {
    /// A host sends a packet into the network at its first hop.
    #[inline]
    pub(crate) fn send(&mut self, now: Time, mut packet: SimPacket) {
        self.enter(now, &packet);
        self.travel(now, &mut packet);
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

    /// The packet reaches the link of its hop at `now`: follow it as far as computed links tell its way, and the answer
    /// to it likewise, up to a queue or an event.
    fn travel(&mut self, mut now: Time, packet: &mut SimPacket) {
        loop {
            let hop = self.tally.hops[packet.hop as usize];
            let link = &mut self.links[hop.link as usize];
            if let Some(port) = link.port() {
                return self.enqueue(port, now, packet);
            }
            let end = now.max(link.free_at) + link.wire.transmission(packet.size);
            link.free_at = end;
            now = end + link.delay;
            let line = link.line;
            if !self.goes_ahead(hop, packet) {
                return self.launch(line, now, packet);
            }
            if !self.next_leg(now, hop, packet) {
                return;
            }
        }
    }

    /// Whether this packet can be handed on as soon as it is known when it arrives at the far end of its link.
    #[inline]
    pub(crate) fn goes_ahead(&self, hop: Hop, packet: &SimPacket) -> bool {
        match hop.ahead {
            Ahead::Never => false,
            Ahead::Lacking => self.is_lacking(packet),
            Ahead::Always => true,
        }
    }

    /// Whether nothing waits on the link before this packet, and its receiver, if it is there, lacks it.
    #[inline(never)]
    fn is_lacking(&self, packet: &SimPacket) -> bool {
        self.is_first(packet) && self.tally.is_lacking(packet)
    }

    /// A packet that had to wait on this delay line has arrived at its receiver. If the one behind it waited for that alone,
    /// take it off the line, with the time of its arrival. The caller hands it on.
    pub(crate) fn release(&mut self, line: u32) -> Option<(Time, SimPacket)> {
        let (arrival, packet) = (self.agenda.time_of(self.first_line + line)?, self.lines.first(line)?);
        let hop = self.tally.hops[packet.hop as usize];
        (hop.ahead == Ahead::Lacking && self.tally.is_lacking(packet)).then(|| (arrival, self.land(line)))
    }

    /// The packet has reached the far end of its link: it goes on to its next hop, or becomes the answer to itself at its
    /// first; false if there is none.
    #[expect(clippy::inline_always, reason = "measured")]
    #[inline(always)]
    fn next_leg(&mut self, now: Time, hop: Hop, packet: &mut SimPacket) -> bool {
        if hop.last {
            if !packet.labels.is_ack() {
                return self.deliver(now, packet);
            }
            self.come_home(now, packet);
            return false;
        }
        packet.hop += 1;
        true
    }

    /// The acknowledgement will reach its sender at `arrival`.
    #[inline]
    fn come_home(&mut self, arrival: Time, packet: &SimPacket) {
        if self.home_at != Time::NEVER {
            return self.park(arrival, packet);
        }
        (self.home_at, self.homing) = (arrival, *packet);
    }

    /// The packet will arrive at the far end of its link at `arrival`, as an event.
    pub(crate) fn park(&mut self, arrival: Time, packet: &SimPacket) {
        let line = self.line_of(packet);
        self.launch(line, arrival, packet);
    }

    /// Whether nothing waits on the delay line of the link that this packet is on.
    #[inline]
    pub(crate) fn is_first(&self, packet: &SimPacket) -> bool {
        self.lines.is_empty(self.line_of(packet))
    }

    #[inline]
    fn line_of(&self, packet: &SimPacket) -> u32 {
        self.links[self.tally.hops[packet.hop as usize].link as usize].line
    }

    /// The packet will arrive at the far end of the link of this delay line at `arrival`, as an event.
    #[expect(clippy::inline_always, reason = "measured: 40 instructions a packet of 1800")]
    #[inline(always)]
    fn launch(&mut self, number: u32, arrival: Time, packet: &SimPacket) {
        if self.lines.push(number, arrival, packet) {
            self.agenda.insert(self.first_line + number, arrival);
        }
    }

    /// Take the packet that has arrived off the head of this delay line. The caller hands it on.
    #[expect(clippy::inline_always, reason = "measured: 30 instructions a packet of 1600")]
    #[inline(always)]
    pub(crate) fn land(&mut self, number: u32) -> SimPacket {
        let (packet, next) = self.lines.pop(number);
        self.agenda.set(self.first_line + number, next);
        packet
    }

    /// The packet has reached the far end of its link: on to the next, or to its receiver. (ACKs at home are the
    /// engine's: they belong to a sender.)
    #[inline]
    pub(crate) fn arrive(&mut self, now: Time, packet: &mut SimPacket) {
        let hop = self.tally.hops[packet.hop as usize];
        if self.next_leg(now, hop, packet) {
            self.travel(now, packet);
        }
    }

    /// Whether the route of this packet ends where it is.
    #[inline]
    pub(crate) fn is_home(&self, packet: &SimPacket) -> bool {
        self.tally.hops[packet.hop as usize].last
    }

    /// A data packet or datagram has reached its receiver; whether `packet` is now its answer.
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
            // What is handed on ahead beyond the end of the run does not happen in it.
            let happens = now <= tally.window.end;
            let given = match tally.blocks.get_mut(packet.flow as usize) {
                Some(Some(blocks)) if happens => blocks.arrive(now, packet.seq),
                _ => 1,
            };
            flow.stats.payload_bytes += u64::from(counts) * u64::from(given) * u64::from(packet.extra);
            if let Some(frames) = tally.frames.get_mut(packet.flow as usize).filter(|_| happens) {
                frames.deliver(packet.seq, packet.size);
            }
            return false;
        };
        let before = if counts { 0 } else { receiver.delivered_bytes() };
        let ack = receiver.on_segment(now, &packet.segment());
        if !counts {
            flow.stats.payload_bytes += receiver.delivered_bytes() - before;
        }
        if flow.receiver_rank != PROMPT {
            self.agenda.set(flow.receiver_rank, receiver.timer().unwrap_or(Time::NEVER));
        }
        let Some(ack) = ack else { return false };
        *packet = tally.answer(packet.flow, &ack);
        self.enter(now, packet);
        true
    }

    /// The timer of a receiver that delays acknowledgements has come.
    pub(crate) fn on_receiver_timer(&mut self, now: Time, number: u32) {
        let flow = &mut self.tally.flows[number as usize];
        let Some(receiver) = &mut flow.receiver else { return };
        let ack = receiver.on_timer(now);
        self.agenda.set(flow.receiver_rank, receiver.timer().unwrap_or(Time::NEVER));
        if let Some(ack) = ack {
            let mut packet = self.tally.answer(number, &ack);
            self.enter(now, &packet);
            self.travel(now, &mut packet);
        }
    }

    fn enqueue(&mut self, number: usize, now: Time, packet: &SimPacket) {
        let Self { ports, tally, facts, agenda, .. } = self;
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
        port.wind(agenda);
        if port.state != State::Busy {
            self.serve(number, now);
        }
    }

    /// The transmitter is free: offer service to the queue.
    pub(crate) fn serve(&mut self, number: usize, now: Time) {
        let port = &mut self.ports[number];
        let next = port.operate(number, now, &mut self.tally, &self.facts, |queue, env| queue.dequeue(env));
        port.wind(&mut self.agenda);
        match next {
            Next::Send(mut packet) => {
                port.state = State::Busy;
                let rank = port.transmission_rank;
                if port.change != STEADY {
                    let change = port.change;
                    let end = self.depart(now, change, &mut packet);
                    return self.agenda.set(rank, end);
                }
                let link = &mut self.links[port.link as usize];
                let end = now + link.wire.transmission(packet.size);
                let arrival = end + link.delay;
                self.agenda.set(rank, end);
                let line = link.line;
                if self.goes_ahead(self.tally.hops[packet.hop as usize], &packet) {
                    self.arrive(arrival, &mut packet);
                } else {
                    self.launch(line, arrival, &packet);
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

    /// The timer of this port's discipline has come.
    pub(crate) fn on_queue_timer(&mut self, number: usize, now: Time) {
        let port = &mut self.ports[number];
        port.operate(number, now, &mut self.tally, &self.facts, |queue, env| queue.on_timeout(env));
        self.agenda.set(port.timer_rank, port.queue.next_timeout().unwrap_or(Time::NEVER));
    }
}

impl Port {
    /// Bring the statistics up to `now`.
    pub(crate) fn settle(&self, now: Time, stats: &mut QueueStats) {
        if stats.is_due(now) {
            stats.sample(now, |show| self.queue.gauges(show));
        }
        stats.advance(now);
    }

    /// Set the timer anew where it moves at every operation.
    #[expect(clippy::inline_always, reason = "measured: 25 instructions a packet of 1700")]
    #[inline(always)]
    fn wind(&self, agenda: &mut Agenda) {
        if self.restless {
            agenda.set(self.timer_rank, self.queue.next_timeout().unwrap_or(Time::NEVER));
        }
    }

    /// One operation on the queue, watched; samples that are due are taken before it changes anything. `number` is the
    /// number of the port.
    #[inline]
    fn operate<T>(
        &mut self,
        number: usize,
        now: Time,
        tally: &mut Tally,
        facts: &FlowFacts,
        operation: impl FnOnce(&mut dyn Discipline<SimPacket, Tally>, &mut Env<'_, SimPacket, Tally>) -> T,
    ) -> T {
        let Self { queue, rng, link, .. } = self;
        let stats = &mut tally.queues[number];
        if stats.is_due(now) {
            stats.sample(now, |show| queue.gauges(show));
        }
        (tally.port, tally.link) = (number as u32, *link);
        operation(queue.as_mut(), &mut Env { now, rng, probe: tally, facts })
    }
}

//! The queues of the ports: the packets that reach them, and the departures from them.
//!
//! A packet reaches the queue of its hop's port (`enqueue`). An evented port dequeues at its own events (`on_port_event`), a lazy one
//! before the next arrival or at its deadline (`depart_until`), a precomputed one as soon as the packet arrives. `pass_on`
//! takes each departing packet over its link.

use super::Network;
use crate::packet::SimPacket;
use crate::port::{Crossing, Mode, Port, Surroundings};
use crate::routes::{Hop, NOT_PRECOMPUTED};
use penstock_aqm::Next;
use penstock_core::Time;

impl Network {
    /// The packet reaches the queue of its hop's port at `now`.
    #[inline]
    pub(super) fn enqueue(&mut self, port: u32, now: Time, packet: &mut SimPacket) {
        if port & NOT_PRECOMPUTED == 0 {
            self.enqueue_precomputed(port as usize, now, packet);
        } else {
            self.enqueue_not_precomputed((port & !NOT_PRECOMPUTED) as usize, now, packet);
        }
    }

    /// Like [`Network::enqueue`], at a precomputed port.
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

    /// Like [`Network::enqueue`], at a lazy or event-driven port.
    #[inline(never)]
    fn enqueue_not_precomputed(&mut self, number: usize, now: Time, packet: &mut SimPacket) {
        self.depart_until(number, now);
        let (Port { queue, mode }, mut around) = self.at_port(number);
        if queue.is_lost(now, around.tally, packet) {
            return;
        }
        let Mode::Lazy(lazy) = mode else { return self.enqueue_evented(number, now, packet) };
        if lazy.arrive(queue, now, packet, &mut around) {
            self.depart_out_of_line(number, now);
            self.set_deadline(number);
        }
    }

    /// Like [`Network::enqueue`], at an event-driven port, for a packet that the link does not lose.
    #[inline(never)]
    fn enqueue_evented(&mut self, number: usize, now: Time, packet: &SimPacket) {
        let copy = self.copy_by_link(number, packet);
        self.enqueue_one(number, now, packet);
        if let Some(copy) = copy {
            self.enqueue_one(number, now, &copy);
        }
    }

    /// The copy of a packet that the link behind this event-driven port makes, if it duplicates the packet.
    #[inline]
    fn copy_by_link(&mut self, number: usize, packet: &SimPacket) -> Option<SimPacket> {
        let Mode::Evented(evented) = &self.ports[number].mode else { return None };
        let changes = &mut self.changes[evented.changes()?];
        changes.changes.duplicates().then(|| self.tally.copy(packet))
    }

    /// Like [`Network::enqueue_evented`], for a packet or its copy.
    #[inline]
    fn enqueue_one(&mut self, number: usize, now: Time, packet: &SimPacket) {
        let (Port { queue, mode }, mut around) = self.at_port(number);
        let Mode::Evented(evented) = mode else { unreachable!("`enqueue_precomputed` serves precomputed ports") };
        if evented.arrive(queue, now, packet, &mut around) {
            self.on_port_event(number, now);
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

    /// Like [`Network::depart_until`], out of line.
    #[inline(never)]
    fn depart_until_out_of_line(&mut self, number: usize, until: Time) {
        self.depart_until(number, until);
    }

    /// Like [`Network::depart`], out of line.
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
                Mode::Lazy(_) => self.depart_until_out_of_line(number, until),
                Mode::Evented(_) => {}
            }
        }
    }

    /// The event of port `number`: its transmitter is free, its device queue can be filled, or a deferred departure has reached
    /// its deadline.
    #[inline(never)]
    pub(crate) fn on_port_event(&mut self, number: usize, now: Time) {
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

    /// The next departure from the lazy port `number` has reached its deadline.
    #[inline(never)]
    fn on_deadline(&mut self, number: usize, now: Time) {
        self.depart_until_out_of_line(number, now);
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
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 10 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    fn pass_on(&mut self, Crossing { arrival, line }: Crossing, packet: &mut SimPacket) {
        let Hop { last, lookahead, .. } = self.hops[packet.hop as usize];
        if !self.looks_ahead(line, lookahead, packet) {
            self.schedule_arrival(line, arrival, packet);
        } else if last {
            self.finish(arrival, line, packet);
        } else {
            self.pass_to_next(arrival, packet);
        }
    }

    /// The port with this number, and the parts of the network that its operations read and change.
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
        self.depart_until_out_of_line(number, now);
        let (Port { queue, .. }, mut around) = self.at_port(number);
        let (discipline, mut env) = queue.begin(now, &mut around);
        discipline.on_timeout(&mut env);
        queue.set_timer(around.events);
    }
}

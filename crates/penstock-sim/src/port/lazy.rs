//! Lazy ports: departures are executed on demand, with their true times.
//!
//! Which packet leaves a queue at some time depends on what the queue got up to then, but nothing else depends on it before
//! the packet could be at the far end of the link. So a departure needs no event: it is executed before whatever happens next
//! at the port, the arrival of a packet or a timer. A deadline event bounds how long a departure may be deferred: one per
//! propagation delay instead of one per packet. The queue sees the same calls with the same times as with events, and so does
//! the next hop.
//!
//! Works for any discipline whose timer does not move at departures and that reads nothing from outside at departures, unless
//! a shaper precedes it, a device queue follows it, or the link changes.

use super::{Departure, ObservedQueue, Surroundings, TransmitterState};
use crate::event_queue::EventQueue;
use crate::link::Link;
use crate::packet::SimPacket;
use penstock_aqm::Next;
use penstock_core::Time;
use penstock_link::Transmitter;

/// The transmitter of a lazy port.
pub(crate) struct Lazy {
    /// When the transmitter asks for the next packet; [`Time::NEVER`] if it found the queue empty.
    free_at: Time,
    state: TransmitterState,
    /// Whether the deadline of the next departure is in the event queue.
    has_deadline: bool,
}

impl Lazy {
    /// Before the first packet.
    pub(crate) fn new() -> Self {
        Self { free_at: Time::NEVER, state: TransmitterState::Idle, has_deadline: false }
    }

    /// A packet arrives, all departures due by now having been executed; a free transmitter takes the next packet.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        queue: &mut ObservedQueue,
        now: Time,
        packet: SimPacket,
        around: &mut Surroundings<'_>,
    ) -> Option<Departure> {
        queue.operate(now, around, |discipline, env| discipline.enqueue(env, packet));
        if self.state == TransmitterState::Busy {
            return None;
        }
        self.arrive_at_free_transmitter(queue, now, around)
    }

    #[inline(never)]
    fn arrive_at_free_transmitter(
        &mut self,
        queue: &mut ObservedQueue,
        now: Time,
        around: &mut Surroundings<'_>,
    ) -> Option<Departure> {
        let departure = self.depart(queue, now, around);
        self.set_deadline(queue, around.links, around.events);
        departure
    }

    /// The deadline of a departure has come, and all departures due by now have been executed: set the next deadline.
    pub(crate) fn renew_deadline(&mut self, queue: &ObservedQueue, links: &[Link], events: &mut EventQueue) {
        events.clear(queue.outlet.rank);
        self.has_deadline = false;
        self.set_deadline(queue, links, events);
    }

    /// Schedule the deadline of the next departure, if there is one and it has none.
    fn set_deadline(&mut self, queue: &ObservedQueue, links: &[Link], events: &mut EventQueue) {
        if self.free_at != Time::NEVER && !self.has_deadline {
            self.has_deadline = true;
            events.set(queue.outlet.rank, self.free_at + links[queue.outlet.link as usize].delay);
        }
    }

    /// Execute the next departure due by `until`, if there is one.
    #[inline]
    pub(crate) fn next_departure(
        &mut self,
        queue: &mut ObservedQueue,
        until: Time,
        around: &mut Surroundings<'_>,
    ) -> Option<Departure> {
        while self.free_at <= until {
            let departure = self.depart(queue, self.free_at, around);
            if departure.is_some() {
                return departure;
            }
        }
        None
    }

    /// The transmitter asks for the next packet at `now`.
    #[inline]
    fn depart(&mut self, queue: &mut ObservedQueue, now: Time, around: &mut Surroundings<'_>) -> Option<Departure> {
        let next = queue.operate(now, around, |discipline, env| discipline.dequeue(env));
        match next {
            Next::Send(packet) => {
                let link = &mut around.links[queue.outlet.link as usize];
                let end = now + link.transmitter.transmission(packet.size);
                (self.state, self.free_at) = (TransmitterState::Busy, end);
                return Some(Departure { packet, arrival: end + link.delay, line: link.line });
            }
            Next::Empty => (self.state, self.free_at) = (TransmitterState::Idle, Time::NEVER),
            Next::NotBefore(time) => (self.state, self.free_at) = (TransmitterState::Held, time),
        }
        None
    }

    /// The part of the packet in transmission that is unsent at `now`, in 1e-9 bits.
    pub(crate) fn unsent(&self, now: Time, transmitter: &Transmitter) -> u128 {
        if self.state == TransmitterState::Busy { transmitter.unsent(self.free_at.since(now)) } else { 0 }
    }
}

//! Lazy ports: departures are executed on demand, with their true times.
//!
//! Which packet leaves a queue at a time depends on the arrivals up to then. Nothing outside the queue depends on a departure
//! before the packet could be at the far end of the link. So a departure needs no event: it is executed before the next arrival or
//! timer at the port. A deadline event bounds how long a departure may be deferred: one per propagation delay instead
//! of one per packet. The queue sees the same calls with the same times as with events, and so does the next hop.
//!
//! Works for any discipline that neither moves its timer nor reads outside facts at departures, unless a shaper
//! precedes it, a device queue follows it, or the link changes.

use super::{Crossing, PortQueue, Reaction, Surroundings, TransmitterState, react};
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
    /// The deadline in the event queue; [`Time::NEVER`] if there is none.
    deadline: Time,
}

impl Lazy {
    /// A transmitter before the first packet.
    pub(crate) fn new() -> Self {
        Self { free_at: Time::NEVER, state: TransmitterState::Idle, deadline: Time::NEVER }
    }

    /// A packet arrives; all departures due by now have been executed. Returns whether the transmitter is free.
    #[inline]
    pub(crate) fn arrive(
        &self,
        queue: &mut PortQueue,
        now: Time,
        packet: &SimPacket,
        around: &mut Surroundings<'_>,
    ) -> bool {
        let (discipline, env) = queue.begin(now, around);
        discipline.enqueue(env, *packet);
        self.state != TransmitterState::Busy
    }

    /// The deadline of a departure has come, and all departures due by now have been executed: set the next deadline.
    pub(crate) fn renew_deadline(&mut self, queue: &PortQueue, links: &[Link], events: &mut EventQueue) {
        events.clear(queue.outlet.rank);
        self.deadline = Time::NEVER;
        self.set_deadline(queue, links, events);
    }

    /// Schedule the deadline of the next departure, unless an earlier one is scheduled.
    pub(crate) fn set_deadline(&mut self, queue: &PortQueue, links: &[Link], events: &mut EventQueue) {
        let deadline = self.free_at + links[queue.outlet.link as usize].delay;
        if deadline < self.deadline {
            self.deadline = deadline;
            events.set(queue.outlet.rank, deadline);
        }
    }

    /// When the transmitter asks for the next packet; [`Time::NEVER`] if it waits for an arrival.
    #[inline]
    pub(crate) fn free_at(&self) -> Time {
        self.free_at
    }

    /// The transmitter asked for a packet at `now`, and the discipline answered; returns how the packet crosses the link.
    #[inline]
    pub(crate) fn answer(
        &mut self,
        queue: &PortQueue,
        now: Time,
        next: &Next<SimPacket>,
        around: &mut Surroundings<'_>,
    ) -> Option<Crossing> {
        let Reaction { state, asks_at, crossing } = react(next, |packet| {
            let link = &mut around.links[queue.outlet.link as usize];
            let end = now + link.transmitter.transmission(packet.size);
            (end, Some(Crossing { arrival: end + link.delay, line: link.line }))
        });
        (self.state, self.free_at) = (state, asks_at);
        crossing
    }

    /// The part of the packet in transmission that is unsent at `now`, in 1e-9 bits.
    pub(crate) fn unsent(&self, now: Time, transmitter: &Transmitter) -> u128 {
        if self.state == TransmitterState::Busy { transmitter.unsent(self.free_at.since(now)) } else { 0 }
    }
}

//! Event-driven ports: an event at the end of each transmission.
//!
//! The only mode for links that change during the run and for device queues below the discipline, whose state at the
//! end of a transmission depends on events during it.

use super::{Crossing, DeviceQueue, PortQueue, Reaction, Surroundings, TransmitterState, react};
use crate::changing_link::ChangingLink;
use crate::event_queue::EventQueue;
use crate::packet::SimPacket;
use penstock_aqm::Next;
use penstock_core::Time;
use penstock_link::Transmitter;

/// The transmitter of an event-driven port.
pub(crate) struct Evented {
    state: TransmitterState,
    /// When the transmitter asks for the next packet; [`Time::NEVER`] if it waits for an arrival.
    asks_at: Time,
    /// The device queue below the discipline, if there is one.
    device: Option<Box<DeviceQueue>>,
    /// Index of the link among the changing links, if it changes during the run.
    changes: Option<u32>,
}

impl Evented {
    /// A transmitter before the first packet.
    pub(crate) fn new(device: Option<Box<DeviceQueue>>, changes: Option<u32>) -> Self {
        Self { state: TransmitterState::Idle, asks_at: Time::NEVER, device, changes }
    }

    /// Index of the link among the changing links, if it changes during the run.
    pub(crate) fn changes(&self) -> Option<usize> {
        self.changes.map(|number| number as usize)
    }

    /// Whether there is a device queue below the discipline.
    pub(crate) fn has_device(&self) -> bool {
        self.device.is_some()
    }

    /// Packets and bytes in the device queue.
    pub(crate) fn device_backlog(&self) -> (u32, u64) {
        self.device.as_ref().map_or((0, 0), |device| device.backlog())
    }

    /// A packet arrives; returns whether the transmitter is free.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        queue: &mut PortQueue,
        now: Time,
        packet: &SimPacket,
        around: &mut Surroundings<'_>,
    ) -> bool {
        if let Some(trace) = &mut around.tally.trace {
            trace.arrive(now, queue.outlet.link, packet);
        }
        let (discipline, env) = queue.begin(now, around);
        discipline.enqueue(env, *packet);
        queue.update_timer(around.events);
        let is_free = self.state != TransmitterState::Busy;
        if let Some(device) = self.device.as_mut().filter(|_| !is_free) {
            device.fill(queue, now, around);
            self.schedule(queue, around.events);
        }
        is_free
    }

    /// If the transmitter is busy at this event of the port, the event is for the device queue: fill it. Returns whether
    /// the transmitter is busy.
    #[inline]
    pub(crate) fn refill(&mut self, queue: &mut PortQueue, now: Time, around: &mut Surroundings<'_>) -> bool {
        let is_busy = self.state == TransmitterState::Busy && now < self.asks_at;
        let Some(device) = self.device.as_mut().filter(|_| is_busy) else { return false };
        device.fill(queue, now, around);
        self.schedule(queue, around.events);
        true
    }

    /// Schedule the next event of the port: the transmitter asks for a packet, or, while it is busy, the device queue does.
    #[inline]
    fn schedule(&self, queue: &PortQueue, events: &mut EventQueue) {
        let device = self.device.as_ref().filter(|_| self.state == TransmitterState::Busy);
        let refill_at = device.map_or(Time::NEVER, |device| device.refill_at());
        events.set(queue.outlet.rank, self.asks_at.min(refill_at));
    }

    /// The next packet for a free transmitter, if there is one.
    #[inline]
    pub(crate) fn dequeue(
        &mut self,
        queue: &mut PortQueue,
        now: Time,
        around: &mut Surroundings<'_>,
    ) -> Next<SimPacket> {
        match &mut self.device {
            Some(device) => device.dequeue(queue, now, around),
            None => queue.dequeue(now, around),
        }
    }

    /// The discipline gave this answer to a free transmitter. Start the transmission of the packet, if there is one.
    /// Returns how the packet crosses the link; `None` if the link reorders it, as its arrival is then scheduled here.
    #[inline]
    pub(crate) fn answer(
        &mut self,
        queue: &PortQueue,
        now: Time,
        next: &Next<SimPacket>,
        around: &mut Surroundings<'_>,
    ) -> Option<Crossing> {
        let Reaction { state, asks_at, crossing } = react(next, |packet| self.transmit(queue, now, packet, around));
        (self.state, self.asks_at) = (state, asks_at);
        self.schedule(queue, around.events);
        if state == TransmitterState::Idle {
            queue.set_timer(around.events);
        }
        crossing
    }

    /// Start the transmission of a packet; returns its end and how the packet crosses the link.
    #[inline]
    fn transmit(
        &self,
        queue: &PortQueue,
        now: Time,
        packet: &SimPacket,
        around: &mut Surroundings<'_>,
    ) -> (Time, Option<Crossing>) {
        let link = &mut around.links[queue.outlet.link as usize];
        let Some(changes) = self.changes else {
            let end = now + link.transmitter.transmission(packet.size);
            return (end, Some(Crossing { arrival: end + link.delay, line: link.line }));
        };
        let (end, arrival) = around.changes[changes as usize].transmit(now, link, packet, around.events);
        (end, arrival.map(|arrival| Crossing { arrival, line: link.line }))
    }

    /// An outage up to `end` begins: until then the transmitter is busy without sending anything.
    pub(crate) fn begin_outage(&mut self, queue: &PortQueue, end: Time, events: &mut EventQueue) {
        self.asks_at = if self.state == TransmitterState::Busy { end.max(self.asks_at) } else { end };
        self.state = TransmitterState::Busy;
        self.schedule(queue, events);
    }

    /// The part of the packet in transmission that is unsent at `now`, in 1e-9 bits.
    pub(crate) fn unsent(&self, now: Time, transmitter: &Transmitter, changes: &[ChangingLink]) -> u128 {
        match self.changes {
            Some(number) => changes[number as usize].changes.unsent(now),
            None if self.state == TransmitterState::Busy => transmitter.unsent(self.asks_at.since(now)),
            None => 0,
        }
    }
}

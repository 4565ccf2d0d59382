//! Event-driven ports: an event at the end of each transmission.
//!
//! The only mode for links that change during the run and for device queues below the discipline, whose state at the
//! end of a transmission depends on events during it.

use super::{Crossing, DeviceQueue, ObservedQueue, Surroundings, TransmitterState};
use crate::changing_link::ChangingLink;
use crate::event_queue::EventQueue;
use crate::packet::SimPacket;
use penstock_aqm::{Backlog, Next};
use penstock_core::Time;
use penstock_link::Transmitter;

/// The transmitter of an event-driven port.
pub(crate) struct Evented {
    state: TransmitterState,
    /// The device queue below the discipline, if there is one.
    device: Option<Box<DeviceQueue>>,
    /// Index of the link among the changing ones, if it changes during the run.
    changes: Option<u32>,
}

impl Evented {
    /// A transmitter before the first packet.
    pub(crate) fn new(device: Option<Box<DeviceQueue>>, changes: Option<u32>) -> Self {
        Self { state: TransmitterState::Idle, device, changes }
    }

    /// Index of the link among the changing ones, if it changes during the run.
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
        queue: &mut ObservedQueue,
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
        if !is_free && self.device.is_some() {
            self.fill_device(queue, now, around);
        }
        is_free
    }

    /// The next packet for a free transmitter, if there is one.
    #[inline]
    pub(crate) fn dequeue(
        &mut self,
        queue: &mut ObservedQueue,
        now: Time,
        around: &mut Surroundings<'_>,
    ) -> Next<SimPacket> {
        if self.device.is_some() { self.dequeue_from_device(queue, now, around) } else { dequeue(queue, now, around) }
    }

    /// The discipline gave this answer to a free transmitter. Start the transmission of the packet, if there is one;
    /// returns how it crosses the link. A reordered packet arrives by an event of its own.
    #[inline]
    pub(crate) fn answer(
        &mut self,
        queue: &ObservedQueue,
        now: Time,
        next: &Next<SimPacket>,
        around: &mut Surroundings<'_>,
    ) -> Option<Crossing> {
        let rank = queue.outlet.rank;
        match next {
            Next::Send(packet) => {
                self.state = TransmitterState::Busy;
                return self.transmit(queue, now, packet, around);
            }
            Next::Empty => {
                self.state = TransmitterState::Idle;
                around.events.clear(rank);
                queue.set_timer(around.events);
            }
            Next::NotBefore(time) => {
                self.state = TransmitterState::Held;
                around.events.set(rank, *time);
            }
        }
        None
    }

    /// Start the transmission of a packet.
    #[inline]
    fn transmit(
        &self,
        queue: &ObservedQueue,
        now: Time,
        packet: &SimPacket,
        around: &mut Surroundings<'_>,
    ) -> Option<Crossing> {
        let link = &mut around.links[queue.outlet.link as usize];
        let Some(changes) = self.changes else {
            let end = now + link.transmitter.transmission(packet.size);
            around.events.set(queue.outlet.rank, end);
            return Some(Crossing { arrival: end + link.delay, line: link.line });
        };
        let (end, arrival) = around.changes[changes as usize].transmit(now, link, packet, around.events);
        around.events.set(queue.outlet.rank, end);
        arrival.map(|arrival| Crossing { arrival, line: link.line })
    }

    /// Hand packets of the discipline over to the device queue while that has room; returns the discipline's answer if
    /// it has no packet to send.
    #[cold]
    fn fill_device(&mut self, queue: &mut ObservedQueue, now: Time, around: &mut Surroundings<'_>) -> Next<SimPacket> {
        let Some(device) = &mut self.device else { return Next::Empty };
        while device.has_room() {
            match dequeue(queue, now, around) {
                Next::Send(packet) => {
                    let waiting = queue.discipline.reported_backlog().packets;
                    let enqueued = around.tally.queues[queue.outlet.port as usize].hand_over(waiting);
                    device.push(packet, enqueued);
                }
                none => return none,
            }
        }
        Next::Empty
    }

    /// Remove the next packet of the device queue, and refill the device queue.
    #[cold]
    fn dequeue_from_device(
        &mut self,
        queue: &mut ObservedQueue,
        now: Time,
        around: &mut Surroundings<'_>,
    ) -> Next<SimPacket> {
        let answer = self.fill_device(queue, now, around);
        let Some((packet, enqueued)) = self.device.as_mut().and_then(|device| device.pop()) else { return answer };
        let backlog: Backlog = queue.discipline.reported_backlog();
        let tally = &mut *around.tally;
        (tally.port, tally.link) = (queue.outlet.port, queue.outlet.link);
        tally.leave_device(now, &packet, enqueued, &backlog);
        self.fill_device(queue, now, around);
        Next::Send(packet)
    }

    /// An outage up to `end` begins: until then the transmitter is busy without sending anything.
    pub(crate) fn begin_outage(&mut self, queue: &ObservedQueue, end: Time, events: &mut EventQueue) {
        let free = events.time_of(queue.outlet.rank).filter(|_| self.state == TransmitterState::Busy);
        self.state = TransmitterState::Busy;
        events.set(queue.outlet.rank, end.max(free.unwrap_or(end)));
    }

    /// The part of the packet in transmission that is unsent at `now`, in 1e-9 bits.
    pub(crate) fn unsent(
        &self,
        queue: &ObservedQueue,
        now: Time,
        transmitter: &Transmitter,
        changes: &[ChangingLink],
        events: &EventQueue,
    ) -> u128 {
        if let Some(number) = self.changes {
            return changes[number as usize].changes.unsent(now);
        }
        let end = events.time_of(queue.outlet.rank).filter(|_| self.state == TransmitterState::Busy);
        end.map_or(0, |end| transmitter.unsent(end.since(now)))
    }
}

/// The discipline's answer to a free transmitter or to a device queue with room.
#[inline]
fn dequeue(queue: &mut ObservedQueue, now: Time, around: &mut Surroundings<'_>) -> Next<SimPacket> {
    let (discipline, env) = queue.begin(now, around);
    let next = discipline.dequeue(env);
    queue.update_timer(around.events);
    next
}

//! A device queue: packets that the discipline has handed to the network card, and that wait there for the transmitter.
//!
//! The device queue is below the discipline, like the ring of a network card with byte queue limits (BQL) or the device
//! queue of ns-3. The discipline hands over its next packet as soon as there is room (and, if it
//! holds the packet back, not before the time that it gave), so its AQM does not see the delay
//! in the device queue. Packets in the device queue cannot be dropped, marked or overtaken. The packet in transmission
//! is no longer in it.

use super::{Modes, PortQueue, Surroundings};
use crate::packet::SimPacket;
use penstock_aqm::{Backlog, Next};
use penstock_core::{Limit, Time};
use std::collections::VecDeque;

/// The device queue of a port.
pub(crate) struct DeviceQueue {
    limit: Limit,
    /// Packets and the times at which they entered the discipline.
    packets: VecDeque<(SimPacket, Time)>,
    bytes: u64,
    /// Until when the discipline holds back packets that there is room for; [`Time::NEVER`] if it holds none back.
    refill_at: Time,
}

impl DeviceQueue {
    /// The modes of a port with a device queue: the discipline is asked for a packet whenever there is room.
    pub(crate) const MODES: Modes = Modes::EVENTED_ONLY;

    /// An empty device queue that accepts packets while it holds less than `limit`.
    pub(crate) fn new(limit: Limit) -> Self {
        Self { limit, packets: VecDeque::new(), bytes: 0, refill_at: Time::NEVER }
    }

    /// Take packets from the discipline while there is room. Returns the discipline's answer if it has no packet to send.
    #[cold]
    pub(crate) fn fill(&mut self, queue: &mut PortQueue, now: Time, around: &mut Surroundings<'_>) -> Next<SimPacket> {
        self.refill_at = Time::NEVER;
        while self.has_room() {
            match queue.dequeue(now, around) {
                Next::Send(packet) => {
                    let waiting = queue.discipline.reported_backlog().packets;
                    let enqueued = around.tally.queues[queue.outlet.port as usize].hand_over(waiting);
                    self.push(packet, enqueued);
                }
                Next::NotBefore(time) => {
                    self.refill_at = time;
                    return Next::NotBefore(time);
                }
                Next::Empty => break,
            }
        }
        Next::Empty
    }

    /// The next packet for a free transmitter; its place is refilled.
    #[cold]
    pub(crate) fn dequeue(
        &mut self,
        queue: &mut PortQueue,
        now: Time,
        around: &mut Surroundings<'_>,
    ) -> Next<SimPacket> {
        let answer = self.fill(queue, now, around);
        let Some((packet, enqueued)) = self.pop() else { return answer };
        let backlog: Backlog = queue.discipline.reported_backlog();
        let tally = &mut *around.tally;
        tally.port = queue.outlet.port;
        tally.leave_device(now, &packet, enqueued, &backlog);
        self.fill(queue, now, around);
        Next::Send(packet)
    }

    /// Whether the queue accepts another packet. The last packet may exceed a limit in bytes, as with BQL.
    fn has_room(&self) -> bool {
        match self.limit {
            Limit::Packets(limit) => self.packets.len() < limit as usize,
            Limit::Bytes(limit) => self.bytes < limit,
            Limit::Infinite => true,
        }
    }

    /// Take a packet that entered the discipline at `enqueued`.
    fn push(&mut self, packet: SimPacket, enqueued: Time) {
        self.bytes += u64::from(packet.size);
        self.packets.push_back((packet, enqueued));
    }

    /// The next packet to transmit, and the time at which it entered the discipline.
    fn pop(&mut self) -> Option<(SimPacket, Time)> {
        let next = self.packets.pop_front()?;
        self.bytes -= u64::from(next.0.size);
        Some(next)
    }

    /// When the discipline may supply another packet; [`Time::NEVER`] if that requires an arrival or a departure.
    pub(super) fn refill_at(&self) -> Time {
        self.refill_at
    }

    /// Waiting packets and bytes.
    pub(crate) fn backlog(&self) -> (u32, u64) {
        (self.packets.len() as u32, self.bytes)
    }
}

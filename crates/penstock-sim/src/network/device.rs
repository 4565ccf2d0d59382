//! Ports with a device queue below the discipline.

use super::Network;
use crate::packet::SimPacket;
use crate::port_queue::PortQueue;
use penstock_aqm::Next;
use penstock_core::Time;

impl Network {
    /// Hand packets of the discipline over to the device queue while that has room; returns the discipline's answer if
    /// it has no packet to send.
    #[cold]
    pub(super) fn fill_device(&mut self, number: usize, now: Time) -> Next<SimPacket> {
        while self.ports[number].device.as_ref().is_some_and(|device| device.has_room()) {
            let Self { ports, tally, facts, events, .. } = self;
            let port = &mut ports[number];
            let next = port.operate(number, now, tally, facts, PortQueue::dequeue);
            port.update_timer(events);
            match next {
                Next::Send(packet) => {
                    let enqueued = tally.queues[number].hand_over();
                    if let Some(device) = &mut port.device {
                        device.push(packet, enqueued);
                    }
                }
                none => return none,
            }
        }
        Next::Empty
    }

    /// The transmitter is free: start the transmission of the next packet of the device queue.
    #[cold]
    pub(super) fn serve_device(&mut self, number: usize, now: Time) {
        let next = self.dequeue_from_device(number, now);
        let port = &mut self.ports[number];
        let Some(mut packet) = port.take(next, &mut self.events) else { return };
        let outlet = port.outlet;
        self.transmit(outlet, now, &mut packet);
    }

    /// Remove the next packet of the device queue, and refill the device queue.
    fn dequeue_from_device(&mut self, number: usize, now: Time) -> Next<SimPacket> {
        let answer = self.fill_device(number, now);
        let port = &mut self.ports[number];
        let Some((packet, enqueued)) = port.device.as_mut().and_then(|device| device.pop()) else { return answer };
        let backlog = port.queue.reported_backlog();
        (self.tally.port, self.tally.link) = (number as u32, port.outlet.link);
        self.tally.leave_device(now, &packet, enqueued, &backlog);
        self.fill_device(number, now);
        Next::Send(packet)
    }
}

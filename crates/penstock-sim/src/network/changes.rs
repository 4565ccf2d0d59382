//! Links that change during the run.

use super::Network;
use crate::changing_link::{ChangingLink, Reordered};
use crate::packet::SimPacket;
use crate::port::State;
use penstock_core::Time;
use penstock_link::Departure;

impl Network {
    /// Start the transmission of a packet on a link that changes; returns the end of the transmission.
    #[cold]
    pub(super) fn transmit_on_changing_link(&mut self, now: Time, number: u32, packet: &mut SimPacket) -> Time {
        let ChangingLink { port, changes, reordered, .. } = &mut self.changes[number as usize];
        let link = &mut self.links[self.ports[*port as usize].outlet.link as usize];
        let departure = changes.depart(now, &mut link.transmitter, link.delay, packet.size);
        let Departure { end, arrival, is_reordered } = departure;
        if let Some(Reordered { rank, packets }) = reordered.as_mut().filter(|_| is_reordered) {
            packets.push(arrival, *packet);
            self.events.set(*rank, packets.next());
        } else {
            let line = link.line;
            self.propagate(arrival, line, packet);
        }
        end
    }

    /// Remove the reordered packet that has arrived. The caller passes it on.
    #[cold]
    pub(crate) fn take_reordered(&mut self, number: u32) -> Option<SimPacket> {
        let Reordered { rank, packets } = self.changes[number as usize].reordered.as_mut()?;
        let packet = packets.pop();
        self.events.set(*rank, packets.next());
        packet
    }

    /// A link changes.
    #[cold]
    pub(crate) fn on_link_change(&mut self, now: Time, number: u32) {
        let ChangingLink { port, rank, changes, .. } = &mut self.changes[number as usize];
        let stats = &mut self.tally.queues[*port as usize];
        let port = &mut self.ports[*port as usize];
        let link = &mut self.links[port.outlet.link as usize];
        if let Some(info) = changes.apply(now, &mut link.transmitter, &mut link.delay) {
            port.settle(now, stats);
            port.queue.on_link(now, info);
        }
        if let Some(end) = changes.start_outage(now) {
            // During an outage the transmitter is busy without sending anything.
            let free = self.events.time_of(port.outlet.rank).filter(|_| port.state == State::Busy);
            port.state = State::Busy;
            self.events.set(port.outlet.rank, end.max(free.unwrap_or(end)));
        }
        self.events.set(port.timer_rank, port.queue.next_timeout().unwrap_or(Time::NEVER));
        self.events.set(*rank, changes.next());
    }
}

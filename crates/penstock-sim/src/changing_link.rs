//! A link that changes during the run, and its entries of the event queue.

use crate::event_queue::EventQueue;
use crate::link::Link;
use crate::packet::SimPacket;
use crate::port::Modes;
use penstock_core::Time;
use penstock_link::{Departure, LinkChanges, ReorderedPackets};

/// A link that changes. All its changes share one entry of the event queue.
pub(crate) struct ChangingLink {
    /// Number of its port.
    pub(crate) port: u32,
    /// Rank of its changes in the event queue.
    pub(crate) rank: u32,
    pub(crate) changes: LinkChanges,
    pub(crate) reordered: Option<Reordered>,
}

/// The reordered packets in flight, if the link reorders.
pub(crate) struct Reordered {
    /// Rank of their arrivals in the event queue.
    pub(crate) rank: u32,
    pub(crate) packets: ReorderedPackets<SimPacket>,
}

impl ChangingLink {
    /// The modes of a port in front of a link that changes: a transmission depends on all changes up to its start.
    pub(crate) const MODES: Modes = Modes::EVENTED_ONLY;

    /// Start the transmission of a packet on `link`; returns its end, and the arrival of the packet unless it is reordered: the
    /// arrival of a reordered packet is scheduled here.
    #[cold]
    pub(crate) fn transmit(
        &mut self,
        now: Time,
        link: &mut Link,
        packet: &SimPacket,
        events: &mut EventQueue,
    ) -> (Time, Option<Time>) {
        let departure = self.changes.depart(now, &mut link.transmitter, link.delay, packet.size);
        let Departure { end, arrival, is_reordered } = departure;
        if let Some(Reordered { rank, packets }) = self.reordered.as_mut().filter(|_| is_reordered) {
            packets.push(arrival, *packet);
            events.set(*rank, packets.next());
            return (end, None);
        }
        (end, Some(arrival))
    }

    /// Remove the reordered packet that has arrived. The caller passes it on.
    #[cold]
    pub(crate) fn take_reordered(&mut self, events: &mut EventQueue) -> Option<SimPacket> {
        let Reordered { rank, packets } = self.reordered.as_mut()?;
        let packet = packets.pop();
        events.set(*rank, packets.next());
        packet
    }
}

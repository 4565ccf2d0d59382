//! The network into which a TCP sender transmits: it turns segments into packets of the sender's connection.

use super::Network;
use crate::host::Origin;
use crate::packet::SimPacket;
use penstock_core::Time;
use penstock_tcp::Segment;

/// The network for one action of a TCP sender, which happens at `now`.
pub(crate) struct SenderNetwork<'a> {
    pub(crate) network: &'a mut Network,
    pub(crate) now: Time,
    pub(crate) origin: &'a Origin,
}

impl penstock_tcp::PacketSink for SenderNetwork<'_> {
    #[inline]
    fn transmit(&mut self, segment: Segment) {
        let Origin { flow, first_hop: hop, epoch, dscp } = *self.origin;
        let packet = SimPacket { flow, hop, dscp, epoch, ..SimPacket::of(&segment) };
        self.network.send(self.now, packet);
    }
}

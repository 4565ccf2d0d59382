//! Round robin by packets over flows: a queue for each flow, one packet of each in turn, empty queues skipped.

use super::packet_slab::{PacketSlab, SlabQueue, Taken};
use crate::list::{Linked, Links, List};
use crate::per_flow::PerFlow;
use penstock_core::{Packet, Time};

/// Packets of flows, one of each flow in turn; the packets of a flow leave in order of arrival. O(1) time, O(flows)
/// memory.
pub(super) struct FlowOrder {
    flows: PerFlow<Flow>,
    /// Flows that have packets, the next one first.
    turns: List,
    packets: u32,
    bytes: u64,
}

struct Flow {
    waiting: SlabQueue,
    links: Links,
}

impl Default for Flow {
    fn default() -> Self {
        Self { waiting: SlabQueue::EMPTY, links: Links::NONE }
    }
}

impl Linked for Flow {
    #[inline]
    fn links(&self) -> &Links {
        &self.links
    }
    #[inline]
    fn links_mut(&mut self) -> &mut Links {
        &mut self.links
    }
}

impl FlowOrder {
    pub(super) fn new() -> Self {
        Self { flows: PerFlow::new(), turns: List::EMPTY, packets: 0, bytes: 0 }
    }

    /// Make room for flows with numbers below `flows`.
    pub(super) fn reserve(&mut self, flows: u32) {
        self.flows.reserve(flows);
    }

    /// Append a packet to its flow. Returns its slot.
    pub(super) fn push<P: Packet, T: Copy>(
        &mut self,
        packets: &mut PacketSlab<P, T>,
        packet: P,
        tag: T,
        now: Time,
    ) -> u32 {
        let meta = packet.meta();
        let waiting = &mut self.flows.of(meta.flow).waiting;
        let was_empty = waiting.packets() == 0;
        let slot = packets.push(waiting, &packet, tag, now);
        if was_empty {
            let id = self.flows.index(meta.flow);
            self.turns.push(self.flows.all_mut(), id);
        }
        self.packets += 1;
        self.bytes += u64::from(meta.size);
        slot
    }

    /// Removes the first packet of the flow whose turn it is.
    pub(super) fn pop<P: Packet, T: Copy>(&mut self, packets: &mut PacketSlab<P, T>) -> Option<Taken<P>> {
        let flows = self.flows.all_mut();
        let waiting = &mut flows.get_mut(self.turns.head()? as usize)?.waiting;
        let taken = packets.pop(waiting)?;
        if waiting.packets() == 0 {
            self.turns.pop(flows);
        } else {
            self.turns.rotate(flows);
        }
        self.packets -= 1;
        self.bytes -= u64::from(taken.packet.meta().size);
        Some(taken)
    }

    /// The slot of the packet that the next pop removes.
    pub(super) fn head(&self) -> Option<u32> {
        self.flows.get(self.turns.head()?)?.waiting.head()
    }

    pub(super) fn packets(&self) -> u32 {
        self.packets
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::numbered;

    #[test]
    fn flows_take_turns_and_empty_ones_are_skipped() {
        let (mut flows, mut packets) = (FlowOrder::new(), PacketSlab::new());
        for (flow, number) in [(0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (2, 6)] {
            flows.push(&mut packets, numbered(flow, number), (), Time::ZERO);
        }
        assert_eq!((flows.packets(), flows.bytes()), (6, 21));
        let order: Vec<_> =
            core::iter::from_fn(|| flows.pop(&mut packets).map(|taken| (taken.packet.flow, taken.packet.size)))
                .collect();
        assert_eq!(order, [(0, 1), (1, 4), (2, 5), (0, 2), (2, 6), (0, 3)]);
        assert_eq!((flows.packets(), flows.bytes(), flows.head()), (0, 0, None));
    }
}

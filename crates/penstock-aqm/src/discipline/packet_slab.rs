//! The store of the disciplines with many queues: packets lie in one slab, chained within their queue, so that an empty queue
//! costs a few words, and a packet may leave from either end of its queue or from its middle, in O(1) time.
//!
//! A discipline with a single queue needs no chains: see [`super::packet_queue`].

use super::verdicts::Total;
use super::{Env, Probe};
use crate::aqm::Backlog;
use crate::list::{Linked, Links, List, NONE};
use alloc::vec::Vec;
use penstock_core::{Limit, Packet, Time};

/// The packets of many queues, each with a tag `T` of its discipline. Through its tag a packet may be in further lists.
///
/// The slot freed last is used first, while it is still in the cache.
#[derive(Clone)]
pub(crate) struct PacketSlab<P, T = ()> {
    slots: Vec<Slot<P, T>>,
    /// The first of the free slots, which are chained.
    free: u32,
    packets: u32,
    bytes: u64,
}

#[derive(Clone)]
pub(crate) struct Slot<P, T> {
    packet: P,
    enqueued: Time,
    tag: T,
    links: Links,
}

/// Links within the packet's queue.
impl<P, T> Linked for Slot<P, T> {
    #[inline]
    fn links(&self) -> &Links {
        &self.links
    }
    #[inline]
    fn links_mut(&mut self) -> &mut Links {
        &mut self.links
    }
}

/// The next slot in the list of its tag.
impl<P, T: Linked<TAG>> Linked<TAG> for Slot<P, T> {
    #[inline]
    fn links(&self) -> &Links {
        self.tag.links()
    }
    #[inline]
    fn links_mut(&mut self) -> &mut Links {
        self.tag.links_mut()
    }
}

/// Number of lists of tags.
pub(crate) const TAG: usize = 1;

/// A queue of packets in the slab.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlabQueue {
    list: List,
    bytes: u64,
}

/// A packet that has left the slab.
#[derive(Clone)]
pub(crate) struct Taken<P> {
    pub(crate) packet: P,
    pub(crate) enqueued: Time,
}

/// A packet that has left its queue, but can still be judged and reported in its slot, without a copy.
pub(crate) struct Detached<'a, P> {
    pub(crate) slot: u32,
    pub(crate) packet: &'a mut P,
    pub(crate) enqueued: Time,
    /// The remaining packets, over all queues.
    pub(crate) total: Total,
    /// When the next packet of its queue was queued.
    pub(crate) next_enqueued: Option<Time>,
}

impl SlabQueue {
    pub(crate) const EMPTY: Self = Self { list: List::EMPTY, bytes: 0 };

    #[inline]
    pub(crate) const fn packets(&self) -> u32 {
        self.list.len()
    }

    #[inline]
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Size used to find the longest queue: its bytes, or its number of packets if all have size 0.
    pub(crate) fn weight(&self) -> u64 {
        self.bytes.max(u64::from(self.packets()))
    }

    /// The slot of the packet at the head.
    #[inline]
    pub(crate) fn head(&self) -> Option<u32> {
        self.list.head()
    }

    /// The slot of the packet at the tail.
    #[inline]
    pub(crate) fn tail(&self) -> Option<u32> {
        self.list.tail()
    }
}

impl<P: Packet, T: Copy> PacketSlab<P, T> {
    pub(crate) const fn new() -> Self {
        Self { slots: Vec::new(), free: NONE, packets: 0, bytes: 0 }
    }

    /// Reserves memory for this many packets.
    pub(crate) fn reserve(&mut self, packets: u32) {
        self.slots.reserve(packets as usize);
    }

    /// Packets and bytes, over all queues.
    #[inline]
    pub(crate) fn total(&self) -> Total {
        Total { packets: self.len(), bytes: self.bytes }
    }

    /// Number of packets, over all queues.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.packets
    }

    /// The waiting packets of a link with this limit; `queues` are all queues that hold packets.
    pub(crate) fn backlog<'a>(&self, limit: Limit, queues: impl Iterator<Item = &'a SlabQueue>) -> Backlog {
        let oldest = queues.filter_map(|queue| self.oldest(queue)).min();
        Backlog { packets: self.packets, bytes: self.bytes, limit, oldest }
    }

    /// Whether `limit` leaves room for a packet of `size` bytes.
    #[inline]
    pub(crate) fn has_room(&self, limit: Limit, size: u32) -> bool {
        limit.admits(self.len(), self.bytes, size)
    }

    /// Whether more packets are stored than `limit` allows.
    #[inline]
    pub(crate) fn is_overfull(&self, limit: Limit) -> bool {
        self.len() > 0 && !limit.admits(self.len() - 1, self.bytes, 0)
    }

    /// Appends a packet to `queue`. Returns its slot.
    #[expect(
        clippy::inline_always,
        reason = "`push` and `push_reported` together save 2 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    pub(crate) fn push(&mut self, queue: &mut SlabQueue, packet: &P, tag: T, enqueued: Time) -> u32 {
        let size = u64::from(packet.meta().size);
        let links = queue.list.links_of_next();
        let index = if self.free == NONE {
            self.slots.push(Slot { packet: *packet, enqueued, tag, links });
            self.slots.len() as u32 - 1
        } else {
            let slot = &mut self.slots[self.free as usize];
            let index = core::mem::replace(&mut self.free, slot.links.next);
            // Written field by field, so that the packet is moved to its place only once.
            slot.packet = *packet;
            (slot.enqueued, slot.tag, slot.links) = (enqueued, tag, links);
            index
        };
        queue.list.push_linked(&mut self.slots, index);
        self.packets += 1;
        queue.bytes += size;
        self.bytes += size;
        index
    }

    /// Appends an arriving packet to `queue`, and reports it.
    #[expect(
        clippy::inline_always,
        reason = "`push` and `push_reported` together save 2 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    pub(crate) fn push_reported(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        queue: &mut SlabQueue,
        packet: &P,
        tag: T,
    ) -> u32 {
        self.total().with(packet.meta().size).accept(env, packet);
        self.push(queue, packet, tag, env.now)
    }

    /// Reports the packet in a slot as queued now.
    pub(crate) fn report_queued(&self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, slot: u32) {
        self.total().accept(env, self.packet(slot));
    }

    /// Takes the packet at the head of `queue` from it, but leaves it in its slot.
    #[inline]
    pub(crate) fn detach(&mut self, queue: &mut SlabQueue) -> Option<Detached<'_, P>> {
        let Self { slots, free, packets, bytes } = self;
        let index = queue.list.head_index();
        let slot = slots.get(index as usize)?;
        let (size, next) = (u64::from(slot.packet.meta().size), slot.links.next);
        let next_enqueued = slots.get(next as usize).map(|next| next.enqueued);
        let slot = &mut slots[index as usize];
        slot.links.next = core::mem::replace(free, index);
        queue.list.advance(next);
        queue.bytes -= size;
        *packets -= 1;
        *bytes -= size;
        let total = Total { packets: *packets, bytes: *bytes };
        Some(Detached { slot: index, packet: &mut slot.packet, enqueued: slot.enqueued, total, next_enqueued })
    }

    /// Removes the packet at the head of `queue`.
    #[inline]
    pub(crate) fn pop(&mut self, queue: &mut SlabQueue) -> Option<Taken<P>> {
        self.detach(queue).map(|detached| Taken { packet: *detached.packet, enqueued: detached.enqueued })
    }

    /// Removes the packet in a slot from `queue`, which holds it.
    #[inline]
    pub(crate) fn remove(&mut self, queue: &mut SlabQueue, index: u32) -> Taken<P> {
        queue.list.remove(&mut self.slots, index);
        let slot = &mut self.slots[index as usize];
        slot.links.next = core::mem::replace(&mut self.free, index);
        let Slot { packet, enqueued, .. } = *slot;
        let size = u64::from(packet.meta().size);
        queue.bytes -= size;
        self.packets -= 1;
        self.bytes -= size;
        Taken { packet, enqueued }
    }

    /// The packet at the head of `queue`.
    #[inline]
    pub(crate) fn first(&self, queue: &SlabQueue) -> Option<&P> {
        queue.list.first(&self.slots).map(|slot| &slot.packet)
    }

    /// The packet in a slot.
    #[inline]
    pub(crate) fn packet(&self, slot: u32) -> &P {
        &self.slots[slot as usize].packet
    }

    /// The tag of the packet in a slot.
    #[inline]
    pub(crate) fn tag(&self, slot: u32) -> T {
        self.slots[slot as usize].tag
    }

    /// The tag of the packet in a slot, to change it.
    pub(crate) fn tag_mut(&mut self, slot: u32) -> &mut T {
        &mut self.slots[slot as usize].tag
    }

    /// When the packet in a slot was queued.
    #[inline]
    pub(crate) fn enqueued(&self, slot: u32) -> Time {
        self.slots[slot as usize].enqueued
    }

    /// When the head of `queue` was queued.
    #[inline]
    pub(crate) fn oldest(&self, queue: &SlabQueue) -> Option<Time> {
        queue.list.first(&self.slots).map(|slot| slot.enqueued)
    }

    /// All slots, for lists that chain packets by their tags.
    #[inline]
    pub(crate) fn slots_mut(&mut self) -> &mut [Slot<P, T>] {
        &mut self.slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::numbered;
    use penstock_core::{PacketMeta, Rng};
    use std::collections::VecDeque;

    /// Queues, and the same packets in plain lists; the flow of a packet is its number.
    struct Both {
        slab: PacketSlab<PacketMeta, u32>,
        queues: [SlabQueue; 5],
        plain: Vec<VecDeque<u32>>,
    }

    impl Both {
        fn push(&mut self, i: usize, number: u32) {
            let (packet, now) = (numbered(number, number % 100), Time::from_nanos(u64::from(number)));
            let slot = self.slab.push(&mut self.queues[i], &packet, 7 * number, now);
            assert_eq!((self.queues[i].tail(), self.slab.packet(slot)), (Some(slot), &packet));
            self.plain[i].push_back(number);
        }

        /// Removes the packet at `place` of the plain list, from either end or by its slot.
        fn take(&mut self, i: usize, place: usize) {
            let queue = &mut self.queues[i];
            let Some(number) = self.plain[i].remove(place) else {
                assert!(self.slab.pop(queue).is_none() && queue.tail().is_none());
                return;
            };
            let holds = |slot: &u32| self.slab.packet(*slot).flow == number;
            let slot = (0..self.slab.slots.len() as u32).find(holds).unwrap();
            assert_eq!(self.slab.tag(slot), 7 * number);
            let taken = if place == 0 { self.slab.pop(queue).unwrap() } else { self.slab.remove(queue, slot) };
            let now = Time::from_nanos(u64::from(number));
            assert_eq!((taken.packet.flow, taken.enqueued), (number, now));
        }

        fn check(&self) {
            for (queue, plain) in self.queues.iter().zip(&self.plain) {
                assert_eq!(queue.packets() as usize, plain.len());
                assert_eq!(queue.bytes(), plain.iter().map(|n| u64::from(n % 100)).sum::<u64>());
                let ends = [queue.head(), queue.tail()].map(|slot| slot.map(|slot| self.slab.packet(slot).flow));
                assert_eq!(ends, [plain.front().copied(), plain.back().copied()]);
                assert_eq!(self.slab.oldest(queue), plain.front().map(|&n| Time::from_nanos(u64::from(n))));
            }
            let all = self.plain.iter().flatten();
            let oldest = all.clone().min().map(|&n| Time::from_nanos(u64::from(n)));
            assert_eq!(self.slab.backlog(Limit::Infinite, self.queues.iter()).oldest, oldest);
            let Total { packets, bytes } = self.slab.total();
            assert_eq!((packets as usize, bytes), (all.clone().count(), all.map(|n| u64::from(n % 100)).sum()));
        }
    }

    #[test]
    fn queues_do_not_mix_and_slots_are_used_again() {
        let mut rng = Rng::stream(1, "slab");
        let mut both = Both { slab: PacketSlab::new(), queues: [SlabQueue::EMPTY; 5], plain: vec![VecDeque::new(); 5] };
        let mut most = 0;
        for number in 0..20_000_u32 {
            let i = rng.below(5) as usize;
            if rng.chance(0.5) {
                both.push(i, number);
            } else {
                let last = both.plain[i].len().saturating_sub(1);
                let place = [0, 0, last, rng.below(last as u64 + 1) as usize][rng.below(4) as usize];
                both.take(i, place);
            }
            both.check();
            most = most.max(both.plain.iter().map(VecDeque::len).sum::<usize>());
        }
        assert_eq!(both.slab.slots.len(), most);
    }

    #[test]
    fn a_slot_costs_little_more_than_its_packet() {
        assert!(size_of::<Slot<[u64; 3], ()>>() <= 24 + 8 + 16);
    }
}

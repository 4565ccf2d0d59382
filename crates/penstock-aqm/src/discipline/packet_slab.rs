//! One store for the packets of many queues: each queue is a linked list through it, so an empty queue holds no memory.

use alloc::vec::Vec;
use penstock_core::Time;

/// No slot, no queue.
pub(crate) const NONE: u32 = u32::MAX;

/// The packets. The slot freed last is used first, while it is still in the cache.
pub(crate) struct PacketSlab<P> {
    slots: Vec<Slot<P>>,
    free: u32,
    /// Head and tail of the list of all packets in order of arrival.
    oldest: u32,
    newest: u32,
}

struct Slot<P> {
    /// `None` in a free slot.
    packet: Option<P>,
    enqueued: Time,
    size: u32,
    /// The next packet of the queue, or the next free slot.
    next: u32,
    /// Its neighbours among the packets of all queues.
    older: u32,
    newer: u32,
}

/// A queue of packets in the slab.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlabQueue {
    head: u32,
    tail: u32,
    pub(crate) packets: u32,
    pub(crate) bytes: u64,
}

impl SlabQueue {
    pub(crate) const EMPTY: Self = Self { head: NONE, tail: NONE, packets: 0, bytes: 0 };

    /// Size used to find the longest queue: its bytes, or its packets if all of them have size 0.
    pub(crate) fn weight(&self) -> u64 {
        self.bytes.max(u64::from(self.packets))
    }
}

impl<P> PacketSlab<P> {
    pub(crate) const fn new() -> Self {
        Self { slots: Vec::new(), free: NONE, oldest: NONE, newest: NONE }
    }

    /// Reserves memory for this many packets.
    pub(crate) fn reserve(&mut self, packets: u32) {
        self.slots.reserve(packets as usize);
    }

    /// Appends a packet of `size` bytes to `queue`.
    pub(crate) fn push(&mut self, queue: &mut SlabQueue, packet: P, size: u32, now: Time) {
        let slot = Slot { packet: Some(packet), enqueued: now, size, next: NONE, older: self.newest, newer: NONE };
        let index = if self.free == NONE {
            self.slots.push(slot);
            self.slots.len() as u32 - 1
        } else {
            let index = self.free;
            self.free = core::mem::replace(&mut self.slots[index as usize], slot).next;
            index
        };
        match self.slots.get_mut(self.newest as usize) {
            Some(before) => before.newer = index,
            None => self.oldest = index,
        }
        self.newest = index;
        if queue.packets == 0 {
            queue.head = index;
        } else {
            self.slots[queue.tail as usize].next = index;
        }
        queue.tail = index;
        queue.packets += 1;
        queue.bytes += u64::from(size);
    }

    /// Removes the head packet of `queue`: its enqueue time and the packet.
    pub(crate) fn pop(&mut self, queue: &mut SlabQueue) -> Option<(Time, P)> {
        let slot = self.slots.get_mut(queue.head as usize)?;
        let packet = slot.packet.take()?;
        queue.packets -= 1;
        queue.bytes -= u64::from(slot.size);
        let next = core::mem::replace(&mut slot.next, self.free);
        self.free = queue.head;
        queue.head = next;
        let Slot { enqueued, older, newer, .. } = *slot;
        match self.slots.get_mut(older as usize) {
            Some(before) => before.newer = newer,
            None => self.oldest = newer,
        }
        match self.slots.get_mut(newer as usize) {
            Some(after) => after.older = older,
            None => self.newest = older,
        }
        Some((enqueued, packet))
    }

    /// Enqueue time of the head packet of `queue`.
    pub(crate) fn oldest(&self, queue: &SlabQueue) -> Option<Time> {
        self.slots.get(queue.head as usize).map(|slot| slot.enqueued)
    }

    /// Enqueue time of the oldest packet.
    pub(crate) fn oldest_of_all(&self) -> Option<Time> {
        self.slots.get(self.oldest as usize).map(|slot| slot.enqueued)
    }

    /// The last packet of `queue`.
    pub(crate) fn last(&self, queue: &SlabQueue) -> Option<&P> {
        if queue.packets == 0 { None } else { self.slots[queue.tail as usize].packet.as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Rng;
    use std::collections::VecDeque;

    #[test]
    fn queues_do_not_mix_and_slots_are_used_again() {
        let mut rng = Rng::stream(1, "slab");
        let mut slab = PacketSlab::new();
        let (mut lines, mut plain) = ([SlabQueue::EMPTY; 5], vec![VecDeque::new(); 5]);
        let mut most = 0;
        for number in 0..20_000_u32 {
            let i = rng.below(5) as usize;
            if rng.chance(0.5) {
                slab.push(&mut lines[i], number, number % 100, Time::from_nanos(u64::from(number)));
                plain[i].push_back(number);
            } else {
                let packet = slab.pop(&mut lines[i]);
                assert_eq!(packet, plain[i].pop_front().map(|n| (Time::from_nanos(u64::from(n)), n)));
            }
            assert_eq!(lines[i].packets as usize, plain[i].len());
            assert_eq!(lines[i].bytes, plain[i].iter().map(|n| u64::from(n % 100)).sum::<u64>());
            assert_eq!(slab.last(&lines[i]), plain[i].back());
            assert_eq!(slab.oldest(&lines[i]).is_some(), !plain[i].is_empty());
            let oldest = plain.iter().filter_map(VecDeque::front).min();
            assert_eq!(slab.oldest_of_all(), oldest.map(|&n| Time::from_nanos(u64::from(n))));
            most = most.max(plain.iter().map(VecDeque::len).sum::<usize>());
        }
        assert_eq!(slab.slots.len(), most);
    }
}

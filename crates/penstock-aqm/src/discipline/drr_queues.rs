//! Queues that are served by deficit round robin: what the schemes of this family share.
//!
//! The packets of all queues lie in one slab, chained in both directions within their queue, so that a queue costs a
//! few words, a packet leaves from either end at once, and the slot freed last, which is still in the cache, is filled
//! next. The queues that hold packets are chained in a ring, in the order of service. Every operation takes constant
//! time, but for a turn that finds no queue able to send (see [`DrrQueues::skip_rounds`]).

use alloc::vec::Vec;
use penstock_core::Time;

/// No slot, no queue.
const NONE: u32 = u32::MAX;

/// What a queue may send in each of its turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantum {
    /// So many bytes, and what it could not use in the turn before.
    Bytes(u64),
    /// One packet, whatever its size.
    Packet,
}

/// Which end of a queue loses a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Head,
    Tail,
}

/// An observer of the queues: called at every change of a queue's length or of its place in the round.
pub(super) trait Watcher {
    fn on_change(&mut self, _now: Time, _id: u32, _queue: &Queue) {}
}

impl Watcher for () {}

/// One queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    bytes: u64,
    deficit: u64,
    position: u64,
    packets: u32,
    head: u32,
    tail: u32,
    next: u32,
    previous: u32,
}

impl Queue {
    const EMPTY: Self =
        Self { bytes: 0, deficit: 0, position: 0, packets: 0, head: NONE, tail: NONE, next: NONE, previous: NONE };

    pub(super) fn packets(&self) -> u32 {
        self.packets
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Grows along the round: of two queues that hold packets, the one with the smaller position is served sooner.
    pub(super) fn position(&self) -> u64 {
        self.position
    }
}

/// A place for a packet; `next` chains the free places too.
struct Slot<P> {
    packet: Option<P>,
    enqueued: Time,
    size: u32,
    next: u32,
    previous: u32,
}

/// A packet that has left its queue.
pub(super) struct Taken<P> {
    pub(super) packet: P,
    pub(super) enqueued: Time,
    pub(super) size: u32,
    pub(super) slot: u32,
}

/// The queues, numbered from 0.
pub(super) struct DrrQueues<P> {
    slots: Vec<Slot<P>>,
    free: u32,
    queues: Vec<Queue>,
    /// The queue whose turn it is, or is next.
    front: u32,
    /// Whether the queue at the front has got its quantum.
    in_turn: bool,
    active: u32,
    positions: u64,
    packets: u32,
    bytes: u64,
    quantum: Quantum,
}

impl<P> DrrQueues<P> {
    pub(super) fn new(quantum: Quantum) -> Self {
        Self {
            slots: Vec::new(),
            free: NONE,
            queues: Vec::new(),
            front: NONE,
            in_turn: false,
            active: 0,
            positions: 0,
            packets: 0,
            bytes: 0,
            quantum,
        }
    }

    /// Make room for this many packets and queues.
    pub(super) fn reserve(&mut self, packets: u32, queues: u32) {
        self.slots.reserve(packets as usize);
        self.queues.reserve(queues as usize);
    }

    /// Queue `id` has no deficit any more.
    pub(super) fn forget_deficit(&mut self, id: u32) {
        if let Some(queue) = self.queues.get_mut(id as usize) {
            queue.deficit = 0;
        }
    }

    /// Whether queue `id` holds packets.
    pub(super) fn holds_packets(&self, id: u32) -> bool {
        self.queues.get(id as usize).is_some_and(|queue| queue.packets > 0)
    }

    pub(super) fn set_quantum(&mut self, quantum: Quantum) {
        self.quantum = quantum;
    }

    /// Waiting packets, over all queues.
    pub(super) fn packets(&self) -> u32 {
        self.packets
    }

    /// Waiting bytes, over all queues.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many queues hold packets.
    pub(super) fn active(&self) -> u32 {
        self.active
    }

    /// How many queues there are: the highest number seen, and 1.
    pub(super) fn known(&self) -> u32 {
        self.queues.len() as u32
    }

    /// The queue of this number, which now exists.
    pub(super) fn reach(&mut self, id: u32) -> &Queue {
        if id as usize >= self.queues.len() {
            self.queues.resize(id as usize + 1, Queue::EMPTY);
        }
        &self.queues[id as usize]
    }

    /// The queue at the front of the round.
    pub(super) fn front(&self) -> Option<u32> {
        (self.front != NONE).then_some(self.front)
    }

    /// When the earliest of the heads was queued; one look at each queue in the round.
    pub(super) fn oldest(&self) -> Option<Time> {
        let next = |&id: &u32| Some(self.queues[id as usize].next);
        let round = core::iter::successors(self.front(), next).take(self.active as usize);
        round.map(|id| self.slots[self.queues[id as usize].head as usize].enqueued).min()
    }

    /// The packet in a slot.
    pub(super) fn packet(&self, slot: u32) -> Option<&P> {
        self.slots[slot as usize].packet.as_ref()
    }

    /// Put a packet at the tail of queue `id`, which exists; its slot. An empty queue joins the end of the round.
    pub(super) fn push(
        &mut self,
        watcher: &mut impl Watcher,
        now: Time,
        id: u32,
        (packet, size, enqueued): (P, u32, Time),
    ) -> u32 {
        let tail = self.queues[id as usize].tail;
        let slot = self.fill(Slot { packet: Some(packet), enqueued, size, next: NONE, previous: tail });
        let queue = &mut self.queues[id as usize];
        queue.tail = slot;
        queue.packets += 1;
        queue.bytes += u64::from(size);
        self.packets += 1;
        self.bytes += u64::from(size);
        if tail == NONE {
            queue.head = slot;
            self.join(id);
        } else {
            self.slots[tail as usize].next = slot;
        }
        watcher.on_change(now, id, &self.queues[id as usize]);
        slot
    }

    /// Take a packet from either end of queue `id`. A queue that becomes empty leaves the round and its deficit is
    /// lost.
    pub(super) fn pop(&mut self, watcher: &mut impl Watcher, now: Time, id: u32, end: End) -> Option<Taken<P>> {
        let queue = self.queues.get_mut(id as usize)?;
        let index = if end == End::Head { queue.head } else { queue.tail };
        let slot = self.slots.get_mut(index as usize)?;
        let taken = Taken { packet: slot.packet.take()?, enqueued: slot.enqueued, size: slot.size, slot: index };
        let neighbour = if end == End::Head { slot.next } else { slot.previous };
        slot.next = core::mem::replace(&mut self.free, index);
        queue.packets -= 1;
        queue.bytes -= u64::from(taken.size);
        self.packets -= 1;
        self.bytes -= u64::from(taken.size);
        if neighbour == NONE {
            (queue.head, queue.tail) = (NONE, NONE);
            self.leave(id);
        } else if end == End::Head {
            queue.head = neighbour;
            self.slots[neighbour as usize].previous = NONE;
        } else {
            queue.tail = neighbour;
            self.slots[neighbour as usize].next = NONE;
        }
        watcher.on_change(now, id, &self.queues[id as usize]);
        Some(taken)
    }

    /// The packet to send now, and its queue.
    pub(super) fn serve(&mut self, watcher: &mut impl Watcher, now: Time) -> Option<(u32, Taken<P>)> {
        let mut passed = 0;
        loop {
            let id = self.front()?;
            if !self.in_turn {
                self.queues[id as usize].deficit += self.quantum_size();
                self.in_turn = true;
            }
            let queue = &mut self.queues[id as usize];
            if let Some(left) = queue.deficit.checked_sub(self.quantum.cost(self.slots[queue.head as usize].size)) {
                queue.deficit = left;
                let taken = self.pop(watcher, now, id, End::Head)?;
                // A turn of one packet is over with it; by bytes it may go on with what arrives later.
                if self.quantum == Quantum::Packet && self.queues[id as usize].packets > 0 {
                    self.end_turn(watcher, now, id);
                }
                return Some((id, taken));
            }
            self.end_turn(watcher, now, id);
            passed += 1;
            if passed == self.active {
                self.skip_rounds();
            }
        }
    }

    fn quantum_size(&self) -> u64 {
        match self.quantum {
            Quantum::Bytes(bytes) => bytes,
            Quantum::Packet => 1,
        }
    }

    fn end_turn(&mut self, watcher: &mut impl Watcher, now: Time, id: u32) {
        self.positions += 1;
        let queue = &mut self.queues[id as usize];
        queue.position = self.positions;
        self.front = queue.next;
        self.in_turn = false;
        watcher.on_change(now, id, queue);
    }

    /// A whole round in which no queue could send, because the quantum is smaller than the packets: go at once to the
    /// round in which the first of them can. One look at each queue, however small the quantum.
    fn skip_rounds(&mut self) {
        let quantum = self.quantum_size();
        let rounds_to_send = |queue: &Queue| {
            let missing = self.quantum.cost(self.slots[queue.head as usize].size) - queue.deficit;
            missing.div_ceil(quantum)
        };
        let (mut id, mut rounds) = (self.front, u64::MAX);
        for _ in 0..self.active {
            rounds = rounds.min(rounds_to_send(&self.queues[id as usize]));
            id = self.queues[id as usize].next;
        }
        // The round in which it sends gives out the last quantum itself.
        for _ in 0..self.active {
            self.queues[id as usize].deficit += (rounds - 1) * quantum;
            id = self.queues[id as usize].next;
        }
    }

    /// Put a packet in the slot freed last, or a new one.
    fn fill(&mut self, slot: Slot<P>) -> u32 {
        if self.free == NONE {
            self.slots.push(slot);
            return self.slots.len() as u32 - 1;
        }
        let index = self.free;
        self.free = core::mem::replace(&mut self.slots[index as usize], slot).next;
        index
    }

    /// A queue joins the end of the round, which is just before the front of the ring.
    fn join(&mut self, id: u32) {
        self.active += 1;
        self.positions += 1;
        let (next, previous) = if self.front == NONE {
            self.front = id;
            (id, id)
        } else {
            (self.front, self.queues[self.front as usize].previous)
        };
        let queue = &mut self.queues[id as usize];
        (queue.next, queue.previous) = (next, previous);
        queue.position = self.positions;
        self.queues[previous as usize].next = id;
        self.queues[next as usize].previous = id;
    }

    fn leave(&mut self, id: u32) {
        self.active -= 1;
        let queue = &mut self.queues[id as usize];
        queue.deficit = 0;
        let (next, previous) = (queue.next, queue.previous);
        self.queues[previous as usize].next = next;
        self.queues[next as usize].previous = previous;
        if self.front == id {
            self.in_turn = false;
            self.front = if next == id { NONE } else { next };
        }
    }
}

impl Quantum {
    /// What a packet of this size takes from the deficit.
    fn cost(self, size: u32) -> u64 {
        match self {
            Self::Bytes(_) => u64::from(size),
            Self::Packet => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Rng;
    use std::collections::VecDeque;

    fn push(queues: &mut DrrQueues<u32>, id: u32, size: u32) {
        queues.reach(id);
        queues.push(&mut (), Time::ZERO, id, (size, size, Time::ZERO));
    }

    /// The queues of the next `n` packets.
    fn order(queues: &mut DrrQueues<u32>, n: usize) -> Vec<u32> {
        (0..n).map_while(|_| queues.serve(&mut (), Time::ZERO).map(|(id, _)| id)).collect()
    }

    #[test]
    fn what_a_turn_leaves_is_carried_into_the_next() {
        // Quantum 500. Queue 0 sends 200 and has 300 left, too little for 750; in its next turn it has 800, sends 750
        // and 20, and is empty. Queue 1 sends one packet a turn.
        let mut queues = DrrQueues::new(Quantum::Bytes(500));
        for size in [200, 750, 20] {
            push(&mut queues, 0, size);
        }
        push(&mut queues, 1, 500);
        push(&mut queues, 1, 500);
        let sizes: Vec<_> = (0..5).map(|_| queues.serve(&mut (), Time::ZERO).unwrap().1.packet).collect();
        assert_eq!(sizes, [200, 500, 750, 20, 500]);
        assert!(queues.serve(&mut (), Time::ZERO).is_none());
    }

    #[test]
    fn a_queue_that_was_empty_starts_at_the_end_of_the_round_without_deficit() {
        let mut queues = DrrQueues::new(Quantum::Bytes(1000));
        push(&mut queues, 0, 400);
        push(&mut queues, 1, 1000);
        assert_eq!(order(&mut queues, 1), [0]);
        push(&mut queues, 0, 1500);
        push(&mut queues, 1, 1000);
        // Had queue 0 kept its 600 bytes, its 1500 would go in its first turn.
        assert_eq!(order(&mut queues, 3), [1, 1, 0]);
    }

    #[test]
    fn one_packet_a_turn_is_plain_round_robin() {
        let mut queues = DrrQueues::new(Quantum::Packet);
        for size in [1500, 1500, 1500] {
            push(&mut queues, 0, size);
            push(&mut queues, 1, 40);
        }
        assert_eq!(order(&mut queues, 6), [0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn rounds_in_which_nobody_can_send_are_skipped_not_walked() {
        // With quantum 1 the first queue saves for 65535 rounds and the second for 65534, so the second goes first;
        // with 7 they need 9363 and 9362 rounds.
        for quantum in [1, 7] {
            let mut queues = DrrQueues::new(Quantum::Bytes(quantum));
            for _ in 0..1000 {
                push(&mut queues, 0, 65_535);
                push(&mut queues, 1, 65_528);
            }
            assert_eq!(order(&mut queues, 4), [1, 0, 1, 0]);
            assert_eq!(order(&mut queues, 2000).len(), 1996);
        }
    }

    #[test]
    fn skipped_rounds_give_the_order_of_walked_ones() {
        // The oracle walks every round.
        let mut rng = Rng::stream(1, "walk");
        for quantum in [1, 13, 100, 1500] {
            let sizes: Vec<Vec<u32>> = (0..5).map(|_| (0..20).map(|_| 40 + rng.below(400) as u32).collect()).collect();
            let mut queues = DrrQueues::new(Quantum::Bytes(quantum));
            for (id, sizes) in sizes.iter().enumerate() {
                for &size in sizes {
                    push(&mut queues, id as u32, size);
                }
            }
            let mut wanted = Vec::new();
            let mut waiting: Vec<_> = sizes.into_iter().map(VecDeque::from).collect();
            let mut deficits = [0; 5];
            while wanted.len() < 100 {
                for id in 0..5 {
                    deficits[id] += quantum;
                    while waiting[id].front().is_some_and(|&size| u64::from(size) <= deficits[id]) {
                        deficits[id] -= u64::from(waiting[id].pop_front().unwrap());
                        wanted.push(id as u32);
                    }
                }
            }
            assert_eq!(order(&mut queues, 100), wanted, "quantum {quantum}");
        }
    }

    #[test]
    fn packets_leave_from_either_end_in_any_order() {
        // Against a list of lists.
        let mut rng = Rng::stream(2, "ends");
        let mut queues = DrrQueues::new(Quantum::Bytes(1500));
        let mut lists = vec![VecDeque::new(); 7];
        for step in 0..20_000_u32 {
            let id = rng.below(7) as u32;
            queues.reach(id);
            let list = &mut lists[id as usize];
            let (taken, wanted) = match rng.below(4) {
                0 | 1 => {
                    queues.push(&mut (), Time::ZERO, id, (step, 100, Time::ZERO));
                    list.push_back(step);
                    continue;
                }
                2 => (queues.pop(&mut (), Time::ZERO, id, End::Head), list.pop_front()),
                _ => (queues.pop(&mut (), Time::ZERO, id, End::Tail), list.pop_back()),
            };
            assert_eq!(taken.map(|taken| taken.packet), wanted);
            assert_eq!(queues.packets() as usize, lists.iter().map(VecDeque::len).sum::<usize>());
            assert_eq!(queues.active() as usize, lists.iter().filter(|list| !list.is_empty()).count());
        }
    }

    #[test]
    fn the_oldest_is_the_earliest_head_whoever_is_next() {
        let mut queues = DrrQueues::new(Quantum::Packet);
        for (id, at) in [(0, 1), (1, 2), (0, 3), (1, 4)] {
            queues.reach(id);
            queues.push(&mut (), Time::from_nanos(at), id, (0, 100, Time::from_nanos(at)));
        }
        // After a packet of queue 0, its next one, and then after one of queue 1.
        for (oldest, served) in [(1, 0), (2, 1), (3, 0), (4, 1)] {
            assert_eq!(queues.oldest(), Some(Time::from_nanos(oldest)));
            assert_eq!(order(&mut queues, 1), [served]);
        }
        assert_eq!(queues.oldest(), None);
    }

    #[test]
    fn a_slot_is_used_again_before_a_new_one() {
        let mut queues = DrrQueues::new(Quantum::Bytes(1500));
        for _ in 0..100_000 {
            push(&mut queues, 0, 1500);
            push(&mut queues, 1, 1500);
            order(&mut queues, 2);
        }
        assert_eq!(queues.slots.len(), 2);
    }

    #[test]
    fn a_queue_costs_48_bytes_and_a_slot_little_more_than_its_packet() {
        assert_eq!(size_of::<Queue>(), 48);
        assert!(size_of::<Slot<[u64; 3]>>() <= 24 + 8 + 24);
    }
}

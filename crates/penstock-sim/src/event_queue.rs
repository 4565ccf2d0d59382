//! The event queue.
//!
//! Every *source* of events (a link's end of transmission, the head of a delay line, a flow's timer) has at most one
//! pending entry, so the queue grows with links and flows, not with packets. Sources are ranked once, by class and then
//! by number; entries are ordered by `(time, rank)`, which is a total order, so a run never depends on the order in
//! which its parts were created or its events scheduled.
//!
//! The queue is a winner tree over keys that pack time and rank into 64 bits. Of the structures that were measured it
//! is the fastest: two to four times as fast as a binary heap. An update walks one path of the tree, three nodes for
//! 500 sources. The first eight sources have a node of their own outside the tree.

use penstock_core::Time;
use penstock_prefetch::prefetch;

/// Pending entries, one for each source, ordered by `(time, rank)`.
pub(crate) struct EventQueue {
    /// The smallest key of all.
    first: u64,
    /// The keys of the first sources, i.e. of ports and of the first delay lines. Their entries move at almost every event.
    busy: Node,
    /// The smallest key in `busy`, and the smallest key of all other sources.
    first_busy: u64,
    first_other: u64,
    /// The root of the tree of the other sources.
    root: Node,
    /// The nodes below the root, row by row: the keys of node `n` are the smallest ones of nodes `8 n + 8` to `8 n + 15`, and in
    /// the last row those of sources. A node is a cache line.
    nodes: Vec<Node>,
    /// Number of rows below the root, and number of nodes above the last row.
    height: u32,
    inner: usize,
    sources: usize,
    rank_bits: u32,
    /// The bits of a key that hold the rank.
    rank_mask: u64,
    /// The smallest time that does not fit into a key.
    horizon: u64,
    /// The largest key of an entry that [`EventQueue::next`] returns.
    limit: u64,
}

type Node = [u64; WIDTH];
const WIDTH: usize = 1 << WIDTH_BITS;
const WIDTH_BITS: u32 = 3;

/// No entry.
const NEVER: u64 = u64::MAX;

impl EventQueue {
    /// An empty queue for `sources` sources with ranks 0 to `sources` - 1.
    pub(crate) fn new(sources: usize) -> Self {
        let others = sources.saturating_sub(WIDTH);
        let height = (0..=10).find(|&height| WIDTH.pow(height + 1) >= others).unwrap_or_default();
        // The root and full rows of 8, 64, ... nodes above the last row.
        let inner = (0..height).map(|row| WIDTH.pow(row)).sum();
        let nodes = if height == 0 { 0 } else { inner - 1 + others.div_ceil(WIDTH) };
        let rank_bits = rank_bits(sources);
        Self {
            first: NEVER,
            busy: [NEVER; WIDTH],
            first_busy: NEVER,
            first_other: NEVER,
            root: [NEVER; WIDTH],
            nodes: vec![[NEVER; WIDTH]; nodes],
            height,
            inner,
            sources,
            rank_bits,
            rank_mask: (1 << rank_bits) - 1,
            horizon: NEVER >> rank_bits,
            limit: NEVER - 1,
        }
    }

    /// From now on [`EventQueue::next`] returns only entries up to and including `end`.
    pub(crate) fn set_end(&mut self, end: Time) {
        let fits = end.as_nanos() < self.horizon;
        self.limit = if fits { end.as_nanos() << self.rank_bits | self.rank_mask } else { NEVER - 1 };
    }

    /// Make room for `sources` sources.
    pub(crate) fn grow(&mut self, sources: usize) {
        if sources <= self.sources {
            return;
        }
        let mut larger = Self::new(sources.next_power_of_two());
        for rank in 0..self.sources as u32 {
            if let Some(time) = self.time_of(rank) {
                larger.bring_forward(rank, time);
            }
        }
        larger.set_end(Time::from_nanos(self.limit >> self.rank_bits));
        *self = larger;
    }

    /// Time of the entry of the source with this rank, if it has one.
    pub(crate) fn time_of(&self, rank: u32) -> Option<Time> {
        let key = match (rank as usize).checked_sub(WIDTH) {
            None => self.busy[rank as usize],
            Some(place) if self.height == 0 => self.root[place],
            Some(place) => self.nodes[self.leaf(place) - 1][place % WIDTH],
        };
        (key != NEVER).then(|| Time::from_nanos(key >> self.rank_bits))
    }

    /// A number of sources with which an event queue can represent all times up to and including `end`: the largest
    /// possible power of two, or half of it.
    pub(crate) fn max_sources(end: Time) -> usize {
        let free = (end.as_nanos() + 1).leading_zeros();
        1 << free.saturating_sub(1).min(31)
    }

    /// The latest time that a queue of `sources` sources can hold: 4.5 years with 100 sources, 4.9 hours with a million.
    pub(crate) fn horizon(sources: usize) -> Time {
        Time::from_nanos((NEVER >> rank_bits(sources)) - 1)
    }

    /// Move the entry of the source with this rank to `time`. A time beyond the horizon removes it.
    #[inline]
    pub(crate) fn set(&mut self, rank: u32, time: Time) {
        self.update(rank, self.key(rank, time));
    }

    /// Move the entry of the source with this rank to `time` unless it is earlier. Faster than [`EventQueue::set`].
    #[inline]
    pub(crate) fn bring_forward(&mut self, rank: u32, time: Time) {
        let key = self.key(rank, time);
        let Some(place) = (rank as usize).checked_sub(WIDTH) else {
            let known = &mut self.busy[rank as usize % WIDTH];
            *known = key.min(*known);
            self.first_busy = self.first_busy.min(key);
            self.first = self.first.min(key);
            return;
        };
        let (mut node, mut place) = (self.leaf(place), place);
        while let Some(number) = node.checked_sub(1) {
            let known = &mut self.nodes[number][place % WIDTH];
            if *known <= key {
                return;
            }
            *known = key;
            (node, place) = (number >> WIDTH_BITS, number);
        }
        let known = &mut self.root[place % WIDTH];
        *known = key.min(*known);
        self.first_other = self.first_other.min(key);
        self.first = self.first.min(key);
    }

    /// Remove the entry of the source with this rank.
    #[inline]
    pub(crate) fn clear(&mut self, rank: u32) {
        self.update(rank, NEVER);
    }

    /// The earliest entry, unless it is after the end set. It stays until its source sets or clears it.
    #[inline]
    pub(crate) fn next(&self) -> Option<(Time, u32)> {
        let key = self.first;
        (key <= self.limit).then(|| (Time::from_nanos(key >> self.rank_bits), (key & self.rank_mask) as u32))
    }

    /// The rank of the earliest among the sources that share a place in the root with this source; arbitrary if none
    /// has an entry.
    pub(crate) fn earliest_beside(&self, rank: u32) -> u32 {
        let key = match (rank as usize).checked_sub(WIDTH) {
            None => self.busy[rank as usize],
            Some(place) => self.root[(place >> (WIDTH_BITS * self.height)) % WIDTH],
        };
        (key & self.rank_mask) as u32
    }

    /// Fetch the entry of the source with this rank, if there is one.
    pub(crate) fn fetch(&self, rank: u32) {
        let place = (rank as usize).checked_sub(WIDTH);
        if let Some(node) = place.and_then(|place| self.nodes.get(self.leaf(place).wrapping_sub(1))) {
            prefetch(node);
        }
    }

    /// The node of the last row that holds the key at this place: 0 for the root, else its number in `nodes` plus one.
    #[inline]
    fn leaf(&self, place: usize) -> usize {
        if self.height == 0 { 0 } else { self.inner + (place >> WIDTH_BITS) }
    }

    #[inline]
    fn key(&self, rank: u32, time: Time) -> u64 {
        let nanos = time.as_nanos();
        if nanos >= self.horizon { NEVER } else { nanos << self.rank_bits | u64::from(rank) }
    }

    /// Update all nodes on the path to the root: usually the earliest entry moves, so all of them change. The next
    /// event depends on the result, so each node first computes the minimum of its other keys, which does not depend on
    /// the node below.
    #[inline]
    fn update(&mut self, rank: u32, key: u64) {
        if let Some(place) = (rank as usize).checked_sub(WIDTH) {
            self.climb(place, key);
        } else {
            self.first_busy = replace(&mut self.busy, rank as usize, key);
            self.first = self.first_busy.min(self.first_other);
        }
    }

    fn climb(&mut self, mut place: usize, key: u64) {
        let (mut node, mut winner) = (self.leaf(place), key);
        while let Some(number) = node.checked_sub(1) {
            winner = replace(&mut self.nodes[number], place, winner);
            (node, place) = (number >> WIDTH_BITS, number);
        }
        self.first_other = replace(&mut self.root, place, winner);
        self.first = self.first_busy.min(self.first_other);
    }
}

/// Put a key at this place of a node, modulo the node's width; returns the smallest key of the node.
#[inline]
fn replace(node: &mut Node, place: usize, key: u64) -> u64 {
    node[place % WIDTH] = NEVER;
    let others = smallest(node);
    node[place % WIDTH] = key;
    others.min(key)
}

#[inline]
fn smallest(node: &Node) -> u64 {
    // Compare as in a tournament, so that the comparisons do not depend on each other.
    let min = |i: usize, j: usize| node[i].min(node[j]);
    min(0, 1).min(min(2, 3)).min(min(4, 5).min(min(6, 7)))
}

fn rank_bits(sources: usize) -> u32 {
    sources.next_power_of_two().max(2).trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn ties_go_to_the_lower_rank() {
        let mut queue = EventQueue::new(3);
        queue.set(2, Time::from_nanos(10));
        queue.set(1, Time::from_nanos(10));
        assert_eq!(queue.next(), Some((Time::from_nanos(10), 1)));
        queue.clear(1);
        assert_eq!(queue.next(), Some((Time::from_nanos(10), 2)));
        queue.set(2, Time::NEVER);
        assert_eq!(queue.next(), None);
    }

    #[test]
    fn growing_keeps_all_entries() {
        for sources in [1, 5, 8, 9, 16, 17, 70, 72, 73, 600] {
            let mut queue = EventQueue::new(sources);
            // Every third source has no entry.
            let time = |rank: u32| Time::from_nanos(u64::from(rank * 7919 % 1009));
            let with: Vec<u32> = (0..sources as u32).filter(|rank| rank % 3 < 2).collect();
            for &rank in &with {
                queue.set(rank, time(rank));
            }
            queue.grow(20 * sources);
            let last = 20 * sources as u32 - 1;
            queue.set(last, Time::from_nanos(500));
            let mut wanted: Vec<(Time, u32)> = with.iter().map(|&rank| (time(rank), rank)).collect();
            wanted.push((Time::from_nanos(500), last));
            wanted.sort_unstable();
            for first in wanted {
                assert_eq!((queue.next(), queue.time_of(first.1)), (Some(first), Some(first.0)));
                queue.clear(first.1);
            }
            assert_eq!(queue.next(), None);
        }
    }

    #[test]
    fn entries_after_the_end_are_kept_back_also_in_a_larger_queue() {
        for end in [499, 500, u64::MAX] {
            let mut queue = EventQueue::new(3);
            queue.set_end(Time::from_nanos(end));
            queue.set(2, Time::from_nanos(500));
            let shown = (end >= 500).then_some((Time::from_nanos(500), 2));
            assert_eq!(queue.next(), shown);
            queue.grow(1000);
            assert_eq!(queue.next(), shown);
            queue.set_end(Time::from_nanos(500));
            assert_eq!(queue.next(), Some((Time::from_nanos(500), 2)));
        }
    }

    #[test]
    fn the_number_of_sources_for_an_end_represents_it_and_four_times_as_many_do_not() {
        for nanos in [1, 100_000_000_000, 1 << 40, (1 << 44) - 3, (1 << 44) - 2, (1 << 44) - 1, 1 << 55, 1 << 62] {
            let (end, most) = (Time::from_nanos(nanos), EventQueue::max_sources(Time::from_nanos(nanos)));
            assert!(end < EventQueue::horizon(most), "{end:?}: not with {most} sources");
            assert!(most == 1 << 31 || EventQueue::horizon(4 * most) <= end, "{end:?}: also with {} sources", 4 * most);
        }
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_sorted_map(
            sources in 1_usize..700,
            steps in prop::collection::vec((any::<u32>(), prop::option::of(0_u64..1000), any::<bool>()), 1..200),
        ) {
            let mut queue = EventQueue::new(sources);
            let mut oracle = BTreeMap::new();
            for (draw, time, brings_forward) in steps {
                let rank = draw % sources as u32;
                if let Some(nanos) = time {
                    if brings_forward {
                        queue.bring_forward(rank, Time::from_nanos(nanos));
                        oracle.entry(rank).and_modify(|earlier| *earlier = nanos.min(*earlier)).or_insert(nanos);
                    } else {
                        queue.set(rank, Time::from_nanos(nanos));
                        oracle.insert(rank, nanos);
                    }
                } else {
                    queue.clear(rank);
                    oracle.remove(&rank);
                }
                let first = oracle.iter().map(|(&rank, &nanos)| (nanos, rank)).min();
                prop_assert_eq!(queue.next(), first.map(|(nanos, rank)| (Time::from_nanos(nanos), rank)));
                prop_assert_eq!(queue.time_of(rank), oracle.get(&rank).map(|nanos| Time::from_nanos(*nanos)));
                let beside = queue.earliest_beside(rank);
                queue.fetch(beside);
                prop_assert!(time.is_none_or(|nanos| oracle.get(&beside).is_some_and(|earliest| *earliest <= nanos)));
                prop_assert!(first.is_none_or(|(_, first)| queue.earliest_beside(first) == first));
            }
        }
    }
}

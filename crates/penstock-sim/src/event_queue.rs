//! The event queue.
//!
//! Every *source* of events (a link's end of transmission, the head of a delay line, a flow's timer) has at most one
//! pending entry, so the queue grows with links and flows, not with packets. Sources are ranked once, by class and then
//! by number; entries are ordered by `(time, rank)`, which is a total order, so a run never depends on the order in
//! which its parts were created or its events scheduled.
//!
//! The queue is a winner tree over keys that pack time and rank into 64 bits. Of the structures that were measured it
//! is the fastest: two to four times as fast as a binary heap. An update walks one path of the tree, three nodes for
//! 500 sources.

use penstock_core::Time;
use penstock_prefetch::prefetch;

/// Pending entries, one for each source, ordered by `(time, rank)`.
pub(crate) struct EventQueue {
    /// The smallest key of the root.
    first: u64,
    /// The keys of the first few sources, then the smallest key of each subtree of the other sources.
    root: Node,
    /// Number of sources whose keys are in the root: those whose entries move at almost every event, if they are few.
    direct: u32,
    /// The nodes below the root, the row of the sources first. Key `k` of a node is that of source `k`, or the smallest
    /// of a node in the row below. A node is a cache line.
    nodes: Vec<Node>,
    /// Index in `nodes` of the first node of each row.
    rows: Vec<u32>,
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
    /// An empty queue for `sources` sources with ranks 0 to `sources` - 1, of which the first `busy` move most often.
    pub(crate) fn new(sources: usize, busy: usize) -> Self {
        // As few rows as possible; then as many of the busy sources in the root as leave room for the others.
        let room = |direct: usize, height: u32| direct + (WIDTH - direct) * WIDTH.pow(height);
        let height = (0..=10).find(|&height| room(0, height) >= sources).unwrap_or_default();
        let most = if height == 0 { 0 } else { busy.min(WIDTH - 1).min(sources) };
        let direct = (0..=most).rev().find(|&direct| room(direct, height) >= sources).unwrap_or_default();
        let (mut rows, mut nodes, mut row) = (Vec::new(), 0, sources - direct);
        for _ in 0..height {
            rows.push(nodes as u32);
            row = row.div_ceil(WIDTH);
            nodes += row;
        }
        let rank_bits = rank_bits(sources);
        Self {
            first: NEVER,
            root: [NEVER; WIDTH],
            direct: direct as u32,
            nodes: vec![[NEVER; WIDTH]; nodes],
            rows,
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
        let mut larger = Self::new(sources.next_power_of_two(), self.direct as usize);
        for rank in 0..self.sources as u32 {
            if let Some(time) = self.time_of(rank) {
                larger.insert(rank, time);
            }
        }
        larger.set_end(Time::from_nanos(self.limit >> self.rank_bits));
        *self = larger;
    }

    /// Time of the entry of the source with this rank, if it has one.
    pub(crate) fn time_of(&self, rank: u32) -> Option<Time> {
        let key = match rank.checked_sub(self.direct) {
            None => self.root[rank as usize],
            Some(place) if self.rows.is_empty() => self.root[(self.direct + place) as usize],
            Some(place) => self.nodes[(place >> WIDTH_BITS) as usize][place as usize % WIDTH],
        };
        (key != NEVER).then(|| Time::from_nanos(key >> self.rank_bits))
    }

    /// A number of sources with which an event queue can represent all times up to and including `end`: the largest
    /// such power of two, or half of it.
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

    /// As [`EventQueue::set`], for a source that has no entry now: faster.
    #[inline]
    pub(crate) fn insert(&mut self, rank: u32, time: Time) {
        let key = self.key(rank, time);
        self.first = self.first.min(key);
        let Some(mut place) = rank.checked_sub(self.direct).map(|place| place as usize) else {
            return self.root[rank as usize % WIDTH] = key;
        };
        for &row in &self.rows {
            let known = &mut self.nodes[row as usize + (place >> WIDTH_BITS)][place % WIDTH];
            if *known < key {
                return;
            }
            *known = key;
            place >>= WIDTH_BITS;
        }
        let known = &mut self.root[(self.direct as usize + place) % WIDTH];
        *known = key.min(*known);
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

    /// The rank of the earliest of the sources that share a place in the root with this one; any number if none has an entry.
    pub(crate) fn earliest_beside(&self, rank: u32) -> u32 {
        let place = rank.checked_sub(self.direct).map_or(rank, |place| self.direct + (place >> self.height_bits()));
        (self.root[place as usize % WIDTH] & self.rank_mask) as u32
    }

    /// Fetch the entry of the source with this rank, if there is one.
    pub(crate) fn fetch(&self, rank: u32) {
        let node = rank.checked_sub(self.direct).map(|place| place >> WIDTH_BITS);
        if let Some(node) = node.and_then(|node| self.nodes.get(node as usize)) {
            prefetch(node);
        }
    }

    /// Number of bits of the place of a source that lead from the root to it.
    fn height_bits(&self) -> u32 {
        WIDTH_BITS * self.rows.len() as u32
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
        if rank < self.direct {
            self.first = replace(&mut self.root, rank as usize, key);
        } else {
            self.climb(rank - self.direct, key);
        }
    }

    fn climb(&mut self, place: u32, key: u64) {
        let (mut place, mut winner) = (place as usize, key);
        for &row in &self.rows {
            winner = replace(&mut self.nodes[row as usize + (place >> WIDTH_BITS)], place, winner);
            place >>= WIDTH_BITS;
        }
        self.first = replace(&mut self.root, self.direct as usize + place, winner);
    }
}

/// Put a key at this place of a node, modulo its width; returns the smallest key of the node.
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
        let mut queue = EventQueue::new(3, 1);
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
        for (sources, busy) in [(1, 0), (5, 3), (8, 2), (9, 1), (70, 4), (600, 4)] {
            let mut queue = EventQueue::new(sources, busy);
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
            let mut queue = EventQueue::new(3, 1);
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
            busy in 0_usize..12,
            steps in prop::collection::vec((any::<u32>(), prop::option::of(0_u64..1000)), 1..200),
        ) {
            let mut queue = EventQueue::new(sources, busy);
            let mut oracle = BTreeMap::new();
            for (draw, time) in steps {
                let rank = draw % sources as u32;
                if let Some(nanos) = time {
                    if oracle.contains_key(&rank) {
                        queue.set(rank, Time::from_nanos(nanos));
                    } else {
                        queue.insert(rank, Time::from_nanos(nanos));
                    }
                    oracle.insert(rank, nanos);
                } else {
                    queue.clear(rank);
                    oracle.remove(&rank);
                }
                let first = oracle.iter().map(|(&rank, &nanos)| (nanos, rank)).min();
                prop_assert_eq!(queue.next(), first.map(|(nanos, rank)| (Time::from_nanos(nanos), rank)));
                prop_assert_eq!(queue.time_of(rank), time.map(Time::from_nanos));
                let beside = queue.earliest_beside(rank);
                queue.fetch(beside);
                prop_assert!(time.is_none_or(|nanos| oracle.get(&beside).is_some_and(|earliest| *earliest <= nanos)));
                prop_assert!(first.is_none_or(|(_, first)| queue.earliest_beside(first) == first));
            }
        }
    }
}

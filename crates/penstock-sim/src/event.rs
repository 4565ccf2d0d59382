//! The agenda: what happens next.
//!
//! Every *source* of events (a link's end of transmission, the head of a delay line, a flow's timer) has at most one
//! pending entry, so the agenda grows with links and flows, not with packets. Sources are ranked once, by class and then
//! by number; entries are ordered by `(time, rank)`, which is a total order, so a run never depends on the order in
//! which its parts were created or its events scheduled.
//!
//! The agenda is a tournament: nodes of four keys that pack time and rank into 64 bits, each key of an inner node the
//! smallest of a node below. It was the fastest of the orders that were measured, two to four times a binary heap: an
//! update walks one path of the tree, compares four keys at a step, and stops where nothing changes.

use penstock_core::Time;

/// Pending entries, one for each source, ordered by `(time, rank)`.
pub(crate) struct Agenda {
    /// Key `k` of node `n` is the smallest key of node `4 n + k + 1`; the nodes without children hold the sources.
    nodes: Vec<Node>,
    /// The first node without children.
    leaves: usize,
    rank_bits: u32,
}

type Node = [u64; 4];

/// No entry.
const NEVER: u64 = u64::MAX;

impl Agenda {
    /// An empty agenda for `sources` sources with ranks 0 to `sources` - 1.
    pub(crate) fn new(sources: usize) -> Self {
        let (mut leaves, mut width) = (0, 1);
        while 4 * width < sources {
            leaves += width;
            width *= 4;
        }
        let used = leaves + sources.div_ceil(4).max(1);
        Self { nodes: vec![[NEVER; 4]; used], leaves, rank_bits: rank_bits(sources) }
    }

    /// The latest instant that the agenda of so many sources can hold: 4.5 years with 100 sources, 4.9 hours with a
    /// million.
    pub(crate) fn horizon(sources: usize) -> Time {
        Time::from_nanos((NEVER >> rank_bits(sources)) - 1)
    }

    /// Put the entry of the source with this rank at `time`, wherever it was before. Beyond the horizon means never.
    #[inline]
    pub(crate) fn set(&mut self, rank: u32, time: Time) {
        let nanos = time.as_nanos();
        let key = if nanos >= NEVER >> self.rank_bits { NEVER } else { nanos << self.rank_bits | u64::from(rank) };
        self.update(rank, key);
    }

    /// Take back the entry of the source with this rank.
    #[inline]
    pub(crate) fn clear(&mut self, rank: u32) {
        self.update(rank, NEVER);
    }

    /// The earliest entry, which stays until its source sets or clears it.
    #[inline]
    pub(crate) fn first(&self) -> Option<(Time, u32)> {
        let key = smallest(&self.nodes[0]);
        (key != NEVER).then(|| {
            let rank = key & ((1 << self.rank_bits) - 1);
            (Time::from_nanos(key >> self.rank_bits), rank as u32)
        })
    }

    fn update(&mut self, rank: u32, key: u64) {
        let (mut at, mut slot, mut winner) = (self.leaves + rank as usize / 4, rank as usize % 4, key);
        loop {
            let node = &mut self.nodes[at];
            if node[slot] == winner {
                return;
            }
            node[slot] = winner;
            if at == 0 {
                return;
            }
            winner = smallest(node);
            (at, slot) = ((at - 1) / 4, (at - 1) % 4);
        }
    }
}

#[inline]
fn smallest(node: &Node) -> u64 {
    node[0].min(node[1]).min(node[2].min(node[3]))
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
        let mut agenda = Agenda::new(3);
        agenda.set(2, Time::from_nanos(10));
        agenda.set(1, Time::from_nanos(10));
        assert_eq!(agenda.first(), Some((Time::from_nanos(10), 1)));
        agenda.clear(1);
        assert_eq!(agenda.first(), Some((Time::from_nanos(10), 2)));
        agenda.set(2, Time::NEVER);
        assert_eq!(agenda.first(), None);
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_sorted_map(steps in prop::collection::vec((0_u32..37, prop::option::of(0_u64..1000)), 1..200)) {
            let mut agenda = Agenda::new(37);
            let mut oracle = BTreeMap::new();
            for (rank, time) in steps {
                match time {
                    Some(nanos) => { agenda.set(rank, Time::from_nanos(nanos)); oracle.insert(rank, nanos); }
                    None => { agenda.clear(rank); oracle.remove(&rank); }
                }
                let first = oracle.iter().map(|(&rank, &nanos)| (nanos, rank)).min();
                prop_assert_eq!(agenda.first(), first.map(|(nanos, rank)| (Time::from_nanos(nanos), rank)));
            }
        }
    }
}

//! Sets of packet numbers as sorted ranges: packets received out of order, and packets reported by SACK blocks.

use crate::packets_and_acks::SackBlock;
use alloc::collections::VecDeque;

/// A set of packet numbers: disjoint, non-adjacent ranges in ascending order. Nearly every change affects the first or
/// the last range; other ranges are found by binary search. No memory is allocated before the first packet out of
/// order.
#[derive(Clone, Debug, Default)]
pub(crate) struct PacketRanges {
    runs: VecDeque<SackBlock>,
}

impl PacketRanges {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.runs.clear();
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<SackBlock> {
        self.runs.front().copied()
    }

    /// The number after the highest packet of the set.
    #[inline]
    pub(crate) fn end(&self) -> Option<u32> {
        self.runs.back().map(|run| run.end)
    }

    /// The runs in descending order.
    #[inline]
    pub(crate) fn downwards(&self) -> impl Iterator<Item = &SackBlock> {
        self.runs.iter().rev()
    }

    /// Remove the lowest run.
    #[inline]
    pub(crate) fn pop_first(&mut self) -> Option<SackBlock> {
        self.runs.pop_front()
    }

    /// Remove all packets below `seq`; returns their number.
    pub(crate) fn remove_below(&mut self, seq: u32) -> u32 {
        let mut removed = 0;
        while let Some(run) = self.runs.front_mut() {
            if run.start >= seq {
                break;
            }
            if run.end > seq {
                removed += seq - run.start;
                run.start = seq;
                break;
            }
            removed += run.end - run.start;
            self.runs.pop_front();
        }
        removed
    }

    /// Index of the first run that ends above `seq`.
    #[inline]
    fn position(&self, seq: u32) -> usize {
        match self.runs.back() {
            Some(last) if last.end <= seq => self.runs.len(),
            Some(last) if last.start <= seq => self.runs.len() - 1,
            Some(_) => self.runs.partition_point(|run| run.end <= seq),
            None => 0,
        }
    }

    /// The run that contains `seq`.
    #[inline]
    pub(crate) fn find(&self, seq: u32) -> Option<SackBlock> {
        self.runs.get(self.position(seq)).copied().filter(|run| run.start <= seq)
    }

    /// Number of packets of the set in `start..end`.
    pub(crate) fn count_between(&self, start: u32, end: u32) -> u32 {
        let mut count = 0;
        for run in self.runs.range(self.position(start)..) {
            if run.start >= end {
                break;
            }
            count += run.end.min(end) - run.start.max(start);
        }
        count
    }

    /// Add `block`, which is not empty; returns the run that now contains it and the number of new packets.
    pub(crate) fn insert(&mut self, block: SackBlock) -> (SackBlock, u32) {
        let size = block.end - block.start;
        // The first run that touches or overlaps the block, or lies above it.
        let at = match self.runs.back_mut() {
            None => 0,
            Some(last) if last.end < block.start => self.runs.len(),
            Some(last) if last.start <= block.start => {
                let new = block.end.saturating_sub(last.end);
                last.end = last.end.max(block.end);
                return (*last, new);
            }
            Some(_) => self.runs.partition_point(|run| run.end < block.start),
        };
        let Some(run) = self.runs.get(at).copied().filter(|run| run.start <= block.end) else {
            self.runs.insert(at, block);
            return (block, size);
        };
        // Merge every run that the block touches.
        let mut merged = SackBlock { start: run.start.min(block.start), end: run.end.max(block.end) };
        let mut known = run.end.min(block.end).saturating_sub(run.start.max(block.start));
        let mut reached = 1;
        while let Some(next) = self.runs.get(at + reached).filter(|next| next.start <= block.end) {
            merged.end = merged.end.max(next.end);
            known += next.end.min(block.end) - next.start;
            reached += 1;
        }
        self.runs[at] = merged;
        if reached > 1 {
            self.runs.drain(at + 1..at + reached);
        }
        (merged, size - known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn block(start: u32, end: u32) -> SackBlock {
        SackBlock { start, end }
    }

    #[test]
    fn touching_runs_become_one() {
        let mut runs = PacketRanges::default();
        assert_eq!(runs.insert(block(5, 6)), (block(5, 6), 1));
        assert_eq!(runs.insert(block(7, 8)), (block(7, 8), 1));
        assert_eq!(runs.insert(block(6, 7)), (block(5, 8), 1));
        assert_eq!(runs.insert(block(2, 3)), (block(2, 3), 1));
        assert_eq!(runs.insert(block(1, 9)), (block(1, 9), 4));
        assert_eq!(runs.insert(block(3, 4)), (block(1, 9), 0));
    }

    proptest! {
        #[test]
        fn runs_are_a_set(ops in prop::collection::vec((0_u32..60, 1_u32..6, prop::bool::weighted(0.1)), 1..80)) {
            let mut runs = PacketRanges::default();
            let mut set = BTreeSet::new();
            for (start, len, cut) in ops {
                if cut {
                    let below = set.range(..start).count() as u32;
                    set.retain(|seq| *seq >= start);
                    prop_assert_eq!(runs.remove_below(start), below);
                    continue;
                }
                let (run, new) = runs.insert(block(start, start + len));
                let added = (start..start + len).filter(|seq| set.insert(*seq)).count();
                prop_assert_eq!(new as usize, added);
                prop_assert!((run.start..run.end).all(|seq| set.contains(&seq)));
                prop_assert!(!set.contains(&run.end) && (run.start == 0 || !set.contains(&(run.start - 1))));
                for seq in 0..70 {
                    prop_assert_eq!(runs.find(seq).is_some(), set.contains(&seq));
                }
                prop_assert_eq!(runs.count_between(10, 40) as usize, set.range(10..40).count());
            }
        }
    }
}

//! Sets of packet numbers as sorted ranges: packets received out of order, and packets reported by SACK blocks.

use crate::packets_and_acks::SackBlock;
use alloc::vec::Vec;

/// A set of packet numbers: disjoint, non-adjacent ranges. Nearly every change affects the highest or the lowest range:
/// the highest is stored separately, the lowest is the last of the others, and the ranges in between are found by
/// binary search. No memory is allocated before there is a second range.
#[derive(Clone, Debug, Default)]
pub(crate) struct PacketRanges {
    /// The highest run; without packets if the set is empty.
    highest: SackBlock,
    /// The other runs in descending order.
    lower: Vec<SackBlock>,
}

impl PacketRanges {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.highest.start == self.highest.end
    }

    pub(crate) fn clear(&mut self) {
        self.highest = SackBlock::default();
        self.lower.clear();
    }

    /// The number after the highest packet of the set.
    #[inline]
    pub(crate) fn end(&self) -> Option<u32> {
        (!self.is_empty()).then_some(self.highest.end)
    }

    /// The runs in descending order.
    #[inline]
    pub(crate) fn downwards(&self) -> impl Iterator<Item = &SackBlock> {
        let highest = (!self.is_empty()).then_some(&self.highest);
        highest.into_iter().chain(&self.lower)
    }

    /// If the lowest run starts at `seq`, remove it and return the number after it.
    #[inline]
    pub(crate) fn take_from(&mut self, seq: u32) -> Option<u32> {
        if let Some(lowest) = self.lower.last() {
            return if lowest.start == seq { self.lower.pop().map(|run| run.end) } else { None };
        }
        let SackBlock { start, end } = self.highest;
        if self.is_empty() || start != seq {
            return None;
        }
        self.highest.start = end;
        Some(end)
    }

    /// Remove all packets below `seq`; returns their number.
    #[inline]
    pub(crate) fn remove_below(&mut self, seq: u32) -> u32 {
        let mut removed = 0;
        while let Some(run) = self.lower.last_mut() {
            removed += run.remove_below(seq);
            if run.start < run.end {
                return removed;
            }
            self.lower.pop();
        }
        removed + self.highest.remove_below(seq)
    }

    /// The lower runs that end above `seq`.
    #[inline]
    fn lower_above(&self, seq: u32) -> &[SackBlock] {
        let above = if seq < self.highest.start { self.lower.partition_point(|run| run.end > seq) } else { 0 };
        &self.lower[..above]
    }

    /// The run that contains `seq`.
    #[inline]
    pub(crate) fn find(&self, seq: u32) -> Option<SackBlock> {
        let run = *self.lower_above(seq).last().unwrap_or(&self.highest);
        (run.start <= seq && seq < run.end).then_some(run)
    }

    /// Whether all packets of this block belong to the set; an empty block contains none.
    #[inline]
    pub(crate) fn contains(&self, block: SackBlock) -> bool {
        block.start >= block.end || self.find(block.start).is_some_and(|run| block.end <= run.end)
    }

    /// Number of packets of the set in `start..end`.
    pub(crate) fn count_between(&self, start: u32, end: u32) -> u32 {
        let block = SackBlock { start, end };
        let mut count = 0;
        for run in self.lower_above(start).iter().rev() {
            if run.start >= end {
                return count;
            }
            count += run.overlap(block);
        }
        count + self.highest.overlap(block)
    }

    /// Add `block`, which is not empty; returns the run that now contains it and the number of new packets.
    #[inline]
    pub(crate) fn insert(&mut self, block: SackBlock) -> (SackBlock, u32) {
        let SackBlock { start, end } = self.highest;
        if start <= block.start && block.start <= end {
            self.highest.end = end.max(block.end);
            return (self.highest, self.highest.end - end);
        }
        if !self.is_empty() {
            if block.start < start {
                return self.insert_below(block);
            }
            self.lower.insert(0, self.highest);
        }
        self.highest = block;
        (block, block.end - block.start)
    }

    /// Like [`Self::insert`], for a block that starts below the highest run.
    #[inline(never)]
    fn insert_below(&mut self, block: SackBlock) -> (SackBlock, u32) {
        // The lower runs that the block touches or overlaps.
        let first = self.lower.partition_point(|run| run.start > block.end);
        // Most blocks repeat what is known: they lie within existing runs and change nothing.
        if let Some(run) = self.lower.get(first).filter(|run| run.start <= block.start && block.end <= run.end) {
            return (*run, 0);
        }
        let after = self.lower.partition_point(|run| run.end >= block.start);
        let (mut merged, mut new) = (block, block.end - block.start);
        for run in &self.lower[first..after] {
            merged = SackBlock { start: merged.start.min(run.start), end: merged.end.max(run.end) };
            new -= run.overlap(block);
        }
        if self.highest.start <= block.end {
            new -= self.highest.overlap(block);
            merged.end = merged.end.max(self.highest.end);
            self.highest = merged;
            self.lower.drain(first..after);
        } else if first == after {
            self.lower.insert(first, block);
        } else {
            self.lower[first] = merged;
            self.lower.drain(first + 1..after);
        }
        (merged, new)
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
                    prop_assert_eq!(runs.is_empty(), set.is_empty());
                    let lowest = set.first().copied().unwrap_or(start);
                    prop_assert_eq!(runs.take_from(lowest + 1), None);
                    let taken = runs.take_from(lowest);
                    prop_assert_eq!(taken.is_some(), set.remove(&lowest));
                    (lowest..taken.unwrap_or(lowest)).skip(1).for_each(|seq| assert!(set.remove(&seq)));
                    prop_assert!(taken.is_none_or(|end| !set.contains(&end)));
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
                let asked = block(len * 7, start);
                prop_assert_eq!(runs.contains(asked), (asked.start..asked.end).all(|seq| set.contains(&seq)));
                prop_assert_eq!(runs.end(), set.last().map(|seq| seq + 1));
                let downwards = runs.downwards().flat_map(|run| (run.start..run.end).rev());
                prop_assert!(downwards.eq(set.iter().rev().copied()));
            }
        }
    }
}

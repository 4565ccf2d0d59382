//! Blocks of forward error correction at their receiver.
//!
//! A block is k data packets followed by h redundancy packets of an erasure code that restores all of it from any k of
//! its n = k + h packets; packet `seq` belongs to block floor(seq / n). T. Alemu, "Performance Evaluation of Quality of
//! Service Mechanisms in the Internet", PhD thesis, Montpellier 2004, sections 5.2 and 5.3: a block that lost at most h
//! packets is repaired; a block that lost more is not repaired at all.
//!
//! A block counts once each of its packets has arrived or was lost. Blocks that are incomplete at the end of the run do
//! not count, nor do blocks whose first packet was sent before the warm-up ended.

use penstock_core::{Span, Time};
use std::collections::VecDeque;

/// The blocks of one flow.
pub(crate) struct Blocks {
    k: u32,
    n: u32,
    /// Number of the first block in `open`.
    oldest: u32,
    open: VecDeque<Block>,
    /// The first block that counts.
    since: u32,
    pub(crate) sums: BlockSums,
}

/// A block with packets in flight.
#[derive(Clone, Copy, Default)]
struct Block {
    arrived: u32,
    /// Data packets among these.
    data: u32,
    lost: u32,
    lost_data: u32,
    /// Arrival of its first packet.
    first: Time,
    /// Time from the first arrival to the arrival of the k-th packet, once that packet has arrived.
    delay: Option<Span>,
}

/// Sums over the blocks that count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BlockSums {
    pub(crate) blocks: u64,
    /// Packets, and data packets, of all these blocks.
    pub(crate) packets: u64,
    pub(crate) data: u64,
    /// Lost packets: all of them, and those in blocks that were not repaired.
    pub(crate) lost: u64,
    pub(crate) unrepaired: u64,
    /// The same for data packets.
    pub(crate) lost_data: u64,
    pub(crate) unrepaired_data: u64,
    /// Blocks of which k packets arrived: sum and maximum of the times from the first of these packets to the k-th.
    pub(crate) whole: u64,
    pub(crate) delay_s: f64,
    pub(crate) longest_s: f64,
}

impl Blocks {
    /// Blocks of `k` data and `h` redundancy packets.
    pub(crate) fn new(k: u32, h: u32) -> Self {
        Self { k, n: k + h, oldest: 0, open: VecDeque::new(), since: 0, sums: BlockSums::default() }
    }

    /// The statistics start after `sent` packets.
    pub(crate) fn restart(&mut self, sent: u32) {
        self.since = sent.div_ceil(self.n);
        self.sums = BlockSums::default();
    }

    /// Packet `seq` has arrived; returns the number of data packets that the application now gets, restored ones
    /// included.
    pub(crate) fn arrive(&mut self, now: Time, seq: u32) -> u32 {
        let (k, is_data) = (self.k, self.is_data(seq));
        let block = self.block(seq);
        if block.arrived == 0 {
            block.first = now;
        }
        block.arrived += 1;
        let given = match block.arrived.cmp(&k) {
            std::cmp::Ordering::Less => u32::from(is_data),
            std::cmp::Ordering::Equal => {
                block.delay = Some(now - block.first);
                k - block.data
            }
            std::cmp::Ordering::Greater => 0,
        };
        block.data += u32::from(is_data);
        self.settle();
        given
    }

    /// Packet `seq` was lost.
    pub(crate) fn lose(&mut self, seq: u32) {
        let is_data = self.is_data(seq);
        let block = self.block(seq);
        block.lost += 1;
        block.lost_data += u32::from(is_data);
        self.settle();
    }

    fn is_data(&self, seq: u32) -> bool {
        seq % self.n < self.k
    }

    fn block(&mut self, seq: u32) -> &mut Block {
        let index = (seq / self.n - self.oldest) as usize;
        if self.open.len() <= index {
            self.open.resize(index + 1, Block::default());
        }
        &mut self.open[index]
    }

    /// Count the oldest blocks up to the first with packets in flight.
    fn settle(&mut self) {
        while let Some(block) = self.open.front().filter(|block| block.arrived + block.lost == self.n) {
            if self.oldest >= self.since {
                self.sums.count(block, self.k, self.n);
            }
            self.open.pop_front();
            self.oldest += 1;
        }
    }
}

impl BlockSums {
    /// The share of data packets that the receiver lacks after repair; 0 without blocks.
    pub(crate) fn unrepaired_share(&self) -> f64 {
        self.unrepaired_data as f64 / self.data.max(1) as f64
    }

    fn count(&mut self, block: &Block, k: u32, n: u32) {
        let repaired = block.arrived >= k;
        let left = |lost: u32| if repaired { 0 } else { u64::from(lost) };
        self.blocks += 1;
        self.packets += u64::from(n);
        self.data += u64::from(k);
        self.lost += u64::from(block.lost);
        self.unrepaired += left(block.lost);
        self.lost_data += u64::from(block.lost_data);
        self.unrepaired_data += left(block.lost_data);
        if let Some(delay) = block.delay {
            self.whole += 1;
            self.delay_s += delay.as_secs();
            self.longest_s = self.longest_s.max(delay.as_secs());
        }
    }
}

impl std::ops::AddAssign for BlockSums {
    fn add_assign(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.packets += other.packets;
        self.data += other.data;
        self.lost += other.lost;
        self.unrepaired += other.unrepaired;
        self.lost_data += other.lost_data;
        self.unrepaired_data += other.unrepaired_data;
        self.whole += other.whole;
        self.delay_s += other.delay_s;
        self.longest_s = self.longest_s.max(other.longest_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// Three data and two redundancy packets; each letter is the fate of a packet, in order, one packet per ms.
    fn fates(text: &str) -> (Blocks, Vec<u32>) {
        let mut blocks = Blocks::new(3, 2);
        let mut given = Vec::new();
        for (seq, fate) in text.chars().filter(|fate| *fate != ' ').enumerate() {
            if fate == 'x' {
                blocks.lose(seq as u32);
            } else {
                given.push(blocks.arrive(at(seq as u64), seq as u32));
            }
        }
        (blocks, given)
    }

    /// The thesis, section 5.2: two losses are repaired, three are not; losses among the redundancy alone never matter.
    #[test]
    fn a_block_is_repaired_from_any_k_packets() {
        let (blocks, given) = fates("oxoxo ooxxx xxxoo oooxx");
        let sums = blocks.sums;
        assert_eq!((sums.blocks, sums.packets, sums.data), (4, 20, 12));
        // 2 + 3 + 3 + 2 packets are lost, of which 1 + 1 + 3 + 0 carry data; the second and third block are not
        // repaired.
        assert_eq!((sums.lost, sums.unrepaired, sums.lost_data, sums.unrepaired_data), (10, 6, 5, 4));
        // By block, the application gets two packets as they arrive and one with the fifth; two; none; three.
        assert_eq!(given, [1, 1, 1, 1, 1, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn the_delay_of_a_block_ends_with_its_kth_packet() {
        // The third packet to arrive is the fifth one sent, 4 ms after the first; then 2 ms; never.
        let (blocks, _) = fates("oxoxo oooxx xoxxo");
        assert_eq!((blocks.sums.whole, blocks.sums.blocks), (2, 3));
        assert!((blocks.sums.delay_s - 0.006).abs() < 1e-12);
        assert!((blocks.sums.longest_s - 0.004).abs() < 1e-12);
    }

    #[test]
    fn an_incomplete_block_does_not_count() {
        let (blocks, _) = fates("ooooo xxxx");
        assert_eq!((blocks.sums.blocks, blocks.sums.lost), (1, 0));
    }

    #[test]
    fn a_block_that_began_before_the_statistics_does_not_count() {
        let mut blocks = Blocks::new(2, 1);
        (0..4).for_each(|seq| blocks.lose(seq));
        blocks.restart(4);
        (4..9).for_each(|seq| blocks.lose(seq));
        assert_eq!((blocks.sums.blocks, blocks.sums.lost), (1, 3));
    }

    proptest! {
        /// Any order of arrival, compared with each block on its own.
        #[test]
        fn packets_may_come_in_any_order(
            k in 1_u32..6,
            h in 0_u32..4,
            fates in prop::collection::vec(any::<bool>(), 0..60),
            keys in prop::collection::vec(any::<u32>(), 60),
        ) {
            let n = (k + h) as usize;
            let mut order: Vec<usize> = (0..fates.len()).collect();
            order.sort_by_key(|&seq| (keys[seq], seq));
            let (mut blocks, mut given) = (Blocks::new(k, h), 0);
            for seq in order {
                if fates[seq] { given += blocks.arrive(Time::ZERO, seq as u32) } else { blocks.lose(seq as u32) }
            }
            let (mut lost, mut unrepaired, mut got, mut settled, mut ended) = (0, 0, 0, 0, true);
            for block in fates.chunks(n) {
                let gone = block.iter().filter(|arrived| !**arrived).count();
                let data = block.iter().take(k as usize).filter(|arrived| **arrived).count();
                got += if block.len() - gone >= k as usize { k as usize } else { data };
                // All blocks before it are complete too, since only the last may be incomplete.
                ended &= block.len() == n;
                if ended {
                    settled += 1;
                    lost += gone as u64;
                    unrepaired += if gone > h as usize { gone as u64 } else { 0 };
                }
            }
            prop_assert_eq!((blocks.sums.blocks, blocks.sums.lost, blocks.sums.unrepaired), (settled, lost, unrepaired));
            prop_assert_eq!(given as usize, got);
        }
    }
}

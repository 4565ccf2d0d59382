//! Data packets and acknowledgements as they travel between sender and receiver.

use core::ops::Deref;
use penstock_core::{Ecn, Time};

/// A data packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the packet within its flow, from 0.
    pub seq: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Bytes of user data in the packet; the SYN has none.
    pub payload: u32,
    /// Sending time, which the receiver echoes.
    pub stamp: Time,
    /// Whether it is a retransmission.
    pub retransmission: bool,
    /// ECN field.
    pub ecn: Ecn,
    /// CWR, "congestion window reduced": the sender has responded to an echoed mark (RFC 3168, section 6.1.2).
    pub cwr: bool,
    /// PSH: a write of the sender's application, the transfer, or a train of packets ends in this packet.
    pub push: bool,
}

/// Consecutive packets that arrived out of order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// First packet of the block.
    pub start: u32,
    /// The packet after the last one of the block.
    pub end: u32,
}

impl SackBlock {
    /// Number of packets in both blocks.
    #[inline]
    pub(crate) fn overlap(self, other: Self) -> u32 {
        self.end.min(other.end).saturating_sub(self.start.max(other.start))
    }

    /// Remove all packets below `seq`; returns their number.
    #[inline]
    pub(crate) fn remove_below(&mut self, seq: u32) -> u32 {
        let start = seq.clamp(self.start, self.end);
        start - core::mem::replace(&mut self.start, start)
    }
}

/// An ACK as the sender reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack<'a> {
    /// The next packet that the receiver expects in order.
    pub ack: u32,
    /// The echoed sending time of the packet that caused this ACK.
    pub stamp: Time,
    /// ECE, "ECN echo": a marked packet arrived (RFC 3168, section 6.1.3).
    pub ece: bool,
    /// Accurate ECN: the number of marked packets plus 5, modulo 8 (RFC 9768, section 3.2.2); ignored without accurate ECN.
    pub ace: u8,
    /// Blocks received out of order, the most recent first (RFC 2018).
    pub sack: &'a [SackBlock],
    /// Whether the packet that caused this ACK was a retransmission. Real TCP cannot know this; the simulator uses it
    /// only to exclude such samples from the reported mean round-trip time.
    pub retransmission: bool,
}

impl Ack<'_> {
    /// The packets that the receiver reports as duplicates (RFC 2883, section 4): the first block, if it is below the cumulative ACK
    /// or within the second block.
    #[inline]
    pub(crate) fn duplicate(&self) -> Option<SackBlock> {
        let (first, others) = self.sack.split_first()?;
        let is_within = |outer: &SackBlock| outer.start <= first.start && first.end <= outer.end;
        (first.start < self.ack || others.first().is_some_and(is_within)).then_some(*first)
    }
}

/// Up to four SACK blocks, stored in place.
#[derive(Clone, Copy, Debug, Default)]
pub struct SackBlocks {
    blocks: [SackBlock; Self::CAPACITY],
    len: u8,
    /// Whether the first block reports a duplicate.
    has_duplicate: bool,
}

impl SackBlocks {
    /// The number of blocks that fit into the options of a TCP header.
    pub const CAPACITY: usize = 4;

    /// Number of blocks.
    #[inline]
    pub(crate) fn count(&self) -> u8 {
        self.len
    }

    /// No blocks.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.has_duplicate = false;
    }

    /// Whether the first block reports a duplicate.
    #[inline]
    pub(crate) fn has_duplicate(&self) -> bool {
        self.has_duplicate
    }

    /// Insert a block before the others that reports packet `seq` as a duplicate (RFC 2883, section 4); a fifth block is discarded.
    pub(crate) fn insert_duplicate(&mut self, seq: u32) {
        self.blocks.rotate_right(1);
        self.blocks[0] = SackBlock { start: seq, end: seq + 1 };
        self.len = (self.len + 1).min(Self::CAPACITY as u8);
        self.has_duplicate = true;
    }

    /// Remove the block that reports a duplicate, which is reported once.
    pub(crate) fn remove_duplicate(&mut self) {
        self.blocks.rotate_left(1);
        self.len -= 1;
        self.has_duplicate = false;
    }

    /// The first `most` blocks.
    #[inline]
    pub(crate) fn truncated(&self, most: u8) -> Self {
        Self { len: self.len.min(most), ..*self }
    }

    /// If `run` is the first block extended by one packet at its end, replace that block; returns whether it is.
    #[inline]
    pub(crate) fn lengthen_first(&mut self, run: SackBlock) -> bool {
        let [first, ..] = &mut self.blocks;
        let lengthened = self.len > 0 && run.start == first.start && run.end == first.end + 1;
        if lengthened {
            first.end = run.end;
        }
        lengthened
    }

    /// Put block `run` first; it replaces the blocks that it contains.
    #[inline(never)]
    pub(crate) fn promote(&mut self, run: SackBlock) {
        let mut blocks = Self::default();
        blocks.push(run);
        for block in self.iter().filter(|block| block.end < run.start || block.start > run.end) {
            blocks.push(*block);
        }
        *self = blocks;
    }

    /// Remove the blocks below `seq`.
    #[inline(never)]
    pub(crate) fn remove_below(&mut self, seq: u32) {
        let mut blocks = Self::default();
        for block in self.iter().filter(|block| block.start > seq) {
            blocks.push(*block);
        }
        *self = blocks;
    }

    /// The place of the block that packet `seq` belongs to or extends; for a new block, the number of blocks.
    pub(crate) fn place_of(&self, seq: u32) -> usize {
        let extends = |block: &SackBlock| block.start <= seq + 1 && seq <= block.end;
        self.iter().position(extends).unwrap_or(self.len())
    }

    /// Append a block; a fifth one is discarded.
    #[inline]
    pub fn push(&mut self, block: SackBlock) {
        if let Some(free) = self.blocks.get_mut(usize::from(self.len)) {
            *free = block;
            self.len += 1;
        }
    }
}

impl From<&[SackBlock]> for SackBlocks {
    /// The first four blocks.
    fn from(blocks: &[SackBlock]) -> Self {
        let mut kept = Self::default();
        for (place, &block) in kept.blocks.iter_mut().zip(blocks) {
            *place = block;
        }
        kept.len = blocks.len().min(Self::CAPACITY) as u8;
        kept
    }
}

impl PartialEq for SackBlocks {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SackBlocks {}

impl Deref for SackBlocks {
    type Target = [SackBlock];

    #[inline]
    fn deref(&self) -> &[SackBlock] {
        &self.blocks[..usize::from(self.len)]
    }
}

/// An ACK as the receiver sends it; its blocks are [`crate::Receiver::sack_blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverAck {
    /// The next packet expected in order.
    pub ack: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// ECN field of the ACK itself.
    pub ecn: Ecn,
    /// ECE, "ECN echo".
    pub ece: bool,
    /// Accurate ECN: the number of marked packets plus 5, modulo 8; otherwise 0.
    pub ace: u8,
    /// The echoed sending time.
    pub stamp: Time,
    /// Whether the ACKed packet was a retransmission.
    pub retransmission: bool,
    /// Number of its SACK blocks.
    pub blocks: u8,
}

/// Accepts the packets that a sender sends.
pub trait PacketSink {
    /// Send one packet; its sending time is `segment.stamp`.
    fn transmit(&mut self, segment: Segment);
}

//! What travels between a sender and a receiver.

use core::ops::Deref;
use penstock_core::{Ecn, Time};

/// A data packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Number of the packet within its flow, from 0.
    pub seq: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Bytes of user data in it; the opening packet has none.
    pub payload: u32,
    /// When it was sent; the receiver echoes it.
    pub stamp: Time,
    /// Whether this number was sent before.
    pub retransmission: bool,
    /// ECN field.
    pub ecn: Ecn,
    /// "Congestion window reduced": the sender has answered an echoed mark (RFC 3168, section 6.1.2).
    pub cwr: bool,
    /// A write of the sender's application ends in it; the last packet of a transfer is pushed in any case.
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

/// An acknowledgement as its sender reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack<'a> {
    /// The next packet that the receiver expects.
    pub ack: u32,
    /// The echoed sending time of the packet that caused this acknowledgement.
    pub stamp: Time,
    /// "ECN echo": a marked packet arrived (RFC 3168, section 6.1.3).
    pub ece: bool,
    /// Accurate ECN: marked packets, counted modulo 8 from 5 on (RFC 9768, section 3.2.2); otherwise 0, or not looked at.
    pub ace: u8,
    /// Blocks received out of order, the most recent first (RFC 2018).
    pub sack: &'a [SackBlock],
    /// Whether the packet that caused this acknowledgement was a retransmission; known to a simulator only, and used for
    /// no decision but to keep such round trips out of the mean round trip time that is reported.
    pub retransmission: bool,
}

/// Up to four SACK blocks, stored in place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [SackBlock; Self::CAPACITY],
    len: u8,
}

impl SackBlocks {
    /// As many blocks as fit into the options of a TCP header.
    pub const CAPACITY: usize = 4;

    /// Append a block; a fifth one is left out.
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
        for &block in blocks {
            kept.push(block);
        }
        kept
    }
}

impl Deref for SackBlocks {
    type Target = [SackBlock];

    #[inline]
    fn deref(&self) -> &[SackBlock] {
        &self.blocks[..usize::from(self.len)]
    }
}

/// An acknowledgement as its receiver makes it; its blocks are [`crate::Receiver::sack_blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverAck {
    /// The next packet expected.
    pub ack: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// ECN echo.
    pub ece: bool,
    /// Accurate ECN: marked packets, counted modulo 8 from 5 on; otherwise 0.
    pub ace: u8,
    /// The echoed sending time.
    pub stamp: Time,
    /// Whether the packet answered was a retransmission.
    pub retransmission: bool,
}

/// Where a sender puts its packets.
pub trait Network {
    /// Take one packet; its sending time is `segment.stamp`.
    fn transmit(&mut self, segment: Segment);
}

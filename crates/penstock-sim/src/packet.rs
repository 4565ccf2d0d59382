//! Packets of the simulator: 32 bytes by value, and a side table for the SACK blocks that few ACKs carry.

use penstock_core::pure_ack::Block;
use penstock_core::{Dscp, Ecn, Packet, PacketMeta, PureAck, Time};
use penstock_prefetch::prefetch;
use penstock_tcp::{SackBlock, SackBlocks, Segment};

/// Kind of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A data packet of a TCP, its SYN included.
    Data,
    /// A TCP acknowledgement.
    Ack,
    /// A datagram.
    Udp,
}

impl Kind {
    /// The word used in traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Ack => "ack",
            Self::Udp => "udp",
        }
    }
}

/// A packet in the network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimPacket {
    /// Data: sending time. ACK: the stamp that it echoes.
    pub stamp: Time,
    /// Dense number of its flow.
    pub flow: u32,
    /// Data: packet number. ACK: next packet expected.
    pub seq: u32,
    /// Position of the packet: index into the list of all hops of all routes.
    pub hop: u32,
    /// Data: bytes of payload. ACK: slot of its SACK blocks, or [`NO_SACK`].
    pub extra: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Its kind, ECN field and flags.
    pub labels: Labels,
    /// Differentiated services codepoint.
    pub dscp: u8,
    /// Number of the packet's connection within its flow.
    pub epoch: u16,
}

impl SimPacket {
    /// No packet.
    pub(crate) const NONE: Self = Self {
        stamp: Time::ZERO,
        flow: 0,
        seq: 0,
        hop: 0,
        extra: NO_SACK,
        size: 0,
        labels: Labels(0),
        dscp: 0,
        epoch: 0,
    };

    /// A data packet as created by its sender; flow, hop, codepoint and epoch are not set yet.
    #[inline]
    pub(crate) fn of(segment: &Segment) -> Self {
        let flag = |on: bool, flag: u8| if on { flag } else { 0 };
        let Segment { seq, size, payload, stamp, retransmission, ecn, cwr, push } = *segment;
        let flags = flag(retransmission, RETRANSMISSION) | flag(cwr, CWR) | flag(push, PUSH);
        Self { stamp, seq, size, extra: payload, labels: Labels::new(Kind::Data, ecn, flags), ..Self::NONE }
    }

    /// The plain ACK of this data packet, with the blocks in slot `extra`: it ACKs all below `seq` and echoes the sending time,
    /// but no mark.
    #[inline]
    pub(crate) fn plain_ack(&self, seq: u32, extra: u32, size: u32, hop: u32, dscp: u8) -> Self {
        let labels = Labels::new(Kind::Ack, Ecn::Not, self.labels.0 & RETRANSMISSION);
        Self { seq, hop, extra, size, labels, dscp, ..*self }
    }

    /// The packet as a pure ACK, if it is one, with its blocks in `sacks`.
    pub(crate) fn pure_ack(&self, sacks: &SackTable) -> Option<PureAck> {
        if !self.labels.is_ack() {
            return None;
        }
        let blocks = if self.extra == NO_SACK { SackBlocks::default() } else { *sacks.look(self.extra) };
        Some(PureAck {
            connection: u32::from(self.epoch),
            number: self.seq,
            ace: self.labels.ace(),
            timestamp: None,
            has_other_options: false,
            blocks: blocks.iter().map(|&SackBlock { start, end }| Block { start, end }).collect(),
        })
    }

    /// The data packet as its receiver reads it.
    #[inline]
    pub(crate) fn segment(&self) -> Segment {
        let Self { seq, size, extra: payload, stamp, labels, .. } = *self;
        let (retransmission, cwr, push) = (labels.has(RETRANSMISSION), labels.has(CWR), labels.has(PUSH));
        Segment { seq, size, payload, stamp, retransmission, ecn: labels.ecn(), cwr, push }
    }
}

/// Kind, ECN field and flags of a packet in a plain byte: enums would leave the compiler a niche for the tags of
/// `Option` and `Next`, and packets would then be copied in pieces, which is slow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Labels(u8);

const ECN_BITS: u8 = 3;
const KIND_SHIFT: u32 = 2;

impl Labels {
    #[inline]
    pub(crate) fn new(kind: Kind, ecn: Ecn, flags: u8) -> Self {
        Self(flags | (kind as u8) << KIND_SHIFT | ecn as u8)
    }

    #[inline]
    pub(crate) fn kind(self) -> Kind {
        match self.0 >> KIND_SHIFT & 3 {
            0 => Kind::Data,
            1 => Kind::Ack,
            _ => Kind::Udp,
        }
    }

    #[inline]
    pub(crate) fn is_ack(self) -> bool {
        self.kind() == Kind::Ack
    }

    #[inline]
    pub(crate) fn ecn(self) -> Ecn {
        Ecn::from_bits(self.0)
    }

    /// The three flags of accurate ECN as the counter ACE of an acknowledgement.
    #[inline]
    pub(crate) fn ace(self) -> u8 {
        self.0 >> ACE_SHIFT
    }

    /// Whether the data packet has no mark and no CWR.
    #[inline]
    pub(crate) fn is_plain(self) -> bool {
        // One comparison: the mark is the highest ECN field, CWR a higher bit.
        self.0 & (CWR | ECN_BITS) < Ecn::Ce as u8
    }

    #[inline]
    pub(crate) fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }

    /// These labels with this flag set.
    pub(crate) fn with(self, flag: u8) -> Self {
        Self(self.0 | flag)
    }
}

/// A retransmission, or the ACK caused by one.
pub(crate) const RETRANSMISSION: u8 = 1 << 4;
/// "ECN echo" of RFC 3168, in ACKs only.
pub(crate) const ECE: u8 = 1 << 5;
/// A data packet or datagram that a link made as a copy of another.
pub(crate) const COPY: u8 = 1 << 5;
/// "Congestion window reduced" of RFC 3168.
pub(crate) const CWR: u8 = 1 << 6;
/// A data packet that is pushed.
pub(crate) const PUSH: u8 = 1 << 7;
/// "Accurate ECN" of RFC 9768, in ACKs only: together with the two flags above it forms the counter ACE of an
/// acknowledgement.
pub(crate) const AE: u8 = 1 << 7;
/// Lowest bit of ACE.
pub(crate) const ACE_SHIFT: u32 = 5;
/// An ACK without SACK blocks.
pub(crate) const NO_SACK: u32 = u32::MAX;

impl Packet for SimPacket {
    #[inline]
    fn meta(&self) -> PacketMeta {
        let protocol = if self.labels.kind() == Kind::Udp { 17 } else { 6 };
        PacketMeta { flow: self.flow, size: self.size, ecn: self.labels.ecn(), dscp: self.dscp, protocol, rare: None }
    }

    #[inline]
    fn mark(&mut self) {
        self.labels.0 |= ECN_BITS & Ecn::Ce as u8;
    }

    #[inline]
    fn remark(&mut self, dscp: Dscp) {
        self.dscp = dscp.number();
    }
}

/// SACK blocks of the ACKs in flight, in slots that are reused.
#[derive(Default)]
pub(crate) struct SackTable {
    slots: Vec<SackBlocks>,
    free: Vec<u32>,
}

impl SackTable {
    /// Store these blocks; returns their slot, or [`NO_SACK`] if there are none.
    #[inline]
    pub(crate) fn keep(&mut self, blocks: SackBlocks) -> u32 {
        if blocks.is_empty() {
            return NO_SACK;
        }
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = blocks;
            return slot;
        }
        self.slots.push(blocks);
        self.slots.len() as u32 - 1
    }

    /// The blocks in a slot.
    pub(crate) fn look(&self, slot: u32) -> &SackBlocks {
        &self.slots[slot as usize]
    }

    /// Prefetch the blocks in a slot, if this is a slot.
    #[inline]
    pub(crate) fn fetch(&self, slot: u32) {
        if let Some(blocks) = self.slots.get(slot as usize) {
            prefetch(blocks);
        }
    }

    /// Remove the blocks from a slot, which becomes free.
    #[inline]
    pub(crate) fn take(&mut self, slot: u32) -> SackBlocks {
        self.free.push(slot);
        self.slots[slot as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_32_bytes_without_a_niche() {
        assert_eq!(size_of::<SimPacket>(), 32);
        assert_eq!(size_of::<Option<SimPacket>>(), 40);
    }

    #[test]
    fn labels_are_kept_apart() {
        let labels = Labels::new(Kind::Udp, Ecn::Ect1, CWR);
        assert_eq!((labels.kind(), labels.ecn()), (Kind::Udp, Ecn::Ect1));
        assert_eq!([RETRANSMISSION, CWR, ECE].map(|flag| labels.has(flag)), [false, true, false]);
    }

    #[test]
    fn a_segment_comes_out_as_it_went_in() {
        let plain = Segment {
            seq: 7,
            size: 1500,
            payload: 1448,
            stamp: Time::from_nanos(9),
            retransmission: false,
            ecn: Ecn::Ect0,
            cwr: false,
            push: false,
        };
        let with = [
            plain,
            Segment { retransmission: true, ..plain },
            Segment { cwr: true, ..plain },
            Segment { push: true, ..plain },
        ];
        for segment in with {
            assert_eq!(SimPacket::of(&segment).segment(), segment);
        }
    }

    #[test]
    fn slots_are_used_again() {
        let blocks = |start| {
            let mut blocks = SackBlocks::default();
            blocks.push(SackBlock { start, end: start + 2 });
            blocks
        };
        let mut table = SackTable::default();
        let slot = table.keep(blocks(1));
        assert_eq!(table.take(slot), blocks(1));
        assert_eq!(table.keep(blocks(5)), slot);
        assert_ne!(table.keep(blocks(8)), slot);
        assert_eq!(table.keep(SackBlocks::default()), NO_SACK);
    }
}

//! What a law may know of a packet, and what a discipline needs of whatever it holds.

use crate::dscp::Dscp;
use crate::time::Span;

/// The ECN field of the IP header (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    Not = 0,
    /// ECN-capable, codepoint ECT(1).
    Ect1 = 1,
    /// ECN-capable, codepoint ECT(0).
    Ect0 = 2,
    /// Congestion experienced.
    Ce = 3,
}

impl Ecn {
    /// The field with these two bits; higher bits do not count.
    #[inline]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::Not,
            1 => Self::Ect1,
            2 => Self::Ect0,
            _ => Self::Ce,
        }
    }

    /// Whether a queue may mark the packet instead of dropping it.
    #[inline]
    pub fn is_capable(self) -> bool {
        self != Self::Not
    }
}

/// The facts of a packet that a law may look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketMeta {
    /// Dense number of the flow, from 0.
    pub flow: u32,
    /// Size on the wire in bytes.
    pub size: u32,
    /// ECN field.
    pub ecn: Ecn,
    /// Differentiated services codepoint, 0 to 63.
    pub dscp: u8,
    /// IP protocol number: 6 for TCP, 17 for UDP.
    pub protocol: u8,
    /// What few laws look at; `None` unless the law asks for it.
    pub rare: Option<Rare>,
}

/// Facts of a packet that are looked up only for those who ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rare {
    /// Number of the host that sent it.
    pub src: u32,
    /// Number of the host that it goes to.
    pub dst: u32,
    /// Round-trip time that its sender estimates, where it has an estimate.
    pub rtt: Option<Span>,
    /// Application data unit that it is a fragment of, numbered within its flow.
    pub adu: u32,
    /// Importance of its content, larger is more important.
    pub priority: u8,
}

/// Anything a discipline can hold: a few words in the simulator, a real frame in the emulator.
pub trait Packet {
    /// The facts a law may look at.
    fn meta(&self) -> PacketMeta;
    /// Set the ECN field to "congestion experienced".
    fn mark(&mut self);
    /// Set the differentiated services codepoint.
    fn remark(&mut self, dscp: Dscp);
}

impl Packet for PacketMeta {
    fn meta(&self) -> PacketMeta {
        *self
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }

    fn remark(&mut self, dscp: Dscp) {
        self.dscp = dscp.number();
    }
}

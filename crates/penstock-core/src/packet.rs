//! The facts of a packet that an AQM may use, and the interface of packets to disciplines.

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
    /// All fields.
    pub const ALL: [Self; 4] = [Self::Not, Self::Ect0, Self::Ect1, Self::Ce];

    /// The word for it in scenarios.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Not => "not",
            Self::Ect0 => "ect0",
            Self::Ect1 => "ect1",
            Self::Ce => "ce",
        }
    }

    /// The field with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ecn| ecn.word() == word)
    }

    /// The field with these two bits; higher bits are ignored.
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

/// The facts of a packet that an AQM may use.
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
    /// Facts that few AQMs use; `None` unless the AQM asks for them.
    pub rare: Option<Rare>,
}

/// Facts of a packet that are looked up only for AQMs that ask for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rare {
    /// Number of the host that sent it.
    pub src: u32,
    /// Number of its destination host.
    pub dst: u32,
    /// The sender's estimate of the round-trip time, if it has one.
    pub rtt: Option<Span>,
    /// Number, within its flow, of the application data unit of which it is a fragment.
    pub adu: u32,
    /// Importance of its content; larger is more important.
    pub priority: u8,
}

/// Anything a discipline can hold, in a few words: a packet of the simulator, or the number of a buffer with a real frame.
pub trait Packet: Copy + 'static {
    /// The facts that an AQM may use.
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

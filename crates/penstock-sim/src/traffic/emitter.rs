//! Sources of datagrams: open loop, without feedback from the network.

use crate::scenario::HeaderField;
use crate::traffic::datagram::Datagram;
use crate::traffic::paced::Paced;
use crate::traffic::replay::Replay;
use crate::traffic::video::Video;
use penstock_core::{Ecn, Span};

/// A source of datagrams.
pub(crate) struct Emitter {
    clock: Clock,
    /// ECN field and codepoint of all datagrams; `None`: as recorded.
    ecn: Option<Ecn>,
    dscp: Option<u8>,
}

/// Times and sizes of datagrams.
pub(crate) enum Clock {
    /// At a rate.
    Paced(Paced),
    /// Frames of a video.
    Video(Box<Video>),
    /// Recorded packets.
    Replay(Replay),
}

impl Emitter {
    /// A source with this clock.
    pub(crate) fn new(clock: Clock, ecn: HeaderField<Ecn>, dscp: HeaderField<u8>) -> Self {
        Self { clock, ecn: ecn.fixed(), dscp: dscp.fixed() }
    }

    /// Time from the start of the flow to its first packet.
    pub(crate) fn first_gap(&mut self) -> Span {
        match &mut self.clock {
            Clock::Paced(source) => source.first_gap(),
            Clock::Video(source) => source.first_gap(),
            Clock::Replay(source) => source.first_gap(),
        }
    }

    /// The next datagram.
    pub(crate) fn next(&mut self) -> Datagram {
        let datagram = match &mut self.clock {
            Clock::Paced(source) => source.next(),
            Clock::Video(source) => source.next(),
            Clock::Replay(source) => source.next(),
        };
        let (ecn, dscp) = (self.ecn.unwrap_or(datagram.ecn), self.dscp.unwrap_or(datagram.dscp));
        Datagram { ecn, dscp, ..datagram }
    }

    /// Number of datagrams sent.
    pub(crate) fn sent(&self) -> u32 {
        match &self.clock {
            Clock::Paced(source) => source.sent,
            Clock::Video(source) => source.sent,
            Clock::Replay(source) => source.sent,
        }
    }
}

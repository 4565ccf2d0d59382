//! What sends datagrams by its own clock, whatever the network does.

use crate::traffic::datagrams::Datagrams;
use crate::traffic::replay::Replay;
use crate::traffic::video::{NewFrame, Video};
use penstock_core::Span;

/// A source of datagrams.
pub(crate) enum Emitter {
    /// By a rate.
    Datagrams(Datagrams),
    /// Frames.
    Video(Box<Video>),
    /// As recorded.
    Replay(Replay),
}

/// A datagram to send now, and the time to the next.
pub(crate) struct Datagram {
    pub(crate) payload: u32,
    pub(crate) size: u32,
    pub(crate) seq: u32,
    pub(crate) gap: Span,
    /// The frame that it is the first of.
    pub(crate) frame: Option<NewFrame>,
}

impl Emitter {
    /// Time from the start of the flow to its first packet.
    pub(crate) fn first_gap(&mut self) -> Span {
        match self {
            Self::Datagrams(source) => source.first_gap(),
            Self::Video(source) => source.first_gap(),
            Self::Replay(source) => source.first_gap(),
        }
    }

    /// The next datagram.
    pub(crate) fn next(&mut self) -> Datagram {
        match self {
            Self::Datagrams(source) => source.next(),
            Self::Video(source) => source.next(),
            Self::Replay(source) => source.next(),
        }
    }

    /// How many have been sent.
    pub(crate) fn sent(&self) -> u32 {
        match self {
            Self::Datagrams(source) => source.sent,
            Self::Video(source) => source.sent,
            Self::Replay(source) => source.sent,
        }
    }
}

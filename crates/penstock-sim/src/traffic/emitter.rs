//! What sends datagrams by its own clock, whatever the network does.

use crate::traffic::datagrams::Datagrams;
use crate::traffic::replay::Replay;
use crate::traffic::video::{NewFrame, Video};
use penstock_core::{Ecn, Span};

/// A source of datagrams.
pub(crate) struct Emitter {
    clock: Clock,
    /// The codepoint of all of them.
    pub(crate) ecn: Ecn,
}

/// When and how large.
pub(crate) enum Clock {
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
    /// A source by this clock, whose packets may be marked or not.
    pub(crate) fn new(clock: Clock, ecn: bool) -> Self {
        Self { clock, ecn: if ecn { Ecn::Ect0 } else { Ecn::Not } }
    }

    /// Time from the start of the flow to its first packet.
    pub(crate) fn first_gap(&mut self) -> Span {
        match &mut self.clock {
            Clock::Datagrams(source) => source.first_gap(),
            Clock::Video(source) => source.first_gap(),
            Clock::Replay(source) => source.first_gap(),
        }
    }

    /// The next datagram.
    pub(crate) fn next(&mut self) -> Datagram {
        match &mut self.clock {
            Clock::Datagrams(source) => source.next(),
            Clock::Video(source) => source.next(),
            Clock::Replay(source) => source.next(),
        }
    }

    /// How many have been sent.
    pub(crate) fn sent(&self) -> u32 {
        match &self.clock {
            Clock::Datagrams(source) => source.sent,
            Clock::Video(source) => source.sent,
            Clock::Replay(source) => source.sent,
        }
    }
}

//! Datagrams of sources, and the video frames that some of them carry.

use penstock_core::{Ecn, Span};

/// A datagram to send now, and the interval to the next one.
pub(crate) struct Datagram {
    pub(crate) payload: u32,
    pub(crate) size: u32,
    pub(crate) seq: u32,
    pub(crate) gap: Span,
    pub(crate) ecn: Ecn,
    pub(crate) dscp: u8,
    /// The frame that it begins.
    pub(crate) frame: Option<NewFrame>,
}

/// Type of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameType {
    /// Coded alone.
    I,
    /// Refers to the I or P frame before it.
    P,
    /// Refers to the I or P frames before and after it.
    B,
}

impl FrameType {
    pub(crate) fn from_letter(letter: u8) -> Self {
        match letter {
            b'I' => Self::I,
            b'P' => Self::P,
            _ => Self::B,
        }
    }

    /// Importance of its content; larger is more important.
    pub(crate) fn priority(self) -> u8 {
        match self {
            Self::I => 2,
            Self::P => 1,
            Self::B => 0,
        }
    }
}

/// A frame whose first datagram is sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NewFrame {
    pub(crate) kind: FrameType,
    /// Number of its datagrams.
    pub(crate) fragments: u32,
    /// Application data unit that it belongs to.
    pub(crate) unit: u32,
}

/// The number of the datagram after number `seq`.
///
/// # Panics
/// After 2^32 datagrams of a flow, when the numbers are used up: repeated numbers would make the statistics wrong.
#[inline]
pub(crate) fn next_number(seq: u32) -> u32 {
    seq.checked_add(1).expect("a flow sends at most 2^32 datagrams")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "at most 2^32 datagrams")]
    fn the_number_of_a_datagram_does_not_wrap() {
        assert_eq!(next_number(u32::MAX - 1), u32::MAX);
        next_number(u32::MAX);
    }
}

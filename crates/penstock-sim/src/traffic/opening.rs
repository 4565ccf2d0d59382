//! Connections that sessions open.

use crate::scenario::{Draw, SizeUnit};
use penstock_core::Rng;

/// A connection to open now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// Number of its route in the session.
    pub(crate) route: u32,
    /// Amount of data.
    pub(crate) size: Size,
    /// Identifier that the session gives it.
    pub(crate) tag: u32,
}

/// Size of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// Packets of data.
    Packets(u32),
    /// Bytes of user data.
    Bytes(u64),
}

impl Size {
    /// A drawn number of packets or bytes, rounded up, at least 1.
    pub(crate) fn draw(draw: &Draw, unit: SizeUnit, rng: &mut Rng) -> Self {
        match unit {
            SizeUnit::Packets => Self::Packets(draw.count(rng)),
            SizeUnit::Bytes => Self::Bytes(draw.draw(rng).ceil().clamp(1.0, 4e18) as u64),
        }
    }
}

//! One direction of a link: its transmitter and delay, and its port and delay line by number.

use crate::routes::COMPUTED;
use penstock_core::{Span, Time};
use penstock_link::Transmitter;

/// A link direction: transmission and propagation. One cache line.
#[repr(align(64))]
pub(crate) struct Link {
    pub(crate) transmitter: Transmitter,
    pub(crate) delay: Span,
    /// End of the last transmission, on a computed link or behind a precomputed port.
    pub(crate) free_at: Time,
    port: u32,
    /// Number of the link's delay line, or [`crate::delay_lines::NO_LINE`] if no packet on the link waits for an event.
    pub(crate) line: u32,
}

impl Link {
    /// A link behind the port of this number, or a computed one.
    pub(crate) fn new(transmitter: Transmitter, delay: Span, port: Option<u32>, line: u32) -> Self {
        Self { transmitter, delay, free_at: Time::ZERO, port: port.unwrap_or(COMPUTED), line }
    }

    /// Number of the port in front of it; `None` if the link is computed.
    #[inline]
    pub(crate) fn port(&self) -> Option<usize> {
        (self.port != COMPUTED).then_some(self.port as usize)
    }

    /// A packet of `size` bytes is offered at `now` to a computed link, or to a link behind a precomputed port. Returns
    /// its arrival at the far end, and the delay line to it.
    #[inline]
    pub(crate) fn cross(&mut self, now: Time, size: u32) -> (Time, u32) {
        self.free_at = now.max(self.free_at) + self.transmitter.transmission(size);
        (self.free_at + self.delay, self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_cache_line() {
        assert_eq!(size_of::<Link>(), 64);
    }
}

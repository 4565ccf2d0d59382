//! One direction of a link: transmission at an exact rate, then a delay line.

use crate::loss::Loss;
use crate::packet::SimPacket;
use crate::tally::Tally;
use penstock_aqm::Discipline;
use penstock_core::{Rate, Rng, Span, Time};

/// A link direction: how packets get onto the wire and how long they take on it. One cache line.
#[repr(align(64))]
pub(crate) struct Link {
    pub(crate) wire: Wire,
    pub(crate) delay: Span,
    /// When the last transmission ends, where that is computed as packets arrive.
    pub(crate) free_at: Time,
    port: u32,
    /// Number of its delay line, where packets on it wait for an event.
    pub(crate) line: u32,
}

/// No port: an unwatched FIFO that never drops, so that the end of each transmission is known when the packet arrives.
const COMPUTED: u32 = u32::MAX;

impl Link {
    /// A link whose queue is the port of this number, or computed.
    pub(crate) fn new(wire: Wire, delay: Span, port: Option<u32>, line: u32) -> Self {
        Self { wire, delay, free_at: Time::ZERO, port: port.unwrap_or(COMPUTED), line }
    }

    /// Number of the port in front of it; `None` if the link is computed.
    #[inline]
    pub(crate) fn port(&self) -> Option<usize> {
        (self.port != COMPUTED).then_some(self.port as usize)
    }
}

/// A simulated queue in front of a wire.
pub(crate) struct Port {
    pub(crate) queue: Box<dyn Discipline<SimPacket, Tally>>,
    pub(crate) rng: Rng,
    pub(crate) loss: Option<Loss>,
    /// Rank of the end of transmission.
    pub(crate) transmission_rank: u32,
    /// Rank of the discipline's own timer.
    pub(crate) timer_rank: u32,
    pub(crate) state: State,
    /// Whether the discipline's timer moves at every operation: it has a shaper before the queue.
    pub(crate) restless: bool,
    /// Number of its link.
    pub(crate) link: u32,
    /// Number of what changes about the link, or [`STEADY`].
    pub(crate) change: u32,
}

/// Nothing changes about the link.
pub(crate) const STEADY: u32 = u32::MAX;

/// What the transmitter does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It asked and found no packet.
    Idle,
    /// It sends.
    Busy,
    /// The discipline holds its packets back.
    Held,
}

/// The transmitter's clock: exact in the long run, because what a division leaves over is carried to the next packet.
pub(crate) struct Wire {
    rate: u64,
    /// Part of a nanosecond not yet spent, in units of 1 / rate.
    carried: u64,
    /// Time of a packet of the size of the last one, as whole nanoseconds and rest: most packets are like the one before.
    nanos: u64,
    rest: u64,
    size: u32,
}

impl Wire {
    /// A transmitter of this rate, which must not be 0.
    pub(crate) fn new(rate: Rate) -> Self {
        Self { rate: rate.bits_per_second(), carried: 0, nanos: 0, rest: 0, size: 0 }
    }

    /// Nominal rate.
    pub(crate) fn rate(&self) -> Rate {
        Rate::from_bits_per_second(self.rate)
    }

    /// Go on at another rate, which must not be 0, with the next packet. What was carried stays, in the new unit.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        let new = rate.bits_per_second();
        self.carried = (u128::from(self.carried) * u128::from(new) / u128::from(self.rate)) as u64;
        (self.rate, self.size, self.nanos, self.rest) = (new, 0, 0, 0);
    }

    /// Time to send the next packet, of `size` bytes.
    #[inline]
    pub(crate) fn transmission(&mut self, size: u32) -> Span {
        if size != self.size {
            let work = u64::from(size) * 8_000_000_000;
            (self.size, self.nanos, self.rest) = (size, work / self.rate, work % self.rate);
        }
        let mut nanos = self.nanos;
        self.carried += self.rest;
        if self.carried >= self.rate {
            self.carried -= self.rate;
            nanos += 1;
        }
        Span::from_nanos(nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_cache_line() {
        assert_eq!(size_of::<Link>(), 64);
    }

    #[test]
    fn the_rate_is_exact_in_the_long_run() {
        let mut wire = Wire::new(Rate::from_bits_per_second(3_000_000));
        let total: u64 = (0..3000).map(|k| wire.transmission(1000 + k % 2).as_nanos()).sum();
        assert_eq!(total, (1500 * 1000 + 1500 * 1001) * 8 * 1000 / 3);
    }

    #[test]
    fn a_new_rate_keeps_what_was_carried() {
        let mut wire = Wire::new(Rate::from_bits_per_second(3_000_000));
        let mut total = 0;
        for k in 0..3000 {
            wire.set_rate(Rate::from_bits_per_second(if k % 2 == 0 { 3_000_000 } else { 6_000_000 }));
            total += wire.transmission(1000).as_nanos();
        }
        assert_eq!(total, 1500 * 1000 * 8 * 1000 / 3 + 1500 * 1000 * 8 * 1000 / 6);
    }
}

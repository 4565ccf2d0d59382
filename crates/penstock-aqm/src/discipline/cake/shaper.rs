//! The deficit-mode shaper: no bucket of tokens, only the time from which on the next packet may leave.

use penstock_core::{Span, Time};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// The clock of a rate. What a division leaves over is carried on, so the rate is exact in the long run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shaper {
    /// Bits per second, not 0.
    rate: u64,
    /// The whole nanoseconds of t_next, and what is left over, in nanoseconds times the rate.
    next: Time,
    carried: u64,
}

impl Shaper {
    pub(super) fn new(rate: u64) -> Self {
        Self { rate: rate.max(1), next: Time::ZERO, carried: 0 }
    }

    pub(super) fn set_rate(&mut self, rate: u64) {
        (self.rate, self.carried) = (rate.max(1), 0);
    }

    /// From when on the next packet may leave: the first nanosecond that is not before t_next.
    pub(super) fn next(&self) -> Time {
        self.next + Span::from_nanos(u64::from(self.carried > 0))
    }

    /// What was not used until `now` is lost.
    pub(super) fn catch_up(&mut self, now: Time) {
        if self.next < now {
            (self.next, self.carried) = (now, 0);
        }
    }

    /// A packet of `size` bytes leaves.
    pub(super) fn advance(&mut self, size: u32) {
        let rate = u128::from(self.rate);
        let work = u128::from(size) * u128::from(8 * NANOS_PER_SECOND) + u128::from(self.carried);
        self.carried = (work % rate) as u64;
        self.next += Span::from_nanos(u64::try_from(work / rate).unwrap_or(u64::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_spaced_at_the_rate_exactly() {
        let mut shaper = Shaper::new(7);
        shaper.advance(1);
        // 8 bits at 7 bit/s, in nanoseconds 1 142 857 142.86
        assert_eq!(shaper.next(), Time::from_nanos(1_142_857_143));
        (0..6).for_each(|_| shaper.advance(1));
        // 56 bits at 7 bit/s
        assert_eq!(shaper.next(), Time::from_nanos(8 * NANOS_PER_SECOND));
        shaper.catch_up(Time::from_nanos(9 * NANOS_PER_SECOND));
        shaper.catch_up(Time::ZERO);
        assert_eq!(shaper.next(), Time::from_nanos(9 * NANOS_PER_SECOND));
    }
}

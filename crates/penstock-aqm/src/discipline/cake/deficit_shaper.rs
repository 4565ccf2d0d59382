//! A shaper in deficit mode: it keeps the time at which the next packet may leave instead of a bucket of tokens.

use penstock_core::{Rate, Span, Time};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// The time at which the next packet may leave. Remainders of divisions are carried over, so the rate is exact in the
/// long run.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeficitShaper {
    /// Bits per second, not 0.
    rate: u64,
    /// The whole nanoseconds of t_next, and its remainder, in nanoseconds times the rate.
    next: Time,
    carried: u64,
}

impl DeficitShaper {
    pub(super) fn new(rate: Rate) -> Self {
        Self { rate: rate.bits_per_second().max(1), next: Time::ZERO, carried: 0 }
    }

    pub(super) fn set_rate(&mut self, rate: Rate) {
        (self.rate, self.carried) = (rate.bits_per_second().max(1), 0);
    }

    /// When the next packet may leave: the first nanosecond that is not before t_next.
    #[inline]
    pub(super) fn next(&self) -> Time {
        self.next + Span::from_nanos(u64::from(self.carried > 0))
    }

    /// Discard the capacity that was not used before `now`.
    pub(super) fn catch_up(&mut self, now: Time) {
        if self.next < now {
            (self.next, self.carried) = (now, 0);
        }
    }

    /// A packet of `size` bytes leaves at `now`. If `now` is before t_next, only this packet is owed: t_next becomes
    /// `now` plus the transmission time of the packet, unless it is already later.
    pub(super) fn run_ahead(&mut self, now: Time, size: u32) {
        if self.next() <= now {
            return self.advance(size);
        }
        let mut fresh = Self { next: now, carried: 0, ..*self };
        fresh.advance(size);
        (self.next, self.carried) = (self.next, self.carried).max((fresh.next, fresh.carried));
    }

    /// A packet of `size` bytes leaves.
    #[inline]
    pub(super) fn advance(&mut self, size: u32) {
        let work = u128::from(size) * u128::from(8 * NANOS_PER_SECOND) + u128::from(self.carried);
        let nanos;
        // The product for packets below 2 GB fits into 64 bits, so that the quotient takes a single instruction.
        (nanos, self.carried) = if let Ok(work) = u64::try_from(work) {
            (work / self.rate, work % self.rate)
        } else {
            let rate = u128::from(self.rate);
            (u64::try_from(work / rate).unwrap_or(u64::MAX), (work % rate) as u64)
        };
        self.next += Span::from_nanos(nanos);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_spaced_at_the_rate_exactly() {
        let mut pace = DeficitShaper::new(Rate::from_bits_per_second(7));
        pace.advance(1);
        // 8 bits at 7 bit/s take 1 142 857 142.86 ns
        assert_eq!(pace.next(), Time::from_nanos(1_142_857_143));
        (0..6).for_each(|_| pace.advance(1));
        // 56 bits at 7 bit/s
        assert_eq!(pace.next(), Time::from_nanos(8 * NANOS_PER_SECOND));
        pace.catch_up(Time::from_nanos(9 * NANOS_PER_SECOND));
        pace.catch_up(Time::ZERO);
        assert_eq!(pace.next(), Time::from_nanos(9 * NANOS_PER_SECOND));
    }
}

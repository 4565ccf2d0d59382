//! A token bucket (r, b): tokens grow at rate r up to b; a packet conforms if there are tokens for all of it, and then
//! takes them.

use penstock_core::param::Length;
use penstock_core::{Bytes, Rate, Time};

/// Tokens are kept in bits times 10^9, so that a rate in bit/s makes a whole number of them in each nanosecond: the
/// bucket is exact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens {
    rate: Rate,
    depth: u128,
    level: u128,
    at: Time,
}

impl Tokens {
    /// A bucket that fills at `rate`, and is full with `depth` bytes at the start.
    pub(crate) fn new(rate: Rate, depth: u64) -> Self {
        let depth = in_tokens(depth);
        Self { rate, depth, level: depth, at: Time::ZERO }
    }

    /// From now on it fills at another rate.
    pub(crate) fn set_rate(&mut self, now: Time, rate: Rate) {
        self.fill(now);
        self.rate = rate;
    }

    /// Whether a packet of `size` bytes conforms now.
    pub(crate) fn has(&mut self, now: Time, size: u32) -> bool {
        self.fill(now);
        self.level >= in_tokens(u64::from(size))
    }

    /// A packet that conforms takes its tokens.
    pub(crate) fn take(&mut self, size: u32) {
        self.level = self.level.saturating_sub(in_tokens(u64::from(size)));
    }

    fn fill(&mut self, now: Time) {
        let grown = u128::from(now.since(self.at).as_nanos()) * u128::from(self.rate.bits_per_second());
        self.level = self.depth.min(self.level + grown);
        self.at = now;
    }
}

/// The depth of a bucket in bytes: 20 packets unless it is given.
pub(crate) fn depth(burst: Option<Length>, mean_packet: Bytes) -> u64 {
    match burst.unwrap_or(Length::Packets(20.0)) {
        Length::Packets(packets) => (packets * mean_packet.0 as f64) as u64,
        Length::Bytes(bytes) => bytes as u64,
    }
}

fn in_tokens(bytes: u64) -> u128 {
    u128::from(bytes) * 8 * 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_grow_at_the_rate_up_to_the_depth() {
        let mut tokens = Tokens::new(Rate::from_bits_per_second(8000), 1500);
        assert!(tokens.has(Time::ZERO, 1500) && !tokens.has(Time::ZERO, 1501));
        tokens.take(1500);
        // 8000 bit/s are a byte each millisecond.
        assert!(!tokens.has(Time::from_nanos(999_999_999), 1000));
        assert!(tokens.has(Time::from_nanos(1_000_000_000), 1000));
        assert!(!tokens.has(Time::from_nanos(9_000_000_000), 1501));
    }

    #[test]
    fn nothing_is_lost_however_often_one_looks() {
        let mut tokens = Tokens::new(Rate::from_bits_per_second(7), 1000);
        tokens.take(1000);
        for second in 0..8_000 {
            assert!(!tokens.has(Time::from_nanos(second * 1_000_000_000 / 7), 1000));
        }
        assert!(tokens.has(Time::from_nanos(8_000 * 1_000_000_000 / 7 + 1), 1000));
    }
}

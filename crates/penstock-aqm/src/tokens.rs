//! The token bucket (r, b), exact, in integers: tokens grow at rate r up to b; a packet conforms if there are tokens
//! for all its bytes, and then consumes them.

use penstock_core::param::Length;
use penstock_core::{Bytes, Rate, Time};

/// Tokens per byte. Tokens are kept in bits times 10^9, so that a rate in bit/s gives a whole number of tokens per
/// nanosecond.
const PER_BYTE: u128 = 8_000_000_000;

/// Tokens that grow at a rate up to a depth; full at the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    rate: Rate,
    depth: u128,
    level: u128,
    at: Time,
}

impl Bucket {
    /// A bucket that is full now and fills at `rate` up to `depth`.
    pub(crate) fn new(rate: Rate, depth: Bytes, now: Time) -> Self {
        let depth = tokens(depth.0);
        Self { rate, depth, level: depth, at: now }
    }

    /// New tokens since the last call, not yet in the bucket.
    pub(crate) fn earn(&mut self, now: Time) -> u128 {
        let earned = u128::from(now.since(self.at).as_nanos()) * u128::from(self.rate.bits_per_second());
        self.at = now;
        earned
    }

    /// Add tokens to the bucket; returns those that do not fit.
    pub(crate) fn pour(&mut self, tokens: u128) -> u128 {
        let poured = tokens.min(self.depth - self.level);
        self.level += poured;
        tokens - poured
    }

    /// Add the new tokens since the last call to the bucket; returns those that do not fit.
    pub(crate) fn fill(&mut self, now: Time) -> u128 {
        let earned = self.earn(now);
        self.pour(earned)
    }

    /// Change the rate at which the bucket fills, from `now` on.
    pub(crate) fn set_rate(&mut self, now: Time, rate: Rate) {
        self.fill(now);
        self.rate = rate;
    }

    /// Whether there are tokens for all of a packet of `size` bytes.
    pub(crate) fn has(&self, size: u32) -> bool {
        self.level >= tokens(u64::from(size))
    }

    /// Whether a packet of `size` bytes conforms now.
    pub(crate) fn conforms(&mut self, now: Time, size: u32) -> bool {
        self.fill(now);
        self.has(size)
    }

    /// Consume the tokens of a packet of `size` bytes if there are enough; returns whether there were.
    pub(crate) fn take(&mut self, size: u32) -> bool {
        let conforms = self.has(size);
        if conforms {
            self.level -= tokens(u64::from(size));
        }
        conforms
    }

    /// Remove all tokens; returns them.
    pub(crate) fn empty(&mut self) -> u128 {
        core::mem::take(&mut self.level)
    }

    /// Tokens in bytes.
    pub(crate) fn bytes(&self) -> f64 {
        in_bytes(self.level)
    }
}

/// The depth of a bucket in bytes: 20 packets unless it is given.
pub(crate) fn depth(burst: Option<Length>, mean_packet: Bytes) -> Bytes {
    match burst.unwrap_or(Length::Packets(20.0)) {
        Length::Packets(packets) => Bytes((packets * mean_packet.0 as f64) as u64),
        Length::Bytes(bytes) => Bytes(bytes as u64),
    }
}

/// The tokens that `bytes` bytes cost.
pub(crate) fn tokens(bytes: u64) -> u128 {
    u128::from(bytes) * PER_BYTE
}

/// Tokens in bytes, for display.
pub(crate) fn in_bytes(tokens: u128) -> f64 {
    tokens as f64 / PER_BYTE as f64
}

/// The bytes that `rate` sends in `seconds`, as a whole number.
pub(crate) fn burst(rate: Rate, seconds: f64) -> Bytes {
    Bytes((rate.bits_per_second() as f64 / 8.0 * seconds) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn tokens_grow_up_to_the_depth_and_the_rest_spills() {
        // 8000 bit/s: a byte each millisecond
        let mut bucket = Bucket::new(Rate::from_bits_per_second(8_000), Bytes(1_500), Time::ZERO);
        assert!(bucket.take(1_500) && !bucket.take(1));
        assert_eq!(bucket.fill(millis(1_000)), 0);
        assert_eq!(bucket.bytes(), 1_000.0);
        assert!(!bucket.take(1_001) && bucket.take(1_000));
        assert_eq!(in_bytes(bucket.fill(millis(3_000))), 500.0);
        assert_eq!((bucket.bytes(), bucket.empty(), bucket.bytes()), (1_500.0, tokens(1_500), 0.0));
    }

    #[test]
    fn nothing_is_lost_however_often_it_is_filled() {
        let mut bucket = Bucket::new(Rate::from_bits_per_second(7), Bytes(1_000), Time::ZERO);
        bucket.empty();
        for step in 1..=1_000_u64 {
            bucket.fill(Time::from_nanos(step * 8_000_000_000 / 7));
        }
        // 8000 bits at 7 bit/s
        assert!(!bucket.has(1_000));
        bucket.fill(Time::from_nanos(8_000_000_000_000 / 7 + 1));
        assert!(bucket.has(1_000));
    }
}

//! Sizes and rates: [`Bytes`], [`Packets`], [`Rate`] and the [`Limit`] of a queue.

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// A number of bytes that is added to a size, or subtracted from it if below 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignedBytes(pub i32);

/// A number of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Packets(pub u32);

/// A rate in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// A rate of `bits` bits per second.
    pub const fn from_bits_per_second(bits: u64) -> Self {
        Self(bits)
    }

    /// Bits per second.
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }

    /// This rate in packets of `size` per second, the C of AQMs that count in packets; 0 if `size` is 0.
    pub fn packets_per_second(self, size: Bytes) -> f64 {
        if size.0 == 0 { 0.0 } else { self.0 as f64 / (8.0 * size.0 as f64) }
    }
}

/// Capacity of a queue. The packet in transmission has left the queue and does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Maximum number of waiting packets.
    Packets(u32),
    /// Maximum number of waiting bytes.
    Bytes(u64),
    /// No limit.
    Infinite,
}

impl Limit {
    /// Whether a packet of `size` bytes fits behind `packets` packets with `bytes` bytes in total.
    #[inline]
    pub fn admits(self, packets: u32, bytes: u64, size: u32) -> bool {
        match self {
            Self::Packets(limit) => packets < limit,
            Self::Bytes(limit) => bytes + u64::from(size) <= limit,
            Self::Infinite => true,
        }
    }

    /// The limit in packets of `mean` size; `None` if there is no limit.
    pub fn in_packets(self, mean: Bytes) -> Option<f64> {
        match self {
            Self::Packets(limit) => Some(f64::from(limit)),
            Self::Bytes(limit) => Some(limit as f64 / mean.0.max(1) as f64),
            Self::Infinite => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_counts_what_waits_before_the_arrival() {
        assert!(Limit::Packets(2).admits(1, 0, 1500));
        assert!(!Limit::Packets(2).admits(2, 0, 1500));
        assert!(Limit::Bytes(3000).admits(9, 1500, 1500));
        assert!(!Limit::Bytes(3000).admits(9, 1501, 1500));
        assert!(Limit::Infinite.admits(u32::MAX, u64::MAX, 1500));
    }

    #[test]
    fn the_thesis_link_carries_187_5_packets_a_second() {
        assert_eq!(Rate::from_bits_per_second(1_500_000).packets_per_second(Bytes(1000)), 187.5);
    }
}

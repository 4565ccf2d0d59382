//! Hashing of numbers.

/// Spreads the bits of `z` over all 64: the finalizer of SplitMix64 (Steele, Lea, Flood 2014), a bijection.
#[inline]
#[must_use]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::mix;

    #[test]
    fn it_is_the_finalizer_of_splitmix64() {
        // SplitMix64 with state 0 adds the golden gamma before it mixes; its first two outputs.
        const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
        assert_eq!(mix(GAMMA), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(GAMMA.wrapping_mul(2)), 0x6e78_9e6a_a1b9_65f4);
    }
}

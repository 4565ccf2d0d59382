//! The salted hash that spreads flows over queues.

use penstock_core::Rng;
use penstock_core::hash::mix;

/// The increment of the state of `SplitMix64`.
pub(crate) const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hash function with a random salt: one number, drawn from the stream of the queue at the first use.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SaltedHash(Option<u64>);

impl SaltedHash {
    /// The hash of `number`: SplitMix64 (Steele, Lea, Flood 2014) with the salt as its state.
    #[inline]
    pub(crate) fn hash(&mut self, number: u64, rng: &mut Rng) -> u32 {
        let salt = *self.0.get_or_insert_with(|| rng.bits());
        hashed(number, salt)
    }

    /// A random number that depends only on the salt and on `number`, and is independent of the hashes.
    pub(crate) fn seed(&mut self, number: u64, rng: &mut Rng) -> u64 {
        let salt = *self.0.get_or_insert_with(|| rng.bits());
        mix(mix(salt).wrapping_add(number.wrapping_mul(GAMMA)))
    }

    /// A bucket of `buckets`, all equally likely.
    #[inline]
    pub(crate) fn bucket(&mut self, number: u32, buckets: u32, rng: &mut Rng) -> u32 {
        scaled(self.hash(u64::from(number), rng), buckets)
    }

    /// Like [`SaltedHash::bucket`]; `None` before the hash function is drawn.
    pub(crate) fn known_bucket(self, number: u32, buckets: u32) -> Option<u32> {
        self.known_hash(u64::from(number)).map(|hash| scaled(hash, buckets))
    }

    /// Like [`SaltedHash::hash`]; `None` before the hash function is drawn.
    pub(crate) fn known_hash(self, number: u64) -> Option<u32> {
        self.0.map(|salt| hashed(number, salt))
    }
}

#[inline]
fn hashed(number: u64, salt: u64) -> u32 {
    (mix(salt.wrapping_add(number.wrapping_mul(GAMMA))) >> 32) as u32
}

/// Reduces a hash to a bucket by multiplication, which is faster than a remainder.
#[inline]
fn scaled(hash: u32, buckets: u32) -> u32 {
    ((u64::from(hash) * u64::from(buckets)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of hash functions, among those with these `seeds`, that put 100 flows into 100 different buckets of
    /// 1024.
    fn without_collision(seeds: u64) -> usize {
        let collides = |seed| {
            let (mut salted, mut rng) = (SaltedHash::default(), Rng::stream(seed, "salt"));
            let mut seen = [false; 1024];
            (0..100).any(|flow| core::mem::replace(&mut seen[salted.bucket(flow, 1024, &mut rng) as usize], true))
        };
        (0..seeds).filter(|&seed| !collides(seed)).count()
    }

    #[test]
    fn collisions_are_those_of_chance() {
        // the product of 1 - i / 1024 for i < 100 is 0.0073: 37 of 5000, standard deviation 6
        let clean = without_collision(5000);
        assert!((13..=61).contains(&clean), "{clean} without a collision");
    }
}

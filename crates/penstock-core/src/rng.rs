//! Random streams, one per named part of a run.
//!
//! The generator is xoshiro256++ from a maintained crate; seeding by name and samplers are implemented here, so that updating a
//! dependency cannot change how a published number was drawn.

use crate::hash::mix;
use crate::math;
use core::fmt::{self, Write};
use rand::Rng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// A stream of random numbers that belongs to one named part of a run.
#[derive(Clone, Debug)]
pub struct Rng(Xoshiro256PlusPlus);

/// The FNV-1a hash of the text written to it, so that a name of several parts needs no memory.
struct Fnv(u64);

impl fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }
}

impl Rng {
    /// The stream of the part called `name` in a run with root seed `seed`.
    ///
    /// It depends only on these two, so adding a flow or a queue changes no other draw, and schemes are compared with
    /// common random numbers.
    pub fn stream(seed: u64, name: impl fmt::Display) -> Self {
        // FNV-1a over the name, then SplitMix64 over both.
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        // Never fails.
        let _ = write!(hash, "{name}");
        let mut state = hash.0 ^ mix(seed);
        let mut bytes = [0_u8; 32];
        for word in bytes.chunks_exact_mut(8) {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            word.copy_from_slice(&mix(state).to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(bytes))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform on [0, 1), with 53 random bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// True with probability `p`: u < p, where u is uniform on [0, 1). Draws exactly one number for any `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Uniform on [`low`, `high`).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Uniform on the integers 0 to `n` - 1; `n` must not be 0. The bias is below n / 2^64.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// Exponential with the given mean, by inversion.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * math::ln(1.0 - self.uniform())
    }

    /// Pareto with the given mean and `shape` > 1: P(X > x) = (scale / x)^shape, scale = mean (shape - 1) / shape.
    pub fn pareto(&mut self, mean: f64, shape: f64) -> f64 {
        let scale = mean * (shape - 1.0) / shape;
        scale / math::pow(1.0 - self.uniform(), 1.0 / shape)
    }

    /// Normal with mean 0 and variance 1, by the polar method (Marsaglia, Bray 1964), whose second number is discarded.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * math::sqrt(-2.0 * math::ln(square) / square);
            }
        }
    }

    /// Lognormal with the given mean and coefficient of `variation` (standard deviation / mean).
    pub fn lognormal(&mut self, mean: f64, variation: f64) -> f64 {
        let variance = math::ln(1.0 + variation * variation);
        mean * math::exp(math::sqrt(variance) * self.normal() - variance / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_seed_and_name_only() {
        let draw = |seed, name| Rng::stream(seed, name).bits();
        assert_eq!(draw(1, "bottleneck.aqm"), draw(1, "bottleneck.aqm"));
        assert_ne!(draw(1, "bottleneck.aqm"), draw(2, "bottleneck.aqm"));
        assert_ne!(draw(1, "bottleneck.aqm"), draw(1, "bottleneck.loss"));
    }

    #[test]
    fn samplers_have_their_means() {
        let mut rng = Rng::stream(7, "means");
        let n = 200_000;
        let mut mean =
            |draw: &mut dyn FnMut(&mut Rng) -> f64| (0..n).map(|_| draw(&mut rng)).sum::<f64>() / f64::from(n);
        assert!((mean(&mut Rng::uniform) - 0.5).abs() < 0.003);
        assert!((mean(&mut |r| r.exponential(2.0)) - 2.0).abs() < 0.02);
        assert!((mean(&mut |r| r.pareto(3.0, 2.5)) - 3.0).abs() < 0.05);
        assert!((mean(&mut |r| r.below(6) as f64) - 2.5).abs() < 0.02);
        assert!(mean(&mut Rng::normal).abs() < 0.01);
        assert!((mean(&mut |r| r.normal().powi(2)) - 1.0).abs() < 0.013);
        assert!((mean(&mut |r| r.lognormal(3.0, 0.5)) - 3.0).abs() < 0.014);
        assert!((mean(&mut |r| f64::from(u8::from(r.chance(0.25)))) - 0.25).abs() < 0.005);
    }
}

//! Finish tags as integers, so that ties are exact for all weights.
//!
//! A class of weight phi adds L / phi to its tag for L bits. With floating point, three packets of weight 3 and seven of
//! weight 7 need not give the same sum. Here the weights become whole numbers w without a common factor, and a tag
//! counts units of 1 / D bits of weight 1, where D is a common multiple of all w: a bit costs the class exactly D / w
//! units.

use alloc::vec::Vec;

/// Upper bound of D, which is the largest common multiple of all w up to it. Tags of 128 bits then suffice for 2^64
/// bits in a busy period.
const LARGEST_D: u128 = 1 << 64;

/// Units per bit of the heaviest class, if the weights have no common multiple up to [`LARGEST_D`].
const COARSE: f64 = (1_u64 << 48) as f64;

/// The largest denominator of a weight: weights have at most six decimals.
const LARGEST_DENOMINATOR: u64 = 1_000_000_000;

/// The cost of a bit in each class, in units of a tag.
#[derive(Clone, Debug)]
pub(super) struct ExactShares {
    steps: Vec<u128>,
    /// Units of L / phi = 1.
    unit: f64,
}

impl ExactShares {
    pub(super) fn new(phis: &[f64]) -> Self {
        let steps = exact_steps(phis).unwrap_or_else(|| coarse_steps(phis));
        let unit = steps.first().zip(phis.first()).map_or(LARGEST_D as f64, |(&step, phi)| step as f64 * phi);
        Self { steps, unit }
    }

    /// The increase of a class's tag by a packet of `size` bytes; classes without a given weight have weight 1.
    #[inline]
    pub(super) fn cost(&self, class: usize, size: u32) -> u128 {
        u128::from(size) * 8 * self.steps.get(class).copied().unwrap_or(self.unit as u128)
    }

    /// A tag in bits of weight 1.
    pub(super) fn in_bits(&self, tag: u128) -> f64 {
        tag as f64 / self.unit
    }

    /// The tag of this number of bits of weight 1, rounded down.
    pub(super) fn tag(&self, bits: f64) -> u128 {
        (bits * self.unit) as u128
    }
}

/// D / w for each weight; `None` if D would be too large.
fn exact_steps(phis: &[f64]) -> Option<Vec<u128>> {
    let fractions: Vec<(u128, u128)> = phis.iter().map(|&phi| fraction(phi)).collect::<Option<_>>()?;
    let common = fractions.iter().try_fold(1, |all, &(_, denominator)| multiple(all, denominator))?;
    let whole: Vec<u128> =
        fractions.iter().map(|&(numerator, denominator)| numerator * (common / denominator)).collect();
    let factor = whole.iter().fold(0, |all, &weight| gcd(all, weight));
    let weights: Vec<u128> = whole.iter().map(|weight| weight / factor).collect();
    let least_multiple = weights.iter().try_fold(1, |all, &weight| multiple(all, weight))?;
    let d = LARGEST_D / least_multiple * least_multiple;
    Some(weights.iter().map(|weight| d / weight).collect())
}

/// D / w rounded, for weights without a common multiple up to [`LARGEST_D`].
fn coarse_steps(phis: &[f64]) -> Vec<u128> {
    let heaviest = phis.iter().copied().fold(0.0, f64::max);
    phis.iter().map(|phi| (COARSE * (heaviest / phi)) as u128).collect()
}

/// The simplest fraction that equals this weight: the first convergent of its continued fraction that rounds to it.
fn fraction(weight: f64) -> Option<(u128, u128)> {
    let (mut before, mut last) = ((0, 1), (1, 0));
    let mut rest = weight;
    loop {
        let whole = rest as u64;
        let next = |before: u64, last: u64| last.checked_mul(whole)?.checked_add(before);
        let (numerator, denominator) = (next(before.0, last.0)?, next(before.1, last.1)?);
        if denominator > LARGEST_DENOMINATOR {
            return None;
        }
        if numerator as f64 / denominator as f64 == weight {
            return Some((numerator.into(), denominator.into()));
        }
        (before, last) = (last, (numerator, denominator));
        rest = 1.0 / (rest - whole as f64);
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The least common multiple, if it is at most [`LARGEST_D`].
fn multiple(a: u128, b: u128) -> Option<u128> {
    (a / gcd(a, b)).checked_mul(b).filter(|&multiple| multiple <= LARGEST_D)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn weights_are_the_simplest_fractions() {
        assert_eq!([3.0, 0.3, 1.0 / 3.0, 7.3].map(|x| fraction(x).unwrap()), [(3, 1), (3, 10), (1, 3), (73, 10)]);
        assert_eq!(
            [0.000_001, 1e6, 0.123_457].map(|x| fraction(x).unwrap()),
            [(1, 1_000_000), (1_000_000, 1), (123_457, 1_000_000)]
        );
    }

    #[test]
    fn weights_without_a_common_multiple_are_rounded() {
        use core::f64::consts::{E, PI};
        assert_eq!(exact_steps(&[PI, E]), None);
        let shares = ExactShares::new(&[PI, E]);
        let ratio = shares.cost(1, 1) as f64 / shares.cost(0, 1) as f64;
        assert!((ratio - PI / E).abs() < 1e-13, "{ratio}");
    }

    #[test]
    fn packets_in_proportion_to_the_weights_cost_the_same() {
        for phis in [[3.0, 7.0, 11.0], [0.3, 0.7, 1.1], [1.0, 7.3, 2.1], [0.000_001, 1e6, 1.0]] {
            let shares = ExactShares::new(&phis);
            let [a, b, c] = [0, 1, 2].map(|class| shares.cost(class, 1));
            let scaled = |x: f64| (x * 1e6).round() as u128;
            assert_eq!(a * scaled(phis[0]), b * scaled(phis[1]), "{phis:?}");
            assert_eq!(a * scaled(phis[0]), c * scaled(phis[2]), "{phis:?}");
            assert!((shares.in_bits(shares.cost(1, 1000)) - 8000.0 / phis[1]).abs() < 1e-6 * 8000.0 / phis[1]);
        }
    }

    proptest! {
        /// Whatever the weights, a bit costs 1 / phi within one part in 10^6, and nothing overflows in 2^40 bits.
        #[test]
        fn costs_are_inversely_proportional_to_the_weights(phis in proptest::collection::vec(0.000_001_f64..=1_000_000.0, 1..40)) {
            let shares = ExactShares::new(&phis);
            for (class, phi) in phis.iter().enumerate() {
                let bits = shares.in_bits(shares.cost(class, 1)) * phi;
                prop_assert!((bits - 8.0).abs() < 1e-5, "{bits}");
                prop_assert!(shares.cost(class, u32::MAX).checked_mul(256).is_some());
            }
        }
    }
}

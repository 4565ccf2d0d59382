//! Random rounding of the credits of a queue. The random number of a credit is a function of the index of the credit, so
//! the credits of many rounds can be summed later, when the sum is needed.

use super::super::salted_hash::GAMMA;
use penstock_core::hash::mix;

/// Number of credits whose random numbers share the same words.
const LANES: u64 = 64;

/// Random numbers, uniform in [0, 1), one for each credit of a queue.
/// For a block of 64 credits, the first word of `SplitMix64` (Steele, Lea, Flood 2014) holds the first binary digit of each of
/// the 64 numbers, the second word the second digits, and so on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dithers {
    seed: u64,
}

impl Dithers {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The number of credits, of the `count` credits from `first` on, whose random number is below the fraction with
    /// these first 64 binary digits.
    #[inline]
    pub(super) fn count_below(self, first: u64, count: u64, fraction: u64) -> u64 {
        if fraction == 0 || count == 0 {
            return 0;
        }
        let lane = first % LANES;
        if lane + count > LANES {
            return self.count_below_in_blocks(first, count, fraction);
        }
        self.count_below_in_block(first - lane, lane, count, fraction)
    }

    /// Like [`Dithers::count_below`], for credits of several blocks.
    #[inline(never)]
    fn count_below_in_blocks(self, first: u64, count: u64, fraction: u64) -> u64 {
        let (mut from, mut left, mut below) = (first, count, 0);
        while left > 0 {
            let lane = from % LANES;
            let taken = left.min(LANES - lane);
            below += self.count_below_in_block(from - lane, lane, taken, fraction);
            (from, left) = (from + taken, left - taken);
        }
        below
    }

    /// Like [`Dithers::count_below`], for `count` credits of the block that starts with credit `start`, from credit
    /// `lane` of the block on.
    #[inline]
    fn count_below_in_block(self, start: u64, lane: u64, count: u64, fraction: u64) -> u64 {
        let lanes = (u64::MAX >> (LANES - count)) << lane;
        u64::from(self.below_in_block(start, lanes, fraction).count_ones())
    }

    /// The subset of the credits `lanes`, in the block that starts with credit `start`, whose random number is below
    /// `fraction`. Digits are compared from the most significant one on, until the comparison is decided for all
    /// credits: at most 64 digits.
    #[inline]
    fn below_in_block(self, start: u64, lanes: u64, mut fraction: u64) -> u64 {
        let mut state = self.seed.wrapping_add(start.wrapping_mul(GAMMA));
        let (mut equal, mut below) = (lanes, 0);
        while equal != 0 && fraction != 0 {
            // all ones or zeros
            let digit = (fraction.cast_signed() >> 63).cast_unsigned();
            let unequal = equal & (mix(state) ^ digit);
            below |= unequal & digit;
            equal ^= unequal;
            state = state.wrapping_add(GAMMA);
            fraction <<= 1;
        }
        below
    }
}

/// The first 64 binary digits of `numerator / denominator`, which is below 1.
pub(super) fn fraction(numerator: u32, denominator: u32) -> u64 {
    let (dividend, denominator) = (u64::from(numerator) << 32, u64::from(denominator));
    ((dividend / denominator) << 32) | (((dividend % denominator) << 32) / denominator)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the random number of a credit, taken as its first 64 digits, is below a quotient.
    fn is_below(dithers: Dithers, credit: u64, numerator: u32, denominator: u32) -> bool {
        let word = |digit: u64| mix(dithers.seed.wrapping_add((credit / 64 * 64 + digit).wrapping_mul(GAMMA)));
        let number = (0..64).fold(0, |number, digit| number << 1 | u128::from(word(digit) >> (credit % 64) & 1));
        number * u128::from(denominator) < u128::from(numerator) << 64
    }

    #[test]
    fn the_numbers_of_many_credits_are_compared_as_those_of_single_ones() {
        let dithers = Dithers::new(mix(7));
        for (first, count, numerator, denominator) in
            [(0, 64, 14, 100), (3, 10, 3, 7), (60, 200, 99, 100), (1000, 1, 1, 2), (5, 0, 1, 3), (1, 500, 0, 9)]
        {
            let single = (first..first + count).filter(|&credit| is_below(dithers, credit, numerator, denominator));
            assert_eq!(dithers.count_below(first, count, fraction(numerator, denominator)), single.count() as u64);
        }
    }

    /// Pearson's statistic for the sums of `count` credits over `samples` queues, against the binomial distribution
    /// with this probability. Values with fewer than 5 expected samples are merged with their neighbours.
    fn deviation_of_sums(samples: u64, count: u64, numerator: u32, denominator: u32) -> (f64, usize) {
        let mut seen = vec![0.0; count as usize + 1];
        for queue in 0..samples {
            let dithers = Dithers::new(mix(mix(11).wrapping_add(queue.wrapping_mul(GAMMA))));
            // not aligned with the blocks
            seen[dithers.count_below(queue % 100, count, fraction(numerator, denominator)) as usize] += 1.0;
        }
        let p = f64::from(numerator) / f64::from(denominator);
        let (mut expected, mut observed, mut statistic, mut cells) = (0.0, 0.0, 0.0, 0);
        let mut probability = (1.0 - p).powi(count as i32);
        for successes in 0..=count {
            expected += probability * samples as f64;
            observed += seen[successes as usize];
            if expected >= 5.0 {
                statistic += (observed - expected).powi(2) / expected;
                (expected, observed, cells) = (0.0, 0.0, cells + 1);
            }
            probability *= (count - successes) as f64 / (successes + 1) as f64 * p / (1.0 - p);
        }
        (statistic, cells)
    }

    #[test]
    fn sums_have_the_binomial_distribution() {
        for (count, numerator, denominator) in [(7, 6, 7), (64, 14, 100), (94, 19, 66), (250, 1, 300)] {
            let (statistic, cells) = deviation_of_sums(40_000, count, numerator, denominator);
            // chi squared: mean, and five standard deviations
            let freedom = cells as f64 - 1.0;
            assert!(cells > 3 && statistic < freedom + 5.0 * (2.0 * freedom).sqrt(), "{count}: {statistic} of {cells}");
        }
    }

    #[test]
    fn credits_are_independent_of_one_another_and_of_other_queues() {
        // pairs of neighbouring credits, of credits in different blocks, and of the same credit of different queues
        type Pair = [(u64, u64); 2];
        let pairs: [fn(u64) -> Pair; 3] =
            [|i| [(0, i), (0, i + 1)], |i| [(0, i), (0, i + 64)], |i| [(i, 5), (i + 1, 5)]];
        for pair in pairs {
            let both = (0..40_000).filter(|&i| {
                pair(i).iter().all(|&(queue, credit)| {
                    Dithers::new(mix(queue.wrapping_mul(GAMMA))).count_below(credit, 1, fraction(2, 5)) == 1
                })
            });
            // 4/25 of 40 000; the standard deviation is at most 110, as neighbouring pairs overlap
            assert!(both.count().abs_diff(6400) < 500);
        }
    }
}

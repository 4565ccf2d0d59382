//! RED's spacing of drops: from the initial probability p_b to the decision on one packet (RED, section 7).

use penstock_core::Rng;

/// Numbers closer than this are equal.
const ROUNDING: f64 = 1e-9;

penstock_core::choice! {
    /// How the probability of this drop follows from p_b and the arrivals since the last drop.
    pub enum Spacing {
        /// Gaps uniform on 1/p_b .. 2/p_b - 1.
        Wait = "wait",
        /// Gaps uniform on 1 .. 1/p_b.
        Count = "count",
        /// Gaps geometric.
        None = "none",
        /// Gaps uniform on 1 .. 1/p_b - 1: the algorithm of section 4 to the letter.
        Section4 = "section4",
        /// Gaps uniform on 1 .. 1/p_b, from one number drawn for each.
        Once = "once",
    }
}

impl Spacing {
    /// The probability of dropping the `count`-th arrival since the last drop.
    #[inline]
    pub(crate) fn p_a(self, p_b: f64, count: u32) -> f64 {
        let n = f64::from(count);
        match self {
            Self::None => p_b,
            // method 2 of section 7; with a denominator of 0 or less the drop is certain
            Self::Count | Self::Once if (n - 1.0) * p_b < 1.0 => (p_b / (1.0 - (n - 1.0) * p_b)).min(1.0),
            Self::Wait if n * p_b < 1.0 => 0.0,
            Self::Wait if n * p_b < 2.0 => (p_b / (2.0 - n * p_b)).min(1.0),
            Self::Count | Self::Wait | Self::Once => 1.0,
            // n - 1 is section 4's count, as `restart` starts it; at 1/p_b, give or take rounding, p_a is infinite
            Self::Section4 if (n - 1.0) * p_b < 1.0 - ROUNDING => (p_b / (1.0 - (n - 1.0) * p_b)).min(1.0),
            Self::Section4 if (n - 1.0) * p_b <= 1.0 + ROUNDING => 1.0,
            Self::Section4 => 0.0,
        }
    }

    /// The p_b at which a fraction `p` of all arrivals is dropped, 0 .. 1: 1/p is the mean of the gaps above.
    pub(crate) fn p_b_for(self, p: f64) -> f64 {
        match self {
            Self::None => p,
            Self::Count | Self::Once => p / (2.0 - p),
            Self::Wait => 3.0 * p / (2.0 + p),
            Self::Section4 => p / 2.0,
        }
    }
}

/// The count of arrivals since the last drop, and what follows from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spacer {
    spacing: Spacing,
    /// The first arrival above min_th always passes (ns-2).
    spares_first: bool,
    /// Arrivals above min_th since the last drop, the present one included.
    pub(crate) count: u32,
    /// "once": the n p_b that ends the gap.
    goal: f64,
    /// The last arrival was above min_th.
    above: bool,
}

impl Spacer {
    pub(crate) const fn new(spacing: Spacing, spares_first: bool) -> Self {
        Self { spacing, spares_first, count: 0, goal: 1.0, above: false }
    }

    /// An arrival was below min_th.
    #[inline]
    pub(crate) fn reset(&mut self) {
        self.count = 0;
        self.above = false;
    }

    /// A packet was dropped: count from here.
    #[inline]
    pub(crate) fn restart(&mut self) {
        self.count = u32::from(self.spacing == Spacing::Section4);
    }

    /// Whether this arrival, above min_th, ends the gap: it is to be dropped, and the count has restarted.
    ///
    /// A number is drawn where p_a is above 0, even where it is 1; with "once", for the first arrival of a gap.
    #[inline]
    pub(crate) fn ends_gap(&mut self, p_b: f64, rng: &mut Rng) -> bool {
        if self.spares_first && !self.above {
            self.above = true;
            self.count = u32::from(self.spacing != Spacing::Once);
            return false;
        }
        self.count = self.count.saturating_add(1);
        let ends = if self.spacing == Spacing::Once {
            if self.count == 1 {
                self.goal = rng.uniform();
            }
            f64::from(self.count) * p_b >= self.goal
        } else {
            let p_a = self.spacing.p_a(p_b, self.count);
            p_a > 0.0 && rng.chance(p_a)
        };
        if ends {
            self.restart();
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::assert_fits;

    /// Gaps between drops at p_b = 1/8.
    fn gaps(spacing: Spacing) -> Vec<u32> {
        let (mut spacer, mut rng) = (Spacer::new(spacing, true), Rng::stream(1, "gaps"));
        let (mut gaps, mut gap) = (Vec::new(), 0);
        while gaps.len() <= 20_000 {
            gap += 1;
            if spacer.ends_gap(0.125, &mut rng) {
                gaps.push(core::mem::take(&mut gap));
            }
        }
        // the first one starts with the packet that is spared
        gaps.split_off(1)
    }

    #[test]
    fn gaps_with_count_are_uniform_from_1() {
        assert_fits(&gaps(Spacing::Count), 1..=8, |_| 1.0 / 8.0);
        assert_fits(&gaps(Spacing::Once), 1..=8, |_| 1.0 / 8.0);
    }

    #[test]
    fn gaps_with_wait_are_uniform_from_the_inverse_of_p_b() {
        assert_fits(&gaps(Spacing::Wait), 8..=15, |_| 1.0 / 8.0);
    }

    #[test]
    fn gaps_with_none_are_geometric() {
        assert_fits(&gaps(Spacing::None), 1..=40, |n| 0.125 * 0.875_f64.powf(f64::from(n) - 1.0));
    }

    #[test]
    fn gaps_with_section4_end_one_earlier_than_with_count() {
        assert_fits(&gaps(Spacing::Section4), 1..=7, |_| 1.0 / 7.0);
    }

    #[test]
    fn mean_gaps_are_those_that_p_b_for_promises() {
        for spacing in [Spacing::Wait, Spacing::Count, Spacing::None, Spacing::Section4, Spacing::Once] {
            let gaps = gaps(spacing);
            let mean = gaps.iter().map(|&gap| f64::from(gap)).sum::<f64>() / gaps.len() as f64;
            let p_b = spacing.p_b_for(1.0 / mean);
            assert!((p_b - 0.125).abs() < 0.003, "{spacing:?}: {p_b}");
        }
    }

    #[test]
    fn section4_by_hand() {
        // p_b = 1/8: after a drop the counts are 1 to 7, p_a = 1/(8 - count)
        let p_a = |n| Spacing::Section4.p_a(0.125, n);
        let by_hand = [1.0 / 8.0, 1.0 / 7.0, 1.0 / 6.0, 1.0 / 5.0, 1.0 / 4.0, 1.0 / 3.0, 1.0 / 2.0, 1.0, 1.0];
        for (n, by_hand) in (1..).zip(by_hand) {
            assert!((p_a(n) - by_hand).abs() < 1e-15);
        }
        // 9/8: negative
        assert_eq!((p_a(10), p_a(1000)), (0.0, 0.0));
    }
}

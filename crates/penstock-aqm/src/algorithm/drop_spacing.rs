//! RED's spacing of drops: from the initial probability p_b to the decision on one packet (RED, section 7).

use penstock_core::{Bytes, Rng};

/// Numbers closer than this are equal.
const ROUNDING: f64 = 1e-9;

penstock_core::choice! {
    /// How the drop probability follows from p_b and the arrivals since the last drop.
    pub enum Spacing {
        /// Gaps uniform on 1/p_b .. 2/p_b - 1.
        Wait = "wait",
        /// Gaps uniform on 1 .. 1/p_b.
        Count = "count",
        /// Gaps geometric.
        None = "none",
        /// Gaps uniform on 1 .. 1/p_b - 1: the algorithm of section 4 to the letter.
        Section4 = "section4",
        /// Gaps uniform on 1 .. 1/p_b - 1: ns-2 and ns-3 with `wait_` off.
        NoWait = "no_wait",
        /// Gaps uniform on 1 .. 1/p_b, from one number drawn for each.
        Once = "once",
    }
}

penstock_core::choice! {
    /// How the drop probability depends on the size of the packet.
    pub enum ScaleBySize {
        /// It does not.
        Never = "never",
        /// p_b is multiplied by size / largest packet of the link (section 4).
        Pb = "p_b",
        /// p_a is multiplied by size / mean packet, and mean packets are counted (ns-2, ns-3).
        Pa = "p_a",
    }
}

impl Spacing {
    /// The probability of dropping the `count`-th arrival since the last drop.
    #[inline]
    pub(crate) fn p_a(self, p_b: f64, count: u32) -> f64 {
        self.p_a_at(p_b, f64::from(count))
    }

    /// The same for a count `n`.
    #[inline]
    fn p_a_at(self, p_b: f64, n: f64) -> f64 {
        match self {
            Self::None => p_b,
            // method 2 of section 7; with a denominator of 0 or less the drop is certain
            Self::Count | Self::Once if (n - 1.0) * p_b < 1.0 => (p_b / (1.0 - (n - 1.0) * p_b)).min(1.0),
            Self::Wait if n * p_b < 1.0 => 0.0,
            Self::Wait if n * p_b < 2.0 => (p_b / (2.0 - n * p_b)).min(1.0),
            Self::NoWait if n * p_b < 1.0 => (p_b / (1.0 - n * p_b)).min(1.0),
            Self::Count | Self::Wait | Self::Once | Self::NoWait => 1.0,
            // n - 1 is section 4's count, as `restart` starts it; at 1/p_b, within rounding, p_a is infinite
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
            Self::Section4 | Self::NoWait => p / 2.0,
        }
    }
}

/// The count of arrivals since the last drop, and the decision that follows from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spacer {
    spacing: Spacing,
    /// The first arrival above min_th always passes (ns-2).
    spares_first: bool,
    scale: ScaleBySize,
    /// The packet size, in bytes, with which the size of an arrival is compared.
    reference: u64,
    /// Arrivals above min_th since the last drop, the present one included; their bytes if p_a is scaled by size.
    count: u64,
    /// "once": the value of n p_b at which the gap ends.
    goal: f64,
    /// The last arrival was above min_th.
    above: bool,
}

impl Spacer {
    pub(crate) const fn new(spacing: Spacing, spares_first: bool) -> Self {
        let (scale, reference) = (ScaleBySize::Never, 1);
        Self { spacing, spares_first, scale, reference, count: 0, goal: 1.0, above: false }
    }

    /// This spacer with probabilities scaled by packet size / `reference`.
    #[must_use]
    pub(crate) fn scaled(self, scale: ScaleBySize, reference: Bytes) -> Self {
        Self { scale, reference: reference.0.max(1), ..self }
    }

    /// This spacer with the scaling of `other`.
    #[must_use]
    pub(crate) fn scaled_like(self, other: &Self) -> Self {
        Self { scale: other.scale, reference: other.reference, ..self }
    }

    /// An arrival was below min_th.
    #[inline]
    pub(crate) fn reset(&mut self) {
        self.count = 0;
        self.above = false;
    }

    /// A packet was dropped: restart the count.
    #[inline]
    pub(crate) fn restart(&mut self) {
        self.count = if self.spacing == Spacing::Section4 { self.counted_as_one() } else { 0 };
    }

    /// The drop of this arrival did not happen, or does not end the gap: continue the count of `before`, this arrival
    /// included.
    pub(crate) fn resume(&mut self, before: &Self, size: u32) {
        self.count = before.count.saturating_add(self.counted(size));
    }

    /// Whether this arrival of `size` bytes, above min_th, ends the gap. If so, it is to be dropped, and the count
    /// restarts.
    ///
    /// A number is drawn if p_a is above 0, even if it is 1; with "once", for the first arrival of a gap.
    #[inline]
    pub(crate) fn ends_gap(&mut self, p_b: f64, size: u32, rng: &mut Rng) -> bool {
        let counted = self.counted(size);
        if self.spares_first && !self.above {
            self.above = true;
            self.count = if self.spacing == Spacing::Once { 0 } else { counted };
            return false;
        }
        let is_first = self.count == 0;
        self.count = self.count.saturating_add(counted);
        let ends = if self.spacing == Spacing::Once {
            if is_first {
                self.goal = rng.uniform();
            }
            self.n() * self.scaled_p_b(p_b, size) >= self.goal
        } else {
            let p_a = self.p_a(p_b, size);
            p_a > 0.0 && rng.chance(p_a)
        };
        if ends {
            self.restart();
        }
        ends
    }

    /// The probability of dropping this arrival, which the count includes.
    #[inline]
    fn p_a(&self, p_b: f64, size: u32) -> f64 {
        if self.scale == ScaleBySize::Never {
            return self.spacing.p_a_at(p_b, self.count as f64);
        }
        let p_a = self.spacing.p_a_at(self.scaled_p_b(p_b, size), self.n());
        if self.scale == ScaleBySize::Pa && p_a < 1.0 { (p_a * self.relative(size)).min(1.0) } else { p_a }
    }

    #[inline]
    fn scaled_p_b(&self, p_b: f64, size: u32) -> f64 {
        if self.scale == ScaleBySize::Pb { (p_b * self.relative(size)).min(1.0) } else { p_b }
    }

    fn relative(&self, size: u32) -> f64 {
        f64::from(size) / self.reference as f64
    }

    /// The increment of the count for an arrival.
    #[inline]
    fn counted(&self, size: u32) -> u64 {
        if self.scale == ScaleBySize::Pa { u64::from(size) } else { 1 }
    }

    fn counted_as_one(&self) -> u64 {
        if self.scale == ScaleBySize::Pa { self.reference } else { 1 }
    }

    /// n: arrivals since the last drop, or whole mean packets.
    #[inline]
    fn n(&self) -> f64 {
        if self.scale == ScaleBySize::Pa { (self.count / self.reference) as f64 } else { self.count as f64 }
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
            if spacer.ends_gap(0.125, 1000, &mut rng) {
                gaps.push(core::mem::take(&mut gap));
            }
        }
        // the first gap starts with the packet that always passes
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
        let all = [Spacing::Wait, Spacing::Count, Spacing::None, Spacing::Section4, Spacing::Once, Spacing::NoWait];
        for spacing in all {
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
    #[test]
    fn no_wait_by_hand() {
        // p_b = 1/8: p_b / (1 - n p_b) = 1/(8 - n), and 1 from n = 8 on, where section4 turns negative
        let p_a = |n| Spacing::NoWait.p_a(0.125, n);
        for (n, by_hand) in (1..).zip([1.0 / 7.0, 1.0 / 6.0, 1.0 / 5.0, 1.0 / 4.0, 1.0 / 3.0, 1.0 / 2.0, 1.0, 1.0, 1.0])
        {
            assert!((p_a(n) - by_hand).abs() < 1e-15, "{n}");
        }
        // p_b above 1/2: 0.6 / 0.4 is clamped to 1
        assert_eq!(Spacing::NoWait.p_a(0.6, 1), 1.0);
        assert_fits(&gaps(Spacing::NoWait), 1..=7, |_| 1.0 / 7.0);
    }

    fn scaled(spacing: Spacing, scale: ScaleBySize, reference: u64) -> Spacer {
        Spacer::new(spacing, false).scaled(scale, Bytes(reference))
    }

    #[test]
    fn p_b_is_scaled_before_the_spacing_and_p_a_after_it() {
        // two arrivals of 500 bytes since the last drop, p_b = 1/8, a largest packet of 2000 bytes and a mean packet of
        // 1000
        let p_a = |scale, reference, size| {
            let mut spacer = scaled(Spacing::Count, scale, reference);
            spacer.count = 2 * spacer.counted(500);
            spacer.p_a(0.125, size)
        };
        // p_b = 1/8 500/2000 = 1/32, n = 2: 1/31
        assert!((p_a(ScaleBySize::Pb, 2000, 500) - 1.0 / 31.0).abs() < 1e-15);
        // n = 1000 bytes / 1000 = 1: 1/8, times 500/1000
        assert!((p_a(ScaleBySize::Pa, 1000, 500) - 1.0 / 16.0).abs() < 1e-15);
        assert!((p_a(ScaleBySize::Never, 1, 500) - 1.0 / 7.0).abs() < 1e-15);
        assert_eq!(p_a(ScaleBySize::Pa, 1000, 40_000), 1.0);
        assert_eq!(p_a(ScaleBySize::Pb, 2000, 40_000), 1.0);
    }

    #[test]
    fn the_count_of_p_a_is_whole_mean_packets_and_a_certain_drop_is_not_scaled() {
        let mut spacer = scaled(Spacing::NoWait, ScaleBySize::Pa, 1000);
        let p_a = [999, 1000, 3999, 4000, 7000, 8000].map(|bytes| {
            spacer.count = bytes;
            spacer.p_a(0.125, 100)
        });
        // n = 0, 1, 3, 4, 7 and 8: 1/(8 - n), a tenth of it for 100 bytes, unless it is 1
        let by_hand = [1.0 / 80.0, 1.0 / 70.0, 1.0 / 50.0, 1.0 / 40.0, 1.0, 1.0];
        assert!(p_a.iter().zip(by_hand).all(|(p_a, by_hand)| (p_a - by_hand).abs() < 1e-15), "{p_a:?}");
    }

    #[test]
    fn packets_of_the_reference_size_are_dropped_as_without_scaling() {
        let spacings =
            [Spacing::Wait, Spacing::Count, Spacing::None, Spacing::Section4, Spacing::Once, Spacing::NoWait];
        for (spacing, scale) in spacings.into_iter().flat_map(|by| [(by, ScaleBySize::Pb), (by, ScaleBySize::Pa)]) {
            for spares_first in [true, false] {
                let drops = |spacer: Spacer| {
                    let (mut spacer, mut rng) = (spacer, Rng::stream(1, "drops"));
                    (0..2000).map(|_| spacer.ends_gap(0.125, 1000, &mut rng)).collect::<Vec<_>>()
                };
                let plain = Spacer::new(spacing, spares_first);
                assert_eq!(drops(plain.scaled(scale, Bytes(1000))), drops(plain), "{spacing:?} {scale:?}");
            }
        }
    }

    #[test]
    fn drops_are_in_proportion_to_the_size() {
        // sizes alternate, p_b = 1/16: without spacing, packets of 250 bytes are dropped a quarter as often
        for scale in [ScaleBySize::Pb, ScaleBySize::Pa] {
            let (mut spacer, mut rng) = (scaled(Spacing::None, scale, 1000), Rng::stream(1, "sizes"));
            let mut drops = [0_u32; 2];
            for _ in 0..200_000 {
                for (drops, size) in drops.iter_mut().zip([1000, 250]) {
                    *drops += u32::from(spacer.ends_gap(1.0 / 16.0, size, &mut rng));
                }
            }
            for (drops, p) in drops.into_iter().zip([1.0 / 16.0_f64, 1.0 / 64.0]) {
                let (mean, deviation) = (200_000.0 * p, (200_000.0 * p * (1.0 - p)).sqrt());
                assert!((f64::from(drops) - mean).abs() < 4.0 * deviation, "{scale:?}: {drops}, not {mean}");
            }
        }
    }

    #[test]
    fn a_gap_that_is_resumed_counts_the_arrival() {
        let mut spacer = Spacer::new(Spacing::Count, false);
        spacer.count = 5;
        let before = spacer;
        spacer.restart();
        spacer.resume(&before, 1000);
        assert_eq!(spacer.count, 6);
    }
}

//! Losses that remain after an erasure code repairs batches of losses: the compound-Poisson model of the thesis,
//! section 5.5.
//!
//! Batches of A >= 1 consecutive losses begin at random, lambda per packet; a block of T = k + h packets sees
//! N_T = A_1 + ... + A_M losses, M Poisson with mean lambda T. With p = lambda `E[A]` and x = p T the mean of N_T, lambda
//! T is x / `E[A]`. The code repairs a block with at most h losses; in a block with more losses it repairs nothing.

use crate::bisection;
use alloc::vec::Vec;
use penstock_core::math;

/// The sizes of batches: the probability of 1, of 2, and so on, which sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Batches {
    sizes: Vec<f64>,
    mean: f64,
}

/// The largest mean number of losses x in a block; beyond it e^(-x) underflows.
pub const LARGEST_MEAN: f64 = 700.0;

impl Batches {
    /// Batches with these probabilities, scaled to sum to 1; `None` if one is negative or not finite, or if all are 0.
    pub fn new(sizes: &[f64]) -> Option<Self> {
        let sum: f64 = sizes.iter().sum();
        if !sizes.iter().all(|&share| share >= 0.0 && share.is_finite()) || sum <= 0.0 {
            return None;
        }
        let sizes: Vec<f64> = sizes.iter().map(|share| share / sum).collect();
        let mean = sizes.iter().enumerate().map(|(n, share)| (n + 1) as f64 * share).sum();
        Some(Self { sizes, mean })
    }

    /// One loss with probability `beta`, two otherwise: 0.9 for RED and 0.6 for drop-tail in the thesis. 0 .. 1.
    pub fn singles_and_pairs(beta: f64) -> Self {
        Self { sizes: Vec::from([beta, 1.0 - beta]), mean: 2.0 - beta }
    }

    /// `E[A]`.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Equation 5.2: P(N_T = n) for n = 0 .. `most`, at the mean `x` = p T, up to [`LARGEST_MEAN`]. By the recursion of
    /// Panjer: g_0 = e^(-lambda T), g_n = lambda T / n sum_j j P(A = j) g_(n - j).
    pub fn distribution(&self, x: f64, most: usize) -> Vec<f64> {
        let rate = x / self.mean;
        let mut g = Vec::with_capacity(most + 1);
        g.push(math::exp(-rate));
        for n in 1..=most {
            let sizes = self.sizes.iter().take(n).enumerate();
            let sum: f64 = sizes.map(|(j, share)| (j + 1) as f64 * share * g[n - 1 - j]).sum();
            g.push(rate / n as f64 * sum);
        }
        g
    }

    /// Equation 5.3: P(N_T <= h), the probability that a block is repaired.
    pub fn repaired(&self, x: f64, h: usize) -> f64 {
        self.distribution(x, h).iter().sum::<f64>().min(1.0)
    }

    /// P(N_T > h) and E[N_T; N_T > h], summed from h + 1 on, so that small values keep their precision.
    fn beyond(&self, x: f64, h: usize) -> (f64, f64) {
        // the terms beyond this, far above the mean, are negligible
        let largest = self.sizes.len() as f64;
        let most = h as f64 + x + 12.0 * math::sqrt(x * largest) + 40.0 * largest;
        let g = self.distribution(x, most as usize);
        let tail = || g.iter().enumerate().skip(h + 1).rev();
        (tail().map(|(_, share)| share).sum(), tail().map(|(n, share)| n as f64 * share).sum())
    }

    /// P(N_T > h), the probability that a block is not repaired.
    pub fn unrepaired(&self, x: f64, h: usize) -> f64 {
        self.beyond(x, h).0
    }

    /// Share of packets lost after repair, at the loss rate `p`, with `k` data and `h` redundancy packets in a block:
    /// `E[N_T; N_T > h] / (k + h)`.
    pub fn residual_loss(&self, p: f64, k: usize, h: usize) -> f64 {
        let block = (k + h) as f64;
        self.beyond(p * block, h).1 / block
    }
}

/// Delta_h(x) = P(N_T <= h) of `first` minus that of `second`: above 0 if `first` is repaired more often.
pub fn difference(first: &Batches, second: &Batches, x: f64, h: usize) -> f64 {
    second.unrepaired(x, h) - first.unrepaired(x, h)
}

/// x_h, the mean number of losses in a block at which both are repaired equally often: below it `first`, whose batches
/// are smaller, is better. `None` if there is none in 1e-3 .. [`LARGEST_MEAN`].
pub fn threshold(first: &Batches, second: &Batches, h: usize) -> Option<f64> {
    let better = |x: f64| difference(first, second, x, h) > 0.0;
    let mut low = (0.6 * h as f64 + 0.3).min(LARGEST_MEAN);
    while !better(low) {
        low /= 2.0;
        if low < 1e-3 {
            return None;
        }
    }
    let mut high = (h as f64 + 3.0).max(2.0 * low);
    while better(high) {
        high *= 2.0;
        if high > LARGEST_MEAN {
            return None;
        }
    }
    bisection::between(low, high, |x| difference(first, second, x, h))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn red() -> Batches {
        Batches::singles_and_pairs(0.9)
    }

    fn drop_tail() -> Batches {
        Batches::singles_and_pairs(0.6)
    }

    fn x(h: usize) -> f64 {
        threshold(&red(), &drop_tail(), h).unwrap()
    }

    #[test]
    fn thresholds_are_those_of_the_appendix() {
        let wanted = [1.6311, 2.1576, 3.3274, 4.2652, 5.2803, 6.2719, 7.2721, 8.2701, 9.2693, 10.2684];
        for (h, wanted) in (1..).zip(wanted) {
            assert!((x(h) - wanted).abs() < 6e-5, "{} for {wanted}, h = {h}", x(h));
        }
        for (h, wanted) in [(30, 0.2636), (50, 0.2627), (100, 0.2619), (400, 0.2614)] {
            assert!((x(h) - h as f64 - wanted).abs() < 6e-5, "{} for {wanted}, h = {h}", x(h) - h as f64);
        }
    }

    #[test]
    fn the_difference_has_one_zero_and_the_extrema_of_the_appendix() {
        for h in 1..=8 {
            let threshold = x(h);
            for n in 1..=300 {
                let at = f64::from(n) * 0.05;
                let delta = difference(&red(), &drop_tail(), at, h);
                assert!((delta > 0.0) == (at < threshold), "{delta} at {at}, h = {h}");
            }
        }
        let extrema = |h| {
            let all =
                || (1..=2000).map(|n| (f64::from(n) * 0.01, difference(&red(), &drop_tail(), f64::from(n) * 0.01, h)));
            let by = |a: &(f64, f64), b: &(f64, f64)| a.1.total_cmp(&b.1);
            (all().max_by(by).unwrap(), all().min_by(by).unwrap())
        };
        let (most, least) = extrema(1);
        assert!((most.0 - 0.57).abs() < 0.011 && (least.0 - 3.53).abs() < 0.011, "{most:?} {least:?}");
        let heights = [(1, 0.0452, -0.0448), (2, 0.0202, -0.0458), (4, 0.0276, -0.0422), (8, 0.0298, -0.0399)];
        for (h, most, least) in heights {
            let found = extrema(h);
            assert!((found.0.1 - most).abs() < 6e-5 && (found.1.1 - least).abs() < 6e-5, "{found:?}, h = {h}");
        }
        // without redundancy the larger batches leave more blocks whole
        assert_eq!(threshold(&red(), &drop_tail(), 0), None);
    }

    #[test]
    fn loss_rates_at_the_thresholds_are_those_of_the_appendix() {
        let table = [
            (16, 1, 0.0959),
            (16, 2, 0.1199),
            (16, 4, 0.2133),
            (8, 2, 0.2158),
            (20, 2, 0.0981),
            (10, 1, 0.1483),
            (40, 4, 0.0969),
            (80, 8, 0.0940),
            (64, 16, 0.2033),
        ];
        for (k, h, wanted) in table {
            let found = x(h) / (k + h) as f64;
            assert!((found - wanted).abs() < 6e-5, "{found} for {wanted}, ({k}, {h})");
        }
    }

    /// Losses before repair as measured (drop-tail, RED), and after it by the model.
    type Line = (f64, f64, f64, f64);

    const TABLE_5_1: [Line; 10] = [
        (0.00587, 0.00613, 0.00353, 0.00157),
        (0.01748, 0.01786, 0.01142, 0.00677),
        (0.02761, 0.03020, 0.01915, 0.01471),
        (0.03720, 0.04204, 0.02705, 0.02408),
        (0.04593, 0.05291, 0.03466, 0.03380),
        (0.05365, 0.06373, 0.04166, 0.04426),
        (0.06131, 0.07505, 0.04883, 0.05580),
        (0.06850, 0.08499, 0.05572, 0.06629),
        (0.07545, 0.09406, 0.06251, 0.07607),
        (0.08125, 0.1018, 0.06827, 0.08453),
    ];

    const TABLE_5_2: [Line; 10] = [
        (0.00608, 0.00645, 0.00001, 0.00000),
        (0.01757, 0.01834, 0.00022, 0.00007),
        (0.02847, 0.03070, 0.00090, 0.00040),
        (0.03710, 0.04200, 0.00190, 0.00116),
        (0.04622, 0.05327, 0.00352, 0.00255),
        (0.05473, 0.06535, 0.00559, 0.00499),
        (0.06103, 0.07484, 0.00751, 0.00771),
        (0.06959, 0.08560, 0.01065, 0.01175),
        (0.07543, 0.09430, 0.01315, 0.01582),
        (0.08177, 0.10267, 0.01620, 0.02041),
    ];

    /// Losses after repair as measured: drop-tail and RED, tables 5.1 and 5.2.
    const MEASURED_5_1: [(f64, f64); 10] = [
        (0.00303, 0.00179),
        (0.01026, 0.00523),
        (0.01776, 0.01195),
        (0.02471, 0.02101),
        (0.03167, 0.03074),
        (0.03788, 0.04184),
        (0.04446, 0.05391),
        (0.05086, 0.06476),
        (0.05771, 0.07535),
        (0.06321, 0.08393),
    ];

    const MEASURED_5_2: [(f64, f64); 10] = [
        (0.00018, 0.00009),
        (0.00073, 0.00015),
        (0.00205, 0.00038),
        (0.00289, 0.00065),
        (0.00422, 0.00125),
        (0.00566, 0.00241),
        (0.00618, 0.00453),
        (0.00810, 0.00885),
        (0.00990, 0.01222),
        (0.01153, 0.01618),
    ];

    #[test]
    fn losses_after_repair_are_those_of_the_appendix() {
        for (table, h) in [(TABLE_5_1, 1), (TABLE_5_2, 4)] {
            for (p_drop_tail, p_red, after_drop_tail, after_red) in table {
                for (batches, p, wanted) in [(drop_tail(), p_drop_tail, after_drop_tail), (red(), p_red, after_red)] {
                    let found = batches.residual_loss(p, 16, h);
                    assert!((found - wanted).abs() < 6e-6, "{found} for {wanted} at {p}, h = {h}");
                }
            }
        }
    }

    /// The number of flows at which the losses after repair cross, in a table with a line every ten flows.
    fn crossing(after: [(f64, f64); 10]) -> f64 {
        let gap = |n: usize| after[n].1 - after[n].0;
        let n = (0..9).find(|&n| gap(n) < 0.0 && gap(n + 1) >= 0.0).unwrap();
        10.0 * ((n + 1) as f64 + gap(n) / (gap(n) - gap(n + 1)))
    }

    #[test]
    fn the_model_crosses_where_the_appendix_says() {
        let model = |table: [Line; 10], h| {
            table.map(|(dt, red_, ..)| (drop_tail().residual_loss(dt, 16, h), red().residual_loss(red_, 16, h)))
        };
        assert!((crossing(model(TABLE_5_1, 1)) - 53.0).abs() < 1.0);
        assert!((crossing(model(TABLE_5_2, 4)) - 67.0).abs() < 1.0);
        assert!((crossing(MEASURED_5_1) - 52.0).abs() < 0.5);
        assert!((crossing(MEASURED_5_2) - 77.0).abs() < 0.5);
        // the model predicts the sign at all loads of table 5.1, and at all loads of table 5.2 except 70 flows
        let signs = model(TABLE_5_2, 4).into_iter().zip(MEASURED_5_2);
        let wrong: Vec<usize> =
            signs.enumerate().filter(|(_, (m, t))| (m.0 < m.1) != (t.0 < t.1)).map(|(n, _)| n).collect();
        assert_eq!(wrong, [6]);
        let mut signs = model(TABLE_5_1, 1).into_iter().zip(MEASURED_5_1);
        assert!(signs.all(|(m, t)| (m.0 < m.1) == (t.0 < t.1)));
    }

    #[test]
    fn the_text_counts_as_the_tables_do() {
        // losses before repair over losses after it at 10 flows, drop-tail and RED; the text of 5.4.3 has 1.9 and 3.4
        let ratio = |before: f64, after: f64, wanted: f64| assert!((before / after - wanted).abs() < 0.051, "{wanted}");
        ratio(TABLE_5_1[0].0, MEASURED_5_1[0].0, 1.94);
        ratio(TABLE_5_1[0].1, MEASURED_5_1[0].1, 3.42);
        // and 33.4, 66.5 and 79.6, computed from rates with more digits than the table prints
        ratio(TABLE_5_2[0].0, MEASURED_5_2[0].0, 33.8);
        ratio(TABLE_5_2[0].1, MEASURED_5_2[0].1, 71.7);
        ratio(TABLE_5_2[2].1, MEASURED_5_2[2].1, 80.8);
        // at 100 flows RED loses 2.1 points more before repair and 0.5 more after it; 7 and 8.6 points are repaired
        let ((before_dt, before_red, ..), (after_dt, after_red)) = (TABLE_5_2[9], MEASURED_5_2[9]);
        let points = [
            (before_red - before_dt, 2.09),
            (after_red - after_dt, 0.465),
            (before_dt - after_dt, 7.02),
            (before_red - after_red, 8.65),
        ];
        for (found, wanted) in points {
            assert!((100.0 * found - wanted).abs() < 0.0051, "{found} for {wanted}");
        }
    }

    /// Section 5.5: RED is better as long as p (k + h) <= h + C.
    #[test]
    fn the_three_forms_of_the_rule_are_one() {
        for h in [1_usize, 2, 4, 8, 16] {
            let c = x(h) - h as f64;
            for k in [4_usize, 8, 16, 40, 80, 200] {
                for p in [0.005, 0.02, 0.05, 0.1, 0.15, 0.25] {
                    let block = (k + h) as f64;
                    let better = difference(&red(), &drop_tail(), p * block, h) >= 0.0;
                    assert_eq!(better, p * block <= h as f64 + c, "({k}, {h}), {p}");
                    assert_eq!(better, k as f64 <= (1.0 - p) / p * h as f64 + c / p, "({k}, {h}), {p}");
                    let least = p / (1.0 - p) - c / ((1.0 - p) * k as f64);
                    assert_eq!(better, h as f64 / k as f64 >= least, "({k}, {h}), {p}");
                }
            }
        }
        // figure 5.4: the crossings come at 45, 65, 80 and 100 flows, in the order of the thresholds
        let rates = [(16, 1), (16, 2), (16, 4), (8, 2)].map(|(k, h)| x(h) / (k + h) as f64);
        assert!(rates.is_sorted(), "{rates:?}");
    }

    #[test]
    fn the_distribution_is_the_sum_over_singles_and_pairs() {
        let (at, beta) = (2.3_f64, 0.6);
        let rate = at / (2.0 - beta);
        let poisson = |mean: f64, n: i32| (-mean).exp() * (1..=n).map(|i| mean / f64::from(i)).product::<f64>();
        for (n, found) in (0..).zip(drop_tail().distribution(at, 12)) {
            let pairs = |j: i32| poisson(rate * beta, n - 2 * j) * poisson(rate * (1.0 - beta), j);
            let wanted: f64 = (0..=n / 2).map(pairs).sum();
            assert!((found / wanted - 1.0).abs() < 1e-12, "{found} for {wanted}, {n} losses");
        }
    }

    #[test]
    fn batches_of_any_size_keep_the_mean() {
        // geometric sizes, cut off at 40
        let shares: Vec<f64> = (0..40).map(|n| 0.3 * 0.7_f64.powi(n)).collect();
        let batches = Batches::new(&shares).unwrap();
        assert!((batches.mean() - 10.0 / 3.0).abs() < 1e-4);
        let whole = batches.distribution(5.0, 400);
        assert!((whole.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let mean: f64 = whole.iter().enumerate().map(|(n, share)| n as f64 * share).sum();
        assert!((mean - 5.0).abs() < 1e-9, "{mean}");
        // without redundancy nothing is repaired
        assert!((batches.residual_loss(0.05, 100, 0) - 0.05).abs() < 1e-12);
        let small = batches.unrepaired(1e-6, 3);
        assert!((small / (1e-6 / batches.mean() * 0.7_f64.powi(3)) - 1.0).abs() < 1e-5, "{small}");
        assert!((batches.repaired(5.0, 7) + batches.unrepaired(5.0, 7) - 1.0).abs() < 1e-12);
        assert_eq!((Batches::new(&[]), Batches::new(&[0.5, -0.1])), (None, None));
    }
}

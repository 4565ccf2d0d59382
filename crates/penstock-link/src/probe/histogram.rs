//! Delays in buckets of equal relative width: percentiles within half a percent, in constant time and memory.

use penstock_core::Span;

/// Buckets per doubling, as a power of two: a bucket's width is 1/128 of the value, so its middle is within 0.4 % of
/// the value.
const FINENESS: u32 = 7;

/// Counts of delays.
#[derive(Clone, Default)]
pub struct Histogram {
    counts: Vec<u64>,
    sum: u128,
    squares: u128,
}

impl Histogram {
    /// Count one delay.
    #[inline]
    pub fn record(&mut self, delay: Span) {
        let nanos = delay.as_nanos();
        let bucket = bucket(nanos);
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.sum += u128::from(nanos);
        self.squares += u128::from(nanos) * u128::from(nanos);
    }

    /// Count all delays of `other` too.
    pub fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        self.sum += other.sum;
        self.squares += other.squares;
    }

    fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Mean in seconds; `None` without a delay.
    pub fn mean(&self) -> Option<f64> {
        self.moments().map(|(mean, _)| mean)
    }

    /// Mean and standard deviation in seconds; `None` without a delay.
    pub fn moments(&self) -> Option<(f64, f64)> {
        let total = self.total();
        (total > 0).then(|| {
            let mean = self.sum as f64 / total as f64 * 1e-9;
            let nanos = mean * 1e9;
            let variance = self.squares as f64 / total as f64 - nanos * nanos;
            (mean, variance.max(0.0).sqrt() * 1e-9)
        })
    }

    /// The delay in seconds that the share `p` of all delays does not exceed, within half a percent.
    pub fn quantile(&self, p: f64) -> Option<f64> {
        self.quantiles(&[p])[0]
    }

    /// The same for several shares, which ascend: one pass over the buckets.
    pub fn quantiles(&self, shares: &[f64]) -> Vec<Option<f64>> {
        let total = self.total() as f64;
        let mut buckets = self.counts.iter().enumerate();
        let (mut last, mut seen) = (None, 0);
        let mut quantile = |p: f64| {
            let wanted = (p * total).ceil().max(1.0) as u64;
            while seen < wanted {
                let (bucket, count) = buckets.next()?;
                (last, seen) = (Some(bucket), seen + count);
            }
            last.map(|bucket| middle(bucket) * 1e-9)
        };
        shares.iter().map(|&p| quantile(p)).collect()
    }
}

/// Values below 2^FINENESS have a bucket each; above, the leading bits choose it.
#[inline]
fn bucket(nanos: u64) -> usize {
    let exponent = (nanos | (1 << FINENESS)).ilog2() - FINENESS;
    ((u64::from(exponent) << FINENESS) + (nanos >> exponent)) as usize
}

fn middle(bucket: usize) -> f64 {
    let exponent = (bucket >> FINENESS).saturating_sub(1);
    let low = (bucket - (exponent << FINENESS)) << exponent;
    low as f64 + ((1_u64 << exponent) - 1) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_s_middle_is_within_half_a_percent() {
        for nanos in (0..300).chain((9..60).map(|bit| (1_u64 << bit) + (1 << (bit - 3)) + 5)) {
            let error = (middle(bucket(nanos)) - nanos as f64).abs();
            assert!(error <= nanos as f64 * 0.004, "{nanos}: {error}");
        }
    }

    #[test]
    fn merged_counts_are_those_of_all_delays_in_one() {
        let (mut low, mut high, mut all) = (Histogram::default(), Histogram::default(), Histogram::default());
        for k in (1..=900).map(|k| k * k) {
            let half = if k % 3 == 0 { &mut low } else { &mut high };
            half.record(Span::from_micros(k));
            all.record(Span::from_micros(k));
        }
        for mut merged in [low.clone(), high.clone()] {
            merged.merge(if merged.total() == low.total() { &high } else { &low });
            assert_eq!((&merged.counts, merged.sum, merged.squares), (&all.counts, all.sum, all.squares));
        }
    }

    #[test]
    fn moments_and_quantiles_of_a_known_sample() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|k| histogram.record(Span::from_micros(k)));
        assert!((histogram.mean().unwrap() - 500.5e-6).abs() < 1e-12);
        assert!((histogram.moments().unwrap().1 - 288.675e-6).abs() < 1e-9);
        assert!((histogram.quantile(0.99).unwrap() / 990e-6 - 1.0).abs() < 0.005);
        assert_eq!(Histogram::default().quantile(0.5), None);
        let shares = [0.0, 0.25, 0.25, 0.5, 0.99, 1.0];
        assert_eq!(histogram.quantiles(&shares), shares.map(|p| histogram.quantile(p)));
    }
}

//! Distributions over 0, 1, 2, ...

/// Counts as fractions of their sum, without trailing zeros; empty if all are 0.
pub fn pmf(counts: &[u64]) -> Vec<f64> {
    let total: u64 = counts.iter().sum();
    let used = counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    counts[..used].iter().map(|&count| count as f64 / total as f64).collect()
}

/// Mean and variance of a distribution over 0, 1, 2, ...
pub fn moments(pmf: &[f64]) -> (f64, f64) {
    let moment = |center: f64, power: i32| -> f64 {
        pmf.iter().enumerate().map(|(value, share)| share * (value as f64 - center).powi(power)).sum()
    };
    let mean = moment(0.0, 1);
    (mean, moment(mean, 2))
}

//! Drawn values have the distribution named in the scenario: Kolmogorov and Smirnov's test of the body, Hill's estimate
//! of the tail's exponent.

use penstock_core::Rng;
use penstock_sim::scenario::Draw;

const COUNT: usize = 100_000;

fn drawn(draw: &Draw, stream: &str) -> Vec<f64> {
    let mut rng = Rng::stream(7, stream);
    let mut values: Vec<f64> = (0..COUNT).map(|_| draw.draw(&mut rng)).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The largest distance between the empirical distribution and `cdf`, times the root of the count: below 1.63 in 99 of 100
/// samples.
fn distance(values: &[f64], cdf: impl Fn(f64) -> f64) -> f64 {
    let n = values.len() as f64;
    let gap = |(i, &x): (usize, &f64)| (cdf(x) - i as f64 / n).abs().max((cdf(x) - (i + 1) as f64 / n).abs());
    values.iter().enumerate().map(gap).fold(0.0, f64::max) * n.sqrt()
}

/// Hill's estimate of the exponent from the `k` largest values.
fn hill(values: &[f64], k: usize) -> f64 {
    let threshold = values[values.len() - k - 1];
    let logs: f64 = values[values.len() - k..].iter().map(|x| (x / threshold).ln()).sum();
    k as f64 / logs
}

#[test]
fn pareto_has_its_mean_s_scale_and_its_exponent() {
    for (mean, shape) in [(50.0, 2.0), (4.0, 1.2), (0.5, 1.5), (12_000.0, 1.2)] {
        let values = drawn(&Draw::Pareto { pareto: mean, shape }, &format!("{mean} {shape}"));
        let scale = mean * (shape - 1.0) / shape;
        let far = distance(&values, |x| 1.0 - (scale / x).powf(shape));
        assert!(far < 1.63, "mean {mean}, shape {shape}: {far}");
        // The estimate's standard error is shape / sqrt(k).
        let exponent = hill(&values, 5000);
        assert!((exponent / shape - 1.0).abs() < 3.0 / 5000_f64.sqrt(), "mean {mean}, shape {shape}: {exponent}");
    }
}

#[test]
fn exponential_and_uniform() {
    let far = distance(&drawn(&Draw::Exponential { exp: 2e9 }, "exp"), |x| 1.0 - (-x / 2e9).exp());
    assert!(far < 1.63, "{far}");
    let far = distance(&drawn(&Draw::Uniform { uniform: [20.0, 100.0] }, "uniform"), |x| (x - 20.0) / 80.0);
    assert!(far < 1.63, "{far}");
}

#[test]
fn all_values_of_a_list_are_alike() {
    let values = drawn(&Draw::List { list: vec![1.0, 2.0, 5.0, 9.0] }, "list");
    let expected = COUNT as f64 / 4.0;
    let square = |value: f64| {
        let count = values.iter().filter(|&&x| x == value).count() as f64;
        (count - expected).powi(2) / expected
    };
    // Chi-square with 3 degrees of freedom: below 11.3 in 99 of 100 samples.
    assert!([1.0, 2.0, 5.0, 9.0].map(square).iter().sum::<f64>() < 11.3);
}

#[test]
fn measured_is_linear_between_its_points() {
    // A twentieth of all is at the first point; then three slopes.
    let cdf = vec![[100.0, 0.05], [1000.0, 0.5], [1000.0, 0.6], [50_000.0, 0.9], [90_000.0, 1.0]];
    let expected = |x: f64| match x {
        x if x < 100.0 => 0.0,
        x if x < 1000.0 => 0.05 + 0.45 * (x - 100.0) / 900.0,
        x if x < 50_000.0 => 0.6 + 0.3 * (x - 1000.0) / 49_000.0,
        x => 0.9 + 0.1 * (x - 50_000.0) / 40_000.0,
    };
    let draw = Draw::Measured { cdf };
    let values = drawn(&draw, "measured");
    // Shares below each of many values: a standard deviation is at most half the root of the count.
    for i in 0..1000 {
        let x = f64::from(i) * 90.0 + 0.5;
        let share = values.partition_point(|&value| value <= x) as f64 / COUNT as f64;
        assert!((share - expected(x)).abs() * (COUNT as f64).sqrt() < 1.63, "{x}: {share}, {} expected", expected(x));
    }
    let atom = |value: f64| values.iter().filter(|&&x| x == value).count() as f64 / COUNT as f64;
    assert!((atom(100.0) - 0.05).abs() < 0.002 && (atom(1000.0) - 0.1).abs() < 0.003);
    let mean = values.iter().sum::<f64>() / COUNT as f64;
    // The standard error is about 80.
    assert!((mean - draw.mean()).abs() < 250.0, "{mean}, {} expected", draw.mean());
    assert_eq!(draw.mean(), 100.0 * 0.05 + 550.0 * 0.45 + 1000.0 * 0.1 + 25_500.0 * 0.3 + 70_000.0 * 0.1);
}

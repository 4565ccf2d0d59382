//! The fraction of arrivals that RED drops in the long run at a constant p_b, for each spacing of drops.
//! S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", 1993, section 7.

/// Share of dropped arrivals, for 0 < p_b <= 1, with p_a = p_b / (1 - (n - 1) p_b) at the n-th arrival since the last
/// drop. Gaps are uniform on 1 .. 1/p_b, so it is about 2 p_b / (1 + p_b).
pub fn count(p_b: f64) -> f64 {
    share(|n| if (n - 1.0) * p_b < 1.0 { p_b / (1.0 - (n - 1.0) * p_b) } else { 1.0 })
}

/// Share of dropped arrivals, for 0 < p_b <= 1, with ns-2's `wait` at the n-th arrival since the last drop: p_a = 0
/// while n p_b < 1, then p_b / (2 - n p_b), and 1 from n p_b = 2. About 0.7 p_b, and never above 1/2 for p_b < 1.
pub fn wait(p_b: f64) -> f64 {
    share(|n| match n * p_b {
        x if x < 1.0 => 0.0,
        x if x < 2.0 => p_b / (2.0 - x),
        _ => 1.0,
    })
}

/// One over the mean gap, when the n-th arrival since the last drop is dropped with probability `p_a(n)`.
fn share(p_a: impl Fn(f64) -> f64) -> f64 {
    let (mut mean_gap, mut undropped, mut n) = (0.0, 1.0, 1.0);
    while undropped > 0.0 {
        mean_gap += undropped;
        undropped *= 1.0 - p_a(n).min(1.0);
        n += 1.0;
    }
    1.0 / mean_gap
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_sums_over_the_gaps() {
        // p_b = 0.3: survivors 1, 0.7, 0.4, 0.1 and 1, 1, 1, 1, 0.625, 0.25
        assert!((count(0.3) - 1.0 / 2.2).abs() < 1e-12);
        assert!((wait(0.3) - 1.0 / 4.875).abs() < 1e-12);
    }

    #[test]
    fn spacing_changes_how_much_is_dropped() {
        let expected = [
            (0.02, 0.039, 0.013),
            (0.05, 0.095, 0.034),
            (0.10, 0.182, 0.069),
            (0.15, 0.260, 0.103),
            (0.20, 0.333, 0.143),
            (0.25, 0.400, 0.182),
            (0.2675, 0.418, 0.190),
            (0.30, 0.455, 0.205),
            (0.375, 0.533, 0.269),
            (0.40, 0.556, 0.286),
            (0.45, 0.606, 0.302),
            (0.50, 0.667, 0.400),
            (0.60, 0.714, 0.444),
            (0.675, 0.755, 0.500),
            (0.75, 0.800, 0.500),
            (0.90, 0.909, 0.500),
        ];
        for (p_b, with_count, with_wait) in expected {
            assert!((count(p_b) - with_count).abs() < 6e-4, "count at {p_b}: {}", count(p_b));
            assert!((wait(p_b) - with_wait).abs() < 6e-4, "wait at {p_b}: {}", wait(p_b));
        }
    }
}

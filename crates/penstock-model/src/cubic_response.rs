//! CUBIC's mean window: L. Xu et al., RFC 9438, section 5. One packet is lost after each 1 / p packets.

use crate::sqrt_law;
use penstock_core::math;

/// C of RFC 9438, section 5.1.
pub const C: f64 = 0.4;
/// beta_cubic of RFC 9438, section 4.6.
pub const BETA: f64 = 0.7;

/// Figure 6: (C (3 + beta) / (4 (1 - beta)))^(1/4) RTT^(3/4) / p^(3/4) in packets, `rtt` in seconds, for the concave
/// region alone.
pub fn concave_window(p: f64, rtt: f64, c: f64, beta: f64) -> f64 {
    math::pow(c * (3.0 + beta) / (4.0 * (1.0 - beta)), 0.25) * math::pow(rtt / p, 0.75)
}

/// The mean window in packets, including the Reno-friendly region: the larger of figure 6 and of figure 3 with a
/// growth of one packet per round trip and halving at a loss (tables 1 and 2).
pub fn window(p: f64, rtt: f64, c: f64, beta: f64) -> f64 {
    concave_window(p, rtt, c, beta).max(sqrt_law::window(p, 1.0))
}

/// The inverse of [`window`]: the loss rate at which the mean window is `w` packets, above 0.
pub fn probability(w: f64, rtt: f64, c: f64, beta: f64) -> f64 {
    let concave = rtt * math::pow(c * (3.0 + beta) / (4.0 * (1.0 - beta)), 1.0 / 3.0) / math::pow(w, 4.0 / 3.0);
    concave.max(1.5 / (w * w))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p, then windows for C = 0.04, 0.4 and 4.
    type Line = (f64, [f64; 3]);

    /// Tables 1 (0.1 s) and 2 (0.01 s). The windows of Reno there are 1.2 / sqrt(p).
    const TABLES: [(f64, [Line; 7]); 2] = [
        (
            0.1,
            [
                (1e-2, [12.0, 12.0, 12.0]),
                (1e-3, [38.0, 38.0, 59.0]),
                (1e-4, [120.0, 187.0, 333.0]),
                (1e-5, [593.0, 1054.0, 1874.0]),
                (1e-6, [3332.0, 5926.0, 10_538.0]),
                (1e-7, [18_740.0, 33_325.0, 59_261.0]),
                (1e-8, [105_383.0, 187_400.0, 333_250.0]),
            ],
        ),
        (
            0.01,
            [
                (1e-2, [12.0, 12.0, 12.0]),
                (1e-3, [38.0, 38.0, 38.0]),
                (1e-4, [120.0, 120.0, 120.0]),
                (1e-5, [379.0, 379.0, 379.0]),
                (1e-6, [1200.0, 1200.0, 1874.0]),
                (1e-7, [3795.0, 5926.0, 10_538.0]),
                (1e-8, [18_740.0, 33_325.0, 59_261.0]),
            ],
        ),
    ];

    #[test]
    fn windows_are_those_of_the_rfc() {
        for (rtt, rows) in TABLES {
            for (p, windows) in rows {
                let reno = 1.2 / p.sqrt();
                for (c, wanted) in [0.04, 0.4, 4.0].into_iter().zip(windows) {
                    // the tables truncate decimals and use 1.054 for C = 0.4
                    let found = concave_window(p, rtt, c, BETA).max(reno);
                    assert!((found - wanted).abs() < 1.0 + 2e-4 * wanted, "{found} for {wanted}: {rtt} s, {p}, C {c}");
                    let own = window(p, rtt, c, BETA);
                    assert!((own / found - 1.0).abs() < 0.021, "{own} for {found}");
                }
            }
        }
        assert!((concave_window(1.0, 1.0, C, BETA) - 1.054).abs() < 5e-4);
    }

    #[test]
    fn loss_rates_are_those_of_the_rfc() {
        // table 3: windows and loss rates of 10 Mbit/s .. 10 Gbit/s, 1500 bytes, 0.1 s
        let table = [(83.3, 2.9e-4), (833.3, 1.4e-5), (8333.3, 6.3e-7), (83_333.3, 2.9e-8)];
        for (w, p) in table {
            let found = probability(w, 0.1, C, BETA);
            assert!((found / p - 1.0).abs() < 0.04, "{found} for {p}");
            assert!((window(found, 0.1, C, BETA) / w - 1.0).abs() < 1e-12);
        }
        assert!((probability(8.3, 0.1, C, BETA) / 2.0e-2 - 1.0).abs() < 0.1);
    }

    #[test]
    fn one_cycle_of_the_cubic_function_has_the_mean_window_of_figure_6() {
        let (w_max, rtt) = (5000.0_f64, 0.1);
        let k = (w_max * (1.0 - BETA) / C).cbrt();
        let steps = 1_000_000;
        let dt = k / f64::from(steps);
        let area: f64 = (0..steps).map(|n| C * ((f64::from(n) + 0.5) * dt - k).powi(3) + w_max).sum::<f64>() * dt;
        let p = rtt / area; // a cycle has area / rtt packets
        assert!((area / k / concave_window(p, rtt, C, BETA) - 1.0).abs() < 1e-6);
    }
}

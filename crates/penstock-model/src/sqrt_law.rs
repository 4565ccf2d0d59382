//! The square-root law: the rate of a TCP sender with congestion signals at a constant rate and no timeouts.
//!
//! Thesis, equation 1; M. Mathis, J. Semke, J. Mahdavi, T. Ott, "The Macroscopic Behavior of the TCP Congestion
//! Avoidance Algorithm", 1997. For other increases and decreases: S. Floyd, M. Handley, J. Padhye, "A Comparison of
//! Equation-Based and AIMD Congestion Control", 2000, as in RFC 9438, section 4.3, figure 3.

use penstock_core::math;

/// c = sqrt(3 / (2 b)), with `b` packets per ACK: 1.2247 without delayed acknowledgements.
pub fn constant(b: f64) -> f64 {
    math::sqrt(1.5 / b)
}

/// W = c / sqrt(p): mean window in packets at a share `p` of packets that signal congestion; infinite for 0.
///
/// The law requires p below about 0.02; above it timeouts and the minimum window matter.
pub fn window(p: f64, b: f64) -> f64 {
    constant(b) / math::sqrt(p)
}

/// Thesis, equation 1: min(c / (R sqrt(p)), C) in packets per second, for a round trip of R seconds. `capacity` is C,
/// in packets per second; infinite for a path without one.
pub fn rate(p: f64, b: f64, rtt: f64, capacity: f64) -> f64 {
    (window(p, b) / rtt).min(capacity)
}

/// The inverse: p = (c / W)^2, at most 1. With W = C R / N it is GREEN's law (thesis, equation 1.16) and the thesis'
/// upper bound of RED's max_p (section 2.4.5), which is printed without the square.
pub fn probability(window: f64, b: f64) -> f64 {
    let root = constant(b) / window;
    (root * root).min(1.0)
}

/// RFC 9438, figure 3: mean window of a flow that adds `alpha` packets each round trip and keeps a fraction `beta` of
/// the window after a loss: sqrt(alpha (1 + beta) / (2 (1 - beta) p)).
pub fn aimd_window(p: f64, alpha: f64, beta: f64) -> f64 {
    math::sqrt(alpha * (1.0 + beta) / (2.0 * (1.0 - beta) * p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constant_is_that_of_the_thesis() {
        assert!((constant(1.0) - 1.2247).abs() < 5e-5);
        assert!((constant(2.0) - 0.8660).abs() < 5e-5);
    }

    #[test]
    fn one_more_each_round_trip_and_one_half_is_the_square_root_law() {
        for p in [1e-6, 1e-3, 0.02] {
            assert!((aimd_window(p, 1.0, 0.5) / window(p, 1.0) - 1.0).abs() < 1e-15);
        }
        // RFC 9438, section 4.3: alpha = 3 (1 - beta) / (1 + beta) has the window of alpha = 1, beta = 1/2
        assert!((aimd_window(1e-3, 3.0 * 0.3 / 1.7, 0.7) / window(1e-3, 1.0) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_sawtooth_without_randomness_obeys_the_law() {
        // W/2 to W in steps of one: 3/8 W^2 packets and one loss, in W/2 round trips
        let largest = 2000.0_f64;
        let (mut window_now, mut packets, mut rounds) = (largest / 2.0, 0.0, 0.0);
        while window_now < largest {
            packets += window_now;
            rounds += 1.0;
            window_now += 1.0;
        }
        assert!((packets / rounds / window(1.0 / packets, 1.0) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn the_rate_ends_at_the_capacity_and_the_probability_at_one() {
        assert!((rate(1e-4, 1.0, 0.1, f64::INFINITY) - 1224.7).abs() < 0.05);
        assert_eq!(rate(1e-4, 1.0, 0.1, 1000.0), 1000.0);
        assert_eq!(rate(0.0, 1.0, 0.1, 1000.0), 1000.0);
        assert!((probability(window(0.013, 2.0), 2.0) - 0.013).abs() < 1e-15);
        // thesis, GREEN: 28 flows over 0.107 s and 187.5 packets per second need more than 1
        assert_eq!(probability(187.5 * 0.107 / 28.0, 1.0), 1.0);
        assert!((1.5 * (28.0_f64 / (187.5 * 0.107)).powi(2) - 2.9).abs() < 0.05);
    }
}

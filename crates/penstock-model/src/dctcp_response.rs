//! DCTCP's steady state: M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.3 (marks above a
//! threshold); K. De Schepper et al., "PI2", CoNEXT 2016, appendix A (marks at random). The protocol is RFC 8257.

use crate::bisection;
use penstock_core::math;

/// alpha of N synchronized flows whose windows are `w` >= 1 packets, W* = (C RTT + K) / N, when the queue reaches the
/// threshold K: alpha^2 (1 - alpha / 4) = (2 W* + 1) / (W* + 1)^2, equation 6, of which sqrt(2 / W*) is the limit.
pub fn alpha_under_threshold(w: f64) -> f64 {
    let wanted = (2.0 * w + 1.0) / ((w + 1.0) * (w + 1.0));
    bisection::between(0.0, 1.0, |alpha| alpha * alpha * (1.0 - alpha / 4.0) - wanted).unwrap_or(1.0)
}

/// The oscillation of the queue above a threshold of K packets, in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swing {
    /// Share of marked packets that the senders estimate.
    pub alpha: f64,
    /// Equation 10: Q_max = K + N.
    pub highest: f64,
    /// Equation 11: Q_min = Q_max - A; if it is below 0, the link idles.
    pub lowest: f64,
    /// Round trips in a period, equation 9: D = (W* + 1) alpha / 2.
    pub period: f64,
}

/// Equations 7 to 11, for N `flows`, `window` = C RTT packets in flight on an empty path, and `k` the threshold.
pub fn swing(flows: f64, window: f64, k: f64) -> Swing {
    let w = (window + k) / flows;
    let alpha = alpha_under_threshold(w);
    let period = (w + 1.0) * alpha / 2.0;
    Swing { alpha, highest: k + flows, lowest: k + flows - flows * period, period }
}

/// Equation 13 and RFC 8257, section 3.1: the minimum threshold with which the queue never empties, K > C RTT / 7.
pub fn least_threshold(window: f64) -> f64 {
    window / 7.0
}

/// Mean window if each packet is marked with probability `p`: 2 / p. Each round trip adds a packet and removes W p / 2,
/// as long as most rounds see a mark.
pub fn window_under_random_marks(p: f64) -> f64 {
    2.0 / p
}

/// The largest weight g with which alpha decays by less than half in a period of one flow's oscillation, equation 15:
/// g < 1.386 / sqrt(2 (C RTT + K)).
pub fn largest_g(window: f64, k: f64) -> f64 {
    1.386 / math::sqrt(2.0 * (window + k))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_tends_to_the_root_of_two_in_a_window() {
        for (w, precision) in [(100.0, 0.04), (10_000.0, 0.004)] {
            let ratio = alpha_under_threshold(w) / (2.0_f64 / w).sqrt();
            assert!((ratio - 1.0).abs() < precision, "{ratio} at {w}");
        }
        assert!((alpha_under_threshold(1.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn alpha_is_the_share_of_marks_of_a_sawtooth_played_round_by_round() {
        // windows of whole packets are marked in the round that passes W*
        let (w_star, g) = (400.0_f64, 1.0 / 256.0);
        let (mut w, mut alpha, mut sum, mut n) = (300.0, 1.0, 0.0, 0.0);
        for round in 0..40_000 {
            let marked = w > w_star;
            alpha += g * (f64::from(u8::from(marked)) - alpha);
            if round > 20_000 {
                sum += alpha * w;
                n += w;
            }
            w = if marked { w * (1.0 - alpha / 2.0) } else { w + 1.0 };
        }
        assert!((sum / n / alpha_under_threshold(w_star) - 1.0).abs() < 0.1, "{}", sum / n);
    }

    #[test]
    fn the_least_threshold_keeps_a_queue_for_every_number_of_flows() {
        let window = 700.0;
        // the worst case is N = (C RTT + K) / 8; the paper's A uses alpha = sqrt(2 / W*)
        let lowest = |k: f64| {
            (1..=700)
                .map(|n| k + f64::from(n) - (2.0 * f64::from(n) * (window + k)).sqrt() / 2.0)
                .fold(f64::INFINITY, f64::min)
        };
        let k = least_threshold(window);
        assert!(lowest(k).abs() < 0.01 && lowest(k + 1.0) > 0.0 && lowest(k - 1.0) < 0.0, "{}", lowest(k));
        let exact = swing(100.0, window, k);
        assert!(exact.lowest.abs() < 0.06 * window && (exact.highest - 200.0).abs() < 1e-12);
    }

    #[test]
    fn a_period_of_the_swing_forgets_less_than_half() {
        let (window, k) = (500.0, 65.0);
        let period = swing(1.0, window, k).period;
        let g = largest_g(window, k);
        // (1 - g)^D > 1/2
        assert!(((1.0 - g).powf(period) - 0.5).abs() < 0.02, "{}", (1.0 - g).powf(period));
    }
}

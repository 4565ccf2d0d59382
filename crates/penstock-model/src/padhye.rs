//! How fast TCP Reno sends at a loss rate p, timeouts and a limited window included (PFTK).
//!
//! J. Padhye, V. Firoiu, D. Towsley, J. Kurose, "Modeling TCP Throughput: A Simple Model and its Empirical Validation",
//! SIGCOMM 1998: section 2.1 (triple duplicate acknowledgements), 2.2 (timeouts), 2.3 (limited window). The
//! approximation is also that of RFC 5348, section 3.1.
//!
//! p is the probability that a packet is lost if the packet before it in the same round was not; all packets after a
//! loss in a round are lost too. Under independent losses it is therefore the rate of loss events, as in RFC 5348.

use crate::bisection;
use penstock_core::math;

/// The path of a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// RTT: round-trip time in seconds. Above 0.
    pub rtt: f64,
    /// T_0: the first retransmission timeout in seconds. At least 0.
    pub timeout: f64,
    /// b: packets per ACK; 1, or 2 with delayed acknowledgements.
    pub b: f64,
    /// W_m: the receiver's window in packets, at least 1; infinite for no limit.
    pub window_limit: f64,
}

/// `E[W]`, the mean window when a loss occurs, in packets: (2 + b) / (3 b) + sqrt(8 (1 - p) / (3 b p) + ((2 + b) / (3
/// b))^2).
pub fn window_at_loss(p: f64, b: f64) -> f64 {
    let first = (2.0 + b) / (3.0 * b);
    first + math::sqrt(8.0 * (1.0 - p) / (3.0 * b * p) + first * first)
}

/// Q(p, w), the probability that a loss in a window of `w` packets ends in a timeout:
///
/// min(1, (1 - (1 - p)^3) (1 + (1 - p)^3 (1 - (1 - p)^(w - 3))) / (1 - (1 - p)^w)); 1 for w <= 3, and 3 / w as p -> 0.
pub fn timeout_share(p: f64, w: f64) -> f64 {
    if w <= 3.0 || p >= 1.0 {
        return 1.0;
    }
    if p <= 0.0 {
        return 3.0 / w;
    }
    // 1 - (1 - p)^n without loss of digits where p is small
    let any_of = |n: f64| -math::exp_m1(n * math::ln_1p(-p));
    let ratio = if w.is_infinite() { any_of(3.0) } else { any_of(3.0) / any_of(w) };
    let rest = if w.is_infinite() { 1.0 } else { any_of(w - 3.0) };
    (ratio * (1.0 + (1.0 - any_of(3.0)) * rest)).min(1.0)
}

/// f(p) = 1 + p + 2 p^2 + 4 p^3 + 8 p^4 + 16 p^5 + 32 p^6: a row of timeouts lasts T_0 f(p) / (1 - p) on average.
pub fn backoff(p: f64) -> f64 {
    1.0 + p * (1.0 + 2.0 * p * (1.0 + 2.0 * p * (1.0 + 2.0 * p * (1.0 + 2.0 * p * (1.0 + 2.0 * p)))))
}

/// B(p), the full model: packets sent per second, repeated ones included.
///
/// With `E[W] < W_m`: `((1 - p) / p + E[W] + Q / (1 - p)) / (RTT (b E[W] / 2 + 1) + Q T_0 f(p) / (1 - p))`,
/// Q at `E[W]`; else with W_m in its place and RTT (b W_m / 8 + (1 - p) / (p W_m) + 2).
pub fn rate(p: f64, path: &Path) -> f64 {
    send_rate(p, path, true)
}

/// The full model without timeouts (Q = 0): congestion is signalled by marks.
pub fn rate_without_timeouts(p: f64, path: &Path) -> f64 {
    send_rate(p, path, false)
}

/// RTT B(p): mean window in packets of the full model, or of the model without timeouts.
pub fn mean_window(p: f64, path: &Path, timeouts: bool) -> f64 {
    path.rtt * send_rate(p, path, timeouts)
}

fn send_rate(p: f64, path: &Path, timeouts: bool) -> f64 {
    let Path { rtt, timeout, b, window_limit } = *path;
    if p <= 0.0 {
        return window_limit / rtt;
    }
    let unlimited = window_at_loss(p, b);
    let w = unlimited.min(window_limit);
    let rounds = if unlimited < window_limit {
        b / 2.0 * unlimited + 1.0
    } else {
        b / 8.0 * window_limit + (1.0 - p) / (p * window_limit) + 2.0
    };
    let q = if timeouts { timeout_share(p, w) } else { 0.0 };
    // both sides times 1 - p, so that p = 1 has a value: 1 / (64 T_0)
    let packets = (1.0 - p) * ((1.0 - p) / p + w) + q;
    let seconds = (1.0 - p) * rtt * rounds + q * timeout * backoff(p);
    if p >= 1.0 && q == 0.0 {
        return w / (rtt * rounds);
    }
    packets / seconds
}

/// The approximation: min(W_m / RTT, 1 / (RTT sqrt(2 b p / 3) + T_0 min(1, 3 sqrt(3 b p / 8)) p (1 + 32 p^2))).
pub fn rate_approximate(p: f64, path: &Path) -> f64 {
    let Path { rtt, timeout, b, window_limit } = *path;
    let share = (3.0 * math::sqrt(3.0 * b * p / 8.0)).min(1.0);
    let seconds = rtt * math::sqrt(2.0 * b * p / 3.0) + timeout * share * p * (1.0 + 32.0 * p * p);
    (1.0 / seconds).min(window_limit / rtt)
}

/// RFC 5348, section 3.1: the approximation that TFRC uses, without limits on the window and on the share of timeouts,
/// in packets per second.
pub fn rate_tfrc(p: f64, rtt: f64, timeout: f64, b: f64) -> f64 {
    let seconds =
        rtt * math::sqrt(2.0 * b * p / 3.0) + timeout * 3.0 * math::sqrt(3.0 * b * p / 8.0) * p * (1.0 + 32.0 * p * p);
    1.0 / seconds
}

/// The loss rate at which the full model sends `rate` packets per second, the smaller one of two; `None` if it sends
/// less even at 1e-12, or more even at 1.
pub fn probability(rate: f64, path: &Path, timeouts: bool) -> Option<f64> {
    falling(1e-12, path.window_limit, path.b, |p| send_rate(p, path, timeouts) - rate)
}

/// The zero between `low` and 1 of `f`, which decreases with p. `f` may rise where E[W] = W_m: the two forms of the
/// model do not meet there, so a rate just below the rate at that p belongs to two loss rates, of which the smaller one
/// is returned.
pub(crate) fn falling(low: f64, window_limit: f64, b: f64, f: impl Fn(f64) -> f64) -> Option<f64> {
    let knee = knee(window_limit, b);
    let limited = if knee > low { bisection::between(low, knee * (1.0 - 1e-12), &f) } else { None };
    limited.or_else(|| bisection::between(low.max(knee * (1.0 + 1e-12)), 1.0, &f))
}

/// The loss rate at which E[W] = W_m; 1 where every E[W] is larger.
fn knee(window_limit: f64, b: f64) -> f64 {
    let excess = window_limit * (window_limit - 2.0 * (2.0 + b) / (3.0 * b));
    if excess <= 0.0 { 1.0 } else { 1.0 / (1.0 + 3.0 * b * excess / 8.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(rtt: f64, timeout: f64, b: f64) -> Path {
        Path { rtt, timeout, b, window_limit: f64::INFINITY }
    }

    #[test]
    fn windows_without_timeouts_are_those_of_the_table() {
        // Chung and Claypool's setting, b = 1
        let table = [(0.01, 12.06), (0.02, 8.49), (0.05, 5.34), (0.10, 3.75), (0.20, 2.62), (0.50, 1.59)];
        for (p, window) in table {
            let found = mean_window(p, &path(0.08, 0.2, 1.0), false);
            assert!((found - window).abs() < 0.005 + 1e-9, "{found} for {window} at p = {p}");
        }
    }

    /// The sum behind the formula for the fraction of timeouts: of the w packets in the penultimate round, k survive
    /// with probability A(w, k); of the k packets in the last round, m survive with probability C(k, m); fewer than
    /// three survivors cause a timeout.
    #[test]
    fn the_share_of_timeouts_is_the_sum_over_the_last_two_rounds() {
        for p in [1e-6_f64, 0.003, 0.02, 0.1, 0.4, 0.9] {
            for w in [4_i32, 5, 8, 20, 60] {
                let all = 1.0 - (1.0 - p).powi(w);
                let first = |k: i32| (1.0 - p).powi(k) * p / all;
                let last = |k: i32, m: i32| {
                    if m < k { (1.0 - p).powi(m) * p } else { (1.0 - p).powi(k) }
                };
                let timeouts: f64 = (0..w).map(|k| first(k) * (0..=k.min(2)).map(|m| last(k, m)).sum::<f64>()).sum();
                let found = timeout_share(p, f64::from(w));
                assert!((found / timeouts.min(1.0) - 1.0).abs() < 1e-9, "p = {p}, w = {w}: {found}, {timeouts}");
            }
        }
    }

    #[test]
    fn the_share_of_timeouts_tends_to_three_in_a_window() {
        for w in [4.0, 10.0, 100.0] {
            assert!((timeout_share(1e-9, w) / (3.0 / w) - 1.0).abs() < 1e-6);
            assert_eq!(timeout_share(0.0, w), 3.0 / w);
        }
        assert_eq!((timeout_share(0.2, 3.0), timeout_share(1.0, 50.0)), (1.0, 1.0));
        assert!((timeout_share(0.1, f64::INFINITY) - timeout_share(0.1, 1e9)).abs() < 1e-12);
    }

    #[test]
    fn a_row_of_timeouts_backs_off_six_times() {
        for p in [0.0_f64, 0.05, 0.3, 0.7, 0.99] {
            // k timeouts in a row, with probability p^(k-1) (1 - p), last T_0 (2^k - 1); from the seventh on, each
            // lasts 64 T_0
            let length = |k: i32| if k <= 6 { 2f64.powi(k) - 1.0 } else { 63.0 + 64.0 * f64::from(k - 6) };
            let mean: f64 = (1..20_000).map(|k| p.powi(k - 1) * (1.0 - p) * length(k)).sum();
            assert!((backoff(p) / (1.0 - p) / mean - 1.0).abs() < 1e-9, "{p}");
        }
    }

    #[test]
    fn rare_losses_are_the_square_root_law() {
        for b in [1.0_f64, 2.0] {
            let wanted = (1.5 / (b * 1e-8)).sqrt() / 0.1;
            let path = path(0.1, 0.4, b);
            for found in [rate_without_timeouts(1e-8, &path), rate(1e-8, &path), rate_approximate(1e-8, &path)] {
                assert!((found / wanted - 1.0).abs() < 1e-3, "{found} for {wanted}");
            }
        }
    }

    #[test]
    fn the_approximation_stays_near_the_full_model() {
        for p in [0.0005, 0.002, 0.01, 0.03, 0.1] {
            let path = path(0.1, 0.4, 2.0);
            let ratio = rate_approximate(p, &path) / rate(p, &path);
            assert!((0.8..1.35).contains(&ratio), "{ratio} at {p}");
        }
    }

    #[test]
    fn tfrc_is_the_simplified_form_of_rfc_5348() {
        // t_RTO = 4 R, b = 1: 1 / (R (sqrt(2p/3) + 12 sqrt(3p/8) p (1 + 32 p^2)))
        for p in [0.001_f64, 0.01, 0.1, 1.0] {
            let f = (2.0 * p / 3.0).sqrt() + 12.0 * (3.0 * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p);
            assert!((rate_tfrc(p, 0.1, 0.4, 1.0) * 0.1 * f - 1.0).abs() < 1e-12);
        }
        let path = path(0.1, 0.4, 1.0);
        assert!((rate_tfrc(0.05, 0.1, 0.4, 1.0) / rate_approximate(0.05, &path) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_limited_window_flattens_the_rate() {
        let limited = |w| Path { window_limit: w, ..path(0.08, 0.2, 1.0) };
        let falls = |w| rate(0.005, &limited(w)) / rate(0.1, &limited(w));
        assert!(falls(6.0) < falls(12.0) && falls(12.0) < falls(f64::INFINITY));
        assert_eq!(rate(0.0, &limited(6.0)), 75.0);
        assert!((rate(1e-9, &limited(6.0)) - 75.0).abs() < 1e-3);
        assert_eq!(rate_approximate(1e-6, &limited(6.0)), 75.0);
    }

    #[test]
    fn when_all_is_lost_there_is_a_packet_each_sixty_four_timeouts() {
        let path = path(0.08, 0.2, 1.0);
        assert!((rate(1.0, &path) - 1.0 / (64.0 * 0.2)).abs() < 1e-12);
        assert!((rate(1.0 - 1e-9, &path) / rate(1.0, &path) - 1.0).abs() < 1e-6);
        assert!((rate_without_timeouts(1.0, &path) / rate_without_timeouts(1.0 - 1e-9, &path) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn the_inverse_gives_the_loss_rate_back() {
        let path = path(0.1, 0.4, 1.0);
        for p in [1e-6, 0.001, 0.03, 0.4] {
            assert!((probability(rate(p, &path), &path, true).unwrap() / p - 1.0).abs() < 1e-9);
            let marks = rate_without_timeouts(p, &path);
            assert!((probability(marks, &path, false).unwrap() / p - 1.0).abs() < 1e-9);
        }
        assert_eq!(probability(0.01, &path, true), None);
    }

    #[test]
    fn of_two_loss_rates_at_the_limit_the_inverse_gives_the_smaller_one() {
        // E[W] = 6 at p = 0.1: 1 + sqrt(8 0.9 / 0.3 + 1)
        let path = Path { window_limit: 6.0, ..path(0.1, 0.4, 1.0) };
        assert!((knee(6.0, 1.0) - 0.1).abs() < 1e-15);
        let (before, after) = (rate(0.0999, &path), rate(0.1001, &path));
        assert!(before < after);
        let found = probability(rate(0.0999, &path), &path, true).unwrap();
        assert!((found - 0.0999).abs() < 1e-12, "{found}");
        assert!((probability(rate(0.2, &path), &path, true).unwrap() - 0.2).abs() < 1e-12);
        for limit in [1.0, 2.0, 3.0] {
            let path = Path { window_limit: limit, ..path };
            assert!((probability(rate(0.3, &path), &path, true).unwrap() - 0.3).abs() < 1e-12, "{limit}");
        }
    }
}

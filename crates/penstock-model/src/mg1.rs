//! M/G/1, and M/D/1 with and without a limit: Poisson arrivals, any or fixed service. L. Kleinrock, "Queueing Systems",
//! vol. 1, 1975, section 5.6 (Pollaczek and Khinchin); the limit by the chain embedded at departures, section 5.3.

use alloc::vec::Vec;
use penstock_core::math;

/// Mean number that waits: rho^2 (1 + c2) / (2 (1 - rho)), where `c2` is the squared coefficient of variation of the
/// service: 0 fixed, 1 exponential. Infinite from rho = 1.
pub fn waiting(rho: f64, c2: f64) -> f64 {
    if rho < 1.0 { rho * rho * (1.0 + c2) / (2.0 * (1.0 - rho)) } else { f64::INFINITY }
}

/// Mean waiting time, in units of the mean service time: rho (1 + c2) / (2 (1 - rho)).
pub fn wait(rho: f64, c2: f64) -> f64 {
    if rho < 1.0 { rho * (1.0 + c2) / (2.0 * (1.0 - rho)) } else { f64::INFINITY }
}

/// P(nothing waits) in M/D/1: (1 - rho) e^rho.
pub fn nothing_waits(rho: f64) -> f64 {
    (1.0 - rho).max(0.0) * math::exp(rho)
}

/// M/D/1/K: the probabilities of 0 .. `k` packets in a system of at most `k` >= 1, at a load `rho` above 0.
///
/// pi is the distribution of the number that departures leave behind; its steps are the arrivals during one service
/// minus one. As often as it goes down from n + 1 it goes up from 0 .. n: pi_(n+1) a_0 = pi_0 P(a > n) + sum_(1 <= j <=
/// n) pi_j P(a > n - j + 1). With pi summing to 1 over 0 .. K - 1, the state at any time is p_n = (1 - p_K) pi_n, and
/// p_K is the share that is lost, see [`loss`].
pub fn of_k(rho: f64, k: usize) -> Vec<f64> {
    let mut p = departures(rho, k);
    let total: f64 = p.iter().sum();
    let lost = loss_of(rho, k, &p);
    for share in &mut p {
        *share *= (1.0 - lost) / total;
    }
    p.push(lost);
    p
}

/// pi_0 .. pi_(n-1), not scaled. Nothing is subtracted, so small values keep their precision.
fn departures(rho: f64, n: usize) -> Vec<f64> {
    let none = math::exp(-rho);
    let most = n + 40 + (3.0 * rho) as usize; // further terms are negligible
    let mut more = Vec::with_capacity(most + 1); // the probability of m arrivals, then P(a > m)
    more.push(none);
    for m in 1..=most {
        more.push(more[m - 1] * rho / m as f64);
    }
    let mut tail = 0.0;
    for share in more.iter_mut().rev() {
        tail += core::mem::replace(share, tail);
    }
    let mut pi = Vec::with_capacity(n + 1);
    pi.push(1.0_f64);
    for n in 0..n - 1 {
        let up: f64 = pi[0] * more[n] + (1..=n).map(|j| pi[j] * more[n - j + 1]).sum::<f64>();
        pi.push(up / none);
        if pi[n + 1] > 1e150 {
            for share in &mut pi {
                *share *= 1e-150;
            }
        }
    }
    pi
}

/// p_K = 1 - 1 / (pi_0 + rho), as arrivals balance departures. If that loses all precision, p_K = (1 - rho) Q / (1 -
/// rho Q) with Q the share of M/D/1's pi from K on, summed.
fn loss_of(rho: f64, k: usize, pi: &[f64]) -> f64 {
    let total: f64 = pi.iter().sum();
    let lost = 1.0 - 1.0 / (pi[0] / total + rho);
    if rho >= 1.0 || lost > 1e-6 {
        return lost;
    }
    // pi falls like a power, so that an equally small tail is reached in three times the length
    let beyond: f64 = departures(rho, 4 * k + 40).iter().skip(k).rev().sum::<f64>() / pi[0] * (1.0 - rho);
    (1.0 - rho) * beyond / (1.0 - rho * beyond)
}

/// Mean number that waits in M/D/1/K.
pub fn waiting_of_k(rho: f64, k: usize) -> f64 {
    if rho > 0.0 { of_k(rho, k).iter().enumerate().skip(1).map(|(n, share)| (n - 1) as f64 * share).sum() } else { 0.0 }
}

/// Share of arrivals that find an M/D/1/K system full.
pub fn loss(rho: f64, k: usize) -> f64 {
    if rho > 0.0 { loss_of(rho, k, &departures(rho, k)) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mm1;

    #[test]
    fn exponential_service_is_m_m_1() {
        assert!((waiting(0.8, 1.0) - mm1::waiting(0.8)).abs() < 1e-12);
        assert!((0.8 * wait(0.8, 1.0) - mm1::waiting(0.8)).abs() < 1e-12);
        assert!((waiting(0.8, 0.0) - 1.6).abs() < 1e-12 && (wait(0.8, 0.0) - 2.0).abs() < 1e-12);
        assert_eq!((waiting(1.0, 0.0), wait(2.0, 0.0)), (f64::INFINITY, f64::INFINITY));
    }

    #[test]
    fn a_large_limit_is_none() {
        let p = of_k(0.6, 60);
        assert!((waiting_of_k(0.6, 60) - waiting(0.6, 0.0)).abs() < 1e-9);
        assert!((p[0] + p[1] - nothing_waits(0.6)).abs() < 1e-9 && (p[0] - 0.4).abs() < 1e-9);
    }

    #[test]
    fn one_place_is_erlangs_loss_whatever_the_service() {
        for rho in [0.2, 1.0, 3.0] {
            assert!((loss(rho, 1) - rho / (1.0 + rho)).abs() < 1e-12);
            // the packets that are not lost are served: 1 - p_0 = rho (1 - p_K)
            let p = of_k(rho, 5);
            assert!((1.0 - p[0] - rho * (1.0 - p[5])).abs() < 1e-12 && (p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert_eq!(loss(0.0, 4), 0.0);
    }

    #[test]
    fn rare_and_certain_losses_keep_their_digits() {
        // the tail of M/D/1 falls by 1 / z per place, z > 1 the root of rho (z - 1) = ln z
        let z = crate::bisection::between(1.5, 10.0, |z| 0.5 * (z - 1.0) - z.ln()).unwrap();
        for k in [20, 40, 60] {
            let falls = loss(0.5, k + 1) / loss(0.5, k);
            assert!((falls * z - 1.0).abs() < 1e-9, "{falls} at {k}");
        }
        assert!(loss(0.5, 60) > 0.0 && loss(0.5, 60) < 1e-30);
        assert!((loss(50.0, 100) - 0.98).abs() < 1e-9 && (loss(1.0, 400) - 1.0 / 800.0).abs() < 2e-6);
        // the two forms meet
        let k = (1..60).find(|&k| loss(0.7, k) < 1e-6).unwrap();
        let falls = |k| loss(0.7, k) / loss(0.7, k - 1);
        // this is the size of what 1 - rho Q still changes
        assert!((falls(k) / falls(k - 1) - 1.0).abs() < 2e-6);
    }
}

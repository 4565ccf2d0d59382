//! M/M/1 and M/M/1/K: Poisson arrivals, exponential service. L. Kleinrock, "Queueing Systems", vol. 1, 1975, sections
//! 3.2 and 3.6. `rho` is the load, arrivals times mean service; a system counts the packet in service.

use penstock_core::math;

/// P(n in the system) = (1 - rho) rho^n, for rho < 1.
pub fn probability(rho: f64, n: u32) -> f64 {
    (1.0 - rho) * math::pow(rho, f64::from(n))
}

/// Mean number of waiting packets: rho^2 / (1 - rho).
pub fn waiting(rho: f64) -> f64 {
    if rho < 1.0 { rho * rho / (1.0 - rho) } else { f64::INFINITY }
}

/// P(n in a system of at most `k`) = rho^n (1 - rho) / (1 - rho^(k + 1)), 1 / (k + 1) for rho = 1; at any load.
pub fn probability_of_k(rho: f64, k: u32, n: u32) -> f64 {
    if n > k {
        return 0.0;
    }
    // (1 - rho) / (1 - rho^m), also where rho is nearly 1, and rho^n of it where rho is large
    if rho > 1.0 {
        return probability_of_k(1.0 / rho, k, k - n);
    }
    let m = f64::from(k) + 1.0;
    let share = if rho == 1.0 { 1.0 / m } else { (1.0 - rho) / -math::exp_m1(m * math::ln(rho)) };
    share * math::pow(rho, f64::from(n))
}

/// Share of arrivals that find a system of `k` full.
pub fn loss(rho: f64, k: u32) -> f64 {
    probability_of_k(rho, k, k)
}

/// Mean number of waiting packets in a system of at most `k`.
pub fn waiting_of_k(rho: f64, k: u32) -> f64 {
    (1..=k).map(|n| f64::from(n - 1) * probability_of_k(rho, k, n)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balance_holds_between_neighbours() {
        for rho in [0.3, 0.9, 1.0, 1.7] {
            let p: Vec<f64> = (0..=6).map(|n| probability_of_k(rho, 6, n)).collect();
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for pair in p.windows(2) {
                assert!((pair[1] - rho * pair[0]).abs() < 1e-12);
            }
            assert_eq!((loss(rho, 6), probability_of_k(rho, 6, 7)), (p[6], 0.0));
        }
    }

    #[test]
    fn a_large_system_is_an_infinite_one() {
        assert!((waiting_of_k(0.7, 500) - waiting(0.7)).abs() < 1e-12);
        assert!((probability_of_k(0.7, 500, 3) - probability(0.7, 3)).abs() < 1e-15);
        let in_system: f64 = (0..500).map(|n| f64::from(n) * probability(0.7, n)).sum();
        assert!((in_system - waiting(0.7) - 0.7).abs() < 1e-12);
        assert_eq!((waiting(1.0), waiting(1.2)), (f64::INFINITY, f64::INFINITY));
    }

    #[test]
    fn a_load_of_nearly_one_keeps_its_digits() {
        assert!(
            (loss(1.0 - 1e-13, 9) - 0.1).abs() < 1e-10
                && loss(1.0, 9) == 0.1
                && (loss(1.0 + 1e-13, 9) - 0.1).abs() < 1e-10
        );
        assert!((loss(1e9, 3) - 1.0).abs() < 1e-8 && loss(0.0, 3) == 0.0);
    }
}

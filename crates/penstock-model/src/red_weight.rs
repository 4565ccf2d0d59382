//! The weight of one arrival in RED's average queue: thesis, section 2.4.1, after S. Floyd, R. Gummadi, S. Shenker,
//! "Adaptive RED", 2001.

use penstock_core::math;

/// w = 1 - exp(-1 / (C t)): with `capacity` arrivals per second the average has a time constant of `time_constant`
/// seconds.
///
/// The thesis uses 1 s, ten round trips of 100 ms. In 0..1; 1 for a capacity of 0.
pub fn weight(capacity: f64, time_constant: f64) -> f64 {
    1.0 - math::exp(-1.0 / (capacity * time_constant))
}

/// Arrivals until the average has covered 63 % of the way to its new value after the queue has changed: -1 / ln(1 - w),
/// for 0 < w < 1.
pub fn arrivals_to_follow(w: f64) -> f64 {
    -1.0 / math::ln(1.0 - w)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_thesis() {
        let expected = [
            (187.5, 0.005_319_1, 5e-8),
            (375.0, 0.002_663_1, 5e-8),
            (117.1875, 0.008_497_0, 5e-8),
            (1_041.666_7, 0.000_959_54, 5e-9),
            (2500.0, 0.000_399_92, 5e-9),
        ];
        for (capacity, w, precision) in expected {
            assert!((weight(capacity, 1.0) - w).abs() < precision, "C = {capacity}");
        }
    }

    #[test]
    fn the_average_follows_within_the_time_constant() {
        assert!((arrivals_to_follow(0.002) - 499.5).abs() < 1e-3);
        assert!((arrivals_to_follow(weight(187.5, 2.0)) - 375.0).abs() < 1e-9);
    }

    #[test]
    fn a_time_constant_of_a_second_costs_no_bit() {
        assert_eq!(weight(187.5, 1.0), 1.0 - math::exp(-1.0 / 187.5));
    }
}

//! The damping alpha of the adaptive virtual queue: thesis, Theorem 1 (equations 1.18 and 1.19), after S. Kunniyur,
//! R. Srikant, "Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for Active Queue Management", 2001.
//!
//! The theorem as printed lacks a term and has the inverse of a constant. With p = (lambda - C~) / lambda, a TCP slope
//! of 2/3 and dC~/dt = alpha (gamma C - lambda), the loop of N flows is
//!
//! s + K11 + e^(-sR) (K12 + alpha K2 / s) = 0, K11 = N / (gamma C R^2), K12 = K2 = (2/3) gamma C / N,
//!
//! which on the imaginary axis gives omega = sqrt((d + sqrt(d^2 + 4 K2^2 alpha^2)) / 2), d = K12^2 - K11^2, and
//! omega R + arctan(omega / K11) - arctan(omega / alpha) = pi / 2.

use crate::bisection;
use crate::plant::Plant;
use core::f64::consts::FRAC_PI_2;
use penstock_core::math;

/// The readings of Theorem 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As printed: K12 = K2 = (3/2) gamma C / N, without the term arctan(omega / alpha).
    Printed,
    /// As derived above.
    Corrected,
    /// alpha = K11, which gives the thesis' 0.251 for N = 3 and R = 0.252 s.
    K11,
}

/// K11 = N / (gamma C R^2) in 1/s; `gamma` is the target utilization.
pub fn k11(plant: &Plant, gamma: f64) -> f64 {
    plant.flows / (gamma * plant.capacity * plant.rtt * plant.rtt)
}

/// The largest alpha that keeps the loop stable, for at least N flows, round trips of at most R and a target
/// utilization of at most `gamma` (0 .. 1, not 0); `None` if there is none.
pub fn alpha(plant: &Plant, gamma: f64, reading: Reading) -> Option<f64> {
    let k11 = k11(plant, gamma);
    let (slope, lead) = match reading {
        Reading::K11 => return Some(k11),
        Reading::Printed => (1.5, false),
        Reading::Corrected => (2.0 / 3.0, true),
    };
    let k2 = slope * gamma * plant.capacity / plant.flows;
    let d = k2 * k2 - k11 * k11;
    bisection::between(1e-9, 1e6, |alpha| {
        let omega = math::sqrt(f64::midpoint(d, math::sqrt(d * d + 4.0 * k2 * k2 * alpha * alpha)));
        let phase = omega * plant.rtt + math::atan(omega / k11) - FRAC_PI_2;
        if lead { phase - math::atan(omega / alpha) } else { phase }
    })
}

/// AVQ* of the thesis, whose alpha follows the number of flows: the corrected rule, and K11 where it has no solution.
pub fn alpha_star(plant: &Plant, gamma: f64) -> f64 {
    alpha(plant, gamma, Reading::Corrected).unwrap_or_else(|| k11(plant, gamma))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(flows: f64, rtt: f64) -> Plant {
        Plant { flows, rtt, capacity: 187.5 }
    }

    /// N, then for R = 0.252 s and for R = 0.634 s: alpha as printed, alpha corrected (0: none), K11.
    const TABLE: [(f64, [f64; 3], [f64; 3]); 21] = [
        (3.0, [0.0, 0.0, 0.2520], [0.0, 0.0, 0.0398]),
        (8.0, [0.0, 0.0, 0.6719], [0.0, 0.0, 0.1061]),
        (13.0, [0.0, 0.0, 1.0918], [0.0, 0.0, 0.1725]),
        (18.0, [0.0, 0.5199, 1.5117], [0.0, 0.0, 0.2388]),
        (23.0, [0.0, 2.7868, 1.9316], [0.0, 0.0, 0.3052]),
        (28.0, [0.0, 4.2013, 2.3516], [0.0, 0.0, 0.3715]),
        (33.0, [0.0, 5.4863, 2.7715], [0.0, 0.0, 0.4379]),
        (38.0, [0.0, 6.8066, 3.1914], [0.0, 0.0, 0.5042]),
        (43.0, [0.0, 8.2264, 3.6113], [0.0, 0.0, 0.5705]),
        (48.0, [0.0, 9.7777, 4.0312], [0.0, 0.4775, 0.6369]),
        (53.0, [1.3917, 11.4784, 4.4512], [0.0, 0.8378, 0.7032]),
        (58.0, [2.8005, 13.3402, 4.8711], [0.0, 1.1145, 0.7696]),
        (63.0, [3.9936, 15.3709, 5.2910], [0.0, 1.3515, 0.8359]),
        (68.0, [5.1661, 17.5764, 5.7109], [0.0, 1.5681, 0.9023]),
        (73.0, [6.3676, 19.9610, 6.1308], [0.0, 1.7747, 0.9686]),
        (78.0, [7.6189, 22.5281, 6.5508], [0.0, 1.9772, 1.0349]),
        (83.0, [8.9316, 25.2807, 6.9707], [0.0, 2.1797, 1.1013]),
        (88.0, [10.3123, 28.2210, 7.3906], [0.0, 2.3847, 1.1676]),
        (93.0, [11.7658, 31.3511, 7.8105], [0.0, 2.5942, 1.2340]),
        (98.0, [13.2953, 34.6727, 8.2305], [0.0, 2.8094, 1.3003]),
        (103.0, [14.9033, 38.1872, 8.6504], [0.0, 3.0315, 1.3667]),
    ];

    #[test]
    fn alphas_are_those_of_the_table() {
        for (flows, short, long) in TABLE {
            for (rtt, expected) in [(0.252, short), (0.634, long)] {
                let plant = at(flows, rtt);
                for (reading, wanted) in [Reading::Printed, Reading::Corrected, Reading::K11].into_iter().zip(expected)
                {
                    let found = alpha(&plant, 1.0, reading).unwrap_or(0.0);
                    assert!((found - wanted).abs() < 6e-5, "{reading:?}, N = {flows}, {rtt} s: {found} for {wanted}");
                }
            }
        }
    }

    #[test]
    fn the_alpha_of_the_thesis_is_k11() {
        // printed 0.251
        assert_eq!((k11(&at(3.0, 0.252), 1.0) * 1000.0).floor(), 251.0);
        assert!((k11(&at(3.0, 0.252), 1.0) - 0.251_953).abs() < 5e-7);
        assert!((k11(&at(3.0, 0.241), 1.0) - 0.275_48).abs() < 5e-6);
        assert_eq!(alpha(&at(3.0, 0.241), 1.0, Reading::Printed), None);
        assert_eq!(alpha(&at(3.0, 0.241), 1.0, Reading::Corrected), None);
    }

    #[test]
    fn few_flows_have_no_stable_alpha() {
        // at the thesis' numbers of flows: 3, 8, 13, ...
        let first =
            |rtt, reading| (3..=103).step_by(5).find(|&n| alpha(&at(f64::from(n), rtt), 1.0, reading).is_some());
        assert_eq!((first(0.252, Reading::Printed), first(0.634, Reading::Printed)), (Some(53), None));
        assert_eq!((first(0.252, Reading::Corrected), first(0.634, Reading::Corrected)), (Some(18), Some(48)));
    }

    #[test]
    fn the_star_takes_k11_where_nothing_else_is() {
        assert_eq!(alpha_star(&at(3.0, 0.252), 1.0), k11(&at(3.0, 0.252), 1.0));
        assert!((alpha_star(&at(28.0, 0.252), 1.0) - 4.2013).abs() < 6e-5);
    }

    #[test]
    fn a_lower_wanted_utilization_is_a_smaller_link() {
        let small = Plant { capacity: 0.9 * 187.5, ..at(28.0, 0.252) };
        let (found, wanted) = (alpha_star(&at(28.0, 0.252), 0.9), alpha_star(&small, 1.0));
        assert!((found / wanted - 1.0).abs() < 1e-9);
    }

    #[test]
    fn three_flows_are_far_from_stable_at_any_alpha() {
        // as printed, omega >= K12 = 93.75, so omega R is at least 22.6 where pi / 2 is required; with 2/3 it is still
        // 10.5
        assert!((1.5 * 187.5 / 3.0 - 93.75_f64).abs() < 1e-12 && 93.75 * 0.241 > 22.59);
        let k12 = 2.0 / 3.0 * 187.5 / 3.0;
        assert!((k12 - 41.67_f64).abs() < 0.005 && (k12 * 0.252 - 10.5).abs() < 1e-9);
        for alpha in [0.0, 0.01, 0.251, 10.0] {
            let k11 = k11(&at(3.0, 0.252), 1.0);
            let d: f64 = k12 * k12 - k11 * k11;
            let omega = f64::midpoint(d, (d * d + 4.0 * k12 * k12 * alpha * alpha).sqrt()).sqrt();
            // there is no solution with the term arctan(omega / alpha), which subtracts at most pi / 2, nor without it
            assert!(omega * 0.252 + (omega / k11).atan() - FRAC_PI_2 > FRAC_PI_2);
        }
    }
}

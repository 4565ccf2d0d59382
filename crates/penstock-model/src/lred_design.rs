//! The gain beta of LRED: thesis, equation 1.26, after C. Wang, B. Li, Y. Hou, K. Sohraby, Y. Lin, "LRED: A Robust
//! Active Queue Management Scheme Based on Packet Loss Ratio", INFOCOM 2004.

use crate::bisection;
use crate::plant::Plant;
use core::f64::consts::FRAC_PI_2;
use penstock_core::math;

/// eta of the thesis.
pub const ETA: f64 = 1.5;

/// The two upper bounds of beta; it must be below both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The bound of stability.
    pub phase: f64,
    /// sqrt(2 eta) (2 N)^4 / (R C)^3.
    pub second: f64,
}

impl Bounds {
    /// Equation 1.26: the smaller one. (The thesis' beta = 0.021 for N = 3 is the second.)
    pub fn smaller(&self) -> f64 {
        self.phase.min(self.second)
    }
}

/// Equation 1.26, for at least N flows, round trips of at most R, and `eta` > 0.
///
/// The bound of stability solves R omega + arctan(omega / K11) = pi / 2, K11 = 2 N / (C R^2), for omega; with
/// Kc = C^2 / (eta N) and Hc = beta sqrt(eta N^2 / (C^2 R^2)), the printed
/// omega^2 = (sqrt(K11^4 + 4 Kc^2 Hc^2) - K11^2) / 2 then gives beta = (R sqrt(eta) / C) omega sqrt(omega^2 + K11^2).
pub fn bounds(plant: &Plant, eta: f64) -> Bounds {
    let Plant { flows, rtt, capacity } = *plant;
    let k11 = 2.0 * flows / (capacity * rtt * rtt);
    // the left side is 0 at 0 and above pi / 2 at pi / (2 R), and rises between
    let phase = |omega: f64| omega * rtt + math::atan(omega / k11) - FRAC_PI_2;
    let omega = bisection::between(0.0, FRAC_PI_2 / rtt, phase).unwrap_or(0.0);
    let window = plant.window();
    Bounds {
        phase: omega * math::sqrt(omega * omega + k11 * k11) * math::sqrt(eta) * rtt / capacity,
        second: math::sqrt(2.0 * eta) * math::pow(2.0 * flows, 4.0) / (window * window * window),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(flows: f64, rtt: f64) -> Bounds {
        bounds(&Plant { flows, rtt, capacity: 187.5 }, ETA)
    }

    #[test]
    fn bounds_are_those_of_the_table() {
        let expected = [
            (0.241, 3.0, 0.003_676, 0.024_328),
            (0.252, 3.0, 0.003_359, 0.021_279),
            (0.241, 103.0, 0.166_228, 33_804.0),
            (0.252, 103.0, 0.151_305, 29_568.0),
            (0.634, 3.0, 0.000_524, 0.001_336),
            (0.634, 103.0, 0.021_476, 1857.0),
        ];
        for (rtt, flows, phase, second) in expected {
            let found = at(flows, rtt);
            assert!((found.phase - phase).abs() < 6e-7, "{} for {phase}", found.phase);
            assert!((found.second / second - 1.0).abs() < 5e-4, "{} for {second}", found.second);
            assert_eq!(found.smaller(), found.phase);
        }
    }

    #[test]
    fn betas_of_the_thesis_are_the_second_bound_at_3_and_the_first_at_103_flows() {
        // printed, truncated: 0.021 and 0.151
        assert_eq!((at(3.0, 0.252).second * 1000.0).floor(), 21.0);
        assert_eq!((at(103.0, 0.252).phase * 1000.0).floor(), 151.0);
    }

    #[test]
    fn the_bound_of_stability_grows_with_the_flows() {
        let short = [
            0.003_36, 0.009_24, 0.015_43, 0.021_88, 0.028_57, 0.035_45, 0.042_51, 0.049_73, 0.057_07, 0.064_53,
            0.072_09, 0.079_74, 0.087_47, 0.095_27, 0.103_13, 0.111_05, 0.119_02, 0.127_03, 0.135_09, 0.143_18,
            0.151_30,
        ];
        let long = [
            0.000_524, 0.001_417, 0.002_332, 0.003_268, 0.004_223, 0.005_198, 0.006_190, 0.007_199, 0.008_224,
            0.009_263, 0.010_317, 0.011_384, 0.012_463, 0.013_554, 0.014_657, 0.015_770, 0.016_893, 0.018_026,
            0.019_167, 0.020_318, 0.021_476,
        ];
        for (step, (short, long)) in short.into_iter().zip(long).enumerate() {
            let flows = 3.0 + 5.0 * step as f64;
            assert!((at(flows, 0.252).phase - short).abs() < 6e-6, "N = {flows}");
            assert!((at(flows, 0.634).phase - long).abs() < 6e-7, "N = {flows}");
        }
    }

    #[test]
    fn the_second_bound_is_the_smaller_one_for_one_flow_only() {
        // they cross at N = 1.7
        assert!(at(1.0, 0.252).second < at(1.0, 0.252).phase);
        assert!(at(1.7, 0.252).second / at(1.7, 0.252).phase > 0.9 && at(2.0, 0.252).second > at(2.0, 0.252).phase);
    }

    #[test]
    fn the_closed_form_solves_the_printed_equations() {
        let plant = Plant { flows: 28.0, rtt: 0.252, capacity: 187.5 };
        let Plant { flows, rtt, capacity } = plant;
        let beta = bounds(&plant, ETA).phase;
        let k11 = 2.0 * flows / (capacity * rtt * rtt);
        let k_c = capacity * capacity / (ETA * flows);
        let h_c = beta * (ETA * flows * flows / (capacity * capacity * rtt * rtt)).sqrt();
        let omega = (((k11.powi(4) + 4.0 * k_c * k_c * h_c * h_c).sqrt() - k11 * k11) / 2.0).sqrt();
        assert!((rtt * omega + (omega / k11).atan() - FRAC_PI_2).abs() < 1e-9);
    }

    #[test]
    fn other_exponents_do_not_give_the_printed_beta() {
        let window: f64 = 0.252 * 187.5;
        let second = |exponent: i32| 3.0_f64.sqrt() * 6.0_f64.powi(exponent) / window.powi(3);
        assert!((second(4) - at(3.0, 0.252).second).abs() < 1e-9);
        assert!((second(2) - 0.0006).abs() < 5e-5 && (second(3) - 0.0035).abs() < 5e-5);
    }
}

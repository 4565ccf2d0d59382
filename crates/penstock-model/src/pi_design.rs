//! Gains of the PI controller: thesis, equations 1.22 and 1.23, after C. Hollot, V. Misra, D. Towsley, W. Gong, "On
//! Designing Improved Controllers for AQM Routers Supporting TCP Flows", INFOCOM 2001.

use crate::plant::{Plant, modulus_1};

/// Gains of p += a (q - q_ref) - b (q_old - q_ref), per packet, and the values that they are derived from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Gain of the present queue.
    pub a: f64,
    /// Gain of the queue one period ago.
    pub b: f64,
    /// Crossover frequency in rad/s. The rule holds for omega_g well below 1 / R.
    pub omega_g: f64,
    /// Gain of the continuous controller: p rises by k_pi each second for each packet above the target.
    pub k_pi: f64,
}

/// Equations 1.22 and 1.23, for a controller that samples `frequency` times a second:
///
/// * omega_g = 2 N / (R^2 C),
/// * K_PI = omega_g |1 + i omega_g R| (2 N)^2 / (R C)^3,
/// * a = K_PI (1 / omega_g + 1 / (2 f)), b = K_PI (1 / omega_g - 1 / (2 f)).
///
/// b is above 0 only while f > omega_g / 2.
pub fn gains(plant: &Plant, frequency: f64) -> Gains {
    let Plant { flows, rtt, capacity } = *plant;
    let omega_g = 2.0 * flows / (rtt * rtt * capacity);
    let k_pi = omega_g * modulus_1(omega_g * rtt) * plant.inverse_gain();
    let half_period = 1.0 / (2.0 * frequency);
    Gains { a: k_pi * (1.0 / omega_g + half_period), b: k_pi * (1.0 / omega_g - half_period), omega_g, k_pi }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(rtt: f64, frequency: f64) -> Gains {
        gains(&Plant { flows: 3.0, rtt, capacity: 187.5 }, frequency)
    }

    #[test]
    fn gains_are_those_of_the_thesis() {
        // printed, truncated to nine decimals: 0.000344519 and 0.000343499, which come from R = 0.252 s
        let Gains { a, b, omega_g, k_pi } = at(0.252, 170.0);
        assert_eq!(((a * 1e9).floor(), (b * 1e9).floor()), (344_519.0, 343_499.0));
        assert!((a - 0.000_344_519_5).abs() < 5e-11 && (b - 0.000_343_499_8).abs() < 5e-11);
        assert!((omega_g - 0.503_91).abs() < 5e-6 && (k_pi - 1.733_48e-4).abs() < 5e-10);
    }

    #[test]
    fn other_round_trips_and_frequencies_give_other_gains() {
        let expected = [
            (0.241, 170.0, 0.550_95, 2.168_50e-4, 0.000_394_226, 0.000_392_951),
            (0.722 / 3.0, 170.0, 0.552_48, 2.183_61e-4, 0.000_395_878, 0.000_394_594),
            (0.252, 160.0, 0.503_91, 1.733_48e-4, 0.000_344_551, 0.000_343_468),
            (0.634, 170.0, 0.079_61, 1.708_26e-6, 2.146_27e-5, 2.145_27e-5),
        ];
        for (rtt, frequency, omega_g, k_pi, a, b) in expected {
            let found = at(rtt, frequency);
            for (found, wanted) in [(found.omega_g, omega_g), (found.k_pi, k_pi), (found.a, a), (found.b, b)] {
                assert!((found / wanted - 1.0).abs() < 7e-5, "{found} for {wanted} at {rtt} s");
            }
        }
    }

    #[test]
    fn one_sample_in_170_seconds_is_a_misprint() {
        let Gains { a, b, .. } = at(0.252, 1.0 / 170.0);
        assert!((a - 0.015_08).abs() < 5e-6 && (b + 0.014_39).abs() < 5e-6);
    }

    #[test]
    fn a_full_queue_raises_p_slowly() {
        // 35 packets, 25 above the target: 0.00433 /s, so 81 s to 0.35
        let slope = at(0.252, 170.0).k_pi * 25.0;
        assert!((slope - 0.004_33).abs() < 5e-6);
        assert_eq!((0.35 / slope).round(), 81.0);
    }

    /// The defaults of ns-2, from the example of the controllers' authors: 60 flows, 246 ms, 3750 packets/s.
    #[test]
    fn ns_2_has_the_gains_of_a_rule_whose_modulus_divides() {
        let plant = Plant { flows: 60.0, rtt: 0.246, capacity: 3750.0 };
        let Gains { a, b, omega_g, .. } = gains(&plant, 170.0);
        let modulus = modulus_1(omega_g * plant.rtt);
        // 1.7 % less than equation 1.22, in which the term multiplies
        for (found, wanted) in [(a, 1.822e-5), (b, 1.816e-5)] {
            assert!((found / (modulus * modulus) - wanted).abs() < 5e-9, "{found}");
        }
    }

    #[test]
    fn the_printed_gains_tell_what_they_were_made_of() {
        // a + b = 2 K_PI / omega_g gives R, and a - b = K_PI / f the frequency
        let sum = |rtt: f64| at(rtt, 170.0).a + at(rtt, 170.0).b;
        let rtt = crate::bisection::between(0.1, 1.0, |rtt| sum(rtt) - (0.000_344_519 + 0.000_343_499)).unwrap();
        assert!((rtt - 0.252_000_2).abs() < 5e-8, "{rtt}");
        let frequency = |difference: f64| at(rtt, 170.0).k_pi / difference;
        assert!((frequency(0.000_344_519 - 0.000_343_499) - 169.95).abs() < 0.005);
        // the rule holds for omega_g well below 1 / R
        assert!((1.0 / rtt - 3.97).abs() < 0.005 && at(rtt, 170.0).omega_g < 0.15 / rtt);
    }
}

//! The slope of the proportional controller: thesis, section 1.2.2.3, after C. Hollot, V. Misra, D. Towsley, W. Gong,
//! "A Control Theoretic Analysis of RED", INFOCOM 2001.

use crate::plant::{Plant, modulus_1};
use penstock_core::math;

/// Crossover frequency of the proportional controller in rad/s: omega_g = sqrt(2 N / (R^3 C)). (PI has another one.)
pub fn crossover(plant: &Plant) -> f64 {
    let Plant { flows, rtt, capacity } = *plant;
    math::sqrt(2.0 * flows / (rtt * rtt * rtt * capacity))
}

/// L, the steepest rise of p with the queue that keeps the loop stable, per packet:
///
/// L = |(1 + i omega_g / p_tcp) (1 + i omega_g / p_queue)| (2 N)^2 / (R C)^3, p_tcp = -2 N / (R^2 C), p_queue = -1 / R.
pub fn slope(plant: &Plant) -> f64 {
    let Plant { flows, rtt, capacity } = *plant;
    let omega_g = crossover(plant);
    let p_tcp = 2.0 * flows / (rtt * rtt * capacity);
    modulus_1(omega_g / p_tcp) * modulus_1(omega_g * rtt) * plant.inverse_gain()
}

/// The smallest distance of the thresholds, in packets: max_th - min_th = max_p / L.
pub fn threshold_distance(plant: &Plant, max_p: f64) -> f64 {
    max_p / slope(plant)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(rtt: f64, flows: f64) -> Plant {
        Plant { flows, rtt, capacity: 187.5 }
    }

    #[test]
    fn crossover_is_that_of_the_thesis() {
        assert!((crossover(&at(0.241, 3.0)) - 1.512).abs() < 5e-5);
        assert!((crossover(&at(0.252, 3.0)) - 1.4141).abs() < 5e-5);
    }

    #[test]
    fn few_flows_need_thresholds_further_apart_than_the_queue_is_long() {
        let expected = [
            (0.241, 3.0, 0.001_212_9, 82.4),
            (0.252, 3.0, 0.001_079_3, 92.7),
            (0.252, 13.0, 0.013_392, 7.47),
            (0.252, 28.0, 0.059_671, 1.68),
            (0.252, 103.0, 1.032_63, 0.097),
        ];
        for (rtt, flows, slope_wanted, distance) in expected {
            let plant = at(rtt, flows);
            assert!((slope(&plant) / slope_wanted - 1.0).abs() < 5e-5, "{} at {rtt} s, N = {flows}", slope(&plant));
            assert!((threshold_distance(&plant, 0.1) / distance - 1.0).abs() < 3e-3);
            assert!((threshold_distance(&plant, 1.0) / (10.0 * distance) - 1.0).abs() < 3e-3);
        }
    }
}

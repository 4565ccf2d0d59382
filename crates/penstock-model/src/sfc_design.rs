//! Gains of the state feedback controller p = p0 + k1 (q - q_ref) + k2 (lambda - C), for a design of our own: the paper
//! (Y. Gao, J. Hou, "A State Feedback Control Approach to Stabilizing Queues for ECN-Enabled TCP Connections", INFOCOM
//! 2003) was not at hand.
//!
//! TCP and the queue, linearized about their equilibrium (Misra, Gong and Towsley; Hollot et al.), are
//! q'' + a1 q' + a0 q = -b p(t - R), a1 = 2 N / (R^2 C) + 1 / R, a0 = 2 N / (R^3 C), b = C^2 / (2 N).
//! The gains k1 = 1 / (8 R^2 b) and k2 = 1 / (2 R b) keep the loop stable; [`is_stable`] checks it.

use crate::plant::Plant;

/// The operating point and the gains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Probability at equilibrium.
    pub p0: f64,
    /// Gain for each packet of the queue above its target.
    pub k1: f64,
    /// Gain for each packet per second by which the arrivals exceed the capacity.
    pub k2: f64,
}

/// p0 = 2 N^2 / (R C)^2, k1 = 1 / (8 R^2 b), k2 = 1 / (2 R b). p0 is not limited to 1.
pub fn gains(plant: &Plant) -> Gains {
    let (window, b) = (plant.window(), response(plant));
    Gains {
        p0: 2.0 * plant.flows * plant.flows / (window * window),
        k1: 1.0 / (8.0 * plant.rtt * plant.rtt * b),
        k2: 1.0 / (2.0 * plant.rtt * b),
    }
}

/// b = C^2 / (2 N).
fn response(plant: &Plant) -> f64 {
    plant.capacity * plant.capacity / (2.0 * plant.flows)
}

/// Whether the loop with these gains is stable, by Routh's test. The delay is Padé's first-order approximation, which
/// makes the characteristic polynomial c3 s^3 + c2 s^2 + c1 s + c0.
pub fn is_stable(plant: &Plant, k1: f64, k2: f64) -> bool {
    let Plant { flows, rtt, capacity } = *plant;
    let b = response(plant);
    let a1 = 2.0 * flows / (rtt * rtt * capacity) + 1.0 / rtt;
    let a0 = 2.0 * flows / (rtt * rtt * rtt * capacity);
    let half = rtt / 2.0;
    let c3 = half;
    let c2 = 1.0 + a1 * half - b * k2 * half;
    let c1 = a1 + a0 * half + b * k2 - b * k1 * half;
    let c0 = a0 + b * k1;
    [c3, c2, c1, c0].iter().all(|&c| c > 0.0) && c1 * c2 > c0 * c3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gains_pass_rouths_test_from_few_flows_on_slow_links_to_many_on_fast_ones() {
        let mut tried = 0;
        for flows in [5.0, 20.0, 50.0, 150.0, 500.0] {
            for rtt in [0.02, 0.05, 0.1, 0.25, 0.5] {
                for capacity in [200.0, 1000.0, 5000.0, 20_000.0] {
                    let plant = Plant { flows, rtt, capacity };
                    let Gains { k1, k2, .. } = gains(&plant);
                    assert!(is_stable(&plant, k1, k2), "{plant:?}");
                    tried += 1;
                }
            }
        }
        assert_eq!(tried, 100);
    }

    #[test]
    fn gains_ten_times_as_high_fail_it() {
        let plant = Plant { flows: 28.0, rtt: 0.241, capacity: 187.5 };
        let Gains { k1, k2, .. } = gains(&plant);
        assert!(is_stable(&plant, k1, k2) && !is_stable(&plant, 10.0 * k1, 10.0 * k2));
    }

    #[test]
    fn gains_are_as_worked_out_by_hand() {
        // N = 10, R = 0.1 s, C = 1000 /s: b = 50000, p0 = 200 / 10^4
        let Gains { p0, k1, k2 } = gains(&Plant { flows: 10.0, rtt: 0.1, capacity: 1000.0 });
        assert!((p0 - 0.02).abs() < 1e-15 && (k1 - 0.000_25).abs() < 1e-15 && (k2 - 0.000_1).abs() < 1e-15);
    }
}

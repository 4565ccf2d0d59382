//! What the design rules know of the loop they close: the flows, the round trip and the link.

use penstock_core::math;

/// TCP flows through a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plant {
    /// N: number of flows; the rules for a stable loop want the smallest. Above 0.
    pub flows: f64,
    /// R: round-trip time in seconds; the rules want the longest, see [`longest_rtt`]. Above 0.
    pub rtt: f64,
    /// C: capacity in packets per second. Above 0.
    pub capacity: f64,
}

impl Plant {
    /// Packets in flight: R C.
    pub(crate) fn window(&self) -> f64 {
        self.rtt * self.capacity
    }

    /// (2 N)^2 / (R C)^3, the gain that PI and P have to make up for.
    pub(crate) fn inverse_gain(&self) -> f64 {
        let two_n = 2.0 * self.flows;
        two_n * two_n / (self.window() * self.window() * self.window())
    }
}

/// Thesis, equation 4.1: R+ = B / C + Tp, the round trip through a full queue of `buffer` packets, in seconds. Tp is the
/// longest round-trip time without queueing.
pub fn longest_rtt(buffer: f64, capacity: f64, propagation: f64) -> f64 {
    buffer / capacity + propagation
}

/// |1 + i x|.
pub(crate) fn modulus_1(x: f64) -> f64 {
    math::sqrt(1.0 + x * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_round_trips_are_those_of_the_thesis() {
        // printed 241 ms for the topology of equal delays, 634 ms for the other one
        assert!((longest_rtt(35.0, 187.5, 0.054) - 0.240_67).abs() < 5e-6);
        assert!((longest_rtt(35.0, 187.5, 0.448) - 0.634_67).abs() < 5e-6);
    }
}

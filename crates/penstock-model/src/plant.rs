//! The controlled system of the design rules: flows, round trip and link.

use penstock_core::math;

/// TCP flows through a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plant {
    /// N: number of flows; the rules for a stable loop need the smallest number. Above 0.
    pub flows: f64,
    /// R: round-trip time in seconds; the rules need the longest one, see [`longest_rtt`]. Above 0.
    pub rtt: f64,
    /// C: capacity in packets per second. Above 0.
    pub capacity: f64,
}

impl Plant {
    /// Packets in flight: R C.
    pub(crate) fn window(&self) -> f64 {
        self.rtt * self.capacity
    }

    /// (2 N)^2 / (R C)^3, the gain for which PI and P must compensate.
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
        // 241 ms is printed for the topology of equal delays, 634 ms for the other one
        assert!((longest_rtt(35.0, 187.5, 0.054) - 0.240_67).abs() < 5e-6);
        assert!((longest_rtt(35.0, 187.5, 0.448) - 0.634_67).abs() < 5e-6);
    }

    /// S. Kantawala, J. Turner, 2005, section 5: 500 Mb/s, 100 ms and packets of 1500 bytes.
    #[test]
    fn buffers_of_100_and_5000_packets_take_2_4_and_120_ms() {
        let capacity = 500e6 / 12_000.0;
        assert!((longest_rtt(100.0, capacity, 0.0) - 0.0024).abs() < 1e-12);
        assert!((longest_rtt(5000.0, capacity, 0.0) - 0.12).abs() < 1e-12);
        let window = Plant { flows: 100.0, rtt: 0.1, capacity }.window();
        assert_eq!(window.round(), 4167.0);
        // the buffers of interest, 200 to 1000 packets
        assert!((200.0 / window - 0.05).abs() < 0.005 && (1000.0 / window - 0.25).abs() < 0.015);
    }
}

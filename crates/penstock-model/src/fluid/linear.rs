//! The loop of TCP and a law about its equilibrium: C. Hollot, V. Misra, D. Towsley, W. Gong, "Analysis and Design of
//! Controllers for AQM Routers Supporting TCP Flows", IEEE Transactions on Automatic Control 47(6), 2002.

use super::{Equilibrium, Fluid};
use crate::complex::Complex;

impl Fluid<'_> {
    /// The open loop L(s) about an equilibrium; 1 + L(s) = 0 has the poles of the closed one.
    ///
    /// With a = 1 / (W R), E = e^(-s R) and the rate r = N W / R, the linearized equations give, all terms kept,
    ///
    /// * q / p = -(r^2 / (eta N)) E / (s^2 + s (1 / R + a (1 + E)) + 2 a / R), lambda = s q, where packets wait,
    /// * lambda / p = -(r^2 / (eta N)) E / (s + a (1 + E)) where none do.
    ///
    /// The design rules of PI, P and RED leave out E in the first denominator: (s + 2 a) (s + 1 / R).
    pub fn open_loop(&self, s: Complex, at: &Equilibrium) -> Complex {
        let (of_queue, of_rate) = self.law.response(s, at);
        let echo = s.times(-at.rtt).exp();
        let gain = echo.times(at.rate * at.rate / (self.tcp.eta * self.tcp.flows));
        let a = 1.0 / (at.window * at.rtt);
        let window_pole = (Complex::real(1.0) + echo).times(a);
        if at.queue > 0.0 {
            let inverse = 1.0 / at.rtt;
            let plant = gain / (s * s + s * (Complex::real(inverse) + window_pole) + Complex::real(2.0 * a * inverse));
            plant * (of_queue + s * of_rate)
        } else {
            gain / (s + window_pole) * of_rate
        }
    }
}

//! The loop of TCP and an AQM about its equilibrium: C. Hollot, V. Misra, D. Towsley, W. Gong, "Analysis and Design of
//! Controllers for AQM Routers Supporting TCP Flows", IEEE Transactions on Automatic Control 47(6), 2002.

use super::{Equilibrium, Fluid, Tcp};
use crate::bisection;
use crate::complex::Complex;
use crate::margins::{self, Margins};

impl Fluid<'_> {
    /// The open loop L(s) about an equilibrium; 1 + L(s) = 0 has the poles of the closed one.
    ///
    /// With a = 1 / (W R), E = e^(-s R) and the rate r = N W / R, the linearized equations give, with all terms kept,
    ///
    /// * q / p = -(r^2 / (eta N)) E / (s^2 + s (1 / R + a (1 + E)) + 2 a / R), lambda = s q, where packets wait,
    /// * lambda / p = -(r^2 / (eta N)) E / (s + a (1 + E)) where none do.
    ///
    /// The design rules of PI, P and RED omit E in the first denominator: (s + 2 a) (s + 1 / R).
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

impl Fluid<'_> {
    /// The margins about an equilibrium.
    pub fn margins(&self, at: &Equilibrium) -> Margins {
        margins::margins(|s| self.open_loop(s, at), at.rtt)
    }

    /// The pole with the largest real part about an equilibrium, in 1/s.
    pub fn dominant_pole(&self, at: &Equilibrium) -> Option<Complex> {
        margins::dominant_pole(|s| self.open_loop(s, at), at.rtt)
    }

    /// Whether there is an equilibrium and small disturbances of it decay.
    pub fn is_stable(&self) -> bool {
        self.equilibrium().is_some_and(|at| self.margins(&at).stable)
    }

    /// The number of flows between `low` and `high` at which the loop becomes stable, or ceases to be; `None` if
    /// stability is the same at both ends.
    pub fn border_flows(&self, low: f64, high: f64) -> Option<f64> {
        bisection::between(low, high, |flows| {
            let tcp = Tcp { flows, ..self.tcp };
            if (Fluid { tcp, ..*self }).is_stable() { 1.0 } else { -1.0 }
        })
    }
}

//! LRED in continuous time: thesis, equations 1.24 and 1.25, after C. Wang et al., INFOCOM 2004.
//!
//! * dl/dt = (p - l) / tau: the measured ratio of losses follows p,
//! * p = l + beta sqrt(l) (q - q_ref), 0 .. 1.
//!
//! Hence l integrates the distance of the queue from its target: LRED is a controller of PI's kind, with the gains beta
//! sqrt(p) and beta sqrt(p) / tau. Its design rule omits the second gain. While l is 0, p stays 0. A real queue would
//! then overflow; the fluid queue cannot, so l is kept above [`MIN_LOSS`].

use super::{Continuous, Equilibrium, Signal, State, Tcp, full_link};
use crate::complex::Complex;
use penstock_core::math;

/// The smallest ratio of losses.
pub const MIN_LOSS: f64 = 1e-6;

/// LRED.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lred {
    /// Gain of the queue.
    pub beta: f64,
    /// q_ref in packets. Above 0.
    pub target: f64,
    /// tau: lag of the measured ratio, in seconds; see [`lag`]. Above 0.
    pub tau: f64,
}

/// Mean age, in seconds, of the losses behind the ratio: measured over `periods` intervals, averaged with the weight `mw`
/// (0 .. below 1) on the previous value, then held for one interval.
pub fn lag(interval: f64, periods: f64, mw: f64) -> f64 {
    interval * (f64::midpoint(periods, 1.0) + mw / (1.0 - mw))
}

impl Continuous for Lred {
    fn names(&self) -> &'static [&'static str] {
        &["loss_ratio"]
    }

    fn start(&self) -> State {
        [MIN_LOSS, 0.0]
    }

    fn derivative(&self, state: &State, signal: &Signal) -> State {
        [(self.probability(state, signal) - state[0]) / self.tau, 0.0]
    }

    fn limit(&self, state: &mut State) {
        state[0] = state[0].clamp(MIN_LOSS, 1.0);
    }

    fn probability(&self, state: &State, signal: &Signal) -> f64 {
        let l = state[0].max(MIN_LOSS);
        (l + self.beta * math::sqrt(l) * (signal.queue - self.target)).clamp(0.0, 1.0)
    }

    fn equilibrium(&self, tcp: &Tcp) -> Option<Equilibrium> {
        let p = tcp.probability(self.target, tcp.capacity);
        (p < 1.0).then(|| full_link(tcp, self.target, [p, 0.0]))
    }

    fn response(&self, s: Complex, at: &Equilibrium) -> (Complex, Complex) {
        let integral = Complex::real(1.0) + Complex::real(1.0) / s.times(self.tau);
        (integral.times(self.beta * math::sqrt(at.probability)), Complex::real(0.0))
    }
}

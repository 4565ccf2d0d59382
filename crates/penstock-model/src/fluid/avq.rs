//! AVQ in continuous time: S. Kunniyur, R. Srikant, 2001; thesis, equation 1.17, and [`crate::avq_design`].
//!
//! * dC~/dt = alpha (gamma C - lambda), 0 <= C~ <= C,
//! * p = (lambda - C~) / lambda, not below 0: the fraction of arrivals that a virtual queue without buffer refuses.
//!
//! In equilibrium lambda = gamma C, so that with gamma < 1 no packet waits.

use super::{Continuous, Equilibrium, Signal, State, Tcp};
use crate::complex::Complex;

/// AVQ on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Avq {
    /// The damping.
    pub alpha: f64,
    /// The target utilization, 0..1, not 0.
    pub gamma: f64,
    /// C in packets per second.
    pub capacity: f64,
}

impl Continuous for Avq {
    fn names(&self) -> &'static [&'static str] {
        &["virtual_capacity"]
    }

    fn start(&self) -> State {
        [self.gamma * self.capacity, 0.0]
    }

    fn derivative(&self, state: &State, signal: &Signal) -> State {
        let step = self.alpha * (self.gamma * self.capacity - signal.rate);
        let held = (state[0] <= 0.0 && step < 0.0) || (state[0] >= self.capacity && step > 0.0);
        [if held { 0.0 } else { step }, 0.0]
    }

    fn limit(&self, state: &mut State) {
        state[0] = state[0].clamp(0.0, self.capacity);
    }

    fn probability(&self, state: &State, signal: &Signal) -> f64 {
        if signal.rate > 0.0 { (1.0 - state[0] / signal.rate).clamp(0.0, 1.0) } else { 0.0 }
    }

    fn equilibrium(&self, tcp: &Tcp) -> Option<Equilibrium> {
        let rate = self.gamma * self.capacity;
        let p = tcp.probability(0.0, rate);
        let rtt = tcp.propagation;
        (p < 1.0).then(|| Equilibrium {
            window: rate * rtt / tcp.flows,
            queue: 0.0,
            probability: p,
            rtt,
            rate,
            state: [(1.0 - p) * rate, 0.0],
        })
    }

    fn response(&self, s: Complex, at: &Equilibrium) -> (Complex, Complex) {
        // dp = (1 - p) dlambda / lambda - dC~ / lambda, dC~ = -(alpha / s) dlambda
        let of_rate = Complex::real(1.0 - at.probability) + Complex::real(self.alpha) / s;
        (Complex::real(0.0), of_rate.times(1.0 / at.rate))
    }
}

//! Controllers with integral action, in continuous time: PI, REM, PIE and PI2.
//!
//! All of them move a number z by the distance of the queue from its target and by the change of the queue,
//!
//! * dz/dt = g(p) (k_i (q - q_ref) + k_p dq/dt), 0 <= z,
//!
//! and differ in the function p(z): z itself (PI, PIE), 1 - phi^(-z) (REM), z^2 (PI2). g is 1 except for PIE. A step z
//! += a (q - q_ref) - b (q_old - q_ref) each T seconds has k_i = (a - b) / T and k_p = (a + b) / 2, as in
//! [`crate::pi_design`].

use super::{Continuous, Equilibrium, Signal, State, Tcp, full_link};
use crate::complex::Complex;
use crate::pie_design::Gains;
use penstock_core::math;

/// What p is of z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// p = z, at most 1.
    Plain,
    /// p = z, at most 1, and both gains divided while p is small: RFC 8033, section 4.2.
    Scaled,
    /// p = z^2, z at most 1.
    Square,
    /// p = 1 - phi^(-z), with phi > 1.
    Exponential {
        /// phi
        phi: f64,
    },
}

/// A controller with integral action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integral {
    /// Rise of z per second for each packet above the target. Above 0.
    pub k_i: f64,
    /// Rise of z for each packet by which the queue grows. Not negative.
    pub k_p: f64,
    /// q_ref in packets. Above 0.
    pub target: f64,
    /// What p is of z.
    pub shape: Shape,
}

impl Integral {
    /// PI (thesis, equation 1.21): p += a (q - q_ref) - b (q_old - q_ref), `frequency` times a second; a > b.
    pub fn pi(a: f64, b: f64, frequency: f64, target: f64) -> Self {
        Self { k_i: (a - b) * frequency, k_p: f64::midpoint(a, b), target, shape: Shape::Plain }
    }

    /// REM (thesis, equations 1.9 to 1.11; both are the same here while packets wait): the price z rises each `interval`
    /// by gamma (q - (1 - alpha) q_old - alpha q_ref).
    pub fn rem(gamma: f64, alpha: f64, phi: f64, interval: f64, target: f64) -> Self {
        Self {
            k_i: gamma * alpha / interval,
            k_p: gamma * (1.0 - alpha / 2.0),
            target,
            shape: Shape::Exponential { phi },
        }
    }

    /// PIE's controller (RFC 8033), without its exceptions, on a link of `capacity` packets per second; `target` is
    /// a delay in seconds.
    pub fn pie(gains: &Gains, target: f64, capacity: f64) -> Self {
        Self::of_delay(gains, target, capacity, Shape::Scaled)
    }

    /// PI2, and DualPI2 while all its traffic is classic (RFC 9332, appendix A.1): the delay moves p', and p = p'^2.
    pub fn pi2(gains: &Gains, target: f64, capacity: f64) -> Self {
        Self::of_delay(gains, target, capacity, Shape::Square)
    }

    fn of_delay(gains: &Gains, target: f64, capacity: f64, shape: Shape) -> Self {
        let Gains { alpha, beta, t_update } = *gains;
        Self {
            k_i: alpha / t_update / capacity,
            k_p: (beta + alpha / 2.0) / capacity,
            target: target * capacity,
            shape,
        }
    }

    /// g(p).
    fn scale(&self, p: f64) -> f64 {
        if self.shape == Shape::Scaled { auto_tuned(p) } else { 1.0 }
    }

    /// dp/dz.
    fn steepness(&self, z: f64) -> f64 {
        match self.shape {
            Shape::Plain | Shape::Scaled => 1.0,
            Shape::Square => 2.0 * z,
            Shape::Exponential { phi } => math::ln(phi) * math::pow(phi, -z),
        }
    }

    /// The z of a probability below 1.
    fn inverse(&self, p: f64) -> f64 {
        match self.shape {
            Shape::Plain | Shape::Scaled => p,
            Shape::Square => math::sqrt(p),
            Shape::Exponential { phi } => -math::ln_1p(-p) / math::ln(phi),
        }
    }

    fn of(&self, z: f64) -> f64 {
        match self.shape {
            Shape::Plain | Shape::Scaled => z,
            Shape::Square => z * z,
            Shape::Exponential { phi } => 1.0 - math::pow(phi, -z),
        }
    }

    fn highest(&self) -> f64 {
        if let Shape::Exponential { .. } = self.shape { f64::INFINITY } else { 1.0 }
    }
}

/// RFC 8033, section 4.2: the factor on PIE's gains at the drop probability `p`.
fn auto_tuned(p: f64) -> f64 {
    let steps = [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (0.01, 8.0), (0.1, 2.0)];
    steps.iter().find(|(below, _)| p < *below).map_or(1.0, |(_, divisor)| 1.0 / divisor)
}

impl Continuous for Integral {
    fn names(&self) -> &'static [&'static str] {
        match self.shape {
            Shape::Plain | Shape::Scaled => &["p"],
            Shape::Square => &["root"],
            Shape::Exponential { .. } => &["price"],
        }
    }

    fn start(&self) -> State {
        [0.0; 2]
    }

    fn derivative(&self, state: &State, signal: &Signal) -> State {
        let z = state[0];
        let step = self.k_i * (signal.queue - self.target) + self.k_p * signal.slope;
        let held = (z <= 0.0 && step < 0.0) || (z >= self.highest() && step > 0.0);
        [if held { 0.0 } else { self.scale(self.of(z)) * step }, 0.0]
    }

    fn limit(&self, state: &mut State) {
        state[0] = state[0].clamp(0.0, self.highest());
    }

    fn probability(&self, state: &State, _signal: &Signal) -> f64 {
        self.of(state[0]).clamp(0.0, 1.0)
    }

    fn equilibrium(&self, tcp: &Tcp) -> Option<Equilibrium> {
        let p = tcp.probability(self.target, tcp.capacity);
        (p < 1.0).then(|| full_link(tcp, self.target, [self.inverse(p), 0.0]))
    }

    fn response(&self, s: Complex, at: &Equilibrium) -> (Complex, Complex) {
        let gain = self.steepness(at.state[0]) * self.scale(at.probability);
        let controller = Complex::real(self.k_p) + Complex::real(self.k_i) / s;
        (controller.times(gain), Complex::real(0.0))
    }
}

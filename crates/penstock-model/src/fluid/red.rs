//! RED in continuous time: C. Hollot et al., "A Control Theoretic Analysis of RED", INFOCOM 2001, after V. Misra, W. Gong,
//! D. Towsley, SIGCOMM 2000.
//!
//! * d avg / dt = K (q - avg), K = -ln(1 - w_q) C: the average of one sample each 1 / C seconds,
//! * p = RED's control function at avg.

use super::{Continuous, Equilibrium, Signal, State, Tcp, full_link};
use crate::bisection;
use crate::complex::Complex;
use crate::queue_law;
use penstock_core::math;

/// RED on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Red {
    /// K in 1/s; see [`pole`]. Above 0.
    pub pole: f64,
    /// Start of the control function, in packets.
    pub min_th: f64,
    /// Average at which the control function is `max_p`, in packets. Above `min_th`.
    pub max_th: f64,
    /// 0..1.
    pub max_p: f64,
    /// Average at which the gentle ramp reaches 1, in packets, above `max_th`; `None`: 1 from `max_th` on.
    pub gentle_top: Option<f64>,
}

/// K = -ln(1 - w_q) C in 1/s, for the weight 0 < w_q < 1 of an arrival and C packets per second.
pub fn pole(w_q: f64, capacity: f64) -> f64 {
    -math::ln_1p(-w_q) * capacity
}

impl Red {
    /// The control function.
    pub(super) fn control(&self, average: f64) -> f64 {
        queue_law::red(average, self.min_th, self.max_th, self.max_p, self.gentle_top)
    }

    /// Its slope, per packet.
    pub(super) fn slope(&self, average: f64) -> f64 {
        match self.gentle_top {
            _ if average < self.min_th => 0.0,
            _ if average < self.max_th => self.max_p / (self.max_th - self.min_th),
            Some(top) if average < top => (1.0 - self.max_p) / (top - self.max_th),
            _ => 0.0,
        }
    }
}

impl Continuous for Red {
    fn names(&self) -> &'static [&'static str] {
        &["average"]
    }

    fn start(&self) -> State {
        [0.0; 2]
    }

    fn derivative(&self, state: &State, signal: &Signal) -> State {
        [self.pole * (signal.queue - state[0]), 0.0]
    }

    fn limit(&self, _state: &mut State) {}

    fn probability(&self, state: &State, _signal: &Signal) -> f64 {
        self.control(state[0])
    }

    fn equilibrium(&self, tcp: &Tcp) -> Option<Equilibrium> {
        let excess = |queue: f64, p: f64| p - tcp.probability(queue, tcp.capacity);
        // the strict function jumps at max_th: only its ramp counts
        let ramp = |queue: f64| self.max_p * (queue - self.min_th) / (self.max_th - self.min_th);
        let queue = bisection::between(self.min_th, self.max_th, |q| excess(q, ramp(q))).or_else(|| {
            bisection::between(self.max_th, self.gentle_top?, |q| {
                excess(q, if q > self.max_th { self.control(q) } else { self.max_p })
            })
        })?;
        Some(full_link(tcp, queue, [queue, 0.0]))
    }

    fn response(&self, s: Complex, at: &Equilibrium) -> (Complex, Complex) {
        let filter = Complex::real(self.pole) / (s + Complex::real(self.pole));
        (filter.times(self.slope(at.state[0])), Complex::real(0.0))
    }
}

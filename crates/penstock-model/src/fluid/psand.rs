//! PSAND in continuous time: thesis, equations 2.1 and 2.2.
//!
//! RED whose max_p is multiplied by coef (A / KT)^gamma (A / Ap)^gamma each interval T. In m = ln max_p:
//!
//! * dm/dt = (ln coef + gamma ln(A / KT)) / T + gamma (dA/dt) / A, within the bounds of max_p,
//!
//! which has an integral and a proportional part; the proportional part is exact. At a bound of max_p it is plain RED.

use super::red::Red;
use super::{Continuous, Equilibrium, Signal, State, Tcp, full_link};
use crate::complex::Complex;
use crate::psand_design;
use penstock_core::math;

/// The smallest average for which the proximity is computed, in packets.
const MIN_PROXIMITY: f64 = 1e-3;

/// PSAND on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Psand {
    /// RED, with the max_p that it starts from.
    pub red: Red,
    /// KT in packets. Above 0.
    pub target: f64,
    /// Above 0.
    pub coef: f64,
    /// Above 0.
    pub gamma: f64,
    /// T in seconds. Above 0.
    pub interval: f64,
    /// The smallest and the largest max_p, both above 0 and at most 1.
    pub max_p: (f64, f64),
}

impl Psand {
    /// RED with the logarithm `m` of max_p.
    fn red_at(&self, m: f64) -> Red {
        Red { max_p: math::exp(m), ..self.red }
    }

    fn bounds(&self) -> (f64, f64) {
        (math::ln(self.max_p.0), math::ln(self.max_p.1))
    }

    /// The max_p with which RED has the probability `p` at the average `average`; `None` if p does not depend on max_p
    /// there.
    fn max_p_for(&self, average: f64, p: f64) -> Option<f64> {
        let Red { min_th, max_th, gentle_top, .. } = self.red;
        if average <= min_th {
            return None;
        }
        if average < max_th {
            return Some(p * (max_th - min_th) / (average - min_th));
        }
        let share = (average - max_th) / (gentle_top? - max_th);
        (share < 1.0).then(|| (p - share) / (1.0 - share))
    }

    /// d p / d max_p at the average.
    fn weight(&self, average: f64) -> f64 {
        self.max_p_for(average, 1.0).map_or(0.0, |at_one| {
            let at_none = self.max_p_for(average, 0.0).unwrap_or(0.0);
            1.0 / (at_one - at_none)
        })
    }

    /// Whether m is at a bound.
    fn is_held(&self, m: f64) -> bool {
        let (low, high) = self.bounds();
        m <= low || m >= high
    }
}

impl Continuous for Psand {
    fn names(&self) -> &'static [&'static str] {
        &["average", "ln_max_p"]
    }

    fn start(&self) -> State {
        [0.0, math::ln(self.red.max_p)]
    }

    fn derivative(&self, state: &State, signal: &Signal) -> State {
        let average = self.red.derivative(state, signal)[0];
        let near = state[0].max(MIN_PROXIMITY);
        let step = (math::ln(self.coef) + self.gamma * math::ln(near / self.target)) / self.interval
            + self.gamma * average / near;
        let (low, high) = self.bounds();
        let held = (state[1] <= low && step < 0.0) || (state[1] >= high && step > 0.0);
        [average, if held { 0.0 } else { step }]
    }

    fn limit(&self, state: &mut State) {
        let (low, high) = self.bounds();
        state[1] = state[1].clamp(low, high);
    }

    fn probability(&self, state: &State, _signal: &Signal) -> f64 {
        self.red_at(state[1]).control(state[0])
    }

    fn equilibrium(&self, tcp: &Tcp) -> Option<Equilibrium> {
        let average = psand_design::equilibrium(self.target, self.coef, self.gamma);
        let p = tcp.probability(average, tcp.capacity);
        let (low, high) = self.max_p;
        // below the thresholds nothing is dropped, so the average rises past A*, and max_p rises to its bound
        let max_p = self.max_p_for(average, p).unwrap_or(high);
        if max_p > low && max_p < high {
            return Some(full_link(tcp, average, [average, math::ln(max_p)]));
        }
        let bound = if max_p <= low { low } else { high };
        let at_bound = Red { max_p: bound, ..self.red }.equilibrium(tcp)?;
        Some(Equilibrium { state: [at_bound.queue, math::ln(bound)], ..at_bound })
    }

    fn response(&self, s: Complex, at: &Equilibrium) -> (Complex, Complex) {
        let [average, m] = at.state;
        let red = self.red_at(m);
        let (filtered, of_rate) = red.response(s, at);
        if self.is_held(m) {
            return (filtered, of_rate);
        }
        let filter = Complex::real(red.pole) / (s + Complex::real(red.pole));
        let of_average = Complex::real(1.0) + Complex::real(1.0) / s.times(self.interval);
        let of_max_p = self.weight(average) * red.max_p * self.gamma / average;
        (filtered + filter * of_average.times(of_max_p), of_rate)
    }
}

//! The fluid model of many TCP flows through one queue, under any AQM with a continuous form.
//!
//! V. Misra, W. Gong, D. Towsley, "Fluid-based Analysis of a Network of AQM Routers Supporting TCP Flows with an
//! Application to RED", SIGCOMM 2000, in the form of C. Hollot, V. Misra, D. Towsley, W. Gong, "A Control Theoretic
//! Analysis of RED", INFOCOM 2001. With the mean window W of N flows, the queue q, the capacity C and the round trip
//! R(t) = T_p + q(t) / C:
//!
//! * dW/dt = 1 / R(t) - W(t) W(t - R(t)) p(t - R(t)) / (eta R(t - R(t))),
//! * dq/dt = N W(t) / R(t) - C, and not below 0 where q = 0.
//!
//! In equilibrium W^2 p = eta. The papers use eta = 2, from halving the window; eta = 3/2 gives the square-root law,
//! and is used by the design rules of AVQ and LRED.
//!
//! # Differences
//! * p is a rate of marks: dropped packets count as arrived, like marked ones; there are no timeouts, no slow start and
//!   no minimum window.
//! * The queue has no limit.

pub mod avq;
pub mod integral;
mod linear;
pub mod lred;
pub mod psand;
pub mod red;

use crate::complex::Complex;
use crate::dde::{self, Past, System};
use alloc::vec::Vec;

/// N equal TCP flows through a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tcp {
    /// N: number of flows. Above 0.
    pub flows: f64,
    /// T_p: round trip without queueing, in seconds. Above 0.
    pub propagation: f64,
    /// C: capacity in packets per second. Above 0.
    pub capacity: f64,
    /// eta: W^2 p in equilibrium. Above 0.
    pub eta: f64,
}

impl Tcp {
    /// R = T_p + q / C in seconds, at a queue of `queue` packets.
    pub fn rtt(&self, queue: f64) -> f64 {
        self.propagation + queue / self.capacity
    }

    /// eta (N / (R rate))^2: the probability at which the flows together send `rate` packets per second through a queue
    /// of `queue` packets. It may be above 1.
    pub fn probability(&self, queue: f64, rate: f64) -> f64 {
        let inverse = self.flows / (self.rtt(queue) * rate);
        self.eta * inverse * inverse
    }
}

/// The input of an AQM at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// q, in packets.
    pub queue: f64,
    /// dq/dt, in packets per second.
    pub slope: f64,
    /// lambda: arrivals in packets per second.
    pub rate: f64,
}

/// The state of an AQM: at most two numbers.
pub type State = [f64; 2];

/// Where nothing moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equilibrium {
    /// W, in packets.
    pub window: f64,
    /// q, in packets.
    pub queue: f64,
    /// p.
    pub probability: f64,
    /// R, in seconds.
    pub rtt: f64,
    /// lambda, in packets per second; C if packets wait.
    pub rate: f64,
    /// The state of the AQM.
    pub state: State,
}

/// An AQM in continuous time.
pub trait Continuous {
    /// The names of the numbers in the state.
    fn names(&self) -> &'static [&'static str];

    /// The state before the first packet.
    fn start(&self) -> State;

    /// How the state changes, per second.
    fn derivative(&self, state: &State, signal: &Signal) -> State;

    /// Puts the state back within its bounds.
    fn limit(&self, state: &mut State);

    /// p, 0 .. 1.
    fn probability(&self, state: &State, signal: &Signal) -> f64;

    /// The equilibrium of the flows and the AQM; `None` if there is none.
    fn equilibrium(&self, tcp: &Tcp) -> Option<Equilibrium>;

    /// The response of p to small changes about an equilibrium: the transfer functions at `s` from the queue (per
    /// packet) and from the rate of arrivals (per packet per second).
    fn response(&self, s: Complex, at: &Equilibrium) -> (Complex, Complex);
}

/// The loop of TCP and an AQM.
#[derive(Clone, Copy)]
pub struct Fluid<'a> {
    /// The flows and the link.
    pub tcp: Tcp,
    /// The AQM.
    pub law: &'a dyn Continuous,
}

/// One instant of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instant {
    /// W, in packets.
    pub window: f64,
    /// q, in packets.
    pub queue: f64,
    /// p of the AQM now; the flows see it one round trip later.
    pub probability: f64,
    /// The state of the AQM.
    pub state: State,
}

/// The start of a trajectory. Before the start, all values were constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// Windows of one packet, an empty queue and an AQM in its initial state.
    Rest,
    /// The equilibrium, with the window multiplied by this factor.
    Disturbed(f64),
}

impl Fluid<'_> {
    /// The point where nothing changes; `None` if there is no such point.
    pub fn equilibrium(&self) -> Option<Equilibrium> {
        self.law.equilibrium(&self.tcp)
    }

    /// The time step of trajectories: a twentieth of the round-trip time without queueing, in seconds. Halving it
    /// changes the queue by less than a fraction of 1e-4, except at jumps.
    pub fn step(&self) -> f64 {
        self.tcp.propagation / 20.0
    }

    /// The states at 0, `step`, 2 `step`, ... up to `steps` steps, each of at most the round trip without queueing;
    /// `None` if it should start from an equilibrium that does not exist.
    pub fn trajectory(&self, start: Start, step: f64, steps: usize) -> Option<Vec<Instant>> {
        let start = match start {
            Start::Rest => {
                let state = self.law.start();
                [1.0, 0.0, state[0], state[1]]
            }
            Start::Disturbed(factor) => {
                let Equilibrium { window, queue, state, .. } = self.equilibrium()?;
                [factor * window, queue, state[0], state[1]]
            }
        };
        let states = dde::solve(self, start, step, steps);
        Some(states.iter().map(|now| self.instant(now)).collect())
    }

    fn instant(&self, now: &[f64; 4]) -> Instant {
        let [window, queue, a, b] = *now;
        let probability = self.law.probability(&[a, b], &self.signal(now));
        Instant { window, queue, probability, state: [a, b] }
    }

    fn signal(&self, now: &[f64; 4]) -> Signal {
        let [window, queue, ..] = *now;
        let rate = self.tcp.flows * window / self.tcp.rtt(queue);
        let slope = rate - self.tcp.capacity;
        Signal { queue, slope: if queue > 0.0 { slope } else { slope.max(0.0) }, rate }
    }
}

impl System<4> for Fluid<'_> {
    fn derivative(&self, now: &[f64; 4], past: &Past<'_, 4>) -> [f64; 4] {
        let [window, queue, a, b] = *now;
        let rtt = self.tcp.rtt(queue);
        let then = past.at(rtt);
        let p = self.law.probability(&[then[2], then[3]], &self.signal(&then));
        let signal = self.signal(now);
        let state = self.law.derivative(&[a, b], &signal);
        let backoff = window * then[0] * p / (self.tcp.eta * self.tcp.rtt(then[1]));
        [1.0 / rtt - backoff, signal.slope, state[0], state[1]]
    }

    fn limit(&self, now: &mut [f64; 4]) {
        now[1] = now[1].max(0.0);
        let mut state = [now[2], now[3]];
        self.law.limit(&mut state);
        now[2..].copy_from_slice(&state);
    }
}

/// The equilibrium of flows that fill the link through a queue of `queue` packets, at the required probability.
fn full_link(tcp: &Tcp, queue: f64, state: State) -> Equilibrium {
    let rtt = tcp.rtt(queue);
    Equilibrium {
        window: rtt * tcp.capacity / tcp.flows,
        queue,
        probability: tcp.probability(queue, tcp.capacity),
        rtt,
        rate: tcp.capacity,
        state,
    }
}

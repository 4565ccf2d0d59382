//! CUBIC: a window that grows with the cube of the time since the last reduction.
//!
//! RFC 8312, and RFC 9438 where it is more exact; section numbers are those of RFC 8312. Recovery is that of SACK.
//!
//! # Law
//! With t since congestion avoidance began, the window heads for `W_cubic(t + RTT)`, at most half a window above it:
//! `W_cubic(t) = C (t - K)^3 + W_max`, `K = cbrt((W_max - cwnd at t = 0) / C)` (section 4.1). Each acknowledged packet adds
//! `(target - cwnd) / cwnd` (4.3, 4.4). `W_est` is where a window of Reno's throughput would be: it grows by
//! `3 (1 - beta) / (1 + beta)` packets a round trip; while `W_cubic(t) < W_est` the window is `W_est` (4.2). A loss or a mark
//! leaves `beta` of the window (4.5); `W_max` becomes the window before it, or `(1 + beta) / 2` of that if it was below
//! the last `W_max` (4.6, fast convergence). After a timeout `W_max` is not known (4.7; RFC 9438, section 4.8).
//!
//! # Differences
//! * `W_est` is kept as a sum over acknowledgements (RFC 9438, equation 4), for round trips that change; its slope does not
//!   become 1 above the last window as in RFC 9438, section 4.3: in Linux 6.1's recordings it does not.
//! * While no `W_max` is known the window grows by at least one packet for each 20 acknowledged: in the recordings of Linux 6.1
//!   it does so after slow start ended without a loss.

use super::hystart::HyStart;
use super::hystart_plus::HyStartPlus;
use super::sack::Growth;
use crate::machine::Machine;
use crate::params::{Counting, Hystart};
use crate::wire::Ack;
use penstock_core::math::{floor, pow};
use penstock_core::{Span, Time};

/// Packets per cubic second (section 5).
const C: f64 = 0.4;
/// What a loss leaves of the window (section 4.5).
const BETA: f64 = 0.7;
/// Packets that `W_est` gains in a round trip (equation 4).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// Greatest target, in windows.
const MOST_TARGET: f64 = 1.5;
/// Most packets that let the window grow by one, in windows.
const MOST_COUNT: f64 = 100.0;
/// Most such packets while `W_max` is not known.
const UNKNOWN_COUNT: f64 = 20.0;

/// What holds since congestion avoidance began.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    began: Time,
    /// Seconds until the plateau, and the window there.
    k: f64,
    origin: f64,
    w_est: f64,
    /// Packets acknowledged towards the next one of `w_est`.
    credit: f64,
}

impl Epoch {
    fn w_cubic(&self, t: f64) -> f64 {
        let x = t - self.k;
        C * x * x * x + self.origin
    }

    /// `W_est` in whole packets.
    fn grow_reno(&mut self, cwnd: f64, acked: f64) {
        let count = floor(cwnd / ALPHA);
        self.credit += acked;
        if self.credit > count {
            let grown = floor((self.credit - 1.0) / count);
            self.credit -= grown * count;
            self.w_est += grown;
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Cubic {
    /// Window before the last reduction, after fast convergence.
    w_max: Option<f64>,
    epoch: Option<Epoch>,
    hystart: HyStart,
    careful: HyStartPlus,
}

impl Growth for Cubic {
    const SHARE: f64 = BETA;

    fn grow(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, acked: u32) {
        if m.cwnd >= m.ssthresh {
            self.avoid(m, now, acked);
            return;
        }
        match m.params.hystart {
            Hystart::Off => m.grow(now, acked),
            Hystart::On => {
                if self.hystart.on_ack(now, ack, m.cwnd, m.max) {
                    m.ssthresh = m.cwnd;
                }
                m.grow(now, acked);
            }
            Hystart::Plus => self.careful.grow(m, now, ack, acked),
        }
    }

    fn on_cut(&mut self, window: f64) {
        let converges = self.w_max.is_some_and(|w_max| window < w_max);
        self.careful.end();
        self.w_max = Some(if converges { window * (1.0 + BETA) / 2.0 } else { window });
        self.epoch = None;
    }

    fn on_timeout(&mut self, _m: &mut Machine) {
        self.careful.end();
        self.w_max = None;
        self.epoch = None;
        self.hystart = HyStart::default();
    }
}

impl Cubic {
    fn avoid(&mut self, m: &mut Machine, now: Time, acked: u32) {
        let (cwnd, acked) = (m.cwnd, f64::from(acked));
        let w_max = self.w_max;
        let epoch = self.epoch.get_or_insert_with(|| {
            let origin = w_max.unwrap_or(cwnd).max(cwnd);
            let k = if origin > cwnd { pow((origin - cwnd) / C, 1.0 / 3.0) } else { 0.0 };
            Epoch { began: now, k, origin, w_est: cwnd, credit: 0.0 }
        });
        let t = now.since(epoch.began).as_secs();
        let rtt = m.srtt().map_or(0.0, Span::as_secs);
        let target = epoch.w_cubic(t + rtt);
        if m.params.counting == Counting::Acks {
            epoch.w_est += ALPHA * acked / cwnd;
            let mut next = if epoch.w_cubic(t) < epoch.w_est {
                epoch.w_est.max(cwnd)
            } else {
                cwnd + acked * (target.clamp(cwnd, MOST_TARGET * cwnd) - cwnd) / cwnd
            };
            if w_max.is_none() {
                next = next.max(cwnd + acked / UNKNOWN_COUNT);
            }
            m.set_cwnd(now, next);
            return;
        }
        // In whole packets: the window gains one for so many, which bring it to the higher target in a window of them.
        epoch.grow_reno(cwnd, acked);
        let mut count = cwnd / (target.max(epoch.w_est) - cwnd).max(1.0 / MOST_COUNT);
        if w_max.is_none() {
            count = count.min(UNKNOWN_COUNT);
        }
        m.grow_each(now, acked, count.max(1.0 / (MOST_TARGET - 1.0)));
    }
}

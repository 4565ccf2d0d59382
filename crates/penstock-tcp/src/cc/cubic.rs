//! CUBIC: the window grows with the cube of the time since the last reduction.
//!
//! RFC 8312, and RFC 9438 where it is more exact; section numbers are those of RFC 8312. Recovery is that of SACK.
//!
//! # Law
//! With t the time since congestion avoidance began, the target is `W_cubic(t + RTT)`, at most 1.5 windows: `W_cubic(t)
//! = C (t - K)^3 + W_max`, `K = cbrt((W_max - cwnd at t = 0) / C)` (section 4.1). Each ACKed packet adds `(target -
//! cwnd) / cwnd` (4.3, 4.4). `W_est` is the window of a Reno flow with the same throughput: it grows by `3 (1 - beta) /
//! (1 + beta)` packets per round trip; while `W_cubic(t) < W_est` the window is `W_est` (4.2). A loss or a mark reduces
//! the window by the factor `beta` (4.5); `W_max` becomes the window before the reduction, or `(1 + beta) / 2` of that
//! window if it was below the last `W_max` (4.6, fast convergence). After a timeout `W_max` is unknown (4.7; RFC 9438,
//! section 4.8).
//!
//! # Differences
//! * `W_est` is a sum over ACKs (RFC 9438, equation 4), so that it follows a changing round-trip time; its slope does
//!   not change to 1 once it exceeds the last window (RFC 9438, section 4.3), and recordings of Linux 6.1 show no such
//!   change either.
//! * With `counting = "packets"` the window follows the recordings of Linux 6.1 instead of sections 4.1 to 4.6: the
//!   target is `W_cubic(t + minimum round-trip time)`, as in the authors' paper (S. Ha, I. Rhee, L. Xu, "CUBIC: a new
//!   TCP-friendly high-speed TCP variant", ACM SIGOPS Operating Systems Review 42(5), 2008); its distance from the plateau is
//!   rounded down to whole packets, and so is `W_max`; the number of ACKed packets per window increment is recomputed when the
//!   window changes, and otherwise after 1/32 s. All times count in periods of `timer_tick`, the minimum round-trip time rounded up.
//! * While `W_max` is unknown the window grows by at least one packet per 20 ACKed, as in recordings of Linux 6.1 after slow start
//!   ended without a loss.

use super::hystart::HyStart;
use super::hystart_plus::HyStartPlus;
use super::window_law::WindowLaw;
use crate::kernel_ticks;
use crate::packets_and_acks::Ack;
use crate::params::{Counting, Hystart, TcpParams};
use crate::state::SenderState;
use penstock_core::math::{floor, pow};
use penstock_core::{Span, Time};

/// Packets per cubic second (section 5).
const C: f64 = 0.4;
/// Factor by which a loss or a mark reduces the window (section 4.5).
const BETA: f64 = 0.7;
/// Packets that `W_est` gains in a round trip (equation 4).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// Upper bound of the target, as a multiple of cwnd.
const MAX_TARGET: f64 = 1.5;
/// Upper bound on ACKed packets per cwnd increment, as a multiple of cwnd.
const MAX_COUNT: f64 = 100.0;
/// Upper bound on ACKed packets per cwnd increment while `W_max` is unknown, in packets.
const UNKNOWN_COUNT: f64 = 20.0;
/// How long a number of ACKed packets per cwnd increment stays valid.
const PACE_HOLDS: Span = Span::from_micros(31_250);

/// State since congestion avoidance began.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    began: Time,
    /// Seconds until the plateau, and the window there.
    k: f64,
    origin: f64,
    w_est: f64,
    /// Packets ACKed towards the next increment of `w_est`.
    credit: f64,
}

impl Epoch {
    fn new(now: Time, cwnd: f64, w_max: Option<f64>) -> Self {
        let origin = w_max.unwrap_or(cwnd).max(cwnd);
        let k = if origin > cwnd { pow((origin - cwnd) / C, 1.0 / 3.0) } else { 0.0 };
        Self { began: now, k, origin, w_est: cwnd, credit: 0.0 }
    }

    /// Distance of `W_cubic(t)` above the plateau, in packets.
    fn above(&self, t: f64) -> f64 {
        let x = t - self.k;
        C * x * x * x
    }

    fn w_cubic(&self, t: f64) -> f64 {
        self.above(t) + self.origin
    }

    /// `W_cubic(t)` with its distance from the plateau rounded down to whole packets.
    fn w_cubic_whole(&self, t: f64) -> f64 {
        let above = self.above(t);
        self.origin + floor(above.abs()).copysign(above)
    }

    /// Grow `W_est` in whole packets.
    fn grow_reno(&mut self, cwnd: f64) {
        let count = floor(cwnd / ALPHA);
        if self.credit > count {
            let grown = floor((self.credit - 1.0) / count);
            self.credit -= grown * count;
            self.w_est += grown;
        }
    }
}

/// A number of ACKed packets per cwnd increment, with the window and the time at which it was computed.
#[derive(Clone, Copy, Debug)]
struct Pace {
    window: f64,
    found: Time,
    count: f64,
}

#[derive(Debug, Default)]
pub(crate) struct Cubic {
    /// Window before the last reduction, after fast convergence.
    w_max: Option<f64>,
    epoch: Option<Epoch>,
    pace: Option<Pace>,
    /// Minimum round-trip time since the last timeout.
    least: Option<Span>,
    hystart: HyStart,
    careful: HyStartPlus,
}

impl WindowLaw for Cubic {
    const LOSS_FACTOR: f64 = BETA;

    fn grow(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, acked: u32) {
        let rtt = now.since(ack.stamp);
        self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        if s.cwnd >= s.ssthresh {
            self.avoid(s, now, acked);
            return;
        }
        match s.params.hystart {
            Hystart::Off => s.grow(now, acked),
            Hystart::On => {
                if self.hystart.on_ack(now, ack, s.cwnd, s.max) {
                    s.ssthresh = s.cwnd;
                }
                s.grow(now, acked);
            }
            Hystart::Plus => self.careful.grow(s, now, ack, acked),
        }
    }

    /// t does not include times in which the application limits the sender (RFC 9438, sections 4.2 and 5.8).
    fn skip(&mut self, unused: Span) {
        if let Some(epoch) = &mut self.epoch {
            epoch.began += unused;
        }
    }

    fn on_reduction(&mut self, s: &SenderState, window: f64) {
        self.careful.end();
        let converges = self.w_max.is_some_and(|w_max| window < w_max);
        let w_max = if converges { window * (1.0 + BETA) / 2.0 } else { window };
        self.w_max = Some(if s.params.counting == Counting::Packets { floor(w_max) } else { w_max });
        self.epoch = None;
    }

    fn on_timeout(&mut self, _m: &mut SenderState) {
        self.careful.end();
        self.w_max = None;
        self.epoch = None;
        self.pace = None;
        self.least = None;
        self.hystart = HyStart::default();
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        if let Some(w_max) = self.w_max {
            show("w_max", w_max);
        }
    }
}

impl Cubic {
    fn avoid(&mut self, s: &mut SenderState, now: Time, acked: u32) {
        let (cwnd, acked) = (s.cwnd, f64::from(acked));
        if s.params.counting == Counting::Packets {
            let pace = self.pace(&s.params, now, cwnd, acked);
            s.grow_each(now, acked, pace);
            return;
        }
        let w_max = self.w_max;
        let epoch = self.epoch.get_or_insert_with(|| Epoch::new(now, cwnd, w_max));
        let t = now.since(epoch.began).as_secs();
        let rtt = s.srtt().map_or(0.0, Span::as_secs);
        epoch.w_est += ALPHA * acked / cwnd;
        let mut next = if epoch.w_cubic(t) < epoch.w_est {
            epoch.w_est.max(cwnd)
        } else {
            cwnd + acked * (epoch.w_cubic(t + rtt).clamp(cwnd, MAX_TARGET * cwnd) - cwnd) / cwnd
        };
        if w_max.is_none() {
            next = next.max(cwnd + acked / UNKNOWN_COUNT);
        }
        s.set_cwnd(now, next);
    }

    /// The number of ACKed packets per cwnd increment with which a window of ACKs reaches the higher of the two targets.
    fn pace(&mut self, params: &TcpParams, now: Time, cwnd: f64, acked: f64) -> f64 {
        let now = kernel_ticks::last(now, params.timer_tick);
        if let Some(epoch) = &mut self.epoch {
            epoch.credit += acked;
        }
        if let Some(pace) = self.pace.filter(|pace| pace.window == cwnd && now.since(pace.found) <= PACE_HOLDS) {
            return pace.count;
        }
        let w_max = self.w_max;
        let epoch = self.epoch.get_or_insert_with(|| Epoch { credit: acked, ..Epoch::new(now, cwnd, w_max) });
        epoch.grow_reno(cwnd);
        let t = now.since(epoch.began) + kernel_ticks::rounded_up(self.least.unwrap_or(Span::ZERO), params.timer_tick);
        let target = epoch.w_cubic_whole(t.as_secs()).max(epoch.w_est);
        let mut count = floor(cwnd / (target - cwnd).max(1.0 / MAX_COUNT)).max(1.0 / (MAX_TARGET - 1.0));
        if w_max.is_none() {
            count = count.min(UNKNOWN_COUNT);
        }
        self.pace = Some(Pace { window: cwnd, found: now, count });
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Profile;

    fn after_a_loss(w_max: f64) -> Cubic {
        Cubic { w_max: Some(w_max), least: Some(Span::from_millis(20)), ..Cubic::default() }
    }

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn the_target_is_whole_packets_away_from_the_plateau() {
        // A window of 5 and W_max of 8: W_cubic(20 ms) is 5.09, which is 2.91 below the plateau.
        let epoch = Epoch::new(Time::ZERO, 5.0, Some(8.0));
        assert!((epoch.w_cubic(0.02) - 5.09).abs() < 0.01);
        assert_eq!(
            [0.02, 0.5, 1.5, epoch.k + 1.3, epoch.k + 1.4].map(|t| epoch.w_cubic_whole(t)),
            [6.0, 7.0, 8.0, 8.0, 9.0]
        );
        let params = TcpParams::of(Profile::Linux);
        // The target is 6, so the window grows by one for five packets.
        assert_eq!(after_a_loss(8.0).pace(&params, at(1000), 5.0, 1.0), 5.0);
    }

    #[test]
    fn the_pace_holds_for_a_thirty_second_of_a_second() {
        let pace_at = |tick: u64, times: [u64; 3]| {
            let params = TcpParams { timer_tick: Span::from_millis(tick), ..TcpParams::of(Profile::Linux) };
            let mut cubic = after_a_loss(8.0);
            times.map(|time| cubic.pace(&params, at(time), 6.0, 20.0))
        };
        // The target is no higher at first; W_est grows by a packet per 11 ACKed.
        assert_eq!(pace_at(0, [1000, 1031, 1032]), [6.0, 6.0, 2.0]);
        // With a clock of 10 ms, 1039 is 1030: 30 ms after 1000.
        assert_eq!(pace_at(10, [1009, 1039, 1040]), [6.0, 6.0, 2.0]);
        // A different window needs a different number of ACKed packets per increment.
        let (params, mut cubic) = (TcpParams::of(Profile::Linux), after_a_loss(8.0));
        assert_eq!([5.0, 6.0].map(|cwnd| cubic.pace(&params, at(1000), cwnd, 1.0)), [5.0, 600.0]);
    }

    #[test]
    fn the_target_is_that_of_the_minimum_round_trip_later() {
        // A window of 74, W_max 106: K is 4.309 s; W_cubic is a packet above the plateau 5.666 s after the reduction.
        let (params, mut cubic) = (TcpParams::of(Profile::Linux), after_a_loss(106.0));
        cubic.pace(&params, at(1000), 74.0, 1.0);
        assert_eq!([6600, 6660].map(|millis| cubic.pace(&params, at(millis), 106.0, 1.0)), [10_600.0, 106.0]);
    }

    /// RFC 9438, section 5.8: after ten seconds in which the application had no data, W_cubic is where it was.
    #[test]
    fn time_without_data_does_not_raise_the_target() {
        let params = TcpParams::of(Profile::Linux);
        let pace_at = |millis, unused| {
            let mut cubic = after_a_loss(106.0);
            cubic.pace(&params, at(1000), 74.0, 1.0);
            cubic.skip(unused);
            cubic.pace(&params, at(millis), 80.0, 1.0)
        };
        let steady = pace_at(3000, Span::ZERO);
        assert_eq!(pace_at(13_000, Span::from_secs(10.0)), steady);
        assert!(pace_at(13_000, Span::ZERO) < steady);
    }
}

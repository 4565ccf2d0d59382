//! CUBIC: the window grows with the cube of the time since the last reduction.
//!
//! RFC 9438, to which section numbers refer. Recovery works as in SACK.
//!
//! # Algorithm
//! With t the time since congestion avoidance began, the target is `W_cubic(t + RTT)`, at least one window and at most 1.5 windows:
//! `W_cubic(t) = C (t - K)^3 + W_max`, `K = cbrt((W_max - cwnd_epoch) / C)` (section 4.2). Each ACKed packet adds `(target -
//! cwnd) / cwnd` (4.4, 4.5). `W_est` is the window of a Reno flow with the same throughput: it grows by `alpha = 3 (1 - beta) /
//! (1 + beta)` packets per round trip, and by one once it reaches `cwnd_prior`, the window at which the threshold was last set;
//! while `W_cubic(t) < W_est` the window is `W_est` (4.3). A loss or a mark reduces the window by the factor `beta` (4.6); `W_max`
//! becomes the window before the reduction, or `(1 + beta) / 2` of that window if it was below the last `W_max` (4.7, fast
//! convergence). After a timeout, and after slow start ended without a loss, K is 0 and `W_max` the window at which congestion
//! avoidance begins (4.8, 4.10). While the application or the receive window limits the flow, the window does not grow
//! and t is stopped (4.2, 5.8).
//!
//! # Differences
//! * `halving` determines the base of a reduction: the window in use, or the packets in flight as in section 4.6. The
//!   window in use does not grow while it is unused.
//! * A mark leaves a window of at least two packets, as in Linux; section 4.6 allows one.
//! * With `counting = "packets"` the window follows the recordings of Linux 6.1 instead of sections 4.2 to 4.5: the
//!   target is `W_cubic(t + minimum round-trip time)`, as in the authors' paper (S. Ha, I. Rhee, L. Xu, "CUBIC: a new
//!   TCP-friendly high-speed TCP variant", ACM SIGOPS Operating Systems Review 42(5), 2008); its distance from the plateau is
//!   rounded down to whole packets, and so is `W_max`; alpha does not change to 1; the number of ACKed packets per window increment
//!   is recomputed when the window changes, and otherwise after 1/32 s. All times count in periods of `timer_tick`, the minimum
//!   round-trip time rounded up. While `W_max` is unknown the window grows by at least one packet per 20 ACKed, as after slow
//!   start ended without a loss.

use super::hystart::HyStart;
use super::hystart_plus::HyStartPlus;
use super::window_control::WindowControl;
use crate::kernel_ticks;
use crate::packets_and_acks::Ack;
use crate::params::{Counting, Hystart, TcpParams};
use crate::state::SenderState;
use penstock_core::math::{floor, pow};
use penstock_core::{Span, Time};

/// Packets per cubic second (section 5.1).
const C: f64 = 0.4;
/// Factor by which a loss or a mark reduces the window (section 4.6).
const BETA: f64 = 0.7;
/// Packets that `W_est` gains in a round trip below `cwnd_prior` (section 4.3).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// Upper bound of the target, as a multiple of cwnd (section 4.2).
const MAX_TARGET: f64 = 1.5;
/// Upper bound on ACKed packets per cwnd increment, as a multiple of cwnd (recordings of Linux 6.1).
const MAX_COUNT: f64 = 100.0;
/// Upper bound on ACKed packets per cwnd increment while `W_max` is unknown, in packets (recordings of Linux 6.1).
const UNKNOWN_COUNT: f64 = 20.0;
/// How long a number of ACKed packets per cwnd increment stays valid (recordings of Linux 6.1).
const COUNT_HOLDS: Span = Span::from_micros(31_250);

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
struct Growth {
    window: f64,
    computed: Time,
    count: f64,
}

/// Variables before a reduction (section 4.9.2); K, `t_epoch` and `W_est` belong to the epoch.
#[derive(Clone, Copy, Debug)]
struct BeforeReduction {
    w_max: Option<f64>,
    cwnd_prior: f64,
    epoch: Option<Epoch>,
}

#[derive(Debug, Default)]
pub(crate) struct Cubic {
    /// Window before the last reduction, after fast convergence; unknown before the first one and after a timeout.
    w_max: Option<f64>,
    /// Window before the last reduction or timeout; 0 before the first one.
    cwnd_prior: f64,
    epoch: Option<Epoch>,
    undo: Option<BeforeReduction>,
    /// Time since which the flow has not used its window.
    limited_since: Option<Time>,
    growth: Option<Growth>,
    /// Minimum round-trip time since the last timeout.
    min_rtt: Option<Span>,
    hystart: HyStart,
    hystart_plus: HyStartPlus,
}

impl WindowControl for Cubic {
    const LOSS_FACTOR: f64 = BETA;

    fn grow(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, acked: u32) {
        let rtt = now.since(ack.stamp);
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |min_rtt| min_rtt.min(rtt)));
        if s.was_application_limited(acked) {
            self.limited_since.get_or_insert(now);
            return;
        }
        if let (Some(since), Some(epoch)) = (self.limited_since.take(), &mut self.epoch) {
            epoch.began += now.since(since);
        }
        if s.cwnd >= s.ssthresh {
            self.avoid(s, now, acked);
            return;
        }
        match s.params.hystart {
            Hystart::Off => s.grow(now, acked),
            Hystart::On => {
                if self.hystart.on_ack(s, now, ack) {
                    s.ssthresh = s.cwnd;
                }
                s.grow(now, acked);
            }
            Hystart::Plus => self.hystart_plus.grow(s, now, ack, acked),
        }
    }

    /// t excludes the times in which the application limits the sender (RFC 9438, sections 4.2 and 5.8).
    fn skip(&mut self, unused: Span) {
        if let Some(epoch) = &mut self.epoch {
            epoch.began += unused;
        }
    }

    fn on_reduction(&mut self, s: &SenderState, window: f64) {
        self.hystart_plus.end();
        self.save();
        let converges = self.w_max.is_some_and(|w_max| window < w_max);
        let w_max = if converges { window * (1.0 + BETA) / 2.0 } else { window };
        self.w_max = Some(if s.params.counting == Counting::Packets { floor(w_max) } else { w_max });
        self.cwnd_prior = window;
        self.epoch = None;
    }

    fn on_collapse(&mut self, window: f64) {
        self.save();
        self.cwnd_prior = window;
    }

    fn on_timeout(&mut self, _s: &mut SenderState) {
        self.hystart_plus.end();
        self.w_max = None;
        self.epoch = None;
        self.growth = None;
        self.min_rtt = None;
        self.hystart = HyStart::default();
    }

    fn on_undo(&mut self) {
        if let Some(BeforeReduction { w_max, cwnd_prior, epoch }) = self.undo.take() {
            (self.w_max, self.cwnd_prior, self.epoch, self.growth) = (w_max, cwnd_prior, epoch, None);
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        if let Some(w_max) = self.w_max {
            show("w_max", w_max);
        }
    }
}

impl Cubic {
    /// Save the variables that [`Self::on_undo`] restores.
    fn save(&mut self) {
        self.undo = Some(BeforeReduction { w_max: self.w_max, cwnd_prior: self.cwnd_prior, epoch: self.epoch });
    }

    fn avoid(&mut self, s: &mut SenderState, now: Time, acked: u32) {
        let (cwnd, acked) = (s.cwnd, f64::from(acked));
        if s.params.counting == Counting::Packets {
            let count = self.count(&s.params, now, cwnd, acked);
            s.grow_each(now, acked, count);
            return;
        }
        let w_max = self.w_max;
        let epoch = self.epoch.get_or_insert_with(|| Epoch::new(now, cwnd, w_max));
        let t = now.since(epoch.began).as_secs();
        let rtt = s.srtt().map_or(0.0, Span::as_secs);
        let alpha = if epoch.w_est < self.cwnd_prior { ALPHA } else { 1.0 };
        epoch.w_est += alpha * acked / cwnd;
        let next = if epoch.w_cubic(t) < epoch.w_est {
            epoch.w_est.max(cwnd)
        } else {
            cwnd + acked * (epoch.w_cubic(t + rtt).clamp(cwnd, MAX_TARGET * cwnd) - cwnd) / cwnd
        };
        s.set_cwnd(now, next);
    }

    /// The number of ACKed packets per cwnd increment with which a window of ACKs reaches the higher of the two targets.
    fn count(&mut self, params: &TcpParams, now: Time, cwnd: f64, acked: f64) -> f64 {
        let now = kernel_ticks::last(now, params.timer_tick);
        if let Some(epoch) = &mut self.epoch {
            epoch.credit += acked;
        }
        if let Some(growth) =
            self.growth.filter(|known| known.window == cwnd && now.since(known.computed) <= COUNT_HOLDS)
        {
            return growth.count;
        }
        let w_max = self.w_max;
        let epoch = self.epoch.get_or_insert_with(|| Epoch { credit: acked, ..Epoch::new(now, cwnd, w_max) });
        epoch.grow_reno(cwnd);
        let t =
            now.since(epoch.began) + kernel_ticks::rounded_up(self.min_rtt.unwrap_or(Span::ZERO), params.timer_tick);
        let target = epoch.w_cubic_whole(t.as_secs()).max(epoch.w_est);
        let mut count = floor(cwnd / (target - cwnd).max(1.0 / MAX_COUNT)).max(1.0 / (MAX_TARGET - 1.0));
        if w_max.is_none() {
            count = count.min(UNKNOWN_COUNT);
        }
        self.growth = Some(Growth { window: cwnd, computed: now, count });
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Profile;
    use std::vec::Vec;

    fn after_a_loss(w_max: f64) -> Cubic {
        Cubic { w_max: Some(w_max), min_rtt: Some(Span::from_millis(20)), ..Cubic::default() }
    }

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// A sender in congestion avoidance whose window is reduced from `window` packets.
    fn reduced(cubic: &mut Cubic, s: &mut SenderState, window: f64) {
        cubic.on_reduction(s, window);
        (s.cwnd, s.ssthresh) = (window * BETA, window * BETA);
    }

    fn by_the_rfc() -> SenderState {
        let params = TcpParams { counting: Counting::Acks, ..TcpParams::of(Profile::Linux) };
        let mut s = SenderState::new(params.into());
        s.end = u32::MAX;
        s
    }

    #[test]
    fn a_loss_at_100_packets_leads_back_to_100_in_the_cube_root_of_75_seconds() {
        let (mut cubic, mut s) = (Cubic::default(), by_the_rfc());
        reduced(&mut cubic, &mut s, 100.0);
        let epoch = Epoch::new(at(0), s.cwnd, cubic.w_max);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 5e-3, "{a} {b}");
        near(s.cwnd, 70.0);
        near(epoch.k, 75.0_f64.cbrt());
        near(epoch.w_cubic(1.0), 86.68);
        near(epoch.w_cubic(2.0), 95.64);
    }

    #[test]
    fn w_est_gains_alpha_per_round_up_to_the_last_window_and_then_one_packet() {
        // Section 4.3. A round is 70 ACKs of one packet each at a window of 70.
        let (mut cubic, mut s) = (Cubic::default(), by_the_rfc());
        reduced(&mut cubic, &mut s, 100.0);
        let mut round = || {
            for _ in 0..70 {
                s.cwnd = 70.0;
                cubic.avoid(&mut s, at(0), 1);
            }
            cubic.epoch.expect("it has begun").w_est
        };
        let w_est: Vec<f64> = core::iter::repeat_with(&mut round).take(60).collect();
        let gained = |n: usize| w_est[n] - w_est[n - 1];
        // Rounds 1 to 56 lead to 70 + 56 * 0.5294 = 99.65, and round 57 over 100.
        assert!((1..56).all(|n| (gained(n) - 0.5294).abs() < 1e-4));
        assert!(w_est[55] < 100.0 && w_est[56] > 100.0, "{w_est:?}");
        assert!((57..60).all(|n| (gained(n) - 1.0).abs() < 1e-4));
    }

    #[test]
    fn fast_convergence_compares_with_the_reduced_w_max() {
        // Section 4.7. RFC 8312 compared with the unreduced window, and ended at 72.25.
        let (mut cubic, mut s) = (Cubic::default(), by_the_rfc());
        let w_max = [100.0, 90.0, 85.0].map(|window| {
            reduced(&mut cubic, &mut s, window);
            cubic.w_max.expect("a reduction")
        });
        assert_eq!(w_max, [100.0, 76.5, 85.0]);
    }

    #[test]
    fn after_a_timeout_and_after_a_slow_start_without_loss_k_is_zero() {
        // Sections 4.8 and 4.10.
        let (mut cubic, mut s) = (Cubic::default(), by_the_rfc());
        (s.cwnd, s.ssthresh) = (40.0, 40.0);
        let begins = |cubic: &mut Cubic, s: &mut SenderState| {
            cubic.avoid(s, at(0), 0);
            let epoch = cubic.epoch.expect("it has begun");
            (epoch.k, epoch.origin, epoch.w_est)
        };
        assert_eq!(begins(&mut cubic, &mut s), (0.0, 40.0, 40.0));
        reduced(&mut cubic, &mut s, 50.0);
        cubic.on_collapse(50.0);
        cubic.on_timeout(&mut s);
        assert_eq!(begins(&mut cubic, &mut s), (0.0, 35.0, 35.0));
    }

    #[test]
    fn an_undone_reduction_restores_w_max_k_and_the_epoch() {
        // Section 4.9.2.
        let (mut cubic, mut s) = (Cubic::default(), by_the_rfc());
        reduced(&mut cubic, &mut s, 100.0);
        cubic.avoid(&mut s, at(0), 1);
        let variables = |cubic: &Cubic| {
            let epoch = cubic.epoch.expect("it has begun");
            (cubic.w_max, cubic.cwnd_prior, epoch.k, epoch.began, epoch.w_est)
        };
        let before = variables(&cubic);
        cubic.on_reduction(&s, 80.0);
        cubic.on_undo();
        assert_eq!(variables(&cubic), before);
        cubic.on_collapse(80.0);
        cubic.on_timeout(&mut s);
        cubic.on_undo();
        assert_eq!(variables(&cubic), before);
    }

    #[test]
    fn a_flow_without_data_does_not_grow_and_its_time_stands_still() {
        // Sections 4.2 and 5.8. For two seconds the transfer has only 20 packets left for a window of 70.
        let ack = |stamp| Ack { ack: 0, stamp, ece: false, ace: 0, sack: &[], retransmission: false };
        let windows = |idle: u64| {
            let (mut cubic, mut s) = (Cubic::default(), by_the_rfc());
            reduced(&mut cubic, &mut s, 100.0);
            (s.una, s.next, s.max) = (1000, 1070, 1070);
            cubic.grow(&mut s, at(100), &ack(at(0)), 1);
            if idle > 0 {
                (s.next, s.end) = (1020, 1020);
                let before = s.cwnd;
                cubic.grow(&mut s, at(200), &ack(at(100)), 1);
                cubic.grow(&mut s, at(200 + idle / 2), &ack(at(100)), 1);
                assert_eq!(s.cwnd, before);
                (s.next, s.end) = (1070, u32::MAX);
            }
            cubic.grow(&mut s, at(200 + idle), &ack(at(100 + idle)), 1);
            s.cwnd
        };
        assert_eq!(windows(0), windows(2000));
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
        assert_eq!(after_a_loss(8.0).count(&params, at(1000), 5.0, 1.0), 5.0);
    }

    #[test]
    fn the_pace_holds_for_a_thirty_second_of_a_second() {
        let pace_at = |tick: u64, times: [u64; 3]| {
            let params = TcpParams { timer_tick: Span::from_millis(tick), ..TcpParams::of(Profile::Linux) };
            let mut cubic = after_a_loss(8.0);
            times.map(|time| cubic.count(&params, at(time), 6.0, 20.0))
        };
        // The target is no higher at first; W_est grows by one packet per 11 ACKed.
        assert_eq!(pace_at(0, [1000, 1031, 1032]), [6.0, 6.0, 2.0]);
        // With a clock of 10 ms, 1039 is 1030: 30 ms after 1000.
        assert_eq!(pace_at(10, [1009, 1039, 1040]), [6.0, 6.0, 2.0]);
        // A different window needs a different number of ACKed packets per increment.
        let (params, mut cubic) = (TcpParams::of(Profile::Linux), after_a_loss(8.0));
        assert_eq!([5.0, 6.0].map(|cwnd| cubic.count(&params, at(1000), cwnd, 1.0)), [5.0, 600.0]);
    }

    #[test]
    fn the_target_is_that_of_the_minimum_round_trip_later() {
        // A window of 74, W_max 106: K is 4.309 s; W_cubic is a packet above the plateau 5.666 s after the reduction.
        let (params, mut cubic) = (TcpParams::of(Profile::Linux), after_a_loss(106.0));
        cubic.count(&params, at(1000), 74.0, 1.0);
        assert_eq!([6600, 6660].map(|millis| cubic.count(&params, at(millis), 106.0, 1.0)), [10_600.0, 106.0]);
    }

    /// RFC 9438, section 5.8: after ten seconds in which the application had no data, W_cubic is where it was.
    #[test]
    fn time_without_data_does_not_raise_the_target() {
        let params = TcpParams::of(Profile::Linux);
        let pace_at = |millis, unused| {
            let mut cubic = after_a_loss(106.0);
            cubic.count(&params, at(1000), 74.0, 1.0);
            cubic.skip(unused);
            cubic.count(&params, at(millis), 80.0, 1.0)
        };
        let steady = pace_at(3000, Span::ZERO);
        assert_eq!(pace_at(13_000, Span::from_secs(10.0)), steady);
        assert!(pace_at(13_000, Span::ZERO) < steady);
    }
}

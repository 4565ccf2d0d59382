//! Adaptive RED (Floyd).
//! S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED: An Algorithm for Increasing the Robustness of RED's Active Queue
//! Management", 2001; figure and section numbers refer to it.
//!
//! # Algorithm
//! Gentle RED whose max_p moves so that the average stays midway between the thresholds. Every `interval` (figure 1),
//! with target = [min_th + 0.4 (max_th - min_th), min_th + 0.6 (max_th - min_th)]:
//!
//! * avg > target and max_p <= 0.5: max_p = max_p + min(alpha, max_p / 4);
//! * avg < target and max_p >= 0.01: max_p = beta max_p.
//!
//! # Parameters
//! The parameters of RED, with the default `gentle = true`, and `alpha`, `beta`, `interval` and the bounds of max_p.
//! The paper derives the thresholds from a target delay: min_th = max(5, delay C / 2) and max_th = 3 min_th. Here the
//! value "auto" does so, for a delay of 5 ms.
//!
//! # Differences
//! * The bounds are checked before the step, so max_p may overshoot them by up to one step (as in the figure).
//! * With `tick = "arrival"`, as in ns-2, the step is taken at the first arrival more than `interval` after the last
//!   change.
//! * With `gentle_from = "first"`, as in ns-2, the ramp above max_th always starts at the initial max_p. With "current"
//!   it starts at the current max_p, which keeps the drop function continuous.

use super::drop_curve::{DropCurve, GentleFrom};
use super::red::{Red, RedParams};
use crate::aqm::{Aqm, Backlog, Cx, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, TimerMoves};
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len, read_with};
use penstock_core::{PacketMeta, Span, Time};

penstock_core::choice! {
    /// Trigger of the adaptation.
    pub enum Tick {
        /// A timer.
        Timer = "timer",
        /// Arrivals, as in ns-2.
        Arrival = "arrival",
    }
}

penstock_core::params! {
    /// Parameters that Adaptive RED (Floyd) adds to those of RED.
    pub struct AredFloydParams {
        /// Largest increase of max_p per step; a step is also at most a quarter of max_p.
        alpha: f64 = Default::Number(0.01), range: 0.0..=1.0;
        /// Factor by which max_p decreases in a step.
        beta: f64 = Default::Number(0.9), range: 0.0..=1.0;
        /// Time between steps.
        interval: Span = Default::Nanos(500_000_000), unit: "s", at_least: 0.001;
        /// max_p does not decrease below this value, except by the step that crosses it.
        max_p_low: f64 = Default::Number(0.01), range: 0.0..=1.0;
        /// max_p does not increase above this value, except by the step that crosses it.
        max_p_high: f64 = Default::Number(0.5), range: 0.0..=1.0;
        /// Whether a timer or an arrival triggers the step.
        tick: Tick = Default::Text("timer");
        /// Start of the gentle ramp: at the initial or at the current max_p.
        gentle_from: GentleFrom = Default::Text("first");
    }
}

const PARAMS: [ParamInfo; inherited_len(AredFloydParams::INFO, RedParams::INFO)] =
    inherit(AredFloydParams::INFO, RedParams::INFO, &[("gentle", Default::Flag(true))]);

/// Adaptive RED (Floyd).
#[derive(Clone, Debug)]
pub struct AredFloyd {
    params: AredFloydParams,
    red: Red,
    ticker: PeriodicTimer,
    last_change: Time,
}

impl AredFloyd {
    /// The AQM that moves the max_p of `red`.
    pub fn new(params: AredFloydParams, red: Red, now: Time) -> Self {
        let ticker = PeriodicTimer::new(now, params.interval);
        Self { params, red, ticker, last_change: now }
    }

    /// Figure 1.
    fn adapt(&mut self, now: Time) {
        let AredFloydParams { alpha, beta, max_p_low, max_p_high, gentle_from, .. } = self.params;
        let (avg, DropCurve { min_th, max_th, max_p, .. }) = (self.red.average.get(), self.red.curve);
        let moved = if avg > min_th + 0.6 * (max_th - min_th) && max_p <= max_p_high {
            max_p + alpha.min(max_p / 4.0)
        } else if avg < min_th + 0.4 * (max_th - min_th) && max_p >= max_p_low {
            max_p * beta
        } else {
            return;
        };
        self.last_change = now;
        self.red.curve = self.red.curve.with_max_p(moved.min(1.0), gentle_from);
    }
}

impl Aqm for AredFloyd {
    fn capabilities(&self) -> Capabilities {
        match self.params.tick {
            Tick::Timer => Capabilities::ARRIVALS.with_timer(TimerMoves::Periodic),
            Tick::Arrival => Capabilities::ARRIVALS,
        }
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let q = self.red.length(&cx.queue);
        self.red.average.update(cx.now, q);
        if self.params.tick == Tick::Arrival && cx.now > self.last_change + self.params.interval {
            self.adapt(cx.now);
        }
        self.red.judge(q, packet.size, cx.rng)
    }

    fn on_overflow(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) {
        self.red.on_overflow(cx, packet);
    }

    fn on_idle(&mut self, now: Time) {
        self.red.on_idle(now);
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.red.on_link(now, link);
    }

    fn next_timeout(&self) -> Option<Time> {
        (self.params.tick == Tick::Timer).then(|| self.ticker.next()).flatten()
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.adapt(cx.now);
        self.ticker.advance(cx.now);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.red.gauges(show);
    }

    fn resume(&mut self, queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        self.red.resume(queue, gauge);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.red.drop_function(average)
    }
}

impl AqmScheme for AredFloyd {
    const INFO: SchemeInfo = SchemeInfo {
        name: "ared-floyd",
        aliases: &["ared"],
        family: "RED",
        title: "Adaptive RED (Floyd)",
        source: "S. Floyd, R. Gummadi, S. Shenker, Adaptive RED: An Algorithm for Increasing the Robustness of RED's \
                 Active Queue Management, 2001",
        doc: module_doc!("ared_floyd.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "Keeps the average between its thresholds from light to heavy load; max_p need not be chosen.",
        bad: "Steps of at most 0.01 every half second: after a jump of the load the average misses its target for \
              many seconds.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        let (params, red) = read_with(settings, &PARAMS, |reader| {
            let (params, red) = (reader.params::<AredFloydParams>(), reader.params::<RedParams>());
            if let Some(params) = params.as_ref().filter(|params| params.max_p_low > params.max_p_high) {
                let message = alloc::format!("must not be above max_p_high, {}", params.max_p_high);
                reader.refuse("max_p_low", message);
            }
            Some((params?, red?))
        })?;
        Ok(Self::new(params, Red::new(red, link)?, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Rig;
    use penstock_core::Ecn;
    use penstock_core::param::Value;

    /// The AQM with its average held at `waiting` packets for `ticks` intervals.
    fn held(waiting: u32, ticks: u64, extra: &[(&str, Value)]) -> Rig {
        let mut settings = vec![("w_q", Value::Number(1.0))];
        settings.extend_from_slice(extra);
        let mut rig = Rig::new("ared-floyd", &settings);
        while rig.waiting() <= waiting {
            rig.arrive(1);
        }
        for _ in 0..ticks {
            rig.advance(Span::from_millis(500));
            rig.depart();
            while rig.waiting() <= waiting {
                rig.arrive(1);
            }
        }
        rig
    }

    #[test]
    fn max_p_rises_by_alpha_above_the_target() {
        assert!((held(13, 3, &[]).gauge("max_p") - 0.13).abs() < 1e-12);
    }

    #[test]
    fn a_step_up_is_at_most_a_quarter() {
        assert!((held(13, 1, &[("max_p", Value::Number(0.02))]).gauge("max_p") - 0.025).abs() < 1e-12);
    }

    #[test]
    fn max_p_shrinks_by_beta_below_the_target() {
        assert!((held(7, 2, &[]).gauge("max_p") - 0.081).abs() < 1e-12);
    }

    #[test]
    fn max_p_rests_within_the_target() {
        assert_eq!(held(10, 5, &[]).gauge("max_p"), 0.1);
    }

    #[test]
    fn bounds_are_tested_before_the_step() {
        assert!((held(7, 100, &[]).gauge("max_p") - 0.009_847_709).abs() < 1e-9);
        assert!((held(13, 100, &[("max_p_high", Value::Number(0.495))]).gauge("max_p") - 0.5).abs() < 1e-9);
    }

    #[test]
    fn arrivals_take_the_step_if_told() {
        let mut rig = Rig::new("ared-floyd", &[("tick", Value::Text("arrival".into()))]);
        rig.advance(Span::from_millis(2_000));
        assert_eq!(rig.gauge("max_p"), 0.1);
        rig.arrive(2);
        assert!((rig.gauge("max_p") - 0.09).abs() < 1e-12);
    }

    #[test]
    fn marks_end_at_max_th_however_high_max_p_is_unless_told() {
        // max_p has risen to 0.2; at 16 packets p_b = 0.1 + 0.9 / 15 = 0.16, which is below max_p
        let above_max_th = |mark_up_to: &str| {
            let more = [("ecn", Value::Flag(true)), ("mark_up_to", Value::Text(mark_up_to.into()))];
            let mut rig = held(13, 10, &more);
            assert!((rig.gauge("max_p") - 0.2).abs() < 1e-12);
            while rig.waiting() < 16 {
                rig.arrive(1);
            }
            let before = rig.counts;
            for _ in 0..200 {
                rig.arrive_as(1000, Ecn::Ect0);
                if rig.waiting() > 16 {
                    rig.depart();
                }
            }
            (rig.counts.marked > before.marked, rig.counts.dropped_on_arrival > before.dropped_on_arrival)
        };
        assert_eq!(above_max_th("max_th"), (false, true));
        assert_eq!(above_max_th("max_p"), (true, false));
    }

    #[test]
    fn the_ramp_starts_at_the_first_max_p_unless_told() {
        assert_eq!(held(13, 3, &[]).drop_function(15.0), 0.1);
        let follows = held(13, 3, &[("gentle_from", Value::Text("current".into()))]);
        assert!((follows.drop_function(15.0) - 0.13).abs() < 1e-12);
    }
}

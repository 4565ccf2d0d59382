//! PSAND: RED whose max_p follows the proximity and the change of the average queue.
//! T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis, Université
//! Montpellier II, 2004; equation and section numbers refer to it.
//!
//! # Algorithm
//! Gentle RED. Every `interval`, with the average A, the average Ap one interval ago, and the target KT (equations 2.1
//! and 2.2):
//!
//! * r = (A / KT) (A / Ap): proximity times change;
//! * max_p = max(max_p_low, min(coef r^gamma max_p, max_p_high)).
//!
//! # Parameters
//! `target` is KT, in packets or as the time the link needs to send it. `min_th` and `max_th` "auto" lie symmetrically
//! about KT, as far apart as the limit B of the queue allows (section 3.2.4): 2 KT - B and B if KT > B / 2, else 0 and
//! 2 KT. The settled average is KT coef^(-1 / gamma) while max_p is within its bounds: below the target for coef > 1.
//! The other parameters are RED's.
//!
//! With `gentle_from = "first"` the line and the ramp of the drop function are computed once, as in ns-2's RED: a new
//! max_p scales only the line below max_th, the ramp above it always starts at the initial max_p, and new thresholds
//! only select which of the two applies. With "current" both follow, as in the thesis.
//!
//! `adapt` selects one of the thesis' rules that also move the thresholds at each interval, with d = A - Ap (section
//! 3.3 and table 3.2). With all but the last two rules max_p moves as above:
//!
//! | `adapt` | min_th | max_th |
//! |---|---|---|
//! | "max-down" | stays | max_th - d |
//! | "max-up" | stays | max_th + d |
//! | "squeeze" | min_th + d | max_th - d |
//! | "spread" | min_th - d | max_th + d |
//! | "shift-up" | min_th + d | max_th + d |
//! | "shift-down" | min_th - d | max_th - d |
//! | "pseudo-drop-tail" | KT | KT: every packet is dropped while A >= KT, otherwise none |
//! | "sandwich" | min_th + d | max_th - d; max_p starts at 1, and the slope max_p / (max_th - min_th) is kept |
//!
//! The first six use (1 - `smooth_alpha`) d in place of d: the smoothed thresholds of section 3.3.
//!
//! # Differences
//! * The thesis gives no rule for Ap = 0 (here: at most 1e-9 packets, or bytes if bytes are measured) and for the first
//!   interval. With `zero_over_zero = "one"`, A / Ap is 1 in both cases. A = 0 gives max_p_low; but with gamma = 0,
//!   r^gamma is 1 even then, and max_p is multiplied by coef.
//! * `zero_over_zero = "nan"` evaluates Algorithm 16 in floating-point arithmetic without such a rule, with Ap starting
//!   at 0. This is a conjecture about the simulator of the thesis. If A and Ap are both 0 at a step, A / Ap is NaN, and
//!   max_p is NaN from then on. Every comparison with NaN is false, so ns-2's RED then drops every packet for which it
//!   consults the line below max_th. Here max_p is 1e300 instead, which drops the same packets.
//! * The thesis uses values of max_p_high from 0.5 to 1; 0.75 is its value in section 2.4.3 and chapter 3.
//! * The thesis gives neither bounds nor initial values for the moving thresholds. Here min_th stays within 0 .. KT and
//!   max_th within KT .. B, at least half a packet apart. Thresholds that move in opposite directions move by the same
//!   amount. With "max-down" and "max-up" the thresholds start at the values of section 3.2.4; with the other rules
//!   they start halfway between KT and these values, so that they can move both ways.
//! * One sentence of section 3.3 swaps max-down and max-up; table 3.2 is followed.

mod threshold_adaptation;

pub use threshold_adaptation::Adapt;

use super::drop_curve::{DropCurve, GentleFrom};
use super::measure_in::MeasureIn;
use super::red::{Red, RedParams};
use crate::aqm::{Aqm, Backlog, Cx, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, TimerMoves};
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::format;
use penstock_core::param::{
    Auto, Default, Length, LengthOrTime, ParamError, ParamErrors, ParamInfo, Settings, Value, inherit, inherited_len,
    read_with,
};
use penstock_core::{PacketMeta, Span, Time, math};

penstock_core::choice! {
    /// The change A / Ap where A and Ap are 0.
    pub enum ZeroOverZero {
        /// 1.
        One = "one",
        /// Not a number: from then on every packet between min_th and max_th is dropped.
        Nan = "nan",
    }
}

penstock_core::params! {
    /// Parameters that PSAND adds to those of RED, or redefines.
    pub struct PsandParams {
        /// Target average queue KT.
        target: LengthOrTime = Default::Number(10.0), unit: "packets", at_least: 0.0;
        /// Time between steps of max_p.
        interval: Span = Default::Nanos(500_000_000), unit: "s", at_least: 0.001;
        /// Factor of each step.
        coef: f64 = Default::Number(1.75), range: 0.0..=1000.0;
        /// Exponent of proximity times change in each step.
        gamma: f64 = Default::Number(1.5), range: 0.0..=100.0;
        /// Smallest max_p.
        max_p_low: f64 = Default::Number(0.01), range: 0.0..=1.0;
        /// Largest max_p.
        max_p_high: f64 = Default::Number(0.75), range: 0.0..=1.0;
        /// Average queue from which packets are dropped early; "auto" derives it from the target.
        min_th: Auto<Length> = Default::Text("auto"), unit: "packets", at_least: 0.0;
        /// Average queue at which the drop probability reaches max_p; "auto" derives it from the target.
        max_th: Auto<Length> = Default::Text("auto"), unit: "packets", at_least: 0.0;
        /// Initial drop probability at max_th; "auto" is 0.1, and 1 for `adapt = "sandwich"`.
        max_p: Auto<f64> = Default::Text("auto"), range: 0.0..=1.0;
        /// Whether line and ramp of the drop function follow max_p and the thresholds.
        gentle_from: GentleFrom = Default::Text("current");
        /// The change A / Ap where A and Ap are 0; "nan" is the floating-point arithmetic of Algorithm 16, without a
        /// rule for this case.
        zero_over_zero: ZeroOverZero = Default::Text("one");
        /// How the thresholds move.
        adapt: Adapt = Default::Text("none");
        /// Inertia of the thresholds: with 0 they move by the whole change of the average, with 1 not at all.
        smooth_alpha: f64 = Default::Number(0.0), range: 0.0..=1.0;
    }
}

impl PsandParams {
    fn first_max_p(&self) -> f64 {
        match (self.max_p, self.adapt) {
            (Auto::Value(max_p), _) => max_p,
            (Auto::Auto, Adapt::Sandwich) => 1.0,
            (Auto::Auto, _) => 0.1,
        }
    }
}

const PARAMS: [ParamInfo; inherited_len(PsandParams::INFO, RedParams::INFO)] =
    inherit(PsandParams::INFO, RedParams::INFO, &[("gentle", Default::Flag(true))]);

/// Replaces a max_p of NaN: so large that the line is 1 from just above min_th on.
const UNDEFINED: f64 = 1e300;

/// PSAND.
#[derive(Clone, Debug)]
pub struct Psand {
    params: PsandParams,
    red: Red,
    ticker: PeriodicTimer,
    /// KT and B, in the unit that the queue is measured in.
    target: f64,
    limit: f64,
    /// Ap; `None` before the first interval has ended.
    previous: Option<f64>,
}

impl Psand {
    /// The AQM on this link. The thresholds of `red` are not used: `params` has its own.
    pub fn new(params: PsandParams, red: &RedParams, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        let target = target(&params, red, link);
        let (limit, unit) = (red.limit(link), red.measure_in.word());
        if !(0.0 < target && target < limit) {
            let message = format!("must be above 0 and below the limit of the queue, {limit} {unit}");
            return Err(alloc::vec![ParamError::new("target", message)]);
        }
        if params.max_p_low > params.max_p_high {
            let message = format!("must not be above max_p_high, {}", params.max_p_high);
            return Err(alloc::vec![ParamError::new("max_p_low", message)]);
        }
        let red = Red::new(place(&params, red, target, limit), link)?;
        let errors = params.adapt.errors(&params, &red, target);
        if !errors.is_empty() {
            return Err(errors);
        }
        let ticker = PeriodicTimer::new(now, params.interval);
        let mut aqm = Self { params, red, ticker, target, limit, previous: None };
        aqm.start_thresholds();
        Ok(aqm)
    }

    fn start_thresholds(&mut self) {
        match self.params.adapt {
            Adapt::PseudoDropTail => {
                self.red.curve = self.red.curve.with_thresholds(self.target, self.target, GentleFrom::Current);
            }
            Adapt::Sandwich => {
                self.red.curve = self.red.curve.with_max_p(self.params.first_max_p(), GentleFrom::Current);
            }
            _ => {}
        }
    }

    /// The step at the end of an interval.
    fn adapt(&mut self) {
        let avg = self.red.average.get();
        let before = self.red.curve;
        self.move_thresholds(avg);
        let max_p = match self.params.adapt {
            Adapt::PseudoDropTail => None,
            Adapt::Sandwich => Some(self.max_p_of_the_slope(&before)),
            _ => Some(self.next_max_p(avg)),
        };
        if let Some(max_p) = max_p {
            self.red.curve = self.red.curve.with_max_p(max_p, self.params.gentle_from);
        }
        self.previous = Some(avg);
    }

    /// Table 3.2.
    fn move_thresholds(&mut self, avg: f64) {
        let PsandParams { adapt, smooth_alpha, .. } = self.params;
        let change = self.previous.map_or(0.0, |previous| avg - previous);
        let room = threshold_adaptation::Room {
            target: self.target,
            limit: self.limit,
            width: self.red.params.in_unit(Length::Packets(0.5)),
        };
        let now = (self.red.curve.min_th, self.red.curve.max_th);
        let (min_th, max_th) = adapt.moved(now, change, smooth_alpha, &room);
        if (min_th, max_th) != now {
            self.red.curve = self.red.curve.with_thresholds(min_th, max_th, self.params.gentle_from);
        }
    }

    /// Equations 2.1 and 2.2; [`UNDEFINED`] from the first step that gives NaN on.
    fn next_max_p(&self, avg: f64) -> f64 {
        let PsandParams { coef, gamma, max_p_low, max_p_high, .. } = self.params;
        let max_p = self.red.curve.max_p;
        let factor = coef * math::pow(avg / self.target * self.change(avg), gamma);
        let next = max_p * factor;
        if next.is_nan() || max_p >= UNDEFINED { UNDEFINED } else { next.min(max_p_high).max(max_p_low) }
    }

    /// A / Ap; for 0 / 0, NaN if `zero_over_zero` is "nan".
    fn change(&self, avg: f64) -> f64 {
        match self.params.zero_over_zero {
            ZeroOverZero::One => {
                self.previous.filter(|&previous| previous > 1e-9).map_or(1.0, |previous| avg / previous)
            }
            ZeroOverZero::Nan => avg / self.previous.unwrap_or(0.0),
        }
    }

    /// The max_p that keeps the slope that the drop function had `before` the thresholds moved.
    fn max_p_of_the_slope(&self, before: &DropCurve) -> f64 {
        let DropCurve { min_th, max_th, max_p, .. } = self.red.curve;
        let (width, moved) = (before.max_th - before.min_th, max_th - min_th);
        // equal thresholds have no slope
        if moved > 0.0 && width > 0.0 { max_p * moved / width } else { max_p }
    }
}

/// KT in the unit that the queue is measured in.
fn target(params: &PsandParams, red: &RedParams, link: &LinkInfo) -> f64 {
    match params.target {
        LengthOrTime::Length(length) => red.in_unit(length),
        LengthOrTime::Time(time) => {
            red.in_unit(Length::Packets(link.rate.packets_per_second(red.mean_packet) * time.as_secs()))
        }
    }
}

/// RED's parameters, with thresholds as set or as derived from the target.
fn place(params: &PsandParams, red: &RedParams, target: f64, limit: f64) -> RedParams {
    let (min_th, max_th) = params.adapt.start(thresholds(target, limit), target);
    let chosen = |given, rule| match (given, red.measure_in) {
        (Auto::Value(length), _) => Auto::Value(length),
        (Auto::Auto, MeasureIn::Packets) => Auto::Value(Length::Packets(rule)),
        (Auto::Auto, MeasureIn::Bytes) => Auto::Value(Length::Bytes(rule)),
    };
    RedParams {
        min_th: chosen(params.min_th, min_th),
        max_th: chosen(params.max_th, max_th),
        gentle: red.gentle && params.adapt != Adapt::PseudoDropTail,
        ..red.clone()
    }
}

/// Section 3.2.4: symmetric about the target, as far apart as the limit allows.
fn thresholds(target: f64, limit: f64) -> (f64, f64) {
    if target > limit / 2.0 { (2.0 * target - limit, limit) } else { (0.0, 2.0 * target) }
}

impl Aqm for Psand {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_timer(TimerMoves::Periodic)
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        self.red.on_arrival(cx, packet)
    }

    fn on_overflow(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) {
        self.red.on_overflow(cx, packet);
    }

    fn on_idle(&mut self, now: Time) {
        self.red.on_idle(now);
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        let target = target(&self.params, &self.red.params, link);
        let limit = self.red.params.limit(link);
        // On a link where the target is invalid, the AQM keeps its settings.
        if 0.0 < target && target < limit {
            (self.target, self.limit) = (target, limit);
            self.red.params = place(&self.params, &self.red.params, target, limit);
        }
        self.red.on_link(now, link);
        self.start_thresholds();
    }

    fn next_timeout(&self) -> Option<Time> {
        self.ticker.next()
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.adapt();
        self.ticker.advance(cx.now);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.red.gauges(show);
        if self.params.adapt != Adapt::None {
            show("min_th", self.red.curve.min_th);
            show("max_th", self.red.curve.max_th);
        }
    }

    fn resume(&mut self, queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        self.red.resume(queue, gauge);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.red.drop_function(average)
    }
}

impl AqmScheme for Psand {
    const INFO: SchemeInfo = SchemeInfo {
        name: "psand",
        aliases: &[],
        family: "RED",
        title: "PSAND",
        source: "T. Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis, \
                 Université Montpellier II, 2004",
        doc: module_doc!("psand.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "Reacts to a change of the load within seconds, and nearly all its losses are isolated.",
        bad: "At light load it drops more than necessary, and at heavy load max_p stays at its upper bound and the \
              average rises with the number of flows.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        let (params, red) = read_with(settings, &PARAMS, |reader| {
            let params = reader.params::<PsandParams>();
            // RED's own thresholds are derived from the target.
            reader.derive("min_th", Value::Number(0.0));
            reader.derive("max_th", Value::Number(0.0));
            reader.derive("max_p", Value::Number(params.as_ref().map_or(0.0, PsandParams::first_max_p)));
            let red = reader.params::<RedParams>();
            Some((params?, red?))
        })?;
        Self::new(params, &red, link, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, thesis_link};

    #[test]
    fn thresholds_follow_the_rule_of_section_3_2_4() {
        assert_eq!(thresholds(10.0, 35.0), (0.0, 20.0));
        assert_eq!(thresholds(17.5, 35.0), (0.0, 35.0));
        assert_eq!(thresholds(20.0, 35.0), (5.0, 35.0));
        assert_eq!(thresholds(100.0, f64::INFINITY), (0.0, 200.0));
    }

    /// The AQM with an average that equals the queue, which holds `found` packets in successive intervals.
    fn max_p_after(found: &[u32], extra: &[(&str, Value)]) -> f64 {
        let mut settings = vec![("w_q", Value::Number(1.0))];
        settings.extend_from_slice(extra);
        let mut rig = Rig::new("psand", &settings);
        for &waiting in found {
            while rig.waiting() > waiting {
                rig.depart();
            }
            while rig.waiting() <= waiting {
                rig.arrive(1);
            }
            rig.advance(Span::from_millis(500));
        }
        rig.gauge("max_p")
    }

    #[test]
    fn max_p_follows_proximity_and_change() {
        let first = 0.1 * 1.75 * 0.8_f64.powf(1.5);
        assert!((max_p_after(&[8], &[]) - first).abs() < 1e-12);
        let second = first * 1.75 * (0.6_f64 * 6.0 / 8.0).powf(1.5);
        assert!((max_p_after(&[8, 6], &[]) - second).abs() < 1e-12);
    }

    #[test]
    fn max_p_stays_within_its_bounds() {
        assert_eq!(max_p_after(&[15, 15, 15], &[]), 0.75);
        assert_eq!(max_p_after(&[2, 2, 2], &[]), 0.01);
        assert_eq!(max_p_after(&[0, 0], &[]), 0.01);
    }

    #[test]
    fn without_a_rule_for_zero_over_zero_the_line_drops_every_packet() {
        let nan = [("zero_over_zero", Value::Text("nan".into()))];
        // If the first average is above 0, the change is infinite, and max_p is max_p_high.
        assert_eq!(max_p_after(&[8], &nan), 0.75);
        let mut rig = Rig::new("psand", &[("w_q", Value::Number(1.0)), nan[0].clone()]);
        rig.advance(Span::from_millis(500));
        assert_eq!(rig.gauge("max_p"), UNDEFINED);
        // A packet passes while at most one packet waits; the first packet above min_th passes, too.
        rig.arrive(100);
        assert_eq!(rig.waiting(), 3);
        rig.advance(Span::from_secs(60.0));
        assert_eq!(rig.gauge("max_p"), UNDEFINED);
    }

    #[test]
    fn a_target_in_time_is_what_the_link_sends_in_it() {
        // 80 ms at 187.5 packets per second: 15 packets
        let aqm =
            Psand::from_settings(&[("target".into(), Value::Time(Span::from_millis(80)))], &thesis_link(), Time::ZERO);
        let aqm = aqm.unwrap();
        assert_eq!((aqm.target, aqm.red.curve.min_th, aqm.red.curve.max_th), (15.0, 0.0, 30.0));
    }

    #[test]
    fn a_target_beyond_the_queue_is_refused() {
        let errors =
            Psand::from_settings(&[("target".into(), Value::Packets(35.0))], &thesis_link(), Time::ZERO).unwrap_err();
        let message = "must be above 0 and below the limit of the queue, 35 packets";
        assert_eq!((errors[0].name.as_str(), errors[0].message.as_str()), ("target", message));
    }

    /// The AQM with an average that equals the queue, after intervals with queues of 10 and 12 packets.
    fn moved(adapt: &str) -> Rig {
        let mut rig = Rig::new("psand", &[("w_q", Value::Number(1.0)), ("adapt", Value::Text(adapt.into()))]);
        for waiting in [10, 12] {
            while rig.waiting() <= waiting {
                rig.arrive(1);
            }
            rig.advance(Span::from_millis(500));
        }
        rig
    }

    #[test]
    fn thresholds_move_with_the_change_of_the_average() {
        let thresholds = |adapt| (moved(adapt).gauge("min_th"), moved(adapt).gauge("max_th"));
        assert_eq!(thresholds("max-down"), (0.0, 18.0));
        assert_eq!(thresholds("max-up"), (0.0, 22.0));
        assert_eq!(thresholds("squeeze"), (7.0, 13.0));
        assert_eq!(thresholds("shift-down"), (3.0, 13.0));
    }

    #[test]
    fn max_p_moves_beside_the_thresholds() {
        // 0.1 1.75, then 1.75 (1.2 1.2)^1.5
        let max_p = (0.175_f64 * 1.75 * 1.44_f64.powf(1.5)).min(0.75);
        assert!((moved("spread").gauge("max_p") - max_p).abs() < 1e-12);
        assert!((moved("spread").drop_function(10.0) - max_p * 7.0 / 14.0).abs() < 1e-12);
    }

    #[test]
    fn in_ns2_line_and_ramp_stay_where_they_were_at_first() {
        let first = ("gentle_from", Value::Text("first".into()));
        let held = |adapt: &str| {
            let settings = [("w_q", Value::Number(1.0)), ("adapt", Value::Text(adapt.into())), first.clone()];
            let mut rig = Rig::new("psand", &settings);
            for waiting in [10, 12] {
                while rig.waiting() <= waiting {
                    rig.arrive(1);
                }
                rig.advance(Span::from_millis(500));
            }
            rig
        };
        let max_p = (0.175_f64 * 1.75 * 1.44_f64.powf(1.5)).min(0.75);
        let still = held("none");
        assert!((still.drop_function(10.0) - max_p / 2.0).abs() < 1e-12);
        assert!((still.drop_function(30.0) - 0.55).abs() < 1e-12);
        // max_th has moved from 20 to 18: the ramp, which is 0.1 at 20 and 0.045 steep, counts from there on
        let moved = held("max-down");
        assert!((moved.drop_function(17.9) - max_p * 17.9 / 20.0).abs() < 1e-12);
        assert!((moved.drop_function(19.0) - 0.055).abs() < 1e-12);
    }

    #[test]
    fn sandwich_keeps_the_slope() {
        let rig = moved("sandwich");
        // the rise of 1 between 5 and 15 becomes 0.6 between 7 and 13
        assert!((rig.gauge("max_p") - 0.6).abs() < 1e-12);
        assert!((rig.drop_function(10.0) - 0.3).abs() < 1e-12);
    }

    #[test]
    fn pseudo_drop_tail_drops_all_at_the_target_and_none_below() {
        let mut rig =
            Rig::new("psand", &[("w_q", Value::Number(1.0)), ("adapt", Value::Text("pseudo-drop-tail".into()))]);
        rig.arrive(100);
        assert_eq!((rig.waiting(), rig.drop_function(9.99), rig.drop_function(10.0)), (10, 0.0, 1.0));
        rig.advance(Span::from_secs(10.0));
        assert_eq!(rig.gauge("max_p"), 0.1);
    }

    #[test]
    fn given_thresholds_must_suit_the_way_they_move() {
        let faulty = |adapt: &str, name: &str, value| {
            let settings = [("adapt".into(), Value::Text(adapt.into())), (name.into(), Value::Packets(value))];
            Psand::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap_err()[0].clone()
        };
        let message = "must not be above the target, 10 packets, to move";
        assert_eq!(faulty("squeeze", "min_th", 12.0), ParamError::new("min_th", message));
        let message = "must not be below the target, 10 packets, to move";
        assert_eq!(faulty("max-up", "max_th", 9.0), ParamError::new("max_th", message));
        assert_eq!(faulty("pseudo-drop-tail", "max_th", 12.0).name, "max_th");
    }

    #[test]
    fn a_changed_link_puts_the_thresholds_back() {
        for adapt in ["squeeze", "sandwich"] {
            let mut rig = moved(adapt);
            let before = rig.gauge("max_p");
            rig.relink(&thesis_link());
            assert_eq!((rig.gauge("min_th"), rig.gauge("max_th")), (5.0, 15.0));
            assert_eq!(rig.gauge("max_p"), if adapt == "sandwich" { 1.0 } else { before });
        }
    }
}

//! Random Early Detection (RED).
//! S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM Trans. Networking 1(4),
//! 1993; section numbers refer to it. `gentle`: S. Floyd, "Recommendation on using the gentle variant of RED", 2000.
//! `nonlinear`: K. Zhou, K. L. Yeung, V. O. K. Li, "Nonlinear RED: A simple yet efficient active queue management
//! scheme", Computer Networks 50(18), 2006. `no_wait`, `scale_by_size = "p_a"` and the names that `w_q` accepts: the
//! RED of ns-2 and ns-3 (ns-3 model library, "RED queue disc").
//!
//! # Algorithm
//! At each arrival, with the queue q that the packet finds (section 4):
//!
//! * avg = (1 - w_q) avg + w_q q. After an idle time of the link, first avg = (1 - w_q)^m avg, where m is the number of
//!   typical packets that the link could have sent meanwhile;
//! * p_b = 0 for avg < min_th; max_p (avg - min_th) / (max_th - min_th) below max_th; 1 above. With `gentle`, p_b rises
//!   from max_p at max_th to 1 at 2 max_th (or at the limit of the queue). With `nonlinear` (NLRED) it is 1.5 max_p
//!   ((avg - min_th) / (max_th - min_th))^2 below max_th: gentler at light load, steeper at heavy load;
//! * p_a follows from p_b and the number of arrivals since the last drop (section 7), so that drops are spaced evenly
//!   (see `spacing`);
//! * drop or mark with probability p_a. A random number is drawn whenever p_a > 0, even if p_a = 1;
//! * at and above max_th (with `gentle`, the end of the ramp) every packet is dropped without a draw: a forced drop. On
//!   the ramp, drops are early drops with a draw, even with max_p = 1, where p_b is 1 along the whole ramp.
//!
//! # Parameters
//! `min_th` and `max_th` bound the average queue; `max_p` is the drop probability at max_th; `w_q` is the weight of one
//! arrival in the average. A name instead of a number sets w_q = 1 - exp(-1 / (C T)) on a link that sends C packets of
//! `mean_packet` size per second. The time constant T is one second, about ten round trips, with "auto"; ten round
//! trips of the link, each at least 100 ms, with "auto_rtt"; a tenth of a second with "auto_fast". 0 <= min_th <=
//! max_th <= limit of the queue.
//!
//! With min_th = max_th, RED is a step, as in the switches of DCTCP (M. Alizadeh et al., "Data Center TCP", SIGCOMM
//! 2010, section 3.1): no packet is dropped while the average is below this threshold, and every packet is dropped at
//! or above it. With `ecn` and `mark_up_to = "always"`, packets are marked instead. For a step at the instantaneous
//! queue, set w_q = 1 and `guards = false`.
//!
//! `min_th` "auto" is max(5, C d / 2) typical packets with a target d of 5 ms for the average queueing delay, and `max_th`
//! "auto" is three times min_th (S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED", 2001, section 4.4). Adaptive
//! variants of RED then keep the average near 2 min_th; RED itself has this average only at one load. For another target d,
//! set min_th to a time, d / 2, and max_th to "auto".
//!
//! `spacing` selects how p_a follows from p_b, with n arrivals since the last drop, this one included:
//! * "count" (1993): p_b / (1 - (n - 1) p_b); gaps between drops are uniform on 1 .. 1/p_b;
//! * "wait": 0 while n p_b < 1, then p_b / (2 - n p_b), and 1 from n p_b = 2; gaps are uniform on 1/p_b .. 2/p_b - 1;
//! * "none": p_b; gaps are geometric;
//! * "section4": the algorithm as printed in section 4, p_b / (1 - count p_b), with a count of 0 for the first packet
//!   above min_th and 1 for the first after a drop. While this is negative, nothing is dropped. At a steady average
//!   gaps are uniform on 1 .. 1/p_b - 1. If the average rises so fast that count p_b passes 1, nothing is dropped until
//!   avg reaches the point of forced drops or falls back;
//! * "no_wait" (`wait_ = false` of ns-2 and ns-3): p_b / (1 - n p_b), and 1 from n p_b = 1; gaps are uniform on 1 ..
//!   1/p_b - 1;
//! * "once" (as in Linux): one number R, uniform on 0 .. 1, is drawn for each gap. The gap ends with the first arrival
//!   for which n p_b >= R. If p_b is constant, this equals "count". If p_b varies, drops fall on arrivals that find a
//!   high average, so more often on a small packet between windows of data than on the data.
//!
//! `scale_by_size` makes the probability depend on the size of the packet. "p_b" is the paper's form for a queue measured
//! in bytes: p_b size / (largest packet of the link), before the spacing. "p_a" is the byte mode of ns-2 and ns-3: p_a
//! size / mean_packet where p_a is below 1, and n counts whole mean packets in the bytes that arrived since the last drop.
//!
//! # Differences
//! * After an idle time the paper only decays avg; here, as in ns-2, the arrival that ends the idle time then also
//!   updates avg, with q = 0.
//! * `guards` are those of ns-2: no early or forced drop while at most one packet waits, and the first packet that sees
//!   the average above min_th passes ("once" does not count it). With `measure_in = "bytes"` the guard is one byte, as in
//!   ns-2: it covers the empty queue only.
//! * The paper's sections 4 and 7 differ: in section 4 the count of the first arrival after a drop is 1, so that gaps
//!   end at 1/p_b - 1; in section 7 and in "count" here they end at 1/p_b. Section 4 does not define a negative p_a:
//!   with "section4", as in ns-2's WRED, nothing is dropped then.
//! * In the paper, measuring the queue in bytes implies scaling p_b by size; here the two are set separately.
//! * NLRED's paper has no gentle form: with both `nonlinear` and `gentle`, p_b falls back from 1.5 max_p to max_p at
//!   max_th, where the ramp starts.
//! * "auto_rtt" uses the round-trip time of the link in the scenario; ns-2 and ns-3 (`q_weight_ = -1`) use three times
//!   the sum of the link's delay and the transmission time of a packet.
//! * The paper leaves open what happens to ECN-capable packets above max_th; `mark_up_to` selects it. "max_th" marks
//!   below max_th only, like the ns-2 of 2003. "max_p" marks while p_b is below the current max_p; ns-2.35 compares p_b
//!   with a separate constant, `mark_p_`. "max_th" and "max_p" differ only if an adaptive AQM has raised max_p above
//!   the start of the ramp: "max_p" then also marks beyond max_th.
//! * These settings reproduce Linux 6.1: `measure_in = "bytes"`, `spacing = "once"` with `guards`, a `w_q` that is a
//!   power of 1/2, and with ECN `mark_up_to = "always"`. Losses, marks and delays under a flood agree with Linux
//!   (`tests/integration/linux_open_loop.rs`).
//! * With `whole_average`, avg = avg + w_q (q - floor(avg)), the arithmetic of an average that is stored as a whole
//!   multiple of w_q. It settles half a packet (or half a byte) above the true average. Linux 6.1 does this; the effect
//!   is visible if the queue is measured in packets (CHOKe).

use super::average_queue::{Average, Filter, Weight};
use super::drop_curve::{DropCurve, RampEnd};
use super::drop_spacing::{ScaleBySize, Spacer, Spacing};
use super::measure_in::MeasureIn;
use crate::aqm::{Aqm, Backlog, Cause, Cx, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::format;
use alloc::string::String;
use penstock_core::param::{Auto, Default, Length, ParamError, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Rng, Time};
use penstock_model::red_thresholds;

penstock_core::choice! {
    /// Where the gentle ramp reaches 1.
    pub enum GentleTop {
        /// At twice max_th (Floyd 2000).
        TwiceMaxTh = "2max_th",
        /// At the limit of the queue (Brandauer et al. 2001).
        Buffer = "buffer",
    }
}

penstock_core::choice! {
    /// Range of the average in which ECN-capable packets are marked instead of dropped.
    pub enum MarkUpTo {
        /// While the average is below max_th.
        MaxTh = "max_th",
        /// While p_b is below the current max_p.
        MaxP = "max_p",
        /// Wherever p_b is below 1.
        Top = "top",
        /// Always: forced drops become marks, too (Linux without "harddrop").
        Always = "always",
    }
}

penstock_core::params! {
    /// Parameters of RED.
    pub struct RedParams {
        /// Average queue above which packets are dropped early; "auto" is 2.5 ms at the rate of the link, at least 5 packets.
        min_th: Auto<Length> = Default::Number(5.0), unit: "packets", at_least: 0.0;
        /// Average queue at which the drop probability reaches max_p; "auto" is three times min_th.
        max_th: Auto<Length> = Default::Number(15.0), unit: "packets", at_least: 0.0;
        /// Drop probability at max_th.
        max_p: f64 = Default::Number(0.1), range: 0.0..=1.0;
        /// Weight of one arrival in the average queue. "auto" gives a time constant of one second, "auto_rtt" of ten round
        /// trips, "auto_fast" of 0.1 s.
        w_q: Weight = Default::Text("auto"), range: 0.0..=1.0;
        /// Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle: bool = Default::Flag(false);
        /// Where the gentle ramp reaches 1.
        gentle_top: GentleTop = Default::Text("2max_th");
        /// Nonlinear RED: the probability rises with the square of the average to 1.5 max_p at max_th.
        nonlinear: bool = Default::Flag(false);
        /// How drops are spaced.
        spacing: Spacing = Default::Text("wait");
        /// How the drop probability depends on the size of the packet.
        scale_by_size: ScaleBySize = Default::Text("never");
        /// No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and none of the
        /// first packet above min_th (ns-2).
        guards: bool = Default::Flag(true);
        /// Typical packet size, for the idle time and for w_q "auto".
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Measure queue and thresholds in packets or in bytes.
        measure_in: MeasureIn = Default::Text("packets");
        /// At each arrival, subtract w_q floor(avg) from avg instead of w_q avg (Linux).
        whole_average: bool = Default::Flag(false);
        /// Mark ECN-capable packets instead of dropping them early.
        ecn: bool = Default::Flag(false);
        /// The range of the average in which packets are marked.
        mark_up_to: MarkUpTo = Default::Text("max_th");
    }
}

/// Random Early Detection: the average, the drop function and the spacing of drops. An adaptive AQM that owns a RED
/// replaces its drop function.
#[derive(Clone, Debug)]
pub struct Red {
    pub(crate) params: RedParams,
    pub(crate) average: Average,
    pub(crate) curve: DropCurve,
    pub(crate) spacer: Spacer,
}

impl Red {
    /// The AQM on this link, with min_th below max_th; all contradictions in `params`, if there are any.
    pub fn new(params: RedParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        Self::checked(params, link, |min_th, max_th| min_th < max_th, "be below max_th")
    }

    /// Like [`Red::new`], but min_th may equal max_th.
    pub(crate) fn with_step(params: RedParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        Self::checked(params, link, |min_th, max_th| min_th <= max_th, "not be above max_th")
    }

    /// The AQM if its thresholds meet a condition; `must` is the wording of the condition in the error message.
    fn checked(
        params: RedParams,
        link: &LinkInfo,
        are_in_order: impl FnOnce(f64, f64) -> bool,
        must: &str,
    ) -> Result<Self, ParamErrors> {
        let errors = params.errors(link, are_in_order, must);
        if !errors.is_empty() {
            return Err(errors);
        }
        let average = Average::new(params.filter(link));
        let (curve, spacer) = (params.curve(link), params.spacer(link));
        Ok(Self { params, average, curve, spacer })
    }

    /// The queue, in the unit it is measured in.
    #[inline]
    pub(crate) fn length(&self, queue: &Backlog) -> f64 {
        self.params.measure_in.backlog(queue)
    }

    /// The verdict on a packet of `size` bytes that finds the queue `q`; the average is up to date.
    #[inline]
    pub(crate) fn judge(&mut self, q: f64, size: u32, rng: &mut Rng) -> Verdict {
        self.judge_at(self.average.get(), q, size, rng)
    }

    /// The verdict on a packet of `size` bytes that finds the queue `q` and the average `avg`.
    #[inline]
    pub(crate) fn judge_at(&mut self, avg: f64, q: f64, size: u32, rng: &mut Rng) -> Verdict {
        if avg < self.curve.min_th || (self.params.guards && q <= 1.0) {
            self.spacer.reset();
            return Verdict::Pass;
        }
        self.judge_above(avg, size, rng)
    }

    /// The verdict on a packet of `size` bytes that finds the average `avg`, at least min_th.
    #[inline(never)]
    fn judge_above(&mut self, avg: f64, size: u32, rng: &mut Rng) -> Verdict {
        let RedParams { ecn, mark_up_to, .. } = self.params;
        if avg >= self.curve.top {
            self.spacer.restart();
            let marks = ecn && mark_up_to == MarkUpTo::Always;
            return if marks { Verdict::Mark(Cause::Forced) } else { Verdict::Drop(Cause::Forced) };
        }
        let p_b = self.curve.p_b_below_top(avg);
        if !self.spacer.ends_gap(p_b, size, rng) {
            return Verdict::Pass;
        }
        let marks = match mark_up_to {
            MarkUpTo::MaxTh => avg < self.curve.max_th,
            MarkUpTo::MaxP => p_b < self.curve.max_p,
            MarkUpTo::Top | MarkUpTo::Always => true,
        };
        if ecn && marks { Verdict::Mark(Cause::Early) } else { Verdict::Drop(Cause::Early) }
    }
}

impl RedParams {
    /// RED without options, for AQMs that contain one: it drops everything above max_th, does not space drops, and has
    /// no guards and no marks.
    pub(crate) const fn plain([min_th, max_th]: [Auto<Length>; 2], max_p: f64, mean_packet: Bytes) -> Self {
        Self {
            min_th,
            max_th,
            max_p,
            w_q: Weight::Auto,
            gentle: false,
            gentle_top: GentleTop::TwiceMaxTh,
            nonlinear: false,
            spacing: Spacing::None,
            scale_by_size: ScaleBySize::Never,
            guards: false,
            mean_packet,
            measure_in: MeasureIn::Packets,
            whole_average: false,
            ecn: false,
            mark_up_to: MarkUpTo::MaxTh,
        }
    }

    fn filter(&self, link: &LinkInfo) -> Filter {
        let capacity = link.rate.packets_per_second(self.mean_packet);
        Filter { w_q: self.w_q.w_q(capacity, link), capacity, whole: self.whole_average }
    }

    fn spacer(&self, link: &LinkInfo) -> Spacer {
        let reference = if self.scale_by_size == ScaleBySize::Pb { link.mtu } else { self.mean_packet };
        Spacer::new(self.spacing, self.guards).scaled(self.scale_by_size, reference)
    }

    fn curve(&self, link: &LinkInfo) -> DropCurve {
        let end = match (self.gentle, self.gentle_top) {
            (false, _) => RampEnd::MaxTh,
            (true, GentleTop::TwiceMaxTh) => RampEnd::TwiceMaxTh,
            (true, GentleTop::Buffer) => RampEnd::At(self.limit(link)),
        };
        let (min_th, max_th) = self.thresholds(link);
        DropCurve::new(min_th, max_th, end, self.max_p).with_parabola(self.nonlinear)
    }

    /// min_th and max_th on this link, in the unit that the queue is measured in.
    pub(crate) fn thresholds(&self, link: &LinkInfo) -> (f64, f64) {
        let min_th = match self.min_th {
            Auto::Value(length) => self.in_unit(length),
            Auto::Auto => {
                let capacity = link.rate.packets_per_second(self.mean_packet);
                self.in_unit(Length::Packets(red_thresholds::min_th(capacity)))
            }
        };
        let max_th = match self.max_th {
            Auto::Value(length) => self.in_unit(length),
            Auto::Auto => red_thresholds::max_th(min_th),
        };
        (min_th, max_th)
    }

    /// Checks that max_th <= limit of the queue and that min_th and max_th are in order; `must` is the wording of the
    /// second condition in the error message.
    fn errors(&self, link: &LinkInfo, are_in_order: impl FnOnce(f64, f64) -> bool, must: &str) -> ParamErrors {
        let ((min_th, max_th), limit) = (self.thresholds(link), self.limit(link));
        let unit = self.measure_in.word();
        let mut errors = ParamErrors::new();
        if max_th > limit {
            let auto = if self.max_th == Auto::Auto { format!(": \"auto\" is {max_th}") } else { String::new() };
            let message = format!("must not be above the limit of the queue, {limit} {unit}{auto}");
            errors.push(ParamError::new("max_th", message));
        }
        if max_th == 0.0 {
            errors.push(ParamError::new("max_th", "must be above 0"));
        } else if !are_in_order(min_th, max_th) {
            let auto = if self.min_th == Auto::Auto { format!(": \"auto\" is {min_th}") } else { String::new() };
            let message = format!("must {must}, {max_th} {unit}{auto}");
            errors.push(ParamError::new("min_th", message));
        }
        if self.gentle && self.gentle_top == GentleTop::Buffer && limit.is_infinite() {
            let message = "must be \"2max_th\" where the queue has no limit";
            errors.push(ParamError::new("gentle_top", message));
        }
        errors
    }

    /// A length in the unit that the queue is measured in.
    pub(crate) fn in_unit(&self, length: Length) -> f64 {
        self.measure_in.length(length, self.mean_packet)
    }

    /// The limit of the queue in the unit it is measured in.
    pub(crate) fn limit(&self, link: &LinkInfo) -> f64 {
        self.measure_in.limit(link, self.mean_packet)
    }
}

impl Aqm for Red {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    #[expect(clippy::inline_always, reason = "saves 3 % of the instructions of W2 with RED")]
    #[inline(always)]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let q = self.length(&cx.queue);
        self.average.update(cx.now, q);
        self.judge(q, packet.size, cx.rng)
    }

    fn on_overflow(&mut self, _cx: &mut Cx<'_>, _packet: &PacketMeta) {
        self.spacer.restart();
    }

    fn on_idle(&mut self, now: Time) {
        self.average.on_idle(now);
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.average.filter = self.params.filter(link);
        self.curve = self.params.curve(link).with_heights_of(&self.curve);
        self.spacer = self.spacer.scaled_like(&self.params.spacer(link));
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        let avg = self.average.get();
        show("avg", avg);
        show("p_b", self.curve.p_b(avg));
        show("max_p", self.curve.max_p);
    }

    fn resume(&mut self, _queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        if let Some(avg) = gauge("avg") {
            self.average.resume(avg);
        }
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        Some(self.curve.p_b(self.params.in_unit(Length::Packets(average))))
    }
}

impl AqmScheme for Red {
    const INFO: SchemeInfo = SchemeInfo {
        name: "red",
        aliases: &[],
        family: "RED",
        title: "Random Early Detection",
        source: "S. Floyd, V. Jacobson, Random Early Detection Gateways for Congestion Avoidance, \
                 IEEE/ACM Trans. Networking 1(4), 1993",
        doc: module_doc!("red.rs"),
        ecn: true,
        params: RedParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "A short queue at light load, and with gentle = true 80 to 95 % of losses are isolated.",
        bad: "The average queue depends on the load: many flows hold it at max_th, where the strict form drops in \
              bursts.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Self::with_step(RedParams::from_settings(settings)?, link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, assert_fits, thesis_link};
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Limit, Rate, Span};

    /// RED with min_th 4 and max_th 12 whose average is the queue that the packet finds: p_b = 1/8 at 8 packets.
    fn instantaneous(extra: &[(&str, Value)]) -> Rig {
        let mut settings = vec![
            ("min_th", Value::Number(4.0)),
            ("max_th", Value::Number(12.0)),
            ("max_p", Value::Number(0.25)),
            ("w_q", Value::Number(1.0)),
        ];
        settings.extend_from_slice(extra);
        Rig::new("red", &settings)
    }

    fn spacing(word: &str) -> (&str, Value) {
        ("spacing", Value::Text(word.into()))
    }

    #[test]
    fn average_follows_the_low_pass_filter() {
        let mut rig = Rig::new("red", &[("w_q", Value::Number(0.25))]);
        let mut avg = 0.0;
        for q in 0..10 {
            rig.arrive(1);
            avg = 0.75 * avg + 0.25 * f64::from(q);
            assert!((rig.gauge("avg") - avg).abs() < 1e-12);
        }
    }

    #[test]
    fn average_decays_over_an_idle_period() {
        let mut rig = Rig::new("red", &[("w_q", Value::Number(0.1)), ("mean_packet", Value::Bytes(750.0))]);
        rig.arrive(10);
        let before = rig.gauge("avg");
        while rig.depart() {}
        // 250 packets of 750 bytes a second: 10.75 packets in 43 ms, so m = 10, and then the arrival itself
        rig.advance(Span::from_millis(43));
        rig.arrive(1);
        assert!((rig.gauge("avg") - before * 0.9_f64.powi(11)).abs() < 1e-12);
    }

    #[test]
    fn automatic_weight_is_that_of_the_thesis() {
        let aqm = Red::new(RedParams::from_settings(&[]).unwrap(), &thesis_link()).unwrap();
        assert!((aqm.average.filter.w_q - 0.005_319_1).abs() < 1e-7);
    }

    #[test]
    fn automatic_thresholds_keep_the_average_at_5_ms_of_the_link() {
        let auto = Value::Text("auto".into());
        let thresholds = |link: &LinkInfo, min_th: &Value, more: &[(&str, Value)]| {
            let both = [("min_th", min_th.clone()), ("max_th", auto.clone())];
            let settings: Vec<_> =
                both.iter().chain(more).map(|(name, value)| ((*name).into(), value.clone())).collect();
            let curve = Red::new(RedParams::from_settings(&settings).unwrap(), link).unwrap().curve;
            (curve.min_th, curve.max_th)
        };
        let fast =
            |rate| LinkInfo { rate: Rate::from_bits_per_second(rate), limit: Limit::Packets(1000), ..thesis_link() };
        // 100 Mb/s sends 12 500 packets of 1000 bytes a second: 5 ms are 62.5 packets, midway between 31.25 and 93.75.
        assert_eq!(thresholds(&fast(100_000_000), &auto, &[]), (31.25, 93.75));
        // At least 5 packets: 1 Mb/s has 0.3 in 2.5 ms.
        assert_eq!(thresholds(&fast(1_000_000), &auto, &[]), (5.0, 15.0));
        let bytes = [("measure_in", Value::Text("bytes".into()))];
        assert_eq!(thresholds(&fast(100_000_000), &auto, &bytes), (31_250.0, 93_750.0));
        // With only one threshold given, max_th is three times min_th.
        assert_eq!(thresholds(&fast(1_000_000), &Value::Number(20.0), &[]), (20.0, 60.0));
        // They follow the rate of the link.
        let settings = [("min_th".into(), auto.clone()), ("max_th".into(), auto.clone())];
        let mut aqm = Red::new(RedParams::from_settings(&settings).unwrap(), &fast(1_000_000)).unwrap();
        aqm.on_link(Time::ZERO, &fast(100_000_000));
        assert_eq!((aqm.curve.min_th, aqm.curve.max_th), (31.25, 93.75));
        // A threshold that does not fit is named with its number.
        let short = LinkInfo { limit: Limit::Packets(60), ..fast(100_000_000) };
        let errors = Red::new(RedParams::from_settings(&settings).unwrap(), &short).expect_err("too short");
        assert_eq!(errors[0].message, "must not be above the limit of the queue, 60 packets: \"auto\" is 93.75");
    }

    #[test]
    fn gaps_between_drops_follow_the_spacing() {
        let gaps = |word| instantaneous(&[spacing(word)]).gaps(8, 20_000);
        assert_fits(&gaps("count"), 1..=8, |_| 1.0 / 8.0);
        assert_fits(&gaps("once"), 1..=8, |_| 1.0 / 8.0);
        assert_fits(&gaps("wait"), 8..=15, |_| 1.0 / 8.0);
        assert_fits(&gaps("none"), 1..=40, |n| 0.125 * 0.875_f64.powf(f64::from(n) - 1.0));
        assert_fits(&gaps("section4"), 1..=7, |_| 1.0 / 7.0);
        assert_fits(&gaps("no_wait"), 1..=7, |_| 1.0 / 7.0);
    }

    #[test]
    fn section4_drops_nothing_once_the_average_has_overtaken_it() {
        // one packet at each length from 4 on: p_b = count/32, so that count p_b is 25/32 and p_a 5/7 at 9 packets,
        // 36/32 at 10 packets
        let survivors = (0..200).filter(|&seed| {
            let settings = [("min_th", 4.0), ("max_th", 12.0), ("max_p", 0.25), ("w_q", 1.0)];
            let mut settings: Vec<_> = settings.map(|(name, x)| (name.into(), Value::Number(x))).into();
            settings.push(("spacing".into(), Value::Text("section4".into())));
            settings.push(("guards".into(), Value::Flag(false)));
            let mut rig = Rig::on(&thesis_link(), "red", &settings, seed).unwrap();
            rig.arrive(10);
            if rig.counts.dropped_on_arrival > 0 {
                return false;
            }
            // the queue is held at 10 packets, p_b = 6/32
            for _ in 0..1000 {
                rig.arrive(1);
                rig.depart();
            }
            assert_eq!(rig.counts.dropped_on_arrival, 0);
            true
        });
        // (1 - p_a) at counts 1 to 5, p_a = (c / 32) / (1 - c^2 / 32)
        let none = |c: f64| 1.0 - (c / 32.0) / (1.0 - c * c / 32.0);
        let expected: f64 = (1..=5).map(|c| none(f64::from(c))).product();
        let share = survivors.count() as f64 / 200.0;
        assert!((share - expected).abs() < 3.0 * (expected * (1.0 - expected) / 200.0).sqrt(), "{share} {expected}");
    }

    #[test]
    fn drop_function_is_that_of_the_paper() {
        let rig = instantaneous(&[]);
        let p_b = [3.9, 4.0, 8.0, 11.0, 12.0].map(|avg| rig.drop_function(avg));
        assert_eq!(p_b, [0.0, 0.0, 0.125, 0.25 * 7.0 / 8.0, 1.0]);
    }

    #[test]
    fn nonlinear_drops_less_at_light_load_and_more_at_heavy_load() {
        // the queue held at 5 and at 11 packets, x = 1/8 and 7/8 between the thresholds: 1.5 x^2 against x
        let share = |waiting: u32, nonlinear| {
            let mut rig = instantaneous(&[spacing("none"), ("nonlinear", Value::Flag(nonlinear))]);
            1.0 / (rig.gaps(waiting, 4000).iter().map(|&gap| f64::from(gap)).sum::<f64>() / 4000.0)
        };
        for (waiting, x) in [(5, 1.0 / 8.0), (11, 7.0 / 8.0)] {
            let expected = [0.25 * x, 0.25 * 1.5 * x * x];
            for (nonlinear, expected) in [false, true].into_iter().zip(expected) {
                let seen = share(waiting, nonlinear);
                // the mean of 4000 geometric gaps lies within 4 standard deviations
                let deviation = (1.0_f64 - expected).sqrt() / 4000.0_f64.sqrt();
                assert!(
                    (seen / expected - 1.0).abs() < 4.0 * deviation,
                    "{waiting} {nonlinear}: {seen}, not {expected}"
                );
            }
            assert!((expected[1] < expected[0]) == (waiting == 5));
        }
    }

    #[test]
    fn nonlinear_and_gentle_fall_back_to_max_p_at_max_th() {
        let rig = instantaneous(&[("gentle", Value::Flag(true)), ("nonlinear", Value::Flag(true))]);
        assert!((rig.drop_function(12.0 - 1e-9) - 0.375).abs() < 1e-8);
        assert_eq!(rig.drop_function(12.0), 0.25);
    }

    #[test]
    fn scaling_by_size_takes_the_largest_or_the_mean_packet() {
        // p_b = 1/8 at 8 packets; 500 bytes are a third of the largest packet and half of the mean packet
        let gap = |scale: &str| {
            let mut rig = instantaneous(&[spacing("none"), ("scale_by_size", Value::Text(scale.into()))]);
            rig.arrive(8);
            let (mut gap, before) = (0.0, rig.counts.dropped_on_arrival);
            while rig.counts.dropped_on_arrival < before + 2000 {
                while rig.waiting() > 8 {
                    rig.depart();
                }
                rig.arrive_as(500, Ecn::Not);
                gap += 1.0 / 2000.0;
            }
            gap
        };
        for (scale, mean) in [("never", 8.0), ("p_b", 24.0), ("p_a", 16.0)] {
            let seen: f64 = gap(scale);
            assert!((seen / mean - 1.0).abs() < 0.1, "{scale}: {seen}");
        }
    }

    #[test]
    fn gentle_is_continuous_at_max_th_and_at_the_top() {
        for (top, at) in [("2max_th", 24.0), ("buffer", 35.0)] {
            let rig = instantaneous(&[("gentle", Value::Flag(true)), ("gentle_top", Value::Text(top.into()))]);
            assert!((rig.drop_function(12.0 - 1e-9) - 0.25).abs() < 1e-8);
            assert_eq!(rig.drop_function(12.0), 0.25);
            assert!((rig.drop_function(f64::midpoint(12.0, at)) - 0.625).abs() < 1e-12);
            assert!((rig.drop_function(at - 1e-9) - 1.0).abs() < 1e-8);
            assert_eq!(rig.drop_function(at), 1.0);
        }
    }

    #[test]
    fn above_the_top_every_packet_is_dropped() {
        let mut rig = Rig::new("red", &[("w_q", Value::Number(0.5))]);
        rig.arrive(400);
        assert!(rig.gauge("avg") >= 15.0);
        let queued = rig.counts.queued;
        rig.arrive(10);
        assert_eq!(rig.counts.queued, queued);
    }

    #[test]
    fn guards_spare_a_short_queue_and_the_first_packet_above_min_th() {
        let queued_of = |n, (min_th, max_th), guards| {
            let settings = [
                ("min_th", Value::Number(min_th)),
                ("max_th", Value::Number(max_th)),
                ("max_p", Value::Number(1.0)),
                ("w_q", Value::Number(1.0)),
                ("spacing", Value::Text("none".into())),
                ("guards", Value::Flag(guards)),
            ];
            let mut rig = Rig::new("red", &settings);
            rig.arrive(n);
            rig.counts.queued
        };
        // the average is above max_th from the second packet on
        assert_eq!(queued_of(10, (0.0, 0.5), true), 2);
        assert_eq!(queued_of(10, (0.0, 0.5), false), 1);
        // p_b is nearly 1 at 10 packets: the 11th packet is the first above min_th
        assert_eq!(queued_of(11, (9.5, 10.000_001), true), 11);
        assert_eq!(queued_of(11, (9.5, 10.000_001), false), 10);
    }

    #[test]
    fn marks_below_max_th_and_further_if_told() {
        let at = |waiting, mark_up_to: &str| {
            let mut rig = instantaneous(&[
                ("gentle", Value::Flag(true)),
                ("ecn", Value::Flag(true)),
                ("mark_up_to", Value::Text(mark_up_to.into())),
            ]);
            while rig.waiting() < waiting {
                rig.arrive_as(1000, Ecn::Ect0);
            }
            let before = rig.counts;
            for _ in 0..1000 {
                while rig.waiting() > waiting {
                    rig.depart();
                }
                rig.arrive_as(1000, Ecn::Ect0);
            }
            (rig.counts.marked > before.marked, rig.counts.dropped_on_arrival > before.dropped_on_arrival)
        };
        assert_eq!(at(8, "max_th"), (true, false));
        assert_eq!(at(16, "max_th"), (false, true));
        assert_eq!(at(16, "top"), (true, false));
        assert_eq!(at(30, "always"), (true, false));
    }

    #[test]
    fn a_queue_in_bytes_measures_bytes() {
        let mut rig = Rig::new("red", &[("w_q", Value::Number(1.0)), ("measure_in", Value::Text("bytes".into()))]);
        rig.arrive_as(300, Ecn::Not);
        rig.arrive_as(700, Ecn::Not);
        rig.arrive_as(1, Ecn::Not);
        assert_eq!(rig.gauge("avg"), 1000.0);
        assert!((rig.drop_function(10.0) - 0.05).abs() < 1e-12);
    }

    /// RED as a step at 6 packets, with an average that equals the queue that the packet finds.
    fn step(extra: &[(&str, Value)]) -> Rig {
        let mut settings: Vec<(&str, Value)> = vec![("spacing", Value::Text("none".into()))];
        settings.extend(
            [("min_th", 6.0), ("max_th", 6.0), ("max_p", 0.25), ("w_q", 1.0)].map(|(name, x)| (name, Value::Number(x))),
        );
        settings.extend_from_slice(extra);
        Rig::new("red", &settings)
    }

    /// With `ecn` and "always", packets are marked at the threshold and above, and none below; without ECN they are dropped.
    #[test]
    fn equal_thresholds_are_a_step() {
        for (field, expected) in [(Ecn::Ect0, (4, 0)), (Ecn::Not, (0, 4))] {
            let always = ("mark_up_to", Value::Text("always".into()));
            let mut rig = step(&[("guards", Value::Flag(false)), ("ecn", Value::Flag(true)), always]);
            // Packets that find 0 to 5 packets pass. After that, ECN-capable packets are marked, others are dropped.
            for _ in 0..10 {
                rig.arrive_as(1000, field);
            }
            assert_eq!((rig.counts.marked, rig.counts.dropped_on_arrival), expected);
        }
        assert_eq!([0.0, 5.9, 6.0, 7.0].map(|avg| step(&[]).drop_function(avg)), [0.0, 0.0, 1.0, 1.0]);
        let gentle = step(&[("gentle", Value::Flag(true))]);
        assert_eq!([5.9, 6.0, 9.0, 12.0].map(|avg| gentle.drop_function(avg)), [0.0, 0.25, 0.625, 1.0]);
    }

    #[test]
    fn contradictory_thresholds_are_refused() {
        let message = |settings: &[(&str, Value)]| {
            let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
            Red::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap_err()[0].message.clone()
        };
        assert_eq!(message(&[("min_th", Value::Number(15.5))]), "must not be above max_th, 15 packets");
        assert_eq!(message(&[("min_th", Value::Number(0.0)), ("max_th", Value::Number(0.0))]), "must be above 0");
        assert_eq!(
            message(&[("max_th", Value::Bytes(40_000.0))]),
            "must not be above the limit of the queue, 35 packets"
        );
    }
}

//! Random Early Detection (RED).
//! S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM Trans. Networking 1(4),
//! 1993; section numbers refer to it. `gentle`: S. Floyd, "Recommendation on using the gentle variant of RED", 2000.
//!
//! # Law
//! At each arrival, with the queue q that the packet finds (section 4):
//!
//! * avg = (1 - w_q) avg + w_q q; after an idle time of the link first avg = (1 - w_q)^m avg, where m packets of the
//!   typical size could have been sent;
//! * p_b = 0 for avg < min_th; max_p (avg - min_th) / (max_th - min_th) below max_th; 1 above. With `gentle`, p_b goes
//!   on from max_p at max_th to 1 at 2 max_th (or at the limit of the queue);
//! * p_a from p_b by the number of arrivals since the last drop (section 7), which spaces the drops evenly: `spacing`;
//! * drop or mark with probability p_a. A number is drawn where p_a > 0, also where p_a = 1, and none where p_a = 0;
//! * from max_th on, with `gentle` from the end of the ramp on, drop with certainty (forced), and draw none. So with
//!   max_p = 1 and `gentle` p_b is 1 on the whole ramp, but drops there are early and drawn.
//!
//! # Parameters
//! `min_th` and `max_th` bound the average queue that is wanted; `max_p` is the probability at max_th; `w_q` is the
//! weight of one arrival in the average. "auto" is 1 - exp(-1/C) for a link that sends C packets of `mean_packet` size
//! a second: a time constant of one second, about ten round trips. 0 <= min_th < max_th <= limit of the queue.
//!
//! `spacing` says how p_a follows from p_b, with n arrivals since the last drop, this one included:
//! * "count" (1993): p_b / (1 - (n - 1) p_b); gaps between drops are uniform on 1 .. 1/p_b;
//! * "wait": 0 while n p_b < 1, then p_b / (2 - n p_b), and 1 from n p_b = 2; uniform on 1/p_b .. 2/p_b - 1;
//! * "none": p_b; geometric;
//! * "section4": the algorithm as printed there, p_b / (1 - count p_b) with a count of 0 for the first packet that sees
//!   the average above min_th and 1 for the first after a drop; where that is negative nothing is dropped. At a steady
//!   average gaps are uniform on 1 .. 1/p_b - 1; once the average rises so fast that count p_b passes 1, nothing is
//!   dropped until avg reaches the point of certain drop, or falls back.
//!
//! * "once", as Linux: one number R, uniform on 0 .. 1, is drawn for each gap, which ends with the first arrival that has
//!   n p_b >= R. While p_b stays that is "count"; where it swings the drop falls on an arrival that meets a high average,
//!   thus rather on a small packet between those of windows than on these.
//!
//! # Differences
//! * `guards` are those of ns-2: nothing is dropped by the average while at most one packet waits, and the first packet
//!   that sees the average above min_th is let pass; "once" does not count it. With `measure_in = "bytes"` it is at most one byte, as in ns-2:
//!   only an empty queue is spared.
//! * The paper's sections 4 and 7 differ: in section 4 the count of the first arrival after a drop is 1, so that gaps
//!   end at 1/p_b - 1; in section 7 and "count" here they end at 1/p_b. Section 4 leaves open what a negative p_a
//!   means: "section4" never drops there, as ns-2's WRED.
//! * With `measure_in = "bytes"` p_b is not scaled by the size of the packet.
//! * The paper leaves open what happens to ECN-capable packets above max_th; `mark_up_to` says it. "max_th" marks below
//!   max_th only, as the ns-2 of 2003 did. "max_p" marks while p_b is below the present max_p; ns-2.35 compares p_b
//!   with a number of its own, `mark_p_`. They differ only where an adaptive law has raised max_p above the start of
//!   the ramp: "max_p" then marks beyond max_th, too.
//! * Linux 6.1 is `measure_in = "bytes"`, `spacing = "once"` with `guards`, `w_q` a power of a half, and with ECN
//!   `mark_up_to = "always"`: its losses, marks and delays under a flood are met (`tests/linux_open_loop.rs`).
//! * `whole_average`: avg = avg + w_q (q - floor(avg)), as if the average were kept in whole units of w_q. It stands half a
//!   packet above the real one, or half a byte. Linux 6.1 has it, which shows where the queue is measured in packets (CHOKe).

use crate::aqm::{Aqm, Backlog, Cause, Cx, LinkInfo, Verdict};
use crate::scheme::{Law, Picture, SchemeInfo, boxed, module_doc};
use alloc::format;
use alloc::vec::Vec;
use penstock_core::param::{Auto, Default, Length, ParamError, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Rng, Time, math};
use penstock_model::red_weight;

/// Two numbers nearer than this are one.
const ROUNDING: f64 = 1e-9;

penstock_core::choice! {
    /// How the probability of this drop follows from p_b and the arrivals since the last drop.
    pub enum Spacing {
        /// Gaps uniform on 1/p_b .. 2/p_b - 1.
        Wait = "wait",
        /// Gaps uniform on 1 .. 1/p_b.
        Count = "count",
        /// Gaps geometric.
        None = "none",
        /// Gaps uniform on 1 .. 1/p_b - 1: the algorithm of section 4 to the letter.
        Section4 = "section4",
        /// Gaps uniform on 1 .. 1/p_b, from one number drawn for each.
        Once = "once",
    }
}

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
    /// What the queue is measured in.
    pub enum MeasureIn {
        /// Waiting packets.
        Packets = "packets",
        /// Waiting bytes.
        Bytes = "bytes",
    }
}

penstock_core::choice! {
    /// Up to where ECN-capable packets are marked instead of dropped.
    pub enum MarkUpTo {
        /// While the average is below max_th.
        MaxTh = "max_th",
        /// While p_b is below the present max_p.
        MaxP = "max_p",
        /// Wherever p_b is below 1.
        Top = "top",
        /// Everywhere, also where every packet is meant (Linux without "harddrop").
        Always = "always",
    }
}

penstock_core::params! {
    /// Parameters of RED.
    pub struct RedParams {
        /// Average queue from which on packets are dropped.
        min_th: Length = Default::Number(5.0), unit: "packets", at_least: 0.0;
        /// Average queue at which the drop probability reaches max_p.
        max_th: Length = Default::Number(15.0), unit: "packets", at_least: 0.0;
        /// Drop probability at max_th.
        max_p: f64 = Default::Number(0.1), range: 0.0..=1.0;
        /// Weight of one arrival in the average queue; "auto" gives a time constant of one second.
        w_q: Auto<f64> = Default::Text("auto"), range: 0.0..=1.0;
        /// Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle: bool = Default::Flag(false);
        /// Where the gentle ramp reaches 1.
        gentle_top: GentleTop = Default::Text("2max_th");
        /// How drops are spaced.
        spacing: Spacing = Default::Text("wait");
        /// No drop by the average while at most one packet (or one byte, if bytes are measured) waits, nor of the first
        /// packet above min_th (ns-2).
        guards: bool = Default::Flag(true);
        /// Typical packet, for the idle time and for w_q "auto".
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Whether queue and thresholds count packets or bytes.
        measure_in: MeasureIn = Default::Text("packets");
        /// At each arrival w_q times the whole part of avg is taken off, instead of w_q avg (Linux).
        whole_average: bool = Default::Flag(false);
        /// Mark ECN-capable packets instead of dropping them early.
        ecn: bool = Default::Flag(false);
        /// Up to where packets are marked.
        mark_up_to: MarkUpTo = Default::Text("max_th");
    }
}

/// What follows from the parameters and the link, in the unit that the queue is measured in.
#[derive(Clone, Debug)]
struct Derived {
    min_th: f64,
    max_th: f64,
    /// Average from which on p_b = 1.
    top: f64,
    /// Averages at which the line below max_th and the ramp above it start: min_th and max_th, where an adaptive law has
    /// not moved those alone.
    line_from: f64,
    ramp_from: f64,
    w_q: f64,
    /// 1 / (max_th - min_th)
    slope: f64,
    /// 1 / (top - max_th)
    ramp_slope: f64,
    /// Typical packets that the link sends in a second.
    capacity: f64,
}

#[derive(Clone, Debug)]
struct RedVars {
    avg: f64,
    /// Arrivals since the last drop, the present one included, as far as they met an average above min_th.
    count: u32,
    /// "once": the n p_b that ends the gap.
    drawn: f64,
    /// Whether the last arrival met an average above min_th and a queue of more than one.
    above: bool,
    idle_since: Option<Time>,
    /// max_p at present: an adaptive law moves it.
    max_p: f64,
    /// p_b at max_th, where the gentle ramp starts.
    ramp_start: f64,
}

/// Random Early Detection.
#[derive(Clone, Debug)]
pub struct Red {
    params: RedParams,
    derived: Derived,
    vars: RedVars,
}

impl Red {
    /// The law on this link; all contradictions in `params`, if there are any.
    pub fn new(params: RedParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        let derived = Derived::new(&params, link);
        let errors = derived.errors(&params, link);
        if !errors.is_empty() {
            return Err(errors);
        }
        let max_p = params.max_p;
        // The link is idle from the start.
        let vars = RedVars {
            avg: 0.0,
            count: 0,
            drawn: 1.0,
            above: false,
            idle_since: Some(Time::ZERO),
            max_p,
            ramp_start: max_p,
        };
        Ok(Self { params, derived, vars })
    }

    /// The queue, in the unit it is measured in.
    #[inline]
    pub(crate) fn length(&self, queue: &Backlog) -> f64 {
        match self.params.measure_in {
            MeasureIn::Packets => f64::from(queue.packets),
            MeasureIn::Bytes => queue.bytes as f64,
        }
    }

    /// Section 4: the low-pass filter, with the idle time made up for.
    #[inline]
    pub(crate) fn update_average(&mut self, now: Time, q: f64) {
        let w_q = self.derived.w_q;
        if let Some(since) = self.vars.idle_since.take() {
            let m = math::floor(now.since(since).as_secs() * self.derived.capacity);
            self.vars.avg *= math::pow(1.0 - w_q, m);
        }
        self.vars.avg = if self.params.whole_average {
            (self.vars.avg + w_q * (q - math::floor(self.vars.avg + ROUNDING))).max(0.0)
        } else {
            (1.0 - w_q) * self.vars.avg + w_q * q
        };
    }

    /// No idle time is to be made up for.
    pub(crate) fn forget_idle(&mut self) {
        self.vars.idle_since = None;
    }

    /// The verdict on a packet that finds the queue `q`; the average is up to date.
    #[inline]
    pub(crate) fn judge(&mut self, q: f64, rng: &mut Rng) -> Verdict {
        let avg = self.vars.avg;
        if avg < self.derived.min_th || (self.params.guards && q <= 1.0) {
            self.vars.count = 0;
            self.vars.above = false;
            return Verdict::Pass;
        }
        if avg >= self.derived.top {
            self.restart_count();
            let marks = self.params.ecn && self.params.mark_up_to == MarkUpTo::Always;
            return if marks { Verdict::Mark(Cause::Forced) } else { Verdict::Drop(Cause::Forced) };
        }
        if self.params.guards && !self.vars.above {
            self.vars.above = true;
            self.vars.count = u32::from(self.params.spacing != Spacing::Once);
            return Verdict::Pass;
        }
        self.vars.count = self.vars.count.saturating_add(1);
        let p_b = self.p_b(avg);
        if !self.ends_gap(p_b, rng) {
            return Verdict::Pass;
        }
        self.restart_count();
        let marks = match self.params.mark_up_to {
            MarkUpTo::MaxTh => avg < self.derived.max_th,
            MarkUpTo::MaxP => p_b < self.vars.max_p,
            MarkUpTo::Top | MarkUpTo::Always => true,
        };
        if self.params.ecn && marks { Verdict::Mark(Cause::Early) } else { Verdict::Drop(Cause::Early) }
    }

    /// Whether the arrival at hand is dropped.
    #[inline]
    fn ends_gap(&mut self, p_b: f64, rng: &mut Rng) -> bool {
        let n = self.vars.count;
        if self.params.spacing == Spacing::Once {
            if n == 1 {
                self.vars.drawn = rng.uniform();
            }
            return f64::from(n) * p_b >= self.vars.drawn;
        }
        let p_a = self.params.spacing.p_a(p_b, n);
        p_a > 0.0 && rng.chance(p_a)
    }

    /// Section 4: the initial probability, from the average alone.
    #[inline]
    pub(crate) fn p_b(&self, avg: f64) -> f64 {
        let Derived { min_th, max_th, top, line_from, ramp_from, slope, ramp_slope, .. } = self.derived;
        if avg < min_th {
            0.0
        } else if avg >= top {
            1.0
        } else if avg < max_th {
            // an adaptive law may move max_p beyond 1
            (self.vars.max_p * (avg - line_from) * slope).clamp(0.0, 1.0)
        } else {
            (self.vars.ramp_start + (1.0 - self.vars.ramp_start) * (avg - ramp_from) * ramp_slope).clamp(0.0, 1.0)
        }
    }

    pub(crate) fn params(&self) -> &RedParams {
        &self.params
    }

    /// Other parameters, which count from the next `on_link`.
    pub(crate) fn set_params(&mut self, params: RedParams) {
        self.params = params;
    }

    pub(crate) fn avg(&self) -> f64 {
        self.vars.avg
    }

    /// w_q, and typical packets that the link sends in a second.
    pub(crate) fn filter(&self) -> (f64, f64) {
        (self.derived.w_q, self.derived.capacity)
    }

    /// Take over an average, from a law that keeps one for several levels.
    pub(crate) fn set_avg(&mut self, avg: f64) {
        self.vars.avg = avg;
    }

    /// Arrivals since the last drop, as far as they met an average above min_th.
    pub(crate) fn count(&self) -> u32 {
        self.vars.count
    }

    /// Correct the arrivals since the last drop: for a drop by another rule, or one that could not be carried out.
    pub(crate) fn set_count(&mut self, count: u32) {
        self.vars.count = count;
    }

    /// A packet was dropped: count from here.
    pub(crate) fn restart_count(&mut self) {
        self.vars.count = u32::from(self.params.spacing == Spacing::Section4);
    }

    pub(crate) fn min_th(&self) -> f64 {
        self.derived.min_th
    }

    pub(crate) fn max_th(&self) -> f64 {
        self.derived.max_th
    }

    /// Move the thresholds, for an adaptive law that owns this one. The next `on_link` puts them back.
    pub(crate) fn set_thresholds(&mut self, min_th: f64, max_th: f64) {
        let Derived { w_q, capacity, .. } = self.derived;
        self.derived = Derived::of(min_th, max_th, self.top(max_th), w_q, capacity);
    }

    /// Move the thresholds, but neither the line between them nor the ramp above: they only say where either counts.
    pub(crate) fn set_ends(&mut self, min_th: f64, max_th: f64) {
        self.derived = Derived { min_th, max_th, top: self.top(max_th), ..self.derived };
    }

    fn top(&self, max_th: f64) -> f64 {
        match (self.params.gentle, self.params.gentle_top) {
            (false, _) => max_th,
            (true, GentleTop::TwiceMaxTh) => 2.0 * max_th,
            (true, GentleTop::Buffer) => self.derived.top,
        }
    }

    pub(crate) fn max_p(&self) -> f64 {
        self.vars.max_p
    }

    /// Move max_p, for an adaptive law that owns this one. The gentle ramp goes on from where it starts.
    pub(crate) fn set_max_p(&mut self, max_p: f64) {
        self.vars.max_p = max_p;
    }

    /// Let the gentle ramp start at the present max_p.
    pub(crate) fn start_ramp_at_max_p(&mut self) {
        self.vars.ramp_start = self.vars.max_p.min(1.0);
    }
}

impl Spacing {
    /// Section 7: the probability for this packet, from `count` arrivals since the last drop.
    #[inline]
    pub(crate) fn p_a(self, p_b: f64, count: u32) -> f64 {
        let n = f64::from(count);
        match self {
            Self::None => p_b,
            // method 2 of section 7; at a denominator of 0 or less the drop is certain
            Self::Count | Self::Once if (n - 1.0) * p_b < 1.0 => (p_b / (1.0 - (n - 1.0) * p_b)).min(1.0),
            Self::Wait if n * p_b < 1.0 => 0.0,
            Self::Wait if n * p_b < 2.0 => (p_b / (2.0 - n * p_b)).min(1.0),
            Self::Count | Self::Wait | Self::Once => 1.0,
            // n - 1 is section 4's count, as `restart_count` starts it; where it is 1/p_b, but for rounding, p_a is
            // infinite
            Self::Section4 if (n - 1.0) * p_b < 1.0 - ROUNDING => (p_b / (1.0 - (n - 1.0) * p_b)).min(1.0),
            Self::Section4 if (n - 1.0) * p_b <= 1.0 + ROUNDING => 1.0,
            Self::Section4 => 0.0,
        }
    }

    /// The p_b at which a share `p` of all arrivals is dropped, 0 .. 1: 1/p is the mean of the gaps above.
    pub(crate) fn p_b_for(self, p: f64) -> f64 {
        match self {
            Self::None => p,
            Self::Count | Self::Once => p / (2.0 - p),
            Self::Wait => 3.0 * p / (2.0 + p),
            Self::Section4 => p / 2.0,
        }
    }
}

impl Derived {
    fn new(params: &RedParams, link: &LinkInfo) -> Self {
        let mean_packet = params.mean_packet;
        let capacity = link.rate.packets_per_second(mean_packet);
        let w_q = match params.w_q {
            Auto::Value(w_q) => w_q,
            Auto::Auto => red_weight::weight(capacity, 1.0),
        };
        let (min_th, max_th) = (params.in_unit(params.min_th), params.in_unit(params.max_th));
        let top = match (params.gentle, params.gentle_top) {
            (false, _) => max_th,
            (true, GentleTop::TwiceMaxTh) => 2.0 * max_th,
            (true, GentleTop::Buffer) => params.limit(link),
        };
        Self::of(min_th, max_th, top, w_q, capacity)
    }

    fn of(min_th: f64, max_th: f64, top: f64, w_q: f64, capacity: f64) -> Self {
        Self {
            min_th,
            max_th,
            top,
            line_from: min_th,
            ramp_from: max_th,
            w_q,
            slope: 1.0 / (max_th - min_th),
            ramp_slope: 1.0 / (top - max_th),
            capacity,
        }
    }

    /// 0 <= min_th < max_th <= limit of the queue.
    fn errors(&self, params: &RedParams, link: &LinkInfo) -> ParamErrors {
        let unit = params.measure_in.word();
        let limit = params.limit(link);
        let mut errors = Vec::new();
        if self.max_th > limit {
            errors.push(ParamError::new(
                "max_th",
                format!("is {} {unit}: it must not be above the limit of the queue, {limit} {unit}", self.max_th),
            ));
        }
        if self.min_th >= self.max_th {
            let (min_th, max_th) = (self.min_th, self.max_th);
            errors.push(ParamError::new(
                "min_th",
                format!("is {min_th} {unit}: it must be below max_th, {max_th} {unit}"),
            ));
        }
        if params.gentle && params.gentle_top == GentleTop::Buffer && limit.is_infinite() {
            errors.push(ParamError::new(
                "gentle_top",
                "is \"buffer\": it must be \"2max_th\" where the queue has no limit",
            ));
        }
        errors
    }
}

impl RedParams {
    /// A length in the unit that the queue is measured in.
    pub(crate) fn in_unit(&self, length: Length) -> f64 {
        let mean_packet = self.mean_packet.0 as f64;
        match (length, self.measure_in) {
            (Length::Packets(packets), MeasureIn::Packets) => packets,
            (Length::Packets(packets), MeasureIn::Bytes) => packets * mean_packet,
            (Length::Bytes(bytes), MeasureIn::Packets) => bytes / mean_packet,
            (Length::Bytes(bytes), MeasureIn::Bytes) => bytes,
        }
    }

    /// The limit of the queue in the unit it is measured in.
    pub(crate) fn limit(&self, link: &LinkInfo) -> f64 {
        link.limit.in_packets(self.mean_packet).map_or(f64::INFINITY, |packets| self.in_unit(Length::Packets(packets)))
    }
}

impl Aqm for Red {
    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) -> Verdict {
        let q = self.length(&cx.queue);
        self.update_average(cx.now, q);
        self.judge(q, cx.rng)
    }

    fn on_overflow(&mut self, _cx: &mut Cx<'_>, _packet: &PacketMeta) {
        self.restart_count();
    }

    fn on_idle(&mut self, now: Time) {
        self.vars.idle_since.get_or_insert(now);
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.derived = Derived::new(&self.params, link);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("avg", self.vars.avg);
        show("p_b", self.p_b(self.vars.avg));
        show("max_p", self.vars.max_p);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        Some(self.p_b(self.params.in_unit(Length::Packets(average))))
    }
}

impl Law for Red {
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
        build_law: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "A short queue at light load, and with gentle = true 80 to 95 % of losses come alone.",
        bad: "The average queue depends on the load: many flows pin it at max_th, where the strict form drops in \
              bursts.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Self::new(RedParams::from_settings(settings)?, link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, assert_fits, thesis_link};
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Span};

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
        let law = Red::new(RedParams::from_settings(&[]).unwrap(), &thesis_link()).unwrap();
        assert!((law.derived.w_q - 0.005_319_1).abs() < 1e-7);
    }

    #[test]
    fn gaps_with_count_are_uniform_from_1() {
        let gaps = instantaneous(&[spacing("count")]).gaps(8, 20_000);
        assert_fits(&gaps, 1..=8, |_| 1.0 / 8.0);
    }

    #[test]
    fn gaps_with_wait_are_uniform_from_the_inverse_of_p_b() {
        let gaps = instantaneous(&[spacing("wait")]).gaps(8, 20_000);
        assert_fits(&gaps, 8..=15, |_| 1.0 / 8.0);
    }

    #[test]
    fn gaps_with_none_are_geometric() {
        let gaps = instantaneous(&[spacing("none")]).gaps(8, 20_000);
        assert_fits(&gaps, 1..=40, |n| 0.125 * 0.875_f64.powf(f64::from(n) - 1.0));
    }

    #[test]
    fn gaps_with_section4_end_one_earlier_than_with_count() {
        let gaps = instantaneous(&[spacing("section4")]).gaps(8, 20_000);
        assert_fits(&gaps, 1..=7, |_| 1.0 / 7.0);
    }

    #[test]
    fn section4_by_hand() {
        // p_b = 1/8: after a drop the counts are 1 to 7, p_a = 1/(8 - count)
        let p_a = |n| Spacing::Section4.p_a(0.125, n);
        let by_hand = [1.0 / 8.0, 1.0 / 7.0, 1.0 / 6.0, 1.0 / 5.0, 1.0 / 4.0, 1.0 / 3.0, 1.0 / 2.0, 1.0, 1.0];
        for (n, by_hand) in (1..).zip(by_hand) {
            assert!((p_a(n) - by_hand).abs() < 1e-15);
        }
        // 9/8: negative
        assert_eq!((p_a(10), p_a(1000)), (0.0, 0.0));
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
            // held at 10 packets, p_b = 6/32
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

    #[test]
    fn contradictory_thresholds_are_refused() {
        let message = |settings: &[(&str, Value)]| {
            let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
            Red::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap_err()[0].message.clone()
        };
        assert_eq!(message(&[("min_th", Value::Number(15.0))]), "is 15 packets: it must be below max_th, 15 packets");
        assert_eq!(
            message(&[("max_th", Value::Bytes(40_000.0))]),
            "is 40 packets: it must not be above the limit of the queue, 35 packets"
        );
    }
}

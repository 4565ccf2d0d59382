//! DualPI2: the DualQ Coupled PI2 queue for L4S and Classic traffic.
//! K. De Schepper, B. Briscoe, G. White, "Dual-Queue Coupled Active Queue Management (AQM) for Low Latency, Low Loss, and
//! Scalable Throughput (L4S)", RFC 9332, 2023, appendix A; figure numbers refer to it.
//!
//! # Algorithm
//! Packets with ECT(1) or CE wait in the L4S queue, all others in the Classic queue. Every T_update (figure 8):
//!
//! * curq = waiting time of the older of the two head packets, 0 if both queues are empty;
//! * p' = p' + alpha (curq - target) + beta (curq - prevq), kept within 0 .. 1; prevq = curq;
//! * p_CL = k p' for L4S, at most p_Lmax = 1; p_C = p'^2 for Classic packets.
//!
//! The AQMs judge a packet when it leaves (figure 7). `recur(q, x)` adds x to the counter of queue q; if the counter
//! exceeds 1, it is reduced by 1 and `recur` is true. It is thus true for a fraction x of the packets, evenly spaced.
//! No random number is drawn.
//!
//! * L4S, p_CL < p_Lmax: mark if recur(lq, max(p'_L, p_CL)). p'_L is 0 while at most `th_len` packets wait; otherwise
//!   it rises from 0 at a delay of `min_th` to 1 at min_th + `range` (figure 5).
//! * L4S in overload, p_CL = p_Lmax: drop if recur(lq, p_C), else mark if recur(lq, p_CL).
//! * Classic: if recur(cq, p_C), mark; drop if the packet is not ECN-capable or p_C >= p_Cmax = min(1/k^2, 1).
//! * ECT(1) in the Classic queue (`c_dscp`; section 2.5.1.1): as L4S, with p_CL in place of max(p'_L, p_CL).
//! * ECT(0) or Not-ECT in the L4S queue (`l_dscp`; section 2.5.1.1): as Classic, with (max(p'_L, p_CL) / k)^2 in place of
//!   p_C, or with p_C if that is higher.
//!
//! The scheduler is weighted round robin with a small share for the Classic queue, or a time-shifted FIFO. The
//! scheduler protects against bursts; the coupling, sqrt(p_C) = p_CL / k, balances the rates of the flows.
//!
//! # Parameters
//! `target` is the target delay of the Classic queue. `interval` is T_update; the gains `alpha` and `beta` are per
//! second of delay. "auto" sets `interval`, `alpha` and `beta` to min(target, rtt_max / 3), 0.1 interval / rtt_max^2
//! and 0.3 / rtt_max, which is stable up to round trips of `rtt_max`. The RFC recommends a limit of 250 ms at the
//! link's rate; here the shared limit of the queue applies. `min_th` should exceed the transmission time of two
//! packets. With `ecn = false` the scheme is PI2 for Classic traffic.
//!
//! # Differences
//! * The RFC does not specify whether len() counts the departing packet. Here it does: as in the text of the RFC and in
//!   Linux, the ramp does not mark a packet that was alone in its queue.
//! * For Classic packets in the L4S queue, the RFC requires a probability that suits Classic congestion control and the
//!   target delay of that queue, but gives no formula. Here it is (p'_L / k)^2, by analogy with the coupling; it equals
//!   p_C unless p'_L exceeds p_CL.
//! * Packets with the ECN field of the other queue have a `recur` counter of their own in each queue, so that two
//!   probabilities never share a counter and create a pattern.
//! * p_CL, printed as k p' in the RFC, is limited to 1, so that no marks are left over when an overload ends.
//! * Linux has two additions. One is implemented: the credit of the round robin changes only while both queues hold
//!   packets, and is set in favour of L4S when the link is idle. The other is not: Linux neither marks nor drops while
//!   less than two full packets wait.
//! * The RFC prints alpha = 0.16 and beta = 3.2, rounded up for an interval of 16 ms; its formulas give 0.15 and 3.0 at
//!   15 ms.

use super::dual_queue::{Coupled, DualParams, DualQueue, Head, is_l4s, read_dual};
use super::{Discipline, Probe};
use crate::aqm::{Cause, Verdict};
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use penstock_core::param::{Auto, Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len};
use penstock_core::{Ecn, Packet, Rng, Span, Time};
use penstock_model::pie_design;

penstock_core::params! {
    /// Parameters of DualPI2's AQMs.
    pub struct DualPi2Params {
        /// Target delay of the Classic queue.
        target: Span = Default::Nanos(15_000_000), unit: "s", range: 0.000_001..=10.0;
        /// Longest round trip for which the gains are stable.
        rtt_max: Span = Default::Nanos(100_000_000), unit: "s", range: 0.000_01..=100.0;
        /// T_update, the time between updates of p'; "auto" is min(target, rtt_max / 3).
        interval: Auto<Span> = Default::Text("auto"), unit: "s", range: 0.000_001..=10.0;
        /// Integral gain, per second of delay; "auto" is 0.1 interval / rtt_max^2.
        alpha: Auto<f64> = Default::Text("auto"), unit: "Hz", range: 0.0..=1e9;
        /// Proportional gain, per second of delay; "auto" is 0.3 / rtt_max.
        beta: Auto<f64> = Default::Text("auto"), unit: "Hz", range: 0.0..=1e9;
        /// Coupling factor.
        k: f64 = Default::Number(2.0), range: 0.1..=100.0;
        /// Delay at which the marking of L4S packets begins.
        min_th: Span = Default::Nanos(800_000), unit: "s", range: 0.0..=10.0;
        /// Width of the marking ramp above min_th; 0: a step.
        range: Span = Default::Nanos(400_000), unit: "s", range: 0.0..=10.0;
        /// The ramp marks only while more than this many packets wait in the L4S queue.
        th_len: u32 = Default::Number(1.0), unit: "packets", range: 0.0..=1e6;
    }
}

const PARAMS: [ParamInfo; inherited_len(DualPi2Params::INFO, DualParams::INFO)] =
    inherit(DualPi2Params::INFO, DualParams::INFO, &[]);

/// Maximum marking probability of the L4S queue, at which the queue also drops packets.
const P_LMAX: f64 = 1.0;

/// The coupled AQMs of DualPI2.
#[derive(Clone)]
pub struct DualPi2Laws {
    params: DualPi2Params,
    alpha: f64,
    beta: f64,
    p_cmax: f64,
    ticker: PeriodicTimer,
    /// p'
    p: f64,
    p_cl: f64,
    p_c: f64,
    prevq: f64,
    lq_count: f64,
    cq_count: f64,
    /// For packets with the ECN field of the other queue.
    lq_other_count: f64,
    cq_other_count: f64,
}

impl DualPi2Laws {
    fn new(params: DualPi2Params, now: Time) -> Self {
        let (target, rtt_max) = (params.target.as_secs(), params.rtt_max.as_secs());
        let interval = match params.interval {
            Auto::Auto => Span::from_secs(pie_design::dualpi2_period(target, rtt_max)),
            Auto::Value(interval) => interval,
        };
        let rule = pie_design::dualpi2(interval.as_secs(), rtt_max);
        let or = |gain, rule: f64| if let Auto::Value(gain) = gain { gain } else { rule };
        Self {
            alpha: or(params.alpha, rule.alpha),
            beta: or(params.beta, rule.beta),
            p_cmax: (1.0 / (params.k * params.k)).min(1.0),
            ticker: PeriodicTimer::new(now, interval),
            params,
            p: 0.0,
            p_cl: 0.0,
            p_c: 0.0,
            prevq: 0.0,
            lq_count: 0.0,
            cq_count: 0.0,
            lq_other_count: 0.0,
            cq_other_count: 0.0,
        }
    }

    /// Figure 5: the native AQM of the L4S queue.
    #[inline]
    fn laqm(&self, qdelay: Span) -> f64 {
        let DualPi2Params { min_th, range, .. } = self.params;
        if qdelay >= min_th + range {
            1.0
        } else if qdelay > min_th {
            (qdelay.as_secs() - min_th.as_secs()) / range.as_secs()
        } else {
            0.0
        }
    }
}

/// Figure 4, lines 23-30: true for this fraction of the calls, evenly spaced.
fn recur(count: &mut f64, likelihood: f64) -> bool {
    *count += likelihood;
    if *count > 1.0 {
        *count -= 1.0;
        return true;
    }
    false
}

/// Figure 7, lines 5-8: the response for a scalable congestion control, with probability `p_l` of a mark. In overload
/// `p_c` is the probability of a drop.
fn judge_scalable(count: &mut f64, p_l: f64, overload: Option<f64>) -> Verdict {
    if overload.is_some_and(|p_c| recur(count, p_c)) {
        Verdict::Drop(Cause::Sojourn)
    } else if recur(count, p_l) {
        Verdict::Mark(Cause::Sojourn)
    } else {
        Verdict::Pass
    }
}

/// Figure 7, lines 11-17: the response for a Classic congestion control, with probability `p_c` of a mark, or of a drop if
/// `drops`.
fn judge_for_classic(count: &mut f64, p_c: f64, drops: bool) -> Verdict {
    if !recur(count, p_c) {
        Verdict::Pass
    } else if drops {
        Verdict::Drop(Cause::Sojourn)
    } else {
        Verdict::Mark(Cause::Sojourn)
    }
}

impl DualPi2Laws {
    /// p_C in overload, when L4S packets are dropped too.
    fn overload(&self) -> Option<f64> {
        (self.p_cl >= P_LMAX).then_some(self.p_c)
    }

    /// Whether a packet that gets the response for Classic congestion control is dropped instead of marked.
    fn drops(&self, ecn: Ecn) -> bool {
        ecn == Ecn::Not || self.p_c >= self.p_cmax
    }
}

impl Coupled for DualPi2Laws {
    const HAS_TIMER: bool = true;

    /// Figure 7, lines 4b-8j; section 2.5.1.1 for Classic packets.
    #[inline]
    fn judge_l4s(&mut self, head: &Head, _rng: &mut Rng) -> Verdict {
        let p_l_native = if head.len > self.params.th_len { self.laqm(head.sojourn) } else { 0.0 };
        let p_l = p_l_native.max(self.p_cl);
        if is_l4s(head.ecn) {
            let overload = self.overload();
            return judge_scalable(&mut self.lq_count, p_l, overload);
        }
        let (sqrt_p, drops) = (p_l / self.params.k, self.drops(head.ecn));
        judge_for_classic(&mut self.lq_other_count, (sqrt_p * sqrt_p).clamp(self.p_c, 1.0), drops)
    }

    /// Figure 7, lines 11-17; section 2.5.1.1 for ECT(1).
    #[inline]
    fn judge_classic(&mut self, head: &Head, _rng: &mut Rng) -> Verdict {
        if head.ecn == Ecn::Ect1 {
            let overload = self.overload();
            return judge_scalable(&mut self.cq_other_count, self.p_cl, overload);
        }
        let drops = self.drops(head.ecn);
        judge_for_classic(&mut self.cq_count, self.p_c, drops)
    }

    fn next_timeout(&self) -> Option<Time> {
        self.ticker.next()
    }

    /// Figure 8.
    fn update(&mut self, now: Time, cq_time: Span, lq_time: Span) {
        let curq = cq_time.max(lq_time).as_secs();
        let step = self.alpha * (curq - self.params.target.as_secs()) + self.beta * (curq - self.prevq);
        self.p = (self.p + step).clamp(0.0, 1.0);
        self.p_cl = (self.params.k * self.p).min(P_LMAX);
        self.p_c = self.p * self.p;
        self.prevq = curq;
        self.ticker.advance(now);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("p", self.p);
        show("p_c", self.p_c);
        show("p_cl", self.p_cl);
    }
}

/// DualPI2.
pub(crate) struct DualPi2;

/// The two queues of DualPI2.
pub type DualPi2Queues<P> = DualQueue<P, DualPi2Laws>;

impl Scheme for DualPi2 {
    const INFO: SchemeInfo = SchemeInfo {
        name: "dualpi2",
        aliases: &["dual-pi2"],
        family: "L4S",
        title: "DualQ Coupled PI2",
        source: "K. De Schepper, B. Briscoe, G. White, RFC 9332, 2023, appendix A",
        doc: module_doc!("dualpi2.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time, O(n) memory in waiting packets",
        build_aqm: None,
        picture: Picture::Response,
        good: "Keeps the queueing delay of scalable traffic below a millisecond next to Classic traffic, which gets an \
              equal share.",
        bad: "Trusts the ECN field: Classic traffic marked ECT(1) by mistake takes more than its share; round trips \
              longer than rtt_max make it swing.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, now, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let (aqms, dual): (DualPi2Params, DualParams) = read_dual(settings, &PARAMS)?;
        Ok(Box::new(DualQueue::new(dual, DualPi2Laws::new(aqms, now), link)))
    }
}

#[cfg(test)]
mod tests {
    use crate::aqm::Cause;
    use crate::discipline::test_harness::{Bench, Fate};
    use penstock_core::param::Value;
    use penstock_core::{Ecn, PacketMeta, Rng, Span};
    use std::collections::VecDeque;

    fn packet() -> PacketMeta {
        PacketMeta { flow: 0, size: 1000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None }
    }

    fn ms(ms: u64) -> Span {
        Span::from_millis(ms)
    }

    #[test]
    fn the_gains_follow_from_the_round_trip() {
        let mut bench = Bench::new("dualpi2", &[]);
        bench.arrive_as(1000, Ecn::Not);
        bench.advance(ms(15));
        // the head has waited 15 ms: 0.15 (15 - 15) ms + 3.0 (15 - 0) ms
        assert!((bench.gauge("p") - 0.045).abs() < 1e-12);
        bench.advance(ms(15));
        // + 0.15 (30 - 15) ms + 3.0 (30 - 15) ms
        assert!((bench.gauge("p") - (0.045 + 0.002_25 + 0.045)).abs() < 1e-12);
        assert!((bench.gauge("p_cl") - 2.0 * 0.092_25).abs() < 1e-12);
        assert!((bench.gauge("p_c") - 0.092_25 * 0.092_25).abs() < 1e-12);
    }

    #[test]
    fn at_16_ms_they_are_the_printed_ones() {
        let mut bench = Bench::new("dualpi2", &[("interval", Value::Time(ms(16))), ("rtt_max", Value::Time(ms(100)))]);
        bench.arrive_as(1000, Ecn::Not);
        bench.advance(ms(16));
        // alpha = 0.1 16 ms / (100 ms)^2 = 0.16, as printed; beta = 3.0, printed as 3.2
        assert!((bench.gauge("p") - (0.16 * 0.001 + 3.0 * 0.016)).abs() < 1e-12);
    }

    #[test]
    fn an_empty_queue_brings_p_back_to_zero() {
        let mut bench = Bench::new("dualpi2", &[]);
        bench.arrive_as(1000, Ecn::Ect1);
        bench.advance(ms(300));
        assert!(bench.gauge("p") > 0.5);
        bench.depart();
        bench.advance(ms(10_000));
        assert_eq!(bench.gauge("p"), 0.0);
    }

    #[test]
    fn the_ramp_marks_between_its_thresholds() {
        let mut bench = Bench::new("dualpi2", &[]);
        let marks_after = |bench: &mut Bench, micros: u64, n: usize| {
            let before = bench.count(Fate::Marked);
            for _ in 0..n {
                bench.arrive_as(1000, Ecn::Ect1);
                bench.arrive_as(1000, Ecn::Ect1);
                bench.advance(Span::from_micros(micros));
                bench.depart();
                bench.depart();
            }
            bench.count(Fate::Marked) - before
        };
        // the first packet of each pair is not alone in the queue; p'_L is 0, 0.6 and 1; 39 x 0.6 = 23.4
        assert_eq!(marks_after(&mut bench, 800, 10), 0);
        assert_eq!(marks_after(&mut bench, 1040, 39), 23);
        assert_eq!(marks_after(&mut bench, 1200, 10), 10);
    }

    #[test]
    fn a_packet_that_was_alone_is_not_marked_by_the_ramp() {
        let mut bench = Bench::new("dualpi2", &[]);
        for _ in 0..100 {
            bench.arrive_as(1000, Ecn::Ect1);
            bench.advance(ms(5));
            bench.depart();
        }
        assert_eq!(bench.count(Fate::Marked), 0);
    }

    /// The numbers of marked and dropped packets, of 400 with this ECN field and codepoint, in a queue with p' = `p`.
    /// Codepoint 45 belongs to the L4S queue and codepoint 8 to the Classic queue. Each packet waits 0.6 ms, which the
    /// ramp ignores.
    fn fates_of(p: f64, ecn: Ecn, dscp: u8) -> (usize, usize) {
        // With alpha = 1 the first update sets p' to the waiting time less the target, in seconds.
        let codepoints = |dscp| Value::Numbers(vec![dscp]);
        let settings = [
            ("target", Value::Time(Span::from_micros(1))),
            ("alpha", Value::Number(1.0)),
            ("beta", Value::Number(0.0)),
            ("interval", Value::Time(Span::from_secs(p + 1e-6))),
            ("l_dscp", codepoints(45.0)),
            ("c_dscp", codepoints(8.0)),
        ];
        let mut bench = Bench::new("dualpi2", &settings);
        bench.arrive_as(1000, Ecn::Not);
        bench.advance(Span::from_secs(p + 1e-6));
        assert!((bench.gauge("p") - p).abs() < 1e-9, "{}", bench.gauge("p"));
        bench.depart();
        let before = (bench.count(Fate::Marked), bench.count(Fate::Dropped(Cause::Sojourn)));
        for _ in 0..400 {
            bench.arrive(PacketMeta { ecn, dscp, ..packet() });
            bench.depart();
        }
        (bench.count(Fate::Marked) - before.0, bench.count(Fate::Dropped(Cause::Sojourn)) - before.1)
    }

    /// RFC 9332, section 2.5.1.1. p' = 0.2 makes p_C = 0.04 and p_CL = 0.4: 16 and 160 of 400 packets, minus one mark
    /// that `recur` may still owe.
    #[test]
    fn packets_in_the_other_queue_get_the_signal_of_their_ecn_field() {
        for (ecn, dscp, marks, drops, what) in [
            (Ecn::Ect1, 0, 160, 0, "ECT(1) in the L4S queue"),
            (Ecn::Ect1, 8, 160, 0, "ECT(1) in the Classic queue: p_CL = k p'"),
            (Ecn::Ect0, 0, 16, 0, "ECT(0) in the Classic queue"),
            (Ecn::Ect0, 45, 16, 0, "ECT(0) in the L4S queue"),
            (Ecn::Not, 0, 0, 16, "Not-ECT in the Classic queue"),
            (Ecn::Not, 45, 0, 16, "Not-ECT in the L4S queue"),
        ] {
            let (marked, dropped) = fates_of(0.2, ecn, dscp);
            assert!(marked <= marks && marked + 1 >= marks, "{what}: {marked} marked");
            assert!(dropped <= drops && dropped + 1 >= drops, "{what}: {dropped} dropped");
        }
    }

    /// RFC 9332, section 2.5.1.1, last paragraph: Classic drop for all. p' = 0.6 makes p_C = 0.36 and p_CL = 1: of 400
    /// packets 144 are dropped, and the other ECT(1) packets marked.
    #[test]
    fn in_overload_all_packets_are_dropped_with_the_classic_probability() {
        for (ecn, dscp) in [(Ecn::Ect1, 0), (Ecn::Ect1, 8), (Ecn::Ect0, 0), (Ecn::Ect0, 45), (Ecn::Not, 45)] {
            let (marked, dropped) = fates_of(0.6, ecn, dscp);
            assert!((143..=144).contains(&dropped), "{ecn:?} with codepoint {dscp}: {dropped} dropped");
            let rest = if ecn == Ecn::Ect1 { 400 - dropped } else { 0 };
            assert!(marked <= rest && marked + 1 >= rest, "{ecn:?} with codepoint {dscp}: {marked} marked");
        }
    }

    /// The native ramp gives p'_L = 1 above 1.2 ms; (1 / k)^2 = 0.25 of the 399 packets behind another packet is 99.75.
    #[test]
    fn classic_packets_in_the_l4s_queue_respond_to_its_target_delay() {
        for (ecn, fate) in [(Ecn::Ect0, Fate::Marked), (Ecn::Not, Fate::Dropped(Cause::Sojourn))] {
            let mut bench = Bench::new("dualpi2", &[("l_dscp", Value::Numbers(vec![45.0]))]);
            (0..400).for_each(|_| bench.arrive(PacketMeta { dscp: 45, ecn, ..packet() }));
            bench.advance(Span::from_micros(1201));
            bench.depart_all();
            assert_eq!(bench.count(fate), 99, "{ecn:?}");
        }
    }

    #[test]
    fn a_codepoint_belongs_to_one_queue_and_is_a_whole_number_below_64() {
        let refused = |l: &[f64], c: &[f64]| {
            let settings =
                [("l_dscp", l), ("c_dscp", c)].map(|(name, list)| (name.into(), Value::Numbers(list.into())));
            let errors = crate::registry::build::<PacketMeta, crate::discipline::test_harness::Log>(
                "dualpi2",
                &settings,
                &crate::rig::thesis_link(),
                penstock_core::Time::ZERO,
            );
            errors.err().map(|errors| errors[0].name.clone())
        };
        assert_eq!(refused(&[45.0], &[8.0]), None);
        assert_eq!(refused(&[45.0], &[8.0, 45.0]).as_deref(), Some("c_dscp"));
        assert_eq!(refused(&[64.0], &[8.0]).as_deref(), Some("l_dscp"));
        assert_eq!(refused(&[4.5], &[8.0]).as_deref(), Some("l_dscp"));
    }

    #[test]
    fn signals_are_evenly_spaced() {
        let mut count = 0.0;
        let hits: Vec<u32> = (1..=18).filter(|_| super::recur(&mut count, 0.3)).collect();
        // 0.3, 0.6, 0.9, 1.2, ...: more than 1 at the 4th, 7th, 10th, and then the 14th (4.2 - 3 > 1)
        assert_eq!(hits, [4, 7, 11, 14, 17]);
    }

    #[test]
    fn overload_drops_what_is_ecn_capable() {
        for ecn in [Ecn::Ect0, Ecn::Ect1] {
            let mut bench = Bench::new("dualpi2", &[]);
            bench.arrive_as(1000, ecn);
            bench.advance(ms(1000));
            assert_eq!(bench.gauge("p"), 1.0);
            (0..10).for_each(|_| bench.arrive_as(1000, ecn));
            bench.depart_all();
            assert!(bench.count(Fate::Dropped(Cause::Sojourn)) >= 9, "{ecn:?}");
        }
    }

    #[test]
    fn no_marks_are_owed_when_the_overload_ends() {
        let mut bench = Bench::new("dualpi2", &[]);
        bench.arrive_as(1000, Ecn::Ect1);
        bench.advance(ms(1000));
        assert_eq!((bench.gauge("p"), bench.gauge("p_cl")), (1.0, 1.0));
        // with p_CL = 2, each of these packets would leave a mark over for later packets
        (0..100).for_each(|_| bench.arrive_as(1000, Ecn::Ect1));
        bench.depart_all();
        bench.advance(ms(2000));
        assert_eq!(bench.gauge("p"), 0.0);
        let before = bench.count(Fate::Marked);
        for _ in 0..20 {
            bench.arrive_as(1000, Ecn::Ect1);
            bench.depart();
        }
        assert_eq!(bench.count(Fate::Marked), before);
    }

    /// Figures 3 to 8 of the RFC, transcribed literally; packets are numbers.
    struct Pseudocode {
        lq: VecDeque<(f64, u32, Ecn)>,
        cq: VecDeque<(f64, u32, Ecn)>,
        p: f64,
        p_cl: f64,
        p_c: f64,
        prevq: f64,
        counts: [f64; 2],
        fates: Vec<(Fate, u32)>,
    }

    impl Pseudocode {
        fn time(queue: &VecDeque<(f64, u32, Ecn)>, now: f64) -> f64 {
            queue.front().map_or(0.0, |head| now - head.0)
        }

        fn recur(&mut self, q: usize, likelihood: f64) -> bool {
            self.counts[q] += likelihood;
            let yes = self.counts[q] > 1.0;
            if yes {
                self.counts[q] -= 1.0;
            }
            yes
        }

        fn update(&mut self, now: f64) {
            let curq = Self::time(&self.cq, now).max(Self::time(&self.lq, now));
            self.p += 0.15 * (curq - 0.015) + 3.0 * (curq - self.prevq);
            self.p = self.p.clamp(0.0, 1.0);
            self.p_cl = (self.p * 2.0).min(1.0);
            self.p_c = self.p * self.p;
            self.prevq = curq;
        }

        /// With the time-shifted FIFO, which the RFC describes in words.
        fn dequeue(&mut self, now: f64) {
            while !self.lq.is_empty() || !self.cq.is_empty() {
                let (l_time, c_time) = (Self::time(&self.lq, now), Self::time(&self.cq, now));
                let from_lq = self.cq.is_empty() || (!self.lq.is_empty() && l_time + 0.05 >= c_time);
                if from_lq {
                    let len = self.lq.len();
                    let (_, id, _) = self.lq.pop_front().unwrap();
                    if self.p_cl < 1.0 {
                        let ramp = ((l_time - 0.0008) / 0.0004).clamp(0.0, 1.0);
                        let p_l = if len > 1 { ramp } else { 0.0 };
                        if self.recur(0, p_l.max(self.p_cl)) {
                            self.fates.push((Fate::Marked, id));
                        }
                    } else {
                        if self.recur(0, self.p_c) {
                            self.fates.push((Fate::Dropped(Cause::Sojourn), id));
                            continue;
                        }
                        if self.recur(0, self.p_cl) {
                            self.fates.push((Fate::Marked, id));
                        }
                    }
                    return self.fates.push((Fate::Sent, id));
                }
                let (_, id, ecn) = self.cq.pop_front().unwrap();
                if self.recur(1, self.p_c) {
                    if ecn == Ecn::Not || self.p_c >= 0.25 {
                        self.fates.push((Fate::Dropped(Cause::Sojourn), id));
                        continue;
                    }
                    self.fates.push((Fate::Marked, id));
                }
                return self.fates.push((Fate::Sent, id));
            }
        }
    }

    #[test]
    fn it_does_what_the_pseudocode_does() {
        for seed in 0..20 {
            let mut bench = Bench::new("dualpi2", &[("scheduler", Value::Text("ts-fifo".into()))]);
            let mut rfc = Pseudocode {
                lq: VecDeque::new(),
                cq: VecDeque::new(),
                p: 0.0,
                p_cl: 0.0,
                p_c: 0.0,
                prevq: 0.0,
                counts: [0.0; 2],
                fates: Vec::new(),
            };
            let mut script = Rng::stream(seed, "trace");
            let (mut id, mut next_update) = (0, 15_000_000);
            for step in 0..4000 {
                let now = bench.now.as_secs();
                if script.chance(if step % 1000 < 500 { 0.55 } else { 0.45 }) {
                    let ecn = [Ecn::Not, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][script.below(4) as usize];
                    let queue = if ecn as u8 % 2 == 1 { &mut rfc.lq } else { &mut rfc.cq };
                    queue.push_back((now, id, ecn));
                    rfc.fates.push((Fate::Queued, id));
                    bench.arrive_as(1000, ecn);
                    id += 1;
                } else {
                    bench.depart();
                    rfc.dequeue(now);
                }
                let wait = script.below(4_000_000);
                while next_update <= bench.now.as_nanos() + wait {
                    rfc.update(next_update as f64 / 1e9);
                    next_update += 15_000_000;
                }
                bench.advance(Span::from_nanos(wait));
            }
            assert!(bench.count(Fate::Dropped(Cause::Sojourn)) > 10 && bench.count(Fate::Marked) > 100);
            assert_eq!(bench.log.0, rfc.fates);
        }
    }
}

//! DualQ Coupled Curvy RED.
//! K. De Schepper, B. Briscoe, G. White, "Dual-Queue Coupled Active Queue Management (AQM) for Low Latency, Low Loss,
//! and Scalable Throughput (L4S)", RFC 9332, 2023, appendix B; figure numbers refer to it.
//!
//! # Algorithm
//! Packets with ECT(1) or CE wait in the L4S queue, all others in the Classic queue. The AQMs judge a packet when it
//! leaves (figure 10), after the waiting time t:
//!
//! * L4S: p_CL = (Q_C - minTh) / range_L; mark if t > T, or if p_CL exceeds the largest of U uniform random numbers.
//! * Classic: Q_C = gamma t + (1 - gamma) Q_C, then sqrt(p_C) = (Q_C - minTh) / range_C. If this exceeds the largest of
//!   2 U uniform random numbers, mark the packet or, if it is not ECN-capable, drop it.
//!
//! * ECT(1) in the Classic queue (`c_dscp`; section 2.5.1.1): p_CL and U numbers in place of sqrt(p_C) and 2 U.
//! * ECT(0) or Not-ECT in the L4S queue (`l_dscp`; section 2.5.1.1): as Classic, with p_CL / k in place of sqrt(p_C), or 1 / k if
//!   t > T.
//!
//! With U = 1, Classic packets are thus marked or dropped with probability p_C, and L4S packets marked with p_CL = k
//! sqrt(p_C). The U or 2 U random numbers are drawn only if p_CL or sqrt(p_C) is between 0 and 1 and decides about the
//! packet.
//!
//! # Parameters
//! `range_c` is the average delay above `min_th` at which all Classic packets are marked or dropped; range_L = range_c
//! / k. `gamma` is the weight of one Classic packet in Q_C; `threshold` is T. The default values are those of the RFC,
//! for round trips common in the Internet.
//!
//! # Differences
//! * The RFC prints minTh = 500 ms. With it no packet would be dropped until the queue reaches half a second, and minTh
//!   would be far above T. The default of `min_th` here is 500 us.
//! * The RFC gives the coupling factor, range and gamma as exponents of two (k' = 1); here they are plain numbers (k =
//!   2).
//! * With a limit in bytes an arriving packet needs room for the largest packet of the link, whatever its own size
//!   (figure 3).
//! * There is no protection against overload other than the limit of the queue, as in the RFC.

use super::dual_queue::{Coupled, DualParams, DualQueue, Head, is_l4s, read_dual};
use super::{Discipline, Probe};
use crate::aqm::{Cause, Verdict};
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use penstock_core::param::{Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len};
use penstock_core::{Ecn, Packet, Rng, Span};

penstock_core::params! {
    /// Parameters of the AQMs of dual Curvy RED.
    pub struct DualCurvyRedParams {
        /// Average delay of the Classic queue below which no packet is marked or dropped.
        min_th: Span = Default::Nanos(500_000), unit: "s", range: 0.0..=10.0;
        /// Average delay above min_th at which every Classic packet is marked or dropped.
        range_c: Span = Default::Nanos(500_000_000), unit: "s", range: 0.000_001..=100.0;
        /// Weight of one Classic packet in the average.
        gamma: f64 = Default::Number(0.03125), range: 0.0..=1.0;
        /// Coupling factor.
        k: f64 = Default::Number(2.0), range: 0.1..=100.0;
        /// T, the delay above which every L4S packet is marked.
        threshold: Span = Default::Nanos(1_000_000), unit: "s", range: 0.0..=10.0;
        /// U, the curviness: the probability of a Classic mark or drop grows with the delay to the power 2 U.
        u: u32 = Default::Number(1.0), range: 1.0..=16.0;
    }
}

const PARAMS: [ParamInfo; inherited_len(DualCurvyRedParams::INFO, DualParams::INFO)] =
    inherit(DualCurvyRedParams::INFO, DualParams::INFO, &[("scheduler", Default::Text("ts-fifo"))]);

/// The AQMs of dual Curvy RED.
struct DualCurvyRedAqms {
    params: DualCurvyRedParams,
    /// Q_C in seconds.
    q_c: f64,
}

impl DualCurvyRedAqms {
    fn sqrt_p_c(&self) -> f64 {
        (self.q_c - self.params.min_th.as_secs()) / self.params.range_c.as_secs()
    }

    fn p_cl(&self) -> f64 {
        self.sqrt_p_c() * self.params.k
    }
}

/// Whether `p` exceeds the largest of `u` random numbers.
fn exceeds_maxrand(p: f64, u: u32, rng: &mut Rng) -> bool {
    let maxrand = |rng: &mut Rng| (0..u).fold(0.0, |largest: f64, _| largest.max(rng.uniform()));
    p >= 1.0 || (p > 0.0 && p > maxrand(rng))
}

/// Mark a packet if `p` exceeds the largest of `u` random numbers; a packet that is not ECN-capable is dropped instead.
fn judge(p: f64, u: u32, rng: &mut Rng) -> Verdict {
    if exceeds_maxrand(p, u, rng) { Verdict::Mark(Cause::Sojourn) } else { Verdict::Pass }
}

impl Coupled for DualCurvyRedAqms {
    /// Lines 5a-6; section 2.5.1.1 for Classic packets.
    fn judge_l4s(&mut self, head: &Head, rng: &mut Rng) -> Verdict {
        if !is_l4s(head.ecn) {
            let p_l = if head.sojourn > self.params.threshold { 1.0 } else { self.p_cl() };
            return judge(p_l / self.params.k, 2 * self.params.u, rng);
        }
        if head.sojourn > self.params.threshold {
            return Verdict::Mark(Cause::Sojourn);
        }
        judge(self.p_cl(), self.params.u, rng)
    }

    /// Lines 9a-15; section 2.5.1.1 for ECT(1).
    fn judge_classic(&mut self, head: &Head, rng: &mut Rng) -> Verdict {
        let gamma = self.params.gamma;
        self.q_c = gamma * head.sojourn.as_secs() + (1.0 - gamma) * self.q_c;
        if head.ecn == Ecn::Ect1 {
            return judge(self.p_cl(), self.params.u, rng);
        }
        judge(self.sqrt_p_c(), 2 * self.params.u, rng)
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("q_c", self.q_c);
        show("sqrt_p_c", self.sqrt_p_c().clamp(0.0, 1.0));
        show("p_cl", self.p_cl().clamp(0.0, 1.0));
    }
}

/// DualQ Coupled Curvy RED.
pub(crate) struct DualCurvyRed;

impl Scheme for DualCurvyRed {
    const INFO: SchemeInfo = SchemeInfo {
        name: "dual-curvy-red",
        aliases: &[],
        family: "L4S",
        title: "DualQ Coupled Curvy RED",
        source: "K. De Schepper, B. Briscoe, G. White, RFC 9332, 2023, appendix B",
        doc: module_doc!("dual_curvy_red.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time, O(n) memory in waiting packets",
        build_aqm: None,
        picture: Picture::Response,
        good: "The Classic queue grows a little with the load; with a fixed target delay, the loss rate alone would \
              have to rise.",
        bad: "Not designed for a wide range of round trips. The average delay does not change while no Classic packet \
              leaves, and only the limit stops unresponsive L4S traffic.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let (aqms, dual): (DualCurvyRedParams, DualParams) = read_dual(settings, &PARAMS)?;
        let aqms = DualCurvyRedAqms { params: aqms, q_c: 0.0 };
        Ok(Box::new(DualQueue::new(dual, aqms, link)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::test_harness::{Bench, Fate};
    use penstock_core::PacketMeta;
    use penstock_core::param::Value;

    /// A queue whose average delay has just been set to `millis`, by one packet with a weight of 1.
    fn delayed(millis: u64, ecn: Ecn, extra: &[(&str, Value)]) -> Bench {
        let mut settings = vec![("gamma", Value::Number(1.0))];
        settings.extend_from_slice(extra);
        let mut bench = Bench::new("dual-curvy-red", &settings);
        bench.unlimited();
        (0..4000).for_each(|_| bench.arrive_as(1000, ecn));
        bench.advance(Span::from_millis(millis));
        bench
    }

    #[test]
    fn the_average_follows_classic_packets_only() {
        let mut bench = Bench::new("dual-curvy-red", &[]);
        bench.arrive_as(1000, Ecn::Ect1);
        bench.arrive_as(1000, Ecn::Ect0);
        bench.arrive_as(1000, Ecn::Ect0);
        bench.advance(Span::from_millis(32));
        bench.depart();
        assert_eq!(bench.gauge("q_c"), 0.0);
        bench.depart();
        assert!((bench.gauge("q_c") - 0.001).abs() < 1e-15);
        bench.depart();
        assert!((bench.gauge("q_c") - (0.001 + 0.031 / 32.0)).abs() < 1e-15);
    }

    #[test]
    fn the_classic_probability_is_the_square_of_the_scaled_delay() {
        let mut bench = delayed(200, Ecn::Not, &[]);
        bench.depart_all();
        // ((200 - 0.5) / 500)^2 = 0.1592 of 4000 = 637; standard deviation 23
        let dropped = bench.count(Fate::Dropped(Cause::Sojourn));
        assert!((568..=706).contains(&dropped), "{dropped} dropped");
        assert!((bench.gauge("sqrt_p_c") - 0.399).abs() < 1e-12);
    }

    #[test]
    fn ecn_capable_classic_packets_are_marked() {
        let mut bench = delayed(200, Ecn::Ect0, &[]);
        assert_eq!(bench.depart_all().len(), 4000);
        let marked = bench.count(Fate::Marked);
        assert!((568..=706).contains(&marked), "{marked} marked");
    }

    #[test]
    fn the_l4s_queue_is_coupled_by_k() {
        let mut bench = delayed(150, Ecn::Not, &[("tshift", Value::Time(Span::from_secs(10.0)))]);
        bench.depart();
        // k (150 - 0.5) / 500 = 0.598, of 2000 1196; standard deviation 22
        assert!((bench.gauge("p_cl") - 0.598).abs() < 1e-12);
        for _ in 0..2000 {
            bench.arrive_as(1000, Ecn::Ect1);
            bench.depart();
        }
        let marked = bench.count(Fate::Marked);
        assert!((1108..=1284).contains(&marked), "{marked} marked");
    }

    /// RFC 9332, section 2.5.1.1: ECT(1) in the Classic queue is marked with p_CL, ECT(0) in the L4S queue with p_C.
    #[test]
    fn packets_in_the_other_queue_get_the_signal_of_their_ecn_field() {
        let codepoints = |dscp: f64| Value::Numbers(vec![dscp]);
        // sqrt(p_C) = (150 - 0.5) / 500 = 0.299: p_CL = 0.598, p_C = 0.0894; of 4000 packets 2392 +- 31 and 358 +- 18
        for (own, ecn, low, high) in [("c_dscp", Ecn::Ect1, 2268, 2516), ("l_dscp", Ecn::Ect0, 286, 430)] {
            let mut bench =
                delayed(150, Ecn::Not, &[(own, codepoints(8.0)), ("threshold", Value::Time(Span::from_secs(1.0)))]);
            bench.depart_all();
            for _ in 0..4000 {
                bench.arrive(PacketMeta { flow: 0, size: 1000, ecn, dscp: 8, protocol: 6, rare: None });
                bench.advance(Span::from_millis(if own == "c_dscp" { 150 } else { 0 }));
                bench.depart();
            }
            let marked = bench.count(Fate::Marked);
            assert!((low..=high).contains(&marked), "{ecn:?}: {marked} marked");
        }
    }

    #[test]
    fn l4s_packets_older_than_the_threshold_are_all_marked() {
        let mut bench = delayed(1, Ecn::Ect1, &[]);
        bench.depart();
        assert_eq!(bench.count(Fate::Marked), 0);
        bench.advance(Span::from_nanos(1));
        bench.depart_all();
        assert_eq!(bench.count(Fate::Marked), 3999);
    }

    #[test]
    fn curviness_is_the_number_of_coins() {
        let mut rng = Rng::stream(1, "coins");
        let mut share = |u| (0..20_000).filter(|_| exceeds_maxrand(0.5, u, &mut rng)).count();
        // 2^-u of 20 000, four standard deviations
        for (u, expected, allowed) in [(1, 10_000, 283), (2, 5000, 245), (4, 1250, 137)] {
            let hits = share(u);
            assert!(hits.abs_diff(expected) < allowed, "{hits} of {expected} with {u} numbers");
        }
    }
}

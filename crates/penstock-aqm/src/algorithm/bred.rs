//! Balanced RED (BRED).
//! F. Anjum, L. Tassiulas, "Fair Bandwidth Sharing among Adaptive and Non-Adaptive Flows in the Internet", INFOCOM
//! 1999, as given by T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis,
//! Université Montpellier II, 2004, section 1.4.2 (equation 1.27, algorithm 14).
//!
//! # Algorithm
//! For each flow, qlen is the number of its packets in the queue and gap the number of its packets accepted since its
//! last drop; gap returns to 0 when the last packet of the flow leaves. At each arrival N = (1 - omega) N + omega
//! Nactive, where Nactive is the number of flows with packets in the queue, including the flow of the arriving packet.
//! With a limit of B packets:
//!
//! * l2 = B / (2 ceil N), l1 = beta l2, W_m = 2 l2, each at least 1;
//! * p2 = sqrt N / (sqrt N + 10), p1 = p2 / 10 (equation 1.27).
//!
//! An arriving packet is
//!
//! * dropped if qlen >= W_m;
//! * dropped or marked with probability p2 if l2 < qlen < W_m and gap > l2;
//! * dropped or marked with probability p1 if l1 < qlen <= l2 and gap > l1;
//! * accepted otherwise.
//!
//! A number is drawn for each packet judged by p1 or p2. Marks and overflows count as drops for the gap.
//!
//! # Parameters
//! `omega` is the weight of one arrival in N; `beta` places the lower threshold.
//!
//! # Differences
//! * The thesis leaves W_m and beta open; here they are 2 l2 = B / ceil N and 0.5.
//! * Algorithm 14 prints W_n instead of W_m. It leaves out the cases qlen = l1 and qlen = l2, and does not say that a
//!   packet that escapes the random drop is accepted. The rules above complete it.
//! * Without a limit B nothing is dropped.

use super::random_verdict::toss;
use crate::aqm::{Aqm, Cause, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::per_flow::PerFlow;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Default, ParamErrors, Settings};
use penstock_core::{PacketMeta, Time, math};

penstock_core::params! {
    /// Parameters of Balanced RED.
    pub struct BredParams {
        /// Weight of one arrival in the mean number of active flows.
        omega: f64 = Default::Number(0.02), range: 0.0..=1.0;
        /// Lower threshold l1 of a flow, as a share of the middle threshold l2.
        beta: f64 = Default::Number(0.5), range: 0.0..=1.0;
        /// Mark ECN-capable packets instead of dropping them at random.
        ecn: bool = Default::Flag(false);
    }
}

#[derive(Clone, Copy, Debug, core::default::Default)]
struct Flow {
    qlen: u32,
    gap: u32,
}

/// Balanced RED.
#[derive(Clone, Debug)]
pub struct Bred {
    params: BredParams,
    /// B in packets.
    limit: f64,
    flows: PerFlow<Flow>,
    /// Flows with packets in the queue.
    active: u32,
    /// N
    n: f64,
}

/// Thresholds of a flow's packets in the queue, and the drop probabilities above them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Thresholds {
    l1: f64,
    l2: f64,
    w_m: f64,
    p1: f64,
    p2: f64,
}

impl Bred {
    /// The AQM on this link.
    pub fn new(params: BredParams, link: &LinkInfo) -> Self {
        Self { params, limit: limit(link), flows: PerFlow::new(), active: 0, n: 0.0 }
    }

    /// Equation 1.27.
    fn thresholds(&self) -> Thresholds {
        let flows = (-math::floor(-self.n)).max(1.0);
        let l2 = self.limit / (2.0 * flows);
        let root = math::sqrt(self.n);
        let p2 = root / (root + 10.0);
        Thresholds {
            l1: (self.params.beta * l2).max(1.0),
            l2: l2.max(1.0),
            w_m: (2.0 * l2).max(1.0),
            p1: p2 / 10.0,
            p2,
        }
    }

    /// Algorithm 14.
    fn judge(&self, flow: Flow, cx: &mut Cx<'_>) -> Verdict {
        let (qlen, gap) = (f64::from(flow.qlen), f64::from(flow.gap));
        let Thresholds { l1, l2, w_m, p1, p2 } = self.thresholds();
        if qlen >= w_m {
            Verdict::Drop(Cause::Forced)
        } else if l2 < qlen && gap > l2 {
            toss(p2, self.params.ecn, cx.rng)
        } else if l1 < qlen && qlen <= l2 && gap > l1 {
            toss(p1, self.params.ecn, cx.rng)
        } else {
            Verdict::Pass
        }
    }

    fn leave(&mut self, flow: u32) {
        let flow = self.flows.of(flow);
        flow.qlen -= 1;
        if flow.qlen == 0 {
            flow.gap = 0;
            self.active -= 1;
        }
    }
}

/// B in packets; infinite where there is no limit.
fn limit(link: &LinkInfo) -> f64 {
    link.limit.in_packets(link.mean_packet).unwrap_or(f64::INFINITY)
}

impl Aqm for Bred {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let flow = *self.flows.of(packet.flow);
        let active = self.active + u32::from(flow.qlen == 0);
        self.n = (1.0 - self.params.omega) * self.n + self.params.omega * f64::from(active);
        let verdict = self.judge(flow, cx);
        if verdict != Verdict::Pass {
            self.flows.of(packet.flow).gap = 0;
        }
        verdict
    }

    fn on_enqueued(&mut self, _cx: &mut Cx<'_>, packet: &PacketMeta) {
        let flow = self.flows.of(packet.flow);
        self.active += u32::from(flow.qlen == 0);
        flow.qlen += 1;
        flow.gap += 1;
    }

    fn on_overflow(&mut self, _cx: &mut Cx<'_>, packet: &PacketMeta) {
        self.flows.of(packet.flow).gap = 0;
    }

    fn on_departure(&mut self, _cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        self.leave(packet.meta.flow);
        Verdict::Pass
    }

    fn on_evicted(&mut self, _cx: &mut Cx<'_>, packet: &Departing) {
        self.leave(packet.meta.flow);
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.limit = limit(link);
    }

    fn forget_flow(&mut self, _now: Time, flow: u32) {
        if let Some(flow) = self.flows.get_mut(flow) {
            flow.gap = 0;
        }
    }

    fn reserve(&mut self, flows: u32) {
        self.flows.reserve(flows);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("n", self.n);
        show("p2", self.thresholds().p2);
        show("active", f64::from(self.active));
    }
}

impl AqmScheme for Bred {
    const INFO: SchemeInfo = SchemeInfo {
        name: "bred",
        aliases: &["balanced-red"],
        family: "per flow",
        title: "Balanced RED (BRED)",
        source: "F. Anjum, L. Tassiulas, Fair Bandwidth Sharing among Adaptive and Non-Adaptive Flows in the Internet, \
                 INFOCOM 1999",
        doc: module_doc!("bred.rs"),
        ecn: true,
        params: BredParams::INFO,
        class_params: &[],
        cost: "O(1) time, O(flows) memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "Nearly equal goodput for TCP flows without an average; reduces the advantage of flows that do not \
               respond to losses.",
        bad: "Bounds each flow's share of the buffer, not its rate: with little buffer per flow it cannot distinguish \
              flows, and a sparse flow loses half of its packets next to 64 others.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(BredParams::from_settings(settings)?, link))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, thesis_link};
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Limit};

    #[test]
    fn the_number_of_flows_is_a_weighted_mean() {
        let mut rig = Rig::new("bred", &[]);
        let mut n = 0.0;
        for (flow, active) in [(0, 1.0), (0, 1.0), (1, 2.0), (2, 3.0)] {
            rig.arrive_from(flow, 1);
            n = 0.98 * n + 0.02 * active;
        }
        assert!((rig.gauge("n") - n).abs() < 1e-12);
        // flow 0 leaves
        (0..2).for_each(|_| assert!(rig.depart()));
        rig.arrive_from(1, 1);
        assert!((rig.gauge("n") - (0.98 * n + 0.02 * 2.0)).abs() < 1e-12);
    }

    #[test]
    fn thresholds_share_the_buffer_among_the_flows() {
        let mut aqm = Bred::from_settings(&[], &thesis_link(), Time::ZERO).unwrap();
        aqm.n = 4.0;
        // l2 = 35 / 8, l1 is half of it, W_m = 35 / 4; p2 = 2 / 12
        let Thresholds { l1, l2, w_m, p1, p2 } = aqm.thresholds();
        assert_eq!((l1, l2, w_m), (2.1875, 4.375, 8.75));
        assert!((p2 - 1.0 / 6.0).abs() < 1e-15 && (p1 - 1.0 / 60.0).abs() < 1e-15);
        aqm.n = 4.000_001;
        assert_eq!(aqm.thresholds().w_m, 7.0);
        aqm.n = 1000.0;
        assert_eq!((aqm.thresholds().l1, aqm.thresholds().l2, aqm.thresholds().w_m), (1.0, 1.0, 1.0));
    }

    /// The share of packets dropped from a flow with this qlen and gap, with N = 1: l1 = 8.75, l2 = 17.5, W_m = 35.
    fn share(qlen: u32, gap: u32) -> f64 {
        let mut aqm = Bred::from_settings(&[], &thesis_link(), Time::ZERO).unwrap();
        aqm.n = 1.0;
        let mut rng = penstock_core::Rng::stream(1, "bred");
        let queue = crate::aqm::Backlog { packets: qlen, bytes: 0, limit: Limit::Packets(35), oldest: None };
        let mut cx = Cx { now: Time::ZERO, queue, link_bytes: 0, rng: &mut rng };
        let dropped = (0..20_000).filter(|_| aqm.judge(Flow { qlen, gap }, &mut cx) != Verdict::Pass).count();
        dropped as f64 / 20_000.0
    }

    #[test]
    fn a_flow_is_dropped_by_its_queue_and_the_gap_since_its_last_drop() {
        // p2 = 1 / 11, p1 = 1 / 110
        let at =
            |qlen, gap, p: f64| assert!((share(qlen, gap) - p).abs() < 0.006, "{qlen} {gap}: {}", share(qlen, gap));
        at(8, 100, 0.0);
        at(9, 8, 0.0);
        at(9, 9, 1.0 / 110.0);
        at(17, 9, 1.0 / 110.0);
        at(18, 17, 0.0);
        at(18, 18, 1.0 / 11.0);
        at(34, 18, 1.0 / 11.0);
        at(35, 0, 1.0);
    }

    #[test]
    fn boundaries_belong_to_the_lower_class() {
        let mut aqm =
            Bred::from_settings(&[], &LinkInfo { limit: Limit::Packets(32), ..thesis_link() }, Time::ZERO).unwrap();
        aqm.n = 1.0;
        // l1 = 8, l2 = 16, W_m = 32
        let mut rng = penstock_core::Rng::stream(1, "bred");
        let queue = crate::aqm::Backlog { packets: 0, bytes: 0, limit: Limit::Packets(32), oldest: None };
        let mut drawn = |qlen| {
            let before = rng.clone().bits();
            aqm.judge(Flow { qlen, gap: 9 }, &mut Cx { now: Time::ZERO, queue, link_bytes: 0, rng: &mut rng });
            rng.clone().bits() != before
        };
        // with a gap of 9, above l1 but not l2, a number is drawn only in the lower class
        assert_eq!([8, 9, 16, 17].map(&mut drawn), [false, true, true, false]);
    }

    #[test]
    fn a_drop_of_any_kind_starts_the_gap_anew() {
        let mut aqm = Bred::from_settings(&[], &thesis_link(), Time::ZERO).unwrap();
        let mut rng = penstock_core::Rng::stream(1, "bred");
        let queue = crate::aqm::Backlog { packets: 35, bytes: 0, limit: Limit::Packets(35), oldest: None };
        let mut cx = Cx { now: Time::ZERO, queue, link_bytes: 0, rng: &mut rng };
        let packet = PacketMeta { flow: 3, size: 1000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None };
        *aqm.flows.of(3) = Flow { qlen: 35, gap: 9 };
        assert_eq!(aqm.on_arrival(&mut cx, &packet), Verdict::Drop(Cause::Forced));
        assert_eq!(aqm.flows.of(3).gap, 0);
        *aqm.flows.of(3) = Flow { qlen: 5, gap: 9 };
        assert_eq!(aqm.on_arrival(&mut cx, &packet), Verdict::Pass);
        aqm.on_overflow(&mut cx, &packet);
        assert_eq!(aqm.flows.of(3).gap, 0);
    }

    #[test]
    fn marks_at_random_and_drops_above_its_share() {
        let mut rig = Rig::new("bred", &[("ecn", Value::Flag(true))]);
        let packet = PacketMeta { flow: 0, size: 1000, ecn: Ecn::Ect0, dscp: 0, protocol: 6, rare: None };
        for _ in 0..2000 {
            rig.arrive_packet(packet);
            while rig.waiting() > 30 {
                rig.depart();
            }
        }
        assert!(rig.counts.marked > 50);
        assert_eq!(rig.counts.dropped_on_arrival, 0);
    }
}

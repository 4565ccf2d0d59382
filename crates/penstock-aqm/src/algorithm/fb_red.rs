//! FB-RED: fair-buffering RED.
//! W. Kim, B. Lee, "FB-RED: Fair-Buffering Random Early Detection", GLOBECOM 1998, named in T. Alemu, "Performance
//! Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis, Université Montpellier II, 2004, sections
//! 1.3.3 and 4.4.
//!
//! # Algorithm
//! RED whose max_p depends on the delay-bandwidth product of the packet's flow. On a single link this product is
//! proportional to the flow's round-trip time R_i. An arriving packet is judged with
//!
//! * max_p_i = min(1, max_p (R_ref / R_i)^kappa).
//!
//! Average, count and spacing are RED's, shared by all flows. A number is drawn when RED draws one.
//!
//! # Parameters
//! The parameters of RED, `kappa` and `reference`. kappa = 2 gives flows of different round-trip times the same
//! throughput, which for TCP is about 1 / (R sqrt(p)); kappa = 1 is milder. `reference` selects R_ref: the mean over
//! the flows with packets in the queue, including the flow of the packet, or the smallest round-trip time seen so far.
//! R_i is the round-trip time that the sender writes into its packets. A packet without one is judged with the last
//! value of its flow, or, if there is none, with max_p.
//!
//! # Differences
//! * The sources only name the scheme and its idea: the formula here follows from the square-root law of TCP.

use super::drop_curve::GentleFrom;
use super::red::{Red, RedParams};
use crate::aqm::{Aqm, Backlog, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, SideInformation};
use crate::per_flow::PerFlow;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len, read};
use penstock_core::{PacketMeta, Time, math};

penstock_core::choice! {
    /// R_ref: a flow with this round-trip time is judged with max_p itself.
    pub enum Reference {
        /// The mean over the flows with packets in the queue.
        Mean = "mean",
        /// The smallest round-trip time seen so far.
        Min = "min",
    }
}

penstock_core::params! {
    /// The parameters that FB-RED adds to those of RED.
    pub struct FbRedParams {
        /// Exponent of the ratio of round-trip times.
        kappa: f64 = Default::Number(2.0), range: 0.0..=10.0;
        /// R_ref: a flow with this round-trip time is judged with max_p itself.
        reference: Reference = Default::Text("mean");
    }
}

const PARAMS: [ParamInfo; inherited_len(FbRedParams::INFO, RedParams::INFO)] =
    inherit(FbRedParams::INFO, RedParams::INFO, &[]);

#[derive(Clone, Copy, Debug, core::default::Default)]
struct Flow {
    /// Round-trip time in nanoseconds, at least 1; 0 if unknown.
    rtt: u64,
    queued: u32,
}

/// Fair-buffering RED.
#[derive(Clone, Debug)]
pub struct FbRed {
    params: FbRedParams,
    red: Red,
    flows: PerFlow<Flow>,
    /// Sum of the known round-trip times of flows with packets in the queue, and their number.
    active: (u64, u32),
    least: u64,
}

impl FbRed {
    /// The AQM that moves the max_p of `red` from packet to packet.
    pub fn new(params: FbRedParams, red: Red) -> Self {
        Self { params, red, flows: PerFlow::new(), active: (0, 0), least: u64::MAX }
    }

    /// Record the round-trip time that the packet carries. Returns the state of its flow.
    fn note(&mut self, packet: &PacketMeta) -> Flow {
        let flow = self.flows.of(packet.flow);
        if let Some(rtt) = packet.rare.and_then(|rare| rare.rtt) {
            let (before, rtt) = (flow.rtt, rtt.as_nanos().max(1));
            flow.rtt = rtt;
            self.least = self.least.min(rtt);
            if flow.queued > 0 {
                let (sum, known) = self.active;
                self.active = (sum - before + rtt, known + u32::from(before == 0));
            }
        }
        *flow
    }

    /// max_p_i
    fn max_p(&self, flow: Flow) -> f64 {
        let max_p = self.red.params.max_p;
        if flow.rtt == 0 || max_p == 0.0 {
            return max_p;
        }
        let reference = match self.params.reference {
            Reference::Min => self.least as f64,
            Reference::Mean => {
                let (sum, known) = self.active;
                let arriving = u32::from(flow.queued == 0);
                (sum + u64::from(arriving) * flow.rtt) as f64 / f64::from(known + arriving)
            }
        };
        (max_p * math::pow(reference / flow.rtt as f64, self.params.kappa)).min(1.0)
    }

    fn leave(&mut self, flow: u32) {
        let flow = self.flows.of(flow);
        flow.queued -= 1;
        if flow.queued == 0 && flow.rtt > 0 {
            self.active = (self.active.0 - flow.rtt, self.active.1 - 1);
        }
    }
}

impl Aqm for FbRed {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_side(SideInformation::AtArrival)
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let flow = self.note(packet);
        self.red.curve = self.red.curve.with_max_p(self.max_p(flow), GentleFrom::Current);
        self.red.on_arrival(cx, packet)
    }

    fn on_enqueued(&mut self, _cx: &mut Cx<'_>, packet: &PacketMeta) {
        let flow = self.flows.of(packet.flow);
        flow.queued += 1;
        if flow.queued == 1 && flow.rtt > 0 {
            self.active = (self.active.0 + flow.rtt, self.active.1 + 1);
        }
    }

    fn on_overflow(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) {
        self.red.on_overflow(cx, packet);
    }

    fn on_departure(&mut self, _cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        self.leave(packet.meta.flow);
        Verdict::Pass
    }

    fn on_evicted(&mut self, _cx: &mut Cx<'_>, packet: &Departing) {
        self.leave(packet.meta.flow);
    }

    fn on_idle(&mut self, now: Time) {
        self.red.on_idle(now);
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.red.on_link(now, link);
    }

    fn forget_flow(&mut self, _now: Time, flow: u32) {
        let Some(flow) = self.flows.get_mut(flow) else { return };
        if flow.queued > 0 && flow.rtt > 0 {
            self.active = (self.active.0 - flow.rtt, self.active.1 - 1);
        }
        flow.rtt = 0;
    }

    fn reserve(&mut self, flows: u32) {
        self.flows.reserve(flows);
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

impl AqmScheme for FbRed {
    const INFO: SchemeInfo = SchemeInfo {
        name: "fb-red",
        aliases: &["fair-buffering-red"],
        family: "per flow",
        title: "FB-RED",
        source: "W. Kim, B. Lee, FB-RED: Fair-Buffering Random Early Detection, GLOBECOM 1998",
        doc: module_doc!("fb_red.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time, O(flows) memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "Drops more packets of TCP flows with short round trips, which RED favours.",
        bad: "Trusts the round-trip time that a sender reports, and does not handle unresponsive flows; where round \
              trips differ little it is less fair than RED, especially with many flows.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        let (params, red): (FbRedParams, RedParams) = read(settings, &PARAMS)?;
        Ok(Self::new(params, Red::new(red, link)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Rig;
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Rare, Span};

    fn packet(flow: u32, rtt_ms: Option<u64>) -> PacketMeta {
        let rare = Some(Rare { rtt: rtt_ms.map(Span::from_millis), ..Rare::default() });
        PacketMeta { flow, size: 1000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare }
    }

    /// max_p for the last of these packets, one each of flows 0, 1, ...
    fn max_p(settings: &[(&str, Value)], rtts: &[Option<u64>]) -> f64 {
        let mut rig = Rig::new("fb-red", settings);
        for (flow, &rtt) in rtts.iter().enumerate() {
            rig.arrive_packet(packet(flow as u32, rtt));
        }
        rig.gauge("max_p")
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn max_p_falls_with_the_square_of_the_round_trip_time() {
        // the mean of 50 and 150 ms is 100 ms
        assert!(close(max_p(&[], &[Some(50), Some(150)]), 0.1 * (100.0_f64 / 150.0).powi(2)));
        assert!(close(max_p(&[], &[Some(150), Some(50)]), 0.4));
        assert!(close(max_p(&[("kappa", Value::Number(1.0))], &[Some(150), Some(50)]), 0.2));
    }

    #[test]
    fn the_reference_may_be_the_least_round_trip_time() {
        let settings = [("reference", Value::Text("min".into()))];
        assert!(close(max_p(&settings, &[Some(50), Some(150)]), 0.1 / 9.0));
        assert!(close(max_p(&settings, &[Some(150), Some(50)]), 0.1));
    }

    #[test]
    fn flows_of_one_round_trip_time_or_none_are_those_of_red() {
        assert!(close(max_p(&[], &[Some(80), Some(80), Some(80)]), 0.1));
        assert!(close(max_p(&[], &[Some(80), None]), 0.1));
        assert_eq!(max_p(&[], &[Some(900), Some(900), Some(900), Some(1)]), 1.0);
    }

    #[test]
    fn the_mean_is_over_flows_with_packets_in_the_queue() {
        let mut rig = Rig::new("fb-red", &[]);
        rig.arrive_packet(packet(0, Some(900)));
        rig.arrive_packet(packet(1, Some(150)));
        // flow 0 leaves; flow 1 finds that its round-trip time is now 50 ms; flow 2 sees a mean of 50 and 100 ms
        rig.depart();
        rig.arrive_packet(packet(1, Some(50)));
        assert!(close(rig.gauge("max_p"), 0.1));
        rig.arrive_packet(packet(2, Some(100)));
        assert!(close(rig.gauge("max_p"), 0.1 * 0.75 * 0.75));
    }

    #[test]
    fn a_short_round_trip_is_dropped_more() {
        // flows of 100 and 300 ms in turn: 0.1 (200 / 100)^2 = 0.4 and 0.1 (200 / 300)^2 = 0.044 at max_th, nine to one
        let mut rig = Rig::new("fb-red", &[("w_q", Value::Number(1.0)), ("spacing", Value::Text("none".into()))]);
        let mut dropped = [0, 0];
        for _ in 0..20_000 {
            for flow in 0..2 {
                while rig.waiting() > 10 {
                    rig.depart();
                }
                let before = rig.counts.dropped_on_arrival;
                rig.arrive_packet(packet(flow, Some(100 + 200 * u64::from(flow))));
                dropped[flow as usize] += rig.counts.dropped_on_arrival - before;
            }
        }
        let ratio = dropped[0] as f64 / dropped[1] as f64;
        assert!((8.0..10.0).contains(&ratio), "{ratio}");
    }
}

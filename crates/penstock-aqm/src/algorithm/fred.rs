//! Flow Random Early Drop (FRED).
//! D. Lin, R. Morris, "Dynamics of Random Early Detection", SIGCOMM 1997, as given by T. Alemu, "Performance Evaluation
//! of Quality of Service Mechanisms in the Internet", PhD thesis, Université Montpellier II, 2004, section 1.3.1.
//!
//! # Algorithm
//! For each flow with packets in the queue, qlen is the number of these packets and strikes counts the flow's offences;
//! both are discarded when its last packet leaves. With the average queue A and avgcq = max(1, A / number of such
//! flows), an arriving packet is dropped with certainty, and its flow gets a strike, if
//!
//! * qlen >= max_q; or
//! * A >= max_th and qlen > 2 avgcq; or
//! * qlen >= avgcq and the flow has more than one strike.
//!
//! Otherwise, if A >= max_th, it is dropped without a strike. If min_th <= A < max_th and qlen >= max(min_q, avgcq),
//! the packet is counted, and dropped or marked with probability p_a = p_b / (1 - count p_b), where p_b = max_p (A -
//! min_th) / (max_th - min_th). count is 0 for the first packet counted since A was below min_th. A random drop, or a
//! drop because of A >= max_th, resets count to 0, so that it is 1 for the next packet counted. A number is drawn for
//! each packet counted with 0 < p_a < 1.
//!
//! A is RED's average with other updates: at each departure, with the remaining queue, and at each accepted arrival,
//! with the queue that it finds. A dropped arrival updates A only if it finds the queue empty. An arrival that finds
//! the queue empty updates A before it is judged; any other arrival is judged by A before the update. So dropped
//! packets of an unresponsive flow do not count in A, and A falls while the queue drains.
//!
//! # Parameters
//! `min_th` "auto" is the smaller of a quarter of the limit and the data that the link sends in one round trip (100 ms
//! if the link has no round-trip time), at least 1; `max_th` "auto" is twice min_th, `max_q` "auto" is min_th. `min_q`
//! is 2 for small and 4 for large buffers. `many_flows` is for links with more flows than the buffer has room for
//! packets: it sets max_q to 2 while A >= max_th.
//!
//! # Differences
//! * In the thesis each of four conditions adds a strike; here the last, A >= max_th, does not.
//! * The thesis drops at random if qlen > min_q. Here, as in the paper, the condition is qlen >= max(min_q, avgcq).

use super::random_verdict::toss;
use super::red::{Red, RedParams};
use crate::aqm::{Aqm, Cause, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::per_flow::PerFlow;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Auto, Default, Length, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Rng, Span, Time};

/// Round-trip time assumed for a link without one.
const USUAL_RTT: Span = Span::from_millis(100);

penstock_core::params! {
    /// Parameters of FRED.
    pub struct FredParams {
        /// Average queue from which packets are dropped at random; "auto" derives it from limit and round-trip time.
        min_th: Auto<Length> = Default::Text("auto"), unit: "packets", at_least: 0.0;
        /// Average queue from which every packet is dropped; "auto" is twice min_th.
        max_th: Auto<Length> = Default::Text("auto"), unit: "packets", at_least: 0.0;
        /// Drop probability just below max_th.
        max_p: f64 = Default::Number(0.02), range: 0.0..=1.0;
        /// Weight of one arrival or departure in the average queue; "auto" gives RED's time constant of one second.
        w_q: Auto<f64> = Default::Number(0.002), range: 0.0..=1.0;
        /// Packets that each flow may have in the queue without random drops.
        min_q: u32 = Default::Number(2.0), range: 0.0..=1e6;
        /// Largest number of packets that a flow may have in the queue; "auto" is min_th.
        max_q: Auto<f64> = Default::Text("auto"), unit: "packets", range: 1.0..=1e9;
        /// Limit each flow to 2 packets in the queue while the average is above max_th.
        many_flows: bool = Default::Flag(false);
        /// Typical packet size, for idle times and automatic parameters.
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Mark ECN-capable packets instead of dropping them at random.
        ecn: bool = Default::Flag(false);
    }
}

#[derive(Clone, Copy, Debug, core::default::Default)]
struct Flow {
    qlen: u32,
    strikes: u32,
}

/// Flow Random Early Drop.
#[derive(Clone, Debug)]
pub struct Fred {
    params: FredParams,
    /// Computes the average and holds the thresholds; its own drop function is not used.
    red: Red,
    flows: PerFlow<Flow>,
    /// Flows with packets in the queue.
    active: u32,
    /// `None`: the average was below min_th.
    count: Option<u32>,
}

impl Fred {
    /// The AQM on this link; all contradictions in `params`, if there are any.
    pub fn new(params: FredParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        let red = Red::new(params.place(link), link)?;
        Ok(Self { params, red, flows: PerFlow::new(), active: 0, count: None })
    }

    /// Average number of packets that a flow has in the queue.
    fn avgcq(&self) -> f64 {
        (self.red.average.get() / f64::from(self.active.max(1))).max(1.0)
    }

    fn max_q(&self) -> f64 {
        match self.params.max_q {
            _ if self.params.many_flows && self.red.average.get() >= self.red.curve.max_th => 2.0,
            Auto::Value(max_q) => max_q,
            Auto::Auto => self.red.curve.min_th.max(1.0),
        }
    }

    /// Whether a flow exceeds its share.
    fn is_robust(&self, Flow { qlen, strikes }: Flow) -> bool {
        let (qlen, avgcq) = (f64::from(qlen), self.avgcq());
        qlen >= self.max_q()
            || (self.red.average.get() >= self.red.curve.max_th && qlen > 2.0 * avgcq)
            || (qlen >= avgcq && strikes > 1)
    }

    /// The random drop between the thresholds, of a flow that has `qlen` packets in the queue.
    fn random_drop(&mut self, qlen: u32, rng: &mut Rng) -> Verdict {
        if f64::from(qlen) < f64::from(self.params.min_q).max(self.avgcq()) {
            return Verdict::Pass;
        }
        let count = self.count.map_or(0, |count| count + 1);
        let (min_th, max_th) = (self.red.curve.min_th, self.red.curve.max_th);
        let p_b = self.params.max_p * (self.red.average.get() - min_th) / (max_th - min_th);
        let rest = 1.0 - f64::from(count) * p_b;
        let verdict = toss(if rest > 0.0 { p_b / rest } else { 1.0 }, self.params.ecn, rng);
        self.count = Some(if verdict == Verdict::Pass { count } else { 0 });
        verdict
    }

    fn leave(&mut self, now: Time, queue: u32, flow: u32) {
        self.red.average.update(now, f64::from(queue));
        let flow = self.flows.of(flow);
        flow.qlen -= 1;
        if flow.qlen == 0 {
            *flow = Flow::default();
            self.active -= 1;
        }
    }
}

impl FredParams {
    /// RED's parameters, with thresholds as set or as derived from the link.
    fn place(&self, link: &LinkInfo) -> RedParams {
        let quarter = link.limit.in_packets(self.mean_packet).map_or(f64::INFINITY, |limit| limit / 4.0);
        let rtt = link.rtt.unwrap_or(USUAL_RTT);
        let round_trip = link.rate.packets_per_second(self.mean_packet) * rtt.as_secs();
        let min_th = match self.min_th {
            Auto::Value(min_th) => min_th.in_packets(self.mean_packet),
            Auto::Auto => quarter.min(round_trip).max(1.0),
        };
        let max_th = match self.max_th {
            Auto::Value(max_th) => max_th.in_packets(self.mean_packet),
            Auto::Auto => 2.0 * min_th,
        };
        let thresholds = [min_th, max_th].map(|packets| Auto::Value(Length::Packets(packets)));
        RedParams { w_q: self.w_q.into(), ..RedParams::plain(thresholds, self.max_p, self.mean_packet) }
    }
}

impl Aqm for Fred {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        if cx.queue.packets == 0 {
            self.red.average.update(cx.now, 0.0);
        }
        let flow = *self.flows.of(packet.flow);
        if self.is_robust(flow) {
            self.flows.of(packet.flow).strikes += 1;
            return Verdict::Drop(Cause::Forced);
        }
        let avg = self.red.average.get();
        if avg >= self.red.curve.max_th {
            self.count = Some(0);
            Verdict::Drop(Cause::Forced)
        } else if avg >= self.red.curve.min_th {
            self.random_drop(flow.qlen, cx.rng)
        } else {
            self.count = None;
            Verdict::Pass
        }
    }

    fn on_enqueued(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) {
        // The arrival that found the queue empty has already updated the average.
        if cx.queue.packets > 1 {
            self.red.average.update(cx.now, f64::from(cx.queue.packets - 1));
        }
        let flow = self.flows.of(packet.flow);
        self.active += u32::from(flow.qlen == 0);
        flow.qlen += 1;
    }

    fn on_departure(&mut self, cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        self.leave(cx.now, cx.queue.packets, packet.meta.flow);
        Verdict::Pass
    }

    fn on_evicted(&mut self, cx: &mut Cx<'_>, packet: &Departing) {
        self.leave(cx.now, cx.queue.packets, packet.meta.flow);
    }

    fn on_idle(&mut self, now: Time) {
        self.red.on_idle(now);
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.red.params = self.params.place(link);
        self.red.on_link(now, link);
    }

    fn forget_flow(&mut self, _now: Time, flow: u32) {
        if let Some(flow) = self.flows.get_mut(flow) {
            flow.strikes = 0;
        }
    }

    fn reserve(&mut self, flows: u32) {
        self.flows.reserve(flows);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("avg", self.red.average.get());
        show("avgcq", self.avgcq());
        show("active", f64::from(self.active));
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.red.drop_function(average)
    }
}

impl AqmScheme for Fred {
    const INFO: SchemeInfo = SchemeInfo {
        name: "fred",
        aliases: &["flow-red"],
        family: "per flow",
        title: "Flow Random Early Drop (FRED)",
        source: "D. Lin, R. Morris, Dynamics of Random Early Detection, SIGCOMM 1997",
        doc: module_doc!("fred.rs"),
        ecn: true,
        params: FredParams::INFO,
        class_params: &[],
        cost: "O(1) time, O(flows) memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "Limits a flow that does not respond to losses, and spares flows with a packet or two in the queue.",
        bad: "Needs a buffer of several packets for each flow: with fewer it treats all flows alike.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Self::new(FredParams::from_settings(settings)?, link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, assert_fits, thesis_link};
    use penstock_core::Limit;
    use penstock_core::param::Value;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    /// An average that is the queue, thresholds 4 and 12, and at most 6 packets for a flow.
    fn instantaneous(max_p: f64, many_flows: bool) -> Rig {
        let settings = [("min_th", 4.0), ("max_th", 12.0), ("max_q", 6.0), ("w_q", 1.0), ("max_p", max_p)];
        let mut settings = settings.map(|(name, x)| (name, Value::Number(x))).to_vec();
        settings.push(("many_flows", Value::Flag(many_flows)));
        Rig::new("fred", &settings)
    }

    #[test]
    fn the_average_follows_departures() {
        // The example of the thesis: 500 packets and an average of 500; 250 leave before the next arrival.
        let link = LinkInfo { limit: Limit::Packets(2000), ..thesis_link() };
        let settings = [("min_th", 700.0), ("max_th", 900.0), ("max_q", 1e6), ("w_q", 0.002)]
            .map(|(name, x)| (name.to_string(), Value::Number(x)));
        let mut rig = Rig::on(&link, "fred", &settings, 1).unwrap();
        let mut average = 0.0;
        rig.arrive(501);
        for queue in 0..=500 {
            average = 0.998 * average + 0.002 * f64::from(queue);
        }
        assert!(close(rig.gauge("avg"), average));
        for queue in (250..=500).rev() {
            assert!(rig.depart());
            average = 0.998 * average + 0.002 * f64::from(queue);
        }
        assert!(close(rig.gauge("avg"), average));
    }

    #[test]
    fn a_dropped_arrival_does_not_move_the_average() {
        let settings = [("min_th", 4.0), ("max_th", 12.0), ("max_q", 2.0), ("w_q", 0.5)];
        let mut rig = Rig::new("fred", &settings.map(|(name, x)| (name, Value::Number(x))));
        rig.arrive(2);
        assert_eq!(rig.gauge("avg"), 0.5);
        rig.arrive(5);
        assert_eq!((rig.gauge("avg"), rig.counts.dropped_on_arrival), (0.5, 5));
    }

    #[test]
    fn gaps_between_random_drops_are_uniform() {
        // p_b = 1/8 at 8 packets of one flow; counts 1 to 7 after a drop give p_a = 1/7, 1/6, ..., 1
        let settings = [("min_th", 4.0), ("max_th", 12.0), ("max_q", 20.0), ("w_q", 1.0), ("max_p", 0.25)];
        let gaps = Rig::new("fred", &settings.map(|(name, x)| (name, Value::Number(x)))).gaps(8, 20_000);
        assert_fits(&gaps, 1..=7, |_| 1.0 / 7.0);
    }

    #[test]
    fn no_flow_exceeds_max_q_and_flows_below_min_q_are_spared() {
        let mut rig = instantaneous(1.0, false);
        // one flow alone: A is the queue of this flow, so qlen = A >= avgcq
        rig.arrive_from(1, 3);
        assert_eq!((rig.waiting(), rig.counts.dropped_on_arrival), (3, 0));
        // flow 2 has fewer than min_q = 2 packets while A < max_th = 12: it is never dropped
        rig.arrive_from(2, 2);
        rig.arrive_from(3, 2);
        assert_eq!((rig.waiting(), rig.counts.dropped_on_arrival), (7, 0));
    }

    #[test]
    fn the_seventh_packet_of_a_flow_is_a_strike_and_two_strikes_hold_it_at_its_share() {
        let mut rig = instantaneous(0.0, false);
        rig.arrive_from(1, 8);
        // 6 packets are queued and 2 dropped, for 2 strikes
        assert_eq!((rig.waiting(), rig.counts.dropped_on_arrival), (6, 2));
        rig.arrive_from(2, 1);
        rig.arrive_from(3, 1);
        // 5 packets leave: 1 packet of flow 1 waits. avgcq = 3/3: with two strikes qlen = 1 is no less
        (0..5).for_each(|_| assert!(rig.depart()));
        assert_eq!((rig.waiting(), rig.gauge("avgcq")), (3, 1.0));
        rig.arrive_from(1, 1);
        assert_eq!(rig.counts.dropped_on_arrival, 3);
        // the last packet of flow 1 leaves, and its strikes are forgotten
        assert!(rig.depart());
        rig.arrive_from(1, 2);
        assert_eq!(rig.counts.dropped_on_arrival, 3);
    }

    #[test]
    fn above_max_th_everyone_is_dropped_but_only_the_large_get_a_strike() {
        let mut rig = instantaneous(0.0, false);
        for flow in 0..13 {
            rig.arrive_from(flow, 1);
        }
        // A is the queue found by the last accepted arrival, 12
        assert_eq!((rig.gauge("avg"), rig.waiting()), (12.0, 13));
        rig.arrive_from(20, 3);
        assert_eq!(rig.counts.dropped_on_arrival, 3);
        // no strikes: below max_th again, flow 20 may queue avgcq and more
        (0..4).for_each(|_| assert!(rig.depart()));
        rig.arrive_from(20, 2);
        assert_eq!(rig.counts.dropped_on_arrival, 3);
    }

    #[test]
    fn many_flows_hold_each_at_two_packets_above_max_th() {
        let dropped = |many_flows| {
            let mut rig = instantaneous(0.0, many_flows);
            for flow in 1..12 {
                rig.arrive_from(flow, 1);
            }
            rig.arrive_from(0, 2);
            // A = 12 and avgcq = 1: flow 0, with 2 packets, is dropped either way, but gets a strike only with the
            // option
            rig.arrive_from(0, 2);
            assert_eq!((rig.gauge("avg"), rig.counts.dropped_on_arrival), (12.0, 2));
            // only flow 0 remains: A = avgcq = 2, and with 2 strikes its 2 packets are enough for a drop
            (0..11).for_each(|_| assert!(rig.depart()));
            rig.arrive_from(0, 1);
            rig.counts.dropped_on_arrival
        };
        assert_eq!((dropped(false), dropped(true)), (2, 3));
    }

    #[test]
    fn automatic_thresholds_are_those_of_the_paper() {
        let place = |link: &LinkInfo| {
            let params = FredParams::from_settings(&[]).unwrap().place(link);
            params.thresholds(link)
        };
        // 35 / 4; 187.5 packets/s x 100 ms = 18.75 is more
        assert_eq!(place(&thesis_link()), (8.75, 17.5));
        assert_eq!(place(&LinkInfo { limit: Limit::Infinite, ..thesis_link() }), (18.75, 37.5));
        assert_eq!(place(&LinkInfo { rtt: Some(Span::from_millis(40)), ..thesis_link() }), (7.5, 15.0));
    }
}

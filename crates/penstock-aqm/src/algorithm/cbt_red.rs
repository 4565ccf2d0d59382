//! Class-Based Threshold RED (CBT-RED).
//! M. Parris, K. Jeffay, F. D. Smith, "Lightweight Active Router-Queue Management for Multimedia Networking",
//! Multimedia Computing and Networking, 1999; as given by B. Alemu, thesis, 2004, section 1.4.1.
//!
//! # Algorithm
//! Packets are TCP, tagged UDP or other. For each class c, A_c is the average number of its waiting packets: a low-pass
//! filter with weight w_q, updated at each arrival of the class.
//!
//! * a TCP packet is judged by RED on A_tcp;
//! * a packet of another class is dropped if A_c >= T_c, its threshold, and passes otherwise.
//!
//! Random numbers are drawn for TCP packets only, as in RED.
//!
//! # Parameters
//! The parameters of RED, for TCP packets, and the thresholds `t_tagged` and `t_other`, which bound the share of
//! unresponsive packets in the queue. Packets with the codepoint `tag` are tagged UDP. If all packets have the same
//! size, a class with a threshold of k packets gets about the share of k packets in the queue, and the same share of
//! the link.
//!
//! # Differences
//! * The thesis gives no thresholds; 10 packets for tagged UDP and 2 for the rest are our choice.
//! * RED's `guards` spare TCP packets while at most one packet waits, counted over all classes.
//! * Only TCP packets are marked: a drop in another class is certain, and is not meant as a congestion signal.

use super::average_queue::{Average, Filter};
use super::red::{Red, RedParams};
use super::rio::Waiting;
use crate::aqm::{Aqm, Cause, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Default, Length, ParamErrors, ParamInfo, Settings, inherit, inherited_len, read};
use penstock_core::{Dscp, PacketMeta, Time};

penstock_core::params! {
    /// The parameters that CBT-RED adds to those of RED.
    pub struct CbtRedParams {
        /// Average number of queued tagged UDP packets above which they are dropped.
        t_tagged: Length = Default::Number(10.0), unit: "packets", at_least: 0.0;
        /// Average number of other queued packets (neither TCP nor tagged UDP) above which they are dropped.
        t_other: Length = Default::Number(2.0), unit: "packets", at_least: 0.0;
        /// Codepoint of the UDP packets that are tagged, as a name or a number.
        tag: Dscp = Default::Text("EF");
    }
}

const PARAMS: [ParamInfo; inherited_len(CbtRedParams::INFO, RedParams::INFO)] =
    inherit(CbtRedParams::INFO, RedParams::INFO, &[]);

const TCP: u8 = 6;
const UDP: u8 = 17;

/// Class-Based Threshold RED.
#[derive(Clone, Debug)]
pub struct CbtRed {
    tag: Dscp,
    /// The RED that judges TCP packets, by the number of waiting TCP packets.
    red: Red,
    tcp: Waiting,
    tagged: Bounded,
    other: Bounded,
}

/// A class whose average must stay below a threshold, in the unit that the queue is measured in.
#[derive(Clone, Debug)]
struct Bounded {
    threshold: f64,
    average: Average,
    waiting: Waiting,
}

impl CbtRed {
    /// The AQM that judges TCP packets by `red`.
    pub fn new(params: &CbtRedParams, red: Red) -> Self {
        let bounded = |threshold| Bounded {
            threshold: red.params.in_unit(threshold),
            average: Average::new(class_filter(&red)),
            waiting: Waiting::default(),
        };
        let (tagged, other) = (bounded(params.t_tagged), bounded(params.t_other));
        Self { tag: params.tag, red, tcp: Waiting::default(), tagged, other }
    }

    /// The class of a packet that is not TCP.
    fn bounded(&mut self, packet: &PacketMeta) -> &mut Bounded {
        let is_tagged = packet.protocol == UDP && packet.dscp == self.tag.number();
        if is_tagged { &mut self.tagged } else { &mut self.other }
    }

    fn waiting(&mut self, packet: &PacketMeta) -> &mut Waiting {
        if packet.protocol == TCP { &mut self.tcp } else { &mut self.bounded(packet).waiting }
    }
}

/// The filter of the averages that bound a class: RED's, without `whole_average`.
fn class_filter(red: &Red) -> Filter {
    Filter { whole: false, ..red.average.filter }
}

impl Aqm for CbtRed {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let queue = self.waiting(packet).of(&cx.queue);
        let q = self.red.length(&queue);
        if packet.protocol == TCP {
            self.red.average.update(cx.now, q);
            return self.red.judge(self.red.length(&cx.queue), packet.size, cx.rng);
        }
        let class = self.bounded(packet);
        class.average.update(cx.now, q);
        if class.average.get() >= class.threshold { Verdict::Drop(Cause::Forced) } else { Verdict::Pass }
    }

    fn on_enqueued(&mut self, _cx: &mut Cx<'_>, packet: &PacketMeta) {
        self.waiting(packet).add(packet);
    }

    fn on_overflow(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) {
        if packet.protocol == TCP {
            self.red.on_overflow(cx, packet);
        }
    }

    fn on_departure(&mut self, _cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        self.waiting(&packet.meta).remove(&packet.meta);
        Verdict::Pass
    }

    fn on_evicted(&mut self, _cx: &mut Cx<'_>, packet: &Departing) {
        self.waiting(&packet.meta).remove(&packet.meta);
    }

    fn on_idle(&mut self, now: Time) {
        self.red.on_idle(now);
        self.tagged.average.on_idle(now);
        self.other.average.on_idle(now);
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.red.on_link(now, link);
        for class in [&mut self.tagged, &mut self.other] {
            class.average.filter = class_filter(&self.red);
        }
    }

    /// The gauges of RED for TCP packets, and the averages of the other classes.
    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.red.gauges(show);
        show("avg_tagged", self.tagged.average.get());
        show("avg_other", self.other.average.get());
    }

    /// The drop function of TCP packets.
    fn drop_function(&self, average: f64) -> Option<f64> {
        self.red.drop_function(average)
    }
}

impl AqmScheme for CbtRed {
    const INFO: SchemeInfo = SchemeInfo {
        name: "cbt-red",
        aliases: &["cbt"],
        family: "classes",
        title: "Class-Based Threshold RED",
        source: "M. Parris, K. Jeffay, F. D. Smith, Lightweight Active Router-Queue Management for Multimedia \
                 Networking, MMCN 1999; B. Alemu, thesis, 2004, section 1.4.1",
        doc: module_doc!("cbt_red.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "Unresponsive UDP gets its threshold's share of the queue, TCP the rest, without per-flow state.",
        bad: "The shares follow from thresholds chosen for one mix of sizes and loads; no fairness within a class.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        let (params, red): (CbtRedParams, RedParams) = read(settings, &PARAMS)?;
        Ok(Self::new(&params, Red::new(red, link)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, any_packet};
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Rng, Span};

    fn packet(protocol: u8, dscp: u8) -> PacketMeta {
        PacketMeta { flow: 0, size: 1000, ecn: Ecn::Ect0, dscp, protocol, rare: None }
    }

    const TAGGED: (u8, u8) = (UDP, 46);
    const UNTAGGED: (u8, u8) = (UDP, 0);
    const DATA: (u8, u8) = (TCP, 46);

    fn send(rig: &mut Rig, (protocol, dscp): (u8, u8), n: u32) -> u64 {
        let before = rig.counts.queued;
        (0..n).for_each(|_| rig.arrive_packet(packet(protocol, dscp)));
        rig.counts.queued - before
    }

    #[test]
    fn each_class_is_held_at_its_own_threshold() {
        // the averages are what an arrival finds: an arrival that finds T_c packets of its class is dropped
        let mut rig = Rig::new("cbt-red", &[("w_q", Value::Number(1.0))]);
        assert_eq!(send(&mut rig, TAGGED, 30), 10);
        assert_eq!(send(&mut rig, UNTAGGED, 30), 2);
        // packets of other protocols are in the class "other", whatever their codepoint
        assert_eq!(send(&mut rig, (50, 46), 5), 0);
        assert_eq!((rig.gauge("avg"), rig.gauge("avg_tagged"), rig.gauge("avg_other")), (0.0, 10.0, 2.0));
        // twelve packets wait, and all 15 places for TCP are still free
        assert!(send(&mut rig, DATA, 12) >= 11);
    }

    #[test]
    fn averages_move_at_arrivals_of_their_class_only() {
        let mut rig = Rig::new("cbt-red", &[("w_q", Value::Number(0.5))]);
        send(&mut rig, TAGGED, 4);
        // they found 0, 1, 2, 3 packets: the averages are 0, 0.5, 1.25, 2.125
        assert_eq!(rig.gauge("avg_tagged"), 2.125);
        send(&mut rig, UNTAGGED, 2);
        send(&mut rig, DATA, 3);
        assert_eq!((rig.gauge("avg_tagged"), rig.gauge("avg_other"), rig.gauge("avg")), (2.125, 0.5, 1.25));
    }

    #[test]
    fn a_class_that_has_left_may_come_again() {
        let mut rig = Rig::new("cbt-red", &[("w_q", Value::Number(1.0))]);
        send(&mut rig, UNTAGGED, 3);
        rig.depart();
        assert_eq!(send(&mut rig, UNTAGGED, 2), 1);
    }

    #[test]
    fn only_tcp_packets_are_marked() {
        let ecn = [("w_q", Value::Number(1.0)), ("max_p", Value::Number(1.0)), ("ecn", Value::Flag(true))];
        let mut rig = Rig::new("cbt-red", &ecn);
        send(&mut rig, TAGGED, 20);
        assert_eq!((rig.counts.marked, rig.counts.dropped_on_arrival), (0, 10));
        send(&mut rig, DATA, 15);
        assert!(rig.counts.marked > 0);
    }

    #[test]
    fn for_tcp_alone_it_is_red() {
        let mut rigs = ["cbt-red", "red"].map(|scheme| Rig::new(scheme, &[("w_q", Value::Number(0.05))]));
        let mut script = Rng::stream(3, "script");
        for _ in 0..20_000 {
            let arrival = script.chance(0.55).then(|| PacketMeta { protocol: TCP, ..any_packet(&mut script, 1500) });
            for rig in &mut rigs {
                match arrival {
                    Some(packet) => rig.arrive_packet(packet),
                    None => drop(rig.depart()),
                }
                rig.advance(Span::from_micros(100));
            }
            assert_eq!(rigs[0].counts, rigs[1].counts);
        }
        assert!(rigs[0].counts.dropped_on_arrival > 100);
    }
}

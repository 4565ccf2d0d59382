//! WRED with Thresholds (WRT).
//! U. Bodin, O. Schelen, S. Pink, "Load-tolerant Differentiation with Active Queue Management", ACM Computer
//! Communication Review 30(3), 2000; as given by U. Bodin, O. Schelen, "Drop Strategies and Loss-rate Differentiation",
//! 2001, section 2.1.
//!
//! # Algorithm
//! WRED with a second average: avg_in, the average number of waiting packets of level 0 ("in"), updated at each of
//! their arrivals. While avg_in is above th_in, an arriving packet of level 0 is judged as if it were of level 1
//! ("out"); so in-profile traffic that is not policed cannot starve the rest. Random numbers are drawn as in WRED, for
//! the level that judges the packet.
//!
//! # Parameters
//! The parameters of WRED, with two levels or more, and `th_in`. Its "auto" is max_th of level 1: at that queue,
//! in-profile packets alone would cause all other packets to be dropped.
//!
//! # Differences
//! * The paper specifies neither th_in nor the weight of avg_in; here avg_in has the weight of the other average.
//! * A packet of level 0 that is judged at level 1 counts among the arrivals of level 1, and restarts their count if it
//!   overflows the queue.

use super::average_queue::Average;
use super::rio::Waiting;
use super::wred::{Wred, WredParams};
use crate::aqm::{Aqm, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::format;
use penstock_core::param::{
    Auto, Default, Length, ParamErrors, ParamInfo, Settings, inherit, inherited_len, read_with,
};
use penstock_core::{PacketMeta, Time};

penstock_core::params! {
    /// Parameters that WRT adds to those of WRED.
    pub struct WrtParams {
        /// Average number of waiting packets of level 0 above which they are judged as level 1; "auto" is max_th of
        /// level 1.
        th_in: Auto<Length> = Default::Text("auto"), unit: "packets", at_least: 0.0;
    }
}

const PARAMS: [ParamInfo; inherited_len(WrtParams::INFO, WredParams::INFO)] =
    inherit(WrtParams::INFO, WredParams::INFO, &[]);

/// WRED with Thresholds.
#[derive(Clone, Debug)]
pub struct Wrt {
    wred: Wred,
    /// In the unit that the queue is measured in.
    th_in: f64,
    avg_in: Average,
    waiting_in: Waiting,
    /// The level that judged the last arrival.
    level: usize,
}

impl Wrt {
    /// The AQM that judges packets by `wred`, which has at least two levels.
    pub fn new(params: &WrtParams, wred: Wred) -> Self {
        let th_in = match params.th_in {
            Auto::Auto => wred.max_th(1),
            Auto::Value(length) => wred.in_unit(length),
        };
        let avg_in = Average::new(wred.filter());
        Self { wred, th_in, avg_in, waiting_in: Waiting::default(), level: 0 }
    }
}

impl Aqm for Wrt {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let q = self.wred.length(&cx.queue);
        self.wred.update_average(cx.now, q);
        let mut level = self.wred.level(packet);
        if level == 0 {
            let q_in = self.wred.length(&self.waiting_in.of(&cx.queue));
            self.avg_in.update(cx.now, q_in);
            level = usize::from(self.avg_in.get() > self.th_in);
        }
        self.level = level;
        self.wred.judge(level, q, cx.rng)
    }

    fn on_enqueued(&mut self, _cx: &mut Cx<'_>, packet: &PacketMeta) {
        if self.wred.level(packet) == 0 {
            self.waiting_in.add(packet);
        }
    }

    fn on_overflow(&mut self, _cx: &mut Cx<'_>, _packet: &PacketMeta) {
        self.wred.restart_count(self.level);
    }

    fn on_departure(&mut self, _cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        if self.wred.level(&packet.meta) == 0 {
            self.waiting_in.remove(&packet.meta);
        }
        Verdict::Pass
    }

    fn on_evicted(&mut self, _cx: &mut Cx<'_>, packet: &Departing) {
        if self.wred.level(&packet.meta) == 0 {
            self.waiting_in.remove(&packet.meta);
        }
    }

    fn on_idle(&mut self, now: Time) {
        self.wred.on_idle(now);
        self.avg_in.on_idle(now);
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.wred.on_link(now, link);
        self.avg_in.filter = self.wred.filter();
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.wred.gauges(show);
        show("avg_in", self.avg_in.get());
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.wred.drop_function(average)
    }
}

impl AqmScheme for Wrt {
    const INFO: SchemeInfo = SchemeInfo {
        name: "wrt",
        aliases: &[],
        family: "classes",
        title: "WRED with Thresholds",
        source: "U. Bodin, O. Schelen, S. Pink, Load-tolerant Differentiation with Active Queue Management, \
                 ACM Computer Communication Review 30(3), 2000",
        doc: module_doc!("wrt.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time, O(levels) memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "Protects in-profile packets like WRED, but in-profile traffic that is not policed cannot starve the \
              rest.",
        bad: "Like WRED it drops late and in bursts; in-profile traffic above th_in loses all protection.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        let (params, wred) = read_with(settings, &PARAMS, |reader| {
            let (params, wred) = (reader.params::<WrtParams>(), reader.params::<WredParams>());
            let levels = wred.as_ref().map_or(2, |wred| wred.max_p.len());
            if levels < 2 {
                reader.refuse("max_p", format!("has {levels} entries: expected two to eight levels"));
            }
            Some((params?, wred?))
        })?;
        Ok(Self::new(&params, Wred::new(&wred, link)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, thesis_link};
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Limit, Rng, Span};

    const IN: u8 = 10;
    const OUT: u8 = 12;

    /// Level 0 is never dropped, level 1 between 15 and 45 packets.
    fn unlimited(scheme: &str, extra: &[(&str, Value)]) -> Rig {
        let numbers = |list: &[f64]| Value::Numbers(list.into());
        let mut settings = vec![("min_th", numbers(&[1e6, 15.0])), ("max_th", numbers(&[2e6, 45.0]))];
        settings.extend_from_slice(extra);
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        Rig::on(&LinkInfo { limit: Limit::Infinite, ..thesis_link() }, scheme, &settings, 1).unwrap()
    }

    fn send(rig: &mut Rig, dscp: u8, n: u32) {
        let packet = PacketMeta { flow: 0, size: 1000, ecn: Ecn::Not, dscp, protocol: 6, rare: None };
        (0..n).for_each(|_| rig.arrive_packet(packet));
    }

    #[test]
    fn in_packets_above_their_threshold_are_out() {
        // the averages are what an arrival finds; "auto" is max_th(1) = 45
        let mut wrt = unlimited("wrt", &[("w_q", Value::Number(1.0))]);
        send(&mut wrt, IN, 46);
        assert_eq!((wrt.waiting(), wrt.gauge("avg_in")), (46, 45.0));
        send(&mut wrt, IN, 10);
        // avg_in is 46 and avg is above max_th(1)
        assert_eq!(wrt.waiting(), 46);
    }

    #[test]
    fn wred_would_let_in_packets_starve_the_rest() {
        let mut wred = unlimited("wred", &[("w_q", Value::Number(1.0))]);
        send(&mut wred, IN, 100);
        assert_eq!(wred.waiting(), 100);
    }

    #[test]
    fn out_packets_do_not_count_towards_the_threshold() {
        let mut wrt = unlimited("wrt", &[("w_q", Value::Number(1.0)), ("th_in", Value::Number(3.0))]);
        send(&mut wrt, OUT, 15);
        send(&mut wrt, IN, 4);
        assert_eq!((wrt.gauge("avg"), wrt.gauge("avg_in")), (18.0, 3.0));
        // the threshold counts the waiting packets: one In packet leaves 15 Out packets behind
        for _ in 0..16 {
            wrt.depart();
        }
        send(&mut wrt, IN, 1);
        assert_eq!(wrt.gauge("avg_in"), 3.0);
    }

    #[test]
    fn th_in_moves_the_line() {
        let settings = |th_in| [("w_q", Value::Number(1.0)), ("th_in", Value::Number(th_in))];
        for (th_in, waits) in [(60.0, 61), (80.0, 81)] {
            let mut wrt = unlimited("wrt", &settings(th_in));
            send(&mut wrt, IN, 200);
            assert_eq!(wrt.waiting(), waits);
        }
    }

    #[test]
    fn wrt_is_wred_while_only_out_packets_are_dropped() {
        let mut rigs = [unlimited("wrt", &[("th_in", Value::Number(1e6))]), unlimited("wred", &[])];
        let mut script = Rng::stream(2, "script");
        for _ in 0..50_000 {
            let arrival = script.chance(0.515).then(|| if script.chance(0.5) { IN } else { OUT });
            for rig in &mut rigs {
                match arrival {
                    Some(dscp) => send(rig, dscp, 1),
                    None => drop(rig.depart()),
                }
                rig.advance(Span::from_millis(1));
            }
            assert_eq!(rigs[0].counts, rigs[1].counts);
        }
        assert!(rigs[0].counts.dropped_on_arrival > 100);
    }

    #[test]
    fn a_packet_without_room_sets_back_the_count_of_the_level_that_judged_it() {
        let mut wrt = unlimited("wrt", &[("w_q", Value::Number(1.0)), ("th_in", Value::Number(0.0))]);
        // level 1 counts arrivals that find 15 packets or more: after 15 arrivals n p_b = 15 * 0.0467 = 0.7 drops
        // nothing yet
        send(&mut wrt, IN, 30);
        wrt.relink(&LinkInfo { limit: Limit::Packets(30), ..thesis_link() });
        send(&mut wrt, IN, 1);
        assert_eq!(wrt.counts.dropped_on_arrival, 1);
        wrt.relink(&LinkInfo { limit: Limit::Infinite, ..thesis_link() });
        // p_b = 0.1 (q - 15) / 30, and the n-th from here finds q = 29 + n: n p_b = 11 * 0.0833 = 0.92 is still
        // below 1. If the old count continued, a drop would be certain by the tenth, for which n p_b = 26 * 0.08 =
        // 2.08.
        send(&mut wrt, IN, 11);
        assert_eq!((wrt.waiting(), wrt.counts.dropped_on_arrival), (41, 1));
    }

    #[test]
    fn one_level_is_refused() {
        let one = |name: &str, x| (name.to_string(), Value::Numbers(vec![x]));
        let settings = [one("min_th", 5.0), one("max_th", 15.0), one("max_p", 0.1)];
        let errors = Wrt::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap_err();
        assert_eq!(errors[0].message, "has 1 entries: expected two to eight levels");
    }
}

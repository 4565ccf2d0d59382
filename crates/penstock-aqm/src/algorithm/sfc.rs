//! SFC: the state feedback controller.
//! Y. Gao, J. Hou, "A State Feedback Control Approach to Stabilizing Queues for ECN-Enabled TCP Connections", INFOCOM
//! 2003, as far as given by T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD
//! thesis, Université Montpellier II, 2004, table 1.1: p = k1 a + k2 y, from queue and input rate, with a target queue,
//! at packet arrival. The details are ours.
//!
//! # Algorithm
//! With the queue K that a packet finds on arrival, the rate lambda of the arrivals and the capacity C (both in packets
//! per second), the packet is dropped or marked with probability
//!
//! * p = min(max(p0 + k1 (K - KT) + k2 (lambda - C) / C, 0), 1).
//!
//! The measurement of lambda includes this packet. A time T after the previous packet, lambda = (1 - e^(-T / interval))
//! / T + e^(-T / interval) lambda; for T = 0, and for the very first packet, lambda = lambda + 1 / interval. A number
//! is drawn for each arrival while 0 < p < 1.
//!
//! # Parameters
//! `target` is KT; `p0` the probability at equilibrium, `k1` the gain of the queue per packet, `k2` the gain of the
//! rate. "auto" is our design for N flows, the round-trip time R = B / C + `rtt` through a full queue, and C. With b =
//! C^2 / (2 N), it passes Routh's test for the linearized loop:
//!
//! * p0 = 2 N^2 / (R C)^2, k1 = 1 / (8 R^2 b), k2 = C / (2 R b).
//!
//! With a wrong p0 the queue misses its target by (p - p0) / k1 packets.
//!
//! # Differences
//! * The paper was not available: the measurement of lambda, the defaults and the design rule are ours.

use super::link_facts;
use super::random_verdict::toss;
use crate::aqm::{Aqm, Cx, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::vec::Vec;
use penstock_core::param::{Auto, Default, LengthOrTime, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Span, Time, math};
use penstock_model::sfc_design;

penstock_core::params! {
    /// Parameters of SFC.
    pub struct SfcParams {
        /// Target queue KT.
        target: LengthOrTime = Default::Number(10.0), unit: "packets", at_least: 0.0;
        /// Probability at equilibrium; "auto" derives it from flows, round-trip time and rate.
        p0: Auto<f64> = Default::Number(0.0), range: 0.0..=1.0;
        /// Gain of the queue, per packet; "auto" derives it from flows, round-trip time and rate.
        k1: Auto<f64> = Default::Number(0.002), range: 0.0..=1000.0;
        /// Gain of the rate, relative to the capacity; "auto" derives it from flows, round-trip time and rate.
        k2: Auto<f64> = Default::Number(0.02), range: 0.0..=1000.0;
        /// Time over which the rate of the arrivals is averaged: about a round trip.
        interval: Span = Default::Nanos(200_000_000), unit: "s", at_least: 0.000_1;
        /// Typical packet size, for the capacity, and to convert a target in time or bytes.
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
    }
}

/// Values derived from the parameters and the link.
#[derive(Clone, Debug)]
struct Derived {
    target: f64,
    p0: f64,
    k1: f64,
    /// k2 / C
    k2: f64,
    /// C in packets per second.
    capacity: f64,
}

/// The state feedback controller.
#[derive(Clone, Debug)]
pub struct Sfc {
    params: SfcParams,
    derived: Derived,
    /// Arrivals per second.
    lambda: f64,
    last: Option<Time>,
    /// p at the last arrival.
    p: f64,
}

impl Derived {
    fn new(params: &SfcParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        let mut errors = Vec::new();
        let target = link_facts::target(params.target, params.mean_packet, link).map_err(|error| errors.push(error));
        let capacity = link.rate.packets_per_second(params.mean_packet);
        let mut gain = |name, given, rule: fn(sfc_design::Gains) -> f64| match given {
            Auto::Value(gain) => gain,
            Auto::Auto => match link_facts::plant(name, params.mean_packet, link) {
                Ok(plant) => rule(sfc_design::gains(&plant)),
                Err(error) => {
                    errors.push(error);
                    0.0
                }
            },
        };
        let p0 = gain("p0", params.p0, |gains| gains.p0.min(1.0));
        let k1 = gain("k1", params.k1, |gains| gains.k1);
        let k2 = match params.k2 {
            Auto::Value(k2) => k2 / capacity,
            auto @ Auto::Auto => gain("k2", auto, |gains| gains.k2),
        };
        let derived = target.ok().filter(|_| errors.is_empty());
        derived.map(|target| Self { target, p0, k1, k2, capacity }).ok_or(errors)
    }
}

impl Sfc {
    /// lambda, including a packet that arrives now.
    fn update_rate(&mut self, now: Time) {
        let interval = self.params.interval.as_secs();
        let elapsed = self.last.map_or(0.0, |last| now.since(last).as_secs());
        self.last = Some(now);
        let kept = math::exp(-elapsed / interval);
        let added = if elapsed > 0.0 { (1.0 - kept) / elapsed } else { 1.0 / interval };
        self.lambda = added + kept * self.lambda;
    }

    fn probability(&self, queue: f64) -> f64 {
        let Derived { target, p0, k1, k2, capacity } = self.derived;
        (p0 + k1 * (queue - target) + k2 * (self.lambda - capacity)).clamp(0.0, 1.0)
    }
}

impl Aqm for Sfc {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) -> Verdict {
        self.update_rate(cx.now);
        self.p = self.probability(f64::from(cx.queue.packets));
        toss(self.p, self.params.ecn, cx.rng)
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        // On a link where the target or the gains are invalid, the AQM keeps its settings.
        if let Ok(derived) = Derived::new(&self.params, link) {
            self.derived = derived;
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("p", self.p);
        show("lambda", self.lambda);
    }
}

impl AqmScheme for Sfc {
    const INFO: SchemeInfo = SchemeInfo {
        name: "sfc",
        aliases: &[],
        family: "control",
        title: "State feedback controller (SFC)",
        source: "Y. Gao, J. Hou, A State Feedback Control Approach to Stabilizing Queues for ECN-Enabled TCP \
                 Connections, INFOCOM 2003",
        doc: module_doc!("sfc.rs"),
        ecn: true,
        params: SfcParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "Responds to the rate of the arrivals before the queue has grown.",
        bad: "Without an integral term it misses its target unless p0 is the p that the load needs.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        let params = SfcParams::from_settings(settings)?;
        let derived = Derived::new(&params, link)?;
        Ok(Self { params, derived, lambda: 0.0, last: None, p: 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, assert_fits, thesis_link};
    use penstock_core::param::Value;

    #[test]
    fn the_rate_of_steady_arrivals_is_measured_exactly() {
        let mut rig = Rig::new("sfc", &[]);
        for _ in 0..10_000 {
            rig.arrive(1);
            rig.depart();
            rig.advance(Span::from_millis(4));
        }
        assert!((rig.gauge("lambda") - 250.0).abs() < 1e-9);
        // 0.002 (0 - 10) + 0.02 (250 - 187.5) / 187.5 is below 0
        assert_eq!(rig.gauge("p"), 0.0);
    }

    #[test]
    fn packets_at_one_instant_add_up() {
        let mut rig = Rig::new("sfc", &[]);
        rig.arrive(3);
        // 1 / 0.2 s each
        assert!((rig.gauge("lambda") - 15.0).abs() < 1e-12);
    }

    #[test]
    fn p_follows_queue_and_rate() {
        let settings = [("p0", Value::Number(0.1)), ("k1", Value::Number(0.01)), ("k2", Value::Number(0.25))];
        let mut rig = Rig::new("sfc", &settings);
        rig.arrive(1);
        // 0.1 + 0.01 (0 - 10) + 0.25 (5 - 187.5) / 187.5 < 0
        assert_eq!(rig.gauge("p"), 0.0);
        while rig.waiting() < 20 {
            rig.arrive(1);
        }
        for _ in 0..10_000 {
            rig.advance(Span::from_millis(5));
            while rig.waiting() > 20 {
                rig.depart();
            }
            while rig.waiting() < 20 {
                rig.arrive(1);
            }
            rig.arrive(1);
        }
        let lambda = rig.gauge("lambda");
        let p = 0.1 + 0.01 * 10.0 + 0.25 * (lambda - 187.5) / 187.5;
        assert!(lambda > 187.5 && (rig.gauge("p") - p).abs() < 1e-12);
    }

    #[test]
    fn gaps_between_drops_are_geometric() {
        // no gain of the rate: 0.1 + 0.01 (15 - 10)
        let settings = [("p0", Value::Number(0.1)), ("k1", Value::Number(0.01)), ("k2", Value::Number(0.0))];
        let gaps = Rig::new("sfc", &settings).gaps(15, 20_000);
        assert_fits(&gaps, 1..=40, |n| 0.15 * 0.85_f64.powf(f64::from(n) - 1.0));
    }

    #[test]
    fn automatic_gains_are_those_of_the_design_rule() {
        let auto = ["p0", "k1", "k2"].map(|name| (name.into(), Value::Text("auto".into())));
        let link = LinkInfo { rtt: Some(Span::from_nanos(13_333_333)), flows: Some(3), ..thesis_link() };
        // R = 0.2 s: b = 187.5^2 / 6 = 5859.375, R C = 37.5
        let Derived { p0, k1, k2, .. } = Sfc::from_settings(&auto, &link, Time::ZERO).unwrap().derived;
        assert!((p0 - 18.0 / 1406.25).abs() < 1e-9);
        assert!((k1 - 1.0 / (8.0 * 0.04 * 5859.375)).abs() < 1e-9);
        assert!((k2 - 1.0 / (2.0 * 0.2 * 5859.375)).abs() < 1e-9);
        let errors = Sfc::from_settings(&auto, &thesis_link(), Time::ZERO).unwrap_err();
        assert_eq!(errors.iter().map(|error| error.name.as_str()).collect::<Vec<_>>(), ["p0", "k1", "k2"]);
    }
}

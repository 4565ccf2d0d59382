//! P: the proportional controller.
//! C. Hollot, V. Misra, D. Towsley, W. Gong, "On Designing Improved Controllers for AQM Routers Supporting TCP Flows",
//! INFOCOM 2001, as given by T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD
//! thesis, Université Montpellier II, 2004, section 1.2.2.3; equation numbers are the thesis'.
//!
//! # Algorithm
//! RED without its average: each arriving packet, which finds the queue K, is dropped or marked with probability
//! (equation 1.20)
//!
//! * p = min(max(max_p (K - min_th) / (max_th - min_th), 0), 1).
//!
//! A number is drawn for each arrival while 0 < p < 1.
//!
//! # Parameters
//! `min_th` is the queue from which packets are dropped, `max_th` the queue at which p is max_p. `max_th` "auto" is as
//! close to min_th as stability allows, for N flows, the round-trip time R = B / C + `rtt` through a full queue, and
//! the capacity C:
//!
//! * max_th - min_th = max_p / L, L = |(1 + i omega_g / p_tcp) (1 + i omega_g / p_queue)| (2 N)^2 / (R C)^3,
//! * omega_g = sqrt(2 N / (R^3 C)), p_tcp = -2 N / (R^2 C), p_queue = -1 / R.
//!
//! For few flows this distance is more than most queues hold: 82 packets with 3 flows on the thesis' link.
//!
//! # Differences
//! * Above max_th, p continues to rise with the same slope, up to 1: the thesis has no region of certain drops.
//! * The thesis gives no thresholds; the defaults are RED's.

use super::link_facts;
use super::random_verdict::toss;
use crate::aqm::{Aqm, Cx, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::format;
use penstock_core::param::{Auto, Default, Length, ParamError, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Time};
use penstock_model::p_design;

penstock_core::params! {
    /// Parameters of P.
    pub struct ProportionalParams {
        /// Queue from which packets are dropped.
        min_th: Length = Default::Number(5.0), unit: "packets", at_least: 0.0;
        /// Queue at which the drop probability is max_p; "auto" derives it from flows, round-trip time and rate.
        max_th: Auto<Length> = Default::Number(15.0), unit: "packets", at_least: 0.0;
        /// Drop probability at max_th.
        max_p: f64 = Default::Number(0.1), range: 0.0..=1.0;
        /// Typical packet size, to convert lengths in bytes and for "auto".
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
    }
}

/// The proportional controller.
#[derive(Clone, Debug)]
pub struct Proportional {
    params: ProportionalParams,
    min_th: f64,
    /// Rise of p per packet.
    slope: f64,
    /// p at the last arrival.
    p: f64,
}

impl Proportional {
    /// The AQM on this link, or the contradiction in `params`.
    pub fn new(params: ProportionalParams, link: &LinkInfo) -> Result<Self, ParamError> {
        let min_th = params.min_th.in_packets(params.mean_packet);
        let slope = slope(&params, min_th, link)?;
        Ok(Self { params, min_th, slope, p: 0.0 })
    }

    /// Equation 1.20.
    fn probability(&self, queue: f64) -> f64 {
        (self.slope * (queue - self.min_th)).clamp(0.0, 1.0)
    }
}

/// max_p / (max_th - min_th).
fn slope(params: &ProportionalParams, min_th: f64, link: &LinkInfo) -> Result<f64, ParamError> {
    match params.max_th {
        Auto::Auto => Ok(p_design::slope(&link_facts::plant("max_th", params.mean_packet, link)?)),
        Auto::Value(max_th) => {
            let max_th = max_th.in_packets(params.mean_packet);
            if min_th >= max_th {
                let message = format!("must be below max_th, {max_th} packets");
                return Err(ParamError::new("min_th", message));
            }
            Ok(params.max_p / (max_th - min_th))
        }
    }
}

impl Aqm for Proportional {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) -> Verdict {
        self.p = self.probability(f64::from(cx.queue.packets));
        toss(self.p, self.params.ecn, cx.rng)
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        // On a link without the facts that max_th "auto" needs, the AQM keeps its settings.
        if let Ok(slope) = slope(&self.params, self.min_th, link) {
            self.slope = slope;
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("p", self.p);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        Some(self.probability(average))
    }
}

impl AqmScheme for Proportional {
    const INFO: SchemeInfo = SchemeInfo {
        name: "p",
        aliases: &[],
        family: "control",
        title: "Proportional controller (P)",
        source: "C. Hollot, V. Misra, D. Towsley, W. Gong, On Designing Improved Controllers for AQM Routers Supporting \
                 TCP Flows, INFOCOM 2001",
        doc: module_doc!("p.rs"),
        ecn: true,
        params: ProportionalParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "Responds immediately to a change of the queue, because it does not average.",
        bad: "The steady queue rises with the number of flows, and a slope that is stable for few flows needs a longer \
              queue than there is room for.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Self::new(ProportionalParams::from_settings(settings)?, link).map_err(|error| alloc::vec![error])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, assert_fits, thesis_link};
    use penstock_core::Span;
    use penstock_core::param::Value;

    #[test]
    fn p_is_linear_and_goes_on_above_max_th() {
        let rig = Rig::new("p", &[("max_p", Value::Number(0.25))]);
        let p = [0.0, 5.0, 9.0, 15.0, 25.0, 45.0, 60.0].map(|queue| rig.drop_function(queue));
        assert_eq!(p, [0.0, 0.0, 0.1, 0.25, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn the_queue_of_the_moment_counts() {
        let mut rig = Rig::new("p", &[]);
        rig.arrive(8);
        // the last packet found 7 packets
        assert!((rig.gauge("p") - 0.02).abs() < 1e-12);
        while rig.waiting() > 5 {
            rig.depart();
        }
        rig.arrive(1);
        assert_eq!(rig.gauge("p"), 0.0);
    }

    #[test]
    fn gaps_between_drops_are_geometric() {
        let gaps = Rig::new("p", &[("max_p", Value::Number(0.5))]).gaps(9, 20_000);
        assert_fits(&gaps, 1..=30, |n| 0.2 * 0.8_f64.powf(f64::from(n) - 1.0));
    }

    #[test]
    fn automatic_max_th_is_that_of_the_design_rule() {
        let auto = [("max_th".into(), Value::Text("auto".into()))];
        // R = 0.241 s: L = 0.0012129 per packet
        let link = LinkInfo { rtt: Some(Span::from_nanos(54_333_333)), flows: Some(3), ..thesis_link() };
        let aqm = Proportional::from_settings(&auto, &link, Time::ZERO).unwrap();
        assert!((aqm.drop_function(35.0).unwrap() - 30.0 * 0.001_212_9).abs() < 1e-5);
        assert_eq!(Proportional::from_settings(&auto, &thesis_link(), Time::ZERO).unwrap_err()[0].name, "max_th");
    }

    #[test]
    fn contradictory_thresholds_are_refused() {
        let errors = Proportional::from_settings(&[("min_th".into(), Value::Number(15.0))], &thesis_link(), Time::ZERO)
            .unwrap_err();
        assert_eq!(errors[0].message, "must be below max_th, 15 packets");
    }
}

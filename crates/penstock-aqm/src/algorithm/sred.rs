//! Stabilized RED (SRED).
//! T. Ott, T. Lakshman, L. Wong, "SRED: Stabilized RED", INFOCOM 1999, as given by T. Alemu, "Performance Evaluation of
//! Quality of Service Mechanisms in the Internet", PhD thesis, Université Montpellier II, 2004, section 1.2.1.3;
//! equation numbers are the thesis'.
//!
//! # Algorithm
//! A list holds `zombies` flows that sent packets recently. Until it is full, each arriving packet adds its flow. From
//! then on each arrival is compared with a random zombie: Hit = 1 if the flow is the same; if not, Hit = 0 and the
//! packet's flow replaces the zombie with probability `p`. With K waiting packets and a limit of B:
//!
//! * P = (1 - alpha) P + alpha Hit (equation 1.4), so that 1/P estimates the number of flows N;
//! * p_sred = 0 for K < B/6, max_p / 4 for K < B/3, max_p above (equation 1.6);
//! * "simple": drop or mark with probability p_sred min(1, 1 / (256 P)^2) (equation 1.7);
//! * "full": with the probability of "simple" times 1 + Hit / P, which penalizes flows that exceed their share
//!   (equation 1.8).
//!
//! One number is drawn for the zombie, once the list is full; one for its replacement, after a miss with 0 < p < 1; one
//! for the drop, if its probability is between 0 and 1. Arrivals that are dropped update P, too.
//!
//! # Parameters
//! alpha "auto" is p / zombies, so that the estimate reaches as far back as the list. The probability is squared
//! because the windows of N TCP flows, each about 1 / sqrt(drop probability), then add up to the same for any N; above
//! 256 flows the probability stays at p_sred. B is in bytes if the limit is given in bytes.
//!
//! # Differences
//! * By the thesis' text a hit, too, may replace the zombie; in the paper, and here, only a miss does.
//! * The zombies' counts and times are left out: in the paper they identify misbehaving flows, and no probability uses
//!   them.
//! * Without a limit B nothing is dropped.

use super::random_verdict::toss;
use crate::aqm::{Aqm, Backlog, Cx, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::vec::Vec;
use penstock_core::param::{Auto, Default, ParamErrors, Settings};
use penstock_core::{Limit, PacketMeta, Rng, Time};

/// Number of flows from which the probability is not reduced.
const MANY_FLOWS: f64 = 256.0;

penstock_core::choice! {
    /// Whether flows with more hits are dropped more.
    pub enum Variant {
        /// Equation 1.7: all flows alike.
        Simple = "simple",
        /// Equation 1.8: more at a hit.
        Full = "full",
    }
}

penstock_core::params! {
    /// Parameters of Stabilized RED.
    pub struct SredParams {
        /// Treat all flows alike, or drop more from flows with hits.
        variant: Variant = Default::Text("full");
        /// Length M of the list.
        zombies: u32 = Default::Number(1000.0), range: 1.0..=1e6;
        /// Probability that a missed zombie is replaced.
        p: f64 = Default::Number(0.25), range: 0.0..=1.0;
        /// Weight of one arrival in the hit frequency; "auto" is p / zombies.
        alpha: Auto<f64> = Default::Text("auto"), range: 0.0..=1.0;
        /// Drop probability from a third of the limit on, with 256 flows or more.
        max_p: f64 = Default::Number(0.15), range: 0.0..=1.0;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
    }
}

/// Stabilized RED.
#[derive(Clone, Debug)]
pub struct Sred {
    params: SredParams,
    alpha: f64,
    /// B in packets, for plots of the drop function.
    limit: f64,
    /// Flows of earlier arrivals; `None` for a forgotten flow.
    zombies: Vec<Option<u32>>,
    /// P
    hit_frequency: f64,
    /// The drop probability of the last arrival.
    drop_p: f64,
}

impl Sred {
    /// The AQM on this link.
    pub fn new(params: SredParams, link: &LinkInfo) -> Self {
        let alpha = match params.alpha {
            Auto::Auto => params.p / f64::from(params.zombies),
            Auto::Value(alpha) => alpha,
        };
        let limit = link.limit.in_packets(link.mean_packet).unwrap_or(f64::INFINITY);
        let zombies = Vec::with_capacity(params.zombies as usize);
        Self { params, alpha, limit, zombies, hit_frequency: 0.0, drop_p: 0.0 }
    }

    /// Compare the arriving flow with a zombie. Returns whether they are the same.
    fn hit(&mut self, flow: u32, rng: &mut Rng) -> bool {
        if self.zombies.len() < self.params.zombies as usize {
            self.zombies.push(Some(flow));
            return false;
        }
        let zombie = rng.below(self.zombies.len() as u64) as usize;
        let hit = self.zombies[zombie] == Some(flow);
        let p = self.params.p;
        if !hit && p > 0.0 && (p >= 1.0 || rng.chance(p)) {
            self.zombies[zombie] = Some(flow);
        }
        self.hit_frequency = (1.0 - self.alpha) * self.hit_frequency + self.alpha * f64::from(u8::from(hit));
        hit
    }

    /// Equation 1.6, where `waiting` packets or bytes wait in a queue with this `limit`.
    fn p_sred(&self, waiting: f64, limit: f64) -> f64 {
        if 6.0 * waiting < limit {
            0.0
        } else if 3.0 * waiting < limit {
            self.params.max_p / 4.0
        } else {
            self.params.max_p
        }
    }

    /// Equations 1.7 and 1.8.
    fn probability(&self, queue: &Backlog, hit: bool) -> f64 {
        let p_sred = match queue.limit {
            Limit::Packets(limit) => self.p_sred(f64::from(queue.packets), f64::from(limit)),
            Limit::Bytes(limit) => self.p_sred(queue.bytes as f64, limit as f64),
            Limit::Infinite => 0.0,
        };
        if p_sred == 0.0 {
            return 0.0;
        }
        // 1 / 0 is infinity: while there has been no hit, the number of flows counts as infinite
        let flows = 1.0 / self.hit_frequency;
        let few = flows / MANY_FLOWS;
        let share = if hit && self.params.variant == Variant::Full { 1.0 + flows } else { 1.0 };
        (p_sred * (few * few).min(1.0) * share).min(1.0)
    }
}

impl Aqm for Sred {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let hit = self.hit(packet.flow, cx.rng);
        self.drop_p = self.probability(&cx.queue, hit);
        toss(self.drop_p, self.params.ecn, cx.rng)
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.limit = link.limit.in_packets(link.mean_packet).unwrap_or(f64::INFINITY);
    }

    /// O(zombies)
    fn forget_flow(&mut self, _now: Time, flow: u32) {
        self.zombies.iter_mut().filter(|zombie| **zombie == Some(flow)).for_each(|zombie| *zombie = None);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("hit_frequency", self.hit_frequency);
        show("p", self.drop_p);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        Some(self.p_sred(average, self.limit))
    }
}

impl AqmScheme for Sred {
    const INFO: SchemeInfo = SchemeInfo {
        name: "sred",
        aliases: &[],
        family: "RED",
        title: "Stabilized RED (SRED)",
        source: "T. Ott, T. Lakshman, L. Wong, SRED: Stabilized RED, INFOCOM 1999",
        doc: module_doc!("sred.rs"),
        ecn: true,
        params: SredParams::INFO,
        class_params: &[],
        cost: "O(1) time, O(zombies) memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "With hundreds of flows it holds the queue near a third of its limit, and estimates their number \
               without a table.",
        bad: "With tens of flows it drops next to nothing: on the standard link the queue of 4, 16 or 64 flows is as \
              full as with drop-tail.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(SredParams::from_settings(settings)?, link))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, thesis_link};
    use penstock_core::param::Value;

    fn sred(settings: &[(&str, Value)]) -> Sred {
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        Sred::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap()
    }

    fn variant(word: &str) -> (&'static str, Value) {
        ("variant", Value::Text(word.into()))
    }

    fn waiting(packets: u32) -> Backlog {
        Backlog { packets, bytes: u64::from(packets) * 1000, limit: Limit::Packets(36), oldest: None }
    }

    #[test]
    fn three_levels_break_at_a_sixth_and_a_third_of_the_limit() {
        let aqm = sred(&[]);
        // B = 35: B/6 = 5.83, B/3 = 11.67
        let levels = [0.0, 5.8, 5.9, 11.6, 11.7, 34.9].map(|queue| aqm.drop_function(queue).unwrap());
        assert_eq!(levels, [0.0, 0.0, 0.0375, 0.0375, 0.15, 0.15]);
    }

    #[test]
    fn the_probability_grows_with_the_square_of_the_number_of_flows_up_to_256() {
        let mut aqm = sred(&[variant("simple")]);
        let mut at = |flows: f64| {
            aqm.hit_frequency = 1.0 / flows;
            aqm.probability(&waiting(12), true)
        };
        assert!((at(64.0) - 0.15 / 16.0).abs() < 1e-15);
        assert!((at(128.0) - 0.15 / 4.0).abs() < 1e-15);
        assert_eq!((at(256.0), at(1000.0), at(f64::INFINITY)), (0.15, 0.15, 0.15));
    }

    #[test]
    fn a_hit_costs_a_flow_its_share_more() {
        let mut aqm = sred(&[variant("full")]);
        aqm.hit_frequency = 1.0 / 4.0;
        let base = 0.15 / (64.0 * 64.0);
        assert!((aqm.probability(&waiting(12), false) - base).abs() < 1e-18);
        assert!((aqm.probability(&waiting(12), true) - base * 5.0).abs() < 1e-18);
        // 512 flows: 0.15 x 513 is above 1
        aqm.hit_frequency = 1.0 / 512.0;
        assert_eq!(aqm.probability(&waiting(12), true), 1.0);
        assert_eq!(aqm.probability(&waiting(5), true), 0.0);
    }

    #[test]
    fn the_hit_frequency_finds_the_number_of_flows() {
        // ten flows at random, and a queue that is served immediately: one arrival in ten is a hit
        let mut rig = Rig::new("sred", &[("alpha", Value::Number(0.001))]);
        let mut flows = Rng::stream(1, "flows");
        for _ in 0..30_000 {
            rig.arrive_from(flows.below(10) as u32, 1);
            rig.depart();
        }
        // standard deviation: sqrt(0.1 x 0.9 x 0.001 / 2) = 0.0067
        assert!((rig.gauge("hit_frequency") - 0.1).abs() < 0.02);
    }

    #[test]
    fn the_list_fills_without_a_draw_and_without_an_estimate() {
        let mut aqm = sred(&[("zombies", Value::Number(3.0)), ("p", Value::Number(1.0))]);
        let (mut rng, mut untouched) = (Rng::stream(1, "sred"), Rng::stream(1, "sred"));
        for flow in [5, 6, 5] {
            assert!(!aqm.hit(flow, &mut rng));
        }
        assert_eq!((aqm.zombies.as_slice(), aqm.hit_frequency), ([Some(5), Some(6), Some(5)].as_slice(), 0.0));
        assert_eq!(rng.bits(), untouched.bits());
        // with p = 1 a miss always replaces an entry, a hit never
        assert!(!aqm.hit(9, &mut rng));
        assert_eq!(aqm.zombies.iter().filter(|&&flow| flow == Some(9)).count(), 1);
    }

    #[test]
    fn a_limit_in_bytes_counts_bytes() {
        let aqm = sred(&[]);
        let queue = |bytes| Backlog { packets: 1, bytes, limit: Limit::Bytes(36_000), oldest: None };
        let p = [5_999, 6_000, 11_999, 12_000].map(|bytes| aqm.probability(&queue(bytes), false));
        assert_eq!(p, [0.0, 0.0375, 0.0375, 0.15]);
    }
}

//! Curvy RED.
//! B. Briscoe, "Insights from Curvy RED (Random Early Detection)", BT Technical Report TR-TUB8-2015-003, 2015; in the
//! form of the classic queue of K. De Schepper, B. Briscoe, G. White, RFC 9332, 2023, appendix B. Line numbers refer to
//! that appendix.
//!
//! # Algorithm
//! At each departure, with the sojourn time of the packet:
//!
//! * Q = gamma sojourn + (1 - gamma) Q, gamma = 2^-`g` (line 9a);
//! * the packet is marked or dropped if (Q - min_th) / range exceeds the largest of 2 U random numbers (lines 10a,
//!   10b), that is, with probability ((Q - min_th) / range)^(2 U).
//!
//! The probability rises ever faster with the delay. There is no target delay: delay and loss both grow slowly with the
//! load, and neither becomes extreme.
//!
//! 2 U numbers are drawn at each departure with min_th < Q < min_th + range.
//!
//! # Parameters
//! `range` is the delay, above `min_th`, at which everything is dropped; `u` is U.
//!
//! # Differences
//! * The RFC prints minTh = 500 ms, which does not fit a range of 500 ms for the whole ramp; here it is 0.5 ms.
//! * Line 9a follows the removal of the packet from its queue. Here the sojourn time of this packet is used, not of the
//!   next.

use crate::aqm::{Aqm, Cause, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Default, ParamErrors, Settings};
use penstock_core::{Rng, Span, Time};

penstock_core::params! {
    /// Parameters of Curvy RED.
    pub struct CurvyRedParams {
        /// Average delay up to which nothing is dropped.
        min_th: Span = Default::Nanos(500_000), unit: "s", at_least: 0.0;
        /// Average delay above min_th at which everything is dropped.
        range: Span = Default::Nanos(500_000_000), unit: "s", at_least: 0.000_001;
        /// Weight of one departure in the average delay, as a power of 1/2.
        g: u32 = Default::Number(5.0), range: 0.0..=30.0;
        /// Half the exponent of the drop function.
        u: u32 = Default::Number(1.0), range: 1.0..=8.0;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
    }
}

/// Curvy RED.
#[derive(Clone, Debug)]
pub struct CurvyRed {
    params: CurvyRedParams,
    /// Average delay in seconds.
    q: f64,
}

impl CurvyRed {
    /// The AQM.
    pub fn new(params: CurvyRedParams) -> Self {
        Self { params, q: 0.0 }
    }

    /// The root of the drop probability, of order 2 U.
    fn root(&self) -> f64 {
        ((self.q - self.params.min_th.as_secs()) / self.params.range.as_secs()).clamp(0.0, 1.0)
    }
}

/// The largest of `n` random numbers.
fn max_rand(n: u32, rng: &mut Rng) -> f64 {
    (0..n).map(|_| rng.uniform()).fold(0.0, f64::max)
}

impl Aqm for CurvyRed {
    fn capabilities(&self) -> Capabilities {
        Capabilities::DEPARTURES
    }

    #[inline]
    fn on_departure(&mut self, cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        let gamma = 1.0 / f64::from(1_u32 << self.params.g);
        self.q = gamma * cx.now.since(packet.enqueued).as_secs() + (1.0 - gamma) * self.q;
        let root = self.root();
        if root <= 0.0 || (root < 1.0 && root <= max_rand(2 * self.params.u, cx.rng)) {
            Verdict::Pass
        } else if self.params.ecn {
            Verdict::Mark(Cause::Sojourn)
        } else {
            Verdict::Drop(Cause::Sojourn)
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        let root = self.root();
        show("q", self.q);
        show("p", (0..2 * self.params.u).fold(1.0, |p, _| p * root));
    }
}

impl AqmScheme for CurvyRed {
    const INFO: SchemeInfo = SchemeInfo {
        name: "curvy-red",
        aliases: &[],
        family: "delay",
        title: "Curvy RED",
        source: "B. Briscoe, Insights from Curvy RED, BT TR-TUB8-2015-003, 2015; \
                 K. De Schepper, B. Briscoe, G. White, RFC 9332, appendix B, 2023",
        doc: module_doc!("curvy_red.rs"),
        ecn: true,
        params: CurvyRedParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "No timer and no integral to wind up: it softens the rise of both delay and loss with the load.",
        bad: "The delay rises with the number of flows, and with few flows at a low rate it is far longer than \
              necessary.",
    };

    fn from_settings(settings: &Settings, _link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(CurvyRedParams::from_settings(settings)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, assert_fits};
    use penstock_core::Ecn;
    use penstock_core::param::Value;

    /// The gaps between drops, in packets, if every packet waits `wait_ms` and Q is the delay of the last one.
    fn gaps(wait_ms: u64, u: f64) -> Vec<u32> {
        let settings = [
            ("g", Value::Number(0.0)),
            ("min_th", Value::Time(Span::from_millis(100))),
            ("range", Value::Time(Span::from_millis(200))),
            ("u", Value::Number(u)),
        ];
        let mut rig = Rig::new("curvy-red", &settings);
        let (mut gap, mut gaps) = (0, Vec::new());
        for _ in 0..20_000 {
            rig.arrive(1);
            rig.advance(Span::from_millis(wait_ms));
            gap += 1;
            if !rig.depart() {
                gaps.push(core::mem::take(&mut gap));
            }
        }
        gaps
    }

    #[test]
    fn the_drop_probability_is_a_power_of_the_delay_above_min_th() {
        // (200 - 100) / 200 = 1/2: 1/4 with U = 1, 1/16 with U = 2
        assert_fits(&gaps(200, 1.0), 1..=30, |n| 0.25 * 0.75_f64.powf(f64::from(n) - 1.0));
        assert_fits(&gaps(200, 2.0), 1..=60, |n| 0.0625 * 0.9375_f64.powf(f64::from(n) - 1.0));
    }

    #[test]
    fn nothing_is_dropped_up_to_min_th_and_everything_from_a_range_above_it() {
        assert_eq!(gaps(100, 1.0).len(), 0);
        assert_eq!(gaps(300, 1.0).len(), 20_000);
    }

    #[test]
    fn the_average_follows_the_low_pass_filter() {
        let mut rig = Rig::new("curvy-red", &[]);
        let mut q = 0.0;
        for wait in 1..20 {
            rig.arrive(1);
            rig.advance(Span::from_millis(wait));
            rig.depart();
            q = q * 31.0 / 32.0 + wait as f64 / 32_000.0;
            assert!((rig.gauge("q") - q).abs() < 1e-12);
        }
    }

    #[test]
    fn marks_ecn_capable_packets() {
        let mut rig = Rig::new("curvy-red", &[("ecn", Value::Flag(true)), ("g", Value::Number(0.0))]);
        for ecn in [Ecn::Ect0, Ecn::Not] {
            rig.arrive_as(1000, ecn);
            rig.advance(Span::from_secs(1.0));
            assert_eq!(rig.depart(), ecn == Ecn::Ect0);
        }
        assert_eq!((rig.counts.marked, rig.counts.dropped_at_head), (1, 1));
    }
}

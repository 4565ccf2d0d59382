//! Bernoulli: every arrival is dropped, or marked, with the same probability.
//! J. Chung, M. Claypool, "Analysis of Active Queue Management", IEEE Symposium on Network Computing and Applications,
//! 2003: the fixed probability under which the queue law is measured.
//!
//! # Algorithm
//! Drop or mark each arriving packet with probability p, whatever the length of the queue. The gaps between drops are
//! geometric: P(gap = n) = p (1 - p)^(n - 1), n = 1, 2, ...
//!
//! # Parameters
//! `p` is the probability; `ecn` marks ECN-capable packets instead of dropping them.
//!
//! # Differences
//! * A link's `loss = { rate = p }` drops before the queue and is counted as a loss of the link; this AQM's drops are
//!   early drops of the queue.

use crate::aqm::{Aqm, Cause, Cx, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Default, ParamErrors, Settings};
use penstock_core::{PacketMeta, Time};

penstock_core::params! {
    /// Parameters of the Bernoulli AQM.
    pub struct BernoulliParams {
        /// Probability of dropping or marking an arriving packet.
        p: f64 = Default::Required, range: 0.0..=1.0;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
    }
}

/// The Bernoulli AQM.
#[derive(Clone, Debug)]
pub struct Bernoulli {
    params: BernoulliParams,
}

impl Aqm for Bernoulli {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) -> Verdict {
        if !cx.rng.chance(self.params.p) {
            Verdict::Pass
        } else if self.params.ecn {
            Verdict::Mark(Cause::Early)
        } else {
            Verdict::Drop(Cause::Early)
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("p_b", self.params.p);
    }

    fn drop_function(&self, _average: f64) -> Option<f64> {
        Some(self.params.p)
    }
}

impl AqmScheme for Bernoulli {
    const INFO: SchemeInfo = SchemeInfo {
        name: "bernoulli",
        aliases: &[],
        family: "probability",
        title: "Bernoulli",
        source: "J. Chung, M. Claypool, Analysis of Active Queue Management, IEEE NCA 2003",
        doc: module_doc!("bernoulli.rs"),
        ecn: true,
        params: BernoulliParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "The simplest plant for theory: the mean queue follows from p by the queue law.",
        bad: "No control: the queue is empty or overflows unless p happens to suit the load.",
    };

    fn from_settings(settings: &Settings, _link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Ok(Self { params: BernoulliParams::from_settings(settings)? })
    }
}

#[cfg(test)]
mod tests {

    use crate::rig::{Rig, assert_fits};
    use penstock_core::Ecn;
    use penstock_core::param::Value;

    #[test]
    fn gaps_between_drops_are_geometric() {
        let gaps = Rig::new("bernoulli", &[("p", Value::Number(0.1))]).gaps(3, 20_000);
        assert_fits(&gaps, 1..=50, |n| 0.1 * 0.9_f64.powf(f64::from(n) - 1.0));
    }

    #[test]
    fn marks_ecn_capable_packets_and_drops_the_others() {
        let mut rig = Rig::new("bernoulli", &[("p", Value::Number(1.0)), ("ecn", Value::Flag(true))]);
        rig.arrive_as(1000, Ecn::Ect0);
        assert_eq!((rig.counts.marked, rig.counts.queued), (1, 1));
        rig.arrive(1);
        assert_eq!((rig.counts.marked, rig.counts.dropped_on_arrival), (1, 1));
    }
}

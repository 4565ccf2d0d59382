//! Policer: a token bucket that drops non-conforming packets. S. Blake et al., "An Architecture for Differentiated
//! Services", RFC 2475, section 2.3.3.4 (dropper); V. Jacobson et al., RFC 2598, section 2 for its use before Expedited
//! Forwarding.
//!
//! # Rule
//! Tokens grow at `rate` up to `burst`; the bucket is full at the start. A packet for which there are enough tokens
//! conforms and consumes them; any other packet exceeds and consumes none. No random number is drawn.
//!
//! # Parameters
//! `conform` and `exceed` are the actions on the packets: "pass", "drop", or a new codepoint. `burst` "auto" is 50 ms
//! of the rate, but at least two maximum-size packets.
//!
//! # Differences
//! * None: it is the token bucket marker with other names for its actions.

use super::token_bucket::{TokenBucket, TokenBucketParams};
use super::{Action, Conditioner, ConditionerInfo, Part};
use crate::aqm::{Cx, LinkInfo};
use crate::capabilities::SideInformation;
use crate::scheme::module_doc;
use penstock_core::param::{Auto, Default, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Rate, Time};

penstock_core::params! {
    /// Parameters of the policer.
    pub struct PolicerParams {
        /// Token rate.
        rate: Rate = Default::Required, unit: "bit/s", at_least: 0.0;
        /// Depth of the bucket; "auto" is 50 ms of the rate, at least two maximum-size packets.
        burst: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 0.0;
        /// Action on packets that conform.
        conform: Action = Default::Text("pass");
        /// Action on packets that exceed.
        exceed: Action = Default::Text("drop");
    }
}

/// Policer.
#[derive(Clone, Debug)]
pub struct Policer(TokenBucket);

impl Policer {
    /// The policer before this link.
    pub fn new(params: &PolicerParams, link: &LinkInfo, now: Time) -> Self {
        let PolicerParams { rate, burst, conform, exceed } = *params;
        Self(TokenBucket::new(TokenBucketParams { rate, burst, within: conform, out: exceed }, link, now))
    }
}

impl Conditioner for Policer {
    fn side_information(&self) -> SideInformation {
        SideInformation::Unused
    }

    fn on_packet(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Action {
        self.0.on_packet(cx, packet)
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.0.gauges(show);
    }
}

impl Part for Policer {
    const INFO: ConditionerInfo = ConditionerInfo {
        name: "policer",
        aliases: &["police"],
        title: "Policer",
        source: "S. Blake et al., An Architecture for Differentiated Services, RFC 2475, 1998",
        doc: module_doc!("policer.rs"),
        params: PolicerParams::INFO,
        class_params: &[],
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(&PolicerParams::from_settings(settings)?, link, now))
    }
}

#[cfg(test)]
mod tests {

    use crate::edge::bench::bench;
    use penstock_core::param::Value;

    #[test]
    fn what_exceeds_is_dropped_and_what_conforms_is_left_as_it_is() {
        // 1000 bytes each 100 ms
        let mut policer = bench("policer", &[("rate", Value::Number(80_000.0)), ("burst", Value::Bytes(1_000.0))]);
        let fates = [0.0, 50.0, 100.0, 150.0, 200.0].map(|at| policer.mark(at, 1_000));
        assert_eq!(fates, ["pass", "drop", "pass", "drop", "pass"]);
    }

    #[test]
    fn what_exceeds_may_be_marked_down() {
        let exceed = ("exceed", Value::Text("default".into()));
        let mut policer = bench("policer", &[("rate", Value::Number(0.0)), ("burst", Value::Bytes(100.0)), exceed]);
        assert_eq!([100, 1].map(|size| policer.recolour(0.0, size, "EF")), ["pass", "default"]);
    }
}

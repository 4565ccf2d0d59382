//! Token bucket marker. S. Blake et al., "An Architecture for Differentiated Services", RFC 2475, section 2.3.3; as in
//! T. Alemu's thesis, 2004 (M-TB), and in the tagger of ns-2.
//!
//! # Rule
//! Tokens grow at CIR bytes per second up to CBS bytes; the bucket is full at the start. A packet of s bytes:
//!
//! * tokens >= s: it is in profile, and consumes s tokens;
//! * else it is out of profile, and consumes none.
//!
//! No random number is drawn; tokens are counted exactly.
//!
//! # Parameters
//! `rate` is CIR, `burst` is CBS: "auto" is 50 ms of the rate, but at least two maximum-size packets. `in` and `out`
//! are the actions on the packets; with `out = "drop"` the marker is a policer.
//!
//! # Differences
//! * None.

use super::{Action, Conditioner, ConditionerInfo, Part};
use crate::aqm::{Cx, LinkInfo};
use crate::capabilities::SideInformation;
use crate::scheme::module_doc;
use crate::tokens::{Bucket, burst};
use penstock_core::param::{Auto, Default, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Rate, Time};

penstock_core::params! {
    /// Parameters of the token bucket marker.
    pub struct TokenBucketParams {
        /// Token rate: the committed information rate CIR.
        rate: Rate = Default::Required, unit: "bit/s", at_least: 0.0;
        /// Depth of the bucket: the committed burst size CBS; "auto" is 50 ms of the rate, at least two maximum-size
        /// packets.
        burst: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 0.0;
        /// Action on packets in profile.
        within: Action = Default::Text("AF11"), key: "in";
        /// Action on packets out of profile.
        out: Action = Default::Text("AF12");
    }
}

/// Token bucket marker.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    params: TokenBucketParams,
    bucket: Bucket,
}

impl TokenBucket {
    /// The marker before this link.
    pub fn new(params: TokenBucketParams, link: &LinkInfo, now: Time) -> Self {
        let bucket = Bucket::new(params.rate, depth(params.burst, params.rate, link), now);
        Self { params, bucket }
    }
}

/// The depth of a bucket; "auto" is 50 ms of `rate`, at least two maximum-size packets.
pub(super) fn depth(given: Auto<Bytes>, rate: Rate, link: &LinkInfo) -> Bytes {
    match given {
        Auto::Value(bytes) => bytes,
        Auto::Auto => burst(rate, 0.05).max(Bytes(2 * link.mtu.0)),
    }
}

impl Conditioner for TokenBucket {
    fn side_information(&self) -> SideInformation {
        SideInformation::Unused
    }

    fn on_packet(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Action {
        self.bucket.fill(cx.now);
        if self.bucket.take(packet.size) { self.params.within } else { self.params.out }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("tokens", self.bucket.bytes());
    }
}

impl Part for TokenBucket {
    const INFO: ConditionerInfo = ConditionerInfo {
        name: "token-bucket",
        aliases: &["tb"],
        title: "Token bucket marker",
        source: "S. Blake et al., An Architecture for Differentiated Services, RFC 2475, 1998",
        doc: module_doc!("token_bucket.rs"),
        params: TokenBucketParams::INFO,
        class_params: &[],
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(TokenBucketParams::from_settings(settings)?, link, now))
    }
}

#[cfg(test)]
mod tests {

    use crate::edge::bench::bench;
    use penstock_core::param::Value;

    #[test]
    fn packets_conform_while_there_are_tokens_for_all_of_them() {
        // 80 kbit/s are 10 bytes per millisecond; the bucket is 2500 bytes deep
        let mut tb = bench("token-bucket", &[("rate", Value::Number(80_000.0)), ("burst", Value::Bytes(2_500.0))]);
        let marks = [0.0, 0.0, 0.0, 49.0, 50.0, 50.0].map(|at| tb.mark(at, 1_000));
        // 1500, 500 left; 500 do not do; 990 do not; 1000 do; 0
        assert_eq!(marks, ["AF11", "AF11", "AF12", "AF12", "AF11", "AF12"]);
        // a smaller packet uses the tokens that did not suffice for a larger one
        assert_eq!((tb.mark(60.0, 101), tb.mark(60.0, 100), tb.gauge("tokens")), ("AF12", "AF11", 0.0));
        // the bucket is full after 250 ms and then stays full
        assert_eq!((tb.mark(9_000.0, 2_501), tb.gauge("tokens")), ("AF12", 2_500.0));
    }

    #[test]
    fn the_automatic_burst_is_50_ms_and_two_packets_at_least() {
        let tokens = |rate| {
            let mut tb = bench("token-bucket", &[("rate", Value::Number(rate))]);
            tb.mark(0.0, 1_000_000);
            tb.gauge("tokens")
        };
        assert_eq!((tokens(8e6), tokens(8e3)), (50_000.0, 3_000.0));
    }
}

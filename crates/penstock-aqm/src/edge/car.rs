//! Committed access rate (CAR). Cisco, command reference of `rate-limit`; as described by U. Bodin, O. Schelen, "Drop
//! Strategies and Loss-rate Differentiation", 2001, which names it (footnote 6).
//!
//! # Rule
//! A token bucket of Bn bytes, filled at `rate` and full at the start, from which a packet may borrow. A packet of s
//! bytes:
//!
//! * tokens >= s: it conforms, and consumes s tokens;
//! * otherwise it would have to borrow the missing tokens. The actual debt a is the number of tokens borrowed and not
//!   yet repaid, including those for this packet. The compounded debt is the sum of the values of a over all packets
//!   that borrowed since the last exceeding packet, including this packet. If neither debt is above Be, the packet
//!   conforms, consumes the available tokens and borrows the rest;
//! * otherwise it exceeds: it consumes no tokens, the actual debt does not change, and the compounded debt is reset
//!   to 0.
//!
//! New tokens first repay the debt. No random number is drawn; tokens are counted exactly.
//!
//! # Parameters
//! `bn` and `be` are the normal and the extended burst: "auto" is the tokens of 1.5 s for bn, and twice bn for be. With
//! be = 0 nothing can be borrowed: CAR is then a token bucket. `conform` and `exceed` are the actions on the packets:
//! "pass", "drop" or a new codepoint.
//!
//! # Differences
//! * None known. The sources leave open whether the compounded debt decreases when the debt is repaid: here it does
//!   not.

use super::{Action, Conditioner, ConditionerInfo, Part};
use crate::aqm::{Cx, LinkInfo};
use crate::capabilities::SideInformation;
use crate::scheme::module_doc;
use crate::tokens::{Bucket, burst, in_bytes, tokens};
use penstock_core::param::{Auto, Default, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Rate, Time};

penstock_core::params! {
    /// Parameters of the committed access rate.
    pub struct CarParams {
        /// Token rate.
        rate: Rate = Default::Required, unit: "bit/s", at_least: 0.0;
        /// Normal burst; "auto" is 1.5 s of the rate.
        bn: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 0.0;
        /// Extended burst, which bounds the debt; "auto" is twice the normal burst.
        be: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 0.0;
        /// Action on packets that conform.
        conform: Action = Default::Text("AF11");
        /// Action on packets that exceed.
        exceed: Action = Default::Text("AF12");
    }
}

/// Committed access rate.
#[derive(Clone, Debug)]
pub struct Car {
    params: CarParams,
    be: u128,
    bucket: Bucket,
    /// Tokens borrowed and not yet repaid.
    actual_debt: u128,
    /// Sum of the actual debts of the packets that borrowed since the last packet that exceeded.
    compounded_debt: u128,
}

impl Car {
    /// The part with these parameters.
    pub fn new(params: CarParams, now: Time) -> Self {
        let bn = match params.bn {
            Auto::Value(bytes) => bytes,
            Auto::Auto => burst(params.rate, 1.5),
        };
        let be = match params.be {
            Auto::Value(bytes) => bytes,
            Auto::Auto => Bytes(2 * bn.0),
        };
        let bucket = Bucket::new(params.rate, bn, now);
        Self { params, be: tokens(be.0), bucket, actual_debt: 0, compounded_debt: 0 }
    }

    /// New tokens first repay the debt.
    fn refill(&mut self, now: Time) {
        let earned = self.bucket.earn(now);
        let paid = earned.min(self.actual_debt);
        self.actual_debt -= paid;
        self.bucket.pour(earned - paid);
    }

    fn conforms(&mut self, size: u32) -> bool {
        if self.bucket.take(size) {
            return true;
        }
        let there = self.bucket.empty();
        let actual_debt = self.actual_debt + tokens(u64::from(size)) - there;
        let compounded_debt = self.compounded_debt + actual_debt;
        if actual_debt > self.be || compounded_debt > self.be {
            self.bucket.pour(there);
            self.compounded_debt = 0;
            return false;
        }
        (self.actual_debt, self.compounded_debt) = (actual_debt, compounded_debt);
        true
    }
}

impl Conditioner for Car {
    fn side_information(&self) -> SideInformation {
        SideInformation::Unused
    }

    fn on_packet(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Action {
        self.refill(cx.now);
        if self.conforms(packet.size) { self.params.conform } else { self.params.exceed }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("tokens", self.bucket.bytes());
        show("actual_debt", in_bytes(self.actual_debt));
        show("compounded_debt", in_bytes(self.compounded_debt));
    }
}

impl Part for Car {
    const INFO: ConditionerInfo = ConditionerInfo {
        name: "car",
        aliases: &["rate-limit"],
        title: "Committed access rate",
        source: "Cisco, command reference of rate-limit",
        doc: module_doc!("car.rs"),
        params: CarParams::INFO,
        class_params: &[],
    };

    fn from_settings(settings: &Settings, _link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(CarParams::from_settings(settings)?, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::bench::{Bench, bench};
    use penstock_core::param::Value;

    /// One byte per millisecond; Bn 2000, Be 4000 bytes.
    fn car(extra: &[(&str, Value)]) -> Bench {
        let mut settings =
            vec![("rate", Value::Number(8_000.0)), ("bn", Value::Bytes(2_000.0)), ("be", Value::Bytes(4_000.0))];
        settings.retain(|(name, _)| extra.iter().all(|(given, _)| given != name));
        settings.extend_from_slice(extra);
        bench("car", &settings)
    }

    fn debts(car: &Bench) -> (f64, f64) {
        (car.gauge("actual_debt"), car.gauge("compounded_debt"))
    }

    #[test]
    fn packets_borrow_until_the_compounded_debt_is_above_the_extended_burst() {
        let mut car = car(&[]);
        // 2000 bytes are sent each second, and 1000 bytes of tokens come in: this lasts for two seconds, the first from
        // the full bucket
        assert_eq!((car.mark(0.0, 2_000), debts(&car)), ("AF11", (0.0, 0.0)));
        // a = 1000 - 2000
        assert_eq!((car.mark(1_000.0, 2_000), debts(&car)), ("AF11", (1_000.0, 1_000.0)));
        // 1000 are paid and 2000 borrowed: a = 2000, compounded 3000
        assert_eq!((car.mark(2_000.0, 2_000), debts(&car)), ("AF11", (2_000.0, 3_000.0)));
        // a would be 3000, compounded 6000 > 4000: it exceeds; the new tokens have repaid 1000
        assert_eq!((car.mark(3_000.0, 2_000), debts(&car)), ("AF12", (1_000.0, 0.0)));
        // 1000 are paid: a = 2000, compounded 2000
        assert_eq!((car.mark(4_000.0, 2_000), debts(&car)), ("AF11", (2_000.0, 2_000.0)));
        // a would be 3000, compounded 5000
        assert_eq!((car.mark(5_000.0, 2_000), debts(&car)), ("AF12", (1_000.0, 0.0)));
    }

    #[test]
    fn a_packet_that_exceeds_takes_nothing() {
        let mut car = car(&[("be", Value::Bytes(100.0))]);
        assert_eq!((car.mark(0.0, 2_101), car.gauge("tokens"), debts(&car)), ("AF12", 2_000.0, (0.0, 0.0)));
        assert_eq!((car.mark(0.0, 2_100), car.gauge("tokens"), debts(&car)), ("AF11", 0.0, (100.0, 100.0)));
    }

    #[test]
    fn debt_is_paid_before_tokens_grow() {
        let mut car = car(&[]);
        car.mark(0.0, 3_000);
        assert_eq!((car.gauge("tokens"), debts(&car)), (0.0, (1_000.0, 1_000.0)));
        assert_eq!(car.mark(1_500.0, 500), "AF11");
        assert_eq!((car.gauge("tokens"), debts(&car)), (0.0, (0.0, 1_000.0)));
        assert_eq!((car.mark(9_000.0, 1), car.gauge("tokens")), ("AF11", 1_999.0));
    }

    #[test]
    fn without_an_extended_burst_it_is_a_token_bucket() {
        let mut car = car(&[("be", Value::Bytes(0.0))]);
        let same = [("rate", Value::Number(8_000.0)), ("burst", Value::Bytes(2_000.0))];
        let mut tb = bench("token-bucket", &same);
        let mut rng = penstock_core::Rng::stream(7, "packets");
        let mut now = 0.0;
        for _ in 0..5_000 {
            now += rng.between(0.0, 1_500.0);
            let size = 1 + rng.below(1_500) as u32;
            assert_eq!(car.mark(now, size), tb.mark(now, size));
        }
    }

    #[test]
    fn recommended_bursts_are_a_second_and_a_half_and_twice_that() {
        let params = CarParams {
            rate: Rate::from_bits_per_second(8_000_000),
            bn: Auto::Auto,
            be: Auto::Auto,
            conform: Action::Pass,
            exceed: Action::Pass,
        };
        let car = Car::new(params, Time::ZERO);
        assert_eq!((car.bucket.bytes(), in_bytes(car.be)), (1_500_000.0, 3_000_000.0));
    }
}

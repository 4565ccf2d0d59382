//! Single rate three colour marker (srTCM).
//! J. Heinanen, R. Guerin, "A Single Rate Three Color Marker", RFC 2697, 1999; section numbers refer to it.
//!
//! # Rule
//! Two buckets, C of CBS and E of EBS bytes, both full at the start. Tokens arrive at CIR bytes per second; they fill
//! C, and E while C is full (section 3). A packet of B bytes:
//!
//! * is green if it arrived green and Tc >= B, and consumes B tokens of C; else
//! * is yellow if it arrived green or yellow and Te >= B, and consumes B tokens of E; else
//! * is red, and consumes none.
//!
//! In colour-blind mode every packet counts as arriving green. No random number is drawn; tokens are counted exactly.
//!
//! # Parameters
//! `rate` is CIR, `cbs` and `ebs` are the burst sizes. At least one of them must be above 0, and a burst size above 0
//! should not be below the largest packet (section 2). A burst size "auto" is 50 ms of the rate, but at least two
//! maximum-size packets. `green`, `yellow` and `red` are the actions on the packets; a service may drop red packets
//! (section 5).
//!
//! # Differences
//! * The RFC leaves the colour of arriving packets to the domain. Here it is the drop precedence of Assured Forwarding,
//!   and green for any other codepoint.

use super::colour::{Colour, Mode};
use super::token_bucket::depth;
use super::{Action, Conditioner, ConditionerInfo, Part};
use crate::aqm::{Cx, LinkInfo};
use crate::capabilities::SideInformation;
use crate::scheme::module_doc;
use crate::tokens::Bucket;
use alloc::vec;
use penstock_core::param::{Auto, Default, ParamError, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Rate, Time};

penstock_core::params! {
    /// Parameters of the single rate three colour marker.
    pub struct SrTcmParams {
        /// Token rate: the committed information rate CIR.
        rate: Rate = Default::Required, unit: "bit/s", at_least: 0.0;
        /// Committed burst size; "auto" is 50 ms of the rate, at least two maximum-size packets.
        cbs: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 0.0;
        /// Excess burst size; "auto" as for the committed burst size.
        ebs: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 0.0;
        /// Whether the meter takes the colour of arriving packets into account.
        mode: Mode = Default::Text("blind");
        /// Action on green packets.
        green: Action = Default::Text("AF11");
        /// Action on yellow packets.
        yellow: Action = Default::Text("AF12");
        /// Action on red packets.
        red: Action = Default::Text("AF13");
    }
}

/// Single rate three colour marker.
#[derive(Clone, Debug)]
pub struct SrTcm {
    params: SrTcmParams,
    c: Bucket,
    e: Bucket,
}

impl SrTcm {
    /// The marker before this link; all contradictions in `params`, if there are any.
    pub fn new(params: SrTcmParams, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        let [cbs, ebs] = [params.cbs, params.ebs].map(|given| depth(given, params.rate, link));
        if cbs.0 == 0 && ebs.0 == 0 {
            return Err(vec![ParamError::new("cbs", "must be above 0 bytes unless ebs is")]);
        }
        let (c, e) = (Bucket::new(params.rate, cbs, now), Bucket::new(params.rate, ebs, now));
        Ok(Self { params, c, e })
    }

    /// Section 3.
    fn meter(&mut self, came: Colour, size: u32) -> Colour {
        if came == Colour::Green && self.c.take(size) {
            Colour::Green
        } else if came != Colour::Red && self.e.take(size) {
            Colour::Yellow
        } else {
            Colour::Red
        }
    }
}

impl Conditioner for SrTcm {
    fn side_information(&self) -> SideInformation {
        SideInformation::Unused
    }

    fn on_packet(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Action {
        let spilt = self.c.fill(cx.now);
        self.e.pour(spilt);
        match self.meter(self.params.mode.colour(packet.dscp), packet.size) {
            Colour::Green => self.params.green,
            Colour::Yellow => self.params.yellow,
            Colour::Red => self.params.red,
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("tc", self.c.bytes());
        show("te", self.e.bytes());
    }
}

impl Part for SrTcm {
    const INFO: ConditionerInfo = ConditionerInfo {
        name: "srtcm",
        aliases: &[],
        title: "Single rate three colour marker",
        source: "J. Heinanen, R. Guerin, A Single Rate Three Color Marker, RFC 2697, 1999",
        doc: module_doc!("srtcm.rs"),
        params: SrTcmParams::INFO,
        class_params: &[],
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Self::new(SrTcmParams::from_settings(settings)?, link, now)
    }
}

#[cfg(test)]
mod tests {

    use crate::edge::bench::{Bench, bench, try_bench};
    use penstock_core::Rng;
    use penstock_core::param::Value;

    /// 8000 bit/s: one byte per millisecond; CBS 2000, EBS 1500.
    fn marker(mode: &str) -> Bench {
        bench(
            "srtcm",
            &[
                ("rate", Value::Number(8_000.0)),
                ("cbs", Value::Bytes(2_000.0)),
                ("ebs", Value::Bytes(1_500.0)),
                ("mode", Value::Text(mode.into())),
            ],
        )
    }

    fn tokens(marker: &Bench) -> (f64, f64) {
        (marker.gauge("tc"), marker.gauge("te"))
    }

    #[test]
    fn blind_packets_use_the_committed_burst_and_then_the_excess() {
        let mut tcm = marker("blind");
        let marks = [1_500, 1_500, 500, 1].map(|size| tcm.mark(0.0, size));
        // Tc 500, Te 1500; Te 0; Tc 0; nothing left
        assert_eq!(marks, ["AF11", "AF12", "AF11", "AF13"]);
        // the colour of the arriving packet is ignored
        assert_eq!(tcm.recolour(100.0, 100, "AF13"), "AF11");
        assert_eq!(tokens(&tcm), (0.0, 0.0));
    }

    #[test]
    fn tokens_come_to_e_only_while_c_is_full() {
        let mut tcm = marker("blind");
        assert_eq!([1_500, 1_500, 500].map(|size| tcm.mark(0.0, size)), ["AF11", "AF12", "AF11"]);
        assert_eq!((tcm.mark(1_999.0, 65_535), tokens(&tcm)), ("AF13", (1_999.0, 0.0)));
        assert_eq!((tcm.mark(2_600.0, 65_535), tokens(&tcm)), ("AF13", (2_000.0, 600.0)));
        assert_eq!((tcm.mark(9_000.0, 65_535), tokens(&tcm)), ("AF13", (2_000.0, 1_500.0)));
    }

    #[test]
    fn an_aware_meter_never_betters_a_colour() {
        let mut tcm = marker("aware");
        assert_eq!([100, 100, 100].map(|size| tcm.recolour(0.0, size, "AF33")), ["AF13"; 3]);
        assert_eq!(tokens(&tcm), (2_000.0, 1_500.0));
        // yellow packets take tokens from E alone
        assert_eq!([1_000, 1_000, 500].map(|size| tcm.recolour(0.0, size, "AF12")), ["AF12", "AF13", "AF12"]);
        assert_eq!(tokens(&tcm), (2_000.0, 0.0));
        // green and uncoloured packets take tokens from C
        assert_eq!([tcm.recolour(0.0, 1_500, "AF11"), tcm.recolour(0.0, 500, "EF")], ["AF11"; 2]);
        assert_eq!(tcm.recolour(0.0, 1, "AF11"), "AF13");
    }

    #[test]
    fn it_marks_as_the_rule_that_adds_one_token_at_a_time() {
        // section 3, word by word, at one byte per millisecond
        let mut tcm = marker("aware");
        let mut rng = Rng::stream(5, "packets");
        let (mut t_c, mut t_e, mut now) = (2_000_u32, 1_500_u32, 0_u32);
        for _ in 0..20_000 {
            let gap = rng.below(1_500) as u32;
            for _ in 0..gap {
                if t_c < 2_000 {
                    t_c += 1;
                } else if t_e < 1_500 {
                    t_e += 1;
                }
            }
            now += gap;
            let size = 1 + rng.below(1_500) as u32;
            let came = ["AF11", "AF12", "AF13"][rng.below(3) as usize];
            let expected = if came == "AF11" && t_c >= size {
                t_c -= size;
                "AF11"
            } else if came != "AF13" && t_e >= size {
                t_e -= size;
                "AF12"
            } else {
                "AF13"
            };
            assert_eq!(tcm.recolour(f64::from(now), size, came), expected);
            assert_eq!(tokens(&tcm), (f64::from(t_c), f64::from(t_e)));
        }
    }

    #[test]
    fn a_burst_of_nothing_twice_is_refused() {
        let nothing = |name| (name, Value::Bytes(0.0));
        let Err(errors) = try_bench("srtcm", &[("rate", Value::Number(1.0)), nothing("cbs"), nothing("ebs")]) else {
            panic!("taken")
        };
        assert_eq!(errors[0].message, "must be above 0 bytes unless ebs is");
    }
}

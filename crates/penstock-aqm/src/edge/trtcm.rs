//! Two rate three colour marker (trTCM).
//! J. Heinanen, R. Guerin, "A Two Rate Three Color Marker", RFC 2698, 1999; section numbers refer to it.
//!
//! # Rule
//! Two buckets, both full at the start: P of PBS bytes, filled at PIR bytes per second, and C of CBS bytes, filled at
//! CIR (section 3). A packet of B bytes:
//!
//! * is red if it arrived red or Tp < B, and consumes no tokens; else
//! * is yellow if it arrived yellow or Tc < B, and consumes B tokens of P; else
//! * is green, and consumes B tokens of both.
//!
//! In colour-blind mode every packet counts as arriving green. No random number is drawn; tokens are counted exactly.
//!
//! # Parameters
//! `rate` is CIR and `peak` is PIR, which must not be below it; `cbs` and `pbs` are the burst sizes, which must be
//! above 0 and should not be below the largest packet (section 2). A burst size "auto" is 50 ms of its rate, but at
//! least two maximum-size packets. `green`, `yellow` and `red` are the actions on the packets; a service may drop red
//! packets (section 5).
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
    /// Parameters of the two rate three colour marker.
    pub struct TrTcmParams {
        /// Rate that fills C: the committed information rate CIR.
        rate: Rate = Default::Required, unit: "bit/s", at_least: 0.0;
        /// Rate that fills P: the peak information rate PIR.
        peak: Rate = Default::Required, unit: "bit/s", at_least: 0.0;
        /// Committed burst size; "auto" is 50 ms of its rate, at least two maximum-size packets.
        cbs: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 1.0;
        /// Peak burst size; "auto" as for the committed burst size.
        pbs: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 1.0;
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

/// Two rate three colour marker.
#[derive(Clone, Debug)]
pub struct TrTcm {
    params: TrTcmParams,
    p: Bucket,
    c: Bucket,
}

impl TrTcm {
    /// The marker before this link; all contradictions in `params`, if there are any.
    pub fn new(params: TrTcmParams, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        if params.peak < params.rate {
            return Err(vec![ParamError::new("peak", "must not be below rate")]);
        }
        let p = Bucket::new(params.peak, depth(params.pbs, params.peak, link), now);
        let c = Bucket::new(params.rate, depth(params.cbs, params.rate, link), now);
        Ok(Self { params, p, c })
    }

    /// Section 3.
    fn meter(&mut self, came: Colour, size: u32) -> Colour {
        if came == Colour::Red || !self.p.take(size) {
            Colour::Red
        } else if came == Colour::Yellow || !self.c.take(size) {
            Colour::Yellow
        } else {
            Colour::Green
        }
    }
}

impl Conditioner for TrTcm {
    fn side_information(&self) -> SideInformation {
        SideInformation::Unused
    }

    fn on_packet(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Action {
        self.p.fill(cx.now);
        self.c.fill(cx.now);
        match self.meter(self.params.mode.colour(packet.dscp), packet.size) {
            Colour::Green => self.params.green,
            Colour::Yellow => self.params.yellow,
            Colour::Red => self.params.red,
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("tp", self.p.bytes());
        show("tc", self.c.bytes());
    }
}

impl Part for TrTcm {
    const INFO: ConditionerInfo = ConditionerInfo {
        name: "trtcm",
        aliases: &[],
        title: "Two rate three colour marker",
        source: "J. Heinanen, R. Guerin, A Two Rate Three Color Marker, RFC 2698, 1999",
        doc: module_doc!("trtcm.rs"),
        params: TrTcmParams::INFO,
        class_params: &[],
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Self::new(TrTcmParams::from_settings(settings)?, link, now)
    }
}

#[cfg(test)]
mod tests {

    use crate::edge::bench::{Bench, bench, try_bench};
    use penstock_core::Rng;
    use penstock_core::param::Value;

    /// CIR 8000 bit/s, one byte per millisecond; PIR two bytes per millisecond; CBS 2000, PBS 3000.
    fn marker(mode: &str) -> Bench {
        bench(
            "trtcm",
            &[
                ("rate", Value::Number(8_000.0)),
                ("peak", Value::Number(16_000.0)),
                ("cbs", Value::Bytes(2_000.0)),
                ("pbs", Value::Bytes(3_000.0)),
                ("mode", Value::Text(mode.into())),
            ],
        )
    }

    fn tokens(marker: &Bench) -> (f64, f64) {
        (marker.gauge("tp"), marker.gauge("tc"))
    }

    #[test]
    fn blind_packets_are_green_in_the_committed_burst_and_yellow_in_the_peak_burst() {
        let mut tcm = marker("blind");
        // Tp, Tc: 1500, 500; 500, 500 (yellow takes from P alone); 500 tokens do not suffice for 501 bytes; 0, 0
        assert_eq!([1_500, 1_000, 501, 500].map(|size| tcm.mark(0.0, size)), ["AF11", "AF12", "AF13", "AF11"]);
        assert_eq!(tokens(&tcm), (0.0, 0.0));
        // 100 ms bring 200 and 100
        assert_eq!((tcm.recolour(100.0, 150, "AF13"), tokens(&tcm)), ("AF12", (50.0, 100.0)));
        assert_eq!((tcm.mark(90_000.0, 65_535), tokens(&tcm)), ("AF13", (3_000.0, 2_000.0)));
    }

    #[test]
    fn an_aware_meter_never_betters_a_colour() {
        let mut tcm = marker("aware");
        assert_eq!((tcm.recolour(0.0, 100, "AF13"), tokens(&tcm)), ("AF13", (3_000.0, 2_000.0)));
        assert_eq!((tcm.recolour(0.0, 1_500, "AF12"), tokens(&tcm)), ("AF12", (1_500.0, 2_000.0)));
        assert_eq!((tcm.recolour(0.0, 1_500, "AF11"), tokens(&tcm)), ("AF11", (0.0, 500.0)));
        assert_eq!((tcm.recolour(0.0, 100, "AF11"), tokens(&tcm)), ("AF13", (0.0, 500.0)));
    }

    #[test]
    fn it_marks_as_the_rule_that_adds_one_token_at_a_time() {
        let mut tcm = marker("aware");
        let mut rng = Rng::stream(6, "packets");
        let (mut t_p, mut t_c, mut now) = (3_000_u32, 2_000_u32, 0_u32);
        for _ in 0..20_000 {
            let gap = rng.below(1_000) as u32;
            for _ in 0..gap {
                t_p = (t_p + 2).min(3_000);
                t_c = (t_c + 1).min(2_000);
            }
            now += gap;
            let size = 1 + rng.below(1_500) as u32;
            let came = ["AF11", "AF12", "AF13"][rng.below(3) as usize];
            let expected = if came == "AF13" || t_p < size {
                "AF13"
            } else if came == "AF12" || t_c < size {
                t_p -= size;
                "AF12"
            } else {
                t_p -= size;
                t_c -= size;
                "AF11"
            };
            assert_eq!(tcm.recolour(f64::from(now), size, came), expected);
            assert_eq!(tokens(&tcm), (f64::from(t_p), f64::from(t_c)));
        }
    }

    #[test]
    fn a_peak_below_the_rate_is_refused() {
        let Err(errors) = try_bench("trtcm", &[("rate", Value::Number(2.0)), ("peak", Value::Number(1.0))]) else {
            panic!("taken")
        };
        assert_eq!(errors[0].name, "peak");
    }
}

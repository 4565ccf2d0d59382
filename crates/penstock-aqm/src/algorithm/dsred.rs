//! Double-Slope RED (DSRED).
//! B. Zheng, M. Atiquzzaman, "DSRED: An Active Queue Management Scheme for Next Generation Networks", IEEE LCN 2000, as
//! given by T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis, Université
//! Montpellier II, 2004, section 1.2.1.5; equation numbers are the thesis'.
//!
//! # Algorithm
//! The average A of the queue is RED's. With Kl = `min_th`, Kh = `max_th` and Km = (Kl + Kh) / 2 an arriving packet is
//! dropped or marked with probability (equation 1.12)
//!
//! * 0 for A < Kl;
//! * alpha (A - Kl) for A < Km, alpha = 2 (1 - gamma) / (Kh - Kl) (equation 1.13);
//! * 1 - gamma + beta (A - Km) for A < Kh, beta = 2 gamma / (Kh - Kl) (equation 1.14);
//! * 1 above.
//!
//! A number is drawn for each arrival while the probability lies between 0 and 1.
//!
//! # Parameters
//! `gamma` is the rise of the probability over the second slope: above 0.5 the second slope is the steeper one.
//! `min_th` and `max_th` bound the average as in RED; `w_q` is the weight of one arrival in it, "auto" as in RED. The
//! sources have no rule for the thresholds. "auto" is RED's, which sets the midpoint of the two, Km here, to an average
//! queueing delay of 5 ms (S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED", 2001, section 4.4).
//!
//! # Differences
//! * Km is the midpoint of Kl and Kh. The thesis gives Km the same description as Kh, but only the midpoint makes the
//!   function continuous.
//! * As in the paper, drops are not spaced; RED spaces them.
//! * The default thresholds are ours: neither source gives values for a general link.

use super::measure_in::MeasureIn;
use super::random_verdict::toss;
use super::red::{Red, RedParams};
use crate::aqm::{Aqm, Cause, Cx, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Auto, Default, Length, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Time};

penstock_core::params! {
    /// Parameters of Double-Slope RED.
    pub struct DsredParams {
        /// Average queue Kl from which packets are dropped; "auto" is 2.5 ms at the rate of the link, at least 5 packets.
        min_th: Auto<Length> = Default::Number(5.0), unit: "packets", at_least: 0.0;
        /// Average queue Kh from which every packet is dropped; "auto" is three times min_th.
        max_th: Auto<Length> = Default::Number(25.0), unit: "packets", at_least: 0.0;
        /// Rise of the drop probability over the second slope; the first slope covers the rest.
        gamma: f64 = Default::Number(0.96), range: 0.0..=1.0;
        /// Weight of one arrival in the average queue; "auto" gives a time constant of one second.
        w_q: Auto<f64> = Default::Text("auto"), range: 0.0..=1.0;
        /// Typical packet size, for idle times and w_q "auto".
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Measure queue and thresholds in packets or in bytes.
        measure_in: MeasureIn = Default::Text("packets");
        /// Mark ECN-capable packets instead of dropping them while the average is below max_th.
        ecn: bool = Default::Flag(false);
    }
}

/// Double-Slope RED.
#[derive(Clone, Debug)]
pub struct Dsred {
    params: DsredParams,
    /// Computes the average; its own drop function is not used.
    red: Red,
}

impl Dsred {
    /// The AQM on this link; all contradictions in `params`, if there are any.
    pub fn new(params: DsredParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        let red = RedParams {
            w_q: params.w_q.into(),
            measure_in: params.measure_in,
            ..RedParams::plain([params.min_th, params.max_th], 1.0, params.mean_packet)
        };
        Ok(Self { params, red: Red::new(red, link)? })
    }

    /// Equation 1.12.
    fn d(&self, avg: f64) -> f64 {
        let gamma = self.params.gamma;
        let (k_l, k_h) = (self.red.curve.min_th, self.red.curve.max_th);
        let k_m = f64::midpoint(k_l, k_h);
        let (alpha, beta) = (2.0 * (1.0 - gamma) / (k_h - k_l), 2.0 * gamma / (k_h - k_l));
        if avg < k_l {
            0.0
        } else if avg < k_m {
            alpha * (avg - k_l)
        } else if avg < k_h {
            1.0 - gamma + beta * (avg - k_m)
        } else {
            1.0
        }
    }
}

impl Aqm for Dsred {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) -> Verdict {
        let q = self.red.length(&cx.queue);
        self.red.average.update(cx.now, q);
        if self.red.average.get() >= self.red.curve.max_th {
            return Verdict::Drop(Cause::Forced);
        }
        toss(self.d(self.red.average.get()), self.params.ecn, cx.rng)
    }

    fn on_idle(&mut self, now: Time) {
        self.red.on_idle(now);
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.red.on_link(now, link);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("avg", self.red.average.get());
        show("p", self.d(self.red.average.get()));
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        Some(self.d(self.red.params.in_unit(Length::Packets(average))))
    }
}

impl AqmScheme for Dsred {
    const INFO: SchemeInfo = SchemeInfo {
        name: "dsred",
        aliases: &[],
        family: "RED",
        title: "Double-Slope RED (DSRED)",
        source: "B. Zheng, M. Atiquzzaman, DSRED: An Active Queue Management Scheme for Next Generation Networks, \
                 IEEE LCN 2000",
        doc: module_doc!("dsred.rs"),
        ecn: true,
        params: DsredParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "Drops little at light load and much at heavy load, without a jump of the probability.",
        bad: "The average still depends on the load, and without spacing, drops cost throughput: 2 to 8 % of the \
              standard link.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Self::new(DsredParams::from_settings(settings)?, link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, assert_fits, thesis_link};
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Limit, Rate};

    /// Kl = 4, Km = 8, Kh = 12 and an average that is the queue: 1 - gamma = 1/4 at 8 packets.
    fn instantaneous(extra: &[(&str, Value)]) -> Rig {
        let mut settings = vec![
            ("min_th", Value::Number(4.0)),
            ("max_th", Value::Number(12.0)),
            ("gamma", Value::Number(0.75)),
            ("w_q", Value::Number(1.0)),
        ];
        settings.extend_from_slice(extra);
        Rig::new("dsred", &settings)
    }

    #[test]
    fn two_slopes_meet_in_the_middle() {
        let rig = instantaneous(&[]);
        let d = [3.9, 4.0, 6.0, 8.0, 10.0, 12.0, 13.0].map(|avg| rig.drop_function(avg));
        assert_eq!(d, [0.0, 0.0, 0.125, 0.25, 0.625, 1.0, 1.0]);
        // continuous at Km and Kh
        assert!((rig.drop_function(8.0 - 1e-9) - 0.25).abs() < 1e-9);
        assert!((rig.drop_function(12.0 - 1e-9) - 1.0).abs() < 1e-9);
    }

    /// 100 Mbit/s are 12 500 packets of 1000 bytes a second: Km is 62.5 packets, 5 ms.
    #[test]
    fn automatic_thresholds_have_the_target_delay_in_the_middle() {
        let link = LinkInfo { rate: Rate::from_bits_per_second(100_000_000), limit: Limit::Infinite, ..thesis_link() };
        let settings = ["min_th", "max_th"].map(|name| (name.into(), Value::Text("auto".into())));
        let mut aqm = Dsred::from_settings(&settings, &link, Time::ZERO).expect("the settings are legal");
        assert_eq!((aqm.d(31.25), aqm.d(93.75)), (0.0, 1.0));
        assert!(aqm.d(31.3) > 0.0 && aqm.d(93.7) < 1.0);
        assert!((aqm.d(62.5) - 0.04).abs() < 1e-12);
        // They follow the rate: at 1 Mbit/s at least 5 and 15 packets.
        aqm.on_link(Time::ZERO, &LinkInfo { rate: Rate::from_bits_per_second(1_000_000), ..link });
        assert_eq!((aqm.d(5.0), aqm.d(15.0)), (0.0, 1.0));
        assert!((aqm.d(10.0) - 0.04).abs() < 1e-12);
    }

    #[test]
    fn drops_are_not_spaced() {
        let gaps = instantaneous(&[]).gaps(6, 20_000);
        assert_fits(&gaps, 1..=40, |n| 0.125 * 0.875_f64.powf(f64::from(n) - 1.0));
    }

    #[test]
    fn the_average_is_that_of_red() {
        let settings = [("w_q", Value::Number(0.25))];
        let (mut dsred, mut red) = (Rig::new("dsred", &settings), Rig::new("red", &settings));
        for rig in [&mut dsred, &mut red] {
            rig.arrive(8);
            while rig.depart() {}
            rig.advance(penstock_core::Span::from_millis(20));
            rig.arrive(3);
        }
        assert!(red.gauge("avg") > 0.1);
        assert_eq!(dsred.gauge("avg"), red.gauge("avg"));
    }

    #[test]
    fn marks_below_max_th_and_drops_above() {
        let (min_th, max_th) = (("min_th", Value::Number(4.0)), ("max_th", Value::Number(12.0)));
        let (w_q, gamma) = (("w_q", Value::Number(1.0)), ("gamma", Value::Number(0.0)));
        let mut rig = Rig::new("dsred", &[min_th, max_th, w_q, gamma, ("ecn", Value::Flag(true))]);
        for _ in 0..14 {
            rig.arrive_as(1000, Ecn::Ect0);
        }
        // with gamma = 0 the probability is 1 from 8 packets on: 8 to 11 waiting are marked for certain, 12 drop
        assert_eq!((rig.waiting(), rig.counts.dropped_on_arrival), (12, 2));
        assert!(rig.counts.marked >= 4);
    }
}

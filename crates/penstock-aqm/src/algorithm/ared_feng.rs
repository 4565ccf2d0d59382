//! Adaptive RED (Feng), also called self-configuring RED.
//! W. Feng, D. Kandlur, D. Saha, K. Shin, "A Self-Configuring RED Gateway", IEEE INFOCOM 1999; the figure number refers
//! to it.
//!
//! # Algorithm
//! RED whose max_p moves when the average leaves its thresholds. At every update of the average (figure 3):
//!
//! * min_th < avg < max_th: status = Between;
//! * avg < min_th and status is not Below: status = Below, max_p = max_p / alpha;
//! * avg > max_th and status is not Above: status = Above, max_p = max_p beta.
//!
//! So max_p changes once per crossing, no matter how long the average then stays outside the thresholds.
//!
//! # Parameters
//! The parameters of RED, with the defaults `gentle = true` and `max_p = 0.02`, and the two factors `alpha` and `beta`.
//!
//! # Differences
//! * The paper does not bound max_p; here it is kept between 0.000001 and 1000000, so that it can recover from either
//!   extreme. As in the paper and in ns-2, max_p may exceed 1 (with 100 flows on a 1.5 Mb/s link its mean does). p_b
//!   never exceeds 1: it then reaches 1 below max_th.
//! * With `gentle_from = "first"`, as in ns-2, the ramp above max_th always starts at the initial max_p.

use super::drop_curve::{DropCurve, GentleFrom};
use super::red::{Red, RedParams};
use crate::aqm::{Aqm, Backlog, Cx, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len, read};
use penstock_core::{PacketMeta, Time};

/// Largest max_p.
const MAX_P_HIGH: f64 = 1e6;
/// Smallest max_p.
const MAX_P_LOW: f64 = 1e-6;

penstock_core::params! {
    /// Parameters that Adaptive RED (Feng) adds to those of RED.
    pub struct AredFengParams {
        /// Divides max_p when the average falls below min_th.
        alpha: f64 = Default::Number(3.0), range: 1.0..=1000.0;
        /// Multiplies max_p when the average rises above max_th.
        beta: f64 = Default::Number(2.0), range: 1.0..=1000.0;
        /// Start of the gentle ramp: at the initial or at the current max_p.
        gentle_from: GentleFrom = Default::Text("first");
    }
}

const PARAMS: [ParamInfo; inherited_len(AredFengParams::INFO, RedParams::INFO)] = inherit(
    AredFengParams::INFO,
    RedParams::INFO,
    &[("gentle", Default::Flag(true)), ("max_p", Default::Number(0.02))],
);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Between,
    Below,
    Above,
}

/// Adaptive RED (Feng).
#[derive(Clone, Debug)]
pub struct AredFeng {
    params: AredFengParams,
    red: Red,
    status: Status,
}

impl AredFeng {
    /// The AQM that moves the max_p of `red`.
    pub fn new(params: AredFengParams, red: Red) -> Self {
        Self { params, red, status: Status::Between }
    }

    /// Figure 3. Exactly at a threshold nothing changes.
    #[inline]
    fn adapt(&mut self) {
        let (avg, DropCurve { min_th, max_th, .. }) = (self.red.average.get(), self.red.curve);
        if min_th < avg && avg < max_th {
            self.status = Status::Between;
        } else if avg < min_th && self.status != Status::Below {
            self.status = Status::Below;
            self.move_max_p(1.0 / self.params.alpha);
        } else if avg > max_th && self.status != Status::Above {
            self.status = Status::Above;
            self.move_max_p(self.params.beta);
        }
    }

    fn move_max_p(&mut self, factor: f64) {
        let max_p = (self.red.curve.max_p * factor).clamp(MAX_P_LOW, MAX_P_HIGH);
        self.red.curve = self.red.curve.with_max_p(max_p, self.params.gentle_from);
    }
}

impl Aqm for AredFeng {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let q = self.red.length(&cx.queue);
        self.red.average.update(cx.now, q);
        self.adapt();
        self.red.judge(q, packet.size, cx.rng)
    }

    fn on_overflow(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) {
        self.red.on_overflow(cx, packet);
    }

    fn on_idle(&mut self, now: Time) {
        self.red.on_idle(now);
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.red.on_link(now, link);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.red.gauges(show);
    }

    fn resume(&mut self, queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        self.red.resume(queue, gauge);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.red.drop_function(average)
    }
}

impl AqmScheme for AredFeng {
    const INFO: SchemeInfo = SchemeInfo {
        name: "ared-feng",
        aliases: &[],
        family: "RED",
        title: "Adaptive RED (Feng)",
        source: "W. Feng, D. Kandlur, D. Saha, K. Shin, A Self-Configuring RED Gateway, IEEE INFOCOM 1999",
        doc: module_doc!("ared_feng.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "Two simple rules move max_p fast and in large steps.",
        bad: "max_p moves only when the average leaves the thresholds, so the average never settles; at light load \
              it falls to its lower bound.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        let (params, red): (AredFengParams, RedParams) = read(settings, &PARAMS)?;
        Ok(Self::new(params, Red::new(red, link)?))
    }
}

#[cfg(test)]
mod tests {
    use crate::rig::Rig;
    use penstock_core::param::Value;

    /// The AQM after arrivals that found this queue; w_q is 1, so the average equals the queue.
    fn rig_after(found: &[u32]) -> Rig {
        let mut rig = Rig::new("ared-feng", &[("w_q", Value::Number(1.0))]);
        for &waiting in found {
            while rig.waiting() > waiting {
                rig.depart();
            }
            while rig.waiting() < waiting {
                rig.arrive(1);
            }
            rig.arrive(1);
        }
        rig
    }

    #[test]
    fn max_p_moves_once_at_each_crossing() {
        let below = 0.02 / 3.0;
        assert!((rig_after(&[1]).gauge("max_p") - below).abs() < 1e-12);
        assert!((rig_after(&[10]).gauge("max_p") - below).abs() < 1e-12);
        assert!((rig_after(&[17]).gauge("max_p") - below * 2.0).abs() < 1e-12);
        assert!((rig_after(&[17, 10]).gauge("max_p") - below * 2.0).abs() < 1e-12);
        assert!((rig_after(&[17, 10, 17]).gauge("max_p") - below * 4.0).abs() < 1e-12);
        assert!((rig_after(&[17, 3]).gauge("max_p") - below * 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn max_p_may_pass_one() {
        assert_eq!(rig_after(&[10, 1].repeat(30)).gauge("max_p"), 1e-6);
        let rig = rig_after(&[17, 10].repeat(8));
        assert!(rig.gauge("max_p") > 1.0);
        assert_eq!(rig.drop_function(14.9), 1.0);
    }
}

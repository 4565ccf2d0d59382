//! PI squared (PI2).
//! K. De Schepper, O. Bondarenko, I.-J. Tsang, B. Briscoe, "PI2: A Linearized AQM for both Classic and Scalable TCP",
//! ACM CoNEXT, 2016.
//!
//! # Algorithm
//! Every `t_update`, with the queueing delay d and d_old, the delay at the previous update:
//!
//! * p' = p' + alpha (d - target) + beta (d - d_old), 0 <= p' <= 1.
//!
//! An arrival is dropped with probability p'^2, that is, if p' exceeds the larger of two random numbers. A packet of a
//! scalable sender, recognized by ECT(1) or CE, is marked with probability k p', that is, if p' exceeds 1/k of a random
//! number. The square makes the loop gain of classic TCP independent of the load; PIE's table of divisors only
//! approximates this. With k = 2 both kinds of sender get equal rates.
//!
//! While p' is above 0, two numbers are drawn for each packet of a classic sender, and one for each packet of a
//! scalable sender.
//!
//! # Parameters
//! `target` is the target delay; `alpha` and `beta` are per second of delay, for the period `t_update`. With `ecn`
//! ECN-capable packets are marked; without it scalable senders are treated like others.
//!
//! # Differences
//! * The delay is the waiting time of the head packet when p' is updated, 0 for an empty queue; the paper estimates it
//!   from the departure rate.
//! * As in the paper there is none of PIE's exceptions, such as the burst allowance. The paper's bound of 25 % on marks
//!   is left out.

use crate::aqm::{Aqm, Cause, Cx, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, TimerMoves};
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Default, ParamErrors, Settings};
use penstock_core::{Ecn, PacketMeta, Span, Time};

penstock_core::params! {
    /// Parameters of PI2.
    pub struct Pi2Params {
        /// Target queueing delay.
        target: Span = Default::Nanos(20_000_000), unit: "s", at_least: 0.0;
        /// Time between updates of the probability.
        t_update: Span = Default::Nanos(32_000_000), unit: "s", at_least: 0.000_1;
        /// Gain on the distance of the delay from target, per second of delay.
        alpha: f64 = Default::Number(0.3125), range: 0.0..=1e9;
        /// Gain on the change of the delay, per second of delay.
        beta: f64 = Default::Number(3.125), range: 0.0..=1e9;
        /// Packets of a scalable sender are marked with probability k p'.
        k: f64 = Default::Number(2.0), range: 1.0..=100.0;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
    }
}

/// PI squared.
#[derive(Clone, Debug)]
pub struct Pi2 {
    params: Pi2Params,
    ticker: PeriodicTimer,
    /// p': the square root of the drop probability.
    root: f64,
    qdelay_old: f64,
}

impl Pi2 {
    /// The AQM.
    pub fn new(params: Pi2Params, now: Time) -> Self {
        Self { ticker: PeriodicTimer::new(now, params.t_update), params, root: 0.0, qdelay_old: 0.0 }
    }

    /// The controller: one step of p' at the delay `qdelay`, in seconds.
    fn update(&mut self, qdelay: f64) {
        let Pi2Params { alpha, beta, target, .. } = self.params;
        let step = alpha * (qdelay - target.as_secs()) + beta * (qdelay - self.qdelay_old);
        self.root = (self.root + step).clamp(0.0, 1.0);
        self.qdelay_old = qdelay;
    }
}

impl Aqm for Pi2 {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_timer(TimerMoves::Periodic)
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        if self.root <= 0.0 {
            return Verdict::Pass;
        }
        let is_scalable = self.params.ecn && matches!(packet.ecn, Ecn::Ect1 | Ecn::Ce);
        let signals = if is_scalable {
            cx.rng.uniform() < self.params.k * self.root
        } else {
            let (first, second) = (cx.rng.uniform(), cx.rng.uniform());
            first.max(second) < self.root
        };
        match signals {
            false => Verdict::Pass,
            true if self.params.ecn => Verdict::Mark(Cause::Early),
            true => Verdict::Drop(Cause::Early),
        }
    }

    fn next_timeout(&self) -> Option<Time> {
        self.ticker.next()
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.update(cx.queue.oldest.map_or(0.0, |oldest| cx.now.since(oldest).as_secs()));
        self.ticker.advance(cx.now);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("p", self.root * self.root);
        show("qdelay", self.qdelay_old);
    }
}

impl AqmScheme for Pi2 {
    const INFO: SchemeInfo = SchemeInfo {
        name: "pi2",
        aliases: &[],
        family: "delay",
        title: "PI squared",
        source: "K. De Schepper, O. Bondarenko, I.-J. Tsang, B. Briscoe, PI2: A Linearized AQM for both Classic and Scalable \
                 TCP, ACM CoNEXT, 2016",
        doc: module_doc!("pi2.rs"),
        ecn: true,
        params: Pi2Params::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "The delay of PIE without its table of divisors; classic and scalable TCP share the link equally.",
        bad: "Unresponsive traffic is dropped by the square of p', so the response to a flood is slow.",
    };

    fn from_settings(settings: &Settings, _link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(Pi2Params::from_settings(settings)?, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, assert_fits};
    use penstock_core::param::Value;

    /// The gaps between dropped or marked packets of flow 0, in a queue of 10 packets with p' constant after one update
    /// at a delay of `delay_ms`.
    fn gaps(delay_ms: u64, ecn: Ecn) -> Vec<u32> {
        let settings = [
            ("t_update", Value::Time(Span::from_millis(delay_ms))),
            ("target", Value::Time(Span::from_millis(0))),
            ("alpha", Value::Number(0.5)),
            ("beta", Value::Number(0.0)),
            ("ecn", Value::Flag(true)),
        ];
        let mut rig = Rig::new("pi2", &settings);
        rig.arrive(10);
        rig.advance(Span::from_millis(delay_ms));
        let (mut gap, mut gaps) = (0, Vec::new());
        while gaps.len() < 10_000 {
            let before = rig.counts.marked + rig.counts.dropped_on_arrival;
            rig.arrive_as(1000, ecn);
            gap += 1;
            if rig.counts.marked + rig.counts.dropped_on_arrival > before {
                gaps.push(core::mem::take(&mut gap));
            }
            while rig.waiting() > 10 {
                rig.depart();
            }
        }
        gaps
    }

    #[test]
    fn the_probability_follows_the_controller() {
        let mut aqm = Pi2::from_settings(&[], &crate::rig::thesis_link(), Time::ZERO).unwrap();
        // 0.3125 (30 - 20) ms + 3.125 (30 - 0) ms = 0.096875; then 0.3125 (20 ms) + 3.125 (10 ms) = 0.0375
        aqm.update(0.030);
        assert!((aqm.root - 0.096_875).abs() < 1e-12);
        aqm.update(0.040);
        assert!((aqm.root - 0.134_375).abs() < 1e-12);
        aqm.update(0.0);
        assert!((aqm.root - 0.003_125).abs() < 1e-12);
        aqm.update(0.0);
        assert_eq!(aqm.root, 0.0);
        aqm.update(10.0);
        assert_eq!(aqm.root, 1.0);
    }

    #[test]
    fn classic_packets_meet_the_square_and_scalable_ones_twice_the_root() {
        // p' = 0.5 times 600 ms = 0.3: p = 0.09 and 0.6
        assert_fits(&gaps(600, Ecn::Not), 1..=40, |n| 0.09 * 0.91_f64.powf(f64::from(n) - 1.0));
        assert_fits(&gaps(600, Ecn::Ect0), 1..=40, |n| 0.09 * 0.91_f64.powf(f64::from(n) - 1.0));
        assert_fits(&gaps(600, Ecn::Ect1), 1..=8, |n| 0.6 * 0.4_f64.powf(f64::from(n) - 1.0));
    }

    #[test]
    fn the_delay_is_that_of_the_packet_at_the_head() {
        let mut rig = Rig::new("pi2", &[]);
        rig.advance(Span::from_millis(10));
        rig.arrive(2);
        rig.advance(Span::from_millis(22));
        assert_eq!(rig.gauge("qdelay"), 0.022);
        while rig.depart() {}
        rig.advance(Span::from_millis(32));
        assert_eq!(rig.gauge("qdelay"), 0.0);
    }
}

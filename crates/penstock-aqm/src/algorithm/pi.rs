//! PI: the proportional-integral controller.
//! C. Hollot, V. Misra, D. Towsley, W. Gong, "On Designing Improved Controllers for AQM Routers Supporting TCP Flows",
//! INFOCOM 2001, as given by T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD
//! thesis, Université Montpellier II, 2004, section 1.2.2.4; equation numbers are the thesis'.
//!
//! # Algorithm
//! Every `interval`, with the queue K, the queue Kp one interval ago and the target KT, all in packets (equation 1.21):
//!
//! * p = min(max(p + a (K - KT) - b (Kp - KT), 0), 1).
//!
//! Each arriving packet is dropped or marked with probability p. A number is drawn for each arrival while 0 < p < 1.
//!
//! # Parameters
//! `target` is KT, in packets or as the time the link needs to send it. The "auto" values of `a` and `b` are derived
//! from the number of flows N, the round-trip time R = B / C + `rtt` through a full queue of B packets, and the
//! capacity C (equations 1.22, 1.23):
//!
//! * omega_g = 2 N / (R^2 C), K_PI = omega_g |1 + i omega_g R| (2 N)^2 / (R C)^3,
//! * a = K_PI (1 / omega_g + interval / 2), b = K_PI (1 / omega_g - interval / 2).
//!
//! With p in equilibrium the queue is at the target, whatever the load. A steady queue of 1 packet above the target
//! raises p by a - b each interval.
//!
//! # Differences
//! * The defaults are the thesis': for 3 flows at 187.5 packets/s with R = 0.252 s and 170 samples per second (printed:
//!   170 seconds). The paper's example and ns-2 use 0.00001822 and 0.00001816, for a link twenty times as fast.
//! * "auto" on the thesis' link gives 14 % more than the defaults, because R = B / C + rtt is 0.241 s there.

use super::link_facts;
use super::random_verdict::toss;
use crate::aqm::{Aqm, Backlog, Cx, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, TimerMoves};
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::vec::Vec;
use penstock_core::param::{Auto, Default, LengthOrTime, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Span, Time};
use penstock_model::pi_design;

penstock_core::params! {
    /// Parameters of PI.
    pub struct PiParams {
        /// Target queue KT.
        target: LengthOrTime = Default::Number(10.0), unit: "packets", at_least: 0.0;
        /// Gain of the current queue, per packet; "auto" derives it from flows, round-trip time and rate.
        a: Auto<f64> = Default::Number(0.000_344_519), range: 0.0..=1.0;
        /// Gain of the queue one interval ago, per packet; "auto" derives it from flows, round-trip time and rate.
        b: Auto<f64> = Default::Number(0.000_343_499), range: 0.0..=1.0;
        /// Time between steps of p; by default a 170th of a second.
        interval: Span = Default::Nanos(5_882_353), unit: "s", at_least: 0.000_1;
        /// Typical packet size, to convert a target in time or bytes and for "auto".
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
    }
}

/// Values derived from the parameters and the link.
#[derive(Clone, Debug)]
struct Derived {
    target: f64,
    a: f64,
    b: f64,
}

/// The proportional-integral controller.
#[derive(Clone, Debug)]
pub struct Pi {
    params: PiParams,
    derived: Derived,
    ticker: PeriodicTimer,
    p: f64,
    /// Kp
    previous: f64,
}

impl Derived {
    fn new(params: &PiParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        let mut errors = Vec::new();
        let target = link_facts::target(params.target, params.mean_packet, link).map_err(|error| errors.push(error));
        let mut gain = |name, given, rule: fn(pi_design::Gains) -> f64| match given {
            Auto::Value(gain) => gain,
            Auto::Auto => match link_facts::plant(name, params.mean_packet, link) {
                Ok(plant) => rule(pi_design::gains(&plant, 1.0 / params.interval.as_secs())),
                Err(error) => {
                    errors.push(error);
                    0.0
                }
            },
        };
        let (a, b) = (gain("a", params.a, |gains| gains.a), gain("b", params.b, |gains| gains.b));
        target.ok().filter(|_| errors.is_empty()).map(|target| Self { target, a, b }).ok_or(errors)
    }
}

impl Aqm for Pi {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_timer(TimerMoves::Periodic)
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) -> Verdict {
        toss(self.p, self.params.ecn, cx.rng)
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        // On a link where the target or the gains are invalid, the AQM keeps its settings.
        if let Ok(derived) = Derived::new(&self.params, link) {
            self.derived = derived;
        }
    }

    fn next_timeout(&self) -> Option<Time> {
        self.ticker.next()
    }

    /// Equation 1.21.
    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        let Derived { target, a, b } = self.derived;
        let queue = f64::from(cx.queue.packets);
        self.p = (self.p + a * (queue - target) - b * (self.previous - target)).clamp(0.0, 1.0);
        self.previous = queue;
        self.ticker.advance(cx.now);
    }

    fn resume(&mut self, queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        self.p = gauge("p").unwrap_or(self.p);
        self.previous = f64::from(queue.packets);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("p", self.p);
    }
}

impl AqmScheme for Pi {
    const INFO: SchemeInfo = SchemeInfo {
        name: "pi",
        aliases: &[],
        family: "control",
        title: "Proportional-integral controller (PI)",
        source: "C. Hollot, V. Misra, D. Towsley, W. Gong, On Designing Improved Controllers for AQM Routers Supporting \
                 TCP Flows, INFOCOM 2001",
        doc: module_doc!("pi.rs"),
        ecn: true,
        params: PiParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "Once settled, it keeps the queue at its target for any number of flows.",
        bad: "With gains for few flows it takes a minute to reach the p that many flows need; until then the queue is \
              full.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        let params = PiParams::from_settings(settings)?;
        let derived = Derived::new(&params, link)?;
        let ticker = PeriodicTimer::new(now, params.interval);
        Ok(Self { params, derived, ticker, p: 0.0, previous: 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, assert_fits, thesis_link};
    use penstock_core::param::Value;

    const TICK: Span = Span::from_millis(10);

    /// Ticks of 10 ms, gains of 0.02 and 0.01.
    fn coarse() -> Rig {
        Rig::new("pi", &[("a", Value::Number(0.02)), ("b", Value::Number(0.01)), ("interval", Value::Time(TICK))])
    }

    #[test]
    fn p_follows_the_queue_and_the_queue_before() {
        let mut rig = coarse();
        rig.arrive(30);
        rig.advance(TICK);
        // 0 + 0.02 (30 - 10) - 0.01 (0 - 10)
        assert!((rig.gauge("p") - 0.5).abs() < 1e-12);
        while rig.waiting() > 5 {
            rig.depart();
        }
        rig.advance(TICK);
        // 0.5 + 0.02 (5 - 10) - 0.01 (30 - 10)
        assert!((rig.gauge("p") - 0.2).abs() < 1e-12);
    }

    #[test]
    fn p_stays_between_0_and_1() {
        let mut rig = coarse();
        rig.arrive(35);
        rig.advance(Span::from_millis(100));
        assert_eq!(rig.gauge("p"), 1.0);
        while rig.depart() {}
        rig.advance(Span::from_secs(1.0));
        assert_eq!(rig.gauge("p"), 0.0);
    }

    #[test]
    fn p_rests_at_the_target() {
        let mut rig = coarse();
        rig.arrive(30);
        rig.advance(TICK);
        while rig.waiting() > 10 {
            rig.depart();
        }
        rig.advance(TICK);
        let settled = rig.gauge("p");
        rig.advance(Span::from_secs(60.0));
        assert!(settled > 0.0 && (rig.gauge("p") - settled).abs() < 1e-12);
    }

    #[test]
    fn a_full_queue_takes_more_than_a_minute_to_reach_the_p_of_a_hundred_flows() {
        let mut rig = Rig::new("pi", &[]);
        rig.arrive(35);
        // first sample 25 a + 10 b, then 170 (a - b) 25 = 0.004335 per second
        rig.advance(Span::from_millis(60_001));
        assert!((rig.gauge("p") - (0.012_048 + 10_199.0 * 25.0 * 1.02e-6)).abs() < 1e-5);
        rig.advance(Span::from_secs(18.5));
        assert!((rig.gauge("p") - 0.35).abs() < 0.005);
    }

    #[test]
    fn gaps_between_drops_are_geometric() {
        let mut rig = coarse();
        rig.arrive(16);
        rig.advance(TICK); // 0.02 6 + 0.01 10
        let gaps = rig.gaps(10, 20_000);
        assert_fits(&gaps, 1..=30, |n| 0.22 * 0.78_f64.powf(f64::from(n) - 1.0));
    }

    #[test]
    fn automatic_gains_are_those_of_the_design_rule() {
        let auto = [("a".into(), Value::Text("auto".into())), ("b".into(), Value::Text("auto".into()))];
        let link = LinkInfo { rtt: Some(Span::from_millis(54)), flows: Some(3), ..thesis_link() };
        let Derived { a, b, .. } = Pi::from_settings(&auto, &link, Time::ZERO).unwrap().derived;
        assert!((a - 0.000_395_9).abs() < 1e-7 && (b - 0.000_394_6).abs() < 1e-7);
        let errors = Pi::from_settings(&auto, &thesis_link(), Time::ZERO).unwrap_err();
        assert_eq!(errors.iter().map(|error| error.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn a_target_beyond_the_queue_is_refused() {
        let errors =
            Pi::from_settings(&[("target".into(), Value::Packets(50.0))], &thesis_link(), Time::ZERO).unwrap_err();
        let message = "must be below the limit of the queue, 35 packets";
        assert_eq!((errors[0].name.as_str(), errors[0].message.as_str()), ("target", message));
    }
}

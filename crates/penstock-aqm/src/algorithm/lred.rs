//! LRED: RED based on the loss ratio.
//! C. Wang, B. Li, Y. Hou, K. Sohraby, Y. Lin, "LRED: A Robust Active Queue Management Scheme Based on Packet Loss
//! Ratio", INFOCOM 2004, as given by T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the
//! Internet", PhD thesis, Université Montpellier II, 2004, section 1.2.2.5; equation numbers are the thesis'.
//!
//! # Algorithm
//! Every `interval` the loss ratio l is updated from the arrivals and losses of the last `periods` intervals (equation
//! 1.25):
//!
//! * l(k) = lost / arrived, l = mw l + (1 - mw) l(k); l does not change without arrivals.
//!
//! Each arriving packet, which finds the queue K, is dropped or marked with probability (equation 1.24)
//!
//! * p = min(max(l + beta sqrt(l) (K - KT), 0), 1).
//!
//! A number is drawn for each arrival while 0 < p < 1.
//!
//! # Parameters
//! `target` is KT. `beta` is the gain of the queue; "auto" is the largest stable gain (equation 1.26) for N flows, the
//! round-trip time R = B / C + `rtt` through a full queue, the capacity C and eta = 3/2. It is the smaller of (R
//! sqrt(eta) / C) omega sqrt(omega^2 + K11^2) and sqrt(2 eta) (2 N)^4 / (R C)^3, where K11 = 2 N / (C R^2) and omega
//! solves R omega + arctan(omega / K11) = pi / 2. This is the thesis' LRED* if `flows` is the number of flows in each
//! run. `interval` should be below the round-trip time.
//!
//! # Differences
//! * Early drops, overflows and marks all count as losses. A marked packet that overflows the queue counts once.
//! * Until a packet is lost, l and p are 0: the first losses are overflows.
//! * The text of the thesis computes p every interval, its Algorithm 12 at each arrival. Here p is computed at each
//!   arrival.
//! * The thesis gives neither interval nor mw; 0.2 s and 0.1 are ours. Its beta = 0.021 is the second bound of equation
//!   1.26 for 3 flows and R = 0.252 s, not the smaller bound.

use super::link_facts;
use super::random_verdict::toss;
use crate::aqm::{Aqm, Cx, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, TimerMoves};
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::collections::VecDeque;
use penstock_core::param::{Auto, Default, LengthOrTime, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Span, Time, math};
use penstock_model::lred_design;

penstock_core::params! {
    /// Parameters of LRED.
    pub struct LredParams {
        /// Target queue KT.
        target: LengthOrTime = Default::Number(10.0), unit: "packets", at_least: 0.0;
        /// Gain of the queue; "auto" derives it from flows, round-trip time and rate.
        beta: Auto<f64> = Default::Number(0.021), range: 0.0..=1000.0;
        /// Time between measurements of the loss ratio.
        interval: Span = Default::Nanos(200_000_000), unit: "s", at_least: 0.001;
        /// Number of intervals over which the loss ratio is measured.
        periods: u32 = Default::Number(4.0), range: 1.0..=1000.0;
        /// Weight of the previous loss ratio; a new measurement has the weight 1 - mw.
        mw: f64 = Default::Number(0.1), range: 0.0..=1.0;
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
    beta: f64,
}

/// Packets of one interval, or of several.
#[derive(Clone, Copy, Debug, Default)]
struct Period {
    arrived: u64,
    lost: u64,
}

/// RED by the loss ratio.
#[derive(Clone, Debug)]
pub struct Lred {
    params: LredParams,
    derived: Derived,
    ticker: PeriodicTimer,
    /// l
    loss_ratio: f64,
    /// p at the last arrival.
    p: f64,
    present: Period,
    /// The past intervals that a measurement covers, and their sum.
    past: VecDeque<Period>,
    sum: Period,
    /// Whether the last arrival has already been counted as lost.
    counted: bool,
}

impl Derived {
    fn new(params: &LredParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        let target = link_facts::target(params.target, params.mean_packet, link);
        let beta = match params.beta {
            Auto::Value(beta) => Ok(beta),
            Auto::Auto => link_facts::plant("beta", params.mean_packet, link)
                .map(|plant| lred_design::bounds(&plant, lred_design::ETA).smaller()),
        };
        match (target, beta) {
            (Ok(target), Ok(beta)) => Ok(Self { target, beta }),
            (target, beta) => Err(target.err().into_iter().chain(beta.err()).collect()),
        }
    }
}

impl Lred {
    /// Equation 1.24.
    fn probability(&self, queue: f64) -> f64 {
        let Derived { target, beta } = self.derived;
        (self.loss_ratio + beta * math::sqrt(self.loss_ratio) * (queue - target)).clamp(0.0, 1.0)
    }

    /// Equation 1.25, at the end of an interval.
    fn measure(&mut self) {
        self.sum.arrived += self.present.arrived;
        self.sum.lost += self.present.lost;
        self.past.push_back(core::mem::take(&mut self.present));
        if self.past.len() > self.params.periods as usize
            && let Some(oldest) = self.past.pop_front()
        {
            self.sum.arrived -= oldest.arrived;
            self.sum.lost -= oldest.lost;
        }
        if self.sum.arrived > 0 {
            let measured = self.sum.lost as f64 / self.sum.arrived as f64;
            self.loss_ratio = self.params.mw * self.loss_ratio + (1.0 - self.params.mw) * measured;
        }
    }
}

impl Aqm for Lred {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_timer(TimerMoves::Periodic)
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) -> Verdict {
        self.p = self.probability(f64::from(cx.queue.packets));
        let verdict = toss(self.p, self.params.ecn, cx.rng);
        self.counted = verdict != Verdict::Pass;
        self.present.arrived += 1;
        self.present.lost += u64::from(self.counted);
        verdict
    }

    fn on_overflow(&mut self, _cx: &mut Cx<'_>, _packet: &PacketMeta) {
        // a packet that was to be marked but overflowed the queue is lost once
        self.present.lost += u64::from(!self.counted);
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        // On a link where the target or beta is invalid, the AQM keeps its settings.
        if let Ok(derived) = Derived::new(&self.params, link) {
            self.derived = derived;
        }
    }

    fn next_timeout(&self) -> Option<Time> {
        self.ticker.next()
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.measure();
        self.ticker.advance(cx.now);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("p", self.p);
        show("loss_ratio", self.loss_ratio);
    }
}

impl AqmScheme for Lred {
    const INFO: SchemeInfo = SchemeInfo {
        name: "lred",
        aliases: &[],
        family: "control",
        title: "Loss-ratio based RED (LRED)",
        source: "C. Wang, B. Li, Y. Hou, K. Sohraby, Y. Lin, LRED: A Robust Active Queue Management Scheme Based on \
                 Packet Loss Ratio, INFOCOM 2004",
        doc: module_doc!("lred.rs"),
        ecn: true,
        params: LredParams::INFO,
        class_params: &[],
        cost: "O(1) time, O(periods) memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "Holds the queue at its target for any number of flows, and reaches it within seconds of a change.",
        bad: "With a few flows on a long, fast link its loss ratio is mostly noise or zero: the queue swings and is \
              often empty.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        let params = LredParams::from_settings(settings)?;
        let derived = Derived::new(&params, link)?;
        let ticker = PeriodicTimer::new(now, params.interval);
        let (present, sum) = (Period::default(), Period::default());
        let past = VecDeque::with_capacity(params.periods as usize + 1);
        Ok(Self { params, derived, ticker, loss_ratio: 0.0, p: 0.0, present, past, sum, counted: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, assert_fits, thesis_link};
    use penstock_core::Ecn;
    use penstock_core::param::Value;

    const INTERVAL: Span = Span::from_millis(200);

    /// A queue of 35 packets at which, one interval ago, 40 packets arrived and 5 overflowed.
    fn seeded(extra: &[(&str, Value)]) -> Rig {
        let mut rig = Rig::new("lred", extra);
        rig.arrive(40);
        rig.advance(INTERVAL);
        rig
    }

    #[test]
    fn nothing_is_dropped_early_before_the_first_overflow() {
        let mut rig = Rig::new("lred", &[]);
        for _ in 0..1000 {
            rig.arrive(2);
            rig.advance(INTERVAL);
            while rig.waiting() > 30 {
                rig.depart();
            }
        }
        assert_eq!((rig.counts.dropped_on_arrival, rig.gauge("p")), (0, 0.0));
    }

    #[test]
    fn the_loss_ratio_is_that_of_the_last_periods() {
        let mut rig = seeded(&[("beta", Value::Number(0.0))]);
        // 0.1 0 + 0.9 5/40
        let first: f64 = 0.9 * 0.125;
        assert!((rig.gauge("loss_ratio") - first).abs() < 1e-12);
        // no packet arrives in three more intervals: the same measurement again
        rig.advance(Span::from_millis(600));
        let fourth = 0.125 * (1.0 - 0.1_f64.powi(4));
        assert!((rig.gauge("loss_ratio") - fourth).abs() < 1e-12);
        // after that there is no measurement until a packet arrives
        rig.advance(Span::from_secs(10.0));
        assert!((rig.gauge("loss_ratio") - fourth).abs() < 1e-12);
    }

    #[test]
    fn p_is_the_loss_ratio_at_the_target_and_proportional_around_it() {
        let l: f64 = 0.1125;
        for (queue, p) in [(10, l), (20, l + 0.21 * l.sqrt()), (0, l - 0.21 * l.sqrt())] {
            let mut rig = seeded(&[]);
            while rig.waiting() > queue {
                rig.depart();
            }
            rig.arrive(1);
            assert!((rig.gauge("p") - p).abs() < 1e-12, "{queue}");
        }
    }

    #[test]
    fn p_stays_between_0_and_1() {
        let mut rig = seeded(&[("beta", Value::Number(10.0))]);
        rig.arrive(1);
        assert_eq!(rig.gauge("p"), 1.0);
        while rig.depart() {}
        rig.arrive(1);
        assert_eq!(rig.gauge("p"), 0.0);
    }

    #[test]
    fn gaps_between_drops_are_geometric() {
        let gaps = seeded(&[]).gaps(10, 20_000);
        assert_fits(&gaps, 1..=40, |n| 0.1125 * 0.8875_f64.powf(f64::from(n) - 1.0));
    }

    #[test]
    fn a_mark_counts_as_a_loss_and_one_without_room_only_once() {
        let settings = [("beta", Value::Number(1000.0)), ("ecn", Value::Flag(true)), ("mw", Value::Number(0.0))];
        let mut rig = seeded(&settings);
        while rig.waiting() > 34 {
            rig.depart();
        }
        // p = 1: the first packet is marked and queued; the second would be marked, but overflows
        (0..2).for_each(|_| rig.arrive_as(1000, Ecn::Ect0));
        assert_eq!((rig.counts.marked, rig.counts.dropped_on_arrival), (1, 6));
        rig.advance(INTERVAL);
        assert!((rig.gauge("loss_ratio") - 7.0 / 42.0).abs() < 1e-12);
    }

    #[test]
    fn automatic_beta_is_that_of_the_design_rule() {
        let auto = [("beta".into(), Value::Text("auto".into()))];
        let on = |flows| LinkInfo { rtt: Some(Span::from_nanos(65_333_333)), flows: Some(flows), ..thesis_link() };
        assert!((Lred::from_settings(&auto, &on(103), Time::ZERO).unwrap().derived.beta - 0.151_305).abs() < 1e-6);
        assert!((Lred::from_settings(&auto, &on(3), Time::ZERO).unwrap().derived.beta - 0.003_359).abs() < 1e-6);
        assert_eq!(Lred::from_settings(&auto, &thesis_link(), Time::ZERO).unwrap_err()[0].name, "beta");
    }
}

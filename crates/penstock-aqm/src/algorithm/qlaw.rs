//! RED steered by the queue law.
//! Our own design, for the question that J. Chung, M. Claypool, "Analysis of RED-Family Active Queue Management", 2003,
//! leave open in section VI: how to reach a well-configured state faster than Adaptive RED. The queue law is their
//! equation 2, [`penstock_model::queue_law`].
//!
//! # Algorithm
//! Gentle RED whose max_p is set so that its drop function crosses the queue law at the target queue. Every `interval`:
//!
//! * A and S are averages of the arrivals and the signals (drops, marks, overflows) per interval, with weight g for the
//!   last interval. p = max(S, 1/2) / A, because less than half a signal cannot be distinguished from none;
//! * N = (avg + RTLD SR) (1 + p_d) / W(p): the number of flows that, by the queue law, hold this queue at this p;
//! * p*: the probability at which N flows hold the queue q* = (min_th + max_th) / 2, by the same law;
//! * max_p = 2 p_b, within its bounds, so that the drop function is p_b at q*. With this p_b, RED's spacing drops a
//!   share p* of all arrivals; with `spacing = "wait"`, p_b = 3 p* / (2 + p*).
//!
//! If the window of the flows is c times the law's W, N is c times too large. The same factor cancels in the second
//! step, so p* is right: only the shape of W(p) matters.
//!
//! # Parameters
//! The parameters of RED, with the default `gentle = true`, and `interval`, the weight `g` and the bounds of max_p.
//! `rtt` is RTLD. `min_rto` is the minimum retransmission timeout of the flows: a drop may cause a timeout, a mark does
//! not.
//!
//! # Differences
//! * It uses T_0 = max(min RTO, 2 R) and the paper's balance, which is not the most exact form of the law. Both steps
//!   use the same form, so most of its error cancels.
//! * It adapts like Adaptive RED (Floyd), but sets max_p instead of moving it by steps, so that it adapts to any change
//!   of the load within a few intervals.

use super::drop_curve::GentleFrom;
use super::measure_in::MeasureIn;
use super::red::{Red, RedParams};
use crate::aqm::{Aqm, Backlog, Cx, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, TimerMoves};
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Auto, Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len, read_with};
use penstock_core::{PacketMeta, Span, Time};
use penstock_model::queue_law::{Balance, QueueLaw, Signal, Windows};

/// RTLD of a link of unknown round-trip time.
const USUAL_RTT: Span = Span::from_millis(100);

penstock_core::params! {
    /// Parameters that the queue law adds to those of RED.
    pub struct QlawParams {
        /// Time between two settings of max_p.
        interval: Span = Default::Nanos(500_000_000), unit: "s", at_least: 0.001;
        /// Weight g of the last interval's arrivals and signals.
        g: f64 = Default::Number(0.5), range: 0.001..=1.0;
        /// RTLD, round-trip time without queueing; "auto" is the link's, or 100 ms if it has none.
        rtt: Auto<Span> = Default::Text("auto"), unit: "s", at_least: 0.000_001;
        /// Minimum retransmission timeout of the flows.
        min_rto: Span = Default::Nanos(200_000_000), unit: "s", at_least: 0.0;
        /// Smallest max_p.
        max_p_low: f64 = Default::Number(0.001), range: 0.0..=1.0;
        /// Largest max_p.
        max_p_high: f64 = Default::Number(1.0), range: 0.0..=1.0;
    }
}

const PARAMS: [ParamInfo; inherited_len(QlawParams::INFO, RedParams::INFO)] =
    inherit(QlawParams::INFO, RedParams::INFO, &[("gentle", Default::Flag(true))]);

/// RED steered by the queue law.
#[derive(Clone, Debug)]
pub struct Qlaw {
    params: QlawParams,
    red: Red,
    rtld: f64,
    ticker: PeriodicTimer,
    /// Arrivals and signals since the last update of max_p.
    arrivals: u64,
    signals: u64,
    /// A and S
    arrived: f64,
    signalled: f64,
    /// Whether the last arrival has already been counted as a signal.
    counted: bool,
    /// N
    flows: f64,
}

impl Qlaw {
    /// The AQM that sets the max_p of `red`.
    pub fn new(params: QlawParams, red: Red, link: &LinkInfo, now: Time) -> Self {
        let rtld = Self::rtld(&params, link);
        let ticker = PeriodicTimer::new(now, params.interval);
        let (arrivals, signals, arrived, signalled) = (0, 0, 0.0, 0.0);
        Self { params, red, rtld, ticker, arrivals, signals, arrived, signalled, counted: false, flows: 0.0 }
    }

    fn rtld(params: &QlawParams, link: &LinkInfo) -> f64 {
        match params.rtt {
            Auto::Value(rtt) => rtt,
            Auto::Auto => link.rtt.unwrap_or(USUAL_RTT),
        }
        .as_secs()
    }

    fn law(&self) -> QueueLaw {
        QueueLaw {
            rtld: self.rtld,
            service_rate: self.red.average.filter.capacity,
            b: 1.0,
            window_limit: f64::INFINITY,
            signal: if self.red.params.ecn { Signal::Mark } else { Signal::Drop },
            windows: Windows::WithTimeouts { min_rto: self.params.min_rto.as_secs(), round_trips: 2.0 },
            balance: Balance::Paper,
        }
    }

    /// The step at the end of an interval.
    fn steer(&mut self) {
        let g = self.params.g;
        self.arrived = (1.0 - g) * self.arrived + g * core::mem::take(&mut self.arrivals) as f64;
        self.signalled = (1.0 - g) * self.signalled + g * core::mem::take(&mut self.signals) as f64;
        // without a service rate the round trip is infinite, and there is no law
        if self.arrived < 1.0 || self.red.average.filter.capacity == 0.0 {
            return;
        }
        let p = self.signalled.max(0.5) / self.arrived;
        let packet = match self.red.params.measure_in {
            MeasureIn::Packets => 1.0,
            MeasureIn::Bytes => self.red.params.mean_packet.0 as f64,
        };
        let middle = 0.5 * (self.red.curve.min_th + self.red.curve.max_th);
        let law = self.law();
        self.flows = law.flows(self.red.average.get() / packet, p.min(1.0));
        // if no p holds the flows at the target, there are too many or too few of them for the law
        let many = law.flows(middle / packet, 1.0) < self.flows;
        let wanted = law.probability(self.flows, middle / packet).unwrap_or(f64::from(u8::from(many)));
        let p_b = self.red.params.spacing.p_b_for(wanted);
        let max_p = (2.0 * p_b).max(self.params.max_p_low).min(self.params.max_p_high);
        self.red.curve = self.red.curve.with_max_p(max_p, GentleFrom::Current);
    }
}

impl Aqm for Qlaw {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_timer(TimerMoves::Periodic)
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let verdict = self.red.on_arrival(cx, packet);
        self.counted = verdict != Verdict::Pass;
        self.arrivals += 1;
        self.signals += u64::from(self.counted);
        verdict
    }

    fn on_overflow(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) {
        // a packet that was to be marked but overflowed the queue is one signal
        self.signals += u64::from(!self.counted);
        self.red.on_overflow(cx, packet);
    }

    fn on_idle(&mut self, now: Time) {
        self.red.on_idle(now);
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.rtld = Self::rtld(&self.params, link);
        self.red.on_link(now, link);
    }

    fn next_timeout(&self) -> Option<Time> {
        self.ticker.next()
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.steer();
        self.ticker.advance(cx.now);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.red.gauges(show);
        show("flows", self.flows);
    }

    fn resume(&mut self, queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        self.red.resume(queue, gauge);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.red.drop_function(average)
    }
}

impl AqmScheme for Qlaw {
    const INFO: SchemeInfo = SchemeInfo {
        name: "qlaw",
        aliases: &[],
        family: "RED",
        title: "RED steered by the queue law",
        source: "penstock; the queue law: J. Chung, M. Claypool, Analysis of RED-Family Active Queue Management, 2003",
        doc: module_doc!("qlaw.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time and memory; one root search per interval",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "After a jump of the load the queue is back between its thresholds in a few seconds, a third of \
               Adaptive RED's time, and its mean is the same for any number of flows.",
        bad: "It models long TCP flows only. With marks, and so many flows that each has a window of a packet or \
              two, the queue oscillates.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        let (params, red) = read_with(settings, &PARAMS, |reader| {
            let (params, red) = (reader.params::<QlawParams>(), reader.params::<RedParams>());
            if let Some(params) = params.as_ref().filter(|params| params.max_p_low > params.max_p_high) {
                let message = alloc::format!("must not be above max_p_high, {}", params.max_p_high);
                reader.refuse("max_p_low", message);
            }
            Some((params?, red?))
        })?;
        Ok(Self::new(params, Red::new(red, link)?, link, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Rig;
    use penstock_core::Limit;
    use penstock_core::param::Value;

    #[test]
    fn the_line_crosses_the_law_at_the_middle_of_the_thresholds() {
        // 100 flows with marks at 2500 packets per second and 80 ms hold 200 packets at p = 0.088
        let link = LinkInfo {
            rate: penstock_core::Rate::from_bits_per_second(20_000_000),
            limit: Limit::Packets(500),
            rtt: Some(Span::from_millis(80)),
            ..crate::rig::thesis_link()
        };
        let text = [("min_th", 100.0), ("max_th", 300.0), ("w_q", 1.0), ("g", 1.0)];
        let mut settings: Vec<_> =
            text.iter().map(|(name, value)| (String::from(*name), Value::Number(*value))).collect();
        settings.push(("ecn".into(), Value::Flag(true)));
        let mut aqm = <Qlaw as AqmScheme>::from_settings(&settings, &link, Time::ZERO).unwrap();
        // the same flows at another point of the curve: at p = 0.05 they hold a queue of 334 packets
        aqm.red.average.update(Time::ZERO, 334.0);
        (aqm.arrivals, aqm.signals) = (100_000, 5_000);
        aqm.steer();
        assert!((aqm.flows - 100.0).abs() < 0.2, "{}", aqm.flows);
        let p_b = 3.0 * 0.088 / 2.088;
        assert!((aqm.red.curve.max_p / 2.0 - p_b).abs() < 0.0005, "{}", aqm.red.curve.max_p);
    }

    /// The AQM with `waiting` packets in the queue, where `lost` of the hundred arrivals in each interval are
    /// signalled.
    fn steered(settings: &[(&str, Value)], waiting: u32, intervals: u64) -> Rig {
        let mut given = vec![("w_q", Value::Number(1.0)), ("interval", Value::Time(Span::from_millis(1_000)))];
        given.extend_from_slice(settings);
        let mut rig = Rig::new("qlaw", &given);
        for _ in 0..intervals {
            for _ in 0..100 {
                rig.arrive(1);
                while rig.waiting() > waiting {
                    rig.depart();
                }
            }
            rig.advance(Span::from_millis(1_000));
        }
        rig
    }

    #[test]
    fn an_overflow_is_a_signal_and_a_marked_packet_without_room_is_one() {
        let mut rig = Rig::new("qlaw", &[("w_q", Value::Number(1.0)), ("g", Value::Number(1.0))]);
        rig.arrive(100);
        let lost = rig.counts.dropped_on_arrival;
        assert!(lost > 0);
        rig.advance(Span::from_millis(600));
        assert!(rig.gauge("flows") > 0.0);
    }

    #[test]
    fn more_signals_at_the_same_queue_mean_more_flows_and_a_steeper_line() {
        let gentle = |max_p: f64| steered(&[("max_p", Value::Number(max_p)), ("g", Value::Number(1.0))], 10, 1);
        let (few, many) = (gentle(0.02), gentle(0.4));
        assert!(many.gauge("flows") > few.gauge("flows"));
        assert!(many.gauge("max_p") > few.gauge("max_p"));
    }

    #[test]
    fn a_link_that_stands_still_changes_nothing() {
        let stopped = LinkInfo { rate: penstock_core::Rate::from_bits_per_second(0), ..crate::rig::thesis_link() };
        let mut rig = Rig::on(&stopped, "qlaw", &[], 1).unwrap();
        rig.arrive(20);
        rig.advance(Span::from_millis(5_000));
        assert_eq!((rig.gauge("max_p"), rig.gauge("flows")), (0.1, 0.0));
        rig.check();
    }

    #[test]
    fn an_idle_link_changes_nothing() {
        let mut rig = Rig::new("qlaw", &[]);
        rig.advance(Span::from_millis(5_000));
        assert_eq!(rig.gauge("max_p"), 0.1);
    }
}

//! RED's average queue: a low-pass filter that decays over the time in which the link was idle.

use crate::aqm::LinkInfo;
use penstock_core::param::{Auto, FromValue, Kind, Value};
use penstock_core::{Span, Time, math};
use penstock_model::red_weight;

/// An average this close below a whole number counts as that number.
const ROUNDING: f64 = 1e-9;

/// Smallest round-trip time that "auto_rtt" assumes; also used for a link of unknown round-trip time.
const MIN_RTT: Span = Span::from_millis(100);

/// The weight of one arrival in the average: a number, or a rule that chooses the time constant of the average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// This weight.
    Value(f64),
    /// A time constant of one second.
    Auto,
    /// Ten round trips of the link, each at least 100 ms.
    AutoRtt,
    /// A tenth of a second.
    AutoFast,
}

impl FromValue for Weight {
    const KIND: Kind = f64::KIND;
    const WORDS: &'static [&'static str] = &["auto", "auto_rtt", "auto_fast"];

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(word) if word == "auto" => Some(Self::Auto),
            Value::Text(word) if word == "auto_rtt" => Some(Self::AutoRtt),
            Value::Text(word) if word == "auto_fast" => Some(Self::AutoFast),
            _ => f64::from_value(value).map(Self::Value),
        }
    }
}

impl From<Auto<f64>> for Weight {
    fn from(weight: Auto<f64>) -> Self {
        match weight {
            Auto::Value(w_q) => Self::Value(w_q),
            Auto::Auto => Self::Auto,
        }
    }
}

impl Weight {
    /// w_q on a link that sends `capacity` typical packets per second.
    pub(crate) fn w_q(self, capacity: f64, link: &LinkInfo) -> f64 {
        match self {
            Self::Value(w_q) => w_q,
            Self::Auto => red_weight::weight(capacity, 1.0),
            Self::AutoRtt => red_weight::weight(capacity, 10.0 * link.rtt.unwrap_or(MIN_RTT).max(MIN_RTT).as_secs()),
            Self::AutoFast => red_weight::weight(capacity, 0.1),
        }
    }
}

/// The constants of the filter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filter {
    /// Weight of one arrival.
    pub(crate) w_q: f64,
    /// Packets of typical size that the link sends per second.
    pub(crate) capacity: f64,
    /// Each arrival subtracts w_q floor(avg) instead of w_q avg (Linux).
    pub(crate) whole: bool,
}

/// The exponentially weighted average of a queue (RED, section 4).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Average {
    pub(crate) filter: Filter,
    avg: f64,
    idle_since: Option<Time>,
}

impl Average {
    /// The average of an empty queue: 0, which idle time does not change.
    pub(crate) const fn new(filter: Filter) -> Self {
        Self { filter, avg: 0.0, idle_since: None }
    }

    /// avg = (1 - w_q) avg + w_q q. After an idle time, first avg = (1 - w_q)^m avg, where the link could have sent m
    /// typical packets.
    #[inline]
    pub(crate) fn update(&mut self, now: Time, q: f64) {
        let Filter { w_q, capacity, whole } = self.filter;
        if let Some(since) = self.idle_since.take() {
            let m = math::floor(now.since(since).as_secs() * capacity);
            self.avg *= math::pow(1.0 - w_q, m);
        }
        self.avg = if whole {
            (self.avg + w_q * (q - math::floor(self.avg + ROUNDING))).max(0.0)
        } else {
            (1.0 - w_q) * self.avg + w_q * q
        };
    }

    #[inline]
    pub(crate) const fn get(&self) -> f64 {
        self.avg
    }

    /// Continue from another average, whose queue is not idle.
    pub(crate) fn resume(&mut self, avg: f64) {
        (self.avg, self.idle_since) = (avg, None);
    }

    /// The link found the queue empty.
    pub(crate) fn on_idle(&mut self, now: Time) {
        self.idle_since.get_or_insert(now);
    }

    /// Forget the idle time so far: the average does not decay over it.
    pub(crate) fn forget_idle(&mut self) {
        self.idle_since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Span;

    fn at(secs: f64) -> Time {
        Time::ZERO + Span::from_secs(secs)
    }

    fn average(whole: bool) -> Average {
        Average::new(Filter { w_q: 0.25, capacity: 100.0, whole })
    }

    #[test]
    fn it_follows_the_low_pass_filter_and_decays_over_an_idle_time() {
        let mut average = average(false);
        average.update(at(10.0), 8.0);
        average.update(at(10.1), 4.0);
        assert_eq!(average.get(), 0.75 * 2.0 + 1.0);
        average.on_idle(at(20.0));
        average.on_idle(at(21.0));
        // the link could send 3.9 packets in 39 ms: m = 3, then the arrival itself updates the average
        average.update(at(20.039), 0.0);
        assert!((average.get() - 2.5 * 0.75_f64.powi(4)).abs() < 1e-12);
    }

    #[test]
    fn a_forgotten_idle_time_decays_nothing() {
        let mut average = average(false);
        average.update(at(1.0), 8.0);
        average.on_idle(at(1.0));
        average.forget_idle();
        average.update(at(9.0), 2.0);
        assert_eq!(average.get(), 0.75 * 2.0 + 0.25 * 2.0);
    }

    #[test]
    fn in_whole_units_only_the_whole_part_decays() {
        let mut average = average(true);
        let averages = [9.0, 9.0, 0.0, 0.0].map(|q| {
            average.update(at(1.0), q);
            average.get()
        });
        // 0 + 9/4, 2.25 + (9 - 2)/4, 4 - 4/4, 3 - 3/4
        assert_eq!(averages, [2.25, 4.0, 3.0, 2.25]);
    }

    #[test]
    fn automatic_weights_by_hand() {
        // ns-2's q_weight_ of 0, -1 and -2 on a link of 1000 packets a second: 1 - exp(-1/1000), with a round trip of
        // 400 ms 1 - exp(-1/4000), and 1 - exp(-10/1000)
        let of = |word: &str, rtt| {
            let weight = Weight::from_value(&Value::Text(word.into())).unwrap();
            weight.w_q(1000.0, &LinkInfo { rtt, ..crate::rig::thesis_link() })
        };
        assert!((of("auto", None) - 9.995_001_67e-4).abs() < 1e-12);
        assert!((of("auto_rtt", Some(Span::from_millis(400))) - 2.499_687_53e-4).abs() < 1e-12);
        assert!((of("auto_fast", None) - 9.950_166_25e-3).abs() < 1e-11);
        // a shorter or unknown round trip counts as 100 ms
        assert_eq!(of("auto_rtt", None), of("auto", None));
        assert_eq!(of("auto_rtt", Some(Span::from_millis(5))), of("auto", None));
        assert_eq!(Weight::from_value(&Value::Text("fast".into())), None);
        assert_eq!(Weight::from_value(&Value::Number(0.25)), Some(Weight::Value(0.25)));
    }
}

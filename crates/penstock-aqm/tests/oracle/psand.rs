//! PSAND: Alemu 2004, equations 2.1 and 2.2, and section 3.2.4 for the thresholds.

use super::red::{Red, variants};
use super::{
    Given, Item, Law, LinkInfo, Oracle, Queue, Say, Settings, each_with, guarded, limit_in_packets, millis, number,
};
use penstock_core::param::Value;
use penstock_core::{Rng, math};

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("w_q", number(0.1)), ("interval", millis(20))],
        vec![("w_q", number(0.1)), ("interval", millis(13)), ("target", number(20.0)), ("max_p_high", number(1.0))],
        vec![
            ("w_q", number(0.3)),
            ("interval", millis(8)),
            ("target", millis(30)),
            ("coef", number(1.0)),
            ("gamma", number(0.25)),
        ],
        vec![("w_q", number(0.3)), ("interval", millis(8)), ("target", Value::Bytes(6000.0)), ("gamma", number(0.0))],
    ];
    each_with(own, &variants())
}

struct Psand {
    red: Red,
    target: f64,
    coef: f64,
    gamma: f64,
    low: f64,
    high: f64,
    interval: u64,
    due: u64,
    before: Option<f64>,
}

impl Law for Psand {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        self.red.arrival(queue, item, rng)
    }

    fn overflow(&mut self, queue: &Queue, item: &Item) {
        self.red.overflow(queue, item);
    }

    fn idle(&mut self, now: u64) {
        self.red.idle(now);
    }

    fn due(&self) -> u64 {
        self.due
    }

    fn tick(&mut self, _queue: &Queue) {
        let a = self.red.avg;
        // Nothing, for this purpose, is a billionth of the unit that the average is measured in.
        let change = self.before.filter(|&before| before * self.red.unit() > 1e-9).map_or(1.0, |before| a / before);
        let r = a / self.target * change;
        let p = self.coef * math::pow(r, self.gamma) * self.red.max_p;
        self.red.max_p = p.min(self.high).max(self.low);
        self.red.ramp_from = None;
        self.before = Some(a);
        self.due += self.interval;
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let c = link.rate.bits_per_second() as f64 / 8000.0;
    let target = match s.0.iter().find(|(name, _)| *name == "target") {
        Some((_, Value::Time(span))) => span.as_secs() * c,
        _ => s.length("target", 10.0, 1000.0),
    };
    let b = limit_in_packets(link);
    let (min_th, max_th) = if target > b / 2.0 { (2.0 * target - b, b) } else { (0.0, 2.0 * target) };
    let interval = s.nanos("interval", 500_000_000);
    let law = Psand {
        red: Red::new(s, link, (min_th, max_th, 0.1, true)),
        target,
        coef: s.number("coef", 1.75),
        gamma: s.number("gamma", 1.5),
        low: s.number("max_p_low", 0.01),
        high: s.number("max_p_high", 0.75),
        interval,
        due: interval,
        before: None,
    };
    guarded(law, link)
}

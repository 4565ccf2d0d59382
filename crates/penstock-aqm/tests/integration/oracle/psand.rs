//! PSAND: Alemu 2004, equations 2.1 and 2.2, section 3.2.4 for the thresholds, and section 3.3 (table 3.2) with decision
//! D-14 of the specification for those that move.

use super::red::{Red, variants};
use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, each_with, flag, guarded, limit_in_packets, millis,
    number, word,
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
    let mut all = each_with(own.clone(), &variants());
    let ways = ["max-down", "max-up", "squeeze", "spread", "shift-up", "shift-down", "pseudo-drop-tail", "sandwich"];
    let adapts: Vec<Given> = ways.map(|way| vec![("adapt", word(way)), ("smooth_alpha", number(0.25))]).into();
    let adapts = each_with(adapts, &[vec![], vec![("guards", flag(false)), ("spacing", word("none"))]]);
    for _ in 0..4 {
        all.extend(each_with(own.clone(), &adapts));
    }
    all
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
    adapt: String,
    /// Of a move of the thresholds, this part is made.
    part: f64,
    b: f64,
}

impl Psand {
    /// Moves the thresholds by `d` in the way that is set, within 0 .. KT .. B and at least half a packet apart.
    fn move_thresholds(&mut self, d: f64) {
        let (low, high, kt) = (self.red.min_th, self.red.max_th, self.target);
        let d = if self.adapt == "sandwich" { d } else { self.part * d };
        let apart = |d: f64| {
            let narrowest = (high - low - 0.5) / 2.0;
            d.min(kt - low).min(high - kt).min(narrowest).max(-low).max(high - self.b)
        };
        let (to_low, to_high) = match self.adapt.as_str() {
            "max-down" => (low, high - d),
            "max-up" => (low, high + d),
            "squeeze" | "sandwich" => (low + apart(d), high - apart(d)),
            "spread" => (low + apart(-d), high - apart(-d)),
            "shift-up" => (low + d, high + d),
            "shift-down" => (low - d, high - d),
            _ => return,
        };
        self.red.min_th = to_low.clamp(0.0, kt);
        self.red.max_th = to_high.clamp(kt, self.b).max(self.red.min_th + 0.5);
        if self.red.doubled {
            self.red.top = 2.0 * self.red.max_th;
        }
        if self.adapt == "sandwich" {
            self.red.max_p *= (self.red.max_th - self.red.min_th) / (high - low);
        }
    }
}

impl AqmScheme for Psand {
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
        if !matches!(self.adapt.as_str(), "pseudo-drop-tail" | "sandwich") {
            self.red.max_p = p.min(self.high).max(self.low);
        }
        self.move_thresholds(a - self.before.unwrap_or(a));
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
    let adapt = s.word("adapt", "none");
    let (min_th, max_th) = match adapt.as_str() {
        "pseudo-drop-tail" => (target, target),
        "none" | "max-down" | "max-up" => (min_th, max_th),
        _ => ((min_th + target) / 2.0, (max_th + target) / 2.0),
    };
    let interval = s.nanos("interval", 500_000_000);
    let mut red = Red::new(s, link, (min_th, max_th, if adapt == "sandwich" { 1.0 } else { 0.1 }, true));
    red.gentle &= adapt != "pseudo-drop-tail";
    let aqm = Psand {
        red,
        target,
        coef: s.number("coef", 1.75),
        gamma: s.number("gamma", 1.5),
        low: s.number("max_p_low", 0.01),
        high: s.number("max_p_high", 0.75),
        interval,
        due: interval,
        before: None,
        adapt,
        part: 1.0 - s.number("smooth_alpha", 0.0),
        b,
    };
    guarded(aqm, link)
}

//! AVQ: Kunniyur and Srikant 2001, as algorithm 9 and equation 1.17 of the thesis have it.

use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, design, each_with, early, flag, guarded, number,
    root, secs, word,
};
use penstock_core::{Limit, Rng, math};

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("gamma", number(1.0)), ("alpha", number(0.251)), ("buffer", number(5.0))],
        vec![("alpha", word("auto")), ("initial", number(0.5))],
        vec![("alpha", number(2.0)), ("buffer", number(3.0)), ("initial", number(0.8)), ("gamma", number(0.6))],
    ];
    let drops: Vec<Given> = ["refill", "charge", "skip"].map(|word_| vec![("on_drop", word(word_))]).into();
    let units = [vec![], vec![("measure_in", word("bytes")), ("ecn", flag(true))], vec![("ecn", flag(true))]];
    each_with(each_with(own, &drops), &units)
}

struct Avq {
    gamma: f64,
    alpha: f64,
    buffer: f64,
    on_drop: String,
    in_bytes: bool,
    ecn: bool,
    c: f64,
    virtual_c: f64,
    virtual_queue: f64,
    before: Option<u64>,
}

impl AqmScheme for Avq {
    fn arrival(&mut self, queue: &Queue, item: &Item, _rng: &mut Rng) -> Say {
        let b = if self.in_bytes { f64::from(item.size) } else { 1.0 };
        let gap = secs(queue.now - self.before.unwrap_or(queue.now));
        let left = (self.virtual_queue - self.virtual_c * gap).max(0.0);
        let full = left + b > self.buffer;
        let dropped = full && !(self.ecn && item.ect());
        if dropped && self.on_drop == "skip" {
            self.before.get_or_insert(queue.now);
            return early(self.ecn);
        }
        self.virtual_queue = if full { left } else { left + b };
        let charge = if dropped && self.on_drop == "refill" { 0.0 } else { self.alpha * b };
        let refilled = (self.virtual_c + self.alpha * self.gamma * self.c * gap).min(self.c);
        self.virtual_c = (refilled - charge).max(0.0);
        self.before = Some(queue.now);
        if full { early(self.ecn) } else { Say::Pass }
    }
}

/// The corrected theorem 1.
fn stable_alpha(n: f64, r: f64, c: f64, gamma: f64) -> f64 {
    let (k11, k2) = (n / (gamma * c * r * r), 2.0 / 3.0 * gamma * c / n);
    let d = k2 * k2 - k11 * k11;
    let phase = |alpha: f64| {
        let omega = math::sqrt((d + math::sqrt(d * d + 4.0 * k2 * k2 * alpha * alpha)) / 2.0);
        omega * r + (omega / k11).atan() - (omega / alpha).atan() - std::f64::consts::FRAC_PI_2
    };
    root(phase, 1e-9, 1e6).unwrap_or(k11)
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let in_bytes = s.word("measure_in", "packets") == "bytes";
    let unit = if in_bytes { 1000.0 } else { 1.0 };
    let (n, r, packets) = design(link, 1000.0);
    let gamma = s.number("gamma", 0.98);
    let buffer = match link.limit {
        Limit::Packets(most) => f64::from(most) * unit,
        Limit::Bytes(most) => most as f64 * unit / 1000.0,
        Limit::Infinite => f64::INFINITY,
    };
    let alpha =
        if s.word("alpha", "") == "auto" { stable_alpha(n, r, packets, gamma) } else { s.number("alpha", 0.15) };
    let aqm = Avq {
        gamma,
        alpha,
        buffer: s.unless_auto("buffer").map_or(buffer, |packets| packets * unit),
        on_drop: s.word("on_drop", "refill"),
        in_bytes,
        ecn: s.flag("ecn", false),
        c: packets * unit,
        virtual_c: s.unless_auto("initial").unwrap_or(gamma) * packets * unit,
        virtual_queue: 0.0,
        before: None,
    };
    guarded(aqm, link)
}

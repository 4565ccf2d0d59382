//! SFC: Gao and Hou 2003, with the estimator and the gains that its head comment states, as no source has them.

use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, design, early, flag, guarded, millis, number, secs,
    toss, word,
};
use penstock_core::{Rng, math};

pub fn settings() -> Vec<Given> {
    vec![
        vec![],
        vec![("k1", number(0.05)), ("k2", number(0.1)), ("p0", number(0.05)), ("ecn", flag(true))],
        vec![("p0", word("auto")), ("k1", word("auto")), ("k2", word("auto")), ("target", millis(15))],
        vec![("k1", number(0.3)), ("interval", millis(20)), ("target", number(3.0)), ("ecn", flag(true))],
    ]
}

struct Sfc {
    target: f64,
    p0: f64,
    k1: f64,
    k2: f64,
    interval: f64,
    ecn: bool,
    c: f64,
    rate: f64,
    before: Option<u64>,
}

impl AqmScheme for Sfc {
    fn arrival(&mut self, queue: &Queue, _item: &Item, rng: &mut Rng) -> Say {
        let gap = secs(queue.now - self.before.unwrap_or(queue.now));
        let kept = math::exp(-gap / self.interval);
        self.rate = if gap > 0.0 { (1.0 - kept) / gap + kept * self.rate } else { self.rate + 1.0 / self.interval };
        self.before = Some(queue.now);
        let p = self.p0 + self.k1 * (queue.len() - self.target) + self.k2 * (self.rate - self.c) / self.c;
        if toss(p, rng) { early(self.ecn) } else { Say::Pass }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let (n, r, c) = design(link, 1000.0);
    let b = c * c / (2.0 * n);
    let gain = |name, auto, default| if s.word(name, "") == "auto" { auto } else { s.number(name, default) };
    let aqm = Sfc {
        target: s.target(10.0, 1000.0, link),
        p0: gain("p0", 2.0 * n * n / (r * c).powi(2), 0.0),
        k1: gain("k1", 1.0 / (8.0 * r * r * b), 0.002),
        k2: gain("k2", c / (2.0 * r * b), 0.02),
        interval: secs(s.nanos("interval", 200_000_000)),
        ecn: s.flag("ecn", false),
        c,
        rate: 0.0,
        before: None,
    };
    guarded(aqm, link)
}

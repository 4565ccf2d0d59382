//! PI: Hollot, Misra, Towsley, Gong 2001, as equations 1.21 to 1.23 of the thesis have it.

use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, design, early, flag, guarded, millis, number, secs,
    toss, word,
};
use penstock_core::{Rng, math};

pub fn settings() -> Vec<Given> {
    vec![
        vec![],
        vec![("a", number(0.02)), ("b", number(0.018)), ("interval", millis(4)), ("ecn", flag(true))],
        vec![("a", number(0.5)), ("b", number(0.2)), ("target", number(4.0)), ("interval", millis(11))],
        vec![("a", word("auto")), ("b", word("auto")), ("target", number(2.0)), ("interval", millis(10))],
        vec![("a", number(0.05)), ("b", number(0.04)), ("target", millis(10)), ("ecn", flag(true))],
    ]
}

struct Pi {
    a: f64,
    b: f64,
    target: f64,
    interval: u64,
    ecn: bool,
    p: f64,
    before: f64,
    due: u64,
}

impl AqmScheme for Pi {
    fn arrival(&mut self, _queue: &Queue, _item: &Item, rng: &mut Rng) -> Say {
        if toss(self.p, rng) { early(self.ecn) } else { Say::Pass }
    }

    fn due(&self) -> u64 {
        self.due
    }

    fn tick(&mut self, queue: &Queue) {
        let k = queue.len();
        self.p = (self.p + self.a * (k - self.target) - self.b * (self.before - self.target)).clamp(0.0, 1.0);
        self.before = k;
        self.due += self.interval;
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let interval = s.nanos("interval", 5_882_353);
    let gain = |name, sign: f64, default| {
        if s.word(name, "") != "auto" {
            return s.number(name, default);
        }
        let (n, r, c) = design(link, 1000.0);
        let omega = 2.0 * n / (r * r * c);
        let k = omega * math::sqrt(1.0 + (omega * r).powi(2)) * (2.0 * n).powi(2) / (r * c).powi(3);
        k * (1.0 / omega + sign * secs(interval) / 2.0)
    };
    let aqm = Pi {
        a: gain("a", 1.0, 0.000_344_519),
        b: gain("b", -1.0, 0.000_343_499),
        target: s.target(10.0, 1000.0, link),
        interval,
        ecn: s.flag("ecn", false),
        p: 0.0,
        before: 0.0,
        due: interval,
    };
    guarded(aqm, link)
}

//! BLUE: Feng, Kandlur, Saha, Shin 1999.

use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, early, flag, guarded, millis, number, toss,
};
use penstock_core::Rng;

pub fn settings() -> Vec<Given> {
    vec![
        vec![],
        vec![("freeze", millis(1)), ("d1", number(0.05)), ("d2", number(0.01)), ("ecn", flag(true))],
        vec![("freeze", millis(5)), ("d1", number(0.3)), ("d2", number(0.05)), ("threshold", number(8.0))],
        vec![
            ("freeze", millis(2)),
            ("d1", number(0.2)),
            ("d2", number(0.2)),
            ("threshold", number(3.0)),
            ("ecn", flag(true)),
        ],
    ]
}

struct Blue {
    d1: f64,
    d2: f64,
    freeze: u64,
    threshold: f64,
    ecn: bool,
    p: f64,
    last: u64,
    idle: bool,
}

impl Blue {
    fn step(&mut self, now: u64, by: f64) {
        if now - self.last > self.freeze {
            self.p = (self.p + by).clamp(0.0, 1.0);
            self.last = now;
        }
    }
}

impl AqmScheme for Blue {
    fn arrival(&mut self, queue: &Queue, _item: &Item, rng: &mut Rng) -> Say {
        if queue.len() > self.threshold {
            self.step(queue.now, self.d1);
        }
        if toss(self.p, rng) { early(self.ecn) } else { Say::Pass }
    }

    fn queued(&mut self, _queue: &Queue, _item: &Item) {
        self.idle = false;
    }

    fn overflow(&mut self, queue: &Queue, _item: &Item) {
        self.step(queue.now, self.d1);
    }

    fn idle(&mut self, now: u64) {
        self.step(now, -self.d2);
        self.idle = true;
    }

    /// The first instant more than `freeze` after the last step, while the link stays idle.
    fn due(&self) -> u64 {
        if self.idle && self.p > 0.0 { self.last + self.freeze + 1 } else { u64::MAX }
    }

    fn tick(&mut self, queue: &Queue) {
        self.step(queue.now, -self.d2);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let aqm = Blue {
        d1: s.number("d1", 0.0025),
        d2: s.number("d2", 0.000_25),
        freeze: s.nanos("freeze", 100_000_000),
        threshold: s.length("threshold", f64::INFINITY, 1000.0),
        ecn: s.flag("ecn", false),
        p: 0.0,
        last: 0,
        idle: false,
    };
    guarded(aqm, link)
}

//! Adaptive RED: Floyd, Gummadi, Shenker 2001, figure 1; `tick = "arrival"` and `gentle_from = "first"` as ns-2 has them.

use super::red::{Red, variants};
use super::{AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, each_with, guarded, millis, number, word};
use penstock_core::Rng;

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("w_q", number(0.1)), ("interval", millis(10)), ("gentle_from", word("current"))],
        vec![("w_q", number(0.1)), ("interval", millis(20)), ("tick", word("arrival"))],
        vec![
            ("w_q", number(0.3)),
            ("interval", millis(7)),
            ("alpha", number(0.05)),
            ("beta", number(0.7)),
            ("max_p_high", number(0.9)),
            ("max_p_low", number(0.02)),
            ("min_th", number(2.0)),
            ("max_th", number(8.0)),
        ],
    ];
    each_with(own, &variants())
}

struct AredFloyd {
    red: Red,
    alpha: f64,
    beta: f64,
    low: f64,
    high: f64,
    interval: u64,
    on_timer: bool,
    from_first: bool,
    /// The next tick of the timer, or the last change.
    clock: u64,
}

impl AredFloyd {
    /// Whether max_p has changed.
    fn step(&mut self) -> bool {
        let width = self.red.max_th - self.red.min_th;
        let before = self.red.max_p;
        if self.red.avg > self.red.min_th + 0.6 * width && before <= self.high {
            self.red.max_p += self.alpha.min(before / 4.0);
        } else if self.red.avg < self.red.min_th + 0.4 * width && before >= self.low {
            self.red.max_p *= self.beta;
        } else {
            return false;
        }
        if !self.from_first {
            self.red.ramp_from = None;
        }
        true
    }
}

impl AqmScheme for AredFloyd {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        self.red.update_average(queue);
        if !self.on_timer && queue.now > self.clock + self.interval && self.step() {
            self.clock = queue.now;
        }
        self.red.judge(queue, f64::from(item.size), rng)
    }

    fn overflow(&mut self, queue: &Queue, item: &Item) {
        self.red.overflow(queue, item);
    }

    fn idle(&mut self, now: u64) {
        self.red.idle(now);
    }

    fn due(&self) -> u64 {
        if self.on_timer { self.clock } else { u64::MAX }
    }

    fn tick(&mut self, _queue: &Queue) {
        self.step();
        self.clock += self.interval;
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let mut red = Red::new(s, link, (5.0, 15.0, 0.1, true));
    let on_timer = s.word("tick", "timer") == "timer";
    let interval = s.nanos("interval", 500_000_000);
    let from_first = s.word("gentle_from", "first") == "first";
    red.ramp_from = from_first.then_some(red.max_p);
    let aqm = AredFloyd {
        red,
        alpha: s.number("alpha", 0.01),
        beta: s.number("beta", 0.9),
        low: s.number("max_p_low", 0.01),
        high: s.number("max_p_high", 0.5),
        interval,
        on_timer,
        from_first,
        clock: if on_timer { interval } else { 0 },
    };
    guarded(aqm, link)
}

//! RED steered by the queue law: equation 2 of Chung and Claypool 2003 with the windows of Padhye et al. 1998, solved by
//! halving the interval.

use super::red::{Red, variants};
use super::{AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, each_with, guarded, millis, number};
use penstock_core::Rng;
use penstock_core::math::{pow, sqrt};

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("w_q", number(0.1)), ("interval", millis(10))],
        vec![("w_q", number(0.3)), ("interval", millis(7)), ("g", number(1.0)), ("max_p_high", number(0.3))],
        vec![
            ("w_q", number(0.2)),
            ("interval", millis(15)),
            ("g", number(0.1)),
            ("rtt", millis(20)),
            ("min_rto", millis(1000)),
            ("max_p_low", number(0.05)),
            ("min_th", number(2.0)),
            ("max_th", number(8.0)),
        ],
    ];
    each_with(own, &variants())
}

struct Qlaw {
    red: Red,
    spacing: String,
    rtld: f64,
    sr: f64,
    least_timeout: f64,
    marks: bool,
    g: f64,
    low: f64,
    high: f64,
    interval: u64,
    clock: u64,
    seen: f64,
    told: f64,
    a: f64,
    s: f64,
    already: bool,
}

impl Qlaw {
    /// The mean window at p and a queue of q packets, with timeouts unless packets are marked.
    fn window(&self, p: f64, q: f64) -> f64 {
        let r = self.rtld + q / self.sr;
        let w = 1.0 + sqrt(8.0 * (1.0 - p) / (3.0 * p) + 1.0);
        if self.marks {
            return ((1.0 - p) / p + w) / (w / 2.0 + 1.0);
        }
        let t0 = self.least_timeout.max(2.0 * r);
        let ok = |n: f64| pow(1.0 - p, n);
        let share = if w <= 3.0 || p >= 1.0 {
            1.0
        } else {
            ((1.0 - ok(3.0)) * (1.0 + ok(3.0) * (1.0 - ok(w - 3.0))) / (1.0 - ok(w))).min(1.0)
        };
        let mut rows = 1.0;
        for n in 1..=6 {
            rows += pow(2.0, f64::from(n - 1)) * pow(p, f64::from(n));
        }
        let sent = (1.0 - p) * ((1.0 - p) / p + w) + share;
        r * sent / ((1.0 - p) * r * (w / 2.0 + 1.0) + share * t0 * rows)
    }

    /// Equation 2, solved for N.
    fn flows(&self, q: f64, p: f64) -> f64 {
        let dropped = if self.marks { 0.0 } else { p };
        (q + self.rtld * self.sr) * (1.0 + dropped) / self.window(p, q)
    }

    fn steer(&mut self) {
        self.a = (1.0 - self.g) * self.a + self.g * self.seen;
        self.s = (1.0 - self.g) * self.s + self.g * self.told;
        (self.seen, self.told) = (0.0, 0.0);
        if self.a < 1.0 {
            return;
        }
        let n = self.flows(self.red.avg, (self.s.max(0.5) / self.a).min(1.0));
        let wanted = (self.red.min_th + self.red.max_th) / 2.0;
        let (mut few, mut many) = (1e-9, 1.0);
        let p = if self.flows(wanted, few) > n {
            0.0
        } else if self.flows(wanted, many) < n {
            1.0
        } else {
            for _ in 0..200 {
                let middle = (few + many) / 2.0;
                if self.flows(wanted, middle) < n { few = middle } else { many = middle }
            }
            many
        };
        // the mean gap between two drops, 1 / p, as a function of 1 / p_b, turned round
        let p_b = match self.spacing.as_str() {
            "wait" => 1.0 / ((2.0 / p + 1.0) / 3.0),
            "count" => 1.0 / (2.0 / p - 1.0),
            "section4" | "no_wait" => 1.0 / (2.0 / p),
            _ => p,
        };
        self.red.max_p = (2.0 * p_b).max(self.low).min(self.high);
        self.red.ramp_from = None;
    }
}

impl AqmScheme for Qlaw {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        self.red.update_average(queue);
        let say = self.red.judge(queue, f64::from(item.size), rng);
        self.already = !matches!(say, Say::Pass);
        self.seen += 1.0;
        self.told += f64::from(u8::from(self.already));
        say
    }

    fn overflow(&mut self, queue: &Queue, item: &Item) {
        self.told += f64::from(u8::from(!self.already));
        self.red.overflow(queue, item);
    }

    fn idle(&mut self, now: u64) {
        self.red.idle(now);
    }

    fn due(&self) -> u64 {
        self.clock
    }

    fn tick(&mut self, _queue: &Queue) {
        self.steer();
        self.clock += self.interval;
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let red = Red::new(s, link, (5.0, 15.0, 0.1, true));
    let mean = s.number("mean_packet", 1000.0);
    let interval = s.nanos("interval", 500_000_000);
    let usual = link.rtt.map_or(100_000_000, penstock_core::Span::as_nanos);
    let given = !matches!(s.get("rtt"), Some(penstock_core::param::Value::Text(_)));
    let rtld = if given { s.nanos("rtt", usual) } else { usual } as f64 / 1e9;
    let aqm = Qlaw {
        red,
        spacing: s.word("spacing", "wait"),
        rtld,
        sr: link.rate.bits_per_second() as f64 / (8.0 * mean),
        least_timeout: s.nanos("min_rto", 200_000_000) as f64 / 1e9,
        marks: s.flag("ecn", false),
        g: s.number("g", 0.5),
        low: s.number("max_p_low", 0.001),
        high: s.number("max_p_high", 1.0),
        interval,
        clock: interval,
        seen: 0.0,
        told: 0.0,
        a: 0.0,
        s: 0.0,
        already: false,
    };
    guarded(aqm, link)
}

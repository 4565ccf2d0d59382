//! LRED: Wang, Li, Hou, Sohraby, Lin 2004, as equations 1.24 to 1.26 of the thesis have it.

use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, design, early, flag, guarded, millis, number, root,
    toss, word,
};
use penstock_core::{Rng, math};

pub fn settings() -> Vec<Given> {
    vec![
        vec![],
        vec![("interval", millis(10)), ("ecn", flag(true)), ("target", number(5.0))],
        vec![("interval", millis(30)), ("periods", number(2.0)), ("mw", number(0.6)), ("beta", number(0.2))],
        vec![("interval", millis(7)), ("beta", word("auto")), ("target", millis(20)), ("ecn", flag(true))],
        vec![("interval", millis(50)), ("periods", number(1.0)), ("mw", number(0.0)), ("beta", number(1.0))],
    ]
}

struct Lred {
    target: f64,
    beta: f64,
    interval: u64,
    periods: usize,
    mw: f64,
    ecn: bool,
    l: f64,
    /// Packets that arrived and that were lost, in each interval so far and in this one.
    counts: Vec<(f64, f64)>,
    /// Whether the packet in hand is among the lost ones already.
    counted: bool,
    due: u64,
}

impl AqmScheme for Lred {
    fn arrival(&mut self, queue: &Queue, _item: &Item, rng: &mut Rng) -> Say {
        let p = self.l + self.beta * math::sqrt(self.l) * (queue.len() - self.target);
        let now = self.counts.last_mut().unwrap();
        self.counted = false;
        now.0 += 1.0;
        if !toss(p, rng) {
            return Say::Pass;
        }
        now.1 += 1.0;
        self.counted = true;
        early(self.ecn)
    }

    fn overflow(&mut self, _queue: &Queue, _item: &Item) {
        if !self.counted {
            self.counts.last_mut().unwrap().1 += 1.0;
        }
    }

    fn due(&self) -> u64 {
        self.due
    }

    fn tick(&mut self, _queue: &Queue) {
        let recent = &self.counts[self.counts.len().saturating_sub(self.periods)..];
        let arrived: f64 = recent.iter().map(|count| count.0).sum();
        let lost: f64 = recent.iter().map(|count| count.1).sum();
        if arrived > 0.0 {
            self.l = self.mw * self.l + (1.0 - self.mw) * (lost / arrived);
        }
        self.counts.push((0.0, 0.0));
        self.due += self.interval;
    }
}

/// Equation 1.26, with eta = 3/2.
fn largest_beta(n: f64, r: f64, c: f64) -> f64 {
    let k11 = 2.0 * n / (c * r * r);
    let phase = |omega: f64| r * omega + (omega / k11).atan() - std::f64::consts::FRAC_PI_2;
    let omega = root(phase, 1e-9, 1e6).unwrap();
    let first = r * math::sqrt(1.5) / c * omega * math::sqrt(omega * omega + k11 * k11);
    first.min(math::sqrt(3.0) * (2.0 * n).powi(4) / (r * c).powi(3))
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let interval = s.nanos("interval", 200_000_000);
    let (n, r, c) = design(link, 1000.0);
    let aqm = Lred {
        target: s.target(10.0, 1000.0, link),
        beta: if s.word("beta", "") == "auto" { largest_beta(n, r, c) } else { s.number("beta", 0.021) },
        interval,
        periods: s.number("periods", 4.0) as usize,
        mw: s.number("mw", 0.1),
        ecn: s.flag("ecn", false),
        l: 0.0,
        counts: vec![(0.0, 0.0)],
        counted: false,
        due: interval,
    };
    guarded(aqm, link)
}

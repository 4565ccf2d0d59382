//! GREEN: section 1.2.2.1 of the thesis, equation 1.16 and algorithm 8.

use super::{
    AqmScheme, Given, Item, LinkInfo, MS, Oracle, Queue, Say, Settings, each_with, early, flag, guarded, millis,
    number, secs, toss, word,
};
use penstock_core::param::Value;
use penstock_core::{Rng, Span};

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("window", millis(100)), ("mss", Value::Bytes(1000.0))],
        vec![("window", millis(30)), ("c", number(0.3))],
        vec![("window", millis(100)), ("c", number(0.1)), ("gamma_low", number(0.5)), ("gamma_high", number(2.0))],
    ];
    let variants =
        [vec![], vec![("variant", word("green-2"))], vec![("variant", word("green-2")), ("ecn", flag(true))]];
    each_with(own, &variants)
}

struct Green {
    moves: bool,
    c: f64,
    mss: Option<f64>,
    largest: f64,
    window: u64,
    bounds: (f64, f64),
    ecn: bool,
    l: f64,
    link_rtt: f64,
    rtt: [Option<f64>; 12],
    gamma: f64,
    n: f64,
    seen: [bool; 12],
    sent: f64,
    overflowed: bool,
    due: u64,
}

impl AqmScheme for Green {
    fn arrival(&mut self, _queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        self.seen[item.flow] = true;
        self.largest = self.largest.max(f64::from(item.size));
        if let Some(rtt) = item.meta.rare.unwrap().rtt {
            self.rtt[item.flow] = Some(Span::as_secs(rtt));
        }
        let known: Vec<f64> = self.rtt.iter().copied().flatten().collect();
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let rtt = self.rtt[item.flow].unwrap_or(if known.is_empty() { self.link_rtt } else { mean });
        let root = self.n * 8.0 * self.mss.unwrap_or(self.largest) * self.c / (self.gamma * self.l * rtt);
        if toss(root * root, rng) { early(self.ecn) } else { Say::Pass }
    }

    fn overflow(&mut self, _queue: &Queue, _item: &Item) {
        self.overflowed = true;
    }

    fn departure(&mut self, _queue: &Queue, item: &Item, _rng: &mut Rng) -> Say {
        self.sent += 8.0 * f64::from(item.size);
        Say::Pass
    }

    fn due(&self) -> u64 {
        self.due
    }

    fn tick(&mut self, _queue: &Queue) {
        self.n = self.seen.iter().filter(|&&seen| seen).count() as f64;
        let u = self.sent / (self.l * secs(self.window));
        let factor = match () {
            () if !self.moves => 1.0,
            () if self.overflowed => 0.95,
            () if u > 0.0 && u < 0.98 => (1.0 + u) / (2.0 * u),
            () => 1.0,
        };
        self.gamma = (self.gamma * factor).clamp(self.bounds.0, self.bounds.1);
        (self.seen, self.sent, self.overflowed) = ([false; 12], 0.0, false);
        self.due += self.window;
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let window = s.nanos("window", 1000 * MS);
    let aqm = Green {
        moves: s.word("variant", "green-1") == "green-2",
        c: s.number("c", 1.5_f64.sqrt()),
        mss: s.unless_auto("mss"),
        largest: 0.0,
        window,
        bounds: (s.number("gamma_low", 1.0 / 64.0), s.number("gamma_high", 64.0)),
        ecn: s.flag("ecn", false),
        l: link.rate.bits_per_second() as f64,
        link_rtt: link.rtt.unwrap().as_secs(),
        rtt: [None; 12],
        gamma: 1.0,
        n: 0.0,
        seen: [false; 12],
        sent: 0.0,
        overflowed: false,
        due: window,
    };
    guarded(aqm, link)
}

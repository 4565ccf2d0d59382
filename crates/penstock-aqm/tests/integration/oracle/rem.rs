//! REM: Athuraliya and others 2001, as equations 1.9 to 1.11 of the thesis have it.

use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, capacity, each_with, early, flag, guarded, millis,
    number, secs, toss, word,
};
use penstock_core::{Rng, math};

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("phi", number(1.1)), ("target", number(10.0)), ("interval", millis(10))],
        vec![("phi", number(2.0)), ("target", millis(20)), ("gamma", number(0.02)), ("ecn", flag(true))],
        vec![("phi", number(2.0)), ("target", number(3.0)), ("gamma", number(0.1)), ("alpha", number(0.8))],
    ];
    each_with(own, &[vec![], vec![("variant", word("ns2"))]])
}

struct Rem {
    ns2: bool,
    gamma: f64,
    alpha: f64,
    phi: f64,
    target: f64,
    interval: u64,
    ecn: bool,
    /// Packets that could be sent in an interval.
    c: f64,
    price: f64,
    before: f64,
    arrived: f64,
    due: u64,
}

impl AqmScheme for Rem {
    fn arrival(&mut self, _queue: &Queue, _item: &Item, rng: &mut Rng) -> Say {
        self.arrived += 1.0;
        if toss(1.0 - math::pow(self.phi, -self.price), rng) { early(self.ecn) } else { Say::Pass }
    }

    fn due(&self) -> u64 {
        self.due
    }

    fn tick(&mut self, queue: &Queue) {
        let k = queue.len();
        let change = if self.ns2 {
            self.alpha * (self.before - self.target) + self.arrived - self.c
        } else {
            k - (1.0 - self.alpha) * self.before - self.alpha * self.target
        };
        self.price = (self.price + self.gamma * change).max(0.0);
        self.before = k;
        self.arrived = 0.0;
        self.due += self.interval;
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let interval = s.nanos("interval", 2_000_000);
    let aqm = Rem {
        ns2: s.word("variant", "thesis") == "ns2",
        gamma: s.number("gamma", 0.001),
        alpha: s.number("alpha", 0.1),
        phi: s.number("phi", 1.001),
        target: s.target(20.0, 1000.0, link),
        interval,
        ecn: s.flag("ecn", false),
        c: capacity(link, 1000.0) * secs(interval),
        price: 0.0,
        before: 0.0,
        arrived: 0.0,
        due: interval,
    };
    guarded(aqm, link)
}

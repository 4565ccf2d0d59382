//! PI2: De Schepper, Bondarenko, Tsang, Briscoe 2016.

use super::{
    AqmScheme, Given, Item, LinkInfo, MS, Oracle, Queue, Say, Settings, each_with, early, flag, guarded, millis,
    number, secs,
};
use penstock_core::{Ecn, Rng};

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("target", millis(2)), ("t_update", millis(3)), ("alpha", number(2.0)), ("beta", number(20.0))],
        vec![
            ("target", millis(5)),
            ("t_update", millis(5)),
            ("alpha", number(1.0)),
            ("beta", number(10.0)),
            ("k", number(1.0)),
        ],
    ];
    each_with(own, &[vec![], vec![("ecn", flag(true))]])
}

struct Pi2 {
    target: f64,
    update: u64,
    alpha: f64,
    beta: f64,
    k: f64,
    ecn: bool,
    p: f64,
    before: f64,
    due: u64,
}

impl AqmScheme for Pi2 {
    fn arrival(&mut self, _queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        if self.p <= 0.0 {
            return Say::Pass;
        }
        let scalable = self.ecn && (item.ecn == Ecn::Ect1 || item.ecn == Ecn::Ce);
        let u = rng.uniform();
        let hit = if scalable { self.k * self.p > u } else { self.p > u.max(rng.uniform()) };
        if hit { early(self.ecn) } else { Say::Pass }
    }

    fn due(&self) -> u64 {
        self.due
    }

    fn tick(&mut self, queue: &Queue) {
        let delay = queue.items.front().map_or(0.0, |head| secs(queue.now - head.since));
        let step = self.alpha * (delay - self.target) + self.beta * (delay - self.before);
        self.p = (self.p + step).clamp(0.0, 1.0);
        self.before = delay;
        self.due += self.update;
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let update = s.nanos("t_update", 32 * MS);
    let aqm = Pi2 {
        target: secs(s.nanos("target", 20 * MS)),
        update,
        alpha: s.number("alpha", 0.3125),
        beta: s.number("beta", 3.125),
        k: s.number("k", 2.0),
        ecn: s.flag("ecn", false),
        p: 0.0,
        before: 0.0,
        due: update,
    };
    guarded(aqm, link)
}

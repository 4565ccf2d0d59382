//! SRED: Ott, Lakshman, Wong 1999, as equations 1.4 to 1.8 of the thesis have it.

use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, each_with, early, flag, guarded, number, toss, word,
};
use penstock_core::{Limit, Rng};

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("zombies", number(10.0)), ("max_p", number(0.5))],
        vec![("zombies", number(30.0)), ("p", number(1.0)), ("alpha", number(0.1)), ("max_p", number(1.0))],
        vec![("zombies", number(5.0)), ("p", number(0.0)), ("alpha", number(0.001))],
        vec![("zombies", number(1.0)), ("p", number(0.5)), ("alpha", number(0.0001)), ("max_p", number(0.4))],
    ];
    each_with(each_with(own, &[vec![], vec![("variant", word("simple"))]]), &[vec![], vec![("ecn", flag(true))]])
}

struct Sred {
    full: bool,
    most: usize,
    replace: f64,
    alpha: f64,
    max_p: f64,
    ecn: bool,
    zombies: Vec<usize>,
    p: f64,
}

impl AqmScheme for Sred {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        let mut hit = 0.0;
        if self.zombies.len() < self.most {
            self.zombies.push(item.flow);
        } else {
            let i = rng.below(self.most as u64) as usize;
            if self.zombies[i] == item.flow {
                hit = 1.0;
            } else if toss(self.replace, rng) {
                self.zombies[i] = item.flow;
            }
            self.p = (1.0 - self.alpha) * self.p + self.alpha * hit;
        }
        let (k, b) = match queue.limit {
            Limit::Packets(most) => (queue.len(), f64::from(most)),
            Limit::Bytes(most) => (queue.bytes(), most as f64),
            Limit::Infinite => (0.0, 1.0),
        };
        let level = match k {
            _ if k < b / 6.0 => 0.0,
            _ if k < b / 3.0 => self.max_p / 4.0,
            _ => self.max_p,
        };
        let few = (1.0 / (256.0 * self.p).powi(2)).min(1.0);
        let more = if self.full && hit > 0.0 { 1.0 + hit / self.p } else { 1.0 };
        if toss(level * few * more, rng) { early(self.ecn) } else { Say::Pass }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let (zombies, p) = (s.number("zombies", 1000.0), s.number("p", 0.25));
    let aqm = Sred {
        full: s.word("variant", "full") == "full",
        most: zombies as usize,
        replace: p,
        alpha: s.unless_auto("alpha").unwrap_or(p / zombies),
        max_p: s.number("max_p", 0.15),
        ecn: s.flag("ecn", false),
        zombies: Vec::new(),
        p: 0.0,
    };
    guarded(aqm, link)
}

//! DSRED: Zheng and Atiquzzaman 2000, as equations 1.12 to 1.15 of the thesis have it.

use super::wred::Average;
use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, capacity, each_with, early, flag, guarded, number,
    toss, word,
};
use penstock_aqm::Cause;
use penstock_core::Rng;

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![("w_q", number(0.1)), ("max_th", number(11.0))],
        vec![("w_q", number(0.3)), ("min_th", number(1.0)), ("max_th", number(6.0)), ("gamma", number(0.4))],
        vec![],
    ];
    each_with(own, &[vec![], vec![("ecn", flag(true))], vec![("ecn", flag(true)), ("measure_in", word("bytes"))]])
}

struct Dsred {
    average: Average,
    k_l: f64,
    k_h: f64,
    gamma: f64,
    in_bytes: bool,
    ecn: bool,
}

impl AqmScheme for Dsred {
    fn arrival(&mut self, queue: &Queue, _item: &Item, rng: &mut Rng) -> Say {
        self.average.update(queue.now, if self.in_bytes { queue.bytes() / 1000.0 } else { queue.len() });
        let (a, width, k_m) = (self.average.value, self.k_h - self.k_l, (self.k_l + self.k_h) / 2.0);
        if a >= self.k_h {
            return Say::Drop(Cause::Forced);
        }
        let p = if a < self.k_l {
            0.0
        } else if a < k_m {
            2.0 * (1.0 - self.gamma) / width * (a - self.k_l)
        } else {
            1.0 - self.gamma + 2.0 * self.gamma / width * (a - k_m)
        };
        if toss(p, rng) { early(self.ecn) } else { Say::Pass }
    }

    fn idle(&mut self, now: u64) {
        self.average.idle(now);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let aqm = Dsred {
        average: Average::new(s.unless_auto("w_q"), capacity(link, 1000.0)),
        k_l: s.number("min_th", 5.0),
        k_h: s.number("max_th", 25.0),
        gamma: s.number("gamma", 0.96),
        in_bytes: s.word("measure_in", "packets") == "bytes",
        ecn: s.flag("ecn", false),
    };
    guarded(aqm, link)
}

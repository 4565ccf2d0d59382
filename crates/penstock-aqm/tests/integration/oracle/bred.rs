//! BRED: section 1.4.2 of the thesis, equation 1.27 and algorithm 14, closed as decision D-35 of its specification says.

use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, each_with, early, flag, guarded, limit_in_packets,
    number, toss,
};
use penstock_aqm::Cause;
use penstock_core::{Rng, math};

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("omega", number(0.3))],
        vec![("omega", number(0.002)), ("beta", number(0.2))],
        vec![("omega", number(1.0)), ("beta", number(1.0))],
        vec![("omega", number(0.0)), ("beta", number(0.0))],
    ];
    each_with(own, &[vec![], vec![("ecn", flag(true))]])
}

struct Bred {
    omega: f64,
    beta: f64,
    ecn: bool,
    b: f64,
    n: f64,
    gap: [f64; 12],
}

fn waiting(queue: &Queue, flow: usize) -> f64 {
    queue.items.iter().filter(|item| item.flow == flow).count() as f64
}

impl AqmScheme for Bred {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        let active = (0..12).filter(|&flow| flow == item.flow || waiting(queue, flow) > 0.0).count();
        self.n = (1.0 - self.omega) * self.n + self.omega * active as f64;
        let l2 = self.b / (2.0 * self.n.ceil().max(1.0));
        let (l1, w_m) = ((self.beta * l2).max(1.0), (2.0 * l2).max(1.0));
        let l2 = l2.max(1.0);
        let p2 = math::sqrt(self.n) / (math::sqrt(self.n) + 10.0);
        let (qlen, gap) = (waiting(queue, item.flow), self.gap[item.flow]);
        if qlen >= w_m {
            self.gap[item.flow] = 0.0;
            return Say::Drop(Cause::Forced);
        }
        let p = if qlen > l2 && gap > l2 {
            p2
        } else if l1 < qlen && qlen <= l2 && gap > l1 {
            p2 / 10.0
        } else {
            return Say::Pass;
        };
        if !toss(p, rng) {
            return Say::Pass;
        }
        self.gap[item.flow] = 0.0;
        early(self.ecn)
    }

    fn queued(&mut self, _queue: &Queue, item: &Item) {
        self.gap[item.flow] += 1.0;
    }

    fn overflow(&mut self, _queue: &Queue, item: &Item) {
        self.gap[item.flow] = 0.0;
    }

    fn departure(&mut self, queue: &Queue, item: &Item, _rng: &mut Rng) -> Say {
        if waiting(queue, item.flow) == 0.0 {
            self.gap[item.flow] = 0.0;
        }
        Say::Pass
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let aqm = Bred {
        omega: s.number("omega", 0.02),
        beta: s.number("beta", 0.5),
        ecn: s.flag("ecn", false),
        b: limit_in_packets(link),
        n: 0.0,
        gap: [0.0; 12],
    };
    guarded(aqm, link)
}

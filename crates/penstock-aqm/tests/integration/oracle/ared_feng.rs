//! Self-configuring RED: Feng, Kandlur, Saha, Shin 1999, figure 3.

use super::red::{Red, variants};
use super::{AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, each_with, guarded, number, word};
use penstock_core::Rng;

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("w_q", number(0.2)), ("gentle_from", word("current"))],
        vec![
            ("w_q", number(0.4)),
            ("alpha", number(1.5)),
            ("beta", number(4.0)),
            ("max_p", number(0.2)),
            ("min_th", number(2.0)),
            ("max_th", number(6.0)),
        ],
    ];
    each_with(own, &variants())
}

struct AredFeng {
    red: Red,
    alpha: f64,
    beta: f64,
    /// -1 below, 0 between, 1 above.
    status: i8,
}

impl AqmScheme for AredFeng {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        self.red.update_average(queue);
        let Red { avg, min_th, max_th, .. } = self.red;
        if min_th < avg && avg < max_th {
            self.status = 0;
        } else if avg < min_th && self.status != -1 {
            self.status = -1;
            self.red.max_p = (self.red.max_p / self.alpha).max(0.000_001);
        } else if avg > max_th && self.status != 1 {
            self.status = 1;
            self.red.max_p = (self.red.max_p * self.beta).min(1_000_000.0);
        }
        self.red.judge(queue, f64::from(item.size), rng)
    }

    fn overflow(&mut self, queue: &Queue, item: &Item) {
        self.red.overflow(queue, item);
    }

    fn idle(&mut self, now: u64) {
        self.red.idle(now);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let mut red = Red::new(s, link, (5.0, 15.0, 0.02, true));
    red.ramp_from = (s.word("gentle_from", "first") == "first").then_some(red.max_p);
    guarded(AredFeng { red, alpha: s.number("alpha", 3.0), beta: s.number("beta", 2.0), status: 0 }, link)
}

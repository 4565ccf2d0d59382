//! DTDRR: Kantawala and Turner 2005, with the threshold of Choudhury and Hahne.

use super::drr::{self, Round};
use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Settings, each_with, number};
use penstock_aqm::Cause;
use penstock_core::Limit;

pub fn settings() -> Vec<Given> {
    each_with(drr::settings(), &[vec![], vec![("alpha", number(0.3))], vec![("alpha", number(1.0))]])
}

/// The length of queue i and the free space, in the unit of the limit.
pub fn length_and_free(round: &Round, i: usize) -> (f64, f64) {
    match round.limit {
        Limit::Packets(most) => (round.queues[i].len() as f64, f64::from(most) - f64::from(round.packets())),
        Limit::Bytes(most) => (round.bytes_of(i) as f64, most as f64 - round.bytes() as f64),
        Limit::Infinite => (0.0, f64::INFINITY),
    }
}

struct Dtdrr {
    round: Round,
    alpha: f64,
}

impl Oracle for Dtdrr {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        let (q, f) = length_and_free(&self.round, self.round.index(&item));
        if !self.round.has_room(&item) {
            bench.note(&item, Fate::Dropped(Cause::Overflow));
        } else if q >= self.alpha * f {
            bench.note(&item, Fate::Dropped(Cause::Early));
        } else {
            bench.note(&item, Fate::Queued);
            self.round.push(bench, item);
        }
    }

    fn depart(&mut self, bench: &mut Bench) {
        if let Some((item, _)) = self.round.serve() {
            bench.note(&item, Fate::Sent);
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    Box::new(Dtdrr { round: Round::new(s, link), alpha: s.number("alpha", 2.0) })
}

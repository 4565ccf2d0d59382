//! DSDRR: Kantawala and Turner 2005, figure 1.

use super::drr::{self, Round};
use super::dtdrr::length_and_free;
use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Settings, each_with, flag, millis, number};
use penstock_aqm::Cause;

pub fn settings() -> Vec<Given> {
    let own = [
        vec![],
        vec![("interval", millis(20)), ("alpha", number(0.5))],
        vec![("interval", millis(7)), ("alpha", number(0.2)), ("w_init", number(0.4)), ("w_max", number(1.0))],
        vec![("interval", millis(30)), ("alpha", number(1.0)), ("overflow_strict", flag(false))],
    ];
    each_with(drr::settings(), &own)
}

struct Dsdrr {
    round: Round,
    alpha: f64,
    strict: bool,
    discard: Vec<bool>,
    w: usize,
    w_max: usize,
    overflow: bool,
    interval: u64,
    due: u64,
}

impl Dsdrr {
    fn marked(&self) -> usize {
        self.discard.iter().filter(|&&bit| bit).count()
    }
}

impl Oracle for Dsdrr {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        let i = self.round.index(&item);
        let (q, f) = length_and_free(&self.round, i);
        let full = !self.round.has_room(&item);
        let cause = if self.discard[i] {
            Cause::Forced
        } else if q > 0.0 && q >= self.alpha * f && self.marked() < self.w {
            self.discard[i] = true;
            Cause::Early
        } else if full {
            self.overflow = true;
            Cause::Overflow
        } else {
            bench.note(&item, Fate::Queued);
            return self.round.push(bench, item);
        };
        if full && !self.strict {
            self.overflow = true;
        }
        bench.note(&item, Fate::Dropped(cause));
    }

    fn depart(&mut self, bench: &mut Bench) {
        if let Some((item, i)) = self.round.serve() {
            if self.round.queues[i].is_empty() {
                self.discard[i] = false;
            }
            bench.note(&item, Fate::Sent);
        }
    }

    fn pass(&mut self, _bench: &mut Bench, until: u64) {
        while self.due < until {
            if self.overflow {
                self.w = (self.w + 2).min(self.w_max);
            } else if self.marked() < self.w {
                self.w = self.marked() + 1;
            }
            self.overflow = false;
            self.due += self.interval;
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let round = Round::new(s, link);
    let n_q = s.number("buckets", f64::from(link.flows.unwrap()));
    let w_max = ((s.number("w_max", 0.5) * n_q).floor() as usize).max(1);
    let interval = s.nanos("interval", 1_000_000_000);
    Box::new(Dsdrr {
        discard: vec![false; round.queues.len()],
        round,
        alpha: s.number("alpha", 0.1),
        strict: s.flag("overflow_strict", true),
        w: ((s.number("w_init", 0.1) * n_q).ceil() as usize).clamp(1, w_max),
        w_max,
        overflow: false,
        interval,
        due: interval,
    })
}

//! QSDRR: Kantawala and Turner 2002.

use super::drr::{self, Round};
use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Settings, each_with, word};
use penstock_aqm::Cause;

pub fn settings() -> Vec<Given> {
    each_with(drr::settings(), &[vec![], vec![("measure_in", word("bytes"))]])
}

struct Qsdrr {
    round: Round,
    in_bytes: bool,
    victim: Option<usize>,
}

impl Qsdrr {
    fn length(&self, i: usize) -> f64 {
        if self.in_bytes { self.round.bytes_of(i) as f64 } else { self.round.queues[i].len() as f64 }
    }
}

impl Oracle for Qsdrr {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        if !self.round.fits_alone(&item) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        while !self.round.has_room(&item) {
            let d = self.victim.or_else(|| self.round.largest(|i| self.length(i))).unwrap();
            bench.note(&self.round.pop_head(d), Fate::Dropped(Cause::Evicted));
            let shorter = self.round.round.iter().any(|&i| self.length(i) < self.length(d));
            self.victim = if self.round.queues[d].is_empty() || !shorter { None } else { Some(d) };
        }
        bench.note(&item, Fate::Queued);
        self.round.push(bench, item);
    }

    fn depart(&mut self, bench: &mut Bench) {
        if let Some((item, i)) = self.round.serve() {
            if self.round.queues[i].is_empty() && self.victim == Some(i) {
                self.victim = None;
            }
            bench.note(&item, Fate::Sent);
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let in_bytes = s.word("measure_in", "packets") == "bytes";
    Box::new(Qsdrr { round: Round::new(s, link), in_bytes, victim: None })
}

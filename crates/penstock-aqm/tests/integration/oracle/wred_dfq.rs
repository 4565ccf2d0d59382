//! WRED with drop-from-queue: Bodin and Schelen 2001, section 2.2. `victim = "random"` is excluded: the assignment of
//! random numbers to packets is not part of the AQM.

use super::wred::{self, Wred, precedence};
use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, each_with, word};
use penstock_aqm::Cause;
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let mut aqms = wred::shared();
    for given in &mut aqms {
        given.retain(|(name, _)| *name != "ecn");
    }
    let victims: Vec<Given> = ["last", "first"].map(|victim| vec![("victim", word(victim))]).into();
    each_with(aqms, &victims)
}

struct WredDfq {
    wred: Wred,
    victim: String,
    queue: Queue,
}

impl WredDfq {
    fn level(&self, item: &Item) -> usize {
        precedence(item, &self.wred.rule, self.wred.levels.len())
    }

    fn of_level(&self, level: usize) -> Vec<usize> {
        (0..self.queue.items.len()).filter(|&i| self.level(&self.queue.items[i]) == level).collect()
    }
}

impl Oracle for WredDfq {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        self.queue.now = bench.now;
        let own = self.level(&item);
        self.wred.average.update(bench.now, self.wred.measured(&self.queue));
        let few = self.wred.few(&self.queue);
        for level in (own..self.wred.levels.len()).rev() {
            let before = self.wred.levels[level].clone();
            let cause = match self.wred.levels[level].judge(self.wred.average.value, few, &mut bench.rng) {
                Say::Pass => continue,
                Say::Mark(cause) | Say::Drop(cause) => cause,
            };
            let stored = self.of_level(level);
            let candidates = stored.len() + usize::from(level == own);
            if candidates == 0 {
                // Nothing is dropped and the count goes on.
                let (n, printed) = (before.n + 1.0, before.printed + 1);
                self.wred.levels[level] = wred::Level { n, printed, ..before };
                continue;
            }
            let pick = match self.victim.as_str() {
                "first" => 0,
                _ => candidates - 1,
            };
            let Some(&at) = stored.get(pick) else {
                return bench.note(&item, Fate::Dropped(cause));
            };
            let gone = self.queue.items.remove(at).unwrap();
            bench.note(&gone, Fate::Dropped(Cause::Evicted));
        }
        while !self.queue.has_room(&item) {
            let higher = (own + 1..self.wred.levels.len()).rev().find(|&level| !self.of_level(level).is_empty());
            let Some(level) = higher else {
                self.wred.levels[own].restart();
                return bench.note(&item, Fate::Dropped(Cause::Overflow));
            };
            self.wred.levels[level].restart();
            let stored = self.of_level(level);
            let at = if self.victim == "first" { stored[0] } else { stored[stored.len() - 1] };
            let gone = self.queue.items.remove(at).unwrap();
            bench.note(&gone, Fate::Dropped(Cause::Evicted));
        }
        bench.note(&item, Fate::Queued);
        self.queue.items.push_back(item);
    }

    fn depart(&mut self, bench: &mut Bench) {
        match self.queue.items.pop_front() {
            Some(item) => bench.note(&item, Fate::Sent),
            None => self.wred.average.idle(bench.now),
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let queue = Queue { now: 0, limit: link.limit, items: VecDeque::new() };
    Box::new(WredDfq { wred: Wred::new(s, link), victim: s.word("victim", "last"), queue })
}

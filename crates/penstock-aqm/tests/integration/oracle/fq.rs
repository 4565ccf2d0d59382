//! FQ: packet by packet (Nagle 1985), or bit by bit (Demers, Keshav, Shenker 1989).

use super::classes::{Classes, three};
use super::wfq::Fluid;
use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Settings, each_with, number, secs, word};
use penstock_aqm::Cause;
use penstock_core::Limit;
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let classes = three([vec![], vec![("limit", number(5.0))], vec![]]);
    each_with(vec![vec![], vec![("classes", classes)]], &[vec![], vec![("by", word("bit"))]])
}

struct Fq {
    classes: Classes,
    by_bit: bool,
    fluid: Fluid,
    queues: Vec<VecDeque<(f64, Item)>>,
    /// By packet: whose turn comes when.
    turns: VecDeque<usize>,
}

impl Fq {
    fn index(&self, item: &Item) -> usize {
        if self.classes.given.is_empty() { item.flow } else { Classes::of(item) }
    }

    fn over(&self) -> bool {
        let all = || self.queues.iter().flatten();
        match self.classes.limit {
            Limit::Packets(most) => all().count() > most as usize,
            Limit::Bytes(most) => all().map(|(_, item)| u64::from(item.size)).sum::<u64>() > most,
            Limit::Infinite => false,
        }
    }
}

impl Oracle for Fq {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        let (i, id) = (self.index(&item), item.id);
        self.fluid.advance(secs(bench.now));
        if self.queues.iter().all(VecDeque::is_empty) && self.fluid.is_empty() {
            self.fluid.reset();
        }
        let pushes = self.by_bit && self.classes.given.is_empty();
        if pushes && !self.classes.limit.admits(0, 0, item.size) {
            self.fluid.arrive(i, item.size);
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        if !pushes && !self.classes.has_room(&item, self.queues.iter().flatten().map(|(_, item)| item)) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        // S and F stay as they are when a packet is dropped, whether it was stored before or not.
        let (_, finish) = self.fluid.arrive(i, item.size);
        if self.queues[i].is_empty() {
            self.turns.push_back(i);
        }
        self.queues[i].push_back((finish, item.clone()));
        while self.over() {
            let bytes = |i: usize| self.queues[i].iter().map(|(_, item)| item.size).sum::<u32>();
            let fattest = (0..self.queues.len()).max_by_key(|&j| (bytes(j), j == i, j)).unwrap();
            let (_, victim) = self.queues[fattest].pop_back().unwrap();
            if victim.id == id {
                return bench.note(&victim, Fate::Dropped(Cause::Overflow));
            }
            bench.note(&victim, Fate::Dropped(Cause::Evicted));
        }
        bench.note(&item, Fate::Queued);
    }

    fn depart(&mut self, bench: &mut Bench) {
        let busy = (0..self.queues.len()).filter(|&i| !self.queues[i].is_empty());
        let choice = if self.by_bit {
            busy.min_by(|&a, &b| self.queues[a][0].0.total_cmp(&self.queues[b][0].0).then(a.cmp(&b)))
        } else {
            self.turns.pop_front()
        };
        let Some(i) = choice else { return };
        let (_, item) = self.queues[i].pop_front().unwrap();
        if !self.by_bit && !self.queues[i].is_empty() {
            self.turns.push_back(i);
        }
        bench.note(&item, Fate::Sent);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let fluid = Fluid::new(link.rate.bits_per_second() as f64 / 8.0, vec![1.0; 12]);
    Box::new(Fq {
        classes: Classes::new(s, link),
        by_bit: s.word("by", "packet") == "bit",
        fluid,
        queues: vec![VecDeque::new(); 12],
        turns: VecDeque::new(),
    })
}

//! FQ-PIE: RFC 8290, section 4.2, with the PIE of RFC 8033 for each queue. With one queue, or so many that no two flows
//! share one: what the hash is does not matter then.

use super::pie::Pie;
use super::{
    AqmScheme, Bench, Fate, Given, Item, LinkInfo, MS, Oracle, Queue, Say, Settings, each_with, flag, millis, number,
    word,
};
use penstock_aqm::Cause;
use penstock_core::param::Value;
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let many = ("flows", number(1_000_000.0));
    let fast = [
        ("target", millis(2)),
        ("t_update", millis(3)),
        ("alpha", number(20.0)),
        ("beta", number(100.0)),
        ("max_burst", millis(6)),
        ("mean_packet", Value::Bytes(300.0)),
    ];
    let with = |more: Given| fast.iter().cloned().chain(more).collect::<Given>();
    let own = vec![
        vec![many.clone()],
        with(vec![many.clone()]),
        with(vec![many, ("quantum", Value::Bytes(300.0))]),
        with(vec![("flows", number(1.0)), ("quantum", Value::Bytes(5000.0))]),
    ];
    let variants: Vec<Given> = ["basic", "extended"].map(|variant| vec![("variant", word(variant))]).into();
    each_with(each_with(own, &variants), &[vec![], vec![("ecn", flag(true)), ("mark_ecnth", number(0.5))]])
}

struct FqPie {
    one: bool,
    quantum: f64,
    update: u64,
    due: u64,
    salted: bool,
    pies: Vec<Pie>,
    queues: Vec<Queue>,
    credits: Vec<f64>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

impl Oracle for FqPie {
    fn arrive(&mut self, bench: &mut Bench, mut item: Item) {
        if !self.salted {
            bench.rng.uniform();
            self.salted = true;
        }
        let i = if self.one { 0 } else { item.flow };
        self.queues[i].now = bench.now;
        let mark = match self.pies[i].arrival(&self.queues[i], &item, &mut bench.rng) {
            Say::Pass => None,
            Say::Mark(cause) if item.ect() => Some(cause),
            Say::Mark(cause) | Say::Drop(cause) => return bench.note(&item, Fate::Dropped(cause)),
        };
        let all = || self.queues.iter().flat_map(|queue| &queue.items);
        let bytes = all().map(|item| u64::from(item.size)).sum();
        if !self.queues[i].limit.admits(all().count() as u32, bytes, item.size) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        item.since = bench.now;
        self.queues[i].items.push_back(item.clone());
        self.pies[i].queued(&self.queues[i], &item);
        if let Some(cause) = mark {
            bench.note(&item, Fate::Marked(cause));
        }
        bench.note(&item, Fate::Queued);
        if !self.new.contains(&i) && !self.old.contains(&i) {
            self.credits[i] = self.quantum;
            self.new.push_back(i);
        }
    }

    fn depart(&mut self, bench: &mut Bench) {
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new { &mut self.new } else { &mut self.old };
            let Some(&i) = list.front() else { return };
            if self.credits[i] <= 0.0 {
                self.credits[i] += self.quantum;
                list.pop_front();
                self.old.push_back(i);
                continue;
            }
            self.queues[i].now = bench.now;
            if let Some(item) = self.queues[i].items.pop_front() {
                self.pies[i].departure(&self.queues[i], &item, &mut bench.rng);
                self.credits[i] -= f64::from(item.size);
                return bench.note(&item, Fate::Sent);
            }
            self.pies[i].idle(bench.now);
            list.pop_front();
            if from_new {
                self.old.push_back(i);
            }
        }
    }

    fn pass(&mut self, _bench: &mut Bench, until: u64) {
        while self.due < until {
            for (pie, queue) in self.pies.iter_mut().zip(&mut self.queues) {
                queue.now = self.due;
                pie.tick(queue);
            }
            self.due += self.update;
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let update = s.nanos("t_update", 15 * MS);
    Box::new(FqPie {
        one: s.number("flows", 1024.0) == 1.0,
        quantum: s.number("quantum", 1514.0),
        update,
        due: update,
        salted: false,
        pies: (0..12).map(|_| Pie::new(s, link)).collect(),
        queues: (0..12).map(|_| Queue { now: 0, limit: link.limit, items: VecDeque::new() }).collect(),
        credits: vec![0.0; 12],
        new: VecDeque::new(),
        old: VecDeque::new(),
    })
}

//! FQ-CoDel: RFC 8290, section 4. With one queue, or so many that no two flows share one: what the hash is does not
//! matter then.

use super::codel::{self, Codel};
use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Settings, each_with, flag, millis, number, word};
use penstock_aqm::Cause;
use penstock_core::Limit;
use penstock_core::param::Value;
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![("flows", number(1_000_000.0))],
        vec![
            ("flows", number(1_000_000.0)),
            ("interval", millis(20)),
            ("target", millis(1)),
            ("drop_batch", number(2.0)),
        ],
        vec![
            ("flows", number(1_000_000.0)),
            ("interval", millis(5)),
            ("target", millis(2)),
            ("quantum", Value::Bytes(300.0)),
        ],
        vec![("flows", number(1_000_000.0)), ("quantum", Value::Bytes(64.0))],
        vec![("flows", number(1.0)), ("interval", millis(5)), ("target", millis(2)), ("quantum", Value::Bytes(5000.0))],
    ];
    each_with(own, &[vec![("occupancy", word("queue"))], vec![("occupancy", word("queue")), ("ecn", flag(false))]])
}

struct FqCodel {
    limit: Limit,
    one: bool,
    quantum: f64,
    batch: usize,
    codels: Vec<Codel>,
    queues: Vec<VecDeque<Item>>,
    credits: Vec<f64>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    /// In the order of their first packets.
    known: Vec<usize>,
}

impl FqCodel {
    fn bytes(&self, i: usize) -> u64 {
        self.queues[i].iter().map(|item| u64::from(item.size)).sum()
    }

    fn over(&self) -> bool {
        match self.limit {
            Limit::Packets(most) => self.queues.iter().map(VecDeque::len).sum::<usize>() > most as usize,
            Limit::Bytes(most) => (0..self.queues.len()).map(|i| self.bytes(i)).sum::<u64>() > most,
            Limit::Infinite => false,
        }
    }
}

impl Oracle for FqCodel {
    fn arrive(&mut self, bench: &mut Bench, mut item: Item) {
        let i = if self.one { 0 } else { item.flow };
        item.since = bench.now;
        if !self.known.contains(&i) {
            self.known.push(i);
        }
        bench.note(&item, Fate::Queued);
        self.queues[i].push_back(item);
        if !self.new.contains(&i) && !self.old.contains(&i) {
            self.credits[i] = self.quantum;
            self.new.push_back(i);
        }
        while self.over() {
            let most = |a: usize, b: usize| if self.bytes(b) > self.bytes(a) { b } else { a };
            let fattest = self.known.iter().copied().reduce(most).unwrap();
            let half = (self.queues[fattest].len() / 2).clamp(1, self.batch);
            for _ in 0..half {
                let gone = self.queues[fattest].pop_front().unwrap();
                bench.note(&gone, Fate::Dropped(Cause::Evicted));
            }
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
            if let Some(item) = self.codels[i].dequeue(bench, &mut self.queues[i]) {
                self.credits[i] -= f64::from(item.size);
                return bench.note(&item, Fate::Sent);
            }
            list.pop_front();
            if from_new {
                self.old.push_back(i);
            }
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    Box::new(FqCodel {
        limit: link.limit,
        one: s.number("flows", 1024.0) == 1.0,
        quantum: s.number("quantum", 1514.0),
        batch: s.number("drop_batch", 64.0) as usize,
        codels: vec![codel::Codel::new(s, link, true); 12],
        queues: vec![VecDeque::new(); 12],
        credits: vec![0.0; 12],
        new: VecDeque::new(),
        old: VecDeque::new(),
        known: Vec::new(),
    })
}

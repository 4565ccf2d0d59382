//! Deficit round robin: Shreedhar and Varghese 1996.

use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Settings, each_with, number};
use penstock_aqm::Cause;
use penstock_core::Limit;
use penstock_core::param::Value;
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let quanta = vec![vec![], vec![("quantum", Value::Bytes(250.0))], vec![("quantum", Value::Bytes(4000.0))]];
    each_with(quanta, &[vec![], vec![("buckets", number(4.0))], vec![("buckets", number(1.0))]])
}

/// Queues in a round. The front of `round` is the one whose turn it is; `begun`: it has got its quantum.
pub struct Round {
    pub limit: Limit,
    pub queues: Vec<VecDeque<Item>>,
    deficit: Vec<f64>,
    pub round: VecDeque<usize>,
    begun: bool,
    quantum: f64,
    buckets: usize,
}

impl Round {
    pub fn new(s: &Settings, link: &LinkInfo) -> Self {
        let buckets = s.number("buckets", 1000.0) as usize;
        Self {
            limit: link.limit,
            queues: vec![VecDeque::new(); buckets],
            deficit: vec![0.0; buckets],
            round: VecDeque::new(),
            begun: false,
            quantum: s.unless_auto("quantum").unwrap_or(link.mtu.0 as f64),
            buckets,
        }
    }

    pub fn index(&self, item: &Item) -> usize {
        item.flow % self.buckets
    }

    pub fn bytes_of(&self, i: usize) -> u64 {
        self.queues[i].iter().map(|item| u64::from(item.size)).sum()
    }

    pub fn packets(&self) -> u32 {
        self.queues.iter().map(|queue| queue.len() as u32).sum()
    }

    pub fn bytes(&self) -> u64 {
        (0..self.buckets).map(|i| self.bytes_of(i)).sum()
    }

    pub fn has_room(&self, item: &Item) -> bool {
        self.limit.admits(self.packets(), self.bytes(), item.size)
    }

    pub fn fits_alone(&self, item: &Item) -> bool {
        self.limit.admits(0, 0, item.size)
    }

    /// The active queue with the largest `measure`; ties go to the queue that is served soonest.
    pub fn largest(&self, measure: impl Fn(usize) -> f64) -> Option<usize> {
        let mut found: Option<usize> = None;
        for &i in &self.round {
            if found.is_none_or(|best| measure(i) > measure(best)) {
                found = Some(i);
            }
        }
        found
    }

    pub fn push(&mut self, bench: &Bench, mut item: Item) {
        item.since = bench.now;
        let i = self.index(&item);
        if self.queues[i].is_empty() {
            self.round.push_back(i);
        }
        self.queues[i].push_back(item);
    }

    fn leave_if_empty(&mut self, i: usize) {
        if self.queues[i].is_empty() {
            if self.round.front() == Some(&i) {
                self.begun = false;
            }
            self.round.retain(|&j| j != i);
            self.deficit[i] = 0.0;
        }
    }

    pub fn pop_head(&mut self, i: usize) -> Item {
        let item = self.queues[i].pop_front().unwrap();
        self.leave_if_empty(i);
        item
    }

    pub fn pop_tail(&mut self, i: usize) -> Item {
        let item = self.queues[i].pop_back().unwrap();
        self.leave_if_empty(i);
        item
    }

    /// The same with turns of one packet.
    pub fn serve_one(&mut self) -> Option<(Item, usize)> {
        let i = *self.round.front()?;
        let item = self.pop_head(i);
        if !self.queues[i].is_empty() {
            self.round.rotate_left(1);
        }
        Some((item, i))
    }

    /// The packet that is sent next, and its queue.
    pub fn serve(&mut self) -> Option<(Item, usize)> {
        loop {
            let i = *self.round.front()?;
            if !self.begun {
                self.deficit[i] += self.quantum;
                self.begun = true;
            }
            let size = f64::from(self.queues[i][0].size);
            if size <= self.deficit[i] {
                self.deficit[i] -= size;
                return Some((self.pop_head(i), i));
            }
            self.round.rotate_left(1);
            self.begun = false;
        }
    }
}

struct Drr(Round);

impl Oracle for Drr {
    /// The packet is put in its queue; then the longest queue loses its head until all fits.
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        let (id, round) = (item.id, &mut self.0);
        if !round.fits_alone(&item) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        let fits = |round: &Round| match round.limit {
            Limit::Packets(most) => round.packets() <= most,
            Limit::Bytes(most) => round.bytes() <= most,
            Limit::Infinite => true,
        };
        round.push(bench, item.clone());
        while !fits(round) {
            let longest = round.largest(|i| round.bytes_of(i) as f64).unwrap();
            let victim = round.pop_head(longest);
            if victim.id == id {
                return bench.note(&item, Fate::Dropped(Cause::Overflow));
            }
            bench.note(&victim, Fate::Dropped(Cause::Evicted));
        }
        bench.note(&item, Fate::Queued);
    }

    fn depart(&mut self, bench: &mut Bench) {
        if let Some((item, _)) = self.0.serve() {
            bench.note(&item, Fate::Sent);
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    Box::new(Drr(Round::new(s, link)))
}

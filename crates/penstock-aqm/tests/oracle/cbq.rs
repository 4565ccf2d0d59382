//! CBQ: weighted round robin over regulated classes, Floyd and Jacobson 1995.

use super::classes::{Classes, three};
use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Settings, number};
use penstock_aqm::Cause;
use penstock_core::param::Value;
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let class = |share: f64, burst: f64, mean: f64| {
        vec![("share", number(share)), ("burst", Value::Bytes(burst)), ("mean_packet", Value::Bytes(mean))]
    };
    let share = |share: f64| vec![("share", number(share))];
    let limited = vec![("share", number(0.5)), ("limit", number(4.0))];
    vec![
        vec![("classes", three([share(0.5), share(0.25), share(0.25)]))],
        vec![("classes", three([class(0.5, 3000.0, 1000.0), class(0.25, 2000.0, 1000.0), class(0.125, 0.0, 500.0)]))],
        vec![("classes", three([class(0.125, 1500.0, 250.0), class(0.25, 1500.0, 1500.0), class(0.5, 4000.0, 700.0)]))],
        vec![("classes", three([class(0.0625, 800.0, 1000.0), limited, share(0.25)]))],
    ]
}

/// A bucket in bits times 10^9, so that it is exact.
struct Bucket {
    rate: u128,
    depth: u128,
    tokens: u128,
}

struct Cbq {
    classes: Classes,
    turn: [f64; 3],
    buckets: Vec<Bucket>,
    at: u64,
    queues: [VecDeque<Item>; 3],
    /// Whose turn it is, and what it may still send in it.
    current: usize,
    left: f64,
}

fn tokens(bytes: f64) -> u128 {
    bytes as u128 * 8_000_000_000
}

impl Oracle for Cbq {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        if !self.classes.has_room(&item, self.queues.iter().flatten()) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        bench.note(&item, Fate::Queued);
        self.queues[Classes::of(&item)].push_back(item);
    }

    fn depart(&mut self, bench: &mut Bench) {
        for bucket in &mut self.buckets {
            let grown = u128::from(bench.now - self.at) * bucket.rate;
            bucket.tokens = (bucket.tokens + grown).min(bucket.depth);
        }
        self.at = bench.now;
        let busy: Vec<usize> = (0..3).filter(|&i| !self.queues[i].is_empty()).collect();
        let size = |i: usize| tokens(f64::from(self.queues[i][0].size));
        let within: Vec<usize> = busy.iter().copied().filter(|&i| size(i) <= self.buckets[i].tokens).collect();
        let among = if within.is_empty() { &busy } else { &within };
        if among.is_empty() {
            return;
        }
        while self.left == 0.0 || !among.contains(&self.current) {
            self.current = (self.current + 1) % 3;
            self.left = self.turn[self.current];
        }
        self.left -= 1.0;
        if !within.is_empty() {
            self.buckets[self.current].tokens -= size(self.current);
        }
        let item = self.queues[self.current].pop_front().unwrap();
        bench.note(&item, Fate::Sent);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let classes = Classes::new(s, link);
    let share = |i| classes.number(i, "share").unwrap();
    let mean = |i| classes.number(i, "mean_packet").unwrap_or(1000.0);
    let least = (0..3).map(|i| share(i) / mean(i)).fold(f64::INFINITY, f64::min);
    let turn = [0, 1, 2].map(|i| (share(i) / mean(i) / least).round().max(1.0));
    let bucket = |i| {
        let depth = tokens(classes.number(i, "burst").unwrap_or(20.0 * mean(i)));
        Bucket { rate: (share(i) * link.rate.bits_per_second() as f64) as u128, depth, tokens: depth }
    };
    let buckets = (0..3).map(bucket).collect();
    Box::new(Cbq { turn, buckets, classes, at: 0, queues: Default::default(), current: 0, left: turn[0] })
}

//! CBQ: round robin over regulated classes, Floyd and Jacobson 1995.

use super::classes::{Classes, three};
use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Settings, number, word};
use penstock_aqm::Cause;
use penstock_core::param::Value;
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let class = |share: f64, burst: f64, mean: f64| {
        vec![("share", number(share)), ("burst", Value::Bytes(burst)), ("mean_packet", Value::Bytes(mean))]
    };
    let share = |share: f64| vec![("share", number(share))];
    let limited = vec![("share", number(0.5)), ("limit", number(4.0))];
    let shared = |variant: &str, a, b, c, of_link| {
        vec![("variant", word(variant)), ("classes", three([a, b, c])), ("link_share", number(of_link))]
    };
    let bursts = [class(0.3, 3000.0, 1000.0), class(0.4, 0.0, 600.0), class(0.21, 9000.0, 300.0)];
    let [a, b, c] = bursts;
    vec![
        shared("prr", share(0.47), share(0.31), share(0.19), 0.98),
        shared("prr", a.clone(), b.clone(), c.clone(), 0.5),
        shared("prr", share(0.07), limited.clone(), share(0.03), 0.9),
        shared("wrr", share(0.47), share(0.31), share(0.19), 0.98),
        shared("wrr", a, b, c, 0.7),
        shared("wrr", share(0.07), limited.clone(), share(0.03), 0.6),
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
        // A turn ends with the last packet of its class, even if another comes before the next service.
        if self.queues[self.current].is_empty() {
            self.left = 0.0;
        }
    }
}

/// How idle a class, or the link, was in the past, in seconds.
#[derive(Clone)]
struct Idle {
    bytes_per_second: f64,
    most: f64,
    average: f64,
    /// When the last packet was out.
    out: Option<f64>,
    /// When the next may go: at the allotted rate, and so that the average is 0 again.
    at_rate: u64,
    at_average: u64,
}

impl Idle {
    fn new(share: f64, packets: f64, mean: f64, link: f64) -> Self {
        let g: f64 = 15.0 / 16.0;
        let back_to_back = (1.0 / share - 1.0) * (g.powf(-packets) - 1.0);
        let most = mean / link * back_to_back.max(1.0 - g);
        Self { bytes_per_second: share * link, most, average: most, out: None, at_rate: 0, at_average: 0 }
    }

    fn note(&mut self, now: u64, size: f64, link: f64) {
        let start = now as f64 / 1e9;
        let out = start + size / link;
        let allotted = size / self.bytes_per_second;
        self.average = match self.out {
            None => self.most,
            Some(before) => (self.average + (out - before - allotted - self.average) / 16.0).min(self.most),
        };
        self.out = Some(out);
        self.at_rate = now + (allotted * 1e9) as u64;
        let wait = allotted - 15.0 * self.average;
        self.at_average = if self.average > 0.0 { 0 } else { now + (wait * 1e9) as u64 };
    }
}

struct Estimated {
    classes: Classes,
    link: f64,
    idle: [Idle; 3],
    of_link: Idle,
    /// Whether a class that was refused waits for its rate instead of its average.
    refused: [bool; 3],
    queues: [VecDeque<Item>; 3],
    /// The order of the next round, and in bytes what a class may still send in it.
    order: VecDeque<usize>,
    quantum: Option<[i64; 3]>,
    left: [i64; 3],
}

impl Estimated {
    /// Whether the class is within its own limit, or borrows.
    fn may(&mut self, now: u64, class: usize) -> Option<&'static str> {
        if self.idle[class].at_average <= now {
            return Some("own");
        }
        if self.of_link.at_average <= now {
            return Some("borrowed");
        }
        if !self.refused[class] {
            self.refused[class] = true;
            self.idle[class].at_average = self.idle[class].at_rate;
        }
        None
    }

    /// Ask each class in turn; the one that sends is first in the order then.
    fn ask(&mut self, now: u64, denied: &mut Option<usize>) -> (Option<&'static str>, bool) {
        let mut owes = false;
        for _ in 0..3 {
            let class = self.order[0];
            if !self.queues[class].is_empty() {
                let may = self.may(now, class);
                if let Some(quantum) = self.quantum.filter(|_| self.left[class] <= 0) {
                    self.left[class] += quantum[class];
                }
                if may.is_some() && (self.quantum.is_none() || self.left[class] > 0) {
                    return (may, false);
                }
                match may {
                    Some(_) => owes = true,
                    None => *denied = denied.or(Some(class)),
                }
            }
            self.left[class] = 0;
            self.order.rotate_left(1);
        }
        (None, owes)
    }
}

impl Oracle for Estimated {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        if !self.classes.has_room(&item, self.queues.iter().flatten()) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        bench.note(&item, Fate::Queued);
        self.queues[Classes::of(&item)].push_back(item);
    }

    fn depart(&mut self, bench: &mut Bench) {
        if self.queues.iter().all(VecDeque::is_empty) {
            return;
        }
        let mut denied = None;
        let (mut may, owes) = self.ask(bench.now, &mut denied);
        if owes {
            may = self.ask(bench.now, &mut None).0;
        }
        if may.is_none() {
            while Some(self.order[0]) != denied {
                self.order.rotate_left(1);
            }
        }
        let class = self.order[0];
        let item = self.queues[class].pop_front().unwrap();
        bench.note(&item, Fate::Sent);
        if may.is_some() {
            let size = f64::from(item.size);
            self.idle[class].note(bench.now, size, self.link);
            self.of_link.note(bench.now, size, self.link);
        }
        if may == Some("own") {
            self.refused[class] = false;
        }
        let pays = may.is_some() && !owes;
        if pays {
            self.left[class] -= i64::from(item.size);
        }
        if self.quantum.is_none() || !pays || self.left[class] <= 0 {
            self.order.rotate_left(1);
        }
    }
}

fn estimated(classes: Classes, variant: &str, of_link: f64, link: &LinkInfo) -> Estimated {
    let rate = link.rate.bits_per_second() as f64 / 8.0;
    let share = |i| classes.number(i, "share").unwrap();
    let mean = |i| classes.number(i, "mean_packet").unwrap_or(1000.0);
    let idle = [0, 1, 2].map(|i| {
        let packets = classes.number(i, "burst").map_or(8.0, |bytes| bytes / mean(i));
        Idle::new(share(i), packets, mean(i), rate)
    });
    let (shares, means) = (share(0) + share(1) + share(2), mean(0) + mean(1) + mean(2));
    let quantum = (variant == "wrr").then(|| [0, 1, 2].map(|i| (share(i) / shares * means) as i64));
    let of_link = Idle::new(of_link, 64.0, link.mean_packet.0 as f64, rate);
    let order = VecDeque::from([0, 1, 2]);
    let queues = Default::default();
    Estimated { classes, link: rate, idle, of_link, refused: [false; 3], queues, order, quantum, left: [0; 3] }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let classes = Classes::new(s, link);
    let variant = s.word("variant", "token-bucket");
    if variant != "token-bucket" {
        return Box::new(estimated(classes, &variant, s.number("link_share", 0.98), link));
    }
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

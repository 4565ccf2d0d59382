//! Strict priorities, rate-controlled by token buckets.

use super::classes::{Classes, three};
use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Settings, number, secs};
use penstock_aqm::Cause;
use penstock_core::param::Value;
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let bucket = |rate: f64, burst: f64| vec![("rate", number(rate)), ("burst", Value::Bytes(burst))];
    vec![
        vec![("classes", three([vec![], vec![], vec![]]))],
        vec![(
            "classes",
            three([vec![("priority", number(2.0))], vec![("priority", number(0.0))], vec![("priority", number(1.0))]]),
        )],
        vec![("classes", three([vec![("limit", number(4.0))], vec![], vec![("limit", number(6.0))]]))],
        vec![("classes", three([bucket(200_000.0, 3000.0), vec![], vec![]]))],
        vec![("classes", three([bucket(100_000.0, 2000.0), bucket(500_000.0, 1500.0), bucket(50_000.0, 5000.0)]))],
    ]
}

struct Bucket {
    rate: f64,
    depth: f64,
    tokens: f64,
    at: u64,
}

struct Pq {
    classes: Classes,
    priority: [f64; 3],
    buckets: [Option<Bucket>; 3],
    queues: [VecDeque<Item>; 3],
}

impl Oracle for Pq {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        if !self.classes.has_room(&item, self.queues.iter().flatten()) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        bench.note(&item, Fate::Queued);
        self.queues[Classes::of(&item)].push_back(item);
    }

    fn depart(&mut self, bench: &mut Bench) {
        for bucket in self.buckets.iter_mut().flatten() {
            bucket.tokens = (bucket.tokens + bucket.rate * secs(bench.now - bucket.at)).min(bucket.depth);
            bucket.at = bench.now;
        }
        let conforms = |i: usize| {
            let size = f64::from(self.queues[i][0].size);
            self.buckets[i].as_ref().is_none_or(|bucket| size <= bucket.tokens)
        };
        let busy = (0..3).filter(|&i| !self.queues[i].is_empty());
        let Some(i) = busy.min_by(|&a, &b| {
            conforms(b).cmp(&conforms(a)).then(self.priority[a].total_cmp(&self.priority[b])).then(a.cmp(&b))
        }) else {
            return;
        };
        let takes = conforms(i);
        let item = self.queues[i].pop_front().unwrap();
        if let Some(bucket) = self.buckets[i].as_mut().filter(|_| takes) {
            bucket.tokens -= f64::from(item.size);
        }
        bench.note(&item, Fate::Sent);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let classes = Classes::new(s, link);
    let bucket = |i| {
        let depth = classes.number(i, "burst");
        classes.number(i, "rate").map(|rate| Bucket {
            rate: rate / 8.0,
            depth: depth.unwrap(),
            tokens: depth.unwrap(),
            at: 0,
        })
    };
    Box::new(Pq {
        priority: [0, 1, 2].map(|i| classes.number(i, "priority").unwrap_or(i as f64)),
        buckets: [0, 1, 2].map(bucket),
        classes,
        queues: Default::default(),
    })
}

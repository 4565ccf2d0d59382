//! The rate adaptive shapers: RFC 2963, sections 2.3 and 2.5.

use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Queue, Settings, millis, number, secs};
use penstock_aqm::Cause;
use penstock_core::param::Value;
use penstock_core::{Span, math};
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let single = |cir: f64, low: f64, high: f64| {
        vec![("cir", number(cir)), ("cir_th", Value::Bytes(low)), ("mir_th", Value::Bytes(high))]
    };
    let mut all = vec![single(100_000.0, 2000.0, 12_000.0), single(500_000.0, 0.0, 6000.0), single(50_000.0, 1e6, 2e6)];
    let two: Given = vec![("pir", number(600_000.0)), ("pir_th", Value::Bytes(4000.0))];
    all.push(single(200_000.0, 1000.0, 9000.0).into_iter().chain(two).collect());
    let limited: Given = vec![("mir", number(900_000.0)), ("k", millis(5))];
    all.push(single(200_000.0, 1000.0, 9000.0).into_iter().chain(limited).collect());
    all
}

struct Ras {
    queue: Queue,
    /// The corners of F: waiting bytes and rate.
    bends: Vec<(f64, f64)>,
    k: f64,
    ear: f64,
    last: Option<u64>,
    next: u64,
}

impl Ras {
    fn rate(&self, b: f64) -> f64 {
        let (top, mir) = self.bends[self.bends.len() - 1];
        if b >= top {
            return mir;
        }
        let mut f = self.bends[0].1;
        for pair in self.bends.windows(2) {
            let ((b0, r0), (b1, r1)) = (pair[0], pair[1]);
            if b >= b0 && b < b1 {
                f = r0 + (r1 - r0) * (b - b0) / (b1 - b0);
            }
        }
        f.max(self.ear).min(mir)
    }
}

impl Oracle for Ras {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        let (l, t) = (8.0 * f64::from(item.size), secs(bench.now - self.last.unwrap_or(0)));
        let old = math::exp(-t / self.k);
        self.ear = if t > 0.0 { (1.0 - old) * l / t + old * self.ear } else { self.ear + l / self.k };
        self.last = Some(bench.now);
        if !self.queue.has_room(&item) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        bench.note(&item, Fate::Queued);
        self.queue.items.push_back(item);
    }

    fn depart(&mut self, bench: &mut Bench) {
        if self.queue.items.is_empty() {
            return;
        }
        if bench.now < self.next {
            return bench.log.push((bench.now, u32::MAX, Fate::Held(self.next)));
        }
        let item = self.queue.items.pop_front().unwrap();
        let rate = self.rate(self.queue.bytes());
        self.next = bench.now + Span::from_secs(8.0 * f64::from(item.size) / rate).as_nanos();
        bench.note(&item, Fate::Sent);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let mir = s.unless_auto("mir").unwrap_or(link.rate.bits_per_second() as f64);
    let mut bends = vec![(s.number("cir_th", 0.0), s.number("cir", 0.0)), (s.number("mir_th", 0.0), mir)];
    if let Some(pir) = s.unless_auto("pir") {
        bends.insert(1, (s.number("pir_th", 0.0), pir));
    }
    Box::new(Ras {
        queue: Queue { now: 0, limit: link.limit, items: VecDeque::new() },
        bends,
        k: s.number("k", 0.1),
        ear: 0.0,
        last: None,
        next: 0,
    })
}

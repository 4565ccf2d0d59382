//! CoDel: RFC 8289, section 5; `ce_threshold`: RFC 8290, section 5.2.7. Not `variant = "linux"`, which is no text.

use super::{Bench, Fate, Given, Item, LinkInfo, MS, Oracle, Queue, Settings, each_with, flag, millis, word};
use penstock_aqm::Cause;
use penstock_core::param::Value;
use penstock_core::{Ecn, Span, math};
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("interval", millis(20)), ("target", millis(1))],
        vec![("interval", millis(4)), ("target", millis(2)), ("maxpacket", Value::Bytes(0.0))],
        vec![("interval", millis(10)), ("target", Value::Time(Span::ZERO)), ("maxpacket", Value::Bytes(512.0))],
    ];
    each_with(
        own,
        &[
            vec![],
            vec![("ecn", flag(true))],
            vec![("ce_threshold", millis(3))],
            vec![("ecn", flag(true)), ("ce_threshold", millis(30))],
            vec![("ce_threshold", millis(3)), ("ce_threshold_for", word("ect1"))],
        ],
    )
}

#[derive(Clone, Default)]
pub struct Codel {
    target: u64,
    interval: u64,
    maxpacket: f64,
    ecn: bool,
    ce_threshold: Option<u64>,
    ect1_only: bool,
    first_above: u64,
    drop_next: u64,
    count: u64,
    last_count: u64,
    dropping: bool,
}

impl Codel {
    pub fn new(s: &Settings, link: &LinkInfo, ecn: bool) -> Self {
        Self {
            target: s.nanos("target", 5 * MS),
            interval: s.nanos("interval", 100 * MS),
            maxpacket: s.unless_auto("maxpacket").unwrap_or(link.mtu.0 as f64),
            ecn: s.flag("ecn", ecn),
            ce_threshold: Some(s.nanos("ce_threshold", u64::MAX)),
            ect1_only: s.word("ce_threshold_for", "ect") == "ect1",
            ..Self::default()
        }
    }

    fn control_law(&self, t: u64) -> u64 {
        t + math::floor(self.interval as f64 / math::sqrt(self.count as f64)) as u64
    }

    /// dodequeue: the head, and whether it is ok to drop it.
    fn take(&mut self, bench: &Bench, items: &mut VecDeque<Item>) -> (Option<Item>, bool) {
        let Some(item) = items.pop_front() else {
            self.first_above = 0;
            return (None, false);
        };
        let left: f64 = items.iter().map(|item| f64::from(item.size)).sum();
        if bench.now - item.since < self.target || left <= self.maxpacket {
            self.first_above = 0;
            return (Some(item), false);
        }
        if self.first_above == 0 {
            self.first_above = bench.now + self.interval;
            return (Some(item), false);
        }
        let ok = bench.now >= self.first_above;
        (Some(item), ok)
    }

    /// Drop it, which is `None`; or mark it.
    fn signal(&self, bench: &mut Bench, item: Option<Item>) -> Option<Item> {
        let item = item.unwrap();
        if self.ecn && item.ect() {
            bench.note(&item, Fate::Marked(Cause::Sojourn));
            return Some(item);
        }
        bench.note(&item, Fate::Dropped(Cause::Sojourn));
        None
    }

    pub fn dequeue(&mut self, bench: &mut Bench, items: &mut VecDeque<Item>) -> Option<Item> {
        let (mut item, mut ok) = self.take(bench, items);
        if self.dropping {
            self.dropping = ok;
            while self.dropping && bench.now >= self.drop_next {
                self.count += 1;
                if let Some(marked) = self.signal(bench, item) {
                    self.drop_next = self.control_law(self.drop_next);
                    return Some(marked);
                }
                (item, ok) = self.take(bench, items);
                if ok {
                    self.drop_next = self.control_law(self.drop_next);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok {
            let marked = self.signal(bench, item);
            let is_marked = marked.is_some();
            item = if is_marked { marked } else { self.take(bench, items).0 };
            self.dropping = true;
            let delta = self.count - self.last_count.min(self.count);
            self.count = if delta > 1 && bench.now < self.drop_next + 16 * self.interval { delta } else { 1 };
            self.drop_next = self.control_law(bench.now);
            self.last_count = self.count;
            if is_marked {
                return item;
            }
        }
        let item = item?;
        let meant = if self.ect1_only { item.ecn == Ecn::Ect1 } else { item.ect() };
        if meant && self.ce_threshold.is_some_and(|most| bench.now - item.since > most) {
            bench.note(&item, Fate::Marked(Cause::Sojourn));
        }
        Some(item)
    }
}

struct One {
    codel: Codel,
    queue: Queue,
}

impl Oracle for One {
    fn arrive(&mut self, bench: &mut Bench, mut item: Item) {
        if !self.queue.has_room(&item) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        item.since = bench.now;
        bench.note(&item, Fate::Queued);
        self.queue.items.push_back(item);
    }

    fn depart(&mut self, bench: &mut Bench) {
        if let Some(item) = self.codel.dequeue(bench, &mut self.queue.items) {
            bench.note(&item, Fate::Sent);
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let queue = Queue { now: 0, limit: link.limit, items: VecDeque::new() };
    Box::new(One { codel: Codel::new(s, link, false), queue })
}

//! Drop-from-front: Lakshman, Neidhardt, Ott 1996.

use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Queue, Settings};
use penstock_aqm::Cause;
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    vec![vec![]]
}

/// The victim is the packet at the head, or else the newest.
pub struct Pushing {
    pub from_head: bool,
    pub queue: Queue,
}

impl Oracle for Pushing {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        let alone = Queue { now: 0, limit: self.queue.limit, items: VecDeque::new() };
        if !alone.has_room(&item) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        while !self.queue.has_room(&item) {
            let items = &mut self.queue.items;
            let victim = if self.from_head { items.pop_front() } else { items.pop_back() };
            bench.note(&victim.unwrap(), Fate::Dropped(Cause::Evicted));
        }
        bench.note(&item, Fate::Queued);
        self.queue.items.push_back(item);
    }

    fn depart(&mut self, bench: &mut Bench) {
        if let Some(item) = self.queue.items.pop_front() {
            bench.note(&item, Fate::Sent);
        }
    }
}

pub fn oracle(_settings: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    Box::new(Pushing { from_head: true, queue: Queue { now: 0, limit: link.limit, items: VecDeque::new() } })
}

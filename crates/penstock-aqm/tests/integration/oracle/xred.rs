//! XRED: section 1.3.3 of the thesis, with decision D-31 of its specification.

use super::red::{Red, variants};
use super::{AqmScheme, Given, Item, LinkInfo, MS, Oracle, Queue, Say, Settings, each_with, guarded, millis, number};
use penstock_aqm::Cause;
use penstock_core::Rng;

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![("w_q", number(0.2))],
        vec![("w_q", number(0.3)), ("list", number(3.0)), ("max_p", number(0.3)), ("min_th", number(1.0))],
        vec![("w_q", number(0.3)), ("lifetime", millis(50)), ("max_p", number(0.5)), ("max_th", number(6.0))],
        vec![("w_q", number(0.3)), ("lifetime", millis(0)), ("list", number(1.0)), ("max_p", number(0.5))],
    ];
    each_with(own, &variants())
}

/// A unit of which a fragment was lost, the highest priority lost, and when the last one was.
struct Entry {
    unit: (usize, u32),
    priority: u8,
    last: u64,
}

struct Xred {
    red: Red,
    most: usize,
    lifetime: u64,
    /// The longest without a loss first.
    list: Vec<Entry>,
}

fn unit(item: &Item) -> (usize, u32) {
    (item.flow, item.meta.rare.unwrap().adu)
}

fn priority(item: &Item) -> u8 {
    item.meta.rare.unwrap().priority
}

impl Xred {
    fn lost(&mut self, now: u64, item: &Item) {
        self.list.retain(|entry| now - entry.last <= self.lifetime);
        let known = self.list.iter().position(|entry| entry.unit == unit(item));
        let before = known.map_or(0, |at| self.list.remove(at).priority);
        if self.list.len() == self.most {
            self.list.remove(0);
        }
        self.list.push(Entry { unit: unit(item), priority: before.max(priority(item)), last: now });
    }
}

impl AqmScheme for Xred {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        self.red.update_average(queue);
        self.list.retain(|entry| queue.now - entry.last <= self.lifetime);
        if self.list.iter().any(|entry| entry.unit == unit(item) && entry.priority > priority(item)) {
            self.lost(queue.now, item);
            return Say::Drop(Cause::Early);
        }
        let say = self.red.judge(queue, f64::from(item.size), rng);
        if matches!(say, Say::Drop(_)) || matches!(say, Say::Mark(_)) && !item.ect() {
            self.lost(queue.now, item);
        }
        say
    }

    fn overflow(&mut self, queue: &Queue, item: &Item) {
        self.red.overflow(queue, item);
        self.lost(queue.now, item);
    }

    fn idle(&mut self, now: u64) {
        self.red.idle(now);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let aqm = Xred {
        red: Red::new(s, link, (5.0, 15.0, 0.1, false)),
        most: s.number("list", 256.0) as usize,
        lifetime: s.nanos("lifetime", 2000 * MS),
        list: Vec::new(),
    };
    guarded(aqm, link)
}

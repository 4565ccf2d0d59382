//! The leaky bucket shaper: RFC 2475, section 2.3.3.3, as an exact bucket that leaks at the rate.

use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Queue, Settings, number};
use penstock_aqm::Cause;
use penstock_core::param::Value;
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let with = |rate: f64, burst: f64| vec![("rate", number(rate)), ("burst", Value::Bytes(burst))];
    vec![
        vec![("rate", number(1_000_000.0))],
        with(700_001.0, 3000.0),
        with(3_000_000.0, 1500.0),
        with(6_000_000.0, 100.0),
        with(123_457.0, 20_000.0),
    ]
}

struct Shaper {
    queue: Queue,
    rate: u128,
    burst: u128,
    /// When the bucket has leaked all that went out, in nanoseconds times the rate.
    free: u128,
}

const BIT: u128 = 1_000_000_000;

impl Oracle for Shaper {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        if !self.queue.has_room(&item) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        bench.note(&item, Fate::Queued);
        self.queue.items.push_back(item);
    }

    fn depart(&mut self, bench: &mut Bench) {
        let now = u128::from(bench.now) * self.rate;
        let Some(item) = self.queue.items.front() else { return };
        // The first moment at which the bucket, of `burst` or this packet alone, has room for the packet.
        let room = self.burst.saturating_sub(item.size.into());
        let due = self.free.saturating_sub(8 * room * BIT);
        if now < due {
            return bench.log.push((bench.now, u32::MAX, Fate::Held(due.div_ceil(self.rate) as u64)));
        }
        self.free = self.free.max(now) + 8 * u128::from(item.size) * BIT;
        bench.note(item, Fate::Sent);
        self.queue.items.pop_front();
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    Box::new(Shaper {
        queue: Queue { now: 0, limit: link.limit, items: VecDeque::new() },
        rate: s.number("rate", 0.0) as u128,
        burst: s.number("burst", 0.0) as u128,
        free: 0,
    })
}

//! CHOKe: Pan, Prabhakar, Psounis 2000.

use super::red::{Red, variants};
use super::{
    AqmScheme, Bench, Fate, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, each_with, flag, number, word,
};
use penstock_aqm::Cause;
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![("w_q", number(0.2))],
        vec![("w_q", number(0.25)), ("min_th", number(3.0)), ("whole_average", flag(true))],
        vec![("w_q", number(0.3)), ("draws", number(3.0)), ("min_th", number(1.0))],
        vec![("w_q", number(0.3)), ("candidate", word("front")), ("min_th", number(2.0)), ("max_p", number(0.3))],
        vec![("w_q", number(0.3)), ("candidate", word("back")), ("draws", number(2.0)), ("min_th", number(0.0))],
        vec![("w_q", number(1.0)), ("draws", number(2.0)), ("min_th", number(2.0)), ("max_th", number(8.0))],
    ];
    each_with(own, &variants())
}

struct Choke {
    red: Red,
    queue: Queue,
    /// The packets by number, and those that were taken out between them.
    places: VecDeque<(u32, bool)>,
    draws: u32,
    candidate: String,
}

impl Choke {
    /// Position in the queue of the next candidate.
    fn draw(&self, bench: &mut Bench) -> Option<usize> {
        let last = self.queue.items.len().checked_sub(1)?;
        match self.candidate.as_str() {
            "front" => Some(0),
            "back" => Some(last),
            _ => loop {
                let (id, here) = self.places[bench.rng.below(self.places.len() as u64) as usize];
                if here {
                    return self.queue.items.iter().position(|item| item.id == id);
                }
            },
        }
    }

    fn take(&mut self, at: usize) -> Item {
        let item = self.queue.items.remove(at).unwrap();
        for place in self.places.iter_mut().filter(|place| place.0 == item.id) {
            place.1 = false;
        }
        while self.places.front().is_some_and(|place| !place.1) {
            self.places.pop_front();
        }
        while self.places.back().is_some_and(|place| !place.1) {
            self.places.pop_back();
        }
        let taken = self.places.iter().filter(|place| !place.1).count();
        if taken > self.queue.items.len() {
            self.places.retain(|place| place.1);
        }
        item
    }
}

impl Oracle for Choke {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        self.queue.now = bench.now;
        self.red.update_average(&self.queue);
        let mut mark = None;
        if self.red.avg > self.red.min_th {
            let mut matched = false;
            for _ in 0..self.draws {
                if let Some(at) = self.draw(bench).filter(|&at| self.queue.items[at].flow == item.flow) {
                    bench.note(&self.take(at), Fate::Dropped(Cause::Evicted));
                    matched = true;
                }
            }
            if matched {
                return bench.note(&item, Fate::Dropped(Cause::Early));
            }
        }
        match self.red.judge(&self.queue, f64::from(item.size), &mut bench.rng) {
            Say::Pass => {}
            Say::Mark(cause) if item.ect() => mark = Some(cause),
            Say::Mark(cause) | Say::Drop(cause) => return bench.note(&item, Fate::Dropped(cause)),
        }
        if !self.queue.has_room(&item) {
            self.red.overflow(&self.queue, &item);
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        if let Some(cause) = mark {
            bench.note(&item, Fate::Marked(cause));
        }
        bench.note(&item, Fate::Queued);
        self.places.push_back((item.id, true));
        self.queue.items.push_back(item);
    }

    fn depart(&mut self, bench: &mut Bench) {
        if self.queue.items.is_empty() {
            return self.red.idle(bench.now);
        }
        bench.note(&self.take(0), Fate::Sent);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    Box::new(Choke {
        red: Red::new(s, link, (5.0, 15.0, 0.1, false)),
        queue: Queue { now: 0, limit: link.limit, items: VecDeque::new() },
        places: VecDeque::new(),
        draws: s.number("draws", 1.0) as u32,
        candidate: s.word("candidate", "random"),
    })
}

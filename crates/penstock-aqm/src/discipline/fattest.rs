//! Which of many queues holds most bytes, for those who make room at its cost.

use super::packet_slab::NONE;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// A heap of the queues by an upper bound of their bytes.
///
/// Bounds rise at once when packets arrive and are only lowered when somebody asks. So a departure costs nothing, an
/// arrival that does not set a record of its queue one comparison, and each record is lowered at most once:
/// O(log n) amortized for n queues.
pub(crate) struct Fattest {
    /// (bound, queue), the largest on top; of equal ones the one with the smaller number.
    heap: Vec<(u64, Reverse<u32>)>,
    /// Where each queue stands in the heap.
    places: Vec<u32>,
}

impl Fattest {
    pub(crate) const fn new() -> Self {
        Self { heap: Vec::new(), places: Vec::new() }
    }

    /// Packets have arrived, and queue `id` now holds `bytes`.
    pub(crate) fn on_arrival(&mut self, id: u32, bytes: u64) {
        if id as usize >= self.places.len() {
            self.places.resize(id as usize + 1, NONE);
        }
        let place = self.places[id as usize];
        if place == NONE {
            self.heap.push((bytes, Reverse(id)));
            self.rise(self.heap.len() - 1);
        } else if self.heap[place as usize].0 < bytes {
            self.heap[place as usize].0 = bytes;
            self.rise(place as usize);
        }
    }

    /// The queue that holds most bytes, by what `bytes_of` says each holds; the first of several.
    pub(crate) fn find(&mut self, bytes_of: impl Fn(u32) -> u64) -> Option<u32> {
        loop {
            let &(bound, Reverse(id)) = self.heap.first()?;
            let bytes = bytes_of(id);
            if bytes == bound {
                return Some(id);
            }
            self.heap[0].0 = bytes;
            self.sink();
        }
    }

    fn rise(&mut self, mut place: usize) {
        let entry = self.heap[place];
        while place > 0 && entry > self.heap[(place - 1) / 2] {
            self.put(place, self.heap[(place - 1) / 2]);
            place = (place - 1) / 2;
        }
        self.put(place, entry);
    }

    /// The entry on top goes down to where it belongs.
    fn sink(&mut self) {
        let entry = self.heap[0];
        let mut place = 0;
        loop {
            let mut child = 2 * place + 1;
            if child + 1 < self.heap.len() && self.heap[child + 1] > self.heap[child] {
                child += 1;
            }
            if child >= self.heap.len() || self.heap[child] <= entry {
                break;
            }
            self.put(place, self.heap[child]);
            place = child;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: (u64, Reverse<u32>)) {
        self.heap[place] = entry;
        self.places[entry.1.0 as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Rng;

    #[test]
    fn it_finds_what_a_scan_finds() {
        let mut rng = Rng::stream(1, "fattest");
        let mut fattest = Fattest::new();
        let mut bytes = [0_u64; 40];
        for _ in 0..50_000 {
            let id = rng.below(40) as usize;
            match rng.below(4) {
                0 | 1 => {
                    bytes[id] += rng.below(20);
                    fattest.on_arrival(id as u32, bytes[id]);
                }
                2 => bytes[id] -= bytes[id].min(rng.below(40)),
                _ => {
                    let most = *bytes.iter().max().unwrap();
                    let found = fattest.find(|id| bytes[id as usize]);
                    let seen = |id: usize| fattest.places.get(id).is_some_and(|&place| place != NONE);
                    let scanned = (0..40).find(|&id| seen(id) && bytes[id] == most);
                    assert_eq!(found, scanned.map(|id| id as u32));
                }
            }
        }
    }
}

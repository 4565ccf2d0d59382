//! Which queue comes first by some measure, kept up to date as the measures change: O(log n) for a change, O(1) to ask.

use super::drr_queues::Queue;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Not in the heap.
const ABSENT: u32 = u32::MAX;

/// A heap of numbered members by key, the largest key on top, in which every member can be found and moved.
#[derive(Clone, Debug)]
pub(super) struct IndexedHeap<K> {
    entries: Vec<(K, u32)>,
    places: Vec<u32>,
}

impl<K: PartialOrd + Copy> IndexedHeap<K> {
    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), places: Vec::new() }
    }

    /// The largest key and whose it is.
    pub(super) fn top(&self) -> Option<(K, u32)> {
        self.entries.first().copied()
    }

    pub(super) fn contains(&self, id: u32) -> bool {
        self.places.get(id as usize).is_some_and(|&place| place != ABSENT)
    }

    /// Give member `id` this key, whether or not it had one.
    pub(super) fn set(&mut self, id: u32, key: K) {
        if id as usize >= self.places.len() {
            self.places.resize(id as usize + 1, ABSENT);
        }
        let place = match self.places[id as usize] {
            ABSENT => {
                self.entries.push((key, id));
                self.entries.len() - 1
            }
            place => {
                self.entries[place as usize].0 = key;
                place as usize
            }
        };
        self.settle(place);
    }

    /// Take member `id` out, if it is in.
    pub(super) fn remove(&mut self, id: u32) {
        if !self.contains(id) {
            return;
        }
        let place = self.places[id as usize] as usize;
        self.places[id as usize] = ABSENT;
        self.entries.swap_remove(place);
        if place < self.entries.len() {
            self.settle(place);
        }
    }

    /// Move the entry at `place`, whose key may be wrong there, to where it belongs.
    fn settle(&mut self, mut place: usize) {
        let entry = self.entries[place];
        while place > 0 && entry.0 > self.entries[(place - 1) / 2].0 {
            self.put(place, self.entries[(place - 1) / 2]);
            place = (place - 1) / 2;
        }
        loop {
            let left = 2 * place + 1;
            let right = left + 1;
            let larger =
                if right < self.entries.len() && self.entries[right].0 > self.entries[left].0 { right } else { left };
            if larger >= self.entries.len() || self.entries[larger].0 <= entry.0 {
                break;
            }
            self.put(place, self.entries[larger]);
            place = larger;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: (K, u32)) {
        self.entries[place] = entry;
        self.places[entry.1 as usize] = place as u32;
    }
}

/// The longest queue; of several, the one that is served soonest, so that no flow is the victim for its number.
#[derive(Clone, Debug)]
pub(super) struct Longest(IndexedHeap<(u64, Reverse<u64>)>);

impl Longest {
    pub(super) fn new() -> Self {
        Self(IndexedHeap::new())
    }

    pub(super) fn id(&self) -> Option<u32> {
        self.0.top().map(|(_, id)| id)
    }

    /// A queue has this length now, in whatever unit.
    pub(super) fn on_change(&mut self, id: u32, length: u64, queue: &Queue) {
        if queue.packets() == 0 {
            self.0.remove(id);
        } else {
            self.0.set(id, (length, Reverse(queue.position())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Rng;

    #[test]
    fn the_top_is_the_largest_through_any_changes() {
        let mut rng = Rng::stream(1, "heap");
        let mut heap = IndexedHeap::new();
        let mut plain: Vec<Option<u64>> = vec![None; 50];
        for _ in 0..20_000 {
            let id = rng.below(50) as u32;
            let key = rng.chance(0.7).then(|| rng.below(100));
            match key {
                Some(key) => heap.set(id, key),
                None => heap.remove(id),
            }
            plain[id as usize] = key;
            assert_eq!(heap.contains(id), key.is_some());
            assert_eq!(heap.top().map(|(key, _)| key), plain.iter().flatten().max().copied());
            assert!(heap.top().is_none_or(|(key, id)| plain[id as usize] == Some(key)));
        }
    }
}

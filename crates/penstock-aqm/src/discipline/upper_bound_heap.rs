//! A heap that finds the member with the largest key, for keys that change with every packet but are rarely queried.

use alloc::vec::Vec;

/// Not in the heap.
const ABSENT: u32 = u32::MAX;

/// A heap of members by an upper bound of their keys.
///
/// Bounds rise immediately, but are lowered only by a query. A falling key therefore costs nothing, and a rising key
/// costs one comparison unless it exceeds its bound. Each raised bound is lowered at most once: O(log n) amortized for
/// n members.
///
/// Where queries are rare, even that costs more than a scan of all keys in each query. So the heap is dormant while
/// many keys rise between queries; raising a key then only increments a counter: see [`UpperBoundHeap::top`].
#[derive(Clone, Debug)]
pub(crate) struct UpperBoundHeap<K> {
    /// (bound, member), the largest on top.
    entries: Vec<(K, u32)>,
    /// Index in `entries` of each member.
    places: Vec<u32>,
    awake: bool,
    /// Number of calls of [`UpperBoundHeap::raise`] since the last query.
    raised: u64,
}

/// The number of members at which a scan of all keys costs as much as one rising key in the heap.
const SCANNED: u64 = 4;

impl<K: PartialOrd + Copy> UpperBoundHeap<K> {
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new(), places: Vec::new(), awake: false, raised: 0 }
    }

    /// Make room for members with numbers below `members`.
    pub(crate) fn reserve(&mut self, members: u32) {
        self.entries.reserve(members as usize);
        self.places.reserve(members as usize);
    }

    /// The key of `id` is now `key`, which has an effect only if it is above the bound of `id`; falling keys need not
    /// be reported.
    #[inline]
    pub(crate) fn raise(&mut self, id: u32, key: impl FnOnce() -> K) {
        self.raised += 1;
        if self.awake {
            self.lift(id, key());
        }
    }

    #[inline(never)]
    fn lift(&mut self, id: u32, key: K) {
        if id as usize >= self.places.len() {
            self.places.resize(id as usize + 1, ABSENT);
        }
        let place = self.places[id as usize];
        if place == ABSENT {
            self.entries.push((key, id));
            self.rise(self.entries.len() - 1);
        } else if key > self.entries[place as usize].0 {
            self.entries[place as usize].0 = key;
            self.rise(place as usize);
        }
        self.awake = !self.scan_pays(self.places.len() as u32);
    }

    /// The largest key, as given by `key_of`, and its member, among members with numbers below `members`. If at least a
    /// quarter as many keys as members rose since the last query, the heap stays dormant and all keys are scanned;
    /// otherwise it is rebuilt. The raised keys pay for either.
    pub(crate) fn top(&mut self, members: u32, key_of: impl Fn(u32) -> Option<K>) -> Option<(K, u32)> {
        let scan_pays = self.scan_pays(members);
        self.raised = 0;
        if scan_pays {
            self.awake = false;
            return scanned(members, key_of);
        }
        if !self.awake {
            self.wake(members, &key_of);
        }
        loop {
            let &(bound, id) = self.entries.first()?;
            match key_of(id) {
                Some(key) if key < bound => self.entries[0].0 = key,
                Some(key) => return Some((key, id)),
                None => {
                    self.places[id as usize] = ABSENT;
                    self.entries.swap_remove(0);
                }
            }
            self.sink();
        }
    }

    fn scan_pays(&self, members: u32) -> bool {
        self.raised >= u64::from(members).div_ceil(SCANNED)
    }

    /// Make the heap anew.
    fn wake(&mut self, members: u32, key_of: impl Fn(u32) -> Option<K>) {
        self.entries.clear();
        self.places.clear();
        self.places.resize(members as usize, ABSENT);
        for id in 0..members {
            if let Some(key) = key_of(id) {
                self.entries.push((key, id));
                self.rise(self.entries.len() - 1);
            }
        }
        self.awake = true;
    }

    /// The entry at `place` may be larger than those above it.
    fn rise(&mut self, mut place: usize) {
        let entry = self.entries[place];
        while place > 0 && entry.0 > self.entries[(place - 1) / 2].0 {
            self.put(place, self.entries[(place - 1) / 2]);
            place = (place - 1) / 2;
        }
        self.put(place, entry);
    }

    /// The entry on top may be smaller than those below it.
    fn sink(&mut self) {
        let Some(&entry) = self.entries.first() else { return };
        let mut place = 0;
        loop {
            let mut child = 2 * place + 1;
            if child + 1 < self.entries.len() && self.entries[child + 1].0 > self.entries[child].0 {
                child += 1;
            }
            if child >= self.entries.len() || self.entries[child].0 <= entry.0 {
                break;
            }
            self.put(place, self.entries[child]);
            place = child;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: (K, u32)) {
        self.entries[place] = entry;
        self.places[entry.1 as usize] = place as u32;
    }
}

fn scanned<K: PartialOrd>(members: u32, key_of: impl Fn(u32) -> Option<K>) -> Option<(K, u32)> {
    let mut largest = None;
    for id in 0..members {
        let Some(key) = key_of(id) else { continue };
        if largest.as_ref().is_none_or(|(most, _)| key > *most) {
            largest = Some((key, id));
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cmp::Reverse;
    use penstock_core::Rng;

    #[test]
    fn it_finds_what_a_scan_finds() {
        let mut rng = Rng::stream(1, "heap");
        let mut heap = UpperBoundHeap::new();
        let mut keys: [Option<(u64, Reverse<u32>)>; 40] = [None; 40];
        let mut queries = [0; 2];
        for step in 0..50_000 {
            let id = rng.below(40) as u32;
            let key = &mut keys[id as usize];
            let old = key.map_or(0, |key| key.0);
            match rng.below(8) {
                0..4 => {
                    *key = Some((old + rng.below(20), Reverse(id)));
                    heap.raise(id, || key.unwrap());
                }
                4 | 5 => *key = key.map(|_| (old - old.min(rng.below(40)), Reverse(id))),
                6 => *key = None,
                // queries are frequent and rare in turn
                _ if step / 1000 % 2 == 1 && rng.chance(0.7) => {}
                _ => {
                    let found = heap.top(40, |id| keys[id as usize]);
                    assert_eq!(found.map(|(key, _)| key), keys.iter().copied().max().flatten());
                    queries[usize::from(heap.awake)] += 1;
                }
            }
        }
        assert!(queries.iter().all(|&number| number > 300), "asleep and awake: {queries:?}");
    }
}

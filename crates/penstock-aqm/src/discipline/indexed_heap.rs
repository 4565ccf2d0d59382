//! A priority queue of numbered members whose keys change with every packet; it finds the member with the largest key.

use super::upper_bound_heap::UpperBoundHeap;
use alloc::vec::Vec;

/// Numbered members by key, the largest first. Changing a key usually takes O(1) time, O(log n) amortized.
#[derive(Clone, Debug)]
pub(super) struct IndexedHeap<K> {
    heap: UpperBoundHeap<K>,
    keys: Vec<Option<K>>,
}

impl<K: PartialOrd + Copy> IndexedHeap<K> {
    pub(super) fn new() -> Self {
        Self { heap: UpperBoundHeap::new(), keys: Vec::new() }
    }

    /// Make room for members with numbers below `members`.
    pub(super) fn reserve(&mut self, members: u32) {
        self.heap.reserve(members);
        self.keys.reserve(members as usize);
    }

    /// The largest key and its member.
    pub(super) fn first(&mut self) -> Option<(K, u32)> {
        let keys = &self.keys;
        self.heap.top(keys.len() as u32, |id| keys[id as usize])
    }

    pub(super) fn contains(&self, id: u32) -> bool {
        self.keys.get(id as usize).is_some_and(Option::is_some)
    }

    /// Give member `id` this key, whether or not it had one.
    #[inline]
    pub(super) fn set(&mut self, id: u32, key: K) {
        if id as usize >= self.keys.len() {
            self.keys.resize(id as usize + 1, None);
        }
        self.keys[id as usize] = Some(key);
        self.heap.raise(id, || key);
    }

    /// Remove member `id`, if present.
    #[inline]
    pub(super) fn remove(&mut self, id: u32) {
        if let Some(key) = self.keys.get_mut(id as usize) {
            *key = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Rng;

    #[test]
    fn the_first_has_the_largest_key_through_any_changes() {
        let mut rng = Rng::stream(1, "ranking");
        let mut ranking = IndexedHeap::new();
        let mut plain: Vec<Option<u64>> = vec![None; 50];
        for _ in 0..20_000 {
            let id = rng.below(50) as u32;
            let key = rng.chance(0.7).then(|| rng.below(100));
            match key {
                Some(key) => ranking.set(id, key),
                None => ranking.remove(id),
            }
            plain[id as usize] = key;
            assert_eq!(ranking.contains(id), key.is_some());
            assert_eq!(ranking.first().map(|(key, _)| key), plain.iter().flatten().max().copied());
            assert!(ranking.first().is_none_or(|(key, id)| plain[id as usize] == Some(key)));
        }
    }
}

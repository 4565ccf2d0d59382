//! From keys to dense ids: a bounded table that reuses the id of the key used least recently.
//!
//! A queue keeps the state of flows and hosts in vectors by id, so ids must be small and dense. On a real link a packet
//! carries a 5-tuple; this table gives it an id. The memory is bounded by the capacity, whatever the number of keys:
//! when the table is full, a new key gets the id of the key that was looked up least recently, and the caller notifies the
//! queue to forget that flow ([`crate::Discipline::forget_flow`]) before it enqueues the packet.

use crate::list::{Linked, Links, List, NONE};
use alloc::vec;
use alloc::vec::Vec;
use penstock_core::hash::mix;

/// A key of an [`IdTable`].
pub trait Key: Copy + Eq {
    /// A hash of the key. Different seeds give independent hash functions, so that without the seed no one can choose
    /// colliding keys.
    fn hash(&self, seed: u64) -> u64;
}

/// The 5-tuple of a flow, addresses as 128 bits: an IPv4 address in its IPv6-mapped form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlowKey {
    /// Source address.
    pub src: u128,
    /// Destination address.
    pub dst: u128,
    /// Source port; 0 for protocols without ports.
    pub src_port: u16,
    /// Destination port; 0 for protocols without ports.
    pub dst_port: u16,
    /// IP protocol number.
    pub protocol: u8,
}

impl Key for FlowKey {
    fn hash(&self, seed: u64) -> u64 {
        let ports = u64::from(self.src_port) << 32 | u64::from(self.dst_port) << 16 | u64::from(self.protocol);
        [self.src.hash(seed), self.dst.hash(!seed), ports].into_iter().fold(seed, absorb)
    }
}

/// The address of a host.
impl Key for u128 {
    fn hash(&self, seed: u64) -> u64 {
        absorb(absorb(seed, *self as u64), (*self >> 64) as u64)
    }
}

/// A pair of numbers.
impl Key for (u32, u32) {
    fn hash(&self, seed: u64) -> u64 {
        absorb(seed, u64::from(self.0) << 32 | u64::from(self.1))
    }
}

/// The hash of all words so far, including this one.
fn absorb(hash: u64, word: u64) -> u64 {
    mix(hash.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ word)
}

/// The answer to a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The key has this id.
    Known(u32),
    /// The key is new, and its id was never used before.
    New(u32),
    /// The key is new and takes over this id from another key, whose state must be forgotten.
    Reused(u32),
}

impl Lookup {
    /// The id of the key.
    pub const fn id(self) -> u32 {
        match self {
            Self::Known(id) | Self::New(id) | Self::Reused(id) => id,
        }
    }
}

/// A key with its neighbours in the chain of its bucket and in the order of use; the index of an entry is the id.
#[derive(Clone, Copy, Debug)]
struct Entry<K> {
    key: K,
    bucket: u32,
    next_in_bucket: u32,
    by_use: Links,
}

impl<K> Linked for Entry<K> {
    fn links(&self) -> &Links {
        &self.by_use
    }
    fn links_mut(&mut self) -> &mut Links {
        &mut self.by_use
    }
}

/// Ids 0 to `capacity` - 1 for keys. O(1) expected time for each look-up.
#[derive(Clone, Debug)]
pub struct IdTable<K> {
    seed: u64,
    capacity: u32,
    entries: Vec<Entry<K>>,
    /// First entry of each chain; a power of two of them.
    buckets: Vec<u32>,
    /// All entries, the one used least recently first.
    by_use: List,
}

impl<K: Key> IdTable<K> {
    /// A table for up to `capacity` keys at a time, at least 1. All memory is allocated here.
    pub fn new(capacity: u32, seed: u64) -> Self {
        let capacity = capacity.clamp(1, 1 << 30);
        Self {
            seed,
            capacity,
            entries: Vec::with_capacity(capacity as usize),
            buckets: vec![NONE; capacity.next_power_of_two() as usize],
            by_use: List::EMPTY,
        }
    }

    /// The id of `key`, which is now the key used most recently.
    pub fn look_up(&mut self, key: &K) -> Lookup {
        let bucket = self.bucket_of(key);
        if let Some(id) = self.find_in(bucket, key) {
            if self.by_use.tail() != Some(id) {
                self.by_use.remove(&mut self.entries, id);
                self.by_use.push(&mut self.entries, id);
            }
            return Lookup::Known(id);
        }
        let fresh = self.entries.len() as u32;
        let entry = Entry { key: *key, bucket, next_in_bucket: NONE, by_use: Links::NONE };
        let lookup = if fresh < self.capacity {
            self.entries.push(entry);
            Lookup::New(fresh)
        } else {
            let Some(id) = self.by_use.pop(&self.entries) else { unreachable!("a table has at least one entry") };
            self.unlink_bucket(id);
            self.entries[id as usize] = entry;
            Lookup::Reused(id)
        };
        let id = lookup.id();
        self.entries[id as usize].next_in_bucket = core::mem::replace(&mut self.buckets[bucket as usize], id);
        self.by_use.push(&mut self.entries, id);
        lookup
    }

    /// The id of `key` if it has one; does not change the order of use.
    pub fn find(&self, key: &K) -> Option<u32> {
        self.find_in(self.bucket_of(key), key)
    }

    /// The key that has this id.
    pub fn key(&self, id: u32) -> Option<&K> {
        self.entries.get(id as usize).map(|entry| &entry.key)
    }

    fn bucket_of(&self, key: &K) -> u32 {
        (key.hash(self.seed) & (self.buckets.len() as u64 - 1)) as u32
    }

    fn find_in(&self, bucket: u32, key: &K) -> Option<u32> {
        let mut id = self.buckets[bucket as usize];
        while id != NONE {
            let entry = &self.entries[id as usize];
            if entry.key == *key {
                return Some(id);
            }
            id = entry.next_in_bucket;
        }
        None
    }

    fn unlink_bucket(&mut self, id: u32) {
        let Entry { bucket, next_in_bucket, .. } = self.entries[id as usize];
        let mut at = self.buckets[bucket as usize];
        if at == id {
            self.buckets[bucket as usize] = next_in_bucket;
            return;
        }
        while self.entries[at as usize].next_in_bucket != id {
            at = self.entries[at as usize].next_in_bucket;
        }
        self.entries[at as usize].next_in_bucket = next_in_bucket;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Rng;
    use std::collections::HashMap;

    fn key(number: u32) -> FlowKey {
        let (src, dst) = (u128::from(number), u128::from(number / 3) << 64);
        FlowKey { src, dst, src_port: number as u16, dst_port: 443, protocol: 6 }
    }

    #[test]
    fn keys_get_dense_ids_in_the_order_of_their_first_use() {
        let mut table = IdTable::new(3, 1);
        assert_eq!([7, 5, 7, 9].map(|number| table.look_up(&key(number)).id()), [0, 1, 0, 2]);
        assert_eq!((table.find(&key(5)), table.find(&key(6)), table.key(1)), (Some(1), None, Some(&key(5))));
    }

    #[test]
    fn a_full_table_reuses_the_id_of_the_key_used_least_recently() {
        let mut table = IdTable::new(3, 1);
        for number in [1, 2, 3, 1] {
            table.look_up(&key(number));
        }
        assert_eq!(table.look_up(&key(4)), Lookup::Reused(1));
        assert_eq!(table.look_up(&key(1)), Lookup::Known(0));
        assert_eq!(table.look_up(&key(2)), Lookup::Reused(2));
        let mut one = IdTable::new(0, 1);
        assert_eq!(
            [1, 1, 2].map(|number| one.look_up(&key(number))),
            [Lookup::New(0), Lookup::Known(0), Lookup::Reused(0)]
        );
    }

    #[test]
    fn it_is_a_list_in_the_order_of_use() {
        // Compares the table with a map and a list, for keys that recur soon and keys that do not.
        let (mut rng, capacity) = (Rng::stream(1, "keys"), 50);
        let mut table = IdTable::new(capacity, 3);
        let (mut ids, mut by_use) = (HashMap::new(), Vec::<u32>::new());
        for _ in 0..50_000 {
            let range = if rng.chance(0.8) { 60 } else { 5000 };
            let number = rng.below(range) as u32;
            let wanted = match by_use.iter().position(|&known| known == number) {
                Some(at) => {
                    by_use.remove(at);
                    Lookup::Known(ids[&number])
                }
                None if by_use.len() < capacity as usize => Lookup::New(by_use.len() as u32),
                None => Lookup::Reused(ids.remove(&by_use.remove(0)).unwrap()),
            };
            by_use.push(number);
            ids.insert(number, wanted.id());
            assert_eq!(table.look_up(&key(number)), wanted);
        }
    }

    #[test]
    fn chains_stay_short() {
        let mut table = IdTable::new(4096, 5);
        for number in 0..4096 {
            table.look_up(&key(number));
        }
        let mut lengths = vec![0; table.buckets.len()];
        table.entries.iter().for_each(|entry| lengths[entry.bucket as usize] += 1);
        // 4096 keys in 4096 buckets: 11 or more in one of them has a probability of 10^-4
        assert!(lengths.iter().all(|&length| length <= 10));
    }
}

//! The set-associative hash that assigns flows to queues with few collisions.

use crate::list::NONE;
use alloc::vec;
use alloc::vec::Vec;

/// Number of buckets in a set, among which a flow may choose if its home bucket is taken.
pub(super) const WAYS: u32 = 8;

/// Buckets, each with the hash of the last flow that used it and the number of its queue.
pub(super) struct SetAssociativeHash {
    tags: Vec<u32>,
    queues: Vec<u32>,
}

impl SetAssociativeHash {
    pub(super) fn new(buckets: u32) -> Self {
        Self { tags: vec![NONE; buckets as usize], queues: vec![NONE; buckets as usize] }
    }

    /// The queue of a bucket; `NONE` if it has none yet.
    pub(super) fn queue(&self, bucket: u32) -> u32 {
        self.queues[bucket as usize]
    }

    pub(super) fn set_queue(&mut self, bucket: u32, queue: u32) {
        self.queues[bucket as usize] = queue;
    }

    /// The queue of the flow with this hash, if it has one.
    pub(super) fn known(&self, hash: u32) -> Option<u32> {
        let bucket = set(hash, self.tags.len() as u32).find(|&bucket| self.tags[bucket as usize] == hash)?;
        Some(self.queues[bucket as usize]).filter(|&queue| queue != NONE)
    }

    /// The bucket for the flow with this hash, and whether the flow is new to that bucket. The choice is the home
    /// bucket if it already belongs to the flow; else another bucket of the set that already belongs to it; else the
    /// first bucket of the set whose queue is not `busy`; else the home bucket, shared.
    pub(super) fn find(&mut self, hash: u32, busy: impl Fn(u32) -> bool) -> (u32, bool) {
        let buckets = self.tags.len() as u32;
        let own = own(hash, buckets);
        if self.tags[own as usize] == hash {
            return (own, false);
        }
        let set = set(hash, buckets);
        if let Some(bucket) = set.clone().find(|&bucket| self.tags[bucket as usize] == hash) {
            return (bucket, false);
        }
        let is_free = |bucket: u32| {
            let queue = self.queues[bucket as usize];
            queue == NONE || !busy(queue)
        };
        let bucket = set.clone().find(|&bucket| is_free(bucket)).unwrap_or(own);
        self.tags[bucket as usize] = hash;
        (bucket, true)
    }
}

/// The home bucket of a hash.
fn own(hash: u32, buckets: u32) -> u32 {
    ((u64::from(hash) * u64::from(buckets)) >> 32) as u32
}

/// The buckets that the flow with this hash may use, its home bucket first.
fn set(hash: u32, buckets: u32) -> impl Iterator<Item = u32> + Clone {
    let own = own(hash, buckets);
    let first = own - own % WAYS;
    let ways = WAYS.min(buckets - first);
    (0..ways).map(move |i| first + (own - first + i) % ways)
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Rng;

    /// Hashes whose home bucket among 16 is `bucket`.
    fn hashes(bucket: u32, n: u32) -> impl Iterator<Item = u32> {
        (0..n).map(move |i| (bucket << 28) + i)
    }

    #[test]
    fn eight_flows_of_one_bucket_are_kept_apart_and_the_ninth_shares_it() {
        let mut ways = SetAssociativeHash::new(16);
        for (i, hash) in hashes(3, 8).enumerate() {
            // from the home bucket on, cyclically through the set
            assert_eq!(ways.find(hash, |_| true), ((3 + i as u32) % 8, true));
            ways.set_queue((3 + i as u32) % 8, i as u32);
        }
        assert_eq!(ways.find((3 << 28) + 8, |_| true), (3, true));
        assert_eq!(ways.find((3 << 28) + 8, |_| true), (3, false));
        // the other set is untouched
        assert_eq!(ways.find(9 << 28, |_| true), (9, true));
    }

    #[test]
    fn a_flow_finds_its_bucket_again() {
        let mut ways = SetAssociativeHash::new(16);
        let buckets: Vec<u32> = hashes(3, 8)
            .map(|hash| {
                let (bucket, _) = ways.find(hash, |_| true);
                ways.set_queue(bucket, bucket);
                bucket
            })
            .collect();
        let again: Vec<(u32, bool)> = hashes(3, 8).map(|hash| ways.find(hash, |_| true)).collect();
        assert_eq!(again, buckets.iter().map(|&bucket| (bucket, false)).collect::<Vec<_>>());
    }

    #[test]
    fn an_idle_queue_is_taken_over() {
        let mut ways = SetAssociativeHash::new(16);
        assert_eq!(ways.find(3 << 28, |_| true), (3, true));
        ways.set_queue(3, 0);
        assert_eq!(ways.find((3 << 28) + 1, |_| false), (3, true));
    }

    #[test]
    fn a_hundred_flows_hardly_ever_share() {
        // RFC 8290, section 5.3: no collision among 100 flows in 1024 queues is all but certain with 8 ways
        let shares = |seed: u64| {
            let mut rng = Rng::stream(seed, "ways");
            let mut ways = SetAssociativeHash::new(1024);
            let mut seen = [false; 1024];
            (0..100).any(|_| {
                let (bucket, _) = ways.find(rng.bits() as u32, |_| true);
                ways.set_queue(bucket, bucket);
                core::mem::replace(&mut seen[bucket as usize], true)
            })
        };
        let collisions = (0..2000).filter(|&seed| shares(seed)).count();
        assert!(collisions <= 2, "{collisions} of 2000");
    }
}

//! Finds the queue that loses a packet: the longest queue under deficit round robin.

use super::drr_queues::Queue;
use super::upper_bound_heap::UpperBoundHeap;
use core::cmp::Reverse;

/// Finds the longest queue; of equally long queues, the queue that is served soonest, so that flow numbers do not
/// matter.
///
/// A length is a number of packets or bytes. A queue falls in this order when it gets shorter and when its turn ends;
/// neither needs to be reported.
#[derive(Clone, Debug)]
pub(super) struct LongestQueue(UpperBoundHeap<(u64, Reverse<u64>)>);

impl LongestQueue {
    pub(super) const fn new() -> Self {
        Self(UpperBoundHeap::new())
    }

    /// Like [`UpperBoundHeap::reserve`].
    pub(super) fn reserve(&mut self, queues: u32) {
        self.0.reserve(queues);
    }

    /// Queue `id` has grown to this length.
    #[inline]
    pub(super) fn on_grown(&mut self, id: u32, length: u64, queue: &Queue) {
        self.0.raise(id, || (length, Reverse(queue.position())));
    }

    /// The longest of the queues; `None` if all are empty.
    pub(super) fn id(&mut self, queues: &[Queue], length: impl Fn(&Queue) -> u64) -> Option<u32> {
        let key = |id: u32| {
            let queue = &queues[id as usize];
            (queue.packets() > 0).then(|| (length(queue), Reverse(queue.position())))
        };
        self.0.top(queues.len() as u32, key).map(|(_, id)| id)
    }
}

//! The parts of the networks that these tests simulate.

use penstock_tcp::{PacketSink, Segment};
use std::collections::BTreeMap;

/// Events in the order of their times, in nanoseconds; those of one time in the order in which they were scheduled.
pub(crate) struct Events<E> {
    queue: BTreeMap<(u64, u64), E>,
    scheduled: u64,
}

impl<E> Events<E> {
    pub(crate) fn new() -> Self {
        Self { queue: BTreeMap::new(), scheduled: 0 }
    }

    pub(crate) fn schedule(&mut self, at: u64, event: E) {
        self.scheduled += 1;
        self.queue.insert((at, self.scheduled), event);
    }

    /// Removes the next event: its time, and the event.
    pub(crate) fn pop(&mut self) -> Option<(u64, E)> {
        self.queue.pop_first().map(|((at, _), event)| (at, event))
    }
}

/// The segments that the sender has just sent.
#[derive(Default)]
pub(crate) struct Outbox(Vec<Segment>);

impl Outbox {
    pub(crate) fn take(&mut self) -> Vec<Segment> {
        std::mem::take(&mut self.0)
    }
}

impl PacketSink for Outbox {
    fn transmit(&mut self, segment: Segment) {
        self.0.push(segment);
    }
}

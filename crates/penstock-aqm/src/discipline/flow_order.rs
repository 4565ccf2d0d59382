//! Round robin by packets over flows: a queue for each flow, one packet of each in turn, empty queues skipped.

use crate::per_flow::PerFlow;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// No place.
const NONE: u32 = u32::MAX;

/// Things of flows, handed out one of each flow in turn; those of one flow in their order. O(1) time, O(flows) memory.
pub(super) struct FlowOrder<W> {
    places: Vec<Place<W>>,
    /// The first of the chained free places.
    free: u32,
    flows: PerFlow<Chain>,
    /// Flows that have something, the next one first.
    turns: VecDeque<u32>,
    len: u32,
}

struct Place<W> {
    thing: Option<W>,
    next: u32,
}

/// The places of the first and the last thing of a flow.
#[derive(Clone, Copy)]
struct Chain {
    first: u32,
    last: u32,
}

impl Default for Chain {
    fn default() -> Self {
        Self { first: NONE, last: NONE }
    }
}

impl<W> FlowOrder<W> {
    pub(super) fn new() -> Self {
        Self { places: Vec::new(), free: NONE, flows: PerFlow::new(), turns: VecDeque::new(), len: 0 }
    }

    /// Make room for this many things, of flows with numbers below `flows`.
    pub(super) fn reserve(&mut self, things: u32, flows: u32) {
        self.places.reserve(things as usize);
        self.flows.reserve(flows);
        self.turns.reserve(flows.min(things) as usize);
    }

    pub(super) fn push(&mut self, flow: u32, thing: W) {
        let place = Place { thing: Some(thing), next: NONE };
        let index = if self.free == NONE {
            self.places.push(place);
            self.places.len() as u32 - 1
        } else {
            let index = self.free;
            self.free = core::mem::replace(&mut self.places[index as usize], place).next;
            index
        };
        let chain = self.flows.of(flow);
        if chain.first == NONE {
            chain.first = index;
            self.turns.push_back(self.flows.index(flow));
        } else {
            self.places[chain.last as usize].next = index;
        }
        self.flows.of(flow).last = index;
        self.len += 1;
    }

    pub(super) fn pop(&mut self) -> Option<W> {
        let flow = self.turns.pop_front()?;
        let chain = self.flows.of(flow);
        let index = chain.first;
        let place = &mut self.places[index as usize];
        let thing = place.thing.take();
        chain.first = core::mem::replace(&mut place.next, self.free);
        self.free = index;
        if chain.first != NONE {
            self.turns.push_back(flow);
        }
        self.len -= 1;
        thing
    }

    /// What the next pop gives.
    pub(super) fn head(&self) -> Option<&W> {
        let chain = self.flows.get(*self.turns.front()?)?;
        self.places[chain.first as usize].thing.as_ref()
    }

    pub(super) fn len(&self) -> u32 {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_take_turns_and_empty_ones_are_skipped() {
        let mut flows = FlowOrder::new();
        for thing in ["a1", "a2", "a3", "b1", "c1", "c2"] {
            flows.push(u32::from(thing.as_bytes()[0] - b'a'), thing);
        }
        assert_eq!(flows.len(), 6);
        let order: Vec<_> = core::iter::from_fn(|| flows.pop()).collect();
        assert_eq!(order, ["a1", "b1", "c1", "a2", "c2", "a3"]);
        assert_eq!((flows.len(), flows.head()), (0, None));
    }
}

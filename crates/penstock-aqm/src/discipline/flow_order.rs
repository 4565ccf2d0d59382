//! Round robin by packets over flows: a queue for each flow, one packet of each in turn, empty queues skipped.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Things of flows, handed out one of each flow in turn; those of one flow in their order. O(1) time, O(flows) memory.
pub(super) struct FlowOrder<W> {
    flows: Vec<VecDeque<W>>,
    /// Flows that have something, the next one first.
    turns: VecDeque<u32>,
    len: u32,
}

impl<W> FlowOrder<W> {
    pub(super) fn new() -> Self {
        Self { flows: Vec::new(), turns: VecDeque::new(), len: 0 }
    }

    pub(super) fn push(&mut self, flow: u32, thing: W) {
        let at = flow as usize;
        if at >= self.flows.len() {
            self.flows.resize_with(at + 1, VecDeque::new);
        }
        if self.flows[at].is_empty() {
            self.turns.push_back(flow);
        }
        self.flows[at].push_back(thing);
        self.len += 1;
    }

    pub(super) fn pop(&mut self) -> Option<W> {
        let flow = self.turns.pop_front()?;
        let queue = &mut self.flows[flow as usize];
        let thing = queue.pop_front();
        if !queue.is_empty() {
            self.turns.push_back(flow);
        }
        self.len -= 1;
        thing
    }

    /// What the next pop gives.
    pub(super) fn head(&self) -> Option<&W> {
        self.turns.front().and_then(|&flow| self.flows[flow as usize].front())
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

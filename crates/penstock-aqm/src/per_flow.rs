//! State for each flow, in vectors by flow id.
//!
//! Flow ids are dense: from 0, with few gaps. In the simulator they are numbers of flows; on a real link an [`IdTable`]
//! maps 5-tuples to them. The size of a vector must not depend on an id that is not dense, so ids at or above a bound
//! share the state of lower ids.
//!
//! [`IdTable`]: crate::IdTable

use alloc::vec::Vec;

/// Number of flow ids that a queue distinguishes unless [`crate::Discipline::reserve`] asks for more. Ids from this
/// number on are taken modulo this number.
pub const MAX_FLOWS: u32 = 1 << 20;

/// Maps any flow id to an id below a bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowBound(u32);

impl FlowBound {
    pub(crate) const fn new() -> Self {
        Self(MAX_FLOWS)
    }

    /// The id itself if it is below the bound.
    #[inline]
    pub(crate) const fn index(self, flow: u32) -> u32 {
        if flow < self.0 { flow } else { flow % self.0 }
    }

    /// Distinguish at least this many ids.
    pub(crate) fn raise(&mut self, flows: u32) {
        self.0 = self.0.max(flows);
    }
}

/// One `T` for each flow, in a vector that grows with the ids.
#[derive(Clone, Debug)]
pub(crate) struct PerFlow<T> {
    flows: Vec<T>,
    bound: FlowBound,
}

impl<T: Default> Default for PerFlow<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Default> PerFlow<T> {
    pub(crate) const fn new() -> Self {
        Self { flows: Vec::new(), bound: FlowBound::new() }
    }

    /// Make room for ids below `flows`, so that they cause no further allocation.
    pub(crate) fn reserve(&mut self, flows: u32) {
        self.bound.raise(flows);
        if self.flows.len() < flows as usize {
            self.flows.resize_with(flows as usize, T::default);
        }
    }

    #[inline]
    pub(crate) fn of(&mut self, flow: u32) -> &mut T {
        let known = (flow as usize) < self.flows.len();
        let flow = if known { flow as usize } else { self.reach(flow) };
        &mut self.flows[flow]
    }

    /// The id below the bound whose state a flow has.
    pub(crate) const fn index(&self, flow: u32) -> u32 {
        self.bound.index(flow)
    }

    /// The state of a flow, if it has any.
    #[inline]
    pub(crate) fn get(&self, flow: u32) -> Option<&T> {
        self.flows.get(self.bound.index(flow) as usize)
    }

    /// Like [`PerFlow::get`], but mutable.
    pub(crate) fn get_mut(&mut self, flow: u32) -> Option<&mut T> {
        self.flows.get_mut(self.bound.index(flow) as usize)
    }

    /// The states of all flows, by their ids below the bound.
    pub(crate) fn all_mut(&mut self) -> &mut [T] {
        &mut self.flows
    }

    /// The index of a flow whose id is not in the vector; the vector then has it.
    #[cold]
    fn reach(&mut self, flow: u32) -> usize {
        let flow = self.bound.index(flow) as usize;
        if flow >= self.flows.len() {
            self.flows.resize_with(flow + 1, T::default);
        }
        flow
    }

    /// All states with their flow ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.flows.iter().enumerate().map(|(flow, state)| (flow as u32, state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_beyond_the_bound_share_the_state_of_lower_ones() {
        let mut counts = PerFlow::<u32>::new();
        for flow in [0, 5, u32::MAX, MAX_FLOWS - 1, MAX_FLOWS + 5] {
            *counts.of(flow) += 1;
        }
        let counted: Vec<_> =
            counts.iter().filter(|(_, count)| **count > 0).map(|(flow, count)| (flow, *count)).collect();
        assert_eq!(counted, [(0, 1), (5, 2), (MAX_FLOWS - 1, 2)]);
        assert_eq!((counts.get(u32::MAX), counts.get(7)), (Some(&2), Some(&0)));
    }

    #[test]
    fn more_ids_are_distinguished_once_they_are_reserved() {
        let mut counts = PerFlow::<u8>::new();
        counts.reserve(MAX_FLOWS + 10);
        *counts.of(MAX_FLOWS + 9) += 1;
        *counts.of(9) += 2;
        assert_eq!((counts.get(MAX_FLOWS + 9), counts.get(9)), (Some(&1), Some(&2)));
    }
}

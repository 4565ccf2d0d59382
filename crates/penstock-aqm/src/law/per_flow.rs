//! What a law keeps for each flow.

use alloc::vec::Vec;

/// One `T` for each flow, in a vector that grows with the flows that come: their numbers are dense.
#[derive(Clone, Debug)]
pub(crate) struct PerFlow<T>(Vec<T>);

impl<T: Default> PerFlow<T> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    #[inline]
    pub(crate) fn of(&mut self, flow: u32) -> &mut T {
        let flow = flow as usize;
        if flow >= self.0.len() {
            self.0.resize_with(flow + 1, T::default);
        }
        &mut self.0[flow]
    }

    /// What there is, with the numbers of the flows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.0.iter().enumerate().map(|(flow, kept)| (flow as u32, kept))
    }
}

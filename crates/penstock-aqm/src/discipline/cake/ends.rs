//! The hosts at both ends of a queue.

/// The hosts of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) src: u32,
    pub(super) dst: u32,
}

/// List number: the queues of a source that are in the round robin.
pub(super) const SRC: usize = 1;
/// List number: the queues of a destination that are in the round robin.
pub(super) const DST: usize = 2;

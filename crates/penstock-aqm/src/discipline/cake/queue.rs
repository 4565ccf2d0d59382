//! One queue of CAKE.

use super::super::packet_slab::SlabQueue;
use super::ends::Ends;
use super::rounding::Dithers;
use super::turns::Turn;
use crate::algorithm::cobalt::Cobalt;
use crate::list::{Linked, Links};

/// The list of its tin in which a queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// In no list; the AQM is at rest.
    Idle,
    /// In the list of sparse queues.
    Sparse,
    /// In the list of bulk queues for its next turn, but still counted as sparse, since it was empty when its credit
    /// ran out.
    Waiting,
    /// In the list of bulk queues.
    Bulk,
    /// Empty, but its AQM has not yet come to rest.
    Decaying,
}

pub(super) struct Queue {
    pub(super) waiting: SlabQueue,
    pub(super) deficit: i64,
    pub(super) set: Set,
    pub(super) tin: u8,
    /// In the list of its set, and in the lists of its source and its destination.
    pub(super) links: [Links; 3],
    pub(super) ends: Ends,
    pub(super) turn: Turn,
    pub(super) dithers: Dithers,
    pub(super) aqm: Cobalt,
}

impl Queue {
    /// An empty queue of this tin.
    pub(super) fn new(tin: u8, ends: Ends, dithers: Dithers, aqm: Cobalt) -> Self {
        Self {
            waiting: SlabQueue::EMPTY,
            deficit: 0,
            set: Set::Idle,
            tin,
            links: [Links::NONE; 3],
            ends,
            turn: Turn::NEW,
            dithers,
            aqm,
        }
    }
}

impl<const LIST: usize> Linked<LIST> for Queue {
    #[inline]
    fn links(&self) -> &Links {
        &self.links[LIST]
    }
    #[inline]
    fn links_mut(&mut self) -> &mut Links {
        &mut self.links[LIST]
    }
}

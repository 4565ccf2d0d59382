//! A link that changes during the run, and its entries of the event queue.

use crate::packet::SimPacket;
use penstock_link::{LinkChanges, ReorderedPackets};

/// A link that changes. All its changes share one entry of the event queue.
pub(crate) struct ChangingLink {
    /// Number of its port.
    pub(crate) port: u32,
    /// Rank of its changes in the event queue.
    pub(crate) rank: u32,
    pub(crate) changes: LinkChanges,
    pub(crate) reordered: Option<Reordered>,
}

/// The reordered packets in flight, of a link that reorders.
pub(crate) struct Reordered {
    /// Rank of their arrivals in the event queue.
    pub(crate) rank: u32,
    pub(crate) packets: ReorderedPackets<SimPacket>,
}

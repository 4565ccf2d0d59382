//! Packets that others overtake on a link: each arrives when its own delay is over, wherever it was sent.

use crate::packet::SimPacket;
use penstock_core::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The overtaken packets that are under way on one link.
pub(crate) struct Overtaken {
    /// Rank of the first of them in the agenda.
    rank: u32,
    packets: BinaryHeap<Reverse<Coming>>,
    /// How many there have been.
    count: u64,
}

/// A packet and when it arrives; of packets that arrive together the one sent first comes first.
struct Coming {
    at: Time,
    number: u64,
    packet: SimPacket,
}

impl Overtaken {
    /// None yet, with this rank in the agenda.
    pub(crate) fn new(rank: u32) -> Self {
        Self { rank, packets: BinaryHeap::new(), count: 0 }
    }

    /// Their rank in the agenda.
    pub(crate) fn rank(&self) -> u32 {
        self.rank
    }

    /// When the first of them arrives, if there are any.
    pub(crate) fn next(&self) -> Time {
        self.packets.peek().map_or(Time::NEVER, |Reverse(first)| first.at)
    }

    /// The packet will arrive at `at`.
    pub(crate) fn push(&mut self, at: Time, packet: &SimPacket) {
        self.packets.push(Reverse(Coming { at, number: self.count, packet: *packet }));
        self.count += 1;
    }

    /// Take the first of them.
    pub(crate) fn pop(&mut self) -> Option<SimPacket> {
        self.packets.pop().map(|Reverse(first)| first.packet)
    }

    /// All that are under way.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SimPacket> {
        self.packets.iter().map(|Reverse(coming)| &coming.packet)
    }
}

impl Ord for Coming {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

impl PartialOrd for Coming {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Coming {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Coming {}

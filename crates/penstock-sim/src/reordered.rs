//! Reordered packets: packets delayed on a link for longer than those behind them, which overtake them.

use crate::packet::SimPacket;
use penstock_core::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The reordered packets in flight on one link.
pub(crate) struct ReorderedPackets {
    /// Their rank in the event queue.
    rank: u32,
    packets: BinaryHeap<Reverse<InFlight>>,
    /// Number of packets so far.
    count: u64,
}

/// A packet and its arrival; of packets that arrive together the one sent first comes first.
struct InFlight {
    at: Time,
    number: u64,
    packet: SimPacket,
}

impl ReorderedPackets {
    /// None yet, with this rank in the event queue.
    pub(crate) fn new(rank: u32) -> Self {
        Self { rank, packets: BinaryHeap::new(), count: 0 }
    }

    /// Their rank in the event queue.
    pub(crate) fn rank(&self) -> u32 {
        self.rank
    }

    /// Arrival of the first of them, [`Time::NEVER`] if there is none.
    pub(crate) fn next(&self) -> Time {
        self.packets.peek().map_or(Time::NEVER, |Reverse(first)| first.at)
    }

    /// Add a packet that arrives at `at`.
    pub(crate) fn push(&mut self, at: Time, packet: &SimPacket) {
        self.packets.push(Reverse(InFlight { at, number: self.count, packet: *packet }));
        self.count += 1;
    }

    /// Take the first of them.
    pub(crate) fn pop(&mut self) -> Option<SimPacket> {
        self.packets.pop().map(|Reverse(first)| first.packet)
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SimPacket> {
        self.packets.iter().map(|Reverse(in_flight)| &in_flight.packet)
    }
}

impl Ord for InFlight {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

impl PartialOrd for InFlight {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for InFlight {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for InFlight {}

//! Reordered packets: packets delayed on a link for longer than those behind them, which overtake them.

use penstock_core::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The reordered packets in flight on one link.
pub struct ReorderedPackets<P> {
    packets: BinaryHeap<Reverse<InFlight<P>>>,
    /// Number of packets so far.
    count: u64,
}

/// A packet and its arrival; of packets that arrive together the one sent first comes first.
struct InFlight<P> {
    at: Time,
    number: u64,
    packet: P,
}

impl<P> Default for ReorderedPackets<P> {
    fn default() -> Self {
        Self { packets: BinaryHeap::new(), count: 0 }
    }
}

impl<P> ReorderedPackets<P> {
    /// Arrival of the first of them, [`Time::NEVER`] if there is none.
    pub fn next(&self) -> Time {
        self.packets.peek().map_or(Time::NEVER, |Reverse(first)| first.at)
    }

    /// Add a packet that arrives at `at`.
    pub fn push(&mut self, at: Time, packet: P) {
        self.packets.push(Reverse(InFlight { at, number: self.count, packet }));
        self.count += 1;
    }

    /// Take the first of them.
    pub fn pop(&mut self) -> Option<P> {
        self.packets.pop().map(|Reverse(first)| first.packet)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &P> {
        self.packets.iter().map(|Reverse(in_flight)| &in_flight.packet)
    }
}

impl<P> Ord for InFlight<P> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

impl<P> PartialOrd for InFlight<P> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> PartialEq for InFlight<P> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<P> Eq for InFlight<P> {}

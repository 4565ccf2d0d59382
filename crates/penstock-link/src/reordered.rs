//! Reordered packets: packets whose delay on a link is longer or shorter than that of the packets around them.

use crate::correlated::CorrelatedChance;
use crate::spec::{Draw, ReorderSpec};
use penstock_core::{Rng, Span, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How packets are reordered: which ones, and by how much.
pub(crate) struct Reordering {
    chance: Chance,
    /// Number of packets that keep their place after a reordered one: netem's gap minus 1.
    pause: u64,
    /// Packets since the last reordered one, or since the start.
    kept: u64,
    delay: Option<Draw>,
    rng: Rng,
}

/// How it is decided whether a packet is selected.
enum Chance {
    /// By the random stream of the delay.
    Independent(f64),
    /// By its own random stream.
    Correlated(CorrelatedChance),
}

/// The place of a packet among the others.
pub(crate) enum Place {
    /// In order.
    InOrder,
    /// Later than in order, by this time.
    Late(Span),
    /// Without the propagation delay of the link.
    Undelayed,
}

impl Reordering {
    /// The reordering of the link called `link`.
    pub(crate) fn new(spec: &ReorderSpec, seed: u64, link: &str) -> Self {
        let chance = if spec.correlation == 0.0 {
            Chance::Independent(spec.rate)
        } else {
            let rng = Rng::stream(seed, format_args!("{link}.reorder.chance"));
            Chance::Correlated(CorrelatedChance::new(spec.rate, spec.correlation, rng))
        };
        let rng = Rng::stream(seed, format_args!("{link}.reorder"));
        Self { chance, pause: spec.gap.saturating_sub(1), kept: 0, delay: spec.delay.clone(), rng }
    }

    /// The place of the next packet.
    pub(crate) fn draw(&mut self) -> Place {
        let is_selected = self.kept >= self.pause
            && match &mut self.chance {
                Chance::Independent(rate) => self.rng.chance(*rate),
                Chance::Correlated(chance) => chance.happens(),
            };
        if !is_selected {
            self.kept += 1;
            return Place::InOrder;
        }
        self.kept = 0;
        self.delay.as_ref().map_or(Place::Undelayed, |delay| Place::Late(delay.span(&mut self.rng)))
    }
}

/// The reordered packets in flight on one link.
pub struct ReorderedPackets<P> {
    packets: BinaryHeap<Reverse<InFlight<P>>>,
    /// Number of packets so far.
    count: u64,
}

/// A packet and its arrival; if packets arrive together, the packet sent first comes first.
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
    /// Arrival of the first packet, [`Time::NEVER`] if there is none.
    pub fn next(&self) -> Time {
        self.packets.peek().map_or(Time::NEVER, |Reverse(first)| first.at)
    }

    /// Add a packet that arrives at `at`.
    pub fn push(&mut self, at: Time, packet: P) {
        self.packets.push(Reverse(InFlight { at, number: self.count, packet }));
        self.count += 1;
    }

    /// Take the first packet.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn places(rate: f64, correlation: f64, gap: u64, count: usize) -> Vec<bool> {
        let spec = ReorderSpec { rate, correlation, gap, delay: None };
        let mut reordering = Reordering::new(&spec, 1, "link");
        (0..count).map(|_| matches!(reordering.draw(), Place::Undelayed)).collect()
    }

    #[test]
    fn with_a_gap_and_certainty_every_nth_packet_is_reordered() {
        let numbers: Vec<usize> =
            places(1.0, 0.0, 5, 20).iter().enumerate().filter_map(|(i, &is)| is.then_some(i)).collect();
        assert_eq!(numbers, [4, 9, 14, 19]);
    }

    /// Between two reordered packets, 4 packets keep their place, and after them a geometric number with mean (1 - p) /
    /// p.
    #[test]
    fn after_a_gap_each_packet_is_reordered_with_the_rate() {
        let count = places(0.25, 0.0, 5, 700_000).iter().filter(|&&is| is).count() as f64;
        assert!((count / (700_000.0 / 8.0) - 1.0).abs() < 0.01, "{count}");
    }

    /// The distribution of netem's numbers at 1/4 for a correlation of a half is 5/72, as in `correlated.rs`.
    #[test]
    fn correlation_selects_by_the_recursion() {
        let count = places(0.25, 0.5, 1, 1_000_000).iter().filter(|&&is| is).count() as f64 / 1e6;
        assert!((count - 5.0 / 72.0).abs() < 0.002, "{count}");
    }
}

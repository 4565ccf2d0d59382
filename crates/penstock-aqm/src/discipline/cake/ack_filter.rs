//! The ACK filter: a newly queued pure acknowledgement removes an older one that it makes redundant.
//!
//! T. Høiland-Jørgensen, "sch_cake: Add optional ACK filter", commit message, 2018; RFC 2018 (SACK).

use crate::list::{self, Linked, Links, List};
use alloc::vec::Vec;
use penstock_core::PureAck;
use penstock_core::pure_ack::{Block, is_at_most};

penstock_core::choice! {
    /// Which of the redundant acknowledgements are removed.
    pub enum AckFiltering {
        /// Nothing.
        Off = "off",
        /// The first of two redundant acknowledgements.
        Conservative = "conservative",
        /// The first redundant one.
        Aggressive = "aggressive",
    }
}

/// The pure acknowledgements that wait in the queues.
pub(super) struct AckFilter {
    /// Number of redundant acknowledgements at which the first of them is removed.
    needed: usize,
    /// Indexed by the slots of their packets.
    acks: Vec<Waiting>,
    /// Acknowledgements of each flow, in the order of arrival.
    flows: Vec<List>,
}

#[derive(Clone, Copy)]
struct Waiting {
    flow: u32,
    queue: u32,
    /// `None` in the slots of other packets and in free slots.
    ack: Option<PureAck>,
    links: Links,
}

impl Waiting {
    const NONE: Self = Self { flow: 0, queue: 0, ack: None, links: Links::NONE };

    fn is_redundant_to(&self, queue: u32, newer: &PureAck) -> bool {
        self.queue == queue && self.ack.is_some_and(|ack| is_redundant(&ack, newer))
    }
}

impl Linked for Waiting {
    fn links(&self) -> &Links {
        &self.links
    }
    fn links_mut(&mut self) -> &mut Links {
        &mut self.links
    }
}

impl AckFilter {
    /// The filter of this kind; `None` if there is none.
    pub(super) fn new(filtering: AckFiltering) -> Option<Self> {
        let needed = match filtering {
            AckFiltering::Off => return None,
            AckFiltering::Conservative => 2,
            AckFiltering::Aggressive => 1,
        };
        Some(Self { needed, acks: Vec::new(), flows: Vec::new() })
    }

    /// Make room for this many packets and flows.
    pub(super) fn reserve(&mut self, packets: u32, flows: u32) {
        self.acks.reserve(packets as usize);
        self.flows.reserve(flows as usize);
    }

    /// A pure acknowledgement of this flow was appended to queue `queue`, in this slot. Returns the slot of the
    /// acknowledgement to remove, if any.
    pub(super) fn arrive(&mut self, queue: u32, slot: u32, flow: u32, ack: PureAck) -> Option<u32> {
        let (place, index) = (flow as usize, slot as usize);
        if self.flows.len() <= place {
            self.flows.resize(place + 1, List::EMPTY);
        }
        if self.acks.len() <= index {
            self.acks.resize(index + 1, Waiting::NONE);
        }
        let redundant = self.first_redundant(queue, flow, &ack);
        self.acks[index] = Waiting { flow, queue, ack: Some(ack), links: Links::NONE };
        self.flows[place].push(&mut self.acks, slot);
        redundant
    }

    /// The first acknowledgement that the new one makes redundant; `None` if too few are redundant to remove one.
    fn first_redundant(&self, queue: u32, flow: u32, ack: &PureAck) -> Option<u32> {
        let acks = &self.acks;
        let waiting = core::iter::successors(self.flows[flow as usize].head(), |&slot| list::next::<0, _>(acks, slot));
        let mut redundant = waiting.filter(|&slot| acks[slot as usize].is_redundant_to(queue, ack));
        let first = redundant.next();
        if self.needed > 1 && redundant.nth(self.needed - 2).is_none() { None } else { first }
    }

    /// The packet in this slot leaves its queue.
    #[inline]
    pub(super) fn depart(&mut self, slot: u32) {
        let Some(waiting) = self.acks.get_mut(slot as usize) else { return };
        if waiting.ack.take().is_some() {
            let flow = waiting.flow as usize;
            self.flows[flow].remove(&mut self.acks, slot);
        }
    }

    /// Flow number `flow` is reused by another flow: forget the waiting acknowledgements of the old flow.
    pub(super) fn forget_flow(&mut self, flow: u32) {
        while let Some(slot) = self.flows.get(flow as usize).and_then(List::head) {
            self.depart(slot);
        }
    }
}

/// Whether `newer` makes `older` redundant. `newer` must acknowledge everything that `older` does, SACK blocks
/// included, and more; so a duplicate without new blocks makes nothing redundant. The flags must be the same, so that
/// each change of ECN feedback is kept (RFC 9768, section 3.3.3). The timestamp of `newer` must not be older, and
/// `older` must have no other options.
fn is_redundant(older: &PureAck, newer: &PureAck) -> bool {
    let is_newer = match (older.timestamp, newer.timestamp) {
        (None, None) => true,
        (Some(old), Some(new)) => is_at_most(old, new),
        _ => false,
    };
    let is_same = (older.connection, older.ace) == (newer.connection, newer.ace);
    is_same && is_newer && !older.has_other_options && acknowledges(newer, older) && !acknowledges(older, newer)
}

/// Whether `ack` acknowledges all that `other` does.
fn acknowledges(ack: &PureAck, other: &PureAck) -> bool {
    let covers = |block: &Block| {
        let within = |wide: &Block| is_at_most(wide.start, block.start) && is_at_most(block.end, wide.end);
        is_at_most(block.end, ack.number) || ack.blocks.iter().any(within)
    };
    is_at_most(other.number, ack.number) && other.blocks.iter().all(covers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(number: u32) -> PureAck {
        PureAck { number, ..PureAck::default() }
    }

    fn sack(number: u32, blocks: &[(u32, u32)]) -> PureAck {
        PureAck { blocks: blocks.iter().map(|&(start, end)| Block { start, end }).collect(), ..ack(number) }
    }

    #[test]
    fn an_acknowledgement_of_fewer_bytes_is_redundant() {
        assert!(is_redundant(&ack(40), &ack(50)));
        assert!(!is_redundant(&ack(50), &ack(40)));
        assert!(!is_redundant(&ack(40), &ack(40)), "a duplicate");
        assert!(is_redundant(&ack(u32::MAX - 9), &ack(10)), "numbers wrap");
    }

    #[test]
    fn sack_blocks_must_be_covered() {
        let older = sack(40, &[(60, 70), (80, 90)]);
        assert!(!is_redundant(&older, &ack(40)));
        assert!(!is_redundant(&older, &ack(50)));
        assert!(!is_redundant(&older, &sack(50, &[(60, 70)])));
        assert!(is_redundant(&older, &sack(50, &[(80, 95), (60, 70)])));
        assert!(is_redundant(&older, &sack(75, &[(80, 90)])), "the first block is below the number");
        assert!(is_redundant(&older, &ack(90)));
    }

    #[test]
    fn a_duplicate_is_redundant_only_to_one_with_more_blocks() {
        let older = sack(40, &[(60, 70)]);
        assert!(!is_redundant(&older, &older));
        assert!(is_redundant(&older, &sack(40, &[(60, 80)])));
        assert!(is_redundant(&ack(40), &older));
        assert!(!is_redundant(&sack(40, &[(60, 80)]), &older));
    }

    #[test]
    fn flags_connection_options_and_time_must_fit() {
        let newer = PureAck { ace: 3, timestamp: Some(7), ..ack(50) };
        let older = PureAck { number: 40, ..newer };
        assert!(is_redundant(&older, &newer));
        for other in [
            PureAck { ace: 2, ..older },
            PureAck { connection: 1, ..older },
            PureAck { has_other_options: true, ..older },
            PureAck { timestamp: Some(8), ..older },
            PureAck { timestamp: None, ..older },
        ] {
            assert!(!is_redundant(&other, &newer), "{other:?}");
        }
        assert!(is_redundant(&PureAck { timestamp: Some(6), ..older }, &newer));
        assert!(is_redundant(&older, &PureAck { has_other_options: true, ..newer }));
    }
}

//! Classification of packets by their headers.
//!
//! A behaviour aggregate classifier uses the codepoint alone, a multi-field classifier also other fields (S. Blake et
//! al., "An Architecture for Differentiated Services", RFC 2475, section 2.3.1). The classes are tried in order, and
//! the first match takes the packet. A class without conditions matches every packet, so it makes sense only at the
//! end. A packet that matches no class belongs to the last class, since a scheduler has to put it somewhere, and the
//! last class of a list is expected to take the rest.

use alloc::vec::Vec;
use penstock_core::PacketMeta;
use penstock_core::param::Match;

/// Finds the class of a packet in O(classes) time, independent of the number of flows.
#[derive(Clone, Debug)]
pub struct Classifier {
    rules: Vec<Rule>,
}

/// A [`Match`] that is quick to look up.
#[derive(Clone, Debug)]
struct Rule {
    /// One bit for each codepoint.
    dscp: u64,
    /// One bit for each ECN field.
    ecn: u8,
    /// Ranges with both ends included, in order and without overlap.
    flows: Option<Vec<(u32, u32)>>,
    from: Option<Vec<u32>>,
    to: Option<Vec<u32>>,
    protocol: Option<Vec<u8>>,
    size: (u32, u32),
}

impl Classifier {
    /// Classes with these matches, numbered in their order.
    pub fn new<'a>(matches: impl IntoIterator<Item = &'a Match>) -> Self {
        Self { rules: matches.into_iter().map(Rule::new).collect() }
    }

    /// The number of the first class that fits, else of the last class.
    ///
    /// `packet.rare` must be set if [`Classifier::names_hosts`]; without it no class that names hosts fits.
    pub fn class_of(&self, packet: &PacketMeta) -> usize {
        let fitting = self.rules.iter().position(|rule| rule.fits(packet));
        fitting.unwrap_or(self.rules.len().saturating_sub(1))
    }

    /// Whether a class filters by hosts, which need [`PacketMeta::rare`].
    pub fn names_hosts(&self) -> bool {
        self.rules.iter().any(|rule| rule.from.is_some() || rule.to.is_some())
    }
}

impl Rule {
    fn new(matches: &Match) -> Self {
        let bits = |bits: &mut dyn Iterator<Item = u8>| bits.fold(0, |all, bit| all | 1_u64 << (bit & 63));
        Self {
            dscp: if matches.dscp.is_empty() { u64::MAX } else { bits(&mut matches.dscp.iter().copied()) },
            ecn: if matches.ecn.is_empty() {
                u8::MAX
            } else {
                bits(&mut matches.ecn.iter().map(|&ecn| ecn as u8)) as u8
            },
            flows: some(&matches.flows).map(merged),
            from: some(&matches.from).map(sorted),
            to: some(&matches.to).map(sorted),
            protocol: some(&matches.protocol).map(sorted),
            size: matches.size.unwrap_or((0, u32::MAX)),
        }
    }

    fn fits(&self, packet: &PacketMeta) -> bool {
        let within = |ranges: &Vec<(u32, u32)>| {
            let next = ranges.partition_point(|&(low, _)| low <= packet.flow);
            next > 0 && packet.flow <= ranges[next - 1].1
        };
        let host = |hosts: &Option<Vec<u32>>, host: Option<u32>| {
            hosts.as_ref().is_none_or(|hosts| host.is_some_and(|host| hosts.binary_search(&host).is_ok()))
        };
        self.dscp >> (packet.dscp & 63) & 1 == 1
            && self.ecn >> (packet.ecn as u8) & 1 == 1
            && (self.size.0..=self.size.1).contains(&packet.size)
            && self.protocol.as_ref().is_none_or(|protocols| protocols.contains(&packet.protocol))
            && self.flows.as_ref().is_none_or(within)
            && host(&self.from, packet.rare.map(|rare| rare.src))
            && host(&self.to, packet.rare.map(|rare| rare.dst))
    }
}

/// An empty list is no condition.
fn some<T: Clone>(list: &[T]) -> Option<Vec<T>> {
    (!list.is_empty()).then(|| list.to_vec())
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list
}

/// The ranges in order, with overlapping and adjacent ranges merged.
fn merged(ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut apart: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
    for (low, high) in sorted(ranges) {
        match apart.last_mut() {
            Some((_, end)) if low <= end.saturating_add(1) => *end = (*end).max(high),
            _ => apart.push((low, high)),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::{Ecn, Rare};

    fn packet() -> PacketMeta {
        let rare = Some(Rare { src: 3, dst: 7, ..Rare::default() });
        PacketMeta { flow: 5, size: 1000, ecn: Ecn::Ect0, dscp: 46, protocol: 17, rare }
    }

    /// Whether a class with this match takes the packet before a catch-all class does.
    fn takes(matches: &Match, packet: &PacketMeta) -> bool {
        Classifier::new([matches, &Match::default()]).class_of(packet) == 0
    }

    #[test]
    fn each_key_is_a_list_of_which_one_must_fit() {
        let any = Match::default;
        for (yes, no) in [
            (Match { dscp: vec![0, 46], ..any() }, Match { dscp: vec![0, 10], ..any() }),
            (Match { flows: vec![(9, 9), (4, 5)], ..any() }, Match { flows: vec![(9, 9), (0, 4)], ..any() }),
            (Match { from: vec![9, 3], ..any() }, Match { from: vec![7], ..any() }),
            (Match { to: vec![7], ..any() }, Match { to: vec![3], ..any() }),
            (Match { protocol: vec![17], ..any() }, Match { protocol: vec![6], ..any() }),
            (Match { ecn: vec![Ecn::Ect0], ..any() }, Match { ecn: vec![Ecn::Ect1, Ecn::Not], ..any() }),
            (Match { size: Some((0, 1000)), ..any() }, Match { size: Some((0, 999)), ..any() }),
        ] {
            assert!(takes(&yes, &packet()), "{yes:?}");
            assert!(!takes(&no, &packet()), "{no:?}");
        }
    }

    #[test]
    fn all_keys_must_fit() {
        let both = Match { dscp: vec![46], protocol: vec![17], ..Match::default() };
        assert!(takes(&both, &packet()));
        assert!(!takes(&both, &PacketMeta { protocol: 6, ..packet() }));
        assert!(!takes(&both, &PacketMeta { dscp: 0, ..packet() }));
    }

    #[test]
    fn the_first_class_that_fits_takes_the_packet() {
        let small = Match { size: Some((0, 2000)), ..Match::default() };
        let voice = Match { dscp: vec![46], ..Match::default() };
        assert_eq!(Classifier::new([&small, &voice]).class_of(&packet()), 0);
        assert_eq!(Classifier::new([&voice, &small]).class_of(&packet()), 0);
        assert_eq!(Classifier::new([&voice, &small]).class_of(&PacketMeta { dscp: 1, ..packet() }), 1);
    }

    #[test]
    fn what_fits_nowhere_belongs_to_the_last_class() {
        let never = |dscp| Match { dscp: vec![dscp], ..Match::default() };
        assert_eq!(Classifier::new([&never(1), &never(2), &never(3)]).class_of(&packet()), 2);
    }

    #[test]
    fn hosts_are_looked_up_only_if_a_class_names_one() {
        let host = Match { to: vec![7], ..Match::default() };
        assert!(Classifier::new([&host]).names_hosts());
        assert!(!Classifier::new([&Match { dscp: vec![1], ..Match::default() }]).names_hosts());
        assert!(!takes(&host, &PacketMeta { rare: None, ..packet() }));
    }

    #[test]
    fn ranges_that_touch_become_one() {
        assert_eq!(merged(vec![(7, 9), (0, 3), (4, 5), (8, 20)]), [(0, 5), (7, 20)]);
        assert_eq!(merged(vec![(5, u32::MAX), (6, 7)]), [(5, u32::MAX)]);
    }
}

//! The scoreboard of RFC 6675, kept as counts that each ACK updates.
//!
//! # Algorithm
//! A packet is *reported* if a SACK block covers it. It is *lost* if at least `threshold` packets above it are reported (RFC 6675,
//! IsLost in whole packets): these are the unreported packets below the `threshold`-highest reported one, `lost_below`. With all
//! counts over `una..max`, `pipe = unreported - lost + retransmitted` (SetPipe). No operation visits every packet of the window.

use crate::packet_ranges::PacketRanges;
use crate::packets_and_acks::{Ack, SackBlock};

/// State of the packets from `una` on.
#[derive(Debug, Default)]
pub(crate) struct SackScoreboard {
    sacked: PacketRanges,
    /// Packets reported.
    count: u32,
    una: u32,
    /// Unreported packets below `lost_below` are lost; and the number of reported packets below it.
    lost_below: u32,
    count_below_lost: u32,
    /// HighRxt + 1: unreported packets below `repaired` were retransmitted; and the number of reported packets below
    /// it.
    repaired: u32,
    count_below_repaired: u32,
}

/// The new information in a SACK block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Report {
    /// Whether it reports a packet for the first time.
    pub(crate) new: bool,
    /// Whether more packets count as lost.
    pub(crate) reveals_loss: bool,
}

impl SackScoreboard {
    /// Reset; `una` is the oldest outstanding packet.
    pub(crate) fn clear(&mut self, una: u32) {
        self.sacked.clear();
        self.count = 0;
        self.una = una;
        self.lost_below = una;
        self.count_below_lost = 0;
        self.repaired = una;
        self.count_below_repaired = 0;
    }

    /// Number of reported packets.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Whether nothing is reported.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Everything below `una` was ACKed.
    pub(crate) fn advance(&mut self, una: u32) {
        let removed = self.sacked.remove_below(una);
        self.count -= removed;
        self.una = una;
        for (edge, count) in
            [(&mut self.lost_below, &mut self.count_below_lost), (&mut self.repaired, &mut self.count_below_repaired)]
        {
            if una >= *edge {
                *edge = una;
                *count = 0;
            } else {
                *count -= removed;
            }
        }
    }

    /// Number of packets that `ack` delivers and no earlier ACK did; `una`: the oldest outstanding packet before it.
    pub(crate) fn newly_delivered(&self, una: u32, ack: &Ack<'_>) -> u32 {
        let new_in = |start: u32, end: u32| (end - start) - self.sacked.count_between(start, end);
        // A duplicate is reported in a block of its own, which may lie within the next one.
        let blocks = &ack.sack[usize::from(ack.duplicate().is_some())..];
        let reported = blocks.iter().map(|block| SackBlock { start: block.start.max(ack.ack), end: block.end });
        new_in(una, ack.ack)
            + reported.filter(|block| block.start < block.end).map(|block| new_in(block.start, block.end)).sum::<u32>()
    }

    /// Record a SACK block.
    pub(crate) fn report(&mut self, block: SackBlock, threshold: u32) -> Report {
        let block = SackBlock { start: block.start.max(self.una), end: block.end };
        if block.start >= block.end || self.sacked.find(block.start).is_some_and(|run| run.end >= block.end) {
            return Report::default();
        }
        let new_below = |edge: u32| match block.end.min(edge) {
            end if end > block.start => end - block.start - self.sacked.count_between(block.start, end),
            _ => 0,
        };
        self.count_below_lost += new_below(self.lost_below);
        self.count_below_repaired += new_below(self.repaired);
        self.count += self.sacked.insert(block).1;
        let mut report = Report { new: true, reveals_loss: false };
        let mut above = 0;
        for run in self.sacked.downwards() {
            above += run.end - run.start;
            if above >= threshold {
                let edge = run.start + (above - threshold);
                if edge > self.lost_below {
                    let reported = self.sacked.count_between(self.lost_below, edge);
                    report.reveals_loss = edge - self.lost_below > reported;
                    self.count_below_lost += reported;
                    self.lost_below = edge;
                }
                break;
            }
        }
        report
    }

    /// Mark as lost all unreported packets below the highest run of reported ones.
    pub(crate) fn lose_below_highest(&mut self) {
        let Some(run) = self.sacked.downwards().next() else { return };
        if run.start > self.lost_below {
            self.count_below_lost += self.sacked.count_between(self.lost_below, run.start);
            self.lost_below = run.start;
        }
    }

    /// The packet after the highest one reported.
    pub(crate) fn highest(&self) -> Option<u32> {
        self.sacked.end()
    }

    /// Estimated number of packets of `una..max` in the network.
    pub(crate) fn pipe(&self, max: u32) -> u32 {
        let lost = self.lost_below - self.una - self.count_below_lost;
        let repaired = self.repaired - self.una - self.count_below_repaired;
        max - self.una - self.count - lost + repaired
    }

    /// Whether the oldest outstanding packet is lost.
    #[inline]
    pub(crate) fn first_is_lost(&self) -> bool {
        self.lost_below > self.una
    }

    /// The lowest packet below the highest reported one that is neither reported nor retransmitted; and whether it is lost.
    pub(crate) fn next_hole(&self) -> Option<(u32, bool)> {
        let hole = self.sacked.find(self.repaired).map_or(self.repaired, |run| run.end);
        let end = self.sacked.end()?;
        (hole < end).then_some((hole, hole < self.lost_below))
    }

    /// The highest unreported packet below `max`.
    pub(crate) fn highest_unreported(&self, max: u32) -> Option<u32> {
        let highest = match self.sacked.downwards().next() {
            Some(run) if run.end == max => run.start,
            _ => max,
        };
        highest.checked_sub(1).filter(|seq| *seq >= self.una)
    }

    /// A recovery begins: no packet counts as retransmitted, even if it was in an earlier recovery (RFC 6675, section 5, step
    /// 4.3, which sets HighRxt to the first packet).
    pub(crate) fn restart_repair(&mut self) {
        self.repaired = self.una;
        self.count_below_repaired = 0;
    }

    /// Packet `seq`, the next hole or the first packet, was retransmitted.
    pub(crate) fn repair(&mut self, seq: u32) {
        self.count_below_repaired += self.sacked.count_between(self.repaired, seq + 1);
        self.repaired = seq + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Time;
    use proptest::prelude::*;

    /// SetPipe, IsLost and NextSeg rule 1 written out packet by packet (RFC 6675, section 4).
    struct PlainScoreboard {
        sacked: Vec<bool>,
        una: u32,
        max: u32,
        repaired: u32,
    }

    impl PlainScoreboard {
        fn is_lost(&self, seq: u32) -> bool {
            (seq + 1..self.max).filter(|s| self.sacked[*s as usize]).count() >= 3
        }

        fn pipe(&self) -> u32 {
            let mut pipe = 0;
            for seq in (self.una..self.max).filter(|s| !self.sacked[*s as usize]) {
                pipe += u32::from(!self.is_lost(seq)) + u32::from(seq < self.repaired);
            }
            pipe
        }
    }

    #[test]
    fn a_new_recovery_begins_at_the_first_packet_again() {
        let mut board = SackScoreboard::default();
        board.clear(0);
        board.report(SackBlock { start: 3, end: 6 }, 3);
        for seq in [0, 1, 2, 6] {
            board.repair(seq);
        }
        // Packet 6 counts twice in `pipe`: it is not lost, and it was retransmitted.
        assert_eq!(board.pipe(10), 3 + 2 + 3);
        board.restart_repair();
        board.repair(0);
        // Packet 0 is in the network again, 1 and 2 are lost, and 6 to 9 count once each.
        assert_eq!(board.pipe(10), 1 + 4);
        assert_eq!(board.next_hole(), Some((1, true)));
    }

    proptest! {
        #[test]
        fn counts_equal_those_of_the_rfc(ops in prop::collection::vec((0_u32..3, 0_u32..64, 1_u32..5), 1..60)) {
            let mut board = SackScoreboard::default();
            board.clear(0);
            let mut plain = PlainScoreboard { sacked: vec![false; 80], una: 0, max: 70, repaired: 0 };
            for (op, at, len) in ops {
                match op {
                    0 => {
                        let mut una = plain.una + at % 4;
                        while plain.sacked[una as usize] {
                            una += 1;
                        }
                        let una = una.min(69);
                        let block = SackBlock { start: una + at % 5, end: una + at % 5 + len };
                        let ack =
                            Ack { ack: una, stamp: Time::ZERO, ece: false, ace: 0, sack: &[block], retransmission: false };
                        let new = (plain.una..una).chain(block.start..block.end).filter(|s| !plain.sacked[*s as usize]);
                        prop_assert_eq!(board.newly_delivered(plain.una, &ack) as usize, new.count());
                        board.advance(una);
                        plain.una = una;
                        plain.repaired = plain.repaired.max(una);
                    }
                    1 => {
                        let start = at.max(plain.una + 1);
                        if start + len <= 70 {
                            board.report(SackBlock { start, end: start + len }, 3);
                            (start..start + len).for_each(|s| plain.sacked[s as usize] = true);
                        }
                    }
                    _ => {
                        let hole = (plain.repaired..70).find(|s| !plain.sacked[*s as usize] && (s + 1..70).any(|t| plain.sacked[t as usize]));
                        prop_assert_eq!(board.next_hole(), hole.map(|s| (s, plain.is_lost(s))));
                        if let Some(hole) = hole {
                            board.repair(hole);
                            plain.repaired = hole + 1;
                        }
                    }
                }
                prop_assert_eq!(board.pipe(70), plain.pipe());
                prop_assert_eq!(board.first_is_lost(), plain.is_lost(plain.una));
            }
        }
    }
}

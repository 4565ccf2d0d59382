//! Accurate ECN: each ACK carries the number of marked packets as a three-bit counter.
//!
//! RFC 9768; section numbers refer to it.
//!
//! # Algorithm
//! The receiver counts marked packets, starting at 5, and sends the count modulo 8 (ACE) in the flags AE, CWR and ECE (section
//! 3.2.2). So that the count does not wrap between two ACKs, it immediately ACKs (section 3.2.2.5.1)
//! * a marked packet after one without a mark, and
//! * the second marked packet since the last ACK.
//!
//! The sender ignores the count of an ACK that was superseded: one that delivers nothing and echoes no later time. Otherwise it
//! adds `d = (ACE - s.cep) mod 8` (section 3.2.2.2). If ACKs were lost, the count may have wrapped. An ACK that delivers `A` packets
//! then counts as `A - ((A - d) mod 8)` marks, the largest possible number (appendix A.2.1), unless ACKs usually
//! deliver so many packets that every ACK would seem to have wrapped the count.
//!
//! # Differences
//! * Accurate ECN is configured at both ends, not negotiated in the handshake. There are no AccECN Options (AccECN0, AccECN1): bytes
//!   are not counted, and the algorithm of appendix A.2.2, which needs them, is left out.
//! * Appendix A.2.1 requires the moving average of `A` to be "well below 8". Here the average has a weight of 1/8 and
//!   must be below 4.
//! * An ACK shared by packets behind a gap may cover eight or more packets. The first such ACKs raise the average;
//!   until then their packets count as marked, as the appendix requires, although no ACK was lost.
//! * Marks of ACKs are not counted: the data sender sends no ACKs of its own that could feed them back, and the data receiver has no
//!   window to reduce. Hence 'n', the number of marks that trigger an ACK, always has the value for unacknowledged
//!   data.

use penstock_core::Time;

/// The count before the first marked packet.
const FIRST: u8 = 5;
/// DIVACE: the counter in an ACK is modulo this.
const DIVACE: u32 = 8;
/// 'n': the number of marks that trigger an ACK if there is unacknowledged data.
const INCREMENT: u8 = 2;
/// The moving average of newly delivered packets: its weight, and the value from which no wrap is assumed.
const WEIGHT: f64 = 1.0 / 8.0;
const USUAL: f64 = 4.0;

/// The receiver's count of marked packets, r.cep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarkCounter {
    ace: u8,
    /// Marked packets since the last ACK.
    unreported: u8,
    /// Whether the previous packet was marked.
    after_mark: bool,
}

impl Default for MarkCounter {
    fn default() -> Self {
        Self { ace: FIRST, unreported: 0, after_mark: false }
    }
}

impl MarkCounter {
    /// A packet arrived; returns whether it must be ACKed immediately.
    pub(crate) fn receive(&mut self, marked: bool) -> bool {
        let changes = marked && !self.after_mark;
        self.after_mark = marked;
        self.ace = (self.ace + u8::from(marked)) % DIVACE as u8;
        self.unreported += u8::from(marked);
        changes || self.unreported >= INCREMENT
    }

    /// The counter ACE of an ACK that is sent now.
    pub(crate) fn report(&mut self) -> u8 {
        self.unreported = 0;
        self.ace
    }
}

/// The sender's copy of the count, s.cep.
#[derive(Debug)]
pub(crate) struct Counter {
    ace: u8,
    /// The latest time echoed by an ACK.
    stamp: Time,
    /// Moving average of the packets that an ACK delivers.
    usual: f64,
}

impl Default for Counter {
    fn default() -> Self {
        Self { ace: FIRST, stamp: Time::ZERO, usual: 0.0 }
    }
}

impl Counter {
    /// Process the counter of an ACK that newly delivers `newly` packets and echoes `stamp`; returns the number of packets marked
    /// since the previous ACK.
    pub(crate) fn advance(&mut self, ace: u8, newly: u32, stamp: Time) -> u32 {
        if newly == 0 && stamp <= self.stamp {
            return 0;
        }
        self.stamp = self.stamp.max(stamp);
        let marked = u32::from(ace.wrapping_sub(self.ace)) % DIVACE;
        self.ace = ace;
        let may_wrap = self.usual < USUAL;
        self.usual += WEIGHT * (f64::from(newly) - self.usual);
        if may_wrap { safest(newly, marked) } else { marked }
    }
}

/// dSafer.cep of appendix A.2.1; `marked` is d.cep. If d.cep exceeds `newly`, it is returned unchanged (section
/// 3.2.2.5.2).
fn safest(newly: u32, marked: u32) -> u32 {
    newly.checked_sub(marked).map_or(marked, |unmarked| newly - unmarked % DIVACE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn the_count_is_followed_modulo_eight() {
        let mut counter = Counter::default();
        assert_eq!([5, 7, 0, 0, 3, 2].map(|ace| counter.advance(ace, 7, Time::ZERO)), [0, 2, 1, 0, 3, 7]);
    }

    /// The two examples of appendix A.2.1, and d.cep above the number of packets (section 3.2.2.5.2).
    #[test]
    fn a_difference_of_two_means_two_marks_in_nine_packets_and_ten_in_ten() {
        assert_eq!(
            [(9, 2), (10, 2), (9, 1), (8, 0), (7, 0), (1, 3)].map(|(newly, d)| safest(newly, d)),
            [2, 10, 9, 8, 0, 3]
        );
    }

    #[test]
    fn nine_marked_packets_under_one_ack_count_as_nine() {
        let (mut marks, mut counter) = (MarkCounter::default(), Counter::default());
        for millis in 0..20 {
            marks.receive(false);
            assert_eq!(counter.advance(marks.report(), 1, at(millis)), 0);
        }
        for _ in 0..9 {
            marks.receive(true);
        }
        assert_eq!(counter.advance(marks.report(), 9, at(20)), 9, "ACE has moved by one");
    }

    #[test]
    fn where_acks_usually_deliver_many_packets_no_wrap_is_assumed() {
        let mut counter = Counter::default();
        let counted: Vec<u32> = (0..8).map(|millis| counter.advance(FIRST, 8, at(millis))).collect();
        // The average is 0, 1, 1.875, 2.64, 3.31, 3.90, 4.41, ... before each ACK.
        assert_eq!(counted, [8, 8, 8, 8, 8, 8, 0, 0]);
        assert_eq!(counter.advance(7, 8, at(9)), 2);
    }

    /// Section 3.2.2.2 and the condition of appendix A.2.1.
    #[test]
    fn the_count_of_a_superseded_ack_is_ignored() {
        let mut counter = Counter::default();
        assert_eq!(counter.advance(7, 2, at(20)), 2);
        assert_eq!(counter.advance(6, 0, at(10)), 0, "it was overtaken");
        assert_eq!(counter.advance(7, 1, at(30)), 0);
        assert_eq!(counter.advance(0, 0, at(40)), 1, "it answers a repeated packet");
        assert_eq!(counter.advance(7, 0, at(40)), 0, "no later time");
    }

    /// Section 3.2.2.5.1.
    #[test]
    fn a_mark_after_an_unmarked_packet_and_each_second_mark_since_the_last_ack_are_acked_at_once() {
        let mut marks = MarkCounter::default();
        let at_once = [false, true, true, true, false, false, true, true, true, true].map(|marked| {
            let now = marks.receive(marked);
            if now {
                marks.report();
            }
            now
        });
        assert_eq!(at_once, [false, true, false, true, false, false, true, false, true, false]);
    }
}

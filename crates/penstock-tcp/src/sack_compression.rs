//! SACK compression: packets behind a gap that share an ACK.
//!
//! Linux, "IP Sysctl" (Documentation/networking/ip-sysctl): SACKs are delayed for a twentieth of the round-trip time, at most 1 ms
//! (`tcp_comp_sack_delay_ns`), by a timer that may be 0.1 ms late (`tcp_comp_sack_slack_ns`), and at most 44 of them
//! (`tcp_comp_sack_nr`). E. Dumazet's descriptions of his changes to Linux: "tcp: defer SACK compression after
//! DupThresh" (2018), for the first three SACKs, and "tcp: tcp_sack_new_ofo_skb() should be more conservative" (2020,
//! Linux 5.8), for the blocks. Captures of Linux 6.1 confirm the late timer and the first three SACKs.
//!
//! # Algorithm
//! The first three packets behind a gap are ACKed one by one, later ones in groups: an ACK waits for more packets for
//! `sack_delay` or a twentieth of the connection's first round-trip time, whichever is shorter, plus 0.1 ms. A packet
//! that advances the cumulative ACK is ACKed immediately and ends the wait. When 44 packets wait, the next one is ACKed
//! immediately.
//!
//! Every ACK has room for at least two SACK blocks, but not always for more. Before a packet begins a third block, or
//! extends a block in third place or later, the waiting ACK is sent; the packet then waits itself. So an ACK reports
//! every block in first or second place.
//!
//! Packets reported within one round trip may have arrived over a longer time, which makes BBR overestimate the bandwidth.
//!
//! # Differences
//! * The timer is always 0.1 ms late; in Linux another timer that expires within these 0.1 ms also expires this one.
//! * The first round-trip time is measured from the first packet to the packet that its ACK releases. Until then no ACK is delayed.
//! * With `sack_blocks = 1` the waiting ACK is sent even before a second block begins.

use crate::params::TcpParams;
use penstock_core::{Span, Time};

/// Delay of the timer.
const SLACK: Span = Span::from_nanos(100_000);

/// Number of packets behind a gap that are ACKed one by one.
const SINGLY_ACKED: u8 = 3;

/// Maximum number of packets that wait (`tcp_comp_sack_nr`).
const MAX_WAITING: u8 = 44;

/// Number of SACK blocks for which every ACK has room.
const SURE_BLOCKS: usize = 2;

/// State of a receiver; small, since every flow has one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SackCompression {
    /// Delay of an ACK, in ns; until the first round-trip time is known, the upper bound of the delay. With 0 no ACK is
    /// delayed.
    delay: u32,
    /// Until the first round-trip time is known: arrival time of the first packet, in us modulo 2^32. After that: the
    /// first missing packet.
    at: u32,
    /// The packet that ends the first round trip; 0 once the first round-trip time is known.
    second_window: u16,
    /// Number of packets behind the gap that were ACKed one by one, and number of packets that wait.
    acked_singly: u8,
    waiting: u8,
}

fn micros(time: Time) -> u32 {
    (time.as_nanos() / 1000) as u32
}

impl SackCompression {
    pub(crate) fn new(params: &TcpParams) -> Self {
        let on = params.delayed_ack.limit().is_some() && params.flavour.is_selective();
        let delay = if on { params.sack_delay.as_nanos().min(u64::from(u32::MAX)) as u32 } else { 0 };
        let second_window = if params.opens() { 1.0 } else { params.initial_window.clamp(1.0, 65_535.0) };
        Self {
            delay,
            at: 0,
            second_window: if delay > 0 { second_window as u16 } else { 0 },
            acked_singly: 0,
            waiting: 0,
        }
    }

    /// Whether packet `seq` must be reported to [`Self::time`].
    #[inline]
    pub(crate) fn is_timing(&self, seq: u32) -> bool {
        seq <= u32::from(self.second_window) && self.second_window > 0
    }

    /// Packet `seq` arrived before the first round-trip time is known.
    #[cold]
    pub(crate) fn time(&mut self, now: Time, seq: u32) {
        if seq == 0 {
            self.at = micros(now);
        } else if seq == u32::from(self.second_window) {
            let round_trip = u64::from(micros(now).wrapping_sub(self.at)) * 1000;
            self.delay = (round_trip / 20).min(u64::from(self.delay)) as u32;
            (self.second_window, self.at) = (0, 0);
        }
    }

    /// Whether the ACK of a packet behind `missing` is delayed; `waiting`: an ACK is delayed already.
    pub(crate) fn waits(&mut self, missing: u32, waiting: bool) -> bool {
        if self.delay == 0 || self.second_window > 0 {
            return false;
        }
        if self.at != missing {
            (self.at, self.acked_singly) = (missing, 0);
        }
        if self.acked_singly < SINGLY_ACKED {
            self.acked_singly += 1;
            return false;
        }
        self.waiting = if waiting { self.waiting + 1 } else { 1 };
        self.waiting <= MAX_WAITING
    }

    /// Whether the waiting ACK is sent before a packet whose block is at this `place` among those to report.
    /// `blocks`: the largest number of blocks in an ACK, 0 without SACK.
    pub(crate) fn flushes_before(place: usize, blocks: u8) -> bool {
        blocks > 0 && place >= SURE_BLOCKS.min(usize::from(blocks))
    }

    /// ACK the next three packets behind the gap one by one again, because of a mark.
    pub(crate) fn restart(&mut self) {
        self.acked_singly = 0;
    }

    /// How long an ACK is delayed.
    pub(crate) fn delay(&self) -> Span {
        Span::from_nanos(u64::from(self.delay)) + SLACK
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Flavour, Profile};

    fn known(round_trip_us: u64) -> SackCompression {
        let mut compression =
            SackCompression::new(&TcpParams { flavour: Flavour::Sack, syn: true, ..TcpParams::of(Profile::Linux) });
        compression.time(Time::from_nanos(5_000), 0);
        assert!(!compression.waits(1, false), "nothing waits before the round trip is known");
        compression.time(Time::from_nanos(5_000 + 1000 * round_trip_us), 1);
        compression
    }

    #[test]
    fn an_answer_waits_a_twentieth_of_the_first_round_trip_at_most_a_millisecond_and_the_timer_is_late() {
        assert_eq!([100, 10_000, 20_000, 80_000].map(|us| known(us).delay().as_nanos() / 1000), [105, 600, 1100, 1100]);
    }

    #[test]
    fn three_packets_behind_each_gap_are_answered_one_by_one() {
        let mut compression = known(20_000);
        assert_eq!(
            [7, 7, 7, 7, 7, 9, 9, 9, 9].map(|missing| compression.waits(missing, false)),
            [false, false, false, true, true, false, false, false, true]
        );
    }

    #[test]
    fn the_packet_after_44_that_wait_is_answered_with_all_of_them() {
        let mut compression = known(20_000);
        (0..3).for_each(|_| assert!(!compression.waits(7, false)));
        assert!(compression.waits(7, false));
        (1..44).for_each(|_| assert!(compression.waits(7, true)));
        assert!(!compression.waits(7, true));
    }
}

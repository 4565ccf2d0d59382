//! SACK with a running pipe: recovery as in ns-2's Sack1.
//!
//! K. Fall, S. Floyd, "Simulation-based Comparisons of Tahoe, Reno and SACK TCP", Computer Communication Review 26(3), 1996,
//! section 3.
//!
//! # Algorithm
//! Third duplicate ACK: `ssthresh = cwnd/2`, `cwnd` is halved, the lost packet is retransmitted, and
//! `pipe = outstanding - duplicates`. In recovery each duplicate ACK subtracts one from `pipe`, each partial ACK two, and each
//! packet sent adds one. Packets are sent while `pipe < cwnd`: the next hole below the highest packet reported, else a new
//! packet. Recovery ends when everything outstanding at its beginning is ACKed.
//!
//! # Differences
//! * Unlike in RFC 6675, `pipe` is a counter that is not recomputed from the scoreboard, and a hole counts as lost even
//!   if fewer than three packets above it are reported.

use super::{CongestionControl, is_new_loss, on_new_ack, restart_after_timeout};
use crate::packet_ranges::PacketRanges;
use crate::packets_and_acks::{Ack, PacketSink};
use crate::state::{LastReduction, SenderState};
use penstock_core::Time;

#[derive(Debug, Default)]
pub(crate) struct Pipe {
    /// Packets that SACK blocks have reported.
    sacked: PacketRanges,
    /// Packets below this one have been retransmitted in this recovery.
    repaired: u32,
    /// Estimated number of packets in the network.
    in_network: i32,
    recovering: bool,
    /// Whether a timeout occurred since new data was last ACKed; duplicate ACKs are then ignored.
    timed_out: bool,
}

impl CongestionControl for Pipe {
    #[expect(clippy::inline_always, reason = "saves 1 % of the instructions of W2")]
    #[inline(always)]
    fn on_ack<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        if ack.ece && s.ect {
            s.on_echo(now, ack.ack);
        }
        if self.recovering {
            self.recover(s, now, ack, net);
            return;
        }
        if ack.ack > s.una {
            on_new_ack(s, now, ack);
            self.timed_out = false;
            self.sacked.clear();
        } else if !self.timed_out && self.note(s, ack) {
            s.dupacks += 1;
            if s.dupacks == s.params.dupack_threshold {
                self.begin(s, now, net);
            } else if s.dupacks < s.params.dupack_threshold {
                s.limited_transmit(now, net);
            }
        }
        if s.dupacks == 0 {
            s.fill_window(now, net);
        }
    }

    fn on_timeout<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        self.recovering = false;
        self.timed_out = true;
        self.sacked.clear();
        s.dupacks = 0;
        restart_after_timeout(s, now, net);
    }
}

impl Pipe {
    /// Record the reported blocks; returns whether a packet in them is new.
    fn note(&mut self, s: &SenderState, ack: &Ack<'_>) -> bool {
        self.sacked.remove_below(s.una);
        let mut new = 0;
        for block in ack.sack.iter().filter(|block| block.start >= s.una && block.end > block.start) {
            new += self.sacked.insert(*block).1;
        }
        new > 0
    }

    fn begin<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        if is_new_loss(s) {
            s.recover = s.max;
            s.halve(now);
        } else if s.last_reduction != LastReduction::Mark {
            return;
        }
        s.enter_fast_retransmit(now);
        self.in_network = s.outstanding().cast_signed() - s.dupacks.cast_signed();
        self.recovering = true;
        let lost = s.una;
        self.repaired = lost + 1;
        s.transmit(now, lost, net);
    }

    fn recover<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        self.in_network -= 1;
        if ack.ack >= s.recover {
            self.recovering = false;
            s.recover = 0;
            s.acknowledge(now, ack);
            self.sacked.clear();
            s.fill_window(now, net);
            return;
        }
        if ack.ack > s.una {
            s.advance(ack.ack);
            self.in_network -= 1;
            s.restart_timer(now);
        }
        self.note(s, ack);
        while self.in_network < s.cwnd as i32 {
            if let Some(hole) = self.next_hole(s.una) {
                self.repaired = hole + 1;
                s.transmit(now, hole, net);
                s.next = s.next.max(hole + 1);
            } else if s.next < s.end.min(s.una.saturating_add(s.params.window)) {
                let seq = s.next;
                s.next += 1;
                s.transmit(now, seq, net);
            } else {
                break;
            }
            self.in_network += 1;
        }
    }

    /// The lowest packet below the highest reported one that is neither reported nor retransmitted.
    fn next_hole(&self, una: u32) -> Option<u32> {
        let from = self.repaired.max(una);
        let hole = self.sacked.find(from).map_or(from, |run| run.end);
        self.sacked.end().filter(|end| hole < *end).map(|_| hole)
    }
}

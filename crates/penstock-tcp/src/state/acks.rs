//! Effect of an ACK on the state of a sender: outstanding packets, round-trip time, timer.
//!
//! RFC 6298, section 5; P. Karn, C. Partridge, "Improving Round-Trip Time Estimates in Reliable Transport Protocols",
//! SIGCOMM 1987; RFC 7323.

use super::SenderState;
use crate::packets_and_acks::Ack;
use penstock_core::{Span, Time};

impl SenderState {
    /// New data is ACKed: advance `una`, measure the round-trip time, restart the timer.
    #[expect(clippy::inline_always, reason = "saves 1 % of the instructions of W2")]
    #[inline(always)]
    pub(crate) fn acknowledge(&mut self, now: Time, ack: &Ack<'_>) {
        self.dupacks = 0;
        self.limited = 0;
        self.advance(ack.ack);
        if self.params.timestamps {
            self.measure(now, ack.stamp, ack.retransmission, true);
            if self.rules().timestamp_ends_back_off() {
                self.end_back_off(ack);
            }
        }
        if self.timing && ack.ack > self.timed_seq {
            self.timing = false;
            self.end_back_off(ack);
            if !self.params.timestamps {
                self.measure(now, self.timed_at, false, false);
            }
        }
        if self.una == self.max && self.rules().stops_idle_timer() {
            self.deadline = Time::NEVER;
        } else {
            self.restart_timer(now);
        }
        if self.una >= self.end && self.finished == Time::NEVER && !self.writes_more() {
            self.finished = now;
        }
    }

    /// A partial ACK in a recovery with a scoreboard: like any ACK of new data, but the count of duplicates is not
    /// reset.
    pub(crate) fn acknowledge_in_recovery(&mut self, now: Time, ack: &Ack<'_>) {
        let dupacks = self.dupacks;
        self.acknowledge(now, ack);
        self.dupacks = dupacks;
    }

    /// A partial ACK in a recovery without a scoreboard: advance `una`, do not measure the round-trip time.
    pub(crate) fn acknowledge_part(&mut self, ack: u32) {
        self.advance(ack);
        if self.timing && ack > self.timed_seq {
            self.timing = false;
            self.rtt.end_back_off(&self.params);
        }
    }

    /// All packets below `ack` are ACKed.
    #[inline]
    pub(crate) fn advance(&mut self, ack: u32) {
        self.una = ack;
        self.next = self.next.max(ack);
    }

    fn end_back_off(&mut self, ack: &Ack<'_>) {
        // The back-off continues while marks are echoed to a window of one packet (RFC 3168, section 6.1.2).
        if !(self.ect && self.ecn_backoff && ack.ece) {
            self.rtt.end_back_off(&self.params);
            self.ecn_backoff = false;
        }
    }

    #[inline]
    fn measure(&mut self, now: Time, sent: Time, retransmission: bool, stamped: bool) {
        self.rtt.measure(&self.params, sent, now, stamped);
        if !retransmission {
            self.counts.rtt_samples += 1;
            self.counts.rtt_sum += now.since(sent).as_nanos();
            self.counts.srtt_sum += self.rtt.srtt(&self.params).unwrap_or(Span::ZERO).as_nanos();
        }
    }
}

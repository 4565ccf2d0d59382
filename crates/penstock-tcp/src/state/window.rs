//! Growth of a sender's window, and its reduction by losses, timeouts and marks.
//!
//! RFC 5681, section 3.1; RFC 3168, section 6.1.2; RFC 3465 if growth counts packets.

use super::{HALF, LastReduction, SenderState};
use crate::params::{Counting, Halving};
use penstock_core::Time;
use penstock_core::math::floor;

impl SenderState {
    /// Number of packets that may be outstanding.
    #[inline]
    pub(crate) fn window(&self) -> u32 {
        // A window below 2^32 fits into an integer.
        (self.cwnd as u32).saturating_add(self.inflation).min(self.params.window)
    }

    #[inline]
    pub(crate) fn set_cwnd(&mut self, now: Time, cwnd: f64) {
        // The processor converts a signed integer with one instruction.
        self.counts.cwnd_integral += self.cwnd * now.since(self.integrated).as_nanos().cast_signed() as f64;
        self.integrated = now;
        self.cwnd = cwnd;
    }

    /// An ACK of `acked` packets in slow start or congestion avoidance (RFC 5681, equations 2 and 3).
    #[inline]
    pub(crate) fn grow(&mut self, now: Time, acked: u32) {
        if self.params.counting == Counting::Packets {
            self.grow_by_packets(now, acked);
            return;
        }
        let step = if self.cwnd < self.ssthresh { 1.0 } else { 1.0 / self.cwnd };
        self.set_cwnd(now, self.cwnd + step);
    }

    /// Like `grow`, but counting packets instead of ACKs (RFC 3465, without its limit L).
    #[inline(never)]
    fn grow_by_packets(&mut self, now: Time, acked: u32) {
        let slow = (self.ssthresh - self.cwnd).clamp(0.0, f64::from(acked));
        if slow > 0.0 {
            self.set_cwnd(now, self.cwnd + slow);
        }
        if f64::from(acked) > slow {
            self.grow_each(now, f64::from(acked) - slow, floor(self.cwnd));
        }
    }

    /// Grow the window by one packet for each `count` packets ACKed (RFC 3465, section 2.1: the window moves in whole
    /// packets).
    pub(crate) fn grow_each(&mut self, now: Time, acked: f64, count: f64) {
        let mut grown = 0.0;
        if self.credit >= count {
            // Credit earned while `count` was higher is worth one packet at most; otherwise the window would jump.
            self.credit = 0.0;
            grown = 1.0;
        }
        self.credit += acked;
        if self.credit >= count {
            let more = floor(self.credit / count);
            self.credit -= more * count;
            grown += more;
        }
        if grown > 0.0 {
            self.set_cwnd(now, self.cwnd + grown);
        }
    }

    /// Whether the application's data or the receive window, and not the congestion window, limited the packets in flight
    /// before an ACK that delivered `acked` packets (RFC 9438, section 5.8).
    #[inline]
    pub(crate) fn was_application_limited(&self, acked: u32) -> bool {
        let una = self.una.saturating_sub(acked);
        let limit = self.end.min(una.saturating_add(self.params.window));
        self.next >= limit && f64::from(self.next - una) + 1.0 <= self.cwnd
    }

    /// The window in use as a real number.
    fn real_window(&self) -> f64 {
        (self.cwnd + f64::from(self.inflation)).min(f64::from(self.params.window))
    }

    /// The slow start threshold and the window after a reduction by `factor` (RFC 5681, equation 4).
    fn reduced(&self, factor: f64) -> (f64, f64) {
        let left = match self.params.halving {
            Halving::Real => self.real_window() * factor,
            Halving::Whole => floor(f64::from(self.window()) * factor),
            // Packets sent by limited transmit do not count as flight.
            Halving::RackScoreboard => f64::from(self.outstanding() - self.limited) * factor,
        };
        let ssthresh = self.rules().ssthresh(left);
        (ssthresh, self.rules().reduced_window(ssthresh, left))
    }

    /// Halve the window, and set the threshold to it.
    pub(crate) fn halve(&mut self, now: Time) {
        self.reduce(now, HALF);
    }

    /// Reduce the window by `factor`, and set the threshold to it.
    pub(crate) fn reduce(&mut self, now: Time, factor: f64) {
        let (ssthresh, cwnd) = self.reduced(factor);
        self.ssthresh = ssthresh;
        self.credit = 0.0;
        self.set_cwnd(now, cwnd);
        self.cwr = true;
    }

    /// Reduce the threshold to `factor` of the window, and the window to one packet.
    pub(crate) fn collapse(&mut self, now: Time, factor: f64) {
        self.ssthresh = self.reduced(factor).0;
        self.restart_window(now);
    }

    /// Reduce the window to one packet; the threshold does not change.
    pub(crate) fn restart_window(&mut self, now: Time) {
        self.set_cwnd(now, 1.0);
        self.credit = 0.0;
        self.cwr = true;
    }

    /// Confirm an echoed mark with CWR, without a reduction of the window.
    pub(crate) fn confirm_echo(&mut self) {
        self.cwr = true;
        self.counts.ecn_responses += 1;
    }

    /// Count an echoed mark for which the congestion control itself reduces the window.
    pub(crate) fn count_echo(&mut self) {
        self.counts.ecn_responses += 1;
    }

    /// An ACK echoes a mark: reduce as for a loss (RFC 3168, section 6.1.2).
    pub(crate) fn on_echo(&mut self, now: Time, ack: u32) {
        self.respond_to_echo(now, ack, HALF);
    }

    /// An ACK echoes a mark: reduce the window by `factor`, once per window of data. Returns whether it did.
    pub(crate) fn respond_to_echo(&mut self, now: Time, ack: u32, factor: f64) -> bool {
        let again = self.last_reduction == LastReduction::Timeout && self.rules().answers_echo_after_timeout();
        if ack <= self.recover && !again {
            return false;
        }
        self.recover = self.max;
        self.last_reduction = LastReduction::Mark;
        if self.cwnd <= 1.0 {
            if self.ecn_backoff {
                self.rtt.back_off(&self.params);
            } else {
                self.ecn_backoff = true;
            }
        } else {
            self.ecn_backoff = false;
        }
        self.reduce(now, factor);
        self.counts.ecn_responses += 1;
        true
    }
}

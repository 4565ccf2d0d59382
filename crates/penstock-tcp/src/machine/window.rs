//! How the window of a sender grows, and what a loss, a timeout and a mark leave of it.
//!
//! RFC 5681, section 3.1; RFC 3168, section 6.1.2; RFC 3465 where packets are counted.

use super::{Cut, HALF, Machine};
use crate::params::{Counting, Halving};
use penstock_core::Time;
use penstock_core::math::floor;

impl Machine {
    #[inline]
    pub(crate) fn set_cwnd(&mut self, now: Time, cwnd: f64) {
        self.counts.cwnd_integral += self.cwnd * now.since(self.integrated).as_nanos() as f64;
        self.integrated = now;
        self.cwnd = cwnd;
    }

    /// An acknowledgement of `acked` packets in slow start or congestion avoidance (RFC 5681, equations 2 and 3).
    #[inline]
    pub(crate) fn grow(&mut self, now: Time, acked: u32) {
        if self.params.counting == Counting::Packets {
            self.grow_by_packets(now, acked);
            return;
        }
        let step = if self.cwnd < self.ssthresh { 1.0 } else { 1.0 / self.cwnd };
        self.set_cwnd(now, self.cwnd + step);
    }

    /// The same, counted in packets instead of acknowledgements (RFC 3465, without its limit L).
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

    /// One packet more for each `count` of those acknowledged (RFC 3465, section 2.1: the window moves in whole packets).
    pub(crate) fn grow_each(&mut self, now: Time, acked: f64, count: f64) {
        let mut grown = 0.0;
        if self.credit >= count {
            // Earned while the count was higher: worth one packet, or the window would leap.
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

    /// A share of what `halving` names: the new threshold and the window that goes with it (RFC 5681, equation 4).
    fn left_of_window(&self, share: f64) -> (f64, f64) {
        let left = match self.params.halving {
            Halving::Real => self.real_window() * share,
            Halving::Whole => floor(f64::from(self.window()) * share),
            // What limited transmit has added does not count.
            Halving::Flight => f64::from(self.outstanding() - self.limited) * share,
        };
        let ssthresh = if self.rfc() { left } else { floor(left) };
        (ssthresh.max(2.0), left)
    }

    /// Halve the window and remember the threshold.
    pub(crate) fn halve(&mut self, now: Time) {
        self.reduce(now, HALF);
    }

    /// Leave this share of the window, as the threshold too.
    pub(crate) fn reduce(&mut self, now: Time, share: f64) {
        let (ssthresh, left) = self.left_of_window(share);
        self.ssthresh = ssthresh;
        self.credit = 0.0;
        // In ns-2 a mark can leave less than one packet: the flow then waits for its timer (RFC 3168, section 6.1.2).
        self.set_cwnd(now, if self.rfc() { ssthresh } else { left });
        self.cwr = true;
    }

    /// Leave this share of the window as the threshold, and start again from one packet.
    pub(crate) fn collapse(&mut self, now: Time, share: f64) {
        self.ssthresh = self.left_of_window(share).0;
        self.restart_window(now);
    }

    /// Start again from one packet, with the threshold as it is.
    pub(crate) fn restart_window(&mut self, now: Time) {
        self.set_cwnd(now, 1.0);
        self.credit = 0.0;
        self.cwr = true;
    }

    /// An echo is confirmed by a law that cuts nothing for it.
    pub(crate) fn confirm_echo(&mut self) {
        self.cwr = true;
        self.counts.ecn_responses += 1;
    }

    /// An acknowledgement echoes a mark: cut as for a loss (RFC 3168, section 6.1.2).
    pub(crate) fn on_echo(&mut self, now: Time, ack: u32) {
        self.answer_echo(now, ack, HALF);
    }

    /// An acknowledgement echoes a mark: once a window of data, leave this share of it. Returns whether it did.
    pub(crate) fn answer_echo(&mut self, now: Time, ack: u32, share: f64) -> bool {
        let again = self.cut == Cut::Timeout && !self.rfc();
        if ack <= self.recover && !again {
            return false;
        }
        self.recover = self.max;
        self.cut = Cut::Mark;
        if self.cwnd <= 1.0 {
            if self.ecn_backoff {
                self.rtt.back_off(&self.params);
            } else {
                self.ecn_backoff = true;
            }
        } else {
            self.ecn_backoff = false;
        }
        self.reduce(now, share);
        self.counts.ecn_responses += 1;
        true
    }
}

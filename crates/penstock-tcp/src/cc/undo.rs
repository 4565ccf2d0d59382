//! Undo of needless reductions: the state of the sender before a reduction, and the evidence against it.
//!
//! RFC 3522 (Eifel detection); RFC 3708 (detection by duplicate SACK); RFC 9438, section 4.9, and RFC 4015 (Eifel
//! response), for the restored state.
//!
//! # Algorithm
//! A reduction was needless if the first ACK after the first retransmission that advances `una` echoes a time before that
//! retransmission: the packet was late, not lost (RFC 3522). A reduction was also needless if the receiver reports by
//! duplicate SACK that each retransmission was a duplicate (RFC 3708). Then the threshold and the variables of the
//! window control return to their values before the reduction, and so does the window unless it is larger already (RFC
//! 9438, section 4.9.2). After a needless timeout the window is the number of packets in flight, plus the number of
//! ACKed packets or an initial window, whichever is smaller (RFC 4015). An ACK that echoes a mark undoes nothing (RFC
//! 4015).
//!
//! # Differences
//! * The retransmission timer is left as it is; RFC 4015 adapts it after a timeout. An ACK with a duplicate-SACK block
//!   is never judged by its echoed time.
//! * Duplicates are counted, not matched with the retransmissions one by one.

use crate::packets_and_acks::Ack;
use crate::rack_scoreboard::Repairs;
use crate::state::{LastReduction, SenderState};
use penstock_core::Time;

/// The state of a sender before a reduction, and the evidence from its retransmissions since.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Undo {
    cwnd: f64,
    ssthresh: f64,
    last_reduction: LastReduction,
    /// The oldest outstanding packet at the reduction.
    una: u32,
    /// Whether a timeout caused the reduction.
    is_timeout: bool,
    /// `RetransmitTS`: when the first retransmission was sent.
    retransmitted_at: Option<Time>,
    /// Retransmissions that were not reported as duplicates.
    unreported: u32,
    /// Whether an ACK has advanced `una` since the first retransmission.
    is_judged: bool,
    /// Whether the reduction was undone.
    is_undone: bool,
}

impl Undo {
    /// The sender's window is about to be reduced, by a timeout or by losses; `repairs` describes the retransmissions that are in the
    /// network already.
    pub(crate) fn new(s: &SenderState, is_timeout: bool, repairs: Repairs) -> Self {
        Self {
            cwnd: s.cwnd,
            ssthresh: s.ssthresh,
            last_reduction: s.last_reduction,
            una: s.una,
            is_timeout,
            retransmitted_at: repairs.first_sent,
            unreported: repairs.count,
            is_judged: false,
            is_undone: false,
        }
    }

    /// A lost packet was retransmitted.
    pub(crate) fn on_retransmit(&mut self, now: Time) {
        self.retransmitted_at.get_or_insert(now);
        self.unreported += 1;
    }

    /// Whether this ACK, which has been processed, proves the reduction needless.
    pub(crate) fn is_needless(&mut self, s: &SenderState, ack: &Ack<'_>, advances: bool) -> bool {
        let Some(retransmitted_at) = self.retransmitted_at.filter(|_| !self.is_undone) else { return false };
        if let Some(duplicate) = ack.duplicate() {
            if duplicate.end > self.una {
                self.unreported = self.unreported.saturating_sub(duplicate.end - duplicate.start.max(self.una));
                return self.unreported == 0;
            }
            return false;
        }
        if !advances || self.is_judged {
            return false;
        }
        self.is_judged = true;
        s.params.timestamps && ack.stamp < retransmitted_at && !(s.ect && ack.ece)
    }

    /// Restore the state before the reduction, after an ACK of `acked` packets. Returns whether the window was below
    /// its earlier value.
    pub(crate) fn restore(&mut self, s: &mut SenderState, now: Time, acked: u32) -> bool {
        let is_below = s.cwnd < self.cwnd;
        if is_below {
            let in_flight = f64::from(s.outstanding()) + f64::from(acked).min(s.params.initial_window);
            s.set_cwnd(now, if self.is_timeout { in_flight.min(self.cwnd) } else { self.cwnd });
            s.ssthresh = self.ssthresh;
        }
        s.last_reduction = self.last_reduction;
        self.is_undone = true;
        is_below
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Profile, TcpParams};

    #[test]
    fn a_retransmission_made_before_the_reduction_is_no_late_packet() {
        // From 10 ms on, losses are repaired in a window of data for which a mark had already reduced the congestion
        // window. Then the congestion window is reduced for the remaining losses, which are retransmitted at 20 ms. An
        // echo of 10 ms comes from the first retransmission.
        let at = |millis: u64| Time::from_nanos(millis * 1_000_000);
        let s = SenderState::new(TcpParams::of(Profile::Linux).into());
        let is_needless = |echo, first_sent| {
            let mut undo = Undo::new(&s, false, Repairs { count: 1, first_sent });
            undo.on_retransmit(at(20));
            let ack = Ack { ack: 5, stamp: at(echo), ece: false, ace: 0, sack: &[], retransmission: false };
            undo.is_needless(&s, &ack, true)
        };
        assert_eq!([5, 10].map(|echo| is_needless(echo, Some(at(10)))), [true, false]);
    }
}

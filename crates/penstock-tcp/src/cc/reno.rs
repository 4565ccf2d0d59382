//! Reno: fast retransmit and fast recovery.
//!
//! V. Jacobson, "Modified TCP Congestion Avoidance Algorithm", end2end-interest, April 1990; RFC 5681, section 3.2.
//!
//! # Algorithm
//! Third duplicate ACK: `ssthresh = cwnd/2`, the lost packet is sent again, `cwnd = ssthresh`, inflated by 3; each
//! further duplicate inflates it by one more packet. The next new ACK deflates: `cwnd = ssthresh`. Timeout: `ssthresh =
//! cwnd/2`, `cwnd = 1`.
//!
//! # Differences
//! * The inflation is a separate variable, so that `cwnd` shows the window without it.
//! * `recovery = "ns2"`: `cwnd` keeps the fraction when an odd window is halved, and the ACK that ends the recovery
//!   also grows it.

use super::{CongestionControl, is_new_loss, on_new_ack, restart_after_timeout};
use crate::packets_and_acks::{Ack, PacketSink};
use crate::state::{LastReduction, SenderState};
use penstock_core::Time;

#[derive(Debug)]
pub(crate) struct Reno;

impl CongestionControl for Reno {
    #[inline]
    fn on_ack<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        if ack.ece && s.ect {
            s.on_echo(now, ack.ack);
        }
        if ack.ack > s.una {
            if s.inflation > 0 {
                s.inflation = 0;
                if s.last_reduction == LastReduction::Loss {
                    s.last_reduction = LastReduction::Recovered;
                }
                if !s.rules().recovery_ends_with_growth() {
                    s.acknowledge(now, ack);
                    s.fill_window(now, net);
                    return;
                }
            }
            on_new_ack(s, now, ack);
        } else {
            on_duplicate(s, now, net);
        }
        if s.dupacks == 0 || s.dupacks >= s.params.dupack_threshold {
            s.fill_window(now, net);
        }
    }

    fn on_timeout<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        s.dupacks = 0;
        restart_after_timeout(s, now, net);
    }
}

/// A duplicate ACK: limited transmit, fast retransmit, fast recovery, in this order.
pub(crate) fn on_duplicate<N: PacketSink>(s: &mut SenderState, now: Time, net: &mut N) {
    if !s.rules().counts_duplicate(s.outstanding()) {
        return;
    }
    s.dupacks += 1;
    if s.dupacks < s.params.dupack_threshold {
        s.limited_transmit(now, net);
    } else if s.dupacks > s.params.dupack_threshold {
        if s.last_reduction == LastReduction::Loss {
            s.inflation += 1;
        }
    } else if is_new_loss(s) || s.last_reduction == LastReduction::Mark {
        let new = is_new_loss(s);
        if new {
            s.halve(now);
        }
        if new || s.rules().repair_moves_recover() {
            s.recover = s.max;
        }
        s.enter_fast_retransmit(now);
        let lost = s.una;
        s.transmit(now, lost, net);
        s.inflation = s.params.dupack_threshold;
    }
}

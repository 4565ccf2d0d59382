//! Tahoe: fast retransmit, then slow start.
//!
//! V. Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988; K. Fall, S. Floyd, "Simulation-based Comparisons of Tahoe,
//! Reno and SACK TCP", Computer Communication Review 26(3), 1996.
//!
//! # Algorithm
//! New ACK: `cwnd += 1` below `ssthresh`, else `cwnd += 1/cwnd`. Third duplicate ACK: `ssthresh = cwnd/2`, `cwnd = 1`, and
//! everything from the lost packet on is sent again as the window opens. Timeout: the same.
//!
//! # Differences
//! * The first two duplicates release one new packet each (RFC 3042) with `limited_transmit`.
//! * `recovery = "ns2"`: a timeout does not reset the count of duplicates.

use super::{CongestionControl, is_new_loss, on_new_ack, restart_after_timeout};
use crate::packets_and_acks::{Ack, PacketSink};
use crate::state::{HALF, LastReduction, SenderState};
use penstock_core::Time;

#[derive(Debug)]
pub(crate) struct Tahoe;

impl CongestionControl for Tahoe {
    #[inline]
    fn on_ack<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        if ack.ece && s.ect {
            s.on_echo(now, ack.ack);
        }
        if ack.ack > s.una {
            on_new_ack(s, now, ack);
        } else {
            s.dupacks += 1;
            if s.dupacks == s.params.dupack_threshold {
                on_loss(s, now);
            } else if s.dupacks < s.params.dupack_threshold {
                s.limited_transmit(now, net);
            }
        }
        s.fill_window(now, net);
    }

    fn on_timeout<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        if s.rules().timeout_forgets_duplicates() {
            s.dupacks = 0;
        }
        restart_after_timeout(s, now, net);
    }
}

fn on_loss(s: &mut SenderState, now: Time) {
    if is_new_loss(s) {
        s.recover = s.max;
        s.collapse(now, HALF);
    } else if s.last_reduction == LastReduction::Mark {
        // A mark has already halved the threshold.
        s.restart_window(now);
    } else {
        return;
    }
    s.enter_fast_retransmit(now);
    s.go_back(now);
}

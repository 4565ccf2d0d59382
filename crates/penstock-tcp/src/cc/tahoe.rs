//! Tahoe: fast retransmit, then slow start.
//!
//! V. Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988; K. Fall, S. Floyd, "Simulation-based Comparisons of Tahoe,
//! Reno and SACK TCP", Computer Communication Review 26(3), 1996.
//!
//! # Law
//! New acknowledgement: `cwnd += 1` below `ssthresh`, else `cwnd += 1/cwnd`. Third duplicate: `ssthresh = cwnd/2`, `cwnd = 1`,
//! and everything from the lost packet on is sent again as the window opens. Timeout: the same.
//!
//! # Differences
//! * The first two duplicates release one new packet each (RFC 3042) with `limited_transmit`.
//! * ns2 rules: duplicates go on counting over a timeout.

use super::{Law, is_new_loss, progress, start_over};
use crate::machine::{Cut, HALF, Machine};
use crate::wire::{Ack, Network};
use penstock_core::Time;

#[derive(Debug)]
pub(crate) struct Tahoe;

impl Law for Tahoe {
    #[inline]
    fn on_ack<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        if ack.ece && m.ect {
            m.on_echo(now, ack.ack);
        }
        if ack.ack > m.una {
            progress(m, now, ack);
        } else {
            m.dupacks += 1;
            if m.dupacks == m.params.dupack_threshold {
                lose(m, now);
            } else if m.dupacks < m.params.dupack_threshold {
                m.limited_transmit(now, net);
            }
        }
        m.fill_window(now, net);
    }

    fn on_timeout<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        if m.rfc() {
            m.dupacks = 0;
        }
        start_over(m, now, net);
    }
}

fn lose(m: &mut Machine, now: Time) {
    if is_new_loss(m) {
        m.recover = m.max;
        m.collapse(now, HALF);
    } else if m.cut == Cut::Mark {
        // The mark has halved the threshold already.
        m.restart_window(now);
    } else {
        return;
    }
    m.fast_retransmit(now);
    m.go_back(now);
}

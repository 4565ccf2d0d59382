//! Reno: fast retransmit and fast recovery.
//!
//! V. Jacobson, "Modified TCP Congestion Avoidance Algorithm", end2end-interest, April 1990; RFC 5681, section 3.2.
//!
//! # Law
//! Third duplicate: `ssthresh = cwnd/2`, the lost packet is sent again, `cwnd = ssthresh`, inflated by 3; each further duplicate
//! inflates by one packet more. The next new acknowledgement deflates: `cwnd = ssthresh`. Timeout: `ssthresh = cwnd/2`,
//! `cwnd = 1`.
//!
//! # Differences
//! * The inflation is kept apart from `cwnd`, so that `cwnd` shows what the law means.
//! * ns2 rules: `cwnd` keeps the half of an odd window and grows with the acknowledgement that ends the recovery.

use super::{Law, is_new_loss, progress, start_over};
use crate::machine::{Cut, Machine};
use crate::wire::{Ack, Network};
use penstock_core::Time;

#[derive(Debug)]
pub(crate) struct Reno;

impl Law for Reno {
    #[inline]
    fn on_ack<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        if ack.ece && m.ect {
            m.on_echo(now, ack.ack);
        }
        if ack.ack > m.una {
            if m.inflation > 0 {
                m.inflation = 0;
                if m.cut == Cut::Loss {
                    m.cut = Cut::Recovered;
                }
                if m.rfc() {
                    m.acknowledge(now, ack);
                    m.fill_window(now, net);
                    return;
                }
            }
            progress(m, now, ack);
        } else {
            duplicate(m, now, net);
        }
        if m.dupacks == 0 || m.dupacks >= m.params.dupack_threshold {
            m.fill_window(now, net);
        }
    }

    fn on_timeout<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        m.dupacks = 0;
        start_over(m, now, net);
    }
}

/// A duplicate acknowledgement: limited transmit, fast retransmit, fast recovery, in this order.
pub(crate) fn duplicate<N: Network>(m: &mut Machine, now: Time, net: &mut N) {
    if m.rfc() && m.outstanding() == 0 {
        // RFC 5681, section 2: a duplicate needs outstanding data.
        return;
    }
    m.dupacks += 1;
    if m.dupacks < m.params.dupack_threshold {
        m.limited_transmit(now, net);
    } else if m.dupacks > m.params.dupack_threshold {
        if m.cut == Cut::Loss {
            m.inflation += 1;
        }
    } else if is_new_loss(m) || m.cut == Cut::Mark {
        let new = is_new_loss(m);
        if new {
            m.halve(now);
        }
        if new || m.rfc() {
            m.recover = m.max;
        }
        m.fast_retransmit(now);
        let lost = m.una;
        m.transmit(now, lost, net);
        m.inflation = m.params.dupack_threshold;
    }
}

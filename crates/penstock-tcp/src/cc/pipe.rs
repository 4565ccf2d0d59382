//! SACK with a running pipe: recovery as in ns-2's Sack1.
//!
//! K. Fall, S. Floyd, "Simulation-based Comparisons of Tahoe, Reno and SACK TCP", Computer Communication Review 26(3), 1996,
//! section 3.
//!
//! # Law
//! Third duplicate: `ssthresh = cwnd/2`, `cwnd` is halved, the lost packet is sent again, and
//! `pipe = outstanding - duplicates`. In recovery each duplicate takes one from `pipe`, each partial acknowledgement two, each
//! packet sent adds one, and packets are sent while `pipe < cwnd`: the next hole below the highest packet reported, else a new
//! packet. Recovery ends when everything outstanding at its beginning is acknowledged.
//!
//! # Differences
//! * From RFC 6675: `pipe` is not computed anew from the scoreboard, and a hole needs no three reports above it.

use super::{Law, is_new_loss, progress, start_over};
use crate::machine::{Cut, Machine};
use crate::runs::Runs;
use crate::wire::{Ack, Network};
use penstock_core::Time;

#[derive(Debug, Default)]
pub(crate) struct Pipe {
    /// What the receiver has reported out of order.
    sacked: Runs,
    /// Packets below have been sent again in this recovery.
    repaired: u32,
    /// Packets thought to be in the network.
    in_network: i32,
    recovering: bool,
    /// After a timeout duplicates say nothing until new data is acknowledged.
    timed_out: bool,
}

impl Law for Pipe {
    #[inline]
    fn on_ack<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        if ack.ece && m.ect {
            m.on_echo(now, ack.ack);
        }
        if self.recovering {
            self.recover(m, now, ack, net);
            return;
        }
        if ack.ack > m.una {
            progress(m, now, ack);
            self.timed_out = false;
            self.sacked.clear();
        } else if !self.timed_out && self.note(m, ack) {
            m.dupacks += 1;
            if m.dupacks == m.params.dupack_threshold {
                self.begin(m, now, net);
            } else if m.dupacks < m.params.dupack_threshold {
                m.limited_transmit(now, net);
            }
        }
        if m.dupacks == 0 {
            m.fill_window(now, net);
        }
    }

    fn on_timeout<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        self.recovering = false;
        self.timed_out = true;
        self.sacked.clear();
        m.dupacks = 0;
        start_over(m, now, net);
    }
}

impl Pipe {
    /// Enter the reported blocks; whether they said anything new.
    fn note(&mut self, m: &Machine, ack: &Ack<'_>) -> bool {
        self.sacked.remove_below(m.una);
        let mut new = 0;
        for block in ack.sack.iter().filter(|block| block.start >= m.una && block.end > block.start) {
            new += self.sacked.insert(*block).1;
        }
        new > 0
    }

    fn begin<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        if is_new_loss(m) {
            m.recover = m.max;
            m.halve(now);
        } else if m.cut != Cut::Mark {
            return;
        }
        m.fast_retransmit(now);
        self.in_network = m.outstanding().cast_signed() - m.dupacks.cast_signed();
        self.recovering = true;
        let lost = m.una;
        self.repaired = lost + 1;
        m.transmit(now, lost, net);
    }

    fn recover<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        self.in_network -= 1;
        if ack.ack >= m.recover {
            self.recovering = false;
            m.recover = 0;
            m.acknowledge(now, ack);
            self.sacked.clear();
            m.fill_window(now, net);
            return;
        }
        if ack.ack > m.una {
            m.advance(ack.ack);
            self.in_network -= 1;
            m.restart_timer(now);
        }
        self.note(m, ack);
        while self.in_network < m.cwnd as i32 {
            if let Some(hole) = self.next_hole(m.una) {
                self.repaired = hole + 1;
                m.transmit(now, hole, net);
                m.next = m.next.max(hole + 1);
            } else if m.next < m.end.min(m.una.saturating_add(m.params.window)) {
                let seq = m.next;
                m.next += 1;
                m.transmit(now, seq, net);
            } else {
                break;
            }
            self.in_network += 1;
        }
    }

    /// The lowest packet that has neither been reported nor sent again, below the highest one reported.
    fn next_hole(&self, una: u32) -> Option<u32> {
        let from = self.repaired.max(una);
        let hole = self.sacked.find(from).map_or(from, |run| run.end);
        self.sacked.end().filter(|end| hole < *end).map(|_| hole)
    }
}

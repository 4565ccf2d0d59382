//! Recovery in proportion without selective acknowledgements: what has arrived is estimated from counts.
//!
//! RFC 6937, section 3, "DeliveredData".
//!
//! # Law
//! A duplicate acknowledgement tells of one packet that has arrived. An acknowledgement that moves on by n packets tells of n, less
//! those that the duplicates before it have told of; it takes them out of the count, but for the packet that was missing, which no
//! duplicate stood for. What is outstanding less the count, and less the packet that is known to be lost until it is sent again,
//! is thought to be in the network, and the window is that of proportional rate reduction ([`super::prr`]).
//!
//! # Differences
//! * An acknowledgement that moves on tells of one packet at least: the retransmission that it answers.
//! * A partial acknowledgement tells of a new loss, so the conservative bound holds for it.

use super::prr::Prr;
use crate::state::SenderState;
use crate::wire::{Ack, Network};
use penstock_core::Time;

#[derive(Debug)]
pub(crate) struct CountedRecovery {
    prr: Prr,
    /// Packets above `una` that duplicates have told of.
    arrived: u32,
}

impl CountedRecovery {
    /// A recovery that began with the duplicates counted so far; the first packet has been sent again.
    pub(crate) fn begin<N: Network>(s: &mut SenderState, now: Time, net: &mut N) -> Self {
        let mut prr = Prr::new(s.outstanding() - s.limited);
        prr.on_send();
        let mut counted = Self { prr, arrived: s.dupacks };
        counted.send(s, now, 1, net);
        counted
    }

    pub(crate) fn on_duplicate<N: Network>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        // The missing packet is not among them.
        let room = s.outstanding().saturating_sub(1 + self.arrived).min(1);
        self.arrived += room;
        self.send(s, now, room, net);
    }

    pub(crate) fn on_partial<N: Network>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        let acknowledged = ack.ack - s.una;
        let delivered = acknowledged.saturating_sub(self.arrived).max(1);
        self.arrived = self.arrived.saturating_sub(acknowledged - 1);
        s.acknowledge_in_recovery(now, ack);
        self.arrived = self.arrived.min(s.outstanding().saturating_sub(1));
        let lost = s.una;
        let allowed = self.prr.on_delivery(delivered, self.pipe(s) - 1, s.ssthresh, false).max(1);
        s.set_cwnd(now, f64::from(self.pipe(s) - 1 + allowed));
        s.transmit(now, lost, net);
        self.prr.on_send();
        self.fill(s, now, net);
    }

    fn send<N: Network>(&mut self, s: &mut SenderState, now: Time, delivered: u32, net: &mut N) {
        let allowed = self.prr.on_delivery(delivered, self.pipe(s), s.ssthresh, true);
        s.set_cwnd(now, f64::from(self.pipe(s) + allowed));
        self.fill(s, now, net);
    }

    /// New packets, as far as the window allows.
    pub(crate) fn fill<N: Network>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        while f64::from(self.pipe(s)) + 1.0 <= s.cwnd && s.may_send(now) && s.send_new(now, net) {
            self.prr.on_send();
        }
    }

    /// At least 1: the missing packet is not among those that have arrived.
    fn pipe(&self, s: &SenderState) -> u32 {
        s.outstanding().saturating_sub(self.arrived)
    }
}

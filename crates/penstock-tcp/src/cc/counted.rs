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
use super::sack::send_new;
use crate::machine::Machine;
use crate::wire::{Ack, Network};
use penstock_core::Time;

#[derive(Debug)]
pub(crate) struct Counted {
    prr: Prr,
    /// Packets above `una` that duplicates have told of.
    arrived: u32,
}

impl Counted {
    /// A recovery that began with the duplicates counted so far; the first packet has been sent again.
    pub(crate) fn begin<N: Network>(m: &mut Machine, now: Time, net: &mut N) -> Self {
        let mut prr = Prr::new(m.outstanding() - m.limited);
        prr.on_send();
        let mut counted = Self { prr, arrived: m.dupacks };
        counted.send(m, now, 1, net);
        counted
    }

    pub(crate) fn on_duplicate<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        // The missing packet is not among them.
        let room = m.outstanding().saturating_sub(1 + self.arrived).min(1);
        self.arrived += room;
        self.send(m, now, room, net);
    }

    pub(crate) fn on_partial<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        let acknowledged = ack.ack - m.una;
        let delivered = acknowledged.saturating_sub(self.arrived).max(1);
        self.arrived = self.arrived.saturating_sub(acknowledged - 1);
        m.acknowledge_in_recovery(now, ack);
        self.arrived = self.arrived.min(m.outstanding().saturating_sub(1));
        let lost = m.una;
        let allowed = self.prr.on_delivery(delivered, self.pipe(m) - 1, m.ssthresh, false).max(1);
        m.set_cwnd(now, f64::from(self.pipe(m) - 1 + allowed));
        m.transmit(now, lost, net);
        self.prr.on_send();
        self.fill(m, now, net);
    }

    fn send<N: Network>(&mut self, m: &mut Machine, now: Time, delivered: u32, net: &mut N) {
        let allowed = self.prr.on_delivery(delivered, self.pipe(m), m.ssthresh, true);
        m.set_cwnd(now, f64::from(self.pipe(m) + allowed));
        self.fill(m, now, net);
    }

    /// New packets, as far as the window allows.
    pub(crate) fn fill<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        while f64::from(self.pipe(m)) + 1.0 <= m.cwnd && m.may_send(now) && send_new(m, now, net) {
            self.prr.on_send();
        }
    }

    /// At least 1: the missing packet is not among those that have arrived.
    fn pipe(&self, m: &Machine) -> u32 {
        m.outstanding().saturating_sub(self.arrived)
    }
}

//! Proportional rate reduction without SACK: delivered packets are estimated by counting duplicate ACKs.
//!
//! RFC 6937, section 3, "DeliveredData".
//!
//! # Law
//! A duplicate ACK means that one packet arrived. A partial ACK of n packets delivers n packets, less those already
//! counted by duplicate ACKs; it removes n - 1 packets from that count, since the missing packet had caused no
//! duplicate ACK. The number of packets in the network is the number outstanding, less the count, less the lost packet
//! until it is retransmitted. The window follows proportional rate reduction ([`super::prr`]).
//!
//! # Differences
//! * A partial ACK delivers at least one packet: the retransmission that it ACKs.
//! * A partial ACK reveals a new loss, so the conservative bound applies to it.

use super::prr::Prr;
use crate::packets_and_acks::{Ack, Network};
use crate::state::SenderState;
use penstock_core::Time;

#[derive(Debug)]
pub(crate) struct CountedRecovery {
    prr: Prr,
    /// Packets above `una` that duplicate ACKs have counted.
    arrived: u32,
}

impl CountedRecovery {
    /// A recovery that begins after `s.dupacks` duplicate ACKs; the first packet has been retransmitted.
    pub(crate) fn begin<N: Network>(s: &mut SenderState, now: Time, net: &mut N) -> Self {
        let mut prr = Prr::new(s.outstanding() - s.limited);
        prr.on_send();
        let mut counted = Self { prr, arrived: s.dupacks };
        counted.send(s, now, 1, net);
        counted
    }

    pub(crate) fn on_duplicate<N: Network>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        // The missing packet has not arrived.
        let room = s.outstanding().saturating_sub(1 + self.arrived).min(1);
        self.arrived += room;
        self.send(s, now, room, net);
    }

    pub(crate) fn on_partial<N: Network>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        let acked = ack.ack - s.una;
        let delivered = acked.saturating_sub(self.arrived).max(1);
        self.arrived = self.arrived.saturating_sub(acked - 1);
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

    /// Send the new packets that the window allows.
    pub(crate) fn fill<N: Network>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        while f64::from(self.pipe(s)) + 1.0 <= s.cwnd && s.may_send(now) && s.send_new(now, net) {
            self.prr.on_send();
        }
    }

    /// The result is at least 1, since the missing packet has not arrived.
    fn pipe(&self, s: &SenderState) -> u32 {
        s.outstanding().saturating_sub(self.arrived)
    }
}

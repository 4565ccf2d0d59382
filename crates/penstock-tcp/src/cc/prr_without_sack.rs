//! Proportional rate reduction without SACK: delivered packets are estimated by counting duplicate ACKs.
//!
//! RFC 9937, section 6.2.
//!
//! # Algorithm
//! A duplicate ACK means that one packet arrived. A partial ACK of n packets delivers n packets minus those already
//! counted by duplicate ACKs; it removes n - 1 packets from that count, since the missing packet had caused no
//! duplicate ACK. The number of packets in the network is the number outstanding minus the count, and minus the lost
//! packet until it is retransmitted. The window follows proportional rate reduction ([`super::prr`]).
//!
//! # Differences
//! * A partial ACK delivers at least one packet: the retransmission that it ACKs.
//! * The retransmission that a partial ACK triggers leaves even if the reduction releases no packet.

use super::prr::{Beginning, Prr};
use crate::packets_and_acks::{Ack, PacketSink};
use crate::state::SenderState;
use penstock_core::Time;

#[derive(Debug)]
pub(crate) struct CountedRecovery {
    prr: Prr,
    /// Packets above `una` that duplicate ACKs have counted.
    arrived: u32,
}

impl CountedRecovery {
    /// A recovery that begins after `s.dupacks` duplicate ACKs, with this window before the reduction; the first packet has
    /// just been retransmitted.
    pub(crate) fn begin<N: PacketSink>(s: &mut SenderState, now: Time, window: u32, net: &mut N) -> Self {
        let (outstanding, reported, limited) = (s.outstanding(), s.dupacks, s.limited);
        let beginning = Beginning { window, outstanding, reported, delivered: 1, limited };
        let mut counted = Self { prr: Prr::new(s.params.prr, &beginning), arrived: s.dupacks };
        counted.set_window(s, now, 1, true);
        counted.prr.on_send();
        counted.fill(s, now, net);
        counted
    }

    pub(crate) fn on_duplicate<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        // The missing packet has not arrived.
        let room = s.outstanding().saturating_sub(1 + self.arrived).min(1);
        self.arrived += room;
        if room > 0 {
            self.set_window(s, now, room, false);
        }
        self.fill(s, now, net);
    }

    pub(crate) fn on_partial<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        let acked = ack.ack - s.una;
        let delivered = acked.saturating_sub(self.arrived).max(1);
        self.arrived = self.arrived.saturating_sub(acked - 1);
        s.acknowledge_in_recovery(now, ack);
        self.arrived = self.arrived.min(s.outstanding().saturating_sub(1));
        let lost = s.una;
        self.set_window(s, now, delivered, true);
        s.transmit(now, lost, net);
        self.prr.on_send();
        self.fill(s, now, net);
    }

    /// Set the window after an ACK that delivers `delivered` packets. No ACK is safe: a duplicate does not advance `una`, and
    /// a partial ACK reveals a loss. `retransmits`: one of the packets that it releases is a retransmission, which the
    /// number of packets in the network already counts.
    fn set_window(&mut self, s: &mut SenderState, now: Time, delivered: u32, retransmits: bool) {
        let pipe = self.pipe(s) - u32::from(retransmits);
        let allowed = self.prr.on_delivery(delivered, pipe, s.ssthresh, false).max(u32::from(retransmits));
        s.set_cwnd(now, f64::from(pipe + allowed));
    }

    /// Send the new packets that the window allows.
    pub(crate) fn fill<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        while f64::from(self.pipe(s)) + 1.0 <= s.cwnd && s.may_send(now) && s.send_new(now, net) {
            self.prr.on_send();
        }
    }

    /// The result is at least 1, since the missing packet has not arrived.
    fn pipe(&self, s: &SenderState) -> u32 {
        s.outstanding().saturating_sub(self.arrived)
    }
}

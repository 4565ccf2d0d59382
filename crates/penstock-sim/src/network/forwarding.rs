//! The path between two ports, or between a port and a receiver: computed links and delay lines.
//!
//! The network sends a packet to its first hop (`send`). A packet that reaches a computed link, one without a queue to
//! simulate, crosses it at once (`cross`) and is followed over the computed links behind it
//! (`follow`). If something else can happen before the packet arrives, it waits on the delay line of its link
//! (`schedule_arrival`); the engine's event then takes it from there (`take_arrival`, `arrive`).

use super::Network;
use crate::packet::SimPacket;
use crate::routes::{COMPUTED, Hop, Lookahead};
use penstock_core::Time;

impl Network {
    /// A sender sends a packet into the network at its first hop.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    pub(crate) fn send(&mut self, now: Time, packet: SimPacket) {
        self.enter(now, &packet);
        let Hop { link, port, lookahead, .. } = self.hops[packet.hop as usize];
        if port == COMPUTED && lookahead == Lookahead::Never {
            // The most frequent case. The packet is stored on its line field by field, from registers: copying it as a
            // whole, right after its fields were written, would cause a store-forwarding stall.
            let (arrival, line) = self.links[link as usize].cross(now, packet.size);
            return self.schedule_arrival(line, arrival, &packet);
        }
        self.forward(now, &mut { packet });
    }

    /// Count a packet that enters the network.
    #[inline]
    pub(super) fn enter(&mut self, now: Time, packet: &SimPacket) {
        self.tally.under_way.add(packet);
        if let Some(trace) = &mut self.tally.trace {
            trace.send(now, &{ *packet });
        }
    }

    /// The packet reaches the link of its hop at `now`.
    #[inline]
    pub(super) fn forward(&mut self, now: Time, packet: &mut SimPacket) {
        match self.hops[packet.hop as usize].port {
            COMPUTED => self.cross(now, packet),
            port => self.enqueue(port, now, packet),
        }
    }

    /// The packet reaches a computed link at `now`.
    #[inline(never)]
    fn cross(&mut self, now: Time, packet: &mut SimPacket) {
        let link = self.hops[packet.hop as usize].link;
        let (arrival, line) = self.links[link as usize].cross(now, packet.size);
        self.follow(arrival, line, packet);
    }

    /// The packet will be at the far end of its hop's link, whose delay line is `line`, at `arrival`. Follow it over
    /// computed links up to its receiver or an event.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    pub(super) fn follow(&mut self, mut arrival: Time, mut line: u32, packet: &mut SimPacket) {
        // Copying the whole hop defeats scalar replacement.
        let Hop { mut last, mut lookahead, .. } = self.hops[packet.hop as usize];
        loop {
            if !self.looks_ahead(line, lookahead, packet) {
                return self.schedule_arrival(line, arrival, packet);
            }
            if last {
                return self.finish(arrival, line, packet);
            }
            packet.hop += 1;
            let (link, port);
            Hop { link, port, last, lookahead, .. } = self.hops[packet.hop as usize];
            // A queue sees its packets at the time of their arrival, never ahead of it.
            debug_assert!(port == COMPUTED, "a packet was passed on to a queue ahead of time");
            (arrival, line) = self.links[link as usize].cross(arrival, packet.size);
        }
    }

    /// Whether this packet is passed on as soon as its arrival at the far end of the link of this delay line is known.
    #[inline]
    pub(super) fn looks_ahead(&self, line: u32, lookahead: Lookahead, packet: &SimPacket) -> bool {
        lookahead == Lookahead::Always
            || (lookahead == Lookahead::IfLacking && self.is_first_and_lacking(line, &{ *packet }))
    }

    /// Whether no packet waits ahead of this one on its delay line `line`, and the receiver at the end of the link, if there
    /// is one, lacks the packet.
    #[inline(never)]
    fn is_first_and_lacking(&self, line: u32, packet: &SimPacket) -> bool {
        self.lines.is_empty(line) && self.is_lacking(packet)
    }

    /// Whether the receiver at the end of this link lacks the packet. Also true if there is no receiver or the connection is
    /// closed: nothing is acknowledged then.
    #[inline]
    fn is_lacking(&self, packet: &SimPacket) -> bool {
        let flow = &self.tally.flows[packet.flow as usize];
        let acknowledged = self.hops[packet.hop as usize].last && packet.epoch == flow.epoch;
        !acknowledged || flow.receiver.as_ref().is_some_and(|receiver| receiver.lacks(packet.seq))
    }

    /// A packet that had to wait on this delay line has arrived at its receiver. If the next packet waited only for this
    /// arrival, pass it on; returns whether it did. Without this, on a link that is never idle, all later packets would have to
    /// wait for events.
    #[cold]
    pub(crate) fn pass_on_unblocked(&mut self, line: u32) -> bool {
        let Some(arrival) = self.events.time_of(self.first_line + line) else { return false };
        let Some(packet) = self.lines.first(line) else { return false };
        let Hop { last, lookahead, .. } = self.hops[packet.hop as usize];
        let unblocked = lookahead == Lookahead::IfLacking && self.is_lacking(packet);
        if unblocked {
            let mut packet = self.take_arrival(line);
            self.arrive(arrival, line, last, &mut packet);
        }
        unblocked
    }

    /// The packet is at the end of its route, behind the link of this delay line: hand it over to its receiver or, if it is an ACK, to
    /// its sender.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    pub(super) fn finish(&mut self, now: Time, line: u32, packet: &SimPacket) {
        if packet.labels.is_ack() {
            self.hand_over_ack(now, line, packet);
        } else {
            self.deliver(now, packet);
        }
    }

    /// Like [`Network::finish`], out of line.
    #[inline(never)]
    fn finish_apart(&mut self, now: Time, line: u32, packet: &SimPacket) {
        self.finish(now, line, packet);
    }

    /// Like [`Network::schedule_arrival`], out of line.
    #[cold]
    #[inline(never)]
    pub(crate) fn wait_on_line(&mut self, line: u32, arrival: Time, packet: &SimPacket) {
        self.schedule_arrival(line, arrival, packet);
    }

    /// Schedule the arrival of the packet at the end of this delay line.
    #[inline]
    pub(super) fn schedule_arrival(&mut self, line: u32, arrival: Time, packet: &SimPacket) {
        if self.lines.push(line, arrival, packet) {
            self.events.bring_forward(self.first_line + line, arrival);
        }
    }

    /// Remove the packet that has arrived from the head of this delay line. The caller passes it on.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    pub(crate) fn take_arrival(&mut self, line: u32) -> SimPacket {
        let (packet, next) = self.lines.pop(line);
        self.events.set(self.first_line + line, next);
        packet
    }

    /// The packet is at the far end of the link of this delay line: pass it on to the next hop or to its receiver.
    /// (`Engine::on_arrival` handles ACKs whose arrival is an event.)
    #[inline]
    pub(crate) fn arrive(&mut self, now: Time, line: u32, last: bool, packet: &mut SimPacket) {
        if last {
            self.finish_apart(now, line, packet);
        } else {
            self.pass_to_next(now, packet);
        }
    }

    /// The packet is at the far end of the link of a hop that is not its last: pass it on to the next hop.
    #[inline]
    pub(super) fn pass_to_next(&mut self, now: Time, packet: &mut SimPacket) {
        packet.hop += 1;
        self.forward(now, packet);
    }
}

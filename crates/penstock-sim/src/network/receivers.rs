//! Packets at their receivers, the ACKs that answer them, and the return path of the ACKs.

use super::Network;
use crate::flow::NO_TIMER;
use crate::packet::{NO_SACK, SimPacket};
use crate::routes::{COMPUTED, Hop};
use penstock_core::Time;
use penstock_tcp::RegularAnswer;

/// An ACK that has arrived at its sender, or whose arrival is known ahead of time.
#[derive(Clone, Copy)]
pub(crate) struct NextAck {
    /// Time of the arrival; [`Time::NEVER`] if there is no such ACK.
    pub(crate) at: Time,
    /// The delay line of an ACK that is still to arrive, or [`ARRIVED`].
    pub(crate) line: u32,
    pub(crate) packet: SimPacket,
}

/// Instead of a delay line: the ACK has arrived.
pub(crate) const ARRIVED: u32 = u32::MAX;

/// The answer to a data packet, if it is a plain ACK.
enum PlainAnswer {
    /// This ACK.
    Ack(SimPacket),
    /// The answer of [`Network::answer_at_gap`].
    AtGap,
    /// The packet needs another answer, or none; nothing has happened yet.
    None,
}

impl Network {
    /// A data packet or datagram has reached its receiver, which may answer.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    pub(super) fn deliver(&mut self, now: Time, packet: &SimPacket) {
        match self.answer_plainly(now, packet) {
            PlainAnswer::Ack(ack) => self.send_ack(now, ack),
            PlainAnswer::AtGap => {
                if let Some(ack) = self.answer_at_gap(packet) {
                    self.send_any_ack(now, &ack);
                }
            }
            PlainAnswer::None => self.deliver_any(now, packet),
        }
    }

    /// A data packet has reached its receiver. Returns the answer if it is a plain ACK, as for most packets.
    #[inline]
    fn answer_plainly(&mut self, now: Time, packet: &SimPacket) -> PlainAnswer {
        let flow = &mut self.tally.flows[packet.flow as usize];
        let Some(receiver) = flow.receiver.as_mut().filter(|receiver| receiver.is_plain(packet.extra)) else {
            return PlainAnswer::None;
        };
        if packet.epoch != flow.epoch || flow.measured || !packet.labels.is_plain() {
            return PlainAnswer::None;
        }
        if self.tally.trace.is_some() || !self.tally.window.contains(now) {
            return PlainAnswer::None;
        }
        let Some(size) = receiver.take_next(packet.seq) else { return PlainAnswer::AtGap };
        self.tally.under_way.replace(packet.size, size);
        PlainAnswer::Ack(packet.plain_ack(packet.seq + 1, NO_SACK, size, flow.ack_hop, flow.dscp))
    }

    /// The plain ACK of a packet that is not the next one, or that arrives while others are missing.
    #[inline(never)]
    fn answer_at_gap(&mut self, packet: &SimPacket) -> Option<SimPacket> {
        let flow = &mut self.tally.flows[packet.flow as usize];
        let (next, blocks, size) = flow.receiver.as_mut()?.take_any(packet.seq);
        self.tally.under_way.replace(packet.size, size);
        Some(packet.plain_ack(next, self.tally.sacks.keep(blocks), size, flow.ack_hop, flow.dscp))
    }

    /// Like [`Network::deliver`], for packets without a plain ACK as their answer, and for all packets outside the
    /// measurement window or with a trace.
    #[inline(never)]
    pub(crate) fn deliver_any(&mut self, now: Time, packet: &SimPacket) {
        self.tally.receive(now, packet);
        let flow = &mut self.tally.flows[packet.flow as usize];
        if packet.epoch != flow.epoch {
            return;
        }
        let receiver = flow
            .receiver
            .as_mut()
            .filter(|receiver| receiver.is_regular(packet.seq, packet.extra, packet.labels.is_plain()));
        let Some(receiver) = receiver else { return self.deliver_irregular(now, packet) };
        if flow.measured || !self.tally.window.contains(now) {
            return self.deliver_irregular(now, packet);
        }
        debug_assert!(flow.receiver_rank != NO_TIMER, "a receiver that delays ACKs has a timer");
        let ack = match receiver.take_regular(now, &packet.segment()) {
            RegularAnswer::Ack(ack) => ack,
            RegularAnswer::Delayed(due) => return self.events.bring_forward(flow.receiver_rank, due),
        };
        let ack = flow.acknowledgement(packet.flow, &ack, &mut self.tally.sacks);
        self.enter(now, &ack);
        self.send_ack(now, ack);
    }

    /// A data packet that is not regular, or a datagram, has reached its receiver.
    #[inline(never)]
    fn deliver_irregular(&mut self, now: Time, packet: &SimPacket) {
        let tally = &mut self.tally;
        let counts = tally.window.contains(now);
        let flow = &mut tally.flows[packet.flow as usize];
        let Some(receiver) = &mut flow.receiver else {
            return tally.deliver_datagram(now, packet);
        };
        let segment = packet.segment();
        let before = if counts { 0 } else { receiver.delivered_bytes() };
        if flow.measured
            && counts
            && let Some(delays) = &mut tally.one_way[flow.group as usize]
        {
            delays.deliver(packet.flow, now - packet.stamp);
        }
        let earlier = receiver.ack_before(&segment);
        let earlier = earlier.map(|ack| flow.acknowledgement(packet.flow, &ack, &mut tally.sacks));
        let Some(receiver) = &mut flow.receiver else { return };
        let ack = receiver.on_segment(now, &segment);
        if !counts {
            flow.stats.payload_bytes += receiver.delivered_bytes() - before;
        }
        // Most delayed ACKs leave with the next packet, so the entry in the event queue is kept and checked again at its time.
        if flow.receiver_rank != NO_TIMER
            && let Some(due) = receiver.timer()
        {
            self.events.bring_forward(flow.receiver_rank, due);
        }
        let ack = ack.map(|ack| flow.acknowledgement(packet.flow, &ack, &mut tally.sacks));
        if let Some(earlier) = earlier {
            self.enter(now, &earlier);
            self.send_any_ack(now, &earlier);
        }
        let Some(ack) = ack else { return };
        self.enter(now, &ack);
        self.send_ack(now, ack);
    }

    /// The timer of a receiver that delays acknowledgements expires.
    pub(crate) fn on_receiver_timer(&mut self, now: Time, number: u32) {
        let flow = &mut self.tally.flows[number as usize];
        let Some(receiver) = &mut flow.receiver else { return };
        let ack = receiver.on_timer(now);
        self.events.set(flow.receiver_rank, receiver.timer().unwrap_or(Time::NEVER));
        if let Some(ack) = ack {
            let ack = flow.acknowledgement(number, &ack, &mut self.tally.sacks);
            self.enter(now, &ack);
            self.send_any_ack(now, &ack);
        }
    }

    /// A receiver sends this ACK at `now`. Repeats [`Network::forward`] and [`Network::cross`] without a reference to the ACK, so
    /// that its fields stay in registers: copying memory just written in pieces would cause a store-forwarding stall.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    fn send_ack(&mut self, mut now: Time, mut ack: SimPacket) {
        loop {
            let Hop { link, port, last, lookahead, .. } = self.hops[ack.hop as usize];
            if port != COMPUTED {
                return self.enqueue(port, now, &mut { ack });
            }
            let line;
            (now, line) = self.links[link as usize].cross(now, ack.size);
            if !self.looks_ahead(line, lookahead, &ack) {
                return self.schedule_arrival(line, now, &ack);
            }
            if last {
                return self.hand_over_ack(now, line, &ack);
            }
            ack.hop += 1;
        }
    }

    /// Like [`Network::send_ack`], out of line.
    #[inline(never)]
    fn send_any_ack(&mut self, now: Time, ack: &SimPacket) {
        self.send_ack(now, *ack);
    }

    /// Offer an acknowledgement that will reach its sender at `arrival`, over the link of this delay line, to the engine.
    #[inline]
    pub(super) fn hand_over_ack(&mut self, arrival: Time, line: u32, packet: &SimPacket) {
        if self.ack.at == Time::NEVER {
            self.ack = NextAck { at: arrival, line, packet: *packet };
        } else {
            self.hand_over_later(NextAck { at: arrival, line, packet: *packet });
        }
    }

    #[cold]
    #[inline(never)]
    fn hand_over_later(&mut self, ack: NextAck) {
        self.more_acks.push_back(ack);
    }

    /// The engine has handed over the ACK offered last: offer the next one; returns whether there is one.
    #[inline]
    pub(crate) fn offer_next_ack(&mut self) -> bool {
        if self.more_acks.is_empty() {
            return false;
        }
        self.more_acks.pop_front().map(|ack| self.ack = ack).is_some()
    }
}

//! The outstanding packets: when each was last sent, and whether it was delivered or lost.
//!
//! RFC 8985 (RACK-TLP), section 6; section numbers refer to it.
//!
//! # Algorithm
//! `RACK.segment` is the delivered packet that was sent last. A packet sent before it is lost `RACK.rtt + reo_wnd`
//! after it was sent (section 6.2, step 5). Transmissions are kept in order of sending time, so loss detection examines
//! only the oldest. Packets in the network: outstanding - reported - lost + retransmitted (RFC 6675, SetPipe).
//! *Reported* means covered by a SACK block.
//!
//! # Differences
//! * `min_RTT` is the minimum over the connection.
//! * A retransmitted packet counts as reordered too (step 3), if the echoed time shows that its first transmission was
//!   delivered. By the RFC only packets that were never retransmitted count as reordered, so reordering that always
//!   causes retransmissions would never be seen, and the reordering window would stay 0.
//! * The reordering timer ends at the earliest time at which a packet is lost, not at the latest (step 5).
//! * When an ACK moves `una` and carries SACK blocks, `RACK.rtt` is the round-trip time of the last packet ACKed in order, as
//!   observed in Linux 6.1, and not of the packet sent last (step 2): a packet sent together with one whose ACK was delayed is
//!   then late, not lost.

use crate::packet_ranges::PacketRanges;
use crate::packets_and_acks::{Ack, SackBlock, SackBlocks};
use crate::reordering_window::ReorderingWindow;
use alloc::collections::{BinaryHeap, VecDeque};
use core::cmp::Reverse;
use penstock_core::{Span, Time};

#[derive(Clone, Copy, Debug)]
struct Packet {
    /// When the packet was last sent.
    sent: Time,
    reported: bool,
    lost: bool,
    /// Whether a retransmission of the packet is in the network.
    again: bool,
    /// Whether the packet was retransmitted at least once.
    repeated: bool,
}

impl Packet {
    /// Whether the packet was sent once, and is neither delivered nor lost.
    #[inline]
    fn is_fresh(&self) -> bool {
        !(self.repeated | self.reported | self.lost)
    }
}

/// Summary of an ACK.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AckSummary {
    /// Packets newly delivered.
    pub(crate) delivered: u32,
    /// Whether a reported packet was sent before the last transmission of the oldest outstanding packet.
    pub(crate) before_first: bool,
    /// The SACK blocks that report a packet for the first time.
    pub(crate) new_blocks: SackBlocks,
}

/// Losses detected at one time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Losses {
    pub(crate) count: u32,
    /// Whether a retransmission is among the lost packets.
    pub(crate) again: bool,
}

/// Retransmissions in the network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repairs {
    pub(crate) count: u32,
    /// When the first of them was sent.
    pub(crate) first_sent: Option<Time>,
}

/// The outstanding packets of a sender.
#[derive(Debug, Default)]
pub(crate) struct RackScoreboard {
    una: u32,
    /// The packets from `una` on.
    packets: VecDeque<Packet>,
    reported: PacketRanges,
    /// The SACK blocks of the last ACK that had any.
    last_blocks: SackBlocks,
    /// Packets below this one are not fresh. Fresh packets are already in order of sending time.
    first_fresh: u32,
    /// Retransmissions in order of time; only the last one of each packet counts.
    retransmissions: VecDeque<(Time, u32)>,
    /// Lost packets to retransmit, lowest first; may contain packets that have arrived since.
    to_retransmit: BinaryHeap<Reverse<u32>>,
    /// Numbers of reported packets, of lost packets, and of packets with a retransmission in the network.
    reported_count: u32,
    lost_count: u32,
    again_count: u32,
    /// When `RACK.segment` was sent, and its number.
    latest: (Time, u32),
    rtt: Span,
    min_rtt: Option<Span>,
    /// `RACK.fack`.
    highest: u32,
    reordering: ReorderingWindow,
}

impl RackScoreboard {
    /// Packet `seq`, outstanding or the next new one, is sent.
    #[inline]
    pub(crate) fn on_send(&mut self, now: Time, seq: u32) {
        let index = (seq - self.una) as usize;
        if index < self.packets.len() {
            self.on_retransmit(now, seq);
        } else {
            self.packets.push_back(Packet { sent: now, reported: false, lost: false, again: false, repeated: false });
        }
    }

    #[inline(never)]
    fn on_retransmit(&mut self, now: Time, seq: u32) {
        self.retransmissions.push_back((now, seq));
        let packet = &mut self.packets[(seq - self.una) as usize];
        self.again_count += u32::from(!packet.again);
        *packet = Packet { sent: now, again: true, repeated: true, ..*packet };
    }

    /// Process an ACK. With `timestamps` the echoed time identifies the transmission that it ACKs (step 2).
    pub(crate) fn on_ack(&mut self, now: Time, ack: &Ack<'_>, timestamps: bool) -> AckSummary {
        let mut summary = AckSummary::default();
        let echo = if timestamps { ack.stamp } else { now };
        // The last of successive fresh packets determines the round-trip time, because it was sent last.
        let (mut in_order, mut last_fresh) = (None, None);
        while self.una < ack.ack {
            if let Some(packet) = self.packets.pop_front() {
                if packet.is_fresh() {
                    summary.delivered += 1;
                    if self.una + 1 < self.highest {
                        self.reordering.note_reordering();
                    }
                    last_fresh = Some((packet.sent, self.una));
                } else {
                    if let Some(last) = last_fresh.take() {
                        in_order = Some(self.deliver_fresh(now, last));
                    }
                    if packet.reported {
                        self.reported_count -= 1;
                    } else {
                        summary.delivered += 1;
                        in_order = self.deliver_in_order(now, packet, echo).or(in_order);
                    }
                }
            }
            self.una += 1;
        }
        if let Some(last) = last_fresh {
            in_order = Some(self.deliver_fresh(now, last));
        }
        if !self.reported.is_empty() {
            self.reported.remove_below(self.una);
        }
        if !ack.sack.is_empty() {
            self.report_all(now, ack, &mut summary);
        }
        self.rtt = in_order.unwrap_or(self.rtt);
        summary
    }

    /// The SACK blocks of an ACK.
    #[inline(never)]
    fn report_all(&mut self, now: Time, ack: &Ack<'_>, summary: &mut AckSummary) {
        // Most blocks repeat earlier reports. Process the others by sequence number: the receiver lists the newest block first,
        // and this order must not be mistaken for reordering.
        let end = self.una + self.packets.len() as u32;
        for (place, &block) in ack.sack.iter().enumerate() {
            if self.last_blocks.get(place) == Some(&block) {
                continue;
            }
            let block = SackBlock { start: block.start.max(self.una), end: block.end.min(end) };
            if !self.reported.contains(block) {
                summary.new_blocks.push(block);
            }
        }
        self.last_blocks = ack.sack.into();
        let (mut blocks, count) = ([SackBlock::default(); SackBlocks::CAPACITY], summary.new_blocks.len());
        blocks[..count].copy_from_slice(&summary.new_blocks);
        blocks[..count].sort_unstable_by_key(|block| block.start);
        for block in &blocks[..count] {
            self.report(now, *block, summary);
        }
    }

    /// The packets of this block, which is not empty, were delivered.
    fn report(&mut self, now: Time, block: SackBlock, summary: &mut AckSummary) {
        let mut seq = block.start;
        let first_sent = self.packets.front().map_or(Time::NEVER, |first| first.sent);
        while seq < block.end {
            if let Some(run) = self.reported.find(seq) {
                seq = run.end;
                continue;
            }
            let packet = self.packets[(seq - self.una) as usize];
            // The echoed time belongs to the last packet in order (RFC 7323, section 4.3), not to a packet in a SACK
            // block.
            self.deliver(now, seq, packet, now);
            self.packets[(seq - self.una) as usize] = Packet { reported: true, lost: false, again: false, ..packet };
            self.reported_count += 1;
            summary.delivered += 1;
            summary.before_first |= packet.sent < first_sent;
            seq += 1;
        }
        self.reported.insert(block);
    }

    /// Like [`Self::deliver`], for a fresh packet, given by its sending time and its number, that no other packet
    /// overtook.
    #[inline]
    fn deliver_fresh(&mut self, now: Time, (sent, seq): (Time, u32)) -> Span {
        self.rtt = now.since(sent);
        self.latest = self.latest.max((sent, seq));
        if self.min_rtt.is_none_or(|min_rtt| self.rtt < min_rtt) {
            self.min_rtt = Some(self.rtt);
        }
        self.highest = self.highest.max(seq + 1);
        self.rtt
    }

    /// Like [`Self::deliver`], for the oldest packet; not inlined.
    #[inline(never)]
    fn deliver_in_order(&mut self, now: Time, packet: Packet, echo: Time) -> Option<Span> {
        self.deliver(now, self.una, packet, echo)
    }

    /// Packet `seq`, not reported before, was delivered (steps 1 to 3). Returns its round-trip time if it can be measured.
    #[inline]
    fn deliver(&mut self, now: Time, seq: u32, packet: Packet, echo: Time) -> Option<Span> {
        self.lost_count -= u32::from(packet.lost);
        self.again_count -= u32::from(packet.again);
        let rtt = now.since(packet.sent);
        // The echo belongs to an earlier transmission.
        let is_original = packet.repeated && echo < packet.sent;
        let is_spurious = is_original || packet.repeated && self.min_rtt.is_some_and(|min_rtt| rtt < min_rtt);
        if !is_spurious {
            self.rtt = rtt;
            self.latest = self.latest.max((packet.sent, seq));
        }
        if !packet.repeated {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |min_rtt| min_rtt.min(rtt)));
        }
        if seq >= self.highest {
            self.highest = seq + 1;
        } else if (!packet.repeated || is_original) && seq + 1 < self.highest {
            self.reordering.note_reordering();
        }
        (!is_spurious).then_some(rtt)
    }

    /// Adapt the reordering window (step 4) after an ACK that reports a duplicate or ends a recovery.
    pub(crate) fn adapt_reordering_window(&mut self, has_duplicate: bool) {
        self.reordering.adapt(self.una, self.una + self.packets.len() as u32, has_duplicate);
    }

    /// The reordering window (step 4). `repairing`: in a recovery, or after a timeout.
    pub(crate) fn reordering_window(&self, repairing: bool, threshold: u32, srtt: Option<Span>) -> Span {
        self.reordering.span(repairing, (self.reported_count, threshold), self.min_rtt, srtt)
    }

    /// Detect losses (step 5) from [`Self::oldest_overtaken`] on, and report each lost packet. Also returns when the oldest
    /// transmission left will count as lost; `None` unless a later transmission was delivered.
    pub(crate) fn detect(
        &mut self,
        now: Time,
        first: (Time, u32),
        window: Span,
        mut lost: impl FnMut(u32),
    ) -> (Losses, Option<Time>) {
        let (mut losses, mut oldest) = (Losses::default(), Some(first));
        while let Some((sent, seq)) = oldest {
            let lost_at = sent + (self.rtt + window);
            if lost_at > now {
                return (losses, Some(lost_at));
            }
            losses.count += 1;
            losses.again |= self.lose(seq);
            lost(seq);
            oldest = self.oldest_overtaken();
        }
        (losses, None)
    }

    /// The oldest transmission that is neither delivered nor lost, if a later one was delivered.
    #[inline]
    pub(crate) fn oldest_overtaken(&mut self) -> Option<(Time, u32)> {
        // The usual case: all packets outstanding were sent after the delivered ones.
        let is_later = |packet: &Packet| packet.is_fresh() && (packet.sent, self.una) > self.latest;
        if self.retransmissions.is_empty() && self.packets.front().is_none_or(is_later) {
            return None;
        }
        self.search_overtaken()
    }

    #[inline(never)]
    fn search_overtaken(&mut self) -> Option<(Time, u32)> {
        let fresh = self.oldest_fresh();
        let oldest = match self.retransmissions.front() {
            Some(first) if *first < self.latest => self.older_retransmission(fresh),
            _ => fresh,
        };
        oldest.filter(|oldest| *oldest < self.latest)
    }

    /// The oldest transmission of a fresh packet.
    #[inline]
    fn oldest_fresh(&mut self) -> Option<(Time, u32)> {
        self.first_fresh = self.first_fresh.max(self.una);
        loop {
            let packet = self.packets.get((self.first_fresh - self.una) as usize)?;
            if packet.is_fresh() {
                return Some((packet.sent, self.first_fresh));
            }
            self.first_fresh += 1;
        }
    }

    /// The oldest retransmission that is neither delivered nor lost, or this fresh transmission if it is older.
    #[inline(never)]
    fn older_retransmission(&mut self, fresh: Option<(Time, u32)>) -> Option<(Time, u32)> {
        while let Some((sent, seq)) = self.retransmissions.front().copied() {
            if self.is_in_network(sent, seq) {
                return Some(fresh.map_or((sent, seq), |fresh| fresh.min((sent, seq))));
            }
            self.retransmissions.pop_front();
        }
        fresh
    }

    fn is_in_network(&self, sent: Time, seq: u32) -> bool {
        let packet = seq.checked_sub(self.una).and_then(|index| self.packets.get(index as usize));
        packet.is_some_and(|packet| packet.sent == sent && !packet.reported && (packet.again || !packet.lost))
    }

    /// The last transmission of packet `seq` is lost. Returns whether that was a retransmission.
    fn lose(&mut self, seq: u32) -> bool {
        let packet = &mut self.packets[(seq - self.una) as usize];
        let again = packet.again;
        self.lost_count += u32::from(!packet.lost);
        self.again_count -= u32::from(again);
        packet.lost = true;
        packet.again = false;
        self.to_retransmit.push(Reverse(seq));
        again
    }

    /// After a timeout: the first packet is lost, and so are all packets sent at least `RACK.rtt` and the reordering window
    /// `window` ago (section 6.3). Reports each of them to `lost`.
    pub(crate) fn lose_old(&mut self, now: Time, window: Span, mut lost: impl FnMut(u32)) {
        for index in 0..self.packets.len() {
            let (seq, sent) = (self.una + index as u32, self.packets[index].sent);
            if self.is_in_network(sent, seq) && (index == 0 || sent + (self.rtt + window) <= now) {
                self.lose(seq);
                lost(seq);
            }
        }
    }

    /// Clear the loss marks of packets that were not retransmitted yet; [`Self::detect`] judges them again. Visits all outstanding
    /// packets.
    pub(crate) fn revoke_losses(&mut self) {
        for index in 0..self.packets.len() {
            let packet = &mut self.packets[index];
            if packet.lost && !packet.again {
                packet.lost = false;
                self.lost_count -= 1;
                if packet.repeated {
                    self.retransmissions.push_front((packet.sent, self.una + index as u32));
                }
            }
        }
        self.first_fresh = self.una;
        self.retransmissions.make_contiguous().sort_unstable();
        self.to_retransmit.clear();
    }

    /// The retransmissions in the network. Visits all outstanding packets.
    pub(crate) fn repairs(&self) -> Repairs {
        let sent = self.packets.iter().filter(|packet| packet.again).map(|packet| packet.sent);
        Repairs { count: self.again_count, first_sent: if self.again_count > 0 { sent.min() } else { None } }
    }

    /// The lowest packet that is lost and not retransmitted.
    #[inline]
    pub(crate) fn next_lost(&mut self) -> Option<u32> {
        if self.to_retransmit.is_empty() { None } else { self.next_repair() }
    }

    #[inline(never)]
    fn next_repair(&mut self) -> Option<u32> {
        while let Some(Reverse(seq)) = self.to_retransmit.peek().copied() {
            let packet = seq.checked_sub(self.una).and_then(|index| self.packets.get(index as usize));
            if packet.is_some_and(|packet| packet.lost && !packet.again) {
                return Some(seq);
            }
            self.to_retransmit.pop();
        }
        None
    }

    /// Whether any packet is lost.
    pub(crate) fn has_lost(&self) -> bool {
        self.lost_count > 0
    }

    /// The minimum round-trip time of the connection.
    pub(crate) fn min_rtt(&self) -> Option<Span> {
        self.min_rtt
    }

    /// When the oldest outstanding packet was last sent.
    pub(crate) fn first_sent(&self) -> Option<Time> {
        self.packets.front().map(|packet| packet.sent)
    }

    /// Time of the last transmission; `None` if nothing is outstanding.
    pub(crate) fn last_sent(&self) -> Option<Time> {
        let last_new = self.packets.back()?.sent;
        Some(self.retransmissions.back().map_or(last_new, |(sent, _)| last_new.max(*sent)))
    }

    /// Number of reported packets.
    pub(crate) fn reported(&self) -> u32 {
        self.reported_count
    }

    /// Whether a packet above the first missing one is reported.
    pub(crate) fn has_reported(&self) -> bool {
        self.reported_count > 0
    }

    /// Estimated number of packets in the network.
    pub(crate) fn pipe(&self) -> u32 {
        self.packets.len() as u32 - self.reported_count - self.lost_count + self.again_count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    /// RFC 8985, sections 6.1 to 6.3, written out packet by packet over all packets of the connection.
    #[derive(Default)]
    struct PlainRack {
        segments: Vec<PlainSegment>,
        una: usize,
        rtt: u64,
        min_rtt: u64,
        latest: (u64, usize),
        fack: usize,
        reordering: bool,
    }

    struct PlainSegment {
        sent: u64,
        delivered: bool,
        lost: bool,
        repeated: bool,
        in_network: bool,
    }

    impl PlainRack {
        fn send(&mut self, now: u64, seq: usize) {
            let fresh = PlainSegment { sent: now, delivered: false, lost: false, repeated: false, in_network: true };
            match self.segments.get_mut(seq) {
                Some(segment) => *segment = PlainSegment { repeated: true, ..fresh },
                None => self.segments.push(fresh),
            }
        }

        /// Deliver packets, in the order of their numbers.
        fn deliver(&mut self, now: u64, seqs: &[usize]) {
            for &seq in seqs {
                let segment = &mut self.segments[seq];
                (segment.delivered, segment.in_network, segment.lost) = (true, false, false);
                let rtt = now - segment.sent;
                if !(segment.repeated && rtt < self.min_rtt) {
                    self.rtt = rtt;
                    self.latest = self.latest.max((segment.sent, seq));
                }
                if !segment.repeated {
                    self.min_rtt = if self.min_rtt == 0 { rtt } else { self.min_rtt.min(rtt) };
                    self.reordering |= seq + 1 < self.fack;
                }
                self.fack = self.fack.max(seq + 1);
            }
            while self.segments.get(self.una).is_some_and(|segment| segment.delivered) {
                self.una += 1;
            }
        }

        fn window(&self) -> u64 {
            let sacked = self.segments[self.una..].iter().filter(|segment| segment.delivered).count();
            if !self.reordering && sacked >= 3 { 0 } else { self.min_rtt / 4 }
        }

        fn detect(&mut self, now: u64) {
            let window = self.window();
            for (seq, segment) in self.segments.iter_mut().enumerate().filter(|(_, segment)| segment.in_network) {
                if (segment.sent, seq) < self.latest && segment.sent + self.rtt + window <= now {
                    (segment.lost, segment.in_network) = (true, false);
                }
            }
        }
    }

    impl PlainRack {
        fn revoke_losses(&mut self) {
            for segment in self.segments.iter_mut().filter(|segment| segment.lost && !segment.delivered) {
                (segment.lost, segment.in_network) = (false, true);
            }
        }

        /// RACK_mark_losses_on_RTO (section 6.3).
        fn time_out(&mut self, now: u64) {
            let (una, overdue) = (self.una, self.rtt + self.window());
            for (seq, segment) in self.segments.iter_mut().enumerate().filter(|(_, segment)| segment.in_network) {
                if seq == una || segment.sent + overdue <= now {
                    (segment.lost, segment.in_network) = (true, false);
                }
            }
        }
    }

    /// The cumulative ACK after the delivery of `seqs`, and blocks for those above it.
    fn ack_of(plain: &PlainRack, seqs: &[usize]) -> (u32, Vec<SackBlock>) {
        let una = plain.una as u32;
        let above = seqs.iter().map(|seq| *seq as u32).filter(|seq| *seq >= una);
        (una, above.map(|seq| SackBlock { start: seq, end: seq + 1 }).collect())
    }

    fn detect(flight: &mut RackScoreboard, now: Time, window: Span) -> (Losses, Option<Time>) {
        let first = flight.oldest_overtaken();
        first.map_or_else(Default::default, |first| flight.detect(now, first, window, |_| ()))
    }

    #[test]
    fn an_ack_with_blocks_gives_the_round_trip_of_the_last_packet_in_order() {
        let (at, mut flight) = (Time::from_nanos, RackScoreboard::default());
        for (sent, seq) in [(0, 0), (0, 1), (35, 2)] {
            flight.on_send(at(sent), seq);
        }
        let sack = [SackBlock { start: 2, end: 3 }];
        // The round-trip time of packet 0 is 75, since its ACK was delayed. With the round-trip time of packet 2, which
        // is 40, packet 1 would count as lost at 50.
        let ack = Ack { ack: 1, stamp: at(0), ece: false, ace: 0, sack: &sack, retransmission: false };
        flight.on_ack(at(75), &ack, true);
        let window = flight.reordering_window(false, 3, None);
        assert_eq!(window.as_nanos(), 10);
        let (losses, next) = detect(&mut flight, at(75), window);
        assert_eq!((losses.count, next), (0, Some(at(85))));
    }

    proptest! {
        #[test]
        fn packets_are_lost_as_the_rfc_says(ops in prop::collection::vec((0_u32..7, 0_usize..6, 1_u64..40), 1..80)) {
            let (mut flight, mut plain, mut now) = (RackScoreboard::default(), PlainRack::default(), 1_000_000);
            for (op, at, passed) in ops {
                now += passed;
                let time = Time::from_nanos(now);
                match op {
                    0 | 1 => {
                        let seq = plain.segments.len();
                        flight.on_send(time, seq as u32);
                        plain.send(now, seq);
                    }
                    2 => {
                        let lost = plain.segments.iter().position(|segment| segment.lost && !segment.in_network);
                        prop_assert_eq!(flight.next_lost(), lost.map(|seq| seq as u32));
                        if let Some(seq) = lost {
                            flight.on_send(time, seq as u32);
                            plain.send(now, seq);
                        }
                    }
                    3 => {
                        let window = flight.reordering_window(false, 3, None);
                        let mut lost = Vec::new();
                        flight.lose_old(time, window, |seq| lost.push(seq as usize));
                        let before: Vec<bool> = plain.segments.iter().map(|segment| segment.in_network).collect();
                        plain.time_out(now);
                        let wanted = (0..before.len()).filter(|seq| before[*seq] && !plain.segments[*seq].in_network);
                        prop_assert!(lost.into_iter().eq(wanted));
                    }
                    4 => {
                        flight.revoke_losses();
                        plain.revoke_losses();
                    }
                    _ => {
                        let waiting = (plain.una..plain.segments.len()).filter(|seq| !plain.segments[*seq].delivered);
                        let seqs: Vec<usize> = waiting.skip(at).take(1).collect();
                        plain.deliver(now, &seqs);
                        let (una, blocks) = ack_of(&plain, &seqs);
                        let ack = Ack { ack: una, stamp: time, ece: false, ace: 0, sack: &blocks, retransmission: false };
                        let summary = flight.on_ack(time, &ack, false);
                        prop_assert_eq!(summary.delivered as usize, seqs.len());
                    }
                }
                let window = flight.reordering_window(false, 3, None);
                prop_assert_eq!(window.as_nanos(), plain.window());
                detect(&mut flight, time, window);
                plain.detect(now);
                prop_assert_eq!(flight.pipe() as usize, plain.segments.iter().filter(|segment| segment.in_network).count());
                let lost = plain.segments.iter().any(|segment| segment.lost && !segment.delivered);
                prop_assert!(flight.has_lost() || !lost);
            }
        }
    }
}

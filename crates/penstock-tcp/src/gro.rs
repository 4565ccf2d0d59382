//! Generic receive offload (GRO): packets that arrive together are merged and share one ACK.
//!
//! Linux, "Segmentation Offloads" (Documentation/networking/segmentation-offloads): packets are merged only if
//! segmenting the merged packet would restore their headers. E. Dumazet, "net: gro: add a per device gro flush timer" (2014):
//! merged packets are held for a given time (`gro_flush_timeout`), but not after a pushed packet. In recordings of Linux 6.1
//! each packet restarts this timer.
//!
//! # Rules
//! The first packet opens a batch. The batch ends when no packet has joined it for the time `gro`. A packet joins the batch if
//! it has the next sequence number, the same ECN field, the same timestamp in milliseconds (RFC 7323), and no CWR. Any other
//! packet ends the batch and opens the next one. A batch ends immediately after a pushed or short packet, and when it has
//! `gro_max` bytes.
//!
//! The receiver answers a batch with at most one ACK, at its end. If none of its packets requires an ACK, the ACK is delayed as
//! usual. For accurate ECN, RFC 9768 recommends several ACKs, one per transition and per n marks, but permits a single one at the
//! end of the batch (section 3.2.2.5.1).
//!
//! # Differences
//! * The receiver reassembles each packet when it arrives; only the ACK waits. Data therefore counts as received up to `gro`
//!   earlier than in Linux.
//! * A duplicate packet ends its batch, so that the report of the duplicate is not lost.

use crate::packets_and_acks::Segment;
use crate::params::TcpParams;
use penstock_core::{Ecn, Span, Time};

/// The ACK that a batch requires: the time that the ACK echoes, and whether it answers a retransmission.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchAck {
    pub(crate) stamp: Time,
    pub(crate) retransmission: bool,
}

/// The merging of packets at one receiver.
#[derive(Clone, Debug)]
pub(crate) struct Gro {
    hold: Span,
    max_bytes: u64,
    full_packet: u32,
    /// The sequence number, the ECN field and the timestamp in ms of the packet that may join the batch.
    next: u32,
    ecn: Ecn,
    millis: u64,
    bytes: u64,
    /// When the batch ends; `NEVER`: there is no batch.
    pub(crate) until: Time,
    ack: Option<BatchAck>,
}

fn millis(time: Time) -> u64 {
    time.as_nanos() / 1_000_000
}

impl Gro {
    /// `None` without `gro`.
    pub(crate) fn new(params: &TcpParams) -> Option<Self> {
        (params.gro > Span::ZERO).then_some(Self {
            hold: params.gro,
            max_bytes: params.gro_max.0,
            full_packet: params.packet.0 as u32,
            next: 0,
            ecn: Ecn::Not,
            millis: 0,
            bytes: 0,
            until: Time::NEVER,
            ack: None,
        })
    }

    /// Whether a batch is open to which this packet does not belong, so that the batch ends.
    pub(crate) fn is_ended_by(&self, segment: &Segment) -> bool {
        let joins = segment.seq == self.next
            && segment.ecn == self.ecn
            && millis(segment.stamp) == self.millis
            && !segment.cwr
            && self.bytes + u64::from(segment.payload) <= self.max_bytes;
        self.until != Time::NEVER && !joins
    }

    /// A packet arrived and joins the batch or opens one; `ack`: the ACK that it requires. Returns whether it ends the batch.
    pub(crate) fn add(&mut self, now: Time, segment: &Segment, ack: Option<BatchAck>) -> bool {
        if self.until == Time::NEVER {
            self.bytes = 0;
            (self.ecn, self.millis) = (segment.ecn, millis(segment.stamp));
        }
        self.until = now + self.hold;
        self.next = segment.seq + 1;
        self.bytes += u64::from(segment.payload);
        // The first ACK echoes the oldest time.
        self.ack = self.ack.or(ack);
        segment.push || segment.payload < self.full_packet || self.bytes >= self.max_bytes
    }

    /// End the batch; returns the ACK that it requires, and the ECN field of its packets.
    pub(crate) fn end(&mut self) -> Option<(BatchAck, Ecn)> {
        self.until = Time::NEVER;
        self.ack.take().map(|ack| (ack, self.ecn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{DelayedAck, Profile};
    use crate::receiver::Receiver;
    use alloc::vec::Vec;

    /// A packet that is not pushed, arriving `micros` after the start, sent 20 ms earlier.
    fn packet(micros: u64, seq: u32) -> (Time, Segment) {
        let now = Time::from_nanos(micros * 1000);
        let stamp = Time::from_nanos((micros * 1000).saturating_sub(20_000_000));
        (now, Segment { seq, size: 1500, payload: 1460, stamp, ecn: Ecn::Ect0, ..Segment::default() })
    }

    fn receiver(change: impl FnOnce(&mut TcpParams)) -> Receiver {
        let mut params = TcpParams { gro: Span::from_nanos(50_000), quick_acks: 0, ..TcpParams::of(Profile::Linux) };
        change(&mut params);
        Receiver::new(&params)
    }

    /// The ACKs as (time in us, next packet expected) that these packets cause.
    fn acks(receiver: &mut Receiver, packets: &[(Time, Segment)]) -> Vec<(u64, u32)> {
        let mut acks = Vec::new();
        let mut note = |now: Time, ack: Option<crate::ReceiverAck>| {
            acks.extend(ack.map(|ack| (now.as_nanos() / 1000, ack.ack)));
        };
        for (now, segment) in packets {
            while let Some(timer) = receiver.timer().filter(|timer| timer <= now) {
                note(timer, receiver.on_timer(timer));
            }
            note(*now, receiver.ack_before(segment));
            note(*now, receiver.on_segment(*now, segment));
        }
        while let Some(timer) = receiver.timer() {
            note(timer, receiver.on_timer(timer));
        }
        acks
    }

    fn every(micros: u64, packets: u32) -> Vec<(Time, Segment)> {
        (0..packets).map(|seq| packet(100_000 + u64::from(seq) * micros, seq)).collect()
    }

    #[test]
    fn packets_that_arrive_together_share_an_ack() {
        // The batch ends 50 us after its last packet.
        assert_eq!(acks(&mut receiver(|_| {}), &every(12, 10)), [(100_158, 10)]);
        // Packets more than 50 us apart are acknowledged as without GRO.
        let delayed = |gro: Span| acks(&mut receiver(|params| params.gro = gro), &every(120, 7));
        let alone: Vec<_> = delayed(Span::ZERO).into_iter().map(|(_, ack)| ack).collect();
        let merged: Vec<_> = delayed(Span::from_nanos(50_000)).into_iter().map(|(_, ack)| ack).collect();
        assert_eq!((&merged, merged.len()), (&alone, 4));
    }

    #[test]
    fn a_batch_ends_at_its_maximum_size_at_a_pushed_packet_and_at_another_header() {
        let max = acks(&mut receiver(|params| params.gro_max = penstock_core::Bytes(3 * 1460)), &every(1, 6));
        assert_eq!(max, [(100_002, 3), (100_005, 6)]);
        let mut pushed = every(1, 4);
        pushed[1].1.push = true;
        assert_eq!(acks(&mut receiver(|_| {}), &pushed), [(100_001, 2), (100_053, 4)]);
        let mut marked = every(1, 6);
        (marked[2].1.ecn, marked[3].1.ecn) = (Ecn::Ce, Ecn::Ce);
        assert_eq!(acks(&mut receiver(|_| {}), &marked), [(100_002, 2), (100_004, 4), (100_055, 6)]);
        // Timestamps of different milliseconds.
        let mut stamped = every(1, 4);
        stamped[2].1.stamp += Span::from_millis(1);
        stamped[3].1.stamp = stamped[2].1.stamp;
        assert_eq!(acks(&mut receiver(|_| {}), &stamped), [(100_002, 2), (100_053, 4)]);
    }

    #[test]
    fn packets_behind_a_gap_are_merged_too() {
        let mut lacking = every(1, 6);
        lacking.remove(2);
        assert_eq!(acks(&mut receiver(|_| {}), &lacking), [(100_003, 2), (100_055, 2)]);
    }

    #[test]
    fn without_delayed_acks_a_single_packet_is_acknowledged_at_the_end_of_its_batch() {
        let mut receiver = receiver(|params| params.delayed_ack = DelayedAck::Off);
        assert_eq!(acks(&mut receiver, &every(120, 2)), [(100_050, 1), (100_170, 2)]);
    }

    /// RFC 9768, section 3.2.2.5.1: the count of marks covers the whole batch.
    #[test]
    fn the_ack_of_a_batch_counts_all_its_marks() {
        let mut receiver = receiver(|params| params.flavour = crate::Flavour::Prague);
        let mut last = None;
        for (now, segment) in every(1, 5) {
            last = receiver.ack_before(&segment).or(last);
            let ack = receiver.on_segment(now, &Segment { ecn: Ecn::Ce, ..segment });
            assert_eq!(ack, None);
        }
        let until = receiver.timer().expect("a batch is open");
        last = receiver.on_timer(until).or(last);
        // The first packet is not a SYN here, so all five marks are counted. The counter starts at five, modulo 8.
        assert_eq!(last.map(|ack| (ack.ack, ack.ace)), Some((5, 2)));
    }

    #[test]
    fn a_stretch_ack_covers_ack_every_packets() {
        let stretched = |ack_every| {
            let mut receiver = receiver(|params| (params.gro, params.ack_every) = (Span::ZERO, ack_every));
            acks(&mut receiver, &every(1000, 10)).into_iter().map(|(_, ack)| ack).collect::<Vec<_>>()
        };
        assert_eq!(stretched(2), [1, 3, 5, 7, 9, 10]);
        assert_eq!(stretched(4), [1, 5, 9, 10]);
    }
}

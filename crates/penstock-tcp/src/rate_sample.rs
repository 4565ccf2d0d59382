//! Delivery rate of the network, sampled with every ACK.
//!
//! N. Cardwell, I. Swett, J. Beshay (editors), "BBR Congestion Control", draft-cardwell-ccwg-bbr-00, 2024, section 4.5.2, to which
//! section numbers refer; it incorporates Y. Cheng, N. Cardwell, S. Hassas Yeganeh, V. Jacobson, "Delivery Rate Estimation",
//! draft-cheng-iccrg-delivery-rate-estimation-02, 2022.
//!
//! # Algorithm
//! Each packet carries the count of packets delivered when it was sent, and the time of that count. When the packet is
//! delivered, the rate is the number of packets delivered in between, divided by the longer of two times: the time in which
//! they were ACKed, and the time in which they were sent (4.5.2.2.2.4). If an ACK delivers several packets, the one sent last
//! gives the sample (4.5.2.3.3).
//!
//! An ACK of a packet that was retransmitted may answer either transmission. The packet therefore gives no sample of the
//! round-trip time (4.5.7.1), and a rate over less than the minimum round-trip time of the connection is not reliable
//! (4.5.2.3.3, 4.5.2.4.4).
//!
//! Packets sent while the application has nothing more to send, or while the congestion control deliberately sends less, give
//! samples that are only a lower bound of the rate.
//!
//! # Differences
//! * The round-trip time comes from the same packet as the rate, even if the ACK delivers another packet that was never
//!   retransmitted.

use crate::packet_ranges::PacketRanges;
use crate::packets_and_acks::{Ack, SackBlock};
use alloc::collections::VecDeque;
use penstock_core::{Span, Time};

/// Record of a packet outstanding.
#[derive(Clone, Copy, Debug)]
struct SendRecord {
    at: Time,
    /// Sending time of the packet whose delivery had been reported most recently.
    first_at: Time,
    /// Number of packets delivered when this one was sent, and when the last of them was reported.
    delivered: u32,
    delivered_at: Time,
    /// Whether a SACK block has reported the packet.
    reported: bool,
    /// Whether the packet was sent while the sender held back.
    limited: bool,
    /// Whether this was a retransmission.
    repeated: bool,
    /// Packets in flight once this one was sent, and packets lost until then; for a congestion control that records them.
    in_flight: u32,
    lost: u32,
}

/// A packet found lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LostPacket {
    /// Packets in flight once the packet was sent, and packets found lost since, this packet included.
    pub(crate) in_flight: u32,
    pub(crate) lost: u32,
    /// Whether the packet was sent while the sender held back.
    pub(crate) limited: bool,
}

/// The rate that an ACK shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RateSample {
    /// Packets a second.
    pub(crate) rate: f64,
    /// Packets that had been delivered when the sampled one was sent.
    pub(crate) prior: u32,
    /// Whether the sampled packet was sent while the sender held back: the network may be faster.
    pub(crate) limited: bool,
    /// Whether the rate was measured over at least the minimum round-trip time of the connection.
    pub(crate) reliable: bool,
    /// The round trip of the sampled packet; `None` if it was retransmitted.
    pub(crate) rtt: Option<Span>,
    /// Packets in flight once the sampled one was sent, and packets found lost since.
    pub(crate) in_flight: u32,
    pub(crate) lost: u32,
}

#[derive(Debug, Default)]
pub(crate) struct RateSampler {
    /// The packets from `una` on.
    sent: VecDeque<SendRecord>,
    una: u32,
    /// Packets examined because a SACK block covered them.
    examined: PacketRanges,
    delivered: u32,
    lost: u32,
    /// Packets already counted as delivered that will be counted by ACKs again, since a timeout discarded their SACK
    /// reports.
    counted: u32,
    delivered_at: Time,
    first_at: Time,
    /// Minimum round-trip time of the connection.
    min_rtt: Option<Span>,
    /// Packets sent before this many are delivered are marked as limited.
    limited_until: Option<u32>,
}

impl RateSampler {
    /// Packets delivered up to now.
    pub(crate) fn delivered(&self) -> u32 {
        self.delivered
    }

    /// The sender holds back with `in_flight` packets in flight: its congestion control deliberately sends less, or the application
    /// has no more data.
    pub(crate) fn hold_back(&mut self, in_flight: u32) {
        self.limited_until = Some(self.delivered.wrapping_add(in_flight));
    }

    /// Whether the sender has held back within the last round trip.
    pub(crate) fn is_limited(&self) -> bool {
        self.limited_until.is_some()
    }

    /// Record that `in_flight` packets are in flight, packet `seq` included, which has just been sent.
    pub(crate) fn record_in_flight(&mut self, seq: u32, in_flight: u32) {
        let lost = self.lost;
        if let Some(sent) = self.record(seq) {
            (sent.in_flight, sent.lost) = (in_flight, lost);
        }
    }

    /// The last transmission of packet `seq` is lost.
    pub(crate) fn lose(&mut self, seq: u32) -> Option<LostPacket> {
        self.lost = self.lost.wrapping_add(1);
        let lost = self.lost;
        let sent = self.record(seq)?;
        Some(LostPacket { in_flight: sent.in_flight, lost: lost.wrapping_sub(sent.lost), limited: sent.limited })
    }

    fn record(&mut self, seq: u32) -> Option<&mut SendRecord> {
        self.sent.get_mut(seq.checked_sub(self.una)? as usize)
    }

    /// Packet `seq` is sent; `idle`: nothing else is outstanding.
    pub(crate) fn on_send(&mut self, now: Time, seq: u32, idle: bool) {
        if idle {
            self.first_at = now;
            self.delivered_at = now;
        }
        let limited = self.limited_until.is_some();
        let (first_at, delivered, delivered_at) = (self.first_at, self.delivered, self.delivered_at);
        let sent = SendRecord {
            at: now,
            first_at,
            delivered,
            delivered_at,
            reported: false,
            limited,
            repeated: false,
            in_flight: 0,
            lost: self.lost,
        };
        match self.sent.get_mut((seq - self.una) as usize) {
            Some(known) => *known = SendRecord { repeated: true, ..sent },
            None => self.sent.push_back(sent),
        }
    }

    /// A timeout has discarded the reports of `reported` packets.
    pub(crate) fn forget(&mut self, reported: u32) {
        self.counted += reported;
        self.examined.clear();
    }

    /// An acknowledgement delivers `newly` packets.
    pub(crate) fn on_ack(&mut self, now: Time, ack: &Ack<'_>, newly: u32) -> Option<RateSample> {
        let known = newly.min(self.counted);
        self.counted -= known;
        self.delivered = self.delivered.wrapping_add(newly - known);
        let held_back = |until: &u32| self.delivered.wrapping_sub(*until).cast_signed() <= 0;
        self.limited_until = self.limited_until.filter(held_back);
        let newest = if newly > 0 { self.newest_delivered(ack) } else { None };
        if newly > 0 {
            self.delivered_at = now;
        }
        for _ in self.una..ack.ack {
            self.sent.pop_front();
        }
        self.una = self.una.max(ack.ack);
        if !self.examined.is_empty() {
            self.examined.remove_below(self.una);
        }
        let newest = newest?;
        self.first_at = newest.at;
        let longer = newest.at.since(newest.first_at).max(now.since(newest.delivered_at));
        let delivered = self.delivered.wrapping_sub(newest.delivered);
        let rtt = (!newest.repeated).then(|| now.since(newest.at));
        self.min_rtt = rtt.into_iter().chain(self.min_rtt).min();
        // `delivered` is 0 if a timeout had discarded the reports of all these packets.
        (longer > Span::ZERO && delivered > 0).then(|| RateSample {
            rate: f64::from(delivered) / longer.as_secs(),
            prior: newest.delivered,
            limited: newest.limited,
            reliable: self.min_rtt.is_none_or(|min_rtt| longer >= min_rtt),
            rtt,
            in_flight: newest.in_flight,
            lost: self.lost.wrapping_sub(newest.lost),
        })
    }

    /// Among the packets that `ack` delivers, the one sent last. Packets in blocks examined earlier are skipped.
    fn newest_delivered(&mut self, ack: &Ack<'_>) -> Option<SendRecord> {
        let mut newest = None;
        for seq in self.una..ack.ack {
            self.deliver(seq, &mut newest);
        }
        let end = self.una + self.sent.len() as u32;
        for block in ack.sack {
            let block = SackBlock { start: block.start.max(ack.ack), end: block.end.min(end) };
            if self.examined.contains(block) {
                continue;
            }
            let mut seq = block.start;
            while seq < block.end {
                if let Some(run) = self.examined.find(seq) {
                    seq = run.end;
                } else {
                    self.deliver(seq, &mut newest);
                    seq += 1;
                }
            }
            if block.start < block.end {
                self.examined.insert(block);
            }
        }
        let (_, seq) = newest?;
        self.record(seq).copied()
    }

    /// Packet `seq` is delivered. It replaces `newest` (sending time and packet) unless `newest` was sent later.
    #[inline]
    fn deliver(&mut self, seq: u32, newest: &mut Option<(Time, u32)>) {
        let Some(sent) = self.record(seq) else { return };
        if !sent.reported && newest.is_none_or(|(at, _)| sent.at >= at) {
            *newest = Some((sent.at, seq));
        }
        sent.reported = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    fn ack(ack: u32, sack: &[SackBlock]) -> Ack<'_> {
        Ack { ack, stamp: Time::ZERO, ece: false, ace: 0, sack, retransmission: false }
    }

    #[test]
    fn a_window_sent_at_once_is_delivered_at_the_rate_of_its_acknowledgements() {
        // Ten packets at 0 ms, ACKed from 100 ms on, one every 10 ms; each ACK releases another packet.
        let mut sampler = RateSampler::default();
        (0..10).for_each(|seq| sampler.on_send(at(0), seq, seq == 0));
        for seq in 0..10 {
            let now = at(100 + 10 * u64::from(seq));
            let sample = sampler.on_ack(now, &ack(seq + 1, &[]), 1).expect("a sample");
            // All ten were sent before anything was delivered.
            let rate = f64::from(seq + 1) / (0.1 + 0.01 * f64::from(seq));
            assert!((sample.rate - rate).abs() < 1e-9 && sample.prior == 0);
            sampler.on_send(now, 10 + seq, false);
        }
        let sample = sampler.on_ack(at(200), &ack(11, &[]), 1).expect("a sample");
        // Packet 10 was sent at 100 ms, when one packet had been delivered; ten more were delivered in the 100 ms
        // since.
        let rtt = Some(Span::from_millis(100));
        let steady = RateSample { rate: 100.0, prior: 1, limited: false, reliable: true, rtt, in_flight: 0, lost: 0 };
        assert_eq!(sample, steady);
    }

    #[test]
    fn compressed_acknowledgements_do_not_raise_the_rate_above_that_of_sending() {
        let mut sampler = RateSampler::default();
        (0..10).for_each(|seq| sampler.on_send(at(10 * u64::from(seq)), seq, seq == 0));
        let first = sampler.on_ack(at(150), &ack(1, &[]), 1).expect("a sample");
        assert!((first.rate - 1.0 / 0.15).abs() < 1e-9);
        sampler.on_send(at(150), 10, false);
        // The rest are ACKed together: the rate is nine packets in the 90 ms of their sending, not in the instant of
        // their ACKs.
        let rest = sampler.on_ack(at(151), &ack(10, &[]), 9).expect("a sample");
        assert!((rest.rate - 10.0 / 0.151).abs() < 1e-9);
        let last = sampler.on_ack(at(250), &ack(11, &[]), 1).expect("a sample");
        assert!((last.rate - 10.0 / 0.15).abs() < 1e-9, "{last:?}");
    }

    #[test]
    fn samples_are_limited_until_what_was_in_flight_at_the_end_of_holding_back_is_delivered() {
        let mut sampler = RateSampler::default();
        let sends = |sampler: &mut RateSampler, seq: u32| sampler.on_send(at(10 * u64::from(seq)), seq, seq == 0);
        (0..3).for_each(|seq| sends(&mut sampler, seq));
        sampler.hold_back(3);
        sends(&mut sampler, 3);
        let mut limited = Vec::new();
        for seq in 0..7 {
            let sample = sampler.on_ack(at(100 + 10 * u64::from(seq)), &ack(seq + 1, &[]), 1).expect("a sample");
            limited.push(sample.limited);
            sends(&mut sampler, seq + 4);
        }
        // Packets 0 to 2 were sent before the sender held back; 3 to 7 were sent until those three and one more were
        // delivered.
        assert_eq!(limited, [false, false, false, true, true, true, true]);
        assert!(!sampler.sent.back().expect("a packet").limited);
    }

    #[test]
    fn a_sample_tells_the_flight_of_its_packet_and_the_losses_since() {
        let mut sampler = RateSampler::default();
        for seq in 0..5 {
            sampler.on_send(at(u64::from(seq)), seq, seq == 0);
            sampler.record_in_flight(seq, seq + 1);
        }
        assert_eq!(sampler.lose(0), Some(LostPacket { in_flight: 1, lost: 1, limited: false }));
        assert_eq!(sampler.lose(1), Some(LostPacket { in_flight: 2, lost: 2, limited: false }));
        // After its retransmission, packet 0 has no losses before it yet.
        sampler.on_send(at(50), 0, false);
        sampler.record_in_flight(0, 4);
        let newest = sampler.on_ack(at(100), &ack(0, &[SackBlock { start: 3, end: 4 }]), 1).expect("a sample");
        assert_eq!((newest.in_flight, newest.lost, newest.rtt), (4, 2, Some(Span::from_millis(97))));
        let again = sampler.on_ack(at(150), &ack(1, &[]), 1).expect("a sample");
        assert_eq!((again.in_flight, again.lost, again.rtt), (4, 0, None));
    }

    #[test]
    fn what_is_reported_gives_a_sample_once() {
        let mut sampler = RateSampler::default();
        (0..5).for_each(|seq| sampler.on_send(at(u64::from(seq)), seq, seq == 0));
        let block = [SackBlock { start: 1, end: 3 }];
        assert!(sampler.on_ack(at(100), &ack(0, &block), 2).is_some());
        assert_eq!(sampler.on_ack(at(101), &ack(0, &block), 0), None);
        assert_eq!(sampler.delivered(), 2);
        // The reports are discarded; packets counted earlier are not counted again.
        sampler.forget(2);
        sampler.on_send(at(300), 0, false);
        sampler.on_ack(at(400), &ack(3, &[]), 3);
        assert_eq!(sampler.delivered(), 3);
    }

    #[test]
    fn a_retransmission_in_the_middle_of_a_block_gives_the_sample() {
        let mut sampler = RateSampler::default();
        (0..5).for_each(|seq| sampler.on_send(at(u64::from(seq)), seq, seq == 0));
        let reported = [SackBlock { start: 3, end: 4 }, SackBlock { start: 1, end: 2 }];
        assert!(sampler.on_ack(at(100), &ack(0, &reported[1..]), 1).is_some());
        assert!(sampler.on_ack(at(102), &ack(0, &reported), 1).is_some());
        sampler.on_send(at(110), 0, false);
        sampler.on_send(at(110), 2, false);
        // The retransmission of packet 0 is lost, and the retransmission of packet 2 joins the blocks around it.
        let joined = [SackBlock { start: 1, end: 4 }];
        let sample = sampler.on_ack(at(210), &ack(0, &joined), 1).expect("a sample");
        assert_eq!((sample.rtt, sample.prior, sample.reliable), (None, 2, true));
        assert_eq!(sampler.on_ack(at(211), &ack(0, &joined), 0), None);
    }

    /// Section 4.5.7.1 (no round-trip time from a retransmitted packet) and GenerateRateSample() of 4.5.2.3.3.
    #[test]
    fn the_late_original_of_a_retransmitted_packet_gives_neither_a_round_trip_time_nor_a_reliable_rate() {
        let mut sampler = RateSampler::default();
        (0..10).for_each(|seq| sampler.on_send(at(u64::from(seq)), seq, seq == 0));
        let first = sampler.on_ack(at(101), &ack(0, &[SackBlock { start: 1, end: 9 }]), 8).expect("a sample");
        assert_eq!((first.rtt, first.reliable), (Some(Span::from_millis(93)), true));
        // Packets 0 and 9 are 40 ms late. The ACK of each arrives 1 ms after its retransmission was sent.
        sampler.on_send(at(139), 0, false);
        let late = sampler.on_ack(at(140), &ack(9, &[]), 1).expect("a sample");
        assert_eq!((late.rtt, late.reliable), (None, true), "the rate is that since packet 8 was sent");
        sampler.on_send(at(148), 9, false);
        let later = sampler.on_ack(at(149), &ack(10, &[]), 1).expect("a sample");
        assert_eq!((later.rtt, later.reliable), (None, false), "9 ms since the other retransmission");
    }

    #[test]
    fn what_was_counted_before_a_timeout_gives_no_rate() {
        let mut sampler = RateSampler::default();
        (0..5).for_each(|seq| sampler.on_send(at(u64::from(seq)), seq, seq == 0));
        sampler.on_ack(at(100), &ack(0, &[SackBlock { start: 1, end: 3 }]), 2);
        sampler.forget(2);
        sampler.on_send(at(300), 0, false);
        sampler.on_ack(at(400), &ack(1, &[]), 1);
        sampler.on_send(at(400), 1, false);
        assert_eq!(sampler.on_ack(at(500), &ack(2, &[]), 1), None, "nothing new");
    }
}

//! Fast paths of a receiver for its most frequent packets: plain and regular ones.
//!
//! A plain packet is ACKed by itself; a regular one reaches a receiver that delays ACKs. Both paths have the same
//! effect as the general path.

use super::{AT_ONCE, Feedback, PendingAck, Receiver};
use crate::packets_and_acks::{ReceiverAck, SackBlocks, Segment};
use penstock_core::{Ecn, Time};

/// The answer to a regular packet.
#[derive(Clone, Copy, Debug)]
pub enum RegularAnswer {
    /// This ACK, to be sent immediately.
    Ack(ReceiverAck),
    /// A delayed ACK, due at this time.
    Delayed(Time),
}

impl Receiver {
    /// Whether [`Self::take_next`] and [`Self::take_any`] do the same as [`Self::on_segment`] for a packet with this payload that
    /// has neither a mark nor CWR: it is full and ACKed by itself, as most are, and the ACK echoes no mark.
    #[inline]
    pub fn is_plain(&self, payload: u32) -> bool {
        self.plain && payload >= self.packet && !self.echo
    }

    /// A plain packet arrived. If it is the next one, and no packet is missing, take it and return the size of its ACK, which
    /// has no SACK blocks. Otherwise nothing happens, and [`Self::take_any`] must be called.
    #[inline]
    pub fn take_next(&mut self, seq: u32) -> Option<u32> {
        (seq == self.next && self.early.is_empty()).then(|| {
            self.next += 1;
            self.ack_size
        })
    }

    /// A plain packet arrived. Returns the number of the next packet expected, the SACK blocks and the size of its ACK.
    #[inline]
    pub fn take_any(&mut self, seq: u32) -> (u32, SackBlocks, u32) {
        self.place(seq);
        (self.next, self.recent.truncated(self.sack_blocks), self.answer_size())
    }

    /// Whether ACKs carry the number of marked packets.
    #[inline]
    fn counts_marks(&self) -> bool {
        matches!(self.feedback, Feedback::Counter(_))
    }

    /// Whether [`Self::take_regular`] does the same as [`Self::ack_before`] and [`Self::on_segment`] for this packet, as for most
    /// packets that reach a receiver that delays ACKs: it is full and the next one, no packet is missing, and its ACK may be
    /// delayed. A packet with a mark or CWR, which is not `is_unmarked`, is regular only if ACKs carry the number of marked
    /// packets.
    #[inline]
    pub fn is_regular(&self, seq: u32, payload: u32, is_unmarked: bool) -> bool {
        seq == self.next
            && (is_unmarked || self.counts_marks())
            && seq >= self.quick
            && payload >= self.packet
            && self.delay != AT_ONCE
            && self.early.is_empty()
            && self.rare.is_none()
            && self.recent.is_empty()
            && !(self.echo || self.compression.is_timing(seq))
    }

    /// A regular packet arrived; returns its answer.
    #[inline]
    pub fn take_regular(&mut self, now: Time, segment: &Segment) -> RegularAnswer {
        let Segment { stamp, retransmission, ecn, push, .. } = *segment;
        self.next += 1;
        self.capable = ecn.is_capable();
        // A regular packet has no mark, or else is counted, so the echo does not change.
        let reports_mark = match &mut self.feedback {
            Feedback::Counter(marks) => marks.receive(ecn == Ecn::Ce),
            Feedback::Latched | Feedback::PerPacket => false,
        };
        let at_once = reports_mark || push && self.acks_pushed;
        match self.take_waiting() {
            Some(waiting) => RegularAnswer::Ack(self.ack(waiting.stamp, waiting.retransmission, ecn)),
            None if at_once => RegularAnswer::Ack(self.ack(stamp, retransmission, ecn)),
            None => {
                let until = self.delayed_until(now);
                self.wait(PendingAck { until, stamp, retransmission });
                RegularAnswer::Delayed(until)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{DelayedAck, Flavour, Profile, TcpParams};
    use penstock_core::{Ecn, Span};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_plain_packet_is_acked_as_any_other(
            flavour in prop::sample::select(vec![Flavour::Sack, Flavour::NewReno, Flavour::Dctcp, Flavour::Prague]),
            profile in prop::sample::select(vec![Profile::Ns2, Profile::Linux]),
            delayed in any::<bool>(),
            ecn_control in any::<bool>(),
            packets in prop::collection::vec((0_u32..4, 0_u8..12, any::<bool>()), 1..60),
        ) {
            let mut params = TcpParams { flavour, ecn: true, ecn_control, ..TcpParams::of(profile) };
            if !delayed {
                params.delayed_ack = DelayedAck::Off;
            }
            let (mut receiver, mut slow) = (Receiver::new(&params), Receiver::new(&params));
            for (at, (ahead, kind, retransmission)) in packets.into_iter().enumerate() {
                let now = Time::from_nanos(at as u64 * 1_000_000);
                let seq = (slow.next + ahead).saturating_sub(1);
                let payload = if kind == 0 { 10 } else { params.packet.0 as u32 };
                let ecn = [Ecn::Ce, Ecn::Ect0].get(usize::from(kind)).copied().unwrap_or_default();
                let segment = Segment { seq, payload, stamp: now, retransmission, ecn, cwr: kind == 2, ..Segment::default() };
                let ack = if receiver.is_plain(payload) && ecn != Ecn::Ce && !segment.cwr {
                    let (ack, blocks, size) = match receiver.take_next(seq) {
                        Some(size) => (seq + 1, SackBlocks::default(), size),
                        None => receiver.take_any(seq),
                    };
                    prop_assert_eq!(&*blocks, receiver.sack_blocks());
                    let (stamp, blocks) = (now, blocks.count());
                    Some(ReceiverAck { ack, size, ecn: Ecn::Not, ece: false, ace: 0, stamp, retransmission, blocks })
                } else {
                    receiver.on_segment(now, &segment)
                };
                prop_assert_eq!(ack, slow.on_segment(now, &segment));
                prop_assert_eq!(receiver.delivered_bytes(), slow.delivered_bytes());
                prop_assert_eq!(receiver.timer(), slow.timer());
                prop_assert_eq!(receiver.sack_blocks(), slow.sack_blocks());
            }
        }

        #[test]
        fn a_regular_packet_is_acked_as_any_other(
            flavour in prop::sample::select(vec![Flavour::Cubic, Flavour::NewReno, Flavour::Dctcp, Flavour::Prague]),
            profile in prop::sample::select(vec![Profile::Ns2, Profile::Linux]),
            quick_acks in prop::sample::select(vec![0, 20]),
            ecn_control in any::<bool>(),
            tick in prop::sample::select(vec![0, 4]),
            packets in prop::collection::vec((0_u32..20, 0_u8..40, any::<bool>(), 0_u32..8), 1..200),
        ) {
            let delayed_ack = DelayedAck::Within(Span::from_millis(3));
            let params = TcpParams {
                flavour,
                delayed_ack,
                quick_acks,
                ecn: true,
                ecn_control,
                timer_tick: Span::from_millis(tick),
                ..TcpParams::of(profile)
            };
            let (mut receiver, mut slow) = (Receiver::new(&params), Receiver::new(&params));
            let mut now = Time::ZERO;
            for (ahead, kind, retransmission, gap) in packets {
                now += Span::from_millis(u64::from(gap));
                prop_assert_eq!(receiver.on_timer(now), slow.on_timer(now));
                // Most packets are the next one.
                let seq = if ahead < 4 { (slow.next + ahead).saturating_sub(1) } else { slow.next };
                let payload = if kind == 0 { 10 } else { params.packet.0 as u32 };
                let ecn = match kind {
                    0 | 1 => Ecn::Ce,
                    2 => Ecn::Not,
                    _ => params.codepoint(),
                };
                let (cwr, push) = (kind == 3, kind == 4);
                let segment = Segment { seq, payload, stamp: now, retransmission, ecn, cwr, push, ..Segment::default() };
                let slow_acks = [slow.ack_before(&segment), slow.on_segment(now, &segment)];
                let acks = if receiver.is_regular(seq, payload, ecn != Ecn::Ce && !cwr) {
                    let ack = match receiver.take_regular(now, &segment) {
                        RegularAnswer::Ack(ack) => Some(ack),
                        RegularAnswer::Delayed(due) => {
                            prop_assert_eq!(Some(due), receiver.timer());
                            None
                        }
                    };
                    [None, ack]
                } else {
                    [receiver.ack_before(&segment), receiver.on_segment(now, &segment)]
                };
                prop_assert_eq!(acks, slow_acks);
                prop_assert_eq!(receiver.delivered_bytes(), slow.delivered_bytes());
                prop_assert_eq!(receiver.timer(), slow.timer());
                prop_assert_eq!(receiver.sack_blocks(), slow.sack_blocks());
            }
        }
    }
}

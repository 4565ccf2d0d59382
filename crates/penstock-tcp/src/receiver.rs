//! The receiver: it reassembles the packets and ACKs them.
//!
//! RFC 5681, section 4.2 (delayed ACKs); RFC 2018, section 4 (SACK blocks); RFC 3168, section 6.1.3 (ECN echo); RFC 7323, section
//! 4.3 (timestamp echo); RFC 8257, section 3.2 (DCTCP's echo).
//!
//! # Algorithm
//! Each ACK carries the number of the next packet expected. A delayed ACK waits until `ack_every` packets have arrived, but not
//! longer than `delayed_ack`. The receiver ACKs a packet out of order, a packet that fills a gap, and the SYN
//! immediately. A marked packet sets the echo (ECE), CWR clears it. Except in ns-2, a packet that sets the echo, the
//! packet after that, and a packet with CWR are ACKed immediately, since a sender with a small window may be waiting
//! for these ACKs. The first `quick_acks` packets, except `quick_gap` of them, are ACKed immediately as well, and, with
//! `quick_acks`, every pushed packet.
//!
//! With `sack_delay`, packets behind a gap may share an ACK ([`crate::sack_compression`]). With `gro`, packets that arrive
//! together share an ACK ([`crate::gro`]). With `ack_every` above 2, a delayed ACK waits for more than the two packets of RFC
//! 5681 (a stretch ACK; RFC 2525, section 2.13).
//!
//! DCTCP: the echo is the mark of the newest packet. When the mark changes, a waiting ACK is sent with the old echo, and the
//! packet itself is ACKed immediately with the new one (RFC 8257, section 3.2: two ACKs keep the share of marks exact).
//!
//! Prague: each ACK carries the number of marked packets modulo 8, and marks limit how long an ACK waits
//! ([`crate::cc::accurate_ecn`]).
//!
//! With `ecn_control`, ACKs are ECN-capable while data is (RFC 8257, section 5; RFC 9331, appendix A.2.1). The mark of an opening
//! packet is ignored (RFC 8257, section 3.6; RFC 9768, section 3.2.2.2).
//!
//! With `dsack`, the ACK of a packet that was received before reports it in a first SACK block (RFC 2883, section 4).
//!
//! # Differences
//! * Both hosts use the flow's congestion control, so the ACKs have the codepoint of the data.
//! * Without `dsack`, a packet received twice is ACKed like any other, as by ns-2's receivers.
//! * The ACK of a duplicate never waits, so no report of a duplicate is displaced by another one.
//! * `recovery = "ns2"`: the ACK of the newest packet in order may be delayed although the packet is a repetition, and only ACKs of
//!   ECN-capable packets echo a mark.

mod short_paths;

pub use short_paths::RegularAnswer;

use crate::cc::accurate_ecn::MarkCounter;
use crate::gro::{BatchAck, Gro};
use crate::kernel_ticks;
use crate::packet_ranges::PacketRanges;
use crate::packets_and_acks::{ReceiverAck, SackBlock, SackBlocks, Segment};
use crate::params::{Flavour, TcpParams};
use crate::recovery::RecoveryRules;
use crate::sack_compression::SackCompression;
use alloc::boxed::Box;
use alloc::vec::Vec;
use penstock_core::{Ecn, Span, Time};

/// Number of packets at the start of a connection that are always ACKed immediately.
const QUICK_FIRST: u16 = 16;

/// Used instead of a delay: every packet is ACKed immediately.
const AT_ONCE: Span = Span::from_nanos(u64::MAX);

/// Packets after the first that are shorter than a full packet.
#[derive(Clone, Debug, Default)]
struct ShortPackets {
    /// Bytes missing from the short packets received in order, without the packets in `ahead`.
    lacks: u64,
    /// Sequence number of each short packet that arrived out of order, and the bytes missing from it.
    ahead: Vec<(u32, u32)>,
}

impl ShortPackets {
    /// Packet `seq` is `lacks` bytes shorter than a full packet; `next` is the next packet expected.
    fn note(&mut self, next: u32, seq: u32, lacks: u32) {
        if seq == next {
            self.lacks += u64::from(lacks);
            return;
        }
        self.lacks = self.lacks_below(next);
        self.ahead.retain(|(early, _)| *early >= next && *early != seq);
        self.ahead.push((seq, lacks));
    }

    /// Bytes missing from the packets below `next`.
    fn lacks_below(&self, next: u32) -> u64 {
        let passed = self.ahead.iter().filter(|(seq, _)| *seq < next);
        self.lacks + passed.map(|(_, lacks)| u64::from(*lacks)).sum::<u64>()
    }
}

/// A delayed ACK: when it is due, and the echoed time and kind of the packet that it ACKs.
#[derive(Clone, Copy, Debug)]
struct PendingAck {
    until: Time,
    stamp: Time,
    retransmission: bool,
}

/// How ACKs report marks.
#[derive(Clone, Copy, Debug)]
enum Feedback {
    /// The echo is set by a mark and cleared by CWR (RFC 3168, section 6.1.3).
    Latched,
    /// The echo is the mark of the newest packet (RFC 8257, section 3.2).
    PerPacket,
    /// ACKs carry the number of marked packets (RFC 9768).
    Counter(MarkCounter),
}

/// The receiving end of a flow. Fields are in the order of use; a plain packet needs only the first ones.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver {
    /// The next packet expected.
    next: u32,
    /// User data of a full packet, in bytes.
    packet: u32,
    ack_size: u32,
    /// Whether each packet is ACKed by itself with an ACK that is not ECN-capable, and only an echo of marks can make its ACK
    /// differ from that of another.
    plain: bool,
    /// Whether ACKs echo a mark, which they do until the sender sends CWR.
    echo: bool,
    /// Whether the newest packet was ECN-capable.
    capable: bool,
    /// Whether the delayed ACK answers a retransmission.
    due_retransmission: bool,
    /// Packets that arrived out of order.
    early: PacketRanges,
    /// SACK blocks to report, the most recent first; only with SACK.
    recent: SackBlocks,
    /// Period of the clock of timers, in ns.
    tick: u32,
    /// When the delayed ACK is due; `NEVER`: none waits.
    due: Time,
    /// The time that it echoes.
    due_stamp: Time,
    /// Largest delay of an ACK; [`AT_ONCE`] if none is delayed.
    delay: Span,
    /// Packets below this one are ACKed immediately.
    quick: u32,
    /// Range of packets excepted from `quick`: first packet, and packet after the last.
    gap: (u16, u16),
    /// Decides which packets behind a gap share an ACK.
    compression: SackCompression,
    feedback: Feedback,
    /// ECN field of an ACK while data is ECN-capable.
    codepoint: Ecn,
    /// The rules in force.
    rules: RecoveryRules,
    /// Maximum number of blocks in an ACK; 0 unless the flavour is selective.
    sack_blocks: u8,
    sack_block_size: u8,
    /// Whether pushed packets are ACKed immediately.
    acks_pushed: bool,
    /// Whether duplicates are reported.
    reports_duplicates: bool,
    /// The value that `plain` takes after an ACK that reports no duplicate.
    usually_plain: bool,
    /// Bytes by which the SYN is shorter than a full packet.
    opening_lacks: u16,
    /// State that few receivers need; `None` for the others.
    rare: Option<Box<Rare>>,
}

/// State of a receiver of short packets, or of one that lets more than two packets share an ACK.
#[derive(Clone, Debug, Default)]
struct Rare {
    /// The packets after the first that are shorter than a full packet.
    short: ShortPackets,
    /// The merging of packets, with `gro`.
    gro: Option<Gro>,
    /// Number of packets after which a delayed ACK is sent, and number of packets that it has already waited for.
    ack_every: u32,
    waiting: u32,
}

impl Rare {
    fn waits_for_more(&mut self, is_first: bool) -> bool {
        self.waiting = if is_first { 1 } else { self.waiting + 1 };
        self.waiting < self.ack_every.max(2)
    }
}

/// Whether the packet has a mark that counts; marks of packets without payload, such as a SYN, do not count.
#[inline]
fn is_marked(segment: &Segment) -> bool {
    segment.ecn == Ecn::Ce && segment.payload > 0
}

impl Receiver {
    /// A receiver before the first packet.
    pub fn new(params: &TcpParams) -> Self {
        let codepoint = if params.ecn_control { params.codepoint() } else { Ecn::Not };
        let plain = !params.delays_acks()
            && params.flavour != Flavour::Dctcp
            && !params.is_accurate()
            && !codepoint.is_capable();
        let stretches = params.gro > Span::ZERO || params.ack_every > 2;
        Self {
            next: 0,
            early: PacketRanges::default(),
            recent: SackBlocks::default(),
            due: Time::NEVER,
            due_stamp: Time::ZERO,
            due_retransmission: false,
            delay: params.delayed_ack.limit().unwrap_or(AT_ONCE),
            quick: params.quick_acks.saturating_add(u32::from(params.opens())).max(1),
            gap: {
                let first = QUICK_FIRST + u16::from(params.opens());
                (first, first.saturating_add(params.quick_gap.min(u32::from(u16::MAX)) as u16))
            },
            acks_pushed: params.quick_acks > 0,
            reports_duplicates: params.dsack && params.flavour.is_selective(),
            compression: SackCompression::new(params),
            tick: params.timer_tick.as_nanos().min(u64::from(u32::MAX)) as u32,
            plain,
            usually_plain: plain,
            echo: false,
            capable: false,
            feedback: match params.flavour {
                Flavour::Dctcp => Feedback::PerPacket,
                _ if params.is_accurate() => Feedback::Counter(MarkCounter::default()),
                _ => Feedback::Latched,
            },
            codepoint,
            rules: params.recovery,
            sack_blocks: if params.flavour.is_selective() { params.sack_blocks as u8 } else { 0 },
            ack_size: params.ack_size.0 as u32,
            sack_block_size: params.sack_block_size.0 as u8,
            packet: params.packet.0 as u32,
            opening_lacks: 0,
            rare: stretches
                .then(|| Box::new(Rare { gro: Gro::new(params), ack_every: params.ack_every, ..Rare::default() })),
        }
    }

    /// The waiting ACK, if it must leave before this packet is processed, because the packet would (a) change its echo (DCTCP), (b)
    /// displace unreported SACK blocks (`sack_compression.rs`), or (c) begin another batch (`gro`). Call this before [`Self::on_segment`].
    #[inline]
    pub fn ack_before(&mut self, segment: &Segment) -> Option<ReceiverAck> {
        if self.rare.is_some()
            && self.gro().is_some_and(|gro| gro.is_ended_by(segment))
            && let Some(ack) = self.answer_batch()
        {
            return Some(ack);
        }
        let matters = segment.seq != self.next || matches!(self.feedback, Feedback::PerPacket);
        if self.is_waiting() && matters && self.changes_waiting_ack(segment.seq, is_marked(segment)) {
            self.release()
        } else {
            None
        }
    }

    /// A packet arrived; returns the ACK to send immediately, if any. The ACK that [`Self::ack_before`] returns must be sent first.
    #[inline]
    pub fn on_segment(&mut self, now: Time, segment: &Segment) -> Option<ReceiverAck> {
        if self.rare.is_some() { self.merge(now, segment) } else { self.receive(now, segment) }
    }

    /// Like [`Self::on_segment`]; with GRO the ACK waits for the end of the batch.
    #[cold]
    #[inline(never)]
    fn merge(&mut self, now: Time, segment: &Segment) -> Option<ReceiverAck> {
        let ack = self.receive(now, segment);
        let Some(gro) = self.gro() else { return ack };
        let required = ack.map(|ack| BatchAck { stamp: ack.stamp, retransmission: ack.retransmission });
        let ends = gro.add(now, segment, required) || self.recent.has_duplicate();
        if ends { self.answer_batch() } else { None }
    }

    /// The merging of packets, with `gro`.
    fn gro(&mut self) -> Option<&mut Gro> {
        self.rare.as_mut()?.gro.as_mut()
    }

    /// When the batch of merged packets ends; `NEVER`: there is none.
    #[cold]
    fn batch_end(&self) -> Time {
        self.rare.as_ref().and_then(|rare| rare.gro.as_ref()).map_or(Time::NEVER, |gro| gro.until)
    }

    /// The batch of merged packets ends; returns the ACK that it requires.
    fn answer_batch(&mut self) -> Option<ReceiverAck> {
        let (ack, ecn) = self.gro()?.end()?;
        // The ACK covers the last packets too, whose own ACK may be delayed.
        self.take_waiting();
        Some(self.ack(ack.stamp, ack.retransmission, ecn))
    }

    /// A packet arrived; returns the ACK that it requires immediately.
    #[inline]
    fn receive(&mut self, now: Time, segment: &Segment) -> Option<ReceiverAck> {
        let Segment { seq, payload, stamp, retransmission, ecn, cwr, push, .. } = *segment;
        if payload < self.packet {
            self.note_short(seq, self.packet - payload);
        }
        if self.compression.is_timing(seq) {
            self.compression.time(now, seq);
        }
        self.capable = ecn.is_capable();
        // Whether the packet is in order and no packet is missing: only then may its ACK be delayed.
        let is_expected = seq == self.next;
        let next = is_expected && self.early.is_empty();
        if cwr && matches!(self.feedback, Feedback::Latched) {
            self.echo = false;
            self.ack_next_at_once(seq, 1);
        }
        let at_once = self.note_mark(seq, is_marked(segment));
        if next {
            self.next += 1;
            if self.recent.has_duplicate() {
                self.forget_duplicate();
            }
        } else {
            self.place(seq);
        }
        // Whether the order of the packets permits a delayed ACK.
        let regular = next || (self.rules.delays_ack_of_repeated() && seq + 1 == self.next && self.early.is_empty());
        let mut echoed = PendingAck { until: Time::NEVER, stamp, retransmission };
        let may_share = seq > self.next && !at_once && !self.recent.has_duplicate();
        if may_share && self.compression.waits(self.next, self.is_waiting()) {
            if !self.is_waiting() {
                self.wait(PendingAck { until: now + self.compression.delay(), stamp, retransmission });
            }
            return None;
        }
        if self.delay != AT_ONCE {
            let may_delay = regular && !at_once && !(push && self.acks_pushed) && self.may_wait(seq);
            let waiting = self.take_waiting();
            let is_first = waiting.is_none();
            match waiting {
                // Echo the time of the earlier packet, so that the round-trip time includes the delay of the ACK; but a packet
                // that fills a gap is echoed itself, not one behind the gap (RFC 7323, section 4.3).
                Some(waiting) if next || !is_expected => echoed = waiting,
                None if may_delay => echoed.until = self.delayed_until(now),
                _ => {}
            }
            if may_delay && self.waits_for_more(is_first) {
                self.wait(echoed);
                return None;
            }
        }
        Some(self.ack(echoed.stamp, echoed.retransmission, ecn))
    }

    /// Record whether packet `seq` is marked; returns whether it must be ACKed immediately.
    #[inline]
    fn note_mark(&mut self, seq: u32, marked: bool) -> bool {
        match &mut self.feedback {
            Feedback::Latched => {
                if marked && !self.echo {
                    self.echo = true;
                    self.ack_next_at_once(seq, 2);
                }
                false
            }
            Feedback::PerPacket => core::mem::replace(&mut self.echo, marked) != marked,
            Feedback::Counter(marks) => marks.receive(marked),
        }
    }

    /// Whether packet `seq`, which is `marked` or not, would change the report of the waiting ACK.
    #[inline(never)]
    fn changes_waiting_ack(&self, seq: u32, marked: bool) -> bool {
        let place = self.recent.place_of(seq);
        let displaces = seq > self.next && SackCompression::flushes_before(place, self.sack_blocks);
        // The report of a duplicate takes the first place, ahead of the two blocks that may be unreported.
        let is_duplicate = seq < self.next || self.early.find(seq).is_some();
        let is_reported = is_duplicate && self.reports_duplicates && self.sack_blocks < 3;
        let changes_mark = matches!(self.feedback, Feedback::PerPacket) && self.echo != marked;
        displaces || is_reported || changes_mark
    }

    /// Whether a delayed ACK waits.
    #[inline]
    fn is_waiting(&self) -> bool {
        self.due != Time::NEVER
    }

    /// Whether the ACK keeps waiting after this packet; `is_first`: no ACK was waiting before it.
    #[inline]
    fn waits_for_more(&mut self, is_first: bool) -> bool {
        self.rare.as_mut().map_or(is_first, |rare| rare.waits_for_more(is_first))
    }

    /// When an ACK that is delayed from now on is due.
    #[inline]
    fn delayed_until(&self, now: Time) -> Time {
        kernel_ticks::expiry(now, self.delay, Span::from_nanos(u64::from(self.tick)))
    }

    /// Delay this ACK.
    #[inline]
    fn wait(&mut self, ack: PendingAck) {
        (self.due, self.due_stamp, self.due_retransmission) = (ack.until, ack.stamp, ack.retransmission);
    }

    /// The delayed ACK, which waits no longer.
    #[inline]
    fn take_waiting(&mut self) -> Option<PendingAck> {
        let until = core::mem::replace(&mut self.due, Time::NEVER);
        let (stamp, retransmission) = (self.due_stamp, self.due_retransmission);
        (until != Time::NEVER).then_some(PendingAck { until, stamp, retransmission })
    }

    /// When to call [`Self::on_timer`].
    #[inline]
    pub fn timer(&self) -> Option<Time> {
        let due = if self.rare.is_some() { self.due.min(self.batch_end()) } else { self.due };
        (due != Time::NEVER).then_some(due)
    }

    /// The time that [`Self::timer`] returned has come; returns the delayed ACK if it is still due.
    pub fn on_timer(&mut self, now: Time) -> Option<ReceiverAck> {
        if self.rare.is_some()
            && self.batch_end() <= now
            && let Some(ack) = self.answer_batch()
        {
            return Some(ack);
        }
        if self.due > now {
            return None;
        }
        self.release()
    }

    /// Send the waiting ACK.
    fn release(&mut self) -> Option<ReceiverAck> {
        let waiting = self.take_waiting()?;
        Some(self.ack(waiting.stamp, waiting.retransmission, Ecn::Ect0))
    }

    /// User data received in order, in bytes, each counted once.
    pub fn delivered_bytes(&self) -> u64 {
        let mut bytes = u64::from(self.next) * u64::from(self.packet);
        if self.next > 0 {
            bytes -= u64::from(self.opening_lacks);
        }
        bytes - self.rare.as_ref().map_or(0, |rare| rare.short.lacks_below(self.next))
    }

    /// Whether packet `seq`, or one before it, is missing.
    #[inline]
    pub fn lacks(&self, seq: u32) -> bool {
        seq >= self.next
    }

    /// Whether `quick` permits a delayed ACK of packet `seq`.
    #[inline]
    fn may_wait(&self, seq: u32) -> bool {
        seq >= self.quick || (u32::from(self.gap.0) <= seq && seq < u32::from(self.gap.1))
    }

    /// ACK this many packets from `seq` on immediately, if the rules require it.
    fn ack_next_at_once(&mut self, seq: u32, packets: u32) {
        if self.rules.acks_marks_at_once() {
            self.quick = self.quick.max(seq.saturating_add(packets));
            self.gap = (0, 0);
            self.compression.restart();
        }
    }

    /// Record a packet that is shorter than a full one: the first or the last of a transfer, or the last of a write.
    #[cold]
    fn note_short(&mut self, seq: u32, lacks: u32) {
        if seq == 0 {
            self.opening_lacks = lacks as u16; // a packet has at most 65 535 bytes
        } else if seq >= self.next {
            self.rare.get_or_insert_default().short.note(self.next, seq, lacks);
        }
    }

    /// Record a packet that is out of order, or that arrives while there is a gap.
    #[inline]
    fn place(&mut self, seq: u32) {
        if self.recent.has_duplicate() {
            self.forget_duplicate();
        }
        if seq > self.next {
            let (run, new) = self.early.insert(SackBlock { start: seq, end: seq + 1 });
            if new == 0 && self.reports_duplicates {
                // The second block is the run that contains the duplicate.
                self.recent.promote(run);
                self.report_duplicate(seq);
            } else if self.sack_blocks > 0 && !self.recent.lengthen_first(run) {
                self.recent.promote(run);
            }
        } else if seq == self.next {
            self.next += 1;
            if let Some(end) = self.early.take_from(self.next) {
                self.next = end;
            }
            if self.early.is_empty() {
                // Repeated packets from before the gap are ACKed immediately.
                self.quick = self.quick.max(self.next);
                self.recent.clear();
            } else {
                self.recent.remove_below(self.next);
            }
        } else if self.reports_duplicates {
            self.report_duplicate(seq);
        }
    }

    /// The next ACK reports packet `seq` as a duplicate. That ACK is then not plain, and the block must be removed
    /// after it.
    #[cold]
    #[inline(never)]
    fn report_duplicate(&mut self, seq: u32) {
        self.recent.insert_duplicate(seq);
        self.plain = false;
    }

    /// The report of a duplicate was sent: it is sent once (RFC 2883, section 4).
    #[cold]
    #[inline(never)]
    fn forget_duplicate(&mut self) {
        self.recent.remove_duplicate();
        self.plain = self.usually_plain;
    }

    /// The SACK blocks of the last ACK, the most recent first; empty unless the flavour is selective.
    #[inline]
    pub fn sack_blocks(&self) -> &[SackBlock] {
        &self.recent[..usize::from(self.blocks())]
    }

    /// Number of SACK blocks to report.
    #[inline]
    fn blocks(&self) -> u8 {
        self.recent.count().min(self.sack_blocks)
    }

    /// Bytes on the wire of an ACK.
    #[inline]
    fn answer_size(&self) -> u32 {
        self.ack_size + u32::from(self.sack_block_size) * u32::from(self.blocks())
    }

    /// The ACK to send now; `ecn`: ECN field of the packet that it answers.
    #[inline]
    fn ack(&mut self, stamp: Time, retransmission: bool, ecn: Ecn) -> ReceiverAck {
        ReceiverAck {
            ack: self.next,
            size: self.answer_size(),
            blocks: self.blocks(),
            ece: self.echo && self.rules.echoes_to(ecn.is_capable()),
            ace: if let Feedback::Counter(marks) = &mut self.feedback { marks.report() } else { 0 },
            ecn: if self.capable { self.codepoint } else { Ecn::Not },
            stamp,
            retransmission,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{DelayedAck, Profile};
    use penstock_core::Bytes;
    use proptest::prelude::*;

    #[test]
    fn the_blocks_reported_are_the_most_recent_ones() {
        let params = TcpParams { flavour: Flavour::Sack, ..TcpParams::of(Profile::Ns2) };
        let mut receiver = Receiver::new(&params);
        let mut reported = |seq| {
            let payload = params.payload(seq);
            let ack = receiver.on_segment(Time::ZERO, &Segment { seq, payload, ..Segment::default() });
            let ack = ack.expect("ACKed at once");
            let blocks: Vec<_> = receiver.sack_blocks().iter().map(|block| (block.start, block.end)).collect();
            (ack.ack, ack.size, blocks)
        };
        assert_eq!(reported(0), (1, 40, vec![]));
        assert_eq!(reported(2), (1, 48, vec![(2, 3)]));
        assert_eq!(reported(4), (1, 56, vec![(4, 5), (2, 3)]));
        assert_eq!(reported(6), (1, 64, vec![(6, 7), (4, 5), (2, 3)]));
        assert_eq!(reported(8), (1, 64, vec![(8, 9), (6, 7), (4, 5)]));
        assert_eq!(reported(3), (1, 64, vec![(2, 5), (8, 9), (6, 7)]));
        assert_eq!(reported(1), (5, 56, vec![(8, 9), (6, 7)]));
        assert_eq!(reported(1), (5, 56, vec![(8, 9), (6, 7)]));
    }

    #[test]
    fn the_packet_in_which_a_write_ends_is_acked_at_once() {
        let params = TcpParams {
            packet: Bytes(1000),
            write: Bytes(3600),
            quick_acks: 1,
            syn: true,
            ..TcpParams::of(Profile::Linux)
        };
        let mut receiver = Receiver::new(&params);
        let acked = (0..14).filter(|&seq| {
            let (payload, push) = (params.payload(seq), params.is_pushed(seq));
            receiver.on_segment(Time::ZERO, &Segment { seq, payload, push, ..Segment::default() }).is_some()
        });
        // The SYN and the first data packet are ACKed one by one, then pairs; data packets 4 and 11, in
        // which writes end, are ACKed alone.
        assert_eq!(acked.collect::<Vec<_>>(), [0, 1, 3, 4, 6, 8, 10, 11, 13]);
    }

    /// Packets in any order, some repeated: 1000 bytes each, except every third, which has 100.
    #[test]
    fn every_short_packet_is_counted_once() {
        let params = TcpParams { packet: Bytes(1000), delayed_ack: DelayedAck::Off, ..TcpParams::of(Profile::Linux) };
        let mut receiver = Receiver::new(&params);
        let mut delivered = |seq: u32| {
            let payload = if seq % 3 == 2 { 100 } else { 1000 };
            receiver.on_segment(Time::ZERO, &Segment { seq, payload, ..Segment::default() });
            receiver.delivered_bytes()
        };
        let order = [0, 2, 5, 5, 1, 2, 3, 4, 8, 7, 6, 8, 9];
        let expected = [1000, 1000, 1000, 1000, 2100, 2100, 3100, 4200, 4200, 4200, 6300, 6300, 7300];
        assert_eq!(order.map(&mut delivered), expected);
    }

    #[test]
    fn each_byte_counts_once_and_in_order() {
        let params =
            TcpParams { bytes: Some(Bytes(3500)), packet: Bytes(1000), syn: true, ..TcpParams::of(Profile::Linux) };
        assert_eq!(params.end(), 5);
        let mut receiver = Receiver::new(&params);
        let mut delivered = |seq| {
            receiver.on_segment(Time::ZERO, &Segment { seq, payload: params.payload(seq), ..Segment::default() });
            receiver.delivered_bytes()
        };
        assert_eq!([0, 1, 1, 4, 2, 2, 3].map(&mut delivered), [0, 1000, 1000, 1000, 2000, 2000, 3500]);
        assert_eq!([0, 1, 2, 4, 5].map(|seq| params.offset(seq)), [0, 0, 1000, 3000, 3500]);
    }

    const DELAY: Span = Span::from_millis(40);

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// A receiver with delayed ACKs from the second packet on.
    fn delaying(profile: Profile, flavour: Flavour) -> Receiver {
        let delayed_ack = DelayedAck::Within(DELAY);
        let params = TcpParams { flavour, delayed_ack, quick_acks: 0, syn: false, ..TcpParams::of(profile) };
        Receiver::new(&params)
    }

    /// Packet `seq` arrives at the time at which it was sent.
    fn arrive(receiver: &mut Receiver, millis: u64, seq: u32, ecn: Ecn) -> Option<ReceiverAck> {
        let (stamp, payload) = (at(millis), receiver.packet);
        receiver.on_segment(stamp, &Segment { seq, payload, stamp, ecn, ..Segment::default() })
    }

    #[test]
    fn a_packet_that_fills_a_gap_is_echoed_itself_although_the_ack_of_one_behind_the_gap_waits() {
        // RFC 7323, section 4.3: packets behind a gap do not change TS.Recent.
        let mut receiver = delaying(Profile::Linux, Flavour::Sack);
        (0..10).for_each(|seq| _ = arrive(&mut receiver, 0, seq, Ecn::Not));
        arrive(&mut receiver, 20, 10, Ecn::Not);
        let answers = [12, 13, 14, 15].map(|seq| arrive(&mut receiver, 21, seq, Ecn::Not).is_some());
        assert_eq!(answers, [true, true, true, false], "the ACK of packet 15 waits");
        let ack = arrive(&mut receiver, 22, 11, Ecn::Not).expect("immediate");
        assert_eq!((ack.ack, ack.stamp), (16, at(22)));
    }

    #[test]
    fn a_delayed_ack_echoes_the_time_of_the_earlier_packet() {
        let mut receiver = delaying(Profile::Linux, Flavour::Sack);
        assert_eq!(arrive(&mut receiver, 0, 0, Ecn::Not).map(|ack| ack.stamp), Some(at(0)));
        assert_eq!(arrive(&mut receiver, 10, 1, Ecn::Not), None);
        assert_eq!(arrive(&mut receiver, 20, 2, Ecn::Not).map(|ack| (ack.ack, ack.stamp)), Some((3, at(10))));
    }

    /// All ACKs that packet `seq` causes: (next packet expected, blocks, ECE, ACE).
    fn answers(receiver: &mut Receiver, millis: u64, seq: u32, ecn: Ecn) -> Vec<(u32, Vec<SackBlock>, bool, u8)> {
        let (stamp, payload) = (at(millis), receiver.packet);
        let segment = Segment { seq, payload, stamp, ecn, ..Segment::default() };
        let mut answers = Vec::new();
        for before in [true, false] {
            let ack = if before { receiver.ack_before(&segment) } else { receiver.on_segment(stamp, &segment) };
            answers.extend(ack.map(|ack| (ack.ack, receiver.sack_blocks().to_vec(), ack.ece, ack.ace)));
        }
        answers
    }

    /// RFC 8257, section 3.2: one ACK for the packets in the old state, and one for the packet that changes it.
    #[test]
    fn when_the_mark_changes_dctcp_acks_the_earlier_packets_and_the_newer_one_separately() {
        let mut receiver = delaying(Profile::Linux, Flavour::Dctcp);
        arrive(&mut receiver, 0, 0, Ecn::Ect0);
        assert_eq!(answers(&mut receiver, 10, 1, Ecn::Ect0), []);
        assert_eq!(answers(&mut receiver, 20, 2, Ecn::Ce), [(2, vec![], false, 0), (3, vec![], true, 0)]);
        assert_eq!(receiver.timer(), None);
    }

    /// A receiver whose first round trip of 100 ms is over, with delayed ACKs; packet 11 is missing, and the three packets behind it
    /// that are ACKed one by one have arrived.
    fn sharing(flavour: Flavour) -> Receiver {
        let mut receiver = delaying(Profile::Linux, flavour);
        for seq in 0..11 {
            arrive(&mut receiver, if seq == 10 { 100 } else { 0 }, seq, Ecn::Ect0);
        }
        receiver.release();
        for seq in 12..15 {
            assert_eq!(answers(&mut receiver, 110, seq, Ecn::Ect0).len(), 1);
        }
        receiver
    }

    #[test]
    fn a_changed_mark_behind_a_gap_ends_the_wait_of_dctcp() {
        let mut receiver = sharing(Flavour::Dctcp);
        assert_eq!(answers(&mut receiver, 110, 15, Ecn::Ect0), []);
        let block = |end| vec![SackBlock { start: 12, end }];
        assert_eq!(answers(&mut receiver, 110, 16, Ecn::Ce), [(11, block(16), false, 0), (11, block(17), true, 0)]);
        assert_eq!(answers(&mut receiver, 110, 17, Ecn::Ce), []);
    }

    /// The rule of Linux 5.8: no block reaches third place before an ACK has reported it.
    #[test]
    fn the_waiting_ack_leaves_before_a_third_block_begins_and_before_a_third_one_grows() {
        let block = |start, end| SackBlock { start, end };
        let mut receiver = sharing(Flavour::Sack);
        assert_eq!(answers(&mut receiver, 110, 15, Ecn::Ect0), []);
        assert_eq!(answers(&mut receiver, 110, 18, Ecn::Ect0), [], "a second block waits");
        let two = vec![block(18, 19), block(12, 16)];
        assert_eq!(answers(&mut receiver, 110, 20, Ecn::Ect0), [(11, two, false, 0)], "a third one does not");
        assert_eq!(answers(&mut receiver, 110, 19, Ecn::Ect0), [], "it joins the first two");
        let two = vec![block(18, 21), block(12, 16)];
        assert_eq!(answers(&mut receiver, 110, 22, Ecn::Ect0), [(11, two, false, 0)]);
        assert_eq!(answers(&mut receiver, 110, 23, Ecn::Ect0), []);
        let three = vec![block(22, 24), block(18, 21), block(12, 16)];
        assert_eq!(answers(&mut receiver, 110, 16, Ecn::Ect0), [(11, three, false, 0)], "a block in third place grows");
        assert_eq!(receiver.release().map(|ack| ack.blocks), Some(3));
        assert_eq!(receiver.sack_blocks(), [block(12, 17), block(22, 24), block(18, 21)]);
    }

    proptest! {
        /// RFC 2018, section 4, requires each block to be reported: once no ACK waits, every packet that arrived has
        /// been reported.
        #[test]
        fn no_packet_that_arrives_goes_unreported(
            ahead in prop::collection::vec(1_u32..40, 1..120),
            flavour in prop::sample::select(vec![Flavour::Sack, Flavour::Dctcp, Flavour::Prague]),
            sack_blocks in 1_u8..=4,
            marks in any::<u128>(),
        ) {
            let mut receiver = sharing(flavour);
            receiver.sack_blocks = sack_blocks;
            let mut reported = PacketRanges::default();
            let mut arrived = vec![];
            for (n, ahead) in ahead.into_iter().enumerate() {
                let seq = 15 + ahead;
                let ecn = if marks >> n & 1 == 1 { Ecn::Ce } else { Ecn::Ect0 };
                arrived.push(seq);
                for (_, blocks, ..) in answers(&mut receiver, 110, seq, ecn) {
                    for block in blocks {
                        reported.insert(block);
                    }
                }
            }
            receiver.release();
            for block in receiver.sack_blocks() {
                reported.insert(*block);
            }
            for seq in arrived {
                prop_assert!(reported.find(seq).is_some(), "{seq}");
            }
        }

        /// RFC 9768, section 3.2.2.5.1: n = 2, whatever else delays ACKs; the first ACK after a period without marks
        /// may carry one more.
        #[test]
        fn between_two_acks_the_count_of_marks_rises_by_at_most_two(
            packets in prop::collection::vec((0_u32..6, any::<bool>()), 1..200),
        ) {
            let mut receiver = sharing(Flavour::Prague);
            let mut ace = 5;
            for (ahead, marked) in packets {
                let seq = receiver.next.max(11) + ahead;
                for (.., now) in answers(&mut receiver, 110, seq, if marked { Ecn::Ce } else { Ecn::Ect1 }) {
                    let rise = (now + 8 - ace) % 8;
                    prop_assert!(rise <= 2, "{rise}");
                    ace = now;
                }
            }
        }
    }

    #[test]
    fn a_marked_packet_behind_a_gap_does_not_close_it() {
        let mut receiver = delaying(Profile::Linux, Flavour::Dctcp);
        arrive(&mut receiver, 0, 0, Ecn::Ect0);
        assert_eq!(arrive(&mut receiver, 10, 1, Ecn::Ect0), None);
        assert_eq!(arrive(&mut receiver, 20, 3, Ecn::Ce).map(|ack| (ack.ack, ack.ece)), Some((2, true)));
        assert!(receiver.lacks(2) && !receiver.lacks(1));
    }

    #[test]
    fn after_the_16th_packet_acks_are_delayed_for_quick_gap_packets_unless_one_is_marked() {
        let delayed_ack = DelayedAck::Within(DELAY);
        let params =
            TcpParams { delayed_ack, quick_acks: 40, quick_gap: 2, syn: false, ..TcpParams::of(Profile::Linux) };
        let delayed = |marked: u32| -> Vec<u32> {
            let mut receiver = Receiver::new(&params);
            let ecn = |seq| if seq == marked { Ecn::Ce } else { Ecn::Ect0 };
            (0..30).filter(|&seq| arrive(&mut receiver, 0, seq, ecn(seq)).is_none()).collect()
        };
        assert_eq!(delayed(u32::MAX), [16]);
        assert_eq!(delayed(16), []);
    }

    #[test]
    fn a_mark_behind_a_gap_ends_the_sharing_of_acks() {
        let mut receiver = delaying(Profile::Linux, Flavour::Sack);
        // The first round trip ends with the packet after the initial window of ten.
        for seq in 0..11 {
            arrive(&mut receiver, if seq == 10 { 100 } else { 0 }, seq, Ecn::Ect0);
        }
        let mut shared = |ecn: [Ecn; 7]| -> Vec<u32> {
            let packets = (12..19).zip(ecn);
            packets.filter(|(seq, ecn)| arrive(&mut receiver, 110, *seq, *ecn).is_none()).map(|(seq, _)| seq).collect()
        };
        assert_eq!(shared([Ecn::Ect0, Ecn::Ect0, Ecn::Ect0, Ecn::Ect0, Ecn::Ce, Ecn::Ect0, Ecn::Ect0]), [15]);
    }

    #[test]
    fn in_ns2_the_ack_of_a_repeated_packet_is_delayed_unless_it_is_from_before_a_gap() {
        let repeated = |arrivals: [u32; 3]| {
            let mut receiver = delaying(Profile::Ns2, Flavour::Reno);
            for seq in arrivals {
                arrive(&mut receiver, 0, seq, Ecn::Not);
            }
            arrive(&mut receiver, 0, 2, Ecn::Not).map(|ack| ack.ack)
        };
        assert_eq!(repeated([0, 1, 2]), None);
        assert_eq!(repeated([0, 2, 1]), Some(3));
    }

    #[test]
    fn in_ns2_only_acks_of_ecn_capable_packets_echo_a_mark() {
        let echoes = |profile| {
            let mut receiver = delaying(profile, Flavour::Reno);
            let first = arrive(&mut receiver, 0, 0, Ecn::Ce).map(|ack| ack.ece);
            [first, arrive(&mut receiver, 0, 2, Ecn::Not).map(|ack| ack.ece)]
        };
        assert_eq!(echoes(Profile::Ns2), [Some(true), Some(false)]);
        assert_eq!(echoes(Profile::Linux), [Some(true), Some(true)]);
        let mut receiver = delaying(Profile::Ns2, Flavour::Reno);
        arrive(&mut receiver, 0, 0, Ecn::Ect0);
        assert_eq!(arrive(&mut receiver, 0, 1, Ecn::Ce), None);
        assert_eq!(receiver.on_timer(at(100)).map(|ack| ack.ece), Some(true));
    }

    /// RFC 9768, sections 3.2.2.2 and 3.2.2.5.1: a mark after an unmarked packet is ACKed at once, other packets in
    /// pairs.
    #[test]
    fn accurate_acks_count_the_marked_packets_from_five_on_modulo_eight() {
        let mut receiver = delaying(Profile::Linux, Flavour::Prague);
        arrive(&mut receiver, 0, 0, Ecn::Ect1);
        let (unmarked, mark) = (Ecn::Ect1, Ecn::Ce);
        let acked = |(seq, ecn)| arrive(&mut receiver, 0, seq, ecn).map(|ack| (seq, ack.ace));
        let acks: Vec<_> = (1..).zip([unmarked, unmarked, mark, mark, unmarked, mark]).filter_map(acked).collect();
        assert_eq!(acks, [(2, 5), (3, 6), (5, 7), (6, 0)]);
    }

    #[test]
    fn a_mark_of_prague_behind_a_gap_is_acked_at_once_and_the_packets_after_it_still_share_acks() {
        let mut receiver = sharing(Flavour::Prague);
        let (unmarked, mark) = (Ecn::Ect1, Ecn::Ce);
        let marks = [unmarked, mark, unmarked, unmarked, mark, mark, mark, mark, unmarked];
        let acked = |(seq, ecn)| answers(&mut receiver, 110, seq, ecn).first().map(|(.., ace)| (seq, *ace));
        let acks: Vec<_> = (15..).zip(marks).filter_map(acked).collect();
        // Marks after an unmarked packet: 16 and 19. Second mark since the last ACK: 21.
        assert_eq!(acks, [(16, 6), (19, 7), (21, 1)]);
    }

    /// RFC 8257, section 5; RFC 9331, appendix A.2.1; otherwise RFC 3168, section 6.1.4.
    #[test]
    fn acks_of_dctcp_and_prague_are_ecn_capable_as_long_as_data_is() {
        let ecn = |flavour, control, data| {
            let params = TcpParams { flavour, ecn: true, ecn_control: control, ..TcpParams::of(Profile::Linux) };
            arrive(&mut Receiver::new(&params), 0, 0, data).map(|ack| ack.ecn)
        };
        assert_eq!(ecn(Flavour::Prague, true, Ecn::Ect1), Some(Ecn::Ect1));
        assert_eq!(ecn(Flavour::Dctcp, true, Ecn::Ce), Some(Ecn::Ect0));
        assert_eq!(ecn(Flavour::Dctcp, true, Ecn::Not), Some(Ecn::Not), "ECN was not agreed to");
        assert_eq!(ecn(Flavour::Prague, false, Ecn::Ect1), Some(Ecn::Not));
        assert_eq!(ecn(Flavour::Cubic, false, Ecn::Ect0), Some(Ecn::Not));
    }

    /// RFC 8257, section 3.6; RFC 9768, section 3.2.2.2.
    #[test]
    fn the_mark_of_an_opening_packet_is_ignored() {
        for flavour in [Flavour::Dctcp, Flavour::Prague] {
            let params =
                TcpParams { flavour, ecn: true, ecn_control: true, syn: true, ..TcpParams::of(Profile::Linux) };
            let mut receiver = Receiver::new(&params);
            let ack = receiver.on_segment(Time::ZERO, &Segment { ecn: Ecn::Ce, ..Segment::default() });
            assert_eq!(
                ack.map(|ack| (ack.ack, ack.ece, ack.ace % 5, ack.ecn)),
                Some((1, false, 0, params.codepoint()))
            );
        }
    }
}

//! One flow over one link with all its propagation delay on the return path, as the Linux recordings were made: a packet is
//! delivered when its transmission begins.

use crate::network::{Events, Outbox};
use penstock_core::{Bytes, Ecn, Time};
use penstock_tcp::{Ack, Receiver, ReceiverAck, SackBlocks, Segment, Sender, TcpParams};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// The path of the packets and what happens to them.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinuxPath {
    /// Transmission time of a byte, in picoseconds; 0: none.
    pub(crate) byte_ps: u64,
    /// Maximum number of packets waiting.
    pub(crate) limit: usize,
    /// Delay of an ACK, in nanoseconds.
    pub(crate) delay: u64,
    /// Packets lost after the link: numbers of those larger than `lost_above` bytes, from 1, retransmissions included.
    pub(crate) lost: BTreeSet<u32>,
    pub(crate) lost_above: u32,
    /// Packets marked after the link, numbered in the same way.
    pub(crate) marked: BTreeSet<u32>,
    /// ACKs lost, numbered from 1.
    pub(crate) acks_lost: BTreeSet<u32>,
    /// If given, the receiver holds an ACK of a packet in order unless its number is one of these or another ACK is held.
    pub(crate) acks: Option<BTreeSet<u32>>,
    /// Gauges of the sender to record after each event.
    pub(crate) gauges: &'static [&'static str],
}

/// Record of a run; times in nanoseconds.
pub(crate) struct Record {
    /// (time, window, threshold) after each event.
    pub(crate) windows: Vec<(u64, f64, f64)>,
    /// Time and the gauges that the path names, after each event at which one of them changes.
    pub(crate) gauges: Vec<(u64, Vec<f64>)>,
    /// Each packet sent: time, number, whether it is a retransmission.
    pub(crate) sent: Vec<(u64, u32, bool)>,
    /// The pushed packets.
    pub(crate) pushed: BTreeSet<u32>,
    /// When the last packet was delivered.
    pub(crate) done: u64,
    pub(crate) sender: Sender,
    pub(crate) end: Time,
}

/// Run a transfer until everything is ACKed, or for `limit` nanoseconds.
pub(crate) fn run(params: TcpParams, path: &LinuxPath, limit: u64) -> Record {
    let mut run = Run::new(params, path);
    run.sender.start(Time::ZERO, &mut run.outbox);
    run.flush(0);
    let (mut windows, mut gauges, mut now) = (Vec::new(), Vec::<(u64, Vec<f64>)>::new(), 0);
    while let Some((at, event)) = run.events.pop() {
        if at > limit || run.sender.finished().is_some() {
            break;
        }
        now = at;
        match event {
            Event::Data(segment) => run.on_data(now, &segment),
            Event::Ack(ack, blocks) => run.on_ack(now, &ack, &blocks),
            Event::ReceiverTimer => run.on_receiver_timer(now),
            Event::SenderTimer => run.on_sender_timer(now),
        }
        windows.push((now, run.sender.cwnd(), run.sender.ssthresh()));
        let shown = run.shown();
        if gauges.last().is_none_or(|(_, last)| *last != shown) {
            gauges.push((now, shown));
        }
    }
    Record {
        windows,
        gauges,
        sent: run.sent,
        pushed: run.pushed,
        done: run.done,
        sender: run.sender,
        end: Time::from_nanos(now),
    }
}

enum Event {
    Data(Segment),
    Ack(ReceiverAck, SackBlocks),
    SenderTimer,
    ReceiverTimer,
}

struct Run<'a> {
    path: &'a LinuxPath,
    sender: Sender,
    receiver: Receiver,
    events: Events<Event>,
    /// Earliest event scheduled for the sender's timer.
    armed: u64,
    outbox: Outbox,
    /// When the transmission of each waiting packet begins.
    waiting: VecDeque<u64>,
    free_at: u64,
    sent: Vec<(u64, u32, bool)>,
    pushed: BTreeSet<u32>,
    /// Packets and ACKs that have crossed the path, as `lost`, `marked` and `acks_lost` count them.
    arrived: u32,
    answered: u32,
    /// The packet that the receiver's last ACK asks for.
    expected: u32,
    /// The ACK of a packet in order is held: its stamp.
    held: Option<Time>,
    done: u64,
    bytes: Option<Bytes>,
    end: u32,
}

impl<'a> Run<'a> {
    fn new(params: TcpParams, path: &'a LinuxPath) -> Self {
        Self {
            path,
            receiver: Receiver::new(&params),
            events: Events::new(),
            armed: u64::MAX,
            outbox: Outbox::default(),
            waiting: VecDeque::new(),
            free_at: 0,
            sent: Vec::new(),
            pushed: BTreeSet::new(),
            arrived: 0,
            answered: 0,
            expected: 0,
            held: None,
            done: 0,
            bytes: params.bytes,
            end: params.end(),
            sender: Sender::new(Arc::new(params)),
        }
    }

    fn shown(&self) -> Vec<f64> {
        let mut shown = Vec::new();
        if !self.path.gauges.is_empty() {
            self.sender.gauges(&mut |name, value| shown.extend(self.path.gauges.contains(&name).then_some(value)));
        }
        shown
    }

    fn on_data(&mut self, now: u64, segment: &Segment) {
        if segment.size > self.path.lost_above {
            self.arrived += 1;
            if self.path.lost.contains(&self.arrived) {
                return;
            }
        }
        let in_order = segment.seq == self.expected && self.receiver.sack_blocks().is_empty();
        let ecn = if self.path.marked.contains(&self.arrived) { Ecn::Ce } else { segment.ecn };
        let segment = Segment { ecn, ..*segment };
        if let Some(ack) = self.receiver.ack_before(&segment) {
            self.schedule_ack(now, ack);
        }
        let ack = self.receiver.on_segment(Time::from_nanos(now), &segment);
        if self.done == 0 && self.bytes == Some(Bytes(self.receiver.delivered_bytes())) {
            self.done = now;
        }
        if let Some(timer) = self.receiver.timer() {
            self.events.schedule(timer.as_nanos(), Event::ReceiverTimer);
        }
        if let Some(ack) = ack {
            self.expected = ack.ack;
            if let Some(ack) = self.hold(ack, in_order) {
                self.schedule_ack(now, ack);
            }
        }
    }

    fn on_receiver_timer(&mut self, now: u64) {
        if let Some(ack) = self.receiver.on_timer(Time::from_nanos(now)) {
            self.expected = ack.ack;
            self.schedule_ack(now, ack);
        }
    }

    fn on_ack(&mut self, now: u64, ack: &ReceiverAck, blocks: &SackBlocks) {
        self.answered += 1;
        if self.path.acks_lost.contains(&self.answered) {
            return;
        }
        let ReceiverAck { ack, ece, ace, stamp, retransmission, .. } = *ack;
        let ack = Ack { ack, stamp, ece, ace, sack: blocks, retransmission };
        self.sender.on_ack(Time::from_nanos(now), &ack, &mut self.outbox);
        self.flush(now);
    }

    fn on_sender_timer(&mut self, now: u64) {
        if self.armed == now {
            self.armed = u64::MAX;
        }
        self.sender.on_timer(Time::from_nanos(now), &mut self.outbox);
        self.flush(now);
    }

    /// The ACK at hand, unless the recorded receiver held it.
    fn hold(&mut self, ack: ReceiverAck, in_order: bool) -> Option<ReceiverAck> {
        let Some(acks) = &self.path.acks else { return Some(ack) };
        if in_order && self.held.is_none() && !acks.contains(&ack.ack) && ack.ack != self.end {
            self.held = Some(ack.stamp);
            return None;
        }
        let stamp = self.held.take().unwrap_or(ack.stamp);
        Some(ReceiverAck { stamp, ..ack })
    }

    /// Queue the packets that the sender has sent, and schedule its timer.
    fn flush(&mut self, now: u64) {
        for segment in self.outbox.take() {
            self.sent.push((now, segment.seq, segment.retransmission));
            if segment.push {
                self.pushed.insert(segment.seq);
            }
            while self.waiting.front().is_some_and(|start| *start <= now) {
                self.waiting.pop_front();
            }
            if self.waiting.len() >= self.path.limit {
                continue;
            }
            let start = self.free_at.max(now);
            self.free_at = start + u64::from(segment.size) * self.path.byte_ps / 1000;
            self.waiting.push_back(start);
            self.events.schedule(start, Event::Data(segment));
        }
        if let Some(timer) = self.sender.timer().map(Time::as_nanos).filter(|timer| *timer < self.armed) {
            self.armed = timer;
            self.events.schedule(timer, Event::SenderTimer);
        }
    }

    fn schedule_ack(&mut self, now: u64, ack: ReceiverAck) {
        self.events.schedule(now + self.path.delay, Event::Ack(ack, self.receiver.sack_blocks().into()));
    }
}

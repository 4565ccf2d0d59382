//! One flow over one link with all its propagation delay on the way back, as the Linux recordings were made: a packet is
//! delivered when its transmission begins.
#![allow(dead_code, reason = "each test uses its part")]

use penstock_core::{Bytes, Ecn, Time};
use penstock_tcp::{Ack, Network, Receiver, ReceiverAck, SackBlocks, Segment, Sender, TcpParams};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// The way of the packets and what happens to them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    /// Transmission time of a byte, in picoseconds; 0: none.
    pub(crate) byte_ps: u64,
    /// Packets that may wait.
    pub(crate) limit: usize,
    /// Delay of an acknowledgement, in nanoseconds.
    pub(crate) delay: u64,
    /// Packets lost after the link: numbers of those larger than `lost_above` bytes, from 1, retransmissions included.
    pub(crate) lost: BTreeSet<u32>,
    pub(crate) lost_above: u32,
    /// Packets of the same count that are marked after the link.
    pub(crate) marked: BTreeSet<u32>,
    /// Acknowledgements lost, from 1.
    pub(crate) acks_lost: BTreeSet<u32>,
    /// If given, the receiver holds back an acknowledgement in order unless its number is one of these or a packet waits.
    pub(crate) acks: Option<BTreeSet<u32>>,
}

/// What a run leaves; times in nanoseconds.
pub(crate) struct Record {
    /// (time, window, threshold) after each event.
    pub(crate) windows: Vec<(u64, f64, f64)>,
    /// Each packet sent: time, number, whether again.
    pub(crate) sent: Vec<(u64, u32, bool)>,
    /// When the last packet was delivered.
    pub(crate) done: u64,
    pub(crate) sender: Sender,
    pub(crate) end: Time,
}

enum Event {
    Data(Segment),
    Ack(ReceiverAck, SackBlocks),
    SenderTimer,
    ReceiverTimer,
}

#[derive(Default)]
struct Outbox(Vec<Segment>);

impl Network for Outbox {
    fn transmit(&mut self, segment: Segment) {
        self.0.push(segment);
    }
}

struct Run<'a> {
    path: &'a Path,
    events: BTreeMap<(u64, u64), Event>,
    order: u64,
    /// When the sender's timer is looked at next.
    armed: u64,
    outbox: Outbox,
    /// When the packets that wait begin to be transmitted.
    waiting: VecDeque<u64>,
    free_at: u64,
    sent: Vec<(u64, u32, bool)>,
    /// A packet in order whose acknowledgement is held back: its stamp.
    held: Option<Time>,
    end: u32,
}

impl Run<'_> {
    fn schedule(&mut self, at: u64, event: Event) {
        self.order += 1;
        self.events.insert((at, self.order), event);
    }

    fn flush(&mut self, now: u64, sender: &Sender) {
        for segment in core::mem::take(&mut self.outbox.0) {
            self.sent.push((now, segment.seq, segment.retransmission));
            while self.waiting.front().is_some_and(|start| *start <= now) {
                self.waiting.pop_front();
            }
            if self.waiting.len() >= self.path.limit {
                continue;
            }
            let start = self.free_at.max(now);
            self.free_at = start + u64::from(segment.size) * self.path.byte_ps / 1000;
            self.waiting.push_back(start);
            self.schedule(start, Event::Data(segment));
        }
        if let Some(timer) = sender.timer().map(Time::as_nanos).filter(|timer| *timer < self.armed) {
            self.armed = timer;
            self.schedule(timer, Event::SenderTimer);
        }
    }

    /// The acknowledgement of the packet at hand, unless the recorded receiver held it back.
    fn hold(&mut self, ack: ReceiverAck, in_order: bool) -> Option<ReceiverAck> {
        let Some(acks) = &self.path.acks else { return Some(ack) };
        if in_order && self.held.is_none() && !acks.contains(&ack.ack) && ack.ack != self.end {
            self.held = Some(ack.stamp);
            return None;
        }
        let stamp = self.held.take().unwrap_or(ack.stamp);
        Some(ReceiverAck { stamp, ..ack })
    }
}

/// Run a finite transfer until everything is acknowledged, or for `limit` nanoseconds.
pub(crate) fn run(params: TcpParams, path: &Path, limit: u64) -> Record {
    let mut receiver = Receiver::new(&params);
    let (bytes, end) = (params.bytes, params.end());
    let mut sender = Sender::new(Arc::new(params));
    let mut run = Run {
        path,
        events: BTreeMap::new(),
        order: 0,
        armed: u64::MAX,
        outbox: Outbox::default(),
        waiting: VecDeque::new(),
        free_at: 0,
        sent: Vec::new(),
        held: None,
        end,
    };
    let (mut arrived, mut answered, mut expected, mut done, mut now) = (0, 0, 0, 0, 0);
    let mut windows = Vec::new();
    sender.start(Time::ZERO, &mut run.outbox);
    run.flush(0, &sender);
    while let Some(((at, _), event)) = run.events.pop_first() {
        if at > limit || sender.finished().is_some() {
            break;
        }
        now = at;
        let time = Time::from_nanos(now);
        match event {
            Event::Data(s) => {
                if s.size > path.lost_above {
                    arrived += 1;
                    if path.lost.contains(&arrived) {
                        continue;
                    }
                }
                let in_order = s.seq == expected && receiver.sack_blocks().is_empty();
                let ecn = if path.marked.contains(&arrived) { Ecn::Ce } else { s.ecn };
                let ack = receiver.on_segment(time, &Segment { ecn, ..s });
                if done == 0 && bytes == Some(Bytes(receiver.delivered_bytes())) {
                    done = now;
                }
                if let Some(timer) = receiver.timer() {
                    run.schedule(timer.as_nanos(), Event::ReceiverTimer);
                }
                if let Some(ack) = ack {
                    expected = ack.ack;
                    if let Some(ack) = run.hold(ack, in_order) {
                        run.schedule(now + path.delay, Event::Ack(ack, receiver.sack_blocks().into()));
                    }
                }
            }
            Event::ReceiverTimer => {
                if let Some(ack) = receiver.on_timer(time) {
                    expected = ack.ack;
                    run.schedule(now + path.delay, Event::Ack(ack, receiver.sack_blocks().into()));
                }
            }
            Event::Ack(ack, blocks) => {
                answered += 1;
                if path.acks_lost.contains(&answered) {
                    continue;
                }
                let ReceiverAck { ack, ece, ace, stamp, retransmission, .. } = ack;
                sender.on_ack(time, &Ack { ack, stamp, ece, ace, sack: &blocks, retransmission }, &mut run.outbox);
                run.flush(now, &sender);
            }
            Event::SenderTimer => {
                run.armed = if run.armed == now { u64::MAX } else { run.armed };
                sender.on_timer(time, &mut run.outbox);
                run.flush(now, &sender);
            }
        }
        windows.push((now, sender.cwnd(), sender.ssthresh()));
    }
    Record { windows, sent: run.sent, done, sender, end: Time::from_nanos(now) }
}

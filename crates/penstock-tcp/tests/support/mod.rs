//! One flow over two links, as scenario g of the reference results: S -10 Mb/s 1 ms- R -1 Mb/s 20 ms- K.
#![allow(dead_code, reason = "each test uses its part")]

use penstock_core::{Ecn, Span, Time};
use penstock_tcp::{Ack, Network, Receiver, ReceiverAck, SackBlocks, Segment, Sender, TcpParams};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::sync::Arc;

/// What happens to the packets on their way; numbers count arrivals at the bottleneck from 0, retransmissions included.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    /// Data packets lost.
    pub(crate) drops: BTreeSet<u32>,
    /// Acknowledgements lost, by arrivals at the far end of the bottleneck.
    pub(crate) ack_drops: BTreeSet<u32>,
    /// Data packets marked "congestion experienced".
    pub(crate) marks: BTreeSet<u32>,
    /// Data packets that may wait for the bottleneck.
    pub(crate) waiting: usize,
}

/// A directed link: a transmitter with a queue and a delay line.
struct Link {
    bits_per_second: u64,
    delay: u64,
    free_at: u64,
    /// When each waiting packet leaves the queue.
    departures: VecDeque<u64>,
}

impl Link {
    fn new(bits_per_second: u64, delay: u64) -> Self {
        Self { bits_per_second, delay, free_at: 0, departures: VecDeque::new() }
    }

    /// Packets waiting at `now`, the one in transmission not counted.
    fn waiting(&mut self, now: u64) -> usize {
        while self.departures.front().is_some_and(|start| *start <= now) {
            self.departures.pop_front();
        }
        self.departures.len()
    }

    /// When a packet that comes now arrives at the other end.
    fn send(&mut self, now: u64, size: u32) -> u64 {
        let start = self.free_at.max(now);
        self.departures.push_back(start);
        self.free_at = start + u64::from(size) * 8 * 1_000_000_000 / self.bits_per_second;
        self.free_at + self.delay
    }
}

enum Event {
    DataAtRouter(Segment),
    DataAtReceiver(Segment),
    AckAtFarEnd(ReceiverAck, SackBlocks),
    AckAtRouter(ReceiverAck, SackBlocks),
    AckAtSender(ReceiverAck, SackBlocks),
    SenderTimer,
    ReceiverTimer,
}

/// The segments a sender has just sent.
#[derive(Default)]
struct Outbox(Vec<Segment>);

impl Network for Outbox {
    fn transmit(&mut self, segment: Segment) {
        self.0.push(segment);
    }
}

/// What a run leaves.
pub(crate) struct Record {
    /// Every packet sent.
    pub(crate) sent: Vec<Segment>,
    /// Every acknowledgement that reached the sender: time in ns and number.
    pub(crate) acks: Vec<(u64, u32)>,
    /// (time in ns, cwnd) after each acknowledgement.
    pub(crate) cwnd: Vec<(u64, f64)>,
    /// Most packets ever outstanding.
    pub(crate) outstanding: u32,
    /// Least congestion window after any event.
    pub(crate) least_cwnd: f64,
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    pub(crate) end: Time,
}

struct Run {
    events: BinaryHeap<Reverse<(u64, u64)>>,
    pending: Vec<Option<Event>>,
    outbox: Outbox,
    access: Link,
    sent: Vec<Segment>,
    armed: u64,
    /// The packet after the highest one sent.
    highest: u32,
}

impl Run {
    fn schedule(&mut self, at: u64, event: Event) {
        self.events.push(Reverse((at, self.pending.len() as u64)));
        self.pending.push(Some(event));
    }

    /// Put what the sender has sent on its access link and arm its timer.
    fn flush(&mut self, now: u64, sender: &Sender) {
        for segment in core::mem::take(&mut self.outbox.0) {
            assert_eq!(segment.stamp.as_nanos(), now);
            let at = self.access.send(now, segment.size);
            self.sent.push(segment);
            self.highest = self.highest.max(segment.seq + 1);
            self.schedule(at, Event::DataAtRouter(segment));
        }
        if let Some(timer) = sender.timer() {
            let timer = timer.as_nanos();
            if timer < self.armed {
                self.armed = timer;
                self.schedule(timer, Event::SenderTimer);
            }
        }
    }
}

/// Run a finite transfer, for at most `limit`.
pub(crate) fn run(params: TcpParams, faults: &Faults, limit: Span) -> Record {
    let mut receiver = Receiver::new(&params);
    let mut sender = Sender::new(Arc::new(params));
    let mut bottleneck = Link::new(1_000_000, 20_000_000);
    let mut ack_bottleneck = Link::new(1_000_000, 20_000_000);
    let mut ack_access = Link::new(10_000_000, 1_000_000);
    let mut run = Run {
        events: BinaryHeap::new(),
        pending: Vec::new(),
        outbox: Outbox::default(),
        access: Link::new(10_000_000, 1_000_000),
        sent: Vec::new(),
        armed: u64::MAX,
        highest: 0,
    };
    let (mut arrivals, mut ack_arrivals) = (0, 0);
    let (mut acks, mut cwnd) = (Vec::new(), Vec::new());
    let (mut una, mut outstanding) = (0, 0);
    let mut least_cwnd = sender.cwnd();
    let mut now = 0;
    sender.start(Time::ZERO, &mut run.outbox);
    run.flush(0, &sender);
    while let Some(Reverse((at, index))) = run.events.pop() {
        if at > limit.as_nanos() || sender.finished().is_some() {
            break;
        }
        now = at;
        let time = Time::from_nanos(now);
        match run.pending[index as usize].take().expect("each event comes once") {
            Event::DataAtRouter(mut segment) => {
                let number = arrivals;
                arrivals += 1;
                if faults.marks.contains(&number) && segment.ecn.is_capable() {
                    segment.ecn = Ecn::Ce;
                }
                if !faults.drops.contains(&number) && bottleneck.waiting(now) < faults.waiting {
                    let at = bottleneck.send(now, segment.size);
                    run.schedule(at, Event::DataAtReceiver(segment));
                }
            }
            Event::DataAtReceiver(s) => {
                let ack = receiver.on_segment(time, &s);
                if let Some(timer) = receiver.timer() {
                    run.schedule(timer.as_nanos(), Event::ReceiverTimer);
                }
                if let Some(ack) = ack {
                    let blocks = receiver.sack_blocks().into();
                    run.schedule(now, Event::AckAtFarEnd(ack, blocks));
                }
            }
            Event::ReceiverTimer => {
                if let Some(ack) = receiver.on_timer(time) {
                    let blocks = receiver.sack_blocks().into();
                    run.schedule(now, Event::AckAtFarEnd(ack, blocks));
                }
            }
            Event::AckAtFarEnd(ack, blocks) => {
                let number = ack_arrivals;
                ack_arrivals += 1;
                if !faults.ack_drops.contains(&number) {
                    let at = ack_bottleneck.send(now, ack.size);
                    run.schedule(at, Event::AckAtRouter(ack, blocks));
                }
            }
            Event::AckAtRouter(ack, blocks) => {
                let at = ack_access.send(now, ack.size);
                run.schedule(at, Event::AckAtSender(ack, blocks));
            }
            Event::AckAtSender(ack, blocks) => {
                acks.push((now, ack.ack));
                una = una.max(ack.ack);
                let ack = Ack {
                    ack: ack.ack,
                    stamp: ack.stamp,
                    ece: ack.ece,
                    ace: ack.ace,
                    sack: &blocks,
                    retransmission: ack.retransmission,
                };
                sender.on_ack(time, &ack, &mut run.outbox);
                run.flush(now, &sender);
                cwnd.push((now, sender.cwnd()));
            }
            Event::SenderTimer => {
                run.armed = u64::MAX;
                sender.on_timer(time, &mut run.outbox);
                run.flush(now, &sender);
            }
        }
        outstanding = outstanding.max(run.highest - una);
        least_cwnd = least_cwnd.min(sender.cwnd());
    }
    Record { sent: run.sent, acks, cwnd, outstanding, least_cwnd, sender, receiver, end: Time::from_nanos(now) }
}

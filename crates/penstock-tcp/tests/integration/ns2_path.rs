//! One flow over two links, as in scenario g of the ns-2 reference results: S -10 Mb/s 1 ms- R -1 Mb/s 20 ms- K.

use crate::network::{Events, Outbox};
use penstock_core::{Ecn, Span, Time};
use penstock_tcp::{Ack, Receiver, ReceiverAck, SackBlocks, Segment, Sender, TcpParams};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// The treatment of packets on the path; numbers count arrivals at the bottleneck from 0, retransmissions included.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    /// Data packets lost.
    pub(crate) drops: BTreeSet<u32>,
    /// ACKs lost, by arrivals at the far end of the bottleneck.
    pub(crate) ack_drops: BTreeSet<u32>,
    /// Data packets marked "congestion experienced".
    pub(crate) marks: BTreeSet<u32>,
    /// Maximum number of data packets waiting for the bottleneck.
    pub(crate) waiting: usize,
}

/// Record of a run.
pub(crate) struct Record {
    /// Every packet sent.
    pub(crate) sent: Vec<Segment>,
    /// (time in ns, cwnd) after each ACK.
    pub(crate) cwnd: Vec<(u64, f64)>,
    /// Greatest number of packets ever outstanding.
    pub(crate) outstanding: u32,
    /// Smallest congestion window after any event.
    pub(crate) least_cwnd: f64,
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    pub(crate) end: Time,
}

/// Run a finite transfer, for at most `limit`.
pub(crate) fn run(params: TcpParams, faults: &Faults, limit: Span) -> Record {
    let mut run = Run::new(params, faults);
    run.sender.start(Time::ZERO, &mut run.outbox);
    run.flush(0);
    let (mut now, mut outstanding, mut least_cwnd) = (0, 0, run.sender.cwnd());
    while let Some((at, event)) = run.events.pop() {
        if at > limit.as_nanos() || run.sender.finished().is_some() {
            break;
        }
        now = at;
        match event {
            Event::DataAtRouter(segment) => run.on_data_at_router(now, segment),
            Event::DataAtReceiver(segment) => run.on_data_at_receiver(now, &segment),
            Event::ReceiverTimer => run.on_receiver_timer(now),
            Event::AckAtFarEnd(ack, blocks) => run.on_ack_at_far_end(now, ack, blocks),
            Event::AckAtRouter(ack, blocks) => run.on_ack_at_router(now, ack, blocks),
            Event::AckAtSender(ack, blocks) => run.on_ack_at_sender(now, &ack, &blocks),
            Event::SenderTimer => run.on_sender_timer(now),
        }
        outstanding = outstanding.max(run.highest - run.una);
        least_cwnd = least_cwnd.min(run.sender.cwnd());
    }
    let Run { sent, cwnd, sender, receiver, .. } = run;
    Record { sent, cwnd, outstanding, least_cwnd, sender, receiver, end: Time::from_nanos(now) }
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

/// A directed link: a transmitter with a queue and a delay line.
struct Link {
    bits_per_second: u64,
    delay: u64,
    free_at: u64,
    /// When each waiting packet leaves the queue.
    departures: VecDeque<u64>,
}

impl Link {
    fn access() -> Self {
        Self::new(10_000_000, 1_000_000)
    }

    fn bottleneck() -> Self {
        Self::new(1_000_000, 20_000_000)
    }

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

struct Run<'a> {
    faults: &'a Faults,
    sender: Sender,
    receiver: Receiver,
    events: Events<Event>,
    outbox: Outbox,
    access: Link,
    bottleneck: Link,
    ack_bottleneck: Link,
    ack_access: Link,
    sent: Vec<Segment>,
    cwnd: Vec<(u64, f64)>,
    /// Earliest event scheduled for the sender's timer.
    armed: u64,
    /// Arrivals, as [`Faults`] counts them.
    arrivals: u32,
    ack_arrivals: u32,
    /// The packet after the highest one sent, and the oldest one that is not ACKed.
    highest: u32,
    una: u32,
}

impl<'a> Run<'a> {
    fn new(params: TcpParams, faults: &'a Faults) -> Self {
        Self {
            faults,
            receiver: Receiver::new(&params),
            sender: Sender::new(Arc::new(params)),
            events: Events::new(),
            outbox: Outbox::default(),
            access: Link::access(),
            bottleneck: Link::bottleneck(),
            ack_bottleneck: Link::bottleneck(),
            ack_access: Link::access(),
            sent: Vec::new(),
            cwnd: Vec::new(),
            armed: u64::MAX,
            arrivals: 0,
            ack_arrivals: 0,
            highest: 0,
            una: 0,
        }
    }

    fn on_data_at_router(&mut self, now: u64, mut segment: Segment) {
        let number = self.arrivals;
        self.arrivals += 1;
        if self.faults.marks.contains(&number) && segment.ecn.is_capable() {
            segment.ecn = Ecn::Ce;
        }
        if !self.faults.drops.contains(&number) && self.bottleneck.waiting(now) < self.faults.waiting {
            let at = self.bottleneck.send(now, segment.size);
            self.events.schedule(at, Event::DataAtReceiver(segment));
        }
    }

    fn on_data_at_receiver(&mut self, now: u64, segment: &Segment) {
        let earlier = self.receiver.ack_before(segment);
        self.schedule_ack(now, earlier);
        let ack = self.receiver.on_segment(Time::from_nanos(now), segment);
        if let Some(timer) = self.receiver.timer() {
            self.events.schedule(timer.as_nanos(), Event::ReceiverTimer);
        }
        self.schedule_ack(now, ack);
    }

    fn on_receiver_timer(&mut self, now: u64) {
        let ack = self.receiver.on_timer(Time::from_nanos(now));
        self.schedule_ack(now, ack);
    }

    fn on_ack_at_far_end(&mut self, now: u64, ack: ReceiverAck, blocks: SackBlocks) {
        let number = self.ack_arrivals;
        self.ack_arrivals += 1;
        if !self.faults.ack_drops.contains(&number) {
            let at = self.ack_bottleneck.send(now, ack.size);
            self.events.schedule(at, Event::AckAtRouter(ack, blocks));
        }
    }

    fn on_ack_at_router(&mut self, now: u64, ack: ReceiverAck, blocks: SackBlocks) {
        let at = self.ack_access.send(now, ack.size);
        self.events.schedule(at, Event::AckAtSender(ack, blocks));
    }

    fn on_ack_at_sender(&mut self, now: u64, ack: &ReceiverAck, blocks: &SackBlocks) {
        let ReceiverAck { ack, stamp, ece, ace, retransmission, .. } = *ack;
        self.una = self.una.max(ack);
        let ack = Ack { ack, stamp, ece, ace, sack: blocks, retransmission };
        self.sender.on_ack(Time::from_nanos(now), &ack, &mut self.outbox);
        self.flush(now);
        self.cwnd.push((now, self.sender.cwnd()));
    }

    fn on_sender_timer(&mut self, now: u64) {
        self.armed = u64::MAX;
        self.sender.on_timer(Time::from_nanos(now), &mut self.outbox);
        self.flush(now);
    }

    /// Put the packets that the sender has sent on its access link, and schedule its timer.
    fn flush(&mut self, now: u64) {
        for segment in self.outbox.take() {
            assert_eq!(segment.stamp.as_nanos(), now);
            let at = self.access.send(now, segment.size);
            self.sent.push(segment);
            self.highest = self.highest.max(segment.seq + 1);
            self.events.schedule(at, Event::DataAtRouter(segment));
        }
        if let Some(timer) = self.sender.timer().map(Time::as_nanos).filter(|timer| *timer < self.armed) {
            self.armed = timer;
            self.events.schedule(timer, Event::SenderTimer);
        }
    }

    fn schedule_ack(&mut self, now: u64, ack: Option<ReceiverAck>) {
        if let Some(ack) = ack {
            self.events.schedule(now, Event::AckAtFarEnd(ack, self.receiver.sack_blocks().into()));
        }
    }
}

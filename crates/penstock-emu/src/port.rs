//! One direction of a link for real packets: its queue, its transmitter, its delay line.

use crate::flow_table::{FlowTable, MAX_FLOWS};
use crate::frame::Frame;
use crate::ip::pure_ack::pure_ack;
use crate::tally::Tally;
use penstock_aqm::{Capabilities, Discipline, Env, Facts, FactsAtArrival, LinkInfo, Next, TimerMoves};
use penstock_core::{Limit, Rng, Span, Time};
use penstock_link::{
    Departure, LinkChanges, LinkPlan, Loss, Queue, QueuePlan, ReorderedPackets, ScenarioError, Transmitter,
};
use std::collections::VecDeque;

/// A queue of real packets.
pub(crate) type RealQueue = Queue<Frame, Tally>;

/// A queue and its random stream.
struct OwnQueue {
    discipline: RealQueue,
    timer: TimerMoves,
    reads_acks: bool,
    rng: Rng,
}

impl OwnQueue {
    fn new(discipline: RealQueue, rng: Rng) -> Self {
        let Capabilities { timer, reads_acks, .. } = discipline.capabilities();
        Self { discipline, timer, reads_acks, rng }
    }
}

/// A link direction.
pub(crate) struct Port {
    pub(crate) plan: LinkPlan,
    info: LinkInfo,
    queue: OwnQueue,
    /// Queues that were replaced, the oldest first: they accept no packets, and send their packets before the queue
    /// does.
    replaced: VecDeque<OwnQueue>,
    loss: Option<Loss>,
    pub(crate) transmitter: Transmitter,
    delay: Span,
    pub(crate) changes: Option<LinkChanges>,
    reordered: ReorderedPackets<Frame>,
    /// Packets in flight and their arrivals.
    line: VecDeque<(Time, Frame)>,
    /// Whether the transmitter is busy, or waits for a time that the queue gave.
    pub(crate) state: State,
    pub(crate) next: NextEvents,
}

/// State of the transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// The transmitter found the queue empty.
    Idle,
    /// The transmitter is sending, or waits for the end of an outage.
    Busy,
    /// The discipline holds its packets back.
    Held,
}

/// Times of the next events of a port; [`Time::NEVER`] where there is none. Events of one instant happen in the order
/// of the fields, which is the order of the simulator.
#[derive(Clone, Copy)]
pub(crate) struct NextEvents {
    pub(crate) change: Time,
    pub(crate) transmission: Time,
    pub(crate) arrival: Time,
    pub(crate) reordered: Time,
    pub(crate) timer: Time,
}

/// Number of packets for which a queue without a limit in packets makes room in advance.
const ROOM: u32 = 4096;

/// Build the queue of this plan with room for all flows, so that packets cause no allocation.
pub(crate) fn build(plan: &LinkPlan, seed: u64, now: Time) -> Result<RealQueue, Vec<ScenarioError>> {
    let mut errors = Vec::new();
    let queue: Option<RealQueue> = plan.queue.build(&plan.spec, &plan.info, seed, now, &(), &mut errors);
    let Some(mut queue) = queue.filter(|_| errors.is_empty()) else { return Err(errors) };
    let packets = match plan.info.limit {
        Limit::Packets(packets) => packets.min(1 << 16),
        Limit::Bytes(_) | Limit::Infinite => ROOM,
    };
    queue.reserve(packets, MAX_FLOWS);
    Ok(queue)
}

impl Port {
    /// An idle link direction at time 0.
    pub(crate) fn new(plan: LinkPlan, seed: u64) -> Result<Self, Vec<ScenarioError>> {
        let queue = build(&plan, seed, Time::ZERO)?;
        let spec = &plan.spec;
        let changes = (!spec.is_steady()).then(|| LinkChanges::new(spec, seed, plan.info));
        let next = NextEvents {
            change: changes.as_ref().map_or(Time::NEVER, LinkChanges::next),
            transmission: Time::NEVER,
            arrival: Time::NEVER,
            reordered: Time::NEVER,
            timer: queue.next_timeout().unwrap_or(Time::NEVER),
        };
        Ok(Self {
            info: plan.info,
            queue: OwnQueue::new(queue, Rng::stream(seed, format_args!("{}.aqm", spec.name))),
            replaced: VecDeque::new(),
            loss: spec.loss.as_ref().map(|loss| Loss::new(loss, seed, &spec.name)),
            transmitter: Transmitter::new(plan.rate, spec.framing()),
            delay: plan.delay,
            changes,
            reordered: ReorderedPackets::default(),
            line: VecDeque::new(),
            state: State::Idle,
            next,
            plan,
        })
    }

    /// Waiting packets and bytes, over the queue and the queues that it replaced.
    pub(crate) fn backlog(&self) -> (u32, u64) {
        let all = self.replaced.iter().chain([&self.queue]).map(|queue| queue.discipline.backlog());
        all.fold((0, 0), |(packets, bytes), backlog| (packets + backlog.packets, bytes + backlog.bytes))
    }

    /// The state of the AQM, as (name, value).
    pub(crate) fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.queue.discipline.gauges(show);
    }

    /// Whether the link itself loses the packet that arrives now.
    pub(crate) fn loses(&mut self) -> bool {
        self.loss.as_mut().is_some_and(Loss::loses)
    }

    /// Whether the packet that arrives now arrives twice.
    pub(crate) fn duplicates(&mut self) -> bool {
        self.changes.as_mut().is_some_and(LinkChanges::duplicates)
    }

    /// A packet arrives at the queue.
    pub(crate) fn enqueue(&mut self, now: Time, tally: &mut Tally, facts: &FlowTable, frame: Frame) {
        let ack = if self.queue.reads_acks { pure_ack(tally.pool.packet(frame.slot)) } else { None };
        let facts = FactsAtArrival { facts, ack };
        self.operate(now, tally, &facts, None, |queue, env| queue.enqueue(env, frame));
    }

    /// The transmitter is free: start the next transmission if a queue has a packet.
    pub(crate) fn serve(&mut self, now: Time, tally: &mut Tally, facts: &FlowTable) {
        loop {
            let replaced = (!self.replaced.is_empty()).then_some(0);
            match self.operate(now, tally, facts, replaced, Discipline::dequeue) {
                Next::Send(frame) => return self.transmit(now, frame),
                Next::NotBefore(time) => {
                    self.state = State::Held;
                    self.next.transmission = time;
                    return;
                }
                Next::Empty if replaced.is_some() => drop(self.replaced.pop_front()),
                Next::Empty => {
                    self.state = State::Idle;
                    self.next.transmission = Time::NEVER;
                    return self.read_timer();
                }
            }
        }
    }

    fn transmit(&mut self, now: Time, frame: Frame) {
        self.state = State::Busy;
        let Some(changes) = &mut self.changes else {
            let end = now + self.transmitter.transmission(frame.size);
            self.next.transmission = end;
            return self.propagate(end + self.delay, frame);
        };
        let Departure { end, arrival, is_reordered } =
            changes.depart(now, &mut self.transmitter, self.delay, frame.size);
        self.next.transmission = end;
        if is_reordered {
            self.reordered.push(arrival, frame);
            self.next.reordered = self.reordered.next();
        } else {
            self.propagate(arrival, frame);
        }
    }

    fn propagate(&mut self, arrival: Time, frame: Frame) {
        if self.line.is_empty() {
            self.next.arrival = arrival;
        }
        self.line.push_back((arrival, frame));
    }

    /// Take the packet that has arrived at the far end.
    pub(crate) fn take_arrival(&mut self) -> Option<Frame> {
        let (_, frame) = self.line.pop_front()?;
        self.next.arrival = self.line.front().map_or(Time::NEVER, |&(arrival, _)| arrival);
        Some(frame)
    }

    /// Take the reordered packet that has arrived at the far end.
    pub(crate) fn take_reordered(&mut self) -> Option<Frame> {
        let frame = self.reordered.pop();
        self.next.reordered = self.reordered.next();
        frame
    }

    /// Packets in flight.
    pub(crate) fn in_flight(&self) -> usize {
        self.line.len() + self.reordered.iter().count()
    }

    /// The timers that are due expire.
    pub(crate) fn on_timer(&mut self, now: Time, tally: &mut Tally, facts: &FlowTable) {
        let due = |queue: &OwnQueue| queue.discipline.next_timeout().is_some_and(|time| time <= now);
        let numbers: Vec<usize> = (0..self.replaced.len()).filter(|&number| due(&self.replaced[number])).collect();
        for number in numbers {
            self.operate(now, tally, facts, Some(number), Discipline::on_timeout);
        }
        if due(&self.queue) {
            self.operate(now, tally, facts, None, Discipline::on_timeout);
        }
        self.read_timer();
    }

    /// The link changes.
    pub(crate) fn on_change(&mut self, now: Time, tally: &mut Tally) {
        self.settle(now, tally);
        let Some(changes) = &mut self.changes else { return };
        if let Some(info) = changes.apply(now, &mut self.transmitter, &mut self.delay) {
            self.info = *info;
            for queue in self.replaced.iter_mut().chain([&mut self.queue]) {
                queue.discipline.on_link(now, info);
            }
        }
        if let Some(end) = changes.start_outage(now) {
            // During an outage the transmitter is busy without sending anything.
            let free = if self.state == State::Busy { self.next.transmission } else { end };
            self.state = State::Busy;
            self.next.transmission = end.max(free);
        }
        self.next.change = changes.next();
        self.read_timer();
    }

    /// Another queue for the packets that arrive from now on. Waiting packets are sent first, by their own queue. It
    /// draws from `rng`.
    pub(crate) fn replace(&mut self, now: Time, plan: QueuePlan, mut queue: RealQueue, rng: Rng) {
        queue.on_link(now, &self.info);
        self.plan.queue = plan;
        self.replaced.push_back(std::mem::replace(&mut self.queue, OwnQueue::new(queue, rng)));
        self.read_timer();
    }

    /// The number `flow` now belongs to another flow.
    pub(crate) fn forget_flow(&mut self, now: Time, flow: u32) {
        for queue in self.replaced.iter_mut().chain([&mut self.queue]) {
            queue.discipline.forget_flow(now, flow);
        }
        self.read_timer();
    }

    /// Bring the statistics up to `now`.
    pub(crate) fn settle(&mut self, now: Time, tally: &mut Tally) {
        let stats = &mut tally.queues[tally.link as usize];
        if stats.is_due(now) {
            stats.sample(now, |show| self.queue.discipline.gauges(show));
        }
        stats.advance(now);
        if let Some(changes) = &mut self.changes {
            changes.settle(now);
        }
    }

    /// The part of the packet in transmission that is unsent at `now`, in 1e-9 bits.
    pub(crate) fn unsent(&self, now: Time) -> u128 {
        match &self.changes {
            Some(changes) => changes.unsent(now),
            None if self.state == State::Busy => self.transmitter.unsent(self.next.transmission.since(now)),
            None => 0,
        }
    }

    /// Earliest time at which a packet that waits or is in flight can arrive; [`Time::NEVER`] if there is none.
    pub(crate) fn earliest_arrival(&self) -> Time {
        let in_flight = self.next.arrival.min(self.next.reordered);
        if self.next.transmission == Time::NEVER || self.backlog().0 == 0 {
            return in_flight;
        }
        // The transmission of a waiting packet cannot begin earlier; a change may shorten the delay.
        let delay = if self.changes.is_some() { Span::ZERO } else { self.delay };
        in_flight.min(self.next.transmission + delay).min(self.next.change.max(self.next.transmission))
    }

    fn read_timer(&mut self) {
        let all = self.replaced.iter().chain([&self.queue]).filter_map(|queue| queue.discipline.next_timeout());
        self.next.timer = all.min().unwrap_or(Time::NEVER);
    }

    /// One operation on the queue, or on the replaced queue with this number. Samples that are due are taken before it
    /// changes anything.
    fn operate<T>(
        &mut self,
        now: Time,
        tally: &mut Tally,
        facts: &dyn Facts<Frame>,
        replaced: Option<usize>,
        operation: impl FnOnce(&mut dyn Discipline<Frame, Tally>, &mut Env<'_, Frame, Tally>) -> T,
    ) -> T {
        let stats = &mut tally.queues[tally.link as usize];
        if stats.is_due(now) {
            stats.sample(now, |show| self.queue.discipline.gauges(show));
        }
        if !self.replaced.is_empty() {
            // The reports count the packets of one queue; packets of the other queues wait as well.
            let all: u32 = self.replaced.iter().chain([&self.queue]).map(|q| q.discipline.backlog().packets).sum();
            let own = replaced.map_or(&self.queue, |number| &self.replaced[number]).discipline.backlog().packets;
            stats.device.packets = all - own;
        }
        let queue = match replaced {
            Some(number) => &mut self.replaced[number],
            None => &mut self.queue,
        };
        let OwnQueue { discipline, timer, rng, .. } = queue;
        let moves = *timer == TimerMoves::Always;
        let result = operation(discipline.as_mut(), &mut Env { now, rng, probe: tally, facts });
        tally.queues[tally.link as usize].device.packets = 0;
        if moves {
            self.read_timer();
        }
        result
    }
}

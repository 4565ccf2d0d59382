//! The links between the hosts, driven by a virtual clock: all events have the time at which an ideal link has them, however
//! late they are processed.

use crate::capture::Capture;
use crate::flow_table::FlowTable;
use crate::frame::{Frame, FramePool};
use crate::ip::{self, Header};
use crate::port::{self, NextEvents, Port, RealQueue, State};
use crate::routes::{Hop, Routes};
use crate::tally::{FlowCounts, Tally};
use crate::trace::{Trace, TraceRow};
use penstock_aqm::Lookup;
use penstock_core::{Rng, Span, Time};
use penstock_link::probe::queue::{Intervals, QueueStats};
use penstock_link::{LinkPlan, NetworkPlan, QueuePlan, ScenarioError, TraceEvent};
use std::collections::VecDeque;
use std::io;

/// The links, and the packets on them.
pub struct Network {
    pub(crate) ports: Vec<Port>,
    pub(crate) tally: Tally,
    pub(crate) facts: FlowTable,
    routes: Routes,
    pub(crate) plan: NetworkPlan,
    /// Bytes that a link carries with each packet in addition to the IP packet.
    overhead: u32,
    /// Packets that have arrived at their hosts and must be written.
    ready: VecDeque<Delivery>,
    arrivals: u32,
    /// Packets without a route, and packets that are malformed.
    pub(crate) ignored: Ignored,
    pub(crate) window: Window,
    /// Queue changes so far.
    replacements: u32,
    now: Time,
}

/// Packets that were not carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ignored {
    /// No host has their destination address.
    pub unroutable: u64,
    /// They are no IP packets, or broken.
    pub malformed: u64,
    /// All buffers were in use.
    pub without_memory: u64,
}

/// The part of the time that the statistics cover.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) start: Time,
    pub(crate) end: Time,
    /// Whether the start or the end is still to come.
    pub(crate) pending: Pending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pending {
    Start,
    End,
    Nothing,
}

/// A packet for a host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery {
    /// Time at which it must be written.
    pub(crate) due: Time,
    pub(crate) host: u32,
    pub(crate) frame: Frame,
}

/// Sizes and limits of a [`Network`].
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest frame of the devices, in bytes, with the header in front of the IP header.
    pub frame: usize,
    /// Bytes in front of the IP header.
    pub header: usize,
    /// Bytes for the packets on all links.
    pub memory: usize,
    /// Bytes that a link carries with each packet in addition to the IP packet.
    pub overhead: u32,
}

impl Network {
    /// The links of this plan without packets. `addresses` are the addresses of the hosts, IPv4 addresses in their
    /// IPv6-mapped form. With `traced`, every event of a packet is recorded.
    ///
    /// # Errors
    /// The errors of the queues' parameters.
    pub fn new(
        plan: NetworkPlan,
        addresses: &[Vec<u128>],
        limits: &Limits,
        traced: bool,
    ) -> Result<Self, Vec<ScenarioError>> {
        let (mut ports, mut errors) = (Vec::new(), Vec::new());
        for link in &plan.links {
            match Port::new(link.clone(), plan.seed) {
                Ok(port) => ports.push(port),
                Err(refused) => errors.extend(refused),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let routes = Routes::new(&plan, addresses);
        // Each link has two ends.
        let nodes = plan.links.len() as u32 * 2;
        let intervals = Intervals::new(plan.sampling, plan.end - plan.warmup);
        let of_link = |link: &LinkPlan| {
            let mut stats = QueueStats::new(intervals, false);
            stats.framing = link.spec.framing();
            stats
        };
        let queues = plan.links.iter().map(of_link).collect();
        let pending = if plan.warmup > Time::ZERO { Pending::Start } else { Pending::End };
        Ok(Self {
            ports,
            tally: Tally {
                queues,
                link: 0,
                counted: routes.hops.iter().map(|hop| hop.counted).collect(),
                flows: Vec::with_capacity(crate::flow_table::MAX_FLOWS as usize),
                pool: FramePool::new(limits.frame, limits.header, limits.memory),
                trace: traced.then(Trace::default),
                capture: Capture::default(),
                under_way: 0,
            },
            facts: FlowTable::new(plan.seed, nodes),
            routes,
            overhead: limits.overhead,
            ready: VecDeque::new(),
            arrivals: 0,
            ignored: Ignored::default(),
            window: Window { start: plan.warmup, end: plan.end, pending },
            replacements: 0,
            now: Time::ZERO,
            plan,
        })
    }

    /// Capture packets from now until the statistics end.
    pub fn capture(&mut self, capture: Capture) {
        self.tally.capture = capture;
    }

    /// Process all events up to `now`.
    pub fn advance(&mut self, now: Time) {
        while let Some((time, event)) = self.next_event().filter(|&(time, _)| time <= now) {
            self.now = time;
            self.process(time, event);
        }
        self.now = self.now.max(now);
    }

    /// A host sent the packet of `length` bytes in this buffer of the pool at `now`, which is not before any earlier event. Events
    /// of that time are processed first.
    pub fn arrive(&mut self, now: Time, host: usize, slot: u32, length: usize) {
        self.advance(now);
        let now = self.now;
        let pool = &mut self.tally.pool;
        pool.set_length(slot, length);
        let Ok(header) = ip::parse(pool.packet(slot)) else {
            self.ignored.malformed += 1;
            return self.tally.pool.give_back(slot);
        };
        let Some(hop) = self.routes.first_hop(host, &header) else {
            self.ignored.unroutable += 1;
            return self.tally.pool.give_back(slot);
        };
        let flow = self.flow(now, &header);
        let Header { size, ecn, dscp, key } = header;
        let size = size + self.overhead;
        let (number, protocol) = (self.arrivals, key.protocol);
        let frame = Frame { slot, hop, flow, size, number, ecn, dscp, protocol, is_copy: false };
        self.arrivals = self.arrivals.wrapping_add(1);
        self.tally.under_way += 1;
        self.tally.flows[flow as usize].arrivals += 1;
        self.tally.record(TraceEvent::Send, now, &frame, None);
        self.forward(now, frame);
    }

    /// The flow of a packet; if it replaces another flow, the queues forget that flow.
    fn flow(&mut self, now: Time, header: &Header) -> u32 {
        let found = self.facts.look_up(header, |address| self.routes.node(address));
        let flow = found.id();
        match found {
            Lookup::Known(_) => {}
            Lookup::New(_) => self.tally.flows.push(FlowCounts::default()),
            Lookup::Reused(_) => {
                self.tally.flows[flow as usize] = FlowCounts::default();
                self.ports.iter_mut().for_each(|port| port.forget_flow(now, flow));
            }
        }
        flow
    }

    /// The packet reaches the link of its hop.
    fn forward(&mut self, now: Time, frame: Frame) {
        let link = self.routes.hops[frame.hop as usize].link;
        let Self { ports, tally, facts, .. } = self;
        let port = &mut ports[link as usize];
        tally.link = link;
        tally.record(TraceEvent::Arrive, now, &frame, None);
        if port.loses() {
            tally.queues[link as usize].link_losses += 1;
            tally.record(TraceEvent::Drop, now, &frame, None);
            return tally.lose(&frame);
        }
        let copy = port.duplicates().then(|| tally.copy(&frame)).flatten();
        port.enqueue(now, tally, facts, frame);
        if let Some(copy) = copy {
            tally.record(TraceEvent::Arrive, now, &copy, None);
            port.enqueue(now, tally, facts, copy);
        }
        if port.state != State::Busy {
            port.serve(now, tally, facts);
        }
    }

    /// The packet is at the far end of the link of its hop.
    fn pass_on(&mut self, now: Time, frame: Option<Frame>) {
        let Some(mut frame) = frame else { return };
        let Hop { last, host, .. } = self.routes.hops[frame.hop as usize];
        if !last {
            frame.hop += 1;
            return self.forward(now, frame);
        }
        self.tally.record(TraceEvent::Receive, now, &frame, None);
        self.tally.flows[frame.flow as usize].bytes += u64::from(frame.size);
        self.ready.push_back(Delivery { due: now, host, frame });
    }

    /// The next packet that must be written to its host.
    pub(crate) fn next_delivery(&mut self) -> Option<Delivery> {
        self.ready.pop_front()
    }

    /// The bytes of a frame as it leaves.
    pub(crate) fn outgoing(&mut self, frame: &Frame) -> &[u8] {
        self.tally.pool.outgoing(frame)
    }

    /// The packet has left: its buffer is free.
    pub(crate) fn release(&mut self, frame: &Frame) {
        self.tally.under_way -= 1;
        self.tally.pool.give_back(frame.slot);
    }

    /// Earliest time at which a packet must be written, or the statistics start or end.
    pub(crate) fn wake_at(&self) -> Time {
        let ports = self.ports.iter().map(Port::earliest_arrival).min().unwrap_or(Time::NEVER);
        ports.min(self.window_event())
    }

    /// Another queue in front of this link, for the packets that arrive from now on; waiting packets are sent first.
    pub(crate) fn replace(&mut self, now: Time, link: usize, plan: QueuePlan, queue: RealQueue) {
        self.advance(now);
        self.replacements += 1;
        let name = format!("{}.aqm.{}", self.ports[link].plan.spec.name, self.replacements);
        self.ports[link].replace(self.now, plan, queue, Rng::stream(self.plan.seed, &name));
    }

    /// Build a queue for this link by another plan, to replace its present queue.
    pub(crate) fn build(plan: &NetworkPlan, link: usize, now: Time) -> Result<RealQueue, Vec<ScenarioError>> {
        port::build(&plan.links[link], plan.seed, now)
    }

    /// Whether all packets are accounted for: each packet that arrived has left, was lost, or is on a link.
    pub fn is_conserved(&self) -> bool {
        let on_links: u64 = self.ports.iter().map(|port| u64::from(port.backlog().0) + port.in_flight() as u64).sum();
        let under_way = self.tally.under_way;
        under_way == on_links + self.ready.len() as u64
            && under_way == self.tally.pool.in_use() as u64
            && self.tally.queues.iter().all(QueueStats::is_conserved)
    }

    /// The time up to which events are processed.
    pub fn now(&self) -> Time {
        self.now
    }

    /// A free buffer for a packet; `None`, and the packet counts as lost, if the memory is exhausted.
    pub fn take_buffer(&mut self) -> Option<u32> {
        self.tally.pool.take()
    }

    /// The bytes of a buffer.
    pub fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.tally.pool.buffer(slot)
    }

    /// The buffer was not needed.
    pub(crate) fn give_back(&mut self, slot: u32) {
        self.tally.pool.give_back(slot);
    }

    fn window_event(&self) -> Time {
        match self.window.pending {
            Pending::Start => self.window.start,
            Pending::End => self.window.end,
            Pending::Nothing => Time::NEVER,
        }
    }

    /// The first event, in the order of the simulator: at one instant, first the end of the warm-up, then changes of
    /// links, ends of transmission, arrivals, and timers.
    fn next_event(&self) -> Option<(Time, Event)> {
        let of_port = |(number, port): (usize, &Port)| {
            let NextEvents { change, transmission, arrival, reordered, timer } = port.next;
            [
                (change, Event::Change(number)),
                (transmission, Event::Transmission(number)),
                (arrival, Event::Arrival(number)),
                (reordered, Event::Reordered(number)),
                (timer, Event::Timer(number)),
            ]
        };
        let of_ports = self.ports.iter().enumerate().flat_map(of_port);
        let all = std::iter::once((self.window_event(), Event::Window)).chain(of_ports);
        all.min().filter(|&(time, _)| time != Time::NEVER)
    }

    fn process(&mut self, now: Time, event: Event) {
        let Self { ports, tally, facts, .. } = self;
        match event {
            Event::Window => self.on_window(now),
            Event::Change(number) => {
                tally.link = number as u32;
                ports[number].on_change(now, tally);
            }
            Event::Transmission(number) => {
                tally.link = number as u32;
                ports[number].serve(now, tally, facts);
            }
            Event::Timer(number) => {
                tally.link = number as u32;
                ports[number].on_timer(now, tally, facts);
            }
            Event::Arrival(number) => {
                let frame = ports[number].take_arrival();
                self.pass_on(now, frame);
            }
            Event::Reordered(number) => {
                let frame = ports[number].take_reordered();
                self.pass_on(now, frame);
            }
        }
    }

    fn on_window(&mut self, now: Time) {
        if self.window.pending == Pending::Start {
            self.window.pending = Pending::End;
            self.restart(now);
        } else {
            self.window.pending = Pending::Nothing;
            self.tally.capture.stop();
        }
    }

    /// The warm-up ends: restart the statistics.
    fn restart(&mut self, now: Time) {
        for (number, port) in self.ports.iter_mut().enumerate() {
            self.tally.link = number as u32;
            port.settle(now, &mut self.tally);
            let stats = &mut self.tally.queues[number];
            stats.restart(now);
            stats.edge_nanobits += port.unsent(now).cast_signed();
            if let Some(changes) = &mut port.changes {
                changes.restart(now);
            }
        }
        self.tally.flows.iter_mut().for_each(|counts| *counts = FlowCounts::default());
    }

    /// Statistics up to this time; the caller adds nothing to them afterwards.
    pub(crate) fn close(&mut self, now: Time) {
        for (number, port) in self.ports.iter_mut().enumerate() {
            self.tally.link = number as u32;
            port.settle(now, &mut self.tally);
            self.tally.queues[number].edge_nanobits -= port.unsent(now).cast_signed();
        }
    }

    /// Length of the time that statistics have covered up to `now`.
    pub(crate) fn covered(&self, now: Time) -> Span {
        now.min(self.window.end).since(self.window.start)
    }

    /// Complete the files of the capture.
    pub(crate) fn close_capture(&mut self) -> io::Result<()> {
        std::mem::take(&mut self.tally.capture).close()
    }

    /// The recorded events, in order of time.
    pub fn take_trace(&mut self) -> Vec<TraceRow> {
        self.tally.trace.take().map(|trace| trace.rows).unwrap_or_default()
    }
}

/// An event, with the number of its link. The order of the variants is the order of events at one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Window,
    Change(usize),
    Transmission(usize),
    Arrival(usize),
    Reordered(usize),
    Timer(usize),
}

#[cfg(test)]
mod tests;

//! The parts common to all schedulers: classes, shared limit, and reports. Each scheduler is an [`Order`].

use super::class_queue::{ClassQueue, Guarantee, Store};
use super::indexed_heap::IndexedHeap;
use super::packet_slab::PacketSlab;
use super::{Discipline, DropBudget, Env, Next, Probe, facts_read};
use crate::algorithm::droptail::DropTail;
use crate::aqm::{Backlog, LinkInfo};
use crate::capabilities::{Capabilities, SideInformation};
use crate::edge::match_rules::Classifier;
use crate::per_flow::FlowBound;
use alloc::boxed::Box;
use alloc::vec::Vec;
use penstock_core::{Limit, Packet, PacketMeta, Time};

/// The packet at the head of a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Head<T> {
    /// In bytes.
    pub(super) size: u32,
    /// The tag that the order gave it on arrival.
    pub(super) tag: T,
}

/// The order in which classes are served: the only difference between schedulers.
pub(super) trait Order: Send + 'static {
    /// The tag that each packet gets on arrival.
    type Tag: Copy + Send;

    /// A packet of `size` bytes arrives at `class`.
    fn stamp(&mut self, now: Time, class: usize, size: u32) -> Self::Tag;

    /// `class` was empty; this packet is now its head.
    fn wakes(&mut self, class: usize, head: &Head<Self::Tag>);

    /// The class to serve next; called only if some class has a packet.
    fn pick(&mut self, now: Time, heads: &[Option<Head<Self::Tag>>]) -> usize;

    /// The head of the class just picked has left the queue: sent, or dropped by the AQM of its class. Its successor is
    /// `next`.
    fn left(&mut self, class: usize, head: &Head<Self::Tag>, next: Option<&Head<Self::Tag>>, sent: bool);

    /// `dequeue` found all classes empty.
    fn idle(&mut self, _now: Time) {}

    /// The flow id of `class` now belongs to a new flow.
    fn forget(&mut self, _now: Time, _class: usize) {}

    /// Reserves memory for `packets` queued packets of classes with numbers below `classes`.
    fn reserve(&mut self, _packets: u32, _classes: u32) {}

    /// The link has changed.
    fn on_link(&mut self, _now: Time, _link: &LinkInfo) {}

    /// The state of the order, as (name, value).
    fn gauges(&self, _show: &mut dyn FnMut(&str, f64)) {}
}

/// How packets are assigned to classes.
pub(super) enum Sorting {
    /// By the filters of the classes.
    Classes(Classifier),
    /// By flow: each flow is a class of its own, without an AQM.
    Flows(Overflow, FlowBound),
}

/// The packet that is dropped when the queue is full.
pub(super) enum Overflow {
    /// The arriving packet.
    Arriving,
    /// The last packet of the flow with the most bytes queued; ties go to the flow with the highest number.
    Longest(IndexedHeap<(u64, u32)>),
}

/// Queues of classes or flows, served in the order `O`.
pub(super) struct Scheduler<P, O: Order> {
    packets: PacketSlab<P, O::Tag>,
    queues: Vec<ClassQueue>,
    heads: Vec<Option<Head<O::Tag>>>,
    sorting: Sorting,
    order: O,
    limit: Limit,
    /// Classes that have become empty since the link last asked for a packet.
    emptied: Vec<usize>,
    capabilities: Capabilities,
}

impl<P: Packet + Send, O: Order> Scheduler<P, O> {
    /// Empty queues for these classes.
    pub(super) fn new(queues: Vec<ClassQueue>, sorting: Sorting, order: O, limit: Limit) -> Self {
        let capabilities = capabilities(&queues, &sorting);
        Self {
            heads: queues.iter().map(|_| None).collect(),
            capabilities,
            packets: PacketSlab::new(),
            queues,
            sorting,
            order,
            limit,
            emptied: Vec::new(),
        }
    }

    /// The class of a packet; a new flow gets a queue.
    fn class_of(&mut self, meta: &PacketMeta) -> usize {
        match &self.sorting {
            Sorting::Classes(classifier) => classifier.class_of(meta),
            Sorting::Flows(_, bound) => {
                let flow = bound.index(meta.flow) as usize;
                self.grow(flow + 1);
                flow
            }
        }
    }

    /// Creates the queues of flows with numbers below `flows`.
    fn grow(&mut self, flows: usize) {
        while self.queues.len() < flows {
            let (store, whole) = (Store::fifo(), Guarantee::Share(1.0));
            self.queues.push(ClassQueue::new(store, None, self.limit, whole, Box::new(DropTail)));
            self.heads.push(None);
        }
    }

    /// Makes room for the packet, evicting others if that is the rule. Returns whether there is room.
    fn make_room(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, class: usize, size: u32) -> bool {
        if !self.queues[class].admits(size) {
            return false;
        }
        while !self.packets.has_room(self.limit, size) {
            let Sorting::Flows(Overflow::Longest(lengths), _) = &mut self.sorting else { return false };
            let Some(((longest, flow), _)) = lengths.first() else { return false };
            // The arriving packet counts as the last of its own flow.
            if self.queues[class].bytes() + u64::from(size) >= longest {
                return false;
            }
            self.evict(env, flow as usize);
        }
        true
    }

    fn evict(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, class: usize) {
        self.queues[class].evict(env, &mut self.packets);
        self.note_length(class);
        // The head changes only if it was the only packet.
        self.refresh_head(class);
    }

    fn note_length(&mut self, class: usize) {
        if let Sorting::Flows(Overflow::Longest(lengths), _) = &mut self.sorting {
            let bytes = self.queues[class].bytes();
            if bytes > 0 {
                lengths.set(class as u32, (bytes, class as u32));
            } else {
                lengths.remove(class as u32);
            }
        }
    }

    fn refresh_head(&mut self, class: usize) {
        self.heads[class] = self.queues[class].head(&self.packets).map(|(size, tag)| Head { size, tag });
    }
}

/// The capabilities of all classes, or of the flows, which have no AQM.
fn capabilities(queues: &[ClassQueue], sorting: &Sorting) -> Capabilities {
    match sorting {
        Sorting::Flows(Overflow::Arriving, _) => Capabilities::ARRIVALS,
        Sorting::Flows(Overflow::Longest(_), _) => Capabilities::DEPARTURES,
        Sorting::Classes(classifier) => {
            let parts = queues.iter().map(|queue| queue.capabilities().of_part());
            let all = parts.reduce(Capabilities::union).unwrap_or(Capabilities::ARRIVALS);
            if classifier.names_hosts() { all.with_side(SideInformation::HostsAtArrival) } else { all }
        }
    }
}

impl<P: Packet + Send, O: Order, W: Probe<P> + ?Sized> Discipline<P, W> for Scheduler<P, O> {
    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn is_fifo(&self) -> bool {
        false
    }

    fn enqueue(&mut self, env: &mut Env<'_, P, W>, mut packet: P) {
        let meta = facts_read(env, &packet, self.capabilities.reads_rare_at_arrival());
        let class = self.class_of(&meta);
        let Some(admitted) = self.queues[class].judge(env, &self.packets, &packet, &meta) else { return };
        if !self.make_room(env, class, meta.size) {
            if let Sorting::Flows(Overflow::Longest(_), _) = self.sorting {
                // A flow is charged for its drops, whether or not the packet was stored.
                self.order.stamp(env.now, class, meta.size);
            }
            return self.queues[class].overflow(env, &self.packets, &packet, &meta);
        }
        admitted.mark(env, self.packets.total(), &mut packet);
        let tag = self.order.stamp(env.now, class, meta.size);
        self.queues[class].push(env, &mut self.packets, packet, &meta, tag);
        self.note_length(class);
        if self.heads[class].is_none() {
            let head = Head { size: meta.size, tag };
            self.heads[class] = Some(head);
            self.order.wakes(class, &head);
        }
    }

    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P> {
        while let Some(class) = self.emptied.pop() {
            if self.heads[class].is_none() {
                self.queues[class].on_idle(env.now);
            }
        }
        let mut budget = DropBudget::new();
        while self.packets.len() > 0 {
            let class = self.order.pick(env.now, &self.heads);
            let Some(head) = self.heads[class] else { unreachable!("the order picks a class that has something") };
            let packet = self.queues[class].pop(env, &mut self.packets);
            self.note_length(class);
            self.refresh_head(class);
            self.order.left(class, &head, self.heads[class].as_ref(), packet.is_some());
            if self.heads[class].is_none() && matches!(self.sorting, Sorting::Classes(_)) {
                self.emptied.push(class);
            }
            if let Some(packet) = packet {
                return Next::Send(packet);
            }
            if budget.spend() {
                return Next::NotBefore(env.now);
            }
        }
        self.order.idle(env.now);
        Next::Empty
    }

    fn backlog(&self) -> Backlog {
        let oldest = self.queues.iter().filter_map(|queue| queue.backlog(&self.packets).oldest).min();
        Backlog { oldest, ..self.packets.backlog(self.limit, core::iter::empty()) }
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.limit = link.limit;
        self.order.on_link(now, link);
        self.queues.iter_mut().for_each(|queue| queue.on_link(now, link));
    }

    fn forget_flow(&mut self, now: Time, flow: u32) {
        match &self.sorting {
            Sorting::Classes(_) => self.queues.iter_mut().for_each(|queue| queue.forget_flow(now, flow)),
            Sorting::Flows(_, bound) => self.order.forget(now, bound.index(flow) as usize),
        }
    }

    fn reserve(&mut self, packets: u32, flows: u32) {
        if let Sorting::Flows(overflow, bound) = &mut self.sorting {
            bound.raise(flows);
            if let Overflow::Longest(lengths) = overflow {
                lengths.reserve(flows);
            }
            self.grow(flows as usize);
        }
        self.packets.reserve(packets);
        self.queues.iter_mut().for_each(|queue| queue.reserve(flows));
        self.emptied.reserve(self.queues.len());
        self.order.reserve(packets, self.queues.len() as u32);
    }

    fn next_timeout(&self) -> Option<Time> {
        match self.sorting {
            Sorting::Classes(_) => self.queues.iter().filter_map(ClassQueue::next_timeout).min(),
            Sorting::Flows(..) => None,
        }
    }

    fn on_timeout(&mut self, env: &mut Env<'_, P, W>) {
        for queue in &mut self.queues {
            if queue.next_timeout().is_some_and(|due| due <= env.now) {
                queue.on_timeout(env, &self.packets);
            }
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.order.gauges(show);
        self.queues.iter().for_each(|queue| queue.gauges(show));
    }
}

//! The queue of a class: its packets, its own limit, its AQM, and its guaranteed part of the link.

use super::flow_order::FlowOrder;
use super::packet_slab::{PacketSlab, SlabQueue, Taken};
use super::verdicts::Admitted;
use super::{Env, Probe, facts_read};
use crate::aqm::{Aqm, Backlog, Cause, Departing, LinkInfo};
use crate::capabilities::Capabilities;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use penstock_core::{Limit, Packet, PacketMeta, Rate, Time};

/// The guarantee of a class, which determines the rate that its AQM sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Guarantee {
    /// A fraction of the link's rate.
    Share(f64),
    /// A rate; the link's rate if that is lower.
    Rate(Rate),
}

impl Guarantee {
    /// The guaranteed rate on this link.
    pub(super) fn rate(self, link: &LinkInfo) -> Rate {
        match self {
            Self::Share(share) => part(link.rate, share),
            Self::Rate(rate) => rate.min(link.rate),
        }
    }
}

/// A part of a rate, at least 1 bit/s.
pub(super) fn part(rate: Rate, share: f64) -> Rate {
    Rate::from_bits_per_second((rate.bits_per_second() as f64 * share).max(1.0) as u64)
}

/// The order in which the packets of one class leave.
pub(super) enum Store {
    /// In the order of arrival.
    Fifo(SlabQueue),
    /// One packet of each flow in turn.
    PerFlow(FlowOrder),
}

impl Store {
    /// In the order of arrival.
    pub(super) fn fifo() -> Self {
        Self::Fifo(SlabQueue::EMPTY)
    }

    /// One packet of each flow in turn.
    pub(super) fn per_flow() -> Self {
        Self::PerFlow(FlowOrder::new())
    }

    fn push<P: Packet, T: Copy>(&mut self, packets: &mut PacketSlab<P, T>, packet: P, tag: T, now: Time) -> u32 {
        match self {
            Self::Fifo(queue) => packets.push(queue, &packet, tag, now),
            Self::PerFlow(flows) => flows.push(packets, packet, tag, now),
        }
    }

    fn pop<P: Packet, T: Copy>(&mut self, packets: &mut PacketSlab<P, T>) -> Option<Taken<P>> {
        match self {
            Self::Fifo(queue) => packets.pop(queue),
            Self::PerFlow(flows) => flows.pop(packets),
        }
    }

    fn pop_last<P: Packet, T: Copy>(&mut self, packets: &mut PacketSlab<P, T>) -> Option<Taken<P>> {
        match self {
            Self::Fifo(queue) => queue.tail().map(|slot| packets.remove(queue, slot)),
            // Only queues of a single flow can be asked to make room.
            Self::PerFlow(_) => None,
        }
    }

    /// The slot of the packet that leaves next.
    fn head(&self) -> Option<u32> {
        match self {
            Self::Fifo(queue) => queue.head(),
            Self::PerFlow(flows) => flows.head(),
        }
    }

    fn packets(&self) -> u32 {
        match self {
            Self::Fifo(queue) => queue.packets(),
            Self::PerFlow(flows) => flows.packets(),
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Fifo(queue) => queue.bytes(),
            Self::PerFlow(flows) => flows.bytes(),
        }
    }
}

/// The queue of a class, guarded by one AQM. Its packets lie in the store of all classes.
pub(super) struct ClassQueue {
    name: String,
    store: Store,
    own_limit: Option<Limit>,
    shared_limit: Limit,
    guarantee: Guarantee,
    aqm: Box<dyn Aqm>,
}

impl ClassQueue {
    /// An empty queue; `own_limit` applies in addition to the limit of the link.
    pub(super) fn new(
        store: Store,
        own_limit: Option<Limit>,
        shared_limit: Limit,
        guarantee: Guarantee,
        aqm: Box<dyn Aqm>,
    ) -> Self {
        Self { name: String::new(), store, own_limit, shared_limit, guarantee, aqm }
    }

    /// The same queue with the name of its class.
    pub(super) fn named(self, name: &str) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The link as the AQM of a class sees it.
    pub(super) fn seen_by_aqm(link: &LinkInfo, own_limit: Option<Limit>, guarantee: Guarantee) -> LinkInfo {
        // How many of the link's flows belong to the class is unknown here.
        LinkInfo { rate: guarantee.rate(link), limit: own_limit.unwrap_or(link.limit), flows: None, ..*link }
    }

    pub(super) fn capabilities(&self) -> Capabilities {
        self.aqm.capabilities()
    }

    /// Drop an arriving packet unless the AQM lets it in.
    pub(super) fn judge<P: Packet, T: Copy>(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        packets: &PacketSlab<P, T>,
        packet: &P,
        meta: &PacketMeta,
    ) -> Option<Admitted> {
        let verdict = self.aqm.on_arrival(&mut env.cx(self.backlog(packets), packets.total().bytes), meta);
        packets.total().admit(env, packet, meta.ecn, verdict)
    }

    /// Whether the class's own limit leaves room.
    pub(super) fn admits(&self, size: u32) -> bool {
        self.own_limit.is_none_or(|limit| limit.admits(self.store.packets(), self.store.bytes(), size))
    }

    /// Drop an arriving packet for which there is no room.
    pub(super) fn overflow<P: Packet, T: Copy>(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        packets: &PacketSlab<P, T>,
        packet: &P,
        meta: &PacketMeta,
    ) {
        self.aqm.on_overflow(&mut env.cx(self.backlog(packets), packets.total().bytes), meta);
        packets.total().refuse(env, packet, Cause::Overflow);
    }

    /// Queue a packet that was let in.
    pub(super) fn push<P: Packet, T: Copy>(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        packets: &mut PacketSlab<P, T>,
        packet: P,
        meta: &PacketMeta,
        tag: T,
    ) {
        let slot = self.store.push(packets, packet, tag, env.now);
        packets.report_queued(env, slot);
        self.aqm.on_enqueued(&mut env.cx(self.backlog(packets), packets.total().bytes), meta);
    }

    /// Removes the head packet; returns it if the AQM lets it pass.
    pub(super) fn pop<P: Packet, T: Copy>(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        packets: &mut PacketSlab<P, T>,
    ) -> Option<P> {
        let Taken { enqueued, mut packet } = self.store.pop(packets)?;
        let departing = Departing { meta: self.meta_of_queued(env, &packet), enqueued };
        let verdict = self.aqm.on_departure(&mut env.cx(self.backlog(packets), packets.total().bytes), &departing);
        packets.total().release(env, &mut packet, departing.meta.ecn, enqueued, verdict).then_some(packet)
    }

    /// Removes the last packet, to make room for another.
    pub(super) fn evict<P: Packet, T: Copy>(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        packets: &mut PacketSlab<P, T>,
    ) {
        let Some(Taken { enqueued, packet }) = self.store.pop_last(packets) else { return };
        let departing = Departing { meta: self.meta_of_queued(env, &packet), enqueued };
        self.aqm.on_evicted(&mut env.cx(self.backlog(packets), packets.total().bytes), &departing);
        packets.total().evict(env, &packet, enqueued);
    }

    /// The facts of a queued packet that the AQM looks at.
    fn meta_of_queued<P: Packet>(&self, env: &Env<'_, P, impl Probe<P> + ?Sized>, packet: &P) -> PacketMeta {
        facts_read(env, packet, self.aqm.capabilities().reads_rare_of_queued())
    }

    /// Size and tag of the packet that leaves next.
    pub(super) fn head<P: Packet, T: Copy>(&self, packets: &PacketSlab<P, T>) -> Option<(u32, T)> {
        self.store.head().map(|slot| (packets.packet(slot).meta().size, packets.tag(slot)))
    }

    /// Bytes that wait in this queue.
    pub(super) fn bytes(&self) -> u64 {
        self.store.bytes()
    }

    pub(super) fn backlog<P: Packet, T: Copy>(&self, packets: &PacketSlab<P, T>) -> Backlog {
        let oldest = self.store.head().map(|slot| packets.enqueued(slot));
        let limit = self.own_limit.unwrap_or(self.shared_limit);
        Backlog { packets: self.store.packets(), bytes: self.bytes(), limit, oldest }
    }

    pub(super) fn on_idle(&mut self, now: Time) {
        self.aqm.on_idle(now);
    }

    pub(super) fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.shared_limit = link.limit;
        self.aqm.on_link(now, &Self::seen_by_aqm(link, self.own_limit, self.guarantee));
    }

    pub(super) fn forget_flow(&mut self, now: Time, flow: u32) {
        self.aqm.forget_flow(now, flow);
    }

    pub(super) fn reserve(&mut self, flows: u32) {
        if let Store::PerFlow(order) = &mut self.store {
            order.reserve(flows);
        }
        self.aqm.reserve(flows);
    }

    pub(super) fn next_timeout(&self) -> Option<Time> {
        self.aqm.next_timeout()
    }

    pub(super) fn on_timeout<P: Packet, T: Copy>(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        packets: &PacketSlab<P, T>,
    ) {
        self.aqm.on_timeout(&mut env.cx(self.backlog(packets), packets.total().bytes));
    }

    /// The state of the AQM, under the name of the class.
    pub(super) fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.aqm.gauges(&mut |name, value| show(&format!("{}.{name}", self.name), value));
    }
}

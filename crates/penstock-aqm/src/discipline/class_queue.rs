//! The queue of a class: its packets, its own limit, its law, and its guaranteed part of the link.

use super::guard::{Admitted, Total};
use super::{Env, Probe};
use crate::aqm::{Aqm, Backlog, Cause, Departing, LinkInfo};
use crate::discipline::flow_order::FlowOrder;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use penstock_core::{Limit, Packet, PacketMeta, Rate, Time};

/// The guarantee of a class, which determines the rate that its law sees.
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

/// A waiting packet with the tag of its scheduler.
pub(super) struct Waiting<P, T> {
    pub(super) enqueued: Time,
    pub(super) tag: T,
    pub(super) packet: P,
}

/// The order in which the packets of one class leave.
pub(super) enum Store<P, T> {
    /// As they came.
    Fifo(VecDeque<Waiting<P, T>>),
    /// A packet of each flow in turn.
    PerFlow(FlowOrder<Waiting<P, T>>),
}

impl<P: Packet, T> Store<P, T> {
    /// As they came.
    pub(super) fn fifo() -> Self {
        Self::Fifo(VecDeque::new())
    }

    /// A packet of each flow in turn.
    pub(super) fn per_flow() -> Self {
        Self::PerFlow(FlowOrder::new())
    }

    fn reserve(&mut self, packets: u32, flows: u32) {
        match self {
            Self::Fifo(queue) => queue.reserve(packets as usize),
            Self::PerFlow(order) => order.reserve(packets, flows),
        }
    }

    fn push(&mut self, flow: u32, waiting: Waiting<P, T>) {
        match self {
            Self::Fifo(queue) => queue.push_back(waiting),
            Self::PerFlow(flows) => flows.push(flow, waiting),
        }
    }

    fn pop(&mut self) -> Option<Waiting<P, T>> {
        match self {
            Self::Fifo(queue) => queue.pop_front(),
            Self::PerFlow(flows) => flows.pop(),
        }
    }

    fn pop_last(&mut self) -> Option<Waiting<P, T>> {
        match self {
            Self::Fifo(queue) => queue.pop_back(),
            // Only queues of a single flow are asked to make room.
            Self::PerFlow(_) => None,
        }
    }

    fn head(&self) -> Option<&Waiting<P, T>> {
        match self {
            Self::Fifo(queue) => queue.front(),
            Self::PerFlow(flows) => flows.head(),
        }
    }

    fn len(&self) -> u32 {
        match self {
            Self::Fifo(queue) => queue.len() as u32,
            Self::PerFlow(flows) => flows.len(),
        }
    }
}

/// The packets of a class, guarded by one law.
pub(super) struct ClassQueue<P, T> {
    name: String,
    store: Store<P, T>,
    bytes: u64,
    own_limit: Option<Limit>,
    shared_limit: Limit,
    guarantee: Guarantee,
    law: Box<dyn Aqm>,
}

impl<P: Packet, T: Copy> ClassQueue<P, T> {
    /// An empty queue; `own_limit` applies in addition to the limit of the link.
    pub(super) fn new(
        store: Store<P, T>,
        own_limit: Option<Limit>,
        shared_limit: Limit,
        guarantee: Guarantee,
        law: Box<dyn Aqm>,
    ) -> Self {
        Self { name: String::new(), store, bytes: 0, own_limit, shared_limit, guarantee, law }
    }

    /// The same queue with the name of its class.
    pub(super) fn named(self, name: &str) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The link as the law of a class sees it.
    pub(super) fn seen_by_law(link: &LinkInfo, own_limit: Option<Limit>, guarantee: Guarantee) -> LinkInfo {
        // The number of the link's flows that belong to the class is unknown here.
        LinkInfo { rate: guarantee.rate(link), limit: own_limit.unwrap_or(link.limit), flows: None, ..*link }
    }

    pub(super) fn wants_rare(&self) -> bool {
        self.law.wants_rare()
    }

    /// Drop an arriving packet unless the law lets it in.
    pub(super) fn judge(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        total: Total,
        packet: &P,
        meta: &PacketMeta,
    ) -> Option<Admitted> {
        let verdict = self.law.on_arrival(&mut env.cx(self.backlog(), total.bytes), meta);
        total.admit(env, packet, meta.ecn, verdict)
    }

    /// Whether the class's own limit leaves room.
    pub(super) fn admits(&self, size: u32) -> bool {
        self.own_limit.is_none_or(|limit| limit.admits(self.store.len(), self.bytes, size))
    }

    /// Drop an arriving packet for which there is no room.
    pub(super) fn overflow(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        total: Total,
        packet: &P,
        meta: &PacketMeta,
    ) {
        self.law.on_overflow(&mut env.cx(self.backlog(), total.bytes), meta);
        total.refuse(env, packet, Cause::Overflow);
    }

    /// Queue a packet that was let in, and count it in `total`.
    pub(super) fn push(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        total: Total,
        packet: P,
        meta: &PacketMeta,
        tag: T,
    ) {
        env.probe.queued(&total.report(env.now, &packet, env.now));
        self.bytes += u64::from(meta.size);
        self.store.push(meta.flow, Waiting { enqueued: env.now, tag, packet });
        self.law.on_enqueued(&mut env.cx(self.backlog(), total.bytes), meta);
    }

    /// Removes the head packet from the queue and from `total`; returns it if the law lets it pass.
    pub(super) fn pop(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, total: &mut Total) -> Option<P> {
        let Waiting { enqueued, mut packet, .. } = self.store.pop()?;
        let meta = self.forget(env, total, &packet);
        let verdict = self.law.on_departure(&mut env.cx(self.backlog(), total.bytes), &Departing { meta, enqueued });
        total.release(env, &mut packet, meta.ecn, enqueued, verdict).then_some(packet)
    }

    /// Removes the last packet from the queue and from `total`, to make room for another.
    pub(super) fn evict(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, total: &mut Total) {
        let Some(Waiting { enqueued, packet, .. }) = self.store.pop_last() else { return };
        let meta = self.forget(env, total, &packet);
        self.law.on_evicted(&mut env.cx(self.backlog(), total.bytes), &Departing { meta, enqueued });
        env.probe.dropped(&total.report(env.now, &packet, enqueued), Cause::Evicted);
    }

    fn forget(&mut self, env: &Env<'_, P, impl Probe<P> + ?Sized>, total: &mut Total, packet: &P) -> PacketMeta {
        let mut meta = packet.meta();
        if self.law.wants_rare() {
            meta.rare = Some(env.facts.rare(packet));
        }
        self.bytes -= u64::from(meta.size);
        total.bytes -= u64::from(meta.size);
        total.packets -= 1;
        meta
    }

    /// Size and tag of the packet that leaves next.
    pub(super) fn head(&self) -> Option<(u32, T)> {
        self.store.head().map(|waiting| (waiting.packet.meta().size, waiting.tag))
    }

    pub(super) fn backlog(&self) -> Backlog {
        let oldest = self.store.head().map(|waiting| waiting.enqueued);
        let limit = self.own_limit.unwrap_or(self.shared_limit);
        Backlog { packets: self.store.len(), bytes: self.bytes, limit, oldest }
    }

    pub(super) fn on_idle(&mut self, now: Time) {
        self.law.on_idle(now);
    }

    pub(super) fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.shared_limit = link.limit;
        self.law.on_link(now, &Self::seen_by_law(link, self.own_limit, self.guarantee));
    }

    pub(super) fn forget_flow(&mut self, now: Time, flow: u32) {
        self.law.forget_flow(now, flow);
    }

    pub(super) fn reserve(&mut self, packets: u32, flows: u32) {
        self.store.reserve(packets, flows);
        self.law.reserve(flows);
    }

    pub(super) fn next_timeout(&self) -> Option<Time> {
        self.law.next_timeout()
    }

    pub(super) fn on_timeout(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, total: Total) {
        self.law.on_timeout(&mut env.cx(self.backlog(), total.bytes));
    }

    /// The state of the law, under the name of the class.
    pub(super) fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.law.gauges(&mut |name, value| show(&format!("{}.{name}", self.name), value));
    }
}

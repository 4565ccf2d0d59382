//! The contract of a discipline: it holds packets and picks the next packet to send.

pub(crate) mod cake;
pub(crate) mod cbfq;
pub(crate) mod cbq;
pub(crate) mod choke;
mod class_queue;
mod classes;
pub(crate) mod drop_front;
pub mod drr;
mod drr_buffer;
#[cfg(test)]
mod drr_oracle;
mod drr_queues;
#[cfg(test)]
mod drr_test_harness;
pub mod dsdrr;
pub mod dtdrr;
pub(crate) mod dual_curvy_red;
pub(crate) mod dual_queue;
pub mod dualpi2;
mod evicting_queue;
mod exact_shares;
pub(crate) mod fifo;
mod flow_order;
pub(crate) mod flow_queueing;
pub(crate) mod fq;
pub mod fq_codel;
pub(crate) mod fq_pie;
mod gps;
mod indexed_heap;
mod level_queue;
mod longest_queue;
mod packet_queue;
pub(crate) mod packet_slab;
pub(crate) mod pq;
pub(crate) mod push_out;
pub mod qsdrr;
pub(crate) mod ras;
pub(crate) mod salted_hash;
pub(crate) mod scfq;
mod scheduler;
pub mod sfq;
pub(crate) mod shaper;
pub mod tdrr;
#[cfg(test)]
pub(crate) mod test_harness;
pub(crate) mod upper_bound_heap;
mod verdicts;
mod weighted_classes;
pub(crate) mod wf2q;
pub(crate) mod wfq;
pub(crate) mod wred_dfq;

use crate::aqm::{Backlog, Cause, Cx, LinkInfo};
use crate::capabilities::Capabilities;
use core::any::Any;
use penstock_core::{Packet, PacketMeta, PureAck, Rare, Rng, Time};

/// The fate of a packet, with the backlog after it.
pub struct Report<'a, P> {
    /// The time of the event.
    pub now: Time,
    /// The packet, after any marking.
    pub packet: &'a P,
    /// When the packet was queued; `now` if it was not.
    pub enqueued: Time,
    /// Packets waiting after the event, over all queues of the link.
    pub packets: u32,
    /// Bytes waiting after the event, over all queues of the link.
    pub bytes: u64,
}

impl<P> Clone for Report<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Report<'_, P> {}

/// Observes a queue: receives the fate of each packet. `()` ignores all reports; a pair of probes is a probe.
///
/// A discipline takes the type of its probe as a parameter, so that its reports cost no virtual call. Callers that can
/// afford virtual calls use the default, `dyn Probe`.
pub trait Probe<P> {
    /// The packet was queued.
    fn queued(&mut self, report: &Report<'_, P>);
    /// The packet left for the wire.
    fn sent(&mut self, report: &Report<'_, P>);
    /// The packet was marked; that it was queued or sent is reported separately.
    fn marked(&mut self, report: &Report<'_, P>, cause: Cause);
    /// The packet was dropped; [`Cause::was_queued`] states whether it had been queued before.
    fn dropped(&mut self, report: &Report<'_, P>, cause: Cause);
}

impl<P> Probe<P> for () {
    #[inline]
    fn queued(&mut self, _report: &Report<'_, P>) {}
    #[inline]
    fn sent(&mut self, _report: &Report<'_, P>) {}
    #[inline]
    fn marked(&mut self, _report: &Report<'_, P>, _cause: Cause) {}
    #[inline]
    fn dropped(&mut self, _report: &Report<'_, P>, _cause: Cause) {}
}

impl<P, A: Probe<P>, B: Probe<P>> Probe<P> for (A, B) {
    fn queued(&mut self, report: &Report<'_, P>) {
        self.0.queued(report);
        self.1.queued(report);
    }
    fn sent(&mut self, report: &Report<'_, P>) {
        self.0.sent(report);
        self.1.sent(report);
    }
    fn marked(&mut self, report: &Report<'_, P>, cause: Cause) {
        self.0.marked(report, cause);
        self.1.marked(report, cause);
    }
    fn dropped(&mut self, report: &Report<'_, P>, cause: Cause) {
        self.0.dropped(report, cause);
        self.1.dropped(report, cause);
    }
}

impl<P, T: Probe<P> + ?Sized> Probe<P> for &mut T {
    fn queued(&mut self, report: &Report<'_, P>) {
        (**self).queued(report);
    }
    fn sent(&mut self, report: &Report<'_, P>) {
        (**self).sent(report);
    }
    fn marked(&mut self, report: &Report<'_, P>, cause: Cause) {
        (**self).marked(report, cause);
    }
    fn dropped(&mut self, report: &Report<'_, P>, cause: Cause) {
        (**self).dropped(report, cause);
    }
}

/// Supplies the [`Rare`] facts of packets; `()` supplies the default facts.
pub trait Facts<P> {
    /// The rare facts of this packet.
    fn rare(&self, packet: &P) -> Rare;

    /// This packet as a pure acknowledgement; `None` if it is not an acknowledgement of this kind, or if its facts are
    /// not available. Only the facts of arriving packets are available, and only to disciplines that declare
    /// [`Capabilities::reads_acks`].
    fn pure_ack(&self, _packet: &P) -> Option<PureAck> {
        None
    }
}

impl<P> Facts<P> for () {
    fn rare(&self, _packet: &P) -> Rare {
        Rare::default()
    }
}

/// The facts of an arriving packet, for disciplines that read pure acknowledgements.
pub struct FactsAtArrival<'a, P> {
    /// Supplies the rare facts.
    pub facts: &'a dyn Facts<P>,
    /// The packet as a pure acknowledgement.
    pub ack: Option<PureAck>,
}

impl<P> Facts<P> for FactsAtArrival<'_, P> {
    fn rare(&self, packet: &P) -> Rare {
        self.facts.rare(packet)
    }

    fn pure_ack(&self, _packet: &P) -> Option<PureAck> {
        self.ack
    }
}

/// The facts about a packet: its header, and with `read_rare` also its rare facts.
#[inline]
pub(crate) fn facts_read<P: Packet>(
    env: &Env<'_, P, impl Probe<P> + ?Sized>,
    packet: &P,
    read_rare: bool,
) -> PacketMeta {
    let mut meta = packet.meta();
    if read_rare {
        meta.rare = Some(env.facts.rare(packet));
    }
    meta
}

/// The surroundings of a discipline during one operation.
pub struct Env<'a, P, W: ?Sized = dyn Probe<P>> {
    /// The time of the operation.
    pub now: Time,
    /// The random stream of this queue.
    pub rng: &'a mut Rng,
    /// Receives the fates of packets.
    pub probe: &'a mut W,
    /// Supplies the rare facts of packets.
    pub facts: &'a dyn Facts<P>,
}

impl<P, W: ?Sized> Env<'_, P, W> {
    /// The facts for the AQM of this `queue`, with `link_bytes` bytes waiting at the link.
    #[inline]
    pub(crate) fn cx(&mut self, queue: Backlog, link_bytes: u64) -> Cx<'_> {
        Cx { now: self.now, queue, link_bytes, rng: self.rng }
    }
}

/// Maximum number of packets that one [`Discipline::dequeue`] drops, which bounds its work. The next call continues the
/// dropping.
pub const MAX_DROPS: u32 = 64;

/// The number of further drops that one `dequeue` may make.
pub(crate) struct DropBudget(u32);

impl DropBudget {
    pub(crate) const fn new() -> Self {
        Self(MAX_DROPS)
    }

    /// Count a dropped packet; returns whether the budget is exhausted.
    pub(crate) fn spend(&mut self) -> bool {
        self.0 -= 1;
        self.0 == 0
    }
}

/// The result of [`Discipline::dequeue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<P> {
    /// Send this packet.
    Send(P),
    /// No packet waits.
    Empty,
    /// Packets wait, but none may leave before this time. The answer remains valid until a packet arrives, the link changes or
    /// a timer expires: until then, any `dequeue` before this time returns the same answer and changes nothing. If it is the
    /// current time, [`MAX_DROPS`] packets were dropped: call `dequeue` again.
    NotBefore(Time),
}

/// Holds packets, tests the limit, sets marks, and reports the fate of each packet to a probe of type `W`.
///
/// At any time, arrived = queued + dropped on arrival, and queued = sent + dropped at the head + evicted + waiting.
pub trait Discipline<P: Packet, W: Probe<P> + ?Sized = dyn Probe<P>>: Send + Any {
    /// What the discipline and its AQMs need from their host; the answer never changes.
    fn capabilities(&self) -> Capabilities;
    /// Whether `dequeue` always takes the packet that was queued first, so that nothing overtakes a queued packet, removes
    /// it to make room, or holds it back while the link is free. An AQM may still drop it as it leaves. The answer never
    /// changes.
    fn is_fifo(&self) -> bool;
    /// A packet arrives.
    fn enqueue(&mut self, env: &mut Env<'_, P, W>, packet: P);
    /// The link is ready to send a packet.
    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P>;
    /// The waiting packets.
    fn backlog(&self) -> Backlog;
    /// The waiting packets as counted in reports: without the packets that shapers hold before the queue.
    fn reported_backlog(&self) -> Backlog {
        self.backlog()
    }
    /// The link has changed.
    fn on_link(&mut self, _now: Time, _link: &LinkInfo) {}
    /// The number `flow` now belongs to another flow: discard the old flow's credit or debt, and its state in the AQM.
    /// Waiting packets of the old flow count as packets of the new one.
    fn forget_flow(&mut self, _now: Time, _flow: u32) {}
    /// Make room for `packets` waiting packets and for the state of flows and hosts with numbers below `flows`, so that
    /// no packet causes an allocation. Must be called before the first packet.
    fn reserve(&mut self, packets: u32, flows: u32);
    /// When [`Discipline::on_timeout`] must be called next; see [`crate::Aqm::next_timeout`].
    fn next_timeout(&self) -> Option<Time> {
        None
    }
    /// The time given by [`Discipline::next_timeout`] has come.
    fn on_timeout(&mut self, _env: &mut Env<'_, P, W>) {}
    /// Shows the state of the AQM to a probe, as (name, value).
    fn gauges(&self, _show: &mut dyn FnMut(&str, f64)) {}
    /// Like [`crate::Aqm::resume`].
    fn resume(&mut self, _queue: &Backlog, _gauge: &dyn Fn(&str) -> Option<f64>) {}
    /// Like [`crate::Aqm::drop_function`].
    fn drop_function(&self, _average: f64) -> Option<f64> {
        None
    }
}

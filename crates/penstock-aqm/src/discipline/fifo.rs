//! First in, first out, guarded by one AQM.

use super::packet_queue::PacketQueue;
use super::{Discipline, DropBudget, Env, Next, Probe, facts_read};
use crate::aqm::{Aqm, Backlog, Cause, Departing, LinkInfo};
use crate::capabilities::Capabilities;
use penstock_core::{Limit, Packet, PacketMeta, Time};

/// A queue of packets in order of arrival, guarded by the AQM `A`.
///
/// The AQM judges an arrival before the limit is tested. The limit counts waiting packets only, not the packet in
/// transmission.
#[derive(Clone)]
pub struct Fifo<P, A> {
    queue: PacketQueue<P>,
    aqm: A,
}

impl<P: Packet, A: Aqm> Fifo<P, A> {
    /// An empty queue with room for `limit`.
    pub fn new(aqm: A, limit: Limit) -> Self {
        Self { queue: PacketQueue::new(limit), aqm }
    }

    /// The packet with this number of packets before it.
    #[inline]
    pub fn behind(&self, packets: usize) -> Option<&P> {
        self.queue.behind(packets)
    }

    /// The waiting packets, in the order in which they leave.
    pub fn iter(&self) -> impl Iterator<Item = &P> {
        self.queue.iter()
    }

    /// Judge an arriving packet, and mark it if the AQM decides so. `None`: it was dropped; otherwise [`Self::push`]
    /// must follow, with the facts of the packet as its AQM saw them.
    #[expect(
        clippy::inline_always,
        reason = "the four `inline(always)` of this file save 3 % of the instructions of W2"
    )]
    #[inline(always)]
    pub fn judge(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, packet: &mut P) -> Option<PacketMeta> {
        let meta = facts_read(env, packet, self.aqm.capabilities().reads_rare_at_arrival());
        let verdict = self.aqm.on_arrival(&mut self.queue.cx(env), &meta);
        let total = self.queue.total();
        let admitted = total.admit(env, packet, meta.ecn, verdict)?;
        if !self.queue.admits(meta.size) {
            self.aqm.on_overflow(&mut self.queue.cx(env), &meta);
            total.refuse(env, packet, Cause::Overflow);
            return None;
        }
        admitted.mark(env, total, packet);
        Some(meta)
    }

    /// Queue a packet that [`Self::judge`] let in.
    #[expect(
        clippy::inline_always,
        reason = "the four `inline(always)` of this file save 3 % of the instructions of W2"
    )]
    #[inline(always)]
    pub fn push(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, packet: &P, meta: &PacketMeta) {
        self.queue.push_reported(env, packet);
        self.aqm.on_enqueued(&mut self.queue.cx(env), meta);
    }
}

impl<P: Packet + Send, A: Aqm, W: Probe<P> + ?Sized> Discipline<P, W> for Fifo<P, A> {
    fn capabilities(&self) -> Capabilities {
        self.aqm.capabilities()
    }

    fn is_fifo(&self) -> bool {
        true
    }

    #[expect(
        clippy::inline_always,
        reason = "the four `inline(always)` of this file save 3 % of the instructions of W2"
    )]
    #[inline(always)]
    fn enqueue(&mut self, env: &mut Env<'_, P, W>, mut packet: P) {
        if let Some(meta) = self.judge(env, &mut packet) {
            self.push(env, &packet, &meta);
        }
    }

    #[expect(
        clippy::inline_always,
        reason = "the four `inline(always)` of this file save 3 % of the instructions of W2"
    )]
    #[inline(always)]
    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P> {
        let mut budget = DropBudget::new();
        while let Some((enqueued, mut packet)) = self.queue.pop_oldest() {
            let meta = facts_read(env, &packet, self.aqm.capabilities().reads_rare_of_queued());
            let verdict = self.aqm.on_departure(&mut self.queue.cx(env), &Departing { meta, enqueued });
            if self.queue.total().release(env, &mut packet, meta.ecn, enqueued, verdict) {
                return Next::Send(packet);
            }
            if budget.spend() {
                return Next::NotBefore(env.now);
            }
        }
        self.aqm.on_idle(env.now);
        Next::Empty
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.queue.set_limit(link.limit);
        self.aqm.on_link(now, link);
    }

    fn forget_flow(&mut self, now: Time, flow: u32) {
        self.aqm.forget_flow(now, flow);
    }

    fn reserve(&mut self, packets: u32, flows: u32) {
        self.queue.reserve(packets);
        self.aqm.reserve(flows);
    }

    fn next_timeout(&self) -> Option<Time> {
        self.aqm.next_timeout()
    }

    fn on_timeout(&mut self, env: &mut Env<'_, P, W>) {
        self.aqm.on_timeout(&mut self.queue.cx(env));
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.aqm.gauges(show);
    }

    fn resume(&mut self, queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        self.aqm.resume(queue, gauge);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.aqm.drop_function(average)
    }
}

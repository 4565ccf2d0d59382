//! Flow queueing (RFC 8290, sections 3 and 4): deficit round robin over queues to which flows are hashed; a queue that
//! was idle is served before the others. An AQM guards each queue.

use super::packet_slab::{Detached, PacketSlab, SlabQueue, Taken};
use super::salted_hash::SaltedHash;
use super::upper_bound_heap::UpperBoundHeap;
use super::{Discipline, DropBudget, Env, Next, Probe};
use crate::algorithm::ce_threshold::CeThresholdFor;
use crate::aqm::{Aqm, Backlog, Cause, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::list::{Linked, Links, List, NONE};
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use penstock_core::param::Default;
use penstock_core::{Bytes, Limit, Packet, Rng, Span, Time};

penstock_core::params! {
    /// Parameters of flow queueing.
    pub(crate) struct FlowQueueParams {
        /// Number of queues to which the flows are hashed.
        flows: u32 = Default::Number(1024.0), range: 1.0..=1e6;
        /// Bytes that a queue may send per round. It should be at least the largest packet: smaller values waste
        /// scheduling rounds.
        quantum: Bytes = Default::Number(1514.0), unit: "bytes", range: 64.0..=1e9;
    }
}

/// The packets that are dropped when the limit is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// The arriving packet.
    Arrival,
    /// Packets from the head of the queue with the most bytes: this part of the queue, but at most `batch` packets at a
    /// time.
    Fattest { part: Part, batch: u32 },
}

/// The part of a queue that one batch of drops removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Half of the packets, rounded down, but at least one.
    HalfOfPackets,
    /// The smallest number of packets that hold half of the bytes.
    HalfOfBytes,
}

penstock_core::choice! {
    /// The backlog that the AQM of a queue sees.
    pub enum Occupancy {
        /// The backlog of the whole link.
        Link = "link",
        /// The backlog of the queue alone.
        Queue = "queue",
    }
}

/// The list in which a queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    No,
    New,
    Old,
}

/// The result of looking for the packet to send in one queue.
enum Served<P> {
    /// This packet.
    Packet(P),
    /// The number of packets that may be dropped at one time has been reached.
    NotYet,
    /// The queue is empty.
    Nothing,
}

/// The queues of flows with numbers below this are looked up in a table.
const MAX_KNOWN: u32 = 1 << 16;

/// The facts that an AQM receives about the queue that it guards, in addition to its packets.
#[derive(Clone, Copy)]
struct View {
    occupancy: Occupancy,
    limit: Limit,
}

#[derive(Clone)]
struct Flow<L> {
    waiting: SlabQueue,
    credits: i64,
    listed: Listed,
    links: Links,
    aqm: L,
}

impl<L> Linked for Flow<L> {
    #[inline]
    fn links(&self) -> &Links {
        &self.links
    }
    #[inline]
    fn links_mut(&mut self) -> &mut Links {
        &mut self.links
    }
}

impl<L> Flow<L> {
    /// The facts that the AQM of this queue sees.
    #[inline]
    fn cx<'a, P: Packet>(
        &self,
        env: &'a mut Env<'_, P, impl Probe<P> + ?Sized>,
        packets: &PacketSlab<P>,
        view: View,
    ) -> Cx<'a> {
        let of_link = packets.total().bytes;
        env.cx(view.backlog(&self.waiting, of_link, packets.oldest(&self.waiting)), of_link)
    }
}

impl View {
    /// The backlog that the AQM of the queue `waiting` sees.
    #[inline]
    fn backlog(self, waiting: &SlabQueue, of_link: u64, oldest: Option<Time>) -> Backlog {
        let bytes = if self.occupancy == Occupancy::Link { of_link } else { waiting.bytes() };
        Backlog { packets: waiting.packets(), bytes, limit: self.limit, oldest }
    }
}

/// Queues by flow, each guarded by an AQM `L`.
#[derive(Clone)]
pub struct FlowQueue<P, L> {
    packets: PacketSlab<P>,
    /// Queues that have been used, in the order of their first use.
    flows: Vec<Flow<L>>,
    /// The queue of each bucket.
    buckets: Vec<u32>,
    hash: SaltedHash,
    /// The queue of each flow seen so far with a number below [`MAX_KNOWN`]; the hash never changes.
    known: Vec<u32>,
    new: List,
    old: List,
    /// Queues by their bytes; of equally long queues, the first.
    fattest: UpperBoundHeap<(u64, Reverse<u32>)>,
    /// The AQM of a new queue, in its initial state.
    fresh: L,
    quantum: i64,
    overflow: Overflow,
    view: View,
    /// Packets that waited longer than this are marked, if they are of the given kind.
    ce_threshold: Option<(Span, CeThresholdFor)>,
}

impl<P: Packet, L: Aqm + Clone> FlowQueue<P, L> {
    pub(crate) fn new(
        params: &FlowQueueParams,
        aqm: L,
        overflow: Overflow,
        occupancy: Occupancy,
        link: &LinkInfo,
    ) -> Self {
        Self {
            packets: PacketSlab::new(),
            flows: Vec::new(),
            buckets: vec![NONE; params.flows as usize],
            hash: SaltedHash::default(),
            known: Vec::new(),
            new: List::EMPTY,
            old: List::EMPTY,
            fattest: UpperBoundHeap::new(),
            fresh: aqm,
            quantum: params.quantum.0.cast_signed(),
            overflow,
            view: View { occupancy, limit: link.limit },
            ce_threshold: None,
        }
    }

    /// The queues with a threshold of the waiting time above which packets of the given kind are marked.
    pub(crate) fn with_ce_threshold(self, threshold: Option<Span>, applies: CeThresholdFor) -> Self {
        Self { ce_threshold: threshold.map(|threshold| (threshold, applies)), ..self }
    }

    #[inline]
    fn queue_of(&mut self, flow: u32, rng: &mut Rng) -> u32 {
        match self.known.get(flow as usize) {
            Some(&id) if id != NONE => id,
            _ => self.find_queue(flow, rng),
        }
    }

    /// Like [`FlowQueue::queue_of`], but always by the hash.
    #[inline(never)]
    fn find_queue(&mut self, flow: u32, rng: &mut Rng) -> u32 {
        let id = self.hashed_queue(flow, rng);
        if flow < MAX_KNOWN {
            if flow as usize >= self.known.len() {
                self.known.resize(flow as usize + 1, NONE);
            }
            self.known[flow as usize] = id;
        }
        id
    }

    fn hashed_queue(&mut self, flow: u32, rng: &mut Rng) -> u32 {
        let bucket = self.hash.bucket(flow, self.buckets.len() as u32, rng);
        match self.buckets[bucket as usize] {
            NONE => self.new_queue(bucket),
            id => id,
        }
    }

    #[cold]
    fn new_queue(&mut self, bucket: u32) -> u32 {
        let id = self.flows.len() as u32;
        self.buckets[bucket as usize] = id;
        let aqm = self.fresh.clone();
        self.flows.push(Flow { waiting: SlabQueue::EMPTY, credits: 0, listed: Listed::No, links: Links::NONE, aqm });
        id
    }

    /// Section 4.1, last paragraph.
    #[cold]
    fn make_room(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, part: Part, batch: u32) {
        while self.packets.is_overfull(self.view.limit) {
            let flows = &self.flows;
            let key = |id: u32| Some((flows[id as usize].waiting.weight(), Reverse(id)));
            let Some((_, id)) = self.fattest.top(flows.len() as u32, key) else { return };
            let (packets, bytes) = (self.flows[id as usize].waiting.packets(), self.flows[id as usize].waiting.bytes());
            let most = if part == Part::HalfOfPackets { (packets / 2).clamp(1, batch) } else { batch };
            for _ in 0..most {
                self.evict(env, id);
                let dropped = bytes - self.flows[id as usize].waiting.bytes();
                if part == Part::HalfOfBytes && dropped >= bytes / 2 {
                    break;
                }
            }
        }
    }

    /// Drop the packet at the head of queue `id`.
    fn evict(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, id: u32) {
        let flow = &mut self.flows[id as usize];
        let Some(Taken { packet, enqueued }) = self.packets.pop(&mut flow.waiting) else { return };
        let mut cx = flow.cx(env, &self.packets, self.view);
        flow.aqm.on_evicted(&mut cx, &Departing { meta: packet.meta(), enqueued });
        self.packets.total().evict(env, &packet, enqueued);
    }

    /// RFC 8290, section 4.2, first part: finds the queue whose turn it is; a queue without credit gets a quantum and
    /// goes to the back.
    #[expect(
        clippy::inline_always,
        reason = "the four of this file save 6 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    fn select(&mut self, now: Time) -> Option<u32> {
        // The index `NONE` ends the loop, which saves one comparison over a test for a head.
        while let (id, Some(flow)) = self.new.head_of(&mut self.flows) {
            if flow.credits > 0 {
                if flow.waiting.packets() > 0 {
                    return Some(id);
                }
                // The third part, inlined for the most frequent case.
                flow.aqm.on_idle(now);
            } else {
                flow.credits += self.quantum;
            }
            self.move_to_old(id);
        }
        let mut id = self.old.head_index();
        loop {
            let flow = self.flows.get_mut(id as usize)?;
            if flow.credits > 0 {
                self.old.rotate_to(&mut self.flows, id);
                return Some(id);
            }
            flow.credits += self.quantum;
            id = flow.links.next;
            if id == NONE {
                id = self.skip_rounds()?;
            }
        }
    }

    /// Ends a round of the old queues. Returns the first queue of the next round. With packets much larger than the
    /// quantum: give all queues the quanta of the coming rounds in which none could send. Their order does not change.
    #[cold]
    fn skip_rounds(&mut self) -> Option<u32> {
        let first = self.old.head()?;
        let (mut id, mut rounds) = (first, i64::MAX);
        for _ in 0..self.old.len() {
            rounds = rounds.min(-self.flows[id as usize].credits.min(0) / self.quantum);
            id = self.old.after(&self.flows, id);
        }
        for _ in 0..self.old.len() {
            self.flows[id as usize].credits += rounds * self.quantum;
            id = self.old.after(&self.flows, id);
        }
        Some(first)
    }

    /// Queue `id` is the first of the new queues.
    #[inline]
    fn move_to_old(&mut self, id: u32) {
        self.new.pop(&self.flows);
        self.flows[id as usize].listed = Listed::Old;
        self.old.push(&mut self.flows, id);
    }

    /// Section 4.2, third part: the selected queue had no packet. Out of line: inlined, it would keep both lists on the
    /// stack throughout `dequeue`.
    #[inline(never)]
    fn move_on(&mut self, id: u32) {
        if self.flows[id as usize].listed == Listed::New {
            self.move_to_old(id);
        } else {
            self.old.pop(&self.flows);
            self.flows[id as usize].listed = Listed::No;
        }
    }

    /// Section 4.2, second part: takes the next packet that its AQM does not drop from this queue.
    #[expect(
        clippy::inline_always,
        reason = "the four of this file save 6 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    fn serve(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, id: u32, budget: &mut DropBudget) -> Served<P> {
        let Self { packets, flows, view, ce_threshold, .. } = self;
        let flow = &mut flows[id as usize];
        while let Some(Detached { packet, enqueued, total, next_enqueued, .. }) = packets.detach(&mut flow.waiting) {
            let meta = packet.meta();
            let mut cx = env.cx(view.backlog(&flow.waiting, total.bytes, next_enqueued), total.bytes);
            let mut verdict = flow.aqm.on_departure(&mut cx, &Departing { meta, enqueued });
            // If the AQM lets the packet pass, the CE threshold decides.
            let is_late = |(threshold, applies): (Span, CeThresholdFor)| {
                env.now.since(enqueued) > threshold && applies.includes(meta.ecn)
            };
            if verdict == Verdict::Pass && ce_threshold.is_some_and(is_late) {
                verdict = Verdict::Mark(Cause::Sojourn);
            }
            if total.release(env, packet, meta.ecn, enqueued, verdict) {
                flow.credits -= i64::from(meta.size);
                return Served::Packet(*packet);
            }
            if budget.spend() {
                return Served::NotYet;
            }
        }
        flow.aqm.on_idle(env.now);
        Served::Nothing
    }
}

impl<P: Packet + Send, L: Aqm + Clone, W: Probe<P> + ?Sized> Discipline<P, W> for FlowQueue<P, L> {
    fn capabilities(&self) -> Capabilities {
        let parts = self.fresh.capabilities().of_part();
        match self.overflow {
            Overflow::Arrival if self.ce_threshold.is_none() => parts,
            Overflow::Arrival | Overflow::Fattest { .. } => parts.union(Capabilities::DEPARTURES),
        }
    }

    fn is_fifo(&self) -> bool {
        false
    }

    /// Section 4.1.
    #[expect(
        clippy::inline_always,
        reason = "the four of this file save 6 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    fn enqueue(&mut self, env: &mut Env<'_, P, W>, mut packet: P) {
        let meta = packet.meta();
        let id = self.queue_of(meta.flow, env.rng);
        let Self { packets, flows, view, .. } = self;
        let flow = &mut flows[id as usize];
        let verdict = flow.aqm.on_arrival(&mut flow.cx(env, packets, *view), &meta);
        let Some(admitted) = packets.total().admit(env, &packet, meta.ecn, verdict) else { return };
        if self.overflow == Overflow::Arrival && !packets.has_room(view.limit, meta.size) {
            flow.aqm.on_overflow(&mut flow.cx(env, packets, *view), &meta);
            return packets.total().refuse(env, &packet, Cause::Overflow);
        }
        admitted.mark(env, packets.total(), &mut packet);
        packets.push_reported(env, &mut flow.waiting, &packet, ());
        flow.aqm.on_enqueued(&mut flow.cx(env, packets, *view), &meta);
        if flow.listed == Listed::No {
            flow.listed = Listed::New;
            flow.credits = self.quantum;
            self.new.push(flows, id);
        }
        if let Overflow::Fattest { part, batch } = self.overflow {
            self.fattest.raise(id, || (flows[id as usize].waiting.weight(), Reverse(id)));
            if self.packets.is_overfull(self.view.limit) {
                self.make_room(env, part, batch);
            }
        }
    }

    /// Section 4.2.
    #[expect(
        clippy::inline_always,
        reason = "the four of this file save 6 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P> {
        let mut budget = DropBudget::new();
        while let Some(id) = self.select(env.now) {
            match self.serve(env, id, &mut budget) {
                Served::Packet(packet) => return Next::Send(packet),
                Served::NotYet => return Next::NotBefore(env.now),
                Served::Nothing => self.move_on(id),
            }
        }
        Next::Empty
    }

    fn backlog(&self) -> Backlog {
        let listed = self.new.iter(&self.flows).chain(self.old.iter(&self.flows));
        self.packets.backlog(self.view.limit, listed.map(|flow| &flow.waiting))
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.view.limit = link.limit;
        self.fresh.on_link(now, link);
        self.flows.iter_mut().for_each(|flow| flow.aqm.on_link(now, link));
    }

    /// Reset the queue of the flow, unless the queue holds packets, which may belong to other flows.
    fn forget_flow(&mut self, _now: Time, flow: u32) {
        let Some(bucket) = self.hash.known_bucket(flow, self.buckets.len() as u32) else { return };
        let id = self.buckets[bucket as usize];
        let Some(queue) = self.flows.get_mut(id as usize).filter(|queue| queue.waiting.packets() == 0) else { return };
        queue.aqm = self.fresh.clone();
        queue.credits = 0;
        match core::mem::replace(&mut queue.listed, Listed::No) {
            Listed::No => {}
            Listed::New => self.new.remove(&mut self.flows, id),
            Listed::Old => self.old.remove(&mut self.flows, id),
        }
    }

    fn reserve(&mut self, packets: u32, flows: u32) {
        let queues = flows.min(self.buckets.len() as u32);
        // an arriving packet is stored before others are dropped to make room
        self.packets.reserve(packets.saturating_add(1));
        self.flows.reserve(queues as usize);
        self.known.reserve(flows.min(MAX_KNOWN) as usize);
        self.fattest.reserve(queues);
    }

    fn next_timeout(&self) -> Option<Time> {
        self.fresh.next_timeout()
    }

    /// The AQMs of all queues and the initial AQM of future queues are updated together.
    fn on_timeout(&mut self, env: &mut Env<'_, P, W>) {
        for flow in &mut self.flows {
            flow.aqm.on_timeout(&mut flow.cx(env, &self.packets, self.view));
        }
        let idle = Backlog { packets: 0, bytes: 0, limit: self.view.limit, oldest: None };
        self.fresh.on_timeout(&mut env.cx(idle, self.packets.total().bytes));
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("new_flows", f64::from(self.new.len()));
        show("old_flows", f64::from(self.old.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::fq_codel;
    use crate::rig::thesis_link;
    use penstock_core::param::Value;
    use penstock_core::{Ecn, PacketMeta};

    /// The count of CoDel in the first queue after `packets` arrivals of 1000 bytes at a buffer of 10 packets.
    fn count_after(packets: u32, variant: &str) -> f64 {
        let link = LinkInfo { limit: Limit::Packets(10), ..thesis_link() };
        let settings = [("variant".into(), Value::Text(variant.into()))];
        let mut queue = fq_codel::queues::<PacketMeta>(&settings, &link).unwrap();
        let mut rng = Rng::stream(1, "fq-codel");
        for _ in 0..packets {
            let packet = PacketMeta { flow: 0, size: 1000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None };
            queue.enqueue(&mut Env { now: Time::ZERO, rng: &mut rng, probe: &mut (), facts: &() }, packet);
        }
        let mut count = None;
        queue.flows[0].aqm.gauges(&mut |name, value| count = count.or((name == "count").then_some(value)));
        count.unwrap()
    }

    #[test]
    fn each_packet_dropped_for_room_adds_to_count_in_linux_only() {
        // The 11th packet exceeds the limit. Six packets hold half of the 11 000 bytes.
        assert_eq!([10, 11].map(|packets| count_after(packets, "linux")), [0.0, 6.0]);
        assert_eq!(count_after(11, "rfc"), 0.0);
    }
}

//! A buffer shared by queues under deficit round robin: how arrivals are assigned to queues, and how room is made.
//! The schemes of this family differ in their [`Policy`]: which arrivals are refused, and which queue loses a packet.

use super::drr_queues::{DrrQueues, End, Quantum, Queue, Watcher};
use super::packet_slab::{Detached, Taken};
use super::verdicts::Total;
use super::{Discipline, Env, Next, Probe};
use crate::aqm::{Backlog, Cause, LinkInfo};
use crate::capabilities::{Capabilities, Judges, TimerMoves};
use crate::per_flow::FlowBound;
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::Site;
use alloc::boxed::Box;
use alloc::vec::Vec;
use penstock_core::hash::mix;
use penstock_core::param::{Auto, Default, ParamErrors, Reader, Settings, read_with};
use penstock_core::{Bytes, Limit, Packet, Span, Time};

penstock_core::choice! {
    /// How flows are spread over the queues.
    pub enum Spread {
        /// By flow number modulo the number of queues, so that all queues get equally many flows.
        Modulo = "modulo",
        /// By a hash of the flow number with a random salt.
        Hash = "hash",
    }
}

penstock_core::params! {
    /// Parameters of deficit round robin.
    pub struct DrrParams {
        /// Bytes that a queue may send per turn; "auto": the largest packet of the link.
        quantum: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 1.0;
        /// Number of queues over which the flows are spread; absent: one queue for each flow.
        buckets: Option<u32> = Default::Absent, at_least: 1.0;
        /// How flows are spread over the buckets.
        spread: Spread = Default::Text("modulo");
    }
}

impl DrrParams {
    /// The parameters in `reader`, which refuses parameters that contradict each other.
    fn read_all(reader: &mut Reader<'_>) -> Option<Self> {
        let params = reader.params::<Self>()?;
        if params.spread == Spread::Hash && params.buckets.is_none() {
            reader.refuse("spread", "needs `buckets`");
        }
        Some(params)
    }

    fn assignment(&self) -> Assignment {
        match (self.buckets, self.spread) {
            (None, _) => Assignment::PerFlow(FlowBound::new()),
            (Some(buckets), Spread::Modulo) => Assignment::Modulo(buckets),
            (Some(buckets), Spread::Hash) => Assignment::Hash { buckets, salt: None },
        }
    }
}

/// The assignment of flows to queues.
#[derive(Clone, Copy, Debug)]
pub(super) enum Assignment {
    /// Each flow has its own queue.
    PerFlow(FlowBound),
    /// By flow number, modulo this number of queues.
    Modulo(u32),
    /// By a hash of the flow number. The salt is drawn from the queue's random stream when the first packet arrives.
    Hash { buckets: u32, salt: Option<u64> },
}

impl Assignment {
    #[inline]
    fn queue(&mut self, flow: u32, random_bits: impl FnOnce() -> u64) -> u32 {
        match self {
            Self::PerFlow(bound) => bound.index(flow),
            Self::Modulo(buckets) => flow % *buckets,
            Self::Hash { buckets, salt } => hashed(flow, *salt.get_or_insert_with(random_bits), *buckets),
        }
    }

    /// The queue of a flow; `None` before the salt of the hash is drawn.
    fn known_queue(&self, flow: u32) -> Option<u32> {
        match *self {
            Self::Hash { buckets, salt } => salt.map(|salt| hashed(flow, salt, buckets)),
            Self::PerFlow(bound) => Some(bound.index(flow)),
            Self::Modulo(buckets) => Some(flow % buckets),
        }
    }

    /// The number of queues of flows with numbers below `flows`.
    fn reserve(&mut self, flows: u32) -> u32 {
        match self {
            Self::PerFlow(bound) => {
                bound.raise(flows);
                flows
            }
            Self::Modulo(buckets) | Self::Hash { buckets, .. } => *buckets,
        }
    }

    /// Discard the salt; the next packet draws a new one.
    fn forget_salt(&mut self) {
        if let Self::Hash { salt, .. } = self {
            *salt = None;
        }
    }
}

/// The bucket of a flow; all `buckets` are equally likely.
fn hashed(flow: u32, salt: u64, buckets: u32) -> u32 {
    ((u128::from(mix(u64::from(flow) ^ salt)) * u128::from(buckets)) >> 64) as u32
}

/// The facts about an arrival that a policy may use.
pub(super) struct Arrival<'a> {
    /// The queue of the arriving packet, not counting this packet.
    pub(super) id: u32,
    pub(super) queue: &'a Queue,
    pub(super) size: u32,
    /// The whole buffer, not counting the arriving packet.
    pub(super) waiting: Total,
    pub(super) limit: Limit,
    /// Number of queues that hold packets.
    pub(super) active: u32,
    /// Number of queues used so far.
    pub(super) known: u32,
}

impl Arrival<'_> {
    /// Q_i and F: the length of the queue and the free space, in the unit of the limit.
    pub(super) fn length_and_free(&self) -> (f64, f64) {
        let Total { packets, bytes } = self.waiting;
        match self.limit {
            Limit::Packets(limit) => (f64::from(self.queue.packets()), f64::from(limit.saturating_sub(packets))),
            Limit::Bytes(limit) => (self.queue.bytes() as f64, limit.saturating_sub(bytes) as f64),
            Limit::Infinite => (f64::from(self.queue.packets()), f64::INFINITY),
        }
    }

    /// Whether there is room for the packet.
    pub(super) fn fits(&self) -> bool {
        self.limit.admits(self.waiting.packets, self.waiting.bytes, self.size)
    }
}

/// The rules in which the schemes of the family differ. As a [`Watcher`], a policy keeps its own order of the queues up
/// to date.
pub(super) trait Policy: Watcher + Send + 'static {
    /// Whether the arriving packet is queued before room is made, so that it counts in its queue and may be dropped
    /// itself.
    const COUNTS_ARRIVAL: bool = false;

    /// Whether `next_timeout` ever returns a time.
    const HAS_TIMER: bool = false;

    /// Which packets are dropped, other than for lack of room.
    fn judges(&self) -> Judges;

    /// The cause for which the arriving packet is dropped immediately; `None` if it is not.
    fn refuse(&mut self, _arrival: &Arrival<'_>) -> Option<Cause> {
        None
    }

    /// Whether the queue exceeds the maximum length of a single queue, even if the buffer has room.
    fn is_overfull(&self, _queue: &Queue) -> bool {
        false
    }

    /// The queue that loses a packet to make room for one in queue `id`; `None`: the arriving packet is dropped.
    fn victim(&mut self, _id: u32, _queues: &[Queue]) -> Option<u32> {
        None
    }

    /// The end at which the victim loses a packet.
    fn end(&self) -> End {
        End::Head
    }

    /// Queue `id` has lost a packet to make room.
    fn on_evicted(&mut self, _id: u32, _queues: &[Queue]) {}

    /// Queue `id` has sent a packet.
    fn on_sent(&mut self, _now: Time, _id: u32, _size: u32) {}

    /// Queue `id` now belongs to another flow.
    fn forget(&mut self, _now: Time, _id: u32) {}

    /// Make room for the state of queues with numbers below `queues`.
    fn reserve(&mut self, _queues: u32) {}

    fn next_timeout(&self) -> Option<Time> {
        None
    }

    fn on_timeout(&mut self, _now: Time) {}

    fn gauges(&self, _show: &mut dyn FnMut(&str, f64)) {}
}

/// A shared buffer under deficit round robin.
#[derive(Clone)]
pub struct DrrBuffer<P, B> {
    queues: DrrQueues<P>,
    policy: B,
    assignment: Assignment,
    perturb: Option<PeriodicTimer>,
    /// Packets on their way to new queues during a rehash; empty otherwise.
    rehashed: Vec<(usize, Taken<P>)>,
    limit: Limit,
    /// Whether the quantum is the largest packet of the link.
    follows_mtu: bool,
}

#[expect(private_bounds, reason = "outside this family only whole buffers are made")]
impl<P: Packet, B: Policy> DrrBuffer<P, B> {
    pub(super) fn new(params: &DrrParams, link: &LinkInfo, policy: B) -> Self {
        Self {
            queues: DrrQueues::new(match params.quantum {
                Auto::Auto => largest_packet(link),
                Auto::Value(quantum) => Quantum::Bytes(quantum.0),
            }),
            policy,
            assignment: params.assignment(),
            perturb: None,
            rehashed: Vec::new(),
            limit: link.limit,
            follows_mtu: params.quantum == Auto::Auto,
        }
    }

    /// The buffer with a new hash every `period`.
    pub(super) fn perturbed(self, period: Option<Span>, now: Time) -> Self {
        Self { perturb: period.map(|period| PeriodicTimer::new(now, period)), ..self }
    }

    /// The buffer with turns of one packet instead of a quantum of bytes.
    pub(super) fn packet_by_packet(mut self) -> Self {
        self.queues.set_quantum(Quantum::Packet);
        Self { follows_mtu: false, ..self }
    }

    /// Make room, then queue the packet.
    #[expect(
        clippy::inline_always,
        reason = "with those of `DrrQueues`, saves 8 % of the instructions of W2 through qsdrr"
    )]
    #[inline(always)]
    fn make_room_and_push(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, id: u32, size: u32, packet: &P) {
        while !self.queues.packets.has_room(self.limit, size) {
            let victim = self.policy.victim(id, self.queues.all());
            let end = self.policy.end();
            let taken = victim.and_then(|victim| self.queues.pop(&mut self.policy, victim, end));
            let (Some(victim), Some(taken)) = (victim, taken) else {
                return self.queues.total().refuse(env, packet, Cause::Overflow);
            };
            self.queues.total().evict(env, &taken.packet, taken.enqueued);
            self.policy.on_evicted(victim, self.queues.all());
        }
        self.queues.total().with(size).accept(env, packet);
        self.queues.push(&mut self.policy, env.now, id, (packet, env.now));
    }

    /// Queue the packet, then drop packets until the rest fits. The arriving packet is reported as queued only if it is
    /// not dropped.
    #[inline]
    fn push_and_make_room(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, id: u32, size: u32, packet: &P) {
        let slot = self.queues.push(&mut self.policy, env.now, id, (packet, env.now));
        loop {
            let others = self.queues.total().without(size);
            let queues = self.queues.all();
            if self.limit.admits(others.packets, others.bytes, size) && !self.policy.is_overfull(&queues[id as usize]) {
                return self.queues.packets.report_queued(env, slot);
            }
            let victim = self.policy.victim(id, queues).unwrap_or(id);
            let end = self.policy.end();
            let is_arrival = self.queues.slot(victim, end) == Some(slot);
            let Some(taken) = self.queues.pop(&mut self.policy, victim, end) else { return };
            if is_arrival {
                return self.queues.total().refuse(env, &taken.packet, Cause::Overflow);
            }
            self.queues.total().without(size).evict(env, &taken.packet, taken.enqueued);
        }
    }

    /// Move all packets to their queues under the new hash, in order of arrival, so that no flow is reordered.
    fn rehash(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>) {
        self.assignment.forget_salt();
        while let Some(id) = self.queues.front() {
            let number = self.rehashed.len();
            let taken = self.queues.pop(&mut self.policy, id, End::Head);
            self.rehashed.extend(taken.map(|taken| (number, taken)));
        }
        // packets of equal age stay in this order
        self.rehashed.sort_unstable_by_key(|(number, taken)| (taken.enqueued, *number));
        for (_, taken) in self.rehashed.drain(..) {
            let id = self.assignment.queue(taken.packet.meta().flow, || env.rng.bits());
            self.queues.reach(id);
            self.queues.push(&mut self.policy, env.now, id, (&taken.packet, taken.enqueued));
        }
    }
}

fn largest_packet(link: &LinkInfo) -> Quantum {
    Quantum::Bytes(link.mtu.0.max(1))
}

impl<P: Packet + Send, B: Policy, W: Probe<P> + ?Sized> Discipline<P, W> for DrrBuffer<P, B> {
    fn capabilities(&self) -> Capabilities {
        let timer = if B::HAS_TIMER || self.perturb.is_some() { TimerMoves::Periodic } else { TimerMoves::Never };
        Capabilities { judges: self.policy.judges(), ..Capabilities::ARRIVALS }.with_timer(timer)
    }

    fn is_fifo(&self) -> bool {
        false
    }

    #[expect(
        clippy::inline_always,
        reason = "with those of `DrrQueues`, saves 8 % of the instructions of W2 through qsdrr"
    )]
    #[inline(always)]
    fn enqueue(&mut self, env: &mut Env<'_, P, W>, packet: P) {
        let meta = packet.meta();
        let id = self.assignment.queue(meta.flow, || env.rng.bits());
        self.queues.reach(id);
        let arrival = Arrival {
            id,
            waiting: self.queues.total(),
            active: self.queues.active(),
            known: self.queues.known(),
            queue: &self.queues.all()[id as usize],
            size: meta.size,
            limit: self.limit,
        };
        if let Some(cause) = self.policy.refuse(&arrival) {
            return self.queues.total().refuse(env, &packet, cause);
        }
        // A packet that would not fit into an empty buffer evicts no other packet.
        if !self.limit.admits(0, 0, meta.size) {
            return self.queues.total().refuse(env, &packet, Cause::Overflow);
        }
        if B::COUNTS_ARRIVAL {
            self.push_and_make_room(env, id, meta.size, &packet);
        } else {
            self.make_room_and_push(env, id, meta.size, &packet);
        }
    }

    #[expect(
        clippy::inline_always,
        reason = "with those of `DrrQueues`, saves 8 % of the instructions of W2 through qsdrr"
    )]
    #[inline(always)]
    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P> {
        let Some((id, Detached { packet, enqueued, total, .. })) = self.queues.serve(&mut self.policy) else {
            return Next::Empty;
        };
        self.policy.on_sent(env.now, id, packet.meta().size);
        total.send(env, packet, enqueued);
        Next::Send(*packet)
    }

    fn backlog(&self) -> Backlog {
        self.queues.backlog(self.limit)
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.limit = link.limit;
        if self.follows_mtu {
            self.queues.set_quantum(largest_packet(link));
        }
    }

    /// A queue that holds packets is kept, since other flows may share it.
    fn forget_flow(&mut self, now: Time, flow: u32) {
        let Some(id) = self.assignment.known_queue(flow) else { return };
        if matches!(self.assignment, Assignment::PerFlow(_)) || !self.queues.holds_packets(id) {
            self.queues.forget_deficit(id);
            self.policy.forget(now, id);
        }
    }

    fn reserve(&mut self, packets: u32, flows: u32) {
        let queues = self.assignment.reserve(flows);
        // an arrival may be stored before another packet is dropped to make room for it
        self.queues.reserve(packets.saturating_add(1), queues);
        self.policy.reserve(queues);
        if self.perturb.is_some() {
            self.rehashed.reserve(packets as usize);
        }
    }

    fn next_timeout(&self) -> Option<Time> {
        let perturb = self.perturb.as_ref().and_then(PeriodicTimer::next);
        self.policy.next_timeout().into_iter().chain(perturb).min()
    }

    fn on_timeout(&mut self, env: &mut Env<'_, P, W>) {
        if self.policy.next_timeout().is_some_and(|due| due <= env.now) {
            self.policy.on_timeout(env.now);
        }
        if let Some(ticker) = self.perturb.as_mut().filter(|ticker| ticker.next().is_some_and(|due| due <= env.now)) {
            ticker.advance(env.now);
            self.rehash(env);
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("active", f64::from(self.queues.active()));
        self.policy.gauges(show);
    }
}

/// Builds a scheme whose parameters beyond those of DRR are read by `policy`; returns all errors if any parameter is
/// refused.
pub(super) fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized, B: Policy + 'static>(
    settings: &Settings,
    infos: &[penstock_core::param::ParamInfo],
    site: &Site<'_>,
    policy: impl FnOnce(&mut Reader<'_>, Option<&DrrParams>) -> Option<B>,
) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
    Ok(Box::new(buffer(settings, infos, site.link, policy)?))
}

/// Like [`build`], but returns the buffer itself.
pub(super) fn buffer<P: Packet, B: Policy>(
    settings: &Settings,
    infos: &[penstock_core::param::ParamInfo],
    link: &LinkInfo,
    policy: impl FnOnce(&mut Reader<'_>, Option<&DrrParams>) -> Option<B>,
) -> Result<DrrBuffer<P, B>, ParamErrors> {
    let (params, policy) = read_with(settings, infos, |reader| {
        let params = DrrParams::read_all(reader);
        let policy = policy(reader, params.as_ref());
        Some((params?, policy?))
    })?;
    Ok(DrrBuffer::new(&params, link, policy))
}

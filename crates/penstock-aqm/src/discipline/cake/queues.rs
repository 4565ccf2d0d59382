//! The tins of CAKE, their queues, and the choice of the next packet.

use super::super::packet_slab::{Detached, PacketSlab, Taken};
use super::super::salted_hash::SaltedHash;
use super::super::upper_bound_heap::UpperBoundHeap;
use super::super::{Discipline, DropBudget, Env, Next, Probe};
use super::ack_filter::AckFilter;
use super::deficit_shaper::DeficitShaper;
use super::ends::Ends;
use super::queue::{Queue, Set};
use super::rotation::Rotation;
use super::rounding::Dithers;
use super::set_associative_hash::SetAssociativeHash;
use super::settings::CakeSettings;
use super::tin::Tin;
use super::tins::Entitlement;
use crate::aqm::{Backlog, Cause, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, SideInformation};
use crate::list::{List, NONE};
use alloc::vec::Vec;
use core::cmp::Reverse;
use penstock_core::{Dscp, Limit, Packet, PacketMeta, PureAck, Rare, Rate, Rng, Time, math};

/// The tins and queues of CAKE behind its shaper.
pub(super) struct CakeQueue<P> {
    plan: CakeSettings,
    packets: PacketSlab<P>,
    /// The queues of all tins that have been used.
    queues: Vec<Queue>,
    tins: Vec<Tin>,
    /// The tin whose turn it is.
    turn: usize,
    hash: SaltedHash,
    /// Queues by their bytes; of equally long queues, the first comes first.
    fattest: UpperBoundHeap<(u64, Reverse<u32>)>,
    shaper: Option<DeficitShaper>,
    /// In the ingress mode, a shaper at two thirds of the rate that counts only sent packets. Dropped packets are
    /// charged to `shaper` as long as its next time is not later than that of this shaper.
    failsafe: Option<DeficitShaper>,
    filter: Option<AckFilter>,
    limit: Limit,
    /// When the queue was built.
    start: Time,
}

impl<P: Packet> CakeQueue<P> {
    pub(super) fn new(plan: CakeSettings, link: &LinkInfo, start: Time) -> Self {
        let tin = |&entitlement: &Entitlement| Tin {
            entitlement,
            threshold: DeficitShaper::new(Rate::from_bits_per_second(1)),
            deficit: 0.0,
            packets: 0,
            ways: SetAssociativeHash::new(plan.flows),
            sparse: List::EMPTY,
            rotation: Rotation::new(plan.isolation),
            decaying: List::EMPTY,
            fresh: plan.aqm(entitlement.share, link, start),
        };
        let mut queues = Self {
            packets: PacketSlab::new(),
            queues: Vec::new(),
            tins: plan.diffserv.tins().iter().map(tin).collect(),
            turn: 0,
            hash: SaltedHash::default(),
            fattest: UpperBoundHeap::new(),
            shaper: plan.bandwidth.map(DeficitShaper::new),
            failsafe: plan.bandwidth.filter(|_| plan.ingress).map(|rate| DeficitShaper::new(two_thirds(rate))),
            filter: AckFilter::new(plan.ack_filter),
            limit: link.limit,
            start,
            plan,
        };
        queues.take_link(link);
        queues
    }

    fn take_link(&mut self, link: &LinkInfo) {
        self.limit = link.limit;
        for tin in &mut self.tins {
            let rate = self.plan.rate(tin.entitlement.share, link);
            tin.threshold.set_rate(rate);
            // 4096 turns per second, limited so that turns are neither too frequent nor larger than a packet: with a
            // larger quantum, a queue that sends one packet at a time would never be in debt and always be served first
            let quantum = (rate.bits_per_second() / 8 / 4096).clamp(300, link.mtu.0.max(300)) as u32;
            tin.rotation.set_quantum(&mut self.queues, quantum);
            tin.fresh = self.plan.aqm(tin.entitlement.share, link, self.start);
        }
        for queue in &mut self.queues {
            queue.aqm.follow(&self.tins[usize::from(queue.tin)].fresh);
        }
    }

    /// The queue of a packet, which from now on counts for the hosts of this packet.
    #[inline]
    fn queue_of(&mut self, tin: usize, meta: &PacketMeta, hosts: Rare, rng: &mut Rng) -> u32 {
        let hash = self.hash.hash(self.plan.isolation.key(meta, hosts), rng);
        let queues = &self.queues;
        let (bucket, is_new) = self.tins[tin].ways.find(hash, |id| queues[id as usize].set != Set::Idle);
        let mut id = self.tins[tin].ways.queue(bucket);
        let ends = Ends { src: hosts.src, dst: hosts.dst };
        if id == NONE {
            id = self.queues.len() as u32;
            self.tins[tin].ways.set_queue(bucket, id);
            let dithers = Dithers::new(self.hash.seed(u64::from(id), rng));
            let aqm = self.tins[tin].fresh.clone();
            self.queues.push(Queue::new(tin as u8, ends, dithers, aqm));
        } else if is_new {
            match self.queues[id as usize].set {
                Set::Bulk | Set::Waiting => self.tins[tin].rotation.change_hosts(&mut self.queues, id, ends),
                Set::Idle | Set::Sparse | Set::Decaying => self.queues[id as usize].ends = ends,
            }
        }
        id
    }

    /// Move queue `id` from its present list to the end of another. A queue that joins the round robin is given credit.
    #[inline]
    fn move_to(&mut self, id: u32, set: Set) {
        let Self { queues, tins, .. } = self;
        let queue = &mut queues[id as usize];
        let tin = &mut tins[usize::from(queue.tin)];
        match core::mem::replace(&mut queue.set, set) {
            Set::Idle => {}
            Set::Sparse => tin.sparse.remove(queues, id),
            Set::Decaying => tin.decaying.remove(queues, id),
            left @ (Set::Waiting | Set::Bulk) => tin.rotation.leave(queues, id, left),
        }
        match set {
            Set::Idle => {}
            Set::Sparse => tin.sparse.push(queues, id),
            Set::Decaying => tin.decaying.push(queues, id),
            Set::Waiting | Set::Bulk => tin.rotation.join(queues, id),
        }
    }

    /// Drop packets from the head of the longest queue until the limit is met.
    #[cold]
    fn make_room(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>) {
        while self.packets.is_overfull(self.limit) {
            let queues = &self.queues;
            let key = |id: u32| Some((queues[id as usize].waiting.weight(), Reverse(id)));
            let Some((_, id)) = self.fattest.top(queues.len() as u32, key) else { return };
            let Some(slot) = queues[id as usize].waiting.head() else { return };
            self.queues[id as usize].aqm.overflowed(env.now);
            self.drop_queued(env, id, slot, Cause::Evicted);
        }
    }

    /// A pure acknowledgement was queued in this slot of queue `id`: remove the one that it makes redundant, if any.
    #[inline(never)]
    fn filter_acks(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        id: u32,
        slot: u32,
        flow: u32,
        ack: PureAck,
    ) {
        let redundant = self.filter.as_mut().and_then(|filter| filter.arrive(id, slot, flow, ack));
        if let Some(slot) = redundant {
            self.drop_queued(env, id, slot, Cause::Filtered);
        }
    }

    /// Drop the packet in this slot of queue `id`.
    fn drop_queued(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, id: u32, slot: u32, cause: Cause) {
        let Self { plan, packets, queues, tins, shaper, failsafe, filter, .. } = self;
        let queue = &mut queues[id as usize];
        let tin = &mut tins[usize::from(queue.tin)];
        let Taken { packet, enqueued } = packets.remove(&mut queue.waiting, slot);
        if let Some(filter) = filter {
            filter.depart(slot);
        }
        tin.packets -= 1;
        if let Some(failsafe) = failsafe {
            tin.charge_dropped(env.now, plan.size_on_wire(packet.meta().size), shaper.as_mut(), failsafe);
        }
        env.probe.dropped(&packets.total().report(env.now, &packet, enqueued), cause);
    }

    /// Select the next tin. At least one tin must have packets.
    #[inline]
    fn select_tin(&mut self, now: Time) -> usize {
        if self.shaper.is_some() { self.scheduled_tin(now) } else { self.tin_in_turn(now) }
    }

    /// The most urgent tin within its schedule; if none is, the tin that will be within it first.
    fn scheduled_tin(&self, now: Time) -> usize {
        let busy = || self.plan.diffserv.by_urgency().iter().copied().filter(|&tin| self.tins[tin].packets > 0);
        let due = |&tin: &usize| self.tins[tin].threshold.next();
        busy().find(|tin| due(tin) <= now).or_else(|| busy().min_by_key(due)).unwrap_or(0)
    }

    /// The next tin by weighted round robin. The weight is the priority below the threshold and the share above it.
    #[inline]
    fn tin_in_turn(&mut self, now: Time) -> usize {
        let tin = &self.tins[self.turn];
        if tin.may_send() {
            self.turn
        } else if tin.packets == self.packets.len() {
            self.turn_of_only_tin(now)
        } else {
            self.next_tin_in_turn(now)
        }
    }

    /// Like [`CakeQueue::tin_in_turn`], if the turn of the present tin has ended and other tins have packets.
    #[inline(never)]
    fn next_tin_in_turn(&mut self, now: Time) -> usize {
        let mut turns = 0;
        loop {
            if turns == self.tins.len() {
                self.skip_rounds_of_tins(now);
                turns = 0;
            }
            self.turn = (self.turn + 1) % self.tins.len();
            turns += 1;
            let tin = &mut self.tins[self.turn];
            tin.deficit = if tin.packets == 0 { 0.0 } else { tin.deficit + tin.credit(now) };
            if tin.may_send() {
                return self.turn;
            }
            if tin.packets == self.packets.len() {
                return self.turn_of_only_tin(now);
            }
        }
    }

    /// Only the tin whose turn it is has packets: skip turns until it may send.
    #[inline]
    fn turn_of_only_tin(&mut self, now: Time) -> usize {
        let tin = &self.tins[self.turn];
        let credit = tin.credit(now);
        let deficit = tin.deficit + (math::floor(-tin.deficit / credit) + 1.0) * credit;
        self.tins.iter_mut().for_each(|tin| tin.deficit = 0.0);
        self.tins[self.turn].deficit = deficit;
        self.turn
    }

    /// Give all tins with packets the credits of the coming rounds in which none of them could send. The sums are
    /// exact, since all credits are multiples of 2^-11.
    fn skip_rounds_of_tins(&mut self, now: Time) {
        let rounds = |tin: &Tin| math::floor((-tin.deficit).max(0.0) / tin.credit(now));
        let busy = self.tins.iter().filter(|tin| tin.packets > 0);
        let rounds = busy.map(rounds).fold(f64::INFINITY, f64::min);
        for tin in self.tins.iter_mut().filter(|tin| tin.packets > 0) {
            tin.deficit += rounds * tin.credit(now);
        }
    }

    /// Check whether the AQM of queue `id`, the first decaying queue of its tin, is at rest. If not, move the queue behind the
    /// other decaying queues.
    #[inline]
    fn check_decaying(&mut self, id: u32, now: Time) {
        let queue = &mut self.queues[id as usize];
        queue.aqm.emptied(now);
        if queue.aqm.is_at_rest(now) {
            self.move_to(id, Set::Idle);
        } else {
            self.tins[usize::from(queue.tin)].decaying.rotate(&mut self.queues);
        }
    }

    /// Queue `id` was found empty.
    #[inline]
    fn leave_empty(&mut self, id: u32, now: Time) {
        let aqm = &mut self.queues[id as usize].aqm;
        aqm.emptied(now);
        let set = if aqm.is_at_rest(now) { Set::Idle } else { Set::Decaying };
        self.move_to(id, set);
    }

    /// DRR++: serve the sparse queues first, then the bulk queues; a queue that has used up its credit joins the bulk
    /// queues.
    #[inline]
    fn serve(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, tin: usize, budget: &mut DropBudget) -> Next<P> {
        if let Some(id) = self.tins[tin].decaying.head() {
            self.check_decaying(id, env.now);
        }
        loop {
            let Tin { sparse, rotation, .. } = &mut self.tins[tin];
            let Some(id) = sparse.head().or_else(|| rotation.select(&mut self.queues)) else { return Next::Empty };
            let queue = &self.queues[id as usize];
            if queue.deficit <= 0 {
                self.move_to(id, if queue.waiting.packets() == 0 { Set::Waiting } else { Set::Bulk });
                continue;
            }
            match self.serve_queue(env, id, budget) {
                Next::Empty => self.leave_empty(id, env.now),
                answer => return answer,
            }
        }
    }

    /// The next packet of this queue that its AQM does not drop; the last packet of a queue may be marked, but is not
    /// dropped.
    #[inline]
    fn serve_queue(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        id: u32,
        budget: &mut DropBudget,
    ) -> Next<P> {
        let Self { plan, packets, queues, tins, shaper, failsafe, filter, .. } = self;
        let queue = &mut queues[id as usize];
        let tin = &mut tins[usize::from(queue.tin)];
        // The number of queues each of which may hold two packets.
        let flows = if plan.ingress { tin.rotation.bulk_queues() } else { 0 };
        while let Some(Detached { slot, packet, enqueued, total, .. }) = packets.detach(&mut queue.waiting) {
            tin.packets -= 1;
            if let Some(filter) = filter {
                filter.depart(slot);
            }
            let meta = packet.meta();
            let size = plan.size_on_wire(meta.size);
            let verdict = queue.aqm.judge_among(env.now, enqueued, meta.ecn, flows, env.rng);
            let is_mark = matches!(verdict, Verdict::Mark(_)) && meta.ecn.is_capable();
            let verdict = if queue.waiting.packets() > 0 || is_mark { verdict } else { Verdict::Pass };
            if total.release(env, packet, meta.ecn, enqueued, verdict) {
                queue.deficit -= i64::from(size);
                tin.charge(env.now, size, shaper.as_mut());
                if let Some(failsafe) = failsafe {
                    failsafe.advance(size);
                }
                return Next::Send(*packets.packet(slot));
            }
            if let Some(failsafe) = failsafe {
                tin.charge_dropped(env.now, size, shaper.as_mut(), failsafe);
            }
            if budget.spend() {
                return Next::NotBefore(env.now);
            }
        }
        Next::Empty
    }
}

impl<P: Packet + Send, W: Probe<P> + ?Sized> Discipline<P, W> for CakeQueue<P> {
    fn capabilities(&self) -> Capabilities {
        let wants_hosts = self.plan.isolation.wants_hosts();
        let side = if wants_hosts { SideInformation::HostsAtArrival } else { SideInformation::Unused };
        Capabilities { reads_acks: self.filter.is_some(), ..Capabilities::DEPARTURES.with_side(side) }
    }

    fn is_fifo(&self) -> bool {
        false
    }

    fn enqueue(&mut self, env: &mut Env<'_, P, W>, mut packet: P) {
        let meta = packet.meta();
        let ack = self.filter.as_ref().and_then(|_| env.facts.pure_ack(&packet));
        let hosts = if self.plan.isolation.wants_hosts() { env.facts.rare(&packet) } else { Rare::default() };
        let tin = self.plan.diffserv.tin(meta.dscp);
        if self.plan.wash {
            packet.remark(Dscp::default());
        }
        let id = self.queue_of(tin, &meta, hosts, env.rng);
        if self.packets.len() == 0 {
            self.shaper.iter_mut().chain(&mut self.failsafe).for_each(|shaper| shaper.catch_up(env.now));
        }
        if self.tins[tin].packets == 0 {
            self.tins[tin].threshold.catch_up(env.now);
        }
        let Self { packets, queues, tins, fattest, .. } = self;
        let (queue, tin) = (&mut queues[id as usize], &mut tins[tin]);
        let slot = packets.push_reported(env, &mut queue.waiting, &packet, ());
        tin.packets += 1;
        fattest.raise(id, || (queue.waiting.weight(), Reverse(id)));
        match queue.set {
            Set::Idle | Set::Decaying => {
                queue.deficit = 0;
                tin.rotation.give_credit(queue);
                self.move_to(id, Set::Sparse);
            }
            Set::Waiting => {
                queue.set = Set::Bulk;
                tin.rotation.becomes_bulk(queues, id);
            }
            Set::Sparse | Set::Bulk => {}
        }
        if let Some(ack) = ack {
            self.filter_acks(env, id, slot, meta.flow, ack);
        }
        if self.packets.is_overfull(self.limit) {
            self.make_room(env);
        }
    }

    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P> {
        if self.packets.len() == 0 {
            return Next::Empty;
        }
        if let Some(next) = self.shaper.as_ref().map(DeficitShaper::next).filter(|&next| next > env.now) {
            return Next::NotBefore(next);
        }
        let mut budget = DropBudget::new();
        while self.packets.len() > 0 {
            let tin = self.select_tin(env.now);
            match self.serve(env, tin, &mut budget) {
                Next::Empty => {}
                answer => return answer,
            }
        }
        Next::Empty
    }

    fn backlog(&self) -> Backlog {
        let lists = self.tins.iter().flat_map(|tin| [tin.sparse, tin.rotation.queues()]);
        self.packets.backlog(self.limit, lists.flat_map(|list| list.iter(&self.queues)).map(|queue| &queue.waiting))
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.take_link(link);
    }

    /// Reset the queues of the flow, except queues with packets, which may belong to other flows.
    fn forget_flow(&mut self, _now: Time, flow: u32) {
        if let Some(filter) = &mut self.filter {
            filter.forget_flow(flow);
        }
        let Some(hash) = self.plan.isolation.flow_key(flow).and_then(|key| self.hash.known_hash(key)) else { return };
        for tin in 0..self.tins.len() {
            let Some(id) = self.tins[tin].ways.known(hash) else { continue };
            if self.queues[id as usize].waiting.packets() == 0 {
                self.move_to(id, Set::Idle);
                let queue = &mut self.queues[id as usize];
                (queue.deficit, queue.aqm) = (0, self.tins[tin].fresh.clone());
            }
        }
    }

    fn reserve(&mut self, packets: u32, flows: u32) {
        // an arriving packet is stored before another one is dropped to make room
        self.packets.reserve(packets.saturating_add(1));
        let queues = flows.min(self.plan.flows).saturating_mul(self.tins.len() as u32);
        self.queues.reserve(queues as usize);
        if let Some(filter) = &mut self.filter {
            filter.reserve(packets.saturating_add(1), flows);
        }
        self.fattest.reserve(queues);
        self.tins.iter_mut().for_each(|tin| tin.rotation.reserve(queues, flows));
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        let total = |of: fn(&Tin) -> u32| f64::from(self.tins.iter().map(of).sum::<u32>());
        show("sparse_flows", total(|tin| tin.sparse.len()));
        show("bulk_flows", total(|tin| tin.rotation.bulk_queues()));
        show("decaying_flows", total(|tin| tin.decaying.len()));
    }
}

/// Two thirds of this rate.
fn two_thirds(rate: Rate) -> Rate {
    Rate::from_bits_per_second((u128::from(rate.bits_per_second()) * 2 / 3) as u64)
}

//! The tins of CAKE, their queues, and the choice of the next packet.

use super::super::packet_slab::{PacketSlab, Taken};
use super::super::salted_hash::SaltedHash;
use super::super::upper_bound_heap::UpperBoundHeap;
use super::super::{Discipline, DropBudget, Env, Next, Probe};
use super::deficit_shaper::DeficitShaper;
use super::ends::Ends;
use super::queue::{Queue, Set};
use super::rotation::Rotation;
use super::rounding::Dithers;
use super::set_associative_hash::SetAssociativeHash;
use super::settings::CakeSettings;
use super::tins::Entitlement;
use crate::aqm::{Backlog, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, SideInformation};
use crate::law::cobalt::Cobalt;
use crate::list::{List, NONE};
use alloc::vec::Vec;
use core::cmp::Reverse;
use penstock_core::{Limit, Packet, PacketMeta, Rare, Rate, Rng, Time, math};

/// Bytes that a tin of weight 1 may send in a turn.
const TIN_QUANTUM: f64 = 1024.0;

struct Tin {
    entitlement: Entitlement,
    /// When the tin is back below its threshold.
    threshold: DeficitShaper,
    deficit: f64,
    /// Waiting packets.
    packets: u32,
    ways: SetAssociativeHash,
    sparse: List,
    rotation: Rotation,
    decaying: List,
    /// The law in its initial state, cloned for each new queue.
    fresh: Cobalt,
}

impl Tin {
    /// Credit of the tin in a round.
    fn credit(&self, now: Time) -> f64 {
        let Entitlement { priority, share } = self.entitlement;
        TIN_QUANTUM * if self.threshold.next() <= now { priority } else { share }
    }
}

/// The tins and queues of CAKE behind its shaper.
pub(super) struct CakeQueue<P> {
    plan: CakeSettings,
    packets: PacketSlab<P>,
    /// Queues that have been used, of all tins.
    queues: Vec<Queue>,
    tins: Vec<Tin>,
    /// The tin whose turn it is.
    turn: usize,
    hash: SaltedHash,
    /// Queues by their bytes; of equally long ones, the first.
    fattest: UpperBoundHeap<(u64, Reverse<u32>)>,
    shaper: Option<DeficitShaper>,
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
            fresh: plan.law(entitlement.share, link, start),
        };
        let mut queues = Self {
            packets: PacketSlab::new(),
            queues: Vec::new(),
            tins: plan.diffserv.tins().iter().map(tin).collect(),
            turn: 0,
            hash: SaltedHash::default(),
            fattest: UpperBoundHeap::new(),
            shaper: plan.bandwidth.map(DeficitShaper::new),
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
            // 4096 turns a second, limited so that turns are not too many and not larger than a packet: with a larger
            // quantum, a queue that sends one packet at a time would never be in debt and always be served first
            let quantum = (rate.bits_per_second() / 8 / 4096).clamp(300, link.mtu.0.max(300)) as u32;
            tin.rotation.set_quantum(&mut self.queues, quantum);
            tin.fresh = self.plan.law(tin.entitlement.share, link, self.start);
        }
        for queue in &mut self.queues {
            queue.law.follow(&self.tins[usize::from(queue.tin)].fresh);
        }
    }

    /// The queue of a packet, which from now on counts for the hosts of this packet.
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
            let law = self.tins[tin].fresh.clone();
            self.queues.push(Queue::new(tin as u8, ends, dithers, law));
        } else if is_new {
            match self.queues[id as usize].set {
                Set::Bulk | Set::Waiting => self.tins[tin].rotation.change_hosts(&mut self.queues, id, ends),
                Set::Idle | Set::Sparse | Set::Decaying => self.queues[id as usize].ends = ends,
            }
        }
        id
    }

    /// Move queue `id` from its present list to the end of another. A queue that joins the round robin is given credit.
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

    /// Remove the packet at the head of queue `id`.
    fn take(&mut self, id: u32) -> Option<(Time, PacketMeta, P)> {
        let queue = &mut self.queues[id as usize];
        let Taken { packet, enqueued } = self.packets.pop(&mut queue.waiting)?;
        self.tins[usize::from(queue.tin)].packets -= 1;
        Some((enqueued, packet.meta(), packet))
    }

    /// Drop packets from the head of the longest queue until the limit holds.
    fn make_room(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>) {
        while self.packets.is_overfull(self.limit) {
            let queues = &self.queues;
            let key = |id: u32| Some((queues[id as usize].waiting.weight(), Reverse(id)));
            let Some((_, id)) = self.fattest.top(queues.len() as u32, key) else { return };
            let Some((enqueued, _, packet)) = self.take(id) else { return };
            self.queues[id as usize].law.overflowed(env.now);
            self.packets.total().evict(env, &packet, enqueued);
        }
    }

    /// Select the next tin. At least one tin must have packets.
    fn select_tin(&mut self, now: Time) -> usize {
        if self.shaper.is_some() { self.scheduled_tin(now) } else { self.tin_in_turn(now) }
    }

    /// The most urgent tin within its schedule; if no tin is, the one that will be first.
    fn scheduled_tin(&self, now: Time) -> usize {
        let busy = || self.plan.diffserv.by_urgency().iter().copied().filter(|&tin| self.tins[tin].packets > 0);
        let due = |&tin: &usize| self.tins[tin].threshold.next();
        busy().find(|tin| due(tin) <= now).or_else(|| busy().min_by_key(due)).unwrap_or(0)
    }

    /// The next tin by weighted round robin. The weight is the priority below the threshold and the share above it.
    fn tin_in_turn(&mut self, now: Time) -> usize {
        let mut turns = 0;
        loop {
            let tin = &mut self.tins[self.turn];
            if tin.packets > 0 && tin.deficit > 0.0 {
                return self.turn;
            }
            if tin.packets == self.packets.len() {
                return self.turn_of_only_tin(now);
            }
            if turns == self.tins.len() {
                self.skip_rounds_of_tins(now);
                turns = 0;
            }
            self.turn = (self.turn + 1) % self.tins.len();
            turns += 1;
            let tin = &mut self.tins[self.turn];
            tin.deficit = if tin.packets == 0 { 0.0 } else { tin.deficit + tin.credit(now) };
        }
    }

    /// Only the tin whose turn it is has packets: skip turns until it may send.
    fn turn_of_only_tin(&mut self, now: Time) -> usize {
        let turn = self.turn;
        let others = self.tins.iter_mut().enumerate().filter(|&(tin, _)| tin != turn);
        others.for_each(|(_, tin)| tin.deficit = 0.0);
        let tin = &mut self.tins[turn];
        let credit = tin.credit(now);
        tin.deficit += (math::floor(-tin.deficit / credit) + 1.0) * credit;
        turn
    }

    /// Give all tins with packets the credits of those next rounds in which none of them could send. The sums are
    /// exact, since all credits are multiples of 2^-11.
    fn skip_rounds_of_tins(&mut self, now: Time) {
        let rounds = |tin: &Tin| math::floor((-tin.deficit).max(0.0) / tin.credit(now));
        let busy = self.tins.iter().filter(|tin| tin.packets > 0);
        let rounds = busy.map(rounds).fold(f64::INFINITY, f64::min);
        for tin in self.tins.iter_mut().filter(|tin| tin.packets > 0) {
            tin.deficit += rounds * tin.credit(now);
        }
    }

    /// Queue `id` was found empty.
    fn leave_empty(&mut self, id: u32, now: Time) {
        let law = &mut self.queues[id as usize].law;
        law.emptied(now);
        let set = if law.is_at_rest(now) { Set::Idle } else { Set::Decaying };
        self.move_to(id, set);
    }

    /// DRR++: serve the sparse queues first, then the bulk queues; a queue that has used up its credit joins the bulk
    /// queues.
    fn serve(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, tin: usize, budget: &mut DropBudget) -> Next<P> {
        // the law of one of the decaying queues may be at rest by now
        if let Some(id) = self.tins[tin].decaying.head() {
            self.leave_empty(id, env.now);
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

    /// The next packet of this queue that its law does not drop; the last packet of a queue may be marked, but is not
    /// dropped.
    fn serve_queue(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        id: u32,
        budget: &mut DropBudget,
    ) -> Next<P> {
        while let Some((enqueued, meta, mut packet)) = self.take(id) {
            let queue = &mut self.queues[id as usize];
            let verdict = queue.law.judge(env.now, enqueued, meta.ecn, env.rng);
            let is_mark = matches!(verdict, Verdict::Mark(_)) && meta.ecn.is_capable();
            let verdict = if queue.waiting.packets() > 0 || is_mark { verdict } else { Verdict::Pass };
            if self.packets.total().release(env, &mut packet, meta.ecn, enqueued, verdict) {
                self.charge(env.now, id, meta.size.saturating_add(self.plan.overhead));
                return Next::Send(packet);
            }
            if budget.spend() {
                return Next::NotBefore(env.now);
            }
        }
        Next::Empty
    }

    /// Queue `id` has sent `size` bytes on the wire.
    fn charge(&mut self, now: Time, id: u32, size: u32) {
        let queue = &mut self.queues[id as usize];
        let tin = &mut self.tins[usize::from(queue.tin)];
        queue.deficit -= i64::from(size);
        if let Some(shaper) = &mut self.shaper {
            tin.threshold.run_ahead(now, size);
            shaper.advance(size);
        } else {
            tin.threshold.advance(size);
            tin.deficit -= f64::from(size);
        }
    }
}

impl<P: Packet + Send, W: Probe<P> + ?Sized> Discipline<P, W> for CakeQueue<P> {
    fn capabilities(&self) -> Capabilities {
        let wants_hosts = self.plan.isolation.wants_hosts();
        let side = if wants_hosts { SideInformation::HostsAtArrival } else { SideInformation::Unused };
        Capabilities::DEPARTURES.with_side(side)
    }

    fn is_fifo(&self) -> bool {
        false
    }

    fn enqueue(&mut self, env: &mut Env<'_, P, W>, packet: P) {
        let meta = packet.meta();
        let hosts = if self.plan.isolation.wants_hosts() { env.facts.rare(&packet) } else { Rare::default() };
        let tin = self.plan.diffserv.tin(meta.dscp);
        let id = self.queue_of(tin, &meta, hosts, env.rng);
        if let Some(shaper) = self.shaper.as_mut().filter(|_| self.packets.len() == 0) {
            shaper.catch_up(env.now);
        }
        if self.tins[tin].packets == 0 {
            self.tins[tin].threshold.catch_up(env.now);
        }
        self.packets.push_reported(env, &mut self.queues[id as usize].waiting, &packet, ());
        self.tins[tin].packets += 1;
        match self.queues[id as usize].set {
            Set::Idle | Set::Decaying => {
                self.move_to(id, Set::Sparse);
                self.queues[id as usize].deficit = 0;
                self.tins[tin].rotation.give_credit(&mut self.queues[id as usize]);
            }
            Set::Waiting => {
                self.queues[id as usize].set = Set::Bulk;
                self.tins[tin].rotation.becomes_bulk(&mut self.queues, id);
            }
            Set::Sparse | Set::Bulk => {}
        }
        self.fattest.raise(id, || (self.queues[id as usize].waiting.weight(), Reverse(id)));
        self.make_room(env);
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
        let Some(hash) = self.plan.isolation.flow_key(flow).and_then(|key| self.hash.known_hash(key)) else { return };
        for tin in 0..self.tins.len() {
            let Some(id) = self.tins[tin].ways.known(hash) else { continue };
            if self.queues[id as usize].waiting.packets() == 0 {
                self.move_to(id, Set::Idle);
                let queue = &mut self.queues[id as usize];
                (queue.deficit, queue.law) = (0, self.tins[tin].fresh.clone());
            }
        }
    }

    fn reserve(&mut self, packets: u32, flows: u32) {
        // an arriving packet is stored before another one is dropped to make room
        self.packets.reserve(packets.saturating_add(1));
        let queues = flows.min(self.plan.flows).saturating_mul(self.tins.len() as u32);
        self.queues.reserve(queues as usize);
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

//! The tins of CAKE, their queues, and the choice of the next packet.

use super::super::packet_slab::{PacketSlab, Taken};
use super::super::salted_hash::SaltedHash;
use super::super::upper_bound_heap::UpperBoundHeap;
use super::super::{Discipline, DropBudget, Env, Next, Probe};
use super::deficit_shaper::DeficitShaper;
use super::hosts::{Ends, HostLoads};
use super::queue::{Queue, Set};
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

/// If no queue can send for this many rounds, the queues get the credits of all these rounds in one step. Each round
/// adds at least one byte, so packets below 16 kB never need that many rounds.
const MANY_ROUNDS: i64 = 16_384;

struct Tin {
    entitlement: Entitlement,
    /// When the tin is back below its threshold.
    threshold: DeficitShaper,
    deficit: f64,
    /// Waiting packets.
    packets: u32,
    /// Credit of a queue in a round.
    quantum: u32,
    ways: SetAssociativeHash,
    sparse: List,
    bulk: List,
    decaying: List,
    bulk_queues: u32,
    hosts: HostLoads,
    /// The law in its initial state, cloned for each new queue.
    fresh: Cobalt,
}

impl Tin {
    /// Credit of the tin in a round.
    fn credit(&self, now: Time) -> f64 {
        let Entitlement { priority, share } = self.entitlement;
        TIN_QUANTUM * if self.threshold.next() <= now { priority } else { share }
    }

    fn list(&mut self, set: Set) -> Option<&mut List> {
        match set {
            Set::Idle => None,
            Set::Sparse => Some(&mut self.sparse),
            Set::Waiting | Set::Bulk => Some(&mut self.bulk),
            Set::Decaying => Some(&mut self.decaying),
        }
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
            quantum: 0,
            ways: SetAssociativeHash::new(plan.flows),
            sparse: List::EMPTY,
            bulk: List::EMPTY,
            decaying: List::EMPTY,
            bulk_queues: 0,
            hosts: HostLoads::default(),
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
            tin.quantum = (rate.bits_per_second() / 8 / 4096).clamp(300, link.mtu.0.max(300)) as u32;
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
            let law = self.tins[tin].fresh.clone();
            self.queues.push(Queue::new(tin as u8, ends, law));
        } else if is_new {
            let queue = &mut self.queues[id as usize];
            if queue.set == Set::Bulk {
                self.tins[tin].hosts.remove(queue.ends);
                self.tins[tin].hosts.add(ends);
            }
            queue.ends = ends;
        }
        id
    }

    /// Move queue `id` from its present list to the end of another.
    fn move_to(&mut self, id: u32, set: Set) {
        let queue = &mut self.queues[id as usize];
        let tin = &mut self.tins[usize::from(queue.tin)];
        let (left, ends) = (core::mem::replace(&mut queue.set, set), queue.ends);
        if let Some(list) = tin.list(left) {
            list.remove(&mut self.queues, id);
        }
        if let Some(list) = tin.list(set) {
            list.push(&mut self.queues, id);
        }
        self.count_bulk(id, left == Set::Bulk, set == Set::Bulk, ends);
    }

    fn count_bulk(&mut self, id: u32, was: bool, is: bool, ends: Ends) {
        let tin = &mut self.tins[usize::from(self.queues[id as usize].tin)];
        if is && !was {
            tin.bulk_queues += 1;
            tin.hosts.add(ends);
        } else if was && !is {
            tin.bulk_queues -= 1;
            tin.hosts.remove(ends);
        }
    }

    fn credit(&mut self, id: u32, rng: &mut Rng) -> i64 {
        let queue = &self.queues[id as usize];
        let tin = &self.tins[usize::from(queue.tin)];
        tin.hosts.quanta(tin.quantum, 1, self.plan.isolation, queue.ends, rng)
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
            let tin = &self.tins[self.turn];
            if tin.packets > 0 && tin.deficit > 0.0 {
                return self.turn;
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

    /// Give the bulk queues credit in turn, until the next one has credit above 0. If a host has many bulk queues, one
    /// packet costs many rounds; these change only the credits and the turn.
    fn share_out(&mut self, tin: usize, rng: &mut Rng) {
        while self.skip_rounds(tin, rng) {}
        let Tin { bulk, hosts, quantum, .. } = &mut self.tins[tin];
        let Some(mut id) = bulk.head() else { return };
        while self.queues[id as usize].deficit <= 0 {
            let queue = &mut self.queues[id as usize];
            queue.deficit += hosts.quanta(*quantum, 1, self.plan.isolation, queue.ends, rng);
            id = bulk.after(&self.queues, id);
        }
        bulk.rotate_to(&mut self.queues, id);
    }

    /// If no bulk queue can send in the next `MANY_ROUNDS` rounds, give all of them the credits of all rounds in which
    /// none could send. Returns whether that was the case.
    fn skip_rounds(&mut self, tin: usize, rng: &mut Rng) -> bool {
        let Tin { bulk, hosts, quantum, .. } = &self.tins[tin];
        let Some(first) = bulk.head().filter(|&id| self.queues[id as usize].deficit <= -MANY_ROUNDS) else {
            return false;
        };
        let (mut id, mut rounds) = (first, i64::MAX);
        for _ in 0..bulk.len() {
            let queue = &self.queues[id as usize];
            rounds = rounds.min(-queue.deficit / hosts.largest_quantum(*quantum, self.plan.isolation, queue.ends));
            id = bulk.after(&self.queues, id);
        }
        if rounds < MANY_ROUNDS {
            return false;
        }
        for _ in 0..bulk.len() {
            let queue = &mut self.queues[id as usize];
            queue.deficit += hosts.quanta(*quantum, rounds.unsigned_abs(), self.plan.isolation, queue.ends, rng);
            id = bulk.after(&self.queues, id);
        }
        true
    }

    /// DRR++: serve the sparse queues first, then the bulk queues; a queue that has used up its credit joins the bulk
    /// queues.
    fn serve(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, tin: usize, budget: &mut DropBudget) -> Next<P> {
        // the law of one of the decaying queues may be at rest by now
        if let Some(id) = self.tins[tin].decaying.head() {
            self.leave_empty(id, env.now);
        }
        loop {
            if self.tins[tin].sparse.head().is_none() {
                self.share_out(tin, env.rng);
            }
            let Some(id) = self.tins[tin].sparse.head().or(self.tins[tin].bulk.head()) else { return Next::Empty };
            let queue = &self.queues[id as usize];
            if queue.deficit <= 0 {
                self.move_to(id, if queue.waiting.packets() == 0 { Set::Waiting } else { Set::Bulk });
                let credit = self.credit(id, env.rng);
                self.queues[id as usize].deficit += credit;
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
        let side = if self.plan.isolation.wants_hosts() { SideInformation::Rare } else { SideInformation::Unused };
        Capabilities { side, ..Capabilities::DEPARTURES }
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
                self.queues[id as usize].deficit = self.credit(id, env.rng);
            }
            Set::Waiting => {
                self.queues[id as usize].set = Set::Bulk;
                self.count_bulk(id, false, true, self.queues[id as usize].ends);
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
        let lists = self.tins.iter().flat_map(|tin| [tin.sparse, tin.bulk]);
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
        self.tins.iter_mut().for_each(|tin| tin.hosts.reserve(flows));
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        let total = |of: fn(&Tin) -> u32| f64::from(self.tins.iter().map(of).sum::<u32>());
        show("sparse_flows", total(|tin| tin.sparse.len()));
        show("bulk_flows", total(|tin| tin.bulk_queues));
        show("decaying_flows", total(|tin| tin.decaying.len()));
    }
}

//! The round robin over the bulk queues of a tin. A turn in which a queue cannot send only adds to its credit. Such turns are
//! skipped, and their credits are added before they can affect a result.

use super::ends::{DST, Ends, SRC};
use super::hosts::{HostLoads, Isolation};
use super::queue::{Queue, Set};
use super::shares::{Share, Shares};
use super::turns::{Calendar, Due, Turn};
use crate::list::{self, Linked, List, NONE};
use alloc::vec::Vec;

/// Distance between the places of two queues that joined consecutively.
const STEP: u64 = 1 << 32;

/// A turn is planned earlier by one part in this many: otherwise each decrease of the load would move it, and turns
/// would be planned more than twice as often.
const MARGIN: u64 = 16;

/// The bulk queues of a tin, and the queues that become bulk with their next packet, in the order of their turns.
///
/// In each round every queue has one turn: it sends while its credit is above 0, and is then given the credit of the round.
pub(super) struct Rotation {
    isolation: Isolation,
    /// The quantum divided by each load.
    shares: Shares,
    hosts: HostLoads,
    /// Number of bulk queues.
    bulk: u32,
    /// All queues, by their places.
    queues: List,
    /// The present round, and the queue whose turn it is. Queues in places before it have had their turn in this round.
    round: u64,
    turn: u32,
    /// The queues by the first turn at which they may be able to send.
    calendar: Calendar,
}

impl Rotation {
    pub(super) fn new(isolation: Isolation) -> Self {
        Self {
            isolation,
            shares: Shares::new(1),
            hosts: HostLoads::default(),
            bulk: 0,
            queues: List::EMPTY,
            round: 1,
            turn: NONE,
            calendar: Calendar::default(),
        }
    }

    pub(super) fn reserve(&mut self, queues: u32, hosts: u32) {
        self.calendar.reserve(queues);
        self.shares.reserve(queues);
        if self.isolation.divides_among_hosts() {
            self.hosts.reserve(hosts);
        }
    }

    pub(super) fn queues(&self) -> List {
        self.queues
    }

    /// Number of bulk queues.
    pub(super) fn bulk_queues(&self) -> u32 {
        self.bulk
    }

    pub(super) fn set_quantum(&mut self, queues: &mut [Queue], quantum: u32) {
        if quantum == self.shares.quantum() {
            return;
        }
        let members: Vec<u32> =
            core::iter::successors(self.queues.head(), |&id| list::next::<0, _>(queues, id)).collect();
        for &id in &members {
            self.settle(queues, id);
        }
        self.shares.set_quantum(quantum);
        for &id in &members {
            self.reschedule(queues, id);
        }
    }

    /// The first queue in turn with credit above 0. Queues that have their turn before it are given their credits.
    #[inline]
    pub(super) fn select(&mut self, queues: &mut [Queue]) -> Option<u32> {
        loop {
            let (due, id) = self.calendar.first(|id| queues[id as usize].turn.due)?;
            (self.round, self.turn) = (due.round(), id);
            let queue = &mut queues[id as usize];
            self.credit_until(queue, self.round - 1);
            if queue.deficit > 0 {
                return Some(id);
            }
            let due = self.plan_turn(queue);
            self.calendar.postpone_first(due);
        }
    }

    /// Give a queue that has no turns the credit of one round.
    #[inline]
    pub(super) fn give_credit(&mut self, queue: &mut Queue) {
        queue.turn.load = self.hosts.load(self.isolation, queue.ends);
        self.credit(queue, 1);
    }

    /// Queue `id` joins as the last queue in the order of turns. It is given the credit of a round.
    #[inline]
    pub(super) fn join(&mut self, queues: &mut [Queue], id: u32) {
        if queues[id as usize].set == Set::Bulk {
            self.change_load(queues, id, 1);
        }
        let place = self.insert(queues, id);
        self.hosts.join(self.isolation, queues, id);
        let has_had_turn = self.turn != id && place < queues[self.turn as usize].turn.place;
        let queue = &mut queues[id as usize];
        queue.turn.credited = self.round - u64::from(!has_had_turn);
        self.give_credit(queue);
        self.reschedule(queues, id);
    }

    /// Queue `id`, which is in this set, leaves.
    #[inline]
    pub(super) fn leave(&mut self, queues: &mut [Queue], id: u32, set: Set) {
        if id == self.turn {
            self.turn = self.queues.after(queues, id);
            self.round += u64::from(Some(self.turn) == self.queues.head());
        }
        self.queues.remove(queues, id);
        queues[id as usize].turn.due = Due::NEVER;
        if self.queues.len() == 0 {
            self.turn = NONE;
        }
        self.hosts.leave(self.isolation, queues, id);
        if set == Set::Bulk {
            self.change_load(queues, id, -1);
        }
    }

    /// Queue `id`, a member, is bulk from now on.
    pub(super) fn becomes_bulk(&mut self, queues: &mut [Queue], id: u32) {
        self.change_load(queues, id, 1);
    }

    /// Queue `id`, a member, belongs to these hosts from now on.
    pub(super) fn change_hosts(&mut self, queues: &mut [Queue], id: u32, ends: Ends) {
        let is_bulk = queues[id as usize].set == Set::Bulk;
        if is_bulk {
            self.change_load(queues, id, -1);
        }
        self.hosts.leave(self.isolation, queues, id);
        self.settle(queues, id);
        queues[id as usize].ends = ends;
        self.hosts.join(self.isolation, queues, id);
        if is_bulk {
            self.change_load(queues, id, 1);
        }
        queues[id as usize].turn.load = self.hosts.load(self.isolation, ends);
        self.reschedule(queues, id);
    }

    /// Put queue `id` in the place just before the queue whose turn it is.
    fn insert(&mut self, queues: &mut [Queue], id: u32) -> u64 {
        let previous =
            |queues: &[Queue], turn: u32| queues[queues[turn as usize].links[0].previous as usize].turn.place;
        let place = match self.queues.tail() {
            None => {
                self.turn = id;
                self.queues.push(queues, id);
                0
            }
            // before the first place of the next round
            Some(last) if Some(self.turn) == self.queues.head() => {
                self.queues.push(queues, id);
                queues[last as usize].turn.place + STEP
            }
            Some(_) => {
                if queues[self.turn as usize].turn.place - previous(queues, self.turn) < 2 {
                    self.spread(queues);
                }
                let (low, high) = (previous(queues, self.turn), queues[self.turn as usize].turn.place);
                self.queues.insert_before(queues, id, self.turn);
                low.midpoint(high)
            }
        };
        queues[id as usize].turn.place = place;
        place
    }

    /// Give all queues new places at equal distances.
    #[cold]
    fn spread(&mut self, queues: &mut [Queue]) {
        let (mut place, mut next) = (0, self.queues.head());
        while let Some(id) = next {
            let turn = &mut queues[id as usize].turn;
            (turn.place, turn.due) = (place, Due::new(turn.due.round(), place));
            place += STEP;
            next = list::next::<0, _>(queues, id);
        }
        self.rebuild_calendar(queues);
    }

    #[cold]
    fn rebuild_calendar(&mut self, queues: &[Queue]) {
        let ids = core::iter::successors(self.queues.head(), |&id| list::next::<0, _>(queues, id));
        self.calendar.rebuild(ids.map(|id| (queues[id as usize].turn.due, id)));
    }

    /// Change the number of bulk queues of the hosts of queue `id` by one. Queues of these hosts are given the credits
    /// due at their present load before it changes.
    fn change_load(&mut self, queues: &mut [Queue], id: u32, change: i32) {
        self.bulk = self.bulk.saturating_add_signed(change);
        if !self.isolation.divides_among_hosts() {
            return;
        }
        let ends = queues[id as usize].ends;
        self.hosts.count(ends, change);
        if self.isolation.divides_sources() {
            let (members, load) = self.hosts.from(ends.src);
            self.update_loads::<SRC>(queues, members, load, change);
        }
        if self.isolation.divides_destinations() {
            let (members, load) = self.hosts.to(ends.dst);
            self.update_loads::<DST>(queues, members, load, change);
        }
    }

    /// The load of a host with these members has changed to `host_load`.
    fn update_loads<const HOST: usize>(
        &mut self,
        queues: &mut [Queue],
        members: List<HOST>,
        host_load: u32,
        change: i32,
    ) where
        Queue: Linked<HOST>,
    {
        let turn_place = self.turn_place(queues);
        let mut next = members.head();
        while let Some(id) = next {
            next = list::next::<HOST, _>(queues, id);
            let queue = &mut queues[id as usize];
            // the queue's other host may have as many bulk queues
            let load = if change > 0 {
                queue.turn.load.max(host_load)
            } else if queue.turn.load > host_load + 1 {
                queue.turn.load
            } else {
                self.hosts.load(self.isolation, queue.ends)
            };
            if load != queue.turn.load {
                self.settle_before(queue, turn_place);
                queue.turn.load = load;
                if load < queue.turn.least_load {
                    self.reschedule(queues, id);
                }
            }
        }
    }

    /// Give queue `id` the credits of all its turns that have passed.
    fn settle(&mut self, queues: &mut [Queue], id: u32) {
        let turn_place = self.turn_place(queues);
        self.settle_before(&mut queues[id as usize], turn_place);
    }

    /// Like [`Rotation::settle`], with the place of the queue whose turn it is.
    #[inline]
    fn settle_before(&mut self, queue: &mut Queue, turn_place: u64) {
        self.credit_until(queue, self.round - u64::from(queue.turn.place >= turn_place));
    }

    /// The place of the queue whose turn it is; 0 if there is no queue.
    fn turn_place(&self, queues: &[Queue]) -> u64 {
        queues.get(self.turn as usize).map_or(0, |queue| queue.turn.place)
    }

    /// Give a queue the credits of all rounds up to this one.
    #[inline]
    fn credit_until(&mut self, queue: &mut Queue, round: u64) {
        let rounds = round - queue.turn.credited;
        queue.turn.credited = round;
        if rounds > 0 {
            self.credit(queue, rounds);
        }
    }

    /// Add the credits of this number of rounds: each the quantum divided by the load, rounded up or down at random.
    fn credit(&mut self, queue: &mut Queue, rounds: u64) {
        let Turn { load, credits, .. } = &mut queue.turn;
        let Share { whole, fraction } = self.shares.of(*load);
        let rounded_up = queue.dithers.count_below(*credits, rounds, fraction);
        queue.deficit += (u64::from(whole) * rounds + rounded_up).cast_signed();
        *credits += rounds;
    }

    /// Compute the first turn at which this queue may be able to send. All its credits up to now must have been added.
    #[inline]
    fn plan_turn(&mut self, queue: &mut Queue) -> Due {
        let Turn { place, load, credited, due, least_load, .. } = &mut queue.turn;
        if queue.deficit > 0 {
            (*due, *least_load) = (Due::new(*credited + 1, *place), 0);
            return *due;
        }
        let debt = queue.deficit.unsigned_abs();
        let rounds = debt / u64::from(self.shares.of(*load).ceil());
        let rounds = rounds - rounds / MARGIN;
        // the largest credit per round at which the debt lasts that long, and the smallest load that gives this credit
        let quantum = u64::from(self.shares.quantum());
        *least_load = debt.checked_div(rounds).map_or(0, |credit| quantum.div_ceil(credit) as u32);
        *due = Due::new(*credited + 2 + rounds, *place);
        *due
    }

    /// Update the turn of queue `id` in the calendar.
    fn reschedule(&mut self, queues: &mut [Queue], id: u32) {
        let due = self.plan_turn(&mut queues[id as usize]);
        self.calendar.insert(due, id);
        if self.calendar.len() > 2 * self.queues.len() as usize + 64 {
            self.rebuild_calendar(queues);
        }
    }
}

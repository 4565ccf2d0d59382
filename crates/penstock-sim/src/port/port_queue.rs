//! The queue of a port: its discipline, with the random stream, the timer and the statistics that each operation needs.

use super::{PortDiscipline, Surroundings};
use crate::event_queue::EventQueue;
use crate::packet::SimPacket;
use crate::tally::Tally;
use penstock_aqm::{Env, Next};
use penstock_core::{Rng, Time};
use penstock_link::Loss;
use penstock_link::probe::queue::QueueStats;

/// The queue of a port. The statistics of the run count its operations.
pub(crate) struct PortQueue {
    pub(crate) discipline: PortDiscipline,
    pub(crate) rng: Rng,
    /// Losses of the link in front of the queue.
    pub(crate) loss: Option<Box<Loss>>,
    /// Whether the discipline's timer may move at every operation.
    pub(crate) timer_moves: bool,
    pub(crate) outlet: Outlet,
}

/// The numbers of a port and its link, and the ranks of the port in the event queue.
#[derive(Clone, Copy)]
pub(crate) struct Outlet {
    /// Number of the port.
    pub(crate) port: u32,
    /// Number of the link.
    pub(crate) link: u32,
    /// Rank of the end of a transmission, or of the deadline of a departure.
    pub(crate) rank: u32,
    /// Rank of the discipline's timer.
    pub(crate) timer_rank: u32,
}

impl PortQueue {
    /// Bring the statistics up to `now`.
    pub(crate) fn settle(&self, now: Time, stats: &mut QueueStats) {
        if stats.is_due(now) {
            stats.sample(now, |show| self.discipline.gauges(show));
        }
        stats.advance(now);
    }

    /// Whether the link loses the packet in front of the queue.
    #[inline]
    pub(crate) fn is_lost(&mut self, now: Time, tally: &mut Tally, packet: &SimPacket) -> bool {
        self.loss.is_some() && self.draw_loss(now, tally, packet)
    }

    #[inline(never)]
    fn draw_loss(&mut self, now: Time, tally: &mut Tally, packet: &SimPacket) -> bool {
        let lost = self.loss.as_mut().is_some_and(|loss| loss.loses());
        if lost {
            tally.lose_in_front(now, self.outlet.port, self.outlet.link, packet);
        }
        lost
    }

    /// Schedule the discipline's timer.
    pub(crate) fn set_timer(&self, events: &mut EventQueue) {
        events.set(self.outlet.timer_rank, self.discipline.next_timeout().unwrap_or(Time::NEVER));
    }

    /// Schedule the discipline's timer after an operation, if it may move at every operation.
    #[inline]
    pub(crate) fn update_timer(&self, events: &mut EventQueue) {
        if self.timer_moves {
            self.set_timer(events);
        }
    }

    /// The discipline and its surroundings for one operation; due samples are taken first. (The caller performs the
    /// operation: a closure would not be inlined.)
    #[inline]
    pub(crate) fn begin<'a>(
        &'a mut self,
        now: Time,
        around: &'a mut Surroundings<'_>,
    ) -> (&'a mut PortDiscipline, Env<'a, SimPacket, Tally>) {
        let Self { discipline, rng, outlet, .. } = self;
        let Surroundings { tally, facts, .. } = around;
        let stats = &mut tally.queues[outlet.port as usize];
        if stats.is_due(now) {
            stats.sample(now, |show| discipline.gauges(show));
        }
        tally.port = outlet.port;
        (discipline, Env { now, rng, probe: tally, facts: *facts })
    }

    /// The discipline's answer to a free transmitter or to a device queue with room.
    #[inline]
    pub(crate) fn dequeue(&mut self, now: Time, around: &mut Surroundings<'_>) -> Next<SimPacket> {
        let (discipline, env) = self.begin(now, around);
        let next = discipline.dequeue(env);
        self.update_timer(around.events);
        next
    }
}

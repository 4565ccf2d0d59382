//! The handover from one queue to another during a live run: the old queue first sends its waiting packets.

use super::BoxedDiscipline as Queue;
use crate::packet::SimPacket;
use crate::tally::Tally;
use penstock_aqm::{Backlog, Capabilities, Discipline, Env, LinkInfo, Next, TimerMoves};
use penstock_core::Time;

/// A queue and, until it is empty, the queue that it replaced.
pub(crate) struct Handover {
    before: Option<Queue>,
    queue: Queue,
}

impl Handover {
    /// `queue` replaces `before`, whose waiting packets are sent first.
    pub(crate) fn new(before: Queue, queue: Queue) -> Self {
        Self { before: (before.backlog().packets > 0).then_some(before), queue }
    }

    fn both(&self) -> impl Iterator<Item = &Queue> {
        self.before.iter().chain([&self.queue])
    }

    fn both_mut(&mut self) -> impl Iterator<Item = &mut Queue> {
        self.before.iter_mut().chain([&mut self.queue])
    }
}

/// Performs an operation on one queue, whose reports count only its own packets, while `others` packets wait in the
/// other queue.
fn with_others_waiting<T>(
    env: &mut Env<'_, SimPacket, Tally>,
    others: u32,
    operation: impl FnOnce(&mut Env<'_, SimPacket, Tally>) -> T,
) -> T {
    let port = env.probe.port as usize;
    env.probe.queues[port].device.packets = others;
    let result = operation(env);
    env.probe.queues[port].device.packets = 0;
    result
}

fn waiting(queue: Option<&Queue>) -> u32 {
    queue.map_or(0, |queue| queue.backlog().packets)
}

impl Discipline<SimPacket, Tally> for Handover {
    fn capabilities(&self) -> Capabilities {
        let both = self.both().map(|queue| queue.capabilities()).reduce(Capabilities::union);
        // The timer of the old queue ends together with that queue, at a departure.
        both.unwrap_or(Capabilities::ARRIVALS).with_timer(TimerMoves::Always)
    }

    fn is_fifo(&self) -> bool {
        self.both().all(|queue| queue.is_fifo())
    }

    fn enqueue(&mut self, env: &mut Env<'_, SimPacket, Tally>, packet: SimPacket) {
        let others = waiting(self.before.as_ref());
        let queue = &mut self.queue;
        with_others_waiting(env, others, |env| queue.enqueue(env, packet));
    }

    fn dequeue(&mut self, env: &mut Env<'_, SimPacket, Tally>) -> Next<SimPacket> {
        if let Some(before) = &mut self.before {
            match with_others_waiting(env, waiting(Some(&self.queue)), |env| before.dequeue(env)) {
                Next::Empty => self.before = None,
                next => return next,
            }
        }
        self.queue.dequeue(env)
    }

    fn backlog(&self) -> Backlog {
        let mut all = self.queue.backlog();
        if let Some(before) = &self.before {
            let first = before.backlog();
            all.packets += first.packets;
            all.bytes += first.bytes;
            all.oldest = first.oldest.or(all.oldest);
        }
        all
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.both_mut().for_each(|queue| queue.on_link(now, link));
    }

    fn forget_flow(&mut self, now: Time, flow: u32) {
        self.both_mut().for_each(|queue| queue.forget_flow(now, flow));
    }

    fn reserve(&mut self, packets: u32, flows: u32) {
        self.both_mut().for_each(|queue| queue.reserve(packets, flows));
    }

    fn next_timeout(&self) -> Option<Time> {
        self.both().filter_map(|queue| queue.next_timeout()).min()
    }

    fn on_timeout(&mut self, env: &mut Env<'_, SimPacket, Tally>) {
        let now = env.now;
        let is_due = |queue: &Queue| queue.next_timeout().is_some_and(|time| time <= now);
        let others = waiting(Some(&self.queue));
        if let Some(before) = self.before.as_mut().filter(|before| is_due(before)) {
            with_others_waiting(env, others, |env| before.on_timeout(env));
        }
        if is_due(&self.queue) {
            let others = waiting(self.before.as_ref());
            let queue = &mut self.queue;
            with_others_waiting(env, others, |env| queue.on_timeout(env));
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.queue.gauges(show);
    }

    fn resume(&mut self, queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        self.queue.resume(queue, gauge);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.queue.drop_function(average)
    }
}

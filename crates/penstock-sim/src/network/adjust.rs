//! Changes of a link from outside, between two events.

use super::Network;
use crate::packet::SimPacket;
use crate::port_queue::{AnyQueue as Queue, PortQueue};
use crate::tally::Tally;
use penstock_aqm::{Backlog, Capabilities, Discipline, Env, LinkInfo, Next, TimerMoves};
use penstock_core::{Limit, Rng, Span, Time};

impl Network {
    /// Change the facts about the link behind this port and its delay; the queue learns of it. `changes` is the number of the
    /// link's changes.
    pub(crate) fn adjust(
        &mut self,
        port: usize,
        changes: usize,
        now: Time,
        change: impl FnOnce(&mut LinkInfo, &mut Span),
    ) {
        let stats = &mut self.tally.queues[port];
        let port = &mut self.ports[port];
        let link = &mut self.links[port.outlet.link as usize];
        port.settle(now, stats);
        let info =
            self.changes[changes].changes.adjust(now, &mut link.transmitter, |info| change(info, &mut link.delay));
        port.queue.on_link(now, info);
        self.events.set(port.timer_rank, port.queue.next_timeout().unwrap_or(Time::NEVER));
    }

    /// Another queue at this port, which draws from `rng`. Packets that wait are sent first. If it `resumes`, its law
    /// continues where the one before is.
    pub(crate) fn replace(&mut self, port: usize, mut queue: Queue, rng: Rng, resumes: bool) {
        let port = &mut self.ports[port];
        if resumes {
            let mut gauges = Vec::new();
            port.queue.gauges(&mut |name, value| gauges.push((name.to_owned(), value)));
            let gauge = |name: &str| gauges.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
            queue.resume(&port.queue.backlog(), &gauge);
        }
        let nobody: Queue = Box::new(Handover { before: None, queue: None });
        let before = std::mem::replace(&mut port.queue, PortQueue::Other(nobody)).into_any();
        let before = (before.backlog().packets > 0).then_some(before);
        port.queue = PortQueue::Other(Box::new(Handover { before, queue: Some(queue) }));
        port.rng = rng;
        // The timer is that of whichever queue is due first.
        port.timer_moves = true;
        self.events.set(port.timer_rank, port.queue.next_timeout().unwrap_or(Time::NEVER));
    }
}

/// A queue, and the one that it replaced until that is empty.
struct Handover {
    before: Option<Queue>,
    /// `None` only while it is put together.
    queue: Option<Queue>,
}

impl Handover {
    fn both(&self) -> impl Iterator<Item = &Queue> {
        self.before.iter().chain(&self.queue)
    }

    fn both_mut(&mut self) -> impl Iterator<Item = &mut Queue> {
        self.before.iter_mut().chain(&mut self.queue)
    }
}

/// One operation on a queue; its reports count its own packets, and `others` wait as well.
fn beside<T>(
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
        // The timer of the queue before goes with that queue, at a departure.
        both.unwrap_or(Capabilities::ARRIVALS).with_timer(TimerMoves::Always)
    }

    fn is_fifo(&self) -> bool {
        self.both().all(|queue| queue.is_fifo())
    }

    fn enqueue(&mut self, env: &mut Env<'_, SimPacket, Tally>, packet: SimPacket) {
        let others = waiting(self.before.as_ref());
        let Some(queue) = &mut self.queue else { return };
        beside(env, others, |env| queue.enqueue(env, packet));
    }

    fn dequeue(&mut self, env: &mut Env<'_, SimPacket, Tally>) -> Next<SimPacket> {
        if let Some(before) = &mut self.before {
            match beside(env, waiting(self.queue.as_ref()), |env| before.dequeue(env)) {
                Next::Empty => self.before = None,
                next => return next,
            }
        }
        self.queue.as_mut().map_or(Next::Empty, |queue| queue.dequeue(env))
    }

    fn backlog(&self) -> Backlog {
        let nothing = Backlog { packets: 0, bytes: 0, limit: Limit::Infinite, oldest: None };
        let mut all = self.queue.as_ref().map_or(nothing, |queue| queue.backlog());
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
        let due = |queue: &&mut Queue| queue.next_timeout().is_some_and(|time| time <= now);
        let others = waiting(self.queue.as_ref());
        if let Some(before) = self.before.as_mut().filter(due) {
            beside(env, others, |env| before.on_timeout(env));
        }
        let others = waiting(self.before.as_ref());
        if let Some(queue) = self.queue.as_mut().filter(due) {
            beside(env, others, |env| queue.on_timeout(env));
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.queue.iter().for_each(|queue| queue.gauges(show));
    }

    fn resume(&mut self, queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        self.queue.iter_mut().for_each(|own| own.resume(queue, gauge));
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.queue.as_ref()?.drop_function(average)
    }
}

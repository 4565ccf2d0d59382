//! Ports whose departures are foreseen.
//!
//! A first-in-first-out queue whose law acts on arrivals only, in front of a link at a steady rate: when a packet leaves it is
//! known as soon as it is queued, since nothing overtakes or removes it. So the packet crosses the link at once, as on a computed
//! link, and its departure needs no event. The queue trails behind: departures are carried out, in order and with their own
//! times, before the next arrival, and when the statistics are read. It therefore has the same packets at each arrival, and the
//! same statistics, as with events.

use super::Network;
use crate::flow::{Flow, FlowFacts};
use crate::hop::Hop;
use crate::packet::SimPacket;
use crate::port::{Port, Trail};
use crate::port_queue::PortQueue;
use crate::probe::flow::Window;
use crate::tally::{Tally, begin_transmission};
use penstock_aqm::{Aqm, Discipline, Env, Fifo, Next};
use penstock_core::{Rng, Time};
use penstock_link::probe::queue::QueueStats;
use penstock_prefetch::prefetch;

impl Network {
    /// Carry out all departures that need no event of their own, up to and including `until`.
    pub(crate) fn catch_up(&mut self, until: Time) {
        for (number, port) in self.ports.iter_mut().enumerate() {
            match trailing(port, number, &mut self.tally, &self.facts) {
                Some((PortQueue::DropTail(queue), mut trailing)) => trailing.catch_up(queue, until),
                Some((PortQueue::Red(queue), mut trailing)) => trailing.catch_up(queue, until),
                Some(_) | None => {}
            }
        }
        for number in 0..self.ports.len() {
            self.depart_until(number, until);
        }
    }
}

impl Port {
    /// A packet arrives. If this port, number `number`, foresees departures, returns whether the packet was queued.
    #[expect(clippy::inline_always, reason = "its only caller is `Network::enqueue`")]
    #[inline(always)]
    pub(super) fn foresee(
        &mut self,
        number: usize,
        now: Time,
        tally: &mut Tally,
        facts: &FlowFacts,
        packet: &mut SimPacket,
    ) -> Option<bool> {
        let (queue, trailing) = trailing(self, number, tally, facts)?;
        let queued = match queue {
            PortQueue::DropTail(queue) => trailing.offer(queue, now, packet),
            PortQueue::Red(queue) => trailing.offer(queue, now, packet),
            _ => return None,
        };
        if queued {
            tally.note_survival(packet);
        } else {
            tally.lose(now, packet);
        }
        Some(queued)
    }
}

/// What a queue that trails behind needs besides itself. (References to whole vectors: slices would be taken apart and kept on
/// the stack, 15 instructions a packet.)
struct Trailing<'a> {
    trail: &'a mut Trail,
    stats: &'a mut QueueStats,
    flows: &'a mut Vec<Flow>,
    hops: &'a Vec<Hop>,
    window: &'a Window,
    rng: &'a mut Rng,
    facts: &'a FlowFacts,
}

/// The queue of this port, if it trails behind, and what it needs.
#[inline]
fn trailing<'a>(
    port: &'a mut Port,
    number: usize,
    tally: &'a mut Tally,
    facts: &'a FlowFacts,
) -> Option<(&'a mut PortQueue, Trailing<'a>)> {
    let Port { queue, rng, trail: Some(trail), .. } = port else { return None };
    let Tally { queues, flows, hops, window, .. } = tally;
    Some((queue, Trailing { trail, stats: &mut queues[number], flows, hops, window, rng, facts }))
}

/// A packet in a queue, and the state of its flow, are fetched when this number of others are before it.
const PACKET_FETCHED_BEHIND: usize = 8;
const FLOW_FETCHED_BEHIND: usize = 4;

/// Fetch what soon departs from this queue: packets, and what they add to in the state of their flows.
#[inline(never)]
fn fetch_departures<A: Aqm>(queue: &Fifo<SimPacket, A>, flows: &[Flow]) {
    if let Some(later) = queue.behind(PACKET_FETCHED_BEHIND) {
        prefetch(later);
    }
    if let Some(soon) = queue.behind(FLOW_FETCHED_BEHIND)
        && let Some(flow) = flows.get(soon.flow as usize)
    {
        prefetch(&flow.stats.crossed_bits);
    }
}

impl Trailing<'_> {
    /// Offer a packet to the queue once that has caught up; returns whether it was queued.
    #[inline]
    fn offer<A: Aqm>(mut self, queue: &mut Fifo<SimPacket, A>, now: Time, packet: &mut SimPacket) -> bool {
        self.catch_up(queue, now);
        let env = &mut self.operation(now, queue);
        let judged = queue.judge(env, packet);
        if let Some(meta) = &judged {
            queue.push(env, packet, meta);
        }
        // An idle transmitter asks for a packet also if this one was dropped: the law learns that the queue is empty.
        if self.trail.free_at == Time::NEVER {
            self.trail.free_at = now;
        }
        judged.is_some()
    }

    /// Carry out the departures up to and including `until`.
    #[expect(clippy::inline_always, reason = "measured: both together 40 instructions a packet of 1400")]
    #[inline(always)]
    fn catch_up<A: Aqm>(&mut self, queue: &mut Fifo<SimPacket, A>, until: Time) {
        while self.trail.free_at <= until {
            let now = self.trail.free_at;
            let Next::Send(packet) = queue.dequeue(&mut self.operation(now, queue)) else {
                self.trail.free_at = Time::NEVER;
                break;
            };
            if self.trail.fetches {
                fetch_departures(queue, self.flows);
            }
            begin_transmission(now, &packet, self.stats, self.flows, self.hops, *self.window);
            self.trail.free_at = now + self.trail.transmitter.transmission(packet.size);
        }
    }

    /// The surroundings of an operation on `queue` at `now`; samples that are due are taken before it.
    #[expect(clippy::inline_always, reason = "measured: both together 40 instructions a packet of 1400")]
    #[inline(always)]
    fn operation<A: Aqm>(&mut self, now: Time, queue: &Fifo<SimPacket, A>) -> Env<'_, SimPacket, QueueStats> {
        if self.stats.is_due(now) {
            self.stats.sample(now, |show| Discipline::<SimPacket, Tally>::gauges(queue, show));
        }
        Env { now, rng: self.rng, probe: self.stats, facts: self.facts }
    }
}

//! Precomputed ports: a departure is known as the packet arrives.
//!
//! A first-in-first-out queue whose AQM judges arrivals only, in front of a link with a constant rate: the departure of
//! a packet is known as soon as it is queued, since nothing overtakes or removes it. So the packet crosses the link at
//! once, as on a computed link, and its departure needs no event. The queue is updated lazily: departures are replayed,
//! in order and with their own times, before the next arrival and when the statistics are read. It therefore has the
//! same packets at each arrival, and the same statistics, as with events.

use super::{Crossing, PortDiscipline, PortQueue, Surroundings};
use crate::flow::{Flow, FlowFacts};
use crate::link::Link;
use crate::packet::SimPacket;
use crate::probe::flow::Window;
use crate::routes::DataCounts;
use crate::tally::{Tally, begin_transmission};
use penstock_aqm::{Aqm, Discipline, Env, Fifo, Next};
use penstock_core::{Rng, Time};
use penstock_link::Transmitter;
use penstock_link::probe::queue::QueueStats;
use penstock_prefetch::prefetch;

/// The replay of the departures of a precomputed port.
pub(crate) struct Precomputed {
    /// End of the transmission that the replay has reached; [`Time::NEVER`] if the transmitter found the queue empty.
    free_at: Time,
    /// Like [`crate::network::Network::fetches`].
    fetches: bool,
}

/// A queued packet and the state of its flow are prefetched when this many packets are ahead of it.
const PACKET_FETCHED_BEHIND: usize = 8;
const FLOW_FETCHED_BEHIND: usize = 4;

/// Prefetch the packets that will soon depart from this queue, and the counters of their flows.
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

impl Precomputed {
    /// A replay before the first packet.
    pub(crate) fn new(fetches: bool) -> Self {
        Self { free_at: Time::NEVER, fetches }
    }

    /// A packet arrives; if it is queued, returns how it crosses the link.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        queue: &mut PortQueue,
        now: Time,
        packet: &mut SimPacket,
        around: &mut Surroundings<'_>,
    ) -> Option<Crossing> {
        let link = &mut around.links[queue.outlet.link as usize];
        let (discipline, replay) = self.replay(queue, around.tally, around.facts);
        let crossing = match discipline {
            PortDiscipline::DropTail(queue) => replay.offer(queue, now, packet, link),
            PortDiscipline::Red(queue) => replay.offer(queue, now, packet, link),
            _ => unreachable!("no other queue permits this mode"),
        };
        if crossing.is_some() {
            around.tally.note_survival(packet);
        } else {
            around.tally.lose(now, packet);
        }
        crossing
    }

    /// Replay the departures up to and including `until`.
    pub(crate) fn catch_up(&mut self, queue: &mut PortQueue, until: Time, around: &mut Surroundings<'_>) {
        let (discipline, mut replay) = self.replay(queue, around.tally, around.facts);
        match discipline {
            PortDiscipline::DropTail(queue) => replay.catch_up(queue, until),
            PortDiscipline::Red(queue) => replay.catch_up(queue, until),
            _ => unreachable!("no other queue permits this mode"),
        }
    }

    #[inline]
    fn replay<'a>(
        &'a mut self,
        queue: &'a mut PortQueue,
        tally: &'a mut Tally,
        facts: &'a FlowFacts,
    ) -> (&'a mut PortDiscipline, Replay<'a>) {
        let PortQueue { discipline, rng, outlet, .. } = queue;
        let Tally { queues, flows, data_counts, window, .. } = tally;
        let stats = &mut queues[outlet.port as usize];
        (discipline, Replay { port: self, stats, flows, data_counts, window, rng, facts })
    }

    /// The part of the packet in transmission that is unsent at `now`, in 1e-9 bits. [`Link::free_at`] already
    /// includes the packets in the queue.
    pub(crate) fn unsent(&self, queue: &PortQueue, now: Time, transmitter: &Transmitter) -> u128 {
        if self.free_at == Time::NEVER {
            return 0;
        }
        let rest = self.free_at.since(now);
        match &queue.discipline {
            PortDiscipline::DropTail(queue) => transmitter.unsent_before(rest, queue.iter().map(|packet| packet.size)),
            PortDiscipline::Red(queue) => transmitter.unsent_before(rest, queue.iter().map(|packet| packet.size)),
            _ => unreachable!("no other queue permits this mode"),
        }
    }
}

/// The queue's surroundings during a replay. (References to whole vectors: a slice would be split into pointer and
/// length, which would be spilled.)
struct Replay<'a> {
    port: &'a mut Precomputed,
    stats: &'a mut QueueStats,
    flows: &'a mut Vec<Flow>,
    data_counts: &'a Vec<DataCounts>,
    window: &'a Window,
    rng: &'a mut Rng,
    facts: &'a FlowFacts,
}

impl Replay<'_> {
    /// Offer a packet to the queue after the due departures; if it is queued, returns how it crosses the link. In the
    /// queue, the end of its transmission replaces the stamp of the packet.
    #[inline]
    fn offer<A: Aqm>(
        mut self,
        queue: &mut Fifo<SimPacket, A>,
        now: Time,
        packet: &mut SimPacket,
        link: &mut Link,
    ) -> Option<Crossing> {
        self.catch_up(queue, now);
        let env = &mut self.operation(now, queue);
        let judged = queue.judge(env, packet);
        let crossing = judged.map(|meta| {
            let (arrival, line) = link.cross(now, packet.size);
            queue.push(env, &SimPacket { stamp: link.free_at, ..*packet }, &meta);
            Crossing { arrival, line }
        });
        // An idle transmitter polls the queue even if this packet was dropped, so that the AQM sees `on_idle`.
        if self.port.free_at == Time::NEVER {
            self.port.free_at = now;
        }
        crossing
    }

    /// Replay the departures up to and including `until`.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    fn catch_up<A: Aqm>(&mut self, queue: &mut Fifo<SimPacket, A>, until: Time) {
        while self.port.free_at <= until {
            let now = self.port.free_at;
            let Next::Send(packet) = queue.dequeue(&mut self.operation(now, queue)) else {
                self.port.free_at = Time::NEVER;
                break;
            };
            if self.port.fetches {
                fetch_departures(queue, self.flows);
            }
            begin_transmission(now, &packet, self.stats, self.flows, self.data_counts, *self.window);
            self.port.free_at = packet.stamp;
        }
    }

    /// The surroundings of an operation on `queue` at `now`; samples that are due are taken before it.
    #[inline]
    fn operation<A: Aqm>(&mut self, now: Time, queue: &Fifo<SimPacket, A>) -> Env<'_, SimPacket, QueueStats> {
        if self.stats.is_due(now) {
            self.stats.sample(now, |show| Discipline::<SimPacket, Tally>::gauges(queue, show));
        }
        Env { now, rng: self.rng, probe: self.stats, facts: self.facts }
    }
}

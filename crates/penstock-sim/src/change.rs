//! What changes about a link during a run: its rate, its delay, and whether it sends at all.
//!
//! A packet takes the rate and the delay that its link has when its transmission starts, and jitter of its own; what is
//! under way when they change goes on as it was. No packet overtakes another: one that would arrives together with it.
//! Only where a link reorders, packets picked at random arrive later than they would by this rule, and those behind them
//! do not wait for them. In an outage no transmission starts; the one under way ends, and packets on the wire arrive.
//!
//! All changes of one link share one entry of the agenda.

use crate::build::rate;
use crate::link::{Link, Port, State};
use crate::network::Network;
use crate::opportunities::Opportunities;
use crate::overtaken::Overtaken;
use crate::packet::SimPacket;
use crate::probe::queue::QueueStats;
use crate::scenario::{ChangeSpec, Draw, LinkSpec, ReorderSpec, When};
use crate::traffic::session::time;
use penstock_aqm::LinkInfo;
use penstock_core::{Rng, Span, Time};
use std::collections::VecDeque;

/// Everything that changes about one link.
pub(crate) struct Change {
    /// Number of its port; rank of its entry in the agenda.
    port: u32,
    rank: u32,
    rules: Vec<Rule>,
    /// Starts and ends of the outages to come.
    outages: VecDeque<(Time, Time)>,
    /// When it may send, where that does not follow from its rate.
    opportunities: Option<Opportunities>,
    /// What each packet takes longer.
    jitter: Option<Drawn>,
    reorder: Option<Reorder>,
    /// What the queue is told of the link.
    info: LinkInfo,
    /// When the last packet on it arrives that is not overtaken.
    last_arrival: Time,
    capacity: Capacity,
}

/// A change of rate, of delay or of both.
struct Rule {
    next: Time,
    every: Option<Span>,
    rate: Option<Drawn>,
    delay: Option<Drawn>,
}

/// Which packets are overtaken, and those under way.
struct Reorder {
    spec: ReorderSpec,
    rng: Rng,
    packets: Overtaken,
}

/// A transmission that starts now.
pub(crate) struct Departure {
    /// When it ends.
    pub(crate) end: Time,
    /// When the packet arrives.
    pub(crate) arrival: Time,
    /// Whether those behind it do not wait for it.
    pub(crate) overtaken: bool,
}

/// How to draw a value, and its own stream.
struct Drawn(Draw, Rng);

/// What the link could have sent: its rate over time, without the outages.
struct Capacity {
    /// Bits per second times nanoseconds.
    sum: u128,
    /// Up to when it is counted.
    until: Time,
}

impl Change {
    /// What changes about this link; `overtaken` are none yet, where it reorders.
    pub(crate) fn new(
        spec: &LinkSpec,
        seed: u64,
        port: u32,
        rank: u32,
        info: LinkInfo,
        overtaken: Option<Overtaken>,
    ) -> Self {
        let stream = |what: &str| Rng::stream(seed, &format!("{}.{what}", spec.name));
        let end = |at: u64, length: u64| Time::from_nanos(at.saturating_add(length));
        Self {
            port,
            rank,
            rules: spec.change.iter().enumerate().map(|(i, rule)| Rule::new(rule, i, seed, spec.stream())).collect(),
            outages: spec.outage.iter().map(|o| (Time::from_nanos(o.at_ns), end(o.at_ns, o.for_ns))).collect(),
            opportunities: spec.capacity_ms.clone().map(Opportunities::new),
            jitter: spec.jitter.clone().map(|draw| Drawn(draw, stream("jitter"))),
            reorder: spec.reorder.clone().zip(overtaken).map(|(spec, packets)| Reorder {
                spec,
                rng: stream("reorder"),
                packets,
            }),
            info,
            last_arrival: Time::ZERO,
            capacity: Capacity { sum: 0, until: Time::ZERO },
        }
    }

    /// When the next change comes, if any.
    pub(crate) fn next(&self) -> Time {
        let outage = self.outages.front().map(|outage| outage.0);
        self.rules.iter().map(|rule| rule.next).chain(outage).min().unwrap_or(Time::NEVER)
    }

    /// The transmission of a packet starts.
    #[cold]
    pub(crate) fn depart(&mut self, now: Time, link: &mut Link, size: u32) -> Departure {
        let end = match &mut self.opportunities {
            Some(opportunities) => opportunities.end(now, size),
            None => now + link.wire.transmission(size),
        };
        let jitter = self.jitter.as_mut().map_or(Span::ZERO, |Drawn(draw, rng)| time(draw, rng));
        self.last_arrival = self.last_arrival.max(end + link.delay + jitter);
        let late = self.reorder.as_mut().and_then(Reorder::draw);
        let arrival = self.last_arrival + late.unwrap_or(Span::ZERO);
        Departure { end, arrival, overtaken: late.is_some() }
    }

    /// The packets that others overtake on this link, if it reorders.
    pub(crate) fn overtaken(&self) -> Option<&Overtaken> {
        self.reorder.as_ref().map(|reorder| &reorder.packets)
    }

    /// Bits that the link could have sent up to now since the start of the statistics.
    pub(crate) fn capacity_bits(&self) -> f64 {
        self.capacity.sum as f64 / 1e9
    }

    /// Count the capacity up to `now`.
    pub(crate) fn settle(&mut self, now: Time) {
        let Capacity { sum, until } = &mut self.capacity;
        if now > *until {
            *sum += match &self.opportunities {
                Some(opportunities) => u128::from(opportunities.bytes(*until, now)) * 8_000_000_000,
                None => u128::from(self.info.rate.bits_per_second()) * u128::from((now - *until).as_nanos()),
            };
            *until = now;
        }
    }

    /// The statistics start.
    pub(crate) fn restart(&mut self, now: Time) {
        self.settle(now);
        self.capacity.sum = 0;
    }

    /// Do what is due, in the order of the rules, outages last: the end of an outage that starts now, if one does.
    fn apply(&mut self, now: Time, link: &mut Link, port: &mut Port, stats: &mut QueueStats) -> Option<Time> {
        self.settle(now);
        let before = self.info.rate;
        for rule in self.rules.iter_mut().filter(|rule| rule.next <= now) {
            rule.next = rule.every.map_or(Time::NEVER, |every| rule.next + every);
            if let Some(drawn) = &mut rule.rate {
                self.info.rate = rate(drawn.draw());
            }
            if let Some(drawn) = &mut rule.delay {
                link.delay = Span::from_nanos(drawn.draw().round() as u64);
            }
        }
        if self.info.rate != before {
            link.wire.set_rate(self.info.rate);
            port.settle(now, stats);
            port.queue.on_link(now, &self.info);
        }
        let &(_, end) = self.outages.front().filter(|outage| outage.0 <= now)?;
        self.outages.pop_front();
        self.capacity.until = end;
        Some(end)
    }
}

impl Reorder {
    /// How much later the next packet arrives, if it is one of those that others overtake.
    fn draw(&mut self) -> Option<Span> {
        self.rng.chance(self.spec.rate).then(|| time(&self.spec.delay, &mut self.rng))
    }
}

impl Rule {
    fn new(spec: &ChangeSpec, number: usize, seed: u64, stream: &str) -> Self {
        let drawn = |draw: &Option<Draw>, what: &str| {
            draw.clone().map(|draw| Drawn(draw, Rng::stream(seed, &format!("{stream}.change.{number}.{what}"))))
        };
        let (next, every) = match spec.when {
            When::AtNs(at) => (at, None),
            When::EveryNs(every) => (every, Some(Span::from_nanos(every))),
        };
        Self {
            next: Time::from_nanos(next),
            every,
            rate: drawn(&spec.rate, "rate"),
            delay: drawn(&spec.delay, "delay"),
        }
    }
}

impl Drawn {
    fn draw(&mut self) -> f64 {
        self.0.draw(&mut self.1)
    }
}

impl Network {
    /// The transmission of a packet starts on a link that does not stay as it is: when it ends.
    #[cold]
    pub(crate) fn depart(&mut self, now: Time, number: u32, packet: &mut SimPacket) -> Time {
        let change = &mut self.changes[number as usize];
        let link = self.ports[change.port as usize].link as usize;
        let Departure { end, arrival, overtaken } = change.depart(now, &mut self.links[link], packet.size);
        if let Some(reorder) = change.reorder.as_mut().filter(|_| overtaken) {
            reorder.packets.push(arrival, packet);
            self.agenda.set(reorder.packets.rank(), reorder.packets.next());
        } else if self.goes_ahead(self.tally.hops[packet.hop as usize], packet) {
            self.arrive(arrival, packet);
        } else {
            self.park(arrival, packet);
        }
        end
    }

    /// Take the overtaken packet that has arrived. The caller hands it on.
    #[cold]
    pub(crate) fn land_overtaken(&mut self, number: u32) -> Option<SimPacket> {
        let packets = &mut self.changes[number as usize].reorder.as_mut()?.packets;
        let packet = packets.pop();
        self.agenda.set(packets.rank(), packets.next());
        packet
    }

    /// Something changes about a link.
    #[cold]
    pub(crate) fn on_change(&mut self, now: Time, number: u32) {
        let change = &mut self.changes[number as usize];
        let port = &mut self.ports[change.port as usize];
        let link = &mut self.links[port.link as usize];
        if let Some(end) = change.apply(now, link, port, &mut self.tally.queues[change.port as usize]) {
            // A transmitter that is silent is one that is busy until the end, with nothing.
            let free = self.agenda.time_of(port.transmission_rank).filter(|_| port.state == State::Busy);
            port.state = State::Busy;
            self.agenda.set(port.transmission_rank, end.max(free.unwrap_or(end)));
        }
        self.agenda.set(port.timer_rank, port.queue.next_timeout().unwrap_or(Time::NEVER));
        self.agenda.set(change.rank, change.next());
    }
}

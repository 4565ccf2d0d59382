//! Changes of a link during a run: of its rate, of its delay, and outages.
//!
//! A packet has the rate and the delay that its link has when the transmission starts, plus a jitter drawn for the
//! packet; later changes do not affect packets in flight. A packet that would overtake another arrives together with it
//! instead. Packets overtake others only if the link reorders: packets selected at random then arrive later or earlier,
//! or each packet arrives after its own jitter. Other packets do not wait for them. During an outage no transmission
//! starts; the one in progress ends, and packets on the wire arrive.

use crate::correlated::CorrelatedChance;
use crate::jitter::{Delay, Jitter};
use crate::opportunities::Opportunities;
use crate::probe::queue::NANOBITS;
use crate::reordered::{Place, Reordering};
use crate::spec::{ChangeSpec, Draw, LinkSpec, When, rate};
use crate::transmitter::Transmitter;
use penstock_aqm::LinkInfo;
use penstock_core::{Rng, Span, Time};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// All changes of one link.
pub struct LinkChanges {
    rules: Vec<Rule>,
    /// The next time of each rule that has one, with its number.
    due: BinaryHeap<Reverse<(Time, usize)>>,
    /// Starts and ends of the remaining outages.
    outages: VecDeque<(Time, Time)>,
    /// Recorded transmission opportunities, instead of the rate.
    opportunities: Option<Opportunities>,
    jitter: Option<Jitter>,
    reordering: Option<Reordering>,
    duplication: Option<CorrelatedChance>,
    /// The link as the queue knows it.
    info: LinkInfo,
    transmission: Transmission,
    /// Arrival of the last packet that is not reordered.
    last_arrival: Time,
    unused: Unused,
}

/// A change of rate, of delay or of both.
struct Rule {
    every: Option<Span>,
    rate: Option<Drawn>,
    delay: Option<Drawn>,
}

/// The last transmission.
struct Transmission {
    start: Time,
    end: Time,
    /// Bytes on the wire.
    bytes: u32,
}

/// A transmission that starts now.
pub struct Departure {
    /// Its end.
    pub end: Time,
    /// Arrival of the packet.
    pub arrival: Time,
    /// Whether the packet may arrive out of order.
    pub is_reordered: bool,
}

/// A distribution and its own random stream.
struct Drawn(Draw, Rng);

/// Capacity that the link has left unused: its rate integrated over the time in which there was neither a transmission
/// nor an outage.
struct Unused {
    /// In 1e-9 bits.
    sum: u128,
    /// Time up to which it is counted.
    until: Time,
    /// End of the last outage.
    outage_end: Time,
}

impl LinkChanges {
    /// The changes of the link `spec`, which its queue knows as `info`.
    pub fn new(spec: &LinkSpec, seed: u64, info: LinkInfo) -> Self {
        let stream = |name: &str| Rng::stream(seed, format_args!("{}.{name}", spec.name));
        let end = |at: u64, length: u64| Time::from_nanos(at.saturating_add(length));
        Self {
            rules: spec.change.iter().enumerate().map(|(i, rule)| Rule::new(rule, i, seed, spec.stream())).collect(),
            due: spec.change.iter().enumerate().map(|(i, rule)| Reverse((rule.when.first(), i))).collect(),
            outages: spec.outage.iter().map(|o| (Time::from_nanos(o.at_ns), end(o.at_ns, o.for_ns))).collect(),
            opportunities: spec.capacity_ms.clone().map(Opportunities::new),
            jitter: spec.jitter.as_ref().map(|jitter| Jitter::new(jitter, stream("jitter"))),
            reordering: spec.reorder.as_ref().map(|reorder| Reordering::new(reorder, seed, &spec.name)),
            duplication: spec
                .duplicate
                .map(|chance| CorrelatedChance::new(chance.rate, chance.correlation, stream("duplicate"))),
            info,
            transmission: Transmission { start: Time::ZERO, end: Time::ZERO, bytes: 0 },
            last_arrival: Time::ZERO,
            unused: Unused { sum: 0, until: Time::ZERO, outage_end: Time::ZERO },
        }
    }

    /// Time of the next change, [`Time::NEVER`] if there is none.
    pub fn next(&self) -> Time {
        let outage = self.outages.front().map(|outage| outage.0);
        let rule = self.due.peek().map(|Reverse((time, _))| *time);
        rule.into_iter().chain(outage).min().unwrap_or(Time::NEVER)
    }

    /// Start the transmission of a packet of `size` bytes by this transmitter, onto a wire with this propagation delay.
    #[cold]
    pub fn depart(&mut self, now: Time, transmitter: &mut Transmitter, delay: Span, size: u32) -> Departure {
        self.settle(now);
        let end = match &mut self.opportunities {
            Some(opportunities) => opportunities.end(now, size),
            None => now + transmitter.transmission(size),
        };
        self.transmission = Transmission { start: now, end, bytes: transmitter.wire_size(size) };
        let place = self.reordering.as_mut().map_or(Place::InOrder, Reordering::draw);
        let late = match place {
            Place::InOrder => None,
            Place::Late(late) => Some(late),
            Place::Undelayed => return Departure { end, arrival: end, is_reordered: true },
        };
        let own = Delay { delay, keeps_order: true };
        let Delay { delay, keeps_order } = self.jitter.as_mut().map_or(own, |jitter| jitter.delay(delay));
        let mut arrival = end + delay;
        if keeps_order {
            self.last_arrival = self.last_arrival.max(arrival);
            arrival = self.last_arrival;
        }
        let arrival = arrival + late.unwrap_or(Span::ZERO);
        Departure { end, arrival, is_reordered: late.is_some() || !keeps_order }
    }

    /// Whether the packet that arrives at the queue arrives twice.
    pub fn duplicates(&mut self) -> bool {
        self.duplication.as_mut().is_some_and(CorrelatedChance::happens)
    }

    /// The part of the packet in transmission that is unsent at `now`, in 1e-9 bits.
    pub fn unsent(&self, now: Time) -> u128 {
        let Transmission { start, end, bytes } = self.transmission;
        if end < now {
            return 0;
        }
        if let Some(opportunities) = &self.opportunities {
            return u128::from(opportunities.used_from(now)) * 8 * NANOBITS;
        }
        let size = u128::from(bytes) * 8 * NANOBITS;
        size * u128::from((end - now).as_nanos()) / u128::from((end - start).as_nanos().max(1))
    }

    /// Bits that the link could have sent from `start` to `end`, the window of the statistics; it sent `sent` in this
    /// window. Both are in 1e-9 bits.
    pub fn capacity_nanobits(&self, start: Time, end: Time, sent: u128) -> u128 {
        match &self.opportunities {
            Some(opportunities) => u128::from(opportunities.bytes(start, end)) * 8 * NANOBITS,
            None => sent + self.unused.sum,
        }
    }

    /// Count the unused capacity up to `now`.
    pub fn settle(&mut self, now: Time) {
        let Unused { sum, until, outage_end } = &mut self.unused;
        let idle = now.since((*until).max(self.transmission.end).max(*outage_end));
        *sum += u128::from(self.info.rate.bits_per_second()) * u128::from(idle.as_nanos());
        *until = now;
    }

    /// Start the statistics.
    pub fn restart(&mut self, now: Time) {
        self.settle(now);
        self.unused.sum = 0;
    }

    /// Apply the changes of rate and delay that are due, in the order of the rules; returns the new link if facts that
    /// its queue uses have changed: the rate, or the round-trip time, which follows the delay.
    pub fn apply(&mut self, now: Time, transmitter: &mut Transmitter, delay: &mut Span) -> Option<&LinkInfo> {
        self.settle(now);
        let before = self.info;
        while let Some(&Reverse((time, number))) = self.due.peek()
            && time <= now
        {
            self.due.pop();
            let rule = &mut self.rules[number];
            self.due.extend(rule.every.map(|every| Reverse((time + every, number))));
            if let Some(drawn) = &mut rule.rate {
                self.info.rate = rate(drawn.draw());
            }
            if let Some(drawn) = &mut rule.delay {
                self.info.change_delay(delay, Span::from_nanos(drawn.draw().round() as u64));
            }
        }
        let has_new_rate = self.info.rate != before.rate;
        if has_new_rate {
            transmitter.set_rate(self.info.rate);
        }
        (has_new_rate || self.info.rtt != before.rtt).then_some(&self.info)
    }

    /// Change the facts about the link between two events; returns them. Its transmitter has the new rate from the next
    /// packet on.
    pub fn adjust(
        &mut self,
        now: Time,
        transmitter: &mut Transmitter,
        change: impl FnOnce(&mut LinkInfo),
    ) -> &LinkInfo {
        self.settle(now);
        let before = self.info.rate;
        change(&mut self.info);
        if self.info.rate != before {
            transmitter.set_rate(self.info.rate);
        }
        &self.info
    }

    /// The link as its queue knows it.
    pub fn info(&self) -> &LinkInfo {
        &self.info
    }

    /// Start the outage that is due, if there is one; returns its end.
    pub fn start_outage(&mut self, now: Time) -> Option<Time> {
        let &(_, end) = self.outages.front().filter(|outage| outage.0 <= now)?;
        self.outages.pop_front();
        self.unused.outage_end = end;
        Some(end)
    }
}

impl Rule {
    fn new(spec: &ChangeSpec, number: usize, seed: u64, stream: &str) -> Self {
        let drawn = |draw: &Option<Draw>, name: &str| {
            draw.clone().map(|draw| Drawn(draw, Rng::stream(seed, format_args!("{stream}.change.{number}.{name}"))))
        };
        let every = match spec.when {
            When::AtNs(_) => None,
            When::EveryNs(every) => Some(Span::from_nanos(every)),
        };
        Self { every, rate: drawn(&spec.rate, "rate"), delay: drawn(&spec.delay, "delay") }
    }
}

impl Drawn {
    fn draw(&mut self) -> f64 {
        self.0.draw(&mut self.1)
    }
}

//! What goes ahead: the hops behind which everything up to the next event follows from one link alone.
//!
//! A computed link that is fed by one other link gets its packets in that link's order, so its own deliveries are known as
//! soon as those of the other are. The same holds for a receiver that answers every packet at once and whose answers leave
//! by such a link; and for a sender whose data alone takes a computed link, unless there is no event anywhere on its round
//! trip: one acknowledgement would lead to the next for ever.
//!
//! A connection that comes and goes is closed by its sender, when it has the answer to the last packet that the receiver
//! lacked. So a packet that the receiver still lacks finds it open, whenever it arrives. One that the receiver has already
//! waits for its event, and whatever leaves by the link of its answer waits behind it, to leave in the order of arrival.

use crate::connections::Path;
use crate::plan::{Plan, Way};
use crate::scenario::Scenario;
use crate::tally::Hop;

/// Whether what a link delivers can be handed on the moment its time of arrival is known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// It waits for an event.
    Never,
    /// If no packet waits before it, and the receiver, if it is here, lacks it.
    Lacking,
    /// In any case.
    Always,
}

/// Where packets come from onto a link.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Feeder {
    None,
    /// Only from this link, in its order.
    Link(u32),
    /// Only from the sender of this flow, one connection after the other.
    Flow(u32),
    /// From other events, or from several places.
    Mixed,
}

/// First hops of data and of acknowledgements, and whether the receiver answers every packet at once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RoundTrip {
    data: u32,
    acks: Option<u32>,
    prompt: bool,
}

impl Plan {
    /// Find what goes ahead, and the links on which packets wait for an event. `prompt` says of each group whether its
    /// receivers answer every packet at once.
    pub(crate) fn find_what_goes_ahead(&mut self, scenario: &Scenario, prompt: &[bool]) {
        let trips = self.round_trips(scenario, prompt);
        let feeders = self.feeders(scenario, &trips);
        let closing = self.closing_links();
        for &RoundTrip { data, acks, prompt } in &trips {
            for first in [Some(data), acks].into_iter().flatten() {
                for at in self.range(first) {
                    let Hop { link, last, .. } = self.hops[at];
                    let home = last && first != data;
                    let next = match (last, home) {
                        (false, _) => Some(at + 1),
                        (true, false) => acks.map(|acks| acks as usize),
                        (true, true) => None,
                    };
                    let goes = match (next, acks) {
                        (Some(next), _) => (!last || prompt) && self.follows(at, next, &feeders),
                        (None, Some(acks)) => self.answers(data, acks, &feeders),
                        (None, None) => scenario.options.computed_links,
                    };
                    let closes = next.is_some_and(|next| closing[self.hops[next].link as usize]);
                    // What leaves this link in another order than it came is not known ahead.
                    let steady = scenario.links[link as usize].reorder.is_none();
                    let ahead = match (goes && steady, closes) {
                        (false, _) => Ahead::Never,
                        (true, true) => Ahead::Lacking,
                        (true, false) => Ahead::Always,
                    };
                    self.hops[at].ahead = ahead;
                    self.has_line[link as usize] |= ahead != Ahead::Always || home;
                }
            }
        }
    }

    /// Each once, in their order.
    fn round_trips(&self, scenario: &Scenario, prompt: &[bool]) -> Vec<RoundTrip> {
        let of_way = |way: &Way| {
            let acks = scenario.traffic[way.group].tcp.is_some().then_some(way.ack_hop);
            RoundTrip { data: way.data_hop, acks, prompt: prompt[way.group] }
        };
        let of_paths = |(flow, paths): &(u32, Vec<Path>)| {
            let prompt = prompt[self.ways[*flow as usize].group];
            let of = |path: &Path| RoundTrip { data: path.data_hop, acks: Some(path.ack_hop), prompt };
            paths.iter().map(of).collect::<Vec<_>>()
        };
        let mut trips: Vec<RoundTrip> = self.ways.iter().map(of_way).collect();
        trips.extend(self.sessions.iter().flat_map(of_paths));
        trips.sort_unstable();
        trips.dedup();
        trips
    }

    /// Where packets come from onto each link.
    fn feeders(&self, scenario: &Scenario, trips: &[RoundTrip]) -> Vec<Feeder> {
        let mut feeders = vec![Feeder::None; self.computed.len()];
        let mut feed = |hop: usize, feeder: Feeder| {
            let known = &mut feeders[self.hops[hop].link as usize];
            *known = if *known == Feeder::None || *known == feeder { feeder } else { Feeder::Mixed };
        };
        for (flow, way) in (0..).zip(&self.ways) {
            feed(way.data_hop as usize, Feeder::Flow(flow));
        }
        let opens_many = |flow: u32| scenario.traffic[self.ways[flow as usize].group].opens_many();
        for path in self.sessions.iter().filter(|(flow, _)| opens_many(*flow)).flat_map(|(_, paths)| paths) {
            feed(path.data_hop as usize, Feeder::Mixed);
        }
        let link = |at: usize| Feeder::Link(self.hops[at].link);
        for trip in trips {
            let data = self.range(trip.data);
            if let Some(acks) = trip.acks {
                feed(acks as usize, if trip.prompt { link(*data.end()) } else { Feeder::Mixed });
                for at in self.range(acks).skip(1) {
                    feed(at, link(at - 1));
                }
            }
            for at in data.skip(1) {
                feed(at, link(at - 1));
            }
        }
        feeders
    }

    /// The links that take the answers of receivers whose connections come and go.
    fn closing_links(&self) -> Vec<bool> {
        let mut closing = vec![false; self.computed.len()];
        for path in self.sessions.iter().flat_map(|(_, paths)| paths) {
            closing[self.hops[path.ack_hop as usize].link as usize] = true;
        }
        closing
    }

    /// Whether the link of the hop `next` is computed from that of the hop `at` alone.
    fn follows(&self, at: usize, next: usize, feeders: &[Feeder]) -> bool {
        let next = self.hops[next].link as usize;
        self.computed[next] && feeders[next] == Feeder::Link(self.hops[at].link)
    }

    /// Whether the sender of this round trip can answer acknowledgements ahead.
    fn answers(&self, data: u32, acks: u32, feeders: &[Feeder]) -> bool {
        let first = self.hops[data as usize].link as usize;
        let home = *self.range(acks).end();
        let mut round_trip = self.range(data).chain(self.range(acks));
        let waits = |at: usize| self.hops[at].ahead == Ahead::Never && at != home;
        self.computed[first] && matches!(feeders[first], Feeder::Flow(_)) && round_trip.any(waits)
    }
}

//! Lookahead: hops whose downstream arrivals can be computed without an event, because one link feeds them in order.
//!
//! A *computed* link is an infinite FIFO that is not watched (see [`crate::plan`]). If only one other link feeds it,
//! packets arrive in the order of that link, so the deliveries of the computed link are known as soon as those of the
//! other link are. The same holds for a receiver that acknowledges every packet immediately over such a link. It also
//! holds for a sender that is the only source of a computed link, provided that at least one event remains on its round
//! trip: otherwise each ACK would trigger the next one forever.
//!
//! A connection of a session is closed by its sender, when the ACK of the last missing packet arrives. Hence a packet
//! that the receiver lacks always finds the connection open. A packet that the receiver already has waits for its
//! event, and all packets on the link of its ACK wait behind it, to keep the order.

use crate::routes::{Hop, Lookahead, Route, RoutedFlow, Routes};
use crate::scenario::Scenario;

/// The packets that enter a link come from ...
#[derive(Clone, Copy, PartialEq, Eq)]
enum Feeder {
    None,
    /// ... this link alone, in the order of its deliveries.
    Link(u32),
    /// ... the sender of this flow alone, one connection after the other.
    Flow(u32),
    /// ... other events, or several places.
    Mixed,
}

/// First hops of data and of ACKs, and whether the receiver acknowledges every packet immediately.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RoundTrip {
    data: u32,
    acks: Option<u32>,
    immediate: bool,
}

/// The state of the search.
struct Search<'a> {
    scenario: &'a Scenario,
    /// For each link: whether its queue is not simulated.
    computed: &'a [bool],
    routes: &'a mut Routes,
    feeders: Vec<Feeder>,
    /// For each link: whether ACKs of session connections cross it.
    closing: Vec<bool>,
}

/// Set the lookahead of every hop; returns, for each link, whether packets on it wait for events. `immediate` gives,
/// for each group, whether its receivers acknowledge every packet immediately; `computed`, for each link, whether its
/// queue is not simulated.
pub(crate) fn find(scenario: &Scenario, immediate: &[bool], computed: &[bool], routes: &mut Routes) -> Vec<bool> {
    let trips = round_trips(scenario, immediate, routes);
    let feeders = feeders(scenario, &trips, routes, computed.len());
    let closing = closing_links(routes, computed.len());
    let search = Search { scenario, computed, routes, feeders, closing };
    let mut has_line = vec![false; computed.len()];
    // Several flows may share a route, and ACKs may use it too.
    let delayed = trips.iter().filter(|trip| !trip.immediate).map(|trip| (trip.data, true));
    let immediate = trips.iter().filter(|trip| trip.immediate).map(|trip| (trip.data, false));
    let acks = trips.iter().filter_map(|trip| trip.acks).map(|acks| (acks, false));
    for (first, delays_acks) in delayed.chain(immediate).chain(acks) {
        let end = *search.routes.range(first).end();
        search.routes.hops[end].delays_acks = delays_acks;
    }
    for trip in &trips {
        for first in [Some(trip.data), trip.acks].into_iter().flatten() {
            for at in search.routes.range(first) {
                let lookahead = search.lookahead(trip, first, at);
                let hop = &mut search.routes.hops[at];
                hop.lookahead = lookahead;
                let ends_at_sender = hop.last && first != trip.data;
                has_line[hop.link as usize] |= lookahead != Lookahead::Always || ends_at_sender;
            }
        }
    }
    has_line
}

impl Search<'_> {
    /// The lookahead of hop `at`, on the half of the round trip that starts at hop `first`.
    fn lookahead(&self, trip: &RoundTrip, first: u32, at: usize) -> Lookahead {
        let Hop { link, last, .. } = self.routes.hops[at];
        let ends_at_sender = last && first != trip.data;
        let next = match (last, ends_at_sender) {
            (false, _) => Some(at + 1),
            (true, false) => trip.acks.map(|acks| acks as usize),
            (true, true) => None,
        };
        let possible = match (next, trip.acks) {
            (Some(next), _) => (!last || trip.immediate) && self.follows(at, next),
            (None, Some(acks)) => self.sender_answers(trip.data, acks),
            (None, None) => self.scenario.options.computed_links,
        };
        // A link that reorders does not deliver packets in the order of their arrival.
        if !possible || self.scenario.links[link as usize].reorders() {
            return Lookahead::Never;
        }
        let closes = next.is_some_and(|next| self.closing[self.routes.hops[next].link as usize]);
        if closes { Lookahead::IfLacking } else { Lookahead::Always }
    }

    /// Whether the link of hop `next` is computed, and fed by that of hop `at` alone.
    fn follows(&self, at: usize, next: usize) -> bool {
        let next = self.routes.hops[next].link as usize;
        self.computed[next] && self.feeders[next] == Feeder::Link(self.routes.hops[at].link)
    }

    /// Whether the sender of this round trip may process acknowledgements ahead of time.
    fn sender_answers(&self, data: u32, acks: u32) -> bool {
        let first = self.routes.hops[data as usize].link as usize;
        let home = *self.routes.range(acks).end();
        let mut round_trip = self.routes.range(data).chain(self.routes.range(acks));
        let waits = |at: usize| self.routes.hops[at].lookahead == Lookahead::Never && at != home;
        self.computed[first] && matches!(self.feeders[first], Feeder::Flow(_)) && round_trip.any(waits)
    }
}

/// All round trips, each once, in rising order.
fn round_trips(scenario: &Scenario, immediate: &[bool], routes: &Routes) -> Vec<RoundTrip> {
    let trip = |group: usize, route: &Route| {
        let acks = scenario.traffic[group].tcp.is_some().then_some(route.ack_hop);
        RoundTrip { data: route.data_hop, acks, immediate: immediate[group] }
    };
    let of_flow = |flow: &RoutedFlow| trip(flow.group, &flow.route);
    let of_session = |(flow, paths): &(u32, Vec<Route>)| {
        let group = routes.flows[*flow as usize].group;
        paths.iter().map(|route| trip(group, route)).collect::<Vec<_>>()
    };
    let mut trips: Vec<RoundTrip> = routes.flows.iter().map(of_flow).collect();
    trips.extend(routes.sessions.iter().flat_map(of_session));
    trips.sort_unstable();
    trips.dedup();
    trips
}

/// The feeder of each link: where its packets come from.
fn feeders(scenario: &Scenario, trips: &[RoundTrip], routes: &Routes, links: usize) -> Vec<Feeder> {
    let mut feeders = vec![Feeder::None; links];
    let mut feed = |hop: usize, feeder: Feeder| {
        let known = &mut feeders[routes.hops[hop].link as usize];
        *known = if *known == Feeder::None || *known == feeder { feeder } else { Feeder::Mixed };
    };
    for (number, flow) in (0..).zip(&routes.flows) {
        feed(flow.route.data_hop as usize, Feeder::Flow(number));
    }
    let opens_many = |flow: u32| scenario.traffic[routes.flows[flow as usize].group].opens_many();
    for route in routes.sessions.iter().filter(|(flow, _)| opens_many(*flow)).flat_map(|(_, routes)| routes) {
        feed(route.data_hop as usize, Feeder::Mixed);
    }
    let link = |at: usize| Feeder::Link(routes.hops[at].link);
    for trip in trips {
        let data = routes.range(trip.data);
        if let Some(acks) = trip.acks {
            feed(acks as usize, if trip.immediate { link(*data.end()) } else { Feeder::Mixed });
            for at in routes.range(acks).skip(1) {
                feed(at, link(at - 1));
            }
        }
        for at in data.skip(1) {
            feed(at, link(at - 1));
        }
    }
    feeders
}

fn closing_links(routes: &Routes, links: usize) -> Vec<bool> {
    let mut closing = vec![false; links];
    for route in routes.sessions.iter().flat_map(|(_, routes)| routes) {
        closing[routes.hops[route.ack_hop as usize].link as usize] = true;
    }
    closing
}

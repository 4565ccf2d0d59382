//! The part of a run that is fixed before its start: drawn rates and delays, routes, and the links that are computed.

use crate::routes::{Route, Routes};
use crate::scenario::{Draw, LinkSpec, Scenario, TrafficKind, rate};
use crate::{lookahead, route_search};
use penstock_aqm::LinkInfo;
use penstock_core::{Bytes, Limit, Rate, Rng, Span};
use penstock_link::ScenarioError;

/// Drawn values by link, and the routes.
pub(crate) struct Plan {
    pub(crate) rates: Vec<Rate>,
    pub(crate) delays: Vec<Span>,
    pub(crate) routes: Routes,
    /// Links whose queue is not simulated: an infinite FIFO that is not watched, so that the end of a transmission is
    /// known when the packet arrives.
    pub(crate) computed: Vec<bool>,
    /// Links on which packets wait for events.
    pub(crate) has_line: Vec<bool>,
    /// Number of flows whose data crosses each link.
    pub(crate) crossing: Vec<u32>,
    /// Largest propagation round trip of the TCP flows that cross each link.
    pub(crate) rtts: Vec<Option<Span>>,
}

impl Plan {
    /// Whether the plan of a scenario is the same for all seeds.
    pub(crate) fn is_fixed(scenario: &Scenario) -> bool {
        let fixed = |draw: &Draw| matches!(draw, Draw::Fixed(_));
        scenario.links.iter().all(|link| fixed(&link.rate) && fixed(&link.delay))
    }

    /// Draw and route. `immediate` gives, for each group, whether its receivers acknowledge every packet immediately;
    /// `captured`, for each link, whether its packets are recorded. Errors of the scenario go to `errors`.
    pub(crate) fn new(
        scenario: &Scenario,
        seed: u64,
        immediate: &[bool],
        captured: &[bool],
        errors: &mut Vec<ScenarioError>,
    ) -> Self {
        let links = &scenario.links;
        let draw = |link: &LinkSpec, value: &str, draw: &Draw| match draw {
            // Needs no stream of random numbers.
            Draw::Fixed(value) => *value,
            draw => draw.draw(&mut Rng::stream(seed, format_args!("{}.{value}", link.stream()))),
        };
        let rates: Vec<Rate> = links.iter().map(|link| rate(draw(link, "rate", &link.rate))).collect();
        let delays: Vec<Span> =
            links.iter().map(|link| Span::from_nanos(draw(link, "delay", &link.delay).round() as u64)).collect();
        let computed = |(link, &captured): (&LinkSpec, &bool)| {
            let plain = !route_search::may_lose(link) && !link.watch && link.is_steady();
            scenario.options.computed_links && plain && !captured
        };
        let count = links.len();
        let mut plan = Self {
            rates,
            routes: route_search::routes(scenario, &delays, errors),
            delays,
            computed: links.iter().zip(captured).map(computed).collect(),
            has_line: vec![false; count],
            crossing: vec![0; count],
            rtts: vec![None; count],
        };
        if errors.is_empty() {
            plan.has_line = lookahead::find(scenario, immediate, &plan.computed, &mut plan.routes);
        }
        plan.count_crossing(scenario);
        plan
    }

    /// The facts about this link for its queue; `mtu` is the largest packet of the scenario.
    pub(crate) fn link_info(&self, mtu: Bytes, number: usize, link: &LinkSpec) -> LinkInfo {
        LinkInfo {
            rate: self.rates[number],
            limit: link.queue.as_ref().map_or(Limit::Infinite, |queue| queue.limit.into()),
            mean_packet: Bytes(1000),
            mtu,
            rtt: link.rtt_ns.map(Span::from_nanos).or(self.rtts[number]),
            flows: Some(self.crossing[number]).filter(|&flows| flows > 0),
        }
    }

    /// Count the flows on each link, and find the largest round trip of their TCPs.
    fn count_crossing(&mut self, scenario: &Scenario) {
        let kind = |flow: u32| scenario.traffic[self.routes.flows[flow as usize].group].kind;
        let of_flows = self.routes.flows.iter().map(|flow| (flow.route, scenario.traffic[flow.group].tcp.is_some()));
        // In an incast each sender is a flow; the first sender is the flow of the scenario itself.
        let incast = self.routes.sessions.iter().filter(|(flow, _)| kind(*flow) == TrafficKind::Incast);
        let of_senders = incast.flat_map(|(_, routes)| routes.iter().skip(1).map(|route| (*route, true)));
        let all: Vec<(Route, bool)> = of_flows.chain(of_senders).collect();
        for (route, tcp) in all {
            let data = self.routes.range(route.data_hop);
            let round_trip = self.delay(route.data_hop) + self.delay(route.ack_hop);
            for at in data {
                let link = self.routes.hops[at].link as usize;
                self.crossing[link] += 1;
                if tcp {
                    self.rtts[link] = self.rtts[link].max(Some(round_trip));
                }
            }
        }
    }

    /// Propagation delay of the route that starts at this hop.
    fn delay(&self, first: u32) -> Span {
        let hops = &self.routes.hops[self.routes.range(first)];
        hops.iter().fold(Span::ZERO, |sum, hop| sum + self.delays[hop.link as usize])
    }
}

//! What follows from a scenario and a seed before anything moves: drawn values, routes, and which links may be computed.

use crate::Fault;
use crate::build::{hop, rate};
use crate::connections::Path;
use crate::route::Graph;
use crate::scenario::{LinkSpec, Scenario, TrafficKind};
use crate::tally::Hop;
use penstock_core::{Rate, Rng, Span};
use std::collections::HashMap;

/// The way of one flow.
pub(crate) struct Way {
    /// Its traffic group, and its number in it.
    pub(crate) group: usize,
    pub(crate) copy: u32,
    /// First hops of data and of acknowledgements.
    pub(crate) data_hop: u32,
    pub(crate) ack_hop: u32,
    /// Numbers of the nodes that it comes from and goes to.
    pub(crate) ends: (u32, u32),
}

/// Drawn values by link, routes by flow.
pub(crate) struct Plan {
    pub(crate) rates: Vec<Rate>,
    pub(crate) delays: Vec<Span>,
    pub(crate) hops: Vec<Hop>,
    pub(crate) ways: Vec<Way>,
    /// The flows whose connections come and go, in their order, and the paths that these may take.
    pub(crate) sessions: Vec<(u32, Vec<Path>)>,
    /// Links whose queue need not be simulated.
    pub(crate) computed: Vec<bool>,
    /// Links on which packets wait for an event.
    pub(crate) has_line: Vec<bool>,
    /// Flows whose data crosses each link, and the largest propagation round trip of these.
    pub(crate) crossing: Vec<u32>,
    pub(crate) rtts: Vec<Option<Span>>,
}

/// A route for data and one for its acknowledgements, shared by all flows between the same ends.
#[derive(Clone, Copy)]
struct Route {
    data: u32,
    acks: u32,
}

impl Route {
    fn path(self, ends: (u32, u32), request: bool) -> Path {
        Path { data_hop: self.data, ack_hop: self.acks, ends, request }
    }
}

/// Whether packets may be lost on their way onto this link.
fn may_lose(link: &LinkSpec) -> bool {
    link.queue.is_some() || link.loss.is_some() || !link.edge.is_empty()
}

impl Plan {
    /// Draw and route. `prompt` says of each group whether its receivers answer every packet at once, `captured` of each
    /// link whether its packets are kept. What is wrong goes to `faults`.
    pub(crate) fn new(
        scenario: &Scenario,
        seed: u64,
        prompt: &[bool],
        captured: &[bool],
        faults: &mut Vec<Fault>,
    ) -> Self {
        let links = &scenario.links;
        let draw = |link: &LinkSpec, what: &str, draw: &crate::scenario::Draw| {
            draw.draw(&mut Rng::stream(seed, &format!("{}.{what}", link.stream())))
        };
        let rates: Vec<Rate> = links.iter().map(|link| rate(draw(link, "rate", &link.rate))).collect();
        let delays: Vec<Span> =
            links.iter().map(|link| Span::from_nanos(draw(link, "delay", &link.delay).round() as u64)).collect();
        let plain = |link: &LinkSpec| !may_lose(link) && !link.watch && link.is_steady();
        let computed = links.iter().zip(captured);
        let computed =
            computed.map(|(link, &captured)| scenario.options.computed_links && plain(link) && !captured).collect();
        let count = links.len();
        let mut plan = Self {
            rates,
            delays,
            hops: Vec::new(),
            ways: Vec::new(),
            sessions: Vec::new(),
            computed,
            has_line: vec![false; count],
            crossing: vec![0; count],
            rtts: vec![None; count],
        };
        plan.route(scenario, faults);
        if faults.is_empty() {
            plan.find_what_goes_ahead(scenario, prompt);
        }
        plan
    }

    fn route(&mut self, scenario: &Scenario, faults: &mut Vec<Fault>) {
        let ends = scenario.links.iter().zip(&self.delays);
        let graph = Graph::new(ends.map(|(link, delay)| (link.from.as_str(), link.to.as_str(), delay.as_nanos())));
        for (group, spec) in scenario.traffic.iter().enumerate() {
            let fault = |key: &str, message: String| Fault::new(&format!("traffic.{}.{key}", spec.name), message);
            let mut nodes = [Vec::new(), Vec::new()];
            for (side, (key, names)) in [("from", &spec.from), ("to", &spec.to)].into_iter().enumerate() {
                for name in names {
                    match graph.node(name) {
                        Some(node) => nodes[side].push(node),
                        None => faults.push(fault(key, format!("no link leads to or from a node {name:?}"))),
                    }
                }
            }
            let [from, to] = nodes;
            if from.len() != spec.from.len() || to.len() != spec.to.len() {
                continue;
            }
            let servers = spec.senders();
            let pair = |copy: usize, server: usize| (from[(copy + server) % from.len()], to[copy % to.len()]);
            let mut pairs: Vec<(u32, u32)> =
                (0..spec.count as usize).flat_map(|copy| (0..servers).map(move |server| pair(copy, server))).collect();
            if let Some(&(node, _)) = pairs.iter().find(|(from, to)| from == to) {
                let name = spec.from.iter().find(|name| graph.node(name) == Some(node));
                faults.push(fault("to", format!("is {:?}, where the flow starts", name.map_or("", String::as_str))));
                continue;
            }
            pairs.sort_unstable();
            pairs.dedup();
            let Some(routes) = self.routes_of(&graph, scenario, group, &pairs, faults) else { continue };
            let requests = if spec.kind == TrafficKind::Web {
                let back: Vec<(u32, u32)> = pairs.iter().map(|&(server, client)| (client, server)).collect();
                let Some(requests) = self.routes_of(&graph, scenario, group, &back, faults) else { continue };
                requests
            } else {
                HashMap::new()
            };
            for copy in 0..spec.count {
                let ends = pair(copy as usize, 0);
                self.add_way(scenario, group, copy, ends, routes[&ends]);
                if spec.opens() {
                    let mut paths = Vec::new();
                    for server in 0..servers {
                        let ends = pair(copy as usize, server);
                        if server > 0 && spec.kind == TrafficKind::Incast {
                            self.note_crossing(routes[&ends], true);
                        }
                        paths.push(routes[&ends].path(ends, false));
                        let back = (ends.1, ends.0);
                        paths.extend(requests.get(&back).map(|route| route.path(back, true)));
                    }
                    self.sessions.push((self.ways.len() as u32 - 1, paths));
                }
            }
        }
    }

    /// Routes of the group between these ends; `None` if one is missing, which goes to `faults`.
    fn routes_of(
        &mut self,
        graph: &Graph,
        scenario: &Scenario,
        group: usize,
        pairs: &[(u32, u32)],
        faults: &mut Vec<Fault>,
    ) -> Option<HashMap<(u32, u32), Route>> {
        let spec = &scenario.traffic[group];
        let answered = spec.tcp.is_some();
        let back: Vec<(u32, u32)> = pairs.iter().map(|&(from, to)| (to, from)).collect();
        let (mut there, mut home) = (graph.shortest(pairs), graph.shortest(&back));
        if let Some(path) = &spec.path {
            let place = format!("traffic.{}.path", spec.name);
            if path.first() != spec.from.first() || path.last() != spec.to.first() || pairs.len() > 1 {
                faults.push(Fault::new(&place, "must start at `from` and end at `to`, one node each".to_owned()));
                return None;
            }
            match graph.along(path) {
                Ok(links) => there = vec![Some(links); pairs.len()],
                Err((from, to)) => {
                    faults.push(Fault::new(&place, format!("is not a path: no link leads from {from:?} to {to:?}")));
                    return None;
                }
            }
            let reversed: Vec<String> = path.iter().rev().cloned().collect();
            if let Ok(links) = graph.along(&reversed) {
                home = vec![Some(links); pairs.len()];
            }
        }
        let mut routes = HashMap::new();
        for (pair, (there, home)) in pairs.iter().zip(there.into_iter().zip(home)) {
            let home = if answered { home } else { Some(Vec::new()) };
            let (Some(there), Some(home)) = (there, home) else {
                let copy = (0..spec.count as usize).find(|&copy| {
                    let ends = (&spec.from[copy % spec.from.len()], &spec.to[copy % spec.to.len()]);
                    (graph.node(ends.0), graph.node(ends.1)) == (Some(pair.0), Some(pair.1))
                });
                let ends = copy.map(|copy| (&spec.from[copy % spec.from.len()], &spec.to[copy % spec.to.len()]));
                let (from, to) = ends.map_or(("", ""), |(from, to)| (from.as_str(), to.as_str()));
                let message = format!("{to:?} cannot be reached from {from:?}, or not back");
                faults.push(Fault::new(&format!("traffic.{}.to", spec.name), message));
                return None;
            };
            let data = self.lay(&there);
            let acks = if home.is_empty() { data } else { self.lay(&home) };
            self.describe_data_hops(scenario, data);
            routes.insert(*pair, Route { data, acks });
        }
        Some(routes)
    }

    fn lay(&mut self, links: &[u32]) -> u32 {
        let first = self.hops.len() as u32;
        self.hops.extend(links.iter().map(|&link| hop(link, false)));
        if let Some(last) = self.hops.last_mut() {
            last.last = true;
        }
        first
    }

    /// The hops of the route that starts at `first`.
    pub(crate) fn range(&self, first: u32) -> std::ops::RangeInclusive<usize> {
        let first = first as usize;
        let length = self.hops[first..].iter().position(|hop| hop.last).unwrap_or(0);
        first..=first + length
    }

    /// Mark the last queue that may lose data, and the first watched link.
    fn describe_data_hops(&mut self, scenario: &Scenario, first: u32) {
        let range = self.range(first);
        let spec = |hop: &Hop| &scenario.links[hop.link as usize];
        let hops = &mut self.hops[range];
        if let Some(at) = hops.iter().rposition(|hop| may_lose(spec(hop))) {
            hops[at].safe_behind = true;
        }
        if let Some(at) = hops.iter().position(|hop| spec(hop).watch) {
            hops[at].counted = true;
        }
    }

    fn add_way(&mut self, scenario: &Scenario, group: usize, copy: u32, ends: (u32, u32), route: Route) {
        self.note_crossing(route, scenario.traffic[group].tcp.is_some());
        self.ways.push(Way { group, copy, data_hop: route.data, ack_hop: route.acks, ends });
    }

    /// A flow takes this route: its links may know of it.
    fn note_crossing(&mut self, route: Route, tcp: bool) {
        let data = self.range(route.data);
        let delay = |plan: &Self, range: std::ops::RangeInclusive<usize>| {
            plan.hops[range].iter().fold(Span::ZERO, |sum, hop: &Hop| sum + plan.delays[hop.link as usize])
        };
        let round_trip = delay(self, data.clone()) + delay(self, self.range(route.acks));
        for at in data {
            let link = self.hops[at].link as usize;
            self.crossing[link] += 1;
            if tcp {
                self.rtts[link] = self.rtts[link].max(Some(round_trip));
            }
        }
    }
}

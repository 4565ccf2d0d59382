//! Routes of all flows: the path of least propagation delay, or the one that the scenario names.

use crate::graph::{Graph, ShortestPaths};
use crate::routes::{Hop, Route, RoutedFlow, Routes};
use crate::scenario::{LinkSpec, Scenario, TrafficKind, TrafficSpec};
use penstock_core::Span;
use penstock_link::ScenarioError;
use std::collections::HashMap;

/// The two ends of a route, by node number.
type Ends = (u32, u32);

/// First hops of data and of acknowledgements by the ends of the route, shared by all flows between them.
type Shared = HashMap<Ends, (u32, u32)>;

/// The routes of all flows, with links of these propagation delays. Errors of the scenario go to `errors`.
pub(crate) fn routes(scenario: &Scenario, delays: &[Span], errors: &mut Vec<ScenarioError>) -> Routes {
    let links = scenario.links.iter().zip(delays);
    let graph = Graph::new(links.map(|(link, delay)| (link.from.as_str(), link.to.as_str(), delay.as_nanos())));
    let paths = ShortestPaths::new(&graph);
    let mut router = Router { scenario, graph: &graph, paths, routes: Routes::default(), errors };
    for group in 0..scenario.traffic.len() {
        router.add_group(group);
    }
    router.routes
}

/// Whether packets may be lost on their way onto this link.
pub(crate) fn may_lose(link: &LinkSpec) -> bool {
    link.queue.is_some() || link.loss.is_some() || !link.edge.is_empty()
}

struct Router<'g, 'a> {
    scenario: &'a Scenario,
    graph: &'g Graph<'a>,
    paths: ShortestPaths<'g, 'a>,
    routes: Routes,
    errors: &'g mut Vec<ScenarioError>,
}

impl Router<'_, '_> {
    /// Find routes for the flows of a group, unless there is an error.
    fn add_group(&mut self, group: usize) -> Option<()> {
        let spec = &self.scenario.traffic[group];
        let (from, to) = (self.nodes(spec, "from", &spec.from), self.nodes(spec, "to", &spec.to));
        let (from, to) = (from?, to?);
        let servers = spec.senders();
        let ends = |copy: usize, server: usize| (from[(copy + server) % from.len()], to[copy % to.len()]);
        let mut pairs: Vec<Ends> =
            (0..spec.count as usize).flat_map(|copy| (0..servers).map(move |server| ends(copy, server))).collect();
        if pairs.iter().any(|(from, to)| from == to) {
            self.error(spec, "to", "must differ from the node where the flow starts".to_owned());
            return None;
        }
        pairs.sort_unstable();
        pairs.dedup();
        let shared = self.shared(spec, &pairs)?;
        let requests = if spec.kind == TrafficKind::Web {
            let back: Vec<Ends> = pairs.iter().map(|&(server, client)| (client, server)).collect();
            self.shared(spec, &back)?
        } else {
            Shared::new()
        };
        let route = |ends: Ends| route(shared[&ends], ends, false);
        for copy in 0..spec.count {
            self.routes.flows.push(RoutedFlow { group, copy, route: route(ends(copy as usize, 0)) });
            if spec.opens() {
                let mut routes = Vec::new();
                for server in 0..servers {
                    let ends = ends(copy as usize, server);
                    routes.push(route(ends));
                    let back = (ends.1, ends.0);
                    routes.extend(requests.get(&back).map(|&hops| self::route(hops, back, true)));
                }
                self.routes.sessions.push((self.routes.flows.len() as u32 - 1, routes));
            }
        }
        Some(())
    }

    fn error(&mut self, spec: &TrafficSpec, key: &str, message: String) {
        self.errors.push(ScenarioError::new(&format!("traffic.{}.{key}", spec.name), message));
    }

    /// The numbers of these nodes; `None` if one does not exist.
    fn nodes(&mut self, spec: &TrafficSpec, key: &str, names: &[String]) -> Option<Vec<u32>> {
        let mut nodes = Vec::new();
        for name in names {
            match self.graph.node(name) {
                Some(node) => nodes.push(node),
                None => self.error(spec, key, format!("no link leads to or from a node {name:?}")),
            }
        }
        (nodes.len() == names.len()).then_some(nodes)
    }

    /// Routes of a group between these ends; `None` if one is missing.
    fn shared(&mut self, spec: &TrafficSpec, pairs: &[Ends]) -> Option<Shared> {
        let back: Vec<Ends> = pairs.iter().map(|&(from, to)| (to, from)).collect();
        let (mut there, mut home) = (self.paths.shortest(pairs), self.paths.shortest(&back));
        if let Some(path) = &spec.path {
            let (named, named_back) = self.named_path(spec, path, pairs.len())?;
            there = vec![Some(named); pairs.len()];
            if let Some(links) = named_back {
                home = vec![Some(links); pairs.len()];
            }
        }
        let mut shared = Shared::new();
        for (&pair, (there, home)) in pairs.iter().zip(there.into_iter().zip(home)) {
            let home = if spec.tcp.is_some() { home } else { Some(Vec::new()) };
            let (Some(there), Some(home)) = (there, home) else {
                self.unreachable(spec, pair);
                return None;
            };
            let data = self.routes.add(&there);
            let acks = if home.is_empty() { data } else { self.routes.add(&home) };
            self.describe_data_hops(data);
            shared.insert(pair, (data, acks));
        }
        Some(shared)
    }

    /// The links of the path that the scenario names, and the links of the same path in reverse, if they exist.
    fn named_path(
        &mut self,
        spec: &TrafficSpec,
        path: &[String],
        pairs: usize,
    ) -> Option<(Vec<u32>, Option<Vec<u32>>)> {
        if path.first() != spec.from.first() || path.last() != spec.to.first() || pairs > 1 {
            self.error(spec, "path", "must start at `from` and end at `to`, one node each".to_owned());
            return None;
        }
        let reversed: Vec<String> = path.iter().rev().cloned().collect();
        match self.graph.along(path) {
            Ok(links) => Some((links, self.graph.along(&reversed).ok())),
            Err((from, to)) => {
                let message = format!("is not a path: no link leads from {from:?} to {to:?}");
                self.error(spec, "path", message);
                None
            }
        }
    }

    fn unreachable(&mut self, spec: &TrafficSpec, pair: Ends) {
        let names = |copy: usize| (&spec.from[copy % spec.from.len()], &spec.to[copy % spec.to.len()]);
        let nodes = |(from, to): (&String, &String)| (self.graph.node(from), self.graph.node(to));
        let found = (0..spec.count as usize).map(names).find(|&names| nodes(names) == (Some(pair.0), Some(pair.1)));
        let (from, to) = found.map_or(("", ""), |(from, to)| (from.as_str(), to.as_str()));
        self.error(spec, "to", format!("{to:?} cannot be reached from {from:?}, or not back"));
    }

    /// Mark the last queue that may lose data, and the first watched link.
    fn describe_data_hops(&mut self, first: u32) {
        let range = self.routes.range(first);
        let spec = |hop: &Hop| &self.scenario.links[hop.link as usize];
        let hops = &self.routes.hops[range.clone()];
        let counts = &mut self.routes.data_counts[range];
        if let Some(at) = hops.iter().rposition(|hop| may_lose(spec(hop))) {
            counts[at].safe_behind = true;
        }
        if let Some(at) = hops.iter().position(|hop| spec(hop).watch) {
            counts[at].throughput = true;
        }
    }
}

fn route((data_hop, ack_hop): (u32, u32), ends: Ends, request: bool) -> Route {
    Route { data_hop, ack_hop, ends, request }
}

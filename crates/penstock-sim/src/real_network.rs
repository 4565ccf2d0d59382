//! The network of a scenario for real packets: what the simulator draws, routes and resolves, without its traffic.

use crate::classes::Names;
use crate::graph::{Graph, ShortestPaths};
use crate::offered::Offered;
use crate::plan::Plan;
use crate::scenario::{LinkSpec, Scenario};
use penstock_core::{Span, Time};
use penstock_link::{LinkPlan, NetworkPlan, QueuePlan, ScenarioError};

/// The links of `scenario` with the values drawn for `seed`, and the routes of least propagation delay between these hosts,
/// which are nodes of the scenario. Routes named by traffic apply to the hosts at its ends.
///
/// # Errors
/// All errors of the scenario; hosts that are not nodes; links with keys that only a simulation has (`device_queue`),
/// and classes that match simulated flows (`traffic`, `flow`).
pub fn real_network(scenario: &Scenario, seed: u64, hosts: &[String]) -> Result<NetworkPlan, Vec<ScenarioError>> {
    let mut errors = scenario.errors();
    if !errors.is_empty() {
        return Err(errors);
    }
    let offered = Offered::new(scenario, &mut errors);
    let captured = vec![false; scenario.links.len()];
    let plan = Plan::new(scenario, seed, &offered.immediate_acks(), &captured, &mut errors);
    let names = Names::new(scenario);
    let mut links = Vec::with_capacity(scenario.links.len());
    for (number, spec) in scenario.links.iter().enumerate() {
        refuse_simulated(spec, &mut errors);
        let queue = QueuePlan::new(spec, |classes, path| names.classes(classes, path, &mut errors));
        let info = plan.link_info(offered.mtu(), number, spec);
        links.push(LinkPlan { spec: spec.clone(), rate: plan.rates[number], delay: plan.delays[number], info, queue });
    }
    let (nodes, routes) = routes(scenario, &plan.delays, hosts, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(NetworkPlan {
        seed,
        links,
        hosts: hosts.to_vec(),
        nodes,
        routes,
        warmup: Time::from_nanos(scenario.warmup_ns),
        end: Time::from_nanos(scenario.duration_ns),
        sampling: Span::from_nanos(scenario.sampling_ns),
    })
}

/// Keys that a real link cannot have.
fn refuse_simulated(link: &LinkSpec, errors: &mut Vec<ScenarioError>) {
    let mut refuse = |key: &str, message: &str| {
        errors.push(ScenarioError::new(&format!("links.{}.{key}", link.name), message.to_owned()));
    };
    if link.device_queue.is_some() {
        refuse("device_queue", "exists only in simulations: leave it out for a real link");
    }
    let classes = link.queue.iter().flat_map(|queue| queue.params.classes.iter().flatten());
    for class in classes.filter(|class| !class.matches.traffic.is_empty() || !class.matches.flow.is_empty()) {
        let message =
            format!("class {:?} matches simulated flows: on a real link match by dscp, protocol or ends", class.name);
        refuse("queue.classes", &message);
    }
}

/// The node of each host, and the links from each host to each other one.
fn routes(
    scenario: &Scenario,
    delays: &[Span],
    hosts: &[String],
    errors: &mut Vec<ScenarioError>,
) -> (Vec<u32>, Vec<Vec<Vec<u32>>>) {
    let links = scenario.links.iter().zip(delays);
    let graph = Graph::new(links.map(|(link, delay)| (link.from.as_str(), link.to.as_str(), delay.as_nanos())));
    let mut nodes = Vec::new();
    for host in hosts {
        match graph.node(host) {
            Some(node) => nodes.push(node),
            None => errors.push(ScenarioError::new("links", format!("no link leads to or from a node {host:?}"))),
        }
    }
    if nodes.len() < hosts.len() {
        return (nodes, Vec::new());
    }
    let between = |from: usize, to: usize| {
        if from == to {
            return Vec::new();
        }
        let named = scenario.traffic.iter().filter_map(|group| group.path.as_ref()).find_map(|path| {
            let ends = (path.first(), path.last());
            let mut path = path.clone();
            if ends == (Some(&hosts[to]), Some(&hosts[from])) {
                path.reverse();
            } else if ends != (Some(&hosts[from]), Some(&hosts[to])) {
                return None;
            }
            graph.along(&path).ok()
        });
        let shortest = || ShortestPaths::new(&graph).shortest(&[(nodes[from], nodes[to])]).pop().flatten();
        named.or_else(shortest).unwrap_or_default()
    };
    let routes = (0..hosts.len()).map(|from| (0..hosts.len()).map(|to| between(from, to)).collect()).collect();
    (nodes, routes)
}

//! Classes of packets: translates names of traffic, flows and nodes to numbers.

use crate::graph::Graph;
use crate::scenario::{ClassSpec, MatchSpec, Scenario, TrafficSpec, settings};
use penstock_core::Ecn;
use penstock_core::param::{ClassSetting, Match, nearest};
use penstock_link::ScenarioError;
use std::cell::OnceCell;
use std::ops::Range;

/// A range that contains no flow: an empty list would match all flows.
const NO_FLOW: (u32, u32) = (u32::MAX, u32::MAX);

/// The names of a scenario; nodes are numbered only if a scheme has classes.
pub(crate) struct Names<'a> {
    scenario: &'a Scenario,
    nodes: OnceCell<Graph<'a>>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(scenario: &'a Scenario) -> Self {
        Self { scenario, nodes: OnceCell::new() }
    }

    /// The classes at `path`, with numbers instead of names; unknown names go to `errors`.
    pub(crate) fn classes(
        &self,
        specs: &[ClassSpec],
        path: &str,
        errors: &mut Vec<ScenarioError>,
    ) -> Vec<ClassSetting> {
        let class = |(i, spec): (usize, &ClassSpec)| {
            let mut report = |key: &str, message: String| {
                errors.push(ScenarioError::new(&format!("{path}.classes[{i}].match.{key}"), message));
            };
            let queue = spec.queue.as_ref();
            ClassSetting {
                name: spec.name.clone(),
                matches: self.matches(&spec.matches, &mut report),
                settings: settings(&spec.params),
                queue: queue.map(|queue| (queue.scheme.clone(), settings(&queue.params))),
            }
        };
        specs.iter().enumerate().map(class).collect()
    }

    fn matches(&self, spec: &MatchSpec, report: &mut dyn FnMut(&str, String)) -> Match {
        let traffic = spec.traffic.iter().filter_map(|name| {
            let flows = self.flows_of(name);
            if flows.is_none() {
                report("traffic", self.no_traffic(name));
            }
            flows.filter(|flows| !flows.is_empty())
        });
        let traffic: Vec<(u32, u32)> = traffic.map(|flows| (flows.start, flows.end - 1)).collect();
        let flows = spec.flow.iter().filter_map(|(name, number)| {
            let flows = self.flows_of(name);
            if flows.is_none() {
                report("flow", self.no_traffic(name));
            }
            // A number beyond the last flow is allowed, as another run of a comparison may have more flows.
            flows.and_then(|mut flows| flows.nth(*number as usize))
        });
        let flows: Vec<(u32, u32)> = flows.map(|flow| (flow, flow)).collect();
        let flows = match (spec.traffic.is_empty(), spec.flow.is_empty()) {
            (true, true) => Vec::new(),
            (false, true) => or_none(traffic),
            (true, false) => or_none(flows),
            (false, false) => {
                let within = |&(flow, _): &(u32, u32)| traffic.iter().any(|&(low, high)| (low..=high).contains(&flow));
                or_none(flows.into_iter().filter(within).collect())
            }
        };
        Match {
            dscp: spec.dscp.clone(),
            flows,
            from: self.numbers_of(&spec.from, &mut |message| report("from", message)),
            to: self.numbers_of(&spec.to, &mut |message| report("to", message)),
            protocol: spec.protocol.clone(),
            ecn: spec.ecn.iter().filter_map(|word| ecn(word, report)).collect(),
            size: spec.size,
        }
    }

    /// The numbers of the flows of a group. Flows are numbered through the groups in their order.
    fn flows_of(&self, name: &str) -> Option<Range<u32>> {
        let groups = &self.scenario.traffic;
        let at = groups.iter().position(|group| group.name == name)?;
        if groups[at].opens_many() {
            return None;
        }
        let first = groups[..at].iter().map(|group| group.count).sum();
        Some(first..first + groups[at].count)
    }

    fn no_traffic(&self, name: &str) -> String {
        let many = |group: &TrafficSpec| group.name == name && group.opens_many();
        if self.scenario.traffic.iter().any(many) {
            return format!("the connections of traffic such as {name:?} come and go; match them by dscp, from or to");
        }
        match nearest(name, self.scenario.traffic.iter().map(|group| group.name.as_str())) {
            Some(right) => format!("unknown traffic {name:?}: did you mean {right:?}?"),
            None => format!("unknown traffic {name:?}"),
        }
    }

    fn numbers_of(&self, names: &[String], report: &mut dyn FnMut(String)) -> Vec<u32> {
        let number = |name: &String| {
            let number = self.nodes().node(name);
            if number.is_none() {
                report(format!("no link leads to or from a node {name:?}"));
            }
            number
        };
        names.iter().filter_map(number).collect()
    }

    /// The nodes, with the numbers used for routes.
    fn nodes(&self) -> &Graph<'a> {
        let ends = || self.scenario.links.iter().map(|link| (link.from.as_str(), link.to.as_str(), 0));
        self.nodes.get_or_init(|| Graph::new(ends()))
    }
}

fn or_none(flows: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    if flows.is_empty() { vec![NO_FLOW] } else { flows }
}

fn ecn(word: &str, report: &mut dyn FnMut(&str, String)) -> Option<Ecn> {
    let ecn = Ecn::from_word(word);
    if ecn.is_none() {
        report("ecn", format!("{word:?} is none of {}", Ecn::ALL.map(Ecn::word).join(", ")));
    }
    ecn
}

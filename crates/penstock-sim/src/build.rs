//! Builds the engine of a run from a scenario and a seed: links, flows, sessions.

mod flows;
mod links;
mod permitted_modes;
mod ranks;

use crate::engine::Engine;
use crate::event::EventSource;
use crate::event_queue::EventQueue;
use crate::flow::{Flow, FlowFacts};
use crate::link::Link;
use crate::network::{ARRIVED, Network, NextAck};
use crate::offered::{self, Offered};
use crate::packet::{SackTable, SimPacket};
use crate::pcap::Capture;
use crate::plan::Plan;
use crate::port::{Mode, Modes, Port, PortDiscipline};
use crate::prepared::Prepared;
use crate::probe::flow::{LossRuns, Window};
use crate::record::Record;
use crate::routes::{COMPUTED, Hop, NOT_PRECOMPUTED, Routes};
use crate::scenario::Scenario;
use crate::tally::{Amount, Tally};
use crate::trace::Trace;
use flows::Flows;
use links::Links;
use penstock_aqm::Capabilities;
use penstock_core::Time;
use penstock_link::AqmFactory;
use penstock_link::ScenarioError;
use penstock_link::probe::queue::QueueStats;
use ranks::Ranks;
use std::collections::VecDeque;
use std::sync::Arc;

/// From this number of flows on, their state is larger than the caches of a core.
const MANY_FLOWS: usize = 2000;

/// Build the engine, or find all errors of the scenario.
pub(crate) fn build(
    prepared: &Prepared<'_>,
    seed: u64,
    record: &Record,
    modes: Modes,
    aqms: &dyn AqmFactory,
) -> Result<Engine, Vec<ScenarioError>> {
    let captured: Vec<bool> =
        (0..prepared.scenario.links.len() as u32).map(|link| record.captured_links.contains(&link)).collect();
    let (builder, queues) = prepare(prepared, seed, &captured, aqms)?;
    let capture = captured.contains(&true).then(|| {
        let Builder { plan, offered, .. } = &builder;
        let flows = plan.routes.flows.iter().map(|flow| (flow.route.ends, offered.tcps[flow.group].as_ref()));
        Box::new(Capture::new(captured, flows))
    });
    let mut engine = builder.engine(queues, record, modes);
    engine.network.tally.observed |= capture.is_some();
    engine.network.tally.capture = capture;
    Ok(engine)
}

/// All errors of the scenario; empty if an engine can be built.
pub(crate) fn check(scenario: &Scenario, seed: u64, aqms: &dyn AqmFactory) -> Vec<ScenarioError> {
    prepare(&Prepared::new(scenario), seed, &vec![false; scenario.links.len()], aqms).err().unwrap_or_default()
}

/// Check everything, and build the parts that can be invalid: the plan and the queues. `captured`: for each link,
/// whether its packets are recorded.
fn prepare<'a>(
    prepared: &Prepared<'a>,
    seed: u64,
    captured: &[bool],
    aqms: &dyn AqmFactory,
) -> Result<(Builder<'a>, Vec<Option<PortDiscipline>>), Vec<ScenarioError>> {
    let (scenario, mut errors) = (prepared.scenario, prepared.errors.clone());
    let Some(parts) = &prepared.parts else { return Err(errors) };
    let plan = parts.plan(scenario, seed, captured, &mut errors);
    let queues = links::queues(scenario, seed, parts, &plan, aqms, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let offered = parts.offered.clone();
    let ranks = Ranks::new(scenario, &plan, &offered.immediate_acks());
    let horizon = EventQueue::horizon(ranks.sources.len());
    if Time::from_nanos(scenario.duration_ns) >= horizon {
        let message = format!("must be below {:.0} s with this number of flows and links", horizon.as_secs());
        return Err(vec![ScenarioError::new("duration", message)]);
    }
    Ok((Builder { scenario, seed, plan, offered, ranks }, queues))
}

/// A valid scenario and its plan.
struct Builder<'a> {
    scenario: &'a Scenario,
    seed: u64,
    plan: Arc<Plan>,
    offered: Offered,
    ranks: Ranks,
}

impl Builder<'_> {
    /// Whether the state of flows is fetched ahead of its use: it does not fit into the caches.
    fn fetches(&self) -> bool {
        self.plan.routes.flows.len() >= MANY_FLOWS
    }

    fn engine(self, queues: Vec<Option<PortDiscipline>>, record: &Record, permitted: Modes) -> Engine {
        let traced = record.trace;
        // Records of packets are in the order of time.
        let computed = if self.scenario.options.computed_links { Modes::ALL } else { Modes::EVENTED_ONLY };
        let permitted = computed.and(permitted_modes::of_record(record)).and(permitted);
        let mut events = EventQueue::new(self.ranks.sources.len());
        let facts = self.facts(&queues, record.flow_facts);
        let Links { directions: links, ports, changes, lines } = self.links(queues, permitted, &mut events);
        let hops = self.hops(&links, &ports);
        // Traces, probes of the responsiveness, and schemes that use round-trip times observe senders at any time; without
        // them, senders may process ACKs early.
        let probed = self.scenario.traffic.iter().any(|group| !group.rpm_of.is_empty());
        let looks_ahead = !traced && !probed && facts.rtts.is_none();
        let sender_series = self.sender_series();
        let observes_senders = !looks_ahead || !sender_series.is_empty();
        let Flows { mut hosts, flows } = self.flows(looks_ahead, &mut events);
        let sessions = self.sessions(&mut events, &mut hosts);
        let (start, end) = (self.scenario.warmup_ns, self.scenario.duration_ns);
        let window = Window { start: Time::from_nanos(start), end: Time::from_nanos(end) };
        if window.start > Time::ZERO {
            events.set(self.ranks.of(EventSource::WarmupEnd), window.start);
        }
        let tally = self.tally(&ports, flows, window, traced);
        let network = Network {
            events,
            hops,
            links,
            ports,
            changes,
            lines,
            first_line: self.ranks.first(EventSource::Arrival(0)),
            first_port: self.ranks.first(EventSource::Transmission(0)),
            tally,
            facts,
            fetches: self.fetches(),
            more_acks: VecDeque::new(),
            ack: NextAck { at: Time::NEVER, line: ARRIVED, packet: SimPacket::NONE },
        };
        Engine {
            network,
            users: hosts.len(),
            first_flow: self.ranks.first(EventSource::Sender(0)),
            hosts,
            before: Vec::new(),
            sender_series,
            observes_senders,
            sources: self.ranks.sources,
            events: 0,
            clock: Time::ZERO,
            sessions,
            openings: Vec::new(),
            max_sources: EventQueue::max_sources(window.end),
            overflowed: false,
        }
    }

    /// The hops of all routes, with their ports.
    fn hops(&self, links: &[Link], ports: &[Port]) -> Vec<Hop> {
        let is_precomputed = |port: usize| matches!(ports[port].mode, Mode::Precomputed(_));
        let numbered = |port: usize| port as u32 | if is_precomputed(port) { 0 } else { NOT_PRECOMPUTED };
        let mut hops = self.plan.routes.hops.clone();
        for hop in &mut hops {
            hop.port = links[hop.link as usize].port().map_or(COMPUTED, numbered);
        }
        hops
    }

    /// The statistics of the run.
    fn tally(&self, ports: &[Port], flows: Vec<Flow>, window: Window, traced: bool) -> Tally {
        let groups = || self.plan.routes.flows.iter().map(|flow| flow.group);
        let watched = self.scenario.links.iter().map(|link| link.watch).collect();
        // Computed once, not for each queue, since it searches all links.
        let has_codepoints = self.scenario.has_codepoints();
        let stats =
            |port: &Port| self.queue_stats(&self.scenario.links[port.queue.outlet.link as usize], has_codepoints);
        let queues: Vec<QueueStats> = ports.iter().map(stats).collect();
        Tally {
            observed: traced || queues.iter().any(QueueStats::is_observed),
            queues,
            port: 0,
            links: ports.iter().map(|port| port.queue.outlet.link).collect(),
            flows,
            loss_runs: vec![LossRuns::default(); self.scenario.traffic.len()],
            blocks: offered::blocks(self.scenario, groups()),
            one_way: offered::one_way_delays(self.scenario, groups()),
            frames: offered::frames(self.scenario, groups()),
            sacks: SackTable::default(),
            window,
            under_way: Amount::default(),
            trace: traced.then(|| Box::new(Trace::new(watched))),
            capture: None,
            data_counts: self.plan.routes.data_counts.clone(),
        }
    }

    /// The facts about flows that any queue asks for, or all facts if they are `wanted` in any case.
    fn facts(&self, queues: &[Option<PortDiscipline>], wanted: bool) -> FlowFacts {
        let all = queues.iter().flatten().map(|queue| queue.capabilities()).reduce(Capabilities::union);
        let reads = |read: fn(Capabilities) -> bool| wanted || all.is_some_and(read);
        if !reads(Capabilities::reads_rare_at_arrival) {
            return FlowFacts::default();
        }
        let reads_more = reads(Capabilities::reads_more_than_hosts);
        let Routes { flows, .. } = &self.plan.routes;
        FlowFacts {
            hosts: flows.iter().map(|flow| flow.route.ends).collect(),
            rtts: reads_more.then(|| vec![None; flows.len()]),
            units: if reads_more && offered::has_video(self.scenario) {
                vec![Vec::new(); flows.len()]
            } else {
                Vec::new()
            },
        }
    }
}

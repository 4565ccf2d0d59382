//! From a scenario and a seed to an engine that is ready to run.

use crate::ahead::Ahead;
use crate::change::Change;
use crate::classes::Names;
use crate::connections::{NO_SESSION, Past, Session};
use crate::engine::{Engine, Host, Job, Source, Stage};
use crate::event::Agenda;
use crate::line::Lines;
use crate::link::{Link, Port, STEADY, State, Wire};
use crate::loss::Loss;
use crate::network::Network;
use crate::offered::{self, Offered};
use crate::overtaken::Overtaken;
use crate::packet::{SackTable, SimPacket};
use crate::pcap::Capture;
use crate::plan::{Plan, Way};
use crate::probe::flow::{FlowStats, LossRuns, Window};
use crate::probe::queue::QueueStats;
use crate::scenario::{ClassSpec, EdgeSpec, LinkSpec, Scenario, TrafficSpec, values};
use crate::tally::{Amount, Flow, FlowFacts, Hop, PROMPT, Tally};
use crate::trace::Trace;
use crate::traffic::session::Behaviour;
use crate::{Fault, Laws, Wanted};
use penstock_aqm::edge::conditioned::{self, Conditioned};
use penstock_aqm::{Discipline, Fifo, LinkInfo};
use penstock_core::{Bytes, Limit, Rate, Rng, Span, Time};
use penstock_tcp::{Receiver, Sender, TcpParams};
use std::sync::Arc;

/// Build the engine, or tell all that is wrong with the scenario.
pub(crate) fn build(scenario: &Scenario, seed: u64, wanted: &Wanted, laws: &dyn Laws) -> Result<Engine, Vec<Fault>> {
    let mut faults = scenario.faults();
    if !faults.is_empty() {
        return Err(faults);
    }
    let offered = Offered::new(scenario, &mut faults);
    let tcps = &offered.tcps;
    let prompt: Vec<bool> =
        tcps.iter().map(|params| params.as_ref().is_some_and(|params| Receiver::new(params).is_prompt())).collect();
    let captured: Vec<bool> = (0..scenario.links.len() as u32).map(|link| wanted.captured.contains(&link)).collect();
    let plan = Plan::new(scenario, seed, &prompt, &captured, &mut faults);
    let queues = queues(scenario, seed, (&plan, &offered), laws, &mut faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    let ranks = Ranks::new(scenario, &plan, &prompt);
    if Time::from_nanos(scenario.duration_ns) >= Agenda::horizon(ranks.jobs.len()) {
        let longest = Agenda::horizon(ranks.jobs.len()).as_secs();
        return Err(vec![Fault::new("duration", format!("must be below {longest:.0} s with so many flows and links"))]);
    }
    let mut engine = assemble(scenario, seed, &plan, &offered, queues, ranks, wanted.trace);
    if captured.contains(&true) {
        engine.network.tally.capture = Some(Box::new(Capture::new(captured, &plan, &offered.tcps)));
    }
    Ok(engine)
}

/// The discipline of a link, and whether its timer moves at every operation.
struct Queue {
    discipline: Box<dyn Discipline<SimPacket, Tally>>,
    restless: bool,
}

/// The disciplines of the links that have one, in the order of the links.
fn queues(
    scenario: &Scenario,
    seed: u64,
    (plan, offered): (&Plan, &Offered),
    laws: &dyn Laws,
    faults: &mut Vec<Fault>,
) -> Vec<Option<Queue>> {
    let names = Names::new(scenario);
    let mut of = |(number, link): (usize, &LinkSpec)| {
        let info = plan.link_info(offered, number, link);
        let path = format!("links.{}.queue", link.name);
        let (scheme, settings) = match &link.queue {
            Some(queue) => {
                let mut found = |specs: &[ClassSpec]| names.classes(specs, &path, faults);
                (queue.scheme.as_str(), values(&queue.params, &mut found))
            }
            None if plan.computed[number] => return None,
            None => ("droptail", Vec::new()),
        };
        let stages = stages(link, &info, &names, faults);
        let queue = match laws.build(scheme, &settings, &info) {
            Some(law) => law.map(|law| Box::new(Fifo::new(law, info.limit)) as Box<dyn Discipline<SimPacket, Tally>>),
            None => penstock_aqm::build(scheme, &settings, &info, Time::ZERO),
        };
        match queue {
            Ok(queue) if stages.is_empty() => Some(Queue { discipline: queue, restless: false }),
            Ok(queue) => {
                let queue = Conditioned::new(stages, queue, Rng::stream(seed, &format!("{}.edge", link.name)));
                Some(Queue { restless: queue.timer_moves(), discipline: Box::new(queue) })
            }
            Err(errors) => {
                faults.extend(errors.into_iter().map(|error| Fault::parameter(&path, error)));
                None
            }
        }
    };
    scenario.links.iter().enumerate().map(&mut of).collect()
}

/// What stands before the queue of a link.
fn stages(
    link: &LinkSpec,
    info: &LinkInfo,
    names: &Names<'_>,
    faults: &mut Vec<Fault>,
) -> Vec<conditioned::Stage<SimPacket>> {
    let stage = |(i, spec): (usize, &EdgeSpec)| {
        let path = format!("links.{}.edge[{i}]", link.name);
        let settings = values(&spec.params, &mut |classes: &[ClassSpec]| names.classes(classes, &path, faults));
        let limit = spec.limit.map_or(Limit::Infinite, Limit::from);
        match penstock_aqm::build_stage(&spec.kind, &settings, limit, info, Time::ZERO) {
            Ok(stage) => Some(stage),
            Err(errors) => {
                faults.extend(errors.into_iter().map(|error| Fault::parameter(&path, error)));
                None
            }
        }
    };
    link.edge.iter().enumerate().filter_map(stage).collect()
}

impl Plan {
    /// What the law on this link may know of it.
    fn link_info(&self, offered: &Offered, number: usize, link: &LinkSpec) -> LinkInfo {
        LinkInfo {
            rate: self.rates[number],
            limit: link.queue.as_ref().map_or(Limit::Infinite, |queue| queue.limit.into()),
            mean_packet: Bytes(1000),
            mtu: offered.mtu(),
            rtt: link.rtt_ns.map(Span::from_nanos).or(self.rtts[number]),
            flows: Some(self.crossing[number]).filter(|&flows| flows > 0),
        }
    }
}

/// The ranks of all sources of events: class by class, in each by number.
struct Ranks {
    jobs: Vec<Job>,
    /// How many of the first ranks move at almost every event.
    busy: usize,
}

impl Ranks {
    fn new(scenario: &Scenario, plan: &Plan, prompt: &[bool]) -> Self {
        let count = |wanted: &mut dyn Iterator<Item = bool>| wanted.filter(|&is| is).count() as u32;
        let changes = count(&mut scenario.links.iter().map(|link| !link.is_steady()));
        let ports = count(&mut plan.computed.iter().map(|&computed| !computed));
        let lines = count(&mut plan.has_line.iter().copied());
        let flows = 0..plan.ways.len() as u32;
        let delayed = |flow: &u32| {
            let group = plan.ways[*flow as usize].group;
            scenario.traffic[group].tcp.is_some() && !prompt[group]
        };
        let mut jobs = vec![Job::Warm];
        jobs.extend((0..changes).map(Job::Change));
        jobs.extend((0..ports).map(Job::Transmission));
        jobs.extend((0..lines).map(Job::Arrival));
        let unsteady = scenario.links.iter().filter(|link| !link.is_steady());
        jobs.extend((0..).zip(unsteady).filter(|(_, link)| link.reorder.is_some()).map(|(i, _)| Job::Overtaken(i)));
        jobs.extend((0..ports).map(Job::QueueTimer));
        jobs.extend(flows.clone().filter(delayed).map(Job::ReceiverTimer));
        jobs.extend(flows.map(Job::Flow));
        jobs.extend((0..plan.sessions.len() as u32).map(Job::Session));
        Self { jobs, busy: 1 + (changes + ports) as usize }
    }

    fn of(&self, job: Job) -> Option<u32> {
        self.jobs.binary_search(&job).ok().map(|rank| rank as u32)
    }
}

fn assemble(
    scenario: &Scenario,
    seed: u64,
    plan: &Plan,
    offered: &Offered,
    queues: Vec<Option<Queue>>,
    ranks: Ranks,
    traced: bool,
) -> Engine {
    let mut agenda = Agenda::new(ranks.jobs.len(), ranks.busy);
    let facts = if queues.iter().flatten().any(|queue| queue.discipline.wants_rare()) {
        FlowFacts {
            hosts: plan.ways.iter().map(|way| way.ends).collect(),
            rtts: vec![None; plan.ways.len()],
            units: if offered::has_video(scenario) { vec![Vec::new(); plan.ways.len()] } else { Vec::new() },
        }
    } else {
        FlowFacts::default()
    };
    let (mut links, mut ports, mut lines) = (Vec::with_capacity(scenario.links.len()), Vec::new(), 0);
    let mut changes: Vec<Change> = Vec::new();
    for (number, (spec, queue)) in scenario.links.iter().zip(queues).enumerate() {
        let port = queue.map(|queue| {
            let place = ports.len() as u32;
            ports.push(port(seed, &ranks, &mut agenda, place, number, spec, queue));
            if !spec.is_steady() {
                let change = changes.len() as u32;
                let rank = ranks.of(Job::Change(change)).unwrap_or_default();
                let overtaken = ranks.of(Job::Overtaken(change)).map(Overtaken::new);
                changes.push(Change::new(spec, seed, place, rank, plan.link_info(offered, number, spec), overtaken));
                agenda.set(rank, changes[change as usize].next());
                ports[place as usize].change = change;
            }
            place
        });
        links.push(Link::new(Wire::new(plan.rates[number]), plan.delays[number], port, lines));
        lines += u32::from(plan.has_line[number]);
    }
    // Exactly as many as there are: with a hundred thousand flows the reserve of a growing vector is megabytes.
    let flow_count = plan.ways.len();
    let (mut hosts, mut flows) = (Vec::with_capacity(flow_count), Vec::with_capacity(flow_count));
    for (flow, way) in plan.ways.iter().enumerate() {
        let group = &scenario.traffic[way.group];
        let (flow, params) = (flow as u32, offered.tcps[way.group].as_ref());
        flows.push(Flow {
            stats: FlowStats::default(),
            ack_hop: way.ack_hop,
            group: way.group as u32,
            receiver_rank: ranks.of(Job::ReceiverTimer(flow)).unwrap_or(PROMPT),
            dscp: group.dscp,
            epoch: 0,
            receiver: params.filter(|_| !group.opens()).map(|params| Receiver::new(params)),
        });
        let rank = ranks.of(Job::Flow(flow)).unwrap_or_default();
        let mut host = host(group, seed, way, rank, offered);
        // A trace and a scheme that asks for round-trip times look at a sender at any time.
        if !traced && facts.rtts.is_empty() {
            host.unseen =
                Time::from_nanos(if scenario.warmup_ns > 0 { scenario.warmup_ns - 1 } else { scenario.duration_ns })
                    .min(host.stop);
        }
        agenda.set(rank, host.start);
        hosts.push(host);
    }
    let (start, end) = (Time::from_nanos(scenario.warmup_ns), Time::from_nanos(scenario.duration_ns));
    if start > Time::ZERO {
        agenda.set(0, start);
    }
    let tally = Tally {
        queues: ports.iter().map(|port| queue_stats(scenario, &scenario.links[port.link as usize])).collect(),
        port: 0,
        link: 0,
        hops: plan.hops.clone(),
        flows,
        loss_runs: vec![LossRuns::default(); scenario.traffic.len()],
        blocks: offered::blocks(scenario, plan.ways.iter().map(|way| way.group)),
        frames: offered::frames(scenario, plan.ways.iter().map(|way| way.group)),
        sacks: SackTable::default(),
        window: Window { start, end },
        entered: Amount::default(),
        delivered: Amount::default(),
        lost: Amount::default(),
        trace: traced.then(|| Box::new(Trace::new(scenario.links.iter().map(|link| link.watch).collect()))),
        capture: None,
    };
    let first_line = ranks.of(Job::Arrival(0)).unwrap_or_default();
    let sessions = sessions(scenario, seed, plan, &offered.tcps, &ranks, &mut agenda, &mut hosts);
    Engine {
        network: Network {
            agenda,
            links,
            ports,
            changes,
            lines: Lines::new(lines as usize),
            first_line,
            tally,
            facts,
            homing: SimPacket::NONE,
            home_at: Time::NEVER,
        },
        hosts,
        before: Vec::new(),
        jobs: ranks.jobs,
        events: 0,
        users: flow_count,
        sessions,
        openings: Vec::new(),
        most_jobs: Agenda::most_sources(end),
        overflowed: false,
    }
}

/// The sessions, each with the flow of its number, which waits for it.
fn sessions(
    scenario: &Scenario,
    seed: u64,
    plan: &Plan,
    tcps: &[Option<Arc<TcpParams>>],
    ranks: &Ranks,
    agenda: &mut Agenda,
    hosts: &mut [Host],
) -> Vec<Session> {
    let mut sessions = Vec::with_capacity(plan.sessions.len());
    for (number, (flow, paths)) in plan.sessions.iter().enumerate() {
        let group = plan.ways[*flow as usize].group;
        let spec = &scenario.traffic[group];
        let Some(data) = tcps[group].clone() else { continue };
        let rank = ranks.of(Job::Session(number as u32)).unwrap_or_default();
        let host = &mut hosts[*flow as usize];
        let start = host.start;
        agenda.clear(host.rank);
        *host = Host { unseen: host.unseen, ..Host::idle(host.rank, spec.dscp, Arc::clone(&data), number as u32) };
        let mut request = (*data).clone();
        let mut rng = Rng::stream(seed, &format!("{}.{}", spec.name, plan.ways[*flow as usize].copy));
        let senders = spec.senders() as u32;
        let behaviour = match (&spec.web, &spec.onoff, &spec.incast, &spec.transfers) {
            (Some(web), ..) => {
                request.packet = Bytes(u64::from(web.request));
                Behaviour::web(web, start, senders, data.packet.0 as u32)
            }
            (_, Some(onoff), ..) => Behaviour::transfers(onoff, start),
            (_, _, Some(incast), Some(transfers)) => Behaviour::incast(incast, transfers, start, senders),
            (_, _, None, Some(transfers)) => Behaviour::arrivals(transfers, start, &mut rng),
            _ => unreachable!("the scenario was checked"),
        };
        let session = Session {
            behaviour,
            rng,
            rank,
            group: group as u32,
            dscp: spec.dscp,
            request: Arc::new(request),
            data,
            paths: paths.clone(),
            stop: spec.stop_ns.map_or(Time::NEVER, Time::from_nanos),
            flows: vec![*flow],
            free: vec![*flow],
            past: Past::default(),
        };
        agenda.set(rank, session.next());
        sessions.push(session);
    }
    sessions
}

fn port(seed: u64, ranks: &Ranks, agenda: &mut Agenda, place: u32, link: usize, spec: &LinkSpec, queue: Queue) -> Port {
    let timer_rank = ranks.of(Job::QueueTimer(place)).unwrap_or_default();
    let Queue { discipline: queue, restless } = queue;
    agenda.set(timer_rank, queue.next_timeout().unwrap_or(Time::NEVER));
    Port {
        queue,
        rng: Rng::stream(seed, &format!("{}.aqm", spec.name)),
        loss: spec.loss.as_ref().map(|loss| Loss::new(loss, seed, &spec.name)),
        transmission_rank: ranks.of(Job::Transmission(place)).unwrap_or_default(),
        timer_rank,
        state: State::Idle,
        restless,
        link: link as u32,
        change: STEADY,
    }
}

fn queue_stats(scenario: &Scenario, spec: &LinkSpec) -> QueueStats {
    let series = scenario.options.series && spec.watch;
    let even = scenario.duration_ns / scenario.options.series_points.max(1);
    let width = Span::from_nanos(even.max(scenario.sampling_ns));
    let sampling = Span::from_nanos(scenario.sampling_ns);
    let by_codepoint = spec.watch && scenario.has_codepoints();
    QueueStats::new(Time::ZERO, sampling, series.then_some(width), by_codepoint)
}

fn host(group: &TrafficSpec, seed: u64, way: &Way, rank: u32, offered: &Offered) -> Host {
    let name = format!("{}.{}", group.name, way.copy);
    let start = group.start.draw(way.copy, &mut Rng::stream(seed, &format!("{name}.start")));
    let source = if let Some(params) = &offered.tcps[way.group] {
        Source::Tcp(Sender::new(Arc::clone(params)))
    } else {
        let emitter = offered.emitter(way.group, group, Rng::stream(seed, &name));
        Source::Udp(Box::new(emitter), Time::NEVER, 0)
    };
    Host {
        source,
        start,
        stop: group.stop_ns.map_or(Time::NEVER, Time::from_nanos),
        unseen: Time::ZERO,
        stage: Stage::Waiting,
        hop: way.data_hop,
        dscp: group.dscp,
        rank,
        armed: start,
        session: NO_SESSION,
        tag: 0,
        path: 0,
        epoch: 0,
    }
}

/// Hops of a route for the plan.
pub(crate) fn hop(link: u32, last: bool) -> Hop {
    Hop { link, last, ahead: Ahead::Never, safe_behind: false, counted: false }
}

/// A rate as the wire takes it.
pub(crate) fn rate(bits_per_second: f64) -> Rate {
    Rate::from_bits_per_second(bits_per_second.round().max(1.0) as u64)
}

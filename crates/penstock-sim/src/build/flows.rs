//! Flows and sessions.

use super::Builder;
use crate::event::EventSource;
use crate::event_queue::EventQueue;
use crate::flow::{Flow, NO_TIMER};
use crate::host::{FlowState, Host, Origin, Source};
use crate::probe::flow::FlowStats;
use crate::probe::responsiveness::Probes;
use crate::probe::sender::SenderSeries;
use crate::routes::RoutedFlow;
use crate::scenario::TrafficSpec;
use crate::session::{ClosedConnections, NO_SESSION, Session};
use crate::traffic::behaviour::Behaviour;
use penstock_core::{Bytes, Rng, Time};
use penstock_prefetch::use_huge_pages;
use penstock_tcp::{Receiver, Sender, TcpParams};
use std::sync::Arc;

/// The senders and receivers of all flows.
pub(super) struct Flows {
    pub(super) hosts: Vec<Host>,
    pub(super) flows: Vec<Flow>,
}

impl Builder<'_> {
    /// All flows of the scenario; their starts are scheduled. With `looks_ahead`, senders may process acknowledgements
    /// ahead of time.
    pub(super) fn flows(&self, looks_ahead: bool, events: &mut EventQueue) -> Flows {
        let count = self.plan.routes.flows.len();
        // Exact capacities: with a hundred thousand flows the reserve of a growing vector is megabytes.
        let (mut hosts, mut flows) = (Vec::with_capacity(count), Vec::with_capacity(count));
        use_huge_pages(&hosts);
        use_huge_pages(&flows);
        for (number, planned) in (0..).zip(&self.plan.routes.flows) {
            flows.push(self.flow(number, planned));
            let mut host = self.host(number, planned);
            if looks_ahead {
                // All counts are read at the end of the warm-up.
                let (warmup, end) = (self.scenario.warmup_ns, self.scenario.duration_ns);
                host.lookahead_until = Time::from_nanos(if warmup > 0 { warmup - 1 } else { end }).min(host.stop);
            }
            events.set(host.rank, host.start);
            hosts.push(host);
        }
        Flows { hosts, flows }
    }

    /// For each flow, the series of its sender if the sender is watched; empty if no sender is.
    pub(super) fn sender_series(&self) -> Vec<Option<Box<SenderSeries>>> {
        let traffic = &self.scenario.traffic;
        if !self.scenario.options.series || !traffic.iter().any(|group| group.watch) {
            return Vec::new();
        }
        let series = || Box::new(SenderSeries::new(self.series_width()));
        self.plan.routes.flows.iter().map(|flow| traffic[flow.group].watch.then(series)).collect()
    }

    /// The receiver of a flow.
    fn flow(&self, number: u32, planned: &RoutedFlow) -> Flow {
        let group = &self.scenario.traffic[planned.group];
        let params = self.offered.tcps[planned.group].as_ref();
        Flow {
            stats: FlowStats::default(),
            ack_hop: planned.route.ack_hop,
            group: planned.group as u32,
            receiver_rank: self.ranks.find(EventSource::ReceiverTimer(number)).unwrap_or(NO_TIMER),
            dscp: group.codepoint(),
            measured: group.delays,
            epoch: 0,
            receiver: params.filter(|_| !group.opens()).map(|params| Receiver::new(params)),
        }
    }

    /// The sender of a flow.
    fn host(&self, number: u32, planned: &RoutedFlow) -> Host {
        let group = &self.scenario.traffic[planned.group];
        let stream = |part: &str| Rng::stream(self.seed, format_args!("{}.{}{part}", group.name, planned.copy));
        let start = group.start.draw(planned.copy, || stream(".start"));
        let source = if let Some(params) = &self.offered.tcps[planned.group] {
            Source::Tcp(Sender::new(Arc::clone(params)))
        } else {
            let emitter = self.offered.emitter(planned.group, group, stream(""));
            Source::Udp(Box::new(emitter), Time::NEVER, 0)
        };
        Host {
            source,
            start,
            stop: group.stop_ns.map_or(Time::NEVER, Time::from_nanos),
            lookahead_until: Time::ZERO,
            state: FlowState::Waiting,
            origin: Origin::first(number, planned.route.data_hop, group.codepoint()),
            rank: self.ranks.of(EventSource::Sender(number)),
            armed: start,
            session: NO_SESSION,
            tag: 0,
            route: 0,
        }
    }

    /// All sessions; the flow with a session's number waits for the first connection of the session. The first actions
    /// of the sessions are scheduled.
    pub(super) fn sessions(&self, events: &mut EventQueue, hosts: &mut [Host]) -> Vec<Session> {
        let mut sessions = Vec::with_capacity(self.plan.routes.sessions.len());
        for (number, (flow, routes)) in (0..).zip(&self.plan.routes.sessions) {
            let planned = &self.plan.routes.flows[*flow as usize];
            let spec = &self.scenario.traffic[planned.group];
            let Some(data) = self.offered.tcps[planned.group].clone() else { continue };
            let host = &mut hosts[*flow as usize];
            let start = host.start;
            events.clear(host.rank);
            *host = Host {
                lookahead_until: host.lookahead_until,
                ..Host::idle(host.rank, Origin::first(*flow, 0, spec.codepoint()), Arc::clone(&data), number)
            };
            let mut rng = Rng::stream(self.seed, format_args!("{}.{}", spec.name, planned.copy));
            let behaviour = Behaviour::of(spec, start, &data, &mut rng);
            let request = match &spec.web {
                // A request is written at once.
                Some(web) => Arc::new(TcpParams {
                    packet: Bytes(u64::from(web.request)),
                    write_every: None,
                    write_rate: None,
                    writes: None,
                    ..(*data).clone()
                }),
                None => Arc::clone(&data),
            };
            let session = Session {
                behaviour,
                rng,
                rank: self.ranks.of(EventSource::Session(number)),
                group: planned.group as u32,
                dscp: spec.codepoint(),
                request,
                data,
                routes: routes.clone(),
                stop: spec.stop_ns.map_or(Time::NEVER, Time::from_nanos),
                flows: vec![*flow],
                free: vec![*flow],
                closed: ClosedConnections::default(),
                probes: self.probes(spec),
            };
            events.set(session.rank, session.next());
            sessions.push(session);
        }
        sessions
    }

    /// The probes of a group that measures the responsiveness under the load of others.
    fn probes(&self, spec: &TrafficSpec) -> Option<Box<Probes>> {
        let loads = |planned: &RoutedFlow| spec.rpm_of.contains(&self.scenario.traffic[planned.group].name);
        let flows = (0..).zip(&self.plan.routes.flows).filter(|(_, planned)| loads(planned)).map(|(number, _)| number);
        (!spec.rpm_of.is_empty()).then(|| Box::new(Probes::new(flows.collect())))
    }
}

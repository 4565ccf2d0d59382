//! Changes of the number of flows in a live run: further flows start, and running flows stop.

use super::LiveRun;
use crate::engine::Engine;
use crate::event::EventSource;
use crate::flow::Flow;
use crate::host::{FlowState, Host, Origin, Source};
use crate::probe::flow::FlowStats;
use crate::scenario::Scenario;
use crate::session::NO_SESSION;
use penstock_core::{Span, Time};
use penstock_link::ScenarioError;
use penstock_tcp::{Receiver, Sender, SenderCounts, TcpParams};
use std::sync::Arc;

/// Time between the starts of flows that are added together.
const APART: Span = Span::from_millis(10);

/// The flows of a traffic group.
#[derive(Default)]
pub(super) struct Group {
    pub(super) active: Vec<u32>,
    stopped: Vec<u32>,
}

/// The flows of each group, all of them active.
pub(super) fn groups(scenario: &Scenario, engine: &Engine) -> Vec<Group> {
    let mut groups: Vec<Group> = scenario.traffic.iter().map(|_| Group::default()).collect();
    for (number, flow) in (0..).zip(&engine.network.tally.flows) {
        groups[flow.group as usize].active.push(number);
    }
    groups
}

impl LiveRun {
    /// Number of flows of this traffic group that send or will start.
    pub fn flow_count(&self, group: usize) -> usize {
        self.groups.get(group).map_or(0, |group| group.active.len())
    }

    /// Let this group have `count` flows. Surplus flows, the last ones first, stop and send no new data from now on.
    /// Further flows start now, one after the other, on the routes of the group's flows in turn.
    ///
    /// # Errors
    /// There is no such group, its flows are not TCP flows that last as long as the run, it has never had a flow, or
    /// `count` is above 10 000.
    pub fn set_flow_count(&mut self, group: usize, count: usize) -> Result<(), ScenarioError> {
        let Some(spec) = self.scenario.traffic.get(group) else {
            return Err(ScenarioError::new("traffic", "there is no such group".to_owned()));
        };
        let refuse = |message: &str| ScenarioError::new(&format!("traffic.{}.count", spec.name), message.to_owned());
        let first = self.engine.network.tally.flows.iter().position(|flow| flow.group as usize == group);
        let Some(first) = first else { return Err(refuse("cannot grow from 0: no flow has a route")) };
        let params = match &self.engine.hosts[first].source {
            Source::Tcp(sender) if !spec.opens() => Arc::clone(sender.params()),
            _ => return Err(refuse("cannot change: only that of TCP flows without sessions can")),
        };
        if count > 10_000 {
            return Err(refuse("must be at most 10 000"));
        }
        self.changed = true;
        while self.groups[group].active.len() > count {
            self.stop_last(group);
        }
        let mut start = self.now;
        while self.groups[group].active.len() < count {
            self.start_another(group, first as u32, &params, start)?;
            start += APART;
        }
        Ok(())
    }

    fn stop_last(&mut self, group: usize) {
        let Some(flow) = self.groups[group].active.pop() else { return };
        self.groups[group].stopped.push(flow);
        self.count_on_links(flow, -1);
        let host = &mut self.engine.hosts[flow as usize];
        let waits = host.state == FlowState::Waiting;
        host.state = FlowState::Stopped;
        if let Source::Tcp(sender) = &mut host.source {
            sender.stop(self.now);
        }
        if waits {
            host.armed = Time::NEVER;
            self.engine.network.events.clear(host.rank);
        }
    }

    fn start_another(
        &mut self,
        group: usize,
        first: u32,
        params: &Arc<TcpParams>,
        start: Time,
    ) -> Result<(), ScenarioError> {
        let flow = match self.groups[group].stopped.pop() {
            Some(flow) => {
                self.engine.reopen(flow, params);
                flow
            }
            None => self
                .engine
                .add_like(first, self.groups[group].active.len() as u32, params)
                .ok_or_else(|| ScenarioError::new("traffic", "no room for the timers of more flows".to_owned()))?,
        };
        let host = &mut self.engine.hosts[flow as usize];
        (host.state, host.start, host.armed) = (FlowState::Waiting, start, start);
        self.engine.network.events.set(host.rank, start);
        self.groups[group].active.push(flow);
        self.count_on_links(flow, 1);
        Ok(())
    }

    /// Notify the queues on the route of this flow that there is one flow more or less.
    fn count_on_links(&mut self, flow: u32, more: i32) {
        let network = &mut self.engine.network;
        let mut at = self.engine.hosts[flow as usize].origin.first_hop as usize;
        loop {
            let hop = network.hops[at];
            let port = network.links[hop.link as usize].port();
            if let Some((port, changes)) = port.and_then(|port| Some((port, network.ports[port].changes()?))) {
                network.adjust(port, changes, self.now, |info, _| {
                    info.flows = info.flows.unwrap_or_default().checked_add_signed(more).filter(|&flows| flows > 0);
                });
            }
            if hop.last {
                return;
            }
            at += 1;
        }
    }
}

impl Engine {
    /// A new connection of this flow, which has not started; packets of the previous connection belong to no
    /// connection.
    fn reopen(&mut self, flow: u32, params: &Arc<TcpParams>) {
        let state = &mut self.network.tally.flows[flow as usize];
        state.epoch = state.epoch.wrapping_add(1);
        state.receiver = Some(Receiver::new(params));
        let host = &mut self.hosts[flow as usize];
        host.origin.epoch = state.epoch;
        host.source = Source::Tcp(Sender::new(Arc::clone(params)));
        host.stop = Time::NEVER;
        self.network.tally.begin_delays(flow);
    }

    /// A further flow on the route of copy `copy` of the group whose first flow is `first`; `None` if the event queue cannot
    /// hold its timers.
    fn add_like(&mut self, first: u32, copy: u32, params: &Arc<TcpParams>) -> Option<u32> {
        if self.sources.len() + 2 > self.max_sources {
            return None;
        }
        let flows = &self.network.tally.flows;
        let group = flows[first as usize].group;
        let copies = flows[first as usize..self.users].iter().take_while(|flow| flow.group == group).count() as u32;
        let model = first + copy % copies;
        let Flow { ack_hop, dscp, measured, receiver_rank, .. } = self.network.tally.flows[model as usize];
        let flow = self.hosts.len() as u32;
        let rank = self.sources.len() as u32;
        self.sources.push(EventSource::Sender(flow));
        let delays_acks = receiver_rank != crate::flow::NO_TIMER;
        if delays_acks {
            self.sources.push(EventSource::ReceiverTimer(flow));
        }
        self.network.events.grow(self.sources.len());
        let origin = Origin::first(flow, self.hosts[model as usize].origin.first_hop, dscp);
        self.hosts.push(Host::idle(rank, origin, Arc::clone(params), NO_SESSION));
        let receiver_rank = if delays_acks { rank + 1 } else { receiver_rank };
        let receiver = Some(Receiver::new(params));
        let stats = FlowStats::default();
        let added = Flow { stats, ack_hop, group, receiver_rank, dscp, measured, epoch: 0, receiver };
        self.network.tally.flows.push(added);
        self.network.tally.begin_delays(flow);
        if !self.before.is_empty() {
            self.before.push(SenderCounts::default());
        }
        let facts = &mut self.network.facts;
        if !facts.hosts.is_empty() {
            facts.hosts.push(facts.hosts[model as usize]);
        }
        if let Some(rtts) = &mut facts.rtts {
            rtts.push(None);
        }
        Some(flow)
    }
}

//! Connections that come and go: sessions open them on flows of their own, which are reused.

use super::Engine;
use crate::event::EventSource;
use crate::flow::{Flow, NO_TIMER};
use crate::host::{FlowState, Host, Origin, Source};
use crate::network::SenderNetwork;
use crate::probe::flow::{FlowStats, write_times};
use crate::session::{Completion, Session};
use crate::traffic::opening::{Opening, Size};
use penstock_core::{Bytes, Span, Time};
use penstock_tcp::{Receiver, Sender, SenderCounts, TcpParams};
use std::sync::Arc;

/// If `ack` completes the handshake of a probe of this session, the probe notes it.
pub(super) fn note_handshake(sessions: &mut [Session], session: u32, now: Time, flow: u32, ack: u32) {
    let probes = sessions.get_mut(session as usize).and_then(|session| session.probes.as_mut());
    if let (Some(probes), 1) = (probes, ack) {
        probes.on_opened(now, flow);
    }
}

impl Engine {
    /// A session acts.
    pub(super) fn on_session(&mut self, now: Time, number: u32) {
        let session = &mut self.sessions[number as usize];
        let mut openings = std::mem::take(&mut self.openings);
        session.behaviour.on_time(now, &mut session.rng, &mut openings);
        self.open_all(now, number, openings);
    }

    /// The connection of this flow ends: all its data is acknowledged.
    pub(super) fn on_connection_end(&mut self, now: Time, flow: u32) {
        let host = &mut self.hosts[flow as usize];
        let number = host.session;
        let session = &mut self.sessions[number as usize];
        let route = session.routes[host.route as usize];
        let before = self.before.get(flow as usize).copied().unwrap_or_default();
        let state = &mut self.network.tally.flows[flow as usize];
        let bytes = state.receiver.as_ref().map_or(0, Receiver::delivered_bytes);
        let delivered = bytes - state.stats.payload_bytes;
        state.stats.payload_bytes = 0;
        state.receiver = None;
        // Packets still in flight now belong to no connection.
        state.epoch = state.epoch.wrapping_add(1);
        host.origin.epoch = state.epoch;
        if state.receiver_rank != NO_TIMER {
            self.network.events.clear(state.receiver_rank);
        }
        if let Source::Tcp(sender) = &host.source {
            session.closed.add(host.start, now, &sender.counts(now), &before, self.network.tally.window.start);
        }
        let counts = self.network.tally.window.contains(now);
        if let (Source::Tcp(sender), false) = (&host.source, route.request) {
            session.closed.writes.extend(write_times(sender, self.network.tally.window));
        }
        if !route.request && counts {
            session.closed.delivered_bytes += delivered;
            session.closed.completions.push(Completion { seconds: now.since(host.start).as_secs(), bytes });
        }
        let start = host.start;
        host.state = FlowState::Waiting;
        host.armed = Time::NEVER;
        self.network.events.clear(host.rank);
        session.free.push(flow);
        let mut openings = std::mem::take(&mut self.openings);
        let whole = session.behaviour.on_end(now, host.tag, &mut session.rng, &mut openings);
        session.closed.rounds.extend(whole.filter(|_| counts).map(Span::as_secs));
        if let Some(probes) = &mut session.probes {
            let loaded = probes.next_load().and_then(|load| match &self.hosts[load as usize].source {
                Source::Tcp(sender) if sender.finished().is_none() => sender.srtt(),
                _ => None,
            });
            probes.on_end(now, flow, start, loaded, counts);
        }
        self.open_all(now, number, openings);
    }

    fn open_all(&mut self, now: Time, number: u32, mut openings: Vec<Opening>) {
        for opening in openings.drain(..) {
            self.open(now, number, opening);
        }
        self.openings = openings;
        let session = &self.sessions[number as usize];
        self.network.events.set(session.rank, session.next());
    }

    fn open(&mut self, now: Time, number: u32, opening: Opening) {
        let Some(flow) = self.sessions[number as usize].free.pop().or_else(|| self.add_flow(number)) else { return };
        let session = &self.sessions[number as usize];
        let route = session.routes[opening.route as usize];
        let keys = if route.request { &session.request } else { &session.data };
        let params = &match opening.size {
            Size::Packets(_) => Arc::clone(keys),
            Size::Bytes(bytes) => Arc::new(TcpParams { packets: None, bytes: Some(Bytes(bytes)), ..(**keys).clone() }),
        };
        let state = &mut self.network.tally.flows[flow as usize];
        state.receiver = Some(Receiver::new(params));
        state.ack_hop = route.ack_hop;
        state.measured = !route.request && self.network.tally.one_way[session.group as usize].is_some();
        self.network.tally.begin_delays(flow);
        if let Some(ends) = self.network.facts.hosts.get_mut(flow as usize) {
            *ends = route.ends;
        }
        if let Some(rtts) = &mut self.network.facts.rtts {
            rtts[flow as usize] = None;
        }
        if let Some(capture) = &mut self.network.tally.capture {
            capture.open(flow, self.hosts[flow as usize].origin.epoch, route.ends, Some(params));
        }
        let host = &mut self.hosts[flow as usize];
        host.source = Source::Tcp(Sender::new(Arc::clone(params)));
        (host.origin.first_hop, host.tag, host.route) = (route.data_hop, opening.tag, opening.route);
        (host.start, host.state) = (now, FlowState::Running);
        if let Some(before) = self.before.get_mut(flow as usize) {
            *before = SenderCounts::default();
        }
        let Source::Tcp(sender) = &mut host.source else { return };
        let network = &mut self.network;
        let sender_network = &mut SenderNetwork { network, now, origin: &host.origin };
        match opening.size {
            Size::Packets(packets) => sender.start_transfer(now, packets, sender_network),
            Size::Bytes(_) => sender.start(now, sender_network),
        }
        host.armed = sender.timer().unwrap_or(Time::NEVER);
        self.network.events.set(host.rank, host.armed);
    }

    /// A new flow for this session; `None`, and the run ends, if the event queue cannot hold its timers.
    fn add_flow(&mut self, number: u32) -> Option<u32> {
        let session = &mut self.sessions[number as usize];
        let flow = self.hosts.len() as u32;
        if self.sources.len() + 2 > self.max_sources {
            self.overflowed = true;
            return None;
        }
        let rank = self.sources.len() as u32;
        self.sources.push(EventSource::Sender(flow));
        let delays_acks = session.data.delays_acks();
        if delays_acks {
            self.sources.push(EventSource::ReceiverTimer(flow));
        }
        self.network.events.grow(self.sources.len());
        session.flows.push(flow);
        let route = session.routes[0];
        self.hosts.push(Host::idle(rank, Origin::first(flow, 0, session.dscp), Arc::clone(&session.data), number));
        self.network.tally.flows.push(Flow {
            stats: FlowStats::default(),
            ack_hop: route.ack_hop,
            group: session.group,
            receiver_rank: if delays_acks { rank + 1 } else { NO_TIMER },
            dscp: session.dscp,
            measured: false,
            epoch: 0,
            receiver: None,
        });
        if !self.before.is_empty() {
            self.before.push(SenderCounts::default());
        }
        if !self.network.facts.hosts.is_empty() {
            self.network.facts.hosts.push(route.ends);
        }
        if let Some(rtts) = &mut self.network.facts.rtts {
            rtts.push(None);
        }
        Some(flow)
    }
}

//! Test harness for the schemes under deficit round robin: drives a queue and records served and dropped packets.

use super::{Discipline, Env, Next, Probe, Report};
use crate::aqm::Cause;
use crate::registry::build;
use crate::rig::thesis_link;
use penstock_core::param::Value;
use penstock_core::{Ecn, Limit, PacketMeta, Rng, Span, Time};

/// The fate of a packet, with its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Queued(u32),
    Dropped(u32, Cause),
}

#[derive(Default)]
struct Log {
    fates: Vec<Fate>,
    most: u32,
}

impl Probe<PacketMeta> for Log {
    fn queued(&mut self, report: &Report<'_, PacketMeta>) {
        self.fates.push(Fate::Queued(report.packet.flow));
        self.most = self.most.max(report.packets);
    }
    fn sent(&mut self, _report: &Report<'_, PacketMeta>) {}
    fn marked(&mut self, _report: &Report<'_, PacketMeta>, _cause: Cause) {}
    fn dropped(&mut self, report: &Report<'_, PacketMeta>, cause: Cause) {
        self.fates.push(Fate::Dropped(report.packet.flow, cause));
        self.most = self.most.max(report.packets);
    }
}

/// A queue, its clock and the fates of its packets.
pub(super) struct Bench {
    queue: Box<dyn Discipline<PacketMeta>>,
    rng: Rng,
    now: Time,
    log: Log,
}

fn owned(settings: &[(&str, Value)]) -> Vec<(String, Value)> {
    settings.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect()
}

impl Bench {
    pub(super) fn new(scheme: &str, settings: &[(&str, Value)], limit: Limit) -> Self {
        Self::for_flows(None, scheme, settings, limit)
    }

    /// The harness for a link with a known (`Some`) or unknown number of flows.
    pub(super) fn for_flows(flows: Option<u32>, scheme: &str, settings: &[(&str, Value)], limit: Limit) -> Self {
        let link = crate::aqm::LinkInfo { limit, flows, ..thesis_link() };
        let queue = build(scheme, &owned(settings), &link, Time::ZERO).unwrap();
        Self { queue, rng: Rng::stream(1, "bench"), now: Time::ZERO, log: Log::default() }
    }

    /// The errors of these settings, as "name: message".
    pub(super) fn errors(scheme: &str, settings: &[(&str, Value)]) -> Vec<String> {
        let errors =
            build::<PacketMeta, dyn Probe<_>>(scheme, &owned(settings), &thesis_link(), Time::ZERO).err().unwrap();
        errors.iter().map(|error| format!("{}: {}", error.name, error.message)).collect()
    }

    /// `n` packets of this flow and size arrive now.
    pub(super) fn arrive(&mut self, flow: u32, size: u32, n: u32) {
        for _ in 0..n {
            let packet = PacketMeta { flow, size, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None };
            let mut env: Env<'_, _> = Env { now: self.now, rng: &mut self.rng, probe: &mut self.log, facts: &() };
            self.queue.enqueue(&mut env, packet);
        }
    }

    /// Serves `n` packets, or all packets if fewer wait.
    pub(super) fn serve(&mut self, n: usize) -> Vec<PacketMeta> {
        let mut packets = Vec::new();
        while packets.len() < n {
            let mut env: Env<'_, _> = Env { now: self.now, rng: &mut self.rng, probe: &mut self.log, facts: &() };
            let Next::Send(packet) = self.queue.dequeue(&mut env) else { break };
            packets.push(packet);
        }
        packets
    }

    /// Advances the clock; timers fire when they are due.
    pub(super) fn advance(&mut self, span: Span) {
        let end = self.now + span;
        while let Some(due) = self.queue.next_timeout().filter(|&due| due <= end) {
            self.now = due;
            let mut env: Env<'_, _> = Env { now: self.now, rng: &mut self.rng, probe: &mut self.log, facts: &() };
            self.queue.on_timeout(&mut env);
        }
        self.now = end;
    }

    /// All fates so far, except those of sent packets.
    pub(super) fn fates(&self) -> &[Fate] {
        &self.log.fates
    }

    pub(super) fn drops(&self) -> Vec<Fate> {
        self.fates().iter().filter(|fate| matches!(fate, Fate::Dropped(..))).copied().collect()
    }

    pub(super) fn waiting(&self) -> u32 {
        self.queue.backlog().packets
    }

    /// The largest backlog that was reported.
    pub(super) fn most(&self) -> u32 {
        self.log.most
    }

    pub(super) fn gauge(&self, wanted: &str) -> f64 {
        let mut found = None;
        self.queue.gauges(&mut |name, value| {
            if name == wanted {
                found = Some(value);
            }
        });
        found.unwrap()
    }
}

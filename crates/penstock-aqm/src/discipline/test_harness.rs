//! Test harness: drives one discipline, numbers the packets and records the fate of each.

use crate::aqm::{Cause, LinkInfo};
use crate::discipline::{Discipline, Env, Facts, Next, Probe, Report};
use crate::registry::build;
use crate::rig::thesis_link;
use alloc::collections::BTreeMap;
use penstock_core::param::Value;
use penstock_core::{Ecn, Limit, PacketMeta, PureAck, Rare, Rng, Span, Time};

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Queued,
    Sent,
    Marked,
    Dropped(Cause),
}

/// Fates with the numbers of the packets, in order.
#[derive(Default)]
pub(crate) struct Log(pub(crate) Vec<(Fate, u32)>);

impl Log {
    fn note(&mut self, fate: Fate, report: &Report<'_, PacketMeta>) {
        self.0.push((fate, report.packet.rare.unwrap().adu));
    }
}

impl Probe<PacketMeta> for Log {
    fn queued(&mut self, report: &Report<'_, PacketMeta>) {
        self.note(Fate::Queued, report);
    }
    fn sent(&mut self, report: &Report<'_, PacketMeta>) {
        self.note(Fate::Sent, report);
    }
    fn marked(&mut self, report: &Report<'_, PacketMeta>, _cause: Cause) {
        self.note(Fate::Marked, report);
    }
    fn dropped(&mut self, report: &Report<'_, PacketMeta>, cause: Cause) {
        self.note(Fate::Dropped(cause), report);
    }
}

/// The pure ACKs among the packets, by number.
#[derive(Default)]
struct Acks(BTreeMap<u32, PureAck>);

impl Facts<PacketMeta> for Acks {
    fn rare(&self, packet: &PacketMeta) -> Rare {
        packet.rare.unwrap_or_default()
    }

    fn pure_ack(&self, packet: &PacketMeta) -> Option<PureAck> {
        self.0.get(&packet.rare?.adu).copied()
    }
}

/// The discipline, its clock and its log. Packets carry their number, from 0, as `rare.adu`.
pub(crate) struct Bench {
    pub(crate) queue: Box<dyn Discipline<PacketMeta>>,
    link: LinkInfo,
    rng: Rng,
    pub(crate) now: Time,
    pub(crate) log: Log,
    arrived: u32,
    acks: Acks,
}

impl Bench {
    /// The scheme at the link of the thesis, with room for 1000 packets.
    pub(crate) fn new(scheme: &str, settings: &[(&str, Value)]) -> Self {
        let link = LinkInfo { limit: Limit::Packets(1000), ..thesis_link() };
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        let queue = build(scheme, &settings, &link, Time::ZERO).unwrap();
        let rng = Rng::stream(1, "bench");
        Self { queue, link, rng, now: Time::ZERO, log: Log::default(), arrived: 0, acks: Acks::default() }
    }

    fn relimit(&mut self, limit: Limit) {
        self.link.limit = limit;
        self.queue.on_link(self.now, &self.link);
    }

    pub(crate) fn limit_packets(&mut self, packets: u32) {
        self.relimit(Limit::Packets(packets));
    }

    pub(crate) fn limit_bytes(&mut self, bytes: u64) {
        self.relimit(Limit::Bytes(bytes));
    }

    pub(crate) fn unlimited(&mut self) {
        self.relimit(Limit::Infinite);
    }

    /// Enqueues a packet of this size and ECN field.
    pub(crate) fn arrive_as(&mut self, size: u32, ecn: Ecn) {
        self.arrive(PacketMeta { flow: 0, size, ecn, dscp: 0, protocol: 6, rare: None });
    }

    /// Enqueues a packet of this flow and size.
    pub(crate) fn arrive_from(&mut self, flow: u32, size: u32) {
        self.arrive(PacketMeta { flow, size, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None });
    }

    /// Number of packets that have arrived, which is also the number of the next.
    pub(crate) fn arrived(&self) -> u32 {
        self.arrived
    }

    /// Enqueues this packet, which is a pure ACK, and gets the next number.
    pub(crate) fn arrive_ack(&mut self, packet: PacketMeta, ack: PureAck) {
        self.acks.0.insert(self.arrived, ack);
        self.arrive(packet);
    }

    /// Enqueues this packet, which gets the next number.
    pub(crate) fn arrive(&mut self, packet: PacketMeta) {
        let rare = Rare { adu: self.arrived, ..packet.rare.unwrap_or_default() };
        self.arrived += 1;
        let packet = PacketMeta { rare: Some(rare), ..packet };
        let mut env: Env<'_, _> = Env { now: self.now, rng: &mut self.rng, probe: &mut self.log, facts: &self.acks };
        self.queue.enqueue(&mut env, packet);
    }

    /// The link offers service.
    pub(crate) fn next(&mut self) -> Next<PacketMeta> {
        let mut env: Env<'_, _> = Env { now: self.now, rng: &mut self.rng, probe: &mut self.log, facts: &self.acks };
        self.queue.dequeue(&mut env)
    }

    /// The packet that `dequeue` returns now.
    pub(crate) fn depart(&mut self) -> Option<PacketMeta> {
        loop {
            match self.next() {
                Next::Send(packet) => return Some(packet),
                // as many were dropped as one call may drop
                Next::NotBefore(time) if time <= self.now => {}
                Next::Empty | Next::NotBefore(_) => return None,
            }
        }
    }

    /// Dequeues all packets. Returns their numbers.
    pub(crate) fn depart_all(&mut self) -> Vec<u32> {
        core::iter::from_fn(|| self.depart()).map(|packet| packet.rare.unwrap().adu).collect()
    }

    /// Advances the clock by `span`; timers fire when they are due.
    pub(crate) fn advance(&mut self, span: Span) {
        let end = self.now + span;
        while let Some(due) = self.queue.next_timeout().filter(|&due| due <= end) {
            self.now = due;
            let mut env: Env<'_, _> = Env { now: due, rng: &mut self.rng, probe: &mut self.log, facts: &self.acks };
            self.queue.on_timeout(&mut env);
        }
        self.now = end;
    }

    /// The value of a gauge that the scheme has.
    pub(crate) fn gauge(&self, wanted: &str) -> f64 {
        let mut found = None;
        self.queue.gauges(&mut |name, value| found = found.or((name == wanted).then_some(value)));
        found.unwrap()
    }

    /// Number of packets with this fate.
    pub(crate) fn count(&self, fate: Fate) -> usize {
        self.log.0.iter().filter(|(seen, _)| *seen == fate).count()
    }
}

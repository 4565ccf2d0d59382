//! A queue on a test bench, spoken to in the words of the domain: packets arrive and depart, time advances.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "shared by unit tests, conformance, benches and fuzzing")]

pub mod draw;

use penstock_aqm::{Cause, Discipline, Env, Facts, LinkInfo, Next, Probe, Report, SchemeInfo, build};
use penstock_core::param::{ClassSetting, Default, Kind, Match, ParamErrors, ParamInfo, Settings, Value};
use penstock_core::pure_ack::Block;
use penstock_core::{Bytes, Ecn, Limit, PacketMeta, PureAck, Rare, Rate, Rng, Span, Time};

/// The fates of the packets, as reported by the discipline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub arrived: u64,
    pub queued: u64,
    pub sent: u64,
    pub dropped_on_arrival: u64,
    pub dropped_at_head: u64,
    pub evicted: u64,
    pub marked: u64,
    /// Hash over all reports, in order, with times since `start`.
    pub history: u64,
    pub start: Time,
}

impl Counts {
    fn note(&mut self, kind: u64, report: &Report<'_, PacketMeta>) {
        let elapsed = report.now.since(self.start).as_nanos();
        self.history = (self.history ^ kind ^ elapsed).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17);
    }
}

impl Probe<PacketMeta> for Counts {
    fn queued(&mut self, report: &Report<'_, PacketMeta>) {
        self.queued += 1;
        self.note(0, report);
    }

    fn sent(&mut self, report: &Report<'_, PacketMeta>) {
        self.sent += 1;
        self.note(1, report);
    }

    fn marked(&mut self, report: &Report<'_, PacketMeta>, cause: Cause) {
        self.marked += 1;
        self.note(2 + cause as u64, report);
    }

    fn dropped(&mut self, report: &Report<'_, PacketMeta>, cause: Cause) {
        let counter = match cause {
            Cause::Evicted | Cause::Filtered => &mut self.evicted,
            Cause::Sojourn => &mut self.dropped_at_head,
            _ => &mut self.dropped_on_arrival,
        };
        *counter += 1;
        self.note(8 + cause as u64, report);
    }
}

/// Supplies the rare facts that a packet of the rig carries.
pub struct Carried;

impl Facts<PacketMeta> for Carried {
    fn rare(&self, packet: &PacketMeta) -> Rare {
        packet.rare.unwrap_or_default()
    }

    fn pure_ack(&self, packet: &PacketMeta) -> Option<PureAck> {
        ack_of(packet)
    }
}

/// A packet of the rig as a pure ACK: half of the TCP packets, by their other facts. Numbers are few, so that many ACKs
/// are duplicates or redundant; they wrap.
pub fn ack_of(packet: &PacketMeta) -> Option<PureAck> {
    let Rare { adu, priority, .. } = packet.rare?;
    if packet.protocol != 6 || !adu.is_multiple_of(2) {
        return None;
    }
    let number = (adu / 2).wrapping_sub(10);
    let block = Block { start: number.wrapping_add(2), end: number.wrapping_add(3 + packet.size % 4) };
    Some(PureAck {
        connection: u32::from(packet.size.is_multiple_of(19)),
        number,
        ace: u8::from(packet.size.is_multiple_of(5)),
        timestamp: packet.size.is_multiple_of(3).then_some(packet.size),
        has_other_options: packet.size.is_multiple_of(17),
        blocks: (priority == 1).then_some(block).into_iter().collect(),
    })
}

/// The queue, its random stream, its clock and its counts.
pub struct Rig {
    queue: Box<dyn Discipline<PacketMeta>>,
    rng: Rng,
    pub now: Time,
    pub counts: Counts,
}

/// The link of the thesis: 1.5 Mbit/s, 35 packets of 1000 bytes.
pub fn thesis_link() -> LinkInfo {
    LinkInfo {
        rate: Rate::from_bits_per_second(1_500_000),
        limit: Limit::Packets(35),
        mean_packet: Bytes(1000),
        mtu: Bytes(1500),
        rtt: None,
        flows: None,
    }
}

/// Settings that a scheme cannot do without: a tenth of the way into the range, three classes.
pub fn required(scheme: &SchemeInfo) -> Vec<(String, Value)> {
    let required = scheme.params.iter().filter(|info| info.default == Default::Required);
    let tenth = |info: &ParamInfo| info.range.map_or(1.0, |(low, high)| low + 0.1 * (high.min(low + 100.0) - low));
    let value = |info: &ParamInfo| match info.kind {
        Kind::Number | Kind::Rate => Value::Number(tenth(info)),
        Kind::Integer => Value::Number(tenth(info).ceil()),
        Kind::Flag => Value::Flag(false),
        Kind::Choice(words) => Value::Text(words[0].into()),
        Kind::Time => Value::Time(Span::from_secs(tenth(info))),
        Kind::Size => Value::Bytes(tenth(info)),
        Kind::Length | Kind::LengthOrTime => Value::Packets(tenth(info)),
        Kind::Numbers => Value::Numbers(vec![tenth(info)]),
        Kind::Codepoints => Value::Numbers(vec![0.0]),
        Kind::Writes => unreachable!("a key of TCP"),
        Kind::Classes => Value::Classes(three_classes(scheme)),
    };
    required.map(|info| (info.name.to_string(), value(info))).collect()
}

/// Two classes for the codepoints 46 and 10, and one for the rest, each with what the scheme requires of a class.
pub fn three_classes(scheme: &SchemeInfo) -> Vec<ClassSetting> {
    let needed = SchemeInfo { params: scheme.class_params, class_params: &[], ..*scheme };
    let class = |name: &str, dscp: Vec<u8>| ClassSetting {
        name: name.to_string(),
        matches: Match { dscp, ..Match::default() },
        settings: required(&needed),
        queue: None,
    };
    vec![class("voice", vec![46]), class("data", vec![10]), class("rest", vec![])]
}

/// A packet drawn from a small population: 12 flows, four codepoints, all ECN fields, 40 to `largest` bytes.
pub fn any_packet(rng: &mut Rng, largest: u32) -> PacketMeta {
    let flow = rng.below(12) as u32;
    any_packet_of(flow, rng, largest)
}

/// A packet of this flow.
pub fn any_packet_of(flow: u32, rng: &mut Rng, largest: u32) -> PacketMeta {
    let rare = Rare {
        src: flow / 3,
        dst: 100 + flow % 3,
        rtt: rng.chance(0.8).then(|| Span::from_millis(10 + u64::from(flow % 1000) * 20)),
        adu: rng.below(40) as u32,
        priority: rng.below(3) as u8,
    };
    PacketMeta {
        flow,
        size: 40 + rng.below(u64::from(largest) - 39) as u32,
        ecn: [Ecn::Not, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][rng.below(4) as usize],
        dscp: [0, 10, 12, 46][rng.below(4) as usize],
        protocol: if flow.is_multiple_of(4) { 17 } else { 6 },
        rare: Some(rare),
    }
}

impl Rig {
    /// The scheme with these settings at the link of the thesis.
    pub fn new(scheme: &str, settings: &[(&str, Value)]) -> Self {
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect();
        Self::on(&thesis_link(), scheme, &settings, 1).unwrap()
    }

    /// The scheme with these settings at any link.
    pub fn on(link: &LinkInfo, scheme: &str, settings: &Settings, seed: u64) -> Result<Self, ParamErrors> {
        Self::from(Time::ZERO, link, scheme, settings, seed)
    }

    /// As [`Rig::on`], with a clock that starts at `start`.
    pub fn from(
        start: Time,
        link: &LinkInfo,
        scheme: &str,
        settings: &Settings,
        seed: u64,
    ) -> Result<Self, ParamErrors> {
        let queue = build(scheme, settings, link, start)?;
        Ok(Self { queue, rng: Rng::stream(seed, "rig"), now: start, counts: Counts { start, ..Counts::default() } })
    }

    /// `n` packets of 1000 bytes arrive now.
    pub fn arrive(&mut self, n: u32) {
        (0..n).for_each(|_| self.arrive_as(1000, Ecn::Not));
    }

    /// A packet of this size and ECN field arrives now.
    pub fn arrive_as(&mut self, size: u32, ecn: Ecn) {
        self.arrive_packet(PacketMeta { flow: 0, size, ecn, dscp: 0, protocol: 6, rare: None });
    }

    /// `n` packets of 1000 bytes of this flow arrive now.
    pub fn arrive_from(&mut self, flow: u32, n: u32) {
        let packet = PacketMeta { flow, size: 1000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None };
        (0..n).for_each(|_| self.arrive_packet(packet));
    }

    /// This packet arrives now.
    pub fn arrive_packet(&mut self, packet: PacketMeta) {
        self.counts.arrived += 1;
        self.queue
            .enqueue(&mut Env { now: self.now, rng: &mut self.rng, probe: &mut self.counts, facts: &Carried }, packet);
    }

    /// The link offers to send a packet; whether it got one.
    pub fn depart(&mut self) -> bool {
        self.serve().is_some()
    }

    /// The link offers to send a packet; the one it got.
    pub fn serve(&mut self) -> Option<PacketMeta> {
        loop {
            match self.next() {
                Next::Send(packet) => return Some(packet),
                // as many were dropped as one call may drop
                Next::NotBefore(time) if time <= self.now => {}
                Next::Empty | Next::NotBefore(_) => return None,
            }
        }
    }

    /// The flows of all packets that wait, in the order in which they are sent now.
    pub fn order(&mut self) -> Vec<u32> {
        std::iter::from_fn(|| self.serve()).map(|packet| packet.flow).collect()
    }

    /// Advance time past the timers due at the new instant. Packets that arrive after this are sent by hosts at their
    /// own timers.
    pub fn advance(&mut self, span: Span) {
        let end = self.now + span;
        self.expire(|due| due <= end);
        self.now = end;
    }

    /// Advance time to an instant at which packets depart and arrive, before the timers due at that instant.
    pub fn reach(&mut self, span: Span) {
        let end = self.now + span;
        self.expire(|due| due < end);
        self.now = end;
    }

    fn expire(&mut self, is_over: impl Fn(Time) -> bool) {
        while let Some(due) = self.queue.next_timeout().filter(|&due| is_over(due)) {
            assert!(due >= self.now, "the next timeout, {due}, lies before {}", self.now);
            self.now = due;
            self.queue.on_timeout(&mut Env { now: due, rng: &mut self.rng, probe: &mut self.counts, facts: &Carried });
            assert!(self.queue.next_timeout().is_none_or(|next| next > due), "a timeout that stays where it is");
        }
    }

    /// The clock shows this time; timeouts that have become due come once each, late.
    pub fn jump(&mut self, now: Time) {
        self.now = now;
        if self.queue.next_timeout().is_some_and(|due| due <= now) {
            self.queue.on_timeout(&mut Env { now, rng: &mut self.rng, probe: &mut self.counts, facts: &Carried });
        }
    }

    /// The answer to an offer of service.
    pub fn next(&mut self) -> Next<PacketMeta> {
        self.queue.dequeue(&mut Env { now: self.now, rng: &mut self.rng, probe: &mut self.counts, facts: &Carried })
    }

    pub fn forget_flow(&mut self, flow: u32) {
        self.queue.forget_flow(self.now, flow);
    }

    pub fn reserve(&mut self, packets: u32, flows: u32) {
        self.queue.reserve(packets, flows);
    }

    /// When the next timeout comes.
    pub fn timeout(&self) -> Option<Time> {
        self.queue.next_timeout()
    }

    /// How long the next timeout is away.
    pub fn until_timeout(&self) -> Option<Span> {
        self.queue.next_timeout().map(|due| due.since(self.now))
    }

    /// The link changes.
    pub fn relink(&mut self, link: &LinkInfo) {
        self.queue.on_link(self.now, link);
    }

    /// Arrivals find exactly `waiting` packets, again and again: the sizes of `n` gaps between packets that were
    /// dropped or marked, in arrivals.
    pub fn gaps(&mut self, waiting: u32, n: usize) -> Vec<u32> {
        let (mut gaps, mut gap) = (Vec::new(), 0);
        while gaps.len() <= n {
            while self.waiting() > waiting {
                self.depart();
            }
            let found = self.waiting();
            let before = self.counts.dropped_on_arrival + self.counts.marked;
            self.arrive(1);
            if found == waiting {
                gap += 1;
            }
            if self.counts.dropped_on_arrival + self.counts.marked > before {
                gaps.push(gap);
                gap = 0;
            }
        }
        gaps.split_off(1)
    }

    pub fn waiting(&self) -> u32 {
        self.queue.backlog().packets
    }

    /// When the packet at the head was queued.
    pub fn oldest(&self) -> Option<Time> {
        self.queue.backlog().oldest
    }

    pub fn drop_function(&self, average: f64) -> f64 {
        self.queue.drop_function(average).unwrap()
    }

    /// The value of a gauge that the scheme has.
    pub fn gauge(&self, wanted: &str) -> f64 {
        self.gauges().into_iter().find(|(name, _)| name == wanted).unwrap().1
    }

    pub fn gauges(&self) -> Vec<(String, f64)> {
        let mut gauges = Vec::new();
        self.queue.gauges(&mut |name, value| gauges.push((name.to_owned(), value)));
        gauges
    }

    /// Invariants after every operation.
    pub fn check(&self) {
        self.check_packets();
        self.check_gauges();
    }

    /// Packets are conserved, and no timeout is overdue.
    pub fn check_packets(&self) {
        let Counts { arrived, queued, sent, dropped_on_arrival, dropped_at_head, evicted, .. } = self.counts;
        let backlog = self.queue.backlog();
        assert_eq!(arrived, queued + dropped_on_arrival);
        assert_eq!(queued, sent + dropped_at_head + evicted + u64::from(backlog.packets));
        assert!(backlog.packets > 0 || backlog.bytes == 0);
        assert_eq!(backlog.packets == 0, backlog.oldest.is_none());
        if let Some(due) = self.queue.next_timeout() {
            assert!(due >= self.now, "the next timeout, {due}, lies before {}", self.now);
        }
    }

    /// Gauges are finite, and probabilities are probabilities.
    pub fn check_gauges(&self) {
        self.queue.gauges(&mut |name, value| {
            assert!(value.is_finite() && value >= 0.0, "{name} is {value}");
            // max_p is a slope's height, not a probability: it may pass 1.
            assert!(value <= 1.0 || !matches!(name, "p_b" | "p"), "{name} is {value}");
        });
    }
}

/// Whether the values fit a distribution: chi-square against its 0.999 quantile (Wilson and Hilferty).
///
/// `probability(n)` is P(n) for n in `values`; all larger values fall in one last class.
pub fn assert_fits(values: &[u32], classes: std::ops::RangeInclusive<u32>, probability: impl Fn(u32) -> f64) {
    let total = values.len() as f64;
    let first = *classes.start();
    assert!(values.iter().all(|&value| value >= first), "a value below {first}");
    let (mut statistic, mut degrees, mut rest, mut rest_seen) = (0.0, -1.0, 1.0, values.len());
    let mut add = |seen: usize, p: f64| {
        if p * total > 1e-6 {
            statistic += (seen as f64 - p * total).powi(2) / (p * total);
            degrees += 1.0;
        } else {
            assert_eq!(seen, 0, "values that cannot be");
        }
    };
    for n in classes {
        let seen = values.iter().filter(|&&value| value == n).count();
        add(seen, probability(n));
        rest -= probability(n);
        rest_seen -= seen;
    }
    add(rest_seen, rest);
    let spread: f64 = 2.0 / (9.0 * degrees);
    let bound = degrees * (1.0 - spread + 3.09 * spread.sqrt()).powi(3);
    assert!(statistic < bound, "chi-square {statistic:.1} with {degrees} degrees of freedom exceeds {bound:.1}");
}

/// A scheduler whose class i takes flow i and has the settings i, at the link of the thesis without a limit.
pub fn bench<'a>(scheme: &str, classes: impl IntoIterator<Item = Vec<(&'a str, Value)>>) -> Rig {
    let classes = classes.into_iter().enumerate().map(|(i, settings)| class(i as u32, settings)).collect();
    let link = LinkInfo { limit: Limit::Infinite, ..thesis_link() };
    Rig::on(&link, scheme, &[("classes".to_string(), Value::Classes(classes))], 1).unwrap()
}

/// A class for one flow.
pub fn class(flow: u32, settings: Vec<(&str, Value)>) -> ClassSetting {
    ClassSetting {
        name: format!("class {flow}"),
        matches: Match { flows: vec![(flow, flow)], ..Match::default() },
        settings: settings.into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
        queue: None,
    }
}

/// A packet of this flow and size.
pub fn numbered(flow: u32, size: u32) -> PacketMeta {
    PacketMeta { flow, size, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None }
}

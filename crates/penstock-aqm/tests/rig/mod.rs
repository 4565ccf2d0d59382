//! A queue on a test bench, spoken to in the words of the domain: packets arrive and depart, time advances.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "shared by unit tests, conformance, benches and fuzzing")]

use penstock_aqm::{Discipline, Env, Fate, LinkInfo, Next, Probe, Report, SchemeInfo, build};
use penstock_core::param::{Default, Kind, ParamError, Value};
use penstock_core::{Bytes, Ecn, Limit, PacketMeta, Rate, Rng, Span, Time};

/// What has happened to the packets, as the discipline reported it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub arrived: u64,
    pub queued: u64,
    pub sent: u64,
    pub dropped_on_arrival: u64,
    pub dropped_at_head: u64,
    pub evicted: u64,
    pub marked: u64,
    /// Hash over all reports, in order.
    pub history: u64,
    at_head: bool,
}

impl Probe<PacketMeta> for Counts {
    fn report(&mut self, report: &Report<'_, PacketMeta>) {
        let counter = match report.fate {
            Fate::Queued => &mut self.queued,
            Fate::Sent => &mut self.sent,
            Fate::Marked(_) => &mut self.marked,
            Fate::Dropped(penstock_aqm::Cause::Evicted) => &mut self.evicted,
            Fate::Dropped(_) if self.at_head => &mut self.dropped_at_head,
            Fate::Dropped(_) => &mut self.dropped_on_arrival,
        };
        *counter += 1;
        let kind = match report.fate {
            Fate::Queued => 0,
            Fate::Sent => 1,
            Fate::Marked(cause) => 2 + cause as u64,
            Fate::Dropped(cause) => 8 + cause as u64,
        };
        self.history =
            (self.history ^ kind ^ report.now.as_nanos()).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17);
    }
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

/// Settings that a scheme cannot do without.
pub fn required(scheme: &SchemeInfo) -> Vec<(String, Value)> {
    let required = scheme.params.iter().filter(|info| info.default == Default::Required);
    required
        .map(|info| match (info.kind, info.range) {
            (Kind::Number, Some((low, high))) => (info.name.to_string(), Value::Number(low + 0.1 * (high - low))),
            (kind, range) => unimplemented!("a required {kind:?} with range {range:?}"),
        })
        .collect()
}

impl Rig {
    /// The scheme with these settings at the link of the thesis.
    pub fn new(scheme: &str, settings: &[(&str, Value)]) -> Self {
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect();
        Self::on(&thesis_link(), scheme, &settings, 1).unwrap()
    }

    /// The scheme with these settings at any link.
    pub fn on(link: &LinkInfo, scheme: &str, settings: &[(String, Value)], seed: u64) -> Result<Self, Vec<ParamError>> {
        let queue = build(scheme, settings, link)?;
        Ok(Self { queue, rng: Rng::stream(seed, "rig"), now: Time::ZERO, counts: Counts::default() })
    }

    /// `n` packets of 1000 bytes arrive now.
    pub fn arrive(&mut self, n: u32) {
        (0..n).for_each(|_| self.arrive_as(1000, Ecn::Not));
    }

    /// A packet of this size and ECN field arrives now.
    pub fn arrive_as(&mut self, size: u32, ecn: Ecn) {
        let packet = PacketMeta { flow: 0, size, ecn, dscp: 0, protocol: 6 };
        self.counts.arrived += 1;
        self.counts.at_head = false;
        self.queue.enqueue(&mut Env { now: self.now, rng: &mut self.rng, probe: &mut self.counts }, packet);
    }

    /// The link offers to send a packet; whether it got one.
    pub fn depart(&mut self) -> bool {
        self.counts.at_head = true;
        let next = self.queue.dequeue(&mut Env { now: self.now, rng: &mut self.rng, probe: &mut self.counts });
        matches!(next, Next::Send(_))
    }

    /// Time goes on; timeouts come when they are due.
    pub fn advance(&mut self, span: Span) {
        let end = self.now + span;
        while let Some(due) = self.queue.next_timeout().filter(|&due| due <= end) {
            assert!(due >= self.now, "the next timeout, {due}, lies before {}", self.now);
            self.now = due;
            self.queue.on_timeout(&mut Env { now: due, rng: &mut self.rng, probe: &mut self.counts });
            assert!(self.queue.next_timeout() > Some(due), "a timeout that stays where it is");
        }
        self.now = end;
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

    pub fn drop_function(&self, average: f64) -> f64 {
        self.queue.drop_function(average).unwrap()
    }

    /// The value of a gauge that the scheme has.
    pub fn gauge(&self, wanted: &str) -> f64 {
        self.gauges().into_iter().find(|(name, _)| *name == wanted).unwrap().1
    }

    pub fn gauges(&self) -> Vec<(&'static str, f64)> {
        let mut gauges = Vec::new();
        self.queue.gauges(&mut |name, value| gauges.push((name, value)));
        gauges
    }

    /// What must hold after every operation.
    pub fn check(&self) {
        let Counts { arrived, queued, sent, dropped_on_arrival, dropped_at_head, evicted, .. } = self.counts;
        let backlog = self.queue.backlog();
        assert_eq!(arrived, queued + dropped_on_arrival);
        assert_eq!(queued, sent + dropped_at_head + evicted + u64::from(backlog.packets));
        assert_eq!(backlog.packets == 0, backlog.bytes == 0);
        assert_eq!(backlog.packets == 0, backlog.oldest.is_none());
        for (name, value) in self.gauges() {
            assert!(value.is_finite() && value >= 0.0, "{name} is {value}");
            // max_p is a slope's height, not a probability: it may pass 1.
            assert!(value <= 1.0 || !matches!(name, "p_b" | "p"), "{name} is {value}");
        }
        if let Some(due) = self.queue.next_timeout() {
            assert!(due >= self.now, "the next timeout, {due}, lies before {}", self.now);
        }
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

//! Data of the pictures of schemes: response of a queue to load steps, and order of service.
//!
//! A queue from the registry at one link, fed in open loop. The same settings give the same bits.

use crate::catalog::{error_list, read_link, read_settings};
use penstock_aqm::{Cause, Discipline, Env, Facts, LinkInfo, Next, Probe, Report};
use penstock_core::param::{Match, Value};
use penstock_core::{Bytes, Ecn, PacketMeta, Rare, Rate, Rng, Span, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// Number of flows that send in turn in [`step_response`].
const FLOWS: u32 = 10;

/// Response of a scheme to packets of the link's mean size at a constant rate that changes in steps.
///
/// `steps` are (share of the link's rate, seconds), one after the other; `settings` and `link` are as for
/// `drop_function`. The result has `samples` values of each of `t` (s), `load` (share of the rate), `queue` (packets
/// waiting at t), `delay` (mean queueing delay in s of departures since the previous sample), `lost` (share of that time's
/// arrivals), and of each gauge of the AQM, as `gauge:NAME`.
#[pyfunction]
pub(crate) fn step_response(
    py: Python<'_>,
    scheme: &str,
    settings: &str,
    link: &str,
    steps: Vec<(f64, f64)>,
    samples: usize,
) -> PyResult<BTreeMap<String, Vec<f64>>> {
    let mut bench = Bench::new(scheme, settings, link)?;
    Ok(py.detach(move || bench.response(&steps, samples)))
}

/// Order in which a scheme serves flows that are all backlogged, flow i with packets of `sizes[i]` bytes.
///
/// Classes among the settings get new matches: class i takes flow i. The result has, for each of the first `count`
/// packets, its flow and the start and end of its service in seconds.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(crate) fn service_order(
    scheme: &str,
    settings: &str,
    link: &str,
    sizes: Vec<u32>,
    count: usize,
) -> PyResult<Vec<(u32, f64, f64)>> {
    Ok(Bench::new(scheme, settings, link)?.service(&sizes, count))
}

/// A queue, its link, and the counts since the last sample.
struct Bench {
    queue: Box<dyn Discipline<PacketMeta>>,
    link: LinkInfo,
    rng: Rng,
    seen: Seen,
    /// Time at which the link becomes free, or may send again.
    free: Option<Time>,
}

/// Reports of the queue.
#[derive(Default)]
struct Seen {
    sent: u32,
    lost: u32,
    waited: Span,
    /// Waiting packets by flow.
    waiting: Vec<u32>,
}

impl Seen {
    fn of(&mut self, flow: u32) -> &mut u32 {
        let flow = flow as usize;
        if self.waiting.len() <= flow {
            self.waiting.resize(flow + 1, 0);
        }
        &mut self.waiting[flow]
    }

    /// Counts since the last sample.
    fn look(&mut self) -> Self {
        let waiting = std::mem::take(&mut self.waiting);
        std::mem::replace(self, Self { waiting, ..Self::default() })
    }
}

impl Probe<PacketMeta> for Seen {
    fn queued(&mut self, report: &Report<'_, PacketMeta>) {
        *self.of(report.packet.flow) += 1;
    }

    fn sent(&mut self, report: &Report<'_, PacketMeta>) {
        self.sent += 1;
        self.waited = self.waited + report.now.since(report.enqueued);
        *self.of(report.packet.flow) -= 1;
    }

    fn marked(&mut self, _report: &Report<'_, PacketMeta>, _cause: Cause) {}

    fn dropped(&mut self, report: &Report<'_, PacketMeta>, cause: Cause) {
        self.lost += 1;
        if cause.was_queued() {
            *self.of(report.packet.flow) -= 1;
        }
    }
}

/// Every flow goes from a host of its own to a common one, and has the link's round-trip time.
struct Around(Option<Span>);

impl Around {
    fn rare(&self, flow: u32) -> Rare {
        Rare { src: flow, dst: 1000, rtt: self.0, adu: 0, priority: 0 }
    }
}

impl Facts<PacketMeta> for Around {
    fn rare(&self, packet: &PacketMeta) -> Rare {
        self.rare(packet.flow)
    }
}

impl Bench {
    fn new(scheme: &str, settings: &str, link: &str) -> PyResult<Self> {
        let mut settings = read_settings(settings).map_err(PyValueError::new_err)?;
        for (_, value) in &mut settings {
            if let Value::Classes(classes) = value {
                for (flow, class) in (0..).zip(classes) {
                    class.matches = Match { flows: vec![(flow, flow)], ..Match::default() };
                }
            }
        }
        let link = read_link(link).map_err(PyValueError::new_err)?;
        let queue = penstock_aqm::build(scheme, &settings, &link, Time::ZERO)
            .map_err(|errors| PyValueError::new_err(error_list(&errors)))?;
        Ok(Self { queue, link, rng: Rng::stream(1, "picture"), seen: Seen::default(), free: None })
    }

    fn response(&mut self, steps: &[(f64, f64)], samples: usize) -> BTreeMap<String, Vec<f64>> {
        let total: f64 = steps.iter().map(|(_, seconds)| seconds).sum();
        let size = self.link.mean_packet;
        let mut found: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let mut arrival = Time::ZERO;
        let mut flow = 0;
        for sample in 1..=samples {
            let at = total * sample as f64 / samples as f64;
            let end = Time::ZERO + Span::from_secs(at);
            let mut arrived = 0;
            while arrival <= end {
                self.advance(arrival);
                let packet = self.packet(flow, size.0 as u32);
                self.arrive(arrival, packet);
                flow = (flow + 1) % FLOWS;
                arrived += 1;
                let load = load_at(steps, arrival.as_secs());
                arrival += gap(size, self.link.rate, load);
            }
            self.advance(end);
            let seen = self.seen.look();
            let mut put = |name: &str, value: f64| found.entry(name.to_owned()).or_default().push(value);
            put("t", at);
            put("load", load_at(steps, at));
            put("queue", f64::from(self.queue.backlog().packets));
            put("delay", seen.waited.as_secs() / f64::from(seen.sent.max(1)));
            put("lost", f64::from(seen.lost) / f64::from(arrived.max(1)));
            self.queue.gauges(&mut |name, value| put(&format!("gauge:{name}"), value));
        }
        // A gauge that was not shown at every sample, or twice, is left out.
        found.retain(|_, values| values.len() == samples);
        found
    }

    fn service(&mut self, sizes: &[u32], count: usize) -> Vec<(u32, f64, f64)> {
        /// Waiting packets of each flow.
        const DEPTH: u32 = 8;
        let mut found = Vec::with_capacity(count);
        let mut now = Time::ZERO;
        // Packets that never leave must not cause an endless loop.
        for _ in 0..100 * count {
            for _ in 0..DEPTH {
                for (flow, &size) in (0..).zip(sizes) {
                    if *self.seen.of(flow) < DEPTH {
                        let packet = self.packet(flow, size);
                        self.enqueue(now, packet);
                    }
                }
            }
            let Some(due) = self.timers(now) else { return found };
            now = due;
            match self.dequeue(now) {
                Next::Send(packet) => {
                    let end = now + gap(Bytes(u64::from(packet.size)), self.link.rate, 1.0);
                    found.push((packet.flow, now.as_secs(), end.as_secs()));
                    now = end;
                    if found.len() == count {
                        return found;
                    }
                }
                Next::NotBefore(when) => now = when.max(now + Span::from_nanos(1)),
                Next::Empty => return found,
            }
        }
        found
    }

    /// Serve packets and expire timers up to `end`.
    fn advance(&mut self, end: Time) {
        loop {
            let timer = self.queue.next_timeout().filter(|&due| due <= end);
            let free = self.free.filter(|&due| due <= end);
            match (timer, free) {
                (Some(due), free) if free.is_none_or(|free| due < free) => self.timeout(due),
                (_, Some(now)) => self.offer(now),
                _ => return,
            }
        }
    }

    /// Dequeue packets; returns the time of the next attempt.
    fn offer(&mut self, now: Time) {
        self.free = match self.dequeue(now) {
            Next::Send(packet) => Some(now + gap(Bytes(u64::from(packet.size)), self.link.rate, 1.0)),
            Next::NotBefore(when) => Some(when.max(now + Span::from_nanos(1))),
            Next::Empty => None,
        };
    }

    fn arrive(&mut self, now: Time, packet: PacketMeta) {
        self.enqueue(now, packet);
        if self.free.is_none() {
            self.offer(now);
        }
    }

    /// Expire timers up to `now`; returns `now`, or `None` if they never stop expiring.
    fn timers(&mut self, now: Time) -> Option<Time> {
        for _ in 0..1_000_000 {
            match self.queue.next_timeout().filter(|&due| due <= now) {
                Some(due) => self.timeout(due),
                None => return Some(now),
            }
        }
        None
    }

    fn packet(&self, flow: u32, size: u32) -> PacketMeta {
        let rare = self.queue.capabilities().reads_rare_at_arrival().then(|| Around(self.link.rtt).rare(flow));
        PacketMeta { flow, size, ecn: Ecn::Not, dscp: 0, protocol: 6, rare }
    }

    fn enqueue(&mut self, now: Time, packet: PacketMeta) {
        let facts = Around(self.link.rtt);
        self.queue.enqueue(&mut Env { now, rng: &mut self.rng, probe: &mut self.seen, facts: &facts }, packet);
    }

    fn dequeue(&mut self, now: Time) -> Next<PacketMeta> {
        let facts = Around(self.link.rtt);
        self.queue.dequeue(&mut Env { now, rng: &mut self.rng, probe: &mut self.seen, facts: &facts })
    }

    fn timeout(&mut self, now: Time) {
        let facts = Around(self.link.rtt);
        self.queue.on_timeout(&mut Env { now, rng: &mut self.rng, probe: &mut self.seen, facts: &facts });
    }
}

/// The load at this second.
fn load_at(steps: &[(f64, f64)], second: f64) -> f64 {
    let mut end = 0.0;
    for &(load, seconds) in steps {
        end += seconds;
        if second < end {
            return load;
        }
    }
    steps.last().map_or(0.0, |&(load, _)| load)
}

/// Interval between packets at a share of a rate.
fn gap(size: Bytes, rate: Rate, share: f64) -> Span {
    let seconds = size.0 as f64 * 8.0 / (rate.bits_per_second() as f64 * share.max(1e-6));
    Span::from_nanos(((seconds * 1e9).round() as u64).max(1))
}

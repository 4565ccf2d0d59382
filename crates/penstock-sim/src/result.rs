//! The result of a run, by the definitions of the reference pages.

mod dscp;
mod felt;
mod flows;

use crate::engine::Engine;
use crate::probe::blocks::BlockSums;
use crate::probe::flow::Shares;
use crate::probe::frames::{Frames, Waste};
use crate::probe::one_way::OneWayDelays;
use crate::scenario::{Scenario, TrafficSpec};
use crate::session::{Completion, Session};
use felt::{call_metrics, outcome, responsiveness};
use flows::{Flows, Row, of_group};
use penstock_link::metrics::{Metric, Metrics, link_metrics, over_time};
use serde_json::{Map, Value, json};

/// The numbers of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    body: Metrics,
}

impl RunResult {
    /// The result as JSON: `seed`, `links`, `traffic`, `dscp` where traffic has several codepoints, `fairness`, `events`,
    /// and if requested the `series` of queues and the series of TCP `senders`.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.body).unwrap_or_else(|error| unreachable!("keys are strings: {error}"))
    }

    /// The same as values.
    pub fn into_body(self) -> Metrics {
        self.body
    }

    /// The number of events of the run.
    pub fn events(&self) -> u64 {
        match self.body.get("events") {
            Some(Metric::Count(events)) => *events,
            _ => 0,
        }
    }

    /// A metric of a watched link.
    pub fn link(&self, link: &str, metric: &str) -> Option<f64> {
        self.body.get("links")?.get(link)?.get(metric)?.as_f64()
    }

    /// A metric of a traffic group.
    pub fn traffic(&self, group: &str, metric: &str) -> Option<f64> {
        self.body.get("traffic")?.get(group)?.get(metric)?.as_f64()
    }

    /// A distribution of a watched link, such as `length_pmf`.
    pub fn distribution(&self, link: &str, metric: &str) -> Option<Vec<f64>> {
        match self.body.get("links")?.get(link)?.get(metric)? {
            Metric::List(shares) => Some(shares.clone()),
            _ => None,
        }
    }
}

/// The result of a run.
pub(crate) fn collect(scenario: &Scenario, seed: u64, engine: &Engine) -> RunResult {
    let flows = Flows::of(scenario, engine);
    let window = engine.network.tally.window;
    let shares = flows.shares();
    let mut links = Metrics::default();
    let mut series = Map::new();
    for (number, spec) in scenario.links.iter().enumerate().filter(|(_, spec)| spec.watch) {
        let link = &engine.network.links[number];
        let Some(port) = link.port() else { continue };
        let stats = &engine.network.tally.queues[port];
        let length = u128::from((window.end - window.start).as_nanos());
        let capacity = engine.network.ports[port].changes().map_or_else(
            || u128::from(link.transmitter.rate().bits_per_second()) * length,
            |changes| {
                let changes = &engine.network.changes[changes].changes;
                changes.capacity_nanobits(window.start, window.end, stats.sent_nanobits())
            },
        );
        links.insert(spec.name.clone(), Metric::Table(link_metrics(spec, stats, capacity, shares[number].jain())));
        if scenario.options.series {
            series.insert(spec.name.clone(), over_time(stats.series()));
        }
    }
    let mut traffic = Metrics::default();
    for (group, spec) in scenario.traffic.iter().enumerate() {
        traffic.insert(spec.name.clone(), Metric::Table(group_metrics(&flows, group)));
    }
    let mut fairness = Metrics::default();
    fairness.number("jain", (0..engine.users).map(|flow| flows.goodput(flow)).collect::<Shares>().jain());
    let mut body = Metrics::with_capacity(8);
    body.count("seed", seed);
    body.insert("links", Metric::Table(links));
    body.insert("traffic", Metric::Table(traffic));
    if let Some(dscp) = dscp::by_dscp(&flows) {
        body.insert("dscp", Metric::Table(dscp));
    }
    body.insert("fairness", Metric::Table(fairness));
    body.count("events", engine.events);
    if scenario.options.series {
        body.insert("series", Metric::Json(series.into()));
    }
    if !engine.sender_series.is_empty() {
        body.insert("senders", Metric::Json(sender_series(scenario, engine).into()));
    }
    RunResult { body }
}

/// By name of watched traffic: the series of each flow.
fn sender_series(scenario: &Scenario, engine: &Engine) -> Map<String, Value> {
    let mut groups: Map<String, Value> =
        scenario.traffic.iter().filter(|group| group.watch).map(|group| (group.name.clone(), json!([]))).collect();
    for (flow, series) in engine.network.tally.flows.iter().zip(&engine.sender_series) {
        let group = groups.get_mut(&scenario.traffic[flow.group as usize].name).and_then(Value::as_array_mut);
        if let (Some(series), Some(group)) = (series, group) {
            group.push(over_time(series.series()));
        }
    }
    groups
}

fn flow_metrics(row: &Row) -> Metrics {
    let mut metrics = Metrics::default();
    metrics.count("sent_pkts", row.sent);
    metrics.count("lost_pkts", row.lost);
    metrics.number("loss_rate", (row.sent > 0).then(|| row.lost as f64 / row.sent as f64));
    metrics.number("goodput_bps", row.goodput);
    metrics.number("throughput_bps", row.throughput);
    metrics.number("fair_share", row.fair_share);
    if let Some(tcp) = &row.tcp {
        metrics.count("retransmitted_pkts", tcp.counts.retransmitted);
        metrics.count("timeouts", tcp.counts.timeouts);
        metrics.count("fast_retransmits", tcp.counts.fast_retransmits);
        metrics.number("rtt_mean_s", tcp.rtt);
        metrics.number("srtt_mean_s", tcp.srtt);
        metrics.number("cwnd_mean_pkts", tcp.cwnd);
        metrics.number("completion_s", tcp.completion);
    }
    if let Some(blocks) = &row.blocks {
        block_metrics(&mut metrics, blocks);
    }
    metrics
}

/// A mean over the flows that have the metric.
#[derive(Default)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.count += 1;
        }
    }

    fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

/// Counts and rates of a group are sums over its flows; other metrics are means over the flows that have them.
#[derive(Default)]
struct Group {
    count: u64,
    sent: u64,
    lost: u64,
    goodput: f64,
    throughput: f64,
    shares: Shares,
    fair_share: Mean,
    retransmitted: u64,
    timeouts: u64,
    fast_retransmits: u64,
    rtt: Mean,
    srtt: Mean,
    cwnd: Mean,
    completions: Vec<f64>,
    writes: Vec<f64>,
    blocks: BlockSums,
}

impl Group {
    fn add(mut self, row: &Row) -> Self {
        self.count += 1;
        self.sent += row.sent;
        self.lost += row.lost;
        self.goodput += row.goodput;
        self.throughput += row.throughput;
        self.shares.add(row.goodput);
        self.fair_share.add(row.fair_share);
        if let Some(tcp) = &row.tcp {
            self.retransmitted += tcp.counts.retransmitted;
            self.timeouts += tcp.counts.timeouts;
            self.fast_retransmits += tcp.counts.fast_retransmits;
            self.rtt.add(tcp.rtt);
            self.srtt.add(tcp.srtt);
            self.cwnd.add(tcp.cwnd);
            self.completions.extend(tcp.completion);
            self.writes.extend_from_slice(&tcp.writes);
        }
        self.blocks += row.blocks.unwrap_or_default();
        self
    }

    /// The share of packets lost; 0 if none was sent.
    fn lost_share(&self) -> f64 {
        self.lost as f64 / self.sent.max(1) as f64
    }

    /// The metrics that all traffic has.
    fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::with_capacity(32);
        metrics.count("count", self.count);
        metrics.count("sent_pkts", self.sent);
        metrics.count("lost_pkts", self.lost);
        metrics.number("loss_rate", (self.sent > 0).then(|| self.lost_share()));
        metrics.number("goodput_bps", self.goodput);
        metrics.number("throughput_bps", self.throughput);
        metrics
    }
}

fn group_metrics(flows: &Flows<'_>, group: usize) -> Metrics {
    let Flows { scenario, engine, .. } = flows;
    let sums = flows.rows(group).fold(Group::default(), |sums, row| sums.add(&row));
    let runs = &engine.network.tally.loss_runs[group];
    let (mut metrics, lost) = (sums.metrics(), sums.lost_share());
    metrics.number("fair_share", sums.fair_share.value());
    metrics.number("jain", sums.shares.jain());
    metrics.list("loss_run_pmf", runs.pmf());
    metrics.count("loss_runs", runs.count());
    if scenario.traffic[group].tcp.is_some() {
        metrics.count("retransmitted_pkts", sums.retransmitted);
        metrics.count("timeouts", sums.timeouts);
        metrics.count("fast_retransmits", sums.fast_retransmits);
        metrics.number("rtt_mean_s", sums.rtt.value());
        metrics.number("srtt_mean_s", sums.srtt.value());
        metrics.number("cwnd_mean_pkts", sums.cwnd.value());
        if let Some(count) = quantiles(&mut metrics, "write", "", sums.writes) {
            metrics.count("writes", count);
        }
        let sessions = engine.sessions[of_group(&engine.sessions, group, |session| session.group)].iter();
        if scenario.traffic[group].opens() {
            if !scenario.traffic[group].rpm_of.is_empty() {
                responsiveness(&mut metrics, sessions.clone().filter_map(|session| session.probes.as_deref()));
            }
            session_metrics(&mut metrics, &scenario.traffic[group], sessions);
        } else if let Some(count) = quantiles(&mut metrics, "completion", "", sums.completions) {
            metrics.count("completed", count);
        }
    }
    if let Some(delays) = &engine.network.tally.one_way[group] {
        delay_metrics(&mut metrics, delays);
        if let (Some(codec), Some(udp)) = (scenario.traffic[group].call, &scenario.traffic[group].udp) {
            call_metrics(&mut metrics, codec, udp, &delays.delays, lost);
        }
        if let Some(spec) = &scenario.traffic[group].qoo {
            // What the code repairs is not lost for the application.
            let lost = if scenario.traffic[group].fec.is_some() { sums.blocks.unrepaired_share() } else { lost };
            let goodput = sums.goodput / sums.count as f64;
            metrics.number("qoo", (sums.sent > 0).then(|| outcome(spec, &delays.delays, lost, goodput)));
        }
    }
    if scenario.traffic[group].video.is_some() {
        frame_metrics(&mut metrics, &engine.network.tally.frames[flows.of_group(group)]);
    }
    if scenario.traffic[group].fec.is_some() {
        block_metrics(&mut metrics, &sums.blocks);
    }
    if scenario.options.flows {
        metrics.insert("flows", Metric::Tables(flows.rows(group).map(|row| flow_metrics(&row)).collect()));
    }
    metrics
}

fn delay_metrics(metrics: &mut Metrics, packets: &OneWayDelays) {
    let delays = &packets.delays;
    let (mean, sd) = delays.moments().unzip();
    metrics.number("owd_mean_s", mean);
    metrics.number("owd_sd_s", sd);
    let names = ["owd_p50_s", "owd_p95_s", "owd_p99_s", "owd_p999_s"];
    for (name, delay) in names.into_iter().zip(delays.quantiles(&[0.5, 0.95, 0.99, 0.999])) {
        metrics.number(name, delay);
    }
    metrics.number("jitter_mean_s", packets.jitter());
}

/// Shares of all packets of the blocks, which all have the same size: means over the blocks.
fn block_metrics(metrics: &mut Metrics, sums: &BlockSums) {
    let ratio = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    metrics.count("blocks", sums.blocks);
    metrics.number("plr_before", ratio(sums.lost, sums.packets));
    metrics.number("plr_after", ratio(sums.unrepaired, sums.packets));
    metrics.number("plr_data_before", ratio(sums.lost_data, sums.data));
    metrics.number("plr_data_after", ratio(sums.unrepaired_data, sums.data));
    metrics.number("block_delay_mean_s", (sums.whole > 0).then(|| sums.delay_s / sums.whole as f64));
    metrics.number("block_delay_max_s", (sums.whole > 0).then_some(sums.longest_s));
}

/// Completion times of the transfers of these sessions, also by size class if there are any, and of their rounds.
fn session_metrics<'a>(metrics: &mut Metrics, spec: &TrafficSpec, sessions: impl Iterator<Item = &'a Session>) {
    let (mut transfers, mut rounds) = (Vec::new(), Vec::new());
    for session in sessions {
        transfers.extend_from_slice(&session.closed.completions);
        rounds.extend_from_slice(&session.closed.rounds);
    }
    if let Some(count) = quantiles(metrics, "completion", "", seconds(&transfers)) {
        metrics.count("completed", count);
    }
    let classes = spec.transfers.as_ref().map_or(&[][..], |transfers| &transfers.classes);
    let ends = classes.iter().copied().map(Some).chain([None]);
    for (low, high) in [0].into_iter().chain(classes.iter().copied()).zip(ends).filter(|_| !classes.is_empty()) {
        let inside = |transfer: &&Completion| low < transfer.bytes && high.is_none_or(|high| transfer.bytes <= high);
        let class: Vec<Completion> = transfers.iter().filter(inside).copied().collect();
        let place = high.map_or(format!("_{low}_inf"), |high| format!("_{low}_{high}"));
        let count = quantiles(metrics, "completion", &place, seconds(&class));
        metrics.count(format!("completed{place}"), count.unwrap_or(0));
    }
    if spec.web.is_none() {
        if let Some(count) = quantiles(metrics, "round", "", rounds) {
            metrics.count("rounds", count);
        }
    } else if spec.delays
        && let Some(count) = quantiles(metrics, "page", "", rounds)
    {
        metrics.count("pages", count);
    }
}

fn seconds(transfers: &[Completion]) -> Vec<f64> {
    transfers.iter().map(|transfer| transfer.seconds).collect()
}

/// Mean, quantiles and number of these times, if there are any; named `WHAT_mean_PLACE_s` and so on.
fn quantiles(metrics: &mut Metrics, what: &str, place: &str, mut times: Vec<f64>) -> Option<u64> {
    times.sort_by(f64::total_cmp);
    let last = times.len().checked_sub(1)?;
    metrics.number(format!("{what}_mean{place}_s"), times.iter().sum::<f64>() / times.len() as f64);
    for (name, p) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)] {
        let rank = (p * times.len() as f64).ceil() as usize;
        metrics.number(format!("{what}_{name}{place}_s"), times[rank.saturating_sub(1).min(last)]);
    }
    Some(times.len() as u64)
}

fn frame_metrics(metrics: &mut Metrics, flows: &[Frames]) {
    let mut waste = Waste::default();
    for frames in flows {
        waste += frames.waste();
    }
    metrics.count("frames", waste.frames);
    metrics.count("useless_frames", waste.useless);
    metrics.number("wasted_share", (waste.bytes > 0).then(|| waste.useless_bytes as f64 / waste.bytes as f64));
}

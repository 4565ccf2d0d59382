//! Metrics of a link by name, by the definitions of the reference pages.

use crate::probe::codepoints::Codepoints;
use crate::probe::distribution::moments;
use crate::probe::queue::QueueStats;
use crate::probe::series::Series;
use crate::spec::LinkSpec;
use penstock_aqm::Cause;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// A value of a result. Most runs are short, so that producing results takes a notable part of their time: numbers are
/// kept as they are until JSON is requested.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Metric {
    /// A count.
    Count(u64),
    /// A finite number.
    Number(f64),
    /// A distribution.
    List(Vec<f64>),
    /// Metrics below this name.
    Table(Metrics),
    /// The metrics of each flow.
    Tables(Vec<Metrics>),
    /// Anything else.
    Json(Value),
}

/// Metrics by name, without those that the run does not have. As JSON they are in the order of their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics(Vec<(Cow<'static, str>, Metric)>);

impl Metrics {
    /// No metrics yet, with room for this number.
    pub fn with_capacity(number: usize) -> Self {
        Self(Vec::with_capacity(number))
    }

    /// A count.
    pub fn count(&mut self, name: impl Into<Cow<'static, str>>, value: u64) {
        self.insert(name, Metric::Count(value));
    }

    /// A finite number; any other is left out.
    pub fn number(&mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Option<f64>>) {
        if let Some(value) = value.into().filter(|value| value.is_finite()) {
            self.insert(name, Metric::Number(value));
        }
    }

    /// A distribution.
    pub fn list(&mut self, name: impl Into<Cow<'static, str>>, values: Vec<f64>) {
        self.insert(name, Metric::List(values));
    }

    /// Any value. The name must be new.
    pub fn insert(&mut self, name: impl Into<Cow<'static, str>>, value: Metric) {
        let name = name.into();
        debug_assert!(self.get(&name).is_none(), "{name} is there already");
        self.0.push((name, value));
    }

    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&Metric> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

impl Metric {
    /// The value of this name, of metrics.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Table(metrics) => metrics.get(name),
            _ => None,
        }
    }

    /// A count or a number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Count(count) => Some(*count as f64),
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }
}

impl IntoIterator for Metrics {
    type Item = (Cow<'static, str>, Metric);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    /// The metrics in the order of insertion.
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Serialize for Metrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut ordered: Vec<_> = self.0.iter().collect();
        ordered.sort_by_key(|(name, _)| name);
        let mut map = serializer.serialize_map(Some(ordered.len()))?;
        for (name, value) in ordered {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The drops by cause; drops by conditioners do not count as the queue's.
const DROPS: [(&str, Cause); 5] = [
    ("drops_early", Cause::Early),
    ("drops_forced", Cause::Forced),
    ("drops_sojourn", Cause::Sojourn),
    ("drops_overflow", Cause::Overflow),
    ("drops_evicted", Cause::Evicted),
];

/// The metrics of a link with these statistics. `capacity` is the amount that it could have sent, in 1e-9 bits; `jain`
/// is the fairness of the flows that cross it.
pub fn link_metrics(spec: &LinkSpec, stats: &QueueStats, capacity: u128, jain: Option<f64>) -> Metrics {
    let mut metrics = Metrics::with_capacity(40);
    let ratio = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    metrics.count("arrivals", stats.arrivals);
    metrics.count("departures", stats.departures);
    metrics.count("drops", stats.all_drops());
    for (name, cause) in DROPS {
        metrics.count(name, stats.drops[cause as usize]);
    }
    metrics.count("marks", stats.marks);
    metrics.count("link_losses", stats.link_losses);
    metrics.count("policed", stats.policed);
    if stats.filtered_acks() > 0 {
        metrics.count("filtered_acks", stats.filtered_acks());
    }
    metrics.number("loss_rate", ratio(stats.all_drops(), stats.arrivals));
    metrics.number("mark_rate", ratio(stats.marks, stats.arrivals));
    metrics.number("utilization", (capacity > 0).then(|| stats.sent_nanobits() as f64 / capacity as f64));
    metrics.number("average_mean_pkts", stats.average());
    metrics.number("jain", jain);
    lengths(
        &mut metrics,
        spec,
        "",
        ["length_mean_pkts", "length_var_pkts2", "empty_share", "length_pmf"],
        stats.length_pmf(),
    );
    let sampled = ["length_sampled_mean_pkts", "length_sampled_var_pkts2", "sampled_empty_share", "sampled_length_pmf"];
    lengths(&mut metrics, spec, "sampled_", sampled, stats.sampled_pmf());
    let delays = &stats.delays;
    let (mean, sd) = delays.moments().unzip();
    metrics.number("delay_mean_s", mean);
    metrics.number("delay_sd_s", sd);
    metrics.number("jitter_sd_s", sd);
    let names = ["delay_p50_s", "delay_p95_s", "delay_p99_s", "delay_p999_s"];
    for (name, delay) in names.into_iter().zip(delays.quantiles(&[0.5, 0.95, 0.99, 0.999])) {
        metrics.number(name, delay);
    }
    metrics.list("burst_loss_pmf", stats.burst_pmf());
    for (name, counts) in stats.codepoints().into_iter().flat_map(Codepoints::seen) {
        metrics.count(format!("dscp_{name}_arrivals"), counts.arrivals);
        metrics.count(format!("dscp_{name}_departures"), counts.departures);
        metrics.count(format!("dscp_{name}_drops"), counts.drops);
        metrics.count(format!("dscp_{name}_marks"), counts.marks);
        metrics.number(format!("dscp_{name}_loss_rate"), ratio(counts.drops, counts.arrivals));
        metrics.list(format!("dscp_{name}_burst_loss_pmf"), counts.bursts.pmf());
    }
    metrics
}

/// A distribution of lengths: its mean, its variance, the share of 0, and the distribution itself, under these names.
/// Adds nothing if there is no sample.
fn lengths(metrics: &mut Metrics, spec: &LinkSpec, prefix: &str, names: [&'static str; 4], pmf: Vec<f64>) {
    if pmf.is_empty() {
        return;
    }
    let (mean, variance) = moments(&pmf);
    metrics.number(names[0], mean);
    metrics.number(names[1], variance);
    metrics.number(names[2], pmf.first().copied().unwrap_or(0.0));
    for [low, high] in &spec.shares {
        let share = pmf.iter().skip(*low as usize + 1).take((high - low) as usize).sum::<f64>();
        metrics.number(format!("{prefix}share_{low}_{high}"), share);
    }
    metrics.list(names[3], pmf);
}

/// Series with equal intervals: the ends of the intervals, and each series by its name.
pub fn over_time<'a>(all: impl Iterator<Item = (&'a str, &'a Series)>) -> Value {
    let mut values = Map::new();
    for (name, series) in all {
        values.entry("t_ns").or_insert_with(|| json!(series.times()));
        values.insert(name.to_owned(), json!(series));
    }
    values.into()
}

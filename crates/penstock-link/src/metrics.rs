//! Metrics of a link by name, by the definitions of the reference pages.

use crate::probe::codepoints::Codepoints;
use crate::probe::distribution::moments;
use crate::probe::queue::QueueStats;
use crate::probe::series::Series;
use crate::spec::LinkSpec;
use penstock_aqm::Cause;
use serde_json::{Map, Value, json};

/// Metrics by name, without those that the run does not have.
#[derive(Default)]
pub struct Metrics(Map<String, Value>);

impl Metrics {
    /// A count.
    pub fn count(&mut self, name: &str, value: u64) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// A finite number; any other is left out.
    pub fn number(&mut self, name: &str, value: impl Into<Option<f64>>) {
        if let Some(value) = value.into().filter(|value| value.is_finite()) {
            self.0.insert(name.to_owned(), value.into());
        }
    }

    /// A distribution.
    pub fn list(&mut self, name: &str, values: Vec<f64>) {
        self.0.insert(name.to_owned(), values.into());
    }

    /// Any other value.
    pub fn value(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }
}

impl From<Metrics> for Value {
    fn from(metrics: Metrics) -> Self {
        metrics.0.into()
    }
}

/// The metrics of a link with these statistics, which could have sent `capacity`, in 1e-9 bits; `jain` is the fairness of
/// the flows that cross it.
pub fn link_metrics(spec: &LinkSpec, stats: &QueueStats, capacity: u128, jain: Option<f64>) -> Value {
    let mut metrics = Metrics::default();
    let ratio = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    metrics.count("arrivals", stats.arrivals);
    metrics.count("departures", stats.departures);
    metrics.count("drops", stats.all_drops());
    for cause in Cause::ALL.into_iter().filter(|&cause| cause != Cause::Policed) {
        metrics.count(&format!("drops_{}", cause.name()), stats.drops[cause as usize]);
    }
    metrics.count("marks", stats.marks);
    metrics.count("link_losses", stats.link_losses);
    metrics.count("policed", stats.policed);
    metrics.number("loss_rate", ratio(stats.all_drops(), stats.arrivals));
    metrics.number("mark_rate", ratio(stats.marks, stats.arrivals));
    metrics.number("utilization", (capacity > 0).then(|| stats.sent_nanobits() as f64 / capacity as f64));
    metrics.number("average_mean_pkts", stats.average());
    metrics.number("jain", jain);
    for (prefix, pmf) in [("", stats.length_pmf()), ("sampled_", stats.sampled_pmf())] {
        let (mean, variance) = moments(&pmf);
        let infix = if prefix.is_empty() { "length_" } else { "length_sampled_" };
        metrics.number(&format!("{infix}mean_pkts"), mean);
        metrics.number(&format!("{infix}var_pkts2"), variance);
        metrics.number(&format!("{prefix}empty_share"), pmf.first().copied().unwrap_or(0.0));
        for [low, high] in &spec.shares {
            let share = pmf.iter().skip(*low as usize + 1).take((high - low) as usize).sum::<f64>();
            metrics.number(&format!("{prefix}share_{low}_{high}"), share);
        }
        metrics.list(&format!("{prefix}length_pmf"), pmf);
    }
    let delays = &stats.delays;
    metrics.number("delay_mean_s", delays.mean());
    metrics.number("delay_sd_s", delays.sd());
    metrics.number("jitter_sd_s", delays.sd());
    for (name, p) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999)] {
        metrics.number(&format!("delay_{name}_s"), delays.quantile(p));
    }
    metrics.list("burst_loss_pmf", stats.burst_pmf());
    for (name, counts) in stats.codepoints().into_iter().flat_map(Codepoints::seen) {
        metrics.count(&format!("dscp_{name}_arrivals"), counts.arrivals);
        metrics.count(&format!("dscp_{name}_departures"), counts.departures);
        metrics.count(&format!("dscp_{name}_drops"), counts.drops);
        metrics.count(&format!("dscp_{name}_marks"), counts.marks);
        metrics.number(&format!("dscp_{name}_loss_rate"), ratio(counts.drops, counts.arrivals));
        metrics.list(&format!("dscp_{name}_burst_loss_pmf"), counts.bursts.pmf());
    }
    metrics.into()
}

/// Series with equal intervals: the ends of these, and each series by its name.
pub fn over_time<'a>(all: impl Iterator<Item = (&'a str, &'a Series)>) -> Value {
    let mut values = Map::new();
    for (name, series) in all {
        values.entry("t_ns").or_insert_with(|| json!(series.times()));
        values.insert(name.to_owned(), json!(series));
    }
    values.into()
}

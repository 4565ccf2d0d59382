//! A scenario in canonical form: nanoseconds, bits per second, bytes. Files with units are read in Python.

mod check;
mod header_field;
mod traffic;

pub use header_field::HeaderField;
pub use penstock_link::spec::*;
pub use traffic::*;

use serde::Deserialize;

/// Everything about a run except its seed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// End of the run.
    pub duration_ns: u64,
    /// End of the warm-up: statistics start.
    #[serde(default)]
    pub warmup_ns: u64,
    /// Time between samples of the queue and the AQM's gauges.
    #[serde(default = "ten_milliseconds")]
    pub sampling_ns: u64,
    /// Link directions.
    pub links: Vec<LinkSpec>,
    /// Groups of flows.
    pub traffic: Vec<TrafficSpec>,
    /// Computation and contents of the result.
    #[serde(default)]
    pub options: Options,
}

impl Scenario {
    /// Whether packets may have different codepoints.
    pub(crate) fn has_codepoints(&self) -> bool {
        self.traffic.iter().any(|group| group.dscp != HeaderField::Fixed(0))
            || self.links.iter().any(|link| !link.edge.is_empty())
    }
}

fn ten_milliseconds() -> u64 {
    10_000_000
}

/// Computation and contents of the result.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Compute the departures from links that never drop, and precompute those from first-in-first-out queues, instead
    /// of processing an event for each. Changes no result but the number of events.
    pub computed_links: bool,
    /// The result has the metrics of each flow.
    pub flows: bool,
    /// The result has watched queues, their gauges and watched TCP senders over time.
    pub series: bool,
    /// Largest number of intervals of a series; no interval is shorter than the sampling.
    pub series_points: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { computed_links: true, flows: true, series: false, series_points: 1000 }
    }
}

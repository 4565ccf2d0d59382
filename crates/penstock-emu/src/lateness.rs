//! How late packets were written, and how long the thread had to wait for a processor.

use penstock_core::{Span, Time};
use penstock_link::probe::histogram::Histogram;
use std::fs;

/// Times from the instants at which packets were due until they had been written.
#[derive(Default)]
pub(crate) struct Lateness {
    histogram: Histogram,
    max: Span,
}

impl Lateness {
    /// A packet that was due at `due` had been written at `now`.
    pub(crate) fn record(&mut self, due: Time, now: Time) {
        let late = now.since(due);
        self.histogram.record(late);
        self.max = self.max.max(late);
    }

    /// The lateness in seconds that the share `p` of all packets does not exceed; 0 without packets.
    pub(crate) fn quantile(&self, p: f64) -> f64 {
        self.histogram.quantile(p).unwrap_or(0.0)
    }

    /// The largest lateness in seconds.
    pub(crate) fn max(&self) -> f64 {
        self.max.as_secs()
    }
}

/// Time that the calling thread has waited for a processor while it could have run, in seconds; `None` if the kernel
/// does not report it.
pub(crate) fn starved() -> Option<f64> {
    // Time on a processor, time waiting for one, both in nanoseconds, and the number of time slices.
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanos: f64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(nanos * 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_and_maximum_of_known_times() {
        let mut lateness = Lateness::default();
        for k in 1..=100_u64 {
            lateness.record(Time::from_nanos(1000), Time::from_nanos(1000 + k * 1000));
        }
        // An early packet would be a defect; it counts as on time.
        lateness.record(Time::from_nanos(5), Time::ZERO);
        assert!((lateness.quantile(0.5) / 50e-6 - 1.0).abs() < 0.02);
        assert!((lateness.max() - 100e-6).abs() < 1e-12);
    }
}

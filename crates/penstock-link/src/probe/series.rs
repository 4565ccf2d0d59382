//! Values over time, decimated: minimum, time-weighted mean and maximum of each interval.

use penstock_core::{Span, Time};
use serde::Serialize;

/// A step function of time, reduced to intervals of equal width.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    min: Vec<f64>,
    mean: Vec<f64>,
    max: Vec<f64>,
    #[serde(skip)]
    width: u64,
    #[serde(skip)]
    seen: u64,
    #[serde(skip)]
    open: Interval,
}

/// The interval that is being filled.
#[derive(Clone, Copy, Debug)]
struct Interval {
    min: f64,
    max: f64,
    area: f64,
}

const EMPTY: Interval = Interval { min: f64::INFINITY, max: f64::NEG_INFINITY, area: 0.0 };

impl Series {
    /// A series with intervals of this width, from the start of the run.
    pub fn new(width: Span) -> Self {
        let (min, mean, max) = (Vec::new(), Vec::new(), Vec::new());
        Self { min, mean, max, width: width.as_nanos(), seen: 0, open: EMPTY }
    }

    /// The value was `value` from the end of the previous call's period up to `now`.
    pub fn hold(&mut self, now: Time, value: f64) {
        let now = now.as_nanos();
        while self.seen < now {
            let end = (self.min.len() as u64 + 1) * self.width;
            let until = now.min(end);
            self.open.min = self.open.min.min(value);
            self.open.max = self.open.max.max(value);
            self.open.area += value * (until - self.seen) as f64;
            self.seen = until;
            if until == end {
                self.min.push(self.open.min);
                self.mean.push(self.open.area / self.width as f64);
                self.max.push(self.open.max);
                self.open = EMPTY;
            }
        }
    }

    /// Ends of the full intervals in nanoseconds.
    pub fn times(&self) -> Vec<u64> {
        (1..=self.min.len() as u64).map(|interval| interval * self.width).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_interval_has_its_extremes_and_its_mean() {
        let mut series = Series::new(Span::from_nanos(10));
        series.hold(Time::from_nanos(4), 1.0);
        series.hold(Time::from_nanos(25), 2.0);
        assert_eq!(series.min, [1.0, 2.0]);
        assert_eq!(series.max, [2.0, 2.0]);
        assert_eq!(series.mean, [1.6, 2.0]);
        assert_eq!(series.times(), [10, 20]);
    }
}

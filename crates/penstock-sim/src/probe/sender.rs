//! A TCP sender over time.

use penstock_core::{Span, Time};
use penstock_link::probe::series::Series;
use penstock_tcp::Sender;

/// The state of one sender as a series for each of its gauges, which hold their values from one change to the next.
pub(crate) struct SenderSeries {
    width: Span,
    gauges: Vec<Gauge>,
}

struct Gauge {
    name: &'static str,
    /// Value since the last change; NaN while the sender has none.
    value: f64,
    /// Value after the event that is being recorded.
    next: f64,
    series: Series,
}

impl SenderSeries {
    /// Series with intervals of this width, from the start of the run.
    pub(crate) fn new(width: Span) -> Self {
        Self { width, gauges: Vec::new() }
    }

    /// An event of the sender at `now` has been processed.
    pub(crate) fn record(&mut self, now: Time, sender: &Sender) {
        self.gauges.iter_mut().for_each(|gauge| gauge.next = f64::NAN);
        sender.gauges(&mut |name, value| {
            if let Some(gauge) = self.gauges.iter_mut().find(|gauge| gauge.name == name) {
                gauge.next = value;
            } else {
                let mut series = Series::new(self.width);
                series.hold(now, f64::NAN);
                self.gauges.push(Gauge { name, value, next: value, series });
            }
        });
        // Record changes only: recording events without a change would split the sums and round them differently.
        for gauge in self.gauges.iter_mut().filter(|gauge| gauge.next.to_bits() != gauge.value.to_bits()) {
            gauge.series.hold(now, gauge.value);
            gauge.value = gauge.next;
        }
    }

    /// The state does not change up to `now`.
    pub(crate) fn close(&mut self, now: Time) {
        for gauge in &mut self.gauges {
            gauge.series.hold(now, gauge.value);
        }
    }

    /// The series by name; none before the flow has started.
    pub(crate) fn series(&self) -> impl Iterator<Item = (&str, &Series)> {
        self.gauges.iter().map(|gauge| (gauge.name, &gauge.series))
    }
}

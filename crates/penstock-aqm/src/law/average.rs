//! RED's average queue: a low-pass filter that makes up for the time in which the link was idle.

use penstock_core::{Time, math};

/// An average this close below a whole number counts as that number.
const ROUNDING: f64 = 1e-9;

/// The constants of the filter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filter {
    /// Weight of one arrival.
    pub(crate) w_q: f64,
    /// Packets of typical size that the link sends in a second.
    pub(crate) capacity: f64,
    /// Each arrival takes w_q times the whole part of avg off it instead of w_q avg (Linux).
    pub(crate) whole: bool,
}

/// The exponentially weighted average of a queue (RED, section 4).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Average {
    pub(crate) filter: Filter,
    avg: f64,
    idle_since: Option<Time>,
}

impl Average {
    /// The average of an empty queue: 0, which idle time does not change.
    pub(crate) const fn new(filter: Filter) -> Self {
        Self { filter, avg: 0.0, idle_since: None }
    }

    /// avg = (1 - w_q) avg + w_q q. After an idle time, first avg = (1 - w_q)^m avg, where the link could have sent m
    /// typical packets.
    #[inline]
    pub(crate) fn update(&mut self, now: Time, q: f64) {
        let Filter { w_q, capacity, whole } = self.filter;
        if let Some(since) = self.idle_since.take() {
            let m = math::floor(now.since(since).as_secs() * capacity);
            self.avg *= math::pow(1.0 - w_q, m);
        }
        self.avg = if whole {
            (self.avg + w_q * (q - math::floor(self.avg + ROUNDING))).max(0.0)
        } else {
            (1.0 - w_q) * self.avg + w_q * q
        };
    }

    #[inline]
    pub(crate) const fn get(&self) -> f64 {
        self.avg
    }

    /// The link found the queue empty.
    pub(crate) fn on_idle(&mut self, now: Time) {
        self.idle_since.get_or_insert(now);
    }

    /// The idle time so far is not made up for.
    pub(crate) fn forget_idle(&mut self) {
        self.idle_since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Span;

    fn at(secs: f64) -> Time {
        Time::ZERO + Span::from_secs(secs)
    }

    fn average(whole: bool) -> Average {
        Average::new(Filter { w_q: 0.25, capacity: 100.0, whole })
    }

    #[test]
    fn it_follows_the_low_pass_filter_and_decays_over_an_idle_time() {
        let mut average = average(false);
        average.update(at(10.0), 8.0);
        average.update(at(10.1), 4.0);
        assert_eq!(average.get(), 0.75 * 2.0 + 1.0);
        average.on_idle(at(20.0));
        average.on_idle(at(21.0));
        // 3.9 packets in 39 ms: m = 3, and then the arrival itself
        average.update(at(20.039), 0.0);
        assert!((average.get() - 2.5 * 0.75_f64.powi(4)).abs() < 1e-12);
    }

    #[test]
    fn a_forgotten_idle_time_decays_nothing() {
        let mut average = average(false);
        average.update(at(1.0), 8.0);
        average.on_idle(at(1.0));
        average.forget_idle();
        average.update(at(9.0), 2.0);
        assert_eq!(average.get(), 0.75 * 2.0 + 0.25 * 2.0);
    }

    #[test]
    fn in_whole_units_only_the_whole_part_decays() {
        let mut average = average(true);
        let averages = [9.0, 9.0, 0.0, 0.0].map(|q| {
            average.update(at(1.0), q);
            average.get()
        });
        // 0 + 9/4, 2.25 + (9 - 2)/4, 4 - 4/4, 3 - 3/4
        assert_eq!(averages, [2.25, 4.0, 3.0, 2.25]);
    }
}

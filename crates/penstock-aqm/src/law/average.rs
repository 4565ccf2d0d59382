//! The low-pass filter of RED, for laws that keep averages besides that of a RED they own.

use penstock_core::{Span, Time, math};

/// An exponentially weighted average of a queue length, with idle time made up for (RED, section 4).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Average {
    avg: f64,
    idle_since: Option<Time>,
}

impl Average {
    /// Of a queue that is empty, at a link that is idle, from the start.
    pub(crate) const EMPTY: Self = Self { avg: 0.0, idle_since: Some(Time::ZERO) };

    /// avg = (1 - w_q) avg + w_q q; after an idle time first avg = (1 - w_q)^m avg, where m typical packets could have
    /// been sent at `capacity` packets a second.
    #[inline]
    pub(crate) fn update(&mut self, now: Time, q: f64, w_q: f64, capacity: f64) {
        if let Some(since) = self.idle_since.take() {
            let idle: Span = now.since(since);
            self.avg *= math::pow(1.0 - w_q, math::floor(idle.as_secs() * capacity));
        }
        self.avg = (1.0 - w_q) * self.avg + w_q * q;
    }

    /// The link asked for a packet, and there was none.
    pub(crate) fn on_idle(&mut self, now: Time) {
        self.idle_since.get_or_insert(now);
    }

    pub(crate) fn get(self) -> f64 {
        self.avg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_filters_and_decays_as_that_of_red() {
        let mut average = Average::EMPTY;
        let at = |secs: f64| Time::ZERO + Span::from_secs(secs);
        average.update(at(10.0), 8.0, 0.25, 100.0);
        average.update(at(10.1), 4.0, 0.25, 100.0);
        assert_eq!(average.get(), 0.75 * 2.0 + 1.0);
        average.on_idle(at(20.0));
        average.on_idle(at(21.0));
        // 3.9 packets in 39 ms: m = 3, and then the arrival itself
        average.update(at(20.039), 0.0, 0.25, 100.0);
        assert!((average.get() - 2.5 * 0.75_f64.powi(4)).abs() < 1e-12);
    }
}

//! The timer of AQMs that adapt at regular intervals.

use penstock_core::{Span, Time};

/// Fires at the start + `interval`, + 2 `interval`, + 3 `interval`, ...
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeriodicTimer {
    interval: Span,
    next: Time,
}

impl PeriodicTimer {
    /// A timer that starts now.
    pub(crate) fn new(now: Time, interval: Span) -> Self {
        Self { interval, next: now + interval }
    }

    /// When it fires next; `None` at the end of time.
    #[inline]
    pub(crate) fn next(&self) -> Option<Time> {
        (self.next < Time::NEVER).then_some(self.next)
    }

    /// It has fired. A caller that is late by more than an interval gets one tick, not a burst.
    pub(crate) fn advance(&mut self, now: Time) {
        self.next += self.interval;
        if self.next <= now {
            self.next = now + self.interval;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_do_not_drift_and_never_lie_in_the_past() {
        let mut ticker = PeriodicTimer::new(Time::ZERO, Span::from_millis(500));
        assert_eq!(ticker.next(), Some(Time::from_nanos(500_000_000)));
        ticker.advance(Time::from_nanos(500_000_100));
        assert_eq!(ticker.next(), Some(Time::from_nanos(1_000_000_000)));
        ticker.advance(Time::from_nanos(7_000_000_000));
        assert_eq!(ticker.next(), Some(Time::from_nanos(7_500_000_000)));
    }

    #[test]
    fn nothing_fires_at_the_end_of_time() {
        let mut ticker = PeriodicTimer::new(Time::from_nanos(u64::MAX - 1), Span::from_millis(500));
        assert_eq!(ticker.next(), None);
        ticker.advance(Time::NEVER);
        assert_eq!(ticker.next(), None);
    }
}

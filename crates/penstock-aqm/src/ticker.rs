//! The rule "every interval", for laws that adapt on a timer.

use penstock_core::{Span, Time};

/// Comes at `interval`, 2 `interval`, 3 `interval`, ...
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticker {
    interval: Span,
    next: Time,
}

impl Ticker {
    pub(crate) fn new(interval: Span) -> Self {
        Self { interval, next: Time::ZERO + interval }
    }

    /// When it comes next.
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    /// It has come. A caller that is late by more than an interval gets no burst of ticks.
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
        let mut ticker = Ticker::new(Span::from_millis(500));
        assert_eq!(ticker.next(), Time::from_nanos(500_000_000));
        ticker.advance(Time::from_nanos(500_000_100));
        assert_eq!(ticker.next(), Time::from_nanos(1_000_000_000));
        ticker.advance(Time::from_nanos(7_000_000_000));
        assert_eq!(ticker.next(), Time::from_nanos(7_500_000_000));
    }
}

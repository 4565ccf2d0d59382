//! Instants at equal distances, at which something is sampled.

use penstock_core::{Span, Time};

/// The instants `every`, 2 `every`, ... since time 0.
#[derive(Clone, Copy)]
pub(super) struct Ticks {
    /// The first instant that has not been taken.
    next: Time,
    every: Span,
}

impl Ticks {
    /// All instants from `every` on, which must not be 0.
    pub(super) fn new(every: Span) -> Self {
        Self { next: Time::ZERO + every, every }
    }

    /// The first instant that has not been taken.
    pub(super) fn next(self) -> Time {
        self.next
    }

    /// Take the instants up to and including `now`; returns their number.
    pub(super) fn take(&mut self, now: Time) -> u64 {
        if now < self.next {
            return 0;
        }
        let due = (now - self.next).as_nanos() / self.every.as_nanos() + 1;
        self.next += self.every * due;
        due
    }

    /// The last instant that was taken; time 0 if there is none.
    pub(super) fn last(self) -> Time {
        Time::from_nanos(self.next.since(Time::from_nanos(self.every.as_nanos())).as_nanos())
    }
}

//! The clock of a kernel's timers, which runs in ticks: when a timer expires that was set to a time.
//!
//! J. Corbet, "Reinventing the timer wheel", LWN.net, 2015, for Linux since 4.8. That a wait of 100 ticks ends after 101 to 108
//! of them is also seen in recordings of Linux 6.1: a lost opening packet is sent again after 1020 ms.
//!
//! # Law
//! A timer set to `n` ticks expires with a tick, the next one not counted. From 64 ticks on only every 8th tick ends a timer,
//! from 512 ticks on every 64th, and so on.
//!
//! # Differences
//! * The first tick is at time zero. A kernel's ticks began when it was booted, so which of them is an 8th one is open.

use penstock_core::{Span, Time};

/// Timers below this many ticks expire with any tick; above, with every 8th tick for each factor of 8.
const FINE_TICKS: u64 = 64;
const COARSER: u64 = 8;

/// When a timer expires that is set to `wait` at `now`, by a clock of period `tick`; a period of zero is exact.
#[inline]
pub(crate) fn expiry(now: Time, wait: Span, tick: Span) -> Time {
    if tick == Span::ZERO {
        return now + wait;
    }
    let nanos = tick.as_nanos();
    let ticks = wait.as_nanos().div_ceil(nanos);
    let (mut every, mut limit) = (1, FINE_TICKS);
    while ticks >= limit {
        (every, limit) = (every * COARSER, limit * COARSER);
    }
    let last = now.as_nanos() / nanos + ticks;
    Time::from_nanos((last / every + 1) * every * nanos)
}

/// The last tick up to `now`.
pub(crate) fn last(now: Time, tick: Span) -> Time {
    let tick = tick.as_nanos().max(1);
    Time::from_nanos(now.as_nanos() / tick * tick)
}

/// A span in whole ticks, rounded up.
pub(crate) fn rounded_up(span: Span, tick: Span) -> Span {
    let tick = tick.as_nanos().max(1);
    Span::from_nanos(span.as_nanos().div_ceil(tick) * tick)
}

/// The next number of whole ticks above `span`, which was measured: by a kernel it takes a little longer than on the network.
pub(crate) fn above(span: Span, tick: Span) -> Span {
    if tick == Span::ZERO { span } else { Span::from_nanos((span.as_nanos() / tick.as_nanos() + 1) * tick.as_nanos()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Span = Span::from_millis(10);

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn a_timer_expires_with_the_tick_after_its_time() {
        assert_eq!(expiry(at(3), Span::from_millis(7), Span::ZERO), at(10));
        assert_eq!([0, 3, 10].map(|now| expiry(at(now), Span::from_millis(20), TICK)), [at(30), at(30), at(40)]);
        assert_eq!(expiry(at(3), Span::from_millis(21), TICK), at(40));
    }

    #[test]
    fn long_timers_expire_with_every_eighth_tick() {
        assert_eq!(expiry(at(0), Span::from_millis(630), TICK), at(640));
        assert_eq!(expiry(at(0), Span::from_millis(640), TICK), at(720));
        // Between 101 and 108 ticks.
        assert_eq!(
            [0, 30, 40, 70].map(|now| expiry(at(now), Span::from_secs(1.0), TICK)),
            [at(1040), at(1040), at(1120), at(1120)]
        );
        // Level 2: every 64th.
        assert_eq!(expiry(at(0), Span::from_millis(5120), TICK), at(5760));
    }
}

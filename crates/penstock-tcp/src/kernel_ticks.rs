//! Expiry of timers in a kernel whose clock advances in ticks.
//!
//! J. Corbet, "Reinventing the timer wheel", LWN.net, 2015, for Linux since 4.8. Recordings of Linux 6.1 confirm that a
//! wait of 100 ticks lasts 101 to 108 ticks: a lost SYN is retransmitted after 1020 ms.
//!
//! # Algorithm
//! A timer set to `n` ticks expires at a tick; the first tick after it is set does not count. Timers of 64 ticks and
//! more expire at every 8th tick only, timers of 512 ticks and more at every 64th, and so on.
//!
//! # Differences
//! * The first tick is at time zero. A kernel counts ticks from its boot, so its phase within a period of 8 ticks is
//!   unknown.

use penstock_core::{Span, Time};

/// Timers of fewer ticks expire at any tick; longer timers at every 8th tick, and each factor of 8 in length coarsens
/// that by another 8.
const FINE_TICKS: u64 = 64;
const COARSER: u64 = 8;

/// Expiry time of a timer set at `now` to `wait`, on a clock of period `tick`; a period of zero means an exact clock.
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

/// Time of the last tick at or before `now`.
pub(crate) fn last(now: Time, tick: Span) -> Time {
    let tick = tick.as_nanos().max(1);
    Time::from_nanos(now.as_nanos() / tick * tick)
}

/// A span in whole ticks, rounded up.
pub(crate) fn rounded_up(span: Span, tick: Span) -> Span {
    let tick = tick.as_nanos().max(1);
    Span::from_nanos(span.as_nanos().div_ceil(tick) * tick)
}

/// The smallest number of whole ticks above `span`, a measured time: a kernel measures slightly more than the time on
/// the network.
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
        // Level 2: expiry at every 64th tick.
        assert_eq!(expiry(at(0), Span::from_millis(5120), TICK), at(5760));
    }
}

//! Time in integer nanoseconds: [`Time`] is an instant, [`Span`] a duration.

use core::fmt;
use core::ops::{Add, AddAssign, Mul, Sub};

/// Nanoseconds in a second.
pub const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// Floating-point numbers below this one represent halves exactly.
const EXACT_HALVES: f64 = (1_u64 << 52) as f64;
/// The largest number below one half.
const BELOW_HALF: f64 = 0.5 - f64::EPSILON / 4.0;

/// An instant, in nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A duration, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than every instant of a run. Sums saturate at it.
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant `nanos` nanoseconds after the start.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the start.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start, for formulas and results.
    #[inline]
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }

    /// The span from `earlier` to this instant; zero if `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// Zero duration.
    pub const ZERO: Self = Self(0);

    /// A span of `nanos` nanoseconds.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// A span of `micros` microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1_000)
    }

    /// A span of `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// The span nearest to `seconds`; negative values and NaN give zero, values out of range the longest span.
    pub fn from_secs(seconds: f64) -> Self {
        let nanos = seconds * NANOS_PER_SECOND as f64;
        if (0.0..EXACT_HALVES).contains(&nanos) {
            // The nearest integer, with the same result as `round` in half the instructions.
            return Self(((nanos + BELOW_HALF) as i64).cast_unsigned());
        }
        // From 2^52 on, every number is an integer; the conversion saturates.
        Self(nanos as u64)
    }

    /// Length in nanoseconds.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Length in seconds, for formulas and results.
    #[inline]
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }
}

impl Add<Span> for Time {
    type Output = Self;
    /// Saturates at [`Time::NEVER`].
    #[inline]
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        self.0 = self.0.saturating_add(span.0);
    }
}

impl Sub for Time {
    type Output = Span;
    /// The span between two instants. A negative span is a bug, since time never goes back; it panics in debug builds.
    #[inline]
    fn sub(self, earlier: Self) -> Span {
        Span(self.0 - earlier.0)
    }
}

impl Add for Span {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    #[inline]
    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.as_secs())
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_and_spans_add_up() {
        let start = Time::from_nanos(5);
        assert_eq!(start + Span::from_micros(1) - start, Span::from_nanos(1_000));
        assert_eq!(Time::ZERO.since(start), Span::ZERO);
        let mut last = Time::NEVER;
        last += Span::from_nanos(1);
        assert_eq!((Time::NEVER + Span::from_millis(1), last), (Time::NEVER, Time::NEVER));
    }

    #[test]
    fn short_and_long_spans_are_rounded_alike() {
        let near = |nanos: f64| [nanos.next_down(), nanos, nanos.next_up()];
        for nanos in [0.0, 0.5, 1.0, 2.5, 1e6 + 0.5, EXACT_HALVES / 2.0 - 0.5, EXACT_HALVES].map(near).concat() {
            let seconds = nanos / NANOS_PER_SECOND as f64;
            let rounded = crate::math::round(seconds * NANOS_PER_SECOND as f64) as u64;
            assert_eq!(Span::from_secs(seconds).as_nanos(), rounded, "{nanos}");
        }
        for seconds in [f64::NAN, f64::NEG_INFINITY, -1e9, -1e-9, -0.6e-9, -0.5e-9, -0.4e-9, -0.0] {
            assert_eq!(Span::from_secs(seconds), Span::ZERO, "{seconds}");
        }
        for seconds in [f64::INFINITY, 1e300, 2e10] {
            assert_eq!(Span::from_secs(seconds).as_nanos(), u64::MAX, "{seconds}");
        }
    }

    #[test]
    fn seconds_round_to_the_nearest_nanosecond() {
        assert_eq!(Span::from_secs(0.1).as_nanos(), 100_000_000);
        assert_eq!(Span::from_secs(1e-9 * 0.6).as_nanos(), 1);
        assert_eq!(Span::from_secs(-1.0), Span::ZERO);
    }
}

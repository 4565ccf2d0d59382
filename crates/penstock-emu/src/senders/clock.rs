//! The clock of senders, and the gate that ends them.

use nix::sys::prctl;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Longest sleep that a stop does not interrupt, in nanoseconds.
const UNINTERRUPTED: u64 = 20_000_000;

/// `CLOCK_MONOTONIC` in nanoseconds.
///
/// # Panics
///
/// Never fails: every Linux has this clock.
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("every Linux has CLOCK_MONOTONIC");
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}

/// The interval of the statistics, in nanoseconds of `CLOCK_MONOTONIC`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Window {
    /// Whether this time counts.
    pub(super) fn contains(self, at: u64) -> bool {
        (self.start..self.end).contains(&at)
    }

    /// Its length in seconds.
    pub(super) fn seconds(self) -> f64 {
        self.end.saturating_sub(self.start) as f64 / 1e9
    }
}

/// Opens when flows start and closes when they must end, which wakes all threads that sleep.
#[derive(Default)]
pub(super) struct Gate {
    opened: AtomicBool,
    closed: AtomicBool,
    lock: Mutex<()>,
    wake: Condvar,
}

impl Gate {
    /// Whether flows must end.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Start all flows.
    pub(super) fn open(&self) {
        self.set(&self.opened);
    }

    /// End all flows.
    pub(super) fn close(&self) {
        self.set(&self.closed);
    }

    fn set(&self, flag: &AtomicBool) {
        let _lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        flag.store(true, Ordering::Release);
        self.wake.notify_all();
    }

    /// Wait for the start; returns false if the flows must end before it.
    pub(super) fn wait(&self) -> bool {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.opened.load(Ordering::Acquire) && !self.is_closed() {
            lock = self.wake.wait(lock).unwrap_or_else(PoisonError::into_inner);
        }
        !self.is_closed()
    }

    /// Sleep until this time of `CLOCK_MONOTONIC`; returns whether the gate is still open.
    pub(super) fn sleep_until(&self, at: u64) -> bool {
        let mut now = now_ns();
        if now + UNINTERRUPTED < at {
            let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
            while !self.is_closed() && now + UNINTERRUPTED < at {
                let long = Duration::from_nanos(at - now - UNINTERRUPTED);
                lock = self.wake.wait_timeout(lock, long).unwrap_or_else(PoisonError::into_inner).0;
                now = now_ns();
            }
        }
        let until = TimeSpec::from_duration(Duration::from_nanos(at));
        while !self.is_closed() && now_ns() < at {
            // A signal ends the sleep early; the loop then continues the sleep.
            let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &until);
        }
        !self.is_closed()
    }
}

/// Let timers of this thread expire exactly: by default they may be 50 µs late.
pub(super) fn exact_timers() {
    // Where this fails, timers are late by up to 50 µs, which the lateness in the report shows.
    let _ = prctl::set_timerslack(1);
}

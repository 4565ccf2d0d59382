//! LEDBAT: keeps its own queueing delay near a target and yields to other traffic.
//!
//! RFC 6817; section numbers refer to it. Recovery is that of SACK.
//!
//! # Algorithm
//! `queueing delay = min(last FILTER delays) - base`, where `base` is the minimum delay of the current minute and the
//! nine before. With `off = (target - queueing delay) / target` an ACK of `acked` packets adds `gain off acked / cwnd`;
//! the window is at least `MIN_CWND`, and at most one packet more than the number of packets that were outstanding or
//! waited for their train to be complete (section 2.4.2). A loss halves the window.
//!
//! # Differences
//! * Delays are round-trip times, not one-way delays: ACKs carry no receiver timestamp. Queueing of ACKs therefore counts as
//!   the flow's own delay, and so does the delay of ACKs at the receiver, which the filter mostly removes.
//! * There is no slow start; section 2.2 makes it optional. The SYN is not measured, as it is shorter than
//!   data packets.
//! * `target` and `gain` may exceed the 100 ms and the 1 of section 2.5: RFC 7928 uses a gain of 10.

use super::window_control::WindowControl;
use crate::packets_and_acks::Ack;
use crate::state::{HALF, SenderState};
use penstock_core::{Span, Time};

/// MIN_CWND and ALLOWED_INCREASE, in packets.
const MIN_CWND: f64 = 2.0;
const ALLOWED_INCREASE: f64 = 1.0;
/// CURRENT_FILTER, in samples, and BASE_HISTORY, in minutes.
const FILTER: usize = 4;
const HISTORY: u64 = 10;
const MINUTE: u64 = 60_000_000_000;

const UNKNOWN: Span = Span::from_nanos(u64::MAX);

#[derive(Debug)]
pub(crate) struct Ledbat {
    base: [Span; HISTORY as usize],
    /// The minute of the last measurement.
    minute: u64,
    current: [Span; FILTER],
    next: usize,
}

impl Default for Ledbat {
    fn default() -> Self {
        Self { base: [UNKNOWN; HISTORY as usize], minute: 0, current: [UNKNOWN; FILTER], next: 0 }
    }
}

impl Ledbat {
    /// Packets that may wait until a train is complete.
    fn waiting(s: &SenderState) -> u32 {
        if s.params.offload { s.train(None) - 1 } else { 0 }
    }

    fn measure(&mut self, now: Time, delay: Span) {
        let minute = now.as_nanos() / MINUTE;
        for passed in (self.minute + 1..=minute).rev().take(HISTORY as usize) {
            self.base[(passed % HISTORY) as usize] = UNKNOWN;
        }
        self.minute = minute;
        let least = &mut self.base[(minute % HISTORY) as usize];
        *least = delay.min(*least);
        self.current[self.next % FILTER] = delay;
        self.next = (self.next + 1) % FILTER;
    }

    /// The flow's own queueing delay, in seconds.
    fn queueing_delay(&self) -> f64 {
        let least = |delays: &[Span]| delays.iter().copied().min().unwrap_or(UNKNOWN);
        let (current, base) = (least(&self.current), least(&self.base));
        if current == UNKNOWN { 0.0 } else { current.as_secs() - base.as_secs() }
    }
}

impl WindowControl for Ledbat {
    const LOSS_FACTOR: f64 = HALF;

    fn observe(&mut self, s: &SenderState, now: Time, ack: &Ack<'_>, _newly: u32) -> bool {
        if ack.ack > u32::from(s.params.opens()) {
            self.measure(now, now.since(ack.stamp));
        }
        ack.ece
    }

    fn grow(&mut self, s: &mut SenderState, now: Time, _ack: &Ack<'_>, acked: u32) {
        let target = s.params.target.as_secs();
        let off = (target - self.queueing_delay()) / target;
        let acked = f64::from(acked);
        let most = f64::from(s.outstanding()) + acked + ALLOWED_INCREASE + f64::from(Self::waiting(s));
        let cwnd = s.cwnd + s.params.gain * off * acked / s.cwnd;
        s.set_cwnd(now, cwnd.min(most).max(MIN_CWND));
        // LEDBAT is never in slow start, and pacing distinguishes the phases by the threshold.
        s.ssthresh = s.ssthresh.min(s.cwnd);
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("queueing_delay", self.queueing_delay());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Flavour, Profile, TcpParams};

    /// The window after an ACK of one packet of twenty; `base` delay and round-trip time in milliseconds.
    fn after(base: u64, millis: u64, gain: f64) -> f64 {
        let params =
            TcpParams { flavour: Flavour::Ledbat, initial_window: 20.0, gain, ..TcpParams::of(Profile::Linux) };
        let (mut s, mut ledbat) = (SenderState::new(params.into()), Ledbat::default());
        s.una = 1;
        s.max = 20;
        let span = |millis| Span::from_millis(millis);
        ledbat.measure(Time::ZERO, span(base));
        for _ in 0..FILTER {
            ledbat.measure(Time::ZERO, span(millis));
        }
        let ack = Ack { ack: 2, stamp: Time::ZERO, ece: false, ace: 0, sack: &[], retransmission: false };
        ledbat.grow(&mut s, Time::ZERO, &ack, 1);
        s.cwnd
    }

    #[test]
    fn the_window_moves_in_proportion_to_the_distance_from_the_target() {
        // Section 2.4.2 with a target of 100 ms: growth of 1, 0.5, 0, -0.5 and -2 packets per window.
        for (delay, off) in [(0, 1.0), (50, 0.5), (100, 0.0), (150, -0.5), (300, -2.0)] {
            assert!((after(40, 40 + delay, 1.0) - (20.0 + off / 20.0)).abs() < 1e-9, "{delay} ms");
        }
        assert!((after(40, 90, 10.0) - (20.0 + 10.0 * 0.5 / 20.0)).abs() < 1e-9);
        assert!((after(40, 40_000, 10.0) - MIN_CWND).abs() < 1e-9);
    }

    #[test]
    fn a_base_of_ten_minutes_ago_is_forgotten() {
        let mut ledbat = Ledbat::default();
        let minute = |n: u64| Time::from_nanos(n * MINUTE + 1);
        ledbat.measure(minute(3), Span::from_millis(40));
        for n in 4..13 {
            ledbat.measure(minute(n), Span::from_millis(60));
            assert!((ledbat.queueing_delay() - if n < 7 { 0.0 } else { 0.02 }).abs() < 1e-9, "minute {n}");
        }
        ledbat.measure(minute(13), Span::from_millis(60));
        assert!(ledbat.queueing_delay().abs() < 1e-9);
    }
}

//! The round-trip time estimator and the retransmission timeout.
//!
//! V. Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988; RFC 6298.
//!
//! # Algorithm
//! With R a measured round-trip time: RTTVAR <- RTTVAR + (|R - SRTT| - RTTVAR)/4, then SRTT <- SRTT + (R - SRTT)/8; the
//! first R sets SRTT = R and RTTVAR = R/2. RTO = max(min_rto, SRTT + 4 RTTVAR), multiplied by the back-off factor 1, 2,
//! 4, ..., and at most max_rto. With `rto_floor = "variance"`, RTO = SRTT + max(min_rto, 4 RTTVAR), as in Linux.
//!
//! With `timer_tick` the timeout is a whole number of ticks, the smallest above SRTT + 4 RTTVAR, and the back-off
//! doubles that number. A round trip of 40 ms gives 25 ticks of 10 ms, then 50, then 100: Linux 6.1 was recorded to
//! wait 260, 510 and 1070 ms ([`crate::kernel_ticks`]).
//!
//! # Differences
//! * With a coarse clock (`tick` > 0) all times are in ticks, SRTT in eighths and RTTVAR in quarters of a tick, each
//!   update rounded down, as in Jacobson's code and in ns-2. A measured round-trip time is the number of ticks within
//!   it.
//! * With an exact clock the same integers count eighths and quarters of a nanosecond.
//! * With the coarse clock, a back-off above 8 adds SRTT to RTTVAR and resets SRTT (ns-2).

use crate::kernel_ticks;
use crate::params::{RtoFloor, TcpParams};
use penstock_core::{Span, Time};

/// Upper bound of the back-off factor; usually `max_rto` limits the timeout earlier.
const MAX_BACKOFF: u32 = 1 << 16;
/// A coarse estimator resets SRTT above this back-off.
const FORGET_ABOVE: u32 = 8;

/// The estimator of one flow.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Rtt {
    /// Eight times SRTT, in ticks (coarse clock) or nanoseconds; 0: nothing measured.
    srtt8: u64,
    /// Four times RTTVAR.
    rttvar4: u64,
    /// SRTT + 4 RTTVAR, before minimum and back-off.
    rto: Span,
    /// Back-off factor.
    backoff: u32,
    /// The timeout that follows from the fields above: computed when they change, since every ACK restarts the timer.
    /// Last in the struct, next to the other fields that every ACK reads.
    timeout: Span,
}

impl Rtt {
    pub(crate) fn new(params: &TcpParams) -> Self {
        /// ns-2's RTTVAR before the first measurement: 12 s.
        const RTTVAR_INIT: u64 = 12_000_000_000;
        let unit = params.tick.as_nanos().max(1);
        let mut new = Self {
            srtt8: 0,
            rttvar4: 4 * (RTTVAR_INIT / unit),
            rto: params.initial_rto,
            backoff: 1,
            timeout: Span::ZERO,
        };
        new.update_timeout(params);
        new
    }

    /// The current timeout.
    #[inline]
    pub(crate) fn timeout(&self) -> Span {
        self.timeout
    }

    fn update_timeout(&mut self, params: &TcpParams) {
        let rto = self.rto.max(params.min_rto) * u64::from(self.backoff);
        self.timeout = rto.min(params.max_rto).max(params.tick * 2);
    }

    /// Smoothed round-trip time.
    pub(crate) fn srtt(&self, params: &TcpParams) -> Option<Span> {
        (self.srtt8 > 0).then(|| Span::from_nanos(self.srtt8 * params.tick.as_nanos().max(1) / 8))
    }

    /// The timer expired once more: double the timeout.
    pub(crate) fn back_off(&mut self, params: &TcpParams) {
        self.backoff = (self.backoff * 2).min(MAX_BACKOFF);
        if self.backoff > FORGET_ABOVE && params.tick > Span::ZERO {
            self.rttvar4 += self.srtt8 / 8;
            self.srtt8 = 0;
        }
        self.update_timeout(params);
    }

    /// An ACK arrived: end the back-off.
    #[inline]
    pub(crate) fn end_back_off(&mut self, params: &TcpParams) {
        if self.backoff > 1 {
            self.backoff = 1;
            self.update_timeout(params);
        }
    }

    /// A packet sent at `sent` was ACKed at `now`. `stamped`: the packet carried its sending time, so the phase of the sender's
    /// clock does not matter.
    #[inline]
    pub(crate) fn measure(&mut self, params: &TcpParams, sent: Time, now: Time, stamped: bool) {
        let tick = params.tick.as_nanos();
        let round_trip = if tick == 0 {
            now.since(sent).as_nanos().max(1)
        } else if stamped {
            ((now.since(sent).as_nanos() + tick / 2) / tick).max(1)
        } else {
            let offset = (sent.as_nanos() + params.clock_phase().as_nanos()) % tick;
            ((now.since(sent).as_nanos() + offset) / tick).max(1)
        };
        let unit = tick.max(1);
        if self.srtt8 == 0 {
            self.srtt8 = round_trip * 8;
            self.rttvar4 = round_trip * 2;
        } else {
            let error = round_trip.abs_diff(self.srtt8 / 8);
            self.srtt8 = self.srtt8 - self.srtt8 / 8 + round_trip;
            self.rttvar4 = (self.rttvar4 - self.rttvar4 / 4 + error).max(1);
        }
        let rttvar4 = match params.rto_floor {
            RtoFloor::Timeout => self.rttvar4,
            RtoFloor::Variance => self.rttvar4.max(params.min_rto.as_nanos() / unit),
        };
        // 4 RTTVAR + SRTT in eighths, rounded down to whole units.
        let rto = Span::from_nanos((rttvar4 * 8 + self.srtt8) / 8 * unit);
        self.rto = kernel_ticks::above(rto, params.timer_tick);
        self.update_timeout(params);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{ClockPhase, Profile};

    #[test]
    fn the_first_timeout_is_three_round_trips() {
        // RFC 6298, section 2.2: SRTT = R, RTTVAR = R/2, RTO = SRTT + 4 RTTVAR.
        let params = TcpParams::of(Profile::Linux);
        let mut rtt = Rtt::new(&params);
        assert_eq!(rtt.timeout(), Span::from_millis(1000));
        rtt.measure(&params, Time::ZERO, Time::from_nanos(100_000_000), true);
        assert_eq!(rtt.timeout(), Span::from_millis(300));
        rtt.measure(&params, Time::ZERO, Time::from_nanos(100_000_000), true);
        assert_eq!(rtt.timeout(), Span::from_millis(300), "4 RTTVAR is now 150 ms, its floor 200 ms");
        assert_eq!(rtt.srtt(&params), Some(Span::from_millis(100)));
    }

    #[test]
    fn backing_off_doubles_up_to_the_greatest_timeout() {
        let params = TcpParams::of(Profile::Ns2);
        let mut rtt = Rtt::new(&params);
        let mut seen = [0; 6];
        for seconds in &mut seen {
            *seconds = rtt.timeout().as_nanos() / 1_000_000_000;
            rtt.back_off(&params);
        }
        assert_eq!(seen, [3, 6, 12, 24, 48, 60]);
    }

    #[test]
    fn the_timeout_is_kept_and_doubled_in_whole_ticks() {
        let tick = Span::from_millis(10);
        let params = TcpParams { timer_tick: tick, ..TcpParams::of(Profile::Linux) };
        let mut rtt = Rtt::new(&params);
        assert_eq!(rtt.timeout(), Span::from_secs(1.0), "the initial timeout is not rounded to ticks");
        rtt.measure(&params, Time::ZERO, Time::from_nanos(40_000_000), true);
        // Timeouts of 250, 500 and 1000 ms on a clock of 10 ms wait as long as recorded in Linux 6.1.
        let mut now = Time::from_nanos(80_001_000_000);
        let waits = [(); 3].map(|()| {
            let at = kernel_ticks::expiry(now, rtt.timeout(), tick);
            let wait = at.since(Time::from_nanos(now.as_nanos() / 10_000_000 * 10_000_000));
            rtt.back_off(&params);
            now = at;
            wait.as_nanos() / 1_000_000
        });
        assert_eq!(waits, [260, 510, 1070]);
    }

    #[test]
    fn a_coarse_clock_counts_its_own_ticks() {
        let params = TcpParams { phase: ClockPhase::Given(Span::from_millis(8)), ..TcpParams::of(Profile::Ns2) };
        let mut rtt = Rtt::new(&params);
        // Ticks at 2, 12, 22, ... ms: four of them are in 1..33 ms.
        rtt.measure(&params, Time::from_nanos(1_000_000), Time::from_nanos(33_000_000), false);
        assert_eq!(rtt.srtt(&params), Some(Span::from_millis(40)));
    }
}

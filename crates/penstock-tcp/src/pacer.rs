//! Pacing: packets leave one by one, spread over the round-trip time.
//!
//! A. Aggarwal, S. Savage, T. Anderson, "Understanding the Performance of TCP Pacing", INFOCOM 2000.
//!
//! # Law
//! Consecutive packets are `SRTT / (gain cwnd)` apart, so that a window takes `1/gain` of a round trip. The gain is 2
//! while the window is below half of the slow start threshold, so that the window can double within a round trip, and 1.2
//! from there on. A law may set a rate instead; a packet that leaves late then shortens the wait of the next one by its
//! delay, at most by half. Packets are not paced before the first round-trip time is measured. Idle time earns no
//! credit beyond that.
//!
//! # Differences
//! * The gains are Linux's, `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio` ("IP Sysctl"); E. Dumazet, "tcp: refine pacing rate
//!   determination", change of Linux 4.3, 2015, explains them and when they apply. The paper uses a gain of 1.
//! * The shorter wait after a late packet was observed in captures of BBR in Linux 6.1.
//! * Packets go one by one, without the bursts of segmentation offload.
//! * A single retransmission of Reno and NewReno leaves immediately; it delays the packets after it.

use crate::rate_sample::RateSampler;
use penstock_core::{Span, Time};

/// Windows sent per round trip far below the slow start threshold, and from half of it on.
const START_GAIN: f64 = 2.0;
const GAIN: f64 = 1.2;

/// When packets may go.
#[derive(Debug)]
pub(crate) struct Pacer {
    /// No packet leaves before this time.
    next: Time,
    /// When the waiting packet may leave; `NEVER`: none waits.
    pub(crate) waiting: Time,
    /// Packets per second, for a law that sets the rate.
    pub(crate) rate: Option<f64>,
    /// The sampler of the delivery rate, for a law that uses it.
    pub(crate) sampler: Option<RateSampler>,
}

impl Pacer {
    pub(crate) fn new(sampler: Option<RateSampler>) -> Self {
        Self { next: Time::ZERO, waiting: Time::NEVER, rate: None, sampler }
    }

    /// Whether a packet may go now; if not, it waits.
    pub(crate) fn allows(&mut self, now: Time) -> bool {
        let allowed = now >= self.next;
        if !allowed {
            self.waiting = self.next;
        }
        allowed
    }

    /// How long the next packet still has to wait.
    pub(crate) fn wait(&self, now: Time) -> Span {
        self.next.max(now).since(now)
    }

    /// A packet is sent at `now`; computes when the next one may leave.
    pub(crate) fn on_send(&mut self, now: Time, cwnd: f64, ssthresh: f64, srtt: Option<Span>) {
        let gain = if cwnd < ssthresh / 2.0 { START_GAIN } else { GAIN };
        let gap = match (self.rate, srtt) {
            (Some(rate), _) => {
                let (gap, late) = (1.0 / rate, now.since(self.next.min(now)).as_secs());
                gap - late.min(gap / 2.0)
            }
            (None, Some(srtt)) => srtt.as_secs() / (gain * cwnd.max(1.0)),
            (None, None) => 0.0,
        };
        self.next = self.next.max(now) + Span::from_secs(gap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E. Dumazet, "tcp: refine pacing rate determination".
    #[test]
    fn from_half_of_the_threshold_on_pacing_is_slower() {
        let gap = |cwnd: f64| {
            let mut pacer = Pacer::new(None);
            pacer.on_send(Time::ZERO, cwnd, 40.0, Some(Span::from_millis(240)));
            (pacer.wait(Time::ZERO).as_secs() * cwnd / 0.24 * 1e3).round()
        };
        assert_eq!([10.0, 19.0, 20.0, 40.0].map(gap), [500.0, 500.0, 833.0, 833.0]);
    }

    #[test]
    fn what_a_packet_is_late_the_next_waits_less_but_half_its_time_at_least() {
        let at = |micros: u64| Time::from_nanos(micros * 1000);
        let mut pacer = Pacer { rate: Some(1000.0), ..Pacer::new(None) };
        let mut waits = |micros| {
            pacer.on_send(at(micros), 10.0, 10.0, None);
            pacer.wait(at(micros)).as_nanos() / 1000
        };
        assert_eq!([0, 1000, 2300, 3000, 5000, 5500].map(&mut waits), [1000, 1000, 700, 1000, 500, 1000]);
    }
}

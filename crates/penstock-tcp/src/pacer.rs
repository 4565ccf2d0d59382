//! Pacing: packets leave one by one, spread over the round-trip time.
//!
//! A. Aggarwal, S. Savage, T. Anderson, "Understanding the Performance of TCP Pacing", INFOCOM 2000.
//!
//! # Algorithm
//! Consecutive packets are `SRTT / (gain cwnd)` apart, so that a window takes `1/gain` of a round trip. With trains
//! ([`crate::trains`]) the packets of a train leave together, and the next train waits for the time of all of them. The gain is 2
//! while the window is below half of the slow start threshold, so that the window can double within a round trip, and 1.2
//! from there on. A congestion control may set a rate instead; a train that leaves late then shortens the wait of the next one by its
//! delay, at most by half. Packets are not paced before the first round-trip time is measured. Idle time earns no
//! credit beyond that.
//!
//! # Differences
//! * The gains are Linux's, `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio` ("IP Sysctl"); E. Dumazet, "tcp: refine pacing rate
//!   determination", change of Linux 4.3, 2015, explains them and when they apply. The paper uses a gain of 1.
//! * The window in this rule is at most the receive window.
//! * The shorter wait after a late packet was observed in captures of BBR in Linux 6.1.
//! * A single retransmission of Reno and NewReno leaves immediately; it delays the packets after it.

use crate::rate_sample::RateSampler;
use penstock_core::{Span, Time};

/// Windows sent per round trip: below half of the slow start threshold, and from there on.
const START_GAIN: f64 = 2.0;
const GAIN: f64 = 1.2;

/// How fast a flow may send: time between packets in seconds, and number of packets in a train.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    pub(crate) gap: f64,
    pub(crate) train: u32,
}

/// When packets may go.
#[derive(Debug)]
pub(crate) struct Pacer {
    /// No packet leaves before this time.
    next: Time,
    /// When the waiting packet may leave; `NEVER`: none waits.
    pub(crate) waiting: Time,
    /// Packets per second, for a congestion control that sets the rate.
    rate: Option<f64>,
    /// Cache of the pace; `None` when it must be computed again.
    pace: Option<Pace>,
    /// The minimum round-trip time, if the congestion control measures it.
    min_rtt: Option<Span>,
    /// When the current train left, how many packets of it remain, and by how many seconds its lateness may shorten the wait
    /// of the next train.
    train_at: Time,
    train_left: u32,
    late: f64,
    /// The sampler of the delivery rate, for a congestion control that uses it.
    pub(crate) sampler: Option<RateSampler>,
}

impl Pacer {
    pub(crate) fn new(sampler: Option<RateSampler>) -> Self {
        Self {
            next: Time::ZERO,
            waiting: Time::NEVER,
            rate: None,
            pace: None,
            min_rtt: None,
            train_at: Time::ZERO,
            train_left: 0,
            late: 0.0,
            sampler,
        }
    }

    /// The rate set by the congestion control, in packets per second.
    pub(crate) fn rate(&self) -> Option<f64> {
        self.rate
    }

    /// Set the rate, in packets per second.
    pub(crate) fn set_rate(&mut self, rate: f64) {
        self.rate = Some(rate);
        self.forget_pace();
    }

    /// The pace, unless it must be computed.
    #[inline]
    pub(crate) fn pace(&self) -> Option<Pace> {
        self.pace
    }

    /// Keep this pace until [`Self::forget_pace`].
    pub(crate) fn keep_pace(&mut self, pace: Pace) {
        self.pace = Some(pace);
    }

    /// Something that the pace depends on has changed.
    #[inline]
    pub(crate) fn forget_pace(&mut self) {
        self.pace = None;
    }

    /// The minimum round-trip time, if the congestion control measures it.
    pub(crate) fn min_rtt(&self) -> Option<Span> {
        self.min_rtt
    }

    /// The congestion control has measured this minimum round-trip time.
    #[inline]
    pub(crate) fn set_min_rtt(&mut self, min_rtt: Option<Span>) {
        self.min_rtt = min_rtt;
        self.forget_pace();
    }

    /// Whether a packet may leave now; if not, it waits.
    pub(crate) fn allows(&mut self, now: Time) -> bool {
        let allowed = now >= self.next || self.continues_train(now);
        if !allowed {
            self.waiting = self.next;
        }
        allowed
    }

    /// Whether a packet sent at `now` belongs to the same train as the previous packet.
    fn continues_train(&self, now: Time) -> bool {
        self.train_left > 0 && self.train_at == now
    }

    /// How long the next packet still has to wait.
    pub(crate) fn wait(&self, now: Time) -> Span {
        self.next.max(now).since(now)
    }

    /// Time between two packets in seconds; `None` before the first round-trip time is measured.
    pub(crate) fn gap(&self, cwnd: f64, ssthresh: f64, srtt: Option<Span>) -> Option<f64> {
        match self.rate {
            Some(rate) => Some(1.0 / rate),
            None => srtt.map(|srtt| usual_gap(cwnd, ssthresh, srtt)),
        }
    }

    /// A flow with this pace sends a packet at `now`: compute when the next packet may leave. `None`: the pace is unknown.
    pub(crate) fn on_send(&mut self, now: Time, pace: Option<Pace>) {
        let begins = !self.continues_train(now);
        let due = self.next;
        self.next = due.max(now);
        let Some(Pace { gap, train }) = pace else { return };
        if begins {
            self.train_at = now;
            self.train_left = train;
            self.late = if self.rate.is_some() { now.since(due).as_secs() } else { 0.0 };
        }
        self.train_left -= 1;
        let credit = if self.late > 0.0 { self.late.min(gap / 2.0) } else { 0.0 };
        self.late -= credit;
        self.next += Span::from_secs(gap - credit);
    }
}

/// Time between two packets, in seconds, of a flow whose congestion control sets no rate.
pub(crate) fn usual_gap(cwnd: f64, ssthresh: f64, srtt: Span) -> f64 {
    let gain = if cwnd < ssthresh / 2.0 { START_GAIN } else { GAIN };
    srtt.as_secs() / (gain * cwnd.max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// The pace at these settings with trains of this length.
    fn pace(pacer: &Pacer, (cwnd, ssthresh): (f64, f64), srtt: Option<Span>, train: u32) -> Option<Pace> {
        Some(Pace { gap: pacer.gap(cwnd, ssthresh, srtt)?, train })
    }

    /// E. Dumazet, "tcp: refine pacing rate determination".
    #[test]
    fn from_half_of_the_threshold_on_pacing_is_slower() {
        let gap = |cwnd: f64| {
            let mut pacer = Pacer::new(None);
            let pace = pace(&pacer, (cwnd, 40.0), Some(Span::from_millis(240)), 1);
            pacer.on_send(Time::ZERO, pace);
            (pacer.wait(Time::ZERO).as_secs() * cwnd / 0.24 * 1e3).round()
        };
        assert_eq!([10.0, 19.0, 20.0, 40.0].map(gap), [500.0, 500.0, 833.0, 833.0]);
    }

    /// The times in us at which a pacer releases `packets` packets that are always ready, the first one at `start`, in trains
    /// of four.
    fn departures(pacer: &mut Pacer, start: u64, packets: usize) -> Vec<u64> {
        let mut now = Time::from_nanos(start * 1000);
        (0..packets)
            .map(|_| {
                if !pacer.allows(now) {
                    now = pacer.waiting;
                }
                pacer.on_send(now, pace(pacer, (10.0, 10.0), None, 4));
                now.as_nanos() / 1000
            })
            .collect()
    }

    #[test]
    fn lateness_shortens_the_next_wait_by_half_at_most() {
        let at = |micros: u64| Time::from_nanos(micros * 1000);
        let mut pacer = Pacer { rate: Some(1000.0), ..Pacer::new(None) };
        let mut waits = |micros| {
            pacer.on_send(at(micros), pace(&pacer, (10.0, 10.0), None, 1));
            pacer.wait(at(micros)).as_nanos() / 1000
        };
        assert_eq!([0, 1000, 2300, 3000, 5000, 5500].map(&mut waits), [1000, 1000, 700, 1000, 500, 1000]);
    }

    #[test]
    fn a_train_leaves_together_and_the_next_one_after_its_time() {
        // At 5000 packets/s four packets take 800 us.
        let mut pacer = Pacer { rate: Some(5000.0), ..Pacer::new(None) };
        let times = departures(&mut pacer, 0, 9);
        assert_eq!(times, [0, 0, 0, 0, 800, 800, 800, 800, 1600]);
        // A train that is 1 ms late shortens the wait after it by half of the train's duration.
        let late = departures(&mut pacer, 2800, 5);
        assert_eq!(late, [2800, 2800, 2800, 2800, 3200]);
    }
}

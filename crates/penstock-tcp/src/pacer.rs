//! Pacing: packets leave one by one, spread over the round trip.
//!
//! A. Aggarwal, S. Savage, T. Anderson, "Understanding the Performance of TCP Pacing", INFOCOM 2000.
//!
//! # Law
//! After a packet the next one waits for `SRTT / (gain cwnd)`, so that a window takes `1/gain` of a round trip; the gain is 2
//! below the threshold, so that a window may double in the next round trip, and 1.2 from there on. A law may name a rate of its
//! own instead. Before the first round trip is measured nothing waits. A sender that was idle saves nothing up.
//!
//! # Differences
//! * The gains are Linux' (recalled, not verified); the paper has 1.
//! * Packets go one by one, without the bursts of segmentation offload.
//! * A single retransmission of Reno and NewReno goes at once; what follows it waits for it.

use crate::rate_sample::RateSampler;
use penstock_core::{Span, Time};

/// Windows sent in a round trip, in slow start and from then on.
const START_GAIN: f64 = 2.0;
const GAIN: f64 = 1.2;

/// When packets may go.
#[derive(Debug)]
pub(crate) struct Pacer {
    /// No packet goes before.
    next: Time,
    /// When the packet that waits may go; `NEVER`: none waits.
    pub(crate) waiting: Time,
    /// Packets a second, for a law that says so itself.
    pub(crate) rate: Option<f64>,
    /// For a law that measures the rate of delivery.
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

    /// How long the next packet has to wait yet.
    pub(crate) fn wait(&self, now: Time) -> Span {
        self.next.max(now).since(now)
    }

    /// A packet goes now, with this window, threshold and smoothed round trip.
    pub(crate) fn on_send(&mut self, now: Time, cwnd: f64, ssthresh: f64, srtt: Option<Span>) {
        let gain = if cwnd < ssthresh { START_GAIN } else { GAIN };
        let gap = match (self.rate, srtt) {
            (Some(rate), _) => 1.0 / rate,
            (None, Some(srtt)) => srtt.as_secs() / (gain * cwnd.max(1.0)),
            (None, None) => 0.0,
        };
        self.next = self.next.max(now) + Span::from_secs(gap);
    }
}

//! BBR version 3: the model of the path (draft-ietf-ccwg-bbr-06, section 5.5). Volumes in packets, rates in packets per second.

use super::{Rs, reaches};
use penstock_core::{Span, Time};

/// The largest share of a round that probing may lose.
pub(super) const LOSS_THRESH: f64 = 0.02;
/// The largest reduction in a round with losses.
pub(super) const BETA: f64 = 0.7;
/// Share of `inflight_longterm` that stays free for others.
const HEADROOM: f64 = 0.15;
/// The least window.
pub(super) const MIN_PIPE_CWND: f64 = 4.0;
const MIN_RTT_FILTER: Span = Span::from_millis(10_000);
pub(super) const PROBE_RTT_INTERVAL: Span = Span::from_millis(5_000);
/// Rounds over which the maximum of `extra_acked` is taken after Startup.
const EXTRA_ACKED_ROUNDS: usize = 10;

#[derive(Debug)]
pub(super) struct Model {
    /// Maximum delivery rate in the present cycle of probing and in the one before.
    pub(super) max_bw_filter: [f64; 2],
    pub(super) bw_shortterm: f64,
    pub(super) bw: f64,
    pub(super) inflight_longterm: f64,
    pub(super) inflight_shortterm: f64,
    /// Rounds (section 5.5.1).
    next_round_delivered: u32,
    pub(super) round_start: bool,
    pub(super) round_count: u32,
    /// The delivery of the last round, for the response to losses (section 5.5.10.3).
    bw_latest: f64,
    pub(super) inflight_latest: f64,
    pub(super) loss_round_delivered: u32,
    pub(super) loss_round_start: bool,
    pub(super) is_loss_in_round: bool,
    /// Whether the round that the present ACK ends had a loss.
    pub(super) had_loss_in_round: bool,
    /// Gaps among the packets lost in the round, and the packet lost last.
    pub(super) lost_ranges: u32,
    last_lost: Option<u32>,
    /// The minimum round-trip time, and the minimum since it was last probed (section 5.3.4.3).
    pub(super) min_rtt: Option<Span>,
    min_rtt_stamp: Time,
    probe_rtt_min_delay: Option<Span>,
    pub(super) probe_rtt_min_stamp: Time,
    /// Aggregation of ACKs (section 5.5.9): maximum of each of the last rounds, the present one first.
    extra_acked: [f64; EXTRA_ACKED_ROUNDS],
    pub(super) extra_acked_interval_start: Time,
    extra_acked_delivered: f64,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            max_bw_filter: [0.0; 2],
            bw_shortterm: f64::INFINITY,
            bw: 0.0,
            inflight_longterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            next_round_delivered: 0,
            round_start: false,
            round_count: 0,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            loss_round_delivered: 0,
            loss_round_start: false,
            is_loss_in_round: false,
            had_loss_in_round: false,
            lost_ranges: 0,
            last_lost: None,
            min_rtt: None,
            min_rtt_stamp: Time::ZERO,
            probe_rtt_min_delay: None,
            probe_rtt_min_stamp: Time::ZERO,
            extra_acked: [0.0; EXTRA_ACKED_ROUNDS],
            extra_acked_interval_start: Time::ZERO,
            extra_acked_delivered: 0.0,
        }
    }
}

/// `InflightAtLoss()`: the number of packets in flight at which losses crossed the threshold, from the sample of a lost
/// packet.
pub(super) fn inflight_at_loss(rs: &Rs) -> f64 {
    let (inflight_prev, lost_prev) = (rs.tx_in_flight - 1.0, rs.lost - 1.0);
    inflight_prev + (LOSS_THRESH * inflight_prev - lost_prev) / (1.0 - LOSS_THRESH)
}

impl Model {
    pub(super) fn start(&mut self, now: Time) {
        self.min_rtt_stamp = now;
        self.probe_rtt_min_stamp = now;
        self.extra_acked_interval_start = now;
    }

    pub(super) fn max_bw(&self) -> f64 {
        self.max_bw_filter[0].max(self.max_bw_filter[1])
    }

    // ---- rounds and bandwidth ----------------------------------------------------------------------------------------

    pub(super) fn start_round(&mut self, delivered: u32) {
        self.next_round_delivered = delivered;
    }

    /// `UpdateMaxBw()`, with `UpdateRound()`.
    pub(super) fn update_max_bw(&mut self, rs: &Rs, delivered: u32) {
        self.round_start = rs.has_data && reaches(rs.prior_delivered, self.next_round_delivered);
        if self.round_start {
            self.start_round(delivered);
            self.round_count += 1;
            self.extra_acked.rotate_right(1);
            self.extra_acked[0] = 0.0;
        }
        if rs.delivery_rate > 0.0 && (rs.delivery_rate >= self.max_bw() || !rs.is_app_limited) {
            self.max_bw_filter[0] = self.max_bw_filter[0].max(rs.delivery_rate);
        }
    }

    /// `AdvanceMaxBwFilter()`: a cycle of probing is over.
    pub(super) fn advance_max_bw_filter(&mut self) {
        // Without a sample in the new cycle the maximum is that of the last one.
        if self.max_bw_filter[0] > 0.0 {
            self.max_bw_filter = [0.0, self.max_bw_filter[0]];
        }
    }

    /// `BoundBWForModel()`.
    pub(super) fn bound_bw(&mut self) {
        self.bw = self.max_bw().min(self.bw_shortterm);
    }

    // ---- losses ------------------------------------------------------------------------------------------------------

    /// Count the gaps left by lost packets.
    pub(super) fn note_lost(&mut self, seq: u32) {
        let continues = seq.checked_sub(1).is_some_and(|before| self.last_lost == Some(before));
        self.lost_ranges += u32::from(!continues);
        self.last_lost = Some(seq);
    }

    pub(super) fn update_latest_delivery_signals(&mut self, rs: &Rs, delivered: u32) {
        self.had_loss_in_round = false;
        self.bw_latest = self.bw_latest.max(rs.delivery_rate);
        self.inflight_latest = self.inflight_latest.max(rs.delivered);
        self.loss_round_start = rs.has_data && reaches(rs.prior_delivered, self.loss_round_delivered);
        if self.loss_round_start {
            self.loss_round_delivered = delivered;
        }
    }

    pub(super) fn advance_latest_delivery_signals(&mut self, rs: &Rs) {
        if self.loss_round_start {
            self.bw_latest = rs.delivery_rate;
            self.inflight_latest = rs.delivered;
            (self.lost_ranges, self.last_lost) = (0, None);
        }
    }

    pub(super) fn reset_congestion_signals(&mut self) {
        self.is_loss_in_round = false;
        self.bw_latest = 0.0;
        self.inflight_latest = 0.0;
    }

    /// `InitLowerBounds()` and `LossLowerBounds()`.
    pub(super) fn adapt_lower_bounds(&mut self, cwnd: f64) {
        if self.bw_shortterm.is_infinite() {
            self.bw_shortterm = self.max_bw();
        }
        if self.inflight_shortterm.is_infinite() {
            self.inflight_shortterm = cwnd;
        }
        self.bw_shortterm = self.bw_latest.max(BETA * self.bw_shortterm);
        self.inflight_shortterm = self.inflight_latest.max(BETA * self.inflight_shortterm);
    }

    pub(super) fn reset_short_term_model(&mut self) {
        self.bw_shortterm = f64::INFINITY;
        self.inflight_shortterm = f64::INFINITY;
    }

    /// `InflightWithHeadroom()`; infinite without a bound.
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        let headroom = (HEADROOM * self.inflight_longterm).max(1.0);
        if self.inflight_longterm.is_infinite() {
            return f64::INFINITY;
        }
        (self.inflight_longterm - headroom).max(MIN_PIPE_CWND)
    }

    // ---- round trip and aggregation ----------------------------------------------------------------------------------

    /// `UpdateMinRTT()`; returns whether a probe of the round trip is due.
    pub(super) fn update_min_rtt(&mut self, now: Time, rtt: Option<Span>) -> bool {
        let expired = now > self.probe_rtt_min_stamp + PROBE_RTT_INTERVAL;
        if let Some(rtt) = rtt.filter(|rtt| expired || self.probe_rtt_min_delay.is_none_or(|least| *rtt < least)) {
            self.probe_rtt_min_delay = Some(rtt);
            self.probe_rtt_min_stamp = now;
        }
        let min_rtt_expired = now > self.min_rtt_stamp + MIN_RTT_FILTER;
        if let Some(least) = self.probe_rtt_min_delay
            && (min_rtt_expired || self.min_rtt.is_none_or(|known| least < known))
        {
            self.min_rtt = Some(least);
            self.min_rtt_stamp = self.probe_rtt_min_stamp;
        }
        expired
    }

    /// `UpdateACKAggregation()`.
    pub(super) fn update_ack_aggregation(&mut self, now: Time, newly_acked: f64, cwnd: f64) {
        let mut expected = self.bw * now.since(self.extra_acked_interval_start).as_secs();
        if self.extra_acked_delivered <= expected {
            self.extra_acked_delivered = 0.0;
            self.extra_acked_interval_start = now;
            expected = 0.0;
        }
        self.extra_acked_delivered += newly_acked;
        self.extra_acked[0] = self.extra_acked[0].max((self.extra_acked_delivered - expected).min(cwnd));
    }

    /// BBR.extra_acked: the maximum of a round in Startup, and of ten after it.
    pub(super) fn extra_acked(&self, full_bw_reached: bool) -> f64 {
        let rounds = if full_bw_reached { EXTRA_ACKED_ROUNDS } else { 1 };
        self.extra_acked[..rounds].iter().fold(0.0, |most, extra| extra.max(most))
    }
}

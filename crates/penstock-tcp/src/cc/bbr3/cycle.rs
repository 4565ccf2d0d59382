//! BBR version 3: the state machine (draft-ietf-ccwg-bbr-06, section 5.3).

use super::model::BETA;
use super::{Bbr3, Connection, Rs, State};
use penstock_core::hash::mix;
use penstock_core::{Span, Time};

const FULL_BW_GROWTH: f64 = 1.25;
const FULL_BW_ROUNDS: u32 = 3;
/// Gaps that losses must leave in a round to end Startup.
const STARTUP_FULL_LOSS_COUNT: u32 = 6;
const DRAIN_ROUNDS: u32 = 3;
const PROBE_RTT_DURATION: Span = Span::from_millis(200);
/// The longest time between probes, in rounds, for coexistence with flows of Reno and CUBIC.
const RENO_ROUNDS: f64 = 63.0;
/// The shortest time between probes, and how much longer it may be, in seconds.
const PROBE_WAIT_S: f64 = 2.0;
const PROBE_WAIT_MORE_S: f64 = 1.0;

/// The state of probing that follows from ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

#[derive(Debug)]
pub(super) struct Cycle {
    pub(super) full_bw_reached: bool,
    pub(super) full_bw_now: bool,
    pub(super) full_bw: f64,
    full_bw_count: u32,
    drain_start_round: u32,
    pub(super) ack_phase: AckPhase,
    pub(super) is_bw_probe_sample: bool,
    pub(super) prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    bw_probe_up_rounds: u32,
    bw_probe_up_acked: f64,
    probe_up_acked_per_inc: f64,
    pub(super) rounds_since_probe_up: u32,
    bw_probe_wait: Span,
    /// BBR.cycle_stamp.
    begun_at: Time,
    probe_rtt_done_stamp: Option<Time>,
    probe_rtt_round_done: bool,
    pub(super) idle_restart: bool,
}

impl Default for Cycle {
    fn default() -> Self {
        Self {
            full_bw_reached: false,
            full_bw_now: false,
            full_bw: 0.0,
            full_bw_count: 0,
            drain_start_round: 0,
            ack_phase: AckPhase::Init,
            is_bw_probe_sample: false,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            bw_probe_up_rounds: 0,
            bw_probe_up_acked: 0.0,
            probe_up_acked_per_inc: f64::INFINITY,
            rounds_since_probe_up: 0,
            bw_probe_wait: Span::ZERO,
            begun_at: Time::ZERO,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            idle_restart: false,
        }
    }
}

impl Cycle {
    pub(super) fn reset_full_bw(&mut self) {
        self.full_bw = 0.0;
        self.full_bw_count = 0;
        self.full_bw_now = false;
    }
}

impl Bbr3 {
    // ---- Startup and Drain -------------------------------------------------------------------------------------------

    /// `CheckFullBWReached()`.
    pub(super) fn check_full_bw_reached(&mut self, rs: &Rs) {
        let cycle = &mut self.cycle;
        if cycle.full_bw_now || !self.model.round_start || rs.is_app_limited {
            return;
        }
        if rs.delivery_rate >= cycle.full_bw * FULL_BW_GROWTH {
            cycle.reset_full_bw();
            cycle.full_bw = rs.delivery_rate;
            return;
        }
        cycle.full_bw_count += 1;
        cycle.full_bw_now = cycle.full_bw_count >= FULL_BW_ROUNDS;
        cycle.full_bw_reached |= cycle.full_bw_now;
    }

    /// `CheckStartupDone()`.
    pub(super) fn check_startup_done(&mut self, c: &Connection, rs: &Rs) {
        if self.state != State::Startup {
            return;
        }
        if self.is_startup_loss_high(rs) {
            (self.cycle.full_bw_now, self.cycle.full_bw_reached) = (true, true);
            self.model.inflight_longterm = self.bdp_multiple(c, self.model.bw, 1.0).max(self.model.inflight_latest);
        }
        if self.cycle.full_bw_reached {
            self.state = State::Drain;
            self.cycle.drain_start_round = self.model.round_count;
        }
    }

    /// `CheckStartupHighLoss()` (section 5.3.1.3).
    fn is_startup_loss_high(&self, rs: &Rs) -> bool {
        let whole_round = self.recovering_since.is_some_and(|since| super::reaches(rs.prior_delivered, since));
        let lossy = self.model.loss_round_start && self.model.had_loss_in_round && whole_round;
        rs.marked || (lossy && rs.is_inflight_too_high() && self.model.lost_ranges >= STARTUP_FULL_LOSS_COUNT)
    }

    /// `CheckDrainDone()`.
    pub(super) fn check_drain_done(&mut self, c: &Connection) {
        if self.state == State::Drain
            && (c.in_flight <= self.inflight(c, self.model.bw, 1.0)
                || self.model.round_count > self.cycle.drain_start_round + DRAIN_ROUNDS)
        {
            self.start_probe_bw_down(c);
        }
    }

    // ---- ProbeBW -----------------------------------------------------------------------------------------------------

    /// `UpdateProbeBWCyclePhase()`.
    pub(super) fn update_probe_bw_cycle_phase(&mut self, c: &Connection, rs: &Rs) {
        if !self.cycle.full_bw_reached || self.adapt_long_term_model(c, rs) {
            return;
        }
        let state = self.state;
        match state {
            State::ProbeBwDown | State::ProbeBwCruise if self.is_time_to_probe_bw(c) => self.start_probe_bw_refill(c),
            State::ProbeBwDown if self.is_time_to_cruise(c) => self.state = State::ProbeBwCruise,
            State::ProbeBwRefill if self.model.round_start => {
                self.cycle.is_bw_probe_sample = true;
                self.start_probe_bw_up(c, rs);
            }
            State::ProbeBwUp if self.is_time_to_go_down(c, rs) => {
                self.cycle.prev_probe_too_high = false;
                self.start_probe_bw_down(c);
            }
            _ => {}
        }
    }

    pub(super) fn start_probe_bw_down(&mut self, c: &Connection) {
        self.model.reset_congestion_signals();
        self.cycle.probe_up_acked_per_inc = f64::INFINITY;
        self.pick_probe_wait(c.now);
        self.cycle.begun_at = c.now;
        self.cycle.ack_phase = AckPhase::ProbeStopping;
        self.model.start_round(c.delivered);
        self.state = State::ProbeBwDown;
    }

    fn start_probe_bw_refill(&mut self, c: &Connection) {
        self.model.reset_short_term_model();
        self.cycle.bw_probe_up_rounds = 0;
        self.cycle.bw_probe_up_acked = 0.0;
        self.cycle.prev_probe_precautionary = false;
        self.cycle.ack_phase = AckPhase::Refilling;
        self.model.start_round(c.delivered);
        self.state = State::ProbeBwRefill;
    }

    fn start_probe_bw_up(&mut self, c: &Connection, rs: &Rs) {
        self.cycle.ack_phase = AckPhase::ProbeStarting;
        self.model.start_round(c.delivered);
        self.cycle.reset_full_bw();
        self.cycle.full_bw = rs.delivery_rate;
        self.state = State::ProbeBwUp;
        self.raise_inflight_longterm_slope();
    }

    /// `PickProbeWait()`; the draws hash the time.
    fn pick_probe_wait(&mut self, now: Time) {
        let draw = mix(now.as_nanos().wrapping_add(0x9e37_79b9_7f4a_7c15));
        self.cycle.rounds_since_probe_up = (draw & 1) as u32;
        let share = (draw >> 11) as f64 / (1_u64 << 53) as f64;
        self.cycle.bw_probe_wait = Span::from_secs(PROBE_WAIT_S + PROBE_WAIT_MORE_S * share);
    }

    fn is_time_to_probe_bw(&self, c: &Connection) -> bool {
        let rounds = self.target_inflight(c).min(RENO_ROUNDS);
        c.now > self.cycle.begun_at + self.cycle.bw_probe_wait || f64::from(self.cycle.rounds_since_probe_up) >= rounds
    }

    fn is_time_to_cruise(&self, c: &Connection) -> bool {
        c.in_flight <= self.model.inflight_with_headroom() && c.in_flight <= self.inflight(c, self.model.max_bw(), 1.0)
    }

    fn is_time_to_go_down(&mut self, c: &Connection, rs: &Rs) -> bool {
        if self.cycle.prev_probe_too_high && c.in_flight >= self.model.inflight_longterm {
            self.cycle.prev_probe_precautionary = true;
            return true;
        }
        if c.is_cwnd_limited && self.cwnd >= self.model.inflight_longterm {
            // The bound, not the path, limits the rate.
            self.cycle.reset_full_bw();
            self.cycle.full_bw = rs.delivery_rate;
            return false;
        }
        self.cycle.full_bw_now
    }

    /// `AdaptLongTermModel()`; returns whether it changed the state.
    fn adapt_long_term_model(&mut self, c: &Connection, rs: &Rs) -> bool {
        let in_probe_bw = self.state.is_probe_bw();
        if self.cycle.ack_phase == AckPhase::ProbeStarting && self.model.round_start {
            self.cycle.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.cycle.ack_phase == AckPhase::ProbeStopping && self.model.round_start {
            self.cycle.is_bw_probe_sample = false;
            self.cycle.ack_phase = AckPhase::Init;
            if in_probe_bw && !rs.is_app_limited {
                self.model.advance_max_bw_filter();
            }
            if in_probe_bw && self.cycle.prev_probe_precautionary && !self.cycle.prev_probe_too_high {
                self.start_probe_bw_refill(c);
                return true;
            }
        }
        if !rs.is_inflight_too_high() && self.model.inflight_longterm.is_finite() {
            self.model.inflight_longterm = self.model.inflight_longterm.max(rs.tx_in_flight);
            if self.state == State::ProbeBwUp {
                self.probe_inflight_longterm_upward(c, rs);
            }
        }
        false
    }

    fn raise_inflight_longterm_slope(&mut self) {
        let growth = f64::from(1_u32 << self.cycle.bw_probe_up_rounds);
        self.cycle.bw_probe_up_rounds = (self.cycle.bw_probe_up_rounds + 1).min(30);
        self.cycle.probe_up_acked_per_inc = (self.cwnd / growth).max(1.0);
    }

    fn probe_inflight_longterm_upward(&mut self, c: &Connection, rs: &Rs) {
        if !c.is_cwnd_limited || self.cwnd < self.model.inflight_longterm {
            return;
        }
        let cycle = &mut self.cycle;
        cycle.bw_probe_up_acked += rs.newly_acked;
        if cycle.bw_probe_up_acked >= cycle.probe_up_acked_per_inc {
            let delta = penstock_core::math::floor(cycle.bw_probe_up_acked / cycle.probe_up_acked_per_inc);
            cycle.bw_probe_up_acked -= delta * cycle.probe_up_acked_per_inc;
            self.model.inflight_longterm += delta;
        }
        if self.model.round_start {
            self.raise_inflight_longterm_slope();
        }
    }

    /// `HandleInflightTooHigh()` (section 5.5.10.2).
    pub(super) fn handle_inflight_too_high(&mut self, c: &Connection, rs: &Rs) {
        self.cycle.prev_probe_too_high = true;
        self.cycle.is_bw_probe_sample = false;
        if !rs.is_app_limited {
            self.model.inflight_longterm = rs.tx_in_flight.max(self.target_inflight(c) * BETA);
        }
        if self.state == State::ProbeBwUp {
            self.start_probe_bw_down(c);
        }
    }

    // ---- ProbeRTT ----------------------------------------------------------------------------------------------------

    /// `CheckProbeRTT()`; `expired`: the minimum is 5 s old.
    pub(super) fn check_probe_rtt(&mut self, c: &Connection, rs: &Rs, expired: bool) {
        if self.state != State::ProbeRtt && expired && !self.cycle.idle_restart {
            // In the draft EnterProbeRTT() precedes SaveCwnd(), which then keeps the larger of two windows.
            self.state = State::ProbeRtt;
            self.save_cwnd();
            self.cycle.probe_rtt_done_stamp = None;
            self.cycle.ack_phase = AckPhase::ProbeStopping;
            self.model.start_round(c.delivered);
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(c);
        }
        if rs.delivered > 0.0 {
            self.cycle.idle_restart = false;
        }
    }

    /// `HandleProbeRTT()`; the caller marks the connection as limited.
    fn handle_probe_rtt(&mut self, c: &Connection) {
        if self.cycle.probe_rtt_done_stamp.is_none() {
            if c.in_flight <= self.probe_rtt_cwnd(c) {
                self.cycle.probe_rtt_done_stamp = Some(c.now + PROBE_RTT_DURATION);
                self.cycle.probe_rtt_round_done = false;
                self.model.start_round(c.delivered);
            }
            return;
        }
        self.cycle.probe_rtt_round_done |= self.model.round_start;
        if self.cycle.probe_rtt_round_done {
            self.check_probe_rtt_done(c);
        }
    }

    /// `CheckProbeRTTDone()`, with `ExitProbeRTT()`.
    pub(super) fn check_probe_rtt_done(&mut self, c: &Connection) {
        if self.cycle.probe_rtt_done_stamp.is_none_or(|done| c.now <= done) {
            return;
        }
        self.model.probe_rtt_min_stamp = c.now;
        self.restore_cwnd();
        self.model.reset_short_term_model();
        if self.cycle.full_bw_reached {
            self.start_probe_bw_down(c);
            self.state = State::ProbeBwCruise;
        } else {
            self.state = State::Startup;
        }
    }
}

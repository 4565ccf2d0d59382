//! BBR, version 3: a model of the path as in version 1, with rate and window bounded in response to losses.
//!
//! N. Cardwell, I. Swett, J. Beshay (editors), "BBR Congestion Control", draft-ietf-ccwg-bbr-06, 2026, to which section numbers
//! refer. Names are those of the draft.
//!
//! # Algorithm
//! Packets leave at `pacing_gain bw`, less the margin of 1 %; the window is at most `cwnd_gain bw min_rtt + extra_acked`, at
//! least three send quanta and four packets (5.6). `max_bw` is the maximum delivery rate of this cycle of probing and the last,
//! `min_rtt` the minimum round trip of 10 s (5.5). The states have these gains of pacing and window (5.6.1):
//! * Startup (2.77, 2), until the delivery rate has grown by less than a quarter in three rounds, or, a round after a recovery
//!   began, more than 2 % of a round is lost in at least six gaps.
//! * Drain (0.5, 2), until at most `bw min_rtt` packets are in flight, or for three rounds.
//! * `ProbeBwDown` (0.9, 2), until the queue has drained and 15 % below `inflight_longterm` are free; `ProbeBwCruise` (1, 2), until
//!   2 to 3 s after the beginning of `ProbeBwDown` or as many rounds as packets fill the path, 63 at most; `ProbeBwRefill` (1, 2) for
//!   a round; `ProbeBwUp` (1.25, 2.25), until the rate stops growing or more than 2 % of a round is lost.
//! * `ProbeRtt` (1, 0.5), when no round trip was as short as the minimum for 5 s: until at most half of `bw min_rtt` has been in
//!   flight for 200 ms and a round.
//!
//! Losses bound the model twice (5.5.10). Where probing loses more than 2 %, `inflight_longterm` becomes the number of
//! packets in flight at which this happened, at least 0.7 of the target. The next probe ends as soon as it reaches this
//! bound, and another one follows at once if nothing was lost. `ProbeBwUp` raises the bound by 1, 2, 4, ... packets per
//! round. Outside probing each round with a loss sets `bw_shortterm` and `inflight_shortterm` to what the round
//! delivered, at least 0.7 of their previous values; `ProbeBwRefill` lifts both.
//!
//! So a path with random losses below 2 % is not filled, although the draft aims to fill it (3.1). Any loss outside
//! probing sets `bw_shortterm` to what the round delivered (5.5.10.3): the previous rate minus the margin of 1 %
//! (5.6.2), and in `ProbeBwDown` minus another 10 %. Until the next probe these reductions multiply over all rounds
//! with a loss. And where few packets fill the path, two losses in a round of a probe are more than 2 % (5.5.10.2):
//! `inflight_longterm` becomes the number of packets in flight, of which `ProbeBwCruise` leaves 15 % free.
//!
//! A timeout reduces the window to the packets in flight plus one; the end of a recovery restores it (5.6.4.4).
//!
//! # Differences
//! * The draft leaves the response to ECN open and asks that marks be treated as congestion (3.7). An echo of RFC 3168
//!   reports one mark per window, just as a connection without SACK learns of one loss per window. So it has the effect
//!   of such a loss: it ends Startup, sets `inflight_longterm` while probing, and bounds the short-term model
//!   otherwise.
//! * Spurious recoveries are not undone (5.5.11), as the senders do not detect them.
//! * Losses are detected by time (RFC 8985), so `rack` is on; `C.has_selective_acks` is true.
//! * Segmentation offload ([`crate::trains`]) determines how many packets leave together. `C.send_quantum` only contributes to
//!   the window. All packets have one size, so volumes are in packets.
//! * Random draws hash the time: the sender has no random generator, so no other flow's draws change.
//! * Retransmissions give no sample of the round trip (4.2 allows those that timestamps make unambiguous).
//! * The gaps of 5.3.1.3 count from one round of losses to the next. A probe of the round-trip time uses the window of
//!   `ProbeRTTCwnd()`, half of `bw min_rtt`, not the four packets in the text of 5.6.4.5.
//! * The pacing rate is computed again with the first round-trip time (text of 5.6.2); by `InitPacingRate()` it would
//!   remain the rate for 1 ms.

mod cycle;
mod model;

use super::window_control::{Delivery, WindowControl};
use crate::packets_and_acks::Ack;
use crate::rate_sample::RateSample;
use crate::state::{HALF, SenderState};
use model::{LOSS_THRESH, MIN_PIPE_CWND, Model};
use penstock_core::math::floor;
use penstock_core::{Span, Time};

/// 4 ln 2.
const STARTUP_PACING_GAIN: f64 = 2.77;
const DRAIN_PACING_GAIN: f64 = 0.5;
const DEFAULT_CWND_GAIN: f64 = 2.0;
const PROBE_RTT_CWND_GAIN: f64 = 0.5;
/// The longest send quantum, in bytes, and the shortest, in packets.
const MAX_QUANTUM: f64 = 65_536.0;
const MIN_QUANTUM: f64 = 2.0;
/// Send quanta that segmentation offload needs in flight (5.5.8.1).
const OFFLOAD_QUANTA: f64 = 3.0;
/// The round-trip time that the initial pacing rate assumes.
const NOMINAL_RTT: f64 = 1e-3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    ProbeBwDown,
    ProbeBwCruise,
    ProbeBwRefill,
    ProbeBwUp,
    ProbeRtt,
}

impl State {
    /// Gains of pacing and of the window (section 5.6.1).
    fn gains(self) -> (f64, f64) {
        match self {
            Self::Startup => (STARTUP_PACING_GAIN, DEFAULT_CWND_GAIN),
            Self::Drain => (DRAIN_PACING_GAIN, DEFAULT_CWND_GAIN),
            Self::ProbeBwDown => (0.9, DEFAULT_CWND_GAIN),
            Self::ProbeBwCruise | Self::ProbeBwRefill => (1.0, DEFAULT_CWND_GAIN),
            Self::ProbeBwUp => (1.25, 2.25),
            Self::ProbeRtt => (1.0, PROBE_RTT_CWND_GAIN),
        }
    }

    fn is_probe_bw(self) -> bool {
        matches!(self, Self::ProbeBwDown | Self::ProbeBwCruise | Self::ProbeBwRefill | Self::ProbeBwUp)
    }

    /// `IsProbingBW()`.
    fn accelerates(self) -> bool {
        matches!(self, Self::Startup | Self::ProbeBwRefill | Self::ProbeBwUp)
    }
}

/// RS, the information from an ACK (section 2.3). Volumes in packets.
#[derive(Clone, Copy, Debug, Default)]
struct Rs {
    /// Whether the ACK delivered a packet that gives a sample.
    has_data: bool,
    /// Packets per second; 0 without a reliable sample.
    delivery_rate: f64,
    delivered: f64,
    prior_delivered: u32,
    newly_acked: f64,
    tx_in_flight: f64,
    lost: f64,
    is_app_limited: bool,
    rtt: Option<Span>,
    /// A mark was echoed, the first in its window.
    marked: bool,
}

impl Rs {
    /// `IsInflightTooHigh()`.
    fn is_inflight_too_high(&self) -> bool {
        self.marked || self.lost > self.tx_in_flight * LOSS_THRESH
    }
}

/// C, the state of the connection (section 2.2), when an ACK arrives or a loss is found. Volumes in packets.
#[derive(Clone, Copy, Debug)]
struct Connection {
    now: Time,
    delivered: u32,
    in_flight: f64,
    is_cwnd_limited: bool,
    initial_cwnd: f64,
}

#[derive(Debug)]
pub(crate) struct Bbr3 {
    state: State,
    model: Model,
    cycle: cycle::Cycle,
    /// C.cwnd in packets, and the window to restore.
    cwnd: f64,
    prior_cwnd: f64,
    /// C.send_quantum in packets.
    send_quantum: f64,
    /// Whether the first packet was sent, the first ACK arrived, and a round trip was measured.
    started: bool,
    opened: bool,
    measured: bool,
    /// C.delivered when the window was last full.
    filled_at: Option<u32>,
    /// C.delivered when the current fast recovery began.
    recovering_since: Option<u32>,
    /// A timeout is over when this packet is acknowledged.
    timeout_until: Option<u32>,
    /// The present ACK echoes a mark; echoes are confirmed for packets up to this one.
    echoed: bool,
    confirmed: u32,
}

impl Default for Bbr3 {
    fn default() -> Self {
        Self {
            state: State::Startup,
            model: Model::default(),
            cycle: cycle::Cycle::default(),
            cwnd: 0.0,
            prior_cwnd: 0.0,
            send_quantum: MIN_QUANTUM,
            started: false,
            opened: false,
            measured: false,
            filled_at: None,
            recovering_since: None,
            timeout_until: None,
            echoed: false,
            confirmed: 0,
        }
    }
}

/// Whether count `a` has reached count `b`; counts wrap.
fn reaches(a: u32, b: u32) -> bool {
    a.wrapping_sub(b).cast_signed() >= 0
}

impl WindowControl for Bbr3 {
    const LOSS_FACTOR: f64 = HALF;
    const SETS_WINDOW: bool = true;

    fn observe(&mut self, s: &SenderState, _now: Time, ack: &Ack<'_>, _newly: u32) -> bool {
        self.echoed = ack.ece && s.ect;
        false
    }

    fn grow(&mut self, s: &mut SenderState, now: Time, _ack: &Ack<'_>, acked: u32) {
        // The first ACK; after it, `control` sets the window.
        if !self.opened {
            s.grow(now, acked);
        }
    }

    fn on_send(&mut self, s: &mut SenderState, now: Time, seq: u32, in_flight: u32) {
        let (cwnd, initial) = (s.cwnd, s.params.initial_window);
        let Some(pacer) = &mut s.pacer else { return };
        if !core::mem::replace(&mut self.started, true) {
            self.model.start(now);
            self.cwnd = cwnd;
            pacer.set_rate(STARTUP_PACING_GAIN * initial / NOMINAL_RTT);
        }
        let Some(sampler) = &mut pacer.sampler else { return };
        sampler.record_in_flight(seq, in_flight);
        if f64::from(in_flight) >= floor(cwnd) {
            self.filled_at = Some(sampler.delivered());
        }
        if in_flight == 1 && sampler.is_limited() {
            let delivered = sampler.delivered();
            self.restart_from_idle(s, now, delivered);
        }
    }

    fn on_lost(&mut self, s: &mut SenderState, now: Time, seq: u32, newly: u32) {
        let initial_cwnd = s.params.initial_window;
        let Some(sampler) = s.sampler() else { return };
        let delivered = sampler.delivered().wrapping_add(newly);
        let lost = sampler.lose(seq);
        let c = Connection { now, delivered, in_flight: 0.0, is_cwnd_limited: false, initial_cwnd };
        self.note_loss(delivered);
        self.model.note_lost(seq);
        let Some(lost) = lost else { return };
        let rs = Rs {
            tx_in_flight: f64::from(lost.in_flight),
            lost: f64::from(lost.lost),
            is_app_limited: lost.limited,
            ..Rs::default()
        };
        if self.cycle.is_bw_probe_sample && rs.is_inflight_too_high() {
            self.handle_inflight_too_high(&c, &Rs { tx_in_flight: model::inflight_at_loss(&rs), ..rs });
        }
    }

    fn control(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, delivery: &Delivery) {
        let marked = self.echoed && self.recovering_since.is_none() && s.una > self.confirmed;
        if marked {
            self.confirmed = s.max;
            s.confirm_echo();
        }
        let (una, cwnd, initial_cwnd) = (s.una, s.cwnd, s.params.initial_window);
        let Some(sampler) = s.sampler() else { return };
        let sample = sampler.on_ack(now, ack, delivery.newly);
        let delivered = sampler.delivered();
        let rs = Rs { marked, newly_acked: f64::from(delivery.newly), ..Self::rate_sample(sample, delivered) };
        let is_cwnd_limited = rs.has_data && self.filled_at.is_some_and(|at| reaches(at, rs.prior_delivered));
        let c = Connection { now, delivered, in_flight: f64::from(delivery.in_flight), is_cwnd_limited, initial_cwnd };
        let probed_rtt = self.state == State::ProbeRtt;
        self.cwnd = cwnd;
        self.end_recovery(una, delivery.recovering);
        self.update_model_and_state(&c, &rs);
        if (probed_rtt || self.state == State::ProbeRtt)
            && let Some(sampler) = s.sampler()
        {
            // MarkConnectionAppLimited(): ignore low rate samples during ProbeRTT, which this ACK may end.
            sampler.hold_back(delivery.in_flight);
        }
        self.set_pacing_rate(s, &rs);
        self.set_cwnd(&c, &rs);
        s.set_cwnd(now, self.cwnd);
    }

    /// `OnEnterFastRecovery()`.
    fn on_recovery(&mut self, s: &mut SenderState, now: Time, delivery: &Delivery) {
        if self.recovering_since.take().is_some() {
            // The ACK that ended a recovery begins this recovery.
            self.restore_cwnd();
            s.set_cwnd(now, self.cwnd);
        }
        self.save_cwnd();
        // The sampler has not processed this ACK yet.
        self.recovering_since = s.sampler().map(|sampler| sampler.delivered().wrapping_add(delivery.newly));
    }

    /// `OnEnterRTO()`; the window itself is set by the recovery.
    fn on_timeout(&mut self, s: &mut SenderState) {
        self.save_cwnd();
        self.recovering_since = None;
        self.timeout_until = Some(s.max);
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("max_bw", self.model.max_bw());
        show("bw", self.model.bw);
        if let Some(min_rtt) = self.model.min_rtt {
            show("min_rtt", min_rtt.as_secs());
        }
        let (pacing, window) = self.state.gains();
        show("pacing_gain", pacing);
        show("cwnd_gain", window);
    }
}

impl Bbr3 {
    /// `GenerateRateSample()`: discard rates measured over less than the minimum round-trip time.
    fn rate_sample(sample: Option<RateSample>, c_delivered: u32) -> Rs {
        let Some(sample) = sample else { return Rs::default() };
        Rs {
            has_data: true,
            delivery_rate: if sample.reliable { sample.rate } else { 0.0 },
            delivered: f64::from(c_delivered.wrapping_sub(sample.prior)),
            prior_delivered: sample.prior,
            newly_acked: 0.0,
            tx_in_flight: f64::from(sample.in_flight),
            lost: f64::from(sample.lost),
            is_app_limited: sample.limited,
            rtt: sample.rtt,
            marked: false,
        }
    }

    /// `UpdateModelAndState()` (section 5.2.3).
    fn update_model_and_state(&mut self, c: &Connection, rs: &Rs) {
        if rs.marked {
            self.note_loss(c.delivered);
        }
        self.model.update_latest_delivery_signals(rs, c.delivered);
        self.update_congestion_signals(c, rs);
        self.model.update_ack_aggregation(c.now, rs.newly_acked, self.cwnd);
        self.check_full_bw_reached(rs);
        self.check_startup_done(c, rs);
        self.check_drain_done(c);
        if rs.marked && self.cycle.is_bw_probe_sample {
            self.handle_inflight_too_high(c, rs);
        }
        if rs.newly_acked > 0.0 {
            self.update_probe_bw_cycle_phase(c, rs);
        }
        let expired = self.model.update_min_rtt(c.now, rs.rtt);
        self.check_probe_rtt(c, rs, expired);
        self.model.advance_latest_delivery_signals(rs);
        self.model.bound_bw();
    }

    /// `UpdateCongestionSignals()`.
    fn update_congestion_signals(&mut self, c: &Connection, rs: &Rs) {
        self.model.update_max_bw(rs, c.delivered);
        if self.model.round_start {
            self.cycle.rounds_since_probe_up += 1;
        }
        if self.model.loss_round_start {
            if !self.state.accelerates() && self.model.is_loss_in_round {
                self.model.adapt_lower_bounds(self.cwnd);
            }
            self.model.had_loss_in_round = core::mem::take(&mut self.model.is_loss_in_round);
        }
    }

    /// `NoteLoss()`; the state that `SaveStateUponLoss()` saves in addition to the window is not needed.
    fn note_loss(&mut self, delivered: u32) {
        if !core::mem::replace(&mut self.model.is_loss_in_round, true) {
            self.model.loss_round_delivered = delivered;
            self.save_cwnd();
        }
    }

    // ---- control parameters (section 5.6) ----------------------------------------------------------------------------

    fn set_pacing_rate(&mut self, s: &mut SenderState, rs: &Rs) {
        let (packet, used, initial) = (s.params.packet.0 as f64, 1.0 - s.params.margin, s.params.initial_window);
        let Some(pacer) = &mut s.pacer else { return };
        if let (false, Some(rtt)) = (self.measured, rs.rtt) {
            self.measured = true;
            pacer.set_rate(STARTUP_PACING_GAIN * initial / rtt.as_secs().max(1e-9));
        }
        let rate = self.state.gains().0 * self.model.bw * used;
        // Without any sample, the rate stays.
        if rate > 0.0 && (self.cycle.full_bw_reached || pacer.rate().is_none_or(|paced| rate > paced)) {
            pacer.set_rate(rate);
        }
        // SetSendQuantum()
        let quantum = pacer.rate().unwrap_or(0.0) * 1e-3;
        self.send_quantum = quantum.min(MAX_QUANTUM / packet).max(MIN_QUANTUM);
    }

    /// `SetCwnd()`. The first ACK has set the initial window.
    fn set_cwnd(&mut self, c: &Connection, rs: &Rs) {
        if !core::mem::replace(&mut self.opened, true) {
            return;
        }
        let extra = self.model.extra_acked(self.cycle.full_bw_reached);
        let gain = self.state.gains().1;
        let max_inflight = self.quantization_budget(self.bdp_multiple(c, self.model.bw, gain) + extra);
        if self.cycle.full_bw_reached {
            self.cwnd = (self.cwnd + rs.newly_acked).min(max_inflight);
        } else if self.cwnd < max_inflight || f64::from(c.delivered) < c.initial_cwnd {
            self.cwnd += rs.newly_acked;
        }
        self.cwnd = self.cwnd.max(MIN_PIPE_CWND);
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd(c));
        }
        self.bound_cwnd_for_model();
    }

    fn bound_cwnd_for_model(&mut self) {
        let cap = match self.state {
            State::ProbeRtt | State::ProbeBwCruise => self.model.inflight_with_headroom(),
            state if state.is_probe_bw() => self.model.inflight_longterm,
            _ => f64::INFINITY,
        };
        self.cwnd = self.cwnd.min(cap.min(self.model.inflight_shortterm).max(MIN_PIPE_CWND));
    }

    /// `BDPMultiple()`.
    fn bdp_multiple(&self, c: &Connection, bw: f64, gain: f64) -> f64 {
        self.model.min_rtt.map_or(c.initial_cwnd, |min_rtt| gain * bw * min_rtt.as_secs())
    }

    fn quantization_budget(&self, inflight_cap: f64) -> f64 {
        let cap = inflight_cap.max(OFFLOAD_QUANTA * self.send_quantum).max(MIN_PIPE_CWND);
        if self.state == State::ProbeBwUp { cap + 2.0 } else { cap }
    }

    /// `Inflight()`.
    fn inflight(&self, c: &Connection, bw: f64, gain: f64) -> f64 {
        self.quantization_budget(self.bdp_multiple(c, bw, gain))
    }

    /// `TargetInflight()`.
    fn target_inflight(&self, c: &Connection) -> f64 {
        self.bdp_multiple(c, self.model.bw, 1.0).min(self.cwnd)
    }

    fn probe_rtt_cwnd(&self, c: &Connection) -> f64 {
        self.bdp_multiple(c, self.model.bw, PROBE_RTT_CWND_GAIN).max(MIN_PIPE_CWND)
    }

    // ---- recovery and idle (sections 5.6.4.4 and 5.4) ----------------------------------------------------------------

    fn save_cwnd(&mut self) {
        let recovers = self.recovering_since.is_some() || self.timeout_until.is_some();
        let small = recovers || self.state == State::ProbeRtt;
        self.prior_cwnd = if small { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    fn end_recovery(&mut self, una: u32, recovering: bool) {
        let timeout_ends = self.timeout_until.is_some_and(|until| una >= until);
        if timeout_ends {
            self.timeout_until = None;
        }
        if timeout_ends || (self.recovering_since.is_some() && !recovering) {
            self.recovering_since = None;
            self.restore_cwnd();
        }
    }

    /// `HandleRestartFromIdle()`: nothing is in flight while the model is limited.
    fn restart_from_idle(&mut self, s: &mut SenderState, now: Time, delivered: u32) {
        self.cycle.idle_restart = true;
        self.model.extra_acked_interval_start = now;
        if self.state == State::ProbeRtt {
            let initial_cwnd = s.params.initial_window;
            let c = Connection { now, delivered, in_flight: 0.0, is_cwnd_limited: false, initial_cwnd };
            self.check_probe_rtt_done(&c);
            s.set_cwnd(now, self.cwnd);
        } else if self.state.is_probe_bw() {
            let rate = self.model.bw * (1.0 - s.params.margin);
            if let Some(pacer) = s.pacer.as_mut().filter(|_| rate > 0.0) {
                pacer.set_rate(rate);
            }
        }
    }
}

#[cfg(test)]
mod tests;

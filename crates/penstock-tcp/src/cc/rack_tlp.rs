//! RACK-TLP: loss recovery by sending times; the window is reduced step by step as packets are delivered.
//!
//! RFC 8985 (to which section numbers without an RFC refer); RFC 9937 (PRR); RFC 3168, section 6.1.2.
//!
//! # Algorithm
//! [`RackScoreboard`] detects losses. While `pipe < cwnd` the sender retransmits the lowest lost packet, or sends a new one if
//! none is lost. A loss or an echoed mark sets the threshold to a fraction of the window, once per window of data.
//! Until everything outstanding at that time is ACKed, the window approaches the threshold by proportional rate
//! reduction ([`super::prr`]). A loss during the reduction for a mark is repaired without a second reduction.
//! Congestion controls that reduce the window in proportion to the marks (DCTCP) do so immediately instead. After a
//! timeout the window is the number of packets still in the network plus one; the threshold is reduced unless it
//! already was for the same window of data. A retransmission lost after a timeout is a new loss.
//!
//! While no packet is reported by SACK, a tail-loss probe is sent two smoothed round trips after the last new packet or
//! ACK (section 7). A loss that the probe repaired reduces the window (section 7.4.2).
//!
//! A separate congestion control determines growth and reduction of the window ([`WindowControl`]).
//!
//! With `undo`, a reduction for a loss or a timeout that proves needless is undone ([`super::undo`]). Duplicates that the
//! receiver reports extend the reordering window ([`crate::reordering_window`]).
//!
//! # Differences
//! * Without `prr` the window drops to the threshold immediately.

use super::prr::{Beginning, Prr};
use super::undo::Undo;
use super::window_control::{Delivery, WindowControl, grow};
use super::{CongestionControl, open};
use crate::packets_and_acks::{Ack, PacketSink};
use crate::params::RateReduction;
use crate::rack_scoreboard::{Losses, RackScoreboard};
use crate::state::{LastReduction, SenderState, TailProbe};
use crate::trains::{LONGEST_WAIT, WINDOW_DIVISOR, fits_any_train};
use penstock_core::{Span, Time};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Open,
    /// The window is being reduced for a mark.
    Marked,
    /// Losses are being repaired.
    Recovery,
    /// A timeout occurred.
    Loss,
}

/// An outstanding tail-loss probe: the packet after the probe, and whether the probe was a retransmission.
#[derive(Clone, Copy, Debug)]
struct OutstandingProbe {
    end: u32,
    repeated: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Rack<G> {
    flight: RackScoreboard,
    state: State,
    prr: Prr,
    /// The last reduction for a loss or a timeout, with `undo`, unless a mark caused a later one.
    undo: Option<Undo>,
    window_control: G,
    tail: Option<OutstandingProbe>,
    /// The first packet not yet sent when the window was last reduced or the timer last expired.
    high: u32,
    /// When the next packet that may merely be reordered counts as lost; if set, the timer is armed for this time.
    late: Option<Time>,
    /// `una` has moved since the last timeout.
    moved: bool,
}

impl<G: WindowControl> CongestionControl for Rack<G> {
    fn fill<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        self.send_at_new_pace(s, now, net);
    }

    // Not inlined, for the same reason as the `on_ack` of `Sack`.
    #[inline(never)]
    fn on_ack<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        let summary = self.flight.on_ack(now, ack, s.params.timestamps);
        let ece = self.window_control.observe(s, now, ack, summary.delivered);
        let ack = if ece == ack.ece { ack } else { &Ack { ece, ..*ack } };
        if ack.ece && s.ect && !G::MARK_COVERS_LOSS && self.state != State::Recovery {
            let window = s.cwnd;
            if s.respond_to_echo(now, ack.ack, self.window_control.mark_factor()) {
                self.window_control.on_reduction(s, window);
            }
        }
        let (before, sent) = (s.una, s.max);
        let advances = ack.ack > before;
        if s.probe == TailProbe::Armed || summary.before_first {
            s.probe = TailProbe::None;
            // An ACK of new data restarts it below.
            if !advances {
                s.restart_timer(now);
            }
        }
        let opens = advances && before == 0;
        if opens {
            open(s, now, ack, |s, acked| self.window_control.grow(s, now, ack, acked));
        } else if advances {
            s.acknowledge(now, ack);
        }
        self.moved |= advances;
        self.answer_for_probe(s, now, ack, (advances, summary.delivered));
        let was_repairing = self.is_repairing();
        if self.undo.as_mut().is_some_and(|undo| undo.is_needless(s, ack, advances)) {
            self.undo_reduction(s, now, ack.ack - before);
        }
        self.end_reduction(s, now);
        let has_duplicate = ack.duplicate().is_some();
        if has_duplicate || was_repairing && !self.is_repairing() {
            self.flight.adapt_reordering_window(has_duplicate);
        }
        let losses = self.detect(s, now, summary.delivered);
        let marked = ack.ece && s.ect;
        if marked || self.flight.has_lost() {
            self.answer(s, now, losses, marked, summary.delivered);
        }
        if G::SETS_WINDOW {
            let delivery = Delivery { lost: losses.count, ..self.delivery(summary.delivered) };
            self.window_control.control(s, now, &Ack { sack: &summary.new_blocks, ..*ack }, &delivery);
        }
        if self.reduces(s) {
            self.reduce(s, now, summary.delivered, advances && losses.count == 0);
        } else if advances && !opens && !marked && self.state != State::Recovery {
            grow(&mut self.window_control, s, now, ack, summary.delivered);
        }
        self.send_at_new_pace(s, now, net);
        self.arm(s, now, advances || s.max > sent);
    }

    fn on_probe<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        s.probe = TailProbe::None;
        s.restart_timer(now);
        if self.late.is_some() {
            let losses = self.detect(s, now, 0);
            self.answer(s, now, losses, false, 0);
            if losses.count > 0 && self.reduces(s) {
                self.reduce(s, now, 1, false);
            }
            self.send_at_new_pace(s, now, net);
            self.arm(s, now, false);
            return;
        }
        let first_new = s.max;
        let is_new = s.send_new(now, net);
        let seq = if is_new { first_new } else { s.max - 1 };
        if !is_new {
            s.transmit(now, seq, net);
        }
        self.flight.on_send(now, seq);
        self.window_control.on_send(s, now, seq, self.flight.pipe());
        self.tail = Some(OutstandingProbe { end: s.max, repeated: s.max == first_new });
    }

    fn on_pace<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        let sent = s.max;
        self.send(s, now, net);
        self.arm(s, now, s.max > sent);
    }

    fn on_write<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        self.window_control.skip(s.end_idle(now, !G::SETS_WINDOW));
        s.forget_pace();
        self.on_pace(s, now, net);
    }

    fn on_timeout<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        let new = match self.state {
            State::Open => true,
            State::Loss => self.moved,
            State::Marked | State::Recovery => s.una >= self.high,
        };
        if new {
            self.prepare_undo(s, true);
            self.window_control.on_collapse(s.cwnd);
            s.collapse(now, G::LOSS_FACTOR);
        } else {
            s.restart_window(now);
        }
        self.window_control.on_timeout(s);
        let window = self.reordering_window(s);
        let window_control = &mut self.window_control;
        self.flight.lose_old(now, window, |seq| window_control.on_lost(s, now, seq, 0));
        s.set_cwnd(now, f64::from(self.flight.pipe() + 1));
        s.stop_timing();
        s.last_reduction = LastReduction::Timeout;
        (self.state, self.high, self.moved) = (State::Loss, s.max, false);
        (self.tail, self.late) = (None, None);
        self.send_at_new_pace(s, now, net);
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        self.window_control.gauges(show);
    }
}

impl<G: WindowControl> Rack<G> {
    /// Process the ACK of a probe: the probe repaired a loss, unless the ACK shows that both transmissions arrived
    /// (section 7.4.2).
    fn answer_for_probe(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, (advances, delivered): (bool, u32)) {
        let Some(tail) = self.tail.filter(|tail| ack.ack >= tail.end) else { return };
        if !tail.repeated || ack.duplicate().is_some_and(|duplicate| duplicate.end == tail.end) {
            self.tail = None;
        } else if ack.ack > tail.end {
            self.tail = None;
            if G::SETS_WINDOW {
                return;
            }
            self.cut(s, now, G::LOSS_FACTOR, delivered);
            s.set_cwnd(now, s.ssthresh);
            (self.state, self.undo) = (State::Open, None);
        } else if !advances && ack.sack.is_empty() {
            self.tail = None;
        }
    }

    /// End the reduction once everything that was outstanding at its beginning is ACKed. After a mark one packet more
    /// must be ACKed: the receiver has to see CWR, "congestion window reduced", before the next echo counts.
    fn end_reduction(&mut self, s: &mut SenderState, now: Time) {
        let ends = match self.state {
            State::Open => false,
            State::Marked => s.una > self.high,
            State::Recovery | State::Loss => s.una >= self.high,
        };
        if ends {
            if self.state == State::Recovery {
                s.last_reduction = LastReduction::Recovered;
            }
            if self.state != State::Loss && !G::SETS_WINDOW {
                s.set_cwnd(now, s.ssthresh);
            }
            self.state = State::Open;
        }
    }

    /// Respond to losses and marks. Losses come first, since they must be repaired in any case.
    fn answer(&mut self, s: &mut SenderState, now: Time, losses: Losses, marked: bool, delivered: u32) {
        match self.state {
            State::Open | State::Marked if self.flight.has_lost() => self.begin_recovery(s, now, delivered),
            State::Loss if losses.again => self.begin_recovery(s, now, delivered),
            State::Open if marked && G::MARK_COVERS_LOSS => {
                self.cut(s, now, self.window_control.mark_factor(), delivered);
                self.undo = None;
                self.state = State::Marked;
                s.last_reduction = LastReduction::Mark;
                s.count_echo();
            }
            _ => {}
        }
    }

    fn delivery(&self, newly: u32) -> Delivery {
        Delivery { newly, in_flight: self.flight.pipe(), lost: 0, recovering: self.state == State::Recovery }
    }

    fn begin_recovery(&mut self, s: &mut SenderState, now: Time, delivered: u32) {
        if G::SETS_WINDOW {
            let delivery = self.delivery(delivered);
            self.window_control.on_recovery(s, now, &delivery);
            (self.high, self.tail) = (s.max, None);
        } else if self.state != State::Marked || !G::MARK_COVERS_LOSS {
            self.prepare_undo(s, false);
            self.cut(s, now, G::LOSS_FACTOR, delivered);
        }
        self.state = State::Recovery;
        s.enter_fast_retransmit(now);
    }

    /// Set the threshold to the fraction `share` of the window, because of an ACK that delivers `delivered` packets; the
    /// window approaches the threshold as packets are delivered.
    fn cut(&mut self, s: &mut SenderState, now: Time, share: f64, delivered: u32) {
        let window = s.cwnd;
        let (outstanding, reported) = (s.outstanding(), self.flight.reported());
        let beginning = Beginning { window: s.window(), outstanding, reported, delivered, limited: s.limited };
        self.prr = Prr::new(s.params.prr, &beginning);
        s.reduce(now, share);
        if s.params.prr != RateReduction::Off {
            s.set_cwnd(now, window);
        }
        self.window_control.on_reduction(s, window);
        self.high = s.max;
        self.tail = None;
    }

    /// With `undo`: record the state before a reduction.
    fn prepare_undo(&mut self, s: &SenderState, is_timeout: bool) {
        if s.params.undo && !G::SETS_WINDOW {
            self.undo = Some(Undo::new(s, is_timeout, self.flight.repairs()));
        }
    }

    /// Undo the last reduction: an ACK of `acked` packets proves it needless. If retransmitted packets are still lost, a new
    /// recovery begins.
    #[cold]
    fn undo_reduction(&mut self, s: &mut SenderState, now: Time, acked: u32) {
        let Some(undo) = &mut self.undo else { return };
        if undo.restore(s, now, acked) {
            self.window_control.on_undo();
        }
        self.flight.revoke_losses();
        self.state = State::Open;
    }

    /// Whether losses are being repaired.
    fn is_repairing(&self) -> bool {
        matches!(self.state, State::Recovery | State::Loss)
    }

    /// Whether the window is being reduced towards the threshold.
    fn reduces(&self, s: &SenderState) -> bool {
        s.params.prr != RateReduction::Off && !G::SETS_WINDOW && matches!(self.state, State::Marked | State::Recovery)
    }

    fn reduce(&mut self, s: &mut SenderState, now: Time, delivered: u32, safe: bool) {
        if delivered > 0 {
            let pipe = self.flight.pipe();
            let allowed = self.prr.on_delivery(delivered, pipe, s.ssthresh, safe);
            s.set_cwnd(now, f64::from(pipe + allowed));
        }
    }

    fn reordering_window(&self, s: &SenderState) -> Span {
        self.flight.reordering_window(self.is_repairing(), s.params.dupack_threshold, s.srtt())
    }

    /// Detect losses, and compute when the next packet will count as lost. `newly`: packets that the present ACK delivers.
    #[inline]
    fn detect(&mut self, s: &mut SenderState, now: Time, newly: u32) -> Losses {
        if let Some(first) = self.flight.oldest_overtaken() {
            self.detect_from(first, s, now, newly)
        } else {
            self.late = None;
            Losses::default()
        }
    }

    #[inline(never)]
    fn detect_from(&mut self, first: (Time, u32), s: &mut SenderState, now: Time, newly: u32) -> Losses {
        let window = self.reordering_window(s);
        let window_control = &mut self.window_control;
        let losses;
        (losses, self.late) = self.flight.detect(now, first, window, |seq| window_control.on_lost(s, now, seq, newly));
        losses
    }

    /// Like [`Self::send`], after the window or a round-trip time may have changed.
    #[inline]
    fn send_at_new_pace<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        if let Some(pacer) = &mut s.pacer {
            pacer.set_min_rtt(self.flight.min_rtt());
        }
        self.send(s, now, net);
    }

    /// Send packets while `pipe < cwnd`, lost ones first.
    #[inline(never)]
    fn send<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        let window = s.window();
        // Remaining packets of the current train of new packets, and whether its last packet is pushed.
        let (mut train_left, mut pushes) = (0, false);
        while self.flight.pipe() < window && s.may_send(now) {
            let lost = self.flight.next_lost();
            let seq = lost.unwrap_or(s.max);
            if lost.is_some() {
                s.transmit(now, seq, net);
                if let Some(undo) = &mut self.undo {
                    undo.on_retransmit(now);
                }
            } else {
                if s.params.offload && train_left == 0 {
                    let Some(length) = self.next_train(s, now, window) else { return };
                    (train_left, pushes) = (length, length > 1);
                }
                if !s.send_new_of_train(now, pushes && train_left == 1, net) {
                    return;
                }
                train_left = train_left.saturating_sub(1);
            }
            self.flight.on_send(now, seq);
            self.window_control.on_send(s, now, seq, self.flight.pipe());
            self.prr.on_send();
            if seq == s.una {
                s.restart_timer(now);
            }
        }
    }

    /// Number of new packets that leave together now. `None`: the sender waits for the next ACK, which may allow a longer train
    /// ([`crate::trains`]).
    fn next_train(&self, s: &mut SenderState, now: Time, window: u32) -> Option<u32> {
        let (unsent, receivable) = s.unsent();
        let room = (window - self.flight.pipe()).min(receivable);
        if let Some(pace) = s.pace().filter(|pace| pace.train <= room) {
            return Some(pace.train);
        }
        if self.flight.last_sent().is_none_or(|last_sent| now.since(last_sent) > LONGEST_WAIT) {
            return Some(if fits_any_train(&s.params, room) { room } else { self.train(s).min(room) });
        }
        let train = self.train(s);
        let waits = room.saturating_mul(WINDOW_DIVISOR) < window
            && room < unsent
            && !self.is_repairing()
            && s.srtt().zip(self.flight.first_sent()).is_some_and(|(srtt, first_sent)| {
                let expected = (first_sent + srtt).since(now.min(first_sent + srtt));
                expected * 2 <= srtt && expected <= LONGEST_WAIT
            })
            && room < train;
        (!waits).then_some(train.min(room))
    }

    /// Number of packets in a train.
    fn train(&self, s: &mut SenderState) -> u32 {
        s.pace().map_or_else(|| s.train(self.flight.min_rtt()), |pace| pace.train)
    }

    /// Arm the reordering timer or the probe timer if there is cause; `fresh`: new data was sent or ACKed.
    fn arm(&mut self, s: &mut SenderState, now: Time, fresh: bool) {
        if let Some(at) = self.late {
            s.arm_reordering(now, at);
        } else if fresh
            && s.params.tlp
            && s.outstanding() > 0
            && !self.flight.has_reported()
            && self.tail.is_none()
            && matches!(self.state, State::Open | State::Marked)
        {
            s.arm_probe(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::window_control::RenoWindow;
    use super::*;
    use crate::params::{Profile, TcpParams};

    #[test]
    fn the_reordering_timer_replaces_a_retransmission_timer_that_would_expire_earlier() {
        // RFC 8985, section 8.
        let at = |millis: u64| Time::from_nanos(millis * 1_000_000);
        let mut s = SenderState::new(TcpParams::of(Profile::Linux).into());
        s.restart_timer(at(0));
        assert_eq!(s.timer(), at(1000));
        s.arm_reordering(at(10), at(1500));
        assert_eq!((s.timer(), s.probe), (at(1500), TailProbe::Armed));
    }

    #[test]
    fn the_answer_to_a_mark_ends_one_packet_after_the_window_in_which_it_came() {
        // The packet that says "congestion window reduced" is number 10, the first one after the reduction.
        let mut s = SenderState::new(TcpParams::of(Profile::Linux).into());
        (s.cwnd, s.ssthresh) = (7.0, 5.0);
        let mut ends_at = |state, una| {
            s.una = una;
            let mut rack = Rack::<RenoWindow> { state, high: 10, ..Rack::default() };
            rack.end_reduction(&mut s, Time::ZERO);
            rack.state == State::Open
        };
        assert_eq!([9, 10, 11].map(|una| ends_at(State::Marked, una)), [false, false, true]);
        assert_eq!([9, 10, 11].map(|una| ends_at(State::Recovery, una)), [false, true, true]);
    }
}

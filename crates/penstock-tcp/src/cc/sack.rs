//! SACK: loss recovery by selective acknowledgements and a scoreboard.
//!
//! RFC 6675; blocks by RFC 2018.
//!
//! # Algorithm
//! Each ACK that reports a new packet counts as a duplicate. The third duplicate starts the recovery, as does the
//! scoreboard when it declares the oldest packet lost: `ssthresh = cwnd = max(outstanding/2, 2)` (or the factor of the
//! window control), and the oldest packet is retransmitted. In recovery, while `pipe < cwnd`, the sender sends the next
//! segment (NextSeg): a lost packet not yet retransmitted, else a new packet, else any hole below the highest reported
//! packet, else, once per recovery, the highest outstanding packet. The recovery ends when everything outstanding at
//! its beginning is ACKed.
//!
//! With `prr`, proportional rate reduction sets the window in recovery ([`super::prr`]); at the end of the recovery the
//! window is `ssthresh`.
//!
//! With `rack`, losses are detected by time instead ([`super::rack_tlp`]).
//!
//! A separate congestion control determines growth and reduction of the window ([`WindowControl`]): Reno, CUBIC, DCTCP
//! and others. It may also set the window directly.
//!
//! # Differences
//! * A timeout clears the scoreboard (RFC 2018, section 8); RFC 6675 also allows keeping it.

use super::prr::{Beginning, Prr};
use super::window_control::{Delivery, WindowControl, grow};
use super::{CongestionControl, go_back, on_new_ack_with};
use crate::packets_and_acks::{Ack, PacketSink};
use crate::params::RateReduction;
use crate::sack_scoreboard::SackScoreboard;
use crate::state::{LastReduction, SenderState, TailProbe};
use alloc::boxed::Box;
use penstock_core::Time;

/// State of a recovery.
#[derive(Debug)]
struct SackRecovery {
    prr: Prr,
    /// Whether this recovery has made its rescue retransmission.
    rescued: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Sack<G> {
    board: SackScoreboard,
    recovery: Option<Box<SackRecovery>>,
    window_control: G,
}

impl<G: WindowControl> CongestionControl for Sack<G> {
    // Not inlined, so that the congestion controls of ns-2 stay small enough to be inlined into the engine's loop.
    #[inline(never)]
    fn on_ack<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        let newly = self.board.newly_delivered(s.una, ack);
        let ack = &Ack { ece: self.window_control.observe(s, now, ack, newly), ..*ack };
        if ack.ece && s.ect && self.recovery.is_none() {
            let window = s.cwnd;
            if s.respond_to_echo(now, ack.ack, self.window_control.mark_factor()) {
                self.window_control.on_reduction(s, window);
            }
        }
        let (before, advances) = (s.una + self.board.count(), ack.ack > s.una);
        if advances {
            if self.recovery.is_none() {
                s.probe = TailProbe::None;
                on_new_ack_with(s, now, ack, |s, acked| grow(&mut self.window_control, s, now, ack, acked));
            } else if ack.ack < s.recover {
                s.acknowledge_in_recovery(now, ack);
            } else {
                s.probe = TailProbe::None;
                self.recovery = None;
                s.last_reduction = LastReduction::Recovered;
                s.acknowledge(now, ack);
                if s.params.prr != RateReduction::Off && !G::SETS_WINDOW {
                    s.set_cwnd(now, s.ssthresh);
                }
            }
        }
        if ack.sack.is_empty() && self.board.is_empty() && self.recovery.is_none() {
            if G::SETS_WINDOW {
                let delivery =
                    Delivery { newly: s.una - before, in_flight: s.next - s.una, lost: 0, recovering: false };
                self.window_control.control(s, now, ack, &delivery);
            }
            s.fill_window(now, net);
            if s.params.tlp && s.probe == TailProbe::None && s.next == s.max && s.outstanding() > 0 {
                s.arm_probe(now);
            }
            return;
        }
        if s.probe == TailProbe::Armed {
            s.probe = TailProbe::None;
            s.restart_timer(now);
        }
        self.read(s, now, ack, (before, advances), net);
    }

    fn on_probe<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        s.probe = TailProbe::Sent;
        s.restart_timer(now);
        if !s.send_new(now, net) {
            s.transmit(now, s.max - 1, net);
        }
    }

    fn on_pace<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        if self.recovery.is_some() {
            self.send(s, now, net);
        } else if s.dupacks == 0 || s.next < s.max {
            s.fill_window(now, net);
        } else {
            self.send_limited(s, now, net);
        }
    }

    fn on_write<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        self.window_control.skip(s.end_idle(now, !G::SETS_WINDOW));
        if s.outstanding() == 0 {
            s.fill_window(now, net);
        } else {
            self.on_pace(s, now, net);
        }
        if s.params.tlp
            && s.probe == TailProbe::None
            && s.next == s.max
            && s.outstanding() > 0
            && self.board.is_empty()
            && self.recovery.is_none()
        {
            s.arm_probe(now);
        }
    }

    fn on_timeout<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        self.recovery = None;
        s.probe = TailProbe::None;
        if let Some(sampler) = s.sampler() {
            sampler.forget(self.board.count());
        }
        self.board.clear(s.una);
        s.dupacks = 0;
        if s.last_reduction == LastReduction::Mark && G::MARK_COVERS_LOSS {
            s.restart_window(now);
        } else {
            self.window_control.on_collapse(s.cwnd);
            s.collapse(now, G::LOSS_FACTOR);
        }
        self.window_control.on_timeout(s);
        go_back(s, now, net);
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        self.window_control.gauges(show);
    }
}

impl<G: WindowControl> Sack<G> {
    /// Record the reported packets, then send packets while `pipe < cwnd`. `before`: packets delivered before this ACK,
    /// and whether the ACK advanced `una`.
    fn read<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, before: (u32, bool), net: &mut N) {
        let (before, advances) = before;
        self.board.advance(s.una);
        let (mut new, mut reveals_loss) = (false, false);
        for block in ack.sack {
            let report = self.board.report(*block, s.params.dupack_threshold);
            new |= report.new;
            reveals_loss |= report.reveals_loss;
        }
        if s.probe == TailProbe::Sent && self.board.highest() == Some(s.max) {
            // The probe, which was sent last, has arrived, but packets sent long before it have not.
            s.probe = TailProbe::None;
            self.board.lose_below_highest();
        }
        let delivered = (s.una + self.board.count()).saturating_sub(before);
        if G::SETS_WINDOW {
            let delivery = self.delivery(s, delivered);
            self.window_control.control(s, now, ack, &delivery);
        }
        if self.recovery.is_some() {
            self.reduce(s, now, delivered, advances && !reveals_loss);
            self.send(s, now, net);
            return;
        }
        if new && !advances {
            s.dupacks += 1;
        }
        let lost = s.dupacks >= s.params.dupack_threshold || self.board.first_is_lost();
        if lost && (s.una >= s.recover || s.last_reduction == LastReduction::Mark) {
            self.begin(s, now, delivered, net);
        } else if s.dupacks == 0 || s.next < s.max {
            // After a timeout `next` was reset to `una`: old packets are retransmitted as the window opens. Limited
            // transmit does not apply, since it sends new packets only.
            s.fill_window(now, net);
        } else {
            self.send_limited(s, now, net);
        }
    }

    /// Limited transmit (RFC 3042); reported packets do not count as outstanding.
    fn send_limited<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        while s.params.limited_transmit
            && f64::from(self.board.pipe(s.max)) + 1.0 <= s.cwnd
            && s.may_send(now)
            && s.send_new(now, net)
        {
            s.limited += 1;
        }
    }

    fn delivery(&self, s: &SenderState, newly: u32) -> Delivery {
        Delivery { newly, in_flight: self.board.pipe(s.max), lost: 0, recovering: self.recovery.is_some() }
    }

    fn begin<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, delivered: u32, net: &mut N) {
        let beginning = Beginning {
            window: s.window(),
            outstanding: s.outstanding(),
            reported: self.board.count(),
            delivered,
            limited: s.limited,
        };
        // A mark in the same window of data has already halved the congestion window.
        if G::SETS_WINDOW {
            let delivery = self.delivery(s, delivered);
            self.window_control.on_recovery(s, now, &delivery);
        } else if s.last_reduction != LastReduction::Mark || s.una >= s.recover || !G::MARK_COVERS_LOSS {
            let window = s.cwnd;
            s.reduce(now, G::LOSS_FACTOR);
            self.window_control.on_reduction(s, window);
        }
        let prr = Prr::new(s.params.prr, &beginning);
        s.recover = s.max;
        s.enter_fast_retransmit(now);
        let recovery = self.recovery.insert(Box::new(SackRecovery { prr, rescued: false }));
        self.board.restart_repair();
        if s.params.prr == RateReduction::Off || G::SETS_WINDOW {
            let lost = s.una;
            self.board.repair(lost);
            s.transmit(now, lost, net);
            recovery.prr.on_send();
        } else {
            self.reduce(s, now, delivered, false);
        }
        self.send(s, now, net);
    }

    /// With `prr`: set the window after an ACK in the recovery.
    fn reduce(&mut self, s: &mut SenderState, now: Time, delivered: u32, is_safe: bool) {
        let reduces = s.params.prr != RateReduction::Off && !G::SETS_WINDOW && delivered > 0;
        if let Some(recovery) = self.recovery.as_mut().filter(|_| reduces) {
            let pipe = self.board.pipe(s.max);
            let allowed = recovery.prr.on_delivery(delivered, pipe, s.ssthresh, is_safe);
            s.set_cwnd(now, f64::from(pipe + allowed));
        }
    }

    /// RFC 6675, section 5, step C.
    fn send<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        let Some(recovery) = &mut self.recovery else { return };
        while s.may_send(now) {
            let pipe = self.board.pipe(s.max);
            if f64::from(pipe) + 1.0 > s.cwnd {
                return;
            }
            let hole = match self.board.next_hole() {
                Some((seq, true)) => Some(seq),
                _ if s.send_new(now, net) => None,
                Some((seq, false)) => Some(seq),
                None => {
                    // NextSeg, rule 4: once per recovery, the highest packet outstanding.
                    let rescue = s.params.rescue && !recovery.rescued;
                    if let (true, Some(seq)) = (rescue, self.board.highest_unreported(s.max)) {
                        recovery.rescued = true;
                        recovery.prr.on_send();
                        s.transmit(now, seq, net);
                    }
                    return;
                }
            };
            if let Some(seq) = hole {
                self.board.repair(seq);
                s.transmit(now, seq, net);
            }
            recovery.prr.on_send();
        }
    }
}

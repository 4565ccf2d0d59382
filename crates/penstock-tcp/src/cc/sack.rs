//! SACK: loss recovery by the scoreboard.
//!
//! RFC 6675; blocks by RFC 2018.
//!
//! # Law
//! Each acknowledgement that reports something new counts as a duplicate; the third, or a first packet that the scoreboard
//! calls lost, begins the recovery: `ssthresh = cwnd = max(outstanding/2, 2)` (or the share that the growth law leaves), the
//! first packet is sent again. In recovery,
//! while `pipe < cwnd`, the next segment goes out (NextSeg): a lost packet not yet sent again, else a new packet, else any hole
//! below the highest packet reported, else once the highest packet outstanding. It ends when everything outstanding at its
//! beginning is acknowledged.
//!
//! With `prr` the window in recovery is that of proportional rate reduction ([`super::prr`]), and `ssthresh` at its end.
//!
//! With `rack` losses are found by time instead ([`super::rack`]).
//!
//! How the window grows, and what a loss and a mark leave of it, is a law of its own ([`Growth`]): Reno's, cubic's, DCTCP's, ...
//! A law may also set the window all by itself.
//!
//! # Differences
//! * The scoreboard is cleared by a timeout (RFC 2018, section 8), which RFC 6675 allows to be kept.

use super::prr::Prr;
use super::{Law, go_back, progress_by};
use crate::machine::{Cut, HALF, Machine, Probe};
use crate::scoreboard::Scoreboard;
use crate::wire::{Ack, Network};
use alloc::boxed::Box;
use core::fmt::Debug;
use penstock_core::Time;

/// How a window grows and what it loses.
pub(crate) trait Growth: Debug + Default {
    /// What a loss and a timeout leave of the window.
    const SHARE: f64;
    /// A loss in a window whose mark has been answered needs no answer of its own.
    const MARK_COVERS_LOSS: bool = true;

    /// The law sets the window by itself with each acknowledgement: losses and marks cut nothing.
    const OWN_WINDOW: bool = false;

    /// Any acknowledgement, before it is entered; whether it echoes a mark that is to be answered.
    #[inline]
    fn observe(&mut self, _m: &Machine, _now: Time, ack: &Ack<'_>) -> bool {
        ack.ece
    }

    /// With `OWN_WINDOW`: any acknowledgement, when it has been entered.
    fn control(&mut self, _m: &mut Machine, _now: Time, _ack: &Ack<'_>, _delivery: &Delivery) {}

    /// With `OWN_WINDOW`: a recovery begins.
    fn on_recovery(&mut self, _m: &mut Machine, _now: Time, _delivery: &Delivery) {}

    /// `acked` packets were acknowledged outside recovery, and no mark echoed.
    fn grow(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, acked: u32);

    /// What a mark leaves of the window.
    #[inline]
    fn mark_share(&self) -> f64 {
        Self::SHARE
    }

    /// The window was `window` before a loss or a mark has cut it.
    fn on_cut(&mut self, _m: &Machine, _window: f64) {}

    /// The retransmission timer ended.
    fn on_timeout(&mut self, _m: &mut Machine) {}

    /// Show the law's own variables, as [`crate::Sender::gauges`] does.
    fn gauges(&self, _show: &mut dyn FnMut(&'static str, f64)) {}
}

/// What an acknowledgement says of the packets outstanding.
#[derive(Debug)]
pub(crate) struct Delivery {
    /// Packets that it reports for the first time.
    pub(crate) newly: u32,
    /// Packets that are thought to be in the network after it.
    pub(crate) in_flight: u32,
    /// Packets that are found lost with it, where losses are found by time.
    pub(crate) lost: u32,
    /// A recovery lasts.
    pub(crate) recovering: bool,
}

/// Reno's growth (RFC 5681).
#[derive(Debug, Default)]
pub(crate) struct Standard;

impl Growth for Standard {
    const SHARE: f64 = HALF;

    #[inline]
    fn grow(&mut self, m: &mut Machine, now: Time, _ack: &Ack<'_>, acked: u32) {
        m.grow(now, acked);
    }
}

/// What a recovery needs to know while it lasts.
#[derive(Debug)]
struct Recovery {
    prr: Prr,
    /// The rescue retransmission of this recovery has been made.
    rescued: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Sack<G> {
    board: Scoreboard,
    recovery: Option<Box<Recovery>>,
    growth: G,
}

impl<G: Growth> Law for Sack<G> {
    #[inline]
    fn on_ack<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        let ack = &Ack { ece: self.growth.observe(m, now, ack), ..*ack };
        if ack.ece && m.ect && self.recovery.is_none() {
            let window = m.cwnd;
            if m.answer_echo(now, ack.ack, self.growth.mark_share()) {
                self.growth.on_cut(m, window);
            }
        }
        let (before, advances) = (m.una + self.board.count(), ack.ack > m.una);
        if advances {
            if self.recovery.is_none() {
                m.probe = Probe::None;
                progress_by(m, now, ack, |m, acked| self.growth.grow(m, now, ack, acked));
            } else if ack.ack < m.recover {
                m.acknowledge_in_recovery(now, ack);
            } else {
                m.probe = Probe::None;
                self.recovery = None;
                m.cut = Cut::Recovered;
                m.acknowledge(now, ack);
                if m.params.prr && !G::OWN_WINDOW {
                    m.set_cwnd(now, m.ssthresh);
                }
            }
        }
        if ack.sack.is_empty() && self.board.is_empty() && self.recovery.is_none() {
            if G::OWN_WINDOW {
                let delivery =
                    Delivery { newly: m.una - before, in_flight: m.next - m.una, lost: 0, recovering: false };
                self.growth.control(m, now, ack, &delivery);
            }
            m.fill_window(now, net);
            if m.params.tlp && m.probe == Probe::None && m.next == m.max && m.outstanding() > 0 {
                m.arm_probe(now);
            }
            return;
        }
        if m.probe == Probe::Armed {
            m.probe = Probe::None;
            m.restart_timer(now);
        }
        self.read(m, now, ack, (before, advances), net);
    }

    fn on_probe<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        m.probe = Probe::Sent;
        m.restart_timer(now);
        if !send_new(m, now, net) {
            m.transmit(now, m.max - 1, net);
        }
    }

    fn on_pace<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        if self.recovery.is_some() {
            self.send(m, now, net);
        } else if m.dupacks == 0 || m.next < m.max {
            m.fill_window(now, net);
        } else {
            self.send_limited(m, now, net);
        }
    }

    fn on_timeout<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        self.recovery = None;
        m.probe = Probe::None;
        if let Some(sampler) = m.sampler() {
            sampler.forget(self.board.count());
        }
        self.board.clear(m.una);
        m.dupacks = 0;
        if m.cut == Cut::Mark && G::MARK_COVERS_LOSS {
            m.restart_window(now);
        } else {
            m.collapse(now, G::SHARE);
        }
        self.growth.on_timeout(m);
        go_back(m, now, net);
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        self.growth.gauges(show);
    }
}

impl<G: Growth> Sack<G> {
    /// Enter what is reported, then send what pipe and window allow. `before`: packets delivered before this acknowledgement,
    /// and whether it has moved `una`.
    fn read<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, before: (u32, bool), net: &mut N) {
        let (before, advances) = before;
        self.board.advance(m.una);
        let mut new = false;
        for block in ack.sack {
            new |= self.board.report(*block, m.params.dupack_threshold);
        }
        if m.probe == Probe::Sent && self.board.highest() == Some(m.max) {
            // The probe was sent last and has arrived: what was sent long before it has not.
            m.probe = Probe::None;
            self.board.lose_below_highest();
        }
        let delivered = (m.una + self.board.count()).saturating_sub(before);
        if G::OWN_WINDOW {
            let delivery = self.delivery(m, delivered);
            self.growth.control(m, now, ack, &delivery);
        }
        if self.recovery.is_some() {
            self.reduce(m, now, delivered);
            self.send(m, now, net);
            return;
        }
        if new && !advances {
            m.dupacks += 1;
        }
        let lost = m.dupacks >= m.params.dupack_threshold || self.board.first_is_lost();
        if lost && (m.una >= m.recover || m.cut == Cut::Mark) {
            self.begin(m, now, delivered, net);
        } else if m.dupacks == 0 || m.next < m.max {
            // After a timeout `next` has fallen back: what was sent before goes out again as the window opens, not by
            // limited transmit, which is for new packets and counts on each of them to fill the pipe.
            m.fill_window(now, net);
        } else {
            self.send_limited(m, now, net);
        }
    }

    /// RFC 3042, with what is reported out of the pipe.
    fn send_limited<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        while m.params.limited_transmit
            && f64::from(self.board.pipe(m.max)) + 1.0 <= m.cwnd
            && m.may_send(now)
            && send_new(m, now, net)
        {
            m.limited += 1;
        }
    }

    fn delivery(&self, m: &Machine, newly: u32) -> Delivery {
        Delivery { newly, in_flight: self.board.pipe(m.max), lost: 0, recovering: self.recovery.is_some() }
    }

    fn begin<N: Network>(&mut self, m: &mut Machine, now: Time, delivered: u32, net: &mut N) {
        // A mark that was answered for the same window has halved it already.
        if G::OWN_WINDOW {
            let delivery = self.delivery(m, delivered);
            self.growth.on_recovery(m, now, &delivery);
        } else if m.cut != Cut::Mark || m.una >= m.recover || !G::MARK_COVERS_LOSS {
            let window = m.cwnd;
            m.reduce(now, G::SHARE);
            self.growth.on_cut(m, window);
        }
        let prr = Prr::new(m.outstanding() - m.limited);
        m.recover = m.max;
        m.fast_retransmit(now);
        let lost = m.una;
        self.board.repair(lost);
        m.transmit(now, lost, net);
        let recovery = self.recovery.insert(Box::new(Recovery { prr, rescued: false }));
        recovery.prr.on_send();
        self.reduce(m, now, delivered);
        self.send(m, now, net);
    }

    /// With `prr` the window is what RFC 6937 allows.
    fn reduce(&mut self, m: &mut Machine, now: Time, delivered: u32) {
        if let Some(recovery) = self.recovery.as_mut().filter(|_| m.params.prr && !G::OWN_WINDOW) {
            let pipe = self.board.pipe(m.max);
            let allowed = recovery.prr.on_delivery(delivered, pipe, m.ssthresh, true);
            m.set_cwnd(now, f64::from(pipe + allowed));
        }
    }

    /// RFC 6675, section 5, step C.
    fn send<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        let Some(recovery) = &mut self.recovery else { return };
        while m.may_send(now) {
            let pipe = self.board.pipe(m.max);
            if f64::from(pipe) + 1.0 > m.cwnd {
                return;
            }
            let hole = match self.board.next_hole() {
                Some((seq, true)) => Some(seq),
                _ if send_new(m, now, net) => None,
                Some((seq, false)) => Some(seq),
                None => {
                    // NextSeg, rule 4: once a recovery, the highest packet outstanding.
                    let rescue = m.params.rescue && !recovery.rescued;
                    if let (true, Some(seq)) = (rescue, self.board.highest_unreported(m.max)) {
                        recovery.rescued = true;
                        recovery.prr.on_send();
                        m.transmit(now, seq, net);
                    }
                    return;
                }
            };
            if let Some(seq) = hole {
                self.board.repair(seq);
                m.transmit(now, seq, net);
            }
            recovery.prr.on_send();
        }
    }
}

/// A packet that was never sent, if there is one and the receiver's window has room.
pub(super) fn send_new<N: Network>(m: &mut Machine, now: Time, net: &mut N) -> bool {
    let allowed = m.next < m.end.min(m.una.saturating_add(m.params.window));
    if allowed {
        let seq = m.next;
        m.next += 1;
        m.transmit(now, seq, net);
    }
    allowed
}

//! RACK-TLP: loss recovery by the times at which packets were sent, with the window led down as packets arrive.
//!
//! RFC 8985 (sections without a number before them are its); RFC 6937 (PRR) and its successor RFC 9937; RFC 3168, section 6.1.2.
//!
//! # Law
//! [`Flight`] finds what is lost. While `pipe < cwnd` the lowest lost packet goes out, else a new one. A loss, or the echo of a
//! mark, leaves a share of the window as threshold, once a window of data; until everything outstanding then is acknowledged,
//! the window goes to the threshold by proportional rate reduction ([`super::prr`]), by the slow start bound only when an
//! acknowledgement moves `una` and tells of no new loss (RFC 9937). A loss while a mark is being answered is repaired without a
//! second cut. Laws that yield in proportion to the marks (DCTCP's kind) have their window cut at once instead. After a timeout
//! the window is one packet more than what is still in the network; the threshold is cut unless it was for the same window of
//! data. A retransmission lost after a timeout is a new loss.
//!
//! The tail is probed two smoothed round trips after the last new packet or acknowledgement, while nothing is reported
//! (section 7); a loss that the probe has repaired is answered (section 7.4.2).
//!
//! How the window grows, and what a loss and a mark leave of it, is a law of its own ([`Growth`]).
//!
//! # Differences
//! * No recovery is undone: there is no duplicate-SACK and no F-RTO.
//! * Without `prr` the window is at the threshold at once.

use super::prr::Prr;
use super::sack::{Delivery, Growth, send_new};
use super::{Law, open};
use crate::flight::{Flight, Losses};
use crate::machine::{Cut, Machine, Probe};
use crate::wire::{Ack, Network};
use penstock_core::Time;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Open,
    /// A mark is being answered.
    Marked,
    /// Losses are being repaired.
    Recovery,
    /// A timeout came.
    Loss,
}

/// A probe that is not answered for: the packet after it, and whether it was sent before.
#[derive(Clone, Copy, Debug)]
struct Tail {
    end: u32,
    repeated: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Rack<G> {
    flight: Flight,
    state: State,
    prr: Prr,
    growth: G,
    tail: Option<Tail>,
    /// The first packet that was new when the window was last cut, or the timer ended.
    high: u32,
    /// When the next packet is lost that may only be late; the timer that is armed waits for it.
    late: Option<Time>,
    /// `una` has moved since the last timeout.
    moved: bool,
}

impl<G: Growth> Law for Rack<G> {
    fn fill<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        self.send(m, now, net);
    }

    fn on_ack<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N) {
        let ack = &Ack { ece: self.growth.observe(m, now, ack), ..*ack };
        if ack.ece && m.ect && !G::MARK_COVERS_LOSS && self.state != State::Recovery {
            let window = m.cwnd;
            if m.answer_echo(now, ack.ack, self.growth.mark_share()) {
                self.growth.on_cut(m, window);
            }
        }
        let (before, sent) = (m.una, m.max);
        let news = self.flight.on_ack(now, ack, m.params.timestamps);
        let advances = ack.ack > before;
        if m.probe == Probe::Armed || news.before_first {
            m.probe = Probe::None;
            m.restart_timer(now);
        }
        let opens = advances && before == 0;
        if opens {
            open(m, now, ack);
        } else if advances {
            m.acknowledge(now, ack);
        }
        self.moved |= advances;
        self.answer_for_probe(m, now, ack, advances);
        self.end_reduction(m, now);
        let losses = self.detect(m, now);
        let marked = ack.ece && m.ect;
        self.answer(m, now, losses, marked, news.delivered);
        if G::OWN_WINDOW {
            let delivery = Delivery { lost: losses.count, ..self.delivery(news.delivered) };
            self.growth.control(m, now, ack, &delivery);
        }
        if self.reduces(m) {
            self.reduce(m, now, news.delivered, advances && losses.count == 0);
        } else if advances && !opens && !marked && self.state != State::Recovery {
            self.growth.grow(m, now, ack, news.delivered);
        }
        self.send(m, now, net);
        self.arm(m, now, advances || m.max > sent);
    }

    fn on_probe<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        m.probe = Probe::None;
        m.restart_timer(now);
        if self.late.is_some() {
            let losses = self.detect(m, now);
            self.answer(m, now, losses, false, 0);
            if losses.count > 0 && self.reduces(m) {
                self.reduce(m, now, 1, false);
            }
            self.send(m, now, net);
            self.arm(m, now, false);
            return;
        }
        let first_new = m.max;
        if send_new(m, now, net) {
            self.flight.on_send(now, first_new);
        } else {
            m.transmit(now, m.max - 1, net);
            self.flight.on_send(now, m.max - 1);
        }
        self.tail = Some(Tail { end: m.max, repeated: m.max == first_new });
    }

    fn on_pace<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        let sent = m.max;
        self.send(m, now, net);
        self.arm(m, now, m.max > sent);
    }

    fn on_timeout<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        let new = match self.state {
            State::Open => true,
            State::Loss => self.moved,
            State::Marked | State::Recovery => m.una >= self.high,
        };
        if new {
            m.collapse(now, G::SHARE);
        } else {
            m.restart_window(now);
        }
        self.growth.on_timeout(m);
        self.flight.lose_old(now);
        m.set_cwnd(now, f64::from(self.flight.pipe() + 1));
        m.stop_timing();
        m.cut = Cut::Timeout;
        (self.state, self.high, self.moved) = (State::Loss, m.max, false);
        (self.tail, self.late) = (None, None);
        self.send(m, now, net);
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        self.growth.gauges(show);
    }
}

impl<G: Growth> Rack<G> {
    /// A probe repaired a loss unless an acknowledgement says that both transmissions arrived (section 7.4.2).
    fn answer_for_probe(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, advances: bool) {
        let Some(tail) = self.tail.filter(|tail| ack.ack >= tail.end) else { return };
        if !tail.repeated {
            self.tail = None;
        } else if ack.ack > tail.end {
            self.tail = None;
            if G::OWN_WINDOW {
                return;
            }
            self.cut(m, now, G::SHARE);
            m.set_cwnd(now, m.ssthresh);
            self.state = State::Open;
        } else if !advances && ack.sack.is_empty() {
            self.tail = None;
        }
    }

    /// Everything that was outstanding at the cut is acknowledged. One packet more, if that was for a mark: "congestion window
    /// reduced" must have arrived before the next echo counts.
    fn end_reduction(&mut self, m: &mut Machine, now: Time) {
        let ends = match self.state {
            State::Open => false,
            State::Marked => m.una > self.high,
            State::Recovery | State::Loss => m.una >= self.high,
        };
        if ends {
            if self.state == State::Recovery {
                m.cut = Cut::Recovered;
            }
            if self.state != State::Loss && !G::OWN_WINDOW {
                m.set_cwnd(now, m.ssthresh);
            }
            self.state = State::Open;
        }
    }

    /// Losses come before a mark: they are repaired in any case.
    fn answer(&mut self, m: &mut Machine, now: Time, losses: Losses, marked: bool, delivered: u32) {
        match self.state {
            State::Open | State::Marked if self.flight.has_lost() => self.begin_recovery(m, now, delivered),
            State::Loss if losses.again => self.begin_recovery(m, now, delivered),
            State::Open if marked && G::MARK_COVERS_LOSS => {
                self.cut(m, now, self.growth.mark_share());
                self.state = State::Marked;
                m.cut = Cut::Mark;
                m.count_echo();
            }
            _ => {}
        }
    }

    fn delivery(&self, newly: u32) -> Delivery {
        Delivery { newly, in_flight: self.flight.pipe(), lost: 0, recovering: self.state == State::Recovery }
    }

    fn begin_recovery(&mut self, m: &mut Machine, now: Time, delivered: u32) {
        if G::OWN_WINDOW {
            let delivery = self.delivery(delivered);
            self.growth.on_recovery(m, now, &delivery);
            (self.high, self.tail) = (m.max, None);
        } else if self.state != State::Marked || !G::MARK_COVERS_LOSS {
            self.cut(m, now, G::SHARE);
        }
        self.state = State::Recovery;
        m.fast_retransmit(now);
    }

    /// The threshold is this share of the window; the window itself goes there as packets arrive.
    fn cut(&mut self, m: &mut Machine, now: Time, share: f64) {
        let window = m.cwnd;
        self.prr = Prr::new(m.window());
        m.reduce(now, share);
        if m.params.prr {
            m.set_cwnd(now, window);
        }
        self.growth.on_cut(m, window);
        self.high = m.max;
        self.tail = None;
    }

    /// Whether the window is on its way to the threshold.
    fn reduces(&self, m: &Machine) -> bool {
        m.params.prr && !G::OWN_WINDOW && matches!(self.state, State::Marked | State::Recovery)
    }

    fn reduce(&mut self, m: &mut Machine, now: Time, delivered: u32, safe: bool) {
        if delivered > 0 {
            let pipe = self.flight.pipe();
            let allowed = self.prr.on_delivery(delivered, pipe, m.ssthresh, safe);
            m.set_cwnd(now, f64::from(pipe + allowed.max(self.prr.least())));
        }
    }

    /// Find what is lost, and when the next packet will be.
    fn detect(&mut self, m: &Machine, now: Time) -> Losses {
        let repairing = matches!(self.state, State::Recovery | State::Loss);
        let window = self.flight.reordering_window(repairing, m.params.dupack_threshold, m.srtt());
        let losses = self.flight.detect(now, window);
        self.late = self.flight.lost_at(window);
        losses
    }

    /// Send what pipe and window allow, lost packets first.
    fn send<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        while self.flight.pipe() < m.window() && m.may_send(now) {
            let lost = self.flight.next_lost();
            let seq = lost.unwrap_or(m.max);
            if lost.is_some() {
                m.transmit(now, seq, net);
            } else if !send_new(m, now, net) {
                return;
            }
            self.flight.on_send(now, seq);
            self.prr.on_send();
            if seq == m.una {
                m.restart_timer(now);
            }
        }
    }

    /// Arm the timer that comes before the timeout, if there is one; `fresh`: new data was sent or acknowledged.
    fn arm(&mut self, m: &mut Machine, now: Time, fresh: bool) {
        if let Some(at) = self.late {
            m.arm_late(now, at);
        } else if fresh
            && m.params.tlp
            && m.outstanding() > 0
            && !self.flight.has_reported()
            && self.tail.is_none()
            && matches!(self.state, State::Open | State::Marked)
        {
            m.arm_probe(now);
        }
    }
}

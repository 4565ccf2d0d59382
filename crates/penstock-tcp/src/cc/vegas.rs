//! Vegas: congestion avoidance by the queueing delay that the flow itself causes.
//!
//! L. Brakmo, L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", IEEE JSAC 13(8), 1995.
//!
//! # Algorithm
//! Once per round trip, with `rtt` the mean of the round-trip times measured in it:
//! `expected = outstanding/base_rtt`, `actual = (packets sent in the round)/rtt`, `delta = (expected - actual) base_rtt`,
//! rounded to a whole number of packets.
//! * Slow start: `cwnd += 1` per ACK in every other round; `delta > gamma` after a round without growth ends it with
//!   `cwnd -= cwnd/8` and `ssthresh = 2`.
//! * Congestion avoidance: `delta < alpha`: `cwnd` grows by one over the next round; `delta > beta`: `cwnd -= 1`. The
//!   window does not grow while more than three packets of it are unused.
//! * Retransmission: on the first or second duplicate ACK if the oldest packet has exceeded a fine-grained timeout,
//!   else on the third. Each of the first two ACKs after a retransmission retransmits the next packet if that has
//!   exceeded the timeout too. `cwnd` is cut by a quarter (by half if the packet was sent more than once), but only
//!   once for losses of packets sent at the same window.
//! * The fine-grained timeout is 17/16 `(SRTT + 2 RTTVAR)`, measured with every packet that was sent once; each retransmission
//!   lengthens it by an eighth, or doubles it if the packet was sent more than once. The coarse timer backs off as well.
//! * A timeout halves the threshold and leaves a window of two packets.
//!
//! # Differences
//! * The paper does not give the constants of retransmission; ns-2's are used. `ns2_*.rs` in the tests compare every
//!   packet.
//! * `recovery = "ns2"`: no ECN; no round-trip times are measured with packets of the initial window; a packet that was
//!   never sent counts as overdue, so the next packet is sent twice when a retransmission leaves nothing outstanding;
//!   sending times are kept in a circular table with one entry per packet of the window, and an ACK that wraps around
//!   its end removes no entry; duplicate ACKs after a timeout deflate the window to nothing.
//! * A few flows in a hundred differ from ns-2 by rounding: ns-2 sums times in floating point, so a `delta` exactly halfway
//!   between two whole numbers (a round trip of twice `base_rtt`) may be rounded the other way.

use super::CongestionControl;
use crate::packets_and_acks::{Ack, PacketSink};
use crate::state::{HALF, LastReduction, SenderState};
use alloc::collections::VecDeque;
use penstock_core::{Span, Time};

/// Minimum window, in packets.
const MIN_CWND: f64 = 2.0;

/// The window does not grow while more than this number of its packets are unused.
const MAX_UNUSED: f64 = 3.0;

/// An outstanding packet.
#[derive(Clone, Copy, Debug)]
struct SentPacket {
    /// When it was last sent, on the congestion control's clock.
    at: Span,
    /// Number of times the packet was sent.
    times: u32,
}

/// Fine-grained estimate of the round-trip time, scaled as in [`crate::rtt`], in seconds.
#[derive(Debug, Default)]
struct FineRtt {
    srtt8: f64,
    rttvar4: f64,
    timeout: f64,
}

impl FineRtt {
    fn start(rtt: f64) -> Self {
        Self { srtt8: rtt * 8.0, rttvar4: rtt, timeout: rtt * 1.5 }
    }

    fn measure(&mut self, rtt: f64) {
        let error = rtt - self.srtt8 / 8.0;
        self.srtt8 += error;
        self.rttvar4 += error.abs() - self.rttvar4 / 4.0;
        let timeout = f64::midpoint(self.srtt8 / 4.0, self.rttvar4);
        self.timeout = timeout + timeout / 16.0;
    }
}

#[derive(Debug, Default)]
pub(crate) struct Vegas {
    /// The outstanding packets, from `una` on.
    sent: VecDeque<SentPacket>,
    /// Stale entries of ns-2's circular table, kept because one ACK wrapped around its end: the number of the packet
    /// that will use the entry next, and the record of the previous packet.
    stale: VecDeque<(u32, SentPacket)>,
    /// When the first packet was last sent; the congestion control's clock counts from here.
    origin: Time,
    /// The first ACK has arrived.
    answered: bool,
    fine: FineRtt,
    base_rtt: f64,
    /// The current round: the packet whose ACK ends it, its start, and the round-trip times measured in it.
    round_ends: u32,
    round_began: Span,
    rtt_sum: f64,
    rtt_count: u32,
    /// Whether slow start pauses in this round; and the window increment per ACK.
    holds: bool,
    step: f64,
    /// Window after the last retransmission, and when it was set.
    cut_window: f64,
    cut_at: Span,
    /// Number of ACKs after a retransmission that may still retransmit the next packet.
    worried: u32,
}

impl CongestionControl for Vegas {
    fn fill<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        if s.next == 0 {
            self.origin = now;
        }
        let end = s.una.saturating_add(s.window()).min(s.end);
        while s.next < end {
            let seq = s.next;
            s.next += 1;
            self.transmit(s, now, seq, net);
        }
    }

    fn on_ack<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        if !self.answered {
            self.answered = true;
            self.base_rtt = self.clock(now).as_secs();
            self.fine = FineRtt::start(self.base_rtt);
        }
        if ack.ece && s.ect {
            s.on_echo(now, ack.ack);
        }
        if ack.ack > s.una {
            self.advance(s, now, ack, net);
        } else {
            self.duplicate(s, now, net);
        }
        if s.dupacks == 0 || s.dupacks >= s.params.dupack_threshold {
            self.fill(s, now, net);
        }
    }

    fn on_idle<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        s.back_off();
        self.on_timeout(s, now, net);
    }

    fn on_timeout<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        s.dupacks = 0;
        s.last_reduction = LastReduction::Timeout;
        s.collapse(now, HALF);
        s.set_cwnd(now, MIN_CWND);
        self.cut_window = 0.0;
        self.cut_at = self.clock(now);
        s.go_back(now);
        self.fill(s, now, net);
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        if self.answered {
            show("base_rtt", self.base_rtt);
        }
    }
}

impl Vegas {
    fn advance<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        if s.una == 1 && s.params.syn {
            s.set_cwnd(now, s.params.initial_window);
        }
        // The inflation by duplicate ACKs ends. After a timeout there is no saved window; in ns-2 it is then 0.
        let deflates = s.rules().vegas_deflates(self.cut_window);
        if s.dupacks > s.params.dupack_threshold && s.cwnd > self.cut_window && deflates {
            s.set_cwnd(now, self.cut_window);
            s.ssthresh = MIN_CWND;
        }
        let acked = (ack.ack - s.una) as usize;
        s.acknowledge(now, ack);
        if ack.ack > self.round_ends {
            self.end_round(s, now);
        }
        let newest = self.forget(s, acked);
        let measured = |sent: &SentPacket| sent.times == 1 && s.rules().vegas_measures(sent.at);
        if let Some(sent) = newest.filter(measured) {
            let rtt = self.age(&sent, now);
            self.rtt_sum += rtt;
            self.rtt_count += 1;
            self.base_rtt = self.base_rtt.min(rtt);
            self.fine.measure(rtt);
        }
        // The window grows only if it is used, and by a whole packet only in slow start.
        let unused = s.cwnd - f64::from(s.next - s.una);
        let slow = s.cwnd < s.ssthresh;
        if self.step > 0.0 && unused <= MAX_UNUSED && (slow || self.step < 1.0) {
            s.set_cwnd(now, s.cwnd + self.step);
        }
        if self.worried > 0 && self.first_is_late(s, now) {
            self.worried -= 1;
            s.dupacks = s.params.dupack_threshold;
            let lost = s.una;
            self.transmit(s, now, lost, net);
        } else {
            self.worried = 0;
        }
    }

    fn clock(&self, now: Time) -> Span {
        now.since(self.origin)
    }

    /// Seconds since a packet was sent.
    fn age(&self, sent: &SentPacket, now: Time) -> f64 {
        self.clock(now).as_secs() - sent.at.as_secs()
    }

    /// Compare expected and actual rate, once per round trip.
    fn end_round(&mut self, s: &mut SenderState, now: Time) {
        let rtt = if self.rtt_count > 0 {
            self.rtt_sum / f64::from(self.rtt_count)
        } else {
            self.clock(now).as_secs() - self.round_began.as_secs()
        };
        self.rtt_sum = 0.0;
        self.rtt_count = 0;
        let sent = s.next - self.round_ends;
        if rtt > 0.0 {
            if sent <= 1 {
                self.base_rtt = rtt;
            }
            let actual = f64::from(sent) / rtt;
            let expected = f64::from(s.next + 1 - s.una) / self.base_rtt;
            // Add one half and truncate, as ns-2's cast to an integer does.
            let delta = ((expected - actual) * self.base_rtt + 0.5) as i64 as f64;
            let cwnd = s.cwnd;
            self.step = 0.0;
            if cwnd < s.ssthresh {
                // Only a round without growth shows the delay of a window (section 4.3 of the paper).
                self.holds = !self.holds;
                if !self.holds && delta > s.params.gamma {
                    s.ssthresh = MIN_CWND;
                    s.set_cwnd(now, (cwnd - cwnd / 8.0).max(MIN_CWND));
                } else if !self.holds {
                    self.step = 1.0;
                }
            } else if delta > s.params.beta {
                s.set_cwnd(now, (cwnd - 1.0).max(MIN_CWND));
            } else if delta < s.params.alpha {
                self.step = 1.0 / cwnd;
            }
        }
        self.round_ends = s.next;
        self.round_began = self.clock(now);
    }

    fn duplicate<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        s.dupacks += 1;
        let threshold = s.params.dupack_threshold;
        if !self.first_is_late(s, now) && s.dupacks != threshold {
            if s.dupacks > threshold {
                s.set_cwnd(now, s.cwnd + 1.0);
            }
            return;
        }
        if s.una >= s.end {
            return;
        }
        let first = self.sent.front().copied().unwrap_or(SentPacket { at: Span::ZERO, times: 0 });
        if s.una <= s.recover && s.last_reduction == LastReduction::Timeout {
            return;
        }
        self.worried = (s.next + 1 - s.una).min(2);
        self.fine.timeout += if first.times > 1 { self.fine.timeout } else { self.fine.timeout / 8.0 };
        if self.cut_at < first.at {
            let window = s.window();
            let cut = match window {
                0..=3 => 2,
                _ if first.times > 1 => window / 2,
                _ => window - window / 4,
            };
            self.cut_window = f64::from(cut);
            s.set_cwnd(now, self.cut_window + f64::from(s.dupacks));
            self.cut_at = self.clock(now);
        }
        s.recover = s.max;
        s.back_off();
        s.enter_fast_retransmit(now);
        let lost = s.una;
        self.transmit(s, now, lost, net);
        if first.times <= 1 {
            s.dupacks = s.dupacks.max(threshold);
        }
    }

    /// Remove the packets that were ACKed; returns the newest of them.
    fn forget(&mut self, s: &SenderState, acked: usize) -> Option<SentPacket> {
        let acked = acked.min(self.sent.len());
        let newest = acked.checked_sub(1).and_then(|last| self.sent.get(last).copied());
        let (first, window) = (s.una - acked as u32, s.params.window);
        if s.rules().vegas_reuses_table() && acked > 1 && first % window > (s.una - 1) % window {
            let reused = first.saturating_add(window)..;
            self.stale.extend(reused.zip(self.sent.iter().take(acked).copied()));
        }
        self.sent.drain(..acked);
        newest
    }

    /// The stale entry that ns-2's table has for a packet not sent yet.
    fn stale_entry(&mut self, seq: u32) -> Option<SentPacket> {
        while self.stale.front().is_some_and(|(reused, _)| *reused < seq) {
            self.stale.pop_front();
        }
        self.stale.front().filter(|(reused, _)| *reused == seq).map(|(_, sent)| *sent)
    }

    /// Whether the oldest packet has exceeded the fine-grained timeout. In ns-2 a packet that was never sent counts as
    /// overdue.
    fn first_is_late(&mut self, s: &SenderState, now: Time) -> bool {
        match self.sent.front() {
            Some(sent) => self.age(sent, now) >= self.fine.timeout,
            None if !s.rules().vegas_reuses_table() || s.una >= s.end => false,
            None => self.stale_entry(s.una).is_none_or(|sent| self.age(&sent, now) >= self.fine.timeout),
        }
    }

    fn transmit<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, seq: u32, net: &mut N) {
        let index = (seq - s.una) as usize;
        let at = self.clock(now);
        if let Some(sent) = self.sent.get_mut(index) {
            *sent = SentPacket { at, times: sent.times + 1 };
        } else {
            let stale = self.stale_entry(seq).map_or(0, |stale| stale.times);
            self.sent.push_back(SentPacket { at, times: stale + 1 });
        }
        s.transmit(now, seq, net);
    }
}

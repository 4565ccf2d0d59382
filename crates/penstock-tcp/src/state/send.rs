//! Sending: a sender hands packets to the network as the window, the pacing and the data allow.
//!
//! RFC 5681; RFC 3042 (limited transmit); RFC 3168, section 6.1 (codepoints and CWR).

use super::SenderState;
use crate::pacer::{Pace, usual_gap};
use crate::packets_and_acks::{PacketSink, Segment};
use crate::trains::train_packets;
use penstock_core::{Ecn, Span, Time};

impl SenderState {
    /// Whether pacing allows a packet to leave now; if not, [`Self::timer`] returns the time when it will.
    #[inline]
    pub(crate) fn may_send(&mut self, now: Time) -> bool {
        !self.has_extras || self.pacer.as_mut().is_none_or(|pacer| pacer.allows(now))
    }

    /// If a paced packet waits until `now` at the latest, end its wait; returns whether one did.
    pub(crate) fn ends_waiting(&mut self, now: Time) -> bool {
        let Some(pacer) = self.pacer.as_mut().filter(|pacer| pacer.waiting <= now) else { return false };
        pacer.waiting = Time::NEVER;
        true
    }

    /// Number of packets in a train of this flow ([`crate::trains`]).
    pub(crate) fn train(&self, min_rtt: Option<Span>) -> u32 {
        self.gap().map_or(u32::MAX, |gap| train_packets(&self.params, gap, min_rtt))
    }

    /// The pace of a flow that paces its packets. It is cached until the congestion control sets another rate, or
    /// [`Self::forget_pace`] is called. `None` before the first round-trip time is measured.
    #[inline]
    pub(crate) fn pace(&mut self) -> Option<Pace> {
        let kept = self.pacer.as_ref()?.pace();
        debug_assert!(kept.is_none() || kept == self.computed_pace(), "the pace has changed");
        kept.or_else(|| self.renew_pace())
    }

    #[inline(never)]
    fn renew_pace(&mut self) -> Option<Pace> {
        let pace = self.computed_pace()?;
        self.pacer.as_mut()?.keep_pace(pace);
        Some(pace)
    }

    /// The pace at the present window, threshold and round-trip time.
    #[inline]
    fn computed_pace(&self) -> Option<Pace> {
        let gap = self.gap()?;
        let min_rtt = self.pacer.as_ref()?.min_rtt();
        let train = if self.params.offload { train_packets(&self.params, gap, min_rtt) } else { 1 };
        Some(Pace { gap, train })
    }

    /// The window, the threshold or the round-trip time may have changed since the pace was computed.
    #[inline]
    pub(crate) fn forget_pace(&mut self) {
        if self.has_extras
            && let Some(pacer) = &mut self.pacer
        {
            pacer.forget_pace();
        }
    }

    /// Time between two packets at the pacing rate, in seconds; for a flow that does not pace, at the rate at which it would.
    /// `None` before the first round-trip time is measured.
    pub(crate) fn gap(&self) -> Option<f64> {
        // The receive window bounds the packets of a round trip, even if the congestion window grows beyond it.
        let cwnd = self.cwnd.min(f64::from(self.params.window));
        match &self.pacer {
            Some(pacer) => pacer.gap(cwnd, self.ssthresh, self.srtt()),
            None => self.srtt().map(|srtt| usual_gap(cwnd, self.ssthresh, srtt)),
        }
    }

    /// Send packet `seq`.
    #[inline]
    pub(crate) fn transmit(&mut self, now: Time, seq: u32, net: &mut impl PacketSink) {
        self.forget_pace();
        self.transmit_pushed(now, seq, false, net);
    }

    /// Send packet `seq`, with PSH if `pushed` or if a write or the transfer ends in it.
    #[inline]
    fn transmit_pushed(&mut self, now: Time, seq: u32, pushed: bool, net: &mut impl PacketSink) {
        let retransmission = seq < self.max;
        let (payload, size, ends_write) = if self.uniform && seq > 0 {
            let (payload, headers) = (self.params.packet.0 as u32, self.params.headers.0 as u32);
            (payload, payload + headers, false)
        } else {
            self.irregular(seq)
        };
        let push = pushed || ends_write || seq + 1 == self.end;
        let mut segment = Segment { seq, size, payload, stamp: now, retransmission, ecn: Ecn::Not, cwr: false, push };
        if self.ect && (!retransmission || self.rules().retransmits_ect()) {
            segment.ecn = self.params.codepoint();
            segment.cwr = self.cwr && !self.params.is_accurate();
            self.cwr &= !segment.cwr;
        } else if self.ect && self.params.ecn_control && payload > 0 {
            // CWR is for new data only (RFC 3168, section 6.1.5).
            segment.ecn = self.params.codepoint();
        }
        net.transmit(segment);
        let idle = self.una == self.max;
        if self.has_extras
            && let (pace, Some(pacer)) = (self.pace(), &mut self.pacer)
        {
            pacer.on_send(now, pace);
            if let Some(sampler) = &mut pacer.sampler {
                sampler.on_send(now, seq, idle);
            }
        }
        if retransmission {
            self.retransmitted += 1;
        } else {
            self.max = seq + 1;
            if !self.timing {
                self.timing = true;
                self.timed_seq = seq;
                self.timed_at = now;
            }
        }
        if idle || self.deadline == Time::NEVER {
            self.restart_timer(now);
        }
    }

    /// Bytes of user data and on the wire of packet `seq`, and whether a write of the application ends in it.
    #[inline(never)]
    fn irregular(&self, seq: u32) -> (u32, u32, bool) {
        let payload = self.params.payload(seq);
        let opening = seq == 0 && self.params.opens();
        let size = if opening { self.params.ack_size.0 as u32 } else { payload + self.params.headers.0 as u32 };
        (payload, size, self.params.is_pushed(seq))
    }

    /// Send the packets that the window allows.
    #[inline]
    pub(crate) fn fill_window(&mut self, now: Time, net: &mut impl PacketSink) {
        self.fill_window_by(u32::MAX, now, net);
    }

    /// Send the packets that the window allows, at most `burst`.
    #[inline]
    pub(crate) fn fill_window_by(&mut self, burst: u32, now: Time, net: &mut impl PacketSink) {
        let end = self.una.saturating_add(self.window()).min(self.end).min(self.next.saturating_add(burst));
        while self.next < end && self.may_send(now) {
            let seq = self.next;
            self.next += 1;
            self.transmit(now, seq, net);
        }
    }

    /// Send one new packet for one of the first duplicate ACKs (RFC 3042).
    pub(crate) fn limited_transmit(&mut self, now: Time, net: &mut impl PacketSink) {
        let allowed = f64::from(self.una) + self.cwnd + f64::from(self.dupacks);
        let window = self.una.saturating_add(self.params.window);
        if self.rules().limited_transmit_sends(self.next, self.max)
            && self.params.limited_transmit
            && self.next < self.end.min(window)
            && f64::from(self.next) + 1.0 <= allowed
            && self.may_send(now)
        {
            let seq = self.next;
            self.next += 1;
            self.limited += 1;
            self.transmit(now, seq, net);
        }
    }

    /// Send a packet that was never sent, if there is one and the receive window has room; returns whether it did.
    pub(crate) fn send_new(&mut self, now: Time, net: &mut impl PacketSink) -> bool {
        self.forget_pace();
        self.send_new_of_train(now, false, net)
    }

    /// Like [`Self::send_new`], with the cached pace; `last`: the packet is the last one of a train.
    pub(crate) fn send_new_of_train(&mut self, now: Time, last: bool, net: &mut impl PacketSink) -> bool {
        let allowed = self.next < self.end.min(self.una.saturating_add(self.params.window));
        if allowed {
            let seq = self.next;
            self.next += 1;
            self.transmit_pushed(now, seq, last, net);
        }
        allowed
    }
}

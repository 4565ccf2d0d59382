//! Congestion control: how a sender responds to new, duplicate and missing acknowledgements. One file per algorithm.
//!
//! A congestion control handles one event: it changes the window in [`SenderState`] and has packets sent.
//! [`AnyCongestionControl`] lists the congestion controls.

pub(crate) mod accurate_ecn;
mod ack_aggregation;
mod bbr;
mod bbr3;
mod cubic;
mod dctcp;
mod hystart;
mod hystart_plus;
mod ledbat;
mod newreno;
mod policer_detection;
mod prague;
mod prr;
mod prr_without_sack;
mod rack_tlp;
mod registry;
mod reno;
mod sack;
mod sack_ns2;
mod tahoe;
mod undo;
mod vegas;
mod window_control;

pub(crate) use registry::AnyCongestionControl;

use crate::packets_and_acks::{Ack, PacketSink};
use crate::state::{HALF, LastReduction, SenderState};
use penstock_core::Time;

/// A congestion control, loss recovery included.
pub(crate) trait CongestionControl {
    /// Send the packets that the window allows.
    fn fill<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        s.fill_window(now, net);
    }

    /// An ACK arrived that is not older than the last one.
    fn on_ack<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N);

    /// The retransmission timer expired with data outstanding; `s` has backed off.
    fn on_timeout<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N);

    /// The timer of a tail-loss probe expired, for a congestion control that has armed one.
    fn on_probe<N: PacketSink>(&mut self, _s: &mut SenderState, _now: Time, _net: &mut N) {}

    /// Pacing allows the next packet to leave.
    fn on_pace<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        if (1..s.params.dupack_threshold).contains(&s.dupacks) && s.next == s.max {
            s.limited_transmit(now, net);
        } else {
            self.fill(s, now, net);
        }
    }

    /// The application has written data, on a connection limited by its application. While duplicate ACKs arrive, the
    /// next ACK decides what is sent.
    fn on_write<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        s.end_idle(now, true);
        if s.dupacks == 0 || s.outstanding() == 0 {
            self.fill(s, now, net);
        }
    }

    /// The retransmission timer expired with nothing outstanding, though there is data to send: a mark has left a window of
    /// less than one packet (RFC 3168, section 6.1.2).
    fn on_idle<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        s.last_reduction = LastReduction::Timeout;
        s.set_cwnd(now, s.cwnd.max(1.0));
        self.fill(s, now, net);
    }

    /// Show the congestion control's own variables, as [`crate::Sender::gauges`] does.
    fn gauges(&self, _show: &mut dyn FnMut(&'static str, f64)) {}
}

/// New data is ACKed outside recovery: advance `una`, and grow the window by the ACKed packets unless the ACK echoes a
/// mark. The first ACK sets the initial window.
#[expect(
    clippy::inline_always,
    reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
)]
#[inline(always)]
pub(crate) fn on_new_ack_with(s: &mut SenderState, now: Time, ack: &Ack<'_>, grow: impl FnOnce(&mut SenderState, u32)) {
    if s.una == 0 {
        open(s, now, ack, grow);
        return;
    }
    let acked = ack.ack - s.una;
    s.acknowledge(now, ack);
    if !(s.ect && ack.ece) {
        grow(s, acked);
    }
}

/// Like [`on_new_ack_with`], with Reno's growth.
#[inline]
pub(crate) fn on_new_ack(s: &mut SenderState, now: Time, ack: &Ack<'_>) {
    on_new_ack_with(s, now, ack, |s, acked| {
        if s.uses_window() {
            s.grow(now, acked);
        }
    });
}

/// Process the first ACK: agree to ECN. The ACK of a SYN sets the initial window; the ACK of data lets the
/// window `grow`.
#[cold]
pub(crate) fn open(s: &mut SenderState, now: Time, ack: &Ack<'_>, grow: impl FnOnce(&mut SenderState, u32)) {
    let (rules, repeated) = (s.rules(), s.last_reduction == LastReduction::Timeout);
    let opens = s.params.syn && ack.ack == 1;
    if s.params.ecn && rules.first_ack_is_echo(repeated) {
        s.on_echo(now, ack.ack);
    }
    let acked = ack.ack - s.una;
    s.acknowledge(now, ack);
    let echoes = s.ect && ack.ece;
    if !opens && !echoes && s.uses_window() {
        grow(s, acked);
    }
    s.ect = s.params.ecn && rules.agrees_to_ecn(repeated, s.params.opens());
    if opens {
        if rules.opening_restores_ssthresh() {
            s.ssthresh = s.params.first_ssthresh();
        }
        let closed = repeated && rules.opening_loss_closes_window(s.retransmitted());
        s.set_cwnd(now, if closed { 1.0 } else { s.params.initial_window });
    }
}

/// The response to a timeout of a sender without a scoreboard: halve the threshold, unless a mark has just done so, and
/// resend everything from `una` on, starting with one packet (RFC 5681, section 3.1).
pub(crate) fn restart_after_timeout<N: PacketSink>(s: &mut SenderState, now: Time, net: &mut N) {
    s.inflation = 0;
    if s.last_reduction == LastReduction::Mark {
        s.restart_window(now);
    } else {
        s.collapse(now, HALF);
    }
    go_back(s, now, net);
}

/// Resend everything from `una` on, starting with one packet.
pub(crate) fn go_back<N: PacketSink>(s: &mut SenderState, now: Time, net: &mut N) {
    s.last_reduction = LastReduction::Timeout;
    s.go_back(now);
    s.fill_window(now, net);
}

/// Whether duplicate ACKs reveal a new loss. Duplicate ACKs are ignored during the repair of a window of data for which
/// the congestion window was already reduced; otherwise one loss would reduce it twice (RFC 6582, section 4.1).
pub(crate) fn is_new_loss(s: &SenderState) -> bool {
    s.una > s.recover || s.rules().answers_first_loss(s.last_reduction == LastReduction::None, s.una)
}

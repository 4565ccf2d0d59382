//! Congestion laws: what a flavour does with new, duplicate and missing acknowledgements.
//!
//! A law is told of one event, moves the window of the [`Machine`] and asks it to send. One flavour, one file.

pub(crate) mod accurate;
mod aggregation;
pub(crate) mod bbr;
mod counted;
pub(crate) mod cubic;
pub(crate) mod dctcp;
pub(crate) mod hystart;
pub(crate) mod hystart_plus;
pub(crate) mod ledbat;
pub(crate) mod newreno;
pub(crate) mod pipe;
mod policer;
pub(crate) mod prague;
pub(crate) mod prr;
pub(crate) mod rack;
pub(crate) mod reno;
pub(crate) mod sack;
pub(crate) mod tahoe;
pub(crate) mod vegas;

use crate::machine::{Cut, HALF, Machine};
use crate::wire::{Ack, Network};
use penstock_core::Time;

/// A congestion law.
pub(crate) trait Law {
    /// Send what the window allows.
    fn fill<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        m.fill_window(now, net);
    }

    /// An acknowledgement that is not older than the last one arrived.
    fn on_ack<N: Network>(&mut self, m: &mut Machine, now: Time, ack: &Ack<'_>, net: &mut N);

    /// The retransmission timer ended with data outstanding; the machine has backed off.
    fn on_timeout<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N);

    /// The timer ended in a probe, for a law that has armed one.
    fn on_probe<N: Network>(&mut self, _m: &mut Machine, _now: Time, _net: &mut N) {}

    /// The time has come for a packet that waited for its pacing.
    fn on_pace<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        if (1..m.params.dupack_threshold).contains(&m.dupacks) && m.next == m.max {
            m.limited_transmit(now, net);
        } else {
            self.fill(m, now, net);
        }
    }

    /// Show the law's own variables, as [`crate::Sender::gauges`] does.
    fn gauges(&self, _show: &mut dyn FnMut(&'static str, f64)) {}

    /// The retransmission timer ended with nothing outstanding, though there is data to send: a mark has left a window of less
    /// than one packet (RFC 3168, section 6.1.2).
    fn on_idle<N: Network>(&mut self, m: &mut Machine, now: Time, net: &mut N) {
        m.cut = Cut::Timeout;
        m.set_cwnd(now, m.cwnd.max(1.0));
        self.fill(m, now, net);
    }
}

/// A new acknowledgement outside recovery: move on and grow by the packets that it acknowledges, unless it echoes a mark.
/// The answer to the opening packet opens the window.
#[inline]
pub(crate) fn progress_by(m: &mut Machine, now: Time, ack: &Ack<'_>, grow: impl FnOnce(&mut Machine, u32)) {
    if m.una == 0 {
        open(m, now, ack);
        return;
    }
    let acked = ack.ack - m.una;
    m.acknowledge(now, ack);
    if !(m.ect && ack.ece) {
        grow(m, acked);
    }
}

/// The same with Reno's growth.
#[inline]
pub(crate) fn progress(m: &mut Machine, now: Time, ack: &Ack<'_>) {
    progress_by(m, now, ack, |m, acked| m.grow(now, acked));
}

/// The first answer: agreement to ECN, and after an opening packet the initial window, which is one packet if that had to be
/// sent again more than once (RFC 6928, section 2). An opening packet that is sent again does not ask for ECN (RFC 3168,
/// section 6.1.1.1): the first one may have been lost for that.
#[cold]
pub(crate) fn open(m: &mut Machine, now: Time, ack: &Ack<'_>) {
    let repeated = m.cut == Cut::Timeout;
    if repeated && m.params.ecn && !m.rfc() {
        // ns-2 says "agreed" with the bit that echoes marks, and answers it if a timeout came before.
        m.on_echo(now, ack.ack);
    }
    let acked = ack.ack - m.una;
    m.acknowledge(now, ack);
    if !(m.ect && ack.ece) {
        m.grow(now, acked);
    }
    m.ect = m.params.ecn && !(repeated && m.rfc() && m.params.opens());
    if m.params.syn && ack.ack == 1 {
        if m.rfc() {
            // Nothing is known of the path yet: the threshold stays where it begins.
            m.ssthresh = m.params.first_ssthresh();
        }
        let often = m.retransmitted() > 1 || !m.rfc();
        m.set_cwnd(now, if repeated && often { 1.0 } else { m.params.initial_window });
    }
}

/// What happens on a timeout in all window laws: threshold halved, one packet, everything from `una` again (RFC 5681, 3.1).
/// The threshold stays if a mark has just halved it.
pub(crate) fn start_over<N: Network>(m: &mut Machine, now: Time, net: &mut N) {
    m.inflation = 0;
    if m.cut == Cut::Mark {
        m.restart_window(now);
    } else {
        m.collapse(now, HALF);
    }
    go_back(m, now, net);
}

/// Send everything from `una` again, one packet first.
pub(crate) fn go_back<N: Network>(m: &mut Machine, now: Time, net: &mut N) {
    m.cut = Cut::Timeout;
    m.go_back(now);
    m.fill_window(now, net);
}

/// Whether duplicate acknowledgements now mean a new loss: not while packets of a window that has been answered for are
/// being repaired (RFC 6582, section 4.1), else one loss would be answered twice.
pub(crate) fn is_new_loss(m: &Machine) -> bool {
    // The second alternatives let the very first packets be repaired: nothing has been answered for yet.
    m.una > m.recover || if m.rfc() { m.cut == Cut::None } else { m.una == 1 }
}

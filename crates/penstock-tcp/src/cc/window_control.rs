//! Growth and reduction of the window, separate from loss recovery: Reno, CUBIC, DCTCP, ...
//!
//! The recoveries [`Sack`](super::sack::Sack) and [`Rack`](super::rack_tlp::Rack) each run with any of these congestion controls.

use crate::packets_and_acks::Ack;
use crate::state::{HALF, SenderState};
use core::fmt::Debug;
use penstock_core::{Span, Time};

/// Growth and reduction of a window.
pub(crate) trait WindowControl: Debug + Default {
    /// Factor by which a loss or a timeout reduces the window.
    const LOSS_FACTOR: f64;
    /// A loss in a window of data that a mark has already reduced causes no further reduction.
    const MARK_COVERS_LOSS: bool = true;
    /// The congestion control sets the window itself with each ACK; losses and marks reduce nothing.
    const SETS_WINDOW: bool = false;

    /// Called for every ACK before it changes the state; `newly`: packets that it delivers and no earlier ACK did. Returns whether it
    /// echoes a mark that calls for a reduction.
    #[inline]
    fn observe(&mut self, _s: &SenderState, _now: Time, ack: &Ack<'_>, _newly: u32) -> bool {
        ack.ece
    }

    /// With `SETS_WINDOW`: called for every ACK after it has changed the state. Where losses are detected by time, the
    /// ACK contains only the SACK blocks that report a packet for the first time.
    fn control(&mut self, _s: &mut SenderState, _now: Time, _ack: &Ack<'_>, _delivery: &Delivery) {}

    /// Packet `seq` was sent; an estimated `in_flight` packets, including it, are in the network. Does not change the
    /// window. Called where losses are detected by time.
    #[inline]
    fn on_send(&mut self, _s: &mut SenderState, _now: Time, _seq: u32, _in_flight: u32) {}

    /// Packet `seq` is found lost, with an ACK that newly delivers `newly` packets or by a timer. Called where losses are
    /// detected by time.
    #[inline]
    fn on_lost(&mut self, _s: &mut SenderState, _now: Time, _seq: u32, _newly: u32) {}

    /// With `SETS_WINDOW`: a recovery begins.
    fn on_recovery(&mut self, _s: &mut SenderState, _now: Time, _delivery: &Delivery) {}

    /// `acked` packets were ACKed outside recovery, without an echoed mark.
    fn grow(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, acked: u32);

    /// Like `grow`, while the application limits the sender (RFC 9438, section 5.8): the window does not grow, and a
    /// congestion control that measures time excludes the `unused` time since the last packet or ACK. Also called when
    /// an idle period ends.
    fn skip(&mut self, _unused: Span) {}

    /// Factor by which a mark reduces the window.
    #[inline]
    fn mark_factor(&self) -> f64 {
        Self::LOSS_FACTOR
    }

    /// A loss or a mark has reduced the window, which was `window` packets before.
    fn on_reduction(&mut self, _s: &SenderState, _window: f64) {}

    /// The retransmission timer expired.
    fn on_timeout(&mut self, _s: &mut SenderState) {}

    /// A timeout has reduced the threshold; the window was `window` packets before. Called before [`Self::on_timeout`].
    fn on_collapse(&mut self, _window: f64) {}

    /// The last reduction, for a loss or a timeout, was needless: restore the congestion control's own variables (RFC 9438, section 4.9).
    fn on_undo(&mut self) {}

    /// Show the congestion control's own variables, as [`crate::Sender::gauges`] does.
    fn gauges(&self, _show: &mut dyn FnMut(&'static str, f64)) {}
}

/// Effect of an ACK on the outstanding packets.
#[derive(Debug)]
pub(crate) struct Delivery {
    /// Packets newly delivered.
    pub(crate) newly: u32,
    /// Estimated number of packets in the network after it.
    pub(crate) in_flight: u32,
    /// Packets found lost with it, if losses are detected by time.
    pub(crate) lost: u32,
    /// A recovery is under way.
    pub(crate) recovering: bool,
}

/// `acked` packets were ACKed outside recovery, without an echoed mark: let the window grow if it is used.
#[inline]
pub(crate) fn grow<G: WindowControl>(control: &mut G, s: &mut SenderState, now: Time, ack: &Ack<'_>, acked: u32) {
    if s.uses_window() {
        control.grow(s, now, ack, acked);
    } else {
        control.skip(s.unused_time(now));
    }
}

/// Reno's growth (RFC 5681).
#[derive(Debug, Default)]
pub(crate) struct RenoWindow;

impl WindowControl for RenoWindow {
    const LOSS_FACTOR: f64 = HALF;

    #[inline]
    fn grow(&mut self, s: &mut SenderState, now: Time, _ack: &Ack<'_>, acked: u32) {
        s.grow(now, acked);
    }
}

//! DCTCP: a window that decreases in proportion to the share of marked packets.
//!
//! RFC 8257; section numbers refer to it. Recovery works as in SACK, growth as in Reno (section 3.4).
//!
//! # Algorithm
//! Once per window of data, `alpha <- (1 - g) alpha + g M`, where M is the share of the ACKed packets whose ACKs echo a
//! mark, `g = 1/16`, and `alpha = 1` initially (section 3.3). An echo multiplies the congestion window by `1 -
//! alpha/2`, at most once per window of data. A loss halves the congestion window, whether or not marks have reduced it
//! (section 3.5). The receiver echoes each packet's own mark ([`crate::Receiver`]).
//!
//! # Differences
//! * Packets are counted instead of bytes, and `alpha` is a real number.

use super::window_control::WindowControl;
use crate::packets_and_acks::Ack;
use crate::state::{HALF, SenderState};
use penstock_core::Time;

/// The estimation gain (section 4.2).
const G: f64 = 1.0 / 16.0;

#[derive(Debug)]
pub(crate) struct Dctcp {
    alpha: f64,
    /// The first packet sent after the observation window.
    window_end: u32,
    /// Packets ACKed in the observation window, and the number of marked ones among them.
    acked: u32,
    marked: u32,
}

impl Default for Dctcp {
    fn default() -> Self {
        Self { alpha: 1.0, window_end: 0, acked: 0, marked: 0 }
    }
}

impl WindowControl for Dctcp {
    const LOSS_FACTOR: f64 = HALF;
    const MARK_COVERS_LOSS: bool = false;

    fn observe(&mut self, s: &SenderState, _now: Time, ack: &Ack<'_>, _newly: u32) -> bool {
        let acked = ack.ack - s.una;
        self.acked += acked;
        if ack.ece {
            self.marked += acked;
        }
        if ack.ack > self.window_end {
            let share = f64::from(self.marked) / f64::from(self.acked);
            self.alpha = (1.0 - G) * self.alpha + G * share;
            self.window_end = s.max;
            self.acked = 0;
            self.marked = 0;
        }
        ack.ece
    }

    fn grow(&mut self, s: &mut SenderState, now: Time, _ack: &Ack<'_>, acked: u32) {
        s.grow(now, acked);
    }

    fn mark_factor(&self) -> f64 {
        1.0 - self.alpha / 2.0
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("alpha", self.alpha);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Profile, TcpParams};

    /// `alpha` after each observation window of a sender that always has `WINDOW` packets outstanding, the last
    /// `marked` of which are marked. The first observation window is the first packet.
    fn alphas(marked: u32) -> std::vec::Vec<f64> {
        const WINDOW: u32 = 20;
        let mut machine = SenderState::new(TcpParams::of(Profile::Linux).into());
        let (mut dctcp, mut alphas) = (Dctcp::default(), std::vec::Vec::new());
        for packet in 0..4000 {
            machine.una = packet;
            machine.max = packet + WINDOW;
            let ece = packet % WINDOW >= WINDOW - marked;
            let ack = Ack { ack: packet + 1, stamp: Time::ZERO, ece, ace: 0, sack: &[], retransmission: false };
            dctcp.observe(&machine, Time::ZERO, &ack, 1);
            if packet % WINDOW == 0 {
                alphas.push(dctcp.alpha);
            }
        }
        alphas
    }

    /// `alpha` by the closed form of its recurrence, starting with `first`.
    fn solution(share: f64, first: f64, windows: usize) -> f64 {
        share + (first - share) * (15.0_f64 / 16.0).powi(i32::try_from(windows).expect("few"))
    }

    #[test]
    fn alpha_decays_from_one_while_nothing_is_marked() {
        for (n, alpha) in alphas(0).into_iter().enumerate() {
            assert!((alpha - solution(0.0, 15.0 / 16.0, n)).abs() < 1e-12, "{n}: {alpha}");
        }
    }

    #[test]
    fn alpha_settles_at_the_share_that_is_marked() {
        let seen = alphas(5);
        for (n, alpha) in seen.iter().enumerate() {
            assert!((alpha - solution(0.25, 15.0 / 16.0, n)).abs() < 1e-12, "{n}: {alpha}");
        }
        assert!((seen[199] - 0.25).abs() < 1e-5);
    }
}

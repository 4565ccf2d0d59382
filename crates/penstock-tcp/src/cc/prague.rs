//! Prague: DCTCP for the Internet; its packets carry ECT(1).
//!
//! RFC 9331, section 4 (requirements) and appendix A.2.1 (ECN-capable control packets: `ecn_control`); K. De Schepper, O. Tilmans,
//! B. Briscoe, V. Goel, "Prague Congestion Control", draft-briscoe-iccrg-prague-congestion-control-04, 2024, to which section numbers
//! refer. Recovery works as in SACK; packets are paced.
//!
//! # Algorithm
//! ACKs count the marked packets in three bits ([`super::accurate_ecn`]). Once per virtual round trip, `max(SRTT, VIRTUAL_RTT)`,
//! `alpha <- (1 - g) alpha + g M`, where M is the share of packets marked in it and `g = 1/16`. A mark reduces the window by
//! the factor `1 - alpha/2`, at most once per virtual round trip; at the first mark `alpha` is 1 (2.4.2). The window grows by one
//! packet per round trip, marked or not; if SRTT is below `VIRTUAL_RTT`, by `(SRTT / VIRTUAL_RTT)^2` packets (2.4.4). In steady
//! state `alpha = 2 / cwnd`: two marks per round trip. A loss halves the window.
//!
//! # Differences
//! * There is no fallback to Reno's response at a queue that marks by RFC 3168; the window is never below two packets.
//! * Marked bytes are not counted and the AccECN Option is not sent; only the three-bit counter is.
//! * The slower growth at short round trips (2.4.4) applies from the start of a connection; implementations wait for
//!   500 round trips.
//! * A loss shortly after a mark halves the reduced window; the reduction by the mark is not undone first.

use super::accurate_ecn::Counter;
use super::window_control::WindowControl;
use crate::packets_and_acks::Ack;
use crate::state::{HALF, SenderState};
use penstock_core::{Span, Time};

/// The estimation gain, as in DCTCP (RFC 8257, section 4.2).
const G: f64 = 1.0 / 16.0;
/// Lower bound of the virtual round-trip time (section 2.4.4).
const VIRTUAL_RTT: Span = Span::from_millis(25);

#[derive(Debug)]
pub(crate) struct Prague {
    alpha: f64,
    counter: Counter,
    /// A mark has been received.
    seen: bool,
    /// The observation window ends when a packet sent after this one is ACKed, but not before `until`.
    window_end: u32,
    until: Time,
    acked: u32,
    marked: u32,
    /// No further reduction before this time.
    rests: Time,
}

impl Default for Prague {
    fn default() -> Self {
        Self {
            alpha: 1.0,
            counter: Counter::default(),
            seen: false,
            window_end: 0,
            until: Time::ZERO,
            acked: 0,
            marked: 0,
            rests: Time::ZERO,
        }
    }
}

fn virtual_rtt(s: &SenderState) -> Span {
    s.srtt().unwrap_or(VIRTUAL_RTT).max(VIRTUAL_RTT)
}

impl WindowControl for Prague {
    const LOSS_FACTOR: f64 = HALF;
    const MARK_COVERS_LOSS: bool = false;

    fn observe(&mut self, s: &SenderState, now: Time, ack: &Ack<'_>, newly: u32) -> bool {
        let marked = self.counter.advance(ack.ace, newly, ack.stamp);
        self.acked += newly;
        self.marked += marked;
        self.seen |= marked > 0;
        if ack.ack > self.window_end && now >= self.until {
            if self.seen && self.acked > 0 {
                let share = f64::from(self.marked.min(self.acked)) / f64::from(self.acked);
                self.alpha = (1.0 - G) * self.alpha + G * share;
            }
            self.window_end = s.max;
            self.until = now + virtual_rtt(s);
            self.acked = 0;
            self.marked = 0;
        }
        let cuts = marked > 0 && now >= self.rests && ack.ack > s.recover;
        if cuts {
            self.rests = now + virtual_rtt(s);
        }
        cuts
    }

    fn grow(&mut self, s: &mut SenderState, now: Time, _ack: &Ack<'_>, acked: u32) {
        if s.cwnd < s.ssthresh {
            s.grow(now, acked);
            return;
        }
        let short = s.srtt().map_or(1.0, |srtt| (srtt.as_secs() / VIRTUAL_RTT.as_secs()).min(1.0));
        s.set_cwnd(now, s.cwnd + short * short * f64::from(acked) / s.cwnd);
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
    use crate::params::{Flavour, Profile, TcpParams};

    /// `alpha` after each ACK of a sender that always has `window` packets outstanding, one ACK per millisecond.
    fn alphas(window: u32, is_marked: impl Fn(u32) -> bool) -> std::vec::Vec<f64> {
        let params = TcpParams { flavour: Flavour::Prague, ecn: true, ..TcpParams::of(Profile::Linux) };
        let mut s = SenderState::new(params.into());
        let (mut prague, mut ace) = (Prague::default(), 5_u8);
        let mut alpha_after = |packet: u32| {
            s.una = packet;
            s.max = packet + window;
            ace = (ace + u8::from(is_marked(packet))) % 8;
            let now = Time::from_nanos(u64::from(packet) * 1_000_000);
            let ack = Ack { ack: packet + 1, stamp: Time::ZERO, ece: false, ace, sack: &[], retransmission: false };
            prague.observe(&s, now, &ack, 1);
            prague.alpha
        };
        (0..4000).map(&mut alpha_after).collect()
    }

    #[test]
    fn alpha_follows_its_recurrence_once_a_round_trip() {
        // The first observation window is a single packet, which is marked; then 10 of every 40 packets are marked.
        let seen = alphas(40, |packet| packet % 40 < 10);
        for (n, alpha) in seen.iter().step_by(40).enumerate() {
            let solution = 0.25 + 0.75 * (15.0_f64 / 16.0).powi(i32::try_from(n).expect("few"));
            assert!((alpha - solution).abs() < 1e-12, "{n}: {alpha}");
        }
    }

    #[test]
    fn a_round_trip_below_25_ms_is_observed_for_25_ms() {
        let seen = alphas(10, |packet| packet % 2 == 0);
        let mut alpha = 1.0;
        for n in 0..100 {
            assert!((seen[25 * n] - alpha).abs() < 1e-12, "{n}: {}", seen[25 * n]);
            assert!(n == 0 || (seen[25 * n - 1] - seen[25 * (n - 1)]).abs() < 1e-12, "it stays in between");
            let marked = (25 * n + 1..=25 * (n + 1)).filter(|packet| packet % 2 == 0).count();
            alpha = 15.0 / 16.0 * alpha + marked as f64 / 25.0 / 16.0;
        }
    }

    #[test]
    fn alpha_stays_until_the_first_mark() {
        let seen = alphas(40, |packet| packet >= 1000);
        assert!(seen[..1000].iter().all(|alpha| (alpha - 1.0).abs() < 1e-12));
    }
}

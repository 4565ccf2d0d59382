//! HyStart: leaves slow start before packets are lost.
//!
//! S. Ha, I. Rhee, "Taming the elephants: New TCP slow start", Computer Networks 55(9), 2011.
//!
//! # Algorithm
//! A round begins with the first ACK of a packet sent in it. Once the window has `LOW_WINDOW` packets, slow start ends if
//! * a *train* of ACKs at most `SPACING` apart has lasted from the start of the round for half the minimum round-trip time: the
//!   packets in flight then fill the one-way path, or
//! * the minimum of the first `SAMPLES` round-trip times of the round exceeds the overall minimum by an eighth of that
//!   minimum, clamped to `MIN_RISE ..= MAX_RISE`.
//!
//! # Differences
//! * The bounds of the rise are those of Linux, 4 and 16 ms.
//! * A train is compared with the minimum round-trip time plus the time in which the flow sends four times 64 kB, at most 1 ms,
//!   because receivers ACK merged packets late. If the flow paces, the train must last for all of this time instead of half of
//!   it, because pacing alone spreads ACKs over half a round trip (Linux 6.1; E. Dumazet, "tcp_cubic: tweak Hystart detection
//!   for short RTT flows" and "tcp_cubic: make Hystart aware of pacing", 2019).

use crate::packets_and_acks::Ack;
use crate::state::SenderState;
use penstock_core::{Span, Time};

const LOW_WINDOW: f64 = 16.0;
const SPACING: Span = Span::from_millis(2);
const SAMPLES: u32 = 8;
const MIN_RISE: Span = Span::from_millis(4);
const MAX_RISE: Span = Span::from_millis(16);
/// ACKs may be late by the time in which the flow sends this number of bytes, at most by `MAX_LATENESS`.
const LATE_BYTES: f64 = 4.0 * 65_536.0;
const MAX_LATENESS: Span = Span::from_millis(1);

#[derive(Debug)]
pub(crate) struct HyStart {
    /// The packet whose ACK ends the round.
    round_ends: u32,
    round_began: Time,
    /// Time of the last ACK of the train.
    train_reached: Time,
    least: Span,
    least_of_round: Span,
    samples: u32,
}

impl Default for HyStart {
    fn default() -> Self {
        Self {
            round_ends: 0,
            round_began: Time::ZERO,
            train_reached: Time::ZERO,
            least: Span::from_nanos(u64::MAX),
            least_of_round: Span::from_nanos(u64::MAX),
            samples: 0,
        }
    }
}

impl HyStart {
    /// Process an ACK of new data in slow start. Returns whether slow start ends.
    pub(crate) fn on_ack(&mut self, s: &SenderState, now: Time, ack: &Ack<'_>) -> bool {
        let round_trip = now.since(ack.stamp);
        self.least = self.least.min(round_trip);
        if ack.ack > self.round_ends {
            self.round_ends = s.max;
            self.round_began = now;
            self.train_reached = now;
            self.least_of_round = Span::from_nanos(u64::MAX);
            self.samples = 0;
        }
        if s.cwnd < LOW_WINDOW {
            return false;
        }
        let mut ends = false;
        if now.since(self.train_reached) <= SPACING {
            self.train_reached = now;
            let lasts = now.since(self.round_began) * if s.pacer.is_some() { 1 } else { 2 };
            ends = lasts > self.least + lateness(s);
        }
        if self.samples < SAMPLES {
            self.samples += 1;
            self.least_of_round = self.least_of_round.min(round_trip);
        } else {
            let rise = Span::from_nanos(self.least.as_nanos() / 8).clamp(MIN_RISE, MAX_RISE);
            ends |= self.least_of_round > self.least + rise;
        }
        ends
    }
}

/// The time by which ACKs may be late because the receiver merges packets.
fn lateness(s: &SenderState) -> Span {
    let lateness = s.gap().map_or(0.0, |gap| gap * LATE_BYTES / s.params.packet.0 as f64);
    Span::from_secs(lateness.min(MAX_LATENESS.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Profile, TcpParams};

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// The packet with whose ACK slow start ends: ACKs of one packet each from `first` ms on, `every` ms apart, all with the
    /// round-trip time `rtt`.
    fn ends_at(hystart: &mut HyStart, packets: core::ops::Range<u32>, first: u64, every: u64, rtt: u64) -> Option<u32> {
        ends_in(&TcpParams::of(Profile::Linux), hystart, packets, (first, every, rtt))
    }

    fn ends_in(
        params: &TcpParams,
        hystart: &mut HyStart,
        packets: core::ops::Range<u32>,
        (first, every, rtt): (u64, u64, u64),
    ) -> Option<u32> {
        let mut s = SenderState::new(params.clone().into());
        (s.cwnd, s.max) = (20.0, packets.end);
        packets.clone().find(|packet| {
            let now = first + u64::from(packet - packets.start) * every;
            let ack =
                Ack { ack: packet + 1, stamp: at(now - rtt), ece: false, ace: 0, sack: &[], retransmission: false };
            s.acknowledge(at(now), &ack);
            hystart.on_ack(&s, at(now), &ack)
        })
    }

    #[test]
    fn a_train_of_half_a_round_trip_ends_slow_start() {
        // ACKs 1 ms apart, for more than half of 40 ms plus the maximum lateness: until the ACK after 21 ms.
        assert_eq!(ends_at(&mut HyStart::default(), 0..30, 100, 1, 40), Some(21));
        // For a flow that paces, the train must last for all of 40 ms plus the lateness.
        let paced = TcpParams { pacing: true, ..TcpParams::of(Profile::Linux) };
        assert_eq!(ends_in(&paced, &mut HyStart::default(), 0..50, (100, 1, 40)), Some(42));
        // ACKs 3 ms apart form no train.
        assert_eq!(ends_at(&mut HyStart::default(), 0..30, 100, 3, 40), None);
    }

    #[test]
    fn a_rise_of_the_delay_by_an_eighth_ends_slow_start() {
        let round_of = |rtt| {
            let mut hystart = HyStart::default();
            assert_eq!(ends_at(&mut hystart, 0..10, 100, 3, 80), None);
            ends_at(&mut hystart, 10..30, 200, 3, rtt)
        };
        // The first eight are measured, and the ninth decides.
        assert_eq!(round_of(90), None);
        assert_eq!(round_of(91), Some(18));
    }
}

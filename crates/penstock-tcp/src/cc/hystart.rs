//! HyStart: an end of slow start before packets are lost.
//!
//! S. Ha, I. Rhee, "Taming the elephants: New TCP slow start", Computer Networks 55(9), 2011.
//!
//! # Law
//! A round begins with the first acknowledgement of a packet sent in it. With at least `LOW_WINDOW` packets in the window slow
//! start ends if
//! * a *train* of acknowledgements, no two more than `SPACING` apart, has lasted since the round began for half the least round
//!   trip: as many packets are under way as the path forwards in that time, or
//! * the least of the first `SAMPLES` round trips of the round is above the least of all by an eighth of that, between
//!   `LEAST_RISE` and `MOST_RISE`.
//!
//! # Differences
//! * The bounds of the rise are Linux', 4 to 16 ms.

use crate::wire::Ack;
use penstock_core::{Span, Time};

const LOW_WINDOW: f64 = 16.0;
const SPACING: Span = Span::from_millis(2);
const SAMPLES: u32 = 8;
const LEAST_RISE: Span = Span::from_millis(4);
const MOST_RISE: Span = Span::from_millis(16);

#[derive(Debug)]
pub(crate) struct HyStart {
    /// The packet whose acknowledgement ends the round.
    round_ends: u32,
    round_began: Time,
    /// The last acknowledgement of the train.
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
    /// A new acknowledgement in slow start; `max` is the first packet never sent. Returns whether slow start ends.
    pub(crate) fn on_ack(&mut self, now: Time, ack: &Ack<'_>, cwnd: f64, max: u32) -> bool {
        let round_trip = now.since(ack.stamp);
        self.least = self.least.min(round_trip);
        if ack.ack > self.round_ends {
            self.round_ends = max;
            self.round_began = now;
            self.train_reached = now;
            self.least_of_round = Span::from_nanos(u64::MAX);
            self.samples = 0;
        }
        if cwnd < LOW_WINDOW {
            return false;
        }
        let mut ends = false;
        if now.since(self.train_reached) <= SPACING {
            self.train_reached = now;
            ends = now.since(self.round_began) * 2 > self.least;
        }
        if self.samples < SAMPLES {
            self.samples += 1;
            self.least_of_round = self.least_of_round.min(round_trip);
        } else {
            let rise = Span::from_nanos(self.least.as_nanos() / 8).clamp(LEAST_RISE, MOST_RISE);
            ends |= self.least_of_round > self.least + rise;
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// Acknowledgements of one packet each from `first` ms on, `every` ms apart, with this round trip: at which the start ends.
    fn ends_at(hystart: &mut HyStart, packets: core::ops::Range<u32>, first: u64, every: u64, rtt: u64) -> Option<u32> {
        let max = packets.end;
        packets.clone().find(|packet| {
            let now = first + u64::from(packet - packets.start) * every;
            let ack =
                Ack { ack: packet + 1, stamp: at(now - rtt), ece: false, ace: 0, sack: &[], retransmission: false };
            hystart.on_ack(at(now), &ack, 20.0, max)
        })
    }

    #[test]
    fn a_train_of_half_a_round_trip_ends_slow_start() {
        // 1 ms apart for more than 20 of 40 ms: the acknowledgement after 21 ms.
        assert_eq!(ends_at(&mut HyStart::default(), 0..30, 100, 1, 40), Some(21));
        // 3 ms apart is no train.
        assert_eq!(ends_at(&mut HyStart::default(), 0..30, 100, 3, 40), None);
    }

    #[test]
    fn a_rise_of_the_delay_by_an_eighth_ends_slow_start() {
        let round_of = |rtt| {
            let mut hystart = HyStart::default();
            assert_eq!(ends_at(&mut hystart, 0..10, 100, 3, 80), None);
            ends_at(&mut hystart, 10..30, 200, 3, rtt)
        };
        // The first eight are looked at, the ninth decides.
        assert_eq!(round_of(90), None);
        assert_eq!(round_of(91), Some(18));
    }
}

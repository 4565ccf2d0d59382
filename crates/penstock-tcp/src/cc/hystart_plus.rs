//! HyStart++: slow start that slows down when the delay rises, before it ends.
//!
//! RFC 9406; section numbers refer to it. Constants have the values that section 4.3 recommends.
//!
//! # Algorithm
//! A round begins with the first ACK of a packet sent in it. Conservative slow start begins when the minimum round-trip
//! time of a round, over at least `SAMPLES` samples, exceeds the minimum of the previous round by at least an eighth,
//! clamped to `MIN_RISE ..= MAX_RISE`. In conservative slow start the window grows at a quarter of the rate of slow
//! start. A round-trip time below the one that triggered it resumes slow start; after `ROUNDS` rounds, counting the one
//! that triggered it, congestion avoidance begins (section 4.2). Without pacing, an ACK counts for at most `LIMIT`
//! packets. HyStart++ applies to the first slow start of a connection only (section 4.3).

use super::window_control::WindowControl;
use crate::packets_and_acks::Ack;
use crate::params::Counting;
use crate::state::{HALF, SenderState};
use penstock_core::{Span, Time};

/// MIN_RTT_THRESH, MAX_RTT_THRESH and MIN_RTT_DIVISOR.
const MIN_RISE: Span = Span::from_millis(4);
const MAX_RISE: Span = Span::from_millis(16);
const RISE_DIVISOR: u64 = 8;
/// N_RTT_SAMPLE.
const SAMPLES: u32 = 8;
/// CSS_GROWTH_DIVISOR.
const SLOWER: f64 = 4.0;
/// CSS_ROUNDS.
const ROUNDS: u32 = 5;
/// L, without pacing.
const LIMIT: u32 = 8;

const UNKNOWN: Span = Span::from_nanos(u64::MAX);

/// Conservative slow start.
#[derive(Clone, Copy, Debug)]
struct Conservative {
    baseline: Span,
    rounds: u32,
}

#[derive(Debug)]
pub(crate) struct HyStartPlus {
    /// The packet whose ACK ends the round.
    round_ends: u32,
    last: Span,
    current: Span,
    samples: u32,
    conservative: Option<Conservative>,
    /// Whether the first slow start has ended.
    over: bool,
}

impl Default for HyStartPlus {
    fn default() -> Self {
        Self { round_ends: 0, last: UNKNOWN, current: UNKNOWN, samples: 0, conservative: None, over: false }
    }
}

impl HyStartPlus {
    /// `acked` packets were acknowledged in slow start.
    pub(crate) fn grow(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, acked: u32) {
        if self.over {
            s.grow(now, acked);
            return;
        }
        let counted = if s.params.counting == Counting::Packets { acked } else { 1 };
        let counted = if s.params.pacing { counted } else { counted.min(LIMIT) };
        let step = f64::from(counted) / if self.conservative.is_some() { SLOWER } else { 1.0 };
        s.set_cwnd(now, (s.cwnd + step).min(s.ssthresh));
        self.look(now.since(ack.stamp), ack.ack, s.max);
        if self.over {
            s.ssthresh = s.cwnd;
        }
    }

    /// Slow start has ended with a loss, a mark or a timeout.
    pub(crate) fn end(&mut self) {
        self.over = true;
    }

    fn look(&mut self, round_trip: Span, ack: u32, max: u32) {
        if ack > self.round_ends {
            self.round_ends = max;
            self.last = self.current;
            self.current = UNKNOWN;
            self.samples = 0;
            if let Some(conservative) = &mut self.conservative {
                self.over = conservative.rounds == ROUNDS;
                conservative.rounds += 1;
            }
        }
        self.current = self.current.min(round_trip);
        self.samples += 1;
        if self.samples < SAMPLES {
            return;
        }
        match self.conservative {
            Some(Conservative { baseline, .. }) if self.current < baseline => self.conservative = None,
            None if self.last != UNKNOWN => {
                let rise = Span::from_nanos(self.last.as_nanos() / RISE_DIVISOR).clamp(MIN_RISE, MAX_RISE);
                if self.current >= self.last + rise {
                    self.conservative = Some(Conservative { baseline: self.current, rounds: 1 });
                }
            }
            _ => {}
        }
    }
}

/// Reno's growth, preceded by HyStart++.
#[derive(Debug, Default)]
pub(crate) struct RenoHyStartPlus {
    start: HyStartPlus,
}

impl WindowControl for RenoHyStartPlus {
    const LOSS_FACTOR: f64 = HALF;

    fn grow(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, acked: u32) {
        if s.cwnd < s.ssthresh {
            self.start.grow(s, now, ack, acked);
        } else {
            s.grow(now, acked);
        }
    }

    fn on_reduction(&mut self, _m: &SenderState, _window: f64) {
        self.start.end();
    }

    fn on_timeout(&mut self, _m: &mut SenderState) {
        self.start.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Profile, TcpParams};

    /// A sender in slow start whose rounds of ten packets each take a given time.
    struct Rounds {
        machine: SenderState,
        start: HyStartPlus,
    }

    impl Rounds {
        fn new(pacing: bool) -> Self {
            let params = TcpParams { pacing, initial_window: 10.0, ..TcpParams::of(Profile::Linux) };
            Self { machine: SenderState::new(params.into()), start: HyStartPlus::default() }
        }

        /// Plays one round; returns the growth of the window, in packets.
        fn round(&mut self, millis: u64) -> f64 {
            let before = self.machine.cwnd;
            let first = self.machine.max;
            self.machine.max += 10;
            let now = Time::from_nanos(10_000_000_000);
            let stamp = Time::from_nanos(now.as_nanos() - millis * 1_000_000);
            for ack in first + 1..=first + 10 {
                let ack = Ack { ack, stamp, ece: false, ace: 0, sack: &[], retransmission: false };
                self.start.grow(&mut self.machine, now, &ack, 1);
            }
            self.machine.cwnd - before
        }

        fn is_over(&self) -> bool {
            self.machine.ssthresh <= self.machine.cwnd
        }
    }

    #[test]
    fn a_rise_of_an_eighth_within_4_and_16_ms_slows_the_growth_to_a_quarter() {
        for (before, rise) in [(20, 4), (80, 10), (400, 16)] {
            let mut rounds = Rounds::new(false);
            assert!((rounds.round(before) - 10.0).abs() < 1e-9);
            assert!((rounds.round(before + rise - 1) - 10.0).abs() < 1e-9);
            let mut rounds = Rounds::new(false);
            rounds.round(before);
            // The eighth of ten samples reveals the rise; the two ACKs after it grow the window at a quarter of the
            // rate.
            assert!((rounds.round(before + rise) - 8.5).abs() < 1e-9, "{before} ms");
            assert!((rounds.round(before + rise) - 2.5).abs() < 1e-9);
        }
    }

    #[test]
    fn five_rounds_end_slow_start_and_the_one_it_began_in_is_the_first() {
        let mut rounds = Rounds::new(false);
        rounds.round(80);
        for round in 1..=5 {
            rounds.round(100);
            assert!(!rounds.is_over(), "round {round}");
        }
        rounds.round(100);
        assert!(rounds.is_over());
    }

    #[test]
    fn a_round_trip_below_the_baseline_resumes_slow_start() {
        let mut rounds = Rounds::new(false);
        rounds.round(80);
        rounds.round(100);
        // The first eight ACKs grow the window by a quarter packet each, the other two by one packet each.
        assert!((rounds.round(99) - 4.0).abs() < 1e-9);
        assert!((rounds.round(100) - 10.0).abs() < 1e-9);
    }

    #[test]
    fn an_acknowledgement_counts_for_eight_packets_unless_they_are_paced() {
        let ack = Ack { ack: 20, stamp: Time::ZERO, ece: false, ace: 0, sack: &[], retransmission: false };
        for (pacing, gained) in [(false, 8.0), (true, 20.0)] {
            let mut rounds = Rounds::new(pacing);
            let before = rounds.machine.cwnd;
            rounds.start.grow(&mut rounds.machine, Time::from_nanos(1), &ack, 20);
            assert!((rounds.machine.cwnd - before - gained).abs() < 1e-9);
        }
    }
}

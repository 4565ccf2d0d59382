//! ACK aggregation: packets ACKed in excess of the estimated bandwidth. BBR adds them to its window.
//!
//! P. Jha, "tcp_bbr: adapt cwnd based on ack aggregation estimation", change of Linux 5.1, 2019;
//! draft-cardwell-iccrg-bbr-congestion-control-02, section 4.5.5, for the epochs.
//!
//! # Algorithm
//! An epoch lasts while ACKs are ahead of the estimated bandwidth. A new epoch starts with an ACK if, until then, no
//! more packets were ACKed in the epoch than the bandwidth would have delivered. The allowance is the largest excess of
//! the last five to ten rounds, limited to one window and to the packets delivered in 100 ms.
//!
//! # Differences
//! * Two periods of five rounds, and the limit of 100 ms, are Linux's; the draft takes the maximum of ten rounds and has no limit in
//!   time.

use penstock_core::math::floor;
use penstock_core::{Span, Time};

const WINDOW_ROUNDS: u32 = 5;
const MAX_EXCESS_TIME: Span = Span::from_millis(100);

#[derive(Debug, Default)]
pub(super) struct Aggregation {
    /// Largest excess in the current and in the previous period of five rounds.
    extra: [f64; 2],
    rounds: u32,
    epoch: Time,
    acked: f64,
}

impl Aggregation {
    /// `newly` packets are delivered; `bw` is in packets per second.
    pub(super) fn on_ack(&mut self, now: Time, newly: f64, bw: f64, cwnd: f64, round_starts: bool) {
        self.rounds += u32::from(round_starts);
        if self.rounds >= WINDOW_ROUNDS {
            self.rounds = 0;
            self.extra = [0.0, self.extra[0]];
        }
        let mut expected = floor(bw * now.since(self.epoch).as_secs());
        if self.acked <= expected {
            self.epoch = now;
            self.acked = 0.0;
            expected = 0.0;
        }
        self.acked += newly;
        self.extra[0] = (self.acked - expected).min(cwnd).max(self.extra[0]);
    }

    /// Number of packets that BBR adds to its window.
    pub(super) fn allowance(&self, bw: f64) -> f64 {
        self.extra[0].max(self.extra[1]).min(bw * MAX_EXCESS_TIME.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// 1000 packets a second.
    const BW: f64 = 1000.0;

    #[test]
    fn acknowledgements_of_two_packets_at_the_bandwidth_are_two_ahead() {
        let mut found = Aggregation::default();
        (0..100).for_each(|n| found.on_ack(at(2 * n), 2.0, BW, 1e3, false));
        assert_eq!(found.allowance(BW), 2.0);
    }

    #[test]
    fn a_burst_counts_for_five_to_ten_rounds() {
        let mut found = Aggregation::default();
        // 30 packets are ACKed together after 30 ms without an ACK, then two every 2 ms; a round is 10 ms.
        found.on_ack(at(30), 30.0, BW, 1e3, true);
        assert_eq!(found.allowance(BW), 30.0);
        let mut lasted = 0;
        for n in 0..100 {
            found.on_ack(at(60 + 2 * n), 2.0, BW, 1e3, n % 5 == 0);
            lasted = if found.allowance(BW) >= 30.0 { n / 5 + 1 } else { lasted };
        }
        assert!((5..=10).contains(&lasted), "{lasted} rounds");
        assert_eq!(found.allowance(BW), 2.0);
    }

    #[test]
    fn it_is_at_most_a_window_and_100_ms() {
        let mut found = Aggregation::default();
        found.on_ack(at(0), 500.0, BW, 300.0, true);
        assert_eq!((found.allowance(BW), found.allowance(1e5)), (100.0, 300.0));
    }
}

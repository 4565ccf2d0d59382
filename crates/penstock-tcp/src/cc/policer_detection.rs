//! Detection of a policer by its losses: BBR's long-term bandwidth.
//!
//! N. Cardwell, Y. Cheng, C. S. Gunn, S. Hassas Yeganeh, V. Jacobson, "BBR: Congestion-Based Congestion Control", ACM Queue
//! 14(5), 2016, "Token-Bucket Policers", describes the purpose. No paper or draft prints the numbers; they are the
//! constants `bbr_lt_*` of Linux's BBR (since 4.9). Recordings of Linux 6.1 support them (docs/explanation/linux.md,
//! "BBR").
//!
//! # Algorithm
//! An interval begins and ends with a loss and lasts four to sixteen rounds; one that lasts longer is given up. If at
//! least 50 packets were lost in an interval per 256 delivered, its delivery rate counts. Two successive such rates
//! that differ by at most an eighth, or by 4 kbit/s, reveal a policer: the mean of the two serves as the bandwidth for
//! 48 rounds. Then detection starts again.

use penstock_core::Time;

const SHORTEST_ROUNDS: u32 = 4;
const LONGEST_ROUNDS: u32 = 16;
const LOSS: f64 = 50.0 / 256.0;
const RATIO: f64 = 1.0 / 8.0;
/// Bytes a second.
const DIFFERENCE: f64 = 500.0;
const USED_ROUNDS: u32 = 48;

/// The interval under way.
#[derive(Clone, Copy, Debug)]
struct Interval {
    since: Time,
    delivered: u32,
    lost: u32,
    rounds: u32,
}

#[derive(Debug, Default)]
pub(super) struct Policer {
    interval: Option<Interval>,
    /// Delivery rate of the previous interval in packets per second, or the policer's rate once it is detected.
    rate: f64,
    /// Rounds for which the policer's rate has been used.
    used: Option<u32>,
    lost: u32,
}

/// Input from an ACK.
#[derive(Clone, Copy, Debug)]
pub(super) struct PolicerInput {
    /// Packets delivered since the start of the connection, and packets found lost with this ACK.
    pub(super) delivered: u32,
    pub(super) lost: u32,
    pub(super) round_starts: bool,
    /// Whether the sender deliberately held back, so that measured rates are too low.
    pub(super) limited: bool,
    /// Whether BBR probes for bandwidth; only such rounds count towards the 48.
    pub(super) probing: bool,
}

impl Policer {
    /// The policer's rate in packets per second, while it is used.
    pub(super) fn rate(&self) -> Option<f64> {
        self.used.map(|_| self.rate)
    }

    /// Process an ACK; returns whether the policer's rate has been used long enough. `packet`: bytes per packet.
    pub(super) fn on_ack(&mut self, now: Time, input: PolicerInput, packet: f64) -> bool {
        self.lost = self.lost.wrapping_add(input.lost);
        if let Some(used) = &mut self.used {
            *used += u32::from(input.probing && input.round_starts);
            let over = *used >= USED_ROUNDS;
            if over {
                self.begin_anew();
            }
            return over;
        }
        if self.interval.is_none() && input.lost > 0 {
            self.begin(now, input.delivered);
        }
        let Some(interval) = &mut self.interval else { return false };
        interval.rounds += u32::from(input.round_starts);
        let interval = *interval;
        if input.limited || interval.rounds > LONGEST_ROUNDS {
            self.begin_anew();
        } else if interval.rounds >= SHORTEST_ROUNDS && input.lost > 0 {
            self.end(now, interval, input.delivered, packet);
        }
        false
    }

    fn begin_anew(&mut self) {
        (self.interval, self.rate, self.used) = (None, 0.0, None);
    }

    fn begin(&mut self, now: Time, delivered: u32) {
        self.interval = Some(Interval { since: now, delivered, lost: self.lost, rounds: 0 });
    }

    fn end(&mut self, now: Time, interval: Interval, delivered: u32, packet: f64) {
        let all = f64::from(delivered.wrapping_sub(interval.delivered));
        let lost = f64::from(self.lost.wrapping_sub(interval.lost));
        let seconds = now.since(interval.since).as_secs();
        if all == 0.0 || lost < LOSS * all || seconds < 1e-3 {
            return;
        }
        let (rate, before) = (all / seconds, self.rate);
        let apart = (rate - before).abs();
        if before > 0.0 && (apart <= RATIO * before || apart * packet <= DIFFERENCE) {
            self.rate = f64::midpoint(rate, before);
            (self.interval, self.used) = (None, Some(0));
        } else {
            self.rate = rate;
            self.begin(now, delivered);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round of 10 ms in which `lost` of 100 packets are lost, detected with the ACK that starts it.
    fn round(policer: &mut Policer, number: u32, lost: u32) {
        for part in 0..10 {
            let now = Time::from_nanos(u64::from(number * 10 + part) * 1_000_000);
            let lost = if part == 0 { lost } else { 0 };
            let delivered = number * 100 + part * 10;
            let input = PolicerInput { delivered, lost, round_starts: part == 0, limited: false, probing: true };
            policer.on_ack(now, input, 1500.0);
        }
    }

    #[test]
    fn two_intervals_of_like_rates_and_heavy_loss_are_a_policer() {
        let mut found = Policer::default();
        (0..5).for_each(|n| round(&mut found, n, 20));
        assert_eq!(found.rate(), None, "one interval, from the first loss to the first one four rounds later");
        (5..9).for_each(|n| round(&mut found, n, 20));
        // 100 packets each 10 ms.
        assert!((found.rate().expect("a policer") - 10_000.0).abs() < 1.0);
    }

    #[test]
    fn less_loss_is_none() {
        let mut found = Policer::default();
        (0..100).for_each(|n| round(&mut found, n, 19));
        assert_eq!(found.rate(), None);
    }

    #[test]
    fn its_rate_is_used_for_48_rounds_of_probing() {
        let mut found = Policer::default();
        let used = (0..200).map(|n| {
            round(&mut found, n, if n < 9 { 20 } else { 0 });
            found.rate().is_some()
        });
        assert_eq!(used.filter(|&used| used).count(), 48);
    }
}

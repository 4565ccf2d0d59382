//! The queue law: the mean queue of N long TCP flows at a router that drops or marks with a constant probability.
//! J. Chung, M. Claypool, "Analysis of RED-Family Active Queue Management", 2003; numbers of
//! equations refer to it.
//!
//! Arrivals N W(p) / (RTLD + q / SR) minus drops equal the service rate (equation 1), so (equation 2)
//!
//! q = N W(p_d + p_m) / (1 + p_d) - RTLD SR, 0 if negative.
//!
//! p_d is the share of drops and p_m the share of marks; W is the mean window of [`crate::padhye`].
//!
//! # Forms
//!
//! [`Windows`] and [`Balance`] default to the paper's form. For drops, timeouts with T_0 = max(min RTO, R) and the
//! exact balance are closer to simulations: `docs/explanation/queue-law.md` compares the two forms.
//!
//! * The paper measures the dropped load against SR, L - p_d = 1; [`Balance::Exact`] has L (1 - p_d) = 1.
//! * The paper's windows have no timeouts. [`Windows::WithTimeouts`] has the full model for drops; a mark never
//!   causes a timeout. T_0 is at least `round_trips` times R = RTLD + q / SR. By RFC 6298 RTO = SRTT + 4 RTTVAR. In a
//!   steady queue RTTVAR is small, and RTO is about one R.

use crate::bisection;
use crate::padhye::{self, Path};
use penstock_core::math;

/// The action of the router on the selected packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// p_m = 0.
    Drop,
    /// p_d = 0.
    Mark,
}

/// The formula of the flows' mean window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Windows {
    /// Without timeouts: the paper's theory.
    #[default]
    WithoutTimeouts,
    /// With timeouts caused by drops: T_0 = max(`min_rto`, `round_trips` R).
    WithTimeouts {
        /// The minimum retransmission timeout in seconds.
        min_rto: f64,
        /// The minimum T_0 in round trips.
        round_trips: f64,
    },
}

/// How the dropped load is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Balance {
    /// L - p_d = 1, equation 1.
    #[default]
    Paper,
    /// L (1 - p_d) = 1.
    Exact,
}

/// A router and the flows through it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueLaw {
    /// RTLD: round-trip delay of the links in seconds. Above 0.
    pub rtld: f64,
    /// SR: service rate in packets per second. Above 0.
    pub service_rate: f64,
    /// b: packets per ACK.
    pub b: f64,
    /// Limit of each window in packets; infinite for none.
    pub window_limit: f64,
    /// Drops or marks.
    pub signal: Signal,
    /// The flows' windows.
    pub windows: Windows,
    /// How the dropped load is counted.
    pub balance: Balance,
}

/// An intersection of the law and a scheme's control function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Mean queue in packets.
    pub queue: f64,
    /// The probability that the flows need for it.
    pub probability: f64,
    /// The control function jumps over that probability there, so the queue swings about it.
    pub at_jump: bool,
}

impl QueueLaw {
    /// W: mean window of a flow at the probability `p` and a queue of `q` packets.
    pub fn window(&self, p: f64, q: f64) -> f64 {
        let rtt = self.rtld + q / self.service_rate;
        let (timeout, timeouts) = match (self.signal, self.windows) {
            (Signal::Drop, Windows::WithTimeouts { min_rto, round_trips }) => (min_rto.max(round_trips * rtt), true),
            _ => (0.0, false),
        };
        let path = Path { rtt, timeout, b: self.b, window_limit: self.window_limit };
        padhye::mean_window(p, &path, timeouts)
    }

    /// The number of flows that have a mean queue of `q` packets at the probability `p`: (RTLD SR + q) / (W / (1 +
    /// p_d)).
    pub fn flows(&self, q: f64, p: f64) -> f64 {
        (self.rtld * self.service_rate + q) / (self.window(p, q) * self.accepted(p))
    }

    /// Equation 2: the mean queue of `flows` flows at the probability `p`, 0 .. 1; infinite at 0 without a limit of the
    /// window.
    pub fn queue(&self, flows: f64, p: f64) -> f64 {
        let excess = |q: f64| flows * self.window(p, q) * self.accepted(p) - self.rtld * self.service_rate - q;
        let at_empty = excess(0.0);
        if at_empty <= 0.0 || at_empty.is_infinite() {
            return at_empty.max(0.0);
        }
        // the window depends on q through T_0 / R only, and is never above that without timeouts
        let without = Self { windows: Windows::WithoutTimeouts, ..*self };
        let highest = flows * without.window(p, 0.0) * self.accepted(p) - self.rtld * self.service_rate;
        bisection::between(0.0, highest, excess).unwrap_or(highest)
    }

    /// The inverse of [`Self::queue`]: the probability that holds the queue of `flows` flows at `q` packets, the
    /// smaller one of two; `None` if the queue is longer even at a probability of 1, or shorter even at 1e-9.
    pub fn probability(&self, flows: f64, q: f64) -> Option<f64> {
        padhye::falling(1e-9, self.window_limit, self.b, |p| flows - self.flows(q, p))
    }

    /// The intersection of the law with `control`, the probability of a scheme at a mean queue of 0 .. `top` packets,
    /// which must not fall. `None` if the queue is longer than `top` even then.
    pub fn crossing(&self, flows: f64, control: impl Fn(f64) -> f64, top: f64) -> Option<Crossing> {
        // The flows that would hold this queue minus the actual ones: negative while the queue grows.
        let short = |q: f64| self.flows(q, control(q).clamp(0.0, 1.0)) - flows;
        if short(top) < 0.0 {
            return None;
        }
        if short(0.0) >= 0.0 {
            let probability = control(0.0).clamp(0.0, 1.0);
            return Some(Crossing { queue: 0.0, probability, at_jump: false });
        }
        let queue = bisection::between(0.0, top, short)?;
        let around = queue * 1e-9 + 1e-12;
        let at_jump = control(queue + around) - control((queue - around).max(0.0)) > 1e-6;
        let probability = self.probability(flows, queue)?;
        Some(Crossing { queue, probability, at_jump })
    }

    /// The largest number of flows that a control function holds below `top` packets, when its probability rises to `p`
    /// just below: one more meets it at or above the top.
    pub fn largest_flows(&self, top: f64, p: f64) -> f64 {
        math::floor(self.flows(top, p))
    }

    /// The fraction of the offered load that the signal leaves.
    fn accepted(&self, p: f64) -> f64 {
        match (self.signal, self.balance) {
            (Signal::Mark, _) => 1.0,
            (Signal::Drop, Balance::Paper) => 1.0 / (1.0 + p),
            (Signal::Drop, Balance::Exact) => 1.0 - p,
        }
    }
}

/// RED's control function at the average `q`; strict, or with the gentle ramp that ends at `gentle_top`.
pub fn red(q: f64, min_th: f64, max_th: f64, max_p: f64, gentle_top: Option<f64>) -> f64 {
    match gentle_top {
        _ if q < min_th => 0.0,
        _ if q < max_th => max_p * (q - min_th) / (max_th - min_th),
        Some(top) if q < top => max_p + (1.0 - max_p) * (q - max_th) / (top - max_th),
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: Windows = Windows::WithTimeouts { min_rto: 0.2, round_trips: 1.0 };

    /// Without timeouts, the paper's form; with timeouts, the exact balance.
    fn law(signal: Signal, windows: Windows) -> QueueLaw {
        QueueLaw {
            rtld: 0.08,
            service_rate: 2500.0,
            b: 1.0,
            window_limit: f64::INFINITY,
            signal,
            windows,
            balance: if windows == Windows::default() { Balance::default() } else { Balance::Exact },
        }
    }

    /// p, then queues of 100, 200 and 300 flows: marks, drops in the paper's theory, drops with timeouts and the exact
    /// balance. Computed independently of this code.
    type Line = (f64, [f64; 3], [f64; 3], [f64; 3]);

    const TABLE: [Line; 6] = [
        (0.01, [1006.0, 2213.0, 3419.0], [994.0, 2189.0, 3383.0], [970.0, 2141.0, 3311.0]),
        (0.02, [649.0, 1499.0, 2348.0], [633.0, 1466.0, 2298.0], [601.0, 1402.0, 2204.0]),
        (0.05, [334.0, 867.0, 1401.0], [308.0, 817.0, 1325.0], [262.0, 732.0, 1198.0]),
        (0.10, [175.0, 550.0, 925.0], [141.0, 482.0, 823.0], [47.0, 383.0, 675.0]),
        (0.20, [62.0, 325.0, 587.0], [19.0, 237.0, 456.0], [0.0, 45.0, 282.0]),
        (0.50, [0.0, 119.0, 278.0], [0.0, 12.0, 119.0], [f64::NAN, f64::NAN, f64::NAN]),
    ];

    #[test]
    fn queues_are_those_of_the_table() {
        let laws = [law(Signal::Mark, FULL), law(Signal::Drop, Windows::WithoutTimeouts), law(Signal::Drop, FULL)];
        for (p, marks, drops, timeouts) in TABLE {
            for (law, row) in laws.iter().zip([marks, drops, timeouts]) {
                for (flows, wanted) in [100.0, 200.0, 300.0].into_iter().zip(row) {
                    let found = law.queue(flows, p);
                    // rounded to whole packets
                    assert!(wanted.is_nan() || (found - wanted).abs() <= 0.51, "{found} for {wanted}: {law:?}, {p}");
                }
            }
        }
    }

    #[test]
    fn the_inverse_gives_the_probability_back() {
        for law in [law(Signal::Mark, FULL), law(Signal::Drop, FULL)] {
            for p in [0.001, 0.02, 0.15] {
                let q = law.queue(250.0, p);
                assert!((law.probability(250.0, q).unwrap() / p - 1.0).abs() < 1e-9);
                assert!((law.flows(q, p) / 250.0 - 1.0).abs() < 1e-9);
            }
        }
        // each flow keeps one packet in flight
        assert_eq!(law(Signal::Mark, FULL).probability(3000.0, 0.0), None);
    }

    /// Thresholds 100 and 300, max_p 0.1.
    fn strict(q: f64) -> f64 {
        red(q, 100.0, 300.0, 0.1, None)
    }

    fn meet(law: &QueueLaw, flows: f64) -> Option<(f64, f64)> {
        let crossing = law.crossing(flows, strict, 500.0).unwrap();
        (!crossing.at_jump).then_some((crossing.queue, crossing.probability))
    }

    #[test]
    fn operating_points_of_red_are_those_worked_out() {
        let (marks, drops) = (law(Signal::Mark, FULL), law(Signal::Drop, FULL));
        let expected = [
            (&marks, 50.0, 157.0, 0.028),
            (&marks, 100.0, 244.0, 0.072),
            (&drops, 50.0, 149.0, 0.025),
            (&drops, 100.0, 216.0, 0.058),
            (&drops, 150.0, 276.0, 0.088),
        ];
        for (law, flows, queue, probability) in expected {
            let (q, p) = meet(law, flows).unwrap();
            assert!((q - queue).abs() < 0.6 && (p - probability).abs() < 6e-4, "{q}, {p} for {queue}, {probability}");
            assert!((strict(q) - p).abs() < 1e-9);
        }
        assert_eq!((meet(&marks, 150.0), meet(&drops, 200.0)), (None, None));
        assert!((marks.probability(150.0, 300.0).unwrap() - 0.126).abs() < 6e-4);
    }

    /// Simulated queues of gentle RED with 50, 100, 150 and 200 flows, drops that are not spaced, and a minimum timeout
    /// of 0.2 s.
    #[test]
    fn the_exact_form_has_the_queues_of_simulations() {
        let gentle = |q: f64| red(q, 100.0, 300.0, 0.1, Some(600.0));
        for (flows, simulated) in [(50.0, 149.0), (100.0, 215.0), (150.0, 272.0), (200.0, 304.0)] {
            let found = law(Signal::Drop, FULL).crossing(flows, gentle, 500.0).unwrap();
            assert!((found.queue / simulated - 1.0).abs() < 0.02, "{} for {simulated}", found.queue);
        }
    }

    /// The bounds are the paper's: 150 flows are stable in its simulation, and about 200 by its law. With ECN fewer
    /// than 150 are stable.
    #[test]
    fn red_holds_between_150_and_200_flows_by_drops_and_fewer_than_150_by_marks() {
        assert_eq!(law(Signal::Drop, FULL).largest_flows(300.0, 0.1), 171.0);
        assert_eq!(law(Signal::Mark, FULL).largest_flows(300.0, 0.1), 133.0);
        // the paper's own theory, without timeouts, gives less than 150 for drops
        assert_eq!(law(Signal::Drop, Windows::WithoutTimeouts).largest_flows(300.0, 0.1), 146.0);
        for law in [law(Signal::Mark, FULL), law(Signal::Drop, FULL)] {
            let n = law.largest_flows(300.0, 0.1);
            assert!(meet(&law, n).is_some() && meet(&law, n + 1.0).is_none(), "{n}");
        }
    }

    #[test]
    fn a_gentle_ramp_meets_the_law_beyond_max_th() {
        let gentle = |q: f64| red(q, 100.0, 300.0, 0.1, Some(600.0));
        let found = law(Signal::Drop, FULL).crossing(250.0, gentle, 500.0).unwrap();
        assert!(!found.at_jump && (found.queue - 318.0).abs() < 0.51);
        assert!((gentle(found.queue) - found.probability).abs() < 1e-9);
        // too few flows to fill the link, and more than the control holds
        let few = QueueLaw { window_limit: 50.0, ..law(Signal::Drop, FULL) }.crossing(2.0, gentle, 500.0).unwrap();
        assert_eq!((few.queue, few.probability), (0.0, 0.0));
        assert_eq!(law(Signal::Mark, FULL).crossing(300.0, |_| 0.05, 500.0), None);
    }

    #[test]
    fn adaptive_red_needs_the_probabilities_worked_out() {
        let drops = [(100.0, 0.061), (200.0, 0.150), (300.0, 0.223), (400.0, 0.279)];
        let marks = [(100.0, 0.088), (200.0, 0.333), (300.0, 0.670)];
        for (signal, rows) in [(Signal::Drop, &drops[..]), (Signal::Mark, &marks[..])] {
            for &(flows, wanted) in rows {
                let found = law(signal, FULL).probability(flows, 200.0).unwrap();
                assert!((found - wanted).abs() < 6e-4, "{found} for {wanted}: {signal:?}, {flows}");
            }
        }
    }

    #[test]
    fn marks_need_more_than_drops_and_the_gap_grows_faster_than_the_flows() {
        let p = |signal, flows| law(signal, FULL).probability(flows, 500.0).unwrap();
        let gap = |flows| p(Signal::Mark, flows) - p(Signal::Drop, flows);
        // claim c11, at 500 packets
        for (flows, wanted) in [(100.0, 0.004), (200.0, 0.037), (300.0, 0.116)] {
            assert!((gap(flows) - wanted).abs() < 6e-4, "{} for {wanted}, N = {flows}", gap(flows));
        }
        assert!(gap(300.0) - gap(200.0) > gap(200.0) - gap(100.0));
    }

    #[test]
    fn one_packet_a_flow_is_left_when_all_are_marked() {
        // claim c12: W(1) = 1, so N - RTLD SR, with RTLD SR = 200
        for (flows, wanted) in [(100.0, 0.0), (200.0, 0.0), (300.0, 100.0)] {
            assert!((law(Signal::Mark, FULL).queue(flows, 1.0) - wanted).abs() < 1e-9);
        }
    }

    #[test]
    fn limited_windows_trade_flows_for_window() {
        let limited = |w| QueueLaw { window_limit: w, ..law(Signal::Drop, FULL) };
        // claim c08: 700 flows of 12 packets and 1300 of 6 have the same queue at p = 0.01
        let (twelve, six) = (limited(12.0).queue(700.0, 0.01), limited(6.0).queue(1300.0, 0.01));
        assert!((twelve / six - 1.0).abs() < 0.1, "{twelve}, {six}");
        // claim c09: 3000 packets need .052 and .125
        let (twelve, six) =
            (limited(12.0).probability(700.0, 3000.0).unwrap(), limited(6.0).probability(1300.0, 3000.0).unwrap());
        assert!((twelve - 0.052).abs() < 6e-4 && (six - 0.125).abs() < 6e-4, "{twelve}, {six}");
        assert_eq!(limited(6.0).queue(300.0, 0.0), 1600.0);
    }

    #[test]
    fn the_exact_balance_has_less_queue() {
        let exact = QueueLaw { balance: Balance::Exact, ..law(Signal::Drop, Windows::WithoutTimeouts) };
        let window = exact.window(0.1, 0.0);
        assert!((exact.queue(200.0, 0.1) - (200.0 * window * 0.9 - 200.0)).abs() < 1e-9);
        assert!(exact.queue(200.0, 0.1) < law(Signal::Drop, Windows::WithoutTimeouts).queue(200.0, 0.1));
        // accepted and served balance
        let (q, p) = (exact.queue(200.0, 0.1), 0.1);
        let arrivals = 200.0 * window / (0.08 + q / 2500.0);
        assert!((arrivals * (1.0 - p) / 2500.0 - 1.0).abs() < 1e-12);
    }
}

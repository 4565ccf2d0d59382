//! Losses of a link itself, in front of its queue.

use crate::correlated::CorrelatedChance;
use crate::spec::{ChanceSpec, GilbertSpec, LossSpec, StatesSpec};
use penstock_core::Rng;
use std::collections::VecDeque;

/// Loss model of a link.
pub enum Loss {
    /// Each packet is lost with this probability.
    Rate(f64, Box<Rng>),
    /// The arrivals with these numbers, in ascending order, are lost; and the number of arrivals so far.
    Arrivals(VecDeque<u64>, u64),
    /// Packets are lost in bursts.
    Gilbert(Box<Gilbert>),
    /// Packets are lost with a probability; correlated numbers decide.
    Correlated(Box<Correlated>),
    /// Packets are lost in two of four states.
    States(Box<States>),
}

/// Losses with a probability, decided by correlated numbers.
pub struct Correlated(CorrelatedChance);

impl Loss {
    /// The loss model of the link called `link`.
    pub fn new(spec: &LossSpec, seed: u64, link: &str) -> Self {
        let rng = || Rng::stream(seed, format_args!("{link}.loss"));
        match spec {
            LossSpec::Rate(p) => Self::Rate(*p, Box::new(rng())),
            LossSpec::Arrivals(numbers) => {
                let mut numbers = numbers.clone();
                numbers.sort_unstable();
                numbers.dedup();
                Self::Arrivals(numbers.into(), 0)
            }
            LossSpec::Gilbert(spec) => Self::Gilbert(Box::new(Gilbert::new(*spec, rng()))),
            LossSpec::Correlated(ChanceSpec { rate, correlation }) => {
                Self::Correlated(Box::new(Correlated(CorrelatedChance::new(*rate, *correlation, rng()))))
            }
            LossSpec::States(spec) => Self::States(Box::new(States::new(*spec, rng()))),
        }
    }

    /// Whether the packet that arrives now is lost.
    pub fn loses(&mut self) -> bool {
        match self {
            Self::Rate(p, rng) => rng.chance(*p),
            Self::Arrivals(lost, seen) => {
                let number = *seen;
                *seen += 1;
                let hit = lost.front() == Some(&number);
                if hit {
                    lost.pop_front();
                }
                hit
            }
            Self::Gilbert(channel) => channel.loses(),
            Self::Correlated(chance) => chance.0.happens(),
            Self::States(states) => states.loses(),
        }
    }
}

/// The channel of Gilbert and Elliott: a Markov chain of two states, good and bad, that takes a step after each packet.
/// It starts in its stationary distribution, in which it is bad with probability p / (p + r).
///
/// E. N. Gilbert, "Capacity of a Burst-Noise Channel", Bell System Technical Journal 39, 1960 (nothing lost in the good
/// state); E. O. Elliott, "Estimates of Error Rates for Codes on Burst-Noise Channels", ibid. 42, 1963.
pub struct Gilbert {
    spec: GilbertSpec,
    is_bad: bool,
    rng: Rng,
}

impl Gilbert {
    fn new(spec: GilbertSpec, mut rng: Rng) -> Self {
        let is_bad = rng.chance(spec.p / (spec.p + spec.r));
        Self { spec, is_bad, rng }
    }

    fn loses(&mut self) -> bool {
        let GilbertSpec { p, r, good, bad } = self.spec;
        let (loss, leave) = if self.is_bad { (bad, r) } else { (good, p) };
        let lost = self.rng.chance(loss);
        self.is_bad ^= self.rng.chance(leave);
        lost
    }
}

/// The Markov chain of four states, netem's `loss state`: it takes a step after each packet, and starts in its stationary
/// distribution.
///
/// S. Salsano, F. Ludovici, A. Ordine, D. Giannuzzi, "Definition of a general and intuitive loss model for packet networks and
/// its implementation in the Netem module in the Linux kernel", 2009; tc-netem(8).
pub struct States {
    spec: StatesSpec,
    state: State,
    rng: Rng,
}

/// The states, with their numbers in the paper.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// 1: reception.
    Good,
    /// 2: reception within a burst of losses.
    GoodInBurst,
    /// 3: loss in a burst.
    Burst,
    /// 4: isolated loss.
    Isolated,
}

impl States {
    fn new(spec: StatesSpec, mut rng: Rng) -> Self {
        let StatesSpec { p13, p31, p32, p23, p14 } = spec;
        // Relative to state 1: the flows from and to each state are equal.
        let burst = p13 / p31;
        let weights = [
            (State::Good, 1.0),
            (State::GoodInBurst, burst * p32 / p23),
            (State::Burst, burst),
            (State::Isolated, p14),
        ];
        let mut rest = rng.uniform() * weights.iter().map(|(_, weight)| weight).sum::<f64>();
        let mut state = State::Good;
        for (next, weight) in weights {
            state = next;
            rest -= weight;
            if rest < 0.0 {
                break;
            }
        }
        Self { spec, state, rng }
    }

    fn loses(&mut self) -> bool {
        let StatesSpec { p13, p31, p32, p23, p14 } = self.spec;
        let lost = matches!(self.state, State::Burst | State::Isolated);
        let u = self.rng.uniform();
        self.state = match self.state {
            State::Good if u < p13 => State::Burst,
            State::Good if u < p13 + p14 => State::Isolated,
            State::GoodInBurst if u < p23 => State::Burst,
            State::Burst if u < p31 => State::Good,
            State::Burst if u < p31 + p32 => State::GoodInBurst,
            State::Isolated => State::Good,
            state => state,
        };
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKETS: usize = 1_000_000;

    fn losses(spec: GilbertSpec) -> Vec<bool> {
        let mut loss = Loss::new(&LossSpec::Gilbert(spec), 1, "link");
        (0..PACKETS).map(|_| loss.loses()).collect()
    }

    fn share(losses: &[bool]) -> f64 {
        losses.iter().filter(|&&lost| lost).count() as f64 / losses.len() as f64
    }

    #[test]
    fn the_listed_arrivals_are_lost() {
        let mut loss = Loss::Arrivals(VecDeque::from([1, 3]), 0);
        assert_eq!([(); 5].map(|()| loss.loses()), [false, true, false, true, false]);
    }

    /// The mean is p / (p + r). The correlation (1 - p - r)^k at distance k multiplies the variance of the sample mean
    /// by (2 - p - r) / (p + r), compared with independent draws.
    #[test]
    fn the_mean_loss_is_that_of_the_stationary_chain() {
        for (p, r, good, bad) in [(0.01, 0.3, 0.0, 1.0), (0.02, 0.1, 0.0, 1.0), (0.05, 0.2, 0.01, 0.5)] {
            let pi = p / (p + r);
            let mean = (1.0 - pi) * good + pi * bad;
            let variance = mean * (1.0 - mean) * (2.0 - p - r) / (p + r) / PACKETS as f64;
            let error = (share(&losses(GilbertSpec { p, r, good, bad })) - mean).abs();
            assert!(error < 4.0 * variance.sqrt(), "p {p}, r {r}: {error} off {mean}");
        }
    }

    /// For the lengths of loss runs, P(run = k) = r (1 - r)^(k - 1); for the runs between losses, the same with p.
    #[test]
    fn runs_are_geometric() {
        let (p, r) = (0.05, 0.25);
        let losses = losses(GilbertSpec { p, r, good: 0.0, bad: 1.0 });
        for (state, leave) in [(true, r), (false, p)] {
            let runs: Vec<usize> =
                losses.chunk_by(|a, b| a == b).filter(|run| run[0] == state).map(<[bool]>::len).collect();
            let n = runs.len() as f64;
            let mean = runs.iter().sum::<usize>() as f64 / n;
            let sd = (1.0_f64 - leave).sqrt() / leave;
            assert!((mean - 1.0 / leave).abs() < 4.0 * sd / n.sqrt(), "{mean} instead of {}", 1.0 / leave);
            for k in 1..8 {
                let expected = leave * (1.0 - leave).powi(k - 1);
                let found = runs.iter().filter(|&&run| run == k as usize).count() as f64 / n;
                assert!((found - expected).abs() < 4.0 * (expected / n).sqrt(), "runs of {k}: {found}, {expected}");
            }
        }
    }

    #[test]
    fn two_states_of_the_same_loss_are_a_coin() {
        let losses = losses(GilbertSpec { p: 0.1, r: 0.1, good: 0.2, bad: 0.2 });
        let pairs = losses.windows(2).filter(|pair| pair[0] && pair[1]).count() as f64 / (PACKETS - 1) as f64;
        assert!((pairs - 0.04).abs() < 4.0 * (0.04_f64 / PACKETS as f64).sqrt(), "{pairs}");
    }

    /// The stationary loss of the four states is (p13 p23 + p14 p23 p31) / (p13 (p23 + p32) + p23 p31 (1 + p14)).
    #[test]
    fn the_mean_loss_of_four_states_is_that_of_the_stationary_chain() {
        for (p13, p31, p32, p23, p14) in
            [(0.02, 0.3, 0.2, 0.5, 0.01), (0.05, 0.95, 0.0, 1.0, 0.0), (0.01, 0.2, 0.5, 0.1, 0.03)]
        {
            let mean = (p13 * p23 + p14 * p23 * p31) / (p13 * (p23 + p32) + p23 * p31 * (1.0 + p14));
            let mut loss = Loss::new(&LossSpec::States(StatesSpec { p13, p31, p32, p23, p14 }), 1, "link");
            let share = (0..PACKETS).filter(|_| loss.loses()).count() as f64 / PACKETS as f64;
            assert!((share / mean - 1.0).abs() < 0.05, "{share}, not {mean}");
        }
    }

    /// Without states 2 and 4 and with p31 = 1 - p13, losses are independent; with p14 alone no two losses are adjacent.
    #[test]
    fn special_cases_of_four_states() {
        let losses = |p13: f64, p31: f64, p14: f64| {
            let spec = StatesSpec { p13, p31, p32: 0.0, p23: 1.0, p14 };
            let mut loss = Loss::new(&LossSpec::States(spec), 1, "link");
            (0..PACKETS).map(|_| loss.loses()).collect::<Vec<bool>>()
        };
        let pairs = |losses: &[bool]| losses.windows(2).filter(|pair| pair[0] && pair[1]).count() as f64;
        let coin = losses(0.1, 0.9, 0.0);
        assert!((share(&coin) - 0.1).abs() < 0.002 && (pairs(&coin) / PACKETS as f64 - 0.01).abs() < 0.0005);
        let isolated = losses(0.0, 1.0, 0.1);
        assert_eq!(pairs(&isolated), 0.0);
        assert!((share(&isolated) - 0.1 / 1.1).abs() < 0.002);
    }
}

//! Jitter: a random part of the propagation delay of each packet.
//!
//! The distributions are those of netem, tc-netem(8). The man page names them but gives no numbers; the numbers here
//! are taken from the tables that iproute2 installs (`/usr/lib/tc/*.dist`). Their 4096 entries are quantiles; 8192 is
//! one deviation:
//!
//! * normal: mean 0 and variance 1, cut off at 4 deviations;
//! * pareto: (x - 3/2) / (3/4), at most 4, where x has the tail x^-3 from 1 on: median -0.32, standard deviation 0.82;
//! * paretonormal: at each probability a quarter of the normal's quantile and three quarters of the Pareto's.

use crate::correlated::CorrelatedNumbers;
use crate::spec::{DeviationSpec, Distribution, Draw, JitterSpec};
use penstock_core::{Rng, Span, math, normal};

/// Largest distance from the mean in deviations, as in the tables.
const MAX_DEVIATIONS: f64 = 4.0;

/// The jitter of a link.
pub(crate) enum Jitter {
    /// A delay added to each packet, which keeps the order.
    Added(Draw, Rng),
    /// A delay around that of the link.
    Around { spec: DeviationSpec, numbers: CorrelatedNumbers },
}

/// A delay, and whether packets with it keep their order.
pub(crate) struct Delay {
    pub(crate) delay: Span,
    pub(crate) keeps_order: bool,
}

impl Jitter {
    /// The jitter of these settings, drawn from this stream.
    pub(crate) fn new(spec: &JitterSpec, rng: Rng) -> Self {
        match spec {
            JitterSpec::Added(draw) => Self::Added(draw.clone(), rng),
            JitterSpec::Around(spec) => {
                Self::Around { spec: *spec, numbers: CorrelatedNumbers::new(spec.correlation, rng) }
            }
        }
    }

    /// The delay of the next packet on a link of this propagation delay; at least 0.
    pub(crate) fn delay(&mut self, propagation: Span) -> Delay {
        match self {
            Self::Added(draw, rng) => Delay { delay: propagation + draw.span(rng), keeps_order: true },
            Self::Around { spec, numbers } => {
                let deviations = spec.distribution.quantile(numbers.next());
                let nanos = propagation.as_nanos() as f64 + spec.deviation * deviations;
                Delay { delay: Span::from_nanos(math::round(nanos.max(0.0)) as u64), keeps_order: spec.keep_order }
            }
        }
    }
}

impl Distribution {
    /// The quantile `u`, from 0 to below 1, in deviations from the mean.
    fn quantile(self, u: f64) -> f64 {
        let normal = || normal::quantile(u).clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS);
        let pareto = || ((math::pow(1.0 - u, -1.0 / 3.0) - 1.5) / 0.75).min(MAX_DEVIATIONS);
        match self {
            Self::Uniform => 2.0 * u - 1.0,
            Self::Normal => normal(),
            Self::Pareto => pareto(),
            Self::Paretonormal => 0.25 * normal() + 0.75 * pareto(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries of the tables of iproute2 6.1 at these probabilities, of 4096.
    const TABLES: [(f64, [f64; 3]); 7] = [
        (0.01, [-2.3341, -0.6624, -1.0802]),
        (0.05, [-1.6465, -0.6438, -0.8944]),
        (0.25, [-0.6744, -0.5325, -0.5679]),
        (0.5, [0.0, -0.3201, -0.2400]),
        (0.75, [0.6746, 0.1166, 0.2560]),
        (0.95, [1.6447, 1.6180, 1.6246]),
        (0.99, [2.3271, 3.9999, 3.5817]),
    ];

    #[test]
    fn quantiles_are_those_of_the_tables_of_iproute2() {
        for (u, entries) in TABLES {
            let kinds = [Distribution::Normal, Distribution::Pareto, Distribution::Paretonormal];
            for (kind, entry) in kinds.into_iter().zip(entries) {
                let value = kind.quantile(u);
                assert!((value - entry).abs() < 0.01, "{kind:?} at {u}: {value}, table {entry}");
            }
        }
    }

    /// Moments of the samples compared with hand-computed integrals of the quantiles: uniform 1/3; normal 1,
    /// slightly reduced by the cut at 4; Pareto cut at x = 4.5: E = (3/2 (1 - 4.5^-2) + 4.5^-2 - 3/2) / (3/4), from
    /// E[min(x, c)] = 3/2 - c^-2 / 2.
    #[test]
    fn samples_have_the_moments_of_the_distribution() {
        const COUNT: usize = 400_000;
        let cut = 4.5_f64;
        let pareto_mean = -0.5 * cut.powi(-2) / 0.75;
        // E[min(x, c)^2] = 3 - 2 / c, so the variance follows.
        let pareto_variance = (3.0 - 2.0 / cut - (1.5 - 0.5 * cut.powi(-2)).powi(2)) / 0.5625;
        for (distribution, mean, variance) in [
            (Distribution::Uniform, 0.0, 1.0 / 3.0),
            (Distribution::Normal, 0.0, 1.0),
            (Distribution::Pareto, pareto_mean, pareto_variance),
        ] {
            let spec = DeviationSpec { deviation: 1e6, distribution, correlation: 0.0, keep_order: false };
            let mut jitter = Jitter::new(&JitterSpec::Around(spec), Rng::stream(3, "jitter"));
            let mut draw = || jitter.delay(Span::from_nanos(50_000_000)).delay.as_nanos() as f64 / 1e6 - 50.0;
            let x: Vec<f64> = (0..COUNT).map(|_| draw()).collect();
            let sample_mean = x.iter().sum::<f64>() / COUNT as f64;
            let sample_variance = x.iter().map(|x| (x - sample_mean).powi(2)).sum::<f64>() / COUNT as f64;
            let error = (variance / COUNT as f64).sqrt();
            assert!((sample_mean - mean).abs() < 4.0 * error, "{distribution:?}: mean {sample_mean}, not {mean}");
            assert!((sample_variance / variance - 1.0).abs() < 0.02, "{distribution:?}: variance {sample_variance}");
        }
    }

    #[test]
    fn no_delay_is_negative() {
        let spec =
            DeviationSpec { deviation: 1e6, distribution: Distribution::Normal, correlation: 0.0, keep_order: false };
        let mut jitter = Jitter::new(&JitterSpec::Around(spec), Rng::stream(4, "jitter"));
        let undelayed = (0..10_000).filter(|_| jitter.delay(Span::ZERO).delay == Span::ZERO).count();
        assert!((4800..5200).contains(&undelayed), "{undelayed} of 10000");
    }
}

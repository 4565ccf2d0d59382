//! Correlated random numbers, as in netem.

use penstock_core::Rng;

/// Numbers from 0 to 1, each a weighted mean of the previous number and a uniform draw: x(n) = rho x(n-1) + (1 - rho)
/// u(n).
///
/// This is netem's correlation (the wiki of the Linux Foundation, "netem": "Prob(n) = .25 * Prob(n-1) + .75 * Random"). Its
/// stationary mean is 1/2, its variance (1 - rho) / (1 + rho) / 12, and the correlation of successive numbers is rho. The
/// numbers are uniform only for rho = 0: otherwise small and large numbers are rarer.
pub(crate) struct CorrelatedNumbers {
    correlation: f64,
    last: f64,
    rng: Rng,
}

impl CorrelatedNumbers {
    /// Numbers with this correlation, from 0 to below 1, drawn from this stream.
    pub(crate) fn new(correlation: f64, mut rng: Rng) -> Self {
        Self { correlation, last: rng.uniform(), rng }
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> f64 {
        self.last = self.correlation * self.last + (1.0 - self.correlation) * self.rng.uniform();
        self.last
    }
}

/// Events with a probability, decided by correlated numbers: an event happens if the number is below the probability.
pub(crate) struct CorrelatedChance {
    probability: f64,
    numbers: CorrelatedNumbers,
}

impl CorrelatedChance {
    /// Events with this probability and correlation, drawn from this stream.
    pub(crate) fn new(probability: f64, correlation: f64, rng: Rng) -> Self {
        Self { probability, numbers: CorrelatedNumbers::new(correlation, rng) }
    }

    /// Whether the event happens.
    pub(crate) fn happens(&mut self) -> bool {
        self.numbers.next() < self.probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = 1_000_000;

    #[test]
    fn mean_variance_and_correlation_are_those_of_the_recursion() {
        for rho in [0.0, 0.25, 0.5, 0.9] {
            let mut numbers = CorrelatedNumbers::new(rho, Rng::stream(1, "numbers"));
            let x: Vec<f64> = (0..COUNT).map(|_| numbers.next()).collect();
            let mean = x.iter().sum::<f64>() / COUNT as f64;
            let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / COUNT as f64;
            let pairs = x.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum::<f64>() / COUNT as f64;
            let expected = (1.0 - rho) / (1.0 + rho) / 12.0;
            // The mean of correlated numbers varies like the mean of fewer independent ones, by a factor of (1 - rho) /
            // (1 + rho).
            let error = (expected * (1.0 + rho) / (1.0 - rho) / COUNT as f64).sqrt();
            assert!((mean - 0.5).abs() < 4.0 * error, "rho {rho}: mean {mean}");
            assert!((variance / expected - 1.0).abs() < 0.02, "rho {rho}: variance {variance}, expected {expected}");
            assert!((pairs / variance - rho).abs() < 0.01, "rho {rho}: correlation {}", pairs / variance);
        }
    }

    /// With rho = 1/2 the numbers are the sum of u(n-k) / 2^(k+1), whose distribution is the Fabius function: 5/72 at 1/4 and
    /// 1/288 at 1/8 (J. Fabius, "A probabilistic example of a nowhere analytic C-infinity function", 1966).
    #[test]
    fn the_share_of_events_is_the_fabius_function_for_a_correlation_of_a_half() {
        for (probability, share) in [(0.5, 0.5), (0.25, 5.0 / 72.0), (0.125, 1.0 / 288.0), (0.75, 67.0 / 72.0)] {
            let mut chance = CorrelatedChance::new(probability, 0.5, Rng::stream(2, "chance"));
            let count = (0..COUNT).filter(|_| chance.happens()).count() as f64;
            // Correlation makes the variance at most three times that of independent events.
            let error = (3.0 * share * (1.0 - share) / COUNT as f64).sqrt();
            assert!((count / COUNT as f64 - share).abs() < 4.0 * error, "{probability}: {count} of {COUNT}");
        }
    }
}

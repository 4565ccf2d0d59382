//! Random numbers.

use penstock_core::{Rate, Rng, Span};
use serde::Deserialize;

/// A constant, or a distribution to draw from.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Draw {
    /// A constant.
    Fixed(f64),
    /// Uniform between the two.
    Uniform {
        /// Low and high end.
        uniform: [f64; 2],
    },
    /// Exponential.
    Exponential {
        /// Mean.
        exp: f64,
    },
    /// Pareto.
    Pareto {
        /// Mean.
        pareto: f64,
        /// Exponent of the tail, above 1.
        shape: f64,
    },
    /// One of these, with equal probability.
    List {
        /// The values.
        list: Vec<f64>,
    },
    /// A measured distribution, linear between its points.
    Measured {
        /// Values and cumulative probabilities, both in rising order; the last probability is 1. The first point is an
        /// atom: its probability belongs to its value.
        cdf: Vec<[f64; 2]>,
    },
}

impl Draw {
    /// Draw a value.
    pub fn draw(&self, rng: &mut Rng) -> f64 {
        match self {
            Self::Fixed(value) => *value,
            Self::Uniform { uniform: [low, high] } => rng.between(*low, *high),
            Self::Exponential { exp } => rng.exponential(*exp),
            Self::Pareto { pareto, shape } => rng.pareto(*pareto, *shape),
            Self::List { list } => list[rng.below(list.len() as u64) as usize],
            Self::Measured { cdf } => value_at(cdf, rng.uniform()),
        }
    }

    /// Mean of the distribution.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Fixed(value) => *value,
            Self::Uniform { uniform: [low, high] } => f64::midpoint(*low, *high),
            Self::Exponential { exp: mean } | Self::Pareto { pareto: mean, .. } => *mean,
            Self::List { list } => list.iter().sum::<f64>() / list.len() as f64,
            Self::Measured { cdf } => {
                let between = |pair: &[[f64; 2]]| f64::midpoint(pair[0][0], pair[1][0]) * (pair[1][1] - pair[0][1]);
                cdf[0][0] * cdf[0][1] + cdf.windows(2).map(between).sum::<f64>()
            }
        }
    }

    /// Draw a time in nanoseconds, at most 30 years: longer than any run.
    pub fn span(&self, rng: &mut Rng) -> Span {
        Span::from_nanos(self.draw(rng).clamp(0.0, 1e18) as u64)
    }

    /// Draw a number and round it up; the result is at least 1, and at most a number larger than the packet count of
    /// any run.
    pub fn count(&self, rng: &mut Rng) -> u32 {
        self.draw(rng).ceil().clamp(1.0, 4e9) as u32
    }

    /// Whether all values lie between the two bounds; for an unbounded distribution, its mean.
    pub fn within(&self, low: f64, high: f64) -> bool {
        let inside = |value: f64| (low..=high).contains(&value);
        match self {
            Self::Fixed(value) => inside(*value),
            Self::Uniform { uniform: [a, b] } => inside(*a) && inside(*b) && a <= b,
            Self::Exponential { exp } => inside(*exp),
            Self::Pareto { pareto, shape } => inside(*pareto) && *shape > 1.0,
            Self::List { list } => !list.is_empty() && list.iter().all(|value| inside(*value)),
            Self::Measured { cdf } => {
                cdf.last().is_some_and(|[_, p]| *p == 1.0)
                    && cdf.iter().all(|[value, p]| inside(*value) && (0.0..=1.0).contains(p))
                    && cdf.windows(2).all(|pair| pair[0][0] <= pair[1][0] && pair[0][1] <= pair[1][1])
            }
        }
    }
}

/// The quantile `u` of a measured distribution.
fn value_at(cdf: &[[f64; 2]], u: f64) -> f64 {
    let above = cdf.partition_point(|[_, p]| *p <= u);
    match (above.checked_sub(1).map(|below| cdf[below]), cdf.get(above)) {
        (None, _) => cdf[0][0],
        (Some([value, _]), None) => value,
        (Some([low, p_low]), Some([high, p_high])) => low + (high - low) * (u - p_low) / (p_high - p_low),
    }
}

/// The nearest whole rate of at least 1 bit/s.
pub fn rate(bits_per_second: f64) -> Rate {
    Rate::from_bits_per_second(bits_per_second.round().max(1.0) as u64)
}

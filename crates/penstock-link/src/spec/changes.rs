//! Losses, jitter, reordering, outages and changes of a link.

use super::Draw;
use penstock_core::Time;
use serde::Deserialize;

/// Losses of the link itself, in front of its queue.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LossSpec {
    /// Each packet is lost with this probability.
    Rate(f64),
    /// The arrivals with these numbers, from 0, are lost.
    Arrivals(Vec<u64>),
    /// Losses in bursts.
    Gilbert(GilbertSpec),
    /// Each packet is lost with a probability, decided by correlated numbers.
    Correlated(ChanceSpec),
    /// The Markov chain of four states.
    States(StatesSpec),
}

/// A probability for each packet, decided by correlated numbers.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChanceSpec {
    /// The probability.
    pub rate: f64,
    /// How much the number of a packet depends on that of the packet before it, below 1.
    #[serde(default)]
    pub correlation: f64,
}

/// The chain of S. Salsano et al. (2009), netem's `loss state`. All are probabilities for one packet.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatesSpec {
    /// From reception to a burst of losses.
    pub p13: f64,
    /// From a burst to reception, above 0.
    pub p31: f64,
    /// From a loss within a burst to a reception within it.
    pub p32: f64,
    /// From a reception within a burst to a loss within it, above 0.
    pub p23: f64,
    /// From reception to an isolated loss.
    pub p14: f64,
}

/// The channel of Gilbert and Elliott. All are probabilities for one packet.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GilbertSpec {
    /// From the good state to the bad.
    pub p: f64,
    /// From the bad state to the good, above 0.
    pub r: f64,
    /// Loss in the good state.
    #[serde(default)]
    pub good: f64,
    /// Loss in the bad state.
    #[serde(default = "one")]
    pub bad: f64,
}

fn one() -> f64 {
    1.0
}

/// A change of rate or delay: once, or periodically.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeSpec {
    /// Its time.
    pub when: When,
    /// The new rate in bits per second.
    #[serde(default)]
    pub rate: Option<Draw>,
    /// The new propagation delay in nanoseconds.
    #[serde(default)]
    pub delay: Option<Draw>,
}

/// Time of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// At this instant, in nanoseconds.
    AtNs(u64),
    /// At every multiple of this, in nanoseconds.
    EveryNs(u64),
}

impl When {
    /// The time of the first change.
    pub fn first(self) -> Time {
        let (Self::AtNs(nanos) | Self::EveryNs(nanos)) = self;
        Time::from_nanos(nanos)
    }
}

/// Packets that arrive out of order: later or earlier.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReorderSpec {
    /// Probability for each packet.
    pub rate: f64,
    /// How much the decision about a packet depends on that about the one before it, below 1.
    #[serde(default)]
    pub correlation: f64,
    /// After a reordered packet and at the start, `gap` - 1 packets keep their place.
    #[serde(default)]
    pub gap: u64,
    /// Added delay in nanoseconds, drawn for each; `None`: the packet has no propagation delay, and overtakes those before it.
    #[serde(default)]
    pub delay: Option<Draw>,
}

/// A random part of the propagation delay of each packet.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum JitterSpec {
    /// Added to the delay, in nanoseconds; packets keep their order.
    Added(Draw),
    /// Around the delay.
    Around(DeviationSpec),
}

impl JitterSpec {
    /// Whether packets may overtake each other because of it.
    pub fn reorders(&self) -> bool {
        matches!(self, Self::Around(DeviationSpec { keep_order: false, .. }))
    }
}

/// A delay around that of the link.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviationSpec {
    /// Unit of the distribution in nanoseconds.
    pub deviation: f64,
    /// The distribution.
    pub distribution: Distribution,
    /// How much the number of a packet depends on that of the packet before it, below 1.
    pub correlation: f64,
    /// Whether a packet waits for those before it.
    pub keep_order: bool,
}

/// A distribution of netem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// Uniform from -1 to 1.
    Uniform,
    /// Normal.
    Normal,
    /// Pareto.
    Pareto,
    /// A quarter normal, three quarters Pareto.
    Paretonormal,
}

/// An outage: the link sends nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutageSpec {
    /// Its start in nanoseconds.
    pub at_ns: u64,
    /// Its length in nanoseconds.
    pub for_ns: u64,
}

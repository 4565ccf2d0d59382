//! Losses, reordering, outages and changes of a link.

use super::Draw;
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

/// Packets delayed so that later ones overtake them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReorderSpec {
    /// Probability for each packet.
    pub rate: f64,
    /// Added delay in nanoseconds, drawn for each.
    pub delay: Draw,
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

//! The traffic of a scenario.

use super::{Draw, Setting};
use penstock_core::{Rng, Time};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A group of flows of one kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficSpec {
    /// Name in results; its streams of random numbers are `NAME.i`.
    pub name: String,
    /// What sends.
    pub kind: TrafficKind,
    /// Number of flows.
    pub count: u32,
    /// Nodes the flows start from; flow i takes element i modulo the length.
    pub from: Vec<String>,
    /// Nodes the flows lead to, likewise.
    pub to: Vec<String>,
    /// Nodes to pass, first and last included; else the path of least delay.
    #[serde(default)]
    pub path: Option<Vec<String>>,
    /// When the flows start.
    #[serde(default)]
    pub start: StartSpec,
    /// When they stop offering new data.
    #[serde(default)]
    pub stop_ns: Option<u64>,
    /// Codepoint of the data packets.
    #[serde(default)]
    pub dscp: u8,
    /// For `tcp`.
    #[serde(default)]
    pub tcp: Option<TcpSpec>,
    /// For `cbr`, `poisson`, `fec`, and `onoff` without a TCP.
    #[serde(default)]
    pub udp: Option<UdpSpec>,
    /// For `fec`.
    #[serde(default)]
    pub fec: Option<FecSpec>,
    /// For `onoff`.
    #[serde(default)]
    pub onoff: Option<OnoffSpec>,
    /// For `web`.
    #[serde(default)]
    pub web: Option<WebSpec>,
}

/// What sends.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum TrafficKind {
    /// A TCP with data to send whenever it may, to the end or up to a size.
    Tcp,
    /// Datagrams at constant distance.
    Cbr,
    /// Datagrams at exponential distances.
    Poisson,
    /// Datagrams in blocks of data and redundancy.
    Fec,
    /// Transfers, each a new connection, or bursts of datagrams, with pauses.
    Onoff,
    /// Sessions that ask for pages.
    Web,
}

impl TrafficKind {
    /// Whether its connections come and go.
    pub(crate) fn opens(self, tcp: bool) -> bool {
        self == Self::Web || (self == Self::Onoff && tcp)
    }
}

/// On and off in turn.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnoffSpec {
    /// Length of the on-period.
    pub on: Draw,
    /// What `on` counts. A TCP counts packets.
    pub unit: OnUnit,
    /// Nanoseconds of pause.
    pub off: Draw,
}

/// What the length of an on-period counts.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum OnUnit {
    /// Packets.
    Packets,
    /// Nanoseconds.
    Time,
}

/// Web sessions, one a flow: a client at `to`, all the servers at `from`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebSpec {
    /// Nanoseconds between pages.
    pub pages: Draw,
    /// Objects of a page, rounded up.
    pub objects: Draw,
    /// Nanoseconds between the requests for a page's objects.
    pub gap: Draw,
    /// Bytes of an object.
    pub size: Draw,
    /// Bytes of data in a request.
    pub request: u32,
    /// Pages are apart by their starts (0), or by the end of one and the start of the next (1).
    pub option: u32,
}

/// When the flows of a group start.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub enum StartSpec {
    /// Flow i starts at `first + i every + U(0, jitter)`.
    Staggered {
        /// Start of flow 0 in nanoseconds.
        first_ns: u64,
        /// Distance of the starts.
        #[serde(default)]
        every_ns: u64,
        /// Largest random delay.
        #[serde(default)]
        jitter_ns: u64,
    },
    /// Uniform between the two.
    Uniform {
        /// Earliest and latest start.
        uniform_ns: [u64; 2],
    },
}

impl Default for StartSpec {
    fn default() -> Self {
        Self::Staggered { first_ns: 0, every_ns: 0, jitter_ns: 0 }
    }
}

impl StartSpec {
    /// The start of flow `index`.
    pub(crate) fn draw(self, index: u32, rng: &mut Rng) -> Time {
        let (base, width) = match self {
            Self::Staggered { first_ns, every_ns, jitter_ns } => (first_ns + u64::from(index) * every_ns, jitter_ns),
            Self::Uniform { uniform_ns: [low, high] } => (low, high - low),
        };
        Time::from_nanos(base + rng.between(0.0, width as f64) as u64)
    }
}

/// A TCP: a profile, a flavour and the keys that differ from them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TcpSpec {
    /// Bundle of keys.
    pub profile: String,
    /// Congestion control.
    pub flavour: String,
    /// Keys that differ from the profile.
    #[serde(default)]
    pub settings: BTreeMap<String, Setting>,
}

/// Datagrams.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UdpSpec {
    /// Bits per second on the wire, drawn once for each flow; of `fec` without the redundancy.
    pub rate: Draw,
    /// Bytes of payload, drawn for each packet.
    pub payload: Draw,
    /// Bytes added to the payload.
    #[serde(default = "udp_headers")]
    pub headers: u32,
    /// Whether the first packet waits for a random part of the distance between two.
    #[serde(default)]
    pub phase: Phase,
}

fn udp_headers() -> u32 {
    28
}

/// Forward error correction: blocks of data packets, each followed by redundancy.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FecSpec {
    /// Data packets of a block.
    pub k: u32,
    /// Redundancy packets of a block.
    pub h: u32,
    /// Distances between packets.
    pub spacing: Spacing,
}

impl FecSpec {
    /// What the redundancy makes of a rate of data: (1 + h/k) times as much.
    pub(crate) fn raised(self, rate: f64) -> f64 {
        rate * f64::from(self.k + self.h) / f64::from(self.k)
    }
}

/// Distances between packets.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Spacing {
    /// Exponential.
    Poisson,
    /// All alike.
    Constant,
}

/// When a source sends its first datagram.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// At its start.
    #[default]
    Zero,
    /// Uniformly within the first distance.
    Random,
}

//! The traffic of a scenario.

use super::{Draw, HeaderField};
use penstock_core::param::Value;
use penstock_core::{Ecn, Rng, Time};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A group of flows of one kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficSpec {
    /// Name in results; its streams of random numbers are `NAME.i`.
    pub name: String,
    /// Kind of source.
    pub kind: TrafficKind,
    /// Number of flows.
    pub count: u32,
    /// Source nodes; flow i takes element i modulo the length.
    pub from: Vec<String>,
    /// Destination nodes, likewise.
    pub to: Vec<String>,
    /// Nodes of the path, ends included; else the path of least delay.
    #[serde(default)]
    pub path: Option<Vec<String>>,
    /// Start times.
    #[serde(default)]
    pub start: StartSpec,
    /// Time from which they offer no new data.
    #[serde(default)]
    pub stop_ns: Option<u64>,
    /// Codepoint of the data packets.
    #[serde(default)]
    pub dscp: HeaderField<u8>,
    /// ECN field of datagrams; TCP has a key of its own.
    #[serde(default)]
    pub ecn: HeaderField<Ecn>,
    /// Whether series include the state of its TCP senders.
    #[serde(default)]
    pub watch: bool,
    /// Whether the one-way delays of TCP data packets are measured, and the page times of web sessions.
    #[serde(default)]
    pub delays: bool,
    /// For `cbr`: the codec of a telephone call, whose quality is computed.
    #[serde(default)]
    pub call: Option<Codec>,
    /// Requirements of an application on the delays and losses of these datagrams, or of TCP data with `delays`; the
    /// Quality of Outcome is computed.
    #[serde(default)]
    pub qoo: Option<QooSpec>,
    /// Groups of endless TCP flows that load the path while the connections of this group probe the responsiveness.
    #[serde(default)]
    pub rpm_of: Vec<String>,
    /// For TCP.
    #[serde(default)]
    pub tcp: Option<TcpSpec>,
    /// For `tcp` with drawn sizes or with arrivals, and for `incast`.
    #[serde(default)]
    pub transfers: Option<TransfersSpec>,
    /// For `incast`.
    #[serde(default)]
    pub incast: Option<IncastSpec>,
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
    /// For `video`.
    #[serde(default)]
    pub video: Option<VideoSpec>,
    /// For `replay`.
    #[serde(default)]
    pub replay: Option<ReplaySpec>,
}

impl TrafficSpec {
    /// Whether its connections open and close during the run.
    pub(crate) fn opens(&self) -> bool {
        self.tcp.is_some() && (self.transfers.is_some() || self.onoff.is_some() || self.web.is_some())
    }

    /// Whether its connections stay open from their start until the run or their data ends.
    pub(crate) fn lasts(&self) -> bool {
        self.tcp.is_some() && !self.opens()
    }

    /// Whether one of its flows may have several connections open at the same time.
    pub(crate) fn opens_many(&self) -> bool {
        matches!(self.kind, TrafficKind::Web | TrafficKind::Incast)
            || self.transfers.as_ref().is_some_and(|transfers| transfers.arrivals.is_some())
    }

    /// Codepoint of its data packets and of their acknowledgements; 0 (best effort) if replayed packets keep their own.
    pub(crate) fn codepoint(&self) -> u8 {
        self.dscp.fixed().unwrap_or_default()
    }

    /// Number of source nodes of each flow: 1, or all at `from`.
    pub(crate) fn senders(&self) -> usize {
        if matches!(self.kind, TrafficKind::Web | TrafficKind::Incast) { self.from.len() } else { 1 }
    }
}

/// Kind of source.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum TrafficKind {
    /// A TCP that always has data to send, without end or up to a size.
    Tcp,
    /// Datagrams at constant intervals.
    Cbr,
    /// Datagrams at exponential intervals.
    Poisson,
    /// Datagrams in blocks of data and redundancy.
    Fec,
    /// Transfers, each a new connection, or bursts of datagrams, with pauses.
    Onoff,
    /// Sessions that request pages.
    Web,
    /// Many senders that answer one receiver simultaneously, in rounds.
    Incast,
    /// Frames, each in several datagrams.
    Video,
    /// Datagrams with the sizes and times of recorded packets.
    Replay,
}

/// Codec of a telephone call.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum Codec {
    /// G.711 with packet-loss concealment.
    #[serde(rename = "g711")]
    G711,
    /// G.711 without concealment.
    #[serde(rename = "g711-plain")]
    G711Plain,
    /// G.729A with voice activity detection.
    #[serde(rename = "g729a")]
    G729A,
}

/// Requirements of an application. In each pair, values are optimal up to the first, unacceptable from the second on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QooSpec {
    /// Percentiles as shares of the packets, e.g. 0.99, and pairs of one-way delays in nanoseconds.
    pub delays: Vec<(f64, [u64; 2])>,
    /// Pair of shares of lost packets.
    #[serde(default)]
    pub loss: Option<[f64; 2]>,
    /// Minimum goodput that a flow needs, in bit/s.
    #[serde(default)]
    pub throughput: Option<f64>,
}

/// Transfers, each on a connection of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransfersSpec {
    /// Size of a transfer.
    pub size: Draw,
    /// Unit of `size`.
    pub unit: SizeUnit,
    /// Nanoseconds between the starts of transfers, whether or not earlier ones have ended. Without it each flow is one
    /// transfer.
    #[serde(default)]
    pub arrivals: Option<Draw>,
    /// Upper bounds in bytes, in rising order, of the size classes by which completion times are reported.
    #[serde(default)]
    pub classes: Vec<u64>,
}

/// Unit of the size of a transfer.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum SizeUnit {
    /// Packets.
    Packets,
    /// Bytes of user data.
    Bytes,
}

/// Rounds in which all senders at `from` send one transfer each to the receiver at `to`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IncastSpec {
    /// Nanoseconds between the starts of rounds; without it a round follows the end of the previous one.
    #[serde(default)]
    pub every_ns: Option<u64>,
    /// Nanoseconds from the end of a round to the start of the next.
    pub pause: Draw,
}

/// A video: frames of three types at a constant rate.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VideoSpec {
    /// Mean bits per second on the wire.
    pub rate: f64,
    /// Frames per second.
    pub fps: f64,
    /// Types of the frames in the order of sending; the pattern repeats.
    pub gop: String,
    /// Mean sizes of I, P and B frames, in proportion.
    pub sizes: [f64; 3],
    /// Coefficient of variation of the sizes of frames of one type.
    pub variation: f64,
    /// Largest payload of a datagram in bytes.
    pub payload: u32,
    /// Bytes added to each payload.
    #[serde(default = "udp_headers")]
    pub headers: u32,
    /// Whether the first frame waits for a random part of the frame interval.
    #[serde(default)]
    pub phase: Phase,
    /// Application data unit, for queues that use it.
    pub unit: DataUnit,
    /// Whether frames are useless without the frames that they refer to.
    pub dependence: bool,
}

/// Extent of an application data unit.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum DataUnit {
    /// A frame.
    Frame,
    /// A group of pictures.
    Gop,
}

/// Packets as recorded in a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplaySpec {
    /// A pcap file.
    pub file: PathBuf,
    /// Bytes of a packet that are not payload.
    #[serde(default = "udp_headers")]
    pub headers: u32,
}

/// On-periods and pauses in turn.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnoffSpec {
    /// Length of the on-period.
    pub on: Draw,
    /// Unit of `on`; packets for TCP.
    pub unit: OnUnit,
    /// Nanoseconds of pause.
    pub off: Draw,
}

/// Unit of the length of an on-period.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum OnUnit {
    /// Packets.
    Packets,
    /// Nanoseconds.
    Time,
}

/// Web sessions, one per flow: a client at `to`, all the servers at `from`.
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
    /// `pages` is the time between the starts of pages (0), or from the end of a page to the start of the next (1).
    pub option: u32,
}

/// Start times of the flows of a group.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub enum StartSpec {
    /// Flow i starts at `first + i every + U(0, jitter)`.
    Staggered {
        /// Start of flow 0 in nanoseconds.
        first_ns: u64,
        /// Interval between the starts.
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
    /// The start of flow `index`; `rng` makes its random stream if it is needed.
    pub(crate) fn draw(self, index: u32, rng: impl FnOnce() -> Rng) -> Time {
        let (base, width) = match self {
            Self::Staggered { first_ns, every_ns, jitter_ns } => (first_ns + u64::from(index) * every_ns, jitter_ns),
            Self::Uniform { uniform_ns: [low, high] } => (low, high - low),
        };
        let drawn = if width > 0 { rng().between(0.0, width as f64) as u64 } else { 0 };
        Time::from_nanos(base + drawn)
    }
}

/// A TCP: a profile, a flavour and the keys that differ from them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TcpSpec {
    /// Profile: the defaults of all keys.
    pub profile: String,
    /// Congestion control.
    pub flavour: String,
    /// Keys that differ from the profile.
    #[serde(default)]
    pub settings: BTreeMap<String, Value>,
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
    /// Whether the first packet waits for a random part of the packet interval.
    #[serde(default)]
    pub phase: Phase,
    /// For `cbr`: each gap is drawn uniformly from 1 - jitter to 1 + jitter times its length.
    #[serde(default)]
    pub jitter: f64,
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
    /// Intervals between packets.
    pub spacing: Spacing,
}

impl FecSpec {
    /// Ratio of the rate with redundancy to that of the data: 1 + h/k.
    pub(crate) fn raised(self, rate: f64) -> f64 {
        rate * f64::from(self.k + self.h) / f64::from(self.k)
    }
}

/// Intervals between packets.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Spacing {
    /// Exponential.
    Poisson,
    /// Constant.
    Constant,
}

/// Time of the first datagram of a source.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// At its start.
    #[default]
    Zero,
    /// Uniform within the first interval.
    Random,
}

//! A link as a scenario describes it, in canonical form: nanoseconds, bits per second, bytes.

mod changes;
mod check;
mod draw;

pub use changes::*;
pub use draw::{Draw, rate};

use penstock_core::param::{ClassSetting, Value};
use penstock_core::{Cells, Framing, Limit};
use serde::Deserialize;
use std::collections::BTreeMap;

/// One direction of a link.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// Name in results; the other direction is called `NAME.reverse`.
    pub name: String,
    /// Name of the stream its drawn values come from; both directions share it.
    #[serde(default)]
    pub drawn_as: Option<String>,
    /// Node it starts from.
    pub from: String,
    /// Node it leads to.
    pub to: String,
    /// Bits per second.
    pub rate: Draw,
    /// Bytes that its packets take on the wire.
    #[serde(default)]
    pub framing: FramingSpec,
    /// Propagation delay in nanoseconds.
    pub delay: Draw,
    /// The queue; an infinite FIFO if none is given.
    #[serde(default)]
    pub queue: Option<QueueSpec>,
    /// Limit of a device queue below the discipline.
    #[serde(default)]
    pub device_queue: Option<LimitSpec>,
    /// Whether the result has its statistics.
    #[serde(default)]
    pub watch: bool,
    /// Intervals (low, high] of queue length whose share of time is reported.
    #[serde(default)]
    pub shares: Vec<[u32; 2]>,
    /// Losses in front of the queue.
    #[serde(default)]
    pub loss: Option<LossSpec>,
    /// Conditioners and shapers behind the losses and in front of the queue, in order.
    #[serde(default)]
    pub edge: Vec<EdgeSpec>,
    /// A random part of the delay of each packet.
    #[serde(default)]
    pub jitter: Option<JitterSpec>,
    /// Packets that arrive later or earlier than in order.
    #[serde(default)]
    pub reorder: Option<ReorderSpec>,
    /// Packets that arrive at the queue twice; lost packets do not.
    #[serde(default)]
    pub duplicate: Option<ChanceSpec>,
    /// Changes of its rate and delay during the run.
    #[serde(default)]
    pub change: Vec<ChangeSpec>,
    /// Transmission opportunities, which replace the rate: 1500 bytes may leave at each of these milliseconds, in rising
    /// order; the list repeats.
    #[serde(default)]
    pub capacity_ms: Option<Vec<u64>>,
    /// Outages, in order of time.
    #[serde(default)]
    pub outage: Vec<OutageSpec>,
    /// Round-trip time for automatic parameters of AQMs; else the largest of its flows.
    #[serde(default)]
    pub rtt_ns: Option<u64>,
}

impl LinkSpec {
    /// Whether all packets have the same rate and delay, none waits for an outage or an opportunity, and none is duplicated.
    pub fn is_steady(&self) -> bool {
        // All keys by name, so that a new key requires a decision here.
        let Self {
            name: _,
            drawn_as: _,
            from: _,
            to: _,
            rate: _,
            framing: _,
            delay: _,
            queue: _,
            device_queue: _,
            watch: _,
            shares: _,
            loss: _,
            edge: _,
            jitter,
            reorder,
            duplicate,
            change,
            capacity_ms,
            outage,
            rtt_ns: _,
        } = self;
        let stays = change.is_empty() && outage.is_empty() && capacity_ms.is_none();
        stays && jitter.is_none() && reorder.is_none() && duplicate.is_none()
    }

    /// Whether packets may overtake each other.
    pub fn reorders(&self) -> bool {
        self.reorder.is_some() || self.jitter.as_ref().is_some_and(JitterSpec::reorders)
    }

    /// Bytes that its packets take on the wire, if the specification passes [`LinkSpec::check`].
    pub fn framing(&self) -> Framing {
        self.framing.framing().unwrap_or_default()
    }

    /// Name of the streams that its rate and delay are drawn from.
    pub fn stream(&self) -> &str {
        self.drawn_as.as_deref().unwrap_or(&self.name)
    }
}

/// The framing of a link: bytes, and the name of the cells.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FramingSpec {
    /// Bytes added to the IP packet.
    pub overhead: i16,
    /// Minimum size of a frame in bytes.
    pub mpu: u16,
    /// "atm", "ptm", or none.
    pub cells: CellsSpec,
}

/// How a link layer divides a frame.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellsSpec {
    /// Not at all.
    #[default]
    None,
    /// ATM cells.
    Atm,
    /// 64b/65b blocks.
    Ptm,
}

impl FramingSpec {
    /// The framing; `None` if a number is outside of its range.
    pub fn framing(&self) -> Option<Framing> {
        let cells = match self.cells {
            CellsSpec::None => Cells::None,
            CellsSpec::Atm => Cells::Atm,
            CellsSpec::Ptm => Cells::Ptm,
        };
        Framing::new(self.overhead, self.mpu, cells)
    }
}

/// A queue: its scheme, its limit and its parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueSpec {
    /// Name of the scheme.
    pub scheme: String,
    /// The limit of the queue.
    pub limit: LimitSpec,
    /// Its parameters.
    #[serde(default)]
    pub params: Params,
}

/// A conditioner or shaper: its kind and its parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeSpec {
    /// Name of the conditioner.
    pub kind: String,
    /// Limit of a shaper's queue.
    #[serde(default)]
    pub limit: Option<LimitSpec>,
    /// Its parameters.
    #[serde(default)]
    pub params: Params,
}

/// The limit of a queue.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitSpec {
    /// Waiting packets.
    Packets(u32),
    /// Waiting bytes.
    Bytes(u64),
    /// No limit.
    Inf,
}

impl From<LimitSpec> for Limit {
    fn from(spec: LimitSpec) -> Self {
        match spec {
            LimitSpec::Packets(packets) => Self::Packets(packets),
            LimitSpec::Bytes(bytes) => Self::Bytes(bytes),
            LimitSpec::Inf => Self::Infinite,
        }
    }
}

/// Parameters that differ from the defaults.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Params {
    /// Classes of packets.
    #[serde(default)]
    pub classes: Option<Vec<ClassSpec>>,
    /// All other parameters.
    #[serde(flatten)]
    pub values: BTreeMap<String, Value>,
}

impl Params {
    /// The settings for the registries; `resolve` replaces the names in classes by numbers.
    pub fn settings(&self, resolve: impl FnOnce(&[ClassSpec]) -> Vec<ClassSetting>) -> Vec<(String, Value)> {
        let classes = self.classes.as_deref().map(|specs| ("classes".to_owned(), Value::Classes(resolve(specs))));
        classes.into_iter().chain(settings(&self.values)).collect()
    }
}

/// Values by name as the registries take them.
pub fn settings(values: &BTreeMap<String, Value>) -> Vec<(String, Value)> {
    values.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// A class of packets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassSpec {
    /// Its name.
    pub name: String,
    /// Packets that belong to it.
    #[serde(default, rename = "match")]
    pub matches: MatchSpec,
    /// Its own settings.
    #[serde(default)]
    pub params: BTreeMap<String, Value>,
    /// The AQM of its queue; drop-tail if none is given.
    #[serde(default)]
    pub queue: Option<ClassQueueSpec>,
}

/// The AQM of a class's queue.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassQueueSpec {
    /// Name of the AQM.
    pub scheme: String,
    /// Parameters that differ from the defaults.
    #[serde(default)]
    pub params: BTreeMap<String, Value>,
}

/// Match of a class: a packet belongs to it if it fits every list that is not empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MatchSpec {
    /// Codepoints.
    pub dscp: Vec<u8>,
    /// Names of groups of traffic.
    pub traffic: Vec<String>,
    /// Flows, each by the name of its traffic and its number there.
    pub flow: Vec<(String, u32)>,
    /// Source nodes of packets.
    pub from: Vec<String>,
    /// Destination nodes of packets.
    pub to: Vec<String>,
    /// IP protocol numbers.
    pub protocol: Vec<u8>,
    /// ECN fields: "not", "ect0", "ect1", "ce".
    pub ecn: Vec<String>,
    /// Smallest and largest size on the wire in bytes.
    pub size: Option<(u32, u32)>,
}

//! A link: its transmitter, its losses, its changes, the queue in front of it, and the statistics of that queue. The simulator
//! and the real link use the same code.
//!
//! The caller owns the clock and the packets. [`Transmitter`] computes the time that a packet takes; [`Loss`] decides
//! which packets the link itself loses; [`LinkChanges`] covers everything that varies during a run; [`QueuePlan`]
//! describes the queue. [`spec`] is a link as a scenario describes it.

mod aqm_factory;
mod correlated;
mod errors;
mod jitter;
mod link_changes;
mod loss;
pub mod metrics;
mod network_plan;
mod opportunities;
pub mod pcap;
pub mod probe;
mod queue_plan;
mod reordered;
pub mod spec;
mod trace_event;
mod transmitter;

pub use aqm_factory::AqmFactory;
pub use errors::ScenarioError;
pub use link_changes::{Departure, LinkChanges};
pub use loss::Loss;
pub use network_plan::{LinkPlan, NetworkPlan};
pub use queue_plan::{Queue, QueuePlan};
pub use reordered::ReorderedPackets;
pub use trace_event::TraceEvent;
pub use transmitter::Transmitter;

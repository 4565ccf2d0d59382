//! Recordings of a run besides its result.

use crate::pcap::Capture;
use crate::trace::Trace;

/// Recordings to make.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Every packet event at the watched queues and hosts.
    pub trace: bool,
    /// Links whose packets are captured, by number in the scenario.
    pub captured_links: Vec<u32>,
    /// The facts about flows that few schemes ask for, kept in case another queue asks for them later.
    pub flow_facts: bool,
}

/// The recordings of a run, as requested.
#[derive(Default)]
pub struct Recordings {
    /// Packet events.
    pub trace: Option<Trace>,
    /// Packets that crossed links.
    pub capture: Option<Capture>,
}

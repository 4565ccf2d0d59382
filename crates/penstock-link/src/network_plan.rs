//! A network of links between hosts, with everything drawn and resolved: enough to carry real packets over it.

use crate::queue_plan::QueuePlan;
use crate::spec::LinkSpec;
use penstock_aqm::LinkInfo;
use penstock_core::{Rate, Span, Time};

/// Links, and the routes over them between hosts.
#[derive(Clone, Debug)]
pub struct NetworkPlan {
    /// Seed of the random streams.
    pub seed: u64,
    /// The links; routes refer to their numbers.
    pub links: Vec<LinkPlan>,
    /// Names of the hosts.
    pub hosts: Vec<String>,
    /// Number of each host's node, as classes refer to it.
    pub nodes: Vec<u32>,
    /// The links from one host to another, by the numbers of the two hosts; empty if there is no route.
    pub routes: Vec<Vec<Vec<u32>>>,
    /// End of the warm-up: statistics start.
    pub warmup: Time,
    /// End of the statistics.
    pub end: Time,
    /// Time between samples of the queue and the AQM's gauges.
    pub sampling: Span,
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// The link as the scenario describes it.
    pub spec: LinkSpec,
    /// Its rate at the start.
    pub rate: Rate,
    /// Its propagation delay at the start.
    pub delay: Span,
    /// The facts about it for its queue.
    pub info: LinkInfo,
    /// Its queue.
    pub queue: QueuePlan,
}

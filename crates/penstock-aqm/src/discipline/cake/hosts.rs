//! Fairness between hosts: the hosts to which a queue belongs, and the busy queues of each host.

use super::ends::{DST, Ends, SRC};
use super::queue::Queue;
use crate::list::List;
use crate::per_flow::PerFlow;
use penstock_core::{PacketMeta, Rare};

penstock_core::choice! {
    /// The units between which the link is shared.
    pub enum Isolation {
        /// Flows, but neither a source nor a destination host gets a larger share for having more flows.
        TripleIsolate = "triple-isolate",
        /// Sources, then their flows.
        DualSrcHost = "dual-srchost",
        /// Destinations, then their flows.
        DualDstHost = "dual-dsthost",
        /// Flows.
        Flows = "flows",
        /// Pairs of source and destination.
        Hosts = "hosts",
        /// Sources.
        SrcHost = "srchost",
        /// Destinations.
        DstHost = "dsthost",
        /// None: all packets share one queue.
        FlowBlind = "flowblind",
    }
}

impl Isolation {
    /// Whether the isolation depends on the hosts of a packet.
    pub(super) fn wants_hosts(self) -> bool {
        !matches!(self, Self::Flows | Self::FlowBlind)
    }

    /// Whether the share of a source is divided among its queues.
    pub(super) fn divides_sources(self) -> bool {
        matches!(self, Self::TripleIsolate | Self::DualSrcHost)
    }

    /// Whether the share of a destination is divided among its queues.
    pub(super) fn divides_destinations(self) -> bool {
        matches!(self, Self::TripleIsolate | Self::DualDstHost)
    }

    /// Whether the share of a host is divided among its queues.
    pub(super) fn divides_among_hosts(self) -> bool {
        self.divides_sources() || self.divides_destinations()
    }

    /// The key of all packets of a flow; `None` if the isolation does not depend on the flow alone.
    pub(super) fn flow_key(self, flow: u32) -> Option<u64> {
        matches!(self, Self::TripleIsolate | Self::DualSrcHost | Self::DualDstHost | Self::Flows)
            .then_some(u64::from(flow))
    }

    /// The key that packets of one queue have in common, as a number to be hashed.
    pub(super) fn key(self, meta: &PacketMeta, hosts: Rare) -> u64 {
        match self {
            Self::TripleIsolate | Self::DualSrcHost | Self::DualDstHost | Self::Flows => u64::from(meta.flow),
            Self::Hosts => u64::from(hosts.src) << 32 | u64::from(hosts.dst),
            Self::SrcHost => u64::from(hosts.src),
            Self::DstHost => u64::from(hosts.dst),
            Self::FlowBlind => 0,
        }
    }
}

/// The queues of a host in a tin.
struct Host<const HOST: usize> {
    /// Number of bulk queues.
    bulk: u32,
    /// The queues in the round robin.
    queues: List<HOST>,
}

impl<const HOST: usize> Default for Host<HOST> {
    fn default() -> Self {
        Self { bulk: 0, queues: List::EMPTY }
    }
}

/// The hosts of the queues in a tin, by their numbers.
#[derive(Default)]
pub(super) struct HostLoads {
    src: PerFlow<Host<SRC>>,
    dst: PerFlow<Host<DST>>,
}

impl HostLoads {
    /// Make room for hosts with numbers below `hosts`.
    pub(super) fn reserve(&mut self, hosts: u32) {
        self.src.reserve(hosts);
        self.dst.reserve(hosts);
    }

    /// Change the number of bulk queues of these hosts.
    #[inline]
    pub(super) fn count(&mut self, ends: Ends, change: i32) {
        for bulk in [&mut self.src.of(ends.src).bulk, &mut self.dst.of(ends.dst).bulk] {
            *bulk = bulk.saturating_add_signed(change);
        }
    }

    /// Queue `id` joins the round robin.
    #[inline]
    pub(super) fn join(&mut self, isolation: Isolation, queues: &mut [Queue], id: u32) {
        let ends = queues[id as usize].ends;
        if isolation.divides_sources() {
            self.src.of(ends.src).queues.push(queues, id);
        }
        if isolation.divides_destinations() {
            self.dst.of(ends.dst).queues.push(queues, id);
        }
    }

    /// Queue `id` leaves the round robin.
    #[inline]
    pub(super) fn leave(&mut self, isolation: Isolation, queues: &mut [Queue], id: u32) {
        let ends = queues[id as usize].ends;
        if isolation.divides_sources() {
            self.src.of(ends.src).queues.remove(queues, id);
        }
        if isolation.divides_destinations() {
            self.dst.of(ends.dst).queues.remove(queues, id);
        }
    }

    /// The queues of this source in the round robin, and the number of its bulk queues.
    pub(super) fn from(&mut self, src: u32) -> (List<SRC>, u32) {
        let host = self.src.of(src);
        (host.queues, host.bulk)
    }

    /// The queues of this destination in the round robin, and the number of its bulk queues.
    pub(super) fn to(&mut self, dst: u32) -> (List<DST>, u32) {
        let host = self.dst.of(dst);
        (host.queues, host.bulk)
    }

    /// The number of queues among which the share of this queue's host is divided; at least 1.
    #[inline]
    pub(super) fn load(&self, isolation: Isolation, ends: Ends) -> u32 {
        let mut load = 1;
        if isolation.divides_sources() {
            load = self.src.get(ends.src).map_or(load, |host| host.bulk.max(load));
        }
        if isolation.divides_destinations() {
            load = self.dst.get(ends.dst).map_or(load, |host| host.bulk.max(load));
        }
        load
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantum_is_divided_among_the_queues_of_the_busier_host() {
        let mut loads = HostLoads::default();
        // 3 queues have source host 1, and 2 of them destination host 7
        let ends = [Ends { src: 1, dst: 7 }, Ends { src: 1, dst: 7 }, Ends { src: 1, dst: 8 }];
        for ends in ends {
            loads.count(ends, 1);
        }
        assert_eq!(loads.load(Isolation::TripleIsolate, ends[0]), 3);
        assert_eq!(loads.load(Isolation::DualSrcHost, ends[2]), 3);
        assert_eq!(loads.load(Isolation::DualDstHost, ends[0]), 2);
        assert_eq!(loads.load(Isolation::DualDstHost, ends[2]), 1);
        assert_eq!(loads.load(Isolation::Flows, ends[0]), 1);
        loads.count(ends[1], -1);
        assert_eq!(loads.load(Isolation::TripleIsolate, ends[0]), 2);
        assert_eq!(loads.load(Isolation::TripleIsolate, Ends { src: 99, dst: 99 }), 1);
    }
}

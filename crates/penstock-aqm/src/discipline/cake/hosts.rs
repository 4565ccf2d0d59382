//! Fairness between hosts: the hosts to which a queue belongs, and the number of busy queues of each host.

use crate::per_flow::PerFlow;
use penstock_core::{PacketMeta, Rare, Rng};

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

/// The hosts of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) src: u32,
    pub(super) dst: u32,
}

/// Number of busy queues of each host in a tin, indexed by host.
#[derive(Default)]
pub(super) struct HostLoads {
    src: PerFlow<u32>,
    dst: PerFlow<u32>,
}

impl HostLoads {
    /// Make room for hosts with numbers below `hosts`.
    pub(super) fn reserve(&mut self, hosts: u32) {
        self.src.reserve(hosts);
        self.dst.reserve(hosts);
    }

    pub(super) fn add(&mut self, ends: Ends) {
        for (loads, host) in [(&mut self.src, ends.src), (&mut self.dst, ends.dst)] {
            *loads.of(host) += 1;
        }
    }

    pub(super) fn remove(&mut self, ends: Ends) {
        *self.src.of(ends.src) -= 1;
        *self.dst.of(ends.dst) -= 1;
    }

    /// The number of queues among which the share of this queue's host is divided; at least 1.
    fn load(&self, isolation: Isolation, ends: Ends) -> u32 {
        let of = |loads: &PerFlow<u32>, host: u32| loads.get(host).copied().unwrap_or(0);
        let (src, dst) = (of(&self.src, ends.src), of(&self.dst, ends.dst));
        let load = match isolation {
            Isolation::TripleIsolate => src.max(dst),
            Isolation::DualSrcHost => src,
            Isolation::DualDstHost => dst,
            _ => 1,
        };
        load.max(1)
    }

    /// The credit of `rounds` rounds: each adds `quantum` / load, rounded up or down at random so that the sum is right
    /// on average.
    pub(super) fn quanta(&self, quantum: u32, rounds: u64, isolation: Isolation, ends: Ends, rng: &mut Rng) -> i64 {
        let load = self.load(isolation, ends);
        let dither = if load > 1 { rng.below(u64::from(load)) } else { 0 };
        ((u64::from(quantum) * rounds + dither) / u64::from(load)).cast_signed()
    }

    /// The largest credit that a round can add.
    pub(super) fn largest_quantum(&self, quantum: u32, isolation: Isolation, ends: Ends) -> i64 {
        i64::from(quantum.div_ceil(self.load(isolation, ends)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantum_is_divided_among_the_queues_of_the_busier_host() {
        let mut loads = HostLoads::default();
        // 3 queues from host 1, of which 2 go to host 7
        let ends = [Ends { src: 1, dst: 7 }, Ends { src: 1, dst: 7 }, Ends { src: 1, dst: 8 }];
        for ends in ends {
            loads.add(ends);
        }
        assert_eq!(loads.load(Isolation::TripleIsolate, ends[0]), 3);
        assert_eq!(loads.load(Isolation::DualSrcHost, ends[2]), 3);
        assert_eq!(loads.load(Isolation::DualDstHost, ends[0]), 2);
        assert_eq!(loads.load(Isolation::DualDstHost, ends[2]), 1);
        assert_eq!(loads.load(Isolation::Flows, ends[0]), 1);
        loads.remove(ends[1]);
        assert_eq!(loads.load(Isolation::TripleIsolate, ends[0]), 2);
        assert_eq!(loads.load(Isolation::TripleIsolate, Ends { src: 99, dst: 99 }), 1);
    }

    #[test]
    fn dithering_is_right_on_average() {
        let mut loads = HostLoads::default();
        let ends = Ends { src: 0, dst: 0 };
        (0..7).for_each(|_| loads.add(ends));
        let mut rng = Rng::stream(1, "dither");
        let quanta: Vec<i64> =
            (0..7000).map(|_| loads.quanta(300, 1, Isolation::TripleIsolate, ends, &mut rng)).collect();
        assert!(quanta.iter().all(|quantum| (42..=43).contains(quantum)));
        // 300 / 7 = 42.857: 6000 of 7000 are 43; standard deviation 29
        let up = quanta.iter().filter(|&&quantum| quantum == 43).count();
        assert!((5880..=6120).contains(&up), "{up}");
        // 7001 rounds bring 300 042.9
        let sums = (0..100).map(|_| loads.quanta(300, 7001, Isolation::TripleIsolate, ends, &mut rng));
        assert!(sums.min() == Some(300_042) && loads.largest_quantum(300, Isolation::TripleIsolate, ends) == 43);
    }
}

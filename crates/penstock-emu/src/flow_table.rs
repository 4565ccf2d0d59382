//! The flows and hosts of real packets: dense numbers for 5-tuples and addresses.

use crate::frame::Frame;
use crate::ip::Header;
use penstock_aqm::{Facts, FlowKey, IdTable, Lookup};
use penstock_core::Rare;

/// Number of flows that are distinguished at one time. The flow seen least recently makes room for a new one.
pub(crate) const MAX_FLOWS: u32 = 16_384;
/// Number of hosts that are distinguished at one time.
const MAX_HOSTS: u32 = 16_384;

/// All flows.
pub(crate) struct FlowTable {
    ids: IdTable<FlowKey>,
    hosts: IdTable<u128>,
    /// Numbers of the two hosts of each flow.
    ends: Vec<(u32, u32)>,
    /// Number of nodes: addresses that do not belong to a host of the network have numbers from here on.
    nodes: u32,
}

impl FlowTable {
    /// An empty table; its hash functions depend on `seed`. Addresses without a node get numbers from `nodes` on.
    pub(crate) fn new(seed: u64, nodes: u32) -> Self {
        let ends = Vec::with_capacity(MAX_FLOWS as usize);
        Self { ids: IdTable::new(MAX_FLOWS, seed), hosts: IdTable::new(MAX_HOSTS, seed), ends, nodes }
    }

    /// The flow of a packet with this header, which may be new; `node` gives the node of an address.
    pub(crate) fn look_up(&mut self, header: &Header, node: impl Fn(u128) -> Option<u32>) -> Lookup {
        let found = self.ids.look_up(&header.key);
        if matches!(found, Lookup::Known(_)) {
            return found;
        }
        let (nodes, hosts) = (self.nodes, &mut self.hosts);
        let mut end = |address: u128| node(address).unwrap_or_else(|| nodes + hosts.look_up(&address).id());
        let ends = (end(header.key.src), end(header.key.dst));
        match self.ends.get_mut(found.id() as usize) {
            Some(place) => *place = ends,
            None => self.ends.push(ends),
        }
        found
    }

    /// The 5-tuple of this flow.
    pub(crate) fn key(&self, flow: u32) -> Option<&FlowKey> {
        self.ids.key(flow)
    }
}

impl Facts<Frame> for FlowTable {
    fn rare(&self, packet: &Frame) -> Rare {
        let (src, dst) = self.ends[packet.flow as usize];
        Rare { src, dst, ..Rare::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Ecn;

    fn header(src: u32, src_port: u16) -> Header {
        let key = FlowKey { src: u128::from(src), dst: 1, src_port, dst_port: 80, protocol: 6 };
        Header { key, size: 1500, ecn: Ecn::Not, dscp: 0 }
    }

    #[test]
    fn a_million_flows_take_the_memory_of_the_largest_number_at_a_time() {
        let mut table = FlowTable::new(1, 2);
        let mut forgotten = 0;
        for number in 0..1_000_000_u32 {
            let found = table.look_up(&header(number, number as u16), |_| None);
            assert!(found.id() < MAX_FLOWS);
            forgotten += u32::from(matches!(found, Lookup::Reused(_)));
        }
        assert_eq!(forgotten, 1_000_000 - MAX_FLOWS);
        assert_eq!((table.ends.len(), table.ends.capacity()), (MAX_FLOWS as usize, MAX_FLOWS as usize));
    }

    #[test]
    fn ends_are_nodes_where_the_address_is_a_host() {
        let mut table = FlowTable::new(1, 10);
        let node = |address: u128| (address == 1).then_some(4);
        let (first, second) = (table.look_up(&header(7, 1), node), table.look_up(&header(7, 2), node));
        assert_eq!((first, second), (Lookup::New(0), Lookup::New(1)));
        assert_eq!(table.ends, [(10, 4), (10, 4)]);
    }
}

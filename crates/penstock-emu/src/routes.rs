//! Routes of real packets: the hops from each host to each other one.

use crate::ip::Header;
use penstock_link::NetworkPlan;
use std::collections::HashMap;

/// One step of a route.
#[derive(Clone, Copy)]
pub(crate) struct Hop {
    /// Number of the link to take.
    pub(crate) link: u32,
    /// Whether the route ends behind this link.
    pub(crate) last: bool,
    /// The host that the route leads to.
    pub(crate) host: u32,
    /// Whether bits that cross this link count as the flow's throughput, because it is the first watched link of the route.
    pub(crate) counted: bool,
}

/// All routes.
pub(crate) struct Routes {
    /// The hops of all routes; the hops of one route are adjacent.
    pub(crate) hops: Vec<Hop>,
    /// By the two hosts: first hop of the route.
    first: Vec<Vec<Option<u32>>>,
    /// Host of each address, and the number of its node.
    hosts: HashMap<u128, (usize, u32)>,
}

impl Routes {
    /// The routes of this plan between hosts with these addresses.
    pub(crate) fn new(plan: &NetworkPlan, addresses: &[Vec<u128>]) -> Self {
        let (mut hops, mut first) = (Vec::new(), Vec::new());
        for from in &plan.routes {
            let mut row = Vec::new();
            for (host, links) in from.iter().enumerate() {
                row.push((!links.is_empty()).then_some(hops.len() as u32));
                let watched = links.iter().position(|&link| plan.links[link as usize].spec.watch);
                hops.extend(links.iter().enumerate().map(|(at, &link)| Hop {
                    link,
                    last: at + 1 == links.len(),
                    host: host as u32,
                    counted: watched == Some(at),
                }));
            }
            first.push(row);
        }
        let ends = addresses.iter().zip(&plan.nodes).enumerate();
        let hosts = ends.flat_map(|(host, (all, &node))| all.iter().map(move |&address| (address, (host, node))));
        Self { hops, first, hosts: hosts.collect() }
    }

    /// The first hop of a packet from this host. In a network of two hosts, a packet addressed to neither of them goes
    /// to the other host, which may be a router.
    pub(crate) fn first_hop(&self, from: usize, header: &Header) -> Option<u32> {
        match self.hosts.get(&header.key.dst) {
            Some(&(to, _)) => self.first[from][to],
            None if self.first.len() == 2 => self.first[from][1 - from],
            None => None,
        }
    }

    /// The node of the host with this address.
    pub(crate) fn node(&self, address: u128) -> Option<u32> {
        self.hosts.get(&address).map(|&(_, node)| node)
    }
}

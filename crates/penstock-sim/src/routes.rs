//! Routes of a run: the hops that packets take, and which flow takes which route.
//!
//! `route_search.rs` finds them; `build/flows.rs` gives each sender its first hop.

/// Whether a packet can be passed on as soon as its arrival time at the far end of a link is known, without an event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lookahead {
    /// Never: the packet waits on the delay line for an event.
    Never,
    /// Always.
    Always,
    /// Only if no packet waits ahead of it on the delay line and the receiver at the end of the link, if there is one,
    /// still lacks the packet.
    IfLacking,
}

/// No port: an infinite FIFO that is not watched, so that the end of each transmission is known when the packet
/// arrives.
pub(crate) const COMPUTED: u32 = u32::MAX;

/// Flag in the number of a port: its departures are not precomputed. (Part of the number, so that no second load is needed.)
pub(crate) const NOT_PRECOMPUTED: u32 = 1 << 31;

/// One step of a route. 16 bytes in size, since every packet finds its hop by number.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(crate) struct Hop {
    /// Number of the link to take.
    pub(crate) link: u32,
    /// Number of the port in front of that link, with the flag [`NOT_PRECOMPUTED`] where it applies, or [`COMPUTED`];
    /// set once the ports are built.
    pub(crate) port: u32,
    /// Whether the route ends behind this link.
    pub(crate) last: bool,
    /// Whether this is the last hop of data, and none of the receivers there ACKs every packet immediately. Set together
    /// with `lookahead`.
    pub(crate) delays_acks: bool,
    /// Whether packets that this link delivers are passed on ahead of time.
    pub(crate) lookahead: Lookahead,
}

/// How data packets at a hop count in the statistics.
#[derive(Clone, Copy, Default)]
pub(crate) struct DataCounts {
    /// Whether a data packet that was accepted by this queue cannot be lost further along the route.
    pub(crate) safe_behind: bool,
    /// Whether data bytes that cross this link count as the flow's throughput, because it is the first watched link of
    /// the route.
    pub(crate) throughput: bool,
}

/// The routes of data and of its acknowledgements, each by the number of its first hop.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) data_hop: u32,
    /// Equal to `data_hop` if nothing is acknowledged.
    pub(crate) ack_hop: u32,
    /// Numbers of the nodes that data comes from and goes to.
    pub(crate) ends: (u32, u32),
    /// Whether the route carries requests, which count neither in goodput nor in completion times.
    pub(crate) request: bool,
}

/// A flow of the scenario: its traffic group, its number in the group, its route.
pub(crate) struct RoutedFlow {
    pub(crate) group: usize,
    pub(crate) copy: u32,
    pub(crate) route: Route,
}

/// All routes.
#[derive(Default)]
pub(crate) struct Routes {
    /// The hops of all routes; those of one route are adjacent.
    pub(crate) hops: Vec<Hop>,
    /// By hop: how data packets there count.
    pub(crate) data_counts: Vec<DataCounts>,
    /// The route of each flow.
    pub(crate) flows: Vec<RoutedFlow>,
    /// The flows whose connections come and go, in rising order, and the routes that these connections may take.
    pub(crate) sessions: Vec<(u32, Vec<Route>)>,
}

impl Routes {
    /// Append a route over these links; returns the number of its first hop.
    pub(crate) fn add(&mut self, links: &[u32]) -> u32 {
        let first = self.hops.len() as u32;
        let hop =
            |&link: &u32| Hop { link, port: COMPUTED, last: false, delays_acks: false, lookahead: Lookahead::Never };
        self.hops.extend(links.iter().map(hop));
        self.data_counts.resize(self.hops.len(), DataCounts::default());
        if let Some(last) = self.hops.last_mut() {
            last.last = true;
        }
        first
    }

    /// The numbers of the hops of the route that starts at `first`.
    pub(crate) fn range(&self, first: u32) -> std::ops::RangeInclusive<usize> {
        let first = first as usize;
        let length = self.hops[first..].iter().position(|hop| hop.last).unwrap_or(0);
        first..=first + length
    }
}

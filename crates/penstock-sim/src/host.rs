//! The sending end of a flow.

use crate::traffic::emitter::Emitter;
use penstock_core::Time;
use penstock_tcp::{Sender, TcpParams};
use std::sync::Arc;

/// The sending end of a flow. Fields stand in the order of use, from the beginning of a cache line.
#[repr(C, align(64))]
pub(crate) struct Host {
    /// Rank in the event queue.
    pub(crate) rank: u32,
    pub(crate) origin: Origin,
    /// Time of the host's entry in the event queue. Timers mostly move to later times, so the entry stays and is
    /// checked again when its time comes.
    pub(crate) armed: Time,
    /// ACKs that arrive up to this time may be processed ahead of time: nothing observes the sender until then.
    pub(crate) lookahead_until: Time,
    /// Number of the session that the flow serves, or [`crate::session::NO_SESSION`].
    pub(crate) session: u32,
    pub(crate) state: FlowState,
    pub(crate) source: Source,
    pub(crate) start: Time,
    pub(crate) stop: Time,
    /// The session's identifier of the connection.
    pub(crate) tag: u32,
    /// Number, among the session's routes, of the route of the connection.
    pub(crate) route: u32,
}

/// The fields that all packets of an open connection have in common.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) flow: u32,
    /// First hop of the data.
    pub(crate) first_hop: u32,
    /// Number of the open connection of the flow.
    pub(crate) epoch: u16,
    /// Codepoint.
    pub(crate) dscp: u8,
}

impl Origin {
    /// The origin of a flow before any connection was closed.
    pub(crate) fn first(flow: u32, first_hop: u32, dscp: u8) -> Self {
        Self { flow, first_hop, epoch: 0, dscp }
    }
}

impl Host {
    /// A host that waits for its session to open a connection.
    pub(crate) fn idle(rank: u32, origin: Origin, params: Arc<TcpParams>, session: u32) -> Self {
        Self {
            rank,
            origin,
            armed: Time::NEVER,
            state: FlowState::Waiting,
            source: Source::Tcp(Sender::new(params)),
            lookahead_until: Time::ZERO,
            start: Time::NEVER,
            stop: Time::NEVER,
            session,
            tag: 0,
            route: 0,
        }
    }
}

/// A source of packets.
#[expect(clippy::large_enum_variant, reason = "measured: a box costs one more dependent load per packet")]
pub(crate) enum Source {
    /// A TCP sender.
    Tcp(Sender),
    /// A source of datagrams, the time of its next one, and the number sent before the end of the warm-up.
    Udp(Box<Emitter>, Time, u32),
}

/// State of a flow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlowState {
    /// Not started.
    Waiting,
    /// The source offers data.
    Running,
    /// The source offers no new data.
    Stopped,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Flow;

    #[test]
    fn a_flow_is_eight_cache_lines() {
        assert_eq!((size_of::<Host>(), size_of::<Flow>()), (320, 192));
    }
}

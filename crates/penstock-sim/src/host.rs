//! The sending end of a flow.

use crate::network::Network;
use crate::packet::SimPacket;
use crate::traffic::emitter::Emitter;
use penstock_core::Time;
use penstock_tcp::{Segment, Sender, TcpParams};
use std::sync::Arc;

/// The sending end of a flow. Fields stand in the order of use, from the beginning of a cache line.
#[repr(C, align(64))]
pub(crate) struct Host {
    /// Rank in the event queue.
    pub(crate) rank: u32,
    /// First hop of its data.
    pub(crate) hop: u32,
    /// Time of the host's entry in the event queue. Timers mostly move to later times, so the entry stays and is
    /// checked again when its time comes.
    pub(crate) armed: Time,
    pub(crate) dscp: u8,
    pub(crate) state: FlowState,
    pub(crate) source: Source,
    /// ACKs arriving at this time or before may be processed ahead of time: nothing observes the sender until then.
    pub(crate) lookahead_until: Time,
    pub(crate) start: Time,
    pub(crate) stop: Time,
    /// Number of the session that the flow serves, or [`crate::session::NO_SESSION`].
    pub(crate) session: u32,
    /// The session's identifier of the connection.
    pub(crate) tag: u32,
    /// Number, among the session's routes, of the route of the connection.
    pub(crate) route: u32,
    /// Number of its open connection.
    pub(crate) epoch: u16,
}

impl Host {
    /// A host that waits for its session to open a connection.
    pub(crate) fn idle(rank: u32, dscp: u8, params: Arc<TcpParams>, session: u32) -> Self {
        Self {
            rank,
            hop: 0,
            armed: Time::NEVER,
            dscp,
            state: FlowState::Waiting,
            source: Source::Tcp(Sender::new(params)),
            lookahead_until: Time::ZERO,
            start: Time::NEVER,
            stop: Time::NEVER,
            session,
            tag: 0,
            route: 0,
            epoch: 0,
        }
    }
}

/// A source of packets.
#[expect(clippy::large_enum_variant, reason = "measured: a sender is a dependent load nearer without its box")]
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

/// A sender's access to the network.
pub(crate) struct Gate<'a> {
    pub(crate) network: &'a mut Network,
    pub(crate) now: Time,
    pub(crate) flow: u32,
    pub(crate) hop: u32,
    pub(crate) dscp: u8,
    pub(crate) epoch: u16,
}

impl penstock_tcp::Network for Gate<'_> {
    #[inline]
    fn transmit(&mut self, segment: Segment) {
        let (flow, hop, dscp, epoch) = (self.flow, self.hop, self.dscp, self.epoch);
        let packet = SimPacket { flow, hop, dscp, epoch, ..SimPacket::of(&segment) };
        self.network.send(self.now, packet);
    }
}

//! The network between the senders: links, queues, delay lines, and the receivers.
//!
//! `forwarding.rs` takes a packet from a sender over computed links and delay lines, `ports.rs` through the
//! queues of ports. At the end of its route, `receivers.rs` delivers it to its receiver, or an ACK to the engine.

mod changes;
mod forwarding;
mod ports;
mod receivers;
mod sender_network;

pub(crate) use receivers::{ARRIVED, NextAck};
pub(crate) use sender_network::SenderNetwork;

use crate::changing_link::ChangingLink;
use crate::delay_lines::DelayLines;
use crate::event_queue::EventQueue;
use crate::flow::FlowFacts;
use crate::link::Link;
use crate::port::Port;
use crate::routes::Hop;
use crate::tally::Tally;
use crate::traffic::datagram::NewFrame;
use penstock_core::Time;
use std::collections::VecDeque;

/// The network between the senders.
pub(crate) struct Network {
    pub(crate) events: EventQueue,
    /// The hops of all routes.
    pub(crate) hops: Vec<Hop>,
    pub(crate) links: Vec<Link>,
    pub(crate) ports: Vec<Port>,
    /// The links that change during the run.
    pub(crate) changes: Vec<ChangingLink>,
    pub(crate) lines: DelayLines,
    /// Rank of the head of the first delay line in the event queue; the other delay lines follow.
    pub(crate) first_line: u32,
    /// Rank of the transmissions of the first port; the other ports follow.
    pub(crate) first_port: u32,
    pub(crate) tally: Tally,
    pub(crate) facts: FlowFacts,
    /// Whether the state of flows is prefetched, because there are too many flows for it to fit into the caches.
    pub(crate) fetches: bool,
    /// The ACK that the engine hands to its sender after the event at hand.
    pub(crate) ack: NextAck,
    /// ACKs that the engine hands over after that one: each of several departures that a lazy port executes at once can
    /// yield an ACK.
    pub(crate) more_acks: VecDeque<NextAck>,
}

impl Network {
    /// The next datagram of this flow, number `seq`, is the first of a frame.
    #[cold]
    pub(crate) fn begin_frame(&mut self, now: Time, flow: u32, seq: u32, frame: &NewFrame) {
        if let Some(frames) = self.tally.frames.get_mut(flow as usize) {
            frames.begin(seq, frame, self.tally.window.contains(now));
        }
        if let Some(units) = self.facts.units.get_mut(flow as usize) {
            units.push((seq, frame.unit, frame.kind.priority()));
        }
    }
}

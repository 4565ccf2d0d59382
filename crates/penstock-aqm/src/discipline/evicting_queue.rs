//! A first-in, first-out queue that removes waiting packets to make room for arriving ones: [`super::drop_front`]
//! removes packets at the head, [`super::push_out`] packets at the tail.

use super::packet_queue::PacketQueue;
use super::{Discipline, Env, Next, Probe};
use crate::aqm::{Backlog, LinkInfo};
use crate::capabilities::Capabilities;
use penstock_core::{Limit, Packet, Time};

/// Removes the next packet to make room, if there is one.
type Victim<P> = fn(&mut PacketQueue<P>) -> Option<(Time, P)>;

/// The queue.
pub(super) struct EvictingQueue<P> {
    queue: PacketQueue<P>,
    victim: Victim<P>,
}

impl<P: Packet> EvictingQueue<P> {
    pub(super) fn new(limit: Limit, victim: Victim<P>) -> Self {
        Self { queue: PacketQueue::new(limit), victim }
    }
}

impl<P: Packet + Send, W: Probe<P> + ?Sized> Discipline<P, W> for EvictingQueue<P> {
    fn capabilities(&self) -> Capabilities {
        Capabilities::DEPARTURES
    }

    fn is_fifo(&self) -> bool {
        false
    }

    fn enqueue(&mut self, env: &mut Env<'_, P, W>, packet: P) {
        self.queue.push_evicting(env, packet, self.victim);
    }

    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P> {
        self.queue.serve(env)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.queue.set_limit(link.limit);
    }

    fn reserve(&mut self, packets: u32, _flows: u32) {
        self.queue.reserve(packets);
    }
}

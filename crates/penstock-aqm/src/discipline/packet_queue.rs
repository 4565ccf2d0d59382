//! A store of packets in order of arrival with a limit, for disciplines with a single queue.
//!
//! A ring instead of a [`super::packet_slab`]: packets of a single queue leave only at its ends, so links between them
//! would be a needless cost.

use super::verdicts::Total;
use super::{Env, Next, Probe};
use crate::aqm::{Backlog, Cause, Cx};
use alloc::collections::VecDeque;
use penstock_core::{Limit, Packet, Span, Time};

/// Packets in order of arrival, each with the time when it was queued.
#[derive(Clone)]
pub(crate) struct PacketQueue<P> {
    packets: VecDeque<(Time, P)>,
    bytes: u64,
    limit: Limit,
}

impl<P: Packet> PacketQueue<P> {
    pub(crate) fn new(limit: Limit) -> Self {
        Self { packets: VecDeque::new(), bytes: 0, limit }
    }

    pub(crate) fn set_limit(&mut self, limit: Limit) {
        self.limit = limit;
    }

    /// Make room for this many packets.
    pub(crate) fn reserve(&mut self, packets: u32) {
        self.packets.reserve(packets as usize);
    }

    /// Whether a packet of `size` bytes finds room.
    #[inline]
    pub(crate) fn admits(&self, size: u32) -> bool {
        self.limit.admits(self.packets.len() as u32, self.bytes, size)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Whether a packet of `size` bytes would find room in the empty queue.
    pub(crate) fn could_admit(&self, size: u32) -> bool {
        self.limit.admits(0, 0, size)
    }

    #[inline]
    pub(crate) fn push(&mut self, now: Time, packet: &P) {
        self.bytes += u64::from(packet.meta().size);
        self.packets.push_back((now, *packet));
    }

    #[inline]
    pub(crate) fn pop_oldest(&mut self) -> Option<(Time, P)> {
        // Reads the size of the packet in its place: reading it from the removed packet would copy the packet field by
        // field.
        self.bytes -= u64::from(self.packets.front()?.1.meta().size);
        self.packets.pop_front()
    }

    pub(crate) fn pop_newest(&mut self) -> Option<(Time, P)> {
        let taken = self.packets.pop_back()?;
        self.bytes -= u64::from(taken.1.meta().size);
        Some(taken)
    }

    #[inline]
    fn newest(&self) -> Option<&(Time, P)> {
        self.packets.back()
    }

    /// Packets and bytes in the queue.
    #[inline]
    pub(crate) fn total(&self) -> Total {
        Total { packets: self.packets.len() as u32, bytes: self.bytes }
    }

    /// The packet with this number of packets before it.
    #[inline]
    pub(crate) fn behind(&self, packets: usize) -> Option<&P> {
        self.packets.get(packets).map(|(_, packet)| packet)
    }

    /// The waiting packets, the oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &P> {
        self.packets.iter().map(|(_, packet)| packet)
    }

    /// When the packet at the head was queued.
    pub(crate) fn oldest(&self) -> Option<Time> {
        self.packets.front().map(|&(enqueued, _)| enqueued)
    }

    /// Waiting time of the packet at the head; zero if there is none.
    pub(crate) fn waited(&self, now: Time) -> Span {
        self.oldest().map_or(Span::ZERO, |enqueued| now.since(enqueued))
    }

    pub(crate) fn backlog(&self) -> Backlog {
        Backlog { packets: self.packets.len() as u32, bytes: self.bytes, limit: self.limit, oldest: self.oldest() }
    }

    /// The facts for an AQM that guards the only queue of its link.
    #[inline]
    pub(crate) fn cx<'a>(&self, env: &'a mut Env<'_, P, impl Probe<P> + ?Sized>) -> Cx<'a> {
        env.cx(self.backlog(), self.bytes)
    }

    /// Queue an arriving packet, or drop it if there is no room.
    pub(crate) fn push_or_refuse(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, packet: P) {
        if !self.admits(packet.meta().size) {
            return self.total().refuse(env, &packet, Cause::Overflow);
        }
        self.push_reported(env, &packet);
    }

    /// Queue an arriving packet, and report it.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    pub(crate) fn push_reported(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, packet: &P) {
        self.push(env.now, packet);
        if let Some((enqueued, packet)) = self.newest() {
            env.probe.queued(&self.total().report(env.now, packet, *enqueued));
        }
    }

    /// Queue an arriving packet. If there is no room, first drop packets chosen by `victim` until there is. A packet
    /// that would not fit into an empty queue is dropped.
    pub(crate) fn push_evicting(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        packet: P,
        victim: fn(&mut Self) -> Option<(Time, P)>,
    ) {
        let size = packet.meta().size;
        if !self.could_admit(size) {
            return self.total().refuse(env, &packet, Cause::Overflow);
        }
        while !self.admits(size) {
            let Some((enqueued, evicted)) = victim(self) else { break };
            env.probe.dropped(&self.total().report(env.now, &evicted, enqueued), Cause::Evicted);
        }
        self.push_reported(env, &packet);
    }

    /// Send the oldest packet.
    pub(crate) fn serve(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>) -> Next<P> {
        let Some((enqueued, packet)) = self.pop_oldest() else { return Next::Empty };
        env.probe.sent(&self.total().report(env.now, &packet, enqueued));
        Next::Send(packet)
    }
}

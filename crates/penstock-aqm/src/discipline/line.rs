//! A line of packets in order of arrival, with its limit: what the disciplines of a single queue share.

use super::{Env, Next, Probe, Report};
use crate::aqm::{Backlog, Cause};
use alloc::collections::VecDeque;
use penstock_core::{Limit, Packet, Time};

/// Packets in order of arrival, each with the time when it was queued.
pub(crate) struct Line<P> {
    packets: VecDeque<(Time, P)>,
    bytes: u64,
    limit: Limit,
}

impl<P: Packet> Line<P> {
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

    /// Whether a packet of `size` bytes would find room in the empty queue.
    pub(crate) fn could_admit(&self, size: u32) -> bool {
        self.limit.admits(0, 0, size)
    }

    #[inline]
    pub(crate) fn push(&mut self, now: Time, packet: P) {
        self.bytes += u64::from(packet.meta().size);
        self.packets.push_back((now, packet));
    }

    #[inline]
    pub(crate) fn pop_oldest(&mut self) -> Option<(Time, P)> {
        let taken = self.packets.pop_front()?;
        self.bytes -= u64::from(taken.1.meta().size);
        Some(taken)
    }

    pub(crate) fn pop_newest(&mut self) -> Option<(Time, P)> {
        let taken = self.packets.pop_back()?;
        self.bytes -= u64::from(taken.1.meta().size);
        Some(taken)
    }

    #[inline]
    pub(crate) fn newest(&self) -> Option<&(Time, P)> {
        self.packets.back()
    }

    #[inline]
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    #[inline]
    pub(crate) fn report<'a>(&self, now: Time, packet: &'a P, enqueued: Time) -> Report<'a, P> {
        Report { now, packet, enqueued, packets: self.packets.len() as u32, bytes: self.bytes }
    }

    pub(crate) fn backlog(&self) -> Backlog {
        let oldest = self.packets.front().map(|&(enqueued, _)| enqueued);
        Backlog { packets: self.packets.len() as u32, bytes: self.bytes, limit: self.limit, oldest }
    }

    /// Queue an arriving packet; where it finds no room, first remove those that `victim` picks, until it does. A
    /// packet that would find no room in the empty queue is dropped.
    pub(crate) fn push_evicting(
        &mut self,
        env: &mut Env<'_, P, impl Probe<P> + ?Sized>,
        packet: P,
        victim: fn(&mut Self) -> Option<(Time, P)>,
    ) {
        let size = packet.meta().size;
        if !self.could_admit(size) {
            return env.probe.dropped(&self.report(env.now, &packet, env.now), Cause::Overflow);
        }
        while !self.admits(size) {
            let Some((enqueued, evicted)) = victim(self) else { break };
            env.probe.dropped(&self.report(env.now, &evicted, enqueued), Cause::Evicted);
        }
        self.push(env.now, packet);
        if let Some((enqueued, packet)) = self.newest() {
            env.probe.queued(&self.report(env.now, packet, *enqueued));
        }
    }

    /// Send the oldest packet.
    pub(crate) fn serve(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>) -> Next<P> {
        let Some((enqueued, packet)) = self.pop_oldest() else { return Next::Empty };
        env.probe.sent(&self.report(env.now, &packet, enqueued));
        Next::Send(packet)
    }
}

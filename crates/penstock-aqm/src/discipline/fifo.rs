//! First in, first out, guarded by one law.

use super::{Discipline, Env, Next, Report};
use crate::aqm::{Aqm, Backlog, Cause, Cx, Departing, LinkInfo, Verdict};
use alloc::collections::VecDeque;
use penstock_core::{Limit, Packet, PacketMeta, Time};

/// A queue of packets in order of arrival, guarded by the law `A`.
///
/// The law judges first, then the limit is tested. The limit counts waiting packets only.
pub struct Fifo<P, A> {
    queue: VecDeque<(Time, P)>,
    bytes: u64,
    limit: Limit,
    law: A,
}

impl<P: Packet, A: Aqm> Fifo<P, A> {
    /// An empty queue with room for `limit`.
    pub fn new(law: A, limit: Limit) -> Self {
        Self { queue: VecDeque::new(), bytes: 0, limit, law }
    }

    #[inline]
    fn report<'a>(&self, now: Time, packet: &'a P, enqueued: Time) -> Report<'a, P> {
        Report { now, packet, enqueued, packets: self.queue.len() as u32, bytes: self.bytes }
    }

    /// The facts of a packet that the law looks at.
    #[inline]
    fn meta(&self, env: &Env<'_, P>, packet: &P) -> PacketMeta {
        let mut meta = packet.meta();
        if self.law.wants_rare() {
            meta.rare = Some(env.facts.rare(packet));
        }
        meta
    }
}

/// The law's view of a queue.
macro_rules! cx {
    ($self:ident, $env:ident) => {
        &mut Cx { now: $env.now, queue: $self.backlog(), link_bytes: $self.bytes, rng: $env.rng }
    };
}

impl<P: Packet + Send, A: Aqm> Discipline<P> for Fifo<P, A> {
    fn wants_rare(&self) -> bool {
        self.law.wants_rare()
    }

    fn enqueue(&mut self, env: &mut Env<'_, P>, mut packet: P) {
        let meta = self.meta(env, &packet);
        let mark = match self.law.on_arrival(cx!(self, env), &meta) {
            Verdict::Pass => None,
            Verdict::Mark(cause) if meta.ecn.is_capable() => Some(cause),
            Verdict::Mark(cause) | Verdict::Drop(cause) => {
                return env.probe.dropped(&self.report(env.now, &packet, env.now), cause);
            }
        };
        if !self.limit.admits(self.queue.len() as u32, self.bytes, meta.size) {
            self.law.on_overflow(cx!(self, env), &meta);
            return env.probe.dropped(&self.report(env.now, &packet, env.now), Cause::Overflow);
        }
        if let Some(cause) = mark {
            packet.mark();
            env.probe.marked(&self.report(env.now, &packet, env.now), cause);
        }
        self.bytes += u64::from(meta.size);
        self.queue.push_back((env.now, packet));
        self.law.on_enqueued(cx!(self, env), &meta);
        if let Some((enqueued, packet)) = self.queue.back() {
            env.probe.queued(&self.report(env.now, packet, *enqueued));
        }
    }

    fn dequeue(&mut self, env: &mut Env<'_, P>) -> Next<P> {
        while let Some((enqueued, mut packet)) = self.queue.pop_front() {
            let meta = self.meta(env, &packet);
            self.bytes -= u64::from(meta.size);
            match self.law.on_departure(cx!(self, env), &Departing { meta, enqueued }) {
                Verdict::Pass => {}
                Verdict::Mark(cause) if meta.ecn.is_capable() => {
                    packet.mark();
                    env.probe.marked(&self.report(env.now, &packet, enqueued), cause);
                }
                Verdict::Mark(cause) | Verdict::Drop(cause) => {
                    env.probe.dropped(&self.report(env.now, &packet, enqueued), cause);
                    continue;
                }
            }
            env.probe.sent(&self.report(env.now, &packet, enqueued));
            return Next::Send(packet);
        }
        self.law.on_idle(env.now);
        Next::Empty
    }

    fn backlog(&self) -> Backlog {
        let oldest = self.queue.front().map(|&(enqueued, _)| enqueued);
        Backlog { packets: self.queue.len() as u32, bytes: self.bytes, limit: self.limit, oldest }
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.limit = link.limit;
        self.law.on_link(now, link);
    }

    fn next_timeout(&self) -> Option<Time> {
        self.law.next_timeout()
    }

    fn on_timeout(&mut self, env: &mut Env<'_, P>) {
        self.law.on_timeout(cx!(self, env));
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        self.law.gauges(show);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.law.drop_function(average)
    }
}

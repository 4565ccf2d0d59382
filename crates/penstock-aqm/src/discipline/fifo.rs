//! First in, first out, guarded by one law.

use super::line::Line;
use super::{Discipline, DropBudget, Env, Next, Probe};
use crate::aqm::{Aqm, Backlog, Cause, Cx, Departing, LinkInfo, Verdict};
use penstock_core::{Limit, Packet, PacketMeta, Time};

/// A queue of packets in order of arrival, guarded by the law `A`.
///
/// The law judges first, then the limit is tested. The limit counts waiting packets only.
pub struct Fifo<P, A> {
    line: Line<P>,
    law: A,
}

impl<P: Packet, A: Aqm> Fifo<P, A> {
    /// An empty queue with room for `limit`.
    pub fn new(law: A, limit: Limit) -> Self {
        Self { line: Line::new(limit), law }
    }

    /// The facts of a packet that the law looks at.
    #[inline]
    fn meta(&self, env: &Env<'_, P, impl Probe<P> + ?Sized>, packet: &P) -> PacketMeta {
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
        &mut Cx { now: $env.now, queue: $self.line.backlog(), link_bytes: $self.line.bytes(), rng: $env.rng }
    };
}

impl<P: Packet + Send, A: Aqm, W: Probe<P> + ?Sized> Discipline<P, W> for Fifo<P, A> {
    fn wants_rare(&self) -> bool {
        self.law.wants_rare()
    }

    fn enqueue(&mut self, env: &mut Env<'_, P, W>, mut packet: P) {
        let meta = self.meta(env, &packet);
        let mark = match self.law.on_arrival(cx!(self, env), &meta) {
            Verdict::Pass => None,
            Verdict::Mark(cause) if meta.ecn.is_capable() => Some(cause),
            Verdict::Mark(cause) | Verdict::Drop(cause) => {
                return env.probe.dropped(&self.line.report(env.now, &packet, env.now), cause);
            }
        };
        if !self.line.admits(meta.size) {
            self.law.on_overflow(cx!(self, env), &meta);
            return env.probe.dropped(&self.line.report(env.now, &packet, env.now), Cause::Overflow);
        }
        if let Some(cause) = mark {
            packet.mark();
            env.probe.marked(&self.line.report(env.now, &packet, env.now), cause);
        }
        self.line.push(env.now, packet);
        self.law.on_enqueued(cx!(self, env), &meta);
        if let Some((enqueued, packet)) = self.line.newest() {
            env.probe.queued(&self.line.report(env.now, packet, *enqueued));
        }
    }

    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P> {
        let mut budget = DropBudget::new();
        while let Some((enqueued, mut packet)) = self.line.pop_oldest() {
            let meta = self.meta(env, &packet);
            match self.law.on_departure(cx!(self, env), &Departing { meta, enqueued }) {
                Verdict::Pass => {}
                Verdict::Mark(cause) if meta.ecn.is_capable() => {
                    packet.mark();
                    env.probe.marked(&self.line.report(env.now, &packet, enqueued), cause);
                }
                Verdict::Mark(cause) | Verdict::Drop(cause) => {
                    env.probe.dropped(&self.line.report(env.now, &packet, enqueued), cause);
                    if budget.spend() {
                        return Next::NotBefore(env.now);
                    }
                    continue;
                }
            }
            env.probe.sent(&self.line.report(env.now, &packet, enqueued));
            return Next::Send(packet);
        }
        self.law.on_idle(env.now);
        Next::Empty
    }

    fn backlog(&self) -> Backlog {
        self.line.backlog()
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.line.set_limit(link.limit);
        self.law.on_link(now, link);
    }

    fn forget_flow(&mut self, now: Time, flow: u32) {
        self.law.forget_flow(now, flow);
    }

    fn reserve(&mut self, packets: u32, flows: u32) {
        self.line.reserve(packets);
        self.law.reserve(flows);
    }

    fn next_timeout(&self) -> Option<Time> {
        self.law.next_timeout()
    }

    fn on_timeout(&mut self, env: &mut Env<'_, P, W>) {
        self.law.on_timeout(cx!(self, env));
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.law.gauges(show);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.law.drop_function(average)
    }
}

//! The contract of a discipline: it holds packets, and picks whom to serve.

pub(crate) mod cake;
pub(crate) mod cbfq;
pub(crate) mod cbq;
pub(crate) mod choke;
mod class_queue;
mod classes;
pub(crate) mod drop_front;
pub mod drr;
#[cfg(test)]
mod drr_bench;
mod drr_buffer;
#[cfg(test)]
mod drr_oracle;
mod drr_queues;
pub mod dsdrr;
pub mod dtdrr;
pub(crate) mod dual_curvy_red;
pub(crate) mod dual_queue;
pub(crate) mod dualpi2;
pub(crate) mod fifo;
mod flow_order;
pub(crate) mod flow_queue;
pub(crate) mod fq;
pub(crate) mod fq_codel;
pub(crate) mod fq_pie;
mod gps;
pub(crate) mod lazy_heap;
mod line;
pub(crate) mod packet_slab;
pub(crate) mod pq;
pub(crate) mod push_out;
pub mod qsdrr;
pub(crate) mod queue_list;
mod ranking;
pub(crate) mod ras;
#[cfg(test)]
pub(crate) mod recorder;
pub(crate) mod salted;
pub(crate) mod scfq;
mod scheduler;
pub mod sfq;
pub(crate) mod shaper;
mod shelf;
pub mod tdrr;
mod weights;
pub(crate) mod wf2q;
pub(crate) mod wfq;
pub(crate) mod wred_dfq;

use crate::aqm::{Backlog, Cause, LinkInfo};
use penstock_core::{Packet, Rare, Rng, Time};

/// A packet that met its fate, with the backlog after it.
pub struct Report<'a, P> {
    /// When.
    pub now: Time,
    /// The packet, after any marking.
    pub packet: &'a P,
    /// When it was queued; `now` for a packet that never was.
    pub enqueued: Time,
    /// Packets waiting after this, over all queues of the link.
    pub packets: u32,
    /// Bytes waiting after this, over all queues of the link.
    pub bytes: u64,
}

/// Whoever watches a queue: told of each packet's fate. `()` watches nothing; a pair of probes is a probe.
pub trait Probe<P> {
    /// A packet was queued.
    fn queued(&mut self, report: &Report<'_, P>);
    /// A packet left for the wire.
    fn sent(&mut self, report: &Report<'_, P>);
    /// A packet was marked; it is also queued or sent, which is reported apart.
    fn marked(&mut self, report: &Report<'_, P>, cause: Cause);
    /// A packet was dropped; whether it had been queued before follows from the cause ([`Cause::was_queued`]).
    fn dropped(&mut self, report: &Report<'_, P>, cause: Cause);
}

impl<P> Probe<P> for () {
    #[inline]
    fn queued(&mut self, _report: &Report<'_, P>) {}
    #[inline]
    fn sent(&mut self, _report: &Report<'_, P>) {}
    #[inline]
    fn marked(&mut self, _report: &Report<'_, P>, _cause: Cause) {}
    #[inline]
    fn dropped(&mut self, _report: &Report<'_, P>, _cause: Cause) {}
}

impl<P, A: Probe<P>, B: Probe<P>> Probe<P> for (A, B) {
    fn queued(&mut self, report: &Report<'_, P>) {
        self.0.queued(report);
        self.1.queued(report);
    }
    fn sent(&mut self, report: &Report<'_, P>) {
        self.0.sent(report);
        self.1.sent(report);
    }
    fn marked(&mut self, report: &Report<'_, P>, cause: Cause) {
        self.0.marked(report, cause);
        self.1.marked(report, cause);
    }
    fn dropped(&mut self, report: &Report<'_, P>, cause: Cause) {
        self.0.dropped(report, cause);
        self.1.dropped(report, cause);
    }
}

impl<P, T: Probe<P> + ?Sized> Probe<P> for &mut T {
    fn queued(&mut self, report: &Report<'_, P>) {
        (**self).queued(report);
    }
    fn sent(&mut self, report: &Report<'_, P>) {
        (**self).sent(report);
    }
    fn marked(&mut self, report: &Report<'_, P>, cause: Cause) {
        (**self).marked(report, cause);
    }
    fn dropped(&mut self, report: &Report<'_, P>, cause: Cause) {
        (**self).dropped(report, cause);
    }
}

/// Whoever can tell the [`Rare`] facts of a packet. `()` knows none.
pub trait Facts<P> {
    /// What there is to know.
    fn rare(&self, packet: &P) -> Rare;
}

impl<P> Facts<P> for () {
    fn rare(&self, _packet: &P) -> Rare {
        Rare::default()
    }
}

/// What a discipline needs from the outside for one operation.
pub struct Env<'a, P> {
    /// Now.
    pub now: Time,
    /// The random stream of this queue.
    pub rng: &'a mut Rng,
    /// Who watches.
    pub probe: &'a mut dyn Probe<P>,
    /// Who knows more of a packet than it carries.
    pub facts: &'a dyn Facts<P>,
}

/// The answer of a queue to an offer of service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<P> {
    /// Send this packet.
    Send(P),
    /// Nothing waits.
    Empty,
    /// Something waits, but may not leave before this instant.
    NotBefore(Time),
}

/// Holds packets, tests the limit, sets marks, and reports each packet's fate.
///
/// At every moment: arrived = queued + dropped on arrival, and queued = sent + dropped at the head + evicted + waiting.
pub trait Discipline<P: Packet>: Send {
    /// Whether the scheme asks for [`Rare`] facts; always the same answer.
    fn wants_rare(&self) -> bool {
        false
    }
    /// A packet arrives.
    fn enqueue(&mut self, env: &mut Env<'_, P>, packet: P);
    /// The link offers to send a packet.
    fn dequeue(&mut self, env: &mut Env<'_, P>) -> Next<P>;
    /// What waits.
    fn backlog(&self) -> Backlog;
    /// The link has changed.
    fn on_link(&mut self, _now: Time, _link: &LinkInfo) {}
    /// When the discipline next wants [`Discipline::on_timeout`]; as [`crate::Aqm::next_timeout`].
    fn next_timeout(&self) -> Option<Time> {
        None
    }
    /// The time that [`Discipline::next_timeout`] named has come.
    fn on_timeout(&mut self, _env: &mut Env<'_, P>) {}
    /// Show the state of the law to a probe, as (name, value).
    fn gauges(&self, _show: &mut dyn FnMut(&str, f64)) {}
    /// As [`crate::Aqm::drop_function`].
    fn drop_function(&self, _average: f64) -> Option<f64> {
        None
    }
}

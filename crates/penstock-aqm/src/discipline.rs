//! The contract of a discipline: it holds packets, and picks whom to serve.

pub(crate) mod fifo;

use crate::aqm::{Backlog, Cause, LinkInfo};
use penstock_core::{Packet, Rng, Time};

/// What became of a packet at a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was queued.
    Queued,
    /// It left for the wire.
    Sent,
    /// It was marked; it is also queued or sent, reported apart.
    Marked(Cause),
    /// It was dropped.
    Dropped(Cause),
}

/// One packet's fate, with the backlog after it.
pub struct Report<'a, P> {
    /// When.
    pub now: Time,
    /// What became of the packet.
    pub fate: Fate,
    /// The packet, after any marking.
    pub packet: &'a P,
    /// When it was queued; `now` for a packet that never was.
    pub enqueued: Time,
    /// Packets waiting after this.
    pub packets: u32,
    /// Bytes waiting after this.
    pub bytes: u64,
}

/// Whoever watches a queue. `()` watches nothing.
pub trait Probe<P> {
    /// A packet met its fate.
    fn report(&mut self, report: &Report<'_, P>);
}

impl<P> Probe<P> for () {
    #[inline]
    fn report(&mut self, _report: &Report<'_, P>) {}
}

impl<P, A: Probe<P>, B: Probe<P>> Probe<P> for (A, B) {
    #[inline]
    fn report(&mut self, report: &Report<'_, P>) {
        self.0.report(report);
        self.1.report(report);
    }
}

impl<P, T: Probe<P> + ?Sized> Probe<P> for &mut T {
    #[inline]
    fn report(&mut self, report: &Report<'_, P>) {
        (**self).report(report);
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
    fn gauges(&self, _show: &mut dyn FnMut(&'static str, f64)) {}
    /// As [`crate::Aqm::drop_function`].
    fn drop_function(&self, _average: f64) -> Option<f64> {
        None
    }
}

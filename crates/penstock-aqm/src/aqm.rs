//! The contract of a law: the facts it is given, and its answers.
//!
//! # Time
//! The clock may start at any time: laws and disciplines are built with the present time, and only differences of times
//! count. Time stands still or goes on. Should it go back, the time that seems to pass is zero. Sums beyond the largest
//! value are that value, [`Time::NEVER`], which never comes.
//!
//! # Timers
//! A law or discipline has at most one timer: `next_timeout` gives the time at which it fires, `None` while it is off,
//! and the caller owns the clock. The contract is the same for [`Aqm`] and [`crate::Discipline`].
//!
//! * The caller reads `next_timeout` after the construction, after `on_timeout` and `on_link`, and after a `dequeue` that
//!   found the queue empty (for a law: after `on_idle`). Nothing else moves the timer, except where
//!   [`crate::Discipline::timer_moves`] says so: there the caller reads it after every operation.
//! * The time is never in the past. When it comes the caller calls `on_timeout`, before arrivals and departures of the
//!   same time.
//! * A caller that is late calls `on_timeout` once: a periodic law takes one step, not one for each period that has
//!   passed, and the next timeout lies after the present.
//!
//! # Flows
//! A flow is a dense number from 0. In the simulator it counts flows; on a real link it comes from an
//! [`crate::IdTable`], which reuses numbers. State of flows lies in vectors by that number: [`Aqm::reserve`] makes room,
//! and [`Aqm::forget_flow`] announces that a number passes to another flow. Numbers of at least [`crate::MAX_FLOWS`] and of
//! the reserved number are taken modulo the larger of the two, so that memory is bounded whatever the numbers are.

use penstock_core::{Bytes, Limit, PacketMeta, Rate, Rng, Span, Time};

/// What a law says about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Let it pass.
    Pass,
    /// Set "congestion experienced" if the packet is ECN-capable, else drop it.
    Mark(Cause),
    /// Drop it.
    Drop(Cause),
}

/// Why a packet was marked or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The law's random or rule-based choice.
    Early,
    /// The law's certain drop, for instance with the average above `max_th`.
    Forced,
    /// Judged at the head of the queue by the time it waited.
    Sojourn,
    /// No room.
    Overflow,
    /// Was queued, then removed to make room for another.
    Evicted,
    /// Dropped before it came to the queue, by a conditioner or for want of room in a shaper.
    Policed,
}

impl Cause {
    /// All causes, in the order of their numbers.
    pub const ALL: [Self; 6] = [Self::Early, Self::Forced, Self::Sojourn, Self::Overflow, Self::Evicted, Self::Policed];

    /// Whether a packet dropped for this had been queued. The other causes are those of packets that never were.
    pub const fn was_queued(self) -> bool {
        matches!(self, Self::Sojourn | Self::Evicted)
    }

    /// The word used in results and traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Early => "early",
            Self::Forced => "forced",
            Self::Sojourn => "sojourn",
            Self::Overflow => "overflow",
            Self::Evicted => "evicted",
            Self::Policed => "policed",
        }
    }
}

/// A packet at the head of the queue.
#[derive(Clone, Copy, Debug)]
pub struct Departing {
    /// Its facts.
    pub meta: PacketMeta,
    /// When it was queued.
    pub enqueued: Time,
}

/// What waits in the queue that a law guards. The packet being transmitted has left the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// Waiting packets.
    pub packets: u32,
    /// Waiting bytes.
    pub bytes: u64,
    /// How much may wait.
    pub limit: Limit,
    /// When the packet at the head was queued; over several queues, the earliest of their heads. The flows that a class
    /// serves in turn are one queue: its head is the packet that leaves next.
    pub oldest: Option<Time>,
}

/// What a law may know of the link behind its queue. A class's law sees its class as the link.
#[derive(Clone, Copy, Debug)]
pub struct LinkInfo {
    /// What this queue is guaranteed.
    pub rate: Rate,
    /// How much may wait.
    pub limit: Limit,
    /// Typical size of a packet on the wire.
    pub mean_packet: Bytes,
    /// Largest packet on the wire.
    pub mtu: Bytes,
    /// Round-trip time without queueing, where the scenario states or implies one.
    pub rtt: Option<Span>,
    /// Number of flows, where the scenario states or implies one.
    pub flows: Option<u32>,
}

/// The facts of the moment, and the law's own random stream.
pub struct Cx<'a> {
    /// Now.
    pub now: Time,
    /// The queue that this law guards.
    pub queue: Backlog,
    /// Bytes waiting at the whole link, over all its queues.
    pub link_bytes: u64,
    /// The stream of this law.
    pub rng: &'a mut Rng,
}

/// A law of active queue management.
///
/// It decides about one packet from facts it is given. It keeps no packets, reads no clock, draws from no hidden
/// generator, keeps no statistics and prints nothing. The discipline alone sets marks and tests the limit: the limit is
/// tested after the law, and a law whose source tests it first looks at `cx.queue.limit` and returns `Drop(Overflow)`.
pub trait Aqm: Send {
    /// Whether the law looks at [`PacketMeta::rare`], which is looked up only then. Always the same answer.
    #[inline]
    fn wants_rare(&self) -> bool {
        false
    }

    /// Judge an arriving packet; `cx.queue` does not count it yet. Then exactly one of [`Aqm::on_enqueued`] and
    /// [`Aqm::on_overflow`] follows a `Pass` or a `Mark` that was carried out.
    fn on_arrival(&mut self, _cx: &mut Cx<'_>, _packet: &PacketMeta) -> Verdict {
        Verdict::Pass
    }

    /// The packet was queued; `cx.queue` counts it.
    fn on_enqueued(&mut self, _cx: &mut Cx<'_>, _packet: &PacketMeta) {}

    /// The packet found no room and was dropped.
    fn on_overflow(&mut self, _cx: &mut Cx<'_>, _packet: &PacketMeta) {}

    /// Judge the packet at the head; `cx.queue` no longer counts it. This or [`Aqm::on_evicted`] comes once for each
    /// packet that was queued.
    fn on_departure(&mut self, _cx: &mut Cx<'_>, _packet: &Departing) -> Verdict {
        Verdict::Pass
    }

    /// A queued packet was removed to make room.
    fn on_evicted(&mut self, _cx: &mut Cx<'_>, _packet: &Departing) {}

    /// `dequeue` found the queue empty; not called when the last packet departs.
    fn on_idle(&mut self, _now: Time) {}

    /// The link behind the queue has changed.
    fn on_link(&mut self, _now: Time, _link: &LinkInfo) {}

    /// When the law next needs [`Aqm::on_timeout`]; see *Timers* at the head of this file.
    fn next_timeout(&self) -> Option<Time> {
        None
    }

    /// The time given by [`Aqm::next_timeout`] has come.
    fn on_timeout(&mut self, _cx: &mut Cx<'_>) {}

    /// The number `flow` passes to another flow: forget penalties, credits and round-trip times of the old one. Packets of
    /// the old flow that still wait count as those of the new one.
    fn forget_flow(&mut self, _now: Time, _flow: u32) {}

    /// Make room for the state of flows with numbers below `flows`: from then on these allocate nothing. To be called
    /// before the first packet.
    fn reserve(&mut self, _flows: u32) {}

    /// Show the state to a probe, as (name, value). Names are the literature's: `avg`, `p_b`, `max_p`. A scheduler puts
    /// the name of the class before those of its law: `gold.avg`.
    fn gauges(&self, _show: &mut dyn FnMut(&str, f64)) {}

    /// The law's drop probability at a held average queue of `average` packets, where it has such a function.
    fn drop_function(&self, _average: f64) -> Option<f64> {
        None
    }
}

impl Aqm for alloc::boxed::Box<dyn Aqm> {
    fn wants_rare(&self) -> bool {
        (**self).wants_rare()
    }
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        (**self).on_arrival(cx, packet)
    }
    fn on_enqueued(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) {
        (**self).on_enqueued(cx, packet);
    }
    fn on_overflow(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) {
        (**self).on_overflow(cx, packet);
    }
    fn on_departure(&mut self, cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        (**self).on_departure(cx, packet)
    }
    fn on_evicted(&mut self, cx: &mut Cx<'_>, packet: &Departing) {
        (**self).on_evicted(cx, packet);
    }
    fn on_idle(&mut self, now: Time) {
        (**self).on_idle(now);
    }
    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        (**self).on_link(now, link);
    }
    fn next_timeout(&self) -> Option<Time> {
        (**self).next_timeout()
    }
    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        (**self).on_timeout(cx);
    }
    fn forget_flow(&mut self, now: Time, flow: u32) {
        (**self).forget_flow(now, flow);
    }
    fn reserve(&mut self, flows: u32) {
        (**self).reserve(flows);
    }
    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        (**self).gauges(show);
    }
    fn drop_function(&self, average: f64) -> Option<f64> {
        (**self).drop_function(average)
    }
}

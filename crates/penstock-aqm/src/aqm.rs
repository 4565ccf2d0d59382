//! The contract of an AQM: the facts that the AQM receives, and its verdicts.
//!
//! # Time
//! The clock may start at any value: AQMs and disciplines are built with the current time and use only differences of
//! times. Time never decreases; if a caller's clock does go back, the elapsed time counts as zero. Sums beyond the
//! largest value saturate at [`Time::NEVER`], which never comes.
//!
//! # Timers
//! An AQM or discipline has at most one timer. `next_timeout` returns the time at which the timer fires, or `None` while
//! it is off. The caller owns the clock. The contract is the same for [`Aqm`] and [`crate::Discipline`].
//!
//! * [`Capabilities::timer`] declares which operations move the timer; the caller reads `next_timeout` after these.
//! * The timeout is never in the past. At that time the caller calls `on_timeout`. Events of one instant come in this
//!   order: changes of the link, ends of transmission (departures), arrivals from other links, timers of queues, and
//!   last the packets that hosts send at their own timers. So at a timeout the AQM sees the queue after the departures
//!   and arrivals of that instant.
//! * A caller that is late calls `on_timeout` only once. A periodic AQM then takes a single step, however many periods
//!   have passed, and its next timeout is in the future.
//!
//! # Flows
//! A flow is identified by a dense number from 0. The simulator numbers its flows; on a real link the number comes from
//! an [`crate::IdTable`], which reuses numbers. State per flow is kept in vectors indexed by this number.
//! [`Aqm::reserve`] makes room for it, and [`Aqm::forget_flow`] announces that a number now belongs to another flow.
//! Numbers that are neither reserved nor below [`crate::MAX_FLOWS`] are reduced modulo the larger of these two bounds,
//! so that memory is bounded for any numbers.

use crate::capabilities::Capabilities;
use penstock_core::{Bytes, Limit, PacketMeta, Rate, Rng, Span, Time};

/// The decision of an AQM about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Let the packet pass.
    Pass,
    /// Set "congestion experienced" if the packet is ECN-capable; otherwise drop it.
    Mark(Cause),
    /// Drop the packet.
    Drop(Cause),
}

/// Why a packet was marked or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// An early drop or mark by the AQM's probability or rule.
    Early,
    /// A drop that the AQM makes with certainty, for instance when the average is above `max_th`.
    Forced,
    /// Decided at the head of the queue, by the waiting time of the packet.
    Sojourn,
    /// The queue had no room for the arriving packet.
    Overflow,
    /// The packet was queued, and later removed to make room for another packet.
    Evicted,
    /// Dropped in front of the queue, by a conditioner or by a shaper without room.
    Policed,
    /// An acknowledgement that was queued, and later removed because a newer acknowledgement makes it redundant.
    Filtered,
}

impl Cause {
    /// All causes, in the order of their numbers.
    pub const ALL: [Self; 7] =
        [Self::Early, Self::Forced, Self::Sojourn, Self::Overflow, Self::Evicted, Self::Policed, Self::Filtered];

    /// Whether a packet dropped for this cause had been queued before.
    pub const fn was_queued(self) -> bool {
        matches!(self, Self::Sojourn | Self::Evicted | Self::Filtered)
    }

    /// The name of the cause in results and traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Early => "early",
            Self::Forced => "forced",
            Self::Sojourn => "sojourn",
            Self::Overflow => "overflow",
            Self::Evicted => "evicted",
            Self::Policed => "policed",
            Self::Filtered => "filtered",
        }
    }
}

/// A packet at the head of the queue.
#[derive(Clone, Copy, Debug)]
pub struct Departing {
    /// The facts of the packet.
    pub meta: PacketMeta,
    /// When the packet was queued.
    pub enqueued: Time,
}

/// The packets waiting in the queue that an AQM guards. The packet being transmitted has left the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// Waiting packets.
    pub packets: u32,
    /// Waiting bytes.
    pub bytes: u64,
    /// The limit of this queue.
    pub limit: Limit,
    /// When the packet at the head was queued; for several queues, the earliest such time. A class that serves its
    /// flows in turn counts as one queue, whose head is the packet that leaves next.
    pub oldest: Option<Time>,
}

/// The facts about the link behind a queue that an AQM may use. The AQM of a class sees the class as its link.
#[derive(Clone, Copy, Debug)]
pub struct LinkInfo {
    /// The rate that this queue is guaranteed.
    pub rate: Rate,
    /// The limit of this queue.
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

impl LinkInfo {
    /// Replace the propagation delay of the link, which is a part of its round-trip time.
    pub fn change_delay(&mut self, delay: &mut Span, new: Span) {
        let others = self.rtt.map(|rtt| Span::from_nanos(rtt.as_nanos().saturating_sub(delay.as_nanos())));
        self.rtt = others.map(|others| others + new);
        *delay = new;
    }
}

/// The current state of the queue and the link, and the random stream of the AQM.
pub struct Cx<'a> {
    /// The current time.
    pub now: Time,
    /// The queue that this AQM guards.
    pub queue: Backlog,
    /// Bytes waiting at the link, over all its queues.
    pub link_bytes: u64,
    /// The stream of this AQM.
    pub rng: &'a mut Rng,
}

/// An active queue management (AQM) algorithm.
///
/// An AQM decides about one packet from the facts passed to it. It stores no packets, reads no clock, draws from no
/// hidden generator, keeps no statistics and prints nothing. Only the discipline sets marks and tests the limit. The
/// discipline tests the limit after it asks the AQM; an AQM whose source requires the opposite order checks
/// `cx.queue.limit` itself and returns `Drop(Overflow)`.
pub trait Aqm: Send + 'static {
    /// What the AQM needs from its host, and when it decides; the answer never changes.
    fn capabilities(&self) -> Capabilities;

    /// Judge an arriving packet, which `cx.queue` does not count yet. If the packet is not dropped by this verdict,
    /// exactly one call of [`Aqm::on_enqueued`] or [`Aqm::on_overflow`] follows.
    fn on_arrival(&mut self, _cx: &mut Cx<'_>, _packet: &PacketMeta) -> Verdict {
        Verdict::Pass
    }

    /// The packet was queued; `cx.queue` counts it.
    fn on_enqueued(&mut self, _cx: &mut Cx<'_>, _packet: &PacketMeta) {}

    /// The packet found no room and was dropped.
    fn on_overflow(&mut self, _cx: &mut Cx<'_>, _packet: &PacketMeta) {}

    /// Judge the packet at the head, which `cx.queue` no longer counts. Each queued packet gets exactly one call of
    /// this method or of [`Aqm::on_evicted`].
    fn on_departure(&mut self, _cx: &mut Cx<'_>, _packet: &Departing) -> Verdict {
        Verdict::Pass
    }

    /// A queued packet was removed to make room.
    fn on_evicted(&mut self, _cx: &mut Cx<'_>, _packet: &Departing) {}

    /// `dequeue` found the queue empty; not called when the last packet departs.
    fn on_idle(&mut self, _now: Time) {}

    /// The link behind the queue has changed.
    fn on_link(&mut self, _now: Time, _link: &LinkInfo) {}

    /// When [`Aqm::on_timeout`] must be called next; see *Timers* at the top of this file.
    fn next_timeout(&self) -> Option<Time> {
        None
    }

    /// The time given by [`Aqm::next_timeout`] has come.
    fn on_timeout(&mut self, _cx: &mut Cx<'_>) {}

    /// The number `flow` now belongs to another flow: discard the penalties, credits and round-trip times of the old
    /// flow. Waiting packets of the old flow count as packets of the new one.
    fn forget_flow(&mut self, _now: Time, _flow: u32) {}

    /// Make room for the state of flows with numbers below `flows`, so that their packets cause no allocation. Must be
    /// called before the first packet.
    fn reserve(&mut self, _flows: u32) {}

    /// Show the state to a probe, as (name, value). Names are the literature's: `avg`, `p_b`, `max_p`. A scheduler
    /// prefixes the names of a class's AQM with the name of the class: `gold.avg`.
    fn gauges(&self, _show: &mut dyn FnMut(&str, f64)) {}

    /// Continue from the state of another AQM of this scheme with other parameters. `gauge` returns the values of its
    /// gauges; `queue` is the queue that it guarded. By default an AQM starts from its initial state.
    fn resume(&mut self, _queue: &Backlog, _gauge: &dyn Fn(&str) -> Option<f64>) {}

    /// The AQM's drop probability while the average queue stays at `average` packets; `None` for AQMs without such a
    /// function.
    fn drop_function(&self, _average: f64) -> Option<f64> {
        None
    }
}

impl Aqm for alloc::boxed::Box<dyn Aqm> {
    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
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
    fn resume(&mut self, queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        (**self).resume(queue, gauge);
    }
    fn drop_function(&self, average: f64) -> Option<f64> {
        (**self).drop_function(average)
    }
}

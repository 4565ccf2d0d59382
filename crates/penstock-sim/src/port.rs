//! A port: the simulated queue of a link and the state of its transmitter.

use crate::device_queue::DeviceQueue;
use crate::event_queue::EventQueue;
use crate::flow::FlowFacts;
use crate::network::Late;
use crate::packet::SimPacket;
use crate::port_queue::PortQueue;
use crate::tally::Tally;
use penstock_aqm::{Env, Next};
use penstock_core::{Rng, Time};
use penstock_link::probe::queue::QueueStats;
use penstock_link::{Loss, Transmitter};

/// A simulated queue and the transmitter that it feeds.
pub(crate) struct Port {
    pub(crate) queue: PortQueue,
    /// Below the discipline, if there is one.
    pub(crate) device: Option<Box<DeviceQueue>>,
    pub(crate) rng: Rng,
    pub(crate) loss: Option<Box<Loss>>,
    /// Rank of the discipline's timer in the event queue.
    pub(crate) timer_rank: u32,
    pub(crate) state: State,
    /// Whether the discipline's timer may move at every operation.
    pub(crate) timer_moves: bool,
    pub(crate) outlet: Outlet,
    /// Where departures are foreseen.
    pub(crate) trail: Option<Trail>,
    /// Where departures are carried out late.
    pub(crate) late: Option<Late>,
}

/// The transmissions of a port whose departures are foreseen ([`crate::network`]'s `foreseen`): carried out after the fact.
pub(crate) struct Trail {
    pub(crate) transmitter: Transmitter,
    /// End of the transmission under way; [`Time::NEVER`] if the transmitter found the queue empty.
    pub(crate) free_at: Time,
    /// As [`crate::network::Network::fetches`].
    pub(crate) fetches: bool,
}

impl Trail {
    /// Before the first packet, on a link with this transmitter.
    pub(crate) fn new(transmitter: Transmitter, fetches: bool) -> Self {
        Self { transmitter, free_at: Time::NEVER, fetches }
    }
}

/// The way from a port onto its link.
#[derive(Clone, Copy)]
pub(crate) struct Outlet {
    /// Number of the link.
    pub(crate) link: u32,
    /// Rank of the end of a transmission in the event queue.
    pub(crate) rank: u32,
    /// Number of the link's [`crate::link_changes::LinkChanges`], or [`STEADY`].
    pub(crate) changes: u32,
}

/// The link never changes.
pub(crate) const STEADY: u32 = u32::MAX;

/// State of the transmitter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It found the queue empty.
    Idle,
    /// It transmits, or waits for the end of an outage.
    Busy,
    /// The discipline holds its packets back until a given time.
    Held,
}

impl Port {
    /// Bring the statistics up to `now`.
    pub(crate) fn settle(&self, now: Time, stats: &mut QueueStats) {
        if stats.is_due(now) {
            stats.sample(now, |show| self.queue.gauges(show));
        }
        stats.advance(now);
    }

    /// Reschedule the discipline's timer where it may move at every operation.
    #[expect(clippy::inline_always, reason = "measured: 25 instructions a packet of 1700")]
    #[inline(always)]
    pub(crate) fn update_timer(&self, events: &mut EventQueue) {
        if self.timer_moves {
            events.set(self.timer_rank, self.queue.next_timeout().unwrap_or(Time::NEVER));
        }
    }

    /// Take the answer of the discipline, or of its device queue, to a free transmitter: the packet to send, if there is
    /// one. Otherwise the port waits as the answer says.
    #[expect(clippy::inline_always, reason = "measured: the packet is not copied")]
    #[inline(always)]
    pub(crate) fn take(&mut self, next: Next<SimPacket>, events: &mut EventQueue) -> Option<SimPacket> {
        match next {
            Next::Send(packet) => {
                self.state = State::Busy;
                return Some(packet);
            }
            Next::Empty => {
                self.state = State::Idle;
                events.clear(self.outlet.rank);
                events.set(self.timer_rank, self.queue.next_timeout().unwrap_or(Time::NEVER));
            }
            Next::NotBefore(time) => {
                self.state = State::Held;
                events.set(self.outlet.rank, time);
            }
        }
        None
    }

    /// One operation on the queue under observation; samples that are due are taken before it changes anything. `number`
    /// is the port's.
    #[expect(clippy::inline_always, reason = "measured: 20 instructions a packet of 1500")]
    #[inline(always)]
    pub(crate) fn operate<T>(
        &mut self,
        number: usize,
        now: Time,
        tally: &mut Tally,
        facts: &FlowFacts,
        operation: impl FnOnce(&mut PortQueue, Env<'_, SimPacket, Tally>) -> T,
    ) -> T {
        let (queue, env) = self.begin(number, now, tally, facts);
        operation(queue, env)
    }

    /// As [`Port::operate`]; the caller carries out the operation.
    #[expect(clippy::inline_always, reason = "as `operate`")]
    #[inline(always)]
    pub(crate) fn begin<'a>(
        &'a mut self,
        number: usize,
        now: Time,
        tally: &'a mut Tally,
        facts: &'a FlowFacts,
    ) -> (&'a mut PortQueue, Env<'a, SimPacket, Tally>) {
        let Self { queue, rng, outlet, .. } = self;
        let stats = &mut tally.queues[number];
        if stats.is_due(now) {
            stats.sample(now, |show| queue.gauges(show));
        }
        (tally.port, tally.link) = (number as u32, outlet.link);
        (queue, Env { now, rng, probe: tally, facts })
    }
}

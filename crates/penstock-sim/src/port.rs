//! A port: the queue in front of a link, and the mode in which its departures are computed.
//!
//! Each [`Mode`] has its own file. `arrive` offers a packet to the queue, `answer` starts the transmission of the packet that the
//! discipline gave to a free transmitter, and `unsent` returns the unsent part of the packet in transmission. None of
//! them routes packets: they return how a packet crosses the link as a [`Crossing`], and the network passes the packet
//! on.
//!
//! All modes give the same results. A port may use the modes that its queue, its link and the run permit ([`Modes`]).

mod device_queue;
mod discipline;
mod evented;
mod handover;
mod lazy;
mod modes;
mod port_queue;
mod precomputed;

pub(crate) use device_queue::DeviceQueue;
pub(crate) use discipline::{BoxedDiscipline, PortDiscipline, Prototype};
pub(crate) use evented::Evented;
pub(crate) use handover::Handover;
pub(crate) use lazy::Lazy;
pub use modes::Modes;
pub(crate) use port_queue::{Outlet, PortQueue};
pub(crate) use precomputed::Precomputed;

use crate::changing_link::ChangingLink;
use crate::event_queue::EventQueue;
use crate::flow::FlowFacts;
use crate::link::Link;
use crate::packet::SimPacket;
use crate::tally::Tally;
use penstock_aqm::Next;
use penstock_core::Time;

/// A simulated queue and the transmitter that it feeds.
pub(crate) struct Port {
    pub(crate) queue: PortQueue,
    pub(crate) mode: Mode,
}

/// How a port computes its departures.
// Has a separate tag, like `PortDiscipline`.
#[repr(u8)]
pub(crate) enum Mode {
    /// With an event at the end of each transmission.
    Evented(Evented),
    /// On demand: before the next arrival, or at a deadline.
    Lazy(Lazy),
    /// When the packet arrives.
    Precomputed(Precomputed),
}

/// State of a transmitter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TransmitterState {
    /// It found the queue empty.
    Idle,
    /// It transmits, or waits for the end of an outage.
    Busy,
    /// The discipline holds its packets back until a given time.
    Held,
}

/// The reaction of a transmitter to the discipline's answer.
struct Reaction {
    state: TransmitterState,
    /// When the transmitter asks for the next packet; [`Time::NEVER`] if it waits for an arrival.
    asks_at: Time,
    /// How the packet crosses the link; `None` if no packet is sent, or if the link reorders it.
    crossing: Option<Crossing>,
}

/// A free transmitter's reaction to `next`. `transmit` starts the transmission of a packet; it returns the end of the
/// transmission and how the packet crosses the link.
#[expect(clippy::inline_always, reason = "on the packet path of two modes")]
#[inline(always)]
fn react(next: &Next<SimPacket>, transmit: impl FnOnce(&SimPacket) -> (Time, Option<Crossing>)) -> Reaction {
    match next {
        Next::Send(packet) => {
            let (asks_at, crossing) = transmit(packet);
            Reaction { state: TransmitterState::Busy, asks_at, crossing }
        }
        Next::Empty => Reaction { state: TransmitterState::Idle, asks_at: Time::NEVER, crossing: None },
        Next::NotBefore(time) => Reaction { state: TransmitterState::Held, asks_at: *time, crossing: None },
    }
}

/// The parts of the network that the operations of a port read and change.
pub(crate) struct Surroundings<'a> {
    // References to whole vectors: a slice would be split into pointer and length, which would be spilled.
    pub(crate) links: &'a mut Vec<Link>,
    pub(crate) changes: &'a mut Vec<ChangingLink>,
    pub(crate) events: &'a mut EventQueue,
    pub(crate) tally: &'a mut Tally,
    pub(crate) facts: &'a FlowFacts,
}

/// How a departing packet crosses the link.
#[derive(Clone, Copy)]
pub(crate) struct Crossing {
    /// When the packet will be at the far end of the link.
    pub(crate) arrival: Time,
    /// The delay line of the link.
    pub(crate) line: u32,
}

impl Port {
    /// Index of its link among the changing links, if the link changes during the run.
    pub(crate) fn changes(&self) -> Option<usize> {
        match &self.mode {
            Mode::Evented(evented) => evented.changes(),
            Mode::Lazy(_) | Mode::Precomputed(_) => None,
        }
    }

    /// Packets and bytes in the port that have neither left nor been dropped.
    pub(crate) fn backlog(&self) -> (u32, u64) {
        let (packets, bytes) = match &self.mode {
            // The departure of a packet is known when it arrives; the queue still holds packets only for its
            // statistics.
            Mode::Precomputed(_) => return (0, 0),
            Mode::Evented(evented) => evented.device_backlog(),
            Mode::Lazy(_) => (0, 0),
        };
        let waiting = self.queue.discipline.backlog();
        (waiting.packets + packets, waiting.bytes + bytes)
    }

    /// When the transmitter asks for the next packet without an event; [`Time::NEVER`] if it does not.
    #[inline]
    pub(crate) fn deferred(&self) -> Time {
        match &self.mode {
            Mode::Lazy(lazy) => lazy.free_at(),
            Mode::Evented(_) | Mode::Precomputed(_) => Time::NEVER,
        }
    }

    /// The part of the packet in transmission that is unsent at `now`, in 1e-9 bits.
    pub(crate) fn unsent(&self, now: Time, links: &[Link], changes: &[ChangingLink]) -> u128 {
        let transmitter = &links[self.queue.outlet.link as usize].transmitter;
        match &self.mode {
            Mode::Evented(evented) => evented.unsent(now, transmitter, changes),
            Mode::Lazy(lazy) => lazy.unsent(now, transmitter),
            Mode::Precomputed(precomputed) => precomputed.unsent(&self.queue, now, transmitter),
        }
    }
}

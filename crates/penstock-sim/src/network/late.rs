//! Ports whose departures are carried out late.
//!
//! Which packet leaves a queue at some time depends on what the queue got up to then, but matters to nothing else before the
//! packet could be at the far end of the link. So a departure needs no event: it is carried out with its own time before
//! whatever happens next at the port, the arrival of a packet or a timer. An event only sees to it that this is not too late:
//! one in each propagation delay instead of one for each packet. The queue sees the same calls with the same times as with
//! events, and so does whoever gets the packet.
//!
//! Unlike departures that are foreseen these may be of any discipline that no shaper or device queue stands before or behind.

use super::Network;
use crate::packet::SimPacket;
use crate::port::{Port, State};
use penstock_aqm::Next;
use penstock_core::Time;

/// The state of a port that carries out departures late.
#[derive(Clone, Copy)]
pub(crate) struct Late {
    /// When the transmitter asks for the next packet; [`Time::NEVER`] if it found the queue empty.
    pub(crate) free_at: Time,
    /// Whether the event is set by which a departure is carried out at the latest.
    is_awaited: bool,
}

impl Late {
    /// Before the first packet.
    pub(crate) const IDLE: Self = Self { free_at: Time::NEVER, is_awaited: false };
}

impl Network {
    /// A packet arrives at port `number`.
    #[expect(clippy::inline_always, reason = "its only caller is `Network::enqueue`")]
    #[inline(always)]
    pub(super) fn enqueue_late(&mut self, number: usize, now: Time, packet: &mut SimPacket) {
        let Some(Late { mut free_at, .. }) = self.ports[number].late else { return };
        while free_at <= now {
            free_at = self.depart_inline(number, free_at);
        }
        let Self { ports, tally, facts, .. } = self;
        let port = &mut ports[number];
        if port.loss.is_some() && tally.is_lost(number, now, port, packet) {
            return;
        }
        let (queue, env) = port.begin(number, now, tally, facts);
        queue.enqueue(env, *packet);
        if port.state != State::Busy {
            self.depart(number, now);
            self.await_departure(number);
        }
    }

    /// Carry out all departures from port `number` up to and including `until`.
    #[inline]
    pub(super) fn depart_until(&mut self, number: usize, until: Time) {
        let Some(Late { mut free_at, .. }) = self.ports[number].late else { return };
        while free_at <= until {
            free_at = self.depart(number, free_at);
        }
    }

    /// A departure from port `number` has waited as long as it may.
    pub(super) fn on_late(&mut self, number: usize, now: Time) {
        self.depart_until(number, now);
        self.events.clear(self.ports[number].outlet.rank);
        if let Some(late) = &mut self.ports[number].late {
            late.is_awaited = false;
        }
        self.await_departure(number);
    }

    /// See to it that the next departure from port `number`, if there is one, is carried out before it matters.
    fn await_departure(&mut self, number: usize) {
        let Port { outlet, late: Some(late), .. } = &mut self.ports[number] else { return };
        if late.free_at != Time::NEVER && !late.is_awaited {
            late.is_awaited = true;
            self.events.set(outlet.rank, late.free_at + self.links[outlet.link as usize].delay);
        }
    }

    /// As [`Network::depart_inline`], out of line.
    #[inline(never)]
    fn depart(&mut self, number: usize, now: Time) -> Time {
        self.depart_inline(number, now)
    }

    /// The transmitter of port `number` asks for the next packet at `now`; returns when it does so again.
    #[expect(clippy::inline_always, reason = "measured: 30 instructions a packet of 1600")]
    #[inline(always)]
    fn depart_inline(&mut self, number: usize, now: Time) -> Time {
        let Self { ports, tally, facts, events, links, .. } = self;
        let port = &mut ports[number];
        let (queue, env) = port.begin(number, now, tally, facts);
        let mut next = queue.dequeue(env);
        let Some(late) = &mut port.late else { return Time::NEVER };
        match next {
            Next::Send(ref mut packet) => {
                let link = &mut links[port.outlet.link as usize];
                let end = now + link.transmitter.transmission(packet.size);
                (port.state, late.free_at) = (State::Busy, end);
                let (arrival, line) = (end + link.delay, link.line);
                self.propagate(arrival, line, packet);
                end
            }
            Next::Empty => {
                (port.state, late.free_at) = (State::Idle, Time::NEVER);
                events.set(port.timer_rank, port.queue.next_timeout().unwrap_or(Time::NEVER));
                Time::NEVER
            }
            Next::NotBefore(time) => {
                (port.state, late.free_at) = (State::Held, time);
                time
            }
        }
    }
}

//! Observations of a run: events at its watched queues, the packets that wait there, and the bytes that flows receive.

use crate::packet::Kind;
use crate::trace::{TraceEvent, TraceRow};
use penstock_aqm::Cause;
use penstock_core::{Rate, Span, Time};
use std::collections::VecDeque;

/// Number of events kept until they are requested; older events are discarded.
const KEPT: usize = 2048;

/// An event at a watched queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// Its time.
    pub time: Time,
    /// Its kind.
    pub event: TraceEvent,
    /// The link.
    pub link: u32,
    /// The flow of the scenario.
    pub flow: u32,
    /// Packet number.
    pub seq: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Cause of a drop or mark.
    pub cause: Option<Cause>,
    /// Waiting time, of a packet that leaves the queue.
    pub waited: Span,
}

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waiting {
    /// Its arrival.
    pub since: Time,
    /// The flow of the scenario.
    pub flow: u32,
    /// Packet number.
    pub seq: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Its kind.
    pub kind: Kind,
    /// Whether this queue marked it.
    pub marked: bool,
}

/// A queue and its link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkState {
    /// Waiting packets.
    pub packets: u32,
    /// Waiting bytes.
    pub bytes: u64,
    /// Packets that arrived since the end of the warm-up.
    pub arrivals: u64,
    /// Packets whose transmission started.
    pub departures: u64,
    /// Packets that were marked.
    pub marks: u64,
    /// Packets that were dropped.
    pub drops: u64,
    /// Bits sent.
    pub sent_bits: u64,
    /// Present rate.
    pub rate: Rate,
    /// Present propagation delay.
    pub delay: Span,
    /// For a link that can change: largest round trip of its flows without queueing.
    pub rtt: Option<Span>,
}

/// Watches queues and receivers.
pub(super) struct Observer {
    seen: VecDeque<Seen>,
    queues: Vec<SeenQueue>,
    /// By flow: bytes on the wire that reached its receiver.
    received: Vec<u64>,
}

#[derive(Clone, Default)]
struct SeenQueue {
    waiting: Vec<Waiting>,
    /// Whether the packet that arrives now was marked.
    marks_next: bool,
    delays: Vec<u32>,
}

impl Observer {
    pub(super) fn new(links: usize) -> Self {
        Self { seen: VecDeque::new(), queues: vec![SeenQueue::default(); links], received: Vec::new() }
    }

    /// An event of a packet of `flow`, a flow of the scenario.
    pub(super) fn see(&mut self, row: &TraceRow, flow: u32) {
        match row.event {
            TraceEvent::Send => return,
            TraceEvent::Receive => {
                if row.kind != Kind::Ack {
                    let flow = flow as usize;
                    if self.received.len() <= flow {
                        self.received.resize(flow + 1, 0);
                    }
                    self.received[flow] += u64::from(row.size);
                }
                return;
            }
            _ => {}
        }
        let waited = self.queues[row.link as usize].follow(row, flow);
        let TraceRow { time, event, link, seq, size, cause, .. } = *row;
        if self.seen.len() == KEPT {
            self.seen.pop_front();
        }
        self.seen.push_back(Seen { time, event, link, flow, seq, size, cause, waited });
    }

    pub(super) fn take(&mut self) -> Vec<Seen> {
        self.seen.drain(..).collect()
    }

    pub(super) fn waiting(&self, link: usize) -> &[Waiting] {
        self.queues.get(link).map_or(&[], |queue| &queue.waiting)
    }

    pub(super) fn delays(&self, link: usize) -> &[u32] {
        self.queues.get(link).map_or(&[], |queue| &queue.delays)
    }

    pub(super) fn received(&self, flow: u32) -> u64 {
        self.received.get(flow as usize).copied().unwrap_or_default()
    }
}

impl SeenQueue {
    /// Keep the waiting packets up to date; returns the waiting time of a packet that leaves.
    fn follow(&mut self, row: &TraceRow, flow: u32) -> Span {
        let TraceRow { time, seq, size, kind, cause, .. } = *row;
        let is_it = |waiting: &Waiting| (waiting.flow, waiting.seq, waiting.kind) == (flow, seq, kind);
        match row.event {
            TraceEvent::Arrive => self.marks_next = false,
            // An arriving packet is marked before it is queued, a packet at the head after it was taken out.
            TraceEvent::Mark => self.marks_next = true,
            TraceEvent::Enqueue => {
                let marked = std::mem::take(&mut self.marks_next);
                self.waiting.push(Waiting { since: time, flow, seq, size, kind, marked });
            }
            TraceEvent::Dequeue => {
                let Some(place) = self.waiting.iter().position(is_it) else { return Span::ZERO };
                let waited = time - self.waiting.remove(place).since;
                let bin = delay_bin(waited);
                if self.delays.len() <= bin {
                    self.delays.resize(bin + 1, 0);
                }
                self.delays[bin] += 1;
                self.marks_next = false;
                return waited;
            }
            TraceEvent::Drop if cause.is_some_and(Cause::was_queued) => {
                if let Some(place) = self.waiting.iter().position(is_it) {
                    self.waiting.remove(place);
                }
            }
            TraceEvent::Drop | TraceEvent::Send | TraceEvent::Receive => {}
        }
        Span::ZERO
    }
}

/// Bins of equal width within each octave of microseconds.
const BINS_PER_OCTAVE: u64 = 8;

/// The bin of this waiting time: below 8 us bins of 1 us, then eight of equal width in each octave.
fn delay_bin(waited: Span) -> usize {
    let micros = waited.as_nanos() / 1000;
    if micros < BINS_PER_OCTAVE {
        return micros as usize;
    }
    let octave = u64::from(micros.ilog2()) - 3;
    (octave * BINS_PER_OCTAVE + (micros >> octave)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_rise_and_are_at_most_an_eighth_wide() {
        let bin = |micros: u64| delay_bin(Span::from_micros(micros));
        assert_eq!((bin(0), bin(7), bin(8), bin(15), bin(16), bin(17), bin(18)), (0, 7, 8, 15, 16, 16, 17));
        for micros in 1..5000 {
            let step = bin(micros + 1) - bin(micros);
            assert!(step <= 1, "{micros}");
            assert!(bin(micros + micros / 8 + 1) > bin(micros), "{micros}");
        }
    }
}

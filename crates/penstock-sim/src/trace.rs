//! Packet events in columns.

use crate::packet::{Kind, SimPacket};
use penstock_aqm::{Cause, Report};
use penstock_core::{Span, Time};
pub use penstock_link::TraceEvent;

/// One event of a packet.
#[derive(Clone, Copy, Debug)]
pub struct TraceRow {
    /// Time.
    pub time: Time,
    /// Kind of event.
    pub event: TraceEvent,
    /// The link; meaningless for `send` and `receive`.
    pub link: u32,
    /// The flow.
    pub flow: u32,
    /// Kind of the packet.
    pub kind: Kind,
    /// Packet number; for an ACK the number of the next packet expected.
    pub seq: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Time in the queue until this event; zero for a packet that was not queued.
    pub waited: Span,
    /// Cause of a drop or mark; `None` for a loss of the link itself.
    pub cause: Option<Cause>,
}

/// A sender's window after a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowRow {
    /// Time.
    pub time: Time,
    /// The flow.
    pub flow: u32,
    /// Congestion window in packets.
    pub cwnd: f64,
    /// Slow-start threshold in packets.
    pub ssthresh: f64,
}

/// The rows of a run.
#[derive(Default)]
pub struct Trace {
    /// Packet events, in order of time.
    pub rows: Vec<TraceRow>,
    /// Window changes, in order of time.
    pub windows: Vec<WindowRow>,
    watched: Vec<bool>,
    /// By flow: the last recorded window and threshold.
    last: Vec<(f64, f64)>,
}

impl Trace {
    /// An empty trace of the queues marked in `watched`.
    pub(crate) fn new(watched: Vec<bool>) -> Self {
        Self { rows: Vec::new(), windows: Vec::new(), watched, last: Vec::new() }
    }

    pub(crate) fn send(&mut self, now: Time, packet: &SimPacket) {
        self.push(now, TraceEvent::Send, 0, packet, Span::ZERO, None);
    }

    pub(crate) fn receive(&mut self, now: Time, packet: &SimPacket) {
        self.push(now, TraceEvent::Receive, 0, packet, Span::ZERO, None);
    }

    pub(crate) fn arrive(&mut self, now: Time, link: u32, packet: &SimPacket) {
        if self.watched[link as usize] {
            self.push(now, TraceEvent::Arrive, link, packet, Span::ZERO, None);
        }
    }

    /// The link itself lost the packet in front of its queue: a drop without a cause.
    pub(crate) fn lose(&mut self, now: Time, link: u32, packet: &SimPacket) {
        if self.watched[link as usize] {
            self.push(now, TraceEvent::Drop, link, packet, Span::ZERO, None);
        }
    }

    /// Fate of a packet at the queue of `link`.
    pub(crate) fn fate(&mut self, event: TraceEvent, report: &Report<'_, SimPacket>, link: u32, cause: Option<Cause>) {
        if self.watched[link as usize] {
            self.push(report.now, event, link, report.packet, report.now - report.enqueued, cause);
        }
    }

    /// Record the window if it changed.
    pub(crate) fn record_window(&mut self, row: WindowRow) {
        let flow = row.flow as usize;
        if self.last.len() <= flow {
            self.last.resize(flow + 1, (f64::NAN, f64::NAN));
        }
        if self.last[flow] != (row.cwnd, row.ssthresh) {
            self.last[flow] = (row.cwnd, row.ssthresh);
            self.windows.push(row);
        }
    }

    fn push(
        &mut self,
        time: Time,
        event: TraceEvent,
        link: u32,
        packet: &SimPacket,
        waited: Span,
        cause: Option<Cause>,
    ) {
        let SimPacket { flow, labels, seq, size, .. } = *packet;
        self.rows.push(TraceRow { time, event, link, flow, kind: labels.kind(), seq, size, waited, cause });
    }

    /// Sort the rows by time, without events computed ahead of time beyond `end`. `owners` gives, for each flow from
    /// number `users` on, the flow of the scenario that it served.
    pub(crate) fn finish(&mut self, end: Time, users: usize, owners: &[u32]) {
        let owner = |flow: u32| (flow as usize).checked_sub(users).map_or(flow, |extra| owners[extra]);
        self.rows.iter_mut().for_each(|row| row.flow = owner(row.flow));
        self.windows.iter_mut().for_each(|row| row.flow = owner(row.flow));
        self.rows.retain(|row| row.time <= end);
        self.rows.sort_by_key(|row| row.time);
    }
}

//! Events of real packets.

use crate::frame::Frame;
use penstock_aqm::Cause;
use penstock_core::{Ecn, Time};
use penstock_link::TraceEvent;

/// One event of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRow {
    /// Time of the virtual clock.
    pub time: Time,
    /// Kind of event.
    pub event: TraceEvent,
    /// Number of the link; meaningless for `send` and `receive`.
    pub link: u32,
    /// Number of the flow.
    pub flow: u32,
    /// Number of the packet, in the order of arrivals from the hosts.
    pub number: u32,
    /// Bytes on the link.
    pub size: u32,
    /// ECN field after the event.
    pub ecn: Ecn,
    /// IP protocol number.
    pub protocol: u8,
    /// Cause of a drop or mark; `None` for a loss of the link itself.
    pub cause: Option<Cause>,
}

/// All events, in order of time.
#[derive(Default)]
pub(crate) struct Trace {
    pub(crate) rows: Vec<TraceRow>,
}

impl Trace {
    /// Append an event at this link.
    pub(crate) fn record(&mut self, event: TraceEvent, time: Time, link: u32, frame: &Frame, cause: Option<Cause>) {
        let Frame { flow, number, size, ecn, protocol, .. } = *frame;
        self.rows.push(TraceRow { time, event, link, flow, number, size, ecn, protocol, cause });
    }
}

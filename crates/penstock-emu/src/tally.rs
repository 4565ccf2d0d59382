//! Counts of real packets, fed by the reports of queues.

use crate::capture::Capture;
use crate::frame::{Frame, FramePool};
use crate::trace::Trace;
use penstock_aqm::{Cause, Probe, Report};
use penstock_core::Time;
use penstock_link::TraceEvent;
use penstock_link::probe::queue::QueueStats;

/// Counts of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowCounts {
    /// Packets that came from its host.
    pub arrivals: u64,
    /// Packets that queues dropped or links lost.
    pub drops: u64,
    /// Packets that queues marked.
    pub marks: u64,
    /// Bytes handed to the host at the other end.
    pub bytes: u64,
    /// Bits that crossed the first watched link of the flow's route.
    pub crossed_bits: u64,
}

/// All counts; the probe of the queues.
pub(crate) struct Tally {
    /// By link: statistics of its queue.
    pub(crate) queues: Vec<QueueStats>,
    /// The link whose queue is being operated on.
    pub(crate) link: u32,
    /// By hop: whether the bits that cross its link count as the throughput of the flow.
    pub(crate) counted: Vec<bool>,
    /// By flow.
    pub(crate) flows: Vec<FlowCounts>,
    pub(crate) pool: FramePool,
    pub(crate) trace: Option<Trace>,
    pub(crate) capture: Capture,
    /// Packets on the links, which arrived and have neither left nor been lost.
    pub(crate) under_way: u64,
}

impl Tally {
    /// The packet was dropped by a queue or lost by a link: its buffer is free. The flow did not send the copy, so its
    /// loss does not count for the flow.
    pub(crate) fn lose(&mut self, frame: &Frame) {
        self.flows[frame.flow as usize].drops += u64::from(!frame.is_copy);
        self.remove(frame);
    }

    /// The packet is no longer on the links: its buffer is free.
    fn remove(&mut self, frame: &Frame) {
        self.under_way -= 1;
        self.pool.give_back(frame.slot);
    }

    /// A copy of this packet on the same link; `None` if there is no buffer for it.
    pub(crate) fn copy(&mut self, frame: &Frame) -> Option<Frame> {
        let slot = self.pool.copy(frame.slot)?;
        self.under_way += 1;
        Some(Frame { slot, is_copy: true, ..*frame })
    }

    /// Statistics of the queue that is being operated on.
    fn queue(&mut self) -> &mut QueueStats {
        &mut self.queues[self.link as usize]
    }

    /// Record an event of a packet, if events are recorded.
    pub(crate) fn record(&mut self, event: TraceEvent, now: Time, frame: &Frame, cause: Option<Cause>) {
        if let Some(trace) = &mut self.trace {
            trace.record(event, now, self.link, frame, cause);
        }
    }
}

impl Probe<Frame> for Tally {
    fn queued(&mut self, report: &Report<'_, Frame>) {
        self.queue().queued(report, report.packet.dscp);
        self.record(TraceEvent::Enqueue, report.now, report.packet, None);
    }

    fn sent(&mut self, report: &Report<'_, Frame>) {
        let frame = report.packet;
        let queue = self.queue();
        let bits = u64::from(queue.framing.wire_size(frame.size)) * 8;
        queue.sent(report, frame.dscp);
        queue.sent_bits += bits;
        if self.counted[frame.hop as usize] {
            self.flows[frame.flow as usize].crossed_bits += bits;
        }
        self.record(TraceEvent::Dequeue, report.now, frame, None);
        if self.capture.has(self.link) {
            self.capture.sent(report.now, self.link, self.pool.outgoing_packet(frame));
        }
    }

    fn marked(&mut self, report: &Report<'_, Frame>, cause: Cause) {
        self.queue().marked(report, report.packet.dscp);
        self.flows[report.packet.flow as usize].marks += 1;
        self.record(TraceEvent::Mark, report.now, report.packet, Some(cause));
    }

    fn dropped(&mut self, report: &Report<'_, Frame>, cause: Cause) {
        if cause == Cause::Policed {
            // The packet did not reach the queue.
            self.queue().policed += 1;
        } else {
            self.queue().dropped(report, cause, report.packet.dscp);
        }
        self.record(TraceEvent::Drop, report.now, report.packet, Some(cause));
        if cause == Cause::Filtered { self.remove(report.packet) } else { self.lose(report.packet) }
    }
}

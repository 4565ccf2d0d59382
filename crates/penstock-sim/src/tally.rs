//! Counts of packets and flows in the network, fed by the reports of queues.

use crate::flow::Flow;
use crate::packet::{COPY, NO_SACK, SackTable, SimPacket};
use crate::pcap::Capture;
use crate::probe::blocks::Blocks;
use crate::probe::flow::{LossRuns, Window};
use crate::probe::frames::Frames;
use crate::probe::one_way::OneWayDelays;
use crate::routes::DataCounts;
use crate::trace::{Trace, TraceEvent};
use penstock_aqm::{Backlog, Cause, Probe, Report};
use penstock_core::Time;
use penstock_link::probe::queue::{NANOBITS, NO_FLOW, QueueStats};
use penstock_prefetch::prefetch;

/// Packets and bytes in the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    // Not as wide as `bytes`: otherwise the compiler packs each update of the two into a vector, which takes longer.
    pub(crate) packets: u32,
    pub(crate) bytes: u64,
}

impl Amount {
    #[inline]
    pub(crate) fn add(&mut self, packet: &SimPacket) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
    }

    /// The size of a packet changes.
    #[inline]
    pub(crate) fn replace(&mut self, size: u32, by: u32) {
        self.bytes = self.bytes.wrapping_sub(u64::from(size)).wrapping_add(u64::from(by));
    }

    #[inline]
    fn remove(&mut self, packet: &SimPacket) {
        // If more packets are lost and delivered than sent, the end of the run reports it.
        self.packets = self.packets.wrapping_sub(1);
        self.bytes = self.bytes.wrapping_sub(u64::from(packet.size));
    }
}

/// All counts of the network; the probe of its queues.
pub(crate) struct Tally {
    /// By port: statistics of its queue.
    pub(crate) queues: Vec<QueueStats>,
    /// The port whose queue is being operated on.
    pub(crate) port: u32,
    /// By port: the number of the link behind it.
    pub(crate) links: Vec<u32>,
    /// By hop: what it counts of data packets.
    pub(crate) data_counts: Vec<DataCounts>,
    pub(crate) flows: Vec<Flow>,
    /// By traffic group.
    pub(crate) loss_runs: Vec<LossRuns>,
    /// By flow: its blocks of forward error correction; empty if there are none.
    pub(crate) blocks: Vec<Option<Box<Blocks>>>,
    /// By traffic group: one-way delays of its datagrams.
    pub(crate) one_way: Vec<Option<OneWayDelays>>,
    /// By flow of the scenario: its video frames; empty if no flow has any.
    pub(crate) frames: Vec<Frames>,
    pub(crate) sacks: SackTable,
    pub(crate) window: Window,
    /// Sent, and neither delivered nor lost.
    pub(crate) under_way: Amount,
    /// Whether anything beyond the sums of the statistics is kept for queues: a trace, a capture, series, counts by
    /// codepoint, or device queues. One test then decides about all of them.
    pub(crate) observed: bool,
    pub(crate) trace: Option<Box<Trace>>,
    pub(crate) capture: Option<Box<Capture>>,
}

impl Tally {
    /// The packet was dropped by a queue or lost by a link.
    #[cold]
    pub(crate) fn lose(&mut self, now: Time, packet: &SimPacket) {
        self.under_way.remove(packet);
        if packet.labels.is_ack() {
            if packet.extra != NO_SACK {
                self.sacks.take(packet.extra);
            }
            return;
        }
        // The flow did not send a copy, so it does not lose it either.
        if self.window.contains(now) && !packet.labels.has(COPY) {
            self.flows[packet.flow as usize].stats.on_loss(self.window.start <= packet.stamp);
        }
        if let Some(Some(blocks)) = self.blocks.get_mut(packet.flow as usize) {
            blocks.lose(packet.seq);
        }
        if let Some(frames) = self.frames.get_mut(packet.flow as usize) {
            frames.lose(packet.seq);
        }
    }

    /// The statistics start while `unsent` of the last packet of this port, in 1e-9 bits, is still to be sent: that part
    /// belongs to them.
    pub(crate) fn begin_within_packet(&mut self, port: usize, unsent: u128) {
        let queue = &mut self.queues[port];
        queue.edge_nanobits += unsent.cast_signed();
        if let Some(flow) = self.flows.get_mut(queue.crossing as usize) {
            flow.stats.crossed_bits += (unsent / NANOBITS) as u64;
        }
    }

    /// The statistics end while `unsent` of the last packet of this port, in 1e-9 bits, is still to be sent: that part
    /// does not belong to them.
    pub(crate) fn end_within_packet(&mut self, port: usize, unsent: u128) {
        let queue = &mut self.queues[port];
        queue.edge_nanobits -= unsent.cast_signed();
        if let Some(flow) = self.flows.get_mut(queue.crossing as usize) {
            // Both ends may lie within one bit.
            let crossed = &mut flow.stats.crossed_bits;
            *crossed = crossed.saturating_sub(unsent.div_ceil(NANOBITS) as u64);
        }
    }

    /// The link lost the packet in front of the queue of this port.
    pub(crate) fn lose_in_front(&mut self, now: Time, port: u32, link: u32, packet: &SimPacket) {
        self.queues[port as usize].link_losses += 1;
        if let Some(trace) = &mut self.trace {
            trace.arrive(now, link, packet);
            trace.lose(now, link, packet);
        }
        self.lose(now, packet);
    }

    /// A copy of this packet enters the network.
    #[cold]
    pub(crate) fn copy(&mut self, packet: &SimPacket) -> SimPacket {
        let mut copy = *packet;
        if !packet.labels.is_ack() {
            copy.labels = packet.labels.with(COPY);
        } else if packet.extra != NO_SACK {
            let blocks = *self.sacks.look(packet.extra);
            copy.extra = self.sacks.keep(blocks);
        }
        self.under_way.add(&copy);
        copy
    }

    /// The packet was accepted by a queue.
    #[inline]
    pub(crate) fn note_survival(&mut self, packet: &SimPacket) {
        // Few packets end a run of losses; acknowledgements never do.
        if self.flows[packet.flow as usize].stats.is_losing() {
            self.survive(packet);
        }
    }

    #[cold]
    fn survive(&mut self, packet: &SimPacket) {
        if !packet.labels.is_ack() && self.data_counts[packet.hop as usize].safe_behind {
            let flow = &mut self.flows[packet.flow as usize];
            flow.stats.on_survival(&mut self.loss_runs[flow.group as usize]);
        }
    }

    /// A connection opens on this flow: if one-way delays are measured, forget those of the previous connection.
    pub(crate) fn begin_delays(&mut self, flow: u32) {
        let Flow { group, measured, .. } = self.flows[flow as usize];
        if let Some(delays) = self.one_way[group as usize].as_mut().filter(|_| measured) {
            delays.begin(flow);
        }
    }

    /// A datagram has reached its receiver.
    pub(crate) fn deliver_datagram(&mut self, now: Time, packet: &SimPacket) {
        // An arrival computed ahead of time, beyond the end of the run, is not part of the run.
        let happens = now <= self.window.end;
        let payloads = match self.blocks.get_mut(packet.flow as usize) {
            Some(Some(blocks)) if happens => blocks.arrive(now, packet.seq),
            _ => 1,
        };
        let flow = &mut self.flows[packet.flow as usize];
        if self.window.contains(now) {
            flow.stats.payload_bytes += u64::from(payloads) * u64::from(packet.extra);
            if let Some(delays) = &mut self.one_way[flow.group as usize] {
                delays.deliver(packet.flow, now - packet.stamp);
            }
        }
        if let Some(frames) = self.frames.get_mut(packet.flow as usize).filter(|_| happens) {
            frames.deliver(packet.seq, packet.size);
        }
    }

    /// Prefetch the receiver of this packet's flow, which the packet will need soon.
    #[inline]
    pub(crate) fn fetch_flow(&self, packet: &SimPacket) {
        if let Some(flow) = self.flows.get(packet.flow as usize) {
            prefetch(flow);
        }
    }

    /// Statistics of the queue that is being operated on.
    #[inline]
    fn queue(&mut self) -> &mut QueueStats {
        &mut self.queues[self.port as usize]
    }

    /// The link behind the queue that is being operated on.
    fn link(&self) -> u32 {
        self.links[self.port as usize]
    }

    #[inline]
    fn trace_fate(&mut self, event: TraceEvent, report: &Report<'_, SimPacket>, cause: Option<Cause>) {
        let link = self.link();
        if let Some(trace) = &mut self.trace {
            trace.fate(event, report, link, cause);
        }
    }

    /// The packet departs: its transmission starts.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 10 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    fn depart(&mut self, report: &Report<'_, SimPacket>) {
        let Self { queues, port, flows, data_counts, window, .. } = self;
        let queue = &mut queues[*port as usize];
        queue.count_sent(report);
        begin_transmission(report.now, report.packet, queue, flows, data_counts, *window);
    }

    /// Show a departure to all observers.
    #[cold]
    fn show_departure(&mut self, report: &Report<'_, SimPacket>) {
        self.queue().note_sent(report, report.packet.dscp);
        self.trace_fate(TraceEvent::Dequeue, report, None);
        let link = self.link();
        if let Some(capture) = &mut self.capture {
            capture.sent(report.now, link, report.packet, &self.sacks);
        }
    }

    /// Show a packet that its discipline sends to all observers; returns whether it departs. Otherwise it waits in the
    /// device queue, and departs when it leaves that queue.
    #[cold]
    fn show_sent(&mut self, report: Report<'_, SimPacket>) -> bool {
        let device = &mut self.queue().device;
        if device.exists {
            device.enqueued = report.enqueued;
            return false;
        }
        self.show_departure(&report);
        true
    }

    /// Show a packet that was queued to all observers.
    #[cold]
    fn show_queued(&mut self, report: Report<'_, SimPacket>) {
        self.queue().note_queued(&report, report.packet.dscp);
        self.trace_fate(TraceEvent::Enqueue, &report, None);
    }

    /// The packet leaves the device queue below a discipline with this backlog; it entered the discipline at `enqueued`.
    pub(crate) fn leave_device(&mut self, now: Time, packet: &SimPacket, enqueued: Time, backlog: &Backlog) {
        self.queue().device.packets -= 1;
        let Backlog { packets, bytes, .. } = *backlog;
        let report = Report { now, packet, enqueued, packets, bytes };
        self.show_departure(&report);
        self.depart(&report);
    }

    /// The packet leaves the network at a host.
    #[inline]
    pub(crate) fn receive(&mut self, now: Time, packet: &SimPacket) {
        self.under_way.remove(packet);
        if let Some(trace) = &mut self.trace {
            trace.receive(now, packet);
        }
    }
}

/// The transmission of this packet starts, behind the queue of these statistics.
#[inline]
pub(crate) fn begin_transmission(
    now: Time,
    packet: &SimPacket,
    queue: &mut QueueStats,
    flows: &mut [Flow],
    data_counts: &[DataCounts],
    window: Window,
) {
    // Transmissions that start at the end do not count in the statistics.
    if now >= window.end {
        return;
    }
    let bits = u64::from(queue.framing.wire_size(packet.size)) * 8;
    let crosses = !packet.labels.is_ack() && data_counts[packet.hop as usize].throughput;
    queue.sent_bits += bits;
    queue.crossing = if crosses { packet.flow } else { NO_FLOW };
    if crosses && window.start <= now {
        flows[packet.flow as usize].stats.crossed_bits += bits;
    }
}

impl Probe<SimPacket> for Tally {
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 10 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    fn queued(&mut self, report: &Report<'_, SimPacket>) {
        if self.observed {
            self.show_queued(*report);
        }
        self.queue().count_queued(report);
        self.note_survival(report.packet);
    }

    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 10 % of the instructions of W2 through fq-codel"
    )]
    #[inline(always)]
    fn sent(&mut self, report: &Report<'_, SimPacket>) {
        if !self.observed || self.show_sent(*report) {
            self.depart(report);
        }
    }

    #[cold]
    fn marked(&mut self, report: &Report<'_, SimPacket>, cause: Cause) {
        self.queue().marked(report, report.packet.dscp);
        self.trace_fate(TraceEvent::Mark, report, Some(cause));
    }

    #[cold]
    fn dropped(&mut self, report: &Report<'_, SimPacket>, cause: Cause) {
        if cause == Cause::Policed {
            // It did not reach the queue.
            self.queue().policed += 1;
        } else {
            self.queue().dropped(report, cause, report.packet.dscp);
        }
        self.lose(report.now, report.packet);
        self.trace_fate(TraceEvent::Drop, report, Some(cause));
    }
}

//! What the network counts about flows and packets while queues report their fates.

use crate::ahead::Ahead;
use crate::packet::{ACE_SHIFT, ECE, Kind, Labels, NO_SACK, RETRANSMISSION, SackTable, SimPacket};
use crate::pcap::Capture;
use crate::probe::blocks::Blocks;
use crate::probe::flow::{FlowStats, LossRuns, Window};
use crate::probe::frames::Frames;
use crate::probe::queue::QueueStats;
use crate::trace::{Trace, TraceEvent};
use penstock_aqm::{Cause, Facts, Probe, Report};
use penstock_core::{Ecn, Rare, Span, Time};
use penstock_tcp::{Receiver, ReceiverAck};

/// One step of a route.
#[derive(Clone, Copy)]
pub(crate) struct Hop {
    /// The link to take.
    pub(crate) link: u32,
    /// Whether the route ends behind it.
    pub(crate) last: bool,
    /// Whether what this link delivers can be handed on the moment its time of arrival is known.
    pub(crate) ahead: Ahead,
    /// Whether data that gets into this queue can no longer be lost.
    pub(crate) safe_behind: bool,
    /// Whether bytes of data are counted here as having crossed the watched link.
    pub(crate) counted: bool,
}

/// What the network knows of a flow: how it goes on at its far end. In the order of use, from the beginning of a cache
/// line.
#[repr(C, align(64))]
pub(crate) struct Flow {
    pub(crate) stats: FlowStats,
    /// First hop of its acknowledgements.
    pub(crate) ack_hop: u32,
    /// The traffic group it belongs to.
    pub(crate) group: u32,
    /// Rank of the timer of a receiver that delays acknowledgements, else [`PROMPT`].
    pub(crate) receiver_rank: u32,
    /// Codepoint of its packets.
    pub(crate) dscp: u8,
    /// Which of its connections is open.
    pub(crate) epoch: u16,
    /// Of a TCP.
    pub(crate) receiver: Option<Receiver>,
}

/// A receiver without a timer: it answers every packet at once.
pub(crate) const PROMPT: u32 = u32::MAX;

/// What the network knows of flows beyond what their packets carry, for the schemes that ask.
#[derive(Default)]
pub(crate) struct FlowFacts {
    /// Numbers of the hosts that data comes from and goes to; empty if no scheme asks.
    pub(crate) hosts: Vec<(u32, u32)>,
    /// Round-trip times that the senders estimate; empty if no scheme asks.
    pub(crate) rtts: Vec<Option<Span>>,
    /// Of each flow the first packet, the number and the priority of its application data units, or of the parts of these
    /// that differ in priority; empty if no scheme asks or no flow has any.
    pub(crate) units: Vec<Vec<(u32, u32, u8)>>,
}

impl FlowFacts {
    /// The unit that a packet of data belongs to, and its priority.
    fn unit(&self, packet: &SimPacket) -> (u32, u8) {
        let Some(units) = self.units.get(packet.flow as usize) else { return (0, 0) };
        let after = units.partition_point(|(first, ..)| *first <= packet.seq);
        after.checked_sub(1).map_or((0, 0), |place| (units[place].1, units[place].2))
    }
}

impl Facts<SimPacket> for FlowFacts {
    fn rare(&self, packet: &SimPacket) -> Rare {
        let flow = packet.flow as usize;
        let (from, to) = self.hosts[flow];
        let (src, dst) = if packet.labels.is_ack() { (to, from) } else { (from, to) };
        let (adu, priority) = if packet.labels.is_ack() { (0, 0) } else { self.unit(packet) };
        Rare { src, dst, rtt: self.rtts[flow], adu, priority }
    }
}

/// Packets and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
}

impl Amount {
    #[inline]
    pub(crate) fn add(&mut self, packet: &SimPacket) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
    }
}

/// The books of the network, and the probe of all its queues.
pub(crate) struct Tally {
    /// Statistics of each port's queue.
    pub(crate) queues: Vec<QueueStats>,
    /// The port whose queue is being operated on, and its link.
    pub(crate) port: u32,
    pub(crate) link: u32,
    pub(crate) hops: Vec<Hop>,
    pub(crate) flows: Vec<Flow>,
    /// For each traffic group.
    pub(crate) loss_runs: Vec<LossRuns>,
    /// Of flows with forward error correction, by flow; empty if there are none.
    pub(crate) blocks: Vec<Option<Box<Blocks>>>,
    /// Of each flow of the scenario what became of its frames; empty if none has any.
    pub(crate) frames: Vec<Frames>,
    pub(crate) sacks: SackTable,
    pub(crate) window: Window,
    pub(crate) entered: Amount,
    pub(crate) delivered: Amount,
    pub(crate) lost: Amount,
    pub(crate) trace: Option<Box<Trace>>,
    pub(crate) capture: Option<Box<Capture>>,
}

impl Tally {
    /// The packet was dropped by a queue or lost by a link.
    #[cold]
    pub(crate) fn lose(&mut self, now: Time, packet: &SimPacket) {
        self.lost.add(packet);
        if packet.labels.is_ack() {
            if packet.extra != NO_SACK {
                self.sacks.take(packet.extra);
            }
            return;
        }
        if self.window.contains(now) {
            self.flows[packet.flow as usize].stats.on_loss();
        }
        if let Some(Some(blocks)) = self.blocks.get_mut(packet.flow as usize) {
            blocks.lose(packet.seq);
        }
        if let Some(frames) = self.frames.get_mut(packet.flow as usize) {
            frames.lose(packet.seq);
        }
    }

    /// Whether this packet's crossing of a link counts as the flow's throughput.
    #[inline]
    fn counts_crossing(&self, packet: &SimPacket, now: Time) -> bool {
        self.hops[packet.hop as usize].counted && self.window.contains(now)
    }

    /// The packet got into a queue.
    #[cold]
    fn survive(&mut self, packet: &SimPacket) {
        if !packet.labels.is_ack() && self.hops[packet.hop as usize].safe_behind {
            let flow = &mut self.flows[packet.flow as usize];
            flow.stats.on_survival(&mut self.loss_runs[flow.group as usize]);
        }
    }

    /// Whether the receiver at the end of this link lacks the packet; or there is none, or the connection is closed, so that
    /// nobody answers.
    #[inline]
    pub(crate) fn is_lacking(&self, packet: &SimPacket) -> bool {
        let flow = &self.flows[packet.flow as usize];
        let answered = self.hops[packet.hop as usize].last && packet.epoch == flow.epoch;
        !answered || flow.receiver.as_ref().is_some_and(|receiver| receiver.lacks(packet.seq))
    }

    /// The packet with which the receiver of this flow answers.
    #[expect(clippy::inline_always, reason = "measured: 20 instructions a packet of 1800")]
    #[inline(always)]
    pub(crate) fn answer(&mut self, number: u32, ack: &ReceiverAck) -> SimPacket {
        let flow = &self.flows[number as usize];
        let echo = if ack.ece { ECE } else { 0 };
        let repeated = if ack.retransmission { RETRANSMISSION } else { 0 };
        SimPacket {
            stamp: ack.stamp,
            flow: number,
            seq: ack.ack,
            hop: flow.ack_hop,
            size: ack.size,
            labels: Labels::new(Kind::Ack, Ecn::Not, echo | repeated | ack.ace << ACE_SHIFT),
            dscp: flow.dscp,
            epoch: flow.epoch,
            extra: self.sacks.keep(flow.receiver.as_ref().map_or(&[], Receiver::sack_blocks)),
        }
    }

    /// The statistics of the queue that is being operated on.
    #[inline]
    fn queue(&mut self) -> &mut QueueStats {
        &mut self.queues[self.port as usize]
    }

    #[inline]
    fn trace_fate(&mut self, event: TraceEvent, report: &Report<'_, SimPacket>, cause: Option<Cause>) {
        if let Some(trace) = &mut self.trace {
            trace.fate(event, report, self.link, cause);
        }
    }

    /// The packet has left the network at a host.
    #[inline]
    pub(crate) fn receive(&mut self, now: Time, packet: &SimPacket) {
        self.delivered.add(packet);
        if let Some(trace) = &mut self.trace {
            trace.receive(now, packet);
        }
    }
}

impl Probe<SimPacket> for Tally {
    #[expect(clippy::inline_always, reason = "measured: 40 instructions a packet of 1700")]
    #[inline(always)]
    fn queued(&mut self, report: &Report<'_, SimPacket>) {
        self.queue().queued(report, report.packet.dscp);
        // Few packets end a run of losses; acknowledgements never do.
        if self.flows[report.packet.flow as usize].stats.is_losing() {
            self.survive(report.packet);
        }
        self.trace_fate(TraceEvent::Enqueue, report, None);
    }

    #[expect(clippy::inline_always, reason = "measured: 40 instructions a packet of 1700")]
    #[inline(always)]
    fn sent(&mut self, report: &Report<'_, SimPacket>) {
        let packet = report.packet;
        self.queue().sent(report, packet.size, packet.dscp);
        if !packet.labels.is_ack() && self.counts_crossing(packet, report.now) {
            self.flows[packet.flow as usize].stats.crossed_bytes += u64::from(packet.size);
        }
        self.trace_fate(TraceEvent::Dequeue, report, None);
        if let Some(capture) = &mut self.capture {
            capture.sent(report.now, self.link, packet, &self.sacks);
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
            // It never came to the queue.
            self.queue().policed += 1;
        } else {
            self.queue().dropped(report, cause, report.packet.dscp);
        }
        self.lose(report.now, report.packet);
        self.trace_fate(TraceEvent::Drop, report, Some(cause));
    }
}

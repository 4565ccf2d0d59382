//! Flows as the network sees them: the receiver, and facts about flows that packets do not carry.

use crate::packet::{ACE_SHIFT, ECE, Kind, Labels, NO_SACK, RETRANSMISSION, SackTable, SimPacket};
use crate::probe::flow::FlowStats;
use penstock_aqm::Facts;
use penstock_core::{Rare, Span};
use penstock_tcp::{Receiver, ReceiverAck};

/// The receiving end of a flow. Fields are in the order of use, from the beginning of a cache line.
#[repr(C, align(64))]
pub(crate) struct Flow {
    pub(crate) stats: FlowStats,
    /// First hop of its acknowledgements.
    pub(crate) ack_hop: u32,
    /// Number of its traffic group.
    pub(crate) group: u32,
    /// Rank in the event queue of the timer of a receiver that delays acknowledgements, else [`NO_TIMER`].
    pub(crate) receiver_rank: u32,
    /// Codepoint of its packets.
    pub(crate) dscp: u8,
    /// Whether the one-way delays of the open connection of a TCP are measured.
    pub(crate) measured: bool,
    /// Number of its open connection.
    pub(crate) epoch: u16,
    /// The receiver of a TCP flow; `None` while no connection is open.
    pub(crate) receiver: Option<Receiver>,
}

impl Flow {
    /// The ACK of this flow's receiver as a packet; `number` is the number of the flow.
    #[expect(
        clippy::inline_always,
        reason = "with the other calls on the path of a packet, saves 13 % of the instructions of W2"
    )]
    #[inline(always)]
    pub(crate) fn acknowledgement(&self, number: u32, ack: &ReceiverAck, sacks: &mut SackTable) -> SimPacket {
        let echo = if ack.ece { ECE } else { 0 };
        let repeated = if ack.retransmission { RETRANSMISSION } else { 0 };
        let extra = match &self.receiver {
            Some(receiver) if ack.blocks > 0 => sacks.keep(receiver.sack_blocks().into()),
            _ => NO_SACK,
        };
        SimPacket {
            stamp: ack.stamp,
            flow: number,
            seq: ack.ack,
            hop: self.ack_hop,
            size: ack.size,
            labels: Labels::new(Kind::Ack, ack.ecn, echo | repeated | ack.ace << ACE_SHIFT),
            dscp: self.dscp,
            epoch: self.epoch,
            extra,
        }
    }
}

/// A receiver without a timer: it acknowledges every packet immediately.
pub(crate) const NO_TIMER: u32 = u32::MAX;

/// Facts about flows for the schemes that ask for them (`Capabilities::side`); all empty if no scheme does.
#[derive(Default)]
pub(crate) struct FlowFacts {
    /// For each flow: numbers of the hosts that data comes from and goes to.
    pub(crate) hosts: Vec<(u32, u32)>,
    /// For each flow: the sender's smoothed round-trip time; `None` if no queue reads it.
    pub(crate) rtts: Option<Vec<Option<Span>>>,
    /// For each flow: first packet, number and priority of its application data units, or of the parts of units that
    /// differ in priority. Empty if no flow has such units.
    pub(crate) units: Vec<Vec<(u32, u32, u8)>>,
}

impl FlowFacts {
    /// Number and priority of the application data unit that a data packet belongs to.
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
        let rtt = self.rtts.as_ref().and_then(|rtts| rtts[flow]);
        Rare { src, dst, rtt, adu, priority }
    }
}

//! Packets that cross links, as a file in the pcap format.
//!
//! [`penstock_link::pcap`] describes the format.
//!
//! # Contents of a packet
//! * Its time is the start of its transmission, after the queue. Time 0 is the start of the run.
//! * Headers have their real lengths; user data has the length that the traffic gives it, and is all zeros. The simulator's
//!   links use the sizes of the keys instead (`headers`, `ack_size`, `sack_block_size`).
//! * TCP's sequence numbers count bytes from 1, as after an initial number of 0; a flow without the key `syn` has
//!   no SYN, and a connection ends without FIN. A SYN is answered by SYN and ACK, and the connection's third packet is
//!   the first one with data.
//! * The receiver's window does not move: `window` packets.
//! * Timestamps, with the key `timestamps`, in milliseconds from 1: a data packet carries its sending time, which the
//!   ACK echoes; an ACK carries its time in this file. Data packets echo nothing (0): senders do not know a receiver's
//!   clock.

mod headers;

use crate::packet::{AE, CWR, ECE, Kind, NO_SACK, PUSH, SackTable, SimPacket};
use headers::{Ip, Tcp};
use penstock_core::Time;
use penstock_link::pcap::{self, LONGEST};
use penstock_tcp::{SackBlocks, TcpParams};
use std::collections::HashMap;
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::sync::Arc;

/// Packets that crossed links.
pub struct Capture {
    /// For each link: whether it is captured.
    wanted: Vec<bool>,
    conversations: Vec<Conversation>,
    /// The conversation of each flow's connection.
    current: HashMap<(u32, u16), u32>,
    crossings: Vec<Crossing>,
    sacks: Vec<SackBlocks>,
}

/// A connection, or the datagrams of a flow.
struct Conversation {
    flow: u32,
    epoch: u16,
    /// Numbers of the source and the destination node of data.
    ends: (u32, u32),
    tcp: Option<Arc<TcpParams>>,
    /// Sending time of its last SYN.
    opened: Option<Time>,
}

/// A packet at the beginning of its transmission.
struct Crossing {
    time: Time,
    link: u32,
    conversation: u32,
    /// The packet. In an ACK with SACK blocks, `extra` is their index in `sacks`.
    packet: SimPacket,
    /// Whether the packet opens a connection or answers a SYN.
    opening: bool,
}

impl Capture {
    /// An empty capture of the links marked in `wanted`. `flows` gives, for each flow, the nodes at its ends and its
    /// TCP parameters; `None` for datagrams.
    pub(crate) fn new<'a>(
        wanted: Vec<bool>,
        flows: impl Iterator<Item = ((u32, u32), Option<&'a Arc<TcpParams>>)>,
    ) -> Self {
        let (conversations, current) = (Vec::new(), HashMap::new());
        let mut capture = Self { wanted, conversations, current, crossings: Vec::new(), sacks: Vec::new() };
        for (flow, (ends, tcp)) in (0..).zip(flows) {
            capture.open(flow, 0, ends, tcp);
        }
        capture
    }

    /// Connection `epoch` of a flow opens between these nodes; `tcp` is `None` for datagrams.
    pub(crate) fn open(&mut self, flow: u32, epoch: u16, ends: (u32, u32), tcp: Option<&Arc<TcpParams>>) {
        self.current.insert((flow, epoch), self.conversations.len() as u32);
        self.conversations.push(Conversation { flow, epoch, ends, tcp: tcp.cloned(), opened: None });
    }

    /// The transmission of a packet over a link begins.
    pub(crate) fn sent(&mut self, time: Time, link: u32, packet: &SimPacket, sacks: &SackTable) {
        if !self.wanted[link as usize] {
            return;
        }
        let Some(&number) = self.current.get(&(packet.flow, packet.epoch)) else { return };
        let mut packet = *packet;
        let opening = self.conversations[number as usize].is_opening(&packet);
        if packet.labels.is_ack() && packet.extra != NO_SACK {
            self.sacks.push(*sacks.look(packet.extra));
            packet.extra = self.sacks.len() as u32 - 1;
        }
        // A captured link has a queue, and queues are served at events.
        debug_assert!(self.crossings.last().is_none_or(|last| last.time <= time));
        self.crossings.push(Crossing { time, link, conversation: number, packet, opening });
    }

    /// Write the packets of these links, in order of time, each cut after `snaplen` bytes; `None`: whole packets.
    pub fn write(&self, links: &[u32], snaplen: Option<NonZeroU32>, out: &mut impl Write) -> io::Result<()> {
        let snaplen = snaplen.map_or(LONGEST, |bytes| LONGEST.min(bytes.get() as usize));
        out.write_all(&pcap::file_header(snaplen as u32))?;
        let zeros = vec![0; LONGEST];
        let (mut headers, mut tcp) = (Vec::new(), Tcp::default());
        for crossing in self.crossings.iter().filter(|crossing| links.contains(&crossing.link)) {
            headers.clear();
            let length = self.packet(crossing, &mut tcp, &mut headers);
            let kept = length.min(snaplen);
            out.write_all(&pcap::packet_header(crossing.time, kept as u32, length as u32))?;
            out.write_all(&headers[..kept.min(headers.len())])?;
            out.write_all(&zeros[..kept.saturating_sub(headers.len())])?;
        }
        out.flush()
    }

    /// Write the headers of a packet; returns its length.
    fn packet(&self, crossing: &Crossing, tcp: &mut Tcp, out: &mut Vec<u8>) -> usize {
        let conversation = &self.conversations[crossing.conversation as usize];
        let packet = &crossing.packet;
        let ip = conversation.ip(packet);
        let payload = if packet.labels.is_ack() { 0 } else { packet.extra as usize };
        let Some(params) = &conversation.tcp else { return headers::udp(out, &ip, payload) };
        let blocks = match packet.labels.kind() {
            Kind::Ack if packet.extra != NO_SACK => self.sacks[packet.extra as usize],
            _ => SackBlocks::default(),
        };
        segment(params, crossing, &blocks, tcp);
        headers::tcp(out, &ip, tcp, payload)
    }
}

impl Conversation {
    /// Whether this packet opens the connection or answers its SYN. Later packets have later stamps.
    fn is_opening(&mut self, packet: &SimPacket) -> bool {
        if !self.tcp.as_ref().is_some_and(|params| params.opens()) {
            return false;
        }
        if !packet.labels.is_ack() {
            if packet.seq == 0 {
                self.opened = Some(packet.stamp);
            }
            return packet.seq == 0;
        }
        // If only answers are captured, the first captured packet answers the SYN.
        packet.seq == 1 && packet.stamp <= *self.opened.get_or_insert(packet.stamp)
    }

    /// Addresses are numbers of nodes, from 1; source ports of data identify flows, destination ports their connections.
    /// No well-known protocol uses these ports, so readers do not decode the data as one.
    fn ip(&self, packet: &SimPacket) -> Ip {
        const FLOWS: u16 = 0xf000;
        const CONNECTIONS: u16 = 0xe000;
        const PORTS: u32 = 0x1000;
        let address = |node: u32| (0x0a00_0000 | ((node + 1) & 0x00ff_ffff)).to_be_bytes();
        let port = |first: u16, number: u32| first | (number % PORTS) as u16;
        let (from, to) = (address(self.ends.0), address(self.ends.1));
        // Connections are numbered upwards from the first port; flows beyond the number of ports are numbered downwards
        // from the last.
        let connection = u32::from(self.epoch).wrapping_sub(self.flow / PORTS);
        let ports = (port(FLOWS, self.flow), port(CONNECTIONS, connection));
        let (source, destination, (source_port, destination_port)) =
            if packet.labels.is_ack() { (to, from, (ports.1, ports.0)) } else { (from, to, ports) };
        let traffic_class = packet.dscp << 2 | packet.labels.ecn() as u8;
        Ip { source, destination, traffic_class, source_port, destination_port }
    }
}

/// The header of a TCP packet.
fn segment(params: &TcpParams, crossing: &Crossing, blocks: &SackBlocks, tcp: &mut Tcp) {
    let Crossing { time, ref packet, opening, .. } = *crossing;
    let is_ack = packet.labels.is_ack();
    let byte = |number: u32| 1_u32.wrapping_add(params.offset(number) as u32);
    let label = |label: u8, flag: u16| if packet.labels.has(label) { flag } else { 0 };
    let (seq, ack, flags) = match (is_ack, opening) {
        // Both hosts request and accept accurate ECN; the answer reports the ECN field of the SYN, Not-ECT
        // or ECT(1) (RFC 9768, table 2), but not its mark, which the trace does not contain. From then on each segment
        // carries the count in these flags. The sender of data counts no marks, so its count is 5 (RFC 9768, section
        // 3).
        (false, true) if params.is_accurate() => (0, 0, headers::SYN | headers::AE | headers::CWR | headers::ECE),
        (true, true) if params.is_accurate() => {
            let ect1 = if packet.labels.ecn().is_capable() { headers::ECE } else { 0 };
            (0, 1, headers::SYN | headers::ACK | headers::CWR | ect1)
        }
        (false, false) if params.is_accurate() => {
            (byte(packet.seq), 1, headers::ACK | headers::AE | headers::ECE | label(PUSH, headers::PSH))
        }
        (true, false) if params.is_accurate() => {
            let ace = label(AE, headers::AE) | label(CWR, headers::CWR) | label(ECE, headers::ECE);
            (1, byte(packet.seq), headers::ACK | ace)
        }
        // Both hosts declare that they are capable of ECN (RFC 3168, section 6.1.1).
        (false, true) if params.ecn => (0, 0, headers::SYN | headers::ECE | headers::CWR),
        (false, true) => (0, 0, headers::SYN),
        (true, true) if params.ecn => (0, 1, headers::SYN | headers::ACK | headers::ECE),
        (true, true) => (0, 1, headers::SYN | headers::ACK),
        (false, false) => (byte(packet.seq), 1, headers::ACK | label(CWR, headers::CWR) | label(PUSH, headers::PSH)),
        (true, false) => (1, byte(packet.seq), headers::ACK | label(ECE, headers::ECE)),
    };
    let window = u64::from(params.window) * params.packet.0;
    let shift = (0..14).find(|shift| window.div_ceil(1 << shift) <= 0xffff).unwrap_or(14);
    // The window of a SYN is not scaled (RFC 7323, section 2.2).
    let told = if opening { window } else { window.div_ceil(1 << shift) };
    (tcp.seq, tcp.ack, tcp.flags, tcp.window) = (seq, ack, flags, told.min(0xffff) as u16);
    let options = &mut tcp.options;
    options.clear();
    if opening {
        options.maximum_segment_size(params.packet.0 as u16);
        options.window_scale(shift);
        if params.flavour.is_selective() {
            options.sack_permitted();
        }
    }
    if params.timestamps {
        let milliseconds = |time: Time| (time.as_nanos() / 1_000_000 + 1) as u32;
        let stamp = milliseconds(packet.stamp);
        let (value, echo) = if is_ack { (milliseconds(time), stamp) } else { (stamp, 0) };
        options.timestamps(value, echo);
    }
    options.sack(blocks.iter().map(|block| (byte(block.start), byte(block.end))));
}

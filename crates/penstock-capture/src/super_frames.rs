//! Super-frames: TCP packets of several segments, as a host captures them in front of segmentation offload (TSO, GSO) or
//! behind receive offload (LRO, GRO). On the wire each segment is a packet.

use crate::packet::{LoadPacket, Packet, Tcp, TcpFlags, Transport};
use crate::reader::MAX_FRAMES;
use crate::summary::packets as count_of;
use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;

/// Longest IP packet of Ethernet without jumbo frames, in bytes.
const ETHERNET: u32 = 1500;

/// Longest packet that counts as a jumbo frame.
const JUMBO: u32 = 9216;

/// Minimum payload of a full segment if the maximum segment size was not captured: packets of 1280 bytes, the minimum
/// MTU of IPv6, carry more.
const FULL: u32 = 1180;

/// Payload of a full Ethernet packet of TCP with timestamps.
const USUAL: u32 = 1448;

/// The smallest plausible maximum segment size.
const LEAST: u32 = 88;

/// Large packets, and the evidence of the size of their segments.
#[derive(Default)]
pub(crate) struct SuperFrames {
    numbers: HashMap<Flow, usize>,
    flows: Vec<Evidence>,
    large: Vec<Large>,
}

/// Source and destination of TCP data.
type Flow = (SocketAddr, SocketAddr);

/// A packet larger than [`ETHERNET`].
struct Large {
    index: usize,
    flow: usize,
    payload: u32,
    options: u32,
}

/// Evidence of the size of the segments of a flow.
#[derive(Default)]
struct Evidence {
    /// The smaller of the maximum segment sizes in both SYNs.
    mss: Option<u32>,
    /// Number of packets by payload, for payloads of at least [`FULL`] in packets of at most [`ETHERNET`].
    full: BTreeMap<u32, u64>,
    /// Length of the largest packet, and the number of packets of this length.
    largest: (u32, u64),
    /// Number of large packets.
    large: u64,
    /// Number of large packets by payload.
    payloads: BTreeMap<u32, u64>,
}

impl SuperFrames {
    /// Keep a large TCP packet, whose place in the load is `index`.
    pub(crate) fn note_large(&mut self, index: usize, packet: &Packet) {
        if packet.length <= ETHERNET {
            return;
        }
        let Some((flow, tcp)) = tcp_of(packet) else { return };
        let number = *self.numbers.entry(flow).or_insert_with(|| {
            self.flows.push(Evidence::default());
            self.flows.len() - 1
        });
        let evidence = &mut self.flows[number];
        evidence.large += 1;
        *evidence.payloads.entry(tcp.payload).or_default() += 1;
        match evidence.largest {
            (length, count) if length == packet.length => evidence.largest.1 = count + 1,
            (length, _) if length < packet.length => evidence.largest = (packet.length, 1),
            _ => {}
        }
        let options = tcp.header.saturating_sub(20);
        self.large.push(Large { index, flow: number, payload: tcp.payload, options });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.large.is_empty()
    }

    /// Use any packet of the capture as evidence about the flows with large packets.
    pub(crate) fn note_evidence(&mut self, packet: &Packet) {
        let Some((flow, tcp)) = tcp_of(packet) else { return };
        if tcp.flags.has(TcpFlags::SYN) {
            // Each SYN announces what its sender accepts, and its sender's MTU limits what it sends.
            let Some(mss) = tcp.options.mss.map(u32::from) else { return };
            for flow in [flow, (flow.1, flow.0)] {
                if let Some(&number) = self.numbers.get(&flow) {
                    let known = &mut self.flows[number].mss;
                    *known = Some(known.map_or(mss, |known| known.min(mss)));
                }
            }
        } else if tcp.payload >= FULL
            && packet.length <= ETHERNET
            && let Some(&number) = self.numbers.get(&flow)
        {
            *self.flows[number].full.entry(tcp.payload).or_default() += 1;
        }
    }

    /// Split the super-frames among the packets into segments with the same time. Returns a note about their number.
    pub(crate) fn split(&self, packets: &mut Vec<LoadPacket>) -> Result<Option<String>, String> {
        let (mut split, mut segments) = (Vec::with_capacity(packets.len() + self.large.len()), 0);
        let (mut copied, mut count) = (0, 0);
        for large in &self.large {
            let size = self.flows[large.flow].segment(large.options);
            if large.payload <= size {
                continue;
            }
            split.extend_from_slice(&packets[copied..large.index]);
            copied = large.index + 1;
            let packet = packets[large.index];
            let headers = packet.size - large.payload;
            for start in (0..large.payload).step_by(size as usize) {
                split.push(LoadPacket { size: headers + size.min(large.payload - start), ..packet });
            }
            count += 1;
            segments += u64::from(large.payload.div_ceil(size));
            if split.len() as u64 > MAX_FRAMES {
                return Err(format!("has more than {MAX_FRAMES} packets after its super-frames are split"));
            }
        }
        if count == 0 {
            return Ok(None);
        }
        split.extend_from_slice(&packets[copied..]);
        *packets = split;
        let super_frames = count_of(count, "super-frame");
        Ok(Some(format!(
            "{super_frames} split into {segments} packets: TCP segments were merged by offload in the capturing host"
        )))
    }
}

impl Evidence {
    /// Payload of a full segment in bytes, if its header has this number of bytes of options.
    fn segment(&self, options: u32) -> u32 {
        let most_frequent = || self.full.iter().max_by_key(|(_, count)| **count).map(|(payload, _)| *payload);
        let is_jumbo = self.largest.0 <= JUMBO && self.largest.1 * 2 > self.large;
        match self.mss {
            Some(mss) => mss.saturating_sub(options).max(LEAST),
            None => match most_frequent() {
                // The last segment of a write may be the only small packet of a connection.
                Some(payload) if self.is_multiple(payload) || !self.is_multiple(USUAL) => payload,
                None if is_jumbo => JUMBO,
                Some(_) | None => USUAL,
            },
        }
    }

    /// Whether at least half of the large packets consist of full segments of this size.
    fn is_multiple(&self, size: u32) -> bool {
        let multiples = self.payloads.iter().filter(|(payload, _)| payload.is_multiple_of(size));
        multiples.map(|(_, count)| count).sum::<u64>() * 2 >= self.large
    }
}

fn tcp_of(packet: &Packet) -> Option<(Flow, Tcp)> {
    let headers = packet.headers?;
    let Some(Transport::Tcp(tcp)) = headers.transport else { return None };
    let source = SocketAddr::new(headers.source, tcp.source_port);
    Some(((source, SocketAddr::new(headers.destination, tcp.destination_port)), tcp))
}

//! Headers of IPv4, TCP and UDP with their checksums.
//!
//! RFC 791, section 3.1 (IPv4), RFC 768 (UDP), RFC 9293, section 3.1 (TCP and its checksum), RFC 7323, sections 2.2 and
//! 3.2 (window scale, timestamps), RFC 2018, sections 2 and 3 (SACK), RFC 1071 (the sum).

use penstock_link::pcap::LONGEST;

const IP_HEADER: usize = 20;
const TCP_HEADER: usize = 20;
const UDP_HEADER: usize = 8;
/// Maximum number of bytes of options in a TCP header.
const MAX_OPTIONS: usize = 40;

/// TCP's flags.
pub(super) const SYN: u16 = 0x02;
pub(super) const PSH: u16 = 0x08;
pub(super) const ACK: u16 = 0x10;
pub(super) const ECE: u16 = 0x40;
pub(super) const CWR: u16 = 0x80;
pub(super) const AE: u16 = 0x100;

/// Addresses, ports, codepoint and ECN field of a packet.
#[derive(Clone, Copy)]
pub(super) struct Ip {
    pub(super) source: [u8; 4],
    pub(super) destination: [u8; 4],
    /// Codepoint and ECN field.
    pub(super) traffic_class: u8,
    pub(super) source_port: u16,
    pub(super) destination_port: u16,
}

/// The header of a TCP segment.
#[derive(Default)]
pub(super) struct Tcp {
    pub(super) seq: u32,
    pub(super) ack: u32,
    pub(super) flags: u16,
    pub(super) window: u16,
    pub(super) options: Options,
}

/// TCP options, each padded to whole words with no-operation.
#[derive(Default)]
pub(super) struct Options {
    bytes: Vec<u8>,
}

const NOP: u8 = 1;

impl Options {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    pub(super) fn maximum_segment_size(&mut self, size: u16) {
        self.bytes.extend([2, 4]);
        self.bytes.extend(size.to_be_bytes());
    }

    pub(super) fn window_scale(&mut self, shift: u8) {
        self.bytes.extend([NOP, 3, 3, shift]);
    }

    pub(super) fn sack_permitted(&mut self) {
        self.bytes.extend([NOP, NOP, 4, 2]);
    }

    pub(super) fn timestamps(&mut self, value: u32, echo: u32) {
        self.bytes.extend([NOP, NOP, 8, 10]);
        self.bytes.extend(value.to_be_bytes());
        self.bytes.extend(echo.to_be_bytes());
    }

    /// As many of these blocks as fit, each given by its first byte and the byte after its last.
    pub(super) fn sack(&mut self, blocks: impl ExactSizeIterator<Item = (u32, u32)>) {
        let count = blocks.len().min(MAX_OPTIONS.saturating_sub(self.bytes.len() + 4) / 8);
        if count == 0 {
            return;
        }
        self.bytes.extend([NOP, NOP, 5, 2 + 8 * count as u8]);
        for (start, end) in blocks.take(count) {
            self.bytes.extend(start.to_be_bytes());
            self.bytes.extend(end.to_be_bytes());
        }
    }
}

/// Write the headers of a TCP segment for a payload of zeros of this length; returns the length of the packet.
pub(super) fn tcp(out: &mut Vec<u8>, ip: &Ip, tcp: &Tcp, payload: usize) -> usize {
    let header = TCP_HEADER + tcp.options.bytes.len();
    let length = header + payload.min(LONGEST - IP_HEADER - header);
    ipv4(out, ip, 6, length);
    let start = out.len();
    out.extend(ip.source_port.to_be_bytes());
    out.extend(ip.destination_port.to_be_bytes());
    out.extend(tcp.seq.to_be_bytes());
    out.extend(tcp.ack.to_be_bytes());
    out.extend(((header as u16 / 4) << 12 | tcp.flags).to_be_bytes());
    out.extend(tcp.window.to_be_bytes());
    out.extend([0; 4]);
    out.extend(&tcp.options.bytes);
    let sum = checksum(pseudo_header(ip, 6, length), &out[start..]);
    out[start + 16..start + 18].copy_from_slice(&sum.to_be_bytes());
    IP_HEADER + length
}

/// Write the headers of a datagram for a payload of zeros of this length; returns the length of the packet.
pub(super) fn udp(out: &mut Vec<u8>, ip: &Ip, payload: usize) -> usize {
    let length = UDP_HEADER + payload.min(LONGEST - IP_HEADER - UDP_HEADER);
    ipv4(out, ip, 17, length);
    let start = out.len();
    out.extend(ip.source_port.to_be_bytes());
    out.extend(ip.destination_port.to_be_bytes());
    out.extend((length as u16).to_be_bytes());
    out.extend([0; 2]);
    // A checksum of zero means that there is none.
    let sum = match checksum(pseudo_header(ip, 17, length), &out[start..]) {
        0 => 0xffff,
        sum => sum,
    };
    out[start + 6..start + 8].copy_from_slice(&sum.to_be_bytes());
    IP_HEADER + length
}

/// The header of a packet that is not to be fragmented, so that it needs no identification (RFC 6864).
fn ipv4(out: &mut Vec<u8>, ip: &Ip, protocol: u8, length: usize) {
    let start = out.len();
    out.extend([0x45, ip.traffic_class]);
    out.extend(((IP_HEADER + length) as u16).to_be_bytes());
    out.extend([0, 0, 0x40, 0, 64, protocol, 0, 0]);
    out.extend(ip.source);
    out.extend(ip.destination);
    let sum = checksum(0, &out[start..]);
    out[start + 10..start + 12].copy_from_slice(&sum.to_be_bytes());
}

fn pseudo_header(ip: &Ip, protocol: u8, length: usize) -> u32 {
    words(&ip.source) + words(&ip.destination) + u32::from(protocol) + length as u32
}

/// The complement of the sum of all words; a payload of zeros adds nothing.
fn checksum(before: u32, bytes: &[u8]) -> u16 {
    let mut sum = before + words(bytes);
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    !(sum as u16)
}

/// Headers have whole words.
fn words(bytes: &[u8]) -> u32 {
    bytes.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_the_example_in_rfc_1071() {
        // Section 3: 00 01 f2 03 f4 f5 f6 f7 sum to 2ddf0, folded ddf2.
        assert_eq!(checksum(0, &[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
    }

    #[test]
    fn three_blocks_find_room_beside_timestamps_and_four_alone() {
        let blocks = [(1, 2), (3, 4), (5, 6), (7, 8)];
        let mut options = Options::default();
        options.sack(blocks.into_iter());
        assert_eq!((options.bytes.len(), options.bytes[3]), (36, 34));
        options.clear();
        options.timestamps(1, 2);
        options.sack(blocks.into_iter());
        assert_eq!((options.bytes.len(), options.bytes[15]), (40, 26));
    }

    #[test]
    fn no_packet_is_longer_than_ip_allows() {
        let ip = Ip {
            source: [10, 0, 0, 1],
            destination: [10, 0, 0, 2],
            traffic_class: 0,
            source_port: 1,
            destination_port: 2,
        };
        let mut out = Vec::new();
        assert_eq!(udp(&mut out, &ip, 1_000_000), LONGEST);
        assert_eq!(out[2..4], [0xff, 0xff]);
        assert_eq!(tcp(&mut out, &ip, &Tcp::default(), 65_535), LONGEST);
    }
}

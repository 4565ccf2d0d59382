//! Receive offload: Consecutive TCP segments that are due together reach their host as one long segment, like those
//! from a network card with generic receive offload. The kernel then processes them at once; one by one, their
//! reception takes longer than their transmission at 1 Gb/s.
//!
//! Only segments that differ in nothing but their place in the stream are joined, so that the long segment has the same
//! bytes, acknowledgement, window, options and codepoint for the receiver.

/// Bytes of the header that virtual network devices put in front of a packet (virtio 1.2, section 5.1.6; Linux,
/// `linux/virtio_net.h`): flags, kind of segmentation, length of the headers, length of a segment, start and offset of
/// the checksum.
pub(super) const OFFLOAD_HEADER: usize = 10;

const NEEDS_CHECKSUM: u8 = 1;
const SEGMENTED_TCP_V4: u8 = 1;

/// Lengths of an IPv4 header without options and of the shortest TCP header.
const IP_HEADER: usize = 20;
const TCP_HEADER: usize = 20;
const LONGEST: usize = 65_535;

const ACK: u8 = 0x10;
const PSH: u8 = 0x08;
const CONGESTION_EXPERIENCED: u8 = 3;
const TCP: u8 = 6;

/// Positions in a packet.
const TOTAL_LENGTH: usize = 2;
const HEADER_CHECKSUM: usize = 10;
const SEQUENCE: usize = IP_HEADER + 4;
const FLAGS: usize = IP_HEADER + 13;
const TCP_CHECKSUM: usize = IP_HEADER + 16;

/// A packet on its way to its host, to which segments that continue it are joined.
#[derive(Debug, Default)]
pub(super) struct Burst {
    packet: Vec<u8>,
    /// Length of the IP and TCP headers; 0 if no packets may be joined to this one.
    headers: usize,
    /// Bytes of data in the first segment.
    segment: usize,
    /// Number of packets joined.
    pub(super) packets: u64,
    /// The last segment was short or pushed: nothing may follow it.
    is_complete: bool,
}

impl Burst {
    /// Begin with this packet. The burst must be empty.
    pub(super) fn begin(&mut self, packet: &[u8]) {
        debug_assert_eq!(self.packets, 0);
        self.packet.extend_from_slice(packet);
        self.packets = 1;
        self.headers = joinable(packet).unwrap_or(0);
        self.segment = packet.len() - self.headers;
        self.is_complete = self.headers == 0 || packet[FLAGS] & PSH != 0;
    }

    /// Join a packet that continues the burst; returns whether it does.
    pub(super) fn join(&mut self, packet: &[u8]) -> bool {
        if self.packets == 0 || self.is_complete || joinable(packet) != Some(self.headers) {
            return false;
        }
        let data = &packet[self.headers..];
        let sent = self.packet.len() - self.headers;
        let expected = sequence(&self.packet).wrapping_add(sent as u32);
        let fits = data.len() <= self.segment && self.packet.len() + data.len() <= LONGEST;
        if !fits || sequence(packet) != expected || !self.has_headers_like(packet) {
            return false;
        }
        self.is_complete = data.len() < self.segment || packet[FLAGS] & PSH != 0;
        self.packet[FLAGS] |= packet[FLAGS] & PSH;
        self.packet.extend_from_slice(data);
        self.packets += 1;
        true
    }

    /// Whether the headers differ only in what belongs to each packet: its number in IP, its place in the stream, the flag
    /// PSH, and the checksums.
    fn has_headers_like(&self, packet: &[u8]) -> bool {
        let own = &self.packet;
        let same = |from: usize, to: usize| own[from..to] == packet[from..to];
        // The total length and the identification of IP are bytes 2 to 5.
        same(0, TOTAL_LENGTH)
            && same(6, HEADER_CHECKSUM)
            && same(12, SEQUENCE)
            && same(SEQUENCE + 4, FLAGS)
            && same(FLAGS + 1, TCP_CHECKSUM)
            && same(TCP_CHECKSUM + 2, self.headers)
    }

    /// The offload header and the packet as they are written to the device. A long packet carries the length of its
    /// segments, and only the part of its checksum that covers the pseudo-header; the kernel does not verify the rest.
    pub(super) fn finish(&mut self) -> ([u8; OFFLOAD_HEADER], &[u8]) {
        let mut header = [0; OFFLOAD_HEADER];
        if self.packets > 1 {
            let length = self.packet.len();
            self.packet[TOTAL_LENGTH..TOTAL_LENGTH + 2].copy_from_slice(&(length as u16).to_be_bytes());
            self.packet[HEADER_CHECKSUM..HEADER_CHECKSUM + 2].fill(0);
            let checksum = !sum(&self.packet[..IP_HEADER], 0);
            self.packet[HEADER_CHECKSUM..HEADER_CHECKSUM + 2].copy_from_slice(&checksum.to_be_bytes());
            let pseudo_header = sum(&self.packet[12..IP_HEADER], u32::from(TCP) + (length - IP_HEADER) as u32);
            self.packet[TCP_CHECKSUM..TCP_CHECKSUM + 2].copy_from_slice(&pseudo_header.to_be_bytes());
            header[..2].copy_from_slice(&[NEEDS_CHECKSUM, SEGMENTED_TCP_V4]);
            let numbers = [self.headers, self.segment, IP_HEADER, TCP_CHECKSUM - IP_HEADER];
            for (place, number) in header[2..].chunks_exact_mut(2).zip(numbers) {
                place.copy_from_slice(&(number as u16).to_ne_bytes());
            }
        }
        (header, &self.packet)
    }

    /// Forget the packet.
    pub(super) fn clear(&mut self) {
        self.packet.clear();
        self.packets = 0;
    }
}

/// Length of the IP and TCP headers of a packet that may be joined with others: a whole TCP segment with data in IPv4 without
/// options, with no flag but ACK and PSH, and without a congestion mark, which the kernel counts by packet.
fn joinable(packet: &[u8]) -> Option<usize> {
    if packet.len() <= IP_HEADER + TCP_HEADER || packet[0] != 0x45 || packet[9] != TCP {
        return None;
    }
    let total = usize::from(u16::from_be_bytes([packet[TOTAL_LENGTH], packet[TOTAL_LENGTH + 1]]));
    // More fragments, or an offset: RFC 791, section 3.1.
    let is_fragment = packet[6] & 0x3f != 0 || packet[7] != 0;
    let headers = IP_HEADER + usize::from(packet[IP_HEADER + 12] >> 4) * 4;
    let is_plain = packet[FLAGS] & !PSH == ACK && packet[1] & 3 != CONGESTION_EXPERIENCED;
    let is_whole = total == packet.len() && !is_fragment && headers >= IP_HEADER + TCP_HEADER && headers < total;
    (is_plain && is_whole).then_some(headers)
}

fn sequence(packet: &[u8]) -> u32 {
    packet[SEQUENCE..SEQUENCE + 4].iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// The sum of 16-bit words in one's complement (RFC 1071), started at `start`.
fn sum(bytes: &[u8], start: u32) -> u16 {
    let total = bytes.chunks_exact(2).fold(start, |sum, word| sum + u32::from(u16::from_be_bytes([word[0], word[1]])));
    let folded = (total & 0xffff) + (total >> 16);
    ((folded & 0xffff) + (folded >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A TCP segment with a timestamp option; `number` is its identification in IP.
    fn segment(number: u16, seq: u32, data: &[u8], flags: u8, dscp_ecn: u8) -> Vec<u8> {
        let total = (IP_HEADER + 32 + data.len()) as u16;
        let mut packet = vec![0x45, dscp_ecn];
        packet.extend(total.to_be_bytes());
        packet.extend(number.to_be_bytes());
        packet.extend([0x40, 0, 64, TCP, 0xaa, 0xbb, 10, 77, 0, 1, 10, 77, 0, 2, 0x12, 0x34, 0, 80]);
        packet.extend(seq.to_be_bytes());
        packet.extend([0, 0, 0, 9, 0x80, flags, 1, 0, 0xcc, 0xdd, 0, 0, 1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2]);
        packet.extend(data);
        packet
    }

    #[test]
    fn segments_in_a_row_become_one_with_correct_lengths_and_checksums() {
        let mut burst = Burst::default();
        burst.begin(&segment(7, u32::MAX - 49, &[1; 100], ACK, 2));
        assert!(burst.join(&segment(8, 50, &[2; 100], ACK, 2)), "sequence numbers wrap around");
        assert!(burst.join(&segment(9, 150, &[3; 40], ACK | PSH, 2)));
        assert!(!burst.join(&segment(10, 190, &[4; 40], ACK, 2)), "a short segment ends the burst");
        assert_eq!(burst.packets, 3);
        let (header, packet) = burst.finish();
        let number = |value: u16| value.to_ne_bytes();
        let expected = [[1, 1], number(52), number(100), number(20), number(16)].concat();
        assert_eq!(header[..], expected);
        assert_eq!((packet.len(), packet[2..6].to_vec()), (292, vec![1, 36, 0, 7]));
        assert_eq!(sum(&packet[..20], 0), 0xffff, "the checksum of a correct header sums up to all ones");
        // 10.77.0.1 + 10.77.0.2 + TCP + 272 bytes, by hand.
        assert_eq!(packet[36..38], (0x0a4d + 1 + 0x0a4d + 2 + 6 + 272_u16).to_be_bytes());
        assert_eq!(packet[33], ACK | PSH);
        assert_eq!(packet[52..], [vec![1; 100], vec![2; 100], vec![3; 40]].concat());
    }

    #[test]
    fn a_packet_alone_stays_as_it_is() {
        let mut burst = Burst::default();
        for packet in [vec![0x60; 40], vec![0x45; 3], segment(1, 1, &[1; 9], ACK, 0)] {
            burst.begin(&packet);
            assert_eq!(burst.finish(), ([0; OFFLOAD_HEADER], &packet[..]));
            burst.clear();
        }
    }

    #[test]
    fn packets_that_differ_in_more_than_their_place_are_not_joined() {
        let first = segment(1, 1000, &[1; 100], ACK, 0);
        let next = segment(2, 1100, &[2; 100], ACK, 0);
        let joins = |packet: &[u8]| {
            let mut burst = Burst::default();
            burst.begin(&first);
            burst.join(packet)
        };
        assert!(joins(&next));
        assert!(!joins(&segment(2, 1101, &[2; 100], ACK, 0)), "a gap");
        assert!(!joins(&segment(2, 1100, &[2; 101], ACK, 0)), "longer than the first");
        assert!(!joins(&segment(2, 1100, &[], ACK, 0)), "no data");
        // Every byte of the headers except lengths, numbers, the place in the stream, PSH and checksums.
        for place in (0..52).filter(|place| !matches!(place, 2..=5 | 10 | 11 | 24..=27 | 36 | 37)) {
            let mut other = next.clone();
            other[place] ^= 1;
            assert!(!joins(&other), "byte {place}");
        }
        for mark in [segment(1, 1000, &[1; 100], ACK, 3), segment(1, 1000, &[1; 100], ACK | 0x80, 0)] {
            let mut burst = Burst::default();
            burst.begin(&mark);
            assert!(!burst.join(&next), "a congestion mark, and the answer to it");
        }
    }

    #[test]
    fn a_burst_is_no_longer_than_a_packet_can_be() {
        let mut burst = Burst::default();
        burst.begin(&segment(0, 0, &[0; 1448], ACK, 0));
        let joined = (1..100).take_while(|&k| burst.join(&segment(k, u32::from(k) * 1448, &[0; 1448], ACK, 0))).count();
        assert_eq!(joined, 44, "45 segments of 1448 bytes and 52 of headers are 65 212 bytes");
        assert_eq!(usize::from(u16::from_be_bytes([burst.finish().1[2], burst.finish().1[3]])), 65_212);
    }
}

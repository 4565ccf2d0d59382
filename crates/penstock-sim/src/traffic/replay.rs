//! Replay: datagrams with the sizes, the intervals, the ECN fields and the codepoints of recorded packets.
//!
//! The format: pcap (draft-ietf-opsawg-pcap) with microseconds or nanoseconds, of either byte order; packets beginning
//! with the IP header (LINKTYPE_RAW, 101, and LINKTYPE_IPV4, LINKTYPE_IPV6) or with an Ethernet header (LINKTYPE_ETHERNET,
//! 1). Packets of all protocols count, with their original lengths, even if they are cut in the file, without the 14 bytes
//! of an Ethernet header. ECN field and codepoint come from an IPv4 or IPv6 header (RFC 3168, section 5; RFC 2474,
//! section 3; RFC 8200, section 3); a packet without one, or cut before its second byte, is not ECN-capable and has
//! codepoint 0.
//!
//! The first packet leaves at the start of the flow, the others at their recorded times after it, in open loop.

use crate::traffic::datagram::Datagram;
use penstock_core::time::NANOS_PER_SECOND;
use penstock_core::{Ecn, Span};
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

/// A recorded packet: nanoseconds since the first one, bytes, and two fields of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    pub(crate) at_ns: u64,
    pub(crate) size: u32,
    pub(crate) ecn: Ecn,
    pub(crate) dscp: u8,
}

/// A source that sends recorded packets.
pub(crate) struct Replay {
    packets: Arc<[Recorded]>,
    headers: u32,
    pub(crate) sent: u32,
}

impl Replay {
    /// A source of these packets, with this number of header bytes in each.
    pub(crate) fn new(packets: Arc<[Recorded]>, headers: u32) -> Self {
        Self { packets, headers, sent: 0 }
    }

    /// Time from the start of the flow to its first packet.
    pub(crate) fn first_gap(&self) -> Span {
        if self.packets.is_empty() { NEVER } else { Span::ZERO }
    }

    /// The next datagram.
    pub(crate) fn next(&mut self) -> Datagram {
        let Recorded { at_ns, size, ecn, dscp } = self.packets[self.sent as usize];
        let seq = self.sent;
        self.sent += 1;
        let following = self.packets.get(self.sent as usize);
        let gap = following.map_or(NEVER, |next| Span::from_nanos(next.at_ns - at_ns));
        Datagram { payload: size.saturating_sub(self.headers), size, seq, gap, ecn, dscp, frame: None }
    }
}

/// Longer than any run.
const NEVER: Span = Span::from_nanos(1_000_000_000_000_000_000);

/// Length of the Ethernet header.
const ETHERNET: u32 = 14;

/// Longest plausible packet; a longer one means that the file is damaged.
const LONGEST: u32 = 1 << 18;

/// The packets of a file, or its error.
pub(crate) fn read(path: &Path) -> Result<Arc<[Recorded]>, String> {
    let file = File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    parse(&mut BufReader::with_capacity(1 << 20, file))
}

/// The packets of a stream of bytes.
fn parse(input: &mut impl Read) -> Result<Arc<[Recorded]>, String> {
    let Some(header) = take::<24>(input)? else { return Err(SHORT.to_owned()) };
    let magic = [header[0], header[1], header[2], header[3]];
    let (number, nanos_of_fraction): (fn([u8; 4]) -> u32, u64) = match u32::from_be_bytes(magic) {
        0xa1b2_c3d4 => (u32::from_be_bytes, 1000),
        0xa1b2_3c4d => (u32::from_be_bytes, 1),
        0xd4c3_b2a1 => (u32::from_le_bytes, 1000),
        0x4d3c_b2a1 => (u32::from_le_bytes, 1),
        0x0a0d_0d0a => return Err("is a pcapng file; convert it: editcap -F pcap FILE NEW".to_owned()),
        other => return Err(format!("is not a pcap file: it begins with {other:08x}")),
    };
    let word = |bytes: &[u8], at: usize| number([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    // The upper bits are flags of check sequences.
    let before_ip = match word(&header, 20) & 0x03ff_ffff {
        1 => ETHERNET,
        101 | 228 | 229 => 0,
        other => return Err(format!("has packets of link type {other}; known: 1 (Ethernet) and 101 (raw IP)")),
    };
    let mut packets: Vec<Recorded> = Vec::new();
    let (mut first, mut last) = (0, 0);
    while let Some(record) = take::<16>(input)? {
        let (kept, size) = (word(&record, 8), word(&record, 12));
        let at = u64::from(word(&record, 0)) * NANOS_PER_SECOND + u64::from(word(&record, 4)) * nanos_of_fraction;
        let count = packets.len() + 1;
        if kept > size || size > LONGEST || size <= before_ip {
            return Err(format!(
                "packet {count} has a length of {size} bytes, of which {kept} were kept: not a packet"
            ));
        }
        if packets.is_empty() {
            first = at;
        } else if at < last {
            return Err(format!("packet {count} is earlier than the one before it; bring the file in order of time"));
        }
        last = at;
        let class = traffic_class(&read_packet(input, kept, count)?, before_ip);
        let (ecn, dscp) = (Ecn::from_bits(class), class >> 2);
        packets.push(Recorded { at_ns: at - first, size: size - before_ip, ecn, dscp });
    }
    if packets.is_empty() {
        return Err("has no packets".to_owned());
    }
    Ok(packets.into())
}

const SHORT: &str = "is not a pcap file: it ends within its header";

/// The next bytes; `None` at the end of the file.
fn take<const COUNT: usize>(input: &mut impl Read) -> Result<Option<[u8; COUNT]>, String> {
    let mut bytes = [0; COUNT];
    let mut filled = 0;
    while filled < COUNT {
        match input.read(&mut bytes[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err("ends within the header of a packet, or of the file".to_owned()),
            Ok(more) => filled += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(format!("cannot be read: {error}")),
        }
    }
    Ok(Some(bytes))
}

/// The Ethernet header and the first bytes of the IP header of a packet of which the capture has `count` bytes; fewer
/// if `count` is smaller.
fn read_packet(input: &mut impl Read, count: u32, packet: usize) -> Result<Vec<u8>, String> {
    let mut start = Vec::with_capacity(16);
    let (first, count) = (count.min(ETHERNET + 2), u64::from(count));
    let read = input.take(u64::from(first)).read_to_end(&mut start);
    let rest = count - u64::from(first);
    match read.and_then(|read| Ok(read as u64 + io::copy(&mut input.take(rest), &mut io::sink())?)) {
        Ok(read) if read == count => Ok(start),
        Ok(_) => Err(format!("ends within packet {packet}")),
        Err(error) => Err(format!("cannot be read: {error}")),
    }
}

/// The byte of the IP header with the codepoint and the ECN field, of a packet that begins with these bytes; 0 without
/// such a byte.
fn traffic_class(start: &[u8], before_ip: u32) -> u8 {
    let (before, ip) = start.split_at(start.len().min(before_ip as usize));
    let is_ip = before.is_empty() || matches!(before[before.len() - 2..], [0x08, 0x00] | [0x86, 0xdd]);
    match *ip {
        [first, second, ..] if is_ip && first >> 4 == 4 => second,
        [first, second, ..] if is_ip && first >> 4 == 6 => first << 4 | second >> 4,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with this magic number, written by `word`; packets are (seconds, fraction, kept, original length).
    fn file(magic: u32, link: u32, packets: &[[u32; 4]], word: fn(u32) -> [u8; 4]) -> Vec<u8> {
        let version = if word(1)[0] == 1 { 2 | 4 << 16 } else { 2 << 16 | 4 };
        let mut bytes: Vec<u8> = [magic, version, 0, 0, 65_535, link].into_iter().flat_map(word).collect();
        for packet in packets {
            bytes.extend(packet.iter().copied().flat_map(word));
            bytes.extend(std::iter::repeat_n(0xff, packet[2] as usize));
        }
        bytes
    }

    const PACKETS: [[u32; 4]; 3] = [[100, 999_999, 60, 60], [101, 1, 64, 1514], [101, 1, 0, 54]];

    fn recorded(times: [u64; 3], sizes: [u32; 3]) -> Vec<Recorded> {
        times.into_iter().zip(sizes).map(|(at_ns, size)| Recorded { at_ns, size, ecn: Ecn::Not, dscp: 0 }).collect()
    }

    #[test]
    fn both_units_of_time_both_orders_of_bytes_and_both_link_types() {
        for word in [u32::to_be_bytes, u32::to_le_bytes] {
            let micros = parse(&mut &file(0xa1b2_c3d4, 1, &PACKETS, word)[..]).unwrap();
            assert_eq!(micros[..], recorded([0, 2000, 2000], [46, 1500, 40]));
            let nanos = parse(&mut &file(0xa1b2_3c4d, 101, &PACKETS, word)[..]).unwrap();
            assert_eq!(nanos[..], recorded([0, 999_000_002, 999_000_002], [60, 1514, 54]));
        }
    }

    /// A capture of raw or Ethernet packets that begin with these bytes, each of 60 bytes.
    fn fields(link: u32, starts: &[&[u8]]) -> Vec<(u8, Ecn)> {
        let mut bytes = file(0xa1b2_c3d4, link, &[], u32::to_be_bytes);
        for start in starts {
            let record = [1, 0, start.len() as u32, 60];
            bytes.extend(record.into_iter().flat_map(u32::to_be_bytes).chain(start.iter().copied()));
        }
        parse(&mut &bytes[..]).unwrap().iter().map(|packet| (packet.dscp, packet.ecn)).collect()
    }

    /// RFC 2474, section 3, and RFC 3168, section 5: six bits of codepoint, two of ECN, in the second byte of an IPv4 header,
    /// and behind the version of an IPv6 header (RFC 8200, section 3).
    #[test]
    fn codepoint_and_ecn_field_are_read_from_the_header() {
        let raw: [&[u8]; 6] =
            [&[0x45, 0xb8], &[0x45, 0x01, 9], &[0x6b, 0x90, 0, 0], &[0x60, 0x30], &[0x45], &[0x15, 0xff]];
        let expected = [(46, Ecn::Not), (0, Ecn::Ect1), (46, Ecn::Ect1), (0, Ecn::Ce), (0, Ecn::Not), (0, Ecn::Not)];
        assert_eq!(fields(101, &raw), expected);
        let mut frame = [0; 20];
        (frame[14], frame[15]) = (0x45, 0xb6);
        let with = |kind: u16| {
            let mut frame = frame;
            frame[12..14].copy_from_slice(&kind.to_be_bytes());
            frame
        };
        let frames = [0x0800, 0x86dd, 0x0806].map(with);
        let expected = [(45, Ecn::Ect0), (45, Ecn::Ect0), (0, Ecn::Not)];
        assert_eq!(fields(1, &[&frames[0], &frames[1], &frames[2]]), expected);
    }

    #[test]
    fn packets_leave_at_their_distances() {
        let mut source = Replay::new(recorded([0, 5, 9], [100, 20, 1000]).into(), 28);
        assert_eq!(source.first_gap(), Span::ZERO);
        let sent: Vec<_> = (0..3).map(|_| source.next()).map(|it| (it.seq, it.size, it.payload, it.gap)).collect();
        let nanos = Span::from_nanos;
        assert_eq!(sent, [(0, 100, 72, nanos(5)), (1, 20, 0, nanos(4)), (2, 1000, 972, NEVER)]);
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told() {
        let refused = |bytes: &[u8]| parse(&mut &bytes[..]).unwrap_err();
        let good = file(0xa1b2_c3d4, 1, &PACKETS, u32::to_le_bytes);
        assert!(refused(b"").contains("ends within its header"));
        assert!(refused(&good[..20]).contains("ends within the header"));
        assert!(refused(&good[..30]).contains("ends within the header of a packet"));
        assert!(refused(&good[..60]).contains("ends within packet 1"));
        assert!(refused(&good[..24]).contains("no packets"));
        assert!(refused(b"duration = \"10s\"  # a scenario").contains("not a pcap file"));
        assert!(refused(&[[0x0a, 0x0d, 0x0d, 0x0a].as_slice(), &[0; 40]].concat()).contains("pcapng"));
        let told = |link, packets: &[[u32; 4]]| refused(&file(0xa1b2_c3d4, link, packets, u32::to_le_bytes));
        assert!(told(113, &PACKETS).contains("link type 113"));
        assert!(told(101, &[[2, 0, 0, 60], [1, 0, 0, 60]]).contains("packet 2 is earlier"));
        assert!(told(101, &[[2, 0, 70, 60]]).contains("packet 1 has a length of 60"));
        assert!(told(1, &[[2, 0, 0, 14]]).contains("packet 1 has a length of 14"));
        assert!(told(101, &[[2, 0, 0, 3_000_000]]).contains("not a packet"));
    }
}

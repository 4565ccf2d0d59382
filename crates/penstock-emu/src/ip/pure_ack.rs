//! The pure TCP acknowledgement in an IP packet: RFC 9293, section 3.1 (header, options); RFC 2018 (SACK); RFC 7323
//! (timestamps); RFC 9768, section 3.1 (the flag AE).

use super::{TCP, parts, word};
use penstock_core::PureAck;
use penstock_core::pure_ack::Block;

/// Bytes of a TCP header without options.
const HEADER: usize = 20;

const ACK: u8 = 1 << 4;
/// URG, PSH, RST, SYN and FIN.
const OTHER_FLAGS: u8 = 0x2f;

/// Kinds of options.
const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

/// The pure ACK in this IP packet; `None` if it is any other packet.
pub(crate) fn pure_ack(packet: &[u8]) -> Option<PureAck> {
    let parts = parts(packet).ok().filter(|parts| parts.protocol == TCP)?;
    let header = parts.payload;
    let flags = *header.get(13)?;
    // Without a payload, the data offset (in words) is the length of the segment.
    let has_payload = usize::from(header[12] >> 4) * 4 != header.len();
    if has_payload || header.len() < HEADER || flags & ACK == 0 || flags & OTHER_FLAGS != 0 {
        return None;
    }
    let (cwr_and_ece, ae) = (flags >> 6, header[12] & 1);
    let ack = PureAck { number: number(header, 8), ace: ae << 2 | cwr_and_ece, ..PureAck::default() };
    with_options(ack, &header[HEADER..])
}

/// The ACK with these options; `None` if they are malformed.
fn with_options(mut ack: PureAck, mut options: &[u8]) -> Option<PureAck> {
    while let [kind, rest @ ..] = options {
        if *kind == END {
            break;
        }
        if *kind == NO_OPERATION {
            options = rest;
            continue;
        }
        let length = usize::from(*rest.first()?);
        let (option, rest) = options.split_at_checked(length).filter(|_| length >= 2)?;
        match (*kind, &option[2..]) {
            (SACK, edges) if !edges.is_empty() && edges.len().is_multiple_of(8) => {
                let block = |edges: &[u8]| Block { start: number(edges, 0), end: number(edges, 4) };
                ack.blocks = edges.chunks_exact(8).map(block).collect();
            }
            (TIMESTAMPS, times) if times.len() == 8 => ack.timestamp = Some(number(times, 0)),
            _ => ack.has_other_options = true,
        }
        options = rest;
    }
    Some(ack)
}

/// The 32-bit number at this place, in network byte order.
fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from(word(bytes, at)) << 16 | u32::from(word(bytes, at + 2))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{v4, v6};
    use super::*;

    /// A TCP header with these flags and options, which acknowledges 0x01020304, and this payload.
    fn segment(ae: bool, flags: u8, options: &[u8], payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x01, 0xbb, 0xc7, 0x38, 9, 9, 9, 9, 1, 2, 3, 4];
        bytes.push((((HEADER + options.len()) / 4) as u8) << 4 | u8::from(ae));
        bytes.extend([flags, 0xff, 0xff, 0, 0, 0, 0]);
        bytes.extend(options);
        bytes.extend(payload);
        bytes
    }

    fn read(segment: &[u8]) -> Option<PureAck> {
        let ack = pure_ack(&v4(0, 0, TCP, &[], segment));
        assert_eq!(pure_ack(&v4(0, 0, TCP, &[1; 8], segment)), ack, "options of IPv4");
        assert_eq!(pure_ack(&v6(0, TCP, segment)), ack);
        ack
    }

    #[test]
    fn number_and_flags_are_read() {
        let plain = PureAck { number: 0x0102_0304, ..PureAck::default() };
        assert_eq!(read(&segment(false, ACK, &[], &[])), Some(plain));
        for (ae, flags, ace) in [(false, 0x40, 1), (false, 0x80, 2), (true, 0, 4), (true, 0xc0, 7)] {
            assert_eq!(read(&segment(ae, ACK | flags, &[], &[])), Some(PureAck { ace, ..plain }));
        }
    }

    #[test]
    fn data_and_other_flags_are_no_pure_ack() {
        assert_eq!(read(&segment(false, ACK, &[], &[7])), None);
        assert_eq!(read(&segment(false, 0, &[], &[])), None);
        for flag in [1, 2, 4, 8, 0x20] {
            assert_eq!(read(&segment(false, ACK | flag, &[], &[])), None, "{flag:#x}");
        }
        let ack = segment(false, ACK, &[], &[]);
        assert_eq!(pure_ack(&v4(0, 0, 17, &[], &ack)), None, "UDP");
        assert_eq!(pure_ack(&v4(0, 0x2000, TCP, &[], &ack)), None, "a fragment");
        assert_eq!(pure_ack(&v4(0, 0, TCP, &[], &ack[..13])), None);
        assert_eq!(pure_ack(&[]), None);
    }

    #[test]
    fn options_are_read() {
        let sack = [1, 1, 5, 18, 0, 0, 0, 10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0, 1, 0];
        let times = [1, 1, 8, 10, 0, 0, 2, 0, 0, 0, 0, 1];
        let ack = read(&segment(false, ACK, &[times.as_slice(), &sack].concat(), &[])).unwrap();
        assert_eq!((ack.timestamp, ack.has_other_options), (Some(512), false));
        assert_eq!(*ack.blocks, [Block { start: 10, end: 20 }, Block { start: 30, end: 256 }]);
        // AccECN0, then the end of the options
        let ack = read(&segment(false, ACK, &[172, 5, 0, 0, 1, 0, 0, 0], &[])).unwrap();
        assert!(ack.has_other_options && ack.blocks.is_empty());
        for malformed in [[5, 1, 0, 0], [5, 0, 0, 0], [8, 9, 0, 0], [1, 1, 1, 5]] {
            assert_eq!(read(&segment(false, ACK, &malformed, &[])), None, "{malformed:?}");
        }
        assert!(read(&segment(false, ACK, &[5, 4, 0, 0], &[])).unwrap().has_other_options);
    }
}

//! The place of the IP packet in a frame.
//!
//! Link types: <https://www.tcpdump.org/linktypes.html>. EtherTypes and PPP protocol numbers: IANA. 802.1Q and 802.1ad tags:
//! IEEE 802.1Q; MPLS: RFC 3032, section 2.1; PPPoE: RFC 2516, section 4.

use std::fmt;

/// The content of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// An IP packet that begins after this number of bytes.
    Ip(usize),
    /// Too few bytes were captured to locate the IP packet; the length of the shortest header of the link.
    Cut(usize),
    /// Something else.
    Other(Other),
}

/// Frames without an IP packet, by kind; ordered and counted for a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Other {
    /// By EtherType.
    EtherType(u16),
    /// 802.3 frames, which have a length instead of an EtherType: spanning tree, IS-IS.
    Llc,
    /// PPP of this protocol.
    Ppp(u16),
    /// Labelled packets that begin neither as IPv4 nor as IPv6.
    Mpls,
    /// Packets of a link type without a link header that begin neither as IPv4 nor as IPv6.
    Raw,
    /// Packets of another family of addresses on a loopback interface.
    Family(u32),
    /// Frames that end with their headers.
    Empty,
    /// Frames of a link type that is not read.
    LinkType(u16),
}

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;

/// The content of a frame with this LINKTYPE, of which the file has these first bytes.
pub(crate) fn content(link_type: u16, frame: &[u8]) -> Content {
    match link_type {
        1 => ethernet(frame, 12, 14),
        // Linux cooked capture, versions 1 and 2.
        113 => ethernet(frame, 14, 16),
        276 => ethernet(frame, 0, 20),
        // Raw IP: LINKTYPE_RAW, its numbers on two BSDs, and the types for IPv4 and IPv6.
        101 | 12 | 14 | 228 | 229 => ip_or(frame, 0, Other::Raw),
        0 | 108 => loopback(link_type, frame),
        // With or without an HDLC address and control field.
        9 | 50 => ppp(frame, if frame.starts_with(&[0xff, 0x03]) { 2 } else { 0 }),
        other => Content::Other(Other::LinkType(other)),
    }
}

/// The content behind an EtherType at this place, whose payload begins at `payload`.
fn ethernet(frame: &[u8], mut place: usize, mut payload: usize) -> Content {
    let shortest = payload;
    loop {
        let Some(ether_type) = u16_at(frame, place) else { return Content::Cut(shortest) };
        match ether_type {
            IPV4 | IPV6 => return Content::Ip(payload),
            // Tags of 802.1Q and 802.1ad, and older numbers of the latter.
            0x8100 | 0x88a8 | 0x9100 | 0x9200 => {
                place = payload + 2;
                payload += 4;
            }
            // A PPPoE session: version and type, code, session, length.
            0x8864 => return ppp(frame, payload + 6),
            0x8847 | 0x8848 => return mpls(frame, payload),
            0..=1500 => return Content::Other(Other::Llc),
            other => return Content::Other(Other::EtherType(other)),
        }
    }
}

/// The content behind a stack of labels.
fn mpls(frame: &[u8], mut place: usize) -> Content {
    loop {
        let Some(label) = frame.get(place..place + 4) else { return Content::Cut(place) };
        place += 4;
        if label[2] & 1 == 1 {
            return ip_or(frame, place, Other::Mpls);
        }
    }
}

/// The content behind a PPP protocol number, which has one byte if its lowest bit is set (RFC 1661, section 2).
fn ppp(frame: &[u8], place: usize) -> Content {
    let (protocol, length) = match (frame.get(place), frame.get(place + 1)) {
        (Some(&byte), _) if byte & 1 == 1 => (u16::from(byte), 1),
        (Some(&first), Some(&second)) => (u16::from_be_bytes([first, second]), 2),
        _ => return Content::Cut(place + 2),
    };
    match protocol {
        0x0021 | 0x0057 => Content::Ip(place + length),
        other => Content::Other(Other::Ppp(other)),
    }
}

/// The content behind an address family, in the byte order of the capturing host or, for LINKTYPE_LOOP, of the network.
fn loopback(link_type: u16, frame: &[u8]) -> Content {
    let Some(&[a, b, c, d]) = frame.get(..4) else { return Content::Cut(4) };
    let (big, little) = (u32::from_be_bytes([a, b, c, d]), u32::from_le_bytes([a, b, c, d]));
    let family = if link_type == 108 { big } else { big.min(little) };
    match family {
        // AF_INET; AF_INET6 of Linux, NetBSD and OpenBSD, FreeBSD, macOS.
        2 | 10 | 24 | 28 | 30 => Content::Ip(4),
        other => Content::Other(Other::Family(other)),
    }
}

/// IP at this place if it begins with version 4 or 6.
fn ip_or(frame: &[u8], place: usize, other: Other) -> Content {
    match frame.get(place).map(|first| first >> 4) {
        Some(4 | 6) => Content::Ip(place),
        Some(_) => Content::Other(other),
        None => Content::Cut(place),
    }
}

fn u16_at(frame: &[u8], place: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*frame.get(place)?, *frame.get(place + 1)?]))
}

impl fmt::Display for Other {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::EtherType(0x0806) => out.write_str("ARP"),
            Self::EtherType(0x88cc) => out.write_str("LLDP"),
            Self::EtherType(0x8863) => out.write_str("PPPoE discovery"),
            Self::EtherType(0x888e) => out.write_str("802.1X"),
            Self::EtherType(0x88f7) => out.write_str("PTP"),
            Self::EtherType(0x8808) => out.write_str("Ethernet flow control"),
            Self::EtherType(0x8809) => out.write_str("LACP and other slow protocols"),
            Self::EtherType(0x88e5) => out.write_str("MACsec"),
            Self::EtherType(other) => write!(out, "EtherType 0x{other:04x}"),
            Self::Llc => out.write_str("802.3 with LLC"),
            Self::Ppp(0xc021) => out.write_str("PPP link control"),
            Self::Ppp(0x8021 | 0x8057) => out.write_str("PPP address control"),
            Self::Ppp(other) => write!(out, "PPP protocol 0x{other:04x}"),
            Self::Mpls => out.write_str("MPLS without IP"),
            Self::Raw => out.write_str("raw packets of neither IPv4 nor IPv6"),
            Self::Family(other) => write!(out, "address family {other}"),
            Self::Empty => out.write_str("frames without content"),
            Self::LinkType(other) => write!(out, "link type {other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESSES: [u8; 12] = [2; 12];

    /// An Ethernet frame with these bytes behind its addresses.
    fn frame(rest: &[u8]) -> Vec<u8> {
        [&ADDRESSES, rest].concat()
    }

    #[test]
    fn an_ip_packet_is_found_behind_tags_sessions_and_labels() {
        let frames: [(&[u8], usize); 8] = [
            (&[0x08, 0x00, 0x45], 14),
            (&[0x86, 0xdd, 0x60], 14),
            (&[0x81, 0x00, 0, 7, 0x08, 0x00], 18),
            (&[0x88, 0xa8, 0, 7, 0x81, 0x00, 0, 8, 0x86, 0xdd], 22),
            (&[0x91, 0x00, 0, 7, 0x81, 0x00, 0, 8, 0x08, 0x00], 22),
            (&[0x88, 0x64, 0x11, 0, 0, 1, 0, 42, 0x00, 0x21], 22),
            (&[0x81, 0x00, 0, 7, 0x88, 0x64, 0x11, 0, 0, 1, 0, 42, 0x00, 0x57], 26),
            // Two labels; the bottom of the stack is the lowest bit of the third byte.
            (&[0x88, 0x47, 0, 1, 0, 64, 0, 2, 1, 64, 0x45], 22),
        ];
        for (rest, place) in frames {
            assert_eq!(content(1, &frame(rest)), Content::Ip(place), "{rest:x?}");
        }
    }

    #[test]
    fn an_ip_packet_is_found_in_all_link_types() {
        let cooked = |place: usize, length| {
            let mut header = vec![0; length];
            header[place] = 8;
            header
        };
        let frames = [
            (113, cooked(14, 16), 16),
            (276, cooked(0, 20), 20),
            (101, vec![0x45], 0),
            (12, vec![0x60], 0),
            (228, vec![0x45], 0),
            (229, vec![0x60], 0),
            (0, vec![2, 0, 0, 0], 4),
            (0, vec![0, 0, 0, 30], 4),
            (108, vec![0, 0, 0, 2], 4),
            (9, vec![0xff, 3, 0, 0x21], 4),
            (9, vec![0, 0x57], 2),
            (9, vec![0x21], 1),
        ];
        for (link_type, bytes, place) in frames {
            assert_eq!(content(link_type, &bytes), Content::Ip(place), "link type {link_type}");
        }
    }

    #[test]
    fn other_frames_have_names() {
        let named = |link_type, bytes: &[u8]| match content(link_type, bytes) {
            Content::Other(other) => other.to_string(),
            content => format!("{content:?}"),
        };
        assert_eq!(named(1, &frame(&[0x08, 0x06])), "ARP");
        assert_eq!(named(1, &frame(&[0x81, 0, 0, 1, 0x88, 0xcc])), "LLDP");
        assert_eq!(named(1, &frame(&[0, 38])), "802.3 with LLC");
        assert_eq!(named(1, &frame(&[0x12, 0x34])), "EtherType 0x1234");
        assert_eq!(named(1, &frame(&[0x88, 0x47, 0, 0, 1, 64, 0])), "MPLS without IP");
        assert_eq!(named(1, &frame(&[0x88, 0x64, 0x11, 0, 0, 1, 0, 8, 0xc0, 0x21])), "PPP link control");
        assert_eq!(named(0, &[0, 0, 0, 7]), "address family 7");
        assert_eq!(named(101, &[0x15]), "raw packets of neither IPv4 nor IPv6");
        assert_eq!(named(127, &[]), "link type 127");
    }

    #[test]
    fn a_frame_cut_in_its_header_counts_with_the_shortest_header() {
        assert_eq!(content(1, &[]), Content::Cut(14));
        assert_eq!(content(1, &frame(&[0x81, 0x00, 0])), Content::Cut(14));
        assert_eq!(content(113, &[0; 3]), Content::Cut(16));
        assert_eq!(content(101, &[]), Content::Cut(0));
    }
}

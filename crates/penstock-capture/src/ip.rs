//! The headers of IP, TCP and UDP.

use crate::packet::{Headers, Tcp, TcpFlags, TcpOptions, Transport};
use etherparse::{IpNumber, LaxIpPayloadSlice, LaxIpSlice, TcpHeaderSlice, UdpHeaderSlice};
use penstock_core::Ecn;

/// Length of a TCP header without options, and of the longest one, in bytes.
const TCP_FIXED: usize = 20;
const TCP_LONGEST: usize = 60;

/// Fields of an IP packet.
pub(crate) struct Ip {
    /// In bytes.
    pub(crate) length: u32,
    /// Whether the length in the header is possible; otherwise the length of the frame is used.
    pub(crate) has_length: bool,
    pub(crate) dscp: u8,
    pub(crate) ecn: Ecn,
    /// `None` if the IP header is incomplete.
    pub(crate) headers: Option<Headers>,
}

impl Ip {
    /// The packet that begins with these bytes, in a frame with room for `room` bytes of it.
    pub(crate) fn parse(bytes: &[u8], room: u32) -> Self {
        let class = traffic_class(bytes);
        let in_header = length_in_header(bytes, room).filter(|length| (TCP_FIXED as u32..=room).contains(length));
        let length = in_header.unwrap_or(room);
        Self {
            length,
            has_length: in_header.is_some(),
            dscp: class >> 2,
            ecn: Ecn::from_bits(class),
            headers: headers(bytes, length),
        }
    }
}

/// Codepoint and ECN field: the second byte of an IPv4 header (RFC 2474, section 3), and behind the version in an IPv6
/// header (RFC 8200, section 3); 0 if the file does not have them.
fn traffic_class(bytes: &[u8]) -> u8 {
    match *bytes {
        [first, second, ..] if first >> 4 == 4 => second,
        [first, second, ..] if first >> 4 == 6 => first << 4 | second >> 4,
        _ => 0,
    }
}

/// Length of the packet in bytes, if the file has that part of the header. In a super-frame this length is 0 if the
/// frame is too long for the field (BIG TCP of Linux; RFC 2675), or if the network card fills the field in; then the
/// length of the frame is used.
fn length_in_header(bytes: &[u8], room: u32) -> Option<u32> {
    const IPV6_HEADER: u32 = 40;
    match *bytes {
        [first, _, high, low, ..] if first >> 4 == 4 => match u16::from_be_bytes([high, low]) {
            0 => Some(room),
            length => Some(u32::from(length)),
        },
        [first, _, _, _, high, low, ..] if first >> 4 == 6 => match u16::from_be_bytes([high, low]) {
            0 if room > IPV6_HEADER + u32::from(u16::MAX) => Some(room),
            length => Some(IPV6_HEADER + u32::from(length)),
        },
        _ => None,
    }
}

fn headers(bytes: &[u8], length: u32) -> Option<Headers> {
    let ip = LaxIpSlice::from_slice(bytes).ok()?.0;
    let payload = ip.payload();
    // The payload is a part of the packet, so the distance between the starts of the two is the length of the headers.
    let before = payload.payload.as_ptr() as usize - bytes.as_ptr() as usize;
    Some(Headers {
        source: ip.source_addr(),
        destination: ip.destination_addr(),
        protocol: payload.ip_number.0,
        identification: ip.ipv4().map_or(0, |ipv4| ipv4.header().identification()),
        transport: transport(payload, length.saturating_sub(before as u32)),
    })
}

/// The header behind the IP header. Together with its payload it has `length` bytes.
fn transport(payload: &LaxIpPayloadSlice<'_>, length: u32) -> Option<Transport> {
    if payload.fragmented {
        return None;
    }
    match payload.ip_number {
        IpNumber::TCP => tcp(payload.payload, length).map(Transport::Tcp),
        IpNumber::UDP => {
            let header = UdpHeaderSlice::from_slice(payload.payload).ok()?;
            let (source_port, destination_port) = (header.source_port(), header.destination_port());
            Some(Transport::Udp { source_port, destination_port, payload: length.saturating_sub(8) })
        }
        _ => None,
    }
}

fn tcp(bytes: &[u8], length: u32) -> Option<Tcp> {
    if bytes.len() < TCP_FIXED {
        return None;
    }
    // Some of the options may not have been captured.
    let mut whole = [0; TCP_LONGEST];
    let count = bytes.len().min(TCP_LONGEST);
    whole[..count].copy_from_slice(&bytes[..count]);
    let header = TcpHeaderSlice::from_slice(&whole).ok()?;
    let flags = TcpFlags(u16::from_be_bytes([whole[12] & 1, whole[13]]));
    let header_length = header.slice().len() as u32;
    let options = &bytes[TCP_FIXED..bytes.len().min(header.slice().len())];
    Some(Tcp {
        source_port: header.source_port(),
        destination_port: header.destination_port(),
        sequence: header.sequence_number(),
        acknowledgement: header.acknowledgment_number(),
        flags,
        window: header.window_size(),
        header: header_length,
        payload: length.saturating_sub(header_length),
        options: TcpOptions::parse(options, flags.has(TcpFlags::SYN)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ipv4, ipv6, tcp};
    use std::net::IpAddr;

    /// Options of a SYN: maximum segment size 1452, no operation, window scale 7.
    const SYN_OPTIONS: [u8; 8] = [2, 4, 0x05, 0xac, 1, 3, 3, 7];

    fn transport_of(bytes: &[u8]) -> Option<Transport> {
        Ip::parse(bytes, bytes.len() as u32).headers.unwrap().transport
    }

    #[test]
    fn fields_of_a_syn_are_read() {
        let headers = Ip::parse(&ipv4(0, 6, &tcp(0x12, &SYN_OPTIONS, 0)), 48).headers.unwrap();
        assert_eq!((headers.protocol, headers.identification), (6, 9));
        let addresses = [headers.source, headers.destination];
        assert_eq!(addresses, [1, 2].map(|last| IpAddr::from([10, 0, 0, last])));
        let expected = Tcp {
            source_port: 1000,
            destination_port: 2000,
            sequence: 7,
            acknowledgement: 8,
            flags: TcpFlags(0x12),
            window: 0x0102,
            header: 28,
            payload: 0,
            options: TcpOptions { mss: Some(1452), window_scale: Some(7), ..TcpOptions::default() },
        };
        assert_eq!(headers.transport, Some(Transport::Tcp(expected)));
    }

    #[test]
    fn the_payload_is_that_of_the_wire_even_if_the_packet_is_cut() {
        let packet = ipv4(0, 6, &tcp(0x10, &SYN_OPTIONS, 1000));
        let transport = |kept: usize| Ip::parse(&packet[..kept], packet.len() as u32).headers.unwrap().transport;
        for kept in [40, 44, 48, 60, packet.len()] {
            let Some(Transport::Tcp(tcp)) = transport(kept) else { panic!("TCP of {kept} bytes") };
            assert_eq!((tcp.header, tcp.payload, tcp.options), (28, 1000, TcpOptions::default()));
        }
        assert_eq!((transport(39), transport(20)), (None, None));
    }

    #[test]
    fn extension_headers_are_no_payload() {
        let hop_by_hop = [&[6, 0, 1, 4, 0, 0, 0, 0][..], &tcp(0x10, &[], 100)].concat();
        let Some(Transport::Tcp(tcp)) = transport_of(&ipv6(0, 0, &hop_by_hop)) else { panic!("TCP") };
        assert_eq!((tcp.payload, tcp.source_port), (100, 1000));
        let udp = [&[0x10, 0, 0x20, 0, 0, 58, 0, 0][..], &[0; 50]].concat();
        let expected = Transport::Udp { source_port: 0x1000, destination_port: 0x2000, payload: 50 };
        assert_eq!(transport_of(&ipv6(0, 17, &udp)), Some(expected));
    }

    #[test]
    fn fragments_have_no_transport() {
        let mut packet = ipv4(0, 6, &tcp(0x10, &[], 100));
        packet[6] = 0x20; // more fragments
        assert_eq!(transport_of(&packet), None);
    }

    /// RFC 2675 has a jumbo payload option; Linux has since left it out. In both cases the length of the frame is used.
    #[test]
    fn a_length_of_zero_is_that_of_the_frame() {
        let mut four = ipv4(0, 6, &tcp(0x10, &[], 40));
        (four[2], four[3]) = (0, 0);
        assert_eq!(Ip::parse(&four, 185_000).length, 185_000);
        let mut six = ipv6(0, 6, &tcp(0x10, &[], 40));
        (six[4], six[5]) = (0, 0);
        let ip = Ip::parse(&six, 185_000);
        let Some(Transport::Tcp(tcp)) = ip.headers.unwrap().transport else { panic!("TCP") };
        assert_eq!((ip.length, tcp.payload), (185_000, 184_940));
        // A header without payload (RFC 8200, section 4.7) in a padded frame.
        assert_eq!(Ip::parse(&ipv6(0, 59, &[]), 46).length, 40);
    }
}

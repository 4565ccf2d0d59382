use super::*;
use proptest::prelude::*;
use std::net::{Ipv4Addr, Ipv6Addr};

/// The checksum of an IPv4 header as RFC 791 defines it, from all its words.
fn full_checksum(header: &[u8]) -> u16 {
    let words = header.chunks(2).enumerate().filter(|(place, _)| *place != CHECKSUM / 2);
    let mut sum: u32 = words.map(|(_, word)| u32::from(word[0]) << 8 | u32::from(word[1])).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// An IPv4 packet from 10.0.0.1 to 10.0.0.2 with these options and this payload.
pub(super) fn v4(class: u8, fragment: u16, protocol: u8, options: &[u8], payload: &[u8]) -> Vec<u8> {
    let ihl = 20 + options.len();
    let mut packet = vec![0x40 | (ihl / 4) as u8, class];
    packet.extend(((ihl + payload.len()) as u16).to_be_bytes());
    packet.extend([0x12, 0x34]);
    packet.extend(fragment.to_be_bytes());
    packet.extend([64, protocol, 0, 0]);
    packet.extend(Ipv4Addr::new(10, 0, 0, 1).octets());
    packet.extend(Ipv4Addr::new(10, 0, 0, 2).octets());
    packet.extend(options);
    let checksum = full_checksum(&packet);
    packet[CHECKSUM..CHECKSUM + 2].copy_from_slice(&checksum.to_be_bytes());
    packet.extend(payload);
    packet
}

/// An IPv6 packet from 2001:db8::1 to 2001:db8::2 with this payload, extension headers included.
pub(super) fn v6(class: u8, next: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60 | class >> 4, class << 4 | 0x0a, 0xbc, 0xde];
    packet.extend((payload.len() as u16).to_be_bytes());
    packet.extend([next, 64]);
    packet.extend(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).octets());
    packet.extend(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 2).octets());
    packet.extend(payload);
    packet
}

/// Ports 443 and 51 000, followed by 16 bytes.
fn segment() -> Vec<u8> {
    let mut bytes = vec![0x01, 0xbb, 0xc7, 0x38];
    bytes.extend([7; 16]);
    bytes
}

fn ports(packet: &[u8]) -> (u16, u16, u8) {
    let FlowKey { src_port, dst_port, protocol, .. } = parse(packet).unwrap().key;
    (src_port, dst_port, protocol)
}

#[test]
fn addresses_ports_size_and_traffic_class_are_read() {
    let header = parse(&v4(46 << 2 | 1, 0, TCP, &[1; 8], &segment())).unwrap();
    let mapped = |last| Ipv4Addr::new(10, 0, 0, last).to_ipv6_mapped().to_bits();
    let key = FlowKey { src: mapped(1), dst: mapped(2), src_port: 443, dst_port: 51_000, protocol: TCP };
    assert_eq!(header, Header { key, size: 48, ecn: Ecn::Ect1, dscp: 46 });

    let header = parse(&v6(10 << 2 | 2, UDP, &segment())).unwrap();
    let address = |last| Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, last).to_bits();
    let key = FlowKey { src: address(1), dst: address(2), src_port: 443, dst_port: 51_000, protocol: UDP };
    assert_eq!(header, Header { key, size: 60, ecn: Ecn::Ect0, dscp: 10 });
}

#[test]
fn only_transport_protocols_have_ports() {
    assert_eq!(ports(&v4(0, 0, 1, &[], &segment())), (0, 0, 1));
    assert_eq!(ports(&v6(0, 58, &segment())), (0, 0, 58));
    assert_eq!(ports(&v6(0, 50, &segment())), (0, 0, 50));
    assert_eq!(ports(&v4(0, 0, SCTP, &[], &segment())), (443, 51_000, SCTP));
    // Too short for ports.
    assert_eq!(ports(&v4(0, 0, UDP, &[], &[1, 2, 3])), (0, 0, UDP));
}

#[test]
fn all_fragments_of_a_datagram_are_one_flow() {
    let dont_fragment = 0x4000;
    assert_eq!(ports(&v4(0, dont_fragment, TCP, &[], &segment())), (443, 51_000, TCP));
    let (more, offset) = (0x2000, 185);
    let fragments = [more, more | offset, offset].map(|bits| parse(&v4(0, bits, UDP, &[], &segment())).unwrap().key);
    assert_eq!(fragments[0], fragments[1]);
    assert_eq!(fragments[0], fragments[2]);
    assert_eq!((fragments[0].src_port, fragments[0].protocol), (0, UDP));

    let fragment = |next: u8, offset: u16, more: u16| {
        let mut payload = vec![next, 0];
        payload.extend((offset << 3 | more).to_be_bytes());
        payload.extend([0, 0, 0, 9]);
        payload.extend(segment());
        ports(&v6(0, FRAGMENT, &payload))
    };
    assert_eq!([(0, 1), (185, 1), (370, 0)].map(|(offset, more)| fragment(UDP, offset, more)), [(0, 0, UDP); 3]);
    // Later fragments do not show the headers that follow.
    assert_eq!([(0, 1), (185, 0)].map(|(offset, more)| fragment(HOP_BY_HOP, offset, more)), [(0, 0, HOP_BY_HOP); 2]);
    // A fragment header on an unfragmented datagram (RFC 6946).
    assert_eq!(fragment(UDP, 0, 0), (443, 51_000, UDP));
}

#[test]
fn ports_are_found_behind_extension_headers() {
    let mut payload = vec![DESTINATION, 1];
    payload.extend([0; 14]);
    payload.extend([AUTHENTICATION, 0, 0, 0, 0, 0, 0, 0]);
    payload.extend([ROUTING, 4, 0, 0]);
    payload.extend([0; 20]);
    payload.extend([TCP, 0, 0, 0, 0, 0, 0, 0]);
    payload.extend(segment());
    assert_eq!(ports(&v6(0, HOP_BY_HOP, &payload)), (443, 51_000, TCP));
    // The chain ends in the middle of a header.
    for length in 1..payload.len() - segment().len() {
        assert_eq!(parse(&v6(0, HOP_BY_HOP, &payload[..length])), Err(Malformed::Truncated), "{length} bytes");
    }
}

#[test]
fn bytes_that_are_no_packet_are_refused() {
    let whole = v4(0, 0, TCP, &[], &segment());
    assert_eq!(parse(&[]), Err(Malformed::Truncated));
    assert_eq!(parse(&[0x50; 60]), Err(Malformed::Version(5)));
    assert_eq!(parse(&whole[..39]), Err(Malformed::Truncated));
    assert_eq!(parse(&v6(0, TCP, &segment())[..59]), Err(Malformed::Truncated));
    for (place, value) in [(0, 0x44), (3, 19)] {
        let mut wrong = whole.clone();
        wrong[place] = value;
        assert_eq!(parse(&wrong), Err(Malformed::Length));
    }
    // Padding behind the packet is not part of it.
    let mut padded = whole;
    padded.extend([0; 6]);
    assert_eq!(parse(&padded).unwrap().size, 40);
}

#[test]
fn the_checksum_of_the_example_in_the_standard() {
    // RFC 1624, section 4: a word 0x5555 becomes 0x3285 under the checksum 0xdd2f.
    assert_eq!(updated(0xdd2f, 0x5555, 0x3285), 0x0000);
}

proptest! {
    #[test]
    fn the_traffic_class_is_rewritten_and_nothing_else(
        class: u8,
        dscp in 0_u8..64,
        bits in 0_u8..4,
        options in prop::collection::vec(any::<[u8; 4]>(), 0..=10),
        payload in prop::collection::vec(any::<u8>(), 0..64),
        is_v4: bool,
    ) {
        let (dscp, ecn) = (Dscp::new(dscp).unwrap(), Ecn::from_bits(bits));
        let before = if is_v4 { v4(class, 0, TCP, &options.concat(), &payload) } else { v6(class, TCP, &payload) };
        let mut packet = before.clone();
        set_traffic_class(&mut packet, dscp, ecn);
        let (old, new) = (parse(&before).unwrap(), parse(&packet).unwrap());
        prop_assert_eq!(new, Header { ecn, dscp: dscp.number(), ..old });
        if is_v4 {
            let header = 20 + 4 * options.len();
            let found = word(&packet, CHECKSUM);
            prop_assert_eq!(found, full_checksum(&packet[..header]));
            packet[1] = before[1];
            packet[CHECKSUM..CHECKSUM + 2].copy_from_slice(&before[CHECKSUM..CHECKSUM + 2]);
        } else {
            packet[0] = before[0];
            packet[1] = packet[1] & 0x0f | before[1] & 0xf0;
        }
        prop_assert_eq!(packet, before);
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        mut bytes in prop::collection::vec(any::<u8>(), 0..200),
        version in prop::sample::select(vec![4_u8, 6]),
    ) {
        if let Some(first) = bytes.first_mut() {
            *first = *first & 15 | version << 4;
        }
        if let Ok(header) = parse(&bytes) {
            prop_assert!(header.size as usize <= bytes.len());
            set_traffic_class(&mut bytes, Dscp::new(header.dscp).unwrap(), Ecn::Ce);
            prop_assert_eq!(parse(&bytes), Ok(Header { ecn: Ecn::Ce, ..header }));
        }
    }
}

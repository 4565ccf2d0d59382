//! IPv4 and IPv6 headers: the facts that a discipline reads, and the traffic class that it rewrites.
//!
//! RFC 791 (IPv4); RFC 8200 (IPv6 and its extension headers); RFC 4302 (authentication header); RFC 2474 and RFC 3168 (the
//! traffic class: codepoint and ECN field); RFC 1624 (incremental update of the checksum).

pub(crate) mod pure_ack;

use penstock_aqm::FlowKey;
use penstock_core::{Dscp, Ecn};
use std::fmt;

/// The facts in the headers of an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Addresses, ports and protocol. The ports are 0 if the packet has none, or if only some packets of the flow show
    /// them: in all fragments, so that the fragments of a datagram stay in one flow, and in encrypted packets.
    pub key: FlowKey,
    /// Length of the packet by its header, in bytes: 20 to 65 575.
    pub size: u32,
    /// ECN field.
    pub ecn: Ecn,
    /// Differentiated services codepoint, 0 to 63.
    pub dscp: u8,
}

/// The reason why bytes are not an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// The version is neither 4 nor 6.
    Version(u8),
    /// The bytes end before a header does, or before the length that the header states.
    Truncated,
    /// A length in a header contradicts the format.
    Length,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => write!(f, "IP version {version}: must be 4 or 6"),
            Self::Truncated => f.write_str("the packet is truncated"),
            Self::Length => f.write_str("a length in the header contradicts the format"),
        }
    }
}

impl std::error::Error for Malformed {}

const TCP: u8 = 6;
const UDP: u8 = 17;
const DCCP: u8 = 33;
const SCTP: u8 = 132;
const UDP_LITE: u8 = 136;

/// Extension headers of IPv6 (RFC 8200, section 4; RFC 4302; RFC 6275).
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION: u8 = 60;
const MOBILITY: u8 = 135;

const IPV4_HEADER: usize = 20;
const IPV6_HEADER: usize = 40;

/// Where the checksum of an IPv4 header lies.
const CHECKSUM: usize = 10;

/// Reads the headers of a packet, which begins with the IP header. Bytes behind the length that the header states are
/// ignored. The checksum of an IPv4 header is not verified, since routers forward only correct packets.
///
/// # Errors
/// [`Malformed`] if the bytes are not a whole IP packet.
pub fn parse(packet: &[u8]) -> Result<Header, Malformed> {
    Ok(Header::new(&parts(packet)?))
}

/// The fields read from an IP header, and the bytes behind it.
struct Parts<'a> {
    src: u128,
    dst: u128,
    protocol: u8,
    /// The header of the transport protocol and what follows; empty in fragments.
    payload: &'a [u8],
    size: usize,
    traffic_class: u8,
}

fn parts(packet: &[u8]) -> Result<Parts<'_>, Malformed> {
    match packet.first().map(|byte| byte >> 4) {
        Some(4) => parse_v4(packet),
        Some(6) => parse_v6(packet),
        Some(version) => Err(Malformed::Version(version)),
        None => Err(Malformed::Truncated),
    }
}

fn parse_v4(packet: &[u8]) -> Result<Parts<'_>, Malformed> {
    let header = packet.get(..IPV4_HEADER).ok_or(Malformed::Truncated)?;
    let (ihl, size) = (usize::from(header[0] & 15) * 4, usize::from(word(header, 2)));
    if ihl < IPV4_HEADER || size < ihl {
        return Err(Malformed::Length);
    }
    let packet = packet.get(..size).ok_or(Malformed::Truncated)?;
    // More fragments, or an offset: RFC 791, section 3.1.
    let is_fragment = word(header, 6) & 0x3fff != 0;
    let (src, dst) = (mapped(&header[12..16]), mapped(&header[16..20]));
    let payload = if is_fragment { &[] } else { &packet[ihl..] };
    Ok(Parts { src, dst, protocol: header[9], payload, size, traffic_class: header[1] })
}

fn parse_v6(packet: &[u8]) -> Result<Parts<'_>, Malformed> {
    let header = packet.get(..IPV6_HEADER).ok_or(Malformed::Truncated)?;
    let size = IPV6_HEADER + usize::from(word(header, 4));
    let mut rest = &packet.get(..size).ok_or(Malformed::Truncated)?[IPV6_HEADER..];
    let (src, dst) = (address(&header[8..24]), address(&header[24..40]));
    let traffic_class = header[0] << 4 | header[1] >> 4;
    let (mut protocol, mut is_fragment) = (header[6], false);
    while let Some(length) = extension(protocol, rest)? {
        // An offset, or more fragments: RFC 8200, section 4.5. Only the first fragment has the headers that follow.
        is_fragment = protocol == FRAGMENT && word(rest, 2) & !6 != 0;
        protocol = rest[0];
        rest = &rest[length..];
        if is_fragment {
            break;
        }
    }
    let payload = if is_fragment { &[] } else { rest };
    Ok(Parts { src, dst, protocol, payload, size, traffic_class })
}

/// Length in bytes of the extension header at the start of `rest`; `None` if `protocol` does not denote an extension
/// header.
fn extension(protocol: u8, rest: &[u8]) -> Result<Option<usize>, Malformed> {
    let length = match protocol {
        HOP_BY_HOP | ROUTING | DESTINATION | MOBILITY => |length: u8| 8 * (usize::from(length) + 1),
        AUTHENTICATION => |length: u8| 4 * (usize::from(length) + 2),
        FRAGMENT => |_| 8,
        _ => return Ok(None),
    };
    let length = length(*rest.get(1).ok_or(Malformed::Truncated)?);
    if rest.len() < length { Err(Malformed::Truncated) } else { Ok(Some(length)) }
}

impl Header {
    fn new(&Parts { src, dst, protocol, payload, size, traffic_class }: &Parts<'_>) -> Self {
        let has_ports = matches!(protocol, TCP | UDP | DCCP | SCTP | UDP_LITE);
        let (src_port, dst_port) = match payload.get(..4) {
            Some(ports) if has_ports => (word(ports, 0), word(ports, 2)),
            _ => (0, 0),
        };
        Self {
            key: FlowKey { src, dst, src_port, dst_port, protocol },
            size: size as u32,
            ecn: Ecn::from_bits(traffic_class),
            dscp: traffic_class >> 2,
        }
    }
}

/// Writes the codepoint and the ECN field into a packet that [`parse`] has accepted. The checksum of an IPv4 header is
/// updated by equation 3 of RFC 1624; those of TCP and UDP do not cover the field.
pub fn set_traffic_class(packet: &mut [u8], dscp: Dscp, ecn: Ecn) {
    let class = dscp.number() << 2 | ecn as u8;
    if packet[0] >> 4 == 6 {
        packet[0] = packet[0] & 0xf0 | class >> 4;
        packet[1] = packet[1] & 0x0f | class << 4;
        return;
    }
    let (old, checksum) = (word(packet, 0), word(packet, CHECKSUM));
    packet[1] = class;
    let new = updated(checksum, old, word(packet, 0));
    packet[CHECKSUM..CHECKSUM + 2].copy_from_slice(&new.to_be_bytes());
}

/// HC' = ~(~HC + ~m + m'): the checksum of a header whose 16-bit word `m` becomes `m_new` (RFC 1624, equation 3).
fn updated(checksum: u16, m: u16, m_new: u16) -> u16 {
    let sum = u32::from(!checksum) + u32::from(!m) + u32::from(m_new);
    let folded = (sum & 0xffff) + (sum >> 16);
    !((folded & 0xffff) + (folded >> 16)) as u16
}

/// The 16-bit word at this place, in network byte order.
fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// An address of up to 16 bytes as a number.
fn address(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u128::from(byte))
}

/// An IPv4 address in its IPv6-mapped form (RFC 4291, section 2.5.5.2).
fn mapped(bytes: &[u8]) -> u128 {
    0xffff << 32 | address(bytes)
}

#[cfg(test)]
mod tests;

//! Records of packets.

use penstock_core::Ecn;
use std::net::IpAddr;

/// An IP packet of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Nanoseconds since 1970. The packets of a file are not necessarily in order of time.
    pub time_ns: u64,
    /// Number of the interface, from 0, across all sections of a file.
    pub interface: u32,
    /// Length of the IP packet in bytes, with its header and without the overhead of the link.
    pub length: u32,
    /// Codepoint (RFC 2474), 0 to 63.
    pub dscp: u8,
    /// ECN field (RFC 3168).
    pub ecn: Ecn,
    /// `None` if the file does not have the whole IP header.
    pub headers: Option<Headers>,
}

/// Fields of the header of IP and of the header behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// Source address.
    pub source: IpAddr,
    /// Destination address.
    pub destination: IpAddr,
    /// Number of the protocol behind the IP header and its extensions: 6 is TCP.
    pub protocol: u8,
    /// Identification of an IPv4 packet; 0 for IPv6.
    pub identification: u16,
    /// `None` for other protocols, for fragments, and if the file does not have the header without options.
    pub transport: Option<Transport>,
}

/// Fields of the header behind the IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP.
    Tcp(Tcp),
    /// UDP.
    Udp {
        /// Source port.
        source_port: u16,
        /// Destination port.
        destination_port: u16,
        /// Payload in bytes.
        payload: u32,
    },
}

/// Fields of a TCP header (RFC 9293, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tcp {
    /// Source port.
    pub source_port: u16,
    /// Destination port.
    pub destination_port: u16,
    /// Sequence number.
    pub sequence: u32,
    /// Acknowledgement number.
    pub acknowledgement: u32,
    /// Control bits.
    pub flags: TcpFlags,
    /// Window, not scaled.
    pub window: u16,
    /// Length of the header with its options in bytes.
    pub header: u32,
    /// Payload in bytes.
    pub payload: u32,
    /// Options that were captured completely.
    pub options: TcpOptions,
}

/// Options of a TCP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpOptions {
    /// Maximum segment size (RFC 9293, section 3.7.1), of a SYN.
    pub mss: Option<u16>,
    /// Shift count of the receive window (RFC 7323, section 2.2), of a SYN.
    pub window_scale: Option<u8>,
    /// Left and right edge of the first block in the SACK option (RFC 2018, section 3).
    pub sack: Option<[u32; 2]>,
    /// Timestamp value and timestamp echo reply (RFC 7323, section 3.2).
    pub timestamps: Option<[u32; 2]>,
}

/// Control bits of TCP, as in its header: FIN is 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32, ECE 64, CWR 128, AE 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpFlags(pub u16);

impl TcpFlags {
    /// SYN.
    pub const SYN: u16 = 2;

    /// Whether this bit is set.
    pub fn has(self, bit: u16) -> bool {
        self.0 & bit != 0
    }
}

/// A packet of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadPacket {
    /// Nanoseconds since the first packet.
    pub time_ns: u64,
    /// Length of the IP packet in bytes.
    pub size: u32,
    /// ECN field.
    pub ecn: Ecn,
    /// Codepoint.
    pub dscp: u8,
}

//! Frames and files made byte by byte, for tests.

use crate::input::Input;
use crate::packet::Packet;
use crate::reader::Reader;
use std::io::Cursor;

/// A reader of a file with these bytes.
pub(crate) fn reader(file: &[u8]) -> Result<Reader, String> {
    Reader::new(Input::new(Cursor::new(file.to_vec()))?)
}

/// The packets of a file with these bytes, and its notes.
pub(crate) fn read(file: &[u8]) -> (Vec<Packet>, Vec<String>) {
    let mut reader = reader(file).unwrap();
    let packets = reader.by_ref().map(Result::unwrap).collect();
    (packets, reader.summary().notes())
}

/// The first error of a file with these bytes.
pub(crate) fn refused(file: &[u8]) -> String {
    match reader(file) {
        Err(message) => message,
        Ok(mut reader) => reader.find_map(Result::err).expect("an error"),
    }
}

/// A frame of a file.
#[derive(Clone)]
pub(crate) struct Captured {
    /// Time stamp in units of the file.
    pub(crate) ticks: u64,
    /// Bytes on the wire.
    pub(crate) length: u32,
    pub(crate) bytes: Vec<u8>,
}

/// A frame that is captured whole.
pub(crate) fn whole(ticks: u64, bytes: Vec<u8>) -> Captured {
    Captured { ticks, length: bytes.len() as u32, bytes }
}

/// Numbers in either byte order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    Big,
    Little,
}

impl Order {
    pub(crate) fn u16(self, number: u16) -> Vec<u8> {
        match self {
            Self::Big => number.to_be_bytes().to_vec(),
            Self::Little => number.to_le_bytes().to_vec(),
        }
    }

    pub(crate) fn u32(self, number: u32) -> Vec<u8> {
        match self {
            Self::Big => number.to_be_bytes().to_vec(),
            Self::Little => number.to_le_bytes().to_vec(),
        }
    }

    pub(crate) fn u64(self, number: u64) -> Vec<u8> {
        match self {
            Self::Big => number.to_be_bytes().to_vec(),
            Self::Little => number.to_le_bytes().to_vec(),
        }
    }
}

/// A pcap file with microseconds, or nanoseconds.
pub(crate) fn pcap(order: Order, has_nanos: bool, link_type: u32, frames: &[Captured]) -> Vec<u8> {
    let (magic, unit) = if has_nanos { (0xa1b2_3c4d, 1_000_000_000) } else { (0xa1b2_c3d4, 1_000_000) };
    let mut file = [order.u32(magic), order.u16(2), order.u16(4)].concat();
    file.extend([0, 0, 65_535, link_type].into_iter().flat_map(|word| order.u32(word)));
    for frame in frames {
        let words = [(frame.ticks / unit) as u32, (frame.ticks % unit) as u32, frame.bytes.len() as u32, frame.length];
        file.extend(words.into_iter().flat_map(|word| order.u32(word)));
        file.extend(&frame.bytes);
    }
    file
}

/// A block of a pcapng file.
pub(crate) fn block(order: Order, kind: u32, mut body: Vec<u8>) -> Vec<u8> {
    body.resize(body.len().next_multiple_of(4), 0);
    let length = order.u32(body.len() as u32 + 12);
    [order.u32(kind), length.clone(), body, length].concat()
}

/// A section header.
pub(crate) fn section(order: Order) -> Vec<u8> {
    let body = [order.u32(0x1a2b_3c4d), order.u16(1), order.u16(0), order.u64(u64::MAX)];
    block(order, 0x0a0d_0d0a, body.concat())
}

/// An interface description with these options: code and value.
pub(crate) fn interface(order: Order, link_type: u16, options: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let mut body = [order.u16(link_type), order.u16(0), order.u32(0)].concat();
    for (code, value) in options {
        body.extend([order.u16(*code), order.u16(value.len() as u16)].concat());
        body.extend(value);
        body.resize(body.len().next_multiple_of(4), 0);
    }
    body.extend([0; 4]);
    block(order, 1, body)
}

/// An enhanced packet block.
pub(crate) fn enhanced(order: Order, interface: u32, frame: &Captured) -> Vec<u8> {
    let times = [(frame.ticks >> 32) as u32, frame.ticks as u32];
    let words = [interface, times[0], times[1], frame.bytes.len() as u32, frame.length];
    let mut body: Vec<u8> = words.into_iter().flat_map(|word| order.u32(word)).collect();
    body.extend(&frame.bytes);
    block(order, 6, body)
}

/// An IPv4 packet of a protocol.
pub(crate) fn ipv4(class: u8, protocol: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u16 + 20).to_be_bytes();
    let header = [0x45, class, length[0], length[1], 0, 9, 0x40, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    [&header, payload].concat()
}

/// An IPv6 packet whose header is followed by one of this kind.
pub(crate) fn ipv6(class: u8, next: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u16).to_be_bytes();
    let header = [0x60 | class >> 4, class << 4, 0, 0, length[0], length[1], next, 64];
    let addresses = [[0xfd; 16], [0xfe; 16]].concat();
    [&header, &addresses[..], payload].concat()
}

/// A TCP segment from port 1000 to port 2000 with these control bits, options and number of bytes of payload.
pub(crate) fn tcp(flags: u8, options: &[u8], payload: usize) -> Vec<u8> {
    let offset = (5 + options.len() as u8 / 4) << 4;
    let ports = [1000_u16.to_be_bytes(), 2000_u16.to_be_bytes()].concat();
    let numbers = [7_u32.to_be_bytes(), 8_u32.to_be_bytes()].concat();
    [&ports, &numbers, &[offset, flags, 1, 2, 0, 0, 0, 0][..], options, &vec![0; payload]].concat()
}

/// An Ethernet frame of this EtherType, padded to 60 bytes.
pub(crate) fn ethernet(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = [&[2; 12], &ether_type.to_be_bytes()[..], payload].concat();
    frame.resize(frame.len().max(60), 0xee);
    frame
}

//! Headers of a capture file: pcap with nanosecond times (draft-ietf-opsawg-pcap), whose packets begin with the IP header
//! (LINKTYPE_RAW, 101).

use penstock_core::Time;
use penstock_core::time::NANOS_PER_SECOND;

/// Largest length of an IP packet in bytes.
pub const LONGEST: usize = 65_535;

/// The header of a file whose packets are cut after `snaplen` bytes.
pub fn file_header(snaplen: u32) -> [u8; 24] {
    // Magic number, version 2.4, two unused words, snap length, link type.
    bytes([0xa1b2_3c4d, 2 | 4 << 16, 0, 0, snaplen, 101])
}

/// The header of a packet of `length` bytes, of which the file keeps `kept`.
pub fn packet_header(time: Time, kept: u32, length: u32) -> [u8; 16] {
    let nanos = time.as_nanos();
    bytes([(nanos / NANOS_PER_SECOND) as u32, (nanos % NANOS_PER_SECOND) as u32, kept, length])
}

/// The words in little-endian order.
fn bytes<const WORDS: usize, const BYTES: usize>(words: [u32; WORDS]) -> [u8; BYTES] {
    let mut all = [0; BYTES];
    for (place, word) in all.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_the_fields_of_the_format_in_little_endian_order() {
        let file = file_header(96);
        assert_eq!(file[..8], [0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0]);
        assert_eq!(file[16..], [96, 0, 0, 0, 101, 0, 0, 0]);
        let packet = packet_header(Time::from_nanos(3_000_000_258), 96, 1500);
        assert_eq!(packet, [3, 0, 0, 0, 2, 1, 0, 0, 96, 0, 0, 0, 0xdc, 5, 0, 0]);
    }
}

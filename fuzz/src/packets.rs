//! Malformed and truncated packets for the parser of headers and the writer of the traffic class.

use penstock_core::{Dscp, Ecn, Rng};
use penstock_emu::ip::{Header, Malformed, parse, set_traffic_class};
use std::panic::catch_unwind;

/// Packets drawn from one stream of random numbers.
const ROUND: u64 = 10_000;

const PROTOCOLS: [u8; 8] = [1, 6, 17, 33, 50, 58, 132, 136];
const EXTENSIONS: [u8; 6] = [0, 43, 44, 51, 60, 135];
const CHECKSUM: usize = 10;

/// Fates of the packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub accepted: u64,
    pub truncated: u64,
    pub length: u64,
    pub version: u64,
}

/// This number of packets, or the round that failed. The same seed and round give the same packets.
pub fn fuzz(seed: u64, packets: u64) -> Result<Counts, String> {
    let mut all = Counts::default();
    for round in 0..packets.div_ceil(ROUND) {
        let mut rng = Rng::stream(seed, format_args!("packets {round}"));
        let fates = catch_unwind(move || {
            let mut counts = Counts::default();
            (0..ROUND).for_each(|_| check(&mut any_packet(&mut rng), &mut rng, &mut counts));
            counts
        });
        let counts = fates.map_err(|_| format!("packets failed in round {round} of seed {seed}"))?;
        all.accepted += counts.accepted;
        all.truncated += counts.truncated;
        all.length += counts.length;
        all.version += counts.version;
    }
    Ok(all)
}

/// What holds for any bytes.
fn check(bytes: &mut [u8], rng: &mut Rng, counts: &mut Counts) {
    let header = match parse(bytes) {
        Ok(header) => header,
        Err(Malformed::Truncated) => return counts.truncated += 1,
        Err(Malformed::Length) => return counts.length += 1,
        Err(Malformed::Version(version)) => {
            assert!(version == bytes[0] >> 4 && version != 4 && version != 6);
            return counts.version += 1;
        }
    };
    counts.accepted += 1;
    let size = header.size as usize;
    assert!((20..=bytes.len()).contains(&size), "{header:?} of {} bytes", bytes.len());
    assert_eq!(parse(&bytes[..size]), Ok(header), "bytes behind the packet were read");
    assert_eq!(parse(&bytes[..size - 1]), Err(Malformed::Truncated));
    check_rewriting(bytes, header, rng);
}

/// The traffic class is written, the checksum of an IPv4 header stays as right or wrong as it was, and no other bit changes.
fn check_rewriting(bytes: &mut [u8], header: Header, rng: &mut Rng) {
    let before = bytes.to_vec();
    let (dscp, ecn) = (Dscp::new(rng.below(64) as u8).unwrap(), Ecn::from_bits(rng.below(4) as u8));
    set_traffic_class(bytes, dscp, ecn);
    assert_eq!(parse(bytes), Ok(Header { dscp: dscp.number(), ecn, ..header }));
    if bytes[0] >> 4 == 4 {
        let length = usize::from(bytes[0] & 15) * 4;
        assert_eq!(sum(&bytes[..length]), sum(&before[..length]), "checksum");
        bytes[1] = before[1];
        bytes[CHECKSUM..CHECKSUM + 2].copy_from_slice(&before[CHECKSUM..CHECKSUM + 2]);
    } else {
        bytes[0] = bytes[0] & 0xf0 | before[0] & 0x0f;
        bytes[1] = bytes[1] & 0x0f | before[1] & 0xf0;
    }
    assert_eq!(bytes, before, "other bits changed");
}

/// The sum of the words of a header in ones' complement, 0 and 0xffff being the same number (RFC 1071).
fn sum(header: &[u8]) -> u64 {
    header.chunks_exact(2).map(|word| u64::from(word[0]) << 8 | u64::from(word[1])).sum::<u64>() % 0xffff
}

/// Random bytes, or a packet that is damaged in one place or several, or is whole.
pub fn any_packet(rng: &mut Rng) -> Vec<u8> {
    if rng.chance(0.05) {
        let length = rng.below(100);
        return (0..length).map(|_| rng.below(256) as u8).collect();
    }
    let mut bytes = if rng.chance(0.5) { any_v4(rng) } else { any_v6(rng) };
    while rng.chance(0.5) {
        damage(&mut bytes, rng);
    }
    bytes
}

fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let any_place = rng.below(bytes.len() as u64 + 1) as usize;
    match rng.below(4) {
        0 => bytes.truncate(any_place),
        1 => bytes.resize(bytes.len() + rng.below(64) as usize, rng.below(256) as u8),
        // A length, or a protocol: often one with an extreme value.
        2 => {
            if let Some(byte) = bytes.get_mut([0, 2, 3, 4, 5, 6, 7, 9, 40, 41, 48, 49][rng.below(12) as usize]) {
                *byte = [0, 1, 4, 5, 19, 20, 44, 51, 0x40, 0x46, 0x7f, 0xff][rng.below(12) as usize];
            }
        }
        _ => {
            if let Some(byte) = bytes.get_mut(any_place) {
                *byte ^= 1 << rng.below(8);
            }
        }
    }
}

/// A whole IPv4 packet with options and a payload of random length, often a fragment.
fn any_v4(rng: &mut Rng) -> Vec<u8> {
    let options = if rng.chance(0.3) { 4 * rng.below(11) } else { 0 };
    let (header, payload) = (20 + options, any_payload(rng));
    let mut bytes: Vec<u8> = (0..header).map(|_| rng.below(256) as u8).collect();
    bytes[0] = 0x40 | (header / 4) as u8;
    bytes[2..4].copy_from_slice(&((header + payload.len() as u64) as u16).to_be_bytes());
    if rng.chance(0.8) {
        bytes[6..8].copy_from_slice(&[0x40, 0]);
    }
    bytes[9] = PROTOCOLS[rng.below(8) as usize];
    bytes.extend(payload);
    bytes
}

/// A whole IPv6 packet with up to five extension headers.
fn any_v6(rng: &mut Rng) -> Vec<u8> {
    let mut protocol = PROTOCOLS[rng.below(8) as usize];
    let mut payload = any_payload(rng);
    for _ in 0..rng.below(6) {
        let extension = EXTENSIONS[rng.below(6) as usize];
        let units = rng.below(4);
        // RFC 8200, sections 4.3 to 4.6; RFC 4302, section 2.2.
        let length = match extension {
            44 => 8,
            51 => 4 * (units + 2),
            _ => 8 * (units + 1),
        };
        let mut header: Vec<u8> = (0..length).map(|_| rng.below(256) as u8).collect();
        header[..2].copy_from_slice(&[protocol, units as u8]);
        header.extend(payload);
        (protocol, payload) = (extension, header);
    }
    let mut bytes: Vec<u8> = (0..40).map(|_| rng.below(256) as u8).collect();
    bytes[0] = 0x60 | bytes[0] & 15;
    bytes[4..6].copy_from_slice(&(payload.len() as u16).to_be_bytes());
    bytes[6] = protocol;
    bytes.extend(payload);
    bytes
}

fn any_payload(rng: &mut Rng) -> Vec<u8> {
    let length = if rng.chance(0.1) { rng.below(1480) } else { rng.below(40) };
    (0..length).map(|_| rng.below(256) as u8).collect()
}

use super::Reader;
use crate::input::{Input, MAGIC};
use crate::testing::{
    Captured, Order, block, enhanced, ethernet, interface, ipv4, ipv6, pcap, read, reader, refused, section, tcp, whole,
};
use proptest::prelude::*;
use std::io::{BufReader, Cursor, Write};

const ORDERS: [Order; 2] = [Order::Big, Order::Little];

fn times_and_lengths(file: &[u8]) -> Vec<(u64, u32)> {
    read(file).0.iter().map(|packet| (packet.time_ns, packet.length)).collect()
}

/// Two packets of 40 and 1040 bytes, the second one cut after its headers.
fn two(unit: u64) -> [Captured; 2] {
    let mut cut = whole(101 * unit + 1, ipv4(0, 6, &tcp(16, &[], 1000)));
    cut.bytes.truncate(40);
    [whole(100 * unit + 999, ipv4(0, 6, &tcp(16, &[], 0))), cut]
}

#[test]
fn pcap_has_either_byte_order_and_either_unit() {
    for order in ORDERS {
        let micros = pcap(order, false, 101, &two(1_000_000));
        assert_eq!(times_and_lengths(&micros), [(100_000_999_000, 40), (101_000_001_000, 1040)]);
        let nanos = pcap(order, true, 101, &two(1_000_000_000));
        assert_eq!(times_and_lengths(&nanos), [(100_000_000_999, 40), (101_000_000_001, 1040)]);
    }
}

/// draft-ietf-opsawg-pcapng, section 4.2: each interface has its link type, its unit and its offset; a later section has its
/// own interfaces and byte order.
#[test]
fn pcapng_has_interfaces_of_their_own_types_and_clocks() {
    for (order, other) in [(Order::Big, Order::Little), (Order::Little, Order::Big)] {
        let [raw, _] = two(1_000_000);
        let frame = whole(3 << 20 | 1 << 19, ethernet(0x0800, &ipv4(0, 17, &[0; 10])));
        let offset = order.u64(5_i64 as u64);
        let file = [
            section(order),
            interface(order, 101, &[]),
            interface(order, 1, &[(2, b"eth0".to_vec()), (9, vec![0x94]), (14, offset)]),
            block(order, 0x0bad_0bad, vec![1; 37]),
            enhanced(order, 1, &frame),
            enhanced(order, 0, &raw),
            block(order, 5, vec![0; 12]),
            section(other),
            interface(other, 113, &[(9, vec![9]), (14, other.u64(-1_i64 as u64))]),
            enhanced(other, 0, &whole(2_000_000_007, [&[0; 14][..], &[8, 0], &ipv4(0, 1, &[0; 20])].concat())),
        ];
        let packets = read(&file.concat()).0;
        let summary: Vec<_> = packets.iter().map(|it| (it.time_ns, it.interface, it.length)).collect();
        // 3.5 s in units of 2^-20 s, 5 s later; microseconds by default; nanoseconds, 1 s earlier.
        assert_eq!(summary, [(8_500_000_000, 1, 30), (100_000_999_000, 0, 40), (1_000_000_007, 2, 40)]);
    }
}

#[test]
fn obsolete_packet_blocks_are_read_and_simple_ones_have_no_time() {
    let order = Order::Little;
    let raw = ipv4(0, 1, &[0; 5]);
    let obsolete = [order.u16(0), order.u16(3), order.u32(0), order.u32(9), order.u32(25), order.u32(25), raw.clone()];
    let simple = [order.u32(25), raw];
    let file = [
        section(order),
        interface(order, 101, &[]),
        block(order, 2, obsolete.concat()),
        block(order, 3, simple.concat()),
    ];
    let (packets, notes) = read(&file.concat());
    assert_eq!(packets.iter().map(|it| (it.time_ns, it.length)).collect::<Vec<_>>(), [(9000, 25)]);
    assert_eq!(notes, ["1 packet is without a timestamp (Simple Packet Block) and not used"]);
}

#[test]
fn lengths_are_those_of_ip_headers_not_those_of_frames() {
    let packet = ipv4(0xb9, 6, &tcp(16, &[], 3));
    assert_eq!(packet.len(), 43);
    let tagged = [&[0, 7, 0x81, 0, 0, 8, 8, 0][..], &packet].concat();
    let session = [&[0x11, 0, 0, 1, 0, 42, 0x00, 0x21][..], &packet].concat();
    let labelled = [&[0, 1, 0, 64, 0, 2, 1, 64][..], &packet].concat();
    let frames = [(0x0800, packet.clone()), (0x88a8, tagged), (0x8864, session), (0x8847, labelled)];
    for (ether_type, payload) in frames {
        // Each frame ends with padding and four bytes of a check sequence.
        let frame = [ethernet(ether_type, &payload), vec![0xff; 4]].concat();
        let (packets, notes) = read(&pcap(Order::Big, false, 1, &[whole(0, frame)]));
        let [packet] = packets[..] else { panic!("one packet") };
        assert_eq!((packet.length, packet.dscp, packet.ecn), (43, 46, penstock_core::Ecn::Ect1), "{ether_type:x}");
        assert_eq!(notes, [""; 0]);
    }
    let six = ethernet(0x86dd, &ipv6(0xb9, 17, &[0; 9]));
    let packet = read(&pcap(Order::Big, false, 1, &[whole(0, six)])).0[0];
    assert_eq!((packet.length, packet.dscp, packet.ecn), (49, 46, penstock_core::Ecn::Ect1));
}

#[test]
fn a_packet_without_its_ip_header_has_the_length_of_its_frame() {
    let cut = |length, bytes: &[u8]| Captured { ticks: 0, length, bytes: bytes.to_vec() };
    let (packets, notes) = read(&pcap(Order::Little, false, 1, &[cut(1514, &[]), cut(74, &[2; 13])]));
    assert_eq!(packets.iter().map(|it| (it.length, it.headers)).collect::<Vec<_>>(), [(1500, None), (60, None)]);
    assert_eq!(notes, ["2 packets are without a possible length in the IP header: the frame length is used"]);
    // Raw packets have no length of a frame, and four bytes of IPv4 are enough.
    let (packets, notes) = read(&pcap(Order::Little, false, 101, &[cut(999, &[])]));
    assert_eq!((packets[0].length, notes.len()), (999, 0));
    let (packets, notes) = read(&pcap(Order::Little, false, 101, &[cut(999, &[0x45, 0xb8, 1, 0])]));
    assert_eq!((packets[0].length, packets[0].dscp, notes.len()), (256, 46, 0));
}

#[test]
fn an_impossible_length_in_the_ip_header_is_not_used() {
    let with_length = |length: u16| {
        let mut packet = ipv4(0, 17, &[0; 32]);
        packet[2..4].copy_from_slice(&length.to_be_bytes());
        whole(0, ethernet(0x0800, &packet))
    };
    let frames = [with_length(65_535), with_length(53), with_length(52), with_length(19)];
    let (packets, notes) = read(&pcap(Order::Little, false, 1, &frames));
    assert_eq!(packets.iter().map(|it| it.length).collect::<Vec<_>>(), [52; 4]);
    assert_eq!(notes, ["3 packets are without a possible length in the IP header: the frame length is used"]);
}

#[test]
fn frames_without_ip_are_counted_and_named() {
    let arp = whole(0, ethernet(0x0806, &[0; 28]));
    let lldp = whole(1, ethernet(0x88cc, &[0; 28]));
    let ip = whole(2, ethernet(0x0800, &ipv4(0, 1, &[])));
    let (packets, notes) = read(&pcap(Order::Big, true, 1, &[lldp, arp.clone(), ip, arp]));
    assert_eq!(packets.len(), 1);
    assert_eq!(notes, ["3 frames are not IP and not used: ARP (2), LLDP (1)"]);
}

#[test]
fn a_file_that_ends_early_is_used_up_to_its_end() {
    let frames = two(1_000_000);
    let old = pcap(Order::Little, false, 101, &frames);
    let order = Order::Big;
    let new =
        [section(order), interface(order, 101, &[]), enhanced(order, 0, &frames[0]), enhanced(order, 0, &frames[1])]
            .concat();
    for file in [&old, &new] {
        for missing in [1, 15, 41, 55] {
            let (packets, notes) = read(&file[..file.len() - missing]);
            assert_eq!((packets.len(), packets[0].length), (1, 40));
            assert_eq!(notes, ["the file ends in the middle of packet 2, which is not used"]);
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstandard(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// A thousand packets whose payloads do not compress.
fn long() -> Vec<u8> {
    let mut noise = 1_u32;
    let mut byte = || {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (noise >> 24) as u8
    };
    let mut payload = || (0..500).map(|_| byte()).collect::<Vec<_>>();
    let frames: Vec<_> = (0..1000).map(|i| whole(i, ipv4(0, 17, &payload()))).collect();
    pcap(Order::Little, false, 101, &frames)
}

#[test]
fn compressed_files_are_decompressed_by_their_magic_numbers() {
    let file = long();
    let plain = read(&file);
    let (first, second) = file.split_at(7777);
    for compressed in [
        gzip(&file),
        zstandard(&file),
        [gzip(first), gzip(second)].concat(),
        [zstandard(first), zstandard(second)].concat(),
        // A skippable frame of three bytes (RFC 8878, section 3.1.2).
        [&[0x52, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9], &zstandard(&file)[..]].concat(),
    ] {
        assert_eq!(read(&compressed), plain);
    }
}

/// gzip(1), CAVEATS: zeros that fill the block of a tape are ignored, and other garbage with a warning.
#[test]
fn padding_after_compressed_data_is_ignored_and_other_bytes_are_noted() {
    let file = long();
    let (packets, no_notes) = read(&file);
    assert!(no_notes.is_empty());
    for compressed in [gzip(&file), zstandard(&file)] {
        let followed_by = |bytes: &[u8]| read(&[&compressed[..], bytes].concat());
        for count in [1, 512, 1 << 20] {
            assert_eq!(followed_by(&vec![0; count]), (packets.clone(), vec![]));
        }
        for (bytes, note) in [
            (&b"\n"[..], "1 byte is after the compressed data and not used"),
            (b"-----BEGIN", "10 bytes are after the compressed data and not used"),
            (b"\0\0\0signature", "12 bytes are after the compressed data and not used"),
        ] {
            assert_eq!(followed_by(bytes), (packets.clone(), vec![note.to_owned()]));
        }
    }
}

#[test]
fn skippable_frames_may_be_anywhere_and_parts_end_anywhere_in_a_block() {
    let file = long();
    let plain = read(&file);
    let skippable = |number: u8, length: u8| {
        [&[0x50 | number, 0x2a, 0x4d, 0x18, length, 0, 0, 0][..], &vec![9; usize::from(length)]].concat()
    };
    let frames: Vec<u8> = file.chunks(9001).flat_map(|part| [zstandard(part), skippable(7, 3)].concat()).collect();
    assert_eq!(read(&[skippable(0, 0), frames.clone(), skippable(15, 200)].concat()), plain);
    let members: Vec<u8> = file.chunks(9001).flat_map(gzip).collect();
    for compressed in [&frames, &members] {
        for block in [MAGIC, 7, 4096] {
            let input = Input::new(BufReader::with_capacity(block, Cursor::new(compressed.clone())))
                .unwrap_or_else(|_| panic!());
            assert_eq!(Reader::new(input).unwrap().map(Result::unwrap).count(), 1000, "{block}");
        }
    }
}

#[test]
fn a_compressed_file_that_ends_early_is_used_up_to_its_end() {
    for compressed in [gzip(&long()), zstandard(&long())] {
        let (packets, notes) = read(&compressed[..compressed.len() * 3 / 4]);
        assert!(packets.len() > 500 && packets.iter().all(|packet| packet.length == 520));
        assert_eq!(notes.len(), 1);
        assert!(notes[0].starts_with("the file ends in the middle of packet"));
    }
}

/// A capture program that allocates its file in advance leaves zeros behind the last packet when it is killed.
#[test]
fn a_file_that_ends_in_zeros_is_used_up_to_them() {
    let (frames, order) = (two(1_000_000), Order::Little);
    let blocks: Vec<u8> = frames.iter().flat_map(|frame| enhanced(order, 0, frame)).collect();
    let ng = [section(order), interface(order, 101, &[]), blocks].concat();
    for file in [pcap(order, false, 101, &frames), ng] {
        let packets = read(&file).0;
        assert_eq!(packets.len(), 2);
        for zeros in [16, 100, 1 << 20] {
            let tail = "the file has only zeros after packet 2, which are not used".to_owned();
            assert_eq!(read(&[&file[..], &vec![0; zeros]].concat()), (packets.clone(), vec![tail]));
        }
        // Zeros between packets are damage.
        let damaged = refused(&[&file[..], &[0; 64], &[1; 64]].concat());
        assert!(damaged.contains("impossible length: 0 bytes") || damaged.contains("a block of 0 bytes"), "{damaged}");
    }
}

#[test]
fn errors_name_the_problem() {
    assert_eq!(refused(b""), "is not a capture: it ends within its header");
    assert_eq!(refused(&pcap(Order::Big, false, 1, &[])[..20]), "is not a capture: it ends within its header");
    assert_eq!(refused(&section(Order::Big)[..20]), "is not a capture: it ends within its header");
    assert_eq!(
        refused(b"duration = \"10s\"  # a scenario"),
        "is neither a pcap nor a pcapng file: it begins with 64757261"
    );
    assert!(refused(&gzip(&gzip(&long()))).contains("neither a pcap nor a pcapng file"));
    assert!(refused(b"\xfd7zXZ\0 and more").starts_with("is compressed by xz; decompress it"));
    let damaged = |frames: &[Captured]| refused(&pcap(Order::Little, false, 101, frames));
    let cut = |length, bytes| Captured { ticks: 0, length, bytes: vec![0x45; bytes] };
    assert_eq!(
        damaged(&[cut(60, 60), cut(60, 70)]),
        "packet 2 has an impossible length: 60 bytes, 70 of them captured"
    );
    assert!(damaged(&[cut(3_000_000, 0)]).contains("an impossible length"));
    assert!(damaged(&[cut(0, 0), cut(60, 60)]).contains("an impossible length"));
    let order = Order::Little;
    let ng = |blocks: &[Vec<u8>]| refused(&[&section(order)[..], &blocks.concat()].concat());
    let packet = enhanced(order, 1, &cut(60, 60));
    assert_eq!(
        ng(&[interface(order, 101, &[]), packet]),
        "is damaged after 1 packets: it has interface 1, which no earlier block describes"
    );
    let mut wrong = block(order, 77, vec![0; 8]);
    wrong[16] ^= 8;
    assert_eq!(ng(&[wrong]), "is damaged after 0 packets: it has a block of 20 bytes whose final length is 28");
    assert_eq!(ng(&[order.u32(77), order.u32(3)]), "is damaged after 0 packets: it has a block of 3 bytes");
    assert!(refused(&[0x0a, 0x0d, 0x0d, 0x0a].repeat(9)).contains("no byte-order magic"));
    let mut corrupt = gzip(&long());
    let checksum = corrupt.len() - 8;
    corrupt[checksum] ^= 1;
    assert_eq!(refused(&corrupt), "cannot be read: corrupt gzip stream does not have a matching checksum");
    assert_eq!(refused(&[&[0x1f, 0x8b][..], &[0; 50]].concat()), "cannot be read: invalid gzip header");
    assert!(refused(&[&[0x28, 0xb5, 0x2f, 0xfd][..], &[0xff; 50]].concat()).starts_with("cannot be read: "));
    // A second member that is damaged is no padding.
    assert_eq!(refused(&[&gzip(&long())[..], &[0x1f, 0x8b], &[0; 50]].concat()), "cannot be read: invalid gzip header");
}

#[test]
fn times_that_do_not_fit_become_the_nearest() {
    let order = Order::Big;
    let at = |options: &[(u16, Vec<u8>)], ticks| {
        let frame = whole(ticks, ipv4(0, 1, &[]));
        times_and_lengths(&[section(order), interface(order, 101, options), enhanced(order, 0, &frame)].concat())[0].0
    };
    assert_eq!(at(&[(9, vec![0])], 3), 3_000_000_000);
    assert_eq!(at(&[(9, vec![0])], u64::MAX), u64::MAX);
    assert_eq!(at(&[(9, vec![12])], 7_999), 7);
    assert_eq!(at(&[(9, vec![127])], u64::MAX), 0);
    assert_eq!(at(&[(9, vec![255])], u64::MAX), 0);
    assert_eq!(at(&[(14, order.u64(i64::MIN as u64))], 5), 0);
    assert_eq!(at(&[(14, order.u64(i64::MAX as u64))], 5), u64::MAX);
}

/// Files of every format and compression.
fn samples() -> Vec<Vec<u8>> {
    let frames = two(1_000_000);
    let (old, order) = (pcap(Order::Big, true, 101, &frames), Order::Little);
    let blocks: Vec<u8> = frames.iter().flat_map(|frame| enhanced(order, 0, frame)).collect();
    let new = [section(order), interface(order, 101, &[(9, vec![6]), (14, vec![0; 8])]), blocks].concat();
    let layered =
        [(0x88a8, [0, 7, 0x81, 0, 0, 8, 8, 0]), (0x8864, [0x11, 0, 0, 1, 0, 42, 0, 0x57])].map(|(kind, head)| {
            whole(
                5,
                ethernet(
                    kind,
                    &[&head[..], &ipv6(3, 0, &[6, 0, 0, 0, 0, 0, 0, 0]), &tcp(2, &[2, 4, 5, 180], 9)].concat(),
                ),
            )
        });
    let layered = pcap(Order::Little, false, 1, &layered);
    vec![gzip(&old), zstandard(&new), old, new, layered]
}

/// Read everything, whatever it is.
fn exhaust(file: &[u8]) -> usize {
    reader(file).map_or(0, Iterator::count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damaged_files_neither_panic_nor_hang(
        sample in 0_usize..5,
        length in 0_usize..400,
        changes in prop::collection::vec((0_usize..400, any::<u8>()), 0..6),
    ) {
        let mut file = samples().swap_remove(sample);
        file.truncate(length);
        for (place, byte) in changes {
            if let Some(old) = file.get_mut(place) {
                *old = byte;
            }
        }
        // Each packet needs at least the 16 bytes of its header; blocks of compression may repeat them.
        prop_assert!(exhaust(&file) < 100_000);
    }

    #[test]
    fn garbage_behind_each_magic_number_neither_panics_nor_hangs(
        magic in 0_usize..6,
        rest in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let heads: [Vec<u8>; 6] = [
            vec![],
            pcap(Order::Big, false, 1, &[]),
            pcap(Order::Little, true, 276, &[]),
            [section(Order::Little), interface(Order::Little, 1, &[])].concat(),
            vec![0x1f, 0x8b, 8, 0],
            vec![0x28, 0xb5, 0x2f, 0xfd],
        ];
        prop_assert!(exhaust(&[&heads[magic][..], &rest].concat()) < 100_000);
    }

    #[test]
    fn garbage_in_frames_neither_panics_nor_hangs(
        link_type in prop::sample::select(vec![0_u32, 1, 9, 12, 101, 108, 113, 228, 276]),
        frames in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..90), 0_u32..90_000), 1..5),
        ip in any::<bool>(),
    ) {
        let frames: Vec<_> = frames
            .into_iter()
            .map(|(mut bytes, more)| {
                if ip && link_type == 1 && bytes.len() > 14 {
                    (bytes[12], bytes[13], bytes[14]) = (8, 0, 0x45);
                }
                Captured { ticks: 0, length: bytes.len() as u32 + more + 1, bytes }
            })
            .collect();
        prop_assert!(exhaust(&pcap(Order::Big, false, link_type, &frames)) <= frames.len());
    }
}

use super::*;
use crate::testing::{
    Captured, Order, enhanced, ethernet, interface, ipv4, pcap, reader, refused, section, tcp, whole,
};

fn load(link_type: u32, frames: &[Captured]) -> Load {
    let file = pcap(Order::Little, false, link_type, frames);
    Load::from_readers(|| reader(&file), |_| ()).unwrap()
}

fn sizes(load: &Load) -> Vec<u32> {
    load.packets.iter().map(|packet| packet.size).collect()
}

/// Twelve bytes of options, as long as a time stamp.
const TIMESTAMP: [u8; 12] = [1; 12];

/// A raw IPv4 packet with this TCP payload and 12 bytes of options, whose identification is its time.
fn data(ticks: u64, payload: usize) -> Captured {
    let mut packet = ipv4(0, 6, &tcp(16, &TIMESTAMP, payload));
    packet[5] = ticks as u8;
    whole(ticks, packet)
}

/// A SYN in the other direction with this maximum segment size.
fn syn_ack(mss: u16) -> Captured {
    let [high, low] = mss.to_be_bytes();
    let mut bytes = ipv4(0, 6, &tcp(0x12, &[2, 4, high, low], 0));
    (bytes[15], bytes[19]) = (2, 1); // addresses
    bytes[20..24].copy_from_slice(&[2000_u16.to_be_bytes(), 1000_u16.to_be_bytes()].concat());
    whole(0, bytes)
}

#[test]
fn packets_have_times_since_the_first_sizes_and_fields() {
    let frames = [whole(5_000_007, ipv4(0xb9, 17, &[0; 80])), whole(5_000_010, ipv4(0x02, 17, &[0; 8]))];
    let packets = [
        LoadPacket { time_ns: 0, size: 100, ecn: penstock_core::Ecn::Ect1, dscp: 46 },
        LoadPacket { time_ns: 3000, size: 28, ecn: penstock_core::Ecn::Ect0, dscp: 0 },
    ];
    assert_eq!(load(101, &frames), Load { packets: packets.to_vec(), notes: vec![] });
}

#[test]
fn super_frames_are_split_by_the_mss_of_the_other_end() {
    let split = load(101, &[syn_ack(1400), data(1, 1388), data(2, 3000), data(3, 100)]);
    // Segments have 1400 bytes with 12 bytes of options; headers have 52 bytes.
    assert_eq!(sizes(&split), [44, 1440, 1440, 1440, 52 + 224, 152]);
    let times: Vec<_> = split.packets.iter().map(|packet| packet.time_ns).collect();
    assert_eq!(times, [0, 1000, 2000, 2000, 2000, 3000]);
    assert_eq!(
        split.notes,
        ["1 super-frame is split into 3 packets: TCP segments were merged by offload in the capturing host"]
    );
}

#[test]
fn super_frames_are_split_by_the_most_frequent_full_segment_if_no_syn_is_captured() {
    // The evidence may follow later; short segments are not evidence.
    let frames = [data(1, 4000), data(2, 1300), data(3, 1200), data(4, 1300), data(5, 9), data(6, 9), data(7, 9)];
    assert_eq!(sizes(&load(101, &frames))[..4], [1352, 1352, 1352, 152]);
    // The rest of a write is not evidence either, if the super-frames consist of full Ethernet packets.
    let frames = [data(1, 10 * 1448), data(2, 10 * 1448), data(3, 1200)];
    assert_eq!(sizes(&load(101, &frames))[..2], [1500, 1500]);
    // Without evidence, segments are full Ethernet packets.
    assert_eq!(sizes(&load(101, &[data(1, 4000), data(2, 20_000)]))[..3], [1500, 1500, 52 + 4000 - 2 * 1448]);
}

#[test]
fn jumbo_frames_stay_whole() {
    let frames = [data(1, 8948), data(2, 8948), data(3, 5000)];
    assert_eq!(load(101, &frames).notes, [""; 0]);
    // Their maximum segment size allows them.
    assert_eq!(load(101, &[syn_ack(65_483), data(1, 30_000), data(2, 40_000)]).notes, [""; 0]);
}

#[test]
fn large_datagrams_and_fragments_stay_whole() {
    let datagram = whole(1, ipv4(0, 17, &[0; 5000]));
    let mut fragment = data(2, 5000);
    fragment.bytes[6] = 0x20;
    assert_eq!(sizes(&load(101, &[datagram, fragment])), [5020, 5052]);
}

/// Linux writes BIG TCP packets with a total length of 0, and Windows does so for all packets of segmentation offload.
#[test]
fn a_super_frame_without_a_length_is_split() {
    let mut frame = whole(1, ethernet(0x0800, &data(0, 20_000).bytes));
    (frame.bytes[16], frame.bytes[17]) = (0, 0);
    frame.bytes.truncate(80);
    let load = load(1, &[frame]);
    assert_eq!(sizes(&load).len(), 14); // 20 000 / 1448 = 13.8
    assert_eq!(sizes(&load).iter().map(|size| size - 52).sum::<u32>(), 20_000);
}

#[test]
fn packets_out_of_order_are_sorted_and_counted() {
    let frames = [data(10, 1), data(5, 2), data(7, 3), data(30, 4), data(7, 5)];
    let load = load(101, &frames);
    assert_eq!(sizes(&load), [54, 55, 57, 53, 56]);
    assert_eq!(load.packets[4].time_ns, 25_000);
    assert_eq!(load.notes, ["2 packets are out of order, by 23µs at most: sorted by time"]);
}

#[test]
fn packets_captured_twice_are_counted() {
    let datagram = |ticks, identification: u8, ttl| {
        let mut packet = ipv4(0, 17, &[0; 30]);
        (packet[5], packet[8]) = (identification, ttl);
        whole(ticks, packet)
    };
    // A packet in front of a router and, 1 ms later, behind it; another datagram; the same packet again, but more than
    // 1 ms later; two packets without identifications.
    let frames = [datagram(0, 1, 64), datagram(1000, 1, 63), datagram(1001, 2, 64), datagram(2002, 2, 64)];
    let unknown = [datagram(3000, 0, 64), datagram(3001, 0, 64)];
    let load = load(101, &[&frames[..], &unknown].concat());
    assert_eq!(load.packets.len(), 6);
    let text =
        "1 packet is captured twice within 1 ms, as with -i any, and replayed twice: capture on one interface only";
    assert_eq!(load.notes, [text]);
}

#[test]
fn a_tcp_packet_of_two_interfaces_is_a_duplicate_and_a_repeated_ack_is_none() {
    let order = Order::Little;
    let mut ack = ipv4(0, 6, &tcp(16, &[], 0));
    ack[5] = 0;
    let at = |interface, ticks| enhanced(order, interface, &whole(ticks, ack.clone()));
    let notes = |packets: &[Vec<u8>]| {
        let head = [section(order), interface(order, 101, &[]), interface(order, 101, &[])].concat();
        let file = [head, packets.concat()].concat();
        Load::from_readers(|| reader(&file), |_| ()).unwrap().notes.len()
    };
    assert_eq!(notes(&[at(0, 1), at(0, 2)]), 0);
    assert_eq!(notes(&[at(0, 1), at(1, 2)]), 1);
}

#[test]
fn a_capture_without_packets_is_refused() {
    let refused_load = |link_type, frames: &[Captured]| {
        let file = pcap(Order::Little, false, link_type, frames);
        Load::from_readers(|| reader(&file), |_| ()).unwrap_err()
    };
    assert_eq!(refused_load(1, &[]), "has no packets");
    assert_eq!(
        refused_load(1, &[whole(0, ethernet(0x0806, &[0; 28]))]),
        "has no packets to use: 1 frame is not IP and not used: ARP (1)"
    );
    assert_eq!(
        refused_load(127, &[data(0, 1), data(0, 1)]),
        "has no packets to use: 2 frames are not IP and not used: link type 127 (2)"
    );
    assert!(refused(b"nonsense").contains("neither"));
}

//! Networks without devices: the test plays the hosts and owns the clock.

use super::*;
use crate::flow_table::MAX_FLOWS;
use penstock_aqm::LinkInfo;
use penstock_core::param::Value;
use penstock_core::{Bytes, Limit, Rate};
use penstock_link::LinkPlan;
use penstock_link::spec::{ChanceSpec, LinkSpec};
use proptest::prelude::*;
use std::num::NonZeroU32;

const HOSTS: [[u8; 4]; 3] = [[10, 0, 0, 1], [10, 0, 0, 2], [10, 0, 0, 3]];
const RATE: u64 = 8_000_000;

/// A link of 8 Mbit/s and 5 ms with a queue of this scheme.
fn link(name: &str, scheme: &str, limit: u32) -> LinkPlan {
    let queue = serde_json::json!({"scheme": scheme, "limit": {"packets": limit}});
    let spec = serde_json::json!({
        "name": name, "from": "A", "to": "B", "rate": RATE as f64, "delay": 5e6, "queue": queue, "watch": true,
    });
    let spec: LinkSpec = serde_json::from_value(spec).unwrap();
    let rate = Rate::from_bits_per_second(RATE);
    let info = LinkInfo {
        rate,
        limit: Limit::Packets(limit),
        mean_packet: Bytes(1000),
        mtu: Bytes(1500),
        rtt: Some(Span::from_millis(20)),
        flows: None,
    };
    let queue = QueuePlan::new(&spec, |_, _| Vec::new());
    LinkPlan { spec, rate, delay: Span::from_millis(5), info, queue }
}

/// Three hosts: A and C reach B over `core` and then `last`; B reaches both over `back`. Routes between A and C do not exist.
fn network(scheme: &str, limit: u32, memory: usize) -> Network {
    let links = vec![link("core", scheme, limit), link("last", "droptail", 1000), link("back", "droptail", 1000)];
    let there = vec![0, 1];
    let plan = NetworkPlan {
        seed: 1,
        links,
        hosts: ["A", "B", "C"].map(str::to_owned).to_vec(),
        nodes: vec![0, 1, 2],
        routes: vec![vec![vec![], there.clone(), vec![]], vec![vec![2], vec![], vec![2]], vec![vec![], there, vec![]]],
        warmup: Time::ZERO,
        end: Time::NEVER,
        sampling: Span::from_millis(10),
    };
    let addresses = HOSTS.map(|host| vec![u128::from(std::net::Ipv4Addr::from(host).to_ipv6_mapped())]);
    let limits = Limits { frame: 1501, header: 0, memory, overhead: 0 };
    Network::new(plan, &addresses, &limits, false).unwrap()
}

/// A UDP datagram in an IPv4 packet of `size` bytes, ECN-capable.
fn datagram(from: usize, to: [u8; 4], ports: u32, size: usize) -> Vec<u8> {
    let mut packet = vec![0; size];
    packet[0] = 0x45;
    packet[1] = 2;
    packet[2..4].copy_from_slice(&(size as u16).to_be_bytes());
    packet[9] = 17;
    packet[12..16].copy_from_slice(&HOSTS[from]);
    packet[16..20].copy_from_slice(&to);
    packet[20..24].copy_from_slice(&ports.to_be_bytes());
    write_checksum(&mut packet);
    packet
}

fn write_checksum(packet: &mut [u8]) {
    packet[10..12].fill(0);
    let sum: u32 = packet[..20].chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    packet[10..12].copy_from_slice(&(!((sum & 0xffff) + (sum >> 16)) as u16).to_be_bytes());
}

/// A host sends these bytes.
fn send(network: &mut Network, now: Time, host: usize, bytes: &[u8]) -> bool {
    let Some(slot) = network.take_buffer() else { return false };
    network.buffer(slot)[..bytes.len()].copy_from_slice(bytes);
    network.arrive(now, host, slot, bytes.len());
    true
}

/// All packets that must be written now: due time, host and bytes.
fn deliveries(network: &mut Network) -> Vec<(Time, u32, Vec<u8>)> {
    let mut all = Vec::new();
    while let Some(delivery) = network.next_delivery() {
        all.push((delivery.due, delivery.host, network.outgoing(&delivery.frame).to_vec()));
        network.release(&delivery.frame);
    }
    all
}

#[test]
fn a_packet_arrives_after_the_transmission_and_the_delay_of_each_link_of_its_route() {
    let mut network = network("droptail", 10, 1 << 20);
    let start = Time::from_nanos(123);
    let packet = datagram(0, HOSTS[1], 7, 1000);
    send(&mut network, start, 0, &packet);
    // 1 ms and 5 ms for each of two links.
    let due = start + Span::from_millis(12);
    assert_eq!(network.wake_at(), start + Span::from_millis(6));
    network.advance(Time::from_nanos(due.as_nanos() - 1));
    assert!(deliveries(&mut network).is_empty());
    // However late the caller is, the packet was due at its time.
    network.advance(due + Span::from_millis(100));
    assert_eq!(deliveries(&mut network), [(due, 1, packet)]);
    assert!(network.is_conserved());
}

/// Both copies have the bytes of the packet, and the second one takes 1 ms of the link; without a free buffer there is none.
#[test]
fn a_link_that_duplicates_delivers_two_packets_of_equal_bytes() {
    let mut plan = network("droptail", 1000, 1 << 20).plan;
    plan.links[0].spec.duplicate = Some(ChanceSpec { rate: 1.0, correlation: 0.0 });
    let addresses = HOSTS.map(|host| vec![u128::from(std::net::Ipv4Addr::from(host).to_ipv6_mapped())]);
    let limits = Limits { frame: 1501, header: 0, memory: 1 << 20, overhead: 0 };
    let mut network = Network::new(plan, &addresses, &limits, false).unwrap();
    let packet = datagram(0, HOSTS[1], 7, 1000);
    send(&mut network, Time::ZERO, 0, &packet);
    assert!(network.is_conserved());
    network.advance(Time::ZERO + Span::from_millis(100));
    let due = [12, 13].map(|millis| (Time::ZERO + Span::from_millis(millis), 1, packet.clone()));
    assert_eq!(deliveries(&mut network), due);
    for k in 0..1000 {
        send(&mut network, Time::ZERO + Span::from_millis(100), 0, &datagram(0, HOSTS[1], k, 1000));
    }
    assert!(network.is_conserved());
}

#[test]
fn marks_are_written_into_the_packet_with_a_right_checksum() {
    let mut network = network("codel", 1000, 1 << 24);
    let mut plan = network.plan.clone();
    plan.links[0].queue.settings.push(("ecn".to_owned(), penstock_core::param::Value::Flag(true)));
    let queue = Network::build(&plan, 0, Time::ZERO).unwrap();
    network.replace(Time::ZERO, 0, plan.links[0].queue.clone(), queue);
    let mut marked = 0;
    for k in 0..2000_u64 {
        send(&mut network, Time::from_nanos(k * 500_000), 0, &datagram(0, HOSTS[1], 7, 1000));
        for (_, _, bytes) in deliveries(&mut network) {
            marked += u64::from(bytes[1] & 3 == 3);
            let sum: u32 = bytes[..20].chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
            assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff);
        }
    }
    assert!(marked > 10);
    network.advance(Time::from_nanos(10_000_000_000));
    marked += deliveries(&mut network).iter().filter(|(_, _, bytes)| bytes[1] & 3 == 3).count() as u64;
    assert_eq!(marked, network.tally.queues[0].marks);
}

/// A pure ACK of this number from host 0, with codepoint AF41.
fn pure_ack(number: u32) -> Vec<u8> {
    let mut packet = datagram(0, HOSTS[1], 7, 40);
    (packet[1], packet[9]) = (34 << 2, 6);
    write_checksum(&mut packet);
    packet[28..32].copy_from_slice(&number.to_be_bytes());
    (packet[32], packet[33]) = (5 << 4, 1 << 4);
    packet
}

#[test]
fn cake_filters_real_acks_and_washes_real_codepoints() {
    use penstock_core::param::Value;
    let mut network = network("droptail", 100, 1 << 20);
    let mut plan = network.plan.clone();
    plan.links[0].queue.scheme = "cake".to_owned();
    let settings = [("ack_filter", Value::Text("aggressive".into())), ("wash", Value::Flag(true))];
    plan.links[0].queue.settings = settings.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let queue = Network::build(&plan, 0, Time::ZERO).unwrap();
    network.replace(Time::ZERO, 0, plan.links[0].queue.clone(), queue);
    // The first one is on the wire when the others come.
    for number in [40, 50, 60, 60, 70] {
        send(&mut network, Time::from_nanos(1), 0, &pure_ack(number));
    }
    network.advance(Time::from_nanos(1_000_000_000));
    let sent = deliveries(&mut network);
    let numbers: Vec<u8> = sent.iter().map(|(_, _, bytes)| bytes[31]).collect();
    // ACK 60 replaces 50, and ACK 70 replaces one of the two duplicates.
    assert_eq!(numbers, [40, 60, 70]);
    for (_, _, bytes) in &sent {
        let sum: u32 = bytes[..20].chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
        assert_eq!(bytes[1], 0);
        assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff, "the checksum");
    }
    assert_eq!(network.tally.queues[0].filtered_acks(), 2);
    assert_eq!(network.tally.flows[0].drops, 0);
    assert!(network.is_conserved());
}

#[test]
fn a_million_flows_take_bounded_memory_and_every_packet_is_accounted_for() {
    for scheme in ["red", "fq-codel"] {
        let mut network = network(scheme, 100, 1 << 20);
        for k in 0..1_000_000_u32 {
            send(&mut network, Time::from_nanos(u64::from(k) * 60_000), 0, &datagram(0, HOSTS[1], k, 60));
            while let Some(delivery) = network.next_delivery() {
                network.release(&delivery.frame);
            }
        }
        assert!(network.tally.flows.len() == MAX_FLOWS as usize, "{scheme}");
        assert!(network.is_conserved(), "{scheme}");
        assert_eq!(network.ignored, Ignored::default());
    }
}

#[test]
fn packets_without_a_route_and_broken_ones_are_counted() {
    let mut network = network("droptail", 10, 1 << 20);
    send(&mut network, Time::ZERO, 0, &datagram(0, HOSTS[2], 7, 100));
    send(&mut network, Time::ZERO, 0, &datagram(0, [192, 168, 0, 1], 7, 100));
    send(&mut network, Time::ZERO, 0, &datagram(0, HOSTS[1], 7, 100)[..19]);
    send(&mut network, Time::ZERO, 0, &[]);
    assert_eq!(network.ignored, Ignored { unroutable: 2, malformed: 2, without_memory: 0 });
    assert!(network.is_conserved());
}

#[test]
fn without_memory_packets_are_refused_until_some_have_left() {
    let mut network = network("droptail", 100_000, 1501 * 256);
    let packet = datagram(0, HOSTS[1], 7, 1500);
    let taken = (0..300).filter(|_| send(&mut network, Time::ZERO, 0, &packet)).count();
    assert_eq!(taken, 256);
    network.advance(Time::from_nanos(1_000_000_000));
    assert_eq!(deliveries(&mut network).len(), 256);
    assert!(send(&mut network, Time::from_nanos(1_000_000_000), 0, &packet));
}

/// Replaces the queue of this link by REM with these settings and an interval of 10 ms.
fn guard_with_rem(network: &mut Network, link: usize, settings: &[(&str, Value)]) {
    let mut plan = network.plan.clone();
    let queue = &mut plan.links[link].queue;
    queue.scheme = "rem".to_owned();
    queue.settings = settings.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    queue.settings.push(("interval".to_owned(), Value::Time(Span::from_millis(10))));
    let built = Network::build(&plan, link, Time::ZERO).unwrap();
    network.replace(Time::ZERO, link, plan.links[link].queue.clone(), built);
}

/// The price of REM at this link after its first interval, if 20 packets that take 1 ms each at 8 Mbit/s are sent at
/// time 0.
fn price_after_ten_ms(link: usize, settings: &[(&str, Value)]) -> f64 {
    let mut network = network("droptail", 100, 1 << 20);
    guard_with_rem(&mut network, link, settings);
    (0..20).for_each(|_| assert!(send(&mut network, Time::ZERO, 0, &datagram(0, HOSTS[1], 7, 1000))));
    network.advance(Time::from_nanos(10_000_000));
    let mut price = f64::NAN;
    network.ports[link].gauges(&mut |name, value| price = if name == "price" { value } else { price });
    price
}

/// The order of events in `aqm.rs` of penstock-aqm.
#[test]
fn at_one_instant_packets_depart_and_arrive_before_the_timer_of_the_queue_expires() {
    let number = Value::Number;
    // price = gamma (q - KT) with alpha = 1: of 20 packets, the one sent at once and those sent at 1, 2, ..., 10 ms
    // have left
    let of_queue = [("alpha", number(1.0)), ("gamma", number(1.0)), ("target", Value::Packets(0.0))];
    assert_eq!(price_after_ten_ms(0, &of_queue), 9.0);
    // price = gamma (arrivals - C): packets from the first link have arrived at 6, 7, ..., 10 ms, and C is 2
    let of_arrivals = [
        ("variant", Value::Text("ns2".to_owned())),
        ("alpha", number(0.0)),
        ("gamma", number(1.0)),
        ("mean_packet", Value::Bytes(5000.0)),
    ];
    assert_eq!(price_after_ten_ms(1, &of_arrivals), 3.0);
}

proptest! {
    /// Any packets of any hosts at any times, processed at any later times: the same deliveries at the same due times.
    #[test]
    fn due_times_do_not_depend_on_when_the_network_is_advanced(
        packets in prop::collection::vec((0_u64..2_000_000, 0_usize..3, 60_usize..1500, 0_u32..8), 1..200),
        late in prop::collection::vec(0_u64..50_000_000, 1..20),
    ) {
        let run = |late: &[u64]| {
            let mut network = network("fq-codel", 20, 1 << 22);
            let (mut now, mut all) = (0, Vec::new());
            for (k, &(pause, host, size, ports)) in packets.iter().enumerate() {
                now += pause;
                let to = HOSTS[usize::from(host != 1)];
                send(&mut network, Time::from_nanos(now), host, &datagram(host, to, ports, size));
                if let Some(&late) = late.get(k % 32).filter(|&&late| late > 0) {
                    // Advance at most to the next arrival.
                    let ahead = packets.get(k + 1).map_or(0, |next| next.0.min(late));
                    network.advance(Time::from_nanos(now + ahead));
                    all.extend(deliveries(&mut network));
                }
            }
            network.advance(Time::from_nanos(now + 10_000_000_000));
            all.extend(deliveries(&mut network));
            assert!(network.is_conserved());
            all
        };
        prop_assert_eq!(run(&[]), run(&late));
    }
}

#[test]
fn a_capture_has_the_packets_of_its_links_from_the_start_of_their_transmission() {
    let file = std::env::temp_dir().join(format!("penstock-capture-{}.pcap", std::process::id()));
    let mut network = network("droptail", 2, 1 << 20);
    let mut capture = Capture::default();
    capture.add(&file, vec![0], NonZeroU32::new(40)).unwrap();
    network.capture(capture);
    let packets: Vec<_> = (0..4).map(|number| datagram(0, HOSTS[1], number, 1000)).collect();
    for packet in &packets {
        assert!(send(&mut network, Time::from_nanos(7), 0, packet));
    }
    // Not captured: another link.
    assert!(send(&mut network, Time::from_nanos(7), 1, &datagram(1, HOSTS[0], 9, 500)));
    network.advance(Time::from_nanos(1_000_000_000));
    network.close_capture().unwrap();
    let written = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let (header, records) = written.split_at(24);
    assert_eq!(header[16..], [40, 0, 0, 0, 101, 0, 0, 0]);
    // One is transmitted at once, two wait for 1 ms each, the fourth is dropped.
    let expected = packets[..3].iter().zip([7, 1_000_007, 2_000_007_u32]);
    assert_eq!(records.len(), 3 * (16 + 40));
    for (record, (packet, nanos)) in records.chunks(56).zip(expected) {
        let words: Vec<_> = record[..16].chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        assert_eq!(words, [0, nanos, 40, 1000]);
        assert_eq!(record[16..], packet[..40]);
    }
}

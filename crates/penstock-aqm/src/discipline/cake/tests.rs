//! Tests of CAKE as a whole.

use crate::aqm::Cause;
use crate::discipline::Next;
use crate::discipline::test_harness::{Bench, Fate};
use penstock_core::param::Value;
use penstock_core::{Ecn, PacketMeta, Rare, Span, Time};

#[path = "option_tests.rs"]
mod options;

fn text(name: &'static str, word: &str) -> (&'static str, Value) {
    (name, Value::Text(word.into()))
}

fn packet(flow: u32, src: u32, dst: u32, dscp: u8) -> PacketMeta {
    let rare = Some(Rare { src, dst, ..Rare::default() });
    PacketMeta { flow, size: 1000, ecn: Ecn::Not, dscp, protocol: 6, rare }
}

/// Number of packets of each kind among `n` departures at one instant, while every kind keeps 20 packets waiting. A
/// kind is an index into `kinds`.
fn served(bench: &mut Bench, kinds: &[PacketMeta], n: usize, kind_of: impl Fn(&PacketMeta) -> usize) -> Vec<usize> {
    bench.unlimited();
    for _ in 0..20 {
        for &kind in kinds {
            bench.arrive(kind);
        }
    }
    let mut counts = vec![0; kinds.len()];
    for _ in 0..n {
        let sent = bench.depart().unwrap();
        let kind = kind_of(&sent);
        counts[kind] += 1;
        bench.arrive(kinds[kind]);
    }
    counts
}

/// Packets of host 0, with one flow, and of host 1, with nine flows, among 10 000 departures; the hosts are sources.
fn shares_of_two_hosts(isolation: &str) -> [usize; 2] {
    let kinds: Vec<PacketMeta> = (0..10).map(|flow| packet(flow, flow.min(1), 100 + flow, 0)).collect();
    let mut bench = Bench::new("cake", &[text("isolation", isolation)]);
    let counts = served(&mut bench, &kinds, 10_000, |sent| sent.flow as usize);
    [counts[0], counts[1..].iter().sum()]
}

#[test]
fn two_hosts_with_one_and_nine_flows_get_equal_shares() {
    for isolation in ["triple-isolate", "dual-srchost"] {
        let [one, nine] = shares_of_two_hosts(isolation);
        assert!((4900..=5100).contains(&one), "{isolation}: {one} and {nine}");
    }
}

#[test]
fn without_host_fairness_flows_get_equal_shares() {
    for isolation in ["flows", "dual-dsthost"] {
        let [one, nine] = shares_of_two_hosts(isolation);
        assert!((980..=1020).contains(&one), "{isolation}: {one} and {nine}");
    }
}

#[test]
fn hosts_as_flows_share_a_queue() {
    let [one, _] = shares_of_two_hosts("srchost");
    assert!((4980..=5020).contains(&one), "{one}");
    let mut bench = Bench::new("cake", &[text("isolation", "flowblind")]);
    for flow in [3, 1, 4, 1, 5] {
        bench.arrive(packet(flow, flow, flow, 0));
    }
    assert_eq!(bench.depart_all(), [0, 1, 2, 3, 4]);
}

#[test]
fn flows_of_one_host_share_its_share() {
    let kinds: Vec<PacketMeta> = (0..10).map(|flow| packet(flow, flow.min(1), 100 + flow, 0)).collect();
    let mut bench = Bench::new("cake", &[]);
    let counts = served(&mut bench, &kinds, 18_000, |sent| sent.flow as usize);
    // 9000 packets for host 1, 1000 for each of its flows
    assert!(counts[1..].iter().all(|count| (960..=1040).contains(count)), "{counts:?}");
}

#[test]
fn a_sparse_flow_goes_first() {
    let mut bench = Bench::new("cake", &[]);
    for _ in 0..50 {
        bench.arrive(packet(0, 0, 0, 0));
        bench.arrive(packet(1, 1, 1, 0));
    }
    (0..10).for_each(|_| assert!(bench.depart().is_some()));
    assert_eq!(bench.gauge("bulk_flows"), 2.0);
    bench.arrive(packet(2, 2, 2, 0));
    assert_eq!(bench.gauge("sparse_flows"), 1.0);
    assert_eq!(bench.depart().unwrap().flow, 2);
}

#[test]
fn flows_of_single_full_packets_do_not_starve_one_with_more() {
    // At 500 Mbit/s a quantum is one packet. Nine flows send one packet each in turn, and two packets wait at a time:
    // each queue is found empty before its next packet.
    let mut bench = Bench::new("cake", &[("bandwidth", Value::Number(500e6))]);
    let full = |flow: u32| PacketMeta { size: 1500, ..packet(flow, flow, 100 + flow, 0) };
    (0..200).for_each(|_| bench.arrive(full(0)));
    let mut turns = (1..10).cycle();
    let mut next = || full(turns.next().expect("it goes round"));
    (0..2).for_each(|_| bench.arrive(next()));
    let mut many = 0;
    for _ in 0..1000 {
        match bench.depart().expect("a packet").flow {
            0 => many += 1,
            _ => bench.arrive(next()),
        }
        bench.advance(Span::from_nanos(24_000));
    }
    assert!(many > 90, "{many} of 1000");
}

#[test]
fn tins_above_their_thresholds_share_by_share() {
    // No time passes, so all tins are above their threshold after their first packet: Bulk 1/16, Best Effort 1, Voice
    // 1/4, sum 21/16.
    let kinds = [packet(0, 0, 0, 8), packet(1, 1, 1, 0), packet(2, 2, 2, 46)];
    let mut bench = Bench::new("cake", &[]);
    bench.advance(Span::from_millis(1));
    let counts = served(&mut bench, &kinds, 21_000, |sent| sent.flow as usize);
    for (count, expected) in counts.iter().zip([1000, 16_000, 4000]) {
        assert!(count.abs_diff(expected) < 40, "{counts:?}");
    }
}

#[test]
fn voice_below_its_threshold_goes_first() {
    // 1.5 Mbit/s, packets of 5.33 ms. Best Effort always has packets, and Voice one in ten: the share of Voice is a
    // quarter.
    let mut bench = Bench::new("cake", &[]);
    bench.unlimited();
    let mut waited = 0;
    for slot in 0..1000 {
        bench.arrive(packet(0, 0, 0, 0));
        if slot % 10 == 0 {
            bench.arrive(packet(1, 1, 1, 46));
            waited = 0;
        }
        bench.advance(Span::from_nanos(5_333_334));
        match bench.depart().unwrap().flow {
            1 => assert!(waited <= 2, "voice waited {waited} packets at {slot}"),
            _ => waited += 1,
        }
    }
}

#[test]
fn a_tin_that_waits_for_its_turn_keeps_what_its_threshold_owes_it() {
    // Voice may send 375 kbit/s, 1000 bytes in 21.3 ms. If idle time earned credit, a second without packets would earn
    // 46 packets, and two turns of 16 384 bytes would stay within the threshold; but it earns none.
    let voice_in_two_turns = |waits: bool| {
        let mut bench = Bench::new("cake", &[]);
        bench.unlimited();
        bench.advance(Span::from_millis(if waits { 0 } else { 1000 }));
        for _ in 0..40 {
            bench.arrive(packet(0, 0, 0, 0));
            bench.arrive(packet(1, 1, 1, 46));
        }
        bench.advance(Span::from_millis(if waits { 1000 } else { 0 }));
        // Best Effort sends 2 packets of 1000 bytes, then 1, in turns of 1024 bytes
        (0..36).filter(|_| bench.depart().unwrap().flow == 1).count()
    };
    assert_eq!(voice_in_two_turns(true), 17 + 16);
    assert!((17..=24).contains(&voice_in_two_turns(false)), "{}", voice_in_two_turns(false));
}

/// The share of each codepoint in the rate of a shaped CAKE, if these codepoints always have packets.
fn shaped_shares(diffserv: &str, dscps: &[u8]) -> Vec<f64> {
    let rate = 8e6;
    let kinds: Vec<_> = (0..).zip(dscps).map(|(flow, &dscp)| packet(flow, flow, flow, dscp)).collect();
    let mut bench = Bench::new("cake", &[text("diffserv", diffserv), ("bandwidth", Value::Number(rate))]);
    bench.unlimited();
    for _ in 0..20 {
        for &kind in &kinds {
            bench.arrive(kind);
        }
    }
    let mut counts = vec![0.0; kinds.len()];
    let slots = 12_000;
    for _ in 0..slots {
        let sent = bench.depart().unwrap().flow as usize;
        counts[sent] += 1.0 / f64::from(slots);
        bench.arrive(kinds[sent]);
        // 1000 bytes at 8 Mbit/s
        bench.advance(Span::from_millis(1));
    }
    counts
}

#[test]
fn shaped_tins_get_their_thresholds_and_best_effort_the_rest() {
    let (bulk, best_effort, video, voice) = (8, 0, 34, 46);
    let check = |diffserv: &str, dscps: &[u8], expected_shares: &[f64]| {
        let shares = shaped_shares(diffserv, dscps);
        let are_close = shares.iter().zip(expected_shares).all(|(share, expected)| (share - expected).abs() < 0.003);
        assert!(
            are_close && shares.len() == expected_shares.len(),
            "{diffserv} {dscps:?}: {shares:?} instead of {expected_shares:?}"
        );
    };
    check("diffserv4", &[best_effort, bulk, video, voice], &[0.1875, 0.0625, 0.5, 0.25]);
    check("diffserv4", &[best_effort, bulk, voice], &[0.6875, 0.0625, 0.25]);
    check("diffserv4", &[best_effort, video, voice], &[0.25, 0.5, 0.25]);
    check("diffserv4", &[best_effort, bulk], &[0.9375, 0.0625]);
    check("diffserv4", &[best_effort, video], &[0.5, 0.5]);
    check("diffserv3", &[best_effort, bulk, voice], &[0.6875, 0.0625, 0.25]);
    // The two most urgent of eight tins get (7/8)^7 and (7/8)^6 of the rate, and the third the rest.
    let (control, voice_of_eight) = (0.875_f64.powi(7), 0.875_f64.powi(6));
    check("diffserv8", &[48, 46, 16, 0], &[control, voice_of_eight, 1.0 - control - voice_of_eight, 0.0]);
    // Video and Voice alone: of three packets, Video sends one within its schedule and one because its t_next comes
    // first, 2 packet times from now instead of 4.
    check("diffserv4", &[video, voice], &[2.0 / 3.0, 1.0 / 3.0]);
    check("diffserv4", &[bulk], &[1.0]);
}

#[test]
fn a_shaped_tin_that_used_capacity_left_by_others_is_not_penalised() {
    // Voice alone sends at four times its threshold for a second. Then Best Effort comes, and Voice still gets a quarter.
    let mut bench = Bench::new("cake", &[("bandwidth", Value::Number(8e6))]);
    bench.unlimited();
    let (voice, best_effort) = (packet(0, 0, 0, 46), packet(1, 1, 1, 0));
    (0..1100).for_each(|_| bench.arrive(voice));
    let serve = |bench: &mut Bench, slots: u32| {
        (0..slots)
            .filter(|_| {
                let is_voice = bench.depart().unwrap().flow == 0;
                bench.advance(Span::from_millis(1));
                is_voice
            })
            .count()
    };
    assert_eq!(serve(&mut bench, 1000), 1000);
    (0..100).for_each(|_| bench.arrive(best_effort));
    assert_eq!(serve(&mut bench, 40), 10);
}

#[test]
fn the_shaper_spaces_packets_at_the_bandwidth_from_the_first_on() {
    let mut bench = Bench::new("cake", &[("bandwidth", Value::Number(1e6)), ("overhead", Value::Bytes(250.0))]);
    bench.advance(Span::from_millis(5));
    (0..3).for_each(|_| bench.arrive(packet(0, 0, 0, 0)));
    // (1000 + 250) bytes at 1 Mbit/s are 10 ms
    assert!(bench.depart().is_some());
    assert_eq!(bench.next(), Next::NotBefore(Time::from_nanos(15_000_000)));
    bench.advance(Span::from_millis(10));
    assert!(bench.depart().is_some());
    assert_eq!(bench.next(), Next::NotBefore(Time::from_nanos(25_000_000)));
    // capacity that the link left unused while packets waited is made up for
    bench.advance(Span::from_millis(17));
    assert!(bench.depart().is_some());
    assert_eq!(bench.next(), Next::Empty);
    // but idle time is not
    bench.advance(Span::from_millis(1000));
    bench.arrive(packet(0, 0, 0, 0));
    bench.arrive(packet(0, 0, 0, 0));
    assert!(bench.depart().is_some());
    assert_eq!(bench.next(), Next::NotBefore(Time::from_nanos(1_042_000_000)));
}

#[test]
fn the_shaper_counts_cells_and_a_minimum_size() {
    // 1000 B and 40 B are 22 cells of 53 B, or 17 blocks of at most 64 B; 256 B are 6 cells. Overheads may be below 0.
    let cases = [
        (1000, 40.0, 0.0, "atm", 1166),
        (1000, 40.0, 0.0, "ptm", 1057),
        (1000, -14.0, 0.0, "none", 986),
        (40, -64.0, 20.0, "none", 20),
        (1000, 40.0, 256.0, "none", 1040),
        (40, 40.0, 256.0, "none", 256),
        (40, 40.0, 256.0, "atm", 318),
    ];
    for (size, overhead, mpu, cells, on_wire) in cases {
        let framing = [
            ("bandwidth", Value::Number(8e6)),
            ("overhead", Value::Bytes(overhead)),
            ("mpu", Value::Bytes(mpu)),
            ("cells", Value::Text(cells.into())),
        ];
        let mut bench = Bench::new("cake", &framing);
        (0..2).for_each(|_| bench.arrive(PacketMeta { size, ..packet(0, 0, 0, 0) }));
        assert!(bench.depart().is_some());
        assert_eq!(bench.next(), Next::NotBefore(Time::from_nanos(on_wire * 1000)), "{size} {cells}");
    }
}

#[test]
fn the_longest_queue_loses_its_head() {
    let mut bench = Bench::new("cake", &[]);
    bench.limit_packets(5);
    bench.arrive(packet(0, 0, 0, 0));
    (0..4).for_each(|_| bench.arrive(packet(1, 1, 1, 46)));
    bench.arrive(packet(2, 2, 2, 0));
    bench.arrive(packet(2, 2, 2, 0));
    let evicted: Vec<_> = bench.log.0.iter().filter(|(fate, _)| *fate == Fate::Dropped(Cause::Evicted)).collect();
    assert_eq!(evicted, [&(Fate::Dropped(Cause::Evicted), 1), &(Fate::Dropped(Cause::Evicted), 2)]);
}

#[test]
fn the_last_packet_of_a_queue_is_not_dropped_at_the_head() {
    let drops = |waiting: u32| {
        let mut bench = Bench::new("cake", &[]);
        (0..waiting).for_each(|_| bench.arrive(packet(0, 0, 0, 0)));
        for _ in 0..200 {
            bench.advance(Span::from_millis(50));
            bench.arrive(packet(0, 0, 0, 0));
            bench.advance(Span::from_millis(50));
            bench.depart();
        }
        bench.count(Fate::Dropped(Cause::Sojourn))
    };
    assert_eq!(drops(0), 0);
    assert!(drops(30) > 10);
}

#[test]
fn a_queue_decays_before_it_is_idle() {
    let mut bench = Bench::new("cake", &[]);
    (0..60).for_each(|_| bench.arrive(packet(0, 0, 0, 0)));
    while bench.gauge("bulk_flows") + bench.gauge("sparse_flows") > 0.0 {
        bench.advance(Span::from_millis(50));
        bench.arrive(packet(1, 1, 1, 0));
        bench.depart();
        bench.depart();
        if bench.gauge("decaying_flows") > 0.0 {
            break;
        }
    }
    assert!(bench.gauge("decaying_flows") > 0.0);
    for _ in 0..1000 {
        bench.advance(Span::from_millis(50));
        bench.arrive(packet(1, 1, 1, 0));
        bench.depart();
    }
    assert!(bench.gauge("decaying_flows") <= 1.0);
}

#[test]
fn extremes_are_survived() {
    let mut bench = Bench::new("cake", &[]);
    bench.limit_packets(1);
    bench.arrive(PacketMeta { size: 65_535, ..packet(0, 0, 0, 0) });
    bench.arrive(packet(1, 0, 0, 8));
    assert_eq!(bench.depart_all(), [1], "the longer one goes");
    bench.unlimited();
    for flow in 0..100_000 {
        bench.arrive(PacketMeta { size: 65_535, ..packet(flow, flow, flow, 0) });
    }
    assert_eq!(bench.depart_all().len(), 100_000);
    bench.limit_packets(0);
    bench.arrive(packet(0, 0, 0, 0));
    assert!(bench.depart_all().is_empty());
}

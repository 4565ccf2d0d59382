//! Jitter and reordering: arrivals at instants computed by hand, and the response of a TCP to a packet that others
//! overtake.

use penstock_sim::trace::TraceEvent;
use penstock_sim::{Kind, Scenario, run, run_traced};
use serde_json::{Value, json};

const MS: u64 = 1_000_000;

fn run_json(network: &Value) -> Value {
    let scenario: Scenario = serde_json::from_value(network.clone()).expect("the network is canonical");
    serde_json::from_str(&run(&scenario, 1).expect("the network runs").to_json()).expect("results are JSON")
}

/// (time in ns, packet number) of each data packet or datagram that arrives, in the order of arrival.
fn arrivals(network: &Value, seed: u64) -> Vec<(u64, u32)> {
    let scenario: Scenario = serde_json::from_value(network.clone()).expect("the network is canonical");
    let (_, trace) = run_traced(&scenario, seed).expect("the network runs");
    let data = trace.rows.iter().filter(|row| row.event == TraceEvent::Receive && row.kind != Kind::Ack);
    data.map(|row| (row.time.as_nanos(), row.seq)).collect()
}

/// 1000 bytes every 5 ms over a link with these keys, on which a packet takes 4 ms and 10 ms of propagation.
fn datagrams(count: u64, keys: &Value) -> Value {
    let mut link = json!({"name": "link", "from": "A", "to": "B", "rate": 2e6, "delay": 10 * MS});
    link.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    json!({
        "duration_ns": (count * 5 + 1000) * MS, "links": [link],
        "traffic": [{
            "name": "load", "kind": "cbr", "count": 1, "from": ["A"], "to": ["B"], "stop_ns": (count * 5 - 1) * MS,
            "udp": {"rate": 1.6e6, "payload": 1000, "headers": 0, "phase": "zero"},
        }],
    })
}

/// Without jitter packet i arrives at 5 i + 14 ms.
fn plain(seq: u32) -> u64 {
    (5 * u64::from(seq) + 14) * MS
}

#[test]
fn jitter_delays_each_packet_and_keeps_the_order() {
    let count = 4000;
    let found = arrivals(&datagrams(count, &json!({"jitter": {"uniform": [0, 4 * MS]}})), 1);
    assert!(found.iter().map(|(_, seq)| *seq).eq(0..count as u32), "all arrive, in order");
    // Draws below the gap never make one wait for the other, so the extra delays are the draws: their mean is 2 ms, their
    // standard deviation 4 / sqrt(12) ms.
    let extra: Vec<f64> = found.iter().map(|(at, seq)| (at - plain(*seq)) as f64 / MS as f64).collect();
    assert!(extra.iter().all(|extra| (0.0..=4.0).contains(extra)));
    let mean = extra.iter().sum::<f64>() / count as f64;
    assert!((mean - 2.0).abs() < 4.0 * (16.0_f64 / 12.0 / count as f64).sqrt(), "{mean}");
    // The draws are independent.
    let pairs = extra.windows(2).map(|pair| (pair[0] - 2.0) * (pair[1] - 2.0)).sum::<f64>() / count as f64;
    assert!((pairs / (16.0 / 12.0)).abs() < 4.0 / (count as f64).sqrt(), "{pairs}");
}

#[test]
fn a_packet_waits_for_the_one_before_it_where_jitter_is_longer_than_the_gap() {
    let found = arrivals(&datagrams(2000, &json!({"jitter": {"list": [0, 12 * MS]}})), 1);
    // Each arrives 0 or 12 ms late, and no earlier than those before it: the state is how late the last two were.
    let mut latest = 0;
    let mut together = 0;
    for (i, &(at, seq)) in found.iter().enumerate() {
        assert_eq!(seq as usize, i);
        assert!([plain(seq).max(latest), plain(seq) + 12 * MS].contains(&at), "packet {seq} at {at}");
        together += usize::from(at == latest);
        latest = at;
    }
    // After a late packet (1/2) one in time (1/2) comes with it; so does another behind that, 2 ms ahead (1/2 more).
    assert!((together as f64 / 2000.0 - 0.375).abs() < 0.05, "{together}");
}

#[test]
fn a_part_of_the_packets_is_overtaken_and_nobody_waits_for_them() {
    let count = 4000;
    let found = arrivals(&datagrams(count, &json!({"reorder": {"rate": 0.05, "delay": 12 * MS}})), 1);
    assert_eq!(found.len(), count as usize, "none is lost");
    assert!(found.is_sorted_by_key(|(at, _)| *at));
    let late: Vec<u32> = found.iter().filter(|(at, seq)| *at == plain(*seq) + 12 * MS).map(|(_, seq)| *seq).collect();
    assert!(found.iter().all(|(at, seq)| late.contains(seq) || *at == plain(*seq)), "the others are in time");
    let share = late.len() as f64 / count as f64;
    assert!((share - 0.05).abs() < 4.0 * (0.05_f64 * 0.95 / count as f64).sqrt(), "{share}");
    // 12 ms are two gaps and a bit: two packets get ahead of a late one, unless these are late too.
    let place = |seq: u32| found.iter().position(|(_, other)| *other == seq).unwrap();
    let alone = |seq: &&u32| !(1..=2).any(|k| late.contains(&(**seq + k)) || late.contains(&(**seq - k)));
    let middle = |seq: &&u32| (10..count as u32 - 10).contains(seq);
    let checked: Vec<&u32> = late.iter().filter(middle).filter(alone).collect();
    assert!(checked.len() > 100 && checked.iter().all(|seq| place(**seq) == **seq as usize + 2));
}

/// With rate = 1 each packet has a delay of its own and the order is that of the arrivals: the exponential distribution.
#[test]
fn all_packets_may_overtake_each_other() {
    let count = 4000;
    let found = arrivals(&datagrams(count, &json!({"reorder": {"rate": 1.0, "delay": {"exp": 10 * MS}}})), 1);
    assert_eq!(found.len(), count as usize);
    assert!(found.is_sorted_by_key(|(at, _)| *at));
    let mut extra: Vec<f64> = found.iter().map(|(at, seq)| (at - plain(*seq)) as f64 / (10 * MS) as f64).collect();
    extra.sort_by(f64::total_cmp);
    // Kolmogorov and Smirnov, 1 %.
    let gap = |(i, x): (usize, &f64)| (1.0 - (-x).exp() - i as f64 / count as f64).abs();
    let distance = extra.iter().enumerate().map(gap).fold(0.0, f64::max);
    assert!(distance * (count as f64).sqrt() < 1.63, "{distance}");
    assert!(found.windows(2).filter(|pair| pair[0].1 > pair[1].1).count() > 1000, "many are out of order");
}

/// Twenty packets of 1 ms each, sent together; the delay is 10 ms both ways. Packet 8 alone is late.
fn transfer(flavour: &str, late: u64) -> Value {
    let link =
        |name: &str, from: &str, to: &str| json!({"name": name, "from": from, "to": to, "rate": 8e6, "delay": 10 * MS});
    let mut data = link("link", "A", "B");
    data["reorder"] = json!({"rate": 0.05, "delay": late});
    let settings = json!({"packets": 20, "window": 20, "initial_window": 20, "syn": false, "packet": {"bytes": 1000},
                          "headers": {"bytes": 0}, "limited_transmit": false});
    json!({
        "duration_ns": 2000 * MS, "links": [data, link("link.reverse", "B", "A")],
        "traffic": [{"name": "tcp", "kind": "tcp", "count": 1, "from": ["A"], "to": ["B"],
                     "tcp": {"profile": "ns2", "flavour": flavour, "settings": settings}}],
    })
}

/// The first seed with which packet 8 is the only one of the first twenty that is late, and no retransmission is.
fn seed_with_packet_8_late() -> u64 {
    let is_it = |seed: &u64| {
        let found = arrivals(&transfer("reno", 100 * MS), *seed);
        let in_time: Vec<u32> = (0..20).filter(|seq| found.contains(&(u64::from(seq + 11) * MS, *seq))).collect();
        in_time.iter().copied().eq((0..20).filter(|seq| *seq != 8)) && found.len() <= 22
    };
    (1..1000).find(is_it).expect("one in fifty seeds does it")
}

/// Packet i leaves the transmitter at i + 1 ms and arrives at i + 11. Packet 8 arrives at 19 + 3.5 ms: behind 9, 10 and 11,
/// whose duplicate acknowledgements make the sender repeat it, although nothing was lost. The third of these leaves at 22 ms
/// and arrives 40 us + 10 ms later, so the repetition is at the receiver 1 + 10 ms after that. For Reno the acknowledgement
/// of the late packet ends recovery. For NewReno it is a partial one, and so are the seven behind it: each makes it repeat
/// one packet more (RFC 6582, section 3.2, step 3), which follow the first repetition 1 ms apart.
#[test]
fn three_packets_ahead_of_a_late_one_cause_spurious_retransmissions() {
    let seed = seed_with_packet_8_late();
    let mut expected: Vec<(u64, u32)> =
        (0..20).filter(|seq| *seq != 8).map(|seq| (u64::from(seq + 11) * MS, seq)).collect();
    expected.insert(11, (22 * MS + MS / 2, 8));
    let first = 22 * MS + 40_000 + 10 * MS + 11 * MS;
    expected.push((first, 8));
    assert_eq!(arrivals(&transfer("reno", 3 * MS + MS / 2), seed), expected);
    expected.extend((1..=8).map(|k| (first + k * MS, 11 + k as u32)));
    assert_eq!(arrivals(&transfer("newreno", 3 * MS + MS / 2), seed), expected);
}

/// 2.5 ms late, only 9 and 10 get ahead of it: two duplicate acknowledgements are not enough.
#[test]
fn two_packets_ahead_of_a_late_one_do_no_harm() {
    let found = arrivals(&transfer("newreno", 2 * MS + MS / 2), seed_with_packet_8_late());
    let order: Vec<u32> = found.iter().map(|(_, seq)| *seq).collect();
    assert_eq!(order, [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
}

/// A long transfer over a link that loses nothing: all it repeats is repeated for nothing, and that costs it throughput.
#[test]
fn reordering_slows_a_tcp_down() {
    let long = |rate: f64| {
        let mut network = transfer("sack", 8 * MS);
        network["links"][0]["reorder"]["rate"] = json!(rate);
        network["duration_ns"] = json!(100_000 * MS);
        network["traffic"][0]["tcp"]["settings"].as_object_mut().unwrap().remove("packets");
        run_json(&network)["traffic"]["tcp"].clone()
    };
    let (calm, ragged) = (long(0.0), long(0.02));
    assert_eq!((&calm["lost_pkts"], &calm["retransmitted_pkts"]), (&json!(0), &json!(0)));
    assert_eq!(ragged["lost_pkts"], 0);
    assert!(ragged["retransmitted_pkts"].as_u64().unwrap() > 100);
    assert!(ragged["goodput_bps"].as_f64().unwrap() < 0.9 * calm["goodput_bps"].as_f64().unwrap());
}

/// A long flow with the `linux` profile over 20 Mbit/s with a round trip of 40 ms, on a link with these keys.
fn linux_flow(flavour: &str, seconds: u64, settings: &Value, keys: &Value) -> Value {
    let link =
        |name: &str, from: &str, to: &str| json!({"name": name, "from": from, "to": to, "rate": 2e7, "delay": 20 * MS});
    let mut data = link("link", "A", "B");
    data["queue"] = json!({"scheme": "droptail", "limit": {"packets": 66}, "params": {}});
    data.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    let network = json!({
        "duration_ns": seconds * 1000 * MS, "links": [data, link("link.reverse", "B", "A")],
        "traffic": [{"name": "tcp", "kind": "tcp", "count": 1, "from": ["A"], "to": ["B"],
                     "tcp": {"profile": "linux", "flavour": flavour, "settings": settings}}],
    });
    run_json(&network)["traffic"]["tcp"].clone()
}

/// The reordering window adapts to duplicates that the receiver reports, and needless reductions are undone (RFC 8985, section 6.2; RFC
/// 9438, section 4.9). For 60 s one packet in a hundred, a thousand in all, is late by a fifth, a half or the whole of
/// the round-trip time. Without `dsack` and `undo` the flow has a fifth of the link.
#[test]
fn a_modern_tcp_adapts_to_reordering() {
    let run_with = |late: u64, adapts: bool| {
        let settings = json!({"dsack": adapts, "undo": adapts});
        let keys = json!({"reorder": {"rate": 0.01, "delay": late * MS}});
        let result = linux_flow("cubic", 60, &settings, &keys);
        let number = |key: &str| result[key].as_f64().unwrap();
        (number("retransmitted_pkts") - number("lost_pkts"), number("goodput_bps") / 1e6)
    };
    for late in [8, 20, 40] {
        let (needless, goodput) = run_with(late, true);
        assert!(needless <= 15.0 && goodput > 19.0, "{late} ms late: {needless} needless, {goodput} Mbit/s");
    }
    let (needless, goodput) = run_with(20, false);
    assert!(needless > 100.0 && goodput < 6.0, "{needless} needless, {goodput} Mbit/s");
}

/// Without reordering, every retransmission repairs a loss and there is nothing to undo: results are the same with and
/// without `dsack` and `undo`.
#[test]
fn without_reordering_nothing_is_undone() {
    let red = json!({"scheme": "red", "limit": {"packets": 66}, "params": {"ecn": true}});
    for flavour in ["sack", "cubic"] {
        for (keys, ecn) in [
            (json!({}), false),
            (json!({"loss": {"rate": 0.001}}), false),
            (json!({"loss": {"rate": 0.03}}), false),
            (json!({"loss": {"rate": 0.001}, "queue": red}), true),
        ] {
            let result = |on: bool| {
                linux_flow(flavour, 20, &json!({"dsack": on, "undo": on, "hystart": false, "ecn": ecn}), &keys)
            };
            assert_eq!(result(true), result(false), "{flavour}, {keys}");
        }
    }
}

#[test]
fn a_rate_above_one_and_a_negative_delay_are_refused() {
    for (keys, path) in [
        (json!({"reorder": {"rate": 1.5, "delay": 1}}), "links.link.reorder.rate"),
        (json!({"reorder": {"rate": 0.5, "delay": -1}}), "links.link.reorder.delay"),
        (json!({"jitter": {"uniform": [5, 1]}}), "links.link.jitter"),
        (json!({"duplicate": {"rate": 2}}), "links.link.duplicate.rate"),
        (json!({"duplicate": {"rate": 0.5, "correlation": 1.0}}), "links.link.duplicate.correlation"),
        (
            json!({"loss": {"states": {"p13": 0.6, "p31": 0.5, "p32": 0, "p23": 1, "p14": 0.5}}}),
            "links.link.loss.states.p14",
        ),
    ] {
        let scenario: Scenario = serde_json::from_value(datagrams(10, &keys)).unwrap();
        let faults = penstock_sim::check(&scenario, 1, &());
        assert_eq!(faults.iter().map(|fault| fault.path.as_str()).collect::<Vec<_>>(), [path]);
    }
}

/// netem's jitter: the order is that of the arrivals, unless the link keeps it; the mean delay stays.
#[test]
fn jitter_around_the_delay_reorders_unless_the_link_keeps_the_order() {
    let count = 4000;
    let around = |keep_order: bool| {
        let jitter =
            json!({"deviation": 9 * MS, "distribution": "uniform", "correlation": 0.0, "keep_order": keep_order});
        arrivals(&datagrams(count, &json!({"jitter": jitter})), 1)
    };
    let free = around(false);
    assert!(free.is_sorted_by_key(|(at, _)| *at));
    let extra: Vec<f64> = free.iter().map(|(at, seq)| (*at as f64 - plain(*seq) as f64) / MS as f64).collect();
    assert!(extra.iter().all(|extra| (-9.0..=9.0).contains(extra)));
    let mean = extra.iter().sum::<f64>() / count as f64;
    assert!(mean.abs() < 4.0 * (81.0_f64 / 3.0 / count as f64).sqrt(), "{mean}");
    // A packet overtakes the one 5 ms before it if its draw is more than 5 ms below: (13 / 18)^2 / 2 of the pairs.
    let mut at = vec![0; count as usize];
    for (time, seq) in &free {
        at[*seq as usize] = *time;
    }
    let share = at.windows(2).filter(|pair| pair[1] < pair[0]).count() as f64 / (count - 1) as f64;
    assert!((share - (13.0_f64 / 18.0).powi(2) / 2.0).abs() < 0.03, "{share}");
    let kept = around(true);
    assert!(kept.iter().map(|(_, seq)| *seq).eq(0..count as u32));
    // In order, each arrives with the latest of those before it.
    let mut latest = 0;
    for (seq, (time, _)) in kept.iter().enumerate() {
        latest = latest.max(at[seq]);
        assert_eq!(*time, latest);
    }
}

/// netem's `reorder 100% gap 5` of tc-netem(8): every fifth packet is sent immediately, the others after the delay of 10 ms.
#[test]
fn packets_without_delay_overtake_those_before_them() {
    let found = arrivals(&datagrams(100, &json!({"reorder": {"rate": 1.0, "gap": 5}})), 1);
    for (at, seq) in &found {
        let early = if seq % 5 == 4 { 10 * MS } else { 0 };
        assert_eq!(*at, plain(*seq) - early, "packet {seq}");
    }
    // 10 ms are two gaps: it arrives together with packet 2 of its five, or just around it.
    assert!(found.is_sorted_by_key(|(at, _)| *at) && found.iter().map(|(_, seq)| *seq).ne(0..100));
}

#[test]
fn a_duplicate_arrives_at_the_queue_with_its_original() {
    let count = 4000;
    let keys = json!({"duplicate": {"rate": 0.1}, "queue": {"scheme": "droptail", "limit": {"packets": 10}}});
    let found = arrivals(&datagrams(count, &keys), 1);
    let copies = found.len() - count as usize;
    assert!((copies as f64 / count as f64 - 0.1).abs() < 4.0 * (0.09_f64 / count as f64).sqrt(), "{copies}");
    // The copy takes 4 ms on the link behind its original, before the next packet comes: it delays that one by 3 ms.
    for (i, pair) in found.windows(2).enumerate().filter(|(_, pair)| pair[0].1 == pair[1].1) {
        assert_eq!(pair[1].0 - pair[0].0, 4 * MS, "packet {i}");
    }
    let mut network = datagrams(count, &keys);
    network["links"][0]["watch"] = json!(true);
    let result = run_json(&network);
    assert_eq!(result["links"]["link"]["arrivals"], json!(found.len()));
}

/// With SACK, both ways, through limited queues: every packet and every ACK may be doubled or dropped, and the transfer ends.
#[test]
fn a_tcp_whose_packets_and_acks_are_duplicated_delivers_everything_once() {
    for flavour in ["sack", "cubic"] {
        let mut network = transfer(flavour, 0);
        for link in network["links"].as_array_mut().unwrap() {
            link.as_object_mut().unwrap().remove("reorder");
            link["duplicate"] = json!({"rate": 0.3, "correlation": 0.2});
            link["queue"] = json!({"scheme": "droptail", "limit": {"packets": 12}});
        }
        let flow = run_json(&network)["traffic"]["tcp"].clone();
        assert_eq!(flow["goodput_bps"], json!(20.0 * 1000.0 * 8.0 / 2.0), "{flavour}: {flow}");
    }
}

#[test]
fn blocks_and_duplicates_exclude_each_other() {
    let mut network = datagrams(10, &json!({"duplicate": {"rate": 0.1}}));
    network["traffic"][0]["kind"] = json!("video");
    let scenario: Scenario = serde_json::from_value(network).unwrap();
    let errors = penstock_sim::check(&scenario, 1, &());
    assert!(errors.iter().any(|error| error.path == "links.link.duplicate"), "{errors:?}");
}

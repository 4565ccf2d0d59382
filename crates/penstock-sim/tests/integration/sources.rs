//! The traffic of sources in whole runs: times and sizes against their distributions, rounds and frames against closed
//! forms.

use penstock_sim::trace::TraceEvent;
use penstock_sim::{Kind, Prepared, Record, RunOptions, Scenario, run, run_prepared, run_traced, run_with};
use serde_json::{Value, json};

/// Traffic from S (and S0 to S9) over R1 and R2 to D; the link between these has this rate and queue and is watched.
fn network(seconds: u64, rate: f64, queue: &Value, traffic: &Value) -> Value {
    let link = |name: &str, from: &str, to: &str, rate: f64, queue: &Value| {
        let watch = name == "core" || name == "back";
        json!({"name": name, "from": from, "to": to, "rate": rate, "delay": 5e6, "queue": queue, "watch": watch})
    };
    let none = &Value::Null;
    let mut links = vec![
        link("core", "R1", "R2", rate, queue),
        link("back", "R2", "R1", rate, none),
        link("out", "R2", "D", 1e11, none),
        link("out.reverse", "D", "R2", 1e11, none),
    ];
    for sender in ["S", "S0", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9"] {
        links.push(link(sender, sender, "R1", 1e11, none));
        links.push(link(&format!("{sender}.reverse"), "R1", sender, 1e11, none));
    }
    json!({"duration_ns": seconds * 1_000_000_000, "links": links, "traffic": traffic})
}

fn scenario(value: Value) -> Scenario {
    serde_json::from_value(value).unwrap()
}

fn result(value: Value, seed: u64) -> Value {
    serde_json::from_str(&run(&scenario(value), seed).unwrap().to_json()).unwrap()
}

fn group(kind: &str, keys: &Value) -> Value {
    let mut group = json!({"name": "t", "kind": kind, "count": 1, "from": ["S"], "to": ["D"]});
    group.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    json!([group])
}

/// When packets with data leave, in seconds, with their flows and sizes.
fn sent(value: Value, seed: u64) -> Vec<(f64, u32, u32)> {
    let (_, trace) = run_traced(&scenario(value), seed).unwrap();
    let sent = trace.rows.iter().filter(|row| row.event == TraceEvent::Send && row.kind != Kind::Ack);
    sent.map(|row| (row.time.as_nanos() as f64 / 1e9, row.flow, row.size)).collect()
}

fn gaps(sent: &[(f64, u32, u32)]) -> Vec<f64> {
    let mut gaps: Vec<f64> = sent.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    gaps.sort_by(f64::total_cmp);
    gaps
}

/// Kolmogorov and Smirnov: the largest distance between the sample and `cdf`, times the root of the count; below 1.63 in
/// 99 of 100 samples.
fn distance(sorted: &[f64], cdf: impl Fn(f64) -> f64) -> f64 {
    let n = sorted.len() as f64;
    let gap = |(i, &x): (usize, &f64)| (cdf(x) - i as f64 / n).abs().max((cdf(x) - (i + 1) as f64 / n).abs());
    sorted.iter().enumerate().map(gap).fold(0.0, f64::max) * n.sqrt()
}

fn uniform(low: f64, high: f64) -> impl Fn(f64) -> f64 {
    move |x| ((x - low) / (high - low)).clamp(0.0, 1.0)
}

#[test]
fn jitter_spreads_gaps_uniformly_and_keeps_the_rate() {
    // 1000 bytes at 8 Mbit/s: a gap of 1 ms.
    let keys = json!({"udp": {"rate": 8e6, "payload": 972, "jitter": 0.6}});
    let sent = sent(network(20, 1e8, &Value::Null, &group("cbr", &keys)), 1);
    let gaps = gaps(&sent);
    let far = distance(&gaps, uniform(0.4e-3, 1.6e-3));
    assert!(far < 1.63, "{far}");
    // 20 000 gaps whose standard deviation is 0.35 ms: their sum has 0.05 s.
    assert!((sent.len() as f64 - 20_000.0).abs() < 150.0, "{}", sent.len());
}

#[test]
fn without_jitter_gaps_are_constant() {
    let keys = json!({"udp": {"rate": 8e6, "payload": 972}});
    let gaps = gaps(&sent(network(1, 1e8, &Value::Null, &group("cbr", &keys)), 1));
    assert!(gaps.iter().all(|gap| (gap - 1e-3).abs() < 1e-12));
}

#[test]
fn the_phase_is_uniform_over_a_gap() {
    let keys = json!({"count": 2000, "udp": {"rate": 80.0, "payload": 972, "phase": "random"}});
    let sent = sent(network(100, 1e8, &Value::Null, &group("cbr", &keys)), 1);
    let mut first: Vec<f64> = sent.iter().map(|(time, ..)| *time).collect();
    first.sort_by(f64::total_cmp);
    assert_eq!(first.len(), 2000);
    assert!(distance(&first, uniform(0.0, 100.0)) < 1.63);
}

#[test]
fn gaps_of_poisson_are_exponential() {
    let keys = json!({"udp": {"rate": 8e6, "payload": 972}});
    let gaps = gaps(&sent(network(20, 1e8, &Value::Null, &group("poisson", &keys)), 3));
    let far = distance(&gaps, |x| 1.0 - (-x / 1e-3).exp());
    assert!(far < 1.63, "{far}");
}

fn tcp(more: &Value) -> Value {
    let mut keys = json!({"tcp": {"profile": "linux", "flavour": "newreno", "settings": {"packet": {"bytes": 1000}, "headers": {"bytes": 40}}}});
    keys.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    keys
}

#[test]
fn transfers_arrive_as_a_poisson_process() {
    // Transfers of one packet: each packet sent is an arrival.
    let transfers = json!({"size": 700, "unit": "bytes", "arrivals": {"exp": 2e6}});
    let sent = sent(network(40, 1e9, &Value::Null, &group("tcp", &tcp(&json!({"transfers": transfers})))), 1);
    assert!(sent.iter().all(|(_, flow, size)| (*flow, *size) == (0, 740)));
    let far = distance(&gaps(&sent), |x| 1.0 - (-x / 2e-3).exp());
    assert!(far < 1.63, "{far}");
    // A Poisson count of mean 20 000 has a standard deviation of 141.
    assert!((sent.len() as f64 - 20_000.0).abs() < 425.0, "{}", sent.len());
}

#[test]
fn transfers_have_the_sizes_that_are_drawn_and_are_told_by_class() {
    let cdf = json!([[500, 0.2], [3000, 0.7], [20_000, 1.0]]);
    let transfers = json!({"size": {"cdf": cdf}, "unit": "bytes", "arrivals": {"exp": 5e6}, "classes": [3000, 10_000]});
    let found = result(network(100, 1e9, &Value::Null, &group("tcp", &tcp(&json!({"transfers": transfers})))), 1);
    let found = &found["traffic"]["t"];
    let number = |name: &str| found[name].as_f64().unwrap();
    let completed = number("completed");
    assert!((completed - 20_000.0).abs() < 425.0, "{completed}");
    // The mean size: a fifth of 500, half around 1750, three tenths around 11 500; its standard error is 0.4 %.
    let mean = 100.0 + 0.5 * 1750.0 + 0.3 * 11_500.0;
    let goodput = number("goodput_bps") / 8.0 * 100.0 / completed;
    assert!((goodput / mean - 1.0).abs() < 0.015, "{goodput}, {mean} expected");
    // Shares of the classes: 0.7, then 7 of 17 of the rest. Three standard deviations of 20 000 are 0.01.
    let share = |class: &str| number(&format!("completed_{class}")) / completed;
    assert!((share("0_3000") - 0.7).abs() < 0.01);
    assert!((share("3000_10000") - 0.3 * 7.0 / 17.0).abs() < 0.01);
    assert_eq!(number("completed_0_3000") + number("completed_3000_10000") + number("completed_10000_inf"), completed);
    // Alone on a fast link, up to ten packets take one round trip of 30 ms and the rest two.
    assert!((number("completion_p50_0_3000_s") - 0.030).abs() < 0.001);
    assert!((number("completion_p99_10000_inf_s") - 0.060).abs() < 0.001);
}

#[test]
fn each_flow_without_arrivals_is_one_transfer_of_a_drawn_size() {
    let transfers = json!({"size": {"uniform": [1.0, 19.0]}, "unit": "packets"});
    let keys = tcp(&json!({"count": 500, "transfers": transfers, "start": {"first_ns": 1_000_000_000_u64}}));
    let value = network(20, 1e9, &Value::Null, &group("tcp", &keys));
    let sent = sent(value.clone(), 1);
    let mut sizes = vec![0_u32; 500];
    for (_, flow, _) in &sent {
        sizes[*flow as usize] += 1;
    }
    assert!(sizes.iter().all(|packets| (2..=19).contains(packets)), "{sizes:?}");
    // Rounded up, a uniform number from 1 to 19 has mean 10.5; its standard error is 0.23.
    let mean = f64::from(sizes.iter().sum::<u32>()) / 500.0;
    assert!((mean - 10.5).abs() < 0.75, "{mean}");
    assert_eq!(result(value, 1)["traffic"]["t"]["completed"], json!(500));
}

#[test]
fn other_traffic_changes_no_draws() {
    let transfers = json!({"size": {"exp": 5000.0}, "unit": "bytes", "arrivals": {"exp": 2e7}});
    let alone = group("tcp", &tcp(&json!({"transfers": transfers})));
    let mut beside = alone.as_array().unwrap().clone();
    let incast = json!({"transfers": {"size": {"exp": 3.0}, "unit": "packets"}, "incast": {"pause": {"exp": 1e8}}});
    let mut other = group("incast", &tcp(&incast))[0].clone();
    other["name"] = json!("other");
    beside.insert(0, other);
    let completed = |traffic: &Value| result(network(50, 1e9, &Value::Null, traffic), 1)["traffic"]["t"].clone();
    let (alone, beside) = (completed(&alone), completed(&json!(beside)));
    assert_eq!((&alone["completed"], &alone["goodput_bps"]), (&beside["completed"], &beside["goodput_bps"]));
}

#[test]
fn starts_are_staggered() {
    let start = json!({"first_ns": 1_000_000_000_u64, "every_ns": 250_000_000_u64, "jitter_ns": 100_000_000_u64});
    let keys = tcp(&json!({"count": 200, "start": start}));
    let mut value = network(60, 1e9, &Value::Null, &group("tcp", &keys));
    value["traffic"][0]["tcp"]["settings"]["packets"] = json!(1);
    let sent = sent(value, 1);
    let mut jitter: Vec<f64> = sent.iter().map(|(time, flow, _)| time - 1.0 - 0.25 * f64::from(*flow)).collect();
    jitter.sort_by(f64::total_cmp);
    assert_eq!(jitter.len(), 200);
    assert!(jitter[0] >= 0.0 && jitter[199] < 0.1);
    assert!(distance(&jitter, uniform(0.0, 0.1)) < 1.63);
}

/// Ten senders whose answers of 5 packets cross a link of 10 Mbit/s.
fn incast(incast: &Value, limit: &Value) -> Value {
    let senders: Vec<String> = (0..10).map(|i| format!("S{i}")).collect();
    let keys = json!({"from": senders, "transfers": {"size": 5, "unit": "packets"}, "incast": incast});
    let queue = json!({"scheme": "droptail", "limit": limit});
    network(20, 1e7, &queue, &group("incast", &tcp(&keys)))
}

#[test]
fn a_round_of_incast_lasts_as_long_as_its_answers_take_on_the_link() {
    let value = incast(&json!({"pause": 100_000_000}), &json!("inf"));
    let found = result(value.clone(), 1);
    let found = &found["traffic"]["t"];
    // 50 packets of 1040 B on 10 Mbit/s, the last one acknowledged by 40 B: six links of 5 ms there and back. The links of
    // 100 Gbit/s add 0.2 us.
    let round = 50.0 * 1040.0 * 8.0 / 1e7 + 40.0 * 8.0 / 1e7 + 0.030;
    for name in ["round_mean_s", "round_p50_s", "round_p99_s"] {
        let took = found[name].as_f64().unwrap();
        assert!((took - round).abs() < 1e-6, "{name}: {took}, {round} expected");
    }
    // Each ends 0.1 s before the next starts.
    let rounds = ((20.0 + 0.1) / (round + 0.1)) as u64;
    assert_eq!(found["rounds"], json!(rounds));
    assert!((10 * rounds..10 * rounds + 10).contains(&found["completed"].as_u64().unwrap()));
    // All answer at the same instant.
    let sent = sent(value, 1);
    assert!(sent[..50].iter().all(|(time, ..)| *time == 0.0) && sent[50].0 > round);
}

#[test]
fn rounds_at_a_fixed_distance_do_not_wait() {
    let found = result(incast(&json!({"every_ns": 500_000_000, "pause": 0}), &json!("inf")), 1);
    assert_eq!(found["traffic"]["t"]["rounds"], json!(40));
    // Faster than the link: 41.6 ms of packets every 40 ms; rounds overlap and take ever longer.
    let found = result(incast(&json!({"every_ns": 40_000_000, "pause": 0}), &json!("inf")), 1);
    assert!(found["traffic"]["t"]["round_p99_s"].as_f64().unwrap() > 0.5);
}

#[test]
fn a_small_buffer_makes_the_slowest_answer_wait_for_its_timeout() {
    let found = result(incast(&json!({"pause": 0}), &json!({"packets": 20})), 1);
    let found = &found["traffic"]["t"];
    assert!(found["timeouts"].as_u64().unwrap() > 0);
    // The profile's least timeout is 200 ms; without losses a round takes 72 ms.
    assert!(found["round_mean_s"].as_f64().unwrap() > 0.2, "{}", found["round_mean_s"]);
}

fn video(more: &Value) -> Value {
    let mut video = json!({"rate": 1e6, "fps": 25.0, "gop": "IBBPBB", "sizes": [4, 2, 1], "variation": 0.0, "payload": 972,
        "unit": "frame", "dependence": false});
    video.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    group("video", &json!({"video": video}))
}

#[test]
fn a_lost_packet_makes_its_frame_useless() {
    // Six frames at 25 a second are 30 000 B: 3000 B a part. An I frame has 12 000 B in 12 packets, P 6000 in 6, B 3 each.
    let lossy = |lost: Value, more: &Value| {
        let mut value = network(10, 1e9, &Value::Null, &video(more));
        value["links"][0]["loss"] = json!({"arrivals": lost});
        result(value, 1)["traffic"]["t"].clone()
    };
    let whole = lossy(json!([]), &json!({}));
    // Of 250 frames the last is under way for 15 ms of the 40 before the end.
    assert_eq!(
        (&whole["frames"], &whole["useless_frames"], &whole["wasted_share"]),
        (&json!(250), &json!(0), &json!(0.0))
    );
    // Packets 13 (the first B frame), 20 and 21 (the P frame), 30 and on (the second group: an I frame, packet 30).
    let found = lossy(json!([13, 20, 21, 30]), &json!({}));
    assert_eq!(found["useless_frames"], json!(3));
    let delivered = whole["goodput_bps"].as_f64().unwrap() * 10.0 / 8.0 / 0.972 - 4000.0;
    // Of the three frames 2000, 4000 and 11 000 B were delivered in vain.
    let share = found["wasted_share"].as_f64().unwrap();
    assert!((share * delivered - 17_000.0).abs() < 1.0, "{}", share * delivered);
    // With dependence: the P frame takes the two B frames before and after it along; the I frame those two again, and its
    // own group, which its B frames end.
    let found = lossy(json!([13, 20, 21, 30]), &json!({"dependence": true}));
    assert_eq!(found["useless_frames"], json!(2 + 1 + 2 + 6));
}

#[test]
fn xred_drops_what_a_lost_part_has_made_useless() {
    let wasted = |scheme: &str, unit: &str| {
        let queue = json!({"scheme": scheme, "limit": {"packets": 40}, "params": {"w_q": 0.02}});
        let mut traffic = video(&json!({"dependence": true, "unit": unit, "variation": 0.3, "phase": "random"}));
        traffic[0]["count"] = json!(12);
        let found = result(network(100, 1e7, &queue, &traffic), 1);
        (found["traffic"]["t"]["wasted_share"].as_f64().unwrap(), found["links"]["core"]["drops"].clone())
    };
    // Packets of one frame are all alike: nothing is dropped for a more important one, and XRED is RED.
    assert_eq!(wasted("xred", "frame"), wasted("red", "frame"));
    assert_eq!(wasted("red", "gop"), wasted("red", "frame"));
    // Within a group of pictures a lost I frame condemns the others (alemu/ch1.xred/c1).
    let (xred, red) = (wasted("xred", "gop").0, wasted("red", "gop").0);
    println!("XRED wastes {xred}, RED {red}");
    assert!(xred < 0.9 * red, "XRED wastes {xred}, RED {red}");
}

#[test]
fn computed_links_change_no_result() {
    let drawn = json!({"size": {"exp": 5000.0}, "unit": "bytes", "arrivals": {"exp": 2e7}, "classes": [5000]});
    let rounds =
        json!({"transfers": {"size": 9, "unit": "packets"}, "incast": {"pause": 0}, "from": ["S0", "S1", "S2"]});
    // The runs end with packets of frames under way.
    for traffic in [
        group("tcp", &tcp(&json!({"transfers": drawn}))),
        group("incast", &tcp(&rounds)),
        video(&json!({"dependence": true, "fps": 70.0, "rate": 4e6})),
    ] {
        let found = |computed: bool| {
            let mut value = network(3, 5e6, &json!({"scheme": "red", "limit": {"packets": 30}}), &traffic);
            value["warmup_ns"] = json!(500_000_000);
            value["options"] = json!({"computed_links": computed});
            let found = result(value, 1);
            (found["traffic"].clone(), found["links"].clone())
        };
        assert_eq!(found(true), found(false));
    }
}

#[test]
fn a_capture_replayed_arrives_as_it_did() {
    let keys = json!({"count": 3, "udp": {"rate": 2e6, "payload": {"uniform": [40.0, 1400.0]}}});
    let mut traffic = group("poisson", &keys);
    traffic[0]["start"] = json!({"uniform_ns": [0, 1_000_000_000_u64]});
    let recorded = scenario(network(5, 1e7, &json!({"scheme": "droptail", "limit": {"packets": 30}}), &traffic));
    let record = Record { trace: true, captured_links: vec![0], ..Record::default() };
    let options = RunOptions { record, ..RunOptions::default() };
    let (_, kept) = run_with(&recorded, 1, &options).unwrap();
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("replayed.pcap");
    let mut bytes = Vec::new();
    kept.capture.unwrap().write(&[0], None, &mut bytes).unwrap();
    std::fs::write(&file, bytes).unwrap();
    // The capture has the departures from the queue: the source replays packets at these instants.
    let trace = kept.trace.unwrap();
    let left = trace.rows.iter().filter(|row| row.event == TraceEvent::Dequeue);
    let left: Vec<(u64, u32)> = left.map(|row| (row.time.as_nanos(), row.size)).collect();
    let replay = |name: &str, from: &str| {
        json!({"name": name, "kind": "replay", "count": 1, "from": [from], "to": ["D"], "replay": {"file": file},
            "start": {"first_ns": left[0].0}})
    };
    let again = scenario(network(5, 1e7, &Value::Null, &json!([replay("t", "S")])));
    let (found, trace) = run_traced(&again, 1).unwrap();
    let sent = trace.rows.iter().filter(|row| row.event == TraceEvent::Send);
    let sent: Vec<(u64, u32)> = sent.map(|row| (row.time.as_nanos(), row.size)).collect();
    assert!(sent.len() > 1000);
    assert_eq!(sent, left);
    // They come to a link of the same rate as they left one: none waits.
    assert_eq!(found.link("core", "drops"), Some(0.0));
    assert!(found.link("core", "delay_mean_s").unwrap() < 1e-6);
    // Runs that share the packets, and the parameters of a TCP, are those made alone.
    let red = json!({"scheme": "red", "limit": {"packets": 30}, "params": {}});
    let bulk = json!({"name": "bulk", "kind": "tcp", "count": 2, "from": ["S"], "to": ["D"],
        "tcp": {"flavour": "cubic", "profile": "linux", "settings": {}}});
    let shared = scenario(network(3, 1e7, &red, &json!([replay("t", "S"), bulk])));
    let prepared = Prepared::new(&shared);
    for seed in [1, 2, 1] {
        let (one, _) = run_prepared(&prepared, seed, &RunOptions::default()).unwrap();
        assert!(one.traffic("t", "sent_pkts") > Some(500.0) && one.traffic("bulk", "goodput_bps") > Some(1e6));
        assert_eq!(one, run(&shared, seed).unwrap());
    }
}

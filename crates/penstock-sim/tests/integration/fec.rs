//! Forward error correction: the load it makes, closed forms of what it repairs, and a real Reed-Solomon code beside it.

use penstock_sim::trace::TraceEvent;
use penstock_sim::{Scenario, run, run_traced};
use reed_solomon_simd::{decode, encode};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

/// Bytes of a packet, all payload.
const SIZE: usize = 512;

/// Blocks of k + h packets at 500 kbit/s of data over a wide link with this probability of loss.
fn network(k: usize, h: usize, spacing: &str, loss: f64, seconds: f64) -> Value {
    json!({
        "duration_ns": (seconds * 1e9) as u64,
        "links": [{"name": "link", "from": "A", "to": "B", "rate": 1e9, "delay": 1_000_000, "loss": {"rate": loss}}],
        "traffic": [{
            "name": "media", "kind": "fec", "count": 1, "from": ["A"], "to": ["B"],
            "udp": {"rate": 500e3, "payload": SIZE, "headers": 0}, "fec": {"k": k, "h": h, "spacing": spacing},
        }],
    })
}

fn scenario(network: Value) -> Scenario {
    serde_json::from_value(network).expect("the network is canonical")
}

fn media(network: Value) -> Value {
    let result = run(&scenario(network), 1).expect("the network runs");
    serde_json::from_str::<Value>(&result.to_json()).expect("results are JSON")["traffic"]["media"].clone()
}

fn number(metrics: &Value, name: &str) -> f64 {
    metrics[name].as_f64().unwrap_or_else(|| panic!("no {name} in {metrics}"))
}

/// The thesis, section 5.3.1: intervals in ms of packets of 573 B at 500 (1 + h/k) kbit/s.
#[test]
fn redundancy_raises_the_load_by_1_plus_h_over_k() {
    for (k, h, gap) in [(16, 0, 9.168), (16, 1, 8.629), (16, 2, 8.149), (16, 4, 7.334), (8, 2, 7.334), (10, 1, 8.335)] {
        for spacing in ["constant", "poisson"] {
            let mut network = network(k, h, spacing, 0.0, 1000.0);
            network["traffic"][0]["udp"]["payload"] = json!(573);
            let sent = number(&media(network), "sent_pkts");
            let expected = 1e6 / gap;
            let spread = if spacing == "poisson" { 4.0 * f64::sqrt(expected) } else { 1.0 + 1e-4 * expected };
            assert!((sent - expected).abs() < spread, "({k},{h}) {spacing}: {sent} packets instead of {expected}");
        }
    }
}

#[test]
fn spacing_says_how_far_packets_are_apart() {
    for (spacing, deviation) in [("constant", 0.0), ("poisson", 1.0)] {
        let (_, trace) = run_traced(&scenario(network(16, 4, spacing, 0.0, 200.0)), 1).expect("the network runs");
        let sent: Vec<f64> =
            trace.rows.iter().filter(|row| row.event == TraceEvent::Send).map(|row| row.time.as_secs()).collect();
        let gaps: Vec<f64> = sent.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // The coefficient of variation of exponential gaps is 1; its standard error is about 1 / sqrt(n).
        let error = 4.0 / (gaps.len() as f64).sqrt();
        assert!((variance.sqrt() / mean - deviation).abs() < error * deviation + 1e-6, "{spacing}");
    }
}

/// A run includes its last nanosecond: a block is complete if its last packet arrives then, and is not with 1 ns less.
#[test]
fn a_packet_that_arrives_as_the_run_ends_completes_its_block() {
    let mut network = network(4, 2, "constant", 0.0, 1.0);
    let (_, trace) = run_traced(&scenario(network.clone()), 1).expect("the network runs");
    let arrivals = trace.rows.iter().filter(|row| row.event == TraceEvent::Receive);
    let last_of_third = arrivals.map(|row| row.time.as_nanos()).nth(3 * 6 - 1).expect("three blocks arrive");
    for (duration, blocks) in [(last_of_third - 1, 2.0), (last_of_third, 3.0)] {
        network["duration_ns"] = json!(duration);
        assert_eq!(number(&media(network.clone()), "blocks"), blocks, "{duration} ns");
    }
}

/// P(X = x) of X lost packets of n.
fn binomial(n: usize, p: f64) -> Vec<f64> {
    let mut pmf = vec![(1.0 - p).powf(n as f64)];
    for x in 0..n {
        pmf.push(pmf[x] * (n - x) as f64 / (x + 1) as f64 * p / (1.0 - p));
    }
    pmf
}

/// With independent losses the number X lost of a block is binomial, and E[X; X > h] / n stay lost; as all packets of a
/// block are alike, the same share of the data.
#[test]
fn what_stays_lost_of_independent_losses_is_the_closed_form() {
    for (k, h, p) in [(16, 1, 0.05), (16, 4, 0.15), (8, 2, 0.1), (4, 0, 0.1), (1, 3, 0.5)] {
        let n = k + h;
        let found = media(network(k, h, "poisson", p, 5000.0));
        let blocks = number(&found, "blocks");
        let pmf = binomial(n, p);
        let share = |x: usize| if x > h { x as f64 / n as f64 } else { 0.0 };
        let mean: f64 = (0..=n).map(|x| pmf[x] * share(x)).sum();
        let square: f64 = (0..=n).map(|x| pmf[x] * share(x).powi(2)).sum();
        let error = ((square - mean * mean) / blocks).sqrt();
        assert!((number(&found, "plr_after") - mean).abs() < 4.0 * error, "({k},{h}): {mean} {found}");
        // Of the data alone the variance is larger, at most by the share of the data in the block.
        let error = error * n as f64 / k as f64;
        assert!((number(&found, "plr_data_after") - mean).abs() < 4.0 * error, "({k},{h}): {mean} {found}");
        let error = (p * (1.0 - p) / (blocks * n as f64)).sqrt();
        assert!((number(&found, "plr_before") - p).abs() < 4.0 * error, "({k},{h}): {found}");
        // What is delivered is the data that came and the data that was repaired: 500 kbit/s without the rest.
        let delivered = number(&found, "goodput_bps") / 500e3;
        let noise = 4.0 / (blocks * k as f64).sqrt();
        assert!((delivered - (1.0 - mean)).abs() < noise, "({k},{h}): {delivered} {found}");
        assert!((number(&found, "sent_pkts") / n as f64 - blocks).abs() < 2.0, "only the last block is left out");
    }
}

/// Without losses a block is whole with its last data packet, k - 1 gaps after the first. With them another packet of it
/// must come for each that is lost before: the k-th of those that arrive.
#[test]
fn a_block_is_whole_with_its_kth_packet() {
    let (k, h, p) = (8, 4, 0.1);
    let gap = SIZE as f64 * 8.0 / (500e3 * (k + h) as f64 / k as f64);
    let calm = media(network(k, h, "constant", 0.0, 100.0));
    assert!((number(&calm, "block_delay_mean_s") - (k - 1) as f64 * gap).abs() < 1e-6, "{calm}");
    assert!((number(&calm, "block_delay_max_s") - (k - 1) as f64 * gap).abs() < 1e-6, "{calm}");
    // From the first arrival on, the k-1 others need a negative binomial number of packets, all blocks that are whole taken
    // together: enumerate every pattern of losses.
    let (mut mean, mut whole) = (0.0, 0.0);
    for pattern in 0_u32..1 << (k + h) {
        let places: Vec<u32> = (0..(k + h) as u32).filter(|place| pattern >> place & 1 == 0).collect();
        if places.len() >= k {
            let probability =
                (0..(k + h)).fold(1.0, |product, place| product * if pattern >> place & 1 == 0 { 1.0 - p } else { p });
            whole += probability;
            mean += probability * f64::from(places[k - 1] - places[0]) * gap;
        }
    }
    let found = media(network(k, h, "constant", p, 3000.0));
    let error = 1.5 * gap / number(&found, "blocks").sqrt();
    assert!((number(&found, "block_delay_mean_s") - mean / whole).abs() < 4.0 * error, "{found}, not {}", mean / whole);
    assert!(number(&found, "block_delay_max_s") <= (k + h - 1) as f64 * gap + 1e-6);
}

/// Blocks of each code that are really encoded, and bytes of their packets.
const BLOCKS: usize = 3334;
const PAYLOAD: usize = 64;

/// A payload that no other packet has: xorshift from its number.
fn payload(seq: usize) -> Vec<u8> {
    let mut state = seq as u64 ^ 0x9e37_79b9_7f4a_7c15;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..PAYLOAD).map(|_| byte()).collect()
}

/// The data of a block as a Reed-Solomon decoder gives it back from the packets that arrived; `None` if it cannot.
fn decoded(k: usize, h: usize, data: &[Vec<u8>], arrived: &HashSet<usize>) -> Option<Vec<Vec<u8>>> {
    let redundancy = encode(k, h, data).expect("the block is encoded");
    let came = |place: &usize| arrived.contains(place);
    let originals = (0..k).filter(came).map(|place| (place, &data[place]));
    let repairs = (0..h).filter(|place| came(&(k + place))).map(|place| (place, &redundancy[place]));
    let restored: BTreeMap<usize, Vec<u8>> = decode(k, h, originals, repairs).ok()?.into_iter().collect();
    let packet = |place| if came(&place) { Some(data[place].clone()) } else { restored.get(&place).cloned() };
    (0..k).map(packet).collect()
}

/// 10 000 blocks of real payload, losses at random: the decoder gives back all data of a block exactly when at most h of
/// its packets are lost, and what it cannot give back is what the simulator says stays lost.
#[test]
fn a_reed_solomon_code_recovers_exactly_what_counting_says() {
    for (k, h, p) in [(16, 1, 0.06), (16, 4, 0.2), (8, 2, 0.2)] {
        let n = k + h;
        let gap = PAYLOAD as f64 * 8.0 / (500e3 * n as f64 / k as f64);
        let mut network = network(k, h, "constant", p, (BLOCKS * n) as f64 * gap + 1.0);
        network["traffic"][0]["udp"]["payload"] = json!(PAYLOAD);
        let (result, trace) = run_traced(&scenario(network), 1).expect("the network runs");
        let mut arrived = vec![HashSet::new(); BLOCKS];
        for row in trace.rows.iter().filter(|row| row.event == TraceEvent::Receive) {
            let seq = row.seq as usize;
            if let Some(block) = arrived.get_mut(seq / n) {
                block.insert(seq % n);
            }
        }
        let (mut repaired, mut unrepaired) = (0, 0);
        for (number, arrived) in arrived.iter().enumerate() {
            let data: Vec<Vec<u8>> = (0..k).map(|place| payload(number * n + place)).collect();
            let back = decoded(k, h, &data, arrived);
            assert_eq!(back.is_some(), n - arrived.len() <= h, "block {number} of ({k},{h})");
            match back {
                Some(back) => {
                    assert!(back == data, "block {number} of ({k},{h}) is another");
                    repaired += usize::from(arrived.len() < n);
                }
                None => unrepaired += n - arrived.len(),
            }
        }
        assert!(repaired > 500 && unrepaired > 500, "both happen: {repaired}, {unrepaired}");
        // The run went on for a second, some blocks more.
        let blocks = result.traffic("media", "blocks").unwrap();
        let told = result.traffic("media", "plr_after").unwrap() * blocks * n as f64;
        let rest = (blocks - BLOCKS as f64) * n as f64;
        assert!((0.0..=rest).contains(&(told - unrepaired as f64)), "{told} of {blocks} blocks, {unrepaired}");
    }
}

#[test]
fn bad_blocks_are_refused() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut network = network(16, 4, "poisson", 0.0, 1.0);
        change(&mut network["traffic"][0]);
        let faults = penstock_sim::check(&scenario(network), 1, &());
        faults.into_iter().map(|fault| fault.path).collect::<Vec<_>>()
    };
    assert_eq!(refused(&|media| media["fec"]["k"] = json!(0)), ["traffic.media.k"]);
    assert_eq!(refused(&|media| media["fec"]["h"] = json!(65_520)), ["traffic.media.h"]);
    assert_eq!(refused(&|media| media["udp"]["payload"] = json!({"exp": 500})), ["traffic.media.packet"]);
    assert_eq!(refused(&|media| media["kind"] = json!("cbr")), ["traffic.media.k"]);
}

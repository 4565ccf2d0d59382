//! Packets that are in transmission or in flight when the statistics start or end.

use penstock_sim::{Scenario, run};
use serde_json::{Value, json};

const MS: u64 = 1_000_000;

/// Datagrams of 1000 bytes at a constant rate over an access link of 100 Mbit/s and a watched link of 2 Mbit/s, where a
/// packet takes 4 ms; the watched link has further `keys`.
fn network(load: f64, (warmup, duration): (u64, u64), access_delay: u64, keys: &Value) -> Value {
    let mut link = json!({
        "name": "link", "from": "M", "to": "B", "rate": 2e6, "delay": 10 * MS, "watch": true,
        "queue": {"scheme": "droptail", "limit": {"packets": 5}},
    });
    link.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    json!({
        "duration_ns": duration, "warmup_ns": warmup,
        "links": [{"name": "access", "from": "A", "to": "M", "rate": 1e8, "delay": access_delay}, link],
        "traffic": [{
            "name": "load", "kind": "cbr", "count": 1, "from": ["A"], "to": ["B"],
            "start": {"first_ns": 0, "every_ns": 0, "jitter_ns": 0},
            "udp": {"rate": load, "payload": 1000, "headers": 0, "phase": "zero"},
        }],
    })
}

fn results(network: Value) -> Value {
    let scenario: Scenario = serde_json::from_value(network).expect("the network is canonical");
    serde_json::from_str(&run(&scenario, 1).expect("the network runs").to_json()).expect("results are JSON")
}

fn number(result: &Value, path: &str) -> f64 {
    result.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path} in {result}"))
}

/// Starts and ends of the statistics within packets, at their limits and within a single packet.
#[test]
fn a_saturated_link_is_used_fully_wherever_the_statistics_start_and_end() {
    for window in
        [(11 * MS, 21 * MS), (13 * MS, 18 * MS), (13 * MS, 14 * MS), (20_080_000, 60_080_000), (7, 30 * MS + 3)]
    {
        let mut keys = vec![json!({})];
        // The rate falls within a transmission, which keeps its own.
        keys.push(json!({"change": [{"when": {"at_ns": 15 * MS + 500}, "rate": 1e6}]}));
        for keys in keys {
            let result = results(network(8e6, window, 0, &keys));
            let busy_from = 80_000_u64.saturating_sub(window.0);
            let length = (window.1 - window.0) as f64;
            let expected = (length - busy_from as f64) / length;
            let used = number(&result, "/links/link/utilization");
            assert!(used <= 1.0 && (used - expected).abs() < 1e-3, "{used}, not {expected} in {window:?} with {keys}");
            if keys == json!({}) {
                let crossed = number(&result, "/traffic/load/throughput_bps");
                let bits = 2e6 * (length - busy_from as f64) / 1e9;
                assert!((crossed * length / 1e9 - bits).abs() <= 2.0, "{crossed} bit/s in {window:?}");
            }
        }
    }
}

/// 1500 bytes may leave every 4 ms: the statistics start and end at instants at which bytes leave, and beside them.
#[test]
fn recorded_capacity_is_used_fully_too() {
    for window in [(12 * MS, 40 * MS), (13 * MS, 41 * MS), (12 * MS, 16 * MS), (14 * MS, 18 * MS)] {
        let result = results(network(8e6, window, 0, &json!({"capacity_ms": [4]})));
        let (used, crossed) =
            (number(&result, "/links/link/utilization"), number(&result, "/traffic/load/throughput_bps"));
        assert!((used - 1.0).abs() < 1e-12, "{used} in {window:?}");
        assert!((crossed / 3e6 - 1.0).abs() < 1e-9, "{crossed} bit/s in {window:?}");
    }
}

/// An outage within a transmission: the transmission ends, and the silence after it is no capacity.
#[test]
fn an_outage_is_no_capacity_and_the_transmission_in_it_is() {
    let keys = json!({"outage": [{"at_ns": 22 * MS, "for_ns": 20 * MS}]});
    for window in [(10 * MS, 60 * MS), (10 * MS, 23 * MS), (23 * MS, 60 * MS), (30 * MS, 44 * MS)] {
        let used = number(&results(network(8e6, window, 0, &keys)), "/links/link/utilization");
        assert!((used - 1.0).abs() < 1e-12, "{used} in {window:?}");
    }
}

/// Packets sent before the warm-up and lost after it are not those of the statistics: of what is sent in them, all but
/// a quarter is lost, though eight times as much was on the way.
#[test]
fn no_more_packets_are_lost_than_were_sent() {
    let mut network = network(8e6, (200 * MS, 800 * MS), 100 * MS, &json!({}));
    network["traffic"][0]["stop_ns"] = json!(210 * MS);
    let result = results(network);
    let (sent, lost) = (number(&result, "/traffic/load/sent_pkts"), number(&result, "/traffic/load/lost_pkts"));
    assert!((9.0..=11.0).contains(&sent) && (6.0..=9.0).contains(&lost), "{lost} of {sent}");
    assert_eq!(number(&result, "/traffic/load/loss_rate"), lost / sent);
    // The queue counts all arrivals since the warm-up.
    assert!(number(&result, "/links/link/drops") > 70.0);
}

/// A window of 500 ms between two sampling instants 700 ms apart.
#[test]
fn without_a_sampling_instant_there_are_no_sampled_metrics() {
    let mut scenario = network(1.9e6, (1500 * MS, 2000 * MS), MS, &json!({}));
    scenario["sampling_ns"] = json!(700 * MS);
    let link = &results(scenario)["links"]["link"];
    for metric in ["length_sampled_mean_pkts", "length_sampled_var_pkts2", "sampled_empty_share", "sampled_length_pmf"]
    {
        assert!(link[metric].is_null(), "{metric} is {}", link[metric]);
    }
    assert!(link["length_mean_pkts"].is_number());
}

#[test]
fn the_mean_of_the_aqm_s_average_does_not_depend_on_the_sampling_of_the_length() {
    let mean = |sampling: u64| {
        let keys = json!({"queue": {"scheme": "red", "limit": {"packets": 40}}});
        let mut scenario = network(2.1e6, (MS, 20_000 * MS), MS, &keys);
        scenario["sampling_ns"] = json!(sampling);
        number(&results(scenario), "/links/link/average_mean_pkts")
    };
    assert!(mean(10 * MS) > 1.0);
    assert_eq!(mean(10 * MS), mean(1000 * MS));
    assert_eq!(mean(10 * MS), mean(3 * MS));
}

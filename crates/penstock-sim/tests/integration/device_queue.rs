//! A device queue below the discipline: it hides its delay from the AQM, and the statistics count it.

use penstock_sim::{Scenario, run};
use serde_json::{Value, json};

const MS: u64 = 1_000_000;

/// Four long TCPs over a watched link of 2 Mbit/s, where a packet takes 6 ms, with CoDel and further `keys`.
fn results(keys: &Value) -> Value {
    let mut link = json!({
        "name": "link", "from": "A", "to": "B", "rate": 2e6, "delay": 20 * MS, "watch": true,
        "queue": {"scheme": "codel", "limit": {"packets": 200}},
    });
    link.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    let scenario = json!({
        "duration_ns": 60_000 * MS, "warmup_ns": 5000 * MS,
        "links": [link, {"name": "back", "from": "B", "to": "A", "rate": 1e8, "delay": 20 * MS}],
        "traffic": [{
            "name": "bulk", "kind": "tcp", "count": 4, "from": ["A"], "to": ["B"],
            "start": {"first_ns": 0, "every_ns": 500 * MS, "jitter_ns": 0},
            "tcp": {"profile": "linux", "flavour": "cubic"},
        }],
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("the scenario is canonical");
    // The run checks that packets and bytes are conserved.
    serde_json::from_str(&run(&scenario, 1).expect("it runs").to_json()).expect("results are JSON")
}

fn link(result: &Value, metric: &str) -> f64 {
    result["links"]["link"][metric].as_f64().unwrap_or_else(|| panic!("{metric} in {result}"))
}

/// Ten packets below CoDel add up to 60 ms, which it does not see: the delay above them is no longer than without them, and the
/// reported delay has both.
#[test]
fn codel_does_not_see_the_delay_below_it() {
    let (plain, device) = (results(&json!({})), results(&json!({"device_queue": {"packets": 10}})));
    let (bare, both) = (link(&plain, "delay_mean_s"), link(&device, "delay_mean_s"));
    assert!(both > bare + 0.75 * 0.060 && both - 0.060 < bare, "{bare} s, {both} s");
    assert!(link(&device, "drops_sojourn") < link(&plain, "drops_sojourn"));
    for result in [&plain, &device] {
        assert!(link(result, "utilization") > 0.95);
        assert!(link(result, "drops_sojourn") > 0.0);
    }
}

/// With constant bit rate below the link's there is never more than one packet, and nothing to see of a device queue.
#[test]
fn at_low_load_a_device_queue_changes_nothing() {
    let result = |keys: &Value| {
        let mut scenario = json!({
            "duration_ns": 10_000 * MS, "warmup_ns": 0,
            // Without a device queue departures would be foreseen, which takes fewer events.
            "options": {"computed_links": false},
            "links": [{"name": "link", "from": "A", "to": "B", "rate": 2e6, "delay": 20 * MS, "watch": true,
                "queue": {"scheme": "droptail", "limit": {"packets": 5}}}],
            "traffic": [{"name": "load", "kind": "cbr", "count": 1, "from": ["A"], "to": ["B"],
                "start": {"first_ns": 0, "every_ns": 0, "jitter_ns": 0},
                "udp": {"rate": 1e6, "payload": 1000, "headers": 0, "phase": "zero"}}],
        });
        scenario["links"][0].as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        let scenario: Scenario = serde_json::from_value(scenario).expect("the scenario is canonical");
        run(&scenario, 1).expect("it runs").to_json()
    };
    let plain = result(&json!({}));
    assert_eq!(plain, result(&json!({"device_queue": {"packets": 3}})));
    assert_eq!(plain, result(&json!({"device_queue": {"bytes": 3000}})));
}

/// Drop-tail of 5 packets and a device queue of 3, under twice the rate: 8 packets wait, and each departure has waited for as
/// many, 8 times 4 ms, up to the rest of the packet in transmission when it arrived.
#[test]
fn the_statistics_count_the_packets_below_the_discipline() {
    for (device, below) in [(json!({"packets": 3}), 3.0), (json!({"bytes": 2500}), 3.0), (json!({"bytes": 2000}), 2.0)]
    {
        let scenario = json!({
            "duration_ns": 20_000 * MS, "warmup_ns": 1000 * MS,
            "links": [
                {"name": "access", "from": "S", "to": "A", "rate": 1e8, "delay": MS},
                {"name": "link", "from": "A", "to": "B", "rate": 2e6, "delay": 20 * MS, "watch": true,
                    "queue": {"scheme": "droptail", "limit": {"packets": 5}}, "device_queue": device},
            ],
            "traffic": [{"name": "load", "kind": "cbr", "count": 1, "from": ["S"], "to": ["B"],
                "start": {"first_ns": 0, "every_ns": 0, "jitter_ns": 0},
                "udp": {"rate": 4e6, "payload": 1000, "headers": 0, "phase": "zero"}}],
        });
        let scenario: Scenario = serde_json::from_value(scenario).expect("the scenario is canonical");
        let result: Value = serde_json::from_str(&run(&scenario, 1).expect("it runs").to_json()).unwrap();
        let most = 5.0 + below;
        let waiting = link(&result, "length_mean_pkts");
        assert!(waiting > most - 1.0 && waiting <= most, "{waiting} of {most}");
        let delay = link(&result, "delay_mean_s");
        assert!(delay > 0.004 * (most - 1.0) && delay <= 0.004 * most, "{delay} s");
        // Little's law: the rate of departures is 250 packets a second.
        assert!((waiting - 250.0 * delay).abs() < 0.01, "{waiting} packets, {delay} s");
        assert!((link(&result, "utilization") - 1.0).abs() < 1e-9);
    }
}

/// A shaper at half the link's rate spaces the packets: none waits below it, and those that it holds do not wait in the queue.
#[test]
fn packets_in_a_shaper_do_not_wait_in_the_queue() {
    let result = |keys: &Value| {
        let mut scenario = json!({
            "duration_ns": 10_000 * MS, "warmup_ns": 0,
            "links": [{"name": "link", "from": "A", "to": "B", "rate": 2e6, "delay": 20 * MS, "watch": true,
                "edge": [{"kind": "shaper", "params": {"rate": 1e6}}],
                "queue": {"scheme": "droptail", "limit": {"packets": 5}}}],
            "traffic": [{"name": "load", "kind": "cbr", "count": 1, "from": ["A"], "to": ["B"],
                "start": {"first_ns": 0, "every_ns": 0, "jitter_ns": 0},
                "udp": {"rate": 1.5e6, "payload": 1000, "headers": 0, "phase": "zero"}}],
        });
        scenario["links"][0].as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        let scenario: Scenario = serde_json::from_value(scenario).expect("the scenario is canonical");
        run(&scenario, 1).expect("packets are conserved").to_json()
    };
    assert_eq!(result(&json!({})), result(&json!({"device_queue": {"packets": 3}})));
}

/// A shaper at ten times the link's rate releases a packet of 1000 bytes every 0.4 ms, of which each takes 4 ms on the link. Of a
/// burst of 4, the first is in transmission, and two more are in the device queue after 0.8 ms, as far below 4 ms as a packet
/// that arrives after 2 ms: it finds one packet in the queue, which has room for two.
#[test]
fn a_device_queue_is_filled_when_the_discipline_releases_a_packet() {
    let source = |name: &str, count: u32, first: u64| {
        json!({"name": name, "kind": "cbr", "count": count, "from": ["A"], "to": ["B"],
            "start": {"first_ns": first, "every_ns": 0, "jitter_ns": 0}, "stop_ns": first + MS,
            "udp": {"rate": 8e5, "payload": 1000, "headers": 0, "phase": "zero"}})
    };
    let scenario = json!({
        "duration_ns": 1000 * MS, "warmup_ns": 0,
        "links": [{"name": "link", "from": "A", "to": "B", "rate": 2e6, "delay": 20 * MS, "watch": true,
            "device_queue": {"packets": 2},
            "queue": {"scheme": "shaper", "limit": {"packets": 3}, "params": {"rate": 2e7}}}],
        "traffic": [source("burst", 4, 0), source("late", 2, 2 * MS)],
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("the scenario is canonical");
    let result: Value = serde_json::from_str(&run(&scenario, 1).expect("it runs").to_json()).expect("results are JSON");
    assert_eq!((link(&result, "arrivals"), link(&result, "drops_overflow")), (6.0, 0.0), "{result}");
}

#[test]
fn a_device_queue_needs_a_queue_above_it() {
    let scenario = json!({
        "duration_ns": 1000 * MS,
        "links": [{"name": "link", "from": "A", "to": "B", "rate": 2e6, "delay": MS, "device_queue": {"packets": 3}}],
        "traffic": [],
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("the scenario is canonical");
    let error = format!("{:?}", run(&scenario, 1).expect_err("there is no queue"));
    assert!(error.contains("links.link.device_queue") && error.contains("needs a queue above it"), "{error}");
}

//! ECN-capable ACKs of a scalable flow (RFC 8257, section 5; RFC 9331, appendix A.2.1) on a congested return path.

use penstock_sim::{Scenario, run};
use serde_json::{Value, json};

/// Queueing delay in the round-trip time, in ms, and goodput, in Mbit/s, of a `flavour` flow from A to B. Four CUBIC
/// uploads fill the other direction, and both links have DualPI2.
fn download(flavour: &str, settings: &Value) -> (f64, f64) {
    let link = |name: &str, from: &str, to: &str| {
        json!({"name": name, "from": from, "to": to, "rate": 4e7, "delay": 10_000_000, "watch": true,
            "queue": {"scheme": "dualpi2", "limit": {"packets": 1000}}})
    };
    let tcp = |name: &str, from: &str, to: &str, count: u64, flavour: &str, settings: &Value| {
        json!({"name": name, "kind": "tcp", "count": count, "from": [from], "to": [to],
            "start": {"first_ns": 0, "every_ns": 0, "jitter_ns": 0},
            "tcp": {"profile": "linux", "flavour": flavour, "settings": settings}})
    };
    let network = json!({
        "duration_ns": 20_000_000_000_u64, "warmup_ns": 5_000_000_000_u64,
        "links": [link("down", "A", "B"), link("up", "B", "A")],
        "traffic": [tcp("down", "A", "B", 1, flavour, settings), tcp("up", "B", "A", 4, "cubic", &json!({}))],
    });
    let scenario: Scenario = serde_json::from_value(network).expect("the network is canonical");
    let result: Value = serde_json::from_str(&run(&scenario, 1).expect("it runs").to_json()).expect("results are JSON");
    let number = |path: &str| result.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path}"));
    (number("/traffic/down/rtt_mean_s") * 1e3 - 20.0, number("/traffic/down/goodput_bps") / 1e6)
}

#[test]
fn acks_of_prague_wait_in_the_l4s_queue_unless_the_rule_of_rfc_3168_is_selected() {
    let (capable, not) = (download("prague", &json!({})), download("prague", &json!({"ecn_control": false})));
    // L4S packets wait at most a millisecond on average, Classic packets the target of 15 ms (RFC 9332, section 2.4).
    assert!(capable.0 < 3.0, "{capable:?}");
    assert!((10.0..25.0).contains(&not.0), "{not:?}");
    assert!(capable.1 > 30.0, "{capable:?}");
}

#[test]
fn marks_of_acks_change_nothing_but_the_acks() {
    // ECT(0) packets of DCTCP share the Classic queue, which marks them.
    let (capable, not) = (download("dctcp", &json!({})), download("dctcp", &json!({"ecn_control": false})));
    assert!((capable.1 / not.1 - 1.0).abs() < 0.1, "{capable:?} {not:?}");
}

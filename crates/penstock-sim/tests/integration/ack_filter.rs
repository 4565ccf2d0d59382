//! CAKE's ACK filter on a slow uplink under a download.
//!
//! 20 Mbit/s downstream carry 1667 packets of 1500 bytes per second, which cause 833 ACKs per second; 500 kbit/s upstream
//! carry 590 ACKs of 106 bytes per second, two cells of ATM.

use penstock_sim::{Scenario, run};
use serde_json::{Value, json};

/// Bits per second of 590 ACKs of 40 bytes: an ACK takes as long as one of 106 bytes at 500 kbit/s.
const UPLINK: f64 = 500e3 * 40.0 / 106.0;

/// A download over CAKE in both directions for 20 s; the filter is on the uplink.
fn download(ack_filter: &str, ecn: bool, edge: &Value) -> Value {
    let cake = |rate: f64, filter: &str| {
        json!({"scheme": "cake", "limit": {"packets": 10_000},
            "params": {"bandwidth": rate, "ack_filter": filter}})
    };
    let link = |name: &str, from: &str, to: &str, rate: f64, queue: Value, edge: &Value| {
        json!({"name": name, "from": from, "to": to, "rate": rate, "delay": 10e6, "queue": queue, "edge": edge,
            "watch": true})
    };
    json!({
        "duration_ns": 20_000_000_000_u64,
        "warmup_ns": 5_000_000_000_u64,
        "links": [
            link("down", "S", "D", 21e6, cake(20e6, "off"), &json!([])),
            link("up", "D", "S", 1.05 * UPLINK, cake(UPLINK, ack_filter), edge),
        ],
        "traffic": [{"name": "download", "kind": "tcp", "count": 1, "from": ["S"], "to": ["D"],
            "tcp": {"flavour": "cubic", "profile": "linux", "settings": {"ecn": ecn}}}],
    })
}

fn result(scenario: Value) -> Value {
    let scenario: Scenario = serde_json::from_value(scenario).unwrap();
    serde_json::from_str(&run(&scenario, 1).unwrap().to_json()).unwrap()
}

fn count(result: &Value, link: &str, metric: &str) -> u64 {
    result["links"][link][metric].as_u64().unwrap_or(0)
}

fn number(result: &Value, link: &str, metric: &str) -> f64 {
    result["links"][link][metric].as_f64().unwrap()
}

/// ACKs that the uplink can send in the 15 s of the statistics.
const CAPACITY: f64 = UPLINK / 320.0 * 15.0;

#[test]
fn a_filter_removes_the_acks_for_which_a_slow_uplink_has_no_room() {
    for (filter, most_delay) in [("conservative", 0.005), ("aggressive", 0.002)] {
        let result = result(download(filter, false, &json!([])));
        let [arrivals, drops, filtered] =
            ["arrivals", "drops", "filtered_acks"].map(|metric| count(&result, "up", metric) as f64);
        assert!(drops == 0.0, "{filter}: {drops} lost");
        // A download of 20 of 21 Mbit/s causes 833 ACKs per second, of which 29 % do not fit; a few more come one by one.
        let (share, too_many) = (filtered / arrivals, 1.0 - CAPACITY / arrivals);
        assert!((share - too_many).abs() < 0.01 && (0.28..0.33).contains(&share), "{filter}: {share}, {too_many}");
        assert!(number(&result, "down", "utilization") > 0.97 * 20.0 / 21.0, "{filter}");
        assert!(number(&result, "up", "delay_mean_s") < most_delay, "{filter}");
        assert_eq!(number(&result, "up", "loss_rate"), 0.0);
    }
}

#[test]
fn without_a_filter_acks_wait_and_are_lost_and_the_download_suffers() {
    let result = result(download("off", false, &json!([])));
    assert!(count(&result, "up", "drops") > 1000 && result["links"]["up"].get("filtered_acks").is_none());
    assert!(number(&result, "up", "delay_mean_s") > 0.1);
    assert!(number(&result, "down", "utilization") < 0.85);
}

#[test]
fn a_filter_keeps_congestion_signals_of_ecn() {
    let result = result(download("aggressive", true, &json!([])));
    assert_eq!((count(&result, "down", "drops"), count(&result, "up", "drops")), (0, 0));
    assert!(count(&result, "down", "marks") > 5 && count(&result, "up", "filtered_acks") > 1000);
    assert!(number(&result, "down", "utilization") > 0.9);
}

#[test]
fn a_filter_behind_a_shaper_of_the_edge_is_refused() {
    let shaper = json!([{"kind": "shaper", "params": {"rate": 1e6, "burst": {"bytes": 2000}}}]);
    let scenario: Scenario = serde_json::from_value(download("aggressive", false, &shaper)).unwrap();
    let errors = run(&scenario, 1).err().unwrap();
    assert!(format!("{errors:?}").contains("ACK filter"), "{errors:?}");
    assert!(run(&serde_json::from_value(download("off", false, &shaper)).unwrap(), 1).is_ok());
}

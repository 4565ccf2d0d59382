//! One-way delays and jitter of datagrams, against closed forms and against the delays that the queue reports.

use penstock_sim::{Scenario, run};
use serde_json::{Value, json};

const MS: u64 = 1_000_000;

/// Sends datagrams of 1000 bytes at `rate` over a watched link of 10 Mbit/s and 20 ms. `keys` are further keys of the link,
/// `more` those of the traffic group.
fn results(rate: f64, keys: &Value, more: &Value) -> Value {
    let mut link = json!({"name": "link", "from": "A", "to": "B", "rate": 1e7, "delay": 20 * MS, "watch": true});
    link.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    let mut group = json!({
        "name": "load", "kind": "cbr", "count": 1, "from": ["A"], "to": ["B"],
        "start": {"first_ns": 0, "every_ns": 0, "jitter_ns": 0},
        "udp": {"rate": rate, "payload": 1000, "headers": 0, "phase": "zero"},
    });
    group.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let scenario = json!({"duration_ns": 100_000 * MS, "warmup_ns": 1000 * MS, "links": [link], "traffic": [group]});
    let scenario: Scenario = serde_json::from_value(scenario).expect("the scenario is canonical");
    serde_json::from_str(&run(&scenario, 1).expect("it runs").to_json()).expect("results are JSON")
}

fn number(result: &Value, path: &str) -> f64 {
    result.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path} in {result}"))
}

fn load(result: &Value, metric: &str) -> f64 {
    number(result, &format!("/traffic/load/{metric}"))
}

/// 0.8 ms of transmission and 20 ms of propagation.
#[test]
fn an_idle_link_delays_all_datagrams_alike() {
    let result = results(1e6, &json!({}), &json!({}));
    assert!((load(&result, "owd_mean_s") - 0.0208).abs() < 1e-12);
    assert_eq!((load(&result, "owd_sd_s"), load(&result, "jitter_mean_s")), (0.0, 0.0));
    for metric in ["owd_p50_s", "owd_p95_s", "owd_p99_s"] {
        assert!((load(&result, metric) / 0.0208 - 1.0).abs() < 0.005, "{metric}");
    }
}

/// Independent delays J, uniform on [0, a] and shorter than the intervals of 8 ms: the standard deviation of J is a / sqrt(12),
/// the mean of |J - J'| a / 3.
#[test]
fn uniform_delays_have_their_deviation_and_their_mean_difference() {
    let a = 0.006;
    let result = results(1e6, &json!({"jitter": {"uniform": [0, 6 * MS]}}), &json!({}));
    // Standard errors for 12 375 datagrams: less than 1 % of each.
    assert!((load(&result, "owd_mean_s") - (0.0208 + a / 2.0)).abs() < 0.02 * a / 2.0);
    assert!((load(&result, "owd_sd_s") / (a / 12_f64.sqrt()) - 1.0).abs() < 0.02);
    assert!((load(&result, "jitter_mean_s") / (a / 3.0) - 1.0).abs() < 0.02);
    assert!((load(&result, "owd_p95_s") / (0.0208 + 0.95 * a) - 1.0).abs() < 0.01);
}

/// What the queue reports, and 20.8 ms.
#[test]
fn the_delay_of_a_single_queue_is_its_own_and_that_of_the_link() {
    let poisson = json!({"kind": "poisson", "count": 3});
    let result = results(3e6, &json!({"queue": {"scheme": "droptail", "limit": "inf"}}), &poisson);
    let queued = number(&result, "/links/link/delay_mean_s");
    assert!(queued > 0.003, "{queued}");
    // Few datagrams are in the queue or in flight at either end of the statistics.
    assert!((load(&result, "owd_mean_s") - queued - 0.0208).abs() < 0.002 * queued);
    let spread = number(&result, "/links/link/delay_sd_s");
    assert!((load(&result, "owd_sd_s") / spread - 1.0).abs() < 0.002);
}

/// Without a delivered datagram there is no delay, and with a single one no jitter.
#[test]
fn delays_that_were_not_measured_are_left_out() {
    let silent = results(1e6, &json!({}), &json!({"stop_ns": 500 * MS}));
    assert!(silent["traffic"]["load"].get("owd_mean_s").is_none_or(Value::is_null));
    let single = results(
        1e6,
        &json!({}),
        &json!({"start": {"first_ns": 99_970 * MS, "every_ns": 0, "jitter_ns": 0}, "stop_ns": 99_971 * MS}),
    );
    assert!(load(&single, "owd_mean_s") > 0.0);
    assert!(single["traffic"]["load"].get("jitter_mean_s").is_none_or(Value::is_null));
}

//! The state of TCP senders over time.

use penstock_sim::{Scenario, run};
use serde_json::{Value, json};

const MS: u64 = 1_000_000;

/// One flow with round trips of 100 ms over a fast link; the series has a point each 10 ms.
fn network(profile: &str, flavour: &str, settings: &Value, loss: &Value) -> Value {
    json!({
        "duration_ns": 5000 * MS, "sampling_ns": 10 * MS,
        "links": [{
            "name": "link", "from": "A", "to": "B", "rate": 1e10, "delay": 50 * MS, "watch": true, "loss": loss,
            "queue": {"scheme": "droptail", "limit": "inf"},
        }, {"name": "back", "from": "B", "to": "A", "rate": 1e10, "delay": 50 * MS}],
        "traffic": [{
            "name": "flow", "kind": "tcp", "count": 1, "from": ["A"], "to": ["B"], "watch": true,
            "start": {"first_ns": 200 * MS, "every_ns": 0, "jitter_ns": 0},
            "tcp": {"profile": profile, "flavour": flavour, "settings": settings},
        }],
        "options": {"series": true},
    })
}

fn results(network: &Value) -> Value {
    let scenario: Scenario = serde_json::from_value(network.clone()).expect("the network is canonical");
    serde_json::from_str(&run(&scenario, 1).expect("the network runs").to_json()).expect("results are JSON")
}

/// The points of a gauge of the flow.
fn points(result: &Value, gauge: &str, part: &str) -> Vec<Option<f64>> {
    let values = &result["senders"]["flow"][0][gauge][part];
    values.as_array().unwrap_or_else(|| panic!("no {gauge}")).iter().map(Value::as_f64).collect()
}

/// RFC 5681, section 3.1: slow start doubles the window in each round trip, from the initial window.
#[test]
fn slow_start_doubles_the_window_in_each_round_trip() {
    let settings = json!({"initial_window": 2, "syn": false, "window": 1000, "delayed_ack": false});
    let mut network = network("linux", "newreno", &settings, &Value::Null);
    network["duration_ns"] = json!(1000 * MS);
    let result = results(&network);
    let cwnd = points(&result, "cwnd", "max");
    assert_eq!(result["senders"]["flow"][0]["t_ns"][99], json!(1000 * MS));
    assert!(cwnd[..20].iter().all(Option::is_none), "a window before the start: {cwnd:?}");
    for (trip, expected) in [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0].into_iter().enumerate() {
        // 50 to 60 ms after the ACKs of the round trip.
        assert_eq!(cwnd[20 + 10 * trip + 5], Some(expected), "round trip {trip}: {cwnd:?}");
    }
    // The first round trip is not measured before its end.
    let srtt = points(&result, "srtt", "mean");
    assert!(srtt[28].is_none() && (srtt[35].unwrap() - 0.1).abs() < 2e-3, "{srtt:?}");
}

/// RFC 5681, equation 4: half of what is outstanding when the loss is seen.
#[test]
fn the_threshold_is_half_of_the_flight_after_a_loss() {
    let settings = json!({"window": 100_000, "initial_window": 2, "delayed_ack": false});
    let result = results(&network("ns2", "newreno", &settings, &json!({"arrivals": [100]})));
    let (cwnd, threshold) = (points(&result, "cwnd", "max"), points(&result, "ssthresh", "min"));
    let before = threshold[30].expect("a threshold from the start");
    let at = threshold.iter().position(|&value| value.is_some_and(|value| value < before)).expect("a reduction");
    let flight = cwnd[at].unwrap().max(cwnd[at - 1].unwrap());
    let halved = threshold[at].unwrap();
    assert!(flight > 60.0 && (halved - flight / 2.0).abs() <= 1.0, "{halved} of {flight}");
    // Afterwards the window is the threshold, and grows by a packet each round trip.
    let grown = cwnd[at + 45].unwrap() - cwnd[at + 35].unwrap();
    assert!((cwnd[at + 15].unwrap() - halved).abs() <= 2.0 && (grown - 1.0).abs() < 0.1, "{grown} from {halved}");
}

/// RFC 8257, section 3.3: without marks alpha is 1, 15/16, (15/16)^2, ...
#[test]
fn alpha_decays_by_a_sixteenth_in_each_window_without_marks() {
    let result = results(&network("linux", "dctcp", &json!({"window": 40}), &Value::Null));
    let (least, most) = (points(&result, "alpha", "min"), points(&result, "alpha", "max"));
    let known: Vec<f64> =
        least.iter().zip(&most).filter(|(low, high)| low == high).filter_map(|(low, _)| *low).collect();
    let steps: Vec<f64> = known.iter().map(|alpha| alpha.ln() / (15.0_f64 / 16.0).ln()).collect();
    assert!(steps.iter().all(|n| (n - n.round()).abs() < 1e-9), "{steps:?}");
    assert!(steps[0] == 0.0 && steps.is_sorted(), "{steps:?}");
    // 48 round trips, of which the first has no data.
    let last = steps.last().unwrap().round();
    assert!((44.0..=48.0).contains(&last), "{last}");
}

#[test]
fn only_watched_traffic_is_shown_and_nothing_else_changes() {
    let watched = network("linux", "cubic", &json!({"window": 200}), &json!({"rate": 0.001}));
    let mut silent = watched.clone();
    silent["traffic"][0]["watch"] = json!(false);
    let (mut shown, without) = (results(&watched), results(&silent));
    assert!(shown["senders"]["flow"][0]["cwnd"]["mean"].is_array());
    assert!(without.get("senders").is_none());
    shown.as_object_mut().unwrap().remove("senders");
    assert_eq!(shown, without);
}

#[test]
fn connections_that_come_and_go_cannot_be_watched() {
    let mut network = network("linux", "cubic", &json!({}), &Value::Null);
    network["traffic"][0]["transfers"] = json!({"size": 10, "unit": "packets"});
    let scenario: Scenario = serde_json::from_value(network).expect("the network is canonical");
    let errors = run(&scenario, 1).expect_err("it is refused").to_string();
    assert!(errors.contains("traffic.flow.watch"), "{errors}");
}

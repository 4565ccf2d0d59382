//! Classes in whole networks: resolution of their names, and the guarantees of schedulers.

use penstock_sim::{Scenario, run};
use serde_json::{Value, json};

/// Two groups of datagrams, each of which would fill the link, from two hosts to two others, through this queue.
fn network(queue: &Value) -> Value {
    let link = |name: &str, from: &str, to: &str, rate: f64, queue: &Value| json!({"name": name, "from": from, "to": to, "rate": rate, "delay": 1e6, "queue": queue, "watch": !queue.is_null()});
    let group = |name: &str, from: &str, to: &str, count: u32, dscp: u8| json!({"name": name, "kind": "poisson", "count": count, "from": [from], "to": [to], "dscp": dscp, "udp": {"rate": 1_100_000.0 / f64::from(count), "payload": 972}});
    json!({
        "duration_ns": 20_000_000_000_u64, "warmup_ns": 2_000_000_000_u64,
        "links": [
            link("left", "S1", "R1", 1e8, &Value::Null), link("other", "S2", "R1", 1e8, &Value::Null),
            link("core", "R1", "R2", 1e6, queue),
            link("right", "R2", "D1", 1e8, &Value::Null), link("last", "R2", "D2", 1e8, &Value::Null),
        ],
        "traffic": [group("one", "S1", "D1", 1, 46), group("none", "S1", "D1", 1, 0), group("two", "S2", "D2", 3, 10)],
    })
}

fn wfq(first_match: &Value, second_match: &Value) -> Value {
    json!({"scheme": "wfq", "limit": {"packets": 200}, "params": {"classes": [
        {"name": "a", "match": first_match, "params": {"weight": 3.0, "limit": {"packets": 50}}},
        {"name": "b", "match": second_match, "params": {"weight": 1.0, "limit": {"packets": 50}}},
    ]}})
}

fn run_it(mut scenario: Value) -> Value {
    // The group in the middle is there for its number: flows of the third group begin at 1.
    scenario["traffic"][1]["count"] = json!(0);
    let scenario: Scenario = serde_json::from_value(scenario).unwrap();
    serde_json::from_str(&run(&scenario, 1).unwrap().to_json()).unwrap()
}

/// Part of the link that group `one` gets.
fn part(queue: &Value) -> f64 {
    let result = run_it(network(queue));
    let rate = |name: &str| result["traffic"][name]["goodput_bps"].as_f64().unwrap();
    rate("one") / (rate("one") + rate("two"))
}

#[test]
fn whatever_names_a_class_gives_it_its_weight() {
    let rest = json!({});
    for one in [
        json!({"traffic": ["one"]}),
        json!({"flow": [["one", 0]]}),
        json!({"traffic": ["one", "none"], "flow": [["one", 0], ["two", 1]]}),
        json!({"from": ["S1"]}),
        json!({"to": ["D1"]}),
        json!({"dscp": [46]}),
        json!({"from": ["S1", "S2"], "dscp": [46, 0], "protocol": [17], "ecn": ["not"], "size": [1000, 1000]}),
    ] {
        let share = part(&wfq(&one, &rest));
        assert!((share - 0.75).abs() < 0.005, "{one}: {share}");
    }
    // Class a takes group two.
    for two in
        [json!({"traffic": ["two"]}), json!({"flow": [["two", 0], ["two", 1], ["two", 2]]}), json!({"from": ["S2"]})]
    {
        let share = part(&wfq(&two, &rest));
        assert!((share - 0.25).abs() < 0.005, "{two}: {share}");
    }
}

#[test]
fn a_class_of_traffic_without_flows_takes_no_packet() {
    // All flows share the class for the rest, half and half.
    for nobody in
        [json!({"traffic": ["none"]}), json!({"traffic": ["one"], "flow": [["two", 0]]}), json!({"protocol": [6]})]
    {
        let share = part(&wfq(&nobody, &json!({})));
        assert!((share - 0.5).abs() < 0.05, "{nobody}: {share}");
    }
}

#[test]
fn an_aqm_in_a_class_works_on_that_class_alone() {
    let queue = json!({"scheme": "pq", "limit": {"packets": 500}, "params": {"classes": [
        {"name": "high", "match": {"traffic": ["two"]}, "params": {"rate": 250_000.0, "limit": {"packets": 60}}},
        {"name": "low", "queue": {"scheme": "bernoulli", "params": {"p": 0.5}}},
    ]}});
    let result = run_it(network(&queue));
    let figure = |name: &str, metric: &str| result["traffic"][name][metric].as_f64().unwrap();
    // Half of 1.1 Mbit/s get through the AQM of the low class; with 0.25 Mbit/s of the other that is no full link, so
    // the high class, which may be served without tokens too, gets the rest.
    let low = figure("one", "goodput_bps") / 972.0 * 1000.0;
    let high = figure("two", "goodput_bps") / 972.0 * 1000.0;
    assert!((low - 550_000.0).abs() < 60_000.0, "{low}");
    assert!((high - 450_000.0).abs() < 60_000.0, "{high}");
}

#[test]
fn names_that_are_none_are_told_with_their_path() {
    let class = json!({"traffic": ["oen"], "flow": [["tow", 1]], "from": ["S9"], "to": ["S9"], "ecn": ["cee"]});
    let scenario: Scenario = serde_json::from_value(network(&wfq(&class, &json!({})))).unwrap();
    let faults = penstock_sim::check(&scenario, 1, &());
    let paths: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
    let keys = ["traffic", "flow", "from", "to", "ecn"];
    for key in keys {
        assert!(paths.contains(&format!("links.core.queue.classes[0].match.{key}").as_str()), "{key}: {paths:?}");
    }
}

#[test]
fn a_wrong_setting_of_a_class_is_told_with_its_path() {
    let mut queue = wfq(&json!({"dscp": [46]}), &json!({}));
    queue["params"]["classes"][1]["params"]["weight"] = json!(-1.0);
    let scenario: Scenario = serde_json::from_value(network(&queue)).unwrap();
    let faults = penstock_sim::check(&scenario, 1, &());
    assert_eq!((faults.len(), faults[0].path.as_str()), (1, "links.core.queue.classes[1].weight"));
}

/// W. Feng et al., "The BLUE active queue management algorithms", section III: an idle link decreases p. The link of a class
/// is idle while others use it.
#[test]
fn the_idle_timer_of_an_aqm_runs_in_a_class_while_another_class_keeps_the_link_busy() {
    let blue = json!({"scheme": "blue", "params": {"d1": 0.02, "d2": 0.02, "freeze": {"ns": 10_000_000}}});
    let queue = json!({"scheme": "pq", "limit": {"packets": 500}, "params": {"classes": [
        {"name": "high", "match": {"traffic": ["one", "none"]}, "params": {"limit": {"packets": 20}}, "queue": blue},
        {"name": "low", "match": {}, "params": {"limit": {"packets": 60}}},
    ]}});
    let mut scenario = network(&queue);
    scenario["warmup_ns"] = json!(0);
    // a burst of three times the rate of the link for 5 s, and 10 s later a hundredth of the rate
    scenario["traffic"][0]["udp"]["rate"] = json!(3e6);
    scenario["traffic"][0]["stop_ns"] = json!(5_000_000_000_u64);
    scenario["traffic"][1]["udp"]["rate"] = json!(1e4);
    scenario["traffic"][1]["start"] = json!({"first_ns": 15_000_000_000_u64, "every_ns": 0, "jitter_ns": 0});
    let scenario: Scenario = serde_json::from_value(scenario).unwrap();
    let result: Value = serde_json::from_str(&run(&scenario, 1).unwrap().to_json()).unwrap();
    let loss = |name: &str| result["traffic"][name]["loss_rate"].as_f64().unwrap();
    assert!(loss("one") > 0.5, "{}", loss("one"));
    assert_eq!(loss("none"), 0.0);
}

//! Conditioners and shapers in whole networks: their effect on packets, and their invisibility to the queue behind
//! them.

use penstock_aqm::Cause;
use penstock_sim::trace::TraceEvent;
use penstock_sim::{Scenario, run, run_traced};
use serde_json::{Value, json};

/// Datagrams of 1000 bytes on the wire, 1 Mbit/s for 10 s, over a link with this edge and queue.
fn network(rate: f64, edge: &Value, queue: &Value) -> Value {
    let link = |name: &str, from: &str, to: &str, rate: f64, edge: &Value, queue: &Value| {
        let watch = name == "core";
        json!({"name": name, "from": from, "to": to, "rate": rate, "delay": 1e6, "edge": edge, "queue": queue, "watch": watch})
    };
    json!({
        "duration_ns": 10_000_000_000_u64,
        "links": [
            link("left", "S", "R1", 1e8, &json!([]), &Value::Null), link("core", "R1", "R2", rate, edge, queue),
            link("right", "R2", "D", 1e8, &json!([]), &Value::Null),
        ],
        "traffic": [{"name": "cbr", "kind": "cbr", "count": 1, "from": ["S"], "to": ["D"],
            "udp": {"rate": 1e6, "payload": 972}}],
    })
}

fn scenario(value: Value) -> Scenario {
    serde_json::from_value(value).unwrap()
}

fn run_it(value: Value) -> Value {
    serde_json::from_str(&run(&scenario(value), 1).unwrap().to_json()).unwrap()
}

fn count(result: &Value, metric: &str) -> u64 {
    result["links"]["core"][metric].as_u64().unwrap()
}

fn policer() -> Value {
    json!({"kind": "policer", "params": {"rate": 5e5, "burst": {"bytes": 2000}}})
}

#[test]
fn what_is_policed_is_no_drop_and_no_arrival_of_the_queue() {
    let result = run_it(network(1e7, &json!([policer()]), &json!({"scheme": "droptail", "limit": {"packets": 10}})));
    // 1250 packets come at 8 ms each, every other one has tokens, and the bucket starts with one more.
    let (policed, arrivals) = (count(&result, "policed"), count(&result, "arrivals"));
    assert_eq!((policed + arrivals, count(&result, "drops")), (1250, 0));
    assert!((625..=627).contains(&arrivals), "{arrivals}");
    assert_eq!(result["links"]["core"]["loss_rate"], json!(0.0));
    assert!(result["links"]["core"].get("drops_policed").is_none());
    // To the flow they are losses like all others.
    assert_eq!(result["traffic"]["cbr"]["lost_pkts"].as_u64(), Some(policed));
}

#[test]
fn a_trace_shows_why() {
    let policed = network(1e7, &json!([policer()]), &json!({"scheme": "droptail", "limit": {"packets": 10}}));
    let (result, trace) = run_traced(&scenario(policed), 1).unwrap();
    let drops: Vec<_> = trace.rows.iter().filter(|row| row.event == TraceEvent::Drop).collect();
    assert_eq!(drops.len() as f64, result.link("core", "policed").unwrap());
    assert!(drops.iter().all(|row| row.cause == Some(Cause::Policed) && row.link == 1));
}

#[test]
fn a_link_with_an_edge_is_never_computed_away() {
    // Neither watched nor with a queue: without its edge it would be.
    let mut policed = network(1e7, &json!([policer()]), &Value::Null);
    policed["links"][1]["watch"] = json!(false);
    assert!(run_it(policed)["traffic"]["cbr"]["lost_pkts"].as_u64().unwrap() > 600);
}

#[test]
fn the_queue_sees_the_codepoints_that_the_edge_set() {
    // The AQM for AF12 drops all, that for the rest nothing: the meter's colours decide.
    let queue = json!({"scheme": "pq", "limit": {"packets": 100}, "params": {"classes": [
        {"name": "out", "match": {"dscp": [12]}, "queue": {"scheme": "bernoulli", "params": {"p": 1.0}}},
        {"name": "rest"},
    ]}});
    let meter = json!({"kind": "token-bucket", "params": {"rate": 5e5, "burst": {"bytes": 2000}}});
    let result = run_it(network(1e7, &json!([meter]), &queue));
    let (early, departures) =
        (count(&result, "drops_early") + count(&result, "drops_forced"), count(&result, "departures"));
    assert_eq!((early + departures, count(&result, "policed")), (1250, 0));
    assert!((625..=627).contains(&departures), "{departures}");
}

#[test]
fn a_shaper_holds_packets_that_the_queue_does_not_count() {
    let shaper = json!({"kind": "shaper", "limit": {"packets": 20}, "params": {"rate": 5e5}});
    let result = run_it(network(1e7, &json!([shaper]), &json!({"scheme": "droptail", "limit": {"packets": 10}})));
    // A packet each 16 ms gets to the queue, 20 are held at the end, and the others found no room.
    let (arrivals, policed) = (count(&result, "arrivals"), count(&result, "policed"));
    assert!((624..=626).contains(&arrivals), "{arrivals}");
    assert_eq!(arrivals + policed + 20, 1250);
    assert!(result["links"]["core"]["length_mean_pkts"].as_f64().unwrap() < 1e-9);
}

#[test]
fn a_busy_link_does_not_delay_what_a_shaper_lets_go() {
    // Packets go on each 16 ms; the link needs 20 ms for each, so the queue grows by the difference in time: after
    // 10 s, 625 have come and 500 have left.
    let shaper = json!({"kind": "shaper", "params": {"rate": 5e5}});
    let result = run_it(network(4e5, &json!([shaper]), &json!({"scheme": "droptail", "limit": "inf"})));
    let (arrivals, departures) = (count(&result, "arrivals"), count(&result, "departures"));
    assert!((624..=626).contains(&arrivals), "{arrivals}");
    assert!((499..=501).contains(&departures), "{departures}");
}

#[test]
fn an_edge_that_does_nothing_changes_no_draw_of_the_aqm() {
    let queue = json!({"scheme": "bernoulli", "limit": {"packets": 10}, "params": {"p": 0.1}});
    let pass = json!({"kind": "classify", "params": {"classes": [{"name": "all", "params": {"action": "pass"}}]}});
    let tsw = json!({"kind": "tsw", "params": {"rate": 5e5}});
    let mut with = run_it(network(1e7, &json!([pass, tsw]), &queue));
    let without = run_it(network(1e7, &json!([]), &queue));
    // but that packets now have codepoints, of which the link tells
    with["links"]["core"].as_object_mut().unwrap().retain(|name, _| !name.starts_with("dscp_"));
    assert_eq!(with["links"], without["links"]);
}

#[test]
fn names_in_a_classifier_are_looked_up_and_faults_have_their_path() {
    let classify = |matches: Value| {
        json!([{"kind": "classify", "params": {"classes": [
            {"name": "gone", "match": matches, "params": {"action": "drop"}},
        ]}}])
    };
    let policed = |matches: Value| count(&run_it(network(1e7, &classify(matches), &Value::Null)), "policed");
    assert_eq!(policed(json!({"traffic": ["cbr"]})), 1250);
    assert_eq!(policed(json!({"from": ["S"], "to": ["D"]})), 1250);
    assert_eq!(policed(json!({"from": ["D"]})), 0);
    let faults = |edge: Value| -> Vec<String> {
        let scenario = scenario(network(1e7, &edge, &Value::Null));
        penstock_sim::check(&scenario, 1, &()).into_iter().map(|fault| fault.path).collect()
    };
    assert_eq!(faults(classify(json!({"traffic": ["cbx"]}))), ["links.core.edge[0].classes[0].match.traffic"]);
    let wrong = json!([policer(), {"kind": "tsw", "params": {"rate": -1.0}}, {"kind": "tswx"}]);
    assert_eq!(faults(wrong), ["links.core.edge[1].rate", "links.core.edge[2].kind"]);
}

#[test]
fn each_codepoint_has_its_counts_after_the_warm_up() {
    // In and out of profile by turns; packets out of profile are dropped.
    let queue = json!({"scheme": "pq", "limit": {"packets": 100}, "params": {"classes": [
        {"name": "out", "match": {"dscp": [12]}, "queue": {"scheme": "bernoulli", "params": {"p": 1.0}}},
        {"name": "rest"},
    ]}});
    let meter = json!({"kind": "token-bucket", "params": {"rate": 5e5, "burst": {"bytes": 2000}}});
    let mut value = network(1e7, &json!([meter]), &queue);
    value["warmup_ns"] = json!(5_000_000_000_u64);
    let result = run_it(value);
    let of = |metric: &str| ["dscp_af11", "dscp_af12"].map(|name| count(&result, &format!("{name}_{metric}")));
    assert_eq!(of("arrivals").iter().sum::<u64>(), count(&result, "arrivals"));
    assert_eq!(of("departures"), [count(&result, "departures"), 0]);
    assert_eq!(of("drops"), [0, count(&result, "drops")]);
    assert_eq!(of("marks"), [0, 0]);
    assert!((310..=315).contains(&count(&result, "dscp_af12_arrivals")));
    assert_eq!(result["links"]["core"]["dscp_af12_loss_rate"], json!(1.0));
    assert!(result["links"]["core"].get("dscp_default_arrivals").is_none());
}

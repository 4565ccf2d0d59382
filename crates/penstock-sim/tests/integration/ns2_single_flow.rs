//! The engine, links and losses around the TCPs: every transmission of one flow is ns-2.35's, with its time.
//!
//! The senders alone are held against the same reference in their own crate, on a network written for the test.

use penstock_sim::trace::TraceEvent;
use penstock_sim::{Kind, Scenario, run_traced};
use serde_json::{Value, json};

/// Scenario g of the reference: S -10 Mb/s 1 ms- R -1 Mb/s 20 ms- K, 1000-byte packets, losses in front of the bottleneck.
fn scenario(record: &Value) -> Scenario {
    let given = &record["params"];
    let flavour = match record["tcp"].as_str().unwrap_or_default() {
        "Sack1" => "sack".to_owned(),
        name => name.to_lowercase(),
    };
    let mut settings = json!({
        "window": given["window"].as_f64().unwrap_or(28.0),
        "packet": {"bytes": 1000}, "headers": {"bytes": 0}, "packets": 200,
        "min_rto": {"ns": (given["minrto"].as_f64().unwrap_or(0.2) * 1e9) as u64},
    });
    if given["syn"] == "false" {
        settings["syn"] = json!(false);
    }
    if given["delack"] == 1 {
        settings["delayed_ack"] = json!({"ns": 100_000_000});
    }
    let numbers = given["drops"].as_str().unwrap_or_default().split(',').filter(|number| !number.is_empty());
    let lost: Vec<u64> = numbers.map(|number| number.parse().expect("a number")).collect();
    // ns-2's drop-tail queue of limit L holds L - 1 waiting packets.
    let limit = json!({"packets": given["limit"].as_u64().unwrap_or(1000) - 1});
    let link = |name: &str, from: &str, to: &str, rate: f64, delay_ms: f64| json!({"name": name, "from": from, "to": to, "rate": rate, "delay": delay_ms * 1e6});
    let mut bottleneck = link("bottleneck", "R", "K", 1e6, 20.0);
    bottleneck["queue"] = json!({"scheme": "droptail", "limit": limit});
    bottleneck["loss"] = json!({"arrivals": lost});
    bottleneck["watch"] = json!(true);
    let links = [
        bottleneck,
        link("bottleneck.reverse", "K", "R", 1e6, 20.0),
        link("access", "S", "R", 1e7, 1.0),
        link("access.reverse", "R", "S", 1e7, 1.0),
    ];
    let flow = json!({"name": "flow", "kind": "tcp", "count": 1, "from": ["S"], "to": ["K"],
                      "tcp": {"profile": "ns2", "flavour": flavour, "settings": settings}});
    let whole = json!({"duration_ns": 60_000_000_000_u64, "links": links, "traffic": [flow]});
    serde_json::from_value(whole).expect("the scenario is canonical")
}

/// The first difference between our transmissions and those of ns-2, times within a microsecond.
fn difference(record: &Value) -> Option<String> {
    let (_, trace) = run_traced(&scenario(record), 1).expect("the scenario runs");
    let sent = trace.rows.iter().filter(|row| row.event == TraceEvent::Send && row.kind == Kind::Data);
    let ours: Vec<(f64, u64)> = sent.map(|row| (row.time.as_secs(), u64::from(row.seq))).collect();
    let theirs = record["send"].as_array().expect("a list");
    let theirs: Vec<(f64, u64)> =
        theirs.iter().map(|line| (line[0].as_f64().expect("a time"), line[1].as_u64().expect("a number"))).collect();
    if ours.len() != theirs.len() {
        return Some(format!("{} packets instead of {}", ours.len(), theirs.len()));
    }
    let differs = |(ours, theirs): &(&(f64, u64), &(f64, u64))| ours.1 != theirs.1 || (ours.0 - theirs.0).abs() > 1e-6;
    ours.iter().zip(&theirs).find(differs).map(|(ours, theirs)| format!("{ours:?} instead of {theirs:?}"))
}

#[test]
fn all_64_flows_are_ns2_s() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/ns2/single_flow.json");
    let text = std::fs::read_to_string(path).expect("the reference");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let records = file["records"].as_array().expect("a list");
    assert_eq!(records.len(), 64);
    let name = |record: &Value| format!("{} {}", record["tcp"], record["case"]);
    let wrong: Vec<String> =
        records.iter().filter_map(|record| difference(record).map(|how| format!("{}: {how}", name(record)))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! Packet by packet against ns-2.35 on random losses of data and acknowledgements, marks, windows, limits and receivers; for
//! the profiles of earlier years ns-2.35 ran with their settings.

use crate::ns2_path::{Faults, run};
use penstock_core::Span;
use penstock_core::param::Value;
use penstock_tcp::{Profile, TcpParams};
use serde_json::Value as Json;
use std::collections::BTreeSet;

fn numbers(list: &Json) -> BTreeSet<u32> {
    list.as_array().into_iter().flatten().map(|number| number.as_u64().expect("a number") as u32).collect()
}

fn params_of(case: &Json) -> (TcpParams, Faults) {
    let flavour = match case["tcp"].as_str().expect("a flavour") {
        "Sack1" => "sack".to_string(),
        name => name.to_lowercase(),
    };
    let mut settings = vec![
        ("flavour", Value::Text(flavour)),
        ("window", Value::Number(case["window"].as_f64().expect("a number"))),
        ("packets", Value::Number(case["n"].as_f64().expect("a number"))),
        ("headers", Value::Bytes(0.0)),
        ("min_rto", Value::Time(Span::from_secs(case["minrto"].as_f64().expect("a time")))),
        ("ecn", Value::Flag(case["ecn"] == 1)),
        ("syn", Value::Flag(case["syn"] != "false")),
        ("timestamps", Value::Flag(case["ts"] == 1)),
    ];
    if case["delack"] == 1 {
        settings.push(("delayed_ack", Value::Time(Span::from_millis(100))));
    }
    let settings: Vec<_> = settings.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    let profile = Profile::from_name(case["profile"].as_str().unwrap_or("ns2")).expect("a profile");
    let params = TcpParams::from_settings(profile, &settings).expect("legal settings");
    let limit = case["limit"].as_u64().unwrap_or(1000) as usize;
    let faults = Faults {
        drops: numbers(&case["drops"]),
        ack_drops: numbers(&case["acks"]),
        marks: numbers(&case["marks"]),
        waiting: limit - 1,
    };
    (params, faults)
}

/// The first difference between the sent packets and those of ns-2, with times in microseconds.
fn difference(record: &Json) -> Option<String> {
    let (params, faults) = params_of(&record["case"]);
    let ours = run(params, &faults, Span::from_secs(300.0));
    let (times, seqs) = (record["times"].as_array().expect("a list"), record["seqs"].as_array().expect("a list"));
    let (mut time, mut seq) = (0, 0);
    for (i, (later, further)) in times.iter().zip(seqs).enumerate() {
        time += later.as_i64().expect("a number");
        seq += further.as_i64().expect("a number");
        let sent = ours.sent.get(i).map(|s| (s.stamp.as_nanos() as f64 / 1e3, i64::from(s.seq)));
        if !sent.is_some_and(|(at, number)| number == seq && (at - time as f64).abs() <= 1.0) {
            return Some(format!("packet {i}: ns-2 sends {seq} at {time}, penstock {sent:?}"));
        }
    }
    (ours.sent.len() > times.len()).then(|| format!("penstock sends {} more", ours.sent.len() - times.len()))
}

#[test]
fn random_cases_are_those_of_ns2() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/ns2/random.json");
    let text = std::fs::read_to_string(path).expect("the reference file");
    let file: Json = serde_json::from_str(&text).expect("JSON");
    let records = file["records"].as_array().expect("a list");
    let mut wrong = Vec::new();
    for record in records {
        if let Some(difference) = difference(record) {
            wrong.push(format!("{}: {difference}", record["case"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases differ:\n{}", wrong.len(), records.len(), wrong.join("\n"));
}

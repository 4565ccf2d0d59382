//! Packet by packet against ns-2.35: every transmission of one flow, the scripted losses of scenario g of the reference.

use crate::ns2_path::{Faults, run};
use penstock_core::Span;
use penstock_core::param::Value;
use penstock_tcp::{Profile, TcpParams};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Times agree to within this.
const TOLERANCE_S: f64 = 1e-6;

fn numbers(list: &Json) -> BTreeSet<u32> {
    let text = list.as_str().unwrap_or_default();
    text.split(',').filter(|number| !number.is_empty()).map(|number| number.parse().expect("a number")).collect()
}

fn params_of(record: &Json) -> (TcpParams, Faults) {
    let given = &record["params"];
    let flavour = match record["tcp"].as_str().expect("a flavour") {
        "Sack1" => "sack".to_string(),
        name => name.to_lowercase(),
    };
    let window = given["window"].as_f64().unwrap_or(28.0);
    let mut settings = vec![
        ("flavour".to_string(), Value::Text(flavour)),
        ("window".to_string(), Value::Number(window)),
        ("packet".to_string(), Value::Bytes(1000.0)),
        ("headers".to_string(), Value::Bytes(0.0)),
        ("packets".to_string(), Value::Number(200.0)),
        ("min_rto".to_string(), Value::Time(Span::from_secs(given["minrto"].as_f64().expect("a time")))),
    ];
    if given["syn"] == "false" {
        settings.push(("syn".to_string(), Value::Flag(false)));
    }
    if given["delack"] == 1 {
        settings.push(("delayed_ack".to_string(), Value::Time(Span::from_millis(100))));
    }
    let params = TcpParams::from_settings(Profile::Ns2, &settings).expect("legal settings");
    // ns-2's drop-tail queue of limit L holds L - 1 waiting packets.
    let limit = given["limit"].as_u64().unwrap_or(1000) as usize;
    let faults = Faults { drops: numbers(&given["drops"]), waiting: limit - 1, ..Faults::default() };
    (params, faults)
}

/// The first difference between the sent packets and those of ns-2.
fn difference(record: &Json) -> Option<String> {
    let (params, faults) = params_of(record);
    let ours = run(params, &faults, Span::from_secs(60.0));
    let theirs = record["send"].as_array().expect("a list");
    for (i, line) in theirs.iter().enumerate() {
        let (time, seq) = (line[0].as_f64().expect("a time"), line[1].as_u64().expect("a number") as u32);
        match ours.sent.get(i) {
            None => return Some(format!("packet {i}: ns-2 sends {seq} at {time}, penstock nothing")),
            Some(s) if s.seq != seq || (s.stamp.as_secs() - time).abs() > TOLERANCE_S => {
                return Some(format!(
                    "packet {i}: ns-2 sends {seq} at {time}, penstock {} at {}",
                    s.seq,
                    s.stamp.as_secs()
                ));
            }
            Some(_) => {}
        }
    }
    (ours.sent.len() > theirs.len()).then(|| format!("penstock sends {} more", ours.sent.len() - theirs.len()))
}

#[test]
fn every_transmission_is_that_of_ns2() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/ns2/single_flow.json");
    let text = std::fs::read_to_string(path).expect("the reference file");
    let file: Json = serde_json::from_str(&text).expect("JSON");
    let records = file["records"].as_array().expect("a list");
    assert_eq!(records.len(), 64);
    let mut wrong = Vec::new();
    for record in records {
        if let Some(difference) = difference(record) {
            wrong.push(format!("{} {}: {difference}", record["tcp"], record["case"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases differ:\n{}", wrong.len(), records.len(), wrong.join("\n"));
}

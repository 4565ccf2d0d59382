//! Queues of every registered scheme, with random legal settings, as a scenario describes them.

use penstock_aqm::{SchemeInfo, find, schemes};
use penstock_core::Rng;
use penstock_core::param::{Default, Kind, ParamInfo};
use penstock_sim::Scenario;
use serde_json::{Map, Value, json};

/// The names of all queues to be tested: every scheme, and each AQM as the queue of a class of a scheduler.
pub(crate) fn names() -> Vec<String> {
    let alone = schemes().iter().map(|scheme| scheme.name.to_owned());
    let aqms = schemes().iter().filter(|scheme| scheme.build_aqm.is_some());
    let schedulers: Vec<&str> =
        schemes().iter().filter(|scheme| has_classes(scheme)).map(|scheme| scheme.name).collect();
    let in_class = aqms.enumerate().map(|(at, aqm)| format!("{} with {}", schedulers[at % schedulers.len()], aqm.name));
    alone.chain(in_class).collect()
}

fn has_classes(scheme: &SchemeInfo) -> bool {
    scheme.params.iter().any(|info| info.kind == Kind::Classes)
}

/// The queue with this name of [`names`], with random settings, or with its defaults if these are refused.
pub(crate) fn random_queue(name: &str, rng: &mut Rng) -> Value {
    let random = queue(name, &json!({"packets": 20 + rng.below(60)}), Some(rng));
    if is_legal(&random) { random } else { queue(name, &json!({"packets": 120}), None) }
}

/// The queue with this name of [`names`], with random settings if `rng` is given.
fn queue(name: &str, limit: &Value, mut rng: Option<&mut Rng>) -> Value {
    let (scheme, in_class) = name.split_once(" with ").map_or((name, None), |(scheme, aqm)| (scheme, Some(aqm)));
    let scheme = find(scheme).expect("the scheme is registered");
    let mut params = settings(scheme.params, rng.as_deref_mut());
    if has_classes(scheme) {
        let mut classes = Vec::new();
        for (class, dscp, aqm) in [("voice", vec![46], None), ("bulk", vec![10], in_class), ("rest", vec![], in_class)]
        {
            let own = settings(scheme.class_params, None);
            let mut class = json!({"name": class, "match": {"dscp": dscp}, "params": own});
            if let Some(aqm) = aqm.and_then(find) {
                class["queue"] = json!({"scheme": aqm.name, "params": settings(aqm.params, rng.as_deref_mut())});
            }
            classes.push(class);
        }
        params.insert("classes".to_owned(), json!(classes));
    }
    json!({"scheme": scheme.name, "limit": limit, "params": params})
}

/// Whether the settings of a queue are accepted on some link.
fn is_legal(queue: &Value) -> bool {
    let scenario = json!({"duration_ns": 1_000_000_000_u64, "links": [
        {"name": "link", "from": "A", "to": "B", "rate": 3e6, "delay": 1e6, "rtt_ns": 50_000_000, "queue": queue}], "traffic": []});
    let scenario: Scenario = serde_json::from_value(scenario).expect("the scenario is canonical");
    penstock_sim::check(&scenario, 1, &()).is_empty()
}

/// Required settings, and random ones where `rng` is given. Queues mark where they can.
fn settings(params: &[ParamInfo], mut rng: Option<&mut Rng>) -> Map<String, Value> {
    let mut settings = Map::new();
    for info in params.iter().filter(|info| info.kind != Kind::Classes) {
        let value = if info.default == Default::Required {
            Some(required(info))
        } else if info.name == "ecn" {
            Some(json!(true))
        } else {
            rng.as_deref_mut().and_then(|rng| if rng.below(3) == 0 { other_than_default(info, rng) } else { None })
        };
        settings.extend(value.map(|value| (info.name.to_owned(), value)));
    }
    settings
}

fn required(info: &ParamInfo) -> Value {
    let (low, high) = info.range.unwrap_or((0.0, 1.0));
    let tenth = low + 0.1 * (high.min(low + 100.0) - low);
    match info.kind {
        Kind::Rate => json!(2e6),
        Kind::Size => json!({"bytes": 20_000.0}),
        Kind::Length | Kind::LengthOrTime => json!({"packets": 10.0}),
        Kind::Time => json!({"ns": 10_000_000}),
        Kind::Integer => json!(tenth.ceil()),
        Kind::Choice(words) => json!(words[0]),
        Kind::Flag => json!(false),
        Kind::Number | Kind::Numbers => json!(tenth),
        Kind::Classes | Kind::Codepoints | Kind::Writes => unreachable!("no scheme requires them here"),
    }
}

fn other_than_default(info: &ParamInfo, rng: &mut Rng) -> Option<Value> {
    let factor = [0.3, 0.7, 1.5, 4.0][rng.below(4) as usize];
    Some(match (info.kind, info.default) {
        (Kind::Flag, _) => json!(rng.below(2) == 0),
        (Kind::Choice(words), _) => json!(words[rng.below(words.len() as u64) as usize]),
        (Kind::Number | Kind::Rate, Default::Number(x)) => json!(x * factor),
        (Kind::Integer, Default::Number(x)) => json!((x * factor).ceil()),
        (Kind::Size, Default::Number(x)) => json!({"bytes": (x * factor).ceil()}),
        (Kind::Length | Kind::LengthOrTime, Default::Number(x)) => json!({"packets": (x * factor).ceil()}),
        (Kind::Time, Default::Nanos(nanos)) => json!({"ns": (nanos as f64 * factor) as u64}),
        _ => return None,
    })
}

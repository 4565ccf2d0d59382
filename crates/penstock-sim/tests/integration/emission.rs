//! The traffic for real senders against the traffic that simulated senders send.

use penstock_core::{Ecn, Time};
use penstock_sim::trace::{TraceEvent, TraceRow};
use penstock_sim::{ConnectionSource, Emission, EmissionSource, Kind, Scenario, emissions, run, run_traced};
use serde_json::{Value, json};

const SECOND: u64 = 1_000_000_000;

/// Traffic over a fast link of 5 ms.
fn scenario(traffic: &Value) -> Scenario {
    let link = |name: &str, from: &str, to: &str| json!({"name": name, "from": from, "to": to, "rate": 1e9, "delay": 5e6, "watch": true});
    let links = [link("link", "S", "D"), link("link.reverse", "D", "S")];
    serde_json::from_value(json!({"duration_ns": 20 * SECOND, "links": links, "traffic": traffic})).unwrap()
}

fn group(name: &str, kind: &str, keys: &Value) -> Value {
    let mut group = json!({"name": name, "kind": kind, "count": 2, "from": ["S"], "to": ["D"]});
    group.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    group
}

/// The packets that flow `number` of the scenario sent.
fn sent(rows: &[TraceRow], number: usize) -> impl Iterator<Item = &TraceRow> {
    rows.iter().filter(move |row| row.event == TraceEvent::Send && row.kind != Kind::Ack && row.flow as usize == number)
}

#[test]
fn datagrams_are_those_of_the_simulation() {
    let start = json!({"first_ns": SECOND, "every_ns": SECOND, "jitter_ns": SECOND});
    let udp = json!({"rate": 2e5, "payload": {"uniform": [100, 900]}, "headers": 28, "phase": "random", "jitter": 0.2});
    let plain = json!({"rate": 4e5, "payload": 500, "headers": 28, "phase": "random"});
    let video = json!({"rate": 5e5, "fps": 25.0, "gop": "IBBPBB", "sizes": [5.0, 3.0, 1.0], "variation": 0.3,
        "payload": 1000, "headers": 28, "phase": "random", "unit": "frame", "dependence": false});
    let traffic = json!([
        group("cbr", "cbr", &json!({"udp": udp, "start": start})),
        group("poisson", "poisson", &json!({"udp": plain, "start": start, "stop_ns": 9 * SECOND})),
        group(
            "fec",
            "fec",
            &json!({"udp": {"rate": 4e5, "payload": 500, "headers": 28}, "fec": {"k": 4, "h": 2, "spacing": "poisson"}})
        ),
        group(
            "bursts",
            "onoff",
            &json!({"udp": plain, "onoff": {"on": {"exp": 3e8}, "unit": "time", "off": {"exp": 2e8}}})
        ),
        group("video", "video", &json!({"video": video})),
    ]);
    let scenario = scenario(&traffic);
    let (_, trace) = run_traced(&scenario, 3).unwrap();
    let all = emissions(&scenario, 3).unwrap();
    assert_eq!(all.len(), 10);
    for (number, emission) in all.iter().enumerate() {
        let EmissionSource::Datagrams(datagrams) = &emission.source else { panic!("flow {number} sends datagrams") };
        let expected: Vec<(Time, u32)> = sent(&trace.rows, number).map(|row| (row.time, row.size)).collect();
        assert!(expected.len() > 100, "flow {number}: {}", expected.len());
        let emitted: Vec<(Time, u32)> = datagrams.iter().map(|datagram| (datagram.at, datagram.size)).collect();
        assert_eq!(emitted, expected, "flow {number}");
        assert_eq!((emission.group, emission.copy), (number / 2, number as u32 % 2));
    }
    let other = emissions(&scenario, 4).unwrap();
    let first = |all: &[Emission]| all.iter().map(|flow| flow.start).collect::<Vec<_>>();
    assert_ne!(first(&all), first(&other));
}

/// The connections of a session whose data is delivered in no time: times, sizes.
fn opened(session: &mut ConnectionSource, until: Time) -> Vec<(Time, u64)> {
    let mut all = Vec::new();
    while let Some(now) = session.next().filter(|now| *now < until) {
        let mut open = session.on_time(now);
        while let Some(connection) = open.pop() {
            all.extend((!connection.request).then_some((now, connection.bytes)));
            open.extend(session.on_end(now, connection.tag).0);
        }
    }
    all
}

#[test]
fn connections_start_when_they_do_in_the_simulation() {
    let tcp = json!({"profile": "linux", "flavour": "cubic", "settings": {"packet": {"bytes": 1000}}});
    let start = json!({"uniform_ns": [SECOND, 5 * SECOND]});
    let transfers = json!({"size": {"pareto": 2e4, "shape": 1.5}, "unit": "bytes", "arrivals": {"exp": 3e8}});
    let traffic = json!([
        group("bulk", "tcp", &json!({"tcp": tcp, "start": start, "stop_ns": 8 * SECOND})),
        group("mice", "tcp", &json!({"tcp": tcp, "start": start, "transfers": transfers, "count": 1})),
    ]);
    let scenario = scenario(&traffic);
    let (_, trace) = run_traced(&scenario, 5).unwrap();
    let mut all = emissions(&scenario, 5).unwrap();
    for (number, emission) in all[..2].iter().enumerate() {
        assert!(matches!(emission.source, EmissionSource::Connection));
        let first = sent(&trace.rows, number).next().expect("it sends");
        assert_eq!((emission.start, emission.stop), (first.time, Time::from_nanos(8 * SECOND)));
    }
    let EmissionSource::Session(session) = &mut all[2].source else { panic!("transfers arrive") };
    let connections = opened(session, Time::from_nanos(20 * SECOND));
    // Transfers in open loop begin at the same times in the simulation: a first packet of number 0.
    let begins: Vec<Time> = trace
        .rows
        .iter()
        .filter(|row| row.event == TraceEvent::Send && row.kind == Kind::Data && row.flow >= 2 && row.seq == 0)
        .map(|row| row.time)
        .collect();
    assert!(connections.len() > 30, "{}", connections.len());
    assert_eq!(connections.iter().map(|(time, _)| *time).collect::<Vec<_>>(), begins);
    assert!(connections.iter().all(|(_, bytes)| *bytes >= 6_000), "the smallest size is a third of the mean");
}

#[test]
fn a_web_session_requests_and_then_receives() {
    let fixed = |value: f64| json!(value);
    let web = json!({"pages": fixed(2e9), "objects": fixed(2.0), "gap": fixed(1e8), "size": fixed(2500.0),
        "request": 300, "option": 0});
    let tcp = json!({"profile": "linux", "flavour": "reno", "settings": {"packet": {"bytes": 1000}}});
    let scenario = scenario(&json!([group("web", "web", &json!({"tcp": tcp, "web": web, "count": 1}))]));
    let mut all = emissions(&scenario, 1).unwrap();
    let EmissionSource::Session(session) = &mut all[0].source else { panic!("a session") };
    let now = session.next().unwrap();
    let request = session.on_time(now)[0];
    assert_eq!((request.request, request.sender, request.bytes), (true, 0, 300));
    let (answers, _) = session.on_end(now, request.tag);
    assert_eq!((answers.len(), answers[0].request, answers[0].sender, answers[0].bytes), (1, false, 0, 3000));
    assert_eq!(session.on_end(now, request.tag).0, []);
}

#[test]
fn errors_of_the_scenario_are_reported() {
    let tcp = json!({"profile": "linux", "flavour": "no-such", "settings": {}});
    let errors = emissions(&scenario(&json!([group("bulk", "tcp", &json!({"tcp": tcp}))])), 1);
    assert!(errors.is_err_and(|errors| errors.iter().any(|error| error.path.contains("bulk"))));
}

/// All datagrams of every kind of source carry the ECN field and the codepoint: a class that selects these drops all of
/// them.
#[test]
fn datagrams_carry_the_ecn_field_and_the_codepoint_of_their_group() {
    let udp = json!({"rate": 4e5, "payload": 500, "headers": 28});
    let video = json!({"rate": 5e5, "fps": 25.0, "gop": "IBBPBB", "sizes": [5.0, 3.0, 1.0], "variation": 0.3,
        "payload": 1000, "headers": 28, "unit": "frame", "dependence": false});
    let kinds = [
        ("cbr", json!({"udp": udp})),
        ("poisson", json!({"udp": udp})),
        ("fec", json!({"udp": udp, "fec": {"k": 4, "h": 2, "spacing": "poisson"}})),
        ("onoff", json!({"udp": udp, "onoff": {"on": {"exp": 3e8}, "unit": "time", "off": {"exp": 2e8}}})),
        ("video", json!({"video": video})),
    ];
    for (kind, keys) in &kinds {
        for ecn in Ecn::ALL {
            let fields = json!({"ecn": ecn.word(), "dscp": 45});
            let mut traffic = group(kind, kind, keys);
            traffic.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            let mut scenario = scenario(&json!([traffic]));
            for emission in emissions(&scenario, 1).unwrap() {
                let EmissionSource::Datagrams(datagrams) = emission.source else { panic!("{kind} sends datagrams") };
                assert!(datagrams.iter().all(|datagram| (datagram.ecn, datagram.dscp) == (ecn, 45)), "{kind}");
            }
            // Only packets with this field and this codepoint are dropped.
            let class = json!({"name": "own", "match": {"ecn": [ecn.word()], "dscp": [45]},
                "queue": {"scheme": "bernoulli", "params": {"p": 1.0}}});
            let queue =
                json!({"scheme": "pq", "limit": {"packets": 1000}, "params": {"classes": [class, {"name": "rest"}]}});
            scenario.links[0].queue = serde_json::from_value(queue).unwrap();
            let result: Value = serde_json::from_str(&run(&scenario, 1).unwrap().to_json()).unwrap();
            let traffic = &result["traffic"][kind];
            assert_eq!(traffic["lost_pkts"], traffic["sent_pkts"], "{kind}, {}", ecn.word());
            let queue = &result["links"]["link"];
            assert_eq!(queue["dscp_nqb_drops"], queue["dscp_nqb_arrivals"], "{kind}, {}", ecn.word());
        }
    }
}

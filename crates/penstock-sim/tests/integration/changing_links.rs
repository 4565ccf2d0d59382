//! Links that change: losses in bursts, outages, rates and delays drawn anew, against closed forms and exact instants.

use penstock_sim::trace::TraceEvent;
use penstock_sim::{Scenario, run, run_traced};
use serde_json::{Value, json};

const MS: u64 = 1_000_000;
/// Bytes of a packet.
const SIZE: u64 = 1000;

/// Datagrams at a constant rate over one watched link with these keys; 2 Mbit/s and 10 ms if they say nothing else.
fn network(load: f64, duration_ns: u64, keys: &Value) -> Value {
    let mut link = json!({
        "name": "link", "from": "A", "to": "B", "rate": 2e6, "delay": 10 * MS, "watch": true,
        "queue": {"scheme": "droptail", "limit": {"packets": 50}},
    });
    link.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    json!({
        "duration_ns": duration_ns, "links": [link],
        "traffic": [{
            "name": "load", "kind": "cbr", "count": 1, "from": ["A"], "to": ["B"],
            "start": {"first_ns": 0, "every_ns": 0, "jitter_ns": 0},
            "udp": {"rate": load, "payload": SIZE, "headers": 0, "phase": "zero"},
        }],
    })
}

fn scenario(network: Value) -> Scenario {
    serde_json::from_value(network).expect("the network is canonical")
}

fn results(network: Value, seed: u64) -> Value {
    serde_json::from_str(&run(&scenario(network), seed).expect("the network runs").to_json()).expect("results are JSON")
}

/// When the packets start to be sent on the link, and when they arrive at its end.
fn instants(network: Value) -> (Vec<u64>, Vec<u64>) {
    let (_, trace) = run_traced(&scenario(network), 1).expect("the network runs");
    let of = |event| trace.rows.iter().filter(|row| row.event == event).map(|row| row.time.as_nanos()).collect();
    (of(TraceEvent::Dequeue), of(TraceEvent::Receive))
}

/// The same by a plain recursion over packets that come every `gap`: rates and delays hold from an instant on.
fn expected(
    gap: u64,
    duration: u64,
    rates: &[(u64, u64)],
    delays: &[(u64, u64)],
    outages: &[(u64, u64)],
) -> (Vec<u64>, Vec<u64>) {
    let held = |steps: &[(u64, u64)], time: u64| steps.iter().rfind(|(since, _)| *since <= time).unwrap().1;
    let (mut starts, mut arrivals, mut free, mut last) = (Vec::new(), Vec::new(), 0, 0);
    for coming in (0..=duration).step_by(gap as usize) {
        let mut start = coming.max(free);
        if let Some((_, end)) = outages.iter().find(|(at, end)| (*at..*end).contains(&start)) {
            start = *end;
        }
        free = start + SIZE * 8 * 1_000_000_000 / held(rates, start);
        last = last.max(free + held(delays, start));
        starts.push(start);
        arrivals.push(last);
    }
    starts.retain(|&time| time <= duration);
    arrivals.retain(|&time| time <= duration);
    (starts, arrivals)
}

/// Packets of 4 ms every 5 ms: outages from an instant of arrival, from amid a transmission, and within one idle ms.
#[test]
fn nothing_starts_in_an_outage_and_everything_else_is_on_time() {
    let outages = [(100 * MS, 150 * MS), (302 * MS, 307 * MS), (504 * MS + 300_000, 504 * MS + 700_000)];
    let told: Vec<Value> = outages.iter().map(|(at, end)| json!({"at_ns": at, "for_ns": end - at})).collect();
    let network = network(1.6e6, 1000 * MS, &json!({"outage": told}));
    let (starts, arrivals) = instants(network);
    let none_starts = |(at, end): &(u64, u64)| !starts.iter().any(|start| (*at..*end).contains(start));
    assert!(outages.iter().all(none_starts));
    let oracle = expected(5 * MS, 1000 * MS, &[(0, 2_000_000)], &[(0, 10 * MS)], &outages);
    assert_eq!((starts, arrivals), oracle);
}

/// Changes amid transmissions and at their ends; the delay falls by more than the gap of the packets.
#[test]
fn each_packet_has_the_rate_and_the_delay_of_its_start_and_none_overtakes() {
    let rates = [(0, 2_000_000), (202 * MS, 1_000_000), (400 * MS, 8_000_000), (609 * MS, 1_600_000)];
    let delays = [(0, 10 * MS), (100 * MS, 60 * MS), (301 * MS, 5 * MS), (700 * MS, 0)];
    let at = |steps: &[(u64, u64)], key: &str| -> Vec<Value> {
        steps[1..].iter().map(|(at, value)| json!({"when": {"at_ns": at}, key: value})).collect()
    };
    let change = [at(&rates, "rate"), at(&delays, "delay")].concat();
    let keys = json!({"change": change, "outage": [{"at_ns": 398 * MS, "for_ns": 7 * MS}]});
    let (starts, arrivals) = instants(network(1.6e6, 1000 * MS, &keys));
    let oracle = expected(5 * MS, 1000 * MS, &rates, &delays, &[(398 * MS, 405 * MS)]);
    assert_eq!((&starts, &arrivals), (&oracle.0, &oracle.1));
    assert!(arrivals.is_sorted());
    let together = arrivals.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(together > 5, "the fall of the delay at 301 ms makes packets arrive together: {together}");
}

#[test]
fn a_backlogged_link_sends_at_the_mean_of_the_drawn_rates() {
    for (draw, mean, sd) in [
        (json!({"uniform": [1e6, 3e6]}), 2e6, 2e6 / 12_f64.sqrt()),
        (json!({"list": [1e6, 1e6, 4e6]}), 2e6, 2_f64.sqrt() * 1e6),
    ] {
        let draws = 4000;
        let keys = json!({"change": [{"when": {"every_ns": 500 * MS}, "rate": draw, "delay": {"exp": 20e6}}]});
        let found = results(network(5e6, draws * 500 * MS, &keys), 1);
        let sent = found["links"]["link"]["departures"].as_f64().unwrap() * SIZE as f64 * 8.0;
        let throughput = sent / (draws as f64 * 0.5);
        let error = sd / (draws as f64).sqrt();
        assert!((throughput - mean).abs() < 4.0 * error, "{throughput} instead of {mean}");
        let utilization = found["links"]["link"]["utilization"].as_f64().unwrap();
        assert!((utilization - 1.0).abs() < 2e-3, "{utilization}");
    }
}

/// 1000 B each 5 ms onto 1500 B at 3, 7, 8 and 20 ms of every 20. In the first round: the packet of 0 ms goes at 3 and
/// 500 B there are lost; that of 5 at 7; those of 10 and 15 wait for 20, where there is room for one and half of the
/// other; that goes at 23, together with the packet of 20 ms. The second round is the same.
#[test]
fn a_trace_of_capacity_says_when_packets_leave() {
    let network = network(1.6e6, 60 * MS, &json!({"capacity_ms": [3, 7, 8, 20]}));
    let (_, arrivals) = instants(network);
    assert_eq!(arrivals, [3, 7, 20, 23, 23, 27, 40, 43, 43, 47].map(|end| (end + 10) * MS));
}

/// A load above it is sent at the mean capacity, 3 kB in 10 ms, and uses all of it.
#[test]
fn a_backlogged_trace_is_used_up() {
    let found = results(network(9.6e6, 10_000 * MS, &json!({"capacity_ms": [2, 10]})), 1);
    let sent = found["links"]["link"]["departures"].as_f64().unwrap();
    let utilization = found["links"]["link"]["utilization"].as_f64().unwrap();
    assert!((sent - 3000.0).abs() <= 2.0, "{sent}");
    assert!((utilization - 1.0).abs() < 1e-3, "{utilization}");
}

/// Half of the time is outage: half of the packets of a load above the rate get through, at a utilization of one.
#[test]
fn capacity_leaves_out_the_outages() {
    let outages: Vec<Value> = (0..100).map(|k| json!({"at_ns": k * 200 * MS + 100 * MS, "for_ns": 100 * MS})).collect();
    let found = results(network(4e6, 19_999 * MS, &json!({"outage": outages})), 1);
    let (sent, utilization) = (&found["links"]["link"]["departures"], &found["links"]["link"]["utilization"]);
    assert_eq!(sent, 2500);
    assert_eq!(utilization, 1.0);
}

#[test]
fn what_a_link_loses_stands_in_the_trace() {
    let network = network(1.6e6, 1000 * MS, &json!({"loss": {"arrivals": [3, 7, 8]}}));
    let (_, trace) = run_traced(&scenario(network), 1).expect("the network runs");
    let drops: Vec<_> = trace.rows.iter().filter(|row| row.event == TraceEvent::Drop).collect();
    let told: Vec<_> = drops.iter().map(|row| (row.time.as_nanos(), row.seq, row.cause)).collect();
    assert_eq!(told, [(15 * MS, 3, None), (35 * MS, 7, None), (40 * MS, 8, None)]);
}

#[test]
fn bursts_of_losses_are_counted_on_their_link() {
    let keys = json!({"loss": {"gilbert": {"p": 0.01, "r": 0.19}}});
    let found = results(network(1e6, 800_000 * MS, &keys), 1);
    let link = &found["links"]["link"];
    let (lost, came) = (link["link_losses"].as_f64().unwrap(), link["arrivals"].as_f64().unwrap());
    // The mean p / (p + r) = 5 %, its variance that of a coin times (2 - p - r) / (p + r) = 9, of 100 000 packets.
    assert!((lost + came - 100_000.0).abs() <= 1.0);
    assert!((lost / 1e5 - 0.05).abs() < 4.0 * (0.05 * 0.95 * 9.0 / 1e5_f64).sqrt(), "{lost} of {came}");
}

#[test]
fn another_changing_link_changes_no_draw_of_this_one() {
    let keys = json!({
        "change": [{"when": {"every_ns": 300 * MS}, "rate": {"uniform": [1e6, 3e6]}, "delay": {"exp": 5e6}}],
        "loss": {"gilbert": {"p": 0.1, "r": 0.5}},
    });
    let alone = network(1.8e6, 20_000 * MS, &keys);
    let mut beside = alone.clone();
    let mut other = alone["links"][0].clone();
    (other["name"], other["from"], other["to"]) = (json!("other"), json!("C"), json!("D"));
    beside["links"].as_array_mut().unwrap().insert(0, other);
    let (alone, beside) = (results(alone, 3), results(beside, 3));
    assert_eq!(alone["links"]["link"], beside["links"]["link"]);
    assert_eq!(alone["traffic"], beside["traffic"]);
}

#[test]
fn a_delay_that_is_drawn_too_leaves_the_rates_as_they_are() {
    let departures = |more: Value| {
        let mut rule = json!({"when": {"every_ns": 300 * MS}, "rate": {"uniform": [1e6, 3e6]}});
        rule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        instants(network(5e6, 5000 * MS, &json!({"change": [rule]}))).0
    };
    assert_eq!(departures(json!({})), departures(json!({"delay": {"exp": 5e6}})));
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let cases = [
        (json!({"loss": {"gilbert": {"p": 1.5, "r": 0.1}}}), "links.link.loss.gilbert.p"),
        (json!({"loss": {"gilbert": {"p": 0.5, "r": 0}}}), "links.link.loss.gilbert.r"),
        (json!({"capacity_ms": [0]}), "links.link.capacity"),
        (json!({"capacity_ms": [3, 2]}), "links.link.capacity"),
        (json!({"outage": [{"at_ns": 5, "for_ns": 0}]}), "links.link.outage"),
        (json!({"outage": [{"at_ns": 5, "for_ns": 9}, {"at_ns": 8, "for_ns": 1}]}), "links.link.outage"),
        (json!({"change": [{"when": {"every_ns": 0}, "rate": 1e6}]}), "links.link.change[0].every"),
        (json!({"change": [{"when": {"at_ns": 0}}]}), "links.link.change[0]"),
        (json!({"change": [{"when": {"at_ns": 0}, "rate": {"uniform": [0, 1e6]}}]}), "links.link.change[0].rate"),
    ];
    for (keys, path) in cases {
        let faults = penstock_sim::check(&scenario(network(1e6, 1000 * MS, &keys)), 1, &());
        assert_eq!(faults.iter().map(|fault| fault.path.as_str()).collect::<Vec<_>>(), [path]);
    }
}

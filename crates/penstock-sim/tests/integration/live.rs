//! Runs that are cut into pieces, watched, and changed on their way, beside runs that are not.

use penstock_core::{Span, Time};
use penstock_sim::live::{LiveOptions, LiveRun, Seen};
use penstock_sim::scenario::QueueSpec;
use penstock_sim::trace::TraceEvent;
use penstock_sim::{Scenario, run};
use serde_json::{Value, json};

const MS: u64 = 1_000_000;
const FOR_A_PAGE: LiveOptions = LiveOptions { observed: true, adjustable: true };

/// Five TCPs over a link of 2 Mbit/s with this queue, for 20 s; `keys` are further ones of the link.
fn network(queue: &Value, keys: &Value) -> Scenario {
    let mut link = json!({
        "name": "link", "from": "A", "to": "B", "rate": 2e6, "delay": 10 * MS, "watch": true, "queue": queue,
    });
    link.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    let network = json!({
        "duration_ns": 20_000 * MS, "warmup_ns": 2000 * MS,
        "links": [link, {"name": "back", "from": "B", "to": "A", "rate": 2e6, "delay": 10 * MS}],
        "traffic": [{
            "name": "bulk", "kind": "tcp", "count": 5, "from": ["A"], "to": ["B"],
            "start": {"first_ns": 0, "every_ns": 100 * MS, "jitter_ns": 50 * MS},
            "tcp": {"profile": "ns2", "flavour": "sack"},
        }],
    });
    serde_json::from_value(network).expect("the network is canonical")
}

fn red() -> Value {
    json!({"scheme": "red", "limit": {"packets": 40}})
}

fn queue(scheme: &str) -> QueueSpec {
    serde_json::from_value(json!({"scheme": scheme, "limit": {"packets": 40}})).unwrap()
}

fn live(scenario: Scenario, options: LiveOptions) -> LiveRun {
    LiveRun::new(scenario, 1, options).expect("the network runs")
}

fn at(millis: u64) -> Time {
    Time::from_nanos(millis * MS)
}

/// All events up to this time; a time at which nothing happens, so that a change then comes neither before nor after others.
fn events(run: &mut LiveRun, millis: u64) -> Vec<Seen> {
    let mut seen = Vec::new();
    for until in (0..=millis * 10).map(|tenth| Time::from_nanos(tenth * MS / 10 + 7)) {
        run.advance(until);
        seen.extend(run.take_seen());
    }
    seen
}

fn without_events(text: &str) -> Value {
    let mut body: Value = serde_json::from_str(text).unwrap();
    body.as_object_mut().unwrap().remove("events");
    body
}

#[test]
fn a_run_in_pieces_ends_with_the_same_bytes() {
    let whole = run(&network(&red(), &json!({})), 1).unwrap().to_json();
    let mut pieces = live(network(&red(), &json!({})), LiveOptions::default());
    for millis in (0..25_000).step_by(37) {
        pieces.advance(at(millis));
    }
    assert_eq!(pieces.finish().unwrap().unwrap().to_json(), whole);
    let mut steps = live(network(&red(), &json!({})), LiveOptions::default());
    let mut last = Time::ZERO;
    while let Some(time) = steps.step() {
        assert!(last <= time && time < steps.end());
        last = time;
    }
    assert_eq!(steps.finish().unwrap().unwrap().to_json(), whole);
}

#[test]
fn a_watched_run_has_the_same_results() {
    let whole = run(&network(&red(), &json!({})), 1).unwrap().to_json();
    let mut watched = live(network(&red(), &json!({})), LiveOptions { observed: true, adjustable: false });
    events(&mut watched, 20_000);
    assert_eq!(without_events(&watched.finish().unwrap().unwrap().to_json()), without_events(&whole));
}

#[test]
fn the_waiting_packets_are_those_of_the_queue() {
    for scheme in ["red", "droptail", "drop-front", "codel", "sfq", "fq-codel", "choke", "drr"] {
        let mut run = live(network(&json!({"scheme": scheme, "limit": {"packets": 20}}), &json!({})), FOR_A_PAGE);
        let mut drops = 0;
        for _ in 0..20_000 {
            run.step();
            let state = run.link(0).unwrap();
            let bytes: u64 = run.waiting(0).iter().map(|packet| u64::from(packet.size)).sum();
            assert_eq!((run.waiting(0).len(), bytes), (state.packets as usize, state.bytes), "{scheme}");
            drops += run.take_seen().iter().filter(|seen| seen.event == TraceEvent::Drop).count();
        }
        assert!(drops > 0, "{scheme} drops nothing");
    }
}

#[test]
fn waiting_times_are_from_arrival_to_departure() {
    let mut run = live(network(&json!({"scheme": "droptail", "limit": {"packets": 40}}), &json!({})), FOR_A_PAGE);
    let seen = events(&mut run, 15_000);
    let of = |event| seen.iter().filter(move |seen| seen.event == event);
    // First in, first out: the arrivals and departures are in the same order.
    let mut number = 0;
    for (arrival, departure) in of(TraceEvent::Enqueue).zip(of(TraceEvent::Dequeue)) {
        assert_eq!(departure.waited, departure.time - arrival.time);
        number += 1;
    }
    assert!(number > 3000);
    let counted: u32 = run.delays(0).iter().sum();
    assert_eq!(counted as usize, of(TraceEvent::Dequeue).count());
}

/// A change from outside and the same change of the scenario.
#[test]
fn a_change_of_rate_and_delay_is_that_of_a_scenario() {
    let time = 8000 * MS + 7;
    let planned = json!({"change": [{"when": {"at_ns": time}, "rate": 1e6, "delay": 60 * MS}]});
    let expected = events(&mut live(network(&red(), &planned), FOR_A_PAGE), 15_000);
    let mut run = live(network(&red(), &json!({})), FOR_A_PAGE);
    let mut found = Vec::new();
    found.extend(events(&mut run, 8000));
    assert_eq!(run.now().as_nanos(), time);
    run.set_rate(0, 1_000_000).unwrap();
    run.set_delay(0, Span::from_millis(60)).unwrap();
    found.extend(events(&mut run, 15_000));
    assert!(found.len() > 5000);
    assert_eq!(found, expected);
}

/// The round-trip time that a queue receives covers its link and the rest of the path, which does not change.
#[test]
fn a_change_of_delay_changes_the_round_trip_by_as_much() {
    let mut run = live(network(&red(), &json!({"rtt_ns": 100 * MS})), FOR_A_PAGE);
    for (delay, round_trip) in [(60, 150), (0, 90), (10, 100)] {
        run.set_delay(0, Span::from_millis(delay)).unwrap();
        assert_eq!(run.link(0).unwrap().rtt, Some(Span::from_millis(round_trip)), "{delay} ms");
    }
}

#[test]
fn a_queue_of_the_same_kind_takes_over_without_a_trace() {
    // The limit is that of the new queue alone: it must not matter.
    let droptail = json!({"scheme": "droptail", "limit": {"packets": 100_000}});
    let expected = events(&mut live(network(&droptail, &json!({})), FOR_A_PAGE), 15_000);
    let mut run = live(network(&droptail, &json!({})), FOR_A_PAGE);
    let mut found = Vec::new();
    for millis in [5000, 5100, 9000] {
        found.extend(events(&mut run, millis));
        assert!(run.link(0).unwrap().packets > 0);
        run.set_queue(0, serde_json::from_value(droptail.clone()).unwrap()).unwrap();
    }
    found.extend(events(&mut run, 15_000));
    assert_eq!(found, expected);
}

#[test]
fn another_aqm_takes_over_and_nothing_is_lost_by_it() {
    let mut run = live(network(&red(), &json!({})), FOR_A_PAGE);
    for (number, scheme) in ["pi", "codel", "fq-codel", "red", "pie", "sfq", "sfc", "droptail"].iter().enumerate() {
        run.advance(at(2000 * (number as u64 + 1)));
        let before = run.link(0).unwrap();
        run.set_queue(0, queue(scheme)).unwrap();
        let after = run.link(0).unwrap();
        assert_eq!(before, after, "{scheme}");
    }
    run.advance(at(19_000));
    let state = run.link(0).unwrap();
    assert_eq!(run.waiting(0).len(), state.packets as usize);
    // `finish` checks that no packet is lost or made; a changed run has no result.
    assert_eq!(run.finish().unwrap(), None);
}

/// A slider moves a parameter: the AQM does not forget what it knows about the load.
#[test]
fn an_aqm_with_other_parameters_continues() {
    let other = |scheme| match scheme {
        "pi" | "rem" => json!({"target": {"packets": 12}}),
        "pie" => json!({"alpha": 0.2}),
        "blue" => json!({"d1": 0.03}),
        "psand" => json!({"coef": 1.6}),
        "qlaw" => json!({"interval": {"ns": 400 * MS}}),
        _ => json!({"min_th": {"packets": 6}}),
    };
    for scheme in ["red", "ared-floyd", "ared-feng", "fb-red", "psand", "qlaw", "pi", "rem", "pie", "blue"] {
        let mut run = live(network(&json!({"scheme": scheme, "limit": {"packets": 40}}), &json!({})), FOR_A_PAGE);
        run.advance(at(9000));
        let known = |run: &LiveRun| {
            let mut found = Vec::new();
            run.gauges(0, &mut |name, value| {
                if ["avg", "p", "price"].contains(&name) {
                    found.push((name.to_owned(), value));
                }
            });
            found
        };
        let before = known(&run);
        assert!(before.iter().any(|(_, value)| *value > 0.0), "{scheme} knows nothing: {before:?}");
        let spec = json!({"scheme": scheme, "limit": {"packets": 40}, "params": other(scheme)});
        run.set_queue(0, serde_json::from_value(spec).unwrap()).unwrap();
        for ((name, was), (_, is)) in before.iter().zip(known(&run)) {
            // The price of REM gives p by another way than the steps before.
            assert!((was - is).abs() < 1e-12, "{scheme}: {name} was {was} and is {is}");
        }
        run.advance(at(12_000));
        assert_eq!(run.finish().unwrap(), None);
    }
}

#[test]
fn a_refused_queue_leaves_the_one_before() {
    let mut run = live(network(&red(), &json!({})), FOR_A_PAGE);
    run.advance(at(3000));
    let spec = json!({"scheme": "red", "limit": {"packets": 40}, "params": {"max_p": 7.0}});
    let errors = run.set_queue(0, serde_json::from_value(spec).unwrap()).unwrap_err();
    assert_eq!(errors[0].path, "links.link.queue.max_p");
    let mut names = Vec::new();
    run.gauges(0, &mut |name, _| names.push(name.to_owned()));
    assert!(names.iter().any(|name| name == "avg"), "{names:?}");
    assert!(run.set_rate(1, 1_000_000).is_err(), "the way back is not watched");
    assert!(run.finish().unwrap().is_some());
}

#[test]
fn flows_come_and_go() {
    let mut run = live(network(&red(), &json!({})), FOR_A_PAGE);
    let senders = |run: &mut LiveRun, millis| {
        let seen = events(run, millis);
        let mut flows: Vec<u32> = seen.iter().map(|seen| seen.flow).collect();
        flows.sort_unstable();
        flows.dedup();
        flows
    };
    assert_eq!(senders(&mut run, 4000), [0, 1, 2, 3, 4]);
    run.set_flow_count(0, 8).unwrap();
    assert_eq!(run.flow_count(0), 8);
    assert_eq!(senders(&mut run, 8000), [0, 1, 2, 3, 4, 5, 6, 7]);
    run.set_flow_count(0, 2).unwrap();
    senders(&mut run, 10_000);
    assert_eq!(senders(&mut run, 12_000), [0, 1]);
    // Those that stopped are taken again, the last to stop first.
    run.set_flow_count(0, 4).unwrap();
    senders(&mut run, 13_000);
    assert_eq!(senders(&mut run, 16_000), [0, 1, 2, 3]);
    run.set_flow_count(0, 0).unwrap();
    senders(&mut run, 19_000);
    assert_eq!(run.link(0).unwrap().packets, 0);
    assert_eq!(run.finish().unwrap(), None);
}

/// A scheduled and a live change have the same effect, also on the facts about the path that the queue receives.
#[test]
fn a_scheduled_change_of_delay_has_the_effect_of_a_live_one() {
    // The AQMs whose parameters follow the round-trip time of their link.
    for (scheme, params) in
        [("qlaw", json!({})), ("pi", json!({"a": "auto", "b": "auto"})), ("red", json!({"w_q": "auto"}))]
    {
        let queue = json!({"scheme": scheme, "limit": {"packets": 40}, "params": params});
        let when = 5_000_000_007_u64;
        let delay = 150 * MS;
        let scheduled = json!({"change": [{"when": {"at_ns": when}, "delay": delay}]});
        let state = |keys: &Value, change: bool| {
            let mut run = live(network(&queue, keys), LiveOptions { observed: false, adjustable: true });
            run.advance(Time::from_nanos(when - 1));
            run.advance(Time::from_nanos(when));
            if change {
                run.set_delay(0, Span::from_nanos(delay)).unwrap();
            }
            run.advance(at(19_000));
            run.link(0).unwrap()
        };
        let (planned, by_hand) = (state(&scheduled, false), state(&json!({}), true));
        assert_eq!(planned, by_hand, "{scheme}");
        assert_ne!(planned, state(&json!({}), false), "{scheme}: the change has no effect");
    }
}

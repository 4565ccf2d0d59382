//! Fast paths change no result: random networks with queues of every scheme give the same bytes with each of them on and off.

use crate::any_queue::{names, random_queue};
use penstock_core::Rng;
use penstock_sim::{Modes, Record, RunOptions, Scenario, run_with};
use serde_json::{Value, json};

/// One duplex link as its two directions.
fn duplex(name: &str, ends: (&str, &str), rate: f64, delay: f64, queue: &Value, watch: bool) -> [Value; 2] {
    let direction = |name: String, from: &str, to: &str| json!({"name": name, "from": from, "to": to, "rate": rate, "delay": delay, "queue": queue, "watch": watch});
    [direction(name.to_owned(), ends.0, ends.1), direction(format!("{name}.reverse"), ends.1, ends.0)]
}

/// A chain of routers with hosts on access links of their own or shared, and traffic between any two of them. The queues
/// between routers are of these names.
pub(crate) fn random_network(seed: u64, queues: &[String]) -> Value {
    let mut rng = Rng::stream(seed, "network");
    let mut pick = |n: u64| rng.below(n);
    let mut links = Vec::new();
    let routers = random_chain(&mut links, queues, &mut pick);
    let hosts = random_access(&mut links, routers, &mut pick);
    for link in &mut links {
        spoil(link, &mut pick);
    }
    let mut network = empty_network();
    network["links"] = json!(links);
    network["traffic"] = (0..2 + pick(4)).map(|group| random_traffic(group, hosts, &mut pick)).collect();
    if network["traffic"].as_array().is_some_and(|groups| groups.iter().any(|group| group["kind"] == "fec")) {
        // Blocks count each packet once.
        for link in network["links"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            link.remove("duplicate");
        }
    }
    network
}

/// One link at a steady rate between two routers with queues of this name in both directions, and bursts that fill them, with
/// idle times between the bursts.
fn bottleneck_with_bursts(seed: u64, name: &str) -> Value {
    let mut rng = Rng::stream(seed, "bottleneck");
    let mut pick = |n: u64| rng.below(n);
    let mut network = empty_network();
    let queue = random_queue(name, &mut Rng::stream(seed, "queue"));
    let delay = [0.0, 1.0, 999.0, 3e6, 20e6, 100e6][pick(6) as usize];
    let mut links = Vec::from(duplex("core", ("R0", "R1"), 2e6, delay, &queue, true));
    for (host, router) in [("H0", "R0"), ("H1", "R1"), ("H2", "R0"), ("H3", "R1")] {
        links.extend(duplex(host, (host, router), 10e6, random_delay(&mut pick), &Value::Null, false));
    }
    network["links"] = json!(links);
    let bursts = |name: &str, from: &str, to: &str, dscp: u8| {
        json!({"name": name, "kind": "onoff", "count": 3, "from": [from], "to": [to], "start": {"uniform_ns": [0, 300_000_000]},
            "dscp": dscp, "udp": {"rate": 1.5e6, "payload": 472, "phase": "random"},
            "onoff": {"on": {"exp": 6e7}, "unit": "time", "off": {"exp": 3e8}}})
    };
    let mut tcp =
        json!({"name": "tcp", "from": ["H2"], "to": ["H3"], "count": 1 + pick(2), "stop_ns": 4_000_000_000_u64});
    random_tcp(&mut tcp, &mut pick);
    network["traffic"] = json!([bursts("there", "H0", "H1", 0), bursts("back", "H1", "H0", 46), tcp]);
    network
}

/// Links between routers, which may have queues; gives the number of routers.
fn random_chain(links: &mut Vec<Value>, queues: &[String], pick: &mut impl FnMut(u64) -> u64) -> u64 {
    let routers = 2 + pick(3);
    for router in 1..routers {
        let (from, to) = (format!("R{}", router - 1), format!("R{router}"));
        let name = &queues[pick(queues.len() as u64) as usize];
        let queue =
            if pick(6) == 0 { Value::Null } else { random_queue(name, &mut Rng::stream(pick(1 << 32), "queue")) };
        let rate = [1e6, 1.5e6, 3e6, 10e6][pick(4) as usize];
        let delay = random_delay(pick);
        let mut both = duplex(&format!("core{router}"), (&from, &to), rate, delay, &queue, pick(2) == 0);
        if pick(4) == 0 && !queue.is_null() {
            both[0]["device_queue"] =
                if pick(2) == 0 { json!({"packets": 1 + pick(6)}) } else { json!({"bytes": 3000 + pick(9000)}) };
        }
        links.extend(both);
    }
    routers
}

/// Zero, tiny and ordinary propagation delays in nanoseconds.
fn random_delay(pick: &mut impl FnMut(u64) -> u64) -> f64 {
    match pick(8) {
        0 => 0.0,
        1 => [1.0, 999.0, 12_000.0][pick(3) as usize],
        _ => pick(20) as f64 * 1e6,
    }
}

/// Links between hosts and routers; gives the number of hosts.
fn random_access(links: &mut Vec<Value>, routers: u64, pick: &mut impl FnMut(u64) -> u64) -> u64 {
    let hosts = 3 + pick(4);
    for host in 0..hosts {
        let router = format!("R{}", pick(routers));
        let rate = [5e6, 10e6, 100e6][pick(3) as usize];
        let (name, ends, delay) = (format!("access{host}"), (&*format!("H{host}"), &*router), random_delay(pick));
        links.extend(duplex(&name, ends, rate, delay, &Value::Null, false));
    }
    hosts
}

/// A group of datagrams or of TCP flows, long or in sessions.
fn random_traffic(group: u64, hosts: u64, pick: &mut impl FnMut(u64) -> u64) -> Value {
    let from = pick(hosts);
    let to = (from + 1 + pick(hosts - 1)) % hosts;
    let mut spec = json!({
        "name": format!("g{group}"), "count": 1 + pick(3), "from": [format!("H{from}")], "to": [format!("H{to}")],
        "start": {"first_ns": pick(3) * 500_000_000, "every_ns": pick(2) * 1_000_000, "jitter_ns": pick(2) * 1_000_000},
    });
    if pick(3) == 0 {
        spec["stop_ns"] = json!(2_000_000_000 + pick(4_000) * 1_000_000);
    }
    if pick(4) == 0 {
        let kind = ["cbr", "poisson", "fec"][pick(3) as usize];
        spec["kind"] = json!(kind);
        if kind == "fec" {
            spec["fec"] =
                json!({"k": 1 + pick(9), "h": pick(4), "spacing": if pick(2) == 0 { "poisson" } else { "constant" }});
        }
        spec["udp"] = json!({"rate": 200e3, "payload": 500, "phase": "random"});
        spec["dscp"] = json!([0, 10, 46][pick(3) as usize]);
    } else {
        random_tcp(&mut spec, pick);
    }
    spec
}

fn random_tcp(spec: &mut Value, pick: &mut impl FnMut(u64) -> u64) {
    spec["kind"] = json!("tcp");
    let flavours = ["tahoe", "reno", "newreno", "sack", "vegas", "cubic", "dctcp", "prague", "bbr", "bbr3"];
    let flavour = flavours[pick(10) as usize];
    let settings = json!({"window": 5 + pick(40), "ecn": pick(2) == 0 || ["dctcp", "prague"].contains(&flavour)});
    let profile = ["ns2", "linux"][pick(2) as usize];
    spec["tcp"] = json!({"profile": profile, "flavour": flavour, "settings": settings});
    match pick(5) {
        0 => {
            spec["kind"] = json!("onoff");
            spec["onoff"] = json!({"on": {"uniform": [1, 40]}, "unit": "packets", "off": {"exp": 2e8}});
        }
        1 => {
            spec["kind"] = json!("web");
            spec["web"] = json!({"pages": {"exp": 5e8}, "objects": {"pareto": 3, "shape": 1.2},
                "gap": {"exp": 1e8}, "size": {"pareto": 9000, "shape": 1.2}, "request": 300, "option": pick(2)});
        }
        _ => spec["watch"] = json!(true),
    }
}

/// Hosts behind the router R`from`, and connections from them to R`to`, whose timers are so short that much is sent twice:
/// also after the receiver has all, so that it comes to a connection that is about to close or has closed.
fn bursts(network: &mut Value, name: &str, (from, to): (u64, u64), more: &Value, pick: &mut impl FnMut(u64) -> u64) {
    let hosts: Vec<String> = (0..3).map(|host| format!("{name}{host}")).collect();
    for host in &hosts {
        let (rate, delay) = ([3e6, 10e6][pick(2) as usize], pick(4) as f64 * 1e6);
        let access = duplex(host, (host, &format!("R{from}")), rate, delay, &Value::Null, false);
        network["links"].as_array_mut().expect("links are listed").extend(access);
    }
    let flavour = ["reno", "newreno", "sack"][pick(3) as usize];
    let rto = json!({"ns": 1_000_000 * (5 + pick(40))});
    let settings = json!({"window": 30, "min_rto": rto, "initial_rto": rto, "timer_tick": {"ns": 1_000_000}});
    let mut spec = json!({
        "name": name, "kind": "onoff", "count": 3 + 3 * pick(2), "from": hosts, "to": [format!("R{to}")],
        "start": {"uniform_ns": [0, 500_000_000]},
        "tcp": {"profile": "ns2", "flavour": flavour, "settings": settings},
    });
    let onoff = json!({"onoff": {"on": {"exp": 9}, "unit": "packets", "off": {"exp": 5e7}}});
    let more = if more.is_null() { &onoff } else { more };
    for (key, value) in more.as_object().expect("keys have names") {
        spec[key] = value.clone();
    }
    network["traffic"].as_array_mut().expect("traffic is listed").push(spec);
}

/// Three small queues in a row, as of Kantawala and Turner, with bursts over all of them and over each. Other connections
/// end at the same places.
fn hops_with_bursts(seed: u64) -> Value {
    let mut rng = Rng::stream(seed, "hops");
    let mut pick = |n: u64| rng.below(n);
    let mut network = empty_network();
    for hop in 0..3 {
        let queue = json!({"scheme": "droptail", "limit": {"packets": 3 + pick(20)}});
        let (ends, delay) = ((format!("R{hop}"), format!("R{}", hop + 1)), pick(9) as f64 * 1e6);
        let [there, mut home] = duplex(&format!("hop{hop}"), (&ends.0, &ends.1), 3e6, delay, &queue, true);
        (home["queue"], home["watch"]) = (Value::Null, json!(false));
        network["links"].as_array_mut().expect("links are listed").extend([there, home]);
    }
    for (name, ends) in [("through", (0, 3)), ("cross0", (0, 1)), ("cross1", (1, 2)), ("cross2", (2, 3))] {
        bursts(&mut network, name, ends, &Value::Null, &mut pick);
    }
    let arrivals = json!({"size": {"exp": 4000}, "unit": "bytes", "arrivals": {"exp": 1e8}});
    let answers = json!({"size": 5, "unit": "packets"});
    let web = json!({"pages": {"exp": 5e8}, "objects": 3, "gap": {"exp": 1e8}, "size": {"exp": 9000}, "request": 300, "option": 0});
    let (ends, more) = match seed % 4 {
        0 => ((1, 3), json!({"kind": "tcp", "transfers": arrivals})),
        1 => ((2, 3), json!({"kind": "web", "web": web})),
        2 => ((0, 1), json!({"kind": "incast", "transfers": answers, "incast": {"pause": {"exp": 1e8}}})),
        _ => ((2, 3), json!({"kind": "tcp"})),
    };
    bursts(&mut network, "other", ends, &more, &mut pick);
    network
}

/// A ring of one way, with a queue on its first link: on the second, answers follow data that has further to go.
fn ring_with_bursts(seed: u64) -> Value {
    let mut rng = Rng::stream(seed, "ring");
    let mut pick = |n: u64| rng.below(n);
    let mut network = empty_network();
    for (from, to) in [("R0", "R1"), ("R1", "R2"), ("R2", "R0")] {
        let scheme = ["droptail", "fq-codel", "qsdrr", "codel", "pie", "blue"][pick(6) as usize];
        let queue = json!({"scheme": scheme, "limit": {"packets": 3 + pick(20)}});
        let (first, delay) = (from == "R0", pick(9) as f64 * 1e6);
        let [link, _] = duplex(from, (from, to), 3e6, delay, if first { &queue } else { &Value::Null }, first);
        network["links"].as_array_mut().expect("links are listed").push(link);
    }
    for (name, to) in [("near", 1), ("far", 2)] {
        bursts(&mut network, name, (0, to), &Value::Null, &mut pick);
    }
    network
}

/// A link with a queue in each direction, over which pages are requested and sent: the connections of a session, which share its
/// flows, lose packets in both queues.
fn requests_and_pages(seed: u64) -> Value {
    let mut rng = Rng::stream(seed, "pages");
    let mut pick = |n: u64| rng.below(n);
    let mut network = empty_network();
    let queue = json!({"scheme": "codel", "limit": {"packets": 20 + pick(60)}, "params": {"target": {"ns": 1_000_000}, "interval": {"ns": 5_000_000}}});
    let core = duplex("core", ("R0", "R1"), 1e6, [5e6, 50e6, 200e6][pick(3) as usize], &queue, true);
    network["links"].as_array_mut().expect("links are listed").extend(core);
    let web = json!({"pages": {"exp": 3e8}, "objects": 4, "gap": {"exp": 1e7}, "size": {"exp": 9000}, "request": 6000, "option": 0});
    bursts(&mut network, "web", (0, 1), &json!({"kind": "web", "web": web}), &mut pick);
    let back = json!({"kind": "web", "web": web, "count": 2});
    bursts(&mut network, "back", (1, 0), &back, &mut pick);
    network
}

/// Queues with one of each kind of dispatch and timer.
fn some_names() -> Vec<String> {
    ["droptail", "red", "ared-floyd", "fq-codel", "qsdrr", "codel", "pie", "blue"].map(str::to_owned).into()
}

/// A ring of one way, whose first link has a queue that one sender enters directly and others over access links: its packets,
/// and the ACKs that leave the queue with them, become known at the same event.
fn ring_with_a_sender_at_the_queue(seed: u64, name: &str) -> Value {
    let mut rng = Rng::stream(seed, "ring with a sender");
    let mut pick = |n: u64| rng.below(n);
    let mut network = empty_network();
    let queue = random_queue(name, &mut Rng::stream(seed, "queue"));
    let mut links = Vec::new();
    for (from, to) in [("R0", "R1"), ("R1", "R2"), ("R2", "R0")] {
        let (is_first, delay) = (from == "R0", 10e6 + pick(40) as f64 * 1e6);
        let [link, _] = duplex(from, (from, to), 3e6, delay, if is_first { &queue } else { &Value::Null }, is_first);
        links.push(link);
    }
    for host in ["H0", "H1"] {
        links.extend(duplex(host, (host, "R0"), 10e6, random_delay(&mut pick), &Value::Null, false));
    }
    network["links"] = json!(links);
    let tcp = |name: &str, from: &str, start: u64, flavour: &str| {
        json!({"name": name, "kind": "tcp", "count": 1, "from": [from], "to": ["R1"], "watch": true,
            "start": {"first_ns": start, "every_ns": 0, "jitter_ns": 0},
            "tcp": {"profile": "ns2", "flavour": flavour, "settings": {"window": 60, "initial_window": 10}}})
    };
    let flavour = ["newreno", "sack"][pick(2) as usize];
    let starts: Vec<u64> = (0..2).map(|_| pick(200) * 1_000_000).collect();
    network["traffic"] = json!([
        tcp("near", "R0", 0, flavour),
        tcp("far", "H0", starts[0], flavour),
        tcp("other", "H1", starts[1], flavour)
    ]);
    network
}

fn empty_network() -> Value {
    json!({"duration_ns": 8_000_000_000_u64, "warmup_ns": 1_000_000_000_u64, "links": [], "traffic": [],
           "options": {"computed_links": true, "flows": true, "series": true}})
}

/// Make the link lose packets, fall silent or change, or leave it as it is.
fn spoil(link: &mut Value, pick: &mut impl FnMut(u64) -> u64) {
    match pick(17) {
        0 => link["loss"] = json!({"gilbert": {"p": 0.02, "r": 0.3, "good": 0.001}}),
        1 => {
            let at = 1_000_000_000 + pick(3_000) * 1_000_000;
            link["outage"] = json!([{"at_ns": at, "for_ns": 1 + pick(900_000_000)}, {"at_ns": at + 2_000_000_000, "for_ns": 5_000_000}]);
        }
        2 => {
            let delay = if pick(2) == 0 { Value::Null } else { json!({"list": [1e6, 5e6, 30e6]}) };
            link["change"] = json!([
                {"when": {"every_ns": 50_000_000 + pick(500_000_000)}, "rate": {"uniform": [1e6, 5e6]}, "delay": delay},
                {"when": {"at_ns": pick(8_000) * 1_000_000}, "delay": 2e6},
            ]);
        }
        3 => link["capacity_ms"] = json!([pick(3), 4, 4, 5, 9 + pick(5)]),
        4 => link["jitter"] = json!({"exp": 2e6}),
        5 => {
            let rate = if pick(2) == 0 { 0.05 } else { 1.0 };
            link["reorder"] = json!({"rate": rate, "delay": {"uniform": [0, 9e6]}});
            link["jitter"] = if pick(2) == 0 { Value::Null } else { json!({"uniform": [0, 1e6]}) };
        }
        6 => {
            let (correlation, keep_order) = (0.3 * pick(2) as f64, pick(2) == 0);
            link["jitter"] = json!({"deviation": 2e6, "distribution": "normal", "correlation": correlation,
                                    "keep_order": keep_order});
        }
        7 => link["reorder"] = json!({"rate": 0.1, "correlation": 0.2, "gap": pick(5)}),
        8 => link["duplicate"] = json!({"rate": 0.05}),
        _ => {}
    }
}

/// The network with a framing on most links whose packets leave at a rate; with an even seed, as it is.
fn framed(mut network: Value, seed: u64) -> Value {
    let mut rng = Rng::stream(seed, "framing");
    for link in network["links"].as_array_mut().expect("links are listed") {
        if seed % 2 == 1 && link["capacity_ms"].is_null() && rng.below(4) > 0 {
            let (overhead, mpu) = (rng.below(321) as i32 - 64, rng.below(257));
            let cells = ["none", "atm", "ptm"][rng.below(3) as usize];
            link["framing"] = json!({"overhead": overhead, "mpu": mpu, "cells": cells});
        }
    }
    network
}

fn canonical(mut scenario: Value, computed: bool) -> Scenario {
    scenario["options"]["computed_links"] = json!(computed);
    serde_json::from_value(scenario).expect("the network is canonical")
}

fn result(scenario: Value, computed: bool, seed: u64) -> Value {
    result_in(&canonical(scenario, computed), Modes::ALL, seed)
}

fn result_in(scenario: &Scenario, modes: Modes, seed: u64) -> Value {
    let options = RunOptions { modes, ..RunOptions::default() };
    let (result, _) = run_with(scenario, seed, &options).expect("the network runs");
    without_events(&result.to_json())
}

/// The results with all fast paths; panics unless each fast path alone, and none, gives the same.
fn result_of_all_modes(network: &Value, seed: u64) -> Value {
    let with_all = result(network.clone(), true, seed);
    let [lazy, precomputed] = [true, false].map(|lazy| Modes { lazy, precomputed: !lazy });
    let simulated = canonical(network.clone(), false);
    let computed = canonical(network.clone(), true);
    for (scenario, modes, fast_path) in [
        (&simulated, Modes::EVENTED_ONLY, "nothing"),
        (&computed, Modes::EVENTED_ONLY, "computed links"),
        (&computed, lazy, "computed links and lazy ports"),
        (&computed, precomputed, "computed links and precomputed ports"),
    ] {
        assert_eq!(
            result_in(scenario, modes, seed),
            with_all,
            "{fast_path} against everything, seed {seed}: {network}"
        );
    }
    with_all
}

/// Results without `events`: computed links need fewer of them.
fn without_events(result: &str) -> Value {
    let mut result: Value = serde_json::from_str(result).expect("results are JSON");
    result.as_object_mut().expect("a result is an object").remove("events");
    result
}

#[test]
fn every_scheme_gives_the_same_bytes_with_each_fast_path_on_and_off() {
    for (number, name) in (0..).zip(names()) {
        for seed in 0..4 {
            let seed = number * 4 + seed;
            result_of_all_modes(&framed(random_network(seed, std::slice::from_ref(&name)), seed), seed);
            result_of_all_modes(&framed(bottleneck_with_bursts(seed, &name), seed), seed);
            result_of_all_modes(&framed(ring_with_a_sender_at_the_queue(seed, &name), seed), seed);
        }
    }
}

#[test]
fn connections_that_come_and_go_give_the_same_bytes_both_ways() {
    for seed in 0..120 {
        let network = if seed % 2 == 0 { hops_with_bursts(seed / 2) } else { ring_with_bursts(seed / 2) };
        let (computed, simulated) = (result(network.clone(), true, seed), result(network.clone(), false, seed));
        assert_eq!(computed, simulated, "network {seed}: {network}");
    }
}

#[test]
fn runs_of_losses_in_both_directions_of_a_session_are_counted_in_the_order_of_time() {
    let mut runs = [0, 0];
    for seed in 0..100 {
        let traffic = &result_of_all_modes(&requests_and_pages(seed), seed)["traffic"];
        for (sum, name) in runs.iter_mut().zip(["web", "back"]) {
            *sum += traffic[name]["loss_runs"].as_u64().expect("runs of losses are counted");
        }
    }
    assert!(runs.iter().all(|&runs| runs > 1000), "{runs:?}");
}

#[test]
fn captures_are_the_same_bytes_both_ways_and_change_no_result() {
    let mut bytes = 0;
    for seed in 0..50 {
        let network = random_network(seed, &some_names());
        let links = network["links"].as_array().expect("links are listed").len() as u32;
        let captured: Vec<u32> = (0..links).filter(|link| (u64::from(*link) + seed) % 3 == 0).collect();
        let record = Record { captured_links: captured.clone(), ..Record::default() };
        let options = RunOptions { record, ..RunOptions::default() };
        let capture = |computed| {
            let scenario = canonical(network.clone(), computed);
            let (result, kept) = run_with(&scenario, seed, &options).expect("the network runs");
            let mut file = Vec::new();
            kept.capture.expect("links are captured").write(&captured, None, &mut file).expect("memory takes it");
            (without_events(&result.to_json()), file)
        };
        let (computed, simulated) = (capture(true), capture(false));
        assert!(computed.1 == simulated.1, "network {seed}: {network}");
        assert_eq!(computed.0, result(network.clone(), true, seed), "network {seed}: {network}");
        bytes += computed.1.len();
    }
    assert!(bytes > 50_000_000);
}

#[test]
fn a_second_run_gives_the_same_bytes() {
    for seed in 0..5 {
        let network = random_network(seed, &some_names());
        assert_eq!(result(network.clone(), true, seed), result(network, true, seed));
    }
}

#[test]
fn adding_a_flow_changes_no_other_flow_s_draws() {
    let start = |extra: u32| {
        let mut network = random_network(3, &some_names());
        network["traffic"] = json!([
            {"name": "a", "kind": "poisson", "count": 2, "from": ["H0"], "to": ["H1"],
             "udp": {"rate": 100e3, "payload": {"exp": 500}}},
            {"name": "b", "kind": "poisson", "count": extra, "from": ["H2"], "to": ["H1"],
             "udp": {"rate": 100e3, "payload": 500}},
        ]);
        result(network, true, 7)["traffic"]["a"]["flows"].clone()
    };
    let sent = |flows: &Value| -> Vec<Value> {
        flows.as_array().expect("flows are listed").iter().map(|flow| flow["sent_pkts"].clone()).collect()
    };
    assert_eq!(sent(&start(0)), sent(&start(5)));
}

//! The runs of a prepared scenario: those of the scenario alone, and cheap to set up.

use penstock_heap::counted;
use penstock_sim::{Prepared, Record, RunOptions, Scenario, run, run_prepared};
use serde_json::{Value, json};

/// A TCP and datagrams over `links` links in a row, of which the first is watched; the last has this delay.
fn chain(links: u32, queue: &Value, last_delay: &Value, duration_ns: u64) -> Scenario {
    let link = |i: u32| {
        let delay = if i + 1 == links { last_delay.clone() } else { json!(1_000_000) };
        let both = [(format!("there{i}"), i, i + 1), (format!("back{i}"), i + 1, i)];
        both.map(|(name, from, to)| {
            json!({"name": name, "from": format!("N{from}"), "to": format!("N{to}"), "rate": 2e6, "delay": delay})
        })
    };
    let mut all: Vec<Value> = (0..links).flat_map(link).collect();
    all[0]["watch"] = json!(true);
    all[0]["queue"] = queue.clone();
    let group = |name: &str| json!({"name": name, "count": 2, "from": ["N0"], "to": [format!("N{links}")]});
    let (mut tcp, mut udp) = (group("bulk"), group("load"));
    tcp["kind"] = json!("tcp");
    tcp["tcp"] = json!({"profile": "ns2", "flavour": "sack"});
    udp["kind"] = json!("poisson");
    udp["udp"] = json!({"rate": 2e5, "payload": 500});
    udp["start"] = json!({"first_ns": 0, "every_ns": 1000, "jitter_ns": 1_000_000});
    let scenario = json!({"duration_ns": duration_ns, "links": all, "traffic": [tcp, udp]});
    serde_json::from_value(scenario).expect("the scenario is canonical")
}

fn red() -> Value {
    json!({"scheme": "red", "limit": {"packets": 20}, "params": {"min_th": 3.0, "max_th": 9.0}})
}

#[test]
fn runs_of_a_prepared_scenario_are_those_of_the_scenario_alone() {
    let second = 1_000_000_000;
    for queue in [
        red(),
        json!({"scheme": "droptail", "limit": {"packets": 9}}),
        json!({"scheme": "fq-codel", "limit": {"packets": 9}}),
    ] {
        for delay in [json!(5_000_000), json!({"uniform": [1e6, 9e6]})] {
            let scenario = chain(3, &queue, &delay, 3 * second);
            let prepared = Prepared::new(&scenario);
            let of = |seed, record| {
                let options = RunOptions { record, ..RunOptions::default() };
                run_prepared(&prepared, seed, &options).expect("it runs")
            };
            for seed in [1, 2, 1] {
                let alone = run(&scenario, seed).expect("it runs").to_json();
                assert_eq!(of(seed, Record::default()).0.to_json(), alone);
                // A captured link is simulated, so other links are computed than without the capture.
                let (result, recordings) = of(seed, Record { captured_links: vec![2], ..Record::default() });
                let (arrivals, delivered) = (result.link("there0", "arrivals"), result.traffic("bulk", "goodput_bps"));
                let plain = of(seed, Record::default()).0;
                assert_eq!(
                    (arrivals, delivered),
                    (plain.link("there0", "arrivals"), plain.traffic("bulk", "goodput_bps"))
                );
                assert!(recordings.capture.is_some());
            }
        }
    }
}

#[test]
fn errors_are_those_of_a_run_alone() {
    let mut queue = red();
    queue["params"]["min_th"] = json!(30.0);
    let scenario = chain(3, &queue, &json!(1_000_000), 1);
    let prepared = Prepared::new(&scenario);
    for captured_links in [vec![], vec![0]] {
        let options = RunOptions { record: Record { captured_links, ..Record::default() }, ..RunOptions::default() };
        let error = run_prepared(&prepared, 1, &options).err().expect("min_th is above max_th");
        assert_eq!(error.to_string().matches("links.there0.queue").count(), 1, "{error}");
    }
}

#[test]
fn routes_are_found_once() {
    let allocations = |links| {
        let scenario = chain(links, &red(), &json!(1_000_000), 1);
        let prepared = Prepared::new(&scenario);
        let ((), allocations, _) = counted(|| drop(run_prepared(&prepared, 1, &RunOptions::default())));
        allocations
    };
    let (short, long) = (allocations(2), allocations(40));
    // A vector that grows doubles.
    assert!(long <= short + 10, "{short} allocations with 2 links, {long} with 40");
}

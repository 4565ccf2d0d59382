//! Identities of every queue: a packet that arrives leaves, is dropped or waits; the mean length is the sum of the
//! waiting times divided by the duration of the statistics (Little's law); no rate exceeds 1; nothing is completed that
//! was not sent.
//!
//! The reference is an independent count from the trace of the run.

use crate::any_queue::names;
use crate::computed_links::random_network;
use penstock_aqm::Cause;
use penstock_core::Time;
use penstock_sim::trace::{Trace, TraceEvent};
use penstock_sim::{RunResult, Scenario, run_traced};
use serde_json::{Value, json};

/// The counts of one link in the window of the statistics, from its trace.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    arrivals: u64,
    departures: u64,
    drops: u64,
    /// Drops of packets that had been queued before the window.
    earlier_drops: u64,
    waiting_at_start: u64,
    waiting_at_end: u64,
    /// The length of the queue, summed over the nanoseconds of the window.
    packet_nanos: u128,
}

fn counts_of(trace: &Trace, link: u32, start: Time, end: Time) -> Counts {
    let mut counts = Counts::default();
    let (mut length, mut since) = (0_u64, Time::ZERO);
    let mut queued_before = std::collections::HashMap::new();
    for row in trace.rows.iter().filter(|row| row.link == link) {
        let within = row.time.max(start).min(end).since(since.max(start)).as_nanos();
        counts.packet_nanos += u128::from(length) * u128::from(within);
        since = row.time;
        // The warm-up ends before anything else at its instant, and the run after everything.
        let is_counted = start <= row.time;
        let packet = (row.flow, row.kind.name(), row.seq, row.size);
        let is_queued = matches!(row.cause, Some(cause) if cause.was_queued());
        match row.event {
            TraceEvent::Enqueue => {
                length += 1;
                counts.arrivals += u64::from(is_counted);
                *queued_before.entry(packet).or_insert(0_u32) += u32::from(!is_counted);
            }
            TraceEvent::Dequeue => {
                length -= 1;
                counts.departures += u64::from(is_counted);
                queued_before.entry(packet).and_modify(|copies| *copies = copies.saturating_sub(1));
            }
            TraceEvent::Drop if is_queued => {
                length -= 1;
                let is_earlier = is_counted && queued_before.get(&packet).is_some_and(|&copies| copies > 0);
                queued_before.entry(packet).and_modify(|copies| *copies = copies.saturating_sub(1));
                counts.earlier_drops += u64::from(is_earlier);
                counts.drops += u64::from(is_counted && !is_earlier);
            }
            TraceEvent::Drop if row.cause.is_some_and(|cause| cause != Cause::Policed) => {
                counts.arrivals += u64::from(is_counted);
                counts.drops += u64::from(is_counted);
            }
            _ => {}
        }
        if !is_counted {
            counts.waiting_at_start = length;
        }
    }
    counts.packet_nanos += u128::from(length) * u128::from(end.since(since.max(start)).as_nanos());
    counts.waiting_at_end = length;
    counts
}

fn check_link(result: &RunResult, name: &str, counts: &Counts, seconds: f64) {
    let metric = |metric: &str| result.link(name, metric);
    let count = |name: &str| metric(name).unwrap_or_default();
    assert_eq!(count("arrivals"), counts.arrivals as f64, "arrivals of {name}");
    assert_eq!(count("departures"), counts.departures as f64, "departures of {name}");
    assert_eq!(count("drops"), counts.drops as f64, "drops of {name}: {counts:?}");
    let left = counts.departures + counts.drops + counts.earlier_drops + counts.waiting_at_end;
    assert_eq!(counts.arrivals + counts.waiting_at_start, left, "conservation at {name}: {counts:?}");
    for rate in ["utilization", "loss_rate", "mark_rate", "empty_share"] {
        let value = metric(rate).unwrap_or_default();
        assert!((0.0..=1.0 + 1e-9).contains(&value), "{rate} of {name} is {value}");
    }
    let (length, traced) = (count("length_mean_pkts"), counts.packet_nanos as f64 / (seconds * 1e9));
    assert!((length - traced).abs() <= 1e-9 * traced.max(1.0), "length of {name}: {length}, and {traced} by its trace");
}

/// In a warm-up, packets of a transfer that completes later may have been sent.
fn check_traffic(group: &Value, name: &str, scenario: &Scenario) {
    let from_start = scenario.warmup_ns == 0;
    let number = |metric: &str| group[metric].as_f64().unwrap_or_default();
    for rate in ["loss_rate", "jain", "plr_before", "plr_after"] {
        assert!((0.0..=1.0 + 1e-9).contains(&number(rate)), "{rate} of {name} is {}", number(rate));
    }
    assert!(number("lost_pkts") <= number("sent_pkts"), "{name} loses more than it sends: {group}");
    let sends = number("sent_pkts") > 0.0 || (!from_start && number("goodput_bps") > 0.0);
    assert!(number("completed") == 0.0 || sends, "{name} completes without sending: {group}");
    for delay in ["owd_mean_s", "rtt_mean_s", "completion_mean_s"] {
        assert!(number(delay) >= 0.0, "{delay} of {name}");
    }
}

fn check_identities(network: &Value, seed: u64) {
    let scenario: Scenario = serde_json::from_value(network.clone()).expect("the network is canonical");
    let (start, end) = (Time::from_nanos(scenario.warmup_ns), Time::from_nanos(scenario.duration_ns));
    let (result, trace) = run_traced(&scenario, seed).unwrap_or_else(|error| panic!("{error:?}: {network}"));
    for (number, link) in (0..).zip(&scenario.links).filter(|(_, link)| link.watch) {
        check_link(&result, &link.name, &counts_of(&trace, number, start, end), (end - start).as_secs());
    }
    let result: Value = serde_json::from_str(&result.to_json()).expect("results are JSON");
    for (name, group) in result["traffic"].as_object().expect("traffic is listed by name") {
        check_traffic(group, name, &scenario);
    }
}

#[test]
fn every_scheme_keeps_the_identities_with_and_without_device_queues_and_warm_ups() {
    for (number, name) in (0..).zip(names()) {
        for variant in 0..4 {
            let seed = number * 4 + variant + 100_000;
            let mut network = random_network(seed, std::slice::from_ref(&name));
            network["warmup_ns"] = json!([0, 10_000_000, 700_000_000, 1_900_000_000][variant as usize]);
            network["duration_ns"] = json!(2_500_000_000_u64);
            for link in network["links"].as_array_mut().expect("links are listed") {
                let has_queue = !link["queue"].is_null();
                link["watch"] = json!(has_queue);
                if has_queue && variant % 2 == 1 {
                    link["device_queue"] = json!({"packets": 3});
                }
            }
            check_identities(&network, seed);
        }
    }
}

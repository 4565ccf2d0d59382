//! The numbers of a real run, by the definitions of the reference pages.

use crate::network::Network;
use penstock_aqm::FlowKey;
use penstock_core::Time;
use penstock_link::metrics::link_metrics;
use serde_json::{Map, Value, json};
use std::net::{IpAddr, Ipv6Addr};

/// The metrics of the watched links, and the counts of the flows, for statistics that end at `now`.
pub(crate) fn collect(network: &mut Network, now: Time) -> Map<String, Value> {
    network.close(now);
    let covered = u128::from(network.covered(now).as_nanos());
    let mut links = Map::new();
    for (number, port) in network.ports.iter().enumerate().filter(|(_, port)| port.plan.spec.watch) {
        let stats = &network.tally.queues[number];
        let capacity = match &port.changes {
            None => u128::from(port.transmitter.rate().bits_per_second()) * covered,
            Some(changes) => changes.capacity_nanobits(network.window.start, now, stats.sent_nanobits()),
        };
        links.insert(port.plan.spec.name.clone(), json!(link_metrics(&port.plan.spec, stats, capacity, None)));
    }
    let mut result = Map::new();
    result.insert("links".to_owned(), links.into());
    result.insert("flows".to_owned(), flows(network));
    result.insert("covered_s".to_owned(), json!(covered as f64 * 1e-9));
    result.insert(
        "ignored".to_owned(),
        json!({"unroutable": network.ignored.unroutable, "malformed": network.ignored.malformed}),
    );
    result
}

/// The flows that had packets.
fn flows(network: &Network) -> Value {
    let flow = |(number, counts): (u32, &crate::FlowCounts)| {
        let FlowKey { src, dst, src_port, dst_port, protocol } = *network.facts.key(number)?;
        (counts.arrivals > 0).then(|| {
            json!({
                "flow": number, "src": address(src), "dst": address(dst), "src_port": src_port, "dst_port": dst_port,
                "protocol": protocol, "arrivals": counts.arrivals, "drops": counts.drops, "marks": counts.marks,
                "bytes": counts.bytes, "crossed_bits": counts.crossed_bits,
            })
        })
    };
    (0..).zip(&network.tally.flows).filter_map(flow).collect()
}

/// An address as text.
fn address(number: u128) -> String {
    IpAddr::from(Ipv6Addr::from(number)).to_canonical().to_string()
}

/// The state of all watched links at `now`, and the counts so far: for a live view, which takes differences.
pub(crate) fn snapshot(network: &mut Network, now: Time) -> Map<String, Value> {
    let mut links = Map::new();
    for (number, port) in network.ports.iter().enumerate().filter(|(_, port)| port.plan.spec.watch) {
        let (packets, bytes) = port.backlog();
        let stats = &network.tally.queues[number];
        let mut gauges = Map::new();
        port.gauges(&mut |name, value| {
            gauges.insert(name.to_owned(), json!(value));
        });
        let rate = port.transmitter.rate().bits_per_second();
        let state = json!({
            "scheme": port.plan.queue.scheme, "rate_bps": rate, "queue_pkts": packets, "queue_bytes": bytes,
            "delay_s": bytes as f64 * 8.0 / rate as f64, "arrivals": stats.arrivals, "departures": stats.departures,
            "drops": stats.all_drops(), "marks": stats.marks, "link_losses": stats.link_losses,
            "sent_bits": stats.sent_bits, "delay_mean_s": stats.delays.mean(), "gauges": gauges,
        });
        links.insert(port.plan.spec.name.clone(), state);
    }
    let mut result = Map::new();
    result.insert("t_s".to_owned(), json!(now.as_secs()));
    result.insert("links".to_owned(), links.into());
    result.insert("flows".to_owned(), flows(network));
    result
}

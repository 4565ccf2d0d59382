//! One-way delays and jitter of datagrams, against closed forms and against the delays that the queue reports.

use penstock_sim::{Scenario, run};
use serde_json::{Value, json};

const MS: u64 = 1_000_000;

/// Sends datagrams of 1000 bytes at `rate` over a watched link of 10 Mbit/s and 20 ms. `keys` are further keys of the link,
/// `more` those of the traffic group.
fn results(rate: f64, keys: &Value, more: &Value) -> Value {
    let mut link = json!({"name": "link", "from": "A", "to": "B", "rate": 1e7, "delay": 20 * MS, "watch": true});
    link.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    let mut group = json!({
        "name": "load", "kind": "cbr", "count": 1, "from": ["A"], "to": ["B"],
        "start": {"first_ns": 0, "every_ns": 0, "jitter_ns": 0},
        "udp": {"rate": rate, "payload": 1000, "headers": 0, "phase": "zero"},
    });
    group.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let scenario = json!({"duration_ns": 100_000 * MS, "warmup_ns": 1000 * MS, "links": [link], "traffic": [group]});
    let scenario: Scenario = serde_json::from_value(scenario).expect("the scenario is canonical");
    serde_json::from_str(&run(&scenario, 1).expect("it runs").to_json()).expect("results are JSON")
}

fn number(result: &Value, path: &str) -> f64 {
    result.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path} in {result}"))
}

fn load(result: &Value, metric: &str) -> f64 {
    number(result, &format!("/traffic/load/{metric}"))
}

/// 0.8 ms of transmission and 20 ms of propagation.
#[test]
fn an_idle_link_delays_all_datagrams_alike() {
    let result = results(1e6, &json!({}), &json!({}));
    assert!((load(&result, "owd_mean_s") - 0.0208).abs() < 1e-12);
    assert_eq!((load(&result, "owd_sd_s"), load(&result, "jitter_mean_s")), (0.0, 0.0));
    for metric in ["owd_p50_s", "owd_p95_s", "owd_p99_s"] {
        assert!((load(&result, metric) / 0.0208 - 1.0).abs() < 0.005, "{metric}");
    }
}

/// Independent delays J, uniform on [0, a] and shorter than the intervals of 8 ms: the standard deviation of J is a / sqrt(12),
/// the mean of |J - J'| a / 3.
#[test]
fn uniform_delays_have_their_deviation_and_their_mean_difference() {
    let a = 0.006;
    let result = results(1e6, &json!({"jitter": {"uniform": [0, 6 * MS]}}), &json!({}));
    // Standard errors for 12 375 datagrams: less than 1 % of each.
    assert!((load(&result, "owd_mean_s") - (0.0208 + a / 2.0)).abs() < 0.02 * a / 2.0);
    assert!((load(&result, "owd_sd_s") / (a / 12_f64.sqrt()) - 1.0).abs() < 0.02);
    assert!((load(&result, "jitter_mean_s") / (a / 3.0) - 1.0).abs() < 0.02);
    assert!((load(&result, "owd_p95_s") / (0.0208 + 0.95 * a) - 1.0).abs() < 0.01);
}

/// What the queue reports, and 20.8 ms.
#[test]
fn the_delay_of_a_single_queue_is_its_own_and_that_of_the_link() {
    let poisson = json!({"kind": "poisson", "count": 3});
    let result = results(3e6, &json!({"queue": {"scheme": "droptail", "limit": "inf"}}), &poisson);
    let queued = number(&result, "/links/link/delay_mean_s");
    assert!(queued > 0.003, "{queued}");
    // Few datagrams are in the queue or in flight at either end of the statistics.
    assert!((load(&result, "owd_mean_s") - queued - 0.0208).abs() < 0.002 * queued);
    let spread = number(&result, "/links/link/delay_sd_s");
    assert!((load(&result, "owd_sd_s") / spread - 1.0).abs() < 0.002);
}

/// Without a delivered datagram there is no delay, and with a single one no jitter.
#[test]
fn delays_that_were_not_measured_are_left_out() {
    let silent = results(1e6, &json!({}), &json!({"stop_ns": 500 * MS}));
    assert!(silent["traffic"]["load"].get("owd_mean_s").is_none_or(Value::is_null));
    let single = results(
        1e6,
        &json!({}),
        &json!({"start": {"first_ns": 99_970 * MS, "every_ns": 0, "jitter_ns": 0}, "stop_ns": 99_971 * MS}),
    );
    assert!(load(&single, "owd_mean_s") > 0.0);
    assert!(single["traffic"]["load"].get("jitter_mean_s").is_none_or(Value::is_null));
}

/// As `results`, of TCP traffic with `keys`, over a link of 10 Mbit/s and 20 ms with `queue`, whose ACKs take 5 ms.
fn tcp(queue: &Value, keys: &Value, more: &Value) -> Value {
    let mut link = json!({"name": "link", "from": "A", "to": "B", "rate": 1e7, "delay": 20 * MS, "watch": true});
    link.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    link["queue"] = queue.clone();
    let back = json!({"name": "back", "from": "B", "to": "A", "rate": 1e9, "delay": 5 * MS});
    let mut group = json!({
        "name": "load", "kind": "tcp", "count": 1, "from": ["A"], "to": ["B"], "delays": true,
        "start": {"first_ns": 0, "every_ns": 0, "jitter_ns": 0},
        "tcp": {"profile": "linux", "flavour": "newreno", "settings": {"window": 4, "packet": {"bytes": 960}}},
    });
    group.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    let scenario =
        json!({"duration_ns": 60_000 * MS, "warmup_ns": 1000 * MS, "links": [link, back], "traffic": [group]});
    let scenario: Scenario = serde_json::from_value(scenario).expect("the scenario is canonical");
    serde_json::from_str(&run(&scenario, 1).expect("it runs").to_json()).expect("results are JSON")
}

/// With a window of one packet of 1000 bytes the link is idle whenever it sends: 0.8 ms and 20 ms.
#[test]
fn an_idle_link_delays_the_packets_of_a_tcp_by_its_own() {
    let settings = json!({"window": 1, "packet": {"bytes": 960}});
    let one = json!({"tcp": {"profile": "linux", "flavour": "newreno", "settings": settings}});
    let result = tcp(&json!({"scheme": "droptail", "limit": "inf"}), &one, &json!({}));
    assert!((load(&result, "owd_mean_s") - 0.0208).abs() < 1e-12);
    assert_eq!((load(&result, "owd_sd_s"), load(&result, "jitter_mean_s")), (0.0, 0.0));
}

/// What the queue reports, and 20.8 ms: of a TCP that fills its queue, and of one whose packets are lost and repeated, each
/// packet by its own sending.
#[test]
fn the_delay_of_a_tcp_is_that_of_the_queue_and_of_the_link() {
    let settings = json!({"packet": {"bytes": 960}});
    let many = json!({"count": 3, "tcp": {"profile": "linux", "flavour": "newreno", "settings": settings}});
    let result = tcp(&json!({"scheme": "droptail", "limit": {"packets": 20}}), &many, &json!({}));
    assert!(load(&result, "retransmitted_pkts") > 100.0);
    let queued = number(&result, "/links/link/delay_mean_s");
    assert!(queued > 0.005, "{queued}");
    assert!((load(&result, "owd_mean_s") - queued - 0.0208).abs() < 0.002 * queued);
    let spread = number(&result, "/links/link/delay_sd_s");
    assert!((load(&result, "owd_sd_s") / spread - 1.0).abs() < 0.002);
}

/// Measuring changes nothing else.
#[test]
fn measured_delays_move_no_other_metric() {
    let queue = json!({"scheme": "droptail", "limit": {"packets": 20}});
    let web = json!({
        "kind": "web", "count": 5,
        "web": {"pages": {"exp": 1e9}, "objects": 5.0, "gap": {"exp": 1e7}, "size": {"exp": 2e4}, "request": 300, "option": 1},
    });
    for keys in [json!({"count": 3}), web] {
        let with = tcp(&queue, &keys, &json!({}));
        let mut without = keys;
        without["delays"] = json!(false);
        let mut without = tcp(&queue, &without, &json!({}));
        let load = without["traffic"]["load"].as_object_mut().unwrap();
        for (metric, value) in with["traffic"]["load"].as_object().unwrap() {
            if ["owd_", "jitter_", "page"].iter().any(|new| metric.starts_with(new)) {
                assert_eq!(load.insert(metric.clone(), value.clone()), None, "{metric}");
            }
        }
        assert_eq!(with, without);
    }
}

/// One session whose page has three objects of two packets, asked for at the same time, on a fast link: each takes a round
/// trip for its request and another for its two packets. Requests have no part in the one-way delays.
#[test]
fn a_page_lasts_from_its_first_request_to_its_last_object() {
    let keys = json!({
        "kind": "web",
        "web": {"pages": 1e9, "objects": 3.0, "gap": 0.0, "size": 1900.0, "request": 300, "option": 1},
    });
    let result = tcp(&json!({"scheme": "droptail", "limit": "inf"}), &keys, &json!({"rate": 1e10}));
    let page = load(&result, "page_mean_s");
    assert!((page - 0.050).abs() < 0.0001, "{page}");
    // Page k ends at 0.05 + 1.05 k: the first before the warm-up ends.
    assert_eq!(load(&result, "pages"), (59.95_f64 / 1.05).floor());
    assert!((load(&result, "owd_mean_s") - 0.020).abs() < 1e-5);
    assert!((load(&result, "page_p95_s") - page).abs() < 1e-6);
}

/// A call over an idle link: 20 ms to fill a packet of 200 bytes at 80 kbit/s, 20 ms of propagation, 0.16 ms of transmission.
#[test]
fn a_call_is_rated_by_its_delay_and_loss() {
    let udp = json!({"rate": 8e4, "payload": 172, "headers": 28, "phase": "zero"});
    for loss in [0.0, 0.03] {
        let keys = json!({"loss": {"rate": loss}});
        let result = results(8e4, &keys, &json!({"call": "g711", "udp": udp.clone()}));
        let delay = load(&result, "mouth_to_ear_s");
        assert!((delay - 0.04016).abs() < 0.0001, "{delay}");
        let rated = penstock_model::e_model::rating(delay, load(&result, "loss_rate"), penstock_model::e_model::G711);
        assert!((load(&result, "r_factor") - rated).abs() < 1e-9);
        assert!((load(&result, "mos") - penstock_model::e_model::mos(rated)).abs() < 1e-9);
    }
    // Delays uniform over 200 ms: no play-out is better than a late one for all, of 25 in 1000 steps.
    let wide = results(
        8e4,
        &json!({"reorder": {"rate": 1.0, "delay": {"uniform": [0, 200 * MS]}}}),
        &json!({"call": "g711", "udp": udp}),
    );
    let found = load(&wide, "r_factor");
    for late in (0..200).map(|step| f64::from(step) * 0.002) {
        let delay = 0.04016 + 0.2 * (1.0 - late);
        assert!(penstock_model::e_model::rating(delay, late, penstock_model::e_model::G711) < found + 0.5, "{late}");
    }
    assert!(load(&wide, "mouth_to_ear_s") < 0.2402);
}

/// Two rates of Poisson datagrams with EF and one with AF11: sums and means over the packets of each codepoint, from those of
/// the groups; the 1/2 of p50 lies between those of the groups.
#[test]
fn a_codepoint_has_the_sums_and_the_delays_of_its_groups() {
    let link = json!({
        "name": "link", "from": "A", "to": "B", "rate": 1e7, "delay": 20 * MS, "watch": true,
        "queue": {"scheme": "droptail", "limit": {"packets": 20}},
    });
    let group = |name: &str, rate: f64, payload: u32, dscp: u8| {
        json!({
            "name": name, "kind": "poisson", "count": 2, "from": ["A"], "to": ["B"], "dscp": dscp,
            "start": {"first_ns": 0, "every_ns": 0, "jitter_ns": 0},
            "udp": {"rate": rate, "payload": payload, "headers": 0, "phase": "zero"},
        })
    };
    let outcome = |codepoints: [u8; 3]| -> Value {
        let [one, two, three] = codepoints;
        let traffic = [group("one", 1e6, 200, one), group("two", 2e6, 1500, two), group("three", 1.8e6, 1000, three)];
        let scenario =
            json!({"duration_ns": 60_000 * MS, "warmup_ns": 1000 * MS, "links": [&link], "traffic": traffic});
        let scenario: Scenario = serde_json::from_value(scenario).expect("the scenario is canonical");
        serde_json::from_str(&run(&scenario, 1).expect("it runs").to_json()).expect("results are JSON")
    };
    let found = outcome([46, 46, 10]);
    let [one, two, three, both, rest] = ["/traffic/one", "/traffic/two", "/traffic/three", "/dscp/EF", "/dscp/AF11"]
        .map(|path| found.pointer(path).unwrap());
    let of = |table: &Value, metric: &str| table[metric].as_f64().unwrap();
    for metric in ["count", "sent_pkts", "lost_pkts", "goodput_bps", "throughput_bps"] {
        assert!((of(both, metric) / (of(one, metric) + of(two, metric)) - 1.0).abs() < 1e-12, "{metric}");
    }
    assert_eq!(of(both, "loss_rate"), of(both, "lost_pkts") / of(both, "sent_pkts"));
    assert!(of(both, "lost_pkts") > 100.0);
    // Of packets that were delivered; some of those counted here were under way at an end of the statistics.
    let delivered = [one, two].map(|table| of(table, "sent_pkts") - of(table, "lost_pkts"));
    let mean =
        |f: &dyn Fn(&Value) -> f64| (delivered[0] * f(one) + delivered[1] * f(two)) / (delivered[0] + delivered[1]);
    for metric in ["owd_mean_s", "jitter_mean_s"] {
        assert!((of(both, metric) / mean(&|table| of(table, metric)) - 1.0).abs() < 1e-4, "{metric}");
    }
    let square = |table: &Value| of(table, "owd_sd_s").powi(2) + of(table, "owd_mean_s").powi(2);
    assert!((square(both) / mean(&square) - 1.0).abs() < 1e-4);
    for metric in ["owd_p50_s", "owd_p95_s", "owd_p99_s"] {
        let ends = [of(one, metric), of(two, metric)];
        assert!(ends[0].min(ends[1]) <= of(both, metric) && of(both, metric) <= ends[0].max(ends[1]), "{metric}");
    }
    // The only group of its codepoint.
    for (metric, value) in rest.as_object().unwrap() {
        assert_eq!(Some(value), three.get(metric), "{metric}");
    }
    assert_eq!(outcome([46, 46, 46]).get("dscp"), None, "one codepoint is that of the whole");
    // A codepoint without a name has its number.
    assert!(outcome([46, 46, 1])["dscp"]["1"]["owd_p99_s"].as_f64().is_some());
}

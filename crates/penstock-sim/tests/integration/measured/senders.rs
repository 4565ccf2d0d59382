//! Today's senders on one link: the shares of BBR, LEDBAT and Prague beside others, and the delay they leave. The tables of
//! docs/explanation/senders.md are measured here.

use super::table::{key, named, number as numbers, table};
use penstock_sim::{Scenario, run};
use serde_json::{Value, json};

const RATE: f64 = 20e6;
const RTT: f64 = 0.04;
/// Packets of 1500 bytes in a round trip.
const BDP: f64 = RATE * RTT / 12_000.0;
const SEEDS: u64 = 5;

/// A group of flows, named by its flavour.
fn flows(flavour: &str, count: u32, settings: &Value) -> Value {
    json!({"name": flavour, "kind": "tcp", "count": count, "from": ["A"], "to": ["B"],
           "start": {"first_ns": 0, "jitter_ns": 1_000_000_000},
           "tcp": {"profile": "linux", "flavour": flavour, "settings": settings}})
}

fn droptail(packets: f64) -> Value {
    json!({"scheme": "droptail", "limit": {"packets": packets.round() as u64}})
}

/// Results of all seeds on one link of 20 Mb/s and a round trip of 40 ms, measured for `seconds` after `warmup`.
fn runs(queue: &Value, traffic: &[Value], warmup: f64, seconds: f64) -> Vec<Value> {
    let nanos = |seconds: f64| (seconds * 1e9) as u64;
    let link = |name: &str, from: &str, to: &str, rate: f64| json!({"name": name, "from": from, "to": to, "rate": rate, "delay": RTT * 0.5e9});
    let mut there = link("link", "A", "B", RATE);
    there["queue"] = queue.clone();
    there["watch"] = json!(true);
    let whole = json!({"duration_ns": nanos(warmup + seconds), "warmup_ns": nanos(warmup),
                       "links": [there, link("link.reverse", "B", "A", 1e11)], "traffic": traffic});
    let scenario: Scenario = serde_json::from_value(whole).expect("the scenario is canonical");
    let result = |seed| serde_json::from_str(&run(&scenario, seed).expect("it runs").to_json()).expect("it is JSON");
    (1..=SEEDS).map(result).collect()
}

fn number(result: &Value, path: &str) -> f64 {
    result.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path} in {result}"))
}

fn mean(results: &[Value], of: impl Fn(&Value) -> f64) -> f64 {
    results.iter().map(of).sum::<f64>() / results.len() as f64
}

/// Share of a group in the total goodput.
fn share(result: &Value, flavour: &str) -> f64 {
    let groups = result["traffic"].as_object().expect("groups");
    let all: f64 = groups.values().map(|group| number(group, "/goodput_bps")).sum();
    number(result, &format!("/traffic/{flavour}/goodput_bps")) / all
}

fn delay_ms(results: &[Value]) -> f64 {
    mean(results, |result| number(result, "/links/link/delay_mean_s")) * 1e3
}

#[test]
fn bbr_takes_nearly_all_of_a_short_buffer_and_less_than_half_of_a_long_one() {
    let none = json!({});
    let rows = [0.5, 1.0, 2.0, 4.0, 8.0].map(|bdps| {
        let beside = |other: &str| {
            let found = runs(&droptail(bdps * BDP), &[flows("bbr", 1, &none), flows(other, 1, &none)], 30.0, 120.0);
            (mean(&found, |result| share(result, "bbr")), delay_ms(&found))
        };
        let ((reno, reno_delay), (cubic, cubic_delay)) = (beside("sack"), beside("cubic"));
        if bdps <= 1.0 {
            assert!(reno > 0.8 && cubic > 0.8, "{reno} and {cubic} with {bdps}");
        } else if bdps >= 4.0 {
            assert!(reno < 0.5 && cubic < 0.5, "{reno} and {cubic} with {bdps}");
        }
        vec![named(&bdps), reno.into(), reno_delay.into(), cubic.into(), cubic_delay.into()]
    });
    let columns = [
        key("buffer in BDP"),
        numbers("share next to SACK", 2, 0.03),
        numbers("delay next to SACK in ms", 0, 5.0),
        numbers("share next to CUBIC", 2, 0.03),
        numbers("delay next to CUBIC in ms", 0, 5.0),
    ];
    table("senders-bbr-buffers", &columns, &rows);
}

#[test]
fn one_bbr_keeps_its_share_beside_any_number_of_cubics() {
    let none = json!({});
    let rows = [1, 4, 16].map(|others| {
        let found = runs(&droptail(8.0 * BDP), &[flows("bbr", 1, &none), flows("cubic", others, &none)], 30.0, 120.0);
        vec![named(&others), mean(&found, |result| share(result, "bbr")).into(), (1.0 / f64::from(others + 1)).into()]
    });
    let columns = [key("flows of CUBIC"), numbers("share of BBR", 2, 0.03), numbers("fair share", 2, 0.005)];
    table("senders-bbr-others", &columns, &rows);
}

/// The aims of draft-ietf-ccwg-bbr-06, section 3.1, beside version 1: full throughput with little queue and loss.
#[test]
fn bbr_version_3_fills_the_link_with_a_shorter_queue_and_less_loss() {
    let none = json!({});
    let rows = [0.25, 1.0, 10.0].map(|bdps| {
        let alone = |flavour: &str| {
            let found = runs(&droptail(bdps * BDP), &[flows(flavour, 1, &none)], 20.0, 40.0);
            let link = |metric: &str| mean(&found, |result| number(result, &format!("/links/link/{metric}")));
            (100.0 * link("utilization"), 1e3 * link("delay_mean_s"), 100.0 * link("loss_rate"))
        };
        let ((used, waits, lost), (used_1, waits_1, lost_1)) = (alone("bbr3"), alone("bbr"));
        assert!(used > 90.0 && waits < 1e3 * RTT && waits < waits_1, "{used} %, {waits} and {waits_1} ms with {bdps}");
        // A buffer of a BDP overflows with neither.
        assert!(if bdps < 1.0 { lost < lost_1 / 4.0 } else { lost == 0.0 && lost_1 == 0.0 }, "{lost} and {lost_1} %");
        vec![named(&bdps), used_1.into(), used.into(), waits_1.into(), waits.into(), lost_1.into(), lost.into()]
    });
    let columns = [
        key("buffer in BDP"),
        numbers("utilization of version 1 in %", 1, 0.5),
        numbers("of version 3", 1, 0.5),
        numbers("delay of version 1 in ms", 2, 0.2),
        numbers("of version 3", 2, 0.2),
        numbers("loss of version 1 in %", 2, 0.1),
        numbers("of version 3", 2, 0.02),
    ];
    table("senders-bbr3-alone", &columns, &rows);
}

#[test]
fn bbr_version_3_leaves_cubic_more_of_a_short_buffer_than_version_1() {
    let none = json!({});
    let rows = [0.5, 1.0, 2.0, 4.0, 8.0].map(|bdps| {
        let beside = |flavour: &str| {
            let found = runs(&droptail(bdps * BDP), &[flows(flavour, 1, &none), flows("cubic", 1, &none)], 30.0, 120.0);
            (mean(&found, |result| share(result, flavour)), delay_ms(&found))
        };
        let ((first, _), (third, delay)) = (beside("bbr"), beside("bbr3"));
        assert!(bdps > 1.0 || third < first - 0.1, "{third} and {first} with {bdps}");
        vec![named(&bdps), first.into(), third.into(), delay.into()]
    });
    let columns = [
        key("buffer in BDP"),
        numbers("share of version 1", 2, 0.03),
        numbers("share of version 3", 2, 0.03),
        numbers("delay next to version 3 in ms", 0, 5.0),
    ];
    table("senders-bbr3-cubic", &columns, &rows);
}

#[test]
fn ledbat_keeps_its_target_alone_and_yields_to_sack() {
    let rows = [25, 50, 100].map(|target| {
        // Each packet acknowledged: a delayed acknowledgement counts as delay. The fixed point is approached with a time
        // constant of target, round trip and packets a second, 23 s for 100 ms.
        let settings = json!({"target": {"ns": target * 1_000_000}, "delayed_ack": "off"});
        let alone = runs(&droptail(1000.0), &[flows("ledbat", 1, &settings)], 200.0, 60.0);
        let delay = delay_ms(&alone);
        assert!((delay - f64::from(target)).abs() < 0.05 * f64::from(target), "{delay} ms, not {target}");
        let beside =
            runs(&droptail(1000.0), &[flows("ledbat", 1, &settings), flows("sack", 1, &json!({}))], 100.0, 100.0);
        let left = mean(&beside, |result| share(result, "ledbat"));
        assert!(left < 0.05, "{left} of the link beside SACK");
        vec![named(&target), delay.into(), left.into()]
    });
    let columns = [key("target in ms"), numbers("delay alone in ms", 1, 0.5), numbers("share next to SACK", 3, 0.002)];
    table("senders-ledbat", &columns, &rows);
}

#[test]
fn prague_has_1_and_root_3_random_marks_a_round_trip() {
    let rows = [0.05, 0.1, 0.2].map(|p| {
        let queue = json!({"scheme": "bernoulli", "limit": {"packets": 1000}, "params": {"p": p, "ecn": true}});
        // So few packets are in flight that no queue forms.
        let found = runs(&queue, &[flows("prague", 1, &json!({"delayed_ack": "off"}))], 20.0, 200.0);
        let window = mean(&found, |result| number(result, "/traffic/prague/cwnd_mean_pkts"));
        // With marks at random the next cut waits a round trip and 1/m of one for the next mark, m marks a round trip: what
        // it takes, m/2, is what has grown, 1 + 1/m.
        let (marks, law) = (window * p, 1.0 + 3.0_f64.sqrt());
        assert!((marks / law - 1.0).abs() < 0.05 || p > 0.1, "{marks} marks a round trip at {p}");
        vec![named(&p), (law / p).into(), window.into(), marks.into()]
    });
    let columns = [
        key("p"),
        numbers("window by the law", 1, 0.1),
        numbers("window measured", 1, 0.5),
        numbers("marks per round trip", 2, 0.05),
    ];
    table("senders-prague-marks", &columns, &rows);
}

#[test]
fn prague_and_cubic_share_a_dual_queue() {
    let queue = json!({"scheme": "dualpi2", "limit": {"packets": 1000}, "params": {}});
    let rows = [1, 2, 5].map(|count| {
        let traffic =
            [flows("prague", count, &json!({"delayed_ack": "off"})), flows("cubic", count, &json!({"ecn": true}))];
        let found = runs(&queue, &traffic, 30.0, 60.0);
        let rate =
            |flavour: &str| mean(&found, |result| number(result, &format!("/traffic/{flavour}/goodput_bps"))) / 1e6;
        let waits = |flavour: &str| {
            mean(&found, |result| number(result, &format!("/traffic/{flavour}/rtt_mean_s")) - RTT) * 1e3
        };
        let (prague, cubic) = (rate("prague"), rate("cubic"));
        assert!((0.5..2.0).contains(&(prague / cubic)), "{prague} and {cubic} Mb/s");
        assert!(waits("prague") < 2.0 && waits("cubic") > 10.0, "{} and {} ms", waits("prague"), waits("cubic"));
        vec![named(&count), prague.into(), cubic.into(), waits("prague").into(), waits("cubic").into()]
    });
    let columns = [
        key("flows of each"),
        numbers("Prague in Mb/s", 1, 0.5),
        numbers("CUBIC in Mb/s", 1, 0.5),
        numbers("delay of Prague in ms", 1, 0.2),
        numbers("delay of CUBIC in ms", 1, 1.0),
    ];
    table("senders-prague-cubic", &columns, &rows);
}

#[test]
fn the_ends_of_slow_start_and_pacing_beside_each_other() {
    let rows = [("off", false), ("on", false), ("++", false), ("off", true), ("++", true)].map(|(hystart, pacing)| {
        let settings = json!({"hystart": hystart, "pacing": pacing, "packets": 2000});
        let found = runs(&droptail(BDP), &[flows("cubic", 1, &settings)], 0.0, 30.0);
        let again = mean(&found, |result| number(result, "/traffic/cubic/retransmitted_pkts"));
        let timeouts = mean(&found, |result| number(result, "/traffic/cubic/timeouts"));
        let done = mean(&found, |result| number(result, "/traffic/cubic/completion_mean_s"));
        let pacing = if pacing { "yes" } else { "no" };
        vec![hystart.into(), pacing.into(), again.into(), timeouts.into(), done.into()]
    });
    let columns = [
        key("hystart"),
        key("paced"),
        numbers("retransmissions", 0, 10.0),
        numbers("timeouts", 1, 0.3),
        numbers("seconds", 2, 0.02),
    ];
    table("senders-slow-start", &columns, &rows);
}

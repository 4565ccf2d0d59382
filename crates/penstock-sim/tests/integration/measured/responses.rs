//! How the simulated TCPs respond to losses on a link that never queues, against the closed forms of `penstock-model`.
//! The tables of docs/explanation/responses.md are measured here.

use super::table::{Cell, key, named, number, table};
use penstock_model::padhye::Path;
use penstock_model::{cubic_response, padhye, sqrt_law};
use penstock_sim::trace::TraceEvent;
use penstock_sim::{Kind, Scenario, run, run_traced};
use serde_json::{Value, json};
use std::sync::LazyLock;

const RTT: f64 = 0.1;

/// Flows of one kind over a link with losses.
struct Setting {
    flavour: &'static str,
    settings: Value,
    loss: Value,
    rtt: f64,
    flows: u32,
    seconds: f64,
    warmup: f64,
}

struct Found {
    /// Packets a second of one flow, repeated ones included.
    rate: f64,
    /// Mean round trip in seconds.
    rtt: f64,
    /// Losses that were told of, by acknowledgements or a timeout, a packet sent.
    events: f64,
    /// Share of timeouts among those.
    timeouts: f64,
}

impl Setting {
    fn scenario(&self) -> Scenario {
        let link = |name: &str, from: &str, to: &str| json!({"name": name, "from": from, "to": to, "rate": 1e11, "delay": self.rtt * 0.5e9});
        let (mut there, back) = (link("link", "A", "B"), link("link.reverse", "B", "A"));
        there["loss"] = self.loss.clone();
        let mut settings = self.settings.clone();
        settings["window"] = json!(1_000_000);
        let flow = json!({"name": "flow", "kind": "tcp", "count": self.flows, "from": ["A"], "to": ["B"],
                          "tcp": {"profile": "ns2", "flavour": self.flavour, "settings": settings}});
        let nanos = |seconds: f64| (seconds * 1e9) as u64;
        let whole = json!({"duration_ns": nanos(self.warmup + self.seconds), "warmup_ns": nanos(self.warmup),
                           "links": [there, back], "traffic": [flow]});
        serde_json::from_value(whole).expect("the scenario is canonical")
    }

    fn measure(&self) -> Found {
        let text = run(&self.scenario(), 1).expect("the scenario runs").to_json();
        let result: Value = serde_json::from_str(&text).expect("it is JSON");
        let read = |name: &str| result["traffic"]["flow"][name].as_f64().expect(name);
        let (sent, events) = (read("sent_pkts"), read("fast_retransmits") + read("timeouts"));
        // no queue: the round trip is that of the link, unless an acknowledgement is delayed
        let rtt = read("rtt_mean_s");
        let delayed = !self.settings["delayed_ack"].is_null();
        assert!(rtt >= self.rtt && (delayed || rtt < 1.02 * self.rtt), "a round trip of {rtt} s");
        let rate = sent / self.seconds / f64::from(self.flows);
        Found { rate, rtt, events: events / sent, timeouts: read("timeouts") / events }
    }
}

/// Each packet is lost with probability `p`; about `packets` are sent.
fn random(flavour: &'static str, p: f64, settings: Value, packets: f64) -> Found {
    let flows = 20;
    let seconds = packets / f64::from(flows) / (sqrt_law::window(p, 1.0) / RTT);
    Setting { flavour, settings, loss: json!({ "rate": p }), rtt: RTT, flows, seconds, warmup: 20.0 }.measure()
}

fn path(timeout: f64, b: f64) -> Path {
    Path { rtt: RTT, timeout, b, window_limit: f64::INFINITY }
}

const MIN_RTO: f64 = 0.2;

/// One loss rate: what SACK did with a minimum RTO of 200 ms.
struct Row {
    p: f64,
    found: Found,
}

impl Row {
    /// Found over the square-root law.
    fn root(&self) -> f64 {
        self.found.rate * RTT / sqrt_law::window(self.p, 1.0)
    }

    /// Found over the full model.
    fn full(&self) -> f64 {
        self.found.rate / padhye::rate(self.p, &path(MIN_RTO, 1.0))
    }

    /// Found over the full model at the rate of loss events.
    fn full_of_events(&self) -> f64 {
        self.found.rate / padhye::rate(self.found.events, &path(MIN_RTO, 1.0))
    }
}

static SACK: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let row = |p: f64| Row { p, found: random("sack", p, json!({}), if p < 0.001 { 2e6 } else { 1e6 }) };
    [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1].map(row).into()
});

#[test]
fn sack_follows_the_square_root_law_up_to_two_percent_of_losses() {
    for row in SACK.iter().filter(|row| row.p <= 0.02) {
        assert!((row.root() - 1.0).abs() < 0.1, "{} of the law at p = {}", row.root(), row.p);
    }
    // above it does not: timeouts
    assert!(SACK.last().is_some_and(|row| row.root() < 0.75));
}

#[test]
fn sack_follows_the_full_model_up_to_ten_percent_of_losses() {
    for row in SACK.iter() {
        let bound = if row.p <= 0.02 { 0.1 } else { 0.25 };
        assert!((row.full() - 1.0).abs() < bound, "{} of the model at p = {}", row.full(), row.p);
    }
    let rows = SACK.iter().map(|row| {
        let Row { p, found } = row;
        let law = sqrt_law::window(*p, 1.0) / RTT;
        let model = padhye::rate(*p, &path(MIN_RTO, 1.0));
        let numbers =
            [found.events, found.timeouts, found.rate, law, row.root(), model, row.full(), row.full_of_events()];
        [named(p)].into_iter().chain(numbers.map(Cell::from)).collect()
    });
    let columns = [
        key("p"),
        number("loss events per packet", 5, 0.002),
        number("share of timeouts", 3, 0.02),
        number("rate", 1, 10.0),
        number("law", 1, 0.1),
        number("rate/law", 3, 0.02),
        number("model", 1, 0.1),
        number("rate/model", 3, 0.02),
        number("rate/model at the rate of events", 3, 0.02),
    ];
    table("responses-sack", &columns, &rows.collect::<Vec<_>>());
}

/// Other senders: what they do over the full model with their own RTO and packets per acknowledgement.
#[test]
fn other_senders_stand_beside_it() {
    let second = json!({"min_rto": {"ns": 1_000_000_000}});
    let delayed = json!({"delayed_ack": {"ns": 100_000_000}});
    let whole = json!({"halving": "whole"});
    let rows = [0.005, 0.01, 0.02, 0.05, 0.1].map(|p| {
        let over = |flavour, settings: &Value, timeout, b| {
            let found = random(flavour, p, settings.clone(), 3e5);
            found.rate / padhye::rate(p, &Path { rtt: found.rtt, ..path(timeout, b) })
        };
        let reno = over("reno", &json!({}), MIN_RTO, 1.0);
        let (reno_second, sack_second) = (over("reno", &second, 1.0, 1.0), over("sack", &second, 1.0, 1.0));
        let sack_delayed = over("sack", &delayed, MIN_RTO, 2.0);
        assert!((reno_second - 1.0).abs() < 0.1 && (reno - 1.0).abs() < 0.15, "Reno at {p}: {reno}, {reno_second}");
        assert!((sack_delayed - 1.0).abs() < 0.1, "two packets an acknowledgement at {p}: {sack_delayed}");
        let root = random("sack", p, whole.clone(), 3e5).rate * RTT / sqrt_law::window(p, 1.0);
        vec![named(&p), reno.into(), reno_second.into(), sack_second.into(), sack_delayed.into(), root.into()]
    });
    let columns = [
        key("p"),
        number("Reno 200 ms", 3, 0.03),
        number("Reno 1 s", 3, 0.03),
        number("SACK 1 s", 3, 0.05),
        number("SACK b = 2", 3, 0.03),
        number("SACK whole/law", 3, 0.03),
    ];
    table("responses-others", &columns, &rows);
}

/// T_0 of the models: the last packet of a transfer is lost, and only its timeout repeats it.
#[test]
fn the_timeout_is_the_least_one() {
    for (flavour, min_rto) in [("sack", 0.2), ("reno", 0.2), ("sack", 1.0)] {
        let settings = json!({"packets": 40, "min_rto": {"ns": (min_rto * 1e9) as u64}});
        // a first packet opens the flow
        let setting = Setting {
            flavour,
            settings,
            loss: json!({"arrivals": [40]}),
            rtt: RTT,
            flows: 1,
            seconds: 20.0,
            warmup: 0.0,
        };
        let (_, trace) = run_traced(&setting.scenario(), 1).expect("it runs");
        let last = trace.rows.iter().rposition(|row| row.event == TraceEvent::Send && row.kind == Kind::Data);
        let repeated = &trace.rows[last.expect("data was sent")];
        let acks = trace.rows.iter().filter(|row| row.event == TraceEvent::Receive && row.kind == Kind::Ack);
        let before = acks.map(|row| row.time).filter(|&at| at < repeated.time).max().expect("it was answered before");
        let rto = repeated.time.since(before).as_secs();
        assert!((rto - min_rto).abs() < 1e-6, "{flavour}: {rto} s");
    }
}

/// CUBIC loses a packet after each `gap`, and begins with `start` times the mean window of its response.
fn cubic(rtt: f64, gap: f64, start: f64) -> (f64, f64) {
    let window = cubic_response::window(1.0 / gap, rtt, cubic_response::C, cubic_response::BETA);
    let cycle = gap * rtt / window;
    let lost: Vec<u64> = (0..70).map(|n| (5.0 * window + gap * f64::from(n)) as u64).collect();
    let first = (start * window).floor();
    let settings = json!({"initial_window": first, "initial_ssthresh": first});
    let loss = json!({ "arrivals": lost });
    let seconds = 40.0 * cycle;
    let setting = Setting { flavour: "cubic", settings, loss, rtt, flows: 1, seconds, warmup: 10.0 * cycle };
    (setting.measure().rate * rtt, window)
}

#[test]
fn cubic_follows_its_response_function_where_it_is_above_renos() {
    let cases = [(0.1, 1e4), (0.1, 3e4), (0.1, 1e5), (0.2, 1e4), (0.2, 3e4)];
    let rows = cases.map(|(rtt, gap)| {
        let (found, window) = cubic(rtt, gap, 1.2);
        let reno = sqrt_law::window(1.0 / gap, 1.0);
        assert!(window > reno);
        let ratio = found / window;
        assert!((ratio - 1.0).abs() < 0.1, "{ratio} of the response after each {gap}, {rtt} s");
        let [low, high] = [1.0, 1.4].map(|start| cubic(rtt, gap, start).0 / window);
        assert!([low, high].iter().all(|ratio| (0.85..1.0).contains(ratio)), "{low}, {high} after each {gap}, {rtt} s");
        let numbers = [reno, window, found, ratio, low, high].map(Cell::from);
        [named(&rtt), named(&gap)].into_iter().chain(numbers).collect()
    });
    let columns = [
        key("RTT in s"),
        key("1/p"),
        number("Reno", 1, 0.1),
        number("CUBIC", 1, 0.1),
        number("measured from 1.2", 1, 10.0),
        number("ratio from 1.2", 3, 0.01),
        number("ratio from 1", 3, 0.01),
        number("ratio from 1.4", 3, 0.01),
    ];
    table("responses-cubic", &columns, &rows);
}

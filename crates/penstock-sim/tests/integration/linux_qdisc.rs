//! Schemes under TCP against Linux 6.1: mean delay, drops and marks, and goodput of each recorded cell.
//!
//! One link of 10 Mbit/s, 1 to 16 flows with the `linux` profile and a ping every 10.007 ms (`tests/data/linux/README.md`).
//! A result is Linux's if the mean over our seeds is within a tenth of the mean over all recordings of the cell. What is not stands
//! with its ratio in `qdisc_tcp_differences.txt`, so that a change of it is noticed; `docs/explanation/linux.md` has the reasons.
//! With `PENSTOCK_MEASURE=1` the test prints the page's table and what differs instead of judging.

use penstock_sim::{RunResult, Scenario, run};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Number of simulated runs per cell.
const SEEDS: u64 = 12;

/// Number of simulated runs when their spread is judged.
const MANY_SEEDS: u64 = 20;

/// With each seed all flows start so much later against the pings, for schemes that draw nothing. Linux's own results move with
/// the start: drop-tail lost 165 or 171 packets of 4 CUBIC flows when that was moved by 2.5 ms.
const SHIFT_NS: u64 = 131_000;

/// Linux sends a frame of 1514 bytes each 1.211584 ms.
const SERVICE_NS: f64 = 1_211_584.0;

fn data(name: &str) -> String {
    let path = format!("{}/../../tests/data/linux/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the recordings")
}

/// A cell by its name: `QDISC RTT_MS CC FLOWS`, and `udpSHARE` where there is a flood besides.
struct Cell<'a> {
    qdisc: &'a str,
    rtt_ms: f64,
    cc: &'a str,
    flows: u64,
    /// Rate of the unresponsive datagrams over that of the link.
    udp: Option<f64>,
    /// Packets from one that the recorded application pushed to the next, if captured.
    pushes: Option<f64>,
}

/// The captured `pushes`, by cell.
static PUSHES: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(&data("qdisc_tcp_pushes.json")).expect("JSON"));

impl<'a> Cell<'a> {
    fn of(name: &'a str) -> Self {
        let words: Vec<&str> = name.split(' ').collect();
        Self {
            qdisc: words[0],
            rtt_ms: words[1].parse().expect("a time"),
            cc: words[2],
            flows: words[3].parse().expect("a number"),
            pushes: PUSHES[name].as_f64(),
            udp: words.get(4).map(|word| word[3..].parse().expect("a share")),
        }
    }
}

/// Our scheme, settings and limit for each scheme of Linux. Adding a scheme is one line.
#[rustfmt::skip]
fn queue(qdisc: &str) -> Value {
    let (qdisc, ecn) = qdisc.strip_suffix("_ecn").map_or((qdisc, false), |qdisc| (qdisc, true));
    let red = json!({
        "measure_in": "bytes", "min_th": {"bytes": 15_000}, "max_th": {"bytes": 45_000}, "max_p": 0.1, "w_q": 0.0625,
        "spacing": "once", "mean_packet": {"bytes": 1500}, "ecn": ecn, "mark_up_to": "always", "gentle": false,
    });
    let (scheme, limit, params) = match qdisc {
        "pfifo100" => ("droptail", json!({"packets": 100}), json!({})),
        // tc's `adaptive` does not start the timer that adapts max_p; as `red_timer` it was started (validation/linux/README.md)
        "red" | "red_adaptive" => ("red", json!({"bytes": 400_000}), red),
        "red_timer" => ("ared-floyd", json!({"bytes": 400_000}), red),
        "codel" => ("codel", json!({"packets": 1000}), json!({"variant": "linux", "ecn": ecn})),
        "fq_codel" => ("fq-codel", json!({"packets": 10_240}), json!({"variant": "linux", "ecn": ecn})),
        "pie" => ("pie", json!({"packets": 1000}), json!({"variant": "linux", "hz": 100, "ecn": ecn})),
        "fq_pie" => ("fq-pie", json!({"packets": 10_240}), json!({"variant": "linux", "hz": 100, "ecn": ecn})),
        "cake_htb" => ("cake", json!("inf"), json!({})),
        "cake_10mbit" => ("cake", json!("inf"), json!({"bandwidth": 1e7})),
        "choke" => ("choke", json!({"packets": 1000}), json!({
            "min_th": 10, "max_th": 30, "max_p": 0.1, "w_q": 0.0625, "spacing": "once", "guards": true,
            "whole_average": true, "ecn": ecn, "mark_up_to": "always",
        })),
        "sfb" => ("sfb", json!({"packets": 1000}), json!({
            "levels": 8, "bins": 16, "bin_size": 19, "max": 25, "d1": 0.000_503_548, "d2": 0.000_045_777_1, "ecn": ecn,
            "rehash": {"ns": 600_000_000_000_u64}, "warmup": {"ns": 60_000_000_000_u64},
            "penalty_rate": 10, "penalty_burst": 20,
        })),
        "sfq" => ("sfq", json!({"packets": 127}), json!({})),
        other => panic!("no scheme of ours stands for {other}"),
    };
    json!({"scheme": scheme, "limit": limit, "params": params})
}

/// The recorded network: all propagation is on the way of the acknowledgements. Linux delivers a packet when its
/// transmission begins, so that the transmission is part of the round trip there; behind CAKE's own shaper the link is fast.
fn scenario(cell: &Cell<'_>, settings: &Value, seed: u64) -> Scenario {
    let link = |name: &str, from: &str, to: &str, rate: f64, delay: f64| json!({"name": name, "from": from, "to": to, "rate": rate, "delay": delay});
    let service_ns = if cell.qdisc == "cake_10mbit" { 12_112.0 } else { SERVICE_NS };
    let rate = 1514.0 * 8.0 / service_ns * 1e9;
    let mut bottleneck = link("bottleneck", "S", "D", rate, 0.0);
    bottleneck["queue"] = queue(cell.qdisc);
    bottleneck["watch"] = json!(true);
    let ecn = cell.qdisc.ends_with("_ecn");
    let shift = (seed - 1) * SHIFT_NS;
    // the recorded receiver, and a kernel that counts 10 ms
    // a SYN is small: on our link its round trip is shorter by a service time, and BBR keeps this minimum for 10 s. So
    // BBR has no SYN, except in the cell in which the loss of a SYN matters: Linux then uses no ECN
    let syn = !cell.cc.contains("bbr") || cell.qdisc == "red_ecn";
    let mut tcp = json!({
        "packet": {"bytes": 1448}, "headers": {"bytes": 66}, "ack_size": {"bytes": 66}, "syn": syn, "ecn": ecn,
        "timer_tick": {"ns": 10_000_000}, "offload": false,
    });
    if let Some(packets) = cell.pushes {
        tcp["write"] = json!({"bytes": 1448.0 * packets});
    }
    tcp.as_object_mut().expect("settings").extend(settings.as_object().expect("settings").clone());
    // "cubic+bbr": half of the flows each, one after the other
    let kinds: Vec<&str> = cell.cc.split('+').collect();
    let each = cell.flows / kinds.len() as u64;
    let group = |(i, kind): (usize, &&str)| {
        let flavour = if *kind == "reno" { "sack" } else { *kind };
        json!({"name": format!("tcp{i}"), "kind": "tcp", "count": each, "from": ["S"], "to": ["D"],
            "start": {"first_ns": i as u64 * each * 100_000_000 + shift, "every_ns": 100_000_000},
            "tcp": {"profile": "linux", "flavour": flavour, "settings": tcp}})
    };
    let mut traffic: Vec<Value> = kinds.iter().enumerate().map(group).collect();
    traffic.push(json!({"name": "ping", "kind": "cbr", "count": 1, "from": ["S"], "to": ["D"],
        "udp": {"rate": 98.0 * 8.0 / 10.007e-3, "payload": 70}}));
    if let Some(share) = cell.udp {
        traffic.push(json!({"name": "udp", "kind": "cbr", "count": 1, "from": ["S"], "to": ["D"],
            "udp": {"rate": share * 1e7, "payload": 1486}}));
    }
    let propagation = cell.rtt_ms * 1e6 - service_ns;
    let whole = json!({
        "duration_ns": 60_000_000_000_u64, "warmup_ns": 10_000_000_000_u64, "traffic": traffic,
        "links": [bottleneck, link("bottleneck.reverse", "D", "S", 1e11, propagation)],
    });
    serde_json::from_value(whole).expect("the scenario is canonical")
}

/// The compared numbers.
const RESULTS: [&str; 3] = ["delay", "signals", "goodput"];

/// Mean delay in seconds (Little: packets waiting over packets sent each second), drops and marks, goodput in bit/s.
fn results(backlog: f64, sent: f64, signals: f64, goodput: f64) -> [f64; 3] {
    [backlog * 50.0 / sent, signals, goodput]
}

fn mean(runs: &[[f64; 3]]) -> [f64; 3] {
    [0, 1, 2].map(|i| runs.iter().map(|run| run[i]).sum::<f64>() / runs.len() as f64)
}

/// Signals of the queue: drops or marks.
const SIGNALS: &[&str] = &["drops", "marks"];

fn linux(cell: &Value, signals: &[&str]) -> Vec<[f64; 3]> {
    let list = |key: &str| -> Vec<f64> {
        cell[key].as_array().expect("a list").iter().map(|value| value.as_f64().expect("a number")).collect()
    };
    let [backlog, sent, goodput] = ["backlog", "sent", "goodput"].map(list);
    let signals: Vec<Vec<f64>> = signals.iter().map(|name| list(name)).collect();
    let signals = |i: usize| signals.iter().map(|list| list[i]).sum();
    (0..sent.len()).map(|i| results(backlog[i], sent[i], signals(i), goodput[i])).collect()
}

/// Results of this number of runs with these settings of TCP.
fn ours(cell: &Cell<'_>, settings: &Value, signals: &[&str], seeds: u64) -> Vec<[f64; 3]> {
    let one = |seed| {
        let result: RunResult = run(&scenario(cell, settings, seed), seed).expect("the scenario runs");
        let link = |metric: &str| result.link("bottleneck", metric).expect("a watched link");
        let goodput: f64 = ["tcp0", "tcp1"].iter().filter_map(|name| result.traffic(name, "goodput_bps")).sum();
        let signals = signals.iter().map(|name| link(name)).sum();
        results(link("length_mean_pkts"), link("departures"), signals, goodput)
    };
    (1..=seeds).map(one).collect()
}

/// Ours over Linux', with these settings of TCP.
fn compare(cell: &Cell<'_>, settings: &Value, recorded: &Value) -> [f64; 3] {
    let (got, wanted) = (mean(&ours(cell, settings, SIGNALS, SEEDS)), mean(&linux(recorded, SIGNALS)));
    // nothing on both sides is equal
    [0, 1, 2].map(|i| if got[i] == wanted[i] { 1.0 } else { got[i] / wanted[i] })
}

/// The number of first packets that the recorded receiver acknowledged one by one, of the cells whose result depends on it; counted
/// in captures.
fn captured(cell: &str) -> Value {
    match cell {
        "fq_codel_ecn 20 cubic 16" => json!({"quick_acks": 80}),
        other => panic!("{other}: not captured"),
    }
}

/// Whether many runs of ours are like Linux's recordings: their means within a tenth, or nearer than two
/// standard deviations that a difference of two such means has.
fn like_recordings(cell: &Cell<'_>, settings: &Value, signals: &[&str], recorded: &Value) -> [bool; 3] {
    let (ours, linux) = (ours(cell, settings, signals, MANY_SEEDS), linux(recorded, signals));
    let (got, wanted) = (mean(&ours), mean(&linux));
    [0, 1, 2].map(|i| {
        let variance_of_mean = |runs: &[[f64; 3]], mean: f64| {
            let squares: f64 = runs.iter().map(|run| (run[i] - mean).powi(2)).sum();
            squares / ((runs.len() - 1) * runs.len()) as f64
        };
        let deviation = (variance_of_mean(&ours, got[i]) + variance_of_mean(&linux, wanted[i])).sqrt();
        (got[i] - wanted[i]).abs() <= (2.0 * deviation).max(0.1 * wanted[i])
    })
}

/// All cells of a file, by name.
fn cells(file: &str) -> Map<String, Value> {
    let file: Value = serde_json::from_str(&data(file)).expect("JSON");
    file["cells"].as_object().expect("cells by name").clone()
}

/// All cells with all their recordings.
fn recordings() -> Map<String, Value> {
    let mut all = cells("qdisc_tcp.json");
    for (name, more) in cells("qdisc_tcp_starts.json") {
        let Some(cell) = all.get_mut(&name) else {
            all.insert(name, more);
            continue;
        };
        for (key, numbers) in more.as_object().expect("lists by key") {
            cell[key].as_array_mut().expect("a list").extend(numbers.as_array().expect("a list").iter().cloned());
        }
    }
    all
}

/// Half of the work on each of two threads.
fn on_two_threads<T: Sync, R: Send>(work: &[T], one: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (first, second) = work.split_at(work.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| second.iter().map(&one).collect::<Vec<R>>());
        let mut all: Vec<R> = first.iter().map(&one).collect();
        all.extend(other.join().expect("no panic"));
        all
    })
}

/// A known difference.
struct Difference {
    cell: String,
    result: String,
    /// Ours over Linux'.
    ratio: f64,
    reason: String,
}

fn known() -> Vec<Difference> {
    let text = data("qdisc_tcp_differences.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let difference = |line: &str| {
        let parts: Vec<&str> = line.rsplitn(4, ' ').collect();
        let &[reason, ratio, result, cell] = &parts[..] else { panic!("{line}: not CELL RESULT RATIO REASON") };
        let ratio = ratio.parse().expect("a ratio");
        Difference { cell: cell.to_owned(), result: result.to_owned(), ratio, reason: reason.to_owned() }
    };
    lines.map(difference).collect()
}

/// The number of cells of each recorded queue, and of those whose results are within a tenth; and each result that is not.
fn print_table(ratios: &BTreeMap<(&str, &str), f64>) {
    let mut rows = BTreeMap::<(bool, &str), [usize; 4]>::new();
    for (&(cell, result), ratio) in ratios {
        let (index, cell) = (RESULTS.iter().position(|other| *other == result).expect("a result"), Cell::of(cell));
        let row = rows.entry((cell.cc.contains("bbr"), cell.qdisc)).or_default();
        row[0] += usize::from(index == 0);
        row[1 + index] += usize::from(is_near(*ratio));
    }
    for ((bbr, qdisc), [cells, delay, signals, goodput]) in rows {
        println!("{} | {qdisc} | {cells} | {delay} | {signals} | {goodput} |", if bbr { "BBR" } else { "   " });
    }
    for ((cell, result), ratio) in ratios.iter().filter(|(_, ratio)| !is_near(**ratio)) {
        println!("{cell} {result} {ratio:.3}");
    }
}

/// Within a tenth.
fn is_near(ratio: f64) -> bool {
    (ratio - 1.0).abs() <= 0.1
}

#[test]
fn every_cell_is_linux_s_within_a_tenth_or_differs_as_it_is_known_to() {
    let cells: Vec<(String, Value)> = recordings().into_iter().collect();
    assert_eq!(cells.len(), 235);
    let ratios = on_two_threads(&cells, |(name, recorded)| compare(&Cell::of(name), &json!({}), recorded));
    let ratios: BTreeMap<(&str, &str), f64> = cells
        .iter()
        .zip(&ratios)
        .flat_map(|((name, _), ratios)| {
            RESULTS.into_iter().zip(ratios).map(|(result, &ratio)| ((&name[..], result), ratio))
        })
        .collect();
    if std::env::var_os("PENSTOCK_MEASURE").is_some() {
        return print_table(&ratios);
    }
    let known = known();
    let known: BTreeMap<(&str, &str), f64> =
        known.iter().map(|known| ((&known.cell[..], &known.result[..]), known.ratio)).collect();
    let mut faults = Vec::new();
    for (name, ratio) in &ratios {
        match known.get(name) {
            None if !is_near(*ratio) => faults.push(format!("{name:?} {ratio:.3}")),
            Some(_) if is_near(*ratio) => {
                faults.push(format!("{name:?} {ratio:.3}: known to differ, but no longer does"));
            }
            // the file has three digits
            Some(known) if (ratio - known).abs() > 0.02 * known + 5e-4 => {
                faults.push(format!("{name:?} {ratio:.3}: known as {known}"));
            }
            _ => (),
        }
    }
    faults
        .extend(known.keys().filter(|name| !ratios.contains_key(*name)).map(|name| format!("{name:?}: not recorded")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_run_shows_each_reason() {
    let cells = recordings();
    let faults = on_two_threads(&known(), |known| {
        let Difference { cell: name, result, reason, .. } = known;
        let (cell, recorded) = (Cell::of(name), &cells[name]);
        let index = RESULTS.iter().position(|other| other == result).expect("a result");
        let shown = match &reason[..] {
            "spread" => like_recordings(&cell, &json!({}), SIGNALS, recorded)[index],
            "receiver" => like_recordings(&cell, &captured(name), SIGNALS, recorded)[index],
            // the same without pushed packets
            "pushes" => like_recordings(&cell, &json!({"write": {"bytes": 0}}), SIGNALS, recorded)[index],
            // nothing shows it: the result must not agree
            "unknown" => !like_recordings(&cell, &json!({}), SIGNALS, recorded)[index],
            other => panic!("no reason is called {other}"),
        };
        (!shown).then(|| format!("{name} {result}: not shown by {reason}"))
    });
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

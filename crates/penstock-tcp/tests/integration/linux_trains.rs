//! Transfers whose sender sends trains of packets, beside those of Linux (`tests/data/linux/offload_single_flow.json`).

use crate::linux_path::{LinuxPath, Record, run};
use penstock_core::Span;
use penstock_core::param::Value;
use penstock_tcp::{Profile, TcpParams};
use serde_json::Value as Json;

/// The receive window in packets: half of the memory of 1 873 920 bytes.
const RECEIVE_WINDOW: f64 = 647.0;

fn cells() -> Vec<(String, Json)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/linux/offload_single_flow.json");
    let json: Json = serde_json::from_str(&std::fs::read_to_string(path).expect("the recordings")).expect("JSON");
    json["cells"].as_object().expect("cells").iter().map(|(name, cell)| (name.clone(), cell.clone())).collect()
}

/// The words of a name such as `pfifo50 40 cubic 1 100mbit trains gro fq`.
fn play(name: &str, cell: &Json) -> Record {
    let words: Vec<&str> = name.split(' ').collect();
    let has = |word: &str| words.contains(&word);
    let mbit = words.iter().find_map(|word| word.strip_suffix("mbit")?.parse::<u64>().ok()).unwrap_or(10);
    let gro = Span::from_nanos(if has("gro") { 20_000_000 / mbit } else { 0 });
    let flavour = if words[2] == "reno" { "sack" } else { words[2] };
    let settings: Vec<_> = [
        ("flavour", Value::Text(flavour.into())),
        ("syn", Value::Flag(true)),
        ("packet", Value::Bytes(1448.0)),
        ("headers", Value::Bytes(66.0)),
        ("ack_size", Value::Bytes(66.0)),
        ("bytes", Value::Bytes(cell["bytes"].as_f64().expect("a length"))),
        // The receive window that the memory of the recorded machine allows.
        ("window", Value::Number(RECEIVE_WINDOW)),
        ("pacing", Value::Flag(has("fq") || words[2] == "bbr")),
        ("gro", Value::Time(gro)),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .into();
    let params = TcpParams::from_settings(Profile::Linux, &settings).expect("legal settings");
    let path = LinuxPath {
        // 1.211584 ms for 1514 bytes at 10 Mbit/s.
        byte_ps: 12_115_840_000 / 1514 / mbit,
        limit: words[0].trim_start_matches("pfifo").parse().expect("a limit"),
        delay: words[1].parse::<u64>().expect("a round trip") * 1_000_000,
        ..LinuxPath::default()
    };
    run(params, &path, 30_000_000_000)
}

/// The trains: time of each in ns, and number of packets. A train ends with a pushed packet.
fn trains(record: &Record) -> Vec<(u64, u32)> {
    let mut trains: Vec<(u64, u32)> = Vec::new();
    let mut ended = true;
    for (at, seq, again) in record.sent.iter().skip(1) {
        match trains.last_mut() {
            Some((last, packets)) if last == at && !ended && !again => *packets += 1,
            _ => trains.push((*at, 1)),
        }
        ended = *again || record.pushed.contains(seq);
    }
    trains
}

/// The samples of the recorded window as (time in ns, packets), up to the first that losses reduce or the receive window
/// may limit.
fn windows(cell: &Json) -> Vec<(u64, f64)> {
    let samples = cell["samples"].as_array().expect("samples").iter();
    let samples =
        samples.map(|sample| (sample[0].as_u64().expect("a time") * 1000, sample[1].as_f64().expect("a window")));
    let mut most = 0.0;
    samples
        .take_while(|(_, window)| {
            most = window.max(most);
            *window >= most && *window < RECEIVE_WINDOW
        })
        .collect()
}

/// What differs from Linux by more than the bounds: a change of it must be noticed (`docs/explanation/linux.md`).
const DIFFERENCES: [&str; 16] = [
    "pfifo10000 2 cubic 1 100mbit trains gro: trains 0.67",
    "pfifo10000 2 cubic 1 100mbit trains gro: windows 0.01",
    "pfifo10000 2 cubic 1 100mbit trains gro fq: trains 0.74",
    "pfifo10000 2 cubic 1 100mbit trains gro fq: windows 0.30",
    "pfifo10000 2 reno 1 100mbit trains gro: trains 0.82",
    "pfifo10000 2 reno 1 100mbit trains gro: windows 0.25",
    "pfifo10000 20 bbr 1 1000mbit trains: trains 0.77",
    "pfifo10000 20 bbr 1 1000mbit trains gro: trains 0.73",
    "pfifo10000 20 cubic 1 1000mbit trains fq: windows 0.75",
    "pfifo10000 20 cubic 1 1000mbit trains gro: trains 0.80",
    "pfifo10000 20 cubic 1 1000mbit trains gro fq: windows 0.75",
    "pfifo10000 20 cubic 1 100mbit trains gro fq: windows 0.79",
    "pfifo50 20 cubic 1 100mbit trains: completion 1.25",
    "pfifo50 20 cubic 1 100mbit trains: trains 1.44",
    "pfifo50 20 cubic 1 100mbit trains fq: completion 0.89",
    "pfifo50 20 cubic 1 100mbit trains fq: windows 0.82",
];

/// The parts of a cell that are not Linux's: completion within 4 %, retransmissions within a tenth, number of trains within 15 %,
/// and, of Reno and CUBIC, the window at nine of ten instants within two packets or 3 %.
fn differences(name: &str, cell: &Json) -> Vec<String> {
    let record = play(name, cell);
    let first = |key: &str| cell[key][0].as_f64().expect("a number");
    let ratio_of = |ours: f64, theirs: f64| if theirs > 0.0 { ours / theirs } else { 1.0 + ours };
    let again = record.sender.counts(record.end).retransmitted as f64;
    let round_trip =
        name.split(' ').nth(1).and_then(|word| word.parse::<u64>().ok()).expect("a round trip") * 1_000_000;
    let windows: Vec<_> = windows(cell).into_iter().filter(|(at, _)| *at > round_trip).collect();
    let is_near = |(at, theirs): &&(u64, f64)| {
        let until = record.windows.partition_point(|(time, ..)| time <= at);
        (record.windows[until - 1].1 - theirs).abs() <= f64::max(2.0, 0.03 * theirs)
    };
    let near = windows.iter().filter(is_near).count() as f64 / windows.len() as f64;
    let parts = [
        ("completion", ratio_of(record.done as f64 / 1e3, first("done_us")), 0.04),
        ("retransmissions", ratio_of(again, first("retransmissions")), 0.1),
        ("trains", ratio_of(trains(&record).len() as f64, first("trains_sent")), 0.15),
        ("windows", if name.contains("bbr") { 1.0 } else { near }, 0.1),
    ];
    let differs = parts.iter().filter(|(_, ratio, bound)| (ratio - 1.0).abs() > *bound);
    differs.map(|(part, ratio, _)| format!("{name}: {part} {ratio:.2}")).collect()
}

#[test]
fn trains_windows_and_completion_are_those_of_linux_or_differ_as_they_are_known_to() {
    let found: Vec<_> = cells().iter().flat_map(|(name, cell)| differences(name, cell)).collect();
    assert_eq!(found, DIFFERENCES, "{found:#?}");
}

//! Schemes under a constant flood against Linux 6.1: losses, marks, and delays.
//!
//! Arrivals come at exactly n intervals and the link serves a packet in 1.211584 ms (`data/linux/README.md`). Loss is
//! mostly a matter of arithmetic, what comes less what the link can send; the mean delay and the marks tell the AQM.

use penstock_aqm::{Cause, Discipline, Env, LinkInfo, Next, Probe, Report, build};
use penstock_core::param::Value;
use penstock_core::{Bytes, Ecn, Limit, PacketMeta, Rate, Rng, Span, Time};

/// Linux's scheme, ours, its settings and its limit: adding a scheme is one line.
#[rustfmt::skip]
fn ours(scheme: &str) -> (&'static str, Vec<(&'static str, Value)>, Limit) {
    let word = |word: &str| Value::Text(word.into());
    let linux = ("variant", word("linux"));
    let ecn = ("ecn", Value::Flag(true));
    let red = || vec![
        ("measure_in", word("bytes")), ("min_th", Value::Bytes(15_000.0)), ("max_th", Value::Bytes(45_000.0)),
        ("max_p", Value::Number(0.1)), ("w_q", Value::Number(1.0 / 16.0)), ("spacing", word("once")),
        ("mean_packet", Value::Bytes(1500.0)),
    ];
    // as RED's, with thresholds in packets
    let choke = || vec![
        ("min_th", Value::Number(10.0)), ("max_th", Value::Number(30.0)), ("max_p", Value::Number(0.1)),
        ("w_q", Value::Number(1.0 / 16.0)), ("spacing", word("once")), ("guards", Value::Flag(true)),
        ("whole_average", Value::Flag(true)),
    ];
    let sfb = || vec![
        ("levels", Value::Number(8.0)), ("bins", Value::Number(16.0)), ("bin_size", Value::Number(19.0)),
        ("max", Value::Number(25.0)), ("d1", Value::Number(0.0005)), ("d2", Value::Number(0.00005)),
        ("rehash", Value::Time(Span::from_secs(600.0))), ("warmup", Value::Time(Span::from_secs(60.0))),
        ("penalty_rate", Value::Number(10.0)), ("penalty_burst", Value::Number(20.0)),
    ];
    match scheme {
        "pfifo100" => ("droptail", vec![], Limit::Packets(100)),
        "codel" => ("codel", vec![linux], Limit::Packets(1000)),
        "codel_ecn" => ("codel", vec![linux, ecn], Limit::Packets(1000)),
        "codel_nolimit" => ("codel", vec![linux], Limit::Packets(1_000_000)),
        "codel_nolimit_ecn" => ("codel", vec![linux, ecn], Limit::Packets(1_000_000)),
        "pie" => ("pie", vec![linux, ("hz", Value::Number(100.0))], Limit::Packets(1000)),
        "pie_ecn" => ("pie", vec![linux, ("hz", Value::Number(100.0)), ecn], Limit::Packets(1000)),
        "red" => ("red", red(), Limit::Bytes(400_000)),
        "red_ecn" => ("red", [red(), vec![("mark_up_to", word("always")), ecn]].concat(), Limit::Bytes(400_000)),
        "choke" => ("choke", choke(), Limit::Packets(1000)),
        "fq_codel" => ("fq-codel", vec![linux, ("ecn", Value::Flag(false))], Limit::Packets(10_240)),
        "fq_pie" => ("fq-pie", vec![linux, ("hz", Value::Number(100.0))], Limit::Packets(10_240)),
        "sfb" => ("sfb", sfb(), Limit::Packets(1000)),
        "sfq" => ("sfq", vec![], Limit::Packets(127)),
        // with one flow; its tins and quanta do not matter then
        "cake" => ("cake", vec![("isolation", word("flows"))], Limit::Infinite),
        // with one flow and no shaper, CAKE is its AQM
        "cake_htb" => ("cobalt", vec![("mtu", Value::Bytes(0.0))], Limit::Infinite),
        other => panic!("no scheme of ours stands for {other}"),
    }
}

/// The results of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    lost: f64,
    marked: f64,
    delay_ms: f64,
    /// When the first packet was lost.
    first_lost_ms: f64,
}

#[derive(Default)]
struct Watch {
    lost: u32,
    marked: u32,
    sent: u32,
    delay: f64,
    first_lost: Option<Time>,
}

impl Probe<PacketMeta> for Watch {
    fn queued(&mut self, _: &Report<'_, PacketMeta>) {}
    fn sent(&mut self, report: &Report<'_, PacketMeta>) {
        self.sent += 1;
        self.marked += u32::from(report.packet.ecn == Ecn::Ce);
        self.delay += report.now.since(report.enqueued).as_secs();
    }
    fn marked(&mut self, _: &Report<'_, PacketMeta>, _: Cause) {}
    fn dropped(&mut self, report: &Report<'_, PacketMeta>, _: Cause) {
        self.lost += 1;
        self.first_lost.get_or_insert(report.now);
    }
}

/// The instants of arrival in nanoseconds, and the end of the run, 2 s after the last.
fn arrivals(schedule: &str) -> (Vec<u64>, u64) {
    let (mut next, mut end) = (0.0, 0.0);
    let mut instants = Vec::new();
    for part in schedule.split('+') {
        let (load, seconds) = part.split_once(':').unwrap();
        let interval = 1514.0 * 8.0 / 10e6 / load.parse::<f64>().unwrap();
        end += seconds.parse::<f64>().unwrap();
        while next < end {
            instants.push((next * 1e9) as u64);
            next += interval;
        }
    }
    (instants, ((end + 2.0) * 1e9) as u64)
}

/// Our form of the scheme on the link of the recordings.
fn queue(scheme: &str) -> Box<dyn Discipline<PacketMeta>> {
    let (name, settings, limit) = ours(scheme);
    let settings: Vec<_> = settings.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    let link = LinkInfo {
        rate: Rate::from_bits_per_second(10_000_000),
        limit,
        mean_packet: Bytes(1500),
        mtu: Bytes(1514),
        rtt: None,
        flows: Some(1),
    };
    build(name, &settings, &link, Time::ZERO).unwrap()
}

/// The link with our scheme under this load.
fn run(scheme: &str, schedule: &str, seed: u64) -> Totals {
    const SERVICE: Span = Span::from_nanos(1_211_584);
    let mut queue = queue(scheme);
    let ecn = if scheme.ends_with("_ecn") { Ecn::Ect0 } else { Ecn::Not };
    let packet = PacketMeta { flow: 0, size: 1514, ecn, dscp: 0, protocol: 17, rare: None };
    let mut rng = Rng::stream(seed, "bottleneck");
    let mut watch = Watch::default();
    let (arrivals, end) = arrivals(schedule);
    let mut arrivals = arrivals.into_iter().map(Time::from_nanos).peekable();
    // When the link is next free to ask for a packet; it has none to ask for while it idles.
    let mut free = Time::NEVER;
    let mut idle = true;
    loop {
        let due = queue.next_timeout().unwrap_or(Time::NEVER);
        let arrival = arrivals.peek().copied().unwrap_or(Time::NEVER);
        let now = due.min(arrival).min(free);
        if now.as_nanos() >= end {
            break;
        }
        let mut env: Env<'_, _> = Env { now, rng: &mut rng, probe: &mut watch, facts: &() };
        if now < arrival.min(free) {
            queue.on_timeout(&mut env);
            continue;
        }
        if now == arrival {
            arrivals.next();
            queue.enqueue(&mut env, packet);
            if !idle {
                continue;
            }
        }
        match queue.dequeue(&mut env) {
            Next::Send(_) => (free, idle) = (now + SERVICE, false),
            Next::Empty => (free, idle) = (Time::NEVER, true),
            Next::NotBefore(later) => (free, idle) = (later, false),
        }
    }
    Totals {
        lost: f64::from(watch.lost),
        marked: f64::from(watch.marked),
        delay_ms: 1e3 * watch.delay / f64::from(watch.sent),
        first_lost_ms: watch.first_lost.map_or(f64::INFINITY, |lost| 1e3 * lost.as_secs()),
    }
}

/// The results of Linux: for each schedule, those of its seeds.
fn linux(scheme: &str) -> Vec<(&'static str, Vec<Totals>)> {
    let scheme = if scheme == "cake" { "cake_htb" } else { scheme };
    let mut cells: Vec<(&str, Vec<Totals>)> = Vec::new();
    for line in include_str!("../data/linux/open_loop.txt").lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] != scheme {
            continue;
        }
        let number = |i: usize| words[i].parse::<f64>().unwrap();
        let totals = Totals { lost: number(4), marked: number(5), delay_ms: number(7), ..Totals::default() };
        match cells.iter_mut().find(|(schedule, _)| *schedule == words[1]) {
            Some((_, seeds)) => seeds.push(totals),
            None => cells.push((words[1], vec![totals])),
        }
    }
    assert!(!cells.is_empty(), "no measurement of {scheme}");
    cells
}

/// One of the results.
type Measure = fn(&Totals) -> f64;

/// Mean, and half of the range, of one result over seeds.
fn spread(seeds: &[Totals], result: Measure) -> (f64, f64) {
    let values = || seeds.iter().map(result);
    let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
    (values().sum::<f64>() / seeds.len() as f64, 0.5 * (high - low))
}

/// So many that one run more lies within their range 19 times of 20.
const SEEDS: u64 = 40;

/// Whether losses, marks and delay are Linux': the means within `tolerance`, or within half the range over Linux'
/// seeds, or over ours where it was measured with one.
fn assert_like_linux(scheme: &str, tolerance: f64) {
    assert_like_linux_but(scheme, tolerance, &[]);
}

/// The same but for the results of this list, (load, name), which are known to differ and must.
fn assert_like_linux_but(scheme: &str, tolerance: f64, known: &[(&str, &str)]) {
    let results: [(&str, Measure); 3] =
        [("lost", |totals| totals.lost), ("marked", |totals| totals.marked), ("delay", |totals| totals.delay_ms)];
    let mut faults = Vec::new();
    for (schedule, theirs) in linux(scheme) {
        let ours: Vec<Totals> = (1..=SEEDS).map(|seed| run(scheme, schedule, seed)).collect();
        let load = schedule.split(':').next().unwrap_or_default();
        for (name, result) in results {
            let (wanted, their_spread) = spread(&theirs, result);
            let (got, our_spread) = spread(&ours, result);
            let allowed = if theirs.len() > 1 { their_spread } else { our_spread };
            println!("{scheme} {schedule} {name}: {got:.3} +- {our_spread:.3}, Linux {wanted:.3} +- {their_spread:.3}");
            let differs = (got - wanted).abs() > (tolerance * wanted).max(allowed) + 1e-9;
            if differs != known.contains(&(load, name)) {
                faults.push(format!("{schedule} {name}: {got:.3} +- {our_spread:.3}, Linux {wanted:.3}"));
            }
        }
    }
    assert!(faults.is_empty(), "{scheme}: {faults:#?}");
}

#[test]
fn droptail() {
    assert_like_linux("pfifo100", 0.002);
}

#[test]
fn codel() {
    assert_like_linux("codel_nolimit", 0.002);
    assert_like_linux("codel", 0.002);
}

#[test]
fn codel_that_marks() {
    assert_like_linux("codel_nolimit_ecn", 0.002);
    assert_like_linux("codel_ecn", 0.002);
}

#[test]
fn pie() {
    assert_like_linux("pie", 0.02);
}

#[test]
fn pie_that_marks() {
    // At a load of 1.1 the AQM here marks 11.4 packets in the mean of 40 seeds, with half a range of 4, and Linux's
    // single run 16: not explained. What is struck before the probability is a tenth is compared with more runs below.
    assert_like_linux_but("pie_ecn", 0.02, &[("1.1", "marked")]);
}

/// PIE marks only while its probability is below a tenth, which it passes within a second. What it marks then, it would
/// have dropped without ECN: each recording of PIE counts, and of FQ-PIE, where one flow has a PIE to itself.
#[test]
fn pie_strikes_as_often_before_its_probability_is_a_tenth() {
    let mut recorded: Vec<(f64, u32, Vec<f64>)> = Vec::new();
    for line in include_str!("../data/linux/pie_early.txt").lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let (load, packets, struck) = (words[1].parse().unwrap(), words[2].parse().unwrap(), words[4].parse().unwrap());
        match recorded.iter_mut().find(|(of, ..)| *of == load) {
            Some((.., seeds)) => seeds.push(struck),
            None => recorded.push((load, packets, vec![struck])),
        }
    }
    for (load, packets, seeds) in recorded {
        let seconds = f64::from(packets) * 1514.0 * 8.0 / 10e6 / load;
        let schedule = format!("{load}:{seconds}");
        let theirs: Vec<Totals> = seeds.iter().map(|&lost| Totals { lost, ..Totals::default() }).collect();
        let ours: Vec<Totals> = (1..=SEEDS).map(|seed| run("pie_ecn", &schedule, seed)).collect();
        let struck = |totals: &Totals| totals.lost + totals.marked;
        let ((wanted, their_spread), (got, _)) = (spread(&theirs, struck), spread(&ours, struck));
        println!("pie early {load}: {got:.2}, Linux {wanted:.2} +- {their_spread:.2}");
        assert!((got - wanted).abs() <= their_spread, "{load}: {got} of {packets}, Linux {wanted} +- {their_spread}");
    }
}

#[test]
fn red() {
    assert_like_linux("red", 0.02);
}

#[test]
fn cobalt() {
    assert_like_linux("cake_htb", 0.02);
}

#[test]
fn choke() {
    assert_like_linux("choke", 0.02);
    // the first arrival that Linux dropped, with the packet drawn
    for (load, packet) in [("1.1", 125.0), ("1.5", 44.0), ("2.0", 33.0)] {
        let interval_ms = 1514.0 * 8.0 / 10e3 / load.parse::<f64>().unwrap();
        let first = run("choke", &format!("{load}:1"), 1).first_lost_ms;
        assert!((first / interval_ms - packet).abs() < 0.01, "{load}: {first} ms");
    }
}

#[test]
fn cake() {
    assert_like_linux("cake", 0.001);
}

#[test]
fn red_that_marks() {
    assert_like_linux("red_ecn", 0.02);
}

#[test]
fn fq_codel() {
    assert_like_linux("fq_codel", 0.002);
}

#[test]
fn fq_pie() {
    assert_like_linux("fq_pie", 0.02);
}

#[test]
fn sfb() {
    assert_like_linux("sfb", 0.02);
}

#[test]
fn sfq() {
    assert_like_linux("sfq", 0.002);
}

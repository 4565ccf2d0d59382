//! ns-2's WRED and RIO against what ns-2.35 dropped, packet by packet, with its own random numbers.
//!
//! The AQM is fed the recorded arrivals (`data/ns2/README.md`), and departures as they follow from its own decisions.

use crate::rig::{Counts, thesis_link};
use penstock_aqm::{Discipline, Env, LinkInfo, Next, build};
use penstock_core::param::Value;
use penstock_core::{Ecn, Limit, PacketMeta, Rate, Rng, Time};

/// 1000 bytes at 10 Mbit/s.
const SERVICE: u64 = 800_000;

struct Arrival {
    at: u64,
    level: usize,
    /// What ns-2 drew.
    drawn: Option<f64>,
    averages: Vec<f64>,
    dropped: bool,
}

fn arrivals(text: &str) -> Vec<Arrival> {
    let mut at = 0;
    let read = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        at += words[0].parse::<u64>().unwrap();
        let averages = words[3..words.len() - 1].iter().map(|word| word.parse().unwrap()).collect();
        let dropped = words[words.len() - 1] == "d";
        Arrival { at, level: words[1].parse().unwrap(), drawn: words[2].parse().ok(), averages, dropped }
    };
    text.lines().map(read).collect()
}

/// Generators by the number that they give next.
struct Numbers(Vec<(f64, Rng)>);

impl Numbers {
    fn new() -> Self {
        let mut first: Vec<_> = (0..1 << 16)
            .map(|seed| {
                let rng = Rng::stream(seed, "numbers");
                (rng.clone().uniform(), rng)
            })
            .collect();
        first.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self(first)
    }

    /// A generator whose next number is nearly this one.
    fn near(&self, number: f64) -> Rng {
        let at = self.0.partition_point(|(first, _)| *first < number).min(self.0.len() - 1);
        assert!((self.0[at].0 - number).abs() < 4e-4);
        self.0[at].1.clone()
    }
}

/// Replays the recording; returns the numbers of decisions and averages that equal those of ns-2 before the first
/// difference.
fn agree(arrivals: &[Arrival], scheme: &str, settings: &[(&str, Value)], limit: u32, gauges: &[&str]) -> usize {
    let link = LinkInfo { rate: Rate::from_bits_per_second(10_000_000), limit: Limit::Packets(limit), ..thesis_link() };
    let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
    let mut queue: Box<dyn Discipline<PacketMeta>> = build(scheme, &settings, &link, Time::ZERO).unwrap();
    let numbers = Numbers::new();
    let mut counts = Counts::default();
    // when the link is free, and whether it has found nothing then
    let (mut free, mut idle) = (0, true);
    let mut lost = 0;
    for (i, arrival) in arrivals.iter().enumerate() {
        // where ns-2 drew none, one that would drop if the AQM drew
        let mut rng = numbers.near(arrival.drawn.unwrap_or(0.0));
        let mut env: Env<'_, _> = Env { now: Time::ZERO, rng: &mut rng, probe: &mut counts, facts: &() };
        while free <= arrival.at && !idle {
            env.now = Time::from_nanos(free);
            idle = !matches!(queue.dequeue(&mut env), Next::Send(_));
            free += if idle { 0 } else { SERVICE };
        }
        env.now = Time::from_nanos(arrival.at);
        let dscp = [10, 12][arrival.level];
        queue.enqueue(&mut env, PacketMeta { flow: 0, size: 1000, ecn: Ecn::Not, dscp, protocol: 17, rare: None });
        if idle && queue.backlog().packets > 0 {
            assert!(matches!(queue.dequeue(&mut env), Next::Send(_)));
            (free, idle) = (arrival.at + SERVICE, false);
        }
        lost += u64::from(arrival.dropped);
        let mut same = counts.dropped_on_arrival == lost;
        queue.gauges(&mut |name, value| {
            if let Some(at) = gauges.iter().position(|gauge| *gauge == name) {
                // ns-2 prints six or seven digits
                same &= (value - arrival.averages[at]).abs() <= 1e-6 + 1e-5 * value;
            }
        });
        if !same {
            return i;
        }
    }
    arrivals.len()
}

fn wred(variant: &str, spacing: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("min_th", Value::Numbers(vec![10.0, 5.0])),
        ("max_th", Value::Numbers(vec![30.0, 15.0])),
        ("max_p", Value::Numbers(vec![0.05, 0.1])),
        ("w_q", Value::Number(0.002)),
        ("guards", Value::Flag(false)),
        ("spacing", Value::Text(spacing.into())),
        ("variant", Value::Text(variant.into())),
    ]
}

#[test]
fn wred_drops_what_ns2_drops() {
    let recorded = arrivals(include_str!("../data/ns2/wred.txt"));
    assert_eq!(recorded.iter().filter(|arrival| arrival.dropped).count(), 1100);
    assert_eq!(agree(&recorded, "wred", &wred("ns2", "section4"), 50, &["avg"]), recorded.len());
}

#[test]
fn the_papers_wred_does_not() {
    let recorded = arrivals(include_str!("../data/ns2/wred.txt"));
    for (variant, spacing) in [("paper", "section4"), ("ns2", "count"), ("paper", "count")] {
        assert!(agree(&recorded, "wred", &wred(variant, spacing), 50, &["avg"]) < recorded.len() / 2);
    }
}

#[test]
fn rio_drops_what_ns2_drops() {
    let recorded = arrivals(include_str!("../data/ns2/rio.txt"));
    assert_eq!(recorded.iter().filter(|arrival| arrival.dropped).count(), 523);
    let settings = |ns2_quirk| [("p_out", Value::Number(0.1)), ("ns2_quirk", Value::Flag(ns2_quirk))];
    assert_eq!(agree(&recorded, "rio", &settings(true), 35, &["avg", "avg_in"]), recorded.len());
    assert!(agree(&recorded, "rio", &settings(false), 35, &["avg", "avg_in"]) < 100);
}

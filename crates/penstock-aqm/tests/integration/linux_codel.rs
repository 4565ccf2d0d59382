//! CoDel with Linux's arithmetic against what Linux 6.1 lost and marked, packet by packet.
//!
//! The AQM is fed the recorded arrivals and departures (`data/linux/README.md`); all else is its own decision.

use crate::rig::thesis_link;
use penstock_aqm::{Cause, Discipline, Env, LinkInfo, Next, Probe, Report, build};
use penstock_core::param::Value;
use penstock_core::{Bytes, Ecn, Limit, PacketMeta, Rng, Time};

/// A run of Linux: instants in nanoseconds, and the numbers of the packets that it lost and marked.
struct Recorded {
    arrivals: Vec<u64>,
    departures: Vec<u64>,
    lost: Vec<u64>,
    marked: Vec<u64>,
}

impl Recorded {
    fn read(text: &str) -> Self {
        let line = |name: &str, unit: u64| {
            let differences = text.lines().find_map(|line| line.strip_prefix(name)).unwrap().split_whitespace();
            let mut sum = 0;
            let mut sums = Vec::new();
            for run in differences {
                let (difference, times) = run.split_once('x').unwrap_or((run, "1"));
                for _ in 0..times.parse::<u32>().unwrap() {
                    sum += difference.parse::<u64>().unwrap() * unit;
                    sums.push(sum);
                }
            }
            sums
        };
        Self {
            arrivals: line("arrivals", 256),
            departures: line("departures", 256),
            lost: line("lost", 1),
            marked: line("marked", 1),
        }
    }
}

/// The numbers of the packets that were lost or marked; a packet has its number in `flow`, which CoDel does not read.
#[derive(Default)]
struct Numbers {
    lost: Vec<u64>,
    marked: Vec<u64>,
}

impl Probe<PacketMeta> for Numbers {
    fn queued(&mut self, _: &Report<'_, PacketMeta>) {}
    fn sent(&mut self, _: &Report<'_, PacketMeta>) {}
    fn marked(&mut self, report: &Report<'_, PacketMeta>, _: Cause) {
        self.marked.push(u64::from(report.packet.flow));
    }
    fn dropped(&mut self, report: &Report<'_, PacketMeta>, _: Cause) {
        self.lost.push(u64::from(report.packet.flow));
    }
}

/// The drops and marks of the AQM when packets arrive and depart as in the recorded run.
fn replay(run: &Recorded, variant: &str, ecn: bool) -> Numbers {
    let settings = [("variant".into(), Value::Text(variant.into())), ("ecn".into(), Value::Flag(ecn))];
    let link = LinkInfo { mtu: Bytes(1514), limit: Limit::Infinite, ..thesis_link() };
    let mut queue: Box<dyn Discipline<PacketMeta>> = build("codel", &settings, &link, Time::ZERO).unwrap();
    let ecn = if ecn { Ecn::Ect0 } else { Ecn::Not };
    let packet = PacketMeta { flow: 0, size: 1514, ecn, dscp: 0, protocol: 17, rare: None };
    let mut rng = Rng::stream(1, "codel");
    let mut numbers = Numbers::default();
    let mut arrivals = run.arrivals.iter().copied().zip(0..).peekable();
    for &departure in &run.departures {
        let mut env: Env<'_, _> = Env { now: Time::ZERO, rng: &mut rng, probe: &mut numbers, facts: &() };
        while let Some((now, number)) = arrivals.next_if(|&(now, _)| now <= departure) {
            env.now = Time::from_nanos(now);
            queue.enqueue(&mut env, PacketMeta { flow: number, ..packet });
        }
        env.now = Time::from_nanos(departure);
        assert!(matches!(queue.dequeue(&mut env), Next::Send(_)), "nothing to send at {departure}");
    }
    numbers
}

#[test]
fn the_same_packets_are_lost_at_11_tenths_of_the_rate() {
    let run = Recorded::read(include_str!("../data/linux/codel_x11.txt"));
    assert_eq!((run.arrivals.len(), run.lost.len()), (10_899, 973));
    assert_eq!(replay(&run, "linux", false).lost, run.lost);
}

#[test]
fn the_same_packets_are_lost_at_15_tenths_of_the_rate() {
    let run = Recorded::read(include_str!("../data/linux/codel_x15.txt"));
    assert_eq!((run.arrivals.len(), run.lost.len()), (6193, 639));
    assert_eq!(replay(&run, "linux", false).lost, run.lost);
}

#[test]
fn the_same_packets_are_marked_with_ecn() {
    let run = Recorded::read(include_str!("../data/linux/codel_ecn_x11.txt"));
    assert_eq!((run.arrivals.len(), run.marked.len()), (5450, 905));
    let numbers = replay(&run, "linux", true);
    assert_eq!(numbers.marked, run.marked);
    assert_eq!(numbers.lost, []);
}

#[test]
fn the_exact_root_of_the_rfc_loses_nearly_as_many_but_not_the_same() {
    let run = Recorded::read(include_str!("../data/linux/codel_x15.txt"));
    let lost = replay(&run, "rfc", false).lost;
    // one Newton step a drop lags behind the root, most at the first drops: Linux's come a little too fast
    assert_eq!((lost.len(), run.lost.len()), (632, 639));
    assert_eq!(lost[..2], run.lost[..2]);
    assert!(lost[2] > run.lost[2]);
}

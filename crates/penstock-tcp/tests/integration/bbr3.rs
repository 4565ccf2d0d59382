//! BBR version 3 on a link of known rate and round trip: its states by their gains, with the numbers of draft-ietf-ccwg-bbr-06.

use crate::linux_path::{LinuxPath, Record, run};
use penstock_core::param::Value;
use penstock_tcp::{Profile, TcpParams};

/// 10 Mb/s: a packet of 1500 bytes takes 1.2 ms.
const BYTE_PS: u64 = 800_000;
const PACKET_S: f64 = 0.0012;
const RTT_S: f64 = 0.04;
/// Packets in a round trip.
const BDP: f64 = RTT_S / PACKET_S;

const STARTUP: [f64; 2] = [2.77, 2.0];
const DRAIN: [f64; 2] = [0.5, 2.0];
const DOWN: [f64; 2] = [0.9, 2.0];
/// `ProbeBwCruise` and `ProbeBwRefill`.
const CRUISE: [f64; 2] = [1.0, 2.0];
const UP: [f64; 2] = [1.25, 2.25];
const PROBE_RTT: [f64; 2] = [1.0, 0.5];

fn flow(path: &LinuxPath, seconds: u64, keys: &[(&str, Value)]) -> Record {
    let plain = [("flavour", Value::Text("bbr3".into())), ("delayed_ack", Value::Flag(false))];
    let settings: Vec<_> = plain.iter().chain(keys).map(|(name, value)| ((*name).into(), value.clone())).collect();
    let params = TcpParams::from_settings(Profile::Linux, &settings).expect("legal settings");
    let path = LinuxPath {
        byte_ps: BYTE_PS,
        delay: (RTT_S * 1e9) as u64,
        gauges: &["pacing_gain", "cwnd_gain"],
        ..path.clone()
    };
    run(params, &path, seconds * 1_000_000_000)
}

fn clean() -> LinuxPath {
    LinuxPath { limit: 1000, ..LinuxPath::default() }
}

/// (when it begins, gains, how long it lasts) of each state but the last, in seconds.
fn states(record: &Record) -> Vec<(f64, [f64; 2], f64)> {
    let begun: Vec<(f64, [f64; 2])> =
        record.gauges.iter().map(|(at, gains)| (*at as f64 / 1e9, [gains[0], gains[1]])).collect();
    begun.windows(2).map(|pair| (pair[0].0, pair[0].1, pair[1].0 - pair[0].0)).collect()
}

fn lengths(states: &[(f64, [f64; 2], f64)], gains: [f64; 2]) -> Vec<f64> {
    states.iter().filter(|(_, seen, _)| *seen == gains).map(|(.., lasts)| *lasts).collect()
}

#[test]
fn on_a_clean_link_its_states_follow_each_other_as_in_the_draft() {
    let seen = states(&flow(&clean(), 30, &[]));
    let order: Vec<_> = seen.iter().map(|(_, gains, _)| *gains).collect();
    // Where Drain ends nothing is left to drain, so the cruise begins at once.
    assert_eq!(order[..6], [STARTUP, DRAIN, CRUISE, UP, DOWN, CRUISE]);
    assert!(order[2..].contains(&PROBE_RTT));
    for pair in order[2..].windows(2) {
        let next: &[[f64; 2]] = match pair[0] {
            DOWN => &[CRUISE, PROBE_RTT],
            CRUISE => &[UP, PROBE_RTT],
            UP => &[DOWN, PROBE_RTT],
            _ => &[CRUISE],
        };
        assert!(next.contains(&pair[1]), "{pair:?}");
    }
}

#[test]
fn startup_doubles_the_rate_each_round_and_ends_three_rounds_after_the_link_is_full() {
    let seen = states(&flow(&clean(), 2, &[]));
    let (begins, gains, lasts) = seen[0];
    assert_eq!(gains, STARTUP);
    // The initial window of 10 packets fills a round trip of 33 packets after two doublings; a plateau takes three rounds of at most
    // the round trip with a full window, two BDP. The first samples come after a round trip.
    let most = RTT_S * (1.0 + 2.0 + 1.0) + 4.0 * 2.0 * RTT_S;
    assert!(begins < 0.05 && lasts > 4.0 * RTT_S && lasts < most, "{lasts} s, {most}");
    // A queue of a BDP drains at half the rate in two round trips; what is on its way to the queue takes half a round more.
    assert!(lengths(&seen, DRAIN)[0] < 2.5 * RTT_S + 4.0 * PACKET_S, "{seen:?}");
}

#[test]
fn probes_of_the_rate_come_after_as_many_rounds_as_packets_fill_the_path_or_2_to_3_s() {
    // 33 packets and round trips of 40 ms: 33 rounds are 1.3 s and some queue.
    let seen = states(&flow(&clean(), 60, &[]));
    let waits = waits_to_probe(&seen);
    assert!(waits.len() > 10);
    // 33 or 34 rounds, and one to refill the pipe; each is a packet longer than the path, and the first have a queue of a BDP.
    assert!(waits.iter().all(|wait| (34.0 * RTT_S..39.0 * RTT_S).contains(wait)), "{waits:?}");
    for lasts in lengths(&seen, UP) {
        assert!((3.0 * RTT_S..8.0 * RTT_S).contains(&lasts), "{lasts}");
    }
    // On a path of 200 packets, 240 ms long, the wall clock is first. There each probe follows a probe of the round trip, from
    // whose end the time counts, and a round that refills the pipe.
    let long = LinuxPath { byte_ps: BYTE_PS, delay: 240_000_000, gauges: &["pacing_gain", "cwnd_gain"], ..clean() };
    let settings = [("flavour", Value::Text("bbr3".into())), ("delayed_ack", Value::Flag(false))];
    let settings: Vec<_> = settings.map(|(name, value)| (name.into(), value)).into();
    let seen = states(&run(TcpParams::from_settings(Profile::Linux, &settings).expect("legal"), &long, 60_000_000_000));
    let cruises = seen.windows(3).filter(|three| three[0].1 == PROBE_RTT && three[2].1 == UP);
    let waits: Vec<f64> = cruises.map(|three| three[2].0 - three[1].0).collect();
    assert!(waits.len() > 5, "{seen:?}");
    assert!(waits.iter().all(|wait| (2.24..3.5).contains(wait)), "{waits:?}");
    let spread = waits.iter().fold(0.0_f64, |most, wait| wait.max(most))
        - waits.iter().fold(9.0_f64, |least, wait| wait.min(least));
    assert!(spread > 0.2, "drawn anew each time: {waits:?}");
}

/// Times from the beginning of each `ProbeBwDown` to the next `ProbeBwUp`, unless the round trip is probed for in between.
fn waits_to_probe(states: &[(f64, [f64; 2], f64)]) -> Vec<f64> {
    let whole = |three: &&[(f64, [f64; 2], f64)]| three[0].1 == DOWN && three[1].1 == CRUISE && three[2].1 == UP;
    states.windows(3).filter(whole).map(|three| three[2].0 - three[0].0).collect()
}

#[test]
fn a_round_trip_is_probed_for_every_five_seconds_with_half_the_path_for_200_ms() {
    let record = flow(&clean(), 40, &[]);
    let probes: Vec<_> = states(&record).into_iter().filter(|(_, gains, _)| *gains == PROBE_RTT).collect();
    assert!((6..=8).contains(&probes.len()), "{probes:?}");
    for (at, _, lasts) in &probes {
        // The flight falls to half a BDP, from at most two and a quarter, then 200 ms and a round pass.
        assert!((0.2..0.2 + 4.0 * RTT_S).contains(lasts), "{probes:?}");
        let end = ((at + lasts) * 1e9) as u64;
        let last = record.windows.iter().rev().find(|(time, ..)| *time < end).expect("an event");
        assert!((last.1 / (0.5 * BDP) - 1.0).abs() < 0.1, "{last:?}");
    }
    for pair in probes.windows(2) {
        let wait = pair[1].0 - (pair[0].0 + pair[0].2);
        assert!((5.0..5.0 + 2.0 * RTT_S).contains(&wait), "{probes:?}");
    }
}

#[test]
fn more_than_2_percent_lost_in_a_probe_ends_it_and_bounds_the_flight() {
    // A buffer of a quarter of a BDP: the first probe overflows it.
    let shallow = LinuxPath { limit: 8, ..clean() };
    let record = flow(&shallow, 20, &[]);
    let seen = states(&record);
    let ups = lengths(&seen[1..], UP);
    assert!(ups.len() > 4, "{seen:?}");
    // A plateau would take three rounds.
    assert!(ups.iter().filter(|lasts| **lasts < 3.0 * RTT_S).count() > ups.len() / 2, "{ups:?}");
    // In the cruise 15 % of what the path holds, 33 + 8 packets and one in transmission, stays free.
    let cruises: Vec<_> =
        seen.iter().filter(|(at, gains, lasts)| *gains == CRUISE && *at > 5.0 && *lasts > 0.5).collect();
    assert!(!cruises.is_empty());
    for (at, _, lasts) in cruises {
        let within = |time: u64| (at + 0.2..at + lasts - 0.2).contains(&(time as f64 / 1e9));
        let most =
            record.windows.iter().filter(|(time, ..)| within(*time)).map(|(_, window, _)| *window).fold(0.0, f64::max);
        assert!(most <= 0.85 * 1.15 * (BDP + 9.0), "{most} at {at} s");
    }
    let counts = record.sender.counts(record.end);
    assert!((counts.retransmitted as f64) < 0.02 * counts.sent as f64, "{counts:?}");
}

/// Section 3.7: marks are congestion. With the echo of RFC 3168 they count as losses do for a connection without SACK.
#[test]
fn a_mark_ends_startup_and_is_confirmed_once() {
    let marked = LinuxPath { marked: [40].into(), ..clean() };
    let record = flow(&marked, 2, &[("ecn", Value::Flag(true))]);
    let plain = flow(&clean(), 2, &[("ecn", Value::Flag(true))]);
    assert_eq!(record.sender.counts(record.end).ecn_responses, 1);
    let startup = |record: &Record| states(record)[0].2;
    assert!(startup(&record) < startup(&plain) - 2.0 * RTT_S, "{} and {}", startup(&record), startup(&plain));
}

/// A.14: a path of one packet. Here a packet is delivered when its transmission of 150 ms begins, so the delay has that too.
#[test]
fn at_least_four_packets_are_in_flight() {
    let slow = LinuxPath { byte_ps: 100_000_000, limit: 1000, delay: 170_000_000, ..LinuxPath::default() };
    let settings: Vec<_> = [("flavour", Value::Text("bbr3".into())), ("initial_window", Value::Number(2.0))]
        .map(|(name, value)| (name.into(), value))
        .into();
    let record = run(TcpParams::from_settings(Profile::Linux, &settings).expect("legal"), &slow, 60_000_000_000);
    let late = record.windows.iter().filter(|(at, ..)| *at > 15_000_000_000);
    let least = late.map(|(_, window, _)| *window).fold(f64::INFINITY, f64::min);
    assert_eq!(least, 4.0);
    assert!(record.sent.len() as f64 > 0.9 * 60.0 / 0.15, "{} packets", record.sent.len());
}

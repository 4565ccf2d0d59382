//! BBR's phases, seen from outside: when its packets leave on a link of known rate and round trip.

use crate::linux_path::{LinuxPath, Record, run};
use penstock_core::param::Value;
use penstock_tcp::{Profile, TcpParams};

/// 10 Mb/s: a packet of 1500 bytes takes 1.2 ms.
const BYTE_PS: u64 = 800_000;
const PACKET_S: f64 = 0.0012;
const RTT_S: f64 = 0.04;
/// Share of the bandwidth that is paced.
const MARGIN: f64 = 0.99;

fn flow(seconds: u64) -> Record {
    on_path(seconds, RTT_S)
}

fn on_path(seconds: u64, rtt: f64) -> Record {
    let path = LinuxPath { byte_ps: BYTE_PS, limit: 1000, delay: (rtt * 1e9) as u64, ..LinuxPath::default() };
    run(bbr(&[("delayed_ack", Value::Flag(false))]), &path, seconds * 1_000_000_000)
}

/// The profile of Linux with these keys, and with the single packets of the recordings.
fn bbr(keys: &[(&str, Value)]) -> TcpParams {
    let fixed = [("flavour", Value::Text("bbr".into())), ("offload", Value::Flag(false))];
    let settings: Vec<_> = fixed.iter().chain(keys).map(|(name, value)| ((*name).into(), value.clone())).collect();
    TcpParams::from_settings(Profile::Linux, &settings).expect("legal settings")
}

/// (when it begins, pacing gain) of each run of equal gaps between packets.
fn gains(record: &Record) -> Vec<(f64, f64)> {
    let mut found: Vec<(f64, f64)> = Vec::new();
    for pair in record.sent.windows(2) {
        let (at, gap) = (pair[0].0 as f64 / 1e9, (pair[1].0 - pair[0].0) as f64 / 1e9);
        let gain = PACKET_S / gap / MARGIN;
        if found.last().is_none_or(|(_, last)| (gain / last - 1.0).abs() > 1e-3) {
            found.push((at, gain));
        }
    }
    found
}

/// The gain of the first run of gaps within half a per cent of it, from this time on: when it begins.
fn when(gains: &[(f64, f64)], from: f64, gain: f64) -> f64 {
    let run = gains.iter().find(|(at, seen)| *at >= from && (seen / gain - 1.0).abs() < 5e-3);
    run.unwrap_or_else(|| panic!("no gain of {gain} after {from} s in {gains:?}")).0
}

#[test]
fn it_starts_with_two_over_ln_two_and_drains_with_the_inverse() {
    let high = 2.0 / std::f64::consts::LN_2;
    let gains = gains(&flow(2));
    // By then the rate of the link has been measured; three rounds without growth later the queue is drained.
    // The window holds packets back until the acknowledgements; behind a late one the next waits half its time.
    let startup = when(&gains, 0.0, 2.0 * high);
    let drain = when(&gains, startup, 1.0 / high);
    let probe = when(&gains, drain, 1.0);
    assert!(startup < drain && drain < probe && probe < 0.7, "{startup}, {drain}, {probe}");
}

#[test]
fn the_cycle_has_eight_phases_of_1_25_and_0_75_and_six_of_1() {
    // Before the first probe of the round trip.
    let all = gains(&flow(9));
    let first = when(&all, 0.6, 1.25);
    let cycle: Vec<_> = all.iter().filter(|(at, _)| *at >= first).copied().collect();
    assert!(cycle.len() > 3 * 20);
    // Acknowledgements come one a packet, so a phase may last that much longer than a round trip.
    let late = 2.0 * PACKET_S;
    for (n, pair) in cycle.windows(2).enumerate() {
        let ((at, gain), lasts) = (pair[0], pair[1].0 - pair[0].0);
        let (wanted, least, most) = match n % 3 {
            // Until a quarter more is in flight, and three packets: with a quarter of the rate in excess a round trip and more.
            0 => (1.25, RTT_S, 1.5 * RTT_S),
            // Until that is gone, at most a round trip.
            1 => (0.75, 0.5 * RTT_S, RTT_S + late),
            _ => (1.0, 6.0 * RTT_S, 6.0 * (RTT_S + late)),
        };
        assert!((gain - wanted).abs() < 1e-3, "at {at} s a gain of {gain}, not {wanted}");
        assert!((least..most).contains(&lasts), "at {at} s a gain of {gain} for {lasts} s");
    }
}

#[test]
fn the_phase_to_begin_with_is_not_0_75() {
    // Rounds of other lengths make other draws.
    let mut begun = [0; 2];
    for shift in 0..24 {
        let found = gains(&on_path(2, RTT_S + 1e-4 * f64::from(shift)));
        let drain = when(&found, 0.0, std::f64::consts::LN_2 / 2.0);
        let next = found.iter().find(|(at, gain)| *at > drain && *gain > 0.5).expect("it probes").1;
        assert!((next - 0.75).abs() > 1e-2, "{next}");
        begun[usize::from((next - 1.25).abs() < 1e-2)] += 1;
    }
    // One draw in seven is 1.25: 3.4 of 24, 15 or more once in a million.
    assert!(begun[0] > 9, "{begun:?}");
}

#[test]
fn a_round_trip_is_probed_for_after_ten_seconds_with_four_packets_for_200_ms() {
    let record = flow(45);
    // (from, until) of each time with a window of four packets.
    let mut small: Vec<(f64, f64)> = Vec::new();
    for pair in record.windows.windows(2) {
        let (at, next) = (pair[0].0 as f64 / 1e9, pair[1].0 as f64 / 1e9);
        if pair[0].1 > 4.0 {
            continue;
        }
        match small.last_mut().filter(|(_, until)| (*until - at).abs() < 1e-9) {
            Some((_, until)) => *until = next,
            None => small.push((at, next)),
        }
    }
    assert_eq!(small.len(), 4, "{small:?}");
    // The window is four at once; when all but four packets have been delivered 200 ms begin, and a round must end.
    let least = 0.2 + RTT_S - 4.0 * PACKET_S;
    for (from, until) in &small {
        assert!((least..least + 2.0 * RTT_S).contains(&(until - from)), "{small:?}");
    }
    // The 10 s count from the end of the probe.
    for pair in small.windows(2) {
        assert!((10.0..10.0 + least + 3.0 * RTT_S).contains(&(pair[1].0 - pair[0].0)), "{small:?}");
    }
}

/// Packets of a recorded flow of Linux 6.1 in each phase of 1.25, 0.75 and 1 (`c_noloss_bbr_s1`: 10 Mbit/s, 40 ms, delayed
/// acknowledgements), in all cycles after the first two: 50, 21 or 22, and 202 or 203.
#[test]
fn its_phases_are_those_of_linux_within_two_packets() {
    let record = recorded_path(40, 4);
    let mut phases: Vec<(f64, u32)> = Vec::new();
    for pair in record.sent.windows(2) {
        let gain = 1.211_584e6 / (pair[1].0 - pair[0].0) as f64 / MARGIN;
        match phases.last_mut() {
            Some((last, packets)) if (gain / *last - 1.0).abs() < 2e-2 => *packets += 1,
            _ => phases.push((gain, 1)),
        }
    }
    // what the change of phases cuts short is not a phase, nor is the last one
    let whole: Vec<_> = phases.iter().filter(|(_, packets)| *packets > 15).copied().collect();
    let first = whole.iter().position(|(gain, _)| (gain - 1.25).abs() < 1e-2).expect("it probes");
    let cycles: Vec<_> = whole[first + 6..whole.len() - 1].chunks_exact(3).collect();
    assert!(cycles.len() > 5);
    for cycle in cycles {
        for ((gain, packets), (wanted, recorded)) in cycle.iter().zip([(1.25, 50_u32), (0.75, 22), (1.0, 203)]) {
            assert!((gain - wanted).abs() < 1e-2 && packets.abs_diff(recorded) <= 2, "{cycle:?}");
        }
    }
}

/// `c_long60_bbr_s1` and `c_long60_rtt80_bbr_s1`, windows between the probes of the round trip.
#[test]
fn its_windows_are_those_of_linux() {
    for (rtt_ms, recorded) in [(40, [76.0, 78.0]), (80, [142.0, 144.0])] {
        let record = recorded_path(rtt_ms, 9);
        let steady = record.windows.iter().filter(|(at, ..)| *at > 5_000_000_000);
        let mut found: Vec<f64> = steady.map(|(_, window, _)| *window).collect();
        found.sort_by(f64::total_cmp);
        found.dedup();
        assert_eq!(found, recorded, "{rtt_ms} ms");
    }
}

/// Or the echo of the first mark would never end, and be confirmed in every window (RFC 3168, section 6.1.2).
#[test]
fn it_confirms_each_mark_once_and_cuts_nothing() {
    let plain = on_path(3, RTT_S);
    let (delay, marked) = ((RTT_S * 1e9) as u64, [300, 900].into());
    let path = LinuxPath { byte_ps: BYTE_PS, limit: 1000, delay, marked, ..LinuxPath::default() };
    let keys = [("delayed_ack", Value::Flag(false)), ("ecn", Value::Flag(true))];
    let marked = run(bbr(&keys), &path, 3_000_000_000);
    assert_eq!(marked.sender.counts(marked.end).ecn_responses, 2);
    assert_eq!(marked.windows, plain.windows);
}

/// The network of the recordings without losses.
fn recorded_path(rtt_ms: u64, seconds: u64) -> Record {
    let sizes =
        [("packet", 1448.0), ("headers", 66.0), ("ack_size", 66.0)].map(|(name, bytes)| (name, Value::Bytes(bytes)));
    let keys: Vec<_> = sizes.into_iter().chain([("syn", Value::Flag(true))]).collect();
    let path =
        LinuxPath { byte_ps: 1_211_584_000 / 1514, limit: 1000, delay: rtt_ms * 1_000_000, ..LinuxPath::default() };
    run(bbr(&keys), &path, seconds * 1_000_000_000)
}

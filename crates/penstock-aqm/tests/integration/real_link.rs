//! Every registered scheme as a real link uses it: a clock that starts anywhere, flow numbers from a table, packets of
//! any size, and memory that is allocated beforehand.

use crate::rig::draw::{any_link, any_scale, any_settings};
use crate::rig::{Counts, Rig, any_packet, any_packet_of, required, thesis_link};
use penstock_aqm::{FlowKey, IdTable, LinkInfo, Lookup, MAX_DROPS, Next, SchemeInfo, schemes};
use penstock_core::param::{Kind, ParamInfo, Settings, Value};
use penstock_core::{Ecn, Limit, PacketMeta, Rare, Rate, Rng, Span, Time};
use penstock_heap::counted;
use std::collections::BTreeSet;
use std::time::Instant;

/// 10^18 nanoseconds, about 31 years: the present time of a real clock.
const PRESENT: Time = Time::from_nanos(1_000_000_000_000_000_000);
/// Flows that the table of a link knows at a time.
const FLOWS: u32 = 1024;

/// Scheme by scheme: its defaults at the usual link, and pseudo-random settings on pseudo-random links.
fn for_each_setting(draws: u64, mut check: impl FnMut(&'static SchemeInfo, &Settings, &LinkInfo, u64)) {
    for scheme in schemes() {
        check(scheme, &required(scheme), &thesis_link(), 0);
        for seed in 1..=draws {
            let mut rng = Rng::stream(seed, scheme.name);
            let settings = any_settings(scheme, scheme.params, &mut rng);
            check(scheme, &settings, &any_link(&mut rng), seed);
        }
    }
}

/// A pause of up to 67 ms, but not of many timeouts.
fn pause(rig: &mut Rig, script: &mut Rng) {
    let pause = any_scale(script, 26);
    let period = rig.until_timeout().map_or(pause, |due| due.as_nanos().max(1000));
    rig.advance(Span::from_nanos(pause.min(period.saturating_mul(20))));
}

/// Operations on a queue: many arrivals at first, then fewer, again and again.
fn exercise(rig: &mut Rig, seed: u64, operations: u32) {
    let mut script = Rng::stream(seed, "script");
    for step in 0..operations {
        if script.chance(if step % 1000 < 600 { 0.6 } else { 0.35 }) {
            rig.arrive_packet(any_packet(&mut script, 1500));
        } else {
            rig.depart();
        }
        if script.chance(0.5) {
            pause(rig, &mut script);
        }
        rig.check_packets();
    }
}

/// All packets leave, at the times at which they may.
fn drain(rig: &mut Rig) {
    let mut answers = 0;
    loop {
        match rig.next() {
            Next::Empty => return,
            Next::NotBefore(time) => rig.jump(time.max(rig.now)),
            Next::Send(_) => {}
        }
        answers += 1;
        assert!(answers < 100_000, "the queue does not become empty");
    }
}

#[test]
fn the_start_of_the_clock_changes_nothing() {
    for_each_setting(30, |scheme, settings, link, seed| {
        let run_from = |start| {
            let mut rig = Rig::from(start, link, scheme.name, settings, seed).ok()?;
            exercise(&mut rig, seed, 2000);
            Some((Counts { start: Time::ZERO, ..rig.counts }, rig.gauges()))
        };
        assert_eq!(run_from(Time::ZERO), run_from(PRESENT), "{} with {settings:?}", scheme.name);
    });
}

#[test]
fn time_may_stand_still_jump_to_its_largest_value_and_go_back() {
    let times = [PRESENT, PRESENT, Time::NEVER, Time::NEVER, Time::ZERO, PRESENT, Time::from_nanos(u64::MAX - 1)];
    for_each_setting(20, |scheme, settings, link, seed| {
        let Ok(mut rig) = Rig::from(PRESENT, link, scheme.name, settings, seed) else { return };
        let mut script = Rng::stream(seed, "script");
        for now in times {
            rig.jump(now);
            for _ in 0..100 {
                rig.arrive_packet(any_packet(&mut script, 1500));
                if script.chance(0.5) {
                    rig.depart();
                }
            }
            rig.check_gauges();
        }
        rig.jump(Time::NEVER);
        assert_eq!(rig.timeout(), None, "{} has a timeout at the end of time", scheme.name);
    });
}

#[test]
fn packets_of_any_size_leave_in_bounded_time_even_without_a_rate() {
    const LARGEST: u32 = u32::MAX;
    for_each_setting(20, |scheme, settings, link, seed| {
        for rate in [link.rate, Rate::from_bits_per_second(0)] {
            let link = &LinkInfo { rate, ..*link };
            let Ok(mut rig) = Rig::from(PRESENT, link, scheme.name, settings, seed) else { continue };
            let mut script = Rng::stream(seed, "script");
            for sizes in [&[LARGEST][..], &[0, LARGEST], &[LARGEST - 1, 1, LARGEST / 2]] {
                let start = Instant::now();
                for step in 0..60 {
                    let size = sizes[step % sizes.len()];
                    rig.arrive_packet(PacketMeta { size, ..any_packet(&mut script, 1500) });
                    if script.chance(0.5) {
                        rig.depart();
                    }
                    rig.check();
                }
                drain(&mut rig);
                assert_eq!(rig.waiting(), 0, "{}", scheme.name);
                // some milliseconds at most; round after round it would be many seconds
                assert!(start.elapsed().as_secs() < 3, "{} with {settings:?} takes too long", scheme.name);
            }
        }
    });
}

#[test]
fn packets_of_no_bytes_and_of_65535_leave() {
    for_each_setting(20, |scheme, settings, link, seed| {
        let Ok(mut rig) = Rig::from(PRESENT, link, scheme.name, settings, seed) else { return };
        let mut script = Rng::stream(seed, "script");
        for sizes in [&[0][..], &[65_535], &[0, 65_535, 1]] {
            for step in 0..300 {
                let size = sizes[step % sizes.len()];
                rig.arrive_packet(PacketMeta { size, ..any_packet(&mut script, 1500) });
                if script.chance(0.5) {
                    rig.depart();
                }
                rig.check();
            }
            drain(&mut rig);
            assert_eq!(rig.waiting(), 0, "{}", scheme.name);
        }
    });
}

/// The key of a flow by its number.
fn key(number: u32) -> FlowKey {
    FlowKey { src: u128::from(number), dst: 1, src_port: 1, dst_port: 80, protocol: 6 }
}

/// A packet of a flow whose hosts have the same number.
fn packet(flow: u32, rng: &mut Rng) -> PacketMeta {
    let packet = any_packet_of(flow, rng, 1500);
    PacketMeta { rare: packet.rare.map(|rare| Rare { src: flow, dst: flow, ..rare }), ..packet }
}

#[test]
fn a_million_flows_in_turn_take_no_more_memory_than_the_table_has_flows() {
    for scheme in schemes() {
        let mut rig = Rig::from(PRESENT, &thesis_link(), scheme.name, &required(scheme), 1).unwrap();
        let mut script = Rng::stream(1, "script");
        let ((), _, peak) = counted(|| {
            let mut table = IdTable::new(FLOWS, 1);
            rig.reserve(35, FLOWS);
            for number in 0..1_000_000 {
                let lookup = table.look_up(&key(number));
                if let Lookup::Reused(flow) = lookup {
                    rig.forget_flow(flow);
                }
                rig.arrive_packet(packet(lookup.id(), &mut script));
                if number % 3 > 0 {
                    rig.depart();
                    rig.advance(Span::from_micros(5000));
                }
            }
        });
        rig.check();
        assert!(peak < 8 << 20, "{} takes {peak} bytes", scheme.name);
    }
}

#[test]
fn flow_numbers_of_any_size_ask_for_no_gigabytes() {
    for_each_setting(1, |scheme, settings, link, seed| {
        let Ok(mut rig) = Rig::from(PRESENT, link, scheme.name, settings, seed) else { return };
        let mut script = Rng::stream(seed, "script");
        let ((), _, peak) = counted(|| {
            for step in 0..2000 {
                let flow = [0, 7, u32::MAX, u32::MAX - 1, 1 << 31, 3_000_000_000][step % 6];
                rig.arrive_packet(packet(flow, &mut script));
                if script.chance(0.4) {
                    rig.depart();
                }
            }
            for flow in [7, u32::MAX, 1 << 31] {
                rig.forget_flow(flow);
            }
            drain(&mut rig);
        });
        rig.check_packets();
        assert!(peak < 512 << 20, "{} takes {peak} bytes", scheme.name);
    });
}

#[test]
fn nothing_is_allocated_after_the_reserve() {
    for_each_setting(20, |scheme, settings, link, seed| {
        let limit = Limit::Packets(40 + seed as u32);
        let link = &LinkInfo { limit, ..*link };
        let Ok(mut rig) = Rig::from(PRESENT, link, scheme.name, settings, seed) else { return };
        rig.reserve(40 + seed as u32, 64);
        let mut script = Rng::stream(seed, "script");
        let ((), allocations, _) = counted(|| {
            for step in 0..5000 {
                if script.chance(if step % 1000 < 600 { 0.6 } else { 0.35 }) {
                    let flow = script.below(64) as u32;
                    rig.arrive_packet(packet(flow, &mut script));
                } else {
                    rig.depart();
                }
                if script.chance(0.5) {
                    pause(&mut rig, &mut script);
                }
            }
        });
        assert_eq!(allocations, 0, "{} with {settings:?}", scheme.name);
    });
}

/// A queue that flow `bad`, 5 or 6, has flooded, beside others, until it was empty and both were forgotten, or not: the
/// fates of packets of flow 6 and the others then.
fn newcomer(
    scheme: &SchemeInfo,
    settings: &Settings,
    link: &LinkInfo,
    bad: u32,
    forgets: bool,
) -> Option<(Counts, Vec<u32>)> {
    let mut rig = Rig::from(PRESENT, link, scheme.name, settings, 1).ok()?;
    let packet = |flow, rtt, priority| {
        let rare = Rare { src: 0, dst: 0, rtt: Some(Span::from_millis(rtt)), adu: 1, priority };
        PacketMeta { flow, size: 1000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: Some(rare) }
    };
    let mut script = Rng::stream(1, "script");
    if scheme.family == "flow queueing" {
        // the order of their first use numbers the queues, and the number decides between equal ones
        (5..7).for_each(|flow| rig.arrive_packet(packet(flow, 20, 0)));
    }
    for _ in 0..3000 {
        let is_bad = script.chance(0.7);
        let flow = if is_bad { bad } else { script.below(5) as u32 };
        rig.arrive_packet(packet(flow, if is_bad { 80 } else { 20 }, u8::from(is_bad)));
        if script.chance(0.4) {
            rig.depart();
        }
        rig.advance(Span::from_micros(500));
    }
    drain(&mut rig);
    if forgets {
        (5..7).for_each(|flow| rig.forget_flow(flow));
    }
    rig.counts = Counts { start: rig.now, ..Counts::default() };
    let mut sent = Vec::new();
    for _ in 0..600 {
        let flow = if script.chance(0.5) { 6 } else { script.below(5) as u32 };
        rig.arrive_packet(packet(flow, 20, 0));
        if script.chance(0.7) {
            sent.extend(rig.serve().map(|packet| packet.flow));
        }
        rig.advance(Span::from_micros(200));
    }
    Some((Counts { start: Time::ZERO, ..rig.counts }, sent))
}

/// The settings with so many bins that no two flows share one.
fn apart(scheme: &SchemeInfo, settings: &Settings) -> Vec<(String, Value)> {
    let mut settings = settings.to_vec();
    for name in ["bins", "buckets", "flows"] {
        let is_count = |info: &&ParamInfo| info.name == name && info.kind == Kind::Integer;
        if scheme.params.iter().any(|info| is_count(&info)) {
            settings.retain(|(given, _)| given != name);
            settings.push((name.into(), Value::Number(65_536.0)));
        }
    }
    settings
}

#[test]
fn a_flow_inherits_nothing_from_the_one_whose_number_it_gets() {
    for_each_setting(20, |scheme, settings, link, _| {
        let settings = &apart(scheme, settings);
        let [same, other] = [6, 5].map(|bad| newcomer(scheme, settings, link, bad, true));
        assert_eq!(same, other, "{} with {settings:?}", scheme.name);
    });
}

#[test]
fn one_dequeue_drops_a_bounded_number_of_packets() {
    let mut many = 0;
    for_each_setting(20, |scheme, settings, link, seed| {
        let link = &LinkInfo { limit: Limit::Infinite, ..*link };
        let Ok(mut rig) = Rig::from(PRESENT, link, scheme.name, settings, seed) else { return };
        for round in 0..3 {
            (0..1000).for_each(|number| rig.arrive_from(number % 7, 1));
            rig.jump(rig.now + Span::from_millis(10_000 * round));
            while rig.waiting() > 0 {
                let dropped = |counts: &Counts| counts.dropped_at_head + counts.dropped_on_arrival;
                let before = dropped(&rig.counts);
                let answer = rig.next();
                let dropped = dropped(&rig.counts) - before;
                assert!(dropped <= u64::from(MAX_DROPS), "{} drops {dropped} packets", scheme.name);
                if dropped == u64::from(MAX_DROPS) {
                    many += 1;
                    assert!(matches!(answer, Next::NotBefore(now) if now == rig.now));
                }
                if let Next::NotBefore(time) = answer {
                    rig.jump(time.max(rig.now));
                }
            }
        }
    });
    assert!(many > 0, "no scheme comes to the bound");
}

#[test]
fn a_late_timer_fires_once() {
    for_each_setting(20, |scheme, settings, link, seed| {
        let Ok(mut rig) = Rig::from(PRESENT, link, scheme.name, settings, seed) else { return };
        for _ in 0..5 {
            rig.arrive(10);
            rig.jump(rig.now + Span::from_secs(1000.0));
            assert!(rig.timeout().is_none_or(|due| due > rig.now), "{} is late again", scheme.name);
            drain(&mut rig);
        }
    });
}

#[test]
fn without_forgetting_a_flow_would_inherit() {
    let mut heirs = BTreeSet::new();
    for_each_setting(20, |scheme, settings, link, _| {
        let settings = &apart(scheme, settings);
        let [same, other] = [6, 5].map(|bad| newcomer(scheme, settings, link, bad, false));
        if same != other {
            heirs.insert(scheme.name);
        }
    });
    for scheme in ["afd", "cake", "fq-pie", "sfb", "sred", "tdrr", "xred"] {
        assert!(heirs.contains(scheme), "{scheme}: the test of inheritance would miss it");
    }
}

//! The rules of PIE's variants, one by one.

mod pseudocode;

use super::*;
use crate::rig::{Rig, assert_fits, thesis_link};
use penstock_core::Ecn;
use penstock_core::param::Value;

const MS: u64 = 1_000_000;
fn aqm(settings: &[(&str, Value)]) -> Pie {
    let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
    Pie::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap()
}

fn variant(word: &str) -> (&str, Value) {
    ("variant", Value::Text(word.into()))
}

#[test]
fn a_step_is_scaled_by_the_probability_before_it() {
    // d - QDELAY_REF = 8 ms and d - d_old = 4 ms: alpha 8 ms + beta 4 ms = 0.006 at full scale
    for (p, divisor) in
        [(0.0, 2048.0), (5e-6, 512.0), (5e-5, 128.0), (5e-4, 32.0), (5e-3, 8.0), (0.05, 2.0), (0.5, 1.0)]
    {
        let mut aqm = aqm(&[variant("basic")]);
        aqm.vars = PieVars { p, qdelay: 0.023, qdelay_old: 0.019, ..aqm.vars };
        aqm.update(Time::from_nanos(15 * MS), 0);
        assert!((aqm.vars.p - p - 0.006 / divisor).abs() < 1e-12, "{p}");
    }
}

#[test]
fn a_long_delay_raises_p_by_at_most_a_fiftieth_or_twice_that_with_linux() {
    for (word, step) in [("basic", 0.125 * 0.285), ("extended", 0.02), ("linux", 0.04)] {
        let mut aqm = aqm(&[variant(word)]);
        aqm.vars = PieVars { active: true, p: 0.5, qdelay: 0.3, qdelay_old: 0.3, ..aqm.vars };
        aqm.update(Time::from_nanos(15 * MS), 0);
        assert!((aqm.vars.p - 0.5 - step).abs() < 1e-12, "{word}");
    }
}

#[test]
fn p_decays_once_the_delay_is_gone_or_for_extended_small() {
    // the step is alpha (d - 15 ms), at full scale
    for (word, qdelay, p) in [
        ("basic", 0.0, (0.5 - 0.125 * 0.015) * 0.98),
        ("basic", 0.001, 0.5 - 0.125 * 0.014),
        ("extended", 0.001, (0.5 - 0.125 * 0.014) * 0.98),
        ("linux", 0.0, (0.5 - 0.125 * 0.015) * 63.0 / 64.0),
        ("linux", 0.001, 0.5 - 0.125 * 0.014),
    ] {
        let mut aqm = aqm(&[variant(word)]);
        aqm.vars = PieVars { active: true, p: 0.5, qdelay, qdelay_old: qdelay, ..aqm.vars };
        aqm.update(Time::from_nanos(15 * MS), 0);
        assert!((aqm.vars.p - p).abs() < 1e-12, "{word}");
    }
}

#[test]
fn only_linux_lets_p_pass_1() {
    for (word, p) in [("basic", 1.0), ("extended", 1.0), ("linux", 1.03)] {
        let mut aqm = aqm(&[variant(word)]);
        aqm.vars = PieVars { active: true, p: 0.99, qdelay: 0.3, qdelay_old: 0.3, ..aqm.vars };
        aqm.update(Time::from_nanos(15 * MS), 0);
        assert!((aqm.vars.p - p).abs() < 1e-12, "{word}");
    }
}

#[test]
fn only_linux_drops_where_just_two_packets_wait() {
    for (word, bytes, drops) in [
        ("basic", 2000, false),
        ("extended", 2000, false),
        ("linux", 2000, true),
        ("linux", 1999, false),
        ("basic", 2001, true),
    ] {
        let mut aqm = aqm(&[variant(word), ("mean_packet", Value::Bytes(1000.0))]);
        aqm.vars = PieVars { active: true, p: 1.0, accu: 8.5, burst_allowance: Span::ZERO, ..aqm.vars };
        let queue = Backlog { packets: 2, bytes, limit: Limit::Packets(50), oldest: None };
        assert_eq!(aqm.drop_early(&queue, &mut Rng::stream(1, "rig")), drops, "{word} {bytes}");
    }
}

#[test]
fn the_period_is_that_of_a_timer_which_is_never_early() {
    let period = |hz: f64| aqm(&[("hz", Value::Number(hz))]).params.period().as_nanos();
    assert_eq!([period(100.0), period(250.0), period(1000.0)], [30 * MS, 20 * MS, 16 * MS]);
    assert_eq!(aqm(&[]).params.period().as_nanos(), 15 * MS);
}

#[test]
fn extended_waits_for_a_third_of_the_limit_where_there_is_one() {
    let is_on = |packets, limit| {
        let mut aqm = aqm(&[]);
        aqm.switch(Time::ZERO, &Backlog { packets, bytes: u64::from(packets) * 1000, limit, oldest: None });
        aqm.vars.active
    };
    assert_eq!([11, 12].map(|packets| is_on(packets, Limit::Packets(35))), [false, true]);
    assert_eq!([11, 12].map(|packets| is_on(packets, Limit::Bytes(36_000))), [false, true]);
    assert!(is_on(1, Limit::Infinite));
}

#[test]
fn with_the_rate_estimated_it_stays_on_until_it_has_an_estimate() {
    let mut rig = Rig::new("pie", &[("delay", Value::Text("rate".into())), ("ecn", Value::Flag(true))]);
    // 187.5 packets leave per second and 250 arrive: 16384 bytes take 91 ms, six updates
    for step in 0..20_000_u64 {
        rig.advance(Span::from_millis(1));
        if step % 4 == 0 {
            rig.arrive(1);
        }
        if step * 3 % 16 < 3 {
            rig.depart();
        }
    }
    // 35 packets would take 187 ms
    assert!(rig.gauge("p") > 0.1 && rig.waiting() < 10, "{:?} {}", rig.gauges(), rig.waiting());
}

#[test]
fn drops_are_spaced_by_the_sum_of_p() {
    let mut aqm = aqm(&[variant("linux")]);
    aqm.vars = PieVars { p: 0.1, qdelay_old: 0.02, burst_allowance: Span::default(), ..aqm.vars };
    let queue = Backlog { packets: 10, bytes: 10_000, limit: Limit::Infinite, oldest: None };
    let mut rng = Rng::stream(1, "test");
    let mut gaps = Vec::new();
    let mut gap = 0;
    let packet = PacketMeta { flow: 0, size: 1000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None };
    while gaps.len() < 5000 {
        gap += 1;
        if aqm.judge(&queue, &packet, &mut rng) != Verdict::Pass {
            gaps.push(core::mem::take(&mut gap));
        }
    }
    // the sum reaches 0.85 with the 9th arrival; P(85 arrivals without a drop) = 0.9^76 = 3e-4: certain with the 85th or,
    // as 85 times 0.1 falls short of 8.5 in floating point, with the 86th
    crate::rig::assert_fits(&gaps, 9..=60, |n| 0.1 * 0.9_f64.powf(f64::from(n) - 9.0));
    assert!(gaps.iter().all(|&gap| gap <= 86));
}

#[test]
fn marks_below_the_threshold_and_drops_from_it_on() {
    let verdict = |p, ecn| {
        let mut aqm = aqm(&[variant("linux"), ("ecn", Value::Flag(true))]);
        aqm.vars = PieVars { p, accu: 9.0, qdelay_old: 0.02, burst_allowance: Span::default(), ..aqm.vars };
        let queue = Backlog { packets: 10, bytes: 10_000, limit: Limit::Infinite, oldest: None };
        let packet = PacketMeta { flow: 0, size: 1000, ecn, dscp: 0, protocol: 6, rare: None };
        aqm.judge(&queue, &packet, &mut Rng::stream(1, "test"))
    };
    assert_eq!(verdict(0.099, Ecn::Ect0), Verdict::Mark(Cause::Early));
    assert_eq!(verdict(0.1, Ecn::Ect0), Verdict::Drop(Cause::Early));
    assert_eq!(verdict(0.099, Ecn::Not), Verdict::Drop(Cause::Early));
}

fn switched(name: &str, word: &str, form: &str) -> Pie {
    aqm(&[variant(form), (name, Value::Text(word.into()))])
}

#[test]
fn the_cap_is_a_switch_of_its_own() {
    // d - QDELAY_REF = 285 ms at alpha 1/8: a step of 0.035625 without the cap, plus 0.02 in "linux"
    let step = 0.125 * 0.285;
    for (form, word, after) in [
        ("basic", "on", 0.02),
        ("basic", "off", step),
        ("extended", "off", step),
        ("linux", "on", 0.04),
        ("linux", "off", step + 0.02),
    ] {
        let mut aqm = switched("cap_drop", word, form);
        aqm.vars = PieVars { active: true, p: 0.1, qdelay: 0.3, qdelay_old: 0.3, ..aqm.vars };
        aqm.update(Time::from_nanos(15 * MS), 0);
        assert!((aqm.vars.p - 0.1 - after).abs() < 1e-12, "{form} {word}");
        // and from p = 0.1 on only
        aqm.vars = PieVars { p: 0.099, qdelay: 1.0, qdelay_old: 0.3, activated: Time::ZERO, ..aqm.vars };
        aqm.update(Time::from_nanos(15 * MS), 0);
        assert!(aqm.vars.p > 0.099 + 0.4, "{form} {word}");
    }
}

/// Packets between drops at p = 0.1, without an allowance, in a queue of 15 packets of 1000 bytes.
fn gaps(mut aqm: Pie) -> Vec<u32> {
    aqm.vars = PieVars { active: true, p: 0.1, qdelay_old: 1.0, burst_allowance: Span::ZERO, ..aqm.vars };
    let queue = Backlog { packets: 15, bytes: 15_000, limit: Limit::Infinite, oldest: None };
    let packet = PacketMeta { flow: 0, size: 1000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None };
    let mut rng = Rng::stream(1, "gaps");
    let (mut gaps, mut gap) = (Vec::new(), 0);
    while gaps.len() < 20_000 {
        gap += 1;
        if aqm.judge(&queue, &packet, &mut rng) != Verdict::Pass {
            gaps.push(core::mem::take(&mut gap));
        }
    }
    gaps
}

#[test]
fn derandomization_is_a_switch_of_its_own() {
    // without it the gaps are geometric; with it there is no drop before the 9th arrival (0.9 >= 0.85), and a certain
    // one at the 85th
    for form in ["basic", "extended", "linux"] {
        let geometric = gaps(switched("derandomization", "off", form));
        assert_fits(&geometric, 1..=60, |n| 0.1 * 0.9_f64.powf(f64::from(n) - 1.0));
        let spaced = gaps(switched("derandomization", "on", form));
        assert_fits(&spaced, 9..=60, |n| 0.1 * 0.9_f64.powf(f64::from(n) - 9.0));
    }
}

#[test]
fn a_drop_or_mark_is_certain_at_a_sum_of_8_5_and_restarts_the_sum() {
    // p is a power of 1/2, so that the sum is exact: 0.85 is passed at the 14th arrival, 8.5 reached at the 136th
    let p = 1.0 / 16.0;
    let never = |aqm: &mut Pie, ecn, packets: u32| {
        let queue = Backlog { packets: 15, bytes: 15_000, limit: Limit::Infinite, oldest: None };
        let packet = PacketMeta { flow: 0, size: 1000, ecn, dscp: 0, protocol: 6, rare: None };
        (0..packets).map(|_| aqm.judge(&queue, &packet, &mut Rng::stream(3, "above p"))).collect::<Vec<_>>()
    };
    // each call draws the first number of this stream only
    assert!(Rng::stream(3, "above p").uniform() >= p);
    for (ecn, fate) in [(Ecn::Not, Verdict::Drop(Cause::Early)), (Ecn::Ect0, Verdict::Mark(Cause::Early))] {
        let mut aqm = aqm(&[variant("linux"), ("ecn", Value::Flag(true))]);
        aqm.vars = PieVars { p, qdelay_old: 1.0, burst_allowance: Span::ZERO, ..aqm.vars };
        let verdicts = never(&mut aqm, ecn, 3 * 136);
        let hits: Vec<usize> =
            (1..).zip(&verdicts).filter(|(_, verdict)| **verdict != Verdict::Pass).map(|(n, _)| n).collect();
        assert_eq!(hits, [136, 272, 408]);
        assert!(verdicts.iter().all(|verdict| [Verdict::Pass, fate].contains(verdict)));
    }
}

#[test]
fn activation_is_a_switch_of_its_own() {
    for (form, word, at_once) in [
        ("basic", "on", false),
        ("basic", "off", true),
        ("extended", "off", true),
        ("linux", "on", false),
        ("linux", "off", true),
    ] {
        let mut aqm = switched("activation", word, form);
        assert_eq!(aqm.vars.active, at_once, "{form} {word}");
        let queue = |packets| Backlog { packets, bytes: 1000, limit: Limit::Packets(35), oldest: None };
        aqm.switch(Time::ZERO, &queue(11));
        assert_eq!(aqm.vars.active, at_once);
        aqm.switch(Time::ZERO, &queue(12));
        assert!(aqm.vars.active);
    }
}

#[test]
fn extended_without_activation_renews_the_allowance_while_the_delay_is_low() {
    let after_an_arrival = |word, qdelay| {
        let mut aqm = switched("activation", word, "extended");
        aqm.vars = PieVars { active: true, burst_allowance: Span::ZERO, qdelay, ..aqm.vars };
        let queue = Backlog { packets: 1, bytes: 1000, limit: Limit::Packets(35), oldest: None };
        let packet = PacketMeta { flow: 0, size: 1000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None };
        aqm.judge(&queue, &packet, &mut Rng::stream(1, "none drawn"));
        aqm.vars.burst_allowance
    };
    assert_eq!(after_an_arrival("off", 0.007), Span::from_millis(150));
    assert_eq!(after_an_arrival("off", 0.008), Span::ZERO);
    assert_eq!(after_an_arrival("on", 0.007), Span::ZERO);
}

/// The times at which p is updated if the timer of appendix B is called late by `lateness` in each period; in whole
/// milliseconds.
fn steps_at(aqm: &mut Pie, lateness: &[u64]) -> Vec<u64> {
    let mut rng = Rng::stream(1, "pie");
    let mut steps = Vec::new();
    for late in lateness {
        let due = aqm.next_timeout().unwrap();
        let now = due + Span::from_nanos(late * MS);
        let queue = Backlog { packets: 0, bytes: 0, limit: Limit::Infinite, oldest: None };
        let before = aqm.vars.p;
        aqm.on_timeout(&mut Cx { now, queue, link_bytes: 0, rng: &mut rng });
        if aqm.vars.p != before {
            steps.push(now.as_nanos() / MS);
        }
    }
    steps
}

/// RFC 8033, section 4.2: p is updated every T_UPDATE.
#[test]
fn a_late_caller_loses_no_update() {
    let mut aqm = aqm(&[variant("basic")]);
    aqm.vars = PieVars { p: 0.5, qdelay: 0.02, qdelay_old: 0.02, ..aqm.vars };
    // Late by 9 ms, then on time: 6 ms after the previous update, which is less than T_UPDATE.
    assert_eq!(steps_at(&mut aqm, &[0, 9, 0, 14, 0, 0]), [15, 39, 45, 74, 75, 90]);
}

/// Appendix B compares the time since `last_timestamp_`, which the activation sets.
#[test]
fn an_update_less_than_t_update_after_the_activation_is_omitted() {
    let mut aqm = aqm(&[]);
    let queue = Backlog { packets: 20, bytes: 20_000, limit: Limit::Packets(35), oldest: None };
    aqm.switch(Time::from_nanos(20 * MS), &queue);
    aqm.vars = PieVars { p: 0.5, qdelay: 0.02, qdelay_old: 0.02, ..aqm.vars };
    // active from 20 ms on: the timer at 30 ms comes too early
    assert_eq!(steps_at(&mut aqm, &[0, 0, 0]), [45]);
}

#[test]
fn no_time_overflows() {
    let longest = Value::Time(Span::from_nanos(u64::MAX));
    for settings in [vec![("hz", Value::Number(100.0)), ("t_update", longest.clone())], vec![("max_burst", longest)]] {
        let mut aqm = aqm(&settings);
        for (now, enqueued) in [(u64::MAX, 0), (0, u64::MAX), (u64::MAX, u64::MAX)] {
            aqm.departed(Time::from_nanos(now), Time::from_nanos(enqueued), 1000, 1000);
            aqm.update(Time::from_nanos(now), 1000);
            assert!(aqm.vars.p.is_finite());
        }
    }
}

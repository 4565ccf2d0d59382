//! Every registered scheme as a real link uses it: a clock that starts anywhere, flow ids from a table, packets of any
//! size.

mod rig;

use penstock_aqm::{LinkInfo, SchemeInfo, schemes};
use penstock_core::param::Settings;
use penstock_core::{Rng, Span, Time};
use rig::draw::{any_link, any_scale, any_settings};
use rig::{Counts, Rig, any_packet, required, thesis_link};

/// 10^18 nanoseconds, about 31 years: the present time of a real clock.
const PRESENT: Time = Time::from_nanos(1_000_000_000_000_000_000);

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
            let pause = any_scale(&mut script, 26);
            let period = rig.until_timeout().map_or(pause, |due| due.as_nanos().max(1000));
            rig.advance(Span::from_nanos(pause.min(period.saturating_mul(20))));
        }
        rig.check_packets();
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

//! Pseudo-random operations on every registered scheme with pseudo-random legal parameters.
//!
//! `penstock-fuzz [MILLIONS] [SEED]`: so many million operations on each scheme (default 1) from this seed (default 1).
//! Nothing may panic, packets are conserved, gauges stay finite, and the next timeout never lies in the past. A failure
//! names the scheme and the round; the same numbers give the same failure again.

#[path = "../../crates/penstock-aqm/tests/rig/mod.rs"]
mod rig;

use penstock_aqm::{LinkInfo, SchemeInfo, schemes};
use penstock_core::param::{Default, Kind, ParamInfo, Value};
use penstock_core::{Bytes, Limit, Rate, Rng, Span};
use rig::{Rig, any_packet, thesis_link, three_classes};
use std::panic::catch_unwind;
use std::process::ExitCode;

const OPERATIONS_A_ROUND: u64 = 1000;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut argument = |otherwise| match arguments.next().map(|text| text.parse::<u64>()) {
        None => Some(otherwise),
        Some(number) => number.ok(),
    };
    let (Some(millions), Some(seed)) = (argument(1), argument(1)) else {
        eprintln!("usage: penstock-fuzz [MILLIONS] [SEED]");
        return ExitCode::from(2);
    };
    for scheme in schemes() {
        let mut accepted = 0;
        let rounds = millions * 1_000_000 / OPERATIONS_A_ROUND;
        for number in 0..rounds {
            let mut rng = Rng::stream(seed, &format!("{} {number}", scheme.name));
            let Ok(is_accepted) = catch_unwind(move || round(scheme, &mut rng)) else {
                eprintln!("{} failed in round {number} of seed {seed}", scheme.name);
                return ExitCode::FAILURE;
            };
            accepted += u64::from(is_accepted);
        }
        println!("{}: {accepted} of {rounds} rounds with accepted settings, no failure", scheme.name);
    }
    ExitCode::SUCCESS
}

/// One queue and a sequence of operations on it; whether its settings were accepted.
fn round(scheme: &SchemeInfo, rng: &mut Rng) -> bool {
    let mut settings = Vec::new();
    for info in scheme.params {
        if info.default == Default::Required || rng.chance(0.5) {
            settings.push((info.name.to_string(), legal(scheme, info, rng)));
        }
    }
    let Ok(mut rig) = Rig::on(&link(rng), scheme.name, &settings, rng.bits()) else { return false };
    let load = rng.uniform();
    for _ in 0..OPERATIONS_A_ROUND {
        match rng.below(100) {
            0 => rig.relink(&link(rng)),
            1 => rig.advance(Span::from_nanos(rng.below(10_000_000_000))),
            2..20 => rig.advance(Span::from_nanos(rng.below(10_000_000))),
            _ if rng.chance(load) => {
                let largest = if rng.chance(0.01) { 65_535 } else { 1514 };
                rig.arrive_packet(any_packet(rng, largest));
            }
            _ => {
                rig.depart();
            }
        }
        rig.check();
    }
    true
}

fn legal(scheme: &SchemeInfo, info: &ParamInfo, rng: &mut Rng) -> Value {
    let (low, high) = info.range.unwrap_or((0.0, 100.0));
    // The ends of a range are where mistakes live.
    let mut number = |high: f64| match rng.below(10) {
        0 => low,
        1 => high,
        _ => rng.between(low, high.min(low + 100.0)),
    };
    match info.kind {
        Kind::Number | Kind::Rate => Value::Number(number(high)),
        Kind::Integer => Value::Number(number(high).floor()),
        Kind::Time => Value::Time(Span::from_secs(number(low + 10.0))),
        Kind::Size => Value::Bytes(number(high)),
        Kind::Flag => Value::Flag(rng.chance(0.5)),
        Kind::Choice(words) => Value::Text(words[rng.below(words.len() as u64) as usize].into()),
        Kind::Length if rng.chance(0.2) => Value::Bytes(rng.between(0.0, 40_000.0)),
        Kind::LengthOrTime if rng.chance(0.3) => Value::Time(Span::from_nanos(rng.below(200_000_000))),
        Kind::Length | Kind::LengthOrTime => Value::Packets(rng.between(0.0, 40.0)),
        Kind::Numbers => Value::Numbers((0..1 + rng.below(8)).map(|_| rng.between(low, high.min(low + 100.0))).collect()),
        Kind::Classes => Value::Classes(three_classes(scheme)),
    }
}

fn link(rng: &mut Rng) -> LinkInfo {
    let limit = match rng.below(4) {
        0 => Limit::Infinite,
        1 => Limit::Bytes(rng.below(60_000)),
        _ => Limit::Packets(rng.below(60) as u32),
    };
    let rate = Rate::from_bits_per_second(1 << rng.below(40));
    LinkInfo { limit, rate, mean_packet: Bytes(1 + rng.below(1500)), ..thesis_link() }
}

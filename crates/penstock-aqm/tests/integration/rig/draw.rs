//! Pseudo-random settings and links.

use super::{thesis_link, three_classes};
use penstock_aqm::{LinkInfo, SchemeInfo};
use penstock_core::param::{Default, Kind, ParamInfo, Value};
use penstock_core::{Bytes, Limit, Rate, Rng, Span};

/// A number below two to the power of `bits`, as often small as large.
pub fn any_scale(rng: &mut Rng, bits: u64) -> u64 {
    let bits = rng.below(bits);
    rng.below(1 << bits)
}

/// Settings for what must be set, and about half of the rest: legal one by one, often at an end of their range.
pub fn any_settings(scheme: &SchemeInfo, params: &[ParamInfo], rng: &mut Rng) -> Vec<(String, Value)> {
    let mut settings = Vec::new();
    let often = [0.0, 0.2, 0.5][rng.below(3) as usize];
    for info in params {
        if info.default == Default::Required || rng.chance(often) {
            settings.push((info.name.to_string(), legal(scheme, info, rng)));
        }
    }
    settings
}

/// A value of this parameter's kind within its range.
fn legal(scheme: &SchemeInfo, info: &ParamInfo, rng: &mut Rng) -> Value {
    let (low, high) = info.range.unwrap_or((0.0, 100.0));
    // The ends of a range are where mistakes live; small whole numbers make equal thresholds likely.
    let mut number = |high: f64| match rng.below(10) {
        0 => low,
        1 => high,
        2 => (rng.below(4) as f64).clamp(low, high),
        _ => rng.between(low, high.min(low + 100.0)),
    };
    match info.kind {
        Kind::Number | Kind::Rate => Value::Number(number(high)),
        Kind::Integer => Value::Number(number(high.min(1e5)).floor()),
        Kind::Time => Value::Time(Span::from_secs(number(low + 10.0))),
        Kind::Size => Value::Bytes(number(high)),
        Kind::Flag => Value::Flag(rng.chance(0.5)),
        Kind::Choice(words) => Value::Text(words[rng.below(words.len() as u64) as usize].into()),
        Kind::Length if rng.chance(0.2) => Value::Bytes(rng.between(0.0, 40_000.0)),
        Kind::LengthOrTime if rng.chance(0.3) => Value::Time(Span::from_nanos(rng.below(200_000_000))),
        Kind::Length | Kind::LengthOrTime if rng.chance(0.4) => Value::Packets(5.0 * rng.below(5) as f64),
        Kind::Length | Kind::LengthOrTime => Value::Packets(rng.between(0.0, 40.0)),
        Kind::Numbers => Value::Numbers((0..=rng.below(8)).map(|_| rng.between(low, high.min(low + 100.0))).collect()),
        Kind::Codepoints => Value::Numbers((0..=rng.below(4)).map(|_| rng.below(64) as f64).collect()),
        Kind::Writes => unreachable!("a key of TCP"),
        Kind::Classes => {
            let mut classes = three_classes(scheme);
            if rng.chance(0.5) {
                for class in &mut classes {
                    class.settings = any_settings(scheme, scheme.class_params, rng);
                }
            }
            Value::Classes(classes)
        }
    }
}

pub fn any_link(rng: &mut Rng) -> LinkInfo {
    let limit = match rng.below(8) {
        0 | 1 => Limit::Infinite,
        2 | 3 => Limit::Bytes(rng.below(60_000)),
        4 => Limit::Packets(1),
        5 => Limit::Packets(any_scale(rng, 18) as u32),
        _ => Limit::Packets(rng.below(60) as u32),
    };
    let rate = Rate::from_bits_per_second(1 << rng.below(40));
    let (rtt, flows) = if rng.chance(0.5) { (None, None) } else { (Some(Span::from_millis(100)), Some(20)) };
    LinkInfo { limit, rate, mean_packet: Bytes(1 + rng.below(1500)), rtt, flows, ..thesis_link() }
}

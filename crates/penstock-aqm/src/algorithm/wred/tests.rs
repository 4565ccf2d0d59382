use super::*;
use crate::rig::{Rig, any_packet, assert_fits, thesis_link};
use penstock_core::Ecn;
use penstock_core::param::Value;

const AF11: u8 = 10;
const AF12: u8 = 12;

fn numbers(list: &[f64]) -> Value {
    Value::Numbers(list.into())
}

/// Level 0 is never dropped, level 1 as in section 2.2, unless set otherwise.
fn rig(extra: &[(&str, Value)]) -> Rig {
    let mut settings = vec![("min_th", numbers(&[1e6, 15.0])), ("max_th", numbers(&[2e6, 45.0]))];
    settings.retain(|(name, _)| extra.iter().all(|(given, _)| given != name));
    settings.extend_from_slice(extra);
    let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
    Rig::on(&LinkInfo { limit: Limit::Infinite, ..thesis_link() }, "wred", &settings, 1).unwrap()
}

fn packet(dscp: u8) -> PacketMeta {
    PacketMeta { flow: 0, size: 1000, ecn: Ecn::Not, dscp, protocol: 6, rare: None }
}

/// The queue holds `n` in-profile packets, and the average equals the queue.
fn holding(n: u32, extra: &[(&str, Value)]) -> Rig {
    let mut settings = vec![("w_q", Value::Number(1.0))];
    settings.extend_from_slice(extra);
    let mut rig = rig(&settings);
    (0..n).for_each(|_| rig.arrive_packet(packet(AF11)));
    rig
}

#[test]
fn the_papers_example_gives_one_in_twenty_at_30_packets() {
    let rig = rig(&[]);
    // 0.1 (30 - 15) / (45 - 15)
    assert!((rig.drop_function(30.0) - 0.05).abs() < 1e-15);
    assert_eq!([14.9, 15.0, 45.0, 90.0].map(|avg| rig.drop_function(avg)), [0.0, 0.0, 1.0, 1.0]);
}

#[test]
fn gentle_rises_to_one_at_twice_max_th() {
    let rig = rig(&[("gentle", Value::Flag(true))]);
    // at 67.5: 0.1 + 0.9 (67.5 - 45) / 45
    assert_eq!([45.0, 90.0].map(|avg| rig.drop_function(avg)), [0.1, 1.0]);
    assert!((rig.drop_function(67.5) - 0.55).abs() < 1e-12);
    assert!((rig.drop_function(45.0 - 1e-9) - 0.1).abs() < 1e-8);
}

#[test]
fn nothing_drops_until_the_first_out_arrival_and_then_every_one() {
    let mut rig = holding(51, &[]);
    assert_eq!((rig.gauge("avg"), rig.counts.dropped_on_arrival), (50.0, 0));
    (0..5).for_each(|_| rig.arrive_packet(packet(AF12)));
    assert_eq!(rig.counts.dropped_on_arrival, 5);
    // until the average is below 45 again
    (0..10).for_each(|_| assert!(rig.depart()));
    rig.arrive_packet(packet(AF12));
    assert_eq!(rig.counts.dropped_on_arrival, 5);
}

#[test]
fn drops_of_a_level_are_spaced_by_the_arrivals_of_that_level() {
    // in-profile packets between the out-profile ones change nothing: p_b = 0.1 (30 - 15) / 30 = 1/20, "wait"
    let mut rig = holding(30, &[]);
    let (mut gaps, mut gap) = (Vec::new(), 0);
    while gaps.len() < 4_001 {
        for dscp in [AF11, AF12, AF11] {
            let before = rig.counts.dropped_on_arrival;
            rig.arrive_packet(packet(dscp));
            while rig.waiting() > 30 {
                rig.depart();
            }
            gap += u32::from(dscp == AF12);
            if rig.counts.dropped_on_arrival > before {
                gaps.push(gap);
                gap = 0;
            }
        }
    }
    assert_fits(&gaps[1..], 20..=39, |_| 1.0 / 20.0);
}

#[test]
fn eight_levels_have_their_own_thresholds() {
    let lists = [
        ("min_th", numbers(&[80.0, 70.0, 60.0, 50.0, 40.0, 30.0, 20.0, 10.0])),
        ("max_th", numbers(&[81.0, 71.0, 61.0, 51.0, 41.0, 31.0, 21.0, 11.0])),
        ("max_p", numbers(&[0.1; 8])),
        ("precedence", Value::Text("ip".into())),
    ];
    for (precedence, first_dropped) in [(7, 82), (4, 52), (0, 12)] {
        let mut rig = holding(0, &lists);
        // class selectors 7, 4 and 0 are levels 0, 3 and 7; the first packet above min_th is spared by the guards
        while rig.counts.dropped_on_arrival == 0 {
            rig.arrive_packet(packet(8 * precedence));
        }
        assert_eq!(rig.counts.arrived, first_dropped, "{precedence}");
    }
}

#[test]
fn one_level_is_red() {
    let same = [("w_q", Value::Number(0.05)), ("gentle", Value::Flag(true))];
    let mut settings = vec![("min_th", numbers(&[5.0])), ("max_th", numbers(&[15.0])), ("max_p", numbers(&[0.1]))];
    settings.extend_from_slice(&same);
    let mut wred = Rig::new("wred", &settings);
    let mut red = Rig::new("red", &same);
    let mut script = Rng::stream(1, "script");
    for _ in 0..20_000 {
        let arrival = script.chance(0.55).then(|| any_packet(&mut script, 1500));
        for rig in [&mut wred, &mut red] {
            match arrival {
                Some(packet) => rig.arrive_packet(packet),
                None => drop(rig.depart()),
            }
            rig.advance(penstock_core::Span::from_micros(100));
        }
        assert_eq!(wred.counts, red.counts);
    }
    assert!(red.counts.dropped_on_arrival > 100);
}

/// Level 0 is a step at 6 packets, which drops every packet that finds the average there, and none below.
#[test]
fn equal_thresholds_of_a_level_are_a_step() {
    let settings = [
        ("min_th", numbers(&[6.0])),
        ("max_th", numbers(&[6.0])),
        ("max_p", numbers(&[0.1])),
        ("w_q", Value::Number(1.0)),
        ("guards", Value::Flag(false)),
    ];
    let mut rig = Rig::new("wred", &settings);
    rig.arrive(10);
    assert_eq!(rig.counts.dropped_on_arrival, 4);
    assert_eq!([5.9, 6.0].map(|avg| rig.drop_function(avg)), [0.0, 1.0]);
}

#[test]
fn lists_that_do_not_match_are_refused_all_at_once() {
    let settings = [("min_th".into(), numbers(&[5.0, 50.0, 7.0])), ("max_p".into(), numbers(&[0.1, 0.2]))];
    let errors = Wred::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap_err();
    let told: Vec<_> = errors.iter().map(|error| (error.name.as_str(), error.message.as_str())).collect();
    let lengths = "has 3 entries: expected one for each level, as in max_p, which has 2";
    let crossed = "must not be above max_th: at level 1 it is 50, and max_th 15";
    assert_eq!(told, [("min_th", lengths), ("min_th", crossed)]);
    let none = Wred::from_settings(&[("max_p".into(), numbers(&[]))], &thesis_link(), Time::ZERO).unwrap_err();
    assert_eq!(none[0].message, "has 0 entries: expected one to eight levels");
}

//! What is proven of the schedulers, on random traces: each bound against the fluid system of `penstock-model`, which
//! shares nothing with the virtual time of the schedulers.

use crate::rig::{self, class, numbered, thesis_link};
use penstock_aqm::{Discipline, Env, LinkInfo, Next, build};
use penstock_core::param::{ClassSetting, Value};
use penstock_core::{Limit, PacketMeta, Rate, Rng, Time};
use penstock_model::gps::{self, Fluid};
use proptest::prelude::*;

/// Microseconds and bytes are the same at this rate, so that no time is rounded.
const RATE: Rate = Rate::from_bits_per_second(8_000_000);
const LARGEST: u32 = 1500;

/// A packet of class `class` and `size` bytes that arrives at `at` microseconds.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: u64,
    class: usize,
    size: u32,
}

/// Bursts and pauses of up to five classes.
fn traces(classes: usize) -> impl Strategy<Value = Vec<Arrival>> {
    let packet = (0..classes, 40..=LARGEST, prop_oneof![3 => Just(0_u64), 2 => 0..1500_u64, 1 => 0..20_000_u64]);
    proptest::collection::vec(packet, 1..250).prop_map(|packets| {
        let mut at = 0;
        let arrival = |(class, size, gap)| {
            at += gap;
            Arrival { at, class, size }
        };
        packets.into_iter().map(arrival).collect()
    })
}

fn weights() -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec(prop_oneof![Just(1.0), 0.05..1.0_f64], 2..=5)
}

fn traces_of_weights() -> impl Strategy<Value = (Vec<f64>, Vec<Arrival>)> {
    weights().prop_flat_map(|weights| {
        let classes = weights.len();
        (Just(weights), traces(classes))
    })
}

fn queue(scheme: &str, key: &str, values: &[f64]) -> Box<dyn Discipline<PacketMeta>> {
    let classes: Vec<ClassSetting> = values
        .iter()
        .enumerate()
        .map(|(i, &value)| class(i as u32, if key.is_empty() { vec![] } else { vec![(key, Value::Number(value))] }))
        .collect();
    let link = LinkInfo { rate: RATE, limit: Limit::Infinite, ..thesis_link() };
    build(scheme, &[("classes".into(), Value::Classes(classes))], &link, Time::ZERO).unwrap()
}

/// A packet that was sent: its number in the trace, and when its transmission began, in microseconds.
#[derive(Clone, Copy, Debug)]
struct Sent {
    number: usize,
    begun: u64,
}

/// Send the trace through a queue at the rate of the link, one packet after the other.
fn serve(queue: &mut dyn Discipline<PacketMeta>, trace: &[Arrival]) -> Vec<Sent> {
    let mut rng = Rng::stream(1, "server");
    let (mut sent, mut next, mut now) = (Vec::new(), 0, 0);
    let mut waiting: Vec<std::collections::VecDeque<usize>> = vec![std::collections::VecDeque::new(); 5];
    loop {
        while next < trace.len() && trace[next].at <= now {
            let Arrival { at, class, size } = trace[next];
            waiting[class].push_back(next);
            let mut env: Env<'_, _> =
                Env { now: Time::from_nanos(at * 1000), rng: &mut rng, probe: &mut (), facts: &() };
            queue.enqueue(&mut env, numbered(class as u32, size));
            next += 1;
        }
        let mut env: Env<'_, _> = Env { now: Time::from_nanos(now * 1000), rng: &mut rng, probe: &mut (), facts: &() };
        match queue.dequeue(&mut env) {
            Next::Send(packet) => {
                let number = waiting[packet.flow as usize].pop_front().unwrap();
                assert_eq!(trace[number].size, packet.size, "a class is first in, first out");
                sent.push(Sent { number, begun: now });
                now += u64::from(packet.size);
            }
            Next::Empty if next < trace.len() => now = now.max(trace[next].at),
            Next::Empty => return sent,
            Next::NotBefore(_) => panic!("the link is held back"),
        }
    }
}

/// The fluid system of these arrivals; the link serves a byte in a microsecond.
fn fluid(weights: &[f64], trace: &[Arrival]) -> Fluid {
    let arrivals =
        trace.iter().map(|&Arrival { at, class, size }| gps::Arrival { at: at as f64, class, size: f64::from(size) });
    Fluid::serve(weights, &arrivals.collect::<Vec<_>>())
}

fn config() -> ProptestConfig {
    let rng_seed = proptest::test_runner::RngSeed::Fixed(1);
    ProptestConfig { cases: 300, failure_persistence: None, rng_seed, ..ProptestConfig::default() }
}

/// Rounding of the fluid system worked out here, in bytes or microseconds.
const ROUNDING: f64 = 1e-3;

proptest! {
    #![proptest_config(config())]

    /// Parekh and Gallager, theorem 1; Bennett and Zhang, theorem 2, first part.
    #[test]
    fn wfq_and_wf2q_are_never_later_than_gps_by_more_than_the_largest_packet((weights, trace) in traces_of_weights()) {
        let fluid = fluid(&weights, &trace);
        for scheme in ["wfq", "wf2q"] {
            for Sent { number, begun } in serve(&mut *queue(scheme, "weight", &weights), &trace) {
                let finished = begun as f64 + f64::from(trace[number].size);
                let bound = fluid.finished[number] + gps::lateness(f64::from(LARGEST), 1.0);
                prop_assert!(finished <= bound + ROUNDING, "{scheme}: packet {number} at {finished}, above {bound}");
            }
        }
    }

    /// Bennett and Zhang, theorem 2, second part: W_i - W_i,GPS <= (1 - r_i / r) L_i,max.
    #[test]
    fn wf2q_is_never_ahead_of_gps_by_a_packet((weights, trace) in traces_of_weights()) {
        let fluid = fluid(&weights, &trace);
        let sum: f64 = weights.iter().sum();
        let mut served = vec![0.0; weights.len()];
        for Sent { number, begun } in serve(&mut *queue("wf2q", "weight", &weights), &trace) {
            let Arrival { class, size, .. } = trace[number];
            let end = (begun + u64::from(size)) as f64;
            served[class] += f64::from(size);
            let ahead = served[class] - fluid.served_at(end, class);
            let bound = gps::lead(weights[class] / sum, f64::from(LARGEST));
            // One nanosecond of the link: packets that begin within it count as begun.
            prop_assert!(ahead <= bound + 0.002, "packet {number} is {ahead} bytes ahead, above {bound}");
        }
    }

    /// By bit, fair queueing is WFQ with equal weights, also without classes.
    #[test]
    fn fq_by_bit_is_wfq_with_equal_weights(trace in traces(4)) {
        let link = LinkInfo { rate: RATE, limit: Limit::Infinite, ..thesis_link() };
        let mut flows = build("fq", &[("by".into(), Value::Text("bit".into()))], &link, Time::ZERO).unwrap();
        let order = |sent: Vec<Sent>| sent.iter().map(|sent| sent.number).collect::<Vec<_>>();
        let wfq = order(serve(&mut *queue("wfq", "weight", &[1.0; 4]), &trace));
        prop_assert_eq!(order(serve(&mut *flows, &trace)), wfq);
    }

    /// Golestani, theorem 1: while two classes are backlogged, |W_i / r_i - W_j / r_j| <= L_i / r_i + L_j / r_j.
    #[test]
    fn scfq_and_cbfq_are_fair_to_within_a_packet_of_each_class(weights in weights(), sizes in proptest::collection::vec(40..=LARGEST, 5), seed: u64) {
        let mut rng = Rng::stream(seed, "backlog");
        let trace: Vec<Arrival> = (0..100 * weights.len())
            .map(|i| i % weights.len())
            .map(|class| Arrival { at: 0, class, size: 40 + rng.below(u64::from(sizes[class]) - 39) as u32 })
            .collect();
        let sum: f64 = weights.iter().sum();
        let shares: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
        for (scheme, key, values) in [("scfq", "weight", &weights), ("cbfq", "share", &shares)] {
            let sent = serve(&mut *queue(scheme, key, values), &trace);
            let mut waiting = vec![100; weights.len()];
            let mut served = vec![vec![0.0]; weights.len()];
            for Sent { number, .. } in sent {
                for (class, total) in served.iter_mut().enumerate() {
                    let more = if class == trace[number].class { f64::from(trace[number].size) } else { 0.0 };
                    total.push(total[total.len() - 1] + more / values[class]);
                }
                waiting[trace[number].class] -= 1;
                if waiting.contains(&0) {
                    break;
                }
            }
            for i in 0..weights.len() {
                for j in 0..i {
                    let difference: Vec<f64> = served[i].iter().zip(&served[j]).map(|(a, b)| a - b).collect();
                    let over = |all: &[f64]| all.iter().copied().fold(f64::MIN, f64::max) - all.iter().copied().fold(f64::MAX, f64::min);
                    let bound = gps::unfairness((f64::from(sizes[i]), values[i]), (f64::from(sizes[j]), values[j]));
                    // Over every interval: the largest minus the smallest difference since the start.
                    prop_assert!(over(&difference) <= bound + ROUNDING, "{scheme}: {} above {bound}", over(&difference));
                }
            }
        }
    }

    /// No packet waits while one of a lower class is begun.
    #[test]
    fn pq_begins_no_packet_while_a_higher_one_waits(trace in traces(4)) {
        let sent = serve(&mut *queue("pq", "", &[0.0; 4]), &trace);
        let mut begun = vec![0; trace.len()];
        for sent in &sent {
            begun[sent.number] = sent.begun;
        }
        for Sent { number, begun: at } in &sent {
            let passed_over = (0..trace.len())
                .find(|&other| trace[other].class < trace[*number].class && trace[other].at <= *at && begun[other] > *at);
            prop_assert_eq!(passed_over, None);
        }
    }

    /// Busy queues send packets in turn: while two are backlogged, their numbers of packets differ by one.
    #[test]
    fn fq_by_packet_is_fair_in_packets(sizes in proptest::collection::vec(40..=LARGEST, 3)) {
        let trace: Vec<Arrival> = (0..90).map(|i| Arrival { at: 0, class: i % 3, size: sizes[i % 3] }).collect();
        let mut counts = [0_i32; 3];
        for Sent { number, .. } in serve(&mut *queue("fq", "", &[0.0; 3]), &trace) {
            counts[trace[number].class] += 1;
            prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
        }
    }

    /// Backlogged classes whose shares fill the link get them, but for the bursts of 20 packets; whatever the sizes.
    #[test]
    fn cbq_keeps_the_shares(weights in weights(), sizes in proptest::collection::vec(200..=LARGEST, 5)) {
        let sum: f64 = weights.iter().sum();
        let shares: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
        let trace: Vec<Arrival> =
            (0..2000 * shares.len()).map(|i| i % shares.len()).map(|class| Arrival { at: 0, class, size: sizes[class] }).collect();
        let mut served = vec![0.0; shares.len()];
        let mut left = vec![2000; shares.len()];
        let mut total = 0.0;
        for Sent { number, .. } in serve(&mut *queue("cbq", "share", &shares), &trace) {
            let Arrival { class, size, .. } = trace[number];
            served[class] += f64::from(size);
            total += f64::from(size);
            left[class] -= 1;
            if left[class] == 0 {
                break;
            }
        }
        // A bucket of 20 packets of 1000 bytes, and the packet that is being sent.
        let slack = 20_000.0 + f64::from(LARGEST);
        for (class, share) in shares.iter().enumerate() {
            prop_assert!(served[class] >= share * total - slack * shares.len() as f64, "class {class}: {} of {total}", served[class]);
        }
    }
}

#[test]
fn a_cbq_class_may_use_what_the_others_leave() {
    // Class 0 has a tenth of the link; with nobody else it has all of it, and is back to a tenth when class 1 comes.
    let mut trace: Vec<Arrival> = (0..1000).map(|_| Arrival { at: 0, class: 0, size: 1000 }).collect();
    trace.extend((0..400).map(|_| Arrival { at: 500_000, class: 1, size: 1000 }));
    let sent = serve(&mut *queue("cbq", "share", &[0.1, 0.9]), &trace);
    let of_class_0 = |from: u64, to: u64| {
        sent.iter().filter(|sent| trace[sent.number].class == 0 && (from..to).contains(&sent.begun)).count()
    };
    assert_eq!(of_class_0(0, 500_000), 500);
    // 400 packets of class 1 at nine tenths of the link; class 0 begins with an empty bucket or a burst of 20.
    let meanwhile = of_class_0(500_000, 900_000);
    assert!((20..=65).contains(&meanwhile), "{meanwhile}");
    assert_eq!(sent.len(), 1400);
}

#[test]
fn a_rate_controlled_priority_class_leaves_the_rest_to_the_others() {
    // 8 Mbit/s; the high class may have 2 Mbit/s with priority, and offers 8.
    let settings = vec![("rate", Value::Number(2_000_000.0)), ("burst", Value::Packets(2.0))];
    let classes = vec![class(0, settings), class(1, vec![])];
    let link = LinkInfo { rate: RATE, limit: Limit::Infinite, ..thesis_link() };
    let mut queue = build("pq", &[("classes".into(), Value::Classes(classes))], &link, Time::ZERO).unwrap();
    let trace: Vec<Arrival> = (0..2000).map(|i| Arrival { at: 0, class: i % 2, size: 1000 }).collect();
    let sent = serve(&mut *queue, &trace);
    let high = sent.iter().filter(|sent| sent.begun < 1_000_000 && trace[sent.number].class == 0).count();
    // A quarter of 1000 packets, and the burst.
    assert!((250..=252).contains(&high), "{high}");
}

#[test]
fn every_scheduler_takes_every_aqm_for_a_class() {
    for scheme in penstock_aqm::schemes().iter().filter(|scheme| !scheme.class_params.is_empty()) {
        for aqm in penstock_aqm::schemes() {
            if penstock_aqm::build_aqm(aqm.name, &rig::required(aqm), &thesis_link(), Time::ZERO).is_err() {
                continue;
            }
            let mut classes = rig::three_classes(scheme);
            classes[1].queue = Some((aqm.name.to_string(), rig::required(aqm)));
            let settings = [("classes".to_string(), Value::Classes(classes))];
            let mut rig = rig::Rig::on(&thesis_link(), scheme.name, &settings, 1).unwrap();
            let mut script = Rng::stream(1, aqm.name);
            for step in 0..4000 {
                if script.chance(if step % 1000 < 600 { 0.6 } else { 0.35 }) {
                    rig.arrive_packet(rig::any_packet(&mut script, 1500));
                } else {
                    rig.depart();
                }
                rig.advance(penstock_core::Span::from_micros(script.below(5000)));
                rig.check();
            }
        }
    }
}

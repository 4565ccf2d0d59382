//! CBQ with the estimator against the order in which ns-2.35 sends, packet by packet.
//!
//! The scheme is fed the recorded arrivals (`data/ns2/README.md`), and the link is never idle while something waits.

use crate::rig::{class, numbered, thesis_link};
use penstock_aqm::{Env, LinkInfo, Next, build};
use penstock_core::param::Value;
use penstock_core::{Bytes, Limit, Rng, Time};

struct Arrival {
    at: u64,
    class: u32,
    size: u32,
}

/// The arrivals, and the classes in the order in which their packets leave CBQ and CBQ/WRR.
fn recorded() -> (Vec<Arrival>, [Vec<u32>; 2]) {
    let mut at = 0;
    let mut left = [vec![], vec![]];
    let read = |line: &str| {
        let words: Vec<u64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
        at += words[0];
        left[0].push(words[3] as u32);
        left[1].push(words[4] as u32);
        Arrival { at, class: words[1] as u32, size: words[2] as u32 }
    };
    (include_str!("../data/ns2/cbq.txt").lines().map(read).collect(), left)
}

/// The classes in the order in which their packets leave.
fn order(arrivals: &[Arrival], variant: &str, order_of_classes: [u32; 4]) -> Vec<u32> {
    let shares = [0.391, 0.297, 0.203, 0.0793];
    let settings = |i| vec![("share", Value::Number(shares[i as usize])), ("mean_packet", Value::Bytes(1024.0))];
    let classes = Value::Classes(order_of_classes.map(|i| class(i, settings(i))).into());
    let settings = [("variant".into(), Value::Text(variant.into())), ("classes".into(), classes)];
    let link = LinkInfo { limit: Limit::Infinite, mean_packet: Bytes(1024), ..thesis_link() };
    let mut queue = build("cbq", &settings, &link, Time::ZERO).unwrap();
    let mut rng = Rng::stream(1, "queue");
    let mut env: Env<'_, _> = Env { now: Time::ZERO, rng: &mut rng, probe: &mut (), facts: &() };
    let (mut sent, mut free, mut idle) = (Vec::new(), 0.0, true);
    let mut serve = |env: &mut Env<'_, _>, queue: &mut dyn penstock_aqm::Discipline<_>, free: &mut f64| {
        env.now = Time::from_nanos(*free as u64);
        let Next::Send(packet) = queue.dequeue(env) else { return true };
        let packet: penstock_core::PacketMeta = packet;
        sent.push(packet.flow);
        *free += f64::from(packet.size) * 8.0 / 1.5e-3;
        false
    };
    for arrival in arrivals {
        while !idle && free <= arrival.at as f64 {
            idle = serve(&mut env, &mut *queue, &mut free);
        }
        env.now = Time::from_nanos(arrival.at);
        queue.enqueue(&mut env, numbered(arrival.class, arrival.size));
        if idle {
            free = arrival.at as f64;
            idle = serve(&mut env, &mut *queue, &mut free);
        }
    }
    while !idle {
        idle = serve(&mut env, &mut *queue, &mut free);
    }
    sent
}

fn equal(ours: &[u32], theirs: &[u32]) -> usize {
    ours.iter().zip(theirs).take_while(|(ours, theirs)| ours == theirs).count()
}

#[test]
fn ns2_goes_round_from_the_class_added_last_to_the_first() {
    let (arrivals, theirs) = recorded();
    for (variant, theirs) in ["prr", "wrr"].into_iter().zip(&theirs) {
        assert_eq!(equal(&order(&arrivals, variant, [3, 2, 1, 0]), theirs), theirs.len(), "{variant}");
        assert!(equal(&order(&arrivals, variant, [0, 1, 2, 3]), theirs) < theirs.len() / 10, "{variant}");
    }
}

#[test]
fn the_token_bucket_sends_in_another_order() {
    let (arrivals, theirs) = recorded();
    assert!(theirs.iter().all(|theirs| equal(&order(&arrivals, "token-bucket", [3, 2, 1, 0]), theirs) < 100));
}

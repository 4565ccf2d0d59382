//! The answer that no packet may leave before some time stands until a packet arrives, the link changes or a timer expires.

use crate::rig::any_packet_of;
use crate::rig::draw::{any_link, any_scale, any_settings};
use crate::rounds::on_each;
use penstock_aqm::{Discipline, Env, Next, Probe, SchemeInfo, build, schemes};
use penstock_core::{PacketMeta, Rng, Span, Time};

const ROUNDS: u64 = 300;
const OPERATIONS: u64 = 300;
/// Questions asked before the time of an answer.
const QUESTIONS: u64 = 3;

type AnyQueue = Box<dyn Discipline<PacketMeta>>;

fn dequeue(queue: &mut AnyQueue, rng: &mut Rng, now: Time) -> Next<PacketMeta> {
    queue.dequeue(&mut Env { now, rng, probe: &mut (), facts: &() })
}

/// Random operations on a queue; each answer that names a later time is checked. Returns the number of these answers.
fn exercise(mut queue: AnyQueue, seed: u64) -> Result<u64, String> {
    let (mut script, mut rng, mut now) = (Rng::stream(seed, "script"), Rng::stream(seed, "aqm"), Time::ZERO);
    let mut answers = 0;
    for _ in 0..OPERATIONS {
        while let Some(due) = queue.next_timeout().filter(|&due| due <= now) {
            queue.on_timeout(&mut Env { now: due, rng: &mut rng, probe: &mut (), facts: &() });
        }
        if script.chance(0.5) {
            let meta = any_packet_of(script.below(12) as u32, &mut script, 1514);
            queue.enqueue(&mut Env { now, rng: &mut rng, probe: &mut (), facts: &() }, meta);
        } else if let Next::NotBefore(time) = dequeue(&mut queue, &mut rng, now)
            && time > now
        {
            answers += 1;
            for _ in 0..QUESTIONS {
                let later = now + Span::from_nanos(script.below(time.since(now).as_nanos()));
                if queue.next_timeout().is_some_and(|due| due <= later) {
                    break;
                }
                now = later;
                let again = dequeue(&mut queue, &mut rng, now);
                if again != Next::NotBefore(time) {
                    return Err(format!("not before {time:?}, but {again:?} at {now:?}"));
                }
            }
            // at that time, none is held back any longer
            if queue.next_timeout().is_none_or(|due| due > time) {
                now = time;
                let then = dequeue(&mut queue, &mut rng, now);
                if matches!(then, Next::NotBefore(next) if next > now) {
                    return Err(format!("not before {time:?}, and then {then:?}"));
                }
            }
        } else {
            now += Span::from_nanos(any_scale(&mut script, 28));
        }
    }
    Ok(answers)
}

fn faults(scheme: &'static SchemeInfo) -> Vec<String> {
    let mut answers = 0;
    for seed in 0..ROUNDS {
        let mut rng = Rng::stream(seed, scheme.name);
        let settings = any_settings(scheme, scheme.params, &mut rng);
        let link = any_link(&mut rng);
        let Ok(queue) = build::<PacketMeta, dyn Probe<_>>(scheme.name, &settings, &link, Time::ZERO) else { continue };
        match exercise(queue, seed) {
            Ok(found) => answers += found,
            Err(fault) => return vec![format!("{}, {seed}, {settings:?}: {fault}", scheme.name)],
        }
    }
    let must_answer = ["cake", "shaper"].contains(&scheme.name);
    if must_answer && answers < 100 { vec![format!("{}: only {answers} answers", scheme.name)] } else { vec![] }
}

#[test]
fn an_answer_that_names_a_time_stands_until_then() {
    let faults: Vec<String> = on_each(schemes(), faults).concat();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

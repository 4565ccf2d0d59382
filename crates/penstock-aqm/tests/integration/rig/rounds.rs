//! Pseudo-random operations on a scheme with pseudo-random settings, in rounds: shared by the tests and by `fuzz/`.
//!
//! Settings are legal one by one, often at an end of their range, and may contradict each other: then they must be
//! refused with a reason. Links have a limit of no packet, of one, of many or none; packets are of 1 to 65 535 bytes,
//! of one flow or up to 100 000.
#![allow(unreachable_pub, reason = "shared by a test and fuzzing")]

use super::rig::draw::{any_link, any_scale, any_settings};
use super::rig::{Rig, any_packet_of};
use penstock_aqm::SchemeInfo;
use penstock_core::{Rng, Span};
use std::panic::catch_unwind;
use std::sync::Mutex;

/// Operations of a round.
const OPERATIONS: u64 = 1000;
/// Gauges, and the backlog of some, look at all flows: not each operation asks for them.
const GAUGES_EVERY: u64 = 16;
const MANY_FLOWS_EVERY: u64 = 64;
/// Timeouts in one pause: an AQM may have a period of a microsecond.
const TIMEOUTS: u64 = 20;
/// Attempts to draw settings per round: some schemes refuse most random combinations.
const ATTEMPTS: u64 = 30;

/// Many operations on one scheme: rounds that ran and attempts that were refused, or what failed.
///
/// The same scheme, seed and attempt give the same operations.
pub fn fuzz(scheme: &'static SchemeInfo, seed: u64, operations: u64) -> Result<(u64, u64), String> {
    let wanted = operations.div_ceil(OPERATIONS);
    let (mut ran, mut refused) = (0, 0);
    while ran < wanted && ran + refused < ATTEMPTS * wanted {
        let attempt = ran + refused;
        let mut rng = Rng::stream(seed, format_args!("{} {attempt}", scheme.name));
        match catch_unwind(move || round(scheme, &mut rng)) {
            Ok(true) => ran += 1,
            Ok(false) => refused += 1,
            Err(_) => return Err(format!("{} failed in attempt {attempt} of seed {seed}", scheme.name)),
        }
    }
    if ran == 0 { Err(format!("{} refused everything", scheme.name)) } else { Ok((ran, refused)) }
}

/// `work` on each scheme, on all cores; what it gives, in no order.
pub fn on_each<T: Send>(schemes: &'static [SchemeInfo], work: impl Fn(&'static SchemeInfo) -> T + Sync) -> Vec<T> {
    let (rest, done) = (Mutex::new(schemes.iter()), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let Some(scheme) = rest.lock().unwrap().next() else { break };
                    let result = work(scheme);
                    done.lock().unwrap().push(result);
                }
            });
        }
    });
    done.into_inner().unwrap()
}

/// One queue and a sequence of operations on it; whether its settings were accepted.
fn round(scheme: &SchemeInfo, rng: &mut Rng) -> bool {
    let settings = any_settings(scheme, scheme.params, rng);
    let mut rig = match Rig::on(&any_link(rng), scheme.name, &settings, rng.bits()) {
        Ok(rig) => rig,
        Err(faults) => {
            assert!(
                !faults.is_empty() && faults.iter().all(|fault| fault.message.len() > 10),
                "refused without reason"
            );
            return false;
        }
    };
    let load = rng.uniform();
    let flows = [1, 1, 3, 12, 12, 12, 12, 12, 100, 1000][rng.below(10) as usize];
    // few, for a vector of so many costs more than a round
    let flows = if rng.chance(0.01) { 100_000 } else { flows };
    let sizes = [0, 1, 1500, 65_535];
    for operation in 0..OPERATIONS {
        match rng.below(100) {
            0 => rig.relink(&any_link(rng)),
            1..20 => {
                let pause = any_scale(rng, 34);
                let period = rig.until_timeout().map_or(pause, |due| due.as_nanos().max(1000));
                rig.reach(Span::from_nanos(pause.min(period.saturating_mul(TIMEOUTS))));
            }
            _ if rng.chance(load) => {
                let mut packet = any_packet_of(rng.below(flows) as u32, rng, 1514);
                if rng.chance(0.05) {
                    packet.size = sizes[rng.below(4) as usize];
                }
                rig.arrive_packet(packet);
            }
            _ => {
                rig.depart();
            }
        }
        if flows <= 100 || operation.is_multiple_of(MANY_FLOWS_EVERY) {
            rig.check_packets();
        }
        if operation.is_multiple_of(GAUGES_EVERY) {
            rig.check_gauges();
        }
    }
    rig.check_gauges();
    true
}

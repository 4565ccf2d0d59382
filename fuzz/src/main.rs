//! Damaged packets for the parser of headers and for running links, then pseudo-random operations on every registered
//! scheme with pseudo-random legal parameters.
//!
//! `penstock-fuzz [MILLIONS] [SEED]`: MILLIONS of packets for the parser, for the links, and as many operations on each
//! scheme (default 1), from this seed (default 1), on all cores. Nothing may panic; packets are read or refused, and only
//! their traffic class is rewritten; links and schemes conserve packets; gauges stay finite, and the next timeout never
//! lies in the past. A failure names the scheme and the attempt, or the round of packets; the same arguments give the same
//! failure again, except in the links, which run in real time.

#[cfg(target_os = "linux")]
mod links;
mod packets;

#[path = "../../crates/penstock-aqm/tests/integration/rig/mod.rs"]
mod rig;
#[path = "../../crates/penstock-aqm/tests/integration/rig/rounds.rs"]
mod rounds;

use penstock_aqm::schemes;
use std::process::ExitCode;
use std::time::Instant;

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
    if let Err(fault) = damaged_packets(seed, millions * 1_000_000) {
        eprintln!("{fault}");
        return ExitCode::FAILURE;
    }
    let results = rounds::on_each(schemes(), |scheme| {
        let start = Instant::now();
        let result = rounds::fuzz(scheme, seed, millions * 1_000_000);
        let seconds = start.elapsed().as_secs_f64();
        match &result {
            Ok((ran, refused)) => println!("{}: {ran} rounds ran, {refused} refused, {seconds:.1} s", scheme.name),
            Err(fault) => eprintln!("{fault}"),
        }
        result.is_ok()
    });
    ExitCode::from(u8::from(!results.into_iter().all(|is_whole| is_whole)))
}

fn damaged_packets(seed: u64, packets: u64) -> Result<(), String> {
    let start = Instant::now();
    let fates = packets::fuzz(seed, packets)?;
    println!("headers: {fates:?}, {:.1} s", start.elapsed().as_secs_f64());
    #[cfg(target_os = "linux")]
    {
        let start = Instant::now();
        let fates = links::fuzz(seed, packets)?;
        println!("{fates}, {:.1} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}

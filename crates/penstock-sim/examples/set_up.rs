//! What a run costs besides its events: runs of a nanosecond of one canonical scenario. `set_up FILE.json [RUNS]`.

use penstock_heap::counted;
use penstock_sim::{Prepared, RunOptions, Scenario, run_prepared};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: set_up FILE.json [RUNS]")?;
    let runs: u32 = args.next().map_or(Ok(10_000), |text| text.parse())?;
    let mut scenario: Scenario = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    (scenario.duration_ns, scenario.warmup_ns) = (1, 0);
    let prepared = Prepared::new(&scenario);
    let begin = Instant::now();
    let (made, allocations, _) = counted(|| {
        (0..runs).try_for_each(|seed| {
            run_prepared(&prepared, seed.into(), &RunOptions::default()).map(|made| drop(black_box(made)))
        })
    });
    made.map_err(|error| error.to_string())?;
    let microseconds = begin.elapsed().as_secs_f64() * 1e6;
    println!(
        "{:.1} us and {:.0} allocations a run, with its results",
        microseconds / f64::from(runs),
        allocations as f64 / f64::from(runs)
    );
    Ok(())
}

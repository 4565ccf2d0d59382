//! Run one canonical scenario without Python, for profilers: `run_file FILE.json [SECONDS] [SEED]`.

use penstock_sim::{Scenario, run};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(file) = args.next() else {
        eprintln!("usage: run_file FILE.json [SECONDS] [SEED]");
        return ExitCode::from(2);
    };
    let seconds: Option<f64> = args.next().and_then(|text| text.parse().ok());
    let seed = args.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    let read = std::fs::read_to_string(&file).map_err(|error| error.to_string());
    let scenario = read.and_then(|text| serde_json::from_str::<Scenario>(&text).map_err(|error| error.to_string()));
    let mut scenario = match scenario {
        Ok(scenario) => scenario,
        Err(error) => {
            eprintln!("{file}: {error}");
            return ExitCode::from(2);
        }
    };
    if let Some(seconds) = seconds {
        scenario.duration_ns = (seconds * 1e9) as u64;
    }
    let begin = Instant::now();
    match run(&scenario, seed) {
        Ok(result) => {
            println!("{}", result.to_json());
            eprintln!("{:.3} s, {} kB", begin.elapsed().as_secs_f64(), peak_kilobytes().unwrap_or_default());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The most memory that this process has held; known on Linux. (What `wait4` tells begins with the parent's.)
fn peak_kilobytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
}

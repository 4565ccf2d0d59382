//! The simulator with text as input and output.

use crate::aqms::Raised;
use penstock_sim::{AqmFactory, Prepared, Recordings, RunError, RunOptions, RunResult, Scenario};
use pyo3::PyErr;
use rustix::time::{ClockId, clock_gettime};
use std::any::Any;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Runs as short as this are timed together.
const TIMED_TOGETHER: Duration = Duration::from_millis(1);

/// Failure of a run.
pub(crate) enum Failure {
    /// Errors of the scenario or of the run, as a JSON list.
    Errors(String),
    /// An exception of an AQM written in Python.
    Raised(PyErr),
}

/// All errors of a canonical scenario, as a JSON list.
pub(super) fn errors(scenario: &str, aqms: &dyn AqmFactory) -> Result<String, Failure> {
    let scenario = match serde_json::from_str::<Scenario>(scenario) {
        Ok(scenario) => scenario,
        Err(error) => return Ok(malformed(&error)),
    };
    let found = catch_unwind(AssertUnwindSafe(|| penstock_sim::check(&scenario, 1, aqms))).map_err(caught)?;
    Ok(serde_json::to_string(&found).unwrap_or_else(|error| malformed(&error)))
}

/// The result of a run, as JSON.
pub(super) fn run(
    scenario: &Scenario,
    seed: u64,
    aqms: &dyn AqmFactory,
    stop: Option<&AtomicBool>,
) -> Result<String, Failure> {
    let options = RunOptions { aqms, stop, ..RunOptions::default() };
    run_with(scenario, seed, &options).map(|(result, _)| result)
}

/// The result of a run, as JSON with the processor time that it took, and its recordings.
pub(crate) fn run_with(
    scenario: &Scenario,
    seed: u64,
    options: &RunOptions<'_>,
) -> Result<(String, Recordings), Failure> {
    let made = make(&prepared(scenario)?, seed, options)?;
    Ok((with_cpu_time(&made.result, made.cpu_s), made.recordings))
}

/// A finished run.
struct Made {
    result: RunResult,
    /// Processor time in seconds.
    cpu_s: f64,
    recordings: Recordings,
}

/// What the runs of a scenario share. A panic is reported as a defect.
pub(super) fn prepared(scenario: &Scenario) -> Result<Prepared<'_>, Failure> {
    catch_unwind(|| Prepared::new(scenario)).map_err(caught)
}

/// Make a run. A panic is reported as a defect.
fn make(prepared: &Prepared<'_>, seed: u64, options: &RunOptions<'_>) -> Result<Made, Failure> {
    let start = cpu_seconds();
    let (result, recordings) = simulated(prepared, seed, options)?;
    Ok(Made { result, cpu_s: cpu_seconds() - start, recordings })
}

/// Execute runs with the next of these seeds, at least one and for about a millisecond. Returns their results, each
/// with the processor time that it took. Several runs share the measured time in proportion to their events, as reading
/// the clock takes longer than a hundred events.
pub(super) fn make_some(
    prepared: &Prepared<'_>,
    seeds: &mut std::slice::Iter<'_, u64>,
    options: &RunOptions<'_>,
) -> Result<Vec<(RunResult, f64)>, Failure> {
    let (begun, start) = (Instant::now(), cpu_seconds());
    let mut results = Vec::new();
    for &seed in seeds {
        results.push(simulated(prepared, seed, options)?.0);
        if begun.elapsed() >= TIMED_TOGETHER {
            break;
        }
    }
    let taken = cpu_seconds() - start;
    let all: u64 = results.iter().map(RunResult::events).sum();
    let share = |events: u64| if all > 0 { events as f64 / all as f64 } else { 1.0 / results.len() as f64 };
    let times: Vec<f64> = results.iter().map(|result| taken * share(result.events())).collect();
    Ok(results.into_iter().zip(times).collect())
}

fn simulated(prepared: &Prepared<'_>, seed: u64, options: &RunOptions<'_>) -> Result<(RunResult, Recordings), Failure> {
    let run = || penstock_sim::run_prepared(prepared, seed, options);
    catch_unwind(AssertUnwindSafe(run)).map_err(caught)?.map_err(|error| Failure::Errors(error_list(error)))
}

/// The failure behind a caught panic: an exception of an AQM in Python, or a defect.
fn caught(panic: Box<dyn Any + Send>) -> Failure {
    match panic.downcast::<Raised>() {
        Ok(raised) => Failure::Raised(raised.0),
        Err(panic) => {
            let message = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            Failure::Errors(defect(message.unwrap_or("the run panicked")))
        }
    }
}

fn with_cpu_time(result: &RunResult, cpu_s: f64) -> String {
    let mut text = result.to_json();
    text.pop();
    let _ = write!(text, ",\"cpu_s\":{cpu_s}}}");
    text
}

/// Read a canonical scenario; an error is a JSON list.
pub(crate) fn read(scenario: &str) -> Result<Scenario, String> {
    serde_json::from_str(scenario).map_err(|error| malformed(&error))
}

fn error_list(error: RunError) -> String {
    let of = |path: &str, message: String| serde_json::json!([{"path": path, "message": message}]).to_string();
    match error {
        RunError::Scenario(errors) => serde_json::to_string(&errors).unwrap_or_else(|error| malformed(&error)),
        RunError::TooManyConnections(_) => of("traffic", error.to_string()),
        RunError::Stopped => of("", error.to_string()),
        RunError::Imbalance(_) => defect(&error.to_string()),
    }
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn malformed(error: &serde_json::Error) -> String {
    defect(&format!("the canonical scenario is malformed: {error}"))
}

/// A defect of the simulator, as a JSON list of one error without a path.
pub(crate) fn defect(message: &str) -> String {
    serde_json::json!([{"path": "", "message": format!("defect of penstock: {message}")}]).to_string()
}

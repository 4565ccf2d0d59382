//! Runs of scenarios on plain threads, with the interpreter free and Ctrl-C obeyed.

use crate::laws::PythonLaws;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use simulate::Stopped;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How often signals are looked at.
const POLL: Duration = Duration::from_millis(100);

/// The faults of a canonical scenario, as a JSON list of `{"path", "message"}`; `laws` are those written in Python.
#[pyfunction]
#[pyo3(signature = (scenario, laws=None))]
pub(crate) fn check(py: Python<'_>, scenario: &str, laws: Option<Bound<'_, PyDict>>) -> PyResult<String> {
    match laws.filter(|laws| !laws.is_empty()) {
        Some(laws) => raised(simulate::faults(scenario, &PythonLaws::new(laws))),
        None => raised(py.detach(|| simulate::faults(scenario, &()))),
    }
}

/// Run `scenarios[i]` with `seeds[i]` for each i, on `jobs` threads; results in the order of i, as JSON texts.
///
/// `progress` is called with the number of finished runs, about ten times a second at most. Ctrl-C raises
/// `KeyboardInterrupt` at once; a run that has begun ends unseen in its thread. A fault raises `ValueError` with the
/// JSON list of faults of the first run (by index) that has one.
///
/// With `laws`, which are written in Python, all is done in this thread, which keeps the interpreter; what a law raises is
/// raised here.
#[pyfunction]
#[pyo3(signature = (scenarios, seeds, jobs, progress, laws=None))]
pub(crate) fn run_many(
    py: Python<'_>,
    scenarios: Vec<String>,
    seeds: Vec<u64>,
    jobs: usize,
    progress: Option<&Bound<'_, PyAny>>,
    laws: Option<Bound<'_, PyDict>>,
) -> PyResult<Vec<String>> {
    if scenarios.len() != seeds.len() {
        return Err(PyValueError::new_err("one seed is needed for each scenario"));
    }
    if let Some(laws) = laws.filter(|laws| !laws.is_empty()) {
        return run_here(&scenarios, &seeds, progress, &PythonLaws::new(laws));
    }
    let count = scenarios.len();
    let work = Arc::new(Work { scenarios, seeds, next: AtomicUsize::new(0), stop: AtomicBool::new(false) });
    let mut receiver = start(&work, jobs.clamp(1, count.max(1)));
    let answer = collect(py, &mut receiver, count, progress);
    work.stop.store(true, Ordering::Relaxed);
    answer
}

/// One run after the other, with the interpreter.
fn run_here(
    scenarios: &[String],
    seeds: &[u64],
    progress: Option<&Bound<'_, PyAny>>,
    laws: &PythonLaws,
) -> PyResult<Vec<String>> {
    let mut results = Vec::with_capacity(scenarios.len());
    for (scenario, &seed) in scenarios.iter().zip(seeds) {
        results.push(raised(simulate::run(scenario, seed, laws))?);
        if let Some(progress) = progress {
            progress.call1((results.len(),))?;
        }
    }
    Ok(results)
}

/// Why there is no result, as the exception that says so.
pub(crate) fn raised<T>(outcome: Result<T, Stopped>) -> PyResult<T> {
    outcome.map_err(|stopped| match stopped {
        Stopped::Faults(faults) => PyValueError::new_err(faults),
        Stopped::Raised(error) => error,
    })
}

struct Work {
    scenarios: Vec<String>,
    seeds: Vec<u64>,
    next: AtomicUsize,
    stop: AtomicBool,
}

type Outcome = (usize, Result<String, Stopped>);

/// Threads of their own rather than scoped ones: after Ctrl-C nobody waits for a long run to end.
fn start(work: &Arc<Work>, jobs: usize) -> Receiver<Outcome> {
    let (sender, receiver) = mpsc::channel();
    for _ in 0..jobs {
        let (work, sender) = (Arc::clone(work), sender.clone());
        thread::spawn(move || {
            while !work.stop.load(Ordering::Relaxed) {
                let i = work.next.fetch_add(1, Ordering::Relaxed);
                if i >= work.scenarios.len() {
                    break;
                }
                let outcome = simulate::run(&work.scenarios[i], work.seeds[i], &());
                if sender.send((i, outcome)).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

fn collect(
    py: Python<'_>,
    receiver: &mut Receiver<Outcome>,
    count: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<String>> {
    let mut results: Vec<Option<Result<String, Stopped>>> = (0..count).map(|_| None).collect();
    let mut finished = 0;
    while finished < count {
        let (batch, closed) = py.detach(|| wait(&mut *receiver));
        for (i, outcome) in batch {
            results[i] = Some(outcome);
            finished += 1;
        }
        py.check_signals()?;
        if let Some(progress) = progress {
            progress.call1((finished,))?;
        }
        if closed && finished < count {
            break;
        }
    }
    results
        .into_iter()
        .map(|outcome| match outcome {
            Some(outcome) => raised(outcome),
            None => {
                Err(pyo3::exceptions::PyRuntimeError::new_err("a run ended without a result; see the message above"))
            }
        })
        .collect()
}

/// What has come within one polling period, and whether nothing more can come.
///
/// The period is always waited out unless all threads have ended, so that a batch of short runs costs few interruptions.
fn wait(receiver: &mut Receiver<Outcome>) -> (Vec<Outcome>, bool) {
    let end = std::time::Instant::now() + POLL;
    let mut batch = Vec::new();
    loop {
        match receiver.recv_timeout(end.saturating_duration_since(std::time::Instant::now())) {
            Ok(outcome) => batch.push(outcome),
            Err(RecvTimeoutError::Timeout) => return (batch, false),
            Err(RecvTimeoutError::Disconnected) => return (batch, true),
        }
    }
}

pub(crate) mod simulate {
    //! The simulator behind two text functions.

    use crate::laws::Raised;
    use penstock_sim::{Laws, RunError, RunResult, Scenario};
    use pyo3::PyErr;
    use rustix::time::{ClockId, clock_gettime};
    use std::any::Any;
    use std::fmt::Write;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Why there is no result.
    pub(crate) enum Stopped {
        /// Faults, as a JSON list.
        Faults(String),
        /// A law written in Python raised this.
        Raised(PyErr),
    }

    pub(super) fn faults(scenario: &str, laws: &dyn Laws) -> Result<String, Stopped> {
        let scenario = match serde_json::from_str::<Scenario>(scenario) {
            Ok(scenario) => scenario,
            Err(error) => return Ok(misfit(&error)),
        };
        let found = catch_unwind(AssertUnwindSafe(|| penstock_sim::check_with(&scenario, 1, laws))).map_err(stopped)?;
        Ok(serde_json::to_string(&found).unwrap_or_else(|error| misfit(&error)))
    }

    /// The result as JSON, or the faults as JSON.
    pub(super) fn run(scenario: &str, seed: u64, laws: &dyn Laws) -> Result<String, Stopped> {
        let scenario = read(scenario).map_err(Stopped::Faults)?;
        timed(|| penstock_sim::run_with(&scenario, seed, laws)).map(|(result, cpu)| told(&result, cpu))
    }

    /// What a run gives, with the processor time it took in seconds; a panic is a defect, not the end of the process.
    pub(crate) fn timed<T>(run: impl FnOnce() -> Result<T, RunError>) -> Result<(T, f64), Stopped> {
        let start = cpu_seconds();
        let outcome = catch_unwind(AssertUnwindSafe(run)).map_err(stopped)?;
        outcome.map(|result| (result, cpu_seconds() - start)).map_err(|error| Stopped::Faults(refusal(error)))
    }

    /// What unwound the stack: the error of a law in Python, or a defect.
    fn stopped(panic: Box<dyn Any + Send>) -> Stopped {
        match panic.downcast::<Raised>() {
            Ok(raised) => Stopped::Raised(raised.0),
            Err(panic) => {
                let what = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
                Stopped::Faults(defect(what.unwrap_or("the run stopped")))
            }
        }
    }

    /// The result as JSON, with its processor time.
    pub(crate) fn told(result: &RunResult, cpu: f64) -> String {
        let mut text = result.to_json();
        text.pop();
        let _ = write!(text, ",\"cpu_s\":{cpu}}}");
        text
    }

    /// A canonical scenario, or the fault that it is none.
    pub(crate) fn read(scenario: &str) -> Result<Scenario, String> {
        serde_json::from_str(scenario).map_err(|error| misfit(&error))
    }

    /// Why a run gave no result, as a JSON list of faults.
    fn refusal(error: RunError) -> String {
        match error {
            RunError::Crowded(_) => serde_json::json!([{"path": "traffic", "message": error.to_string()}]).to_string(),
            RunError::Faults(faults) => serde_json::to_string(&faults).unwrap_or_else(|error| misfit(&error)),
            RunError::Imbalance(what) => defect(&format!("the books of the run do not balance: {what}")),
        }
    }

    fn cpu_seconds() -> f64 {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    }

    fn misfit(error: &serde_json::Error) -> String {
        defect(&format!("the canonical scenario is malformed: {error}"))
    }

    /// A defect of the simulator, told as a fault without a path.
    pub(crate) fn defect(what: &str) -> String {
        serde_json::json!([{"path": "", "message": format!("defect of penstock: {what}")}]).to_string()
    }
}

//! Runs of scenarios on threads, without the interpreter, so that Ctrl-C works while they last.

mod parts;
pub(crate) mod simulate;

use crate::aqms::PythonAqms;
use crate::tables::Results;
use penstock_sim::{RunOptions, Scenario};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use simulate::Failure;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// Interval at which signals are checked.
const POLL: Duration = Duration::from_millis(100);

/// Add the functions of this file and those below it.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<parts::Links>()?;
    module.add_class::<parts::Traffic>()?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(parts::is_valid, module)?)?;
    module.add_function(wrap_pyfunction!(run_many, module)?)?;
    module.add_function(wrap_pyfunction!(run_cells, module)?)
}

/// All errors of a canonical scenario, as a JSON list of `{"path", "message"}`. `aqms` are those written in Python.
#[pyfunction]
#[pyo3(signature = (scenario, aqms=None))]
fn check(py: Python<'_>, scenario: &str, aqms: Option<Bound<'_, PyDict>>) -> PyResult<String> {
    match aqms.filter(|aqms| !aqms.is_empty()) {
        Some(aqms) => raise(simulate::errors(scenario, &PythonAqms::new(aqms))),
        None => raise(py.detach(|| simulate::errors(scenario, &()))),
    }
}

/// Run `scenarios[i]` with `seeds[i]` for each i on `jobs` threads; results as JSON texts in the order of i.
///
/// `progress` is called with the number of finished runs, at most about ten times a second. Ctrl-C stops all runs and
/// raises `KeyboardInterrupt`. An error raises `ValueError` with the JSON list of errors of the first run, by index, that
/// has one.
///
/// With `aqms`, which are written in Python, all runs are done in this thread, which keeps the interpreter; an exception of
/// an AQM is raised here.
#[pyfunction]
#[pyo3(signature = (scenarios, seeds, jobs, progress, aqms=None))]
pub(crate) fn run_many(
    py: Python<'_>,
    scenarios: Vec<String>,
    seeds: Vec<u64>,
    jobs: usize,
    progress: Option<&Bound<'_, PyAny>>,
    aqms: Option<Bound<'_, PyDict>>,
) -> PyResult<Vec<String>> {
    if scenarios.len() != seeds.len() {
        return Err(PyValueError::new_err("one seed is needed for each scenario"));
    }
    if let Some(aqms) = aqms.filter(|aqms| !aqms.is_empty()) {
        return run_here(&scenarios, &seeds, progress, &PythonAqms::new(aqms));
    }
    let count = scenarios.len();
    let work = Work { scenarios, seeds, next: AtomicUsize::new(0), stop: AtomicBool::new(false) };
    thread::scope(|scope| {
        let (sender, mut receiver) = mpsc::channel();
        for _ in 0..jobs.clamp(1, count.max(1)) {
            let (work, sender) = (&work, sender.clone());
            scope.spawn(move || work.run(&sender));
        }
        drop(sender);
        let results = collect(py, &mut receiver, count, progress);
        // After Ctrl-C or an exception of `progress` the runs in progress stop, and the scope waits for their threads.
        work.stop.store(true, Ordering::Relaxed);
        results
    })
}

/// The results of scenarios, each run with its seeds: a row for each run, in order. All runs are executed in one
/// thread.
///
/// `progress`, Ctrl-C and errors behave as in [`run_many`]. None of the AQMs may be written in Python.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
fn run_cells(py: Python<'_>, cells: Vec<(String, Vec<u64>)>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Results> {
    let (finished, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        let (sender, mut receiver) = mpsc::channel();
        let (cells, finished, stop) = (&cells, &finished, &stop);
        // Fails only if nobody waits for the results any more.
        scope.spawn(move || drop(sender.send(make(cells, finished, stop))));
        loop {
            let answer = py.detach(|| next(&mut receiver));
            let reported = py.check_signals().and_then(|()| match progress {
                Some(progress) => progress.call1((finished.load(Ordering::Relaxed),)).map(drop),
                None => Ok(()),
            });
            match answer {
                Ok(results) => return reported.and(raise(results)),
                Err(RecvTimeoutError::Disconnected) => return Err(lost()),
                Err(RecvTimeoutError::Timeout) => reported.inspect_err(|_| stop.store(true, Ordering::Relaxed))?,
            }
        }
    })
}

/// The outcomes sent within a polling interval. The exclusive reference can go to a thread without the interpreter.
fn next<T>(receiver: &mut Receiver<T>) -> Result<T, RecvTimeoutError> {
    receiver.recv_timeout(POLL)
}

/// Execute runs one after the other, counted in `finished`, until `stop` is set.
fn make(cells: &[(String, Vec<u64>)], finished: &AtomicUsize, stop: &AtomicBool) -> Result<Results, Failure> {
    let mut results = Results::for_rows(cells.iter().map(|(_, seeds)| seeds.len()).sum());
    let options = RunOptions { stop: Some(stop), ..RunOptions::default() };
    for (text, seeds) in cells {
        let scenario = simulate::read(text).map_err(Failure::Errors)?;
        let prepared = simulate::prepared(&scenario)?;
        let mut seeds = seeds.iter();
        while !seeds.as_slice().is_empty() {
            let made = simulate::make_some(&prepared, &mut seeds, &options)?;
            finished.fetch_add(made.len(), Ordering::Relaxed);
            for (result, cpu_s) in made {
                results.add(result.into_body(), cpu_s);
            }
        }
    }
    Ok(results)
}

fn lost() -> PyErr {
    PyRuntimeError::new_err("a run ended without a result; see the message above")
}

/// One run after the other, in this thread.
fn run_here(
    scenarios: &[String],
    seeds: &[u64],
    progress: Option<&Bound<'_, PyAny>>,
    aqms: &PythonAqms,
) -> PyResult<Vec<String>> {
    let mut results = Vec::with_capacity(scenarios.len());
    for (scenario, &seed) in scenarios.iter().zip(seeds) {
        let read = simulate::read(scenario).map_err(Failure::Errors);
        results.push(raise(read.and_then(|scenario| simulate::run(&scenario, seed, aqms, None)))?);
        if let Some(progress) = progress {
            progress.call1((results.len(),))?;
        }
    }
    Ok(results)
}

/// Execute `work` in a separate thread, outside the interpreter. A signal, such as Ctrl-C, sets the flag passed to
/// `work`; after `work` has returned, the exception of the signal's handler is raised.
pub(crate) fn in_thread<T: Send>(py: Python<'_>, work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let worker = scope.spawn(|| work(&stop));
        while !worker.is_finished() {
            py.detach(|| thread::sleep(POLL / 50));
            py.check_signals().inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
        }
        worker.join().map_err(|_| PyRuntimeError::new_err("the thread of the run panicked; see the message above"))
    })
}

/// The exception for a failed run.
pub(crate) fn raise<T>(outcome: Result<T, Failure>) -> PyResult<T> {
    outcome.map_err(|failure| match failure {
        Failure::Errors(errors) => PyValueError::new_err(errors),
        Failure::Raised(error) => error,
    })
}

/// Runs to execute, shared by the threads.
struct Work {
    scenarios: Vec<String>,
    seeds: Vec<u64>,
    /// Number of the next run to begin.
    next: AtomicUsize,
    stop: AtomicBool,
}

/// Runs by their numbers, with their results.
type Outcomes = Vec<(usize, Result<String, Failure>)>;

impl Work {
    /// Execute one run after the other until none is left. A scenario that several runs in a row share is read once.
    fn run(&self, sender: &Sender<Outcomes>) {
        let (mut finished, mut sent) = (Outcomes::new(), Instant::now());
        let mut read: Option<(&str, Result<Scenario, String>)> = None;
        while !self.stop.load(Ordering::Relaxed) {
            let i = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(text) = self.scenarios.get(i) else { break };
            let (_, scenario) = match read.take() {
                Some(known) if known.0 == text => read.insert(known),
                _ => read.insert((text, simulate::read(text))),
            };
            let outcome = match scenario {
                Ok(scenario) => simulate::run(scenario, self.seeds[i], &(), Some(&self.stop)),
                Err(error) => Err(Failure::Errors(error.clone())),
            };
            finished.push((i, outcome));
            // Each message wakes up the other thread, and that takes longer than a short run.
            if sent.elapsed() >= POLL / 4 {
                sent = Instant::now();
                if sender.send(std::mem::take(&mut finished)).is_err() {
                    return;
                }
            }
        }
        // Fails only if nobody waits for results any more.
        drop(sender.send(finished));
    }
}

fn collect(
    py: Python<'_>,
    receiver: &mut Receiver<Outcomes>,
    count: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<String>> {
    let mut results: Vec<Option<Result<String, Failure>>> = (0..count).map(|_| None).collect();
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
    results.into_iter().map(|outcome| raise(outcome.ok_or_else(lost)?)).collect()
}

/// The outcomes of one polling interval, and whether all threads have finished.
///
/// The interval is always waited out unless all threads have ended, so that a batch of short runs costs few interruptions.
fn wait(receiver: &mut Receiver<Outcomes>) -> (Outcomes, bool) {
    let end = Instant::now() + POLL;
    let mut batch = Vec::new();
    loop {
        match receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(outcomes) => batch.extend(outcomes),
            Err(RecvTimeoutError::Timeout) => return (batch, false),
            Err(RecvTimeoutError::Disconnected) => return (batch, true),
        }
    }
}

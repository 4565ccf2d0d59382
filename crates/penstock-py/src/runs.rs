//! Runs of scenarios on plain threads, with the interpreter free and Ctrl-C obeyed.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How often signals are looked at.
const POLL: Duration = Duration::from_millis(100);

/// The faults of a canonical scenario, as a JSON list of `{"path", "message"}`.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, scenario: &str) -> String {
    py.detach(|| simulate::faults(scenario))
}

/// Run `scenarios[i]` with `seeds[i]` for each i, on `jobs` threads; results in the order of i, as JSON texts.
///
/// `progress` is called with the number of finished runs, about ten times a second at most. Ctrl-C raises
/// `KeyboardInterrupt` at once; a run that has begun ends unseen in its thread. A fault raises `ValueError` with the
/// JSON list of faults of the first run (by index) that has one.
#[pyfunction]
pub(crate) fn run_many(
    py: Python<'_>,
    scenarios: Vec<String>,
    seeds: Vec<u64>,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<String>> {
    if scenarios.len() != seeds.len() {
        return Err(PyValueError::new_err("one seed is needed for each scenario"));
    }
    let count = scenarios.len();
    let work = Arc::new(Work { scenarios, seeds, next: AtomicUsize::new(0), stop: AtomicBool::new(false) });
    let mut receiver = start(&work, jobs.clamp(1, count.max(1)));
    let answer = collect(py, &mut receiver, count, progress.as_ref());
    work.stop.store(true, Ordering::Relaxed);
    answer
}

struct Work {
    scenarios: Vec<String>,
    seeds: Vec<u64>,
    next: AtomicUsize,
    stop: AtomicBool,
}

type Outcome = (usize, Result<String, String>);

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
                let outcome = simulate::run(&work.scenarios[i], work.seeds[i]);
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
    progress: Option<&Py<PyAny>>,
) -> PyResult<Vec<String>> {
    let mut results: Vec<Option<Result<String, String>>> = vec![None; count];
    let mut finished = 0;
    while finished < count {
        let (batch, closed) = py.detach(|| wait(&mut *receiver));
        for (i, outcome) in batch {
            results[i] = Some(outcome);
            finished += 1;
        }
        py.check_signals()?;
        if let Some(progress) = progress {
            progress.call1(py, (finished,))?;
        }
        if closed && finished < count {
            break;
        }
    }
    results
        .into_iter()
        .map(|outcome| match outcome {
            Some(Ok(result)) => Ok(result),
            Some(Err(faults)) => Err(PyValueError::new_err(faults)),
            None => Err(pyo3::exceptions::PyRuntimeError::new_err("a run ended without a result; see the message above")),
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

mod simulate {
    //! The simulator behind two text functions.

    pub(super) fn faults(_scenario: &str) -> String {
        "[]".to_owned()
    }

    pub(super) fn run(_scenario: &str, seed: u64) -> Result<String, String> {
        std::thread::sleep(std::time::Duration::from_millis(5));
        Ok(format!(
            "{{\"seed\":{seed},\"links\":{{\"bottleneck\":{{\"loss_rate\":0.1,\"length_mean_pkts\":{seed},\"utilization\":0.9}}}},\"traffic\":{{}},\"fairness\":{{\"jain\":1.0}},\"events\":1,\"cpu_s\":0.1}}"
        ))
    }
}

//! One run with every packet event, in columns.

use crate::laws::PythonLaws;
use crate::runs::raised;
use crate::runs::simulate::{self, Stopped};
use penstock_aqm::Cause;
use penstock_sim::trace::{Trace, TraceEvent};
use penstock_sim::{Kind, Laws, Scenario};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// No cause: the event was no mark and no drop.
const NO_CAUSE: u8 = u8::MAX;

/// Run a scenario and keep every packet event at the watched queues and hosts.
///
/// Returns the result as JSON, and the columns as raw little-endian bytes: of the packets `t_ns` (int64), `event`,
/// `kind`, `cause` (uint8, numbers of the words of [`trace_words`]; 255 is no cause), `link`, `flow`, `seq`, `size_bytes`
/// (uint32); of the windows `window_t_ns` (int64), `window_flow` (uint32), `cwnd`, `ssthresh` (float64). `laws` are those
/// written in Python.
#[pyfunction]
#[pyo3(signature = (scenario, seed, laws=None))]
pub(crate) fn run_traced<'py>(
    py: Python<'py>,
    scenario: &str,
    seed: u64,
    laws: Option<Bound<'py, PyDict>>,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let scenario: Scenario = simulate::read(scenario).map_err(PyValueError::new_err)?;
    let (result, trace) = match laws.filter(|laws| !laws.is_empty()) {
        Some(laws) => raised(traced(&scenario, seed, &PythonLaws::new(laws)))?,
        None => in_thread(py, scenario, seed)?,
    };
    let columns = PyDict::new(py);
    let put = |name: &str, bytes: Vec<u8>| columns.set_item(name, PyBytes::new(py, &bytes));
    let rows = &trace.rows;
    put("t_ns", rows.iter().flat_map(|row| row.time.as_nanos().to_le_bytes()).collect())?;
    put("event", rows.iter().map(|row| row.event as u8).collect())?;
    put("kind", rows.iter().map(|row| row.kind as u8).collect())?;
    put("cause", rows.iter().map(|row| row.cause.map_or(NO_CAUSE, |cause| cause as u8)).collect())?;
    put("link", rows.iter().flat_map(|row| row.link.to_le_bytes()).collect())?;
    put("flow", rows.iter().flat_map(|row| row.flow.to_le_bytes()).collect())?;
    put("seq", rows.iter().flat_map(|row| row.seq.to_le_bytes()).collect())?;
    put("size_bytes", rows.iter().flat_map(|row| row.size.to_le_bytes()).collect())?;
    let windows = &trace.windows;
    put("window_t_ns", windows.iter().flat_map(|row| row.time.as_nanos().to_le_bytes()).collect())?;
    put("window_flow", windows.iter().flat_map(|row| row.flow.to_le_bytes()).collect())?;
    put("cwnd", windows.iter().flat_map(|row| row.cwnd.to_le_bytes()).collect())?;
    put("ssthresh", windows.iter().flat_map(|row| row.ssthresh.to_le_bytes()).collect())?;
    Ok((result, columns))
}

/// The words of the columns `event`, `kind` and `cause`, in the order of their numbers.
#[pyfunction]
pub(crate) fn trace_words() -> (Vec<&'static str>, Vec<&'static str>, Vec<&'static str>) {
    let kinds = [Kind::Data, Kind::Ack, Kind::Udp].map(Kind::name);
    (TraceEvent::NAMES.to_vec(), kinds.to_vec(), Cause::ALL.map(Cause::name).to_vec())
}

fn traced(scenario: &Scenario, seed: u64, laws: &dyn Laws) -> Result<(String, Trace), Stopped> {
    let outcome = simulate::timed(|| penstock_sim::run_traced_with(scenario, seed, laws));
    outcome.map(|((result, trace), cpu)| (simulate::told(&result, cpu), trace))
}

/// The run in a thread of its own, so that Ctrl-C is obeyed while it lasts.
fn in_thread(py: Python<'_>, scenario: Scenario, seed: u64) -> PyResult<(String, Trace)> {
    let (sender, mut receiver) = mpsc::channel::<Result<(String, Trace), Stopped>>();
    thread::spawn(move || {
        // Whoever waited may have gone away after Ctrl-C.
        let _ = sender.send(traced(&scenario, seed, &()));
    });
    loop {
        let receiver = &mut receiver;
        match py.detach(move || receiver.recv_timeout(Duration::from_millis(100))) {
            Ok(outcome) => return raised(outcome),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyValueError::new_err(simulate::defect("the run stopped")));
            }
        }
    }
}

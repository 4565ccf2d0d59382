//! One run with every packet event, in columns, and with captures of links, in files.

use crate::laws::PythonLaws;
use crate::runs::raised;
use crate::runs::simulate::{self, Stopped};
use penstock_aqm::Cause;
use penstock_sim::pcap::Capture;
use penstock_sim::trace::{Trace, TraceEvent};
use penstock_sim::{Kept, Kind, Laws, Scenario, Wanted};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// No cause: the event was no mark and no drop.
const NO_CAUSE: u8 = u8::MAX;

/// Bytes that are written at once.
const BUFFER: usize = 1 << 20;

/// Run a scenario and keep what is asked for beside the result.
///
/// With `trace`, every packet event at the watched queues and hosts. Each of `captures` is a file, which is written, and
/// the numbers of the links whose packets go into it; `OSError` if it cannot be.
///
/// Returns the result as JSON, and the columns of the trace, none without one, as raw little-endian bytes: of the packets
/// `t_ns` (int64), `event`, `kind`, `cause` (uint8, numbers of the words of [`trace_words`]; 255 is no cause), `link`,
/// `flow`, `seq`, `size_bytes` (uint32); of the windows `window_t_ns` (int64), `window_flow` (uint32), `cwnd`, `ssthresh`
/// (float64). `laws` are those written in Python.
#[pyfunction]
#[pyo3(signature = (scenario, seed, trace, captures, laws=None))]
pub(crate) fn run_kept<'py>(
    py: Python<'py>,
    scenario: &str,
    seed: u64,
    trace: bool,
    captures: Vec<(PathBuf, Vec<u32>)>,
    laws: Option<Bound<'py, PyDict>>,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let scenario: Scenario = simulate::read(scenario).map_err(PyValueError::new_err)?;
    let captured = captures.iter().flat_map(|(_, links)| links).copied().collect();
    let wanted = Wanted { trace, captured };
    let (result, kept) = match laws.filter(|laws| !laws.is_empty()) {
        Some(laws) => raised(watched(&scenario, seed, &wanted, &PythonLaws::new(laws)))?,
        None => in_thread(py, scenario, seed, wanted)?,
    };
    if let Some(capture) = &kept.capture {
        for (file, links) in captures {
            write(py, capture, &file, &links)?;
        }
    }
    Ok((result, columns(py, kept.trace.as_ref())?))
}

fn columns<'py>(py: Python<'py>, trace: Option<&Trace>) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let Some(Trace { rows, windows, .. }) = trace else { return Ok(columns) };
    let put = |name: &str, bytes: Vec<u8>| columns.set_item(name, PyBytes::new(py, &bytes));
    put("t_ns", rows.iter().flat_map(|row| row.time.as_nanos().to_le_bytes()).collect())?;
    put("event", rows.iter().map(|row| row.event as u8).collect())?;
    put("kind", rows.iter().map(|row| row.kind as u8).collect())?;
    put("cause", rows.iter().map(|row| row.cause.map_or(NO_CAUSE, |cause| cause as u8)).collect())?;
    put("link", rows.iter().flat_map(|row| row.link.to_le_bytes()).collect())?;
    put("flow", rows.iter().flat_map(|row| row.flow.to_le_bytes()).collect())?;
    put("seq", rows.iter().flat_map(|row| row.seq.to_le_bytes()).collect())?;
    put("size_bytes", rows.iter().flat_map(|row| row.size.to_le_bytes()).collect())?;
    put("window_t_ns", windows.iter().flat_map(|row| row.time.as_nanos().to_le_bytes()).collect())?;
    put("window_flow", windows.iter().flat_map(|row| row.flow.to_le_bytes()).collect())?;
    put("cwnd", windows.iter().flat_map(|row| row.cwnd.to_le_bytes()).collect())?;
    put("ssthresh", windows.iter().flat_map(|row| row.ssthresh.to_le_bytes()).collect())?;
    Ok(columns)
}

/// Write what crossed these links. Signals are looked at as often as the buffer is full, so that Ctrl-C is obeyed.
fn write(py: Python<'_>, capture: &Capture, file: &Path, links: &[u32]) -> PyResult<()> {
    let file = Polled { py, file: File::create(file)?, raised: None };
    let mut out = BufWriter::with_capacity(BUFFER, file);
    let written = capture.write(links, &mut out);
    let (file, _) = out.into_parts();
    match file.raised {
        Some(raised) => Err(raised),
        None => Ok(written?),
    }
}

/// A file whose writing a signal ends.
struct Polled<'py> {
    py: Python<'py>,
    file: File,
    /// What the handler of the signal raised.
    raised: Option<PyErr>,
}

impl Write for Polled<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = self.py.check_signals() {
            self.raised = Some(error);
            return Err(io::Error::other("interrupted"));
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The words of the columns `event`, `kind` and `cause`, in the order of their numbers.
#[pyfunction]
pub(crate) fn trace_words() -> (Vec<&'static str>, Vec<&'static str>, Vec<&'static str>) {
    let kinds = [Kind::Data, Kind::Ack, Kind::Udp].map(Kind::name);
    (TraceEvent::NAMES.to_vec(), kinds.to_vec(), Cause::ALL.map(Cause::name).to_vec())
}

fn watched(scenario: &Scenario, seed: u64, wanted: &Wanted, laws: &dyn Laws) -> Result<(String, Kept), Stopped> {
    let outcome = simulate::timed(|| penstock_sim::run_kept_with(scenario, seed, wanted, laws));
    outcome.map(|((result, kept), cpu)| (simulate::told(&result, cpu), kept))
}

/// The run in a thread of its own, so that Ctrl-C is obeyed while it lasts.
fn in_thread(py: Python<'_>, scenario: Scenario, seed: u64, wanted: Wanted) -> PyResult<(String, Kept)> {
    let (sender, mut receiver) = mpsc::channel::<Result<(String, Kept), Stopped>>();
    thread::spawn(move || {
        // Whoever waited may have gone away after Ctrl-C.
        let _ = sender.send(watched(&scenario, seed, &wanted, &()));
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

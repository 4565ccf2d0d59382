//! One run with all packet events, as columns, and with captures of links, as files.

use crate::aqms::PythonAqms;
use crate::runs::{self, raise, simulate};
use penstock_aqm::Cause;
use penstock_sim::pcap::Capture;
use penstock_sim::trace::{Trace, TraceEvent};
use penstock_sim::{Kind, Record, RunOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// No cause: the event is neither a mark nor a drop.
pub(crate) const NO_CAUSE: u8 = u8::MAX;

/// Bytes written per call.
const BUFFER: usize = 1 << 20;

/// Run a scenario and record more than its result.
///
/// `trace` records every packet event at the watched queues and hosts. Each of `captures` is a file to write and the
/// numbers of the links whose packets go into it, each cut after `snaplen` bytes, if given; `OSError` if it cannot be written.
/// `aqms` are the AQMs in Python.
///
/// Returns the result as JSON, and the columns of the trace as raw little-endian bytes, empty without `trace`. Packets:
/// `t_ns` (int64), `event`, `kind`, `cause` (uint8, indices into the words of [`trace_words`]; 255 is no cause), `link`,
/// `flow`, `seq`, `size_bytes` (uint32), `waited_ns` (int64; time in the queue). Windows: `window_t_ns` (int64),
/// `window_flow` (uint32), `cwnd`, `ssthresh` (float64).
#[pyfunction]
#[pyo3(signature = (scenario, seed, trace, captures, aqms=None, snaplen=None))]
pub(crate) fn run_recorded<'py>(
    py: Python<'py>,
    scenario: &str,
    seed: u64,
    trace: bool,
    captures: Vec<(PathBuf, Vec<u32>)>,
    aqms: Option<Bound<'py, PyDict>>,
    snaplen: Option<NonZeroU32>,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let scenario = simulate::read(scenario).map_err(PyValueError::new_err)?;
    let captured_links = captures.iter().flat_map(|(_, links)| links).copied().collect();
    let record = Record { trace, captured_links, ..Record::default() };
    let outcome = match aqms.filter(|aqms| !aqms.is_empty()) {
        Some(aqms) => {
            let aqms = PythonAqms::new(aqms);
            let options = RunOptions { aqms: &aqms, record, ..RunOptions::default() };
            simulate::run_with(&scenario, seed, &options)
        }
        None => runs::in_thread(py, |stop| {
            let options = RunOptions { record, stop: Some(stop), ..RunOptions::default() };
            simulate::run_with(&scenario, seed, &options)
        })?,
    };
    let (result, recordings) = raise(outcome)?;
    if let Some(capture) = &recordings.capture {
        for (file, links) in captures {
            write(py, capture, &file, &links, snaplen)?;
        }
    }
    Ok((result, columns(py, recordings.trace.as_ref())?))
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
    put("waited_ns", rows.iter().flat_map(|row| row.waited.as_nanos().to_le_bytes()).collect())?;
    put("window_t_ns", windows.iter().flat_map(|row| row.time.as_nanos().to_le_bytes()).collect())?;
    put("window_flow", windows.iter().flat_map(|row| row.flow.to_le_bytes()).collect())?;
    put("cwnd", windows.iter().flat_map(|row| row.cwnd.to_le_bytes()).collect())?;
    put("ssthresh", windows.iter().flat_map(|row| row.ssthresh.to_le_bytes()).collect())?;
    Ok(columns)
}

/// Write the packets that crossed these links. Signals are checked each time the buffer is full, so that Ctrl-C works.
fn write(py: Python<'_>, capture: &Capture, file: &Path, links: &[u32], snaplen: Option<NonZeroU32>) -> PyResult<()> {
    let file = Polled { py, file: File::create(file)?, raised: None };
    let mut out = BufWriter::with_capacity(BUFFER, file);
    let written = capture.write(links, snaplen, &mut out);
    let (file, _) = out.into_parts();
    match file.raised {
        Some(raised) => Err(raised),
        None => Ok(written?),
    }
}

/// A file to which writing stops at a signal.
struct Polled<'py> {
    py: Python<'py>,
    file: File,
    /// The exception of the signal's handler.
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

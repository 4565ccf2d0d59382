//! Captures of real links.

use penstock_capture::Load;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// The load in a capture: its packets, their bytes, its duration in seconds, and a note about each peculiarity of the file.
///
/// Raises `ValueError` if the file cannot be used; the message is worded to follow the file name.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python gives a path of its own")]
pub(crate) fn read_capture(py: Python<'_>, file: PathBuf) -> PyResult<(usize, u64, f64, Vec<String>)> {
    let Load { packets, notes } = py.detach(|| Load::read(&file)).map_err(PyValueError::new_err)?;
    let bytes = packets.iter().map(|packet| u64::from(packet.size)).sum();
    let seconds = packets.last().map_or(0.0, |last| last.time_ns as f64 / 1e9);
    Ok((packets.len(), bytes, seconds, notes))
}

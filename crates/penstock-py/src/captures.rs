//! Captures of real links.

use penstock_capture::{Columns, Load};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

/// The load in a capture: its packets, their bytes, its duration in seconds, and a note about each peculiarity of the file.
///
/// Raises `ValueError` if the file cannot be used; the message is worded to follow the file name.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python passes an owned path")]
pub(crate) fn read_capture(py: Python<'_>, file: PathBuf) -> PyResult<(usize, u64, f64, Vec<String>)> {
    let Load { packets, notes } = py.detach(|| Load::read(&file)).map_err(PyValueError::new_err)?;
    let bytes = packets.iter().map(|packet| u64::from(packet.size)).sum();
    let seconds = packets.last().map_or(0.0, |last| last.time_ns as f64 / 1e9);
    Ok((packets.len(), bytes, seconds, notes))
}

/// The addresses, columns and notes of a capture.
type Captured<'py> = (Vec<String>, Bound<'py, PyDict>, Vec<String>);

/// The IP packets of a capture in order of time: addresses with ports as text, columns as raw little-endian int64, and the
/// notes of `read_capture`.
///
/// A field that a packet lacks is 0, or -1 for TCP options. Columns: `t_ns` (since 1970); `size` (bytes of the IP packet);
/// `source`, `target` (indices into the addresses); `protocol` (6 with a TCP header, 17 with a UDP header, otherwise 0);
/// `dscp`; `ecn`; `payload` (bytes); `seq`, `ack`, `flags`, `window` (TCP header, not scaled); `mss`, `scale` (of a SYN);
/// `sack_from`, `sack_to` (first SACK block); `tsval`, `tsecr`.
///
/// Raises `ValueError` as `read_capture` does.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python passes an owned path")]
pub(crate) fn captured_packets(py: Python<'_>, file: PathBuf) -> PyResult<Captured<'_>> {
    let packets = py.detach(|| Columns::read(&file)).map_err(PyValueError::new_err)?;
    let columns = PyDict::new(py);
    for (name, values) in packets.columns() {
        let bytes: Vec<u8> = values.flat_map(i64::to_le_bytes).collect();
        columns.set_item(name, PyBytes::new(py, &bytes))?;
    }
    Ok((packets.endpoints.iter().map(ToString::to_string).collect(), columns, packets.notes))
}

//! What there is: queue schemes and TCP keys, as JSON.

use pyo3::prelude::*;

/// All queue schemes with their parameters, as JSON.
#[pyfunction]
pub(crate) fn schemes() -> String {
    include_str!("stub_schemes.json").to_owned()
}

/// The keys of TCP traffic with their defaults in each profile, as JSON.
#[pyfunction]
pub(crate) fn tcp() -> String {
    include_str!("stub_tcp.json").to_owned()
}

/// The drop probability of a scheme at each held average queue in `xs` (packets); `None` if it has no such function.
#[pyfunction]
#[expect(clippy::unnecessary_wraps, reason = "stub")]
pub(crate) fn drop_function(_scheme: &str, _settings: &str, _link: &str, _xs: Vec<f64>) -> PyResult<Option<Vec<f64>>> {
    Ok(None)
}

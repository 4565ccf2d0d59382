//! Parts of scenarios, read once for all scenarios that share them.

use penstock_sim::scenario::{LinkSpec, Options, Scenario, TrafficSpec};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Link directions in canonical form.
#[pyclass(frozen, module = "penstock._native")]
pub(crate) struct Links(Vec<LinkSpec>);

#[pymethods]
impl Links {
    /// Read a JSON list. Raises `ValueError` if it is malformed.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        serde_json::from_str(text).map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// A group of traffic in canonical form.
#[pyclass(frozen, module = "penstock._native")]
pub(crate) struct Traffic(TrafficSpec);

#[pymethods]
impl Traffic {
    /// Read a JSON object. Raises `ValueError` if it is malformed.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        serde_json::from_str(text).map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// Whether [`super::check`] finds no error in the scenario of these parts, which has no law written in Python. Times are
/// in nanoseconds.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(crate) fn is_valid(
    py: Python<'_>,
    duration: u64,
    warmup: u64,
    sampling: u64,
    links: Vec<Py<Links>>,
    traffic: Vec<Py<Traffic>>,
) -> bool {
    let scenario = Scenario {
        name: String::new(),
        duration_ns: duration,
        warmup_ns: warmup,
        sampling_ns: sampling,
        links: links.iter().flat_map(|part| part.get().0.iter().cloned()).collect(),
        traffic: traffic.iter().map(|part| part.get().0.clone()).collect(),
        options: Options::default(),
    };
    // A panic is a defect, which `check` reports.
    py.detach(|| catch_unwind(AssertUnwindSafe(|| penstock_sim::check(&scenario, 1, &()).is_empty())).unwrap_or(false))
}

//! Parts of scenarios, read once for all scenarios that share them.

use penstock_sim::scenario::{LinkSpec, Options, Scenario, TrafficSpec};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Link directions in canonical form.
#[pyclass(frozen, module = "penstock._native")]
pub(crate) struct Links(Arc<[LinkSpec]>);

#[pymethods]
impl Links {
    /// Read a JSON list. Raises `ValueError` if it is malformed.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let specs: Vec<LinkSpec> =
            serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self(specs.into()))
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

/// Largest number of links that a thread keeps.
const MOST_KEPT: usize = 2000;

/// The scenario that a thread checked last: the next scenario of a study shares most of its links.
struct Checked {
    parts: Vec<Arc<[LinkSpec]>>,
    scenario: Scenario,
}

thread_local! {
    static LAST: Cell<Option<Checked>> = const { Cell::new(None) };
}

/// The links of these parts in one list; links that `last` has are not copied again.
fn joined(parts: &[Arc<[LinkSpec]>], last: Option<Checked>) -> Vec<LinkSpec> {
    let lengths = |parts: &[Arc<[LinkSpec]>]| parts.iter().map(|part| part.len()).collect::<Vec<_>>();
    let Some(last) = last.filter(|last| lengths(&last.parts) == lengths(parts)) else {
        return parts.iter().flat_map(|part| part.iter().cloned()).collect();
    };
    let mut links = last.scenario.links;
    let mut first = 0;
    for (part, known) in parts.iter().zip(&last.parts) {
        if !Arc::ptr_eq(part, known) {
            links[first..first + part.len()].clone_from_slice(part);
        }
        first += part.len();
    }
    links
}

/// Whether [`super::check`] finds no error in the scenario of these parts, which has no AQM written in Python. Times are
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
    let parts: Vec<_> = links.iter().map(|part| Arc::clone(&part.get().0)).collect();
    let traffic = traffic.iter().map(|part| part.get().0.clone()).collect();
    py.detach(|| {
        let scenario = Scenario {
            name: String::new(),
            duration_ns: duration,
            warmup_ns: warmup,
            sampling_ns: sampling,
            links: joined(&parts, LAST.take()),
            traffic,
            options: Options::default(),
        };
        // A panic is a defect, which `check` reports.
        let errors = catch_unwind(AssertUnwindSafe(|| penstock_sim::check(&scenario, 1, &())));
        LAST.set((scenario.links.len() <= MOST_KEPT).then_some(Checked { parts, scenario }));
        errors.is_ok_and(|errors| errors.is_empty())
    })
}

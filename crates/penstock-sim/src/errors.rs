//! Errors of scenarios and of runs.

use penstock_core::param::ParamError;
use serde::Serialize;
use std::fmt;

/// One error of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScenarioError {
    /// The key, as in a scenario file: `links.bottleneck.queue.min_th`.
    pub path: String,
    /// The problem and the allowed values, without the key.
    pub message: String,
}

/// Failure of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The scenario cannot be run.
    Scenario(Vec<ScenarioError>),
    /// Too many connections of sessions were open at the same time; this is their number.
    TooManyConnections(usize),
    /// The run was stopped by its flag.
    Stopped,
    /// Packet or byte conservation was violated, as described: a defect of the simulator.
    Imbalance(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(errors) => {
                errors.iter().try_for_each(|error| writeln!(f, "{}: {}", error.path, error.message))
            }
            Self::TooManyConnections(count) => write!(
                f,
                "{count} connections of sessions were open at once, too many for a run of this length: the sessions ask \
                 for far more than their links carry"
            ),
            Self::Stopped => write!(f, "the run was stopped"),
            Self::Imbalance(details) => write!(f, "packet conservation violated: {details}"),
        }
    }
}

impl std::error::Error for RunError {}

impl ScenarioError {
    pub(crate) fn new(path: &str, message: String) -> Self {
        Self { path: path.to_owned(), message }
    }

    /// An error of a parameter below `path`, found by a registry.
    pub(crate) fn parameter(path: &str, error: ParamError) -> Self {
        Self { path: format!("{path}.{}", error.name), message: error.message }
    }
}

//! Errors of scenarios.

use penstock_core::param::ParamError;
use serde::Serialize;

/// One error of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScenarioError {
    /// The key, as in a scenario file: `links.bottleneck.queue.min_th`.
    pub path: String,
    /// The problem and the allowed values, without the key.
    pub message: String,
}

impl ScenarioError {
    /// An error of the key `path`.
    pub fn new(path: &str, message: String) -> Self {
        Self { path: path.to_owned(), message }
    }

    /// An error of a parameter below `path`, found by a registry.
    pub fn parameter(path: &str, error: ParamError) -> Self {
        Self { path: format!("{path}.{}", error.name), message: error.message }
    }
}

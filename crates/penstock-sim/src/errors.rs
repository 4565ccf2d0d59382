//! Errors of runs.

use penstock_link::ScenarioError;
use std::fmt;

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

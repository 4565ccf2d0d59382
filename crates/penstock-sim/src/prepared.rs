//! What all runs of a scenario share, whatever their seeds.

use crate::offered::Offered;
use crate::scenario::Scenario;
use penstock_link::ScenarioError;

/// A scenario with the parameters of its TCPs and the packets that it replays, which are read once for all its runs.
pub struct Prepared<'a> {
    pub(crate) scenario: &'a Scenario,
    /// None if the scenario contradicts itself.
    pub(crate) offered: Option<Offered>,
    /// Errors that every run would find; [`crate::run_prepared`] returns them with those of its own.
    pub(crate) errors: Vec<ScenarioError>,
}

impl<'a> Prepared<'a> {
    /// Read what the runs of this scenario share.
    pub fn new(scenario: &'a Scenario) -> Self {
        let mut errors = scenario.errors();
        let offered = errors.is_empty().then(|| Offered::new(scenario, &mut errors));
        Self { scenario, offered, errors }
    }
}

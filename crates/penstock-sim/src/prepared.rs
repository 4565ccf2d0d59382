//! The parts that all runs of a scenario share, whatever their seeds.

use crate::classes::Names;
use crate::offered::Offered;
use crate::plan::Plan;
use crate::port::{PortDiscipline, Prototype};
use crate::scenario::Scenario;
use penstock_core::Time;
use penstock_link::{QueuePlan, ScenarioError};
use std::sync::Arc;

/// The plans of networks with more flows are not kept: they would take memory during the run, and computing them takes
/// little of its time.
const MAX_KEPT_FLOWS: u32 = 10_000;

/// A scenario with everything that is read once for all its runs: the parameters of its TCP flows and queues, the
/// packets that it replays and, unless rates or delays are drawn, the routes.
pub struct Prepared<'a> {
    pub(crate) scenario: &'a Scenario,
    /// None if the scenario contradicts itself.
    pub(crate) parts: Option<Parts>,
    /// Errors that every run would find; [`crate::run_prepared`] returns them together with the errors of the run.
    pub(crate) errors: Vec<ScenarioError>,
}

/// The parts of a scenario that does not contradict itself.
pub(crate) struct Parts {
    pub(crate) offered: Offered,
    /// By link: the settings of its queue.
    pub(crate) queues: Vec<QueuePlan>,
    fixed: Option<Fixed>,
}

/// The part that does not depend on the seed if no value of the network is drawn.
struct Fixed {
    plan: Arc<Plan>,
    /// By link.
    prototypes: Vec<Option<Prototype>>,
}

impl<'a> Prepared<'a> {
    /// Read the parts that the runs of this scenario share.
    pub fn new(scenario: &'a Scenario) -> Self {
        let mut errors = scenario.errors();
        let parts = errors.is_empty().then(|| Parts::new(scenario, &mut errors));
        Self { scenario, parts, errors }
    }
}

impl Parts {
    fn new(scenario: &Scenario, errors: &mut Vec<ScenarioError>) -> Self {
        let offered = Offered::new(scenario, errors);
        let flows = scenario.traffic.iter().fold(0_u32, |sum, group| sum.saturating_add(group.count));
        let plan = (Plan::is_fixed(scenario) && flows <= MAX_KEPT_FLOWS).then(|| {
            let captured = vec![false; scenario.links.len()];
            Arc::new(Plan::new(scenario, 0, &offered.immediate_acks(), &captured, errors))
        });
        let names = Names::new(scenario);
        let mut settings = |link| QueuePlan::new(link, |classes, path| names.classes(classes, path, errors));
        let queues: Vec<QueuePlan> = scenario.links.iter().map(&mut settings).collect();
        let fixed = plan.map(|plan| {
            let prototype = |(number, settings): (usize, &QueuePlan)| {
                let link = &scenario.links[number];
                let info = plan.link_info(offered.mtu(), number, link);
                // Each run finds the errors of the settings again; AQMs outside the registry have no prototype.
                let built = settings.build(link, &info, 0, Time::ZERO, &(), &mut Vec::new())?;
                PortDiscipline::from(built).prototype()
            };
            Fixed { prototypes: queues.iter().enumerate().map(prototype).collect(), plan }
        });
        Self { offered, queues, fixed }
    }

    /// The plan of a run, like [`Plan::new`].
    pub(crate) fn plan(
        &self,
        scenario: &Scenario,
        seed: u64,
        captured: &[bool],
        errors: &mut Vec<ScenarioError>,
    ) -> Arc<Plan> {
        match &self.fixed {
            // With errors there is no run.
            Some(fixed) if !captured.contains(&true) || !errors.is_empty() => Arc::clone(&fixed.plan),
            _ => Arc::new(Plan::new(scenario, seed, &self.offered.immediate_acks(), captured, errors)),
        }
    }

    /// The queue of the link with this number, if it is known before the run and is dispatched statically.
    pub(crate) fn prototype(&self, link: usize) -> Option<&Prototype> {
        self.fixed.as_ref()?.prototypes[link].as_ref()
    }
}

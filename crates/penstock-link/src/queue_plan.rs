//! The queue in front of a link: its scheme, and the conditioners and shapers before it.

use crate::aqm_factory::AqmFactory;
use crate::errors::ScenarioError;
use crate::spec::{ClassSpec, EdgeSpec, LinkSpec};
use penstock_aqm::edge::conditioned_queue::{Conditioned, Stage};
use penstock_aqm::{Discipline, Fifo, LinkInfo, Probe};
use penstock_core::param::{ClassSetting, Value};
use penstock_core::{Limit, Packet, Rng, Time};

/// The discipline of a link, with the conditioners and shapers before it.
pub type Queue<P, W> = Box<dyn Discipline<P, W>>;

/// The settings of a queue, with numbers instead of the names in its classes.
#[derive(Clone, Debug)]
pub struct QueuePlan {
    /// Name of the scheme.
    pub scheme: String,
    /// Parameters of the scheme.
    pub settings: Vec<(String, Value)>,
    stages: Vec<StagePlan>,
}

/// The settings of a conditioner or shaper.
#[derive(Clone, Debug)]
struct StagePlan {
    kind: String,
    limit: Limit,
    settings: Vec<(String, Value)>,
}

impl QueuePlan {
    /// The queue of this link; drop-tail if it has none. `classes` replaces the names in classes, which are at a path
    /// of the scenario, by numbers.
    pub fn new(link: &LinkSpec, mut classes: impl FnMut(&[ClassSpec], &str) -> Vec<ClassSetting>) -> Self {
        let path = path(link);
        let (scheme, settings) = match &link.queue {
            Some(queue) => (queue.scheme.clone(), queue.params.settings(|specs| classes(specs, &path))),
            None => ("droptail".to_owned(), Vec::new()),
        };
        let stage = |(i, spec): (usize, &EdgeSpec)| {
            let settings = spec.params.settings(|specs| classes(specs, &edge_path(link, i)));
            StagePlan { kind: spec.kind.clone(), limit: spec.limit.map_or(Limit::Infinite, Limit::from), settings }
        };
        Self { scheme, settings, stages: link.edge.iter().enumerate().map(stage).collect() }
    }

    /// Whether there are conditioners or shapers in front of the queue.
    pub fn has_stages(&self) -> bool {
        !self.stages.is_empty()
    }

    /// Build the queue in front of `link`, which it knows as `info`, at `now`; `aqms` are the AQMs in addition to the
    /// registry, and `seed` is the seed of the run. Errors go to `errors`.
    pub fn build<P: Packet + Clone + Send + 'static, W: Probe<P> + ?Sized + 'static>(
        &self,
        link: &LinkSpec,
        info: &LinkInfo,
        seed: u64,
        now: Time,
        aqms: &dyn AqmFactory,
        errors: &mut Vec<ScenarioError>,
    ) -> Option<Queue<P, W>> {
        let stages = self.stages(link, info, now, errors);
        let built = match aqms.build(&self.scheme, &self.settings, info) {
            Some(aqm) => aqm.map(|aqm| Box::new(Fifo::new(aqm, info.limit)) as Queue<P, W>),
            None => penstock_aqm::build(&self.scheme, &self.settings, info, now),
        };
        match built {
            Ok(queue) if self.stages.is_empty() => Some(queue),
            Ok(queue) => {
                if queue.capabilities().reads_acks && stages.iter().any(|stage| matches!(stage, Stage::Shaper(_))) {
                    let message = "the queue has an ACK filter, which cannot read packets that a shaper has held: use the \
                                   queue's `bandwidth` instead of the shaper, or no filter";
                    errors.push(ScenarioError::new(&format!("links.{}.edge", link.name), message.to_owned()));
                }
                let rng = Rng::stream(seed, format_args!("{}.edge", link.name));
                Some(Box::new(Conditioned::new(stages, queue, rng)))
            }
            Err(refused) => {
                errors.extend(refused.into_iter().map(|error| ScenarioError::parameter(&path(link), error)));
                None
            }
        }
    }

    fn stages<P: Packet + Clone + Send + 'static>(
        &self,
        link: &LinkSpec,
        info: &LinkInfo,
        now: Time,
        errors: &mut Vec<ScenarioError>,
    ) -> Vec<Stage<P>> {
        let stage = |(i, plan): (usize, &StagePlan)| {
            let StagePlan { kind, limit, settings } = plan;
            match penstock_aqm::build_stage(kind, settings, *limit, info, now) {
                Ok(stage) => Some(stage),
                Err(refused) => {
                    let path = edge_path(link, i);
                    errors.extend(refused.into_iter().map(|error| ScenarioError::parameter(&path, error)));
                    None
                }
            }
        };
        self.stages.iter().enumerate().filter_map(stage).collect()
    }
}

fn path(link: &LinkSpec) -> String {
    format!("links.{}.queue", link.name)
}

fn edge_path(link: &LinkSpec, i: usize) -> String {
    format!("links.{}.edge[{i}]", link.name)
}

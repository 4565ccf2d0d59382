//! Changes of the links and queues of a live run.

use super::LiveRun;
use crate::classes::Names;
use crate::port::Mode;
use crate::scenario::{LimitSpec, LinkSpec, QueueSpec};
use penstock_aqm::{LinkInfo, MAX_FLOWS};
use penstock_core::{Rate, Rng, Span};
use penstock_link::{QueuePlan, ScenarioError};

impl LiveRun {
    /// Another rate of this link, from the next packet on.
    ///
    /// # Errors
    /// The link cannot change, or the rate is not one from 1 bit/s to 10 Tbit/s.
    pub fn set_rate(&mut self, link: usize, rate: u64) -> Result<(), ScenarioError> {
        if !(1..=10_000_000_000_000).contains(&rate) {
            return Err(self.refuse(link, "rate", "must be from 1 bit/s to 10 Tbit/s"));
        }
        self.adjust(link, "rate", |info, _| info.rate = Rate::from_bits_per_second(rate))
    }

    /// Another propagation delay of this link, from the next packet on; the change lets no packet overtake another.
    ///
    /// # Errors
    /// The link cannot change, or the delay is above 10 000 s.
    pub fn set_delay(&mut self, link: usize, new: Span) -> Result<(), ScenarioError> {
        if new.as_nanos() > 10_000_000_000_000 {
            return Err(self.refuse(link, "delay", "must be from 0 s to 10 000 s"));
        }
        self.adjust(link, "delay", |info, delay| info.change_delay(delay, new))
    }

    /// Another queue in front of this link. Packets that wait are sent first, by their own queue; none is lost by the change.
    /// The AQM of another scheme starts from its initial state. So does an AQM without [`penstock_aqm::Aqm::resume`]
    /// when its parameters change.
    ///
    /// # Errors
    /// The link cannot change, or the queue's parameters have errors; the queue is then unchanged.
    pub fn set_queue(&mut self, link: usize, queue: QueueSpec) -> Result<(), Vec<ScenarioError>> {
        let place = self.place(link).filter(|&(port, _)| !self.has_device(port));
        let (port, changes) = place.ok_or_else(|| vec![self.refuse(link, "queue", FIXED)])?;
        let mut info = *self.engine.network.changes[changes].changes.info();
        info.limit = queue.limit.into();
        let spec = LinkSpec { queue: Some(queue), ..self.scenario.links[link].clone() };
        let mut errors = Vec::new();
        let names = Names::new(&self.scenario);
        let plan = QueuePlan::new(&spec, |classes, path| names.classes(classes, path, &mut errors));
        let built = plan.build(&spec, &info, self.seed, self.now, &(), &mut errors);
        let Some(mut queue) = built.filter(|_| errors.is_empty()) else { return Err(errors) };
        let flows = self.engine.hosts.len() as u32;
        if flows > MAX_FLOWS {
            queue.reserve(0, flows);
        }
        self.replacements += 1;
        self.changed = true;
        let rng = Rng::stream(self.seed, format_args!("{}.aqm.{}", spec.name, self.replacements));
        let resumes = spec.queue.as_ref().map(|queue| &queue.scheme)
            == self.scenario.links[link].queue.as_ref().map(|queue| &queue.scheme);
        self.scenario.links[link] = spec;
        self.engine.network.adjust(port, changes, self.now, |known, _| *known = info);
        self.engine.network.replace(port, queue, rng, resumes);
        Ok(())
    }

    /// Another limit of the queue in front of this link; its AQM keeps its state.
    ///
    /// # Errors
    /// The link cannot change.
    pub fn set_limit(&mut self, link: usize, limit: LimitSpec) -> Result<(), ScenarioError> {
        self.adjust(link, "queue.limit", |info, _| info.limit = limit.into())
    }

    /// Change the facts about a link, and notify its queue.
    fn adjust(
        &mut self,
        link: usize,
        key: &str,
        change: impl FnOnce(&mut LinkInfo, &mut Span),
    ) -> Result<(), ScenarioError> {
        let (port, changes) = self.place(link).ok_or_else(|| self.refuse(link, key, FIXED))?;
        self.changed = true;
        self.engine.network.adjust(port, changes, self.now, change);
        Ok(())
    }

    /// The port of this link and its number among the changing links, if it can change.
    fn place(&self, link: usize) -> Option<(usize, usize)> {
        let port = self.engine.network.links.get(link)?.port()?;
        self.engine.network.ports[port].changes().map(|changes| (port, changes))
    }

    fn has_device(&self, port: usize) -> bool {
        matches!(&self.engine.network.ports[port].mode, Mode::Evented(evented) if evented.has_device())
    }

    fn refuse(&self, link: usize, key: &str, message: &str) -> ScenarioError {
        let name = self.scenario.links.get(link).map_or("", |link| &link.name);
        ScenarioError::new(&format!("links.{name}.{key}"), message.to_owned())
    }
}

const FIXED: &str = "cannot change: only the watched links of an adjustable run can";

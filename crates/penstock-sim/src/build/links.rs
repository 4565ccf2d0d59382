//! Links, their queues and their changes.

use super::Builder;
use crate::classes::Names;
use crate::delay_lines::DelayLines;
use crate::device_queue::DeviceQueue;
use crate::errors::ScenarioError;
use crate::event::EventSource;
use crate::event_queue::EventQueue;
use crate::laws::Laws;
use crate::link::Link;
use crate::link_changes::LinkChanges;
use crate::loss::Loss;
use crate::packet::SimPacket;
use crate::plan::Plan;
use crate::port::{Outlet, Port, STEADY, State};
use crate::probe::queue::QueueStats;
use crate::reordered::ReorderedPackets;
use crate::scenario::{EdgeSpec, LinkSpec, Scenario};
use crate::tally::Tally;
use crate::transmitter::Transmitter;
use penstock_aqm::edge::conditioned_queue::{self, Conditioned};
use penstock_aqm::{Discipline, Fifo, LinkInfo, MAX_FLOWS};
use penstock_core::{Bytes, Limit, Rng, Span, Time};

/// The discipline of a link, and whether its timer may move at every operation.
pub(super) struct Queue {
    pub(super) discipline: Box<dyn Discipline<SimPacket, Tally>>,
    timer_moves: bool,
}

/// The queue of each link; `None` for computed links. `mtu` is the largest packet of the scenario; errors go to
/// `errors`.
pub(super) fn queues(
    scenario: &Scenario,
    seed: u64,
    plan: &Plan,
    mtu: Bytes,
    laws: &dyn Laws,
    errors: &mut Vec<ScenarioError>,
) -> Vec<Option<Queue>> {
    let names = Names::new(scenario);
    let flows = plan.routes.flows.len() as u32;
    let mut queue = |(number, link): (usize, &LinkSpec)| {
        let info = plan.link_info(mtu, number, link);
        let path = format!("links.{}.queue", link.name);
        let (scheme, settings) = match &link.queue {
            Some(queue) => {
                let settings = queue.params.settings(|classes| names.classes(classes, &path, errors));
                (queue.scheme.as_str(), settings)
            }
            None if plan.computed[number] => return None,
            None => ("droptail", Vec::new()),
        };
        let stages = stages(link, &info, &names, errors);
        let built = match laws.build(scheme, &settings, &info) {
            Some(law) => law.map(|law| Box::new(Fifo::new(law, info.limit)) as Box<dyn Discipline<SimPacket, Tally>>),
            None => penstock_aqm::build(scheme, &settings, &info, Time::ZERO),
        };
        let built = built.map(|mut queue| {
            // flows with higher numbers would share the state of others
            if flows > MAX_FLOWS {
                queue.reserve(0, flows);
            }
            queue
        });
        match built {
            Ok(discipline) if stages.is_empty() => Some(Queue { discipline, timer_moves: false }),
            Ok(queue) => {
                let queue = Conditioned::new(stages, queue, Rng::stream(seed, &format!("{}.edge", link.name)));
                Some(Queue { timer_moves: queue.timer_moves(), discipline: Box::new(queue) })
            }
            Err(refused) => {
                errors.extend(refused.into_iter().map(|error| ScenarioError::parameter(&path, error)));
                None
            }
        }
    };
    scenario.links.iter().enumerate().map(&mut queue).collect()
}

/// The conditioners and shapers before the queue of a link.
fn stages(
    link: &LinkSpec,
    info: &LinkInfo,
    names: &Names<'_>,
    errors: &mut Vec<ScenarioError>,
) -> Vec<conditioned_queue::Stage<SimPacket>> {
    let stage = |(i, spec): (usize, &EdgeSpec)| {
        let path = format!("links.{}.edge[{i}]", link.name);
        let settings = spec.params.settings(|classes| names.classes(classes, &path, errors));
        let limit = spec.limit.map_or(Limit::Infinite, Limit::from);
        match penstock_aqm::build_stage(&spec.kind, &settings, limit, info, Time::ZERO) {
            Ok(stage) => Some(stage),
            Err(refused) => {
                errors.extend(refused.into_iter().map(|error| ScenarioError::parameter(&path, error)));
                None
            }
        }
    };
    link.edge.iter().enumerate().filter_map(stage).collect()
}

/// The links of a network, with their ports, changes and delay lines.
pub(super) struct Links {
    pub(super) directions: Vec<Link>,
    pub(super) ports: Vec<Port>,
    pub(super) changes: Vec<LinkChanges>,
    pub(super) lines: DelayLines,
}

impl Builder<'_> {
    /// All links; the first changes of links and timers of queues are scheduled.
    pub(super) fn links(&self, queues: Vec<Option<Queue>>, events: &mut EventQueue) -> Links {
        let (mut links, mut ports, mut lines) = (Vec::with_capacity(queues.len()), Vec::new(), 0);
        let mut changes: Vec<LinkChanges> = Vec::new();
        for (number, (spec, queue)) in self.scenario.links.iter().zip(queues).enumerate() {
            let port = queue.map(|queue| {
                let place = ports.len() as u32;
                let mut port = self.port(number, place, queue);
                events.set(port.timer_rank, port.queue.next_timeout().unwrap_or(Time::NEVER));
                if !spec.is_steady() {
                    port.outlet.changes = changes.len() as u32;
                    let of_link = self.changes(number, place, port.outlet.changes);
                    events.set(of_link.rank, of_link.next());
                    changes.push(of_link);
                }
                ports.push(port);
                place
            });
            links.push(Link::new(Transmitter::new(self.plan.rates[number]), self.plan.delays[number], port, lines));
            lines += u32::from(self.plan.has_line[number]);
        }
        Links { directions: links, ports, changes, lines: DelayLines::new(lines as usize) }
    }

    /// Port number `place`, in front of link number `link`.
    fn port(&self, link: usize, place: u32, queue: Queue) -> Port {
        let Self { scenario, seed, ref ranks, .. } = *self;
        let spec = &scenario.links[link];
        let rank = ranks.of(EventSource::Transmission(place)).unwrap_or_default();
        Port {
            queue: queue.discipline,
            device: spec.device_queue.map(|limit| Box::new(DeviceQueue::new(limit.into()))),
            rng: Rng::stream(seed, &format!("{}.aqm", spec.name)),
            loss: spec.loss.as_ref().map(|loss| Box::new(Loss::new(loss, seed, &spec.name))),
            timer_rank: ranks.of(EventSource::QueueTimer(place)).unwrap_or_default(),
            state: State::Idle,
            timer_moves: queue.timer_moves,
            outlet: Outlet { link: link as u32, rank, changes: STEADY },
        }
    }

    /// Statistics of the queue in front of this link; also by codepoint if the link is watched and packets may have
    /// codepoints.
    pub(super) fn queue_stats(&self, spec: &LinkSpec, has_codepoints: bool) -> QueueStats {
        let series = self.scenario.options.series && spec.watch;
        let sampling = Span::from_nanos(self.scenario.sampling_ns);
        let width = series.then(|| self.series_width());
        let mut stats = QueueStats::new(Time::ZERO, sampling, width, spec.watch && has_codepoints);
        stats.device.exists = spec.device_queue.is_some();
        stats
    }

    /// Length of the intervals of a series.
    pub(super) fn series_width(&self) -> Span {
        let even = self.scenario.duration_ns / self.scenario.options.series_points.max(1);
        Span::from_nanos(even.max(self.scenario.sampling_ns))
    }

    /// The changes of number `number`, of a link behind the port `port`.
    fn changes(&self, link: usize, port: u32, number: u32) -> LinkChanges {
        let rank = self.ranks.of(EventSource::LinkChange(number)).unwrap_or_default();
        let reordered = self.ranks.of(EventSource::ReorderedArrival(number)).map(ReorderedPackets::new);
        let spec = &self.scenario.links[link];
        let info = self.plan.link_info(self.offered.mtu(), link, spec);
        LinkChanges::new(spec, self.seed, port, rank, info, reordered)
    }
}

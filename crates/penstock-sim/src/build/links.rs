//! Links, their queues and their changes.

use super::{Builder, permitted_modes};
use crate::changing_link::{ChangingLink, Reordered};
use crate::delay_lines::{DelayLines, NO_LINE};
use crate::event::EventSource;
use crate::event_queue::EventQueue;
use crate::link::Link;
use crate::plan::Plan;
use crate::port::{Modes, Outlet, Port, PortDiscipline, PortQueue};
use crate::prepared::Parts;
use crate::scenario::{LinkSpec, Scenario};
use penstock_aqm::{MAX_FLOWS, TimerMoves};
use penstock_core::{Rng, Span, Time};
use penstock_link::probe::queue::{Intervals, QueueStats};
use penstock_link::{AqmFactory, LinkChanges, Loss, ReorderedPackets, ScenarioError, Transmitter};

/// The queue of each link; `None` for computed links. Errors go to `errors`.
pub(super) fn queues(
    scenario: &Scenario,
    seed: u64,
    parts: &Parts,
    plan: &Plan,
    aqms: &dyn AqmFactory,
    errors: &mut Vec<ScenarioError>,
) -> Vec<Option<PortDiscipline>> {
    let mtu = parts.offered.mtu();
    let flows = plan.routes.flows.len() as u32;
    let mut queue = |(number, link): (usize, &LinkSpec)| {
        if plan.computed[number] && link.queue.is_none() {
            return None;
        }
        let info = plan.link_info(mtu, number, link);
        let settings = &parts.queues[number];
        let mut queue = match parts.prototype(number) {
            Some(prototype) => prototype.clone().into(),
            None => PortDiscipline::from(settings.build(link, &info, seed, Time::ZERO, aqms, errors)?),
        };
        // flows with higher numbers would share the state of others
        if flows > MAX_FLOWS {
            queue.reserve(0, flows);
        }
        Some(queue)
    };
    scenario.links.iter().enumerate().map(&mut queue).collect()
}

/// The links of a network, with their ports, changes and delay lines.
pub(super) struct Links {
    pub(super) directions: Vec<Link>,
    pub(super) ports: Vec<Port>,
    pub(super) changes: Vec<ChangingLink>,
    pub(super) lines: DelayLines,
}

impl Builder<'_> {
    /// Builds all links, and schedules the first changes of links and the first timers of queues. `permitted`: the
    /// modes of ports that the run permits.
    pub(super) fn links(
        &self,
        queues: Vec<Option<PortDiscipline>>,
        permitted: Modes,
        events: &mut EventQueue,
    ) -> Links {
        let of_routes = permitted_modes::of_routes(&self.plan);
        let (mut links, mut ports, mut lines) = (Vec::with_capacity(queues.len()), Vec::new(), 0);
        let mut changes: Vec<ChangingLink> = Vec::new();
        for (number, (spec, queue)) in self.scenario.links.iter().zip(queues).enumerate() {
            let port = queue.map(|queue| {
                let place = ports.len() as u32;
                let queue = self.port_queue(number, place, queue);
                queue.set_timer(events);
                let changing = (!spec.is_steady()).then(|| self.changing(number, place, changes.len() as u32));
                let changed_by = changing.is_some().then_some(changes.len() as u32);
                if let Some(changing) = changing {
                    events.set(changing.rank, changing.changes.next());
                    changes.push(changing);
                }
                let of_port = permitted_modes::of_link(spec).and(permitted_modes::of_queue(&queue.discipline));
                let permitted = permitted.and(of_routes[number]).and(of_port);
                ports.push(Port { mode: self.mode(spec, permitted, changed_by), queue });
                place
            });
            let has_line = self.plan.has_line[number];
            let line = if has_line { lines } else { NO_LINE };
            let transmitter = Transmitter::new(self.plan.rates[number], spec.framing());
            links.push(Link::new(transmitter, self.plan.delays[number], port, line));
            lines += u32::from(has_line);
        }
        Links { directions: links, ports, changes, lines: DelayLines::new(lines as usize) }
    }

    /// The queue of port number `place`, in front of link number `link`.
    fn port_queue(&self, link: usize, place: u32, discipline: PortDiscipline) -> PortQueue {
        let Self { scenario, seed, ref ranks, .. } = *self;
        let spec = &scenario.links[link];
        let rank = ranks.of(EventSource::Transmission(place));
        let timer_rank = ranks.of(EventSource::QueueTimer(place));
        PortQueue {
            timer_moves: match discipline.capabilities().timer {
                TimerMoves::Never | TimerMoves::Periodic => false,
                // A device queue may find the discipline empty while the transmitter is busy.
                TimerMoves::OnIdle => spec.device_queue.is_some(),
                TimerMoves::Always => true,
            },
            discipline,
            rng: Rng::stream(seed, format_args!("{}.aqm", spec.name)),
            loss: spec.loss.as_ref().map(|loss| Box::new(Loss::new(loss, seed, &spec.name))),
            outlet: Outlet { port: place, link: link as u32, rank, timer_rank },
        }
    }

    /// Statistics of the queue in front of this link; also by codepoint if the link is watched and packets may have
    /// codepoints.
    pub(super) fn queue_stats(&self, spec: &LinkSpec, has_codepoints: bool) -> QueueStats {
        let Scenario { options, sampling_ns, duration_ns, warmup_ns, .. } = self.scenario;
        let length = Span::from_nanos(duration_ns - warmup_ns);
        let series = (options.series && spec.watch).then(|| self.series_width());
        let intervals = Intervals { series, ..Intervals::new(Span::from_nanos(*sampling_ns), length) };
        let mut stats = QueueStats::new(intervals, spec.watch && has_codepoints);
        stats.device.exists = spec.device_queue.is_some();
        stats.framing = spec.framing();
        stats
    }

    /// Length of the intervals of a series.
    pub(super) fn series_width(&self) -> Span {
        let even = self.scenario.duration_ns / self.scenario.options.series_points.max(1);
        Span::from_nanos(even.max(self.scenario.sampling_ns))
    }

    /// The changing link `number`, behind the port `port`.
    fn changing(&self, link: usize, port: u32, number: u32) -> ChangingLink {
        let rank = self.ranks.of(EventSource::LinkChange(number));
        let reordered = |rank: u32| Reordered { rank, packets: ReorderedPackets::default() };
        let spec = &self.scenario.links[link];
        let info = self.plan.link_info(self.offered.mtu(), link, spec);
        ChangingLink {
            port,
            rank,
            changes: LinkChanges::new(spec, self.seed, info),
            reordered: self.ranks.find(EventSource::ReorderedArrival(number)).map(reordered),
        }
    }
}

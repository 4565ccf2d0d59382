//! Links, their queues and their changes.

use super::Builder;
use crate::changing_link::{ChangingLink, Reordered};
use crate::delay_lines::DelayLines;
use crate::device_queue::DeviceQueue;
use crate::event::EventSource;
use crate::event_queue::EventQueue;
use crate::link::Link;
use crate::network::Late;
use crate::packet::SimPacket;
use crate::plan::Plan;
use crate::port::{Outlet, Port, STEADY, State, Trail};
use crate::port_queue::{DirectQueue, PortQueue};
use crate::prepared::Parts;
use crate::scenario::{LinkSpec, Scenario};
use crate::tally::Tally;
use penstock_aqm::{MAX_FLOWS, TimerMoves};
use penstock_core::{Rng, Span, Time};
use penstock_link::probe::queue::QueueStats;
use penstock_link::{Laws, LinkChanges, Loss, Queue, ReorderedPackets, ScenarioError, Transmitter};

/// The queue of each link; `None` for computed links. Errors go to `errors`.
pub(super) fn queues(
    scenario: &Scenario,
    seed: u64,
    parts: &Parts,
    plan: &Plan,
    laws: &dyn Laws,
    errors: &mut Vec<ScenarioError>,
) -> Vec<Option<PortQueue>> {
    let mtu = parts.offered.mtu();
    let flows = plan.routes.flows.len() as u32;
    let mut queue = |(number, link): (usize, &LinkSpec)| {
        if plan.computed[number] && link.queue.is_none() {
            return None;
        }
        let info = plan.link_info(mtu, number, link);
        let settings = &parts.queues[number];
        let direct = parts.direct(number).cloned().or_else(|| DirectQueue::new(settings, &info));
        let mut queue = if let Some(direct) = direct {
            PortQueue::from(direct)
        } else {
            let built: Queue<SimPacket, Tally> = settings.build(link, &info, seed, Time::ZERO, laws, errors)?;
            PortQueue::Other(built)
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
    /// All links; the first changes of links and timers of queues are scheduled. `foresees`: departures may be foreseen.
    pub(super) fn links(&self, queues: Vec<Option<PortQueue>>, foresees: bool, events: &mut EventQueue) -> Links {
        let foresees = foresees && self.scenario.options.computed_links;
        let alone = self.links_with_the_only_port();
        let (mut links, mut ports, mut lines) = (Vec::with_capacity(queues.len()), Vec::new(), 0);
        let mut changes: Vec<ChangingLink> = Vec::new();
        for (number, (spec, queue)) in self.scenario.links.iter().zip(queues).enumerate() {
            let port = queue.map(|queue| {
                let place = ports.len() as u32;
                let mut port = self.port(number, place, queue);
                events.set(port.timer_rank, port.queue.next_timeout().unwrap_or(Time::NEVER));
                if spec.is_steady() {
                    let needs_no_events = foresees && port.device.is_none();
                    if needs_no_events && port.queue.is_foreseeable() {
                        port.trail = Some(Trail::new(Transmitter::new(self.plan.rates[number]), self.fetches()));
                    } else if needs_no_events && !port.timer_moves && alone[number] {
                        port.late = Some(Late::IDLE);
                    }
                } else {
                    port.outlet.changes = changes.len() as u32;
                    let of_link = self.changing(number, place, port.outlet.changes);
                    events.set(of_link.rank, of_link.changes.next());
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

    /// For each link: whether packets that cross it cross no other link with a simulated queue. Only then may their losses be
    /// carried out late: runs of losses end where the last queue on the way of a packet accepts it.
    fn links_with_the_only_port(&self) -> Vec<bool> {
        let Plan { computed, routes, .. } = &*self.plan;
        let mut alone = vec![true; computed.len()];
        for route in routes.hops.chunk_by(|hop, _| !hop.last) {
            let simulated = route.iter().map(|hop| hop.link as usize).filter(|&link| !computed[link]);
            if simulated.clone().count() > 1 {
                simulated.for_each(|link| alone[link] = false);
            }
        }
        alone
    }

    /// Port number `place`, in front of link number `link`.
    fn port(&self, link: usize, place: u32, queue: PortQueue) -> Port {
        let Self { scenario, seed, ref ranks, .. } = *self;
        let spec = &scenario.links[link];
        let rank = ranks.of(EventSource::Transmission(place)).unwrap_or_default();
        Port {
            device: spec.device_queue.map(|limit| Box::new(DeviceQueue::new(limit.into()))),
            rng: Rng::stream(seed, format_args!("{}.aqm", spec.name)),
            loss: spec.loss.as_ref().map(|loss| Box::new(Loss::new(loss, seed, &spec.name))),
            timer_rank: ranks.of(EventSource::QueueTimer(place)).unwrap_or_default(),
            state: State::Idle,
            timer_moves: queue.capabilities().timer == TimerMoves::Always,
            queue,
            outlet: Outlet { link: link as u32, rank, changes: STEADY },
            trail: None,
            late: None,
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

    /// The changing link of number `number`, behind the port `port`.
    fn changing(&self, link: usize, port: u32, number: u32) -> ChangingLink {
        let rank = self.ranks.of(EventSource::LinkChange(number)).unwrap_or_default();
        let reordered = |rank: u32| Reordered { rank, packets: ReorderedPackets::default() };
        let spec = &self.scenario.links[link];
        let info = self.plan.link_info(self.offered.mtu(), link, spec);
        ChangingLink {
            port,
            rank,
            changes: LinkChanges::new(spec, self.seed, info),
            reordered: self.ranks.of(EventSource::ReorderedArrival(number)).map(reordered),
        }
    }
}

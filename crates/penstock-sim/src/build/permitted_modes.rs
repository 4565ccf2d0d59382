//! The mode of each port, which its queue, its link, the rest of the network and the recordings of the run must permit.

use super::Builder;
use crate::changing_link::ChangingLink;
use crate::plan::Plan;
use crate::port::{DeviceQueue, Evented, Lazy, Mode, Modes, PortDiscipline, Precomputed};
use crate::record::Record;
use crate::routes::Hop;
use crate::scenario::LinkSpec;
use penstock_aqm::{Capabilities, Judges, TimerMoves};

/// The modes that these recordings permit; packets must be recorded in the order of time.
pub(super) fn of_record(record: &Record) -> Modes {
    let records_packets = record.trace || record.flow_facts || !record.captured_links.is_empty();
    if records_packets { Modes::EVENTED_ONLY } else { Modes::ALL }
}

/// The modes that this queue permits.
pub(super) fn of_queue(queue: &PortDiscipline) -> Modes {
    let capabilities = queue.capabilities();
    let Capabilities { judges, timer, .. } = capabilities;
    // A departure that is executed lazily must not move a timer or read state that has changed since.
    let keeps_timer = timer <= TimerMoves::Periodic;
    let reads_late = capabilities.reads_rare_of_queued();
    // A queued packet leaves once the packets before it have left, whatever happens meanwhile.
    let is_final = judges == Judges::Arrivals && timer == TimerMoves::Never && queue.is_fifo();
    Modes { lazy: keeps_timer && !reads_late, precomputed: is_final && queue.is_static_fifo() }
}

/// The modes that this link permits.
pub(super) fn of_link(link: &LinkSpec) -> Modes {
    let changes = if link.is_steady() { Modes::ALL } else { ChangingLink::MODES };
    let device = if link.device_queue.is_none() { Modes::ALL } else { DeviceQueue::MODES };
    changes.and(device)
}

/// For each link: the modes that the routes over it permit. A flow's loss run ends when the last queue on a packet's path
/// accepts the packet, so the losses of all queues on the routes of a flow must be counted in chronological order. The
/// connections of a session have several routes: those of web traffic go in both directions.
pub(super) fn of_routes(plan: &Plan) -> Vec<Modes> {
    let Plan { computed, routes, .. } = plan;
    let mut modes = vec![Modes::ALL; computed.len()];
    let mut simulated: Vec<u32> = Vec::new();
    // Excludes the lazy mode at the ports of these hops if there are several.
    let mut exclude_lazy = |hops: &mut dyn Iterator<Item = &Hop>| {
        simulated.clear();
        simulated.extend(hops.map(|hop| hop.link).filter(|&link| !computed[link as usize]));
        simulated.sort_unstable();
        simulated.dedup();
        if simulated.len() > 1 {
            for &link in &simulated {
                modes[link as usize].lazy = false;
            }
        }
    };
    for route in routes.hops.chunk_by(|hop, _| !hop.last) {
        exclude_lazy(&mut route.iter());
    }
    for (_, of_session) in &routes.sessions {
        exclude_lazy(&mut of_session.iter().flat_map(|route| &routes.hops[routes.range(route.data_hop)]));
    }
    modes
}

impl Builder<'_> {
    /// The mode of a port in front of the link `spec`: the permitted mode with the fewest events. `changes` is the
    /// index of the link among the changing links.
    pub(super) fn mode(&self, spec: &LinkSpec, permitted: Modes, changes: Option<u32>) -> Mode {
        if permitted.precomputed {
            return Mode::Precomputed(Precomputed::new(self.fetches()));
        }
        if permitted.lazy {
            return Mode::Lazy(Lazy::new());
        }
        let device = spec.device_queue.map(|limit| Box::new(DeviceQueue::new(limit.into())));
        Mode::Evented(Evented::new(device, changes))
    }
}

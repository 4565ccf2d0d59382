//! Changes of links and queues during the run: scheduled by the scenario, or made from outside between two events.

use super::Network;
use crate::packet::SimPacket;
use crate::port::{BoxedDiscipline, Handover, Mode, PortDiscipline};
use penstock_aqm::LinkInfo;
use penstock_core::{Rng, Span, Time};

impl Network {
    /// Remove the reordered packet that has arrived over the changing link of this number. The caller passes it on.
    pub(crate) fn take_reordered(&mut self, number: u32) -> Option<SimPacket> {
        self.changes[number as usize].take_reordered(&mut self.events)
    }

    /// A link changes as its scenario says.
    #[cold]
    pub(crate) fn on_link_change(&mut self, now: Time, number: u32) {
        let changing = &mut self.changes[number as usize];
        let stats = &mut self.tally.queues[changing.port as usize];
        let port = &mut self.ports[changing.port as usize];
        let link = &mut self.links[port.queue.outlet.link as usize];
        if let Some(info) = changing.changes.apply(now, &mut link.transmitter, &mut link.delay) {
            port.queue.settle(now, stats);
            port.queue.discipline.on_link(now, info);
        }
        if let (Some(end), Mode::Evented(evented)) = (changing.changes.start_outage(now), &mut port.mode) {
            evented.begin_outage(&port.queue, end, &mut self.events);
        }
        port.queue.set_timer(&mut self.events);
        self.events.set(changing.rank, changing.changes.next());
    }

    /// Change the delay and the facts of the link behind this port from outside, and notify the queue. `changes` is the
    /// index of the link among the changing ones.
    pub(crate) fn adjust(
        &mut self,
        port: usize,
        changes: usize,
        now: Time,
        change: impl FnOnce(&mut LinkInfo, &mut Span),
    ) {
        let stats = &mut self.tally.queues[port];
        let queue = &mut self.ports[port].queue;
        let link = &mut self.links[queue.outlet.link as usize];
        queue.settle(now, stats);
        let info =
            self.changes[changes].changes.adjust(now, &mut link.transmitter, |info| change(info, &mut link.delay));
        queue.discipline.on_link(now, info);
        queue.set_timer(&mut self.events);
    }

    /// Replace the queue of this port; the new one draws from `rng`. Waiting packets are sent first. If `resumes`, the
    /// new AQM continues in the state of the previous one.
    pub(crate) fn replace(&mut self, port: usize, mut new: BoxedDiscipline, rng: Rng, resumes: bool) {
        let queue = &mut self.ports[port].queue;
        if resumes {
            let mut gauges = Vec::new();
            queue.discipline.gauges(&mut |name, value| gauges.push((name.to_owned(), value)));
            let gauge = |name: &str| gauges.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
            new.resume(&queue.discipline.backlog(), &gauge);
        }
        let before = queue.discipline.take();
        queue.discipline = PortDiscipline::Other(Box::new(Handover::new(before, new)));
        queue.rng = rng;
        // The timer is the earlier timer of the two queues.
        queue.timer_moves = true;
        queue.set_timer(&mut self.events);
    }
}

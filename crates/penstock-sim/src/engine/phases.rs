//! The end of the warm-up, the end of the run, and the check of conservation after it.

use super::Engine;
use crate::host::{Host, Source};
use crate::network::Network;
use crate::session::ClosedConnections;
use crate::tally::Amount;
use penstock_core::Time;
use penstock_tcp::SenderCounts;

impl Engine {
    /// The warm-up ends: restart the statistics.
    pub(super) fn on_warmup_end(&mut self, now: Time, rank: u32) {
        self.network.events.clear(rank);
        // The end of the warm-up is the first event of its instant, so departures at that instant come after it.
        self.catch_up(just_before(now));
        let Network { ports, tally, .. } = &mut self.network;
        for (port, stats) in ports.iter().zip(&mut tally.queues) {
            port.queue.settle(now, stats);
            stats.restart(now);
        }
        for port in 0..self.network.ports.len() {
            let unsent = self.network.unsent(port, now);
            self.network.tally.begin_within_packet(port, unsent);
        }
        self.network.changes.iter_mut().for_each(|changing| changing.changes.restart(now));
        let counted = |host: &mut Host| match &mut host.source {
            Source::Tcp(sender) => sender.counts(now),
            Source::Udp(source, _, before) => {
                *before = source.sent();
                SenderCounts::default()
            }
        };
        for (host, blocks) in self.hosts.iter().zip(&mut self.network.tally.blocks) {
            if let (Source::Udp(source, ..), Some(blocks)) = (&host.source, blocks) {
                blocks.restart(source.sent());
            }
        }
        let end = self.network.tally.window.end;
        let looking_ahead = self.hosts.iter_mut().filter(|host| host.lookahead_until > Time::ZERO);
        looking_ahead.for_each(|host| host.lookahead_until = end.min(host.stop));
        self.before = self.hosts.iter_mut().map(counted).collect();
        self.sessions.iter_mut().for_each(|session| session.closed = ClosedConnections::default());
    }

    /// All events before `end` have been processed. Of a packet in transmission, only the part sent by `end` counts.
    pub(super) fn cut_transmissions(&mut self, end: Time) {
        self.catch_up(just_before(end));
        for port in 0..self.network.ports.len() {
            let unsent = self.network.unsent(port, end);
            self.network.tally.end_within_packet(port, unsent);
        }
    }

    /// Bring all statistics up to the end of the run.
    pub(super) fn close(&mut self, end: Time) {
        self.catch_up(end);
        let Network { ports, tally, .. } = &mut self.network;
        ports.iter().zip(&mut tally.queues).for_each(|(port, stats)| port.queue.settle(end, stats));
        self.network.changes.iter_mut().for_each(|changing| changing.changes.settle(end));
        self.sender_series.iter_mut().flatten().for_each(|series| series.close(end));
        if let Some(trace) = &mut self.network.tally.trace {
            let owner = |host: &Host| self.sessions[host.session as usize].flows[0];
            let owners: Vec<u32> = self.hosts[self.users..].iter().map(owner).collect();
            trace.finish(end, self.users, &owners);
        }
    }

    /// Packet conservation: packets and bytes that were sent are delivered, lost, queued or in flight, and each queue's
    /// arrivals are its departures, its drops and its change of backlog. Describes the first violation.
    pub(crate) fn imbalance(&self) -> Option<String> {
        let mut found = Amount::default();
        let changing = self.network.changes.iter();
        let reordered =
            changing.filter_map(|link| link.reordered.as_ref()).flat_map(|reordered| reordered.packets.iter());
        for packet in self.network.lines.iter().chain(reordered) {
            found.add(packet);
        }
        for (port, stats) in self.network.ports.iter().zip(&self.network.tally.queues) {
            if !stats.is_conserved() {
                return Some(format!(
                    "arrivals, departures and drops of link {} do not add up",
                    port.queue.outlet.link
                ));
            }
            let (packets, bytes) = port.backlog();
            found.packets += packets;
            found.bytes += bytes;
        }
        let expected = self.network.tally.under_way;
        if found != expected {
            return Some(format!(
                "{expected:?} were sent and neither delivered nor lost, but {found:?} are in the network"
            ));
        }
        None
    }
}

/// The last instant before `time`.
fn just_before(time: Time) -> Time {
    Time::from_nanos(time.as_nanos().saturating_sub(1))
}

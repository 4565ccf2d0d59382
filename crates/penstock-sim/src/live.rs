//! A run that is watched and changed while it lasts: it advances by a time or by a number of events, shows its queues
//! and flows, and accepts another rate, delay, limit, queue or number of flows at any moment.
//!
//! A run that is neither observed nor changed ends with the same bytes as [`crate::run`], however it was cut into
//! pieces. An observed run differs only in the number of events, since its senders process no ACK ahead of time.

mod changes;
mod flows;
mod observer;

pub use observer::{LinkState, Seen, Waiting};

use crate::build;
use crate::engine::Engine;
use crate::errors::RunError;
use crate::host::Source;
use crate::link::Link;
use crate::port::Modes;
use crate::prepared::Prepared;
use crate::record::Record;
use crate::result::{self, RunResult};
use crate::scenario::{ChangeSpec, Draw, Scenario, When};
use observer::Observer;
use penstock_core::{Span, Time};
use penstock_link::ScenarioError;

/// Number of events after which the recorded events are processed, which bounds their memory.
const EVENTS_AT_ONCE: u32 = 4096;

/// A run that advances piece by piece.
pub struct LiveRun {
    scenario: Scenario,
    seed: u64,
    engine: Engine,
    now: Time,
    observer: Option<Observer>,
    /// By traffic group: the flows that send, and the flows that were stopped.
    groups: Vec<flows::Group>,
    /// Number of queues that were replaced.
    replacements: u32,
    changed: bool,
}

/// The purpose for which a live run is built.
#[derive(Clone, Copy, Debug, Default)]
pub struct LiveOptions {
    /// Its watched queues and its flows can be looked at.
    pub observed: bool,
    /// Its watched links can change.
    pub adjustable: bool,
}

impl LiveRun {
    /// A run at time 0.
    ///
    /// # Errors
    /// All errors of the scenario.
    pub fn new(mut scenario: Scenario, seed: u64, options: LiveOptions) -> Result<Self, Vec<ScenarioError>> {
        if options.adjustable {
            for link in scenario.links.iter_mut().filter(|link| link.watch) {
                // A link can change if its plan has a change; this change never comes.
                let never = ChangeSpec { when: When::AtNs(u64::MAX), rate: Some(Draw::Fixed(1.0)), delay: None };
                link.change.push(never);
            }
        }
        let record = Record { trace: options.observed, flow_facts: options.adjustable, ..Record::default() };
        let engine = build::build(&Prepared::new(&scenario), seed, &record, Modes::ALL, &())?;
        let observer = options.observed.then(|| Observer::new(scenario.links.len()));
        let groups = flows::groups(&scenario, &engine);
        Ok(Self { scenario, seed, engine, now: Time::ZERO, observer, groups, replacements: 0, changed: false })
    }

    /// Simulated time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// End of the run.
    pub fn end(&self) -> Time {
        Time::from_nanos(self.scenario.duration_ns)
    }

    /// Number of events so far.
    pub fn events(&self) -> u64 {
        self.engine.events
    }

    /// The scenario as it is run.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Process the events up to and including `until`; returns their number. The run stops just before its end, which
    /// belongs to [`LiveRun::finish`].
    pub fn advance(&mut self, until: Time) -> u64 {
        let until = until.min(self.before_end());
        let before = self.engine.events;
        loop {
            let processed = self.engine.advance(until, EVENTS_AT_ONCE);
            self.observe();
            if processed < EVENTS_AT_ONCE {
                break;
            }
        }
        self.now = self.now.max(until);
        self.engine.events - before
    }

    /// Time of the next event; `None` if nothing happens before the end.
    pub fn next_event(&mut self) -> Option<Time> {
        self.engine.next_event(self.before_end())
    }

    /// Process the next event; returns its time, or `None` if nothing happens before the end.
    pub fn step(&mut self) -> Option<Time> {
        let time = self.next_event()?;
        self.engine.advance(time, 1);
        self.engine.catch_up(time);
        self.observe();
        self.now = self.now.max(time);
        Some(time)
    }

    fn before_end(&self) -> Time {
        Time::from_nanos(self.scenario.duration_ns.saturating_sub(1))
    }

    fn observe(&mut self) {
        let (Some(observer), Some(trace)) = (&mut self.observer, &mut self.engine.network.tally.trace) else { return };
        let (hosts, sessions) = (&self.engine.hosts, &self.engine.sessions);
        let owner = |flow: u32| sessions.get(hosts[flow as usize].session as usize).map_or(flow, |of| of.flows[0]);
        trace.windows.clear();
        for row in trace.rows.drain(..) {
            observer.see(&row, owner(row.flow));
        }
    }

    /// Run to the end; the result. A run that was changed ends at its present time and has no result: its numbers
    /// belong to no scenario.
    ///
    /// # Errors
    /// Like [`crate::run`].
    pub fn finish(mut self) -> Result<Option<RunResult>, RunError> {
        if !self.changed {
            self.engine.run(self.end(), None);
        }
        if self.engine.overflowed {
            return Err(RunError::TooManyConnections(self.engine.hosts.len()));
        }
        if let Some(imbalance) = self.engine.imbalance() {
            return Err(RunError::Imbalance(imbalance));
        }
        Ok((!self.changed).then(|| result::collect(&self.scenario, self.seed, &self.engine)))
    }

    /// The observations since the last call, the oldest first; none if the run is not observed.
    pub fn take_seen(&mut self) -> Vec<Seen> {
        self.observer.as_mut().map(Observer::take).unwrap_or_default()
    }

    /// The state of the queue in front of this link, by its number in the scenario; `None` if the link is computed.
    pub fn link(&self, link: usize) -> Option<LinkState> {
        let Engine { network, .. } = &self.engine;
        let port = &network.ports[network.links.get(link)?.port()?];
        let stats = &network.tally.queues[network.links[link].port()?];
        let backlog = port.queue.discipline.backlog();
        Some(LinkState {
            packets: backlog.packets,
            bytes: backlog.bytes,
            arrivals: stats.arrivals,
            departures: stats.departures,
            marks: stats.marks,
            drops: stats.all_drops(),
            sent_bits: stats.sent_bits,
            rate: network.links[link].transmitter.rate(),
            delay: network.links[link].delay,
            rtt: port.changes().and_then(|changes| network.changes[changes].changes.info().rtt),
        })
    }

    /// The waiting packets of this link, in the order of their arrival; none if the run is not observed.
    pub fn waiting(&self, link: usize) -> &[Waiting] {
        self.observer.as_ref().map_or(&[], |observer| observer.waiting(link))
    }

    /// Departures from this link by waiting time, below 8 us in bins of 1 us, then in eight of equal width in each octave.
    pub fn delays(&self, link: usize) -> &[u32] {
        self.observer.as_ref().map_or(&[], |observer| observer.delays(link))
    }

    /// Show the state of the AQM of this link as (name, value).
    pub fn gauges(&self, link: usize, show: &mut dyn FnMut(&str, f64)) {
        if let Some(port) = self.engine.network.links.get(link).and_then(Link::port) {
            self.engine.network.ports[port].queue.discipline.gauges(show);
        }
    }

    /// The drop probability of the AQM of this link at an average queue; `None` if it is not a function of the average.
    pub fn drop_function(&self, link: usize, average: f64) -> Option<f64> {
        let port = self.engine.network.links.get(link)?.port()?;
        self.engine.network.ports[port].queue.discipline.drop_function(average)
    }

    /// The flows that send, each as its number, its traffic group and the state of its sender: window, threshold and
    /// smoothed round-trip time in seconds (NaN for values that it lacks), and the bytes that its receiver got.
    pub fn flows(&self, show: &mut dyn FnMut(u32, u32, [f64; 4])) {
        for (number, group) in (0..).zip(&self.groups) {
            for &flow in &group.active {
                let received = self.observer.as_ref().map_or(0, |observer| observer.received(flow));
                let (cwnd, ssthresh, srtt) = match &self.engine.hosts[flow as usize].source {
                    Source::Tcp(sender) => {
                        (sender.cwnd(), sender.ssthresh(), sender.srtt().map_or(f64::NAN, Span::as_secs))
                    }
                    Source::Udp(..) => (f64::NAN, f64::NAN, f64::NAN),
                };
                show(flow, number, [cwnd, ssthresh, srtt, received as f64]);
            }
        }
    }
}

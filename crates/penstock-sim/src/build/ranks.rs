//! Ranks of the sources of events.

use crate::event::EventSource;
use crate::plan::Plan;
use crate::scenario::Scenario;

/// All sources of events by rank: class by class, and by number within each class.
pub(super) struct Ranks {
    pub(super) sources: Vec<EventSource>,
    /// Rank of the first flow, and number of flows.
    flows: (u32, u32),
}

impl Ranks {
    /// `immediate` gives, for each group, whether its receivers acknowledge every packet immediately.
    pub(super) fn new(scenario: &Scenario, plan: &Plan, immediate: &[bool]) -> Self {
        let count = |selected: &mut dyn Iterator<Item = bool>| selected.filter(|&is| is).count() as u32;
        let changes = count(&mut scenario.links.iter().map(|link| !link.is_steady()));
        let ports = count(&mut plan.computed.iter().map(|&computed| !computed));
        let lines = count(&mut plan.has_line.iter().copied());
        let flows = 0..plan.routes.flows.len() as u32;
        let delays_acks = |flow: &u32| {
            let group = plan.routes.flows[*flow as usize].group;
            scenario.traffic[group].tcp.is_some() && !immediate[group]
        };
        let changing = scenario.links.iter().filter(|link| !link.is_steady());
        let reordering = (0..).zip(changing).filter(|(_, link)| link.reorders()).map(|(number, _)| number);
        let mut sources = vec![EventSource::WarmupEnd];
        sources.extend((0..changes).map(EventSource::LinkChange));
        sources.extend((0..ports).map(EventSource::Transmission));
        sources.extend((0..lines).map(EventSource::Arrival));
        sources.extend(reordering.map(EventSource::ReorderedArrival));
        sources.extend((0..ports).map(EventSource::QueueTimer));
        sources.extend(flows.clone().filter(delays_acks).map(EventSource::ReceiverTimer));
        let first_flow = sources.len() as u32;
        sources.extend(flows.map(EventSource::Sender));
        sources.extend((0..plan.routes.sessions.len() as u32).map(EventSource::Session));
        let flows = (first_flow, plan.routes.flows.len() as u32);
        Self { sources, flows }
    }

    /// The rank of this source, which must exist.
    pub(super) fn of(&self, source: EventSource) -> u32 {
        self.find(source).unwrap_or_else(|| unreachable!("{source:?} has no rank"))
    }

    /// The rank of the first source of its class. For an empty class, the rank that its first source would have.
    pub(super) fn first(&self, source: EventSource) -> u32 {
        self.sources.partition_point(|earlier| *earlier < source) as u32
    }

    /// The rank of this source, if it exists.
    pub(super) fn find(&self, source: EventSource) -> Option<u32> {
        let (first_flow, flows) = self.flows;
        match source {
            EventSource::Sender(flow) => (flow < flows).then_some(first_flow + flow),
            source => self.sources.binary_search(&source).ok().map(|rank| rank as u32),
        }
    }
}

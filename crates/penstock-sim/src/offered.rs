//! Parameters and sources of the traffic groups: TCP parameters, recorded packets, sources of datagrams.

use crate::probe::blocks::Blocks;
use crate::probe::frames::Frames;
use crate::probe::one_way::OneWayDelays;
use crate::scenario::{Scenario, TrafficSpec, settings};
use crate::traffic::emitter::{Clock, Emitter};
use crate::traffic::paced::Paced;
use crate::traffic::replay::{self, Recorded, Replay};
use crate::traffic::video::Video;
use penstock_core::{Bytes, Rng};
use penstock_link::ScenarioError;
use penstock_tcp::{Profile, TcpParams};
use std::sync::Arc;

/// Size of the largest Ethernet packet, in bytes.
const ETHERNET: u64 = 1500;

/// TCP parameters and recorded packets of the traffic groups, by group. A copy shares them.
#[derive(Clone)]
pub(crate) struct Offered {
    pub(crate) tcps: Vec<Option<Arc<TcpParams>>>,
    recordings: Vec<Option<Arc<[Recorded]>>>,
}

impl Offered {
    /// Reads the parameters and recorded packets of all groups. Errors go to `errors`.
    pub(crate) fn new(scenario: &Scenario, errors: &mut Vec<ScenarioError>) -> Self {
        Self { tcps: tcp_params(scenario, errors), recordings: recordings(scenario, errors) }
    }

    /// Size on the wire of the largest TCP packet, but at least that of the largest Ethernet packet.
    pub(crate) fn mtu(&self) -> Bytes {
        let sizes = self.tcps.iter().flatten().map(|tcp| tcp.packet.0 + tcp.headers.0);
        Bytes(sizes.fold(ETHERNET, u64::max))
    }

    /// For each group: whether its receivers acknowledge every packet immediately.
    pub(crate) fn immediate_acks(&self) -> Vec<bool> {
        self.tcps.iter().map(|params| params.as_ref().is_some_and(|params| !params.delays_acks())).collect()
    }

    /// The source of a datagram flow of the group with this number.
    pub(crate) fn emitter(&self, number: usize, group: &TrafficSpec, rng: Rng) -> Emitter {
        let clock = match (&group.udp, &group.video, &group.replay, &self.recordings[number]) {
            (Some(spec), ..) => Clock::Paced(Paced::new(group, spec, rng)),
            (_, Some(spec), ..) => Clock::Video(Box::new(Video::new(spec, rng))),
            (_, _, Some(spec), Some(packets)) => Clock::Replay(Replay::new(Arc::clone(packets), spec.headers)),
            _ => unreachable!("the scenario was checked"),
        };
        Emitter::new(clock, group.ecn, group.dscp)
    }
}

fn tcp_params(scenario: &Scenario, errors: &mut Vec<ScenarioError>) -> Vec<Option<Arc<TcpParams>>> {
    let mut of = |group: &TrafficSpec| {
        let spec = group.tcp.as_ref()?;
        let mut settings = settings(&spec.settings);
        settings.push(("flavour".to_owned(), penstock_core::param::Value::Text(spec.flavour.clone())));
        let Some(profile) = Profile::from_name(&spec.profile) else {
            let names = Profile::ALL.map(Profile::word).join(", ");
            let message = format!("unknown profile {:?}: expected one of {names}", spec.profile);
            errors.push(ScenarioError::new(&format!("traffic.{}.profile", group.name), message));
            return None;
        };
        match TcpParams::from_settings(profile, &settings) {
            Ok(params) => Some(Arc::new(params)),
            Err(refused) => {
                errors.extend(
                    refused
                        .into_iter()
                        .map(|error| ScenarioError::parameter(&format!("traffic.{}", group.name), error)),
                );
                None
            }
        }
    };
    scenario.traffic.iter().map(&mut of).collect()
}

/// The recorded packets that groups replay.
fn recordings(scenario: &Scenario, errors: &mut Vec<ScenarioError>) -> Vec<Option<Arc<[Recorded]>>> {
    let mut of = |group: &TrafficSpec| {
        let file = &group.replay.as_ref()?.file;
        replay::read(file)
            .map_err(|message| errors.push(ScenarioError::new(&format!("traffic.{}.file", group.name), message)))
            .ok()
    };
    scenario.traffic.iter().map(&mut of).collect()
}

/// Accumulators for the one-way delays of datagrams and of measured TCP flows, one per group; `groups` gives the group
/// of each flow.
pub(crate) fn one_way_delays(scenario: &Scenario, groups: impl Iterator<Item = usize>) -> Vec<Option<OneWayDelays>> {
    let mut counts = vec![0; scenario.traffic.len()];
    groups.for_each(|group| counts[group] += 1);
    let mut first = 0;
    let of = |(group, count): (&TrafficSpec, usize)| {
        // Sessions use flows of any number.
        let (base, flows) = if group.opens() { (0, 0) } else { (first, count) };
        let delays = (group.tcp.is_none() || group.delays).then(|| OneWayDelays::new(base, flows));
        first += count as u32;
        delays
    };
    scenario.traffic.iter().zip(counts).map(of).collect()
}

/// Whether any group is a video.
pub(crate) fn has_video(scenario: &Scenario) -> bool {
    scenario.traffic.iter().any(|group| group.video.is_some())
}

/// Accumulators for the video frames of each flow; empty if no group is a video. `groups` gives the group of each flow.
pub(crate) fn frames(scenario: &Scenario, groups: impl Iterator<Item = usize>) -> Vec<Frames> {
    let dependence = |group: usize| scenario.traffic[group].video.as_ref().is_some_and(|video| video.dependence);
    if has_video(scenario) { groups.map(|group| Frames::new(dependence(group))).collect() } else { Vec::new() }
}

/// Accumulators for the blocks of forward error correction of each flow; empty if no group has any. `groups` gives the
/// group of each flow.
pub(crate) fn blocks(scenario: &Scenario, groups: impl Iterator<Item = usize>) -> Vec<Option<Box<Blocks>>> {
    if scenario.traffic.iter().all(|group| group.fec.is_none()) {
        return Vec::new();
    }
    groups.map(|group| scenario.traffic[group].fec.map(|fec| Box::new(Blocks::new(fec.k, fec.h)))).collect()
}

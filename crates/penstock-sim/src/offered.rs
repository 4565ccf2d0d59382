//! What the groups of traffic offer: the keys of their TCPs, what they replay, the sources of their datagrams.

use crate::Fault;
use crate::probe::blocks::Blocks;
use crate::probe::frames::Frames;
use crate::scenario::{Scenario, TrafficSpec, values};
use crate::traffic::datagrams::Datagrams;
use crate::traffic::emitter::{Clock, Emitter};
use crate::traffic::replay::{self, Recorded, Replay};
use crate::traffic::video::Video;
use penstock_core::{Bytes, Rng};
use penstock_tcp::{Profile, TcpParams};
use std::sync::Arc;

/// Bytes of the largest packet of an Ethernet.
const ETHERNET: u64 = 1500;

/// The keys of a TCP and the recorded packets of each group of traffic, by its number.
pub(crate) struct Offered {
    pub(crate) tcps: Vec<Option<Arc<TcpParams>>>,
    recordings: Vec<Option<Arc<[Recorded]>>>,
}

impl Offered {
    /// What the groups need; what is wrong with it goes to `faults`.
    pub(crate) fn new(scenario: &Scenario, faults: &mut Vec<Fault>) -> Self {
        Self { tcps: tcp_params(scenario, faults), recordings: recordings(scenario, faults) }
    }

    /// The largest packet of its TCPs on the wire, and not less than that of an Ethernet.
    pub(crate) fn mtu(&self) -> Bytes {
        let sizes = self.tcps.iter().flatten().map(|tcp| tcp.packet.0 + tcp.headers.0);
        Bytes(sizes.fold(ETHERNET, u64::max))
    }

    /// What sends the datagrams of a flow of the group of this number.
    pub(crate) fn emitter(&self, number: usize, group: &TrafficSpec, rng: Rng) -> Emitter {
        let clock = match (&group.udp, &group.video, &group.replay, &self.recordings[number]) {
            (Some(spec), ..) => Clock::Datagrams(Datagrams::new(group, spec, rng)),
            (_, Some(spec), ..) => Clock::Video(Box::new(Video::new(spec, rng))),
            (_, _, Some(spec), Some(packets)) => Clock::Replay(Replay::new(Arc::clone(packets), spec.headers)),
            _ => unreachable!("the scenario was checked"),
        };
        Emitter::new(clock, group.ecn)
    }
}

fn tcp_params(scenario: &Scenario, faults: &mut Vec<Fault>) -> Vec<Option<Arc<TcpParams>>> {
    let mut of = |group: &TrafficSpec| {
        let spec = group.tcp.as_ref()?;
        let mut settings = values(&spec.settings, &mut |_| Vec::new());
        settings.push(("flavour".to_owned(), penstock_core::param::Value::Text(spec.flavour.clone())));
        let Some(profile) = Profile::from_name(&spec.profile) else {
            let names = Profile::ALL.map(Profile::word).join(", ");
            let message = format!("{:?} is no profile: there are {names}", spec.profile);
            faults.push(Fault::new(&format!("traffic.{}.profile", group.name), message));
            return None;
        };
        match TcpParams::from_settings(profile, &settings) {
            Ok(params) => Some(Arc::new(params)),
            Err(errors) => {
                faults.extend(
                    errors.into_iter().map(|error| Fault::parameter(&format!("traffic.{}", group.name), error)),
                );
                None
            }
        }
    };
    scenario.traffic.iter().map(&mut of).collect()
}

/// The packets that groups replay.
fn recordings(scenario: &Scenario, faults: &mut Vec<Fault>) -> Vec<Option<Arc<[Recorded]>>> {
    let mut of = |group: &TrafficSpec| {
        let file = &group.replay.as_ref()?.file;
        replay::read(file)
            .map_err(|message| faults.push(Fault::new(&format!("traffic.{}.file", group.name), message)))
            .ok()
    };
    scenario.traffic.iter().map(&mut of).collect()
}

/// Whether any group has frames.
pub(crate) fn has_video(scenario: &Scenario) -> bool {
    scenario.traffic.iter().any(|group| group.video.is_some())
}

/// The frames of each flow, whose groups these are; empty if no group has any.
pub(crate) fn frames(scenario: &Scenario, groups: impl Iterator<Item = usize>) -> Vec<Frames> {
    let dependence = |group: usize| scenario.traffic[group].video.as_ref().is_some_and(|video| video.dependence);
    if has_video(scenario) { groups.map(|group| Frames::new(dependence(group))).collect() } else { Vec::new() }
}

/// The blocks of each flow with forward error correction, whose groups these are; empty if no group has any.
pub(crate) fn blocks(scenario: &Scenario, groups: impl Iterator<Item = usize>) -> Vec<Option<Box<Blocks>>> {
    if scenario.traffic.iter().all(|group| group.fec.is_none()) {
        return Vec::new();
    }
    groups.map(|group| scenario.traffic[group].fec.map(|fec| Box::new(Blocks::new(fec.k, fec.h)))).collect()
}

//! A packet simulator for router queue management.
//!
//! Time is in integer nanoseconds, events are totally ordered, every part of a run draws from its own named random
//! stream: the same scenario and seed give the same bits on any machine. [`run`] is the way in; a [`Scenario`] is in
//! canonical form, without units.

mod ahead;
mod build;
mod change;
mod classes;
mod connections;
mod engine;
mod event;
mod faults;
mod laws;
mod line;
mod link;
mod loss;
mod network;
mod offered;
mod opportunities;
mod overtaken;
mod packet;
pub mod pcap;
mod plan;
mod probe;
mod result;
mod route;
pub mod scenario;
mod tally;
pub mod trace;
mod traffic;

pub use faults::{Fault, RunError};
pub use laws::Laws;
pub use packet::Kind;
use pcap::Capture;
pub use result::RunResult;
pub use scenario::Scenario;
use trace::Trace;

/// Run a scenario with one seed.
///
/// # Errors
///
/// [`RunError::Faults`] with everything that is wrong with the scenario; [`RunError::Imbalance`] if packets or bytes did
/// not add up at the end, which is a defect of the simulator.
pub fn run(scenario: &Scenario, seed: u64) -> Result<RunResult, RunError> {
    run_with(scenario, seed, &())
}

/// Run a scenario with one seed, with laws of one's own beside those of the registry.
///
/// # Errors
///
/// As [`run`].
pub fn run_with(scenario: &Scenario, seed: u64, laws: &dyn Laws) -> Result<RunResult, RunError> {
    run_kept_with(scenario, seed, &Wanted::default(), laws).map(|(result, _)| result)
}

/// Run a scenario with one seed and keep every packet event at the watched queues and hosts.
///
/// # Errors
///
/// As [`run`].
pub fn run_traced(scenario: &Scenario, seed: u64) -> Result<(RunResult, Trace), RunError> {
    let wanted = Wanted { trace: true, ..Wanted::default() };
    run_kept_with(scenario, seed, &wanted, &()).map(|(result, kept)| (result, kept.trace.unwrap_or_default()))
}

/// What to keep of a run beside its result.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Every packet event at the watched queues and hosts.
    pub trace: bool,
    /// The packets that cross these links, by their numbers in the scenario.
    pub captured: Vec<u32>,
}

/// What was kept of a run beside its result: as much as was wanted.
#[derive(Default)]
pub struct Kept {
    /// Packet events.
    pub trace: Option<Trace>,
    /// Packets that crossed links.
    pub capture: Option<Capture>,
}

/// Run a scenario with one seed, with laws of one's own beside those of the registry, and keep what is wanted.
///
/// # Errors
///
/// As [`run`].
pub fn run_kept_with(
    scenario: &Scenario,
    seed: u64,
    wanted: &Wanted,
    laws: &dyn Laws,
) -> Result<(RunResult, Kept), RunError> {
    let mut engine = build::build(scenario, seed, wanted, laws).map_err(RunError::Faults)?;
    engine.run(penstock_core::Time::from_nanos(scenario.duration_ns));
    if engine.overflowed {
        return Err(RunError::Crowded(engine.hosts.len()));
    }
    if let Some(imbalance) = engine.imbalance() {
        return Err(RunError::Imbalance(imbalance));
    }
    let result = result::tell(scenario, seed, &engine);
    let tally = &mut engine.network.tally;
    let kept = Kept { trace: tally.trace.take().map(|trace| *trace), capture: tally.capture.take().map(|kept| *kept) };
    Ok((result, kept))
}

/// All that is wrong with a scenario, nothing if it can be run with this seed.
pub fn check(scenario: &Scenario, seed: u64) -> Vec<Fault> {
    check_with(scenario, seed, &())
}

/// As [`check`], with laws of one's own beside those of the registry.
pub fn check_with(scenario: &Scenario, seed: u64, laws: &dyn Laws) -> Vec<Fault> {
    build::build(scenario, seed, &Wanted::default(), laws).err().unwrap_or_default()
}

//! A packet simulator for router queue management.
//!
//! Time is in integer nanoseconds, events are totally ordered, every part of a run draws from its own named random
//! stream: the same scenario and seed give the same bits on any machine. [`run`] is the way in; a [`Scenario`] is in
//! canonical form, without units.

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
mod opportunities;
mod packet;
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
    carry_out(scenario, seed, false, laws).map(|(result, _)| result)
}

/// Run a scenario with one seed and keep every packet event at the watched queues and hosts.
///
/// # Errors
///
/// As [`run`].
pub fn run_traced(scenario: &Scenario, seed: u64) -> Result<(RunResult, Trace), RunError> {
    run_traced_with(scenario, seed, &())
}

/// As [`run_traced`], with laws of one's own beside those of the registry.
///
/// # Errors
///
/// As [`run`].
pub fn run_traced_with(scenario: &Scenario, seed: u64, laws: &dyn Laws) -> Result<(RunResult, Trace), RunError> {
    carry_out(scenario, seed, true, laws).map(|(result, trace)| (result, trace.unwrap_or_default()))
}

fn carry_out(
    scenario: &Scenario,
    seed: u64,
    traced: bool,
    laws: &dyn Laws,
) -> Result<(RunResult, Option<Trace>), RunError> {
    let mut engine = build::build(scenario, seed, traced, laws).map_err(RunError::Faults)?;
    engine.run(penstock_core::Time::from_nanos(scenario.duration_ns));
    if engine.overflowed {
        return Err(RunError::Crowded(engine.hosts.len()));
    }
    if let Some(imbalance) = engine.imbalance() {
        return Err(RunError::Imbalance(imbalance));
    }
    let result = result::tell(scenario, seed, &engine);
    Ok((result, engine.network.tally.trace.take().map(|trace| *trace)))
}

/// All that is wrong with a scenario, nothing if it can be run with this seed.
pub fn check(scenario: &Scenario, seed: u64) -> Vec<Fault> {
    check_with(scenario, seed, &())
}

/// As [`check`], with laws of one's own beside those of the registry.
pub fn check_with(scenario: &Scenario, seed: u64, laws: &dyn Laws) -> Vec<Fault> {
    build::build(scenario, seed, false, laws).err().unwrap_or_default()
}

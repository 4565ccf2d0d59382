//! A packet simulator for router queue management.
//!
//! Time is in integer nanoseconds, events are totally ordered, and every part of a run draws from its own named random
//! stream: the same scenario and seed give the same bits on any machine. [`run`] is the entry point; a [`Scenario`] is in
//! canonical form, without units.

mod build;
mod changing_link;
mod classes;
mod delay_lines;
mod engine;
mod errors;
mod event;
mod event_queue;
mod flow;
mod graph;
mod host;
mod link;
pub mod live;
mod lookahead;
mod meaning;
mod name_hash;
mod network;
mod offered;
mod packet;
pub mod pcap;
mod plan;
mod port;
mod prepared;
mod probe;
mod real_emission;
mod real_network;
mod record;
mod result;
mod route_search;
mod routes;
pub mod scenario;
mod session;
mod tally;
pub mod trace;
mod traffic;

pub use errors::RunError;
pub use meaning::MEANING;
pub use packet::Kind;
use penstock_core::Time;
pub use penstock_link::{AqmFactory, ScenarioError};
pub use port::Modes;
pub use prepared::Prepared;
pub use real_emission::{Connection, ConnectionSource, Emission, EmissionSource, EmittedDatagram, emissions};
pub use real_network::real_network;
pub use record::{Record, Recordings};
pub use result::RunResult;
pub use scenario::Scenario;
use std::sync::atomic::AtomicBool;
use trace::Trace;

/// Run a scenario with one seed.
///
/// # Errors
///
/// [`RunError::Scenario`] with all errors of the scenario; [`RunError::TooManyConnections`] if sessions opened more
/// connections than the event queue has room for; [`RunError::Imbalance`] if packets or bytes were not conserved, which is
/// a defect of the simulator.
pub fn run(scenario: &Scenario, seed: u64) -> Result<RunResult, RunError> {
    run_with(scenario, seed, &RunOptions::default()).map(|(result, _)| result)
}

/// Run a scenario with one seed and record every packet event at the watched queues and hosts.
///
/// # Errors
///
/// Like [`run`].
pub fn run_traced(scenario: &Scenario, seed: u64) -> Result<(RunResult, Trace), RunError> {
    let record = Record { trace: true, ..Record::default() };
    let options = RunOptions { record, ..RunOptions::default() };
    run_with(scenario, seed, &options).map(|(result, recordings)| (result, recordings.trace.unwrap_or_default()))
}

/// Options of a run that change no result.
pub struct RunOptions<'a> {
    /// AQMs in addition to those of the registry.
    pub aqms: &'a dyn AqmFactory,
    /// Recordings to make.
    pub record: Record,
    /// The modes that ports may use; all give the same results.
    pub modes: Modes,
    /// When another thread sets it, the run stops within some thousand events.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        Self { aqms: &(), record: Record::default(), modes: Modes::ALL, stop: None }
    }
}

/// Run a scenario with one seed and these options.
///
/// # Errors
///
/// The errors of [`run`], and [`RunError::Stopped`].
pub fn run_with(scenario: &Scenario, seed: u64, options: &RunOptions<'_>) -> Result<(RunResult, Recordings), RunError> {
    run_prepared(&Prepared::new(scenario), seed, options)
}

/// The same for one of many runs of a scenario, which share everything that does not depend on the seed.
///
/// # Errors
///
/// The errors of [`run`], and [`RunError::Stopped`].
pub fn run_prepared(
    prepared: &Prepared<'_>,
    seed: u64,
    options: &RunOptions<'_>,
) -> Result<(RunResult, Recordings), RunError> {
    let scenario = prepared.scenario;
    let mut engine =
        build::build(prepared, seed, &options.record, options.modes, options.aqms).map_err(RunError::Scenario)?;
    if engine.run(Time::from_nanos(scenario.duration_ns), options.stop) {
        return Err(RunError::Stopped);
    }
    if engine.overflowed {
        return Err(RunError::TooManyConnections(engine.hosts.len()));
    }
    if let Some(imbalance) = engine.imbalance() {
        return Err(RunError::Imbalance(imbalance));
    }
    let result = result::collect(scenario, seed, &engine);
    let tally = &mut engine.network.tally;
    let (trace, capture) = (tally.trace.take().map(|trace| *trace), tally.capture.take().map(|capture| *capture));
    Ok((result, Recordings { trace, capture }))
}

/// All errors of a scenario; empty if it can be run with this seed. `aqms` are the AQMs in addition to the registry.
pub fn check(scenario: &Scenario, seed: u64, aqms: &dyn AqmFactory) -> Vec<ScenarioError> {
    build::check(scenario, seed, aqms)
}

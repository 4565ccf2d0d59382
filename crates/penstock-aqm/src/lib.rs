//! Queue disciplines and the AQMs that guard them, each implemented once, from the literature.
//!
//! An *AQM* ([`Aqm`]) decides about one packet from the facts passed to it. A *discipline* ([`Discipline`]) holds the
//! packets, tests the limit, sets marks and reports each packet's fate. The simulator and a real link use the same
//! disciplines and AQMs. The registry ([`schemes`], [`find`], [`build`]) knows all of them by name.
#![cfg_attr(not(test), no_std)]

extern crate alloc;
#[cfg(test)]
extern crate self as penstock_aqm;

pub mod algorithm;
mod aqm;
mod capabilities;
mod class_settings;
pub mod discipline;
pub mod edge;
mod id_table;
mod list;
mod per_flow;
mod periodic_timer;
mod registry;
#[cfg(test)]
#[path = "../tests/integration/rig/mod.rs"]
mod rig;
mod scheme;
mod tokens;

pub use aqm::{Aqm, Backlog, Cause, Cx, Departing, LinkInfo, Verdict};
pub use capabilities::{Capabilities, Judges, SideInformation, TimerMoves};
pub use discipline::fifo::Fifo;
pub use discipline::{Discipline, Env, Facts, FactsAtArrival, MAX_DROPS, Next, Probe, Report};
pub use id_table::{FlowKey, IdTable, Key, Lookup};
pub use per_flow::MAX_FLOWS;
pub use registry::{build, build_aqm, build_stage, conditioners, find, find_conditioner, schemes, shapers};
pub use scheme::{AqmScheme, BuildAqm, BuildNamedAqm, Picture, Scheme, SchemeInfo, Site};

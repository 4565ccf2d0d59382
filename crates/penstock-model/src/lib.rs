//! The theory to compare simulations with: closed forms, and design rules for the parameters of AQMs, one per file.
//!
//! All are pure functions of plain numbers: times in seconds, capacities in packets per second, lengths in packets.
//! They serve the AQMs' automatic parameters, so they use the same mathematics and give the same bits everywhere. The
//! documentation of each argument states its range. Outside it a form returns NaN or a meaningless number; the Python
//! functions refuse such arguments.
//!
//! * How TCP answers: [`sqrt_law`], [`padhye`], [`cubic_response`], [`dctcp_response`].
//! * Queues: [`queue_law`] under TCP; [`mm1`], [`mg1`], [`erlang`] under random arrivals; [`gps`] under a fair
//!   scheduler.
//! * What users feel: a call by the [`e_model`], the [`outcome`] for an application, [`responsiveness`] under load.
//! * Losses and codes: [`batch_losses`], [`red_spacing`].
//! * Design: [`avq_design`], [`blue_design`], [`lred_design`], [`p_design`], [`pi_design`], [`pie_design`],
//!   [`psand_design`], [`red_thresholds`], [`red_weight`], [`redopt_design`], [`sfc_design`].
//!
//! * The fluid model of the loop of TCP and an AQM: [`fluid`], on delay differential equations ([`dde`]), the
//!   [`margins`] of a loop with a delay, and [`complex`] numbers.
//!
//! "Thesis" is T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis,
//! Université Montpellier II, 2004.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod avq_design;
pub mod batch_losses;
mod bisection;
pub mod blue_design;
pub mod complex;
pub mod cubic_response;
pub mod dctcp_response;
pub mod dde;
pub mod e_model;
pub mod erlang;
pub mod fluid;
pub mod gps;
pub mod lred_design;
pub mod margins;
pub mod mg1;
pub mod mm1;
pub mod outcome;
pub mod p_design;
pub mod padhye;
pub mod pi_design;
pub mod pie_design;
pub mod plant;
pub mod psand_design;
pub mod queue_law;
pub mod red_spacing;
pub mod red_thresholds;
pub mod red_weight;
pub mod redopt_design;
pub mod responsiveness;
pub mod sfc_design;
pub mod sqrt_law;

pub use plant::Plant;

//! Design rules: what the literature says about choosing a law's parameters, one family of rules in one file.
//!
//! All are pure functions of plain numbers: times in seconds, capacities in packets per second, lengths in packets.
//! They serve the laws' automatic parameters, so they use the same mathematics and give the same bits everywhere.
//!
//! "Thesis" is T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis,
//! Université Montpellier II, 2004.
#![cfg_attr(not(test), no_std)]

pub mod avq_design;
pub mod lred_design;
pub mod p_design;
pub mod pi_design;
pub mod plant;
pub mod red_spacing;
pub mod red_weight;
mod root;
pub mod sfc_design;

pub use plant::Plant;

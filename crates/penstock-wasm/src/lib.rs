//! The simulator for a page: several runs, each stepped, drawn and changed through plain functions on numbers.
//!
//! A page writes texts into the module's input, calls a function of `exports.rs`, and reads flat arrays of 64-bit floats, or a
//! text, from the module's memory. Pointers are valid until the next call.

mod bench;
mod exports;
mod views;

pub use bench::{Bench, Failure};

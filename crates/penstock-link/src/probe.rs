//! Statistics of a queue. They do not affect it.

pub mod bursts;
pub mod codepoints;
pub mod distribution;
pub mod histogram;
pub mod queue;
pub mod series;
mod ticks;

//! Statistics kept during a run. They do not affect it.

pub(crate) mod blocks;
pub(crate) mod bursts;
pub(crate) mod codepoints;
pub(crate) mod distribution;
pub(crate) mod flow;
pub(crate) mod frames;
pub(crate) mod histogram;
pub(crate) mod one_way;
pub(crate) mod queue;
pub(crate) mod sender;
pub(crate) mod series;

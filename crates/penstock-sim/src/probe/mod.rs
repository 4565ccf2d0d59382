//! Statistics kept during a run. They do not affect it.

pub(crate) mod blocks;
pub(crate) mod flow;
pub(crate) mod frames;
pub(crate) mod one_way;
pub(crate) mod responsiveness;
pub(crate) mod sender;

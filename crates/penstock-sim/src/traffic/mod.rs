//! What decides when and how much data is offered.

pub(crate) mod datagrams;

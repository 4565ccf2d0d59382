//! What decides when and how much data is offered.

pub(crate) mod datagrams;
pub(crate) mod session;
pub(crate) mod web;

//! What decides when and how much data is offered.

pub(crate) mod datagrams;
pub(crate) mod emitter;
pub(crate) mod incast;
pub(crate) mod replay;
pub(crate) mod session;
pub(crate) mod video;
pub(crate) mod web;

//! Sources of traffic: when data is offered, and how much.

pub(crate) mod behaviour;
pub(crate) mod datagram;
pub(crate) mod emitter;
pub(crate) mod incast;
pub(crate) mod opening;
pub(crate) mod paced;
pub(crate) mod replay;
pub(crate) mod transfers;
pub(crate) mod video;
pub(crate) mod web;

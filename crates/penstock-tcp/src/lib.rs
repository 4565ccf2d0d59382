//! TCP senders and receivers: Tahoe, Reno, NewReno, SACK, Vegas, CUBIC, DCTCP, Prague, BBR and LEDBAT, written from the papers and RFCs.
//!
//! Everything counts in packets of one fixed payload: a [`Segment`] is number 0, 1, 2, ... of its flow. A [`Sender`]
//! reacts to acknowledgements and to its timer and hands segments to a [`Network`]; a [`Receiver`] answers segments with
//! acknowledgements. Neither reads a clock nor knows the network between them.
//!
//! The laws share `state`, `rtt` and `runs`; congestion control lies in `cc`, one law per file, and `recovery` holds the
//! decisions in which ns-2 and the RFCs differ.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod cc;
mod counts;
mod flight;
mod pacer;
mod params;
mod rate_sample;
mod receiver;
mod recovery;
mod rtt;
mod runs;
mod sack_compression;
mod scoreboard;
mod sender;
mod state;
mod ticks;
mod wire;

pub use counts::SenderCounts;
pub use params::{ClockPhase, Counting, DelayedAck, Flavour, Halving, Hystart, Profile, RtoFloor, Ssthresh, TcpParams};
pub use receiver::Receiver;
pub use recovery::RecoveryRules;
pub use sender::Sender;
pub use wire::{Ack, Network, ReceiverAck, SackBlock, SackBlocks, Segment};

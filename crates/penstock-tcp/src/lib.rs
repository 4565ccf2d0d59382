//! TCP senders and receivers: Tahoe, Reno, NewReno, SACK, Vegas, CUBIC, DCTCP, Prague, BBR (versions 1 and 3)
//! and LEDBAT, written from the papers and RFCs.
//!
//! Sequence numbers and windows count packets of one fixed payload; the [`Segment`]s of a flow have the numbers 0, 1,
//! 2, ... A [`Sender`] reacts to ACKs and to its timer, and hands segments to a [`PacketSink`]; a [`Receiver`] answers
//! segments with ACKs. Sender and receiver read no clock and do not know the network between them.
//!
//! The congestion controls share `state`, `rtt` and `packet_ranges`. Each congestion control is one file in `cc`;
//! `recovery` holds the decisions in which ns-2 and the RFCs differ.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod cc;
mod gro;
mod kernel_ticks;
mod pacer;
mod packet_ranges;
mod packets_and_acks;
mod params;
mod rack_scoreboard;
mod rate_sample;
mod receiver;
mod recovery;
mod reordering_window;
mod rtt;
mod sack_compression;
mod sack_scoreboard;
mod sender;
mod sender_counts;
mod state;
mod trains;

pub use packets_and_acks::{Ack, PacketSink, ReceiverAck, SackBlock, SackBlocks, Segment};
pub use params::{
    ClockPhase, Counting, DelayedAck, FLAVOUR_DEFAULTS, Flavour, Halving, Hystart, Profile, RateReduction, RtoFloor,
    Ssthresh, TcpParams, Write, Writes,
};
pub use receiver::{Receiver, RegularAnswer};
pub use recovery::RecoveryRules;
pub use sender::Sender;
pub use sender_counts::SenderCounts;
pub use state::CompletedWrite;

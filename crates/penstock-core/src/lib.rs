//! The vocabulary of penstock: time, units, packets, random streams and the mathematics of the laws.
//!
//! Everything here is plain data or a pure function. The crate is `no_std`: neither the clock nor the platform's
//! mathematics compile in it, so what is built on it gives the same bits on every machine.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod dscp;
pub mod hash;
pub mod math;
pub mod packet;
pub mod param;
pub mod rng;
pub mod time;
pub mod units;

pub use dscp::Dscp;
pub use packet::{Ecn, Packet, PacketMeta, Rare};
pub use rng::Rng;
pub use time::{Span, Time};
pub use units::{Bytes, Limit, Packets, Rate};

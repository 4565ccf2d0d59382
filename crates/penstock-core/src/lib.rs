//! The vocabulary of penstock: time, units, packets, random streams and the mathematics of the laws.
//!
//! Everything here is plain data or a pure function. The crate is `no_std`, so neither the system clock nor the platform's
//! mathematical functions are available, and results are bit-identical on every machine.
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

//! The basic types of penstock: time, units, packets, random streams and the mathematics of the AQMs.
//!
//! Everything here is plain data or a pure function. The crate is `no_std`, so neither the system clock nor the platform's
//! mathematical functions are available, and results are bit-identical on every machine.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod dscp;
pub mod framing;
pub mod hash;
pub mod math;
pub mod normal;
pub mod packet;
pub mod param;
pub mod pure_ack;
pub mod rng;
pub mod time;
pub mod units;

pub use dscp::Dscp;
pub use framing::{Cells, Framing};
pub use packet::{Ecn, Packet, PacketMeta, Rare};
pub use pure_ack::PureAck;
pub use rng::Rng;
pub use time::{Span, Time};
pub use units::{Bytes, Limit, Packets, Rate, SignedBytes};

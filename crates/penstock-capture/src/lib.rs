//! A reader of packet captures.
//!
//! [`Reader`] yields one [`Packet`] per IP packet of a file and reads the file as a stream. Its layers, from the file up:
//!
//! * `input`: regular files, decompressed if they begin with the magic number of gzip or zstd;
//! * `container`: frames with their times, from pcap or pcapng;
//! * `link_layer`: the place of the IP packet in a frame;
//! * `ip`: the fields of IP, TCP and UDP headers.
//!
//! [`Load`] is a capture as an offered load: packet sizes and the times between packets, in order of time, with
//! super-frames split into segments. [`Columns`] has the header fields of all packets in order of time.

mod columns;
mod container;
mod duplicates;
mod input;
mod ip;
mod link_layer;
mod load;
mod packet;
mod reader;
mod summary;
mod super_frames;
mod tcp_options;
#[cfg(test)]
mod testing;

pub use columns::Columns;
pub use load::Load;
pub use packet::{Headers, LoadPacket, Packet, Tcp, TcpFlags, TcpOptions, Transport};
pub use reader::Reader;
pub use summary::Summary;

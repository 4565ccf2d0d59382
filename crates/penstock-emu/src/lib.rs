//! The queue disciplines of penstock on a real link: packets of real hosts instead of simulated ones.
//!
//! A [`Network`] carries packets over the links of a scenario, with the code that the simulator uses and a clock that its
//! caller owns. [`ip`] reads what a discipline needs from the header of an IP packet, and writes marks and codepoints back
//! into it. On Linux, a [`Session`] drives a network between devices: [`device`] exchanges packets with the kernel,
//! [`namespace`] holds the hosts' network namespaces, and [`scheduling`] lets a thread wake up on time. [`senders`] send real
//! traffic from host to host.

mod capture;
#[cfg(target_os = "linux")]
pub mod device;
mod errors;
mod flow_table;
mod frame;
pub mod ip;
#[cfg(target_os = "linux")]
mod lateness;
#[cfg(target_os = "linux")]
pub mod namespace;
#[cfg(target_os = "linux")]
mod netlink;
mod network;
mod port;
#[cfg(target_os = "linux")]
mod pump;
mod result;
mod routes;
#[cfg(target_os = "linux")]
pub mod scheduling;
#[cfg(target_os = "linux")]
pub mod senders;
#[cfg(target_os = "linux")]
mod session;
mod tally;
#[cfg(all(test, target_os = "linux"))]
mod testing;
mod trace;

pub use capture::Capture;
pub use network::{Ignored, Limits, Network};
#[cfg(target_os = "linux")]
pub use session::{Outcome, Session, Validity};
pub use tally::FlowCounts;
pub use trace::TraceRow;

//! The queue disciplines of penstock on a real link: packets of real hosts instead of simulated ones.
//!
//! [`ip`] reads what a discipline needs from the header of an IP packet, and writes marks and codepoints back into it.
//! On Linux, [`device`] exchanges packets with the kernel, [`namespace`] holds the hosts' network namespaces, and
//! [`scheduling`] lets a thread wake up on time. [`senders`] send real traffic from host to host.

#[cfg(target_os = "linux")]
pub mod device;
pub mod ip;
#[cfg(target_os = "linux")]
pub mod namespace;
#[cfg(target_os = "linux")]
mod netlink;
#[cfg(target_os = "linux")]
pub mod scheduling;
#[cfg(target_os = "linux")]
pub mod senders;
#[cfg(all(test, target_os = "linux"))]
mod testing;

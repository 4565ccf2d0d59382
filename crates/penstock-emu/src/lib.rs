//! The queue disciplines of penstock on a real link: packets of real hosts instead of simulated ones.
//!
//! [`ip`] reads what a discipline needs from the header of an IP packet, and writes marks and codepoints back into it.

pub mod ip;

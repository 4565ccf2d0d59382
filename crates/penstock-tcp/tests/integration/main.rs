//! All integration tests of the crate, in one program.

mod bbr;
mod bbr3;
mod conformance;
mod cubic;
mod linux_path;
mod linux_single_flow;
mod linux_trains;
mod network;
mod ns2_path;
mod ns2_random;
mod ns2_single_flow;
mod prague;
mod scripts;

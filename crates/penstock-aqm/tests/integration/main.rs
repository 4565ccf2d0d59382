//! All integration tests of the crate, in one program: a program for each file would compile every scheme again.

mod conformance;
mod fuzz;
mod linux_codel;
mod linux_open_loop;
mod ns2_cbq;
mod ns2_classes;
mod oracle;
mod oracles;
mod per_hop;
mod real_link;
mod rig;
#[path = "rig/rounds.rs"]
mod rounds;
mod schedulers;

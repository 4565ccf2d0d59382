//! All integration tests of the crate, in one program.

mod ack_filter;
mod any_queue;
mod changing_links;
mod classes;
mod computed_links;
mod device_queue;
mod draws;
mod ecn_control;
mod edge;
mod emission;
mod fec;
mod identities;
mod linux_qdisc;
mod live;
mod measured;
mod ns2_single_flow;
mod one_way;
mod overtaking;
mod prepared;
mod sender_series;
mod sources;
mod statistics_window;
mod theory_queues;
mod ties;

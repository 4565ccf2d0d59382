//! The packet simulator.

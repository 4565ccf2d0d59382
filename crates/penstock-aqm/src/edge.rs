//! What stands before a queue: who a packet belongs to, and later what it is marked as.

pub mod classifier;

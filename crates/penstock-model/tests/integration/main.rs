//! All integration tests of the crate, in one program.

mod fluid;
mod loop_margins;

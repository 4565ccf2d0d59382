//! Errors of system calls with the step that failed.

use std::io;

/// An error with the step that failed in front.
pub(crate) fn with_context(step: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{step}: {error}"))
}

//! Errors of system calls with the step that failed.

use std::io;

/// The error, prefixed with the step that failed.
pub(crate) fn with_context(step: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{step}: {error}"))
}

//! The version of the meaning of results: a stored result is valid as long as this number is the same.

/// The version of the results of runs: two builds with the same number give the same result for the same scenario and
/// seed.
///
/// A stored result is found again only under this number, so that edits that change no result keep all stored runs.
/// Raise it by one in the same commit as an edit that changes a number of any result, or adds or removes one, and end the
/// line of that edit under *Results that change* in `CHANGELOG.md` with `(meaning N)`. Recorded runs of every mechanism
/// (`tests/data/meaning.json`) fail the tests if a result changes while this number does not; `make meaning` records them
/// again.
pub const MEANING: u32 = 8;

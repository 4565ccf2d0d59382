//! Drop-tail: an arrival that finds no room is dropped.

use super::{AqmScheme, Given, LinkInfo, Oracle, Settings, guarded};

pub fn settings() -> Vec<Given> {
    vec![vec![]]
}

struct DropTail;

impl AqmScheme for DropTail {}

pub fn oracle(_settings: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    guarded(DropTail, link)
}

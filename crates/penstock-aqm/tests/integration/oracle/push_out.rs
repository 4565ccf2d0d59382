//! Push-out: the thesis of Alemu, introduction.

use super::drop_front::Pushing;
use super::{Given, LinkInfo, Oracle, Queue, Settings};
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    vec![vec![]]
}

pub fn oracle(_settings: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    Box::new(Pushing { from_head: false, queue: Queue { now: 0, limit: link.limit, items: VecDeque::new() } })
}

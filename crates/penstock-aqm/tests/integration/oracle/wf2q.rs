//! WF2Q: Bennett and Zhang 1996.

use super::{LinkInfo, Oracle, Settings, wfq};

pub use super::wfq::settings;

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    wfq::build(s, link, true)
}

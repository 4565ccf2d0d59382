//! CBFQ: the thesis of Alemu, introduction; shares kept by self-clocked fair queueing.

use super::classes::three;
use super::{Given, LinkInfo, Oracle, Settings, number, scfq};

pub fn settings() -> Vec<Given> {
    let shares = |shares: [f64; 3]| vec![("classes", three(shares.map(|share| vec![("share", number(share))])))];
    let limited = three([0.2, 0.3, 0.5].map(|share| vec![("share", number(share)), ("limit", number(20.0 * share))]));
    vec![shares([0.2, 0.5, 0.3]), shares([0.6, 0.1, 0.1]), vec![("classes", limited)]]
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    scfq::build(s, link, true)
}

//! Curvy RED for one queue: the Classic queue of RFC 9332, appendix B.

use super::{
    AqmScheme, Given, Item, LinkInfo, MS, Oracle, Queue, Say, Settings, each_with, flag, guarded, millis, number, secs,
};
use penstock_aqm::Cause;
use penstock_core::Rng;

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("g", number(0.0)), ("range", millis(50))],
        vec![("g", number(2.0)), ("range", millis(20)), ("min_th", millis(2)), ("u", number(2.0))],
    ];
    each_with(own, &[vec![], vec![("ecn", flag(true))]])
}

struct CurvyRed {
    gamma: f64,
    min_th: f64,
    range: f64,
    u: u32,
    ecn: bool,
    q: f64,
}

impl AqmScheme for CurvyRed {
    fn departure(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        self.q = self.gamma * secs(queue.now - item.since) + (1.0 - self.gamma) * self.q;
        let root = (self.q - self.min_th) / self.range;
        let hit = root >= 1.0 || root > 0.0 && (0..2 * self.u).fold(0.0, |most: f64, _| most.max(rng.uniform())) < root;
        match hit {
            true if self.ecn => Say::Mark(Cause::Sojourn),
            true => Say::Drop(Cause::Sojourn),
            false => Say::Pass,
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let aqm = CurvyRed {
        gamma: 0.5_f64.powf(s.number("g", 5.0)),
        min_th: secs(s.nanos("min_th", MS / 2)),
        range: secs(s.nanos("range", 500 * MS)),
        u: s.number("u", 1.0) as u32,
        ecn: s.flag("ecn", false),
        q: 0.0,
    };
    guarded(aqm, link)
}

//! P: Hollot, Misra, Towsley, Gong 2001, as equation 1.20 of the thesis has it.

use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, design, early, flag, guarded, number, toss, word,
};
use penstock_core::param::Value;
use penstock_core::{Rng, math};

pub fn settings() -> Vec<Given> {
    vec![
        vec![],
        vec![("ecn", flag(true)), ("max_p", number(0.5))],
        vec![("min_th", number(0.0)), ("max_th", number(4.0)), ("max_p", number(0.8))],
        vec![("min_th", number(2.0)), ("max_th", word("auto")), ("max_p", number(0.5)), ("ecn", flag(true))],
        vec![("min_th", Value::Bytes(2500.0)), ("max_th", Value::Bytes(9000.0)), ("mean_packet", Value::Bytes(500.0))],
    ]
}

struct P {
    min_th: f64,
    width: f64,
    max_p: f64,
    ecn: bool,
}

impl AqmScheme for P {
    fn arrival(&mut self, queue: &Queue, _item: &Item, rng: &mut Rng) -> Say {
        let p = self.max_p * (queue.len() - self.min_th) / self.width;
        if toss(p, rng) { early(self.ecn) } else { Say::Pass }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let mean = s.number("mean_packet", 1000.0);
    let max_p = s.number("max_p", 0.1);
    let min_th = s.length("min_th", 5.0, mean);
    let width = if s.word("max_th", "") == "auto" {
        let (n, r, c) = design(link, mean);
        let omega = math::sqrt(2.0 * n / (r * r * r * c));
        let (tcp, queue) = (2.0 * n / (r * r * c), 1.0 / r);
        let gain = math::sqrt(1.0 + (omega / tcp).powi(2)) * math::sqrt(1.0 + (omega / queue).powi(2));
        max_p / (gain * (2.0 * n).powi(2) / (r * c).powi(3))
    } else {
        s.length("max_th", 15.0, mean) - min_th
    };
    guarded(P { min_th, width, max_p, ecn: s.flag("ecn", false) }, link)
}

//! FB-RED: RED whose `max_p` goes by the round-trip time, decision D-32 of the thesis' specification.

use super::red::{Red, variants};
use super::{AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, each_with, guarded, number, word};
use penstock_core::{Rng, Span, math};

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![("w_q", number(0.2))],
        vec![("w_q", number(0.3)), ("kappa", number(1.0)), ("max_p", number(0.3)), ("min_th", number(1.0))],
        vec![("w_q", number(0.3)), ("reference", word("min")), ("max_p", number(0.9)), ("min_th", number(2.0))],
        vec![("w_q", number(0.1)), ("kappa", number(0.0)), ("max_p", number(0.2))],
    ];
    each_with(own, &variants())
}

struct FbRed {
    red: Red,
    max_p: f64,
    kappa: f64,
    to_least: bool,
    rtt: [Option<f64>; 12],
    least: f64,
}

impl AqmScheme for FbRed {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        if let Some(rtt) = item.meta.rare.unwrap().rtt.map(Span::as_secs) {
            self.rtt[item.flow] = Some(rtt);
            self.least = self.least.min(rtt);
        }
        self.red.max_p = self.max_p;
        if let Some(own) = self.rtt[item.flow] {
            let active =
                (0..12).filter(|&flow| flow == item.flow || queue.items.iter().any(|other| other.flow == flow));
            let known: Vec<f64> = active.filter_map(|flow| self.rtt[flow]).collect();
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            let reference = if self.to_least { self.least } else { mean };
            self.red.max_p = (self.max_p * math::pow(reference / own, self.kappa)).min(1.0);
        }
        self.red.arrival(queue, item, rng)
    }

    fn overflow(&mut self, queue: &Queue, item: &Item) {
        self.red.overflow(queue, item);
    }

    fn idle(&mut self, now: u64) {
        self.red.idle(now);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let red = Red::new(s, link, (5.0, 15.0, 0.1, false));
    let aqm = FbRed {
        max_p: red.max_p,
        red,
        kappa: s.number("kappa", 2.0),
        to_least: s.word("reference", "mean") == "min",
        rtt: [None; 12],
        least: f64::INFINITY,
    };
    guarded(aqm, link)
}

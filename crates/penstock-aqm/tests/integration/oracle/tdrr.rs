//! TDRR: Kantawala and Turner 2002, with the average of the throughput that the head comment states.

use super::drr::{self, Round};
use super::{Bench, Fate, Given, Item, LinkInfo, MS, Oracle, Settings, each_with, millis, secs};
use penstock_aqm::Cause;
use penstock_core::math;

pub fn settings() -> Vec<Given> {
    each_with(drr::settings(), &[vec![], vec![("k", millis(10))], vec![("k", millis(500))]])
}

/// The throughput of a queue: r at time `at`, or since when it has been counting if it has sent nothing yet.
#[derive(Clone, Default)]
struct Rate {
    r: f64,
    at: u64,
    known: bool,
}

struct Tdrr {
    round: Round,
    k: u64,
    rates: Vec<Rate>,
}

impl Tdrr {
    /// The logarithm of r at time 0 had it always decayed as it does.
    fn rank(&self, i: usize) -> f64 {
        let Rate { r, at, .. } = self.rates[i];
        if r > 0.0 { math::ln(r) + secs(at) / secs(self.k) } else { f64::NEG_INFINITY }
    }
}

impl Oracle for Tdrr {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        if !self.round.fits_alone(&item) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        while !self.round.has_room(&item) {
            let mut active: Vec<usize> = self.round.round.iter().copied().collect();
            active.sort_unstable();
            let fastest = active.into_iter().reduce(|a, b| if self.rank(b) > self.rank(a) { b } else { a });
            let victim = self.round.pop_head(fastest.unwrap());
            bench.note(&victim, Fate::Dropped(Cause::Evicted));
        }
        let i = self.round.index(&item);
        let rate = &mut self.rates[i];
        if self.round.queues[i].is_empty() && (!rate.known || bench.now - rate.at > 5 * self.k) {
            *rate = Rate { r: 0.0, at: bench.now, known: false };
        }
        bench.note(&item, Fate::Queued);
        self.round.push(bench, item);
    }

    fn depart(&mut self, bench: &mut Bench) {
        if let Some((item, i)) = self.round.serve() {
            let rate = &mut self.rates[i];
            let (gap, k, size) = (secs(bench.now - rate.at), secs(self.k), f64::from(item.size));
            let kept = math::exp(-gap / k);
            let fresh = if gap > 0.0 { (1.0 - kept) * size / gap } else { size / k };
            *rate = Rate { r: fresh + kept * rate.r, at: bench.now, known: true };
            bench.note(&item, Fate::Sent);
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let round = Round::new(s, link);
    let rates = vec![Rate::default(); round.queues.len()];
    Box::new(Tdrr { round, k: s.nanos("k", 100 * MS), rates })
}

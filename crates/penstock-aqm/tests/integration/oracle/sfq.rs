//! SFQ: McKenney 1990, as Linux and ns-2 have it. With one bucket, or so many that no two flows share one: what the hash
//! is does not matter then.

use super::drr::Round;
use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Settings, each_with, flag, number, word};
use penstock_aqm::Cause;
use penstock_core::Limit;
use penstock_core::param::Value;

pub fn settings() -> Vec<Given> {
    let rounds = vec![vec![], vec![("round", word("packet"))], vec![("quantum", Value::Bytes(300.0))]];
    let buckets = [vec![("buckets", number(1_000_000.0))], vec![("buckets", number(1.0))]];
    let ends = [vec![], vec![("headdrop", flag(true))], vec![("room", word("threshold"))]];
    each_with(each_with(rounds, &buckets), &ends)
}

struct Sfq {
    round: Round,
    by_packet: bool,
    headdrop: bool,
    /// With thresholds: the number of buckets.
    threshold: Option<u32>,
}

impl Sfq {
    /// As measured in ns-2: q packets of `item`'s queue may wait beside f free places.
    fn refuses(&self, item: &Item, buckets: u32) -> bool {
        let round = &self.round;
        let q = round.queues[round.index(item)].len() as u32;
        match round.limit {
            Limit::Packets(most) => {
                let f = most - round.packets();
                q >= f / 2 || (f < buckets && q > most / buckets)
            }
            Limit::Bytes(most) => round.bytes_of(round.index(item)) >= (most - round.bytes()) / 2,
            Limit::Infinite => false,
        }
    }
}

impl Oracle for Sfq {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        let id = item.id;
        if !self.round.fits_alone(&item) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        if self.threshold.is_some_and(|buckets| self.refuses(&item, buckets)) {
            let cause = if self.round.has_room(&item) { Cause::Early } else { Cause::Overflow };
            return bench.note(&item, Fate::Dropped(cause));
        }
        let round = &mut self.round;
        let fits = |round: &Round| match round.limit {
            Limit::Packets(most) => round.packets() <= most,
            Limit::Bytes(most) => round.bytes() <= most,
            Limit::Infinite => true,
        };
        round.push(bench, item.clone());
        while !fits(round) {
            let longest = round.largest(|i| round.queues[i].len() as f64).unwrap();
            let victim = if self.headdrop { round.pop_head(longest) } else { round.pop_tail(longest) };
            if victim.id == id {
                return bench.note(&item, Fate::Dropped(Cause::Overflow));
            }
            bench.note(&victim, Fate::Dropped(Cause::Evicted));
        }
        bench.note(&item, Fate::Queued);
    }

    fn depart(&mut self, bench: &mut Bench) {
        let sent = if self.by_packet { self.round.serve_one() } else { self.round.serve() };
        if let Some((item, _)) = sent {
            bench.note(&item, Fate::Sent);
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let few: Given = s.0.iter().filter(|(name, value)| *name != "buckets" || *value == number(1.0)).cloned().collect();
    let round = Round::new(&Settings(few), link);
    let threshold = (s.word("room", "longest") == "threshold").then(|| s.number("buckets", 1024.0) as u32);
    Box::new(Sfq {
        round,
        by_packet: s.word("round", "drr") == "packet",
        headdrop: s.flag("headdrop", false),
        threshold,
    })
}

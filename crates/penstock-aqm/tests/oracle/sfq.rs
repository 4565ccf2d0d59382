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
    each_with(each_with(rounds, &buckets), &[vec![], vec![("headdrop", flag(true))]])
}

struct Sfq {
    round: Round,
    by_packet: bool,
    headdrop: bool,
}

impl Oracle for Sfq {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        let (id, round) = (item.id, &mut self.round);
        if !round.fits_alone(&item) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
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
    Box::new(Sfq { round, by_packet: s.word("round", "drr") == "packet", headdrop: s.flag("headdrop", false) })
}

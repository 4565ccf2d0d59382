//! DualQ Coupled Curvy RED: RFC 9332, appendix B, figure 10, behind a time-shifted FIFO.

use super::{Bench, Fate, Given, Item, LinkInfo, MS, Oracle, Settings, millis, number, secs, word};
use penstock_aqm::Cause;
use penstock_core::{Ecn, Limit, Rng};
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let fifo = ("scheduler", word("ts-fifo"));
    vec![
        vec![fifo.clone()],
        vec![fifo.clone(), ("range_c", millis(50)), ("gamma", number(0.3)), ("tshift", millis(3))],
        vec![
            fifo.clone(),
            ("range_c", millis(20)),
            ("gamma", number(0.5)),
            ("u", number(2.0)),
            ("threshold", millis(5)),
        ],
        vec![fifo, ("range_c", millis(30)), ("gamma", number(1.0)), ("k", number(1.0)), ("min_th", millis(2))],
    ]
}

struct DualCurvyRed {
    limit: Limit,
    mtu: u32,
    min_th: f64,
    range_c: f64,
    range_l: f64,
    gamma: f64,
    threshold: u64,
    u: u32,
    tshift: u64,
    q_c: f64,
    l4s: VecDeque<Item>,
    classic: VecDeque<Item>,
}

fn exceeds(p: f64, numbers: u32, rng: &mut Rng) -> bool {
    p >= 1.0 || p > 0.0 && p > (0..numbers).fold(0.0, |most: f64, _| most.max(rng.uniform()))
}

impl Oracle for DualCurvyRed {
    fn arrive(&mut self, bench: &mut Bench, mut item: Item) {
        let all = || self.l4s.iter().chain(&self.classic);
        // Figure 3, line 2: whatever the size of the packet, there must be room for the largest.
        if !self.limit.admits(all().count() as u32, all().map(|item| u64::from(item.size)).sum(), self.mtu) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        item.since = bench.now;
        bench.note(&item, Fate::Queued);
        let is_l4s = matches!(item.ecn, Ecn::Ect1 | Ecn::Ce);
        if is_l4s { self.l4s.push_back(item) } else { self.classic.push_back(item) }
    }

    fn depart(&mut self, bench: &mut Bench) {
        loop {
            let waited = |queue: &VecDeque<Item>| queue.front().map(|head| bench.now - head.since);
            let l4s_first = match (waited(&self.l4s), waited(&self.classic)) {
                (None, None) => return,
                (l, None) => l.is_some(),
                (None, _) => false,
                (Some(l), Some(c)) => l + self.tshift >= c,
            };
            if l4s_first {
                let item = self.l4s.pop_front().unwrap();
                let p_cl = (self.q_c - self.min_th) / self.range_l;
                if bench.now - item.since > self.threshold || exceeds(p_cl, self.u, &mut bench.rng) {
                    bench.note(&item, Fate::Marked(Cause::Sojourn));
                }
                return bench.note(&item, Fate::Sent);
            }
            let item = self.classic.pop_front().unwrap();
            self.q_c = self.gamma * secs(bench.now - item.since) + (1.0 - self.gamma) * self.q_c;
            if exceeds((self.q_c - self.min_th) / self.range_c, 2 * self.u, &mut bench.rng) {
                if !item.ect() {
                    bench.note(&item, Fate::Dropped(Cause::Sojourn));
                    continue;
                }
                bench.note(&item, Fate::Marked(Cause::Sojourn));
            }
            return bench.note(&item, Fate::Sent);
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let range_c = secs(s.nanos("range_c", 500 * MS));
    Box::new(DualCurvyRed {
        limit: link.limit,
        mtu: link.mtu.0 as u32,
        min_th: secs(s.nanos("min_th", MS / 2)),
        range_c,
        range_l: range_c / s.number("k", 2.0),
        gamma: s.number("gamma", 1.0 / 32.0),
        threshold: s.nanos("threshold", MS),
        u: s.number("u", 1.0) as u32,
        tshift: s.nanos("tshift", 50 * MS),
        q_c: 0.0,
        l4s: VecDeque::new(),
        classic: VecDeque::new(),
    })
}

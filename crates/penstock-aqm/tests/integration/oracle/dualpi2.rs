//! DualPI2: RFC 9332, appendix A, figures 3 to 8, and section 2.5.1.1; the credit of the round robin is Linux's.

use super::{Bench, Fate, Given, Item, LinkInfo, MS, Oracle, Settings, each_with, flag, millis, number, secs, word};
use penstock_aqm::Cause;
use penstock_core::param::Value;
use penstock_core::{Ecn, Limit, Span};
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("target", millis(3)), ("alpha", number(20.0)), ("beta", number(100.0)), ("interval", millis(2))],
        vec![
            ("target", millis(1)),
            ("rtt_max", millis(6)),
            ("k", number(1.0)),
            ("min_th", millis(2)),
            ("range", millis(0)),
        ],
        vec![
            ("target", millis(10)),
            ("alpha", number(5.0)),
            ("beta", number(30.0)),
            ("k", number(4.0)),
            ("th_len", number(3.0)),
            ("range", Value::Time(Span::from_nanos(7 * MS))),
        ],
    ];
    let schedulers = [
        vec![],
        vec![("classic_weight", number(0.3))],
        vec![("scheduler", word("ts-fifo"))],
        vec![("scheduler", word("ts-fifo")), ("tshift", millis(3))],
        vec![("ecn", flag(false))],
        vec![("l_dscp", Value::Numbers(vec![12.0, 46.0])), ("c_dscp", Value::Numbers(vec![10.0]))],
    ];
    each_with(own, &schedulers)
}

/// A queue, and the counts of its `recur`: for packets that belong there by their ECN field, and for others.
#[derive(Default)]
struct One {
    items: VecDeque<Item>,
    counts: [f64; 2],
}

impl One {
    fn waited(&self, now: u64) -> Option<u64> {
        self.items.front().map(|head| now - head.since)
    }

    /// Figure 7, lines 30 to 35.
    fn recur(&mut self, stranger: bool, likelihood: f64) -> bool {
        let count = &mut self.counts[usize::from(stranger)];
        *count += likelihood;
        let hit = *count > 1.0;
        *count -= if hit { 1.0 } else { 0.0 };
        hit
    }
}

struct DualPi2 {
    limit: Limit,
    mtu: u32,
    target: f64,
    interval: u64,
    alpha: f64,
    beta: f64,
    k: f64,
    min_th: u64,
    range: u64,
    th_len: usize,
    tshift: Option<u64>,
    weight: f64,
    ecn: bool,
    l_dscp: Vec<u8>,
    c_dscp: Vec<u8>,
    lq: One,
    cq: One,
    credit: f64,
    p: f64,
    prevq: f64,
    due: u64,
}

impl DualPi2 {
    fn l4s_first(&self, now: u64) -> bool {
        match (self.lq.waited(now), self.cq.waited(now), self.tshift) {
            (None, ..) => false,
            (_, None, _) => true,
            (Some(l), Some(c), Some(tshift)) => l + tshift >= c,
            _ => self.credit <= 0.0,
        }
    }

    /// Figure 5.
    fn ramp(&self, delay: u64) -> f64 {
        if delay >= self.min_th + self.range {
            1.0
        } else if delay > self.min_th {
            (delay - self.min_th) as f64 / self.range as f64
        } else {
            0.0
        }
    }

    /// As after a Classic packet of the largest size.
    fn start_credit(&self) -> f64 {
        f64::from(self.mtu) * (self.weight - 1.0)
    }

    /// Figure 7: the fate of the packet at the head of one of the queues.
    fn judge(&mut self, bench: &mut Bench, l4s: bool) -> (Item, Fate) {
        let (p_c, p_cl) = (self.p * self.p, (self.k * self.p).min(1.0));
        let (marked, dropped) = (Fate::Marked(Cause::Sojourn), Fate::Dropped(Cause::Sojourn));
        let overload = p_c >= (1.0 / (self.k * self.k)).min(1.0);
        let enough = self.lq.items.len() > self.th_len;
        let queue = if l4s { &mut self.lq } else { &mut self.cq };
        let item = queue.items.pop_front().unwrap();
        let native = if l4s && enough { self.ramp(bench.now - item.since) } else { 0.0 };
        let (p_l, ect) = (native.max(p_cl), self.ecn && item.ect());
        let queue = if l4s { &mut self.lq } else { &mut self.cq };
        let scalable = if l4s { matches!(item.ecn, Ecn::Ect1 | Ecn::Ce) } else { self.ecn && item.ecn == Ecn::Ect1 };
        if scalable {
            if p_cl >= 1.0 && queue.recur(!l4s, p_c) {
                return (item, dropped);
            }
            let hit = queue.recur(!l4s, p_l);
            return (item, if hit { marked } else { Fate::Sent });
        }
        let p = if l4s { (p_l / self.k).powi(2).max(p_c).min(1.0) } else { p_c };
        let signal = if !ect || overload { dropped } else { marked };
        let hit = queue.recur(l4s, p);
        (item, if hit { signal } else { Fate::Sent })
    }
}

impl Oracle for DualPi2 {
    fn arrive(&mut self, bench: &mut Bench, mut item: Item) {
        let all = || self.lq.items.iter().chain(&self.cq.items);
        if !self.limit.admits(all().count() as u32, all().map(|item| u64::from(item.size)).sum(), self.mtu) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        item.since = bench.now;
        bench.note(&item, Fate::Queued);
        let dscp = item.meta.dscp;
        let by_operator = self.l_dscp.contains(&dscp);
        let is_l4s =
            self.ecn && (by_operator || matches!(item.ecn, Ecn::Ect1 | Ecn::Ce)) && !self.c_dscp.contains(&dscp);
        if is_l4s { self.lq.items.push_back(item) } else { self.cq.items.push_back(item) }
    }

    fn depart(&mut self, bench: &mut Bench) {
        while !self.lq.items.is_empty() || !self.cq.items.is_empty() {
            let l4s = self.l4s_first(bench.now);
            let (item, fate) = self.judge(bench, l4s);
            bench.note(&item, fate);
            if matches!(fate, Fate::Dropped(_)) {
                continue;
            }
            if matches!(fate, Fate::Marked(_)) {
                bench.note(&item, Fate::Sent);
            }
            let size = f64::from(item.size);
            if l4s && !self.cq.items.is_empty() {
                self.credit += self.weight * size;
            } else if !l4s && !self.lq.items.is_empty() {
                self.credit -= (1.0 - self.weight) * size;
            }
            return;
        }
        self.credit = self.start_credit();
    }

    fn pass(&mut self, _bench: &mut Bench, until: u64) {
        while self.due < until {
            let now = self.due;
            let curq = secs(self.lq.waited(now).max(self.cq.waited(now)).unwrap_or(0));
            self.p += self.alpha * (curq - self.target) + self.beta * (curq - self.prevq);
            self.p = self.p.clamp(0.0, 1.0);
            self.prevq = curq;
            self.due += self.interval;
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let (target, rtt_max) = (s.nanos("target", 15 * MS), s.nanos("rtt_max", 100 * MS));
    let interval = s.0.iter().any(|(name, _)| *name == "interval").then(|| s.nanos("interval", 0));
    let interval = interval.unwrap_or(target.min(rtt_max / 3));
    let mut queue = DualPi2 {
        limit: link.limit,
        mtu: link.mtu.0 as u32,
        target: secs(target),
        interval,
        alpha: s.unless_auto("alpha").unwrap_or(0.1 * secs(interval) / (secs(rtt_max) * secs(rtt_max))),
        beta: s.unless_auto("beta").unwrap_or(0.3 / secs(rtt_max)),
        k: s.number("k", 2.0),
        min_th: s.nanos("min_th", 800_000),
        range: s.nanos("range", 400_000),
        th_len: s.number("th_len", 1.0) as usize,
        tshift: (s.word("scheduler", "wrr") == "ts-fifo").then(|| s.nanos("tshift", 50 * MS)),
        weight: s.number("classic_weight", 0.0625),
        ecn: s.flag("ecn", true),
        l_dscp: s.codepoints("l_dscp"),
        c_dscp: s.codepoints("c_dscp"),
        lq: One::default(),
        cq: One::default(),
        credit: 0.0,
        p: 0.0,
        prevq: 0.0,
        due: interval,
    };
    queue.credit = queue.start_credit();
    Box::new(queue)
}

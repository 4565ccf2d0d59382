//! FRED: Lin and Morris 1997, as section 1.3.1 of the thesis has it.

use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, capacity, each_with, early, flag, guarded,
    limit_in_packets, number, secs, toss, word,
};
use penstock_aqm::Cause;
use penstock_core::{Rng, math};

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("w_q", number(0.1)), ("max_p", number(0.3))],
        vec![
            ("w_q", number(0.2)),
            ("min_th", number(2.0)),
            ("max_th", number(7.0)),
            ("min_q", number(1.0)),
            ("max_p", number(0.5)),
        ],
        vec![
            ("w_q", number(0.3)),
            ("min_th", number(3.0)),
            ("max_q", number(5.0)),
            ("min_q", number(4.0)),
            ("max_th", word("auto")),
        ],
    ];
    each_with(own, &[vec![], vec![("ecn", flag(true))], vec![("many_flows", flag(true))]])
}

struct Fred {
    min_th: f64,
    max_th: f64,
    max_p: f64,
    w_q: f64,
    min_q: f64,
    max_q: f64,
    many: bool,
    ecn: bool,
    c: f64,
    avg: f64,
    idle_since: Option<u64>,
    count: f64,
    strikes: Vec<u32>,
}

fn waiting(queue: &Queue, flow: usize) -> usize {
    queue.items.iter().filter(|item| item.flow == flow).count()
}

impl Fred {
    fn move_average(&mut self, q: f64) {
        self.avg = (1.0 - self.w_q) * self.avg + self.w_q * q;
    }
}

impl AqmScheme for Fred {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        // A dropped arrival moves the average only if it finds the queue empty.
        if queue.items.is_empty() {
            if let Some(since) = self.idle_since.take() {
                self.avg *= math::pow(1.0 - self.w_q, math::floor(secs(queue.now - since) * self.c));
            }
            self.move_average(0.0);
        }
        let active = (0..12).filter(|&flow| waiting(queue, flow) > 0).count();
        let avgcq = (self.avg / active.max(1) as f64).max(1.0);
        let qlen = waiting(queue, item.flow) as f64;
        if qlen == 0.0 {
            self.strikes[item.flow] = 0;
        }
        let high = self.avg >= self.max_th;
        let max_q = if self.many && high { 2.0 } else { self.max_q };
        if qlen >= max_q || high && qlen > 2.0 * avgcq || qlen >= avgcq && self.strikes[item.flow] > 1 {
            self.strikes[item.flow] += 1;
            return Say::Drop(Cause::Forced);
        }
        if high {
            self.count = 0.0;
            return Say::Drop(Cause::Forced);
        }
        if self.avg < self.min_th {
            self.count = -1.0;
            return Say::Pass;
        }
        if qlen < self.min_q.max(avgcq) {
            return Say::Pass;
        }
        self.count += 1.0;
        let p_b = self.max_p * (self.avg - self.min_th) / (self.max_th - self.min_th);
        let p_a = if self.count * p_b < 1.0 { p_b / (1.0 - self.count * p_b) } else { 1.0 };
        if !toss(p_a, rng) {
            return Say::Pass;
        }
        self.count = 0.0;
        early(self.ecn)
    }

    fn queued(&mut self, queue: &Queue, _item: &Item) {
        if queue.items.len() > 1 {
            self.move_average(queue.len() - 1.0);
        }
    }

    fn departure(&mut self, queue: &Queue, _item: &Item, _rng: &mut Rng) -> Say {
        self.move_average(queue.len());
        Say::Pass
    }

    fn idle(&mut self, now: u64) {
        self.idle_since.get_or_insert(now);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let c = capacity(link, 1000.0);
    let auto = (limit_in_packets(link) / 4.0).min(link.rtt.unwrap().as_secs() * c).max(1.0);
    let min_th = s.unless_auto("min_th").unwrap_or(auto);
    let aqm = Fred {
        min_th,
        max_th: s.unless_auto("max_th").unwrap_or(2.0 * min_th),
        max_p: s.number("max_p", 0.02),
        w_q: s.number("w_q", 0.002),
        min_q: s.number("min_q", 2.0),
        max_q: s.unless_auto("max_q").unwrap_or(min_th),
        many: s.flag("many_flows", false),
        ecn: s.flag("ecn", false),
        c,
        avg: 0.0,
        idle_since: Some(0),
        count: -1.0,
        strikes: vec![0; 12],
    };
    guarded(aqm, link)
}

//! RIO: Clark and Fang 1998, as algorithm 15 of the thesis and its text have it; ns-2's as observed.

use super::wred::{Average, Level, precedence};
use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, capacity, each_with, flag, guarded, number, word,
};
use penstock_aqm::Cause;
use penstock_core::Rng;

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("w_q", number(0.1))],
        vec![
            ("w_q", number(0.2)),
            ("min_in", number(4.0)),
            ("max_in", number(10.0)),
            ("p_in", number(0.2)),
            ("min_out", number(2.0)),
            ("max_out", number(6.0)),
            ("p_out", number(0.6)),
        ],
        vec![("w_q", word("auto")), ("min_in", number(2.0)), ("max_in", number(5.0)), ("precedence", word("ip"))],
    ];
    let spacings: Vec<Given> =
        ["wait", "count", "none", "section4"].map(|spacing| vec![("spacing", word(spacing))]).into();
    let more = [
        vec![],
        vec![("gentle", flag(true)), ("ecn", flag(true))],
        vec![("guards", flag(false)), ("ecn", flag(true)), ("measure_in", word("bytes"))],
        vec![("ns2_quirk", flag(true))],
    ];
    each_with(each_with(own, &spacings), &more)
}

struct Rio {
    /// For In packets and for all.
    avg_in: Average,
    avg_total: Average,
    within: Level,
    without: Level,
    rule: String,
    in_bytes: bool,
    quirk: bool,
    /// Whether something was queued since the link was idle.
    busy: bool,
}

impl Rio {
    fn is_in(&self, item: &Item) -> bool {
        precedence(item, &self.rule, 8) == 0
    }
}

impl AqmScheme for Rio {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        let size = |item: &Item| if self.in_bytes { f64::from(item.size) / 1000.0 } else { 1.0 };
        let total: f64 = queue.items.iter().map(size).sum();
        let of_in: f64 = queue.items.iter().filter(|item| self.is_in(item)).map(size).sum();
        let few = if self.in_bytes { queue.items.is_empty() } else { queue.len() <= 1.0 };
        let is_in = self.is_in(item);
        if is_in || !self.quirk {
            self.avg_total.update(queue.now, total);
        } else {
            self.avg_total.not_idle();
        }
        if is_in {
            self.avg_in.update(queue.now, of_in);
        }
        let (level, average) =
            if is_in { (&mut self.within, &self.avg_in) } else { (&mut self.without, &self.avg_total) };
        let before = level.clone();
        let said = level.judge(average.value, few, rng);
        if self.quirk && matches!(said, Say::Drop(Cause::Forced)) {
            *level = Level { n: before.n + 1.0, printed: before.printed + 1, ..before };
        }
        said
    }

    fn queued(&mut self, _queue: &Queue, _item: &Item) {
        self.busy = true;
    }

    fn overflow(&mut self, _queue: &Queue, item: &Item) {
        if !self.quirk {
            let level = if self.is_in(item) { &mut self.within } else { &mut self.without };
            level.restart();
        }
    }

    fn idle(&mut self, now: u64) {
        if self.quirk && !self.busy {
            return;
        }
        if self.quirk {
            // the latest idle time counts
            self.avg_in.not_idle();
            self.avg_total.not_idle();
        }
        self.busy = false;
        self.avg_in.idle(now);
        self.avg_total.idle(now);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let weight = if s.word("w_q", "") == "auto" { None } else { Some(s.number("w_q", 0.002)) };
    let average = Average::new(weight, capacity(link, 1000.0));
    let level = |min_th, max_th, max_p| Level {
        min_th,
        max_th,
        max_p,
        gentle: s.flag("gentle", false),
        spacing: s.word("spacing", "wait"),
        guards: s.flag("guards", true),
        ecn: s.flag("ecn", false),
        n: 0.0,
        printed: -1,
        above: false,
    };
    let aqm = Rio {
        avg_in: average.clone(),
        avg_total: average,
        within: level(s.number("min_in", 15.0), s.number("max_in", 30.0), s.number("p_in", 0.02)),
        without: level(s.number("min_out", 5.0), s.number("max_out", 15.0), s.number("p_out", 0.2)),
        rule: s.word("precedence", "af"),
        in_bytes: s.word("measure_in", "packets") == "bytes",
        quirk: s.flag("ns2_quirk", false),
        busy: false,
    };
    guarded(aqm, link)
}

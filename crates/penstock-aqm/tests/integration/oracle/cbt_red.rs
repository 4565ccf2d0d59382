//! CBT-RED: Parris, Jeffay, Smith 1999, as section 1.4.1 of the thesis gives it.

use super::wred::{Average, Level};
use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, capacity, each_with, flag, guarded, number, word,
};
use penstock_aqm::Cause;
use penstock_core::Rng;

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("w_q", number(0.1)), ("t_tagged", number(2.0)), ("t_other", number(1.0))],
        vec![
            ("w_q", number(0.2)),
            ("min_th", number(1.0)),
            ("max_th", number(5.0)),
            ("max_p", number(0.4)),
            ("tag", number(10.0)),
        ],
    ];
    let spacings: Vec<Given> = ["wait", "count", "none"].map(|spacing| vec![("spacing", word(spacing))]).into();
    let more =
        [vec![], vec![("gentle", flag(true)), ("ecn", flag(true))], vec![("guards", flag(false)), ("ecn", flag(true))]];
    each_with(each_with(own, &spacings), &more)
}

struct CbtRed {
    tag: f64,
    /// Of TCP, tagged UDP and the rest.
    averages: [Average; 3],
    tcp: Level,
    thresholds: [f64; 3],
}

impl CbtRed {
    fn class(&self, item: &Item) -> usize {
        match item.meta.protocol {
            6 => 0,
            17 if f64::from(item.meta.dscp) == self.tag => 1,
            _ => 2,
        }
    }
}

impl AqmScheme for CbtRed {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        let class = self.class(item);
        let waiting = queue.items.iter().filter(|item| self.class(item) == class).count();
        self.averages[class].update(queue.now, waiting as f64);
        let average = self.averages[class].value;
        if class == 0 {
            return self.tcp.judge(average, queue.len() <= 1.0, rng);
        }
        if average >= self.thresholds[class] { Say::Drop(Cause::Forced) } else { Say::Pass }
    }

    fn overflow(&mut self, _queue: &Queue, item: &Item) {
        if self.class(item) == 0 {
            self.tcp.restart();
        }
    }

    fn idle(&mut self, now: u64) {
        for average in &mut self.averages {
            average.idle(now);
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let average = Average::new(s.unless_auto("w_q"), capacity(link, 1000.0));
    let aqm = CbtRed {
        tag: s.unless_auto("tag").unwrap_or(46.0),
        averages: [average.clone(), average.clone(), average],
        tcp: Level {
            min_th: s.number("min_th", 5.0),
            max_th: s.number("max_th", 15.0),
            max_p: s.number("max_p", 0.1),
            gentle: s.flag("gentle", false),
            spacing: s.word("spacing", "wait"),
            guards: s.flag("guards", true),
            ecn: s.flag("ecn", false),
            n: 0.0,
            printed: -1,
            above: false,
        },
        thresholds: [0.0, s.number("t_tagged", 10.0), s.number("t_other", 2.0)],
    };
    guarded(aqm, link)
}

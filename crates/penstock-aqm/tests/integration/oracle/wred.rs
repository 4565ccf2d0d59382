//! WRED: Bodin and Schelen 2001, section 2.1; spacing, guards and idle time are RED's; the variant of ns-2.

use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, capacity, each_with, flag, guarded, number, secs,
    word,
};
use penstock_aqm::Cause;
use penstock_core::param::Value;
use penstock_core::{Rng, math};

pub fn settings() -> Vec<Given> {
    each_with(shared(), &[vec![], vec![("variant", word("ns2"))]])
}

/// Those of the schemes built on WRED, too.
pub fn shared() -> Vec<Given> {
    let list = |numbers: &[f64]| Value::Numbers(numbers.to_vec());
    let own = vec![
        vec![("w_q", number(0.1))],
        vec![],
        vec![
            ("min_th", list(&[6.0, 4.0, 1.0])),
            ("max_th", list(&[20.0, 10.0, 5.0])),
            ("max_p", list(&[0.1, 0.3, 0.9])),
            ("w_q", number(0.2)),
        ],
        vec![
            ("min_th", list(&[8.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0])),
            ("max_th", list(&[16.0, 14.0, 12.0, 10.0, 8.0, 6.0, 4.0, 2.0])),
            ("max_p", list(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])),
            ("w_q", number(0.3)),
            ("precedence", word("ip")),
        ],
    ];
    let spacings: Vec<Given> =
        ["wait", "count", "none", "section4"].map(|spacing| vec![("spacing", word(spacing))]).into();
    let more = [
        vec![],
        vec![("gentle", flag(true)), ("ecn", flag(true))],
        vec![("guards", flag(false)), ("ecn", flag(true)), ("measure_in", word("bytes"))],
    ];
    each_with(each_with(own, &spacings), &more)
}

/// The average of RED, which knows an idle time.
#[derive(Clone)]
pub struct Average {
    pub value: f64,
    w_q: f64,
    c: f64,
    idle_since: Option<u64>,
}

impl Average {
    pub fn new(w_q: Option<f64>, c: f64) -> Self {
        Self { value: 0.0, w_q: w_q.unwrap_or(1.0 - math::exp(-1.0 / c)), c, idle_since: Some(0) }
    }

    pub fn update(&mut self, now: u64, q: f64) {
        if let Some(since) = self.idle_since.take() {
            self.value *= math::pow(1.0 - self.w_q, math::floor(secs(now - since) * self.c));
        }
        self.value = (1.0 - self.w_q) * self.value + self.w_q * q;
    }

    pub fn idle(&mut self, now: u64) {
        self.idle_since.get_or_insert(now);
    }

    pub fn not_idle(&mut self) {
        self.idle_since = None;
    }
}

/// The count of RED, and its thresholds.
#[derive(Clone)]
pub struct Level {
    pub min_th: f64,
    pub max_th: f64,
    pub max_p: f64,
    pub gentle: bool,
    pub spacing: String,
    pub guards: bool,
    pub ecn: bool,
    pub n: f64,
    /// The count of RED's section 4.
    pub printed: i64,
    pub above: bool,
}

impl Level {
    pub fn restart(&mut self) {
        (self.n, self.printed) = (0.0, 0);
    }

    /// What RED says at this average; `few`: so little waits that the guards let all pass.
    pub fn judge(&mut self, avg: f64, few: bool, rng: &mut Rng) -> Say {
        if avg < self.min_th || self.guards && few {
            (self.n, self.printed, self.above) = (0.0, -1, false);
            return Say::Pass;
        }
        self.n += 1.0;
        self.printed += 1;
        if avg >= if self.gentle { 2.0 * self.max_th } else { self.max_th } {
            self.restart();
            return Say::Drop(Cause::Forced);
        }
        if self.guards && !self.above {
            (self.n, self.printed, self.above) = (1.0, 0, true);
            return Say::Pass;
        }
        let p_b = if avg < self.max_th {
            self.max_p * (avg - self.min_th) / (self.max_th - self.min_th)
        } else {
            self.max_p + (1.0 - self.max_p) * (avg - self.max_th) / self.max_th
        };
        let p_a = match self.spacing.as_str() {
            "count" if (self.n - 1.0) * p_b < 1.0 => p_b / (1.0 - (self.n - 1.0) * p_b),
            "wait" if self.n * p_b < 1.0 => 0.0,
            "wait" if self.n * p_b < 2.0 => p_b / (2.0 - self.n * p_b),
            "none" => p_b,
            // the pole itself drops, however its denominator is rounded
            "section4" if (1.0 - self.printed as f64 * p_b).abs() <= 1e-9 => 1.0,
            "section4" => p_b / (1.0 - self.printed as f64 * p_b),
            _ => 1.0,
        };
        if p_a <= 0.0 || rng.uniform() >= p_a {
            return Say::Pass;
        }
        self.restart();
        if self.ecn && avg < self.max_th { Say::Mark(Cause::Early) } else { Say::Drop(Cause::Early) }
    }
}

/// AFxy is y - 1; EF and CS1 to CS7 are 0; all else the last level. Or 7 minus the IP precedence.
pub fn precedence(item: &Item, rule: &str, levels: usize) -> usize {
    let dscp = usize::from(item.meta.dscp);
    let level = match dscp {
        _ if rule == "ip" => 7 - dscp / 8,
        46 => 0,
        8.. if dscp % 8 == 0 => 0,
        10..=38 if dscp % 2 == 0 && dscp / 8 <= 4 => dscp % 8 / 2 - 1,
        _ => usize::MAX,
    };
    level.min(levels - 1)
}

pub struct Wred {
    pub average: Average,
    pub levels: Vec<Level>,
    pub rule: String,
    pub in_bytes: bool,
    /// The level that judged the packet in hand.
    pub judge: usize,
    /// ns-2's variant, and since when its queue is idle.
    ns2: bool,
    idle_since: Option<u64>,
}

impl Wred {
    pub fn new(s: &Settings, link: &LinkInfo) -> Self {
        let list = |name, default: &[f64]| match s.0.iter().find(|(given, _)| *given == name) {
            Some((_, Value::Numbers(numbers))) => numbers.clone(),
            _ => default.to_vec(),
        };
        let (min_th, max_th) = (list("min_th", &[1e6, 5.0]), list("max_th", &[2e6, 15.0]));
        let max_p = list("max_p", &[0.1, 0.1]);
        let in_bytes = s.word("measure_in", "packets") == "bytes";
        let level = |i: usize| Level {
            min_th: min_th[i],
            max_th: max_th[i],
            max_p: max_p[i],
            gentle: s.flag("gentle", false),
            spacing: s.word("spacing", "wait"),
            guards: s.flag("guards", true),
            ecn: s.flag("ecn", false),
            n: 0.0,
            printed: -1,
            above: false,
        };
        Self {
            average: Average::new(s.unless_auto("w_q"), capacity(link, 1000.0)),
            levels: (0..min_th.len()).map(level).collect(),
            rule: s.word("precedence", "af"),
            in_bytes,
            judge: 0,
            ns2: s.word("variant", "paper") == "ns2",
            idle_since: None,
        }
    }

    pub fn measured(&self, queue: &Queue) -> f64 {
        if self.in_bytes { queue.bytes() / 1000.0 } else { queue.len() }
    }

    pub fn few(&self, queue: &Queue) -> bool {
        if self.in_bytes { queue.bytes() <= 1.0 } else { queue.len() <= 1.0 }
    }
}

impl AqmScheme for Wred {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        if self.ns2 {
            if !queue.has_room(item) {
                return Say::Drop(Cause::Overflow);
            }
            if let Some(since) = self.idle_since {
                self.average.idle(since);
            }
        }
        self.average.update(queue.now, self.measured(queue));
        self.judge = precedence(item, &self.rule, self.levels.len());
        let few = self.few(queue);
        self.levels[self.judge].judge(self.average.value, few, rng)
    }

    fn overflow(&mut self, _queue: &Queue, _item: &Item) {
        self.levels[self.judge].restart();
    }

    fn queued(&mut self, _queue: &Queue, _item: &Item) {
        self.idle_since = None;
    }

    fn departure(&mut self, queue: &Queue, item: &Item, _rng: &mut Rng) -> Say {
        let level = |item: &Item| precedence(item, &self.rule, self.levels.len());
        if queue.items.iter().all(|other| level(other) != level(item)) {
            self.idle_since = Some(queue.now);
        }
        Say::Pass
    }

    fn idle(&mut self, now: u64) {
        if !self.ns2 {
            self.average.idle(now);
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    guarded(Wred::new(s, link), link)
}

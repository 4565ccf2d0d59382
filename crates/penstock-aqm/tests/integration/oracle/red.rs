//! RED: Floyd and Jacobson 1993, with the details of ns-2 as the papers that used it describe them.

use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, each_with, flag, guarded, limit_in_packets, number,
    secs, word,
};
use penstock_aqm::Cause;
use penstock_core::param::Value;
use penstock_core::{Rng, math};

pub fn settings() -> Vec<Given> {
    let thresholds = vec![
        vec![],
        vec![("min_th", number(0.0)), ("max_th", number(20.0)), ("w_q", number(0.05))],
        vec![("min_th", number(2.0)), ("max_th", number(6.5)), ("max_p", number(0.3)), ("w_q", number(0.2))],
        vec![("min_th", Value::Bytes(3000.0)), ("max_th", number(9.0)), ("max_p", number(1.0)), ("w_q", number(0.5))],
        vec![
            ("min_th", number(1.0)),
            ("max_th", number(4.0)),
            ("w_q", number(1.0)),
            ("mean_packet", Value::Bytes(500.0)),
        ],
        vec![("max_p", number(0.0)), ("w_q", number(0.3))],
        vec![("max_p", number(0.4)), ("w_q", number(0.25)), ("whole_average", flag(true))],
    ];
    let more = [
        vec![("spacing", word("once")), ("ecn", flag(true))],
        vec![("spacing", word("no_wait")), ("ecn", flag(true))],
        vec![("spacing", word("no_wait")), ("guards", flag(false)), ("nonlinear", flag(true))],
        vec![("nonlinear", flag(true)), ("gentle", flag(true)), ("spacing", word("count"))],
        vec![("scale_by_size", word("p_b")), ("measure_in", word("bytes")), ("spacing", word("count"))],
        vec![("scale_by_size", word("p_b")), ("spacing", word("none"))],
        vec![("scale_by_size", word("p_a")), ("measure_in", word("bytes")), ("spacing", word("wait"))],
        vec![("scale_by_size", word("p_a")), ("measure_in", word("bytes")), ("spacing", word("no_wait"))],
        vec![("scale_by_size", word("p_a")), ("guards", flag(false)), ("spacing", word("no_wait"))],
    ];
    let weights = ["auto_rtt", "auto_fast"].map(|rule| vec![("min_th", number(0.5)), ("w_q", word(rule))]);
    [each_with(thresholds.clone(), &variants()), each_with(thresholds, &more), weights.into()].concat()
}

/// How drops are spaced, what is measured, where the ramp ends, what is marked.
pub fn variants() -> Vec<Given> {
    let spacings: Vec<Given> =
        ["wait", "count", "none", "section4"].map(|spacing| vec![("spacing", word(spacing))]).into();
    let guards: Vec<Given> = [true, false].map(|on| vec![("guards", flag(on))]).into();
    let ramps = [
        vec![],
        vec![("gentle", flag(false))],
        vec![("gentle", flag(true))],
        vec![("gentle", flag(true)), ("gentle_top", word("buffer"))],
    ];
    let marks = [
        vec![],
        vec![("ecn", flag(true)), ("measure_in", word("bytes"))],
        vec![("ecn", flag(true)), ("mark_up_to", word("max_p"))],
        vec![("ecn", flag(true)), ("mark_up_to", word("top"))],
    ];
    each_with(each_with(each_with(spacings, &guards), &ramps), &marks)
}

#[derive(Clone)]
pub struct Red {
    pub min_th: f64,
    pub max_th: f64,
    pub max_p: f64,
    /// Where the gentle ramp starts at `max_th`, if it does not follow `max_p`.
    pub ramp_from: Option<f64>,
    w_q: f64,
    pub gentle: bool,
    /// Average at which the gentle ramp reaches 1, and whether that is at twice `max_th`.
    pub top: f64,
    pub doubled: bool,
    spacing: String,
    guards: bool,
    whole_average: bool,
    in_bytes: bool,
    nonlinear: bool,
    scale: String,
    mean: f64,
    largest: f64,
    /// Bytes that arrived since the last drop, those of this arrival included.
    bytes: f64,
    ecn: bool,
    mark_up_to: String,
    /// Packets that the link sends in a second.
    c: f64,
    pub avg: f64,
    /// Arrivals since the last drop, this one included.
    n: f64,
    /// The count of section 4.
    printed: i64,
    /// The value that n p_b must reach.
    goal: f64,
    above: bool,
    idle_since: Option<u64>,
}

impl Red {
    pub fn new(s: &Settings, link: &LinkInfo, defaults: (f64, f64, f64, bool)) -> Self {
        let (min_th, max_th, max_p, gentle) = defaults;
        let mean = s.number("mean_packet", 1000.0);
        let c = link.rate.bits_per_second() as f64 / (8.0 * mean);
        let max_th = s.length("max_th", max_th, mean);
        let top = match s.word("gentle_top", "2max_th").as_str() {
            "buffer" => limit_in_packets(&LinkInfo { mean_packet: penstock_core::Bytes(mean as u64), ..*link }),
            _ => 2.0 * max_th,
        };
        Self {
            min_th: s.length("min_th", min_th, mean),
            max_th,
            max_p: s.number("max_p", max_p),
            ramp_from: None,
            w_q: s.unless_auto("w_q").unwrap_or_else(|| {
                let rtt = link.rtt.map_or(0.1, |rtt| rtt.as_secs().max(0.1));
                1.0 - match s.word("w_q", "auto").as_str() {
                    "auto_rtt" => math::exp(-1.0 / (10.0 * rtt * c)),
                    "auto_fast" => math::exp(-10.0 / c),
                    _ => math::exp(-1.0 / c),
                }
            }),
            gentle: s.flag("gentle", gentle),
            top,
            doubled: s.word("gentle_top", "2max_th") == "2max_th",
            spacing: s.word("spacing", "wait"),
            guards: s.flag("guards", true),
            whole_average: s.flag("whole_average", false),
            in_bytes: s.word("measure_in", "packets") == "bytes",
            nonlinear: s.flag("nonlinear", false),
            scale: s.word("scale_by_size", "never"),
            mean,
            largest: link.mtu.0 as f64,
            bytes: 0.0,
            ecn: s.flag("ecn", false),
            mark_up_to: s.word("mark_up_to", "max_th"),
            c,
            avg: 0.0,
            n: 0.0,
            printed: -1,
            goal: 1.0,
            above: false,
            idle_since: Some(0),
        }
    }

    /// The average is kept in packets; `q` bytes count as q / mean of them.
    pub fn update_average(&mut self, queue: &Queue) {
        let q = if self.in_bytes { queue.bytes() / self.mean } else { queue.len() };
        if let Some(since) = self.idle_since.take() {
            let m = math::floor(secs(queue.now - since) * self.c);
            self.avg *= math::pow(1.0 - self.w_q, m);
        }
        self.avg = if self.whole_average {
            // the whole part of it in what is measured
            (self.avg + self.w_q * (q - math::floor(self.avg * self.unit() + 1e-9) / self.unit())).max(0.0)
        } else {
            (1.0 - self.w_q) * self.avg + self.w_q * q
        };
    }

    /// How many of what is measured make a packet.
    pub fn unit(&self) -> f64 {
        if self.in_bytes { self.mean } else { 1.0 }
    }

    pub fn p_b(&self) -> f64 {
        let from = self.ramp_from.unwrap_or(self.max_p).min(1.0);
        if self.avg < self.min_th {
            0.0
        } else if self.avg < self.max_th {
            let x = (self.avg - self.min_th) / (self.max_th - self.min_th);
            (if self.nonlinear { 1.5 * self.max_p * x * x } else { self.max_p * x }).min(1.0)
        } else if self.gentle && self.avg < self.top {
            from + (1.0 - from) * (self.avg - self.max_th) / (self.top - self.max_th)
        } else {
            1.0
        }
    }

    fn restart(&mut self) {
        (self.n, self.printed, self.bytes) = (0.0, 0, 0.0);
    }

    /// The probability of a drop after the spacing of drops, for a packet of `size` bytes.
    fn p_a(&self, p_b: f64, size: f64) -> f64 {
        let n = if self.scale == "p_a" { math::floor(self.bytes / self.mean) } else { self.n };
        let p_a = match self.spacing.as_str() {
            "once" => f64::from(u8::from(n * p_b >= self.goal)),
            "count" if (n - 1.0) * p_b < 1.0 => p_b / (1.0 - (n - 1.0) * p_b),
            "wait" if n * p_b < 1.0 => 0.0,
            "wait" if n * p_b < 2.0 => p_b / (2.0 - n * p_b),
            "none" => p_b,
            // the pole itself drops, however its denominator is rounded
            "no_wait" if n * p_b < 1.0 => p_b / (1.0 - n * p_b),
            "section4" if (1.0 - self.printed as f64 * p_b).abs() <= 1e-9 => 1.0,
            "section4" => p_b / (1.0 - self.printed as f64 * p_b),
            _ => 1.0,
        };
        if self.scale == "p_a" && p_a < 1.0 { p_a * size / self.mean } else { p_a }
    }

    pub fn judge(&mut self, queue: &Queue, size: f64, rng: &mut Rng) -> Say {
        let plain_p_b = self.p_b();
        let p_b = if self.scale == "p_b" { (plain_p_b * size / self.largest).min(1.0) } else { plain_p_b };
        // At most one unit of the queue, a packet or a byte.
        let q = if self.in_bytes { queue.bytes() } else { queue.len() };
        if self.avg < self.min_th || self.guards && q <= 1.0 {
            self.n = 0.0;
            self.bytes = 0.0;
            self.printed = -1;
            self.above = false;
            return Say::Pass;
        }
        self.n += 1.0;
        self.bytes += size;
        self.printed += 1;
        if self.avg >= if self.gentle { self.max_th.max(self.top) } else { self.max_th } {
            self.restart();
            return Say::Drop(Cause::Forced);
        }
        if !self.above && self.guards {
            self.above = true;
            self.n = if self.spacing == "once" { 0.0 } else { 1.0 };
            self.printed = 0;
            self.bytes = size;
            return Say::Pass;
        }
        if self.spacing == "once" && self.n == 1.0 {
            self.goal = rng.uniform();
        }
        let p_a = self.p_a(p_b, size);
        if p_a <= 0.0 || self.spacing != "once" && rng.uniform() >= p_a {
            return Say::Pass;
        }
        self.restart();
        let marks = match self.mark_up_to.as_str() {
            "max_th" => self.avg < self.max_th,
            "max_p" => plain_p_b < self.max_p,
            _ => true,
        };
        if self.ecn && marks {
            return Say::Mark(Cause::Early);
        }
        Say::Drop(Cause::Early)
    }
}

impl AqmScheme for Red {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        self.update_average(queue);
        self.judge(queue, f64::from(item.size), rng)
    }

    fn overflow(&mut self, _queue: &Queue, _item: &Item) {
        self.restart();
    }

    fn idle(&mut self, now: u64) {
        self.idle_since.get_or_insert(now);
    }
}

pub fn oracle(settings: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    guarded(Red::new(settings, link, (5.0, 15.0, 0.1, false)), link)
}

//! The schemes once more: each as plainly as its source says it, in seconds and lists, without a look at the AQM.
//!
//! An oracle shares only the trace, the settings and the random numbers with the AQM.
#![allow(
    clippy::many_single_char_names,
    clippy::manual_midpoint,
    clippy::struct_field_names,
    clippy::type_complexity,
    reason = "the sources' letters and formulas"
)]
#![allow(unreachable_pub, reason = "shared by the files of this folder")]

use penstock_aqm::{Cause, LinkInfo};
use penstock_core::param::Value;
use penstock_core::{Ecn, Limit, PacketMeta, Rng, Span};
use std::collections::VecDeque;

mod afd;
mod ared_feng;
mod ared_floyd;
mod avq;
mod bernoulli;
mod blue;
mod bred;
mod cake;
mod cbfq;
mod cbq;
mod cbt_red;
mod choke;
mod classes;
mod cobalt;
mod codel;
mod curvy_red;
mod drop_front;
mod droptail;
mod drr;
mod dsdrr;
mod dsred;
mod dtdrr;
mod dual_curvy_red;
mod dualpi2;
mod fb_red;
mod fq;
mod fq_codel;
mod fq_pie;
mod fred;
mod green;
mod lred;
mod nonlinear;
mod p;
mod pi;
mod pi2;
mod pie;
mod pq;
mod psand;
mod push_out;
mod qlaw;
mod qsdrr;
mod ras;
mod red;
mod rem;
mod rio;
mod scfq;
mod sfb;
mod sfc;
mod sfq;
mod shaper;
mod sred;
mod tdrr;
mod wf2q;
mod wfq;
mod wred;
mod wred_dfq;
mod wrt;
mod xred;

/// Settings worth a trace, and the oracle for some of them on a link.
pub type Entry = (&'static str, fn() -> Vec<Given>, fn(&Settings, &LinkInfo) -> Box<dyn Oracle>);

/// All schemes that have an oracle.
pub const ORACLES: &[Entry] = &[
    ("droptail", droptail::settings, droptail::oracle),
    ("bernoulli", bernoulli::settings, bernoulli::oracle),
    ("red", red::settings, red::oracle),
    ("ared-floyd", ared_floyd::settings, ared_floyd::oracle),
    ("ared-feng", ared_feng::settings, ared_feng::oracle),
    ("psand", psand::settings, psand::oracle),
    ("qlaw", qlaw::settings, qlaw::oracle),
    ("fred", fred::settings, fred::oracle),
    ("dual-curvy-red", dual_curvy_red::settings, dual_curvy_red::oracle),
    ("fq-codel", fq_codel::settings, fq_codel::oracle),
    ("wred-dfq", wred_dfq::settings, wred_dfq::oracle),
    ("cobalt", cobalt::settings, cobalt::oracle),
    ("curvy-red", curvy_red::settings, curvy_red::oracle),
    ("pi2", pi2::settings, pi2::oracle),
    ("sred", sred::settings, sred::oracle),
    ("dsred", dsred::settings, dsred::oracle),
    ("nonlinear", nonlinear::settings, nonlinear::oracle),
    ("fq", fq::settings, fq::oracle),
    ("cbfq", cbfq::settings, cbfq::oracle),
    ("scfq", scfq::settings, scfq::oracle),
    ("wf2q", wf2q::settings, wf2q::oracle),
    ("wfq", wfq::settings, wfq::oracle),
    ("pq", pq::settings, pq::oracle),
    ("sfq", sfq::settings, sfq::oracle),
    ("dsdrr", dsdrr::settings, dsdrr::oracle),
    ("dtdrr", dtdrr::settings, dtdrr::oracle),
    ("qsdrr", qsdrr::settings, qsdrr::oracle),
    ("tdrr", tdrr::settings, tdrr::oracle),
    ("drr", drr::settings, drr::oracle),
    ("pie", pie::settings, pie::oracle),
    ("cbt-red", cbt_red::settings, cbt_red::oracle),
    ("rio", rio::settings, rio::oracle),
    ("wrt", wrt::settings, wrt::oracle),
    ("wred", wred::settings, wred::oracle),
    ("blue", blue::settings, blue::oracle),
    ("rem", rem::settings, rem::oracle),
    ("drop-front", drop_front::settings, drop_front::oracle),
    ("push-out", push_out::settings, push_out::oracle),
    ("p", p::settings, p::oracle),
    ("pi", pi::settings, pi::oracle),
    ("avq", avq::settings, avq::oracle),
    ("lred", lred::settings, lred::oracle),
    ("sfc", sfc::settings, sfc::oracle),
    ("codel", codel::settings, codel::oracle),
    ("afd", afd::settings, afd::oracle),
    ("bred", bred::settings, bred::oracle),
    ("choke", choke::settings, choke::oracle),
    ("fb-red", fb_red::settings, fb_red::oracle),
    ("green", green::settings, green::oracle),
    ("xred", xred::settings, xred::oracle),
    ("shaper", shaper::settings, shaper::oracle),
    ("ras", ras::settings, ras::oracle),
    ("cbq", cbq::settings, cbq::oracle),
    ("dualpi2", dualpi2::settings, dualpi2::oracle),
    ("fq-pie", fq_pie::settings, fq_pie::oracle),
    ("cake", cake::settings, cake::oracle),
    ("sfb", sfb::settings, sfb::oracle),
];

pub const MS: u64 = 1_000_000;

/// Nanoseconds as seconds.
pub fn secs(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

/// A packet of a trace; `since` is when it was queued.
#[derive(Clone, Debug)]
pub struct Item {
    pub id: u32,
    pub flow: usize,
    pub size: u32,
    pub ecn: Ecn,
    pub meta: PacketMeta,
    pub since: u64,
}

impl Item {
    pub fn new(id: u32, meta: PacketMeta) -> Self {
        Self { id, flow: meta.flow as usize, size: meta.size, ecn: meta.ecn, meta, since: 0 }
    }

    pub fn ect(&self) -> bool {
        self.ecn != Ecn::Not
    }
}

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Queued,
    Sent,
    Marked(Cause),
    Dropped(Cause),
    /// No packet: the queue holds back until this nanosecond.
    Held(u64),
}

/// Now, the random numbers, and what has happened: (time, packet, fate).
pub struct Bench {
    pub now: u64,
    pub rng: Rng,
    pub log: Vec<(u64, u32, Fate)>,
}

impl Bench {
    pub fn note(&mut self, item: &Item, fate: Fate) {
        self.log.push((self.now, item.id, fate));
    }
}

/// A scheme in its plainest form.
pub trait Oracle {
    fn arrive(&mut self, bench: &mut Bench, item: Item);
    fn depart(&mut self, bench: &mut Bench);
    /// The next operation comes at `until`: expire all timers due before it. A timer due at `until` expires after all
    /// operations of that instant.
    fn pass(&mut self, _bench: &mut Bench, _until: u64) {}
}

/// The settings, by name.
pub type Given = Vec<(&'static str, Value)>;
pub struct Settings(pub Given);

impl Settings {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(given, _)| *given == name).map(|(_, value)| value)
    }

    /// A number, or a time in seconds.
    pub fn number(&self, name: &str, default: f64) -> f64 {
        self.get(name).map_or(default, |value| value.number().unwrap())
    }

    /// A number that may be given as the word "auto".
    pub fn unless_auto(&self, name: &str) -> Option<f64> {
        self.get(name).and_then(Value::number)
    }

    pub fn nanos(&self, name: &str, default: u64) -> u64 {
        match self.get(name) {
            Some(Value::Time(span)) => span.as_nanos(),
            None => default,
            other => panic!("{name} is {other:?}"),
        }
    }

    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.get(name).map_or(default, |value| *value == Value::Flag(true))
    }

    /// A list of codepoints; by default none.
    pub fn codepoints(&self, name: &str) -> Vec<u8> {
        match self.get(name) {
            Some(Value::Numbers(numbers)) => numbers.iter().map(|number| *number as u8).collect(),
            _ => Vec::new(),
        }
    }

    pub fn word(&self, name: &str, default: &'static str) -> String {
        match self.get(name) {
            Some(Value::Text(word)) => word.clone(),
            _ => default.into(),
        }
    }

    /// A length in packets of `mean` bytes, or the time in which the link sends it.
    pub fn target(&self, default: f64, mean: f64, link: &LinkInfo) -> f64 {
        match self.get("target") {
            Some(Value::Time(span)) => span.as_secs() * capacity(link, mean),
            _ => self.length("target", default, mean),
        }
    }

    /// A length in packets of `mean` bytes.
    pub fn length(&self, name: &str, default: f64, mean: f64) -> f64 {
        match self.get(name) {
            Some(Value::Bytes(bytes)) => bytes / mean,
            Some(value) => value.number().unwrap(),
            None => default,
        }
    }
}

pub fn flag(on: bool) -> Value {
    Value::Flag(on)
}

pub fn number(x: f64) -> Value {
    Value::Number(x)
}

pub fn word(word: &str) -> Value {
    Value::Text(word.into())
}

pub fn millis(ms: u64) -> Value {
    Value::Time(Span::from_millis(ms))
}

/// The toss that many AQMs end with: no number is drawn where there is no doubt.
pub fn toss(p: f64, rng: &mut Rng) -> bool {
    p >= 1.0 || p > 0.0 && rng.uniform() < p
}

/// An early drop, or the mark in its place.
pub fn early(ecn: bool) -> Say {
    if ecn { Say::Mark(Cause::Early) } else { Say::Drop(Cause::Early) }
}

/// Packets of `mean` bytes that the link sends in a second.
pub fn capacity(link: &LinkInfo, mean: f64) -> f64 {
    link.rate.bits_per_second() as f64 / (8.0 * mean)
}

/// The design rules' N, R = B / C + rtt and C.
pub fn design(link: &LinkInfo, mean: f64) -> (f64, f64, f64) {
    let c = capacity(link, mean);
    let b = match link.limit {
        Limit::Packets(most) => f64::from(most),
        Limit::Bytes(most) => most as f64 / mean,
        Limit::Infinite => panic!("no R without a limit"),
    };
    (f64::from(link.flows.unwrap()), b / c + link.rtt.unwrap().as_secs(), c)
}

/// The point between `low` and `high` at which `f` changes its sign, if any.
pub fn root(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> Option<f64> {
    if (f(low) < 0.0) == (f(high) < 0.0) {
        return None;
    }
    let rising = f(low) < 0.0;
    for _ in 0..500 {
        let middle = (low + high) / 2.0;
        if (f(middle) < 0.0) == rising { low = middle } else { high = middle }
    }
    Some((low + high) / 2.0)
}

/// Every one of `first` with every one of `second`.
pub fn each_with(first: Vec<Given>, second: &[Given]) -> Vec<Given> {
    let mut all = Vec::new();
    for one in first {
        all.extend(second.iter().map(|other| one.iter().chain(other).cloned().collect::<Given>()));
    }
    all
}

/// The limit of the link in packets of the link's mean size.
pub fn limit_in_packets(link: &LinkInfo) -> f64 {
    link.limit.in_packets(link.mean_packet).unwrap()
}

/// One queue, first in, first out.
pub struct Queue {
    pub now: u64,
    pub limit: Limit,
    pub items: VecDeque<Item>,
}

impl Queue {
    pub fn len(&self) -> f64 {
        self.items.len() as f64
    }

    pub fn bytes(&self) -> f64 {
        self.items.iter().map(|item| f64::from(item.size)).sum()
    }

    pub fn has_room(&self, item: &Item) -> bool {
        match self.limit {
            Limit::Packets(most) => self.items.len() < most as usize,
            Limit::Bytes(most) => self.bytes() + f64::from(item.size) <= most as f64,
            Limit::Infinite => true,
        }
    }
}

/// The verdict of an AQM on a packet. A mark drops packets that are not ECN-capable.
pub enum Say {
    Pass,
    Mark(Cause),
    Drop(Cause),
}

/// An AQM that guards one queue.
pub trait AqmScheme {
    /// Of an arrival; the queue does not hold it yet.
    fn arrival(&mut self, _queue: &Queue, _item: &Item, _rng: &mut Rng) -> Say {
        Say::Pass
    }
    /// It was queued.
    fn queued(&mut self, _queue: &Queue, _item: &Item) {}
    /// It found no room.
    fn overflow(&mut self, _queue: &Queue, _item: &Item) {}
    /// The verdict on the packet at the head, which the queue no longer holds.
    fn departure(&mut self, _queue: &Queue, _item: &Item, _rng: &mut Rng) -> Say {
        Say::Pass
    }
    /// The link asked and nothing waited.
    fn idle(&mut self, _now: u64) {}
    /// When the AQM's timer comes next, and what it does then.
    fn due(&self) -> u64 {
        u64::MAX
    }
    fn tick(&mut self, _queue: &Queue) {}
}

/// An AQM and its queue.
pub struct Guarded<L> {
    aqm: L,
    queue: Queue,
}

/// The oracle of an AQM that guards the one queue of the link.
pub fn guarded<L: AqmScheme + 'static>(aqm: L, link: &LinkInfo) -> Box<dyn Oracle> {
    Box::new(Guarded { aqm, queue: Queue { now: 0, limit: link.limit, items: VecDeque::new() } })
}

impl<L: AqmScheme> Oracle for Guarded<L> {
    fn arrive(&mut self, bench: &mut Bench, mut item: Item) {
        self.queue.now = bench.now;
        let mark = match self.aqm.arrival(&self.queue, &item, &mut bench.rng) {
            Say::Pass => None,
            Say::Mark(cause) if item.ect() => Some(cause),
            Say::Mark(cause) | Say::Drop(cause) => return bench.note(&item, Fate::Dropped(cause)),
        };
        if !self.queue.has_room(&item) {
            self.aqm.overflow(&self.queue, &item);
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        item.since = bench.now;
        self.queue.items.push_back(item.clone());
        self.aqm.queued(&self.queue, &item);
        if let Some(cause) = mark {
            bench.note(&item, Fate::Marked(cause));
        }
        bench.note(&item, Fate::Queued);
    }

    fn depart(&mut self, bench: &mut Bench) {
        self.queue.now = bench.now;
        while let Some(item) = self.queue.items.pop_front() {
            match self.aqm.departure(&self.queue, &item, &mut bench.rng) {
                Say::Pass => {}
                Say::Mark(cause) if item.ect() => bench.note(&item, Fate::Marked(cause)),
                Say::Mark(cause) | Say::Drop(cause) => {
                    bench.note(&item, Fate::Dropped(cause));
                    continue;
                }
            }
            return bench.note(&item, Fate::Sent);
        }
        self.aqm.idle(bench.now);
    }

    fn pass(&mut self, _bench: &mut Bench, until: u64) {
        while self.aqm.due() < until {
            self.queue.now = self.aqm.due();
            self.aqm.tick(&self.queue);
        }
    }
}

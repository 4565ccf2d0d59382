//! SFB: section 1.3.2 of the thesis. With one bin a level, or so many that no two flows share one: what the hash is does
//! not matter then.

use super::{
    AqmScheme, Given, Item, LinkInfo, MS, Oracle, Queue, Say, Settings, capacity, each_with, early, flag, guarded,
    limit_in_packets, millis, number, secs,
};
use penstock_aqm::Cause;
use penstock_core::Rng;

pub fn settings() -> Vec<Given> {
    let many = ("bins", number(65536.0));
    let one = ("bins", number(1.0));
    let own = vec![
        vec![one.clone()],
        vec![many.clone(), ("bin_size", number(3.0)), ("d1", number(0.1)), ("d2", number(0.02))],
        vec![many.clone(), ("bin_size", number(2.0)), ("d1", number(0.3)), ("penalty_burst", number(3.0))],
        vec![one.clone(), ("bin_size", number(5.0)), ("d1", number(0.05)), ("levels", number(1.0))],
        vec![
            one,
            ("bin_size", number(8.0)),
            ("d1", number(0.2)),
            ("max", number(10.0)),
            ("penalty_rate", number(20.0)),
        ],
        vec![many, ("bin_size", number(1.0)), ("d1", number(0.2)), ("max", number(4.0)), ("d2", number(0.1))],
    ];
    let mut all = each_with(own.clone(), &[vec![], vec![("ecn", flag(true)), ("freeze", millis(10))]]);
    // Among many hash functions there is one that puts two flows into one bin, unless all are in one.
    let alike = own.into_iter().filter(|given| given[0].1 == number(1.0)).collect();
    all.extend(each_with(alike, &[vec![("rehash", millis(300)), ("warmup", millis(100))]]));
    all
}

/// A bin; with one bin all flows share the first.
#[derive(Clone, Copy, Default)]
struct Bin {
    p: f64,
    last: u64,
}

struct Sfb {
    levels: usize,
    one: bool,
    bin_size: f64,
    max: Option<f64>,
    d1: f64,
    d2: f64,
    freeze: Option<u64>,
    rate: f64,
    burst: f64,
    rehash: Option<u64>,
    warmup: u64,
    ecn: bool,
    salted: bool,
    /// All levels are alike where no flows share a bin or all do.
    bins: [Bin; 12],
    spare: [Bin; 12],
    changed: u64,
    tokens: f64,
    filled: u64,
}

impl Sfb {
    fn step(&self, mut bin: Bin, qlen: f64, now: u64) -> Bin {
        let by = match qlen {
            _ if qlen > self.bin_size => self.d1,
            0.0 => -self.d2,
            _ => return bin,
        };
        if self.freeze.is_none_or(|freeze| now - bin.last > freeze) {
            bin.p = (bin.p + by).clamp(0.0, 1.0);
            bin.last = now;
        }
        bin
    }
}

impl AqmScheme for Sfb {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        let now = queue.now;
        let i = if self.one { 0 } else { item.flow };
        let functions = if self.rehash.is_some() { 2 * self.levels } else { self.levels };
        if !self.salted {
            (0..functions).for_each(|_| _ = rng.uniform());
            self.salted = true;
        }
        if let Some(rehash) = self.rehash {
            while now - self.changed > rehash {
                self.changed += rehash;
                self.bins = self.spare;
                self.spare = [Bin::default(); 12];
                (0..self.levels).for_each(|_| _ = rng.uniform());
            }
            if now - self.changed >= rehash - self.warmup {
                let qlen = queue.items.iter().filter(|other| self.one || other.flow == item.flow).count() as f64;
                self.spare[i] = self.step(self.spare[i], qlen, now);
            }
        }
        let qlen = queue.items.iter().filter(|other| self.one || other.flow == item.flow).count() as f64;
        self.bins[i] = self.step(self.bins[i], qlen, now);
        if self.max.map_or(qlen > self.bin_size, |max| qlen >= max) {
            return Say::Drop(Cause::Forced);
        }
        let p = self.bins[i].p;
        if p >= 1.0 {
            self.tokens = (self.tokens + self.rate * secs(now - self.filled)).min(self.burst);
            self.filled = now;
            if self.tokens < 1.0 {
                return Say::Drop(Cause::Forced);
            }
            self.tokens -= 1.0;
            return Say::Pass;
        }
        if p > 0.0 && rng.uniform() < p { early(self.ecn) } else { Say::Pass }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let (bins, burst) = (s.number("bins", 23.0), s.number("penalty_burst", 20.0));
    let aqm = Sfb {
        levels: s.number("levels", 2.0) as usize,
        one: bins == 1.0,
        bin_size: s.unless_auto("bin_size").unwrap_or(1.5 * limit_in_packets(link) / bins),
        max: s.unless_auto("max"),
        d1: s.number("d1", 0.005),
        d2: s.number("d2", 0.005),
        freeze: s.unless_auto("freeze").map(|_| s.nanos("freeze", 0)),
        rate: s.unless_auto("penalty_rate").unwrap_or(0.05 * capacity(link, 1000.0)),
        burst,
        rehash: s.unless_auto("rehash").map(|_| s.nanos("rehash", 0)),
        warmup: s.nanos("warmup", 60_000 * MS),
        ecn: s.flag("ecn", false),
        salted: false,
        bins: [Bin::default(); 12],
        spare: [Bin::default(); 12],
        changed: 0,
        tokens: burst,
        filled: 0,
    };
    guarded(aqm, link)
}

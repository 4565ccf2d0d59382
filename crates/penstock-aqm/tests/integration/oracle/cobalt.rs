//! COBALT: section A8 of the specification, which has it from CAKE.

use super::{
    AqmScheme, Given, Item, LinkInfo, MS, Oracle, Queue, Say, Settings, each_with, flag, guarded, millis, number, word,
};
use penstock_aqm::Cause;
use penstock_core::param::Value;
use penstock_core::{Ecn, Rng, Span, math};

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("target", millis(1)), ("interval", millis(20)), ("mtu", Value::Bytes(0.0))],
        vec![
            ("target", millis(2)),
            ("interval", millis(8)),
            ("mtu", Value::Bytes(500.0)),
            ("p_inc", number(0.1)),
            ("p_dec", number(0.05)),
        ],
    ];
    let marks = [
        vec![],
        vec![("ecn", flag(true))],
        vec![("ce_threshold", millis(4))],
        vec![("ecn", flag(true)), ("ce_threshold", millis(1)), ("ce_threshold_for", word("ect1"))],
    ];
    each_with(own, &marks)
}

#[derive(Clone)]
pub struct Cobalt {
    target: u64,
    interval: u64,
    mtu_time: u64,
    p_inc: f64,
    p_dec: f64,
    ecn: bool,
    ce_threshold: u64,
    ect1_only: bool,
    count: u64,
    stepped: bool,
    drop_next: u64,
    dropping: bool,
    p_drop: f64,
    blue_timer: u64,
    /// Flows for each of which two packets may wait.
    pub flows: u64,
}

impl Cobalt {
    pub fn new(target: u64, interval: u64, mtu_time: u64, ecn: bool) -> Self {
        Self {
            target,
            interval,
            mtu_time,
            p_inc: 1.0 / 256.0,
            p_dec: 1.0 / 4096.0,
            ecn,
            ce_threshold: u64::MAX,
            ect1_only: false,
            count: 0,
            stepped: false,
            drop_next: 0,
            dropping: false,
            p_drop: 0.0,
            blue_timer: 0,
            flows: 0,
        }
    }

    /// No state of earlier congestion is left.
    pub fn rests(&self, now: u64) -> bool {
        self.count == 0 && self.p_drop == 0.0 && now >= self.drop_next
    }

    /// `interval / sqrt(count)` after t; at once until count has been stepped for the first time.
    fn after(&self, t: u64) -> u64 {
        if !self.stepped {
            return t;
        }
        t + math::floor(self.interval as f64 / math::sqrt(self.count.max(1) as f64)) as u64
    }

    fn step(&mut self, count: u64) {
        self.count = count;
        self.stepped = true;
        self.drop_next = self.after(self.drop_next);
    }
}

impl AqmScheme for Cobalt {
    fn departure(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        let now = queue.now;
        let sojourn = now - item.since;
        let over = sojourn > self.target && sojourn > self.mtu_time * 4 && sojourn > self.mtu_time * 2 * self.flows;
        let mut due = self.count > 0 && now >= self.drop_next;
        if !over {
            self.dropping = false;
        } else if !self.dropping {
            self.dropping = true;
            self.drop_next = self.after(now);
            self.count = self.count.max(1);
        }
        let mut say = Say::Pass;
        if due && self.dropping {
            let marks = self.ecn && item.ect();
            say = if marks { Say::Mark(Cause::Sojourn) } else { Say::Drop(Cause::Sojourn) };
            self.step(self.count + 1);
        } else {
            while due {
                self.step(self.count - 1);
                due = self.count > 0 && now >= self.drop_next;
            }
        }
        if self.p_drop > 0.0 && rng.uniform() < self.p_drop {
            say = Say::Drop(Cause::Sojourn);
        }
        if self.count == 0 {
            self.drop_next = now + self.interval;
        } else if now > self.drop_next && !matches!(say, Say::Drop(_)) {
            self.drop_next = now;
        }
        let meant = if self.ect1_only { item.ecn == Ecn::Ect1 } else { item.ect() };
        if meant && sojourn > self.ce_threshold && matches!(say, Say::Pass) {
            say = Say::Mark(Cause::Sojourn);
        }
        say
    }

    fn overflow(&mut self, queue: &Queue, _item: &Item) {
        if queue.now - self.blue_timer > self.target {
            self.p_drop = (self.p_drop + self.p_inc).min(1.0);
            self.blue_timer = queue.now;
        }
        self.dropping = true;
        self.drop_next = queue.now;
        self.count = self.count.max(1);
    }

    fn idle(&mut self, now: u64) {
        if self.p_drop > 0.0 && now - self.blue_timer > self.target {
            self.p_drop = (self.p_drop - self.p_dec).max(0.0);
            self.blue_timer = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.step(self.count - 1);
        }
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let mtu = s.unless_auto("mtu").unwrap_or(link.mtu.0 as f64);
    let (target, interval) = (s.nanos("target", 5 * MS), s.nanos("interval", 100 * MS));
    let mtu_time = Span::from_secs(8.0 * mtu / link.rate.bits_per_second() as f64).as_nanos();
    let aqm = Cobalt {
        p_inc: s.number("p_inc", 1.0 / 256.0),
        p_dec: s.number("p_dec", 1.0 / 4096.0),
        ce_threshold: s.nanos("ce_threshold", u64::MAX),
        ect1_only: s.word("ce_threshold_for", "ect") == "ect1",
        ..Cobalt::new(target, interval, mtu_time, s.flag("ecn", false))
    };
    guarded(aqm, link)
}

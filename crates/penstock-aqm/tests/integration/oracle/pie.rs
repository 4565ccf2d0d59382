//! PIE: RFC 8033, appendix A ("basic") and appendix B with timestamps ("extended"). Not "linux", which is no text, and
//! not the estimation of the rate.

use super::{
    AqmScheme, Given, Item, LinkInfo, MS, Oracle, Queue, Say, Settings, each_with, flag, guarded, millis, number, secs,
    word,
};
use penstock_aqm::Cause;
use penstock_core::param::Value;
use penstock_core::{Limit, Rng};

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![
            ("target", millis(2)),
            ("t_update", millis(3)),
            ("alpha", number(5.0)),
            ("beta", number(20.0)),
            ("max_burst", millis(10)),
        ],
        vec![
            ("target", millis(5)),
            ("t_update", millis(5)),
            ("beta", number(60.0)),
            ("max_burst", millis(0)),
            ("mean_packet", Value::Bytes(100.0)),
        ],
        vec![
            ("target", millis(1)),
            ("t_update", millis(1)),
            ("alpha", number(20.0)),
            ("beta", number(200.0)),
            ("max_burst", millis(4)),
        ],
    ];
    let marks = [vec![], vec![("ecn", flag(true))], vec![("ecn", flag(true)), ("mark_ecnth", number(0.6))]];
    let forms = [
        vec![("variant", word("basic"))],
        vec![],
        vec![("activation", word("off"))],
        vec![("derandomization", word("off"))],
        vec![("cap_drop", word("off")), ("activation", word("on"))],
        vec![("variant", word("basic")), ("activation", word("on"))],
        vec![("variant", word("basic")), ("derandomization", word("on")), ("cap_drop", word("on"))],
    ];
    each_with(each_with(own, &forms), &marks)
}

pub struct Pie {
    extended: bool,
    /// Sections 5.3 to 5.5.
    activates: bool,
    derandomizes: bool,
    caps: bool,
    reference: f64,
    update: u64,
    alpha: f64,
    beta: f64,
    max_burst: u64,
    mean: f64,
    ecn: bool,
    mark_ecnth: f64,
    limit: Limit,
    active: bool,
    burst: u64,
    pub p: f64,
    accu: f64,
    delay: f64,
    delay_old: f64,
    last_timestamp: u64,
    due: u64,
}

impl Pie {
    pub fn new(s: &Settings, link: &LinkInfo) -> Self {
        let extended = s.word("variant", "extended") == "extended";
        let update = s.nanos("t_update", 15 * MS);
        let max_burst = s.nanos("max_burst", 150 * MS);
        let on = |name| match s.word(name, "auto").as_str() {
            "auto" => extended,
            word => word == "on",
        };
        let activates = on("activation");
        Self {
            extended,
            activates,
            derandomizes: on("derandomization"),
            caps: on("cap_drop"),
            reference: secs(s.nanos("target", 15 * MS)),
            update,
            alpha: s.number("alpha", 0.125),
            beta: s.number("beta", 1.25),
            max_burst,
            mean: s.unless_auto("mean_packet").unwrap_or(link.mtu.0 as f64),
            ecn: s.flag("ecn", false),
            mark_ecnth: s.number("mark_ecnth", 0.1),
            limit: link.limit,
            active: !activates,
            burst: max_burst,
            p: 0.0,
            accu: 0.0,
            delay: 0.0,
            delay_old: 0.0,
            last_timestamp: 0,
            due: update,
        }
    }

    fn drop_early(&mut self, queue: &Queue, rng: &mut Rng) -> bool {
        if self.delay_old < self.reference / 2.0 && self.p < 0.2 || queue.bytes() <= 2.0 * self.mean {
            return false;
        }
        if !self.derandomizes {
            return rng.uniform() < self.p;
        }
        if self.p == 0.0 {
            self.accu = 0.0;
        }
        self.accu += self.p;
        if self.accu < 0.85 {
            return false;
        }
        if self.accu >= 8.5 {
            return true;
        }
        let hit = rng.uniform() < self.p;
        if hit {
            self.accu = 0.0;
        }
        hit
    }

    /// Whether a third of the limit is filled.
    fn third(&self, queue: &Queue, more: Option<&Item>) -> bool {
        match self.limit {
            Limit::Packets(most) => 3.0 * (queue.len() + more.map_or(0.0, |_| 1.0)) >= f64::from(most),
            Limit::Bytes(most) => 3.0 * (queue.bytes() + more.map_or(0.0, |item| f64::from(item.size))) >= most as f64,
            Limit::Infinite => true,
        }
    }

    /// The limit has dropped the packet.
    fn found_no_room(&mut self, queue: &Queue) {
        self.accu = 0.0;
        self.turn_on_or_off(queue);
    }

    /// The end of enque() in appendix B, with what waits then.
    fn turn_on_or_off(&mut self, queue: &Queue) {
        if !self.activates {
            return;
        }
        let third = self.third(queue, None);
        if !self.active && third {
            self.active = true;
            self.last_timestamp = queue.now;
            (self.p, self.delay_old, self.accu, self.burst) = (0.0, 0.0, 0.0, self.max_burst);
        }
        if self.p == 0.0 && self.delay_old == 0.0 && self.delay == 0.0 && !third {
            self.active = false;
        }
    }
}

impl AqmScheme for Pie {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        let half = self.reference / 2.0;
        // section 4.4, which 5.3 replaces
        if !self.activates && self.p == 0.0 && self.delay < half && self.delay_old < half {
            self.burst = self.max_burst;
        }
        if self.extended && !queue.has_room(item) {
            self.found_no_room(queue);
            return Say::Drop(Cause::Overflow);
        }
        let hit = if self.extended {
            self.active && self.drop_early(queue, rng) && self.burst == 0
        } else {
            self.active && self.burst == 0 && self.drop_early(queue, rng)
        };
        if !hit {
            return Say::Pass;
        }
        self.accu = 0.0;
        if self.ecn && self.p < self.mark_ecnth && item.ect() {
            return Say::Mark(Cause::Early);
        }
        self.turn_on_or_off(queue);
        Say::Drop(Cause::Early)
    }

    fn queued(&mut self, queue: &Queue, _item: &Item) {
        self.turn_on_or_off(queue);
    }

    fn departure(&mut self, queue: &Queue, item: &Item, _rng: &mut Rng) -> Say {
        self.delay = secs(queue.now - item.since);
        Say::Pass
    }

    fn idle(&mut self, _now: u64) {
        self.delay = 0.0;
    }

    fn due(&self) -> u64 {
        self.due
    }

    fn tick(&mut self, _queue: &Queue) {
        let now = self.due;
        self.due += self.update;
        if !self.active || now - self.last_timestamp < self.update {
            return;
        }
        self.last_timestamp = now;
        let step = self.alpha * (self.delay - self.reference) + self.beta * (self.delay - self.delay_old);
        let scale = [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (0.01, 8.0), (0.1, 2.0)];
        let mut step = step / scale.iter().find(|(below, _)| self.p < *below).map_or(1.0, |(_, divisor)| *divisor);
        if self.caps && self.p >= 0.1 && step > 0.02 {
            step = 0.02;
        }
        self.p += step;
        let half = self.reference / 2.0;
        let gone = if self.extended {
            self.delay < half && self.delay_old < half
        } else {
            self.delay == 0.0 && self.delay_old == 0.0
        };
        if gone {
            self.p *= 0.98;
        }
        self.p = self.p.clamp(0.0, 1.0);
        self.delay_old = self.delay;
        self.burst = self.burst.saturating_sub(self.update);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    guarded(Pie::new(s, link), link)
}

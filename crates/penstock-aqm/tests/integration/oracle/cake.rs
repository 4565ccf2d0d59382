//! CAKE: section A9 of the specification, and the scheme's page where that is silent. The hash is the scheme's.

use super::cobalt::Cobalt;
use super::{AqmScheme, Bench, Fate, Given, Item, LinkInfo, MS, Oracle, Queue, Say, Settings, each_with, flag, millis};
use super::{number, secs, word};
use crate::rig::ack_of;
use penstock_aqm::Cause;
use penstock_core::param::Value;
use penstock_core::{Limit, PureAck, Span};
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

mod parts;

use parts::{Pace, Wire, dither, hash, tin_of, weights};

pub fn settings() -> Vec<Given> {
    let shapers = vec![
        vec![],
        vec![("bandwidth", number(1_000_000.0))],
        vec![("bandwidth", number(3_000_000.0)), ("overhead", Value::Bytes(38.0)), ("rtt", millis(10))],
        vec![("rtt", millis(4)), ("ecn", flag(false))],
        vec![("bandwidth", number(20_000_000.0)), ("rtt", millis(20)), ("overhead", Value::Bytes(8.0))],
        vec![("bandwidth", number(2_000_000.0)), ("overhead", Value::Bytes(10.0)), ("cells", word("atm"))],
        vec![("bandwidth", number(2_000_000.0)), ("mpu", Value::Bytes(200.0)), ("cells", word("ptm"))],
    ];
    let isolations =
        ["triple-isolate", "dual-srchost", "dual-dsthost", "flows", "hosts", "srchost", "dsthost", "flowblind"];
    let isolations = isolations.map(|name| vec![("isolation", word(name))]);
    let diffserv = ["diffserv3", "diffserv4", "diffserv8", "precedence", "besteffort"];
    let diffserv = diffserv.map(|name| vec![("diffserv", word(name))]);
    let flows = [vec![], vec![("flows", number(8.0))], vec![("flows", number(20.0))], vec![("flows", number(3.0))]];
    let others = [
        vec![],
        vec![("ack_filter", word("conservative"))],
        vec![("ack_filter", word("aggressive")), ("ingress", flag(true))],
        vec![("ingress", flag(true))],
        vec![("wash", flag(true)), ("ack_filter", word("aggressive"))],
    ];
    each_with(each_with(each_with(each_with(shapers, &isolations), &diffserv), &flows), &others)
}

/// One of the queues of a tin.
struct Flow {
    /// The packet that came to it first.
    born: u32,
    of: u64,
    src: u32,
    dst: u32,
    items: VecDeque<Item>,
    cobalt: Cobalt,
    credit: f64,
    bulk: bool,
    /// How many queues were used before it, and the credits it has been given.
    number: u64,
    credits: u64,
}

impl Flow {
    fn bytes(&self) -> u64 {
        self.items.iter().map(|item| u64::from(item.size)).sum()
    }
}

struct Tin {
    pace: Pace,
    priority: f64,
    share: f64,
    credit: f64,
    quantum: u64,
    cobalt: Cobalt,
    flows: BTreeMap<u64, Flow>,
    sparse: VecDeque<u64>,
    rotation: VecDeque<u64>,
    decaying: VecDeque<u64>,
}

impl Tin {
    fn packets(&self) -> usize {
        self.flows.values().map(|flow| flow.items.len()).sum()
    }

    fn idle(&self, i: u64) -> bool {
        ![&self.sparse, &self.rotation, &self.decaying].iter().any(|list| list.contains(&i))
    }
}

struct Cake {
    limit: Limit,
    shaper: Option<Pace>,
    /// In the ingress mode with a shaper: what the shaper would be at two thirds of its rate without the drops.
    failsafe: Option<Pace>,
    ingress: bool,
    /// Redundant ACKs that must wait; 0 without a filter.
    filter: usize,
    wire: Wire,
    diffserv: String,
    isolation: String,
    ways: u64,
    salt: Option<u64>,
    tins: Vec<Tin>,
    turn: usize,
}

impl Cake {
    /// Whose packet it is.
    fn owner(&self, item: &Item) -> u64 {
        let rare = item.meta.rare.unwrap();
        match self.isolation.as_str() {
            "flowblind" => 0,
            "srchost" => rare.src.into(),
            "dsthost" => rare.dst.into(),
            "hosts" => u64::from(rare.src) << 32 | u64::from(rare.dst),
            _ => item.flow as u64,
        }
    }

    /// The bucket in the tin for this packet: eight ways around its own.
    fn bucket(&mut self, tin: usize, item: &Item, bench: &mut Bench) -> u64 {
        let salt = *self.salt.get_or_insert_with(|| bench.rng.bits());
        if self.isolation == "flowblind" {
            return 0;
        }
        let of = self.owner(item);
        let own = (hash(of, salt) * self.ways) >> 32;
        let set: Vec<u64> = (0..8).map(|k| own / 8 * 8 + (own + k) % 8).filter(|&i| i < self.ways).collect();
        let tin = &self.tins[tin];
        let has = |i: &&u64| tin.flows.get(i).is_some_and(|flow| flow.of == of);
        *set.iter().find(has).or_else(|| set.iter().find(|&&i| tin.idle(i))).unwrap_or(&own)
    }

    /// The number of bulk queues with the source or the destination of this one.
    fn load(&self, tin: usize, i: u64) -> u64 {
        let (tin, this) = (&self.tins[tin], &self.tins[tin].flows[&i]);
        let from = tin.flows.values().filter(|flow| flow.bulk && flow.src == this.src).count() as u64;
        let to = tin.flows.values().filter(|flow| flow.bulk && flow.dst == this.dst).count() as u64;
        match self.isolation.as_str() {
            "triple-isolate" => from.max(to).max(1),
            "dual-srchost" => from.max(1),
            "dual-dsthost" => to.max(1),
            _ => 1,
        }
    }

    /// Gives a round's credit: quantum / n, rounded up if its random number is below the fraction.
    fn give_credit(&mut self, tin: usize, i: u64) {
        let (quantum, n) = (self.tins[tin].quantum, self.load(tin, i));
        let flow = self.tins[tin].flows.get_mut(&i).unwrap();
        let random = dither(self.salt.unwrap(), flow.number, flow.credits);
        let up = random * u128::from(n) < u128::from(quantum % n) << 64;
        flow.credits += 1;
        flow.credit += (quantum / n) as f64 + f64::from(u8::from(up));
    }

    fn packets(&self) -> usize {
        self.tins.iter().map(Tin::packets).sum()
    }

    fn over(&self) -> bool {
        let bytes = self.tins.iter().flat_map(|tin| tin.flows.values()).map(Flow::bytes).sum::<u64>();
        match self.limit {
            Limit::Packets(most) => self.packets() > most as usize,
            Limit::Bytes(most) => bytes > most,
            Limit::Infinite => false,
        }
    }

    /// The longest queue loses its head.
    fn drop_longest(&mut self, bench: &mut Bench) {
        let flows = self.tins.iter_mut().flat_map(|tin| tin.flows.values_mut());
        let longest = flows.min_by_key(|flow| (Reverse(flow.bytes()), flow.born)).unwrap();
        let (gone, born) = (longest.items.pop_front().unwrap(), longest.born);
        longest.cobalt.overflow(&at(bench.now), &gone);
        bench.note(&gone, Fate::Dropped(Cause::Evicted));
        let t = self.tins.iter().position(|tin| tin.flows.values().any(|flow| flow.born == born)).unwrap();
        self.count_drop(t, &gone, bench.now);
    }

    /// A packet of this tin was dropped: in the ingress mode the shaper counts it, unless drops have taken more than a
    /// third.
    fn count_drop(&mut self, t: usize, gone: &Item, now: u64) {
        let Some(failsafe) = &self.failsafe else { return };
        let shaper = self.shaper.as_mut().unwrap();
        let nanos = |pace: &Pace| pace.next.div_ceil(pace.rate);
        if nanos(shaper) <= nanos(failsafe) {
            let length = self.wire.size(gone);
            shaper.send(length);
            self.tins[t].pace.run_ahead(now, length);
        }
    }

    /// The packet that came last to queue `i` of tin `t` is an ACK: an older one may go.
    fn filter(&mut self, t: usize, i: u64, bench: &mut Bench) {
        let items = &mut self.tins[t].flows.get_mut(&i).unwrap().items;
        let newest = items.back().unwrap().clone();
        let Some(ack) = ack_of(&newest.meta).filter(|_| self.filter > 0) else { return };
        let is_redundant = |item: &Item| {
            let redundant = |old: PureAck| {
                let timestamp = match (old.timestamp, ack.timestamp) {
                    (Some(old), Some(new)) => new.wrapping_sub(old).cast_signed() >= 0,
                    (old, new) => old.is_none() && new.is_none(),
                };
                let same = old.connection == ack.connection && old.ace == ack.ace && !old.has_other_options;
                same && timestamp && holds(&ack, &old) && !holds(&old, &ack)
            };
            item.flow == newest.flow && ack_of(&item.meta).is_some_and(redundant)
        };
        let redundant: Vec<usize> = (0..items.len() - 1).filter(|&k| is_redundant(&items[k])).collect();
        if redundant.len() >= self.filter {
            let gone = items.remove(redundant[0]).unwrap();
            bench.note(&gone, Fate::Dropped(Cause::Filtered));
            self.count_drop(t, &gone, bench.now);
        }
    }

    /// The tin to serve next.
    fn tin(&mut self, now: u64) -> usize {
        if self.shaper.is_some() {
            let mut busy: Vec<usize> = (0..self.tins.len()).filter(|&t| self.tins[t].packets() > 0).collect();
            // higher numbers first, but Best Effort last
            let best_effort = usize::from(matches!(self.diffserv.as_str(), "diffserv3" | "diffserv4"));
            busy.sort_by_key(|&t| (t == best_effort, Reverse(t)));
            let due = |t: &usize| self.tins[*t].pace.next.div_ceil(self.tins[*t].pace.rate);
            let within = busy.iter().copied().find(|t| !self.tins[*t].pace.waits(now));
            return within.unwrap_or_else(|| busy.into_iter().min_by_key(due).unwrap());
        }
        loop {
            let (turn, count) = (self.turn, self.tins.len());
            let tin = &mut self.tins[turn];
            if tin.packets() > 0 && tin.credit > 0.0 {
                return turn;
            }
            self.turn = (turn + 1) % count;
            let tin = &mut self.tins[self.turn];
            let weight = if tin.pace.waits(now) { tin.share } else { tin.priority };
            tin.credit = if tin.packets() == 0 { 0.0 } else { tin.credit + 1024.0 * weight };
        }
    }

    /// The next packet of a tin that has one.
    fn serve(&mut self, t: usize, bench: &mut Bench) -> Item {
        let mut first = true;
        loop {
            let tin = &mut self.tins[t];
            let lists = [&tin.sparse, &tin.rotation, &tin.decaying];
            let list = if first && !tin.decaying.is_empty() {
                2
            } else {
                lists.iter().position(|list| !list.is_empty()).unwrap()
            };
            first = false;
            let i = lists[list][0];
            if tin.flows[&i].credit <= 0.0 {
                let flow = tin.flows.get_mut(&i).unwrap();
                if list == 0 && !flow.items.is_empty() {
                    flow.bulk = true;
                }
                self.give_credit(t, i);
                let tin = &mut self.tins[t];
                take(tin, i);
                tin.rotation.push_back(i);
                continue;
            }
            let bulk = tin.flows.values().filter(|flow| flow.bulk).count() as u64;
            while let Some(item) = self.tins[t].flows.get_mut(&i).unwrap().items.pop_front() {
                let flow = self.tins[t].flows.get_mut(&i).unwrap();
                flow.cobalt.flows = if self.ingress { bulk } else { 0 };
                match flow.cobalt.departure(&at(bench.now), &item, &mut bench.rng) {
                    Say::Drop(cause) if !flow.items.is_empty() => {
                        bench.note(&item, Fate::Dropped(cause));
                        self.count_drop(t, &item, bench.now);
                        continue;
                    }
                    Say::Mark(cause) => bench.note(&item, Fate::Marked(cause)),
                    _ => {}
                }
                flow.credit -= self.wire.size(&item) as f64;
                return item;
            }
            let tin = &mut self.tins[t];
            let flow = tin.flows.get_mut(&i).unwrap();
            flow.cobalt.idle(bench.now);
            flow.bulk = false;
            let rests = flow.cobalt.rests(bench.now);
            take(tin, i);
            if !rests {
                tin.decaying.push_back(i);
            }
        }
    }
}

/// Whether the first ACK acknowledges every number that the second does; those of the rig are near 0.
fn holds(ack: &PureAck, other: &PureAck) -> bool {
    let holds = |ack: &PureAck, number: u32| {
        let at = |of: u32| of.wrapping_sub(number).cast_signed();
        at(ack.number) > 0 || ack.blocks.iter().any(|block| at(block.start) <= 0 && at(block.end) > 0)
    };
    (0..100_u32).map(|number| number.wrapping_sub(50)).all(|number| !holds(other, number) || holds(ack, number))
}

/// Out of the list it is in.
fn take(tin: &mut Tin, i: u64) {
    for list in [&mut tin.sparse, &mut tin.rotation, &mut tin.decaying] {
        list.retain(|&other| other != i);
    }
}

fn at(now: u64) -> Queue {
    Queue { now, limit: Limit::Infinite, items: VecDeque::new() }
}

impl Oracle for Cake {
    fn arrive(&mut self, bench: &mut Bench, mut item: Item) {
        let t = tin_of(&self.diffserv, item.meta.dscp);
        let i = self.bucket(t, &item, bench);
        let (of, rare) = (self.owner(&item), item.meta.rare.unwrap());
        if self.packets() == 0 {
            self.shaper.iter_mut().chain(&mut self.failsafe).for_each(|shaper| shaper.wake(bench.now));
        }
        let number = self.tins.iter().map(|tin| tin.flows.len() as u64).sum();
        let tin = &mut self.tins[t];
        if tin.packets() == 0 {
            tin.pace.wake(bench.now);
        }
        let (sparse, cobalt) = (tin.idle(i) || tin.decaying.contains(&i), tin.cobalt.clone());
        let new = |born| Flow {
            born,
            of,
            src: 0,
            dst: 0,
            items: VecDeque::new(),
            cobalt,
            credit: 0.0,
            bulk: false,
            number,
            credits: 0,
        };
        let rotates = tin.rotation.contains(&i);
        let flow = tin.flows.entry(i).or_insert_with(|| new(item.id));
        (flow.of, flow.src, flow.dst) = (of, rare.src, rare.dst);
        item.since = bench.now;
        bench.note(&item, Fate::Queued);
        flow.items.push_back(item);
        if rotates {
            flow.bulk = true;
        } else if sparse {
            take(tin, i);
            tin.sparse.push_back(i);
            self.tins[t].flows.get_mut(&i).unwrap().credit = 0.0;
            self.give_credit(t, i);
        }
        self.filter(t, i, bench);
        while self.over() {
            self.drop_longest(bench);
        }
    }

    fn depart(&mut self, bench: &mut Bench) {
        if self.packets() == 0 {
            return;
        }
        if let Some(shaper) = self.shaper.as_ref().filter(|shaper| shaper.waits(bench.now)) {
            let until = shaper.next.div_ceil(shaper.rate) as u64;
            return bench.log.push((bench.now, u32::MAX, Fate::Held(until)));
        }
        let t = self.tin(bench.now);
        let item = self.serve(t, bench);
        let length = self.wire.size(&item);
        self.shaper.iter_mut().chain(&mut self.failsafe).for_each(|shaper| shaper.send(length));
        let tin = &mut self.tins[t];
        if self.shaper.is_some() {
            tin.pace.run_ahead(bench.now, length);
        } else {
            tin.pace.send(length);
        }
        tin.credit -= length as f64;
        bench.note(&item, Fate::Sent);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let bandwidth = s.unless_auto("bandwidth");
    let rate = bandwidth.unwrap_or(link.rate.bits_per_second() as f64);
    let rtt = secs(s.nanos("rtt", 100 * MS));
    let diffserv = s.word("diffserv", "diffserv3");
    let ingress = s.flag("ingress", false);
    let tin = |(priority, share): (f64, f64)| {
        let rate = share * rate;
        let mtu_time = 8.0 * link.mtu.0 as f64 / rate;
        let target = (rtt / 20.0).max(1.5 * mtu_time);
        let interval = (rtt + target - rtt / 20.0).max(2.0 * target);
        let [target, interval, mtu_time] = [target, interval, mtu_time].map(|time| Span::from_secs(time).as_nanos());
        let ecn = s.flag("ecn", true);
        Tin {
            pace: Pace { rate: rate as u128, next: 0 },
            priority,
            share,
            credit: 0.0,
            quantum: (rate / 8.0 / 4096.0).clamp(300.0, link.mtu.0.max(300) as f64) as u64,
            cobalt: Cobalt::new(target, interval, mtu_time, ecn),
            flows: BTreeMap::new(),
            sparse: VecDeque::new(),
            rotation: VecDeque::new(),
            decaying: VecDeque::new(),
        }
    };
    Box::new(Cake {
        limit: link.limit,
        shaper: bandwidth.map(|rate| Pace { rate: rate as u128, next: 0 }),
        failsafe: bandwidth.filter(|_| ingress).map(|rate| Pace { rate: rate as u128 * 2 / 3, next: 0 }),
        ingress,
        filter: match s.word("ack_filter", "off").as_str() {
            "conservative" => 2,
            "aggressive" => 1,
            _ => 0,
        },
        wire: Wire {
            overhead: s.number("overhead", 0.0) as u64,
            mpu: s.number("mpu", 0.0) as u64,
            cells: s.word("cells", "none"),
        },
        isolation: s.word("isolation", "triple-isolate"),
        ways: s.number("flows", 1024.0) as u64,
        salt: None,
        tins: weights(&diffserv).into_iter().map(tin).collect(),
        diffserv,
        turn: 0,
    })
}

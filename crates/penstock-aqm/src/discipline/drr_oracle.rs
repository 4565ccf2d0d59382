//! Plain second implementations of the schemes under deficit round robin: packets are kept in lists, no round is
//! skipped, and orders are found by searching all queues. On random traces both implementations must do the same.

use super::drr_test_harness::{Bench, Fate};
use crate::aqm::Cause;
use penstock_core::param::Value;
use penstock_core::{Limit, Rng, Span};
use std::collections::VecDeque;

const FLOWS: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scheme {
    Drr,
    DropTailOfLongest,
    Tdrr,
    Qsdrr,
    Dtdrr,
    Dsdrr,
}

/// The plain implementation; `queues` hold the sizes of packets.
struct Plain {
    scheme: Scheme,
    limit: Limit,
    quantum: u32,
    now: f64,
    queues: Vec<VecDeque<u32>>,
    deficits: Vec<u32>,
    round: VecDeque<usize>,
    in_turn: bool,
    fates: Vec<Fate>,
    /// TDRR.
    throughput: Vec<f64>,
    sent_at: Vec<Option<f64>>,
    /// QSDRR.
    drop_queue: Option<usize>,
    /// DSDRR.
    discard: Vec<bool>,
    used: usize,
    w: Option<usize>,
    overflow: bool,
}

impl Plain {
    fn new(scheme: Scheme, limit: Limit, quantum: u32) -> Self {
        Self {
            scheme,
            limit,
            quantum,
            now: 0.0,
            queues: vec![VecDeque::new(); FLOWS],
            deficits: vec![0; FLOWS],
            round: VecDeque::new(),
            in_turn: false,
            fates: Vec::new(),
            throughput: vec![0.0; FLOWS],
            sent_at: vec![None; FLOWS],
            drop_queue: None,
            discard: vec![false; FLOWS],
            used: 0,
            w: None,
            overflow: false,
        }
    }

    fn total(&self) -> u64 {
        let lengths = self.queues.iter().map(|queue| match self.limit {
            Limit::Bytes(_) => queue.iter().map(|&size| u64::from(size)).sum(),
            _ => queue.len() as u64,
        });
        lengths.sum()
    }

    fn capacity(&self) -> u64 {
        match self.limit {
            Limit::Packets(limit) => u64::from(limit),
            Limit::Bytes(limit) => limit,
            Limit::Infinite => u64::MAX,
        }
    }

    fn amount(&self, size: u32) -> u64 {
        if matches!(self.limit, Limit::Bytes(_)) { u64::from(size) } else { 1 }
    }

    fn has_room(&self, size: u32) -> bool {
        self.total() + self.amount(size) <= self.capacity()
    }

    fn push(&mut self, i: usize, size: u32) {
        if self.queues[i].is_empty() {
            self.round.push_back(i);
            self.deficits[i] = 0;
            if self.sent_at[i].is_none_or(|at| self.now - at > 0.5) {
                (self.throughput[i], self.sent_at[i]) = (0.0, Some(self.now));
            }
        }
        self.queues[i].push_back(size);
    }

    fn after_pop(&mut self, i: usize) {
        if self.queues[i].is_empty() {
            if self.round[0] == i {
                self.in_turn = false;
            }
            self.round.retain(|&other| other != i);
            self.discard[i] = false;
            if self.drop_queue == Some(i) {
                self.drop_queue = None;
            }
        }
    }

    /// The first of the longest queues, in the order of the round.
    fn longest(&self, length: impl Fn(&VecDeque<u32>) -> u64) -> Option<usize> {
        let most = self.round.iter().map(|&i| length(&self.queues[i])).max()?;
        self.round.iter().copied().find(|&i| length(&self.queues[i]) == most)
    }

    fn arrive(&mut self, i: usize, size: u32) {
        self.used = self.used.max(i + 1);
        let fate = match self.scheme {
            Scheme::Dtdrr | Scheme::Dsdrr => self.judge(i, size),
            _ if self.amount(size) > self.capacity() => Some(Cause::Overflow),
            Scheme::Drr | Scheme::DropTailOfLongest => return self.push_then_drop(i, size),
            Scheme::Tdrr | Scheme::Qsdrr => {
                self.drop_then_push(i, size);
                None
            }
        };
        self.fates.push(fate.map_or(Fate::Queued(i as u32), |cause| Fate::Dropped(i as u32, cause)));
    }

    fn push_then_drop(&mut self, i: usize, size: u32) {
        self.push(i, size);
        while self.total() > self.capacity() {
            let is_drr = self.scheme == Scheme::Drr;
            let bytes = |queue: &VecDeque<u32>| queue.iter().map(|&size| u64::from(size)).sum();
            let victim = self.longest(|queue| if is_drr { bytes(queue) } else { queue.len() as u64 }).unwrap();
            let is_arrival = victim == i && (!is_drr || self.queues[i].len() == 1);
            if is_drr {
                self.queues[victim].pop_front()
            } else {
                self.queues[victim].pop_back()
            };
            self.after_pop(victim);
            let cause = if is_arrival { Cause::Overflow } else { Cause::Evicted };
            self.fates.push(Fate::Dropped(victim as u32, cause));
            if is_arrival {
                return;
            }
        }
        self.fates.push(Fate::Queued(i as u32));
    }

    fn drop_then_push(&mut self, i: usize, size: u32) {
        while !self.has_room(size) {
            let victim = if self.scheme == Scheme::Tdrr {
                let decayed = |&i: &usize| self.throughput[i] * (-(self.now - self.sent_at[i].unwrap()) / 0.1).exp();
                let highest = self.round.iter().map(decayed).fold(0.0, f64::max);
                self.round.iter().copied().filter(|i| decayed(i) == highest).min().unwrap()
            } else {
                self.drop_queue.or_else(|| self.longest(|queue| queue.len() as u64)).unwrap()
            };
            self.drop_queue = Some(victim);
            self.queues[victim].pop_front();
            self.after_pop(victim);
            let length = self.queues[victim].len();
            if self.round.iter().all(|&other| self.queues[other].len() >= length) {
                self.drop_queue = None;
            }
            self.fates.push(Fate::Dropped(victim as u32, Cause::Evicted));
        }
        self.push(i, size);
    }

    /// DTDRR and DSDRR.
    fn judge(&mut self, i: usize, size: u32) -> Option<Cause> {
        let length: u64 = self.queues[i].iter().map(|&size| self.amount(size)).sum();
        let free = self.capacity().saturating_sub(self.total());
        if self.scheme == Scheme::Dtdrr {
            if self.has_room(size) && (length as f64) < 2.0 * free as f64 {
                self.push(i, size);
                return None;
            }
            return Some(if self.has_room(size) { Cause::Early } else { Cause::Overflow });
        }
        let marked = self.discard.iter().filter(|&&d| d).count();
        if self.discard[i] {
            Some(Cause::Forced)
        } else if length > 0 && length as f64 >= 0.1 * free as f64 && marked < self.w() {
            self.discard[i] = true;
            Some(Cause::Early)
        } else if !self.has_room(size) {
            self.overflow = true;
            Some(Cause::Overflow)
        } else {
            self.push(i, size);
            None
        }
    }

    /// A tenth of the queues used, rounded up, until W first changes.
    fn w(&self) -> usize {
        self.w.unwrap_or(self.used.div_ceil(10).max(1))
    }

    fn second(&mut self) {
        let marked = self.discard.iter().filter(|&&d| d).count();
        let most = (self.used / 2).max(1);
        if self.overflow {
            self.w = Some(if self.w() < most { (self.w() + 2).min(most) } else { self.w() });
        } else if marked < self.w() {
            self.w = Some(marked + 1);
        }
        self.overflow = false;
    }

    fn serve(&mut self) -> Option<(u32, u32)> {
        loop {
            let i = *self.round.front()?;
            if !self.in_turn {
                self.deficits[i] += self.quantum;
                self.in_turn = true;
            }
            let size = self.queues[i][0];
            if size > self.deficits[i] {
                self.round.rotate_left(1);
                self.in_turn = false;
                continue;
            }
            self.deficits[i] -= size;
            self.queues[i].pop_front();
            self.after_pop(i);
            let gap = self.now - self.sent_at[i].unwrap();
            let old = (-gap / 0.1).exp();
            let new = if gap == 0.0 { 10.0 } else { (1.0 - old) / gap };
            self.throughput[i] = new * f64::from(size) + old * self.throughput[i];
            self.sent_at[i] = Some(self.now);
            return Some((i as u32, size));
        }
    }
}

#[test]
fn the_plain_form_does_the_same_on_random_traces() {
    let schemes = [
        ("drr", Scheme::Drr),
        ("sfq", Scheme::DropTailOfLongest),
        ("tdrr", Scheme::Tdrr),
        ("qsdrr", Scheme::Qsdrr),
        ("dtdrr", Scheme::Dtdrr),
        ("dsdrr", Scheme::Dsdrr),
    ];
    let limits = [Limit::Packets(1), Limit::Packets(20), Limit::Packets(90), Limit::Bytes(1000), Limit::Bytes(30_000)];
    for (name, scheme) in schemes {
        for limit in limits {
            for quantum in [60, 1500] {
                compare(name, scheme, limit, quantum);
            }
        }
    }
}

fn compare(name: &str, scheme: Scheme, limit: Limit, quantum: u32) {
    let mut settings = vec![("quantum", Value::Bytes(f64::from(quantum)))];
    if name == "sfq" {
        // Enough buckets that twelve flows hardly ever share one.
        settings.push(("buckets", Value::Number(1_000_000.0)));
    }
    let mut bench = Bench::new(name, &settings, limit);
    let mut plain = Plain::new(scheme, limit, quantum);
    let mut script = Rng::stream(1, name);
    let (mut micros, mut seconds) = (0, 0);
    for step in 0..6000 {
        let busy = step % 1500 < 900;
        if script.chance(if busy { 0.62 } else { 0.35 }) {
            // Flows with low numbers send more, and packets of equal size make ties.
            let flow = script.below(FLOWS as u64).min(script.below(FLOWS as u64)) as u32;
            let size = if script.chance(0.5) { 1000 } else { 40 + script.below(1461) as u32 };
            bench.arrive(flow, size, 1);
            plain.arrive(flow as usize, size);
        } else {
            let served = bench.serve(1).first().map(|packet| (packet.flow, packet.size));
            assert_eq!(served, plain.serve(), "{name}, {limit:?}, quantum {quantum}, step {step}");
        }
        let pause = script.below(3000);
        bench.advance(Span::from_micros(pause));
        micros += pause;
        while seconds < micros / 1_000_000 {
            seconds += 1;
            plain.second();
        }
        plain.now = micros as f64 / 1e6;
    }
    assert_eq!(bench.fates(), plain.fates, "{name}, {limit:?}, quantum {quantum}");
}

//! WFQ: Parekh and Gallager 1993. Its fluid system serves others here too.

use super::classes::{Classes, three};
use super::{Bench, Fate, Given, Item, LinkInfo, Oracle, Settings, number, secs};
use penstock_aqm::Cause;
use std::collections::VecDeque;

pub fn settings() -> Vec<Given> {
    let all = |name: &'static str, values: [f64; 3]| vec![("classes", three(values.map(|x| vec![(name, number(x))])))];
    let limited = three([
        vec![("weight", number(3.0)), ("limit", number(5.0))],
        vec![("weight", number(2.0))],
        vec![("limit", number(8.0))],
    ]);
    vec![
        all("weight", [1.0, 1.0, 1.0]),
        all("weight", [50.0, 25.0, 25.0]),
        all("weight", [1.0, 7.3, 2.1]),
        all("share", [0.5, 0.2, 0.1]),
        vec![("classes", limited)],
    ]
}

/// The fluid system: its virtual time, and the last finish tag of each class.
pub struct Fluid {
    pub v: f64,
    at: f64,
    c: f64,
    pub phi: Vec<f64>,
    pub last: Vec<f64>,
}

impl Fluid {
    pub fn new(c: f64, phi: Vec<f64>) -> Self {
        Self { v: 0.0, at: 0.0, c, last: vec![0.0; phi.len()], phi }
    }

    pub fn is_empty(&self) -> bool {
        self.last.iter().all(|&f| f <= self.v)
    }

    pub fn advance(&mut self, now: f64) {
        while self.at < now {
            let busy: Vec<usize> = (0..self.phi.len()).filter(|&i| self.last[i] > self.v).collect();
            let phi: f64 = busy.iter().map(|&i| self.phi[i]).sum();
            let next = busy.iter().map(|&i| self.last[i]).fold(f64::INFINITY, f64::min);
            let end = if busy.is_empty() { now } else { self.at + (next - self.v) * phi / self.c };
            if busy.is_empty() || end > now {
                self.v += if busy.is_empty() { 0.0 } else { (now - self.at) * self.c / phi };
                self.at = now;
            } else {
                (self.v, self.at) = (next, end);
            }
        }
    }

    /// The tags (S, F) of a packet that arrives now.
    pub fn arrive(&mut self, class: usize, size: u32) -> (f64, f64) {
        let start = self.v.max(self.last[class]);
        self.last[class] = start + f64::from(size) / self.phi[class];
        (start, self.last[class])
    }

    pub fn reset(&mut self) {
        self.v = 0.0;
        self.last.fill(0.0);
    }
}

struct Wfq {
    classes: Classes,
    fluid: Fluid,
    /// WF2Q: only what the fluid system has begun.
    eligible_only: bool,
    queues: [VecDeque<(f64, f64, Item)>; 3],
}

impl Oracle for Wfq {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        if !self.classes.has_room(&item, self.queues.iter().flatten().map(|(_, _, item)| item)) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        self.fluid.advance(secs(bench.now));
        if self.queues.iter().all(VecDeque::is_empty) && self.fluid.is_empty() {
            self.fluid.reset();
        }
        let class = Classes::of(&item);
        let (start, finish) = self.fluid.arrive(class, item.size);
        bench.note(&item, Fate::Queued);
        self.queues[class].push_back((start, finish, item));
    }

    fn depart(&mut self, bench: &mut Bench) {
        let mut soon = Fluid { phi: self.fluid.phi.clone(), last: self.fluid.last.clone(), ..self.fluid };
        soon.advance(secs(bench.now + 1));
        let busy: Vec<usize> = (0..3).filter(|&i| !self.queues[i].is_empty()).collect();
        let begun: Vec<usize> = busy.iter().copied().filter(|&i| self.queues[i][0].0 <= soon.v).collect();
        let smallest = |among: &[usize], tag: &dyn Fn(usize) -> f64| {
            among.iter().copied().min_by(|&a, &b| tag(a).total_cmp(&tag(b)).then(a.cmp(&b)))
        };
        let choice = if !self.eligible_only {
            smallest(&busy, &|i| self.queues[i][0].1)
        } else if begun.is_empty() {
            smallest(&busy, &|i| self.queues[i][0].0)
        } else {
            smallest(&begun, &|i| self.queues[i][0].1)
        };
        if let Some(i) = choice {
            let (_, _, item) = self.queues[i].pop_front().unwrap();
            bench.note(&item, Fate::Sent);
        }
    }
}

pub fn build(s: &Settings, link: &LinkInfo, eligible_only: bool) -> Box<dyn Oracle> {
    let classes = Classes::new(s, link);
    let phi = |i| classes.number(i, "weight").or(classes.number(i, "share")).unwrap_or(1.0);
    let fluid = Fluid::new(link.rate.bits_per_second() as f64 / 8.0, (0..3).map(phi).collect());
    Box::new(Wfq { classes, fluid, eligible_only, queues: Default::default() })
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    build(s, link, false)
}

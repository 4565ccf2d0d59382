//! SCFQ: Golestani 1994. With flows in turn inside a class it is CBFQ.

use super::classes::Classes;
use super::{Bench, Fate, Item, LinkInfo, Oracle, Settings};
use penstock_aqm::Cause;
use std::collections::VecDeque;

pub use super::wfq::settings;

struct Scfq {
    classes: Classes,
    phi: Vec<f64>,
    /// One line for each class, or for each flow of a class.
    by_flow: bool,
    lines: [VecDeque<VecDeque<Item>>; 3],
    v: f64,
    /// The finish tag of the head of each class, or of its last packet that left.
    tags: [f64; 3],
}

impl Scfq {
    fn tag_head(&mut self, class: usize) {
        if let Some(line) = self.lines[class].front() {
            self.tags[class] = self.v.max(self.tags[class]) + f64::from(line[0].size) / self.phi[class];
        }
    }
}

impl Oracle for Scfq {
    fn arrive(&mut self, bench: &mut Bench, item: Item) {
        if !self.classes.has_room(&item, self.lines.iter().flatten().flatten()) {
            return bench.note(&item, Fate::Dropped(Cause::Overflow));
        }
        bench.note(&item, Fate::Queued);
        let class = Classes::of(&item);
        let (by_flow, lines) = (self.by_flow, &mut self.lines[class]);
        let was_empty = lines.is_empty();
        match lines.iter_mut().find(|line| !by_flow || line[0].flow == item.flow) {
            Some(line) => line.push_back(item),
            None => lines.push_back(VecDeque::from([item])),
        }
        if was_empty {
            self.tag_head(class);
        }
    }

    fn depart(&mut self, bench: &mut Bench) {
        let busy = (0..3).filter(|&i| !self.lines[i].is_empty());
        let Some(i) = busy.min_by(|&a, &b| self.tags[a].total_cmp(&self.tags[b]).then(a.cmp(&b))) else {
            self.v = 0.0;
            self.tags = [0.0; 3];
            return;
        };
        self.v = self.tags[i];
        let mut line = self.lines[i].pop_front().unwrap();
        let item = line.pop_front().unwrap();
        if !line.is_empty() {
            self.lines[i].push_back(line);
        }
        self.tag_head(i);
        bench.note(&item, Fate::Sent);
    }
}

pub fn build(s: &Settings, link: &LinkInfo, by_flow: bool) -> Box<dyn Oracle> {
    let classes = Classes::new(s, link);
    let phi = |i| classes.number(i, "weight").or(classes.number(i, "share")).unwrap_or(1.0);
    let phi = (0..3).map(phi).collect();
    Box::new(Scfq { classes, phi, by_flow, lines: Default::default(), v: 0.0, tags: [0.0; 3] })
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    build(s, link, false)
}

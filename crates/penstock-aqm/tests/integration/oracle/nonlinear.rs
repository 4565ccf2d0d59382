//! Drop profiles: the line, or the steps, of Juniper's guide over the fill level; the average is RED's.

use super::wred::Average;
use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, capacity, each_with, early, flag, guarded,
    limit_in_packets, number, toss, word,
};
use penstock_aqm::Cause;
use penstock_core::Rng;
use penstock_core::param::Value;

pub fn settings() -> Vec<Given> {
    let list = |numbers: &[f64]| Value::Numbers(numbers.to_vec());
    let points = |levels: &[f64], probabilities: &[f64]| {
        vec![("fill_level", list(levels)), ("drop_probability", list(probabilities))]
    };
    let many: Vec<f64> = (1..=64).map(|n| f64::from(n) / 70.0).collect();
    let squares: Vec<f64> = many.iter().map(|x| x * x).collect();
    let profiles = vec![
        vec![],
        points(&[0.5, 0.75], &[0.25, 0.5]),
        points(&[0.1, 0.2, 0.4], &[0.0, 0.6, 0.3]),
        points(&[0.0, 1.0], &[0.05, 0.5]),
        points(&[0.3], &[1.0]),
        points(&many, &squares),
    ];
    let weights: Vec<Given> = [0.1, 1.0].map(|w_q| vec![("w_q", number(w_q))]).into_iter().chain([vec![]]).collect();
    let more = [
        vec![],
        vec![("ecn", flag(true)), ("interpolate", flag(false))],
        vec![("ecn", flag(true)), ("measure_in", word("bytes"))],
    ];
    each_with(each_with(profiles, &weights), &more)
}

struct Profile {
    average: Average,
    fill_level: Vec<f64>,
    drop_probability: Vec<f64>,
    segmented: bool,
    limit: f64,
    in_bytes: bool,
    ecn: bool,
}

impl Profile {
    /// The line from the last level at or below `fill` to the first one above it, or the step.
    fn p(&self, fill: f64) -> f64 {
        let (mut left, mut right) = ((0.0, 0.0), (1.0, 1.0));
        for (&level, &p) in self.fill_level.iter().zip(&self.drop_probability) {
            if level <= fill {
                left = (level, p);
            }
        }
        for (&level, &p) in self.fill_level.iter().zip(&self.drop_probability).rev() {
            if level > fill || (level == 1.0 && fill >= 1.0) {
                right = (level, p);
            }
        }
        if fill >= 1.0 {
            right.1
        } else if self.segmented {
            left.1
        } else {
            left.1 + (right.1 - left.1) * (fill - left.0) / (right.0 - left.0)
        }
    }
}

impl AqmScheme for Profile {
    fn arrival(&mut self, queue: &Queue, _item: &Item, rng: &mut Rng) -> Say {
        let (q, limit) = if self.in_bytes { (queue.bytes(), 1000.0 * self.limit) } else { (queue.len(), self.limit) };
        self.average.update(queue.now, q);
        let p = self.p(self.average.value / limit);
        if p >= 1.0 {
            Say::Drop(Cause::Forced)
        } else if toss(p, rng) {
            early(self.ecn)
        } else {
            Say::Pass
        }
    }

    fn idle(&mut self, now: u64) {
        self.average.idle(now);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let list = |name, default: &[f64]| match s.get(name) {
        Some(Value::Numbers(numbers)) => numbers.clone(),
        _ => default.to_vec(),
    };
    let aqm = Profile {
        average: Average::new(s.unless_auto("w_q"), capacity(link, 1000.0)),
        fill_level: list("fill_level", &[0.2, 0.5, 0.8]),
        drop_probability: list("drop_probability", &[0.0, 0.1, 0.4]),
        segmented: !s.flag("interpolate", true),
        limit: limit_in_packets(link),
        in_bytes: s.word("measure_in", "packets") == "bytes",
        ecn: s.flag("ecn", false),
    };
    guarded(aqm, link)
}

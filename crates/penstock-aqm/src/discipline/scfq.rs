//! Self-Clocked Fair Queueing (SCFQ).
//! S. J. Golestani, "A Self-Clocked Fair Queueing Scheme for Broadband Applications", INFOCOM 1994; section numbers refer
//! to it.
//!
//! # Algorithm
//! Like weighted fair queueing, but the virtual time V is the finish tag of the packet in service (section 3). Packet k
//! of class i, of L bits, arriving at a, gets F = max(V(a), F of packet k - 1) + L / phi_i, and the packet with the
//! smallest F is sent; ties go to the class listed first. V and all F are reset to 0 when there is nothing to send.
//! While two classes are backlogged, their normalized services differ by at most L_i / phi_i + L_j / phi_j (theorem 1).
//! No random number is drawn.
//!
//! # Parameters
//! Each class has a `weight` (phi_i), or a `share` of the link; a `limit` of its own in addition to the shared limit;
//! and an AQM (`queue`) that treats the class as a link of rate C phi_i / sum of phi.
//!
//! # Differences
//! * The tag of a packet is computed when the packet becomes the head of its class. The result is the same, because a
//!   packet behind another always gets the F of that packet + L / phi_i. There is one exception: a packet dropped at
//!   the head by the AQM of its class is not charged to the class.
//! * Each weight is taken as the simplest fraction with its value (0.3 is 3/10). Tags are exact if the weights, scaled
//!   to whole numbers, have a common multiple of at most 2^64; otherwise they are rounded to one part in 2^48.

use super::exact_shares::ExactShares;
use super::gps::TagHeap;
use super::scheduler::{Head, Order};
use super::weighted_classes::{ClassesParams, WeightedClassParams, build_weighted};
use super::{Discipline, Probe};
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use alloc::vec::Vec;
use penstock_core::param::{ParamErrors, Settings};
use penstock_core::{Packet, Time};

/// Self-clocked fair queueing of classes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scfq;

impl Scheme for Scfq {
    const INFO: SchemeInfo = SchemeInfo {
        name: "scfq",
        aliases: &[],
        family: "scheduler",
        title: "Self-Clocked Fair Queueing",
        source: "S. Golestani, A Self-Clocked Fair Queueing Scheme for Broadband Applications, INFOCOM 1994",
        doc: module_doc!("scfq.rs"),
        ecn: false,
        params: ClassesParams::INFO,
        class_params: WeightedClassParams::INFO,
        cost: "O(log n) time per packet and O(n) memory for n classes",
        build_aqm: None,
        picture: Picture::Service,
        good: "Weighted fairness without tracking a fluid system.",
        bad: "A packet of a small class may wait for one packet of every other class, so the delay grows with the \
              number of classes.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        site: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        build_weighted(settings, site, SelfClocked::new)
    }
}

/// Serves the class whose head has the smallest finish tag; the clock is the tag of the packet in service.
pub(super) struct SelfClocked {
    shares: ExactShares,
    /// Finish tag of the packet in service.
    v: u128,
    /// Start tags: for the head packet, max(V, previous F); for an empty class, F of the last packet sent.
    starts: Vec<u128>,
    by_tag: TagHeap,
}

impl SelfClocked {
    pub(super) fn new(phis: &[f64]) -> Self {
        Self { shares: ExactShares::new(phis), v: 0, starts: alloc::vec![0; phis.len()], by_tag: TagHeap::new() }
    }

    fn finish(&self, class: usize, size: u32) -> u128 {
        self.starts[class] + self.shares.cost(class, size)
    }
}

impl Order for SelfClocked {
    type Tag = ();

    fn stamp(&mut self, _now: Time, _class: usize, _size: u32) {}

    fn wakes(&mut self, class: usize, head: &Head<()>) {
        self.starts[class] = self.starts[class].max(self.v);
        self.by_tag.push(class, self.finish(class, head.size));
    }

    fn pick(&mut self, _now: Time, _heads: &[Option<Head<()>>]) -> usize {
        self.by_tag.first(|_, _| true).map_or(0, |(class, _)| class)
    }

    fn left(&mut self, class: usize, head: &Head<()>, next: Option<&Head<()>>, sent: bool) {
        self.by_tag.pop();
        if sent {
            self.v = self.finish(class, head.size);
            self.starts[class] = self.v;
        }
        if let Some(next) = next {
            self.by_tag.push(class, self.finish(class, next.size));
        }
    }

    fn reserve(&mut self, _packets: u32, classes: u32) {
        self.by_tag.reserve(classes);
    }

    fn idle(&mut self, _now: Time) {
        self.v = 0;
        self.starts.fill(0);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("v", self.shares.in_bits(self.v));
    }
}

#[cfg(test)]
mod tests {
    use crate::rig::{bench, numbered};
    use penstock_core::param::Value;

    #[test]
    fn v_is_the_finish_tag_of_the_packet_in_service() {
        // Weights 1 and 3. Class 0: F = 8000, 16000 bits. Class 1: F = 2667, 5333, 8000, 10667.
        let mut rig = bench("scfq", [1.0, 3.0].map(|weight| vec![("weight", Value::Number(weight))]));
        for flow in [0, 1, 1, 1, 1, 0] {
            rig.arrive_packet(numbered(flow, 1000));
        }
        assert_eq!(rig.serve().unwrap().flow, 1);
        assert!((rig.gauge("v") - 8000.0 / 3.0).abs() < 1e-9);
        assert_eq!(rig.order(), [1, 0, 1, 1, 0]);
        assert_eq!(rig.gauge("v"), 0.0);
    }

    #[test]
    fn a_class_that_wakes_up_starts_from_the_clock() {
        let mut rig = bench("scfq", [vec![], vec![]]);
        (0..4).for_each(|_| rig.arrive_packet(numbered(0, 1000)));
        rig.serve();
        rig.serve();
        // V = 16000: class 1 gets F = 20000, before the third packet of class 0 with F = 24000.
        rig.arrive_packet(numbered(1, 500));
        assert_eq!(rig.order(), [1, 0, 0]);
    }

    /// Section 3 in whole numbers: with weights 3, 7 and 11 a bit costs 77, 33 and 21 parts of 231.
    #[test]
    fn equal_tags_go_to_the_class_listed_first() {
        let weights: [u64; 3] = [3, 7, 11];
        let costs = weights.map(|weight| 231 / weight);
        let classes = weights.map(|weight| vec![("weight", Value::Number(weight as f64))]);
        let mut rig = bench("scfq", classes);
        let (mut tags, mut ties) = ([0; 3], 0);
        for flow in [0, 1, 2].repeat(20) {
            rig.arrive_packet(numbered(flow, 1000));
        }
        for _ in 0..4000 {
            let heads = [0, 1, 2].map(|class| tags[class] + 1000 * costs[class]);
            let smallest = *heads.iter().min().unwrap();
            ties += u32::from(heads.iter().filter(|&&tag| tag == smallest).count() > 1);
            let class = heads.iter().position(|&tag| tag == smallest).unwrap();
            assert_eq!(rig.serve().unwrap().flow as usize, class);
            tags[class] = smallest;
            rig.arrive_packet(numbered(class as u32, 1000));
        }
        // 3 + 7 + 11 packets of 1000 bytes bring all three to the same tag; the first of the three is sent, then the
        // first of the other two
        assert_eq!(ties, 2 * (4000 / 21));
    }
}

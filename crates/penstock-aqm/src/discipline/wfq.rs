//! Weighted Fair Queueing (WFQ), also called packet-by-packet generalized processor sharing (PGPS).
//! A. Demers, S. Keshav, S. Shenker, "Analysis and Simulation of a Fair Queueing Algorithm", SIGCOMM 1989; A. K. Parekh,
//! R. G. Gallager, "A Generalized Processor Sharing Approach to Flow Control in Integrated Services Networks: The
//! Single-Node Case", IEEE/ACM Trans. Networking 1(3), 1993; section numbers refer to the latter. With classes as queues
//! it is also called class-based WFQ.
//!
//! # Algorithm
//! In the fluid reference (GPS, section II) all backlogged classes are served simultaneously, class i at the rate C
//! phi_i / sum of phi over the backlogged classes. The virtual time V of this system (section II-C) grows with dV/dt =
//! C / sum of phi over the backlogged classes, and stands still when the fluid system is empty. Packet k of class i, of
//! L bits, arriving at a, gets S = max(V(a), F of packet k - 1), F = S + L / phi_i. Whenever the link is free, the
//! packet with the smallest F is sent; ties go to the class listed first. Hence each packet is sent no later than L_max
//! / C after the fluid system would have finished it (theorem 1), and a class that offers at most its guaranteed rate
//! through a token bucket has a bounded delay. V starts again from 0 when both systems are empty. No random number is
//! drawn.
//!
//! # Parameters
//! Each class has a `weight` (phi_i), or a `share` of the link; a `limit` of its own in addition to the shared limit;
//! and an AQM (`queue`) that treats the class as a link of rate C phi_i / sum of phi.
//!
//! # Differences
//! * The fluid system serves all queued packets, including those that the AQM of their class later drops at the head.
//! * Times are whole nanoseconds: V follows the arrival times of packets, and the rounding of transmission times does
//!   not affect it.
//! * Tags are exact sums, with weights as fractions as in SCFQ, and V is rounded down to a unit of the tags. So classes
//!   that become busy at the same instant have exact ties.

use super::gps::{Gps, TagHeap};
use super::scheduler::{Head, Order};
use super::weighted_classes::{ClassesParams, WeightedClassParams, build_weighted};
use super::{Discipline, Probe};
use crate::aqm::LinkInfo;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use penstock_core::param::{ParamErrors, Settings};
use penstock_core::{Packet, Rate, Time};

/// Weighted fair queueing of classes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wfq;

impl Scheme for Wfq {
    const INFO: SchemeInfo = SchemeInfo {
        name: "wfq",
        aliases: &["pgps", "cbwfq"],
        family: "scheduler",
        title: "Weighted Fair Queueing",
        source: "A. Parekh, R. Gallager, A Generalized Processor Sharing Approach to Flow Control, IEEE/ACM ToN 1(3), 1993",
        doc: module_doc!("wfq.rs"),
        ecn: false,
        params: ClassesParams::INFO,
        class_params: WeightedClassParams::INFO,
        cost: "O(log n) time per packet and O(n) memory for n classes",
        build_aqm: None,
        picture: Picture::Service,
        good: "Each class gets its weighted part of the link, and no packet is later than in the fluid system by more than \
               one packet time.",
        bad: "A class may run ahead of the fluid system by many packets and then wait; the fluid system must be tracked.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        site: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        build_weighted(settings, site, |phis| SmallestFinish::new(phis, site.link.rate))
    }
}

/// Serves the packet that the fluid system finishes first.
pub(super) struct SmallestFinish {
    gps: Gps,
    by_tag: TagHeap,
}

impl SmallestFinish {
    /// Classes of these weights; further classes get weight 1.
    pub(super) fn new(phis: &[f64], rate: Rate) -> Self {
        Self { gps: Gps::new(phis, rate), by_tag: TagHeap::new() }
    }
}

impl Order for SmallestFinish {
    /// F.
    type Tag = u128;

    fn stamp(&mut self, now: Time, class: usize, size: u32) -> u128 {
        self.gps.arrive(now, class, size).finish
    }

    fn wakes(&mut self, class: usize, head: &Head<u128>) {
        self.by_tag.push(class, head.tag);
    }

    fn pick(&mut self, _now: Time, heads: &[Option<Head<u128>>]) -> usize {
        // An evicted head packet leaves an outdated entry.
        let is_head = |class: usize, finish| heads[class].is_some_and(|head| head.tag == finish);
        self.by_tag.first(is_head).map_or(0, |(class, _)| class)
    }

    fn left(&mut self, class: usize, _head: &Head<u128>, next: Option<&Head<u128>>, _sent: bool) {
        self.by_tag.pop();
        if let Some(next) = next {
            self.by_tag.push(class, next.tag);
        }
    }

    fn forget(&mut self, now: Time, class: usize) {
        self.gps.forget(now, class);
    }

    fn reserve(&mut self, packets: u32, classes: u32) {
        self.gps.reserve(classes);
        self.by_tag.reserve(packets.saturating_add(classes));
    }

    fn idle(&mut self, now: Time) {
        self.gps.advance(now);
        self.gps.rest();
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.gps.set_rate(now, link.rate);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("v", self.gps.v());
    }
}

#[cfg(test)]
mod tests {
    use crate::rig::{Rig, bench, class, numbered};
    use penstock_core::Span;
    use penstock_core::param::Value;

    #[test]
    fn the_example_of_the_thesis_is_served_in_the_order_of_its_finish_tags() {
        // Weights 50, 25 and 25 %, packets of 600, 350 and 450 bytes at t = 0: F = 1200, 1400, 1800 bytes.
        let weights = [0.5, 0.25, 0.25].map(|weight| vec![("weight", Value::Number(weight))]);
        let mut rig = bench("wfq", weights);
        for (flow, size) in [(2, 450), (0, 600), (1, 350)] {
            rig.arrive_packet(numbered(flow, size));
        }
        assert_eq!(rig.order(), [0, 1, 2]);
    }

    #[test]
    fn a_class_that_wakes_up_is_stamped_with_the_fluid_time() {
        // At 1.5 Mbit/s with two classes of weight 1, a packet of 1500 bytes takes 8 ms of the whole link. Class 0 has
        // three packets (F = 12000, 24000, 36000 bits). At 10 ms V = 15000, so a packet of class 1 gets F = 27000:
        // third in the order.
        let mut rig = bench("wfq", [vec![], vec![]]);
        (0..3).for_each(|_| rig.arrive_packet(numbered(0, 1500)));
        rig.advance(Span::from_millis(10));
        rig.arrive_packet(numbered(1, 1500));
        assert_eq!(rig.gauge("v"), 15_000.0);
        assert_eq!(rig.order(), [0, 0, 1, 0]);
    }

    #[test]
    fn shares_stand_for_weights_and_do_not_mix_with_them() {
        let mut rig = bench("wfq", [0.2, 0.8].map(|share| vec![("share", Value::Number(share))]));
        (0..10).for_each(|i| rig.arrive_packet(numbered(i % 2, 1000)));
        // F in packets: class 0 at 5, 10, ..., class 1 at 1.25, 2.5, 3.75, 5, 6.25; of the two at 5 the first class
        // goes first.
        assert_eq!(rig.order()[..6], [1, 1, 1, 0, 1, 1]);
        let classes =
            vec![class(0, vec![("share", Value::Number(0.7))]), class(1, vec![("weight", Value::Number(2.0))])];
        let settings = [("classes".to_string(), Value::Classes(classes))];
        let errors = Rig::on(&crate::rig::thesis_link(), "wfq", &settings, 1).err().unwrap();
        let names: Vec<_> = errors.iter().map(|error| error.name.as_str()).collect();
        assert_eq!(names, ["classes[1].share", "classes[1].weight"]);
    }

    /// Section II-C in whole numbers: with weights 3, 7 and 11 a bit costs 77, 33 and 21 parts of 231.
    #[test]
    fn equal_tags_go_to_the_class_listed_first() {
        let weights: [u32; 3] = [3, 7, 11];
        let classes = weights.map(|weight| vec![("weight", Value::Number(f64::from(weight)))]);
        let mut rig = bench("wfq", classes);
        let mut tags = Vec::new();
        for number in 1..=200 {
            for (class, weight) in (0..).zip(weights) {
                rig.arrive_packet(numbered(class, 1000));
                tags.push((number * 231 / weight, class));
            }
        }
        tags.sort_unstable();
        assert_eq!(rig.order(), tags.into_iter().map(|(_, class)| class).collect::<Vec<_>>());
    }
}

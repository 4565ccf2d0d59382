//! Worst-case fair Weighted Fair Queueing (WF2Q).
//! J. C. R. Bennett, H. Zhang, "WF2Q: Worst-case Fair Weighted Fair Queueing", INFOCOM 1996; section numbers refer to it.
//!
//! # Algorithm
//! Tags and virtual time are those of weighted fair queueing, from the fluid system (GPS): S = max(V(a), F of the
//! packet before), F = S + L / phi_i, dV/dt = C / sum of phi over the backlogged classes. Whenever the link is free,
//! only packets that the fluid system has begun to serve, S <= V, are eligible, and the eligible packet with the
//! smallest F is sent (section 3); ties go to the class listed first. Hence a class is never behind the fluid system by
//! more than L_max, and never ahead of it by more than (1 - phi_i / sum of phi) times its own largest packet (theorem
//! 2). No random number is drawn.
//!
//! # Parameters
//! Each class has a `weight` (phi_i), or a `share` of the link; a `limit` of its own in addition to the shared limit;
//! and an AQM (`queue`) that treats the class as a link of rate C phi_i / sum of phi.
//!
//! # Differences
//! * The fluid system serves all queued packets, including those that the AQM of their class later drops at the head.
//! * Tags are exact sums, with weights as fractions as in SCFQ, and V is rounded down to a unit of the tags.
//! * Times are whole nanoseconds, so packets that the fluid system begins within the next nanosecond count as begun. If
//!   no packet has begun, because packets are taken faster than the link's rate or were dropped at the head, the packet
//!   with the smallest S is sent: the link never idles.

use super::gps::{Gps, Service, TagHeap};
use super::scheduler::{Head, Order};
use super::weighted_classes::{ClassesParams, WeightedClassParams, build_weighted};
use super::{Discipline, Probe};
use crate::aqm::LinkInfo;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use alloc::vec::Vec;
use penstock_core::param::{ParamErrors, Settings};
use penstock_core::{Packet, Time};

/// Worst-case fair weighted fair queueing of classes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wf2q;

impl Scheme for Wf2q {
    const INFO: SchemeInfo = SchemeInfo {
        name: "wf2q",
        aliases: &[],
        family: "scheduler",
        title: "Worst-case fair Weighted Fair Queueing",
        source: "J. Bennett, H. Zhang, WF2Q: Worst-case Fair Weighted Fair Queueing, INFOCOM 1996",
        doc: module_doc!("wf2q.rs"),
        ecn: false,
        params: ClassesParams::INFO,
        class_params: WeightedClassParams::INFO,
        cost: "O(log n) time per packet and O(n) memory for n classes",
        build_aqm: None,
        picture: Picture::Service,
        good: "Within one packet of the fluid system in both directions: no bursts and no gaps.",
        bad: "The fluid system must be tracked.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        site: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        build_weighted(settings, site, |phis| SmallestBegun {
            gps: Gps::new(phis, site.link.rate),
            waiting: TagHeap::new(),
            begun: TagHeap::new(),
            finish: alloc::vec![0; phis.len()],
        })
    }
}

/// Serves the packet that the fluid system finishes first, of those that it has begun.
struct SmallestBegun {
    gps: Gps,
    /// Head packets that the fluid system has not begun, by S.
    waiting: TagHeap,
    /// Head packets that the fluid system has begun, by F.
    begun: TagHeap,
    /// F of each class's head.
    finish: Vec<u128>,
}

impl SmallestBegun {
    fn admit(&mut self, class: usize) {
        self.waiting.pop();
        self.begun.push(class, self.finish[class]);
    }
}

impl Order for SmallestBegun {
    type Tag = Service;

    fn stamp(&mut self, now: Time, class: usize, size: u32) -> Service {
        self.gps.arrive(now, class, size)
    }

    fn wakes(&mut self, class: usize, head: &Head<Service>) {
        self.finish[class] = head.tag.finish;
        self.waiting.push(class, head.tag.start);
    }

    fn pick(&mut self, now: Time, _heads: &[Option<Head<Service>>]) -> usize {
        self.gps.advance(now);
        let v = self.gps.v_soon();
        while let Some((class, start)) = self.waiting.first(|_, _| true)
            && start <= v
        {
            self.admit(class);
        }
        if self.begun.first(|_, _| true).is_none()
            && let Some((class, _)) = self.waiting.first(|_, _| true)
        {
            self.admit(class);
        }
        self.begun.first(|_, _| true).map_or(0, |(class, _)| class)
    }

    fn left(&mut self, class: usize, _head: &Head<Service>, next: Option<&Head<Service>>, _sent: bool) {
        self.begun.pop();
        if let Some(next) = next {
            self.wakes(class, next);
        }
    }

    fn reserve(&mut self, _packets: u32, classes: u32) {
        self.gps.reserve(classes);
        self.waiting.reserve(classes);
        self.begun.reserve(classes);
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
    use crate::rig::{Rig, bench, numbered};
    use penstock_core::Span;
    use penstock_core::param::Value;

    /// The example of section 2: class 0 with half of the link and 11 packets, ten classes with a twentieth and one
    /// packet each.
    fn example(scheme: &str) -> Vec<u32> {
        let mut weights = vec![vec![("weight", Value::Number(0.5))]];
        weights.resize(11, vec![("weight", Value::Number(0.05))]);
        let mut rig: Rig = bench(scheme, weights);
        (0..11).for_each(|_| rig.arrive_packet(numbered(0, 1500)));
        (1..11).for_each(|flow| rig.arrive_packet(numbered(flow, 1500)));
        let mut order = Vec::new();
        // 1500 bytes at 1.5 Mbit/s are 8 ms.
        while let Some(packet) = rig.serve() {
            order.push(packet.flow);
            rig.advance(Span::from_millis(8));
        }
        order
    }

    #[test]
    fn the_example_of_the_paper_alternates_where_wfq_sends_ten_in_a_row() {
        let in_turn: Vec<u32> = (1..11).flat_map(|flow| [0, flow]).chain([0]).collect();
        assert_eq!(example("wf2q"), in_turn);
        // F of class 0: 2, 4, ..., 20 packet times, then 22; F of the others: 20.
        let wfq = example("wfq");
        assert_eq!(wfq[..10], [0; 10]);
        assert_eq!(wfq[10..], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0]);
    }
}

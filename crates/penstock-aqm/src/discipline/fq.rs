//! Fair Queueing (FQ): by packet, or by bit.
//! By packet: J. Nagle, "On Packet Switches With Infinite Storage", RFC 970, 1985;
//! T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis, Université
//! Montpellier II, 2004, introduction.
//! By bit: A. Demers, S. Keshav, S. Shenker, "Analysis and Simulation of a Fair Queueing Algorithm", SIGCOMM 1989;
//! section numbers refer to it.
//!
//! # Algorithm
//! Each flow has a queue or, with `classes`, each class. With `by` = "packet" the busy queues send one packet each in
//! turn, so that each of n busy queues gets 1 / n of the packets. With `by` = "bit" (section 2.2) the next packet is
//! the packet that bit-by-bit round robin would finish first. The round number R(t) of that system grows with dR/dt = C
//! / (number of its busy queues). Packet k of a queue, with P bits and arrival time t, has the finish number F =
//! max(R(t), F of packet k - 1) + P. The packet with the smallest F is sent; ties go to the queue with the smallest
//! number.
//!
//! When the queue is full, `by` = "packet" drops the arriving packet. With `by` = "bit" and a queue for each flow, the
//! last packet of the flow with the most queued bytes is dropped, where the arriving packet counts as queued (section
//! 2.2, buffer allocation). Of flows with equally many bytes, the flow of the arriving packet loses its last packet,
//! else the flow with the highest number. With classes, the arriving packet is dropped. A drop, on arrival or later,
//! does not reduce F: in this way section 2.2 charges ill-behaved hosts "for throughput that, because of their own poor
//! flow control, they could not use". No random number is drawn.
//!
//! # Victim
//! None with `by` = "packet" or with classes. With `by` = "bit" the last packet of the flow with the most queued bytes,
//! counting the arriving packet, when the queue is full.
//!
//! # Parameters
//! `by` is the unit that is shared equally. `classes` is optional. Each class has a `limit` of its own in addition to
//! the shared limit, and an AQM (`queue`) that treats the class as a link with an equal part of the rate.
//!
//! # Differences
//! * The promptness parameter delta of section 2.2 is 0.
//! * Fairness is between flows of the simulator, not between pairs of hosts.
//! * ns-2's FQ never drops a packet to make room for another flow: each flow has its own queue of `limit_` packets, and
//!   only stored packets are charged, so that the capacity left by small flows is shared equally. `by` = "bit" with one
//!   class per flow and a `limit` for each class has the same effect: four flows that offer 0.15, 0.3, 0.45 and 0.6 of
//!   a link then lose 0, 0.06, 0.37 and 0.53 of their packets. Without classes they lose 0, 0, 0.005 and 0.83, since
//!   the last flow is charged for its drops.
//! * In ns-2 a packet that finds the link idle is not charged. With bursts of 4 x 1500, 5 x 500 and 2 x 1000 bytes, the
//!   first packet is sent immediately; the next packet of flow 0 then has F = 1500 in ns-2, but 3000 here.

use super::class_queue::{Guarantee, Store};
use super::classes::{self, ClassPlan};
use super::indexed_heap::IndexedHeap;
use super::scheduler::{Head, Order, Overflow, Scheduler, Sorting};
use super::wfq::SmallestFinish;
use super::{Discipline, Probe};
use crate::class_settings;
use crate::edge::match_rules::Classifier;
use crate::per_flow::FlowBound;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use penstock_core::param::{ClassSetting, Default, Length, ParamErrors, Settings};
use penstock_core::{Packet, Time};

penstock_core::choice! {
    /// The unit that is shared equally.
    pub enum By {
        /// Packets.
        Packet = "packet",
        /// Bits.
        Bit = "bit",
    }
}

penstock_core::params! {
    /// Parameters of fair queueing.
    pub struct FqParams {
        /// Unit of fairness: each queue sends the same number of packets, or of bits.
        by: By = Default::Text("packet");
        /// Classes that share the link; absent: each flow is a class.
        classes: Option<Vec<ClassSetting>> = Default::Absent;
    }
}

penstock_core::params! {
    /// Parameters of a class without weight.
    pub struct EqualClassParams {
        /// Limit of the class's own queue, in addition to the shared limit.
        limit: Option<Length> = Default::Absent, unit: "packets", at_least: 0.0;
    }
}

/// Fair queueing of flows or classes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fq;

impl Scheme for Fq {
    const INFO: SchemeInfo = SchemeInfo {
        name: "fq",
        aliases: &[],
        family: "scheduler",
        title: "Fair Queueing",
        source: "A. Demers, S. Keshav, S. Shenker, Analysis and Simulation of a Fair Queueing Algorithm, SIGCOMM 1989",
        doc: module_doc!("fq.rs"),
        ecn: false,
        params: FqParams::INFO,
        class_params: EqualClassParams::INFO,
        cost: "O(1) time per packet with by = \"packet\", O(log n) with by = \"bit\"; O(n) memory for n flows",
        build_aqm: None,
        picture: Picture::Service,
        good: "No flow can exceed its share, and a flow that sends little has short delays.",
        bad: "With by = \"packet\", a flow with larger packets gets more. A full buffer refuses every arrival, even of \
              sparse flows, and a long queue may wait more than a second. Needs per-flow state.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        site: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let FqParams { by, classes } = FqParams::from_settings(settings)?;
        match by {
            By::Packet => scheduler(classes.as_deref(), site, Overflow::Arriving, OneEach::default()),
            By::Bit => {
                let phis = classes.iter().flatten().map(|_| 1.0).collect::<Vec<_>>();
                let overflow = Overflow::Longest(IndexedHeap::new());
                scheduler(classes.as_deref(), site, overflow, SmallestFinish::new(&phis, site.link.rate))
            }
        }
    }
}

fn scheduler<P: Packet + Send + 'static, W: Probe<P> + ?Sized, O: Order + 'static>(
    classes: Option<&[ClassSetting]>,
    site: &Site<'_>,
    overflow: Overflow,
    order: O,
) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
    let Some(classes) = classes else {
        return Ok(Box::new(Scheduler::new(
            Vec::new(),
            Sorting::Flows(overflow, FlowBound::new()),
            order,
            site.link.limit,
        )));
    };
    let mut errors = Vec::new();
    let params = class_settings::read::<EqualClassParams>(classes, EqualClassParams::INFO, &mut errors);
    let plans = params.unwrap_or_default().into_iter().map(|class| ClassPlan {
        store: Store::fifo(),
        limit: class.limit,
        guarantee: Guarantee::Share(1.0 / classes.len() as f64),
    });
    let queues = classes::queues(classes, plans, site, errors)?;
    let sorting = Sorting::Classes(Classifier::new(classes.iter().map(|class| &class.matches)));
    Ok(Box::new(Scheduler::new(queues, sorting, order, site.link.limit)))
}

/// One packet of each busy queue in turn.
#[derive(Default)]
struct OneEach {
    /// Busy queues, the next one first.
    turns: VecDeque<u32>,
}

impl Order for OneEach {
    type Tag = ();

    fn stamp(&mut self, _now: Time, _class: usize, _size: u32) {}

    fn wakes(&mut self, class: usize, _head: &Head<()>) {
        self.turns.push_back(class as u32);
    }

    fn pick(&mut self, _now: Time, _heads: &[Option<Head<()>>]) -> usize {
        self.turns.front().map_or(0, |&class| class as usize)
    }

    fn reserve(&mut self, _packets: u32, classes: u32) {
        self.turns.reserve(classes as usize);
    }

    fn left(&mut self, class: usize, _head: &Head<()>, next: Option<&Head<()>>, sent: bool) {
        if sent || next.is_none() {
            self.turns.pop_front();
            if next.is_some() {
                self.turns.push_back(class as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::discipline::drr_test_harness::Bench;
    use crate::rig::{Rig, bench, numbered};
    use penstock_core::param::Value;
    use penstock_core::{Limit, Span};

    fn fq(by: &str) -> Rig {
        Rig::new("fq", &[("by", Value::Text(by.into()))])
    }

    #[test]
    fn by_packet_flows_take_turns_whatever_the_size() {
        let mut rig = fq("packet");
        for (flow, size) in [(0, 1500), (0, 1500), (0, 1500), (1, 40), (1, 40), (9, 500)] {
            rig.arrive_packet(numbered(flow, size));
        }
        assert_eq!(rig.order(), [0, 1, 9, 0, 1, 0]);
    }

    #[test]
    fn by_bit_the_flow_with_small_packets_sends_more_of_them() {
        let mut rig = fq("bit");
        (0..2).for_each(|_| rig.arrive_packet(numbered(0, 1500)));
        (0..6).for_each(|_| rig.arrive_packet(numbered(1, 500)));
        // F in bytes: 1500, 3000 and 500, 1000, ..., 3000; ties go to flow 0.
        assert_eq!(rig.order(), [1, 1, 0, 1, 1, 1, 0, 1]);
    }

    #[test]
    fn by_bit_the_longest_queue_makes_room() {
        let mut rig = fq("bit");
        rig.arrive_from(0, 35);
        rig.arrive_from(1, 3);
        assert_eq!((rig.counts.queued, rig.counts.evicted, rig.counts.dropped_on_arrival), (38, 3, 0));
        // Flow 0 has the longest queue, so its own arrivals are dropped now.
        rig.arrive_from(0, 2);
        assert_eq!((rig.counts.evicted, rig.counts.dropped_on_arrival), (3, 2));
        assert_eq!(rig.order()[..6], [0, 1, 0, 1, 0, 1]);
    }

    /// Section 4, scenario 3: competing with a source that always has packets, a source at twice the line rate gets 3 to 8
    /// packets of 3500, where a fair share is 1750. Packets stored early are sent late, so the first 3500 do not count.
    #[test]
    fn by_bit_an_ill_behaved_source_is_charged_for_what_it_loses() {
        let mut bench = Bench::new("fq", &[("by", Value::Text("bit".into()))], Limit::Packets(15));
        bench.arrive(0, 1000, 5);
        let mut got = [0, 0];
        for step in 0..7000 {
            bench.arrive(1, 1000, 2);
            let flow = bench.serve(1)[0].flow;
            got[flow as usize] += usize::from(step >= 3500);
            if flow == 0 {
                bench.arrive(0, 1000, 1);
            }
            bench.advance(Span::from_nanos(5_333_333));
        }
        assert!((1..=12).contains(&got[1]), "{got:?}");
    }

    /// The order in which ns-2.35 sends bursts of packets of 1500, 500 and 1000 bytes, the first of which finds the
    /// link idle.
    #[test]
    fn by_bit_the_packet_that_found_the_link_idle_is_charged_unlike_in_ns2() {
        let mut bench = Bench::new("fq", &[("by", Value::Text("bit".into()))], Limit::Packets(35));
        bench.arrive(0, 1500, 1);
        assert_eq!(bench.serve(1).len(), 1);
        for (flow, size) in [(0, 1500), (0, 1500), (1, 500), (1, 500), (2, 1000), (1, 500), (2, 1000), (0, 1500)] {
            bench.arrive(flow, size, 1);
        }
        bench.arrive(1, 500, 2);
        let ns2 = [1, 1, 2, 1, 0, 1, 2, 1, 0, 0];
        let ours = bench.serve(20).iter().map(|packet| packet.flow).collect::<Vec<_>>();
        assert_eq!(ours, [1, 1, 2, 1, 1, 2, 1, 0, 0, 0]);
        assert_ne!(ours, ns2);
    }

    #[test]
    fn by_packet_the_arriving_packet_finds_no_room() {
        let mut rig = fq("packet");
        rig.arrive_from(0, 35);
        rig.arrive_from(1, 3);
        assert_eq!((rig.counts.evicted, rig.counts.dropped_on_arrival), (0, 3));
    }

    #[test]
    fn classes_take_the_place_of_flows() {
        let mut rig = bench("fq", [vec![], vec![]]);
        // Flow 7 belongs to no class, so it is assigned to the last one.
        for flow in [0, 0, 0, 1, 7] {
            rig.arrive_packet(numbered(flow, 1000));
        }
        assert_eq!(rig.order(), [0, 1, 0, 7, 0]);
    }
}

//! Priority Queueing (PQ), and rate-controlled priority queueing where a class has a `rate`.
//! T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis, Université Montpellier
//! II, 2004, introduction ("Queue scheduling").
//!
//! # Algorithm
//! Whenever the link is free, the head of the backlogged class of highest priority is sent. A packet in transmission is
//! not interrupted. A class with a `rate` has its priority only for packets that conform to a token bucket (rate r,
//! depth b): a packet of L bytes conforms if there are L tokens, and consumes them when it is sent. Head packets that
//! do not conform are served after all others, in order of priority, and consume no tokens, so the link never idles
//! while packets wait. No random number is drawn.
//!
//! # Parameters
//! Each class has a `priority`, 0 being the highest; the default is its position in the list. `rate` and `burst` bound
//! the traffic that has priority; `limit` is the class's own limit in addition to the shared limit. The AQM of a class
//! (`queue`) sees the class as its link, with the class's `rate` or else the rate of the whole link.
//!
//! # Differences
//! * The thesis gives a threshold for rate control but no meter: here the meter is a token bucket with a default depth
//!   of 20 packets.
//! * Of classes with the same priority, the class listed first is served first.

use super::class_queue::{Guarantee, Store};
use super::classes::{self, ClassPlan};
use super::scheduler::{Head, Order, Scheduler, Sorting};
use super::weighted_classes::{ClassesParams, read_classes};
use super::{Discipline, Probe};
use crate::class_settings::{self, path};
use crate::edge::match_rules::Classifier;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use crate::tokens::{Bucket, depth};
use alloc::boxed::Box;
use alloc::vec::Vec;
use penstock_core::param::{Default, Length, ParamError, ParamErrors, Settings};
use penstock_core::{Packet, Rate, Time};

penstock_core::params! {
    /// Parameters of a class with a priority.
    pub struct PriorityClassParams {
        /// Priority of the class, 0 being the highest; by default its position in the list.
        priority: Option<u32> = Default::Absent, range: 0.0..=1_000_000.0;
        /// Rate up to which the class has priority; absent: no bound.
        rate: Option<Rate> = Default::Absent, unit: "bit/s", range: 1.0..=10_000_000_000_000.0;
        /// Burst that may still have priority; by default 20 packets.
        burst: Option<Length> = Default::Absent, unit: "packets", at_least: 0.0;
        /// Limit of the class's own queue, in addition to the shared limit.
        limit: Option<Length> = Default::Absent, unit: "packets", at_least: 0.0;
    }
}

/// Priority queueing of classes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pq;

impl Scheme for Pq {
    const INFO: SchemeInfo = SchemeInfo {
        name: "pq",
        aliases: &["prio", "rcpq", "rate-controlled-pq"],
        family: "scheduler",
        title: "Priority Queueing",
        source: "T. Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis, \
                 Université Montpellier II, 2004",
        doc: module_doc!("pq.rs"),
        ecn: false,
        params: ClassesParams::INFO,
        class_params: PriorityClassParams::INFO,
        cost: "O(n) time per packet and O(n) memory for n classes",
        build_aqm: None,
        picture: Picture::Service,
        good: "The shortest delay for the highest class: it waits for at most one packet of the others.",
        bad: "Lower classes starve while higher classes fill the link, unless the higher classes have a rate.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        site: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let classes = read_classes(settings)?;
        let mut errors = Vec::new();
        let read = class_settings::read::<PriorityClassParams>(&classes, PriorityClassParams::INFO, &mut errors);
        let params = read.unwrap_or_default();
        for (i, class) in params.iter().enumerate() {
            if class.burst.is_some() && class.rate.is_none() {
                errors.push(ParamError::new(path(i, "burst"), "needs a `rate` in the same class"));
            }
        }
        let plans = params.iter().map(|class| ClassPlan {
            store: Store::fifo(),
            limit: class.limit,
            guarantee: class.rate.map_or(Guarantee::Share(1.0), Guarantee::Rate),
        });
        let queues = classes::queues(&classes, plans, site, errors)?;
        let sorting = Sorting::Classes(Classifier::new(classes.iter().map(|class| &class.matches)));
        Ok(Box::new(Scheduler::new(queues, sorting, ByPriority::new(&params, site), site.link.limit)))
    }
}

/// Serves the class of highest priority.
struct ByPriority {
    /// Classes, the highest priority first.
    ranks: Vec<Rank>,
    /// The rank just picked, and whether its head packet conforms.
    picked: (usize, bool),
}

struct Rank {
    class: usize,
    tokens: Option<Bucket>,
}

impl ByPriority {
    fn new(params: &[PriorityClassParams], &Site { link, now, .. }: &Site<'_>) -> Self {
        let mut order: Vec<usize> = (0..params.len()).collect();
        order.sort_by_key(|&class| params[class].priority.unwrap_or(class as u32));
        let tokens = |class: usize| {
            let burst = depth(params[class].burst, link.mean_packet);
            params[class].rate.map(|rate| Bucket::new(rate, burst, now))
        };
        let ranks = order.into_iter().map(|class| Rank { class, tokens: tokens(class) }).collect();
        Self { ranks, picked: (0, false) }
    }
}

impl Order for ByPriority {
    type Tag = ();

    fn stamp(&mut self, _now: Time, _class: usize, _size: u32) {}

    fn wakes(&mut self, _class: usize, _head: &Head<()>) {}

    fn pick(&mut self, now: Time, heads: &[Option<Head<()>>]) -> usize {
        let mut first_backlogged = None;
        for (number, rank) in self.ranks.iter_mut().enumerate() {
            let Some(head) = heads[rank.class] else { continue };
            if rank.tokens.as_mut().is_none_or(|tokens| tokens.conforms(now, head.size)) {
                self.picked = (number, true);
                return rank.class;
            }
            first_backlogged.get_or_insert(number);
        }
        self.picked = (first_backlogged.unwrap_or(0), false);
        self.ranks[self.picked.0].class
    }

    fn left(&mut self, _class: usize, head: &Head<()>, _next: Option<&Head<()>>, sent: bool) {
        let (number, conforms) = self.picked;
        if let Some(tokens) = self.ranks[number].tokens.as_mut().filter(|_| sent && conforms) {
            tokens.take(head.size);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rig::{Rig, bench, class, numbered, thesis_link};
    use penstock_core::Span;
    use penstock_core::param::Value;

    #[test]
    fn a_packet_leaves_only_when_no_higher_class_waits() {
        let mut rig = bench("pq", [vec![], vec![], vec![]]);
        for flow in [2, 1, 0, 2, 1, 0] {
            rig.arrive_packet(numbered(flow, 1000));
        }
        assert_eq!([rig.serve(), rig.serve(), rig.serve()].map(|packet| packet.unwrap().flow), [0, 0, 1]);
        rig.arrive_packet(numbered(0, 1000));
        assert_eq!(rig.order(), [0, 1, 2, 2]);
    }

    #[test]
    fn priority_0_is_the_highest_wherever_it_stands() {
        let mut rig = bench("pq", [5.0, 0.0, 2.0].map(|priority| vec![("priority", Value::Number(priority))]));
        for flow in [0, 1, 2] {
            rig.arrive_packet(numbered(flow, 1000));
        }
        assert_eq!(rig.order(), [1, 2, 0]);
    }

    #[test]
    fn above_its_rate_a_class_comes_last_but_still_comes() {
        // 80 kbit/s are 10 packets of 1000 bytes per second; the bucket holds 2.
        let rate = vec![("rate", Value::Number(80_000.0)), ("burst", Value::Packets(2.0))];
        let mut rig = bench("pq", [rate, vec![]]);
        for flow in [0, 0, 0, 0, 1, 1, 1] {
            rig.arrive_packet(numbered(flow, 1000));
        }
        assert_eq!([rig.serve(), rig.serve(), rig.serve()].map(|packet| packet.unwrap().flow), [0, 0, 1]);
        // After 100 ms there are tokens for one more.
        rig.advance(Span::from_millis(100));
        assert_eq!(rig.order(), [0, 1, 1, 0]);
    }

    #[test]
    fn a_burst_needs_a_rate() {
        let classes = vec![class(0, vec![("burst", Value::Packets(2.0))]), class(1, vec![])];
        let errors = Rig::on(&thesis_link(), "pq", &[("classes".into(), Value::Classes(classes))], 1).err().unwrap();
        assert_eq!((errors.len(), errors[0].name.as_str()), (1, "classes[0].burst"));
    }
}

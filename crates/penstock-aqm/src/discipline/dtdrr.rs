//! Dynamic Threshold DRR (DTDRR).
//! A. Kantawala, J. Turner, "Intelligent Packet Discard Policies for Improved TCP Queue Management", 2005; section 3,
//! equation 1. The threshold is from A. K. Choudhury, E. L. Hahne, "Dynamic Queue Length Thresholds for Shared-Memory
//! Packet Switches", IEEE/ACM Transactions on Networking 6(2), 1998.
//!
//! # Algorithm
//! The queues are served by DRR. Let Q_i be the length of queue i, B the buffer, and F = B - sum of Q_j its free space.
//! An arriving packet of queue i is dropped if and only if
//!
//! * Q_i >= alpha F.
//!
//! Stored packets are never dropped. n queues under constant load settle at Q = alpha B / (1 + n alpha) and leave B /
//! (1 + n alpha) free for new queues. No random number is drawn, except one for the salt of `spread = "hash"`.
//!
//! # Parameters
//! The larger `alpha`, the more of the buffer a single queue may take, and the less remains free. `quantum`, `buckets`
//! and `spread` are those of DRR.
//!
//! # Differences
//! * Q_i does not count the arriving packet. With F = 0 every arrival is dropped, and reported as an overflow; a drop
//!   by the threshold while there is room is reported as early.
//! * Lengths are in the unit of the limit: packets in the paper, bytes if the limit is in bytes. Without a limit
//!   nothing is dropped.

use super::drr_buffer::{Arrival, DrrParams, Policy, build};
use super::drr_queues::Watcher;
use super::{Discipline, Probe};
use crate::aqm::Cause;
use crate::capabilities::Judges;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use penstock_core::Packet;
use penstock_core::param::{Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len};

penstock_core::params! {
    /// The parameters that DTDRR adds to those of DRR.
    pub struct DtdrrParams {
        /// Maximum length of a queue, as a multiple of the free space.
        alpha: f64 = Default::Number(2.0), at_least: 0.001;
    }
}

const PARAMS: [ParamInfo; inherited_len(DtdrrParams::INFO, DrrParams::INFO)] =
    inherit(DtdrrParams::INFO, DrrParams::INFO, &[]);

/// Dynamic Threshold DRR.
#[derive(Clone, Copy, Debug)]
pub struct Dtdrr;

/// The threshold of all queues, which is proportional to the free space.
struct DynamicThreshold {
    alpha: f64,
}

impl Watcher for DynamicThreshold {}

impl Policy for DynamicThreshold {
    fn judges(&self) -> Judges {
        Judges::Arrivals
    }

    fn refuse(&mut self, arrival: &Arrival<'_>) -> Option<Cause> {
        let (q_i, f) = arrival.length_and_free();
        if !arrival.fits() {
            Some(Cause::Overflow)
        } else if q_i >= self.alpha * f {
            Some(Cause::Early)
        } else {
            None
        }
    }
}

impl Scheme for Dtdrr {
    const INFO: SchemeInfo = SchemeInfo {
        name: "dtdrr",
        aliases: &["dynamic-threshold-drr"],
        family: "fair queueing",
        title: "Dynamic Threshold DRR",
        source: "A. Kantawala, J. Turner, Intelligent Packet Discard Policies for Improved TCP Queue Management, 2005",
        doc: module_doc!("dtdrr.rs"),
        ecn: false,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time; O(queues + packets) memory",
        build_aqm: None,
        picture: Picture::Service,
        good: "As fair as QSDRR with half of its losses; one comparison per arrival, and no stored packet is ever \
               dropped.",
        bad: "Flows with long round trips lose goodput in small buffers, where the threshold allows each queue only a \
              few packets.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        site: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        build(settings, &PARAMS, site, |reader, _| {
            reader.params::<DtdrrParams>().map(|params| DynamicThreshold { alpha: params.alpha })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::drr_test_harness::{Bench, Fate};
    use penstock_core::Limit;
    use penstock_core::param::Value;

    #[test]
    fn equal_queues_settle_at_alpha_b_over_one_plus_n_alpha() {
        // n = 100, B = 1000, alpha = 2: Q = 2000 / 201 = 9.95 and F = 4.98.
        let mut bench = Bench::new("dtdrr", &[], Limit::Packets(1000));
        for _ in 0..100 {
            (0..100).for_each(|flow| bench.arrive(flow, 1500, 1));
        }
        assert!((f64::from(bench.waiting()) / 100.0 - 2000.0 / 201.0).abs() < 0.02);
        // The same holds while the link serves the queues.
        for _ in 0..10_000 {
            (0..100).for_each(|flow| bench.arrive(flow, 1500, 1));
            bench.serve(1);
        }
        assert!((f64::from(bench.waiting()) / 100.0 - 2000.0 / 201.0).abs() < 0.02);
        assert!(bench.drops().iter().all(|fate| matches!(fate, Fate::Dropped(_, Cause::Early))));
    }

    #[test]
    fn one_queue_takes_alpha_over_one_plus_alpha_of_the_buffer() {
        // Q >= 2 (30 - Q) first holds at 20; in bytes, 20 packets of 1000 leave 10 000: 20 000 >= 20 000.
        for limit in [Limit::Packets(30), Limit::Bytes(30_000)] {
            let mut bench = Bench::new("dtdrr", &[], limit);
            bench.arrive(0, 1000, 50);
            assert_eq!(bench.waiting(), 20);
        }
    }

    #[test]
    fn the_free_space_lets_new_queues_in_until_none_is_left() {
        let mut bench = Bench::new("dtdrr", &[], Limit::Packets(3));
        // Flow 0: 0 < 6, 1 < 4, 2 >= 2. Flow 1: 0 < 2, and full. Flow 2 finds F = 0.
        bench.arrive(0, 1500, 3);
        bench.arrive(1, 1500, 1);
        bench.arrive(2, 1500, 1);
        assert_eq!(
            bench.fates(),
            [
                Fate::Queued(0),
                Fate::Queued(0),
                Fate::Dropped(0, Cause::Early),
                Fate::Queued(1),
                Fate::Dropped(2, Cause::Overflow)
            ]
        );
    }

    #[test]
    fn no_limit_no_drop_and_no_room_no_queue() {
        let mut bench = Bench::new("dtdrr", &[], Limit::Infinite);
        bench.arrive(0, 1500, 1000);
        assert_eq!(bench.waiting(), 1000);
        let mut bench = Bench::new("dtdrr", &[], Limit::Packets(0));
        bench.arrive(0, 1500, 1);
        assert_eq!(bench.drops(), [Fate::Dropped(0, Cause::Overflow)]);
        let mut bench = Bench::new("dtdrr", &[], Limit::Packets(1));
        bench.arrive(0, 1500, 2);
        assert_eq!(bench.waiting(), 1);
    }

    #[test]
    fn stored_packets_stay() {
        let mut bench = Bench::new("dtdrr", &[("alpha", Value::Number(16.0))], Limit::Packets(20));
        for flow in 0..50 {
            bench.arrive(flow, 1500, 5);
            bench.serve(2);
        }
        assert!(bench.drops().iter().all(|fate| !matches!(fate, Fate::Dropped(_, Cause::Evicted))));
        assert!(!bench.drops().is_empty());
    }
}

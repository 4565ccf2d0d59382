//! Flow Queue PIE (FQ-PIE). Linux, net/sched/sch_fq_pie, 2020: the queues of FQ-CoDel (T. Hoeiland-Joergensen et al.,
//! RFC 8290, 2018), each guarded by a PIE (R. Pan et al., RFC 8033, 2017). No paper defines FQ-PIE; this implementation
//! follows the documentation of Linux.
//!
//! # Algorithm
//! A salted hash gives each flow one of `flows` queues. The PIE of a packet's queue judges the packet on arrival, by
//! the delay and the backlog of that queue. The packet is queued if PIE lets it pass and the limit admits it. Every
//! `t_update` the probabilities of all queues are updated. The queues are served as in FQ-CoDel: by deficit round
//! robin, with formerly idle queues ahead of the others (RFC 8290, section 4.2).
//!
//! One random number, the salt, is drawn with the first packet; PIE draws all others.
//!
//! # Victim
//! By default none: an arrival without room is dropped. With `overflow` = "fattest": packets at the head of the queue
//! with most bytes, until half of its bytes are removed, at most `drop_batch` packets.
//!
//! # Parameters
//! The parameters of PIE, which apply to each queue, with the default variant "linux", and `flows` and `quantum`.
//! Linux's limit is 10240 packets for all queues together; here the limit of the queue applies.
//!
//! `overflow = "fattest"` is the rule of ns-3's FqPieQueueDisc, and of FQ-CoDel in Linux: the arriving packet is
//! queued, then the queue with the most bytes loses packets from its head until half of its bytes are removed, at most
//! `drop_batch` packets at a time; this is repeated until the limit is met. `ce_threshold` (also of ns-3; RFC 8290,
//! section 5.2.7) marks every ECN-capable packet that waited longer, with or without `ecn`; with `ce_threshold_for =
//! "ect1"` only packets with ECT(1). These marks do not change the state of PIE.
//!
//! # Differences
//! * By default, as in Linux, an arrival that exceeds the limit is dropped; FQ-CoDel drops from the queue with the most
//!   bytes instead. Even with "fattest", an arrival is dropped if its own queue has reached the common limit, because
//!   PIE tests the limit first (RFC 8033, appendix B).
//! * Here the limit is tested after PIE, in Linux before PIE.
//! * The hash is computed from the flow number instead of the addresses, and is reduced to a queue by multiplication.
//! * `variant = "extended"` activates the PIE of a queue when this queue alone fills a third of the common limit.

use super::flow_queueing::{FlowQueue, FlowQueueParams, Occupancy, Overflow, Part};
use super::{Discipline, Probe};
use crate::algorithm::ce_threshold::CeThresholdFor;
use crate::algorithm::pie::{Pie, PieParams};
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use penstock_core::param::{Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len, read};
use penstock_core::{Packet, Span};

penstock_core::choice! {
    /// The packets that are dropped when the limit is exceeded.
    pub enum FqPieOverflow {
        /// The arriving packet.
        Arrival = "arrival",
        /// Packets from the head of the queue with the most bytes, until half of its bytes are gone.
        Fattest = "fattest",
    }
}

penstock_core::params! {
    /// The parameters of FQ-PIE beyond those of flow queueing and PIE.
    pub struct FqPieParams {
        /// The packets that are dropped when the limit is exceeded: the arriving packet, or packets of the queue with
        /// most bytes.
        overflow: FqPieOverflow = Default::Text("arrival");
        /// Maximum number of packets in one batch of drops from the queue with most bytes.
        drop_batch: u32 = Default::Number(64.0), unit: "packets", range: 1.0..=1e6;
        /// Mark every ECN-capable packet that waited longer than this.
        ce_threshold: Option<Span> = Default::Absent, unit: "s", at_least: 0.0;
        /// Packets that `ce_threshold` marks.
        ce_threshold_for: CeThresholdFor = Default::Text("ect");
    }
}

const OWN: [ParamInfo; inherited_len(FlowQueueParams::INFO, FqPieParams::INFO)] =
    inherit(FlowQueueParams::INFO, FqPieParams::INFO, &[]);
const PARAMS: [ParamInfo; inherited_len(&OWN, PieParams::INFO)] =
    inherit(&OWN, PieParams::INFO, &[("variant", Default::Text("linux"))]);

/// FQ-PIE.
pub(crate) struct FqPie;

impl Scheme for FqPie {
    const INFO: SchemeInfo = SchemeInfo {
        name: "fq-pie",
        aliases: &[],
        family: "flow queueing",
        title: "Flow Queue PIE",
        source: "Linux, sch_fq_pie, 2020; RFC 8290 and RFC 8033",
        doc: module_doc!("fq_pie.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time per packet, O(f) every t_update; O(n + f) memory in packets and flows seen",
        build_aqm: None,
        picture: Picture::Service,
        good: "Equal shares of the link, with drops decided on arrival; with few flows the delay is near its target.",
        bad: "PIE spares a queue of two packets, so many flows on a slow link fill the buffer. An arrival at a full \
              buffer is lost, whichever flow filled it. Each tick updates every queue ever used.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, now, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let (queues, (own, pie)): (FlowQueueParams, (FqPieParams, PieParams)) = read(settings, &PARAMS)?;
        let overflow = match own.overflow {
            FqPieOverflow::Arrival => Overflow::Arrival,
            FqPieOverflow::Fattest => Overflow::Fattest { part: Part::HalfOfBytes, batch: own.drop_batch },
        };
        let queue = FlowQueue::new(&queues, Pie::new(pie, link, now), overflow, Occupancy::Queue, link);
        Ok(Box::new(queue.with_ce_threshold(own.ce_threshold, own.ce_threshold_for)))
    }
}

#[cfg(test)]
mod tests {
    use crate::aqm::Cause;
    use crate::discipline::test_harness::{Bench, Fate};
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Span};

    #[test]
    fn a_flood_does_not_touch_its_neighbour() {
        // 1.5 Mbit/s: a packet of 1000 bytes every 5.33 ms. Flow 0 offers three packets in that time, flow 1 one packet
        // in three times as long.
        let mut bench = Bench::new("fq-pie", &[]);
        bench.limit_packets(10_240);
        let (mut sent, mut lost) = ([0; 2], [0; 2]);
        let mut owner = Vec::new();
        for slot in 0..6000 {
            for flow in [0, 0, 0, 1] {
                if flow == 0 || slot % 3 == 0 {
                    owner.push(flow);
                    bench.arrive_from(flow as u32, 1000);
                }
            }
            if let Some(packet) = bench.depart() {
                sent[packet.flow as usize] += 1;
            }
            bench.advance(Span::from_nanos(5_333_333));
        }
        for &(fate, number) in &bench.log.0 {
            lost[owner[number as usize]] += usize::from(matches!(fate, Fate::Dropped(Cause::Early)));
        }
        assert_eq!(lost[1], 0);
        assert!(sent[1] >= 1999, "{} of 2000", sent[1]);
        // the flood gets the rest of the link; its excess is dropped, except for the packets still queued
        assert!(lost[0] > 12_000, "{} of 18 000 lost", lost[0]);
    }

    #[test]
    fn an_arrival_at_a_full_buffer_is_lost_itself() {
        let mut bench = Bench::new("fq-pie", &[]);
        bench.limit_packets(3);
        (0..3).for_each(|_| bench.arrive_from(0, 1000));
        bench.arrive_from(1, 1000);
        assert_eq!(bench.log.0[3], (Fate::Dropped(Cause::Overflow), 3));
        assert_eq!(bench.depart_all(), [0, 1, 2]);
    }

    #[test]
    fn all_probabilities_are_updated_even_those_of_queues_yet_to_come() {
        // A queue first used after a minute behaves like one used at the start: there is no burst of overdue updates.
        let mut bench = Bench::new("fq-pie", &[]);
        bench.advance(Span::from_millis(60_000));
        (0..10).for_each(|_| bench.arrive_from(0, 1000));
        bench.advance(Span::from_millis(1000));
        assert_eq!(bench.depart_all().len(), 10);
    }

    #[test]
    fn the_fattest_queue_makes_room_where_that_is_asked_for() {
        let evicted = |settings: &[(&str, Value)]| {
            let flows = ("flows", Value::Number(1e6));
            let fattest = ("overflow", Value::Text("fattest".into()));
            let mut bench = Bench::new("fq-pie", &[&[flows, fattest], settings].concat());
            bench.limit_packets(6);
            for flow in [0, 0, 0, 0, 0, 1, 1] {
                bench.arrive_from(flow, 1000);
            }
            let is_evicted = |(fate, _): &&(Fate, u32)| *fate == Fate::Dropped(Cause::Evicted);
            bench.log.0.iter().filter(is_evicted).map(|&(_, number)| number).collect::<Vec<_>>()
        };
        assert_eq!(evicted(&[]), [0, 1, 2]);
        assert_eq!(evicted(&[("drop_batch", Value::Number(1.0))]), [0]);
    }

    #[test]
    fn the_ce_threshold_marks_what_waited_longer_and_drops_none() {
        let marked = |settings: &[(&str, Value)]| {
            let threshold = ("ce_threshold", Value::Time(Span::from_millis(5)));
            let mut bench = Bench::new("fq-pie", &[&[threshold], settings].concat());
            for wait in [4, 6] {
                for ecn in [Ecn::Not, Ecn::Ect0, Ecn::Ect1] {
                    bench.arrive_as(1000, ecn);
                    bench.advance(Span::from_millis(wait));
                    assert!(bench.depart().is_some());
                }
            }
            bench.log.0.iter().filter(|(fate, _)| *fate == Fate::Marked).map(|&(_, number)| number).collect::<Vec<_>>()
        };
        assert_eq!(marked(&[]), [4, 5]);
        assert_eq!(marked(&[("ce_threshold_for", Value::Text("ect1".into()))]), [5]);
    }
}

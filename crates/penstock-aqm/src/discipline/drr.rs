//! Deficit Round Robin (DRR).
//! M. Shreedhar, G. Varghese, "Efficient Fair Queuing Using Deficit Round-Robin", IEEE/ACM Transactions on Networking
//! 4(3), 1996. Buffer stealing is McKenney's ("Stochastic Fairness Queueing", IEEE INFOCOM 1990).
//!
//! # Algorithm
//! Service. The queues that hold packets form a round. When the turn of queue i begins, its deficit counter grows by
//! the quantum, DC_i = DC_i + Q. The queue sends packets from its head while the next packet is not larger than DC_i,
//! and DC_i decreases by the bytes sent. Then the turn passes to the next queue, and DC_i is kept. A queue that becomes
//! empty leaves the round with DC_i = 0; a queue that becomes non-empty joins at the end of the round with DC_i = 0.
//!
//! Room (buffer stealing). An arriving packet is put in its queue; while the buffer exceeds its limit, the packet at
//! the head of the longest queue, in bytes, is dropped. Of equally long queues, the queue that is served soonest loses
//! a packet. No random number is drawn, except one for the salt of `spread = "hash"`, when the first packet arrives.
//!
//! Fairness, as proved in the paper: over any interval in which neither of two queues is empty, the bytes that they
//! send differ by at most Q + 2 Max, where Max is the largest packet.
//!
//! # Victim
//! The packet at the head of the longest queue in bytes, counting the arriving packet, when the buffer overflows.
//!
//! # Parameters
//! `quantum`: with the default, the largest packet, every turn sends at least one packet and the work per packet is
//! constant. A smaller quantum is fair over shorter intervals, at the cost of rounds in which no queue can send.
//! `buckets` and `spread`: flows that share a queue share its service and its losses.
//!
//! # Differences
//! * The quantum of the paper's evaluation is one largest packet; ns-2's default is 250 bytes, in 10 buckets.
//! * The paper makes room before it queues the arriving packet. As in ns-2, the packet is queued first here, so that it
//!   counts towards the length of its queue.
//! * A packet that would be dropped from its queue immediately is not stored, and is reported as dropped on arrival by
//!   overflow, never as queued. The same applies to a packet larger than the buffer, which evicts no other packet.
//! * A turn ends at the next `dequeue` that finds the head packet too large.
//! * Rounds in which no queue can send, because the quantum is smaller than the packets, are computed in one step.

pub use super::drr_buffer::{DrrParams, Spread};

use super::drr_buffer::{Policy, build};
use super::drr_queues::{Queue, Watcher};
use super::longest_queue::LongestQueue;
use super::{Discipline, Probe};
use crate::capabilities::Judges;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use penstock_core::param::{ParamErrors, Settings};
use penstock_core::{Packet, Time};

/// Deficit Round Robin with buffer stealing.
#[derive(Clone, Copy, Debug)]
pub struct Drr;

/// Drops the head of the longest queue in bytes.
struct BufferStealing {
    longest: LongestQueue,
}

impl Watcher for BufferStealing {
    #[inline]
    fn on_push(&mut self, _now: Time, id: u32, queue: &Queue) {
        self.longest.on_grown(id, queue.bytes(), queue);
    }
}

impl Policy for BufferStealing {
    fn judges(&self) -> Judges {
        Judges::Departures
    }

    fn reserve(&mut self, queues: u32) {
        self.longest.reserve(queues);
    }

    const COUNTS_ARRIVAL: bool = true;

    fn victim(&mut self, _id: u32, queues: &[Queue]) -> Option<u32> {
        self.longest.id(queues, Queue::bytes)
    }
}

impl Scheme for Drr {
    const INFO: SchemeInfo = SchemeInfo {
        name: "drr",
        aliases: &["deficit-round-robin"],
        family: "fair queueing",
        title: "Deficit Round Robin",
        source: "M. Shreedhar, G. Varghese, Efficient Fair Queuing Using Deficit Round-Robin, IEEE/ACM Transactions on \
                 Networking 4(3), 1996",
        doc: module_doc!("drr.rs"),
        ecn: false,
        params: DrrParams::INFO,
        class_params: &[],
        cost: "O(1) time for service, O(log n) in the active queues to order them by length; O(queues + packets) \
              memory",
        build_aqm: None,
        picture: Picture::Service,
        good: "Near-equal shares for flows of any packet size and any aggressiveness, at almost constant cost.",
        bad: "Long queues lose packets in turn, so with many flows all of them lose at once. Only the buffer bounds \
              the delay.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        site: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        build(settings, DrrParams::INFO, site, |_, _| Some(BufferStealing { longest: LongestQueue::new() }))
    }
}

#[cfg(test)]
mod tests {

    use crate::aqm::Cause;
    use crate::discipline::drr_test_harness::{Bench, Fate};
    use penstock_core::param::Value;
    use penstock_core::{Limit, Rng};

    fn quantum(bytes: f64) -> Vec<(&'static str, Value)> {
        vec![("quantum", Value::Bytes(bytes))]
    }

    #[test]
    fn backlogged_flows_share_the_link_by_bytes_not_packets() {
        // Packets of 1500, 500 and 100 bytes with quantum 1500: 1, 3 and 15 packets per round.
        let mut bench = Bench::new("drr", &[], Limit::Infinite);
        for (flow, size) in [(0, 1500), (1, 500), (2, 100)] {
            bench.arrive(flow, size, 100);
        }
        let served = bench.serve(5 * 19);
        let count = |flow| served.iter().filter(|packet| packet.flow == flow).count();
        assert_eq!([count(0), count(1), count(2)], [5, 15, 75]);
    }

    #[test]
    fn two_backlogged_queues_never_differ_by_more_than_a_quantum_and_two_packets() {
        for (seed, q) in [(1, 40.0), (2, 500.0), (3, 1500.0), (4, 9000.0), (5, 1.0)] {
            let mut rng = Rng::stream(seed, "sizes");
            let mut bench = Bench::new("drr", &quantum(q), Limit::Infinite);
            for _ in 0..2000 {
                bench.arrive(0, 40 + rng.below(1461) as u32, 1);
                bench.arrive(1, 40 + rng.below(300) as u32, 2);
            }
            // The range of the difference of the two sums bounds the unfairness over any interval.
            let (mut difference, mut low, mut high) = (0_i64, 0, 0);
            for packet in bench.serve(1500) {
                difference += if packet.flow == 0 { i64::from(packet.size) } else { -i64::from(packet.size) };
                (low, high) = (difference.min(low), difference.max(high));
            }
            assert!(high - low <= q as i64 + 2 * 1500, "quantum {q}: {}", high - low);
        }
    }

    #[test]
    fn the_longest_queue_loses_its_head() {
        let mut bench = Bench::new("drr", &[], Limit::Packets(6));
        bench.arrive(0, 1000, 4);
        bench.arrive(1, 1001, 2);
        bench.arrive(2, 1002, 1);
        assert_eq!(bench.drops(), [Fate::Dropped(0, Cause::Evicted)]);
        assert_eq!(bench.waiting(), 6);
        // The queues hold 3, 2, 1 packets, then 2, 2, 2; from then on every arrival makes its own queue the longest.
        bench.arrive(2, 1002, 3);
        let evicted = [0, 0, 2, 2].map(|flow| Fate::Dropped(flow, Cause::Evicted));
        assert_eq!(bench.drops(), evicted);
        assert_eq!(bench.most(), 6);
    }

    #[test]
    fn length_is_in_bytes() {
        let mut bench = Bench::new("drr", &[], Limit::Packets(4));
        bench.arrive(0, 100, 3);
        bench.arrive(1, 1500, 1);
        bench.arrive(2, 100, 1);
        assert_eq!(bench.drops(), [Fate::Dropped(1, Cause::Evicted)]);
    }

    #[test]
    fn the_arriving_packet_counts_and_its_own_queue_may_lose_its_head() {
        // One packet of each of two flows; the second of flow 1 makes its queue the longest.
        let mut bench = Bench::new("drr", &[], Limit::Packets(2));
        bench.arrive(0, 1000, 1);
        bench.arrive(1, 900, 1);
        bench.arrive(1, 901, 1);
        assert_eq!(bench.drops(), [Fate::Dropped(1, Cause::Evicted)]);
        let sizes: Vec<_> = bench.serve(9).iter().map(|packet| packet.size).collect();
        assert_eq!(sizes, [1000, 901]);
    }

    #[test]
    fn an_arrival_that_is_alone_in_the_longest_queue_was_never_queued() {
        let mut bench = Bench::new("drr", &[], Limit::Packets(1));
        bench.arrive(0, 1000, 1);
        bench.arrive(1, 1500, 1);
        assert_eq!(bench.drops(), [Fate::Dropped(1, Cause::Overflow)]);
        // Of equally long queues, the one that is served sooner loses a packet.
        bench.arrive(1, 1000, 1);
        assert_eq!(bench.drops()[1], Fate::Dropped(0, Cause::Evicted));
    }

    #[test]
    fn of_equally_long_queues_the_one_served_soonest_loses() {
        let mut bench = Bench::new("drr", &[], Limit::Packets(6));
        (0..3).for_each(|flow| bench.arrive(flow, 1500, 2));
        // Flow 0 sends and moves to the end of the round; flow 1 is then at the front of the round.
        assert_eq!(bench.serve(2).iter().map(|packet| packet.flow).collect::<Vec<_>>(), [0, 1]);
        bench.arrive(0, 1500, 1);
        bench.arrive(1, 1500, 1);
        bench.arrive(3, 1500, 1);
        assert_eq!(bench.drops(), [Fate::Dropped(1, Cause::Evicted)]);
    }

    #[test]
    fn a_packet_larger_than_the_buffer_pushes_nobody_out() {
        let mut bench = Bench::new("drr", &[], Limit::Bytes(3000));
        bench.arrive(0, 1500, 2);
        bench.arrive(0, 3001, 1);
        assert_eq!(bench.drops(), [Fate::Dropped(0, Cause::Overflow)]);
        // 3000 bytes of flow 0 wait: one packet is dropped for 1400 bytes of flow 1.
        bench.arrive(1, 1400, 1);
        assert_eq!(bench.drops()[1..], [Fate::Dropped(0, Cause::Evicted)]);
        assert_eq!(bench.waiting(), 2);
    }

    #[test]
    fn a_hundred_thousand_flows_share_as_two_do() {
        let mut bench = Bench::new("drr", &[], Limit::Packets(200_000));
        for flow in 0..100_000 {
            bench.arrive(flow, 1500, 2);
        }
        bench.arrive(7, 1500, 50_000);
        assert!(bench.drops().iter().all(|fate| *fate == Fate::Dropped(7, Cause::Evicted)));
        let mut seen = vec![0; 100_000];
        bench.serve(200_000).iter().for_each(|packet| seen[packet.flow as usize] += 1);
        assert!(seen.iter().all(|&packets| packets == 2));
    }

    #[test]
    fn flows_share_buckets_by_their_numbers_or_by_a_hash() {
        let buckets = ("buckets", Value::Number(10.0));
        let mut bench = Bench::new("drr", std::slice::from_ref(&buckets), Limit::Infinite);
        // Flows 0 and 10 share a queue: first in, first out.
        bench.arrive(0, 1500, 2);
        bench.arrive(10, 1500, 1);
        bench.arrive(1, 1500, 1);
        assert_eq!(bench.serve(4).iter().map(|packet| packet.flow).collect::<Vec<_>>(), [0, 1, 0, 10]);

        let hash = ("spread", Value::Text("hash".into()));
        let mut bench = Bench::new("drr", &[buckets, hash.clone()], Limit::Infinite);
        (0..1000).for_each(|flow| bench.arrive(flow, 1500, 1));
        assert_eq!(bench.gauge("active"), 10.0);
        assert_eq!(Bench::errors("drr", &[hash]), ["spread: needs `buckets`"]);
    }
}

//! Stochastic Fairness Queueing (SFQ).
//! P. E. McKenney, "Stochastic Fairness Queueing", IEEE INFOCOM 1990, in the form popularised by Linux and ns-2.
//!
//! # Algorithm
//! A hash of the flow number, with a random salt, gives each flow one of `buckets` queues; flows that fall into the
//! same queue share it. The queues that hold packets are served in turn. An arriving packet is put in its queue. If the
//! buffer then exceeds its limit, the longest queue in packets loses its last packet, possibly the packet that just
//! arrived; with `headdrop` it loses its first packet. Of equally long queues, the queue that is served soonest loses a
//! packet. With `round = "packet"` a turn ends as its packet leaves: a queue that becomes active later joins behind the
//! queue just served.
//!
//! `room` = "threshold" is the rule of ns-2, found by experiment. With f places free, a packet is refused if its queue
//! holds at least floor(f / 2) packets or, for f < `buckets`, more than floor(limit / `buckets`) packets. Stored
//! packets are never dropped. n long queues settle at limit / (n + 2) each, as with the dynamic threshold of `dtdrr`
//! with alpha = 1/2, or lower by the second condition.
//!
//! Every `perturb` a new salt is drawn, so that flows do not share a queue for long. Waiting packets move to their
//! queues under the new hash, in order of arrival.
//!
//! One random number is drawn when the first packet arrives, and one after each perturbation: immediately if packets
//! wait, else at the next arrival.
//!
//! # Victim
//! The last packet of the longest queue in packets, counting the arriving packet, when the buffer overflows; with
//! `headdrop`, its first packet. With `room` = "threshold" there is none.
//!
//! # Parameters
//! | | Linux (the defaults) | ns-2 |
//! |---|---|---|
//! | `buckets` | 1024 | 16 |
//! | `round` | "drr", `quantum` = largest packet | "packet" |
//! | `room` | "longest" | "threshold" |
//! | `spread` | "hash" | by address, "modulo" |
//! | limit of the link | 127 packets | 40 packets |
//! | `depth`, `flows` | 127, 127: without effect under that limit | none |
//!
//! `perturb` is off unless given; 10 s is recommended. Two of n flows share a queue with probability 1 / `buckets`;
//! McKenney advises five to ten times as many queues as flows.
//!
//! # Differences
//! * McKenney leaves waiting packets in their queues when the hash changes, which may reorder a flow; here they are
//!   moved, as in Linux. The move drops no packet, even if a queue becomes longer than `depth`.
//! * The hash is computed from the flow number and the salt, not from addresses and ports.
//! * If the arriving packet itself is dropped, this is reported as an overflow; the drop of a stored packet as an
//!   eviction. A packet refused by "threshold" while there is room is reported as an early drop.
//! * With a limit in bytes, "threshold" counts in bytes and omits the second condition.

use super::drr_buffer::{Arrival, DrrBuffer, DrrParams, Policy, Spread};
use super::drr_queues::{End, Queue, Watcher};
use super::longest_queue::LongestQueue;
use super::{Discipline, Probe};
use crate::aqm::Cause;
use crate::capabilities::Judges;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use penstock_core::param::{Auto, Default, ParamErrors, Settings, read_with};
use penstock_core::{Bytes, Limit, Packet, Span, Time, math};

penstock_core::choice! {
    /// The amount that a queue may send per turn.
    pub enum Round {
        /// The quantum, by deficit round robin.
        Drr = "drr",
        /// One packet.
        Packet = "packet",
    }
}

penstock_core::choice! {
    /// The packet that is dropped when there is no room.
    pub enum Room {
        /// A packet of the longest queue.
        Longest = "longest",
        /// The arriving packet, if its queue is too long for the remaining room.
        Threshold = "threshold",
    }
}

penstock_core::params! {
    /// Parameters of SFQ.
    pub struct SfqParams {
        /// Number of queues.
        buckets: u32 = Default::Number(1024.0), range: 1.0..=1_000_000.0;
        /// How flows are spread over the queues.
        spread: Spread = Default::Text("hash");
        /// Time between changes of the hash; by default it never changes.
        perturb: Option<Span> = Default::Absent, unit: "s", at_least: 0.001;
        /// The amount that a queue may send in each turn.
        round: Round = Default::Text("drr");
        /// Bytes that a queue may send in each of its turns; "auto" is the largest packet of the link.
        quantum: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 1.0;
        /// The packet that is dropped when there is no room.
        room: Room = Default::Text("longest");
        /// Maximum number of packets in one queue; by default only the limit of the link.
        depth: Option<u32> = Default::Absent, unit: "packets", at_least: 1.0;
        /// Maximum number of busy queues; by default all.
        flows: Option<u32> = Default::Absent, at_least: 1.0;
        /// Drop from the head of the longest queue instead of from its tail.
        headdrop: bool = Default::Flag(false);
    }
}

/// Stochastic Fairness Queueing.
#[derive(Clone, Copy, Debug)]
pub struct Sfq;

/// Drops a packet of the longest queue, in packets, or refuses the arriving packet.
struct Sharing {
    longest: LongestQueue,
    room: Room,
    buckets: u32,
    depth: Option<u32>,
    flows: Option<u32>,
    end: End,
}

impl Sharing {
    /// Whether the queue of the arrival is too long for the remaining room.
    fn is_above_threshold(&self, arrival: &Arrival<'_>) -> bool {
        let (length, free) = arrival.length_and_free();
        let is_above_share = match arrival.limit {
            Limit::Packets(limit) => free < f64::from(self.buckets) && arrival.queue.packets() > limit / self.buckets,
            Limit::Bytes(_) | Limit::Infinite => false,
        };
        length >= math::floor(0.5 * free) || is_above_share
    }
}

/// The unit in which queues are compared.
fn length(queue: &Queue) -> u64 {
    u64::from(queue.packets())
}

impl Watcher for Sharing {
    #[inline]
    fn on_push(&mut self, _now: Time, id: u32, queue: &Queue) {
        self.longest.on_grown(id, length(queue), queue);
    }
}

impl Policy for Sharing {
    const COUNTS_ARRIVAL: bool = true;

    fn judges(&self) -> Judges {
        if self.room == Room::Longest { Judges::Departures } else { Judges::Both }
    }

    fn refuse(&mut self, arrival: &Arrival<'_>) -> Option<Cause> {
        let is_new = arrival.queue.packets() == 0;
        if is_new && self.flows.is_some_and(|flows| arrival.active >= flows) {
            return Some(Cause::Overflow);
        }
        if self.room == Room::Longest || !self.is_above_threshold(arrival) {
            return None;
        }
        Some(if arrival.fits() { Cause::Early } else { Cause::Overflow })
    }

    fn is_overfull(&self, queue: &Queue) -> bool {
        self.depth.is_some_and(|depth| queue.packets() > depth)
    }

    fn victim(&mut self, id: u32, queues: &[Queue]) -> Option<u32> {
        if self.is_overfull(&queues[id as usize]) { Some(id) } else { self.longest.id(queues, length) }
    }

    fn reserve(&mut self, queues: u32) {
        self.longest.reserve(queues);
    }

    fn end(&self) -> End {
        self.end
    }
}

impl Scheme for Sfq {
    const INFO: SchemeInfo = SchemeInfo {
        name: "sfq",
        aliases: &["stochastic-fairness-queueing"],
        family: "fair queueing",
        title: "Stochastic Fairness Queueing",
        source: "P. E. McKenney, Stochastic Fairness Queueing, IEEE INFOCOM 1990",
        doc: module_doc!("sfq.rs"),
        ecn: false,
        params: SfqParams::INFO,
        class_params: &[],
        cost: "O(1) time for service, O(log n) in the active queues to order them by length; O(buckets + packets) \
               memory",
        build_aqm: None,
        picture: Picture::Service,
        good: "Near-equal shares with a fixed number of queues, and short delays for sparse flows.",
        bad: "Flows in the same bucket divide one share; the queue of a bulk flow may grow to the size of the buffer.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, now, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let params = read_with(settings, SfqParams::INFO, |reader| {
            let params = reader.params::<SfqParams>()?;
            if params.round == Round::Packet && params.quantum != Auto::Auto {
                reader.refuse("quantum", "must not be given with round = \"packet\", which has no quantum");
            }
            if params.room == Room::Threshold && params.headdrop {
                reader.refuse("headdrop", "must be off with room = \"threshold\", which drops no stored packet");
            }
            if params.spread == Spread::Modulo && params.perturb.is_some() {
                reader.refuse("perturb", "must not be given with spread = \"modulo\", which has no hash");
            }
            Some(params)
        })?;
        let SfqParams { buckets, spread, perturb, round, quantum, room, depth, flows, headdrop } = params;
        let drr = DrrParams { quantum, buckets: Some(buckets), spread };
        let end = if headdrop { End::Head } else { End::Tail };
        let policy = Sharing { longest: LongestQueue::new(), room, buckets, depth, flows, end };
        let buffer = DrrBuffer::new(&drr, link, policy).perturbed(perturb, now);
        Ok(Box::new(if round == Round::Packet { buffer.packet_by_packet() } else { buffer }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::drr_test_harness::{Bench, Fate};
    use penstock_core::param::Value;

    fn flows(bench: &mut Bench, n: usize) -> Vec<u32> {
        bench.serve(n).iter().map(|packet| packet.flow).collect()
    }

    #[test]
    fn turns_are_a_quantum_of_bytes_or_one_packet() {
        for (round, order) in [("drr", [0, 1, 1, 0, 1, 1]), ("packet", [0, 1, 0, 1, 0, 1])] {
            let mut bench = Bench::new("sfq", &[("round", Value::Text(round.into()))], Limit::Packets(127));
            bench.arrive(0, 1500, 5);
            bench.arrive(1, 750, 5);
            assert_eq!(flows(&mut bench, 6), order, "{round}");
        }
        let both = [("round", Value::Text("packet".into())), ("quantum", Value::Bytes(500.0))];
        assert_eq!(
            Bench::errors("sfq", &both),
            ["quantum: must not be given with round = \"packet\", which has no quantum"]
        );
    }

    #[test]
    fn the_longest_queue_loses_its_tail_or_its_head() {
        for (headdrop, left) in [(false, vec![100, 101, 102]), (true, vec![101, 102, 103])] {
            let mut bench = Bench::new("sfq", &[("headdrop", Value::Flag(headdrop))], Limit::Packets(4));
            (100..104).for_each(|size| bench.arrive(0, size, 1));
            bench.arrive(1, 1500, 1);
            assert_eq!(bench.drops(), [Fate::Dropped(0, Cause::Evicted)]);
            let sizes: Vec<_> =
                bench.serve(9).iter().filter(|packet| packet.flow == 0).map(|packet| packet.size).collect();
            assert_eq!(sizes, left);
        }
    }

    #[test]
    fn an_arrival_at_the_tail_of_the_longest_queue_is_itself_dropped() {
        let mut bench = Bench::new("sfq", &[], Limit::Packets(4));
        bench.arrive(0, 1500, 5);
        assert_eq!(bench.drops(), [Fate::Dropped(0, Cause::Overflow)]);
        assert_eq!((bench.fates().len(), bench.most()), (5, 4));
    }

    #[test]
    fn flows_in_one_bucket_are_one_queue() {
        let mut bench = Bench::new("sfq", &[("buckets", Value::Number(1.0))], Limit::Packets(6));
        (0..4).for_each(|flow| bench.arrive(flow, 1500, 2));
        assert_eq!(bench.drops(), [Fate::Dropped(3, Cause::Overflow); 2]);
        assert_eq!(flows(&mut bench, 9), [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn flows_are_spread_evenly() {
        // 1000 flows in 100 buckets: each bucket is empty with probability e^-10.
        let mut bench = Bench::new("sfq", &[("buckets", Value::Number(100.0))], Limit::Infinite);
        (0..1000).for_each(|flow| bench.arrive(flow, 1500, 1));
        assert_eq!(bench.gauge("active"), 100.0);
    }

    #[test]
    fn perturbation_parts_flows_that_shared_a_bucket_and_reorders_none() {
        let settings = [("buckets", Value::Number(2.0)), ("perturb", Value::Time(Span::from_secs(10.0)))];
        let mut bench = Bench::new("sfq", &settings, Limit::Packets(127));
        let (mut together, mut last) = (0, [0, 0]);
        for step in 1..=50 {
            bench.arrive(0, 100 + step, 1);
            bench.arrive(1, 100 + step, 1);
            bench.advance(Span::from_secs(10.0));
            together += u32::from(bench.gauge("active") == 1.0);
            if step % 10 == 0 {
                for packet in bench.serve(14) {
                    assert!(packet.size > last[packet.flow as usize]);
                    last[packet.flow as usize] = packet.size;
                }
            }
        }
        // Two flows share a bucket of two half of the time: 25 +- 3.5.
        assert!((14..=36).contains(&together), "{together}");
        assert!(bench.drops().is_empty());
    }

    #[test]
    fn a_queue_may_have_a_depth_and_the_number_of_queues_a_bound() {
        for (headdrop, cause) in [(false, Cause::Overflow), (true, Cause::Evicted)] {
            let settings = [("depth", Value::Number(3.0)), ("headdrop", Value::Flag(headdrop))];
            let mut bench = Bench::new("sfq", &settings, Limit::Packets(127));
            bench.arrive(0, 1500, 5);
            assert_eq!(bench.drops(), [Fate::Dropped(0, cause); 2]);
        }
        let mut bench = Bench::new("sfq", &[("flows", Value::Number(2.0))], Limit::Packets(127));
        (0..3).for_each(|flow| bench.arrive(flow, 1500, 2));
        assert_eq!(bench.drops(), [Fate::Dropped(2, Cause::Overflow); 2]);
    }
    /// The packets that ns-2.35's SFQ keeps of bursts of 60 packets of each of n flows, interleaved packet by packet;
    /// the first packet is sent immediately.
    #[test]
    fn threshold_keeps_what_ns2_keeps_of_a_burst() {
        for (limit, buckets, kept) in [
            (35, 16.0, vec![12]),
            (35, 16.0, vec![9, 9]),
            (35, 16.0, vec![6, 7, 7]),
            (35, 16.0, vec![3, 4, 4, 3, 3, 3]),
            (20, 16.0, vec![5]),
            (12, 16.0, vec![1, 1]),
            (6, 16.0, vec![0, 1, 1, 1, 1, 1]),
            (18, 4.0, vec![4, 5]),
            (80, 16.0, vec![13, 14, 13, 13]),
        ] {
            let settings = [
                ("buckets", Value::Number(buckets)),
                ("spread", Value::Text("modulo".into())),
                ("round", Value::Text("packet".into())),
                ("room", Value::Text("threshold".into())),
            ];
            let mut bench = Bench::new("sfq", &settings, Limit::Packets(limit));
            bench.arrive(0, 1000, 1);
            assert_eq!(flows(&mut bench, 1), [0]);
            for k in 1..60 * kept.len() {
                bench.arrive((k % kept.len()) as u32, 1000, 1);
            }
            let sent = flows(&mut bench, 1000);
            let count = |flow| sent.iter().filter(|&&sent| sent == flow as u32).count();
            assert_eq!((0..kept.len()).map(count).collect::<Vec<_>>(), kept, "limit {limit}, {buckets} buckets");
        }
    }

    #[test]
    fn packet_by_packet_a_late_queue_joins_behind_the_one_just_served_as_in_ns2() {
        let mut bench = Bench::new("sfq", &[("round", Value::Text("packet".into()))], Limit::Packets(127));
        bench.arrive(0, 1000, 4);
        assert_eq!(flows(&mut bench, 1), [0]);
        bench.arrive(1, 1000, 2);
        assert_eq!(flows(&mut bench, 1), [0]);
        bench.arrive(2, 1000, 1);
        // ns-2.35 serves the same packets in this order.
        assert_eq!(flows(&mut bench, 9), [1, 0, 2, 1, 0]);
    }

    #[test]
    fn settings_that_contradict_are_refused() {
        let threshold = ("room", Value::Text("threshold".into()));
        let errors = Bench::errors("sfq", &[threshold, ("headdrop", Value::Flag(true))]);
        assert_eq!(errors, ["headdrop: must be off with room = \"threshold\", which drops no stored packet"]);
        let modulo = ("spread", Value::Text("modulo".into()));
        let errors = Bench::errors("sfq", &[modulo, ("perturb", Value::Time(Span::from_secs(10.0)))]);
        assert_eq!(errors, ["perturb: must not be given with spread = \"modulo\", which has no hash"]);
    }
}

//! Stochastic Fairness Queueing (SFQ).
//! P. E. McKenney, "Stochastic Fairness Queueing", IEEE INFOCOM 1990, as Linux and ns-2 have made it known.
//!
//! # Law
//! A hash of the flow number, with a random salt, gives each flow one of `buckets` queues; flows that fall into the
//! same queue share it. The queues that hold packets are served in turn. An arriving packet is put in its queue; if the
//! buffer is over its limit then, the longest queue in packets loses the packet at its tail, which may be the one that
//! arrived, or with `headdrop` at its head. Of queues of equal length, the one that is served soonest loses. With
//! `round = "packet"` a turn ends at the next offer of service, so that a queue that becomes active meanwhile joins
//! ahead of the one just served.
//!
//! Every `perturb` a new salt is drawn, so that the flows that share a queue do not share it for long. Waiting packets
//! go to the queues of the new hash in order of arrival.
//!
//! One random number is drawn when the first packet arrives, and one when the first packet is hashed after each
//! perturbation: at the perturbation if packets wait, else at the next arrival.
//!
//! # Parameters
//! | | Linux (the defaults) | ns-2 |
//! |---|---|---|
//! | `buckets` | 1024 | 16 |
//! | `round` | "drr", `quantum` = largest packet | "packet" |
//! | limit of the link | 127 packets | 40 packets |
//! | `depth`, `flows` | 127, 127: without effect under that limit | none |
//!
//! `perturb` is off unless given; 10 s is recommended. Two of n flows share a queue with probability 1 / `buckets`;
//! McKenney advises five to ten times as many queues as flows.
//!
//! # Differences
//! * McKenney leaves waiting packets where they are when the hash changes, which may reorder a flow; as in Linux, they
//!   are moved. Nothing is dropped then, even from a queue that becomes longer than `depth`.
//! * Flows are numbers: the hash is over the number and the salt, not over addresses and ports.
//! * The packet that arrived and goes at once is reported as an overflow, a stored one as evicted.

use super::Discipline;
use super::drr_buffer::{Arrival, DrrBuffer, DrrParams, Policy, Spread};
use super::drr_queues::{End, Queue, Watcher};
use super::ranking::Longest;
use crate::aqm::{Cause, LinkInfo};
use crate::registry::{Picture, Scheme, SchemeInfo, module_doc};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use penstock_core::param::{Auto, Default, ParamError, Reader, Value};
use penstock_core::{Bytes, Packet, Span, Time};

penstock_core::choice! {
    /// What a queue may send in its turn.
    pub enum Round {
        /// The quantum, by deficit round robin.
        Drr = "drr",
        /// One packet.
        Packet = "packet",
    }
}

penstock_core::params! {
    /// Parameters of SFQ.
    pub struct SfqParams {
        /// Number of queues.
        buckets: u32 = Default::Number(1024.0), range: 1.0..=1_000_000.0;
        /// Time between changes of the hash; never, unless it is given.
        perturb: Option<Span> = Default::Absent, unit: "s", at_least: 0.001;
        /// What a queue may send in each of its turns.
        round: Round = Default::Text("drr");
        /// Bytes that a queue may send in each of its turns; "auto" is the largest packet of the link.
        quantum: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 1.0;
        /// Most packets in one queue; no bound but the limit, unless it is given.
        depth: Option<u32> = Default::Absent, unit: "packets", at_least: 1.0;
        /// Most queues that hold packets; all, unless it is given.
        flows: Option<u32> = Default::Absent, at_least: 1.0;
        /// Drop from the head of the longest queue instead of from its tail.
        headdrop: bool = Default::Flag(false);
    }
}

/// Stochastic Fairness Queueing.
#[derive(Clone, Copy, Debug)]
pub struct Sfq;

/// The longest queue in packets loses one.
struct LongestInPackets {
    longest: Longest,
    depth: Option<u32>,
    flows: Option<u32>,
    end: End,
}

impl Watcher for LongestInPackets {
    fn on_change(&mut self, _now: Time, id: u32, queue: &Queue) {
        self.longest.on_change(id, u64::from(queue.packets()), queue);
    }
}

impl Policy for LongestInPackets {
    const COUNTS_ARRIVAL: bool = true;

    fn refuse(&mut self, arrival: &Arrival<'_>) -> Option<Cause> {
        let is_new = arrival.queue.packets() == 0;
        (is_new && self.flows.is_some_and(|flows| arrival.active >= flows)).then_some(Cause::Overflow)
    }

    fn is_overfull(&self, queue: &Queue) -> bool {
        self.depth.is_some_and(|depth| queue.packets() > depth)
    }

    fn victim(&mut self, id: u32, queue: &Queue) -> Option<u32> {
        if self.is_overfull(queue) { Some(id) } else { self.longest.id() }
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
        cost: "O(1) time for service, O(log n) in the active queues for the order of lengths; \
               O(buckets + packets) memory",
        picture: Picture::Service,
        good: "Near-equal shares with a fixed number of queues, and a packet of a sparse flow hardly waits.",
        bad: "Flows in the same bucket share one share; a bulk flow's own queue may stand as long as the buffer \
              allows.",
    };

    fn build<P: Packet + Send + 'static>(
        settings: &[(String, Value)],
        link: &LinkInfo,
    ) -> Result<Box<dyn Discipline<P>>, Vec<ParamError>> {
        let mut reader = Reader::new(settings, SfqParams::INFO);
        let params = SfqParams::read(&mut reader);
        if params.as_ref().is_some_and(|params| params.round == Round::Packet && params.quantum != Auto::Auto) {
            reader.fault("quantum", "is given: with round = \"packet\" there is none");
        }
        reader.finish()?;
        let SfqParams { buckets, perturb, round, quantum, depth, flows, headdrop } = params.ok_or_else(Vec::new)?;
        let drr = DrrParams { quantum, buckets: Some(buckets), spread: Spread::Hash };
        let end = if headdrop { End::Head } else { End::Tail };
        let policy = LongestInPackets { longest: Longest::new(), depth, flows, end };
        let buffer = DrrBuffer::new(&drr, link, policy).perturbed(perturb);
        Ok(Box::new(if round == Round::Packet { buffer.packet_by_packet() } else { buffer }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::drr_bench::{Bench, Fate};
    use penstock_core::Limit;

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
        assert_eq!(Bench::faults("sfq", &both), ["quantum: is given: with round = \"packet\" there is none"]);
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
        // 1000 flows in 100 buckets: one is empty with probability e^-10.
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
        // Two flows share one of two buckets half of the time: 25 +- 3.5.
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
}

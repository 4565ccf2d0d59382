//! Queue State DRR (QSDRR).
//! A. Kantawala, J. Turner, "Efficient Queue Management of TCP Flows", SPECTS 2002; section 2 of their "Intelligent Packet
//! Discard Policies for Improved TCP Queue Management", 2005.
//!
//! # Algorithm
//! The queues are served by DRR. An arriving packet that finds no room is admitted, and packets of the *drop queue* D
//! are dropped for it:
//!
//! * if there is no drop queue, D is the longest queue;
//! * the packet at the head of D is dropped, repeatedly until there is room;
//! * if then no active queue is shorter than D, or D is empty, D ceases to be the drop queue.
//!
//! A queue, once chosen, thus remains the victim until it is the shortest: few flows lose packets in each period of
//! congestion, and the others are not slowed down. All lengths exclude the arriving packet. Of equally long queues, the
//! queue that is served soonest is chosen. No random number is drawn, except one for the salt of `spread = "hash"`.
//!
//! # Victim
//! The packet at the head of the drop queue, when an arrival finds no room: the queue that was the longest when it was
//! chosen, until it is the shortest.
//!
//! # Parameters
//! `measure_in` is the unit of the lengths; `quantum`, `buckets` and `spread` are those of DRR.
//!
//! # Differences
//! * A drop queue that is emptied by service ceases to be the drop queue; the papers leave this open.
//! * A packet larger than the buffer evicts no packet and is dropped itself.

use super::drr_buffer::{DrrBuffer, DrrParams, Policy, buffer};
use super::drr_queues::{Queue, Watcher};
use super::longest_queue::LongestQueue;
use super::upper_bound_heap::UpperBoundHeap;
use super::{Discipline, Probe};
use crate::algorithm::measure_in::MeasureIn;
use crate::aqm::LinkInfo;
use crate::capabilities::Judges;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use core::cmp::Reverse;
use penstock_core::param::{Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len};
use penstock_core::{Packet, Time};

penstock_core::params! {
    /// The parameters that QSDRR adds to those of DRR.
    pub struct QsdrrParams {
        /// Unit in which queues are compared.
        measure_in: MeasureIn = Default::Text("packets");
    }
}

const PARAMS: [ParamInfo; inherited_len(QsdrrParams::INFO, DrrParams::INFO)] =
    inherit(QsdrrParams::INFO, DrrParams::INFO, &[]);

/// Queue State DRR.
#[derive(Clone, Copy, Debug)]
pub struct Qsdrr;

/// Drops from one queue until it is the shortest.
#[derive(Clone)]
pub struct QueueState {
    /// D.
    drop_queue: Option<u32>,
    measure_in: MeasureIn,
    longest: LongestQueue,
    shortest: UpperBoundHeap<Reverse<u64>>,
    /// The last queue that was found to be shorter than D, or any other.
    shorter: u32,
}

impl QueueState {
    fn new(measure_in: MeasureIn) -> Self {
        Self { drop_queue: None, measure_in, longest: LongestQueue::new(), shortest: UpperBoundHeap::new(), shorter: 0 }
    }

    /// Whether any queue that is not empty is shorter than `limit`.
    fn is_any_shorter(&mut self, limit: u64, queues: &[Queue]) -> bool {
        let measure_in = self.measure_in;
        let key = |id: u32| {
            let queue = queues.get(id as usize).filter(|queue| queue.packets() > 0)?;
            Some(Reverse(length(queue, measure_in)))
        };
        let is_shorter = |Reverse(length): Reverse<u64>| length < limit;
        // Usually it is the same queue as last time.
        if key(self.shorter).is_some_and(is_shorter) {
            return true;
        }
        let shortest = self.shortest.top(queues.len() as u32, key).filter(|&(length, _)| is_shorter(length));
        shortest.map(|(_, id)| self.shorter = id).is_some()
    }
}

#[inline]
fn length(queue: &Queue, measure_in: MeasureIn) -> u64 {
    match measure_in {
        MeasureIn::Packets => u64::from(queue.packets()),
        MeasureIn::Bytes => queue.bytes(),
    }
}

impl Watcher for QueueState {
    #[inline]
    fn on_push(&mut self, _now: Time, id: u32, queue: &Queue) {
        let length = length(queue, self.measure_in);
        self.longest.on_grown(id, length, queue);
        if queue.packets() == 1 {
            self.shortest.raise(id, || Reverse(length));
        }
    }

    #[inline]
    fn on_pop(&mut self, id: u32, queue: &Queue) {
        if queue.packets() > 0 {
            let measure_in = self.measure_in;
            self.shortest.raise(id, || Reverse(length(queue, measure_in)));
        } else if self.drop_queue == Some(id) {
            self.drop_queue = None;
        }
    }
}

impl Policy for QueueState {
    fn judges(&self) -> Judges {
        Judges::Departures
    }

    fn victim(&mut self, _id: u32, queues: &[Queue]) -> Option<u32> {
        let measure_in = self.measure_in;
        self.drop_queue = self.drop_queue.or_else(|| self.longest.id(queues, |queue| length(queue, measure_in)));
        self.drop_queue
    }

    fn on_evicted(&mut self, id: u32, queues: &[Queue]) {
        let length = length(&queues[id as usize], self.measure_in);
        if self.drop_queue == Some(id) && !self.is_any_shorter(length, queues) {
            self.drop_queue = None;
        }
    }

    fn forget(&mut self, _now: Time, id: u32) {
        self.drop_queue = self.drop_queue.filter(|&chosen| chosen != id);
    }

    fn reserve(&mut self, queues: u32) {
        self.longest.reserve(queues);
        self.shortest.reserve(queues);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("has_drop_queue", f64::from(u8::from(self.drop_queue.is_some())));
    }
}

/// The queues of QSDRR.
pub type QsdrrQueues<P> = DrrBuffer<P, QueueState>;

/// The queues of QSDRR with these settings on this link.
pub fn queues<P: Packet>(settings: &Settings, link: &LinkInfo) -> Result<QsdrrQueues<P>, ParamErrors> {
    buffer(settings, &PARAMS, link, |reader, _| {
        reader.params::<QsdrrParams>().map(|params| QueueState::new(params.measure_in))
    })
}

impl Scheme for Qsdrr {
    const INFO: SchemeInfo = SchemeInfo {
        name: "qsdrr",
        aliases: &["queue-state-drr"],
        family: "fair queueing",
        title: "Queue State DRR",
        source: "A. Kantawala, J. Turner, Efficient Queue Management of TCP Flows, SPECTS 2002",
        doc: module_doc!("qsdrr.rs"),
        ecn: false,
        params: &PARAMS,
        class_params: &[],
        cost: "O(log n) amortized time in the active queues, to find the longest and the shortest; O(queues + packets) \
              memory",
        build_aqm: None,
        picture: Picture::Service,
        good: "Fair goodput for long and short flows with very small buffers: few flows are slowed down at a time.",
        bad: "Loses up to three times as much as DRR; with 64 flows, even a sparse flow loses packets. Keeps the \
              queues in order of length and pushes out stored packets, which costs memory bandwidth.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        site: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        Ok(Box::new(queues(settings, site.link)?))
    }
}

#[cfg(test)]
mod tests {

    use crate::aqm::Cause;
    use crate::discipline::drr_test_harness::{Bench, Fate};
    use penstock_core::Limit;
    use penstock_core::param::Value;

    fn evicted(flows: &[u32]) -> Vec<Fate> {
        flows.iter().map(|&flow| Fate::Dropped(flow, Cause::Evicted)).collect()
    }

    #[test]
    fn the_longest_queue_stays_the_victim_until_it_is_the_shortest() {
        let mut bench = Bench::new("qsdrr", &[], Limit::Packets(12));
        bench.arrive(0, 1500, 5);
        bench.arrive(1, 1500, 4);
        bench.arrive(2, 1500, 3);
        // Lengths 5, 4, 3, full. Flow 1 grows. Flow 0 is the longest and keeps losing packets although flow 1 is longer
        // now: 4, 5, 3; 3, 6, 3. Now no queue is shorter than that of flow 0.
        bench.arrive(1, 1500, 1);
        assert_eq!(bench.gauge("has_drop_queue"), 1.0);
        bench.arrive(1, 1500, 1);
        assert_eq!(bench.gauge("has_drop_queue"), 0.0);
        assert_eq!(bench.drops(), evicted(&[0, 0]));
        // The next victim is flow 1, the longest: 4, 5, 3; 5, 4, 3; 6, 3, 3, and again no queue is shorter than that of
        // flow 1.
        bench.arrive(0, 1500, 3);
        assert_eq!(bench.drops(), evicted(&[0, 0, 1, 1, 1]));
        assert_eq!(bench.gauge("has_drop_queue"), 0.0);
        bench.arrive(2, 1500, 1);
        assert_eq!(bench.drops()[5..], evicted(&[0]));
    }

    #[test]
    fn the_arriving_packet_does_not_count() {
        // Flows 0 and 1 hold two packets each. Flow 0 is served sooner and loses a packet, although flow 1 would be the
        // longest with its arrival. Flow 0 is then the shortest.
        let mut bench = Bench::new("qsdrr", &[], Limit::Packets(4));
        bench.arrive(0, 1500, 2);
        bench.arrive(1, 1500, 2);
        bench.arrive(1, 1500, 1);
        assert_eq!(bench.drops(), evicted(&[0]));
        assert_eq!(bench.gauge("has_drop_queue"), 0.0);
    }

    #[test]
    fn the_only_queue_is_the_shortest_too() {
        let mut bench = Bench::new("qsdrr", &[], Limit::Packets(3));
        bench.arrive(0, 1500, 5);
        assert_eq!(bench.drops(), evicted(&[0, 0]));
        assert_eq!((bench.gauge("has_drop_queue"), bench.waiting()), (0.0, 3));
    }

    #[test]
    fn a_drop_queue_emptied_by_service_is_none_any_more() {
        let mut bench = Bench::new("qsdrr", &[], Limit::Packets(6));
        bench.arrive(0, 1500, 4);
        bench.arrive(1, 1500, 2);
        // Flow 0 loses one and remains the drop queue: 3, 2, 1.
        bench.arrive(2, 1500, 1);
        assert_eq!(bench.gauge("has_drop_queue"), 1.0);
        let served: Vec<_> = bench.serve(6).iter().map(|packet| packet.flow).collect();
        assert_eq!(served, [0, 1, 2, 0, 1, 0]);
        assert_eq!(bench.gauge("has_drop_queue"), 0.0);
    }

    #[test]
    fn lengths_may_be_measured_in_bytes() {
        for (unit, victim) in [("packets", 0), ("bytes", 1)] {
            let settings = [("measure_in", Value::Text(unit.into()))];
            let mut bench = Bench::new("qsdrr", &settings, Limit::Packets(5));
            bench.arrive(0, 100, 3);
            bench.arrive(1, 1500, 2);
            bench.arrive(2, 100, 1);
            assert_eq!(bench.drops(), evicted(&[victim]), "{unit}");
        }
    }

    #[test]
    fn a_large_packet_pushes_out_as_many_as_it_needs_but_not_if_it_cannot_fit() {
        let mut bench = Bench::new("qsdrr", &[], Limit::Bytes(3000));
        bench.arrive(0, 500, 4);
        bench.arrive(1, 500, 2);
        bench.arrive(2, 1500, 1);
        // The lengths are 3, 2, then 2, 2: now flow 0 ceases to be the drop queue. Flow 0 is served sooner than flow 1,
        // so it is chosen again.
        assert_eq!(bench.drops(), evicted(&[0, 0, 0]));
        bench.arrive(2, 3001, 1);
        assert_eq!(bench.drops()[3..], [Fate::Dropped(2, Cause::Overflow)]);
    }

    #[test]
    fn few_flows_lose_in_one_congestion() {
        // Ten queues of 20 packets fill the buffer; fifteen new flows send one packet each. With flow 0 at 19 no queue
        // is shorter; then flow 1 loses all the rest, for the new queues are shorter. DRR takes packets from all ten in
        // turn.
        let lost = |scheme: &str| {
            let mut bench = Bench::new(scheme, &[], Limit::Packets(200));
            (0..10).for_each(|flow| bench.arrive(flow, 1500, 20));
            (10..25).for_each(|flow| bench.arrive(flow, 1500, 1));
            bench.drops()
        };
        assert_eq!(lost("qsdrr"), evicted(&[0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]));
        assert_eq!(lost("drr"), evicted(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4]));
    }
}

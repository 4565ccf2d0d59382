//! Throughput DRR (TDRR).
//! A. Kantawala, J. Turner, "Efficient Queue Management of TCP Flows", SPECTS 2002; section 2 of their "Intelligent
//! Packet Discard Policies for Improved TCP Queue Management", 2005.
//!
//! # Algorithm
//! The queues are served by DRR. While an arriving packet finds no room, the packet at the head of the active queue
//! with the highest exponentially weighted throughput is dropped. When queue i sends L bytes, a time Delta after it
//! last sent:
//!
//! * r_i = (1 - e^(-Delta / K)) L / Delta + e^(-Delta / K) r_i.
//!
//! At time t its throughput is r_i e^(-(t - t_i) / K), where t_i is the time at which it last sent. For a queue that
//! has not sent yet, Delta counts from the arrival that made it active. r_i is discarded, as if queue i had never sent,
//! if the queue becomes active more than 5 K after it last sent. For Delta = 0, the first term is its limit, L / K.
//!
//! All throughputs decay by the same factor, so time alone never changes their order. The key ln r_i + t_i / K, which
//! changes only when queue i sends, gives this order at every time; a heap finds the highest. Queues that never sent,
//! or whose r_i was discarded, lose a packet only if no other queue is active; the queue with the lowest number then
//! loses first. No random number is drawn, except one for the salt of `spread = "hash"`.
//!
//! # Victim
//! The packet at the head of the active queue with the highest throughput, when an arrival finds no room.
//!
//! # Parameters
//! `k` is the time over which throughput is averaged; `quantum`, `buckets` and `spread` are those of DRR.
//!
//! # Differences
//! * The papers specify neither the formula of the average, nor K, nor the end of the queue at which packets are
//!   dropped; the continuous form, K = 100 ms and the head are our choice.
//! * Only queues that hold packets, not counting the arriving packet, can lose packets. If there are none, or if the
//!   arriving packet is larger than the buffer, the arriving packet is dropped.

use super::drr_buffer::{DrrParams, Policy, build};
use super::drr_queues::{Queue, Watcher};
use super::indexed_heap::IndexedHeap;
use super::{Discipline, Probe};
use crate::capabilities::Judges;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cmp::Reverse;
use penstock_core::param::{Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len};
use penstock_core::{Packet, Span, Time, math};

penstock_core::params! {
    /// The parameters that TDRR adds to those of DRR.
    pub struct TdrrParams {
        /// Time constant of the average of a queue's throughput.
        k: Span = Default::Nanos(100_000_000), unit: "s", at_least: 0.001;
    }
}

const PARAMS: [ParamInfo; inherited_len(TdrrParams::INFO, DrrParams::INFO)] =
    inherit(TdrrParams::INFO, DrrParams::INFO, &[]);

/// Throughput DRR.
#[derive(Clone, Copy, Debug)]
pub struct Tdrr;

/// A queue's throughput at the time it sent last.
#[derive(Clone, Copy, Debug, Default)]
struct Throughput {
    /// r_i, in bytes per second.
    r: f64,
    /// t_i: when it sent last or, while r_i is 0, when it became active.
    since: Time,
}

/// Drops the head of the queue with the highest throughput.
struct HighestThroughput {
    start: Time,
    k: f64,
    throughputs: Vec<Throughput>,
    /// The active queues by ln r_i + t_i / K, then by the lowest number.
    order: IndexedHeap<(f64, Reverse<u32>)>,
}

impl HighestThroughput {
    fn new(k: Span, start: Time) -> Self {
        Self { start, k: k.as_secs(), throughputs: Vec::new(), order: IndexedHeap::new() }
    }

    fn rank(&mut self, id: u32) {
        let Throughput { r, since } = self.throughputs[id as usize];
        self.order.set(id, (math::ln(r) + since.since(self.start).as_secs() / self.k, Reverse(id)));
    }
}

/// The new average of a throughput `r` after `size` bytes that came `delta` seconds after those before.
fn averaged(r: f64, size: u32, delta: f64, k: f64) -> f64 {
    let x = delta / k;
    let old = math::exp(-x);
    // (1 - e^-x) / x. For small x, where the formula would lose digits, 1 - x / 2 is exact to the last bit.
    let new = if x < 1e-7 { 1.0 - x / 2.0 } else { (1.0 - old) / x };
    new * f64::from(size) / k + old * r
}

impl Watcher for HighestThroughput {
    /// Its average restarts if it was empty for long.
    fn on_push(&mut self, now: Time, id: u32, queue: &Queue) {
        if queue.packets() > 1 {
            return;
        }
        if id as usize >= self.throughputs.len() {
            self.throughputs.resize(id as usize + 1, Throughput::default());
        }
        let throughput = &mut self.throughputs[id as usize];
        if throughput.r == 0.0 || now.since(throughput.since).as_secs() > 5.0 * self.k {
            *throughput = Throughput { r: 0.0, since: now };
        }
        self.rank(id);
    }

    fn on_pop(&mut self, id: u32, queue: &Queue) {
        if queue.packets() == 0 {
            self.order.remove(id);
        }
    }
}

impl Policy for HighestThroughput {
    fn judges(&self) -> Judges {
        Judges::Departures
    }

    fn victim(&mut self, _id: u32, _queues: &[Queue]) -> Option<u32> {
        self.order.first().map(|(_, id)| id)
    }

    fn forget(&mut self, now: Time, id: u32) {
        let Some(throughput) = self.throughputs.get_mut(id as usize) else { return };
        *throughput = Throughput { r: 0.0, since: now };
        if self.order.contains(id) {
            self.rank(id);
        }
    }

    fn reserve(&mut self, queues: u32) {
        self.throughputs.reserve(queues as usize);
        self.order.reserve(queues);
    }

    fn on_sent(&mut self, now: Time, id: u32, size: u32) {
        let Throughput { r, since } = &mut self.throughputs[id as usize];
        *r = averaged(*r, size, now.since(*since).as_secs(), self.k);
        *since = now;
        if self.order.contains(id) {
            self.rank(id);
        }
    }
}

impl Scheme for Tdrr {
    const INFO: SchemeInfo = SchemeInfo {
        name: "tdrr",
        aliases: &["throughput-drr"],
        family: "fair queueing",
        title: "Throughput DRR",
        source: "A. Kantawala, J. Turner, Efficient Queue Management of TCP Flows, SPECTS 2002",
        doc: module_doc!("tdrr.rs"),
        ecn: false,
        params: &PARAMS,
        class_params: &[],
        cost: "O(log n) time in the active queues; O(queues + packets) memory",
        build_aqm: None,
        picture: Picture::Service,
        good: "Drops from the flows that have sent most, so that flows with unequal round trips get equal goodput in \
               small buffers.",
        bad: "On the standard link it loses more than DRR for the same fairness. Computes an exponential and a \
              logarithm per packet sent, and pushes out stored packets, which costs memory bandwidth.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        site: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        build(settings, &PARAMS, site, |reader, _| {
            reader.params::<TdrrParams>().map(|params| HighestThroughput::new(params.k, site.now))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::Cause;
    use crate::discipline::drr_queues::{DrrQueues, End, Quantum};
    use crate::discipline::drr_test_harness::{Bench, Fate};
    use crate::rig::numbered;
    use penstock_core::param::Value;
    use penstock_core::{Limit, Rng};

    #[test]
    fn the_average_of_a_steady_flow_is_its_rate() {
        // 1500 bytes every 10 ms are 150 000 bytes per second, whatever K; after a time K the average has covered 1 -
        // 1/e of the way.
        let mut r = 0.0;
        for _ in 0..10 {
            r = averaged(r, 1500, 0.01, 0.1);
        }
        assert!((r - 150_000.0 * (1.0 - (-1.0_f64).exp())).abs() < 1e-6);
        for _ in 0..1000 {
            r = averaged(r, 1500, 0.01, 0.1);
        }
        assert!((r - 150_000.0).abs() < 1e-6);
    }

    #[test]
    fn packets_sent_at_once_add_their_size_over_k() {
        assert_eq!(averaged(1000.0, 1500, 0.0, 0.1), 16_000.0);
        // The formula is continuous where its form changes.
        let (below, above) = (averaged(0.0, 1500, 0.99e-8, 0.1), averaged(0.0, 1500, 1.01e-8, 0.1));
        assert!((below - above).abs() < 1e-4);
    }

    #[test]
    fn the_queue_that_has_sent_most_of_late_loses_its_head() {
        let mut bench = Bench::new("tdrr", &[], Limit::Packets(10));
        bench.arrive(0, 1500, 4);
        bench.advance(Span::from_millis(10));
        bench.serve(3);
        bench.arrive(1, 1500, 9);
        assert_eq!(bench.waiting(), 10);
        // Flow 1 has the longer queue; flow 0 has used the link.
        bench.arrive(2, 1500, 1);
        assert_eq!(bench.drops(), [Fate::Dropped(0, Cause::Evicted)]);
        // Flow 0 has nothing left. Of the queues that never sent, the one with the lowest number loses a packet.
        bench.arrive(2, 1500, 1);
        assert_eq!(bench.drops()[1], Fate::Dropped(1, Cause::Evicted));
    }

    #[test]
    fn throughput_decays_with_time() {
        let mut bench = Bench::new("tdrr", &[], Limit::Packets(20));
        bench.arrive(0, 1500, 12);
        bench.advance(Span::from_millis(10));
        // r_0 = 1500 (1 - e^-0.1) / 0.01 + 7 * 1500 / 0.1 = 119 274 bytes/s.
        bench.serve(8);
        bench.arrive(1, 1500, 12);
        // 120 ms later r_0 has decayed to 35 925. Flow 0 sends one and flow 1 two:
        // r_0 = 35 925 + 1500 (1 - e^-1.2) / 0.12 = 44 660, r_1 = 1500 (1 - e^-1.2) / 0.12 + 15 000 = 23 735.
        bench.advance(Span::from_millis(120));
        assert_eq!(bench.serve(3).iter().map(|packet| packet.flow).collect::<Vec<_>>(), [1, 0, 1]);
        bench.arrive(2, 1500, 8);
        assert_eq!(bench.drops(), [Fate::Dropped(0, Cause::Evicted)]);
    }

    #[test]
    fn the_order_by_logarithm_is_the_order_by_decayed_throughput() {
        let mut rng = Rng::stream(1, "decay");
        let mut policy = HighestThroughput::new(Span::from_millis(100), Time::ZERO);
        let mut plain = [(0.0, 0.0); 8];
        let mut now = Time::ZERO;
        let mut queues = DrrQueues::new(Quantum::Packet);
        for id in 0..8 {
            queues.reach(id);
            queues.push(&mut policy, now, id, (&numbered(id, 1500), now));
        }
        for _ in 0..5000 {
            now += Span::from_micros(rng.below(20_000));
            let (id, size) = (rng.below(8) as usize, 40 + rng.below(1460) as u32);
            policy.on_sent(now, id as u32, size);
            let (r, since) = &mut plain[id];
            (*r, *since) = (averaged(*r, size, now.as_secs() - *since, 0.1), now.as_secs());
            let decayed = |(r, since): (f64, f64)| r * (-(now.as_secs() - since) / 0.1).exp();
            let highest = plain.iter().map(|&state| decayed(state)).fold(0.0, f64::max);
            let victim = policy.victim(0, queues.all()).unwrap();
            assert!((decayed(plain[victim as usize]) / highest - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn what_a_queue_sent_long_ago_is_forgotten() {
        let settings = [("k", Value::Time(Span::from_millis(10)))];
        let mut bench = Bench::new("tdrr", &settings, Limit::Packets(2));
        bench.arrive(1, 1500, 1);
        bench.serve(1);
        bench.advance(Span::from_millis(51));
        // Both count as queues that never sent: the one with the lowest number loses a packet.
        bench.arrive(1, 1500, 1);
        bench.arrive(0, 1500, 1);
        bench.arrive(2, 1500, 1);
        assert_eq!(bench.drops(), [Fate::Dropped(0, Cause::Evicted)]);
    }

    #[test]
    fn a_queue_that_has_never_sent_counts_from_when_it_became_active_again() {
        let mut policy = HighestThroughput::new(Span::from_millis(100), Time::ZERO);
        let mut queues = DrrQueues::new(Quantum::Packet);
        queues.reach(0);
        queues.push(&mut policy, Time::ZERO, 0, (&numbered(0, 1500), Time::ZERO));
        queues.pop(&mut policy, 0, End::Head);
        let later = Time::ZERO + Span::from_millis(40);
        queues.push(&mut policy, later, 0, (&numbered(0, 1500), later));
        // the packet counts 10 ms after 40 ms, not 50 ms after 0
        policy.on_sent(later + Span::from_millis(10), 0, 1500);
        assert_eq!(policy.throughputs[0].r, averaged(0.0, 1500, 0.01, 0.1));
    }

    #[test]
    fn a_buffer_of_one_packet_keeps_the_newest() {
        let mut bench = Bench::new("tdrr", &[], Limit::Packets(1));
        bench.arrive(0, 1500, 1);
        bench.arrive(1, 1500, 1);
        assert_eq!(bench.fates(), [Fate::Queued(0), Fate::Dropped(0, Cause::Evicted), Fate::Queued(1)]);
        let mut none = Bench::new("tdrr", &[], Limit::Packets(0));
        none.arrive(0, 1500, 1);
        assert_eq!(none.fates(), [Fate::Dropped(0, Cause::Overflow)]);
    }
}

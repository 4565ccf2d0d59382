//! Tests of FQ-CoDel, the oracle among them.

use crate::aqm::Cause;
use crate::discipline::test_harness::{Bench, Fate};
use alloc::collections::VecDeque;
use penstock_core::param::Value;
use penstock_core::{Ecn, PacketMeta, Rng, Span};

/// Enough queues that flows never share one.
fn no_collisions() -> (&'static str, Value) {
    ("flows", Value::Number(1e6))
}

/// The flows of the next `n` packets.
fn order(bench: &mut Bench, n: usize) -> Vec<u32> {
    (0..n).map_while(|_| bench.depart()).map(|packet| packet.flow).collect()
}

#[test]
fn a_quantum_is_a_turn() {
    let mut bench = Bench::new("fq-codel", &[no_collisions(), ("quantum", Value::Bytes(1000.0))]);
    for _ in 0..6 {
        bench.arrive_from(0, 500);
        bench.arrive_from(1, 1000);
        bench.arrive_from(2, 1500);
    }
    // Each queue has a credit of 1000 before its first turn. Queue 0 sends two packets of 500 bytes, queue 1 one
    // of 1000. Queue 2 sends one of 1500 and owes 500; in its second turn it has 500, sends one packet and owes
    // 1000; its third turn only brings it to 0 and sends no packet.
    assert_eq!(order(&mut bench, 15), [0, 0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 1, 2, 1, 2]);
}

#[test]
fn a_sparse_flow_goes_first_but_not_again_at_once() {
    let mut bench = Bench::new("fq-codel", &[no_collisions()]);
    for _ in 0..50 {
        for flow in [0, 1, 3] {
            bench.arrive_from(flow, 1500);
        }
    }
    // two packets each for the first quantum of 1514 bytes, then one per round
    assert_eq!(order(&mut bench, 12), [0, 0, 1, 1, 3, 3, 0, 1, 3, 0, 1, 3]);
    bench.arrive_from(2, 100);
    assert_eq!(order(&mut bench, 2), [2, 0]);
    // found empty, the queue has moved to the end of the old list (3, 0, 1); then 3 moved behind it for new credit. So
    // the queue is not new when its next packet arrives
    bench.arrive_from(2, 100);
    assert_eq!(order(&mut bench, 3), [1, 2, 3]);
}

#[test]
fn bulk_flows_share_by_bytes() {
    let mut bench = Bench::new("fq-codel", &[no_collisions()]);
    bench.unlimited();
    for _ in 0..4000 {
        bench.arrive_from(0, 1500);
        bench.arrive_from(1, 300);
    }
    let mut bytes = [0_u32; 2];
    for _ in 0..3000 {
        let packet = bench.depart().unwrap();
        bytes[packet.flow as usize] += packet.size;
    }
    // never further apart than one quantum plus one packet
    assert!(bytes[0].abs_diff(bytes[1]) <= 1514 + 1500, "{bytes:?}");
}

#[test]
fn the_fattest_queue_loses_half_from_its_head() {
    let mut bench = Bench::new("fq-codel", &[no_collisions()]);
    bench.limit_packets(20);
    for _ in 0..5 {
        bench.arrive_from(0, 100);
    }
    for _ in 0..9 {
        bench.arrive_from(1, 1000);
    }
    for _ in 0..6 {
        bench.arrive_from(2, 1000);
    }
    bench.arrive_from(0, 100);
    // queue 1 holds 9000 bytes, packets 5 to 13: floor(9 / 2) = 4 of them are dropped
    let evicted: Vec<u32> =
        bench.log.0.iter().filter(|(fate, _)| *fate == Fate::Dropped(Cause::Evicted)).map(|(_, id)| *id).collect();
    assert_eq!(evicted, [5, 6, 7, 8]);
}

#[test]
fn a_batch_ends_at_64_packets() {
    let mut bench = Bench::new("fq-codel", &[]);
    bench.limit_packets(200);
    (0..201).for_each(|_| bench.arrive_from(0, 1000));
    assert_eq!(bench.count(Fate::Dropped(Cause::Evicted)), 64);
    let mut bench = Bench::new("fq-codel", &[("drop_batch", Value::Number(10.0))]);
    bench.limit_packets(200);
    (0..201).for_each(|_| bench.arrive_from(0, 1000));
    assert_eq!(bench.count(Fate::Dropped(Cause::Evicted)), 10);
}

#[test]
fn a_short_queue_is_safe_only_if_it_is_on_its_own() {
    // Four flows with two packets of 400 bytes each, which wait 60 ms: never more than a full packet in one queue.
    let drops = |occupancy: &str| {
        let mut bench = Bench::new("fq-codel", &[no_collisions(), ("occupancy", Value::Text(occupancy.into()))]);
        (0..4).for_each(|flow| bench.arrive_from(flow, 400));
        for _ in 0..40 {
            (0..4).for_each(|flow| bench.arrive_from(flow, 400));
            bench.advance(Span::from_millis(60));
            order(&mut bench, 4);
        }
        bench.count(Fate::Dropped(Cause::Sojourn))
    };
    assert_eq!(drops("queue"), 0);
    assert!(drops("link") > 0);
}

#[test]
fn flows_of_one_bucket_share_a_queue() {
    let mut bench = Bench::new("fq-codel", &[("flows", Value::Number(1.0))]);
    for flow in [3, 1, 4, 1, 5] {
        bench.arrive_from(flow, 1500);
    }
    assert_eq!(order(&mut bench, 5), [3, 1, 4, 1, 5]);
}

#[test]
fn extremes_are_survived() {
    let mut bench = Bench::new("fq-codel", &[]);
    bench.limit_packets(1);
    bench.arrive_from(0, 65_535);
    bench.arrive_from(1, 40);
    assert_eq!(bench.depart_all(), [1], "the fatter one goes");
    bench.limit_packets(100_000);
    for flow in 0..100_000 {
        bench.arrive_from(flow, 65_535);
    }
    assert_eq!(bench.depart_all().len(), 100_000);
    bench.limit_packets(0);
    bench.arrive_from(0, 40);
    assert!(bench.depart_all().is_empty());
}

/// Section 4 with the CoDel of RFC 8289, section 5: a queue of (number, size, time) for each flow. It shares no code
/// with the implementation.
#[derive(Default)]
struct Oracle {
    queues: Vec<OracleQueue>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    fates: Vec<(Fate, u32)>,
}

#[derive(Default)]
struct OracleQueue {
    flow: u32,
    packets: VecDeque<(u32, u32, u64)>,
    credits: i64,
    first_above: u64,
    drop_next: u64,
    count: u32,
    lastcount: u32,
    dropping: bool,
}

const INTERVAL: u64 = 100_000_000;
const LIMIT: usize = 60;

impl OracleQueue {
    fn bytes(&self) -> u32 {
        self.packets.iter().map(|packet| packet.1).sum()
    }
}

impl Oracle {
    fn enqueue(&mut self, now: u64, flow: u32, number: u32, size: u32) {
        let id = self.queues.iter().position(|queue| queue.flow == flow).unwrap_or_else(|| {
            self.queues.push(OracleQueue { flow, ..OracleQueue::default() });
            self.queues.len() - 1
        });
        self.queues[id].packets.push_back((number, size, now));
        self.fates.push((Fate::Queued, number));
        if !self.new.contains(&id) && !self.old.contains(&id) {
            self.new.push_back(id);
            self.queues[id].credits = 1514;
        }
        if self.queues.iter().map(|queue| queue.packets.len()).sum::<usize>() > LIMIT {
            let most = self.queues.iter().map(OracleQueue::bytes).max().unwrap();
            let fattest = self.queues.iter_mut().find(|queue| queue.bytes() == most).unwrap();
            for _ in 0..(fattest.packets.len() / 2).clamp(1, 64) {
                self.fates.push((Fate::Dropped(Cause::Evicted), fattest.packets.pop_front().unwrap().0));
            }
        }
    }

    fn dodequeue(&mut self, id: usize, now: u64) -> (Option<(u32, u32)>, bool) {
        let Some((number, size, stamp)) = self.queues[id].packets.pop_front() else {
            self.queues[id].first_above = 0;
            return (None, false);
        };
        let total: u32 = self.queues.iter().map(OracleQueue::bytes).sum();
        let queue = &mut self.queues[id];
        if now - stamp < 5_000_000 || total <= 1500 {
            queue.first_above = 0;
        } else if queue.first_above == 0 {
            queue.first_above = now + INTERVAL;
        } else if now >= queue.first_above {
            return (Some((number, size)), true);
        }
        (Some((number, size)), false)
    }

    fn codel(&mut self, id: usize, now: u64) -> Option<(u32, u32)> {
        let control_law = |t: u64, count: u32| t + (INTERVAL as f64 / f64::from(count).sqrt()) as u64;
        let (mut packet, mut ok) = self.dodequeue(id, now);
        if self.queues[id].dropping {
            self.queues[id].dropping = ok;
            while self.queues[id].dropping && now >= self.queues[id].drop_next {
                self.fates.push((Fate::Dropped(Cause::Sojourn), packet.unwrap().0));
                self.queues[id].count += 1;
                (packet, ok) = self.dodequeue(id, now);
                let queue = &mut self.queues[id];
                if ok {
                    queue.drop_next = control_law(queue.drop_next, queue.count);
                } else {
                    queue.dropping = false;
                }
            }
        } else if ok {
            self.fates.push((Fate::Dropped(Cause::Sojourn), packet.unwrap().0));
            (packet, _) = self.dodequeue(id, now);
            let queue = &mut self.queues[id];
            queue.dropping = true;
            let delta = queue.count - queue.lastcount;
            let recent = now.saturating_sub(queue.drop_next) < 16 * INTERVAL;
            queue.count = if delta > 1 && recent { delta } else { 1 };
            queue.drop_next = control_law(now, queue.count);
            queue.lastcount = queue.count;
        }
        packet
    }

    fn dequeue(&mut self, now: u64) {
        loop {
            let from_new = !self.new.is_empty();
            let Some(&id) = self.new.front().or(self.old.front()) else { return };
            let list = if from_new { &mut self.new } else { &mut self.old };
            if self.queues[id].credits <= 0 {
                self.queues[id].credits += 1514;
                list.pop_front();
                self.old.push_back(id);
                continue;
            }
            if let Some((number, size)) = self.codel(id, now) {
                self.queues[id].credits -= i64::from(size);
                return self.fates.push((Fate::Sent, number));
            }
            let list = if from_new { &mut self.new } else { &mut self.old };
            list.pop_front();
            if from_new {
                self.old.push_back(id);
            }
        }
    }
}

#[test]
fn every_packet_meets_the_fate_that_the_rfc_gives_it() {
    let (mut evicted, mut dropped) = (0, 0);
    for seed in 0..20 {
        let mut bench = Bench::new("fq-codel", &[no_collisions()]);
        bench.limit_packets(LIMIT as u32);
        let mut oracle = Oracle::default();
        let mut script = Rng::stream(seed, "trace");
        bench.advance(Span::from_millis(1));
        for number in 0..6000 {
            let now = bench.now.as_nanos();
            if script.chance(if number / 1000 % 2 == 0 { 0.58 } else { 0.45 }) {
                // flow 0 sends most
                let flow = script.below(12).saturating_sub(5) as u32;
                let size = 40 + script.below(1460) as u32;
                let sent = PacketMeta { flow, size, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None };
                oracle.enqueue(now, flow, bench.arrived(), size);
                bench.arrive(sent);
            } else {
                oracle.dequeue(now);
                bench.depart();
            }
            bench.advance(Span::from_nanos(script.below(4_000_000)));
        }
        evicted += bench.count(Fate::Dropped(Cause::Evicted));
        dropped += bench.count(Fate::Dropped(Cause::Sojourn));
        assert_eq!(bench.log.0, oracle.fates, "seed {seed}");
    }
    assert!(evicted > 100 && dropped > 100, "{evicted} evicted, {dropped} dropped at the head");
}

/// Numbers of the packets dropped to make room for a packet of another flow, after packets of these sizes of one flow.
fn evicted(settings: &[(&str, Value)], sizes: &[u32]) -> Vec<u32> {
    let mut bench = Bench::new("fq-codel", &[&[no_collisions()], settings].concat());
    bench.limit_packets(sizes.len() as u32);
    for &size in sizes {
        bench.arrive_from(0, size);
    }
    bench.arrive_from(1, 1);
    bench.log.0.iter().filter(|(fate, _)| *fate == Fate::Dropped(Cause::Evicted)).map(|(_, id)| *id).collect()
}

#[test]
fn linux_takes_half_of_the_bytes_of_the_fattest_queue() {
    // numbers of packets that a queue of these sizes loses in Linux, and by the RFC's rule
    for (sizes, linux, rfc) in [
        (&[120; 3][..], 2, 1),
        (&[1000; 5], 3, 2),
        (&[1500, 100, 100, 100, 100, 100], 1, 3),
        (&[100, 100, 100, 100, 100, 1500], 6, 3),
    ] {
        assert_eq!(evicted(&[("variant", Value::Text("linux".into()))], sizes).len(), linux, "{sizes:?}");
        assert_eq!(evicted(&[], sizes).len(), rfc, "{sizes:?}");
    }
    let batch = [("variant", Value::Text("linux".into())), ("drop_batch", Value::Number(2.0))];
    assert_eq!(evicted(&batch, &[1000; 5]), [0, 1]);
}

#[test]
fn packets_of_any_size_take_no_more_than_a_round_or_two() {
    // 4 GB cost 67 million quanta of 64 bytes; a queue of 2 GB gets its credit back in half as many rounds
    let mut bench = Bench::new("fq-codel", &[no_collisions(), ("quantum", Value::Bytes(64.0))]);
    for _ in 0..3 {
        bench.arrive_from(0, u32::MAX);
        bench.arrive_from(1, u32::MAX / 2);
        bench.arrive_from(1, u32::MAX / 2);
    }
    assert_eq!(order(&mut bench, 9), [0, 1, 1, 0, 1, 1, 0, 1, 1]);
}

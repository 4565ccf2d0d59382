//! Tests of the ACK filter, of washed codepoints and of the ingress mode.

use super::{packet, text};
use crate::aqm::Cause;
use crate::discipline::Next;
use crate::discipline::test_harness::{Bench, Fate};
use penstock_core::param::Value;
use penstock_core::{Ecn, PacketMeta, PureAck, Span, Time};

/// The numbers of the ACKs that wait after each of these ACKs has arrived, all of one flow.
fn waiting_acks(filter: &str, acks: &[PureAck]) -> Vec<Vec<u32>> {
    let mut bench = Bench::new("cake", &[text("ack_filter", filter)]);
    let mut waiting: Vec<usize> = Vec::new();
    let step = |(number, &ack): (usize, &PureAck)| {
        bench.arrive_ack(PacketMeta { size: 40, ..packet(0, 0, 0, 0) }, ack);
        waiting.push(number);
        let is_filtered = |number: usize| bench.log.0.contains(&(Fate::Dropped(Cause::Filtered), number as u32));
        waiting.retain(|&number| !is_filtered(number));
        waiting.iter().map(|&number| acks[number].number).collect()
    };
    acks.iter().enumerate().map(step).collect()
}

fn ack(number: u32) -> PureAck {
    PureAck { number, ..PureAck::default() }
}

#[test]
fn the_filter_keeps_one_ack_or_two_redundant_ones() {
    let acks = [40, 50, 60, 70].map(ack);
    assert_eq!(waiting_acks("aggressive", &acks), [vec![40], vec![50], vec![60], vec![70]]);
    assert_eq!(waiting_acks("conservative", &acks), [vec![40], vec![40, 50], vec![50, 60], vec![60, 70]]);
    assert_eq!(waiting_acks("off", &acks)[3], [40, 50, 60, 70]);
}

#[test]
fn duplicate_acks_and_changes_of_ace_remain() {
    for filter in ["conservative", "aggressive"] {
        assert_eq!(waiting_acks(filter, &[40, 40, 40].map(ack))[2], [40, 40, 40]);
        let ace = |number, ace| PureAck { ace, ..ack(number) };
        assert_eq!(waiting_acks(filter, &[ace(40, 1), ace(50, 2)])[1], [40, 50]);
        // The ACKs with ACE 1 are redundant to one another only.
        let last = &waiting_acks(filter, &[ace(40, 1), ace(50, 2), ace(60, 2), ace(70, 2)])[3];
        assert!(last.contains(&40) && last.contains(&70), "{filter}: {last:?}");
    }
}

#[test]
fn acks_of_other_flows_and_other_packets_are_not_filtered() {
    // All packets share one queue.
    let mut bench = Bench::new("cake", &[text("ack_filter", "aggressive"), text("isolation", "flowblind")]);
    for number in [40, 50, 60] {
        bench.arrive_ack(packet(number, 0, 0, 0), ack(number));
        bench.arrive(packet(40, 0, 0, 0));
    }
    assert_eq!(bench.count(Fate::Dropped(Cause::Filtered)), 0);
    bench.arrive_ack(packet(40, 0, 0, 0), ack(70));
    assert_eq!(bench.depart_all(), [1, 2, 3, 4, 5, 6]);
    // The slots of the packets are reused.
    bench.arrive(packet(40, 0, 0, 0));
    bench.arrive_ack(packet(40, 0, 0, 0), ack(80));
    bench.arrive_ack(packet(40, 0, 0, 0), ack(90));
    assert_eq!(bench.depart_all(), [7, 9]);
}

#[test]
fn acks_of_a_forgotten_flow_are_not_filtered() {
    let mut bench = Bench::new("cake", &[text("ack_filter", "aggressive")]);
    bench.arrive_ack(packet(0, 0, 0, 0), ack(40));
    bench.queue.forget_flow(bench.now, 0);
    bench.arrive_ack(packet(0, 0, 0, 0), ack(50));
    bench.arrive_ack(packet(0, 0, 0, 0), ack(60));
    assert_eq!(bench.depart_all(), [0, 2]);
}

#[test]
fn washed_packets_are_in_their_tin_and_leave_without_a_codepoint() {
    for wash in [false, true] {
        let mut bench = Bench::new("cake", &[("wash", Value::Flag(wash)), ("bandwidth", Value::Number(1e6))]);
        bench.arrive(PacketMeta { ecn: Ecn::Ce, ..packet(0, 0, 0, 0) });
        bench.arrive(PacketMeta { ecn: Ecn::Ect0, ..packet(1, 1, 1, 46) });
        let voice = bench.depart().unwrap();
        assert_eq!((voice.flow, voice.dscp, voice.ecn), (1, if wash { 0 } else { 46 }, Ecn::Ect0));
    }
}

/// Numbers of packets sent and dropped in 10 s at 2 Mbit/s, with `flows` flows that always have packets.
fn sent_and_dropped(ingress: bool, flows: u32) -> (usize, usize) {
    let mut bench = Bench::new("cake", &[("bandwidth", Value::Number(2e6)), ("ingress", Value::Flag(ingress))]);
    bench.unlimited();
    for _ in 0..100 {
        (0..flows).for_each(|flow| bench.arrive(packet(flow, flow, flow, 0)));
    }
    for _ in 0..10_000 {
        bench.depart();
        (0..flows.div_ceil(4)).for_each(|_| bench.arrive(packet(bench.arrived() % flows, 0, 0, 0)));
        bench.advance(Span::from_millis(1));
    }
    (bench.count(Fate::Sent), bench.count(Fate::Dropped(Cause::Sojourn)))
}

#[test]
fn dropped_packets_count_for_the_shaper_of_the_ingress_mode() {
    // 2500 packets of 1000 bytes
    let (sent, dropped) = sent_and_dropped(false, 4);
    assert!(dropped > 100 && sent.abs_diff(2500) <= 1, "{sent} sent, {dropped} dropped");
    // A flood most of which is dropped: a third of the rate is lost, and no more.
    let (sent, dropped) = sent_and_dropped(true, 4);
    assert!(dropped > 2000 && sent.abs_diff(2500 * 2 / 3) <= 3, "{sent} sent, {dropped} dropped");
    // Less than a third is dropped: the shaper counts all 1000 packets of 8 ms that arrive in 8 s.
    let mut bench = Bench::new("cake", &[("bandwidth", Value::Number(1e6)), ("ingress", Value::Flag(true))]);
    bench.limit_packets(9);
    let mut sent = 0;
    for _ in 0..100 {
        (0..10).for_each(|_| bench.arrive(packet(0, 0, 0, 0)));
        for _ in 0..80 {
            sent += usize::from(bench.depart().is_some());
            bench.advance(Span::from_millis(1));
        }
    }
    let [evicted, at_head] = [Cause::Evicted, Cause::Sojourn].map(|cause| bench.count(Fate::Dropped(cause)));
    let counted = sent + evicted + at_head;
    assert!(evicted >= 99 && at_head > 0 && counted.abs_diff(1000) <= 10, "{sent}, {evicted}, {at_head}");
}

#[test]
fn two_packets_of_each_bulk_queue_may_wait_in_the_ingress_mode() {
    // Each of 20 flows has 2 packets waiting, which take 160 ms: above the target, and not above 40 times 6 ms, the time
    // of a full packet.
    let drops = |ingress: bool, waiting: u32| {
        let mut bench = Bench::new("cake", &[("bandwidth", Value::Number(2e6)), ("ingress", Value::Flag(ingress))]);
        for _ in 0..waiting {
            (0..20).for_each(|flow| bench.arrive(packet(flow, flow, flow, 0)));
        }
        for _ in 0..2000 {
            if let Some(sent) = bench.depart() {
                bench.arrive(PacketMeta { rare: None, ..packet(sent.flow, sent.flow, sent.flow, 0) });
            }
            bench.advance(Span::from_millis(4));
        }
        bench.count(Fate::Dropped(Cause::Sojourn))
    };
    assert!(drops(false, 2) > 0);
    assert_eq!(drops(true, 2), 0);
    assert!(drops(true, 4) > 0);
}

#[test]
fn evicted_packets_count_for_the_shaper_of_the_ingress_mode() {
    for ingress in [false, true] {
        let mut bench = Bench::new("cake", &[("bandwidth", Value::Number(1e6)), ("ingress", Value::Flag(ingress))]);
        bench.limit_packets(2);
        (0..3).for_each(|_| bench.arrive(packet(0, 0, 0, 0)));
        // 8 ms for each packet
        let next = Next::NotBefore(Time::from_nanos(8_000_000));
        if ingress {
            assert_eq!(bench.next(), next);
            bench.advance(Span::from_millis(8));
        }
        assert!(bench.depart().is_some());
    }
}

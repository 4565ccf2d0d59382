//! The per-hop behaviours of differentiated services, built from the parts: Expedited Forwarding (RFC 2598) of a policer
//! and a short queue that is served first, Assured Forwarding (RFC 2597) of a marker and a queue of WRED for each class.

use crate::rig::{Counts, thesis_link};
use penstock_aqm::edge::conditioned_queue::Stage;
use penstock_aqm::edge::{Action, Conditioner};
use penstock_aqm::{Backlog, Cx, Discipline, Env, LinkInfo, Next, build, build_stage};
use penstock_core::param::{Settings, Value};
use penstock_core::{Dscp, Ecn, Limit, PacketMeta, Rate, Rng, Span, Time};

/// A hop of 10 Mbit/s: a conditioner for each class, and two queues of which the first is served first.
struct Hop {
    conditioners: [Box<dyn Conditioner>; 2],
    queues: [Box<dyn Discipline<PacketMeta>>; 2],
    counts: [Counts; 2],
    /// Packets dropped by the conditioners.
    policed: [u64; 2],
    rng: Rng,
    /// When the link is free.
    free: Time,
    /// Longest wait in each queue, until the transmission begins.
    longest: [Span; 2],
    /// Packets sent, by codepoint.
    sent: [u64; 64],
    /// Packets arrived at the queues, by codepoint.
    offered: [u64; 64],
}

fn conditioner(kind: &str, settings: &Settings, link: &LinkInfo) -> Box<dyn Conditioner> {
    match build_stage::<PacketMeta>(kind, settings, link.limit, link, Time::ZERO) {
        Ok(Stage::Conditioner(conditioner)) => conditioner,
        _ => panic!("{kind} is no conditioner with these settings"),
    }
}

const RATE: u64 = 10_000_000;

fn setting(name: &str, value: Value) -> (String, Value) {
    (name.to_string(), value)
}

fn numbers(name: &str, list: &[f64]) -> (String, Value) {
    setting(name, Value::Numbers(list.into()))
}

fn dscp(name: &str) -> u8 {
    Dscp::from_name(name).unwrap().number()
}

impl Hop {
    /// EF: policed to 2 Mbit/s, at most 10 packets. AF1: metered at 4 Mbit/s, WRED with three precedences.
    fn new() -> Self {
        let link = LinkInfo { rate: Rate::from_bits_per_second(RATE), limit: Limit::Packets(100), ..thesis_link() };
        let short = LinkInfo { limit: Limit::Packets(10), ..link };
        let policer = [setting("rate", Value::Number(2e6)), setting("burst", Value::Bytes(2_000.0))];
        let marker = [
            setting("rate", Value::Number(4e6)),
            setting("cbs", Value::Bytes(20_000.0)),
            setting("ebs", Value::Bytes(20_000.0)),
        ];
        let wred = [
            numbers("min_th", &[60.0, 30.0, 10.0]),
            numbers("max_th", &[90.0, 60.0, 30.0]),
            numbers("max_p", &[0.02, 0.05, 0.1]),
            setting("w_q", Value::Number(0.02)),
        ];
        Self {
            conditioners: [conditioner("policer", &policer, &link), conditioner("srtcm", &marker, &link)],
            queues: [
                build("droptail", &[], &short, Time::ZERO).unwrap(),
                build("wred", &wred, &link, Time::ZERO).unwrap(),
            ],
            counts: [Counts::default(); 2],
            policed: [0; 2],
            rng: Rng::stream(1, "hop"),
            free: Time::ZERO,
            longest: [Span::ZERO; 2],
            sent: [0; 64],
            offered: [0; 64],
        }
    }

    /// A packet arrives. Its flow number is its arrival time in microseconds, from which `serve` computes its wait.
    fn arrive(&mut self, now: Time, class: usize, size: u32) {
        self.serve(now);
        let flow = (now.as_nanos() / 1_000) as u32;
        let came = [dscp("EF"), dscp("default")][class];
        let mut packet = PacketMeta { flow, size, ecn: Ecn::Not, dscp: came, protocol: 6, rare: None };
        let queue = Backlog { packets: 0, bytes: 0, limit: Limit::Infinite, oldest: None };
        let cx = &mut Cx { now, queue, link_bytes: 0, rng: &mut self.rng };
        match self.conditioners[class].on_packet(cx, &packet) {
            Action::Pass => {}
            Action::Remark(dscp) => packet.dscp = dscp.number(),
            Action::Drop => {
                self.policed[class] += 1;
                return;
            }
        }
        self.offered[usize::from(packet.dscp)] += 1;
        let env: &mut Env<'_, _> = &mut Env { now, rng: &mut self.rng, probe: &mut self.counts[class], facts: &() };
        self.queues[class].enqueue(env, packet);
    }

    /// The link sends what it can until `now`.
    fn serve(&mut self, now: Time) {
        while self.free <= now {
            let at = self.free;
            let Some((class, packet)) = (0..2).find_map(|class| {
                let env: &mut Env<'_, _> =
                    &mut Env { now: at, rng: &mut self.rng, probe: &mut self.counts[class], facts: &() };
                match self.queues[class].dequeue(env) {
                    Next::Send(packet) => Some((class, packet)),
                    Next::Empty | Next::NotBefore(_) => None,
                }
            }) else {
                self.free = now + Span::from_nanos(1);
                return;
            };
            self.longest[class] = self.longest[class].max(at.since(Time::from_nanos(u64::from(packet.flow) * 1_000)));
            self.sent[usize::from(packet.dscp)] += 1;
            self.free = at + Span::from_nanos(u64::from(packet.size) * 8_000_000_000 / RATE);
        }
    }

    /// Poisson arrivals of 1000 bytes for 60 s: `ef` and `af` in bit/s.
    fn run(&mut self, ef: f64, af: f64) {
        let mut arrivals = Vec::new();
        for (class, rate) in [ef, af].into_iter().enumerate() {
            let mut rng = Rng::stream(1, ["ef", "af"][class]);
            let mut at = 0.0;
            while rate > 0.0 && at < 60.0 {
                at += rng.exponential(8_000.0 / rate);
                arrivals.push(((at * 1e6) as u64, class));
            }
        }
        arrivals.sort_unstable();
        for (micros, class) in arrivals {
            self.arrive(Time::from_nanos(micros * 1_000), class, 1_000);
        }
    }

    fn loss(&self, name: &str) -> f64 {
        let dscp = usize::from(dscp(name));
        1.0 - self.sent[dscp] as f64 / self.offered[dscp] as f64
    }
}

#[test]
fn expedited_forwarding_is_served_at_once_whatever_else_comes() {
    let mut hop = Hop::new();
    hop.run(1.5e6, 20e6);
    let ef = usize::from(dscp("EF"));
    assert!(hop.offered[ef] > 8_000);
    assert_eq!(hop.counts[0].dropped_on_arrival, 0);
    // the policer lets 2 packets at most through at once: one in transmission (0.8 ms), then the other (0.8 ms)
    assert!(hop.longest[0] <= Span::from_micros(2_400), "{}", hop.longest[0]);
    assert!(hop.longest[1] > Span::from_millis(20));
}

#[test]
fn expedited_forwarding_beyond_its_rate_is_dropped_at_the_edge() {
    let mut hop = Hop::new();
    hop.run(5e6, 20e6);
    let rate = hop.offered[usize::from(dscp("EF"))] as f64 * 8_000.0 / 60.0;
    // never more than the rate and one burst; a little less, as tokens spill over while nothing comes
    assert!((1.9e6..2e6 + 16_000.0 / 60.0).contains(&rate), "{rate}");
    assert!(hop.policed[0] > 20_000);
    assert_eq!(hop.counts[0].dropped_on_arrival, 0);
}

#[test]
fn assured_forwarding_drops_the_higher_precedences_first() {
    // 12 Mbit/s into 10: green 4, yellow what the excess burst leaves, red the rest
    let mut hop = Hop::new();
    hop.run(0.0, 12e6);
    let losses = ["AF11", "AF13"].map(|name| hop.loss(name));
    assert!(losses[0] < 1e-3 && losses[1] > 0.1, "{losses:?}");
    let green = hop.sent[usize::from(dscp("AF11"))] as f64 * 8_000.0 / 60.0;
    assert!((green - 4e6).abs() < 4e4, "{green}");
    // what is beyond the committed rate is forwarded as far as there is room (RFC 2597, section 2)
    let all: u64 = hop.sent.iter().sum();
    assert!(all as f64 * 8_000.0 / 60.0 > 9.9e6);
}

#[test]
fn without_congestion_no_precedence_is_dropped() {
    let mut hop = Hop::new();
    hop.run(0.0, 6e6);
    assert_eq!(hop.counts[1].dropped_on_arrival, 0);
    assert!(hop.offered[usize::from(dscp("AF13"))] > 1_000);
}

//! Nanoseconds for one packet through each scheme, an arrival and a departure, with 10, 1000 and 100 000 active flows.
//!
//! Two packets of each flow are queued; then the flows send in turn, and the link serves a packet for each arrival. The
//! rate grows with the flows, so that those packets take 4 ms at any number of flows. AQMs that control the delay are
//! then at rest, and AQMs that control the length drop packets until they are, too. Settings are the
//! defaults; schemes with classes have three. A figure is the median of many short batches. The run fails if a scheme
//! slows down by more than `MAX_GROWTH` from 1000 to 100 000 flows.

#[path = "../tests/integration/rig/mod.rs"]
mod rig;

use penstock_aqm::{Discipline, Env, LinkInfo, SchemeInfo, build, schemes};
use penstock_core::{Ecn, Limit, PacketMeta, Rate, Rng, Span, Time};
use rig::{Carried, any_packet, required, thesis_link};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

const FLOWS: [u32; 3] = [10, 1000, 100_000];
const STANDING: u64 = 2;
const BATCHES: usize = 101;
const BATCH: u32 = 2000;
/// Slower by more than this from 1000 to 100 000 flows is more than a logarithm and the caches explain.
const MAX_GROWTH: f64 = 20.0;

fn main() -> ExitCode {
    let width = schemes().iter().map(|scheme| scheme.name.len()).max().unwrap_or(0);
    println!("| {:width$} | {:>8} | {:>8} | {:>8} |", "ns a packet", "10", "1000", "100 000");
    println!("| {:-<width$} | {:->8} | {:->8} | {:->8} |", "", ":", ":", ":");
    let mut slow = Vec::new();
    for scheme in schemes() {
        let [few, more, many] = FLOWS.map(|flows| Load::new(scheme, flows).median());
        println!("| {:width$} | {few:8.0} | {more:8.0} | {many:8.0} |", scheme.name);
        if many > MAX_GROWTH * more {
            slow.push(format!("{}: {:.0} times slower with 100 000 flows than with 1000", scheme.name, many / more));
        }
    }
    for line in &slow {
        eprintln!("{line}");
    }
    ExitCode::from(u8::from(!slow.is_empty()))
}

/// A queue in the steady state.
struct Load {
    queue: Box<dyn Discipline<PacketMeta>>,
    rng: Rng,
    now: Time,
    /// One packet of each flow, in the order in which they send.
    packets: Vec<PacketMeta>,
    next: usize,
    steps: u64,
}

impl Load {
    /// The scheme with its defaults, after the flows have each sent twice at once and then twice in turn.
    fn new(scheme: &SchemeInfo, flows: u32) -> Self {
        let link = LinkInfo {
            rate: Rate::from_bits_per_second(STANDING * u64::from(flows) * 8000 * 250),
            limit: Limit::Packets(100 + 4 * flows),
            flows: Some(flows),
            rtt: Some(Span::from_millis(100)),
            ..thesis_link()
        };
        let queue = build(scheme.name, &required(scheme), &link, Time::ZERO).unwrap();
        // Flows far from each other follow each other: 61 803 has no divisor in common with their number.
        let flow = |i: u32| (u64::from(i) * 61_803 % u64::from(flows)) as u32;
        let mut facts = Rng::stream(1, "facts");
        let packet = |i| PacketMeta { flow: flow(i), size: 1000, ecn: Ecn::Not, ..any_packet(&mut facts, 1500) };
        let packets = (0..flows).map(packet).collect();
        let mut load = Self { queue, rng: Rng::stream(1, "bench"), now: Time::ZERO, packets, next: 0, steps: 0 };
        for _ in 0..STANDING * u64::from(flows) {
            load.arrive();
        }
        (0..(2 * flows).max(BATCH)).for_each(|_| load.step());
        load
    }

    /// The median time of a packet, in nanoseconds.
    fn median(mut self) -> f64 {
        let mut batches: Vec<f64> = (0..BATCHES)
            .map(|_| {
                let start = Instant::now();
                (0..BATCH).for_each(|_| self.step());
                start.elapsed().as_nanos() as f64 / f64::from(BATCH)
            })
            .collect();
        batches.sort_by(f64::total_cmp);
        batches[BATCHES / 2]
    }

    /// The time of a packet at the link passes; one arrives and one is asked for.
    fn step(&mut self) {
        self.steps += 1;
        self.now = Time::from_nanos(self.steps * 4_000_000 / (STANDING * self.packets.len() as u64));
        while self.queue.next_timeout().is_some_and(|due| due < self.now) {
            let mut env: Env<'_, _> = Env { now: self.now, rng: &mut self.rng, probe: &mut (), facts: &Carried };
            self.queue.on_timeout(&mut env);
        }
        self.arrive();
        let mut env: Env<'_, _> = Env { now: self.now, rng: &mut self.rng, probe: &mut (), facts: &Carried };
        black_box(self.queue.dequeue(&mut env));
    }

    fn arrive(&mut self) {
        let packet = self.packets[self.next];
        self.next = (self.next + 1) % self.packets.len();
        let mut env: Env<'_, _> = Env { now: self.now, rng: &mut self.rng, probe: &mut (), facts: &Carried };
        self.queue.enqueue(&mut env, black_box(packet));
    }
}

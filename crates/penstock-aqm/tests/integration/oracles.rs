//! Every scheme against its oracle: a second, plain implementation, written from the source text alone.
//!
//! Both get the same random traces and the same random numbers, and every packet must meet the same fate in both.

use crate::oracle::{Bench, Entry, Fate, Given, Item, MS, ORACLES, Oracle, Settings};
use crate::rig::{ack_of, any_packet_of, thesis_link};
use penstock_aqm::{Cause, Discipline, Env, Facts, LinkInfo, Next, Probe, Report, build, schemes};
use penstock_core::{Bytes, Dscp, Limit, Packet, PacketMeta, PureAck, Rare, Rate, Rng, Span, Time};
use std::collections::BTreeMap;

/// New schemes whose oracle is still to be written; empty in a release.
const MISSING: &[&str] = &[];

/// Schemes that differ from their oracle on some trace, until it is settled which is right; empty in a release.
const DISPUTED: &[&str] = &[];

const TRACES: u64 = 200;
const OPERATIONS: u32 = 1000;

/// A packet that is distinguishable from all others.
#[derive(Clone, Copy)]
struct Numbered {
    id: u32,
    meta: PacketMeta,
}

impl Packet for Numbered {
    fn meta(&self) -> PacketMeta {
        PacketMeta { rare: None, ..self.meta }
    }

    fn mark(&mut self) {
        self.meta.mark();
    }

    fn remark(&mut self, dscp: Dscp) {
        self.meta.remark(dscp);
    }
}

struct Told;

impl Facts<Numbered> for Told {
    fn rare(&self, packet: &Numbered) -> Rare {
        packet.meta.rare.unwrap()
    }

    fn pure_ack(&self, packet: &Numbered) -> Option<PureAck> {
        ack_of(&packet.meta)
    }
}

/// The reports of the scheme, and the consistency of its backlog.
#[derive(Default)]
struct Story {
    log: Vec<(u64, u32, Fate)>,
    packets: u32,
    bytes: u64,
}

impl Story {
    fn note(&mut self, report: &Report<'_, Numbered>, fate: Fate) {
        let size = u64::from(report.packet.meta.size);
        match fate {
            Fate::Queued => (self.packets, self.bytes) = (self.packets + 1, self.bytes + size),
            Fate::Dropped(cause) if !cause.was_queued() => {}
            Fate::Sent | Fate::Dropped(_) => (self.packets, self.bytes) = (self.packets - 1, self.bytes - size),
            Fate::Marked(_) | Fate::Held(_) => {}
        }
        if !matches!(fate, Fate::Marked(_)) {
            assert_eq!((report.packets, report.bytes), (self.packets, self.bytes), "the backlog after {fate:?}");
        }
        self.log.push((report.now.as_nanos(), report.packet.id, fate));
    }
}

impl Probe<Numbered> for Story {
    fn queued(&mut self, report: &Report<'_, Numbered>) {
        self.note(report, Fate::Queued);
    }

    fn sent(&mut self, report: &Report<'_, Numbered>) {
        self.note(report, Fate::Sent);
    }

    fn marked(&mut self, report: &Report<'_, Numbered>, cause: Cause) {
        self.note(report, Fate::Marked(cause));
    }

    fn dropped(&mut self, report: &Report<'_, Numbered>, cause: Cause) {
        self.note(report, Fate::Dropped(cause));
    }
}

/// One step of a trace: after this pause a packet arrives, or the link asks for one.
struct Step {
    pause: u64,
    arrival: Option<Item>,
}

/// Bursts, steady load, drains and silences; in some traces all times are whole milliseconds, so that instants coincide,
/// and in some one flow sends half of all packets.
fn trace(seed: u64, flows: u64) -> Vec<Step> {
    let mut script = Rng::stream(seed, "trace");
    let (whole_millis, one_heavy) = (script.chance(0.25), script.chance(0.4));
    let (mut load, mut mean_pause) = (0.5, MS);
    let mut steps = Vec::new();
    for id in 0..OPERATIONS {
        if script.chance(0.02) {
            load = [0.95, 0.65, 0.5, 0.2][script.below(4) as usize];
            mean_pause = [MS / 20, MS, 3 * MS, 6 * MS][script.below(4) as usize];
        }
        let mut pause = match script.below(100) {
            0 => script.below(2000 * MS),
            1..=3 => script.below(100 * MS),
            4..=20 => 0,
            _ => script.below(2 * mean_pause),
        };
        if whole_millis {
            pause = (pause + MS / 2) / MS * MS;
        }
        let arrival = script.chance(load).then(|| {
            let flow = script.below(flows) as u32;
            let mut meta = any_packet_of(flow, &mut script, 1500);
            if one_heavy && script.chance(0.5) {
                meta = PacketMeta { flow: 5, protocol: 17, ..meta };
                meta.rare = meta.rare.map(|rare| Rare { src: 1, dst: 102, ..rare });
            }
            Item::new(id, meta)
        });
        steps.push(Step { pause, arrival });
    }
    steps
}

fn links() -> [LinkInfo; 4] {
    let link = LinkInfo { rtt: Some(Span::from_millis(100)), flows: Some(12), ..thesis_link() };
    [
        link,
        LinkInfo { limit: Limit::Bytes(30_000), ..link },
        LinkInfo { limit: Limit::Packets(60), rate: Rate::from_bits_per_second(10_000_000), ..link },
        LinkInfo { limit: Limit::Packets(12), mean_packet: Bytes(1000), ..link },
    ]
}

fn time(nanos: u64) -> Time {
    Time::from_nanos(nanos)
}

/// The scheme's story of a trace.
fn story(queue: &mut dyn Discipline<Numbered>, steps: &[Step], seed: u64) -> Vec<(u64, u32, Fate)> {
    let (mut rng, mut probe, mut now) = (Rng::stream(seed, "aqm"), Story::default(), 0);
    for step in steps {
        now += step.pause;
        while let Some(due) = queue.next_timeout().filter(|&due| due < time(now)) {
            queue.on_timeout(&mut Env { now: due, rng: &mut rng, probe: &mut probe, facts: &Told });
        }
        let mut env: Env<'_, _> = Env { now: time(now), rng: &mut rng, probe: &mut probe, facts: &Told };
        if let Some(item) = &step.arrival {
            queue.enqueue(&mut env, Numbered { id: item.id, meta: item.meta });
        } else if let Next::NotBefore(until) = queue.dequeue(&mut env) {
            probe.log.push((now, u32::MAX, Fate::Held(until.as_nanos())));
        }
    }
    probe.log
}

/// The oracle's.
fn oracle_story(oracle: &mut dyn Oracle, steps: &[Step], seed: u64) -> Vec<(u64, u32, Fate)> {
    let mut bench = Bench { now: 0, rng: Rng::stream(seed, "aqm"), log: Vec::new() };
    let mut now = 0;
    for step in steps {
        now += step.pause;
        oracle.pass(&mut bench, now);
        bench.now = now;
        match &step.arrival {
            Some(item) => oracle.arrive(&mut bench, item.clone()),
            None => oracle.depart(&mut bench),
        }
    }
    bench.log
}

type Setup = (Given, LinkInfo, Box<dyn Discipline<Numbered>>);

/// Settings and a link drawn for this trace; some settings do not fit some links.
fn setup(&(name, settings, _): &Entry, seed: u64) -> Option<Setup> {
    let mut draw = Rng::stream(seed, "settings");
    let (all, links) = (settings(), links());
    (0..50).find_map(|_| {
        let given = all[draw.below(all.len() as u64) as usize].clone();
        let link = links[draw.below(links.len() as u64) as usize];
        let named: Vec<_> = given.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect();
        build::<Numbered, dyn Probe<_>>(name, &named, &link, Time::ZERO).ok().map(|queue| (given, link, queue))
    })
}

/// The first difference between the two sequences of fates, if any.
fn difference(entry: &Entry, seed: u64, flows: u64) -> Option<String> {
    let &(name, _, make) = entry;
    let Some((given, link, mut queue)) = setup(entry, seed) else {
        return Some(format!("{name}, trace {seed}: its settings are refused on every link"));
    };
    let steps = trace(seed, flows);
    let told = story(&mut *queue, &steps, seed);
    let wanted = oracle_story(&mut *make(&Settings(given.clone()), &link), &steps, seed);
    let at = (0..told.len().max(wanted.len())).find(|&i| told.get(i) != wanted.get(i))?;
    let nearby =
        |log: &[(u64, u32, Fate)]| format!("{:?}", &log[at.saturating_sub(3).min(log.len())..(at + 3).min(log.len())]);
    Some(format!(
        "{name}, trace {seed}, {given:?}, limit {:?}, entry {at} of {}\n  scheme {}\n  oracle {}",
        link.limit,
        wanted.len(),
        nearby(&told),
        nearby(&wanted)
    ))
}

/// The oracles asked for: all, or the one that the variable `ORACLE` names.
fn asked() -> impl Iterator<Item = &'static Entry> {
    let wanted = std::env::var("ORACLE").unwrap_or_default();
    let known = |entry: &&Entry| schemes().iter().any(|scheme| scheme.name == entry.0);
    ORACLES.iter().filter(known).filter(move |entry| wanted.is_empty() || wanted == entry.0)
}

#[test]
fn every_scheme_gives_the_verdicts_of_its_oracle() {
    let mut faults = Vec::new();
    for entry in asked() {
        let differ: Vec<String> = (0..TRACES).filter_map(|seed| difference(entry, seed, 12)).collect();
        match differ.first() {
            Some(first) if !DISPUTED.contains(&entry.0) => {
                faults.push(format!("{} of {TRACES} traces differ: {first}", differ.len()));
            }
            None if DISPUTED.contains(&entry.0) => {
                faults.push(format!("{} no longer differs: take it from DISPUTED", entry.0));
            }
            _ => {}
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn busy_hosts_get_the_shares_of_the_oracle() {
    // up to 40 flows to each of three hosts: a round brings a queue a few bytes, rounded at random
    for entry in asked().filter(|entry| entry.0 == "cake") {
        let differ: Vec<String> = (0..TRACES).filter_map(|seed| difference(entry, seed, 120)).collect();
        assert!(differ.is_empty(), "{} of {TRACES} traces differ: {}", differ.len(), differ[0]);
    }
}

#[test]
fn every_scheme_has_an_oracle() {
    for scheme in schemes() {
        let has_one = ORACLES.iter().any(|entry| entry.0 == scheme.name);
        assert_eq!(MISSING.contains(&scheme.name), !has_one, "{}", scheme.name);
    }
}

/// To find out what a difference comes from: how many of many traces differ, by setting.
#[test]
#[ignore = "a tool, not a test"]
fn differences_by_setting() {
    for entry in asked() {
        let mut tally: BTreeMap<String, (u32, u32)> = BTreeMap::new();
        for seed in 0..10 * TRACES {
            let Some((given, ..)) = setup(entry, seed) else { continue };
            let told = difference(entry, seed, 12);
            let lines = given.iter().map(|(name, value)| format!("{name} = {value}"));
            for line in lines.chain(["all".into()]) {
                let (traces, differ) = tally.entry(line).or_default();
                (*traces, *differ) = (*traces + 1, *differ + u32::from(told.is_some()));
            }
            if let Some(told) = told {
                println!("{told}");
            }
        }
        for (line, (traces, differ)) in tally {
            println!("{}: {differ} of {traces} with {line}", entry.0);
        }
    }
}

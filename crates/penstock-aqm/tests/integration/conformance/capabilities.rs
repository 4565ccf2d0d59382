//! Every scheme keeps its declaration, [`Capabilities`] and `is_fifo`, whatever its settings, its link and the operations
//! on it; and it declares nothing that it does not do.

use crate::rig::draw::{any_link, any_scale, any_settings};
use crate::rig::{any_packet_of, three_classes};
use crate::rounds::on_each;
use penstock_aqm::{
    Aqm, Backlog, Capabilities, Cause, Cx, Departing, Discipline, Env, Facts, Fifo, Judges, Next, Probe, Report,
    SchemeInfo, SideInformation, TimerMoves, Verdict, build, schemes,
};
use penstock_core::param::{Default, Kind, Value};
use penstock_core::{Dscp, Limit, Packet, PacketMeta, Rare, Rng, Span, Time};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const ROUNDS: u64 = 200;
const OPERATIONS: u64 = 400;
/// Attempts to draw settings per round: some schemes refuse most random combinations.
const ATTEMPTS: u64 = 30;
/// Timeouts in one pause: a timer may have a period of a microsecond.
const TIMEOUTS: u64 = 20;

/// A packet that is distinguishable from all others, and whose side information only [`Supplied`] gives.
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

struct Supplied;

impl Facts<Numbered> for Supplied {
    fn rare(&self, packet: &Numbered) -> Rare {
        packet.meta.rare.unwrap()
    }
}

type AnyQueue = Box<dyn Discipline<Numbered>>;

/// Something that a queue does and that a declaration may exclude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    /// It drops or marks an arriving packet, other than for lack of room.
    JudgesArrival,
    /// It drops or marks a queued packet.
    JudgesQueued,
    /// It has a timer.
    HasTimer,
    /// A `dequeue` that found it empty moves its timer.
    MovesTimerIdle,
    /// Another operation moves its timer.
    MovesTimerBusy,
    /// A packet is removed or sent before one that was queued earlier, or held back.
    LeavesOrder,
    /// Its packets fare differently with side information.
    UsesRare,
}

/// The deeds that a declaration excludes.
fn excluded(capabilities: Capabilities, is_fifo: bool) -> BTreeSet<Deed> {
    let Capabilities { judges, timer, side } = capabilities;
    let mut deeds = match judges {
        Judges::Arrivals => vec![Deed::JudgesQueued],
        Judges::Departures => vec![Deed::JudgesArrival],
        Judges::Both => vec![],
    };
    deeds.extend_from_slice(match timer {
        TimerMoves::Never => &[Deed::HasTimer, Deed::MovesTimerIdle, Deed::MovesTimerBusy],
        TimerMoves::Periodic => &[Deed::MovesTimerIdle, Deed::MovesTimerBusy],
        TimerMoves::OnIdle => &[Deed::MovesTimerBusy],
        TimerMoves::Always => &[],
    });
    match side {
        SideInformation::Unused => deeds.push(Deed::UsesRare),
        SideInformation::Rare => {}
    }
    deeds.extend(is_fifo.then_some(Deed::LeavesOrder));
    deeds.into_iter().collect()
}

/// The deeds without which a declaration says too much, each with the declaration.
fn claimed(capabilities: Capabilities) -> Vec<(String, Deed)> {
    let Capabilities { judges, timer, side } = capabilities;
    let judges = match judges {
        // drop-tail declares this, too
        Judges::Arrivals => vec![],
        Judges::Departures => vec![(format!("{judges:?}"), Deed::JudgesQueued)],
        Judges::Both => [Deed::JudgesArrival, Deed::JudgesQueued].map(|deed| (format!("{judges:?}"), deed)).to_vec(),
    };
    let timer = match timer {
        TimerMoves::Never => None,
        TimerMoves::Periodic => Some((format!("{timer:?}"), Deed::HasTimer)),
        TimerMoves::OnIdle => Some((format!("{timer:?}"), Deed::MovesTimerIdle)),
        TimerMoves::Always => Some((format!("{timer:?}"), Deed::MovesTimerBusy)),
    };
    let side = (side == SideInformation::Rare).then(|| (format!("{side:?}"), Deed::UsesRare));
    judges.into_iter().chain(timer).chain(side).collect()
}

/// What a queue reported about its packets, and its deeds.
#[derive(Default)]
struct Story {
    log: Vec<(u64, u32, &'static str)>,
    deeds: BTreeSet<Deed>,
    waiting: VecDeque<u32>,
    /// The packet that arrives in this operation.
    arriving: Option<u32>,
}

impl Story {
    fn note(&mut self, report: &Report<'_, Numbered>, fate: &'static str) {
        self.log.push((report.now.as_nanos(), report.packet.id, fate));
    }

    /// A packet leaves the queue; whether it was queued first.
    fn remove(&mut self, id: u32) {
        if self.waiting.front() != Some(&id) {
            self.deeds.insert(Deed::LeavesOrder);
        }
        self.waiting.retain(|waiting| *waiting != id);
    }
}

impl Probe<Numbered> for Story {
    fn queued(&mut self, report: &Report<'_, Numbered>) {
        self.waiting.push_back(report.packet.id);
        self.note(report, "queued");
    }

    fn sent(&mut self, report: &Report<'_, Numbered>) {
        self.remove(report.packet.id);
        self.note(report, "sent");
    }

    fn marked(&mut self, report: &Report<'_, Numbered>, cause: Cause) {
        let is_arriving = self.arriving == Some(report.packet.id);
        self.deeds.insert(if is_arriving { Deed::JudgesArrival } else { Deed::JudgesQueued });
        self.note(report, cause.name());
    }

    fn dropped(&mut self, report: &Report<'_, Numbered>, cause: Cause) {
        if cause.was_queued() {
            self.deeds.insert(Deed::JudgesQueued);
            if cause == Cause::Evicted {
                self.deeds.insert(Deed::LeavesOrder);
            }
            self.remove(report.packet.id);
        } else if cause != Cause::Overflow {
            self.deeds.insert(Deed::JudgesArrival);
        }
        self.note(report, cause.name());
    }
}

/// A queue under observation.
struct Watched<'a> {
    queue: AnyQueue,
    facts: &'a dyn Facts<Numbered>,
    rng: Rng,
    now: Time,
    story: Story,
}

impl Watched<'_> {
    fn operate<T>(&mut self, operation: impl FnOnce(&mut dyn Discipline<Numbered>, &mut Env<'_, Numbered>) -> T) -> T {
        let Self { queue, facts, rng, now, story } = self;
        let result = operation(queue.as_mut(), &mut Env { now: *now, rng, probe: story, facts: *facts });
        if queue.next_timeout().is_some() {
            story.deeds.insert(Deed::HasTimer);
        }
        result
    }

    /// An operation after which the timer should be where it was, or else this deed is noted.
    fn expect_no_move<T>(
        &mut self,
        operation: impl FnOnce(&mut dyn Discipline<Numbered>, &mut Env<'_, Numbered>) -> T,
        deed: impl FnOnce(&T) -> Deed,
    ) -> T {
        let before = self.queue.next_timeout();
        let result = self.operate(operation);
        if self.queue.next_timeout() != before {
            self.story.deeds.insert(deed(&result));
        }
        result
    }

    fn arrive(&mut self, packet: Numbered) {
        self.story.arriving = Some(packet.id);
        self.expect_no_move(|queue, env| queue.enqueue(env, packet), |()| Deed::MovesTimerBusy);
        self.story.arriving = None;
    }

    fn depart(&mut self) {
        let empties = |next: &Next<Numbered>| match next {
            Next::Empty => Deed::MovesTimerIdle,
            Next::Send(_) | Next::NotBefore(_) => Deed::MovesTimerBusy,
        };
        if let Next::NotBefore(time) = self.expect_no_move(Discipline::dequeue, empties)
            && time > self.now
        {
            self.story.deeds.insert(Deed::LeavesOrder);
        }
    }

    fn advance(&mut self, span: Span) {
        let end = self.now + span;
        while let Some(due) = self.queue.next_timeout().filter(|&due| due < end) {
            self.now = self.now.max(due);
            self.operate(Discipline::on_timeout);
        }
        self.now = end;
    }
}

/// Random operations on a queue, the same for the same seed.
fn exercise(queue: AnyQueue, seed: u64, facts: &dyn Facts<Numbered>) -> Watched<'_> {
    let mut script = Rng::stream(seed, "script");
    let flows = [1, 3, 12][script.below(3) as usize];
    let mut watched = Watched { queue, facts, rng: Rng::stream(seed, "aqm"), now: Time::ZERO, story: Story::default() };
    let mut load = 0.5;
    for operation in 0..OPERATIONS {
        if script.chance(0.02) {
            load = [0.95, 0.7, 0.5, 0.1][script.below(4) as usize];
        }
        match script.below(100) {
            0 => {
                let link = any_link(&mut script);
                watched.operate(|queue, env| queue.on_link(env.now, &link));
            }
            1 => {
                let flow = script.below(flows) as u32;
                watched.expect_no_move(|queue, env| queue.forget_flow(env.now, flow), |()| Deed::MovesTimerBusy);
            }
            2..20 => {
                let pause = any_scale(&mut script, 34);
                let period =
                    watched.queue.next_timeout().map_or(pause, |due| due.since(watched.now).as_nanos().max(1000));
                watched.advance(Span::from_nanos(pause.min(period.saturating_mul(TIMEOUTS))));
            }
            _ if script.chance(load) => {
                let meta = any_packet_of(script.below(flows) as u32, &mut script, 1514);
                watched.arrive(Numbered { id: operation as u32, meta });
            }
            _ => watched.depart(),
        }
    }
    watched
}

/// The deeds of a queue in random operations; `make` builds it anew each time.
fn deeds(make: impl Fn() -> AnyQueue, seed: u64) -> BTreeSet<Deed> {
    let with = exercise(make(), seed, &Supplied);
    let without = exercise(make(), seed, &());
    let mut deeds = with.story.deeds;
    if with.story.log != without.story.log {
        deeds.insert(Deed::UsesRare);
    }
    deeds
}

/// Settings with classes, where the scheme has any; AQMs guard most of the classes. Half of these are BLUE, whose timer
/// moves on idle.
fn with_guarded_classes(
    scheme: &SchemeInfo,
    mut settings: Vec<(String, Value)>,
    rng: &mut Rng,
) -> Vec<(String, Value)> {
    let optional =
        scheme.params.iter().find(|info| matches!(info.kind, Kind::Classes) && info.default != Default::Required);
    if let Some(info) = optional.filter(|_| rng.chance(0.5)) {
        settings.retain(|(name, _)| name != info.name);
        settings.push((info.name.into(), Value::Classes(three_classes(scheme))));
    }
    let aqms: Vec<_> = schemes().iter().filter(|scheme| scheme.build_law.is_some()).collect();
    for (_, value) in &mut settings {
        let Value::Classes(classes) = value else { continue };
        for class in classes {
            let aqm = if rng.chance(0.5) { "blue" } else { aqms[rng.below(aqms.len() as u64) as usize].name };
            class.queue = rng.chance(0.8).then(|| (aqm.to_string(), vec![]));
        }
    }
    settings
}

/// Breaches of declarations in all rounds of a scheme, and what it declares without doing it in any.
fn faults(scheme: &'static SchemeInfo) -> Vec<String> {
    let (mut faults, mut ran, mut done) = (Vec::new(), 0, BTreeMap::new());
    for attempt in 0..ROUNDS * ATTEMPTS {
        let mut rng = Rng::stream(attempt, scheme.name);
        let settings = any_settings(scheme, scheme.params, &mut rng);
        let settings = if rng.chance(0.7) { with_guarded_classes(scheme, settings, &mut rng) } else { settings };
        let link = any_link(&mut rng);
        let make = || build::<Numbered, dyn Probe<_>>(scheme.name, &settings, &link, Time::ZERO);
        let Ok(queue) = make() else { continue };
        let (capabilities, is_fifo) = (queue.capabilities(), queue.is_fifo());
        let deeds = deeds(|| make().unwrap(), attempt);
        for deed in excluded(capabilities, is_fifo).intersection(&deeds) {
            faults.push(format!(
                "{}: {deed:?} in spite of {capabilities:?}, is_fifo {is_fifo}, {settings:?}",
                scheme.name
            ));
        }
        for (declaration, deed) in claimed(capabilities) {
            *done.entry((declaration, deed)).or_insert(false) |= deeds.contains(&deed);
        }
        ran += 1;
        if ran == ROUNDS {
            break;
        }
    }
    let never = done.into_iter().filter(|(_, seen)| !seen);
    faults.extend(never.map(|((declaration, deed), _)| format!("{}: {declaration}, but never {deed:?}", scheme.name)));
    faults.extend((ran == 0).then(|| format!("{} refused everything", scheme.name)));
    faults
}

#[test]
fn every_scheme_keeps_its_declaration() {
    let faults: Vec<String> = on_each(schemes(), faults).concat();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// An AQM that declares the least and does one thing more.
struct Undeclared {
    deed: Deed,
    timer: Option<Time>,
    declared: Capabilities,
}

impl Aqm for Undeclared {
    fn capabilities(&self) -> Capabilities {
        self.declared
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        match self.deed {
            Deed::JudgesArrival => Verdict::Mark(Cause::Early),
            Deed::UsesRare if packet.rare.is_some_and(|rare| rare.adu > 0) => Verdict::Drop(Cause::Early),
            Deed::MovesTimerBusy => {
                self.timer = Some(cx.now + Span::from_millis(1));
                Verdict::Pass
            }
            _ => Verdict::Pass,
        }
    }

    fn on_departure(&mut self, _cx: &mut Cx<'_>, _packet: &Departing) -> Verdict {
        if self.deed == Deed::JudgesQueued { Verdict::Mark(Cause::Sojourn) } else { Verdict::Pass }
    }

    fn on_idle(&mut self, now: Time) {
        if self.deed == Deed::MovesTimerIdle {
            self.timer = Some(now + Span::from_millis(1));
        }
    }

    fn next_timeout(&self) -> Option<Time> {
        self.timer
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.timer = (self.deed == Deed::HasTimer).then_some(cx.now + Span::from_millis(1));
    }
}

/// A queue that serves the packet queued last, says its `is_fifo`.
struct LastInFirstOut(Vec<Numbered>);

impl Discipline<Numbered> for LastInFirstOut {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    fn is_fifo(&self) -> bool {
        true
    }

    fn enqueue(&mut self, env: &mut Env<'_, Numbered>, packet: Numbered) {
        let Env { now, probe, .. } = env;
        probe.queued(&Report { now: *now, packet: &packet, enqueued: *now, packets: 0, bytes: 0 });
        self.0.push(packet);
    }

    fn dequeue(&mut self, env: &mut Env<'_, Numbered>) -> Next<Numbered> {
        let Some(packet) = self.0.pop() else { return Next::Empty };
        let Env { now, probe, .. } = env;
        probe.sent(&Report { now: *now, packet: &packet, enqueued: *now, packets: 0, bytes: 0 });
        Next::Send(packet)
    }

    fn backlog(&self) -> Backlog {
        Backlog { packets: self.0.len() as u32, bytes: 0, limit: Limit::Infinite, oldest: None }
    }

    fn reserve(&mut self, _packets: u32, _flows: u32) {}
}

/// The breaches that the suite finds in an AQM that declares `declared` and does this deed.
fn breaches(deed: Deed, declared: Capabilities) -> Vec<Deed> {
    let timer = (deed == Deed::HasTimer).then_some(Time::from_nanos(1_000_000));
    let make = || Box::new(Fifo::new(Undeclared { deed, timer, declared }, Limit::Packets(20))) as AnyQueue;
    excluded(declared, true).intersection(&deeds(make, 1)).copied().collect()
}

#[test]
fn an_aqm_that_does_what_it_does_not_declare_is_caught() {
    let rare = Capabilities::ARRIVALS.with_rare();
    let periodic = Capabilities::ARRIVALS.with_timer(TimerMoves::Periodic);
    let on_idle = Capabilities::ARRIVALS.with_timer(TimerMoves::OnIdle);
    let always = Capabilities::ARRIVALS.with_timer(TimerMoves::Always);
    assert_eq!(breaches(Deed::JudgesArrival, Capabilities::DEPARTURES), [Deed::JudgesArrival]);
    assert_eq!(breaches(Deed::JudgesQueued, Capabilities::ARRIVALS), [Deed::JudgesQueued]);
    assert_eq!(breaches(Deed::HasTimer, Capabilities::ARRIVALS), [Deed::HasTimer]);
    assert_eq!(breaches(Deed::MovesTimerIdle, periodic), [Deed::MovesTimerIdle]);
    assert_eq!(breaches(Deed::MovesTimerBusy, periodic), [Deed::MovesTimerBusy]);
    assert_eq!(breaches(Deed::MovesTimerBusy, on_idle), [Deed::MovesTimerBusy]);
    // Side information reaches an AQM only if it declares to read it: the queue sees to that.
    assert_eq!(breaches(Deed::UsesRare, Capabilities::ARRIVALS), []);
    // declared, all of it is permitted
    for (deed, declared) in [
        (Deed::JudgesArrival, Capabilities::ARRIVALS),
        (Deed::JudgesQueued, Capabilities::DEPARTURES),
        (Deed::HasTimer, periodic),
        (Deed::MovesTimerIdle, on_idle),
        (Deed::MovesTimerBusy, always),
        (Deed::UsesRare, rare),
    ] {
        assert_eq!(breaches(deed, declared), [], "{deed:?}");
    }
}

/// A discipline that asks for side information by itself.
struct Curious(Fifo<Numbered, Undeclared>);

impl Discipline<Numbered> for Curious {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    fn is_fifo(&self) -> bool {
        true
    }

    fn enqueue(&mut self, env: &mut Env<'_, Numbered>, packet: Numbered) {
        if env.facts.rare(&packet).adu == 0 {
            self.0.enqueue(env, packet);
        }
    }

    fn dequeue(&mut self, env: &mut Env<'_, Numbered>) -> Next<Numbered> {
        self.0.dequeue(env)
    }

    fn backlog(&self) -> Backlog {
        Discipline::<Numbered>::backlog(&self.0)
    }

    fn reserve(&mut self, _packets: u32, _flows: u32) {}
}

#[test]
fn a_discipline_that_leaves_its_order_or_reads_undeclared_facts_is_caught() {
    let caught = |make: &dyn Fn() -> AnyQueue| -> Vec<Deed> {
        excluded(Capabilities::ARRIVALS, true).intersection(&deeds(make, 1)).copied().collect()
    };
    assert_eq!(caught(&|| Box::new(LastInFirstOut(Vec::new()))), [Deed::LeavesOrder]);
    let quiet = || Undeclared { deed: Deed::LeavesOrder, timer: None, declared: Capabilities::ARRIVALS };
    assert_eq!(caught(&|| Box::new(Curious(Fifo::new(quiet(), Limit::Infinite)))), [Deed::UsesRare]);
}

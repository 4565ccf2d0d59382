//! Every scheme behaves as its declaration ([`Capabilities`] and `is_fifo`) says, for any settings, links and
//! operations, and it declares nothing that it never does.

mod violations;

use crate::rig::draw::{any_link, any_scale, any_settings};
use crate::rig::{ack_of, any_packet_of, three_classes};
use crate::rounds::on_each;
use penstock_aqm::{
    Aqm, Backlog, Capabilities, Cause, Cx, Departing, Discipline, Env, Facts, Fifo, Judges, Next, Probe, Report,
    SchemeInfo, SideInformation, TimerMoves, Verdict, build, schemes,
};
use penstock_core::param::{Default, Kind, Value};
use penstock_core::{Dscp, Limit, Packet, PacketMeta, PureAck, Rare, Rng, Span, Time};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const ROUNDS: u64 = 200;
const OPERATIONS: u64 = 400;
/// Attempts to draw settings per round: some schemes refuse most random combinations.
const ATTEMPTS: u64 = 30;
/// Timeouts in one pause: a timer may have a period of a microsecond.
const TIMEOUTS: u64 = 20;

/// A packet with a unique number. Only [`Supplied`] has its side information.
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

/// Supplies the facts of packets.
struct Supplied;

impl Facts<Numbered> for Supplied {
    fn rare(&self, packet: &Numbered) -> Rare {
        packet.meta.rare.unwrap()
    }
}

/// Supplies the facts of packets, and pure ACKs.
struct AcksSupplied;

impl Facts<Numbered> for AcksSupplied {
    fn rare(&self, packet: &Numbered) -> Rare {
        Supplied.rare(packet)
    }

    fn pure_ack(&self, packet: &Numbered) -> Option<PureAck> {
        ack_of(&packet.meta)
    }
}

/// Supplies only the hosts of packets.
struct HostsSupplied;

impl Facts<Numbered> for HostsSupplied {
    fn rare(&self, packet: &Numbered) -> Rare {
        let Rare { src, dst, .. } = packet.meta.rare.unwrap();
        Rare { src, dst, ..Rare::default() }
    }
}

/// The facts that are supplied during arrivals, and during all other operations.
#[derive(Clone, Copy)]
struct Supply<'a> {
    at_arrival: &'a dyn Facts<Numbered>,
    later: &'a dyn Facts<Numbered>,
}

type AnyQueue = Box<dyn Discipline<Numbered>>;

/// An action of a queue that a declaration can exclude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Action {
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
    /// It removes or sends a packet before one that was queued earlier, or holds a packet back.
    LeavesOrder,
    /// Its packets fare differently if it knows their hosts when they arrive.
    UsesHosts,
    /// Its packets fare differently if it knows their other facts, too, when they arrive.
    UsesOtherFacts,
    /// Its packets fare differently if it knows their facts at other times, too.
    UsesFactsLater,
    /// Its packets fare differently if it knows which are pure ACKs when they arrive.
    UsesAcks,
}

/// The actions that a declaration excludes.
fn excluded(capabilities: Capabilities, is_fifo: bool) -> BTreeSet<Action> {
    let Capabilities { judges, timer, side, reads_acks } = capabilities;
    let mut actions = match judges {
        Judges::Arrivals => vec![Action::JudgesQueued],
        Judges::Departures => vec![Action::JudgesArrival],
        Judges::Both => vec![],
    };
    actions.extend_from_slice(match timer {
        TimerMoves::Never => &[Action::HasTimer, Action::MovesTimerIdle, Action::MovesTimerBusy],
        TimerMoves::Periodic => &[Action::MovesTimerIdle, Action::MovesTimerBusy],
        TimerMoves::OnIdle => &[Action::MovesTimerBusy],
        TimerMoves::Always => &[],
    });
    match side {
        SideInformation::Unused => {
            actions.extend([Action::UsesHosts, Action::UsesOtherFacts, Action::UsesFactsLater]);
        }
        SideInformation::HostsAtArrival => actions.extend([Action::UsesOtherFacts, Action::UsesFactsLater]),
        SideInformation::AtArrival => actions.push(Action::UsesFactsLater),
        SideInformation::Always => {}
    }
    actions.extend((!reads_acks).then_some(Action::UsesAcks));
    actions.extend(is_fifo.then_some(Action::LeavesOrder));
    actions.into_iter().collect()
}

/// The actions that a scheme must show for each part of its declaration to be justified.
fn claimed(capabilities: Capabilities) -> Vec<(String, Action)> {
    let Capabilities { judges, timer, side, reads_acks } = capabilities;
    let judges = match judges {
        // nothing is required: drop-tail declares this and judges no packet
        Judges::Arrivals => vec![],
        Judges::Departures => vec![(format!("{judges:?}"), Action::JudgesQueued)],
        Judges::Both => {
            [Action::JudgesArrival, Action::JudgesQueued].map(|action| (format!("{judges:?}"), action)).to_vec()
        }
    };
    let timer = match timer {
        TimerMoves::Never => None,
        TimerMoves::Periodic => Some((format!("{timer:?}"), Action::HasTimer)),
        TimerMoves::OnIdle => Some((format!("{timer:?}"), Action::MovesTimerIdle)),
        TimerMoves::Always => Some((format!("{timer:?}"), Action::MovesTimerBusy)),
    };
    let side = match side {
        SideInformation::Unused => None,
        SideInformation::HostsAtArrival => Some((format!("{side:?}"), Action::UsesHosts)),
        SideInformation::AtArrival => Some((format!("{side:?}"), Action::UsesOtherFacts)),
        SideInformation::Always => Some((format!("{side:?}"), Action::UsesFactsLater)),
    };
    let acks = reads_acks.then(|| ("reads_acks".to_owned(), Action::UsesAcks));
    judges.into_iter().chain(timer).chain(side).chain(acks).collect()
}

/// The reports of a queue about its packets, and its observed actions.
#[derive(Default)]
struct Observations {
    log: Vec<(u64, u32, &'static str)>,
    actions: BTreeSet<Action>,
    waiting: VecDeque<u32>,
    /// The packet that arrives in this operation.
    arriving: Option<u32>,
}

impl Observations {
    fn note(&mut self, report: &Report<'_, Numbered>, fate: &'static str) {
        self.log.push((report.now.as_nanos(), report.packet.id, fate));
    }

    /// A packet leaves the queue; note whether it is out of order.
    fn remove(&mut self, id: u32) {
        if self.waiting.front() != Some(&id) {
            self.actions.insert(Action::LeavesOrder);
        }
        self.waiting.retain(|waiting| *waiting != id);
    }
}

impl Probe<Numbered> for Observations {
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
        self.actions.insert(if is_arriving { Action::JudgesArrival } else { Action::JudgesQueued });
        self.note(report, cause.name());
    }

    fn dropped(&mut self, report: &Report<'_, Numbered>, cause: Cause) {
        if cause.was_queued() {
            self.actions.insert(Action::JudgesQueued);
            if matches!(cause, Cause::Evicted | Cause::Filtered) {
                self.actions.insert(Action::LeavesOrder);
            }
            self.remove(report.packet.id);
        } else if cause != Cause::Overflow {
            self.actions.insert(Action::JudgesArrival);
        }
        self.note(report, cause.name());
    }
}

/// A queue under observation.
struct Watched<'a> {
    queue: AnyQueue,
    supply: Supply<'a>,
    rng: Rng,
    now: Time,
    observations: Observations,
}

impl Watched<'_> {
    fn operate<T>(&mut self, operation: impl FnOnce(&mut dyn Discipline<Numbered>, &mut Env<'_, Numbered>) -> T) -> T {
        let Self { queue, supply, rng, now, observations } = self;
        let facts = if observations.arriving.is_some() { supply.at_arrival } else { supply.later };
        let result = operation(queue.as_mut(), &mut Env { now: *now, rng, probe: observations, facts });
        if queue.next_timeout().is_some() {
            observations.actions.insert(Action::HasTimer);
        }
        result
    }

    /// An operation that must not move the timer; if it does, this action is noted.
    fn expect_no_move<T>(
        &mut self,
        operation: impl FnOnce(&mut dyn Discipline<Numbered>, &mut Env<'_, Numbered>) -> T,
        action: impl FnOnce(&T) -> Action,
    ) -> T {
        let before = self.queue.next_timeout();
        let result = self.operate(operation);
        if self.queue.next_timeout() != before {
            self.observations.actions.insert(action(&result));
        }
        result
    }

    fn arrive(&mut self, packet: Numbered) {
        self.observations.arriving = Some(packet.id);
        self.expect_no_move(|queue, env| queue.enqueue(env, packet), |()| Action::MovesTimerBusy);
        self.observations.arriving = None;
    }

    fn depart(&mut self) {
        let action = |is_empty: bool| if is_empty { Action::MovesTimerIdle } else { Action::MovesTimerBusy };
        let next = self.expect_no_move(Discipline::dequeue, |next| action(matches!(next, Next::Empty)));
        if matches!(next, Next::NotBefore(time) if time > self.now) {
            self.observations.actions.insert(Action::LeavesOrder);
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
fn exercise(queue: AnyQueue, seed: u64, supply: Supply<'_>) -> Watched<'_> {
    let mut script = Rng::stream(seed, "script");
    let flows = [1, 3, 12][script.below(3) as usize];
    let mut watched = Watched {
        queue,
        supply,
        rng: Rng::stream(seed, "aqm"),
        now: Time::ZERO,
        observations: Observations::default(),
    };
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
                watched.expect_no_move(|queue, env| queue.forget_flow(env.now, flow), |()| Action::MovesTimerBusy);
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

/// The actions of a queue in random operations; `make` builds a new queue each time.
fn observed_actions(make: impl Fn() -> AnyQueue, seed: u64) -> BTreeSet<Action> {
    let observed = |at_arrival, later| exercise(make(), seed, Supply { at_arrival, later }).observations;
    let none = observed(&(), &());
    let hosts = observed(&HostsSupplied, &());
    let arriving = observed(&Supplied, &());
    let all = observed(&Supplied, &Supplied);
    let acks = observed(&AcksSupplied, &());
    let mut actions = all.actions;
    for (less, more, action) in [
        (&none.log, &hosts.log, Action::UsesHosts),
        (&hosts.log, &arriving.log, Action::UsesOtherFacts),
        (&arriving.log, &all.log, Action::UsesFactsLater),
        (&arriving.log, &acks.log, Action::UsesAcks),
    ] {
        actions.extend((less != more).then_some(action));
    }
    actions
}

/// Settings with classes, if the scheme has any. Most classes have an AQM; half of the AQMs are BLUE, whose timer moves
/// on idle.
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
    let aqms: Vec<_> = schemes().iter().filter(|scheme| scheme.build_aqm.is_some()).collect();
    for (_, value) in &mut settings {
        let Value::Classes(classes) = value else { continue };
        for class in classes {
            let aqm = if rng.chance(0.5) { "blue" } else { aqms[rng.below(aqms.len() as u64) as usize].name };
            class.queue = rng.chance(0.8).then(|| (aqm.to_string(), vec![]));
        }
    }
    settings
}

/// Violations of a scheme's declaration in all rounds, and declared actions that occur in none.
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
        let actions = observed_actions(|| make().unwrap(), attempt);
        for action in excluded(capabilities, is_fifo).intersection(&actions) {
            faults.push(format!(
                "{}: {action:?} contradicts {capabilities:?}, is_fifo {is_fifo}, {settings:?}",
                scheme.name
            ));
        }
        for (declaration, action) in claimed(capabilities) {
            *done.entry((declaration, action)).or_insert(false) |= actions.contains(&action);
        }
        ran += 1;
        if ran == ROUNDS {
            break;
        }
    }
    let never = done.into_iter().filter(|(_, seen)| !seen);
    faults.extend(
        never.map(|((declaration, action), _)| format!("{}: {declaration}, but never {action:?}", scheme.name)),
    );
    faults.extend((ran == 0).then(|| format!("{} refused all settings", scheme.name)));
    faults
}

#[test]
fn every_scheme_keeps_its_declaration() {
    let faults: Vec<String> = on_each(schemes(), faults).concat();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

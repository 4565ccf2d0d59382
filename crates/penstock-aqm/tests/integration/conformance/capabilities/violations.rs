//! Queues that do what they do not declare: the suite must catch them.

use super::*;

/// An AQM that performs this action, whatever it declares.
struct Undeclared {
    action: Action,
    timer: Option<Time>,
    declared: Capabilities,
}

impl Aqm for Undeclared {
    fn capabilities(&self) -> Capabilities {
        self.declared
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        match self.action {
            Action::JudgesArrival => Verdict::Mark(Cause::Early),
            Action::UsesHosts if packet.rare.is_some_and(|rare| rare.src > 0) => Verdict::Drop(Cause::Early),
            Action::UsesOtherFacts if packet.rare.is_some_and(|rare| rare.adu > 0) => Verdict::Drop(Cause::Early),
            Action::MovesTimerBusy => {
                self.timer = Some(cx.now + Span::from_millis(1));
                Verdict::Pass
            }
            _ => Verdict::Pass,
        }
    }

    fn on_departure(&mut self, _cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        match self.action {
            Action::JudgesQueued => Verdict::Mark(Cause::Sojourn),
            Action::UsesFactsLater if packet.meta.rare.is_some_and(|rare| rare.adu > 0) => {
                Verdict::Drop(Cause::Sojourn)
            }
            _ => Verdict::Pass,
        }
    }

    fn on_idle(&mut self, now: Time) {
        if self.action == Action::MovesTimerIdle {
            self.timer = Some(now + Span::from_millis(1));
        }
    }

    fn next_timeout(&self) -> Option<Time> {
        self.timer
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.timer = (self.action == Action::HasTimer).then_some(cx.now + Span::from_millis(1));
    }
}

/// A last-in, first-out queue that claims to be first-in, first-out.
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

/// The violations that the suite finds in an AQM that declares `declared` and performs this action.
fn violations(action: Action, declared: Capabilities) -> Vec<Action> {
    let timer = (action == Action::HasTimer).then_some(Time::from_nanos(1_000_000));
    let make = || Box::new(Fifo::new(Undeclared { action, timer, declared }, Limit::Packets(20))) as AnyQueue;
    excluded(declared, true).intersection(&observed_actions(make, 1)).copied().collect()
}

#[test]
fn an_aqm_that_does_what_it_does_not_declare_is_caught() {
    let reads = |side| Capabilities { judges: Judges::Both, ..Capabilities::ARRIVALS.with_side(side) };
    let (hosts, at_arrival, always) =
        (reads(SideInformation::HostsAtArrival), reads(SideInformation::AtArrival), reads(SideInformation::Always));
    let periodic = Capabilities::ARRIVALS.with_timer(TimerMoves::Periodic);
    let on_idle = Capabilities::ARRIVALS.with_timer(TimerMoves::OnIdle);
    let any_time = Capabilities::ARRIVALS.with_timer(TimerMoves::Always);
    assert_eq!(violations(Action::JudgesArrival, Capabilities::DEPARTURES), [Action::JudgesArrival]);
    assert_eq!(violations(Action::JudgesQueued, Capabilities::ARRIVALS), [Action::JudgesQueued]);
    assert_eq!(violations(Action::HasTimer, Capabilities::ARRIVALS), [Action::HasTimer]);
    assert_eq!(violations(Action::MovesTimerIdle, periodic), [Action::MovesTimerIdle]);
    assert_eq!(violations(Action::MovesTimerBusy, periodic), [Action::MovesTimerBusy]);
    assert_eq!(violations(Action::MovesTimerBusy, on_idle), [Action::MovesTimerBusy]);
    assert_eq!(violations(Action::UsesOtherFacts, hosts), [Action::UsesOtherFacts]);
    // The queue passes side information only to an AQM that declares that it reads it, and when it does.
    assert_eq!(violations(Action::UsesHosts, Capabilities::ARRIVALS), []);
    assert_eq!(violations(Action::UsesFactsLater, at_arrival), []);
    // once declared, every action is permitted
    for (action, declared) in [
        (Action::JudgesArrival, Capabilities::ARRIVALS),
        (Action::JudgesQueued, Capabilities::DEPARTURES),
        (Action::HasTimer, periodic),
        (Action::MovesTimerIdle, on_idle),
        (Action::MovesTimerBusy, any_time),
        (Action::UsesHosts, hosts),
        (Action::UsesOtherFacts, at_arrival),
        (Action::UsesFactsLater, always),
    ] {
        assert_eq!(violations(action, declared), [], "{action:?}");
    }
}

/// A discipline that reads the facts of all packets when they arrive, and when they leave, and declares this.
struct Reader {
    queue: Fifo<Numbered, Undeclared>,
    declared: SideInformation,
    /// Whether it drops pure ACKs instead, and declares that it reads them.
    drops_acks: bool,
    reads_acks: bool,
}

impl Discipline<Numbered> for Reader {
    fn capabilities(&self) -> Capabilities {
        let reads = Capabilities::ARRIVALS.with_side(self.declared);
        Capabilities { judges: Judges::Both, reads_acks: self.reads_acks, ..reads }
    }

    fn is_fifo(&self) -> bool {
        true
    }

    fn enqueue(&mut self, env: &mut Env<'_, Numbered>, packet: Numbered) {
        if self.drops_acks {
            if env.facts.pure_ack(&packet).is_none() {
                self.queue.enqueue(env, packet);
            }
            return;
        }
        let Rare { dst, adu, .. } = env.facts.rare(&packet);
        if adu.is_multiple_of(2) && (dst == 0 || packet.id.is_multiple_of(2)) {
            self.queue.enqueue(env, packet);
        }
    }

    fn dequeue(&mut self, env: &mut Env<'_, Numbered>) -> Next<Numbered> {
        let next = self.queue.dequeue(env);
        match next {
            Next::Send(packet) if !self.drops_acks && env.facts.rare(&packet).adu > 20 => self.queue.dequeue(env),
            next => next,
        }
    }

    fn backlog(&self) -> Backlog {
        Discipline::<Numbered>::backlog(&self.queue)
    }

    fn reserve(&mut self, _packets: u32, _flows: u32) {}
}

#[test]
fn a_discipline_that_leaves_its_order_or_reads_undeclared_facts_is_caught() {
    let caught = |make: &dyn Fn() -> AnyQueue| -> Vec<Action> {
        let declared = make().capabilities();
        excluded(declared, true).intersection(&observed_actions(make, 1)).copied().collect()
    };
    assert_eq!(caught(&|| Box::new(LastInFirstOut(Vec::new()))), [Action::LeavesOrder]);
    let quiet = || Undeclared { action: Action::LeavesOrder, timer: None, declared: Capabilities::ARRIVALS };
    let queue = || Fifo::new(quiet(), Limit::Infinite);
    let reader =
        |declared| caught(&|| Box::new(Reader { queue: queue(), declared, drops_acks: false, reads_acks: false }));
    let filter = |reads_acks| {
        let declared = SideInformation::Unused;
        caught(&|| Box::new(Reader { queue: queue(), declared, drops_acks: true, reads_acks }))
    };
    let (other, later) = (Action::UsesOtherFacts, Action::UsesFactsLater);
    assert_eq!(reader(SideInformation::Unused), [Action::UsesHosts, other, later]);
    assert_eq!(reader(SideInformation::HostsAtArrival), [other, later]);
    assert_eq!(reader(SideInformation::AtArrival), [later]);
    assert_eq!(reader(SideInformation::Always), []);
    assert_eq!(filter(false), [Action::UsesAcks]);
    assert_eq!(filter(true), []);
}

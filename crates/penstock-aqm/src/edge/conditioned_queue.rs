//! A queue with conditioners in front of it.
//!
//! Each packet passes through the stages in order; packets that leave the last stage are offered to the queue. A
//! conditioner acts at once; a shaper holds packets and releases them at its own times. The queue and its AQM see only
//! packets that passed all stages, and reported backlogs count the queue alone. A packet dropped by a stage is reported
//! with [`Cause::Policed`] and does not count as an arrival at the queue.
//!
//! The conditioners draw from a random stream of their own, so that the AQM's draws are the same with and without them.
//! The timer of the whole is the earliest of the timers of the queue and the shapers. With a shaper, every operation
//! moves it ([`TimerMoves::Always`]).

use crate::aqm::{Backlog, Cause, Cx, LinkInfo};
use crate::capabilities::{Capabilities, SideInformation, TimerMoves};
use crate::discipline::{Discipline, Env, Next, Probe, Report};
use crate::edge::{Action, Conditioner};
use alloc::boxed::Box;
use alloc::vec::Vec;
use penstock_core::{Packet, Rng, Time};

/// One of the stages before a queue.
pub enum Stage<P> {
    /// Acts on each packet at once.
    Conditioner(Box<dyn Conditioner>),
    /// Holds packets: a shaper.
    Shaper(Box<dyn Discipline<P, Shed<P>>>),
}

/// A queue with conditioners in front of it.
pub struct Conditioned<P, W: ?Sized = dyn Probe<P>> {
    stages: Vec<Holding<P>>,
    queue: Box<dyn Discipline<P, W>>,
    rng: Rng,
    /// Empty between two operations.
    shed: Shed<P>,
}

struct Holding<P> {
    stage: Stage<P>,
    /// When a shaper releases its next packet; `None` if it holds none.
    due: Option<Time>,
}

impl<P: Packet + Clone + Send, W: Probe<P> + ?Sized + 'static> Conditioned<P, W> {
    /// `queue` with these stages in front of it, which draw from `rng`.
    pub fn new(stages: Vec<Stage<P>>, queue: Box<dyn Discipline<P, W>>, rng: Rng) -> Self {
        let stages = stages.into_iter().map(|stage| Holding { stage, due: None }).collect();
        Self { stages, queue, rng, shed: Shed(Vec::new()) }
    }

    fn shapers(&mut self) -> impl Iterator<Item = &mut Box<dyn Discipline<P, Shed<P>>>> {
        self.stages.iter_mut().filter_map(|holding| match &mut holding.stage {
            Stage::Shaper(shaper) => Some(shaper),
            Stage::Conditioner(_) => None,
        })
    }

    /// When a shaper releases its next packet.
    fn due(&self) -> Option<Time> {
        self.stages.iter().filter_map(|holding| holding.due).min()
    }

    /// A packet arrives at the stage with this number, or at the queue behind the last stage.
    fn advance(&mut self, env: &mut Env<'_, P, W>, from: usize, mut packet: P) {
        for at in from..self.stages.len() {
            match &mut self.stages[at].stage {
                Stage::Conditioner(conditioner) => {
                    let queue = self.queue.backlog();
                    let mut meta = packet.meta();
                    if conditioner.side_information() != SideInformation::Unused {
                        meta.rare = Some(env.facts.rare(&packet));
                    }
                    let mut cx = Cx { now: env.now, queue, link_bytes: queue.bytes, rng: &mut self.rng };
                    match conditioner.on_packet(&mut cx, &meta) {
                        Action::Pass => {}
                        Action::Remark(dscp) => packet.remark(dscp),
                        Action::Drop => return policed(env, &packet, &queue),
                    }
                }
                Stage::Shaper(shaper) => {
                    let Env { now, facts, .. } = *env;
                    shaper.enqueue(&mut Env { now, rng: &mut self.rng, probe: &mut self.shed, facts }, packet);
                    return self.release(env, at);
                }
            }
        }
        self.queue.enqueue(env, packet);
    }

    /// Release all packets of the shaper with this number that may leave.
    fn release(&mut self, env: &mut Env<'_, P, W>, at: usize) {
        loop {
            let Holding { stage: Stage::Shaper(shaper), due } = &mut self.stages[at] else { return };
            let Env { now, facts, .. } = *env;
            let next = shaper.dequeue(&mut Env { now, rng: &mut self.rng, probe: &mut self.shed, facts });
            for packet in self.shed.0.drain(..) {
                policed(env, &packet, &self.queue.backlog());
            }
            match next {
                Next::Send(packet) => self.advance(env, at + 1, packet),
                Next::Empty => {
                    *due = None;
                    return;
                }
                Next::NotBefore(time) => {
                    *due = Some(time);
                    return;
                }
            }
        }
    }

    /// Release all packets whose time has come; the last stages first, as their packets arrived earlier.
    fn release_due(&mut self, env: &mut Env<'_, P, W>) {
        for at in (0..self.stages.len()).rev() {
            if self.stages[at].due.is_some_and(|due| due <= env.now) {
                self.release(env, at);
            }
        }
    }
}

impl<P: Packet + Clone + Send, W: Probe<P> + ?Sized + 'static> Discipline<P, W> for Conditioned<P, W> {
    fn capabilities(&self) -> Capabilities {
        let stages = self.stages.iter().map(|holding| match &holding.stage {
            Stage::Conditioner(conditioner) => {
                Capabilities { side: conditioner.side_information(), ..Capabilities::ARRIVALS }
            }
            Stage::Shaper(shaper) => shaper.capabilities().with_timer(TimerMoves::Always),
        });
        let all = stages.fold(self.queue.capabilities(), Capabilities::union);
        // a packet arrives behind a shaper when the shaper releases it
        let is_shaped = self.stages.iter().any(|holding| matches!(holding.stage, Stage::Shaper(_)));
        if is_shaped && all.reads_rare_at_arrival() { all.with_side(SideInformation::Always) } else { all }
    }

    fn is_fifo(&self) -> bool {
        self.queue.is_fifo() && self.stages.iter().all(|holding| matches!(holding.stage, Stage::Conditioner(_)))
    }

    fn enqueue(&mut self, env: &mut Env<'_, P, W>, packet: P) {
        self.release_due(env);
        self.advance(env, 0, packet);
    }

    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P> {
        self.release_due(env);
        let held = self.due();
        match self.queue.dequeue(env) {
            Next::Empty => held.map_or(Next::Empty, Next::NotBefore),
            Next::NotBefore(time) => Next::NotBefore(held.map_or(time, |held| held.min(time))),
            sent @ Next::Send(_) => sent,
        }
    }

    /// The packets waiting in the queue and in the shapers before it.
    fn backlog(&self) -> Backlog {
        let mut all = self.queue.backlog();
        for holding in &self.stages {
            if let Stage::Shaper(shaper) = &holding.stage {
                let held = shaper.backlog();
                all.packets += held.packets;
                all.bytes += held.bytes;
                all.oldest = all.oldest.into_iter().chain(held.oldest).min();
            }
        }
        all
    }

    fn reported_backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.queue.on_link(now, link);
    }

    fn forget_flow(&mut self, now: Time, flow: u32) {
        self.queue.forget_flow(now, flow);
        self.shapers().for_each(|shaper| shaper.forget_flow(now, flow));
    }

    fn reserve(&mut self, packets: u32, flows: u32) {
        self.queue.reserve(packets, flows);
        self.shapers().for_each(|shaper| shaper.reserve(packets, flows));
        self.shed.0.reserve(1);
    }

    fn next_timeout(&self) -> Option<Time> {
        [self.queue.next_timeout(), self.due()].into_iter().flatten().min()
    }

    fn on_timeout(&mut self, env: &mut Env<'_, P, W>) {
        self.release_due(env);
        if self.queue.next_timeout().is_some_and(|time| time <= env.now) {
            self.queue.on_timeout(env);
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.queue.gauges(show);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.queue.drop_function(average)
    }
}

/// Reports that a stage dropped the packet, with the backlog of the queue behind.
fn policed<P>(env: &mut Env<'_, P, impl Probe<P> + ?Sized>, packet: &P, queue: &Backlog) {
    let report = Report { now: env.now, packet, enqueued: env.now, packets: queue.packets, bytes: queue.bytes };
    env.probe.dropped(&report, Cause::Policed);
}

/// The probe of a shaper: collects the packets that it drops, and ignores its other reports.
pub struct Shed<P>(Vec<P>);

impl<P: Clone> Probe<P> for Shed<P> {
    fn queued(&mut self, _report: &Report<'_, P>) {}
    fn sent(&mut self, _report: &Report<'_, P>) {}
    fn marked(&mut self, _report: &Report<'_, P>, _cause: Cause) {}
    fn dropped(&mut self, report: &Report<'_, P>, _cause: Cause) {
        self.0.push(report.packet.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::build_stage;
    use crate::rig::thesis_link;
    use penstock_core::param::Value;
    use penstock_core::{Dscp, Ecn, Limit, PacketMeta};

    /// The reports, and the codepoints of the departed packets.
    #[derive(Default)]
    struct Told {
        queued: Vec<u32>,
        policed: Vec<u32>,
        overflowed: Vec<u32>,
        backlogs: Vec<u32>,
    }

    impl Probe<PacketMeta> for Told {
        fn queued(&mut self, report: &Report<'_, PacketMeta>) {
            self.queued.push(report.packet.flow);
            self.backlogs.push(report.packets);
        }
        fn sent(&mut self, _report: &Report<'_, PacketMeta>) {}
        fn marked(&mut self, _report: &Report<'_, PacketMeta>, _cause: Cause) {}
        fn dropped(&mut self, report: &Report<'_, PacketMeta>, cause: Cause) {
            let list = if cause == Cause::Policed { &mut self.policed } else { &mut self.overflowed };
            list.push(report.packet.flow);
        }
    }

    struct Bench {
        conditioned: Conditioned<PacketMeta>,
        rng: Rng,
        told: Told,
    }

    fn settings(settings: &[(&str, Value)]) -> Vec<(alloc::string::String, Value)> {
        settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect()
    }

    /// A kind of stage, its settings and its limit.
    type StageAs<'a> = (&'a str, &'a [(&'a str, Value)], Limit);

    /// A drop-tail queue of 35 packets behind these stages.
    fn bench(stages: &[StageAs<'_>]) -> Bench {
        let link = thesis_link();
        let stage = |(kind, given, limit): &StageAs<'_>| {
            build_stage(kind, &settings(given), *limit, &link, Time::ZERO).unwrap()
        };
        let queue = crate::build("droptail", &[], &link, Time::ZERO).unwrap();
        let conditioned = Conditioned::new(stages.iter().map(stage).collect(), queue, Rng::stream(1, "link.edge"));
        Bench { conditioned, rng: Rng::stream(1, "link.aqm"), told: Told::default() }
    }

    impl Bench {
        fn operate<T>(
            &mut self,
            millis: u64,
            f: impl FnOnce(&mut Conditioned<PacketMeta>, &mut Env<'_, PacketMeta>) -> T,
        ) -> T {
            let now = Time::from_nanos(millis * 1_000_000);
            f(&mut self.conditioned, &mut Env { now, rng: &mut self.rng, probe: &mut self.told, facts: &() })
        }

        /// A packet of 1000 bytes with its number.
        fn arrive(&mut self, millis: u64, number: u32) {
            let packet = PacketMeta { flow: number, size: 1_000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None };
            self.operate(millis, |conditioned, env| conditioned.enqueue(env, packet));
        }

        fn serve(&mut self, millis: u64) -> Next<PacketMeta> {
            self.operate(millis, Discipline::dequeue)
        }
    }

    fn sent(next: Next<PacketMeta>) -> (u32, &'static str) {
        let Next::Send(packet) = next else { panic!("{next:?}") };
        (packet.flow, Dscp::new(packet.dscp).unwrap().name().unwrap())
    }

    const RATE: (&str, Value) = ("rate", Value::Number(80_000.0));
    const BURST: (&str, Value) = ("burst", Value::Bytes(1_000.0));

    #[test]
    fn packets_go_through_the_stages_in_their_order() {
        let mut bench = bench(&[
            ("token-bucket", &[RATE, BURST], Limit::Infinite),
            ("policer", &[RATE, ("burst", Value::Bytes(2_000.0))], Limit::Infinite),
        ]);
        (0..3).for_each(|number| bench.arrive(0, number));
        assert_eq!((&bench.told.queued[..], &bench.told.policed[..]), (&[0, 1][..], &[2][..]));
        assert_eq!([bench.serve(0), bench.serve(1)].map(sent), [(0, "AF11"), (1, "AF12")]);
        assert_eq!(bench.serve(2), Next::Empty);
    }

    #[test]
    fn a_shaper_lets_packets_go_on_at_its_times_and_the_queue_sees_only_those() {
        // 1000 bytes each 100 ms
        let mut bench = bench(&[("shaper", &[RATE], Limit::Packets(2))]);
        assert_eq!(bench.conditioned.capabilities().timer, TimerMoves::Always);
        (0..4).for_each(|number| bench.arrive(0, number));
        assert_eq!((&bench.told.queued[..], &bench.told.policed[..]), (&[0][..], &[3][..]));
        assert_eq!(bench.conditioned.backlog().packets, 3);
        assert_eq!(bench.conditioned.next_timeout(), Some(Time::from_nanos(100_000_000)));
        assert_eq!(sent(bench.serve(0)).0, 0);
        assert_eq!(bench.serve(5), Next::NotBefore(Time::from_nanos(100_000_000)));
        bench.operate(100, Discipline::on_timeout);
        assert_eq!((&bench.told.queued[..], &bench.told.backlogs[..]), (&[0, 1][..], &[1, 1][..]));
        assert_eq!(sent(bench.serve(150)).0, 1);
        assert_eq!(sent(bench.serve(200)).0, 2);
        assert_eq!((bench.serve(250), bench.conditioned.next_timeout()), (Next::Empty, None));
        assert!(bench.told.overflowed.is_empty());
    }

    #[test]
    fn stages_add_their_capabilities_to_those_of_the_queue() {
        let declared = |stages: &[StageAs<'_>]| {
            let conditioned = bench(stages).conditioned;
            (conditioned.capabilities(), conditioned.is_fifo())
        };
        let meter: StageAs<'_> = ("token-bucket", &[RATE, BURST], Limit::Infinite);
        let shaper: StageAs<'_> = ("shaper", &[RATE], Limit::Infinite);
        assert_eq!(declared(&[meter]), (Capabilities::ARRIVALS, true));
        assert_eq!(declared(&[meter, shaper]), (Capabilities::ARRIVALS.with_timer(TimerMoves::Always), false));
    }

    #[test]
    fn what_a_shaper_held_goes_through_the_stages_behind_it() {
        let shaper: StageAs<'_> = ("shaper", &[RATE], Limit::Infinite);
        let meter: StageAs<'_> = ("token-bucket", &[RATE, BURST], Limit::Infinite);
        let marks = |stages: [StageAs<'_>; 2]| {
            let mut bench = bench(&stages);
            (0..3).for_each(|number| bench.arrive(0, number));
            [0, 100, 200].map(|at| sent(bench.serve(at)).1)
        };
        // shaped to the rate of the meter, all is in profile
        assert_eq!(marks([shaper, meter]), ["AF11"; 3]);
        assert_eq!(marks([meter, shaper]), ["AF11", "AF12", "AF12"]);
    }
}

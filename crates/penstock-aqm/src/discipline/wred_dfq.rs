//! WRED with drop-from-queue (pushout).
//! U. Bodin, O. Schelen, "Drop Strategies and Loss-rate Differentiation", 2001; section numbers refer to it.
//!
//! # Algorithm
//! WRED decides when a packet of a level is dropped; that packet need not be the arriving packet (section 2.2). At the
//! arrival of a packet of level l:
//!
//! * the average is updated; then WRED's test is made for each level from the last down to l. Each test counts the
//!   arrival and draws a random number as in WRED;
//! * if the test of a level requires a drop, one packet of that level, chosen by `victim`, is dropped. If there is
//!   none, nothing is dropped and the count continues: the queue waits for a packet of that level, as when only
//!   arrivals are dropped;
//! * if there is then no room for the packet, packets of higher levels are pushed out, the last level first; if there
//!   are none, the arriving packet is dropped.
//!
//! The guards of WRED apply to the queue that the packet finds, before any removal. When a packet is pushed out or
//! refused for lack of room, the count of its own level is reset to 0. Packets to be pushed out are also chosen by
//! `victim`. With "random", the packet that a random number selects depends on the storage and is not part of the AQM.
//!
//! The packet in transmission has left the queue and cannot be removed. A removal shortens the queue immediately.
//!
//! # Victim
//! A packet of the level that WRED drops, chosen by `victim`; when an arrival finds no room, a packet of the highest
//! level, if this is above the level of the arrival.
//!
//! # Parameters
//! The parameters of WRED except `ecn`, and `victim` and `debt`. `victim` selects the packet of the level: "last" is
//! the arriving packet if it is of that level, else the last waiting packet (as in the paper's measurements); "first"
//! is the first waiting packet; "random" is any of them, the arriving packet included, with equal probability. A random
//! victim draws one number if there is a choice. With `debt`, a drop without a victim is remembered: the count
//! restarts, and each later arrival drops one more packet of that level if there is one.
//!
//! # Differences
//! * The paper has two levels; the order from the last level down generalizes it to eight.
//! * With "first" and "random" the arriving packet is the last of the candidates, so it is dropped itself if no other
//!   packet of its level waits.
//! * The paper has no `debt`.
//! * Every victim is found in O(1) time; the paper does not specify a method.

use super::level_queue::{LevelQueue, Place};
use super::packet_slab::Taken;
use super::{Discipline, Env, Next, Probe};
use crate::algorithm::wred::{Wred, WredParams};
use crate::aqm::{Aqm, Backlog, Cause, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, Judges};
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use penstock_core::param::{
    Default, ParamErrors, ParamInfo, Settings, Value, inherit, inherited_len, read_with, without,
};
use penstock_core::{Limit, Packet, PacketMeta, Rng, Time};

penstock_core::choice! {
    /// Which packet of a level is dropped.
    pub enum Victim {
        /// The arriving packet if it is of the level, else the last waiting packet of the level.
        Last = "last",
        /// A random packet of the level.
        Random = "random",
        /// The first waiting packet of the level.
        First = "first",
    }
}

penstock_core::params! {
    /// The parameters that drop-from-queue adds to those of WRED.
    pub struct WredDfqParams {
        /// Which packet of a level is dropped.
        victim: Victim = Default::Text("last");
        /// Remember drops that found no packet of their level, and make up for them later.
        debt: bool = Default::Flag(false);
    }
}

/// WRED's parameters without `ecn`.
const WRED: [ParamInfo; WredParams::INFO.len() - 1] = without(WredParams::INFO, "ecn");

const PARAMS: [ParamInfo; inherited_len(WredDfqParams::INFO, &WRED)] = inherit(WredDfqParams::INFO, &WRED, &[]);

/// WRED with drop-from-queue, in the registry.
pub(crate) struct WredDfq;

/// A queue from whose middle WRED drops packets.
struct Pushout<P> {
    levels: LevelQueue<P>,
    limit: Limit,
    aqm: Wred,
    victim: Victim,
    /// Outstanding drops of each level; `None` without `debt`.
    owed: Option<Vec<u32>>,
}

/// The packet that a drop removes: the arriving packet, a waiting packet, or none.
enum Hit {
    Arriving,
    Waiting(Place),
    Nobody,
}

impl<P: Packet> Pushout<P> {
    fn queue(&self) -> Backlog {
        self.levels.backlog(self.limit)
    }

    fn admits(&self, size: u32) -> bool {
        self.levels.packets.has_room(self.limit, size)
    }

    /// Section 2.2: the tests of all levels that may be dropped for a packet of level `own`. Returns the cause if the
    /// arriving packet itself is dropped.
    fn judge(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, own: usize) -> Option<Cause> {
        let q = self.aqm.length(&self.queue());
        self.aqm.update_average(env.now, q);
        for level in (own..self.aqm.levels()).rev() {
            let before = self.aqm.spacer(level);
            let hit = match self.aqm.judge(level, q, env.rng) {
                Verdict::Pass => None,
                Verdict::Drop(cause) | Verdict::Mark(cause) => Some(cause),
            };
            let owed = self.owed.as_ref().is_some_and(|owed| owed[level] > 0);
            let Some(cause) = hit.or(owed.then_some(Cause::Early)) else { continue };
            let met = self.hit(level, level == own, env.rng);
            if let Some(owed) = &mut self.owed {
                match (hit, &met) {
                    (Some(_), Hit::Nobody) => owed[level] = owed[level].saturating_add(1),
                    (None, Hit::Arriving | Hit::Waiting(_)) => owed[level] -= 1,
                    _ => {}
                }
            }
            match met {
                Hit::Arriving => return Some(cause),
                Hit::Waiting(place) => self.push_out(env, level, place),
                Hit::Nobody if self.owed.is_some() => {}
                Hit::Nobody => self.aqm.resume_count(level, &before),
            }
        }
        None
    }

    /// The victim of a drop at `level`; the arriving packet is a candidate if this `is_own` level.
    fn hit(&self, level: usize, is_own: bool, rng: &mut Rng) -> Hit {
        let waiting = self.levels.of_level(level);
        let candidates = waiting + u32::from(is_own);
        match self.victim {
            _ if candidates == 0 => Hit::Nobody,
            Victim::Last if is_own => Hit::Arriving,
            Victim::Last => Hit::Waiting(Place::Last),
            Victim::First if waiting > 0 => Hit::Waiting(Place::First),
            Victim::First => Hit::Arriving,
            Victim::Random => {
                let number = if candidates > 1 { rng.below(u64::from(candidates)) as u32 } else { 0 };
                if number < waiting { Hit::Waiting(Place::Number(number)) } else { Hit::Arriving }
            }
        }
    }

    /// Push out packets of levels above `own` until there is room.
    fn make_room(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, own: usize, size: u32) {
        // not even an empty queue would have room
        if !self.limit.admits(0, 0, size) {
            return;
        }
        for level in (own + 1..self.aqm.levels()).rev() {
            while !self.admits(size) {
                let Hit::Waiting(place) = self.hit(level, false, env.rng) else { break };
                self.aqm.restart_count(level);
                self.push_out(env, level, place);
            }
        }
    }

    fn push_out(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, level: usize, place: Place) {
        if let Some(Taken { packet, enqueued }) = self.levels.take(level, place) {
            self.levels.packets.total().evict(env, &packet, enqueued);
        }
    }

    /// Update the AQM for a packet that found no room.
    fn overflow(&mut self, env: &mut Env<'_, P, impl Probe<P> + ?Sized>, meta: &PacketMeta) {
        self.aqm.on_overflow(&mut env.cx(self.queue(), self.levels.packets.total().bytes), meta);
    }
}

impl<P: Packet + Send, W: Probe<P> + ?Sized> Discipline<P, W> for Pushout<P> {
    fn capabilities(&self) -> Capabilities {
        Capabilities { judges: Judges::Both, ..self.aqm.capabilities() }
    }

    fn is_fifo(&self) -> bool {
        false
    }

    fn enqueue(&mut self, env: &mut Env<'_, P, W>, packet: P) {
        let meta = packet.meta();
        let own = self.aqm.level(&meta);
        if let Some(cause) = self.judge(env, own) {
            return self.levels.packets.total().refuse(env, &packet, cause);
        }
        self.make_room(env, own, meta.size);
        if !self.admits(meta.size) {
            self.overflow(env, &meta);
            return self.levels.packets.total().refuse(env, &packet, Cause::Overflow);
        }
        let slot = self.levels.push_back(own, env.now, packet);
        self.levels.packets.report_queued(env, slot);
    }

    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P> {
        let Some(Taken { packet, enqueued }) = self.levels.pop_front() else {
            self.aqm.on_idle(env.now);
            return Next::Empty;
        };
        self.levels.packets.total().send(env, &packet, enqueued);
        Next::Send(packet)
    }

    fn backlog(&self) -> Backlog {
        self.queue()
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.limit = link.limit;
        self.aqm.on_link(now, link);
    }

    fn reserve(&mut self, packets: u32, _flows: u32) {
        self.levels.reserve(packets);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.aqm.gauges(show);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.aqm.drop_function(average)
    }
}

impl Scheme for WredDfq {
    const INFO: SchemeInfo = SchemeInfo {
        name: "wred-dfq",
        aliases: &["dfq"],
        family: "classes",
        title: "WRED with drop-from-queue",
        source: "U. Bodin, O. Schelen, Drop Strategies and Loss-rate Differentiation, 2001",
        doc: module_doc!("wred_dfq.rs"),
        ecn: false,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time for each level, O(packets) memory",
        build_aqm: None,
        picture: Picture::DropFunction,
        good: "Drops an out-of-profile packet when the drop is due, not when the next such packet arrives: less oscillation.",
        bad: "Packets must be taken from the middle of the queue; with gentle ramps it loses more than a WRED that \
              drops arrivals only.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let (params, wred) = read_with(settings, &PARAMS, |reader| {
            // a queued packet is removed, not marked
            reader.derive("ecn", Value::Flag(false));
            reader.params::<(WredDfqParams, WredParams)>()
        })?;
        let aqm = Wred::new(&wred, link)?;
        let levels = LevelQueue::new(aqm.levels());
        let WredDfqParams { victim, debt } = params;
        let owed = debt.then(|| vec![0; aqm.levels()]);
        Ok(Box::new(Pushout { levels, limit: link.limit, aqm, victim, owed }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, assert_fits, thesis_link};
    use penstock_core::{Ecn, Span};

    const IN: u8 = 10;
    const OUT: u8 = 12;

    /// Level 0 is never dropped, level 1 as in section 2.2 or between other thresholds; the average is the queue.
    fn rig(limit: Limit, victim: &str) -> Rig {
        between([15.0, 45.0], limit, victim)
    }

    fn between(thresholds: [f64; 2], limit: Limit, victim: &str) -> Rig {
        rig_with(thresholds, limit, victim, false)
    }

    fn rig_with([min_th, max_th]: [f64; 2], limit: Limit, victim: &str, debt: bool) -> Rig {
        let numbers = |list: &[f64]| Value::Numbers(list.into());
        let settings = [
            ("min_th".into(), numbers(&[1e6, min_th])),
            ("max_th".into(), numbers(&[2e6, max_th])),
            ("w_q".into(), Value::Number(1.0)),
            ("victim".into(), Value::Text(victim.into())),
            ("debt".into(), Value::Flag(debt)),
        ];
        Rig::on(&LinkInfo { limit, ..thesis_link() }, "wred-dfq", &settings, 1).unwrap()
    }

    /// The flow number identifies the packet.
    fn send(rig: &mut Rig, dscp: u8, flow: u32) {
        rig.arrive_packet(PacketMeta { flow, size: 1000, ecn: Ecn::Not, dscp, protocol: 6, rare: None });
    }

    /// 5 out-profile packets, flows 0 to 4, and `n` in-profile packets behind them.
    fn five_out_and(n: u32, victim: &str) -> Rig {
        let mut rig = rig(Limit::Infinite, victim);
        (0..5).for_each(|flow| send(&mut rig, OUT, flow));
        (0..n).for_each(|flow| send(&mut rig, IN, 100 + flow));
        rig
    }

    #[test]
    fn an_in_arrival_drops_an_out_packet_with_the_papers_probability() {
        // 0.1 (30 - 15) / 30 = 1/20 at 30 packets, at every arrival, spaced by "wait": gaps uniform on 20 .. 39
        let mut rig = five_out_and(10, "last");
        let (mut gaps, mut gap) = (Vec::new(), 0);
        while gaps.len() < 3_001 {
            while rig.waiting() > 30 {
                rig.depart();
            }
            // out-profile packets are never lacking: every other arrival is one
            let found = rig.waiting();
            let lost = rig.counts.evicted + rig.counts.dropped_on_arrival;
            send(&mut rig, if gap % 2 == 0 { IN } else { OUT }, 0);
            gap += u32::from(found == 30);
            if rig.counts.evicted + rig.counts.dropped_on_arrival > lost {
                gaps.push(gap);
                gap = 0;
            }
        }
        assert_fits(&gaps[1..], 20..=39, |_| 1.0 / 20.0);
        assert!(rig.counts.evicted > 500 && rig.counts.dropped_on_arrival > 500);
    }

    #[test]
    fn above_max_th_every_arrival_removes_an_out_packet_while_there_is_one() {
        let mut rig = five_out_and(40, "last");
        let before = rig.counts.evicted;
        assert_eq!(rig.waiting(), 45 - before as u32);
        // up to 45 waiting packets first: then each in-profile arrival replaces an out-profile packet
        let mut flow = 200;
        while rig.waiting() < 45 {
            send(&mut rig, IN, flow);
            flow += 1;
        }
        let left = 5 - rig.counts.evicted;
        (0..20).for_each(|flow| send(&mut rig, IN, 300 + flow));
        assert_eq!((rig.counts.evicted, rig.counts.dropped_on_arrival), (5, 0));
        assert_eq!(rig.waiting(), 45 + 20 - left as u32);
        // an out-profile arrival is dropped itself
        send(&mut rig, OUT, 400);
        assert_eq!((rig.counts.evicted, rig.counts.dropped_on_arrival), (5, 1));
    }

    #[test]
    fn a_drop_that_finds_nobody_comes_with_the_next_out_packet() {
        // in-profile packets alone: there is no packet to drop, and the count is far beyond 2 / p_b
        let mut rig = rig(Limit::Infinite, "last");
        (0..30).for_each(|flow| send(&mut rig, IN, flow));
        for flow in 0..100 {
            send(&mut rig, IN, flow);
            rig.depart();
        }
        assert_eq!((rig.counts.evicted, rig.counts.dropped_on_arrival), (0, 0));
        send(&mut rig, OUT, 0);
        assert_eq!(rig.counts.dropped_on_arrival, 1);
        // one drop without a debt: the next arrival passes
        send(&mut rig, OUT, 1);
        assert_eq!(rig.counts.dropped_on_arrival, 1);
    }

    #[test]
    fn with_debt_every_drop_that_found_nobody_is_made_up_for() {
        // level 1 is at max_th from 2 packets on: each in-profile arrival requires a drop, for which there is no packet
        let mut rig = rig_with([1.5, 2.0], Limit::Infinite, "last", true);
        (0..7).for_each(|flow| send(&mut rig, IN, flow));
        // arrivals found 0 to 6 packets, so five of them required a drop; now no packet waits, and five more are
        // dropped all the same
        while rig.depart() {}
        (0..8).for_each(|flow| send(&mut rig, OUT, flow));
        // five drops are repaid; the next two packets find 0 and 1, the last finds 2
        assert_eq!((rig.counts.dropped_on_arrival, rig.waiting()), (6, 2));
    }

    #[test]
    fn the_victim_is_the_last_or_the_first_of_its_level() {
        for (victim, left) in [("last", [0, 1, 2, 3, 100]), ("first", [1, 2, 3, 4, 100])] {
            let mut rig = rig(Limit::Packets(6), victim);
            (0..5).for_each(|flow| send(&mut rig, OUT, flow));
            // the sixth fills the queue, the seventh pushes an out-profile packet out
            (100..102).for_each(|flow| send(&mut rig, IN, flow));
            assert_eq!((rig.counts.evicted, rig.counts.dropped_on_arrival), (1, 0));
            assert_eq!(rig.order()[..5], left);
        }
    }

    #[test]
    fn a_random_victim_is_any_of_its_level_as_likely() {
        let mut rig = rig(Limit::Packets(6), "random");
        let mut gone = Vec::new();
        for _ in 0..5_000 {
            (0..5).for_each(|flow| send(&mut rig, OUT, flow));
            (100..102).for_each(|flow| send(&mut rig, IN, flow));
            let left = rig.order();
            assert_eq!(left[4..], [100, 101]);
            gone.extend((0..5).filter(|flow| !left.contains(flow)));
        }
        assert_fits(&gone, 0..=4, |_| 0.2);
    }

    #[test]
    fn the_arriving_packet_is_one_of_the_candidates() {
        // the sixth out-profile packet finds 5, where its level is at max_th: one of the six must go
        let mut rig = between([4.5, 5.0], Limit::Infinite, "random");
        let mut gone = Vec::new();
        for _ in 0..6_000 {
            (0..6).for_each(|flow| send(&mut rig, OUT, flow));
            let left = rig.order();
            gone.extend((0..6).filter(|flow| !left.contains(flow)));
        }
        assert_fits(&gone, 0..=5, |_| 1.0 / 6.0);
        assert!(rig.counts.dropped_on_arrival > 0 && rig.counts.evicted > 0);
    }

    #[test]
    fn with_first_an_out_arrival_is_spared_for_an_older_one() {
        let mut rig = rig(Limit::Infinite, "first");
        (0..14).for_each(|flow| send(&mut rig, OUT, flow));
        (0..40).for_each(|flow| send(&mut rig, IN, 100 + flow));
        let evicted = rig.counts.evicted;
        send(&mut rig, OUT, 50);
        assert_eq!((rig.counts.evicted, rig.counts.dropped_on_arrival), (evicted + 1, 0));
        assert!(rig.order().contains(&50));
    }

    #[test]
    fn with_room_for_none_the_queue_is_not_emptied_in_vain() {
        let mut rig = rig(Limit::Bytes(3_000), "last");
        (0..3).for_each(|flow| send(&mut rig, OUT, flow));
        rig.arrive_packet(PacketMeta { flow: 9, size: 4_000, ecn: Ecn::Not, dscp: IN, protocol: 6, rare: None });
        assert_eq!((rig.waiting(), rig.counts.evicted, rig.counts.dropped_on_arrival), (3, 0, 1));
        // a packet as long as two packets takes the place of two
        rig.arrive_packet(PacketMeta { flow: 9, size: 2_000, ecn: Ecn::Not, dscp: IN, protocol: 6, rare: None });
        assert_eq!((rig.waiting(), rig.counts.evicted), (2, 2));
    }

    #[test]
    fn for_out_packets_alone_it_is_wred() {
        let settings = |scheme| Rig::on(&LinkInfo { limit: Limit::Infinite, ..thesis_link() }, scheme, &[], 1).unwrap();
        let mut rigs = [settings("wred"), settings("wred-dfq")];
        let mut script = Rng::stream(4, "script");
        for _ in 0..20_000 {
            let arrives = script.chance(0.52);
            for rig in &mut rigs {
                if arrives {
                    send(rig, OUT, 0);
                } else {
                    rig.depart();
                }
                rig.advance(Span::from_micros(100));
            }
            assert_eq!(rigs[0].counts, rigs[1].counts);
        }
        assert!(rigs[0].counts.dropped_on_arrival > 100);
    }
}

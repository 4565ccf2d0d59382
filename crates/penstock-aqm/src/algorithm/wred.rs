//! Weighted RED (WRED).
//! Cisco, "Distributed Weighted Random Early Detection", as given by U. Bodin, O. Schelen, "Drop Strategies and
//! Loss-rate Differentiation", 2001; section numbers refer to it. Each level is a RED and uses RED's names.
//!
//! # Algorithm
//! RED with one average over all packets. Each drop precedence (level) l, from 0 to at most 7, has its own thresholds
//! min_th(l) and max_th(l), its own max_p(l) and its own count (section 2.1). An arriving packet of level l is dropped
//! with RED's p_b:
//!
//! * p_b(l) = 0 for avg < min_th(l); max_p(l) (avg - min_th(l)) / (max_th(l) - min_th(l)) below max_th(l); 1 above;
//! * with `gentle`, above max_th(l): max_p(l) + (1 - max_p(l)) (avg - max_th(l)) / max_th(l), 1 from 2 max_th(l) on.
//!
//! The drops of each level are spaced like RED's; the count is the number of arrivals judged at that level. One random
//! number is drawn for a packet whose p_a is above 0 while avg is below the point of forced drops; none otherwise.
//!
//! # Parameters
//! `min_th`, `max_th` and `max_p` are lists with one entry for each level, level 0 (dropped last) first; a level whose
//! threshold is above the limit of the queue is never dropped early. `precedence` maps packets to levels; a packet
//! whose level is beyond the lists belongs to the last level. By default level 0 ("in") is never dropped early, and
//! level 1 ("out") has RED's thresholds and weight. The paper uses 15 and 45 packets and max_p = 0.1 for level 1; it
//! does not give w_q. 0.002 was usual in ns-2; a router that stores the weight as 2^-9 uses 0.001953125. The thresholds
//! cannot be "auto": published rules set the thresholds of a single RED, not the distance between levels.
//!
//! # Differences
//! * The paper drops every arriving packet while avg is above max_th(0). Here this is the case if max_th decreases from
//!   level to level, as it should.
//! * `guards` and the spacing "wait" are those of ns-2's RED.
//! * These settings reproduce ns-2's WRED (the core queue of its DiffServ module): `variant = "ns2"`, spacing =
//!   "section4", guards = false, w_q = 0.002, and the `meanPktSize` of ns-2 as mean_packet. With the same random
//!   numbers the same packets are dropped (`tests/integration/ns2_classes.rs`). With "ns2" the idle time starts when
//!   the last waiting packet of a level departs, even if packets of other levels wait. It ends when a packet is queued,
//!   not when a packet arrives and is dropped. The AQM does not see arrivals at a full queue. The average that ns-2
//!   reports is the sum over its levels.

mod ns2_idle;
#[cfg(test)]
mod tests;

use self::ns2_idle::LevelIdle;
use super::average_queue::{Average, Filter};
use super::drop_precedence::Precedence;
use super::drop_spacing::{Spacer, Spacing};
use super::measure_in::MeasureIn;
use super::red::{Red, RedParams};
use crate::aqm::{Aqm, Backlog, Cause, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::format;
use alloc::vec::Vec;
use penstock_core::param::{
    Auto, Default, Length, ParamError, ParamErrors, ParamInfo, Settings, inherit, inherited_len, read,
};
use penstock_core::{Bytes, Limit, PacketMeta, Rng, Time};

/// The size of an arrival, on which WRED's probabilities do not depend.
const ANY_SIZE: u32 = 1;

/// A threshold above any queue.
const NEVER: f64 = 1e6;

penstock_core::params! {
    /// Parameters of WRED.
    pub struct WredParams {
        /// Average queue from which packets of a level are dropped, level 0 first.
        min_th: Vec<f64> = Default::Numbers(&[NEVER, 5.0]), unit: "packets", range: 0.0..=1e9;
        /// Average queue at which the drop probability of a level reaches its max_p.
        max_th: Vec<f64> = Default::Numbers(&[2.0 * NEVER, 15.0]), unit: "packets", range: 0.0..=1e9;
        /// Drop probability of a level at its max_th.
        max_p: Vec<f64> = Default::Numbers(&[0.1, 0.1]), range: 0.0..=1.0;
        /// Field that determines the drop precedence of a packet.
        precedence: Precedence = Default::Text("af");
        /// Weight of one arrival in the average queue; "auto" gives a time constant of one second.
        w_q: Auto<f64> = Default::Text("auto"), range: 0.0..=1.0;
        /// Let the probabilities rise from max_p to 1 at 2 max_th, instead of jumping there.
        gentle: bool = Default::Flag(false);
        /// How drops are spaced.
        spacing: Spacing = Default::Text("wait");
        /// No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and none of the
        /// first packet above min_th (ns-2).
        guards: bool = Default::Flag(true);
        /// Typical packet size, for idle times and w_q "auto".
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Measure the queue in packets or in bytes; in bytes a threshold of n packets is n mean_packet.
        measure_in: MeasureIn = Default::Text("packets");
        /// Mark ECN-capable packets instead of dropping them early, while the average is below their max_th.
        ecn: bool = Default::Flag(false);
    }
}

penstock_core::choice! {
    /// When the queue counts as idle, and whether the AQM sees arrivals at a full queue.
    pub enum Variant {
        /// As in RED: when the link is idle; the AQM sees all packets.
        Paper = "paper",
        /// As in ns-2: when no packet of the level waits; the AQM sees only packets that fit into the queue.
        Ns2 = "ns2",
    }
}

penstock_core::params! {
    /// Parameters of WRED that the schemes built on it do not have.
    pub struct VariantParams {
        /// When the idle time starts and ends, and whether the AQM sees arrivals at a full queue.
        variant: Variant = Default::Text("paper");
    }
}

const PARAMS: [ParamInfo; inherited_len(VariantParams::INFO, WredParams::INFO)] =
    inherit(VariantParams::INFO, WredParams::INFO, &[]);

/// Weighted RED.
#[derive(Clone, Debug)]
pub struct Wred {
    precedence: Precedence,
    /// The one average, over all packets.
    average: Average,
    /// The RED of each level; its own average is not used.
    levels: Vec<Red>,
    /// The idle time of the variant "ns2".
    level_idle: Option<LevelIdle>,
}

impl Wred {
    /// The AQM on this link; all contradictions in `params`, if there are any.
    pub fn new(params: &WredParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        let errors = params.errors();
        if !errors.is_empty() {
            return Err(errors);
        }
        let link = LinkInfo { limit: Limit::Infinite, ..*link };
        let levels: Vec<Red> = (0..params.max_p.len())
            .map(|level| Red::with_step(params.of_level(level), &link))
            .collect::<Result<_, _>>()?;
        let average = levels[0].average;
        Ok(Self { precedence: params.precedence, average, levels, level_idle: None })
    }

    /// The AQM in this variant, before the first packet.
    #[must_use]
    pub fn in_variant(mut self, variant: Variant) -> Self {
        self.level_idle = (variant == Variant::Ns2).then(|| LevelIdle::new(self.levels()));
        self
    }

    /// Number of levels.
    pub(crate) fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The level that the packet belongs to.
    #[inline]
    pub(crate) fn level(&self, packet: &PacketMeta) -> usize {
        self.precedence.level(packet.dscp, self.levels.len())
    }

    /// The queue, in the unit it is measured in.
    #[inline]
    pub(crate) fn length(&self, queue: &Backlog) -> f64 {
        self.levels[0].length(queue)
    }

    /// The one average, with the queue `q` that an arrival finds.
    #[inline]
    pub(crate) fn update_average(&mut self, now: Time, q: f64) {
        self.average.update(now, q);
    }

    /// The verdict on a packet of `level` that finds the queue `q`; the average is up to date.
    #[inline]
    pub(crate) fn judge(&mut self, level: usize, q: f64, rng: &mut Rng) -> Verdict {
        self.levels[level].judge_at(self.average.get(), q, ANY_SIZE, rng)
    }

    /// The spacing of drops at `level`.
    pub(crate) fn spacer(&self, level: usize) -> Spacer {
        self.levels[level].spacer
    }

    /// A packet of `level` was dropped: its count starts again.
    pub(crate) fn restart_count(&mut self, level: usize) {
        self.levels[level].spacer.restart();
    }

    /// The drop just decided at `level` did not happen: continue the count of `before`, this arrival included.
    pub(crate) fn resume_count(&mut self, level: usize, before: &Spacer) {
        self.levels[level].spacer.resume(before, ANY_SIZE);
    }

    /// The filter of the average.
    pub(crate) fn filter(&self) -> Filter {
        self.average.filter
    }

    /// A length in the unit that the queue is measured in.
    pub(crate) fn in_unit(&self, length: Length) -> f64 {
        self.levels[0].params.in_unit(length)
    }

    /// The threshold max_th of `level`.
    pub(crate) fn max_th(&self, level: usize) -> f64 {
        self.levels[level].curve.max_th
    }
}

impl Aqm for Wred {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        if let Some(idle) = &self.level_idle {
            if !cx.queue.limit.admits(cx.queue.packets, cx.queue.bytes, packet.size) {
                return Verdict::Drop(Cause::Overflow);
            }
            if let Some(since) = idle.since() {
                self.average.on_idle(since);
            }
        }
        let q = self.length(&cx.queue);
        self.update_average(cx.now, q);
        self.judge(self.level(packet), q, cx.rng)
    }

    fn on_enqueued(&mut self, _cx: &mut Cx<'_>, packet: &PacketMeta) {
        let level = self.level(packet);
        if let Some(idle) = &mut self.level_idle {
            idle.queued(level);
        }
    }

    fn on_overflow(&mut self, _cx: &mut Cx<'_>, packet: &PacketMeta) {
        self.restart_count(self.level(packet));
    }

    fn on_departure(&mut self, cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        self.on_evicted(cx, packet);
        Verdict::Pass
    }

    fn on_evicted(&mut self, cx: &mut Cx<'_>, packet: &Departing) {
        let level = self.level(&packet.meta);
        if let Some(idle) = &mut self.level_idle {
            idle.left(cx.now, level);
        }
    }

    fn on_idle(&mut self, now: Time) {
        if self.level_idle.is_none() {
            self.average.on_idle(now);
        }
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        let link = LinkInfo { limit: Limit::Infinite, ..*link };
        self.levels.iter_mut().for_each(|level| level.on_link(now, &link));
        self.average.filter = self.levels[0].average.filter;
    }

    /// The average, and p_b and max_p of the level dropped first.
    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        let avg = self.average.get();
        show("avg", avg);
        if let Some(last) = self.levels.last() {
            show("p_b", last.curve.p_b(avg));
            show("max_p", last.curve.max_p);
        }
    }

    /// The drop function of the level dropped first.
    fn drop_function(&self, average: f64) -> Option<f64> {
        self.levels.last()?.drop_function(average)
    }
}

impl WredParams {
    /// One to eight levels, each with min_th at most max_th.
    pub(crate) fn errors(&self) -> ParamErrors {
        let levels = self.max_p.len();
        let mut errors = Vec::new();
        if !(1..=8).contains(&levels) {
            errors.push(ParamError::new("max_p", format!("has {levels} entries: expected one to eight levels")));
        }
        for (name, list) in [("min_th", &self.min_th), ("max_th", &self.max_th)] {
            if list.len() != levels {
                let message =
                    format!("has {} entries: expected one for each level, as in max_p, which has {levels}", list.len());
                errors.push(ParamError::new(name, message));
            }
        }
        let crossed = self.min_th.iter().zip(&self.max_th).enumerate().find(|(_, (min_th, max_th))| min_th > max_th);
        if let Some((level, (min_th, max_th))) = crossed {
            let message = format!("must not be above max_th: at level {level} it is {min_th}, and max_th {max_th}");
            errors.push(ParamError::new("min_th", message));
        }
        errors
    }

    /// The RED of one level.
    fn of_level(&self, level: usize) -> RedParams {
        let thresholds = [self.min_th[level], self.max_th[level]].map(|packets| Auto::Value(Length::Packets(packets)));
        RedParams {
            w_q: self.w_q.into(),
            gentle: self.gentle,
            spacing: self.spacing,
            guards: self.guards,
            measure_in: self.measure_in,
            ecn: self.ecn,
            ..RedParams::plain(thresholds, self.max_p[level], self.mean_packet)
        }
    }
}

impl AqmScheme for Wred {
    const INFO: SchemeInfo = SchemeInfo {
        name: "wred",
        aliases: &[],
        family: "classes",
        title: "Weighted RED",
        source: "Cisco, Distributed Weighted Random Early Detection; U. Bodin, O. Schelen, Drop Strategies and \
                 Loss-rate Differentiation, 2001",
        doc: module_doc!("wred.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time, O(levels) memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "Out-of-profile packets are dropped before any in-profile packet, with a single average and no search.",
        bad: "Can drop only when an out-of-profile packet arrives: drops come late and in bursts, and the queue \
              oscillates.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        let (variant, wred): (VariantParams, WredParams) = read(settings, &PARAMS)?;
        let aqm = Self::new(&wred, link)?;
        Ok(aqm.in_variant(variant.variant))
    }
}

//! Proportional Integral controller Enhanced (PIE).
//! R. Pan, P. Natarajan, F. Baker, G. White, "Proportional Integral Controller Enhanced (PIE): A Lightweight Control
//! Scheme to Address the Bufferbloat Problem", RFC 8033, 2017; section and appendix names refer to it.
//!
//! # Algorithm
//! Every T_UPDATE, with the queueing delay d and d_old, the delay at the previous update (section 4.2):
//!
//! * step = alpha (d - QDELAY_REF) + beta (d - d_old), divided by 2048 for p < 1e-6, 512 for p < 1e-5, 128 for p <
//!   1e-4, 32 for p < 1e-3, 8 for p < 0.01, 2 for p < 0.1; p = p + step; p = 0.98 p if d and d_old are 0; 0 <= p <= 1.
//!
//! An arrival is dropped with probability p, but not during a burst allowance of MAX_BURST, nor while the queue holds at
//! most two packets of `mean_packet`, nor while p < 0.2 and d_old < QDELAY_REF / 2.
//!
//! `variant` adds:
//! * "basic", appendix A: an arrival that finds p = 0 and both delays below QDELAY_REF / 2 renews the allowance;
//! * "extended", appendix B: the three options below, and p decays while both delays are below QDELAY_REF / 2;
//! * "linux", Linux 6.1 as measured: the cap and the derandomization. An update that finds p = 0 and both delays below
//!   QDELAY_REF / 2 renews the allowance. At each update p decays by 1/64 if both delays are 0, and rises by an extra
//!   0.02 if d is above 250 ms. p may exceed 1, and then decays correspondingly slowly. Drops also occur while the
//!   queue holds exactly two packets.
//!
//! The options of section 5 can be switched separately:
//! * `activation` (5.3): PIE becomes active, and the allowance starts, when the queue fills a third of its limit. PIE
//!   becomes inactive when the queue is below a third of its limit, and p and both delays are 0. An update less than
//!   T_UPDATE after the activation is skipped. With `activation = "off"`, "extended" renews the allowance as "basic"
//!   does;
//! * `derandomization` (5.4): drops are spaced by the sum of p over the arrivals since the last drop: no drop while the
//!   sum is below 0.85, a certain drop from 8.5 on. The sum restarts from 0 after each drop or mark, and after an
//!   overflow;
//! * `cap_drop` (5.5): a step of p is at most 0.02 while p is 0.1 or more.
//!
//! A number is drawn for each arrival whose verdict depends on p. During the allowance "basic" draws none, but the
//! other variants do (appendix B calls `drop_early` first). With derandomization none is drawn while the sum is below
//! 0.85 or from 8.5 on.
//!
//! # Parameters
//! `target` is QDELAY_REF and `t_update` is T_UPDATE. To halve T_UPDATE, halve `alpha` and add a quarter of the old
//! `alpha` to `beta`. `hz` rounds the period as a kernel with this tick rate does: at 100 Hz, 15 ms become 30 ms.
//! `delay` is "timestamp", the sojourn time of the packet sent last, or "rate", the queue divided by the measured
//! departure rate (section 5.2). ECN-capable packets are marked while p < `mark_ecnth`.
//!
//! # Differences
//! * The delay becomes 0 when the link finds the queue empty; in appendix A it stays the delay of the packet sent last.
//! * Appendix B ends the branch of a mark or drop with `accu_prob_ = 0`. Read as code, this resets the sum after marks
//!   and drops; by its indentation, and by section 5.4, only after drops. Here both reset it: otherwise, from a sum of
//!   8.5 on, every packet would be marked.
//! * Appendix B deactivates PIE at any arrival that finds p and both delays 0, even at the arrival that activated it,
//!   so that with "rate" PIE never starts. Here PIE is deactivated only while the queue is below a third of the limit.
//! * The period of 30 ms at 100 Hz was measured in Linux: its p moves 17 times in half a second, though it reports a
//!   period of 20 ms.
//! * If the queue has no limit, PIE becomes active at the first arrival.

use crate::aqm::{Aqm, Backlog, Cause, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, TimerMoves};
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Auto, Default, ParamErrors, Settings};
use penstock_core::{Bytes, Limit, PacketMeta, Rng, Span, Time};

penstock_core::choice! {
    /// The form of PIE.
    pub enum Variant {
        /// Appendix B.
        Extended = "extended",
        /// Appendix A.
        Basic = "basic",
        /// Linux 6.1.
        Linux = "linux",
    }
}

penstock_core::choice! {
    /// Whether an option of section 5 is used.
    pub enum Switch {
        /// As in the variant.
        Auto = "auto",
        /// Used.
        On = "on",
        /// Not used.
        Off = "off",
    }
}

impl Switch {
    fn is_on(self, by_variant: bool) -> bool {
        match self {
            Self::Auto => by_variant,
            Self::On => true,
            Self::Off => false,
        }
    }
}

penstock_core::choice! {
    /// How the queueing delay is measured.
    pub enum Delay {
        /// From the sojourn time of the packet sent last.
        Timestamp = "timestamp",
        /// From the backlog and the measured rate of departures.
        Rate = "rate",
    }
}

penstock_core::params! {
    /// Parameters of PIE.
    pub struct PieParams {
        /// Target queueing delay, QDELAY_REF.
        target: Span = Default::Nanos(15_000_000), unit: "s", at_least: 0.0;
        /// Time between updates of the probability.
        t_update: Span = Default::Nanos(15_000_000), unit: "s", at_least: 0.000_1;
        /// Gain on the distance of the delay from target, per second of delay.
        alpha: f64 = Default::Number(0.125), range: 0.0..=1e9;
        /// Gain on the change of the delay, per second of delay.
        beta: f64 = Default::Number(1.25), range: 0.0..=1e9;
        /// Burst allowance: time from the onset of congestion in which nothing is dropped early.
        max_burst: Span = Default::Nanos(150_000_000), unit: "s", at_least: 0.0;
        /// `MEAN_PKTSIZE`: no early drops while the queue holds at most two such packets; "auto" is the link's largest packet.
        mean_packet: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 1.0;
        /// The form of PIE.
        variant: Variant = Default::Text("extended");
        /// Limit a step of the probability to 0.02 while the probability is 0.1 or more; "auto" does so except in
        /// "basic".
        cap_drop: Switch = Default::Text("auto");
        /// Space drops by the sum of the probability over the arrivals since the last drop; "auto" does so except in
        /// "basic".
        derandomization: Switch = Default::Text("auto");
        /// Drop nothing until the queue has filled a third of its limit; "auto" does so in "extended" only.
        activation: Switch = Default::Text("auto");
        /// How the queueing delay is measured.
        delay: Delay = Default::Text("timestamp");
        /// Bytes that depart in one measurement of the departure rate.
        dq_threshold: Bytes = Default::Number(16384.0), unit: "bytes", range: 1.0..=65536.0;
        /// Ticks per second of the kernel's clock: `t_update` is rounded up to whole ticks, plus one tick.
        hz: Option<u32> = Default::Absent, unit: "1/s", range: 1.0..=1e6;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
        /// Probability from which ECN-capable packets are dropped like others.
        mark_ecnth: f64 = Default::Number(0.1), range: 0.0..=1.0;
    }
}

/// Above this drop probability short delays no longer spare a packet.
const SAFEGUARD_P: f64 = 0.2;
/// Sum of p below which nothing is dropped, and from which the drop is certain (section 5.4).
const ACCU_LOW: f64 = 0.85;
const ACCU_HIGH: f64 = 8.5;
/// Largest step of p once p has reached this value (section 5.5).
const CAP: f64 = 0.02;
const CAP_FROM: f64 = 0.1;
/// Linux adds `CAP` to the step while the delay is above this, in seconds.
const LONG_DELAY: f64 = 0.25;
/// Share of p that remains at an update without delay.
const DECAY: f64 = 0.98;
const LINUX_DECAY: f64 = 63.0 / 64.0;

/// Measurement of the departure rate (section 5.2).
#[derive(Clone, Debug, Default)]
struct Drain {
    /// Start of the current measurement.
    since: Option<Time>,
    /// Bytes sent since then.
    count: u64,
    /// Average time that `dq_threshold` bytes take, in seconds; 0 before the first measurement.
    avg_dq_time: f64,
}

#[derive(Clone, Debug)]
struct PieVars {
    active: bool,
    /// Drop probability.
    p: f64,
    /// Sum of p over the arrivals since the last drop or mark.
    accu: f64,
    burst_allowance: Span,
    /// Queueing delay now and at the last update, in seconds.
    qdelay: f64,
    qdelay_old: f64,
    /// Time of the last activation.
    activated: Time,
    drain: Drain,
}

/// Proportional Integral controller Enhanced.
#[derive(Clone, Debug)]
pub struct Pie {
    params: PieParams,
    /// No early drops while the queue holds at most this many bytes.
    few: u64,
    /// The options of section 5.
    activates: bool,
    derandomizes: bool,
    caps: bool,
    ticker: PeriodicTimer,
    vars: PieVars,
}

impl Pie {
    /// The AQM on this link.
    pub fn new(params: PieParams, link: &LinkInfo, now: Time) -> Self {
        let (is_basic, is_extended) = (params.variant == Variant::Basic, params.variant == Variant::Extended);
        let activates = params.activation.is_on(is_extended);
        let vars = PieVars {
            active: !activates,
            p: 0.0,
            accu: 0.0,
            burst_allowance: params.max_burst,
            qdelay: 0.0,
            qdelay_old: 0.0,
            activated: now,
            drain: Drain::default(),
        };
        Self {
            few: params.few(link),
            activates,
            derandomizes: params.derandomization.is_on(!is_basic),
            caps: params.cap_drop.is_on(!is_basic),
            ticker: PeriodicTimer::new(now, params.period()),
            params,
            vars,
        }
    }

    /// The verdict on an arriving packet that finds `queue` (appendices A and B, `enque`).
    #[inline]
    pub(crate) fn judge(&mut self, queue: &Backlog, packet: &PacketMeta, rng: &mut Rng) -> Verdict {
        if !self.activates && self.params.variant != Variant::Linux {
            self.renew_allowance();
        }
        let dropped = if self.params.variant == Variant::Basic {
            self.vars.active && self.vars.burst_allowance == Span::ZERO && self.drop_early(queue, rng)
        } else {
            if !queue.limit.admits(queue.packets, queue.bytes, packet.size) {
                self.vars.accu = 0.0;
                return Verdict::Drop(Cause::Overflow);
            }
            self.vars.active && self.drop_early(queue, rng) && self.vars.burst_allowance == Span::ZERO
        };
        if !dropped {
            return Verdict::Pass;
        }
        self.vars.accu = 0.0;
        let marks = self.params.ecn && packet.ecn.is_capable() && self.vars.p < self.params.mark_ecnth;
        if marks { Verdict::Mark(Cause::Early) } else { Verdict::Drop(Cause::Early) }
    }

    /// Section 4.4.
    fn renew_allowance(&mut self) {
        if self.vars.p == 0.0 && self.is_calm() {
            self.vars.burst_allowance = self.params.max_burst;
        }
    }

    fn drop_early(&mut self, queue: &Backlog, rng: &mut Rng) -> bool {
        let spared = self.vars.qdelay_old < self.half_target() && self.vars.p < SAFEGUARD_P;
        if spared || queue.bytes <= self.few {
            return false;
        }
        if !self.derandomizes {
            return rng.chance(self.vars.p);
        }
        if self.vars.p == 0.0 {
            self.vars.accu = 0.0;
        }
        self.vars.accu += self.vars.p;
        if self.vars.accu < ACCU_LOW {
            return false;
        }
        if self.vars.accu >= ACCU_HIGH {
            return true;
        }
        let dropped = rng.chance(self.vars.p);
        if dropped {
            self.vars.accu = 0.0;
        }
        dropped
    }

    /// Appendix B, the end of `enque`: activate at a third of the limit, deactivate once congestion has ended.
    pub(crate) fn switch(&mut self, now: Time, queue: &Backlog) {
        if !self.activates {
            return;
        }
        let filled = match queue.limit {
            Limit::Packets(limit) => 3 * u64::from(queue.packets) >= u64::from(limit),
            Limit::Bytes(limit) => queue.bytes >= limit / 3,
            Limit::Infinite => true,
        };
        if filled && !self.vars.active {
            self.vars.active = true;
            self.vars.p = 0.0;
            self.vars.accu = 0.0;
            self.vars.burst_allowance = self.params.max_burst;
            self.vars.qdelay_old = 0.0;
            self.vars.activated = now;
            self.vars.drain = Drain { since: Some(now), ..Drain::default() };
        } else if !filled && self.vars.p == 0.0 && self.vars.qdelay_old == 0.0 && self.vars.qdelay == 0.0 {
            self.vars.active = false;
            self.vars.drain.since = None;
        }
    }

    /// A packet of `size` bytes, queued at `enqueued`, departs; `bytes` remain in the queue (section 5.2).
    #[inline]
    pub(crate) fn departed(&mut self, now: Time, enqueued: Time, size: u32, bytes: u64) {
        if self.params.delay == Delay::Timestamp {
            let emptied = bytes == 0 && self.params.variant == Variant::Linux;
            self.vars.qdelay = if emptied { 0.0 } else { now.since(enqueued).as_secs() };
            return;
        }
        let threshold = self.params.dq_threshold.0;
        let drain = &mut self.vars.drain;
        if let Some(since) = drain.since {
            drain.count += u64::from(size);
            if drain.count >= threshold {
                let dq_time = now.since(since).as_secs();
                let weight = threshold as f64 / 65536.0;
                drain.avg_dq_time = if drain.avg_dq_time == 0.0 {
                    dq_time
                } else {
                    dq_time * weight + drain.avg_dq_time * (1.0 - weight)
                };
                drain.since = None;
            }
        }
        if drain.since.is_none() && bytes >= threshold {
            *drain = Drain { since: Some(now), count: 0, ..*drain };
        }
    }

    /// The link found the queue empty.
    pub(crate) fn emptied(&mut self) {
        self.vars.qdelay = 0.0;
    }

    /// Section 4.2: update the probability from the delay, with `bytes` in the queue; to be called every T_UPDATE.
    pub(crate) fn update(&mut self, now: Time, bytes: u64) {
        let period = self.params.period();
        if !self.vars.active || now.since(self.vars.activated) < period {
            return;
        }
        if self.params.delay == Delay::Rate {
            self.vars.qdelay = bytes as f64 * self.vars.drain.avg_dq_time / self.params.dq_threshold.0 as f64;
        }
        let p = (self.vars.p + self.step()) * self.decay();
        let largest = if self.params.variant == Variant::Linux { f64::MAX } else { 1.0 };
        self.vars.p = p.clamp(0.0, largest);
        let left = self.vars.burst_allowance.as_nanos().saturating_sub(period.as_nanos());
        self.vars.burst_allowance = Span::from_nanos(left);
        if !self.activates && self.params.variant == Variant::Linux {
            self.renew_allowance();
        }
        self.vars.qdelay_old = self.vars.qdelay;
    }

    /// The controller's step of p.
    fn step(&self) -> f64 {
        let PieVars { p, qdelay, qdelay_old, .. } = self.vars;
        let error = qdelay - self.params.target.as_secs();
        let mut step = (self.params.alpha * error + self.params.beta * (qdelay - qdelay_old)) / divisor(p);
        if self.caps && p >= CAP_FROM {
            step = step.min(CAP);
        }
        if self.params.variant == Variant::Linux && qdelay > LONG_DELAY {
            step += CAP;
        }
        step
    }

    /// The share of p that remains after this update: less than 1 once the delay is gone.
    fn decay(&self) -> f64 {
        let is_gone = self.vars.qdelay == 0.0 && self.vars.qdelay_old == 0.0;
        match self.params.variant {
            Variant::Extended if self.is_calm() => DECAY,
            Variant::Basic if is_gone => DECAY,
            Variant::Linux if is_gone => LINUX_DECAY,
            _ => 1.0,
        }
    }

    /// Whether this delay and the one before are below half the target.
    fn is_calm(&self) -> bool {
        self.vars.qdelay < self.half_target() && self.vars.qdelay_old < self.half_target()
    }

    fn half_target(&self) -> f64 {
        0.5 * self.params.target.as_secs()
    }
}

/// The divisor of a step of the probability, so that small probabilities move in small steps.
fn divisor(p: f64) -> f64 {
    match p {
        _ if p < 1e-6 => 2048.0,
        _ if p < 1e-5 => 512.0,
        _ if p < 1e-4 => 128.0,
        _ if p < 1e-3 => 32.0,
        _ if p < 1e-2 => 8.0,
        _ if p < 0.1 => 2.0,
        _ => 1.0,
    }
}

impl PieParams {
    /// The size of two packets; in Linux one byte less.
    fn few(&self, link: &LinkInfo) -> u64 {
        let packet = match self.mean_packet {
            Auto::Auto => link.mtu.0,
            Auto::Value(size) => size.0,
        };
        packet.saturating_mul(2).saturating_sub(u64::from(self.variant == Variant::Linux))
    }

    /// T_UPDATE. With `hz` it is rounded up to whole ticks, plus one: the current tick has already begun, and a timer
    /// must not fire early.
    pub(crate) fn period(&self) -> Span {
        let Some(hz) = self.hz else { return self.t_update };
        let tick = 1_000_000_000 / u64::from(hz);
        Span::from_nanos((self.t_update.as_nanos().div_ceil(tick) + 1).saturating_mul(tick))
    }
}

impl Aqm for Pie {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_timer(TimerMoves::Periodic)
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let verdict = self.judge(&cx.queue, packet, cx.rng);
        if matches!(verdict, Verdict::Drop(_)) {
            self.switch(cx.now, &cx.queue);
        }
        verdict
    }

    fn on_enqueued(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) {
        self.switch(cx.now, &cx.queue);
    }

    #[inline]
    fn on_departure(&mut self, cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        self.departed(cx.now, packet.enqueued, packet.meta.size, cx.queue.bytes);
        Verdict::Pass
    }

    fn on_idle(&mut self, _now: Time) {
        self.emptied();
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.few = self.params.few(link);
    }

    fn next_timeout(&self) -> Option<Time> {
        self.ticker.next()
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.update(cx.now, cx.queue.bytes);
        self.ticker.advance(cx.now);
    }

    fn resume(&mut self, _queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        let Some((p, qdelay)) = gauge("p").zip(gauge("qdelay")) else { return };
        (self.vars.p, self.vars.qdelay, self.vars.qdelay_old) = (p, qdelay, qdelay);
        self.vars.active |= p > 0.0;
        self.vars.burst_allowance = Span::ZERO;
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("p", self.vars.p.min(1.0));
        show("qdelay", self.vars.qdelay);
    }
}

impl AqmScheme for Pie {
    const INFO: SchemeInfo = SchemeInfo {
        name: "pie",
        aliases: &[],
        family: "delay",
        title: "Proportional Integral controller Enhanced",
        source: "R. Pan, P. Natarajan, F. Baker, G. White, Proportional Integral Controller Enhanced (PIE), RFC 8033, \
                 2017",
        doc: module_doc!("pie.rs"),
        ecn: true,
        params: PieParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "Holds the queueing delay near target under heavy and light load, and under a flood.",
        bad: "Judges arrivals by a delay up to one update old: after a step of the load the queue overshoots for a \
              second.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(PieParams::from_settings(settings)?, link, now))
    }
}

#[cfg(test)]
mod tests;

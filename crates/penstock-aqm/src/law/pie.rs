//! Proportional Integral controller Enhanced (PIE).
//! R. Pan, P. Natarajan, F. Baker, G. White, "Proportional Integral Controller Enhanced (PIE): A Lightweight Control
//! Scheme to Address the Bufferbloat Problem", RFC 8033, 2017; section and appendix names refer to it.
//!
//! # Law
//! Every T_UPDATE, with the queueing delay d and the one before, d_old (section 4.2):
//!
//! * step = alpha (d - QDELAY_REF) + beta (d - d_old), divided by 2048 for p < 1e-6, 512 for p < 1e-5, 128 for p <
//!   1e-4, 32 for p < 1e-3, 8 for p < 0.01, 2 for p < 0.1; p = p + step; p = 0.98 p once the delay is gone; 0 <= p <=
//!   1.
//!
//! An arrival is dropped with probability p, but not during a burst allowance of MAX_BURST, nor where the queue is at
//! most two packets of `mean_packet`, nor where p < 0.2 and d_old < QDELAY_REF / 2.
//!
//! `variant` is what stands around this:
//! * "basic" is appendix A: the allowance is renewed by an arrival that finds p = 0 and both delays below QDELAY_REF /
//!   2;
//! * "extended" is appendix B: nothing is dropped before a third of the limit has been filled, which also starts the
//!   allowance; drops are spaced by the sum of p since the last (none below 0.85, certain from 8.5); a step of p is at
//!   most 0.02 from p = 0.1 on; p decays while both delays are below QDELAY_REF / 2;
//! * "linux" is Linux 6.1 as measured: "extended" that is always active, renews the allowance at the updates that find
//!   p = 0 and both delays below QDELAY_REF / 2, lets p decay by 1/64 while both are 0, adds 0.02 while d is above 250
//!   ms, lets p pass 1, from where it has as far to come back, and does drop where the queue is just two packets.
//!
//! That sum of p starts again from 0 after a drop, be it by p or for want of room, but not after a mark that was certain
//! from 8.5 on. In "extended", an update less than T_UPDATE after PIE was turned on is left out.
//!
//! A number is drawn for each arrival that p decides: "basic" draws none while the allowance lasts, the others do
//! (appendix B calls `drop_early` first); with spacing none is drawn below 0.85 nor from 8.5 on.
//!
//! # Parameters
//! `target` is QDELAY_REF, `t_update` T_UPDATE: for half the period halve `alpha` and add a quarter of `alpha` to
//! `beta`. `hz` makes the period that of a kernel with such a clock: at 100 Hz 15 ms become 30 ms. `delay` is
//! "timestamp", what the packet last sent has waited, or "rate", the queue over the rate at which it was seen to drain
//! (section 5.2). ECN-capable packets are marked while p < `mark_ecnth`.
//!
//! # Differences
//! * An empty queue has no delay, from when the link asks and finds nothing: appendix A keeps that of the last packet
//!   sent, and so does this until then.
//! * Appendix B turns PIE off at any arrival at which p and both delays are 0, even the one that turned it on, so that
//!   with "rate" it never starts; here only where the queue is below a third of the limit.
//! * Linux' 30 ms at 100 Hz are measured: its p moves 17 times in half a second, though it tells a period of 20 ms.
//! * Where the queue has no limit, "extended" is always active.

use crate::aqm::{Aqm, Backlog, Cause, Cx, Departing, LinkInfo, Verdict};
use crate::scheme::{Law, Picture, SchemeInfo, boxed, module_doc};
use crate::ticker::Ticker;
use penstock_core::param::{Auto, Default, ParamErrors, Settings};
use penstock_core::{Bytes, Limit, PacketMeta, Rng, Span, Time};

penstock_core::choice! {
    /// Which form of PIE.
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
    /// How the queueing delay is known.
    pub enum Delay {
        /// From what the packet last sent has waited.
        Timestamp = "timestamp",
        /// From the backlog and the measured rate of departures.
        Rate = "rate",
    }
}

penstock_core::params! {
    /// Parameters of PIE.
    pub struct PieParams {
        /// Queueing delay that is wanted, QDELAY_REF.
        target: Span = Default::Nanos(15_000_000), unit: "s", at_least: 0.0;
        /// Time between updates of the probability.
        t_update: Span = Default::Nanos(15_000_000), unit: "s", at_least: 0.000_1;
        /// Gain on the distance of the delay from target, per second of delay.
        alpha: f64 = Default::Number(0.125), range: 0.0..=1e9;
        /// Gain on the change of the delay, per second of delay.
        beta: f64 = Default::Number(1.25), range: 0.0..=1e9;
        /// How long a burst goes free.
        max_burst: Span = Default::Nanos(150_000_000), unit: "s", at_least: 0.0;
        /// Size of two of which a queue is never dropped from; "auto" is the link's largest packet.
        mean_packet: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 0.0;
        /// Which form of PIE.
        variant: Variant = Default::Text("extended");
        /// How the queueing delay is known.
        delay: Delay = Default::Text("timestamp");
        /// Bytes whose departure makes one measurement of the rate.
        dq_threshold: Bytes = Default::Number(16384.0), unit: "bytes", range: 1.0..=65536.0;
        /// Ticks per second of the kernel's clock: `t_update` becomes the next whole number of ticks, and one more.
        hz: Option<u32> = Default::Absent, unit: "1/s", range: 1.0..=1e6;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
        /// Probability from which on ECN-capable packets are dropped like others.
        mark_ecnth: f64 = Default::Number(0.1), range: 0.0..=1.0;
    }
}

/// Measurement of the rate of departures.
#[derive(Clone, Debug, Default)]
struct Drain {
    /// When the measurement under way began.
    since: Option<Time>,
    /// Bytes that have left since.
    count: u64,
    /// Average time that `dq_threshold` bytes take, in seconds; 0 before the first measurement.
    avg_dq_time: f64,
}

#[derive(Clone, Debug)]
struct PieVars {
    active: bool,
    /// Drop probability.
    p: f64,
    /// Sum of p over the arrivals since the last drop.
    accu: f64,
    burst_allowance: Span,
    /// Queueing delay now and at the last update, in seconds.
    qdelay: f64,
    qdelay_old: f64,
    /// When PIE was turned on, or updated p.
    updated: Time,
    drain: Drain,
}

/// Proportional Integral controller Enhanced.
#[derive(Clone, Debug)]
pub struct Pie {
    params: PieParams,
    /// A queue of at most so many bytes loses nothing.
    few: u64,
    ticker: Ticker,
    vars: PieVars,
}

impl Pie {
    /// The law on this link.
    pub fn new(params: PieParams, link: &LinkInfo) -> Self {
        let vars = PieVars {
            active: params.variant != Variant::Extended,
            p: 0.0,
            accu: 0.0,
            burst_allowance: params.max_burst,
            qdelay: 0.0,
            qdelay_old: 0.0,
            updated: Time::ZERO,
            drain: Drain::default(),
        };
        Self { few: params.few(link), ticker: Ticker::new(params.period()), params, vars }
    }

    /// The verdict on an arriving packet that finds `queue` (appendices A and B, `enque`).
    #[inline]
    pub(crate) fn judge(&mut self, queue: &Backlog, packet: &PacketMeta, rng: &mut Rng) -> Verdict {
        let dropped = if self.params.variant == Variant::Basic {
            if self.vars.p == 0.0 && self.is_calm() {
                self.vars.burst_allowance = self.params.max_burst;
            }
            self.vars.burst_allowance == Span::default() && self.drop_early(queue, rng)
        } else {
            if !queue.limit.admits(queue.packets, queue.bytes, packet.size) {
                self.vars.accu = 0.0;
                return Verdict::Drop(Cause::Overflow);
            }
            self.vars.active && self.drop_early(queue, rng) && self.vars.burst_allowance == Span::default()
        };
        if !dropped {
            return Verdict::Pass;
        }
        self.vars.accu = 0.0;
        let marks = self.params.ecn && packet.ecn.is_capable() && self.vars.p < self.params.mark_ecnth;
        if marks { Verdict::Mark(Cause::Early) } else { Verdict::Drop(Cause::Early) }
    }

    fn drop_early(&mut self, queue: &Backlog, rng: &mut Rng) -> bool {
        let spared = self.vars.qdelay_old < self.half_target() && self.vars.p < 0.2;
        if spared || queue.bytes <= self.few {
            return false;
        }
        if self.params.variant == Variant::Basic {
            return rng.chance(self.vars.p);
        }
        if self.vars.p == 0.0 {
            self.vars.accu = 0.0;
        }
        self.vars.accu += self.vars.p;
        if self.vars.accu < 0.85 {
            return false;
        }
        if self.vars.accu >= 8.5 {
            return true;
        }
        let dropped = rng.chance(self.vars.p);
        if dropped {
            self.vars.accu = 0.0;
        }
        dropped
    }

    /// Appendix B, the end of `enque`: turn on at a third of the limit, off once congestion has gone.
    pub(crate) fn switch(&mut self, now: Time, queue: &Backlog) {
        if self.params.variant != Variant::Extended {
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
            self.vars.updated = now;
            self.vars.drain = Drain { since: Some(now), ..Drain::default() };
        } else if !filled && self.vars.p == 0.0 && self.vars.qdelay_old == 0.0 && self.vars.qdelay == 0.0 {
            self.vars.active = false;
            self.vars.drain.since = None;
        }
    }

    /// A packet of `size` bytes, queued at `enqueued`, leaves `bytes` behind (section 5.2).
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

    /// The queue was found empty.
    pub(crate) fn emptied(&mut self) {
        self.vars.qdelay = 0.0;
    }

    /// Section 4.2: the probability from the delay, with `bytes` waiting; to be called every T_UPDATE.
    pub(crate) fn update(&mut self, now: Time, bytes: u64) {
        let period = self.params.period();
        if !self.vars.active || now.since(self.vars.updated) < period {
            return;
        }
        if self.params.delay == Delay::Rate {
            self.vars.qdelay = bytes as f64 * self.vars.drain.avg_dq_time / self.params.dq_threshold.0 as f64;
        }
        let (qdelay, qdelay_old) = (self.vars.qdelay, self.vars.qdelay_old);
        let error = qdelay - self.params.target.as_secs();
        let mut step = (self.params.alpha * error + self.params.beta * (qdelay - qdelay_old)) / scale(self.vars.p);
        if self.params.variant != Variant::Basic && self.vars.p >= 0.1 {
            step = step.min(0.02);
        }
        if self.params.variant == Variant::Linux && qdelay > 0.25 {
            step += 0.02;
        }
        self.vars.p += step;
        let (decays, factor) = match self.params.variant {
            Variant::Extended => (self.is_calm(), 0.98),
            Variant::Basic => (qdelay == 0.0 && qdelay_old == 0.0, 0.98),
            Variant::Linux => (qdelay == 0.0 && qdelay_old == 0.0, 63.0 / 64.0),
        };
        if decays {
            self.vars.p *= factor;
        }
        let largest = if self.params.variant == Variant::Linux { f64::MAX } else { 1.0 };
        self.vars.p = self.vars.p.clamp(0.0, largest);
        let left = self.vars.burst_allowance.as_nanos().saturating_sub(period.as_nanos());
        self.vars.burst_allowance = Span::from_nanos(left);
        if self.params.variant == Variant::Linux && self.vars.p == 0.0 && self.is_calm() {
            self.vars.burst_allowance = self.params.max_burst;
        }
        self.vars.qdelay_old = qdelay;
        self.vars.updated = now;
    }

    /// Whether this delay and the last are below half the target.
    fn is_calm(&self) -> bool {
        self.vars.qdelay < self.half_target() && self.vars.qdelay_old < self.half_target()
    }

    fn half_target(&self) -> f64 {
        0.5 * self.params.target.as_secs()
    }
}

/// What a step of the probability is divided by, so that small probabilities move in small steps.
fn scale(p: f64) -> f64 {
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
    /// Two packets; for Linux a byte less.
    fn few(&self, link: &LinkInfo) -> u64 {
        let packet = match self.mean_packet {
            Auto::Auto => link.mtu.0,
            Auto::Value(size) => size.0,
        };
        packet.saturating_mul(2).saturating_sub(u64::from(self.variant == Variant::Linux))
    }

    /// T_UPDATE; with a clock in whole ticks and one more, for the present tick has begun and no timer may be early.
    pub(crate) fn period(&self) -> Span {
        let Some(hz) = self.hz else { return self.t_update };
        let tick = 1_000_000_000 / u64::from(hz);
        Span::from_nanos((self.t_update.as_nanos().div_ceil(tick) + 1) * tick)
    }
}

impl Aqm for Pie {
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
        Some(self.ticker.next())
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.update(cx.now, cx.queue.bytes);
        self.ticker.advance(cx.now);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("p", self.vars.p.min(1.0));
        show("qdelay", self.vars.qdelay);
    }
}

impl Law for Pie {
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
        build_law: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "Holds the queueing delay near target under heavy and light load alike, and under a flood.",
        bad: "Acts on arrivals by a delay up to an update old: after a step of the load the queue overshoots for a \
              second.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(PieParams::from_settings(settings)?, link))
    }
}

#[cfg(test)]
#[path = "pie/tests.rs"]
mod tests;

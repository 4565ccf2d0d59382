//! Stochastic Fair Blue (SFB).
//! W. Feng, D. Kandlur, D. Saha, K. Shin, "Stochastic Fair Blue: A Queue Management Algorithm for Enforcing Fairness",
//! INFOCOM 2001, as given by T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD
//! thesis, Université Montpellier II, 2004, section 1.3.2 (algorithm 13).
//!
//! # Algorithm
//! Each of `levels` levels has `bins` bins, and an independent hash function that assigns each flow to one of them. A
//! bin has qlen, the number of queued packets of its flows, and a probability p_m between 0 and 1. An arrival updates
//! the bin of its flow at each level:
//!
//! * qlen > bin_size: p_m = p_m + d1;
//! * qlen = 0: p_m = p_m - d2.
//!
//! If one of these bins is above bin_size, the packet is dropped. Otherwise p_min, the smallest p_m of these bins,
//! decides. If p_min = 1, the flow counts as unresponsive, and the packet passes only if it gets a token from a bucket
//! that all such flows share. If p_min < 1, the packet is dropped or marked with probability p_min. So a flow is
//! penalized only if all its bins are congested.
//!
//! The first arrival draws one number per level for the hash functions and, with `rehash`, one per level for the spare
//! functions. Each rehash draws one per level. One number is drawn for each packet judged with 0 < p_min < 1.
//!
//! # Parameters
//! `bin_size` "auto" is 1.5 B / bins, for a limit of B packets. `freeze` is the shortest time between two steps of a
//! bin, as in BLUE. `penalty_rate` "auto" is 5 % of the link; `penalty_burst` is the depth of the bucket.
//!
//! With `max` a packet is dropped if all of its bins hold at least `max` packets, not if any bin is above bin_size.
//! `rehash` changes the hash functions, so that no flow shares all its bins with an unresponsive flow for long. The
//! spare functions have bins of their own, whose p_m are updated for a time of `warmup` before they take over.
//!
//! The defaults of Linux are levels 8, bins 16, bin_size 19 (20 in Linux, which raises p_m from 20 packets on), max 25,
//! d1 0.0005, d2 0.00005, rehash 600 s, warmup 60 s, penalty_rate 10 and penalty_burst 20.
//!
//! # Differences
//! * Neither source has values; the defaults of 2 levels of 23 bins and steps of 0.005 are ours.
//! * The thesis' algorithm nests the test for an empty bin in the test for a full bin, so that p_m could never fall;
//!   here the tests are separate.
//! * In the paper a flow identified as unresponsive remains so for a while; here each of its packets is judged anew.

use super::random_verdict::toss;
use crate::aqm::{Aqm, Cause, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, TimerMoves};
use crate::per_flow::PerFlow;
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use penstock_core::hash::mix;
use penstock_core::param::{Auto, Default, ParamError, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Rng, Span, Time, math};

penstock_core::params! {
    /// Parameters of Stochastic Fair Blue.
    pub struct SfbParams {
        /// Number of levels L, each with a hash function.
        levels: u32 = Default::Number(2.0), range: 1.0..=16.0;
        /// Number of bins N per level.
        bins: u32 = Default::Number(23.0), range: 1.0..=65536.0;
        /// Number of packets above which a bin raises its probability; "auto" is 1.5 times the limit divided by the
        /// number of bins.
        bin_size: Auto<f64> = Default::Text("auto"), unit: "packets", range: 0.0..=1e9;
        /// Drop an arrival if every bin of its flow holds at least this many packets; absent: if any bin is above
        /// bin_size.
        max: Option<u32> = Default::Absent, unit: "packets", range: 1.0..=1e9;
        /// Step up of a bin's probability.
        d1: f64 = Default::Number(0.005), range: 0.0..=1.0;
        /// Step down of a bin's probability.
        d2: f64 = Default::Number(0.005), range: 0.0..=1.0;
        /// Shortest time between two steps of a bin; absent: no minimum.
        freeze: Option<Span> = Default::Absent, unit: "s", at_least: 0.0;
        /// Packets per second that all unresponsive flows together may send; "auto" is a twentieth of the link's rate.
        penalty_rate: Auto<f64> = Default::Text("auto"), unit: "packets/s", range: 0.0..=1e12;
        /// Packets that unresponsive flows may send in a burst.
        penalty_burst: f64 = Default::Number(20.0), unit: "packets", range: 1.0..=1e9;
        /// Time between changes of the hash functions; absent: they never change.
        rehash: Option<Span> = Default::Absent, unit: "s", at_least: 0.001;
        /// Time for which the bins of the next hash functions are updated before they take over; at most `rehash`.
        warmup: Span = Default::Nanos(60_000_000_000), unit: "s", at_least: 0.0;
        /// Typical packet size, for bin_size and penalty_rate "auto".
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Mark ECN-capable packets instead of dropping them with the probability of their bins.
        ecn: bool = Default::Flag(false);
    }
}

/// Stochastic Fair Blue.
#[derive(Clone, Debug)]
pub struct Sfb {
    params: SfbParams,
    derived: Derived,
    /// The bins in use.
    current: Filter,
    /// The spare bins that replace `bins`, with `rehash`.
    spare: Option<Spare>,
    /// Whether the hash functions have been drawn; the first arrival draws them.
    hashed: bool,
    bucket: Bucket,
    /// When the AQM was built; the initial last step of every bin.
    start: Time,
    rehash: Option<PeriodicTimer>,
    p_min: f64,
}

/// Values derived from the parameters and the link.
#[derive(Clone, Debug)]
struct Derived {
    bin_size: f64,
    penalty_rate: f64,
}

#[derive(Clone, Debug)]
struct Spare {
    filter: Filter,
    /// Number of queued packets of each flow; fills the bins when the hash functions change.
    qlen: PerFlow<u32>,
}

/// One hash function for each level, and their bins, level by level.
#[derive(Clone, Debug)]
struct Filter {
    salts: Vec<u64>,
    bins: Vec<Bin>,
}

#[derive(Clone, Copy, Debug)]
struct Bin {
    qlen: u32,
    p_m: f64,
    last_update: Time,
}

/// The token bucket of unresponsive flows.
#[derive(Clone, Debug)]
struct Bucket {
    tokens: f64,
    filled: Time,
}

/// The verdict of a flow's bins on its packet.
struct Judgement {
    p_min: f64,
    /// Whether a bin is above bin_size.
    above: bool,
    /// The smallest qlen.
    qlen: u32,
}

impl Sfb {
    /// The AQM on this link; all contradictions in `params`, if there are any.
    pub fn new(params: SfbParams, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        if let Some(rehash) = params.rehash.filter(|&rehash| rehash < params.warmup) {
            let message = format!("must not be above rehash, {rehash}");
            return Err(vec![ParamError::new("warmup", message)]);
        }
        let bucket = Bucket { tokens: params.penalty_burst, filled: now };
        let rehash = params.rehash.map(|rehash| PeriodicTimer::new(now, rehash));
        let filter = Filter::new(&params);
        let spare = params.rehash.map(|_| Spare { filter: filter.clone(), qlen: PerFlow::new() });
        let derived = Derived::new(&params, link);
        Ok(Self { params, derived, current: filter, spare, hashed: false, bucket, start: now, rehash, p_min: 0.0 })
    }

    /// The verdict of the bins, before the random decision.
    fn judge(&mut self, now: Time, flow: u32, rng: &mut Rng) -> Judgement {
        let learns =
            self.rehash.as_ref().and_then(PeriodicTimer::next).is_some_and(|next| now + self.params.warmup >= next);
        if !self.hashed {
            self.hashed = true;
            self.current.hash_anew(self.start, rng);
            if let Some(spare) = &mut self.spare {
                spare.filter.hash_anew(self.start, rng);
            }
        }
        let flow = self.hashed_id(flow);
        let Self { params, derived, current, spare, .. } = self;
        if let Some(spare) = spare.as_mut().filter(|_| learns) {
            spare.filter.learn(now, flow, params, derived.bin_size);
        }
        current.learn(now, flow, params, derived.bin_size)
    }

    /// The id that is hashed for a flow. With spare bins it is an id that has a `qlen`.
    fn hashed_id(&self, flow: u32) -> u32 {
        self.spare.as_ref().map_or(flow, |spare| spare.qlen.index(flow))
    }

    /// Count a packet of this flow that entered or left the queue.
    fn count(&mut self, flow: u32, change: fn(&mut u32)) {
        let flow = self.hashed_id(flow);
        self.current.count(flow, change);
        if let Some(Spare { filter, qlen }) = &mut self.spare {
            filter.count(flow, change);
            change(qlen.of(flow));
        }
    }

    /// Replace the bins by the spare bins, and the spare bins by bins with new hash functions.
    fn rehash(&mut self, rng: &mut Rng) {
        let Some(Spare { filter, qlen }) = &mut self.spare else { return };
        core::mem::swap(&mut self.current, filter);
        filter.hash_anew(self.start, rng);
        for (flow, &queued) in qlen.iter().filter(|&(_, &queued)| queued > 0) {
            (0..filter.salts.len()).for_each(|level| filter.bin(level, flow).qlen += queued);
        }
    }
}

impl Derived {
    fn new(params: &SfbParams, link: &LinkInfo) -> Self {
        let limit = link.limit.in_packets(params.mean_packet).unwrap_or(f64::INFINITY);
        let bin_size = match params.bin_size {
            Auto::Value(bin_size) => bin_size,
            Auto::Auto => -math::floor(-1.5 * limit / f64::from(params.bins)),
        };
        let penalty_rate = match params.penalty_rate {
            Auto::Value(penalty_rate) => penalty_rate,
            Auto::Auto => 0.05 * link.rate.packets_per_second(params.mean_packet),
        };
        Self { bin_size, penalty_rate }
    }
}

impl Filter {
    fn new(params: &SfbParams) -> Self {
        let empty = Bin { qlen: 0, p_m: 0.0, last_update: Time::ZERO };
        Self { salts: vec![0; params.levels as usize], bins: vec![empty; (params.levels * params.bins) as usize] }
    }

    /// Draw new hash functions, with empty bins whose last step counts as made at `start`.
    fn hash_anew(&mut self, start: Time, rng: &mut Rng) {
        self.salts.iter_mut().for_each(|salt| *salt = rng.bits());
        self.bins.fill(Bin { qlen: 0, p_m: 0.0, last_update: start });
    }

    #[inline]
    fn bin(&mut self, level: usize, flow: u32) -> &mut Bin {
        let bins = self.bins.len() / self.salts.len();
        let bin = mix(u64::from(flow) ^ self.salts[level]) % bins as u64;
        &mut self.bins[level * bins + bin as usize]
    }

    /// Algorithm 13: move the probabilities of a flow's bins.
    fn learn(&mut self, now: Time, flow: u32, params: &SfbParams, bin_size: f64) -> Judgement {
        let mut judgement = Judgement { p_min: 1.0, above: false, qlen: u32::MAX };
        for level in 0..self.salts.len() {
            let bin = self.bin(level, flow);
            let is_above = f64::from(bin.qlen) > bin_size;
            if is_above {
                bin.step(now, params.d1, params.freeze);
            } else if bin.qlen == 0 {
                bin.step(now, -params.d2, params.freeze);
            }
            judgement.p_min = judgement.p_min.min(bin.p_m);
            judgement.above |= is_above;
            judgement.qlen = judgement.qlen.min(bin.qlen);
        }
        judgement
    }

    fn count(&mut self, flow: u32, change: fn(&mut u32)) {
        (0..self.salts.len()).for_each(|level| change(&mut self.bin(level, flow).qlen));
    }

    fn forget(&mut self, flow: u32) {
        for level in 0..self.salts.len() {
            let bin = self.bin(level, flow);
            if bin.qlen == 0 {
                bin.p_m = 0.0;
            }
        }
    }
}

impl Bin {
    fn step(&mut self, now: Time, by: f64, freeze: Option<Span>) {
        if freeze.is_none_or(|freeze| now.since(self.last_update) > freeze) {
            self.p_m = (self.p_m + by).clamp(0.0, 1.0);
            self.last_update = now;
        }
    }
}

impl Bucket {
    /// Take a token, if there is one.
    fn take(&mut self, now: Time, rate: f64, burst: f64) -> bool {
        self.tokens = (self.tokens + rate * now.since(self.filled).as_secs()).min(burst);
        self.filled = now;
        let is_full = self.tokens >= 1.0;
        self.tokens -= if is_full { 1.0 } else { 0.0 };
        is_full
    }
}

impl Aqm for Sfb {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_timer(if self.rehash.is_some() { TimerMoves::Periodic } else { TimerMoves::Never })
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let Judgement { p_min, above, qlen } = self.judge(cx.now, packet.flow, cx.rng);
        self.p_min = p_min;
        if self.params.max.map_or(above, |max| qlen >= max) {
            Verdict::Drop(Cause::Forced)
        } else if p_min < 1.0 {
            toss(p_min, self.params.ecn, cx.rng)
        } else if self.bucket.take(cx.now, self.derived.penalty_rate, self.params.penalty_burst) {
            Verdict::Pass
        } else {
            Verdict::Drop(Cause::Forced)
        }
    }

    fn on_enqueued(&mut self, _cx: &mut Cx<'_>, packet: &PacketMeta) {
        self.count(packet.flow, |qlen| *qlen += 1);
    }

    fn on_departure(&mut self, _cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        self.count(packet.meta.flow, |qlen| *qlen -= 1);
        Verdict::Pass
    }

    fn on_evicted(&mut self, _cx: &mut Cx<'_>, packet: &Departing) {
        self.count(packet.meta.flow, |qlen| *qlen -= 1);
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.derived = Derived::new(&self.params, link);
    }

    fn next_timeout(&self) -> Option<Time> {
        self.rehash.as_ref().and_then(PeriodicTimer::next)
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        if self.hashed {
            self.rehash(cx.rng);
        }
        if let Some(ticker) = &mut self.rehash {
            ticker.advance(cx.now);
        }
    }

    /// Bins belong to all flows that share them: a bin of the flow is reset only if no packet waits in it.
    fn forget_flow(&mut self, _now: Time, flow: u32) {
        let flow = self.hashed_id(flow);
        self.current.forget(flow);
        if let Some(spare) = &mut self.spare {
            spare.filter.forget(flow);
        }
    }

    fn reserve(&mut self, flows: u32) {
        if let Some(spare) = &mut self.spare {
            spare.qlen.reserve(flows);
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("p", self.p_min);
        show("p_m", self.current.bins.iter().map(|bin| bin.p_m).fold(0.0, f64::max));
    }
}

impl AqmScheme for Sfb {
    const INFO: SchemeInfo = SchemeInfo {
        name: "sfb",
        aliases: &["stochastic-fair-blue"],
        family: "per flow",
        title: "Stochastic Fair Blue (SFB)",
        source: "W. Feng, D. Kandlur, D. Saha, K. Shin, Stochastic Fair Blue: A Queue Management Algorithm for \
                 Enforcing Fairness, INFOCOM 2001",
        doc: module_doc!("sfb.rs"),
        ecn: true,
        params: SfbParams::INFO,
        class_params: &[],
        cost: "O(levels) time, O(levels x bins) memory, with rehash O(flows) more of both at each change",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "Limits unresponsive flows to a small rate with a few bins, whatever the number of flows.",
        bad: "Many flows fill all bins, and well-behaved flows are penalized with the others: with 64 flows on the \
              standard link a sparse flow loses a third of its packets. Unfair between flows with very different \
              round-trip times.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Self::new(SfbParams::from_settings(settings)?, link, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, thesis_link};
    use penstock_core::param::Value;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    fn sfb(extra: &[(&str, f64)]) -> Rig {
        let settings: Vec<_> = extra.iter().map(|&(name, x)| (name, Value::Number(x))).collect();
        Rig::new("sfb", &settings)
    }

    #[test]
    fn automatic_sizes_follow_from_the_link() {
        let params = SfbParams::from_settings(&[]).unwrap();
        let Derived { bin_size, penalty_rate } = Derived::new(&params, &thesis_link());
        // 1.5 x 35 / 23 = 2.28, and 5 % of 187.5
        assert_eq!((bin_size, penalty_rate), (3.0, 9.375));
    }

    #[test]
    fn a_bin_above_its_size_drops_and_raises_p_m_once_a_packet() {
        let mut rig = sfb(&[("d1", 1e-9)]);
        // the fifth packet finds 4 packets in its bins, which is above 3
        rig.arrive_from(7, 4);
        assert_eq!((rig.waiting(), rig.gauge("p")), (4, 0.0));
        rig.arrive_from(7, 3);
        assert_eq!((rig.waiting(), rig.counts.dropped_on_arrival), (4, 3));
        assert!(close(rig.gauge("p"), 3e-9) && close(rig.gauge("p_m"), 3e-9));
    }

    #[test]
    fn an_empty_bin_lowers_p_m() {
        let mut rig = sfb(&[("d1", 1e-9), ("d2", 4e-10)]);
        rig.arrive_from(7, 6);
        while rig.depart() {}
        rig.arrive_from(7, 1);
        assert!(close(rig.gauge("p"), 1.6e-9));
        // the bins are not empty now: p moves neither up nor down
        rig.arrive_from(7, 1);
        assert!(close(rig.gauge("p"), 1.6e-9));
    }

    #[test]
    fn a_flow_with_a_good_bin_is_spared() {
        // With one bin per level all flows share it; with many bins the other flows have p_min = 0.
        let p_of_others = |bins: f64| {
            let mut rig = sfb(&[("bins", bins), ("bin_size", 3.0), ("d1", 0.5)]);
            rig.arrive_from(7, 6);
            (100..110)
                .map(|flow| {
                    rig.arrive_from(flow, 1);
                    rig.gauge("p")
                })
                .fold(0.0, f64::max)
        };
        assert_eq!(p_of_others(1.0), 1.0);
        assert_eq!(p_of_others(65536.0), 0.0);
    }

    #[test]
    fn an_unresponsive_flow_has_the_penalty_rate() {
        let mut rig = sfb(&[("d1", 1.0), ("d2", 0.0), ("penalty_rate", 10.0), ("penalty_burst", 5.0)]);
        rig.arrive_from(7, 5);
        while rig.depart() {}
        // p_min is 1. The bucket holds 5 packets, and then gets 10 per second for 2 seconds
        let sent = rig.counts.sent;
        for _ in 0..200 {
            rig.arrive_from(7, 1);
            rig.depart();
            rig.advance(Span::from_millis(10));
        }
        assert_eq!(rig.counts.sent - sent, 5 + 19);
        // another flow is not affected
        rig.arrive_from(8, 1);
        assert_eq!(rig.waiting(), 1);
    }

    #[test]
    fn max_drops_only_what_is_long_in_all_bins() {
        let mut rig = sfb(&[("bin_size", 2.0), ("max", 6.0), ("d1", 1e-9)]);
        rig.arrive_from(7, 8);
        // the sixth packet is queued; arrivals 4 to 8 found more than 2 packets
        assert_eq!((rig.waiting(), rig.counts.dropped_on_arrival), (6, 2));
        assert!(close(rig.gauge("p"), 5e-9));
    }

    #[test]
    fn a_bin_steps_at_most_once_in_a_freeze_time() {
        let settings = [("d1", Value::Number(1e-9)), ("freeze", Value::Time(Span::from_millis(100)))];
        let mut rig = Rig::new("sfb", &settings);
        rig.advance(Span::from_millis(200));
        // the first packet finds empty bins, which is a step, too
        rig.arrive_from(7, 10);
        assert_eq!(rig.gauge("p"), 0.0);
        rig.advance(Span::from_millis(101));
        rig.arrive_from(7, 10);
        assert!(close(rig.gauge("p"), 1e-9));
        rig.advance(Span::from_millis(100));
        rig.arrive_from(7, 1);
        assert!(close(rig.gauge("p"), 1e-9));
        rig.advance(Span::from_nanos(1));
        rig.arrive_from(7, 1);
        assert!(close(rig.gauge("p"), 2e-9));
    }

    #[test]
    fn a_rehash_keeps_what_waits_and_what_was_learnt_in_the_warmup() {
        let settings = [
            ("d1", Value::Number(1e-9)),
            ("rehash", Value::Time(Span::from_millis(1000))),
            ("warmup", Value::Time(Span::from_millis(400))),
        ];
        let mut rig = Rig::new("sfb", &settings);
        rig.advance(Span::from_millis(500));
        rig.arrive_from(7, 6);
        assert!(close(rig.gauge("p"), 2e-9));
        rig.advance(Span::from_millis(100));
        rig.arrive_from(7, 1);
        // the new bins took part in only the last of the three steps; they count the 4 packets, so the next arrival is
        // dropped
        rig.advance(Span::from_millis(400));
        rig.arrive_from(7, 1);
        assert!(close(rig.gauge("p"), 2e-9));
        assert_eq!((rig.waiting(), rig.counts.dropped_on_arrival), (4, 4));
        // two more exchanges: the spare bins were filled again from the waiting packets
        rig.advance(Span::from_millis(1000));
        rig.arrive_from(7, 1);
        assert!(close(rig.gauge("p"), 1e-9));
        assert_eq!(rig.counts.dropped_on_arrival, 5);
        while rig.depart() {}
        rig.check();
    }

    #[test]
    fn a_warmup_above_the_rehash_is_refused() {
        let settings = [("rehash".to_string(), Value::Time(Span::from_millis(1000)))];
        let errors = Sfb::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap_err();
        assert_eq!((errors[0].name.as_str(), errors[0].message.as_str()), ("warmup", "must not be above rehash, 1 s"));
    }
}

//! Discard State DRR (DSDRR).
//! A. Kantawala, J. Turner, "Intelligent Packet Discard Policies for Improved TCP Queue Management", 2005;
//! section 3, figure 1.
//!
//! # Algorithm
//! The queues are served by DRR. Queue i has a discard bit d_i and the length Q_i. F is the free space, n_q the number
//! of queues, n_d the number of queues with d_i = 1 (*marked* queues), and W the maximum of n_d. The first rule that
//! applies decides about a packet that arrives for queue i:
//!
//! * rule 1, d_i = 1: the packet is dropped;
//! * rule 2, Q_i >= alpha F and n_d < W: d_i = 1, and the packet is dropped;
//! * rule 3, F = 0: overflow = 1, and the packet is dropped;
//! * rule 4, otherwise: the packet is queued.
//!
//! When queue i becomes empty, d_i = 0: a marked queue drains completely before it accepts packets again. Every
//! `interval`, W is adapted: with overflow = 1, W = W + 2, up to its maximum; with overflow = 0 and n_d < W, W =
//! n_d + 1. Then overflow is reset to 0. W starts at `w_init` n_q, rounded up; its maximum is `w_max` n_q, rounded
//! down, at least 1. No random number is drawn, except one for the salt of `spread = "hash"`.
//!
//! # Parameters
//! The smaller `alpha`, the earlier a queue is marked. `w_init` and `w_max` bound the number of queues that lose
//! packets at the same time. n_q is `buckets` if that is given, else the number of flows of the link if that is known,
//! else the number of queues used so far. `quantum`, `buckets` and `spread` are those of DRR.
//!
//! # Differences
//! * Rule 2 does not mark an empty queue when F = 0, since nothing would ever clear its bit. Rule 3 then drops the
//!   packet.
//! * In the figure and the text of the paper, n_d is the number of queues marked at the moment of the adaptation. A
//!   queue stays marked only while it drains, which takes far less than `interval`. W therefore falls to about 1 in any
//!   interval without an overflow, and under varying load most drops are overflows. With `marked = "most"`, n_d is the
//!   largest number in the interval; in buffers of 1000 packets and more, the goodputs over unequal round trips are
//!   then close to those of the paper, where the flows with long round trips get about 90 % of their fair share.
//!   Measured: 25 % with the rule as printed, which is the default; 83 to 88 % with `marked = "most"`; and 95 % with
//!   constant W.
//! * Figure 1 sets overflow in rule 3 only; with `overflow_strict = false`, a drop by rule 1 or 2 with F = 0 sets
//!   overflow too.
//! * The text does not say that overflow is cleared every `interval`, nor that W has a maximum.
//! * Drops by rule 1 are reported as forced, by rule 2 as early, by rule 3 as overflow. Lengths are in the unit of the
//!   limit; in bytes, F = 0 means that the packet does not fit.

use super::drr_buffer::{Arrival, DrrParams, Policy, build};
use super::drr_queues::{Queue, Watcher};
use super::{Discipline, Probe};
use crate::aqm::Cause;
use crate::capabilities::Judges;
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use penstock_core::param::{Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len};
use penstock_core::{Packet, Span, Time, math};

penstock_core::choice! {
    /// The number of marked queues from which W is computed after an interval without overflow.
    pub enum Marked {
        /// The current number of marked queues.
        Now = "now",
        /// The largest number of marked queues in the interval.
        Most = "most",
    }
}

penstock_core::params! {
    /// The parameters that DSDRR adds to those of DRR.
    pub struct DsdrrParams {
        /// A queue is marked when it is longer than this multiple of the free space.
        alpha: f64 = Default::Number(0.1), at_least: 0.001;
        /// Fraction of the queues that may be marked at the start.
        w_init: f64 = Default::Number(0.1), range: 0.0..=1.0;
        /// Maximum fraction of the queues that may be marked.
        w_max: f64 = Default::Number(0.5), range: 0.0..=1.0;
        /// Time between adaptations of W.
        interval: Span = Default::Nanos(1_000_000_000), unit: "s", at_least: 0.001;
        /// The number of marked queues from which W is computed after an interval without overflow.
        marked: Marked = Default::Text("now");
        /// Count an overflow only if the queue of the dropped packet is not marked.
        overflow_strict: bool = Default::Flag(true);
    }
}

const PARAMS: [ParamInfo; inherited_len(DsdrrParams::INFO, DrrParams::INFO)] =
    inherit(DsdrrParams::INFO, DrrParams::INFO, &[]);

/// Discard State DRR.
#[derive(Clone, Copy, Debug)]
pub struct Dsdrr;

/// Marked queues accept no packets until they are empty.
struct DiscardState {
    params: DsdrrParams,
    ticker: PeriodicTimer,
    /// n_q, if known in advance.
    queues: Option<u32>,
    /// Number of queues used so far.
    used: u32,
    /// d_i.
    discard: Vec<bool>,
    n_d: u32,
    /// The largest n_d since the last adaptation of W.
    most: u32,
    /// W, once it has been adapted for the first time.
    w: Option<u32>,
    overflow: bool,
}

impl DiscardState {
    fn new(params: DsdrrParams, queues: Option<u32>, now: Time) -> Self {
        let ticker = PeriodicTimer::new(now, params.interval);
        Self { params, ticker, queues, used: 0, discard: Vec::new(), n_d: 0, most: 0, w: None, overflow: false }
    }

    fn n_q(&self) -> f64 {
        f64::from(self.queues.unwrap_or(self.used))
    }

    fn w_max(&self) -> u32 {
        (math::floor(self.params.w_max * self.n_q() + ROUNDING) as u32).max(1)
    }

    fn w(&self) -> u32 {
        let initial = -math::floor(ROUNDING - self.params.w_init * self.n_q());
        self.w.unwrap_or((initial as u32).clamp(1, self.w_max()))
    }
}

/// Absorbs rounding of binary fractions: 0.1 times 30 queues must be 3 queues.
const ROUNDING: f64 = 1e-9;

impl Watcher for DiscardState {
    #[inline]
    fn on_pop(&mut self, id: u32, queue: &Queue) {
        let Some(d) = self.discard.get_mut(id as usize).filter(|d| **d && queue.packets() == 0) else { return };
        *d = false;
        self.n_d -= 1;
    }
}

impl Policy for DiscardState {
    const HAS_TIMER: bool = true;

    fn judges(&self) -> Judges {
        Judges::Arrivals
    }

    fn refuse(&mut self, arrival: &Arrival<'_>) -> Option<Cause> {
        self.used = arrival.known;
        if self.discard.len() < self.used as usize {
            self.discard.resize(self.used as usize, false);
        }
        let (q_i, f) = arrival.length_and_free();
        let i = arrival.id as usize;
        let cause = if self.discard[i] {
            Cause::Forced
        } else if q_i > 0.0 && q_i >= self.params.alpha * f && self.n_d < self.w() {
            self.discard[i] = true;
            self.n_d += 1;
            self.most = self.most.max(self.n_d);
            Cause::Early
        } else if arrival.fits() {
            return None;
        } else {
            Cause::Overflow
        };
        self.overflow |= cause == Cause::Overflow || (!self.params.overflow_strict && !arrival.fits());
        Some(cause)
    }

    fn forget(&mut self, _now: Time, id: u32) {
        if let Some(d) = self.discard.get_mut(id as usize).filter(|d| **d) {
            *d = false;
            self.n_d -= 1;
        }
    }

    fn reserve(&mut self, queues: u32) {
        self.discard.reserve(queues as usize);
    }

    fn next_timeout(&self) -> Option<Time> {
        self.ticker.next()
    }

    fn on_timeout(&mut self, now: Time) {
        self.ticker.advance(now);
        let w = self.w();
        let marked = if self.params.marked == Marked::Most { self.most } else { self.n_d };
        if self.overflow {
            self.w = Some((w + 2).min(self.w_max()).max(w));
        } else if marked < w {
            self.w = Some(marked + 1);
        }
        self.most = self.n_d;
        self.overflow = false;
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("w", f64::from(self.w()));
        show("n_d", f64::from(self.n_d));
    }
}

impl Scheme for Dsdrr {
    const INFO: SchemeInfo = SchemeInfo {
        name: "dsdrr",
        aliases: &["discard-state-drr"],
        family: "fair queueing",
        title: "Discard State DRR",
        source: "A. Kantawala, J. Turner, Intelligent Packet Discard Policies for Improved TCP Queue Management, 2005",
        doc: module_doc!("dsdrr.rs"),
        ecn: false,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time; O(queues + packets) memory",
        build_aqm: None,
        picture: Picture::Service,
        good: "No stored packet is ever dropped; with marked = \"most\" nearly as fair as QSDRR to long flows, even \
               with unequal round trips.",
        bad: "A marked flow loses every packet until its queue has drained: short flows suffer more than under DTDRR. \
              With the rule as printed (marked = \"now\"), W collapses, and flows with long round trips get 25 % of \
              their share; the paper has about 90 %.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        site: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        build(settings, &PARAMS, site, |reader, drr| {
            let params = reader.params::<DsdrrParams>()?;
            if params.w_init > params.w_max {
                reader.refuse("w_init", format!("must not be above w_max, {}", params.w_max));
            }
            let queues = drr.and_then(|drr| drr.buckets).or(site.link.flows);
            Some(DiscardState::new(params, queues, site.now))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::drr_test_harness::{Bench, Fate};
    use penstock_core::Limit;
    use penstock_core::param::Value;

    /// Ten queues, so that W starts at 1 and is at most 5. The buffer of ten packets is full: one packet of flow 0,
    /// whose queue is marked, and nine of flow 1.
    fn filled(settings: &[(&str, Value)]) -> Bench {
        let mut all = vec![("buckets", Value::Number(10.0))];
        all.extend_from_slice(settings);
        let mut bench = Bench::new("dsdrr", &all, Limit::Packets(10));
        bench.arrive(0, 1500, 3);
        bench.arrive(1, 1500, 9);
        bench
    }

    #[test]
    fn a_queue_above_the_threshold_is_marked_and_drops_all() {
        let bench = filled(&[]);
        // Flow 0: 0 < 0.1 * 10, 1 >= 0.1 * 9. Flow 1 crosses the threshold too, but W allows no further marked queue.
        assert_eq!(bench.drops(), [Fate::Dropped(0, Cause::Early), Fate::Dropped(0, Cause::Forced)]);
        assert_eq!((bench.gauge("n_d"), bench.gauge("w"), bench.waiting()), (1.0, 1.0, 10));
    }

    #[test]
    fn a_marked_queue_takes_packets_again_when_it_is_empty() {
        let mut bench = filled(&[]);
        assert_eq!(bench.serve(1)[0].flow, 0);
        assert_eq!(bench.gauge("n_d"), 0.0);
        bench.arrive(0, 1500, 1);
        assert_eq!((bench.drops().len(), bench.waiting()), (2, 10));
    }

    #[test]
    fn a_full_buffer_overflows_and_w_grows_by_two_up_to_half_of_the_queues() {
        let mut bench = filled(&[]);
        for w in [3.0, 5.0, 5.0] {
            // Empty queues are never marked, so each of these is an overflow.
            bench.arrive(5, 1500, 1);
            assert_eq!(bench.drops().last(), Some(&Fate::Dropped(5, Cause::Overflow)));
            bench.advance(Span::from_secs(1.0));
            assert_eq!(bench.gauge("w"), w);
        }
        assert_eq!(bench.gauge("n_d"), 1.0);
    }

    #[test]
    fn without_overflow_w_returns_to_one_more_than_are_marked() {
        let mut bench = filled(&[]);
        bench.arrive(5, 1500, 1);
        bench.advance(Span::from_secs(1.0));
        assert_eq!(bench.gauge("w"), 3.0);
        bench.advance(Span::from_secs(1.0));
        assert_eq!(bench.gauge("w"), 2.0);
        // W allows a second marked queue, the queue of flow 1; then n_d = W, and W does not change.
        bench.arrive(1, 1500, 1);
        assert_eq!(bench.drops().last(), Some(&Fate::Dropped(1, Cause::Early)));
        bench.advance(Span::from_secs(1.0));
        assert_eq!((bench.gauge("w"), bench.gauge("n_d")), (2.0, 2.0));
    }

    #[test]
    fn w_may_return_to_the_most_that_were_marked_in_the_interval() {
        for (marked, w) in [("now", 1.0), ("most", 2.0)] {
            let mut bench = filled(&[("marked", Value::Text(marked.into()))]);
            bench.arrive(5, 1500, 1);
            bench.advance(Span::from_secs(1.0));
            assert_eq!(bench.gauge("w"), 3.0);
            // The one marked queue drains before the next step.
            assert_eq!(bench.serve(1)[0].flow, 0);
            bench.advance(Span::from_secs(1.0));
            assert_eq!(bench.gauge("w"), w, "{marked}");
        }
    }

    #[test]
    fn drops_of_marked_queues_tell_of_an_overflow_only_if_told_to() {
        for (strict, w) in [(true, 2.0), (false, 3.0)] {
            let mut bench = filled(&[("overflow_strict", Value::Flag(strict))]);
            bench.arrive(0, 1500, 1);
            assert_eq!(bench.drops().last(), Some(&Fate::Dropped(0, Cause::Forced)));
            bench.advance(Span::from_secs(1.0));
            // Strict: n_d = W = 1, so W does not change.
            assert_eq!(bench.gauge("w"), if strict { w - 1.0 } else { w });
        }
    }

    #[test]
    fn w_is_a_share_of_the_buckets_or_of_the_flows_known_or_seen() {
        let with = |flows, settings: &[(&str, Value)]| {
            let mut bench = Bench::for_flows(flows, "dsdrr", settings, Limit::Packets(1000));
            (0..21).for_each(|flow| bench.arrive(flow, 1500, 1));
            bench.gauge("w")
        };
        // 10 % of 21, rounded up; of 30; of 100; and the share itself.
        assert_eq!(with(None, &[]), 3.0);
        assert_eq!(with(Some(30), &[]), 3.0);
        assert_eq!(with(Some(30), &[("buckets", Value::Number(100.0))]), 10.0);
        assert_eq!(with(Some(100), &[("w_init", Value::Number(0.3))]), 30.0);
        assert_eq!(with(Some(1), &[]), 1.0);
        let errors = Bench::errors("dsdrr", &[("w_init", Value::Number(0.6))]);
        assert_eq!(errors, ["w_init: must not be above w_max, 0.5"]);
    }

    #[test]
    fn stored_packets_stay_and_extremes_are_survived() {
        for limit in [Limit::Packets(0), Limit::Packets(1), Limit::Bytes(4000), Limit::Infinite] {
            let mut bench = Bench::new("dsdrr", &[], limit);
            for flow in 0..200 {
                bench.arrive(flow % 20, 1500, 4);
                bench.serve(1);
                bench.advance(Span::from_millis(50));
            }
            assert!(bench.drops().iter().all(|fate| !matches!(fate, Fate::Dropped(_, Cause::Evicted))));
            assert_eq!(bench.drops().is_empty(), limit == Limit::Infinite);
        }
    }
}

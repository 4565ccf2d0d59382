//! Approximate Fair Dropping (AFD).
//! R. Pan, L. Breslau, B. Prabhakar, S. Shenker, "Approximate Fairness through Differential Dropping", ACM SIGCOMM
//! Computer Communication Review 33(2), 2003.
//!
//! # Algorithm
//! A shadow buffer holds the flow and size of `shadow` packets. An arrival enters it with probability 1 / `sample`; if
//! the buffer is full, the arrival replaces a random entry. With `m_i`, the bytes of flow i in the buffer in units of
//! `mean_packet`:
//!
//! * an arrival of flow i is dropped with probability `1 - m_fair / m_i`, if that is positive, so that the fastest
//!   flows are limited to the same rate;
//! * every `interval`, with the queue q now and q_old one interval ago, `m_fair = m_fair + a (q_old - q_ref) - b (q -
//!   q_ref)`, kept between 0 and `shadow`. The fair share rises while the queue is short.
//!
//! Random numbers are drawn at each arrival in this order: one for the sampling; one for the entry to replace, if the
//! packet is sampled and the shadow buffer is full; one for the drop, if `m_i` is above `m_fair`.
//!
//! # Parameters
//! `a` below `b` makes the controller stable; the paper's values are for 160 updates per second. `q_ref` "auto" is half
//! the limit of the queue; without a limit, the data that the link sends in 25 ms.
//!
//! # Differences
//! * `m_i` counts bytes, in units of `mean_packet`, so that larger packets count more.
//! * `m_fair` starts at the size of the shadow buffer and never exceeds it: a larger share would limit no flow.
//! * The paper keeps the counts of flows in a hash table; here they are indexed by the number of the flow.

use crate::aqm::{Aqm, Cause, Cx, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, TimerMoves};
use crate::per_flow::PerFlow;
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::vec::Vec;
use penstock_core::param::{Auto, Default, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Rng, Span, Time};

penstock_core::params! {
    /// Parameters of AFD.
    pub struct AfdParams {
        /// Packets in the shadow buffer.
        shadow: u32 = Default::Number(500.0), unit: "packets", range: 1.0..=100_000.0;
        /// An arrival enters the shadow buffer with probability 1 / sample.
        sample: f64 = Default::Number(10.0), range: 1.0..=10_000.0;
        /// Gain on the queue one interval ago.
        a: f64 = Default::Number(1.7), range: 0.0..=1e9;
        /// Gain on the queue.
        b: f64 = Default::Number(1.8), range: 0.0..=1e9;
        /// Target queue; "auto" is half the limit.
        q_ref: Auto<f64> = Default::Text("auto"), unit: "packets", range: 0.0..=1e9;
        /// Time between updates of the fair share.
        interval: Span = Default::Nanos(6_250_000), unit: "s", at_least: 0.000_1;
        /// Typical packet size, the unit in which packets are counted.
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
    }
}

/// A packet in the shadow buffer.
#[derive(Clone, Copy, Debug)]
struct Shadow {
    flow: u32,
    size: u32,
}

/// Approximate Fair Dropping.
#[derive(Clone, Debug)]
pub struct Afd {
    params: AfdParams,
    q_ref: f64,
    ticker: PeriodicTimer,
    shadows: Vec<Shadow>,
    /// Bytes of each flow in the shadow buffer.
    bytes: PerFlow<u64>,
    m_fair: f64,
    q_old: f64,
}

impl Afd {
    /// The AQM on this link.
    pub fn new(params: AfdParams, link: &LinkInfo, now: Time) -> Self {
        Self {
            q_ref: params.q_ref(link),
            ticker: PeriodicTimer::new(now, params.interval),
            shadows: Vec::with_capacity(params.shadow as usize),
            bytes: PerFlow::new(),
            m_fair: f64::from(params.shadow),
            q_old: 0.0,
            params,
        }
    }

    /// The flow's packets in the shadow buffer.
    fn m(&self, flow: u32) -> f64 {
        self.bytes.get(flow).map_or(0.0, |&bytes| bytes as f64 / self.params.mean_packet.0 as f64)
    }

    fn sample(&mut self, packet: &PacketMeta, rng: &mut Rng) {
        if !rng.chance(1.0 / self.params.sample) {
            return;
        }
        let shadow = Shadow { flow: packet.flow, size: packet.size };
        if self.shadows.len() < self.params.shadow as usize {
            self.shadows.push(shadow);
        } else {
            let place = rng.below(self.shadows.len() as u64) as usize;
            let gone = core::mem::replace(&mut self.shadows[place], shadow);
            *self.bytes.of(gone.flow) -= u64::from(gone.size);
        }
        *self.bytes.of(packet.flow) += u64::from(packet.size);
    }

    fn drop_probability(&self, flow: u32) -> f64 {
        let m = self.m(flow);
        if m > self.m_fair { 1.0 - self.m_fair / m } else { 0.0 }
    }

    /// The controller of the fair share.
    fn update(&mut self, q: f64) {
        let AfdParams { a, b, shadow, .. } = self.params;
        let step = a * (self.q_old - self.q_ref) - b * (q - self.q_ref);
        self.m_fair = (self.m_fair + step).clamp(0.0, f64::from(shadow));
        self.q_old = q;
    }
}

impl AfdParams {
    fn q_ref(&self, link: &LinkInfo) -> f64 {
        let in_25_ms = 0.025 * link.rate.packets_per_second(self.mean_packet);
        match self.q_ref {
            Auto::Value(q_ref) => q_ref,
            Auto::Auto => link.limit.in_packets(self.mean_packet).map_or(in_25_ms, |limit| 0.5 * limit),
        }
    }
}

impl Aqm for Afd {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_timer(TimerMoves::Periodic)
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        self.sample(packet, cx.rng);
        let p = self.drop_probability(packet.flow);
        if p <= 0.0 || !cx.rng.chance(p) {
            Verdict::Pass
        } else if self.params.ecn {
            Verdict::Mark(Cause::Early)
        } else {
            Verdict::Drop(Cause::Early)
        }
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.q_ref = self.params.q_ref(link);
    }

    fn next_timeout(&self) -> Option<Time> {
        self.ticker.next()
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.update(f64::from(cx.queue.packets));
        self.ticker.advance(cx.now);
    }

    /// O(shadow) if the shadow buffer holds packets of the flow.
    fn forget_flow(&mut self, _now: Time, flow: u32) {
        let Some(bytes) = self.bytes.get_mut(flow).filter(|bytes| **bytes > 0) else { return };
        for shadow in self.shadows.iter_mut().filter(|shadow| shadow.flow == flow) {
            *bytes -= u64::from(shadow.size);
            shadow.size = 0;
        }
    }

    fn reserve(&mut self, flows: u32) {
        self.bytes.reserve(flows);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("m_fair", self.m_fair);
    }
}

impl AqmScheme for Afd {
    const INFO: SchemeInfo = SchemeInfo {
        name: "afd",
        aliases: &[],
        family: "fair dropping",
        title: "Approximate Fair Dropping",
        source: "R. Pan, L. Breslau, B. Prabhakar, S. Shenker, Approximate Fairness through Differential Dropping, \
                 ACM SIGCOMM CCR 33(2), 2003",
        doc: module_doc!("afd.rs"),
        ecn: true,
        params: AfdParams::INFO,
        class_params: &[],
        cost: "O(1) time; O(shadow + flows) memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "Limits flows that exceed their share to nearly equal rates in one queue, responsive or not.",
        bad: "Shares are uneven with many flows, because each then has only a few packets in the shadow buffer.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(AfdParams::from_settings(settings)?, link, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, thesis_link};
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Limit};

    fn aqm(settings: &[(&str, Value)], link: &LinkInfo) -> Afd {
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        Afd::from_settings(&settings, link, Time::ZERO).unwrap()
    }

    fn packet(flow: u32, size: u32) -> PacketMeta {
        PacketMeta { flow, size, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None }
    }

    #[test]
    fn the_largest_gains_leave_the_fair_share_a_number() {
        let most = Value::Number(1e9);
        let mut aqm = aqm(&[("a", most.clone()), ("b", most), ("q_ref", Value::Number(20.0))], &thesis_link());
        // 1e9 (0 - 20) - 1e9 (5 - 20) = -5e9; then 1e9 (5 - 20) - 1e9 (0 - 20) = 5e9, above the 500 of the shadow
        aqm.update(5.0);
        assert_eq!(aqm.m_fair, 0.0);
        aqm.update(0.0);
        assert_eq!(aqm.m_fair, 500.0);
    }

    #[test]
    fn the_fair_share_follows_the_controller() {
        let mut aqm = aqm(&[("q_ref", Value::Number(20.0))], &thesis_link());
        aqm.m_fair = 100.0;
        // 1.7 (0 - 20) - 1.8 (30 - 20) = -52; then 1.7 (30 - 20) - 1.8 (25 - 20) = + 8
        aqm.update(30.0);
        assert!((aqm.m_fair - 48.0).abs() < 1e-12);
        aqm.update(25.0);
        assert!((aqm.m_fair - 56.0).abs() < 1e-12);
        aqm.update(500.0);
        assert_eq!(aqm.m_fair, 0.0);
        aqm.update(0.0);
        assert_eq!(aqm.m_fair, 500.0);
    }

    #[test]
    fn a_flow_is_dropped_by_what_it_has_above_the_fair_share() {
        let settings = [("sample", Value::Number(1.0)), ("mean_packet", Value::Bytes(500.0))];
        let mut aqm = aqm(&settings, &thesis_link());
        let mut rng = Rng::stream(1, "test");
        (0..10).for_each(|_| aqm.sample(&packet(3, 1000), &mut rng));
        (0..10).for_each(|_| aqm.sample(&packet(1, 250), &mut rng));
        // 20 and 5 packets of 500 bytes
        aqm.m_fair = 8.0;
        assert_eq!([1, 3, 4].map(|flow| aqm.drop_probability(flow)), [0.0, 0.6, 0.0]);
        aqm.m_fair = 0.0;
        assert_eq!([1, 3, 4].map(|flow| aqm.drop_probability(flow)), [1.0, 1.0, 0.0]);
    }

    #[test]
    fn the_shadow_buffer_forgets_as_much_as_it_learns() {
        let settings = [("shadow", Value::Number(50.0)), ("sample", Value::Number(2.0))];
        let mut aqm = aqm(&settings, &thesis_link());
        let mut rng = Rng::stream(1, "test");
        for n in 0..10_000 {
            aqm.sample(&packet(n % 7, 100 + n % 900), &mut rng);
            let sum: u64 = aqm.shadows.iter().map(|shadow| u64::from(shadow.size)).sum();
            assert!(aqm.shadows.len() <= 50 && aqm.bytes.iter().map(|(_, bytes)| bytes).sum::<u64>() == sum);
        }
        assert_eq!(aqm.shadows.len(), 50);
    }

    #[test]
    fn the_wanted_queue_is_half_the_limit_or_25_ms() {
        assert_eq!(aqm(&[], &thesis_link()).q_ref, 17.5);
        // 187.5 packets per second
        assert!((aqm(&[], &LinkInfo { limit: Limit::Infinite, ..thesis_link() }).q_ref - 4.6875).abs() < 1e-12);
    }

    #[test]
    fn floods_of_different_rates_get_equal_shares() {
        // 250 packets a second leave, flows 0, 1, 2 send 125, 250 and 500 of them
        let mut rig = Rig::new("afd", &[]);
        let mut passed = [0_u64; 3];
        for step in 0..80_000_u64 {
            for flow in 0..3_u32 {
                if step % (8 >> flow) == 0 {
                    let before = rig.counts.queued;
                    rig.arrive_from(flow, 1);
                    // the shadow buffer fills in the first 20 s
                    passed[flow as usize] += if step > 20_000 { rig.counts.queued - before } else { 0 };
                }
            }
            if step % 4 == 0 {
                rig.depart();
            }
            rig.advance(Span::from_millis(1));
        }
        // a third of 250 in 60 s is 5000
        assert!(passed.iter().all(|passed| passed.abs_diff(5000) < 500), "{passed:?}");
        assert!(rig.waiting() > 5 && rig.waiting() < 30, "{}", rig.waiting());
    }
}

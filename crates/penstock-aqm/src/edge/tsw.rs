//! Time sliding window marker (TSW), with two or three colours (TSWTCM).
//! W. Fang, N. Seddigh, B. Nandy, "A Time Sliding Window Three Colour Marker (TSWTCM)", RFC 2859, 2000; section numbers
//! refer to it. The estimator: D. Clark, W. Fang, IEEE/ACM Trans. Networking 6(4), 1998.
//!
//! # Rule
//! Initially avg_rate = CTR and t_front = 0. At each packet of s bytes (section 3, figure 2):
//!
//! * avg_rate = (avg_rate AVG_INTERVAL + s) / (now - t_front + AVG_INTERVAL); t_front = now.
//!
//! Then (section 4, figure 3), with CTR the `rate` and PTR the `peak`:
//!
//! * avg_rate <= CTR: green; no random number is drawn;
//! * avg_rate <= PTR: yellow with probability P0 = (avg_rate - CTR) / avg_rate, else green; one number is drawn;
//! * above: red with probability P1 = (avg_rate - PTR) / avg_rate, yellow with P2 = (PTR - CTR) / avg_rate, else green;
//!   one number u is drawn: u < P1 is red, u < P1 + P2 yellow.
//!
//! Without `peak` there are two colours: PTR is infinite.
//!
//! # Parameters
//! `rate` is the rate in profile. `window` is AVG_INTERVAL: 1 s for an aggregate of TCP flows, the round-trip time for
//! a single flow (section 5.1). `in`, `out` and `red` are the actions on green, yellow and red packets. Packet sizes
//! are sizes on the wire.
//!
//! With `spread`, as in the first tagger of ns-2, out-of-profile packets are spaced as RED spaces drops. For P0 < 1/2,
//! with n in-profile packets since the last out-of-profile packet, the probability is 0 while n P0 < 1, then P0 / (2 -
//! n P0), and 1 from n P0 = 2 on. No random number is drawn if it is 0.
//!
//! # Differences
//! * No difference from the RFC. With `spread`, ns-2's window is 10 s.

use super::{Action, Conditioner, ConditionerInfo, Part};
use crate::algorithm::drop_spacing::Spacing;
use crate::aqm::{Cx, LinkInfo};
use crate::capabilities::SideInformation;
use crate::scheme::module_doc;
use alloc::vec::Vec;
use penstock_core::param::{Default, ParamError, ParamErrors, Settings};
use penstock_core::{PacketMeta, Rate, Rng, Span, Time};

penstock_core::params! {
    /// Parameters of the time sliding window marker.
    pub struct TswParams {
        /// Rate up to which packets are in profile: the committed target rate CTR.
        rate: Rate = Default::Required, unit: "bit/s", at_least: 0.0;
        /// Rate above which packets are red: the peak target rate PTR; absent: no packet is red.
        peak: Option<Rate> = Default::Absent, unit: "bit/s", at_least: 0.0;
        /// Time over which the rate is averaged.
        window: Span = Default::Nanos(1_000_000_000), unit: "s", at_least: 1e-6;
        /// Action on packets in profile (green).
        within: Action = Default::Text("AF11"), key: "in";
        /// Action on packets out of profile (yellow).
        out: Action = Default::Text("AF12");
        /// Action on packets above the peak rate (red).
        red: Action = Default::Text("AF13");
        /// Space the packets out of profile evenly (ns-2's first tagger).
        spread: bool = Default::Flag(false);
    }
}

/// Time sliding window marker.
#[derive(Clone, Debug)]
pub struct Tsw {
    params: TswParams,
    /// CTR and PTR, in bytes per second.
    ctr: f64,
    ptr: f64,
    /// In bytes per second.
    avg_rate: f64,
    t_front: Time,
    /// In-profile packets since the last out-of-profile packet.
    count: u32,
}

impl Tsw {
    /// The marker; all contradictions in `params`, if there are any.
    pub fn new(params: TswParams, now: Time) -> Result<Self, ParamErrors> {
        let bytes = |rate: Rate| rate.bits_per_second() as f64 / 8.0;
        let (ctr, ptr) = (bytes(params.rate), params.peak.map_or(f64::INFINITY, bytes));
        let mut errors = Vec::new();
        if ptr < ctr {
            errors.push(ParamError::new("peak", "must not be below rate"));
        }
        if params.spread && params.peak.is_some() {
            errors.push(ParamError::new("spread", "must be false where there is a peak"));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Self { params, ctr, ptr, avg_rate: ctr, t_front: now, count: 0 })
    }

    /// Figure 2.
    fn update_rate(&mut self, now: Time, size: u32) {
        let avg_interval = self.params.window.as_secs();
        let new_bytes = self.avg_rate * avg_interval + f64::from(size);
        self.avg_rate = new_bytes / (now.since(self.t_front).as_secs() + avg_interval);
        self.t_front = now;
    }

    /// Figure 3.
    fn mark(&mut self, rng: &mut Rng) -> Action {
        if self.avg_rate <= self.ctr {
            self.count = self.count.saturating_add(1);
            return self.params.within;
        }
        // the fractions of packets above CTR and above PTR
        let p_out = (self.avg_rate - self.ctr) / self.avg_rate;
        let p_red = ((self.avg_rate - self.ptr) / self.avg_rate).max(0.0);
        let p_out = self.spread(p_out);
        let u = if p_out > 0.0 { rng.uniform() } else { 1.0 };
        if u >= p_out {
            self.count = self.count.saturating_add(1);
            return self.params.within;
        }
        self.count = 0;
        if u < p_red { self.params.red } else { self.params.out }
    }

    /// The probability that spaces the packets out of profile.
    fn spread(&self, p: f64) -> f64 {
        if self.params.spread && p < 0.5 { Spacing::Wait.p_a(p, self.count) } else { p }
    }
}

impl Conditioner for Tsw {
    fn side_information(&self) -> SideInformation {
        SideInformation::Unused
    }

    fn on_packet(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Action {
        self.update_rate(cx.now, packet.size);
        self.mark(cx.rng)
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("avg_rate", 8.0 * self.avg_rate);
    }
}

impl Part for Tsw {
    const INFO: ConditionerInfo = ConditionerInfo {
        name: "tsw",
        aliases: &["tswtcm", "tsw2cm", "tsw3cm"],
        title: "Time sliding window marker",
        source: "W. Fang, N. Seddigh, B. Nandy, A Time Sliding Window Three Colour Marker, RFC 2859, 2000",
        doc: module_doc!("tsw.rs"),
        params: TswParams::INFO,
        class_params: &[],
    };

    fn from_settings(settings: &Settings, _link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Self::new(TswParams::from_settings(settings)?, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::bench::{Bench, bench, try_bench};
    use crate::rig::assert_fits;
    use penstock_core::param::Value;

    fn bits(rate: f64) -> Value {
        Value::Number(rate)
    }

    #[test]
    fn the_rate_is_that_of_figure_2() {
        // CTR 8 kbit/s = 1000 B/s, window 1 s
        let mut tsw = bench("tsw", &[("rate", bits(8_000.0))]);
        let mut rate = 1_000.0;
        for (millis, gap, size) in [(0.0, 0.0, 500), (100.0, 0.1, 1_000), (1_100.0, 1.0, 1_500), (9_100.0, 8.0, 40)] {
            tsw.mark(millis, size);
            rate = (rate + f64::from(size)) / (gap + 1.0);
            assert!((tsw.gauge("avg_rate") - 8.0 * rate).abs() < 1e-9);
        }
        // written out: 1500, 2500 / 1.1, (2272.72... + 1500) / 2, (1886.36... + 40) / 9
        assert!((tsw.gauge("avg_rate") / 8.0 - 214.040_404_040).abs() < 1e-6);
    }

    /// The shares of the marks, once the rate has settled at 2 packets of 1000 bytes per millisecond.
    fn shares(tsw: &mut Bench) -> [f64; 3] {
        let mut seen = [0.0; 3];
        for packet in 0..120_000 {
            let mark = tsw.mark(f64::from(packet) * 0.5, 1_000);
            if packet >= 20_000 {
                seen[["AF11", "AF12", "AF13"].iter().position(|&name| name == mark).unwrap()] += 1e-5;
            }
        }
        seen
    }

    #[test]
    fn a_sustained_rate_is_marked_in_proportion() {
        // 16 Mbit/s arrive (avg_rate settles above it by a packet in the window, 0.05 %)
        let close = |seen: [f64; 3], expected: [f64; 3]| {
            let near = seen.iter().zip(expected).all(|(seen, expected)| (seen - expected).abs() < 0.006);
            assert!(near, "{seen:?} instead of {expected:?}");
        };
        close(shares(&mut bench("tsw", &[("rate", bits(16.1e6))])), [1.0, 0.0, 0.0]);
        close(shares(&mut bench("tsw", &[("rate", bits(4e6))])), [0.25, 0.75, 0.0]);
        close(shares(&mut bench("tsw", &[("rate", bits(4e6)), ("peak", bits(12e6))])), [0.25, 0.5, 0.25]);
        // equal rates: no yellow (section 5.2)
        close(shares(&mut bench("tsw", &[("rate", bits(4e6)), ("peak", bits(4e6))])), [0.25, 0.0, 0.75]);
        close(shares(&mut bench("tsw", &[("rate", bits(4e6)), ("peak", bits(20e6))])), [0.25, 0.75, 0.0]);
    }

    #[test]
    fn a_rate_of_nothing_has_nothing_in_profile() {
        assert_eq!(shares(&mut bench("tsw", &[("rate", bits(0.0))]))[0], 0.0);
    }

    #[test]
    fn spread_spaces_the_packets_out_of_profile() {
        // 16 Mbit/s arrive, 12.48 Mbit/s are in profile: P0 = 0.22; n is 5 to 8 with 0.22 / (2 - 5 0.22) each, else 9
        let mut tsw = bench("tsw", &[("rate", bits(12.48e6)), ("spread", Value::Flag(true))]);
        let (mut gaps, mut gap) = (Vec::new(), 0);
        for packet in 0..200_000 {
            if tsw.mark(f64::from(packet) * 0.5, 1_000) == "AF12" {
                gaps.push(gap);
                gap = 0;
            } else {
                gap += 1;
            }
        }
        assert_fits(&gaps[4_000..24_000], 5..=8, |_| 0.22 / 0.9);
    }

    #[test]
    fn contradictions_are_refused() {
        let error = |settings: &[(&str, Value)]| {
            let Err(errors) = try_bench("tsw", settings) else { panic!("taken") };
            errors[0].name.clone()
        };
        assert_eq!(error(&[("rate", bits(2.0)), ("peak", bits(1.0))]), "peak");
        assert_eq!(error(&[("rate", bits(1.0)), ("peak", bits(2.0)), ("spread", Value::Flag(true))]), "spread");
    }
}

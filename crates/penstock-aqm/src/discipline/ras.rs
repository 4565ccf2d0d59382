//! Rate adaptive shaper (RAS), for a single rate (srRAS) and for two rates (trRAS).
//! O. Bonaventure, S. De Cnodder, "A Rate Adaptive Shaper for Differentiated Services", RFC 2963, 2000; section numbers
//! refer to it.
//!
//! # Algorithm
//! A drop-tail queue in order of arrival, drained at a rate that grows with the backlog (sections 2.3 and 2.5):
//!
//! * EAR, the estimated average rate of arrivals: at a packet of L bytes that arrives at time T after the previous
//!   packet, EAR = (1 - exp(-T/K)) L/T + exp(-T/K) EAR; for T = 0 its limit, EAR + L/K;
//! * F(b), the rate for b waiting bytes: CIR up to CIR_th, from there rising linearly to MIR at MIR_th; with a PIR,
//!   rising linearly to PIR at PIR_th and from there to MIR at MIR_th;
//! * the queue is drained at max(EAR, F), at most MIR, and at MIR from MIR_th on.
//!
//! When a packet of L bytes leaves, the next packet may leave 8 L / r later, where r is the rate at that moment. No
//! random number is drawn.
//!
//! # Parameters
//! `cir` and, for two rates, `pir` are the rates of the marker behind the shaper; `mir` is the rate of the line
//! ("auto"). The thresholds `cir_th`, `pir_th` and `mir_th` must be in ascending order like the rates; suitable values
//! depend on the bursts of the marker. `k` is K.
//!
//! # Differences
//! * The RFC gives no thresholds, so they must be set. It also leaves K open; 100 ms is our choice.
//! * If EAR is above MIR, the queue is drained at MIR even below MIR_th, so that a longer queue is never drained more
//!   slowly.
//! * The green shapers of section 3, which use the token count of the marker, are left out.

use super::packet_queue::PacketQueue;
use super::{Discipline, Env, Next, Probe};
use crate::aqm::{Backlog, LinkInfo};
use crate::capabilities::Capabilities;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use penstock_core::param::{Auto, Default, ParamError, ParamErrors, Settings};
use penstock_core::{Bytes, Packet, Rate, Span, Time, math};

penstock_core::params! {
    /// Parameters of the rate adaptive shaper.
    pub struct RasParams {
        /// Lowest rate at which the queue is drained: the committed information rate CIR.
        cir: Rate = Default::Required, unit: "bit/s", at_least: 1.0;
        /// Peak information rate PIR, for two rates.
        pir: Option<Rate> = Default::Absent, unit: "bit/s", at_least: 1.0;
        /// Highest rate at which the queue is drained: the maximum information rate MIR; "auto" is the rate of the
        /// link.
        mir: Auto<Rate> = Default::Text("auto"), unit: "bit/s", at_least: 1.0;
        /// Backlog above which the rate grows beyond CIR.
        cir_th: Bytes = Default::Required, unit: "bytes", at_least: 0.0;
        /// Backlog at which the rate reaches PIR.
        pir_th: Option<Bytes> = Default::Absent, unit: "bytes", at_least: 0.0;
        /// Backlog at which the rate reaches MIR.
        mir_th: Bytes = Default::Required, unit: "bytes", at_least: 0.0;
        /// Time over which the rate of arrivals is averaged.
        k: Span = Default::Nanos(100_000_000), unit: "s", at_least: 1e-6;
    }
}

/// The rate adaptive shaper, in the registry.
pub(crate) struct Ras;

/// The queue and its shaping rate.
struct RasQueue<P> {
    queue: PacketQueue<P>,
    curve: Curve,
    ear: Estimate,
    /// When the next packet may leave.
    due: Time,
}

/// F: corners of (waiting bytes, rate in bit/s), the last one MIR at MIR_th.
struct Curve(Vec<(f64, f64)>);

impl Curve {
    /// Figures 2 and 3.
    fn at(&self, waiting: f64) -> f64 {
        let next = self.0.partition_point(|&(threshold, _)| threshold <= waiting);
        match (next.checked_sub(1).map(|before| self.0[before]), self.0.get(next)) {
            (None, _) => self.0[0].1,
            (Some((_, rate)), None) => rate,
            (Some((from, low)), Some(&(to, high))) => low + (high - low) * (waiting - from) / (to - from),
        }
    }

    fn mir(&self) -> f64 {
        self.0[self.0.len() - 1].1
    }

    /// CIR <= PIR <= MIR and CIR_th <= PIR_th <= MIR_th (sections 2.2 and 2.4).
    fn new(params: &RasParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        let bits = |rate: Rate| rate.bits_per_second() as f64;
        let mir = match params.mir {
            Auto::Value(rate) => rate,
            Auto::Auto => link.rate.max(params.cir).max(params.pir.unwrap_or_default()),
        };
        let mut corners = vec![(params.cir_th, params.cir)];
        let mut errors = Vec::new();
        match (params.pir, params.pir_th) {
            (Some(pir), Some(pir_th)) => corners.push((pir_th, pir)),
            (None, None) => {}
            _ => errors.push(ParamError::new("pir", "and pir_th go together: set both or neither")),
        }
        corners.push((params.mir_th, mir));
        if corners.windows(2).any(|pair| pair[0].1 > pair[1].1) {
            errors.push(ParamError::new("cir", "must not be above pir, nor pir above mir"));
        }
        if corners.windows(2).any(|pair| pair[0].0 > pair[1].0) {
            errors.push(ParamError::new("cir_th", "must not be above pir_th, nor pir_th above mir_th"));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Self(corners.into_iter().map(|(threshold, rate)| (threshold.0 as f64, bits(rate))).collect()))
    }
}

/// The estimated average rate of arrivals.
struct Estimate {
    /// In bit/s.
    ear: f64,
    k: f64,
    last: Time,
}

impl Estimate {
    fn update(&mut self, now: Time, size: u32) {
        let bits = 8.0 * f64::from(size);
        let t = now.since(self.last).as_secs();
        let kept = math::exp(-t / self.k);
        let rate = if t > 0.0 { (1.0 - kept) * bits / t } else { bits / self.k };
        self.ear = rate + kept * self.ear;
        self.last = now;
    }
}

impl<P: Packet> RasQueue<P> {
    /// The shaping rate, in bit/s.
    fn rate(&self) -> f64 {
        self.curve.at(self.queue.total().bytes as f64).max(self.ear.ear).min(self.curve.mir())
    }
}

impl<P: Packet + Send, W: Probe<P> + ?Sized> Discipline<P, W> for RasQueue<P> {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    fn is_fifo(&self) -> bool {
        false
    }

    fn enqueue(&mut self, env: &mut Env<'_, P, W>, packet: P) {
        self.ear.update(env.now, packet.meta().size);
        self.queue.push_or_refuse(env, packet);
    }

    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P> {
        if !self.queue.is_empty() && self.due > env.now {
            return Next::NotBefore(self.due);
        }
        let next = self.queue.serve(env);
        if let Next::Send(packet) = &next {
            self.due = env.now + Span::from_secs(8.0 * f64::from(packet.meta().size) / self.rate());
        }
        next
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.queue.set_limit(link.limit);
    }

    fn reserve(&mut self, packets: u32, _flows: u32) {
        self.queue.reserve(packets);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("ear", self.ear.ear);
        show("rate", self.rate());
    }
}

impl Scheme for Ras {
    const INFO: SchemeInfo = SchemeInfo {
        name: "ras",
        aliases: &["srras", "trras"],
        family: "passive",
        title: "Rate adaptive shaper",
        source: "O. Bonaventure, S. De Cnodder, A Rate Adaptive Shaper for Differentiated Services, RFC 2963, 2000",
        doc: module_doc!("ras.rs"),
        ecn: false,
        params: RasParams::INFO,
        class_params: &[],
        cost: "O(1) time, O(packets) memory",
        build_aqm: None,
        picture: Picture::Response,
        good: "Smooths the bursts of TCP in front of a marker, so that more packets are marked green.",
        bad: "Adds delay, and does not help traffic that does not react to congestion.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, now, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let params = RasParams::from_settings(settings)?;
        let curve = Curve::new(&params, link)?;
        let ear = Estimate { ear: 0.0, k: params.k.as_secs(), last: now };
        Ok(Box::new(RasQueue { queue: PacketQueue::new(link.limit), curve, ear, due: now }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, thesis_link};
    use penstock_core::param::Value;

    fn params(extra: &[(&str, Value)]) -> Vec<(String, Value)> {
        let mut settings = vec![
            ("cir", Value::Number(1e6)),
            ("mir", Value::Number(5e6)),
            ("cir_th", Value::Bytes(10_000.0)),
            ("mir_th", Value::Bytes(30_000.0)),
        ];
        settings.extend_from_slice(extra);
        settings.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
    }

    fn curve(extra: &[(&str, Value)]) -> Result<Curve, ParamErrors> {
        let settings = params(extra);
        Curve::new(&RasParams::from_settings(&settings).unwrap(), &thesis_link())
    }

    #[test]
    fn the_rate_grows_with_what_waits_as_in_figures_2_and_3() {
        let single = curve(&[]).unwrap();
        assert_eq!([0.0, 10_000.0, 15_000.0, 30_000.0, 90_000.0].map(|b| single.at(b)), [1e6, 1e6, 2e6, 5e6, 5e6]);
        let two = curve(&[("pir", Value::Number(2e6)), ("pir_th", Value::Bytes(20_000.0))]).unwrap();
        assert_eq!([9e3, 15e3, 20e3, 25e3, 30e3].map(|b| two.at(b)), [1e6, 1.5e6, 2e6, 3.5e6, 5e6]);
    }

    #[test]
    fn the_average_rate_is_that_of_stoica() {
        let mut estimate = Estimate { ear: 0.0, k: 0.1, last: Time::ZERO };
        // 1000 bytes every 10 ms for a second: 0.8 Mbit/s (1 - exp(-1 / 0.1))
        for packet in 1..=100_u64 {
            estimate.update(Time::from_nanos(packet * 10_000_000), 1_000);
        }
        assert!((estimate.ear - 8e5 * (1.0 - (-10.0_f64).exp())).abs() < 1e-6);
        // another at the same moment: L / K = 80 kbit/s
        let before = estimate.ear;
        estimate.update(Time::from_nanos(1_000_000_000), 1_000);
        assert!((estimate.ear - before - 8e4).abs() < 1e-9);
    }

    /// When packets leave, in microseconds.
    fn departures(rig: &mut Rig) -> Vec<u64> {
        let mut left = Vec::new();
        while rig.waiting() > 0 {
            if rig.depart() {
                left.push(rig.now.as_nanos() / 1_000);
            }
            rig.advance(Span::from_micros(1));
        }
        left
    }

    #[test]
    fn a_short_queue_leaves_at_the_committed_rate_and_a_long_one_faster() {
        // an average over 100 s hardly moves: 20 packets make 1.6 kbit/s
        let slow = [("k", Value::Time(Span::from_secs(100.0)))];
        let mut rig = Rig::on(&thesis_link(), "ras", &params(&slow), 1).unwrap();
        rig.arrive(5);
        assert_eq!(departures(&mut rig), [0, 8_000, 16_000, 24_000, 32_000]);
        rig.advance(Span::from_secs(1.0));
        rig.arrive(20);
        let left = departures(&mut rig);
        let gaps: Vec<u64> = left.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // 19 wait behind the first: 1 + 4 (19 - 10) / 20 = 2.8 Mbit/s, 8000 bits in 2857 us; 18: 2.6 Mbit/s, 3077 us
        assert_eq!(gaps[..2], [2_858, 3_077]);
        assert_eq!(gaps[10..], [8_000; 9]);
    }

    #[test]
    fn a_fast_stream_is_not_held_back_to_the_committed_rate() {
        // 4 Mbit/s arrive at CIR 1 Mbit/s: EAR rises to 4 Mbit/s, and the queue that built up until then stays below 25
        // packets, where F is 4 Mbit/s
        let mut rig = Rig::on(&thesis_link(), "ras", &params(&[]), 1).unwrap();
        for _ in 0..2_000 {
            rig.arrive(1);
            for _ in 0..20 {
                rig.depart();
                rig.advance(Span::from_micros(100));
            }
        }
        assert!((rig.gauge("ear") - 4e6).abs() < 1e5);
        assert!(rig.waiting() <= 25 && rig.counts.dropped_on_arrival == 0);
    }

    #[test]
    fn rates_and_thresholds_must_rise() {
        let names = |extra: &[(&str, Value)]| -> Vec<String> {
            curve(extra).err().unwrap().into_iter().map(|error| error.name).collect()
        };
        assert_eq!(names(&[("pir", Value::Number(9e6)), ("pir_th", Value::Bytes(40_000.0))]), ["cir", "cir_th"]);
        assert_eq!(names(&[("pir", Value::Number(2e6))]), ["pir"]);
    }
}

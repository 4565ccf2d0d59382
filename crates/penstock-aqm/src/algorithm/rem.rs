//! Random Exponential Marking (REM).
//! S. Athuraliya, S. Low, V. Li, Q. Yin, "REM: Active Queue Management", IEEE Network 15(3), 2001, as given by T.
//! Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis, Université Montpellier
//! II, 2004, section 1.2.1.4; equation numbers are the thesis'.
//!
//! # Algorithm
//! A price pl >= 0, initially 0, is updated every `interval` T from the queue K, the queue Kp one interval ago and the
//! target KT. `variant` selects the rule:
//!
//! * "thesis": pl = pl + gamma (K - (1 - alpha) Kp - alpha KT) (equation 1.10);
//! * "ns2": pl = pl + gamma (alpha (Kp - KT) + x - c), where x packets arrived in the interval (dropped packets
//!   included) and the link could send c = C T packets (equation 1.9).
//!
//! Each arriving packet is dropped or marked with probability p = 1 - phi^(-pl) (equation 1.11). A number is drawn for
//! each arrival while 0 < p < 1.
//!
//! # Parameters
//! `gamma` is the gain of the price, `alpha` the weight of the queue relative to the rate: a small alpha gives a higher
//! utilization, a large gamma a price that moves faster and varies more. `target` is KT, in packets or as the time that
//! the link needs to send it. The defaults are those of ns-2; the thesis uses gamma 0.001, phi 1.1 and a target of 10
//! packets.
//!
//! In equilibrium the price is constant: with "thesis" the mean queue is KT. With "ns2" it is KT - (x - c) / alpha,
//! because dropped packets count as arrivals: the higher the loss, the further the queue is below the target, down to
//! empty.
//!
//! # Differences
//! * The paper derives the rule of "thesis" from that of "ns2" by replacing x - c with K - Kp. The two differ by the
//!   packets dropped on arrival.
//! * ns-2's limit is one packet less: its queue of 35 never holds more than 34.
//! * ns-2 can pass x through a low-pass filter whose weight is 1 by default; there is none here.

use super::random_verdict::toss;
use crate::aqm::{Aqm, Backlog, Cx, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, TimerMoves};
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Default, LengthOrTime, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Span, Time, math};

penstock_core::choice! {
    /// The driver of the price.
    pub enum Variant {
        /// The change of the queue (equation 1.10).
        Thesis = "thesis",
        /// The arrivals above the rate (equation 1.9).
        Ns2 = "ns2",
    }
}

penstock_core::params! {
    /// Parameters of REM.
    pub struct RemParams {
        /// Quantity that drives the price: the change of the queue, or the arrivals above the rate.
        variant: Variant = Default::Text("thesis");
        /// Gain of the price.
        gamma: f64 = Default::Number(0.001), range: 0.0..=1000.0;
        /// Weight of the queue's distance from the target.
        alpha: f64 = Default::Number(0.1), range: 0.0..=1.0;
        /// Base of the exponential.
        phi: f64 = Default::Number(1.001), range: 1.0..=1000.0;
        /// Target queue KT.
        target: LengthOrTime = Default::Number(20.0), unit: "packets", at_least: 0.0;
        /// Time between steps of the price.
        interval: Span = Default::Nanos(2_000_000), unit: "s", at_least: 0.000_1;
        /// Typical packet size, for the capacity in packets and to convert a target in time or bytes.
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
    }
}

/// Random Exponential Marking.
#[derive(Clone, Debug)]
pub struct Rem {
    params: RemParams,
    ticker: PeriodicTimer,
    /// KT in packets.
    target: f64,
    /// c in packets.
    sendable: f64,
    /// pl
    price: f64,
    p: f64,
    /// Kp
    previous: f64,
    /// x so far.
    arrived: u32,
}

impl Rem {
    /// The AQM on this link.
    pub fn new(params: RemParams, link: &LinkInfo, now: Time) -> Self {
        let ticker = PeriodicTimer::new(now, params.interval);
        let mut aqm =
            Self { params, ticker, target: 0.0, sendable: 0.0, price: 0.0, p: 0.0, previous: 0.0, arrived: 0 };
        aqm.on_link(now, link);
        aqm
    }

    /// The step of the price, divided by gamma.
    fn mismatch(&self, queue: f64) -> f64 {
        let alpha = self.params.alpha;
        match self.params.variant {
            Variant::Thesis => queue - (1.0 - alpha) * self.previous - alpha * self.target,
            Variant::Ns2 => alpha * (self.previous - self.target) + f64::from(self.arrived) - self.sendable,
        }
    }
}

impl Aqm for Rem {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_timer(TimerMoves::Periodic)
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) -> Verdict {
        self.arrived += 1;
        toss(self.p, self.params.ecn, cx.rng)
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        let capacity = link.rate.packets_per_second(self.params.mean_packet);
        self.target = self.params.target.in_packets(self.params.mean_packet, capacity);
        self.sendable = capacity * self.params.interval.as_secs();
    }

    fn next_timeout(&self) -> Option<Time> {
        self.ticker.next()
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        let queue = f64::from(cx.queue.packets);
        self.price = (self.price + self.params.gamma * self.mismatch(queue)).max(0.0);
        self.p = 1.0 - math::pow(self.params.phi, -self.price);
        self.previous = queue;
        self.arrived = 0;
        self.ticker.advance(cx.now);
    }

    fn resume(&mut self, queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        self.price = gauge("price").unwrap_or(self.price);
        self.p = 1.0 - math::pow(self.params.phi, -self.price);
        self.previous = f64::from(queue.packets);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("price", self.price);
        show("p", self.p);
    }
}

impl AqmScheme for Rem {
    const INFO: SchemeInfo = SchemeInfo {
        name: "rem",
        aliases: &[],
        family: "control",
        title: "Random Exponential Marking (REM)",
        source: "S. Athuraliya, S. Low, V. Li, Q. Yin, REM: Active Queue Management, IEEE Network 15(3), 2001",
        doc: module_doc!("rem.rs"),
        ecn: true,
        params: RemParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "Its target queue does not depend on the load, and prices add up along a path.",
        bad: "Slow to find the price: half a minute after the start the queue of 64 flows is still full; the form of \
              ns-2 empties the queue if many packets are dropped instead of marked.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(RemParams::from_settings(settings)?, link, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Rig;
    use penstock_core::Rng;
    use penstock_core::param::Value;

    fn rem(variant: &str, extra: &[(&str, Value)]) -> Rig {
        let mut settings = vec![("variant", Value::Text(variant.into())), ("target", Value::Number(10.0))];
        settings.extend_from_slice(extra);
        Rig::new("rem", &settings)
    }

    fn tick(rig: &mut Rig) -> f64 {
        rig.advance(Span::from_millis(2));
        rig.gauge("price")
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn the_price_follows_the_queue_in_the_form_of_the_thesis() {
        let mut rig = rem("thesis", &[]);
        rig.arrive(14);
        // 0.001 (14 - 0.9 x 0 - 0.1 x 10), then 0.001 (14 - 0.9 x 14 - 1) more
        assert!(close(tick(&mut rig), 0.013));
        assert!(close(tick(&mut rig), 0.0134));
        (0..8).for_each(|_| assert!(rig.depart()));
        // 6 - 0.9 x 14 - 1 = -7.6
        assert!(close(tick(&mut rig), 0.0058));
        // 6 - 0.9 x 6 - 1 = -0.4, and never below 0
        assert!(close(tick(&mut rig), 0.0054));
        (0..20).for_each(|_| _ = tick(&mut rig));
        assert_eq!(rig.gauge("price"), 0.0);
        assert_eq!(rig.gauge("p"), 0.0);
    }

    #[test]
    fn the_price_rests_at_the_target() {
        let mut rig = rem("thesis", &[]);
        rig.arrive(10);
        let first = tick(&mut rig);
        assert!(close(first, 0.009) && close(tick(&mut rig), first));
    }

    #[test]
    fn the_price_follows_arrivals_in_the_form_of_ns_2() {
        let mut rig = rem("ns2", &[]);
        rig.arrive(14);
        // c = 187.5 x 0.002 = 0.375: 0.001 (0.1 (0 - 10) + 14 - 0.375), then 0.001 (0.1 (14 - 10) + 0 - 0.375)
        assert!(close(tick(&mut rig), 0.012_625));
        assert!(close(tick(&mut rig), 0.012_65));
    }

    #[test]
    fn dropped_arrivals_count_in_the_form_of_ns_2() {
        let mut rig = rem("ns2", &[]);
        rig.arrive(50);
        assert_eq!((rig.waiting(), rig.counts.dropped_on_arrival), (35, 15));
        // 0.1 (0 - 10) + 50 - 0.375
        assert!(close(tick(&mut rig), 0.048_625));
    }

    #[test]
    fn the_probability_is_exponential_in_the_price() {
        let mut rig = rem("thesis", &[("gamma", Value::Number(1.0)), ("phi", Value::Number(1.1))]);
        rig.arrive(11);
        assert!(close(tick(&mut rig), 10.0));
        assert!(close(rig.gauge("p"), 1.0 - 1.1_f64.powi(-10)));
    }

    #[test]
    fn a_target_may_be_a_time() {
        // 53.333 ms at 187.5 packets per second
        let mut rig = rem("thesis", &[]);
        let timed = [("target", Value::Time(Span::from_nanos(53_333_333)))];
        let mut other = Rig::new("rem", &timed);
        for rig in [&mut rig, &mut other] {
            rig.arrive(25);
        }
        assert!((tick(&mut rig) - tick(&mut other)).abs() < 1e-9);
    }

    /// Mean and variance of the queue, the share of time when it is empty, and the losses per arrival, for a Poisson
    /// stream of `load` times the rate, over 450 s after 50 s.
    fn poisson(load: f64, interval: Span, seed: u64) -> [f64; 4] {
        let mut rig = rem("ns2", &[("phi", Value::Number(1.1)), ("interval", Value::Time(interval))]);
        let mut rng = Rng::stream(seed, "poisson");
        let service = Span::from_nanos(5_333_333);
        let (mut arrival, mut departure, mut sample) = (Time::ZERO, None, Time::ZERO);
        let (mut lengths, mut arrived, mut dropped) = (Vec::new(), 0, 0);
        let (start, end) = (Time::ZERO + Span::from_secs(50.0), Time::ZERO + Span::from_secs(500.0));
        while rig.now < end {
            let next = arrival.min(departure.unwrap_or(Time::NEVER)).min(sample);
            rig.advance(next.since(rig.now));
            if departure == Some(next) {
                departure = rig.depart().then(|| next + service);
            } else if next == arrival {
                rig.arrive(1);
                if departure.is_none() {
                    departure = rig.depart().then(|| next + service);
                }
                arrival = next + Span::from_secs(rng.exponential(1.0 / (load * 187.5)));
            } else {
                if next >= start {
                    lengths.push(f64::from(rig.waiting()));
                } else {
                    (arrived, dropped) = (rig.counts.arrived, rig.counts.dropped_on_arrival);
                }
                sample = next + Span::from_millis(10);
            }
        }
        let n = lengths.len() as f64;
        let mean = lengths.iter().sum::<f64>() / n;
        let variance = lengths.iter().map(|length| (length - mean).powi(2)).sum::<f64>() / n;
        let empty = lengths.iter().filter(|&&length| length == 0.0).count() as f64 / n;
        let loss = (rig.counts.dropped_on_arrival - dropped) as f64 / (rig.counts.arrived - arrived) as f64;
        [mean, variance, empty, loss]
    }

    #[test]
    fn open_loop_statistics_are_those_of_ns_2() {
        // a Poisson stream of 1.5 times the rate; ns-2's queue of 35 holds 34. Measured there (3 runs): mean 8.131
        // (0.036), variance 57.3 (2.3), empty 0.130 (0.008), loss 0.367 (0.003); the formula says
        // 10 - 0.1875 / 0.1 = 8.125
        let [mean, variance, empty, loss] = poisson(1.5, Span::from_millis(2), 1);
        assert!((mean - 8.125).abs() < 0.15, "{mean}");
        assert!((variance - 57.3).abs() < 6.0, "{variance}");
        assert!((empty - 0.130).abs() < 0.02, "{empty}");
        assert!((loss - 0.367).abs() < 0.008, "{loss}");
    }
}

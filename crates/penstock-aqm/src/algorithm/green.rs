//! GREEN: generalized random early evasion network.
//! W. Feng, A. Kapadia, S. Thulasidasan, "GREEN: Proactive Queue Management over a Best-Effort Network", Globecom 2002,
//! as given by T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis,
//! Université Montpellier II, 2004, section 1.2.2.1; equation numbers are the thesis'.
//!
//! # Algorithm
//! The drop probability is TCP's square-root formula, solved for the loss rate that gives a flow its fair share L / N
//! of the link. An arriving packet is dropped or marked with probability (equation 1.16)
//!
//! * p = (N MSS c / (gamma L RTT))^2, at most 1,
//!
//! where L is the rate of the link, N the number of flows that sent in the last window, and RTT the round-trip time of
//! the packet's flow. "green-1" has gamma = 1. "green-2" updates gamma at the end of each window from the utilization u
//! of the link in that window:
//!
//! * a packet was lost by overflow: gamma = 0.95 gamma;
//! * otherwise, u < 0.98: gamma = gamma (1 + u) / (2 u), which aims at a utilization halfway between u and 1.
//!
//! A number is drawn for each arrival while 0 < p < 1. Nothing is dropped early in the first window, as N is unknown.
//!
//! # Parameters
//! `c` depends on how receivers acknowledge: sqrt(3/2) if they acknowledge each packet. `window` is the time over which
//! flows and utilization are measured. `mss` "auto" is the largest packet seen. The round-trip time is the value that
//! the sender writes into its packets, or the last value known for the flow. A flow without such a value is given the
//! mean of the other flows or, if no flow has a value, the round-trip time of the link.
//!
//! # Differences
//! * Neither source gives the window, c or the bounds of gamma.
//! * Below u = 0.98 the thesis' text says that gamma lowers the utilization; the formula raises it, as it must.
//! * After a window without traffic (u = 0) gamma is unchanged.

use super::random_verdict::toss;
use crate::aqm::{Aqm, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, SideInformation, TimerMoves};
use crate::per_flow::PerFlow;
use crate::periodic_timer::PeriodicTimer;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::format;
use penstock_core::param::{Auto, Default, ParamError, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Span, Time};

penstock_core::choice! {
    /// Whether the formula is corrected by the measured utilization.
    pub enum Variant {
        /// The formula.
        Green1 = "green-1",
        /// The formula with gamma.
        Green2 = "green-2",
    }
}

penstock_core::params! {
    /// Parameters of GREEN.
    pub struct GreenParams {
        /// The formula alone, or corrected by gamma.
        variant: Variant = Default::Text("green-1");
        /// Constant of the square-root formula, by default the square root of 3/2.
        c: f64 = Default::Number(1.224_744_871_391_589), range: 0.0..=100.0;
        /// Size of a full packet; "auto" is the largest seen.
        mss: Auto<Bytes> = Default::Text("auto"), unit: "bytes", range: 1.0..=1e9;
        /// Time over which flows and utilization are measured.
        window: Span = Default::Nanos(1_000_000_000), unit: "s", at_least: 0.001;
        /// Smallest gamma.
        gamma_low: f64 = Default::Number(0.015_625), range: 0.000_001..=1.0;
        /// Largest gamma.
        gamma_high: f64 = Default::Number(64.0), range: 1.0..=1e6;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
    }
}

#[derive(Clone, Debug, core::default::Default)]
struct Flow {
    /// The last window in which it sent, counted from 1.
    seen: u64,
    rtt: Option<Span>,
}

/// GREEN.
#[derive(Clone, Debug)]
pub struct Green {
    params: GreenParams,
    link: LinkInfo,
    ticker: PeriodicTimer,
    flows: PerFlow<Flow>,
    /// Sum and number of the round-trip times in `flows`.
    rtts: (Span, u32),
    /// Largest packet.
    largest: u32,
    /// N
    n: u32,
    gamma: f64,
    p: f64,
    window: Window,
}

/// The current window.
#[derive(Clone, Debug)]
struct Window {
    number: u64,
    flows: u32,
    sent: u64,
    lost: bool,
}

impl Green {
    /// The AQM on this link.
    pub fn new(params: GreenParams, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        if params.gamma_low > params.gamma_high {
            let message = format!("must not be above gamma_high, {}", params.gamma_high);
            return Err(alloc::vec![ParamError::new("gamma_low", message)]);
        }
        let window = Window { number: 1, flows: 0, sent: 0, lost: false };
        Ok(Self {
            ticker: PeriodicTimer::new(now, params.window),
            params,
            link: *link,
            flows: PerFlow::new(),
            rtts: (Span::ZERO, 0),
            largest: 0,
            n: 0,
            gamma: 1.0,
            p: 0.0,
            window,
        })
    }

    /// Equation 1.16.
    fn probability(&self, rtt: Option<Span>) -> f64 {
        let (Some(rtt), true) = (rtt, self.n > 0) else { return 0.0 };
        let mss = match self.params.mss {
            Auto::Auto => f64::from(self.largest),
            Auto::Value(mss) => mss.0 as f64,
        };
        let wanted = f64::from(self.n) * 8.0 * mss * self.params.c;
        let share = wanted / (self.gamma * self.link.rate.bits_per_second() as f64 * rtt.as_secs());
        // a round-trip time of 0 divides by 0
        (share * share).min(1.0)
    }

    /// Count the packet's flow. Returns its round-trip time, if known.
    fn note(&mut self, packet: &PacketMeta) -> Option<Span> {
        self.largest = self.largest.max(packet.size);
        let flow = self.flows.of(packet.flow);
        if flow.seen < self.window.number {
            flow.seen = self.window.number;
            self.window.flows += 1;
        }
        if let Some(rtt) = packet.rare.and_then(|rare| rare.rtt) {
            let (sum, known) = self.rtts;
            let before = flow.rtt.replace(rtt);
            let rest = Span::from_nanos(sum.as_nanos() - before.unwrap_or(Span::ZERO).as_nanos());
            self.rtts = (rest + rtt, known + u32::from(before.is_none()));
        }
        let (sum, known) = self.rtts;
        let mean = sum.as_nanos().checked_div(u64::from(known)).map(Span::from_nanos);
        flow.rtt.or(mean).or(self.link.rtt)
    }

    /// The end of a window of "green-2".
    fn adapt(&mut self) {
        let link = self.link.rate.bits_per_second() as f64 * self.params.window.as_secs();
        let u = 8.0 * self.window.sent as f64 / link;
        let factor = if self.window.lost {
            0.95
        } else if 0.0 < u && u < 0.98 {
            (1.0 + u) / (2.0 * u)
        } else {
            1.0
        };
        self.gamma = (self.gamma * factor).clamp(self.params.gamma_low, self.params.gamma_high);
    }
}

impl Aqm for Green {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_timer(TimerMoves::Periodic).with_side(SideInformation::AtArrival)
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let rtt = self.note(packet);
        self.p = self.probability(rtt);
        toss(self.p, self.params.ecn, cx.rng)
    }

    fn on_overflow(&mut self, _cx: &mut Cx<'_>, _packet: &PacketMeta) {
        self.window.lost = true;
    }

    fn on_departure(&mut self, _cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        self.window.sent += u64::from(packet.meta.size);
        Verdict::Pass
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.link = *link;
    }

    fn next_timeout(&self) -> Option<Time> {
        self.ticker.next()
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        if self.params.variant == Variant::Green2 {
            self.adapt();
        }
        self.n = self.window.flows;
        self.window = Window { number: self.window.number + 1, flows: 0, sent: 0, lost: false };
        self.ticker.advance(cx.now);
    }

    fn forget_flow(&mut self, _now: Time, flow: u32) {
        if let Some(Flow { rtt: Some(rtt), .. }) = self.flows.get_mut(flow).map(core::mem::take) {
            let (sum, known) = self.rtts;
            self.rtts = (Span::from_nanos(sum.as_nanos() - rtt.as_nanos()), known - 1);
        }
    }

    fn reserve(&mut self, flows: u32) {
        self.flows.reserve(flows);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("n", f64::from(self.n));
        show("gamma", self.gamma);
        show("p", self.p);
    }
}

impl AqmScheme for Green {
    const INFO: SchemeInfo = SchemeInfo {
        name: "green",
        aliases: &[],
        family: "control",
        title: "GREEN",
        source: "W. Feng, A. Kapadia, S. Thulasidasan, GREEN: Proactive Queue Management over a Best-Effort Network, \
                 Globecom 2002",
        doc: module_doc!("green.rs"),
        ecn: true,
        params: GreenParams::INFO,
        class_params: &[],
        cost: "O(1) time, O(flows) memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "Drops before a queue forms: the delay is about a millisecond.",
        bad: "Leaves most of a slow link idle, especially with many flows (16 flows use a fifth of the standard link), \
              and then shares it unequally; gamma swings widely.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Self::new(GreenParams::from_settings(settings)?, link, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Rig;
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Rare};

    const SECOND: Span = Span::from_millis(1000);

    fn packet(flow: u32, rtt_ms: Option<u64>) -> PacketMeta {
        let rare = Some(Rare { rtt: rtt_ms.map(Span::from_millis), ..Rare::default() });
        PacketMeta { flow, size: 1000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare }
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// One second in which each of these flows sends one packet, and all packets leave.
    fn window(rig: &mut Rig, flows: u32, rtt_ms: u64) {
        for flow in 0..flows {
            rig.arrive_packet(packet(flow, Some(rtt_ms)));
        }
        while rig.depart() {}
        rig.advance(SECOND);
    }

    #[test]
    fn the_probability_is_that_of_the_square_root_formula() {
        let mut rig = Rig::new("green", &[]);
        window(&mut rig, 3, 400);
        assert_eq!((rig.gauge("n"), rig.counts.dropped_on_arrival), (3.0, 0));
        // (3 x 8000 x sqrt(1.5) / (1.5e6 x 0.4))^2 = 1.5 x 0.04^2
        rig.arrive_packet(packet(0, Some(400)));
        assert!(close(rig.gauge("p"), 0.0024));
        // half the round-trip time: four times the probability
        rig.arrive_packet(packet(1, Some(200)));
        assert!(close(rig.gauge("p"), 0.0096));
    }

    #[test]
    fn more_flows_are_dropped_more_and_at_most_always() {
        // N = 28 and 0.107 s on the link of the thesis: 2.9, clamped to 1
        let mut rig = Rig::new("green", &[]);
        window(&mut rig, 28, 107);
        rig.arrive_packet(packet(0, Some(107)));
        assert_eq!((rig.gauge("p"), rig.waiting()), (1.0, 0));
    }

    #[test]
    fn an_unknown_round_trip_is_the_flow_s_last_then_the_mean_of_the_others() {
        let mut rig = Rig::new("green", &[]);
        rig.arrive_packet(packet(0, Some(800)));
        rig.arrive_packet(packet(0, Some(300)));
        rig.arrive_packet(packet(1, Some(500)));
        rig.arrive_packet(packet(2, None));
        rig.advance(SECOND);
        let at = |rtt: f64| (3.0 * 8000.0 / (1.5e6 * rtt)).powi(2) * 1.5;
        rig.arrive_packet(packet(1, None));
        assert!(close(rig.gauge("p"), at(0.5)));
        rig.arrive_packet(packet(2, None));
        assert!(close(rig.gauge("p"), at(0.4)));
    }

    #[test]
    fn without_any_round_trip_time_nothing_is_dropped_early() {
        let mut rig = Rig::new("green", &[]);
        rig.arrive(30);
        rig.advance(SECOND);
        rig.arrive(5);
        assert_eq!((rig.gauge("p"), rig.waiting()), (0.0, 35));
    }

    /// gamma of "green-2" after a second in which `sent` packets of 1000 bytes left and `lost` packets overflowed.
    fn gamma(sent: u32, lost: u32) -> f64 {
        let mut rig = Rig::new("green", &[("variant", Value::Text("green-2".into()))]);
        for _ in 0..sent {
            rig.arrive(1);
            rig.depart();
        }
        rig.arrive(if lost > 0 { 35 + lost } else { 0 });
        rig.advance(SECOND);
        rig.gauge("gamma")
    }

    #[test]
    fn gamma_follows_the_use_of_the_link_and_its_losses() {
        // 93.75 packets are half of the 187.5 that a second can hold: (1 + u) / 2 u with u = 90 / 187.5 and 94 / 187.5
        assert!(close(gamma(90, 0), (1.0 + 0.48) / 0.96));
        assert!((gamma(94, 0) - 1.5).abs() < 0.005);
        // 0.98 x 187.5 = 183.75
        assert_eq!(gamma(184, 0), 1.0);
        assert_eq!(gamma(90, 1), 0.95);
        assert_eq!(gamma(0, 0), 1.0);
    }

    #[test]
    fn gamma_divides_the_share_and_green_1_has_none() {
        let p = |variant: &str| {
            let mut rig = Rig::new("green", &[("variant", Value::Text(variant.into()))]);
            window(&mut rig, 3, 400);
            rig.arrive_packet(packet(0, Some(400)));
            rig.gauge("p")
        };
        assert!(close(p("green-1"), 0.0024));
        // u = 3 / 187.5 = 0.016: gamma = 1.016 / 0.032 = 31.75
        assert!(close(p("green-2"), 0.0024 / (31.75 * 31.75)));
    }
}

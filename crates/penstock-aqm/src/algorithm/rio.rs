//! RED with In and Out (RIO).
//! D. Clark, W. Fang, "Explicit Allocation of Best-Effort Packet Delivery Service", IEEE/ACM Trans. Networking 6(4),
//! 1998; as given by B. Alemu, thesis, 2004, section 1.4.3 (Algorithm 15).
//!
//! # Algorithm
//! Two REDs on one queue, with coupled averages:
//!
//! * avg_in is the average number of waiting In packets, updated at each In arrival;
//! * avg_total is the average number of all waiting packets, updated at each arrival;
//! * an In packet is judged by RED with (min_in, max_in, p_in) on avg_in;
//! * an Out packet is judged by RED with (min_out, max_out, p_out) on avg_total.
//!
//! Each of the two is a RED with its own count, idle time and random draws.
//!
//! # Parameters
//! The thresholds and probabilities of the two REDs. In packets are protected if min_out < min_in, p_out > p_in, and
//! max_out is well below max_in. `precedence` selects which packets are In (level 0); all others are Out. Both averages
//! share the weight `w_q`. The defaults are those of ns-2: In 15, 30 and 1/50, Out 5, 15 and 1/5, w_q = 0.002.
//!
//! "auto" gives Out packets the thresholds of RED for an average queueing delay of 5 ms, because RED's average judges
//! them (S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED", 2001, section 4.4). For In packets the literature gives only
//! the order of the thresholds; "auto" keeps the proportions of ns-2's defaults: min_in = max_out, max_in = 2 min_in.
//!
//! # Differences
//! * Algorithm 15 updates avg_total at Out arrivals only; the text of the thesis, and this AQM, update it at every
//!   arrival.
//! * `ns2_quirk` reproduces ns-2's RIO: with the same random numbers it drops the same packets
//!   (`tests/integration/ns2_classes.rs`). Both averages are updated at In arrivals only. An Out arrival ends an idle
//!   time without decay of avg_total. After several idle times avg_in decays over the last one only. Forced drops and
//!   overflows do not restart the count but add to it like arrivals. The count is then large, so the first Out packets
//!   after avg_total has fallen below max_out are still dropped with certainty. ns-2's Out branch also uses the max_p
//!   of its plain RED, 1/10, as p_out: set p_out = 0.1 too.
//! * `guards` count all waiting packets, also when they spare an In packet.

use super::drop_precedence::Precedence;
use super::drop_spacing::Spacing;
use super::measure_in::MeasureIn;
use super::red::{Red, RedParams};
use crate::aqm::{Aqm, Backlog, Cause, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::vec::Vec;
use penstock_core::param::{Auto, Default, Length, ParamError, ParamErrors, Settings};
use penstock_core::{Bytes, Limit, PacketMeta, Rng, Time};

penstock_core::params! {
    /// Parameters of RIO.
    pub struct RioParams {
        /// Average number of queued In packets above which In packets are dropped; "auto" is max_out.
        min_in: Auto<Length> = Default::Number(15.0), unit: "packets", at_least: 0.0;
        /// Average number of queued In packets at which their drop probability reaches p_in; "auto" is twice min_in.
        max_in: Auto<Length> = Default::Number(30.0), unit: "packets", at_least: 0.0;
        /// Drop probability of In packets at max_in.
        p_in: f64 = Default::Number(0.02), range: 0.0..=1.0;
        /// Average total queue length above which Out packets are dropped; "auto" is 2.5 ms at the rate of the link, at least 5
        /// packets.
        min_out: Auto<Length> = Default::Number(5.0), unit: "packets", at_least: 0.0;
        /// Average total queue length at which the drop probability of Out packets reaches p_out; "auto" is three times
        /// min_out.
        max_out: Auto<Length> = Default::Number(15.0), unit: "packets", at_least: 0.0;
        /// Drop probability of Out packets at max_out.
        p_out: f64 = Default::Number(0.2), range: 0.0..=1.0;
        /// Field that gives the drop precedence; packets of drop precedence 0 are In.
        precedence: Precedence = Default::Text("af");
        /// Weight of one arrival in the averages; "auto" gives a time constant of one second.
        w_q: Auto<f64> = Default::Number(0.002), range: 0.0..=1.0;
        /// Let the probabilities rise to 1 at twice max_in and max_out, instead of jumping there.
        gentle: bool = Default::Flag(false);
        /// How drops are spaced.
        spacing: Spacing = Default::Text("wait");
        /// No early or forced drop while at most one packet is queued, and none of the first packet above a lower
        /// threshold (ns-2).
        guards: bool = Default::Flag(true);
        /// Update both averages at In arrivals only, and do not restart the count at forced drops and overflows (ns-2).
        ns2_quirk: bool = Default::Flag(false);
        /// Typical packet size, for idle times and w_q "auto".
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Measure queue and thresholds in packets or in bytes.
        measure_in: MeasureIn = Default::Text("packets");
        /// Mark ECN-capable packets instead of dropping them early, while the average is below max_in or max_out.
        ecn: bool = Default::Flag(false);
    }
}

/// RED with In and Out.
#[derive(Clone, Debug)]
pub struct Rio {
    params: RioParams,
    /// Judges In packets, by the number of waiting In packets.
    red_in: Red,
    /// Judges Out packets, by the number of all waiting packets.
    red_out: Red,
    waiting_in: Waiting,
    /// Whether the link has found the queue empty since a packet was queued.
    idle: bool,
}

/// The waiting packets of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Waiting {
    packets: u32,
    bytes: u64,
}

impl Waiting {
    pub(crate) fn add(&mut self, packet: &PacketMeta) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
    }

    pub(crate) fn remove(&mut self, packet: &PacketMeta) {
        self.packets -= 1;
        self.bytes -= u64::from(packet.size);
    }

    /// The backlog of these packets alone.
    #[inline]
    pub(crate) fn of(self, queue: &Backlog) -> Backlog {
        Backlog { packets: self.packets, bytes: self.bytes, ..*queue }
    }
}

impl RioParams {
    /// The RED of Out packets.
    fn without(&self) -> RedParams {
        self.red([self.min_out, self.max_out], self.p_out)
    }

    /// The RED of In packets on this link.
    fn within(&self, link: &LinkInfo) -> RedParams {
        let without = self.without();
        let or_auto = |length: Auto<Length>, auto: f64| match length {
            Auto::Value(length) => without.in_unit(length),
            Auto::Auto => auto,
        };
        let min_in = or_auto(self.min_in, without.thresholds(link).1);
        let max_in = or_auto(self.max_in, 2.0 * min_in);
        self.red([min_in, max_in].map(|amount| Auto::Value(self.measure_in.length_of(amount))), self.p_in)
    }

    fn red(&self, thresholds: [Auto<Length>; 2], max_p: f64) -> RedParams {
        RedParams {
            w_q: self.w_q.into(),
            gentle: self.gentle,
            spacing: self.spacing,
            guards: self.guards,
            measure_in: self.measure_in,
            ecn: self.ecn,
            ..RedParams::plain(thresholds, max_p, self.mean_packet)
        }
    }
}

impl Rio {
    /// The AQM on this link; all contradictions in `params`, if there are any.
    pub fn new(params: RioParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        // Thresholds of In packets may exceed the limit of the queue, as In packets need not fill it alone.
        let link = LinkInfo { limit: Limit::Infinite, ..*link };
        let red = |names: [&str; 2], red: RedParams| {
            Red::new(red, &link).map_err(|errors| {
                let told = |error: ParamError| match error.name.as_str() {
                    "min_th" => ParamError::new(names[0], error.message.replace("max_th", names[1])),
                    _ => error,
                };
                errors.into_iter().map(told).collect::<Vec<_>>()
            })
        };
        let red_in = red(["min_in", "max_in"], params.within(&link));
        let red_out = red(["min_out", "max_out"], params.without());
        match (red_in, red_out) {
            (Ok(red_in), Ok(red_out)) => {
                Ok(Self { params, red_in, red_out, waiting_in: Waiting::default(), idle: true })
            }
            (red_in, red_out) => Err([red_in.err(), red_out.err()].into_iter().flatten().flatten().collect()),
        }
    }

    fn is_in(&self, packet: &PacketMeta) -> bool {
        self.params.precedence.level(packet.dscp, 2) == 0
    }

    /// The verdict on a packet that finds the queue `q`; the averages are up to date.
    fn judge(&mut self, is_in: bool, q: f64, size: u32, rng: &mut Rng) -> Verdict {
        let red = if is_in { &mut self.red_in } else { &mut self.red_out };
        let before = red.spacer;
        let verdict = red.judge(q, size, rng);
        if self.params.ns2_quirk && matches!(verdict, Verdict::Drop(Cause::Forced)) {
            red.spacer.resume(&before, size);
        }
        verdict
    }
}

impl Aqm for Rio {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let is_in = self.is_in(packet);
        let q = self.red_out.length(&cx.queue);
        if is_in || !self.params.ns2_quirk {
            self.red_out.average.update(cx.now, q);
        } else {
            self.red_out.average.forget_idle();
        }
        if is_in {
            let q_in = self.red_in.length(&self.waiting_in.of(&cx.queue));
            self.red_in.average.update(cx.now, q_in);
        }
        self.judge(is_in, q, packet.size, cx.rng)
    }

    fn on_enqueued(&mut self, _cx: &mut Cx<'_>, packet: &PacketMeta) {
        self.idle = false;
        if self.is_in(packet) {
            self.waiting_in.add(packet);
        }
    }

    fn on_overflow(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) {
        if self.params.ns2_quirk {
            return;
        }
        let red = if self.is_in(packet) { &mut self.red_in } else { &mut self.red_out };
        red.on_overflow(cx, packet);
    }

    fn on_departure(&mut self, _cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        if self.is_in(&packet.meta) {
            self.waiting_in.remove(&packet.meta);
        }
        Verdict::Pass
    }

    fn on_evicted(&mut self, _cx: &mut Cx<'_>, packet: &Departing) {
        if self.is_in(&packet.meta) {
            self.waiting_in.remove(&packet.meta);
        }
    }

    fn on_idle(&mut self, now: Time) {
        if self.params.ns2_quirk {
            if self.idle {
                return;
            }
            self.red_in.average.forget_idle();
        }
        self.idle = true;
        self.red_in.on_idle(now);
        self.red_out.on_idle(now);
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        let link = LinkInfo { limit: Limit::Infinite, ..*link };
        self.red_in.params = self.params.within(&link);
        self.red_in.on_link(now, &link);
        self.red_out.on_link(now, &link);
    }

    /// The average of all packets and the p_b of Out packets, then those of In packets.
    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.red_out.gauges(show);
        let avg_in = self.red_in.average.get();
        show("avg_in", avg_in);
        show("p_b_in", self.red_in.curve.p_b(avg_in));
    }

    /// The drop function of Out packets.
    fn drop_function(&self, average: f64) -> Option<f64> {
        self.red_out.drop_function(average)
    }
}

impl AqmScheme for Rio {
    const INFO: SchemeInfo = SchemeInfo {
        name: "rio",
        aliases: &["rio-c"],
        family: "classes",
        title: "RED with In and Out",
        source: "D. Clark, W. Fang, Explicit Allocation of Best-Effort Packet Delivery Service, \
                 IEEE/ACM Trans. Networking 6(4), 1998",
        doc: module_doc!("rio.rs"),
        ecn: true,
        params: RioParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "Drops of Out packets depend on the whole queue, drops of In packets only on the queued In packets: no \
               In loss if In traffic is policed.",
        bad: "In traffic that is not policed starves Out traffic, which suffers from a queue it did not cause.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Self::new(RioParams::from_settings(settings)?, link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, thesis_link};
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Rate, Span};

    const IN: u8 = 10;
    const OUT: u8 = 12;

    fn packet(dscp: u8) -> PacketMeta {
        PacketMeta { flow: 0, size: 1000, ecn: Ecn::Not, dscp, protocol: 6, rare: None }
    }

    fn send(rig: &mut Rig, dscps: &[u8]) {
        for &dscp in dscps {
            rig.arrive_packet(packet(dscp));
        }
    }

    /// Out thresholds follow Floyd's rule, 2.5 and 7.5 ms at 80 us per packet; In thresholds lie above them; slow links
    /// get ns-2's defaults.
    #[test]
    fn automatic_thresholds_follow_the_link() {
        let fast = LinkInfo { rate: Rate::from_bits_per_second(100_000_000), ..thesis_link() };
        let slow = LinkInfo { rate: Rate::from_bits_per_second(1_000_000), ..thesis_link() };
        let rio = |link: &LinkInfo, given: Option<(&str, Value)>| {
            let mut settings =
                ["min_in", "max_in", "min_out", "max_out"].map(|name| (name, Value::Text("auto".into()))).to_vec();
            if let Some((name, value)) = given {
                settings.retain(|(known, _)| *known != name);
                settings.push((name, value));
            }
            let settings: Vec<_> = settings.into_iter().map(|(name, value)| (name.into(), value)).collect();
            Rio::from_settings(&settings, link, Time::ZERO).expect("the settings are legal")
        };
        let out_and_in = |aqm: &Rio| [aqm.red_out.curve, aqm.red_in.curve].map(|curve| (curve.min_th, curve.max_th));
        assert_eq!(out_and_in(&rio(&fast, None)), [(31.25, 93.75), (93.75, 187.5)]);
        assert_eq!(out_and_in(&rio(&slow, None)), [(5.0, 15.0), (15.0, 30.0)]);
        let given = rio(&fast, Some(("max_out", Value::Number(50.0))));
        assert_eq!(out_and_in(&given), [(31.25, 50.0), (50.0, 100.0)]);
        let bytes = rio(&fast, Some(("measure_in", Value::Text("bytes".into()))));
        assert_eq!(out_and_in(&bytes), [(31_250.0, 93_750.0), (93_750.0, 187_500.0)]);
        // The thresholds follow a change of the rate.
        let mut aqm = rio(&fast, None);
        aqm.on_link(Time::ZERO, &slow);
        assert_eq!(out_and_in(&aqm), [(5.0, 15.0), (15.0, 30.0)]);
    }

    #[test]
    fn in_arrivals_move_both_averages_and_out_arrivals_that_of_all() {
        let mut rig = Rig::new("rio", &[("w_q", Value::Number(0.5))]);
        // packets found, all and In: 0 0, 1 1, 2 1, 3 1, 4 2
        send(&mut rig, &[IN, OUT, OUT, IN, OUT]);
        let total = [0.0, 1.0, 2.0, 3.0, 4.0].iter().fold(0.0, |avg, q| 0.5 * avg + 0.5 * q);
        assert_eq!(rig.gauge("avg"), total);
        // In arrivals found 0 and 1 In packets
        assert_eq!(rig.gauge("avg_in"), 0.5);
    }

    #[test]
    fn ns2_updates_at_in_arrivals_only() {
        let mut rig = Rig::new("rio", &[("w_q", Value::Number(0.5)), ("ns2_quirk", Value::Flag(true))]);
        // In arrivals find 0 and 3 packets
        send(&mut rig, &[IN, OUT, OUT, IN, OUT]);
        assert_eq!((rig.gauge("avg"), rig.gauge("avg_in")), (1.5, 0.5));
    }

    #[test]
    fn in_ns2_an_out_arrival_ends_the_idle_time_of_all_and_the_last_one_counts_for_in() {
        let mut rig = Rig::new("rio", &[("w_q", Value::Number(0.1)), ("ns2_quirk", Value::Flag(true))]);
        let empty = |rig: &mut Rig| while rig.depart() {};
        // packets found, all and In: 0 to 3
        send(&mut rig, &[IN; 4]);
        let avg = [0.0, 1.0, 2.0, 3.0].iter().fold(0.0, |avg, q| 0.9 * avg + 0.1 * q);
        empty(&mut rig);
        rig.advance(Span::from_millis(55));
        send(&mut rig, &[OUT]);
        empty(&mut rig);
        // 16 ms are 3.0 packets: both averages, of all packets and of In packets, decay over this idle time only
        rig.advance(Span::from_millis(16));
        send(&mut rig, &[IN]);
        let after = avg * 0.9_f64.powi(4);
        assert!((rig.gauge("avg_in") - after).abs() < 1e-12 && (rig.gauge("avg") - after).abs() < 1e-12);
        empty(&mut rig);
        rig.advance(Span::from_millis(11));
        send(&mut rig, &[OUT]);
        rig.advance(Span::from_millis(11));
        // 22 ms since the link was idle are 4.1 packets; one Out packet waits
        send(&mut rig, &[IN]);
        assert!((rig.gauge("avg") - (0.9 * after + 0.1)).abs() < 1e-12);
        assert!((rig.gauge("avg_in") - after * 0.9_f64.powi(5)).abs() < 1e-12);
    }

    #[test]
    fn in_ns2_the_count_goes_on_over_forced_drops() {
        // 20 Out packets above max_out are counted: with p_b = 0.2 (14 - 5) / 10 = 0.18 the 22nd is far beyond 2 / p_b
        for (ns2_quirk, dropped) in [(true, 1), (false, 0)] {
            let [w_q, min_in] = [("w_q", 1.0), ("min_in", 20.0)].map(|(name, x)| (name, Value::Number(x)));
            let mut rig = Rig::new("rio", &[w_q, min_in, ("ns2_quirk", Value::Flag(ns2_quirk))]);
            // the first Out packet above min_out counts, too; then the average of all rises to max_out
            send(&mut rig, &[IN; 11]);
            send(&mut rig, &[OUT]);
            send(&mut rig, &[IN; 4]);
            assert_eq!((rig.gauge("avg"), rig.waiting()), (15.0, 16));
            send(&mut rig, &[OUT; 20]);
            assert_eq!(rig.waiting(), 16);
            // and falls to 14
            rig.depart();
            rig.depart();
            send(&mut rig, &[IN]);
            rig.depart();
            send(&mut rig, &[OUT]);
            assert_eq!((rig.gauge("avg"), rig.waiting()), (14.0, 15 - dropped));
        }
    }

    #[test]
    fn out_packets_cannot_make_in_packets_be_dropped() {
        let mut rig = Rig::new(
            "rio",
            &[("w_q", Value::Number(1.0)), ("min_out", Value::Number(25.0)), ("max_out", Value::Number(30.0))],
        );
        send(&mut rig, &[OUT; 20]);
        let before = rig.counts.dropped_on_arrival;
        send(&mut rig, &[IN; 14]);
        assert_eq!((before, rig.counts.dropped_on_arrival), (0, 0));
        // 34 packets wait: an Out packet is above max_out
        send(&mut rig, &[OUT]);
        assert_eq!(rig.counts.dropped_on_arrival, 1);
    }

    #[test]
    fn above_max_in_every_in_packet_is_dropped() {
        let mut rig = Rig::new("rio", &[("w_q", Value::Number(1.0)), ("p_in", Value::Number(0.0))]);
        send(&mut rig, &[IN; 34]);
        // the 32nd In packet and later ones find 31 In packets, which is more than max_in, or 30, which equals it
        assert_eq!(rig.waiting(), 30);
        // an In packet leaves the count of In packets when it leaves the queue
        rig.depart();
        send(&mut rig, &[IN]);
        assert_eq!(rig.waiting(), 30);
    }

    #[test]
    fn both_averages_decay_over_an_idle_period() {
        let mut rig = Rig::new("rio", &[("w_q", Value::Number(0.1))]);
        send(&mut rig, &[IN, IN, IN, IN]);
        let before = (rig.gauge("avg"), rig.gauge("avg_in"));
        while rig.depart() {}
        // 187.5 packets per second: 10.3 packets in 55 ms, so m = 10; then the arrival itself updates the average
        rig.advance(Span::from_millis(55));
        send(&mut rig, &[IN]);
        let decay = 0.9_f64.powi(11);
        assert!((rig.gauge("avg") - before.0 * decay).abs() < 1e-12);
        assert!((rig.gauge("avg_in") - before.1 * decay).abs() < 1e-12);
    }

    #[test]
    fn rio_is_wred_while_only_out_packets_are_dropped() {
        let rio = [("min_in", 1e6), ("max_in", 2e6), ("p_out", 0.1)];
        let rio: Vec<_> = rio.map(|(name, x)| (name.into(), Value::Number(x))).into();
        let link = LinkInfo { limit: Limit::Infinite, ..thesis_link() };
        let mut rigs = [
            Rig::on(&link, "rio", &rio, 1).unwrap(),
            Rig::on(&link, "wred", &[("w_q".into(), Value::Number(0.002))], 1).unwrap(),
        ];
        let mut script = Rng::stream(1, "script");
        for _ in 0..50_000 {
            let arrival = script.chance(0.515).then(|| if script.chance(0.5) { IN } else { OUT });
            for rig in &mut rigs {
                match arrival {
                    Some(dscp) => rig.arrive_packet(packet(dscp)),
                    None => drop(rig.depart()),
                }
                rig.advance(Span::from_millis(1));
            }
            assert_eq!(rigs[0].counts, rigs[1].counts);
        }
        assert!(rigs[0].counts.dropped_on_arrival > 100);
    }

    #[test]
    fn crossed_thresholds_are_told_by_their_own_names() {
        let settings = [("min_in".into(), Value::Number(30.0)), ("max_out".into(), Value::Number(5.0))];
        let errors = Rio::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap_err();
        let told: Vec<_> = errors.iter().map(|error| (error.name.as_str(), error.message.as_str())).collect();
        let crossed_in = "must be below max_in, 30 packets";
        let crossed_out = "must be below max_out, 5 packets";
        assert_eq!(told, [("min_in", crossed_in), ("min_out", crossed_out)]);
    }
}

//! AVQ: the adaptive virtual queue.
//! S. Kunniyur, R. Srikant, "Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for Active Queue
//! Management", SIGCOMM 2001, as given by T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the
//! Internet", PhD thesis, Université Montpellier II, 2004, section 1.2.2.2; equation numbers are the thesis'.
//!
//! # Algorithm
//! The AQM simulates a virtual queue VQ whose capacity C~ is below the capacity C of the link. For a packet of b bytes
//! that arrives at t, after the previous packet arrived at s (Algorithm 9):
//!
//! * VQ = max(VQ - C~ (t - s), 0);
//! * if VQ + b > B~, drop or mark the packet, else VQ = VQ + b;
//! * C~ = max(min(C~ + alpha gamma C (t - s), C) - alpha b, 0).
//!
//! So dC~/dt = alpha (gamma C - lambda) with the rate lambda of the arrivals (equation 1.17). No random number is drawn.
//!
//! # Parameters
//! `gamma` is the target utilization; `alpha` is the damping: with a larger alpha C~ follows the load faster, and
//! oscillates if alpha is too large. "auto" is the design rule for N flows, the capacity C, and the round-trip time
//! through a full queue, R = B / C + `rtt`. With K11 = N / (gamma C R^2) and K2 = (2/3) gamma C / N, it is the alpha
//! that solves omega R + arctan(omega / K11) - arctan(omega / alpha) = pi / 2, where omega^2 = (d + sqrt(d^2 + 4 K2^2
//! alpha^2)) / 2 and d = K2^2 - K11^2. If no alpha solves this, it is K11. `buffer` is B~; "auto" is the limit of the
//! queue. `initial` is the initial C~ as a share of C; "auto" is gamma. With `measure_in = "packets"`, the default,
//! each b is 1 and C is in packets of `mean_packet` size; the paper uses bytes.
//!
//! `on_drop` selects the effect of a packet that is dropped instead of marked:
//! * "refill": C~ grows by alpha gamma C (t - s), and the packet does not count in lambda;
//! * "charge": it counts in lambda, as in the paper, where packets are marked and therefore enter the queue;
//! * "skip": nothing changes, not even s (as in ns-2).
//!
//! `cap` selects whether C limits C~ "before" the packet is charged, as above, or "after", which lets C~ reach C while
//! packets arrive: max(min(C~ + alpha gamma C (t - s) - alpha b, C), 0). It matters only for gamma near 1.
//!
//! # Differences
//! * Algorithm 9 of the thesis lacks "- alpha b", without which C~ can only grow; equation 1.17 has it.
//! * Theorem 1 of the thesis, as printed, has no solution for the thesis' own alpha of 0.251; "auto" is the corrected
//!   rule.
//! * A packet that VQ accepts counts in VQ and lambda even if it overflows the real queue, as in the algorithm.
//! * These settings reproduce ns-2: `measure_in = "bytes"`, `on_drop = "skip"`, `cap = "after"`, `initial = 0.8`. The
//!   alpha of ns-2 cannot be set. The settings were inferred from the results of ns-2: with 3 flows on the thesis'
//!   link, where ns-2 draws no random numbers, all results are then identical.

use super::link_facts;
use super::measure_in::MeasureIn;
use crate::aqm::{Aqm, Cause, Cx, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Auto, Default, Length, ParamError, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Time};
use penstock_model::avq_design;

penstock_core::choice! {
    /// Effect of a dropped packet on the virtual queue and its capacity.
    pub enum OnDrop {
        /// The capacity grows with time, and the packet does not count as an arrival.
        Refill = "refill",
        /// The packet counts as an arrival.
        Charge = "charge",
        /// None.
        Skip = "skip",
    }
}

penstock_core::choice! {
    /// When the link's capacity limits the virtual one.
    pub enum Cap {
        /// Before the packet is charged.
        Before = "before",
        /// After the packet is charged.
        After = "after",
    }
}

penstock_core::params! {
    /// Parameters of AVQ.
    pub struct AvqParams {
        /// Target utilization.
        gamma: f64 = Default::Number(0.98), range: 0.0..=1.0;
        /// Damping of the virtual capacity; "auto" derives it from flows, round-trip time and rate.
        alpha: Auto<f64> = Default::Number(0.15), range: 0.0..=1000.0;
        /// Size of the virtual queue; "auto" is the limit of the queue.
        buffer: Auto<Length> = Default::Text("auto"), unit: "packets", at_least: 0.0;
        /// Initial virtual capacity, as a share of the link's; "auto" is gamma.
        initial: Auto<f64> = Default::Text("auto"), range: 0.0..=1.0;
        /// Effect of a dropped packet on the virtual queue and its capacity.
        on_drop: OnDrop = Default::Text("refill");
        /// Whether the link's capacity limits the virtual one before a packet is charged or after it.
        cap: Cap = Default::Text("before");
        /// Measure the virtual queue in packets or in bytes.
        measure_in: MeasureIn = Default::Text("packets");
        /// Typical packet size.
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
    }
}

/// Values derived from the parameters and the link.
#[derive(Clone, Debug)]
struct Derived {
    alpha: f64,
    /// C per second, in the unit of the virtual queue.
    capacity: f64,
    /// B~ in the unit of the virtual queue.
    buffer: f64,
}

#[derive(Clone, Debug)]
struct AvqVars {
    /// VQ
    virtual_queue: f64,
    /// C~
    virtual_capacity: f64,
    /// s; `None` before the first packet.
    last: Option<Time>,
}

/// The adaptive virtual queue.
#[derive(Clone, Debug)]
pub struct Avq {
    params: AvqParams,
    derived: Derived,
    vars: AvqVars,
}

impl Derived {
    fn new(params: &AvqParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        let alpha = match params.alpha {
            Auto::Value(alpha) => alpha,
            Auto::Auto if params.gamma > 0.0 => {
                let plant = link_facts::plant("alpha", params.mean_packet, link).map_err(|error| alloc::vec![error])?;
                avq_design::alpha_star(&plant, params.gamma)
            }
            Auto::Auto => return Err(alloc::vec![ParamError::new("gamma", "must be above 0 for alpha \"auto\"")]),
        };
        let packets = match params.buffer {
            Auto::Value(length) => length.in_packets(params.mean_packet),
            Auto::Auto => link.limit.in_packets(params.mean_packet).unwrap_or(f64::INFINITY),
        };
        let unit = match params.measure_in {
            MeasureIn::Packets => params.mean_packet,
            MeasureIn::Bytes => Bytes(1),
        };
        let buffer = packets * params.mean_packet.0 as f64 / unit.0 as f64;
        Ok(Self { alpha, capacity: link.rate.packets_per_second(unit), buffer })
    }
}

impl Avq {
    /// b of this packet.
    fn size(&self, packet: &PacketMeta) -> f64 {
        match self.params.measure_in {
            MeasureIn::Packets => 1.0,
            MeasureIn::Bytes => f64::from(packet.size),
        }
    }
}

impl Aqm for Avq {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    /// Algorithm 9.
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let AvqParams { gamma, on_drop, ecn, .. } = self.params;
        let Derived { alpha, capacity, buffer } = self.derived;
        let b = self.size(packet);
        let elapsed = self.vars.last.map_or(0.0, |last| cx.now.since(last).as_secs());
        let virtual_queue = (self.vars.virtual_queue - self.vars.virtual_capacity * elapsed).max(0.0);
        let fits = virtual_queue + b <= buffer;
        let passes = fits || (ecn && packet.ecn.is_capable());
        if !passes && on_drop == OnDrop::Skip {
            return Verdict::Drop(Cause::Early);
        }
        let counted = if passes || on_drop == OnDrop::Charge { b } else { 0.0 };
        let refilled = self.vars.virtual_capacity + alpha * gamma * capacity * elapsed;
        let virtual_capacity = match self.params.cap {
            Cap::Before => refilled.min(capacity) - alpha * counted,
            Cap::After => (refilled - alpha * counted).min(capacity),
        };
        self.vars = AvqVars {
            virtual_queue: if fits { virtual_queue + b } else { virtual_queue },
            virtual_capacity: virtual_capacity.max(0.0),
            last: Some(cx.now),
        };
        match (fits, passes) {
            (true, _) => Verdict::Pass,
            (false, true) => Verdict::Mark(Cause::Early),
            (false, false) => Verdict::Drop(Cause::Early),
        }
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        // On a link without the facts that alpha "auto" needs, the AQM keeps its settings.
        if let Ok(derived) = Derived::new(&self.params, link) {
            self.derived = derived;
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("virtual_queue", self.vars.virtual_queue);
        show("virtual_capacity", self.vars.virtual_capacity);
    }
}

impl AqmScheme for Avq {
    const INFO: SchemeInfo = SchemeInfo {
        name: "avq",
        aliases: &[],
        family: "rate",
        title: "Adaptive virtual queue (AVQ)",
        source: "S. Kunniyur, R. Srikant, Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for Active \
                 Queue Management, SIGCOMM 2001",
        doc: module_doc!("avq.rs"),
        ecn: true,
        params: AvqParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory, no random number",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "Short queues of little variance under heavy load, because it acts on the rate of the arrivals.",
        bad: "It has no target for the queue, and leaves some of the link idle when it drops instead of marking. It \
              must know the packet size: set to 1000 bytes, it never acts on packets of 1500 bytes.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        let params = AvqParams::from_settings(settings)?;
        let derived = Derived::new(&params, link)?;
        let share = match params.initial {
            Auto::Value(share) => share,
            Auto::Auto => params.gamma,
        };
        let virtual_capacity = share * derived.capacity;
        Ok(Self { params, derived, vars: AvqVars { virtual_queue: 0.0, virtual_capacity, last: None } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, thesis_link};
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Span};

    /// C = 187500 bytes/s; gamma 0.8, alpha 0.5, room for 4 packets of 1000 bytes.
    fn small(extra: &[(&str, Value)]) -> Rig {
        let mut settings = vec![
            ("gamma", Value::Number(0.8)),
            ("alpha", Value::Number(0.5)),
            ("buffer", Value::Packets(4.0)),
            ("measure_in", Value::Text("bytes".into())),
        ];
        settings.retain(|(name, _)| extra.iter().all(|(other, _)| other != name));
        settings.extend_from_slice(extra);
        Rig::new("avq", &settings)
    }

    fn on_drop(word: &str) -> (&str, Value) {
        ("on_drop", Value::Text(word.into()))
    }

    fn state(rig: &Rig) -> (f64, f64) {
        (rig.gauge("virtual_queue"), rig.gauge("virtual_capacity"))
    }

    #[test]
    fn virtual_queue_and_capacity_follow_algorithm_9() {
        let mut rig = small(&[]);
        assert_eq!(state(&rig), (0.0, 150_000.0));
        rig.arrive(3);
        // 3 packets, each of which takes alpha b = 500 off C~
        assert_eq!(state(&rig), (3000.0, 148_500.0));
        rig.advance(Span::from_millis(10));
        rig.arrive(1);
        // 1485 bytes drained; C~ gains 0.5 0.8 187500 0.01 = 750 and loses 500
        assert_eq!(state(&rig), (2515.0, 148_750.0));
    }

    #[test]
    fn the_virtual_capacity_stays_between_0_and_the_links() {
        let mut rig = small(&[("alpha", Value::Number(100.0))]);
        rig.arrive(3);
        assert_eq!(rig.gauge("virtual_capacity"), 0.0);
        rig.advance(Span::from_secs(1.0));
        rig.arrive(1);
        assert_eq!(rig.gauge("virtual_capacity"), 187_500.0 - 100_000.0);
    }

    #[test]
    fn the_limit_comes_before_the_charge_or_after_it() {
        for (cap, expected) in [("before", 187_000.0), ("after", 187_500.0)] {
            let mut rig = small(&[("cap", Value::Text(cap.into())), ("initial", Value::Number(1.0))]);
            rig.arrive(1);
            // C~ gains 75000 0.1 = 7500 and loses 500
            rig.advance(Span::from_millis(100));
            rig.arrive(1);
            assert_eq!(rig.gauge("virtual_capacity"), expected);
        }
    }

    /// The fifth packet at once finds the virtual queue full; 10 ms later comes another.
    fn after_a_drop(word: &str) -> [(f64, f64); 2] {
        let mut rig = small(&[on_drop(word)]);
        rig.arrive(4);
        assert_eq!(rig.counts.dropped_on_arrival, 0);
        rig.advance(Span::from_millis(2));
        rig.arrive(1); // 4000 - 148000 0.002 = 3704: no room
        assert_eq!(rig.counts.dropped_on_arrival, 1);
        let first = state(&rig);
        rig.advance(Span::from_millis(8));
        rig.arrive(1);
        assert_eq!(rig.counts.dropped_on_arrival, 1);
        [first, state(&rig)]
    }

    fn assert_close(found: [(f64, f64); 2], expected: [(f64, f64); 2]) {
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found.0 - expected.0).abs() < 1e-6 && (found.1 - expected.1).abs() < 1e-6, "{found:?}");
        }
    }

    #[test]
    fn a_dropped_packet_refills() {
        // C~ gains 75000 0.002 = 150; then VQ drains 148150 0.008, and C~ gains 600 and loses 500
        assert_close(after_a_drop("refill"), [(3704.0, 148_150.0), (3704.0 - 1185.2 + 1000.0, 148_250.0)]);
    }

    #[test]
    fn a_dropped_packet_counts_as_an_arrival_if_told() {
        assert_close(after_a_drop("charge"), [(3704.0, 147_650.0), (3704.0 - 1181.2 + 1000.0, 147_750.0)]);
    }

    #[test]
    fn a_dropped_packet_leaves_all_as_it_was_if_told() {
        assert_close(after_a_drop("skip"), [(4000.0, 148_000.0), (4000.0 - 1480.0 + 1000.0, 148_250.0)]);
    }

    #[test]
    fn a_marked_packet_is_an_arrival_that_the_virtual_queue_does_not_hold() {
        for word in ["refill", "charge", "skip"] {
            let mut rig = small(&[on_drop(word), ("ecn", Value::Flag(true))]);
            (0..5).for_each(|_| rig.arrive_as(1000, Ecn::Ect0));
            assert_eq!((rig.counts.marked, rig.counts.queued), (1, 5));
            assert_eq!(state(&rig), (4000.0, 147_500.0));
        }
    }

    #[test]
    fn a_packet_without_room_in_the_real_queue_counts_all_the_same() {
        let mut rig = small(&[("buffer", Value::Packets(100.0))]);
        rig.arrive(36);
        assert_eq!(rig.counts.queued, 35);
        assert_eq!(state(&rig), (36_000.0, 150_000.0 - 36.0 * 500.0));
    }

    #[test]
    fn an_overloaded_link_is_used_to_gamma() {
        // 300 packets per second arrive at a link of 187.5 packets per second with gamma 0.8: 150 per second pass
        let mut rig = small(&[]);
        for step in 0..120_000_u32 {
            rig.arrive(1);
            rig.depart();
            rig.advance(Span::from_nanos(3_333_333));
            if step == 20_000 {
                rig.counts.queued = 0;
            }
        }
        assert!((rig.counts.queued as f64 / 100_000.0 - 0.5).abs() < 0.002, "{}", rig.counts.queued);
    }

    #[test]
    fn a_virtual_queue_in_packets_is_the_same_for_packets_of_the_typical_size() {
        let packets = [("measure_in", Value::Text("packets".into()))];
        let (mut in_packets, mut in_bytes) = (small(&packets), small(&[]));
        for step in 0..1000_u64 {
            for rig in [&mut in_packets, &mut in_bytes] {
                rig.arrive(1);
                rig.depart();
                rig.advance(Span::from_micros(4000 + step % 7 * 100));
            }
            assert_eq!(in_packets.counts, in_bytes.counts);
            assert!((in_packets.gauge("virtual_queue") - in_bytes.gauge("virtual_queue") / 1000.0).abs() < 1e-9);
        }
        assert!(in_packets.counts.dropped_on_arrival > 0);
        in_packets.arrive_as(40, Ecn::Not);
        assert!(in_packets.counts.dropped_on_arrival > in_bytes.counts.dropped_on_arrival);
    }

    #[test]
    fn automatic_alpha_is_that_of_the_design_rule() {
        let auto = [("alpha".into(), Value::Text("auto".into())), ("gamma".into(), Value::Number(1.0))];
        let on = |flows| LinkInfo { rtt: Some(Span::from_nanos(65_333_333)), flows: Some(flows), ..thesis_link() };
        assert!((Avq::from_settings(&auto, &on(3), Time::ZERO).unwrap().derived.alpha - 0.2520).abs() < 1e-4);
        assert!((Avq::from_settings(&auto, &on(28), Time::ZERO).unwrap().derived.alpha - 4.2013).abs() < 1e-3);
        assert_eq!(Avq::from_settings(&auto, &thesis_link(), Time::ZERO).unwrap_err()[0].name, "alpha");
    }
}

//! Nonlinear RED: a drop profile through free points.
//! Juniper Networks, "Junos OS Class of Service User Guide", sections "RED Drop Profiles Overview", "Configuring RED Drop
//! Profiles" and "Configuring Weighted RED Buffer Occupancy". The average is RED's: S. Floyd, V. Jacobson, "Random Early
//! Detection Gateways for Congestion Avoidance", IEEE/ACM Trans. Networking 1(4), 1993, section 4.
//!
//! # Algorithm
//! At each arrival the average of the queue is updated as in RED. The fill level f is this average divided by the limit
//! of the queue. An arriving packet is dropped or marked with the probability p(f) of the profile:
//!
//! * with `interpolate`, p is the line from (0, 0) through the points to (1, 1);
//! * without it, p is a step function (a segmented profile): 0 below the first point, from each point on the
//!   probability of that point, and 1 at f = 1;
//! * a point with fill level 0 or 1 replaces the end point (0, 0) or (1, 1).
//!
//! A number is drawn for each arrival while p lies between 0 and 1: drops are independent of each other, and gaps
//! between them geometric. Where p = 1 every packet is dropped, ECN-capable packets too: a forced drop, as in RED above
//! max_th.
//!
//! # Parameters
//! `fill_level` and `drop_probability` list the coordinates of 1 to 64 points, by rising fill level. Both are
//! fractions: Junos' 40 percent is 0.4. The probability may also fall from point to point. `w_q` is the weight of one
//! arrival in the average; the names "auto", "auto_rtt" and "auto_fast" are RED's. 1 means the instantaneous queue, as
//! in Junos unless a weight 2^-n is configured (`instant-usage-weight-exponent`). Without a limit of the queue the fill
//! level is always 0.
//!
//! # Differences
//! * Junos puts 64 points on the line and has a step at each; here the line is exact.
//! * A Junos router drops packets when they reach the head of the queue; here they are dropped when they arrive.
//! * The average decays over idle times as in RED; the guide does not mention them.
//! * The guide describes drops only; marking is RED's.
//! * On some switches every packet is dropped above the last fill level: to model this, add a further point with
//!   probability 1.
//! * The default points are ours: RED's probability of 0.1 at half of the limit, and a steeper rise above it.
//! * NLRED (Zhou, Yeung, Li 2006), whose drop function is a parabola, is RED with `nonlinear`.

use super::average_queue::{Average, Filter, Weight};
use super::measure_in::MeasureIn;
use super::random_verdict::toss;
use crate::aqm::{Aqm, Backlog, Cause, Cx, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::format;
use alloc::vec::Vec;
use penstock_core::param::{Default, Length, ParamError, ParamErrors, Settings};
use penstock_core::{Bytes, PacketMeta, Time};

/// Maximum number of points in Junos.
const MOST_POINTS: usize = 64;

penstock_core::params! {
    /// Parameters of nonlinear RED.
    pub struct NonlinearParams {
        /// Fill levels of the points: the average queue as a share of the limit, rising.
        fill_level: Vec<f64> = Default::Numbers(&[0.2, 0.5, 0.8]), range: 0.0..=1.0;
        /// Drop probability at each of the points.
        drop_probability: Vec<f64> = Default::Numbers(&[0.0, 0.1, 0.4]), range: 0.0..=1.0;
        /// Interpolate linearly between the points, instead of a step at each.
        interpolate: bool = Default::Flag(true);
        /// Weight of one arrival in the average queue. "auto" gives a time constant of one second, "auto_rtt" of ten round
        /// trips, "auto_fast" of 0.1 s.
        w_q: Weight = Default::Text("auto"), range: 0.0..=1.0;
        /// Typical packet size, for idle times and w_q "auto".
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=1e9;
        /// Measure queue and limit in packets or in bytes.
        measure_in: MeasureIn = Default::Text("packets");
        /// Mark ECN-capable packets instead of dropping them while the probability is below 1.
        ecn: bool = Default::Flag(false);
    }
}

/// A point of a profile.
#[derive(Clone, Copy, Debug)]
struct Point {
    fill: f64,
    p: f64,
}

/// Nonlinear RED.
#[derive(Clone, Debug)]
pub struct Nonlinear {
    params: NonlinearParams,
    average: Average,
    /// The points by rising fill level, the first at 0 and the last at 1.
    profile: Vec<Point>,
    /// The limit of the queue, in the unit it is measured in.
    limit: f64,
}

impl Nonlinear {
    /// The AQM on this link; all contradictions in `params`, if there are any.
    pub fn new(params: NonlinearParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        let errors = params.errors();
        if !errors.is_empty() {
            return Err(errors);
        }
        let (average, limit) = (Average::new(params.filter(link)), params.limit(link));
        Ok(Self { profile: params.profile(), params, average, limit })
    }

    /// The drop probability at this average.
    #[inline]
    fn p(&self, avg: f64) -> f64 {
        let fill = if self.limit > 0.0 { avg / self.limit } else { 1.0 };
        let next = self.profile.partition_point(|point| point.fill <= fill);
        let from = self.profile[next - 1];
        match self.profile.get(next) {
            Some(to) if self.params.interpolate => {
                from.p + (to.p - from.p) * (fill - from.fill) / (to.fill - from.fill)
            }
            _ => from.p,
        }
    }
}

impl NonlinearParams {
    /// The points, plus the end points that are not among them.
    fn profile(&self) -> Vec<Point> {
        let points = self.fill_level.iter().zip(&self.drop_probability).map(|(&fill, &p)| Point { fill, p });
        let start = (self.fill_level.first() != Some(&0.0)).then_some(Point { fill: 0.0, p: 0.0 });
        let end = (self.fill_level.last() != Some(&1.0)).then_some(Point { fill: 1.0, p: 1.0 });
        start.into_iter().chain(points).chain(end).collect()
    }

    fn filter(&self, link: &LinkInfo) -> Filter {
        let capacity = link.rate.packets_per_second(self.mean_packet);
        Filter { w_q: self.w_q.w_q(capacity, link), capacity, whole: false }
    }

    /// The limit of the queue in the unit it is measured in.
    fn limit(&self, link: &LinkInfo) -> f64 {
        self.measure_in.limit(link, self.mean_packet)
    }

    /// One to 64 points with rising fill levels.
    fn errors(&self) -> ParamErrors {
        let mut errors = ParamErrors::new();
        let (levels, probabilities) = (self.fill_level.len(), self.drop_probability.len());
        if !(1..=MOST_POINTS).contains(&levels) {
            let message = format!("must have 1 to {MOST_POINTS} entries: it has {levels}");
            errors.push(ParamError::new("fill_level", message));
        }
        if probabilities != levels {
            let message = format!("must have an entry for each fill level, {levels}: it has {probabilities}");
            errors.push(ParamError::new("drop_probability", message));
        }
        let mut steps = self.fill_level.iter().zip(self.fill_level.iter().skip(1));
        if let Some((one, next)) = steps.find(|(one, next)| one >= next) {
            errors.push(ParamError::new("fill_level", format!("must rise: {next} follows {one}")));
        }
        errors
    }
}

impl Aqm for Nonlinear {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) -> Verdict {
        let q = self.params.measure_in.backlog(&cx.queue);
        self.average.update(cx.now, q);
        let p = self.p(self.average.get());
        if p >= 1.0 { Verdict::Drop(Cause::Forced) } else { toss(p, self.params.ecn, cx.rng) }
    }

    fn on_idle(&mut self, now: Time) {
        self.average.on_idle(now);
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.average.filter = self.params.filter(link);
        self.limit = self.params.limit(link);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        let avg = self.average.get();
        show("avg", avg);
        show("p", self.p(avg));
    }

    fn resume(&mut self, _queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        if let Some(avg) = gauge("avg") {
            self.average.resume(avg);
        }
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        Some(self.p(self.params.measure_in.length(Length::Packets(average), self.params.mean_packet)))
    }
}

impl AqmScheme for Nonlinear {
    const INFO: SchemeInfo = SchemeInfo {
        name: "nonlinear",
        aliases: &["drop-profile"],
        family: "RED",
        title: "Nonlinear RED with free points (drop profile)",
        source: "Juniper Networks, Junos OS Class of Service User Guide, RED Drop Profiles Overview",
        doc: module_doc!("nonlinear.rs"),
        ecn: true,
        params: NonlinearParams::INFO,
        class_params: &[],
        cost: "O(1) memory and O(log points) time, at most 64 points",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "The drop probability can take any shape: with the default points 16 flows fill the standard link, and \
               share it more fairly than with RED.",
        bad: "Delay follows the load along the profile: with the default points 28 ms with 4 flows, 65 ms with 64. The \
              guide has no rule for the points.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Self::new(NonlinearParams::from_settings(settings)?, link)
    }
}

#[cfg(test)]
mod tests {
    use crate::aqm::LinkInfo;
    use crate::rig::{Rig, assert_fits, thesis_link};
    use crate::{Probe, build};
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Limit, PacketMeta, Time};

    type Setting = (&'static str, Value);

    /// Points in percent, as in Junos.
    fn points(levels: &[u8], probabilities: &[u8]) -> Vec<Setting> {
        let shares = |list: &[u8]| Value::Numbers(list.iter().map(|&percent| f64::from(percent) / 100.0).collect());
        vec![("fill_level", shares(levels)), ("drop_probability", shares(probabilities))]
    }

    /// The AQM on a queue of 100 packets, with an average that equals the queue.
    fn instantaneous(mut settings: Vec<Setting>, extra: &[Setting]) -> Rig {
        settings.push(("w_q", Value::Number(1.0)));
        settings.extend_from_slice(extra);
        let settings: Vec<_> = settings.into_iter().map(|(name, value)| (String::from(name), value)).collect();
        Rig::on(&LinkInfo { limit: Limit::Packets(100), ..thesis_link() }, "nonlinear", &settings, 1).unwrap()
    }

    fn assert_profile(rig: &Rig, expected: &[(f64, f64)]) {
        for &(average, p) in expected {
            assert!((rig.drop_function(average) - p).abs() < 1e-12, "{average}: {}", rig.drop_function(average));
        }
    }

    #[test]
    fn the_interpolated_profile_of_the_guide() {
        // fill-level [ 50 75 ]; drop-probability [ 25 50 ]; from (0, 0) to (100, 100)
        let rig = instantaneous(points(&[50, 75], &[25, 50]), &[]);
        assert_profile(&rig, &[(0.0, 0.0), (20.0, 0.1), (50.0, 0.25), (60.0, 0.35), (75.0, 0.5), (80.0, 0.6)]);
        assert_profile(&rig, &[(87.5, 0.75), (100.0, 1.0), (120.0, 1.0)]);
    }

    #[test]
    fn the_segmented_profile_of_the_guide() {
        let segmented = ("interpolate", Value::Flag(false));
        let rig = instantaneous(points(&[25, 50, 75, 95], &[25, 50, 75, 100]), &[segmented]);
        assert_profile(&rig, &[(0.0, 0.0), (24.9, 0.0), (25.0, 0.25), (49.9, 0.25), (50.0, 0.5), (74.9, 0.5)]);
        assert_profile(&rig, &[(75.0, 0.75), (94.9, 0.75), (95.0, 1.0), (99.0, 1.0)]);
    }

    #[test]
    fn points_replace_the_ends_and_may_fall() {
        let rig = instantaneous(points(&[0, 40, 60, 100], &[10, 50, 30, 70]), &[]);
        assert_profile(&rig, &[(0.0, 0.1), (20.0, 0.3), (40.0, 0.5), (50.0, 0.4), (60.0, 0.3), (100.0, 0.7)]);
        assert_profile(&rig, &[(130.0, 0.7)]);
        let steps = ("interpolate", Value::Flag(false));
        let rig = instantaneous(points(&[0, 100], &[10, 70]), &[steps]);
        assert_profile(&rig, &[(0.0, 0.1), (99.9, 0.1), (100.0, 0.7)]);
    }

    #[test]
    fn drops_are_independent() {
        // 5 of 100 packets wait: a tenth of the way to (50, 100)
        let gaps = instantaneous(points(&[50], &[100]), &[]).gaps(5, 20_000);
        assert_fits(&gaps, 1..=40, |n| 0.1 * 0.9_f64.powf(f64::from(n) - 1.0));
    }

    #[test]
    fn drops_as_red_without_spacing() {
        // RED's p_b with min_th 10, max_th 50, max_p 0.5, and a gentle ramp to the limit
        let red = [
            ("min_th", Value::Number(10.0)),
            ("max_th", Value::Number(50.0)),
            ("max_p", Value::Number(0.5)),
            ("w_q", Value::Number(0.3)),
            ("gentle", Value::Flag(true)),
            ("gentle_top", Value::Text("buffer".into())),
            ("spacing", Value::Text("none".into())),
            ("guards", Value::Flag(false)),
        ];
        let mut nonlinear = points(&[10, 50], &[0, 50]);
        nonlinear.push(("w_q", Value::Number(0.3)));
        let link = LinkInfo { limit: Limit::Packets(100), ..thesis_link() };
        let histories = [("red", red.to_vec()), ("nonlinear", nonlinear)].map(|(scheme, settings)| {
            let settings: Vec<_> = settings.into_iter().map(|(name, value)| (String::from(name), value)).collect();
            let mut rig = Rig::on(&link, scheme, &settings, 3).unwrap();
            for _ in 0..200 {
                rig.arrive(60);
                (0..40).for_each(|_| assert!(rig.depart()));
            }
            rig.counts.history
        });
        assert_eq!(histories[0], histories[1]);
    }

    #[test]
    fn the_average_is_that_of_red() {
        let settings = [("w_q", Value::Number(0.25))];
        let (mut nonlinear, mut red) = (Rig::new("nonlinear", &settings), Rig::new("red", &settings));
        for rig in [&mut nonlinear, &mut red] {
            rig.arrive(5);
            while rig.depart() {}
            rig.advance(penstock_core::Span::from_millis(20));
            rig.arrive(3);
        }
        assert!(red.gauge("avg") > 0.1);
        assert_eq!(nonlinear.gauge("avg"), red.gauge("avg"));
    }

    #[test]
    fn marks_below_a_probability_of_1_and_drops_there() {
        let ecn = [("ecn", Value::Flag(true)), ("interpolate", Value::Flag(false))];
        let mut rig = instantaneous(points(&[4, 12], &[99, 100]), &ecn);
        for _ in 0..14 {
            rig.arrive_as(1000, Ecn::Ect0);
        }
        assert_eq!((rig.waiting(), rig.counts.dropped_on_arrival), (12, 2));
        assert!(rig.counts.marked >= 6);
    }

    #[test]
    fn follows_the_limit_of_the_queue() {
        let mut rig = instantaneous(points(&[50], &[50]), &[]);
        for (limit, p) in [(Limit::Packets(200), 0.25), (Limit::Infinite, 0.0), (Limit::Packets(0), 1.0)] {
            rig.relink(&LinkInfo { limit, ..thesis_link() });
            assert_profile(&rig, &[(50.0, p)]);
        }
    }

    #[test]
    fn in_bytes_the_fill_level_counts_bytes() {
        // the limit of 100 packets counts as 50 000 bytes
        let small = ("mean_packet", Value::Bytes(500.0));
        let mut rig = instantaneous(points(&[40], &[0]), &[("measure_in", Value::Text("bytes".into())), small]);
        for _ in 0..6 {
            rig.arrive_as(5000, Ecn::Not);
        }
        // the last arrival found 5 packets of 5000 bytes: half of the limit, a sixth of the way from 0.4 to 1
        assert!((rig.gauge("p") - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn contradictions_are_refused_in_a_sentence_each() {
        let message = |settings: Vec<Setting>| {
            let settings: Vec<_> = settings.into_iter().map(|(name, value)| (String::from(name), value)).collect();
            let Err(errors) = build::<PacketMeta, dyn Probe<_>>("nonlinear", &settings, &thesis_link(), Time::ZERO)
            else {
                panic!("{settings:?} are taken")
            };
            errors.into_iter().map(|error| alloc::format!("{} {}", error.name, error.message)).collect::<Vec<_>>()
        };
        assert_eq!(message(points(&[], &[])), ["fill_level must have 1 to 64 entries: it has 0"]);
        let many: Vec<u8> = (0..65).collect();
        assert_eq!(message(points(&many, &many)), ["fill_level must have 1 to 64 entries: it has 65"]);
        assert_eq!(message(points(&[30, 30], &[0, 10])), ["fill_level must rise: 0.3 follows 0.3"]);
        assert_eq!(
            message(points(&[30, 20], &[0])),
            [
                "drop_probability must have an entry for each fill level, 2: it has 1",
                "fill_level must rise: 0.2 follows 0.3"
            ]
        );
        assert_eq!(message(points(&[30], &[101])), ["drop_probability must lie between 0 and 1"]);
        let given = vec![("fill_level", Value::Numbers(vec![0.5]))];
        let expected = "drop_probability must have an entry for each fill level, 1: it has 3 (the default of ";
        assert!(message(given)[0].starts_with(expected));
    }
}

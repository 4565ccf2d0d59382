//! COBALT: `CoDel` and BLUE.
//! T. Høiland-Jørgensen, D. Täht, J. Morton, "Piece of CAKE: A Comprehensive Queue Management Solution for Home
//! Gateways", IEEE LANMAN, 2018: the AQM of each queue of CAKE. `ce_threshold`: RFC 8290, section 5.2.7;
//! `ce_threshold_for`: the manual page tc-fq_codel(8) of Linux, `ce_threshold_selector`.
//!
//! # Algorithm
//! At each departure, with the sojourn time of the packet; count follows the number of recent signals (drops or marks):
//!
//! * the delay is high if the sojourn time is above `target` and above 4 transmission times of the largest packet. The
//!   first high delay after a low delay starts the drop state: count becomes at least 1, and a signal is due `interval
//!   / sqrt(count)` later;
//! * a signal due in drop state is a mark or a drop; count grows by 1, and the next is due `interval / sqrt(count)`
//!   later;
//! * outside the drop state, count falls by 1 whenever a signal would have been due: the rate falls as it rose.
//!
//! In addition, BLUE drops packets with probability `p_drop`, even ECN-capable packets. `p_drop` rises by `p_inc` when
//! a packet overflows the queue and falls by `p_dec` when the link finds the queue empty, at most once per `target`. An
//! overflow also starts the drop state, with a signal due immediately.
//!
//! One number is drawn per departure while `p_drop` is above 0.
//!
//! # Parameters
//! `interval` is the longest usual round-trip time, `target` a twentieth of it. `mtu` "auto" is the link's largest
//! packet; with 0 the delay is compared with `target` alone. `ce_threshold` marks every ECN-capable packet that waited
//! longer and is not dropped, with or without `ecn`; with `ce_threshold_for = "ect1"`, only packets with ECT(1). These
//! marks do not change count. CAKE itself has no such threshold.
//!
//! # Differences
//! * The very first drop state of a queue gives its first signal immediately, not after an interval. This was measured
//!   in Linux 6.1, whose CAKE drops the second packet above `target` (`tests/integration/linux_open_loop.rs`). Until
//!   count changes for the first time, `interval / sqrt(count)` is 0, also if an overflow starts the drop state.
//! * CAKE makes room at the head of its longest queue; COBALT on a single queue drops the arriving packet.
//! * The root is exact, and `interval / sqrt(count)` is rounded down to a nanosecond.

use super::ce_threshold::CeThresholdFor;
use crate::aqm::{Aqm, Cause, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Auto, Default, ParamErrors, Settings};
use penstock_core::{Bytes, Ecn, PacketMeta, Rng, Span, Time, math};

penstock_core::params! {
    /// Parameters of COBALT.
    pub struct CobaltParams {
        /// Acceptable standing-queue delay.
        target: Span = Default::Nanos(5_000_000), unit: "s", at_least: 0.0;
        /// Time from a high delay to the first signal, and from the first signal to the second.
        interval: Span = Default::Nanos(100_000_000), unit: "s", at_least: 0.000_001;
        /// Largest packet; a sojourn time of up to 4 of its transmission times is never high. "auto" is the largest
        /// packet of the link.
        mtu: Auto<Bytes> = Default::Text("auto"), unit: "bytes", range: 0.0..=65535.0;
        /// Step up of BLUE's drop probability.
        p_inc: f64 = Default::Number(0.003_906_25), range: 0.0..=1.0;
        /// Step down of BLUE's drop probability.
        p_dec: f64 = Default::Number(0.000_244_140_625), range: 0.0..=1.0;
        /// Mark ECN-capable packets instead of dropping them, except by BLUE.
        ecn: bool = Default::Flag(false);
        /// Mark every ECN-capable packet that waited longer than this.
        ce_threshold: Option<Span> = Default::Absent, unit: "s", at_least: 0.0;
        /// Packets that `ce_threshold` marks.
        ce_threshold_for: CeThresholdFor = Default::Text("ect");
    }
}

#[derive(Clone, Debug)]
struct CobaltVars {
    count: u32,
    dropping: bool,
    drop_next: Time,
    /// Time to the next signal: `interval / sqrt(count)`, computed when count last changed.
    spacing: Span,
    /// BLUE's drop probability.
    p_drop: f64,
    /// Time of the last change of `p_drop`.
    blue_timer: Time,
}

/// `CoDel` and BLUE.
#[derive(Clone, Debug)]
pub struct Cobalt {
    params: CobaltParams,
    /// 4 transmission times of the largest packet.
    slack: Span,
    vars: CobaltVars,
}

impl Cobalt {
    /// The AQM on this link.
    pub fn new(params: CobaltParams, link: &LinkInfo, now: Time) -> Self {
        let slack = params.slack(link);
        let vars = CobaltVars {
            count: 0,
            dropping: false,
            drop_next: now,
            spacing: Span::default(),
            p_drop: 0.0,
            blue_timer: now,
        };
        Self { params, slack, vars }
    }

    /// The verdict on a packet at the head, queued at `enqueued`.
    #[inline]
    pub(crate) fn judge(&mut self, now: Time, enqueued: Time, ecn: Ecn, rng: &mut Rng) -> Verdict {
        self.judge_among(now, enqueued, ecn, 0, rng)
    }

    /// Like [`Cobalt::judge`], for a queue that is one of `flows` at the link: a delay of at most two transmission
    /// times of the largest packet per flow is not high either.
    #[inline]
    pub(crate) fn judge_among(&mut self, now: Time, enqueued: Time, ecn: Ecn, flows: u32, rng: &mut Rng) -> Verdict {
        let sojourn = now.since(enqueued);
        let slack = self.slack.max(Span::from_nanos(self.slack.as_nanos() / 2) * u64::from(flows));
        let mut verdict = self.signal(now, sojourn, slack, ecn);
        if self.vars.p_drop > 0.0 && rng.chance(self.vars.p_drop) {
            verdict = Verdict::Drop(Cause::Sojourn);
        }
        if self.vars.count == 0 {
            self.vars.drop_next = now + self.params.interval;
        } else if now > self.vars.drop_next && !matches!(verdict, Verdict::Drop(_)) {
            self.vars.drop_next = now;
        }
        let late = self.params.ce_threshold.is_some_and(|threshold| sojourn > threshold);
        if verdict == Verdict::Pass && late && self.params.ce_threshold_for.includes(ecn) {
            return Verdict::Mark(Cause::Sojourn);
        }
        verdict
    }

    /// `CoDel`'s part: in drop state, a signal if one is due; otherwise count decays.
    fn signal(&mut self, now: Time, sojourn: Span, slack: Span, ecn: Ecn) -> Verdict {
        let is_due = self.is_due(now);
        let was_dropping = self.vars.dropping;
        self.vars.dropping = sojourn > self.params.target && sojourn > slack;
        if self.vars.dropping {
            if !was_dropping {
                self.vars.drop_next = now + self.vars.spacing;
            }
            self.vars.count = self.vars.count.max(1);
        }
        if !is_due {
            return Verdict::Pass;
        }
        if !self.vars.dropping {
            while self.is_due(now) {
                self.move_count(self.vars.count - 1);
            }
            return Verdict::Pass;
        }
        self.move_count(self.vars.count.saturating_add(1));
        if self.params.ecn && ecn.is_capable() { Verdict::Mark(Cause::Sojourn) } else { Verdict::Drop(Cause::Sojourn) }
    }

    /// A packet overflowed the queue.
    pub(crate) fn overflowed(&mut self, now: Time) {
        if self.blue_may_move(now) {
            self.vars.p_drop = (self.vars.p_drop + self.params.p_inc).min(1.0);
            self.vars.blue_timer = now;
        }
        self.vars.dropping = true;
        self.vars.drop_next = now;
        self.vars.count = self.vars.count.max(1);
    }

    /// The link found the queue empty.
    #[inline]
    pub(crate) fn emptied(&mut self, now: Time) {
        if self.vars.p_drop > 0.0 && self.blue_may_move(now) {
            self.vars.p_drop = (self.vars.p_drop - self.params.p_dec).max(0.0);
            self.vars.blue_timer = now;
        }
        self.vars.dropping = false;
        if self.is_due(now) {
            self.move_count(self.vars.count - 1);
        }
    }

    /// Whether the state shows no trace of earlier congestion: count and `p_drop` are 0, and no signal is due later.
    #[inline]
    pub(crate) fn is_at_rest(&self, now: Time) -> bool {
        self.vars.count == 0 && self.vars.p_drop == 0.0 && now >= self.vars.drop_next
    }

    /// Take over the parameters of `other`.
    pub(crate) fn follow(&mut self, other: &Self) {
        self.params = other.params.clone();
        self.slack = other.slack;
    }

    fn is_due(&self, now: Time) -> bool {
        self.vars.count > 0 && now >= self.vars.drop_next
    }

    fn blue_may_move(&self, now: Time) -> bool {
        now.since(self.vars.blue_timer) > self.params.target
    }

    /// Set count after a signal was given or omitted. The next is due `interval / sqrt(count)` later; a count of 0
    /// counts as 1.
    fn move_count(&mut self, count: u32) {
        self.vars.count = count;
        let root = math::sqrt(f64::from(count.max(1)));
        self.vars.spacing = Span::from_nanos((self.params.interval.as_nanos() as f64 / root) as u64);
        self.vars.drop_next += self.vars.spacing;
    }
}

impl CobaltParams {
    /// 4 transmission times of the largest packet, each rounded down to a nanosecond.
    fn slack(&self, link: &LinkInfo) -> Span {
        let mtu = match self.mtu {
            Auto::Auto => link.mtu.0,
            Auto::Value(size) => size.0,
        };
        let mtu_time = mtu.saturating_mul(8_000_000_000) / link.rate.bits_per_second().max(1);
        Span::from_nanos(mtu_time.saturating_mul(4))
    }
}

impl Aqm for Cobalt {
    fn capabilities(&self) -> Capabilities {
        Capabilities::DEPARTURES
    }

    fn on_overflow(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) {
        self.overflowed(cx.now);
    }

    #[inline]
    fn on_departure(&mut self, cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        self.judge(cx.now, packet.enqueued, packet.meta.ecn, cx.rng)
    }

    fn on_idle(&mut self, now: Time) {
        self.emptied(now);
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.slack = self.params.slack(link);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("count", f64::from(self.vars.count));
        show("dropping", f64::from(u8::from(self.vars.dropping)));
        show("p_drop", self.vars.p_drop);
    }
}

impl AqmScheme for Cobalt {
    const INFO: SchemeInfo = SchemeInfo {
        name: "cobalt",
        aliases: &[],
        family: "delay",
        title: "COBALT: CoDel and BLUE",
        source: "T. Høiland-Jørgensen, D. Täht, J. Morton, Piece of CAKE: A Comprehensive Queue Management Solution for \
                 Home Gateways, IEEE LANMAN, 2018",
        doc: module_doc!("cobalt.rs"),
        ecn: true,
        params: CobaltParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "As good as CoDel for TCP, with an even shorter queue; BLUE controls unresponsive traffic once it has \
               filled the buffer.",
        bad: "ECN-capable TCP leaves some of a slow link idle; like CoDel, COBALT lets a flood fill the buffer first: \
              BLUE acts only on overflow.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(CobaltParams::from_settings(settings)?, link, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, thesis_link};
    use penstock_core::param::Value;

    fn aqm(settings: &[(&str, Value)]) -> Cobalt {
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        Cobalt::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap()
    }

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// The verdict at `now` on a packet that has waited `sojourn` ms.
    fn judge(aqm: &mut Cobalt, now: u64, sojourn: u64) -> Verdict {
        aqm.judge(at(now), at(now - sojourn), Ecn::Not, &mut Rng::stream(1, "test"))
    }

    const DROP: Verdict = Verdict::Drop(Cause::Sojourn);

    #[test]
    fn signals_come_interval_over_root_of_count_apart() {
        let mut aqm = aqm(&[]);
        assert_eq!(judge(&mut aqm, 1000, 1), Verdict::Pass);
        // the delay is high from 1001 ms on; a signal is due at once and is given to the next packet; then 100 /
        // sqrt 2 = 70.7, + 57.7, + 50, + 44.7, + 40.8
        let drops: Vec<u64> = (1001..1270).filter(|&now| judge(&mut aqm, now, 50) == DROP).collect();
        assert_eq!(drops, [1002, 1072, 1130, 1180, 1225, 1265]);
        assert_eq!(aqm.vars.count, 7);
    }

    #[test]
    fn a_later_drop_state_waits_for_its_spacing() {
        let mut aqm = aqm(&[]);
        aqm.vars = CobaltVars { count: 1, drop_next: at(1000), ..aqm.vars };
        assert_eq!(judge(&mut aqm, 1000, 1), Verdict::Pass);
        let drops: Vec<u64> = (1001..1200).filter(|&now| judge(&mut aqm, now, 50) == DROP).collect();
        // count was 0: 100 ms, then 100 / sqrt 2
        assert_eq!(drops, [1101, 1172]);
    }

    #[test]
    fn count_falls_as_it_rose() {
        let mut aqm = aqm(&[]);
        aqm.vars = CobaltVars { count: 3, dropping: true, drop_next: at(1000), ..aqm.vars };
        // low delay: at 1000 ms count 2, next at + 70.7; then 1, next at + 100; then 0
        let counts = [999, 1000, 1070, 1071, 1170, 1171].map(|now| {
            assert_eq!(judge(&mut aqm, now, 1), Verdict::Pass);
            aqm.vars.count
        });
        assert_eq!(counts, [3, 2, 2, 1, 1, 0]);
    }

    #[test]
    fn four_of_the_largest_packets_may_wait() {
        // 1500 bytes at 1.5 Mbit/s are 8 ms
        let is_high = |sojourn: u64| {
            let mut aqm = aqm(&[]);
            aqm.judge(at(1000), at(1000 - sojourn), Ecn::Not, &mut Rng::stream(1, "test"));
            aqm.vars.dropping
        };
        assert_eq!([is_high(32), is_high(33)], [false, true]);
        let mut aqm = aqm(&[("mtu", Value::Bytes(0.0))]);
        judge(&mut aqm, 1000, 6);
        assert!(aqm.vars.dropping);
    }

    #[test]
    fn blue_steps_up_without_room_and_down_when_empty_once_per_target() {
        let mut aqm = aqm(&[]);
        let steps = [1000, 1005, 1006, 1011].map(|now| {
            aqm.overflowed(at(now));
            aqm.vars.p_drop * 256.0
        });
        assert_eq!(steps, [1.0, 1.0, 2.0, 2.0]);
        let steps = [1011, 1012, 1017, 1018].map(|now| {
            aqm.emptied(at(now));
            aqm.vars.p_drop * 4096.0
        });
        assert_eq!(steps, [32.0, 31.0, 31.0, 30.0]);
    }

    #[test]
    fn without_room_a_signal_is_due_at_once() {
        let mut aqm = aqm(&[]);
        aqm.overflowed(at(1000));
        assert_eq!(judge(&mut aqm, 1000, 50), DROP);
        assert_eq!(aqm.vars.count, 2);
    }

    #[test]
    fn ce_threshold_marks_what_it_is_for_and_leaves_count_alone() {
        let marks = |settings: &[(&str, Value)]| {
            let mut given = vec![
                ("target", Value::Time(Span::from_secs(1.0))),
                ("ce_threshold", Value::Time(Span::from_millis(7))),
            ];
            given.extend_from_slice(settings);
            let mut aqm = aqm(&given);
            let verdicts = [Ecn::Not, Ecn::Ect0, Ecn::Ect1].map(|ecn| {
                [7, 8].map(|sojourn| aqm.judge(at(1000), at(1000 - sojourn), ecn, &mut Rng::stream(1, "test")))
            });
            assert_eq!(aqm.vars.count, 0);
            verdicts.map(|[on, above]| {
                assert_eq!(on, Verdict::Pass);
                above == Verdict::Mark(Cause::Sojourn)
            })
        };
        assert_eq!(marks(&[]), [false, true, true]);
        assert_eq!(marks(&[("ce_threshold_for", Value::Text("ect1".into()))]), [false, false, true]);
    }

    #[test]
    fn no_time_overflows() {
        let longest = Value::Time(Span::from_nanos(u64::MAX));
        for settings in [vec![], vec![("interval", longest)]] {
            let mut aqm = aqm(&settings);
            let mut judge = |now, enqueued| {
                aqm.judge(Time::from_nanos(now), Time::from_nanos(enqueued), Ecn::Not, &mut Rng::stream(1, "test"))
            };
            assert_eq!(judge(0, u64::MAX), Verdict::Pass);
            for now in [u64::MAX, u64::MAX, 1, u64::MAX] {
                judge(now, 0);
            }
        }
        let giant = LinkInfo { mtu: Bytes(u64::MAX), ..thesis_link() };
        assert_eq!(
            Cobalt::new(CobaltParams::from_settings(&[]).unwrap(), &giant, Time::ZERO).slack,
            Span::from_nanos(u64::MAX / 1_500_000 * 4)
        );
    }

    #[test]
    fn marks_but_by_blue() {
        let mut rig = Rig::new("cobalt", &[("ecn", Value::Flag(true)), ("p_inc", Value::Number(1.0))]);
        for _ in 0..500 {
            (0..30 - rig.waiting()).for_each(|_| rig.arrive_as(1000, Ecn::Ect0));
            rig.depart();
            rig.advance(Span::from_millis(5));
        }
        assert!(rig.counts.marked > 10 && rig.counts.dropped_at_head == 0);
        (0..10).for_each(|_| rig.arrive_as(1000, Ecn::Ect0));
        assert!(!rig.depart() && rig.counts.dropped_at_head == 35);
    }
}

//! Controlled Delay (`CoDel`).
//! K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, "Controlled Delay Active Queue Management", RFC 8289, 2018;
//! section numbers refer to it. `ce_threshold`: RFC 8290, section 5.2.7; `ce_threshold_for`: the manual page
//! tc-fq_codel(8) of Linux, `ce_threshold_selector`.
//!
//! # Algorithm
//! At each departure, with the packet's sojourn time, the time it has waited (section 5.5):
//!
//! * it is ok to drop once the sojourn time has stayed at or above TARGET for INTERVAL, with more than `maxpacket`
//!   bytes waiting behind the packet;
//! * the first packet that it is ok to drop is dropped, and the drop state begins with count = 1. If the last drop
//!   state had a drop due less than 16 INTERVAL ago, count starts at the number of drops made since that state began;
//! * in drop state each drop adds 1 to count, and the next drop is due `INTERVAL / sqrt(count)` later. The drop rate
//!   rises until a sojourn time is below TARGET, which ends the state.
//!
//! With `ecn`, ECN-capable packets are marked instead. No random number is drawn.
//!
//! # Parameters
//! `interval` is of the order of the longest round-trip time; `target` is 5 to 10 % of it (sections 4.2, 4.3).
//! `maxpacket` "auto" is the link's largest packet. `ce_threshold` marks every ECN-capable packet that waited longer,
//! with or without `ecn`; such marks do not change count. `ce_threshold_for = "ect1"` restricts these marks to ECT(1),
//! the codepoint of L4S senders, and does not change the rest of the AQM.
//!
//! # Differences
//! * The RFC's `maxpacket` is 512 bytes; here it is the link's largest packet, as the RFC recommends.
//! * The RFC does not specify marking; here the marked packet is sent, so each departure marks at most one packet.
//! * The RFC leaves the resolution of time open; here `INTERVAL / sqrt(count)` is rounded down to a nanosecond.
//! * `variant = "linux"` uses the arithmetic of Linux 6.1 as measured: time in units of 1.024 us, and one Newton step
//!   in 16 bits for the square root; a packet that is removed to make room adds 1 to count. Its losses and marks agree
//!   with those of Linux packet by packet (`tests/integration/linux_codel.rs`).

use super::ce_threshold::CeThresholdFor;
use crate::aqm::{Aqm, Cause, Cx, Departing, LinkInfo, Verdict};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::{format, vec};
use penstock_core::param::{Auto, Default, ParamError, ParamErrors, Settings};
use penstock_core::{Bytes, Ecn, Span, Time, math};

penstock_core::choice! {
    /// Arithmetic variant.
    pub enum Variant {
        /// Exact square root, time in nanoseconds.
        Rfc = "rfc",
        /// Linux 6.1.
        Linux = "linux",
    }
}

penstock_core::params! {
    /// Parameters of `CoDel`.
    pub struct CodelParams {
        /// Acceptable standing-queue delay.
        target: Span = Default::Nanos(5_000_000), unit: "s", at_least: 0.0;
        /// Time for which the sojourn time must stay above target before the first drop; also the time from the first
        /// drop to the second.
        interval: Span = Default::Nanos(100_000_000), unit: "s", range: 0.000_001..=3600.0;
        /// No drop while at most this much waits behind the packet; "auto" is the link's largest packet.
        maxpacket: Auto<Bytes> = Default::Text("auto"), unit: "bytes", at_least: 0.0;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(false);
        /// Mark every ECN-capable packet that waited longer than this.
        ce_threshold: Option<Span> = Default::Absent, unit: "s", at_least: 0.0;
        /// Packets that `ce_threshold` marks.
        ce_threshold_for: CeThresholdFor = Default::Text("ect");
        /// The arithmetic of the RFC or of Linux 6.1.
        variant: Variant = Default::Text("rfc");
    }
}

/// The upper end of the range of `interval`: 16 intervals, and an interval times a 16-bit number, fit in 64 bits.
const LONGEST_INTERVAL: Span = Span::from_millis(3_600_000);

/// The value nearest to 1 in the 16 bits of Linux's reciprocal square root.
const ONE: u16 = u16::MAX;

/// The last drop within one `dequeue`; it decides how the packet that follows at the head is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastDrop {
    /// The drop that began the drop state: the next packet is sent, however long it waited.
    First,
    /// A later drop: the next packet decides whether another drop is due.
    Later,
}

#[derive(Clone, Debug)]
struct CodelVars {
    /// When it will be ok to drop, if the sojourn time stays above target.
    first_above: Option<u64>,
    drop_next: u64,
    count: u32,
    lastcount: u32,
    dropping: bool,
    last_drop: Option<LastDrop>,
    /// `1 / sqrt(count)` in 16 bits; Linux only.
    rec_inv_sqrt: u16,
}

/// Controlled Delay.
#[derive(Clone, Debug)]
pub struct Codel {
    params: CodelParams,
    maxpacket: u64,
    /// A tick, the AQM's unit of time, is 2 to this power nanoseconds.
    tick_bits: u32,
    vars: CodelVars,
}

impl Codel {
    /// The AQM on this link; an error if `interval` is above an hour.
    pub fn new(params: CodelParams, link: &LinkInfo) -> Result<Self, ParamErrors> {
        if params.interval > LONGEST_INTERVAL {
            let message = format!("must be at most {LONGEST_INTERVAL}");
            return Err(vec![ParamError::new("interval", message)]);
        }
        let vars = CodelVars {
            first_above: None,
            drop_next: 0,
            count: 0,
            lastcount: 0,
            dropping: false,
            last_drop: None,
            rec_inv_sqrt: ONE,
        };
        let maxpacket = params.maxpacket(link);
        let tick_bits = match params.variant {
            Variant::Rfc => 0,
            Variant::Linux => 10,
        };
        Ok(Self { params, maxpacket, tick_bits, vars })
    }

    /// The verdict on a packet at the head, queued at `enqueued`, behind which `bytes` wait.
    #[inline]
    pub(crate) fn judge(&mut self, now: Time, enqueued: Time, ecn: Ecn, bytes: u64) -> Verdict {
        let (now, enqueued) = (self.ticks(now.as_nanos()), self.ticks(enqueued.as_nanos()));
        let sojourn = now.saturating_sub(enqueued);
        if self.is_due(now, sojourn, bytes) {
            if self.params.ecn && ecn.is_capable() {
                self.settle_drop();
                return Verdict::Mark(Cause::Sojourn);
            }
            return Verdict::Drop(Cause::Sojourn);
        }
        let late = self.params.ce_threshold.is_some_and(|threshold| sojourn > self.ticks(threshold.as_nanos()));
        if late && self.params.ce_threshold_for.includes(ecn) {
            return Verdict::Mark(Cause::Sojourn);
        }
        Verdict::Pass
    }

    /// Section 5.5: whether a drop is due, one packet at a time.
    #[inline]
    fn is_due(&mut self, now: u64, sojourn: u64, bytes: u64) -> bool {
        let ok_to_drop = self.ok_to_drop(now, sojourn, bytes);
        if !ok_to_drop {
            self.leave();
        }
        ok_to_drop && self.is_due_if_ok(now)
    }

    /// Like [`Codel::is_due`], for a packet that it is ok to drop.
    fn is_due_if_ok(&mut self, now: u64) -> bool {
        match self.vars.last_drop.take() {
            Some(LastDrop::First) => return false,
            Some(LastDrop::Later) => self.vars.drop_next = self.control_law(self.vars.drop_next),
            None if !self.vars.dropping => {
                self.enter(now);
                self.vars.last_drop = Some(LastDrop::First);
                return true;
            }
            None => {}
        }
        let due = now >= self.vars.drop_next;
        if due {
            self.vars.count = self.vars.count.saturating_add(1);
            self.step_root();
            self.vars.last_drop = Some(LastDrop::Later);
        }
        due
    }

    /// End the drop state, unless the previous packet began it (even if that was the last of the queue): then the next
    /// packet at the head is sent and decides nothing.
    #[inline]
    fn leave(&mut self) {
        // Outside the drop state there is no last drop.
        if self.vars.dropping {
            self.vars.dropping = self.vars.last_drop.take() == Some(LastDrop::First);
        }
    }

    /// Section 5.6: whether the sojourn time has been above target for an interval.
    fn ok_to_drop(&mut self, now: u64, sojourn: u64, bytes: u64) -> bool {
        if sojourn < self.ticks(self.params.target.as_nanos()) || bytes <= self.maxpacket {
            self.vars.first_above = None;
            return false;
        }
        now >= *self.vars.first_above.get_or_insert(now.saturating_add(self.interval()))
    }

    /// Begin the drop state, at the drop rate of the last drop state if that ended recently.
    fn enter(&mut self, now: u64) {
        self.vars.dropping = true;
        let delta = self.vars.count - self.vars.lastcount;
        let recent = self.vars.drop_next.saturating_add(16 * self.interval());
        if delta > 1 && now < recent {
            self.vars.count = delta;
            self.step_root();
        } else {
            self.vars.count = 1;
            self.vars.rec_inv_sqrt = ONE;
        }
        self.vars.drop_next = self.control_law(now);
        self.vars.lastcount = self.vars.count;
    }

    /// No packet follows the last drop: the packet due to be dropped was marked instead and is sent.
    fn settle_drop(&mut self) {
        if self.vars.last_drop.take() == Some(LastDrop::Later) {
            self.vars.drop_next = self.control_law(self.vars.drop_next);
        }
    }

    /// When the next drop is due: `INTERVAL / sqrt(count)` after `t`.
    fn control_law(&self, t: u64) -> u64 {
        t.saturating_add(match self.params.variant {
            Variant::Rfc => (self.interval() as f64 / math::sqrt(f64::from(self.vars.count))) as u64,
            Variant::Linux => (self.interval() * u64::from(self.vars.rec_inv_sqrt)) >> 16,
        })
    }

    /// One Newton step of x towards `1 / sqrt(count)`: x (3 - count x^2) / 2, with x in 16 bits and x^2 in 32.
    fn step_root(&mut self) {
        let x = u64::from(self.vars.rec_inv_sqrt) << 16;
        let count_xx = u64::from(self.vars.count) * ((x * x) >> 32);
        let three_less = (3 << 32_u64) - count_xx.min(3 << 32);
        // without the shift by 2 the product would need 66 bits
        self.vars.rec_inv_sqrt = (((three_less >> 2) * x) >> 47).min(u64::from(ONE)) as u16;
    }

    /// Nanoseconds in the AQM's unit of time.
    fn ticks(&self, nanos: u64) -> u64 {
        nanos >> self.tick_bits
    }

    /// INTERVAL in the AQM's unit of time.
    fn interval(&self) -> u64 {
        self.ticks(self.params.interval.as_nanos())
    }
}

impl CodelParams {
    fn maxpacket(&self, link: &LinkInfo) -> u64 {
        match self.maxpacket {
            Auto::Auto => link.mtu.0,
            Auto::Value(size) => size.0,
        }
    }
}

impl Aqm for Codel {
    fn capabilities(&self) -> Capabilities {
        Capabilities::DEPARTURES
    }

    #[inline]
    fn on_departure(&mut self, cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        self.judge(cx.now, packet.enqueued, packet.meta.ecn, cx.queue.bytes)
    }

    fn on_evicted(&mut self, _cx: &mut Cx<'_>, _packet: &Departing) {
        if self.params.variant == Variant::Linux {
            self.vars.count = self.vars.count.saturating_add(1);
        }
    }

    fn on_idle(&mut self, _now: Time) {
        self.vars.first_above = None;
        self.leave();
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.maxpacket = self.params.maxpacket(link);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("count", f64::from(self.vars.count));
        show("dropping", f64::from(u8::from(self.vars.dropping)));
    }
}

impl AqmScheme for Codel {
    const INFO: SchemeInfo = SchemeInfo {
        name: "codel",
        aliases: &[],
        family: "delay",
        title: "Controlled Delay",
        source: "K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, Controlled Delay Active Queue Management, RFC \
                 8289, 2018",
        doc: module_doc!("codel.rs"),
        ecn: true,
        params: CodelParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "Keeps the standing queue of TCP near target at any link rate; no setting depends on the rate.",
        bad: "Slow against unresponsive traffic: the drop rate rises linearly, so a flood fills the queue for \
              seconds.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Self::new(CodelParams::from_settings(settings)?, link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, thesis_link};
    use alloc::collections::VecDeque;
    use penstock_core::Rng;
    use penstock_core::param::Value;

    const MS: u64 = 1_000_000;

    /// The pseudocode of section 5, transcribed: a queue of (time stamp, size) that reports which packets it drops.
    #[derive(Default)]
    struct Pseudocode {
        queue: VecDeque<(u64, u64, u32)>,
        bytes: u64,
        first_above_time: u64,
        drop_next: u64,
        count: u32,
        lastcount: u32,
        dropping: bool,
        dropped: Vec<u32>,
    }

    impl Pseudocode {
        const TARGET: u64 = 5 * MS;
        const INTERVAL: u64 = 100 * MS;
        const MAXPACKET: u64 = 1500;

        fn control_law(t: u64, count: u32) -> u64 {
            t + (Self::INTERVAL as f64 / f64::from(count).sqrt()) as u64
        }

        fn dodequeue(&mut self, now: u64) -> (Option<u32>, bool) {
            let Some((stamp, size, number)) = self.queue.pop_front() else {
                self.first_above_time = 0;
                return (None, false);
            };
            self.bytes -= size;
            let sojourn_time = now - stamp;
            let mut ok_to_drop = false;
            if sojourn_time < Self::TARGET || self.bytes <= Self::MAXPACKET {
                self.first_above_time = 0;
            } else if self.first_above_time == 0 {
                self.first_above_time = now + Self::INTERVAL;
            } else if now >= self.first_above_time {
                ok_to_drop = true;
            }
            (Some(number), ok_to_drop)
        }

        fn dequeue(&mut self, now: u64) -> Option<u32> {
            let mut r = self.dodequeue(now);
            if self.dropping {
                if !r.1 {
                    self.dropping = false;
                }
                while now >= self.drop_next && self.dropping {
                    self.dropped.extend(r.0);
                    self.count += 1;
                    r = self.dodequeue(now);
                    if r.1 {
                        self.drop_next = Self::control_law(self.drop_next, self.count);
                    } else {
                        self.dropping = false;
                    }
                }
            } else if r.1 {
                self.dropped.extend(r.0);
                r = self.dodequeue(now);
                self.dropping = true;
                let delta = self.count - self.lastcount;
                self.count = 1;
                if delta > 1 && now.saturating_sub(self.drop_next) < 16 * Self::INTERVAL {
                    self.count = delta;
                }
                self.drop_next = Self::control_law(now, self.count);
                self.lastcount = self.count;
            }
            r.0
        }
    }

    #[test]
    fn every_packet_meets_the_fate_that_the_pseudocode_gives_it() {
        let mut script = Rng::stream(1, "script");
        let (mut dropped, mut most) = (0, 0);
        for _ in 0..20 {
            let mut aqm = Codel::from_settings(&[], &thesis_link(), Time::ZERO).unwrap();
            let mut queue: VecDeque<(u64, u64, u32)> = VecDeque::new();
            let mut bytes = 0;
            let mut plain = Pseudocode::default();
            let mut now = MS;
            for number in 0..20_000 {
                let busy = number / 2000 % 2 == 0;
                now += script.below(2 * MS);
                if script.chance(if busy { 0.6 } else { 0.42 }) {
                    let packet = (now, 40 + script.below(1460), number);
                    plain.queue.push_back(packet);
                    plain.bytes += packet.1;
                    queue.push_back(packet);
                    bytes += packet.1;
                    continue;
                }
                let before = plain.dropped.len();
                let expected = plain.dequeue(now);
                let mut lost = Vec::new();
                let sent = loop {
                    let Some((stamp, size, number)) = queue.pop_front() else {
                        aqm.on_idle(Time::from_nanos(now));
                        break None;
                    };
                    bytes -= size;
                    let (at, enqueued) = (Time::from_nanos(now), Time::from_nanos(stamp));
                    if aqm.judge(at, enqueued, Ecn::Not, bytes) == Verdict::Pass {
                        break Some(number);
                    }
                    lost.push(number);
                };
                assert_eq!((sent, &lost[..]), (expected, &plain.dropped[before..]));
                assert_eq!((aqm.vars.count, aqm.vars.dropping), (plain.count, plain.dropping));
                most = most.max(plain.count);
            }
            dropped += plain.dropped.len();
        }
        assert!(dropped > 1000 && most > 20, "too quiet: {dropped} dropped, count up to {most}");
    }

    /// Offers one packet of 1000 bytes every millisecond to a queue of 20 packets, so that all but the first 19 wait 19
    /// ms. Returns the times of the drops or marks.
    fn standing(settings: &[(&str, Value)], ecn: Ecn, ms: u64) -> Vec<u64> {
        let mut rig = Rig::new("codel", settings);
        let mut times = Vec::new();
        for now in 0..ms {
            while rig.waiting() < 20 {
                rig.arrive_as(1000, ecn);
            }
            let before = rig.counts.dropped_at_head + rig.counts.marked;
            rig.depart();
            times.extend((before..rig.counts.dropped_at_head + rig.counts.marked).map(|_| now));
            rig.advance(Span::from_millis(1));
        }
        times
    }

    #[test]
    fn drops_come_interval_over_root_of_count_apart() {
        // the sojourn time is at target from 5 ms on; then drops follow after 100 ms, + 100, + 100 / sqrt 2 = 70.7, +
        // 57.7, + 50, + 44.7, + 40.8
        assert_eq!(standing(&[], Ecn::Not, 500), [105, 205, 276, 334, 384, 429, 469]);
    }

    #[test]
    fn a_mark_counts_as_a_drop_and_the_packet_is_sent() {
        let ecn = [("ecn", Value::Flag(true))];
        assert_eq!(standing(&ecn, Ecn::Ect0, 500), [105, 205, 276, 334, 384, 429, 469]);
        assert_eq!(standing(&ecn, Ecn::Not, 500), [105, 205, 276, 334, 384, 429, 469]);
    }

    #[test]
    fn ce_threshold_marks_all_that_waited_longer_and_drops_none() {
        let settings =
            |ms| [("target", Value::Time(Span::from_secs(1.0))), ("ce_threshold", Value::Time(Span::from_millis(ms)))];
        assert_eq!(standing(&settings(18), Ecn::Ect0, 100).len(), 81);
        assert_eq!(standing(&settings(19), Ecn::Ect0, 100).len(), 0);
        assert_eq!(standing(&settings(18), Ecn::Not, 100).len(), 0);
    }

    #[test]
    fn ce_threshold_for_ect1_marks_no_other_packets() {
        let settings = [
            ("target", Value::Time(Span::from_secs(1.0))),
            ("ce_threshold", Value::Time(Span::from_millis(18))),
            ("ce_threshold_for", Value::Text("ect1".into())),
        ];
        let marks = [Ecn::Ect1, Ecn::Ect0, Ecn::Not].map(|ecn| standing(&settings, ecn, 100).len());
        assert_eq!(marks, [81, 0, 0]);
    }

    #[test]
    fn ce_threshold_for_ect1_leaves_the_aqm_as_it_is() {
        let settings = [
            ("ecn", Value::Flag(true)),
            ("ce_threshold", Value::Time(Span::from_secs(1.0))),
            ("ce_threshold_for", Value::Text("ect1".into())),
        ];
        for ecn in [Ecn::Ect1, Ecn::Ect0, Ecn::Not] {
            assert_eq!(standing(&settings, ecn, 300), [105, 205, 276]);
        }
    }

    #[test]
    fn the_time_between_drops_is_rounded_down_to_a_nanosecond() {
        let mut aqm = Codel::from_settings(&[], &thesis_link(), Time::ZERO).unwrap();
        // 100 ms / sqrt 2 = 70 710 678.118 ns, / sqrt 3 = 57 735 026.918 ns
        let next = [2, 3].map(|count| {
            aqm.vars.count = count;
            aqm.control_law(0)
        });
        assert_eq!(next, [70_710_678, 57_735_026]);
    }

    #[test]
    fn an_interval_above_an_hour_is_refused() {
        let longest = Span::from_nanos(u64::MAX);
        let settings = [("interval".into(), Value::Time(longest))];
        let errors = CodelParams::from_settings(&settings).unwrap_err();
        assert_eq!(errors[0].message, "must lie between 0.000001 and 3600 s");
        let params = CodelParams { interval: longest, ..CodelParams::from_settings(&[]).unwrap() };
        let errors = Codel::new(params, &thesis_link()).unwrap_err();
        assert_eq!((errors[0].name.as_str(), errors[0].message.as_str()), ("interval", "must be at most 3600 s"));
        let settings = [("interval".into(), Value::Time(LONGEST_INTERVAL))];
        assert!(Codel::from_settings(&settings, &thesis_link(), Time::ZERO).is_ok());
    }

    #[test]
    fn no_time_overflows() {
        for variant in ["rfc", "linux"] {
            let settings =
                [("variant".into(), Value::Text(variant.into())), ("interval".into(), Value::Time(LONGEST_INTERVAL))];
            let mut aqm = Codel::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap();
            let mut judge =
                |now, enqueued| aqm.judge(Time::from_nanos(now), Time::from_nanos(enqueued), Ecn::Not, 1 << 20);
            // a packet whose departure precedes its arrival has not waited
            assert_eq!(judge(0, u64::MAX), Verdict::Pass);
            for now in [u64::MAX, u64::MAX, 3_600_000 * MS, u64::MAX, u64::MAX, u64::MAX] {
                judge(now, 0);
            }
            assert_eq!(judge(MS, 0), Verdict::Pass);
        }
    }

    #[test]
    fn nothing_is_dropped_while_no_more_than_maxpacket_waits_behind() {
        // 19 packets of 1000 bytes wait behind the packet at the head, and 18 behind the packet after a drop, which
        // ends the drop state. The state returns after a millisecond and an interval, each time with count = 1
        let of = |bytes| standing(&[("maxpacket", Value::Bytes(bytes))], Ecn::Not, 500);
        assert_eq!(of(19_000.0), []);
        assert_eq!(of(18_999.0), [105, 206, 307, 408]);
    }

    #[test]
    fn a_drop_state_soon_after_the_last_goes_on_from_its_rate() {
        let entered_at = |pause| {
            let mut aqm = Codel::from_settings(&[], &thesis_link(), Time::ZERO).unwrap();
            aqm.vars = CodelVars { count: 9, lastcount: 2, drop_next: 1000 * MS, ..aqm.vars };
            aqm.enter(1000 * MS + pause);
            aqm.vars.count
        };
        assert_eq!((entered_at(1600 * MS - 1), entered_at(1600 * MS)), (7, 1));
    }

    #[test]
    fn an_empty_queue_ends_the_drop_state_unless_it_has_just_begun() {
        // section 5.5: the result of dodequeue is ignored after the first drop, and used after later ones
        let mut aqm = Codel::from_settings(&[], &thesis_link(), Time::ZERO).unwrap();
        let judge = |aqm: &mut Codel, now| aqm.judge(Time::from_nanos(now * MS), Time::ZERO, Ecn::Not, 1 << 20);
        assert_eq!(judge(&mut aqm, 10), Verdict::Pass);
        assert_eq!(judge(&mut aqm, 110), Verdict::Drop(Cause::Sojourn));
        let mut emptied = aqm.clone();
        emptied.on_idle(Time::from_nanos(110 * MS));
        assert!(emptied.vars.dropping && emptied.vars.last_drop.is_none());
        assert_eq!(judge(&mut aqm, 110), Verdict::Pass);
        assert_eq!(judge(&mut aqm, 210), Verdict::Drop(Cause::Sojourn));
        aqm.on_idle(Time::from_nanos(210 * MS));
        assert!(!aqm.vars.dropping && aqm.vars.last_drop.is_none());
    }

    #[test]
    fn the_root_in_16_bits_is_near_the_root() {
        let settings = [("variant".into(), Value::Text("linux".into()))];
        let mut aqm = Codel::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap();
        for count in 2..20_000 {
            aqm.vars.count = count;
            aqm.step_root();
            let exact = 65536.0 / f64::from(count).sqrt();
            // the first steps start from 1 and are inaccurate: 0.5 instead of 0.707 at count 2
            let within = if count < 16 { 0.3 * exact } else { 0.03 * exact + 2.0 };
            assert!((f64::from(aqm.vars.rec_inv_sqrt) - exact).abs() < within, "{count}");
        }
    }

    #[test]
    fn an_evicted_packet_counts_in_linux_only() {
        for (variant, count) in [("rfc", 4), ("linux", 5)] {
            let settings = [("variant".into(), Value::Text(variant.into()))];
            let mut aqm = Codel::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap();
            aqm.vars.count = 4;
            let queue =
                crate::Backlog { packets: 3, bytes: 3000, limit: penstock_core::Limit::Packets(3), oldest: None };
            let mut rng = Rng::stream(1, "codel");
            let meta =
                penstock_core::PacketMeta { flow: 0, size: 1000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None };
            let cx = &mut Cx { now: Time::ZERO, queue, link_bytes: 3000, rng: &mut rng };
            aqm.on_evicted(cx, &Departing { meta, enqueued: Time::ZERO });
            assert_eq!(aqm.vars.count, count);
        }
    }
}

//! COBALT: `CoDel` and BLUE.
//! T. Høiland-Jørgensen, D. Täht, J. Morton, "Piece of CAKE: A Comprehensive Queue Management Solution for Home
//! Gateways", IEEE LANMAN, 2018, which guards each of CAKE's queues with it.
//!
//! # Law
//! At each departure, with the sojourn time of the packet and count signals so far:
//!
//! * the delay is high if the sojourn time is above `target` and above 4 transmission times of the largest packet. The
//!   first high delay after a low one starts the drop state: count is at least 1, and a signal is due
//!   `interval / sqrt(count)` later;
//! * a due signal in drop state is a mark or a drop; count grows by 1, the next is due `interval / sqrt(count)` after
//!   it;
//! * out of drop state each signal that would have been due takes 1 off count instead: the rate falls as it rose.
//!
//! BLUE beside it drops with probability `p_drop`, ECN-capable or not: + `p_inc` where a packet finds no room, -
//! `p_dec` where the link finds the queue empty, at most once per `target`. No room also starts the drop state, with a
//! signal due.
//!
//! One number is drawn per departure while `p_drop` is above 0.
//!
//! # Parameters
//! `interval` is the longest usual round-trip time, `target` a twentieth of it. `mtu` "auto" is the link's largest
//! packet; 0 leaves its transmission time out.
//!
//! # Differences
//! * The very first drop state of a queue gives its first signal at once, not after an interval: measured of Linux 6.1,
//!   whose CAKE drops the second packet above `target` (`tests/linux_open_loop.rs`). That is, `interval / sqrt(count)`
//!   counts as 0 until count has been stepped for the first time, also where no room starts the drop state.
//! * CAKE makes room at the head of its longest queue; a queue by itself refuses the packet that arrives.
//! * The root is exact.

use crate::aqm::{Aqm, Cause, Cx, Departing, LinkInfo, Verdict};
use crate::scheme::{Law, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Auto, Default, ParamErrors, Settings};
use penstock_core::{Bytes, Ecn, PacketMeta, Rng, Span, Time, math};

penstock_core::params! {
    /// Parameters of COBALT.
    pub struct CobaltParams {
        /// Sojourn time that is let be.
        target: Span = Default::Nanos(5_000_000), unit: "s", at_least: 0.0;
        /// Time from a high delay to the first signal, and from that to the second.
        interval: Span = Default::Nanos(100_000_000), unit: "s", at_least: 0.000_001;
        /// Largest packet, 4 of which may always wait; "auto" is the link's.
        mtu: Auto<Bytes> = Default::Text("auto"), unit: "bytes", range: 0.0..=65535.0;
        /// Step up of BLUE's drop probability.
        p_inc: f64 = Default::Number(0.003_906_25), range: 0.0..=1.0;
        /// Step down of BLUE's drop probability.
        p_dec: f64 = Default::Number(0.000_244_140_625), range: 0.0..=1.0;
        /// Mark ECN-capable packets instead of dropping them, except by BLUE.
        ecn: bool = Default::Flag(false);
    }
}

#[derive(Clone, Debug)]
struct CobaltVars {
    count: u32,
    dropping: bool,
    drop_next: Time,
    /// Time to the next signal: `interval / sqrt(count)` as of the last time that count moved.
    spacing: Span,
    /// BLUE's drop probability.
    p_drop: f64,
    /// When BLUE moved last.
    blue_timer: Time,
}

/// `CoDel` and BLUE.
#[derive(Clone, Debug)]
pub struct Cobalt {
    params: CobaltParams,
    /// Transmission time of the largest packet.
    mtu_time: Span,
    vars: CobaltVars,
}

impl Cobalt {
    /// The law on this link.
    pub fn new(params: CobaltParams, link: &LinkInfo) -> Self {
        let mtu_time = params.mtu_time(link);
        let vars = CobaltVars {
            count: 0,
            dropping: false,
            drop_next: Time::ZERO,
            spacing: Span::default(),
            p_drop: 0.0,
            blue_timer: Time::ZERO,
        };
        Self { params, mtu_time, vars }
    }

    /// The verdict on a packet at the head, queued at `enqueued`.
    pub(crate) fn judge(&mut self, now: Time, enqueued: Time, ecn: Ecn, rng: &mut Rng) -> Verdict {
        let sojourn = now.since(enqueued).as_nanos();
        let slack = self.mtu_time.as_nanos().saturating_mul(4);
        let is_due = self.is_due(now);
        self.vars.dropping = if sojourn > self.params.target.as_nanos() && sojourn > slack {
            if !self.vars.dropping {
                self.vars.drop_next = now + self.vars.spacing;
            }
            self.vars.count = self.vars.count.max(1);
            true
        } else {
            false
        };
        let mut verdict = Verdict::Pass;
        if is_due && self.vars.dropping {
            let marks = self.params.ecn && ecn.is_capable();
            verdict = if marks { Verdict::Mark(Cause::Sojourn) } else { Verdict::Drop(Cause::Sojourn) };
            self.move_count(self.vars.count.saturating_add(1));
        } else if is_due {
            while self.is_due(now) {
                self.move_count(self.vars.count - 1);
            }
        }
        if self.vars.p_drop > 0.0 && rng.chance(self.vars.p_drop) {
            verdict = Verdict::Drop(Cause::Sojourn);
        }
        if self.vars.count == 0 {
            self.vars.drop_next = now + self.params.interval;
        } else if now > self.vars.drop_next && !matches!(verdict, Verdict::Drop(_)) {
            self.vars.drop_next = now;
        }
        verdict
    }

    /// A packet found no room.
    pub(crate) fn overflowed(&mut self, now: Time) {
        if self.blue_may_move(now) {
            self.vars.p_drop = (self.vars.p_drop + self.params.p_inc).min(1.0);
            self.vars.blue_timer = now;
        }
        self.vars.dropping = true;
        self.vars.drop_next = now;
        self.vars.count = self.vars.count.max(1);
    }

    /// Service was offered and nothing waited.
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

    /// Whether nothing is left of an earlier congestion: no signals to undo, and no time to wait before the next.
    pub(crate) fn is_at_rest(&self, now: Time) -> bool {
        self.vars.count == 0 && self.vars.p_drop == 0.0 && now >= self.vars.drop_next
    }

    /// Go on with the parameters of `other`.
    pub(crate) fn follow(&mut self, other: &Self) {
        self.params = other.params.clone();
        self.mtu_time = other.mtu_time;
    }

    fn is_due(&self, now: Time) -> bool {
        self.vars.count > 0 && now >= self.vars.drop_next
    }

    fn blue_may_move(&self, now: Time) -> bool {
        now.since(self.vars.blue_timer) > self.params.target
    }

    /// A signal was given, or was not needed: the next is due `interval / sqrt(count)` after it, for 0 as for 1.
    fn move_count(&mut self, count: u32) {
        self.vars.count = count;
        let root = math::sqrt(f64::from(count.max(1)));
        self.vars.spacing = Span::from_nanos((self.params.interval.as_nanos() as f64 / root) as u64);
        self.vars.drop_next += self.vars.spacing;
    }
}

impl CobaltParams {
    fn mtu_time(&self, link: &LinkInfo) -> Span {
        let mtu = match self.mtu {
            Auto::Auto => link.mtu.0,
            Auto::Value(size) => size.0,
        };
        Span::from_nanos(mtu * 8_000_000_000 / link.rate.bits_per_second().max(1))
    }
}

impl Aqm for Cobalt {
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
        self.mtu_time = self.params.mtu_time(link);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("count", f64::from(self.vars.count));
        show("dropping", f64::from(u8::from(self.vars.dropping)));
        show("p_drop", self.vars.p_drop);
    }
}

impl Law for Cobalt {
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
        build_law: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "As CoDel for TCP with an even shorter queue, and what does not respond is held by BLUE once it has \
               filled the buffer.",
        bad: "TCP that takes marks leaves some of a slow link idle; like CoDel it lets a flood fill the buffer \
              first: BLUE moves only where there is no room.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(CobaltParams::from_settings(settings)?, link))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, thesis_link};
    use penstock_core::param::Value;

    fn law(settings: &[(&str, Value)]) -> Cobalt {
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        Cobalt::from_settings(&settings, &thesis_link(), Time::ZERO).unwrap()
    }

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// The verdict at `now` on a packet that has waited `sojourn` ms.
    fn judge(law: &mut Cobalt, now: u64, sojourn: u64) -> Verdict {
        law.judge(at(now), at(now - sojourn), Ecn::Not, &mut Rng::stream(1, "test"))
    }

    const DROP: Verdict = Verdict::Drop(Cause::Sojourn);

    #[test]
    fn signals_come_interval_over_root_of_count_apart() {
        let mut law = law(&[]);
        assert_eq!(judge(&mut law, 1000, 1), Verdict::Pass);
        // high from 1001 on, due at once, seen by the next packet; then 100 / sqrt 2 = 70.7, + 57.7, + 50, + 44.7,
        // + 40.8
        let drops: Vec<u64> = (1001..1270).filter(|&now| judge(&mut law, now, 50) == DROP).collect();
        assert_eq!(drops, [1002, 1072, 1130, 1180, 1225, 1265]);
        assert_eq!(law.vars.count, 7);
    }

    #[test]
    fn a_later_drop_state_waits_for_its_spacing() {
        let mut law = law(&[]);
        law.vars = CobaltVars { count: 1, drop_next: at(1000), ..law.vars };
        assert_eq!(judge(&mut law, 1000, 1), Verdict::Pass);
        let drops: Vec<u64> = (1001..1200).filter(|&now| judge(&mut law, now, 50) == DROP).collect();
        // count was 0: 100 ms, then 100 / sqrt 2
        assert_eq!(drops, [1101, 1172]);
    }

    #[test]
    fn count_falls_as_it_rose() {
        let mut law = law(&[]);
        law.vars = CobaltVars { count: 3, dropping: true, drop_next: at(1000), ..law.vars };
        // low delay: at 1000 ms count 2, next at + 70.7; then 1, next at + 100; then 0
        let counts = [999, 1000, 1070, 1071, 1170, 1171].map(|now| {
            assert_eq!(judge(&mut law, now, 1), Verdict::Pass);
            law.vars.count
        });
        assert_eq!(counts, [3, 2, 2, 1, 1, 0]);
    }

    #[test]
    fn four_of_the_largest_packets_may_wait() {
        // 1500 bytes at 1.5 Mbit/s are 8 ms
        let is_high = |sojourn: u64| {
            let mut law = law(&[]);
            law.judge(at(1000), at(1000 - sojourn), Ecn::Not, &mut Rng::stream(1, "test"));
            law.vars.dropping
        };
        assert_eq!([is_high(32), is_high(33)], [false, true]);
        let mut law = law(&[("mtu", Value::Bytes(0.0))]);
        judge(&mut law, 1000, 6);
        assert!(law.vars.dropping);
    }

    #[test]
    fn blue_steps_up_without_room_and_down_when_empty_once_per_target() {
        let mut law = law(&[]);
        let steps = [1000, 1005, 1006, 1011].map(|now| {
            law.overflowed(at(now));
            law.vars.p_drop * 256.0
        });
        assert_eq!(steps, [1.0, 1.0, 2.0, 2.0]);
        let steps = [1011, 1012, 1017, 1018].map(|now| {
            law.emptied(at(now));
            law.vars.p_drop * 4096.0
        });
        assert_eq!(steps, [32.0, 31.0, 31.0, 30.0]);
    }

    #[test]
    fn without_room_a_signal_is_due_at_once() {
        let mut law = law(&[]);
        law.overflowed(at(1000));
        assert_eq!(judge(&mut law, 1000, 50), DROP);
        assert_eq!(law.vars.count, 2);
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

//! BLUE.
//! W. Feng, D. Kandlur, D. Saha, K. Shin, "BLUE: A New Class of Active Queue Management Algorithms", CSE-TR-387-99,
//! University of Michigan, 1999, as given by A. Kantawala, J. Turner, "Intelligent Packet Discard Policies for Improved
//! TCP Queue Management", 2005, and T. Alemu, PhD thesis, Université Montpellier II, 2004, section 1.2.1.2.
//!
//! # Algorithm
//! Each arriving packet is dropped or marked with probability p, which starts at 0 and is kept within 0 and 1:
//!
//! * overflow, or an arrival that finds a queue above `threshold`: if now - last > `freeze`, p = p + d1 and last = now;
//! * link idle: if now - last > `freeze`, p = p - d2 and last = now.
//!
//! Early drops do not count as losses. An arrival first updates p and is then judged with the new p. A number is drawn
//! for each arrival while 0 < p < 1.
//!
//! # Parameters
//! d1 is much larger than d2: an idle link costs less than many lost packets. `freeze`, about one round trip, lets a
//! step take effect before the next one: p rises by at most d1 / freeze per second. Feng et al. tried `freeze` = 10 and
//! 100 ms, with d1 = 0.0025 and 0.02 and d2 = d1 / 10; the thesis uses 241 ms. Without `threshold` only overflow raises
//! p.
//!
//! # Differences
//! * The paper takes one step down at the start of an idle time; here the step is repeated every `freeze` while the
//!   link stays idle, until p is 0: otherwise p would not change over a long silence.

use super::random_verdict::toss;
use crate::aqm::{Aqm, Backlog, Cx, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, TimerMoves};
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::param::{Default, Length, ParamErrors, Settings};
use penstock_core::{PacketMeta, Span, Time};

penstock_core::params! {
    /// Parameters of BLUE.
    pub struct BlueParams {
        /// Step up of p at a loss.
        d1: f64 = Default::Number(0.0025), range: 0.0..=1.0;
        /// Step down of p on an idle link.
        d2: f64 = Default::Number(0.000_25), range: 0.0..=1.0;
        /// Shortest time between two steps of p.
        freeze: Span = Default::Nanos(100_000_000), unit: "s", at_least: 0.000_1;
        /// An arrival that finds a longer queue than this counts as a loss.
        threshold: Option<Length> = Default::Absent, unit: "packets", at_least: 0.0;
        /// Mark ECN-capable packets instead of dropping them early.
        ecn: bool = Default::Flag(false);
    }
}

/// BLUE.
#[derive(Clone, Debug)]
pub struct Blue {
    params: BlueParams,
    p: f64,
    last_update: Time,
    /// No packet has been queued since the link was found idle.
    idle: bool,
    /// When to check an idle link again.
    check: Option<Time>,
}

impl Blue {
    /// The AQM with these parameters.
    pub fn new(params: BlueParams, now: Time) -> Self {
        Self { params, p: 0.0, last_update: now, idle: true, check: None }
    }

    fn step(&mut self, now: Time, by: f64) {
        if now.since(self.last_update) > self.params.freeze {
            self.p = (self.p + by).clamp(0.0, 1.0);
            self.last_update = now;
        }
    }

    /// The link is idle: check it again at the first instant at which a step is possible.
    fn step_down(&mut self, now: Time) {
        self.step(now, -self.params.d2);
        let check = self.last_update + self.params.freeze + Span::from_nanos(1);
        self.check = (self.p > 0.0 && check < Time::NEVER).then_some(check);
    }

    fn is_above_threshold(&self, queue: &Backlog) -> bool {
        match self.params.threshold {
            None => false,
            Some(Length::Packets(packets)) => f64::from(queue.packets) > packets,
            Some(Length::Bytes(bytes)) => queue.bytes as f64 > bytes,
        }
    }
}

impl Aqm for Blue {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_timer(TimerMoves::OnIdle)
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) -> Verdict {
        if self.is_above_threshold(&cx.queue) {
            self.step(cx.now, self.params.d1);
        }
        toss(self.p, self.params.ecn, cx.rng)
    }

    fn on_enqueued(&mut self, _cx: &mut Cx<'_>, _packet: &PacketMeta) {
        self.idle = false;
    }

    fn on_overflow(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) {
        self.step(cx.now, self.params.d1);
    }

    fn on_idle(&mut self, now: Time) {
        self.idle = true;
        self.step_down(now);
    }

    fn next_timeout(&self) -> Option<Time> {
        self.check
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.check = None;
        if self.idle {
            self.step_down(cx.now);
        }
    }

    fn resume(&mut self, queue: &Backlog, gauge: &dyn Fn(&str) -> Option<f64>) {
        self.p = gauge("p").unwrap_or(self.p);
        self.idle = queue.packets == 0;
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        show("p", self.p);
    }
}

impl AqmScheme for Blue {
    const INFO: SchemeInfo = SchemeInfo {
        name: "blue",
        aliases: &[],
        family: "control",
        title: "BLUE",
        source: "W. Feng, D. Kandlur, D. Saha, K. Shin, BLUE: A New Class of Active Queue Management Algorithms, \
                 CSE-TR-387-99, University of Michigan, 1999",
        doc: module_doc!("blue.rs"),
        ecn: true,
        params: BlueParams::INFO,
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::Response,
        good: "Needs no average and no model of the link: it finds the probability from losses and idle times alone.",
        bad: "Has no target: the queue swings between empty and full, and after a jump of the load p takes many \
              seconds to follow.",
    };

    fn from_settings(settings: &Settings, _link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        Ok(Self::new(BlueParams::from_settings(settings)?, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Rig;
    use penstock_core::param::Value;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// Every `gap`, 36 packets arrive at a queue of 35 places, `losses` times, with p too small to matter; then the
    /// queue is emptied.
    fn lose(rig: &mut Rig, losses: u32, gap: Span) {
        for _ in 0..losses {
            rig.advance(gap);
            while rig.waiting() < 35 {
                rig.arrive(1);
            }
            let before = rig.counts.dropped_on_arrival;
            while rig.counts.dropped_on_arrival == before {
                rig.arrive(1);
            }
        }
    }

    #[test]
    fn each_loss_raises_p_by_d1_but_not_within_the_freeze() {
        let mut rig = Rig::new("blue", &[("d1", Value::Number(1e-9))]);
        lose(&mut rig, 3, Span::from_millis(101));
        assert!(close(rig.gauge("p"), 3e-9));
        // 303 ms + 100 ms is still within the freeze time; one nanosecond later is not
        lose(&mut rig, 1, Span::from_millis(100));
        assert!(close(rig.gauge("p"), 3e-9));
        lose(&mut rig, 1, Span::from_nanos(1));
        assert!(close(rig.gauge("p"), 4e-9));
    }

    #[test]
    fn an_idle_link_lowers_p_by_d2_again_and_again() {
        let mut rig = Rig::new("blue", &[("d1", Value::Number(1e-9)), ("d2", Value::Number(4e-10))]);
        lose(&mut rig, 2, Span::from_millis(101));
        while rig.depart() {}
        // the last dequeue, which found no packet, fell within the freeze time
        assert!(close(rig.gauge("p"), 2e-9));
        // the next steps come after 100 ms + 1 ns and 200 ms + 2 ns
        rig.advance(Span::from_millis(150));
        assert!(close(rig.gauge("p"), 1.6e-9));
        rig.advance(Span::from_millis(100));
        assert!(close(rig.gauge("p"), 1.2e-9));
        rig.advance(Span::from_millis(10_000));
        assert_eq!(rig.gauge("p"), 0.0);
    }

    #[test]
    fn a_packet_ends_the_idle_time() {
        let mut rig = Rig::new("blue", &[("d1", Value::Number(1e-9)), ("d2", Value::Number(4e-10))]);
        lose(&mut rig, 2, Span::from_millis(101));
        while rig.depart() {}
        rig.arrive(1);
        rig.advance(Span::from_millis(1000));
        assert!(close(rig.gauge("p"), 2e-9));
    }

    #[test]
    fn early_drops_are_no_losses() {
        let mut rig = Rig::new("blue", &[("d1", Value::Number(1.0))]);
        lose(&mut rig, 1, Span::from_millis(101));
        while rig.depart() {}
        rig.advance(Span::from_millis(50));
        // p = 1 drops all of these early: none of them raises p or counts as a loss that delays the next step down
        assert_eq!(rig.gauge("p"), 1.0);
        rig.arrive(10);
        assert_eq!((rig.waiting(), rig.counts.dropped_on_arrival), (0, 11));
        rig.advance(Span::from_millis(60));
        assert!(close(rig.gauge("p"), 1.0 - 0.000_25));
    }

    #[test]
    fn a_queue_above_the_threshold_is_a_loss() {
        let at = |threshold: Value| {
            let mut rig = Rig::new("blue", &[("threshold", threshold), ("d1", Value::Number(1e-9))]);
            rig.advance(Span::from_millis(101));
            rig.arrive(11);
            let before = rig.gauge("p");
            rig.arrive(1);
            (before, rig.gauge("p"))
        };
        // the twelfth packet finds 11 packets
        assert_eq!(at(Value::Packets(10.0)), (0.0, 1e-9));
        assert_eq!(at(Value::Bytes(10_000.0)), (0.0, 1e-9));
        assert_eq!(at(Value::Packets(11.0)), (0.0, 0.0));
    }

    #[test]
    fn p_rises_by_at_most_d1_in_a_freeze_time() {
        // The thesis' values, scaled by a millionth so that p itself drops nothing: 140 steps to 0.35. Overflows come
        // every 5 ms; a step needs more than 241 ms since the last one, so steps come every 245 ms.
        let settings = [("d1", Value::Number(0.0025e-6)), ("freeze", Value::Time(Span::from_millis(241)))];
        let mut rig = Rig::new("blue", &settings);
        while rig.gauge("p") < 0.35e-6 - 1e-15 {
            lose(&mut rig, 1, Span::from_millis(5));
        }
        assert!((rig.now.as_secs() - 140.0 * 0.245).abs() < 1e-9);
    }
}

//! Leaky bucket shaper.
//! S. Blake et al., "An Architecture for Differentiated Services", RFC 2475, section 2.3.3.3; as given by B. Alemu,
//! thesis, 2004 (M-LB, M-TB).
//!
//! # Law
//! A queue in order of arrival, drained at the constant rate r even if the link is faster: after a packet of L bytes,
//! the next one leaves at the earliest 8 L / r seconds later. Packets that find no room are dropped. With a `burst` of
//! b bytes, a queue that was empty may run ahead by b bytes: a packet leaves at time t after the queue was empty only
//! if the bytes sent before it are at most b + r t / 8. This is a token bucket (r, b) that delays non-conforming
//! packets. No random number is drawn.
//!
//! # Parameters
//! `rate` is r, `burst` is b: 0 spaces packets evenly. The `limit` of the queue bounds how long a packet may wait.
//!
//! # Differences
//! * Departures are exact: fractions of a nanosecond are carried over to the next packet.
//! * A packet longer than `burst` is sent like any other, while a token bucket would hold it for ever.

use super::packet_queue::PacketQueue;
use super::{Discipline, Env, Next, Probe};
use crate::aqm::{Backlog, LinkInfo};
use crate::capabilities::Capabilities;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use penstock_core::param::{Default, ParamErrors, Settings};
use penstock_core::{Bytes, Packet, Rate, Span, Time};

penstock_core::params! {
    /// Parameters of the shaper.
    pub struct ShaperParams {
        /// Rate at which the queue is drained.
        rate: Rate = Default::Required, unit: "bit/s", at_least: 1.0;
        /// Depth of the token bucket: the burst that may leave immediately after a pause.
        burst: Bytes = Default::Number(0.0), unit: "bytes", range: 0.0..=1e9;
    }
}

/// The leaky bucket shaper, in the registry.
pub(crate) struct Shaper;

struct LeakyBucket<P> {
    queue: PacketQueue<P>,
    schedule: Schedule,
}

/// When the next packet may leave, at a constant rate.
#[derive(Clone, Copy, Debug)]
struct Schedule {
    rate: Rate,
    /// Time by which the output may run ahead of the rate, in whole nanoseconds.
    ahead: u64,
    /// Its fraction of a nanosecond, in units of 1 / rate.
    ahead_remainder: u64,
    /// Time at which the departed packets would have been sent at the rate, in whole nanoseconds.
    due: Time,
    /// Its fraction of a nanosecond, in units of 1 / rate.
    remainder: u64,
}

impl Schedule {
    fn new(rate: Rate, burst: Bytes, now: Time) -> Self {
        let (work, bits) = (u128::from(burst.0) * 8_000_000_000, u128::from(rate.bits_per_second()));
        let ahead = u64::try_from(work / bits).unwrap_or(u64::MAX);
        Self { rate, ahead, ahead_remainder: (work % bits) as u64, due: now, remainder: 0 }
    }

    /// When the next packet may leave.
    fn earliest(&self) -> Time {
        let early = self.due.as_nanos().checked_sub(self.ahead);
        // round up: the fraction of a nanosecond must have passed
        Time::from_nanos(
            early.map_or(0, |early| early.saturating_add(u64::from(self.remainder > self.ahead_remainder))),
        )
    }

    /// A packet of `size` bytes leaves now.
    fn leave(&mut self, now: Time, size: u32) {
        if self.due < now {
            (self.due, self.remainder) = (now, 0);
        }
        let rate = u128::from(self.rate.bits_per_second());
        let work = u128::from(size) * 8_000_000_000 + u128::from(self.remainder);
        self.due += Span::from_nanos(u64::try_from(work / rate).unwrap_or(u64::MAX));
        self.remainder = (work % rate) as u64;
    }
}

impl<P: Packet + Send, W: Probe<P> + ?Sized> Discipline<P, W> for LeakyBucket<P> {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }

    fn is_fifo(&self) -> bool {
        false
    }

    fn enqueue(&mut self, env: &mut Env<'_, P, W>, packet: P) {
        self.queue.push_or_refuse(env, packet);
    }

    fn dequeue(&mut self, env: &mut Env<'_, P, W>) -> Next<P> {
        let earliest = self.schedule.earliest();
        if !self.queue.is_empty() && earliest > env.now {
            return Next::NotBefore(earliest);
        }
        let next = self.queue.serve(env);
        if let Next::Send(packet) = &next {
            self.schedule.leave(env.now, packet.meta().size);
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
}

impl Scheme for Shaper {
    const INFO: SchemeInfo = SchemeInfo {
        name: "shaper",
        aliases: &["leaky-bucket"],
        family: "passive",
        title: "Leaky bucket shaper",
        source: "S. Blake et al., An Architecture for Differentiated Services, RFC 2475, 1998",
        doc: module_doc!("shaper.rs"),
        ecn: false,
        params: ShaperParams::INFO,
        class_params: &[],
        cost: "O(1) time, O(packets) memory",
        build_law: None,
        picture: Picture::Response,
        good: "The output conforms to its rate exactly, so a policer behind it drops nothing.",
        bad: "It delays packets while the link is idle, and under overload it is a drop-tail queue.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, now, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let ShaperParams { rate, burst } = ShaperParams::from_settings(settings)?;
        let schedule = Schedule::new(rate, burst, now);
        Ok(Box::new(LeakyBucket { queue: PacketQueue::new(link.limit), schedule }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Rig;
    use penstock_core::param::Value;
    use penstock_core::{Ecn, PacketMeta};

    /// Departure times in microseconds, if the link asks each time at the announced moment.
    fn departures(rig: &mut Rig, n: usize) -> Vec<u64> {
        let mut left = Vec::new();
        while left.len() < n {
            if rig.depart() {
                left.push(rig.now.as_nanos() / 1_000);
            } else {
                rig.advance(Span::from_micros(1));
            }
        }
        left
    }

    fn shaper(rate: f64, burst: f64) -> Rig {
        Rig::new("shaper", &[("rate", Value::Number(rate)), ("burst", Value::Bytes(burst))])
    }

    #[test]
    fn packets_leave_at_the_constant_rate() {
        // 8 Mbit/s: 1000 bytes a millisecond
        let mut rig = shaper(8e6, 0.0);
        rig.arrive(3);
        rig.arrive_as(500, Ecn::Not);
        rig.arrive(1);
        assert_eq!(departures(&mut rig, 5), [0, 1_000, 2_000, 3_000, 3_500]);
        // a pause earns no credit
        rig.advance(Span::from_millis(100));
        let start = rig.now.as_nanos() / 1_000;
        rig.arrive(2);
        assert_eq!(departures(&mut rig, 2), [start, start + 1_000]);
    }

    #[test]
    fn a_burst_may_run_ahead_after_a_pause() {
        let mut rig = shaper(8e6, 2_000.0);
        rig.arrive(6);
        assert_eq!(departures(&mut rig, 6), [0, 0, 0, 1_000, 2_000, 3_000]);
        // 2 ms later half of it is back: 4 packets were due by 4 ms after the third
        rig.advance(Span::from_millis(1));
        let start = rig.now.as_nanos() / 1_000;
        rig.arrive(2);
        assert_eq!(departures(&mut rig, 2), [start, start + 1_000]);
    }

    #[test]
    fn the_rate_is_exact_in_the_long_run() {
        // 7 bit/s: a byte takes 8/7 s; 7000 bytes take 8000 s to the nanosecond
        let mut schedule = Schedule::new(Rate::from_bits_per_second(7), Bytes(0), Time::ZERO);
        for _ in 0..7_000 {
            schedule.leave(schedule.due, 1);
        }
        assert_eq!((schedule.due.as_nanos(), schedule.remainder), (8_000_000_000_000, 0));
    }

    #[test]
    fn what_finds_no_room_is_dropped() {
        let mut rig = shaper(8e6, 0.0);
        rig.arrive(40);
        assert_eq!((rig.waiting(), rig.counts.dropped_on_arrival), (35, 5));
    }

    #[test]
    fn the_link_is_told_when_to_ask_again() {
        let mut queue = crate::build::<PacketMeta, dyn Probe<_>>(
            "shaper",
            &[("rate".into(), Value::Number(3_000.0))],
            &crate::rig::thesis_link(),
            Time::ZERO,
        )
        .unwrap();
        let mut rng = penstock_core::Rng::stream(1, "shaper");
        let mut env: Env<'_, _> = Env { now: Time::ZERO, rng: &mut rng, probe: &mut (), facts: &() };
        assert_eq!(queue.dequeue(&mut env), Next::Empty);
        let packet = PacketMeta { flow: 0, size: 1, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None };
        queue.enqueue(&mut env, packet);
        queue.enqueue(&mut env, packet);
        assert_eq!(queue.dequeue(&mut env), Next::Send(packet));
        // 8 bits at 3000 bit/s are 2 666 666.7 ns
        assert_eq!(queue.dequeue(&mut env), Next::NotBefore(Time::from_nanos(2_666_667)));
        env.now = Time::from_nanos(2_666_667);
        assert_eq!(queue.dequeue(&mut env), Next::Send(packet));
    }
}

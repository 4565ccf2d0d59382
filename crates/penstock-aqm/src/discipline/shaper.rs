//! Leaky bucket shaper.
//! S. Blake et al., "An Architecture for Differentiated Services", RFC 2475, section 2.3.3.3; as given by B. Alemu,
//! thesis, 2004 (M-LB, M-TB).
//!
//! # Algorithm
//! A queue in order of arrival, drained at the constant rate r even if the link is faster: after a packet of L bytes,
//! the next packet leaves at the earliest 8 L / r seconds later. Packets that find no room are dropped. With a `burst`
//! of b bytes it is a token bucket (r, b) that delays non-conforming packets: tokens grow at r up to b, and a packet
//! leaves once there are tokens for all its bytes, and consumes them. So no more than b + r t / 8 bytes leave in any t
//! seconds, and a policer with the same r and b behind it drops nothing. No random number is drawn.
//!
//! # Parameters
//! `rate` is r, `burst` is b: 0 spaces packets evenly. The `limit` of the queue bounds how long a packet may wait.
//!
//! # Differences
//! * Times are whole nanoseconds. A departure waits for the end of a nanosecond; the unused part of that nanosecond
//!   counts for the next packet unless the bucket is full.
//! * A token bucket would never release a packet longer than `burst`. Here the packet leaves once the bucket is full
//!   and makes the number of tokens negative, so that the next packet waits until the rate has repaid the debt. A
//!   `burst` of 0 spaces all packets in this way.

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

/// The token bucket (r, b), in bits times 10^9, so that a rate in bit/s gives a whole number of tokens per nanosecond.
/// A packet longer than b leaves once the bucket is full, and makes the number of tokens negative.
#[derive(Clone, Copy, Debug)]
struct Schedule {
    rate: i128,
    depth: i128,
    level: i128,
    at: Time,
}

impl Schedule {
    fn new(rate: Rate, burst: Bytes, now: Time) -> Self {
        let depth = tokens(burst.0);
        Self { rate: i128::from(rate.bits_per_second()), depth, level: depth, at: now }
    }

    /// When a packet of `size` bytes may leave.
    fn earliest(&self, size: u32) -> Time {
        let missing = tokens(u64::from(size)).min(self.depth) - self.level;
        // round up: the fraction of a nanosecond must have passed
        let nanos = (missing.max(0) + self.rate - 1) / self.rate;
        self.at + Span::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// A packet of `size` bytes leaves now.
    fn leave(&mut self, now: Time, size: u32) {
        let earned = i128::from(now.since(self.at).as_nanos()).saturating_mul(self.rate);
        self.level = self.level.saturating_add(earned).min(self.depth) - tokens(u64::from(size));
        self.at = now;
    }
}

/// The tokens that `bytes` bytes cost.
fn tokens(bytes: u64) -> i128 {
    i128::from(bytes) * 8_000_000_000
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
        if let Some(head) = self.queue.behind(0) {
            let earliest = self.schedule.earliest(head.meta().size);
            if earliest > env.now {
                return Next::NotBefore(earliest);
            }
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
        build_aqm: None,
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
    use proptest::prelude::*;

    /// Departure times in microseconds, if the link always asks for the next packet at the announced time.
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
    fn a_burst_leaves_at_once_after_a_pause() {
        let mut rig = shaper(8e6, 2_000.0);
        rig.arrive(6);
        assert_eq!(departures(&mut rig, 6), [0, 0, 1_000, 2_000, 3_000, 4_000]);
        // 1.5 ms later there are tokens for one and a half packets
        rig.advance(Span::from_micros(1_500));
        let start = rig.now.as_nanos() / 1_000;
        rig.arrive(2);
        assert_eq!(departures(&mut rig, 2), [start, start + 500]);
    }

    #[test]
    fn a_packet_longer_than_the_burst_waits_for_a_full_bucket() {
        // a packet of 1000 bytes from a bucket of 500 bytes: the next packet waits 1 ms, not 0.5 ms
        let mut rig = shaper(8e6, 500.0);
        rig.arrive(3);
        assert_eq!(departures(&mut rig, 3), [0, 1_000, 2_000]);
    }

    #[test]
    fn the_rate_is_exact_in_the_long_run() {
        // 7 bit/s: a byte takes 8/7 s; 7000 bytes take 8000 s, exact to the nanosecond
        let mut schedule = Schedule::new(Rate::from_bits_per_second(7), Bytes(2), Time::ZERO);
        (0..2).for_each(|_| schedule.leave(Time::ZERO, 1));
        for _ in 0..7_000 {
            schedule.leave(schedule.earliest(1), 1);
        }
        assert_eq!(schedule.at, Time::from_nanos(8_000_000_000_000));
    }

    proptest! {
        /// RFC 2475, section 2.3.3.3: a shaper brings a stream into compliance with its profile, the token bucket (r, b).
        #[test]
        fn no_more_than_the_burst_and_the_rate_leaves_in_any_interval(
            rate in 1_000_u64..100_000_000,
            burst in 1_500_u64..20_000,
            arrivals in proptest::collection::vec((0_u64..20_000_000, 1_u32..1_500), 2..60),
        ) {
            let mut rig = shaper(rate as f64, burst as f64);
            let mut left: Vec<(u128, u128)> = Vec::new();
            for (pause, size) in arrivals {
                rig.arrive_as(size, Ecn::Not);
                let end = rig.now + Span::from_nanos(pause);
                loop {
                    match rig.next() {
                        Next::Send(packet) => left.push((rig.now.as_nanos().into(), packet.size.into())),
                        Next::NotBefore(time) if time <= end => rig.advance(time.since(rig.now)),
                        Next::Empty | Next::NotBefore(_) => break,
                    }
                }
                rig.advance(end.since(rig.now));
            }
            for first in 0..left.len() {
                let mut bytes = 0;
                for &(at, size) in &left[first..] {
                    bytes += size;
                    let allowed = u128::from(burst) * 8_000_000_000 + u128::from(rate) * (at - left[first].0);
                    prop_assert!(8_000_000_000 * bytes <= allowed);
                }
            }
        }
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

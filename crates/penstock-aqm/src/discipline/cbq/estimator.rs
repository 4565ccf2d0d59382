//! The estimator of Floyd and Van Jacobson, and link-sharing by it: a class over its limit borrows from the link or is
//! suspended.

use super::super::scheduler::{Head, Order};
use super::{RegulatedClassParams, Variant};
use crate::aqm::LinkInfo;
use crate::scheme::Site;
use alloc::vec::Vec;
use penstock_core::param::Length;
use penstock_core::{Span, Time, math};

/// Weight of the last idle time in the average.
const W: f64 = 1.0 / 16.0;
/// n, the default number of packets that a class may send back to back after a long idle time.
const MAXBURST: f64 = 8.0;
/// n of the link.
const LINK_MAXBURST: f64 = 64.0;

/// Whether a class, or the link, is over its limit. The formulas take times in nanoseconds since the start.
struct Estimator {
    start: Time,
    /// p, the fraction of the link's rate allotted to the class.
    p: f64,
    /// n.
    burst: f64,
    mean_packet: f64,
    maxidle: f64,
    avgidle: f64,
    /// When the transmission of the last packet ends.
    departed: f64,
    /// When the next packet may follow at the allotted rate.
    follows: Time,
    /// The class, or the link, is over its limit until this time.
    undertime: Time,
}

impl Estimator {
    fn new(p: f64, burst: f64, mean_packet: f64, rate: f64, start: Time) -> Self {
        let (departed, follows, undertime) = (f64::NEG_INFINITY, start, start);
        let (maxidle, avgidle) = (0.0, f64::MAX);
        let mut new = Self { start, p, burst, mean_packet, maxidle, avgidle, departed, follows, undertime };
        new.set_rate(rate);
        new
    }

    /// Sets the rate of the link, in bits per nanosecond.
    fn set_rate(&mut self, rate: f64) {
        let t = self.mean_packet * 8.0 / rate;
        let g_n = math::pow(1.0 - W, self.burst);
        let credit = (1.0 / self.p - 1.0) * (1.0 - g_n) / g_n;
        // Clamp to a finite number: g^n becomes 0 after some ten thousand packets.
        self.maxidle = (t * credit.max(W)).min(f64::MAX);
        self.avgidle = self.avgidle.min(self.maxidle);
    }

    /// The transmission of a packet of `size` bytes begins at `now`.
    fn sends(&mut self, now: Time, size: u32, rate: f64) {
        let now = now.since(self.start).as_nanos() as f64;
        let bits = f64::from(size) * 8.0;
        let f = bits / (self.p * rate);
        let leaves = now + bits / rate;
        let diff = leaves - self.departed - f;
        self.departed = leaves;
        self.avgidle = ((1.0 - W) * self.avgidle + W * diff).min(self.maxidle);
        self.follows = self.start + Span::from_nanos((now + f) as u64);
        self.undertime = if self.avgidle > 0.0 {
            self.start
        } else {
            self.start + Span::from_nanos((now + f - (1.0 - W) / W * self.avgidle) as u64)
        };
    }

    fn is_over_limit(&self, now: Time) -> bool {
        now < self.undertime
    }
}

/// The reason why a class may send.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Right {
    /// The class is not over its limit.
    Own,
    /// The link is not over its limit.
    Borrowed,
    /// No class may send for any other reason, so the first class in turn does.
    Last,
}

struct Class {
    estimator: Estimator,
    suspended: bool,
    /// Bytes that the class gets per round, and bytes that it may still send.
    quantum: i64,
    credit: i64,
}

impl Class {
    /// The reason why the class may send; `None` suspends it.
    fn right(&mut self, now: Time, link: &Estimator) -> Option<Right> {
        if !self.estimator.is_over_limit(now) {
            Some(Right::Own)
        } else if !link.is_over_limit(now) {
            Some(Right::Borrowed)
        } else {
            if !self.suspended {
                self.suspended = true;
                self.estimator.undertime = self.estimator.follows;
            }
            None
        }
    }
}

/// The choice made by `pick`, stored until `left` is called.
#[derive(Clone, Copy, Debug)]
struct Picked {
    now: Time,
    right: Right,
    /// Whether the packet is charged to the credit of its class.
    pays: bool,
}

/// Link-sharing among classes of one level and one priority, by ancestor-only rules: the only ancestor is the link.
pub(super) struct LinkSharing {
    classes: Vec<Class>,
    link: Estimator,
    /// In bits in a nanosecond.
    rate: f64,
    /// Whether turns are credits in bytes instead of single packets.
    by_bytes: bool,
    turn: usize,
    picked: Picked,
}

impl LinkSharing {
    pub(super) fn new(
        variant: Variant,
        link_share: f64,
        params: &[RegulatedClassParams],
        &Site { link, now, .. }: &Site<'_>,
    ) -> Self {
        let rate = in_nanos(link);
        let shares: f64 = params.iter().map(|class| class.share).sum();
        let round: f64 = params.iter().map(|class| class.mean_packet.0 as f64).sum();
        let class = |class: &RegulatedClassParams| {
            let mean_packet = class.mean_packet.0 as f64;
            let burst = match class.burst {
                None => MAXBURST,
                Some(Length::Packets(packets)) => packets,
                Some(Length::Bytes(bytes)) => bytes / mean_packet,
            };
            let estimator = Estimator::new(class.share, burst, mean_packet, rate, now);
            let quantum = ((class.share / shares * round) as i64).max(1);
            Class { estimator, suspended: false, quantum, credit: 0 }
        };
        Self {
            classes: params.iter().map(class).collect(),
            link: Estimator::new(link_share, LINK_MAXBURST, link.mean_packet.0 as f64, rate, now),
            rate,
            by_bytes: variant == Variant::Wrr,
            turn: 0,
            picked: Picked { now, right: Right::Last, pays: false },
        }
    }

    /// The next class in turn that may send and, with turns in bytes, has credit.
    fn round(&mut self, now: Time, heads: &[Option<Head<()>>]) -> Result<(usize, Right), Nobody> {
        let mut nobody = Nobody { first_over: None, in_debt: false };
        for number in (self.turn..self.classes.len()).chain(0..self.turn) {
            let class = &mut self.classes[number];
            if heads[number].is_some() {
                let right = class.right(now, &self.link);
                if class.credit <= 0 {
                    class.credit += class.quantum;
                }
                match right {
                    Some(right) if class.credit > 0 || !self.by_bytes => return Ok((number, right)),
                    Some(_) => nobody.in_debt = true,
                    None => _ = nobody.first_over.get_or_insert(number),
                }
            }
            // A class that is passed over loses its credit or debt.
            class.credit = 0;
        }
        Err(nobody)
    }
}

/// Why no class sends in a round: the first class that may not send, and whether any class may send but has no credit.
struct Nobody {
    first_over: Option<usize>,
    in_debt: bool,
}

impl Order for LinkSharing {
    type Tag = ();

    fn stamp(&mut self, _now: Time, _class: usize, _size: u32) {}

    fn wakes(&mut self, _class: usize, _head: &Head<()>) {}

    fn pick(&mut self, now: Time, heads: &[Option<Head<()>>]) -> usize {
        let first_round = self.round(now, heads);
        let pays = first_round.is_ok();
        let found = match first_round {
            Err(Nobody { in_debt: true, .. }) => self.round(now, heads),
            found => found,
        };
        let (class, right) = found.unwrap_or_else(|nobody| (nobody.first_over.unwrap_or(0), Right::Last));
        self.turn = class;
        self.picked = Picked { now, right, pays };
        class
    }

    fn left(&mut self, class: usize, head: &Head<()>, _next: Option<&Head<()>>, sent: bool) {
        if !sent {
            return;
        }
        let Picked { now, right, pays } = self.picked;
        let sender = &mut self.classes[class];
        if right != Right::Last {
            sender.estimator.sends(now, head.size, self.rate);
            self.link.sends(now, head.size, self.rate);
        }
        if right == Right::Own {
            sender.suspended = false;
        }
        if pays {
            sender.credit -= i64::from(head.size);
        }
        if !(self.by_bytes && pays && sender.credit > 0) {
            self.turn = (class + 1) % self.classes.len();
        }
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        self.rate = in_nanos(link);
        self.link.set_rate(self.rate);
        self.classes.iter_mut().for_each(|class| class.estimator.set_rate(self.rate));
    }
}

/// Bits in a nanosecond.
fn in_nanos(link: &LinkInfo) -> f64 {
    link.rate.bits_per_second() as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, class, numbered, thesis_link};
    use penstock_core::param::Value;
    use penstock_core::{Limit, Span};

    /// 1.5 Mbit/s, on which 1000 bytes take 5.333 ms.
    const RATE: f64 = 1.5e-3;

    fn micros(micros: u64) -> Time {
        Time::ZERO + Span::from_micros(micros)
    }

    fn on_half_the_link(burst: f64) -> Estimator {
        Estimator::new(0.5, burst, 1000.0, RATE, Time::ZERO)
    }

    /// Two packets back to back with an allotted half of the link: avgidle = 15/16 x 0.333 - 1/16 x 5.333 = -0.0208 ms.
    fn just_over_its_limit() -> Estimator {
        let mut estimator = on_half_the_link(0.0);
        for start in [0, 5_333] {
            estimator.sends(micros(start), 1000, RATE);
        }
        estimator
    }

    fn sharing(variant: &str, shares: &[f64]) -> Rig {
        let of = |(i, &share): (usize, &f64)| class(i as u32, vec![("share", Value::Number(share))]);
        let classes = Value::Classes(shares.iter().enumerate().map(of).collect());
        let settings = [("variant".to_string(), Value::Text(variant.into())), ("classes".to_string(), classes)];
        let link = LinkInfo { limit: Limit::Infinite, ..thesis_link() };
        Rig::on(&link, "cbq", &settings, 1).unwrap()
    }

    /// The flows of the next packets of a link that is never idle.
    fn served(rig: &mut Rig, n: usize) -> Vec<u32> {
        let mut serve = || {
            let flow = rig.serve().unwrap().flow;
            rig.advance(Span::from_nanos(5_333_333));
            flow
        };
        (0..n).map(|_| serve()).collect()
    }

    #[test]
    fn a_class_long_idle_may_send_its_burst_back_to_back() {
        // After the first packet, which ends the idle time, 2.5 more may follow: the third of these exceeds the limit.
        let mut estimator = on_half_the_link(2.5);
        let over = [0, 5_333, 10_667, 16_000].map(|start| {
            estimator.sends(micros(start), 1000, RATE);
            estimator.is_over_limit(micros(start + 5_333))
        });
        assert_eq!(over, [false, false, false, true]);
    }

    #[test]
    fn undertime_is_when_the_next_packet_brings_avgidle_back_to_zero() {
        // 5.333 + 10.667 ms at the allotted rate, and 15 x 0.0208 ms.
        let estimator = just_over_its_limit();
        assert!(estimator.is_over_limit(micros(16_311)));
        assert!(!estimator.is_over_limit(micros(16_314)));
    }

    #[test]
    fn a_class_is_refused_once_and_then_sends_at_its_rate() {
        let link = just_over_its_limit();
        let refused_first_at = |time| {
            let estimator = just_over_its_limit();
            let mut class = Class { estimator, suspended: false, quantum: 1, credit: 0 };
            assert_eq!(class.right(micros(time), &link), None);
            [15_990, 16_010].map(|later| class.right(micros(later), &link))
        };
        assert_eq!(refused_first_at(10_000), [None, Some(Right::Own)]);
        assert_eq!(refused_first_at(16_200), [None, Some(Right::Own)]);
    }

    #[test]
    fn a_class_over_its_limit_borrows_from_a_link_that_is_not() {
        let mut class = Class { estimator: just_over_its_limit(), suspended: false, quantum: 1, credit: 0 };
        assert_eq!(class.right(micros(10_000), &on_half_the_link(8.0)), Some(Right::Borrowed));
        assert_eq!(class.right(micros(16_100), &just_over_its_limit()), None, "it was not suspended by borrowing");
    }

    /// The order is that of ns-2.35, which visits its classes in this order if they are added in reverse.
    #[test]
    fn turns_are_single_packets_until_a_class_is_over_its_limit() {
        let mut rig = sharing("prr", &[0.08, 0.2, 0.3, 0.4]);
        (0..400).for_each(|i| rig.arrive_packet(numbered(i % 4, 1000)));
        assert_eq!(served(&mut rig, 4 * 17), [0, 1, 2, 3].repeat(17));
        assert_ne!(served(&mut rig, 4), [0, 1, 2, 3]);
    }

    #[test]
    fn turns_weighted_in_bytes_carry_debt_into_the_next_round_but_not_further() {
        let mut rig = sharing("wrr", &[0.6, 0.2, 0.2]);
        (0..60).for_each(|i| rig.arrive_packet(numbered(i % 3, 1000)));
        // Quanta of 1800, 600 and 600 bytes. Classes 1 and 2 have a debt of 400, then of 800, and are passed over in
        // the third round.
        assert_eq!(served(&mut rig, 14), [0, 0, 1, 2, 0, 0, 1, 2, 0, 0, 0, 0, 1, 2]);
    }

    #[test]
    fn what_is_sent_without_a_right_counts_nowhere() {
        // The link requests packets repeatedly at one instant. Its avgidle begins at 6.66 ms; packets that take 5.44 ms
        // each at 0.98 of its rate bring avgidle below 0 after 1 + 13 packets: 12.10 x (15/16)^13 < 5.44. From then on
        // no class may send.
        let after = |packets: u32| {
            let mut rig = sharing("prr", &[0.5, 0.48]);
            (0..200).for_each(|i| rig.arrive_packet(numbered(i % 2, 1000)));
            (0..packets).for_each(|_| assert!(rig.depart()));
            served(&mut rig, 60)
        };
        assert_eq!(after(14), after(40));
        assert_eq!(after(14), after(100));
        assert_ne!(after(14), after(12));
    }

    #[test]
    fn nothing_overflows_where_a_burst_knows_no_end() {
        let mut estimator = on_half_the_link(1e9);
        (0..1000).for_each(|_| estimator.sends(Time::ZERO, 1000, RATE));
        assert!(!estimator.is_over_limit(Time::ZERO) && estimator.avgidle.is_finite());
    }
}

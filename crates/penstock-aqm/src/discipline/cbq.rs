//! Class-Based Queueing (CBQ). S. Floyd, V. Jacobson, "Link-sharing and Resource Management Models for Packet
//! Networks", IEEE/ACM Trans. Networking 3(4), 1995, defines when a class is regulated and, in its appendix, the
//! estimator. The formula of maxidle is from S. Floyd, "Notes on Class-Based Queueing: Setting Parameters", 1995. The
//! weighted round robin in packets is from T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the
//! Internet", PhD thesis, Université Montpellier II, 2004, introduction.
//!
//! # Algorithm
//! `variant = "token-bucket"`: classes take turns (weighted round robin). In its turn class i sends at most w_i =
//! max(1, round((share_i / s_i) / min over j of (share_j / s_j))) packets, where s_i is its `mean_packet`, so that each
//! backlogged class sends at least one packet per round. A class is within its share while its head packet conforms to
//! a token bucket of rate share_i C and depth `burst`. While any backlogged class is within its share, only such
//! classes are served. Otherwise all classes take turns, and their packets consume no tokens: a class may exceed its
//! share when no backlogged class is within its own share. No random number is drawn.
//!
//! `variant` = "prr" and "wrr" use the estimator. A class with share p is allotted the rate b = p C. For a packet of
//! size s that departs at time t after the previous packet of its class, with w = 1/16 and g = 1 - w:
//!
//! * avgidle <- min((1 - w) avgidle + w diff, maxidle), with diff = t - s / b.
//! * maxidle = s_m / C max((1/p - 1) (1 - g^n) / g^n, 1 - g), where s_m is the `mean_packet` of the class and n its
//!   `burst`.
//! * While avgidle > 0 the class is not over its limit. Otherwise it is over its limit until the time undertime, at
//!   which a packet would bring avgidle back to 0: undertime = start + s / b - (1 - w) / w avgidle, where start is the
//!   time at which the packet's transmission began.
//! * A second estimator sees the packets of all classes, with p = `link_share`, n = 64 and the link's mean packet; it
//!   decides whether the link is over its limit.
//! * A class may send if it is not over its limit, or, by borrowing, if the link is not over its limit. Otherwise it is
//!   refused. The first refusal suspends the class and sets its undertime to start + s / b; further refusals of a
//!   suspended class change nothing. The suspension ends when the class sends without borrowing.
//! * If every backlogged class is refused, the first class in turn sends, and no estimator counts that packet.
//! * With "prr" (packet-by-packet round robin) the classes that may send take turns of one packet. With "wrr" (weighted
//!   round robin) a turn adds Q_i = (share_i / sum of shares) (sum of mean_packet), in whole bytes, to a credit of 0 or
//!   below. The class sends, and keeps the turn, while its credit is above 0; each packet reduces the credit by its
//!   size. A class that is passed over, because it has no packet, is refused or is in debt, loses its credit or debt.
//!   If all classes that may send are in debt, the first class in turn sends one packet without a charge.
//!
//! Times are rounded down to nanoseconds.
//!
//! # Parameters
//! Each class has a `share` of the link, a `burst` and a `mean_packet`; a `limit` of its own in addition to the shared
//! limit; and an AQM (`queue`) that sees the class as its link, with the rate share_i C. With the estimator, `burst` is
//! the number of packets that a class may send back to back after a long idle time (default: 8). `link_share` decides
//! when classes may borrow: at 1 a busy link is never over its limit, so all classes borrow at any time and the shares
//! have no effect.
//!
//! # Differences
//! * Floyd and Jacobson estimate whether a class is over its limit. The default variant uses a token bucket for this
//!   instead, which is exact to the nanosecond.
//! * There is one level of classes with one priority, not a tree. Every class that exceeds its share may borrow from
//!   the link, so the link is never idle while packets wait.
//! * Where the papers leave details of the estimator open (suspension of a class, counted packets, turns in bytes),
//!   this implementation follows ns-2.35, as found by experiment. With a mean_packet of 1024 bytes, "prr" equals ns-2's
//!   CBQ and "wrr" its CBQ/WRR packet by packet, except that avgidle begins at maxidle, not at 0.
//! * ns-2 visits the classes in the reverse of the order in which they were added, and with the estimator the order
//!   matters. Example: four classes with shares 0.4, 0.3, 0.2 and 0.08 offer 0.15, 0.3, 0.45 and 0.6 of the link. If
//!   the last class is visited first, as in ns-2, the last two classes lose 0.39 and 0.53 ("prr") or 0.27 and 0.63
//!   ("wrr") of their packets; if the first class is visited first, 0.38 and 0.55, or 0.24 and 0.66.
//! * With the token bucket the last two classes lose 0.03 and 0.81: borrowed capacity is divided by the weighted turns,
//!   and a class that comes within its share starts a turn, in which it may also borrow. In all these cases the first
//!   two classes lose at most 0.01.
//! * Two classes with shares 0.2 and 0.08 start with a burst each. Of the first 16 packets, class 2 (share 0.2) sends 8
//!   with "prr" (order 2 3 2 3), 10 in ns-2's CBQ/WRR (2 3 2 2 3 2 2 3), and 12 with the token bucket (2 2 2 3). With
//!   all four classes backlogged from the start, "prr" sends one packet of each class per round for 17 rounds before
//!   the class with 0.08 is over its limit; with the token bucket that class may send its `burst` immediately.
//! * The round robin of the thesis alone misses the shares when packets differ from the mean size; the token buckets
//!   enforce the shares.

mod estimator;

use self::estimator::LinkSharing;
use super::class_queue::{Guarantee, Store, part};
use super::classes::{self, ClassPlan, check_shares};
use super::scheduler::{Head, Order, Scheduler, Sorting};
use super::{Discipline, Probe};
use crate::aqm::LinkInfo;
use crate::class_settings;
use crate::edge::match_rules::Classifier;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use crate::tokens::{Bucket, depth};
use alloc::boxed::Box;
use alloc::vec::Vec;
use penstock_core::param::{ClassSetting, Default, Length, ParamErrors, Settings};
use penstock_core::{Bytes, Packet, Time, math};

penstock_core::choice! {
    /// The test of whether a class is over its limit, and the round robin of the classes.
    pub enum Variant {
        /// Token buckets, and turns weighted in packets.
        TokenBucket = "token-bucket",
        /// The estimator, and turns of one packet: packet-by-packet round robin.
        Prr = "prr",
        /// The estimator, and turns weighted in bytes: weighted round robin.
        Wrr = "wrr",
    }
}

penstock_core::params! {
    /// Parameters of CBQ.
    pub struct CbqParams {
        /// The classes, in the order in which their filters are tried.
        classes: Vec<ClassSetting> = Default::Required;
        /// Token buckets, or the estimator with packet-by-packet or weighted round robin.
        variant: Variant = Default::Text("token-bucket");
        /// Share of the link's rate for all classes together; used by the estimator only.
        link_share: f64 = Default::Number(0.98), range: 0.000_001..=1.0;
    }
}

penstock_core::params! {
    /// Parameters of a class with a regulated share.
    pub struct RegulatedClassParams {
        /// Share of the link's rate; the sum over all classes is at most 1.
        share: f64 = Default::Required, range: 0.000_001..=1.0;
        /// Largest burst that counts as within the share; by default 20 packets, with the estimator 8.
        burst: Option<Length> = Default::Absent, unit: "packets", at_least: 0.0;
        /// Mean size of the class's packets, which converts its share to packets or bytes per turn.
        mean_packet: Bytes = Default::Number(1000.0), unit: "bytes", range: 1.0..=65_535.0;
        /// Limit of the class's own queue, in addition to the shared limit.
        limit: Option<Length> = Default::Absent, unit: "packets", at_least: 0.0;
    }
}

/// Class-based queueing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cbq;

impl Scheme for Cbq {
    const INFO: SchemeInfo = SchemeInfo {
        name: "cbq",
        aliases: &[],
        family: "scheduler",
        title: "Class-Based Queueing",
        source: "S. Floyd, V. Jacobson, Link-sharing and Resource Management Models for Packet Networks, IEEE/ACM ToN 3(4), \
                 1995",
        doc: module_doc!("cbq.rs"),
        ecn: false,
        params: CbqParams::INFO,
        class_params: RegulatedClassParams::INFO,
        cost: "O(n) time per packet and O(n) memory for n classes",
        build_aqm: None,
        picture: Picture::Service,
        good: "Each class gets its share whatever the others send, and other classes may use the unused part of that \
              share.",
        bad: "A class within its burst may occupy the link for many packets; borrowed capacity is shared by packets, \
              not by bytes.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        site: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let CbqParams { classes, variant, link_share } = CbqParams::from_settings(settings)?;
        let mut errors = Vec::new();
        let read = class_settings::read::<RegulatedClassParams>(&classes, RegulatedClassParams::INFO, &mut errors);
        let params = read.unwrap_or_default();
        check_shares(params.iter().map(|class| class.share), &mut errors);
        let plans = params.iter().map(|class| ClassPlan {
            store: Store::fifo(),
            limit: class.limit,
            guarantee: Guarantee::Share(class.share),
        });
        let queues = classes::queues(&classes, plans, site, errors)?;
        let sorting = Sorting::Classes(Classifier::new(classes.iter().map(|class| &class.matches)));
        if variant == Variant::TokenBucket {
            return Ok(Box::new(Scheduler::new(queues, sorting, Turns::new(&params, site), site.link.limit)));
        }
        let order = LinkSharing::new(variant, link_share, &params, site);
        Ok(Box::new(Scheduler::new(queues, sorting, order, site.link.limit)))
    }
}

/// Weighted round robin over the classes that are within their share, or over all if none is.
struct Turns {
    classes: Vec<Regulated>,
    /// The class whose turn it is, and the number of packets that it may still send.
    turn: (usize, u32),
    /// Whether the class just picked is within its share.
    within: bool,
}

struct Regulated {
    share: f64,
    tokens: Bucket,
    /// Packets per turn.
    packets: u32,
}

impl Turns {
    fn new(params: &[RegulatedClassParams], &Site { link, now, .. }: &Site<'_>) -> Self {
        let pace = |class: &RegulatedClassParams| class.share / class.mean_packet.0 as f64;
        let slowest = params.iter().map(pace).fold(f64::INFINITY, f64::min);
        let regulated = |class: &RegulatedClassParams| Regulated {
            share: class.share,
            tokens: Bucket::new(part(link.rate, class.share), depth(class.burst, link.mean_packet), now),
            packets: math::round(pace(class) / slowest).max(1.0) as u32,
        };
        let classes: Vec<_> = params.iter().map(regulated).collect();
        let turn = (0, classes.first().map_or(0, |class| class.packets));
        Self { classes, turn, within: false }
    }

    fn give_turn(&mut self, class: usize) {
        if self.turn.0 != class {
            self.turn = (class, self.classes[class].packets);
        }
    }
}

impl Order for Turns {
    type Tag = ();

    fn stamp(&mut self, _now: Time, _class: usize, _size: u32) {}

    fn wakes(&mut self, _class: usize, _head: &Head<()>) {}

    fn pick(&mut self, now: Time, heads: &[Option<Head<()>>]) -> usize {
        let count = self.classes.len();
        let mut next_backlogged = None;
        for class in (self.turn.0..count).chain(0..self.turn.0) {
            let Some(head) = heads[class] else { continue };
            if self.classes[class].tokens.conforms(now, head.size) {
                self.within = true;
                self.give_turn(class);
                return class;
            }
            next_backlogged.get_or_insert(class);
        }
        self.within = false;
        let class = next_backlogged.unwrap_or(0);
        self.give_turn(class);
        class
    }

    fn left(&mut self, class: usize, head: &Head<()>, next: Option<&Head<()>>, sent: bool) {
        if sent {
            if self.within {
                self.classes[class].tokens.take(head.size);
            }
            self.turn.1 -= 1;
        }
        if self.turn.1 == 0 || next.is_none() {
            self.give_turn((class + 1) % self.classes.len());
        }
        if self.turn.1 == 0 {
            // No other class has packets: the next turn of this class begins immediately.
            self.turn.1 = self.classes[class].packets;
        }
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        for class in &mut self.classes {
            class.tokens.set_rate(now, part(link.rate, class.share));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rig::{Rig, bench, numbered};
    use penstock_core::Span;
    use penstock_core::param::Value;

    fn shares(shares: &[f64], others: &[(&'static str, Value)]) -> Rig {
        let settings = |&share: &f64| {
            let mut all = vec![("share", Value::Number(share))];
            all.extend_from_slice(others);
            all
        };
        bench("cbq", shares.iter().map(settings).collect::<Vec<_>>())
    }

    #[test]
    fn a_class_with_a_larger_share_sends_more_packets_in_its_turn() {
        let mut rig = shares(&[0.6, 0.2, 0.2], &[]);
        (0..12).for_each(|i| rig.arrive_packet(numbered(i % 3, 1000)));
        // Turns of 3, 1 and 1 packets while all are within their bursts.
        assert_eq!(rig.order(), [0, 0, 0, 1, 2, 0, 1, 2, 1, 2, 1, 2]);
    }

    /// ns-2.35 sends the same packets in the order 2 3 2 3 with its CBQ (see `estimator`), and in the order of `wrr`
    /// with CBQ/WRR.
    #[test]
    fn turns_are_weighted_more_than_in_ns2() {
        let mut rig = shares(&[0.4, 0.3, 0.2, 0.08], &[]);
        (0..32).for_each(|i| rig.arrive_packet(numbered(2 + i % 2, 1000)));
        let ours = &rig.order()[..16];
        let wrr = [2, 3, 2, 2, 3, 2, 2, 3, 2, 3, 2, 3, 2, 2, 3, 2];
        let of_class_2 = |order: &[u32]| order.iter().filter(|&&flow| flow == 2).count();
        assert_eq!(ours, [2, 2, 2, 3].repeat(4));
        assert_eq!((of_class_2(ours), of_class_2(&wrr)), (12, 10));
    }

    #[test]
    fn a_class_over_its_share_waits_for_those_within_theirs() {
        // Minimal bursts of one packet of 1000 bytes.
        let mut rig = shares(&[0.5, 0.5], &[("burst", Value::Packets(1.0))]);
        (0..3).for_each(|_| rig.arrive_packet(numbered(0, 1000)));
        assert_eq!(rig.serve().unwrap().flow, 0);
        rig.arrive_packet(numbered(1, 1000));
        // Class 1 goes first, since class 0 has no tokens. Then neither class has tokens, and class 0 may exceed its
        // share.
        assert_eq!(rig.order(), [1, 0, 0]);
    }

    #[test]
    fn tokens_come_back_at_the_rate_of_the_share() {
        let mut rig = shares(&[0.5, 0.5], &[("burst", Value::Packets(1.0))]);
        (0..2).for_each(|_| rig.arrive_packet(numbered(0, 1000)));
        (0..4).for_each(|_| rig.arrive_packet(numbered(1, 1000)));
        assert_eq!([rig.serve(), rig.serve()].map(|packet| packet.unwrap().flow), [0, 1]);
        // Half of 1.5 Mbit/s are 1000 bytes in 10.667 ms; both have tokens again, and it is the turn of class 0.
        rig.advance(Span::from_micros(10_667));
        assert_eq!(rig.order(), [0, 1, 1, 1]);
    }
}

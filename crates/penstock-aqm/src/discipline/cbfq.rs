//! Class-Based Fair Queueing (CBFQ). T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the
//! Internet", PhD thesis, Université Montpellier II, 2004, introduction ("Queue scheduling"): each class has a share of
//! the link, which the flows of the class divide by round robin.
//!
//! # Algorithm
//! The classes share the link by self-clocked fair queueing with the shares as weights (S. J. Golestani, INFOCOM 1994):
//! the class served next is the class whose head packet has the smallest finish tag F = max(V, F of the previous
//! packet) + L / share_i, where V is the tag F of the packet in service. The unused share of a class is divided among
//! the busy classes in proportion to their shares. Within a class each flow has its own queue; the non-empty queues
//! send one packet each in turn. With packets of equal size each of n busy flows of a class gets share_i / n of the
//! link: three flows that share 20 % get 6.67 % each, eight flows that share 80 % get 10 % each. No random number is
//! drawn.
//!
//! # Parameters
//! Each class has a `share` of the link, a `limit` of its own in addition to the shared limit, and an AQM (`queue`)
//! that sees the class as its link, with the rate C share_i / sum of shares.
//!
//! # Differences
//! * The thesis does not say how the shares are enforced; here self-clocked fair queueing enforces them, in bytes.
//! * A packet that the AQM of its class drops at the head is not charged to the class, but uses up the turn of its
//!   flow.

use super::class_queue::Store;
use super::scfq::SelfClocked;
use super::weighted_classes::{ClassesParams, SharedClassParams, build_shared};
use super::{Discipline, Probe};
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use penstock_core::Packet;
use penstock_core::param::{ParamErrors, Settings};

/// Class-based fair queueing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cbfq;

impl Scheme for Cbfq {
    const INFO: SchemeInfo = SchemeInfo {
        name: "cbfq",
        aliases: &[],
        family: "scheduler",
        title: "Class-Based Fair Queueing",
        source: "T. Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis, \
                 Université Montpellier II, 2004",
        doc: module_doc!("cbfq.rs"),
        ecn: false,
        params: ClassesParams::INFO,
        class_params: SharedClassParams::INFO,
        cost: "O(log n) time per packet and O(n m) memory for n classes of m flows",
        build_aqm: None,
        picture: Picture::Service,
        good: "Shares between classes, and equal parts for the flows inside a class.",
        bad: "Within a class, flows with larger packets get more.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        site: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        build_shared(settings, site, Store::per_flow, SelfClocked::new)
    }
}

#[cfg(test)]
mod tests {
    use crate::rig::{Rig, class, numbered, thesis_link};
    use penstock_aqm::LinkInfo;
    use penstock_core::Limit;
    use penstock_core::param::{ClassSetting, Match, Value};

    /// Flows 0 to 2 are in a class with 20 %, all others in a class with 80 %.
    fn voice_and_data() -> Rig {
        let voice = ClassSetting {
            matches: Match { flows: vec![(0, 2)], ..Match::default() },
            ..class(0, vec![("share", Value::Number(0.2))])
        };
        let data = ClassSetting { matches: Match::default(), ..class(1, vec![("share", Value::Number(0.8))]) };
        let settings = [("classes".to_string(), Value::Classes(vec![voice, data]))];
        Rig::on(&LinkInfo { limit: Limit::Infinite, ..thesis_link() }, "cbfq", &settings, 1).unwrap()
    }

    #[test]
    fn the_example_of_the_thesis() {
        let mut rig = voice_and_data();
        (0..40).for_each(|_| (0..11).for_each(|flow| rig.arrive_packet(numbered(flow, 1000))));
        let mut sent = [0; 11];
        (0..150).for_each(|_| sent[rig.serve().unwrap().flow as usize] += 1);
        // 20 % of 150 packets go to three flows, 80 % to eight.
        assert_eq!(sent, [10, 10, 10, 15, 15, 15, 15, 15, 15, 15, 15]);
    }

    #[test]
    fn what_one_class_leaves_the_other_takes() {
        let mut rig = voice_and_data();
        (0..3).for_each(|_| (0..2).for_each(|flow| rig.arrive_packet(numbered(flow, 1000))));
        assert_eq!(rig.order(), [0, 1, 0, 1, 0, 1]);
    }
}

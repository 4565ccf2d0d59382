//! XRED: RED with application data units.
//! T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis, Université
//! Montpellier II, 2004, section 1.3.3, after the paper on XRED that it cites.
//!
//! # Algorithm
//! A packet is a fragment of an application data unit (ADU, such as a video frame). It carries the number of the unit
//! and the priority of its content. The AQM lists the units that have lost a fragment, each with the highest priority
//! lost. An arriving packet whose unit is listed with a higher priority than its own is dropped: it would be useless
//! without the lost fragment. All other packets are judged by RED; a packet that RED drops or that overflows the queue
//! enters its unit into the list or raises its priority there.
//!
//! All arrivals update RED's average. A number is drawn when RED draws one.
//!
//! # Parameters
//! The parameters of RED, the length of the list, and the lifetime of an entry after its last loss. Larger priorities
//! are more important. If the list is full, the unit whose last loss is longest ago is removed.
//!
//! # Differences
//! * In the thesis the list has no maximum length and no lifetimes.
//! * The thesis does not say which of two priorities is higher, nor what happens if they are equal. Here RED judges a
//!   packet of equal priority.

use super::red::{Red, RedParams};
use crate::aqm::{Aqm, Cause, Cx, LinkInfo, Verdict};
use crate::capabilities::{Capabilities, SideInformation};
use crate::id_table::{IdTable, Lookup};
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use alloc::vec::Vec;
use penstock_core::param::{Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len, read};
use penstock_core::{PacketMeta, Span, Time};

penstock_core::params! {
    /// Parameters that XRED adds to those of RED.
    pub struct XredParams {
        /// Largest number of units in the list of losses.
        list: u32 = Default::Number(256.0), range: 1.0..=1e6;
        /// Time after its last loss for which a unit is listed.
        lifetime: Span = Default::Nanos(2_000_000_000), unit: "s", at_least: 0.0;
    }
}

const PARAMS: [ParamInfo; inherited_len(XredParams::INFO, RedParams::INFO)] =
    inherit(XredParams::INFO, RedParams::INFO, &[]);

/// RED with application data units.
#[derive(Clone, Debug)]
pub struct Xred {
    red: Red,
    incomplete: Incomplete,
}

/// The units with the most recent losses of fragments.
#[derive(Clone, Debug)]
struct Incomplete {
    params: XredParams,
    /// Ids of units, each a flow and an application data unit of it, in the order of their last losses.
    units: IdTable<(u32, u32)>,
    /// By id.
    losses: Vec<Loss>,
    /// The last arrival.
    now: Time,
}

#[derive(Clone, Copy, Debug)]
struct Loss {
    /// The highest priority that was lost.
    priority: u8,
    /// The last loss; `None` once the flow is forgotten.
    at: Option<Time>,
}

impl Xred {
    /// The AQM; `red` judges packets that are not useless.
    pub fn new(params: XredParams, red: Red, now: Time) -> Self {
        let (units, losses) = (IdTable::new(params.list, 0), Vec::with_capacity(params.list as usize));
        Self { red, incomplete: Incomplete { params, units, losses, now } }
    }
}

impl Incomplete {
    /// Whether a loss still counts.
    fn is_known(&self, loss: &Loss) -> bool {
        loss.at.is_some_and(|at| self.now.since(at) <= self.params.lifetime)
    }

    /// Whether a more important fragment of the packet's unit was lost.
    fn makes_useless(&self, packet: &PacketMeta) -> bool {
        let Some(rare) = packet.rare else { return false };
        self.units.find(&(packet.flow, rare.adu)).is_some_and(|id| {
            let loss = &self.losses[id as usize];
            self.is_known(loss) && rare.priority < loss.priority
        })
    }

    /// Record the loss of the packet.
    fn record(&mut self, packet: &PacketMeta) {
        let Some(rare) = packet.rare else { return };
        let mut loss = Loss { priority: rare.priority, at: Some(self.now) };
        match self.units.look_up(&(packet.flow, rare.adu)) {
            Lookup::New(_) => self.losses.push(loss),
            Lookup::Known(id) if self.is_known(&self.losses[id as usize]) => {
                loss.priority = loss.priority.max(self.losses[id as usize].priority);
                self.losses[id as usize] = loss;
            }
            Lookup::Known(id) | Lookup::Reused(id) => self.losses[id as usize] = loss,
        }
    }

    fn forget_flow(&mut self, flow: u32) {
        for (id, loss) in self.losses.iter_mut().enumerate() {
            if self.units.key(id as u32).is_some_and(|&(of, _)| of == flow) {
                loss.at = None;
            }
        }
    }

    /// Number of units whose loss still counts.
    fn len(&self) -> usize {
        self.losses.iter().filter(|loss| self.is_known(loss)).count()
    }
}

impl Aqm for Xred {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_side(SideInformation::AtArrival)
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        let q = self.red.length(&cx.queue);
        self.red.average.update(cx.now, q);
        self.incomplete.now = cx.now;
        let verdict = if self.incomplete.makes_useless(packet) {
            Verdict::Drop(Cause::Early)
        } else {
            self.red.judge(q, packet.size, cx.rng)
        };
        let passes = match verdict {
            Verdict::Pass => true,
            Verdict::Mark(_) => packet.ecn.is_capable(),
            Verdict::Drop(_) => false,
        };
        if !passes {
            self.incomplete.record(packet);
        }
        verdict
    }

    fn on_overflow(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) {
        self.red.on_overflow(cx, packet);
        self.incomplete.record(packet);
    }

    fn on_idle(&mut self, now: Time) {
        self.red.on_idle(now);
    }

    fn on_link(&mut self, now: Time, link: &LinkInfo) {
        self.red.on_link(now, link);
    }

    /// O(list)
    fn forget_flow(&mut self, _now: Time, flow: u32) {
        self.incomplete.forget_flow(flow);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        self.red.gauges(show);
        show("list", self.incomplete.len() as f64);
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        self.red.drop_function(average)
    }
}

impl AqmScheme for Xred {
    const INFO: SchemeInfo = SchemeInfo {
        name: "xred",
        aliases: &[],
        family: "per flow",
        title: "XRED",
        source: "T. Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis, \
                 Université Montpellier II, 2004, section 1.3.3",
        doc: module_doc!("xred.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time, O(list) memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "Spends less of the link than RED on fragments of data units that have become useless.",
        bad: "Needs senders that label their data units, and trusts them; otherwise it is RED.",
    };

    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors> {
        let (params, red): (XredParams, RedParams) = read(settings, &PARAMS)?;
        Ok(Self::new(params, Red::new(red, link)?, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Rig;
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Rare};

    fn packet(flow: u32, adu: u32, priority: u8) -> PacketMeta {
        let rare = Some(Rare { adu, priority, ..Rare::default() });
        PacketMeta { flow, size: 1000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare }
    }

    /// XRED whose RED drops nothing early, with a full queue: one packet of each of these units is lost.
    fn lost(settings: &[(&str, Value)], packets: &[PacketMeta]) -> Rig {
        let mut all =
            vec![("max_p", Value::Number(0.0)), ("max_th", Value::Number(35.0)), ("w_q", Value::Number(0.001))];
        all.extend_from_slice(settings);
        let mut rig = Rig::new("xred", &all);
        for _ in 0..35 {
            rig.arrive_packet(packet(99, 0, 0));
        }
        for &packet in packets {
            rig.arrive_packet(packet);
        }
        assert_eq!(rig.counts.dropped_on_arrival, packets.len() as u64);
        (0..10).for_each(|_| assert!(rig.depart()));
        rig
    }

    fn is_dropped(rig: &mut Rig, packet: PacketMeta) -> bool {
        let before = rig.counts.dropped_on_arrival;
        rig.arrive_packet(packet);
        rig.counts.dropped_on_arrival > before
    }

    #[test]
    fn less_important_fragments_of_an_incomplete_unit_are_dropped() {
        let mut rig = lost(&[], &[packet(1, 7, 5)]);
        assert!(is_dropped(&mut rig, packet(1, 7, 4)));
        assert!(!is_dropped(&mut rig, packet(1, 7, 5)));
        assert!(!is_dropped(&mut rig, packet(1, 7, 6)));
        // another unit, another flow
        assert!(!is_dropped(&mut rig, packet(1, 8, 4)));
        assert!(!is_dropped(&mut rig, packet(2, 7, 4)));
    }

    #[test]
    fn a_more_important_loss_raises_the_priority_and_a_less_important_one_does_not_lower_it() {
        let mut rig = lost(&[], &[packet(1, 7, 2), packet(1, 7, 5)]);
        assert!(is_dropped(&mut rig, packet(1, 7, 4)));
        // the fragment of priority 4 is lost now, too
        assert!(is_dropped(&mut rig, packet(1, 7, 4)));
        assert_eq!(rig.gauge("list"), 1.0);
    }

    #[test]
    fn a_full_list_forgets_the_unit_with_the_oldest_loss() {
        let losses = [packet(1, 1, 5), packet(1, 2, 5), packet(1, 1, 5), packet(1, 3, 5)];
        let mut rig = lost(&[("list", Value::Number(2.0))], &losses);
        assert!(!is_dropped(&mut rig, packet(1, 2, 0)));
        assert!(is_dropped(&mut rig, packet(1, 1, 0)));
        assert!(is_dropped(&mut rig, packet(1, 3, 0)));
    }

    #[test]
    fn a_unit_is_forgotten_after_its_lifetime() {
        let mut rig = lost(&[], &[packet(1, 7, 5), packet(1, 8, 5)]);
        rig.advance(Span::from_millis(2000));
        // this loss counts only once, so unit 7 is still remembered
        assert!(is_dropped(&mut rig, packet(1, 7, 4)));
        rig.advance(Span::from_nanos(1));
        assert!(!is_dropped(&mut rig, packet(1, 8, 4)));
        assert!(is_dropped(&mut rig, packet(1, 7, 4)));
    }

    #[test]
    fn early_drops_of_red_are_listed_but_not_its_marks() {
        let listed = |ecn: Ecn| {
            let settings = [
                ("min_th", Value::Number(0.0)),
                ("max_p", Value::Number(1.0)),
                ("w_q", Value::Number(1.0)),
                ("mark_up_to", Value::Text("top".into())),
                ("ecn", Value::Flag(true)),
            ];
            let mut rig = Rig::new("xred", &settings);
            for adu in 0..14 {
                rig.arrive_packet(PacketMeta { ecn, ..packet(1, adu, 1) });
            }
            (rig.counts.marked > 0, rig.gauge("list") as u64 == rig.counts.dropped_on_arrival)
        };
        assert_eq!(listed(Ecn::Ect0), (true, true));
        assert_eq!(listed(Ecn::Not), (false, true));
    }
}

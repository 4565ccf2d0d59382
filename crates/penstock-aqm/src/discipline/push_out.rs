//! Push-out: an arriving packet that finds no room takes the place of the packet that was queued last.
//! T. Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis, Université
//! Montpellier II, 2004, introduction: "Passive queue management".
//!
//! # Algorithm
//! An arriving packet that finds no room removes the newest waiting packet and takes its place at the end. No other
//! packet is dropped, and none on arrival.
//!
//! # Victim
//! The newest waiting packet, on every arrival that finds no room.
//!
//! # Parameters
//! None. The limit, in packets or bytes, belongs to the queue; the thesis calls the limit the threshold L.
//!
//! # Differences
//! * In other publications push-out removes a packet of the class with the most queued packets; here, as in the thesis,
//!   it removes the newest packet.
//! * With a limit in bytes, packets are removed from the end until the arriving packet fits. A packet larger than the
//!   limit is dropped itself and removes no other packet.

use super::evicting_queue::EvictingQueue;
use super::packet_queue::PacketQueue;
use super::{Discipline, Probe};
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use penstock_core::Packet;
use penstock_core::param::{ParamErrors, Settings, read_with};

/// The entry in the registry.
pub(crate) struct PushOutScheme;

impl Scheme for PushOutScheme {
    const INFO: SchemeInfo = SchemeInfo {
        name: "push-out",
        aliases: &[],
        family: "passive",
        title: "Push-out",
        source: "T. Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis, \
                 Université Montpellier II, 2004",
        doc: module_doc!("push_out.rs"),
        ecn: false,
        params: &[],
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: None,
        picture: Picture::Response,
        good: "Every arriving packet is queued, without a search and without parameters.",
        bad: "The same delay and share of losses as drop-tail, and the work of queueing each victim is wasted.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        read_with(settings, Self::INFO.params, |_| Some(()))?;
        Ok(Box::new(EvictingQueue::new(link.limit, PacketQueue::pop_newest)))
    }
}

#[cfg(test)]
mod tests {
    use crate::rig::{Rig, thesis_link};
    use penstock_core::{Ecn, Limit};

    #[test]
    fn the_newest_waiting_packet_makes_room() {
        let mut rig = Rig::new("push-out", &[]);
        for flow in 0..37 {
            rig.arrive_from(flow, 1);
        }
        assert_eq!((rig.counts.evicted, rig.counts.dropped_on_arrival, rig.waiting()), (2, 0, 35));
        // number 35 took the place of number 34, and number 36 that of number 35
        let served: Vec<_> = core::iter::from_fn(|| rig.serve().map(|packet| packet.flow)).collect();
        assert_eq!(served, (0..34).chain([36]).collect::<Vec<_>>());
    }

    #[test]
    fn packets_leave_until_the_bytes_suffice_and_a_giant_removes_none() {
        let link = penstock_aqm::LinkInfo { limit: Limit::Bytes(3000), ..thesis_link() };
        let mut rig = Rig::on(&link, "push-out", &[], 1).unwrap();
        for size in [1900, 700, 400, 1000, 3001] {
            rig.arrive_as(size, Ecn::Not);
        }
        assert_eq!((rig.counts.evicted, rig.counts.dropped_on_arrival), (2, 1));
        let served: Vec<_> = core::iter::from_fn(|| rig.serve().map(|packet| packet.size)).collect();
        assert_eq!(served, [1900, 1000]);
    }
}

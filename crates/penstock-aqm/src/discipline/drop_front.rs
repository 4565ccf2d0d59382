//! Drop-from-front: when an arriving packet finds no room, the packet at the head is dropped to make room. T. Lakshman,
//! A. Neidhardt, T. Ott, "The Drop from Front Strategy in TCP and in TCP over ATM", INFOCOM 1996, as described by T.
//! Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis, Université Montpellier
//! II, 2004, introduction.
//!
//! # Algorithm
//! An arriving packet that finds no room removes the oldest waiting packet (never the packet in transmission) and joins
//! the end of the queue. No other packet is dropped, and none on arrival. The dropped packet would have left next, not
//! last, so the sender learns of the loss earlier than with drop-tail, by about K / C, the time to send the K waiting
//! packets.
//!
//! # Victim
//! The packet at the head, on every arrival that finds no room.
//!
//! # Parameters
//! None. The limit, in packets or bytes, belongs to the queue; the thesis calls the limit the threshold L.
//!
//! # Differences
//! * With a limit in bytes, packets are dropped from the head until the arriving packet fits. A packet larger than the
//!   limit is dropped itself and removes no other packet.

use super::evicting_queue::EvictingQueue;
use super::packet_queue::PacketQueue;
use super::{Discipline, Probe};
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use penstock_core::Packet;
use penstock_core::param::{ParamErrors, Settings, read_with};

/// The entry in the registry.
pub(crate) struct DropFrontScheme;

impl Scheme for DropFrontScheme {
    const INFO: SchemeInfo = SchemeInfo {
        name: "drop-front",
        aliases: &["drop-from-front", "dff", "headdrop"],
        family: "passive",
        title: "Drop-from-front",
        source: "T. Lakshman, A. Neidhardt, T. Ott, The Drop from Front Strategy in TCP and in TCP over ATM, \
                 INFOCOM 1996",
        doc: module_doc!("drop_front.rs"),
        ecn: false,
        params: &[],
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: None,
        picture: Picture::Response,
        good: "A sender learns of a loss earlier than with drop-tail, by the time that the queue takes to empty, and \
               shares are more even.",
        bad: "The queue stays about as full as with drop-tail, more packets are lost with many flows, and the lost \
              packets have waited in vain.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        read_with(settings, Self::INFO.params, |_| Some(()))?;
        Ok(Box::new(EvictingQueue::new(link.limit, PacketQueue::pop_oldest)))
    }
}

#[cfg(test)]
mod tests {
    use crate::rig::{Rig, thesis_link};
    use penstock_core::{Limit, Span};

    #[test]
    fn the_oldest_waiting_packet_makes_room() {
        let mut rig = Rig::new("drop-front", &[]);
        // packets 0 to 35 arrive, one per millisecond: 35 wait, and number 0 was dropped for number 35
        for _ in 0..36 {
            rig.arrive(1);
            rig.advance(Span::from_millis(1));
        }
        assert_eq!((rig.counts.evicted, rig.counts.dropped_on_arrival, rig.waiting()), (1, 0, 35));
        assert_eq!(rig.oldest().unwrap().as_nanos(), 1_000_000);
        rig.depart();
        assert_eq!(rig.oldest().unwrap().as_nanos(), 2_000_000);
        rig.arrive(1);
        assert_eq!(rig.counts.evicted, 1);
    }

    #[test]
    fn the_flow_of_the_oldest_packet_has_the_loss() {
        let mut rig = Rig::new("drop-front", &[]);
        rig.arrive_from(1, 1);
        rig.arrive_from(2, 35);
        // the packet of flow 1 was dropped to make room; the 35 of flow 2 are served
        let served: Vec<_> = core::iter::from_fn(|| rig.serve().map(|packet| packet.flow)).collect();
        assert_eq!(served, [2; 35]);
    }

    #[test]
    fn packets_leave_until_the_bytes_suffice_and_a_giant_removes_none() {
        let link = penstock_aqm::LinkInfo { limit: Limit::Bytes(3000), ..thesis_link() };
        let mut rig = Rig::on(&link, "drop-front", &[], 1).unwrap();
        for size in [400, 700, 1900] {
            rig.arrive_as(size, penstock_core::Ecn::Not);
        }
        // 3000 bytes wait; to make room for 1000 more, the packets of 400 and 700 bytes are dropped
        rig.arrive(1);
        assert_eq!((rig.counts.evicted, rig.waiting()), (2, 2));
        rig.arrive_as(3001, penstock_core::Ecn::Not);
        assert_eq!((rig.counts.evicted, rig.counts.dropped_on_arrival, rig.waiting()), (2, 1, 2));
    }
}

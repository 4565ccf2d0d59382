//! Drop-tail: an arriving packet that overflows the queue is dropped.
//! The default of routers; named in S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance",
//! IEEE/ACM Trans. Networking 1(4), 1993.
//!
//! # Algorithm
//! The AQM passes every packet; only the limit of the queue drops. A queued packet is never dropped.
//!
//! # Parameters
//! None. The limit, in packets or bytes, belongs to the queue.
//!
//! # Differences
//! None.

use crate::aqm::{Aqm, LinkInfo};
use crate::capabilities::Capabilities;
use crate::scheme::{AqmScheme, Picture, SchemeInfo, boxed, module_doc};
use penstock_core::Time;
use penstock_core::param::{ParamErrors, Settings, read_with};

/// The AQM that passes every packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct DropTail;

impl Aqm for DropTail {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS
    }
}

impl AqmScheme for DropTail {
    const INFO: SchemeInfo = SchemeInfo {
        name: "droptail",
        aliases: &["pfifo", "bfifo", "taildrop", "drop-tail", "tail-drop", "fifo"],
        family: "passive",
        title: "Drop-tail",
        source: "the first-in-first-out queue of every router",
        doc: module_doc!("droptail.rs"),
        ecn: false,
        params: &[],
        class_params: &[],
        cost: "O(1) time and memory",
        build_aqm: Some(boxed::<Self>),
        picture: Picture::DropFunction,
        good: "No parameters, no early losses, and the link never idles.",
        bad: "The queue stays near its limit: the largest delay, losses in bursts, and unequal shares for flows \
              whose losses are synchronized.",
    };

    fn from_settings(settings: &Settings, _link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        read_with(settings, Self::INFO.params, |_| Some(Self))
    }
}

#[cfg(test)]
mod tests {
    use crate::rig::Rig;

    #[test]
    fn drops_what_finds_no_room_and_nothing_else() {
        let mut rig = Rig::new("droptail", &[]);
        rig.arrive(36);
        assert_eq!((rig.counts.queued, rig.counts.dropped_on_arrival), (35, 1));
        rig.depart();
        rig.arrive(2);
        assert_eq!((rig.counts.queued, rig.counts.dropped_on_arrival), (36, 2));
    }
}

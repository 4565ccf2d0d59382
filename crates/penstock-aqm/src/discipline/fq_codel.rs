//! Flow Queue CoDel (FQ-CoDel).
//! T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys, E. Dumazet, "The Flow Queue CoDel Packet Scheduler and
//! Active Queue Management Algorithm", RFC 8290, 2018; section numbers refer to it.
//!
//! This file has the parameters and the description. The mechanism is in `flow_queueing.rs`, which FQ-PIE shares:
//! queues by flow, their rounds, and drops at the limit. CoDel is in `algorithm/codel.rs`.
//!
//! # Algorithm
//! A salted hash gives each flow one of `flows` queues (section 4.1); each queue is guarded by a CoDel of its own.
//!
//! * A queue that is in no list when a packet arrives joins the end of the list of new queues, with `quantum` credits.
//! * The next queue to be served is the head of the new list or, if that is empty, of the old list (section 4.2). A
//!   queue whose credits are used up (0 or less) gets `quantum` more and moves to the end of the old list; then the
//!   next queue is considered.
//! * CoDel may drop packets from the head of that queue; the packet that is sent reduces the credits of the queue by
//!   its bytes.
//! * If the queue is empty, it moves from the new list to the end of the old list, so that it cannot return to the new
//!   list immediately and starve the old queues; from the old list it is removed.
//! * When an arrival exceeds the limit of all queues together, the queue with most bytes loses half of its packets, at
//!   most `drop_batch`, from its head; this is repeated until the limit is met. The arriving packet is queued first, so
//!   it may be dropped too.
//!
//! Hence a flow that sends less than a quantum per round is served before flows with a standing queue. One random
//! number is drawn, with the first packet: the salt. CoDel rounds the time between drops down to a nanosecond.
//!
//! # Victim
//! Packets at the head of the queue with most bytes, counting the arriving packet, when an arrival exceeds the limit:
//! half of the queue, at most `drop_batch`.
//!
//! # Parameters
//! The parameters of CoDel, which apply to each queue, and `flows`, `quantum` and `drop_batch`. `target` should not be
//! below the transmission time of a full packet. The RFC's limit is 10240 packets; here the limit of the queue applies.
//!
//! # Differences
//! * CoDel's test for more than one packet in the queue uses the backlog of all queues together (RFC 8289, section
//!   4.4); with `occupancy = "queue"` it uses the queue alone, so that a flow never loses its last packet.
//! * By section 4.2 a queue loses its turn when its credits are negative. By section 3, here and in Linux it does so
//!   when they are zero or less.
//! * The hash is computed from the flow number instead of the addresses, and is reduced to a queue by multiplication.
//! * Of queues with the same number of bytes, the queue that was used first loses packets; the RFC leaves this open. A
//!   queue of one packet loses that packet, although half of it would be none.
//! * With `variant = "linux"` a batch of drops takes the fewest packets with half of the queue's bytes, at most
//!   `drop_batch`, and each of these packets adds 1 to the count of the queue's CoDel, as in Linux (see the tests).

use super::flow_queueing::{FlowQueue, FlowQueueParams, Occupancy, Overflow, Part};
use super::{Discipline, Probe};
use crate::algorithm::codel::{Codel, CodelParams, Variant};
use crate::aqm::LinkInfo;
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use alloc::boxed::Box;
use penstock_core::Packet;
use penstock_core::param::{Default, ParamErrors, ParamInfo, Settings, inherit, inherited_len, read};

penstock_core::params! {
    /// The parameters of FQ-CoDel beyond those of flow queueing and CoDel.
    pub struct FqCodelParams {
        /// Maximum number of packets in one batch of drops when the limit is exceeded.
        drop_batch: u32 = Default::Number(64.0), unit: "packets", range: 1.0..=1e6;
        /// The backlog that CoDel compares with `maxpacket`: the backlog of the link, or of the queue alone.
        occupancy: Occupancy = Default::Text("link");
    }
}

const OWN: [ParamInfo; inherited_len(FlowQueueParams::INFO, FqCodelParams::INFO)] =
    inherit(FlowQueueParams::INFO, FqCodelParams::INFO, &[]);
const PARAMS: [ParamInfo; inherited_len(&OWN, CodelParams::INFO)] =
    inherit(&OWN, CodelParams::INFO, &[("ecn", Default::Flag(true))]);

/// FQ-CoDel.
pub(crate) struct FqCodel;

/// The queues of FQ-CoDel.
pub type FqCodelQueues<P> = FlowQueue<P, Codel>;

/// The queues of FQ-CoDel with these settings on this link.
pub fn queues<P: Packet>(settings: &Settings, link: &LinkInfo) -> Result<FqCodelQueues<P>, ParamErrors> {
    let (queues, (own, codel)): (FlowQueueParams, (FqCodelParams, CodelParams)) = read(settings, &PARAMS)?;
    let part = match codel.variant {
        Variant::Rfc => Part::HalfOfPackets,
        Variant::Linux => Part::HalfOfBytes,
    };
    let overflow = Overflow::Fattest { part, batch: own.drop_batch };
    Ok(FlowQueue::new(&queues, Codel::new(codel, link)?, overflow, own.occupancy, link))
}

impl Scheme for FqCodel {
    const INFO: SchemeInfo = SchemeInfo {
        name: "fq-codel",
        aliases: &[],
        family: "flow queueing",
        title: "Flow Queue CoDel",
        source: "T. Hoeiland-Joergensen et al., The Flow Queue CoDel Packet Scheduler and Active Queue Management \
                 Algorithm, RFC 8290, 2018",
        doc: module_doc!("fq_codel.rs"),
        ecn: true,
        params: &PARAMS,
        class_params: &[],
        cost: "O(1) time, amortized O(log f) at the limit; O(n + f) memory in packets and flows seen",
        build_aqm: None,
        picture: Picture::Service,
        good: "Equal shares of the link whatever the flows do, and hardly any delay for a flow without a standing \
               queue.",
        bad: "An unresponsive flow keeps a long queue of its own; flows whose hashes collide divide one share.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        Ok(Box::new(queues(settings, link)?))
    }
}

#[cfg(test)]
#[path = "fq_codel/tests.rs"]
mod tests;

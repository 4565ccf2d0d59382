//! Common Applications Kept Enhanced (CAKE).
//! T. Høiland-Jørgensen, D. Täht, J. Morton, "Piece of CAKE: A Comprehensive Queue Management Solution for Home Gateways",
//! IEEE LANMAN, 2018, and the manual page tc-cake(8). The ACK filter and the ingress mode: T. Høiland-Jørgensen, the commit
//! messages "sch_cake: Add optional ACK filter" and "sch_cake: Add ingress mode", 2018.
//!
//! # Algorithm
//! * Shaper, if `bandwidth` is set: deficit mode, without a token bucket. The next packet may leave at time t_next;
//!   each departing packet adds (size + overhead) / bandwidth to t_next. An arrival at an empty queue sets t_next to
//!   the current time if t_next is in the past.
//! * Tins: the codepoint of a packet selects a tin. Each tin has a threshold rate, which is its share of the whole
//!   rate, and its own t_next, computed like the shaper's but at the threshold rate. While this t_next is in the past,
//!   the tin is below its threshold, or within its schedule.
//!     - With `bandwidth`, as in Linux: the most urgent tin within its schedule is served; if no tin is within its
//!       schedule, the tin with the earliest t_next. Bulk counts as more urgent than Best Effort, whose threshold is
//!       the whole rate. So the four tins of "diffserv4", if all always have packets, get 3/16 (Best Effort), 1/16
//!       (Bulk), 1/2 (Video) and 1/4 (Voice) of the rate. A tin that sends before its t_next owes only this packet:
//!       t_next becomes the current time plus the packet's transmission time at the threshold rate, unless it is later
//!       already. So a tin that used capacity left by others is not penalised later. (See *Differences*: the sources do
//!       not state this rule.)
//!     - Without `bandwidth`: weighted round robin. A turn adds 1024 bytes times the weight to the credit of the tin,
//!       which sends while its credit is above 0. A tin that is empty at its turn loses its credit or debt. While the
//!       tin is below its threshold, its weight is its priority; otherwise its weight is its share.
//! * Flows: a set-associative hash with 8 ways assigns each flow to a queue of its tin. The hash gives the flow its
//!   home bucket, within a set of 8. The flow uses the first of these that exists: its home bucket, if that is already
//!   its own; another bucket of the set that is already its own; the first bucket of the set, starting at the home
//!   bucket, whose queue is idle; the home bucket, shared with another flow.
//! * Hosts: the credit of a queue per round is quantum / n, where n is the number of bulk queues in the tin of its
//!   source host or of its destination host, whichever is larger ("triple-isolate"). The quantum is the number of bytes
//!   that the tin sends in 1/4096 s at its rate, at least 300 bytes and at most the largest packet of the link. The
//!   division rounds at random: up with the probability of the remainder divided by n, so that the credits are right on
//!   average. A shared queue counts for the hosts of the flow that used it last.
//! * DRR++: when a packet arrives at an idle or decaying queue, the queue becomes sparse, receives the credit of one
//!   round, and is served before the bulk queues. Once its credit is used up (0 or below), the queue receives new
//!   credit and joins the list of bulk queues; it counts as bulk immediately if it holds packets, otherwise with its
//!   next packet. A queue that is found empty while it has credit becomes "decaying" until its COBALT is at rest (count
//!   and p_drop are 0, drop_next is in the past); each departure from the tin first checks one decaying queue.
//! * All credits are charged with the size on the wire, overhead included.
//! * COBALT in each queue: target = max(rtt / 20, 1.5 MTU times), interval = max(rtt + target - rtt / 20, 2 target),
//!   where an MTU time is the transmission time of a full packet at the rate of the tin. Delays below 4 MTU times never
//!   count as high. The last packet of a queue may be marked but is never dropped at the head.
//! * ACK filter: a newer pure ACK makes a queued ACK of its connection redundant if its number and SACK blocks
//!   acknowledge everything that the queued ACK does, and more. So if both have the same number, the newer ACK must
//!   have more SACK blocks. Both must have the same flags ECE, CWR and AE, so that every change of ECN feedback is kept
//!   (RFC 9768, section 3.3.3). The timestamp of the queued ACK must not be newer. An ACK with options other than SACK
//!   and timestamps is never removed. When a pure ACK is queued, "aggressive" removes the first redundant ACK of its
//!   queue; "conservative" removes it only if a second ACK is redundant, too. Each new ACK removes at most one ACK,
//!   always ahead of it in the queue, so no ACK is delayed. Of the ACKs 40, 50, 60 and 70, which arrive while the link
//!   is busy, "aggressive" leaves 70, and "conservative" 60 and 70.
//! * `ingress`: the bottleneck is in front of the queue, so dropped packets have already crossed it. They count for the
//!   shaper and for the schedule of their tin as if they had been sent, until they have taken a third of the rate. A
//!   delay is high only above 2 MTU times per bulk queue of the tin, so that two packets of each queue may wait.
//! * `wash`: the codepoint of a packet becomes 0 after its tin is chosen. The ECN field does not change.
//! * When an arrival exceeds the limit, packets are dropped from the head of the longest queue in bytes over all tins,
//!   until the limit is met. Of equally long queues, the queue that was used first loses packets. Each such drop calls
//!   the overflow rule of the queue's COBALT.
//!
//! Random numbers are drawn for the salt of the hash at the first packet, and by COBALT. The random number by which a
//! credit is rounded is a function of the salt, the queue, and the number of credits that the queue has been given
//! before (`rounding.rs`). So the credits of many rounds can be added at once: `rotation.rs` skips the turns of queues
//! that cannot send, with exactly the same result as if each turn were taken. The tests compare both.
//!
//! # Victim
//! Packets at the head of the longest queue in bytes over all tins, when an arrival exceeds the limit.
//!
//! A filtered ACK is an arrival but not a drop. Results count it as `filtered_acks`; tc counts it in `ack_drop` and not
//! in `drops`. In traces it is a drop with the cause "filtered".
//!
//! # Parameters
//! `bandwidth` should be a little below the rate of the link, so that the queue forms at the shaper and not further
//! down the path. `rtt` is the longest usual round-trip time. `ack_filter` is for a link that ACKs fill, because its
//! other direction is many times faster. `ingress` is for the download side of a home router, behind the slow link.
//! Statistics by codepoint count washed packets under codepoint 0. The tins with their priorities and shares, the least
//! urgent first:
//!
//! | `diffserv` | tins: priority, share |
//! | --- | --- |
//! | "diffserv3" | Bulk (CS1, LE) 1/16, 1/16; Best Effort 1, 1; Voice (CS7, CS6, EF, VA, TOS4) 16, 1/4 |
//! | "diffserv4" | Bulk; Best Effort; Video (AF4x, AF3x, CS3, AF2x, CS2, TOS4) 4, 1/2; Voice (CS7 .. CS4, EF, VA) 16, 1/4 |
//! | "diffserv8", "precedence" | eight: the first 1, 1; each next tin has 3/2 of the priority and 7/8 of the share |
//!
//! The eight of "diffserv8": CS1, LE; AF1x, TOS2; all others; AF4x, AF3x, CS3; AF2x, TOS4; CS2; CS5, CS4, EF, VA; CS7,
//! CS6. "precedence" selects the tin by the upper three bits of the codepoint.
//!
//! # Differences
//! * Without `bandwidth`, thresholds, quanta and targets follow the rate of the link. Linux does not know that rate:
//!   without `bandwidth` it uses no thresholds, quanta of one largest packet (1514 bytes), and targets that depend on
//!   rtt alone.
//! * The paper and tc-cake(8) describe weighted round robin of the tins with and without a shaper; Linux uses it only
//!   without a shaper. With a shaper the order of the tins follows a message of J. Morton (mailing list Cake, 16 July
//!   2018, "Backporting 'tc class' support"): the highest tin that has packets and meets its schedule is served, else
//!   the tin with packets whose schedule comes next; Bulk is placed above Best Effort, whose schedule is always met.
//! * No source states how t_next changes when a tin sends before it. The commit that added tins to Linux says that each
//!   tin has its own virtual clock, which limits the rate of the tin; tc-cake(8) says that the rate is compared with the
//!   threshold by the algorithm of the shaper. Taken literally, each packet advances t_next by its transmission time,
//!   and a tin that alone used the whole link for a second, with a threshold of a quarter, would be three seconds ahead
//!   of its schedule and get nothing from its threshold meanwhile. The rule here is this project's own. It changes no
//!   shares while all tins have packets: these are 25, 50, 6.25 and 18.75 % with either rule.
//! * Hosts are distinguished by their numbers, not by a hash.
//! * Two packets of each bulk queue may wait only in the ingress mode (tc-cake(8); the commit message "sch_cake: Add
//!   ingress mode"). `tests/integration/linux_qdisc.rs` of penstock-sim compares Linux without this mode with 4 and 16
//!   TCP flows.
//! * J. Morton states that drops take at most a third of the rate (mailing list Cake, 5 December 2017); no source
//!   states how drops are counted up to this limit. Here a drop counts as long as the shaper's t_next is not later than
//!   that of a shaper that runs at two thirds of the rate and counts only sent packets. Credits of queues are charged
//!   with sent packets only.
//! * The commit message "sch_cake: Add optional ACK filter" states that the conservative filter "will always keep at
//!   least two redundant ACKs in the queue": these are read as the new ACK and the ACK before it. In the simulator all
//!   ACKs are pure, and have no timestamps.
//! * A shaper at the link's edge in front of a queue with an ACK filter is refused: the filter reads ACKs as they arrive.
//! * Not implemented: NAT lookup. Hosts are known by their true addresses.

mod ack_filter;
mod deficit_shaper;
mod ends;
mod hosts;
mod queue;
mod queues;
mod rotation;
mod rounding;
mod set_associative_hash;
mod settings;
mod shares;
mod tin;
mod tins;
mod turns;

use super::{Discipline, Probe};
use crate::scheme::{Picture, Scheme, SchemeInfo, Site, module_doc};
use ack_filter::AckFiltering;
use alloc::boxed::Box;
use hosts::Isolation;
use penstock_core::param::{Default, ParamErrors, Settings};
use penstock_core::{Bytes, Cells, Framing, Packet, Rate, SignedBytes, Span};
use queues::CakeQueue;
use settings::CakeSettings;
use tins::Diffserv;

penstock_core::params! {
    /// Parameters of CAKE.
    pub struct CakeParams {
        /// Rate of the shaper; absent: no shaping.
        bandwidth: Option<Rate> = Default::Absent, unit: "bit/s", range: 1000.0..=1e13;
        /// How packets are divided into tins by their codepoint.
        diffserv: Diffserv = Default::Text("diffserv3");
        /// The unit of fairness: flows, hosts, or both.
        isolation: Isolation = Default::Text("triple-isolate");
        /// Queues in each tin.
        flows: u32 = Default::Number(1024.0), range: 1.0..=1e6;
        /// Longest usual round-trip time of the flows.
        rtt: Span = Default::Nanos(100_000_000), unit: "s", range: 0.000_01..=1000.0;
        /// Overhead of each packet on the link behind the shaper; may be below 0.
        overhead: SignedBytes = Default::Number(0.0), unit: "bytes", range: -64.0..=256.0;
        /// Smallest size of a packet with its overhead on that link.
        mpu: Bytes = Default::Number(0.0), unit: "bytes", range: 0.0..=256.0;
        /// How that link divides a packet with its overhead: ATM cells, 64b/65b blocks of PTM, or not at all.
        cells: Cells = Default::Text("none");
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = Default::Flag(true);
        /// Remove queued ACKs that a newer ACK makes redundant.
        ack_filter: AckFiltering = Default::Text("off");
        /// The bottleneck is in front of this queue: dropped packets count for the shaper, too.
        ingress: bool = Default::Flag(false);
        /// Set the codepoint of each packet to 0 after its tin is chosen.
        wash: bool = Default::Flag(false);
    }
}

/// CAKE.
pub(crate) struct Cake;

impl Scheme for Cake {
    const INFO: SchemeInfo = SchemeInfo {
        name: "cake",
        aliases: &[],
        family: "flow queueing",
        title: "Common Applications Kept Enhanced",
        source: "T. Høiland-Jørgensen, D. Täht, J. Morton, Piece of CAKE: A Comprehensive Queue Management Solution for \
                 Home Gateways, IEEE LANMAN, 2018",
        doc: module_doc!("cake.rs"),
        ecn: true,
        params: CakeParams::INFO,
        class_params: &[],
        cost: "O(log f) time, amortized O(log f) at the limit; O(a) more with an ACK filter, where a is the number of \
               waiting ACKs of a flow; O(h) more when a queue becomes busy or idle, where h is the number of busy \
               queues of its host; O(n + f) memory in packets and flows seen",
        build_aqm: None,
        picture: Picture::Service,
        good: "Equal shares for hosts and then for their flows, and low delay for sparse flows, in one discipline with a shaper.",
        bad: "The most work per packet of all schemes, especially when many flows of one host come and go.",
    };

    fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
        settings: &Settings,
        &Site { link, now, .. }: &Site<'_>,
    ) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
        let params = CakeParams::from_settings(settings)?;
        let framing = Framing::new(params.overhead.0 as i16, params.mpu.0 as u16, params.cells)
            .expect("the ranges of the parameters are in those of a framing");
        let plan = CakeSettings {
            diffserv: params.diffserv,
            isolation: params.isolation,
            flows: params.flows,
            bandwidth: params.bandwidth,
            framing,
            rtt: params.rtt,
            ecn: params.ecn,
            ack_filter: params.ack_filter,
            ingress: params.ingress,
            wash: params.wash,
        };
        Ok(Box::new(CakeQueue::new(plan, link, now)))
    }
}

#[cfg(test)]
#[path = "cake/tests.rs"]
mod tests;
